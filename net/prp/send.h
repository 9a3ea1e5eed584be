/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a program's bytes to segments, and which segment goes out next.
 */
#ifndef _PRP_SEND_H
#define _PRP_SEND_H

#include "conn.h"

bool __prp_send_push(struct prp_conn *conn);
void __prp_send_push_bh(struct prp_conn *conn);
void prp_send_end(struct prp_conn *conn);
void prp_send_uncork(struct prp_conn *conn);

#endif /* _PRP_SEND_H */
