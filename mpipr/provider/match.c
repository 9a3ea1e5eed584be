// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who gets which message. */
#include "match.h"

/**
 * mpipr_match_init() - begin with empty queues
 * @match: queues
 */
void mpipr_match_init(struct mpipr_match *match)
{
	mpipr_list_init(&match->wants);
	mpipr_list_init(&match->offers);
}

static bool fits(const struct mpipr_want *want, const struct mpipr_offer *offer)
{
	return (!want->from || want->from == offer->from) &&
	       !((want->tag ^ offer->tag) & ~want->ignore);
}

/**
 * mpipr_match_want() - find the receive for a message
 * @match: queues
 * @offer: message
 *
 * Return: the first that fits, still queued, or NULL.
 */
struct mpipr_want *mpipr_match_want(const struct mpipr_match *match,
				    const struct mpipr_offer *offer)
{
	const struct mpipr_list *link;

	for (link = match->wants.next; link != &match->wants;
	     link = link->next) {
		struct mpipr_want *want =
			mpipr_list_entry(link, struct mpipr_want, link);

		if (fits(want, offer))
			return want;
	}
	return NULL;
}

/**
 * mpipr_match_offer() - find the message for a receive
 * @match: queues
 * @want: receive
 *
 * Return: the first that fits, still queued, or NULL.
 */
struct mpipr_offer *mpipr_match_offer(const struct mpipr_match *match,
				      const struct mpipr_want *want)
{
	const struct mpipr_list *link;

	for (link = match->offers.next; link != &match->offers;
	     link = link->next) {
		struct mpipr_offer *offer =
			mpipr_list_entry(link, struct mpipr_offer, link);

		if (fits(want, offer))
			return offer;
	}
	return NULL;
}
