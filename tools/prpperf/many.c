// SPDX-License-Identifier: GPL-2.0
/* Experiments of many nodes, all at once. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments.h"
#include "out.h"

/* All flows of one measurement together */
struct sums {
	unsigned int flows;
	double rate; /* rounds a second, of all, while all went on */
	double slowest; /* of one flow */
	double fastest;
	double mb_s; /* of all */
	double p50_us; /* mean of the medians of those with any round */
	double p50_max_us;
	double p99_max_us;
};

static void add_up(const struct spec *spec, const struct flow *flows,
		   unsigned int count, uint64_t window_ns, struct sums *sums)
{
	unsigned int some = 0;

	*sums = (struct sums){ .flows = count, .slowest = NAN, .fastest = NAN };
	for (unsigned int i = 0; i < count; i++) {
		const struct result *one = &flows[i].result;
		double rate = window_ns ? flows[i].within * 1e9 / window_ns :
					  NAN;

		sums->rate += rate;
		sums->slowest = fmin(sums->slowest, rate);
		sums->fastest = fmax(sums->fastest, rate);
		sums->mb_s += rate * spec->burst * spec->size / 1e6;
		some += one->rounds > 0;
		sums->p50_us += one->p50 / 1e3;
		sums->p50_max_us = fmax(sums->p50_max_us, one->p50 / 1e3);
		sums->p99_max_us = fmax(sums->p99_max_us, one->p99 / 1e3);
	}
	sums->p50_us = some ? sums->p50_us / some : NAN;
}

static struct sums unknown(unsigned int count)
{
	return (struct sums){ count, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
}

/* Who ends earlier leaves the others alone: all go on for the same time. */
static void for_a_time(struct spec *spec)
{
	if (!spec->rounds && !spec->ms)
		spec->ms = 1000;
}

static int measure(struct run *run, const struct spec *spec, struct flow *flows,
		   unsigned int count, struct sums *sums)
{
	char what[64];
	int err;

	*sums = unknown(count);
	if (!experiments_possible(run, spec))
		return 0;
	snprintf(what, sizeof(what), "%u flows of %" PRIu64 " bytes", count,
		 spec->size);
	err = crew_measure(run->crew, spec, flows, count, what);
	if (!err)
		add_up(spec, flows, count, run->crew->window_ns, sums);
	return err;
}

static void print_sums(const char *name, const char *pattern, double value,
		       const struct spec *spec, const struct sums *sums)
{
	const struct cell cells[] = {
		{ name, value, 0, pattern },
		{ "bytes", spec->size, 0 },
		{ "flows", sums->flows, 0 },
		{ "rounds_s", sums->rate, 0 },
		{ "mean_s", sums->rate / sums->flows, 1 },
		{ "least_s", sums->slowest, 1 },
		{ "most_s", sums->fastest, 1 },
		{ "MB_s", sums->mb_s, 3 },
		{ "p50_us", sums->p50_us, 3 },
		{ "p50max_us", sums->p50_max_us, 3 },
		{ "p99max_us", sums->p99_max_us, 3 },
	};

	out_row(cells, ARRAY_SIZE(cells));
}

/* --- permutations --------------------------------------------------------- */

enum { CIRCULAR_SHIFT, NEIGHBOURS, BISECTION, PATTERNS };

static const char *const patterns[] = { "cshift", "neighbor", "bisection" };

/* To whom a node sends, or itself if it is one too many */
static unsigned int partner(unsigned int pattern, unsigned int node,
			    unsigned int nodes)
{
	unsigned int half = nodes / 2, to;

	switch (pattern) {
	case CIRCULAR_SHIFT:
		return (node + 1) % nodes;
	case NEIGHBOURS:
		to = node ^ 1;
		return to < nodes ? to : node;
	default:
		if (node >= 2 * half)
			return node;
		return node < half ? node + half : node - half;
	}
}

static int permute(struct run *run, unsigned int pattern, struct spec *spec,
		   struct flow *flows)
{
	unsigned int count = 0, to;
	struct sums sums;
	int err;

