// SPDX-License-Identifier: GPL-2.0
/*
 * A transaction on the kernel's host table.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "kernel/ask.h"

#define BATCH_LEN 16384
#define RETRIES 40 /* while somebody else changes it */
#define RETRY_NS 50000000

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

static void put_link(struct nlmsghdr *nlh, const struct prphosts_link *link)
{
	mnl_attr_put_u16(nlh, PRP_A_LINK_NODE, link->node);
	mnl_attr_put_u16(nlh, PRP_A_LINK_PEER, link->peer);
	if (link->rail != PRPHOSTS_ALL_RAILS)
		mnl_attr_put_u8(nlh, PRP_A_LINK_RAIL, link->rail);
}

/*
 * Requests on their way to the kernel, and what each that was sent since
 * @first is about
 */
struct batch {
	struct nl *nl;
	struct subject *sent;
	size_t count;
	unsigned int first;
	struct nlmsghdr *last;
	size_t len;
	char buffer[BATCH_LEN];
};

static int batch_flush(struct batch *b)
{
	int err;

	if (!b->len)
		return 0;
	b->last->nlmsg_flags |= NLM_F_ACK;
	err = nl_talk(b->nl, b->buffer, b->len, NULL, NULL);
	b->len = 0;
	return err;
}

static int batch_add(struct batch *b, uint8_t command,
		     const struct prphosts_node *node,
		     const struct prphosts_link *link)
{
	b->sent[b->count++] = (struct subject){ node, link };
	b->last = nl_request_genl(b->nl, b->buffer + b->len, command, 0);
	if (command == PRP_CMD_TABLE_ADD)
		put_node(b->last, node);
	else if (command == PRP_CMD_TABLE_DEL)
		mnl_attr_put_u16(b->last, PRP_A_NODE_NUMBER, node->number);
	else if (command == PRP_CMD_LINK_ADD)
		put_link(b->last, link);
	b->len += NLMSG_ALIGN(b->last->nlmsg_len);
	return b->len > BATCH_LEN - NL_REQUEST_LEN ? batch_flush(b) : 0;
}

/*
 * Hosts are removed before others are added: what the ones give up, say a
 * hardware address, the others may take. Links come last, for they need
 * their hosts.
 */
static int batch_fill(struct batch *b, const struct change *change)
{
	size_t i;
	int err = 0;

	for (i = 0; i < change->entries && !err; i++)
		if (change->entry[i].old)
			err = batch_add(b, PRP_CMD_TABLE_DEL,
					change->entry[i].old, NULL);
	for (i = 0; i < change->entries && !err; i++)
		if (change->entry[i].new)
			err = batch_add(b, PRP_CMD_TABLE_ADD,
					change->entry[i].new, NULL);
	if (change->flush_links && !err)
		err = batch_add(b, PRP_CMD_LINK_FLUSH, NULL, NULL);
	for (i = 0; i < change->links && !err; i++)
		err = batch_add(b, PRP_CMD_LINK_ADD, NULL, &change->link[i]);
	return err ? err : batch_flush(b);
}

static int send_change(struct nl *nl, const struct change *change,
		       struct subject *refused)
{
	struct batch batch = { .nl = nl, .first = nl->seq + 1 };
	int err;

	batch.sent = calloc(change->entries * 2 + 1 + change->links,
			    sizeof(*batch.sent));
	if (!batch.sent)
		return -ENOMEM;
	err = batch_fill(&batch, change);
	if (err && nl->refused - batch.first < batch.count)
		*refused = batch.sent[nl->refused - batch.first];
	free(batch.sent);
	return err;
}

static int take_outcome(const struct nlmsghdr *nlh, void *data)
{
	struct outcome *outcome = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case PRP_A_TABLE_GENERATION:
			outcome->generation = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_REMOVED:
			outcome->removed = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_ENDED:
			outcome->ended = mnl_attr_get_u32(attr);
			break;
		case PRP_A_TABLE_LINKS_REMOVED:
			outcome->links_removed = mnl_attr_get_u32(attr);
			break;
		}
	}
	return 0;
}

/**
 * change_commit() - bring a change into force, all of it or nothing
 * @nl: socket; if this fails, a transaction may be left, which ends when it
 *	is closed
 * @generation: of the table that the change begins with
 * @change: what to change
 * @outcome: filled in
 * @refused: set to what the kernel refused, if it was a host or a link
 *
 * Return: 0; -EAGAIN if the table is not @generation any more; -EBUSY if
 * somebody else is changing it; or another negative errno.
 */
int change_commit(struct nl *nl, uint32_t generation,
		  const struct change *change, struct outcome *outcome,
		  struct subject *refused)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	memset(outcome, 0, sizeof(*outcome));
	memset(refused, 0, sizeof(*refused));
	nlh = nl_request_genl(nl, buffer, PRP_CMD_TABLE_BEGIN, NLM_F_ACK);
	mnl_attr_put_u32(nlh, PRP_A_TABLE_GENERATION, generation);
	if (change->empty)
		mnl_attr_put(nlh, PRP_A_TABLE_EMPTY, 0, NULL);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	if (err)
		return err;
	err = send_change(nl, change, refused);
	if (err)
		return err;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_TABLE_COMMIT, NLM_F_ACK);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_outcome, outcome);
}

/**
 * change_again() - may a change that failed succeed when tried again
 * @err: what change_commit() returned
 *
 * Return: whether it may.
 */
bool change_again(int err)
{
	return err == -EAGAIN || err == -EBUSY;
}

/**
 * change_retry() - change the host table while others do so, too
 * @nl: socket
 * @try: looks at the table and changes it
 * @data: for @try
 *
 * Return: exit status.
 */
int change_retry(struct nl *nl, change_try try, void *data)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int tries, err = -EAGAIN;

	for (tries = 0; tries < RETRIES && err < 0; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		err = try(nl, data);
	}
	return err < 0 ? ask_refused(nl, err, "changing the host table") : err;
}
