// SPDX-License-Identifier: GPL-2.0
/*
 * What an acknowledgment, its absence, and the passing of time mean for a
 * connection. window.c knows what is lost, cong.c how much may be in
 * flight; this file tells them and acts.
 */
#include <linux/ktime.h>

#include "see/peer.h"
#include "see/trace.h"
#include "socket/sock.h"
#include "transport/failover.h"
#include "transport/handshake.h"
#include "transport/output.h"
#include "transport/path_search.h"
#include "transport/recovery.h"
#include "transport/xmit.h"

#define PROBE_US_FIRST 3000 /* before a round trip was measured */
#define PROBE_MS_MAX 200
#define TIMEOUT_MS_MIN 50 /* 2.5 of these outlast a full queue */
#define TIMEOUT_MS_MAX 1000
#define ACK_DELAY_US (PRP_ACK_TICKS * (PRP_TICK_NS / 1000))
#define RETRY_ACK_TICKS (10 * PRP_TICKS_MS) /* no way to the peer */
#define ORPHAN_MS 60000 /* without progress */
#define ORPHAN_END_MS 10000 /* for the peer to end, too */
#define SILENT_MS 1000 /* until a peer counts as silent */

/* Ticks without progress until the peer is asked: 2 round trips and the ack
 * delay, so many times doubled. Who has little patience is to be answered
 * before it is over.
 */
static u64 pause_ticks(const struct prp_conn *conn, unsigned int doublings)
{
	u32 us = PROBE_US_FIRST, most_ms = PROBE_MS_MAX;
	u64 ticks;

	if (conn->rtt.srtt_us8)
		us = conn->rtt.srtt_us8 / 4 + ACK_DELAY_US;
	if (unlikely(conn->timeout_ms))
		most_ms = min(most_ms, conn->timeout_ms / 3);
	ticks = us / (PRP_TICK_NS / 1000) + 1;
	return min_t(u64, ticks << min(doublings, 8U), most_ms * PRP_TICKS_MS);
}

/* The first two probes tell of a hole (see path_search.c): the pause before the
 * second one is as long as that before the first, and is doubled from then on.
 */
static u64 probe_ticks(const struct prp_conn *conn)
{
	u8 probes = conn->recovery.probes;

	return pause_ticks(conn, probes ? probes - 1 : 0);
}

/* Wait for what was overtaken; a whole tick at least. */
static void hold_from(struct prp_conn *conn, u64 now)
{
	struct prp_recovery *rec = &conn->recovery;
	u32 us = prp_hold_us(&rec->hold, prp_rtt_us(&conn->rtt),
			     conn->rtt.var_us4);

	rec->hold_tick = now + min_t(u32, us / (PRP_TICK_NS / 1000) + 2,
				     PROBE_MS_MAX * PRP_TICKS_MS);
}

/**
 * __prp_recovery_probe_ticks() - how long without progress until a probe
 * @conn: connection, its lock held
 *
 * Return: ticks.
 */
u64 __prp_recovery_probe_ticks(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return probe_ticks(conn);
}

/**
 * __prp_recovery_timeout() - the retransmission timeout
 * @conn: connection, its lock held
 *
 * How long an answer may take as far as the round trips tell (RFC 6298,
 * section 2). Nothing is repeated because of it alone: a probe finds out
 * sooner what is lost. It tells when a rail counts as silent, which has to be
 * before the user's patience is over.
 *
 * Return: ticks, at least those of TIMEOUT_MS_MIN, or of a fifth of the user
 * time-out if that is less.
 */
u64 __prp_recovery_timeout(const struct prp_conn *conn)
{
	u32 us = prp_rtt_us(&conn->rtt) + max(conn->rtt.var_us4, ACK_DELAY_US);
	u32 ms = clamp_t(u32, us / 1000, TIMEOUT_MS_MIN, TIMEOUT_MS_MAX);

	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->timeout_ms))
		ms = min(ms, conn->timeout_ms / 5);
	return ms * PRP_TICKS_MS;
}

/* The user's patience in ticks. */
static u64 patience(const struct prp_conn *conn, u32 default_ms)
{
	return (u64)(conn->timeout_ms ?: default_ms) * PRP_TICKS_MS;
}

/**
 * __prp_recovery_started() - there is something to watch over
 * @conn: connection, its lock held; nothing was watched over before
 */
