// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions on the host table, as requests of generic netlink. What a table
 * may hold is decided in table.c.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/table.h"

/* Start the table of a transaction. */
static int prp_netlink_begin(struct prp_net *pn, u32 generation, bool empty,
			     struct netlink_ext_ack *extack)
{
	const struct prp_table *now;
	int err = 0;

	lockdep_assert_held(&pn->nl.lock);

	mutex_lock(&pn->table_mutex);
	now = rcu_dereference_protected(pn->table,
					lockdep_is_held(&pn->table_mutex));
	if (now->generation != generation) {
		NL_SET_ERR_MSG(extack, "the host table changed meanwhile");
		err = -EAGAIN;
		goto out;
	}
	pn->nl.table = empty ? prp_table_alloc(pn, generation) :
			       prp_table_copy(pn, now);
	if (!pn->nl.table)
		err = -ENOMEM;
out:
	mutex_unlock(&pn->table_mutex);
	return err;
}

/**
 * prp_nl_table_begin_doit() - begin a transaction
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EAGAIN if the caller saw another generation; -EBUSY if a
 * transaction is open; -ENOMEM; -EINVAL without a generation.
 */
int prp_nl_table_begin_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	bool empty = info->attrs[PRP_A_TABLE_EMPTY];
	u32 generation;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_TABLE_GENERATION)) {
		GENL_SET_ERR_MSG(info, "the expected generation is missing");
		return -EINVAL;
	}
	generation = nla_get_u32(info->attrs[PRP_A_TABLE_GENERATION]);
	mutex_lock(&pn->nl.lock);
	if (pn->nl.table) {
		GENL_SET_ERR_MSG(info,
				 "another program is changing the host table");
		err = -EBUSY;
		goto out;
	}
	err = prp_netlink_begin(pn, generation, empty, info->extack);
	pn->nl.portid = info->snd_portid;
out:
	mutex_unlock(&pn->nl.lock);
	return err;
}

static int prp_netlink_parse_address(struct prp_node *node,
				     const struct nlattr *attr,
				     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[PRP_A_ADDRESS_MAX + 1];
	int err;
	u8 r;

	err = nla_parse_nested(tb, PRP_A_ADDRESS_MAX, attr,
			       prp_address_nl_policy, extack);
	if (err)
		return err;
	if (!tb[PRP_A_ADDRESS_RAIL] || !tb[PRP_A_ADDRESS_MAC]) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "an address needs a rail and a MAC");
		return -EINVAL;
	}
	r = nla_get_u8(tb[PRP_A_ADDRESS_RAIL]);
	if (node->rails & BIT(r)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "rail given twice");
		return -EINVAL;
	}
	node->rails |= BIT(r);
	nla_memcpy(node->addr[r], tb[PRP_A_ADDRESS_MAC], ETH_ALEN);
	return 0;
}

static int prp_netlink_parse_ip(struct prp_node *node,
				const struct nlattr *attr,
				struct netlink_ext_ack *extack)
{
	struct in6_addr *ip;

	if (node->ip_count == PRP_NODE_IPS) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "too many IP addresses");
		return -E2BIG;
	}
	ip = &node->ip[node->ip_count];
	switch (nla_len(attr)) {
	case sizeof(__be32):
		ipv6_addr_set_v4mapped(nla_get_in_addr(attr), ip);
		break;
	case sizeof(struct in6_addr):
		*ip = nla_get_in6_addr(attr);
		break;
	default:
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "an IP address has 4 or 16 bytes");
		return -EINVAL;
	}
	node->ip_count++;
	return 0;
}

