// SPDX-License-Identifier: GPL-2.0
/* The wheel: which turn is the next one, the rules that wheel.h states. */
#include <linux/types.h>

#include "pure/wheel.h"
#include "unit.h"

/* What is in the slots of these ticks: when is the next turn? */
static u64 next_of(u64 now, const u64 *ticks, unsigned int count)
{
	DECLARE_BITMAP(filled, PRP_WHEEL_SLOTS) = {};

	while (count--) {
		unsigned int slot = ticks[count] % PRP_WHEEL_SLOTS;

		filled[slot / BITS_PER_LONG] |= BIT(slot % BITS_PER_LONG);
	}
	return prp_wheel_next(filled, now);
}

#define NEXT_OF(now, ...) \
	next_of(now, (const u64[]){ __VA_ARGS__ }, \
		ARRAY_SIZE(((const u64[]){ __VA_ARGS__ })))

UNIT(prp_wheel_next__none)
{
	expect_eq(next_of(0, NULL, 0), U64_MAX);
	expect_eq(next_of(1000, NULL, 0), U64_MAX);
}

UNIT(prp_wheel_next__the_first_of_some)
{
	expect_eq(NEXT_OF(1000, 1001, 1400), 1001);
	expect_eq(NEXT_OF(1001, 1100, 1400), 1100);
	expect_eq(NEXT_OF(1100, 1400), 1400);
}

/* Each distance, from each slot of a wheel that has turned often */
UNIT(prp_wheel_next__each_distance)
{
	u64 now, far;

	for (now = 1ULL << 40; now < (1ULL << 40) + PRP_WHEEL_SLOTS; now++)
		for (far = 1; far <= PRP_WHEEL_SLOTS; far++)
			expect_eq(NEXT_OF(now, now + far), now + far);
}

/* What is in the slot whose turn it just was waits for a whole turn. */
UNIT(prp_wheel_next__its_own_slot_is_the_last)
{
	expect_eq(NEXT_OF(1000, 1000), 1000 + PRP_WHEEL_SLOTS);
	expect_eq(NEXT_OF(1000, 1000, 1000 + PRP_WHEEL_SLOTS - 1),
		  1000 + PRP_WHEEL_SLOTS - 1);
}
