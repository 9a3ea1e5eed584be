// SPDX-License-Identifier: GPL-2.0
/*
 * The index of claims: names and addresses of all nodes of a table that is
 * being built, to find the one that two nodes want. What a table is, is
 * table.c's business, and which names and addresses are possible at all,
 * node.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/bitops.h>
#include <linux/if_ether.h>
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/prp.h>

#include "network/index.h"
#include "network/table.h"

#define PRP_INDEX_BITS 12
#define PRP_INDEX_BUCKETS BIT(PRP_INDEX_BITS)

/* What a node has for itself alone */
enum prp_claim_kind {
	PRP_CLAIM_NAME, /* always the first claim of a node */
	PRP_CLAIM_ADDR,
	PRP_CLAIM_IP,
};

/**
 * struct prp_claim - one name, hardware address or IP address of one node
 * @link: in struct prp_index
 * @node: whose it is
 * @kind: enum prp_claim_kind
 * @slot: which of the node's @addr or @ip
 */
struct prp_claim {
	struct hlist_node link;
	const struct prp_node *node;
	u8 kind;
	u8 slot;
};

/**
 * struct prp_index - claims of all nodes of a table that is being built
 * @seed: of the hash
 * @bucket: claims by hash of what is claimed
 *
 * The claims of a node are one allocation that begins with its name's.
 */
struct prp_index {
	u32 seed;
	struct hlist_head bucket[PRP_INDEX_BUCKETS];
};

static const void *prp_claim_key(const struct prp_claim *claim, u32 *len)
{
	const struct prp_node *node = claim->node;

	switch (claim->kind) {
	case PRP_CLAIM_ADDR:
		*len = ETH_ALEN;
		return node->addr[claim->slot];
	case PRP_CLAIM_IP:
		*len = sizeof(node->ip[0]);
		return &node->ip[claim->slot];
	default:
		*len = strlen(node->name);
		return node->name;
	}
}

static struct hlist_head *prp_index_bucket(struct prp_index *index,
					   const struct prp_claim *claim)
{
	const void *key;
	u32 hash, len;

	key = prp_claim_key(claim, &len);
	hash = jhash(key, len, index->seed + claim->kind);
	return &index->bucket[hash & (PRP_INDEX_BUCKETS - 1)];
}

static struct prp_claim *prp_index_find(struct prp_index *index,
					const struct prp_claim *claim)
{
	struct prp_claim *other;
	const void *key, *mine;
	u32 len, mine_len;

	mine = prp_claim_key(claim, &mine_len);
	hlist_for_each_entry(other, prp_index_bucket(index, claim), link) {
		if (other->kind != claim->kind)
			continue;
		key = prp_claim_key(other, &len);
		if (len == mine_len && !memcmp(key, mine, len))
			return other;
	}
	return NULL;
}

static unsigned int prp_claim_count(const struct prp_node *node)
{
	return 1 + hweight8(node->rails) + node->ip_count;
}

/* Lay out the claims of a node in the order that their texts are checked. */
static struct prp_claim *prp_claim_alloc(const struct prp_node *node)
{
	struct prp_claim *claims, *claim;
	unsigned int i;

	claims = kcalloc(prp_claim_count(node), sizeof(*claims),
			 GFP_KERNEL_ACCOUNT);
	if (!claims)
		return NULL;
	claim = claims;
	claim->node = node;
	claim->kind = PRP_CLAIM_NAME;
	claim++;
	for (i = 0; i < PRP_RAILS; i++) {
		if (!(node->rails & BIT(i)))
			continue;
		claim->node = node;
		claim->kind = PRP_CLAIM_ADDR;
		claim->slot = i;
		claim++;
	}
	for (i = 0; i < node->ip_count; i++, claim++) {
		claim->node = node;
		claim->kind = PRP_CLAIM_IP;
		claim->slot = i;
	}
	return claims;
}

