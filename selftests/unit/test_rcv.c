// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's end of selective repeat: a table for each rule of rcv.h.
 * Segments and transmission numbers are counted from the first ones.
 *
 *	init COUNT			of segments that are promised
 *	open COUNT
 *	check SEGMENT -> next | late | duplicate | outside
 *	accept SEGMENTS -> COUNT	that are in order then
 *	takes SEGMENT COUNT -> 0 | 1	prp_rcv_takes_run()
 *	run COUNT			prp_rcv_accept_run(), as one buffer
 *	saw NUMBER on RAIL
 *	sack ROOM -> SEGMENTS words COUNT [offset COUNT]
 *	claim SEGMENT			that it has arrived
 *	map = SEGMENTS
 *	nxt | edge | high | ... = NUMBER	see value()
 */
#include <string.h>

#include <linux/kernel.h>

#include "pure/rcv.h"
#include "script.h"
#include "window.h"

static struct prp_rcv rcv;

/* ----------------------------------------------------------- the steps */

/* Set are these bits; the one at is of segment first. */
static void map_is(const u64 *map, u32 at, u32 first)
{
	struct script_set set;
	unsigned int i;

	script_read_set(&set);
	for (i = 0; i < set.count; i++)
		if (!bit(map, at + set.of[i] - first))
			script_fail("a segment is missing");
	script_expect("bits", bits(map), set.count);
}

static void check(void)
{
	static const char *const kinds[] = {
		[PRP_SEG_NEXT] = "next",
		[PRP_SEG_LATE] = "late",
		[PRP_SEG_DUPLICATE] = "duplicate",
		[PRP_SEG_OUTSIDE] = "outside",
	};
	enum prp_seg kind = prp_rcv_check(&rcv, FIRST_SEQ + script_number());

	script_take("->");
	script_take(kinds[kind]);
}

static void accept(void)
{
	struct script_set set;
	unsigned int i, count = 0;

	script_read_set(&set);
	for (i = 0; i < set.count; i++) {
		if (prp_rcv_check(&rcv, FIRST_SEQ + set.of[i]) > PRP_SEG_LATE)
			script_fail("not to be taken");
		count += prp_rcv_accept(&rcv, FIRST_SEQ + set.of[i]);
	}
	script_expect_result(count);
}

static void takes(void)
{
	u32 seq = FIRST_SEQ + script_number();

	script_expect_result(prp_rcv_takes_run(&rcv, seq, script_number()));
}

static void saw(void)
{
	u32 txno = TXNO(script_number());

	script_take("on");
	prp_rcv_saw(&rcv, script_number(), txno);
}

/* What the words do not have, and rails that are not set, is nobody's. */
static void sack(void)
{
	struct prp_sack sack;
	unsigned int rail;

	memset(&sack, 0xa5, sizeof(sack));
	prp_rcv_sack(&rcv, &sack, script_number());
	script_take("->");
	memset(sack.map + sack.words, 0,
	       sizeof(*sack.map) * (PRP_WIN_WORDS - sack.words));
	map_is(sack.map, 0, rcv.nxt - FIRST_SEQ + 1 + sack.offset);
	script_take("words");
	script_expect("words", sack.words, script_number());
	script_expect("offset", sack.offset,
		      script_next("offset") ? script_number() : 0);
	script_expect("rails", sack.rails, rcv.rails);
	for (rail = 0; rail < PRP_WIN_RAILS; rail++)
		if (rcv.rails & (1 << rail))
			script_expect("newest", sack.newest[rail],
				      rcv.newest[rail]);
}

static void value(void)
{
	const struct script_value values[] = {
		{ "nxt", rcv.nxt - FIRST_SEQ },
		{ "edge", rcv.edge - FIRST_SEQ },
		{ "high", rcv.high - FIRST_SEQ },
		{ "late", rcv.late },
		{ "rails", rcv.rails },
		{ "newest0", rcv.newest[0] - FIRST_TXNO },
		{ "newest1", rcv.newest[1] - FIRST_TXNO },
		{ "newest3", rcv.newest[3] - FIRST_TXNO },
		{ "newest7", rcv.newest[7] - FIRST_TXNO },
	};

	script_expect_value(values, ARRAY_SIZE(values));
}

