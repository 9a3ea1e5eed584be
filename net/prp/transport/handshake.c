// SPDX-License-Identifier: GPL-2.0
/*
 * How a connection begins and ends: a request and an answer (papers/004,
 * section 2.4), and a reset. The request is believed at once; a child whose
 * client has not shown that it got the answer is unconfirmed and expires. A
 * listener with many of those makes no more: it answers with a cookie, and
 * the child is made when that comes back.
 */
#include <linux/jiffies.h>
#include <linux/net.h>
#include <linux/slab.h>

#include "inet/inet.h"
#include "network/access.h"
#include "network/frame.h"
#include "network/limit.h"
#include "network/route.h"
#include "network/way.h"
#include "see/peer.h"
#include "see/trace.h"
#include "socket/sock.h"
#include "transport/confirm.h"
#include "transport/failover.h"
#include "transport/handshake.h"
#include "transport/message.h"
#include "transport/path_size.h"
#include "transport/record.h"
#include "transport/xmit.h"

#define REQUEST_TICKS (5 * PRP_TICKS_MS)
#define TRIES_ALONE 3 /* requests repeated before TCP tries, too: 35 ms */
#define RETRANSMIT_TICKS (200 * PRP_TICKS_MS) /* longest pause */

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
	conn->watch.owed_tick = now;
	conn->handshake.tick = now + REQUEST_TICKS;
	conn->rtt.start_ns = ktime_get_ns();
	prp_mib_inc(conn->pn, PRP_MIB_REQUESTS_OUT);
	__prp_xmit_open(conn, PRP_F_REQ);
	__prp_timers_due(conn, conn->handshake.tick);
}

/**
 * __prp_handshake_ask() - ask afresh, as the answer that came was not taken
 * @conn: connection in PRP_CONN_WAIT, its lock held; in an RCU read section
 */
void __prp_handshake_ask(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->watch.owed_tick = prp_timers_now();
	conn->handshake.tries = 0;
	conn->handshake.tick = conn->watch.owed_tick + REQUEST_TICKS;
	prp_rtt_forget(&conn->rtt);
	prp_mib_inc(conn->pn, PRP_MIB_REQUESTS_RETRANSMITTED);
	__prp_xmit_open(conn, PRP_F_REQ);
	__prp_timers_due(conn, conn->handshake.tick);
}

/* What an answer says, but for our tag and first number. */
static void handshake_answer(struct prp_net *pn, const struct prp_frame *frame,
			     bool must_checksum, u16 mtu,
			     struct prp_ext_open *open)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());

	*open = (struct prp_ext_open){
		.type = PRP_EXT_ANSWER,
		.units = sizeof(*open) / PRP_EXT_UNIT,
		.sock_type = frame->open->sock_type,
		.seg_size = cpu_to_be16(mtu - sizeof(struct prp_hdr)),
		.can = cpu_to_be16(PRP_FEATURES),
		.table_hash = cpu_to_be32(table->hash),
	};
	if (must_checksum)
		open->must = cpu_to_be16(PRP_FEATURE_CHECKSUM);
}

/* Does a confirmation bring back what we said, and would say again? */
static bool handshake_said(struct prp_net *pn, const struct prp_frame *frame,
			   bool must_checksum, u16 mtu)
{
	struct prp_ext_open answer;

	handshake_answer(pn, frame, must_checksum, mtu, &answer);
	answer.tag = cpu_to_be32(frame->tag);
	answer.first = frame->cookie->first;
	return prp_confirm_ok(pn, frame, &answer);
}

/* Show the server that its answer has come. What is in flight does so, too,
 * and is repeated by itself. ask: it is to show in turn that this has come.
 */
static void handshake_confirm(struct prp_conn *conn, bool ask)
{
	if (conn->handshake.cookie.type)
		__prp_xmit_open(conn, PRP_F_CON);
	else if (conn->snd.una != conn->snd.nxt)
		return;
	else if (!ask)
		__prp_xmit_ack(conn);
	else if (__prp_xmit_probe_on(conn, conn->came))
		__prp_xmit_probe(conn, 0);
}

