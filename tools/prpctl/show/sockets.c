// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl sockets: which are there, and what each of them looks like.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/prp.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/diag.h"
#include "kernel/procs.h"
#include "kernel/table.h"
#include "prpctl.h"
#include "show/ends.h"
#include "show/info.h"
#include "show/out.h"

#define STATES 13

/* PRP's states bear the numbers of the equal TCP states; the others can only
 * be those of a socket that TCP carries.
 */
static const char *const states[STATES] = {
	[PRP_ESTABLISHED] = "established",
	[PRP_CONN_WAIT] = "conn-wait",
	[3] = "syn-recv",
	[4] = "fin-wait-1",
	[5] = "fin-wait-2",
	[6] = "time-wait",
	[PRP_CLOSE] = "close",
	[8] = "close-wait",
	[9] = "last-ack",
	[PRP_LISTEN] = "listen",
	[11] = "closing",
	[12] = "new-syn-recv",
};

/* What is asked for */
struct request {
	uint32_t states;
	bool numeric;
	bool processes;
	bool info;
	struct table table;
	struct procs procs;
};

/* ---- one socket ---- */

static const char *state_name(unsigned int state)
{
	return state < STATES && states[state] ? states[state] : "unknown";
}

static const char *path_name(unsigned int path)
{
	return path == PRP_PATH_PRP ? "prp" :
	       path == PRP_PATH_TCP ? "tcp" :
				      "none";
}

static const char *protocol_name(unsigned int protocol)
{
	return protocol == PRP_DIAG_INET  ? "inet" :
	       protocol == PRP_DIAG_INET6 ? "inet6" :
					    "native";
}

static const char *type_name(const struct prp_diag_msg *msg)
{
	return msg->pdiag_flags & PRP_DIAG_SEQPACKET ? "seqpacket" : "stream";
}

static void show_processes(const struct request *request, uint32_t inode)
{
	const struct procs *procs = &request->procs;
	const struct proc *proc;
	char text[512] = "";
	size_t len = 0;

	proc = inode ? procs_find(procs, inode) : NULL;
	out_array("processes");
	for (;
	     proc && proc < procs->proc + procs->count && proc->inode == inode;
	     proc++) {
		if (len < sizeof(text))
			len += snprintf(text + len, sizeof(text) - len,
					"%s%s(pid %d, fd %d)", len ? " " : "",
					proc->name, proc->pid, proc->fd);
		out_object(NULL);
		out_string("name", proc->name, OUT_JSON_ONLY);
		out_number("pid", proc->pid, OUT_JSON_ONLY);
		out_number("fd", proc->fd, OUT_JSON_ONLY);
		out_end();
	}
	out_end();
	out_cell("%s", text[0] ? text : "-");
}

/* The line below a socket leaves out what is 0. */
static void show_info(const struct prp_info *info)
{
	char text[1000] = "";
	size_t i, len = 0;
	uint64_t value;

	out_object("info");
	for (i = 0; i < info_count; i++) {
		value = info_value(info, i);
		out_number(info_name(i), value, OUT_JSON_ONLY);
		if (value && len < sizeof(text))
			len += snprintf(text + len, sizeof(text) - len,
					"%s%s %" PRIu64, len ? ", " : "",
					info_name(i), value);
	}
	out_end();
	if (len)
		out_note("%s", text);
}

static void show_flags(const struct diag_socket *socket)
{
	uint32_t flags = socket->msg.pdiag_flags;

	out_bool("orphan", flags & PRP_DIAG_ORPHAN);
	out_bool("unaccepted", flags & PRP_DIAG_UNACCEPTED);
	if (socket->silent_ms < 0)
		out_null("silent_ms");
	else
		out_number("silent_ms", socket->silent_ms, OUT_JSON_ONLY);
}

static void show_identity(const struct prp_diag_msg *msg)
{
	out_number("uid", msg->pdiag_uid, OUT_JSON_ONLY);
	out_number("inode", msg->pdiag_inode, OUT_JSON_ONLY);
	out_number("cookie",
		   (uint64_t)msg->pdiag_cookie[1] << 32 | msg->pdiag_cookie[0],
		   OUT_JSON_ONLY);
}

/* What has no column, in a line below the socket */
static void note_details(const struct diag_socket *socket)
{
	const struct prp_diag_msg *msg = &socket->msg;
	char silent[40] = "";

	if (socket->silent_ms >= 0)
		snprintf(silent, sizeof(silent), ", silent for %u.%03u s",
			 (unsigned int)(socket->silent_ms / 1000),
			 (unsigned int)(socket->silent_ms % 1000));
	out_note("%s, %s, user %u, inode %u%s", type_name(msg),
		 protocol_name(msg->pdiag_protocol), msg->pdiag_uid,
		 msg->pdiag_inode, silent);
}

