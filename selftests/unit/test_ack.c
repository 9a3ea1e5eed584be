// SPDX-License-Identifier: GPL-2.0
/* What we owe by way of acknowledgment: ack.h, one fact each. */
#include <linux/types.h>

#include "pure/ack.h"
#include "unit.h"

UNIT(prp_ack_in_order__pending_once)
{
	struct prp_ack_state ack = {};

	expect_true(prp_ack_in_order(&ack, false));
	expect_true(ack.pending);
	expect_true(!ack.now);
	expect_true(!prp_ack_in_order(&ack, false));
	prp_ack_left(&ack, false);
	expect_true(!ack.pending);
	expect_true(prp_ack_in_order(&ack, false));
}

UNIT(prp_ack_in_order__a_filled_gap_is_told_at_once)
{
	struct prp_ack_state ack = {};

	expect_true(prp_ack_in_order(&ack, true));
	expect_true(ack.now);
	expect_true(ack.sack);
}

UNIT(prp_ack_beyond_gap__a_new_gap_is_told_at_once)
{
	struct prp_ack_state ack = {};

	prp_ack_beyond_gap(&ack, true);
	expect_true(ack.now);
	expect_true(!ack.pending);
}

UNIT(prp_ack_beyond_gap__then_every_fourth)
{
	struct prp_ack_state ack = {};
	int i, told = 0;

	for (i = 0; i < 4 * 100; i++) {
		prp_ack_beyond_gap(&ack, false);
		if (ack.now) {
			told++;
			prp_ack_left(&ack, true);
		}
	}
	expect_eq(told, 100);
}

UNIT(prp_ack_duplicate__all_is_told_at_once)
{
	struct prp_ack_state ack = {};

	prp_ack_duplicate(&ack);
	expect_true(ack.now);
	expect_true(ack.sack);
	expect_true(!ack.there);
}

UNIT(prp_ack_asked__is_answered)
{
	struct prp_ack_state ack = {};

	prp_ack_asked(&ack);
	expect_true(ack.now);
	expect_true(!ack.sack);
}

UNIT(prp_ack_waits__once_for_who_asks_in_time)
{
	struct prp_ack_state ack = {};

	expect_true(!prp_ack_waits(&ack));
	prp_ack_asked(&ack);
	expect_true(!prp_ack_waits(&ack));
	prp_ack_asked(&ack);
	prp_ack_asked(&ack);
	expect_true(prp_ack_waits(&ack));
	prp_ack_asked(&ack);
	expect_true(prp_ack_waits(&ack));
	expect_true(!prp_ack_waits(&ack));
	prp_ack_asked(&ack);
	expect_true(!prp_ack_waits(&ack));
}

UNIT(prp_ack_probed__is_told_all_where_it_came_from)
{
	struct prp_ack_state ack = {};

	prp_ack_probed(&ack);
	expect_true(ack.now);
	expect_true(ack.sack);
	expect_true(ack.there);
}

UNIT(prp_ack_no_memory__is_told_once)
{
	struct prp_ack_state ack = {};

	expect_true(!prp_ack_tells_overrun(&ack));
	prp_ack_no_memory(&ack);
	expect_true(ack.now);
	expect_true(ack.sack);
	expect_true(!ack.told_overrun);
	expect_true(prp_ack_tells_overrun(&ack));
	expect_true(ack.told_overrun);
	prp_ack_left(&ack, true);
	expect_true(!prp_ack_tells_overrun(&ack));
	expect_true(ack.told_overrun);
}

UNIT(prp_ack_memory_again__is_told)
{
	struct prp_ack_state ack = { .told_overrun = true };

	prp_ack_memory_again(&ack);
	expect_true(!ack.told_overrun);
	expect_true(ack.sack);
}

/* A segment may have no room for it. */
UNIT(prp_ack_left__without_transmission_numbers)
{
	struct prp_ack_state ack = {};

	prp_ack_duplicate(&ack);
	prp_ack_left(&ack, false);
	expect_true(!ack.now);
	expect_true(ack.sack);
	prp_ack_left(&ack, true);
	expect_true(!ack.sack);
}
