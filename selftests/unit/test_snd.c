// SPDX-License-Identifier: GPL-2.0
/*
 * The sender's end of selective repeat: a table for each rule of snd.h. Each
 * script begins with a sender that has sent nothing. Segments and transmission
 * numbers are counted from the first ones, a rail is 0 if it is not said.
 *
 *	send COUNT [on RAIL]		new segments
 *	pass COUNT			new segments, each acknowledged at once
 *	repeat SEGMENTS [on RAIL]
 *	resend SEGMENTS			the same, and each is the first lost one
 *	skip COUNT [on RAIL]		transmission numbers that others bear
 *	probe [on RAIL]
 *	ack SEGMENT [window COUNT] [offset COUNT] [sack SEGMENTS]
 *	    [newest none | newest NUMBER [on RAIL] ...] [words COUNT]
 *	    [-> old [unchanged] | -> bad]
 *					a sack without newest reports the last
 *					of its segments; bad changes nothing
 *	find -> COUNT			prp_snd_find_lost()
 *	hold -> 0 | 1
 *	held [MOST] -> COUNT		prp_snd_find_held()
 *	lose SEGMENT
 *	lose_rails RAILS -> COUNT
 *	is_lost SEGMENT -> 0 | 1
 *	first_lost -> SEGMENT | none
 *	moved
 *	passed
 *	tolerance COUNT
 *	sacked | lost | again = SEGMENTS
 *	rails | seen | probed = RAILS
 *	txno | newest [on RAIL] = NUMBER
 *	una | nxt | edge | ... = NUMBER	see value()
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>

#include "script.h"
#include "window.h"

/* Scripts have them as numbers. */
_Static_assert(PRP_WIN == 512 && PRP_WIN_RAILS == 8, "another window");
_Static_assert(PRP_REORDER_FIRST == 3 && PRP_REORDER_MAX == 256,
	       "another tolerance");

static struct prp_snd snd;
static struct slots slots;

/* ----------------------------------------------------------- the steps */

static u8 on_rail(void)
{
	u32 rail = script_next("on") ? script_number() : 0;

	if (rail >= PRP_WIN_RAILS)
		script_fail("no rail");
	return rail;
}

static u8 read_rails(void)
{
	struct script_set set;
	unsigned int i;
	u8 rails = 0;

	script_read_set(&set);
	for (i = 0; i < set.count; i++) {
		if (set.of[i] >= PRP_WIN_RAILS)
			script_fail("no rail");
		rails |= 1 << set.of[i];
	}
	return rails;
}

static void rails_are(u8 got)
{
	script_take("=");
	script_expect("rails", got, read_rails());
}

static void expect_in_flight(u32 n)
{
	if (FIRST_SEQ + n - snd.una >= snd.nxt - snd.una)
		script_fail("not in flight");
}

static void segments_are(const u64 *map, unsigned int count)
{
	struct script_set set;
	unsigned int i;

	script_take("=");
	script_read_set(&set);
	for (i = 0; i < set.count; i++) {
		expect_in_flight(set.of[i]);
		if (!bit(map, FIRST_SEQ + set.of[i]))
			script_fail("a segment is missing");
	}
	script_expect("bits", bits(map), set.count);
	script_expect("count", count, set.count);
}

static void again_are(void)
{
	u64 map[PRP_WIN_WORDS];

	again_map(&snd, map);
	segments_are(map, snd.again);
}

static void first_lost_is(u32 n)
{
	u32 seq;

	script_expect("any", prp_snd_first_lost(&snd, &seq), true);
	script_expect("first", seq, FIRST_SEQ + n);
}

static void repeat(bool is_first_lost)
{
	struct script_set set;
	unsigned int i;
	u8 rail;

	script_read_set(&set);
	rail = on_rail();
	for (i = 0; i < set.count; i++) {
		if (is_first_lost)
			first_lost_is(set.of[i]);
		expect_in_flight(set.of[i]);
		put(&snd, FIRST_SEQ + set.of[i], rail);
	}
}

static void first_lost(void)
{
	u32 seq;

	script_take("->");
	if (script_next("none"))
		script_expect("any", prp_snd_first_lost(&snd, &seq), false);
	else
		first_lost_is(script_number());
}

static void read_map(struct prp_sack *sack, u32 ack)
{
	struct script_set set;
	unsigned int i;

	script_read_set(&set);
	for (i = 0; i < set.count; i++) {
		u32 at = set.of[i] - ack - 1 - sack->offset;

		if (at >= PRP_WIN)
			script_fail("the map has no such segment");
		sack->map[at / 64] |= 1ULL << (at % 64);
		sack->words = at / 64 + 1;
		sack->newest[0] = TXNO(set.of[i]);
	}
	sack->rails = 1;
}

static void read_report(struct prp_sack *sack)
{
	sack->rails = 0;
	if (script_next("none"))
		return;
	do {
		u32 newest = TXNO(script_number());
		u8 rail = on_rail();

		sack->rails |= 1 << rail;
		sack->newest[rail] = newest;
	} while (script_next("newest"));
}

static enum prp_ack read_verdict(void)
{
	if (!script_next("->"))
		return PRP_ACK_OK;
	if (script_next("old"))
		return PRP_ACK_OLD;
	script_take("bad");
	return PRP_ACK_BAD;
}

static void ack(void)
{
	struct prp_sack sack = { .rails = 0 }, *sacked = NULL;
	u32 n = script_number(), window = PRP_WIN;
	struct prp_snd was = snd;
	enum prp_ack verdict;

	/* what is in no use may hold anything */
	memset(sack.newest, 0x55, sizeof(sack.newest));
	if (script_next("window"))
		window = script_number();
	if (script_next("offset"))
		sack.offset = script_number();
	if (script_next("sack")) {
		sacked = &sack;
		read_map(&sack, n);
	}
	if (script_next("newest")) {
		sacked = &sack;
		read_report(&sack);
	}
	if (script_next("words"))
		sack.words = script_number();
	memset(sack.map + sack.words, 0xff,
	       sizeof(*sack.map) * (PRP_WIN_WORDS - sack.words));
	verdict = read_verdict();
	script_expect("verdict",
		      prp_snd_ack(&snd, FIRST_SEQ + n, window, sacked),
		      verdict);
	if (verdict == PRP_ACK_BAD || script_next("unchanged"))
		script_expect("change", !!memcmp(&snd, &was, sizeof(was)), 0);
}

static void send(void)
{
	u32 count = script_number();

	put_new(&snd, count, on_rail());
}

static void pass(void)
{
	u32 count = script_number();

	while (count--) {
		put_new(&snd, 1, 0);
		prp_snd_ack(&snd, snd.nxt, PRP_WIN, NULL);
	}
}

static void skip(void)
{
	u32 count = script_number();

	snd.txno[on_rail()] += count;
}

