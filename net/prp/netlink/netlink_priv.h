/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the netlink files share and nobody else needs: the family, how an
 * answer begins and ends, and what answers and notifications have in common.
 */
#ifndef _PRP_NETLINK_PRIV_H
#define _PRP_NETLINK_PRIV_H

#include <linux/types.h>

struct genl_family;
struct genl_info;
struct netlink_callback;
struct prp_access_entry;
struct prp_fault_hits;
struct prp_fault_set;
struct prp_net;
struct prp_peer_info;
struct prp_table;
struct sk_buff;

extern struct genl_family prp_netlink_family;

struct sk_buff *prp_netlink_reply_new(struct genl_info *info, u8 cmd,
				      void **header);
int prp_netlink_reply(struct sk_buff *skb, void *header, struct genl_info *info,
		      int err);
void *prp_netlink_dump_begin(struct sk_buff *skb, struct netlink_callback *cb,
			     u8 cmd);
int prp_netlink_dump_end(struct sk_buff *skb, void *header, int err);
int prp_netlink_own(struct prp_net *pn, const struct genl_info *info);
struct prp_table *prp_netlink_take(struct prp_net *pn);
int prp_netlink_put_table(struct sk_buff *skb, const struct prp_net *pn);
int prp_netlink_put_rail(struct sk_buff *skb, const struct prp_net *pn,
			 unsigned int r);
int prp_netlink_put_route(struct sk_buff *skb, const struct prp_net *pn,
			  const struct prp_table *table, u16 number);
int prp_netlink_put_access(struct sk_buff *skb,
			   const struct prp_access_entry *entry, bool removed);
int prp_netlink_put_counter(struct sk_buff *skb, int type, const char *name,
			    u64 value);
int prp_netlink_put_fault(struct sk_buff *skb, const struct prp_fault_set *set,
			  const struct prp_fault_hits *hits, bool removed);
int prp_netlink_put_peer(struct sk_buff *skb, const struct prp_peer_info *info);
void prp_netlink_notify_net_init(struct prp_net *pn);
void prp_netlink_notify_net_exit(struct prp_net *pn);
void prp_netlink_notify_start(void);
void prp_netlink_notify_stop(void);

#endif /* _PRP_NETLINK_PRIV_H */
