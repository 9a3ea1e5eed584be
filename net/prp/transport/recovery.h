/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an acknowledgment, its absence, and the passing of time mean for a
 * connection: freed, lost, probed, given up.
 */
#ifndef _PRP_RECOVERY_H
#define _PRP_RECOVERY_H

#include "transport/conn.h"

bool __prp_recovery_ack(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_recovery_unanswered(struct prp_conn *conn);
void prp_recovery_timer(struct prp_conn *conn);

#endif /* _PRP_RECOVERY_H */