static void held(void)
{
	u32 most = script_is_number() ? script_number() : PRP_WIN;

	script_expect_result(prp_snd_find_held(&snd, most));
}

static void is_lost(void)
{
	u32 seq = FIRST_SEQ + script_number();

	script_expect_result(prp_snd_is_lost(&snd, seq));
}

static void value(void)
{
	const struct script_value values[] = {
		{ "una", snd.una - FIRST_SEQ },
		{ "nxt", snd.nxt - FIRST_SEQ },
		{ "edge", snd.edge - FIRST_SEQ },
		{ "in_flight", prp_snd_in_flight(&snd) },
		{ "new_allowed", prp_snd_new_allowed(&snd) },
		{ "piece", prp_snd_piece(&snd) },
		{ "may_overtake", prp_snd_may_overtake(&snd) },
		{ "moved_at", snd.moved - FIRST_SEQ },
		{ "reorder", snd.reorder },
		{ "overtook", snd.overtook },
		{ "needless", snd.needless },
		{ "leaving", snd.leaving },
		{ "again_rail", snd.again_rail },
		{ "last_probe", snd.probe[0] - FIRST_TXNO },
	};

	script_expect_value(values, ARRAY_SIZE(values));
}

static void txno_is(const u32 *txnos)
{
	u8 rail = on_rail();

	script_take("=");
	script_expect("txno", txnos[rail], TXNO(script_number()));
}

static void step(void)
{
	if (script_next("send"))
		send();
	else if (script_next("pass"))
		pass();
	else if (script_next("repeat"))
		repeat(false);
	else if (script_next("resend"))
		repeat(true);
	else if (script_next("skip"))
		skip();
	else if (script_next("probe"))
		probe(&snd, on_rail());
	else if (script_next("ack"))
		ack();
	else if (script_next("find"))
		script_expect_result(prp_snd_find_lost(&snd));
	else if (script_next("hold"))
		script_expect_result(prp_snd_hold(&snd));
	else if (script_next("held"))
		held();
	else if (script_next("lose"))
		prp_snd_lose(&snd, FIRST_SEQ + script_number());
	else if (script_next("lose_rails"))
		script_expect_result(prp_snd_lose_rails(&snd, read_rails()));
	else if (script_next("first_lost"))
		first_lost();
	else if (script_next("is_lost"))
		is_lost();
	else if (script_next("moved"))
		prp_snd_moved(&snd);
	else if (script_next("passed"))
		prp_snd_passed(&snd);
	else if (script_next("tolerance"))
		snd.reorder = script_number();
	else if (script_next("sacked"))
		segments_are(snd.sacked_map, snd.sacked);
	else if (script_next("lost"))
		segments_are(snd.lost_map, snd.lost);
	else if (script_next("again"))
		again_are();
	else if (script_next("rails"))
		rails_are(snd.rails);
	else if (script_next("seen"))
		rails_are(snd.seen);
	else if (script_next("probed"))
		rails_are(snd.probed);
	else if (script_next("txno"))
		txno_is(snd.txno);
	else if (script_next("newest"))
		txno_is(snd.newest);
	else
		value();
}

static void begin(void)
{
	memset(&snd, 0xa5, sizeof(snd));
	prp_snd_init(&snd, FIRST_SEQ, FIRST_TXNO);
	slots_give(&snd, &slots);
}

static void play(const char *script)
{
	begin();
	script_play(script, step);
}

/* More steps of a case that are no constant */
__attribute__((format(printf, 1, 2))) static void go_on(const char *fmt, ...)
{
	char script[256];
	va_list args;

	va_start(args, fmt);
	expect_true(vsnprintf(script, sizeof(script), fmt, args) <
		    sizeof(script));
	va_end(args);
	script_play(script, step);
}

/* ----------------------------------------------------------- what is sent */

static const struct unit_row prp_snd_init_rows[] = {
	{ "prp_snd_init__nothing_in_flight",
	  "una = 0; nxt = 0; in_flight = 0; reorder = 3; needless = 0;"
	  "sacked = none; lost = none; again = none; first_lost -> none;"
	  "rails = none; seen = none; probed = none;"
	  "txno = 0; txno on 1 = 0; txno on 2 = 0; txno on 3 = 0;"
	  "txno on 4 = 0; txno on 5 = 0; txno on 6 = 0; txno on 7 = 0" },
	{ "prp_snd_init__nothing_allowed", "edge = 0; new_allowed = 0" },
};

UNIT_ROWS(prp_snd_init_rows, play)

static const struct unit_row prp_snd_sent_rows[] = {
	{ "prp_snd_sent__counts_new_ones",
	  "send 300; una = 0; nxt = 300; in_flight = 300; again = none" },
	{ "prp_snd_sent__counts_a_whole_window",
	  "send 512; una = 0; nxt = 512; in_flight = 512; again = none" },
	{ "prp_snd_sent__repeat_is_no_new_one",
	  "send 3; repeat 1; nxt = 3; repeat 1; again = 1; in_flight = 3" },
	{ "prp_snd_sent__repeat_tells_the_rail_before",
	  "send 2 on 1; send 1; repeat 0 on 2; again_rail = 1; repeat 2 on 2;"
	  "again_rail = 0; repeat 0; again_rail = 2; send 1 on 3;"
	  "again_rail = 2" },
	{ "prp_snd_sent__repeat_of_the_first_and_the_last",
	  "send 512; repeat 0 511; nxt = 512; again = 0 511" },
	{ "prp_snd_sent__repeat_ends_the_loss",
	  "send 8; ack 0 sack 2..7; find -> 2; in_flight = 0;"
	  "repeat 1; lost = 0; in_flight = 1" },
	{ "prp_snd_sent__knows_nothing_of_the_place_before",
	  "send 1; repeat 0; ack 1; send 512; again = none" },
	/* A report so old that the numbers may have wrapped says nothing. */
	{ "prp_snd_sent__forgets_a_stale_report",
	  "send 1; ack 1 newest 0; skip 0x40000000; send 1; seen = none" },
	{ "prp_snd_sent__forgets_a_stale_probe",
	  "send 1; probe; ack 1 newest 0; skip 0x40000000; send 1;"
	  "probed = none" },
	/* An old report, or none so far, does not make a young probe stale. */
	{ "prp_snd_sent__keeps_a_probe_that_is_not_stale",
	  "send 1; skip 0x4fffffff; probe; send 1; probed = 0" },
	{ "prp_snd_sent__keeps_a_probe_that_is_stale_with_the_next",
	  "send 1; probe; skip 0x3fffffff; send 1; probed = 0;"
	  "send 1; probed = none" },
	{ "prp_snd_sent__keeps_a_report_that_is_not_stale",
	  "send 1; probe; ack 1 newest 0; skip 0x3ffffffe; send 1;"
	  "seen = 0; probed = 0" },
	{ "prp_snd_sent__forgets_on_its_own_rail_only",
	  "send 1; send 1 on 1; probe; probe on 1;"
	  "ack 2 newest 0 newest 0 on 1; skip 0x4ffffffe on 1; send 1 on 1;"
	  "seen = 0; probed = 0" },
	{ "prp_snd_sent__rails_of_what_is_in_flight",
	  "send 1; send 1 on 3; rails = 0 3; ack 2; send 1 on 5; rails = 5" },
	{ "prp_snd_sent__rails_of_what_is_repeated",
	  "send 1; repeat 0 on 7; rails = 0 7; ack 1; send 1; rails = 0" },
};

