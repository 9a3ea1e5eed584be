// SPDX-License-Identifier: GPL-2.0
/* Losses without a queue: the rules that noise.h states, one test each. */
#include <linux/types.h>

#include "pure/noise.h"
#include "unit.h"

#define ROUND 32

/* Rounds of which so many of each are lost, until something is said. */
static enum prp_noise_said until(struct prp_noise *noise, unsigned int lost,
				 enum prp_noise_said other)
{
	enum prp_noise_said said;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		said = prp_noise_round(noise, ROUND, lost);
		if (said != other)
			return said;
	}
	return other;
}

static struct prp_noise trying(unsigned int lost)
{
	struct prp_noise noise = {};

	prp_noise_round(&noise, ROUND, lost);
	expect_eq(until(&noise, lost, PRP_NOISE_HOLD), PRP_NOISE_TRY);
	return noise;
}

UNIT(prp_noise_round__nothing_lost)
{
	struct prp_noise noise = {};

	expect_eq(until(&noise, 0, PRP_NOISE_FREE), PRP_NOISE_FREE);
}

UNIT(prp_noise_round__a_small_share_is_let_be)
{
	struct prp_noise noise = {};

	expect_eq(until(&noise, ROUND / 32, PRP_NOISE_FREE), PRP_NOISE_FREE);
	expect_eq(noise.share, 0);
}

UNIT(prp_noise_round__a_single_loss_is_none)
{
	struct prp_noise noise = {};

	expect_eq(prp_noise_round(&noise, 2, 1), PRP_NOISE_FREE);
}

UNIT(prp_noise_round__a_large_share_is_tried)
{
	struct prp_noise noise = {};

	expect_eq(prp_noise_round(&noise, ROUND, 4), PRP_NOISE_HOLD);
	expect_eq(until(&noise, 4, PRP_NOISE_HOLD), PRP_NOISE_TRY);
	expect_eq(noise.before, 4 * PRP_NOISE_WHOLE / ROUND);
}

/* As many as are said are enough, each time. */
UNIT(prp_noise_round__samples_of_their_size)
{
	struct prp_noise noise = {};

	expect_eq(prp_noise_round(&noise, PRP_NOISE_HINT - 1, 8),
		  PRP_NOISE_HOLD);
	expect_eq(noise.sent, PRP_NOISE_HINT - 1);
	expect_eq(prp_noise_round(&noise, 1, 0), PRP_NOISE_HOLD);
	expect_eq(noise.sent, 0);
	expect_eq(prp_noise_round(&noise, PRP_NOISE_SAMPLE - 1, 32),
		  PRP_NOISE_HOLD);
	expect_eq(prp_noise_round(&noise, 1, 0), PRP_NOISE_TRY);
	expect_eq(prp_noise_round(&noise, 1, 0), PRP_NOISE_HOLD);
	expect_eq(prp_noise_round(&noise, PRP_NOISE_SAMPLE - 1, 0),
		  PRP_NOISE_HOLD);
	expect_eq(prp_noise_round(&noise, 1, 0), PRP_NOISE_TAKEN);
}

UNIT(prp_noise_round__what_was_bad_luck_is_not_tried)
{
	struct prp_noise noise = {};

	prp_noise_round(&noise, PRP_NOISE_HINT, 8);
	expect_eq(until(&noise, 0, PRP_NOISE_HOLD), PRP_NOISE_FREE);
	expect_eq(noise.trying, 0);
}

UNIT(prp_noise_round__the_same_share_is_chance)
{
	struct prp_noise noise = trying(3);

	expect_eq(until(&noise, 3, PRP_NOISE_HOLD), PRP_NOISE_CHANCE);
	expect_eq(noise.share, 3 * PRP_NOISE_WHOLE / ROUND);
	expect_eq(until(&noise, 3, PRP_NOISE_FREE), PRP_NOISE_FREE);
}

UNIT(prp_noise_round__a_third_is_no_chance)
{
	struct prp_noise noise = trying(6);

	expect_eq(until(&noise, 2, PRP_NOISE_HOLD), PRP_NOISE_TAKEN);
	expect_eq(noise.share, 0);
}

UNIT(prp_noise_round__what_was_under_way_does_not_count)
{
	struct prp_noise noise = trying(6);

	expect_eq(prp_noise_round(&noise, ROUND, ROUND), PRP_NOISE_HOLD);
	expect_eq(noise.tried_lost, 0);
}

UNIT(prp_noise_round__too_large_a_share_is_no_chance)
{
	struct prp_noise noise = trying(8);

	expect_eq(until(&noise, 8, PRP_NOISE_HOLD), PRP_NOISE_TAKEN);
}

