// SPDX-License-Identifier: GPL-2.0
/* Budgets: how often, whatever the clock does. */
#include <linux/kernel.h>

#include "pure/budget.h"
#include "unit.h"

#define PRICE 250
#define SECOND (250 * PRP_BUDGET_JIFFY) /* of a kernel with 250 ticks */

/* How often in a row; more than that is without bound. */
static unsigned int spend_all(unsigned long *budget, unsigned long now,
			      u32 price)
{
	unsigned int times = 0;

	while (times < 1000 && prp_budget_spend(budget, now, price))
		times++;
	return times;
}

UNIT(budget__burst_from_nothing)
{
	/* the clock does not begin at 0: see INITIAL_JIFFIES */
	static const unsigned long clocks[] = { 0, 1, 12345, ~0ul >> 1,
						-300ul * SECOND };

	for (unsigned int i = 0; i < ARRAY_SIZE(clocks); i++) {
		unsigned long budget = 0;

		expect_eq(spend_all(&budget, clocks[i], PRICE),
			  PRP_BUDGET_BURST);
		expect_true(!prp_budget_spend(&budget, clocks[i], PRICE));
	}
}

/* What is refused costs nothing. */
UNIT(budget__refused_as_it_was)
{
	unsigned long budget = 0, was;

	spend_all(&budget, 5000, PRICE);
	was = budget;
	expect_true(!prp_budget_spend(&budget, 5000, PRICE));
	expect_eq(budget, was);
}

UNIT(budget__one_comes_back_at_its_time)
{
	unsigned long budget = 0, now = 77;

	spend_all(&budget, now, PRICE);
	expect_true(!prp_budget_spend(&budget, now + PRICE - 1, PRICE));
	expect_true(prp_budget_spend(&budget, now + PRICE, PRICE));
	expect_true(!prp_budget_spend(&budget, now + PRICE, PRICE));
}

/* Of nothing, one, and all that is missing */
UNIT(budget__no_more_in_stock_than_a_burst)
{
	unsigned long budget = 0, now = 1000;

	for (unsigned int times = 0; times <= 2 * PRP_BUDGET_BURST; times++) {
		spend_all(&budget, now, PRICE);
		now += times * PRICE;
		expect_eq(spend_all(&budget, now, PRICE),
			  min(times, (unsigned int)PRP_BUDGET_BURST));
	}
	now += 100 * SECOND;
	expect_eq(spend_all(&budget, now, PRICE), PRP_BUDGET_BURST);
}

/* Asked for all the time, in ticks of any length, the rate is what it costs. */
static void rate_of(unsigned long now, u32 tick, u32 price)
{
	unsigned long budget = now;
	u32 taken = 0, ticks = 10000;

	for (u32 i = 0; i < ticks; i++)
		taken += spend_all(&budget, now + i * tick, price);
	expect_true(taken <= PRP_BUDGET_BURST + (u64)ticks * tick / price);
	expect_true(taken >= (u64)ticks * tick / price - 1);
}

UNIT(budget__rate)
{
	rate_of(0, PRP_BUDGET_JIFFY, 100);
	rate_of(0, PRP_BUDGET_JIFFY, 250);
	rate_of(0, PRP_BUDGET_JIFFY, 1000);
	rate_of(0, PRP_BUDGET_JIFFY, 2500);
	rate_of(0, 1, 1);
	rate_of(0, 1, 7);
	/* over the end of the numbers */
	rate_of(-5000ul * PRP_BUDGET_JIFFY, PRP_BUDGET_JIFFY, 250);
}

/* Over the end of the numbers nothing is lost, and nothing given. */
UNIT(budget__clock_wraps)
{
	for (unsigned long before = 0; before <= PRP_BUDGET_BURST * PRICE;
	     before++) {
		unsigned long budget = 0, now = -before;

		budget = now;
		expect_eq(spend_all(&budget, now, PRICE), PRP_BUDGET_BURST);
		now += 3 * PRICE;
		expect_eq(spend_all(&budget, now, PRICE), 3);
	}
}

/* Another processor may have read the clock a moment ago. */
UNIT(budget__clock_behind_gives_nothing)
{
	static const u32 behind[] = { 1, PRP_BUDGET_JIFFY,
				      99 * PRP_BUDGET_JIFFY };
	unsigned long now = 1ul << 30;

	for (unsigned int i = 0; i < ARRAY_SIZE(behind); i++) {
		unsigned long budget = 0;

		spend_all(&budget, now, PRICE);
		expect_eq(spend_all(&budget, now - behind[i], PRICE), 0);
		expect_eq(spend_all(&budget, now, PRICE), 0);
		expect_eq(spend_all(&budget, now + PRICE, PRICE), 1);
	}
}

/* Whatever the number is, it does not stay used up for long. */
UNIT(budget__never_silent_for_long)
{
	const u32 at_most = PRP_BUDGET_BURST * PRICE + 100 * PRP_BUDGET_JIFFY;

	for (unsigned int i = 0; i < 100000; i++) {
		unsigned long now = unit_random(), budget = unit_random();

		if (i % 4 == 0)
			budget = now + unit_random() % (2 * at_most);
		prp_budget_spend(&budget, now, PRICE);
		expect_true(prp_budget_spend(&budget, now + at_most, PRICE));
	}
}

/* The dearest and the cheapest */
UNIT(budget__prices)
{
	unsigned long budget = 0;

	expect_eq(spend_all(&budget, 9, 1), PRP_BUDGET_BURST);
	expect_eq(spend_all(&budget, 10, 1), 1);
	budget = 0;
	expect_eq(spend_all(&budget, 9, 1 << 24), PRP_BUDGET_BURST);
	expect_eq(spend_all(&budget, 9 + (1 << 24), 1 << 24), 1);
}
