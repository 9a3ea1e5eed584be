/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC32C from end to end: a forwarder gives a frame a new frame check
 * sequence, and with it what its own memory has made of it.
 */
#ifndef _PRP_CHECKSUM_H
#define _PRP_CHECKSUM_H

#include <linux/skbuff.h>

struct prp_frame;

void prp_checksum_later(struct sk_buff *skb);
void prp_checksum_put(struct sk_buff *skb);
bool prp_checksum_ok(struct sk_buff *skb, const struct prp_frame *frame);

#endif /* _PRP_CHECKSUM_H */
