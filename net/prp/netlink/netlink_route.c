// SPDX-License-Identifier: GPL-2.0
/*
 * Links and routes through generic netlink: links are part of the
 * transaction on the host table, routes are computed or overridden; and
 * whether frames of others are passed on.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/hop.h"
#include "network/link.h"
#include "network/rail.h"
#include "network/route.h"
#include "network/table.h"
#include "pure/path.h"

/* ---- links ---- */

/**
 * prp_nl_link_add_doit() - add a link to the table of the transaction
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without both nodes; -ENOENT without transaction; -EBUSY
 * if it is another socket's; what prp_link_add() returns.
 */
int prp_nl_link_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	u8 rail = PRP_LINK_ALL;
	u16 node, peer;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_LINK_NODE) ||
	    GENL_REQ_ATTR_CHECK(info, PRP_A_LINK_PEER)) {
		GENL_SET_ERR_MSG(info, "a link needs two nodes");
		return -EINVAL;
	}
	node = nla_get_u16(info->attrs[PRP_A_LINK_NODE]);
	peer = nla_get_u16(info->attrs[PRP_A_LINK_PEER]);
	if (info->attrs[PRP_A_LINK_RAIL])
		rail = nla_get_u8(info->attrs[PRP_A_LINK_RAIL]);
	mutex_lock(&pn->nl.lock);
	err = prp_netlink_own(pn, info);
	if (!err)
		err = prp_link_add(pn->nl.table, node, peer, rail,
				   info->extack);
	mutex_unlock(&pn->nl.lock);
	return err;
}

/**
 * prp_nl_link_flush_doit() - remove all links from the transaction's table
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT without transaction; -EBUSY if it is another socket's.
 */
int prp_nl_link_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	int err;

	mutex_lock(&pn->nl.lock);
	err = prp_netlink_own(pn, info);
	if (!err)
		prp_link_flush(pn->nl.table);
	mutex_unlock(&pn->nl.lock);
	return err;
}

static int netlink_put_link(struct sk_buff *skb, const struct prp_link *link)
{
	if (nla_put_u16(skb, PRP_A_LINK_NODE, link->node) ||
	    nla_put_u16(skb, PRP_A_LINK_PEER, link->peer))
		return -EMSGSIZE;
	if (link->rail != PRP_LINK_ALL &&
	    nla_put_u8(skb, PRP_A_LINK_RAIL, link->rail))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_nl_link_get_dumpit() - get all links in the order of their nodes
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the next link
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	const struct prp_table *table;
	void *header;
	int err = 0;

	rcu_read_lock();
	table = rcu_dereference(pn->table);
	cb->seq = table->serial;
	for (; !err && cb->args[0] < table->link_count; cb->args[0]++) {
		header = prp_netlink_dump_begin(skb, cb, PRP_CMD_LINK_GET);
		if (!header) {
			err = -EMSGSIZE;
			break;
		}
		err = netlink_put_link(skb, &table->links[cb->args[0]]);
		err = prp_netlink_dump_end(skb, header, err);
		if (err)
			break;
	}
	rcu_read_unlock();
	return skb->len ?: err;
}

/* ---- routes ---- */

/* Why could a frame not leave now? Return: a negative errno, or 0. */
static int route_error(const struct prp_net *pn, u16 number,
		       struct prp_hop *hop)
{
	int err = prp_hop_rcu(pn, number, PRP_RAIL_ANY, hop);

	if (!err && !netif_carrier_ok(hop->dev))
		return -ENOLINK;
	return err;
}

