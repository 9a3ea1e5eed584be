// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration through generic netlink, as Documentation/netlink/specs/
 * prp.yaml has it: transactions on the host table, and the EtherType. What a
 * table may hold is decided in table.c; what can be asked is netlink_get.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/rail.h"
#include "network/table.h"

static const struct genl_multicast_group prp_netlink_groups[] = {
	[PRP_NLGRP_EVENTS] = { .name = PRP_MCGRP_EVENTS },
};

struct genl_family prp_netlink_family __ro_after_init = {
	.name = PRP_GENL_NAME,
	.version = PRP_GENL_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.mcgrps = prp_netlink_groups,
	.n_mcgrps = ARRAY_SIZE(prp_netlink_groups),
};

/**
 * prp_netlink_reply_new() - start the answer to a request
 * @info: the request
 * @cmd: command of the answer
 * @header: set to what prp_netlink_reply() needs
 *
 * Return: the answer, to be given to prp_netlink_reply(), or NULL without
 * memory.
 */
struct sk_buff *prp_netlink_reply_new(struct genl_info *info, u8 cmd,
				      void **header)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*header = genlmsg_put_reply(skb, info, &prp_netlink_family, 0, cmd);
	if (*header)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

/**
 * prp_netlink_reply() - send an answer, or drop it after an error
 * @skb: the answer, which this call always consumes
 * @header: from prp_netlink_reply_new()
 * @info: the request
 * @err: 0, or why there is no answer
 *
 * Return: @err, or what became of the sending.
 */
int prp_netlink_reply(struct sk_buff *skb, void *header, struct genl_info *info,
		      int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

/* ---- transactions on the host table ---- */

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

/**
 * prp_netlink_own() - has the sender of a request a transaction open?
 * @pn: namespace, its nl.lock held
 * @info: request
 *
 * Return: 0; -ENOENT if there is no transaction; -EBUSY if it is another
 * socket's.
 */
int prp_netlink_own(struct prp_net *pn, const struct genl_info *info)
{
	lockdep_assert_held(&pn->nl.lock);

	if (!pn->nl.table) {
		GENL_SET_ERR_MSG(info, "no transaction is open");
		return -ENOENT;
	}
	if (pn->nl.portid != info->snd_portid) {
		GENL_SET_ERR_MSG(info, "the transaction is another program's");
		return -EBUSY;
	}
	return 0;
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

/* Take the table out of the transaction, which ends with it. */
static struct prp_table *prp_netlink_take(struct prp_net *pn)
{
	struct prp_table *table = pn->nl.table;

	lockdep_assert_held(&pn->nl.lock);

	pn->nl.table = NULL;
	pn->nl.portid = 0;
	return table;
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

/* A socket that is closed takes its transaction with it. */
static int prp_netlink_event(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	struct netlink_notify *notify = ptr;
	struct prp_table *table = NULL;
	struct prp_net *pn;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	pn = prp_net(notify->net);
	mutex_lock(&pn->nl.lock);
	if (pn->nl.table && pn->nl.portid == notify->portid)
		table = prp_netlink_take(pn);
	mutex_unlock(&pn->nl.lock);
	prp_table_free(pn, table);
	return NOTIFY_DONE;
}

static struct notifier_block prp_netlink_notifier = {
	.notifier_call = prp_netlink_event,
};

/* ---- the EtherType ---- */

/* EtherTypes that somebody else listens to */
static const u16 prp_netlink_ethertypes_taken[] = {
	ETH_P_IP,      ETH_P_ARP,      ETH_P_RARP,    ETH_P_IPV6,
	ETH_P_8021Q,   ETH_P_8021AD,   ETH_P_QINQ1,   ETH_P_QINQ2,
	ETH_P_QINQ3,   ETH_P_ERSPAN,   ETH_P_ERSPAN2, ETH_P_MPLS_UC,
	ETH_P_MPLS_MC, ETH_P_PPP_DISC, ETH_P_PPP_SES, ETH_P_SLOW,
	ETH_P_PAUSE,   ETH_P_PAE,      ETH_P_LLDP,    ETH_P_MACSEC,
	ETH_P_PREAUTH, ETH_P_TIPC,     ETH_P_1588,    ETH_P_MRP,
	ETH_P_CFM,     ETH_P_MAP,      ETH_P_FCOE,    ETH_P_FIP,
	ETH_P_IBOE,    ETH_P_AOE,      ETH_P_TDLS,    ETH_P_NCSI,
	ETH_P_PRP,     ETH_P_HSR,      ETH_P_TSN,     ETH_P_MVRP,
	ETH_P_BATMAN,  ETH_P_LOOPBACK, ETH_P_NSH,     ETH_P_TEB,
	ETH_P_IPX,     ETH_P_ATALK,    ETH_P_AARP,
};

static int prp_netlink_check_ethertype(u16 ethertype,
				       struct netlink_ext_ack *extack)
{
	unsigned int i;

	if (ethertype < ETH_P_802_3_MIN) {
		NL_SET_ERR_MSG(extack,
			       "below 0x0600 it is a length, not an EtherType");
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(prp_netlink_ethertypes_taken); i++) {
		if (ethertype == prp_netlink_ethertypes_taken[i]) {
			NL_SET_ERR_MSG(extack,
				       "the EtherType is another protocol's");
			return -EADDRINUSE;
		}
	}
	return 0;
}

/**
 * prp_nl_ethertype_set_doit() - speak another EtherType
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without an EtherType or for a length; -EADDRINUSE for
 * one that another protocol has.
 */
int prp_nl_ethertype_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	u16 ethertype;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_TABLE_ETHERTYPE)) {
		GENL_SET_ERR_MSG(info, "the EtherType is missing");
		return -EINVAL;
	}
	ethertype = nla_get_u16(info->attrs[PRP_A_TABLE_ETHERTYPE]);
	err = prp_netlink_check_ethertype(ethertype, info->extack);
	if (err)
		return err;
	rtnl_lock();
	mutex_lock(&pn->table_mutex);
	if (prp_rail_set_ethertype(pn, ethertype))
		prp_netlink_notify_table(pn);
	mutex_unlock(&pn->table_mutex);
	rtnl_unlock();
	return 0;
}

