// SPDX-License-Identifier: GPL-2.0
/* When a queue is let drain: the rules that drain.h states, one test each. */
#include <linux/types.h>

#include "pure/drain.h"
#include "unit.h"

#define EVERY PRP_DRAIN_EVERY
#define START (10 * PRP_DRAIN_LONG_EVERY)

/* In how many of so many ticks is it to drain, how many after that? */
static unsigned int drains(struct prp_drain *drain, u32 every, u32 from,
			   u32 ticks, unsigned int *after)
{
	unsigned int i, count = 0;

	*after = 0;
	for (i = 0; i < ticks; i++) {
		prp_drain_tick(drain, every, from + i);
		expect_true(!drain->now || !drain->after);
		count += drain->now;
		*after += drain->after;
	}
	return count;
}

UNIT(prp_drain_tick__a_little_and_one_and_a_half_round_trips)
{
	struct prp_drain drain = {};
	unsigned int after;

	expect_eq(drains(&drain, EVERY, START, EVERY, &after), 4);
	expect_eq(after, 0);
	prp_drain_saw(&drain, 1000);
	expect_eq(drains(&drain, EVERY, START + EVERY, EVERY, &after), 4 + 3);
	expect_eq(after, 2);
	/* an eighth more where that is something */
	prp_drain_saw(&drain, 5000);
	prp_drain_saw(&drain, 5000);
	expect_eq(drains(&drain, EVERY, START + 2 * EVERY, EVERY, &after),
		  4 + 15 + 2);
	expect_eq(after, 10);
}

/* A long one is forgotten by and by. */
UNIT(prp_drain_saw__the_longest_is_of_late)
{
	struct prp_drain drain = {};
	unsigned int i;

	prp_drain_saw(&drain, 32000);
	prp_drain_saw(&drain, 200);
	expect_eq(drain.high_us, 31000);
	for (i = 0; i < 1000; i++)
		prp_drain_saw(&drain, 200);
	expect_eq(drain.high_us, 200);
	prp_drain_saw(&drain, 300);
	expect_eq(drain.high_us, 300);
}

/* A host that stood still for once is no queue. */
UNIT(prp_drain_saw__at_most_twice_as_long_at_once)
{
	struct prp_drain drain = {};

	prp_drain_saw(&drain, 100);
	prp_drain_saw(&drain, 1000000);
	expect_eq(drain.high_us, 2 * 100 + PRP_DRAIN_TICK_US);
	prp_drain_saw(&drain, U32_MAX);
	expect_eq(drain.high_us,
		  2 * (2 * 100 + PRP_DRAIN_TICK_US) + PRP_DRAIN_TICK_US);
	drain.high_us = U32_MAX;
	prp_drain_saw(&drain, U32_MAX);
	expect_eq(drain.high_us, U32_MAX);
}

UNIT(prp_drain_tick__never_all_the_time)
{
	struct prp_drain drain = {};
	unsigned int after;

	prp_drain_saw(&drain, 10000000);
	expect_eq(drains(&drain, EVERY, START, EVERY, &after), EVERY / 2);
	prp_drain_saw(&drain, U32_MAX);
	expect_eq(drains(&drain, EVERY, START + EVERY, EVERY, &after),
		  EVERY / 2);
}

UNIT(prp_drain_tick__as_often_as_asked_for)
{
	struct prp_drain drain = {};
	unsigned int after;

	expect_eq(drains(&drain, 0, START, 4 * EVERY, &after), 0);
	expect_eq(drains(&drain, 2 * EVERY, START, 4 * EVERY, &after), 2 * 4);
}

/* What has begun goes on, whatever the mode is by then. */
UNIT(prp_drain_tick__ends_as_it_began)
{
	struct prp_drain drain = {};

	prp_drain_saw(&drain, 10000);
	prp_drain_tick(&drain, EVERY, START);
	expect_true(drain.now);
	prp_drain_tick(&drain, 0, START + 37);
	expect_true(drain.now);
	prp_drain_tick(&drain, 0, START + 38);
	expect_true(!drain.now && drain.after);
	prp_drain_at(&drain, START + 38 + 19);
	expect_true(drain.after);
	prp_drain_at(&drain, START + 38 + 20);
	expect_true(!drain.now && !drain.after);
}

