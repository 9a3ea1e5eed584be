/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults that the kernel injects into frames that come in, by host.
 */
#ifndef _PRPCTL_FAULT_H
#define _PRPCTL_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/nl.h"

/**
 * struct fault - what is done to frames of a host
 * @node: number of the host, 0 if a notification means all
 * @loss: chance that a frame is dropped, hundredths of a percent
 * @duplicate: chance that one is taken twice
 * @corrupt: chance that a bit of one is flipped
 * @delay_ms: for how long each is held
 * @seed: of the numbers that decide
 * @removed: a notification says that nothing is done any more
 * @frames: that came in
 * @lost: of these, dropped by chance
 * @duplicated: taken twice
 * @corrupted: with a bit flipped
 * @delayed: held, copies included
 * @overflowed: dropped because too many were held
 */
struct fault {
	uint16_t node;
	uint16_t loss;
	uint16_t duplicate;
	uint16_t corrupt;
	uint16_t delay_ms;
	uint32_t seed;
	bool removed;
	uint64_t frames;
	uint64_t lost;
	uint64_t duplicated;
	uint64_t corrupted;
	uint64_t delayed;
	uint64_t overflowed;
};

void fault_take(const struct nlmsghdr *nlh, struct fault *fault);

#endif /* _PRPCTL_FAULT_H */
