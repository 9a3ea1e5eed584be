// SPDX-License-Identifier: GPL-2.0
/*
 * Faults that are injected on purpose: frames of a node, of those that are
 * believed to be its own, are dropped, doubled, damaged or held before anybody
 * reads more of them than who sent them. What becomes of which frame is
 * fate.h's; what is held is bounded, and taken from the pool.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "net.h"
#include "network/hop.h"
#include "network/offload.h"
#include "pure/wire.h"
#include "see/trace.h"
#include "transport/fault.h"

#define SETTLES 10 /* draws until near seeds are far apart */

/**
 * struct prp_fault - what is done to frames of a node
 * @rcu: frees it after its last reader
 * @pn: namespace [const]
 * @set: what was asked for [const]
 * @lock: protects what follows; BH, a leaf
 * @random: where the numbers come from
 * @hits: what was done
 * @held: frames that wait, oldest first, each with a fault_cb
 * @armed: @timer runs, or is about to be told until when
 * @gone: it is no longer in prp_net.faults; nothing is held any more
 * @timer: when the first of @held goes on; expires in softirq
 */
struct prp_fault {
	struct rcu_head rcu;
	struct prp_net *pn;
	struct prp_fault_set set;
	spinlock_t lock;
	struct rnd_state random;
	struct prp_fault_hits hits;
	struct sk_buff_head held;
	bool armed;
	bool gone;
	struct hrtimer timer;
};

/**
 * struct fault_cb - skb->cb of a frame that is held
 * @rail: rail that it came in on
 * @until: when it goes on
 * @ifindex: device that it came from, which may be another's by then
 */
struct fault_cb {
	const struct prp_rail *rail;
	ktime_t until;
	int ifindex;
};

static void (*go_on)(const struct prp_rail *rail,
		     struct sk_buff *skb) __ro_after_init;

static struct fault_cb *fault_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct fault_cb) >
		     sizeof_field(struct sk_buff, cb));
	return (struct fault_cb *)skb->cb;
}

/* ---- frames that are held ---- */

static void fault_drop(struct prp_net *pn, struct sk_buff *skb)
{
	prp_mib_inc(pn, PRP_DROP_FAULT);
	trace_prp_drop(pn, NULL, NULL, PRP_DROP_FAULT);
	pr_debug_ratelimited("prp: %s\n", prp_mib_name(PRP_DROP_FAULT));
	kfree_skb(skb);
}

/* Return: false if there is no room for it. */
static bool fault_hold(struct prp_fault *fault, const struct prp_rail *rail,
		       struct sk_buff *skb)
{
	ktime_t delay = ms_to_ktime(fault->set.delay_ms);

	lockdep_assert_held(&fault->lock);
	if (skb_queue_len(&fault->held) >= PRP_FAULT_HELD_MAX ||
	    !prp_pool_take(fault->pn, skb->truesize)) {
		fault->hits.overflowed++;
		return false;
	}
	fault_cb(skb)->rail = rail;
	fault_cb(skb)->until = ktime_add(ktime_get(), delay);
	fault_cb(skb)->ifindex = skb->dev->ifindex;
	skb->dev = NULL;
	__skb_queue_tail(&fault->held, skb);
	fault->hits.delayed++;
	prp_mib_inc(fault->pn, PRP_MIB_FAULTS_DELAYED);
	if (!fault->armed) {
		fault->armed = true;
		hrtimer_start(&fault->timer, delay, HRTIMER_MODE_REL_SOFT);
	}
	return true;
}

/* A frame goes on, if its device still is its rail's. */
static void fault_let_go(struct prp_net *pn, struct sk_buff *skb)
{
	const struct prp_rail *rail = fault_cb(skb)->rail;
	struct net_device *dev;

	prp_pool_give(pn, skb->truesize);
	dev = rcu_dereference(rail->dev);
	if (!dev || dev->ifindex != fault_cb(skb)->ifindex) {
		fault_drop(pn, skb);
		return;
	}
	skb->dev = dev;
	go_on(rail, skb);
}