/* The answer has come. Nobody has the connection there before we say so; what
 * the program does next will mostly show that this has arrived.
 */
static void handshake_confirm_first(struct prp_conn *conn,
				    const struct prp_frame *frame)
{
	conn->handshake.confirming = true;
	conn->handshake.tick = prp_timers_now() + REQUEST_TICKS;
	__prp_timers_due(conn, conn->handshake.tick);
	if (frame->flags & PRP_F_ANS && frame->cookie)
		conn->handshake.cookie = *frame->cookie;
	handshake_confirm(conn, false);
}

/**
 * __prp_handshake_retransmit() - no answer, or nothing that shows that our
 * confirmation came, yet
 * @conn: connection in PRP_CONN_WAIT or confirming, its lock held; in an RCU
 *	read section
 * @now: tick
 *
 * An answer is never repeated but for a repeated request: who forges requests
 * must not make us send more than he does.
 */
void __prp_handshake_retransmit(struct prp_conn *conn, u64 now)
{
	lockdep_assert_held(&conn->lock);
	trace_prp_timer(conn, conn->handshake.confirming ? PRP_DUE_CONFIRM :
							   PRP_DUE_REQUEST);
	prp_rtt_forget(&conn->rtt);
	if (conn->handshake.tries < 8)
		conn->handshake.tries++;
	conn->handshake.tick =
		now + min_t(u64, REQUEST_TICKS << conn->handshake.tries,
			    RETRANSMIT_TICKS);
	if (conn->handshake.confirming) {
		prp_mib_inc(conn->pn, PRP_MIB_CONFIRMS_RETRANSMITTED);
		handshake_confirm(conn, true);
	} else {
		if (conn->handshake.tries >= PRP_TRIES_ON_BEST)
			__prp_failover_try_another(conn);
		if (conn->handshake.tries == TRIES_ALONE)
			prp_sock_unanswered(conn);
		prp_mib_inc(conn->pn, PRP_MIB_REQUESTS_RETRANSMITTED);
		__prp_xmit_open(conn, PRP_F_REQ);
	}
}

/* Features that one of two ends must have and the other one does not know. */
static u16 handshake_lacks(bool we_must_checksum,
			   const struct prp_ext_open *open)
{
	u16 must = we_must_checksum ? PRP_FEATURE_CHECKSUM : 0;

	return (be16_to_cpu(open->must) & ~PRP_FEATURES) |
	       (must & ~be16_to_cpu(open->can));
}

/* Both ends have the same table, or it is counted. */
static void handshake_table(struct prp_net *pn, const struct prp_frame *frame)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());

	if (be32_to_cpu(frame->open->table_hash) != table->hash)
		prp_mib_inc(pn, PRP_MIB_TABLE_DIFFERS);
}

/* Take over what the peer says of itself. */
static void handshake_adopt(struct prp_conn *conn,
			    const struct prp_frame *frame)
{
	u16 seg_size = be16_to_cpu(frame->open->seg_size);

	seg_size = min(conn->seg_size, seg_size);
	if (conn->handshake.wants_checksum ||
	    frame->open->must & cpu_to_be16(PRP_FEATURE_CHECKSUM)) {
		conn->checksum = true;
		seg_size -= sizeof(struct prp_ext_checksum);
	}
	conn->peer_tag = be32_to_cpu(frame->open->tag);
	conn->hdr.tag = frame->open->tag;
	prp_conn_set_seg_size(conn, seg_size);
	conn->path.found =
		prp_way_size_rcu(conn->pn, conn->key.peer, 0, prp_timers_now());
	__prp_path_size_own(conn);
	prp_rcv_init(&conn->rcv, be32_to_cpu(frame->open->first), 0);
	prp_rcv_open(&conn->rcv, __prp_conn_window(conn));
	conn->snd.edge = conn->first + frame->window;
	handshake_table(conn->pn, frame);
}

