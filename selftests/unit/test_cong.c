// SPDX-License-Identifier: GPL-2.0
/* The congestion window: the rules that cong.h states, one test each. */
#include <linux/kernel.h>
#include <linux/types.h>

#include "pure/cong.h"
#include "pure/window.h"
#include "unit.h"

#define ONE PRP_CWND_ONE
#define BASE 200 /* microseconds */
#define LONG 12000 /* ticks; what happens at the beginning is over */

/* A window of so many segments that has seen the base. */
static struct prp_cong steady(enum prp_cong_mode mode, unsigned int segments)
{
	struct prp_cong cong;

	prp_cong_init(&cong);
	prp_cong_first(&cong, BASE, LONG);
	cong.mode = mode;
	cong.cwnd = segments * ONE;
	cong.calm = cong.cwnd;
	cong.need = segments;
	cong.calm_tick = LONG;
	cong.since_tick = LONG;
	return cong;
}

/* A round in which all of the window arrives, but for so many. */
static enum prp_cong_said turn(struct prp_cong *cong, u32 rtt_us,
			       unsigned int lost)
{
	unsigned int all = prp_cong_window(cong);
	struct prp_cong_heard heard = {
		.acked = all > lost ? all - lost : 0,
		.in_flight = all,
		.rtt_us = rtt_us,
		.tick = cong->tick + 1,
	};

	cong->limited = true;
	if (lost)
		prp_cong_lost(cong, lost);
	return prp_cong_acked(cong, &heard);
}

UNIT(prp_cong_init__first_window)
{
	struct prp_cong cong;

	prp_cong_init(&cong);
	expect_eq(prp_cong_window(&cong), PRP_CWND_FIRST);
	expect_eq(cong.mode, PRP_CONG_START);
	expect_true(prp_cong_pace(&cong, 1500) == U64_MAX);
}

/* What went another way before it began */
UNIT(prp_cong_acked__of_another_way_tells_nothing)
{
	struct prp_cong_heard heard = { .acked = 200, .tick = LONG };
	struct prp_cong cong;

	prp_cong_init(&cong);
	cong.stale = 300;
	cong.limited = true;
	expect_eq(prp_cong_acked(&cong, &heard), PRP_CONG_NOTHING);
	expect_eq(prp_cong_window(&cong), PRP_CWND_FIRST);
	expect_true(!prp_cong_lost(&cong, 90));
	expect_eq(cong.lost, 0);
	expect_eq(cong.stale, 10);
	heard.acked = 14;
	prp_cong_acked(&cong, &heard);
	expect_eq(prp_cong_window(&cong), PRP_CWND_FIRST + 4);
	expect_eq(cong.stale, 0);
	prp_cong_lost(&cong, 1);
	expect_eq(cong.lost, 1);
}

/* A tail behind which nothing waits: it has to be told of, too. */
UNIT(prp_cong_is_idle__not_while_some_went_another_way)
{
	struct prp_cong_heard heard = { .acked = 200, .tick = LONG };
	struct prp_cong cong;

	prp_cong_init(&cong);
	expect_true(prp_cong_is_idle(&cong));
	cong.stale = 200;
	expect_true(!prp_cong_is_idle(&cong));
	prp_cong_acked(&cong, &heard);
	expect_true(prp_cong_is_idle(&cong));
}

/* Nothing was heard for so long that what was shortest before is too old. */
UNIT(prp_cong_base__nothing_is_left_of_before_a_pause)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 8);

	cong.tick += 60000;
	turn(&cong, 2 * BASE, 0);
	expect_eq(cong.base_us, 2 * BASE);
}

/* Others' queue never goes, so that the shortest round trip is long ago; but
 * for as long as a way does not change it is the right one.
 */
UNIT(prp_cong_base__is_good_for_minutes_beside_others)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 8);

	cong.tick += 239000;
	turn(&cong, 20 * BASE, 0);
	expect_eq(cong.base_us, BASE);
	cong.tick += 2000;
	turn(&cong, 20 * BASE, 0);
	turn(&cong, 20 * BASE, 0);
	expect_eq(cong.base_us, BASE); /* nothing else was since then */
	cong.tick += 241000;
	turn(&cong, 20 * BASE, 0);
	expect_eq(cong.base_us, 20 * BASE);
	/* and for as long as any when they have gone */
	cong = steady(PRP_CONG_SHARE, 8);
	cong.tick += 239000;
	prp_cong_drained(&cong, BASE + 100, cong.tick);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	turn(&cong, 20 * BASE, 0);
	expect_eq(cong.base_us, BASE);
}

/* It was set back by a minute: what was shortest before still is. */
UNIT(prp_cong_clock__keeps_the_base)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 8);
	u32 tick = cong.tick - 120000;

	prp_cong_clock(&cong, -120000);
	expect_eq(cong.tick, tick);
	turn(&cong, 2 * BASE, 0);
	expect_eq(cong.base_us, BASE);
}

UNIT(prp_cong_clock__as_much_time_has_passed)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 8);

	cong.base_tick = 1;
	cong.tick = 2;
	cong.born_tick = 3;
	cong.calm_tick = 4;
	cong.since_tick = 5;
	cong.drain.tick = 6;
	prp_cong_clock(&cong, -3);
	expect_eq(cong.base_tick, (u32)-2);
	expect_eq(cong.tick, (u32)-1);
	expect_eq(cong.born_tick, 0);
	expect_eq(cong.calm_tick, 1);
	expect_eq(cong.since_tick, 2);
	expect_eq(cong.drain.tick, 3);
}

/* What drains goes on, and ends when it has for as long as it was to. */
UNIT(prp_cong_clock__keeps_the_drain)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 8);
	u32 at = LONG / PRP_DRAIN_EVERY * PRP_DRAIN_EVERY;

	expect_true(!prp_cong_tick(&cong, at));
	expect_true(cong.drain.now);
	prp_cong_clock(&cong, -120000);
	expect_true(prp_cong_tick(&cong, at - 120000 + 3));
	expect_true(cong.drain.now);
	expect_true(!prp_cong_tick(&cong, at - 120000 + 4));
	expect_true(!cong.drain.now);
}

/* Two processors' ticks differ by one. */
UNIT(prp_cong_base__time_does_not_go_back)
{
	struct prp_cong_heard heard = {
		.acked = 1,
		.rtt_us = 2 * BASE,
		.tick = LONG - 1,
	};
	struct prp_cong cong = steady(PRP_CONG_ALONE, 8);

	prp_cong_acked(&cong, &heard);
	expect_eq(cong.base_us, BASE);
	expect_eq(cong.tick, LONG);
}

UNIT(prp_cong_start__doubles_in_a_round_trip)
{
	struct prp_cong cong;
	unsigned int i, was;

	prp_cong_init(&cong);
	for (i = 0; i < 5; i++) {
		was = cong.cwnd;
		turn(&cong, BASE, 0);
		expect_eq(cong.cwnd, 2 * was);
	}
	turn(&cong, BASE, 0);
	expect_eq(prp_cong_window(&cong), PRP_WIN);
}

UNIT(prp_cong_start__does_not_grow_unused)
{
	struct prp_cong_heard heard = { .acked = 16, .rtt_us = BASE };
	struct prp_cong cong;

	prp_cong_init(&cong);
	prp_cong_acked(&cong, &heard);
	expect_eq(prp_cong_window(&cong), PRP_CWND_FIRST);
}

/* A server may have none before its first segment is answered. */
UNIT(prp_cong_acked__the_first_round_trip_is_a_pace)
{
	struct prp_cong_heard heard = { .acked = 1, .rtt_us = BASE };
	struct prp_cong cong;

	prp_cong_init(&cong);
	expect_eq(prp_cong_acked(&cong, &heard), PRP_CONG_NOTHING);
	expect_eq(cong.base_us, BASE);
	expect_true(prp_cong_pace(&cong, 1500) ==
		    2ULL * PRP_CWND_FIRST * 1500 * 1000000 / BASE);
}

