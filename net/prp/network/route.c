// SPDX-License-Identifier: GPL-2.0
/*
 * Routes: built for a table from its links and the administrator's
 * overrides, and who may pass on frames of others to us. The search itself
 * is path.c's, sending is rail.c's, passing on is forward.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "net.h"
#include "network/route.h"
#include "network/table.h"

static u32 route_hash(const u8 *addr, u8 rail)
{
	return jhash(addr, ETH_ALEN, rail);
}

static const u8 *route_addr(const struct prp_table *table, u16 node, u8 rail)
{
	return prp_table_node(table, node)->addr[rail];
}

/* Take a neighbour's frames of others on the rails that lead to it. */
static void route_believe(const struct prp_table *table,
			  struct prp_routes *routes, u16 node)
{
	unsigned long rails = routes->path[node].direct;
	unsigned int rail;

	for_each_set_bit(rail, &rails, PRP_RAILS) {
		u32 at = route_hash(route_addr(table, node, rail), rail);

		while (routes->forwarders[at & routes->mask] &&
		       routes->forwarders[at & routes->mask] != node)
			at++;
		routes->forwarders[at & routes->mask] = node;
	}
}

/**
 * prp_route_may_forward() - may a frame of another node come from there?
 * @table: table with routes; the caller is in an RCU read section
 * @rail: rail that it arrived on
 * @source: hardware address that it came from
 *
 * Return: whether a neighbour that may pass frames on to us has that address
 * on this rail.
 */
bool prp_route_may_forward(const struct prp_table *table, u8 rail,
			   const u8 *source)
{
	const struct prp_routes *routes = table->routes;
	u32 at = route_hash(source, rail);
	u16 node;

	while ((node = routes->forwarders[at++ & routes->mask]))
		if (routes->path[node].direct & BIT(rail) &&
		    ether_addr_equal(route_addr(table, node, rail), source))
			return true;
	return false;
}

/**
 * prp_route_is_direct() - is a node reached without a forwarder?
 * @table: table; the caller is in an RCU read section
 * @node: number of the node
 *
 * Return: true if it is, or is not reached at all.
 */
bool prp_route_is_direct(const struct prp_table *table, u16 node)
{
	u16 next;

	if (!table->routes)
		return true;
	next = prp_route(table->routes, node)->next;
	return !next || next == node;
}

/* Without links all nodes that share a rail with us are neighbours. */
static void route_all_direct(const struct prp_table *table,
			     struct prp_routes *routes)
{
	const struct prp_node *self = prp_table_node(table, table->self);
	const struct prp_node *node;

	prp_table_for_each(table, node) {
		struct prp_path *path = &routes->path[node->number];

		if (node == self)
			continue;
		path->direct = node->rails & self->rails;
		path->rails = path->direct;
		if (!path->direct)
			continue;
		path->next = node->number;
		path->hops = 1;
	}
}

static int route_compute(const struct prp_table *table,
			 struct prp_routes *routes)
{
	struct prp_path_work work;
	int err = -ENOMEM;

	work.first =
		kvcalloc(routes->size + 1, sizeof(*work.first), GFP_KERNEL);
	work.fill = kvcalloc(routes->size, sizeof(*work.fill), GFP_KERNEL);
	work.queue = kvcalloc(routes->size, sizeof(*work.queue), GFP_KERNEL);
	work.adjacent = kvcalloc(table->link_count, 2 * sizeof(*work.adjacent),
				 GFP_KERNEL);
	if (work.first && work.fill && work.queue && work.adjacent) {
		prp_path_compute(table->links, table->link_count, table->self,
				 routes->path, routes->size, &work);
		err = 0;
	}
	kvfree(work.first);
	kvfree(work.fill);
	kvfree(work.queue);
	kvfree(work.adjacent);
	return err;
}

/* An override that makes no sense in this table is not in force. */
static void route_override(const struct prp_table *table,
			   struct prp_routes *routes, struct xarray *overrides)
{
	unsigned long number;
	void *entry;

