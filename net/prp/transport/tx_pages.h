/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of sent bytes, which are filled again once nobody needs the bytes.
 *
 * Where the kernel clears all that it allocates (init_on_alloc), that costs
 * about as much as to fill it; and what was filled a moment ago is in the
 * cache. So a connection that has more than its few slots keeps the pages that
 * it has filled, in the order in which they become free. They are behind its
 * slots, and go with them when it is idle; half of those that are free go each
 * time that the wheel looks, so that a burst leaves none.
 */
#ifndef _PRP_TX_PAGES_H
#define _PRP_TX_PAGES_H

#include <linux/skbuff.h>

#include "transport/tx_slots.h"

void prp_tx_pages_turn(struct prp_conn *conn, struct page_frag *frag);
void __prp_tx_pages_trim(struct prp_conn *conn, u32 most);
void __prp_tx_pages_halve(struct prp_conn *conn);

/**
 * prp_tx_pages_refill() - have room for bytes that are to be sent
 * @conn: connection whose slots are being filled, tx_mutex of its socket held
 * @frag: where the next byte goes
 * @size: bytes that there must be room for, at most those of a segment
 * @gfp: how to get memory
 *
 * Return: false without memory.
 */
static inline bool prp_tx_pages_refill(struct prp_conn *conn,
				       struct page_frag *frag, u32 size,
				       gfp_t gfp)
{
	if (frag->offset + size > frag->size && !prp_tx_slots_are_few(conn))
		prp_tx_pages_turn(conn, frag);
	return skb_page_frag_refill(size, frag, gfp);
}

#endif /* _PRP_TX_PAGES_H */
