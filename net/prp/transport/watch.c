// SPDX-License-Identifier: GPL-2.0
/*
 * What a connection waits for and since when, how long it may, and when that is
 * to be looked at. This file does nothing about it: recovery.c acts.
 */
#include <net/net_namespace.h>

#include "transport/failover.h"
#include "transport/tx_slots.h"
#include "transport/watch.h"

#define PROBE_US_FIRST 3000 /* before a round trip was measured */
#define PROBES_OFTEN 150 /* half a minute of them */
#define PROBE_MS_SELDOM 2000 /* the longest pause from then on */
#define PROBES_SILENT 500 /* a second, of all that are silent */
#define PROBE_MS_SILENT 10000 /* the longest pause because of that */
#define TIMEOUT_MS_MIN 50 /* 2.5 of these outlast a full queue */
#define TIMEOUT_MS_MAX 1000
#define ACK_DELAY_US (PRP_ACK_TICKS * (PRP_TICK_NS / 1000))
#define ORPHAN_MS 60000 /* without progress */
#define SILENT_MS 1000 /* until a peer counts as silent */
#define TCP_FIRST_MS 200 /* before TCP repeats anything, as a model has it */
#define TCP_LAST_MS 120000 /* the longest pause between two repeats */
#define TCP_DOUBLED 9U /* so often the first one is doubled until then */

/* The longest pause of one of many that are silent: together they ask no more
 * often than a peer answers those that it does not know, and a switch that does
 * not know the way to a host gives frames for it to all.
 */
static u32 watch_silent_ms(const struct prp_conn *conn, u32 most_ms)
{
	unsigned int silent = atomic_read(&conn->pn->silent_conns);
	u64 ms = (u64)silent * MSEC_PER_SEC / PROBES_SILENT;

	return clamp_t(u64, ms, most_ms, PROBE_MS_SILENT);
}

/**
 * __prp_watch_pause_ticks() - how long until the peer is asked again
 * @conn: connection, its lock held
 * @doublings: how often that was doubled
 *
 * 2 round trips and the ack delay, so many times doubled. Who has little
 * patience is to be answered before it is over. Who has much of it, for a host
 * that may be gone for good as it does not answer, asks more seldom in the end.
 *
 * Return: ticks.
 */
u64 __prp_watch_pause_ticks(const struct prp_conn *conn, unsigned int doublings)
{
	u32 us = PROBE_US_FIRST, most_ms = PRP_PROBE_MS_MAX;
	u64 ticks;

	lockdep_assert_held(&conn->lock);
	if (conn->rtt.srtt_us8)
		us = conn->rtt.srtt_us8 / 4 + ACK_DELAY_US;
	if (unlikely(doublings >= PROBES_OFTEN) && __prp_watch_is_unheard(conn))
		most_ms = PROBE_MS_SELDOM;
	if (unlikely(conn->watch.silent))
		most_ms = watch_silent_ms(conn, most_ms);
	if (unlikely(conn->timeout_ms))
		most_ms = min(most_ms, conn->timeout_ms / 3);
	ticks = us / (PRP_TICK_NS / 1000) + 1;
	return min_t(u64, ticks << min(doublings, 16U), most_ms * PRP_TICKS_MS);
}

/**
 * __prp_watch_probe_ticks() - how long without progress until a probe
 * @conn: connection, its lock held
 *
 * The first two probes tell of a hole (see path_search.c): the pause before the
 * second one is as long as that before the first, and is doubled from then on.
 *
 * Return: ticks.
 */
u64 __prp_watch_probe_ticks(const struct prp_conn *conn)
{
	u8 probes = conn->watch.probes;

	lockdep_assert_held(&conn->lock);
	return __prp_watch_pause_ticks(conn, probes ? probes - 1 : 0);
}

/**
 * __prp_watch_timeout() - the retransmission timeout
 * @conn: connection, its lock held
 *
 * How long an answer may take as far as the round trips tell (RFC 6298,
 * section 2). Nothing is repeated because of it alone: a probe finds out
 * sooner what is lost. It tells when a rail counts as silent, which has to be
 * before the user's patience is over. But a rail is left for all: as long as
 * round trips take, or as none is known, it is not.
 *
 * Return: ticks, at least those of TIMEOUT_MS_MIN, or of a fifth of the user
 * time-out if that is less and round trips are.
 */
