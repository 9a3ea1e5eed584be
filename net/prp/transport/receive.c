// SPDX-License-Identifier: GPL-2.0
/*
 * Frames on their way up: validated, given to their connection, checked
 * against its window, put in order. Softirq from end to end; taking the data
 * to the program is deliver.c's.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>

#include "compat/compat.h"
#include "network/checksum.h"
#include "network/forward.h"
#include "network/frame.h"
#include "network/hop.h"
#include "network/limit.h"
#include "network/offload.h"
#include "see/peer.h"
#include "see/trace.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/cgroup.h"
#include "transport/crowd.h"
#include "transport/failover.h"
#include "transport/fault.h"
#include "transport/handshake.h"
#include "transport/message.h"
#include "transport/output.h"
#include "transport/path_size.h"
#include "transport/receive.h"
#include "transport/recovery.h"
#include "transport/reply.h"
#include "transport/stray.h"
#include "transport/told.h"
#include "transport/xmit.h"

#define COPY_BEHIND 0x10000 /* segments: older frames are copies */

/* What can become of a frame besides its being kept (0) or dropped */
#define DONE -1 /* it has had its effect */
#define OTHERS -2 /* it is for another node */
#define TOLD -3 /* a forwarder's error, of some other connection */

/* Where a received frame's header is, if all of it can be read. */
static const struct prp_hdr *drop_hdr(const struct sk_buff *skb)
{
	const u8 *hdr = skb_network_header(skb);

	return skb_tail_pointer(skb) - hdr < (int)sizeof(struct prp_hdr) ?
		       NULL :
		       (const void *)hdr;
}

/* Drop a frame, or a run of so many. */
static void drop(struct prp_net *pn, struct sk_buff *skb, int reason,
		 unsigned int segs)
{
	prp_mib_add(pn, reason, segs);
	trace_prp_drop(pn, skb->dev, drop_hdr(skb), reason);
	pr_debug_ratelimited("prp: %s\n", prp_mib_name(reason));
	kfree_skb(skb);
}

/* An in-order segment: for the reader, or nothing but an end. */
static __always_inline void receive_queue(struct prp_conn *conn,
					  struct sk_buff *skb)
{
	const bool end = prp_skb_cb(skb)->flags & PRP_F_END;
	u32 bytes = skb->len;

	if (unlikely(conn->messages) && prp_skb_cb(skb)->messages)
		bytes = __prp_message_queued(conn, skb);
	if (bytes) {
		conn->stats.bytes_in += skb->len;
		WRITE_ONCE(conn->rx.bytes, conn->rx.bytes + bytes);
		__skb_queue_tail(&conn->rx.queue, skb);
	} else {
		conn->rx.mem -= skb->truesize;
		napi_consume_skb(skb, 1);
	}
	/* pairs with prp_deliver_over() */
	if (end)
		smp_store_release(&conn->peer_end, true); /* behind the bytes */
}

/* Keep a segment beyond a gap. Return: false if there is no memory. */
static bool receive_keep(struct prp_conn *conn, struct sk_buff *skb, u32 seq)
{
	bool new_gap = seq != conn->rcv.high;

	if (unlikely(!conn->rx.late)) {
		conn->rx.late = kcalloc(PRP_WIN, sizeof(*conn->rx.late),
					GFP_ATOMIC | __GFP_NOWARN);
		if (!conn->rx.late)
			return false;
	}
	conn->rx.late[seq % PRP_WIN] = skb;
	prp_rcv_accept(&conn->rcv, seq);
	prp_mib_inc(conn->pn, PRP_MIB_SEGS_LATE);
	prp_ack_beyond_gap(&conn->ack, new_gap);
	return true;
}

