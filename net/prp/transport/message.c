// SPDX-License-Identifier: GPL-2.0
/*
 * Where messages end in segments that have arrived.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "transport/message.h"

/**
 * struct message_walk - how far the lengths in a segment have been read
 * @state: of skb_seq_read()
 * @block: a part of the segment that lies in one piece
 * @begin: where that begins in the segment, bytes
 * @end: one past where it ends
 */
struct message_walk {
	struct skb_seq_state state;
	const u8 *block;
	u32 begin;
	u32 end;
};

/* A byte of a segment, none before those that were asked for. Return: the
 * byte, or -1 behind the last one.
 */
static int walk_byte(struct message_walk *walk, u32 at)
{
	if (at >= walk->end) {
		walk->begin = at;
		walk->end = at + skb_seq_read(at, &walk->block, &walk->state);
		if (at >= walk->end)
			return -1;
	}
	return walk->block[at - walk->begin];
}

/**
 * prp_message_find() - find the messages that end before the end of a segment
 * @skb: its payload, put together; skb->cb is filled in
 * @frame: its frame, which says where the first one does
 *
 * It goes through the segment once: of how many fragments that is, and of how
 * many messages, the peer chooses.
 *
 * Return: false if the lengths in it do not add up.
 */
bool prp_message_find(struct sk_buff *skb, const struct prp_frame *frame)
{
	struct prp_skb_cb *cb = prp_skb_cb(skb);
	struct message_walk walk = {};
	u32 at = be16_to_cpu(frame->messages->first_end);
	u8 len[PRP_MESSAGE_LEN];
	int high, low;

	cb->part_end = at;
	skb_prepare_seq_read(skb, 0, skb->len, &walk.state);
	do { /* at least two bytes each */
		high = walk_byte(&walk, at);
		low = walk_byte(&walk, at + 1);
		len[0] = high;
		len[1] = low;
		at += PRP_MESSAGE_LEN + prp_wire_get_len(len);
		cb->messages++;
	} while (low >= 0 && at < skb->len);
	skb_abort_seq_read(&walk.state);
	return low >= 0 && at == skb->len;
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
