// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: finds the Ethernet devices that have this node's addresses, hooks
 * the receiver to them, follows what happens to them, and tells where a
 * frame goes and from where one may come. Which node we are is table.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <net/rtnetlink.h>
#include <net/sch_generic.h>

#include "net.h"
#include "network/rail.h"
#include "network/route.h"
#include "network/table.h"
#include "network/way.h"
#include "transport/changes.h"
#include "transport/receive.h"

static struct prp_table *prp_rail_table(const struct prp_net *pn)
{
	return rcu_dereference_protected(pn->table,
					 lockdep_is_held(&pn->table_mutex));
}

static __always_inline bool prp_rail_works(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

/* Lowest of these rails that works, or the one that lacks least. */
static struct net_device *prp_rail_lowest(const struct prp_net *pn,
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
static struct net_device *prp_rail_choose(const struct prp_net *pn, u8 rails,
					  u8 left, u8 like, u8 *number)
{
	u8 good = rails & ~left;
	struct net_device *dev;

	if (like != PRP_RAIL_ANY && rails &&
	    prp_rail_like(rails, like) & good) {
		dev = prp_rail_lowest(pn, prp_rail_like(rails, like), number);
		if (dev && prp_rail_works(dev))
			return dev;
	}
	dev = prp_rail_lowest(pn, good, number);
	if (dev && prp_rail_works(dev))
		return dev;
	dev = prp_rail_lowest(pn, rails & left, number);
	if (dev && prp_rail_works(dev))
		return dev;
	return prp_rail_lowest(pn, rails, number);
}

/* The next node on the way to one of the table, or NULL if there is no way. */
static const struct prp_node *prp_rail_next(const struct prp_table *table,
					    const struct prp_node *node)
{
	u16 next;

	if (likely(!table->routes))
		return node;
	next = prp_route(table->routes, node->number)->next;
	return next ? prp_table_node(table, next) : NULL;
}

/* The rails that lead to a neighbour. */
static u8 prp_rail_direct(const struct prp_table *table,
			  const struct prp_node *node)
{
	if (likely(!table->routes))
		return node->rails;
	return prp_route(table->routes, node->number)->direct;
}

/* prp_rail_hop_rcu(), by what any of the table, the rails and their state say
 */
static noinline int prp_rail_hop_any(const struct prp_net *pn,
				     const struct prp_table *table, u16 node,
				     u8 like, struct prp_hop *hop)
{
	const struct prp_node *next = prp_table_node(table, node);
	u8 left = prp_way_left_rcu(pn, node);
	u8 rails;

	if (node == table->self) {
		hop->dev = pn->net->loopback_dev;
		hop->rail = 0;
		eth_zero_addr(hop->dst);
		return netif_running(hop->dev) ? 0 : -ENETDOWN;
	}
	if (next)
		next = prp_rail_next(table, next);
	if (!next)
		return -EHOSTUNREACH;
	rails = prp_rail_direct(table, next);
	hop->dev = prp_rail_choose(pn, rails, left, like, &hop->rail);
	if (!hop->dev)
		return -ENETUNREACH;
	ether_addr_copy(hop->dst, next->addr[hop->rail]);
	return netif_running(hop->dev) ? 0 : -ENETDOWN;
}

/**
 * prp_rail_hop_rcu() - where does a frame to a node go
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the destination
 * @like: rail that is taken before others, or what prp_rail_like() says of
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
int prp_rail_hop_rcu(const struct prp_net *pn, u16 node, u8 like,
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
	hop->rail = rail;
	ether_addr_copy(hop->dst, next->addr[rail]);
	return 0;
any:
	return prp_rail_hop_any(pn, table, node, like, hop);
}

/**
 * prp_rail_hop_on_rcu() - where does a frame to a node go on one rail
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the destination
 * @rail: number of the rail, or what prp_rail_like() says of it
 * @hop: filled in
 *
 * Return: 0; -EHOSTUNREACH or -ENETUNREACH if it does not lead there;
 * -ENETDOWN if its device is down or has no link.
 */
int prp_rail_hop_on_rcu(const struct prp_net *pn, u16 node, u8 rail,
			struct prp_hop *hop)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *next = prp_table_node(table, node);
	u8 rails;

	if (node == table->self)
		return prp_rail_hop_rcu(pn, node, PRP_RAIL_ANY, hop);
	if (next)
		next = prp_rail_next(table, next);
	if (!next)
		return -EHOSTUNREACH;
	rails = prp_rail_direct(table, next);
	if (!rails)
		return -ENETUNREACH;
	rail = __ffs(prp_rail_like(rails, rail));
	hop->dev = rcu_dereference_check(pn->rail[rail].dev,
					 rcu_read_lock_bh_held());
	if (!hop->dev)
		return -ENETUNREACH;
	hop->rail = rail;
	ether_addr_copy(hop->dst, next->addr[rail]);
	return prp_rail_works(hop->dev) ? 0 : -ENETDOWN;
}

/**
 * prp_rail_has_queue_rcu() - is there a queue in front of a rail's device
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @rail: number of the rail
 *
 * Return: what the kernel asks before it queues a frame, of the first one of
 * several queues; true as well of a device above others, which may have one.
 */
bool prp_rail_has_queue_rcu(const struct prp_net *pn, u8 rail)
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
 * prp_rail_has_rcu() - which rails does a neighbour have
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 *
 * What comes through forwarders comes on rails that they choose.
 *
 * Return: bit r: the table gives it rail r; 0 if it is not reached directly.
 */
u8 prp_rail_has_rcu(const struct prp_net *pn, u16 node)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	const struct prp_node *there = prp_table_node(table, node);

	return there && prp_route_is_direct(table, node) ? there->rails : 0;
}

