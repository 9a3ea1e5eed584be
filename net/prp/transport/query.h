/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queries: what an administrator asks of nodes, and the replies to it.
 */
#ifndef _PRP_QUERY_H
#define _PRP_QUERY_H

#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct prp_frame;
struct prp_net;

#define PRP_QUERY_SLOTS 256 /* queries of a namespace that wait for a reply */

/**
 * struct prp_query - what is asked
 * @number: node that is asked, in the host table
 * @rail: rail that the query goes out on, PRP_RAIL_ANY for the first that works
 * @size: bytes of payload, zeroes
 * @back: bytes of payload that the reply is to have, at most @size
 * @port: port that is asked about
 * @sock_type: PRP_TYPE_* of it; 0: no port is asked about
 * @low: first node of which a hash is asked for; 0: of none
 * @high: last one, at least @low; 0 without
 * @ip: the port is asked about in the IP mode, with @source and @dest
 * @source: address of this machine; IPv4 as v4-mapped IPv6
 * @dest: address of the node
 */
struct prp_query {
	u16 number;
	u8 rail;
	u16 size;
	u16 back;
	u16 port;
	u8 sock_type;
	u16 low;
	u16 high;
	bool ip;
	struct in6_addr source;
	struct in6_addr dest;
};

/**
 * struct prp_query_slot - a query that waits for a reply
 * @cookie: of the query
 * @number: node that was asked; 0: nobody waits
 * @rail: rail that it went out on
 * @portid: netlink socket that asked
 * @seq: by which that knows its request
 * @sent_ns: when it left, monotonic
 */
struct prp_query_slot {
	u32 cookie;
	u16 number;
	u8 rail;
	u32 portid;
	u32 seq;
	u64 sent_ns;
};

/**
 * struct prp_queries - those of a namespace
 * @lock: protects the others; BH, a leaf
 * @next: the oldest slot, which the next query takes
 * @slot: by the low bits of their cookies
 */
struct prp_queries {
	spinlock_t lock;
	u32 next;
	struct prp_query_slot *slot;
};

int prp_query_send(struct prp_net *pn, const struct prp_query *query,
		   u32 portid, u32 seq);
int prp_query_replied(struct prp_net *pn, const struct prp_frame *frame,
		      const u8 *source);
int prp_query_net_init(struct prp_net *pn);
void prp_query_net_exit(struct prp_net *pn);

#endif /* _PRP_QUERY_H */
