// SPDX-License-Identifier: GPL-2.0
/*
 * The host table: built, compared, published and freed here. What a node may
 * be is node.c's business, who has a name or an address already is known to
 * index.c, and which devices are this machine's rails to rail.c.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <uapi/linux/prp.h>

#include "net.h"
#include "network/index.h"
#include "network/link.h"
#include "network/node.h"
#include "network/rail.h"
#include "network/route.h"
#include "network/table.h"
#include "network/way.h"
#include "see/peer.h"
#include "transport/changes.h"

/**
 * prp_table_self() - this machine's number
 * @pn: namespace
 *
 * Return: the number, -ENOENT without a host table, or -EADDRNOTAVAIL if no
 *	line of it has an address of ours.
 */
int prp_table_self(struct prp_net *pn)
{
	const struct prp_table *table;
	int self;

	rcu_read_lock();
	table = rcu_dereference(pn->table);
	self = table->self;
	if (!self)
		self = table->count ? -EADDRNOTAVAIL : -ENOENT;
	rcu_read_unlock();
	return self;
}

/**
 * prp_table_alloc() - start an empty table
 * @pn: namespace that it is for
 * @follows: generation that it is meant to replace
 *
 * Return: the table, to be given to prp_table_publish() or
 * prp_table_free(), or NULL without memory.
 */
struct prp_table *prp_table_alloc(struct prp_net *pn, u32 follows)
{
	struct prp_table *table;

	table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->generation = follows;
	table->serial = 1;
	prp_mib_inc(pn, PRP_LIVE_TABLES);
	return table;
}

/* Take ownership of @node. The number is free and valid. */
static int prp_table_link(struct prp_table *table, struct prp_node *node)
{
	struct prp_leaf **leaf = &table->leaf[node->number / PRP_LEAF];

	if (!*leaf)
		*leaf = kzalloc(sizeof(**leaf), GFP_KERNEL_ACCOUNT);
	if (!*leaf)
		return -ENOMEM;
	(*leaf)->node[node->number % PRP_LEAF] = node;
	table->count++;
	return 0;
}

/**
 * prp_table_lines() - hash some of a table's nodes
 * @table: table; the caller is in an RCU read section
 * @low: number of the first one
 * @high: number of the last one, at least @low; set to the one where it
 *	stopped: not behind PRP_LINES_NODES nodes or PRP_LINES_NUMBERS numbers
 *
 * Return: CRC-32 as of @prp_table.hash, of these nodes.
 */
u32 prp_table_lines(const struct prp_table *table, u16 low, u16 *high)
{
	const struct prp_node *node;
	unsigned int count = 0;
	u32 crc = ~0;

	*high = min_t(u32, *high, low + PRP_LINES_NUMBERS - 1);
	for (node = prp_table_next(table, low); node && node->number <= *high;
	     node = prp_table_next(table, node->number + 1)) {
		crc = prp_node_hash(node, crc);
		if (++count == PRP_LINES_NODES)
			*high = node->number;
	}
	return ~crc;
}

/**
 * prp_table_copy() - start a table with the nodes and links of another
 * @pn: namespace that it is for
 * @from: table to copy; the caller keeps it from being freed and may sleep
 *
 * Return: the copy, meant to follow @from, or NULL without memory.
 */
struct prp_table *prp_table_copy(struct prp_net *pn,
				 const struct prp_table *from)
{
	const struct prp_node *node;
	struct prp_table *table;
	struct prp_node *copy;

	table = prp_table_alloc(pn, from->generation);
	if (!table)
		return NULL;
	if (prp_link_copy(table, from))
		goto err_free;
	prp_table_for_each(from, node) {
		copy = kmemdup(node, sizeof(*node), GFP_KERNEL_ACCOUNT);
		if (!copy)
			goto err_free;
		if (prp_table_link(table, copy)) {
			kfree(copy);
			goto err_free;
		}
		cond_resched();
	}
	return table;

err_free:
	prp_table_free(pn, table);
	return NULL;
}

/**
 * prp_table_add() - add a node to a table that is being built
 * @table: table, not published
 * @node: what to add; copied
 * @extack: told why a node is refused
 *
 * Return: 0; -EEXIST if the number, the name or an address is taken;
 * -ERANGE for an impossible number; -EINVAL for an impossible name or
 * address; -E2BIG for too many IP addresses; -ENOMEM.
 */
