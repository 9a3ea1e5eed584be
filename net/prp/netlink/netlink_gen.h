/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/prp.yaml */
/* YNL-GEN kernel header */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#ifndef _LINUX_PRP_GEN_H
#define _LINUX_PRP_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/prp_netlink.h>

/* Common nested types */
extern const struct nla_policy prp_address_nl_policy[PRP_A_ADDRESS_MAC + 1];

/* Ops table for prp */
extern const struct genl_split_ops prp_nl_ops[34];

int prp_nl_table_get_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_table_begin_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_table_add_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_table_del_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_table_commit_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_table_abort_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_node_get_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_node_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_rail_get_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_rail_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_ethertype_set_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_link_add_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_link_flush_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_route_get_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_route_set_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_access_add_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_access_del_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_access_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int prp_nl_forward_set_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_memory_get_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_memory_set_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_query_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_discover_on_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_discover_off_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_discover_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int prp_nl_fault_set_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_fault_del_doit(struct sk_buff *skb, struct genl_info *info);
int prp_nl_fault_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

enum {
	PRP_NLGRP_EVENTS,
	PRP_NLGRP_CONNECTIONS,
};

#endif /* _LINUX_PRP_GEN_H */