/* All begin at the same time, and who looks late ends with them. */
UNIT(prp_drain_tick__at_the_same_time)
{
	struct prp_drain drain = {}, late = {};

	prp_drain_tick(&drain, EVERY, START);
	prp_drain_tick(&late, EVERY, START + 3);
	expect_true(late.now);
	expect_eq(late.tick, drain.tick);
	prp_drain_tick(&late, EVERY, START + 4);
	expect_true(!late.now);
}

UNIT(prp_drain_tick__too_late_is_next_time)
{
	struct prp_drain drain = {};

	prp_drain_tick(&drain, EVERY, START + 4);
	expect_true(!drain.now);
	prp_drain_tick(&drain, EVERY, START + EVERY);
	expect_true(drain.now);
}

/* Who has not drained it does not go on as if it had. */
UNIT(prp_drain_tick__too_late_is_no_time_after)
{
	struct prp_drain drain = {};
	unsigned int after;

	prp_drain_saw(&drain, 10000);
	expect_eq(drains(&drain, EVERY, START + 38, EVERY - 38, &after), 0);
	expect_eq(after, 0);
	expect_eq(drains(&drain, EVERY, START + EVERY, EVERY, &after), 38);
	expect_eq(after, 20);
}

/* Round trips that are longer by then make it neither longer nor another. */
UNIT(prp_drain_tick__once_in_each_time)
{
	struct prp_drain drain = {};
	unsigned int i, asks = 0;

	for (i = 0; i < EVERY; i++) {
		asks += prp_drain_tick(&drain, EVERY, START + i);
		expect_eq(drain.now, i < 4);
		expect_true(!drain.after);
		prp_drain_saw(&drain, 10000 * (i + 1));
	}
	expect_eq(asks, 1);
}

/* Also where a crowd takes longer than half of it. */
UNIT(prp_drain_tick__asks_once_in_the_longest)
{
	struct prp_drain drain = {};
	unsigned int i, asks = 0, drained = 0;

	prp_drain_saw(&drain, 10000000);
	prp_drain_crowd(&drain, 65535, 0);
	for (i = 0; i < EVERY; i++) {
		asks += prp_drain_tick(&drain, EVERY, START + i);
		drained += drain.now;
	}
	expect_eq(asks, 1);
	expect_eq(drained, EVERY / 2 + PRP_DRAIN_SPREAD);
}

/* Also over the end of what a tick can count */
UNIT(prp_drain_tick__asks_once)
{
	u32 from[] = { START, -(u32)EVERY };
	struct prp_drain drain = {};
	unsigned int i, k, asks;

	for (k = 0; k < ARRAY_SIZE(from); k++) {
		for (i = 0, asks = 0; i < 2 * EVERY; i++) {
			if (!prp_drain_tick(&drain, EVERY, from[k] + i))
				continue;
			asks++;
			expect_eq(i % EVERY, 3);
		}
		expect_eq(asks, 2);
	}
}

/* Before those end who drain it for a little less long */
UNIT(prp_drain_tick__asks_before_others_end)
{
	u32 rtt;

	for (rtt = 1000; rtt < 100000; rtt += 500) {
		struct prp_drain drain = {}, other = {};
		u32 tick = START;

		prp_drain_saw(&drain, rtt + rtt / 16);
		prp_drain_saw(&other, rtt);
		prp_drain_tick(&other, EVERY, tick);
		while (!prp_drain_tick(&drain, EVERY, tick))
			tick++;
		expect_true(tick <= other.tick + other.ticks);
	}
}

/* Of a crowd each asks in one tick of some, few in the same, and all drain the
 * queue until the last one has asked.
 */
