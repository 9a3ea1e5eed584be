// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of segments on their way through devices: which ones take them whole,
 * and how the kernel cuts them for all others. How many segments there are in
 * a run is the transport's.
 *
 * A run is what the kernel calls a GSO frame. Its type is that of SCTP, for
 * that is one which no network card has: only devices that have no wire claim
 * it, and wherever a run is handed to another one the kernel calls us to cut
 * it. The transport header is set where twelve bytes, a header of SCTP's, are
 * left of ours: so the kernel reckons right how long a segment is.
 */
#include <linux/netdevice.h>
#include <linux/sctp.h>
#include <linux/slab.h>
#include <net/rtnetlink.h>

#include "compat/gso.h"
#include "network/offload.h"

/**
 * struct cutter - what cuts runs of an EtherType
 * @node: in prp_cutters.list
 * @users: namespaces that speak it [prp_cutters.lock]
 * @offload: what the kernel calls
 */
struct cutter {
	struct list_head node;
	unsigned int users;
	struct packet_offload offload;
};

/**
 * struct prp_cutters - all of them
 * @lock: protects the list and users
 * @list: of cutter.node
 */
struct prp_cutters {
	struct mutex lock;
	struct list_head list;
};

static struct prp_cutters cutters = {
	.lock = __MUTEX_INITIALIZER(cutters.lock),
	.list = LIST_HEAD_INIT(cutters.list),
};

/* destructor of frames whose owner counts them; it stands above us */
static void (*owner_freed)(struct sk_buff *skb) __ro_after_init;

/* The frames that a run was cut into. Its owner waits for the last of them. */
static void offload_stamp(struct sk_buff *run, struct sk_buff *frames)
{
	struct sk_buff *skb, *last = frames->prev;
	unsigned int nr = 0;

	for (skb = frames; skb; skb = skb->next) {
		struct prp_hdr *hdr = (void *)skb_network_header(skb);

		prp_run_cut(hdr, nr++,
			    skb_tail_pointer(skb) + skb->data_len -
				    (u8 *)(hdr + 1),
			    skb == last);
	}
	if (run->destructor != owner_freed)
		return;
	last->destructor = run->destructor;
	skb_shinfo(last)->destructor_arg = skb_shinfo(run)->destructor_arg;
	run->destructor = NULL;
}

/* Cut a run, skb->data at its header. Payload needs no checksum: so it is as
 * if the device could make them all, and nothing is copied for one.
 */
static struct sk_buff *offload_segment(struct sk_buff *skb,
				       netdev_features_t features)
{
	struct sk_buff *frames;

	if (!pskb_may_pull(skb, sizeof(struct prp_hdr)) ||
	    prp_offload_segs(skb) == 1)
		return ERR_PTR(-EINVAL);
	skb_reset_network_header(skb);
	__skb_pull(skb, sizeof(struct prp_hdr));
	features &= ~NETIF_F_GSO_PARTIAL;
	frames = skb_segment(skb, features | NETIF_F_HW_CSUM);
	if (!IS_ERR_OR_NULL(frames))
		offload_stamp(skb, frames);
	return frames;
}

/**
 * prp_offload_cut() - cut a run that has arrived
 * @skb: run, skb->data at its header; it is still the caller's
 *
 * Return: a list of frames, each from its header on, or NULL.
 */
struct sk_buff *prp_offload_cut(struct sk_buff *skb)
{
	struct sk_buff *frames, *frame;

	/* as skb_gso_segment() has it of a frame that is in no tunnel */
	SKB_GSO_CB(skb)->mac_offset = skb->mac_header;
	SKB_GSO_CB(skb)->encap_level = 0;
	frames = offload_segment(skb, NETIF_F_SG);
	if (IS_ERR_OR_NULL(frames))
		return NULL;
	for (frame = frames; frame; frame = frame->next)
		__skb_pull(frame, skb_network_offset(frame));
	return frames;
}

/* Does what a device is given come out as it is, without a wire, or go on
 * through the kernel, which cuts it where it has to be?
 */