/**
 * prp_rail_ways_rcu() - which rails lead to a node
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 * @up: set to those whose device is up and has a link
 *
 * Return: bit r: the table gives rail r to us and to the next node on the
 * way; 0 to this machine itself.
 */
u8 prp_rail_ways_rcu(const struct prp_net *pn, u16 node, u8 *up)
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
		next = prp_rail_next(table, next);
	if (!next || !self || node == table->self)
		return 0;
	rails = prp_rail_direct(table, next) & self->rails;
	for_each_set_bit(r, &rails, PRP_RAILS) {
		dev = rcu_dereference_check(pn->rail[r].dev,
					    rcu_read_lock_bh_held());
		if (dev && prp_rail_works(dev))
			*up |= BIT(r);
	}
	return rails;
}

/**
 * prp_rail_source_far() - the rest of prp_rail_source_ok_rcu()
 * @rail: rail that the frame arrived on; the caller is in an RCU read section
 * @table: host table
 * @node: number that it gives as its source, not at @source on this rail
 * @source: hardware address that it came from
 *
 * Return: whether it is to be believed.
 */
bool prp_rail_source_far(const struct prp_rail *rail,
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
 * prp_rail_mtu_rcu() - largest frame that our rails to a node carry
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 *
 * Return: smallest MTU of the rails that lead to the next node on the way,
 * bytes, at most 65535; 0 if there is none.
 */
u16 prp_rail_mtu_rcu(const struct prp_net *pn, u16 node)
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
	next = prp_rail_next(table, next);
	if (!next)
		return 0;
	for (rails = prp_rail_direct(table, next); rails; rails &= rails - 1) {
		dev = rcu_dereference_check(pn->rail[__ffs(rails)].dev,
					    rcu_read_lock_bh_held());
		if (dev)
			mtu = min_t(u32, mtu, READ_ONCE(dev->mtu));
	}
	return mtu == U32_MAX ? 0 : min_t(u32, mtu, U16_MAX);
}

/* ipvlan devices have their parent's address, but pass on IP only: what is
 * not IP stays with the parent.
 */
static bool prp_rail_can_carry(const struct net_device *dev)
{
	return dev->type == ARPHRD_ETHER && dev->addr_len == ETH_ALEN &&
	       dev->reg_state == NETREG_REGISTERED &&
	       !(dev->rtnl_link_ops &&
		 (!strcmp(dev->rtnl_link_ops->kind, "ipvlan") ||
		  !strcmp(dev->rtnl_link_ops->kind, "ipvtap")));
}

static bool prp_rail_has_addr(const struct net_device *dev, const u8 *addr)
{
	return prp_rail_can_carry(dev) &&
	       !memcmp(dev->dev_addr, addr, ETH_ALEN);
}

