/* SPDX-License-Identifier: GPL-2.0 */
/* What a connection waits for, and since when; watch.c. */
#ifndef _PRP_WATCH_H
#define _PRP_WATCH_H

#include "transport/conn.h"

#define PRP_PROBE_MS_MAX 200 /* longest pause between the first 150 probes */

u64 __prp_watch_pause_ticks(const struct prp_conn *conn,
			    unsigned int doublings);
u64 __prp_watch_probe_ticks(const struct prp_conn *conn);
u64 __prp_watch_timeout(const struct prp_conn *conn);
void __prp_watch_started(struct prp_conn *conn);
void __prp_watch_set_patience(struct prp_conn *conn, u32 ms);
void __prp_watch_retry(struct prp_conn *conn, u32 ticks);
void __prp_watch_orphan(struct prp_conn *conn);
bool __prp_watch_in_motion(const struct prp_conn *conn);
bool __prp_watch_is_silent(const struct prp_conn *conn, u64 now);
bool __prp_watch_is_over(const struct prp_conn *conn, u64 now);
u64 __prp_watch_next(const struct prp_conn *conn);
s64 __prp_watch_heard_ms(const struct prp_conn *conn);
s64 __prp_watch_silent_ms(const struct prp_conn *conn);

/**
 * __prp_watch_asks() - is a request or a confirmation to be repeated?
 * @conn: connection, its lock held
 *
 * Return: whether one is.
 */
static inline bool __prp_watch_asks(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->state == PRP_CONN_WAIT || conn->handshake.confirming;
}

/**
 * __prp_watch_is_unheard() - was nothing of the peer heard since it was asked?
 * @conn: connection, its lock held
 *
 * Return: true if so; in the tick of the question nobody can tell.
 */
static inline bool __prp_watch_is_unheard(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->watch.heard_tick < conn->watch.probe_base;
}

#endif /* _PRP_WATCH_H */
