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
 * struct prp_want - what a receive, or a look for a message, fits to
 * @link: in the queue of receives
 * @from: the sender wanted, NULL for any
 * @tag: tag wanted
 * @ignore: bits of it that do not count
 */
struct prp_want {
	struct prp_list link;
	const void *from;
	uint64_t tag;
	uint64_t ignore;
};

/**
 * struct prp_offer - a message
 * @link: in the queue of messages
 * @from: the sender
 * @tag: tag
 */
struct prp_offer {
	struct prp_list link;
	const void *from;
	uint64_t tag;
};

/**
 * struct prp_match - the two queues; at most one of a want and an offer that
 *	fit each other is ever queued
 * @wants: receives that no message was there for
 * @offers: messages that no receive was there for
 */
struct prp_match {
	struct prp_list wants;
	struct prp_list offers;
};

void prp_match_init(struct prp_match *match);
struct prp_want *prp_match_want(const struct prp_match *match,
				const struct prp_offer *offer);
struct prp_offer *prp_match_offer(const struct prp_match *match,
				  const struct prp_want *want);

#endif
