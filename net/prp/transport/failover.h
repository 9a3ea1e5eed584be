/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a connection leaves a rail for another one, and what it does with what
 * is in flight there.
 */
#ifndef _PRP_FAILOVER_H
#define _PRP_FAILOVER_H

#include "transport/conn.h"

void __prp_failover_use(struct prp_conn *conn, u8 rail, u64 now);
void __prp_failover_look(struct prp_conn *conn, u64 now);
void __prp_failover_reported(struct prp_conn *conn,
			     const struct prp_frame *frame,
			     const struct prp_sack *sack, u32 newest_was);
void __prp_failover_told(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_failover_try_another(struct prp_conn *conn);

/**
 * __prp_failover_waits() - from now on the rail owes us an answer, if any
 * @conn: connection, its lock held
 * @now: tick
 *
 * If nothing is in flight it owes none, until a probe goes out.
 */
static inline void __prp_failover_waits(struct prp_conn *conn, u64 now)
{
	lockdep_assert_held(&conn->lock);
	conn->failover.live_tick = conn->snd.una != conn->snd.nxt ? now : 0;
	conn->failover.answering = 0;
}

/**
 * __prp_failover_carries() - something came back on the rail in use
 * @conn: connection, its lock held
 * @frame: frame that acknowledged what was in flight
 * @now: tick
 *
 * What the peer sends on another rail says nothing of how ours carries its
 * answers; a peer behind forwarders may not have a rail with that number.
 */
static inline void __prp_failover_carries(struct prp_conn *conn,
					  const struct prp_frame *frame,
					  u64 now)
{
	lockdep_assert_held(&conn->lock);
	if (likely(frame->rail == conn->rail ||
		   !(conn->failover.far & BIT(conn->rail))))
		__prp_failover_waits(conn, now);
}

/**
 * __prp_failover_heard() - note the rail that a frame came on
 * @conn: connection, its lock held
 * @frame: frame of the established connection
 */
static inline void __prp_failover_heard(struct prp_conn *conn,
					const struct prp_frame *frame)
{
	lockdep_assert_held(&conn->lock);
	if (likely(frame->rail == conn->came))
		return;
	conn->came = frame->rail;
	/* it may be one that we have left */
	conn->failover.look_tick = prp_timers_now();
	__prp_timers_due(conn, conn->failover.look_tick);
}

#endif /* _PRP_FAILOVER_H */