u64 __prp_watch_timeout(const struct prp_conn *conn)
{
	u32 us = prp_rtt_us(&conn->rtt) +
		 max_t(u32, conn->rtt.var_us4, ACK_DELAY_US);
	u32 least = min_t(u32, us / 1000, TIMEOUT_MS_MAX);
	u32 ms = max_t(u32, least, TIMEOUT_MS_MIN);

	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->timeout_ms) && conn->rtt.srtt_us8)
		ms = clamp(conn->timeout_ms / 5, least, ms);
	return ms * PRP_TICKS_MS;
}

/**
 * __prp_watch_started() - there is something to watch over
 * @conn: connection, its lock held; nothing was watched over before
 */
void __prp_watch_started(struct prp_conn *conn)
{
	struct prp_watch *watch = &conn->watch;
	u64 now = prp_timers_now();

	lockdep_assert_held(&conn->lock);
	watch->probing = true;
	watch->probes = 0;
	watch->owed_tick = now;
	watch->probe_base = now;
	watch->progress_tick = now;
	__prp_failover_waits(conn, now);
	/* early: the timer sees when the probe is due, if it ever is */
	__prp_timers_due(conn, now + PRP_ACK_TICKS);
}

/**
 * __prp_watch_set_patience() - set how long the peer may be silent
 * @conn: connection, its lock held
 * @ms: milliseconds, 0 for the default
 *
 * The pause since it was asked last may be longer than that: its silence counts
 * from now on, and it is asked in time. What is in flight counts from when some
 * of it last arrived all the same.
 */
void __prp_watch_set_patience(struct prp_conn *conn, u32 ms)
{
	u64 next;

	lockdep_assert_held(&conn->lock);
	conn->timeout_ms = ms;
	if (conn->state == PRP_ESTABLISHED)
		conn->watch.owed_tick = prp_timers_now();
	next = __prp_watch_next(conn);
	if (next)
		__prp_timers_due(conn, next);
}

/**
 * __prp_watch_retry() - a segment could not be handed down
 * @conn: connection, its lock held
 * @ticks: try again after that many
 */
void __prp_watch_retry(struct prp_conn *conn, u32 ticks)
{
	struct prp_watch *watch = &conn->watch;

	lockdep_assert_held(&conn->lock);
	watch->retry_tick = prp_timers_now() + ticks;
	__prp_timers_due(conn, watch->retry_tick);
	if (!watch->probing)
		__prp_watch_started(conn);
}

/**
 * __prp_watch_orphan() - how long may an orphan live?
 * @conn: orphan, its lock held, just made or having made progress
 */
void __prp_watch_orphan(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->watch.death_tick = prp_timers_now() + ORPHAN_MS * PRP_TICKS_MS;
	__prp_timers_due(conn, conn->watch.death_tick);
}

/* Does the peer owe us a sign of life? */
static bool watch_waits(const struct prp_conn *conn)
{
	return conn->watch.probing || conn->handshake.unconfirmed ||
	       __prp_watch_asks(conn);
}

/* Since when has what we sent had no answer, if it should have one? */
static u64 watch_since(const struct prp_conn *conn)
{
	return max(conn->watch.heard_tick, conn->watch.owed_tick);
}

/**
 * __prp_watch_in_motion() - should something make progress by itself?
 * @conn: connection, its lock held
 *
 * What the peer holds back by its window may wait as long as the peer is heard,
 * but where a program has set TCP_USER_TIMEOUT, which ends that, too; and what
 * the pace holds back as long as that says.
 *
 * Return: whether there is anything like that.
 */
bool __prp_watch_in_motion(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->state == PRP_ESTABLISHED &&
	       (prp_snd_in_flight(&conn->snd) || !conn->pace.waits) &&
	       (conn->snd.una != conn->snd.nxt ||
		(conn->snd.nxt != conn->tx.end &&
		 (prp_snd_new_allowed(&conn->snd) ||
		  (conn->ip && conn->timeout_ms))));
}

/* Since when has nothing become better? That the peer is heard does not help
 * what is in flight.
 */
static u64 watch_stuck_since(const struct prp_conn *conn)
{
	return __prp_watch_in_motion(conn) ? conn->watch.progress_tick :
					     watch_since(conn);
}

/* Milliseconds since a tick; two processors' wheels may differ by one. */
static s64 watch_ms_since(u64 tick)
{
	u64 now = prp_timers_now();

	return now > tick ? div_u64(now - tick, PRP_TICKS_MS) : 0;
}

/**
 * __prp_watch_heard_ms() - when was the peer last heard?
 * @conn: connection, its lock held
 *
 * Return: milliseconds ago, or -1 if it never was.
 */
