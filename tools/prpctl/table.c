// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's host table, spoken to over netlink. What is printed about it
 * is not decided here.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#define FETCH_TRIES	20	/* until a table stands still */
#define BATCH_LEN	16384

/* ---- fetching ---- */

static int take_table(const struct nlmsghdr *nlh, void *data)
{
	struct table *table = data;
	const struct nlattr *attr;

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
		}
	}
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

static int fetch_once(struct nl *nl, struct table *table)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_TABLE_GET, NLM_F_ACK);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_table, table);
	if (err)
		return err;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_NODE_GET, NLM_F_DUMP);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_node, table);
}

/**
 * table_fetch() - get the kernel's host table
 * @nl: socket
 * @table: filled in; table_free() it whatever this returns
 *
 * The hosts are those of one table, which may be newer than its generation
 * here; then table_change() fails with -EAGAIN.
 *
 * Return: 0 or a negative errno; -EINTR if it changes all the time.
 */
int table_fetch(struct nl *nl, struct table *table)
{
	int tries, err;

	for (tries = 0; tries < FETCH_TRIES; tries++) {
		memset(table, 0, sizeof(*table));
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
	memset(table, 0, sizeof(*table));
}

/* ---- comparing ---- */

/**
 * table_diff() - compare the kernel's hosts with those of a file
 * @old: the kernel's
 * @new: the file's
 * @diff: filled in; it points at their hosts
 *
 * Return: 0 or -ENOMEM.
 */
int table_diff(const struct table *old, const struct prphosts *new,
	       struct diff *diff)
{
	size_t i = 0, j = 0;

	memset(diff, 0, sizeof(*diff));
	diff->entry = reallocarray(NULL, old->nodes + new->nodes + 1,
				   sizeof(*diff->entry));
	if (!diff->entry)
		return -ENOMEM;
	while (i < old->nodes || j < new->nodes) {
		const struct prphosts_node *a = NULL, *b = NULL;

		if (i < old->nodes)
			a = &old->node[i];
		if (j < new->nodes)
			b = &new->node[j];
		if (a && b && a->number < b->number)
			b = NULL;
		else if (a && b && a->number > b->number)
			a = NULL;
		i += !!a;
		j += !!b;
		if (a && b && prphosts_same(a, b)) {
			diff->unchanged++;
			continue;
		}
		diff->added += !a;
		diff->removed += !b;
		diff->changed += a && b;
		diff->entry[diff->entries++] = (struct difference){ a, b };
	}
	return 0;
}

/**
 * table_diff_free() - free a comparison
 * @diff: what table_diff() filled in
 */
void table_diff_free(struct diff *diff)
{
	free(diff->entry);
	memset(diff, 0, sizeof(*diff));
}

/* ---- changing ---- */

static void put_node(struct nlmsghdr *nlh, const struct prphosts_node *node)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, node->number);
	mnl_attr_put_strz(nlh, PRP_A_NODE_NAME, node->name);
	for (i = 0; i < PRPHOSTS_RAILS; i++) {
		if (!(node->rails & 1 << i))
			continue;
		nest = mnl_attr_nest_start(nlh, PRP_A_NODE_ADDRESS);
		mnl_attr_put_u8(nlh, PRP_A_ADDRESS_RAIL, i);
		mnl_attr_put(nlh, PRP_A_ADDRESS_MAC, 6, node->addr[i]);
		mnl_attr_nest_end(nlh, nest);
	}
	for (i = 0; i < node->ip_count; i++) {
		if (memcmp(node->ip[i], mapped, sizeof(mapped)))
			mnl_attr_put(nlh, PRP_A_NODE_IP, 16, node->ip[i]);
		else
			mnl_attr_put(nlh, PRP_A_NODE_IP, 4, node->ip[i] + 12);
	}
}

/* Requests on their way to the kernel */
struct batch {
	struct nl	*nl;
	size_t		len;
	char		buffer[BATCH_LEN];
};

static int batch_flush(struct batch *batch, struct nlmsghdr *last)
{
	int err;

	if (!batch->len)
		return 0;
	last->nlmsg_flags |= NLM_F_ACK;
	err = nl_talk(batch->nl, batch->buffer, batch->len, NULL, NULL);
	batch->len = 0;
	return err;
}

/*
 * Hosts are removed before others are added: what the ones give up, say a
 * hardware address, the others may take. @refused tells which one failed.
 */
