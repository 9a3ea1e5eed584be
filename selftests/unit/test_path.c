// SPDX-License-Identifier: GPL-2.0
/* Shortest paths over links: path.h. */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "pure/path.h"
#include "unit.h"

#define NODES 4096
#define LINKS (12 * NODES / 2)

static struct prp_link links[LINKS];
static struct prp_path paths[NODES + 1];
static u32 count, first[NODES + 2], fill[NODES + 1];
static u16 adjacent[2 * LINKS], queue[NODES + 1];

static void begin(void)
{
	count = 0;
}

static int by_order(const void *a, const void *b)
{
	return prp_path_compare(a, b);
}

static void wire(u16 a, u16 b, u8 rail)
{
	links[count++] = (struct prp_link){
		.node = min(a, b),
		.peer = max(a, b),
		.rail = rail,
		.rails = rail == PRP_LINK_ALL ? 0xff : 1 << rail,
	};
}

static void compute(u16 self, u32 nodes)
{
	struct prp_path_work work = {
		.first = first,
		.fill = fill,
		.adjacent = adjacent,
		.queue = queue,
	};

	qsort(links, count, sizeof(*links), by_order);
	prp_path_compute(links, count, self, paths, nodes + 1, &work);
}

static void expect_path(u16 node, u16 next, u8 rails, u8 hops)
{
	expect_eq(paths[node].next, next);
	expect_eq(paths[node].rails, rails);
	expect_eq(paths[node].hops, hops);
}

UNIT(path__line)
{
	begin();
	wire(1, 2, 0);
	wire(2, 3, 1);
	wire(3, 4, 0);
	compute(1, 4);
	expect_path(2, 2, 1, 1);
	expect_path(3, 2, 1, 2);
	expect_path(4, 2, 1, 3);
	expect_true(paths[2].forwards && !paths[3].forwards);
	compute(3, 4);
	expect_path(1, 2, 2, 2);
	expect_path(2, 2, 2, 1);
	expect_path(4, 4, 1, 1);
	expect_true(paths[2].forwards && !paths[4].forwards);
}

UNIT(path__self_has_none)
{
	begin();
	wire(1, 2, 0);
	compute(2, 2);
	expect_path(2, 0, 0, 0);
	expect_eq(paths[2].direct, 0);
	expect_path(1, 1, 1, 1);
}

UNIT(path__unreachable)
{
	begin();
	wire(1, 2, 0);
	wire(4, 5, 0);
	compute(1, 6);
	expect_path(3, 0, 0, 0);
	expect_path(4, 0, 0, 0);
	expect_path(6, 0, 0, 0);
	compute(6, 6);
	expect_path(1, 0, 0, 0);
}

UNIT(path__of_equal_ones_the_lowest_first_node)
{
	begin();
	wire(9, 1, 0);
	wire(9, 7, 1);
	wire(9, 3, 2);
	wire(1, 5, 1);
	wire(1, 7, 2);
	wire(1, 3, 3);
	compute(5, 9);
	expect_path(9, 1, 2, 2);
	compute(9, 9);
	expect_path(5, 1, 1, 2);
	begin();
	wire(2, 7, 0);
	wire(2, 3, 1);
	wire(7, 8, 1);
	wire(3, 8, 0);
	compute(2, 8);
	expect_path(8, 3, 2, 2);
}

UNIT(path__two_rails_are_one_way)
{
	begin();
	wire(1, 2, 0);
	wire(1, 2, 3);
	compute(1, 2);
	expect_path(2, 2, 9, 1);
	expect_eq(paths[2].direct, 9);
	expect_true(!paths[2].forwards);
}

/* Two links to one node are two ways, whichever of the two it is. */
UNIT(path__two_links_of_one_node)
{
	begin();
	wire(1, 3, 0);
	wire(2, 3, 1);
	wire(3, 4, 2);
	wire(3, 5, 3);
	compute(1, 5);
	expect_path(2, 3, 1, 2);
	expect_path(4, 3, 1, 2);
	expect_path(5, 3, 1, 2);
	compute(3, 5);
	expect_path(1, 1, 1, 1);
	expect_path(2, 2, 2, 1);
	expect_path(4, 4, 4, 1);
	expect_path(5, 5, 8, 1);
}

UNIT(path__all_rails)
{
	begin();
	wire(1, 2, PRP_LINK_ALL);
	wire(2, 3, 0);
	compute(1, 3);
	expect_path(3, 2, 0xff, 2);
}

UNIT(path__longest)
{
	u16 n;

	begin();
	for (n = 1; n < 300; n++)
		wire(n, n + 1, n & 1);
	compute(1, 300);
	expect_path(256, 2, 2, 255);
	expect_path(257, 0, 0, 0);
}

