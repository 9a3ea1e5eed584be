/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a network namespace has of PRP. Each room initialises and frees its
 * own part; main.c knows the order.
 */
#ifndef _PRP_NET_H
#define _PRP_NET_H

#include <linux/bits.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "inet/inet_memo.h"
#include "netlink/netlink.h"
#include "network/rail.h"
#include "network/table.h"
#include "see/mib.h"
#include "socket/port.h"
#include "transport/confirm.h"
#include "transport/crowd.h"
#include "transport/pool.h"
#include "transport/query.h"

#define PRP_PORT_BUCKETS 256
#define PRP_PEER_SLOTS 64 /* nodes counted apart: by number, modulo that */

/**
 * struct prp_net - one namespace
 * @net: the namespace [const after init]
 * @mib: counters
 *
 * @table_mutex: serialises changes of the host table; taken inside RTNL
 * @table: current host table, never NULL [@table_mutex to write, RCU]
 * @overrides: next node by destination, set by the administrator
 *	[@table_mutex]
 * @forward: enum prp_forward, whatever the table is [@table_mutex to write]
 * @rail: rails 0 to PRP_RAILS - 1 and loopback last [RTNL to write]
 * @ethertype: EtherType in use, host order [RTNL to write]
 *
 * @discovers: devices on which this machine says who it is [RTNL]
 * @discovers_seq: changes with them; not 0 at first [RTNL]
 *
 * @access_mutex: serialises changes of the access list; nothing is inside it
 * @access: the access list, NULL while it is empty [@access_mutex to write,
 *	RCU]
 * @access_generation: counts the access lists [@access_mutex]
 *
 * @faults: struct prp_fault by node, which fault.c injects [the xarray's own
 *	lock to write, a leaf; RCU]
 *
 * @conn_lock: protects @conns, @records and @record_count against writers;
 *	BH context, innermost but for a device's own locks
 * @conns: connections by hash; conn_table.c [@conn_lock to write, RCU]
 * @conns_next: the larger table that takes their place, else NULL [the same]
 * @conns_seq: changes while connections are moved there [@conn_lock to write]
 * @conns_work: moves them
 * @conn_factor: of the hash of connections, both odd [const after init]
 * @records: closed records by the same hash [@conn_lock]
 * @record_fifo: closed records, oldest first [@conn_lock]
 * @record_bits: log2 of the buckets of @records [const after init]
 * @record_count: entries on @record_fifo [@conn_lock]
 * @record_work: frees expired closed records
 *
 * @port_lock: protects @ports and everything that hangs on them; BH context
 * @ports: bound ports by number [@port_lock to write, RCU to look up]
 * @port_hint: where the search for a free port begins [@port_lock]
 * @port_secret: for prp_port_hash() [const]
 * @port_used: the automatic ports that are in @ports [@port_lock]
 *
 * @socks_lock: protects @socks and @socks_id; outside of a connection's lock
 * @socks: all sockets by prp_sock.id [@socks_lock]
 * @socks_id: prp_sock.id of the newest [@socks_lock]
 *
 * @conn_count: connections that something refers to (atomic)
 * @silent_conns: connections whose peer has owed an answer for long (atomic)
 * @pool: memory that connections hold beyond their reserve, pool.h
 * @orphans: connections without a socket that still deliver (atomic)
 * @orphans_of: of these, by node number % PRP_PEER_SLOTS (atomic)
 * @strangers: how often those who are no node of the table may still be
 *	answered, all together, see prp_limit_may_answer() [cmpxchg]
 * @callers: how often questions to everybody may still be answered, see
 *	prp_limit_may_answer_all() [cmpxchg]
 *
 * @crowd: who may send to this node, and does (atomic)
 *
 * @confirm: secrets of cookies [its own lock]
 *
 * @queries: which wait for a reply [its own lock]
 * @curious: how often those without privilege may still query [cmpxchg]
 *
 * @peers: what is known of nodes, by number [its own lock; BH, inside a
 *	connection's lock]
 * @ways: what is known of the rails to nodes, by number [the same]
 *
 * @memos: where connect() of the IP mode does without PRP [its own lock]
 *
 * @nl: transaction in progress and notifications, netlink.c
 */
struct prp_net {
	struct net *net;
	struct prp_mib_cpu __percpu *mib;

	struct mutex table_mutex;
	struct prp_table __rcu *table;
	struct xarray overrides;
	u8 forward;
	struct prp_rail rail[PRP_RAILS + 1];
	u16 ethertype;

	struct list_head discovers;
	u32 discovers_seq;

	struct mutex access_mutex;
	struct prp_access __rcu *access;
	u32 access_generation;

	struct xarray faults;

	struct prp_conn_table __rcu *conns;
	u64 conn_factor[2];
	/* away from what each look-up reads */
	spinlock_t conn_lock ____cacheline_aligned_in_smp;
	seqcount_spinlock_t conns_seq;
	struct prp_conn_table __rcu *conns_next;
	struct work_struct conns_work;
	struct hlist_head *records;
	struct list_head record_fifo;
	unsigned int record_bits;
	unsigned int record_count;
	struct delayed_work record_work;

	spinlock_t port_lock ____cacheline_aligned_in_smp;
	struct hlist_head ports[PRP_PORT_BUCKETS];
	u16 port_hint;
	u32 port_secret;
	DECLARE_BITMAP(port_used, PRP_PORT_AUTO_COUNT);

	spinlock_t socks_lock;
	struct rb_root socks;
	u64 socks_id;

	atomic_t conn_count;
	atomic_t silent_conns;
	struct prp_pool pool;
	atomic_t orphans;
	atomic_t orphans_of[PRP_PEER_SLOTS];
	unsigned long strangers;
	unsigned long callers;

	struct prp_crowd crowd;

	struct prp_confirm confirm;

	struct prp_queries queries;
	unsigned long curious;

	struct xarray peers;
	struct xarray ways;

	struct prp_inet_memos memos;

	struct prp_netlink_net nl;
};

extern unsigned int prp_net_id;

/**
 * prp_net() - what a network namespace has of PRP
 * @net: namespace
 *
 * Return: that; it lives as long as the namespace.
 */
static inline struct prp_net *prp_net(const struct net *net)
{
	return net_generic(net, prp_net_id);
}

#endif /* _PRP_NET_H */