int prp_table_add(struct prp_table *table, const struct prp_node *node,
		  struct netlink_ext_ack *extack)
{
	struct prp_node *copy;
	int err;

	err = prp_node_check(node, extack);
	if (err)
		return err;
	if (prp_table_node(table, node->number)) {
		NL_SET_ERR_MSG(extack, "another node has this number");
		return -EEXIST;
	}
	err = prp_index_build(table, extack);
	if (err)
		return err;
	copy = prp_node_dup(node);
	if (!copy)
		return -ENOMEM;
	err = prp_index_add(table->index, copy, extack);
	if (err)
		goto err_free;
	err = prp_table_link(table, copy);
	if (err)
		goto err_unindex;
	return 0;

err_unindex:
	prp_index_del(table->index, copy);
err_free:
	kfree(copy);
	return err;
}

/**
 * prp_table_del() - remove a node and its links from a table that is being
 *	built
 * @table: table, not published
 * @number: which node
 * @extack: told why not
 *
 * Return: 0, or -ENOENT if the table has no such node.
 */
int prp_table_del(struct prp_table *table, u16 number,
		  struct netlink_ext_ack *extack)
{
	const struct prp_node *node = prp_table_node(table, number);

	if (!node) {
		NL_SET_ERR_MSG(extack, "no node has this number");
		return -ENOENT;
	}
	if (table->index)
		prp_index_del(table->index, node);
	prp_link_drop_node(table, number);
	table->leaf[number / PRP_LEAF]->node[number % PRP_LEAF] = NULL;
	table->count--;
	kfree(node);
	return 0;
}

/**
 * prp_table_free() - free a table that nobody can see
 * @pn: namespace that it was for
 * @table: never published, or a grace period after it was replaced; or NULL
 */
void prp_table_free(struct prp_net *pn, struct prp_table *table)
{
	unsigned int i, j;

	if (!table)
		return;
	prp_index_free(table);
	prp_link_flush(table);
	prp_route_free(table->routes);
	prp_ip_index_free(table);
	for (i = 0; i < PRP_LEAF; i++) {
		if (!table->leaf[i])
			continue;
		for (j = 0; j < PRP_LEAF; j++)
			kfree(table->leaf[i]->node[j]);
		kfree(table->leaf[i]);
		cond_resched();
	}
	kfree(table);
	prp_mib_dec(pn, PRP_LIVE_TABLES);
}

static u32 prp_table_hash(const struct prp_table *table)
{
	const struct prp_node *node;
	u32 crc = ~0;

	prp_table_for_each(table, node)
		crc = prp_node_hash(node, crc);
	return ~prp_link_hash(table, crc);
}

/* Return: whether the two tables differ. */
static bool prp_table_compare(const struct prp_table *old,
			      const struct prp_table *new,
			      struct prp_table_change *change)
{
	const struct prp_node *node, *other;

	prp_table_for_each(new, node) {
		other = prp_table_node(old, node->number);
		if (!other)
			change->added++;
		else if (memcmp(node, other, sizeof(*node)))
			change->changed++;
	}
	change->removed = old->count + change->added - new->count;
	prp_link_diff(old, new, change);
	return change->added || change->changed || change->removed ||
	       change->links_added || change->links_removed;
}

/* Which node of @new is this machine? A machine whose only device is away
 * for a moment stays the node that it was.
 */
static u16 prp_table_find_self(struct prp_net *pn, const struct prp_table *old,
			       const struct prp_table *new)
{
	const struct prp_node *was, *is;
	u16 self;

	self = prp_rail_find_self(pn, new, old->self);
	if (self || !old->self)
		return self;
	was = prp_table_node(old, old->self);
	is = prp_table_node(new, old->self);
	return is && prp_node_shares_addr(was, is) ? old->self : 0;
}

static int __prp_table_publish(struct prp_net *pn, struct prp_table *old,
			       struct prp_table *new,
			       struct prp_table_change *change)
{
	int err;

	lockdep_assert_held(&pn->table_mutex);

