// SPDX-License-Identifier: GPL-2.0
/*
 * What can be asked through generic netlink: the host table as a whole, its
 * nodes, the rails and the counters. Nothing is changed here.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/forward.h"
#include "network/rail.h"
#include "network/table.h"
#include "see/mib.h"

/**
 * prp_netlink_dump_begin() - begin a message of a dump
 * @skb: to be filled
 * @cb: where the dump is; a seq that has changed marks it as interrupted
 * @cmd: command of the message
 *
 * Return: what prp_netlink_dump_end() needs, or NULL without room.
 */
void *prp_netlink_dump_begin(struct sk_buff *skb, struct netlink_callback *cb,
			     u8 cmd)
{
	void *header;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
			     cb->nlh->nlmsg_seq, &prp_netlink_family,
			     NLM_F_MULTI, cmd);
	if (header)
		genl_dump_check_consistent(cb, header);
	return header;
}

/**
 * prp_netlink_dump_end() - end it
 * @skb: what it is in
 * @header: from prp_netlink_dump_begin()
 * @err: 0, or why it could not be filled, which takes it back
 *
 * Return: @err.
 */
int prp_netlink_dump_end(struct sk_buff *skb, void *header, int err)
{
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

/* ---- the host table as a whole ---- */

/**
 * prp_netlink_put_table() - tell about the host table as a whole
 * @skb: message
 * @pn: namespace; the caller is in an RCU read section
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_table(struct sk_buff *skb, const struct prp_net *pn)
{
	const struct prp_table *table = rcu_dereference(pn->table);
	u32 faults = prp_mib_value(pn, PRP_LIVE_FAULTS);

	if (nla_put_u32(skb, PRP_A_TABLE_GENERATION, table->generation) ||
	    nla_put_u32(skb, PRP_A_TABLE_HASH, table->hash) ||
	    nla_put_u32(skb, PRP_A_TABLE_COUNT, table->count) ||
	    nla_put_u32(skb, PRP_A_TABLE_LINKS, table->link_count) ||
	    nla_put_u16(skb, PRP_A_TABLE_ETHERTYPE, READ_ONCE(pn->ethertype)) ||
	    nla_put_u8(skb, PRP_A_TABLE_FORWARD, READ_ONCE(pn->forward)))
		return -EMSGSIZE;
	if (prp_forward_is_on(pn, table) &&
	    nla_put_flag(skb, PRP_A_TABLE_FORWARDS))
		return -EMSGSIZE;
	if (table->self && nla_put_u16(skb, PRP_A_TABLE_SELF, table->self))
		return -EMSGSIZE;
	if (faults && nla_put_u32(skb, PRP_A_TABLE_FAULTS, faults))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_nl_table_get_doit() - tell about the host table as a whole
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int prp_nl_table_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct sk_buff *reply;
	void *header;
	int err;

	reply = prp_netlink_reply_new(info, PRP_CMD_TABLE_GET, &header);
	if (!reply)
		return -ENOMEM;
	rcu_read_lock();
	err = prp_netlink_put_table(reply, pn);
	rcu_read_unlock();
	return prp_netlink_reply(reply, header, info, err);
}

/* ---- nodes ---- */

static int prp_netlink_put_address(struct sk_buff *skb,
				   const struct prp_node *node, unsigned int r)
{
	struct nlattr *nest = nla_nest_start(skb, PRP_A_NODE_ADDRESS);

	if (!nest || nla_put_u8(skb, PRP_A_ADDRESS_RAIL, r) ||
	    nla_put(skb, PRP_A_ADDRESS_MAC, ETH_ALEN, node->addr[r]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int prp_netlink_put_ip(struct sk_buff *skb, const struct in6_addr *ip)
{
	if (ipv6_addr_v4mapped(ip))
		return nla_put_in_addr(skb, PRP_A_NODE_IP, ip->s6_addr32[3]);
	return nla_put_in6_addr(skb, PRP_A_NODE_IP, ip);
}

static int prp_netlink_put_node(struct sk_buff *skb,
				const struct prp_node *node, bool self)
{
	unsigned int i;

	if (nla_put_u16(skb, PRP_A_NODE_NUMBER, node->number) ||
	    nla_put_string(skb, PRP_A_NODE_NAME, node->name))
		return -EMSGSIZE;
	for (i = 0; i < PRP_RAILS; i++)
		if (node->rails & BIT(i) &&
		    prp_netlink_put_address(skb, node, i))
			return -EMSGSIZE;
	for (i = 0; i < node->ip_count; i++)
		if (prp_netlink_put_ip(skb, &node->ip[i]))
			return -EMSGSIZE;
	if (self && nla_put_flag(skb, PRP_A_NODE_SELF))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_nl_node_get_doit() - get one node
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT if there is no such node; -EINVAL without a number;
 * -ENOMEM.
 */
int prp_nl_node_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	const struct prp_table *table;
	const struct prp_node *node;
	struct sk_buff *reply;
	int err = -ENOENT;
	void *header;
	u16 number;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_NODE_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the node's number is missing");
		return -EINVAL;
	}
	number = nla_get_u16(info->attrs[PRP_A_NODE_NUMBER]);
	reply = prp_netlink_reply_new(info, PRP_CMD_NODE_GET, &header);
	if (!reply)
		return -ENOMEM;
	rcu_read_lock();
	table = rcu_dereference(pn->table);
	node = prp_table_node(table, number);
	if (node)
		err = prp_netlink_put_node(reply, node, number == table->self);
	else
		GENL_SET_ERR_MSG(info, "no node has this number");
	rcu_read_unlock();
	return prp_netlink_reply(reply, header, info, err);
}

static int prp_netlink_dump_node(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 const struct prp_node *node, bool self)
{
	void *header;

	header = prp_netlink_dump_begin(skb, cb, PRP_CMD_NODE_GET);
	if (!header)
		return -EMSGSIZE;
	return prp_netlink_dump_end(skb, header,
				    prp_netlink_put_node(skb, node, self));
}

/**
 * prp_nl_node_get_dumpit() - get all nodes in the order of their numbers
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the smallest number still to come
 *
 * A table that is replaced while it is dumped marks the dump as
 * interrupted.
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_node_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	const struct prp_table *table;
	const struct prp_node *node;
	int err = 0;

	rcu_read_lock();
	table = rcu_dereference(pn->table);
	cb->seq = table->serial;
	for (node = prp_table_next(table, max(cb->args[0], 1L)); node;
	     node = prp_table_next(table, cb->args[0])) {
		err = prp_netlink_dump_node(skb, cb, node,
					    node->number == table->self);
		if (err)
			break;
		cb->args[0] = node->number + 1;
	}
	rcu_read_unlock();
	return skb->len ?: err;
}

/* ---- rails ---- */

/* Bit r: the table gives this machine rail r. */
static u8 prp_netlink_own_rails(const struct prp_net *pn)
{
	const struct prp_table *table = rtnl_dereference(pn->table);

	return table->self ? prp_table_node(table, table->self)->rails : 0;
}

static int prp_netlink_put_device(struct sk_buff *skb,
				  const struct net_device *dev)
{
	if (nla_put_u32(skb, PRP_A_RAIL_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, PRP_A_RAIL_IFNAME, dev->name) ||
	    nla_put_u32(skb, PRP_A_RAIL_MTU, dev->mtu))
		return -EMSGSIZE;
	if (netif_running(dev) && nla_put_flag(skb, PRP_A_RAIL_UP))
		return -EMSGSIZE;
	if (netif_running(dev) && netif_carrier_ok(dev) &&
	    nla_put_flag(skb, PRP_A_RAIL_CARRIER))
		return -EMSGSIZE;
	return 0;
}

#define COUNTER(field) \
	{ \
#field, offsetof(struct prp_mib_rail, field) \
	}

static const struct {
	const char *name;
	size_t offset;
} rail_counters[] = {
	COUNTER(frames_in), COUNTER(bytes_in), COUNTER(frames_out),
	COUNTER(bytes_out), COUNTER(lost),
};

static int prp_netlink_put_rail_counters(struct sk_buff *skb,
					 const struct prp_net *pn,
					 unsigned int r)
{
	const unsigned long *value;
	struct prp_mib_rail rail;
	unsigned int i;
	int err = 0;

	prp_mib_rail_get(pn, r, &rail);
	for (i = 0; !err && i < ARRAY_SIZE(rail_counters); i++) {
		value = (const void *)&rail + rail_counters[i].offset;
		err = prp_netlink_put_counter(skb, PRP_A_RAIL_COUNTER,
					      rail_counters[i].name, *value);
	}
	return err;
}

/**
 * prp_netlink_put_rail() - tell about a rail
 * @skb: message
 * @pn: namespace; the caller holds RTNL
 * @r: number of the rail; only that is told if it is none of the table's
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_rail(struct sk_buff *skb, const struct prp_net *pn,
			 unsigned int r)
{
	const struct prp_table *table = rtnl_dereference(pn->table);
	struct net_device *dev = rtnl_dereference(pn->rail[r].dev);

	if (nla_put_u8(skb, PRP_A_RAIL_NUMBER, r))
		return -EMSGSIZE;
	if (prp_netlink_own_rails(pn) & BIT(r) &&
	    nla_put(skb, PRP_A_RAIL_MAC, ETH_ALEN,
		    prp_table_node(table, table->self)->addr[r]))
		return -EMSGSIZE;
	if (dev && prp_netlink_put_device(skb, dev))
		return -EMSGSIZE;
	return prp_netlink_put_rail_counters(skb, pn, r);
}

/**
 * prp_nl_rail_get_doit() - get one rail
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT if the table does not give this machine such a rail;
 * -EINVAL without a number; -ENOMEM.
 */
int prp_nl_rail_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct sk_buff *reply;
	int err = -ENOENT;
	void *header;
	u8 r;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_RAIL_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the rail's number is missing");
		return -EINVAL;
	}
	r = nla_get_u8(info->attrs[PRP_A_RAIL_NUMBER]);
	reply = prp_netlink_reply_new(info, PRP_CMD_RAIL_GET, &header);
	if (!reply)
		return -ENOMEM;
	rtnl_lock();
	if (r < PRP_RAILS && prp_netlink_own_rails(pn) & BIT(r))
		err = prp_netlink_put_rail(reply, pn, r);
	else
		GENL_SET_ERR_MSG(info, "this machine has no such rail");
	rtnl_unlock();
	return prp_netlink_reply(reply, header, info, err);
}

static int prp_netlink_dump_rail(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 const struct prp_net *pn, unsigned int r)
{
	void *header;

	header = prp_netlink_dump_begin(skb, cb, PRP_CMD_RAIL_GET);
	if (!header)
		return -EMSGSIZE;
	return prp_netlink_dump_end(skb, header,
				    prp_netlink_put_rail(skb, pn, r));
}

/**
 * prp_nl_rail_get_dumpit() - get the rails that the table gives this machine
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the next rail
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_rail_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	unsigned int r;
	int err = 0;

	rtnl_lock();
	for (r = cb->args[0]; r < PRP_RAILS; r++) {
		if (!(prp_netlink_own_rails(pn) & BIT(r)))
			continue;
		err = prp_netlink_dump_rail(skb, cb, pn, r);
		if (err)
			break;
	}
	cb->args[0] = r;
	rtnl_unlock();
	return skb->len ?: err;
}

/* ---- counters ---- */

/**
 * prp_netlink_put_counter() - say what a counter is
 * @skb: message
 * @type: attribute that a counter is there
 * @name: its name
 * @value: its value
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_counter(struct sk_buff *skb, int type, const char *name,
			    u64 value)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, PRP_A_COUNTER_NAME, name) ||
	    nla_put_u64_64bit(skb, PRP_A_COUNTER_VALUE, value,
			      PRP_A_COUNTER_PAD)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * prp_nl_stats_get_dumpit() - get all counters and gauges
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the next counter
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	unsigned int which = cb->args[0];
	void *header;

	if (which == PRP_MIB_ALL)
		return 0;
	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
			     cb->nlh->nlmsg_seq, &prp_netlink_family,
			     NLM_F_MULTI, PRP_CMD_STATS_GET);
	if (!header)
		return -EMSGSIZE;
	while (which < PRP_MIB_ALL &&
	       !prp_netlink_put_counter(skb, PRP_A_STATS_COUNTER,
					prp_mib_name(which),
					prp_mib_value(pn, which)))
		which++;
	if (which == cb->args[0]) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	cb->args[0] = which;
	return skb->len;
}
