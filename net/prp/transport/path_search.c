// SPDX-License-Identifier: GPL-2.0
/*
 * Ways that carry short frames only; see path_search.h.
 *
 * What gives such a way away is the oldest segment in flight: it was found lost
 * twice, and nothing as long that left later has arrived. Random losses and
 * full ports look like that now and then. So at first one as long as may be is
 * asked for, behind a short one that shows that answers come: if it is answered
 * nothing was wrong. If it is not, five times and apart in time, so that what
 * has filled a port may have gone, a ladder tells what passes: it ends with its
 * longest rung several times. An acknowledgment says which probe was sent last
 * of all that have come: so they go from short to long, lest a short one that
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
#define TRIALS 5 /* that often the longest one is asked for alone */
#define TRIAL_RUNGS 2
#define WAIT_LEAST_MS 2
#define REFUSED_TICKS (100 * PRP_TICKS_MS)

/* Has what made us ask arrived meanwhile? Then it was no hole. */
static bool search_is_vain(const struct prp_conn *conn)
{
	const struct prp_path_search *search = &conn->path.search;

	return search->longest <= conn->path.size &&
	       prp_before(search->seq, conn->snd.una);
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
	return search->times >= LOST_TIMES;
}

/* How long after an answer another one may come, of a probe that left at the
 * same time: twice what round trips differ by, but a lost acknowledgment makes
 * that large, so no more than one takes. Ticks.
 */
static u64 search_wait(const struct prp_conn *conn)
{
	u32 us = min(2 * conn->rtt.var_us4, prp_rtt_us(&conn->rtt));

	return (us / 1000 + WAIT_LEAST_MS) * PRP_TICKS_MS;
}

/* How many of the probes that are out have the longest size? */
static unsigned int search_full(const struct prp_path_search *search)
{
	return search->trial ? 1 : PRP_LADDER_FULL;
}

/* Payload of a probe that is out, by its number from 0 on. */
static u16 search_size(const struct prp_path_search *search, unsigned int nr)
{
	if (search->trial)
		return nr ? search->longest : PRP_PATH_SIZE_MIN;
	return prp_path_ladder(search->longest, search->rungs - 1 - nr);
}

/* Send a trial, by its number, or a ladder, 0, up to that many bytes of
 * payload. A probe that our own device refuses counts as one that is lost; one
 * that there is no memory for says nothing.
 */
static void search_send(struct prp_conn *conn, u16 longest, u8 trial, u64 now)
{
	struct prp_path_search *search = &conn->path.search;
	u32 *txno = &conn->snd.txno[conn->rail];
	unsigned int rungs = 0, i;
	u16 size;

	__prp_path_search_stop(conn);
	search->rail = conn->rail;
	search->longest = longest;
	search->trial = trial;
	search->txno = *txno;
	search->tick = (u32)now ?: 1;
	while (rungs < PRP_LADDER_MAX && prp_path_ladder(longest, rungs))
		rungs++;
	search->rungs = trial ? TRIAL_RUNGS : rungs;
	for (i = 0; i < search->rungs; i++) {
		size = search_size(search, i);
		if (__prp_xmit_sized_probe(conn, conn->rail, size) == -ENOMEM) {
			__prp_path_search_stop(conn);
			return;
		}
		*txno = search->txno + i + 1;
	}
}

/* Begin to search, unless that was done a moment ago, or answers come: these
 * take longer than the segment needs to be found lost once more. What is longer
 * than what is in use may well be too long: a ladder at once. Return: false if
 * it was so.
 */
static bool search_ask(struct prp_conn *conn, u16 longest, u64 now)
{
	struct prp_path_search *search = &conn->path.search;

	/* two processors' wheels may differ by one */
	if (search->best || (search->tick && (u32)now - search->tick + 1 <=
						     __prp_watch_timeout(conn)))
		return false;
	search_send(conn, longest, longest <= conn->path.size, now);
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

/* The last probe that was answered is the longest that passes. If it is not
 * that of a trial, the next one goes out, and a ladder after the last.
 */
static void search_found(struct prp_conn *conn)
{
	struct prp_path_search *search = &conn->path.search;
	bool passed = search->rungs - search->best < search_full(search);
	u16 size = search_size(search, search->best - 1);
	u64 now = prp_timers_now();
	u8 trial = search->trial;
	/* or somebody has told meanwhile how much passes */
	bool vain = search->rail != conn->rail ||
		    (!passed && search_is_vain(conn)) ||
		    (trial && search->longest > conn->path.size);

	if (trial && !passed && !vain) {
		trial++;
		if (trial > TRIALS)
			trial = 0;
		search_send(conn, search->longest, trial, now);
		return;
	}
	__prp_path_search_stop(conn);
	search->times = 0;
	if (vain)
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
	if (rung >= search->rungs) {
		/* none has come, but what left behind them has */
		if (!search->best && (s32)rung > 0)
			__prp_path_search_stop(conn);
		return;
	}
	if (rung < search->best)
		return;
	search->best = rung + 1;
	search->due_tick = prp_timers_now() + search_wait(conn);
	__prp_timers_due(conn, search->due_tick);
	if (search->rungs - search->best < search_full(search))
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
