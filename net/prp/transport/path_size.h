/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a segment may be on the way to its peer, and what is done with
 * longer ones: fragments, sent and put together.
 */
#ifndef _PRP_PATH_SIZE_H
#define _PRP_PATH_SIZE_H

#include "transport/conn.h"

/* What PRP_MTU_MIN leaves beside a checksum; the two extensions of a fragment
 * need less.
 */
#define PRP_PATH_SIZE_MIN (PRP_SEG_SIZE_MIN - sizeof(struct prp_ext_checksum))

static_assert(sizeof(struct prp_ext_fragment) +
		      sizeof(struct prp_ext_messages) <
	      PRP_PATH_SIZE_MIN);

u16 __prp_path_size_widest(const struct prp_conn *conn);
void __prp_path_size_own(struct prp_conn *conn);
void __prp_path_size_passed(struct prp_conn *conn);
void __prp_path_size_found(struct prp_conn *conn, u16 size);
void __prp_path_size_told(struct prp_conn *conn, u16 mtu);
struct sk_buff *__prp_path_size_join(struct prp_conn *conn, struct sk_buff *skb,
				     const struct prp_frame *frame,
				     int *reason);
void __prp_path_size_free(struct prp_conn *conn);

#endif /* _PRP_PATH_SIZE_H */
