/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on their way down.
 */
#ifndef _PRP_FRAME_H
#define _PRP_FRAME_H

#include <linux/skbuff.h>

#include "pure/wire.h"

struct prp_hop;
struct prp_net;
struct prp_rail;

struct sk_buff *prp_frame_alloc(const struct prp_hop *hop, u16 ethertype,
				unsigned int head, struct page *page,
				unsigned int offset, unsigned int len);
int prp_frame_pad(struct sk_buff *skb, unsigned int len);
int prp_frame_bare(struct prp_net *pn, const struct prp_hdr *hdr,
		   const void *ext, size_t ext_len, bool checksum, u8 like);
int prp_frame_to(struct prp_net *pn, const struct prp_hop *hop,
		 const struct prp_hdr *hdr, const void *ext, size_t ext_len,
		 bool checksum);
void prp_frame_notice(const struct prp_rail *rail, struct net_device *dev,
		      const u8 *to, const struct prp_notice *notice);

#endif /* _PRP_FRAME_H */