UNIT(prp_cong_start__chance_does_not_end_it)
{
	struct prp_cong cong;

	prp_cong_init(&cong);
	turn(&cong, BASE, 2);
	turn(&cong, BASE, 2);
	expect_eq(cong.mode, PRP_CONG_START);
}

UNIT(prp_cong_start__a_queue_ends_it)
{
	struct prp_cong cong = steady(PRP_CONG_START, 64);

	turn(&cong, 3 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_START);
	turn(&cong, 8 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_true(prp_cong_window(&cong) <= 64);
}

UNIT(prp_cong_lost__a_quarter_ends_the_start_at_once)
{
	struct prp_cong cong;

	prp_cong_init(&cong);
	expect_true(!prp_cong_lost(&cong, 2));
	expect_eq(cong.mode, PRP_CONG_START);
	expect_true(prp_cong_lost(&cong, 2));
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_eq(prp_cong_window(&cong), PRP_CWND_FIRST / 2);
}

UNIT(prp_cong_alone__one_more_a_round)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	expect_eq(turn(&cong, BASE, 0), PRP_CONG_ROUND);
	expect_eq(prp_cong_window(&cong), 101);
}

/* So many rounds as short as can be: how many segments more are that? */
static unsigned int grows(struct prp_cong *cong, unsigned int rounds)
{
	u32 was = cong->cwnd;

	while (rounds--)
		turn(cong, BASE, 0);
	return (cong->cwnd - was) / ONE;
}

UNIT(prp_cong_grow__more_and_more_where_there_is_no_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	expect_eq(grows(&cong, 8), 8);
	expect_eq(grows(&cong, 8), 16);
	expect_eq(grows(&cong, 8), 32);
	/* a loss ends that ... */
	turn(&cong, BASE, 1);
	expect_eq(grows(&cong, 7), 7);
	expect_eq(grows(&cong, 8), 16);
	/* ... but not one of known chance ... */
	cong.noise.share = PRP_NOISE_LEAST;
	turn(&cong, BASE, 1);
	expect_eq(grows(&cong, 1), 4);
	/* ... and so does a flood */
	turn(&cong, BASE, prp_cong_window(&cong));
	expect_eq(grows(&cong, 1), 1);
}

/* Acknowledgments of 32 segments wait 193 us for each other here. */
#define FREE (BASE + 193)

UNIT(prp_cong_grow__half_as_much_with_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	turn(&cong, FREE + 250, 0);
	expect_eq(cong.cwnd, 65 * ONE);
	cong = steady(PRP_CONG_ALONE, 64);
	turn(&cong, FREE + 251, 0);
	expect_eq(cong.cwnd, 64 * ONE + ONE / 2);
}

UNIT(prp_cong_drop__in_a_queue_alone)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	turn(&cong, FREE + 250, 1);
	expect_eq(cong.cwnd, 65 * ONE);
	cong = steady(PRP_CONG_ALONE, 64);
	turn(&cong, FREE + 251, 1);
	expect_eq(cong.cwnd, 64 * ONE / 10 * 7);
}

UNIT(prp_cong_alone__no_more_if_it_is_not_used)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);
	struct prp_cong_heard heard = { .acked = 100, .rtt_us = BASE };

	heard.tick = cong.tick + 1;
	prp_cong_acked(&cong, &heard);
	expect_eq(prp_cong_window(&cong), 100);
}

UNIT(prp_cong_alone__less_for_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	expect_eq(turn(&cong, 8 * BASE, 0), PRP_CONG_CUT);
	expect_eq(prp_cong_window(&cong), 50);
}

/* As much as is in the queue beyond 125 us, of which round trips get shorter */
UNIT(prp_cong_cut__what_is_in_the_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	grows(&cong, 8);
	cong.cwnd = 64 * ONE;
	cong.doubt = 64;
	turn(&cong, FREE + 501, 0);
	expect_eq(cong.cwnd, 64 * ONE * (FREE + 125) / (FREE + 501));
	expect_eq(cong.rtt_us, (FREE + 501) * cong.cwnd / (64 * ONE));
	expect_eq(grows(&cong, 8), 8);
}

/* A quarter at most below 16 segments, else half where something was lost */
UNIT(prp_cong_cut__at_most)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);

	/* acknowledgments of half of it wait for 175 us, of 8 for 150 */
	cong.doubt = 64;
	turn(&cong, BASE + 175 + 999, 0);
	expect_eq(prp_cong_window(&cong), 8);
	cong = steady(PRP_CONG_ALONE, 8);
	cong.doubt = 64;
	turn(&cong, BASE + 150 + 999, 0);
	expect_eq(prp_cong_window(&cong), 6);
	cong = steady(PRP_CONG_ALONE, 8);
	cong.doubt = 64;
	turn(&cong, BASE + 150 + 1000, 0);
	expect_eq(prp_cong_window(&cong), 4);
}

UNIT(prp_cong_alone__not_less_if_it_is_not_used)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);
	struct prp_cong_heard heard = { .acked = 100, .rtt_us = 50 * BASE };

	heard.tick = cong.tick + 1;
	prp_cong_acked(&cong, &heard);
	expect_eq(prp_cong_window(&cong), 100);
}

/* What is asked for at once only tells how long segments wait. */
UNIT(prp_cong_acked__a_round_needs_a_round_trip)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	expect_eq(turn(&cong, 0, 0), PRP_CONG_NOTHING);
	expect_eq(turn(&cong, BASE, 0), PRP_CONG_ROUND);
}

/* Of four of them that tell of none nothing is learned either. */
UNIT(prp_cong_acked__a_round_without_a_round_trip)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);
	unsigned int i;

	for (i = 0; i < 3; i++)
		expect_eq(turn(&cong, 0, 0), PRP_CONG_NOTHING);
	expect_eq(turn(&cong, 0, 0), PRP_CONG_ROUND);
	expect_eq(prp_cong_window(&cong), 100);
}

UNIT(prp_cong_alone__chance_is_let_be)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);
	unsigned int i;

	for (i = 0; i < 200; i++)
		turn(&cong, BASE, prp_cong_window(&cong) / 20);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_true(prp_cong_window(&cong) > 100);
	expect_true(cong.noise.share);
}

UNIT(prp_cong_alone__a_policer_is_found)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);
	unsigned int i, window;

	for (i = 0; i < 100 && cong.mode == PRP_CONG_ALONE; i++) {
		window = prp_cong_window(&cong);
		turn(&cong, BASE, window > 80 ? window - 80 : 0);
	}
	expect_eq(cong.mode, PRP_CONG_POLICED);
	window = prp_cong_window(&cong);
	turn(&cong, BASE, 1);
	expect_eq(prp_cong_window(&cong), (window * 7 + 9) / 10);
}

UNIT(prp_cong_alone__half_of_a_flood)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	turn(&cong, BASE, 60);
	expect_eq(prp_cong_window(&cong), 50);
}

/* Few that are lost are none where something is heard, or window is left. */
UNIT(prp_cong_flooded__of_few_segments)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 3);

	turn(&cong, BASE, 2);
	expect_eq(cong.cwnd, 3 * ONE);
	turn(&cong, 0, 2);
	expect_eq(cong.cwnd, 3 * ONE / 2);
	cong = steady(PRP_CONG_ALONE, 4);
	turn(&cong, 0, 2);
	expect_eq(cong.cwnd, 4 * ONE);
	turn(&cong, 0, 3);
	expect_eq(cong.cwnd, 2 * ONE);
}

/* Nor are less than 16 where frames overtake each other. */
UNIT(prp_cong_flooded__where_frames_overtake)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 15);

	turn(&cong, BASE, 12);
	expect_eq(prp_cong_window(&cong), 8);
	cong = steady(PRP_CONG_ALONE, 15);
	cong.patience = 64;
	turn(&cong, BASE, 12);
	expect_eq(prp_cong_window(&cong), 16);
	turn(&cong, BASE, 12);
	expect_eq(prp_cong_window(&cong), 8);
}

