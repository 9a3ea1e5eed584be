// SPDX-License-Identifier: GPL-2.0
/* What tools/prpperf computes of times, and how its processes tell it. */
#include <math.h>
#include <string.h>

#include "spec.h"
#include "stats.h"
#include "unit.h"

UNIT(part__of_none_is_0)
{
	expect_eq(stats_part(NULL, 0, 0.5), 0);
}

UNIT(part__of_one_is_that)
{
	uint64_t one[] = { 7 };

	expect_eq(stats_part(one, 1, 0), 7);
	expect_eq(stats_part(one, 1, 0.5), 7);
	expect_eq(stats_part(one, 1, 1), 7);
}

UNIT(part__of_many_in_any_order)
{
	uint64_t values[101];

	for (int i = 0; i < 101; i++)
		values[i] = (i * 37 + 5) % 101; /* each of 0 to 100 once */
	stats_sort(values, 101);
	expect_eq(stats_part(values, 101, 0), 0);
	expect_eq(stats_part(values, 101, 0.5), 50);
	expect_eq(stats_part(values, 101, 0.99), 99);
	expect_eq(stats_part(values, 101, 1), 100);
}

UNIT(sort__of_the_largest_there_are)
{
	uint64_t values[] = { UINT64_MAX, 0, UINT64_MAX - 1, 1ull << 63 };

	stats_sort(values, 4);
	expect_eq(values[0], 0);
	expect_eq(values[1], 1ull << 63);
	expect_true(values[3] == UINT64_MAX);
}

UNIT(within__of_none_is_0)
{
	expect_eq(stats_within(NULL, 0, 0, UINT64_MAX), 0);
}

UNIT(within__is_after_the_beginning_and_up_to_the_end)
{
	uint64_t times[] = { 3, 5, 5, 8 };

	expect_eq(stats_within(times, 4, 0, 9), 4);
	expect_eq(stats_within(times, 4, 3, 8), 3);
	expect_eq(stats_within(times, 4, 2, 7), 3);
	expect_eq(stats_within(times, 4, 5, 7), 0);
	expect_eq(stats_within(times, 4, 8, UINT64_MAX), 0);
	expect_eq(stats_within(times, 4, 8, 3), 0);
}

static bool near(double got, double expected)
{
	return fabs(got - expected) * 1000000 < 1;
}

UNIT(fit__finds_the_line)
{
	double x[] = { 0, 1, 34, 1400, 204800 }, y[5];
	struct stats_line line;

	for (int i = 0; i < 5; i++)
		y[i] = 74 + x[i] / 6.6;
	expect_eq(stats_fit(x, y, 5, &line), 0);
	expect_true(near(line.at_zero, 74));
	expect_true(near(1 / line.slope, 6.6));
}

UNIT(fit__needs_two_points)
{
	double x[] = { 3, 3 }, y[] = { 1, 2 };
	struct stats_line line;

	expect_true(stats_fit(x, y, 0, &line) < 0);
	expect_true(stats_fit(x, y, 1, &line) < 0);
	expect_true(stats_fit(x, y, 2, &line) < 0);
}

UNIT(spec__comes_back_as_it_was)
{
	struct spec spec = { .size = 1, .hardware = UINT64_MAX }, back = {};
	char line[SPEC_LINE];

	spec_print(line, &spec);
	expect_eq(spec_parse(line, &back), 0);
	expect_eq(memcmp(&spec, &back, sizeof(spec)), 0);
}

UNIT(spec__result_comes_back_as_it_was)
{
	struct result result = { .rounds = 3, .recv = UINT64_MAX }, back = {};
	char line[SPEC_LINE];

	spec_print_result(line, &result);
	expect_eq(spec_parse_result(line, &back), 0);
	expect_eq(memcmp(&result, &back, sizeof(result)), 0);
}

UNIT(spec__keeps_what_is_not_named)
{
	struct spec spec = { .size = 5 };

	expect_eq(spec_parse(" burst=2", &spec), 0);
	expect_eq(spec.size, 5);
	expect_eq(spec.burst, 2);
	expect_eq(spec_parse("", &spec), 0);
}

UNIT(spec__wrong_words)
{
	static const char *const wrong[] = {
		"size",	    "size=",
		"size=x",   "size=4x",
		"none=4",   "=4",
		"siz=4",    "sizes=4",
		"size=4 x", "size=18446744073709551616",
	};
	struct spec spec = {};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (!spec_parse(wrong[i], &spec))
			unit_fail(__FILE__, __LINE__, "taken: %s", wrong[i]);
}