/* The answer to our request, or the request of a simultaneous connect. */
static int handshake_established(struct prp_conn *conn,
				 const struct prp_frame *frame,
				 enum prp_event event)
{
	u16 lacks =
		handshake_lacks(conn->handshake.wants_checksum, frame->open);

	if (unlikely(conn->handshake.raced)) {
		prp_peer_heard(conn->pn, frame->snode);
		prp_sock_answered(conn);
		return 0;
	}
	if (lacks) {
		prp_peer_features(conn->pn, frame->snode, lacks);
		conn->peer_tag = be32_to_cpu(frame->open->tag);
		conn->hdr.tag = frame->open->tag;
		__prp_xmit_reset(conn, PRP_RESET_FEATURES, lacks);
		conn->peer_tag = 0; /* it never was */
		__prp_conn_abort(conn, EPROTONOSUPPORT);
		return PRP_DROP_FEATURES;
	}
	__prp_conn_event(conn, event);
	conn->watch.heard_tick = prp_timers_now();
	conn->came = frame->rail;
	handshake_adopt(conn, frame);
	prp_peer_handshake(conn->pn, frame->snode,
			   be32_to_cpu(frame->open->table_hash));
	prp_peer_features(conn->pn, frame->snode, 0);
	if (conn->rtt.start_ns && event == PRP_EV_ANSWER)
		prp_rtt_took(&conn->rtt, ktime_get_ns());
	prp_rtt_forget(&conn->rtt);
	conn->handshake.tries = 0;
	prp_mib_inc(conn->pn, PRP_MIB_CONNS_ESTABLISHED);
	if (event == PRP_EV_REQUEST)
		__prp_xmit_open(conn, PRP_F_ANS);
	handshake_confirm_first(conn, frame);
	prp_sock_changed(conn);
	return 0;
}

/* A request for a connection that is there. */
static int handshake_again(struct prp_conn *conn, const struct prp_frame *frame)
{
	if (be32_to_cpu(frame->open->tag) == conn->peer_tag) {
		__prp_xmit_open(conn, PRP_F_ANS);
		prp_mib_inc(conn->pn, PRP_MIB_ANSWERS_RETRANSMITTED);
		return 0;
	}
	/* Another incarnation of the peer, or a forgery. If the peer has
	 * forgotten us it resets us when asked, and asks again itself.
	 */
	if (prp_limit_may_answer(conn->pn, conn->key.peer))
		__prp_xmit_probe(conn, 0);
	return PRP_DROP_STALE_REQUEST;
}

/* What was made and given up at once may be reset before its answer comes: the
 * frames of two processors pass each other.
 */
static int reset_errno(const struct prp_conn *conn, u8 code)
{
	if (conn->state == PRP_CONN_WAIT && code != PRP_RESET_ABORTED)
		return code == PRP_RESET_DENIED	  ? -EACCES :
		       code == PRP_RESET_TYPE	  ? -EPROTOTYPE :
		       code == PRP_RESET_FEATURES ? -EPROTONOSUPPORT :
						    -ECONNREFUSED;
	/* who has ended already has nothing to lose but what we write */
	return conn->peer_end ? -EPIPE : -ECONNRESET;
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
	/* What has overtaken a confirmation is of no connection yet; and what
	 * is said of it may be overtaken in turn.
	 */
	if (conn->handshake.cookie.type && quote->code == PRP_RESET_NO_CONN &&
	    (conn->handshake.confirming ||
	     prp_timers_now() < conn->handshake.tick))
		return PRP_DROP_STATE;
	if (quote->features)
		prp_peer_features(conn->pn, frame->snode,
				  be16_to_cpu(quote->features));
	prp_mib_inc(conn->pn, PRP_MIB_RESETS_IN);
	prp_peer_heard(conn->pn, frame->snode);
	__prp_conn_abort(conn, -reset_errno(conn, quote->code));
	return 0;
}

