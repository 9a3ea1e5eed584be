/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who gets which message: receives that wait for messages, and messages that
 * wait for receives, each in the order in which they came. MPI's order holds
 * because the first one that fits is taken, always.
 *
 * A queue is looked through from its beginning, until that took long once. Then
 * it gets an index, which it has until it is empty. For that there are kinds of
 * receives: those that ignore the same bits of the tag, and are for anybody or
 * not. To a receive of a kind fit the messages that have the same key: sender
 * and tag, as far as the kind looks at them. So each receive is in one table,
 * that of its kind, and each message in those of all kinds. MPI libraries have
 * a handful of kinds; receives of more kinds than MPIPR_MATCH_KINDS are looked
 * at one by one.
 *
 * Pure: what is queued is known by its link alone.
 */
#ifndef MPIPR_MATCH_H
#define MPIPR_MATCH_H

#include <stdint.h>

#include "list.h"

#define MPIPR_MATCH_KINDS 8
/* Who was looked at so often in vain in one search gets an index. */
#define MPIPR_MATCH_LONG 64

/**
 * struct mpipr_want - what a receive, or a look for a message, fits to
 * @link: in mpipr_match.wants
 * @from: the sender wanted, NULL for any
 * @tag: tag wanted
 * @ignore: bits of it that do not count
 * @queued: it waits
 * @number: how many waited before
 * @hash: with an index: in its kind's table, or mpipr_match.others
 */
struct mpipr_want {
	struct mpipr_list link;
	const void *from;
	uint64_t tag;
	uint64_t ignore;
	bool queued;
	uint64_t number;
	struct mpipr_list hash;
};

/**
 * struct mpipr_offer - a message
 * @link: in mpipr_match.offers
 * @from: the sender
 * @tag: tag
 * @queued: it waits
 * @hash: with an index: in the table of each kind
 */
struct mpipr_offer {
	struct mpipr_list link;
	const void *from;
	uint64_t tag;
	bool queued;
	struct mpipr_list hash[MPIPR_MATCH_KINDS];
};

/**
 * struct mpipr_kind - receives that look at the same
 * @ignore: bits of the tag that do not count
 * @anybody: the sender does not count
 * @wants: receives by key, or NULL if these have no index
 * @offers: messages by key, or NULL likewise
 */
struct mpipr_kind {
	uint64_t ignore;
	bool anybody;
	struct mpipr_list *wants;
	struct mpipr_list *offers;
};

/**
 * struct mpipr_queue - who waits
 * @all: in their order
 * @count: how many
 * @buckets: of each table, a power of 2; 0 if there is no index
 */
struct mpipr_queue {
	struct mpipr_list all;
	size_t count;
	size_t buckets;
};

/**
 * struct mpipr_match - the two queues; at most one of a want and an offer that
 *	fit each other is ever queued
 * @wants: receives that no message was there for
 * @offers: messages that no receive was there for
 * @number: receives that ever waited
 * @kinds: of @kind
 * @kind: kinds of receives, as they were first seen with an index
 * @others: with an index: receives of no kind, by mpipr_want.hash
 */
struct mpipr_match {
	struct mpipr_queue wants;
	struct mpipr_queue offers;
	uint64_t number;
	unsigned int kinds;
	struct mpipr_kind kind[MPIPR_MATCH_KINDS];
	struct mpipr_list others;
};

void mpipr_match_init(struct mpipr_match *match);
void mpipr_match_add_want(struct mpipr_match *match, struct mpipr_want *want);
void mpipr_match_del_want(struct mpipr_match *match, struct mpipr_want *want);
void mpipr_match_add_offer(struct mpipr_match *match,
			   struct mpipr_offer *offer);
void mpipr_match_del_offer(struct mpipr_match *match,
			   struct mpipr_offer *offer);
struct mpipr_want *mpipr_match_want(struct mpipr_match *match,
				    const struct mpipr_offer *offer);
struct mpipr_offer *mpipr_match_offer(struct mpipr_match *match,
				      const struct mpipr_want *want);

#endif
