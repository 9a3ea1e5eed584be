// SPDX-License-Identifier: GPL-2.0
/*
 * Queries through generic netlink: a request makes a query leave, and its
 * reply, if there is one, comes to the same socket with the same number.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/capability.h>
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "network/limit.h"
#include "pure/wire.h"
#include "transport/query.h"

/* What the wire says is told as it is. */
#define SAID_AS(wire, told) static_assert((int)(wire) == (int)(told))
SAID_AS(PRP_REPLY_PORT_NONE, PRP_PORT_STATE_NONE);
SAID_AS(PRP_REPLY_PORT_LISTENS, PRP_PORT_STATE_LISTENS);
SAID_AS(PRP_REPLY_PORT_NOBODY, PRP_PORT_STATE_NOBODY);
SAID_AS(PRP_REPLY_PORT_DENIED, PRP_PORT_STATE_DENIED);
SAID_AS(PRP_REPLY_PORT_TYPE, PRP_PORT_STATE_TYPE);
SAID_AS(PRP_REPLY_PORTS, PRP_PORT_STATE_TYPE + 1);
SAID_AS(PRP_REPLY_TABLE, PRP_KNOWS_TABLE);
SAID_AS(PRP_REPLY_MINE, PRP_KNOWS_MINE);
SAID_AS(PRP_REPLY_BELIEVES, PRP_KNOWS_BELIEVES);
SAID_AS(PRP_REPLY_IP, PRP_KNOWS_IP);

static u16 query_u16(const struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u16(info->attrs[attr]) : 0;
}

/* An address as the wire has it. Return: 0 or -EINVAL with the reason told. */
static int query_ip(struct genl_info *info, int attr, struct in6_addr *ip)
{
	const struct nlattr *nla = info->attrs[attr];

	switch (nla_len(nla)) {
	case sizeof(struct in_addr):
		ipv6_addr_set_v4mapped(nla_get_in_addr(nla), ip);
		return 0;
	case sizeof(struct in6_addr):
		*ip = nla_get_in6_addr(nla);
		return 0;
	}
	NL_SET_ERR_MSG_ATTR(info->extack, nla, "not an IP address");
	return -EINVAL;
}

static int query_parse(struct genl_info *info, struct prp_query *query)
{
	bool source = info->attrs[PRP_A_QUERY_SOURCE];

	memset(query, 0, sizeof(*query));
	if (GENL_REQ_ATTR_CHECK(info, PRP_A_QUERY_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the node's number is missing");
		return -EINVAL;
	}
	query->number = nla_get_u16(info->attrs[PRP_A_QUERY_NUMBER]);
	query->rail = PRP_RAIL_ANY;
	if (info->attrs[PRP_A_QUERY_RAIL])
		query->rail = nla_get_u8(info->attrs[PRP_A_QUERY_RAIL]);
	query->size = query_u16(info, PRP_A_QUERY_SIZE);
	query->back = query_u16(info, PRP_A_QUERY_BACK);
	query->port = query_u16(info, PRP_A_QUERY_PORT);
	query->low = query_u16(info, PRP_A_QUERY_LOW);
	query->high = query_u16(info, PRP_A_QUERY_HIGH);
	if (query->port)
		query->sock_type = PRP_TYPE_STREAM;
	if (info->attrs[PRP_A_QUERY_SEQPACKET])
		query->sock_type = PRP_TYPE_SEQPACKET;
	query->ip = source;
	if (query->back > query->size) {
		GENL_SET_ERR_MSG(info, "a reply is not longer than its query");
		return -EINVAL;
	}
	if (!query->low != !query->high || query->high < query->low) {
		GENL_SET_ERR_MSG(info, "the nodes end before they begin");
		return -EINVAL;
	}
	if (source != !!info->attrs[PRP_A_QUERY_DEST] ||
	    ((source || query->sock_type) && !query->port)) {
		GENL_SET_ERR_MSG(info,
				 "a port in the IP mode has two addresses");
		return -EINVAL;
	}
	if (!source)
		return 0;
	return query_ip(info, PRP_A_QUERY_SOURCE, &query->source) ?:
		       query_ip(info, PRP_A_QUERY_DEST, &query->dest);
}

static void query_refused(struct genl_info *info, int err)
{
	switch (err) {
	case -EHOSTUNREACH:
		GENL_SET_ERR_MSG(info, "no way leads to this node");
		break;
	case -ENETUNREACH:
		GENL_SET_ERR_MSG(info, "no device of that rail leads there");
		break;
	case -ENETDOWN:
		GENL_SET_ERR_MSG(info, "the device is down or has no link");
		break;
	case -EMSGSIZE:
		GENL_SET_ERR_MSG(info, "the device does not carry that much");
		break;
	case -ENOBUFS:
		GENL_SET_ERR_MSG(info, "the query was dropped here");
		break;
	}
}

/**
 * prp_nl_query_doit() - ask a node what it says of itself
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL for what makes no sense; -EAGAIN if somebody without
 * privilege asks too often; as prp_query_send().
 */
int prp_nl_query_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct prp_query query;
	int err;

	err = query_parse(info, &query);
	if (err)
		return err;
	if (!netlink_ns_capable(skb, pn->net->user_ns, CAP_NET_ADMIN) &&
	    !prp_limit_may_query(pn)) {
		GENL_SET_ERR_MSG(info, "too many queries without privilege");
		return -EAGAIN;
	}
	err = prp_query_send(pn, &query, info->snd_portid, info->snd_seq);
	query_refused(info, err);
	return err;
}