static void prp_claim_refuse(const struct prp_claim *claim,
			     const struct prp_claim *other,
			     struct netlink_ext_ack *extack)
{
	bool twice = claim->node == other->node;

	if (claim->kind == PRP_CLAIM_NAME)
		NL_SET_ERR_MSG(extack, "another node has this name");
	else if (claim->kind == PRP_CLAIM_ADDR && twice)
		NL_SET_ERR_MSG(extack, "two rails have one hardware address");
	else if (claim->kind == PRP_CLAIM_ADDR)
		NL_SET_ERR_MSG(extack,
			       "another node has this hardware address");
	else if (twice)
		NL_SET_ERR_MSG(extack, "IP address given twice");
	else
		NL_SET_ERR_MSG(extack, "another node has this IP address");
}

/**
 * prp_index_add() - claim all that a node has for itself alone
 * @index: of the table that is being built
 * @node: checked; stays where it is until prp_index_del() or
 *	prp_index_free()
 * @extack: told which claim is refused
 *
 * Return: 0; -EEXIST if another node, or this one, has claimed the same
 * already, and then nothing is claimed; -ENOMEM.
 */
int prp_index_add(struct prp_index *index, const struct prp_node *node,
		  struct netlink_ext_ack *extack)
{
	struct prp_claim *claims, *other;
	unsigned int i;

	claims = prp_claim_alloc(node);
	if (!claims)
		return -ENOMEM;
	for (i = 0; i < prp_claim_count(node); i++) {
		other = prp_index_find(index, &claims[i]);
		if (other)
			goto err_unlink;
		hlist_add_head(&claims[i].link,
			       prp_index_bucket(index, &claims[i]));
	}
	return 0;

err_unlink:
	prp_claim_refuse(&claims[i], other, extack);
	while (i--)
		hlist_del(&claims[i].link);
	kfree(claims);
	return -EEXIST;
}

/**
 * prp_index_del() - give up the claims of a node
 * @index: of the table that is being built
 * @node: given to prp_index_add() before, and not changed since
 */
void prp_index_del(struct prp_index *index, const struct prp_node *node)
{
	struct prp_claim name = { .node = node, .kind = PRP_CLAIM_NAME };
	struct prp_claim *claims;
	unsigned int i;

	claims = prp_index_find(index, &name);
	if (WARN_ON_ONCE(!claims || claims->node != node))
		return;
	for (i = 0; i < prp_claim_count(node); i++)
		hlist_del(&claims[i].link);
	kfree(claims);
}

/* Free an index that has the nodes of @table up to and without @end. */
static void prp_index_drop(struct prp_index *index,
			   const struct prp_table *table,
			   const struct prp_node *end)
{
	const struct prp_node *node;

	prp_table_for_each(table, node) {
		if (node == end)
			break;
		prp_index_del(index, node);
	}
	kvfree(index);
}

/**
 * prp_index_free() - free the index of a table, if it has one
 * @table: table, not published
 *
 * The index goes before the nodes do: claims point at them.
 */
void prp_index_free(struct prp_table *table)
{
	if (table->index)
		prp_index_drop(table->index, table, NULL);
	table->index = NULL;
}

/**
 * prp_index_build() - give a table its index, if it has none
 * @table: table, not published
 * @extack: told what prp_index_add() refuses
 *
 * A table that starts as a copy pays for its index when it first grows.
 *
 * Return: 0 or what prp_index_add() returns.
 */
int prp_index_build(struct prp_table *table, struct netlink_ext_ack *extack)
{
	const struct prp_node *node;
	struct prp_index *index;
	int err;

	if (table->index)
		return 0;
	index = kvzalloc(sizeof(*index), GFP_KERNEL_ACCOUNT);
	if (!index)
		return -ENOMEM;
	index->seed = get_random_u32();
	prp_table_for_each(table, node) {
		err = prp_index_add(index, node, extack);
		if (err) {
			prp_index_drop(index, table, node);
			return err;
		}
		cond_resched();
	}
	table->index = index;
	return 0;
}