UNIT(prp_cong_alone__others_keep_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 40);
	unsigned int i;

	cong.stays = true;
	for (i = 0; i < 5000 && cong.mode == PRP_CONG_ALONE; i++)
		turn(&cong, 20 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	expect_eq(prp_cong_window(&cong), 40);
}

/* Rounds with such a queue, of 15 ticks each, and a window that is not small */
static void stands(struct prp_cong *cong, unsigned int rounds)
{
	while (rounds--) {
		cong->cwnd = 40 * ONE;
		cong->tick += 14;
		turn(cong, 20 * BASE, 0);
	}
}

/* In more than 20 rounds, and one without makes up for four. */
UNIT(prp_cong_stands__so_many_rounds)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 40);

	cong.stays = true;
	stands(&cong, 20);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	cong.cwnd = 40 * ONE;
	turn(&cong, BASE, 0);
	stands(&cong, 4);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	stands(&cong, 1);
	expect_eq(cong.mode, PRP_CONG_SHARE);
}

/* For 150 ms, since there was none; the window is what it was then. */
UNIT(prp_cong_stands__so_long)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 40);
	unsigned int i, window = 0;

	cong.stays = true;
	for (i = 0; i < 400; i++) {
		window = prp_cong_window(&cong);
		turn(&cong, BASE, 0);
	}
	for (i = 0; i < 300; i++)
		turn(&cong, 20 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	turn(&cong, 20 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	expect_eq(prp_cong_window(&cong), window);
}

/* Five quarters of what it may be, 500 us, are not yet too long. */
UNIT(prp_cong_stands__what_is_too_long)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	turn(&cong, FREE + 625, 0);
	expect_eq(cong.stood, 0);
	cong = steady(PRP_CONG_ALONE, 64);
	turn(&cong, FREE + 626, 0);
	expect_eq(cong.stood, 1);
}

UNIT(prp_cong_alone__a_queue_that_goes_was_ours)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 40);
	unsigned int i;

	for (i = 0; i < 5000; i++)
		turn(&cong, BASE + prp_cong_window(&cong) * 100, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* So many later transmissions have come first. */
static void overtook(struct prp_cong *cong, u16 segments)
{
	struct prp_cong_heard heard = {
		.in_flight = 1,
		.overtook = segments,
		.tick = cong->tick,
	};

	prp_cong_acked(cong, &heard);
}

UNIT(prp_cong_alone__no_queue_where_frames_overtake)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);
	unsigned int i;

	cong.rtt_us = 10 * BASE;
	overtook(&cong, 4);
	for (i = 0; i < 64; i++)
		expect_eq(turn(&cong, 10 * BASE, 0), PRP_CONG_ROUND);
	expect_eq(prp_cong_window(&cong), 16 + 64);
	expect_eq(turn(&cong, 10 * BASE, 0), PRP_CONG_CUT);
	expect_eq(turn(&cong, 10 * BASE, 0), PRP_CONG_ROUND);
}

UNIT(prp_cong_alone__a_queue_where_none_does_any_more)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);
	unsigned int i;

	cong.rtt_us = 10 * BASE;
	overtook(&cong, 4);
	for (i = 0; i < 64; i++)
		turn(&cong, BASE, 0);
	expect_eq(turn(&cong, 10 * BASE, 0), PRP_CONG_CUT);
}

UNIT(prp_cong_alone__a_queue_where_few_overtake)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);

	cong.rtt_us = 10 * BASE;
	overtook(&cong, 3);
	expect_eq(turn(&cong, 10 * BASE, 0), PRP_CONG_CUT);
}

/* Few are enough to go on with, but not to begin. */
UNIT(prp_cong_overtook__four_at_first)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);

	overtook(&cong, 3);
	expect_eq(cong.patience, 0);
	overtook(&cong, 4);
	expect_eq(cong.patience, 64);
	turn(&cong, BASE, 0);
	expect_eq(cong.patience, 63);
	overtook(&cong, 3);
	expect_eq(cong.patience, 64);
}

/* Then losses of less than 16 segments are not looked into. */
UNIT(prp_cong_judge__where_frames_overtake)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 15);

	cong.patience = 64;
	turn(&cong, BASE, 4);
	expect_eq(prp_cong_window(&cong), 16);
	turn(&cong, BASE, 4);
	expect_eq(prp_cong_window(&cong), 16);
}

UNIT(prp_cong_alone__a_queue_where_they_overtake_soon)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	cong.rtt_us = 10 * BASE;
	overtook(&cong, 24);
	expect_eq(turn(&cong, 10 * BASE, 0), PRP_CONG_CUT);
}

/* The same as turn(), and so many were in flight when what shows it left. */
static void turn_behind(struct prp_cong *cong, u32 rtt_us, u16 behind)
{
	unsigned int all = prp_cong_window(cong);
	struct prp_cong_heard heard = {
		.acked = all,
		.in_flight = all,
		.rtt_us = rtt_us,
		.behind = behind,
		.tick = cong->tick + 1,
	};

	cong->limited = true;
	prp_cong_acked(cong, &heard);
}

/* A long round trip with so many in flight, and the next one is short. */
static void late_once(struct prp_cong *cong, u16 behind, u16 next_behind)
{
	turn_behind(cong, 10 * BASE, behind);
	turn_behind(cong, BASE, next_behind);
}

/* The same again and again with such a window: it stays a queue. */
static void late_for_a_reason(unsigned int segments, u16 next_behind)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, segments);
	unsigned int i;

	for (i = 0; i < 4; i++)
		late_once(&cong, segments, next_behind);
	expect_eq(cong.patience, 0);
}

UNIT(prp_cong_late__twice_is_no_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);
	unsigned int i, window;

	cong.doubt = 64;
	late_once(&cong, 16, 16);
	expect_eq(cong.patience, 0);
	late_once(&cong, 16, 16);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	window = prp_cong_window(&cong);
	for (i = 0; i < 40; i++)
		turn_behind(&cong, 10 * BASE, 16);
	expect_eq(prp_cong_window(&cong), window + 40);
}

/* The second one has to be less than a quarter of the first, beyond the base;
 * who shares goes on with that.
 */
UNIT(prp_cong_late__how_much_shorter)
{
	struct prp_cong cong;
	unsigned int more, i;

	for (more = 449; more <= 450; more++) {
		cong = steady(PRP_CONG_SHARE, 64);
		for (i = 0; i < 2; i++) {
			turn_behind(&cong, 10 * BASE, 16);
			turn_behind(&cong, BASE + more, 16);
		}
		expect_eq(cong.patience, more < 450 ? 64 : 0);
		expect_eq(cong.mode, PRP_CONG_SHARE);
	}
}

UNIT(prp_cong_late__once_in_a_while_is_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);
	unsigned int i;

	late_once(&cong, 16, 16);
	for (i = 0; i < 64; i++)
		turn_behind(&cong, BASE, 16);
	late_once(&cong, 16, 16);
	expect_eq(cong.patience, 0);
}

/* A queue goes as fast as what is in flight gets less. */
UNIT(prp_cong_late__a_smaller_window_explains_it)
{
	late_for_a_reason(64, 8);
}

UNIT(prp_cong_late__few_segments_tell_nothing)
{
	late_for_a_reason(3, 3);
}

/* Now, or just before */
static void late_when_drained(u32 ago)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);
	unsigned int i;

	cong.drain.from_us = 4 * PRP_DRAIN_TICK_US;
	for (i = 0; i < 4; i++) {
		turn_behind(&cong, 10 * BASE, 16);
		cong.drain.tick = cong.tick - ago;
		cong.drain.ticks = 4;
		turn_behind(&cong, BASE, 16);
		turn_behind(&cong, 10 * BASE, 16);
		cong.drain.ticks = 0;
		cong.drain.tick = cong.tick - 1000;
	}
	expect_eq(cong.patience, 0);
}

UNIT(prp_cong_late__a_queue_that_was_let_drain)
{
	late_when_drained(0);
	late_when_drained(4);
}

