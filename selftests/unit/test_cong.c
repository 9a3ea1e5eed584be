// SPDX-License-Identifier: GPL-2.0
/* The congestion window: the rules that cong.h states, one test each. */
#include <linux/types.h>

#include "pure/cong.h"
#include "pure/window.h"
#include "unit.h"

#define FIRST 0xfffffff0u /* the round trips wrap */

/* A window of that size after slow start, in a round trip up to end. */
static struct prp_cong steady(u16 cwnd, u32 end)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	cong.cwnd = cwnd;
	cong.round_cwnd = cwnd;
	cong.round_end = end;
	cong.slow_start = false;
	return cong;
}

UNIT(prp_cong_init__first_window)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	expect_eq(cong.cwnd, PRP_CWND_FIRST);
	expect_eq(cong.round_end, FIRST);
	expect_eq(cong.round_lost, 0);
	expect_true(cong.slow_start);
	expect_true(!cong.halved);
	expect_true(!cong.limited);
}

UNIT(prp_cong_acked__slow_start_doubles_in_a_round_trip)
{
	struct prp_cong cong;
	unsigned int was, round, i;
	u32 una = FIRST;

	prp_cong_init(&cong, FIRST);
	for (round = 0; round < 5; round++) {
		u32 nxt = una + cong.cwnd;

		was = cong.cwnd;
		for (i = 0; i < was; i++) {
			cong.limited = true;
			prp_cong_acked(&cong, ++una, nxt, 1);
		}
		expect_eq(cong.cwnd, 2 * was);
	}
	expect_eq(cong.cwnd, PRP_WIN);
}

UNIT(prp_cong_acked__slow_start_counts_what_was_acked)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	cong.limited = true;
	prp_cong_acked(&cong, FIRST + 5, FIRST + 16, 5);
	expect_eq(cong.cwnd, PRP_CWND_FIRST + 5);
}

UNIT(prp_cong_acked__slow_start_does_not_grow_unused)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	prp_cong_acked(&cong, FIRST + 4, FIRST + 4, 4);
	expect_eq(cong.cwnd, PRP_CWND_FIRST);
}

UNIT(prp_cong_acked__one_step_a_round_trip)
{
	struct prp_cong cong = steady(100, FIRST + 100);
	unsigned int i;

	cong.limited = true;
	for (i = 1; i < 100; i++)
		prp_cong_acked(&cong, FIRST + i, FIRST + 100 + i, 1);
	expect_eq(cong.cwnd, 100);
	prp_cong_acked(&cong, FIRST + 100, FIRST + 200, 1);
	expect_eq(cong.cwnd, 100 + PRP_CWND_STEP);
	expect_eq(cong.round_end, FIRST + 200);
}

UNIT(prp_cong_acked__no_step_for_an_unused_window)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	prp_cong_acked(&cong, FIRST + 100, FIRST + 200, 100);
	expect_eq(cong.cwnd, 100);
	expect_eq(cong.round_end, FIRST + 200);
}

UNIT(prp_cong_acked__limited_holds_for_one_round_trip)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	cong.limited = true;
	prp_cong_acked(&cong, FIRST + 50, FIRST + 150, 50);
	expect_true(cong.limited);
	prp_cong_acked(&cong, FIRST + 100, FIRST + 200, 50);
	expect_true(!cong.limited);
	prp_cong_acked(&cong, FIRST + 200, FIRST + 300, 100);
	expect_eq(cong.cwnd, 100 + PRP_CWND_STEP);
}

UNIT(prp_cong_acked__no_step_in_a_round_trip_that_halved)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	cong.limited = true;
	expect_true(prp_cong_lost(&cong, 25));
	prp_cong_acked(&cong, FIRST + 100, FIRST + 150, 75);
	expect_eq(cong.cwnd, 50);
}

UNIT(prp_cong_acked__steps_again_after_the_round_trip_that_halved)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	prp_cong_lost(&cong, 25);
	prp_cong_acked(&cong, FIRST + 100, FIRST + 150, 75);
	cong.limited = true;
	prp_cong_acked(&cong, FIRST + 150, FIRST + 200, 50);
	expect_eq(cong.cwnd, 50 + PRP_CWND_STEP);
}

UNIT(prp_cong_acked__never_above_the_window)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	cong.cwnd = PRP_WIN - 3;
	cong.limited = true;
	prp_cong_acked(&cong, FIRST, FIRST + 100, 50);
	expect_eq(cong.cwnd, PRP_WIN);
	cong = steady(PRP_WIN - 3, FIRST);
	cong.limited = true;
	prp_cong_acked(&cong, FIRST, FIRST + 100, 1);
	expect_eq(cong.cwnd, PRP_WIN);
}

UNIT(prp_cong_lost__one_less_for_each)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	expect_true(!prp_cong_lost(&cong, 1));
	expect_eq(cong.cwnd, 99);
	expect_true(!prp_cong_lost(&cong, 3));
	expect_eq(cong.cwnd, 96);
	expect_eq(cong.round_lost, 4);
}

UNIT(prp_cong_lost__ends_slow_start)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	prp_cong_lost(&cong, 1);
	expect_true(!cong.slow_start);
	expect_eq(cong.cwnd, PRP_CWND_FIRST - 1);
	cong.limited = true;
	prp_cong_acked(&cong, FIRST - 1, FIRST + 20, 10);
	expect_eq(cong.cwnd, PRP_CWND_FIRST - 1);
}

