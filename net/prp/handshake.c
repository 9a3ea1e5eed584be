// SPDX-License-Identifier: GPL-2.0
/*
 * How a connection begins and ends: a request and an answer (papers/004,
 * section 2.4), and a reset. The request is believed at once; a child whose
 * client has not shown that it got the answer is unconfirmed and expires.
 */
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/slab.h>

#include "access.h"
#include "handshake.h"
#include "path_size.h"
#include "inet.h"
#include "message.h"
#include "peer.h"
#include "record.h"
#include "recovery.h"
#include "route.h"
#include "sock.h"
#include "trace.h"
#include "xmit.h"

#define REQUEST_TICKS (5 * PRP_TICKS_MS)
#define ANSWER_TICKS (10 * PRP_TICKS_MS)
#define REPEAT_TICKS (200 * PRP_TICKS_MS) /* longest pause */
#define ANSWERS_A_JIFFY max(1000 / HZ, 1) /* resets and notices */

/**
 * __prp_handshake_connect() - send the first request
 * @conn: connection in PRP_CLOSE and in the hash, its lock held; in an RCU
 *	read section
 */
void __prp_handshake_connect(struct prp_conn *conn)
{
	u64 now = prp_timers_now();

	lockdep_assert_held(&conn->lock);
	__prp_conn_event(conn, PRP_EV_CONNECT);
	conn->owed_tick = now;
	conn->hs_tick = now + REQUEST_TICKS;
	conn->rtt_start_ns = ktime_get_ns();
	prp_mib_inc(conn->pn, PRP_MIB_REQUESTS_OUT);
	__prp_xmit_open(conn, PRP_F_REQ);
	__prp_timers_due(conn, conn->hs_tick);
}

/**
 * __prp_handshake_repeat() - no answer, or no confirmation, yet
 * @conn: connection in PRP_CONN_WAIT, or unconfirmed, its lock held; in an
 *	RCU read section
 * @now: tick
 */
void __prp_handshake_repeat(struct prp_conn *conn, u64 now)
{
	u64 pause = conn->unconfirmed ? ANSWER_TICKS : REQUEST_TICKS;

	lockdep_assert_held(&conn->lock);
	trace_prp_timer(conn,
			conn->unconfirmed ? PRP_DUE_ANSWER : PRP_DUE_REQUEST);
	conn->rtt_start_ns = 0; /* which one will be answered? */
	if (conn->hs_tries < 8)
		conn->hs_tries++;
	conn->hs_tick = now + min_t(u64, pause << conn->hs_tries, REPEAT_TICKS);
	if (conn->unconfirmed) {
		prp_mib_inc(conn->pn, PRP_MIB_ANSWERS_REPEATED);
		__prp_xmit_open(conn, PRP_F_ANS);
	} else {
		prp_mib_inc(conn->pn, PRP_MIB_REQUESTS_REPEATED);
		__prp_xmit_open(conn, PRP_F_REQ);
	}
}

/* Take over what the peer says of itself. */
static void handshake_adopt(struct prp_conn *conn,
			    const struct prp_frame *frame)
{
	const struct prp_table *table =
		rcu_dereference_check(conn->pn->table, rcu_read_lock_bh_held());
	u16 seg_size = be16_to_cpu(frame->open->seg_size);

	seg_size = min(conn->seg_size, seg_size);
	if (conn->wants_checksum ||
	    frame->open->features & cpu_to_be32(PRP_FEATURE_CHECKSUM)) {
		conn->checksum = true;
		seg_size -= sizeof(struct prp_ext_checksum);
	}
	conn->peer_tag = be32_to_cpu(frame->open->tag);
	conn->hdr.tag = frame->open->tag;
	prp_conn_set_seg_size(conn, seg_size);
	__prp_path_size_own(conn);
	prp_rcv_init(&conn->rcv, be32_to_cpu(frame->open->first), 0);
	prp_rcv_open(&conn->rcv, __prp_conn_window(conn));
	conn->snd.edge = conn->first + min_t(u16, frame->window, PRP_WIN);
	if (be32_to_cpu(frame->open->table_hash) != table->hash)
		prp_mib_inc(conn->pn, PRP_MIB_TABLE_DIFFERS);
}

/* The peer must hear of us within 1 ms, by data or by an acknowledgment. */
static void handshake_ack_soon(struct prp_conn *conn)
{
	conn->ack_pending = true;
	conn->ack_tick = prp_timers_now() + PRP_ACK_TICKS;
	__prp_timers_due(conn, conn->ack_tick);
}

