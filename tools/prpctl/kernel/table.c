// SPDX-License-Identifier: GPL-2.0
/*
 * Fetches the kernel's host table, and finds a host in it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "hosts/slice.h"

#define FETCH_TRIES 20 /* until a table stands still */

/**
 * table_take_head() - read what there is to say of a host table as a whole
 * @nlh: message that tells of it
 * @table: filled in, but for the hosts and links themselves
 */
void table_take_head(const struct nlmsghdr *nlh, struct table *table)
{
	const struct nlattr *attr;

	memset(table, 0, sizeof(*table));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case PRP_A_TABLE_GENERATION:
			table->generation = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_HASH:
			table->hash = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_SELF:
			table->self = mnl_attr_get_u16(attr);
			break;
		case PRP_A_TABLE_ETHERTYPE:
			table->ethertype = mnl_attr_get_u16(attr);
			break;
		case PRP_A_TABLE_COUNT:
			table->nodes = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_LINKS:
			table->links = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_FORWARD:
			table->forward = mnl_attr_get_u8(attr);
			break;
		case PRP_A_TABLE_FORWARDS:
			table->forwards = true;
			break;
		case PRP_A_TABLE_FAULTS:
			table->faults = mnl_attr_get_u32(attr);
			break;
		}
	}
}

static int take_head(const struct nlmsghdr *nlh, void *data)
{
	table_take_head(nlh, data);
	return 0;
}

static void take_address(const struct nlattr *nest, struct prphosts_node *node)
{
	const struct nlattr *attr;
	const void *mac = NULL;
	unsigned int rail = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == PRP_A_ADDRESS_RAIL)
			rail = mnl_attr_get_u8(attr);
		else if (mnl_attr_get_type(attr) == PRP_A_ADDRESS_MAC &&
			 mnl_attr_get_payload_len(attr) == 6)
			mac = mnl_attr_get_payload(attr);
	}
	if (!mac || rail >= PRPHOSTS_RAILS)
		return;
	node->rails |= 1 << rail;
	memcpy(node->addr[rail], mac, 6);
}

static void take_ip(const struct nlattr *attr, struct prphosts_node *node)
{
	uint8_t *ip = node->ip[node->ip_count];

	if (mnl_attr_get_payload_len(attr) == 16) {
		memcpy(ip, mnl_attr_get_payload(attr), 16);
	} else {
		memset(ip + 10, 0xff, 2);
		memcpy(ip + 12, mnl_attr_get_payload(attr), 4);
	}
	node->ip_count++;
}

static void take_node_attr(const struct nlattr *attr,
			   struct prphosts_node *node)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_NODE_NUMBER:
		node->number = mnl_attr_get_u16(attr);
		break;
	case PRP_A_NODE_NAME:
		strncpy(node->name, mnl_attr_get_str(attr),
			sizeof(node->name) - 1);
		break;
	case PRP_A_NODE_ADDRESS:
		take_address(attr, node);
		break;
	case PRP_A_NODE_IP:
		if (node->ip_count < PRPHOSTS_IPS)
			take_ip(attr, node);
		break;
	}
}

static int take_node(const struct nlmsghdr *nlh, void *data)
{
	struct prphosts_node node = { 0 }, *bigger;
	struct table *table = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_node_attr(attr, &node);
	if (table->nodes == table->room) {
		table->room = table->room ? table->room * 2 : 64;
		bigger = reallocarray(table->node, table->room, sizeof(node));
		if (!bigger)
			return -ENOMEM;
		table->node = bigger;
	}
	table->node[table->nodes++] = node;
	return 0;
}

/* A link as a message has it */
static void take_link_attr(const struct nlattr *attr,
			   struct prphosts_link *link)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_LINK_NODE:
		link->node = mnl_attr_get_u16(attr);
		break;
	case PRP_A_LINK_PEER:
		link->peer = mnl_attr_get_u16(attr);
		break;
	case PRP_A_LINK_RAIL:
		link->rail = mnl_attr_get_u8(attr);
		break;
	}
}

static int take_link(const struct nlmsghdr *nlh, void *data)
{
	struct prphosts_link link = { .rail = PRPHOSTS_ALL_RAILS }, *bigger;
	struct table *table = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_link_attr(attr, &link);
	if (table->links == table->link_room) {
		table->link_room = table->link_room ? table->link_room * 2 : 64;
		bigger = reallocarray(table->link, table->link_room,
				      sizeof(link));
		if (!bigger)
			return -ENOMEM;
		table->link = bigger;
	}
	table->link[table->links++] = link;
	return 0;
}

