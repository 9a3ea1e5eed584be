// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl monitor: prints the kernel's notifications, one a line.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/conn.h"
#include "prpctl.h"
#include "show/describe.h"
#include "show/ends.h"
#include "show/fields.h"
#include "show/monitor.h"
#include "show/out.h"
#include "show/signals.h"

/* ---- events ---- */

static void show_head(const struct monitor *m, const struct table *head)
{
	if (!monitor_line(m, MONITOR_TABLE))
		return;
	out_text("table: generation %u, hash %08x, hosts %zu, links %zu, ",
		 head->generation, head->hash, head->nodes, head->links);
	out_number("generation", head->generation, OUT_JSON_ONLY);
	out_number("hash", head->hash, OUT_JSON_ONLY);
	out_number("hosts", head->nodes, OUT_JSON_ONLY);
	out_number("links", head->links, OUT_JSON_ONLY);
	out_number("ethertype", head->ethertype, OUT_JSON_ONLY);
	out_string("forward", table_forward(head), OUT_JSON_ONLY);
	out_bool("forwards", head->forwards);
	if (head->self) {
		out_number("self", head->self, OUT_JSON_ONLY);
		out_text("this is node %u (%s)", head->self,
			 table_name(&m->table, head->self));
	} else {
		out_null("self");
		out_text("this machine is none of them");
	}
	out_text(", EtherType 0x%04x, forward %s", head->ethertype,
		 table_forward(head));
	out_line_end();
}

/* Return: whether the table is as it is now; then @old is as it was. */
static bool fetch_table(struct monitor *m, struct table *old)
{
	struct table now;

	if (table_fetch(&m->asks, &now)) {
		table_free(&now);
		return false;
	}
	*old = m->table;
	m->table = now;
	return true;
}

static void show_table(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct table old, head;
	bool known = fetch_table(m, &old);

	table_take_head(nlh, &head);
	show_head(m, &head);
	if (!known)
		return;
	monitor_show_table_changes(m, &old);
	table_free(&old);
}

/* What was lost may have been of the table. */
static void show_lost(struct monitor *m)
{
	struct table old;

	out_warn("events came too fast; some are lost");
	if (!fetch_table(m, &old))
		return;
	monitor_show_table_changes(m, &old);
	table_free(&old);
}

static void show_rail(const struct monitor *m, const struct nlmsghdr *nlh)
{
	struct rail rail;

	if (!monitor_line(m, MONITOR_RAIL))
		return;
	rail_take(nlh, &rail);
	out_text("%s", describe_rail(&rail).text);
	if (out_is_json())
		fields_rail(&rail);
	out_line_end();
}

static void show_route(const struct monitor *m, const struct nlmsghdr *nlh)
{
	struct route route;

	if (!monitor_line(m, MONITOR_ROUTE))
		return;
	route_take(nlh, &route);
	out_text("%s", describe_route(&route, &m->table).text);
	if (out_is_json())
		fields_route(&route, &m->table);
	out_line_end();
}

static int show_peer(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct peer peer;
	int err;

	peer_take(nlh, &peer);
	err = monitor_show_rail_changes(m, &peer);
	if (!monitor_line(m, MONITOR_PEER))
		return err;
	out_text("%s", describe_peer(&peer, &m->table).text);
	if (out_is_json())
		fields_peer(&peer, &m->table);
	out_line_end();
	return err;
}

static void show_access(const struct monitor *m, const struct nlmsghdr *nlh)
{
	struct access_entry entry;

	if (!monitor_line(m, MONITOR_ACCESS))
		return;
	access_take(nlh, &entry);
	out_text("%s", describe_access(&entry, &m->table).text);
	out_bool("removed", entry.removed);
	if (out_is_json() && entry.low) {
		fields_access(&entry, &m->table);
	} else {
		out_null("port");
		out_null("port_end");
		out_null("number");
		out_null("name");
		out_null("direction");
	}
	out_line_end();
}

static void show_fault(const struct monitor *m, const struct nlmsghdr *nlh)
{
	struct fault fault;

	if (!monitor_line(m, MONITOR_FAULT))
		return;
	fault_take(nlh, &fault);
	out_text("%s", describe_fault(&fault, &m->table).text);
	out_bool("removed", fault.removed);
	if (out_is_json() && fault.node)
		fields_fault(&fault, &m->table);
	else
		out_null("number");
	out_line_end();
}

static void show_end(const struct conn *conn)
{
	const struct prp_info *info = &conn->socket.info;

	out_text("ended%s%s%s, %llu bytes out, %llu bytes in",
		 conn->error ? " (" : "",
		 conn->error ? strerror(conn->error) : "",
		 conn->error ? ")" : "",
		 (unsigned long long)info->prpi_bytes_out,
		 (unsigned long long)info->prpi_bytes_in);
	if (conn->error)
		out_string("error", strerror(conn->error), OUT_JSON_ONLY);
	else
		out_null("error");
	out_number("bytes_out", info->prpi_bytes_out, OUT_JSON_ONLY);
	out_number("bytes_in", info->prpi_bytes_in, OUT_JSON_ONLY);
}

