// SPDX-License-Identifier: GPL-2.0
/*
 * Where messages end in segments that have arrived.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "transport/message.h"

/**
 * prp_message_find() - find the messages that end before the end of a segment
 * @skb: its payload, put together; skb->cb is filled in
 * @frame: its frame, which says where the first one does
 *
 * Return: false if the lengths in it do not add up.
 */
bool prp_message_find(struct sk_buff *skb, const struct prp_frame *frame)
{
	struct prp_skb_cb *cb = prp_skb_cb(skb);
	u8 room[PRP_MESSAGE_LEN];
	const u8 *len;
	u32 at;

	at = be16_to_cpu(frame->messages->first_end);
	cb->part_end = at;
	do { /* at least two bytes each */
		len = skb_header_pointer(skb, at, sizeof(room), room);
		if (!len)
			return false;
		at += PRP_MESSAGE_LEN + prp_wire_get_len(len);
		cb->messages++;
	} while (at < skb->len);
	return at == skb->len;
}

/**
 * __prp_message_queued() - a segment is in order
 * @conn: connection, its lock held
 * @skb: segment that prp_message_check() has seen
 *
 * Return: what it adds to prp_conn.rx.bytes.
 */
u32 __prp_message_queued(struct prp_conn *conn, const struct sk_buff *skb)
{
	const struct prp_skb_cb *cb = prp_skb_cb(skb);
	u32 lengths = cb->messages - !!(cb->flags & PRP_F_EOM);

	lockdep_assert_held(&conn->lock);
	WRITE_ONCE(conn->rx.messages, conn->rx.messages + cb->messages);
	/* Pairs with prp_seqpacket_recv_is_ready(): before rx.bytes */
	smp_wmb();
	return skb->len - lengths * PRP_MESSAGE_LEN + cb->messages;
}
