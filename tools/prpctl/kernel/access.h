/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which hosts may open connections to which ports of this machine, and to which
 * ports of which hosts its programs may open some.
 */
#ifndef _PRPCTL_ACCESS_H
#define _PRPCTL_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/nl.h"

/**
 * struct access_entry - an entry of the access list
 * @low: first port, 0 if a notification means all entries
 * @high: last port
 * @node: number of the host
 * @removed: a notification says that it is gone
 * @direction: PRP_DIRECTION_IN or PRP_DIRECTION_OUT
 * @passed: requests that it let pass
 * @refused: requests that no entry let pass, of whose port it is the first
 */
struct access_entry {
	uint16_t low;
	uint16_t high;
	uint16_t node;
	bool removed;
	uint8_t direction;
	uint64_t passed;
	uint64_t refused;
};

void access_take(const struct nlmsghdr *nlh, struct access_entry *entry);

#endif /* _PRPCTL_ACCESS_H */
