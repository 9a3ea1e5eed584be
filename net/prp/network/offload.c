// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of segments on their way through devices: which ones take them whole,
 * how the kernel cuts them for all others, and how what arrives in frames is
 * put together again. How many segments there are in a run is the transport's.
 *
 * A run is what the kernel calls a GSO frame. Its type is that of SCTP, for
 * that is one which no network card has: only devices that have no wire claim
 * it, and wherever a run is handed to another one the kernel calls us to cut
 * it. The transport header is set where twelve bytes, a header of SCTP's, are
 * left of ours: so the kernel reckons right how long a segment is.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_macvlan.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/prp.h>
#include <linux/random.h>
#include <linux/sctp.h>
#include <linux/slab.h>
#include <net/dst_metadata.h>
#include <net/gro.h>
#include <net/rtnetlink.h>
#include <net/tcp.h>

#include "compat/gso.h"
#include "network/checksum.h"
#include "network/offload.h"

#define HELD_MS_MAX 1000 /* that the module's end waits for what is held */

/**
 * struct cutter - what cuts runs of an EtherType, and puts them together
 * @node: in prp_cutters.list
 * @own: the machine's own namespaces that speak it; without any no run is
 *	begun [prp_cutters.lock to write]
 * @users: likewise, those of user namespaces [prp_cutters.lock]
 * @leaving: who has stopped and waits for a grace period; keeps it
 *	[prp_cutters.lock]
 * @held: runs that drivers have begun less those that they have handed up; what
 *	a device drops when it goes stays in it
 * @offload: what the kernel calls
 */
struct cutter {
	struct list_head node;
	unsigned int own;
	unsigned int users;
	unsigned int leaving;
	long __percpu *held;
	struct packet_offload offload;
};

/**
 * struct prp_cutters - all of them
 * @lock: protects the list, and who speaks what
 * @list: of cutter.node [@lock to write, RCU]
 */
struct prp_cutters {
	struct mutex lock;
	struct list_head list;
};

static struct prp_cutters cutters = {
	.lock = __MUTEX_INITIALIZER(cutters.lock),
	.list = LIST_HEAD_INIT(cutters.list),
};

/* destructors of frames whose owner counts them; it stands above us */
static void (*owner_freed)(struct sk_buff *skb) __ro_after_init;
static void (*owner_shown)(struct sk_buff *skb) __ro_after_init;

u32 prp_offload_seed __ro_after_init; /* of prp_offload_hash() */

/* The frames that a run was cut into. Its owner waits for the last of them. */
static void offload_stamp(struct sk_buff *run, struct sk_buff *frames,
			  bool sums)
{
	struct sk_buff *skb, *last = frames->prev;
	unsigned int nr = 0;

	for (skb = frames; skb; skb = skb->next) {
		struct prp_hdr *hdr = (void *)skb_network_header(skb);

		prp_run_cut(hdr, nr++,
			    skb_tail_pointer(skb) + skb->data_len - (u8 *)hdr -
				    prp_run_head(hdr),
			    skb == last);
		if (hdr->ext && sums)
			prp_checksum_put(skb);
	}
	if (run->destructor == owner_shown && !skb_zcopy(last) &&
	    !skb_cloned(run))
		skb_zcopy_clear(run, false); /* all was copied: as others are */
	if (run->destructor == owner_freed)
		skb_shinfo(last)->destructor_arg =
			skb_shinfo(run)->destructor_arg;
	else if (run->destructor != owner_shown ||
		 skb_zcopy(last) != skb_zcopy(run))
		return;
	last->destructor = run->destructor;
	run->destructor = NULL;
}

/* Cut a run, skb->data at its header. The device need not make a checksum: so
 * it is as if it could make them all, and nothing is copied for one, unless a
 * tunnel around it wants one that the device cannot make.
 */
static struct sk_buff *offload_frames(struct sk_buff *skb,
				      netdev_features_t features, bool sums)
{
	struct sk_buff *frames;
	size_t head;

	if (!pskb_may_pull(skb, sizeof(struct prp_hdr)) ||
	    prp_offload_segs(skb) == 1)
		return ERR_PTR(-EINVAL);
	head = prp_run_head((const struct prp_hdr *)skb->data);
	if (!pskb_may_pull(skb, head))
		return ERR_PTR(-EINVAL);
	skb_reset_network_header(skb);
	__skb_pull(skb, head);
	features &= ~NETIF_F_GSO_PARTIAL;
	if (!skb->encap_hdr_csum) /* that of a tunnel is made of our bytes */
		features |= NETIF_F_HW_CSUM;
	frames = skb_segment(skb, features);
	if (!IS_ERR_OR_NULL(frames))
		offload_stamp(skb, frames, sums);
	return frames;
}

