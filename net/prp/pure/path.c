// SPDX-License-Identifier: GPL-2.0
/*
 * Shortest paths; see path.h. A breadth-first search from this node, in the
 * order of node numbers: of several shortest paths the one whose first node
 * has the lowest number is taken, so that all runs agree.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/path.h"

/**
 * prp_path_compare() - order of links in a table
 * @a: a link
 * @b: another one
 *
 * Return: below, equal to or above 0, by nodes, then by rail.
 */
int prp_path_compare(const struct prp_link *a, const struct prp_link *b)
{
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	return (int)a->rail - b->rail;
}

/* Several rails between two nodes are one way. */
static bool link_is_first(const struct prp_link *links, u32 i)
{
	return !i || links[i].node != links[i - 1].node ||
	       links[i].peer != links[i - 1].peer;
}

static void path_adjoin(struct prp_path_work *work, u16 node, u16 neighbour)
{
	work->adjacent[work->first[node] + work->fill[node]++] = neighbour;
}

/* The neighbours of each node in the order of their numbers: first those
 * with lower numbers, for which it is the link's peer.
 */
static void path_adjacency(const struct prp_link *links, u32 count, u32 size,
			   struct prp_path_work *work)
{
	u32 i, n, sum = 0;

	memset(work->fill, 0, size * sizeof(*work->fill));
	for (i = 0; i < count; i++) {
		if (!link_is_first(links, i))
			continue;
		work->fill[links[i].node]++;
		work->fill[links[i].peer]++;
	}
	for (n = 0; n < size; n++) {
		work->first[n] = sum;
		sum += work->fill[n];
		work->fill[n] = 0;
	}
	work->first[size] = sum;
	for (i = 0; i < count; i++)
		if (link_is_first(links, i))
			path_adjoin(work, links[i].peer, links[i].node);
	for (i = 0; i < count; i++)
		if (link_is_first(links, i))
			path_adjoin(work, links[i].node, links[i].peer);
}

static void path_neighbours(const struct prp_link *links, u32 count, u16 self,
			    struct prp_path *paths)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (links[i].node == self)
			paths[links[i].peer].direct |= links[i].rails;
		else if (links[i].peer == self)
			paths[links[i].node].direct |= links[i].rails;
	}
}

/**
 * prp_path_ladder() - how long are the probes that search for a path size
 * @longest: payload of the first one, bytes
 * @rung: which one, from 0 on
 *
 * Down from @longest through what devices and tunnels leave of their MTU
 * (RFC 1191, section 7, and what came after it).
 *
 * Return: payload, bytes, never more than that of the rung before; 0 behind
 * the last one.
 */
u16 prp_path_ladder(u16 longest, unsigned int rung)
{
	static const u16 sizes[] = {
		65000, 32000, 17000, 8900, 8000, 4000, 2000, 1440,
		1400,  1340,  1220,  960,  500,	 240,  100,  24,
	};
	unsigned int i;

	if (rung < PRP_LADDER_FULL)
		return longest;
	rung -= PRP_LADDER_FULL;
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (sizes[i] < longest && !rung--)
			return sizes[i];
	return 0;
}

/**
 * prp_path_compute() - find the shortest paths from a node to all others
 * @links: all links, in the order of prp_path_compare()
 * @count: how many
 * @self: the node, below @size
 * @paths: filled in, by node number
 * @size: one more than the largest node number in @links
 * @work: room to work in
 *
 * A node that is further than PRP_PATH_HOPS links away has no path.
 */
void prp_path_compute(const struct prp_link *links, u32 count, u16 self,
		      struct prp_path *paths, u32 size,
		      struct prp_path_work *work)
{
	u32 head = 0, tail = 0, i;

	memset(paths, 0, size * sizeof(*paths));
	path_adjacency(links, count, size, work);
	path_neighbours(links, count, self, paths);
	work->queue[tail++] = self;
	while (head < tail) {
		u16 at = work->queue[head++];

		if (paths[at].hops == PRP_PATH_HOPS)
			break;
		for (i = work->first[at]; i < work->first[at + 1]; i++) {
			u16 to = work->adjacent[i];

			if (to == self || paths[to].next)
				continue;
			paths[to].hops = paths[at].hops + 1;
			paths[to].next = at == self ? to : paths[at].next;
			paths[to].rails = paths[paths[to].next].direct;
			paths[to].forwards =
				at == self &&
				work->first[to + 1] - work->first[to] > 1;
			work->queue[tail++] = to;
		}
	}
}
