// SPDX-License-Identifier: GPL-2.0
/*
 * How a connection begins and ends: a request and an answer (papers/004,
 * section 2.4), and a reset. The request is believed at once; a child whose
 * client has not shown that it got the answer is unconfirmed and expires. A
 * listener with many of those makes no more: it answers with a cookie, and
 * the child is made when that comes back.
 */
#include "inet/inet.h"
#include "network/hop.h"
#include "network/limit.h"
#include "network/way.h"
#include "see/peer.h"
#include "see/trace.h"
#include "socket/sock.h"
#include "transport/confirm.h"
#include "transport/failover.h"
#include "transport/handshake.h"
#include "transport/path_size.h"
#include "transport/xmit.h"

#define REQUEST_TICKS (5 * PRP_TICKS_MS)
#define TRIES_ALONE 3 /* requests repeated before TCP tries, too: 35 ms */

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

/**
 * prp_handshake_answer() - what an answer says, but for our tag and number
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: a request, or a confirmation that repeats it
 * @must_checksum: every frame has to bear one
 * @mtu: longest frame that our rails to the node carry, bytes
 * @open: where to say it
 */
void prp_handshake_answer(struct prp_net *pn, const struct prp_frame *frame,
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

/**
 * prp_handshake_said() - does a confirmation bring back what we said?
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: confirmation with a cookie
 * @must_checksum: as prp_handshake_answer()
 * @mtu: as prp_handshake_answer()
 *
 * Return: true if it does, and we would say it again.
 */
bool prp_handshake_said(struct prp_net *pn, const struct prp_frame *frame,
			bool must_checksum, u16 mtu)
{
	struct prp_ext_open answer;

	prp_handshake_answer(pn, frame, must_checksum, mtu, &answer);
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
			    PRP_HANDSHAKE_TICKS_MAX);
	if (conn->handshake.confirming) {
		prp_mib_inc(conn->pn, PRP_MIB_CONFIRMS_RETRANSMITTED);
		handshake_confirm(conn, true);
	} else {
		if (conn->handshake.tries >= PRP_TRIES_ON_BEST)
			__prp_failover_try_another(conn);
		if (conn->handshake.tries == TRIES_ALONE)
			prp_wake_unanswered(conn);
		prp_mib_inc(conn->pn, PRP_MIB_REQUESTS_RETRANSMITTED);
		__prp_xmit_open(conn, PRP_F_REQ);
	}
}

/**
 * prp_handshake_lacks() - features that one end must have and the other lacks
 * @must_checksum: we want one on every frame
 * @open: what the peer said
 *
 * Return: bits of PRP_FEATURES and others, 0 if there are none.
 */
