// SPDX-License-Identifier: GPL-2.0
/* MPIPR's pure rooms: who gets which message, headers, ch_p4's packets. */
#include <stdlib.h>
#include <string.h>

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
	mpipr_list_add_tail(&offered.link, &match.offers);
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
		mpipr_list_add_tail(&offers[i].link, &match.offers);
	expect_true(mpipr_match_offer(&match, &wanted) == &offers[2]);
	mpipr_list_del(&offers[2].link);
	expect_true(mpipr_match_offer(&match, &wanted) == &offers[3]);
	mpipr_list_del(&offers[3].link);
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
		mpipr_list_add_tail(&wants[i].link, &match.wants);
	expect_true(mpipr_match_want(&match, &offered) == &wants[2]);
	mpipr_list_del(&wants[2].link);
	expect_true(mpipr_match_want(&match, &offered) == &wants[3]);
}

/*
 * MPI's order, whatever comes when: of a sender's messages that fit a receive
 * the earliest goes to the earliest receive. Against a model that has all of
 * them in one list and looks at each pair.
 */
enum { STEPS = 400, TAGS = 3 };

struct event {
	bool is_want;
	bool taken;
	struct mpipr_want want;
	struct mpipr_offer offer;
};

static bool model_fits(const struct event *w, const struct event *o)
{
	return (!w->want.from || w->want.from == o->offer.from) &&
	       (w->want.ignore || w->want.tag == o->offer.tag);
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

UNIT(prp_match__as_the_model)
{
	static struct event events[STEPS];
	struct mpipr_match match;
	int round;

	for (round = 0; round < 50; round++) {
		memset(events, 0, sizeof(events));
		mpipr_match_init(&match);
		for (struct event *e = events; e < events + STEPS; e++) {
			const void *who = unit_random() % 2 ? &alice : &bob;
			struct mpipr_want *w;
			struct mpipr_offer *o;
			struct event *found = NULL, *right;

			e->is_want = unit_random() % 2;
			e->want = want(unit_random() % 3 ? who : NULL,
				       unit_random() % TAGS,
				       unit_random() % 4 ? 0 : ~0ull);
			e->offer = offer(who, unit_random() % TAGS);
			right = model(events, e);
			if (e->is_want) {
				o = mpipr_match_offer(&match, &e->want);
				if (o)
					found = mpipr_list_entry(o,
								 struct event,
								 offer);
			} else {
				w = mpipr_match_want(&match, &e->offer);
				if (w)
					found = mpipr_list_entry(w,
								 struct event,
								 want);
			}
			expect_true(found == right);
			if (found) {
				mpipr_list_del(e->is_want ? &found->offer.link :
							    &found->want.link);
				found->taken = true;
				e->taken = true;
			} else if (e->is_want) {
				mpipr_list_add_tail(&e->want.link,
						    &match.wants);
			} else {
				mpipr_list_add_tail(&e->offer.link,
						    &match.offers);
			}
		}
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
