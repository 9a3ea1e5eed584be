// SPDX-License-Identifier: GPL-2.0
/* MPIPR's pure rooms: who gets which message, headers, ch_p4's packets. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "match.h"
#include "p4.h"
#include "unit.h"
#include "wire.h"

static const int alice, bob;

static struct mpipr_offer offer(const void *from, uint64_t tag)
{
	return (struct mpipr_offer){ .from = from, .tag = tag };
}

static struct mpipr_want want(const void *from, uint64_t tag, uint64_t ignore)
{
	return (struct mpipr_want){ .from = from,
				    .tag = tag,
				    .ignore = ignore };
}

static bool meet(struct mpipr_want wanted, struct mpipr_offer offered)
{
	struct mpipr_match match;

	mpipr_match_init(&match);
	mpipr_match_add_offer(&match, &offered);
	return mpipr_match_offer(&match, &wanted) == &offered;
}

UNIT(prp_match__empty)
{
	struct mpipr_want wanted = want(NULL, 0, ~0ull);
	struct mpipr_offer offered = offer(&alice, 0);
	struct mpipr_match match;

	mpipr_match_init(&match);
	expect_true(!mpipr_match_offer(&match, &wanted));
	expect_true(!mpipr_match_want(&match, &offered));
}

UNIT(prp_match__tag)
{
	expect_true(meet(want(NULL, 7, 0), offer(&alice, 7)));
	expect_true(!meet(want(NULL, 7, 0), offer(&alice, 6)));
	expect_true(!meet(want(NULL, 1ull << 63, 0), offer(&alice, 0)));
	expect_true(!meet(want(NULL, 0, 0), offer(&alice, 1ull << 63)));
}

UNIT(prp_match__ignored_bits)
{
	expect_true(meet(want(NULL, 0x1200, 0xff), offer(&alice, 0x1234)));
	expect_true(meet(want(NULL, 0x12ff, 0xff), offer(&alice, 0x1200)));
	expect_true(!meet(want(NULL, 0x1200, 0xff), offer(&alice, 0x1334)));
	expect_true(meet(want(NULL, 0, ~0ull), offer(&alice, ~0ull)));
}

UNIT(prp_match__sender)
{
	expect_true(meet(want(&alice, 7, 0), offer(&alice, 7)));
	expect_true(!meet(want(&alice, 7, 0), offer(&bob, 7)));
	expect_true(!meet(want(&alice, 7, 0), offer(&alice, 8)));
}

UNIT(prp_match__first_offer_that_fits)
{
	struct mpipr_offer offers[] = { offer(&bob, 1), offer(&alice, 2),
					offer(&alice, 1), offer(&alice, 1) };
	struct mpipr_want wanted = want(&alice, 1, 0);
	struct mpipr_match match;

	mpipr_match_init(&match);
	for (int i = 0; i < 4; i++)
		mpipr_match_add_offer(&match, &offers[i]);
	expect_true(mpipr_match_offer(&match, &wanted) == &offers[2]);
	mpipr_match_del_offer(&match, &offers[2]);
	expect_true(mpipr_match_offer(&match, &wanted) == &offers[3]);
	mpipr_match_del_offer(&match, &offers[3]);
	expect_true(!mpipr_match_offer(&match, &wanted));
}

UNIT(prp_match__first_want_that_fits)
{
	struct mpipr_want wants[] = { want(&bob, 1, 0), want(NULL, 2, 0),
				      want(NULL, 0, ~0ull),
				      want(&alice, 1, 0) };
	struct mpipr_offer offered = offer(&alice, 1);
	struct mpipr_match match;

	mpipr_match_init(&match);
	for (int i = 0; i < 4; i++)
		mpipr_match_add_want(&match, &wants[i]);
	expect_true(mpipr_match_want(&match, &offered) == &wants[2]);
	mpipr_match_del_want(&match, &wants[2]);
	expect_true(mpipr_match_want(&match, &offered) == &wants[3]);
}

/*
 * MPI's order, whatever comes when: of a sender's messages that fit a receive
 * the earliest goes to the earliest receive. Against a model that has all of
 * them in one list and looks at each pair.
 */
