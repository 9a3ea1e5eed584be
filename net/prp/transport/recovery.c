// SPDX-License-Identifier: GPL-2.0
/*
 * What an acknowledgment, its absence, and the passing of time mean for a
 * connection. snd.c knows what is lost, cong.c how much may be in
 * flight; this file tells them and acts.
 */
#include <linux/ktime.h>

#include "see/peer.h"
#include "see/trace.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/crowd.h"
#include "transport/failover.h"
#include "transport/handshake.h"
#include "transport/output.h"
#include "transport/path_search.h"
#include "transport/recovery.h"
#include "transport/tx_slots.h"
#include "transport/watch.h"
#include "transport/xmit.h"

#define SILENT_PROBES 2
#define SILENT_PROBES_FIRST 6 /* 192 ms */
#define RETRY_ACK_TICKS (10 * PRP_TICKS_MS) /* no way to the peer */

/* Wait for what was overtaken; a whole tick at least. */
static void hold_from(struct prp_conn *conn, u64 now)
{
	struct prp_watch *watch = &conn->watch;
	u32 us = prp_hold_us(&watch->hold, prp_rtt_us(&conn->rtt),
			     conn->rtt.var_us4);

	watch->hold_tick = now + min_t(u32, us / (PRP_TICK_NS / 1000) + 2,
				       PRP_PROBE_MS_MAX * PRP_TICKS_MS);
}

/* The segment that is timed has arrived. Return: what it took, if it was
 * answered at once, else 0.
 */
static u32 recovery_timed(struct prp_conn *conn, const struct prp_frame *frame)
{
	struct prp_rtt *rtt = &conn->rtt;
	u32 us;

	/* it was called lost too soon, and this answers what was sent before */
	if (unlikely(rtt->again) && frame->sack &&
	    prp_txno_before(conn->snd.newest[conn->rail], rtt->txno)) {
		prp_rtt_forget(rtt);
		return 0;
	}
	us = prp_rtt_took(rtt, ktime_get_ns());
	return rtt->asked ? us : 0;
}

/* Tell the window of segments that have arrived. */
static noinline void recovery_window(struct prp_conn *conn,
				     const struct prp_frame *frame,
				     unsigned int arrived)
{
	struct prp_snd *snd = &conn->snd;
	struct prp_rtt *rtt = &conn->rtt;
	struct prp_cong_heard heard = {
		.acked = arrived,
		.in_flight = prp_snd_in_flight(snd),
		.overtook = snd->overtook,
		.behind = rtt->behind,
		.again = rtt->again,
		.tick = conn->watch.probe_base + conn->clock,
	};
	enum prp_cong_said said;

	if (unlikely(snd->overtook))
		snd->overtook = 0;
	if (rtt->start_ns &&
	    (prp_before(rtt->seq, snd->una) ||
	     (unlikely(frame->sack) && prp_snd_is_sacked(snd, rtt->seq)))) {
		heard.missed = rtt->asked && !frame->sack &&
			       prp_before(rtt->seq + 1, snd->una);
		heard.rtt_us = recovery_timed(conn, frame);
	}
	/* what a segment says of others is not defined */
	if (unlikely(conn->cong.crowd) && !(frame->flags & PRP_F_SEG) &&
	    frame->crowd)
		heard.active = be16_to_cpu(frame->crowd->active);
	said = prp_cong_acked(&conn->cong, &heard);
	if (likely(said == PRP_CONG_NOTHING))
		return;
	if (said == PRP_CONG_CUT)
		prp_mib_inc(conn->pn, PRP_MIB_CWND_CUTS);
	if (unlikely(said == PRP_CONG_FREE)) {
		prp_pace_again(&conn->pace);
		prp_rtt_again(&conn->rtt);
	}
	if (unlikely(said == PRP_CONG_DRAINS))
		prp_pace_most(&conn->pace, 0);
	trace_prp_round(conn);
}

/* The peer has memory again, of which it had none: what waited for that, or for
 * room below, goes on.
 */
static void recovery_fed(struct prp_conn *conn)
{
	if (likely(!conn->watch.starved))
		return;
	conn->watch.starved = false;
	conn->watch.retry_tick = 0;
	WRITE_ONCE(conn->below.room, conn->below.most);
}

/* Something that was in flight has arrived. */
static void recovery_progress(struct prp_conn *conn,
			      const struct prp_frame *frame,
			      unsigned int arrived)
{
	struct prp_watch *watch = &conn->watch;
	struct prp_snd *snd = &conn->snd;

	watch->probes = 0;
	recovery_fed(conn);
	watch->unreachable = false;
	watch->probing = snd->una != conn->tx.end;
	watch->probe_base = prp_timers_now();
	watch->progress_tick = watch->probe_base;
	__prp_failover_carries(conn, frame, watch->probe_base);
	if (unlikely(conn->orphan))
		__prp_watch_orphan(conn);
	if (conn->rtt.start_ns || !prp_cong_is_idle(&conn->cong))
		recovery_window(conn, frame, arrived);
	if (unlikely(conn->crowd.among > 1))
		__prp_crowd_passed(conn, arrived);
	conn->tx.since_acknow = min_t(unsigned int, conn->tx.since_acknow,
				      prp_snd_in_flight(snd));
}