static struct sk_buff *offload_segment(struct sk_buff *skb,
				       netdev_features_t features)
{
	return offload_frames(skb, features, true);
}

/**
 * prp_offload_cut() - cut a run that has arrived
 * @skb: run, skb->data at its header, and no longer afterwards; it is still the
 *	caller's
 * @sums: each gets its checksum, where they have one
 *
 * Return: a list of frames, each from its header on, or NULL.
 */
struct sk_buff *prp_offload_cut(struct sk_buff *skb, bool sums)
{
	struct sk_buff *frames, *frame;

	/* as skb_gso_segment() has it of a frame that is in no tunnel */
	SKB_GSO_CB(skb)->mac_offset = skb->mac_header;
	SKB_GSO_CB(skb)->encap_level = 0;
	frames = offload_frames(skb, NETIF_F_SG, sums);
	if (IS_ERR_OR_NULL(frames))
		return NULL;
	for (frame = frames; frame; frame = frame->next)
		__skb_pull(frame, skb_network_offset(frame));
	return frames;
}

/* A tunnel puts headers in front of a run, and writes down in 16 bits how long
 * all of it is: there is room for as many as TCP leaves room for.
 */
static u32 offload_longest(u32 most)
{
	most = min_t(u32, most, GSO_LEGACY_MAX_SIZE);
	return most - min_t(u32, most, MAX_TCP_HEADER);
}

/* Say where a run's payload begins, as the kernel reckons for SCTP */
static void offload_set_head(struct sk_buff *skb, size_t head)
{
	skb_set_transport_header(skb, skb_network_offset(skb) + head -
					      sizeof(struct sctphdr));
}

/* Did two frames come the same way through IP, in a tunnel? */
static bool offload_same_tunnel(struct sk_buff *a, struct sk_buff *b)
{
	return !skb_metadata_dst_cmp(a, b) &&
	       skb_get_nfct(a) == skb_get_nfct(b) && !skb_has_extensions(a) &&
	       !skb_has_extensions(b);
}

/* Did two frames come the same way? The caller of offload_receive() says so,
 * too, but not of frames whose hash we have set. What is held may be of any
 * protocol.
 */
static bool offload_same_way(struct sk_buff *a, struct sk_buff *b)
{
	return a->dev == b->dev && a->protocol == b->protocol &&
	       skb_vlan_tag_present(a) == skb_vlan_tag_present(b) &&
	       skb_vlan_tag_get(a) == skb_vlan_tag_get(b) &&
	       !compare_ether_header(skb_mac_header(a), skb_mac_header(b)) &&
	       !skb_metadata_differs(a, b) && a->pp_recycle == b->pp_recycle &&
	       !a->destructor && !b->destructor && /* who sent it counts it */
	       (likely(!(a->slow_gro | b->slow_gro)) ||
		offload_same_tunnel(a, b));
}

/* No other device is a rail, and all that follows compares such headers. */
static bool offload_is_ethernet(const struct sk_buff *skb)
{
	return skb->dev->type == ARPHRD_ETHER && skb->mac_len == ETH_HLEN;
}

/* The frame or run that is held of the connection of a frame, or NULL. */
static struct sk_buff *offload_held(const struct list_head *held,
				    struct sk_buff *skb,
				    const struct prp_hdr *hdr)
{
	struct sk_buff *run;

	list_for_each_entry(run, held, list)
		if (offload_same_way(run, skb) &&
		    prp_run_same_conn((void *)run->data, hdr))
			return run;
	return NULL;
}

/* The cutter of a frame's EtherType. It was found by who calls us, in the same
 * RCU read section.
 */
static struct cutter *cutter_of(const struct sk_buff *skb)
{
	struct cutter *cutter;

	list_for_each_entry_rcu(cutter, &cutters.list, node)
		if (cutter->offload.type == skb->protocol)
			return cutter;
	return NULL;
}

/* May a frame that is held become a run? Somebody has to be there when it is
 * handed up, or for ever where the device drops it: a user makes such devices.
 */
static bool offload_begin(const struct sk_buff *skb)
{
	struct cutter *cutter = cutter_of(skb);

	if (!cutter || !READ_ONCE(cutter->own))
		return false;
	this_cpu_inc(*cutter->held);
	return true;
}