/* The segment that was waited for, and what it lets through; or a run. */
static __always_inline void receive_in_order(struct prp_conn *conn,
					     struct sk_buff *skb, u32 seq,
					     unsigned int segs)
{
	bool filled = conn->rcv.late;
	struct sk_buff **late;
	unsigned int more;

	if (likely(segs == 1))
		more = prp_rcv_accept(&conn->rcv, seq);
	else
		more = prp_rcv_accept_run(&conn->rcv, segs);
	if (unlikely(conn->rx.parts))
		__prp_path_size_passed(conn);
	for (;;) {
		receive_queue(conn, skb);
		if (likely(!--more))
			break;
		late = &conn->rx.late[++seq % PRP_WIN];
		skb = *late;
		*late = NULL;
	}
	if (prp_ack_in_order(&conn->ack, filled)) {
		conn->ack.tick = prp_timers_now() + PRP_ACK_TICKS;
		__prp_timers_due(conn, conn->ack.tick);
	}
	if (conn->pool) /* is it needed for long? */
		__prp_timers_due(conn, conn->tx.idle_tick);
	prp_wake_readable(conn);
}

/* Has a reader nothing to read? Until it is accepted it has no reader. */
static bool receive_is_read(const struct prp_conn *conn)
{
	return conn->sk && !prp_sock_unread(prp_sk(conn->sk), conn);
}

/* There is no room or no memory for it. What lies beyond a gap cannot be given
 * up, because the peer may have been told that it is here, nor be read: when
 * there is nothing else, the segment that is waited for is taken beyond the
 * bounds.
 */
static noinline bool receive_must_hold(struct prp_conn *conn, u32 size,
				       enum prp_seg what)
{
	u32 bound = prp_rx_bound(&conn->rx);

	if (conn->rx.mem + size <= bound && __prp_account_squeeze(conn, size))
		return true;
	return what == PRP_SEG_NEXT && receive_is_read(conn) &&
	       conn->rx.mem + size <= bound + PRP_AWAITED_MAX &&
	       (__prp_account_charge_rx(conn, size) ||
		__prp_account_has_reserve(conn, size));
}

/* May so much more be held? */
static __always_inline bool receive_may_hold(struct prp_conn *conn, u32 size,
					     enum prp_seg what)
{
	if (unlikely(conn->rx.mem + size > prp_rx_bound(&conn->rx) ||
		     !__prp_account_charge_rx(conn, size) ||
		     !__prp_cgroup_charge(conn, size)))
		return receive_must_hold(conn, size, what);
	/* what a reader waits for may be here as a whole */
	if (unlikely(conn->rx.starved) && what == PRP_SEG_NEXT)
		WRITE_ONCE(conn->rx.starved, false);
	return true;
}

/* Has the program ended both ways? Then nobody will ever read what comes. */
static noinline bool receive_has_no_reader(const struct prp_conn *conn)
{
	return conn->orphan ||
	       (conn->sk && READ_ONCE(conn->sk->sk_shutdown) == SHUTDOWN_MASK);
}

/* Does a segment bring something to read? An empty message is something. */
static bool receive_brings(const struct prp_conn *conn,
			   const struct prp_frame *frame)
{
	return frame->len || (conn->messages && frame->flags & PRP_F_EOM);
}

/* May this segment be taken? Return: 0 or the drop reason. */
static __always_inline int receive_check(struct prp_conn *conn,
					 const struct sk_buff *skb,
					 const struct prp_frame *frame,
					 enum prp_seg *what)
{
	if (frame->len > conn->seg_size)
		return PRP_DROP_SEG_SIZE;
	*what = prp_rcv_check(&conn->rcv, frame->seq);
	if (*what == PRP_SEG_DUPLICATE) {
		conn->stats.segs_dup_in++;
		prp_ack_duplicate(&conn->ack);
		return PRP_DROP_DUPLICATE;
	}
	if (*what == PRP_SEG_OUTSIDE) {
		prp_ack_asked(&conn->ack);
		return PRP_DROP_WINDOW;
	}
	if (conn->peer_end)
		return PRP_DROP_STATE;
	if (skb_pfmemalloc(skb)) /* of the reserve that frees memory */
		return PRP_DROP_NO_MEMORY;
	if (unlikely(conn->end_queued) && receive_brings(conn, frame) &&
	    receive_has_no_reader(conn)) {
		__prp_handshake_abort(conn, ECONNRESET);
		return PRP_DROP_STATE;
	}
	if (unlikely(!receive_may_hold(conn, skb->truesize, *what))) {
		prp_rx_weighs(&conn->rx, skb->truesize / frame->segs);
		prp_ack_no_memory(&conn->ack);
		prp_wake_starved(conn);
		return PRP_DROP_OVERRUN;
	}
	return 0;
}