/* It was none that ended the doubling, then, if that was just now. */
UNIT(prp_cong_late__begins_again_where_nothing_was_lost)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	cong.born_tick = LONG - 1900;
	late_once(&cong, 16, 16);
	late_once(&cong, 16, 16);
	expect_eq(cong.mode, PRP_CONG_START);
	cong = steady(PRP_CONG_ALONE, 64);
	cong.born_tick = LONG - 2000;
	late_once(&cong, 16, 16);
	late_once(&cong, 16, 16);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_true(cong.patience);
}

UNIT(prp_cong_start__goes_on_where_hosts_are_late)
{
	struct prp_cong cong = steady(PRP_CONG_START, 16);
	unsigned int i;

	cong.patience = 64;
	for (i = 0; i < 4; i++)
		turn_behind(&cong, 10 * BASE, 16);
	expect_eq(prp_cong_window(&cong), 16 << 4);
	turn(&cong, 10 * BASE, 1);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* What is in flight stays in flight, and the next round trip tells. */
UNIT(prp_cong_start__one_long_round_trip_on_a_long_way)
{
	struct prp_cong cong = steady(PRP_CONG_START, 64);

	cong.base_us = 10000;
	turn_behind(&cong, 20000, 48);
	expect_eq(prp_cong_window(&cong), 48);
	turn_behind(&cong, 10000, 48);
	expect_eq(prp_cong_window(&cong), 48);
	turn_behind(&cong, 10000, 48);
	expect_eq(prp_cong_window(&cong), 96);
	turn_behind(&cong, 20000, 96);
	turn_behind(&cong, 20000, 96);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

UNIT(prp_cong_pace__of_a_round_trip_that_is_not_late)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);
	u64 late;

	cong.rtt_us = 20 * BASE;
	late = prp_cong_pace(&cong, 1500);
	cong.patience = 64;
	expect_true(prp_cong_pace(&cong, 1500) > 2 * late);
}

/* Alone at a port of 80 segments a millisecond; 200 us and what an answer may
 * be late by is 18 of them.
 */
static struct prp_cong at_port(unsigned int segments)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, segments);

	cong.best = 80;
	turn(&cong, BASE, 0);
	cong.cwnd = segments * ONE;
	return cong;
}

UNIT(prp_cong_every__half_of_a_window_of_which_nothing_is_known)
{
	struct prp_cong cong;

	prp_cong_init(&cong);
	expect_eq(prp_cong_every(&cong, 0, 1), 0);
	expect_eq(prp_cong_every(&cong, 1, 1), 1);
	expect_eq(prp_cong_every(&cong, 2, 1), 1);
	expect_eq(prp_cong_every(&cong, 3, 1), 2);
	expect_eq(prp_cong_every(&cong, 16, 1), 8);
	expect_eq(prp_cong_every(&cong, PRP_WIN, 1), 32);
}

/* Where segments leave in runs one of two asks, if the window is so long. */
UNIT(prp_cong_every__two_runs)
{
	struct prp_cong cong;

	prp_cong_init(&cong);
	expect_eq(prp_cong_every(&cong, PRP_WIN, 44), 88);
	expect_eq(prp_cong_every(&cong, 176, 44), 88);
	expect_eq(prp_cong_every(&cong, 100, 44), 50);
	expect_eq(prp_cong_every(&cong, 1, 44), 1);
	expect_eq(prp_cong_every(&cong, PRP_WIN, 16), 32);
	expect_true(!prp_cong_asks(&cong, 44, 44, PRP_WIN, 44));
	expect_true(prp_cong_asks(&cong, 88, 88, PRP_WIN, 44));
	expect_true(prp_cong_asks(&cong, 45, 45, PRP_WIN, 1));
}

UNIT(prp_cong_every__leaves_the_answer_the_time_it_takes)
{
	struct prp_cong cong = at_port(60);

	expect_eq(cong.pipe, 19);
	expect_eq(prp_cong_every(&cong, 60, 1), 60 - 19);
	/* the peer's window is smaller */
	expect_eq(prp_cong_every(&cong, 39, 1), 20);
	expect_eq(prp_cong_every(&cong, 38, 1), 19);
	expect_eq(prp_cong_every(&cong, 37, 1), 19);
	expect_eq(prp_cong_every(&cong, 19, 1), 10);
	expect_eq(prp_cong_every(&cong, 1, 1), 1);
	expect_eq(prp_cong_every(&cong, 0, 1), 0);
}

UNIT(prp_cong_every__half_of_a_small_window)
{
	struct prp_cong cong = at_port(15);

	expect_eq(prp_cong_every(&cong, 15, 1), 8);
}

/* Questions are closer before the window is made smaller. */
UNIT(prp_cong_every__not_too_many)
{
	struct prp_cong cong = at_port(18 + 72);

	expect_eq(prp_cong_every(&cong, 18 + 72, 1), 71);
	cong = at_port(18 + 73);
	expect_eq(prp_cong_every(&cong, 18 + 73, 1), 32);
	cong = at_port(PRP_WIN);
	expect_eq(prp_cong_every(&cong, PRP_WIN, 1), 32);
}

UNIT(prp_cong_every__half_where_the_pipe_is_longer_than_the_window)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 60);

	cong.best = 1000;
	turn(&cong, BASE, 0);
	expect_eq(prp_cong_every(&cong, 60, 1), 30);
	/* whatever the port and the round trip are */
	cong.best = U16_MAX;
	cong.base_us = 10000000;
	turn(&cong, 10000000, 0);
	expect_eq(cong.pipe, PRP_WIN);
}

UNIT(prp_cong_every__half_where_an_answer_may_be_lost)
{
	struct prp_cong cong = at_port(60);
	unsigned int i;

	turn(&cong, BASE, 1);
	for (i = 0; i < 63; i++) {
		cong.cwnd = 60 * ONE;
		expect_eq(prp_cong_every(&cong, 60, 1), 30);
		turn(&cong, BASE, 0);
	}
	cong.cwnd = 60 * ONE;
	expect_eq(prp_cong_every(&cong, 60, 1), 60 - 19);
}

UNIT(prp_cong_every__half_once_an_answer_was_lost)
{
	struct prp_cong_heard heard = { .acked = 1, .missed = true };
	struct prp_cong cong = at_port(60);

	heard.tick = cong.tick;
	prp_cong_acked(&cong, &heard);
	expect_eq(prp_cong_every(&cong, 60, 1), 30);
}

UNIT(prp_cong_every__half_where_others_keep_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 60);

	cong.best = 80;
	turn(&cong, 20 * BASE, 0);
	expect_eq(prp_cong_every(&cong, 60, 1), 30);
}

UNIT(prp_cong_asks__of_the_last_that_leaves_time)
{
	struct prp_cong cong = at_port(60);

	expect_true(!prp_cong_asks(&cong, 40, 60, 60, 1));
	expect_true(prp_cong_asks(&cong, 41, 60, 60, 1));
}

/* Nothing else leaves before an answer comes. */
UNIT(prp_cong_asks__where_the_window_is_full_and_answers_are_lost)
{
	struct prp_cong cong = at_port(60);

	expect_true(!prp_cong_asks(&cong, 8, 60, 60, 1));
	turn(&cong, BASE, 1);
	expect_true(prp_cong_asks(&cong, 8, 60, 60, 1));
	expect_true(!prp_cong_asks(&cong, 7, 60, 60, 1));
	expect_true(!prp_cong_asks(&cong, 8, 59, 60, 1));
	turn(&cong, 8 * BASE, 1);
	expect_true(!prp_cong_asks(&cong, 8, 60, 60, 1));
}

UNIT(prp_cong_left__up_to_the_next_question)
{
	struct prp_cong cong = at_port(60);

	expect_eq(prp_cong_left(&cong, 0, 60), 41);
	expect_eq(prp_cong_left(&cong, 40, 60), 1);
	expect_eq(prp_cong_left(&cong, 41, 60), 1);
	expect_eq(prp_cong_left(&cong, 500, 60), 1);
	expect_eq(prp_cong_left(&cong, 0, 0), 1);
}

