// SPDX-License-Identifier: GPL-2.0
/*
 * Queries: asks a node what it says of itself, for people who look for the
 * reason why something does not work. Nothing depends on it. A query that gets
 * no reply is forgotten when PRP_QUERY_SLOTS others have been sent.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "net.h"
#include "network/frame.h"
#include "network/hop.h"
#include "transport/query.h"

/* Take a slot, whoever had it, before the reply can come. */
static u32 query_register(struct prp_net *pn, const struct prp_query *query,
			  u8 rail, u32 portid, u32 seq)
{
	struct prp_queries *queries = &pn->queries;
	struct prp_query_slot *slot;
	u32 at, cookie;

	spin_lock(&queries->lock);
	at = queries->next++ % PRP_QUERY_SLOTS;
	cookie = (get_random_u32() & ~(PRP_QUERY_SLOTS - 1)) | at;
	slot = &queries->slot[at];
	slot->cookie = cookie;
	slot->number = query->number;
	slot->rail = rail;
	slot->portid = portid;
	slot->seq = seq;
	slot->sent_ns = ktime_get_ns();
	spin_unlock(&queries->lock);
	return cookie;
}

/* Give a slot up. Return: whether the query still waited; if so it is
 * copied.
 */
static bool query_take(struct prp_net *pn, u32 cookie,
		       struct prp_query_slot *copy)
{
	struct prp_queries *queries = &pn->queries;
	struct prp_query_slot *slot;
	bool found;

	slot = &queries->slot[cookie % PRP_QUERY_SLOTS];
	spin_lock(&queries->lock);
	found = slot->number && slot->cookie == cookie;
	if (found) {
		*copy = *slot;
		slot->number = 0;
	}
	spin_unlock(&queries->lock);
	return found;
}

/* Where a query goes. Return: 0, or as prp_hop_on_rcu() if it does not lead
 * there.
 */
static int query_hop(const struct prp_net *pn, const struct prp_query *query,
		     struct prp_hop *hop)
{
	int err;

	if (query->rail == PRP_RAIL_ANY)
		return prp_hop_rcu(pn, query->number, PRP_RAIL_ANY, hop);
	err = prp_hop_on_rcu(pn, query->number, query->rail, hop);
	if (!err && hop->rail != query->rail)
		err = -ENETUNREACH; /* another one would take its place */
	return err;
}

/**
 * prp_query_send() - ask a node
 * @pn: namespace
 * @query: what is asked
 * @portid: netlink socket that is told of the reply
 * @seq: by which that knows its request
 *
 * Return: 0; -EHOSTUNREACH, -ENETUNREACH or -ENETDOWN if no frame can leave
 * for the node on that rail; -EMSGSIZE if the rail does not carry it; -ENOBUFS
 * if it was dropped here.
 */
int prp_query_send(struct prp_net *pn, const struct prp_query *query,
		   u32 portid, u32 seq)
{
	struct {
		struct prp_ext_query query;
		struct prp_ext_ip ip;
	} ext = {
		.query = {
			.type = PRP_EXT_QUERY,
			.units = sizeof(ext.query) / PRP_EXT_UNIT,
			.sock_type = query->sock_type,
			.back = cpu_to_be16(query->back),
			.low = cpu_to_be16(query->low),
			.high = cpu_to_be16(query->high),
		},
		.ip = {
			.type = PRP_EXT_IP,
			.units = sizeof(ext.ip) / PRP_EXT_UNIT,
		},
	};
	struct prp_hdr hdr = {
		.version = PRP_VERSION,
		.hops = PRP_HOPS_DEFAULT,
		.dnode = cpu_to_be16(query->number),
		.dport = cpu_to_be16(query->port),
		.len = cpu_to_be16(query->size),
		.flags = cpu_to_be16(PRP_F_QUERY),
	};
	struct prp_query_slot slot;
	struct prp_hop hop;
	u32 cookie;
	int err;

	memcpy(ext.ip.source, &query->source, sizeof(ext.ip.source));
	memcpy(ext.ip.dest, &query->dest, sizeof(ext.ip.dest));
	rcu_read_lock_bh();
	hdr.snode = cpu_to_be16(rcu_dereference_bh(pn->table)->self);
	err = query_hop(pn, query, &hop);
	if (!err) {
		cookie = query_register(pn, query, hop.rail, portid, seq);
		ext.query.cookie = cpu_to_be32(cookie);
		err = prp_frame_to(pn, &hop, &hdr, &ext,
				   query->ip ? sizeof(ext) : sizeof(ext.query),
				   true);
		if (err)
			query_take(pn, cookie, &slot);
		else
			prp_mib_inc(pn, PRP_MIB_QUERIES_OUT);
	}
	rcu_read_unlock_bh();
	return err;
}

/**
 * prp_query_replied() - somebody replies to a query
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: the reply
 * @source: hardware address that it came from, where that is not the node's;
 *	else NULL
 *
 * Only who received the query knows its cookie. It need not be who we think it
 * is: to find that out is what queries are for.
 *
 * Return: 0, or the drop reason.
 */
int prp_query_replied(struct prp_net *pn, const struct prp_frame *frame,
		      const u8 *source)
{
	struct prp_query_slot slot;

	if (!query_take(pn, be32_to_cpu(frame->reply->cookie), &slot))
		return PRP_DROP_STATE;
	prp_mib_inc(pn, PRP_MIB_REPLIES_IN);
	prp_netlink_tell_reply(pn, &slot, frame, source,
			       ktime_get_ns() - slot.sent_ns);
	return 0;
}

/**
 * prp_query_net_init() - prepare a namespace
 * @pn: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int prp_query_net_init(struct prp_net *pn)
{
	spin_lock_init(&pn->queries.lock);
	pn->queries.slot = kcalloc(PRP_QUERY_SLOTS, sizeof(*pn->queries.slot),
				   GFP_KERNEL_ACCOUNT);
	return pn->queries.slot ? 0 : -ENOMEM;
}

/**
 * prp_query_net_exit() - counterpart of prp_query_net_init()
 * @pn: namespace, in which nothing is received any more
 */
void prp_query_net_exit(struct prp_net *pn)
{
	kfree(pn->queries.slot);
}
