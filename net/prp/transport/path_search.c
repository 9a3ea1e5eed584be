// SPDX-License-Identifier: GPL-2.0
/*
 * Ways that carry short frames only; see path_search.h.
 *
 * What gives such a way away is the oldest segment in flight: it was found lost
 * twice, and nothing as long that left later has arrived; or more often, if one
 * as long as may be has passed of late. Random losses look like that now and
 * then; so the ladder ends with its longest rung several times, and if one of
 * these is answered, nothing was wrong. An acknowledgment says which rung was
 * sent last of all that have come: so the ladder goes up, lest a short one that
 * has overtaken the others be taken for the only one, and answers get a while
 * to come.
 *
 * What was found is kept for the rail to the node, for all connections (way.h),
 * and asked for again now and then: a way may become wider.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "network/hop.h"
#include "network/way.h"
#include "pure/path.h"
#include "transport/path_search.h"
#include "transport/path_size.h"
#include "transport/timers.h"
#include "transport/watch.h"
#include "transport/xmit.h"

#define LOST_TIMES 2
#define LOST_TIMES_PASSED 4
#define LOST_TIMES_SMALL 6
#define PASSED_TICKS (10000 * PRP_TICKS_MS)
#define WAIT_LEAST_MS 2
#define REFUSED_TICKS (100 * PRP_TICKS_MS)

/* Has what made us ask arrived meanwhile? Then it was no hole. */
static bool search_is_vain(const struct prp_conn *conn)
{
	const struct prp_path_search *search = &conn->path.search;

	return search->longest <= conn->path.size &&
	       prp_before(search->seq, conn->snd.una);
}

/* How often has a segment to be lost to be suspicious? One of many at a full
 * port has but one in flight, which is lost again and again, too, and so are
 * the longest rungs; but as long ones have just passed there.
 */
static u8 search_times(const struct prp_conn *conn)
{
	u32 passed = conn->path.search.passed_tick;

	/* two processors' wheels may differ by one */
	if (!passed || (s32)((u32)prp_timers_now() - passed) >= PASSED_TICKS)
		return LOST_TIMES;
	return prp_cong_is_small(&conn->cong) ? LOST_TIMES_SMALL :
						LOST_TIMES_PASSED;
}

/* Judge the oldest segment in flight: how often was it lost, while nothing as
 * long came through? Return: true if that is suspicious.
 */
static bool search_suspects(struct prp_conn *conn)
{
	struct prp_path_search *search = &conn->path.search;
	const struct prp_snd *snd = &conn->snd;
	u32 seq = snd->una, txno = snd->seg_txno[seq & snd->mask];
	u8 rail = prp_snd_rail(snd, seq);
	u32 size = min(prp_conn_seg(conn, seq)->len, conn->path.size);

	if (!prp_snd_is_lost(snd, seq) || size <= PRP_PATH_SIZE_MIN)
		return false;
	if (search->seq == seq && search->lost_txno == txno)
		return false; /* judged before */
	if (search->seq != seq) {
		if (search_is_vain(conn))
			__prp_path_search_stop(conn);
		search->times = 0;
	}
	search->seq = seq;
	search->lost_txno = txno;
	while (++seq != snd->nxt) {
		u32 other = min(prp_conn_seg(conn, seq)->len, conn->path.size);

		if (prp_snd_is_sacked(snd, seq) && other >= size &&
		    prp_snd_rail(snd, seq) == rail &&
		    prp_txno_before(txno, snd->seg_txno[seq & snd->mask])) {
			search->times = 0;
			return false;
		}
	}
	if (search->times < U8_MAX)
		search->times++;
	return search->times >= search_times(conn);
}

/* How long after an answer to a ladder another one may come, of a rung that
 * left at the same time: twice what round trips differ by, but a lost
 * acknowledgment makes that large, so no more than one takes. Ticks.
 */
static u64 search_wait(const struct prp_conn *conn)
{
	u32 us = min(2 * conn->rtt.var_us4, prp_rtt_us(&conn->rtt));

	return (us / 1000 + WAIT_LEAST_MS) * PRP_TICKS_MS;
}

/* Send a ladder up to that many bytes of payload. A rung that our own device
 * refuses counts as one that is lost; one that there is no memory for says
 * nothing.
 */
static void search_send(struct prp_conn *conn, u16 longest, u64 now)
{
	struct prp_path_search *search = &conn->path.search;
	u32 *txno = &conn->snd.txno[conn->rail];
	unsigned int rungs = 0, i;
	u16 size;

	__prp_path_search_stop(conn);
	search->rail = conn->rail;
	search->longest = longest;
	search->txno = *txno;
	search->tick = now;
	while (rungs < PRP_LADDER_MAX && prp_path_ladder(longest, rungs))
		rungs++;
	for (i = 0; i < rungs; i++) {
		size = prp_path_ladder(longest, rungs - 1 - i);
		if (__prp_xmit_sized_probe(conn, conn->rail, size) == -ENOMEM)
			return;
		*txno = search->txno + i + 1;
	}
	search->rungs = rungs;
}

