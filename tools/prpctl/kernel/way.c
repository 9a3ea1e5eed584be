// SPDX-License-Identifier: GPL-2.0
/*
 * Follows the links the way every node does: along a shortest path, and of
 * several to the neighbour with the lowest number. Overrides on other nodes
 * are not known here.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/way.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A link as one of its ends sees it */
struct edge {
	uint16_t from;
	uint16_t to;
};

/* All of them, sorted, and where those of each node begin */
struct graph {
	struct edge *edge;
	size_t *first; /* PRPHOSTS_NUMBER_MAX + 2 */
	uint32_t *distance; /* from the destination, 0: not known */
	uint16_t *queue;
};

static int compare(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (int)a->to - (int)b->to;
}

static void graph_free(struct graph *g)
{
	free(g->edge);
	free(g->first);
	free(g->distance);
	free(g->queue);
}

static int graph_make(struct graph *g, const struct table *table)
{
	const size_t nodes = PRPHOSTS_NUMBER_MAX + 2;
	size_t i, n;

	g->edge = reallocarray(NULL, table->links + 1, 2 * sizeof(*g->edge));
	g->first = calloc(nodes, sizeof(*g->first));
	g->distance = calloc(nodes, sizeof(*g->distance));
	g->queue = calloc(nodes, sizeof(*g->queue));
	if (!g->edge || !g->first || !g->distance || !g->queue)
		return -ENOMEM;
	for (i = 0; i < table->links; i++) {
		const struct prphosts_link *link = &table->link[i];

		g->edge[2 * i] = (struct edge){ link->node, link->peer };
		g->edge[2 * i + 1] = (struct edge){ link->peer, link->node };
	}
	qsort(g->edge, 2 * table->links, sizeof(*g->edge), compare);
	for (i = 0, n = 0; n < nodes; n++) {
		while (i < 2 * table->links && g->edge[i].from < n)
			i++;
		g->first[n] = i;
	}
	return 0;
}

/* Breadth first; the destination itself has the distance 1. */
static void measure(struct graph *g, uint16_t to)
{
	size_t head = 0, tail = 0, i;

	g->distance[to] = 1;
	g->queue[tail++] = to;
	while (head < tail) {
		uint16_t node = g->queue[head++];

		for (i = g->first[node]; i < g->first[node + 1]; i++) {
			uint16_t next = g->edge[i].to;

			if (g->distance[next])
				continue;
			g->distance[next] = g->distance[node] + 1;
			g->queue[tail++] = next;
		}
	}
}

static int follow(const struct graph *g, uint16_t from, uint16_t to,
		  uint16_t way[WAY_MAX])
{
	int count = 0;
	size_t i;

	way[count++] = from;
	while (from != to && count < WAY_MAX) {
		i = g->first[from];
		while (g->distance[g->edge[i].to] + 1 != g->distance[from])
			i++;
		from = g->edge[i].to;
		way[count++] = from;
	}
	return count;
}

/**
 * way_find() - find the way of a frame
 * @table: the hosts and links
 * @from: number of the node where it begins
 * @to: number of the node where it ends
 * @way: filled in: the nodes, both ends included; cut off at WAY_MAX
 *
 * Return: how many nodes; 0 if there is no way; or -ENOMEM.
 */
int way_find(const struct table *table, uint16_t from, uint16_t to,
	     uint16_t way[WAY_MAX])
{
	struct graph g = { 0 };
	int err;

	err = graph_make(&g, table);
	if (!err) {
		measure(&g, to);
		err = g.distance[from] ? follow(&g, from, to, way) : 0;
	}
	graph_free(&g);
	return err;
}
