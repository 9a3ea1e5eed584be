/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which segment goes out next.
 */
#ifndef _PRP_OUTPUT_H
#define _PRP_OUTPUT_H

#include "transport/conn.h"

bool __prp_output_push(struct prp_conn *conn);
void __prp_output_push_bh(struct prp_conn *conn);
void __prp_output_rest(struct prp_conn *conn);
void prp_output_kicked(struct prp_conn *conn);
void prp_output_end(struct prp_conn *conn);
void prp_output_uncork(struct prp_conn *conn);

/**
 * __prp_output_here() - this processor sends from now on
 * @conn: connection, its lock held and BH off
 *
 * What it sends may overtake what another one has sent: each has a queue of its
 * own on the way.
 */
static inline void __prp_output_here(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->tx.cpu != smp_processor_id())) {
		conn->tx.cpu = smp_processor_id();
		prp_snd_moved(&conn->snd);
	}
}

/**
 * prp_output_unlock() - send what may be sent, and drop the lock
 * @conn: connection, its lock held
 */
static __always_inline void prp_output_unlock(struct prp_conn *conn)
	__releases(&conn->lock)
{
	if (likely(!conn->tx.pushing) && unlikely(__prp_output_push(conn)))
		__prp_output_rest(conn);
	spin_unlock_bh(&conn->lock);
}

#endif /* _PRP_OUTPUT_H */
