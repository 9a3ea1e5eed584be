// SPDX-License-Identifier: GPL-2.0
/*
 * The family of generic netlink, and answers to its requests. Its calls are
 * netlink_gen.c's, which netlink.c brings together with it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/genetlink.h>

#include "compat/genetlink.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"

static const struct genl_multicast_group prp_netlink_groups[] = {
	[PRP_NLGRP_EVENTS] = { .name = PRP_MCGRP_EVENTS },
	[PRP_NLGRP_CONNECTIONS] = { .name = PRP_MCGRP_CONNECTIONS },
};

struct genl_family prp_netlink_family __ro_after_init = {
	.name = PRP_GENL_NAME,
	.version = PRP_GENL_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.mcgrps = prp_netlink_groups,
	.n_mcgrps = ARRAY_SIZE(prp_netlink_groups),
};

/**
 * prp_netlink_reply_new() - start the answer to a request
 * @info: the request
 * @cmd: command of the answer
 * @header: set to what prp_netlink_reply() needs
 *
 * Return: the answer, to be given to prp_netlink_reply(), or NULL without
 * memory.
 */
struct sk_buff *prp_netlink_reply_new(struct genl_info *info, u8 cmd,
				      void **header)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*header = genlmsg_put_reply(skb, info, &prp_netlink_family, 0, cmd);
	if (*header)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

/**
 * prp_netlink_reply() - send an answer, or drop it after an error
 * @skb: the answer, which this call always consumes
 * @header: from prp_netlink_reply_new()
 * @info: the request
 * @err: 0, or why there is no answer
 *
 * Return: @err, or what became of the sending.
 */
int prp_netlink_reply(struct sk_buff *skb, void *header, struct genl_info *info,
		      int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}