void __prp_recovery_started(struct prp_conn *conn)
{
	struct prp_recovery *rec = &conn->recovery;
	u64 now = prp_timers_now();

	lockdep_assert_held(&conn->lock);
	rec->probing = true;
	rec->probes = 0;
	rec->owed_tick = now;
	rec->probe_base = now;
	rec->progress_tick = now;
	__prp_failover_waits(conn, now);
	/* early: the timer sees when the probe is due, if it ever is */
	__prp_timers_due(conn, now + PRP_ACK_TICKS);
}

/**
 * __prp_recovery_retry() - a segment could not be handed down
 * @conn: connection, its lock held
 * @ticks: try again after that many
 */
void __prp_recovery_retry(struct prp_conn *conn, u32 ticks)
{
	struct prp_recovery *rec = &conn->recovery;

	lockdep_assert_held(&conn->lock);
	rec->retry_tick = prp_timers_now() + ticks;
	__prp_timers_due(conn, rec->retry_tick);
	if (!rec->probing)
		__prp_recovery_started(conn);
}

/* Something that was in flight has arrived. */
static void recovery_progress(struct prp_conn *conn,
			      const struct prp_frame *frame,
			      unsigned int arrived)
{
	struct prp_recovery *rec = &conn->recovery;
	struct prp_snd *snd = &conn->snd;

	rec->probes = 0;
	rec->starved = false;
	rec->unreachable = false;
	rec->probing = snd->una != conn->tx.end;
	rec->probe_base = prp_timers_now();
	rec->progress_tick = rec->probe_base;
	__prp_failover_carries(conn, frame, rec->probe_base);
	if (unlikely(conn->orphan))
		__prp_recovery_orphan(conn);
	if (conn->rtt.start_ns && prp_before(conn->rtt.seq, snd->una))
		prp_rtt_took(&conn->rtt, ktime_get_ns());
	prp_cong_acked(&conn->cong, snd->una, snd->nxt, arrived);
	conn->tx.since_acknow = min_t(unsigned int, conn->tx.since_acknow,
				      prp_snd_in_flight(snd));
}

/* Segments were found lost. */
static void recovery_lost(struct prp_conn *conn, unsigned int lost)
{
	if (!lost)
		return;
	__prp_path_search_lost(conn);
	prp_rtt_forget(&conn->rtt);
	if (prp_cong_lost(&conn->cong, lost))
		prp_mib_inc(conn->pn, PRP_MIB_CWND_CUTS);
	trace_prp_retransmit(conn, lost);
}

/* More has been reported. What may have been overtaken is given time. */
static void recovery_reported(struct prp_conn *conn)
{
	if (!prp_snd_may_overtake(&conn->snd)) {
		recovery_lost(conn, prp_snd_find_lost(&conn->snd));
	} else if (!conn->recovery.hold_tick && prp_snd_hold(&conn->snd)) {
		hold_from(conn, prp_timers_now());
		__prp_timers_due(conn, conn->recovery.hold_tick);
	}
}

/* What was overtaken was given its time. */
static void recovery_held(struct prp_conn *conn, u64 now)
{
	struct prp_recovery *rec = &conn->recovery;
	unsigned int lost = conn->snd.lost, found;

	found = prp_snd_find_held(&conn->snd, prp_hold_most(&rec->hold));
	lost = conn->snd.lost - lost;
	recovery_lost(conn, lost);
	rec->hold_tick = 0;
	if (prp_hold_over(&rec->hold, found, lost))
		hold_from(conn, now);
	else
		recovery_reported(conn);
}

/* The peer had no memory for a segment. If it does not tell that it has some
 * again, ask for that more and more rarely, as by probes.
 */
static void recovery_overrun(struct prp_conn *conn, unsigned int arrived)
{
	struct prp_recovery *rec = &conn->recovery;

	prp_cong_silent(&conn->cong);
	prp_mib_inc(conn->pn, PRP_MIB_CWND_CUTS);
	/* an answer, if not a good one */
	rec->progress_tick = prp_timers_now();
	if (arrived || rec->starved)
		return;
	rec->starved = true;
	if (rec->probes < U8_MAX)
		rec->probes++;
	rec->starved_tick = prp_timers_now() + pause_ticks(conn, rec->probes);
	__prp_recovery_retry(conn, pause_ticks(conn, rec->probes));
}

