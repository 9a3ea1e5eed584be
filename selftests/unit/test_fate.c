// SPDX-License-Identifier: GPL-2.0
/* Fates: chances from never to always, and which bit. */
#include <linux/kernel.h>

#include "pure/fate.h"
#include "unit.h"

/* The fate of a frame whose numbers are all the same */
static unsigned int fate_of(u16 loss, u16 duplicate, u16 corrupt, u32 number)
{
	const struct prp_fate_odds odds = { loss, duplicate, corrupt };
	const u32 draw[PRP_FATE_DRAWS] = { number, number, number, number };

	return prp_fate_of(&odds, draw);
}

UNIT(fate__never_and_always)
{
	static const u32 numbers[] = { 0, 1, 1u << 31, ~0u - 1, ~0u };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		expect_eq(fate_of(0, 0, 0, numbers[i]), 0);
		expect_eq(fate_of(PRP_FATE_ALWAYS, 0, 0, numbers[i]),
			  PRP_FATE_LOST);
		expect_eq(fate_of(0, PRP_FATE_ALWAYS, 0, numbers[i]),
			  PRP_FATE_DUPLICATED);
		expect_eq(fate_of(0, 0, PRP_FATE_ALWAYS, numbers[i]),
			  PRP_FATE_CORRUPTED);
	}
}

UNIT(fate__lost_is_nothing_else)
{
	expect_eq(fate_of(PRP_FATE_ALWAYS, PRP_FATE_ALWAYS, PRP_FATE_ALWAYS, 5),
		  PRP_FATE_LOST);
	expect_eq(fate_of(0, PRP_FATE_ALWAYS, PRP_FATE_ALWAYS, 5),
		  PRP_FATE_DUPLICATED | PRP_FATE_CORRUPTED);
}

/* The least chance, the greatest but one, and where each begins to hit */
UNIT(fate__edges)
{
	const u32 step = (1ull << 32) / PRP_FATE_ALWAYS;

	expect_eq(fate_of(1, 0, 0, step), PRP_FATE_LOST);
	expect_eq(fate_of(1, 0, 0, step + 1), 0);
	expect_eq(fate_of(PRP_FATE_ALWAYS - 1, 0, 0, ~0u), 0);
	expect_eq(fate_of(PRP_FATE_ALWAYS - 1, 0, 0, ~0u - step - 1),
		  PRP_FATE_LOST);
}

/* Each has its own number. */
UNIT(fate__numbers_are_apart)
{
	const struct prp_fate_odds odds = { 5000, 5000, 5000 };

	for (unsigned int bits = 0; bits < 8; bits++) {
		const u32 draw[PRP_FATE_DRAWS] = { bits & 1 ? 0 : ~0u,
						   bits & 2 ? 0 : ~0u,
						   bits & 4 ? 0 : ~0u, 0 };

		expect_eq(prp_fate_of(&odds, draw),
			  bits & 1 ? PRP_FATE_LOST : bits);
	}
}

UNIT(fate__as_often_as_asked)
{
	static const u16 asked[] = { 1, 100, 2500, 9999 };

	for (unsigned int i = 0; i < ARRAY_SIZE(asked); i++) {
		unsigned int hits = 0, times = 400000;

		for (unsigned int n = 0; n < times; n++)
			hits += !!fate_of(asked[i], 0, 0, unit_random());
		expect_true(hits >= times / 10000 * asked[i] * 0.5);
		expect_true(hits <= times / 10000 * asked[i] * 1.5 + 1);
	}
}

UNIT(fate__bit_is_in_the_frame)
{
	static const u32 lens[] = { 1, 2, 36, 1500, 65535 };

	for (unsigned int i = 0; i < ARRAY_SIZE(lens); i++) {
		u32 draw[PRP_FATE_DRAWS] = { 0 };

		expect_eq(prp_fate_bit(draw, lens[i]), 0);
		draw[PRP_FATE_DRAW_BIT] = ~0u;
		expect_eq(prp_fate_bit(draw, lens[i]), 8 * lens[i] - 1);
		draw[PRP_FATE_DRAW_BIT] = 1u << 31;
		expect_eq(prp_fate_bit(draw, lens[i]), 4 * lens[i]);
	}
}