/**
 * __prp_handshake_abort() - end a connection, and tell the peer if it knows it
 * @conn: connection, its lock held; in an RCU read section
 * @err: positive errno for the program, 0 if it asked for it
 */
void __prp_handshake_abort(struct prp_conn *conn, int err)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state == PRP_ESTABLISHED)
		__prp_xmit_reset(conn, PRP_RESET_ABORTED, 0);
	__prp_conn_abort(conn, err);
}

/**
 * prp_handshake_abort() - the same of a connection that is not locked
 * @conn: connection
 * @err: positive errno for who sleeps on it, 0 if nobody does
 */
void prp_handshake_abort(struct prp_conn *conn, int err)
{
	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	__prp_handshake_abort(conn, err);
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
}

/**
 * __prp_handshake_confirmed() - the peer has shown that it knows us
 * @conn: unconfirmed or confirming connection, its lock held
 */
void __prp_handshake_confirmed(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->handshake.unconfirmed = false;
	conn->handshake.confirming = false;
	conn->handshake.tries = 0;
	prp_sock_child_confirmed(conn);
}

/* A child of a repeated request, while the client goes by the cookie of an
 * earlier answer: it becomes what that one said. It has sent nothing yet.
 */
static void handshake_go_back(struct prp_conn *conn,
			      const struct prp_frame *frame)
{
	u32 window = conn->snd.edge - conn->first;

	conn->tag = frame->tag;
	prp_conn_set_first(conn, be32_to_cpu(frame->cookie->first));
	conn->snd.edge = conn->first + window;
}

/* A confirmation for a connection that is there: the one before it was lost,
 * or what shows that it came.
 */
static int handshake_con(struct prp_conn *conn, const struct prp_frame *frame)
{
	bool known = conn->state == PRP_ESTABLISHED &&
		     be32_to_cpu(frame->open->tag) == conn->peer_tag;

	if (frame->tag != conn->tag) {
		if (!known || !conn->handshake.unconfirmed ||
		    !handshake_said(conn->pn, frame,
				    conn->handshake.wants_checksum,
				    prp_rail_mtu_rcu(conn->pn, frame->snode)))
			return PRP_DROP_TAG;
		handshake_go_back(conn, frame);
	}
	if (!known)
		return PRP_DROP_STATE;
	conn->watch.heard_tick = prp_timers_now();
	if (conn->handshake.unconfirmed || conn->handshake.confirming)
		__prp_handshake_confirmed(conn);
	prp_ack_asked(&conn->ack);
	return 0;
}

/**
 * __prp_handshake_frame() - what opens or resets a connection that is there
 * @conn: connection, its lock held; in an RCU read section
 * @frame: frame with PRP_F_REQ, PRP_F_ANS, PRP_F_CON or PRP_F_RST
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
		return handshake_established(conn, frame, PRP_EV_REQUEST);
	}
	if (frame->flags & PRP_F_CON)
		return handshake_con(conn, frame);
	if (frame->tag != conn->tag)
		return PRP_DROP_TAG;
	if (conn->state == PRP_CONN_WAIT)
		return handshake_established(conn, frame, PRP_EV_ANSWER);
	if (conn->state != PRP_ESTABLISHED ||
	    be32_to_cpu(frame->open->tag) != conn->peer_tag)
		return PRP_DROP_STATE;
	prp_ack_asked(&conn->ack); /* our confirmation was lost */
	return 0;
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

/* Reset something that is not here. A reset is never answered. features: with
 * PRP_RESET_FEATURES which, else 0.
 */
static void stray_reset(struct prp_net *pn, const struct prp_frame *frame,
			enum prp_reset code, u16 features)
{
	struct prp_ext_quote ext = {
		.type = PRP_EXT_QUOTE,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.code = code,
		.tag = cpu_to_be32(frame->tag),
		.seq = cpu_to_be32(frame->seq),
		.features = cpu_to_be16(features),
	};
	struct prp_hdr hdr;