static unsigned int differing_bits(u16 a, u16 b)
{
	return __builtin_popcount(a ^ b);
}

/* Node n of the hypercube has number n + 1; links in any order. */
UNIT(path__hypercube)
{
	const u16 size = 1 << 12;
	u16 n, self = 0x5a3;
	unsigned int bit;

	begin();
	for (n = size; n-- > 0;)
		for (bit = 0; bit < 12; bit++)
			if (n & (1 << bit))
				wire(n + 1, (n ^ (1 << bit)) + 1, bit % 8);
	expect_eq(count, LINKS);
	compute(self + 1, size);
	for (n = 0; n < size; n++) {
		if (n == self)
			continue;
		expect_eq(paths[n + 1].hops, differing_bits(n, self));
		expect_eq(differing_bits(paths[n + 1].next - 1, n),
			  differing_bits(n, self) - 1);
	}
}

/* Whoever it is sent by, a frame comes nearer with each node. */
UNIT(path__every_hop_is_nearer)
{
	static u8 hops[64][64];
	static u16 next[64][64];
	unsigned int round, i;
	u16 a, b;

	for (round = 0; round < 50; round++) {
		begin();
		for (i = 0; i < 100; i++) {
			a = 1 + unit_random() % 63;
			b = 1 + unit_random() % 63;
			if (a != b)
				wire(a, b, unit_random() % 8);
		}
		for (a = 1; a < 64; a++) {
			compute(a, 63);
			for (b = 1; b < 64; b++) {
				hops[a][b] = paths[b].hops;
				next[a][b] = paths[b].next;
			}
		}
		for (a = 1; a < 64; a++) {
			for (b = 1; b < 64; b++) {
				expect_eq(hops[a][b], hops[b][a]);
				if (a == b || !hops[a][b])
					continue;
				expect_eq(hops[a][next[a][b]], 1);
				expect_eq(hops[next[a][b]][b], hops[a][b] - 1);
			}
		}
	}
}

/* By nodes, then by rail, whatever comes behind what is compared first */
UNIT(prp_path_compare__order)
{
	static const struct prp_link in_order[] = {
		{ .node = 1, .peer = 2, .rail = 0, .rails = 0x80 },
		{ .node = 1, .peer = 2, .rail = 7, .rails = 1 },
		{ .node = 1, .peer = 2, .rail = PRP_LINK_ALL },
		{ .node = 1, .peer = 0xfffe, .rail = 3 },
		{ .node = 2, .peer = 3, .rail = 2 },
		{ .node = 2, .peer = 4, .rail = 1 },
		{ .node = 0xfffd, .peer = 0xfffe, .rail = 0 },
	};
	int i, j, sign;

	for (i = 0; i < (int)ARRAY_SIZE(in_order); i++) {
		for (j = 0; j < (int)ARRAY_SIZE(in_order); j++) {
			sign = prp_path_compare(&in_order[i], &in_order[j]);
			expect_eq(sign < 0, i < j);
			expect_eq(sign > 0, i > j);
		}
	}
}

/* The sizes are those of prp-protocol.rst. */
UNIT(prp_path_ladder__sizes)
{
	static const u16 sizes[] = {
		65000, 32000, 17000, 8900, 8000, 4000, 2000, 1440,
		1400,  1340,  1220,  960,  500,	 240,  100,  24,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		expect_eq(prp_path_ladder(65499, PRP_LADDER_FULL + i),
			  sizes[i]);
	expect_eq(prp_path_ladder(65499, PRP_LADDER_FULL + i), 0);
	expect_eq(prp_path_ladder(1400, PRP_LADDER_FULL), 1340);
	expect_eq(prp_path_ladder(1401, PRP_LADDER_FULL), 1400);
	expect_eq(PRP_LADDER_FULL, 6);
}

UNIT(prp_path_ladder__goes_down)
{
	static const u16 longest[] = { 65499, 8964, 1464, 1456, 101, 100, 24 };
	unsigned int i, rung;

	for (i = 0; i < ARRAY_SIZE(longest); i++) {
		for (rung = 0; rung < PRP_LADDER_FULL; rung++)
			expect_eq(prp_path_ladder(longest[i], rung),
				  longest[i]);
		for (; prp_path_ladder(longest[i], rung); rung++)
			expect_true(prp_path_ladder(longest[i], rung) <
				    prp_path_ladder(longest[i], rung - 1));
		expect_eq(prp_path_ladder(longest[i], rung - 1), 24);
		expect_true(rung <= PRP_LADDER_MAX);
		expect_eq(prp_path_ladder(longest[i], rung + 1), 0);
	}
}