enum { STEPS = 3000 };

struct event {
	bool is_want;
	bool taken;
	struct mpipr_want want;
	struct mpipr_offer offer;
};

static bool model_fits(const struct event *w, const struct event *o)
{
	return (!w->want.from || w->want.from == o->offer.from) &&
	       (w->want.tag & ~w->want.ignore) ==
		       (o->offer.tag & ~w->want.ignore);
}

static struct event *model(struct event *events, struct event *now)
{
	for (struct event *e = events; e < now; e++) {
		if (e->taken || e->is_want == now->is_want)
			continue;
		if (now->is_want ? model_fits(now, e) : model_fits(e, now))
			return e;
	}
	return NULL;
}

/* Whom the provider finds for it */
static struct event *found_for(struct mpipr_match *match, struct event *e)
{
	struct mpipr_offer *o;
	struct mpipr_want *w;

	if (e->is_want) {
		o = mpipr_match_offer(match, &e->want);
		return o ? mpipr_list_entry(o, struct event, offer) : NULL;
	}
	w = mpipr_match_want(match, &e->offer);
	return w ? mpipr_list_entry(w, struct event, want) : NULL;
}

static void add_event(struct mpipr_match *match, struct event *e)
{
	if (e->is_want)
		mpipr_match_add_want(match, &e->want);
	else
		mpipr_match_add_offer(match, &e->offer);
}

static void del_event(struct mpipr_match *match, struct event *e)
{
	if (e->taken)
		return;
	e->taken = true;
	if (e->is_want)
		mpipr_match_del_want(match, &e->want);
	else
		mpipr_match_del_offer(match, &e->offer);
}

/*
 * So many tags, and receives that ignore one of so many sets of their bits, of
 * which the last one is all. One in so many events takes back an earlier one.
 */
struct mix {
	unsigned int tags;
	unsigned int sets;
	unsigned int wants_of_10;
	unsigned int taken_back;
};

static void random_event(struct event *e, const struct mix *mix)
{
	const void *who = unit_random() % 2 ? &alice : &bob;
	const uint64_t set = unit_random() % mix->sets;
	const uint64_t ignore = set && set == mix->sets - 1 ? ~0ull : set << 1;

	e->is_want = unit_random() % 10 < mix->wants_of_10;
	e->want = want(unit_random() % 3 ? who : NULL,
		       unit_random() % mix->tags, ignore);
	e->offer = offer(who, unit_random() % mix->tags);
}

static void as_the_model(const struct mix *mix)
{
	static struct event events[STEPS];
	struct event *found, *e;
	struct mpipr_match match;

	memset(events, 0, sizeof(events));
	mpipr_match_init(&match);
	for (e = events; e < events + STEPS; e++) {
		if (e > events && !(unit_random() % mix->taken_back))
			del_event(&match,
				  &events[unit_random() % (e - events)]);
		random_event(e, mix);
		found = found_for(&match, e);
		expect_true(found == model(events, e));
		if (found) {
			del_event(&match, found);
			e->taken = true;
		} else {
			add_event(&match, e);
		}
	}
	/* Whoever is left goes, and with the last one all memory. */
	for (e = events; e < events + STEPS; e++)
		del_event(&match, e);
	expect_eq(match.wants.count, 0);
	expect_eq(match.offers.count, 0);
}

UNIT(prp_match__as_the_model)
{
	static const struct mix mixes[] = {
		{ 3, 2, 5, 50 }, /* short queues */
		{ 1000, 1, 9, 50 }, /* many receives */
		{ 1000, 1, 1, 50 }, /* many messages */
		{ 2000, 3, 8, 20 },	{ 2000, 3, 2, 20 },
		{ 1u << 31, 12, 7, 5 }, /* more kinds than tables */
		{ 1u << 31, 12, 3, 5 }, { 2, 2, 9, 1000 },
		{ 2, 1, 1, 1000 },
	};

	for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++)
		for (int round = 0; round < 5; round++)
			as_the_model(&mixes[i]);
}