/* Segments were found lost. */
static void recovery_lost(struct prp_conn *conn, unsigned int lost)
{
	if (!lost)
		return;
	if (prp_snd_is_lost(&conn->snd, conn->rtt.seq))
		prp_rtt_forget(&conn->rtt); /* another one may be timed */
	__prp_path_search_lost(conn);
	if (prp_cong_lost(&conn->cong, lost))
		prp_mib_inc(conn->pn, PRP_MIB_CWND_CUTS);
	trace_prp_retransmit(conn, lost);
}

/* More has been reported. What may have been overtaken is given time. */
static void recovery_reported(struct prp_conn *conn)
{
	if (!prp_snd_may_overtake(&conn->snd)) {
		recovery_lost(conn, prp_snd_find_lost(&conn->snd));
	} else if (!conn->watch.hold_tick && prp_snd_hold(&conn->snd)) {
		hold_from(conn, prp_timers_now());
		__prp_timers_due(conn, conn->watch.hold_tick);
	}
}

/* What was overtaken was given its time. */
static void recovery_held(struct prp_conn *conn, u64 now)
{
	struct prp_watch *watch = &conn->watch;
	unsigned int lost = conn->snd.lost, found;

	found = prp_snd_find_held(&conn->snd, prp_hold_most(&watch->hold));
	lost = conn->snd.lost - lost;
	recovery_lost(conn, lost);
	watch->hold_tick = 0;
	if (prp_hold_over(&watch->hold, found, lost))
		hold_from(conn, now);
	else
		recovery_reported(conn);
}

/* The peer had no memory for a segment. If it does not tell that it has some
 * again, ask for that more and more rarely, as by probes.
 */
static void recovery_overrun(struct prp_conn *conn, unsigned int arrived)
{
	struct prp_watch *watch = &conn->watch;

	prp_cong_silent(&conn->cong);
	prp_mib_inc(conn->pn, PRP_MIB_CWND_CUTS);
	/* an answer, if not a good one */
	watch->progress_tick = prp_timers_now();
	if (arrived || watch->starved || conn->snd.una == conn->snd.nxt)
		return;
	watch->starved = true;
	if (watch->probes < U8_MAX)
		watch->probes++;
	watch->starved_tick =
		prp_timers_now() + __prp_watch_pause_ticks(conn, watch->probes);
	__prp_watch_retry(conn, __prp_watch_pause_ticks(conn, watch->probes));
}

/* Has the probe that was to tell how long the way is arrived? */
static void recovery_drained(struct prp_conn *conn, const struct prp_sack *sack)
{
	u32 us;

	if (likely(!conn->rtt.probe_us) || !(sack->rails & BIT(conn->rail)))
		return;
	us = prp_rtt_probed(&conn->rtt, sack->newest[conn->rail],
			    ktime_get_ns());
	if (us)
		prp_cong_drained(&conn->cong, us,
				 prp_timers_now() + conn->clock);
}

