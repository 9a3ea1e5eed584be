/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What passes between this machine and a host, rail by rail; and in which lines
 * their host tables differ.
 */
#ifndef _PRPCTL_PROBE_H
#define _PRPCTL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/query.h"
#include "kernel/rail.h"
#include "kernel/table.h"

#define PROBE_DIFFERENCES 8 /* more are of no help to a reader */

/**
 * struct probe - a way to a host, and what passes on it
 * @number: number of the host
 * @rail: rail, or -1 for whichever is taken
 * @mtu: largest frame that it should carry, bytes
 * @replied: a small query was replied to
 * @reply: the reply
 * @err: negative errno if nothing can leave there, else 0
 * @there: largest frame that arrived there, bytes
 * @back: largest one that came back
 */
struct probe {
	uint16_t number;
	int rail;
	uint32_t mtu;
	bool replied;
	struct reply reply;
	int err;
	uint32_t there;
	uint32_t back;
};

int probe_small(struct nl *nl, struct probe *probes, size_t count,
		unsigned int tries);
int probe_sizes(struct nl *nl, struct probe *probes, size_t count);
bool probe_is_whole(const struct probe *probe);
int probe_differences(struct nl *nl, uint16_t self, uint16_t number,
		      uint16_t differs[PROBE_DIFFERENCES]);

#endif /* _PRPCTL_PROBE_H */
