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
void __prp_output_put_end(struct prp_conn *conn, u16 flag);
void __prp_output_end(struct prp_conn *conn);
void prp_output_let_go(struct prp_conn *conn);
void prp_output_uncork(struct prp_conn *conn);

/**
 * __prp_output_waits() - does a new segment wait for more?
 * @conn: connection with slots, its lock held
 * @seq: segment
 *
 * None does but the last one, if it is short, and either corked or behind a few
 * short ones in flight.
 *
 * Return: true if it does.
 */
static inline bool __prp_output_waits(const struct prp_conn *conn, u32 seq)
{
	const struct prp_tx_seg *seg = prp_conn_seg(conn, seq);
	const struct prp_tx *tx = &conn->tx;

	lockdep_assert_held(&conn->lock);
	if (seq + 1 != tx->end ||
	    (likely(!tx->corked) &&
	     (likely(tx->shorts < PRP_TX_FEW) || tx->nodelay ||
	      prp_before(tx->short_seq, conn->snd.una))))
		return false;
	return seg->len < conn->path.size && !(seg->flags & PRP_F_END);
}

/**
 * __prp_output_hurry() - the last segment is not to wait behind a few others
 * @conn: connection, its lock held
 *
 * None is expected to wait behind it soon: it asks for no acknowledgment.
 */
static inline void __prp_output_hurry(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->tx.shorts = min_t(u8, conn->tx.shorts, PRP_TX_FEW - 1);
	conn->tx.asks = false;
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