	if (!prp_limit_may_answer(pn, frame->snode))
		return;
	handshake_back(frame, &hdr);
	hdr.flags = cpu_to_be16(PRP_F_RST);
	if (frame->flags & (PRP_F_REQ | PRP_F_ANS | PRP_F_CON))
		hdr.tag = frame->open->tag;
	prp_frame_bare(pn, &hdr, &ext, sizeof(ext), true, frame->rail);
	prp_mib_inc(pn, PRP_MIB_RESETS_OUT);
}

/**
 * prp_handshake_refuse() - tell a sender that its connection is not known
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: frame of that connection, not a reset
 */
void prp_handshake_refuse(struct prp_net *pn, const struct prp_frame *frame)
{
	stray_reset(pn, frame, PRP_RESET_NO_CONN, 0);
}

/* Does the connection that a request asks for have to bear checksums for us?
 */
static bool stray_wants_checksum(struct prp_net *pn,
				 const struct prp_sock *listener, u16 node)
{
	return READ_ONCE(listener->checksum) ||
	       !prp_route_is_direct(rcu_dereference(pn->table), node);
}

/* What may be held of a child until somebody accepts it, and pays for it */
static u32 child_rcvbuf(const struct prp_sock *listener)
{
	return min_t(u32, prp_rcvbuf(&listener->sk), PRP_RCVBUF_CHILD);
}

/* Answer a request and leave nothing behind. What is sent is no longer than
 * what came, so that nobody is hit with more by way of us. Return: 0 or the
 * drop reason.
 */
static int stray_answer(struct prp_net *pn, const struct prp_sock *listener,
			const struct prp_frame *frame, bool must_checksum,
			u16 mtu)
{
	struct {
		struct prp_ext_open open;
		struct prp_ext_cookie cookie;
	} ext;
	struct prp_hdr hdr;
	u16 seg_size, window;

	handshake_answer(pn, frame, must_checksum, mtu, &ext.open);
	ext.open.tag = cpu_to_be32(get_random_u32() ?: 1);
	ext.open.first = cpu_to_be32(get_random_u32());
	prp_confirm_make(pn, frame, &ext.open, &ext.cookie);
	seg_size = min(be16_to_cpu(ext.open.seg_size),
		       be16_to_cpu(frame->open->seg_size));
	window = prp_rx_window_empty(child_rcvbuf(listener),
				     prp_rx_shift(seg_size));
	handshake_back(frame, &hdr);
	hdr.flags = cpu_to_be16(PRP_F_ANS);
	hdr.seq = ext.open.first;
	hdr.ack = frame->open->first;
	hdr.window = cpu_to_be16(window);
	hdr.tag = frame->open->tag;
	if (prp_frame_bare(pn, &hdr, &ext, sizeof(ext), frame->checksum,
			   frame->rail))
		return PRP_DROP_NO_MEMORY;
	prp_mib_inc(pn, PRP_MIB_COOKIES_OUT);
	return 0;
}

/* A child for a listener, with what it has from there. Return: it, with one
 * reference, in no hash; or NULL without memory.
 */
