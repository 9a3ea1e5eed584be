// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl forward: whether this machine passes on frames for other hosts.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "prpctl.h"
#include "show/out.h"

static void show_forward(const struct table *head)
{
	out_string("forward", table_forward(head), OUT_JSON_ONLY);
	out_bool("forwards", head->forwards);
	out_text("%s", head->forwards ? "on" : "off");
	if (head->forward == PRP_FORWARD_AUTO)
		out_text(" (auto: the host table has %s)",
			 head->links ? "links" : "no links");
	out_text("\n");
}

static int show(struct nl *nl)
{
	struct table head;
	int err;

	err = table_fetch_head(nl, &head);
	if (err)
		return ask_refused(nl, err, "reading what is forwarded");
	show_forward(&head);
	return EXIT_OK;
}

static int forward_show(int argc, char **argv)
{
	return command_ask(argc, argv, show);
}

static int set(int argc, char **argv, uint8_t forward)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	struct nl nl;
	int err;

	if (argc)
		return command_not_understood(argv[0]);
	if (ask_open(&nl))
		return EXIT_KERNEL;
	nlh = nl_request_genl(&nl, buffer, PRP_CMD_FORWARD_SET, NLM_F_ACK);
	mnl_attr_put_u8(nlh, PRP_A_TABLE_FORWARD, forward);
	err = nl_talk(&nl, nlh, nlh->nlmsg_len, NULL, NULL);
	if (err)
		err = ask_refused(&nl, err, "changing what is forwarded");
	nl_close(&nl);
	return err;
}

static int forward_on(int argc, char **argv)
{
	return set(argc, argv, PRP_FORWARD_ON);
}

static int forward_off(int argc, char **argv)
{
	return set(argc, argv, PRP_FORWARD_OFF);
}

static int forward_auto(int argc, char **argv)
{
	return set(argc, argv, PRP_FORWARD_AUTO);
}

static const struct command commands[] = {
	{ "show", forward_show, "",
	  "print whether frames for other hosts are passed on" },
	{ "on", forward_on, "", "pass them on" },
	{ "off", forward_off, "", "drop them" },
	{ "auto", forward_auto, "",
	  "pass them on if the host table has links, as at first" },
	{ 0 }
};

/**
 * forward_main() - prpctl forward
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int forward_main(int argc, char **argv)
{
	return command_dispatch(commands, "forward", "show", argc, argv);
}
