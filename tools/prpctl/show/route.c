// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl route: the ways to other hosts, and overriding them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/route.h"
#include "kernel/table.h"
#include "prpctl.h"
#include "show/fields.h"
#include "show/out.h"

/* ---- show ---- */

static int show_message(const struct nlmsghdr *nlh, void *data)
{
	struct route route;

	route_take(nlh, &route);
	out_object(NULL);
	fields_route(&route, data);
	out_end();
	return 0;
}

static int show(struct nl *nl, struct table *table,
		const struct prphosts_node *only)
{
	static const char *const heads[] = { "NODE", "NAME",  "VIA",
					     "HOPS", "RAIL",  "DEVICE",
					     "MTU",  "STATE", NULL };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	out_columns_brief(heads, 1U << 0 | 1U << 1 | 1U << 2 | 1U << 7);
	out_array("routes");
	nlh = nl_request_genl(nl, buffer, PRP_CMD_ROUTE_GET,
			      only ? NLM_F_ACK : NLM_F_DUMP);
	if (only)
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, only->number);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, show_message, table);
	out_end();
	if (err && err != -EINTR)
		return ask_refused(nl, err, "reading the routes");
	if (err)
		out_warn("the routes changed while they were read");
	out_columns_end();
	return EXIT_OK;
}

static int route_show(int argc, char **argv)
{
	return command_ask_hosts(argc, argv, show);
}

/* ---- changing ---- */

/* One request about the host @of, if there is one, and the way through @via */
static int change(struct nl *nl, uint8_t command, const char *of,
		  const char *via)
{
	const struct prphosts_node *node = NULL, *next = NULL;
	char buffer[NL_REQUEST_LEN], what[160];
	struct nlmsghdr *nlh;
	struct table table;
	int status, err;

	status = ask_table(nl, &table);
	if (!status && of)
		status = command_host(&table, of, &node);
	if (!status && via)
		status = command_host(&table, via, &next);
	if (status)
		goto out;
	nlh = nl_request_genl(nl, buffer, command, NLM_F_ACK);
	if (node)
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, node->number);
	if (next)
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_VIA, next->number);
	snprintf(what, sizeof(what), "route%s%s%s%s", node ? " to " : "s",
		 node ? node->name : "", next ? " via " : "",
		 next ? next->name : "");
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	if (err)
		status = ask_refused(nl, err, what);
out:
	table_free(&table);
	return status;
}

static int change_route(uint8_t command, const char *of, const char *via)
{
	struct nl nl;
	int status;

	if (ask_open(&nl))
		return EXIT_KERNEL;
	status = change(&nl, command, of, via);
	nl_close(&nl);
	return status;
}

static int route_add(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "via"))
		return command_not_understood(argv[1]);
	if (argc < 3)
		return out_fail(EXIT_SYNTAX, "HOST via HOST is missing");
	if (argc > 3)
		return command_not_understood(argv[3]);
	return change_route(PRP_CMD_ROUTE_SET, argv[0], argv[2]);
}

static int route_del(int argc, char **argv)
{
	if (!argc)
		return out_fail(EXIT_SYNTAX, "HOST is missing");
	if (argc > 1)
		return command_not_understood(argv[1]);
	return change_route(PRP_CMD_ROUTE_DEL, argv[0], NULL);
}

static int route_flush(int argc, char **argv)
{
	if (argc)
		return command_not_understood(argv[0]);
	return change_route(PRP_CMD_ROUTE_DEL, NULL, NULL);
}

static const struct command commands[] = {
	{ "show", route_show, "[HOST]",
	  "print the ways to all hosts, or to one" },
	{ "add", route_add, "HOST via HOST",
	  "send frames for a host through another one, whatever the links say" },
	{ "del", route_del, "HOST", "send them as the links say again" },
	{ "flush", route_flush, "", "send all frames as the links say" },
	{ 0 }
};

/**
 * route_main() - prpctl route
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int route_main(int argc, char **argv)
{
	return command_dispatch(commands, "route", "show", argc, argv);
}