UNIT_ROWS(prp_snd_sent_rows, play)

/* Some of a run's numbers later what is so old is stale. */
#define BORDER ((1 << 30) - 100)

/* A run is no different from as many segments one by one. */
UNIT(prp_snd_sent_run__as_one_by_one)
{
	unsigned int times;

	for (times = 0; times < 2000; times++) {
		unsigned int segs = 1 + unit_random() % 63, before, i;
		struct slots slots_one, slots_run;
		struct prp_snd one, run;
		u8 rail = unit_random() % PRP_WIN_RAILS;

		memset(&one, 0, sizeof(one));
		memset(&slots_one, 0, sizeof(slots_one));
		prp_snd_init(&one, FIRST_SEQ, FIRST_TXNO);
		slots_give(&one, &slots_one);
		before = unit_random() % 400;
		put_new(&one, before, unit_random() % PRP_WIN_RAILS);
		if (unit_random() % 2)
			prp_snd_ack(&one, FIRST_SEQ + before, PRP_WIN, NULL);
		if (unit_random() % 2) {
			one.seen |= 1 << rail;
			one.newest[rail] = one.txno[rail] - 1 -
					   unit_random() % 100 -
					   (unit_random() % 2 ? 0 : BORDER);
			probe(&one, rail);
			one.probe[rail] -= unit_random() % 2 ?
						   0 :
						   BORDER + unit_random() % 100;
		}
		run = one;
		slots_run = slots_one;
		slots_give(&run, &slots_run);
		for (i = 0; i < segs; i++)
			put(&one, one.nxt, rail);
		prp_snd_sent_run(&run, segs, rail, run.txno[rail]);
		run.txno[rail] += segs;
		expect_true(!memcmp(&slots_one, &slots_run, sizeof(slots_one)));
		slots_give(&run, &slots_one);
		expect_true(!memcmp(&one, &run, sizeof(one)));
	}
}

/* What is noted of segments in flight is the same in more slots, and in less:
 * what becomes of them does not depend on it, wherever the ring begins.
 */
UNIT(prp_snd_slots__what_is_in_flight_moves)
{
	static const u32 sizes[] = { 4, 16, 64, 1024 };
	static u32 txno[2][1024];
	static u8 rail[2][1024];
	unsigned int times, i, in_flight;
	struct prp_snd was;

	for (times = 0; times < 2000; times++) {
		u32 first = unit_random(), size, seq;

		memset(&snd, 0, sizeof(snd));
		prp_snd_init(&snd, first, FIRST_TXNO);
		slots_give(&snd, &slots);
		prp_snd_ack(&snd, first, PRP_WIN, NULL);
		in_flight = unit_random() % 5;
		put_new(&snd, in_flight + 100, 0);
		prp_snd_ack(&snd, first + 100, PRP_WIN, NULL);
		for (i = 0; i < 4 && in_flight; i++)
			put(&snd, snd.una + unit_random() % in_flight,
			    unit_random() % PRP_WIN_RAILS);
		was = snd;
		for (i = 0; i < 8; i++) {
			size = sizes[unit_random() % 4];
			prp_snd_slots(&snd, txno[i % 2], rail[i % 2], size - 1);
			expect_eq(snd.mask, size - 1);
			for (seq = snd.una; seq != snd.nxt; seq++) {
				expect_eq(txno[i % 2][seq & (size - 1)],
					  slots.txno[seq % PRP_WIN]);
				expect_eq(rail[i % 2][seq & (size - 1)],
					  slots.rail[seq % PRP_WIN]);
			}
		}
		slots_give(&snd, &slots);
		expect_true(!memcmp(&snd, &was, sizeof(was)));
	}
}

static const struct unit_row prp_snd_piece_rows[] = {
	{ "prp_snd_piece__nothing_allowed", "piece = 0" },
	{ "prp_snd_piece__one_at_least", "ack 0 window 1; piece = 1" },
	{ "prp_snd_piece__a_third", "ack 0 window 512; piece = 171" },
	/* A reader that comes late makes none smaller. */
	{ "prp_snd_piece__of_the_largest_window",
	  "ack 0 window 72; piece = 24; send 60; ack 60 window 20; piece = 24;"
	  "ack 60 window 90; piece = 30" },
};

UNIT_ROWS(prp_snd_piece_rows, play)

static const struct unit_row prp_snd_new_allowed_rows[] = {
	{ "prp_snd_new_allowed__one",
	  "ack 0 window 1; new_allowed = 1; send 1; new_allowed = 0" },
	{ "prp_snd_new_allowed__up_to_the_edge",
	  "ack 0 window 2; new_allowed = 1; send 1; new_allowed = 1;"
	  "send 1; new_allowed = 0" },
	/* Even if the edge would let more: places are reused after PRP_WIN. */
	{ "prp_snd_new_allowed__no_more_than_the_window",
	  "ack 0 window 1024; send 511; new_allowed = 1;"
	  "send 1; new_allowed = 0; ack 1; new_allowed = 1" },
};

UNIT_ROWS(prp_snd_new_allowed_rows, play)

static const struct unit_row prp_snd_may_overtake_rows[] = {
	{ "prp_snd_may_overtake__while_two_have_sent",
	  "moved; may_overtake = 0; send 4; may_overtake = 0;"
	  "moved; may_overtake = 1; send 4; ack 3; may_overtake = 1;"
	  "ack 4; may_overtake = 0" },
	/* What is looked at now and then is never half round away. */
	{ "prp_snd_may_overtake__forgets_what_was_acknowledged",
	  "send 4; moved; send 4; passed; moved_at = 4; ack 3; passed;"
	  "moved_at = 4; may_overtake = 1; ack 4; passed; moved_at = 4;"
	  "ack 6; passed; moved_at = 6; may_overtake = 0" },
	{ "prp_snd_may_overtake__once_something_has",
	  "send 8; ack 0 sack 2 3; may_overtake = 0;"
	  "ack 0 sack 1..3; may_overtake = 1; ack 8; may_overtake = 1" },
};

UNIT_ROWS(prp_snd_may_overtake_rows, play)

/* -------------------------------------------------------- acknowledgments */

UNIT(prp_snd_ack__in_order_across_the_wrap)
{
	u32 n;

	play("send 512");
	for (n = 1; n <= 512; n++)
		go_on("ack %u; una = %u; in_flight = %u", n, n, 512 - n);
}

