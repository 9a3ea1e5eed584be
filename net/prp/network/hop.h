/* SPDX-License-Identifier: GPL-2.0 */
/* Where a frame goes next, and from where one may come; hop.c. */
#ifndef _PRP_HOP_H
#define _PRP_HOP_H

#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/types.h>

#include "network/rail.h"
#include "network/table.h"

struct prp_net;

/**
 * struct prp_hop - where a frame goes next
 * @dev: device to send on; valid in the RCU read section of the look-up
 * @mib: counters of the rail, or of the loopback device
 * @src: hardware address that it comes from, which a bridge need not have;
 *	valid as @dev is
 * @dst: hardware address of the next hop
 * @rail: number of the rail, for the header's flags; 0 on loopback
 */
struct prp_hop {
	struct net_device *dev;
	struct prp_mib_rail __percpu *mib;
	const u8 *src;
	u8 dst[ETH_ALEN]; /* aligned as ether_addr_copy() has it */
	u8 rail;
};

int prp_hop_rcu(const struct prp_net *pn, u16 node, u8 like,
		struct prp_hop *hop);
int prp_hop_on_rcu(const struct prp_net *pn, u16 node, u8 rail,
		   struct prp_hop *hop);
bool prp_hop_has_queue_rcu(const struct prp_net *pn, u8 rail);
u8 prp_hop_rails_rcu(const struct prp_net *pn, u16 node);
u8 prp_hop_ways_rcu(const struct prp_net *pn, u16 node, u8 *up);
bool prp_hop_source_far(const struct prp_rail *rail,
			const struct prp_table *table, u16 node,
			const u8 *source);
u16 prp_hop_mtu_rcu(const struct prp_net *pn, u16 node);

/**
 * prp_hop_like() - the rail that takes the place of another one
 * @rails: bit r: rail r leads to where a frame goes, not 0
 * @rail: rail that it came on, or that its sender chose
 *
 * The wires to two neighbours need not have the same numbers. What is sent on
 * another rail here is to go another way there, too: who leaves a rail leaves
 * it all the way.
 *
 * Return: bit @rail if that is one of @rails, else that of one of them, of
 * which neighbouring numbers give different ones.
 */
static inline u8 prp_hop_like(u8 rails, u8 rail)
{
	unsigned int skip;

	if (likely(rails & BIT(rail)))
		return BIT(rail);
	for (skip = rail % hweight8(rails); skip; skip--)
		rails &= rails - 1;
	return rails & -rails;
}

/**
 * prp_hop_source_ok_rcu() - may a frame of a node come from here
 * @rail: rail that it arrived on; the caller is in an RCU read section
 * @table: host table
 * @node: number that it gives as its source
 * @source: hardware address that it came from
 *
 * Return: whether @source is the node's address on this rail, or that of a
 * neighbour that may forward for it; a frame of our own is believed on the
 * loopback device only.
 */
static inline bool prp_hop_source_ok_rcu(const struct prp_rail *rail,
					 const struct prp_table *table,
					 u16 node, const u8 *source)
{
	const struct prp_node *peer = prp_table_node(table, node);

	return likely(peer && peer->rails & BIT(rail->number) &&
		      ether_addr_equal(peer->addr[rail->number], source) &&
		      node != table->self) ||
	       prp_hop_source_far(rail, table, node, source);
}

#endif /* _PRP_HOP_H */