/* As many as were in flight when it left have arrived in a round trip. */
UNIT(prp_cong_acked__how_fast_the_port_is)
{
	struct prp_cong_heard heard = { .acked = 1, .behind = 64 };
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	heard.rtt_us = BASE + 250;
	prp_cong_acked(&cong, &heard);
	heard.rtt_us = 800;
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.best, 0);
	heard.rtt_us = 1600;
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.best, 80);
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.best, 80);
}

/* But for what was lost, which is known a little later, and what had passed
 * long ago when the queue was let drain
 */
UNIT(prp_cong_acked__how_fast_the_port_is_not)
{
	struct prp_cong_heard heard = {
		.acked = 1,
		.behind = 64,
		.rtt_us = 800,
		.tick = LONG,
	};
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	prp_cong_acked(&cong, &heard);
	prp_cong_lost(&cong, 1);
	heard.behind = 16;
	prp_cong_acked(&cong, &heard);
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.best, 20);
	heard.behind = 64;
	cong.drain.tick = LONG;
	cong.drain.ticks = 4;
	prp_cong_acked(&cong, &heard);
	cong.drain.ticks = 0;
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.best, 20);
}

UNIT(prp_cong_alone__a_quarter_less_where_nothing_is_lost)
{
	struct prp_cong cong = at_port(60);

	turn(&cong, 6 * BASE, 0);
	expect_eq(prp_cong_window(&cong), 45);
	cong = at_port(60);
	turn(&cong, BASE, 1);
	cong.cwnd = 60 * ONE;
	turn(&cong, 6 * BASE, 0);
	expect_eq(prp_cong_window(&cong), 30);
}

UNIT(prp_cong_share__seven_tenths_for_a_loss)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);

	turn(&cong, 20 * BASE, 1);
	expect_eq(prp_cong_window(&cong), 70);
}

/* So many rounds of so long each after a loss at 100 segments left 70 of them:
 * segments
 */
static unsigned int share_after(unsigned int rounds, u32 rtt_us)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);

	turn(&cong, rtt_us, 1);
	expect_eq(prp_cong_window(&cong), 70);
	while (rounds--)
		turn(&cong, rtt_us, 0);
	return prp_cong_window(&cong);
}

/* Half a segment each round where that is more than by the clock */
UNIT(prp_cong_share__as_reno_where_rounds_are_short)
{
	expect_eq(share_after(20, 5000), 80);
	expect_eq(share_after(60, 5000), 100);
}

/* It takes cubic 4.217 s to be where it was; 5 s later it has 0.4 more for each
 * of 125 seconds cubed.
 */
UNIT(prp_cong_share__as_cubic_where_rounds_are_long)
{
	unsigned int window = share_after(42, 100000);

	expect_true(window == 100 || window == 101);
	window = share_after(92, 100000);
	expect_true(window >= 148 && window <= 151);
	/* for ever, and no further than there is room for */
	expect_eq(share_after(10000, 100000), PRP_WIN);
}

/* What was not kept back says nothing of how much more there is room for. */
UNIT(prp_cong_share__not_by_the_clock_while_it_is_not_used)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);
	struct prp_cong_heard heard = { .rtt_us = 100000 };
	unsigned int i;

	turn(&cong, 100000, 1);
	for (i = 0; i < 1000; i++) {
		heard.acked = prp_cong_window(&cong);
		heard.in_flight = heard.acked;
		heard.tick = cong.tick + 200;
		cong.limited = false;
		prp_cong_acked(&cong, &heard);
	}
	expect_eq(prp_cong_window(&cong), 70);
	turn(&cong, 100000, 0);
	expect_true(prp_cong_window(&cong) <= 73);
}

/* Others who only keep what they were told to show no loss: a queue as long as
 * theirs and half of it is as much as we make, whatever was there before.
 */
UNIT(prp_cong_share__about_as_much_as_others_until_a_loss)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 10);

	cong.grown = 1;
	cong.others_us = 2000;
	turn(&cong, BASE + 3000, 0);
	expect_eq(cong.cwnd, 15 * ONE);
	turn(&cong, BASE + 3001, 0);
	expect_eq(cong.cwnd, 15 * ONE);
	/* that was less when last seen */
	prp_cong_drained(&cong, BASE + 2500, cong.tick);
	expect_eq(cong.others_us, 2500);
	turn(&cong, BASE + 3001, 0);
	expect_eq(cong.cwnd, 22 * ONE + ONE / 2);
}

/* The queue was 10 ms long when a loss was, and others' is so long when it has
 * drained: what becomes of a window of 70 segments?
 */
static unsigned int caught_up(u32 others_us, bool used)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);

	turn(&cong, BASE + 10000, 1);
	cong.used = used;
	cong.drain.from_us = BASE + 10000;
	prp_cong_drained(&cong, BASE + others_us, cong.tick);
	expect_eq(cong.before > 100 * ONE, prp_cong_window(&cong) > 70);
	return prp_cong_window(&cong);
}

/* Two fifths of a queue are enough, and who has less gets more. */
UNIT(prp_cong_drained__catches_up_with_others)
{
	expect_eq(caught_up(9999, true), 79);
	expect_eq(caught_up(6010, true), 79);
	expect_eq(caught_up(5990, true), 70);
	expect_eq(caught_up(20000, true), 79); /* they may have become more */
	expect_eq(caught_up(1, true), 70);
	expect_eq(caught_up(9999, false), 70);
}

/* For as long as others have more, and no further than there is room for */
UNIT(prp_cong_drained__catches_up_with_others_for_ever)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);
	unsigned int i;

	turn(&cong, BASE + 10000, 1);
	for (i = 0; i < 1000; i++) {
		turn(&cong, BASE + 10000, 0);
		cong.drain.from_us = BASE + 10000;
		prp_cong_drained(&cong, BASE + 9999, cong.tick);
	}
	expect_eq(prp_cong_window(&cong), PRP_WIN);
	turn(&cong, BASE + 10000, 1);
	expect_eq(prp_cong_window(&cong), 359);
}

/* Who was crowded out by others begins with one segment at least. */
UNIT(prp_cong_stands__a_window_to_begin_with)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);
	unsigned int i;

	cong.stays = true;
	cong.cwnd = PRP_CWND_LEAST;
	for (i = 0; i < 5000 && cong.mode == PRP_CONG_ALONE; i++)
		turn(&cong, 20 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	expect_eq(cong.cwnd, ONE);
}

/* Did a round with such a queue seem to have one of others? */
static bool small_stood(u32 queue_us, bool stays, bool lossy)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);

	cong.cwnd = PRP_CWND_LEAST;
	cong.stays = stays;
	cong.doubt = lossy ? 64 : 0;
	turn(&cong, BASE + queue_us, 0);
	return cong.stood;
}

/* So small a window may let segments wait for 1.7 ms; but where others keep a
 * queue of 1 ms it is theirs, or of 625 us where something was lost of late.
 */
UNIT(prp_cong_stands__what_is_too_long_of_others)
{
	expect_true(!small_stood(1900, false, true));
	expect_true(!small_stood(1000, true, false));
	expect_true(small_stood(1001, true, false));
	expect_true(!small_stood(625, true, true));
	expect_true(small_stood(626, true, true));
}

/* It may be gone for a moment, as others, too, have taken something back. */
UNIT(prp_cong_share__ends_with_the_queue_that_drains)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);

	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	prp_cong_drained(&cong, 2 * BASE + 100, cong.tick);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	prp_cong_drained(&cong, BASE, cong.tick);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* A loss while segments wait is none of chance; what was sent before the window
 * was made smaller does not count.
 */
UNIT(prp_cong_alone__seven_tenths_for_a_loss_in_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	turn(&cong, 4 * BASE, 1);
	expect_eq(prp_cong_window(&cong), 70);
	turn(&cong, 4 * BASE, 1);
	expect_eq(prp_cong_window(&cong), 70);
	turn(&cong, 4 * BASE, 1);
	expect_eq(prp_cong_window(&cong), 49);
}

UNIT(prp_cong_alone__known_chance_is_let_be_in_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	cong.noise.share = PRP_NOISE_WHOLE / 20;
	turn(&cong, 4 * BASE, 5);
	expect_true(prp_cong_window(&cong) >= 100);
	turn(&cong, 4 * BASE, 20);
	expect_true(prp_cong_window(&cong) < 100);
}

