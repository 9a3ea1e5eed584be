// SPDX-License-Identifier: GPL-2.0
/*
 * Builds frames around a header, and sends those that belong to no connection.
 * Short payloads are copied behind the header, long ones ride along as a page
 * fragment.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include "network/checksum.h"
#include "network/frame.h"
#include "network/hop.h"
#include "network/rail.h"
#include "see/trace.h"

#define COPY_MAX 256 /* payload up to this is copied */

/* Put the Ethernet header on. Return: false if the device cannot. */
static bool frame_ethernet(struct sk_buff *skb, const struct prp_hop *hop,
			   u16 ethertype)
{
	struct net_device *dev = hop->dev;
	struct ethhdr *eth;

	skb->dev = dev;
	skb->protocol = htons(ethertype);
	if (unlikely(!dev->header_ops || dev->header_ops->create != eth_header))
		return dev_hard_header(skb, dev, ethertype, hop->dst, hop->src,
				       skb->len) >= 0;
	eth = __skb_push(skb, ETH_HLEN);
	ether_addr_copy(eth->h_dest, hop->dst);
	ether_addr_copy(eth->h_source, hop->src);
	eth->h_proto = htons(ethertype);
	return true;
}

/**
 * prp_frame_alloc() - build a frame
 * @hop: where it goes; BH are off
 * @ethertype: EtherType in use
 * @head: bytes at its network header, which are left to the caller to fill; far
 *	less than a page: 7.2 may have none for more
 * @page: payload behind them, or NULL; a long one rides along with a reference
 * @offset: where in @page
 * @len: bytes of payload
 *
 * Return: the frame, or NULL.
 */
struct sk_buff *prp_frame_alloc(const struct prp_hop *hop, u16 ethertype,
				unsigned int head, struct page *page,
				unsigned int offset, unsigned int len)
{
	struct net_device *dev = hop->dev;
	unsigned int room = LL_RESERVED_SPACE(dev);
	unsigned int copy = len <= COPY_MAX ? len : 0;
	struct sk_buff *skb;
	unsigned int size;
	void *mem;

	size = SKB_DATA_ALIGN(room + head + copy + dev->needed_tailroom) +
	       SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	mem = napi_alloc_frag(size);
	if (unlikely(!mem))
		return NULL;
	skb = napi_build_skb(mem, size);
	if (unlikely(!skb)) {
		skb_free_frag(mem);
		return NULL;
	}
	skb_reserve(skb, room);
	skb_reset_network_header(skb);
	__skb_put(skb, head + copy);
	if (copy) {
		memcpy(skb->data + head, page_address(page) + offset, copy);
	} else if (len) {
		get_page(page);
		skb_fill_page_desc(skb, 0, page, offset, len);
		/* kept for a repeat: nobody may write into it */
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
		skb->len += len;
		skb->data_len += len;
		skb->truesize += len;
	}
	if (unlikely(!frame_ethernet(skb, hop, ethertype))) {
		kfree_skb(skb);
		return NULL;
	}
	return skb;
}

/**
 * prp_frame_pad() - put zeroes behind a frame, however many
 * @skb: frame without a page
 * @len: bytes
 *
 * Return: 0; -ENOMEM, and the frame is gone.
 */
int prp_frame_pad(struct sk_buff *skb, unsigned int len)
{
	if (pskb_expand_head(skb, 0, len, GFP_ATOMIC | __GFP_NOWARN)) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	skb_put_zero(skb, len);
	return 0;
}