/* A segment is not kept. If it was put together, its last fragment is still
 * the caller's. Return: the reason.
 */
static int receive_undo(struct sk_buff *segment, struct sk_buff *last,
			int reason)
{
	if (segment != last) {
		skb_get(last);
		kfree_skb(segment);
	}
	return reason;
}

/* Note the transmission number of a frame that brought no new segment: it may
 * be a copy of one of long ago, whose number would count as a new one after
 * half of the numbers have passed.
 */
static void receive_saw(struct prp_conn *conn, const struct prp_frame *frame)
{
	if (!prp_before(frame->seq, conn->rcv.nxt - COPY_BEHIND) &&
	    !prp_before(frame->ack, conn->snd.una - COPY_BEHIND))
		prp_rcv_saw(&conn->rcv, frame->rail, frame->txno);
}

/* Take a numbered segment, or a run that is next. Return: 0 if it was kept, or
 * the drop reason.
 */
static __always_inline int receive_segment(struct prp_conn *conn,
					   struct sk_buff *last,
					   const struct prp_frame *frame)
{
	struct sk_buff *skb = last;
	enum prp_seg what;
	int reason;

	reason = receive_check(conn, skb, frame, &what);
	if (unlikely(reason)) {
		receive_saw(conn, frame);
		return reason;
	}
	prp_rcv_saw(&conn->rcv, frame->rail, frame->txno + frame->segs - 1);
	__skb_pull(skb, frame->hdr_len);
	if (unlikely(frame->fragment)) {
		if (be16_to_cpu(frame->fragment->total) > conn->seg_size)
			return PRP_DROP_SEG_SIZE;
		skb = __prp_path_size_join(conn, skb, frame, &reason);
		if (!skb)
			return reason;
	}
	prp_skb_cb(skb)->read = 0;
	prp_skb_cb(skb)->flags = frame->flags;
	if (unlikely(conn->messages) && !prp_message_check(skb, frame))
		return receive_undo(skb, last, PRP_DROP_EXTENSION);
	conn->rx.mem += skb->truesize;
	if (what == PRP_SEG_NEXT) {
		receive_in_order(conn, skb, frame->seq, frame->segs);
	} else if (!receive_keep(conn, skb, frame->seq)) {
		conn->rx.mem -= skb->truesize;
		return receive_undo(skb, last, PRP_DROP_NO_MEMORY);
	}
	conn->stats.segs_in += frame->segs;
	prp_mib_add(conn->pn, PRP_MIB_SEGS_IN, frame->segs);
	return 0;
}

/* Take a run's segments one by one: something is missing before it, or some of
 * it is here. Each keeps what the run is in, or a share of it, and is charged
 * for that. Return: 0, or the drop reason of all.
 */