/* What is taken back twice, or was never there, does no harm. */
UNIT(prp_match__taken_back_twice)
{
	struct mpipr_want wanted = want(&alice, 1, 0);
	struct mpipr_offer offered = offer(&alice, 1);
	struct mpipr_match match;

	mpipr_match_init(&match);
	for (int i = 0; i < 2; i++) {
		mpipr_match_del_want(&match, &wanted);
		mpipr_match_del_offer(&match, &offered);
		mpipr_match_add_want(&match, &wanted);
		mpipr_match_add_offer(&match, &offered);
		for (int k = 0; k < 2; k++) {
			mpipr_match_del_want(&match, &wanted);
			mpipr_match_del_offer(&match, &offered);
		}
		expect_eq(match.wants.count, 0);
		expect_eq(match.offers.count, 0);
	}
}

/*
 * How long a queue is does not matter: each of so many that wait is found from
 * the last one to the first. One by one each of a hundred times as many takes
 * a hundred times as long.
 */
enum { FEW = 100, MANY = 10000 };

static struct mpipr_offer many_offers[MANY];
static struct mpipr_want many_wants[MANY];

/* That of the process goes by ticks, as the case has a limit of it. */
static uint64_t used_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
	return at.tv_sec * 1000000000ull + at.tv_nsec;
}

static void queue_both(int count, bool of_wants)
{
	struct mpipr_match match;
	struct mpipr_offer *o;
	struct mpipr_want *w;

	mpipr_match_init(&match);
	for (int i = 0; i < count; i++) {
		if (of_wants)
			mpipr_match_add_want(&match, &many_wants[i]);
		else
			mpipr_match_add_offer(&match, &many_offers[i]);
	}
	for (int i = count; i-- && of_wants;) {
		w = mpipr_match_want(&match, &many_offers[i]);
		expect_true(w == &many_wants[i]);
		mpipr_match_del_want(&match, w);
	}
	for (int i = count; i-- && !of_wants;) {
		o = mpipr_match_offer(&match, &many_wants[i]);
		expect_true(o == &many_offers[i]);
		mpipr_match_del_offer(&match, o);
	}
}

/* Processor time for each of @count, the least of some rounds */
static double ns_of_each(int count, bool of_wants, uint64_t ignore,
			 const void *from)
{
	uint64_t begun, least = UINT64_MAX;

	for (int i = 0; i < count; i++) {
		many_offers[i] = offer(&alice, (uint64_t)i << 8);
		many_wants[i] = want(from, (uint64_t)i << 8, ignore);
	}
	for (int round = 0; round < 5; round++) {
		begun = used_ns();
		queue_both(count, of_wants);
		if (used_ns() - begun < least)
			least = used_ns() - begun;
	}
	return (double)least / count;
}

static void many_cost_no_more_than_few(bool of_wants, uint64_t ignore,
				       const void *from)
{
	const double few_ns = ns_of_each(FEW, of_wants, ignore, from);

	expect_true(ns_of_each(MANY, of_wants, ignore, from) < 10 * few_ns);
}

UNIT(prp_match__many_cost_no_more_than_few)
{
	for (int of_wants = 0; of_wants < 2; of_wants++) {
		many_cost_no_more_than_few(of_wants, 0, &alice);
		many_cost_no_more_than_few(of_wants, 0, NULL);
		many_cost_no_more_than_few(of_wants, 0xff, &alice);
		many_cost_no_more_than_few(of_wants, 0xff, NULL);
	}
}

static const struct mpipr_wire eager = {
	.type = MPIPR_WIRE_EAGER,
	.flags = MPIPR_WIRE_TAGGED | MPIPR_WIRE_CQ_DATA,
	.credit = 0x00010203,
	.len = 0x1234,
	.tag = 0x0102030405060708,
	.data = 0x1112131415161718,
	.id = 0x2122232425262728,
	.peer_id = 0x3132333435363738,
};

