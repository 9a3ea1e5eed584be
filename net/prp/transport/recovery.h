/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an acknowledgment, its absence, and the passing of time mean for a
 * connection: freed, lost, probed, given up.
 */
#ifndef _PRP_RECOVERY_H
#define _PRP_RECOVERY_H

#include "transport/conn.h"

void __prp_recovery_started(struct prp_conn *conn);
void __prp_recovery_retry(struct prp_conn *conn, u32 ticks);
bool __prp_recovery_ack(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_recovery_orphan(struct prp_conn *conn);
s64 __prp_recovery_heard_ms(const struct prp_conn *conn);
s64 __prp_recovery_silent_ms(const struct prp_conn *conn);
u64 __prp_recovery_probe_ticks(const struct prp_conn *conn);
u64 __prp_recovery_timeout(const struct prp_conn *conn);
void __prp_recovery_unanswered(struct prp_conn *conn);
void prp_recovery_timer(struct prp_conn *conn);

/**
 * __prp_recovery_time() - a new segment has left, maybe time it
 * @conn: connection, its lock held
 * @seq: segment
 *
 * One segment is timed at a time, and not more than one a tick.
 */
static inline void __prp_recovery_time(struct prp_conn *conn, u32 seq)
{
	u64 now = prp_timers_now();

	lockdep_assert_held(&conn->lock);
	if (conn->rtt.start_ns || conn->rtt.tick == now)
		return;
	conn->rtt.tick = now;
	conn->rtt.seq = seq;
	conn->rtt.start_ns = ktime_get_ns();
}

#endif /* _PRP_RECOVERY_H */