/* The answer to our request, or the request of a simultaneous connect. */
static void handshake_established(struct prp_conn *conn,
				  const struct prp_frame *frame,
				  enum prp_event event)
{
	__prp_conn_event(conn, event);
	conn->heard_tick = prp_timers_now();
	handshake_adopt(conn, frame);
	prp_peer_handshake(conn->pn, frame->snode,
			   be32_to_cpu(frame->open->table_hash));
	if (conn->rtt_start_ns && event == PRP_EV_ANSWER)
		__prp_recovery_rtt(conn, conn->rtt_start_ns);
	conn->rtt_start_ns = 0;
	conn->hs_tries = 0;
	prp_mib_inc(conn->pn, PRP_MIB_CONNS_ESTABLISHED);
	if (event == PRP_EV_REQUEST)
		__prp_xmit_open(conn, PRP_F_ANS);
	handshake_ack_soon(conn);
	prp_sock_changed(conn);
}

/* A request for a connection that is there. */
static int handshake_again(struct prp_conn *conn, const struct prp_frame *frame)
{
	if (be32_to_cpu(frame->open->tag) == conn->peer_tag) {
		__prp_xmit_open(conn, PRP_F_ANS);
		prp_mib_inc(conn->pn, PRP_MIB_ANSWERS_REPEATED);
		return 0;
	}
	/* Another incarnation of the peer, or a forgery. If the peer has
	 * forgotten us it resets us when asked, and asks again itself.
	 */
	if (prp_handshake_may_answer(conn->pn))
		__prp_xmit_control(conn, PRP_F_ACKNOW);
	return PRP_DROP_STALE_REQUEST;
}

/* What was made and given up at once may be reset before its answer comes: the
 * frames of two processors pass each other.
 */
static int reset_errno(const struct prp_conn *conn, u8 code)
{
	if (conn->state == PRP_CONN_WAIT && code != PRP_RESET_ABORTED)
		return code == PRP_RESET_DENIED ? -EACCES :
		       code == PRP_RESET_TYPE	? -EPROTOTYPE :
						  -ECONNREFUSED;
	return -ECONNRESET;
}

/* Believe a reset only from who knows one of our tags. */
static int handshake_reset(struct prp_conn *conn, const struct prp_frame *frame)
{
	const struct prp_ext_quote *quote = frame->quote;
	bool ours = frame->tag == conn->tag;
	bool quoted = conn->peer_tag &&
		      be32_to_cpu(quote->tag) == conn->peer_tag;

	if (!ours && (frame->tag || !quoted))
		return PRP_DROP_TAG;
	prp_mib_inc(conn->pn, PRP_MIB_RESETS_IN);
	prp_peer_heard(conn->pn, frame->snode);
	__prp_conn_abort(conn, -reset_errno(conn, quote->code));
	return 0;
}

/**
 * __prp_handshake_confirmed() - the client has shown that it got the answer
 * @conn: unconfirmed connection, its lock held
 */
void __prp_handshake_confirmed(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->unconfirmed = false;
	conn->hs_tries = 0;
}

/**
 * __prp_handshake_frame() - request, answer or reset for a connection
 * @conn: connection, its lock held; in an RCU read section
 * @frame: frame with PRP_F_REQ, PRP_F_ANS or PRP_F_RST
 *
 * Return: 0, or the drop reason.
 */
int __prp_handshake_frame(struct prp_conn *conn, const struct prp_frame *frame)
{
	lockdep_assert_held(&conn->lock);
	if (frame->flags & PRP_F_RST)
		return handshake_reset(conn, frame);
	if (frame->open->sock_type != prp_conn_type(conn))
		return PRP_DROP_STATE;
	if (frame->flags & PRP_F_REQ) {
		if (conn->state == PRP_ESTABLISHED)
			return handshake_again(conn, frame);
		if (conn->state != PRP_CONN_WAIT || !prp_inet_same(conn, frame))
			return PRP_DROP_STATE;
		handshake_established(conn, frame, PRP_EV_REQUEST);
		return 0;
	}
	if (frame->tag != conn->tag)
		return PRP_DROP_TAG;
	if (conn->state == PRP_CONN_WAIT) {
		handshake_established(conn, frame, PRP_EV_ANSWER);
		return 0;
	}
	if (conn->state != PRP_ESTABLISHED ||
	    be32_to_cpu(frame->open->tag) != conn->peer_tag)
		return PRP_DROP_STATE;
	conn->ack_now = true; /* our confirmation was lost */
	return 0;
}