/* An acknowledgment that tells what has arrived beyond a gap, or newest. */
static noinline enum prp_ack recovery_sack(struct prp_conn *conn,
					   const struct prp_frame *frame)
{
	struct prp_recovery *rec = &conn->recovery;
	u32 newest = conn->snd.newest[conn->rail];
	u32 needless = conn->snd.needless;
	struct prp_sack sack;
	enum prp_ack what;

	prp_wire_get_sack(frame->sack, &sack);
	what = prp_snd_ack(&conn->snd, frame->ack, frame->window, &sack);
	prp_mib_add(conn->pn, PRP_MIB_RETRANSMITS_SPURIOUS,
		    conn->snd.needless - needless);
	if (unlikely(conn->snd.needless != needless))
		prp_hold_needless(&rec->hold);
	if (what != PRP_ACK_BAD) {
		/* no answer, but told unasked: it has memory again */
		if (unlikely(rec->starved) && what == PRP_ACK_OK &&
		    !(frame->flags & PRP_F_OVERRUN) &&
		    sack.rails & BIT(conn->rail) &&
		    newest == conn->snd.newest[conn->rail])
			rec->starved = false;
		__prp_failover_reported(conn, frame, &sack, newest);
		__prp_path_search_answered(conn, &sack);
	}
	return what;
}

/**
 * __prp_recovery_ack() - take a frame's acknowledgment
 * @conn: connection in PRP_ESTABLISHED, its lock held
 * @frame: frame with the right tag
 *
 * Return: false if it acknowledges what was never sent.
 */
bool __prp_recovery_ack(struct prp_conn *conn, const struct prp_frame *frame)
{
	struct prp_snd *snd = &conn->snd;
	unsigned int sacked = snd->sacked, arrived;
	u32 una = snd->una;
	enum prp_ack what;

	lockdep_assert_held(&conn->lock);
	what = unlikely(frame->sack) ?
		       recovery_sack(conn, frame) :
		       prp_snd_ack(snd, frame->ack, frame->window, NULL);
	if (unlikely(what == PRP_ACK_BAD))
		return false;
	arrived = snd->una - una + snd->sacked - sacked;
	if (snd->una != una) {
		__prp_conn_tx_free(conn, una, snd->una);
		if (unlikely(conn->pool))
			__prp_conn_settle(conn);
		prp_sock_writable(conn);
	}
	if (arrived)
		recovery_progress(conn, frame, arrived);
	if (unlikely(frame->sack))
		recovery_reported(conn);
	if (unlikely(frame->flags & PRP_F_OVERRUN))
		recovery_overrun(conn, arrived);
	return true;
}

/**
 * __prp_recovery_orphan() - how long may an orphan live?
 * @conn: orphan, its lock held, just made or having made progress
 */
void __prp_recovery_orphan(struct prp_conn *conn)
{
	bool ended = conn->end_queued && conn->snd.una == conn->tx.end;

	lockdep_assert_held(&conn->lock);
	conn->recovery.death_tick =
		prp_timers_now() +
		(u64)(ended ? ORPHAN_END_MS : ORPHAN_MS) * PRP_TICKS_MS;
	__prp_timers_due(conn, conn->recovery.death_tick);
}

/* Is a request or a confirmation to be repeated? */
static bool recovery_asks(const struct prp_conn *conn)
{
	return conn->state == PRP_CONN_WAIT || conn->handshake.confirming;
}

/* Does the peer owe us a sign of life? */
static bool recovery_waits(const struct prp_conn *conn)
{
	return conn->recovery.probing || conn->handshake.unconfirmed ||
	       recovery_asks(conn);
}

/* Since when has what we sent had no answer, if it should have one? */
static u64 recovery_since(const struct prp_conn *conn)
{
	return max(conn->recovery.heard_tick, conn->recovery.owed_tick);
}

/* Is there something that should make progress by itself? What the peer holds
 * back by its window may wait as long as the peer is heard.
 */
static bool recovery_in_motion(const struct prp_conn *conn)
{
	return conn->state == PRP_ESTABLISHED &&
	       (conn->snd.una != conn->snd.nxt ||
		(conn->snd.nxt != conn->tx.end &&
		 prp_snd_new_allowed(&conn->snd)));
}

/* Since when has nothing become better? That the peer is heard does not help
 * what is in flight.
 */
static u64 recovery_stuck_since(const struct prp_conn *conn)
{
	return recovery_in_motion(conn) ? conn->recovery.progress_tick :
					  recovery_since(conn);
}

