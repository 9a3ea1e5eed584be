/* SPDX-License-Identifier: GPL-2.0 */
/* What a connection holds, and what it tells of itself; account.c. */
#ifndef _PRP_ACCOUNT_H
#define _PRP_ACCOUNT_H

#include <linux/mm.h>

#include "transport/conn.h"
#include "transport/lot.h"

struct prp_info;

void __prp_account_info(const struct prp_conn *conn, struct prp_info *info);
bool __prp_account_charge(struct prp_conn *conn, u32 rx, u32 tx);
bool __prp_account_squeeze(struct prp_conn *conn, u32 bytes);
bool __prp_account_has_rx(const struct prp_conn *conn, u32 bytes);
void __prp_account_widen(struct prp_conn *conn);
bool __prp_account_keep(struct prp_conn *conn);
u32 prp_account_tx_lacks(const struct prp_conn *conn, u32 bytes);
bool __prp_account_has_reserve(const struct prp_conn *conn, u32 rx);
void __prp_account_settle(struct prp_conn *conn);
void __prp_account_rest(struct prp_conn *conn);
void __prp_account_tx_free(struct prp_conn *conn, u32 from, u32 to);
u32 prp_account_unsent(const struct prp_conn *conn);
u64 __prp_account_unacked(const struct prp_conn *conn, bool unsent);
u64 prp_account_unacked(struct prp_conn *conn, bool unsent);

/**
 * __prp_account_charge_rx() - account for memory before a reader has it held
 * @conn: connection, its lock held; rx.mem is still without it
 * @bytes: how many
 *
 * Return: false if it is beyond the reserve and the pool is used up.
 */
static inline bool __prp_account_charge_rx(struct prp_conn *conn, u32 bytes)
{
	lockdep_assert_held(&conn->lock);
	return likely(conn->rx.mem + bytes <= PRP_MEM_RESERVE) ||
	       __prp_account_charge(conn, bytes, 0);
}

/**
 * __prp_account_charge_tx() - account for memory before it is held for the peer
 * @conn: connection, its lock held; tx.bytes are still without it
 * @bytes: how many
 *
 * Return: false if it is beyond the reserve and the pool is used up.
 */
static inline bool __prp_account_charge_tx(struct prp_conn *conn, u32 bytes)
{
	lockdep_assert_held(&conn->lock);
	return conn->tx.bytes + bytes <= PRP_MEM_RESERVE ||
	       __prp_account_charge(conn, 0, bytes);
}

/**
 * prp_account_put() - let go of what segments have for a page
 * @page: prp_tx_seg.page of each of them
 * @refs: how many segments; those of one page are mostly behind each other
 */
static inline void prp_account_put(struct page *page, int refs)
{
	const struct prp_tx_seg seg = { .page = page };

	if (unlikely(prp_lot_of(&seg)))
		prp_lot_put(prp_lot_of(&seg), refs);
	else if (page)
		folio_put_refs(page_folio(page), refs);
}

#endif /* _PRP_ACCOUNT_H */
