// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: finds the Ethernet devices that get this node's frames, hooks
 * the receiver to them and follows what happens to them. Which node we are is
 * table.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/bsearch.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/mm.h>
#include <linux/rtnetlink.h>
#include <linux/sort.h>
#include <net/rtnetlink.h>

#include "net.h"
#include "network/offload.h"
#include "network/rail.h"
#include "network/route.h"
#include "network/table.h"
#include "network/way.h"
#include "transport/changes.h"
#include "transport/receive.h"

/* no device becomes a rail any more [RTNL] */
static bool rails_end;

static struct prp_table *prp_rail_table(const struct prp_net *pn)
{
	return rcu_dereference_protected(pn->table,
					 lockdep_is_held(&pn->table_mutex));
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

/**
 * struct prp_rail_choice - which devices may be a rail
 * @net: namespace that they are in
 * @addr: address that they have
 * @leaving: one that goes, or NULL
 */
struct prp_rail_choice {
	struct net *net;
	const u8 *addr;
	const struct net_device *leaving;
};

static bool prp_rail_is(const struct prp_rail_choice *choice,
			const struct net_device *dev)
{
	return dev != choice->leaving && prp_rail_can_carry(dev) &&
	       !memcmp(dev->dev_addr, choice->addr, ETH_ALEN);
}

/* What comes to a port is the bridge's, whatever address that has: if nobody
 * gave it one it is the lowest of its ports', another one with each container.
 */
static bool prp_rail_has_port(const struct prp_rail_choice *choice,
			      struct net_device *bridge)
{
	struct net_device *port;
	struct list_head *at;

	ASSERT_RTNL();
	netdev_for_each_lower_dev(bridge, port, at)
		if (prp_rail_is(choice, port))
			return true;
	return false;
}

/* A VLAN that follows its parent's address has what that has. */
static bool prp_rail_gets(const struct prp_rail_choice *choice,
			  struct net_device *dev)
{
	struct net_device *parent;

	while (is_vlan_dev(dev) && !prp_rail_is(choice, dev)) {
		parent = vlan_dev_real_dev(dev);
		if (memcmp(dev->dev_addr, parent->dev_addr, ETH_ALEN))
			break;
		dev = parent;
	}
	return prp_rail_is(choice, dev) ||
	       (netif_is_bridge_master(dev) && prp_rail_has_port(choice, dev));
}

/* A device that leaves its namespace is in no list while what is below it is
 * let go.
 */
static bool prp_rail_has(const struct prp_rail_choice *choice,
			 struct net_device *dev)
{
	return dev != choice->leaving && prp_rail_can_carry(dev) &&
	       prp_rail_gets(choice, dev) &&
	       dev_get_by_index_rcu(choice->net, dev->ifindex) == dev;
}

static int prp_rail_is_above(struct net_device *upper,
			     struct netdev_nested_priv *priv)
{
	return prp_rail_has(priv->data, upper);
}

static bool prp_rail_is_top(struct prp_rail_choice *choice,
			    struct net_device *dev)
{
	struct netdev_nested_priv priv = { .data = choice };

	return prp_rail_has(choice, dev) &&
	       !netdev_walk_all_upper_dev_rcu(dev, prp_rail_is_above, &priv);
}

static int prp_rail_is_lag(struct net_device *dev,
			   struct netdev_nested_priv *priv)
{
	return netif_is_lag_master(dev) && prp_rail_works(dev);
}

/* A bond that works with other slaves than the one that is released, or is to
 * be taken, and has the bond's address, is the rail as before, and so is what
 * stands on it.
 */
static bool prp_rail_keeps(struct net_device *dev)
{
	struct netdev_nested_priv none = {};

	return prp_rail_is_lag(dev, &none) ||
	       netdev_walk_all_lower_dev_rcu(dev, prp_rail_is_lag, &none);
}

/* The topmost device with an address: frames for a bridge's port, a bond's
 * slave or a VLAN's parent with the same address are the upper one's. Among
 * unrelated ones the oldest wins, so that the choice is the same each time, if
 * the one that it is now does not keep it.
 */
static struct net_device *prp_rail_find(const struct prp_net *pn,
					const u8 *addr,
					const struct net_device *leaving,
					struct net_device *now)
{
	struct prp_rail_choice choice = {
		.net = pn->net,
		.addr = addr,
		.leaving = leaving,
	};
	struct net_device *dev, *best = NULL;

