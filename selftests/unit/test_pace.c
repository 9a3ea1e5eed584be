// SPDX-License-Identifier: GPL-2.0
/* Pace: the rules that pace.h states, one test each. */
#include <linux/types.h>

#include "pure/pace.h"
#include "unit.h"

#define A_TICK PRP_PACE_SECOND /* so many a second are one a tick */

UNIT(prp_pace_fill__each_tick)
{
	struct prp_pace pace = { .tick = 10 };

	prp_pace_fill(&pace, 11, 100 * A_TICK, 1000);
	expect_eq(pace.left, 100);
	prp_pace_fill(&pace, 14, 100 * A_TICK, 1000);
	expect_eq(pace.left, 400);
	expect_eq(pace.tick, 14);
}

UNIT(prp_pace_fill__not_twice_in_a_tick)
{
	struct prp_pace pace = { .tick = 10, .left = 5 };

	prp_pace_fill(&pace, 10, 100 * A_TICK, 1000);
	expect_eq(pace.left, 5);
	/* nor is what was saved up less, whatever may be by now */
	prp_pace_fill(&pace, 10, 1 * A_TICK, 1);
	expect_eq(pace.left, 5);
}

/* ... but when the rate has changed meanwhile it is filled once more. */
UNIT(prp_pace_again__once_more_in_this_tick)
{
	struct prp_pace pace = { .tick = 10 };

	prp_pace_fill(&pace, 11, 100 * A_TICK, 1000);
	prp_pace_again(&pace);
	prp_pace_fill(&pace, 11, 300 * A_TICK, 1000);
	expect_eq(pace.left, 400);
	expect_eq(pace.rate, 300);
	prp_pace_fill(&pace, 11, 300 * A_TICK, 1000);
	expect_eq(pace.left, 400);
}

UNIT(prp_pace_fill__another_processor_is_behind)
{
	struct prp_pace pace = { .tick = 10, .left = 5 };

	prp_pace_fill(&pace, 9, 100 * A_TICK, 1000);
	expect_eq(pace.left, 5);
	expect_eq(pace.tick, 10);
}

UNIT(prp_pace_fill__no_more_than_the_least)
{
	struct prp_pace pace = { .tick = 10 };

	prp_pace_fill(&pace, 1010, 100 * A_TICK, 1000);
	expect_eq(pace.left, 1000);
}

UNIT(prp_pace_fill__no_more_than_two_ticks)
{
	struct prp_pace pace = { .tick = 10 };

	prp_pace_fill(&pace, 1010, 5000 * A_TICK, 1000);
	expect_eq(pace.left, 10000);
}

UNIT(prp_pace_fill__what_was_too_much_is_made_up_for)
{
	struct prp_pace pace = { .tick = 10, .left = -1400 };

	prp_pace_fill(&pace, 12, 100 * A_TICK, 1000);
	expect_eq(pace.left, -1200);
}

UNIT(prp_pace_most__no_more_than_that)
{
	struct prp_pace pace = { .left = 5000 };

	prp_pace_most(&pace, 6000);
	expect_eq(pace.left, 5000);
	prp_pace_most(&pace, 4000);
	expect_eq(pace.left, 4000);
	pace.left = -4000;
	prp_pace_most(&pace, 0);
	expect_eq(pace.left, -4000);
}

UNIT(prp_pace_took__never_more_than_one_frame_too_many)
{
	struct prp_pace pace = { .left = 100 };

	prp_pace_took(&pace, 60);
	expect_eq(pace.left, 40);
	prp_pace_took(&pace, 60);
	expect_eq(pace.left, -20);
	prp_pace_took(&pace, 60);
	expect_eq(pace.left, -20);
	pace.left = 0;
	prp_pace_took(&pace, 60);
	expect_eq(pace.left, 0);
}

UNIT(prp_pace_fill__bounds_of_the_rate)
{
	struct prp_pace pace = { .tick = 1 };

	prp_pace_fill(&pace, 2, 0, 1000);
	expect_eq(pace.left, 0);
	expect_eq(pace.rate, 1);
	prp_pace_fill(&pace, 1ULL << 40, ~0ULL, ~0U);
	expect_eq(pace.rate, PRP_PACE_MOST);
	expect_true(pace.left > 0);
}

/* A rate of less than a byte a tick is kept, and so is what is in between. */
UNIT(prp_pace_fill__parts_of_a_byte)
{
	static const u32 rates[] = { 1, 100, A_TICK - 1, A_TICK + 1, 3999 };

	for (unsigned int i = 0; i < ARRAY_SIZE(rates); i++) {
		struct prp_pace pace = { .left = -1000000 };

		for (u64 tick = 1; tick <= 10 * A_TICK; tick++)
			prp_pace_fill(&pace, tick, rates[i], 1000);
		expect_eq(pace.left, -1000000 + 10 * (s64)rates[i]);
	}
}

UNIT(prp_pace_wait__until_something_is_there)
{
	struct prp_pace pace = { .rate = 100 };

	expect_eq(prp_pace_wait(&pace), 1);
	pace.left = -99;
	expect_eq(prp_pace_wait(&pace), 1);
	pace.left = -100;
	expect_eq(prp_pace_wait(&pace), 2);
	pace.left = -1000000;
	expect_eq(prp_pace_wait(&pace), PRP_PACE_TICKS);
}
