/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on their way down: built around a header and handed to a device.
 */
#ifndef _PRP_XMIT_H
#define _PRP_XMIT_H

#include "transport/conn.h"

struct prp_hop;

/**
 * __prp_xmit_here() - this processor sends segments or probes from now on
 * @conn: connection, its lock held and BH off
 *
 * What it sends may overtake what another one has sent: each has a queue of its
 * own on the way. Probes see to it by themselves.
 */
static inline void __prp_xmit_here(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->tx.cpu != smp_processor_id())) {
		conn->tx.cpu = smp_processor_id();
		prp_snd_moved(&conn->snd);
	}
}

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
