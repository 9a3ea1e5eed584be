/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on their way up.
 */
#ifndef _PRP_RECEIVE_H
#define _PRP_RECEIVE_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>

/**
 * struct prp_skb_cb - skb->cb of a segment that waits for a reader
 * @read: bytes of it that the program has taken
 * @flags: of its frame: PRP_F_END, PRP_F_EOM
 * @part_end: where the message ends of which @read is; skb->len if it goes on
 *	behind this segment, or ends with it [SOCK_SEQPACKET]
 * @messages: messages that end in it behind @read [SOCK_SEQPACKET]
 */
struct prp_skb_cb {
	u32 read;
	u16 flags;
	u16 part_end;
	u16 messages;
};

/**
 * prp_skb_cb() - what we keep with a segment
 * @skb: segment that was accepted
 *
 * Return: the fields, in @skb->cb.
 */
static inline struct prp_skb_cb *prp_skb_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct prp_skb_cb) >
		     sizeof_field(struct sk_buff, cb));
	return (struct prp_skb_cb *)skb->cb;
}

struct prp_rail;

void prp_receive_again(const struct prp_rail *rail, struct sk_buff *skb);
int prp_receive_frame(struct sk_buff *skb, struct net_device *dev,
		      struct packet_type *ptype, struct net_device *orig_dev);

#endif /* _PRP_RECEIVE_H */