/**
 * table_fetch_head() - get what there is to say of the kernel's host table
 * @nl: socket
 * @table: filled in, but for the hosts and links themselves
 *
 * Return: 0 or a negative errno.
 */
int table_fetch_head(struct nl *nl, struct table *table)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	memset(table, 0, sizeof(*table));
	nlh = nl_request_genl(nl, buffer, PRP_CMD_TABLE_GET, NLM_F_ACK);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_head, table);
}

static int fetch_links(struct nl *nl, struct table *table)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	struct table after;
	int err;

	table->links = 0;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_LINK_GET, NLM_F_DUMP);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_link, table);
	if (err)
		return err;
	if (table->links) /* there may be none by now */
		qsort(table->link, table->links, sizeof(*table->link),
		      prphosts_link_compare);
	err = table_fetch_head(nl, &after);
	/* Hosts and links must be those of one table. */
	return !err && after.generation != table->generation ? -EINTR : err;
}

static int fetch_once(struct nl *nl, struct table *table)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	err = table_fetch_head(nl, table);
	if (err)
		return err;
	table->nodes = 0;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_NODE_GET, NLM_F_DUMP);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_node, table);
	if (!err && table->links)
		err = fetch_links(nl, table);
	return err;
}

/**
 * table_fetch() - get the kernel's host table
 * @nl: socket
 * @table: filled in; table_free() it whatever this returns
 *
 * The hosts are those of one table, which may be newer than its generation
 * here; then change_commit() fails with -EAGAIN.
 *
 * Return: 0 or a negative errno; -EINTR if it changes all the time.
 */
int table_fetch(struct nl *nl, struct table *table)
{
	int tries, err;

	for (tries = 0; tries < FETCH_TRIES; tries++) {
		err = fetch_once(nl, table);
		if (err != -EINTR)
			return err;
		table_free(table);
	}
	return err;
}

/**
 * table_free() - free a fetched table
 * @table: what table_fetch() filled in
 */
void table_free(struct table *table)
{
	free(table->node);
	free(table->link);
	memset(table, 0, sizeof(*table));
}

/**
 * table_node() - find a host by its number
 * @table: what table_fetch() filled in
 * @number: its number
 *
 * Return: the host, or NULL.
 */
const struct prphosts_node *table_node(const struct table *table,
				       uint16_t number)
{
	size_t low = 0, high = table->nodes, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (table->node[middle].number == number)
			return &table->node[middle];
		if (table->node[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/**
 * table_name() - how a host is called
 * @table: what table_fetch() filled in
 * @number: its number
 *
 * Return: its name, or "?" if the table does not have it.
 */
const char *table_name(const struct table *table, uint16_t number)
{
	const struct prphosts_node *node = table_node(table, number);

	return node ? node->name : "?";
}

/**
 * table_forward() - the word for when frames are passed on
 * @table: what table_fetch_head() filled in
 *
 * Return: the word, as prpctl takes it.
 */
const char *table_forward(const struct table *table)
{
	switch (table->forward) {
	case PRP_FORWARD_AUTO:
		return "auto";
	case PRP_FORWARD_ON:
		return "on";
	case PRP_FORWARD_OFF:
		return "off";
	default:
		return "?";
	}
}

/* An IP address as struct prphosts_node has it */
static bool to_ip(const char *word, uint8_t ip[16])
{
	memset(ip, 0, 10);
	memset(ip + 10, 0xff, 2);
	return inet_pton(AF_INET, word, ip + 12) == 1 ||
	       inet_pton(AF_INET6, word, ip) == 1;
}

static bool has_ip(const struct prphosts_node *node, const uint8_t ip[16])
{
	unsigned int i;

	for (i = 0; i < node->ip_count; i++)
		if (!memcmp(node->ip[i], ip, 16))
			return true;
	return false;
}

/**
 * table_find() - find the host that a word means
 * @table: what table_fetch() filled in
 * @word: its number, its name or one of its IP addresses
 *
 * Return: the host, or NULL.
 */
const struct prphosts_node *table_find(const struct table *table,
				       const char *word)
{
	struct slice s = { word, strlen(word) };
	uint8_t ip[16];
	long number;
	bool is_ip;
	size_t i;

	if (slice_is_digits(s)) {
		number = slice_number(s, PRPHOSTS_NUMBER_MAX);
		return number > 0 ? table_node(table, number) : NULL;
	}
	is_ip = to_ip(word, ip);
	for (i = 0; i < table->nodes; i++)
		if (!strcmp(table->node[i].name, word) ||
		    (is_ip && has_ip(&table->node[i], ip)))
			return &table->node[i];
	return NULL;
}