	new->self = prp_table_find_self(pn, old, new);
	err = prp_route_build(pn, new, &pn->overrides);
	if (err)
		return err;
	new->generation = old->generation + 1 ?: 1;
	new->serial = old->serial + 1 ?: 1;
	rcu_assign_pointer(pn->table, new);
	prp_rail_attach(pn);
	change->generation = new->generation;
	change->ended = prp_changes_table(pn, old, new);
	prp_peer_table_changed(pn, old, new);
	prp_way_table_changed(pn, old, new);
	prp_inet_memo_table_changed(pn);
	prp_netlink_notify_table(pn);
	return 0;
}

/**
 * prp_table_publish() - make a table the namespace's
 * @pn: namespace
 * @table: the new table, which this call always consumes
 * @change: filled with what it changed
 * @extack: told why not
 *
 * A table that equals the one in force changes nothing and leaves the
 * generation as it is. Sleeps; takes RTNL, then table_mutex.
 *
 * Return: 0; -EAGAIN if the table in force is not the one that @table was
 * meant to follow; -ENOMEM.
 */
int prp_table_publish(struct prp_net *pn, struct prp_table *table,
		      struct prp_table_change *change,
		      struct netlink_ext_ack *extack)
{
	struct prp_table *old, *unused = table;
	int err;

	memset(change, 0, sizeof(*change));
	prp_index_free(table);
	err = prp_ip_index_build(table);
	if (err) {
		prp_table_free(pn, table);
		return err;
	}
	table->hash = prp_table_hash(table);
	rtnl_lock();
	mutex_lock(&pn->table_mutex);
	old = rcu_dereference_protected(pn->table,
					lockdep_is_held(&pn->table_mutex));
	change->generation = old->generation;
	if (table->generation != old->generation) {
		NL_SET_ERR_MSG(extack, "the host table changed meanwhile");
		err = -EAGAIN;
	} else if (prp_table_compare(old, table, change)) {
		err = __prp_table_publish(pn, old, table, change);
		if (!err)
			unused = old;
	}
	mutex_unlock(&pn->table_mutex);
	rtnl_unlock();
	if (unused == old)
		synchronize_rcu();
	prp_table_free(pn, unused);
	return err;
}

static void prp_table_free_top(struct rcu_head *rcu)
{
	struct prp_table *table = container_of(rcu, struct prp_table, rcu);

	prp_route_free(table->routes);
	kfree(table);
}

/**
 * prp_table_renew() - another node is this machine, or the routes changed
 * @pn: namespace; the caller holds RTNL and table_mutex
 * @self: number of this machine's node, 0 for none
 * @overrides: of the routes, or NULL for none
 *
 * Publishes the same nodes and links again, with the same generation: only
 * the top of the table is copied, and only the old top and its routes are
 * freed.
 *
 * Return: 0 or -ENOMEM.
 */
int prp_table_renew(struct prp_net *pn, u16 self, struct xarray *overrides)
{
	struct prp_table *old, *new;

	ASSERT_RTNL();
	lockdep_assert_held(&pn->table_mutex);

	old = rcu_dereference_protected(pn->table,
					lockdep_is_held(&pn->table_mutex));
	new = kmemdup(old, sizeof(*old), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	new->serial = old->serial + 1 ?: 1;
	new->self = self;
	if (prp_route_build(pn, new, overrides)) {
		kfree(new);
		return -ENOMEM;
	}
	rcu_assign_pointer(pn->table, new);
	prp_changes_table(pn, old, new);
	prp_way_table_changed(pn, old, new);
	if (self != old->self)
		prp_netlink_notify_table(pn);
	call_rcu(&old->rcu, prp_table_free_top);
	return 0;
}

/**
 * prp_table_net_init() - give a new namespace its empty table
 * @pn: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int prp_table_net_init(struct prp_net *pn)
{
	struct prp_table *table;

	mutex_init(&pn->table_mutex);
	prp_route_net_init(pn);
	table = prp_table_alloc(pn, 1);
	if (!table)
		return -ENOMEM;
	RCU_INIT_POINTER(pn->table, table);
	return 0;
}

/**
 * prp_table_net_exit() - free a namespace's table
 * @pn: namespace; it has no sockets, connections, timers or rails any more,
 *	so that nobody reads the table
 */
void prp_table_net_exit(struct prp_net *pn)
{
	prp_table_free(pn, rcu_dereference_protected(pn->table, true));
	RCU_INIT_POINTER(pn->table, NULL);
	prp_route_net_exit(pn);
	mutex_destroy(&pn->table_mutex);
}