/* @node is all zeroes. */
static int prp_netlink_parse_node(struct prp_node *node, struct genl_info *info)
{
	const struct nlattr *attr;
	int rem, err = 0;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_NODE_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the node's number is missing");
		return -EINVAL;
	}
	if (GENL_REQ_ATTR_CHECK(info, PRP_A_NODE_NAME)) {
		GENL_SET_ERR_MSG(info, "the node's name is missing");
		return -EINVAL;
	}
	node->number = nla_get_u16(info->attrs[PRP_A_NODE_NUMBER]);
	nla_strscpy(node->name, info->attrs[PRP_A_NODE_NAME],
		    sizeof(node->name));
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) == PRP_A_NODE_ADDRESS)
			err = prp_netlink_parse_address(node, attr,
							info->extack);
		else if (nla_type(attr) == PRP_A_NODE_IP)
			err = prp_netlink_parse_ip(node, attr, info->extack);
		if (err)
			return err;
	}
	return 0;
}

/**
 * prp_nl_table_add_doit() - add a node to the table of the transaction
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT without transaction; -EBUSY if it is another socket's;
 * what prp_table_add() returns.
 */
int prp_nl_table_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct prp_node node = {};
	int err;

	err = prp_netlink_parse_node(&node, info);
	if (err)
		return err;
	mutex_lock(&pn->nl.lock);
	err = prp_netlink_own(pn, info);
	if (!err)
		err = prp_table_add(pn->nl.table, &node, info->extack);
	mutex_unlock(&pn->nl.lock);
	return err;
}

/**
 * prp_nl_table_del_doit() - remove a node from the table of the transaction
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT without transaction or node; -EBUSY if the transaction
 * is another socket's; -EINVAL without a number.
 */
int prp_nl_table_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	u16 number;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_NODE_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the node's number is missing");
		return -EINVAL;
	}
	number = nla_get_u16(info->attrs[PRP_A_NODE_NUMBER]);
	mutex_lock(&pn->nl.lock);
	err = prp_netlink_own(pn, info);
	if (!err)
		err = prp_table_del(pn->nl.table, number, info->extack);
	mutex_unlock(&pn->nl.lock);
	return err;
}

static int prp_netlink_put_change(struct sk_buff *skb,
				  const struct prp_table_change *change)
{
	if (nla_put_u32(skb, PRP_A_TABLE_GENERATION, change->generation) ||
	    nla_put_u32(skb, PRP_A_TABLE_ADDED, change->added) ||
	    nla_put_u32(skb, PRP_A_TABLE_CHANGED, change->changed) ||
	    nla_put_u32(skb, PRP_A_TABLE_REMOVED, change->removed) ||
	    nla_put_u32(skb, PRP_A_TABLE_ENDED, change->ended) ||
	    nla_put_u32(skb, PRP_A_TABLE_LINKS_ADDED, change->links_added) ||
	    nla_put_u32(skb, PRP_A_TABLE_LINKS_REMOVED, change->links_removed))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_nl_table_commit_doit() - make the table of the transaction valid
 * @skb: request
 * @info: its attributes
 *
 * The answer is made before the table is published, so that what took
 * effect is not reported as an error.
 *
 * Return: 0; -ENOENT without transaction; -EBUSY if it is another socket's;
 * -EAGAIN if the table in force changed; -ENOMEM.
 */
int prp_nl_table_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct prp_table_change change;
	struct prp_table *table = NULL;
	struct sk_buff *reply;
	void *header;
	int err;

	reply = prp_netlink_reply_new(info, PRP_CMD_TABLE_COMMIT, &header);
	if (!reply)
		return -ENOMEM;
	mutex_lock(&pn->nl.lock);
	err = prp_netlink_own(pn, info);
	if (!err)
		table = prp_netlink_take(pn);
	mutex_unlock(&pn->nl.lock);
	if (table)
		err = prp_table_publish(pn, table, &change, info->extack);
	if (!err)
		err = prp_netlink_put_change(reply, &change);
	return prp_netlink_reply(reply, header, info, err);
}

/**
 * prp_nl_table_abort_doit() - end the transaction without effect
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT without transaction; -EBUSY if it is another socket's.
 */
int prp_nl_table_abort_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct prp_table *table = NULL;
	int err;

	mutex_lock(&pn->nl.lock);
	err = prp_netlink_own(pn, info);
	if (!err)
		table = prp_netlink_take(pn);
	mutex_unlock(&pn->nl.lock);
	prp_table_free(pn, table);
	return err;
}