/* Put a segment at the end of a run. Its buffer becomes the run's. */
static void offload_append(struct sk_buff *run, struct sk_buff *skb)
{
	unsigned int hdr = skb_gro_offset(skb), len = skb_gro_len(skb);
	unsigned int beyond = hdr - min(hdr, skb_headlen(skb));

	if (beyond) {
		skb_frag_off_add(&skb_shinfo(skb)->frags[0], beyond);
		skb_frag_size_sub(&skb_shinfo(skb)->frags[0], beyond);
		skb->data_len -= beyond;
		skb->len -= beyond;
	}
	__skb_pull(skb, hdr - beyond);
	if (NAPI_GRO_CB(run)->last == run)
		skb_shinfo(run)->frag_list = skb;
	else
		NAPI_GRO_CB(run)->last->next = skb;
	NAPI_GRO_CB(run)->last = skb;
	NAPI_GRO_CB(run)->count++;
	__skb_header_release(skb);
	run->len += len;
	run->data_len += len;
	run->truesize += skb->truesize;
	NAPI_GRO_CB(skb)->same_flow = 1;
}

/* A driver hands a frame up, skb->data at its header. Return: a run to which
 * nothing can be put any more, or NULL.
 *
 * Nothing is held of what cannot start a run, and no frame overtakes another
 * one of its connection. From here on RPS and RFS, which cannot read our
 * frames, tell connections by the hash.
 */
static struct sk_buff *offload_receive(struct list_head *held,
				       struct sk_buff *skb)
{
	const struct prp_hdr *hdr;
	struct prp_hdr *first;
	struct sk_buff *run;
	u32 len;

	hdr = skb_gro_header(skb, sizeof(*hdr), 0);
	if (skb_gro_offset(skb) || !hdr || !offload_is_ethernet(skb)) {
		NAPI_GRO_CB(skb)->flush = 1; /* in a tunnel, or too short */
		return NULL;
	}
	if (skb_is_gso(skb)) /* out of a tunnel, whose header may be set */
		offload_set_head(skb, prp_run_head(hdr));
	skb_gro_pull(skb, sizeof(*hdr));
	len = skb_gro_len(skb);
	run = offload_held(held, skb, hdr);
	first = run ? (struct prp_hdr *)run->data : NULL;
	/* of the reserve for freeing memory: the head of a run tells of it */
	if (!run || NAPI_GRO_CB(skb)->flush || skb_zcopy(skb) ||
	    skb_pfmemalloc(skb) ||
	    run->len + len >=
		    offload_longest(prp_compat_gro_max_size(skb->dev)) ||
	    !prp_run_joins(first, NAPI_GRO_CB(run)->count, hdr, len) ||
	    (NAPI_GRO_CB(run)->count == 1 && !offload_begin(run))) {
		__skb_set_sw_hash(skb, prp_offload_hash(hdr), true);
		if (!prp_run_starts(hdr, len))
			NAPI_GRO_CB(skb)->flush = 1;
		return run;
	}
	offload_append(run, skb);
	first->flags = hdr->flags;
	return hdr->flags & cpu_to_be16(PRP_RUN_LAST) ||
			       hdr->len != first->len ||
			       NAPI_GRO_CB(run)->count == PRP_RUN_MAX ?
		       run :
		       NULL;
}

/* Nothing more joins a run of several segments. */
static int offload_complete(struct sk_buff *skb, int offset)
{
	const struct prp_hdr *hdr = (void *)(skb->data + offset);
	struct cutter *cutter = cutter_of(skb);

	if (cutter)
		this_cpu_dec(*cutter->held);
	prp_offload_make(skb, sizeof(*hdr), be16_to_cpu(hdr->len),
			 NAPI_GRO_CB(skb)->count);
	return 0;
}

/* What a device that only marks or picks hands everything to. */
static struct net_device *offload_below(struct net_device *dev)
{
	for (;;)
		if (is_vlan_dev(dev))
			dev = vlan_dev_real_dev(dev);
		else if (netif_is_macvlan(dev))
			dev = macvlan_dev_real_dev(dev);
		else
			return dev;
}

/* Does what a device is given come out as it is, without a wire, or go on
 * through the kernel, which cuts it where it has to be?
 */