static struct prp_conn *stray_child(struct prp_net *pn,
				    struct prp_sock *listener,
				    const struct prp_frame *frame,
				    const struct prp_conn_ip *ip,
				    bool must_checksum, u16 mtu)
{
	union prp_conn_key key = {
		.peer = frame->snode,
		.rport = frame->sport,
		.lport = frame->dport,
	};
	struct prp_conn *conn;

	conn = prp_conn_alloc(pn, frame->dnode, &key,
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!conn)
		return NULL;
	if (listener->inet) {
		conn->ip = kmemdup(ip, sizeof(*ip), GFP_ATOMIC | __GFP_NOWARN);
		if (!conn->ip)
			goto err_put;
	}
	conn->port = prp_port_conn_get(pn, listener);
	if (!conn->port)
		goto err_put;
	conn->seg_size = mtu - sizeof(struct prp_hdr);
	conn->handshake.wants_checksum = must_checksum;
	conn->tx.sndbuf = prp_sndbuf(&listener->sk);
	prp_rx_set_rcvbuf(&conn->rx, child_rcvbuf(listener));
	conn->priority = READ_ONCE(listener->front->sk_priority);
	conn->mark = READ_ONCE(listener->front->sk_mark);
	conn->timeout_ms = READ_ONCE(listener->timeout_ms);
	conn->messages = frame->open->sock_type == PRP_TYPE_SEQPACKET;
	return conn;

err_put:
	prp_conn_put(conn);
	return NULL;
}

/* The child is there: let the client know, who has shown that it knows us if
 * it brought a cookie back.
 */
static void stray_opened(struct prp_conn *conn, const struct prp_frame *frame)
{
	struct prp_net *pn = conn->pn;

	lockdep_assert_held(&conn->lock);
	prp_mib_inc(pn, PRP_MIB_CONNS_ESTABLISHED);
	if (conn->ip)
		prp_mib_inc(pn, PRP_MIB_IP_PRP_IN);
	if (frame->flags & PRP_F_CON) {
		prp_mib_inc(pn, PRP_MIB_COOKIES_IN);
		__prp_xmit_ack(conn);
		return;
	}
	__prp_xmit_open(conn, PRP_F_ANS);
	/* to see now and then whether the patience with it is over */
	__prp_timers_due(conn, conn->watch.heard_tick + RETRANSMIT_TICKS);
}

/* Make the child that a request, or a believed confirmation, asks for.
 * Return: 0 or the drop reason.
 */
static int stray_open(struct prp_net *pn, struct prp_sock *listener,
		      const struct prp_frame *frame,
		      const struct prp_conn_ip *ip, bool must_checksum, u16 mtu)
{
	struct prp_conn *conn =
		stray_child(pn, listener, frame, ip, must_checksum, mtu);
	int reason = 0;

	if (!conn)
		return PRP_DROP_NO_MEMORY;
	spin_lock(&conn->lock);
	conn->handshake.unconfirmed = frame->flags & PRP_F_REQ;
	if (!conn->handshake.unconfirmed) {
		conn->handshake.by_cookie = true;
		conn->tag = frame->tag;
		prp_conn_set_first(conn, be32_to_cpu(frame->cookie->first));
	}
	__prp_conn_event(conn, PRP_EV_REQUEST);
	conn->watch.heard_tick = prp_timers_now();
	conn->came = frame->rail;
	handshake_adopt(conn, frame);
	if (prp_conn_hash(conn)) {
		reason = PRP_DROP_STATE; /* another processor's child */
		__prp_conn_event(conn, PRP_EV_RESET);
	} else if (prp_sock_add_child(listener, conn)) {
		reason = PRP_DROP_BACKLOG;
		__prp_conn_abort(conn, 0);
	} else {
		stray_opened(conn, frame);
	}
	spin_unlock(&conn->lock);
	prp_conn_put(conn);
	return reason;
}