static noinline int receive_run_cut(struct prp_conn *conn, struct sk_buff *skb,
				    unsigned int segs)
{
	struct sk_buff *seg = prp_offload_cut(skb, false), *next;
	const unsigned int share = skb->truesize / segs;
	const struct prp_hdr *hdr;
	struct prp_frame frame;
	int reason;

	if (!seg)
		return PRP_DROP_NO_MEMORY;
	for (; seg; seg = next) {
		next = seg->next;
		skb_mark_not_on_list(seg);
		seg->truesize = max(seg->truesize, share);
		hdr = (const struct prp_hdr *)seg->data;
		prp_wire_parse(hdr, prp_run_head(hdr), &frame);
		frame.segs = 1;
		reason = conn->state == PRP_ESTABLISHED ?
				 receive_segment(conn, seg, &frame) :
				 PRP_DROP_NO_CONN;
		if (reason)
			drop(conn->pn, seg, reason, 1);
	}
	consume_skb(skb);
	return 0;
}

/* Who looks after the device itself wants to know which one it is. */
static void receive_napi(struct prp_conn *conn, const struct sk_buff *skb)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	WRITE_ONCE(conn->napi_id, skb->napi_id);
#endif
}

/* A frame of an established connection. Return: 0 if its skb was kept, DONE,
 * or the drop reason.
 */
static __always_inline int receive_established(struct prp_conn *conn,
					       struct sk_buff *skb,
					       const struct prp_frame *frame)
{
	if (frame->tag != conn->tag)
		return prp_stray_other(conn->pn, frame) ?: DONE;
	if (unlikely(conn->checksum) && !frame->checksum)
		return PRP_DROP_CHECKSUM;
	if (!__prp_recovery_ack(conn, frame))
		return PRP_DROP_ACK;
	conn->watch.heard_tick = prp_timers_now();
	__prp_failover_heard(conn, frame);
	receive_napi(conn, skb);
	if (unlikely(frame->marked)) {
		conn->hdr.marks += frame->segs;
		prp_mib_add(conn->pn, PRP_MIB_MARKS_IN, frame->segs);
	}
	if (unlikely(conn->handshake.unconfirmed || conn->handshake.confirming))
		__prp_handshake_confirmed(conn, frame);
	if (frame->flags & PRP_F_SEG) {
		if (frame->flags & PRP_F_ACKNOW) {
			prp_ack_asked(&conn->ack);
			__prp_crowd_asked(conn);
		}
		if (unlikely(frame->segs > 1) &&
		    !prp_rcv_takes_run(&conn->rcv, frame->seq, frame->segs))
			return receive_run_cut(conn, skb, frame->segs);
		return receive_segment(conn, skb, frame);
	}
	receive_saw(conn, frame);
	if (frame->flags & PRP_F_ACKNOW) {
		prp_ack_probed(&conn->ack);
		if (unlikely(frame->rails))
			__prp_failover_told(conn, frame);
	} else {
		if (unlikely(frame->crowd || conn->crowd.among))
			__prp_crowd_told(conn, frame);
		conn->stats.acks_in++;
		prp_mib_inc(conn->pn, PRP_MIB_ACKS_IN);
	}
	return DONE;
}

/* What a frame makes us send, and whether it was the last one. */
static __always_inline void receive_react(struct prp_conn *conn)
{
	bool finished = __prp_conn_is_over(conn, conn->orphan);

	if (unlikely(conn->ack.there))
		__prp_xmit_ack(conn);
	if (conn->snd.nxt != conn->tx.end || conn->snd.lost)
		__prp_output_push_bh(conn);
	if (conn->ack.now || (finished && conn->ack.pending))
		__prp_xmit_ack(conn);
	if (finished)
		__prp_conn_finish(conn);
}

/* A frame while we wait for the answer. One with our tag has overtaken it;
 * another one is of a connection that we have forgotten, and whose other end
 * keeps our request from being heard until it is told. Return: DONE or the drop
 * reason.
 */
static int receive_early(struct prp_conn *conn, const struct prp_frame *frame)
{
	if (frame->tag == conn->tag)
		return PRP_DROP_STATE;
	return prp_stray_other(conn->pn, frame) ?: DONE;
}

