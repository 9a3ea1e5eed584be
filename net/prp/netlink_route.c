// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: routes.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/genetlink.h>

#include "compat/genetlink.h"
#include "netlink_gen.h"
#include "netlink_priv.h"

int prp_netlink_put_route(struct sk_buff *skb, const struct prp_net *pn,
			  u16 number)
{
	return nla_put_u16(skb, PRP_A_ROUTE_NUMBER, number);
}

int prp_nl_link_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_link_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_route_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_route_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int prp_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return 0;
}

int prp_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return 0;
}

