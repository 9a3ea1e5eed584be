// SPDX-License-Identifier: GPL-2.0
/*
 * Where a frame goes next, and from where one may come: what the host table,
 * the routes, the rails and the ways that were left say together.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/sch_generic.h>

#include "net.h"
#include "network/hop.h"
#include "network/route.h"
#include "network/way.h"

/* Lowest of these rails that works, or the one that lacks least. */
static struct net_device *hop_lowest(const struct prp_net *pn,
				     unsigned long rails, u8 *number)
{
	struct net_device *dev, *best = NULL;
	unsigned int r;

	for (; rails; rails &= rails - 1) {
		r = __ffs(rails);
		dev = rcu_dereference_check(pn->rail[r].dev,
					    rcu_read_lock_bh_held());
		if (!dev)
			continue;
		if (likely(prp_rail_works(dev))) {
			*number = r;
			return dev;
		}
		if (!best || (!netif_running(best) && netif_running(dev))) {
			*number = r;
			best = dev;
		}
	}
	return best;
}

/* The same, where some rails were left, or one is to be taken if it can be:
 * one that works comes before one that was left, and that before one that does
 * not.
 */
static struct net_device *hop_choose(const struct prp_net *pn, u8 rails,
				     u8 left, u8 like, u8 *number)
{
	u8 good = rails & ~left;
	struct net_device *dev;

	if (like != PRP_RAIL_ANY && rails && prp_hop_like(rails, like) & good) {
		dev = hop_lowest(pn, prp_hop_like(rails, like), number);
		if (dev && prp_rail_works(dev))
			return dev;
	}
	dev = hop_lowest(pn, good, number);
	if (dev && prp_rail_works(dev))
		return dev;
	dev = hop_lowest(pn, rails & left, number);
	if (dev && prp_rail_works(dev))
		return dev;
	return hop_lowest(pn, rails, number);
}

/* The next node on the way to one of the table, or NULL if there is no way. */
static const struct prp_node *hop_next(const struct prp_table *table,
				       const struct prp_node *node)
{
	u16 next;

	if (likely(!table->routes))
		return node;
	next = prp_route(table->routes, node->number)->next;
	return next ? prp_table_node(table, next) : NULL;
}

/* The rails that lead to a neighbour. */
static u8 hop_direct(const struct prp_table *table, const struct prp_node *node)
{
	if (likely(!table->routes))
		return node->rails;
	return prp_route(table->routes, node->number)->direct;
}

/* prp_hop_rcu(), by what any of the table, the rails and their state say
 */
static noinline int hop_any(const struct prp_net *pn,
			    const struct prp_table *table, u16 node, u8 like,
			    struct prp_hop *hop)
{
	const struct prp_node *next = prp_table_node(table, node);
	u8 left = prp_way_left_rcu(pn, node);
	u8 rails;

	if (node == table->self) {
		hop->dev = pn->net->loopback_dev;
		hop->mib = pn->rail[PRP_RAILS].mib;
		hop->src = pn->rail[PRP_RAILS].addr;
		hop->rail = 0;
		eth_zero_addr(hop->dst);
		return netif_running(hop->dev) ? 0 : -ENETDOWN;
	}
	if (next)
		next = hop_next(table, next);
	if (!next)
		return -EHOSTUNREACH;
	rails = hop_direct(table, next);
	hop->dev = hop_choose(pn, rails, left, like, &hop->rail);
	if (!hop->dev)
		return -ENETUNREACH;
	hop->mib = pn->rail[hop->rail].mib;
	hop->src = pn->rail[hop->rail].addr;
	ether_addr_copy(hop->dst, next->addr[hop->rail]);
	return netif_running(hop->dev) ? 0 : -ENETDOWN;
}

/**
 * prp_hop_rcu() - where does a frame to a node go
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the destination
 * @like: rail that is taken before others, or what prp_hop_like() says of
 *	it; PRP_RAIL_ANY for none
 * @hop: filled in
 *
 * The lowest rail that leads to the next node is taken; one that is up
 * before one that is not, one with a link before one without, and one that
 * was not left (way.h) before one that was. A device that is up without a
 * link is given out: what is sent on it is lost like on a broken wire.
 *
 * Return: 0; -EHOSTUNREACH if the table has no such node or no way to it;
 * -ENETUNREACH if no rail of ours leads there; -ENETDOWN if the device is
 * down.
 */
int prp_hop_rcu(const struct prp_net *pn, u16 node, u8 like,
		struct prp_hop *hop)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *next = prp_table_node(table, node);
	struct net_device *dev;
	u8 rail;

	/* mostly the lowest rail works, and nothing speaks for another one */
	if (unlikely(!next || !next->rails || node == table->self ||
		     table->routes || !xa_empty(&pn->ways)))
		goto any;
	rail = __ffs(next->rails);
	dev = rcu_dereference_check(pn->rail[rail].dev,
				    rcu_read_lock_bh_held());
	if (unlikely(!dev || !prp_rail_works(dev) ||
		     (like != rail && like != PRP_RAIL_ANY)))
		goto any;
	hop->dev = dev;
	hop->mib = pn->rail[rail].mib;
	hop->src = pn->rail[rail].addr;
	hop->rail = rail;
	ether_addr_copy(hop->dst, next->addr[rail]);
	return 0;