static enum hrtimer_restart fault_expired(struct hrtimer *timer)
{
	struct prp_fault *fault = container_of(timer, struct prp_fault, timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	ktime_t now = ktime_get();
	struct sk_buff_head due;
	struct sk_buff *skb;

	__skb_queue_head_init(&due);
	spin_lock(&fault->lock);
	while ((skb = skb_peek(&fault->held))) {
		if (ktime_after(fault_cb(skb)->until, now))
			break;
		__skb_unlink(skb, &fault->held);
		__skb_queue_tail(&due, skb);
	}
	fault->armed = skb;
	if (skb) {
		hrtimer_set_expires(timer, fault_cb(skb)->until);
		restart = HRTIMER_RESTART;
	}
	spin_unlock(&fault->lock);
	rcu_read_lock();
	while ((skb = __skb_dequeue(&due)))
		fault_let_go(fault->pn, skb);
	rcu_read_unlock();
	return restart;
}

/* ---- frames that come in ---- */

/* Flip a bit. Return: 0 or the drop reason. */
static int fault_corrupt(struct prp_net *pn, struct sk_buff *skb, u32 bit)
{
	if (skb_ensure_writable(skb, bit / BITS_PER_BYTE + 1))
		return PRP_DROP_NO_MEMORY;
	skb->data[bit / BITS_PER_BYTE] ^= BIT(bit % BITS_PER_BYTE);
	prp_mib_inc(pn, PRP_MIB_FAULTS_CORRUPTED);
	return 0;
}

/* The fate of the next frame. Return: the PRP_FATE bits. */
static unsigned int fault_draw(struct prp_fault *fault, u32 *draw)
{
	unsigned int i, fate;

	lockdep_assert_held(&fault->lock);
	for (i = 0; i < PRP_FATE_DRAWS; i++)
		draw[i] = prandom_u32_state(&fault->random);
	fate = prp_fate_of(&fault->set.odds, draw);
	fault->hits.frames++;
	fault->hits.lost += !!(fate & PRP_FATE_LOST);
	fault->hits.duplicated += !!(fate & PRP_FATE_DUPLICATED);
	fault->hits.corrupted += !!(fate & PRP_FATE_CORRUPTED);
	return fate;
}

/* Hold a frame, if frames of the node are. Return: 0, PRP_FAULT_HELD or the
 * drop reason.
 */
static int fault_delay(struct prp_fault *fault, const struct prp_rail *rail,
		       struct sk_buff *skb)
{
	int ret = 0;

	if (!fault->set.delay_ms)
		return 0;
	spin_lock(&fault->lock);
	if (!fault->gone)
		ret = fault_hold(fault, rail, skb) ? PRP_FAULT_HELD :
						     PRP_DROP_FAULT;
	spin_unlock(&fault->lock);
	return ret;
}

/* A copy of a frame comes in before it. */
static void fault_duplicate(struct prp_fault *fault,
			    const struct prp_rail *rail, struct sk_buff *skb)
{
	struct sk_buff *copy = skb_clone(skb, GFP_ATOMIC);
	int ret;

	if (!copy)
		return;
	prp_mib_rail_in(rail->mib, 1, skb->len);
	prp_mib_inc(fault->pn, PRP_MIB_FAULTS_DUPLICATED);
	ret = fault_delay(fault, rail, copy);
	if (!ret)
		go_on(rail, copy);
	else if (ret != PRP_FAULT_HELD)
		fault_drop(fault->pn, copy);
}

/* What is done to frames of whom this one is, if it is. Its header is readable
 * then.
 */
static struct prp_fault *fault_find_rcu(const struct prp_rail *rail,
					struct sk_buff *skb)
{
	const struct prp_hdr *hdr;
	struct prp_fault *fault;
	u16 node;

