// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of one thing: whoever takes, somebody else finds enough.
 */
#include <limits.h>

#include "pure/share.h"
#include "unit.h"

#define ALL 1048576

UNIT(prp_share_most__alone)
{
	expect_eq(prp_share_most(ALL, 0, 1), ALL / 2);
	expect_eq(prp_share_most(ALL, 0, 8), ALL / 9);
	expect_eq(prp_share_most(1, 0, 1), 0);
	expect_eq(prp_share_most(2, 0, 1), 1);
	expect_eq(prp_share_most(0, 0, 8), 0);
	expect_eq(prp_share_most(ULONG_MAX, 0, 1), ULONG_MAX / 2);
}

UNIT(prp_share_most__nothing_left)
{
	expect_eq(prp_share_most(ALL, ALL, 1), 0);
	expect_eq(prp_share_most(ALL, ALL + 1, 8), 0);
	expect_eq(prp_share_most(0, ULONG_MAX, 8), 0);
	expect_eq(prp_share_most(ALL, ALL - 1, 1), 0);
}

/* They come one after the other, take what they may, and keep it. */
UNIT(prp_share_most__twenty_leave_enough)
{
	unsigned long sum = 0, own, before = ALL;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		own = prp_share_most(ALL, sum, PRP_SHARE_OTHER);
		expect_true(own <= before);
		before = own;
		sum += own;
	}
	expect_true(ALL - sum > ALL / 11);
	expect_true(prp_share_most(ALL, sum, PRP_SHARE_FIRST) > ALL / 22);
	expect_true(prp_share_most(ALL, sum, PRP_SHARE_OTHER) > ALL / 100);
}

/* However many there are, they never take more than there is. */
UNIT(prp_share_most__any_number)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < 100000; i++)
		sum += prp_share_most(ALL, sum, 1 + i % 8);
	expect_true(sum <= ALL);
}
