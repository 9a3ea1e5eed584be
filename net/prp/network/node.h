/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A node: one line of the host table.
 */
#ifndef _PRP_NODE_H
#define _PRP_NODE_H

#include <linux/if_ether.h>
#include <linux/in6.h>
#include <linux/types.h>

struct netlink_ext_ack;

#define PRP_RAILS 8 /* three bits in the header */
#define PRP_NODE_NAME_LEN 64 /* with its final zero */
#define PRP_NODE_IPS 8 /* IP addresses a node can have */

/**
 * struct prp_node - one line of the host table [const after publish]
 * @number: logical number, 1 to PRP_NODE_MAX
 * @rails: bit r is set if @addr[r] is an address
 * @ip_count: how many of @ip are in use
 * @addr: hardware address on each rail
 * @name: name, zero terminated
 * @ip: IP addresses that mean this node; IPv4 as v4-mapped IPv6
 *
 * prp_node_dup() clears what is not in use, and there is no padding, so
 * that nodes can be compared and hashed as bytes.
 */
struct prp_node {
	u16 number;
	u8 rails;
	u8 ip_count;
	u8 addr[PRP_RAILS][ETH_ALEN];
	char name[PRP_NODE_NAME_LEN];
	struct in6_addr ip[PRP_NODE_IPS];
};

int prp_node_check(const struct prp_node *node, struct netlink_ext_ack *extack);
struct prp_node *prp_node_dup(const struct prp_node *node);
bool prp_node_shares_addr(const struct prp_node *a, const struct prp_node *b);
bool prp_node_shares_rail(const struct prp_node *a, const struct prp_node *b);
u32 prp_node_hash(const struct prp_node *node, u32 crc);

#endif /* _PRP_NODE_H */
