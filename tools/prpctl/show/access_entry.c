// SPDX-License-Identifier: GPL-2.0
/*
 * An entry of the access list, as the command line and the file have it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/access_entry.h"

#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "show/out.h"

/**
 * access_ports() - read the ports of an entry
 * @word: PORT or PORT-PORT
 * @entry: @entry->low and @entry->high are set
 * @why: set to what is wrong with them
 * @len: its length, bytes
 *
 * Return: 0, or -1 if they are wrong.
 */
int access_ports(const char *word, struct access_entry *entry, char *why,
		 size_t len)
{
	const char *rest;

	entry->low = command_number(word, 65535, '-', &rest);
	entry->high = entry->low;
	if (entry->low && *rest)
		entry->high = command_number(rest + 1, 65535, 0, NULL);
	if (!entry->low || !entry->high)
		snprintf(why, len, "\"%s\" is no port, nor two with -", word);
	else if (entry->high < entry->low)
		snprintf(why, len, "%s ends before it begins", word);
	else
		return 0;
	return -1;
}

/**
 * access_host() - read the host of an entry
 * @table: hosts
 * @word: one of them, or a number that the table does not have yet
 * @entry: @entry->node is set
 * @why: set to what is wrong with it
 * @len: its length, bytes
 *
 * Return: 0, or -1 if it is wrong.
 */
int access_host(const struct table *table, const char *word,
		struct access_entry *entry, char *why, size_t len)
{
	const struct prphosts_node *node = table_find(table, word);

	entry->node = node ? node->number :
			     command_number(word, PRP_NODE_MAX, 0, NULL);
	if (entry->node)
		return 0;
	snprintf(why, len, "no host is \"%s\"", word);
	return -1;
}

/**
 * access_direction() - read the direction of an entry
 * @word: "in" or "out"
 * @entry: @entry->direction is set
 * @why: set to what is wrong with it
 * @len: its length, bytes
 *
 * Return: 0, or -1 if it is wrong.
 */
int access_direction(const char *word, struct access_entry *entry, char *why,
		     size_t len)
{
	bool out = !strcmp(word, "out");

	if (!out && strcmp(word, "in")) {
		snprintf(why, len, "\"%s\" is neither in nor out", word);
		return -1;
	}
	entry->direction = out ? PRP_DIRECTION_OUT : PRP_DIRECTION_IN;
	return 0;
}

/**
 * access_request() - have the kernel add or remove an entry, or say why not
 * @nl: socket
 * @command: PRP_CMD_ACCESS_ADD or PRP_CMD_ACCESS_DEL
 * @entry: the entry, NULL for all
 * @what: what it is called where the kernel refuses
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int access_request(struct nl *nl, uint8_t command,
		   const struct access_entry *entry, const char *what)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, command, NLM_F_ACK);
	if (entry) {
		mnl_attr_put_u16(nlh, PRP_A_ACCESS_PORT, entry->low);
		mnl_attr_put_u16(nlh, PRP_A_ACCESS_PORT_END, entry->high);
		mnl_attr_put_u16(nlh, PRP_A_ACCESS_NODE, entry->node);
		mnl_attr_put_u8(nlh, PRP_A_ACCESS_DIRECTION, entry->direction);
	}
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	return err ? ask_refused(nl, err, what) : EXIT_OK;
}