/* Give a frame to its connection. Return: TOLD, or as receive_established(). */
static __always_inline int receive_conn(struct prp_conn *conn,
					struct sk_buff *skb,
					const struct prp_frame *frame)
{
	int ret;

	spin_lock(&conn->lock);
	if (unlikely(conn->state == PRP_CLOSE))
		ret = PRP_DROP_NO_CONN; /* it is being closed just now */
	else if (frame->flags & PRP_F_ERROR)
		ret = TOLD;
	else if (frame->flags & (PRP_F_REQ | PRP_F_ANS | PRP_F_RST | PRP_F_CON))
		ret = __prp_handshake_frame(conn, frame) ?: DONE;
	else if (unlikely(conn->state == PRP_CONN_WAIT))
		ret = receive_early(conn, frame);
	else
		ret = receive_established(conn, skb, frame);
	if (conn->state == PRP_ESTABLISHED)
		receive_react(conn);
	spin_unlock(&conn->lock);
	return ret;
}

/* Somebody does not speak our version. Never answered. */
static void receive_notice(const struct prp_rail *rail, struct sk_buff *skb)
{
	const struct prp_notice *notice;
	const struct prp_hdr *hdr;
	union prp_conn_key key = {};
	struct prp_conn *conn;

	if (!pskb_may_pull(skb, sizeof(*notice)))
		return;
	notice = (const void *)skb->data;
	hdr = (const void *)notice->quote;
	key.peer = be16_to_cpu(hdr->dnode);
	key.rport = be16_to_cpu(hdr->dport);
	key.lport = be16_to_cpu(hdr->sport);
	if (!prp_hop_source_ok_rcu(rail, rcu_dereference(rail->pn->table),
				   key.peer, eth_hdr(skb)->h_source))
		return;
	conn = prp_conn_find_rcu(rail->pn, &key);
	if (!conn)
		return;
	spin_lock(&conn->lock);
	if (conn->state == PRP_CONN_WAIT &&
	    be32_to_cpu(hdr->seq) == conn->first) {
		prp_peer_version(rail->pn, key.peer, notice->low, notice->high);
		__prp_conn_abort(conn, EPROTONOSUPPORT);
	}
	spin_unlock(&conn->lock);
}

/* A frame of a version that is not ours. Who sent it is known if its source,
 * which all versions have in one place, is at that hardware address.
 */
static void receive_version(const struct prp_rail *rail, struct sk_buff *skb)
{
	const struct prp_hdr *hdr = (const void *)skb->data;
	u16 snode = be16_to_cpu(hdr->snode);
	struct prp_notice notice = {
		.zero = PRP_VERSION_NOTICE,
		.low = PRP_VERSION,
		.high = PRP_VERSION,
		.got = skb->data[0],
	};
	bool known;

	if (notice.got == PRP_VERSION_NOTICE) {
		receive_notice(rail, skb);
		return;
	}
	known = prp_hop_source_ok_rcu(rail, rcu_dereference(rail->pn->table),
				      snode, eth_hdr(skb)->h_source);
	if (!prp_limit_may_answer(rail->pn, known ? snode : 0))
		return;
	if (known)
		prp_peer_version(rail->pn, snode, notice.got, notice.got);
	memcpy(notice.quote, skb->data, sizeof(notice.quote));
	prp_frame_notice(rail, skb->dev, eth_hdr(skb)->h_source, &notice);
}

/* Is it for us, and from one host? Return: 0 or the drop reason. */
static int receive_addresses(const struct prp_rail *rail,
			     const struct sk_buff *skb)
{
	if (unlikely(skb->pkt_type != PACKET_HOST))
		return PRP_DROP_NOT_US;
	/* what loopback carries has no addresses */
	if (unlikely(!is_valid_ether_addr(eth_hdr(skb)->h_source)) &&
	    rail->number != PRP_RAILS)
		return PRP_DROP_HW_SOURCE;
	return 0;
}