any:
	return hop_any(pn, table, node, like, hop);
}

/**
 * prp_hop_on_rcu() - where does a frame to a node go on one rail
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the destination
 * @rail: number of the rail, or what prp_hop_like() says of it
 * @hop: filled in
 *
 * Return: 0; -EHOSTUNREACH or -ENETUNREACH if it does not lead there;
 * -ENETDOWN if its device is down or has no link.
 */
int prp_hop_on_rcu(const struct prp_net *pn, u16 node, u8 rail,
		   struct prp_hop *hop)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *next = prp_table_node(table, node);
	u8 rails;

	if (node == table->self)
		return prp_hop_rcu(pn, node, PRP_RAIL_ANY, hop);
	if (next)
		next = hop_next(table, next);
	if (!next)
		return -EHOSTUNREACH;
	rails = hop_direct(table, next);
	if (!rails)
		return -ENETUNREACH;
	rail = __ffs(prp_hop_like(rails, rail));
	hop->dev = rcu_dereference_check(pn->rail[rail].dev,
					 rcu_read_lock_bh_held());
	if (!hop->dev)
		return -ENETUNREACH;
	hop->mib = pn->rail[rail].mib;
	hop->src = pn->rail[rail].addr;
	hop->rail = rail;
	ether_addr_copy(hop->dst, next->addr[rail]);
	return prp_rail_works(hop->dev) ? 0 : -ENETDOWN;
}

/**
 * prp_hop_has_queue_rcu() - is there a queue in front of a rail's device
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @rail: number of the rail
 *
 * Return: what the kernel asks before it queues a frame, of the first one of
 * several queues; true as well of a device above others, which may have one.
 */
bool prp_hop_has_queue_rcu(const struct prp_net *pn, u8 rail)
{
	const struct netdev_queue *txq;
	const struct net_device *dev;

	dev = rcu_dereference_check(pn->rail[rail].dev,
				    rcu_read_lock_bh_held());
	if (!dev)
		return false;
	if (dev->lower_level > 1)
		return true;
	txq = netdev_get_tx_queue(dev, 0);
	return rcu_dereference_check(txq->qdisc, rcu_read_lock_bh_held())
		->enqueue;
}

/**
 * prp_hop_rails_rcu() - which rails does a neighbour have
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 *
 * What comes through forwarders comes on rails that they choose.
 *
 * Return: bit r: the table gives it rail r; 0 if it is not reached directly.
 */
u8 prp_hop_rails_rcu(const struct prp_net *pn, u16 node)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *there = prp_table_node(table, node);

	return there && prp_route_is_direct(table, node) ? there->rails : 0;
}

/**
 * prp_hop_ways_rcu() - which rails lead to a node
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 * @up: set to those whose device is up and has a link
 *
 * Return: bit r: the table gives rail r to us and to the next node on the
 * way; 0 to this machine itself.
 */
u8 prp_hop_ways_rcu(const struct prp_net *pn, u16 node, u8 *up)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *self = prp_table_node(table, table->self);
	const struct prp_node *next = prp_table_node(table, node);
	struct net_device *dev;
	unsigned long rails;
	unsigned int r;

	*up = 0;
	if (next)
		next = hop_next(table, next);
	if (!next || !self || node == table->self)
		return 0;
	rails = hop_direct(table, next) & self->rails;
	for_each_set_bit(r, &rails, PRP_RAILS) {
		dev = rcu_dereference_check(pn->rail[r].dev,
					    rcu_read_lock_bh_held());
		if (dev && prp_rail_works(dev))
			*up |= BIT(r);
	}
	return rails;
}

/**
 * prp_hop_source_far() - the rest of prp_hop_source_ok_rcu()
 * @rail: rail that the frame arrived on; the caller is in an RCU read section
 * @table: host table
 * @node: number that it gives as its source, not at @source on this rail
 * @source: hardware address that it came from
 *
 * Return: whether it is to be believed.
 */
bool prp_hop_source_far(const struct prp_rail *rail,
			const struct prp_table *table, u16 node,
			const u8 *source)
{
	if (rail->number == PRP_RAILS)
		return node && node == table->self;
	return node != table->self && prp_table_node(table, node) &&
	       table->routes &&
	       prp_route_may_forward(table, rail->number, source);
}

/**
 * prp_hop_mtu_rcu() - largest frame that our rails to a node carry
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 *
 * Return: smallest MTU of the rails that lead to the next node on the way,
 * bytes, at most 65535; 0 if there is none.
 */
u16 prp_hop_mtu_rcu(const struct prp_net *pn, u16 node)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *next = prp_table_node(table, node);
	struct net_device *dev;
	unsigned long rails;
	u32 mtu = U32_MAX;

	if (!next)
		return 0;
	if (node == table->self)
		return min_t(u32, READ_ONCE(pn->net->loopback_dev->mtu),
			     U16_MAX);
	next = hop_next(table, next);
	if (!next)
		return 0;
	for (rails = hop_direct(table, next); rails; rails &= rails - 1) {
		dev = rcu_dereference_check(pn->rail[__ffs(rails)].dev,
					    rcu_read_lock_bh_held());
		if (dev)
			mtu = min_t(u32, mtu, READ_ONCE(dev->mtu));
	}
	return mtu == U32_MAX ? 0 : min_t(u32, mtu, U16_MAX);
}