static void step(void)
{
	if (script_next("init")) {
		prp_rcv_init(&rcv, FIRST_SEQ, script_number());
	} else if (script_next("open")) {
		prp_rcv_open(&rcv, script_number());
	} else if (script_next("check")) {
		check();
	} else if (script_next("accept")) {
		accept();
	} else if (script_next("takes")) {
		takes();
	} else if (script_next("run")) {
		script_expect("buffers",
			      prp_rcv_accept_run(&rcv, script_number()), 1);
	} else if (script_next("saw")) {
		saw();
	} else if (script_next("sack")) {
		sack();
	} else if (script_next("claim")) {
		rcv.high = FIRST_SEQ + script_number() + 1;
	} else if (script_next("map")) {
		script_take("=");
		map_is(rcv.map, rcv.nxt, rcv.nxt - FIRST_SEQ);
	} else {
		value();
	}
}

static void play(const char *script)
{
	memset(&rcv, 0xa5, sizeof(rcv));
	script_play(script, step);
}

/* ------------------------------------------------------------- the rules */

static const struct unit_row prp_rcv_init_rows[] = {
	{ "prp_rcv_init__waits_for_the_first",
	  "init 10; nxt = 0; high = 0; edge = 10; late = 0; rails = 0;"
	  "map = none" },
	{ "prp_rcv_init__promises_nothing", "init 0; nxt = 0; edge = 0" },
};

UNIT_ROWS(prp_rcv_init_rows, play)

static const struct unit_row prp_rcv_check_rows[] = {
	{ "prp_rcv_check__what_a_segment_is",
	  "init 20; accept 0 -> 1; accept 5 -> 0; check 0 -> duplicate;"
	  "check 1 -> next; check 2 -> late; check 5 -> duplicate;"
	  "check 6 -> late; check 19 -> late; check 20 -> outside" },
	{ "prp_rcv_check__far_from_the_window",
	  "init 20; check -1 -> duplicate; check -0x7fffffff -> duplicate;"
	  "check 0x7fffffff -> outside; check 512 -> outside" },
	{ "prp_rcv_check__nothing_promised",
	  "init 0; check 0 -> outside; check 1 -> outside" },
	{ "prp_rcv_check__one_promised",
	  "init 1; check 0 -> next; check 1 -> outside" },
	{ "prp_rcv_check__all_that_was_promised_is_here",
	  "init 2; accept 0 1 -> 2; check 1 -> duplicate; check 2 -> outside" },
	/* Even if more was promised: places are reused after PRP_WIN. */
	{ "prp_rcv_check__no_more_than_the_window",
	  "init 1024; check 511 -> late; check 512 -> outside" },
	{ "prp_rcv_check__no_more_than_the_window_behind_the_wrap",
	  "init 1024; accept 0..299 -> 300; check 811 -> late;"
	  "check 812 -> outside" },
};

UNIT_ROWS(prp_rcv_check_rows, play)

UNIT(prp_rcv_accept__in_order_across_the_wrap)
{
	u32 n;

	prp_rcv_init(&rcv, FIRST_SEQ, PRP_WIN);
	for (n = 0; n < PRP_WIN; n++) {
		expect_eq(prp_rcv_check(&rcv, FIRST_SEQ + n), PRP_SEG_NEXT);
		expect_eq(prp_rcv_accept(&rcv, FIRST_SEQ + n), 1);
		expect_eq(rcv.nxt, (u32)(FIRST_SEQ + n + 1));
		expect_eq(rcv.high, rcv.nxt);
	}
}