	if (!pskb_may_pull(skb, sizeof(*hdr)))
		return NULL;
	hdr = (const void *)skb->data;
	node = be16_to_cpu(hdr->snode);
	fault = xa_load(&rail->pn->faults, node);
	if (!fault ||
	    !prp_hop_source_ok_rcu(rail, rcu_dereference(rail->pn->table), node,
				   eth_hdr(skb)->h_source))
		return NULL;
	return fault;
}

/* Each segment of a run has a fate of its own, as on a wire. Return:
 * PRP_FAULT_HELD or the drop reason.
 */
static int fault_run(const struct prp_rail *rail, struct sk_buff *run)
{
	size_t head = prp_run_head((const void *)run->data);
	unsigned int more = prp_offload_segs(run) - 1;
	struct sk_buff *skb = prp_offload_cut(run, true), *next;
	int ret;

	if (!skb)
		return PRP_DROP_NO_MEMORY;
	prp_mib_rail_in(rail->mib, more, more * head);
	consume_skb(run);
	for (; skb; skb = next) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		ret = prp_fault_inject(rail, skb);
		if (!ret)
			go_on(rail, skb);
		else if (ret != PRP_FAULT_HELD)
			fault_drop(rail->pn, skb);
	}
	return PRP_FAULT_HELD;
}

/**
 * prp_fault_inject() - do to a frame what was asked for
 * @rail: rail that it came in on; the caller is in a softirq and in an RCU read
 *	section
 * @skb: the frame, not shared, skb->data at the byte after the Ethernet header
 *
 * Only for a namespace whose prp_net.faults is not empty.
 *
 * Return: 0 if it goes on, perhaps damaged; PRP_FAULT_HELD, and it is no longer
 * the caller's; or the drop reason.
 */
int prp_fault_inject(const struct prp_rail *rail, struct sk_buff *skb)
{
	struct prp_fault *fault = fault_find_rcu(rail, skb);
	u32 draw[PRP_FATE_DRAWS];
	unsigned int fate;
	int ret = 0;

	if (!fault)
		return 0;
	if (prp_offload_segs(skb) > 1)
		return fault_run(rail, skb);
	spin_lock(&fault->lock);
	fate = fault_draw(fault, draw);
	spin_unlock(&fault->lock);
	if (fate & PRP_FATE_LOST)
		return PRP_DROP_FAULT;
	if (fate & PRP_FATE_DUPLICATED)
		fault_duplicate(fault, rail, skb);
	if (fate & PRP_FATE_CORRUPTED)
		ret = fault_corrupt(rail->pn, skb,
				    prp_fate_bit(draw, skb->len));
	return ret ?: fault_delay(fault, rail, skb);
}

/* ---- what administrators do ---- */

static struct prp_fault *fault_new(struct prp_net *pn,
				   const struct prp_fault_set *set)
{
	struct prp_fault *fault;
	unsigned int i;

	fault = kzalloc(sizeof(*fault), GFP_KERNEL_ACCOUNT);
	if (!fault)
		return NULL;
	fault->pn = pn;
	fault->set = *set;
	spin_lock_init(&fault->lock);
	prandom_seed_state(&fault->random, set->seed);
	for (i = 0; i < SETTLES; i++)
		prandom_u32_state(&fault->random);
	__skb_queue_head_init(&fault->held);
	prp_compat_hrtimer_setup(&fault->timer, fault_expired, CLOCK_MONOTONIC,
				 HRTIMER_MODE_REL_SOFT);
	prp_mib_inc(pn, PRP_LIVE_FAULTS);
	return fault;
}

/* It is no longer in prp_net.faults. Who found it there before goes on without
 * it; what is held is dropped.
 */
static void fault_free(struct prp_fault *fault)
{
	struct prp_net *pn = fault->pn;
	struct sk_buff_head held;
	struct sk_buff *skb;

	__skb_queue_head_init(&held);
	spin_lock_bh(&fault->lock);
	fault->gone = true;
	skb_queue_splice_init(&fault->held, &held);
	spin_unlock_bh(&fault->lock);
	hrtimer_cancel(&fault->timer);
	while ((skb = __skb_dequeue(&held))) {
		prp_pool_give(pn, skb->truesize);
		fault_drop(pn, skb);
	}
	prp_mib_dec(pn, PRP_LIVE_FAULTS);
	kfree_rcu(fault, rcu);
}

static bool fault_knows(struct prp_net *pn, u16 node)
{
	bool known;

	rcu_read_lock();
	known = prp_table_node(rcu_dereference(pn->table), node);
	rcu_read_unlock();
	return known;
}

