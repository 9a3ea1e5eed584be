// SPDX-License-Identifier: GPL-2.0
/*
 * Many to one. A node counts who may send to it, and of how many something has
 * just come, and says both in acknowledgments; who begins to send after a pause
 * begins as one of so many. All nodes have the same part, whatever each of them
 * makes of it: one with a thousand idle connections takes nothing from others.
 * Nothing is promised, so nothing has to be taken back, and who dies while he
 * is counted holds nothing.
 *
 * A node whose other connections send has no pause behind it, and knows what
 * gets through: those of its connections that come back begin with that
 * together. So connections with the same node learn from each other (RFC 9040,
 * ensemble sharing), and get twice as much at most in a period.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "pure/cong.h"
#include "pure/window.h"
#include "see/mib.h"
#include "transport/conn.h"
#include "transport/crowd.h"

#define EPOCH_TICKS (8 * PRP_TICKS_MS) /* "just" is that long ago, or twice */
#define PAUSE_TICKS (2 * PRP_TICKS_MS) /* that long what was learned holds */
#define PERIOD_TICKS PAUSE_TICKS /* ... or, of the node, twice */
#define BEHIND 64 /* of these that the clock of a processor may be behind */

static struct prp_crowd_peer *crowd_of(struct prp_conn *conn)
{
	return &conn->pn->crowd.of[conn->key.peer % PRP_CROWD_PEERS];
}

/**
 * __prp_crowd_join() - a connection may send to this node from now on
 * @conn: connection that both ends know, its lock held
 *
 * One within this node does not: it has no port.
 */
void __prp_crowd_join(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->crowd.counted || conn->key.peer == conn->self)
		return;
	conn->crowd.counted = true;
	if (atomic_inc_return(&crowd_of(conn)->conns) == 1)
		atomic_inc(&conn->pn->crowd.peers);
}

/**
 * __prp_crowd_leave() - it may no longer
 * @conn: connection that has ended, its lock held
 */
void __prp_crowd_leave(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->crowd.counted)
		return;
	conn->crowd.counted = false;
	if (atomic_dec_and_test(&crowd_of(conn)->conns))
		atomic_dec(&conn->pn->crowd.peers);
}

/* It is this period now: count in that, or, by a clock that is behind, in the
 * one that has begun, which is put back. Two processors may begin one at the
 * same time, and miss one or two. Return: true if we have.
 */
static bool crowd_turn(struct prp_crowd_count *count, u32 *period)
{
	u32 was = READ_ONCE(count->period), now;

	if (likely(was - *period < BEHIND)) {
		*period = was;
		return false;
	}
	if (cmpxchg(&count->period, was, *period) != was)
		return false;
	now = atomic_xchg(&count->now, 0);
	WRITE_ONCE(count->last, *period - was == 1 ? now : 0);
	return true;
}

/* Of how many has something come of late, this one included? */
static u32 crowd_active(struct prp_crowd_count *active, struct prp_conn *conn)
{
	u32 epoch = div_u64(prp_timers_now(), EPOCH_TICKS), now;

	crowd_turn(active, &epoch);
	now = conn->crowd.epoch == epoch ? atomic_read(&active->now) :
					   atomic_inc_return(&active->now);
	conn->crowd.epoch = epoch;
	return max3(now, READ_ONCE(active->last), 1U);
}

/* One of how many is it? */
static u32 crowd_among(struct prp_conn *conn)
{
	u32 peers = atomic_read(&conn->pn->crowd.peers);

	return conn->crowd.told && conn->crowd.counted ?
		       peers * atomic_read(&crowd_of(conn)->conns) :
		       0;
}

/**
 * __prp_crowd_asked() - a segment has come that is to be acknowledged at once
 * @conn: connection, its lock held
 *
 * The acknowledgment may be on a segment, and say nothing of others; but the
 * others are to know of this one.
 */
void __prp_crowd_asked(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (crowd_among(conn) > 1)
		crowd_active(&conn->pn->crowd.active, conn);
}

/**
 * __prp_crowd_tell() - what an acknowledgment says of others
 * @conn: connection, its lock held
 * @ext: filled in
 *
 * Return: false if there is nothing to be said.
 */