static bool offload_is_end(const struct net_device *dev)
{
	static const char *const kinds[] = { "veth", "vxlan", "geneve",
					     "gretap", "ip6gretap" };

	return netif_is_bridge_master(dev) ||
	       (dev->rtnl_link_ops &&
		match_string(kinds, ARRAY_SIZE(kinds),
			     dev->rtnl_link_ops->kind) >= 0);
}

/* Likewise, or of a bond or a team of such devices */
static bool offload_is_virtual(struct net_device *dev)
{
	struct net_device *port;
	struct list_head *at;

	dev = offload_below(dev);
	if (likely(!netif_is_lag_master(dev)))
		return offload_is_end(dev);
	at = &dev->adj_list.lower;
	do {
		port = netdev_next_lower_dev_rcu(dev, &at);
	} while (port && offload_is_end(offload_below(port)));
	return !port;
}

/**
 * prp_offload_passes() - may a device be given a run that arrived elsewhere?
 * @dev: device; BH are off, which is an RCU read section, too
 *
 * Return: if it passes it on as it is, or the kernel cuts it in front of it.
 * Others say that they take one and write on a wire what they are given, as
 * macsec does.
 */
bool prp_offload_passes(struct net_device *dev)
{
	return offload_is_virtual(dev) || !(dev->features & NETIF_F_GSO_SCTP);
}

/**
 * prp_offload_most() - how long a run does a device take?
 * @dev: device; BH are off, which is an RCU read section, too
 * @each: payload of a segment, bytes
 *
 * Its features and limits are those that ethtool and ip show and set.
 *
 * Return: segments, 0 or 1 if it takes none.
 */
unsigned int prp_offload_most(struct net_device *dev, u16 each)
{
	const netdev_features_t all = NETIF_F_SG | NETIF_F_GSO |
				      NETIF_F_GSO_SCTP;
	u32 bytes;

	if ((dev->features & all) != all || !offload_is_virtual(dev))
		return 0;
	bytes = offload_longest(prp_compat_gso_max_size(dev));
	/* with its Ethernet header and tags */
	bytes -= min_t(u32, bytes,
		       PRP_RUN_HEAD_MAX + dev->hard_header_len +
			       (is_vlan_dev(dev) ? VLAN_HLEN : 0));
	return min3(bytes / each, (u32)READ_ONCE(dev->gso_max_segs),
		    (u32)PRP_RUN_MAX);
}

/**
 * prp_offload_make() - make a frame a run
 * @skb: frame with the payload of all its segments
 * @head: bytes in front of it, see prp_run_head()
 * @each: payload of each but the last one, bytes
 * @segs: how many there are
 */
void prp_offload_make(struct sk_buff *skb, size_t head, u16 each,
		      unsigned int segs)
{
	skb->ip_summed = CHECKSUM_UNNECESSARY; /* else it is always cut */
	skb->csum_level = SKB_MAX_CSUM_LEVEL; /* out of tunnels, too */
	skb->encap_hdr_csum = 0; /* the one that it came out of may have set */
	offload_set_head(skb, head);
	skb_shinfo(skb)->gso_type = SKB_GSO_SCTP;
	skb_shinfo(skb)->gso_size = each;
	skb_shinfo(skb)->gso_segs = segs;
}

static struct cutter *cutter_alloc(u16 ethertype)
{
	struct cutter *cutter = kzalloc(sizeof(*cutter), GFP_KERNEL_ACCOUNT);

	if (!cutter)
		return NULL;
	cutter->held = alloc_percpu_gfp(long, GFP_KERNEL_ACCOUNT);
	if (!cutter->held) {
		kfree(cutter);
		return NULL;
	}
	cutter->offload.type = htons(ethertype);
	cutter->offload.callbacks.gso_segment = offload_segment;
	cutter->offload.callbacks.gro_receive = offload_receive;
	cutter->offload.callbacks.gro_complete = offload_complete;
	return cutter;
}

static bool cutter_holds(const struct cutter *cutter)
{
	unsigned int cpu;
	long held = 0;

	for_each_possible_cpu(cpu)
		held += READ_ONCE(*per_cpu_ptr(cutter->held, cpu));
	return held;
}