/* ---- life ---- */

/**
 * prp_netlink_net_init() - a new namespace has no transaction
 * @pn: namespace
 *
 * Return: 0.
 */
int prp_netlink_net_init(struct prp_net *pn)
{
	mutex_init(&pn->nl.lock);
	prp_netlink_notify_net_init(pn);
	return 0;
}

/**
 * prp_netlink_net_exit() - forget a namespace's transaction
 * @pn: namespace; a socket would keep it, so only the unloading of the
 *	module finds a transaction here
 */
void prp_netlink_net_exit(struct prp_net *pn)
{
	prp_netlink_notify_net_exit(pn);
	prp_table_free(pn, pn->nl.table);
	pn->nl.table = NULL;
	mutex_destroy(&pn->nl.lock);
}

/**
 * prp_netlink_init() - let administrators in, when all else is ready
 *
 * Return: 0 or a negative error.
 */
int __init prp_netlink_init(void)
{
	int err;

	err = netlink_register_notifier(&prp_netlink_notifier);
	if (err)
		return err;
	prp_compat_genl_set_ops(&prp_netlink_family, prp_nl_ops,
				ARRAY_SIZE(prp_nl_ops));
	err = genl_register_family(&prp_netlink_family);
	if (err)
		netlink_unregister_notifier(&prp_netlink_notifier);
	else
		prp_netlink_notify_start();
	return err;
}

/**
 * prp_netlink_exit() - lock administrators out
 */
void prp_netlink_exit(void)
{
	prp_netlink_notify_stop();
	genl_unregister_family(&prp_netlink_family);
	netlink_unregister_notifier(&prp_netlink_notifier);
}