/* An acknowledgment that tells what has arrived beyond a gap, or newest. */
static noinline enum prp_ack recovery_sack(struct prp_conn *conn,
					   const struct prp_frame *frame)
{
	struct prp_watch *watch = &conn->watch;
	u32 newest = conn->snd.newest[conn->rail];
	u32 needless = conn->snd.needless;
	struct prp_sack sack;
	enum prp_ack what;

	prp_wire_get_sack(frame->sack, &sack);
	what = prp_snd_ack(&conn->snd, frame->ack, frame->window, &sack);
	prp_mib_add(conn->pn, PRP_MIB_RETRANSMITS_SPURIOUS,
		    conn->snd.needless - needless);
	if (unlikely(conn->snd.needless != needless))
		prp_hold_needless(&watch->hold);
	if (what != PRP_ACK_BAD) {
		/* no answer, but told unasked: it has memory again */
		if (unlikely(watch->starved) && what == PRP_ACK_OK &&
		    !(frame->flags & PRP_F_OVERRUN) &&
		    sack.rails & BIT(conn->rail) &&
		    newest == conn->snd.newest[conn->rail])
			recovery_fed(conn);
		__prp_failover_reported(conn, frame, &sack, newest);
		__prp_path_search_answered(conn, &sack);
		recovery_drained(conn, &sack);
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
	u32 una = snd->una, held = conn->tx.bytes;
	enum prp_ack what;

	lockdep_assert_held(&conn->lock);
	what = unlikely(frame->sack) ?
		       recovery_sack(conn, frame) :
		       prp_snd_ack(snd, frame->ack, frame->window, NULL);
	if (unlikely(what == PRP_ACK_BAD))
		return false;
	arrived = snd->una - una + snd->sacked - sacked;
	if (snd->una != una) {
		__prp_account_tx_free(conn, una, snd->una);
		if (unlikely(conn->pool))
			__prp_account_settle(conn);
		prp_wake_writable(conn, held);
	}
	if (arrived)
		recovery_progress(conn, frame, arrived);
	if (unlikely(frame->sack))
		recovery_reported(conn);
	if (unlikely(frame->flags & PRP_F_OVERRUN))
		recovery_overrun(conn, arrived);
	return true;
}

/* End a connection whose peer does not answer, or whose time is over. */
static void recovery_give_up(struct prp_conn *conn, enum prp_due due, int mib)
{
	trace_prp_timer(conn, due);
	prp_mib_inc(conn->pn, mib);
	__prp_handshake_abort(conn, conn->watch.unreachable ? EHOSTUNREACH :
							      ETIMEDOUT);
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
	if (__prp_watch_is_over(conn, now)) {
		recovery_give_up(conn, PRP_DUE_PATIENCE,
				 conn->handshake.unconfirmed ?
					 PRP_MIB_UNCONFIRMED_EXPIRED :
					 PRP_MIB_TIMEOUTS);
		return true;
	}
	if (conn->orphan && now >= conn->watch.death_tick) {
		recovery_give_up(conn, PRP_DUE_ORPHAN, PRP_MIB_ORPHANS_KILLED);
		return true;
	}
	return false;
}

/* The peer has become silent, or is so no longer: that is to be known. */
static void recovery_silence(struct prp_conn *conn, u64 now)
{
	bool silent = __prp_watch_is_silent(conn, now);

	if (likely(silent == conn->watch.silent))
		return;
	__prp_conn_set_silent(conn, silent);
	prp_peer_silent(conn->pn, conn->key.peer, silent);
}

/* How many probes without an answer are a silence? Before a round trip is known
 * they come every few milliseconds, and the way may be longer than that.
 */
static u8 recovery_silent_probes(const struct prp_conn *conn)
{
	return conn->cong.rtt_us ? SILENT_PROBES : SILENT_PROBES_FIRST;
}

static void recovery_probe(struct prp_conn *conn, u64 now)
{
	bool below = atomic_read(&conn->below.frames[conn->rail]);
	struct prp_watch *watch = &conn->watch;
	unsigned long rails;
	unsigned int r;

	/* Our own device may not have sent all yet: then nothing is lost. Or it
	 * has, and frees lazily: wait once more, not for ever.
	 */
	if (below && watch->put_off_tick != watch->probe_base) {
		watch->probe_base = now;
		watch->put_off_tick = now;
		return;
	}
	trace_prp_timer(conn, PRP_DUE_PROBE);
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
	if (!below && watch->probes >= recovery_silent_probes(conn) &&
	    __prp_watch_is_unheard(conn) && prp_snd_in_flight(&conn->snd))
		prp_cong_silent(&conn->cong);
	if (watch->probes < U8_MAX)
		watch->probes++;
	watch->probe_base = now;
}

/* What is due of an established connection. */
static void recovery_due(struct prp_conn *conn, u64 now)
{
	struct prp_watch *watch = &conn->watch;

	if (conn->failover.look_tick ? now >= conn->failover.look_tick :
				       watch->probing)
		__prp_failover_look(conn, now);
	if (!__prp_watch_in_motion(conn))
		watch->progress_tick = now;
	if (unlikely(conn->path.search.rungs))
		__prp_path_search_due(conn, now);
	if (unlikely(conn->path.found))
		__prp_path_search_again(conn, now);
	if (conn->tx.corked && now >= conn->tx.cork_tick) {
		trace_prp_timer(conn, PRP_DUE_CORK);
		conn->tx.corked = false;
		__prp_output_hurry(conn);
	}
	if (watch->retry_tick && now >= watch->retry_tick) {
		trace_prp_timer(conn, PRP_DUE_RETRY);
		if (!watch->starved)
			__prp_path_search_refused(conn);
		watch->retry_tick = 0;
		if (watch->starved && now < watch->starved_tick)
			watch->retry_tick = watch->starved_tick;
		else
			watch->starved = false;
		WRITE_ONCE(conn->below.room, conn->below.most);
	}
	if (watch->hold_tick && now >= watch->hold_tick) {
		trace_prp_timer(conn, PRP_DUE_HOLD);
		recovery_held(conn, now);
	}
	if (!watch->retry_tick && !conn->tx.corked)
		__prp_output_push_bh(conn);
	if (conn->ack.pending && now >= conn->ack.tick) {
		trace_prp_timer(conn, PRP_DUE_ACK);
		if (prp_ack_waits(&conn->ack))
			conn->ack.tick = now + 1;
		else if (__prp_xmit_ack(conn))
			conn->ack.tick = now + RETRY_ACK_TICKS;
	}
	if (watch->probing &&
	    now >= watch->probe_base + __prp_watch_probe_ticks(conn))
		recovery_probe(conn, now);
	if (unlikely(__prp_tx_slots_holds(conn)))
		__prp_tx_slots_idle(conn, now);
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
	if (__prp_watch_asks(conn) && now >= conn->handshake.tick)
		__prp_handshake_retransmit(conn, now);
	if (conn->state == PRP_ESTABLISHED)
		recovery_due(conn, now);
	next = __prp_watch_next(conn);
	if (next)
		__prp_timers_due(conn, next);
unlock:
	spin_unlock(&conn->lock);
	rcu_read_unlock();
}