static void cutter_free(struct cutter *cutter)
{
	list_del_rcu(&cutter->node);
	dev_remove_offload(&cutter->offload); /* nobody sees either then */
	free_percpu(cutter->held);
	kfree(cutter);
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

/* How many EtherTypes do only user namespaces speak, or nobody any more? */
static unsigned int cutters_of_users(void)
{
	struct cutter *cutter;
	unsigned int count = 0;

	lockdep_assert_held(&cutters.lock);
	list_for_each_entry(cutter, &cutters.list, node)
		if (!cutter->own)
			count++;
	return count;
}

/* Each frame of the machine that is of none of them passes by all, so that
 * those of users are few, and stand behind what others look for. A namespace
 * can be made all the same, whatever others speak.
 *
 * Return: a cutter that nobody speaks yet, -ENOSPC or -ENOMEM.
 */
static struct cutter *cutter_add(u16 ethertype, bool user)
{
	struct cutter *cutter;

	if (user && ethertype != PRP_ETHERTYPE &&
	    cutters_of_users() >= PRP_OFFLOAD_USERS)
		return ERR_PTR(-ENOSPC);
	cutter = cutter_alloc(ethertype);
	if (!cutter)
		return ERR_PTR(-ENOMEM);
	if (user) {
		cutter->offload.priority = U16_MAX;
		list_add_tail_rcu(&cutter->node, &cutters.list);
	} else {
		list_add_rcu(&cutter->node, &cutters.list);
	}
	dev_add_offload(&cutter->offload);
	return cutter;
}

/**
 * prp_offload_get() - a namespace speaks an EtherType from now on
 * @ethertype: host byte order
 * @user: it is a user namespace's
 *
 * Return: 0; -ENOSPC if it is a user namespace's, nobody speaks it yet, and
 * such speak as many others as they may; -ENOMEM.
 */
int prp_offload_get(u16 ethertype, bool user)
{
	struct cutter *cutter;
	int err = 0;

	mutex_lock(&cutters.lock);
	cutter = cutter_find(ethertype);
	if (!cutter)
		cutter = cutter_add(ethertype, user);
	if (IS_ERR(cutter))
		err = PTR_ERR(cutter);
	else if (user)
		cutter->users++;
	else
		WRITE_ONCE(cutter->own, cutter->own + 1);
	mutex_unlock(&cutters.lock);
	return err;
}

/* Whoever left one a grace period ago: nobody begins a run of it now. Drivers
 * hold what they have put together beyond the end of their poll, where they
 * are told to (gro_flush_timeout), and the kernel complains if nobody
 * completes it: such a one stays until another one is left.
 */
static void cutters_sweep(void)
{
	struct cutter *cutter, *next;

	lockdep_assert_held(&cutters.lock);
	list_for_each_entry_safe(cutter, next, &cutters.list, node)
		if (!cutter->own && !cutter->users && !cutter->leaving &&
		    !cutter_holds(cutter))
			cutter_free(cutter);
}

/**
 * prp_offload_put() - a namespace no longer speaks an EtherType
 * @ethertype: one that it has got, host byte order
 * @user: as it was got
 *
 * What nobody cuts any more, and is to be cut, is dropped. Waits for a grace
 * period, and not for what drivers hold: a user may have them hold it for ever.
 */
void prp_offload_put(u16 ethertype, bool user)
{
	struct cutter *cutter;

	mutex_lock(&cutters.lock);
	cutter = cutter_find(ethertype);
	if (user)
		cutter->users--;
	else
		WRITE_ONCE(cutter->own, cutter->own - 1);
	if (!cutter->own && !cutter->users) {
		cutter->leaving++;
		mutex_unlock(&cutters.lock);
		synchronize_net();
		mutex_lock(&cutters.lock);
		/* who has left it after us has waited, too, or still does */
		cutter->leaving--;
		cutters_sweep();
	}
	mutex_unlock(&cutters.lock);
}

/**
 * prp_offload_init() - say who counts frames, before there are any
 * @freed: destructor of frames that are counted until they are freed
 * @shown: that of those which show a program's pages
 */
void prp_offload_init(void (*freed)(struct sk_buff *skb),
		      void (*shown)(struct sk_buff *skb))
{
	prp_offload_seed = get_random_u32();
	owner_freed = freed;
	owner_shown = shown;
}

/**
 * prp_offload_exit() - no namespace is left: nothing is cut any more
 *
 * Waits for what drivers hold, a second at most.
 */
void prp_offload_exit(void)
{
	unsigned long end = jiffies + msecs_to_jiffies(HELD_MS_MAX);
	struct cutter *cutter, *next;

	mutex_lock(&cutters.lock);
	list_for_each_entry_safe(cutter, next, &cutters.list, node) {
		while (cutter_holds(cutter) && time_before_eq(jiffies, end))
			usleep_range(1000, 2000);
		cutter_free(cutter);
	}
	mutex_unlock(&cutters.lock);
}
