/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages: what SOCK_SEQPACKET adds to a stream. A segment bears PRP_F_EOM
 * if a message ends with it, and PRP_EXT_MESSAGES if others ended before.
 */
#ifndef _PRP_MESSAGE_H
#define _PRP_MESSAGE_H

#include "transport/conn.h"
#include "transport/receive.h"

bool prp_message_find(struct sk_buff *skb, const struct prp_frame *frame);
u32 __prp_message_queued(struct prp_conn *conn, const struct sk_buff *skb);

/**
 * prp_message_check() - find the messages that end in a segment, or a run
 * @skb: its payload, put together; skb->cb is filled in
 * @frame: its frame
 *
 * Return: false if the lengths in it do not add up.
 */
static inline bool prp_message_check(struct sk_buff *skb,
				     const struct prp_frame *frame)
{
	struct prp_skb_cb *cb = prp_skb_cb(skb);

	cb->messages = !!(frame->flags & PRP_F_EOM);
	cb->part_end = skb->len;
	/* of a frame without extensions it may be anything */
	return frame->hdr_len == sizeof(struct prp_hdr) || !frame->messages ||
	       prp_message_find(skb, frame);
}

#endif /* _PRP_MESSAGE_H */
