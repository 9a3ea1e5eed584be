/* SPDX-License-Identifier: GPL-2.0 */
/* What can be measured: the papers' experiments. */
#ifndef _PRPPERF_EXPERIMENTS_H
#define _PRPPERF_EXPERIMENTS_H

#include "crew.h"

#define LIST_MAX 64

/**
 * struct list - numbers that the user gave, or those of the experiment
 * @count: of them
 * @values: in order
 */
struct list {
	unsigned int count;
	uint64_t values[LIST_MAX];
};

/**
 * struct run - an experiment and what it is to be with
 * @crew: who works
 * @nodes: where
 * @node_count: of them
 * @spec: what the user has set of all flows
 * @sizes: of messages
 * @counts: of messages, clients or nodes
 * @mtu: of the fit
 */
struct run {
	struct crew *crew;
	struct node *nodes;
	unsigned int node_count;
	struct spec spec;
	struct list sizes;
	struct list counts;
	unsigned int mtu;
};

/**
 * struct experiment - what can be measured
 * @name: on the command line
 * @nodes: what they are, for the usage
 * @what: for --help
 * @least: nodes
 * @most: nodes
 * @frames: whether it is one of two nodes, as raw packets need
 * @sizes: of messages, if the user gives none
 * @counts: likewise
 * @run: measures and prints all rows and what is computed of them; returns
 *	what crew_measure() does
 */
struct experiment {
	const char *name;
	const char *nodes;
	const char *what;
	unsigned int least;
	unsigned int most;
	bool frames;
	struct list sizes;
	struct list counts;
	int (*run)(struct run *run);
};

extern const struct experiment experiments[];

const struct experiment *experiments_find(const char *name);
bool experiments_are_over(void);
bool experiments_possible(const struct run *run, const struct spec *spec);

int pairs_pingpong(struct run *run);
int pairs_bandwidth(struct run *run);
int pairs_spray(struct run *run);
int pairs_logp(struct run *run);
int many_permute(struct run *run);
int many_clients(struct run *run);
int many_scale(struct run *run);

#endif
