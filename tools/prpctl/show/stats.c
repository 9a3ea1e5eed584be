// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl stats: the counters of a namespace.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdbool.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "prpctl.h"
#include "show/out.h"

#define NAME_WIDTH 24

static void take_counter(const struct nlattr *nest, bool all)
{
	const char *name = NULL;
	const struct nlattr *attr;
	uint64_t value = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == PRP_A_COUNTER_NAME)
			name = mnl_attr_get_str(attr);
		else if (mnl_attr_get_type(attr) == PRP_A_COUNTER_VALUE)
			value = mnl_attr_get_u64(attr);
	}
	if (!name)
		return;
	if (out_is_json()) {
		out_number(name, value, OUT_JSON_ONLY);
	} else if (value || all) {
		out_text("%-*s", NAME_WIDTH, name);
		out_number(name, value, OUT_LAST);
	}
}

static int take_stats(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	const bool *all = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == PRP_A_STATS_COUNTER)
			take_counter(attr, *all);
	return 0;
}

static int stats_show(int argc, char **argv)
{
	bool all = argc == 1 && !strcmp(argv[0], "-a");
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	struct nl nl;
	int err;

	if (argc && !all)
		return command_not_understood(argv[argc - 1]);
	if (ask_open(&nl))
		return EXIT_KERNEL;
	out_object("stats");
	nlh = nl_request_genl(&nl, buffer, PRP_CMD_STATS_GET, NLM_F_DUMP);
	err = nl_talk(&nl, nlh, nlh->nlmsg_len, take_stats, &all);
	out_end();
	nl_close(&nl);
	return err ? ask_refused(&nl, err, "counters") : EXIT_OK;
}

static const struct command commands[] = {
	{ "show", stats_show, "[-a]",
	  "print the counters that are not zero; with -a all of them" },
	{ 0 }
};

/**
 * stats_main() - prpctl stats
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int stats_main(int argc, char **argv)
{
	return command_dispatch(commands, "stats", "show", argc, argv);
}
