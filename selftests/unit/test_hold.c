// SPDX-License-Identifier: GPL-2.0
/* How long what was overtaken may arrive: hold.h, one rule each. */
#include <linux/types.h>

#include "pure/hold.h"
#include "pure/window.h"
#include "unit.h"

#define RTT_US 1000
#define VAR_US 80
#define US (RTT_US / 4 + VAR_US)

static u32 us(const struct prp_hold *hold)
{
	return prp_hold_us(hold, RTT_US, VAR_US);
}

UNIT(prp_hold_us__a_quarter_of_a_round_trip_and_its_variance)
{
	struct prp_hold hold = {};

	expect_eq(us(&hold), US);
	expect_eq(prp_hold_us(&hold, 0, 0), 0);
}

UNIT(prp_hold_us__ten_seconds_do_not_wrap)
{
	struct prp_hold hold = { .shift = PRP_HOLD_SHIFT_MAX, .few = true };

	expect_eq(prp_hold_us(&hold, 10000000, 20000000), 240000000);
}

UNIT(prp_hold_needless__doubles_up_to_a_bound)
{
	struct prp_hold hold = {};
	int i;

	for (i = 1; i <= PRP_HOLD_SHIFT_MAX; i++) {
		prp_hold_needless(&hold);
		expect_eq(us(&hold), US << i);
	}
	for (i = 0; i < 1000; i++)
		prp_hold_needless(&hold);
	expect_eq(us(&hold), US << PRP_HOLD_SHIFT_MAX);
}

UNIT(prp_hold_over__forgets_when_it_was_enough)
{
	struct prp_hold hold = {};
	int i;

	prp_hold_needless(&hold);
	prp_hold_needless(&hold);
	for (i = 1; i < PRP_HOLD_KEPT; i++) {
		expect_true(!prp_hold_over(&hold, 1, 1));
		expect_eq(us(&hold), US << 2);
	}
	expect_true(!prp_hold_over(&hold, 1, 1));
	expect_eq(us(&hold), US);
}

UNIT(prp_hold_over__counts_anew_after_another_one)
{
	struct prp_hold hold = {};
	int i;

	prp_hold_needless(&hold);
	for (i = 1; i < PRP_HOLD_KEPT; i++)
		prp_hold_over(&hold, 1, 1);
	prp_hold_needless(&hold);
	for (i = 1; i < PRP_HOLD_KEPT; i++)
		prp_hold_over(&hold, 1, 1);
	expect_eq(us(&hold), US << 2);
}

/* All of it came: that says nothing of what is lost later. */
UNIT(prp_hold_over__counts_no_wait_after_which_nothing_is_lost)
{
	struct prp_hold hold = {};
	int i;

	prp_hold_needless(&hold);
	for (i = 0; i < 1000; i++)
		expect_true(!prp_hold_over(&hold, 0, 0));
	expect_eq(us(&hold), US << 1);
}

UNIT(prp_hold_over__the_rest_of_a_row_waits_a_round_trip)
{
	struct prp_hold hold = {};

	expect_eq(prp_hold_most(&hold), PRP_HOLD_FEW);
	expect_true(prp_hold_over(&hold, 100, PRP_HOLD_FEW));
	expect_eq(us(&hold), RTT_US + VAR_US);
	expect_eq(prp_hold_most(&hold), PRP_WIN);
	expect_true(!prp_hold_over(&hold, 96, 96));
	expect_eq(us(&hold), US);
	expect_eq(prp_hold_most(&hold), PRP_HOLD_FEW);
}

UNIT(prp_hold_over__the_rest_came)
{
	struct prp_hold hold = {};

	expect_true(prp_hold_over(&hold, PRP_HOLD_FEW + 1, PRP_HOLD_FEW));
	expect_true(!prp_hold_over(&hold, 0, 0));
	expect_eq(us(&hold), US);
}
