// SPDX-License-Identifier: GPL-2.0
/*
 * Rails that carry nothing any more. A connection's segments go out on the
 * lowest rail that was not left; a rail is left
 *
 *   - when our device has no link: that is looked at while something is in
 *     flight, since the kernel may tell of it a second later,
 *   - when nothing has come back on it for 2.5 retransmission timeouts, and a
 *     probe on another one was answered meanwhile. Before that the other ones
 *     are probed, after one timeout; if none of them answers either it is not
 *     the rail,
 *   - when the peer says that it has left it: its end of the wire may be the
 *     one that lost the link.
 *
 * Then what was in flight there counts as lost, and goes out again on another
 * rail with a congestion window that begins anew: nothing is known of what
 * that one carries. The rail is left for all connections with the node, see
 * way.h; it is tested by one of them now and then, and taken back when it
 * answers.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "network/hop.h"
#include "network/rail.h"
#include "network/way.h"
#include "see/trace.h"
#include "transport/failover.h"
#include "transport/path_search.h"
#include "transport/path_size.h"
#include "transport/watch.h"
#include "transport/xmit.h"

#define LOOK_TICKS (4 * PRP_TICKS_MS)
#define TELLS_MAX 5

/* Is there another rail that could be used? */
static bool failover_may_leave(const struct prp_conn *conn, u8 up, u8 rails)
{
	return up & ~rails & ~prp_way_left_rcu(conn->pn, conn->key.peer);
}

/* Leave rails, and tell the peer if we are the first one to know. */
static void failover_leave(struct prp_conn *conn, unsigned long rails,
			   enum prp_left why, u64 now)
{
	struct prp_failover *fo = &conn->failover;
	unsigned int r;

	fo->asked &= ~rails;
	for_each_set_bit(r, &rails, PRP_RAILS) {
		if (!prp_way_leave(conn->pn, conn->key.peer, r, why, now) ||
		    why == PRP_LEFT_TOLD)
			continue;
		fo->tell |= BIT(r);
		fo->tells = 0;
		fo->tell_rail = PRP_RAIL_ANY;
		fo->tell_tick = now;
	}
}

/* Rails of both ends whose device has no link, or is not there. */
static void failover_carrier(struct prp_conn *conn, u8 rails, u8 up, u64 now)
{
	u8 dead = rails & ~up & ~prp_way_left_rcu(conn->pn, conn->key.peer);

	if (unlikely(dead) && failover_may_leave(conn, up, dead))
		failover_leave(conn, dead, PRP_LEFT_CARRIER, now);
}

/* Nothing comes back on the rail in use: is it the rail? Once another one has
 * answered that is found out even if it has brought all that was waited for.
 */
static void failover_silent(struct prp_conn *conn, u8 up, u64 now)
{
	struct prp_failover *fo = &conn->failover;
	unsigned long rails = up;
	u64 timeout = __prp_watch_timeout(conn);
	unsigned int r;

	if (!fo->live_tick || now < fo->live_tick + timeout ||
	    !(up & ~BIT(conn->rail)) ||
	    (!conn->watch.probing && !fo->answering))
		return;
	if (fo->answering && now >= fo->answer_tick + timeout / 2 &&
	    now >= fo->live_tick + timeout * 5 / 2) {
		failover_leave(conn, up & ~fo->answering, PRP_LEFT_SILENT, now);
		return;
	}
	if (now < fo->search_tick)
		return;
	fo->search_tick = now + max(timeout / 2, __prp_watch_probe_ticks(conn));
	for_each_set_bit(r, &rails, PRP_RAILS)
		__prp_xmit_probe_on(conn, r);
}

/**
 * __prp_failover_use() - segments go out on another rail from now on
 * @conn: connection, its lock held
 * @rail: number of the rail
 * @now: tick
 *
 * Nothing is known of what it carries.
 */
void __prp_failover_use(struct prp_conn *conn, u8 rail, u64 now)
{
	u32 size = conn->seg_size + PRP_SEG_OVERHEAD;

	lockdep_assert_held(&conn->lock);
	conn->rail = rail;
	WRITE_ONCE(conn->below.room, conn->below.most);
	prp_cong_init(&conn->cong);
	conn->cong.stale = prp_snd_in_flight(&conn->snd);
	prp_pace_most(&conn->pace, prp_cong_window(&conn->cong) * size);
	prp_rtt_forget(&conn->rtt);
	conn->rtt.probe_us = 0;
	__prp_path_search_stop(conn);
	conn->path.found =
		prp_way_size_rcu(conn->pn, conn->key.peer, rail, now);
	__prp_path_size_own(conn);
	__prp_failover_waits(conn, now);
}

/* Go on where frames go from now on; what was in flight on rails that are not
 * used any more does not wait for their answers.
 */
static void failover_move(struct prp_conn *conn, u8 up, u64 now)
{
	u8 left = prp_way_left_rcu(conn->pn, conn->key.peer) | ~up;
	struct prp_watch *watch = &conn->watch;
	struct prp_hop hop;
	unsigned int lost;
	u8 stale;

	if (prp_hop_rcu(conn->pn, conn->key.peer, PRP_RAIL_ANY, &hop))
		return;
	if (hop.rail != conn->rail)
		__prp_failover_use(conn, hop.rail, now);
	stale = conn->snd.rails & left & ~BIT(hop.rail);
	if (likely(!stale))
		return;
	lost = prp_snd_lose_rails(&conn->snd, stale);
	if (!lost)
		return;
	conn->cong.stale =
		min_t(u32, conn->cong.stale, prp_snd_in_flight(&conn->snd));
	trace_prp_retransmit(conn, lost);
	prp_rtt_forget(&conn->rtt);
	if (watch->retry_tick) /* what waited for it goes on at once */
		watch->retry_tick = now;
	watch->probes = 0;
	watch->probe_base = now;
}

