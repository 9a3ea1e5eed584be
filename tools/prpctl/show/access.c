// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl access: which hosts may open connections to which ports, and to which
 * ports of which hosts programs here may.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/access.h"
#include "kernel/ask.h"
#include "kernel/table.h"
#include "prpctl.h"
#include "show/access_entry.h"
#include "show/access_setup.h"
#include "show/fields.h"
#include "show/out.h"

/* ---- show ---- */

static int show_message(const struct nlmsghdr *nlh, void *data)
{
	struct access_entry entry;

	access_take(nlh, &entry);
	out_object(NULL);
	fields_access(&entry, data);
	fields_access_hits(&entry);
	out_end();
	return 0;
}

static int show_access(struct nl *nl, struct table *table)
{
	static const char *const heads[] = { "PORT",   "NODE",	  "NAME", "DIR",
					     "PASSED", "REFUSED", NULL };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	out_columns(heads);
	out_array("access");
	nlh = nl_request_genl(nl, buffer, PRP_CMD_ACCESS_GET, NLM_F_DUMP);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, show_message, table);
	out_end();
	if (err && err != -EINTR)
		return ask_refused(nl, err, "reading the access list");
	if (err)
		out_warn("the access list changed while it was read");
	out_columns_end();
	return EXIT_OK;
}

static int access_show(int argc, char **argv)
{
	return command_ask_table(argc, argv, show_access);
}

/* ---- changing ---- */

static int change(uint8_t command, int argc, char **argv)
{
	struct access_entry entry;
	struct table table;
	char what[160];
	struct nl nl;
	int status;

	if (argc < 2)
		return out_fail(EXIT_SYNTAX, "PORT[-PORT] HOST is missing");
	if (argc > 3)
		return command_not_understood(argv[3]);
	if (access_ports(argv[0], &entry, what, sizeof(what)) ||
	    access_direction(argc > 2 ? argv[2] : "in", &entry, what,
			     sizeof(what)))
		return out_fail(EXIT_SYNTAX, "%s", what);
	if (ask_open(&nl))
		return EXIT_KERNEL;
	status = ask_table(&nl, &table);
	if (!status && access_host(&table, argv[1], &entry, what, sizeof(what)))
		status = out_fail(EXIT_SYNTAX, "%s", what);
	snprintf(what, sizeof(what), "access %s %s %s", argv[0], argv[1],
		 argc > 2 ? argv[2] : "in");
	if (!status)
		status = access_request(&nl, command, &entry, what);
	table_free(&table);
	nl_close(&nl);
	return status;
}

static int access_add(int argc, char **argv)
{
	return change(PRP_CMD_ACCESS_ADD, argc, argv);
}

static int access_del(int argc, char **argv)
{
	return change(PRP_CMD_ACCESS_DEL, argc, argv);
}

static int flush(struct nl *nl)
{
	return access_request(nl, PRP_CMD_ACCESS_DEL, NULL, "the access list");
}

static int access_flush(int argc, char **argv)
{
	return command_ask(argc, argv, flush);
}

static const struct command commands[] = {
	{ "setup", access_setup, "[-f FILE|-] [-H FILE|-] [--force]",
	  "make the access list that of FILE, by default " PRPACCESS_PATH,
	  access_setup_options },
	{ "show", access_show, "",
	  "print who alone may connect where, and how often that was asked" },
	{ "add", access_add, "PORT[-PORT] HOST [in | out]",
	  "accept, or connect to, this host there, and none that is not added" },
	{ "del", access_del, "PORT[-PORT] HOST [in | out]",
	  "remove what was added, with the same words" },
	{ "flush", access_flush, "",
	  "accept all hosts at all ports, and connect to all" },
	{ 0 }
};

/**
 * access_main() - prpctl access
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int access_main(int argc, char **argv)
{
	return command_dispatch(commands, "access", "show", argc, argv);
}
