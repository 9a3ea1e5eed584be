/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shortest paths over the links of a host table, as pure logic. Every node
 * computes the same from the same table, so that no node sends a frame back
 * to where it was nearer to its end.
 */
#ifndef _PRP_PATH_H
#define _PRP_PATH_H

#include <linux/types.h>

#define PRP_LINK_ALL 0xff /* prp_link.rail: all rails that both have */
#define PRP_PATH_HOPS 255 /* longest path that is found, links */
#define PRP_LADDER_FULL 6 /* probes of the longest size: one will arrive */
#define PRP_LADDER_MAX 24 /* probes of a search, at most */

/**
 * struct prp_link - a wire between two nodes
 * @node: the one with the lower number
 * @peer: the other one
 * @rail: rail that was named, or PRP_LINK_ALL
 * @rails: bit r: rail r of both is linked; never 0
 */
struct prp_link {
	u16 node;
	u16 peer;
	u8 rail;
	u8 rails;
};

/**
 * struct prp_path - how to get to a node
 * @next: next node on the way, the node itself if it is a neighbour, 0 if
 *	there is no way
 * @rails: bit r: rail r leads to @next
 * @direct: bit r: rail r leads to the node itself, without a forwarder
 * @hops: links on the way, 0 if not known
 * @forwards: it is a neighbour that has other neighbours besides us
 * @override: set by the administrator, not computed
 */
struct prp_path {
	u16 next;
	u8 rails;
	u8 direct;
	u8 hops;
	bool forwards;
	bool override;
};

/**
 * struct prp_path_work - room for prp_path_compute()
 * @first: at least as many as there are paths, and one more
 * @fill: at least as many as there are paths
 * @adjacent: at least twice as many as there are links
 * @queue: at least as many as there are paths
 */
struct prp_path_work {
	u32 *first;
	u32 *fill;
	u16 *adjacent;
	u16 *queue;
};

u16 prp_path_ladder(u16 longest, unsigned int rung);
int prp_path_compare(const struct prp_link *a, const struct prp_link *b);
void prp_path_compute(const struct prp_link *links, u32 count, u16 self,
		      struct prp_path *paths, u32 size,
		      struct prp_path_work *work);

#endif /* _PRP_PATH_H */