UNIT(prp_snd_ack__selective_of_what_was_never_sent)
{
	u32 count, n;

	for (count = 2; count <= PRP_WIN; count++) {
		begin();
		go_on("send %u", count);
		for (n = 0; n < count; n += 37)
			go_on("ack %u sack %u newest 0 -> bad", n, count);
	}
}

UNIT(prp_snd_ack__selective_of_the_last_that_was_sent)
{
	u32 count;

	for (count = 2; count <= PRP_WIN; count++) {
		begin();
		go_on("send %u; ack 0 sack %u newest 0; sacked = %u", count,
		      count - 1, count - 1);
	}
}

UNIT(prp_snd_ack__offset_of_what_was_never_sent)
{
	u32 count, offset;

	for (count = 2; count <= PRP_WIN; count += 5) {
		begin();
		go_on("send %u", count);
		for (offset = 0; offset < 2 * PRP_WIN; offset += 3)
			go_on("ack 0 offset %u sack %u newest 0 -> bad", offset,
			      max(count, offset + 1));
	}
}

UNIT(prp_snd_ack__offset_of_the_last_that_was_sent)
{
	u32 offset;

	play("send 512");
	for (offset = 0; offset <= PRP_WIN - 2; offset++)
		go_on("ack 0 offset %u sack 511 newest 0; sacked = 511",
		      offset);
}

static const struct unit_row prp_snd_ack_rows[] = {
	{ "prp_snd_ack__of_nothing", "ack 0; una = 0; nxt = 0; ack 1 -> bad" },
	{ "prp_snd_ack__many_at_once",
	  "send 512; ack 512; una = 512; nxt = 512; in_flight = 0" },
	{ "prp_snd_ack__never_sent",
	  "send 5; ack 6 -> bad; ack 0x7fffffff -> bad" },
	{ "prp_snd_ack__never_sent_with_a_report",
	  "send 5; ack 6 newest 0 -> bad; ack 0x7fffffff newest 0 -> bad" },

	{ "prp_snd_ack__selective",
	  "send 300; ack 0 sack 200..299; una = 0; sacked = 200..299;"
	  "in_flight = 200" },
	{ "prp_snd_ack__selective_twice_counts_once",
	  "send 10; ack 0 sack 4..7; ack 0 sack 4..7; sacked = 4..7" },
	{ "prp_snd_ack__selective_counts_from_its_own_ack",
	  "send 200; ack 70 sack 150; una = 70; sacked = 150" },
	{ "prp_snd_ack__selective_with_one_wrong_word",
	  "send 100; ack 0 sack 5..79 385 newest 79 words 8 -> bad" },
	{ "prp_snd_ack__selective_beyond_all_acknowledged",
	  "send 5; ack 5 sack 6 newest 0 -> bad" },
	/* Words that are not in use may hold anything. */
	{ "prp_snd_ack__selective_ends_with_its_words",
	  "send 200; ack 0 sack 1..512 newest 0 words 2; sacked = 1..128" },
	/* A word beyond what was sent is no lie if it says nothing. */
	{ "prp_snd_ack__selective_with_empty_words",
	  "send 10; ack 0 sack 2..4 words 8; sacked = 2..4" },

	{ "prp_snd_ack__in_order_passes_what_was_selective",
	  "send 10; ack 0 sack 4..7; ack 6; sacked = 6 7; in_flight = 2;"
	  "ack 10; sacked = none" },
	{ "prp_snd_ack__in_order_passes_what_was_lost",
	  "send 10; ack 0 sack 1..9; find -> 1; ack 10; lost = none" },
	{ "prp_snd_ack__in_order_passes_what_was_repeated",
	  "send 10; repeat 2 7; ack 3; again = 7; ack 10; again = none" },
	{ "prp_snd_ack__in_order_passes_selective_without_a_report",
	  "send 10; ack 0 sack 4..7 newest none; ack 6; sacked = 6 7" },
	{ "prp_snd_ack__in_order_passes_lost_after_a_stale_report",
	  "send 10; ack 0 newest 9; find -> 6; skip 0x50000000; send 1;"
	  "seen = none; ack 10; lost = none" },

	{ "prp_snd_ack__overtaken",
	  "send 10; ack 6; ack 5 -> old unchanged; ack 0 -> old unchanged;"
	  "ack 6; una = 6" },
	{ "prp_snd_ack__overtaken_still_tells_what_arrived",
	  "send 20; ack 6; ack 2 sack 4 7 12 -> old; una = 6; sacked = 7 12" },
	{ "prp_snd_ack__overtaken_by_how_much",
	  "pass 0x20000; ack 0x10000 -> old; ack 0xffff -> bad" },

	{ "prp_snd_ack__window_opens",
	  "ack 0 window 7; edge = 7; ack 0 window 512; edge = 512" },
	{ "prp_snd_ack__window_never_closes",
	  "send 10; ack 0 window 512; ack 5 window 0; edge = 512;"
	  "ack 5 window 506; edge = 512" },
	{ "prp_snd_ack__window_never_closes_by_a_report",
	  "send 10; ack 0 window 512; ack 5 window 0 newest 4; edge = 512;"
	  "ack 5 window 506 newest 4; edge = 512; ack 5 window 508 newest 4;"
	  "edge = 513" },
	/* An overtaken one may have promised more than later ones repeated. */
	{ "prp_snd_ack__overtaken_opens_the_window",
	  "send 10; ack 5 window 5; ack 4 window 100 -> old; edge = 104" },
	/* What is more than can be in flight moves the edge and no more. */
	{ "prp_snd_ack__window_as_large_as_ours",
	  "send 5; ack 1 window 512; edge = 513; ack 2 window 512 newest 0;"
	  "edge = 514; send 508; new_allowed = 1; send 1; new_allowed = 0;"
	  "in_flight = 512" },
	{ "prp_snd_ack__window_larger_than_ours",
	  "send 5; ack 1 window 513; edge = 514; ack 2 window 513 newest 0;"
	  "edge = 515; send 508; new_allowed = 1; send 1; new_allowed = 0;"
	  "in_flight = 512" },
	{ "prp_snd_ack__window_of_half_of_all",
	  "send 5; ack 1 window 0x8000; edge = 0x8001;"
	  "ack 2 window 0x8000 newest 0; edge = 0x8002; send 508;"
	  "new_allowed = 1; send 1; new_allowed = 0; in_flight = 512" },
	{ "prp_snd_ack__window_as_large_as_can_be",
	  "send 5; ack 1 window 0xffff; edge = 0x10000;"
	  "ack 2 window 0xffff newest 0; edge = 0x10001; send 508;"
	  "new_allowed = 1; send 1; new_allowed = 0; in_flight = 512" },

	{ "prp_snd_ack__report_is_kept_by_rail",
	  "send 10; send 10 on 2; send 10 on 5;"
	  "ack 0 newest 9 on 2 newest 3 on 5;"
	  "seen = 2 5; newest on 2 = 9; newest on 5 = 3" },
	{ "prp_snd_ack__report_never_moves_back",
	  "send 512; ack 0 newest 0x180; ack 0 newest 0x20; newest = 0x180" },
	{ "prp_snd_ack__report_of_no_rail_moves_back",
	  "send 256; send 256 on 6; ack 0 newest 0xff newest 0x80 on 6;"
	  "ack 0 newest 0xfe newest 0x81 on 6; newest = 0xff;"
	  "newest on 6 = 0x81; ack 0 newest 0xff newest 0x7f on 6;"
	  "newest on 6 = 0x81" },
	{ "prp_snd_ack__report_of_what_was_never_sent",
	  "send 300; ack 0 newest 300 -> bad; ack 0 newest 0x8000012b -> bad;"
	  "ack 0 newest 299" },
	{ "prp_snd_ack__report_of_another_rail",
	  "send 10; send 5 on 7; ack 0 newest 7 on 7 -> bad;"
	  "ack 0 newest 5 on 7 -> bad; ack 0 newest 4 on 7" },
	/* They are filled with numbers that were never sent. */
	{ "prp_snd_ack__report_of_unset_rails_is_not_read",
	  "send 10; ack 0 newest 3; seen = 0" },

	{ "prp_snd_ack__offset_counts_from_its_own_ack",
	  "send 300; ack 70 offset 100 sack 171 234 236 newest 0;"
	  "sacked = 171 234 236" },
	{ "prp_snd_ack__offset_of_an_overtaken_one",
	  "send 300; ack 60; ack 10 offset 30 sack 41..99 -> old;"
	  "sacked = 60..99" },
	/* The largest, also where numbers wrap, is a lie if it says a thing. */
	{ "prp_snd_ack__offset_beyond_all",
	  "send 512; ack 0 offset 0xffff sack 65984 newest 511 -> bad;"
	  "ack 0 offset 0xffff newest 511 words 8; find -> 1; lost = 0" },
};

