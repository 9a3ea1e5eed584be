/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The access list: which nodes may open connections to which ports here, and
 * to which nodes and ports programs here may open some.
 */
#ifndef _PRP_ACCESS_H
#define _PRP_ACCESS_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/linux/prp_netlink.h>

struct netlink_ext_ack;
struct prp_net;

#define PRP_ACCESS_MAX 4096 /* entries in a namespace */

/**
 * struct prp_access_hits - what an entry did since it was added
 * @rcu: frees it after its last reader
 * @passed: requests that it let pass
 * @refused: requests that no entry let pass, of whose port it is the first one
 *
 * It lives as long as its entry, in however many lists that is.
 */
struct prp_access_hits {
	struct rcu_head rcu;
	atomic64_t passed;
	atomic64_t refused;
};

/**
 * struct prp_access_entry - one node may connect, or be connected to
 * @low: first port
 * @high: last port, at least @low
 * @node: number of the node; the host table need not have it
 * @direction: an enum prp_direction
 * @hits: what it did; NULL of one that is not in the list
 */
struct prp_access_entry {
	u16 low;
	u16 high;
	u16 node;
	u8 direction;
	struct prp_access_hits *hits;
};

/**
 * struct prp_access - the access list of a namespace [const after publish]
 * @rcu: frees it after its last reader
 * @generation: counts the lists of the namespace, from 1
 * @count: number of entries, at least 1: an empty list is NULL
 * @entry: in the order of access_compare(), each once
 */
struct prp_access {
	struct rcu_head rcu;
	u32 generation;
	u32 count;
	struct prp_access_entry entry[];
};

bool prp_access_refuses_rcu(const struct prp_net *pn,
			    enum prp_direction direction, u16 port, u16 node);
bool prp_access_would_refuse_rcu(const struct prp_net *pn, u16 port, u16 node);
int prp_access_add(struct prp_net *pn, const struct prp_access_entry *entry,
		   struct netlink_ext_ack *extack);
int prp_access_del(struct prp_net *pn, const struct prp_access_entry *entry,
		   struct netlink_ext_ack *extack);
void prp_access_flush(struct prp_net *pn);
void prp_access_net_init(struct prp_net *pn);
void prp_access_net_exit(struct prp_net *pn);

#endif /* _PRP_ACCESS_H */