/**
 * prp_handshake_may_answer() - may a frame be sent that nothing asked for?
 * @pn: namespace
 *
 * Resets and notices have no state that bounds them, so a rate does.
 *
 * Return: true if it may.
 */
bool prp_handshake_may_answer(struct prp_net *pn)
{
	unsigned long was = READ_ONCE(pn->answer_stamp);
	unsigned long now = jiffies;

	if (now != was && cmpxchg(&pn->answer_stamp, was, now) == was)
		atomic_set(&pn->answer_tokens, ANSWERS_A_JIFFY);
	if (atomic_dec_if_positive(&pn->answer_tokens) >= 0)
		return true;
	prp_mib_inc(pn, PRP_DROP_RATE);
	trace_prp_drop(pn, NULL, NULL, PRP_DROP_RATE);
	return false;
}

/* A header that goes back to where a frame came from. */
static void handshake_back(const struct prp_frame *frame, struct prp_hdr *hdr)
{
	memset(hdr, 0, sizeof(*hdr));
	hdr->version = PRP_VERSION;
	hdr->hops = PRP_HOPS_DEFAULT;
	hdr->dnode = cpu_to_be16(frame->snode);
	hdr->snode = cpu_to_be16(frame->dnode);
	hdr->sport = cpu_to_be16(frame->dport);
	hdr->dport = cpu_to_be16(frame->sport);
}

/* Reset something that is not here. A reset is never answered. */
static void stray_reset(struct prp_net *pn, const struct prp_frame *frame,
			enum prp_reset code)
{
	struct prp_ext_quote ext = {
		.type = PRP_EXT_QUOTE,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.code = code,
		.tag = cpu_to_be32(frame->tag),
		.seq = cpu_to_be32(frame->seq),
	};
	struct prp_hdr hdr;

	if (!prp_handshake_may_answer(pn))
		return;
	handshake_back(frame, &hdr);
	hdr.flags = cpu_to_be16(PRP_F_RST << 4);
	if (frame->open)
		hdr.tag = frame->open->tag;
	prp_xmit_bare(pn, &hdr, &ext, sizeof(ext));
	prp_mib_inc(pn, PRP_MIB_RESETS_OUT);
}

/**
 * prp_handshake_refuse() - tell a sender that its connection is not known
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: frame of that connection, not a reset
 */
void prp_handshake_refuse(struct prp_net *pn, const struct prp_frame *frame)
{
	stray_reset(pn, frame, PRP_RESET_NO_CONN);
}

/* Make the child that a request asks for. Return: 0 or the drop reason. */
static int stray_open(struct prp_net *pn, struct prp_sock *listener,
		      const struct prp_frame *frame,
		      const struct prp_conn_ip *ip)
{
	union prp_conn_key key = {
		.peer = frame->snode,
		.rport = frame->sport,
		.lport = frame->dport,
	};
	int reason = PRP_DROP_NO_MEMORY;
	const struct prp_table *table = rcu_dereference(pn->table);
	struct prp_conn *conn;
	u16 mtu;

	mtu = prp_rail_mtu_rcu(pn, frame->snode);
	if (mtu < PRP_MTU_MIN)
		return PRP_DROP_NO_ROUTE;
	conn = prp_conn_alloc(pn, frame->dnode, &key,
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!conn)
		return PRP_DROP_NO_MEMORY;
	if (listener->inet) {
		conn->ip = kmemdup(ip, sizeof(*ip), GFP_ATOMIC | __GFP_NOWARN);
		if (!conn->ip)
			goto put;
	}
	conn->port = prp_port_conn_get(pn, listener);
	if (!conn->port)
		goto put;
	spin_lock(&conn->lock);
	conn->seg_size = mtu - sizeof(struct prp_hdr);
	conn->wants_checksum = READ_ONCE(listener->checksum) ||
			       !prp_route_is_direct(table, frame->snode);
	conn->sndbuf = READ_ONCE(listener->sk.sk_sndbuf);
	conn->rcvbuf = READ_ONCE(listener->sk.sk_rcvbuf);
	conn->priority = READ_ONCE(listener->sk.sk_priority);
	conn->mark = READ_ONCE(listener->sk.sk_mark);
	conn->timeout_ms = READ_ONCE(listener->timeout_ms);
	__prp_conn_event(conn, PRP_EV_REQUEST);
	conn->messages = frame->open->sock_type == PRP_TYPE_SEQPACKET;
	conn->unconfirmed = true;
	conn->heard_tick = prp_timers_now();
	conn->hs_tick = conn->heard_tick + ANSWER_TICKS;
	handshake_adopt(conn, frame);
	if (prp_conn_hash(conn)) {
		reason = PRP_DROP_STATE; /* another processor's child */
		__prp_conn_event(conn, PRP_EV_RESET);
	} else if (prp_sock_add_child(listener, conn)) {
		reason = PRP_DROP_BACKLOG;
		__prp_conn_abort(conn, 0);
	} else {
		reason = 0;
		prp_mib_inc(pn, PRP_MIB_CONNS_ESTABLISHED);
		if (conn->ip)
			prp_mib_inc(pn, PRP_MIB_IP_PRP_IN);
		__prp_xmit_open(conn, PRP_F_ANS);
		__prp_timers_due(conn, conn->hs_tick);
	}
	spin_unlock(&conn->lock);
put:
	prp_conn_put(conn);
	return reason;
}