/* Milliseconds since a tick; two processors' wheels may differ by one. */
static s64 recovery_ms_since(u64 tick)
{
	u64 now = prp_timers_now();

	return now > tick ? div_u64(now - tick, PRP_TICKS_MS) : 0;
}

/**
 * __prp_recovery_heard_ms() - when was the peer last heard?
 * @conn: connection, its lock held
 *
 * Return: milliseconds ago, or -1 if it never was.
 */
s64 __prp_recovery_heard_ms(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->recovery.heard_tick ?
		       recovery_ms_since(conn->recovery.heard_tick) :
		       -1;
}

/**
 * __prp_recovery_silent_ms() - how long has the peer owed us an answer?
 * @conn: connection, its lock held
 *
 * Return: milliseconds, or -1 if nothing waits for one.
 */
s64 __prp_recovery_silent_ms(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state == PRP_CLOSE || !recovery_waits(conn))
		return -1;
	return recovery_ms_since(recovery_since(conn));
}

/* How long the peer may be silent, in ticks. */
static u64 recovery_limit(const struct prp_conn *conn)
{
	/* more patience would only keep TCP from trying */
	if (conn->state == PRP_CONN_WAIT && conn->ip && !conn->only_prp)
		return min_t(u64, patience(conn, PRP_TIMEOUT_IP_MS),
			     PRP_TIMEOUT_IP_MS * PRP_TICKS_MS);
	if (conn->handshake.unconfirmed || recovery_asks(conn))
		return patience(conn, PRP_TIMEOUT_CONNECT_MS);
	return patience(conn, PRP_TIMEOUT_MS);
}

/* End a connection whose peer does not answer, or whose time is over. */
static void recovery_give_up(struct prp_conn *conn, enum prp_due due, int mib)
{
	trace_prp_timer(conn, due);
	prp_mib_inc(conn->pn, mib);
	if (conn->state == PRP_ESTABLISHED)
		__prp_xmit_reset(conn, PRP_RESET_ABORTED, 0);
	__prp_conn_abort(conn,
			 conn->recovery.unreachable ? EHOSTUNREACH : ETIMEDOUT);
}

/**
 * __prp_recovery_unanswered() - the probes of an idle connection were in vain
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 */
void __prp_recovery_unanswered(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	recovery_give_up(conn, PRP_DUE_PATIENCE, PRP_MIB_TIMEOUTS);
}

/* Nothing of the peer for too long, or the orphan's time is over. */
static bool recovery_is_over(struct prp_conn *conn, u64 now)
{
	/* two processors' wheels may differ by a tick: do not subtract */
	if (recovery_waits(conn) &&
	    now >= recovery_stuck_since(conn) + recovery_limit(conn)) {
		recovery_give_up(conn, PRP_DUE_PATIENCE,
				 conn->handshake.unconfirmed ?
					 PRP_MIB_UNCONFIRMED_EXPIRED :
					 PRP_MIB_TIMEOUTS);
		return true;
	}
	if (conn->orphan && now >= conn->recovery.death_tick) {
		recovery_give_up(conn, PRP_DUE_ORPHAN, PRP_MIB_ORPHANS_KILLED);
		return true;
	}
	return false;
}

/* The peer has become silent, or is so no longer: that is to be known. */
static void recovery_silence(struct prp_conn *conn, u64 now)
{
	bool silent = recovery_waits(conn) &&
		      now >= recovery_since(conn) + SILENT_MS * PRP_TICKS_MS;

	if (likely(silent == conn->recovery.silent))
		return;
	conn->recovery.silent = silent;
	prp_peer_silent(conn->pn, conn->key.peer, silent);
}