	xa_for_each(overrides, number, entry) {
		u16 via = xa_to_value(entry);
		struct prp_path *path;

		if (number == table->self || !prp_table_node(table, number) ||
		    via >= routes->size || !routes->path[via].direct)
			continue;
		path = &routes->path[number];
		path->next = via;
		path->rails = routes->path[via].direct;
		path->hops = via == number;
		path->override = true;
		if (via != number)
			routes->path[via].forwards = true;
	}
}

/* Who may forward, by hardware address: half of the slots stay empty. */
static int route_index(const struct prp_table *table, struct prp_routes *routes)
{
	u32 node, count = 0;

	for (node = 1; node < routes->size; node++)
		if (routes->path[node].forwards)
			count += hweight8(routes->path[node].direct);
	routes->mask = roundup_pow_of_two(2 * count + 2) - 1;
	routes->forwarders = kvcalloc(routes->mask + 1,
				      sizeof(*routes->forwarders),
				      GFP_KERNEL_ACCOUNT);
	if (!routes->forwarders)
		return -ENOMEM;
	for (node = 1; node < routes->size; node++)
		if (routes->path[node].forwards)
			route_believe(table, routes, node);
	return 0;
}

static u32 route_size(const struct prp_table *table)
{
	u32 leaf = PRP_LEAF, i = PRP_LEAF;

	while (leaf && !table->leaf[leaf - 1])
		leaf--;
	if (!leaf)
		return 1;
	while (i && !table->leaf[leaf - 1]->node[i - 1])
		i--;
	return (leaf - 1) * PRP_LEAF + i;
}

/**
 * prp_route_build() - give a table its routes
 * @pn: namespace; the caller holds table_mutex
 * @table: table with its self, not published
 * @overrides: next nodes by destination, or NULL for none
 *
 * Return: 0 or -ENOMEM.
 */
int prp_route_build(struct prp_net *pn, struct prp_table *table,
		    struct xarray *overrides)
{
	struct prp_routes *routes;
	unsigned long first = 0;
	int err;
	u32 size;

	lockdep_assert_held(&pn->table_mutex);
	table->routes = NULL;
	if (overrides && !xa_find(overrides, &first, ULONG_MAX, XA_PRESENT))
		overrides = NULL;
	if (!table->self || (!table->link_count && !overrides))
		return 0;
	size = route_size(table);
	routes = kvzalloc(struct_size(routes, path, size), GFP_KERNEL_ACCOUNT);
	if (!routes)
		return -ENOMEM;
	routes->size = size;
	err = 0;
	if (table->link_count)
		err = route_compute(table, routes);
	else
		route_all_direct(table, routes);
	if (err)
		goto err_free;
	if (overrides)
		route_override(table, routes, overrides);
	err = route_index(table, routes);
	if (err)
		goto err_free;
	table->routes = routes;
	return 0;

err_free:
	prp_route_free(routes);
	return err;
}

/**
 * prp_route_free() - free routes that nobody can see
 * @routes: never published, or a grace period after; or NULL
 */
void prp_route_free(struct prp_routes *routes)
{
	if (!routes)
		return;
	kvfree(routes->forwarders);
	kvfree(routes);
}

/* May frames for @node be given to @via? Return: 0 or a negative errno. */
static int route_check(const struct prp_table *table, u16 node, u16 via,
		       struct netlink_ext_ack *extack)
{
	const struct prp_node *self, *next = prp_table_node(table, via);
	u8 direct;

