/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host table: which node number is at which hardware address on which
 * rail, and which of them is this machine. A table is built whole and never
 * changes once it is published; a change publishes another one.
 */
#ifndef _PRP_TABLE_H
#define _PRP_TABLE_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/linux/prp.h>

#include "network/node.h"

struct netlink_ext_ack;
struct prp_index;
struct prp_link;
struct prp_ip_index;
struct prp_net;
struct prp_routes;
struct xarray;

#define PRP_LEAF 256
#define PRP_LINES_NODES 64 /* that prp_table_lines() hashes */
#define PRP_LINES_NUMBERS 4096 /* that it looks at */

/**
 * struct prp_leaf - 256 consecutive node numbers
 * @node: nodes by the low byte of their number, NULL where there is none
 *	[const after publish]
 * @budget: by the same, how often each may still be answered, see
 *	prp_limit_may_answer() [cmpxchg]; full again with each table
 */
struct prp_leaf {
	struct prp_node *node[PRP_LEAF];
	unsigned long budget[PRP_LEAF];
};

/**
 * struct prp_table - one generation of the host table [const after publish]
 * @rcu: frees the table after its last reader
 * @index: finds duplicates while the table is built; NULL once published
 * @generation: counts the tables of this namespace, from 1; before publish
 *	the generation that this table is meant to follow
 * @serial: counts the tables that were in force, renewed ones as well
 * @hash: CRC-32 (as Ethernet's) of all nodes in the order of their numbers,
 *	the number in network byte order, and of all links; equal on all nodes
 *	that were given the same file
 * @count: number of nodes
 * @self: this machine's number, 0 if no line has an address of ours
 * @link_count: number of links; 0 if all nodes that share a rail reach each
 *	other
 * @link_room: for how many there is memory
 * @links: links in the order of prp_path_compare()
 * @routes: how to get to each node, or NULL if all are neighbours
 * @ips: finds nodes by IP address, ip_index.c; NULL before it is complete
 * @leaf: nodes by number: leaf[n >> 8]->node[n & 255]
 */
struct prp_table {
	struct rcu_head rcu;
	struct prp_index *index;
	u32 generation;
	u32 serial;
	u32 hash;
	u32 count;
	u16 self;
	u32 link_count;
	u32 link_room;
	struct prp_link *links;
	struct prp_routes *routes;
	struct prp_ip_index *ips;
	struct prp_leaf *leaf[PRP_LEAF];
};

/**
 * struct prp_table_change - what a published table changed
 * @generation: generation now in force
 * @added: nodes that were not there before
 * @changed: nodes that differ in name or any address
 * @removed: nodes that are not there any more
 * @links_added: links that were not there before
 * @links_removed: links that are not there any more
 * @ended: connections that ended because of it
 */
struct prp_table_change {
	u32 generation;
	u32 added;
	u32 changed;
	u32 removed;
	u32 links_added;
	u32 links_removed;
	u32 ended;
};

/**
 * prp_table_node() - look a node up
 * @table: table to look in; the caller is in an RCU read section or holds
 *	the namespace's table_mutex
 * @number: node number
 *
 * Return: the node, valid as long as the table is, or NULL.
 */
static inline const struct prp_node *
prp_table_node(const struct prp_table *table, u16 number)
{
	const struct prp_leaf *leaf = table->leaf[number >> 8];

	return leaf ? leaf->node[number & (PRP_LEAF - 1)] : NULL;
}

/**
 * prp_table_budget() - how often a node may still be answered
 * @table: table in force; the caller is in an RCU read section
 * @number: node number
 *
 * Return: its budget, valid as long as the table is, or NULL without node.
 */
static inline unsigned long *prp_table_budget(const struct prp_table *table,
					      u16 number)
{
	if (!prp_table_node(table, number))
		return NULL;
	return &table->leaf[number >> 8]->budget[number & (PRP_LEAF - 1)];
}

int prp_table_self(struct prp_net *pn);

/* All nodes of a table in the order of their numbers */
#define prp_table_for_each(table, node) \
	for ((node) = prp_table_next(table, 1); (node); \
	     (node) = prp_table_next(table, (node)->number + 1))

const struct prp_node *prp_ip_index_find(const struct prp_table *table,
					 const struct in6_addr *ip);
int prp_ip_index_build(struct prp_table *table);
void prp_ip_index_free(struct prp_table *table);
struct prp_table *prp_table_alloc(struct prp_net *pn, u32 follows);
struct prp_table *prp_table_copy(struct prp_net *pn,
				 const struct prp_table *from);
int prp_table_add(struct prp_table *table, const struct prp_node *node,
		  struct netlink_ext_ack *extack);
int prp_table_del(struct prp_table *table, u16 number,
		  struct netlink_ext_ack *extack);
u32 prp_table_lines(const struct prp_table *table, u16 low, u16 *high);
void prp_table_free(struct prp_net *pn, struct prp_table *table);
int prp_table_publish(struct prp_net *pn, struct prp_table *table,
		      struct prp_table_change *change,
		      struct netlink_ext_ack *extack);
int prp_table_renew(struct prp_net *pn, u16 self, struct xarray *overrides);
int prp_table_net_init(struct prp_net *pn);
void prp_table_net_exit(struct prp_net *pn);

/**
 * prp_table_next() - walk a table in the order of node numbers
 * @table: table; the caller is in an RCU read section, holds table_mutex or
 *	is building the table
 * @from: smallest number wanted; may be beyond the largest possible
 *
 * Return: the node with the smallest number not below @from, or NULL.
 */
static inline const struct prp_node *
prp_table_next(const struct prp_table *table, u32 from)
{
	const struct prp_leaf *leaf;

	while (from <= PRP_NODE_MAX) {
		leaf = table->leaf[from / PRP_LEAF];
		if (!leaf) {
			from = (from | (PRP_LEAF - 1)) + 1;
			continue;
		}
		if (leaf->node[from % PRP_LEAF])
			return leaf->node[from % PRP_LEAF];
		from++;
	}
	return NULL;
}

/**
 * prp_table_same_machine() - does a number mean the same in both tables?
 * @old: table
 * @now: another one
 * @number: node number
 *
 * Return: true if the nodes share a hardware address on a rail.
 */
static inline bool prp_table_same_machine(const struct prp_table *old,
					  const struct prp_table *now,
					  u16 number)
{
	const struct prp_node *a = prp_table_node(old, number);
	const struct prp_node *b = prp_table_node(now, number);

	return a && b && prp_node_shares_rail(a, b);
}

#endif /* _PRP_TABLE_H */