static int stray_request(struct prp_net *pn, const struct prp_frame *frame,
			 const struct prp_record *record)
{
	struct prp_sock *listener;
	struct prp_conn_ip ip;

	prp_mib_inc(pn, PRP_MIB_REQUESTS_IN);
	prp_peer_handshake(pn, frame->snode,
			   be32_to_cpu(frame->open->table_hash));
	if (record && record->peer_tag == be32_to_cpu(frame->open->tag))
		return PRP_DROP_STALE_REQUEST;
	if (prp_access_refuses_rcu(pn, frame->dport, frame->snode)) {
		stray_reset(pn, frame, PRP_RESET_DENIED);
		return PRP_DROP_DENIED;
	}
	if (frame->ip && !prp_inet_believes_rcu(pn, frame)) {
		/* told, not left to time out: the two tables may differ */
		stray_reset(pn, frame, PRP_RESET_NO_LISTENER);
		return PRP_DROP_SOURCE;
	}
	listener = prp_port_listener_rcu(pn, frame, &ip);
	if (!listener) {
		stray_reset(pn, frame, PRP_RESET_NO_LISTENER);
		return PRP_DROP_NO_LISTENER;
	}
	if (frame->open->sock_type != prp_sock_type(&listener->sk)) {
		stray_reset(pn, frame, PRP_RESET_TYPE);
		return PRP_DROP_NO_LISTENER;
	}
	if (!prp_sock_has_room(listener, frame->snode))
		return PRP_DROP_BACKLOG;
	return stray_open(pn, listener, frame, &ip);
}

/* Tell a peer again that its end has arrived. */
static void record_answer(struct prp_net *pn, const struct prp_frame *frame,
			  const struct prp_record *record)
{
	struct prp_hdr hdr;

	if (!prp_handshake_may_answer(pn))
		return;
	handshake_back(frame, &hdr);
	hdr.tag = cpu_to_be32(record->peer_tag);
	hdr.seq = cpu_to_be32(record->una);
	hdr.ack = cpu_to_be32(record->nxt);
	prp_xmit_bare(pn, &hdr, NULL, 0);
	prp_mib_inc(pn, PRP_MIB_ACKS_OUT);
}

/**
 * prp_handshake_stray() - a frame without a connection
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: the frame
 *
 * Return: 0 if it opened a connection or was answered from a closed record,
 * else the drop reason.
 */
int prp_handshake_stray(struct prp_net *pn, const struct prp_frame *frame)
{
	union prp_conn_key key = {
		.peer = frame->snode,
		.rport = frame->sport,
		.lport = frame->dport,
	};
	struct prp_record record;
	bool found = prp_record_find(pn, &key, &record);

	if (frame->flags & PRP_F_RST)
		return PRP_DROP_NO_CONN;
	if (frame->flags & PRP_F_REQ)
		return stray_request(pn, frame, found ? &record : NULL);
	if (found && frame->tag == record.tag &&
	    !prp_before(record.nxt, frame->seq)) {
		if (frame->flags & (PRP_F_SEG | PRP_F_ACKNOW))
			record_answer(pn, frame, &record);
		return 0;
	}
	prp_handshake_refuse(pn, frame);
	return PRP_DROP_NO_CONN;
}
