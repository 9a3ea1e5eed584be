/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an acknowledgement, its absence, and the passing of time mean for a
 * connection: freed, lost, probed, given up.
 */
#ifndef _PRP_RECOVERY_H
#define _PRP_RECOVERY_H

#include "conn.h"

void prp_recovery_time(struct prp_conn *conn, u32 seq);
void __prp_recovery_started(struct prp_conn *conn);
void __prp_recovery_retry(struct prp_conn *conn, u32 ticks);
void __prp_recovery_rtt(struct prp_conn *conn, u64 start_ns);
bool __prp_recovery_ack(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_recovery_orphan(struct prp_conn *conn);
void prp_recovery_timer(struct prp_conn *conn);

#endif /* _PRP_RECOVERY_H */