UNIT_ROWS(prp_snd_ack_rows, play)

/* ------------------------------------------------------------- reordering */

static const struct unit_row snd_reordered_rows[] = {
	{ "snd_reordered__late_arrival_widens",
	  "send 40; ack 0 sack 30; overtook = 0;"
	  "ack 0 sack 10 30; reorder = 20; overtook = 20" },
	{ "snd_reordered__late_arrival_at_the_edge_widens",
	  "send 40; ack 0 sack 30; ack 1; reorder = 30" },
	{ "snd_reordered__late_arrival_on_each_rail_by_itself",
	  "send 40 on 7; send 60 on 3; ack 0 newest 30 on 7 newest 50 on 3;"
	  "ack 0 sack 20 newest 30 on 7 newest 50 on 3; reorder = 10;"
	  "overtook = 10; ack 0 sack 20 70 newest 30 on 7 newest 50 on 3;"
	  "reorder = 20; overtook = 20" },
	/* What is first in flight is young, what is on another rail not. */
	{ "snd_reordered__late_arrival_behind_a_young_one",
	  "probe; send 1; send 40 on 1; ack 0 newest 0 newest 30 on 1; ack 2;"
	  "reorder = 30" },
	{ "snd_reordered__by_what_was_known_before",
	  "send 40; ack 0 sack 30; ack 0 sack 10 30..35; reorder = 20" },
	{ "snd_reordered__never_narrows",
	  "send 40; ack 0 sack 30; ack 0 sack 10 30; ack 0 sack 10 25 30;"
	  "reorder = 20" },
	{ "snd_reordered__up_to_the_limit",
	  "send 512; ack 0 newest 255; ack 1; reorder = 255" },
	{ "snd_reordered__has_a_limit",
	  "send 512; ack 0 newest 511; ack 1; reorder = 256" },
	{ "snd_reordered__not_by_one_report_of_many",
	  "send 40; ack 0 sack 1..39; reorder = 3" },
	{ "snd_reordered__not_by_another_rail",
	  "send 40; send 40 on 1; ack 0 newest 39; ack 0 sack 45 newest 39;"
	  "reorder = 3" },
	{ "snd_reordered__lost_one_arrives",
	  "send 40; ack 0 sack 1..19; find -> 1; ack 20 sack 21..25;"
	  "lost = none; reorder = 25; needless = 0" },
	{ "snd_reordered__lost_one_arrives_selectively",
	  "send 40; ack 0 sack 2..19; find -> 2; ack 0 sack 1..25; lost = 0;"
	  "reorder = 24; needless = 0" },
	/* Nobody has overtaken it, a forwarder said that it had dropped it. */
	{ "snd_reordered__not_by_one_that_was_called_lost",
	  "send 10; lose 0; ack 1; ack 1 newest 0; lose 5; ack 6 newest 5;"
	  "lost = none; reorder = 3; may_overtake = 0" },
	{ "snd_reordered__needless_repeat_doubles",
	  "send 10; ack 0 sack 1..9; find -> 1; repeat 0; ack 10 newest 9;"
	  "needless = 1; reorder = 6" },
	{ "snd_reordered__needless_repeat_on_a_silent_rail",
	  "send 10; ack 0 sack 1..9; find -> 1; repeat 0 on 3;"
	  "ack 10 newest 9; needless = 1" },
	{ "snd_reordered__repeat_that_was_needed",
	  "send 10; ack 0 sack 1..9; find -> 1; repeat 0; ack 10 newest 10;"
	  "needless = 0; reorder = 3" },
	{ "snd_reordered__repeat_that_was_needed_on_another_rail",
	  "send 10 on 3; ack 0 sack 1..9 newest 9 on 3; find -> 1;"
	  "repeat 0 on 3; ack 10 newest 10 on 3; needless = 0; reorder = 3" },
	/* Without a report nobody knows which of the two arrived. */
	{ "snd_reordered__repeat_without_a_report",
	  "send 10; ack 0 sack 1..9; find -> 1; repeat 0; ack 10;"
	  "needless = 0; reorder = 3" },
	/* That nothing was said of it does not mean that it was late. */
	{ "snd_reordered__not_by_what_was_skipped",
	  "send 200; ack 0 offset 100 sack 101..164; find -> 1; repeat 0;"
	  "ack 165 newest 200; reorder = 3; needless = 0" },
	{ "snd_reordered__not_by_what_was_skipped_and_then_told",
	  "send 200; ack 0 offset 100 sack 101..164; ack 0 sack 1..164;"
	  "sacked = 1..164; reorder = 3" },
};

UNIT_ROWS(snd_reordered_rows, play)

/* ------------------------------------------------------------------- loss */

