// SPDX-License-Identifier: GPL-2.0
/* Round trips: the rules that rtt.h states, one test each. */
#include <linux/kernel.h>
#include <linux/types.h>

#include "pure/rtt.h"
#include "unit.h"

#define START_NS 12345000ull

/* One that took so many nanoseconds. */
static void took(struct prp_rtt *rtt, u64 ns)
{
	rtt->start_ns = START_NS;
	prp_rtt_took(rtt, START_NS + ns);
}

UNIT(prp_rtt_took__first_one_is_it_and_varies_by_half)
{
	struct prp_rtt rtt = {};

	expect_eq(prp_rtt_us(&rtt), 0);
	took(&rtt, 1000999);
	expect_eq(prp_rtt_us(&rtt), 1000);
	expect_eq(rtt.var_us4, 2000);
	expect_eq(rtt.start_ns, 0);
}

UNIT(prp_rtt_took__an_eighth_and_a_quarter_of_the_next)
{
	struct prp_rtt rtt = {};

	took(&rtt, 1000000);
	took(&rtt, 1800000);
	expect_eq(rtt.srtt_us8, 8800);
	expect_eq(rtt.var_us4, 2000 - 500 + 800);
	took(&rtt, 300000);
	expect_eq(rtt.srtt_us8, 8000);
	expect_eq(rtt.var_us4, 2300 - 575 + 800);
}

UNIT(prp_rtt_took__steady_ones_vary_by_nothing)
{
	struct prp_rtt rtt = {};
	int i;

	for (i = 0; i < 1000; i++)
		took(&rtt, 250000);
	expect_eq(prp_rtt_us(&rtt), 250);
	expect_true(rtt.var_us4 < 4);
}

UNIT(prp_rtt_took__no_time_at_all_is_a_microsecond)
{
	struct prp_rtt rtt = {};

	took(&rtt, 0);
	expect_eq(rtt.srtt_us8, 8);
	took(&rtt, 999);
	expect_eq(rtt.srtt_us8, 8);
}

UNIT(prp_rtt_took__no_more_than_ten_seconds)
{
	struct prp_rtt rtt = {};
	int i;

	for (i = 0; i < 100; i++)
		took(&rtt, ~0ull >> 1);
	expect_eq(prp_rtt_us(&rtt), 10000000);
	for (i = 0; i < 300; i++)
		took(&rtt, i % 2 ? ~0ull >> 1 : 0);
	expect_true(rtt.var_us4 <= 40000000);
	expect_true(prp_rtt_us(&rtt) <= 10000000);
}

UNIT(prp_rtt_forget__nothing_is_timed)
{
	struct prp_rtt rtt = {};

	took(&rtt, 5000);
	rtt.start_ns = START_NS;
	prp_rtt_forget(&rtt);
	expect_eq(rtt.start_ns, 0);
	expect_eq(prp_rtt_us(&rtt), 5);
}

UNIT(prp_rtt_probed__by_the_word_that_it_is_the_newest)
{
	struct prp_rtt rtt = {};

	expect_eq(prp_rtt_probed(&rtt, 7, START_NS), 0);
	prp_rtt_probe(&rtt, 7, START_NS);
	expect_eq(prp_rtt_probed(&rtt, 6, START_NS + 100000), 0);
	expect_eq(prp_rtt_probed(&rtt, 7, START_NS + 250000), 250);
	expect_eq(prp_rtt_probed(&rtt, 7, START_NS + 300000), 0);
	expect_eq(rtt.srtt_us8, 0);
}

UNIT(prp_rtt_probed__not_if_that_answer_was_lost)
{
	struct prp_rtt rtt = {};

	prp_rtt_probe(&rtt, U32_MAX, START_NS);
	expect_eq(prp_rtt_probed(&rtt, 0, START_NS + 1000), 0);
	expect_eq(prp_rtt_probed(&rtt, U32_MAX, START_NS + 1000), 0);
}

UNIT(prp_rtt_probed__no_time_at_all_and_far_too_much)
{
	struct prp_rtt rtt = {};

	prp_rtt_probe(&rtt, 1, START_NS);
	expect_eq(prp_rtt_probed(&rtt, 1, START_NS + 999), 1);
	prp_rtt_probe(&rtt, 1, START_NS);
	expect_eq(prp_rtt_probed(&rtt, 1, START_NS + 60000000000ull), 10000000);
	/* over the end of what it is kept in */
	prp_rtt_probe(&rtt, 1, (U32_MAX - 9) * 1000ull);
	expect_eq(prp_rtt_probed(&rtt, 1, (U32_MAX + 11ull) * 1000), 20);
}
