// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who gets which message. */
#include "match.h"

/**
 * prp_match_init() - begin with empty queues
 * @match: queues
 */
void prp_match_init(struct prp_match *match)
{
	prp_list_init(&match->wants);
	prp_list_init(&match->offers);
}

static bool fits(const struct prp_want *want, const struct prp_offer *offer)
{
	return (!want->from || want->from == offer->from) &&
	       !((want->tag ^ offer->tag) & ~want->ignore);
}

/**
 * prp_match_want() - find the receive for a message
 * @match: queues
 * @offer: message
 *
 * Return: the first that fits, still queued, or NULL.
 */
struct prp_want *prp_match_want(const struct prp_match *match,
				const struct prp_offer *offer)
{
	const struct prp_list *link;

	for (link = match->wants.next; link != &match->wants;
	     link = link->next) {
		struct prp_want *want =
			prp_list_entry(link, struct prp_want, link);

		if (fits(want, offer))
			return want;
	}
	return NULL;
}

/**
 * prp_match_offer() - find the message for a receive
 * @match: queues
 * @want: receive
 *
 * Return: the first that fits, still queued, or NULL.
 */
struct prp_offer *prp_match_offer(const struct prp_match *match,
				  const struct prp_want *want)
{
	const struct prp_list *link;

	for (link = match->offers.next; link != &match->offers;
	     link = link->next) {
		struct prp_offer *offer =
			prp_list_entry(link, struct prp_offer, link);

		if (fits(want, offer))
			return offer;
	}
	return NULL;
}
