/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages: what SOCK_SEQPACKET adds to a stream. A segment bears PRP_F_EOM
 * if a message ends with it, and PRP_EXT_MESSAGES if others ended before.
 */
#ifndef _PRP_MESSAGE_H
#define _PRP_MESSAGE_H

#include "transport/conn.h"

struct prp_frame;

bool prp_message_check(struct sk_buff *skb, const struct prp_frame *frame);
u32 __prp_message_queued(struct prp_conn *conn, const struct sk_buff *skb);

#endif /* _PRP_MESSAGE_H */