/* Begin to search, unless that was done a moment ago, or answers come: these
 * take longer than the segment needs to be found lost once more. Return: false
 * if it was so.
 */
static bool search_ask(struct prp_conn *conn, u16 longest, u64 now)
{
	struct prp_path_search *search = &conn->path.search;

	if (search->best ||
	    (search->tick && now < search->tick + __prp_watch_timeout(conn)))
		return false;
	search->found = 0;
	search_send(conn, longest, now);
	return true;
}

/**
 * __prp_path_search_lost() - segments were found lost
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 */
void __prp_path_search_lost(struct prp_conn *conn)
{
	u64 now = prp_timers_now();
	u16 known;

	lockdep_assert_held(&conn->lock);
	if (likely(!conn->snd.lost) || !search_suspects(conn))
		return;
	known = prp_way_size_rcu(conn->pn, conn->key.peer, conn->rail, now);
	if (known && known < conn->path.size)
		__prp_path_size_found(conn, known);
	else
		search_ask(conn, conn->path.size, now);
}

/**
 * __prp_path_search_refused() - a segment could not be handed down
 * @conn: connection, its lock held; BH are off
 *
 * A device may refuse what the one behind it does not carry, for ever. A queue
 * says nothing of that: a full one may have room for short frames.
 */
void __prp_path_search_refused(struct prp_conn *conn)
{
	u64 now = prp_timers_now();

	lockdep_assert_held(&conn->lock);
	if (conn->state == PRP_ESTABLISHED && conn->watch.probing &&
	    now >= conn->watch.progress_tick + REFUSED_TICKS &&
	    !prp_hop_has_queue_rcu(conn->pn, conn->rail) &&
	    search_ask(conn, conn->path.size, now)) {
		conn->path.search.seq = conn->snd.una;
		conn->path.search.times = 0;
	}
}

/* The last rung that was answered is the longest that passes. That a ladder
 * found less than what is in use may have been bad luck, with one burst: ask
 * twice.
 */
static void search_found(struct prp_conn *conn)
{
	struct prp_path_search *search = &conn->path.search;
	u16 size = max(prp_path_ladder(search->longest,
				       search->rungs - search->best),
		       search->found);
	bool vain = size < conn->path.size && search_is_vain(conn);
	u64 now = prp_timers_now();

	if (size < conn->path.size && !vain && !search->found) {
		search->found = size;
		search_send(conn, search->longest, now);
		return;
	}
	__prp_path_search_stop(conn);
	search->times = 0;
	if (search->rail != conn->rail || vain)
		return;
	if (size == conn->path.size) { /* no hole, or not wider than before */
		prp_way_keep_size(conn->pn, conn->key.peer, conn->rail, now);
		return;
	}
	if (size < conn->path.size && search->longest > conn->path.size)
		return; /* what is in use is known to pass */
	prp_way_set_size(conn->pn, conn->key.peer, conn->rail,
			 size < search->longest ? size : 0, now);
	__prp_path_size_found(conn, size);
}

/**
 * __prp_path_search_answered() - a selective acknowledgment has come
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 * @sack: what it said
 */
void __prp_path_search_answered(struct prp_conn *conn,
				const struct prp_sack *sack)
{
	struct prp_path_search *search = &conn->path.search;
	unsigned int rail = search->rail;
	u32 rung;

	lockdep_assert_held(&conn->lock);
	if (likely(!search->rungs) || !(sack->rails & BIT(rail)))
		return;
	rung = sack->newest[rail] - search->txno;
	if (rung >= search->rungs)
		return;
	if (rung < search->best)
		return;
	search->best = rung + 1;
	search->due_tick = prp_timers_now() + search_wait(conn);
	__prp_timers_due(conn, search->due_tick);
	if (search->rungs - search->best < PRP_LADDER_FULL)
		search_found(conn);
}

/**
 * __prp_path_search_due() - has all come that could?
 * @conn: connection in PRP_ESTABLISHED, its lock held; in an RCU read section
 * @now: tick
 *
 * If no rung has been answered, that one is asked again another time.
 */
void __prp_path_search_due(struct prp_conn *conn, u64 now)
{
	lockdep_assert_held(&conn->lock);
	if (conn->path.search.best && now >= conn->path.search.due_tick)
		search_found(conn);
}

/**
 * __prp_path_search_again() - is a way wider than it was found to be?
 * @conn: connection in PRP_ESTABLISHED that has less than its devices would
 *	carry, its lock held; in an RCU read section
 * @now: tick
 */
void __prp_path_search_again(struct prp_conn *conn, u64 now)
{
	u16 known = prp_way_size_rcu(conn->pn, conn->key.peer, conn->rail, now);

	lockdep_assert_held(&conn->lock);
	if (known != conn->path.found) { /* another connection found it */
		__prp_path_size_found(conn, known);
		return;
	}
	if (prp_way_may_search(conn->pn, conn->key.peer, conn->rail, now))
		search_ask(conn, __prp_path_size_widest(conn), now);
}
