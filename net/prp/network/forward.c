// SPDX-License-Identifier: GPL-2.0
/*
 * Frames for other nodes (papers/004, section 2.3: static routing with
 * forwarding nodes): passed on with one hop less, or dropped and answered
 * with the reason. A forwarder reads the header and nothing else.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <uapi/linux/prp_netlink.h>

#include "network/forward.h"
#include "network/frame.h"
#include "network/hop.h"
#include "network/limit.h"
#include "network/offload.h"
#include "network/rail.h"
#include "network/route.h"
#include "see/trace.h"

/**
 * prp_forward_is_on() - are frames for other nodes passed on?
 * @pn: namespace
 * @table: its host table
 *
 * Without links nodes reach each other without help: a frame for another node
 * is somebody's mistake, or his way past the separation of two rails.
 *
 * Return: what the administrator says; unless he does, whether there are links.
 */
bool prp_forward_is_on(const struct prp_net *pn, const struct prp_table *table)
{
	switch (READ_ONCE(pn->forward)) {
	case PRP_FORWARD_ON:
		return true;
	case PRP_FORWARD_OFF:
		return false;
	default:
		return table->link_count;
	}
}

/* Tell the sender of a frame why it goes no further. An answer to an error
 * or to a reset would be of use to nobody.
 */
static void forward_answer(struct prp_net *pn, const struct prp_hdr *hdr,
			   u16 self, enum prp_error code, u16 mtu)
{
	struct prp_ext_error ext = {
		.type = PRP_EXT_ERROR,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.code = code,
		.dnode = hdr->dnode,
		.mtu = cpu_to_be16(mtu),
		.tag = hdr->tag,
		.seq = hdr->seq,
	};
	struct prp_hdr answer = {
		.version = PRP_VERSION,
		.hops = PRP_HOPS_DEFAULT,
		.dnode = hdr->snode,
		.snode = cpu_to_be16(self),
		.sport = hdr->dport,
		.dport = hdr->sport,
		.flags = cpu_to_be16(PRP_F_ERROR),
	};

	if (hdr->flags & cpu_to_be16(PRP_F_ERROR | PRP_F_RST) ||
	    !prp_limit_may_answer(pn, be16_to_cpu(hdr->snode)))
		return;
	prp_frame_bare(pn, &answer, &ext, sizeof(ext), true,
		       prp_wire_rail(hdr));
	prp_mib_inc(pn, PRP_MIB_ERRORS_OUT);
}

/* One of our own frames that comes back has been sent round in a circle: it
 * goes on until its hops are used up, and we are told.
 */
static bool forward_source_ok(const struct prp_rail *rail,
			      const struct prp_table *table, u16 snode,
			      const u8 *source)
{
	if (snode == table->self)
		return table->routes &&
		       prp_route_may_forward(table, rail->number, source);
	return prp_hop_source_ok_rcu(rail, table, snode, source);
}

/* Hand on a frame, or a run of so many segments; it is ours to write. Return: 0
 * or the drop reason.
 */
static int forward_down(struct prp_net *pn, struct sk_buff *skb,
			const struct prp_hop *hop, unsigned int segs)
{
	struct prp_hdr *hdr;
	unsigned int more;

	if (skb_cow(skb, LL_RESERVED_SPACE(hop->dev)))
		return PRP_DROP_NO_MEMORY;
	hdr = (struct prp_hdr *)skb->data;
	hdr->hops--;
	skb_reset_network_header(skb);
	if (!skb->sw_hash) /* else a sender on this machine has set it */
		__skb_set_sw_hash(skb, prp_offload_hash(hdr), true);
	if (segs == 1)
		skb->ip_summed = CHECKSUM_NONE;
	else
		prp_offload_make(skb, prp_run_head(hdr), be16_to_cpu(hdr->len),
				 segs);
	skb->priority = 0;
	skb_clear_tstamp(skb);
	skb->dev = hop->dev;
	skb->protocol = htons(pn->ethertype);
	more = prp_offload_more(hdr, segs);
	if (dev_hard_header(skb, hop->dev, pn->ethertype, hop->dst, hop->src,
			    skb->len) < 0)
		return PRP_DROP_NO_ROUTE;
	prp_mib_rail_out(hop->mib, segs, skb->len + more);
	prp_mib_add(pn, PRP_MIB_FORWARDED, segs);
	trace_prp_transmit(pn, NULL, skb);
	dev_queue_xmit(skb); /* it frees what it drops */
	return 0;
}

/* Hand the segments of a run on one by one. Return: 0 or the drop reason. */
static int forward_cut(struct prp_net *pn, struct sk_buff *skb,
		       const struct prp_hop *hop)
{
	struct sk_buff *frame = prp_offload_cut(skb, true), *next;
	int reason;

	if (!frame)
		return PRP_DROP_NO_MEMORY;
	consume_skb(skb);
	for (; frame; frame = next) {
		next = frame->next;
		skb_mark_not_on_list(frame);
		reason = forward_down(pn, frame, hop, 1);
		if (reason) {
			prp_mib_inc(pn, reason);
			trace_prp_drop(pn, hop->dev, NULL, reason);
			kfree_skb(frame);
		}
	}
	return 0;
}

/**
 * prp_forward() - pass a frame on that is for another node
 * @rail: rail that it arrived on; a softirq, in an RCU read section
 * @skb: frame with a whole header whose lengths were checked
 *
 * Return: 0 if it was sent, or the drop reason.
 */
int prp_forward(const struct prp_rail *rail, struct sk_buff *skb)
{
	const struct prp_hdr *hdr = (const struct prp_hdr *)skb->data;
	const struct prp_table *table = rcu_dereference(rail->pn->table);
	u16 dnode = be16_to_cpu(hdr->dnode), snode = be16_to_cpu(hdr->snode);
	struct prp_net *pn = rail->pn;
	unsigned int segs;
	struct prp_hop hop;
	size_t len;

	if (!table->self || rail->number == PRP_RAILS ||
	    !prp_table_node(table, dnode))
		return PRP_DROP_NOT_US;
	if (!prp_forward_is_on(pn, table))
		return PRP_DROP_NO_FORWARD;
	if (!forward_source_ok(rail, table, snode, eth_hdr(skb)->h_source))
		return PRP_DROP_SOURCE;
	if (prp_hop_rcu(pn, dnode, prp_wire_rail(hdr), &hop)) {
		forward_answer(pn, hdr, table->self, PRP_ERROR_NO_ROUTE, 0);
		return PRP_DROP_NO_ROUTE;
	}
	if (!(hdr->hops & PRP_HOPS_MASK)) {
		forward_answer(pn, hdr, table->self, PRP_ERROR_HOPS, 0);
		return PRP_DROP_HOPS;
	}
	/* without padding, or of each segment of a run */
	len = prp_wire_frame_len(hdr);
	if (len > READ_ONCE(hop.dev->mtu)) {
		forward_answer(pn, hdr, table->self, PRP_ERROR_TOO_BIG,
			       READ_ONCE(hop.dev->mtu));
		return PRP_DROP_TOO_BIG;
	}
	segs = prp_offload_segs(skb);
	if (segs == 1 && pskb_trim(skb, len))
		return PRP_DROP_NO_MEMORY;
	if (unlikely(segs > 1 && !prp_offload_passes(hop.dev)))
		return forward_cut(pn, skb, &hop);
	return forward_down(pn, skb, &hop, segs);
}
