/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a connection begins and ends: request, answer, reset.
 */
#ifndef _PRP_HANDSHAKE_H
#define _PRP_HANDSHAKE_H

#include "transport/conn.h"

#define PRP_HANDSHAKE_TICKS_MAX (200 * PRP_TICKS_MS) /* longest pause */

void __prp_handshake_connect(struct prp_conn *conn);
void __prp_handshake_ask(struct prp_conn *conn);
void __prp_handshake_retransmit(struct prp_conn *conn, u64 now);
int __prp_handshake_frame(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_handshake_confirmed(struct prp_conn *conn,
			       const struct prp_frame *frame);
void __prp_handshake_abort(struct prp_conn *conn, int err);
void prp_handshake_abort(struct prp_conn *conn, int err);
void prp_handshake_answer(struct prp_net *pn, const struct prp_frame *frame,
			  bool must_checksum, u16 mtu,
			  struct prp_ext_open *open);
bool prp_handshake_said(struct prp_net *pn, const struct prp_frame *frame,
			bool must_checksum, u16 mtu);
u16 prp_handshake_lacks(bool must_checksum, const struct prp_ext_open *open);
void __prp_handshake_adopt(struct prp_conn *conn,
			   const struct prp_frame *frame);

#endif /* _PRP_HANDSHAKE_H */