static int send_diff(struct nl *nl, const struct diff *diff,
		     const struct prphosts_node **refused)
{
	unsigned int first = nl->seq + 1;
	struct batch batch = { .nl = nl };
	const struct prphosts_node *node;
	const struct prphosts_node **sent;
	struct nlmsghdr *nlh = NULL;
	size_t i, count = 0;
	int err = 0;

	sent = calloc(diff->entries * 2 + 1, sizeof(*sent));
	if (!sent)
		return -ENOMEM;
	for (i = 0; i < diff->entries * 2 && !err; i++) {
		bool add = i >= diff->entries;

		node = add ? diff->entry[i - diff->entries].new :
			     diff->entry[i].old;
		if (!node)
			continue;
		sent[count++] = node;
		nlh = nl_request_genl(nl, batch.buffer + batch.len,
				      add ? PRP_CMD_TABLE_ADD :
					    PRP_CMD_TABLE_DEL, 0);
		if (add)
			put_node(nlh, node);
		else
			mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER,
					 node->number);
		batch.len += NLMSG_ALIGN(nlh->nlmsg_len);
		if (batch.len > BATCH_LEN - NL_REQUEST_LEN)
			err = batch_flush(&batch, nlh);
	}
	if (!err)
		err = batch_flush(&batch, nlh);
	if (err && nl->refused - first < count)
		*refused = sent[nl->refused - first];
	free(sent);
	return err;
}

static int take_change(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	uint32_t *ended = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == PRP_A_TABLE_ENDED)
			*ended = mnl_attr_get_u32(attr);
	return 0;
}

/**
 * table_change() - bring a difference into force, all of it or nothing
 * @nl: socket; if this fails, a transaction may be left, which ends when it
 *	is closed
 * @generation: of the table that @diff begins with
 * @diff: what to change
 * @ended: set to the number of connections that ended
 * @refused: set to the host that the kernel refused, if it was one
 *
 * Return: 0; -EAGAIN if the table is not @generation any more; -EBUSY if
 * somebody else is changing it; or another negative errno.
 */
int table_change(struct nl *nl, uint32_t generation, const struct diff *diff,
		 uint32_t *ended, const struct prphosts_node **refused)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	*refused = NULL;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_TABLE_BEGIN, NLM_F_ACK);
	mnl_attr_put_u32(nlh, PRP_A_TABLE_GENERATION, generation);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	if (err)
		return err;
	err = send_diff(nl, diff, refused);
	if (err)
		return err;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_TABLE_COMMIT, NLM_F_ACK);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_change, ended);
}

/* ---- rails ---- */

struct rails {
	struct rail	*rail;
	unsigned int	count;
};

static void take_rail_attr(const struct nlattr *attr, struct rail *rail)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_RAIL_NUMBER:
		rail->number = mnl_attr_get_u8(attr);
		break;
	case PRP_A_RAIL_MAC:
		if (mnl_attr_get_payload_len(attr) == sizeof(rail->mac))
			memcpy(rail->mac, mnl_attr_get_payload(attr),
			       sizeof(rail->mac));
		break;
	case PRP_A_RAIL_IFNAME:
		strncpy(rail->ifname, mnl_attr_get_str(attr),
			sizeof(rail->ifname) - 1);
		break;
	case PRP_A_RAIL_UP:
		rail->up = true;
		break;
	case PRP_A_RAIL_CARRIER:
		rail->carrier = true;
		break;
	}
}

static int take_rail(const struct nlmsghdr *nlh, void *data)
{
	struct rails *rails = data;
	const struct nlattr *attr;
	struct rail *rail;

	if (rails->count == PRPHOSTS_RAILS)
		return 0;
	rail = &rails->rail[rails->count++];
	memset(rail, 0, sizeof(*rail));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_rail_attr(attr, rail);
	return 0;
}

/**
 * table_rails() - get the rails of this machine
 * @nl: socket
 * @rail: filled in
 * @rails: set to how many there are
 *
 * Return: 0 or a negative errno.
 */
int table_rails(struct nl *nl, struct rail rail[PRPHOSTS_RAILS],
		unsigned int *rails)
{
	struct rails found = { .rail = rail };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_RAIL_GET, NLM_F_DUMP);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_rail, &found);
	*rails = found.count;
	return err;
}