UNIT(prp_cong_share__grows_fast_until_the_first_loss)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 40);
	unsigned int i, window;

	cong.stays = true;
	for (i = 0; i < 5000 && cong.mode == PRP_CONG_ALONE; i++)
		turn(&cong, 20 * BASE, 0);
	do
		turn(&cong, 20 * BASE, 0);
	while (cong.drain.now);
	window = prp_cong_window(&cong);
	expect_true(window >= 42);
	turn(&cong, 20 * BASE, 1);
	expect_true(prp_cong_window(&cong) < window);
	window = prp_cong_window(&cong);
	turn(&cong, 20 * BASE, 0);
	expect_true(prp_cong_window(&cong) <= window + 1);
}

/* In how many of so many ticks is the queue to drain? */
static unsigned int drains(struct prp_cong *cong, u32 from, u32 ticks)
{
	unsigned int i, count = 0;

	for (i = 0; i < ticks; i++) {
		prp_cong_tick(cong, from + i);
		count += cong->drain.now;
	}
	return count;
}

UNIT(prp_cong_tick__lets_the_queue_drain_now_and_then)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	expect_eq(drains(&cong, LONG, 2048), 2 * 4);
	cong.mode = PRP_CONG_SHARE;
	expect_eq(drains(&cong, LONG + 2048, 2048), 2 * 4);
	cong.mode = PRP_CONG_POLICED;
	expect_eq(drains(&cong, LONG + 4096, 2048), 0);
	cong.mode = PRP_CONG_START;
	expect_eq(drains(&cong, LONG + 6144, 2048), 0);
}

/* Where that takes long, it is rare. */
UNIT(prp_cong_tick__long_round_trips)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);

	turn(&cong, 50000, 0);
	expect_eq(drains(&cong, LONG, 4096), 2 * 173);
}

/* It drains whatever the window is by then, and is not filled at once. */
/* All drain at the same time, and what was saved up is void: the first thing
 * that is heard then says so, once.
 */
UNIT(prp_cong_acked__the_queue_is_to_drain)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 40);
	struct prp_cong_heard heard = {
		.acked = 1,
		.in_flight = 39,
		.tick = 3 * PRP_DRAIN_EVERY,
	};

	cong.tick = heard.tick - 10;
	expect_eq(prp_cong_acked(&cong, &heard), PRP_CONG_DRAINS);
	expect_true(cong.drain.now);
	heard.tick++;
	expect_eq(prp_cong_acked(&cong, &heard), PRP_CONG_NOTHING);
	cong = steady(PRP_CONG_POLICED, 40);
	cong.tick = heard.tick - 10;
	expect_eq(prp_cong_acked(&cong, &heard), PRP_CONG_NOTHING);
}

UNIT(prp_cong_pace__an_eighth_while_the_queue_drains)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 100);
	u32 at = LONG / 2048 * 2048 + 2048;
	u64 pace;

	turn(&cong, 10 * BASE, 0);
	pace = prp_cong_pace(&cong, 1500) / 5 * 4;
	prp_cong_tick(&cong, at);
	cong.rtt_us = BASE;
	expect_true(prp_cong_pace(&cong, 1500) / 100 == pace / 800);
	prp_cong_tick(&cong, at + 11);
	expect_eq(prp_cong_pace(&cong, 1500) / 100, pace / 100);
	prp_cong_tick(&cong, at + 15);
	expect_true(prp_cong_pace(&cong, 1500) > 10 * pace);
}

/* Who came late has seen a queue only, and learns how long the way is. */
UNIT(prp_cong_drained__tells_the_base)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 4);

	cong.base_us = 20 * BASE;
	prp_cong_drained(&cong, BASE, LONG);
	expect_eq(cong.base_us, BASE);
	expect_true(!cong.stays);
}

/* Rounds with a queue for as long as it takes to believe in others */
static void stood(struct prp_cong *cong)
{
	unsigned int i;

	for (i = 0; i < 2000; i++)
		turn(cong, 20 * BASE, 0);
}

UNIT(prp_cong_stands__only_what_does_not_drain)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	stood(&cong);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	prp_cong_drained(&cong, BASE, cong.tick);
	stood(&cong);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	prp_cong_drained(&cong, 20 * BASE, cong.tick);
	stood(&cong);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	prp_cong_drained(&cong, 10 * BASE, cong.tick);
	expect_eq(cong.mode, PRP_CONG_SHARE);
	prp_cong_drained(&cong, BASE, cong.tick);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* A queue that stood and has drained was one; hosts are not late all the time,
 * and what overtakes has another reason.
 */
UNIT(prp_cong_drained__tells_a_queue_from_late_hosts)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 64);

	cong.patience = 64;
	cong.lately = true;
	cong.drain.low_us = BASE;
	prp_cong_drained(&cong, BASE, LONG);
	expect_eq(cong.patience, 64);
	cong.drain.low_us = 20 * BASE;
	prp_cong_drained(&cong, 20 * BASE, LONG);
	expect_eq(cong.patience, 64);
	cong.lately = false;
	cong.drain.low_us = 20 * BASE;
	prp_cong_drained(&cong, BASE, LONG);
	expect_eq(cong.patience, 64);
	cong.lately = true;
	cong.drain.low_us = 20 * BASE;
	prp_cong_drained(&cong, BASE, LONG);
	expect_eq(cong.patience, 0);
	expect_true(!cong.lately);
}

/* All who see the same queue go to the same window, whatever they have. */
UNIT(prp_cong_grow__small_windows_become_equal)
{
	u32 from[] = { PRP_CWND_LEAST, ONE / 3, ONE, 3 * ONE }, cwnd;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		struct prp_cong cong = steady(PRP_CONG_ALONE, 1);

		cong.cwnd = from[i];
		cong.best = 8;
		for (k = 0; k < 400; k++)
			turn(&cong, BASE + 1250, 0);
		/* 500 and three quarters of 1000 us: a quarter of four */
		cwnd = cong.cwnd;
		expect_true(cwnd > ONE / 8 * 7 && cwnd < ONE / 8 * 9);
	}
}

UNIT(prp_cong_acked__small_windows_grow_slowly)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);
	unsigned int was;

	for (was = ONE; was >= PRP_CWND_LEAST; was /= 2) {
		cong.cwnd = was;
		turn(&cong, BASE, 0);
		expect_true(cong.cwnd > was);
		expect_true(cong.cwnd - was <= ONE / 4);
	}
}

/* A single segment waits for no other one, so that its round trip is that of
 * the way, however long that is.
 */
UNIT(prp_cong_acked__a_small_window_sees_the_whole_queue)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);
	unsigned int i;

	cong.cwnd = ONE / 4;
	cong.base_us = 5000;
	for (i = 0; i < 3; i++)
		turn(&cong, 7000, 0);
	expect_true(cong.cwnd < ONE / 4);
}

UNIT(prp_cong_silent__halves_down_to_one)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);
	unsigned int i;

	prp_cong_silent(&cong);
	expect_eq(prp_cong_window(&cong), 8);
	for (i = 0; i < 100; i++)
		prp_cong_silent(&cong);
	expect_eq(cong.cwnd, ONE);
}

/* It is taken for longer, but not for ever. */
UNIT(prp_cong_silent__round_trips_are_longer)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 16);
	unsigned int i;

	prp_cong_silent(&cong);
	expect_eq(cong.rtt_us, 2 * BASE);
	for (i = 0; i < 100; i++)
		prp_cong_silent(&cong);
	expect_eq(cong.rtt_us, BASE + 5000);
	expect_eq(cong.mode, PRP_CONG_SHARE);
}

UNIT(prp_cong_silent__ends_the_start)
{
	struct prp_cong cong = steady(PRP_CONG_START, 16);

	prp_cong_silent(&cong);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_eq(prp_cong_window(&cong), 8);
}