UNIT(prp_rcv_accept__whole_window_behind_one_gap)
{
	u32 n;

	prp_rcv_init(&rcv, FIRST_SEQ, PRP_WIN);
	for (n = PRP_WIN - 1; n; n--)
		expect_eq(prp_rcv_accept(&rcv, FIRST_SEQ + n), 0);
	script_play("late = 511; high = 512; accept 0 -> 512; map = none;"
		    "late = 0; nxt = 512",
		    step);
}

static const struct unit_row prp_rcv_accept_rows[] = {
	{ "prp_rcv_accept__late_ones_wait",
	  "init 512; accept 2 1 -> 0; nxt = 0; late = 2; high = 3;"
	  "map = 1 2" },
	{ "prp_rcv_accept__late_ones_follow_up_to_the_next_gap",
	  "init 512; accept 1 2 4 -> 0; accept 0 -> 3; nxt = 3; late = 1;"
	  "accept 3 -> 2; late = 0; map = none" },
};

UNIT_ROWS(prp_rcv_accept_rows, play)

static const struct unit_row prp_rcv_run_rows[] = {
	{ "prp_rcv_run__all_of_it_promised",
	  "init 10; takes 0 10 -> 1; takes 0 11 -> 0; run 10; nxt = 10;"
	  "high = 10; late = 0; map = none; takes 10 2 -> 0; open 2;"
	  "takes 10 2 -> 1" },
	{ "prp_rcv_run__in_order_only",
	  "init 100; takes 1 2 -> 0; takes -1 2 -> 0; accept 0 -> 1;"
	  "takes 0 2 -> 0; takes 1 2 -> 1; takes 1 63 -> 1" },
	{ "prp_rcv_run__nothing_beyond_a_gap",
	  "init 100; accept 5 -> 0; takes 0 2 -> 0; takes 0 63 -> 0;"
	  "accept 0..4 -> 6; takes 6 2 -> 1; run 2; nxt = 8; high = 8" },
	{ "prp_rcv_run__across_the_wrap",
	  "init 512; run 63; run 63; run 63; run 63; run 63; nxt = 315;"
	  "check 314 -> duplicate; check 315 -> next; check 316 -> late" },
	{ "prp_rcv_run__nothing_promised", "init 0; takes 0 2 -> 0" },
};

UNIT_ROWS(prp_rcv_run_rows, play)

static const struct unit_row prp_rcv_open_rows[] = {
	{ "prp_rcv_open__never_moves_back",
	  "init 100; open 50; edge = 100; open 0; edge = 100; open 300;"
	  "edge = 300" },
	{ "prp_rcv_open__counts_from_the_next",
	  "init 10; accept 0 1 -> 2; open 8; edge = 10; open 10; edge = 12" },
	{ "prp_rcv_open__by_one", "init 0; open 1; edge = 1; check 0 -> next" },
	{ "prp_rcv_open__the_largest", "init 512; open 0xffff; edge = 0xffff" },
};

UNIT_ROWS(prp_rcv_open_rows, play)

UNIT(prp_rcv_saw__newest_across_the_wrap)
{
	u32 n;

	prp_rcv_init(&rcv, FIRST_SEQ, 10);
	for (n = 0; n < 0x200; n++) {
		prp_rcv_saw(&rcv, 3, TXNO(n));
		expect_eq(rcv.newest[3], TXNO(n));
	}
	script_play("saw 0x1fe on 3; newest3 = 0x1ff; rails = 8", step);
}

static const struct unit_row prp_rcv_saw_rows[] = {
	{ "prp_rcv_saw__each_rail_by_itself",
	  "init 10; saw 0xf0 on 0; saw 0x105 on 7; rails = 0x81;"
	  "newest0 = 0xf0; newest7 = 0x105" },
	{ "prp_rcv_saw__first_may_be_any",
	  "init 10; saw -5 on 1; newest1 = -5; rails = 2" },
};

UNIT_ROWS(prp_rcv_saw_rows, play)

