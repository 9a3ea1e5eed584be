/* SPDX-License-Identifier: GPL-2.0 */
/* What a connection holds, and what it tells of itself; account.c. */
#ifndef _PRP_ACCOUNT_H
#define _PRP_ACCOUNT_H

#include <linux/types.h>

struct page;
struct prp_conn;
struct prp_info;

void __prp_account_info(const struct prp_conn *conn, struct prp_info *info);
bool __prp_account_charge(struct prp_conn *conn, u32 rx, u32 tx);
bool __prp_account_squeeze(struct prp_conn *conn, u32 bytes);
bool __prp_account_has_rx(const struct prp_conn *conn, u32 bytes);
void __prp_account_widen(struct prp_conn *conn);
bool __prp_account_charge_tx(struct prp_conn *conn, u32 bytes);
bool __prp_account_keep(struct prp_conn *conn);
u32 prp_account_tx_lacks(const struct prp_conn *conn, u32 bytes);
bool __prp_account_has_reserve(const struct prp_conn *conn, u32 rx);
void __prp_account_settle(struct prp_conn *conn);
void __prp_account_rest(struct prp_conn *conn);
void prp_account_put(struct page *page, int refs);
void __prp_account_tx_free(struct prp_conn *conn, u32 from, u32 to);
u32 prp_account_unsent(const struct prp_conn *conn);
u64 __prp_account_unacked(const struct prp_conn *conn, bool unsent);
u64 prp_account_unacked(struct prp_conn *conn, bool unsent);

#endif /* _PRP_ACCOUNT_H */