/* What prp_rail_is_above() looks for */
struct prp_rail_above {
	const struct net *net;
	const u8 *addr;
	const struct net_device *leaving;
};

static int prp_rail_is_above(struct net_device *upper,
			     struct netdev_nested_priv *priv)
{
	const struct prp_rail_above *above = priv->data;

	return upper != above->leaving && net_eq(dev_net(upper), above->net) &&
	       prp_rail_has_addr(upper, above->addr);
}

/* The topmost device with an address: frames for a bridge's port, a bond's
 * slave or a VLAN's parent with the same address are the upper one's. Among
 * unrelated ones the oldest wins, so that the choice is the same each time.
 */
static struct net_device *prp_rail_find(const struct prp_net *pn,
					const u8 *addr,
					const struct net_device *leaving)
{
	struct prp_rail_above above = {
		.net = pn->net,
		.addr = addr,
		.leaving = leaving,
	};
	struct netdev_nested_priv priv = { .data = &above };
	struct net_device *dev, *best = NULL;

	ASSERT_RTNL();

	rcu_read_lock();
	for_each_netdev_rcu(pn->net, dev) {
		if (dev == leaving || !prp_rail_has_addr(dev, addr) ||
		    (best && best->ifindex < dev->ifindex))
			continue;
		if (!netdev_walk_all_upper_dev_rcu(dev, prp_rail_is_above,
						   &priv))
			best = dev;
	}
	rcu_read_unlock();
	return best;
}

static bool prp_rail_is_node(const struct prp_net *pn,
			     const struct prp_node *node,
			     const struct net_device *leaving)
{
	unsigned int r;

	for (r = 0; r < PRP_RAILS; r++)
		if (node->rails & BIT(r) &&
		    prp_rail_find(pn, node->addr[r], leaving))
			return true;
	return false;
}

static u16 __prp_rail_find_self(const struct prp_net *pn,
				const struct prp_table *table, u16 prefer,
				const struct net_device *leaving)
{
	const struct prp_node *node;

	ASSERT_RTNL();
	node = prp_table_node(table, prefer);
	if (node && prp_rail_is_node(pn, node, leaving))
		return prefer;
	prp_table_for_each(table, node)
		if (prp_rail_is_node(pn, node, leaving))
			return node->number;
	return 0;
}

/**
 * prp_rail_find_self() - which node of a table has our hardware addresses
 * @pn: namespace; the caller holds RTNL
 * @table: table, published or about to be
 * @prefer: the answer if it is among several possible ones
 *
 * A machine may have devices with other nodes' addresses, say as the host
 * of their virtual machines; then it stays what it was, or becomes the one
 * with the lowest number.
 *
 * Return: number of the node, 0 if there is none.
 */
u16 prp_rail_find_self(struct prp_net *pn, const struct prp_table *table,
		       u16 prefer)
{
	return __prp_rail_find_self(pn, table, prefer, NULL);
}

/* Nothing is received on these rails any more when this returns. */
static void prp_rail_detach(struct prp_net *pn, unsigned long rails)
{
	struct net_device *dev[PRP_RAILS + 1];
	struct prp_rail *rail;
	unsigned int r;

	ASSERT_RTNL();

	if (!rails)
		return;
	for_each_set_bit(r, &rails, PRP_RAILS + 1) {
		rail = &pn->rail[r];
		dev[r] = rtnl_dereference(rail->dev);
		RCU_INIT_POINTER(rail->dev, NULL);
		__dev_remove_pack(&rail->ptype);
	}
	synchronize_net();
	for_each_set_bit(r, &rails, PRP_RAILS + 1) {
		netdev_put(dev[r], &pn->rail[r].tracker);
		prp_mib_dec(pn, PRP_LIVE_RAILS);
	}
}

static unsigned long prp_rail_attached(const struct prp_net *pn)
{
	unsigned long rails = 0;
	unsigned int r;

	for (r = 0; r <= PRP_RAILS; r++)
		if (rtnl_dereference(pn->rail[r].dev))
			rails |= BIT(r);
	return rails;
}