static void show_connection(const struct monitor *m, const struct nlmsghdr *nlh)
{
	struct conn conn;

	if (!monitor_line(m, MONITOR_CONNECTION))
		return;
	conn_take(nlh, &conn);
	out_text("connection ");
	ends_say(&m->table, &conn.socket);
	out_text(": ");
	out_string("change", conn.ended ? "ended" : "established",
		   OUT_JSON_ONLY);
	out_bool("seqpacket", conn.socket.msg.pdiag_flags & PRP_DIAG_SEQPACKET);
	if (conn.ended)
		show_end(&conn);
	else
		out_text("established");
	out_line_end();
}

/* A newer kernel may tell more. */
static int show_event(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct monitor *m = data;

	switch (genl->cmd) {
	case PRP_CMD_TABLE_NTF:
		show_table(m, nlh);
		break;
	case PRP_CMD_RAIL_NTF:
		show_rail(m, nlh);
		break;
	case PRP_CMD_ROUTE_NTF:
		show_route(m, nlh);
		break;
	case PRP_CMD_PEER_NTF:
		return show_peer(m, nlh);
	case PRP_CMD_ACCESS_NTF:
		show_access(m, nlh);
		break;
	case PRP_CMD_FAULT_NTF:
		show_fault(m, nlh);
		break;
	case PRP_CMD_CONN_NTF:
		show_connection(m, nlh);
		break;
	}
	return 0;
}

/* ---- the command ---- */

static int watch(struct monitor *m, int signals)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = mnl_socket_get_fd(m->events.sock), .events = POLLIN },
	};
	int err;

	while (!out_is_lost()) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return out_fail(EXIT_KERNEL, "poll: %s",
					strerror(errno));
		if (fds[0].revents)
			return EXIT_OK;
		if (!fds[1].revents)
			continue;
		err = nl_receive(&m->events, show_event, m);
		if (err == -ENOBUFS)
			show_lost(m);
		else if (err == -ENOENT)
			return ask_unknown();
		else if (err && err != -EINTR)
			return ask_refused(&m->events, err, "reading events");
	}
	return EXIT_OK;
}

static int run(struct monitor *m)
{
	int signals, status, err;

	status = ask_open(&m->events);
	if (!status)
		status = ask_open(&m->asks);
	if (status)
		return status;
	/* hosts are named in every line */
	err = nl_listen(&m->events, m->events.events);
	if (!err && m->wanted & 1U << MONITOR_CONNECTION)
		err = nl_listen(&m->events, m->events.connections);
	if (err)
		return ask_refused(&m->events, err, "waiting for events");
	status = ask_table(&m->asks, &m->table);
	if (status)
		return status;
	err = peer_fetch_all(&m->asks, &m->peers);
	if (err && err != -EINTR)
		return ask_refused(&m->asks, err, "reading the peers");
	signals = signals_watch();
	if (signals < 0)
		return out_fail(EXIT_KERNEL, "signals: %s", strerror(errno));
	out_lines();
	status = watch(m, signals);
	close(signals);
	return status;
}

static int words(struct monitor *m, int argc, char **argv)
{
	int event;

	if (argc &&
	    (!strcmp(argv[0], "-t") || !strcmp(argv[0], "--timestamp"))) {
		m->stamps = true;
		argc--;
		argv++;
	}
	if (argc && !strcmp(argv[0], "--")) {
		argc--;
		argv++;
	}
	for (; argc; argc--, argv++) {
		event = monitor_event(argv[0]);
		if (event < 0)
			return command_not_understood(argv[0]);
		m->wanted |= 1U << event;
	}
	if (!m->wanted)
		m->wanted = ~0U;
	return EXIT_OK;
}

static int monitor(int argc, char **argv)
{
	struct monitor m = { 0 };
	int status;

	status = words(&m, argc, argv);
	if (status)
		return status;
	status = run(&m);
	table_free(&m.table);
	free(m.peers.peer);
	nl_close(&m.asks);
	nl_close(&m.events);
	return status;
}

/**
 * monitor_main() - prpctl monitor
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int monitor_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "timestamp", no_argument, NULL, 't' }, { 0 }
	};
	static const struct command command = {
		"monitor", monitor, "[-t] [EVENT]...",
		"print what changes until interrupted, or only what is named: table,\n"
		"      host, link, rail, way, route, peer, access, fault, connection; with\n"
		"      -t the time, too",
		options
	};

	return command_single(&command, argc, argv);
}
