// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of the segments that a connection has to send: a ring, which a writer
 * makes larger, and which the wheel takes back once the connection is idle.
 * Few of them are part of the connection.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "transport/account.h"
#include "transport/tx_pages.h"
#include "transport/tx_slots.h"

#define IDLE_TICKS (200 * PRP_TICKS_MS) /* looks for what is not needed */

static void slots_use_few(struct prp_conn *conn)
{
	conn->tx.seg = conn->tx.few;
	smp_wmb(); /* who sees that they are few, sees which */
	prp_snd_slots(&conn->snd, conn->tx.few_txno, conn->tx.few_rail,
		      PRP_TXQ_FEW - 1);
}

/**
 * prp_tx_slots_init() - give a connection its few slots
 * @conn: connection that has sent nothing
 */
void prp_tx_slots_init(struct prp_conn *conn)
{
	slots_use_few(conn);
}

/**
 * prp_tx_slots_free() - let go of slots
 * @conn: connection that nobody else knows any more; it has nothing to send
 */
void prp_tx_slots_free(struct prp_conn *conn)
{
	if (likely(prp_tx_slots_are_few(conn)))
		return;
	__prp_tx_pages_trim(conn, 0);
	kvfree(conn->tx.seg);
}

/* So many slots that there are four times as many as before, or more. */
static u32 slots_size(const struct prp_conn *conn, u32 want)
{
	u32 queued = conn->tx.end - READ_ONCE(conn->snd.una);
	u32 size = max(4 * (conn->snd.mask + 1), queued + want + 1);

	return min_t(u32, roundup_pow_of_two(size), PRP_TXQ);
}

/* Move what is queued to these slots, and the pages behind them. Return: those
 * that it was in.
 */
static void *slots_move(struct prp_conn *conn, void *slots, u32 size)
{
	bool few = prp_tx_slots_are_few(conn);
	struct prp_tx_seg *seg = slots;
	void *old = conn->tx.seg;
	u32 *txno = (u32 *)(seg + size);
	struct prp_tx_pages *pages = slots + size * PRP_TX_SLOT;
	u32 seq;

	lockdep_assert_held(&conn->lock);
	for (seq = conn->snd.una; seq != conn->tx.end; seq++)
		seg[seq & (size - 1)] = *prp_conn_seg(conn, seq);
	if (!few)
		*pages = *prp_tx_slots_pages(conn);
	conn->tx.seg = seg;
	__prp_tx_slots_look(conn);
	prp_snd_slots(&conn->snd, txno, (u8 *)(txno + size), size - 1);
	return few ? NULL : old;
}

/**
 * prp_tx_slots_more() - have slots to fill, more than the few if need be
 * @conn: connection, the tx_mutex of its socket held
 * @want: how many; with those queued, no more than PRP_TXQ_MOST
 * @gfp: how to get memory for them
 *
 * Return: as prp_tx_slots_fill().
 */
u32 prp_tx_slots_more(struct prp_conn *conn, u32 want, gfp_t gfp)
{
	void *slots = NULL;
	u32 size, free;

	spin_lock_bh(&conn->lock);
	conn->tx.filling = true;
	free = conn->snd.mask - (conn->tx.end - conn->snd.una);
	spin_unlock_bh(&conn->lock);
	if (likely(free >= want) || conn->snd.mask == PRP_TXQ - 1)
		return free;
	/* nobody else makes more, and nobody takes them back */
	size = slots_size(conn, want);
	slots = kvzalloc(size * PRP_TX_SLOT + sizeof(struct prp_tx_pages),
			 gfp | __GFP_ACCOUNT);
	if (unlikely(!slots))
		return free;
	spin_lock_bh(&conn->lock);
	slots = slots_move(conn, slots, size);
	free = conn->snd.mask - (conn->tx.end - conn->snd.una);
	spin_unlock_bh(&conn->lock);
	kvfree(slots);
	return free;
}

/**
 * __prp_tx_slots_idle() - give back what is not needed any more
 * @conn: connection of which __prp_tx_slots_holds() is true, its lock held
 * @now: tick; it is to be called again at tx.idle_tick
 *
 * Where nothing has moved since the last look it has nothing left to do, until
 * something does.
 */
void __prp_tx_slots_idle(struct prp_conn *conn, u64 now)
{
	u32 moved = __prp_tx_slots_moved(conn);
	void *slots = conn->tx.seg;
	bool idle = moved == conn->tx.idle_moved &&
		    conn->snd.una == conn->tx.end;

	lockdep_assert_held(&conn->lock);
	if (now < conn->tx.idle_tick && conn->tx.idle_tick != PRP_TX_IDLE)
		return;
	conn->tx.idle_moved = moved;
	conn->tx.idle_tick = now + IDLE_TICKS;
	/* pairs with prp_tx_slots_filled() */
	if (smp_load_acquire(&conn->tx.filling))
		return;
	if (!idle) {
		if (prp_tx_slots_are_few(conn))
			return;
		__prp_tx_pages_halve(conn);
		__prp_account_settle(conn);
		return;
	}
	conn->tx.idle_tick = PRP_TX_IDLE;
	if (!prp_tx_slots_are_few(conn)) {
		__prp_tx_pages_trim(conn, 0);
		slots_use_few(conn);
		kvfree(slots);
	}
	__prp_account_rest(conn);
}

/**
 * __prp_tx_slots_ended() - let go of what will not be used again
 * @conn: connection in PRP_CLOSE, its lock held
 *
 * Its socket may stay open, and no wheel looks at it. A writer who fills slots
 * meanwhile finds out that it has ended, and calls this then.
 */
void __prp_tx_slots_ended(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	/* pairs with prp_tx_slots_filled() */
	if (!prp_tx_slots_are_few(conn) && !smp_load_acquire(&conn->tx.filling))
		__prp_tx_pages_trim(conn, 0);
	__prp_account_rest(conn);
}
