// SPDX-License-Identifier: GPL-2.0
/*
 * What can be asked through generic netlink about peers; peer.c knows it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "see/peer.h"
#include "transport/timers.h"

/* Milliseconds since a tick of another processor's wheel, perhaps */
static u32 peer_ms_since(u64 tick)
{
	u64 now = prp_timers_clock();

	return now > tick ?
		       min_t(u64, div_u64(now - tick, PRP_TICKS_MS), U32_MAX) :
		       0;
}

/* A rail to a node. Return: 0 or -EMSGSIZE. */
static int peer_put_rail(struct sk_buff *skb, u8 number,
			 const struct prp_way_rail *rail)
{
	struct nlattr *nest;

	if (!rail->times && !rail->size)
		return 0;
	nest = nla_nest_start(skb, PRP_A_PEER_RAIL);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u8(skb, PRP_A_PEER_RAIL_NUMBER, number) ||
	    nla_put_u8(skb, PRP_A_PEER_RAIL_WHY, rail->why) ||
	    (rail->times && nla_put_u32(skb, PRP_A_PEER_RAIL_LEFT_AGE,
					peer_ms_since(rail->left_tick))) ||
	    (rail->back_tick && nla_put_u32(skb, PRP_A_PEER_RAIL_BACK_AGE,
					    peer_ms_since(rail->back_tick))) ||
	    nla_put_u32(skb, PRP_A_PEER_RAIL_TIMES, rail->times) ||
	    (rail->size &&
	     (nla_put_u16(skb, PRP_A_PEER_RAIL_SIZE, rail->size) ||
	      nla_put_u32(skb, PRP_A_PEER_RAIL_SIZE_AGE,
			  peer_ms_since(rail->size_tick))))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

#define COUNTER(field) \
	{ \
#field, offsetof(struct prp_conn_stats, field) \
	}

static const struct {
	const char *name;
	size_t offset;
} peer_counters[] = {
	COUNTER(segs_out),    COUNTER(segs_retransmitted), COUNTER(segs_in),
	COUNTER(segs_dup_in), COUNTER(acks_out),	   COUNTER(acks_in),
	COUNTER(probes_out),  COUNTER(bytes_out),	   COUNTER(bytes_in),
};

/* What connections with a node have counted. Return: 0 or -EMSGSIZE. */
static int peer_put_counters(struct sk_buff *skb,
			     const struct prp_conn_stats *stats)
{
	const void *at = stats;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(peer_counters); i++)
		err = prp_netlink_put_counter(skb, PRP_A_PEER_COUNTER,
					      peer_counters[i].name,
					      *(const u64 *)(at +
							     peer_counters[i]
								     .offset));
	return err;
}

/**
 * prp_netlink_put_peer() - say what is known of a node
 * @skb: message
 * @info: what is known
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_peer(struct sk_buff *skb, const struct prp_peer_info *info)
{
	unsigned int rail;

	if (nla_put_u16(skb, PRP_A_PEER_NUMBER, info->number) ||
	    (info->known &&
	     nla_put_u32(skb, PRP_A_PEER_HEARD, info->heard_ms)) ||
	    (info->told_hash &&
	     nla_put_u32(skb, PRP_A_PEER_TABLE_HASH, info->hash)) ||
	    (info->differs && nla_put_flag(skb, PRP_A_PEER_TABLE_DIFFERS)) ||
	    nla_put_u32(skb, PRP_A_PEER_CONNS, info->conns) ||
	    (info->waits &&
	     nla_put_u32(skb, PRP_A_PEER_SILENT, info->silent_ms)))
		return -EMSGSIZE;
	if (info->low && (nla_put_u8(skb, PRP_A_PEER_VERSION_LOW, info->low) ||
			  nla_put_u8(skb, PRP_A_PEER_VERSION_HIGH, info->high)))
		return -EMSGSIZE;
	if (info->lacks && nla_put_u16(skb, PRP_A_PEER_LACKS, info->lacks))
		return -EMSGSIZE;
	if (info->error &&
	    (nla_put_u8(skb, PRP_A_PEER_ERROR, info->error) ||
	     nla_put_u16(skb, PRP_A_PEER_ERROR_NODE, info->error_node) ||
	     nla_put_u32(skb, PRP_A_PEER_ERROR_AGE, info->error_ms)))
		return -EMSGSIZE;
	for (rail = 0; rail < PRP_RAILS; rail++)
		if (peer_put_rail(skb, rail, &info->way.rail[rail]))
			return -EMSGSIZE;
	return peer_put_counters(skb, &info->stats);
}

/**
 * prp_nl_peer_get_doit() - get what is known of one node
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -ENOENT if the table has no such node; -EINVAL without a number;
 * -ENOMEM.
 */
int prp_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_net *pn = prp_net(genl_info_net(info));
	struct prp_peer_info peer;
	struct sk_buff *reply;
	void *header;
	u16 number;
	bool known;

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_PEER_NUMBER)) {
		GENL_SET_ERR_MSG(info, "the node's number is missing");
		return -EINVAL;
	}
	number = nla_get_u16(info->attrs[PRP_A_PEER_NUMBER]);
	rcu_read_lock();
	known = prp_table_node(rcu_dereference(pn->table), number);
	rcu_read_unlock();
	if (!known) {
		GENL_SET_ERR_MSG(info, "no node has this number");
		return -ENOENT;
	}
	reply = prp_netlink_reply_new(info, PRP_CMD_PEER_GET, &header);
	if (!reply)
		return -ENOMEM;
	prp_peer_get(pn, number, &peer);
	return prp_netlink_reply(reply, header, info,
				 prp_netlink_put_peer(reply, &peer));
}

static int peer_dump_one(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct prp_peer_info *info)
{
	void *header;

	header = prp_netlink_dump_begin(skb, cb, PRP_CMD_PEER_GET);
	if (!header)
		return -EMSGSIZE;
	return prp_netlink_dump_end(skb, header,
				    prp_netlink_put_peer(skb, info));
}

/**
 * prp_nl_peer_get_dumpit() - get all nodes of which something is known
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the smallest number still to come
 *
 * Return: bytes filled, 0 at the end, -EMSGSIZE or -ENOMEM.
 */
int prp_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	struct prp_peer_info *infos;
	unsigned int i, n;
	int err = 0;

	infos = kcalloc(PRP_PEER_BATCH, sizeof(*infos), GFP_KERNEL);
	if (!infos)
		return -ENOMEM;
	do {
		n = prp_peer_next(pn, cb->args[0], infos, PRP_PEER_BATCH);
		for (i = 0; i < n; i++) {
			err = peer_dump_one(skb, cb, &infos[i]);
			if (err)
				break;
			cb->args[0] = infos[i].number + 1;
		}
	} while (!err && n == PRP_PEER_BATCH);
	kfree(infos);
	return skb->len ?: err;
}
