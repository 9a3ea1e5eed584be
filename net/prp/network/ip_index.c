// SPDX-License-Identifier: GPL-2.0
/*
 * Which node of a host table has an IP address: a hash that is built once,
 * before its table is published, and never changes afterwards.
 */
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "network/table.h"

/**
 * struct prp_ip_slot - one IP address of one node
 * @node: whose it is, NULL in a free slot
 * @which: of the node's addresses
 */
struct prp_ip_slot {
	const struct prp_node *node;
	u8 which;
};

/**
 * struct prp_ip_index - IP addresses of all nodes of a table
 * @seed: of the hash
 * @mask: slots less one; at least half of the slots are free
 * @slot: by hash, a taken one gives way to the next
 */
struct prp_ip_index {
	u32 seed;
	u32 mask;
	struct prp_ip_slot slot[];
};

static u32 ip_hash(const struct prp_ip_index *index, const struct in6_addr *ip)
{
	return jhash(ip, sizeof(*ip), index->seed);
}

static void ip_add(struct prp_ip_index *index, const struct prp_node *node,
		   u8 which)
{
	u32 at = ip_hash(index, &node->ip[which]);

	while (index->slot[at & index->mask].node)
		at++;
	index->slot[at & index->mask].node = node;
	index->slot[at & index->mask].which = which;
}

/**
 * prp_ip_index_build() - let the nodes of a table be found by IP address
 * @table: table that is complete and not published yet
 *
 * Return: 0 or -ENOMEM.
 */
int prp_ip_index_build(struct prp_table *table)
{
	const struct prp_node *node;
	struct prp_ip_index *index;
	u32 slots, count = 0;
	u8 i;

	prp_table_for_each(table, node)
		count += node->ip_count;
	slots = roundup_pow_of_two(2 * count + 1);
	index = kvzalloc(struct_size(index, slot, slots), GFP_KERNEL_ACCOUNT);
	if (!index)
		return -ENOMEM;
	index->seed = get_random_u32();
	index->mask = slots - 1;
	prp_table_for_each(table, node) {
		for (i = 0; i < node->ip_count; i++)
			ip_add(index, node, i);
		cond_resched();
	}
	table->ips = index;
	return 0;
}

/**
 * prp_ip_index_free() - free what prp_ip_index_build() made
 * @table: table that nobody can see; it may have no index
 */
void prp_ip_index_free(struct prp_table *table)
{
	kvfree(table->ips);
	table->ips = NULL;
}

/**
 * prp_ip_index_find() - look a node up by IP address
 * @table: table to look in; the caller is in an RCU read section or holds
 *	the namespace's table_mutex
 * @ip: address, IPv4 as v4-mapped IPv6
 *
 * Return: the node, valid as long as the table is, or NULL.
 */
const struct prp_node *prp_ip_index_find(const struct prp_table *table,
					 const struct in6_addr *ip)
{
	const struct prp_ip_index *index = table->ips;
	const struct prp_ip_slot *slot;
	u32 at;

	if (!index) /* the empty table of a new namespace */
		return NULL;
	for (at = ip_hash(index, ip);; at++) {
		slot = &index->slot[at & index->mask];
		if (!slot->node)
			return NULL;
		if (ipv6_addr_equal(&slot->node->ip[slot->which], ip))
			return slot->node;
	}
}
