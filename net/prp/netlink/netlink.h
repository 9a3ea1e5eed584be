/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration through generic netlink: the transaction that a namespace
 * may have open, notifications, and what main.c calls.
 */
#ifndef _PRP_NETLINK_H
#define _PRP_NETLINK_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct prp_access_entry;
struct prp_conn;
struct prp_fault_set;
struct prp_frame;
struct prp_net;
struct prp_query_slot;
struct prp_table;

/**
 * struct prp_netlink_net - the open transaction of a namespace, and what it
 * has to tell
 * @lock: protects the others; never held with RTNL or table_mutex
 * @table: table that is being built, NULL if no transaction is open [@lock]
 * @portid: netlink socket that began it [@lock]
 * @peer_work: notifies of peers that have changed
 */
struct prp_netlink_net {
	struct mutex lock;
	struct prp_table *table;
	u32 portid;
	struct delayed_work peer_work;
};

int prp_netlink_net_init(struct prp_net *pn);
void prp_netlink_net_exit(struct prp_net *pn);
void prp_netlink_notify_table(struct prp_net *pn);
void prp_netlink_notify_rails(struct prp_net *pn, unsigned long rails);
void prp_netlink_notify_route(struct prp_net *pn, u16 number);
void prp_netlink_notify_access(struct prp_net *pn,
			       const struct prp_access_entry *entry,
			       bool removed);
void prp_netlink_notify_fault(struct prp_net *pn,
			      const struct prp_fault_set *set, bool removed);
void __prp_netlink_notify_conn(const struct prp_conn *conn);
bool prp_netlink_tell_peers(struct prp_net *pn);
void prp_netlink_tell_reply(struct prp_net *pn,
			    const struct prp_query_slot *slot,
			    const struct prp_frame *frame, const u8 *source,
			    u64 rtt_ns);
int prp_netlink_init(void);
void prp_netlink_exit(void);

#endif /* _PRP_NETLINK_H */