u16 prp_handshake_lacks(bool must_checksum, const struct prp_ext_open *open)
{
	u16 must = must_checksum ? PRP_FEATURE_CHECKSUM : 0;

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

/**
 * __prp_handshake_adopt() - take over what the peer says of itself
 * @conn: connection, its lock held; in an RCU read section
 * @frame: request, answer, or confirmation that repeats a request
 */
void __prp_handshake_adopt(struct prp_conn *conn, const struct prp_frame *frame)
{
	u16 seg_size = be16_to_cpu(frame->open->seg_size);
	struct prp_hop hop;

	lockdep_assert_held(&conn->lock);
	seg_size = min(conn->seg_size, seg_size);
	if (conn->handshake.wants_checksum ||
	    frame->open->must & cpu_to_be16(PRP_FEATURE_CHECKSUM)) {
		conn->checksum = true;
		seg_size -= sizeof(struct prp_ext_checksum);
	}
	conn->peer_tag = be32_to_cpu(frame->open->tag);
	conn->hdr.tag = frame->open->tag;
	conn->crowd.told = frame->open->can & cpu_to_be16(PRP_FEATURE_CROWD);
	prp_conn_set_seg_size(conn, seg_size);
	if (!prp_hop_rcu(conn->pn, conn->key.peer, PRP_RAIL_ANY, &hop))
		conn->rail = hop.rail; /* that the first segments take */
	conn->path.found = prp_way_size_rcu(conn->pn, conn->key.peer,
					    conn->rail, prp_timers_now());
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
	u16 lacks = prp_handshake_lacks(conn->handshake.wants_checksum,
					frame->open);

	if (unlikely(conn->handshake.raced)) {
		prp_peer_heard(conn->pn, frame->snode);
		prp_wake_answered(conn);
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
	__prp_handshake_adopt(conn, frame);
	prp_peer_handshake(conn->pn, frame->snode,
			   be32_to_cpu(frame->open->table_hash));
	prp_peer_features(conn->pn, frame->snode, 0);
	if (conn->rtt.start_ns && event == PRP_EV_ANSWER)
		prp_cong_first(&conn->cong,
			       prp_rtt_took(&conn->rtt, ktime_get_ns()),
			       prp_timers_now() + conn->clock);
	prp_rtt_forget(&conn->rtt);
	conn->handshake.tries = 0;
	prp_mib_inc(conn->pn, PRP_MIB_CONNS_ESTABLISHED);
	__prp_conn_known(conn);
	if (event == PRP_EV_REQUEST)
		__prp_xmit_open(conn, PRP_F_ANS);
	handshake_confirm_first(conn, frame);
	prp_wake_changed(conn);
	return 0;
}

/* A request for a connection that is there. */
static int handshake_again(struct prp_conn *conn, const struct prp_frame *frame)
{
	if (be32_to_cpu(frame->open->tag) == conn->peer_tag) {
		if (frame->open->sock_type != prp_conn_type(conn))
			return PRP_DROP_STATE;
		if (conn->handshake.unconfirmed)
			prp_rtt_forget(&conn->rtt);
		/* the client tries another rail, as our answer did not come */
		__prp_failover_heard(conn, frame);
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

/* Is anything unacknowledged but an end that brings nothing? */
static bool reset_loses(const struct prp_conn *conn)
{
	const struct prp_tx_seg *last = prp_conn_seg(conn, conn->tx.end - 1);

	return conn->snd.una != conn->tx.end &&
	       (conn->snd.una + 1 != conn->tx.end || last->len ||
		(conn->messages && last->flags & PRP_F_EOM));
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
	if (!conn->peer_end)
		return -ECONNRESET;
	/* who has ended already has nothing to lose but what we write; if that
	 * is nothing he was right to forget us
	 */
	return code == PRP_RESET_NO_CONN && !reset_loses(conn) ? 0 : -EPIPE;
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

/* A client confirms the answer at once, by an acknowledgment; what it sends
 * besides may have waited for a program, or comes again as that was lost.
 */
static void handshake_timed(struct prp_conn *conn,
			    const struct prp_frame *frame)
{
	if (conn->rtt.start_ns &&
	    !(frame->flags & (PRP_F_SEG | PRP_F_ACKNOW | PRP_F_CON)))
		prp_cong_first(&conn->cong,
			       prp_rtt_took(&conn->rtt, ktime_get_ns()),
			       prp_timers_now() + conn->clock);
	prp_rtt_forget(&conn->rtt);
}

/**
 * __prp_handshake_confirmed() - the peer has shown that it knows us
 * @conn: unconfirmed or confirming connection, its lock held
 * @frame: what has shown it
 */
void __prp_handshake_confirmed(struct prp_conn *conn,
			       const struct prp_frame *frame)
{
	lockdep_assert_held(&conn->lock);
	if (conn->handshake.unconfirmed) {
		__prp_conn_known(conn);
		handshake_timed(conn, frame);
	}
	conn->handshake.unconfirmed = false;
	conn->handshake.confirming = false;
	conn->handshake.tries = 0;
	prp_accept_child_confirmed(conn);
}

/* A child of a repeated request, while the client goes by the cookie of an
 * earlier answer: it becomes what that one said. It has sent nothing yet. If it
 * is reset that cookie must not make another one.
 */
static void handshake_go_back(struct prp_conn *conn,
			      const struct prp_frame *frame)
{
	u32 window = conn->snd.edge - conn->first;

	conn->handshake.by_cookie = true;
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
		    !prp_handshake_said(conn->pn, frame,
					conn->handshake.wants_checksum,
					prp_hop_mtu_rcu(conn->pn,
							frame->snode)))
			return PRP_DROP_TAG;
		handshake_go_back(conn, frame);
	}
	if (!known)
		return PRP_DROP_STATE;
	conn->watch.heard_tick = prp_timers_now();
	if (conn->handshake.unconfirmed || conn->handshake.confirming)
		__prp_handshake_confirmed(conn, frame);
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
	if (frame->flags & PRP_F_REQ && conn->state == PRP_ESTABLISHED)
		return handshake_again(conn, frame);
	if (frame->open->sock_type != prp_conn_type(conn))
		return PRP_DROP_STATE;
	if (frame->flags & PRP_F_REQ) {
		if (conn->state != PRP_CONN_WAIT ||
		    !prp_inet_addr_same(conn, frame))
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
