// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: peers.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/genetlink.h>

#include "compat/genetlink.h"
#include "netlink_gen.h"

int prp_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_rail_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return 0;
}