/**
 * prp_fault_set() - inject faults into frames of a node, instead of what was
 * @pn: namespace; the caller may sleep
 * @set: what to do
 * @extack: told why not
 *
 * Return: 0; -ENOENT if the host table does not have the node; -ENOMEM.
 */
int prp_fault_set(struct prp_net *pn, const struct prp_fault_set *set,
		  struct netlink_ext_ack *extack)
{
	bool first = xa_empty(&pn->faults);
	struct prp_fault *fault, *old;

	if (!fault_knows(pn, set->node)) {
		NL_SET_ERR_MSG(extack, "the host table has no such node");
		return -ENOENT;
	}
	fault = fault_new(pn, set);
	if (!fault)
		return -ENOMEM;
	old = xa_store(&pn->faults, set->node, fault, GFP_KERNEL_ACCOUNT);
	if (xa_is_err(old)) {
		fault_free(fault);
		return -ENOMEM;
	}
	if (old)
		fault_free(old);
	if (first)
		net_notice_ratelimited("prp: faults are injected here\n");
	prp_netlink_notify_fault(pn, set, false);
	return 0;
}

/**
 * prp_fault_del() - leave frames of a node alone
 * @pn: namespace; the caller may sleep
 * @node: number of the node
 * @extack: told why not
 *
 * Return: 0; -ENOENT if nothing is done to them.
 */
int prp_fault_del(struct prp_net *pn, u16 node, struct netlink_ext_ack *extack)
{
	struct prp_fault *fault = xa_erase(&pn->faults, node);
	struct prp_fault_set set;

	if (!fault) {
		NL_SET_ERR_MSG(extack, "nothing is injected into its frames");
		return -ENOENT;
	}
	set = fault->set;
	fault_free(fault);
	prp_netlink_notify_fault(pn, &set, true);
	return 0;
}

static void fault_free_all(struct prp_net *pn)
{
	struct prp_fault *fault;
	unsigned long node;

	xa_for_each(&pn->faults, node, fault) {
		fault = xa_erase(&pn->faults, node);
		if (fault)
			fault_free(fault);
	}
}

/**
 * prp_fault_flush() - leave all frames alone
 * @pn: namespace; the caller may sleep
 */
void prp_fault_flush(struct prp_net *pn)
{
	if (xa_empty(&pn->faults))
		return;
	fault_free_all(pn);
	prp_netlink_notify_fault(pn, NULL, true);
}

/**
 * prp_fault_next() - what is injected, a node after the other
 * @pn: namespace
 * @node: smallest number to be looked at; set to what was found
 * @set: filled in
 * @hits: filled in
 *
 * Return: false if there are no more.
 */
bool prp_fault_next(struct prp_net *pn, unsigned long *node,
		    struct prp_fault_set *set, struct prp_fault_hits *hits)
{
	struct prp_fault *fault;

	rcu_read_lock();
	fault = xa_find(&pn->faults, node, ULONG_MAX, XA_PRESENT);
	if (fault) {
		*set = fault->set;
		spin_lock_bh(&fault->lock);
		*hits = fault->hits;
		spin_unlock_bh(&fault->lock);
	}
	rcu_read_unlock();
	return fault;
}

/* ---- life ---- */

/**
 * prp_fault_net_init() - a new namespace has no faults
 * @pn: namespace
 */
void prp_fault_net_init(struct prp_net *pn)
{
	xa_init_flags(&pn->faults, XA_FLAGS_ACCOUNT);
}

/**
 * prp_fault_net_exit() - forget a namespace's faults
 * @pn: namespace; no frame is received in it any more
 */
void prp_fault_net_exit(struct prp_net *pn)
{
	fault_free_all(pn);
	xa_destroy(&pn->faults);
}

/**
 * prp_fault_init() - whom to give frames that were held, and copies
 * @up: takes a frame, in a softirq and in an RCU read section
 */
void __init prp_fault_init(void (*up)(const struct prp_rail *rail,
				      struct sk_buff *skb))
{
	go_on = up;
}