/* Tell the peer which rails we have left, until it shows that it knows. */
static void failover_tell(struct prp_conn *conn, u64 now)
{
	struct prp_failover *fo = &conn->failover;

	if (likely(!fo->tell) || now < fo->tell_tick)
		return;
	fo->tell &= prp_way_left_rcu(conn->pn, conn->key.peer);
	if (fo->tells == TELLS_MAX)
		fo->tell = 0;
	if (!fo->tell)
		return;
	fo->tell_tick = now + __prp_watch_timeout(conn);
	if (__prp_xmit_probe(conn, fo->tell))
		return;
	fo->tells++;
	fo->tell_rail = conn->rail;
	fo->tell_txno = conn->snd.probe[conn->rail];
}

/**
 * __prp_failover_look() - look whether another rail is to be used
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 * @now: tick
 */
void __prp_failover_look(struct prp_conn *conn, u64 now)
{
	struct prp_failover *fo = &conn->failover;
	unsigned long tests;
	u8 rails, up;
	unsigned int r;

	lockdep_assert_held(&conn->lock);
	rails = prp_hop_ways_rcu(conn->pn, conn->key.peer, &up);
	fo->look_tick = 0;
	if (likely(!(rails & (rails - 1))))
		return;
	fo->answering &= up;
	fo->far = prp_hop_rails_rcu(conn->pn, conn->key.peer);
	failover_carrier(conn, rails, up, now);
	failover_silent(conn, up, now);
	failover_move(conn, up, now);
	failover_tell(conn, now);
	tests = up & prp_way_left_rcu(conn->pn, conn->key.peer);
	if (unlikely(tests))
		tests = prp_way_tests(conn->pn, conn->key.peer, tests, now);
	for_each_set_bit(r, &tests, PRP_RAILS)
		__prp_xmit_probe_on(conn, r);
	if (conn->snd.una != conn->snd.nxt || fo->answering || fo->tell)
		fo->look_tick = now + LOOK_TICKS;
}

/* A probe was answered on the rail that it went out on. */
static void failover_answered(struct prp_conn *conn, u8 rail)
{
	struct prp_failover *fo = &conn->failover;
	u64 now = prp_timers_now();

	if (unlikely(prp_way_left_rcu(conn->pn, conn->key.peer) & BIT(rail)))
		prp_way_answered(conn->pn, conn->key.peer, rail, now);
	if (rail == conn->rail) {
		__prp_failover_waits(conn, now);
		return;
	}
	/* beside a rail in use that has just answered, too, it tells nothing */
	if (fo->answering & BIT(rail) || !fo->live_tick ||
	    now < fo->live_tick + __prp_watch_timeout(conn))
		return;
	if (!fo->answering)
		fo->answer_tick = now;
	fo->answering |= BIT(rail);
}

/**
 * __prp_failover_reported() - a selective acknowledgment has come
 * @conn: connection in PRP_ESTABLISHED, its lock held
 * @frame: its frame
 * @sack: what it said
 * @newest_was: what was known before of the newest transmission number that
 *	came in on the rail in use
 */
void __prp_failover_reported(struct prp_conn *conn,
			     const struct prp_frame *frame,
			     const struct prp_sack *sack, u32 newest_was)
{
	struct prp_failover *fo = &conn->failover;
	const struct prp_snd *snd = &conn->snd;
	unsigned long asked = fo->asked & sack->rails;
	unsigned int r;

	lockdep_assert_held(&conn->lock);
	if (unlikely(fo->tell) && fo->tell_rail != PRP_RAIL_ANY &&
	    sack->rails & BIT(fo->tell_rail) &&
	    !prp_txno_before(sack->newest[fo->tell_rail], fo->tell_txno))
		fo->tell = 0;
	if (sack->rails & BIT(conn->rail) &&
	    prp_txno_before(newest_was, sack->newest[conn->rail]))
		__prp_failover_carries(conn, frame, prp_timers_now());
	for_each_set_bit(r, &asked, PRP_RAILS) {
		/* the probe went there, and its answer came from there */
		if (prp_txno_before(sack->newest[r], snd->probe[r]) ||
		    (frame->rail != r && fo->far & BIT(r)))
			continue;
		fo->asked &= ~BIT(r);
		failover_answered(conn, r);
	}
}

/**
 * __prp_failover_told() - the peer has left rails
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 * @frame: probe that says so
 */
void __prp_failover_told(struct prp_conn *conn, const struct prp_frame *frame)
{
	u8 rails, up;

	lockdep_assert_held(&conn->lock);
	rails = prp_hop_ways_rcu(conn->pn, conn->key.peer, &up);
	rails &= frame->rails->left;
	if (!rails || !failover_may_leave(conn, up, rails))
		return;
	failover_leave(conn, rails, PRP_LEFT_TOLD, prp_timers_now());
	conn->failover.look_tick = prp_timers_now();
	__prp_timers_due(conn, conn->failover.look_tick);
}

/**
 * __prp_failover_try_another() - the next request goes out on another rail
 * @conn: connection in PRP_CONN_WAIT, its lock held; in an RCU read section
 *
 * They take turns, as long as none has brought an answer.
 */
void __prp_failover_try_another(struct prp_conn *conn)
{
	unsigned int i;
	u8 up;

	lockdep_assert_held(&conn->lock);
	prp_hop_ways_rcu(conn->pn, conn->key.peer, &up);
	for (i = 1; i <= PRP_RAILS; i++) {
		u8 rail = (conn->came + i) % PRP_RAILS;

		if (up & BIT(rail)) {
			conn->came = rail;
			return;
		}
	}
}