	ASSERT_RTNL();

	rcu_read_lock();
	if (now && prp_rail_keeps(now) && prp_rail_is_top(&choice, now)) {
		rcu_read_unlock();
		return now;
	}
	for_each_netdev_rcu(pn->net, dev)
		if ((!best || dev->ifindex < best->ifindex) &&
		    prp_rail_is_top(&choice, dev))
			best = dev;
	rcu_read_unlock();
	return best;
}

/**
 * struct prp_rail_seen - addresses that devices have
 * @addr: as numbers, ascending; NULL without memory, then any is searched for
 * @count: how many
 */
struct prp_rail_seen {
	u64 *addr;
	unsigned int count;
};

static int cmp_addr(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Most of the table's addresses no device has, and none is searched for them:
 * many tables and many devices are a user's who has a namespace of his own.
 */
static void prp_rail_see(const struct prp_net *pn, struct prp_rail_seen *seen)
{
	const struct net_device *dev;
	unsigned int most = 0;

	ASSERT_RTNL();
	for_each_netdev(pn->net, dev)
		most++;
	seen->count = 0;
	seen->addr = kvmalloc_array(most, sizeof(*seen->addr), GFP_KERNEL);
	if (!seen->addr)
		return;
	for_each_netdev(pn->net, dev)
		if (prp_rail_can_carry(dev))
			seen->addr[seen->count++] =
				ether_addr_to_u64(dev->dev_addr);
	sort(seen->addr, seen->count, sizeof(*seen->addr), cmp_addr, NULL);
}

static bool prp_rail_saw(const struct prp_rail_seen *seen, const u8 *addr)
{
	const u64 wanted = ether_addr_to_u64(addr);

	return !seen->addr || bsearch(&wanted, seen->addr, seen->count,
				      sizeof(*seen->addr), cmp_addr);
}

static bool prp_rail_is_node(const struct prp_net *pn,
			     const struct prp_node *node,
			     const struct net_device *leaving,
			     const struct prp_rail_seen *seen)
{
	unsigned int r;

	for (r = 0; r < PRP_RAILS; r++)
		if (node->rails & BIT(r) && prp_rail_saw(seen, node->addr[r]) &&
		    prp_rail_find(pn, node->addr[r], leaving, NULL))
			return true;
	return false;
}

static u16 __prp_rail_find_self(const struct prp_net *pn,
				const struct prp_table *table, u16 prefer,
				const struct net_device *leaving)
{
	const struct prp_node *node = prp_table_node(table, prefer);
	struct prp_rail_seen seen;
	u16 self = 0;

	ASSERT_RTNL();
	prp_rail_see(pn, &seen);
	if (node && prp_rail_is_node(pn, node, leaving, &seen)) {
		self = prefer;
		goto out;
	}
	prp_table_for_each(table, node) {
		if (prp_rail_is_node(pn, node, leaving, &seen)) {
			self = node->number;
			break;
		}
		cond_resched();
	}
out:
	kvfree(seen.addr);
	return self;
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

/* The address that the table gives this node on a rail, or zero. */
static const u8 *prp_rail_addr(const struct prp_net *pn, unsigned int r)
{
	static const u8 none[ETH_ALEN] __aligned(2);
	const struct prp_table *table = prp_rail_table(pn);

	return r < PRP_RAILS && table->self ?
		       prp_table_node(table, table->self)->addr[r] :
		       none;
}

static void prp_rail_hook(struct prp_net *pn, unsigned int r,
			  struct net_device *dev)
{
	struct prp_rail *rail = &pn->rail[r];

	ASSERT_RTNL();
	lockdep_assert_held(&pn->table_mutex);

	netdev_hold(dev, &rail->tracker, GFP_KERNEL);
	prp_mib_inc(pn, PRP_LIVE_RAILS);
	ether_addr_copy(rail->addr, prp_rail_addr(pn, r));
	rail->ptype.type = htons(pn->ethertype);
	rail->ptype.dev = dev;
	rail->ptype.func = prp_receive_frame;
	dev_add_pack(&rail->ptype);
	rcu_assign_pointer(rail->dev, dev);
}

/* The device that each rail should have; a namespace without PRP: none. Two
 * ports of one bridge are one wire, and the lower rail's.
 */
static void prp_rail_wanted(const struct prp_net *pn,
			    struct net_device *want[PRP_RAILS + 1],
			    const struct net_device *leaving)
{
	const struct prp_table *table = prp_rail_table(pn);
	const struct prp_node *self;
	struct net_device *lo, *now;
	unsigned int r, q;

	memset(want, 0, sizeof(*want) * (PRP_RAILS + 1));
	self = table->self ? prp_table_node(table, table->self) : NULL;
	if (!self || rails_end)
		return;
	for (r = 0; r < PRP_RAILS; r++) {
		now = rtnl_dereference(pn->rail[r].dev);
		if (self->rails & BIT(r))
			want[r] =
				prp_rail_find(pn, self->addr[r], leaving, now);
		for (q = 0; q < r; q++)
			if (want[q] == want[r])
				want[r] = NULL;
	}
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
		if (dev &&
		    (dev != want[r] ||
		     !ether_addr_equal(pn->rail[r].addr, prp_rail_addr(pn, r))))
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
 * Return: the one before, for prp_offload_put() once both are dropped, for that
 * may wait; 0 if it was spoken already; what prp_offload_get() returns.
 */
int prp_rail_set_ethertype(struct prp_net *pn, u16 ethertype)
{
	u16 before = pn->ethertype;
	int err;

	ASSERT_RTNL();
	lockdep_assert_held(&pn->table_mutex);

	if (before == ethertype)
		return 0;
	err = prp_offload_get(ethertype, pn->pool.user);
	if (err)
		return err;
	prp_rail_detach(pn, prp_rail_attached(pn));
	WRITE_ONCE(pn->ethertype, ethertype);
	__prp_rail_attach(pn, NULL);
	return before;
}

/* Hosts of many containers see thousands of devices come and go: look
 * closer only at those that are or could be a rail.
 */
static bool prp_rail_concerns(const struct prp_net *pn, unsigned long event,
			      struct net_device *dev)
{
	const struct prp_table *table = prp_rail_table(pn);
	const struct prp_node *node;
	struct net_device *rail;
	unsigned int r;

	for (r = 0; r <= PRP_RAILS; r++) {
		rail = rtnl_dereference(pn->rail[r].dev);
		if (rail && (rail == dev || netdev_has_upper_dev(dev, rail)))
			return true;
	}
	if (event == NETDEV_CHANGEUPPER || is_vlan_dev(dev))
		return table->self;
	if (!prp_rail_can_carry(dev))
		return false;
	prp_table_for_each(table, node)
		for (r = 0; r < PRP_RAILS; r++)
			if (node->rails & BIT(r) &&
			    ether_addr_equal(dev->dev_addr, node->addr[r]))
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
	if (self && self != table->self &&
	    prp_table_renew(pn, self, &pn->overrides))
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
 * @pn: namespace, with its pool and its table
 *
 * Return: 0 or -ENOMEM.
 */
int prp_rail_net_init(struct prp_net *pn)
{
	unsigned int r;
	int err;

	err = prp_offload_get(pn->ethertype, pn->pool.user);
	if (err)
		return err;
	rtnl_lock();
	for (r = 0; r <= PRP_RAILS; r++) {
		pn->rail[r].number = r;
		pn->rail[r].mib = &pn->mib->rail[r];
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
	prp_offload_put(pn->ethertype, pn->pool.user);
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
 * Each device is said to go here, one after the other, while those before it
 * are there: none may become a rail again. A namespace that ends before
 * unregister_pernet_subsys(), which comes next, waits for its devices, of which
 * nobody tells us any more.
 */
void prp_rail_exit(void)
{
	rtnl_lock();
	rails_end = true;
	rtnl_unlock();
	unregister_netdevice_notifier(&prp_rail_notifier);
}