UNIT(prp_snd_find_lost__full_window_at_every_alignment)
{
	u32 shift;

	/* the window's ends share a word of the map */
	for (shift = 0; shift < 64; shift++) {
		begin();
		go_on("pass %u; send 512; ack %u sack %u %u; find -> 507",
		      shift, shift, shift + 1, shift + 511);
		go_on("lost = %u %u..%u", shift, shift + 2, shift + 507);
	}
}

UNIT(prp_snd_find_lost__repeat_is_lost_too)
{
	u32 n;

	play("send 10; ack 0 sack 1..9");
	for (n = 10; n < 10 + 5 * 300; n += 5)
		go_on("find -> 1; repeat 0; skip 3;"
		      "ack 0 sack 1..9 newest %u; find -> 0; skip 1;"
		      "ack 0 sack 1..9 newest %u; reorder = 3",
		      n + 3, n + 4);
}

/* Every offset: only what is told of is lost, the acknowledged one too. */
UNIT(prp_snd_find_lost__nothing_of_the_skipped)
{
	u32 n, offset, told;

	for (n = 0; n < 128; n += 61) {
		for (offset = 0; offset < PRP_WIN; offset++) {
			told = n + offset + 1;
			begin();
			go_on("send 512; ack %u offset %u newest 511", n,
			      offset);
			if (told <= 507)
				go_on("find -> %u; lost = %u %u..507",
				      1 + 508 - told, n, told);
			else
				go_on("find -> 1; lost = %u", n);
		}
	}
}

/* One by one, as the acknowledgment reaches them. */
UNIT(prp_snd_find_lost__skipped_then_waited_for)
{
	u32 n;

	play("send 200");
	for (n = 0; n < 100; n += 10)
		go_on("ack %u offset %u sack 181..199 newest %u; find -> 1;"
		      "resend %u",
		      n, 180 - n, 199 + n / 10, n);
	go_on("sacked = 181..199; reorder = 3");
}

static const struct unit_row prp_snd_find_lost_rows[] = {
	{ "prp_snd_find_lost__nothing_in_flight",
	  "send 100; ack 100 newest 99; find -> 0" },
	{ "prp_snd_find_lost__nothing_without_a_report",
	  "send 100; ack 50; find -> 0" },
	{ "prp_snd_find_lost__exactly_the_dropped",
	  "send 256; ack 3 sack 4..6 9..199 201..255; find -> 4;"
	  "lost = 3 7 8 200; resend 3 7 8 200; first_lost -> none;"
	  "find -> 0" },
	{ "prp_snd_find_lost__marks_once",
	  "send 10; ack 0 sack 1..9; find -> 1; find -> 0; lost = 0" },
	{ "prp_snd_find_lost__more_than_the_tolerance",
	  "send 10; ack 0 sack 1..3; find -> 0; ack 0 sack 1..4; find -> 1;"
	  "lost = 0" },
	{ "prp_snd_find_lost__by_the_wider_tolerance",
	  "send 60; tolerance 50; ack 0 newest 50; find -> 0;"
	  "ack 0 newest 51; find -> 1" },
	{ "prp_snd_find_lost__all_but_the_last_few_of_a_full_window",
	  "send 512; ack 0 newest 511; find -> 508; lost = 0..507;"
	  "in_flight = 4" },
	{ "prp_snd_find_lost__repeat_is_not_lost_with_the_first",
	  "send 20; ack 0 sack 1..9; find -> 1; repeat 0; ack 0 sack 1..19;"
	  "find -> 0" },
	/* A repeat is young, what was sent after it for the first time not. */
	{ "prp_snd_find_lost__looks_past_a_young_repeat",
	  "send 20; ack 0 newest 6; find -> 3; repeat 0; ack 0 newest 19;"
	  "find -> 13; lost = 1..15" },
	{ "prp_snd_find_lost__by_the_report_of_its_own_rail",
	  "send 10; send 10 on 1; ack 0 newest 9 on 1; find -> 6;"
	  "lost = 10..15" },
	{ "prp_snd_find_lost__repeat_on_another_rail",
	  "send 10; ack 0 sack 1..9; find -> 1; repeat 0 on 6; send 20;"
	  "ack 0 sack 1..29; find -> 0; skip 4 on 6;"
	  "ack 0 sack 1..29 newest 29 newest 4 on 6; find -> 1" },

	{ "prp_snd_find_lost__probe_finds_a_tail_of_one",
	  "send 1; probe; find -> 0; ack 0 newest 1; find -> 1; lost = 0" },
	{ "prp_snd_find_lost__probe_finds_a_tail",
	  "send 100; ack 60; probe; ack 60 newest 100; find -> 40" },
	{ "prp_snd_find_lost__probe_despite_the_tolerance",
	  "send 2; tolerance 256; probe; ack 0 newest 2; find -> 2" },
	{ "prp_snd_find_lost__probe_of_each_rail",
	  "send 3 on 5; send 2 on 7; probe on 7; probe on 5; probed = 5 7;"
	  "ack 0 newest 3 on 5 newest 1 on 7; find -> 3; lost = 0..2;"
	  "ack 0 newest 3 on 5 newest 2 on 7; find -> 2; lost = 0..4" },
	{ "prp_snd_find_lost__probe_that_has_not_arrived",
	  "send 3; probe; ack 0 newest 2; find -> 0" },
	{ "prp_snd_find_lost__probe_says_nothing_of_later_ones",
	  "send 1; probe; send 3; ack 0 newest 3; find -> 1; lost = 0" },
	{ "prp_snd_find_lost__probe_says_nothing_of_another_rail",
	  "send 3; probe on 1; ack 0 newest 0 on 1; find -> 0" },
	/* No probe on this rail, and its numbers pass 0, which is none's. */
	{ "prp_snd_find_lost__probe_of_another_rail_at_the_wrap",
	  "send 258; probe on 1; ack 254 newest 257; find -> 0" },
	{ "prp_snd_find_lost__probe_after_a_lost_probe",
	  "send 2; probe; probe; last_probe = 3; ack 0 newest 3; find -> 2" },
	{ "prp_snd_find_lost__probe_says_nothing_of_the_skipped",
	  "send 100; probe; ack 10 offset 60 newest 100; find -> 30;"
	  "lost = 10 71..99" },

	{ "prp_snd_find_lost__nothing_of_the_skipped_on_many_rails",
	  "send 100; send 100 on 1; ack 20 offset 49 newest 99 newest 99 on 1;"
	  "find -> 123; lost = 20 70..95 100..195" },
	/* With room for one more word, then for all */
	{ "prp_snd_find_lost__skipped_then_told",
	  "send 200; ack 0 offset 100 sack 101..164; find -> 1;"
	  "ack 0 offset 36 sack 40..164; find -> 3; lost = 0 37..39;"
	  "ack 0 sack 5..36 40..164; find -> 4; lost = 0..4 37..39" },
	/* What was told before is remembered. */
	{ "prp_snd_find_lost__told_then_skipped",
	  "send 200; ack 0 sack 1..59; find -> 1;"
	  "ack 0 offset 100 sack 101..164; find -> 0;"
	  "sacked = 1..59 101..164; lost = 0" },
	/*
	 * A report that was overtaken tells what arrived. What it does not tell
	 * of may have come since, and a later one that skipped it was silent.
	 */
	{ "prp_snd_find_lost__overtaken_report_tells_of_no_gap",
	  "send 200; ack 0 offset 100 sack 101..164; find -> 1;"
	  "ack 0 sack 1..64; sacked = 1..64 101..164; find -> 0" },
	{ "prp_snd_find_lost__overtaken_report_of_fewer_rails",
	  "send 100; send 100 on 1;"
	  "ack 0 offset 90 sack 91..99 newest 99 newest 0 on 1; find -> 1;"
	  "ack 0 sack 1..59 newest 99; find -> 0" },
	{ "prp_snd_find_lost__report_with_room_for_fewer_rails",
	  "send 200; send 1 on 1;"
	  "ack 0 offset 100 sack 101..164 newest 164 newest 0 on 1; find -> 1;"
	  "repeat 0; ack 50 sack 51..59 newest 200; find -> 74;"
	  "lost = 50 60..100 165..196" },
	{ "prp_snd_find_lost__overtaken_ack_with_an_offset",
	  "send 200; ack 40 offset 79 sack 120..183; find -> 1; lost = 40;"
	  "ack 0 offset 10 sack 11..74 -> old; find -> 0" },
};

