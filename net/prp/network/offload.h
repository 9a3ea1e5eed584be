/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs of segments on their way through devices.
 */
#ifndef _PRP_OFFLOAD_H
#define _PRP_OFFLOAD_H

#include <linux/if_ether.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "pure/run.h"

#define PRP_OFFLOAD_USERS 16 /* EtherTypes that only user namespaces speak */

extern u32 prp_offload_seed;

void prp_offload_init(void (*freed)(struct sk_buff *skb),
		      void (*shown)(struct sk_buff *skb));
void prp_offload_exit(void);
int prp_offload_get(u16 ethertype, bool user);
void prp_offload_put(u16 ethertype, bool user);
unsigned int prp_offload_most(struct net_device *dev, u16 each);
void prp_offload_make(struct sk_buff *skb, size_t head, u16 each,
		      unsigned int segs);
struct sk_buff *prp_offload_cut(struct sk_buff *skb, bool sums);
bool prp_offload_passes(struct net_device *dev);

/**
 * prp_offload_hash() - what tells a connection from others
 * @hdr: header of one of its frames
 *
 * What processors they go to is nothing that a peer may choose.
 *
 * Return: the same for all its frames in this direction, never 0.
 */
static inline u32 prp_offload_hash(const struct prp_hdr *hdr)
{
	return jhash(&hdr->dnode,
		     offsetof(struct prp_hdr, seq) -
			     offsetof(struct prp_hdr, dnode),
		     prp_offload_seed) |
	       1;
}

/**
 * prp_offload_segs() - how many segments does a frame have?
 * @skb: frame, skb->data at its header, which can be read
 *
 * Return: 1, or 2 to PRP_RUN_MAX of a run.
 */
static inline unsigned int prp_offload_segs(const struct sk_buff *skb)
{
	if (likely(!skb_is_gso(skb) ||
		   !(skb_shinfo(skb)->gso_type & SKB_GSO_SCTP)))
		return 1;
	return prp_run_segs((const struct prp_hdr *)skb->data, skb->len,
			    skb_shinfo(skb)->gso_size);
}

/**
 * prp_offload_more() - bytes that a run has on a wire and not here
 * @hdr: its header
 * @segs: segments that it has; 1 is no run
 *
 * Return: bytes of all headers but one.
 */
static inline unsigned int prp_offload_more(const struct prp_hdr *hdr,
					    unsigned int segs)
{
	return (segs - 1) * (ETH_HLEN + prp_run_head(hdr));
}

#endif /* _PRP_OFFLOAD_H */