/* A request, or a confirmation, that nobody but a listener can take. */
static int stray_listen(struct prp_net *pn, const struct prp_frame *frame)
{
	bool request = frame->flags & PRP_F_REQ, must_checksum;
	struct prp_sock *listener;
	struct prp_conn_ip ip;
	u16 mtu, lacks;

	if (prp_access_refuses_rcu(pn, frame->dport, frame->snode)) {
		stray_reset(pn, frame, PRP_RESET_DENIED, 0);
		return PRP_DROP_DENIED;
	}
	if (frame->ip && !prp_inet_believes_rcu(pn, frame)) {
		/* told, not left to time out: the two tables may differ */
		stray_reset(pn, frame, PRP_RESET_NO_LISTENER, 0);
		return PRP_DROP_SOURCE;
	}
	listener = prp_port_listener_rcu(pn, frame, &ip);
	if (!listener) {
		stray_reset(pn, frame, PRP_RESET_NO_LISTENER, 0);
		return PRP_DROP_NO_LISTENER;
	}
	if (frame->open->sock_type != prp_sock_type(&listener->sk)) {
		stray_reset(pn, frame, PRP_RESET_TYPE, 0);
		return PRP_DROP_NO_LISTENER;
	}
	must_checksum = stray_wants_checksum(pn, listener, frame->snode);
	lacks = handshake_lacks(must_checksum, frame->open);
	prp_peer_features(pn, frame->snode, lacks);
	if (lacks) {
		stray_reset(pn, frame, PRP_RESET_FEATURES, lacks);
		return PRP_DROP_FEATURES;
	}
	mtu = prp_rail_mtu_rcu(pn, frame->snode);
	if (mtu < PRP_MTU_MIN)
		return PRP_DROP_NO_ROUTE;
	if (!request && !handshake_said(pn, frame, must_checksum, mtu)) {
		stray_reset(pn, frame, PRP_RESET_EXPIRED, 0);
		return PRP_DROP_COOKIE;
	}
	if (!prp_sock_has_room(listener, frame->snode))
		return PRP_DROP_BACKLOG;
	if (!request || !prp_sock_is_half_full(listener))
		return stray_open(pn, listener, frame, &ip, must_checksum, mtu);
	if (!frame->cookie)
		return PRP_DROP_BACKLOG;
	return stray_answer(pn, listener, frame, must_checksum, mtu);
}

static int stray_request(struct prp_net *pn, const struct prp_frame *frame,
			 const struct prp_record *record)
{
	prp_mib_inc(pn, PRP_MIB_REQUESTS_IN);
	prp_peer_handshake(pn, frame->snode,
			   be32_to_cpu(frame->open->table_hash));
	if (record && record->peer_tag == be32_to_cpu(frame->open->tag))
		return PRP_DROP_STALE_REQUEST;
	return stray_listen(pn, frame);
}

/* The client has brought a cookie back. If it does so again after its child was
 * reset, because it has not heard of that, it must not get another one.
 */
static int stray_confirm(struct prp_net *pn, const struct prp_frame *frame,
			 const struct prp_record *record)
{
	if (!record || record->tag != frame->tag)
		return stray_listen(pn, frame);
	if (record->reset)
		stray_reset(pn, frame, PRP_RESET_EXPIRED, 0);
	return PRP_DROP_STALE_REQUEST;
}

/* Tell a peer again that its end has arrived. It knows our tag, and has sent no
 * less than we do: as with a connection, nothing else bounds the answers.
 */
static void record_answer(struct prp_net *pn, const struct prp_frame *frame,
			  const struct prp_record *record)
{
	struct prp_hdr hdr;

	handshake_back(frame, &hdr);
	hdr.tag = cpu_to_be32(record->peer_tag);
	hdr.seq = cpu_to_be32(record->una);
	hdr.ack = cpu_to_be32(record->nxt);
	prp_frame_bare(pn, &hdr, NULL, 0, true, frame->rail);
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
	if (frame->flags & PRP_F_CON)
		return stray_confirm(pn, frame, found ? &record : NULL);
	if (frame->flags & PRP_F_ANS)
		prp_peer_heard(pn, frame->snode); /* nobody waits any more */
	if (found && !record.reset && frame->tag == record.tag &&
	    !prp_before(record.nxt, frame->seq)) {
		if (frame->flags & (PRP_F_SEG | PRP_F_ACKNOW))
			record_answer(pn, frame, &record);
		return 0;
	}
	prp_handshake_refuse(pn, frame);
	return PRP_DROP_NO_CONN;
}