static void crowd_asks(u32 among, u32 in_ticks)
{
	unsigned int asks[64] = {}, draw, first = 0;
	u32 tick;

	for (draw = 0; draw < 256; draw++) {
		struct prp_drain drain = {};

		prp_drain_saw(&drain, 5000);
		prp_drain_crowd(&drain, among, draw);
		for (tick = START; !prp_drain_tick(&drain, EVERY, tick); tick++)
			continue;
		expect_true(tick < START + 19 + in_ticks);
		asks[tick - START]++;
		tick = START + 18 + in_ticks + 2;
		prp_drain_at(&drain, tick - 1);
		expect_true(drain.now);
		prp_drain_at(&drain, tick);
		expect_true(!drain.now);
	}
	while (!asks[first])
		first++;
	expect_eq(first, 18);
	for (tick = 0; tick < in_ticks; tick++)
		expect_true(asks[first + tick] <= 256 / in_ticks + 1);
}

UNIT(prp_drain_crowd__asks_one_after_the_other)
{
	crowd_asks(0, 1);
	crowd_asks(1, 1);
	crowd_asks(PRP_DRAIN_ASKERS - 1, 1);
	crowd_asks(PRP_DRAIN_ASKERS, 2);
	crowd_asks(64, 5);
	crowd_asks(65535, PRP_DRAIN_SPREAD + 1);
}

/* Whoever is kept from looking asks as soon as it can, or not at all. */
UNIT(prp_drain_tick__asks_late_only_while_it_drains)
{
	struct prp_drain drain = {};

	prp_drain_saw(&drain, 1000);
	expect_true(!prp_drain_tick(&drain, EVERY, START));
	expect_true(prp_drain_tick(&drain, EVERY, START + 6));
	expect_true(!prp_drain_tick(&drain, EVERY, START + 6));
	prp_drain_saw(&drain, 1000);
	expect_true(!prp_drain_tick(&drain, EVERY, START + EVERY));
	expect_true(!prp_drain_tick(&drain, EVERY, START + EVERY + 7));
}

/* Who calls only when it is said to misses nothing. */
UNIT(prp_drain_next__is_the_next_time_that_something_happens)
{
	u32 tick = START - 5, end = START + 10 * EVERY, next;
	struct prp_drain all = {}, few = {};
	unsigned int asks[2] = {}, calls = 0;
	bool was;

	for (next = tick; tick != end; tick++) {
		was = all.now;
		prp_drain_saw(&all, 3000);
		asks[0] += prp_drain_tick(&all, EVERY, tick);
		expect_true(all.now == was || tick == next);
		if (tick != next)
			continue;
		prp_drain_saw(&few, 3000);
		asks[1] += prp_drain_tick(&few, EVERY, tick);
		calls++;
		next = prp_drain_next(&few, tick);
		expect_true(next && next <= EVERY);
		next += tick;
		expect_eq(few.tick, all.tick);
	}
	expect_eq(asks[0], 10);
	expect_eq(asks[1], 10);
	expect_true(calls <= 3 * 10 + 2);
}

/* Also to who asks later than the queue was looked at. */
UNIT(prp_drain_next__is_never_past)
{
	struct prp_drain drain = {};
	u32 later, next;

	prp_drain_saw(&drain, 3000);
	prp_drain_tick(&drain, EVERY, START);
	expect_true(drain.now && !drain.asked);
	for (later = 0; later < 2 * EVERY; later++) {
		next = prp_drain_next(&drain, START + later);
		expect_true(next && next <= EVERY);
	}
	/* nor, half of all numbers later, of what was long ago */
	prp_drain_at(&drain, START + later);
	next = prp_drain_next(&drain, START + (1u << 31) + 100);
	expect_true(next && next <= EVERY);
}

UNIT(prp_drain_saw__the_shortest_is_of_while_it_did_not_drain)
{
	struct prp_drain drain = {};

	prp_drain_saw(&drain, 3000);
	prp_drain_saw(&drain, 2000);
	prp_drain_saw(&drain, 2500);
	expect_eq(drain.low_us, 2000);
	prp_drain_tick(&drain, EVERY, START);
	prp_drain_saw(&drain, 200);
	expect_eq(drain.low_us, 2000);
	prp_drain_at(&drain, START + drain.ticks);
	expect_true(drain.after);
	prp_drain_saw(&drain, 200);
	expect_eq(drain.low_us, 2000);
	prp_drain_at(&drain, START + 100);
	prp_drain_saw(&drain, 300);
	expect_eq(drain.low_us, 300);
}
