// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who gets which message. */
#include <stdlib.h>

#include "match.h"

#define GOLDEN 0x9e3779b97f4a7c15ull /* Knuth, volume 3, 6.4 */

/* Tables have room for so many to begin with, then for four times as many. */
#define FIRST_BUCKETS 256
#define GROWTH 4

static void init_queue(struct mpipr_queue *queue)
{
	mpipr_list_init(&queue->all);
	queue->count = 0;
	queue->buckets = 0;
}

/**
 * mpipr_match_init() - begin with empty queues
 * @match: queues
 */
void mpipr_match_init(struct mpipr_match *match)
{
	init_queue(&match->wants);
	init_queue(&match->offers);
	match->number = 0;
	match->kinds = 0;
	mpipr_list_init(&match->others);
}

static bool fits(const struct mpipr_want *want, const struct mpipr_offer *offer)
{
	return (!want->from || want->from == offer->from) &&
	       !((want->tag ^ offer->tag) & ~want->ignore);
}

static struct mpipr_want *want_of(const struct mpipr_list *link)
{
	return mpipr_list_entry(link, struct mpipr_want, link);
}

static struct mpipr_offer *offer_of(const struct mpipr_list *link)
{
	return mpipr_list_entry(link, struct mpipr_offer, link);
}

/* --- tables --------------------------------------------------------------- */

static struct mpipr_list *new_table(size_t buckets)
{
	struct mpipr_list *table = malloc(buckets * sizeof(*table));
	size_t i;

	for (i = 0; table && i < buckets; i++)
		mpipr_list_init(&table[i]);
	return table;
}

/* The same for all messages that fit a receive of the kind, and the receive */
static struct mpipr_list *bucket_of(const struct mpipr_kind *kind,
				    struct mpipr_list *table, size_t buckets,
				    const void *from, uint64_t tag)
{
	uint64_t key = (tag & ~kind->ignore) * GOLDEN;

	if (!kind->anybody)
		key += (uintptr_t)from;
	key ^= key >> 32;
	return &table[(key * GOLDEN >> 32) & (buckets - 1)];
}

static void link_offer(struct mpipr_match *match, unsigned int k,
		       struct mpipr_offer *offer)
{
	struct mpipr_kind *kind = &match->kind[k];

	mpipr_list_add_tail(&offer->hash[k],
			    bucket_of(kind, kind->offers, match->offers.buckets,
				      offer->from, offer->tag));
}

/* Links all messages for a kind that has just got its table. */
static void link_offers(struct mpipr_match *match, unsigned int k)
{
	struct mpipr_list *link;

	for (link = match->offers.all.next; link != &match->offers.all;
	     link = link->next)
		link_offer(match, k, offer_of(link));
}

static bool add_kind(struct mpipr_match *match, uint64_t ignore, bool anybody)
{
	struct mpipr_kind *kind = &match->kind[match->kinds];

	if (match->kinds == MPIPR_MATCH_KINDS)
		return false;
	kind->ignore = ignore;
	kind->anybody = anybody;
	kind->wants = NULL;
	kind->offers = NULL;
	if (match->wants.buckets) {
		kind->wants = new_table(match->wants.buckets);
		if (!kind->wants)
			return false;
	}
	if (match->offers.buckets) {
		kind->offers = new_table(match->offers.buckets);
		if (!kind->offers) {
			free(kind->wants);
			return false;
		}
		link_offers(match, match->kinds);
	}
	match->kinds++;
	return true;
}

/* The kind of a receive, or NULL if there are too many */
static struct mpipr_kind *kind_of(struct mpipr_match *match,
				  const struct mpipr_want *want)
{
	const bool anybody = !want->from;
	unsigned int k;

	for (k = 0; k < match->kinds; k++)
		if (match->kind[k].ignore == want->ignore &&
		    match->kind[k].anybody == anybody)
			return &match->kind[k];
	return add_kind(match, want->ignore, anybody) ? &match->kind[k] : NULL;
}

static void link_want(struct mpipr_match *match, struct mpipr_want *want)
{
	struct mpipr_kind *kind = kind_of(match, want);

	mpipr_list_add_tail(&want->hash,
			    kind ? bucket_of(kind, kind->wants,
					     match->wants.buckets, want->from,
					     want->tag) :
				   &match->others);
}

/* --- indices -------------------------------------------------------------- */

static void drop_wants(struct mpipr_match *match)
{
	unsigned int k;

	match->wants.buckets = 0;
	mpipr_list_init(&match->others);
	for (k = 0; k < match->kinds; k++) {
		free(match->kind[k].wants);
		match->kind[k].wants = NULL;
	}
}

static void drop_offers(struct mpipr_match *match)
{
	unsigned int k;

	match->offers.buckets = 0;
	for (k = 0; k < match->kinds; k++) {
		free(match->kind[k].offers);
		match->kind[k].offers = NULL;
	}
}

/* How large the tables of a queue become that has none, or outgrows them */
static size_t next_buckets(const struct mpipr_queue *queue)
{
	size_t buckets = FIRST_BUCKETS;

	while (buckets < queue->count)
		buckets *= GROWTH;
	return buckets;
}

/* If there is no memory for it there is no index. */
static void index_wants(struct mpipr_match *match)
{
	const size_t buckets = next_buckets(&match->wants);
	struct mpipr_list *link;
	unsigned int k;

	drop_wants(match);
	match->wants.buckets = buckets;
	for (k = 0; k < match->kinds; k++) {
		match->kind[k].wants = new_table(buckets);
		if (!match->kind[k].wants) {
			drop_wants(match);
			return;
		}
	}
	for (link = match->wants.all.next; link != &match->wants.all;
	     link = link->next)
		link_want(match, want_of(link));
}

