/* SPDX-License-Identifier: GPL-2.0 */
/* The workers of a run, on all nodes, and a measurement that they make. */
#ifndef _PRPPERF_CREW_H
#define _PRPPERF_CREW_H

#include <stdbool.h>

#include "family.h"
#include "spec.h"

/**
 * struct node - where workers run
 * @text: as the user named it
 * @address: in the family's own notation
 * @netns: a network namespace here, or NULL
 * @ssh: a machine, or NULL
 */
struct node {
	const char *text;
	const char *address;
	const char *netns;
	const char *ssh;
};

/**
 * struct flow - between two nodes
 * @client: the one that calls
 * @server: the one that answers
 * @result: what the client saw
 * @within: rounds of it in the window that all flows had in common
 * @worker: the process that is the client, of crew.c
 */
struct flow {
	const struct node *client;
	const struct node *server;
	struct result result;
	uint64_t within;
	struct worker *worker;
};

/**
 * struct crew - who works for this process
 * @family: over what
 * @limit_ms: how long a measurement may take, beyond what it shall
 * @progress: tell standard error how far it is
 * @served: what all servers saw of the last measurement
 * @window_ns: of it, how long all flows went on together
 * @end: until when something is to be heard, if rounds go on
 * @error: why the last measurement failed
 * @workers: those that run
 */
struct crew {
	const struct family *family;
	uint64_t limit_ms;
	bool progress;
	struct result served;
	uint64_t window_ns;
	uint64_t end;
	char error[512];
	struct worker *workers;
};

bool crew_node(char *text, struct node *node);
void crew_heed_signals(void);
bool crew_interrupted(void);
int crew_measure(struct crew *crew, const struct spec *spec, struct flow *flows,
		 unsigned int count, const char *what);
void crew_dismiss(struct crew *crew);

#endif
