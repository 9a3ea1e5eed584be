// SPDX-License-Identifier: GPL-2.0
/*
 * What this node says of itself when it is queried. A reply is never longer
 * than its query, and is one of the answers that prp_limit_may_answer() bounds:
 * who is believed has a node's, all others share the strangers', and are told
 * but why.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/etherdevice.h>

#include "inet/inet.h"
#include "network/access.h"
#include "network/checksum.h"
#include "network/frame.h"
#include "network/hop.h"
#include "network/limit.h"
#include "socket/sock.h"
#include "transport/query.h"
#include "transport/reply.h"

/* A reply, and the header that takes it to who asked. */
static void reply_begin(const struct prp_table *table,
			const struct prp_frame *frame, struct prp_hdr *hdr,
			struct prp_ext_reply *ext)
{
	memset(hdr, 0, sizeof(*hdr));
	hdr->version = PRP_VERSION;
	hdr->hops = PRP_HOPS_DEFAULT;
	hdr->dnode = cpu_to_be16(frame->snode);
	hdr->snode = cpu_to_be16(table->self);
	hdr->sport = cpu_to_be16(frame->dport);
	hdr->flags = cpu_to_be16(PRP_F_QUERY);
	memset(ext, 0, sizeof(*ext));
	ext->type = PRP_EXT_REPLY;
	ext->units = sizeof(*ext) / PRP_EXT_UNIT;
	ext->cookie = frame->query->cookie;
	ext->node = hdr->snode;
	if (table->self)
		ext->knows |= PRP_REPLY_TABLE;
	if (table->self == frame->dnode)
		ext->knows |= PRP_REPLY_MINE;
}

/* What became of a request for that port? */
static u8 reply_port(const struct prp_net *pn, const struct prp_frame *frame)
{
	const struct prp_sock *listener;
	struct prp_conn_ip ip;
	u8 type = frame->query->sock_type;

	if (!type)
		return PRP_REPLY_PORT_NONE;
	if (prp_access_would_refuse_rcu(pn, frame->dport, frame->snode))
		return PRP_REPLY_PORT_DENIED;
	if (frame->ip && !prp_inet_addr_believes_rcu(pn, frame))
		return PRP_REPLY_PORT_NOBODY;
	listener = prp_port_listener_rcu(pn, frame, &ip);
	if (!listener)
		return PRP_REPLY_PORT_NOBODY;
	return prp_sock_type(&listener->sk) == type ? PRP_REPLY_PORT_LISTENS :
						      PRP_REPLY_PORT_TYPE;
}

/* Reply to a node. Return: 0, or the drop reason of the query. */
static int reply_node(struct prp_net *pn, const struct prp_frame *frame)
{
	const struct prp_table *table = rcu_dereference(pn->table);
	const struct prp_ext_query *query = frame->query;
	u16 high = be16_to_cpu(query->high), len, mtu;
	struct prp_ext_reply ext;
	struct prp_hdr hdr;

	if (!prp_limit_may_answer(pn, frame->snode))
		return 0; /* which has counted it */
	reply_begin(table, frame, &hdr, &ext);
	ext.knows |= PRP_REPLY_BELIEVES;
	if (frame->ip && prp_inet_addr_believes_rcu(pn, frame))
		ext.knows |= PRP_REPLY_IP;
	ext.port = reply_port(pn, frame);
	ext.table_hash = cpu_to_be32(table->hash);
	if (query->low) {
		u32 lines =
			prp_table_lines(table, be16_to_cpu(query->low), &high);

		ext.lines = cpu_to_be32(lines);
		ext.high = cpu_to_be16(high);
	}
	ext.can = cpu_to_be16(PRP_FEATURES);
	ext.rails = prp_hop_ways_rcu(pn, frame->snode, &ext.up);
	mtu = prp_hop_mtu_rcu(pn, frame->snode);
	ext.mtu = cpu_to_be16(mtu);
	len = be16_to_cpu(query->back);
	if (sizeof(hdr) + sizeof(struct prp_ext_checksum) + sizeof(ext) + len >
	    mtu)
		len = 0; /* which tells as much */
	hdr.len = cpu_to_be16(len);
	if (prp_frame_bare(pn, &hdr, &ext, sizeof(ext), frame->checksum,
			   frame->rail))
		return PRP_DROP_NO_MEMORY;
	prp_mib_inc(pn, PRP_MIB_REPLIES_OUT);
	return 0;
}

/**
 * prp_reply_frame() - take a query, or the reply to one
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: frame with PRP_F_QUERY, from a believed source
 *
 * Return: 0, or the drop reason.
 */
int prp_reply_frame(struct prp_net *pn, const struct prp_frame *frame)
{
	return frame->query ? reply_node(pn, frame) :
			      prp_query_replied(pn, frame, NULL);
}

/* Tell who is not believed, or has not found whom he looked for. */
static void reply_stranger(const struct prp_rail *rail,
			   const struct sk_buff *skb,
			   const struct prp_frame *frame)
{
	const struct prp_table *table = rcu_dereference(rail->pn->table);
	struct prp_hop hop = {
		.dev = skb->dev,
		.mib = rail->mib,
		.src = rail->addr,
		.rail = rail->number,
	};
	struct prp_ext_reply ext;
	struct prp_hdr hdr;

	if (!prp_limit_may_answer(rail->pn, 0))
		return;
	ether_addr_copy(hop.dst, eth_hdr(skb)->h_source);
	reply_begin(table, frame, &hdr, &ext);
	if (prp_hop_source_ok_rcu(rail, table, frame->snode, hop.dst))
		ext.knows |= PRP_REPLY_BELIEVES;
	if (!prp_frame_to(rail->pn, &hop, &hdr, &ext, sizeof(ext),
			  frame->checksum))
		prp_mib_inc(rail->pn, PRP_MIB_REPLIES_OUT);
}

/**
 * prp_reply_unbelieved() - look for a query in what is dropped
 * @rail: rail that it arrived on; a softirq, in an RCU read section
 * @skb: frame
 * @reason: why it is to be dropped
 *
 * Return: 0 if it was a reply that a query waited for, else @reason.
 */
int prp_reply_unbelieved(const struct prp_rail *rail, struct sk_buff *skb,
			 int reason)
{
	const struct prp_hdr *hdr = (const void *)skb->data;
	struct prp_frame frame;
	size_t hdr_len;

	if (reason != PRP_DROP_SOURCE && reason != PRP_DROP_NOT_US &&
	    reason != PRP_DROP_NO_FORWARD)
		return reason;
	if (skb->pkt_type != PACKET_HOST || rail->number == PRP_RAILS ||
	    !(hdr->flags & cpu_to_be16(PRP_F_QUERY)) ||
	    prp_wire_lengths(hdr, skb->len, &hdr_len) ||
	    !pskb_may_pull(skb, hdr_len) ||
	    prp_wire_parse((const void *)skb->data, hdr_len, &frame) ||
	    frame.vnet || (frame.checksum && !prp_checksum_ok(skb, &frame)))
		return reason;
	if (frame.query)
		reply_stranger(rail, skb, &frame);
	else if (!prp_query_replied(rail->pn, &frame, eth_hdr(skb)->h_source))
		return 0;
	return reason;
}
