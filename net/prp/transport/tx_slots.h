/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots of the segments that a connection has to send: more while there are
 * many, few when it is idle.
 */
#ifndef _PRP_TX_SLOTS_H
#define _PRP_TX_SLOTS_H

#include "transport/conn.h"

/* bytes of a slot, with what prp_snd has for it */
#define PRP_TX_SLOT (sizeof(struct prp_tx_seg) + sizeof(u32) + sizeof(u8))
/* prp_tx.idle_tick of one in which nothing has moved since the last look */
#define PRP_TX_IDLE U64_MAX

void prp_tx_slots_init(struct prp_conn *conn);
void prp_tx_slots_free(struct prp_conn *conn);
u32 prp_tx_slots_more(struct prp_conn *conn, u32 want, gfp_t gfp);
void __prp_tx_slots_idle(struct prp_conn *conn, u64 now);
void __prp_tx_slots_ended(struct prp_conn *conn);

/**
 * prp_tx_slots_are_few() - has a connection no more slots than are part of it?
 * @conn: connection
 *
 * Return: whether that is so; what is false may become true at any moment
 * without its lock, while nobody fills slots.
 */
static inline bool prp_tx_slots_are_few(const struct prp_conn *conn)
{
	/* pairs with slots_use_few(): then they are the slots */
	return smp_load_acquire(&conn->snd.mask) < PRP_TXQ_FEW;
}

/**
 * __prp_tx_slots_moved() - has something moved?
 * @conn: connection, its lock held
 *
 * Return: another number than before, if something was queued, acknowledged,
 * received, or accounted for as read meanwhile.
 */
static inline u32 __prp_tx_slots_moved(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return conn->tx.end + conn->snd.una + conn->rcv.nxt + conn->rx.mem;
}

/**
 * __prp_tx_slots_holds() - has it what it may not need for long?
 * @conn: connection, its lock held
 *
 * Return: true if the wheel has to look, __prp_tx_slots_idle().
 */
static inline bool __prp_tx_slots_holds(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return (!prp_tx_slots_are_few(conn) || conn->pool) &&
	       (conn->tx.idle_tick != PRP_TX_IDLE ||
		conn->tx.idle_moved != __prp_tx_slots_moved(conn));
}

/**
 * __prp_tx_slots_look() - it has got something that it may not need for long
 * @conn: connection, its lock held
 */
static inline void __prp_tx_slots_look(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->tx.idle_tick == PRP_TX_IDLE)
		conn->tx.idle_tick = 0;
}

/**
 * prp_tx_slots_pages() - pages that were filled
 * @conn: connection with more than the few slots, which the caller fills, or
 *	which nobody does and its lock is held
 *
 * Return: what is behind the slots.
 */
static inline struct prp_tx_pages *
prp_tx_slots_pages(const struct prp_conn *conn)
{
	u32 size = conn->snd.mask + 1;

	return (void *)conn->tx.seg + size * PRP_TX_SLOT;
}

/**
 * prp_tx_slots_fill() - have slots to fill
 * @conn: connection, the tx_mutex of its socket held
 * @want: how many; with those queued, no more than PRP_TXQ_MOST
 * @gfp: how to get memory for them
 *
 * They stay where they are until what was filled is queued, or until
 * prp_tx_slots_filled().
 *
 * Return: how many there are from tx.end on: @want or more; without memory
 * less, perhaps 0.
 */
static inline u32 prp_tx_slots_fill(struct prp_conn *conn, u32 want, gfp_t gfp)
{
	/* First this: who takes the others back has let go of all of them, and
	 * only we would make more.
	 */
	const bool few = prp_tx_slots_are_few(conn);
	/* pairs with __prp_account_tx_free(): acknowledged is not yet free */
	u16 used = conn->tx.end - smp_load_acquire(&conn->tx.freed);
	u32 free = PRP_TXQ_FEW - 1 - used;

	if (likely(few && free >= want))
		return free;
	return prp_tx_slots_more(conn, want, gfp);
}

/**
 * prp_tx_slots_filled() - what was filled is not queued
 * @conn: connection, the tx_mutex of its socket held
 */
static inline void prp_tx_slots_filled(struct prp_conn *conn)
{
	/* pairs with __prp_tx_slots_idle(): the slots are not used any more */
	smp_store_release(&conn->tx.filling, false);
}

#endif /* _PRP_TX_SLOTS_H */