UNIT(prp_cong_lost__a_quarter_halves)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	expect_true(prp_cong_lost(&cong, 25));
	expect_eq(cong.cwnd, 50);
	expect_true(cong.halved);
}

UNIT(prp_cong_lost__less_than_a_quarter_does_not_halve)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	expect_true(!prp_cong_lost(&cong, 24));
	expect_eq(cong.cwnd, 76);
	expect_true(!cong.halved);
}

UNIT(prp_cong_lost__a_quarter_bit_by_bit_halves_once)
{
	struct prp_cong cong = steady(400, FIRST + 400);
	unsigned int i, halved = 0;

	for (i = 0; i < 100; i++)
		halved += prp_cong_lost(&cong, 1);
	expect_eq(halved, 1);
}

UNIT(prp_cong_lost__halves_once_in_a_round_trip)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	prp_cong_lost(&cong, 30);
	expect_true(!prp_cong_lost(&cong, 30));
	expect_eq(cong.cwnd, 50);
}

UNIT(prp_cong_lost__halves_again_in_the_next_round_trip)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	prp_cong_lost(&cong, 30);
	prp_cong_acked(&cong, FIRST + 100, FIRST + 150, 70);
	expect_true(prp_cong_lost(&cong, 13));
	expect_eq(cong.cwnd, 25);
}

UNIT(prp_cong_lost__counts_by_round_trip)
{
	struct prp_cong cong = steady(100, FIRST + 100);

	prp_cong_lost(&cong, 15);
	prp_cong_acked(&cong, FIRST + 100, FIRST + 185, 85);
	expect_eq(cong.round_lost, 0);
	expect_true(!prp_cong_lost(&cong, 15));
	expect_eq(cong.cwnd, 70);
}

UNIT(prp_cong_lost__a_single_one_never_halves)
{
	struct prp_cong cong = steady(3, FIRST + 3);

	expect_true(!prp_cong_lost(&cong, 1));
	expect_eq(cong.cwnd, PRP_CWND_MIN);
}

UNIT(prp_cong_lost__never_below_the_least)
{
	struct prp_cong cong = steady(PRP_CWND_MIN, FIRST + 2);

	prp_cong_lost(&cong, 1);
	expect_eq(cong.cwnd, PRP_CWND_MIN);
	expect_true(prp_cong_lost(&cong, PRP_WIN));
	expect_eq(cong.cwnd, PRP_CWND_MIN);
	cong = steady(3, FIRST + 3);
	prp_cong_lost(&cong, 3);
	expect_eq(cong.cwnd, PRP_CWND_MIN);
}

UNIT(prp_cong_lost__count_does_not_wrap)
{
	struct prp_cong cong = steady(PRP_WIN, FIRST + PRP_WIN);
	unsigned int i;

	for (i = 0; i < 0x10000 / PRP_WIN; i++)
		prp_cong_lost(&cong, PRP_WIN);
	expect_eq(cong.round_lost, PRP_WIN);
}

/*
 * "A share of losses costs that share": with 8 % lost the window settles
 * where a step a round trip makes up for them, at PRP_CWND_STEP / 0.08.
 */
UNIT(prp_cong_lost__settles_where_step_and_losses_meet)
{
	struct prp_cong cong = steady(16, FIRST);
	u32 una = FIRST;
	unsigned int i;

	for (i = 0; i < 400; i++) {
		u32 nxt = una + cong.cwnd;

		prp_cong_lost(&cong, cong.cwnd * 8 / 100);
		cong.limited = true;
		prp_cong_acked(&cong, nxt, nxt, nxt - una);
		una = nxt;
	}
	expect_true(cong.cwnd >= PRP_CWND_STEP * 12 &&
		    cong.cwnd <= PRP_CWND_STEP * 14);
}

UNIT(prp_cong_silent__halves)
{
	struct prp_cong cong;

	prp_cong_init(&cong, FIRST);
	prp_cong_silent(&cong);
	expect_eq(cong.cwnd, PRP_CWND_FIRST / 2);
	expect_true(!cong.slow_start);
}

UNIT(prp_cong_silent__never_below_the_least)
{
	struct prp_cong cong = steady(PRP_WIN, FIRST);
	unsigned int i;

	for (i = 0; i < 100; i++)
		prp_cong_silent(&cong);
	expect_eq(cong.cwnd, PRP_CWND_MIN);
}

/* Whatever happens, the window stays within its bounds. */
UNIT(prp_cong__random_events_keep_the_bounds)
{
	struct prp_cong cong;
	u32 una = FIRST;
	unsigned int i;

	prp_cong_init(&cong, FIRST);
	for (i = 0; i < 200000; i++) {
		u64 dice = unit_random();
		unsigned int n = (dice >> 8) % (PRP_WIN + 1);

		cong.limited |= dice >> 40 & 1;
		if (dice % 16 == 0) {
			prp_cong_silent(&cong);
		} else if (dice % 16 < 4) {
			prp_cong_lost(&cong, n % 32 + 1);
		} else {
			una += n;
			prp_cong_acked(&cong, una, una + cong.cwnd, n);
			expect_true(prp_before(una, cong.round_end));
		}
		expect_true(cong.cwnd >= PRP_CWND_MIN);
		expect_true(cong.cwnd <= PRP_WIN);
	}
}