/* Nothing was heard until the window was one segment. */
static struct prp_cong hushed(void)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);
	unsigned int i;

	for (i = 0; i < 5; i++)
		prp_cong_silent(&cong);
	return cong;
}

UNIT(prp_cong_silent__begins_again_where_nothing_waits)
{
	struct prp_cong cong = hushed();

	expect_true(!prp_cong_lost(&cong, 16));
	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_START);
	/* what was lost before may be found later, too */
	expect_true(!prp_cong_lost(&cong, 16));
	turn(&cong, BASE, 0);
	expect_eq(prp_cong_window(&cong), 2);
	turn(&cong, BASE, 0);
	expect_eq(prp_cong_window(&cong), 4);
	expect_true(prp_cong_lost(&cong, 16));
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

UNIT(prp_cong_silent__does_not_where_there_is_a_queue)
{
	struct prp_cong cong = hushed();
	unsigned int i;

	for (i = 0; i < 10; i++) {
		turn(&cong, i ? BASE : 20 * BASE, 0);
		expect_eq(cong.mode, PRP_CONG_ALONE);
	}
}

/* One of many has less than a segment before nothing is heard. */
UNIT(prp_cong_silent__does_not_with_a_small_window)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);

	cong.cwnd = ONE;
	prp_cong_silent(&cong);
	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	cong.cwnd = ONE / 2;
	prp_cong_silent(&cong);
	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* A few answers stayed out: the window says what that was. */
UNIT(prp_cong_silent__does_not_before_it_is_one)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 16);

	prp_cong_silent(&cong);
	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* Questions or answers were lost, and nothing else. */
UNIT(prp_cong_silent__asks_more_often)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 32);

	cong.pipe = 4;
	expect_true(prp_cong_every(&cong, 16, 1) == 12);
	prp_cong_silent(&cong);
	expect_true(prp_cong_every(&cong, 16, 1) == 8);
	cong.best = 10;
	turn(&cong, BASE, 0);
	expect_true(prp_cong_every(&cong, 16, 1) == 8);
}

UNIT(prp_cong_policed__a_small_window_comes_back)
{
	struct prp_cong cong = steady(PRP_CONG_POLICED, 1);
	unsigned int i;

	cong.cwnd = PRP_CWND_LEAST;
	for (i = 0; i < 32; i++)
		turn(&cong, BASE, 0);
	expect_true(cong.cwnd >= ONE);
}

/* A 16th more in a round, but no more than a quarter of a segment */
UNIT(prp_cong_policed__grows_where_it_is_used)
{
	struct prp_cong_heard heard = { .acked = 100, .rtt_us = BASE };
	struct prp_cong cong = steady(PRP_CONG_POLICED, 2);

	turn(&cong, BASE, 0);
	expect_eq(cong.cwnd, 2 * ONE + 2 * ONE / 16);
	cong = steady(PRP_CONG_POLICED, 100);
	turn(&cong, BASE, 0);
	expect_eq(cong.cwnd, 100 * ONE + ONE / 4);
	heard.acked = prp_cong_window(&cong);
	heard.tick = cong.tick + 1;
	prp_cong_lost(&cong, 1);
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.cwnd, (100 * ONE + ONE / 4) / 10 * 7);
}

/* What has a queue drops nothing at once. */
UNIT(prp_cong_policed__ends_with_a_queue)
{
	struct prp_cong cong = steady(PRP_CONG_POLICED, 64);

	turn(&cong, FREE + 1000, 0);
	expect_eq(cong.mode, PRP_CONG_POLICED);
	cong = steady(PRP_CONG_POLICED, 64);
	turn(&cong, FREE + 1001, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_eq(prp_cong_window(&cong), 64);
}

/* 2 s later we look whether there still is one. */
UNIT(prp_cong_policed__for_so_long)
{
	struct prp_cong cong = steady(PRP_CONG_POLICED, 100);

	cong.tick = LONG + 3999;
	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_POLICED);
	expect_eq(cong.cwnd, 100 * ONE + ONE / 4);
	turn(&cong, BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_eq(cong.cwnd, 100 * ONE + ONE / 4);
}

UNIT(prp_cong_pace__a_window_a_round_trip)
{
	struct prp_cong cong = steady(PRP_CONG_SHARE, 1);
	u64 pace = 1000000 / BASE * 1500;

	expect_eq(prp_cong_pace(&cong, 1500), pace);
	cong.cwnd = 100 * ONE;
	expect_eq(prp_cong_pace(&cong, 1500), pace * 125);
	cong.mode = PRP_CONG_START;
	expect_eq(prp_cong_pace(&cong, 1500), pace * 200);
}

UNIT(prp_cong_window__never_none)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 1);

	cong.cwnd = PRP_CWND_LEAST;
	expect_eq(prp_cong_window(&cong), 1);
	expect_true(prp_cong_pace(&cong, 1));
}

UNIT(prp_cong_acked__the_base_is_forgotten_in_the_end)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 10);
	unsigned int i;

	for (i = 0; i < 50000; i++)
		turn(&cong, 2 * BASE, 0);
	expect_eq(cong.base_us, 2 * BASE);
}

UNIT(prp_cong_acked__a_repeat_does_not_make_the_base)
{
	struct prp_cong_heard heard = { .acked = 1,
					.rtt_us = 1,
					.again = true };
	struct prp_cong cong = steady(PRP_CONG_ALONE, 10);

	prp_cong_acked(&cong, &heard);
	expect_eq(cong.base_us, BASE);
	/* but where none is known it is one */
	prp_cong_init(&cong);
	heard.rtt_us = 3 * BASE;
	prp_cong_acked(&cong, &heard);
	expect_eq(cong.base_us, 3 * BASE);
}

/* ---------------------------------------------------------- one of many */

/* What a round trip of one segment tells, with so many who send. */
static enum prp_cong_said trip(struct prp_cong *cong, u32 rtt_us, u16 active)
{
	struct prp_cong_heard heard = {
		.acked = 1,
		.rtt_us = rtt_us,
		.active = active,
		.tick = cong->tick + 1,
	};

	return prp_cong_acked(cong, &heard);
}

UNIT(prp_cong_crowd__all_begin_with_what_one_does)
{
	static const u32 among[] = { 2, 3, 16, 64, 256, 257, 65535, ~0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(among); i++) {
		struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);
		u32 share = PRP_CWND_FIRST * ONE / among[i];

		expect_true(prp_cong_crowd(&cong, among[i], 0, LONG));
		expect_eq(cong.cwnd, max_t(u32, share, PRP_CWND_LEAST));
		expect_eq(cong.mode, PRP_CONG_ALONE);
		expect_true(prp_cong_window(&cong) >= 1);
	}
}

UNIT(prp_cong_crowd__not_of_one)
{
	struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);

	expect_true(!prp_cong_crowd(&cong, 0, 0, LONG));
	expect_true(!prp_cong_crowd(&cong, 1, 0, LONG));
	expect_eq(cong.mode, PRP_CONG_START);
	expect_eq(prp_cong_window(&cong), PRP_CWND_FIRST);
}

/* Nor of who has less, or does not go by how long segments wait */
UNIT(prp_cong_crowd__less_stays)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 8);

	expect_true(!prp_cong_crowd(&cong, 2, 0, LONG));
	cong = steady(PRP_CONG_SHARE, 100);
	expect_true(!prp_cong_crowd(&cong, 64, 0, LONG));
	cong = steady(PRP_CONG_POLICED, 100);
	expect_true(!prp_cong_crowd(&cong, 64, 0, LONG));
	expect_eq(prp_cong_window(&cong), 100);
	cong = steady(PRP_CONG_ALONE, 1);
	cong.cwnd = PRP_CWND_LEAST;
	expect_true(!prp_cong_crowd(&cong, 65535, 0, LONG));
}

/* What is known to get through is no less for that there may be many. */
UNIT(prp_cong_crowd__what_is_known)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	expect_true(!prp_cong_crowd(&cong, 64, 100, LONG));
	expect_true(!prp_cong_crowd(&cong, 64, ~0, LONG));
	expect_eq(prp_cong_window(&cong), 100);
	expect_true(prp_cong_crowd(&cong, 64, 99, LONG));
	expect_eq(cong.cwnd, 99 * ONE);
	cong = steady(PRP_CONG_ALONE, 100);
	expect_true(prp_cong_crowd(&cong, 8, 1, LONG));
	expect_eq(cong.cwnd, 2 * ONE);
}