UNIT(prp_wire__layout)
{
	static const uint8_t right[MPIPR_WIRE_HEADER] = {
		3,    4,    3,	  0,	0x03, 0x02, 0x01, 0x00, 0x34, 0x12,
		0,    0,    0,	  0,	0,    0,    0x08, 0x07, 0x06, 0x05,
		0x04, 0x03, 0x02, 0x01, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13,
		0x12, 0x11, 0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,
		0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,
	};
	uint8_t bytes[MPIPR_WIRE_HEADER];

	mpipr_wire_put(&eager, bytes);
	expect_true(!memcmp(bytes, right, sizeof(right)));
}

UNIT(prp_wire__there_and_back)
{
	uint8_t bytes[MPIPR_WIRE_HEADER];
	struct mpipr_wire wire;

	mpipr_wire_put(&eager, bytes);
	expect_true(mpipr_wire_get(&wire, bytes));
	expect_eq(wire.version, MPIPR_WIRE_VERSION);
	wire.version = 0;
	expect_true(!memcmp(&wire, &eager, sizeof(wire)));
}

static bool accepted(const struct mpipr_wire *from, int at, uint8_t byte)
{
	uint8_t bytes[MPIPR_WIRE_HEADER];
	struct mpipr_wire wire;

	mpipr_wire_put(from, bytes);
	bytes[at] = byte;
	return mpipr_wire_get(&wire, bytes);
}

UNIT(prp_wire_get__unknown)
{
	expect_true(accepted(&eager, 0, MPIPR_WIRE_VERSION));
	expect_true(!accepted(&eager, 0, MPIPR_WIRE_VERSION + 1));
	expect_true(!accepted(&eager, 0, 0));
	expect_true(!accepted(&eager, 1, 0));
	expect_true(accepted(&eager, 1, MPIPR_WIRE_ANSWER));
	expect_true(!accepted(&eager, 1, MPIPR_WIRE_ANSWER + 1));
	expect_true(!accepted(&eager, 2, MPIPR_WIRE_FLAGS + 1));
	expect_true(!accepted(&eager, 3, 0x80));
}

UNIT(prp_wire_get__limits)
{
	struct mpipr_wire wire = eager;
	uint8_t bytes[MPIPR_WIRE_HEADER];

	wire.credit = MPIPR_WIRE_CREDIT;
	wire.len = MPIPR_WIRE_EAGER_MAX;
	mpipr_wire_put(&wire, bytes);
	expect_true(mpipr_wire_get(&wire, bytes));
	wire.len++;
	mpipr_wire_put(&wire, bytes);
	expect_true(!mpipr_wire_get(&wire, bytes));
	wire.type = MPIPR_WIRE_REQUEST;
	mpipr_wire_put(&wire, bytes);
	expect_true(mpipr_wire_get(&wire, bytes));
	wire.credit++;
	mpipr_wire_put(&wire, bytes);
	expect_true(!mpipr_wire_get(&wire, bytes));
}

/* A stream of packets with bodies of 1, 2, 3 ... read in pieces of any size */
UNIT(prp_p4__read_in_pieces)
{
	uint8_t stream[8 * MPIPR_P4_HEADER + 36], *to;
	size_t end = 0, at, piece, part, bodies;
	struct mpipr_p4 p4;

	for (size_t body = 1; body <= 8; body++) {
		mpipr_p4_put(stream + end, body);
		end += MPIPR_P4_HEADER + body;
	}
	expect_eq(end, sizeof(stream));
	for (piece = 1; piece <= sizeof(stream); piece++) {
		memset(&p4, 0, sizeof(p4));
		bodies = 0;
		for (at = 0; at < end; at += part) {
			part = mpipr_p4_header(&p4, &to);
			if (part) {
				part = part < piece ? part : piece;
				memcpy(to, stream + at, part);
			} else {
				part = p4.body < piece ? p4.body : piece;
				bodies += part;
			}
			mpipr_p4_took(&p4, part);
		}
		expect_eq(bodies, 36);
		expect_eq(p4.body, 0);
		expect_eq(p4.have, 0);
	}
}
