/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What connections and rails have moved until now, and between two moments.
 */
#ifndef _PRPCTL_SAMPLE_H
#define _PRPCTL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/diag.h"
#include "kernel/nl.h"
#include "kernel/rail.h"

/**
 * struct sample_conn - a connection that PRP carries
 * @socket: it and its numbers
 * @out: bytes a second that it has sent since the sample before
 * @in: bytes a second received
 * @again: segments a second sent again
 */
struct sample_conn {
	struct diag_socket socket;
	uint64_t out;
	uint64_t in;
	uint64_t again;
};

/**
 * struct sample_rail - a rail of this machine
 * @rail: it and its numbers
 * @out: bytes a second that it has sent since the sample before
 * @in: bytes a second received
 */
struct sample_rail {
	struct rail rail;
	uint64_t out;
	uint64_t in;
};

/**
 * struct sample - all of them at a moment
 * @us: the moment
 * @conn: connections
 * @conns: how many
 * @room: how many @conn has memory for
 * @rail: rails
 * @rails: how many
 */
struct sample {
	uint64_t us;
	struct sample_conn *conn;
	size_t conns;
	size_t room;
	struct sample_rail rail[PRPHOSTS_RAILS];
	unsigned int rails;
};

int sample_take(struct nl *nl, struct sample *sample);
void sample_rate(struct sample *now, struct sample *before);
void sample_free(struct sample *sample);

#endif /* _PRPCTL_SAMPLE_H */