UNIT(prp_noise_round__twice_the_chance_is_tried_again)
{
	struct prp_noise noise = trying(2);

	until(&noise, 2, PRP_NOISE_HOLD);
	expect_eq(until(&noise, 4, PRP_NOISE_FREE), PRP_NOISE_FREE);
	expect_eq(until(&noise, 7, PRP_NOISE_FREE), PRP_NOISE_HOLD);
}

UNIT(prp_noise_round__chance_that_has_gone_is_forgotten)
{
	struct prp_noise noise = trying(3);

	until(&noise, 3, PRP_NOISE_HOLD);
	until(&noise, 0, PRP_NOISE_FREE);
	expect_true(noise.share <= 1);
}

UNIT(prp_noise_stays__as_large_a_share_was_chance)
{
	struct prp_noise noise = trying(6);
	unsigned int i;

	until(&noise, 0, PRP_NOISE_HOLD);
	for (i = 1; i < PRP_NOISE_SAMPLE / ROUND; i++)
		expect_true(!prp_noise_stays(&noise, ROUND, 3));
	expect_true(prp_noise_stays(&noise, ROUND, 3));
	expect_eq(noise.share, 3 * PRP_NOISE_WHOLE / ROUND);
}

UNIT(prp_noise_stays__a_smaller_one_was_not)
{
	struct prp_noise noise = trying(6);
	unsigned int i;

	until(&noise, 0, PRP_NOISE_HOLD);
	for (i = 0; i < 1000; i++)
		expect_true(!prp_noise_stays(&noise, ROUND, 2));
}

/* Between the smallest that is looked into and the largest that is chance */
UNIT(prp_noise_stays__bounds_of_the_share)
{
	const u32 least = PRP_NOISE_LEAST * PRP_NOISE_SAMPLE / PRP_NOISE_WHOLE;
	const u32 most = PRP_NOISE_MOST * PRP_NOISE_SAMPLE / PRP_NOISE_WHOLE;
	struct prp_noise noise = { .before = PRP_NOISE_LEAST + 1 };

	expect_true(!prp_noise_stays(&noise, PRP_NOISE_SAMPLE, least - 1));
	expect_eq(noise.share, 0);
	expect_true(prp_noise_stays(&noise, PRP_NOISE_SAMPLE, least));
	expect_eq(noise.share, PRP_NOISE_LEAST);
	expect_true(!prp_noise_stays(&noise, PRP_NOISE_SAMPLE, most + 1));
	expect_eq(noise.share, PRP_NOISE_LEAST);
	expect_true(prp_noise_stays(&noise, PRP_NOISE_SAMPLE, most));
	expect_eq(noise.share, PRP_NOISE_MOST);
}

/* As much as a third of the share is enough, however few there were. */
UNIT(prp_noise_round__chance_is_known_early)
{
	struct prp_noise noise = trying(3);
	unsigned int i, rounds = 0;

	for (i = 0; i < PRP_NOISE_SAMPLE / ROUND; i++, rounds++)
		if (prp_noise_round(&noise, ROUND, 3) == PRP_NOISE_CHANCE)
			break;
	expect_true(rounds < PRP_NOISE_SAMPLE / ROUND / 2);
}

UNIT(prp_noise_explains__what_is_no_more_than_chance)
{
	struct prp_noise noise = {};

	expect_true(!prp_noise_explains(&noise, 100, 1));
	noise.share = PRP_NOISE_WHOLE / 20;
	expect_true(prp_noise_explains(&noise, 100, 11));
	expect_true(!prp_noise_explains(&noise, 100, 12));
	expect_true(prp_noise_explains(&noise, 1, 1));
}

UNIT(prp_noise_forget__says_what_was_going_on)
{
	struct prp_noise noise = trying(6);

	expect_true(prp_noise_forget(&noise));
	expect_true(!prp_noise_forget(&noise));
	expect_eq(noise.sent, 0);
}

UNIT(prp_noise__random_rounds_keep_the_bounds)
{
	struct prp_noise noise = {};
	unsigned int i;

	for (i = 0; i < 200000; i++) {
		u32 sent = unit_random() % 1024 + 1;
		u32 lost = unit_random() % (sent + 1) >> unit_random() % 11;

		if (i % 5000 > 4900)
			prp_noise_stays(&noise, sent, lost);
		else
			prp_noise_round(&noise, sent, lost);
		expect_true(noise.lost <= noise.sent);
		expect_true(noise.tried_lost <= noise.tried);
		expect_true(noise.sent < 2048 && noise.tried < 2048);
		expect_true(noise.share <= PRP_NOISE_WHOLE);
	}
}