static bool offload_is_virtual(const struct net_device *dev)
{
	return netif_is_bridge_master(dev) ||
	       (dev->rtnl_link_ops &&
		!strcmp(dev->rtnl_link_ops->kind, "veth"));
}

/**
 * prp_offload_most() - how long a run does a device take?
 * @dev: device; BH are off
 * @each: payload of a segment, bytes
 *
 * Its features and limits are those that ethtool and ip show and set.
 *
 * Return: segments, 0 or 1 if it takes none.
 */
unsigned int prp_offload_most(const struct net_device *dev, u16 each)
{
	const netdev_features_t all = NETIF_F_SG | NETIF_F_GSO |
				      NETIF_F_GSO_SCTP;
	u32 bytes;

	if ((dev->features & all) != all || !offload_is_virtual(dev))
		return 0;
	bytes = min_t(u32, READ_ONCE(dev->gso_max_size), GSO_LEGACY_MAX_SIZE);
	/* what is as long as that is cut, with its header of Ethernet */
	bytes -= min_t(u32, bytes,
		       sizeof(struct prp_hdr) + dev->hard_header_len + 1);
	return min3(bytes / each, (u32)READ_ONCE(dev->gso_max_segs),
		    (u32)PRP_RUN_MAX);
}

/**
 * prp_offload_make() - make a frame a run
 * @skb: frame with the payload of all its segments
 * @each: payload of each but the last one, bytes
 * @segs: how many there are
 */
void prp_offload_make(struct sk_buff *skb, u16 each, unsigned int segs)
{
	skb->ip_summed = CHECKSUM_UNNECESSARY; /* else it is always cut */
	skb_set_transport_header(skb, skb_network_offset(skb) +
					      sizeof(struct prp_hdr) -
					      sizeof(struct sctphdr));
	skb_shinfo(skb)->gso_type = SKB_GSO_SCTP;
	skb_shinfo(skb)->gso_size = each;
	skb_shinfo(skb)->gso_segs = segs;
}

static struct cutter *cutter_find(u16 ethertype)
{
	struct cutter *cutter;

	lockdep_assert_held(&cutters.lock);
	list_for_each_entry(cutter, &cutters.list, node)
		if (cutter->offload.type == htons(ethertype))
			return cutter;
	return NULL;
}

/**
 * prp_offload_get() - a namespace speaks an EtherType from now on
 * @ethertype: host byte order
 *
 * Return: 0 or -ENOMEM.
 */
int prp_offload_get(u16 ethertype)
{
	struct cutter *cutter;
	int err = 0;

	mutex_lock(&cutters.lock);
	cutter = cutter_find(ethertype);
	if (!cutter) {
		cutter = kzalloc(sizeof(*cutter), GFP_KERNEL);
		if (!cutter) {
			err = -ENOMEM;
			goto unlock;
		}
		cutter->offload.type = htons(ethertype);
		cutter->offload.callbacks.gso_segment = offload_segment;
		list_add(&cutter->node, &cutters.list);
		dev_add_offload(&cutter->offload);
	}
	cutter->users++;
unlock:
	mutex_unlock(&cutters.lock);
	return err;
}

/**
 * prp_offload_put() - a namespace no longer speaks an EtherType
 * @ethertype: one that it has got, host byte order
 *
 * What nobody cuts any more, and is to be cut, is dropped.
 */
void prp_offload_put(u16 ethertype)
{
	struct cutter *cutter;

	mutex_lock(&cutters.lock);
	cutter = cutter_find(ethertype);
	if (!--cutter->users) {
		list_del(&cutter->node);
		dev_remove_offload(&cutter->offload);
		kfree(cutter);
	}
	mutex_unlock(&cutters.lock);
}

/**
 * prp_offload_init() - say who counts frames
 * @freed: destructor of frames that are counted until they are freed
 */
void prp_offload_init(void (*freed)(struct sk_buff *skb))
{
	owner_freed = freed;
}