/* It has no whole header of ours, but perhaps one of another version. */
static int receive_short(struct sk_buff *skb)
{
	if (pskb_may_pull(skb, sizeof_field(struct prp_notice, quote)) &&
	    skb->data[0] != PRP_VERSION)
		return PRP_DROP_VERSION;
	return PRP_DROP_SHORT;
}

/* Make the header readable and judge the frame by itself. Return: 0, OTHERS
 * or the drop reason.
 */
static __always_inline int receive_parse(const struct prp_rail *rail,
					 struct sk_buff *skb,
					 struct prp_frame *frame)
{
	const struct prp_table *table;
	const struct prp_hdr *hdr;
	size_t hdr_len;
	int reason;

	if (unlikely(!pskb_may_pull(skb, sizeof(struct prp_hdr))))
		return receive_short(skb);
	reason = prp_wire_lengths((const void *)skb->data, skb->len, &hdr_len);
	if (unlikely(reason))
		return reason;
	frame->segs = prp_offload_segs(skb);
	table = rcu_dereference(rail->pn->table);
	hdr = (const struct prp_hdr *)skb->data;
	if (unlikely(be16_to_cpu(hdr->dnode) != table->self))
		return OTHERS;
	/* pages of a program of this machine, which are its again once we say
	 * that we have it; by 7.2 the kernel leaves that to who receives
	 */
	if (unlikely(skb_orphan_frags_rx(skb, GFP_ATOMIC)))
		return PRP_DROP_NO_MEMORY;
	if (unlikely(hdr_len > sizeof(*hdr)) && !pskb_may_pull(skb, hdr_len))
		return PRP_DROP_SHORT;
	/* Padding goes before anything points into the header: a clone's may
	 * be another one then.
	 */
	hdr = (const struct prp_hdr *)skb->data;
	if (likely(frame->segs == 1) &&
	    pskb_trim(skb, hdr_len + be16_to_cpu(hdr->len)))
		return PRP_DROP_NO_MEMORY;
	reason = prp_wire_parse((const void *)skb->data, hdr_len, frame);
	if (unlikely(reason))
		return reason;
	if (unlikely(frame->vnet))
		return PRP_DROP_NET;
	if (unlikely(hdr_len > sizeof(*hdr)) && frame->segs > 1 &&
	    !frame->checksum)
		return PRP_DROP_EXTENSION;
	if (unlikely(frame->checksum) && !prp_checksum_ok(skb, frame))
		return PRP_DROP_CHECKSUM;
	if (unlikely(!prp_hop_source_ok_rcu(rail, table, frame->snode,
					    eth_hdr(skb)->h_source)))
		return PRP_DROP_SOURCE;
	return 0;
}

/* A frame without a connection. By the table that it was believed by it may
 * have opened one: a table that was published meanwhile has not seen it.
 */
static noinline int receive_stray(const struct prp_rail *rail,
				  const struct sk_buff *skb,
				  const struct prp_frame *frame,
				  const union prp_conn_key *key)
{
	int reason = prp_stray_frame(rail->pn, frame);
	const struct prp_table *table;
	struct prp_conn *conn;

	if (reason || !(frame->flags & (PRP_F_REQ | PRP_F_CON)))
		return reason;
	table = rcu_dereference(rail->pn->table);
	if (likely(frame->dnode == table->self &&
		   prp_hop_source_ok_rcu(rail, table, frame->snode,
					 eth_hdr(skb)->h_source)))
		return 0;
	conn = prp_conn_find_rcu(rail->pn, key);
	if (!conn)
		return 0;
	spin_lock(&conn->lock);
	__prp_conn_abort(conn, EHOSTUNREACH);
	spin_unlock(&conn->lock);
	return 0;
}

/* A frame for us, from one host. Return: as prp_receive_frame(). */
static __always_inline int receive_judge(const struct prp_rail *rail,
					 struct sk_buff *skb)
{
	struct prp_net *pn = rail->pn;
	union prp_conn_key key = {};
	struct prp_frame frame __uninitialized; /* prp_wire_parse() does */
	struct prp_conn *conn;
	int ret;