UNIT_ROWS(prp_snd_find_lost_rows, play)

static const struct unit_row prp_snd_lose_rows[] = {
	{ "prp_snd_lose__one", "send 1; lose 0; lost = 0; in_flight = 0" },
	{ "prp_snd_lose__counts_once", "send 3; lose 1; lose 1; lost = 1" },
	{ "prp_snd_lose__not_what_arrived",
	  "send 3; ack 0 sack 1; lose 1; lost = none; sacked = 1" },
	{ "prp_snd_lose__the_last_of_a_full_window",
	  "send 512; lose 511; lost = 511; first_lost -> 511" },
};

UNIT_ROWS(prp_snd_lose_rows, play)

/* A rail that was left: what is in flight there is lost, the rest is not. */
static const struct unit_row prp_snd_lose_rails_rows[] = {
	{ "prp_snd_lose_rails__of_two",
	  "send 4; send 3 on 1; lose_rails 0 -> 4; lost = 0..3; rails = 1;"
	  "in_flight = 3; lose_rails 0 -> 0; lose_rails 1 -> 3;"
	  "rails = none" },
	{ "prp_snd_lose_rails__several_at_once",
	  "send 4; send 3 on 1; send 2 on 7; lose_rails 0 7 -> 6;"
	  "lost = 0..3 7 8; rails = 1" },
	{ "prp_snd_lose_rails__nothing_in_flight",
	  "lose_rails 0..7 -> 0; lost = none; leaving = 0" },
	{ "prp_snd_lose_rails__the_whole_window",
	  "send 512; lose_rails 0 -> 512; in_flight = 0" },
	/* What arrived is not lost, and what arrives after all no more so. */
	{ "prp_snd_lose_rails__some_arrived",
	  "send 10; ack 0 sack 1 2 4..9; lose_rails 0 -> 2; lost = 0 3;"
	  "ack 10; lost = none" },
	/* That they came after all says nothing of how a path reorders ... */
	{ "prp_snd_lose_rails__teaches_nothing",
	  "send 100; lose_rails 0 -> 100; leaving = 1; ack 100 newest 99;"
	  "reorder = 3; may_overtake = 0; leaving = 0; send 20; rails = 0" },
	{ "prp_snd_lose_rails__needless_repeat_teaches_nothing",
	  "send 100; lose_rails 0 -> 100; repeat 0..99 on 1; leaving = 1;"
	  "ack 100 newest 99; needless = 100; reorder = 3; leaving = 0;"
	  "send 20; rails = 0" },
	/* ... until they have, whatever tells so ... */
	{ "prp_snd_lose_rails__ends_in_order",
	  "send 4; send 3 on 1; lose_rails 0 -> 4; ack 4; leaving = 1;"
	  "ack 7; leaving = 0" },
	{ "prp_snd_lose_rails__ends_in_order_behind_a_report",
	  "send 1 on 1; ack 1 newest 0 on 1; send 4; send 3 on 1;"
	  "lose_rails 0 -> 4; ack 5; leaving = 1; ack 8; leaving = 0" },
	/* ... but what comes behind them does. */
	{ "prp_snd_lose_rails__teaches_of_later_ones",
	  "send 10; lose_rails 0 -> 10; send 40; ack 0 sack 40; leaving = 1;"
	  "ack 0 sack 10 40; reorder = 30; leaving = 1;"
	  "ack 9; leaving = 1; ack 10; leaving = 0" },
};

UNIT_ROWS(prp_snd_lose_rails_rows, play)

static const struct unit_row prp_snd_is_lost_rows[] = {
	{ "prp_snd_is_lost__of_any_number",
	  "send 3; lose 1; is_lost 0 -> 0; is_lost 1 -> 1; is_lost 3 -> 0;"
	  "is_lost -1 -> 0; is_lost 513 -> 0" },
};

UNIT_ROWS(prp_snd_is_lost_rows, play)

static const struct unit_row prp_snd_first_lost_rows[] = {
	{ "prp_snd_first_lost__nothing",
	  "first_lost -> none; send 512; first_lost -> none" },
	{ "prp_snd_first_lost__oldest_across_the_wrap",
	  "send 512; ack 10 newest 511; find -> 498; resend 10..507;"
	  "first_lost -> none" },
	{ "prp_snd_first_lost__in_a_far_word",
	  "send 512; repeat 0..481; ack 0 newest 511; find -> 26;"
	  "first_lost -> 482" },
};

UNIT_ROWS(prp_snd_first_lost_rows, play)

/* ---------------------------------------- what would be lost by now waits */

static const struct unit_row prp_snd_hold_rows[] = {
	{ "prp_snd_hold__nothing_if_nothing_is_lost",
	  "send 8; hold -> 0; ack 0 sack 1..3; hold -> 0" },
	{ "prp_snd_hold__marks_nothing",
	  "send 8; ack 0 sack 2..7; hold -> 1; lost = none" },
};

UNIT_ROWS(prp_snd_hold_rows, play)