/* What was learned alone is not forgotten: two round trips show that nobody
 * else is there.
 */
UNIT(prp_cong_crowd__nobody_is_there)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 100);

	expect_true(prp_cong_crowd(&cong, 64, 0, LONG));
	expect_eq(trip(&cong, BASE + 50, 1), PRP_CONG_FREE);
	expect_true(prp_cong_window(&cong) <= 2);
	expect_eq(trip(&cong, BASE + 50, 0), PRP_CONG_FREE);
	expect_true(prp_cong_window(&cong) >= 100);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_true(trip(&cong, BASE, 2) != PRP_CONG_FREE);
	expect_true(prp_cong_crowd(&cong, 64, 0, LONG + 5));
}

/* Nor is a round trip that is long for another reason a crowd. */
UNIT(prp_cong_crowd__slow_and_alone)
{
	struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);

	expect_true(prp_cong_crowd(&cong, 64, 0, LONG));
	expect_eq(trip(&cong, 20 * BASE, 1), PRP_CONG_FREE);
	expect_eq(trip(&cong, 20 * BASE, 1), PRP_CONG_FREE);
	expect_eq(cong.mode, PRP_CONG_START);
	expect_true(prp_cong_window(&cong) >= PRP_CWND_FIRST);
}

/* Round trips stay short where the port is fast: that is no proof. */
UNIT(prp_cong_crowd__many_at_a_fast_port)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 300);

	expect_true(prp_cong_crowd(&cong, 200, 0, LONG));
	expect_true(trip(&cong, BASE + 50, 200) != PRP_CONG_FREE);
	expect_true(trip(&cong, BASE + 50, 200) != PRP_CONG_FREE);
	expect_eq(prp_cong_window(&cong), 1);
	expect_eq(cong.mode, PRP_CONG_START);
}

/* Nothing that was heard before the pause is of the first round after it. */
UNIT(prp_cong_crowd__begins_a_round)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 300);

	cong.got = 100;
	cong.lost = 3;
	cong.round_us = BASE;
	cong.last_us = BASE;
	cong.hushed = 1;
	expect_true(prp_cong_crowd(&cong, 4, 0, LONG + 7));
	expect_eq(cong.need, 4);
	expect_true(!cong.got && !cong.lost && !cong.hushed);
	expect_true(!cong.round_us && !cong.last_us);
	expect_eq(cong.tick, LONG + 7);
	expect_eq(cong.born_tick, LONG + 7);
	expect_eq(cong.alone_mode, PRP_CONG_START);
}

/* Who has lost something does not go back to all that he had. */
UNIT(prp_cong_crowd__losses)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 300);

	expect_true(prp_cong_crowd(&cong, 200, 0, LONG));
	prp_cong_lost(&cong, 1);
	prp_cong_silent(&cong);
	trip(&cong, BASE, 0);
	prp_cong_lost(&cong, 1);
	trip(&cong, BASE, 0);
	expect_true(prp_cong_window(&cong) <= 2);
	trip(&cong, BASE, 0);
	trip(&cong, BASE, 0);
	expect_true(prp_cong_window(&cong) <= PRP_CWND_FIRST + 1);
}

/* What was tried with losses is not taken back in the middle of a crowd. */
UNIT(prp_cong_crowd__ends_a_trial)
{
	struct prp_cong cong = steady(PRP_CONG_ALONE, 150);

	cong.before = 400 * ONE;
	cong.noise.trying = U8_MAX;
	expect_true(prp_cong_crowd(&cong, 200, 0, LONG));
	expect_eq(cong.alone, 200 * ONE);
	trip(&cong, BASE + 2400, 200);
	expect_true(prp_cong_window(&cong) <= 2);
	expect_eq(cong.noise.trying, 0);
}

/* After another pause it begins anew, with what it had before the first. */
UNIT(prp_cong_crowd__twice)
{
	struct prp_cong cong = steady(PRP_CONG_START, 100);

	expect_true(prp_cong_crowd(&cong, 2, 0, LONG));
	expect_true(prp_cong_crowd(&cong, 1000, 0, LONG + 100));
	expect_eq(cong.cwnd, PRP_CWND_LEAST);
	trip(&cong, BASE, 1);
	expect_eq(trip(&cong, BASE, 1), PRP_CONG_FREE);
	expect_true(prp_cong_window(&cong) >= 100);
	expect_eq(cong.mode, PRP_CONG_START);
}

UNIT(prp_cong_crowd__many_are_there)
{
	struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);

	expect_true(prp_cong_crowd(&cong, 64, 0, LONG));
	expect_true(trip(&cong, 20 * BASE, 30) != PRP_CONG_FREE);
	expect_true(trip(&cong, 20 * BASE, 64) != PRP_CONG_FREE);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_eq(prp_cong_window(&cong), 1);
	expect_eq(cong.crowd, 0);
}

/* The first of them has nobody before it. */
UNIT(prp_cong_crowd__many_come_behind)
{
	struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);

	expect_true(prp_cong_crowd(&cong, 64, 0, LONG));
	expect_eq(trip(&cong, BASE, 1), PRP_CONG_FREE);
	expect_true(trip(&cong, 20 * BASE, 40) != PRP_CONG_FREE);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_true(prp_cong_window(&cong) <= 2);
}

/* A few of many who may get what a few do. */
UNIT(prp_cong_crowd__few_are_there)
{
	struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);

	expect_true(prp_cong_crowd(&cong, 64, 0, LONG));
	trip(&cong, 3 * BASE, 2);
	trip(&cong, 3 * BASE, 2);
	expect_true(prp_cong_window(&cong) >= PRP_CWND_FIRST / 2);
	expect_eq(cong.mode, PRP_CONG_ALONE);
}

/* A peer that does not say how many send is believed to have many. */
UNIT(prp_cong_crowd__not_told)
{
	struct prp_cong cong = steady(PRP_CONG_START, PRP_CWND_FIRST);

	expect_true(prp_cong_crowd(&cong, 64, 0, LONG));
	trip(&cong, 20 * BASE, 0);
	trip(&cong, 20 * BASE, 0);
	expect_eq(cong.mode, PRP_CONG_ALONE);
	expect_eq(prp_cong_window(&cong), 1);
}

/* Whatever happens, the window stays within its bounds. */
UNIT(prp_cong__random_events_keep_the_bounds)
{
	struct prp_cong cong;
	unsigned int i;

	prp_cong_init(&cong);
	for (i = 0; i < 500000; i++) {
		u64 dice = unit_random();
		struct prp_cong_heard heard = {
			.acked = dice >> 8 & 0x1ff,
			.in_flight = dice >> 17 & 0x1ff,
			.rtt_us = dice & 3 ? (dice >> 26 & 0xffffff) >>
						     (dice >> 50 & 31) :
					     0,
			.again = dice & 4,
			.behind = dice >> 35 & 0x1ff,
			.active = dice >> 33 & 3,
			.tick = cong.tick + (dice >> 56 & 15),
		};

		cong.limited |= dice >> 40 & 1;
		if (dice % 32 == 0)
			prp_cong_silent(&cong);
		else if (dice % 32 == 6)
			prp_cong_crowd(&cong, dice >> 8 & 0x7f,
				       dice >> 16 & 0x3ff, heard.tick);
		else if (dice % 32 < 6)
			prp_cong_lost(&cong,
				      (heard.in_flight >> (dice >> 60)) + 1);
		else
			prp_cong_acked(&cong, &heard);
		expect_true(cong.cwnd >= PRP_CWND_LEAST);
		expect_true(cong.cwnd <= PRP_WIN * ONE);
		expect_true(cong.need && cong.lost <= PRP_WIN);
		expect_true(prp_cong_pace(&cong, 24));
	}
}
