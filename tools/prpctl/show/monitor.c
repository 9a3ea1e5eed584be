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
#include "prpctl.h"
#include "show/describe.h"
#include "show/fields.h"
#include "show/monitor.h"
#include "show/out.h"
#include "show/signals.h"

/* ---- events ---- */

static void show_table(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct table old = m->table, now, head;
	bool known = !table_fetch(&m->asks, &now);

	if (known)
		m->table = now;
	else
		table_free(&now);
	table_take_head(nlh, &head);
	out_text("table: generation %u, hash %08x, hosts %zu, links %zu, ",
		 head.generation, head.hash, head.nodes, head.links);
	out_number("generation", head.generation, OUT_JSON_ONLY);
	out_number("hash", head.hash, OUT_JSON_ONLY);
	out_number("hosts", head.nodes, OUT_JSON_ONLY);
	out_number("links", head.links, OUT_JSON_ONLY);
	out_number("ethertype", head.ethertype, OUT_JSON_ONLY);
	out_string("forward", table_forward(&head), OUT_JSON_ONLY);
	out_bool("forwards", head.forwards);
	if (head.self) {
		out_number("self", head.self, OUT_JSON_ONLY);
		out_text("this is node %u (%s)", head.self,
			 table_name(&m->table, head.self));
	} else {
		out_null("self");
		out_text("this machine is none of them");
	}
	out_text(", EtherType 0x%04x, forward %s", head.ethertype,
		 table_forward(&head));
	out_line_end();
	if (!known)
		return;
	monitor_show_table_changes(m, &old);
	table_free(&old);
}

static void show_rail(const struct nlmsghdr *nlh)
{
	struct rail rail;

	rail_take(nlh, &rail);
	out_text("%s", describe_rail(&rail).text);
	if (out_is_json())
		fields_rail(&rail);
}

static void show_route(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct route route;

	route_take(nlh, &route);
	out_text("%s", describe_route(&route, &m->table).text);
	if (out_is_json())
		fields_route(&route, &m->table);
}

static void show_peer(struct monitor *m, const struct peer *peer)
{
	out_text("%s", describe_peer(peer, &m->table).text);
	if (out_is_json())
		fields_peer(peer, &m->table);
}

static void show_access(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct access_entry entry;

	access_take(nlh, &entry);
	out_text("%s", describe_access(&entry, &m->table).text);
	if (!out_is_json())
		return;
	out_bool("removed", entry.removed);
	if (entry.low) {
		fields_access(&entry, &m->table);
		return;
	}
	out_null("port");
	out_null("port_end");
	out_null("number");
	out_null("name");
	out_null("direction");
}

static void show_fault(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct fault fault;

	fault_take(nlh, &fault);
	out_text("%s", describe_fault(&fault, &m->table).text);
	if (!out_is_json())
		return;
	out_bool("removed", fault.removed);
	if (fault.node)
		fields_fault(&fault, &m->table);
	else
		out_null("number");
}

static int show_event(const struct nlmsghdr *nlh, void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	static const char *const names[] = {
		[PRP_CMD_TABLE_NTF] = "table",	 [PRP_CMD_RAIL_NTF] = "rail",
		[PRP_CMD_ROUTE_NTF] = "route",	 [PRP_CMD_PEER_NTF] = "peer",
		[PRP_CMD_ACCESS_NTF] = "access", [PRP_CMD_FAULT_NTF] = "fault",
	};
	struct monitor *m = data;
	struct peer peer;
	int err = 0;

	/* A newer kernel may tell more. */
	if (genl->cmd >= ARRAY_SIZE(names) || !names[genl->cmd])
		return 0;
	if (genl->cmd == PRP_CMD_PEER_NTF) {
		peer_take(nlh, &peer);
		err = monitor_show_rail_changes(m, &peer);
	}
	monitor_line(m, names[genl->cmd]);
	if (genl->cmd == PRP_CMD_TABLE_NTF)
		show_table(m, nlh);
	else if (genl->cmd == PRP_CMD_RAIL_NTF)
		show_rail(nlh);
	else if (genl->cmd == PRP_CMD_ROUTE_NTF)
		show_route(m, nlh);
	else if (genl->cmd == PRP_CMD_PEER_NTF)
		show_peer(m, &peer);
	else if (genl->cmd == PRP_CMD_FAULT_NTF)
		show_fault(m, nlh);
	else
		show_access(m, nlh);
	if (genl->cmd != PRP_CMD_TABLE_NTF)
		out_line_end();
	return err;
}

/* ---- the command ---- */

static int watch(struct monitor *m, int signals)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = mnl_socket_get_fd(m->events.sock), .events = POLLIN },
	};
	int err;

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return out_fail(EXIT_KERNEL, "poll: %s",
					strerror(errno));
		if (fds[0].revents)
			return EXIT_OK;
		if (!fds[1].revents)
			continue;
		err = nl_receive(&m->events, show_event, m);
		if (err == -ENOBUFS)
			out_warn("events came too fast; some are lost");
		else if (err && err != -EINTR)
			return ask_refused(&m->events, err, "reading events");
	}
}

static int run(struct monitor *m)
{
	int signals, status, err;

	status = ask_open(&m->events);
	if (!status)
		status = ask_open(&m->asks);
	if (status)
		return status;
	err = nl_listen(&m->events);
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

static int monitor(int argc, char **argv)
{
	struct monitor m = { 0 };
	int status;

	m.stamps = argc &&
		   (!strcmp(argv[0], "-t") || !strcmp(argv[0], "--timestamp"));
	if (argc > m.stamps)
		return command_not_understood(argv[m.stamps]);
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
		"monitor", monitor, "[-t]",
		"print what changes until interrupted; with -t the time, too",
		options
	};

	return command_single(&command, argc, argv);
}
