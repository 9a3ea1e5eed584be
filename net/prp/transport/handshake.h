/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a connection begins and ends: request, answer, reset.
 */
#ifndef _PRP_HANDSHAKE_H
#define _PRP_HANDSHAKE_H

#include "transport/conn.h"

void __prp_handshake_connect(struct prp_conn *conn);
void __prp_handshake_ask(struct prp_conn *conn);
void __prp_handshake_retransmit(struct prp_conn *conn, u64 now);
int __prp_handshake_frame(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_handshake_confirmed(struct prp_conn *conn);
void __prp_handshake_abort(struct prp_conn *conn, int err);
void prp_handshake_abort(struct prp_conn *conn, int err);
int prp_handshake_stray(struct prp_net *pn, const struct prp_frame *frame);
void prp_handshake_refuse(struct prp_net *pn, const struct prp_frame *frame);

#endif /* _PRP_HANDSHAKE_H */