static void index_offers(struct mpipr_match *match)
{
	const size_t buckets = next_buckets(&match->offers);
	unsigned int k;

	drop_offers(match);
	match->offers.buckets = buckets;
	for (k = 0; k < match->kinds; k++) {
		match->kind[k].offers = new_table(buckets);
		if (!match->kind[k].offers) {
			drop_offers(match);
			return;
		}
		link_offers(match, k);
	}
}

/* --- queues --------------------------------------------------------------- */

/**
 * mpipr_match_add_want() - a receive waits
 * @match: queues
 * @want: receive, not queued
 */
void mpipr_match_add_want(struct mpipr_match *match, struct mpipr_want *want)
{
	want->queued = true;
	want->number = match->number++;
	mpipr_list_add_tail(&want->link, &match->wants.all);
	match->wants.count++;
	if (!match->wants.buckets)
		return;
	if (match->wants.count > match->wants.buckets)
		index_wants(match);
	else
		link_want(match, want);
}

/**
 * mpipr_match_del_want() - a receive does not wait any more
 * @match: queues
 * @want: receive; nothing happens if it is not queued
 */
void mpipr_match_del_want(struct mpipr_match *match, struct mpipr_want *want)
{
	if (!want->queued)
		return;
	want->queued = false;
	mpipr_list_del(&want->link);
	match->wants.count--;
	if (!match->wants.buckets)
		return;
	mpipr_list_del(&want->hash);
	if (!match->wants.count)
		drop_wants(match);
}

/**
 * mpipr_match_add_offer() - a message waits
 * @match: queues
 * @offer: message, not queued
 */
void mpipr_match_add_offer(struct mpipr_match *match, struct mpipr_offer *offer)
{
	unsigned int k;

	offer->queued = true;
	mpipr_list_add_tail(&offer->link, &match->offers.all);
	match->offers.count++;
	if (!match->offers.buckets)
		return;
	if (match->offers.count > match->offers.buckets) {
		index_offers(match);
		return;
	}
	for (k = 0; k < match->kinds; k++)
		link_offer(match, k, offer);
}

/**
 * mpipr_match_del_offer() - a message does not wait any more
 * @match: queues
 * @offer: message; nothing happens if it is not queued
 */
void mpipr_match_del_offer(struct mpipr_match *match, struct mpipr_offer *offer)
{
	unsigned int k;

	if (!offer->queued)
		return;
	offer->queued = false;
	mpipr_list_del(&offer->link);
	match->offers.count--;
	if (!match->offers.buckets)
		return;
	for (k = 0; k < match->kinds; k++)
		mpipr_list_del(&offer->hash[k]);
	if (!match->offers.count)
		drop_offers(match);
}

/* --- searches ------------------------------------------------------------- */

/* The first that fits of a list, and no later than one found before */
static struct mpipr_want *earlier_want(const struct mpipr_list *bucket,
				       const struct mpipr_offer *offer,
				       struct mpipr_want *found)
{
	const struct mpipr_list *link;
	struct mpipr_want *want;

	for (link = bucket->next; link != bucket; link = link->next) {
		want = mpipr_list_entry(link, struct mpipr_want, hash);
		if (found && want->number > found->number)
			break;
		if (fits(want, offer))
			return want;
	}
	return found;
}

static struct mpipr_want *look_up_want(const struct mpipr_match *match,
				       const struct mpipr_offer *offer)
{
	struct mpipr_want *found = NULL;
	const struct mpipr_kind *kind;

	for (kind = match->kind; kind < match->kind + match->kinds; kind++)
		found = earlier_want(bucket_of(kind, kind->wants,
					       match->wants.buckets,
					       offer->from, offer->tag),
				     offer, found);
	return earlier_want(&match->others, offer, found);
}

/**
 * mpipr_match_want() - find the receive for a message
 * @match: queues
 * @offer: message
 *
 * Return: the first that fits, still queued, or NULL.
 */
struct mpipr_want *mpipr_match_want(struct mpipr_match *match,
				    const struct mpipr_offer *offer)
{
	struct mpipr_want *found = NULL;
	const struct mpipr_list *link;
	unsigned int seen = 0;

	if (match->wants.buckets)
		return look_up_want(match, offer);
	for (link = match->wants.all.next; link != &match->wants.all;
	     link = link->next) {
		if (fits(want_of(link), offer)) {
			found = want_of(link);
			break;
		}
		seen++;
	}
	if (seen >= MPIPR_MATCH_LONG)
		index_wants(match);
	return found;
}

static struct mpipr_offer *look_up_offer(const struct mpipr_match *match,
					 const struct mpipr_kind *kind,
					 const struct mpipr_want *want)
{
	const unsigned int k = kind - match->kind;
	const struct mpipr_list *bucket, *link;
	struct mpipr_offer *offer;

	bucket = bucket_of(kind, kind->offers, match->offers.buckets,
			   want->from, want->tag);
	for (link = bucket->next; link != bucket; link = link->next) {
		offer = mpipr_list_entry(link - k, struct mpipr_offer, hash);
		if (fits(want, offer))
			return offer;
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
struct mpipr_offer *mpipr_match_offer(struct mpipr_match *match,
				      const struct mpipr_want *want)
{
	const struct mpipr_kind *kind = NULL;
	struct mpipr_offer *found = NULL;
	const struct mpipr_list *link;
	unsigned int seen = 0;

	if (match->offers.buckets)
		kind = kind_of(match, want);
	if (kind)
		return look_up_offer(match, kind, want);
	for (link = match->offers.all.next; link != &match->offers.all;
	     link = link->next) {
		if (fits(want, offer_of(link))) {
			found = offer_of(link);
			break;
		}
		seen++;
	}
	if (seen >= MPIPR_MATCH_LONG && !match->offers.buckets)
		index_offers(match);
	return found;
}
