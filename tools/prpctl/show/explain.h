/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What prpctl explain finds out, and how it says it.
 */
#ifndef _PRPCTL_EXPLAIN_H
#define _PRPCTL_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/parse.h"
#include "kernel/peer.h"
#include "kernel/probe.h"
#include "kernel/rail.h"
#include "kernel/route.h"
#include "kernel/table.h"

#define EXPLAIN_LEN 400

/**
 * struct explain - what was found out
 * @nl: socket
 * @word: host that was asked about
 * @port: port that was asked about, or 0
 * @table: the hosts
 * @node: the host, or NULL
 * @self: this machine in the table, or NULL
 * @rails: rails of this machine
 * @route: the way to the host
 * @peer: what is known of it
 * @probe: what passes on the ways to it
 * @probes: how many ways
 * @told: the host replied, and told what it knows
 * @differs: hosts in which its table differs
 * @differences: how many; 0 if only links differ
 * @table_differs: it has another table
 * @asked: it was sent a request
 * @asked_us: when, monotonic
 * @answer: errno that came of it
 * @rtt_us: how long that took, or a query
 * @reachable: it is reachable
 * @verdict: name of the verdict, which never changes its meaning
 * @text: the verdict in words
 * @next: what to do about it, or an empty string
 */
struct explain {
	struct nl nl;
	const char *word;
	uint16_t port;
	struct table table;
	const struct prphosts_node *node;
	const struct prphosts_node *self;
	struct rails rails;
	struct route route;
	struct peer peer;
	struct probe probe[PRPHOSTS_RAILS];
	unsigned int probes;
	bool told;
	uint16_t differs[PROBE_DIFFERENCES];
	int differences;
	bool table_differs;
	bool asked;
	uint64_t asked_us;
	int answer;
	uint64_t rtt_us;
	bool reachable;
	const char *verdict;
	char text[EXPLAIN_LEN];
	char next[EXPLAIN_LEN];
};

void decide(struct explain *x, const char *verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void advise(struct explain *x, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool explain_own(struct explain *x);
bool explain_route(struct explain *x);
int explain_probe(struct explain *x);
int explain_silence(struct explain *x);
void explain_request(struct explain *x);
bool explain_forbidden(struct explain *x);
bool explain_answer(struct explain *x);

#endif /* _PRPCTL_EXPLAIN_H */
