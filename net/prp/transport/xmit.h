/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on their way down: built around a header and handed to a device.
 */
#ifndef _PRP_XMIT_H
#define _PRP_XMIT_H

#include "transport/conn.h"

struct prp_hop;

int __prp_xmit_segment(struct prp_conn *conn, const struct prp_hop *hop,
		       u32 seq, u16 flags);
struct sk_buff *__prp_xmit_run_build(struct prp_conn *conn,
				     const struct prp_hop *hop,
				     unsigned int *segs);
int __prp_xmit_run(struct prp_conn *conn, const struct prp_hop *hop,
		   struct sk_buff *skb, unsigned int segs, u16 flags);
int __prp_xmit_ack(struct prp_conn *conn);
int __prp_xmit_probe(struct prp_conn *conn, u8 left);
int __prp_xmit_probe_on(struct prp_conn *conn, u8 rail);
int __prp_xmit_sized_probe(struct prp_conn *conn, u8 rail, u16 size);
void __prp_xmit_open(struct prp_conn *conn, u16 kind);
void __prp_xmit_reset(struct prp_conn *conn, enum prp_reset code, u16 features);

#endif /* _PRP_XMIT_H */
