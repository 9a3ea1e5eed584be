// SPDX-License-Identifier: GPL-2.0
/*
 * Injected faults through generic netlink; fault.c injects them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/prp.h>
#include <linux/random.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "transport/fault.h"

static int fault_put_hits(struct sk_buff *skb,
			  const struct prp_fault_hits *hits)
{
	if (nla_put_u64_64bit(skb, PRP_A_FAULT_FRAMES, hits->frames,
			      PRP_A_FAULT_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_FAULT_LOST, hits->lost,
			      PRP_A_FAULT_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_FAULT_DUPLICATED, hits->duplicated,
			      PRP_A_FAULT_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_FAULT_CORRUPTED, hits->corrupted,
			      PRP_A_FAULT_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_FAULT_DELAYED, hits->delayed,
			      PRP_A_FAULT_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_FAULT_OVERFLOWED, hits->overflowed,
			      PRP_A_FAULT_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_netlink_put_fault() - write what is injected into frames of a node
 * @skb: message
 * @set: what was asked for, or NULL for all nodes
 * @hits: what was done, or NULL
 * @removed: it is no longer
 *
 * Return: 0 or -EMSGSIZE.
 */
int prp_netlink_put_fault(struct sk_buff *skb, const struct prp_fault_set *set,
			  const struct prp_fault_hits *hits, bool removed)
{
	if (removed && nla_put_flag(skb, PRP_A_FAULT_REMOVED))
		return -EMSGSIZE;
	if (!set)
		return 0;
	if (nla_put_u16(skb, PRP_A_FAULT_NUMBER, set->node) ||
	    nla_put_u16(skb, PRP_A_FAULT_LOSS, set->odds.loss) ||
	    nla_put_u16(skb, PRP_A_FAULT_DUPLICATE, set->odds.duplicate) ||
	    nla_put_u16(skb, PRP_A_FAULT_CORRUPT, set->odds.corrupt) ||
	    nla_put_u16(skb, PRP_A_FAULT_DELAY, set->delay_ms) ||
	    nla_put_u32(skb, PRP_A_FAULT_SEED, set->seed))
		return -EMSGSIZE;
	return hits ? fault_put_hits(skb, hits) : 0;
}

static u16 fault_get_u16(const struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u16(info->attrs[attr]) : 0;
}

/**
 * prp_nl_fault_set_doit() - inject faults into frames of a node
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without a node or a fault; what prp_fault_set() returns.
 */
int prp_nl_fault_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct prp_fault_set set = {};

	if (GENL_REQ_ATTR_CHECK(info, PRP_A_FAULT_NUMBER)) {
		GENL_SET_ERR_MSG(info, "a fault needs a node");
		return -EINVAL;
	}
	set.node = nla_get_u16(info->attrs[PRP_A_FAULT_NUMBER]);
	set.odds.loss = fault_get_u16(info, PRP_A_FAULT_LOSS);
	set.odds.duplicate = fault_get_u16(info, PRP_A_FAULT_DUPLICATE);
	set.odds.corrupt = fault_get_u16(info, PRP_A_FAULT_CORRUPT);
	set.delay_ms = fault_get_u16(info, PRP_A_FAULT_DELAY);
	set.seed = info->attrs[PRP_A_FAULT_SEED] ?
			   nla_get_u32(info->attrs[PRP_A_FAULT_SEED]) :
			   get_random_u32();
	if (!set.odds.loss && !set.odds.duplicate && !set.odds.corrupt &&
	    !set.delay_ms) {
		GENL_SET_ERR_MSG(info, "no fault is asked for");
		return -EINVAL;
	}
	return prp_fault_set(prp_net(genl_info_net(info)), &set, info->extack);
}

/**
 * prp_nl_fault_del_doit() - leave frames of a node alone, or those of all
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; what prp_fault_del() returns.
 */
int prp_nl_fault_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *number = info->attrs[PRP_A_FAULT_NUMBER];
	struct prp_net *pn = prp_net(genl_info_net(info));

	if (number)
		return prp_fault_del(pn, nla_get_u16(number), info->extack);
	prp_fault_flush(pn);
	return 0;
}

/**
 * prp_nl_fault_get_dumpit() - get what is injected
 * @skb: to be filled
 * @cb: where the dump is: args[0] is the smallest node still to come
 *
 * Return: bytes filled, 0 at the end, or -EMSGSIZE.
 */
int prp_nl_fault_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct prp_net *pn = prp_net(sock_net(skb->sk));
	unsigned long node = cb->args[0];
	struct prp_fault_hits hits;
	struct prp_fault_set set;
	void *header;
	int err = 0;

	for (; prp_fault_next(pn, &node, &set, &hits); cb->args[0] = ++node) {
		header = prp_netlink_dump_begin(skb, cb, PRP_CMD_FAULT_GET);
		if (!header)
			err = -EMSGSIZE;
		else
			err = prp_netlink_dump_end(skb, header,
						   prp_netlink_put_fault(skb,
									 &set,
									 &hits,
									 false));
		if (err)
			break;
	}
	return skb->len ?: err;
}