static void prp_rail_hook(struct prp_net *pn, unsigned int r,
			  struct net_device *dev)
{
	struct prp_rail *rail = &pn->rail[r];

	ASSERT_RTNL();

	netdev_hold(dev, &rail->tracker, GFP_KERNEL);
	prp_mib_inc(pn, PRP_LIVE_RAILS);
	rail->ptype.type = htons(pn->ethertype);
	rail->ptype.dev = dev;
	rail->ptype.func = prp_receive_frame;
	dev_add_pack(&rail->ptype);
	rcu_assign_pointer(rail->dev, dev);
}

/* The device that each rail should have; a namespace without PRP: none. */
static void prp_rail_wanted(const struct prp_net *pn,
			    struct net_device *want[PRP_RAILS + 1],
			    const struct net_device *leaving)
{
	const struct prp_table *table = prp_rail_table(pn);
	const struct prp_node *self;
	struct net_device *lo;
	unsigned int r;

	memset(want, 0, sizeof(*want) * (PRP_RAILS + 1));
	self = table->self ? prp_table_node(table, table->self) : NULL;
	if (!self)
		return;
	for (r = 0; r < PRP_RAILS; r++)
		if (self->rails & BIT(r))
			want[r] = prp_rail_find(pn, self->addr[r], leaving);
	lo = pn->net->loopback_dev;
	if (lo != leaving && lo->reg_state == NETREG_REGISTERED)
		want[PRP_RAILS] = lo;
}

/* Return: bit r: rail r got another device, or lost its own. */
static unsigned long __prp_rail_attach(struct prp_net *pn,
				       const struct net_device *leaving)
{
	struct net_device *want[PRP_RAILS + 1];
	unsigned long stale = 0, changed;
	struct net_device *dev;
	unsigned int r;

	prp_rail_wanted(pn, want, leaving);
	for (r = 0; r <= PRP_RAILS; r++) {
		dev = rtnl_dereference(pn->rail[r].dev);
		if (dev && dev != want[r])
			stale |= BIT(r);
	}
	prp_rail_detach(pn, stale);
	changed = stale;
	for (r = 0; r <= PRP_RAILS; r++) {
		if (!want[r] || rtnl_dereference(pn->rail[r].dev))
			continue;
		prp_rail_hook(pn, r, want[r]);
		changed |= BIT(r);
	}
	return changed;
}

/**
 * prp_rail_attach() - make the rails those of the table in force
 * @pn: namespace; the caller holds RTNL and table_mutex
 */
void prp_rail_attach(struct prp_net *pn)
{
	ASSERT_RTNL();
	lockdep_assert_held(&pn->table_mutex);

	prp_netlink_notify_rails(pn, __prp_rail_attach(pn, NULL));
}

/**
 * prp_rail_set_ethertype() - speak another EtherType
 * @pn: namespace; the caller holds RTNL and table_mutex
 * @ethertype: the new one, host byte order
 *
 * Return: false if it was spoken already.
 */
bool prp_rail_set_ethertype(struct prp_net *pn, u16 ethertype)
{
	ASSERT_RTNL();
	lockdep_assert_held(&pn->table_mutex);

	if (pn->ethertype == ethertype)
		return false;
	prp_rail_detach(pn, prp_rail_attached(pn));
	WRITE_ONCE(pn->ethertype, ethertype);
	__prp_rail_attach(pn, NULL);
	return true;
}

/* Hosts of many containers see thousands of devices come and go: look
 * closer only at those that are or could be a rail.
 */
static bool prp_rail_concerns(const struct prp_net *pn, unsigned long event,
			      const struct net_device *dev)
{
	const struct prp_table *table = prp_rail_table(pn);
	const struct prp_node *node;
	unsigned int r;

	for (r = 0; r <= PRP_RAILS; r++)
		if (rtnl_dereference(pn->rail[r].dev) == dev)
			return true;
	if (event == NETDEV_CHANGEUPPER)
		return table->self;
	prp_table_for_each(table, node)
		for (r = 0; r < PRP_RAILS; r++)
			if (node->rails & BIT(r) &&
			    prp_rail_has_addr(dev, node->addr[r]))
				return true;
	return false;
}

/* A machine that has lost all its devices stays the node that it was: they
 * may come back before its connections give up.
 */
