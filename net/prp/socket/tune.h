/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers that grow with their use, where SO_RCVBUF and SO_SNDBUF were not set.
 */
#ifndef _PRP_TUNE_H
#define _PRP_TUNE_H

#include <linux/types.h>

struct prp_conn;
struct prp_sock;

void __prp_tune_read(struct prp_sock *psk, struct prp_conn *conn);
void __prp_tune_full(struct prp_sock *psk, struct prp_conn *conn, u32 held);

#endif /* _PRP_TUNE_H */