static const struct unit_row prp_rcv_sack_rows[] = {
	{ "prp_rcv_sack__nothing_late",
	  "init 512; accept 0 -> 1; saw 77 on 2; sack 8 -> none words 0;"
	  "sack 0 -> none words 0" },
	{ "prp_rcv_sack__words_up_to_the_highest",
	  "init 512; accept 64 -> 0; sack 8 -> 64 words 1;"
	  "accept 65 -> 0; sack 8 -> 64 65 words 2" },
	/* A peer may say that it has sent more than there is room for. */
	{ "prp_rcv_sack__high_beyond_the_window",
	  "init 512; accept 1 -> 0; claim 99999; sack 8 -> 1 words 8" },
	{ "prp_rcv_sack__one_word_tells_of_the_highest",
	  "init 512; accept 1 64 -> 0; sack 1 -> 1 64 words 1;"
	  "accept 65 -> 0; sack 1 -> 64 65 words 1 offset 1;"
	  "accept 511 -> 0; sack 1 -> 511 words 1 offset 447;"
	  "sack 0 -> none words 0 offset 511" },
};

UNIT_ROWS(prp_rcv_sack_rows, play)

/* All 511 that can be late, and first seq at every place of the ring. */
UNIT(prp_rcv_sack__every_alignment)
{
	u32 shift, n, high;

	for (shift = 0; shift < PRP_WIN; shift++) {
		bool here[PRP_WIN + 1] = { false };
		struct prp_sack sack;

		prp_rcv_init(&rcv, FIRST_SEQ, PRP_WIN);
		for (n = 0; n < shift; n++)
			prp_rcv_accept(&rcv, FIRST_SEQ + n);
		prp_rcv_open(&rcv, PRP_WIN);
		high = unit_random() % (PRP_WIN - 1) + 2;
		for (n = 1; n < high; n++) {
			here[n] = shift % 7 == 0 || n == high - 1 ||
				  unit_random() % 2;
			if (here[n])
				prp_rcv_accept(&rcv, FIRST_SEQ + shift + n);
		}
		prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
		expect_eq(sack.words, (high - 1 + 63) / 64);
		for (n = 1; n <= 64u * sack.words; n++)
			expect_eq(bit(sack.map, n - 1), here[n]);
	}
}

/* Any receiver, and room for any number of words. */
UNIT(prp_rcv_sack__as_much_as_has_room)
{
	static const unsigned int rooms[] = { 0, 1, 7, 8, 2, 3, 4, 5, 6 };
	unsigned int times, i, skipped = 0;

	for (times = 0; times < 3000; times++) {
		u32 shift = unit_random() % PRP_WIN, n, high = 0;
		u32 span = 2 + unit_random() % (PRP_WIN - 1);
		u32 dense = unit_random() % 8;
		bool here[PRP_WIN] = { false };

		prp_rcv_init(&rcv, FIRST_SEQ, PRP_WIN);
		for (n = 0; n < shift; n++)
			prp_rcv_accept(&rcv, FIRST_SEQ + n);
		prp_rcv_open(&rcv, PRP_WIN);
		for (n = 1; n < span; n++) {
			here[n] = unit_random() % 8 <= dense;
			if (!here[n])
				continue;
			prp_rcv_accept(&rcv, FIRST_SEQ + shift + n);
			high = n + 1;
		}
		prp_rcv_saw(&rcv, 5, times);
		for (i = 0; i < ARRAY_SIZE(rooms); i++) {
			struct prp_sack sack;

			memset(&sack, 0xa5, sizeof(sack));
			prp_rcv_sack(&rcv, &sack, rooms[i]);
			expect_sack(&sack, here, high, rooms[i]);
			expect_eq(sack.rails, 1 << 5);
			expect_eq(sack.newest[5], times);
			skipped += !!sack.offset;
		}
	}
	expect_true(skipped > 3000);
}
