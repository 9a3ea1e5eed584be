/* SPDX-License-Identifier: GPL-2.0 */
/* A connection's frames below the socket; below.c. */
#ifndef _PRP_BELOW_H
#define _PRP_BELOW_H

#include "transport/conn.h"

void __prp_below_count(struct prp_conn *conn, struct sk_buff *skb, u8 rail,
		       unsigned int segs);
void prp_below_freed(struct sk_buff *skb);
void __prp_below_full(struct prp_conn *conn);
void prp_below_kick(struct prp_conn *conn);
void prp_below_init(void (*kicked)(struct prp_conn *conn));
void prp_below_exit(void);

#endif /* _PRP_BELOW_H */
