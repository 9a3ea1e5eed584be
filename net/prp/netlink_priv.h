/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What netlink.c and netlink_get.c share and nobody else needs: the family,
 * and how an answer begins and ends.
 */
#ifndef _PRP_NETLINK_PRIV_H
#define _PRP_NETLINK_PRIV_H

#include <linux/types.h>

struct genl_family;
struct genl_info;
struct prp_net;
struct sk_buff;

extern struct genl_family prp_netlink_family;

struct sk_buff *prp_netlink_reply_new(struct genl_info *info, u8 cmd,
				      void **header);
int prp_netlink_reply(struct sk_buff *skb, void *header,
		      struct genl_info *info, int err);
int prp_netlink_own(struct prp_net *pn, const struct genl_info *info);
int prp_netlink_put_route(struct sk_buff *skb, struct prp_net *pn, u16 number);

#endif /* _PRP_NETLINK_PRIV_H */