	frame.segs = 1;
	ret = receive_parse(rail, skb, &frame);
	if (unlikely(frame.segs > 1)) {
		prp_mib_rail_in(rail->mib, frame.segs - 1,
				(frame.segs - 1) *
					prp_run_head((const void *)skb->data));
		prp_mib_add(pn, PRP_MIB_SEGS_MERGED, frame.segs - 1);
	}
	if (unlikely(ret)) {
		if (ret == PRP_DROP_VERSION)
			receive_version(rail, skb);
		if (ret == OTHERS)
			ret = prp_forward(rail, skb);
		if (!ret)
			return NET_RX_SUCCESS;
		ret = prp_reply_unbelieved(rail, skb, ret);
		if (ret)
			goto drop;
		goto done;
	}
	trace_prp_receive(pn, skb, &frame);
	key.peer = frame.snode;
	key.rport = frame.sport;
	key.lport = frame.dport;
	conn = prp_conn_find_rcu(pn, &key);
	if (likely(conn))
		ret = receive_conn(conn, skb, &frame);
	else
		ret = frame.flags & PRP_F_ERROR		     ? TOLD :
		      receive_stray(rail, skb, &frame, &key) ?:
							       DONE;
	if (!ret)
		return NET_RX_SUCCESS;
	if (unlikely(ret == TOLD))
		ret = prp_told_error(pn, &frame) ?: DONE;
	if (ret != DONE)
		goto drop;
done:
	prp_mib_add(pn, PRP_MIB_CONTROLS_IN, frame.segs);
	napi_consume_skb(skb, 1); /* BH are off: for the next frame */
	return NET_RX_SUCCESS;
drop:
	drop(pn, skb, ret, frame.segs);
	return NET_RX_DROP;
}

/**
 * prp_receive_again() - a frame that was held, or a copy
 * @rail: rail that it came in on; the caller is in a softirq and in an RCU read
 *	section
 * @skb: the frame, as prp_fault_inject() took it
 */
void prp_receive_again(const struct prp_rail *rail, struct sk_buff *skb)
{
	receive_judge(rail, skb);
}

/**
 * prp_receive_frame() - a frame of our EtherType has arrived
 * @skb: frame, skb->data at the byte after the Ethernet header
 * @dev: device that it came from
 * @ptype: prp_rail.ptype of that device
 * @orig_dev: device below, if there is one
 *
 * Softirq, in an RCU read section. Frames that have gone up from our device
 * to one above it are shown to us, too; they are not ours.
 *
 * Return: NET_RX_SUCCESS or NET_RX_DROP; the skb is gone in any case.
 */
int prp_receive_frame(struct sk_buff *skb, struct net_device *dev,
		      struct packet_type *ptype, struct net_device *orig_dev)
{
	const struct prp_rail *rail =
		container_of(ptype, struct prp_rail, ptype);
	struct prp_net *pn = rail->pn;
	int ret;

	/* for a VLAN or macvlan above us, which has its own hook */
	if (unlikely(dev != ptype->dev)) {
		consume_skb(skb);
		return NET_RX_SUCCESS;
	}
	prp_mib_rail_in(rail->mib, 1, skb->len);
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (unlikely(!skb)) {
		prp_mib_inc(pn, PRP_DROP_NO_MEMORY);
		trace_prp_drop(pn, dev, NULL, PRP_DROP_NO_MEMORY);
		return NET_RX_DROP;
	}
	skb_orphan(skb);
	ret = receive_addresses(rail, skb);
	if (unlikely(!xa_empty(&pn->faults)) && !ret)
		ret = prp_fault_inject(rail, skb);
	if (likely(!ret))
		return receive_judge(rail, skb);
	if (ret == PRP_FAULT_HELD)
		return NET_RX_SUCCESS;
	drop(pn, skb, ret, 1);
	return NET_RX_DROP;
}
