// SPDX-License-Identifier: GPL-2.0
/*
 * The pool through generic netlink: what may be held and what is.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/genetlink.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "transport/pool.h"

/* A namespace of a user is not told what all hold together, only what is left
 * to it.
 *
 * Return: 0 or -EMSGSIZE.
 */
static int memory_put(struct sk_buff *skb, const struct prp_net *pn)
{
	struct prp_pool_info info;

	prp_pool_get(pn, &info);
	if (!pn->pool.user &&
	    (nla_put_u64_64bit(skb, PRP_A_MEMORY_MACHINE_LIMIT,
			       info.machine_limit, PRP_A_MEMORY_PAD) ||
	     nla_put_u64_64bit(skb, PRP_A_MEMORY_MACHINE_BYTES,
			       info.machine_bytes, PRP_A_MEMORY_PAD)))
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, PRP_A_MEMORY_LIMIT,
			      info.limit == PRP_POOL_NO_LIMIT ? U64_MAX :
								info.limit,
			      PRP_A_MEMORY_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_MEMORY_MOST, info.most,
			      PRP_A_MEMORY_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_MEMORY_BYTES, info.bytes,
			      PRP_A_MEMORY_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * prp_nl_memory_get_doit() - tell about the memory that connections may hold
 * @skb: request
 * @info: its attributes
 *
 * Return: 0 or -ENOMEM.
 */
int prp_nl_memory_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	void *header;

	reply = prp_netlink_reply_new(info, PRP_CMD_MEMORY_GET, &header);
	if (!reply)
		return -ENOMEM;
	return prp_netlink_reply(reply, header, info,
				 memory_put(reply,
					    prp_net(genl_info_net(info))));
}

/* A bound; more than there are addresses is no bound at all. */
static unsigned long memory_limit(const struct nlattr *attr)
{
	return min_t(u64, nla_get_u64(attr), ULONG_MAX);
}

/**
 * prp_nl_memory_set_doit() - bound the memory that connections may hold
 * @skb: request
 * @info: its attributes
 *
 * Return: 0; -EINVAL without a bound, or with one for the machine that is more
 * than it has.
 */
int prp_nl_memory_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *all = info->attrs[PRP_A_MEMORY_MACHINE_LIMIT];
	const struct nlattr *own = info->attrs[PRP_A_MEMORY_LIMIT];

	if (!all && !own) {
		GENL_SET_ERR_MSG(info, "a bound is missing");
		return -EINVAL;
	}
	if (all && !prp_pool_machine_may(memory_limit(all))) {
		NL_SET_ERR_MSG_ATTR(info->extack, all,
				    "that is more memory than the machine has");
		return -EINVAL;
	}
	if (all)
		prp_pool_set_machine_limit(memory_limit(all));
	if (own)
		prp_pool_set_limit(prp_net(genl_info_net(info)),
				   memory_limit(own));
	return 0;
}