bool __prp_crowd_tell(struct prp_conn *conn, struct prp_ext_crowd *ext)
{
	u32 among = crowd_among(conn), active;

	lockdep_assert_held(&conn->lock);
	if (likely(among < 2))
		return false;
	active = crowd_active(&conn->pn->crowd.active, conn);
	*ext = (struct prp_ext_crowd){
		.type = PRP_EXT_CROWD,
		.units = sizeof(*ext) / PRP_EXT_UNIT,
		.among = cpu_to_be16(min_t(u32, among, U16_MAX)),
		.active = cpu_to_be16(min_t(u32, active, U16_MAX)),
	};
	return true;
}

/**
 * __prp_crowd_told() - the peer has said how many there are, or no more
 * @conn: connection, its lock held
 * @frame: acknowledgment without payload
 */
void __prp_crowd_told(struct prp_conn *conn, const struct prp_frame *frame)
{
	lockdep_assert_held(&conn->lock);
	conn->crowd.among = frame->crowd && conn->crowd.told ?
				    be16_to_cpu(frame->crowd->among) :
				    0;
	prp_drain_crowd(&conn->cong.drain, conn->crowd.among, conn->hash);
}

static u32 crowd_period(void)
{
	return div_u64(prp_timers_now(), PERIOD_TICKS);
}

/* Of the same node in this period */
static struct prp_crowd_peer *crowd_peer(struct prp_conn *conn)
{
	struct prp_crowd_peer *peer = crowd_of(conn);
	u32 period = crowd_period();

	if (crowd_turn(&peer->passed, &period))
		atomic_set(&peer->taken, 0);
	return peer;
}

/**
 * __prp_crowd_passed() - segments to a peer who has many have arrived
 * @conn: connection, its lock held
 * @arrived: how many
 *
 * It is noted once a period, with what has arrived since: so connections on
 * different processors seldom write where all do.
 */
void __prp_crowd_passed(struct prp_conn *conn, unsigned int arrived)
{
	struct prp_conn_crowd *crowd = &conn->crowd;
	u8 period = crowd_period();

	lockdep_assert_held(&conn->lock);
	crowd->passed = min_t(unsigned int, crowd->passed + arrived, PRP_WIN);
	if (crowd->period == period)
		return;
	crowd->period = period;
	atomic_add(crowd->passed, &crowd_peer(conn)->passed.now);
	crowd->passed = 0;
}

/* How many segments are known to get through, as others with the same node have
 * some that did? It takes of these what it has to send by now.
 */
static u32 crowd_take(struct prp_conn *conn)
{
	struct prp_crowd_peer *peer = crowd_peer(conn);
	int left = READ_ONCE(peer->passed.last) +
		   atomic_read(&peer->passed.now) - atomic_read(&peer->taken);

	if (left <= 0)
		return 0;
	atomic_add(min_t(u32, left, conn->tx.end - conn->snd.nxt),
		   &peer->taken);
	return left;
}

/**
 * __prp_crowd_begin() - something is to be sent to a peer who has many
 * @conn: connection, its lock held
 *
 * After a pause it begins as one of them: what it had learned is of before, but
 * for what others of this node have learned since. A short segment or two are
 * no beginning, and wait for nothing; what follows them is.
 */
void __prp_crowd_begin(struct prp_conn *conn)
{
	u32 size = conn->seg_size + PRP_SEG_OVERHEAD;

	lockdep_assert_held(&conn->lock);
	if (conn->snd.una == conn->snd.nxt) {
		if (!conn->crowd.goes_on &&
		    prp_timers_now() >= conn->watch.probe_base + PAUSE_TICKS)
			conn->crowd.paused = true;
		conn->crowd.goes_on = false;
	}
	if (!conn->crowd.paused || conn->tx.bytes < 2 * size || conn->snd.lost)
		return;
	conn->crowd.paused = false;
	if (!prp_cong_crowd(&conn->cong, conn->crowd.among, crowd_take(conn),
			    prp_timers_now() + conn->clock))
		return;
	prp_pace_most(&conn->pace, prp_cong_burst(&conn->cong) * size);
	prp_mib_inc(conn->pn, PRP_MIB_CROWDS);
}