/* Send a frame that belongs to no connection. Return: 0 or -ENOBUFS. */
static int frame_send(struct prp_net *pn, const struct prp_hop *hop,
		      const struct prp_hdr *hdr, const void *ext,
		      size_t ext_len, bool checksum)
{
	size_t sum_len = checksum ? sizeof(struct prp_ext_checksum) : 0;
	size_t head = sizeof(*hdr) + sum_len + ext_len;
	u16 len = be16_to_cpu(hdr->len);
	struct prp_hdr *out;
	struct sk_buff *skb;
	int err;

	skb = prp_frame_alloc(hop, pn->ethertype, head, NULL, 0, 0);
	if (!skb || (len && prp_frame_pad(skb, len)))
		return -ENOBUFS;
	out = (struct prp_hdr *)skb_network_header(skb);
	*out = *hdr;
	out->flags |= cpu_to_be16(hop->rail << PRP_F_RAIL_SHIFT);
	out->ext = (sum_len + ext_len) / PRP_EXT_UNIT;
	memcpy((u8 *)(out + 1) + sum_len, ext, ext_len);
	if (checksum)
		prp_checksum_put(skb);
	prp_mib_rail_out(hop->mib, 1, skb->len);
	trace_prp_transmit(pn, NULL, skb);
	err = dev_queue_xmit(skb); /* a macro would evaluate it twice */
	return net_xmit_eval(err) ? -ENOBUFS : 0;
}

static void frame_no_route(struct prp_net *pn, const struct prp_hdr *hdr)
{
	prp_mib_inc(pn, PRP_DROP_NO_ROUTE);
	trace_prp_drop(pn, NULL, hdr, PRP_DROP_NO_ROUTE);
}

/**
 * prp_frame_bare() - send a frame that belongs to no connection
 * @pn: namespace; the caller is in an RCU read section with BH off
 * @hdr: header, all but the rail and the length of extensions filled in; its
 *	payload is zeroes
 * @ext: extensions besides the checksum
 * @ext_len: their length
 * @checksum: it is to bear a checksum
 * @like: rail that it is to go out on, also if that was left, or what
 *	prp_hop_like() says of it
 *
 * Return: 0 or a negative errno.
 */
int prp_frame_bare(struct prp_net *pn, const struct prp_hdr *hdr,
		   const void *ext, size_t ext_len, bool checksum, u8 like)
{
	struct prp_hop hop;
	int err;

	err = prp_hop_on_rcu(pn, be16_to_cpu(hdr->dnode), like, &hop);
	if (err)
		err = prp_hop_rcu(pn, be16_to_cpu(hdr->dnode), PRP_RAIL_ANY,
				  &hop);
	if (err) {
		frame_no_route(pn, hdr);
		return err;
	}
	return frame_send(pn, &hop, hdr, ext, ext_len, checksum);
}

/**
 * prp_frame_to() - send a frame that belongs to no connection to some place
 * @pn: namespace; the caller is in an RCU read section with BH off
 * @hop: where it goes
 * @hdr: as with prp_frame_bare()
 * @ext: extensions besides the checksum
 * @ext_len: their length
 * @checksum: it is to bear a checksum
 *
 * Return: 0; -EMSGSIZE if the device does not carry it; -ENOBUFS.
 */
int prp_frame_to(struct prp_net *pn, const struct prp_hop *hop,
		 const struct prp_hdr *hdr, const void *ext, size_t ext_len,
		 bool checksum)
{
	size_t sum_len = checksum ? sizeof(struct prp_ext_checksum) : 0;

	if (sizeof(*hdr) + sum_len + ext_len + be16_to_cpu(hdr->len) >
	    READ_ONCE(hop->dev->mtu))
		return -EMSGSIZE;
	return frame_send(pn, hop, hdr, ext, ext_len, checksum);
}

/**
 * prp_frame_notice() - say that a version is not spoken here
 * @rail: rail that the frame came on
 * @dev: its device
 * @to: hardware address that it came from
 * @notice: what to say
 */
void prp_frame_notice(const struct prp_rail *rail, struct net_device *dev,
		      const u8 *to, const struct prp_notice *notice)
{
	struct prp_hop hop = { .dev = dev, .src = rail->addr };
	struct sk_buff *skb;

	ether_addr_copy(hop.dst, to);
	skb = prp_frame_alloc(&hop, rail->pn->ethertype, sizeof(*notice), NULL,
			      0, 0);
	if (!skb)
		return;
	memcpy(skb_network_header(skb), notice, sizeof(*notice));
	dev_queue_xmit(skb);
}