static void show_socket(const struct diag_socket *socket, void *data)
{
	const struct prp_diag_msg *msg = &socket->msg;
	const struct request *request = data;
	uint32_t flags = msg->pdiag_flags;

	out_object(NULL);
	out_string("state", state_name(msg->pdiag_state), OUT_JSON_ONLY);
	out_cell("%s%s", state_name(msg->pdiag_state),
		 flags & PRP_DIAG_ORPHAN     ? ", orphan" :
		 flags & PRP_DIAG_UNACCEPTED ? ", unaccepted" :
					       "");
	out_number("rqueue", msg->pdiag_rqueue, OUT_CELL);
	out_number("wqueue", msg->pdiag_wqueue, OUT_CELL);
	ends_show(&request->table, request->numeric, socket);
	out_string("protocol", protocol_name(msg->pdiag_protocol),
		   OUT_JSON_ONLY);
	out_string("type", type_name(msg), OUT_JSON_ONLY);
	out_string("path", path_name(msg->pdiag_path), OUT_CELL);
	show_flags(socket);
	show_identity(msg);
	if (request->processes)
		show_processes(request, msg->pdiag_inode);
	if (request->info && socket->has_info)
		show_info(&socket->info);
	if (options.details)
		note_details(socket);
	out_end();
}

/* ---- the command ---- */

static int parse_state(const char *word, uint32_t *bits)
{
	unsigned int s;

	for (s = 0; s < STATES; s++) {
		if (states[s] && !strcmp(word, states[s])) {
			*bits |= 1U << s;
			return EXIT_OK;
		}
	}
	return out_fail(EXIT_SYNTAX, "\"%s\" is no state", word);
}

/* [state NAME]... */
static int parse_states(int argc, char **argv, uint32_t *bits)
{
	uint32_t given = 0;
	int i, status;

	for (i = 0; i < argc; i += 2) {
		if (strcmp(argv[i], "state"))
			return command_not_understood(argv[i]);
		if (i + 1 == argc)
			return out_fail(EXIT_SYNTAX, "NAME is missing");
		status = parse_state(argv[i + 1], &given);
		if (status)
			return status;
	}
	if (given)
		*bits = given;
	return EXIT_OK;
}

static const struct option show_options[] = {
	{ "listening", no_argument, NULL, 'l' },
	{ "all", no_argument, NULL, 'a' },
	{ "processes", no_argument, NULL, 'p' },
	{ "info", no_argument, NULL, 'i' },
	{ "numeric", no_argument, NULL, 'N' },
	{ 0 }
};

static int parse_request(int argc, char **argv, struct request *request)
{
	int option;

	request->states = ~(1U << PRP_LISTEN | 1U << PRP_CLOSE);
	request->info = options.statistics;
	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "+lapiN", show_options,
				     NULL)) != -1) {
		if (option == 'l')
			request->states = 1U << PRP_LISTEN;
		else if (option == 'a')
			request->states = ~0U;
		else if (option == 'p')
			request->processes = true;
		else if (option == 'i')
			request->info = true;
		else if (option == 'N')
			request->numeric = true;
		else
			return command_not_understood(argv[optind - 1]);
	}
	return parse_states(argc - optind, argv + optind, &request->states);
}

static int show_all(struct nl *nl, struct request *request)
{
	static const char *const heads[] = { "STATE",	"RECV-Q", "SEND-Q",
					     "LOCAL",	"PEER",	  "PATH",
					     "PROCESS", NULL };
	static const char *const heads_without[] = {
		"STATE", "RECV-Q", "SEND-Q", "LOCAL", "PEER", "PATH", NULL
	};
	int status, err;

	status = ask_table(nl, &request->table);
	if (status)
		return status;
	if (request->processes && procs_fetch(&request->procs))
		out_warn("processes cannot be looked at");
	out_columns_brief(request->processes ? heads : heads_without,
			  1U << 0 | 1U << 3 | 1U << 4);
	out_array("sockets");
	err = diag_fetch(request->states, request->info, show_socket, request);
	out_end();
	if (err && err != -EINTR)
		return out_fail(EXIT_KERNEL, "reading the sockets: %s",
				strerror(-err));
	out_columns_end();
	return EXIT_OK;
}

static int sockets_show(int argc, char **argv)
{
	struct request request = { 0 };
	struct nl nl;
	int status;

	status = parse_request(argc, argv, &request);
	if (!status)
		status = ask_open(&nl);
	if (status)
		return status;
	status = show_all(&nl, &request);
	table_free(&request.table);
	free(request.procs.proc);
	nl_close(&nl);
	return status;
}

static const struct command commands[] = {
	{ "show", sockets_show, "[-lapiN] [state NAME]...",
	  "print connections; with -l listening sockets, with -a all; with -p\n"
	  "      who has them, with -i their numbers, with -N numbers not names",
	  show_options, true },
	{ 0 }
};

/**
 * sockets_main() - prpctl sockets
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int sockets_main(int argc, char **argv)
{
	return command_dispatch(commands, "sockets", "show", argc, argv);
}