static void prp_rail_refresh(struct prp_net *pn,
			     const struct net_device *leaving)
{
	const struct prp_table *table = prp_rail_table(pn);
	unsigned long changed;
	u16 self;

	self = __prp_rail_find_self(pn, table, table->self, leaving);
	if (self && self != table->self && prp_table_renew(pn, self))
		net_warn_ratelimited("prp: no memory to become node %u\n",
				     self);
	changed = __prp_rail_attach(pn, leaving);
	prp_netlink_notify_rails(pn, changed);
	if (changed)
		prp_changes_rails(pn);
}

/* Something of a device has changed that is looked at when a frame is sent. */
static void prp_rail_notify(struct prp_net *pn, const struct net_device *dev)
{
	unsigned long rails = 0;
	unsigned int r;

	for (r = 0; r < PRP_RAILS; r++)
		if (rtnl_dereference(pn->rail[r].dev) == dev)
			rails |= BIT(r);
	if (!rails)
		return;
	prp_netlink_notify_rails(pn, rails);
	if (!prp_rail_works(dev))
		prp_changes_rails(pn);
}

/* A segment that is longer than its way carries goes out in fragments. */
static void prp_rail_mtu_changed(struct prp_net *pn,
				 const struct net_device *dev)
{
	unsigned int r;

	for (r = 0; r <= PRP_RAILS; r++)
		if (rtnl_dereference(pn->rail[r].dev) == dev)
			prp_changes_path(pn);
}

/* Going up or down and a new name need nothing but to be told: they are
 * looked at when a frame is sent. A device that moves to another namespace
 * leaves the old one with UNREGISTER and comes with REGISTER.
 */
static int prp_rail_event(struct notifier_block *nb, unsigned long event,
			  void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct prp_net *pn = prp_net(dev_net(dev));

	switch (event) {
	case NETDEV_CHANGEMTU:
		prp_rail_mtu_changed(pn, dev);
		prp_rail_notify(pn, dev);
		return NOTIFY_DONE;
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_CHANGEADDR:
	case NETDEV_CHANGEUPPER:
	case NETDEV_POST_TYPE_CHANGE:
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGENAME:
		prp_rail_notify(pn, dev);
		return NOTIFY_DONE;
	default:
		return NOTIFY_DONE;
	}
	ASSERT_RTNL();
	if (!pn->rail[0].pn)
		return NOTIFY_DONE;
	mutex_lock(&pn->table_mutex);
	if (prp_rail_concerns(pn, event, dev))
		prp_rail_refresh(pn, event == NETDEV_UNREGISTER ? dev : NULL);
	mutex_unlock(&pn->table_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block prp_rail_notifier = {
	.notifier_call = prp_rail_event,
};

/**
 * prp_rail_net_init() - begin to follow a namespace's devices
 * @pn: namespace, with its table
 *
 * Return: 0.
 */
int prp_rail_net_init(struct prp_net *pn)
{
	unsigned int r;

	rtnl_lock();
	for (r = 0; r <= PRP_RAILS; r++) {
		pn->rail[r].number = r;
		pn->rail[r].pn = pn;
	}
	rtnl_unlock();
	return 0;
}

/**
 * prp_rail_net_exit() - let go of a namespace's devices
 * @pn: namespace; no frame is received in it when this returns
 */
void prp_rail_net_exit(struct prp_net *pn)
{
	unsigned int r;

	rtnl_lock();
	prp_rail_detach(pn, prp_rail_attached(pn));
	for (r = 0; r <= PRP_RAILS; r++)
		pn->rail[r].pn = NULL;
	rtnl_unlock();
}

/**
 * prp_rail_init() - register for what happens to devices
 *
 * Context: After register_pernet_subsys(); the events of all devices that are
 * there already are delivered before this returns.
 * Return: 0 or a negative error.
 */
int prp_rail_init(void)
{
	return register_netdevice_notifier(&prp_rail_notifier);
}

/**
 * prp_rail_exit() - counterpart of prp_rail_init()
 *
 * Comes before unregister_pernet_subsys().
 */
void prp_rail_exit(void)
{
	unregister_netdevice_notifier(&prp_rail_notifier);
}