	for (unsigned int i = 0; i < run->node_count; i++) {
		to = partner(pattern, i, run->node_count);
		if (to == i)
			continue;
		flows[count].client = run->nodes + i;
		flows[count++].server = run->nodes + to;
	}
	err = measure(run, spec, flows, count, &sums);
	if (!err)
		print_sums("pattern", patterns[pattern], 0, spec, &sums);
	return err;
}

/**
 * many_permute() - all nodes at once: circular shift, neighbours, bisection
 * @run: with what; the first size is of round trips, others are sent in
 *	bursts with one answer each
 *
 * Return: what crew_measure() does
 */
int many_permute(struct run *run)
{
	struct flow *flows = calloc(run->node_count, sizeof(*flows));
	unsigned int rows = run->sizes.count * PATTERNS;
	int err = flows ? 0 : -ENOMEM;

	for (unsigned int i = 0; !err && i < rows; i++) {
		struct spec spec = run->spec;

		spec.size = run->sizes.values[i / PATTERNS];
		spec.reply = spec.size < 4 ? spec.size : 4;
		spec.burst = i < PATTERNS ? 1 : run->counts.values[0];
		spec.per = spec.burst;
		for_a_time(&spec);
		err = permute(run, i % PATTERNS, &spec, flows);
		if (experiments_are_over())
			break;
	}
	out_more("", NULL, 0);
	free(flows);
	return err;
}

/* --- clients -------------------------------------------------------------- */

/**
 * many_clients() - more and more clients of one server, and how fair it is
 * @run: with what; the first node serves, clients are on the others by turns
 *
 * Return: what crew_measure() does
 */
int many_clients(struct run *run)
{
	unsigned int rows = run->sizes.count * run->counts.count;
	struct flow *flows = NULL;
	struct sums sums;
	int err = 0;

	for (unsigned int i = 0; !err && i < rows; i++) {
		unsigned int clients =
			run->counts.values[i % run->counts.count];
		struct spec spec = run->spec;

		free(flows);
		flows = calloc(clients, sizeof(*flows));
		if (!flows)
			return -ENOMEM;
		for (unsigned int c = 0; c < clients; c++) {
			flows[c].server = run->nodes;
			flows[c].client =
				run->nodes + 1 + c % (run->node_count - 1);
		}
		spec.size = run->sizes.values[i / run->counts.count];
		spec.reply = spec.size < 4 ? spec.size : 4;
		spec.burst = 1;
		spec.per = 1;
		for_a_time(&spec);
		err = measure(run, &spec, flows, clients, &sums);
		if (!err)
			print_sums("clients", NULL, clients, &spec, &sums);
		if (experiments_are_over())
			break;
	}
	out_more("", NULL, 0);
	free(flows);
	return err;
}

/* --- scaling -------------------------------------------------------------- */

/**
 * many_scale() - round trips between more and more pairs of nodes
 * @run: with what; numbers of nodes that there are not are left out
 *
 * Return: what crew_measure() does
 */
int many_scale(struct run *run)
{
	struct flow *flows = calloc(run->node_count, sizeof(*flows));
	unsigned int rows = run->sizes.count * run->counts.count;
	unsigned int measured = 0;
	struct sums sums;
	int err = flows ? 0 : -ENOMEM;

	for (unsigned int i = 0; !err && i < rows; i++) {
		unsigned int nodes = run->counts.values[i % run->counts.count];
		struct spec spec = run->spec;

		if (nodes > run->node_count || nodes < 2)
			continue;
		measured++;
		for (unsigned int pair = 0; pair < nodes / 2; pair++) {
			flows[pair].server = run->nodes + 2 * pair;
			flows[pair].client = run->nodes + 2 * pair + 1;
		}
		spec.size = run->sizes.values[i / run->counts.count];
		spec.reply = spec.size;
		spec.burst = 1;
		spec.per = 1;
		for_a_time(&spec);
		err = measure(run, &spec, flows, nodes / 2, &sums);
		if (!err)
			print_sums("nodes", NULL, nodes, &spec, &sums);
		if (experiments_are_over())
			break;
	}
	if (!err && !measured) {
		err = -EINVAL;
		snprintf(run->crew->error, sizeof(run->crew->error),
			 "%u nodes are not as many as any count says",
			 run->node_count);
	}
	out_more("", NULL, 0);
	free(flows);
	return err;
}
