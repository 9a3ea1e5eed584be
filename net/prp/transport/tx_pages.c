// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of sent bytes, which are filled again; see tx_pages.h.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <net/sock.h>

#include "transport/account.h"
#include "transport/tx_pages.h"

/* By the order in which they were filled: the first one is number 0, and the
 * first to become free.
 */
static struct page *pages_at(const struct prp_tx_pages *pages, u32 nr)
{
	return pages->page[(pages->first + nr) % PRP_TX_PAGES];
}

static struct page *pages_take(struct prp_tx_pages *pages)
{
	struct page *page = pages_at(pages, 0);

	pages->first++;
	pages->count--;
	return page;
}

/* Is it charged, or can it be? */
static bool pages_charge(struct prp_conn *conn,
			 const struct prp_tx_pages *pages)
{
	bool charged = pages->count < conn->tx.kept;

	if (likely(charged))
		return true;
	spin_lock_bh(&conn->lock);
	charged = __prp_account_keep(conn);
	spin_unlock_bh(&conn->lock);
	return charged;
}

/* Keep a page, or let go of it: none that is small since there was no larger
 * one, nor one of what is left for those who free memory.
 */
static void pages_put(struct prp_conn *conn, struct prp_tx_pages *pages,
		      struct page *page)
{
	if (pages->count < PRP_TX_PAGES && page_size(page) == PRP_TX_PAGE &&
	    !page_is_pfmemalloc(page) && pages_charge(conn, pages))
		pages->page[(pages->first + pages->count++) % PRP_TX_PAGES] =
			page;
	else
		put_page(page);
}

/**
 * prp_tx_pages_turn() - keep the page that is full, and take one that is free
 * @conn: connection whose slots are being filled, tx_mutex of its socket held;
 *	it has more than the few
 * @frag: the full one, or none; set to the free one, or to none
 */
void prp_tx_pages_turn(struct prp_conn *conn, struct page_frag *frag)
{
	struct prp_tx_pages *pages = prp_tx_slots_pages(conn);
	struct page *full = frag->page, *free = NULL;

	if (full && page_ref_count(full) == 1)
		return; /* nobody needs it any more */
	if (pages->count && page_ref_count(pages_at(pages, 0)) == 1)
		free = pages_take(pages);
	if (full)
		pages_put(conn, pages, full);
	frag->page = free;
	frag->offset = 0;
	frag->size = free ? PRP_TX_PAGE : 0;
}

/**
 * __prp_tx_pages_trim() - let go of pages
 * @conn: connection with more than the few slots, which nobody fills, its lock
 *	held, unless it is being freed
 * @most: how many may stay
 */
void __prp_tx_pages_trim(struct prp_conn *conn, u32 most)
{
	struct prp_tx_pages *pages = prp_tx_slots_pages(conn);

	lockdep_assert(lockdep_is_held(&conn->lock) ||
		       !refcount_read(&conn->ref));
	while (pages->count > most)
		put_page(pages_take(pages));
	WRITE_ONCE(conn->tx.kept, pages->count);
}

/**
 * __prp_tx_pages_halve() - let go of half of the pages that nobody needs
 * @conn: connection with more than the few slots, which nobody fills, its lock
 *	held
 *
 * Those that go are the first ones: if somebody still has one of them, it is
 * his alone then, and no longer in the way of those behind it.
 */
void __prp_tx_pages_halve(struct prp_conn *conn)
{
	const struct prp_tx_pages *pages = prp_tx_slots_pages(conn);
	u32 free = 0, i;

	lockdep_assert_held(&conn->lock);
	for (i = 0; i < pages->count; i++)
		free += page_ref_count(pages_at(pages, i)) == 1;
	__prp_tx_pages_trim(conn, pages->count - DIV_ROUND_UP(free, 2));
}
