// SPDX-License-Identifier: GPL-2.0
/* The table of what can be measured. */
#include <string.h>

#include "experiments.h"
#include "flow.h"
#include "out.h"

#define NODES_MAX 128

/* clang-format off */
#define LIST(...) \
	{ .count = sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
	  .values = { __VA_ARGS__ } }

const struct experiment experiments[] = {
	{ "pingpong", "SERVER [CLIENT]",
	  "round trips by size, and the line that fits them", 1, 2, true,
	  LIST(0, 1, 2, 4, 8, 14, 18, 32, 46, 64, 128, 256, 512, 768, 1024,
	       1280, 1400, 2048, 4096, 8192, 16384, 32768, 65536, 102400,
	       204800),
	  LIST(1), pairs_pingpong },
	{ "bandwidth", "SERVER [CLIENT]",
	  "many messages, then one back, by size", 1, 2, true,
	  LIST(4, 16, 64, 256, 512, 1024, 1400, 4096, 16384, 65536),
	  LIST(0), pairs_bandwidth },
	{ "spray", "SERVER [CLIENT]",
	  "messages that are sent back, none read before all are sent", 1, 2,
	  true, LIST(4, 1400),
	  LIST(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192),
	  pairs_spray },
	{ "logp", "SERVER [CLIENT]",
	  "overheads of sending and receiving, gap, latency", 1, 2, true,
	  LIST(4), LIST(512), pairs_logp },
	{ "permute", "NODE NODE...",
	  "all nodes at once: circular shift, neighbours, bisection", 2,
	  NODES_MAX, false, LIST(4, 8192), LIST(16), many_permute },
	{ "clients", "SERVER CLIENT...",
	  "more and more clients of one server, and how fair it is", 2,
	  NODES_MAX, false, LIST(4, 1024), LIST(1, 2, 4, 8, 16, 32, 64, 92),
	  many_clients },
	{ "scale", "NODE NODE...",
	  "round trips between more and more pairs of nodes", 2, NODES_MAX,
	  false, LIST(4, 65536), LIST(2, 4, 8, 16), many_scale },
	{ NULL },
};

/* clang-format on */

/**
 * experiments_find() - find an experiment
 * @name: its name
 *
 * Return: it, or NULL
 */
const struct experiment *experiments_find(const char *name)
{
	for (const struct experiment *e = experiments; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

/**
 * experiments_are_over() - shall no more be measured?
 *
 * Return: whether a signal said so, or what is printed goes nowhere
 */
bool experiments_are_over(void)
{
	return crew_interrupted() || out_failed();
}

/**
 * experiments_possible() - can there be such a flow?
 * @run: with what
 * @spec: what is wanted
 *
 * Return: whether; a size that the family cannot have has a row without values
 */
bool experiments_possible(const struct run *run, const struct spec *spec)
{
	return !flow_refuses(run->crew->family, spec);
}