static void recovery_probe(struct prp_conn *conn, u64 now)
{
	bool below = atomic_read(&conn->below.frames[conn->rail]);
	struct prp_recovery *rec = &conn->recovery;
	unsigned long rails;
	unsigned int r;

	/* Our own device may not have sent all yet: then nothing is lost. Or it
	 * has, and frees lazily: wait once more, not for ever.
	 */
	if (below && rec->put_off_tick != rec->probe_base) {
		rec->probe_base = now;
		rec->put_off_tick = now;
		return;
	}
	trace_prp_timer(conn, PRP_DUE_PROBE);
	__prp_output_here(conn);
	/* the answer tells everything: see prp_snd.probe */
	__prp_xmit_probe(conn, 0);
	if (!conn->failover.live_tick)
		conn->failover.live_tick = now;
	/* what went out on a rail is reported lost by a probe on that one */
	rails = conn->snd.una == conn->snd.nxt ?
			0 :
			conn->snd.rails & ~BIT(conn->rail);
	for_each_set_bit(r, &rails, PRP_RAILS)
		__prp_xmit_probe_on(conn, r);
	if (!below && rec->probes > 1 && rec->heard_tick <= rec->probe_base &&
	    prp_snd_in_flight(&conn->snd))
		prp_cong_silent(&conn->cong);
	if (rec->probes < U8_MAX)
		rec->probes++;
	rec->probe_base = now;
}

/* What is due of an established connection. */
static void recovery_due(struct prp_conn *conn, u64 now)
{
	struct prp_recovery *rec = &conn->recovery;

	if (conn->failover.look_tick ? now >= conn->failover.look_tick :
				       rec->probing)
		__prp_failover_look(conn, now);
	if (!recovery_in_motion(conn))
		rec->progress_tick = now;
	if (unlikely(conn->path.found))
		__prp_path_search_again(conn, now);
	if (conn->tx.corked && now >= conn->tx.cork_tick) {
		trace_prp_timer(conn, PRP_DUE_CORK);
		conn->tx.corked = false;
	}
	if (rec->retry_tick && now >= rec->retry_tick) {
		trace_prp_timer(conn, PRP_DUE_RETRY);
		if (!rec->starved)
			__prp_path_search_refused(conn);
		rec->retry_tick = 0;
		if (rec->starved && now < rec->starved_tick)
			rec->retry_tick = rec->starved_tick;
		else
			rec->starved = false;
		WRITE_ONCE(conn->below.room, conn->below.most);
	}
	if (rec->hold_tick && now >= rec->hold_tick) {
		trace_prp_timer(conn, PRP_DUE_HOLD);
		recovery_held(conn, now);
	}
	if (!rec->retry_tick && !conn->tx.corked)
		__prp_output_push_bh(conn);
	if (conn->ack.pending && now >= conn->ack.tick) {
		trace_prp_timer(conn, PRP_DUE_ACK);
		if (__prp_xmit_ack(conn))
			conn->ack.tick = now + RETRY_ACK_TICKS;
	}
	if (rec->probing && now >= rec->probe_base + probe_ticks(conn))
		recovery_probe(conn, now);
}

/* When to look again; 0 if there is nothing to look for. */
static u64 recovery_next(const struct prp_conn *conn)
{
	const struct prp_recovery *rec = &conn->recovery;
	u64 next = U64_MAX;

	if (recovery_asks(conn))
		next = conn->handshake.tick;
	if (conn->handshake.unconfirmed)
		next = recovery_since(conn) + recovery_limit(conn);
	if (conn->state == PRP_ESTABLISHED) {
		if (conn->tx.corked)
			next = min(next, conn->tx.cork_tick);
		if (rec->retry_tick)
			next = min(next, rec->retry_tick);
		if (rec->hold_tick)
			next = min(next, rec->hold_tick);
		if (conn->ack.pending)
			next = min(next, conn->ack.tick);
		if (rec->probing)
			next = min(next, rec->probe_base + probe_ticks(conn));
		if (conn->failover.look_tick)
			next = min(next, conn->failover.look_tick);
		if (conn->orphan)
			next = min(next, rec->death_tick);
	}
	return next == U64_MAX ? 0 : next;
}

/**
 * prp_recovery_timer() - do what is due
 * @conn: connection; a softirq, or BH off, without its lock
 */
void prp_recovery_timer(struct prp_conn *conn)
{
	u64 now, next;

	rcu_read_lock();
	spin_lock(&conn->lock);
	now = prp_timers_now();
	if (conn->state == PRP_CLOSE || recovery_is_over(conn, now))
		goto unlock;
	recovery_silence(conn, now);
	if (recovery_asks(conn) && now >= conn->handshake.tick)
		__prp_handshake_retransmit(conn, now);
	if (conn->state == PRP_ESTABLISHED)
		recovery_due(conn, now);
	next = recovery_next(conn);
	if (next)
		__prp_timers_due(conn, next);
unlock:
	spin_unlock(&conn->lock);
	rcu_read_unlock();
}