	if (!next || !prp_table_node(table, node)) {
		NL_SET_ERR_MSG(extack, "no node has this number");
		return -ENOENT;
	}
	if (!table->self) {
		NL_SET_ERR_MSG(extack, "this machine is not in the table");
		return -EHOSTUNREACH;
	}
	if (node == table->self || via == table->self) {
		NL_SET_ERR_MSG(extack, "that node is this machine");
		return -EINVAL;
	}
	self = prp_table_node(table, table->self);
	direct = table->routes ? prp_route(table->routes, via)->direct :
				 self->rails & next->rails;
	if (!direct) {
		NL_SET_ERR_MSG(extack, "that node is no neighbour");
		return -EHOSTUNREACH;
	}
	return 0;
}

static struct prp_table *route_table(const struct prp_net *pn)
{
	return rcu_dereference_protected(pn->table,
					 lockdep_is_held(&pn->table_mutex));
}

/**
 * prp_route_set() - send frames for a node through another one
 * @pn: namespace; the caller holds RTNL and table_mutex
 * @node: number of the destination
 * @via: number of a neighbour, or @node itself
 * @extack: told why not
 *
 * Return: 0; -ENOENT without node; -EHOSTUNREACH if @via is no neighbour;
 * -EINVAL for this machine; -ENOMEM.
 */
int prp_route_set(struct prp_net *pn, u16 node, u16 via,
		  struct netlink_ext_ack *extack)
{
	void *old;
	int err;

	err = route_check(route_table(pn), node, via, extack);
	if (err)
		return err;
	old = xa_store(&pn->overrides, node, xa_mk_value(via),
		       GFP_KERNEL_ACCOUNT);
	err = xa_err(old);
	if (err)
		return err;
	err = prp_table_renew(pn, route_table(pn)->self, &pn->overrides);
	if (err && old)
		xa_store(&pn->overrides, node, old, GFP_KERNEL);
	else if (err)
		xa_erase(&pn->overrides, node);
	else
		prp_netlink_notify_route(pn, node);
	return err;
}

/**
 * prp_route_del() - remove an override
 * @pn: namespace; the caller holds RTNL and table_mutex
 * @node: number of the destination
 * @extack: told why not
 *
 * Until the routes are there its place is kept: to put it back needs no memory.
 *
 * Return: 0; -ENOENT if @node has none; -ENOMEM, and then it is there.
 */
int prp_route_del(struct prp_net *pn, u16 node, struct netlink_ext_ack *extack)
{
	void *old = xa_load(&pn->overrides, node);
	int err;

	if (!old) {
		NL_SET_ERR_MSG(extack, "no route was set for that node");
		return -ENOENT;
	}
	xa_store(&pn->overrides, node, XA_ZERO_ENTRY, GFP_KERNEL);
	err = prp_table_renew(pn, route_table(pn)->self, &pn->overrides);
	if (err) {
		xa_store(&pn->overrides, node, old, GFP_KERNEL);
		return err;
	}
	xa_erase(&pn->overrides, node);
	prp_netlink_notify_route(pn, node);
	return 0;
}

/**
 * prp_route_flush() - remove all overrides
 * @pn: namespace; the caller holds RTNL and table_mutex
 *
 * However many there are, the routes are computed once.
 *
 * Return: 0 or -ENOMEM, and then all are there.
 */
int prp_route_flush(struct prp_net *pn)
{
	unsigned long node;
	void *via;
	int err;

	if (xa_empty(&pn->overrides))
		return 0;
	err = prp_table_renew(pn, route_table(pn)->self, NULL);
	if (err)
		return err;
	xa_for_each(&pn->overrides, node, via) {
		xa_erase(&pn->overrides, node);
		prp_netlink_notify_route(pn, node);
		cond_resched();
	}
	return 0;
}

/**
 * prp_route_net_init() - a new namespace has no overrides
 * @pn: namespace
 */
void prp_route_net_init(struct prp_net *pn)
{
	xa_init_flags(&pn->overrides, XA_FLAGS_ACCOUNT);
}

/**
 * prp_route_net_exit() - forget a namespace's overrides
 * @pn: namespace; nobody sees its table any more
 */
void prp_route_net_exit(struct prp_net *pn)
{
	xa_destroy(&pn->overrides);
}