s64 __prp_watch_heard_ms(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->watch.heard_tick ? watch_ms_since(conn->watch.heard_tick) :
					-1;
}

/**
 * __prp_watch_silent_ms() - how long has the peer owed us an answer?
 * @conn: connection, its lock held
 *
 * Return: milliseconds, or -1 if nothing waits for one.
 */
s64 __prp_watch_silent_ms(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state == PRP_CLOSE || !watch_waits(conn))
		return -1;
	return watch_ms_since(watch_since(conn));
}

/* The user's patience in ticks. */
static u64 watch_patience(const struct prp_conn *conn, u32 default_ms)
{
	return (u64)(conn->timeout_ms ?: default_ms) * PRP_TICKS_MS;
}

/* For how long TCP would go on, as net.ipv4.tcp_retries2 has it: so many
 * repeats, and another pause; each is twice the one before.
 */
static u32 watch_tcp_ms(const struct prp_conn *conn)
{
	const struct netns_ipv4 *ip = &conn->pn->net->ipv4;
	const u32 retries = READ_ONCE(ip->sysctl_tcp_retries2);
	const u32 doubled = min(retries, TCP_DOUBLED);

	return ((2U << doubled) - 1) * TCP_FIRST_MS +
	       (retries - doubled) * TCP_LAST_MS;
}

/* How long the peer may be silent, in ticks. */
static u64 watch_limit(const struct prp_conn *conn)
{
	/* more patience would only keep TCP from trying */
	if (conn->state == PRP_CONN_WAIT && conn->ip && !conn->only_prp)
		return min_t(u64, watch_patience(conn, PRP_TIMEOUT_IP_MS),
			     PRP_TIMEOUT_IP_MS * PRP_TICKS_MS);
	if (conn->handshake.unconfirmed || __prp_watch_asks(conn))
		return watch_patience(conn, PRP_TIMEOUT_CONNECT_MS);
	if (conn->ip) /* its programs count on what TCP lives through */
		return watch_patience(conn, watch_tcp_ms(conn));
	return watch_patience(conn, PRP_TIMEOUT_MS);
}

/**
 * __prp_watch_is_silent() - has the peer owed us an answer for long?
 * @conn: connection, its lock held
 * @now: tick
 *
 * Return: whether it has.
 */
bool __prp_watch_is_silent(const struct prp_conn *conn, u64 now)
{
	lockdep_assert_held(&conn->lock);
	return watch_waits(conn) &&
	       now >= watch_since(conn) + SILENT_MS * PRP_TICKS_MS;
}

/**
 * __prp_watch_is_over() - was there nothing of the peer for too long?
 * @conn: connection, its lock held
 * @now: tick
 *
 * Return: whether patience is at its end.
 */
bool __prp_watch_is_over(const struct prp_conn *conn, u64 now)
{
	lockdep_assert_held(&conn->lock);
	/* two processors' wheels may differ by a tick: do not subtract */
	return watch_waits(conn) &&
	       now >= watch_stuck_since(conn) + watch_limit(conn);
}

/**
 * __prp_watch_next() - when is something due?
 * @conn: connection, its lock held
 *
 * Return: tick, 0 if nothing is.
 */
u64 __prp_watch_next(const struct prp_conn *conn)
{
	const struct prp_watch *watch = &conn->watch;
	u64 next = U64_MAX;

	lockdep_assert_held(&conn->lock);
	if (__prp_watch_asks(conn))
		next = conn->handshake.tick;
	if (conn->handshake.unconfirmed)
		next = watch_since(conn) + watch_limit(conn);
	if (conn->state == PRP_ESTABLISHED) {
		if (conn->tx.corked)
			next = min(next, conn->tx.cork_tick);
		if (watch->retry_tick)
			next = min(next, watch->retry_tick);
		if (watch->hold_tick)
			next = min(next, watch->hold_tick);
		if (conn->ack.pending)
			next = min(next, conn->ack.tick);
		if (watch->probing)
			next = min(next, watch->probe_base +
						 __prp_watch_probe_ticks(conn));
		if (unlikely(conn->path.search.best))
			next = min(next, conn->path.search.due_tick);
		if (conn->failover.look_tick)
			next = min(next, conn->failover.look_tick);
		if (conn->orphan)
			next = min(next, watch->death_tick);
		/* or it is looked at for a probe, and turns no wheel more */
		if (!watch->probing && __prp_tx_slots_holds(conn))
			next = min(next, conn->tx.idle_tick);
	}
	return next == U64_MAX ? 0 : next;
}