/* Marked is what has not come by then. */
static const struct unit_row prp_snd_find_held_rows[] = {
	{ "prp_snd_find_held__what_has_not_come",
	  "send 8; ack 0 sack 2..7; hold -> 1; ack 0 sack 1..7; held -> 1;"
	  "lost = 0; held -> 0" },
	{ "prp_snd_find_held__nothing_if_all_came",
	  "send 8; ack 0 sack 1..7; hold -> 1; ack 8; held -> 0" },
	/* A few of each row at first; the rest when it is asked for again. */
	{ "prp_snd_find_held__a_few_of_each_row",
	  "send 200; ack 0 sack 62..66 100 102 newest 150; hold -> 1;"
	  "held 0 -> 140; lost = none;"
	  "held 2 -> 140; lost = 0 1 67 68 101 103 104; repeat 0 1;"
	  "held -> 133; lost = 2..61 67..99 101 103..146" },
	{ "prp_snd_find_held__one_of_each_row",
	  "send 9; ack 0 sack 2 newest 8; hold -> 1; held 1 -> 4; lost = 0 3" },
	/* What was overtaken since then waits from now on. */
	{ "prp_snd_find_held__nothing_that_was_overtaken_later",
	  "send 16; ack 0 sack 1..5; hold -> 1; ack 0 sack 1..5 15;"
	  "held -> 1; lost = 0; hold -> 1; held -> 6; lost = 0 6..11" },
	{ "prp_snd_find_held__not_what_was_sent_again",
	  "send 8; ack 0 sack 1..7; hold -> 1; lose 0; repeat 0; held -> 0" },
	/* A probe overtakes, too. */
	{ "prp_snd_find_held__what_came_after_the_probe",
	  "send 2; probe; ack 0 newest 2; hold -> 1; ack 1; held -> 1;"
	  "lost = 1" },
	/* A probe that leaves while it is held says nothing of it. */
	{ "prp_snd_find_held__whatever_is_probed_meanwhile",
	  "send 2; probe; ack 0 newest 2; hold -> 1; probe; held -> 2" },
	{ "prp_snd_find_held__probe_that_was_none_then_at_the_wrap",
	  "send 258; ack 253 newest 257; hold -> 1; probe; held -> 1;"
	  "lost = 253" },
	{ "prp_snd_find_held__by_the_rails_known_then",
	  "send 8; send 8 on 1; ack 0 sack 1..7; hold -> 1;"
	  "ack 0 sack 1..7 15 newest 7 newest 7 on 1; held -> 1;"
	  "hold -> 1; held -> 4" },
};

UNIT_ROWS(prp_snd_find_held_rows, play)

/* -------------------------------- selective acknowledgments, bit by bit */

static u32 below(u32 bound)
{
	return unit_random() % bound;
}

static u64 some_bits(void)
{
	switch (below(6)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return ~0ULL;
	case 3:
		return 1ULL << 63;
	case 4:
		return unit_random() & unit_random() & unit_random();
	default:
		return unit_random();
	}
}

/* A report of what is in flight, or was: it may be overtaken. */
static struct prp_sack some_sack(u32 *ack)
{
	struct prp_sack sack = { .rails = below(4), .offset = below(70) };
	unsigned int rail, at;

	*ack = snd.una - below(100);
	if (below(4))
		*ack = snd.una;
	for (rail = 0; rail < 2; rail++)
		sack.newest[rail] = snd.txno[rail] - 1 - below(100);
	sack.words = below(PRP_WIN_WORDS + 1);
	for (at = 0; at < PRP_WIN_WORDS; at++)
		sack.map[at] = some_bits();
	for (at = 0; at < PRP_WIN; at++)
		if (!prp_before(*ack + 1 + sack.offset + at, snd.nxt))
			sack.map[at / 64] &= ~(1ULL << at % 64);
	return sack;
}

/* What snd.h says of one segment that is reported for the first time, of a
 * sender as it was and as it is to be.
 */
static void plain_arrived(struct prp_snd *is, const struct prp_snd *was,
			  u32 seq)
{
	u32 txno = was->seg_txno[seq & was->mask];
	u8 rail = prp_snd_rail(was, seq);
	bool seen = is->seen >> rail & 1;
	u32 depth = 0;

	if (bit(is->lost_map, seq)) {
		is->lost_map[seq % PRP_WIN / 64] &= ~(1ULL << seq % 64);
		is->lost--;
		if (seen && prp_txno_before(txno, is->newest[rail]))
			depth = is->newest[rail] - txno;
	} else if (prp_snd_is_again(was, seq)) {
		if (seen && !prp_txno_before(is->newest[rail], txno))
			return;
		is->needless++;
		is->overtaken = true;
		is->reorder = min_t(u32, is->reorder * 2, PRP_REORDER_MAX);
	} else if (was->seen >> rail & 1 &&
		   (seq == was->told_ack || !prp_before(seq, was->told)) &&
		   prp_txno_before(txno, was->newest[rail])) {
		depth = was->newest[rail] - txno;
	}
	depth = min_t(u32, depth, PRP_REORDER_MAX);
	is->overtaken |= !!depth;
	is->reorder = max_t(u32, is->reorder, depth);
	is->overtook = max_t(u32, is->overtook, depth);
}

/* The same of all, bit by bit; is: as @was, with the numbers reported */
static void plain_sack(struct prp_snd *is, const struct prp_snd *was, u32 ack,
		       const struct prp_sack *sack)
{
	unsigned int at;

	for (at = 0; at < 64u * sack->words; at++) {
		u32 seq = ack + 1 + sack->offset + at;

		if (!bit(sack->map, at) ||
		    seq - was->una >= was->nxt - was->una ||
		    bit(is->sacked_map, seq))
			continue;
		plain_arrived(is, was, seq);
		is->sacked_map[seq % PRP_WIN / 64] |= 1ULL << seq % 64;
		is->sacked++;
	}
}

static void some_sent(void)
{
	unsigned int count;
	u32 seq;

	put_new(&snd, below(PRP_WIN + 1), 0);
	prp_snd_ack(&snd, snd.nxt, PRP_WIN, NULL);
	for (count = 1 + below(PRP_WIN); count--;)
		put_new(&snd, 1, below(8) ? 0 : 1);
	for (seq = snd.una; seq != snd.nxt; seq++) {
		if (!below(8))
			prp_snd_lose(&snd, seq);
		if (!below(16))
			put(&snd, seq, below(2));
	}
}

UNIT(prp_snd_ack__word_by_word_is_bit_by_bit)
{
	unsigned int round, tells;

	for (round = 0; round < 3000; round++) {
		begin();
		some_sent();
		for (tells = 0; tells < 4; tells++) {
			struct prp_snd was = snd, is;
			struct prp_sack sack;
			u32 ack;

			sack = some_sack(&ack);
			prp_snd_ack(&snd, ack, PRP_WIN, &sack);
			is = snd;
			memcpy(is.sacked_map, was.sacked_map,
			       sizeof(is.sacked_map));
			memcpy(is.lost_map, was.lost_map, sizeof(is.lost_map));
			is.sacked = was.sacked;
			is.lost = was.lost;
			is.needless = was.needless;
			is.overtaken = was.overtaken;
			is.reorder = was.reorder;
			is.overtook = was.overtook;
			plain_sack(&is, &was, ack, &sack);
			expect_true(!memcmp(&is, &snd, sizeof(is)));
		}
	}
}