/* The next node, and how far the destination is, which the table has. */
static int netlink_put_path(struct sk_buff *skb, const struct prp_table *table,
			    u16 number)
{
	const struct prp_node *self = prp_table_node(table, table->self);
	const struct prp_node *node = prp_table_node(table, number);
	struct prp_path direct = { .next = number, .hops = 1 };
	const struct prp_path *path = &direct;

	if (number == table->self)
		return nla_put_u16(skb, PRP_A_ROUTE_VIA, number) ?:
			       nla_put_u32(skb, PRP_A_ROUTE_HOPS, 0);
	if (table->routes)
		path = prp_route(table->routes, number);
	else if (!self || !(self->rails & node->rails))
		return 0;
	if (!path->next)
		return 0;
	if (nla_put_u16(skb, PRP_A_ROUTE_VIA, path->next) ||
	    (path->hops && nla_put_u32(skb, PRP_A_ROUTE_HOPS, path->hops)) ||
	    (path->override && nla_put_flag(skb, PRP_A_ROUTE_OVERRIDE)))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_netlink_put_route() - write how frames get to a node
 * @skb: message
 * @pn: namespace; the caller is in an RCU read section
 * @table: table that the namespace has, or had when the caller looked
 * @number: number of the node; of one that is not in @table there is no more
 *	to write
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_route(struct sk_buff *skb, const struct prp_net *pn,
			  const struct prp_table *table, u16 number)
{
	struct prp_hop hop = {};
	int err;

	if (nla_put_u16(skb, PRP_A_ROUTE_NUMBER, number))
		return -EMSGSIZE;
	if (!prp_table_node(table, number))
		return 0;
	if (netlink_put_path(skb, table, number))
		return -EMSGSIZE;
	err = route_error(pn, number, &hop);
	if (err && nla_put_u32(skb, PRP_A_ROUTE_ERROR, -err))
		return -EMSGSIZE;
	if (!hop.dev)
		return 0;
	if (nla_put_u8(skb, PRP_A_ROUTE_RAIL, hop.rail) ||
	    nla_put_string(skb, PRP_A_ROUTE_IFNAME, hop.dev->name) ||
	    nla_put_u32(skb, PRP_A_ROUTE_MTU, READ_ONCE(hop.dev->mtu)))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_nl_route_get_doit() - get the route to a node
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without a number; -ENOENT without such a node; -ENOMEM.
 */
int prp_nl_route_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	const struct prp_table *table;
	struct sk_buff *reply;
	int err = -ENOENT;
	void *header;
	u16 number;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_ROUTE_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the node's number is missing");
		return -EINVAL;
	}
	number = nla_get_u16(info->attrs[PRP_A_ROUTE_NUMBER]);
	reply = prp_netlink_reply_new(info, PRP_CMD_ROUTE_GET, &header);
	if (!reply)
		return -ENOMEM;
	rcu_read_lock();
	table = rcu_dereference(pn->table);
	if (prp_table_node(table, number))
		err = prp_netlink_put_route(reply, pn, table, number);
	else
		GENL_SET_ERR_MSG(info, "no node has this number");
	rcu_read_unlock();
	return prp_netlink_reply(reply, header, info, err);
}

/**
 * prp_nl_route_get_dumpit() - get all routes in the order of the nodes
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the smallest number still to come
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	const struct prp_table *table;
	const struct prp_node *node;
	void *header;
	int err = 0;

	rcu_read_lock();
	table = rcu_dereference(pn->table);
	cb->seq = table->serial;
	for (node = prp_table_next(table, max(cb->args[0], 1L)); node;
	     node = prp_table_next(table, cb->args[0])) {
		header = prp_netlink_dump_begin(skb, cb, PRP_CMD_ROUTE_GET);
		if (!header) {
			err = -EMSGSIZE;
			break;
		}
		err = prp_netlink_put_route(skb, pn, table, node->number);
		err = prp_netlink_dump_end(skb, header, err);
		if (err)
			break;
		cb->args[0] = node->number + 1;
	}
	rcu_read_unlock();
	return skb->len ?: err;
}

/**
 * prp_nl_route_set_doit() - send frames for a node through another one
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without both numbers; what prp_route_set() returns.
 */
int prp_nl_route_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	u16 number, via;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_ROUTE_NUMBER) ||
	    GENL_REQ_ATTR_CHECK(info, PRP_A_ROUTE_VIA)) {
		GENL_SET_ERR_MSG(info, "a route needs two nodes");
		return -EINVAL;
	}
	number = nla_get_u16(info->attrs[PRP_A_ROUTE_NUMBER]);
	via = nla_get_u16(info->attrs[PRP_A_ROUTE_VIA]);
	rtnl_lock();
	mutex_lock(&pn->table_mutex);
	err = prp_route_set(pn, number, via, info->extack);
	mutex_unlock(&pn->table_mutex);
	rtnl_unlock();
	return err;
}

/**
 * prp_nl_route_del_doit() - remove the override of a node, or all of them
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or what prp_route_del() returns.
 */
int prp_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	const struct nlattr *number = info->attrs[PRP_A_ROUTE_NUMBER];
	int err;

	rtnl_lock();
	mutex_lock(&pn->table_mutex);
	if (number)
		err = prp_route_del(pn, nla_get_u16(number), info->extack);
	else
		err = prp_route_flush(pn);
	mutex_unlock(&pn->table_mutex);
	rtnl_unlock();
	return err;
}

/* ---- forwarding ---- */

/**
 * prp_nl_forward_set_doit() - say when frames for other nodes are passed on
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without a value.
 */
int prp_nl_forward_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	u8 forward;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_TABLE_FORWARD)) {
		GENL_SET_ERR_MSG(info, "when to forward is missing");
		return -EINVAL;
	}
	forward = nla_get_u8(info->attrs[PRP_A_TABLE_FORWARD]);
	mutex_lock(&pn->table_mutex);
	if (pn->forward != forward) {
		WRITE_ONCE(pn->forward, forward);
		prp_netlink_notify_table(pn);
	}
	mutex_unlock(&pn->table_mutex);
	return 0;
}
