/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who gets which message: receives that wait for messages, and messages that
 * wait for receives, each in the order in which they came. MPI's order holds
 * because the first one that fits is taken, always.
 *
 * Pure: what is queued is known by its link alone.
 */
#ifndef MPIPR_MATCH_H
#define MPIPR_MATCH_H

#include <stdint.h>

#include "list.h"

/**
 * struct mpipr_want - what a receive, or a look for a message, fits to
 * @link: in the queue of receives
 * @from: the sender wanted, NULL for any
 * @tag: tag wanted
 * @ignore: bits of it that do not count
 */
struct mpipr_want {
	struct mpipr_list link;
	const void *from;
	uint64_t tag;
	uint64_t ignore;
};

/**
 * struct mpipr_offer - a message
 * @link: in the queue of messages
 * @from: the sender
 * @tag: tag
 */
struct mpipr_offer {
	struct mpipr_list link;
	const void *from;
	uint64_t tag;
};

/**
 * struct mpipr_match - the two queues; at most one of a want and an offer that
 *	fit each other is ever queued
 * @wants: receives that no message was there for
 * @offers: messages that no receive was there for
 */
struct mpipr_match {
	struct mpipr_list wants;
	struct mpipr_list offers;
};

void mpipr_match_init(struct mpipr_match *match);
struct mpipr_want *mpipr_match_want(const struct mpipr_match *match,
				    const struct mpipr_offer *offer);
struct mpipr_offer *mpipr_match_offer(const struct mpipr_match *match,
				      const struct mpipr_want *want);

#endif