static int query_put(struct sk_buff *skb, const struct prp_query_slot *slot,
		     const struct prp_frame *frame, const u8 *source,
		     u64 rtt_ns)
{
	const struct prp_ext_reply *reply = frame->reply;

	if (nla_put_u16(skb, PRP_A_QUERY_NUMBER, slot->number) ||
	    nla_put_u8(skb, PRP_A_QUERY_RAIL, slot->rail) ||
	    nla_put_u64_64bit(skb, PRP_A_QUERY_RTT, rtt_ns, PRP_A_QUERY_PAD) ||
	    nla_put_u16(skb, PRP_A_QUERY_SIZE, frame->len) ||
	    nla_put_u8(skb, PRP_A_QUERY_CAME, frame->rail) ||
	    nla_put_u16(skb, PRP_A_QUERY_NODE, be16_to_cpu(reply->node)) ||
	    nla_put_u8(skb, PRP_A_QUERY_KNOWS, reply->knows) ||
	    nla_put_u8(skb, PRP_A_QUERY_PORT_STATE, reply->port))
		return -EMSGSIZE;
	if (source && nla_put(skb, PRP_A_QUERY_MAC, ETH_ALEN, source))
		return -EMSGSIZE;
	if ((reply->knows & (PRP_REPLY_BELIEVES | PRP_REPLY_MINE)) !=
	    (PRP_REPLY_BELIEVES | PRP_REPLY_MINE))
		return 0;
	if (nla_put_u32(skb, PRP_A_QUERY_TABLE_HASH,
			be32_to_cpu(reply->table_hash)) ||
	    nla_put_u16(skb, PRP_A_QUERY_HIGH, be16_to_cpu(reply->high)) ||
	    nla_put_u32(skb, PRP_A_QUERY_LINES, be32_to_cpu(reply->lines)) ||
	    nla_put_u16(skb, PRP_A_QUERY_CAN, be16_to_cpu(reply->can)) ||
	    nla_put_u8(skb, PRP_A_QUERY_RAILS, reply->rails) ||
	    nla_put_u8(skb, PRP_A_QUERY_UP, reply->up) ||
	    nla_put_u16(skb, PRP_A_QUERY_MTU, be16_to_cpu(reply->mtu)))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_netlink_tell_reply() - tell who asked of a reply
 * @pn: namespace; a softirq
 * @slot: the query
 * @frame: the reply
 * @source: hardware address that it came from, where that is not the node's;
 *	else NULL
 * @rtt_ns: how long it took
 *
 * If there is no memory, or nobody any more, it is as if it had been lost.
 */
void prp_netlink_tell_reply(struct prp_net *pn,
			    const struct prp_query_slot *slot,
			    const struct prp_frame *frame, const u8 *source,
			    u64 rtt_ns)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	void *header;

	if (!skb)
		return;
	header = genlmsg_put(skb, slot->portid, slot->seq, &prp_netlink_family,
			     0, PRP_CMD_QUERY);
	if (!header || query_put(skb, slot, frame, source, rtt_ns)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_unicast(pn->net, skb, slot->portid);
}
