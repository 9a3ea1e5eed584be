/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults that an administrator injects into frames as they come in, by the
 * node that sent them. A namespace without any pays one test a frame.
 */
#ifndef _PRP_FAULT_H
#define _PRP_FAULT_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "pure/fate.h"

struct netlink_ext_ack;
struct prp_net;
struct prp_rail;

#define PRP_FAULT_HELD -1 /* the frame comes later, or not at all */
#define PRP_FAULT_HELD_MAX 1024 /* frames of a node */

/**
 * struct prp_fault_set - what an administrator asked for
 * @node: number of the node whose frames it is about
 * @odds: chances of what happens by chance
 * @delay_ms: for how long each frame is held, milliseconds
 * @seed: of the numbers that decide
 */
struct prp_fault_set {
	u16 node;
	struct prp_fate_odds odds;
	u16 delay_ms;
	u32 seed;
};

/**
 * struct prp_fault_hits - what was done since then, in frames
 * @frames: came in
 * @lost: dropped by chance
 * @duplicated: taken twice
 * @corrupted: had a bit flipped
 * @delayed: held, copies included
 * @overflowed: dropped because too many were held
 */
struct prp_fault_hits {
	u64 frames;
	u64 lost;
	u64 duplicated;
	u64 corrupted;
	u64 delayed;
	u64 overflowed;
};

int prp_fault_inject(const struct prp_rail *rail, struct sk_buff *skb);
int prp_fault_set(struct prp_net *pn, const struct prp_fault_set *set,
		  struct netlink_ext_ack *extack);
int prp_fault_del(struct prp_net *pn, u16 node, struct netlink_ext_ack *extack);
void prp_fault_flush(struct prp_net *pn);
bool prp_fault_next(struct prp_net *pn, unsigned long *node,
		    struct prp_fault_set *set, struct prp_fault_hits *hits);
void prp_fault_net_init(struct prp_net *pn);
void prp_fault_net_exit(struct prp_net *pn);
void prp_fault_init(void (*up)(const struct prp_rail *rail,
			       struct sk_buff *skb));

#endif /* _PRP_FAULT_H */
