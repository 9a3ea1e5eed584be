// SPDX-License-Identifier: GPL-2.0
/*
 * Selective repeat: each rule of window.h by itself, then whole transfers
 * over a channel that loses, doubles and reorders, where after every step
 * window.c is compared with a model that counts in plain arrays and never
 * wraps.
 */
#include <string.h>

#include <linux/kernel.h>
#include <linux/types.h>

#include "pure/rcv.h"
#include "pure/snd.h"
#include "unit.h"

/* Both numberings wrap soon after they begin. */
#define FIRST_SEQ 0xffffff00u
#define FIRST_TXNO 0xffffff00u
#define TXNO(n) ((u32)(FIRST_TXNO + (n)))

static bool bit(const u64 *map, u32 at)
{
	return map[at % PRP_WIN / 64] >> (at % 64) & 1;
}

static unsigned int bits(const u64 *map)
{
	unsigned int word, count = 0;

	for (word = 0; word < PRP_WIN_WORDS; word++)
		count += __builtin_popcountll(map[word]);
	return count;
}

/* Hand a segment to a rail. */
static void put(struct prp_snd *snd, u32 seq, u8 rail)
{
	prp_snd_sent(snd, seq, rail, snd->txno[rail]++);
}

static void probe(struct prp_snd *snd, u8 rail)
{
	prp_snd_probed(snd, rail, snd->txno[rail]++);
}

static void put_new(struct prp_snd *snd, unsigned int count, u8 rail)
{
	while (count--)
		put(snd, snd->nxt, rail);
}

/* A sender with so many segments in flight on rail 0. */
static struct prp_snd sender(unsigned int in_flight)
{
	struct prp_snd snd;

	prp_snd_init(&snd, FIRST_SEQ, FIRST_TXNO);
	put_new(&snd, in_flight, 0);
	return snd;
}

/* "The newest that came on rail 0 was the first transmission but n." */
static struct prp_sack report(u32 n)
{
	struct prp_sack sack = { .rails = 1, .newest = { TXNO(n) } };

	return sack;
}

/* ... and segment n has arrived, the acknowledgment being of ack. */
static void add(struct prp_sack *sack, u32 ack, u32 n)
{
	u32 at = n - ack - 1 - sack->offset;

	sack->map[at / 64] |= 1ULL << (at % 64);
	if (sack->words < at / 64 + 1)
		sack->words = at / 64 + 1;
}

/* Segments [from, to) but for the first ones have arrived, newest the last. */
static struct prp_sack arrived(u32 ack, u32 from, u32 to)
{
	struct prp_sack sack = report(to - 1);

	for (; from < to; from++)
		add(&sack, ack, from);
	return sack;
}

static enum prp_ack take(struct prp_snd *snd, u32 ack,
			 const struct prp_sack *sack)
{
	return prp_snd_ack(snd, FIRST_SEQ + ack, PRP_WIN, sack);
}

static bool is_lost(const struct prp_snd *snd, u32 n)
{
	return bit(snd->lost_map, FIRST_SEQ + n);
}

static bool is_sacked(const struct prp_snd *snd, u32 n)
{
	return bit(snd->sacked_map, FIRST_SEQ + n);
}

/* ------------------------------------------------------------- numbers */

UNIT(prp_before__orders_around_the_wrap)
{
	expect_true(prp_before(1, 2));
	expect_true(!prp_before(2, 2));
	expect_true(!prp_before(2, 1));
	expect_true(prp_before(0xffffffff, 0));
	expect_true(!prp_before(0, 0xffffffff));
	expect_true(prp_before(0xfffffff0, 0x7fffffef));
}

UNIT(prp_txno_before__orders_around_the_wrap)
{
	expect_true(prp_txno_before(1, 2));
	expect_true(!prp_txno_before(2, 2));
	expect_true(!prp_txno_before(2, 1));
	expect_true(prp_txno_before(0xffffffff, 0));
	expect_true(!prp_txno_before(0, 0xffffffff));
	expect_true(prp_txno_before(0xfffffff0, 0x7fffffef));
	expect_true(prp_txno_before(0xffff, 0x10000));
	expect_true(!prp_txno_before(0x8000, 0));
}

/* -------------------------------------------------------------- sender */

UNIT(prp_snd_init__nothing_in_flight)
{
	struct prp_snd snd;
	unsigned int rail;
	u32 seq;

	memset(&snd, 0xa5, sizeof(snd));
	prp_snd_init(&snd, FIRST_SEQ, FIRST_TXNO);
	expect_eq(snd.una, FIRST_SEQ);
	expect_eq(snd.nxt, FIRST_SEQ);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
	expect_eq(prp_snd_in_flight(&snd), 0);
	expect_eq(snd.needless, 0);
	expect_eq(bits(snd.sacked_map) + bits(snd.lost_map), 0);
	expect_true(!prp_snd_first_lost(&snd, &seq));
	for (rail = 0; rail < PRP_WIN_RAILS; rail++)
		expect_eq(snd.txno[rail], FIRST_TXNO);
}

UNIT(prp_snd_init__nothing_allowed)
{
	struct prp_snd snd = sender(0);

	expect_eq(snd.edge, FIRST_SEQ);
	expect_true(!prp_snd_new_allowed(&snd));
}

UNIT(prp_snd_sent__counts_new_ones)
{
	struct prp_snd snd = sender(300);

	expect_eq(snd.una, FIRST_SEQ);
	expect_eq(snd.nxt, FIRST_SEQ + 300);
	expect_eq(prp_snd_in_flight(&snd), 300);
	expect_true(!prp_snd_was_retransmitted(&snd, FIRST_SEQ + 299));
}

UNIT(prp_snd_sent__repeat_is_no_new_one)
{
	struct prp_snd snd = sender(3);

	put(&snd, FIRST_SEQ + 1, 0);
	expect_eq(snd.nxt, FIRST_SEQ + 3);
	put(&snd, FIRST_SEQ + 1, 0);
	expect_eq(snd.again, 1);
	expect_eq(prp_snd_in_flight(&snd), 3);
	expect_true(prp_snd_was_retransmitted(&snd, FIRST_SEQ + 1));
	expect_true(!prp_snd_was_retransmitted(&snd, FIRST_SEQ));
	expect_true(!prp_snd_was_retransmitted(&snd, FIRST_SEQ + 2));
}

UNIT(prp_snd_sent__repeat_ends_the_loss)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 2, 8);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 2);
	expect_eq(prp_snd_in_flight(&snd), 0);
	put(&snd, FIRST_SEQ + 1, 0);
	expect_eq(snd.lost, 1);
	expect_true(!is_lost(&snd, 1));
	expect_eq(prp_snd_in_flight(&snd), 1);
}

UNIT(prp_snd_sent__knows_nothing_of_the_place_before)
{
	struct prp_snd snd = sender(1);

	put(&snd, FIRST_SEQ, 0);
	take(&snd, 1, NULL);
	put_new(&snd, PRP_WIN, 0);
	expect_true(!prp_snd_was_retransmitted(&snd, FIRST_SEQ + PRP_WIN));
}

/* A report so old that the numbers may have wrapped since says nothing. */
UNIT(prp_snd_sent__forgets_a_stale_report)
{
	struct prp_snd snd = sender(1);
	struct prp_sack sack = report(0);

	take(&snd, 1, &sack);
	snd.txno[0] = TXNO(0x40000001);
	put_new(&snd, 1, 0);
	expect_eq(snd.seen, 0);
}

UNIT(prp_snd_sent__forgets_a_stale_probe)
{
	struct prp_snd snd = sender(1);
	struct prp_sack sack = report(0);

	probe(&snd, 0);
	take(&snd, 1, &sack);
	snd.txno[0] = TXNO(0x50000000);
	put_new(&snd, 1, 0);
	expect_eq(snd.probed, 0);
}

/* An old report, or none so far, does not make a young probe stale. */
UNIT(prp_snd_sent__keeps_a_probe_that_is_not_stale)
{
	struct prp_snd snd = sender(1);

	snd.txno[0] = TXNO(0x50000000);
	probe(&snd, 0);
	put_new(&snd, 1, 0);
	expect_eq(snd.probed, 1);
}

UNIT(prp_snd_sent__keeps_a_report_that_is_not_stale)
{
	struct prp_snd snd = sender(1);
	struct prp_sack sack = report(0);

	probe(&snd, 0);
	take(&snd, 1, &sack);
	snd.txno[0] = TXNO(0x40000000);
	put_new(&snd, 1, 0);
	expect_eq(snd.seen, 1);
	expect_eq(snd.probed, 1);
}

UNIT(prp_snd_sent__forgets_on_its_own_rail_only)
{
	struct prp_snd snd = sender(1);
	struct prp_sack sack = report(0);

	put_new(&snd, 1, 1);
	probe(&snd, 0);
	probe(&snd, 1);
	sack.rails = 3;
	sack.newest[1] = FIRST_TXNO;
	take(&snd, 2, &sack);
	snd.txno[1] = TXNO(0x50000000);
	put_new(&snd, 1, 1);
	expect_eq(snd.seen, 1);
	expect_eq(snd.probed, 1);
}

UNIT(prp_snd_new_allowed__up_to_the_edge)
{
	struct prp_snd snd = sender(0);

	prp_snd_ack(&snd, FIRST_SEQ, 2, NULL);
	expect_true(prp_snd_new_allowed(&snd));
	put_new(&snd, 1, 0);
	expect_true(prp_snd_new_allowed(&snd));
	put_new(&snd, 1, 0);
	expect_true(!prp_snd_new_allowed(&snd));
}

/* Even if the edge would let more: places are reused after PRP_WIN. */
UNIT(prp_snd_new_allowed__no_more_than_the_window)
{
	struct prp_snd snd = sender(PRP_WIN - 1);

	snd.edge = FIRST_SEQ + 2 * PRP_WIN;
	expect_true(prp_snd_new_allowed(&snd));
	put_new(&snd, 1, 0);
	expect_true(!prp_snd_new_allowed(&snd));
	take(&snd, 1, NULL);
	expect_true(prp_snd_new_allowed(&snd));
}

/* ------------------------------------------------- acknowledgments */

UNIT(prp_snd_ack__in_order_across_the_wrap)
{
	struct prp_snd snd = sender(512);
	u32 n;

	for (n = 1; n <= 512; n++) {
		expect_eq(take(&snd, n, NULL), PRP_ACK_OK);
		expect_eq(snd.una, (u32)(FIRST_SEQ + n));
		expect_eq(prp_snd_in_flight(&snd), 512 - n);
	}
}

UNIT(prp_snd_ack__many_at_once)
{
	struct prp_snd snd = sender(512);

	expect_eq(take(&snd, 512, NULL), PRP_ACK_OK);
	expect_eq(prp_snd_in_flight(&snd), 0);
	expect_eq(snd.una, snd.nxt);
}

UNIT(prp_snd_ack__selective)
{
	struct prp_snd snd = sender(300);
	struct prp_sack sack = arrived(0, 200, 300);
	u32 n;

	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(snd.una, FIRST_SEQ);
	expect_eq(snd.sacked, 100);
	expect_eq(prp_snd_in_flight(&snd), 200);
	for (n = 0; n < 300; n++)
		expect_eq(is_sacked(&snd, n), n >= 200);
}

UNIT(prp_snd_ack__selective_twice_counts_once)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 4, 8);

	take(&snd, 0, &sack);
	take(&snd, 0, &sack);
	expect_eq(snd.sacked, 4);
}

UNIT(prp_snd_ack__in_order_passes_what_was_selective)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 4, 8);

	take(&snd, 0, &sack);
	take(&snd, 6, NULL);
	expect_eq(snd.sacked, 2);
	expect_eq(prp_snd_in_flight(&snd), 2);
	take(&snd, 10, NULL);
	expect_eq(snd.sacked, 0);
	expect_eq(bits(snd.sacked_map), 0);
}

UNIT(prp_snd_ack__in_order_passes_what_was_lost)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	take(&snd, 10, NULL);
	expect_eq(snd.lost, 0);
	expect_eq(bits(snd.lost_map), 0);
}

UNIT(prp_snd_ack__in_order_passes_selective_without_a_report)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 4, 8);

	sack.rails = 0;
	take(&snd, 0, &sack);
	take(&snd, 6, NULL);
	expect_eq(snd.sacked, 2);
	expect_eq(bits(snd.sacked_map), 2);
}

UNIT(prp_snd_ack__in_order_passes_lost_after_a_stale_report)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = report(9);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 6);
	snd.txno[0] += 0x50000000;
	put_new(&snd, 1, 0);
	expect_eq(snd.seen, 0);
	take(&snd, 10, NULL);
	expect_eq(snd.lost, 0);
	expect_eq(bits(snd.lost_map), 0);
}

UNIT(prp_snd_ack__selective_counts_from_its_own_ack)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = report(150);

	add(&sack, 70, 150);
	take(&snd, 70, &sack);
	expect_eq(snd.una, FIRST_SEQ + 70);
	expect_eq(snd.sacked, 1);
	expect_true(is_sacked(&snd, 150));
}

UNIT(prp_snd_ack__never_sent)
{
	struct prp_snd snd = sender(5), was = snd;

	expect_eq(take(&snd, 6, NULL), PRP_ACK_BAD);
	expect_eq(take(&snd, 0x7fffffff, NULL), PRP_ACK_BAD);
	expect_eq(memcmp(&snd, &was, sizeof(snd)), 0);
}

/* What is more than can be in flight moves the edge and no more. */
UNIT(prp_snd_ack__window_larger_than_ours)
{
	static const u16 windows[] = { PRP_WIN, PRP_WIN + 1, 0x8000, 0xffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		struct prp_sack sack = report(0);
		struct prp_snd snd = sender(5);

		expect_eq(prp_snd_ack(&snd, FIRST_SEQ + 1, windows[i], NULL),
			  PRP_ACK_OK);
		expect_eq(snd.edge, (u32)(FIRST_SEQ + 1 + windows[i]));
		expect_eq(prp_snd_ack(&snd, FIRST_SEQ + 2, windows[i], &sack),
			  PRP_ACK_OK);
		expect_eq(snd.edge, (u32)(FIRST_SEQ + 2 + windows[i]));
		put_new(&snd, PRP_WIN - 4, 0);
		expect_true(prp_snd_new_allowed(&snd));
		put_new(&snd, 1, 0);
		expect_true(!prp_snd_new_allowed(&snd));
		expect_eq(prp_snd_in_flight(&snd), PRP_WIN);
	}
}

UNIT(prp_snd_ack__overtaken)
{
	struct prp_snd snd = sender(10), was;

	expect_eq(take(&snd, 6, NULL), PRP_ACK_OK);
	was = snd;
	expect_eq(take(&snd, 5, NULL), PRP_ACK_OLD);
	expect_eq(take(&snd, 0, NULL), PRP_ACK_OLD);
	expect_eq(memcmp(&snd, &was, sizeof(snd)), 0);
	expect_eq(take(&snd, 6, NULL), PRP_ACK_OK);
}

UNIT(prp_snd_ack__overtaken_still_tells_what_arrived)
{
	struct prp_snd snd = sender(20);
	struct prp_sack sack = report(12);

	take(&snd, 6, NULL);
	add(&sack, 2, 4);
	add(&sack, 2, 7);
	add(&sack, 2, 12);
	expect_eq(take(&snd, 2, &sack), PRP_ACK_OLD);
	expect_eq(snd.una, FIRST_SEQ + 6);
	expect_eq(snd.sacked, 2);
	expect_true(is_sacked(&snd, 7) && is_sacked(&snd, 12));
}

UNIT(prp_snd_ack__overtaken_by_how_much)
{
	struct prp_snd snd = sender(0);
	unsigned int n;

	for (n = 0; n < 0x20000; n++) {
		put_new(&snd, 1, 0);
		take(&snd, n + 1, NULL);
	}
	expect_eq(take(&snd, n - 0x10000, NULL), PRP_ACK_OLD);
	expect_eq(take(&snd, n - 0x10001, NULL), PRP_ACK_BAD);
}

UNIT(prp_snd_ack__window_opens)
{
	struct prp_snd snd = sender(0);

	expect_eq(prp_snd_ack(&snd, FIRST_SEQ, 7, NULL), PRP_ACK_OK);
	expect_eq(snd.edge, FIRST_SEQ + 7);
	prp_snd_ack(&snd, FIRST_SEQ, PRP_WIN, NULL);
	expect_eq(snd.edge, (u32)(FIRST_SEQ + PRP_WIN));
}

UNIT(prp_snd_ack__window_never_closes)
{
	struct prp_snd snd = sender(10);

	prp_snd_ack(&snd, FIRST_SEQ, PRP_WIN, NULL);
	prp_snd_ack(&snd, FIRST_SEQ + 5, 0, NULL);
	expect_eq(snd.edge, (u32)(FIRST_SEQ + PRP_WIN));
	prp_snd_ack(&snd, FIRST_SEQ + 5, PRP_WIN - 6, NULL);
	expect_eq(snd.edge, (u32)(FIRST_SEQ + PRP_WIN));
}

/* An overtaken one may have promised more than the later ones repeated. */
UNIT(prp_snd_ack__overtaken_opens_the_window)
{
	struct prp_snd snd = sender(10);

	prp_snd_ack(&snd, FIRST_SEQ + 5, 5, NULL);
	expect_eq(prp_snd_ack(&snd, FIRST_SEQ + 4, 100, NULL), PRP_ACK_OLD);
	expect_eq(snd.edge, FIRST_SEQ + 104);
}

UNIT(prp_snd_ack__report_is_kept_by_rail)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = { .rails = 1 << 5 | 1 << 2 };

	put_new(&snd, 10, 2);
	put_new(&snd, 10, 5);
	sack.newest[2] = TXNO(9);
	sack.newest[5] = TXNO(3);
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(snd.seen, 1 << 5 | 1 << 2);
	expect_eq(snd.newest[2], TXNO(9));
	expect_eq(snd.newest[5], TXNO(3));
}

UNIT(prp_snd_ack__report_never_moves_back)
{
	struct prp_snd snd = sender(0x200);
	struct prp_sack sack = report(0x180);

	take(&snd, 0, &sack);
	sack = report(0x20);
	take(&snd, 0, &sack);
	expect_eq(snd.newest[0], TXNO(0x180));
}

/* ---------------------------------------------------------------- lies */

static void expect_lie(struct prp_snd *snd, u32 ack,
		       const struct prp_sack *sack)
{
	struct prp_snd was = *snd;

	expect_eq(take(snd, ack, sack), PRP_ACK_BAD);
	expect_eq(memcmp(snd, &was, sizeof(was)), 0);
}

UNIT(prp_snd_ack__selective_of_what_was_never_sent)
{
	u32 count, ack;

	for (count = 2; count <= PRP_WIN; count++) {
		struct prp_snd snd = sender(count);

		for (ack = 0; ack < count; ack += 37) {
			struct prp_sack sack = report(0);

			add(&sack, ack, count);
			expect_lie(&snd, ack, &sack);
		}
	}
}

UNIT(prp_snd_ack__selective_of_the_last_that_was_sent)
{
	u32 count;

	for (count = 2; count <= PRP_WIN; count++) {
		struct prp_snd snd = sender(count);
		struct prp_sack sack = report(0);

		add(&sack, 0, count - 1);
		expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
		expect_eq(snd.sacked, 1);
	}
}

UNIT(prp_snd_ack__selective_with_one_wrong_word)
{
	struct prp_snd snd = sender(100);
	struct prp_sack sack = arrived(0, 5, 80);

	sack.words = PRP_WIN_WORDS;
	sack.map[6] = 1;
	expect_lie(&snd, 0, &sack);
}

UNIT(prp_snd_ack__selective_beyond_all_acknowledged)
{
	struct prp_snd snd = sender(5);
	struct prp_sack sack = report(0);

	add(&sack, 5, 6);
	expect_lie(&snd, 5, &sack);
}

/* Words that are not in use may hold anything. */
UNIT(prp_snd_ack__selective_ends_with_its_words)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = report(0);

	memset(sack.map, 0xff, sizeof(sack.map));
	sack.words = 2;
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(snd.sacked, 128);
}

/* A word beyond what was sent is no lie if it says nothing. */
UNIT(prp_snd_ack__selective_with_empty_words)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 2, 5);

	sack.words = PRP_WIN_WORDS;
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(snd.sacked, 3);
}

UNIT(prp_snd_ack__report_of_what_was_never_sent)
{
	struct prp_snd snd = sender(300);
	struct prp_sack sack = report(300);

	expect_lie(&snd, 0, &sack);
	sack = report(300 + 0x7fffffffu);
	expect_lie(&snd, 0, &sack);
	sack = report(299);
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
}

UNIT(prp_snd_ack__report_of_another_rail)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = { .rails = 1 << 7 };

	put_new(&snd, 5, 7);
	sack.newest[7] = TXNO(7);
	expect_lie(&snd, 0, &sack);
	sack.newest[7] = TXNO(4);
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
}

UNIT(prp_snd_ack__report_of_unset_rails_is_not_read)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = report(3);

	memset(sack.newest + 1, 0x55,
	       sizeof(sack.newest) - sizeof(sack.newest[0]));
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(snd.seen, 1);
}

/* ------------------------------------------------------------- offsets */

/* The same report, but of what is behind the first ones of it alone. */
static struct prp_sack skipping(struct prp_sack sack, u16 offset)
{
	sack.offset = offset;
	return sack;
}

/* Segments (ack, ack + 1 + offset) are not told of, all others are. */
static struct prp_sack arrived_but(u32 ack, u16 offset, u32 from, u32 to)
{
	struct prp_sack sack = skipping(report(to - 1), offset);

	for (; from < to; from++)
		if (from > ack + offset)
			add(&sack, ack, from);
	return sack;
}

UNIT(prp_snd_ack__offset_counts_from_its_own_ack)
{
	struct prp_snd snd = sender(300);
	struct prp_sack sack = skipping(report(0), 100);
	u32 n;

	sack.words = 2;
	sack.map[0] = 1 | 1ULL << 63;
	sack.map[1] = 2;
	expect_eq(take(&snd, 70, &sack), PRP_ACK_OK);
	expect_eq(snd.sacked, 3);
	for (n = 70; n < 300; n++)
		expect_eq(is_sacked(&snd, n),
			  n == 171 || n == 171 + 63 || n == 171 + 65);
}

UNIT(prp_snd_ack__offset_of_an_overtaken_one)
{
	struct prp_snd snd = sender(300);
	struct prp_sack sack = arrived_but(10, 30, 41, 100);

	take(&snd, 60, NULL);
	expect_eq(take(&snd, 10, &sack), PRP_ACK_OLD);
	expect_eq(snd.sacked, 40);
	expect_true(is_sacked(&snd, 60) && is_sacked(&snd, 99));
}

UNIT(prp_snd_ack__offset_of_what_was_never_sent)
{
	u32 count, offset;

	for (count = 2; count <= PRP_WIN; count += 5) {
		struct prp_snd snd = sender(count);

		for (offset = 0; offset < 2 * PRP_WIN; offset += 3) {
			struct prp_sack sack = skipping(report(0), offset);

			add(&sack, 0, max(count, offset + 1));
			expect_lie(&snd, 0, &sack);
		}
		expect_eq(snd.sacked, 0);
	}
}

UNIT(prp_snd_ack__offset_of_the_last_that_was_sent)
{
	struct prp_snd snd = sender(PRP_WIN);
	u32 offset;

	for (offset = 0; offset <= PRP_WIN - 2; offset++) {
		struct prp_sack sack = skipping(report(0), offset);

		add(&sack, 0, PRP_WIN - 1);
		expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
		expect_eq(snd.sacked, 1);
	}
}

/* The largest, also where the numbers wrap, is a lie if it tells anything. */
UNIT(prp_snd_ack__offset_beyond_all)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_sack sack = skipping(report(PRP_WIN - 1), 0xffff);

	sack.words = PRP_WIN_WORDS;
	sack.map[7] = 1;
	expect_lie(&snd, 0, &sack);
	sack.map[7] = 0;
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_true(is_lost(&snd, 0));
}

/* Every offset: only what is told of is lost, the acknowledged one too. */
UNIT(prp_snd_find_lost__nothing_of_the_skipped)
{
	u32 offset, n, ack;

	for (ack = 0; ack < 128; ack += 61) {
		for (offset = 0; offset < PRP_WIN; offset++) {
			struct prp_snd snd = sender(PRP_WIN);
			struct prp_sack sack;
			u32 count = 0;

			sack = skipping(report(PRP_WIN - 1), offset);
			take(&snd, ack, &sack);
			count = prp_snd_find_lost(&snd);
			expect_eq(count, snd.lost);
			for (n = ack; n < PRP_WIN; n++) {
				bool told = n == ack || n > ack + offset;
				bool old = n + PRP_REORDER_FIRST < PRP_WIN - 1;

				expect_eq(is_lost(&snd, n), told && old);
				count -= told && old;
			}
			expect_eq(count, 0);
		}
	}
}

UNIT(prp_snd_find_lost__nothing_of_the_skipped_on_many_rails)
{
	struct prp_snd snd = sender(100);
	struct prp_sack sack = report(99);
	u32 n;

	put_new(&snd, 100, 1);
	sack.rails = 3;
	sack.newest[1] = TXNO(99);
	sack.offset = 49;
	take(&snd, 20, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1 + 26 + 96);
	for (n = 20; n < 200; n++) {
		bool first = n == 20 || (n >= 70 && n < 96);

		expect_eq(is_lost(&snd, n), first || (n >= 100 && n < 196));
	}
}

/* Not a probe either. */
UNIT(prp_snd_find_lost__probe_says_nothing_of_the_skipped)
{
	struct prp_snd snd = sender(100);
	struct prp_sack sack = skipping(report(100), 60);
	u32 n;

	probe(&snd, 0);
	take(&snd, 10, &sack);
	expect_eq(prp_snd_find_lost(&snd), 30);
	for (n = 10; n < 100; n++)
		expect_eq(is_lost(&snd, n), n == 10 || n >= 71);
}

UNIT(prp_snd_find_lost__skipped_then_told)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = arrived_but(0, 100, 101, 165);
	u32 n;

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	/* the same with room for one more word, then for all */
	sack = arrived_but(0, 36, 40, 165);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 3);
	expect_true(is_lost(&snd, 37) && is_lost(&snd, 39));
	expect_true(!is_lost(&snd, 36) && !is_lost(&snd, 40));
	sack = arrived(0, 40, 165);
	for (n = 5; n < 37; n++)
		add(&sack, 0, n);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 4);
	expect_eq(snd.lost, 8);
	expect_true(is_lost(&snd, 1) && is_lost(&snd, 4));
	expect_true(!is_lost(&snd, 5) && !is_lost(&snd, 36));
}

/* One by one, as the acknowledgment reaches them. */
UNIT(prp_snd_find_lost__skipped_then_waited_for)
{
	struct prp_snd snd = sender(200);
	u32 n, seq;

	for (n = 0; n < 100; n += 10) {
		struct prp_sack sack = arrived_but(n, 180 - n, 181, 200);

		sack.newest[0] = snd.txno[0] - 1;
		take(&snd, n, &sack);
		expect_eq(prp_snd_find_lost(&snd), 1);
		expect_true(prp_snd_first_lost(&snd, &seq));
		expect_eq(seq, FIRST_SEQ + n);
		put(&snd, seq, 0);
	}
	expect_eq(snd.sacked, 19);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

/* What was told before is remembered. */
UNIT(prp_snd_find_lost__told_then_skipped)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = arrived(0, 1, 60);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	sack = arrived_but(0, 100, 101, 165);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
	expect_eq(snd.sacked, 59 + 64);
	expect_eq(snd.lost, 1);
}

/*
 * A report that was overtaken tells what arrived. What it does not tell of
 * may have arrived since, and a later one that skipped it was silent.
 */
UNIT(prp_snd_find_lost__overtaken_report_tells_of_no_gap)
{
	struct prp_snd snd = sender(200);
	struct prp_sack late = arrived(0, 1, 65);
	struct prp_sack sack = arrived_but(0, 100, 101, 165);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_eq(take(&snd, 0, &late), PRP_ACK_OK);
	expect_eq(snd.sacked, 64 + 64);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__overtaken_report_of_fewer_rails)
{
	struct prp_snd snd = sender(100);
	struct prp_sack late = arrived(0, 1, 60);
	struct prp_sack sack = arrived_but(0, 90, 91, 100);

	put_new(&snd, 100, 1);
	sack.rails = 3;
	sack.newest[1] = TXNO(0);
	late.newest[0] = sack.newest[0];
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	take(&snd, 0, &late);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__overtaken_ack_with_an_offset)
{
	struct prp_snd snd = sender(200);
	struct prp_sack late = arrived_but(0, 10, 11, 75);
	struct prp_sack sack = arrived_but(40, 79, 120, 184);

	take(&snd, 40, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_true(is_lost(&snd, 40));
	expect_eq(take(&snd, 0, &late), PRP_ACK_OLD);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

/* That nothing was said of it does not mean that it was late. */
UNIT(snd_reordered__not_by_what_was_skipped)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = arrived_but(0, 100, 101, 165);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	put(&snd, FIRST_SEQ, 0);
	sack = report(200);
	take(&snd, 165, &sack);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
	expect_eq(snd.needless, 0);
}

UNIT(snd_reordered__not_by_what_was_skipped_and_then_told)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = arrived_but(0, 100, 101, 165);

	take(&snd, 0, &sack);
	sack = arrived(0, 1, 165);
	take(&snd, 0, &sack);
	expect_eq(snd.sacked, 164);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

/* ---------------------------------------------------------- reordering */

UNIT(snd_reordered__late_arrival_widens)
{
	struct prp_snd snd = sender(40);
	struct prp_sack sack = report(30);

	add(&sack, 0, 30);
	take(&snd, 0, &sack);
	add(&sack, 0, 10);
	take(&snd, 0, &sack);
	expect_eq(snd.reorder, 20);
}

UNIT(snd_reordered__late_arrival_at_the_edge_widens)
{
	struct prp_snd snd = sender(40);
	struct prp_sack sack = report(30);

	add(&sack, 0, 30);
	take(&snd, 0, &sack);
	take(&snd, 1, NULL);
	expect_eq(snd.reorder, 30);
}

UNIT(snd_reordered__never_narrows)
{
	struct prp_snd snd = sender(40);
	struct prp_sack sack = report(30);

	add(&sack, 0, 30);
	take(&snd, 0, &sack);
	add(&sack, 0, 10);
	take(&snd, 0, &sack);
	add(&sack, 0, 25);
	take(&snd, 0, &sack);
	expect_eq(snd.reorder, 20);
}

UNIT(snd_reordered__not_by_one_report_of_many)
{
	struct prp_snd snd = sender(40);
	struct prp_sack sack = arrived(0, 1, 40);

	take(&snd, 0, &sack);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

UNIT(snd_reordered__not_by_another_rail)
{
	struct prp_snd snd = sender(40);
	struct prp_sack sack = report(39);

	put_new(&snd, 40, 1);
	take(&snd, 0, &sack);
	add(&sack, 0, 45);
	take(&snd, 0, &sack);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

UNIT(snd_reordered__lost_one_arrives)
{
	struct prp_snd snd = sender(40);
	struct prp_sack sack = arrived(0, 1, 20);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	sack = arrived(20, 21, 26);
	take(&snd, 20, &sack);
	expect_eq(snd.lost, 0);
	expect_eq(snd.reorder, 25);
	expect_eq(snd.needless, 0);
}

UNIT(snd_reordered__needless_repeat_doubles)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	put(&snd, FIRST_SEQ, 0);
	sack.words = 0;
	take(&snd, 10, &sack);
	expect_eq(snd.needless, 1);
	expect_eq(snd.reorder, 2 * PRP_REORDER_FIRST);
}

UNIT(snd_reordered__needless_repeat_on_a_silent_rail)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	prp_snd_find_lost(&snd);
	put(&snd, FIRST_SEQ, 3);
	sack.words = 0;
	take(&snd, 10, &sack);
	expect_eq(snd.needless, 1);
}

UNIT(snd_reordered__repeat_that_was_needed)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	prp_snd_find_lost(&snd);
	put(&snd, FIRST_SEQ, 0);
	sack = report(10);
	take(&snd, 10, &sack);
	expect_eq(snd.needless, 0);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

/* Without a report nobody knows which of the two arrived. */
UNIT(snd_reordered__repeat_without_a_report)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	prp_snd_find_lost(&snd);
	put(&snd, FIRST_SEQ, 0);
	take(&snd, 10, NULL);
	expect_eq(snd.needless, 0);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

UNIT(snd_reordered__has_a_limit)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_sack sack = report(PRP_WIN - 1);

	take(&snd, 0, &sack);
	take(&snd, 1, NULL);
	expect_eq(snd.reorder, PRP_REORDER_MAX);
}

/* ---------------------------------------------------------------- loss */

UNIT(prp_snd_find_lost__exactly_the_dropped)
{
	static const u32 dropped[] = { 3, 7, 8, 200 };
	struct prp_snd snd = sender(256);
	struct prp_sack sack = report(255);
	u32 n, seq;

	for (n = 4; n < 256; n++)
		if (n != 7 && n != 8 && n != 200)
			add(&sack, 3, n);
	expect_eq(take(&snd, 3, &sack), PRP_ACK_OK);
	expect_eq(prp_snd_find_lost(&snd), ARRAY_SIZE(dropped));
	expect_eq(bits(snd.lost_map), ARRAY_SIZE(dropped));
	for (n = 0; n < ARRAY_SIZE(dropped); n++) {
		expect_true(prp_snd_first_lost(&snd, &seq));
		expect_eq(seq, FIRST_SEQ + dropped[n]);
		put(&snd, seq, 0);
	}
	expect_true(!prp_snd_first_lost(&snd, &seq));
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__more_than_the_tolerance)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 4);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
	sack = arrived(0, 1, 5);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_true(is_lost(&snd, 0));
}

UNIT(prp_snd_find_lost__by_the_wider_tolerance)
{
	struct prp_snd snd = sender(60);
	struct prp_sack sack = report(50);

	snd.reorder = 50;
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
	sack = report(51);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
}

UNIT(prp_snd_find_lost__marks_once)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_eq(prp_snd_find_lost(&snd), 0);
	expect_eq(snd.lost, 1);
}

UNIT(prp_snd_find_lost__nothing_without_a_report)
{
	struct prp_snd snd = sender(100);

	take(&snd, 50, NULL);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__nothing_in_flight)
{
	struct prp_snd snd = sender(100);
	struct prp_sack sack = report(99);

	take(&snd, 100, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__all_but_the_last_few_of_a_full_window)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_sack sack = report(PRP_WIN - 1);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), PRP_WIN - 1 - PRP_REORDER_FIRST);
	expect_eq(prp_snd_in_flight(&snd), 1 + PRP_REORDER_FIRST);
}

/* The window's ends share a word of the map. */
UNIT(prp_snd_find_lost__full_window_at_every_alignment)
{
	u32 shift;

	for (shift = 0; shift < 64; shift++) {
		struct prp_snd snd = sender(shift);
		struct prp_sack sack = report(shift + PRP_WIN - 1);

		take(&snd, shift, NULL);
		put_new(&snd, PRP_WIN, 0);
		add(&sack, shift, shift + 1);
		add(&sack, shift, shift + PRP_WIN - 1);
		take(&snd, shift, &sack);
		expect_eq(prp_snd_find_lost(&snd),
			  PRP_WIN - 2 - PRP_REORDER_FIRST);
		expect_true(is_lost(&snd, shift));
		expect_true(!is_lost(&snd, shift + PRP_WIN - 4));
	}
}

UNIT(prp_snd_find_lost__repeat_is_not_lost_with_the_first)
{
	struct prp_snd snd = sender(20);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	prp_snd_find_lost(&snd);
	put(&snd, FIRST_SEQ, 0);
	sack = arrived(0, 1, 20);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__repeat_is_lost_too)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);
	unsigned int times;

	take(&snd, 0, &sack);
	for (times = 0; times < 300; times++) {
		expect_eq(prp_snd_find_lost(&snd), 1);
		put(&snd, FIRST_SEQ, 0);
		snd.txno[0] += 3;
		sack.newest[0] = snd.txno[0] - 1;
		take(&snd, 0, &sack);
		expect_eq(prp_snd_find_lost(&snd), 0);
		snd.txno[0]++;
		sack.newest[0]++;
		take(&snd, 0, &sack);
	}
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
}

/* A repeat is young, what was sent after it for the first time is not. */
UNIT(prp_snd_find_lost__looks_past_a_young_repeat)
{
	struct prp_snd snd = sender(20);
	struct prp_sack sack = report(6);

	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 3);
	put(&snd, FIRST_SEQ, 0);
	sack = report(19);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 13);
	expect_true(!is_lost(&snd, 0));
	expect_true(is_lost(&snd, 15));
}

UNIT(prp_snd_find_lost__by_the_report_of_its_own_rail)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = report(9);

	put_new(&snd, 10, 1);
	sack.rails = 2;
	sack.newest[1] = TXNO(9);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 6);
	expect_true(!is_lost(&snd, 9));
	expect_true(is_lost(&snd, 10));
	expect_true(is_lost(&snd, 15));
	expect_true(!is_lost(&snd, 16));
}

UNIT(prp_snd_find_lost__repeat_on_another_rail)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = arrived(0, 1, 10);

	take(&snd, 0, &sack);
	prp_snd_find_lost(&snd);
	put(&snd, FIRST_SEQ, 6);
	put_new(&snd, 20, 0);
	sack = arrived(0, 1, 30);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
	snd.txno[6] += 4;
	sack.rails |= 1 << 6;
	sack.newest[6] = snd.txno[6] - 1;
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
}

UNIT(prp_snd_find_lost__probe_finds_a_tail_of_one)
{
	struct prp_snd snd = sender(1);
	struct prp_sack sack = report(1);

	probe(&snd, 0);
	expect_eq(prp_snd_find_lost(&snd), 0);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_true(is_lost(&snd, 0));
}

UNIT(prp_snd_find_lost__probe_finds_a_tail)
{
	struct prp_snd snd = sender(100);
	struct prp_sack sack = report(100);

	take(&snd, 60, NULL);
	probe(&snd, 0);
	take(&snd, 60, &sack);
	expect_eq(prp_snd_find_lost(&snd), 40);
}

UNIT(prp_snd_find_lost__probe_despite_the_tolerance)
{
	struct prp_snd snd = sender(2);
	struct prp_sack sack = report(2);

	snd.reorder = PRP_REORDER_MAX;
	probe(&snd, 0);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 2);
}

UNIT(prp_snd_find_lost__probe_that_has_not_arrived)
{
	struct prp_snd snd = sender(3);
	struct prp_sack sack = report(2);

	probe(&snd, 0);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__probe_says_nothing_of_later_ones)
{
	struct prp_snd snd = sender(1);
	struct prp_sack sack = report(3);

	probe(&snd, 0);
	put_new(&snd, 3, 0);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_true(is_lost(&snd, 0));
	expect_true(!is_lost(&snd, 1));
}

UNIT(prp_snd_find_lost__probe_says_nothing_of_another_rail)
{
	struct prp_snd snd = sender(3);
	struct prp_sack sack = { .rails = 2, .newest = { 0, FIRST_TXNO } };

	probe(&snd, 1);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

/* A rail that was left: what is in flight there is lost, the rest is not. */
UNIT(prp_snd_lose_rails__of_two)
{
	struct prp_snd snd = sender(4);
	u32 n;

	put_new(&snd, 3, 1);
	expect_eq(prp_snd_lose_rails(&snd, 1), 4);
	for (n = 0; n < 7; n++)
		expect_eq(is_lost(&snd, n), n < 4);
	expect_eq(snd.rails, 2);
	expect_eq(prp_snd_in_flight(&snd), 3);
	expect_eq(prp_snd_lose_rails(&snd, 1), 0);
	expect_eq(prp_snd_lose_rails(&snd, 2), 3);
	expect_eq(snd.rails, 0);
}

UNIT(prp_snd_lose_rails__nothing_in_flight)
{
	struct prp_snd snd = sender(0);

	expect_eq(prp_snd_lose_rails(&snd, 0xff), 0);
	expect_eq(snd.lost, 0);
}

UNIT(prp_snd_lose_rails__the_whole_window)
{
	struct prp_snd snd = sender(PRP_WIN);

	expect_eq(prp_snd_lose_rails(&snd, 1), PRP_WIN);
	expect_eq(prp_snd_in_flight(&snd), 0);
}

/* What has arrived is not lost, and what arrives after all is no more so. */
UNIT(prp_snd_lose_rails__some_arrived)
{
	struct prp_snd snd = sender(10);
	struct prp_sack sack = report(9);
	u32 n;

	for (n = 1; n < 10; n++)
		if (n != 3)
			add(&sack, 0, n);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_lose_rails(&snd, 1), 2);
	expect_true(is_lost(&snd, 0) && is_lost(&snd, 3));
	take(&snd, 10, NULL);
	expect_eq(snd.lost, 0);
}

/* That they arrived after all says nothing of how deep the path reorders. */
UNIT(prp_snd_lose_rails__teaches_nothing)
{
	struct prp_snd snd = sender(100);
	struct prp_sack sack = report(99);
	u32 n;

	prp_snd_lose_rails(&snd, 1);
	for (n = 0; n < 100; n++)
		put(&snd, n, 1);
	take(&snd, 100, &sack);
	expect_eq(snd.reorder, PRP_REORDER_FIRST);
	expect_true(!snd.leaving);
	/* but what comes behind them does again */
	put_new(&snd, 20, 0);
	expect_eq(snd.rails, 1);
}

UNIT(prp_snd_sent__rails_of_what_is_in_flight)
{
	struct prp_snd snd = sender(1);

	put_new(&snd, 1, 3);
	expect_eq(snd.rails, 1 | 8);
	take(&snd, 2, NULL);
	put_new(&snd, 1, 5);
	expect_eq(snd.rails, 32);
}

UNIT(prp_snd_is_lost__of_any_number)
{
	struct prp_snd snd = sender(3);

	prp_snd_lose(&snd, snd.una + 1);
	expect_true(!prp_snd_is_lost(&snd, snd.una));
	expect_true(prp_snd_is_lost(&snd, snd.una + 1));
	expect_true(!prp_snd_is_lost(&snd, snd.nxt));
	expect_true(!prp_snd_is_lost(&snd, snd.una - 1));
	expect_true(!prp_snd_is_lost(&snd, snd.una + 1 + PRP_WIN));
}

/* No probe on this rail, and its numbers pass 0, which is no probe's. */
UNIT(prp_snd_find_lost__probe_of_another_rail_at_the_wrap)
{
	struct prp_snd snd = sender(0x102);
	struct prp_sack sack = report(0x101);

	probe(&snd, 1);
	take(&snd, 0xfe, &sack);
	expect_eq(prp_snd_find_lost(&snd), 0);
}

UNIT(prp_snd_find_lost__probe_after_a_lost_probe)
{
	struct prp_snd snd = sender(2);
	struct prp_sack sack = report(3);

	probe(&snd, 0);
	probe(&snd, 0);
	expect_eq(snd.probe[0], TXNO(3));
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 2);
}

/* What would be lost waits; marked is what has not come by then. */
UNIT(prp_snd_hold__nothing_if_nothing_is_lost)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 1, 4);

	expect_true(!prp_snd_hold(&snd));
	take(&snd, 0, &sack);
	expect_true(!prp_snd_hold(&snd));
}

UNIT(prp_snd_hold__marks_nothing)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 2, 8);

	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	expect_eq(snd.lost, 0);
	expect_eq(bits(snd.lost_map), 0);
}

UNIT(prp_snd_find_held__what_has_not_come)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 2, 8);

	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	add(&sack, 0, 1);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 1);
	expect_true(is_lost(&snd, 0));
	expect_true(!is_lost(&snd, 1));
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 0);
}

/* A few of each row at first; the rest of them when it is asked for again. */
UNIT(prp_snd_find_held__a_few_of_each_row)
{
	struct prp_snd snd = sender(200);
	struct prp_sack sack = arrived(0, 62, 67);

	add(&sack, 0, 100);
	add(&sack, 0, 102);
	sack.newest[0] = TXNO(150);
	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	expect_eq(prp_snd_find_held(&snd, 0), 140);
	expect_eq(snd.lost, 0);
	expect_eq(prp_snd_find_held(&snd, 2), 140);
	expect_eq(snd.lost, 7);
	expect_eq(bits(snd.lost_map), 7);
	expect_true(is_lost(&snd, 1));
	expect_true(!is_lost(&snd, 2));
	expect_true(is_lost(&snd, 68));
	expect_true(!is_lost(&snd, 69));
	expect_true(is_lost(&snd, 101));
	expect_true(is_lost(&snd, 104));
	expect_true(!is_lost(&snd, 105));
	put(&snd, FIRST_SEQ, 0);
	put(&snd, FIRST_SEQ + 1, 0);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 133);
	expect_true(!is_lost(&snd, 0));
	expect_true(is_lost(&snd, 61));
}

/* What was overtaken since then waits from now on. */
UNIT(prp_snd_find_held__nothing_that_was_overtaken_later)
{
	struct prp_snd snd = sender(16);
	struct prp_sack sack = arrived(0, 1, 6);

	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	sack = arrived(0, 1, 6);
	add(&sack, 0, 15);
	sack.newest[0] = TXNO(15);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 1);
	expect_true(is_lost(&snd, 0));
	expect_true(!is_lost(&snd, 6));
	expect_true(prp_snd_hold(&snd));
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 6);
	expect_true(is_lost(&snd, 6));
	expect_true(is_lost(&snd, 11));
	expect_true(!is_lost(&snd, 12));
}

UNIT(prp_snd_find_held__not_what_was_sent_again)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 1, 8);

	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	prp_snd_lose(&snd, FIRST_SEQ);
	put(&snd, FIRST_SEQ, 0);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 0);
}

/* A probe overtakes, too. */
UNIT(prp_snd_find_held__what_came_after_the_probe)
{
	struct prp_snd snd = sender(2);
	struct prp_sack sack = report(2);

	probe(&snd, 0);
	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	take(&snd, 1, NULL);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 1);
	expect_true(is_lost(&snd, 1));
}

/* A probe that leaves while it is held says nothing of what was held. */
UNIT(prp_snd_find_held__whatever_is_probed_meanwhile)
{
	struct prp_snd snd = sender(2);
	struct prp_sack sack = report(2);

	probe(&snd, 0);
	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	probe(&snd, 0);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 2);
}

UNIT(prp_snd_find_held__by_the_rails_known_then)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 1, 8);

	put_new(&snd, 8, 1);
	take(&snd, 0, &sack);
	expect_true(prp_snd_hold(&snd));
	sack.rails = 3;
	sack.newest[1] = TXNO(7);
	add(&sack, 0, 15);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 1);
	expect_true(prp_snd_hold(&snd));
	expect_eq(prp_snd_find_held(&snd, PRP_WIN), 4);
}

UNIT(prp_snd_may_overtake__while_two_have_sent)
{
	struct prp_snd snd = sender(0);

	prp_snd_moved(&snd);
	expect_true(!prp_snd_may_overtake(&snd));
	put_new(&snd, 4, 0);
	expect_true(!prp_snd_may_overtake(&snd));
	prp_snd_moved(&snd);
	expect_true(prp_snd_may_overtake(&snd));
	put_new(&snd, 4, 0);
	take(&snd, 3, NULL);
	expect_true(prp_snd_may_overtake(&snd));
	take(&snd, 4, NULL);
	expect_true(!prp_snd_may_overtake(&snd));
}

UNIT(prp_snd_may_overtake__once_something_has)
{
	struct prp_snd snd = sender(8);
	struct prp_sack sack = arrived(0, 2, 4);

	take(&snd, 0, &sack);
	expect_true(!prp_snd_may_overtake(&snd));
	add(&sack, 0, 1);
	take(&snd, 0, &sack);
	expect_true(prp_snd_may_overtake(&snd));
	take(&snd, 8, NULL);
	expect_true(prp_snd_may_overtake(&snd));
}

UNIT(prp_snd_first_lost__oldest_across_the_wrap)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_sack sack = report(PRP_WIN - 1);
	u32 n, seq;

	take(&snd, 10, &sack);
	prp_snd_find_lost(&snd);
	for (n = 10; n < PRP_WIN - 4; n++) {
		expect_true(prp_snd_first_lost(&snd, &seq));
		expect_eq(seq, (u32)(FIRST_SEQ + n));
		put(&snd, seq, 0);
	}
}

UNIT(prp_snd_first_lost__in_a_far_word)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_sack sack = report(PRP_WIN - 1);
	u32 n, seq;

	for (n = 0; n < PRP_WIN - 30; n++)
		put(&snd, FIRST_SEQ + n, 0);
	take(&snd, 0, &sack);
	expect_eq(prp_snd_find_lost(&snd), 26);
	expect_true(prp_snd_first_lost(&snd, &seq));
	expect_eq(seq, (u32)(FIRST_SEQ + PRP_WIN - 30));
}

/* ------------------------------------------------------------ receiver */

static struct prp_rcv receiver(u16 window)
{
	struct prp_rcv rcv;

	prp_rcv_init(&rcv, FIRST_SEQ, window);
	return rcv;
}

static enum prp_seg check(const struct prp_rcv *rcv, u32 n)
{
	return prp_rcv_check(rcv, FIRST_SEQ + n);
}

static unsigned int accept(struct prp_rcv *rcv, u32 n)
{
	return prp_rcv_accept(rcv, FIRST_SEQ + n);
}

UNIT(prp_rcv_init__waits_for_the_first)
{
	struct prp_rcv rcv;

	memset(&rcv, 0xa5, sizeof(rcv));
	prp_rcv_init(&rcv, FIRST_SEQ, 10);
	expect_eq(rcv.nxt, FIRST_SEQ);
	expect_eq(rcv.high, FIRST_SEQ);
	expect_eq(rcv.edge, FIRST_SEQ + 10);
	expect_eq(rcv.late, 0);
	expect_eq(rcv.rails, 0);
	expect_eq(bits(rcv.map), 0);
}

UNIT(prp_rcv_check__what_a_segment_is)
{
	struct prp_rcv rcv = receiver(20);

	accept(&rcv, 0);
	accept(&rcv, 5);
	expect_eq(check(&rcv, 0), PRP_SEG_DUPLICATE);
	expect_eq(check(&rcv, 1), PRP_SEG_NEXT);
	expect_eq(check(&rcv, 2), PRP_SEG_LATE);
	expect_eq(check(&rcv, 5), PRP_SEG_DUPLICATE);
	expect_eq(check(&rcv, 6), PRP_SEG_LATE);
	expect_eq(check(&rcv, 19), PRP_SEG_LATE);
	expect_eq(check(&rcv, 20), PRP_SEG_OUTSIDE);
}

UNIT(prp_rcv_check__far_from_the_window)
{
	struct prp_rcv rcv = receiver(20);

	expect_eq(check(&rcv, -1), PRP_SEG_DUPLICATE);
	expect_eq(check(&rcv, -0x7fffffff), PRP_SEG_DUPLICATE);
	expect_eq(check(&rcv, 0x7fffffff), PRP_SEG_OUTSIDE);
	expect_eq(check(&rcv, PRP_WIN), PRP_SEG_OUTSIDE);
}

UNIT(prp_rcv_check__nothing_promised)
{
	struct prp_rcv rcv = receiver(0);

	expect_eq(check(&rcv, 0), PRP_SEG_OUTSIDE);
	expect_eq(check(&rcv, 1), PRP_SEG_OUTSIDE);
}

/* Even if more was promised: places are reused after PRP_WIN. */
UNIT(prp_rcv_check__no_more_than_the_window)
{
	struct prp_rcv rcv = receiver(2 * PRP_WIN);

	expect_eq(check(&rcv, PRP_WIN - 1), PRP_SEG_LATE);
	expect_eq(check(&rcv, PRP_WIN), PRP_SEG_OUTSIDE);
}

UNIT(prp_rcv_accept__in_order_across_the_wrap)
{
	struct prp_rcv rcv = receiver(PRP_WIN);
	u32 n;

	for (n = 0; n < PRP_WIN; n++) {
		expect_eq(check(&rcv, n), PRP_SEG_NEXT);
		expect_eq(accept(&rcv, n), 1);
		expect_eq(rcv.nxt, (u32)(FIRST_SEQ + n + 1));
		expect_eq(rcv.high, rcv.nxt);
	}
}

UNIT(prp_rcv_accept__late_ones_wait)
{
	struct prp_rcv rcv = receiver(PRP_WIN);

	expect_eq(accept(&rcv, 2), 0);
	expect_eq(accept(&rcv, 1), 0);
	expect_eq(rcv.nxt, FIRST_SEQ);
	expect_eq(rcv.late, 2);
	expect_eq(rcv.high, FIRST_SEQ + 3);
}

UNIT(prp_rcv_accept__late_ones_follow_up_to_the_next_gap)
{
	struct prp_rcv rcv = receiver(PRP_WIN);

	accept(&rcv, 1);
	accept(&rcv, 2);
	accept(&rcv, 4);
	expect_eq(accept(&rcv, 0), 3);
	expect_eq(rcv.nxt, FIRST_SEQ + 3);
	expect_eq(rcv.late, 1);
	expect_eq(accept(&rcv, 3), 2);
	expect_eq(rcv.late, 0);
	expect_eq(bits(rcv.map), 0);
}

UNIT(prp_rcv_accept__whole_window_behind_one_gap)
{
	struct prp_rcv rcv = receiver(PRP_WIN);
	u32 n;

	for (n = PRP_WIN - 1; n; n--)
		expect_eq(accept(&rcv, n), 0);
	expect_eq(rcv.late, PRP_WIN - 1);
	expect_eq(rcv.high, (u32)(FIRST_SEQ + PRP_WIN));
	expect_eq(accept(&rcv, 0), PRP_WIN);
	expect_eq(bits(rcv.map), 0);
}

UNIT(prp_rcv_open__never_moves_back)
{
	struct prp_rcv rcv = receiver(100);

	prp_rcv_open(&rcv, 50);
	expect_eq(rcv.edge, FIRST_SEQ + 100);
	prp_rcv_open(&rcv, 0);
	expect_eq(rcv.edge, FIRST_SEQ + 100);
	prp_rcv_open(&rcv, 300);
	expect_eq(rcv.edge, (u32)(FIRST_SEQ + 300));
}

UNIT(prp_rcv_open__counts_from_the_next)
{
	struct prp_rcv rcv = receiver(10);

	accept(&rcv, 0);
	accept(&rcv, 1);
	prp_rcv_open(&rcv, 8);
	expect_eq(rcv.edge, FIRST_SEQ + 10);
	prp_rcv_open(&rcv, 10);
	expect_eq(rcv.edge, FIRST_SEQ + 12);
}

UNIT(prp_rcv_saw__newest_across_the_wrap)
{
	struct prp_rcv rcv = receiver(10);
	u32 n;

	for (n = 0; n < 0x200; n++) {
		prp_rcv_saw(&rcv, 3, TXNO(n));
		expect_eq(rcv.newest[3], TXNO(n));
	}
	prp_rcv_saw(&rcv, 3, TXNO(0x1fe));
	expect_eq(rcv.newest[3], TXNO(0x1ff));
	expect_eq(rcv.rails, 1 << 3);
}

UNIT(prp_rcv_saw__each_rail_by_itself)
{
	struct prp_rcv rcv = receiver(10);

	prp_rcv_saw(&rcv, 0, 0xfffffff0);
	prp_rcv_saw(&rcv, 7, 5);
	expect_eq(rcv.rails, 1 << 7 | 1);
	expect_eq(rcv.newest[0], 0xfffffff0);
	expect_eq(rcv.newest[7], 5);
}

/* ---------------------------------------------------------------- SACK */

UNIT(prp_rcv_sack__nothing_late)
{
	struct prp_rcv rcv = receiver(PRP_WIN);
	struct prp_sack sack;

	accept(&rcv, 0);
	prp_rcv_saw(&rcv, 2, 77);
	memset(&sack, 0xa5, sizeof(sack));
	prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
	expect_eq(sack.words, 0);
	expect_eq(sack.rails, 1 << 2);
	expect_eq(sack.newest[2], 77);
}

UNIT(prp_rcv_sack__words_up_to_the_highest)
{
	struct prp_rcv rcv = receiver(PRP_WIN);
	struct prp_sack sack;

	accept(&rcv, 64);
	prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
	expect_eq(sack.words, 1);
	expect_eq(sack.map[0], 1ULL << 63);
	accept(&rcv, 65);
	prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
	expect_eq(sack.words, 2);
	expect_eq(sack.map[1], 1);
}

/* A peer may say that it has sent more than there is room for. */
UNIT(prp_rcv_sack__high_beyond_the_window)
{
	struct prp_rcv rcv = receiver(PRP_WIN);
	struct prp_sack sack;

	accept(&rcv, 1);
	rcv.high = FIRST_SEQ + 100000;
	prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
	expect_eq(sack.words, PRP_WIN_WORDS);
	expect_eq(sack.map[0], 1);
	expect_eq(bits(sack.map), 1);
}

/* All 511 that can be late, and first seq at every place of the ring. */
UNIT(prp_rcv_sack__every_alignment)
{
	u32 shift, n, high;

	for (shift = 0; shift < PRP_WIN; shift++) {
		struct prp_rcv rcv = receiver(PRP_WIN);
		bool here[PRP_WIN + 1] = { false };
		struct prp_sack sack;

		for (n = 0; n < shift; n++)
			accept(&rcv, n);
		prp_rcv_open(&rcv, PRP_WIN);
		high = unit_random() % (PRP_WIN - 1) + 2;
		for (n = 1; n < high; n++) {
			here[n] = shift % 7 == 0 || n == high - 1 ||
				  unit_random() % 2;
			if (here[n])
				accept(&rcv, shift + n);
		}
		prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
		expect_eq(sack.words, (high - 1 + 63) / 64);
		for (n = 1; n <= 64u * sack.words; n++)
			expect_eq(bit(sack.map, n - 1), here[n]);
	}
}

/* What must be said with room for so many words, counted one by one. */
static void expect_sack(const struct prp_sack *sack, const bool *here, u32 high,
			unsigned int words)
{
	u32 behind = high > 1 ? high - 1 : 0, n;

	expect_eq(sack->offset, behind > 64 * words ? behind - 64 * words : 0);
	expect_eq(sack->words,
		  behind > 64 * words ? words : (behind + 63) / 64);
	for (n = 0; n < 64u * sack->words; n++) {
		u32 at = 1 + sack->offset + n;

		expect_eq(bit(sack->map, n), at < high && here[at]);
	}
}

/* Any receiver, and room for any number of words. */
UNIT(prp_rcv_sack__as_much_as_has_room)
{
	static const unsigned int rooms[] = { 0, 1, 7, 8, 2, 3, 4, 5, 6 };
	unsigned int times, i, skipped = 0;

	for (times = 0; times < 3000; times++) {
		struct prp_rcv rcv = receiver(PRP_WIN);
		u32 shift = unit_random() % PRP_WIN, n, high = 0;
		u32 span = 2 + unit_random() % (PRP_WIN - 1);
		u32 dense = unit_random() % 8;
		bool here[PRP_WIN] = { false };

		for (n = 0; n < shift; n++)
			accept(&rcv, n);
		prp_rcv_open(&rcv, PRP_WIN);
		for (n = 1; n < span; n++) {
			here[n] = unit_random() % 8 <= dense;
			if (!here[n])
				continue;
			accept(&rcv, shift + n);
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

UNIT(prp_rcv_sack__one_word_tells_of_the_highest)
{
	struct prp_rcv rcv = receiver(PRP_WIN);
	struct prp_sack sack;

	accept(&rcv, 1);
	accept(&rcv, 64);
	prp_rcv_sack(&rcv, &sack, 1);
	expect_eq(sack.offset, 0);
	expect_eq(sack.words, 1);
	expect_true(sack.map[0] == (1 | 1ULL << 63));
	accept(&rcv, 65);
	prp_rcv_sack(&rcv, &sack, 1);
	expect_eq(sack.offset, 1);
	expect_eq(sack.words, 1);
	expect_true(sack.map[0] == 3ULL << 62);
	accept(&rcv, PRP_WIN - 1);
	prp_rcv_sack(&rcv, &sack, 1);
	expect_eq(sack.offset, PRP_WIN - 1 - 64);
	expect_true(sack.map[0] == 1ULL << 63);
	prp_rcv_sack(&rcv, &sack, 0);
	expect_eq(sack.offset, PRP_WIN - 1);
	expect_eq(sack.words, 0);
}

/* Whatever has room of it, the sender repeats the one that is missing. */
UNIT(prp_rcv_sack__any_part_is_understood)
{
	unsigned int words;
	u32 n;

	for (words = 0; words <= PRP_WIN_WORDS; words++) {
		struct prp_snd snd = sender(PRP_WIN);
		struct prp_rcv rcv = receiver(PRP_WIN);
		struct prp_sack sack;

		for (n = 1; n < PRP_WIN; n++) {
			accept(&rcv, n);
			prp_rcv_saw(&rcv, 0, TXNO(n));
		}
		prp_rcv_sack(&rcv, &sack, words);
		expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
		expect_eq(snd.sacked, min(64 * words, PRP_WIN - 1));
		expect_eq(prp_snd_find_lost(&snd), 1);
		expect_true(is_lost(&snd, 0));
	}
}

UNIT(prp_rcv_sack__full_window_is_understood)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_rcv rcv = receiver(PRP_WIN);
	struct prp_sack sack;
	u32 n;

	for (n = 1; n < PRP_WIN; n++) {
		accept(&rcv, n);
		prp_rcv_saw(&rcv, 0, TXNO(n));
	}
	prp_rcv_sack(&rcv, &sack, PRP_WIN_WORDS);
	expect_eq(sack.words, PRP_WIN_WORDS);
	expect_eq(take(&snd, 0, &sack), PRP_ACK_OK);
	expect_eq(snd.sacked, PRP_WIN - 1);
	expect_eq(prp_snd_find_lost(&snd), 1);
}

/* --------------------------------------------------------------- model */

/*
 * The model: both ends as window.h describes them, with numbers that begin
 * at 0 and never wrap, one place for every segment, and no short cuts.
 */
#define SEGS 6000
#define UNKNOWN -1
#define STALE 0x40000000

struct model_seg {
	s64 txno;
	u8 rail;
	bool sacked;
	bool lost;
	bool again;
};

struct model_snd {
	u32 una;
	u32 nxt;
	u32 edge;
	u32 needless;
	u32 told_ack; /* the last report was of this one ... */
	u32 told; /* ... and of these */
	s64 reorder;
	s64 newest[PRP_WIN_RAILS];
	s64 probe[PRP_WIN_RAILS];
	s64 txno[PRP_WIN_RAILS];
	struct model_seg seg[SEGS];
};

struct model_rcv {
	u32 nxt;
	u32 edge;
	s64 newest[PRP_WIN_RAILS];
	bool here[SEGS + 2 * PRP_WIN];
};

/* A frame in one of the two directions. */
struct packet {
	u64 due;
	u32 seq; /* of the segment, or the acknowledgment */
	bool probe;
	u8 rail;
	s64 txno;
	u16 window;
	bool has_sack;
	struct prp_sack sack;
	s64 newest[PRP_WIN_RAILS];
};

#define RING 4096

struct channel {
	struct packet ring[RING];
	u32 head;
	u32 tail;
};

/**
 * struct way - what the channel does
 * @loss: segments and probes lost, of 1000
 * @ack_loss: acknowledgments lost, of 1000
 * @twice: frames of both directions doubled, of 1000
 * @depth: most ticks by which a segment is late
 * @every: one segment of so many is late by just @depth; 0: each by chance
 * @ack_depth: most ticks by which an acknowledgment is late
 * @rails: rails in use
 * @cut: words of the map after which an acknowledgment breaks off; 0: none
 * @narrow: an acknowledgment has room for @words words only
 * @words: how many
 * @windows: the receiver's window changes
 * @wide: the receiver's window is the widest that can be said
 */
struct way {
	unsigned int loss;
	unsigned int ack_loss;
	unsigned int twice;
	unsigned int depth;
	unsigned int every;
	unsigned int ack_depth;
	unsigned int rails;
	unsigned int cut;
	unsigned int words;
	bool narrow;
	bool windows;
	bool wide;
};

#define DELAY 20 /* ticks one way, and one more a rail */
#define PATIENCE (4 * DELAY + 40) /* ticks until a probe */

/* One transfer; what is counted is of segments, never of probes. */
static struct sim {
	struct way way;
	struct prp_snd snd;
	struct prp_rcv rcv;
	struct model_snd m;
	struct model_rcv r;
	struct channel forth;
	struct channel back;
	u64 now;
	u64 busy; /* when something last went on */
	u32 sent;
	u32 lost;
	u32 repeats;
	u32 last_repeat; /* snd.nxt at that time */
	u8 probe_rail;
} sim;

static bool chance(unsigned int of_1000)
{
	return unit_random() % 1000 < of_1000;
}

static unsigned int below(unsigned int limit)
{
	return limit ? unit_random() % limit : 0;
}

static void channel_put(struct channel *channel, const struct packet *packet)
{
	u32 at = channel->tail++;

	expect_true(channel->tail - channel->head < RING);
	for (; at != channel->head; at--) {
		struct packet *before = &channel->ring[(at - 1) % RING];

		if (before->due <= packet->due)
			break;
		channel->ring[at % RING] = *before;
	}
	channel->ring[at % RING] = *packet;
}

static struct packet *channel_get(struct channel *channel)
{
	struct packet *packet = &channel->ring[channel->head % RING];

	if (channel->head == channel->tail || packet->due > sim.now)
		return NULL;
	channel->head++;
	return packet;
}

/* -- the model's sender -- */

static void model_sent(u32 n, u8 rail)
{
	struct model_snd *m = &sim.m;
	s64 txno = m->txno[rail]++;

	if (n == m->nxt)
		m->nxt++;
	else
		m->seg[n].again = true;
	m->seg[n].lost = false;
	m->seg[n].rail = rail;
	m->seg[n].txno = txno;
	if (txno - m->newest[rail] > STALE)
		m->newest[rail] = UNKNOWN;
	if (txno - m->probe[rail] > STALE)
		m->probe[rail] = UNKNOWN;
}

static void model_widen(s64 depth)
{
	if (depth > PRP_REORDER_MAX)
		depth = PRP_REORDER_MAX;
	if (depth > sim.m.reorder)
		sim.m.reorder = depth;
}

static bool model_told(u32 n)
{
	return n == sim.m.told_ack || n >= sim.m.told;
}

static void model_arrived(u32 n, const s64 *newest_was, bool reported)
{
	struct model_snd *m = &sim.m;
	struct model_seg *seg = &m->seg[n];

	if (seg->lost) {
		model_widen(m->newest[seg->rail] - seg->txno);
	} else if (seg->again && reported && m->newest[seg->rail] < seg->txno) {
		m->needless++;
		model_widen(2 * m->reorder);
	} else if (!seg->again && model_told(n) &&
		   newest_was[seg->rail] > seg->txno) {
		model_widen(newest_was[seg->rail] - seg->txno);
	}
	seg->lost = false;
	seg->sacked = true;
}

static void model_ack(const struct packet *p)
{
	struct model_snd *m = &sim.m;
	s64 newest_was[PRP_WIN_RAILS];
	unsigned int rail, i;
	bool newest = p->has_sack;

	memcpy(newest_was, m->newest, sizeof(newest_was));
	for (rail = 0; p->has_sack && rail < PRP_WIN_RAILS; rail++) {
		if (p->newest[rail] < m->newest[rail])
			newest = false;
		else
			m->newest[rail] = p->newest[rail];
	}
	for (; m->una < p->seq; m->una++)
		if (!m->seg[m->una].sacked)
			model_arrived(m->una, newest_was, p->has_sack);
	if (p->seq + p->window > m->edge)
		m->edge = p->seq + p->window;
	for (i = 0; p->has_sack && i < 64u * p->sack.words; i++) {
		u32 n = p->seq + 1 + p->sack.offset + i;

		if (bit(p->sack.map, i) && n >= m->una && !m->seg[n].sacked)
			model_arrived(n, newest_was, true);
	}
	if (newest) {
		m->told_ack = p->seq;
		m->told = p->seq + 1 + p->sack.offset;
	}
}

static bool model_is_lost(const struct model_seg *seg)
{
	s64 newest = sim.m.newest[seg->rail], probe = sim.m.probe[seg->rail];

	return newest - seg->txno > sim.m.reorder ||
	       (probe > seg->txno && newest >= probe);
}

static unsigned int model_find_lost(void)
{
	struct model_snd *m = &sim.m;
	unsigned int found = 0;
	u32 n;

	for (n = m->una; n < m->nxt; n++) {
		struct model_seg *seg = &m->seg[n];

		if (seg->sacked || seg->lost || !model_told(n) ||
		    !model_is_lost(seg))
			continue;
		seg->lost = true;
		found++;
	}
	return found;
}

/* -- the two compared -- */

static void compare_snd_counts(u32 sacked, u32 lost, u32 again)
{
	const struct model_snd *m = &sim.m;
	const struct prp_snd *snd = &sim.snd;

	expect_eq(snd->una, (u32)(FIRST_SEQ + m->una));
	expect_eq(snd->nxt, (u32)(FIRST_SEQ + m->nxt));
	expect_eq(snd->edge, (u32)(FIRST_SEQ + m->edge));
	expect_eq(snd->reorder, m->reorder);
	expect_eq(snd->needless, m->needless);
	expect_eq(snd->sacked, sacked);
	expect_eq(snd->lost, lost);
	expect_eq(bits(snd->sacked_map), sacked);
	expect_eq(bits(snd->lost_map), lost);
	expect_eq(snd->again, again);
	expect_eq(bits(snd->again_map), again);
	expect_eq(prp_snd_in_flight(snd), m->nxt - m->una - sacked - lost);
	expect_eq(prp_snd_new_allowed(snd),
		  m->nxt < m->edge && m->nxt - m->una < PRP_WIN);
}

static void compare_snd(void)
{
	const struct model_snd *m = &sim.m;
	u32 n, seq, sacked = 0, lost = 0, again = 0, first = 0;

	for (n = m->nxt; n-- > m->una;) {
		const struct model_seg *seg = &m->seg[n];

		seq = FIRST_SEQ + n;
		expect_eq(bit(sim.snd.sacked_map, seq), seg->sacked);
		expect_eq(bit(sim.snd.lost_map, seq), seg->lost);
		expect_eq(prp_snd_was_retransmitted(&sim.snd, seq), seg->again);
		sacked += seg->sacked;
		lost += seg->lost;
		again += seg->again;
		if (seg->lost)
			first = n;
	}
	compare_snd_counts(sacked, lost, again);
	expect_eq(prp_snd_first_lost(&sim.snd, &seq), lost > 0);
	if (lost)
		expect_eq(seq, (u32)(FIRST_SEQ + first));
}

static void compare_rcv(void)
{
	const struct model_rcv *r = &sim.r;
	const struct prp_rcv *rcv = &sim.rcv;
	u32 n, late = 0;

	for (n = r->nxt; n < r->nxt + PRP_WIN; n++) {
		expect_eq(bit(rcv->map, FIRST_SEQ + n), r->here[n]);
		late += r->here[n];
	}
	expect_eq(rcv->late, late);
	expect_eq(rcv->nxt, (u32)(FIRST_SEQ + r->nxt));
	expect_eq(rcv->edge, (u32)(FIRST_SEQ + r->edge));
}

static void compare_sack(const struct prp_sack *sack, unsigned int words)
{
	const struct model_rcv *r = &sim.r;
	const bool *here = r->here + r->nxt;
	unsigned int rail;
	u32 n, high = 0;

	for (n = 1; n < PRP_WIN; n++)
		if (here[n])
			high = n + 1;
	expect_sack(sack, here, high, words);
	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		bool known = r->newest[rail] != UNKNOWN;

		expect_eq(sack->rails >> rail & 1, known);
		if (known)
			expect_eq(sack->newest[rail], TXNO(r->newest[rail]));
	}
}

/* -- the transfer -- */

static void sim_transmit(struct packet *p)
{
	const struct way *way = &sim.way;
	bool dropped = chance(way->loss);

	sim.sent++;
	if (!p->probe && dropped)
		sim.lost++;
	if (dropped)
		return;
	p->due = sim.now + DELAY + p->rail;
	if (!way->every)
		p->due += below(way->depth + 1);
	else if (sim.sent % way->every == 0)
		p->due += way->depth;
	channel_put(&sim.forth, p);
	p->due += below(2 * DELAY);
	if (chance(way->twice))
		channel_put(&sim.forth, p);
}

static void sim_send_segment(u32 n)
{
	u8 rail = below(sim.way.rails);
	struct packet p = { .seq = n, .rail = rail };

	if (n != sim.m.nxt) {
		sim.repeats++;
		sim.last_repeat = sim.m.nxt;
	}
	p.txno = sim.m.txno[rail];
	prp_snd_sent(&sim.snd, FIRST_SEQ + n, rail, sim.snd.txno[rail]++);
	model_sent(n, rail);
	sim.busy = sim.now;
	sim_transmit(&p);
}

static void sim_send_probe(void)
{
	u8 rail = sim.probe_rail++ % sim.way.rails;
	struct packet p = { .probe = true, .rail = rail };

	p.txno = sim.m.txno[rail]++;
	sim.m.probe[rail] = p.txno;
	prp_snd_probed(&sim.snd, rail, sim.snd.txno[rail]++);
	sim.busy = sim.now;
	sim_transmit(&p);
}

static void sim_send(void)
{
	u32 seq;

	if (prp_snd_first_lost(&sim.snd, &seq))
		sim_send_segment(seq - FIRST_SEQ);
	else if (sim.m.nxt < SEGS && prp_snd_new_allowed(&sim.snd))
		sim_send_segment(sim.m.nxt);
	else if (sim.now - sim.busy > PATIENCE)
		sim_send_probe();
	else
		return;
	compare_snd();
}

/* Take a segment; each may be taken once. Return: it is to be told of. */
static bool sim_accept(u32 n)
{
	struct model_rcv *r = &sim.r;
	enum prp_seg what = prp_rcv_check(&sim.rcv, FIRST_SEQ + n);
	bool late = sim.rcv.late;
	u32 from = r->nxt;

	if (n < r->nxt || r->here[n]) {
		expect_eq(what, PRP_SEG_DUPLICATE);
		return true;
	}
	expect_true(n < r->edge);
	expect_eq(what, n == r->nxt ? PRP_SEG_NEXT : PRP_SEG_LATE);
	r->here[n] = true;
	while (r->here[r->nxt])
		r->nxt++;
	expect_eq(prp_rcv_accept(&sim.rcv, FIRST_SEQ + n), r->nxt - from);
	return late || what == PRP_SEG_LATE;
}

static void sim_answer(bool has_sack)
{
	struct packet p = { .has_sack = has_sack || sim.rcv.late };
	unsigned int words = sim.way.narrow ? sim.way.words : PRP_WIN_WORDS;
	u16 window = sim.way.windows ? below(PRP_WIN + 1) : PRP_WIN;

	if (sim.way.wide)
		window = sim.way.windows ? below(0x10000) : 0xffff;
	prp_rcv_open(&sim.rcv, window);
	if (sim.r.edge < sim.r.nxt + window)
		sim.r.edge = sim.r.nxt + window;
	p.seq = sim.rcv.nxt - FIRST_SEQ;
	p.window = sim.rcv.edge - sim.rcv.nxt;
	if (p.has_sack) {
		prp_rcv_sack(&sim.rcv, &p.sack, words);
		compare_sack(&p.sack, words);
		if (sim.way.cut && p.sack.words > sim.way.cut)
			p.sack.words = sim.way.cut;
		memcpy(p.newest, sim.r.newest, sizeof(p.newest));
	}
	if (chance(sim.way.ack_loss))
		return;
	p.due = sim.now + DELAY + below(sim.way.ack_depth + 1);
	channel_put(&sim.back, &p);
	if (chance(sim.way.twice))
		channel_put(&sim.back, &p);
}

static void sim_receive(const struct packet *p)
{
	bool tell = p->probe;

	prp_rcv_saw(&sim.rcv, p->rail, TXNO(p->txno));
	if (p->txno > sim.r.newest[p->rail])
		sim.r.newest[p->rail] = p->txno;
	if (!p->probe)
		tell = sim_accept(p->seq);
	compare_rcv();
	if (tell || chance(500))
		sim_answer(tell);
}

static void sim_acked(const struct packet *p)
{
	bool old = p->seq < sim.m.una;

	if (p->seq > sim.m.una)
		sim.busy = sim.now;
	expect_eq(prp_snd_ack(&sim.snd, FIRST_SEQ + p->seq, p->window,
			      p->has_sack ? &p->sack : NULL),
		  old ? PRP_ACK_OLD : PRP_ACK_OK);
	model_ack(p);
	compare_snd();
	expect_eq(prp_snd_find_lost(&sim.snd), model_find_lost());
	compare_snd();
}

static void sim_init(const struct way *way)
{
	unsigned int rail;

	memset(&sim, 0, sizeof(sim));
	sim.way = *way;
	if (!sim.way.rails)
		sim.way.rails = 1;
	prp_snd_init(&sim.snd, FIRST_SEQ, FIRST_TXNO);
	prp_rcv_init(&sim.rcv, FIRST_SEQ, PRP_WIN);
	prp_snd_ack(&sim.snd, FIRST_SEQ, PRP_WIN, NULL);
	sim.m.edge = PRP_WIN;
	sim.m.told = 0;
	sim.m.reorder = PRP_REORDER_FIRST;
	sim.r.edge = PRP_WIN;
	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		sim.m.newest[rail] = UNKNOWN;
		sim.m.probe[rail] = UNKNOWN;
		sim.r.newest[rail] = UNKNOWN;
	}
}

/* A whole transfer. All of it arrives, once and in order. */
static void transfer(struct way way)
{
	struct packet *p;

	sim_init(&way);
	for (; sim.m.una < SEGS; sim.now++) {
		expect_true(sim.now < 1000 * SEGS);
		while ((p = channel_get(&sim.forth)))
			sim_receive(p);
		while ((p = channel_get(&sim.back)))
			sim_acked(p);
		sim_send();
	}
	expect_eq(sim.r.nxt, SEGS);
	expect_eq(prp_snd_in_flight(&sim.snd), 0);
}

/* Selective repeat: what was lost is repeated, and nothing else. */
static void expect_only_the_lost_repeated(void)
{
	expect_eq(sim.repeats, sim.lost);
	expect_eq(sim.snd.reorder, PRP_REORDER_FIRST);
	expect_eq(sim.snd.needless, 0);
}

UNIT(transfer__clean)
{
	transfer((struct way){ 0 });
	expect_eq(sim.repeats, 0);
}

UNIT(transfer__clean_with_windows_that_change)
{
	transfer((struct way){ .windows = true });
	expect_eq(sim.repeats, 0);
}

UNIT(transfer__loss_repeats_only_the_lost)
{
	static const unsigned int loss[] = { 1, 2, 5, 10, 30, 100, 200, 300 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		transfer((struct way){ .loss = loss[i] });
		expect_true(sim.lost > 0);
		expect_only_the_lost_repeated();
	}
}

UNIT(transfer__loss_with_windows_repeats_only_the_lost)
{
	static const unsigned int loss[] = { 1, 10, 100, 300 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		transfer((struct way){ .loss = loss[i], .windows = true });
		expect_only_the_lost_repeated();
	}
}

/* Rails differ in delay, but each is in order. */
UNIT(transfer__loss_on_many_rails_repeats_only_the_lost)
{
	unsigned int rails;

	for (rails = 2; rails <= PRP_WIN_RAILS; rails += 3) {
		transfer((struct way){ .loss = 50, .rails = rails });
		expect_only_the_lost_repeated();
	}
}

/* No acknowledgment matters so much that its loss costs a repeat. */
UNIT(transfer__lost_and_overtaken_acks_cost_no_repeat)
{
	static const unsigned int loss[] = { 10, 300, 700 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		transfer((struct way){
			.loss = 20, .ack_loss = loss[i], .ack_depth = 30 });
		expect_only_the_lost_repeated();
	}
}

/* It is no good manners to break off, but it ends well. */
UNIT(transfer__beginning_of_a_sack_is_enough)
{
	static const unsigned int loss[] = { 1, 10, 100 };
	struct way way = { 0 };
	unsigned int i;

	for (way.cut = 1; way.cut < PRP_WIN_WORDS; way.cut++) {
		for (i = 0; i < ARRAY_SIZE(loss); i++) {
			way.loss = loss[i];
			transfer(way);
		}
	}
}

/* A frame too short for the whole of it still tells what to repeat. */
UNIT(transfer__end_of_a_sack_is_enough)
{
	static const unsigned int loss[] = { 1, 10, 100, 300 };
	struct way way = { .narrow = true };
	unsigned int i;

	for (; way.words < PRP_WIN_WORDS; way.words++) {
		for (i = 0; i < ARRAY_SIZE(loss); i++) {
			way.loss = loss[i];
			transfer(way);
			expect_true(sim.lost > 0);
			expect_only_the_lost_repeated();
		}
	}
}

UNIT(transfer__end_of_a_sack_is_enough_on_many_rails)
{
	struct way way = { .narrow = true, .loss = 50 };

	for (; way.words < 3; way.words++) {
		for (way.rails = 2; way.rails <= PRP_WIN_RAILS;
		     way.rails += 3) {
			transfer(way);
			expect_only_the_lost_repeated();
		}
	}
}

/* Not even if those are lost, doubled, and overtake each other. */
UNIT(transfer__end_of_a_sack_lost_and_overtaken_costs_no_repeat)
{
	static const unsigned int loss[] = { 0, 10, 300, 700 };
	struct way way = { .narrow = true, .loss = 20, .twice = 100 };
	unsigned int i;

	for (; way.words < PRP_WIN_WORDS; way.words++) {
		for (i = 0; i < ARRAY_SIZE(loss); i++) {
			way.ack_loss = loss[i];
			way.ack_depth = 30;
			transfer(way);
			expect_only_the_lost_repeated();
		}
	}
}

/* Needless ones there are only until the depth is known. */
UNIT(transfer__end_of_a_sack_learns_reordering)
{
	static const unsigned int depth[] = { 5, 12, 25, 2 * DELAY - 2 };
	struct way way = { .narrow = true, .every = 97 };
	unsigned int i;

	for (; way.words < 3; way.words++) {
		for (i = 0; i < ARRAY_SIZE(depth); i++) {
			way.depth = depth[i];
			transfer(way);
			expect_true(sim.repeats <= 8);
			expect_true(sim.last_repeat < SEGS / 4);
		}
	}
}

/* The widest window: no more than PRP_WIN is in flight, compare_snd() sees. */
UNIT(transfer__widest_window)
{
	static const unsigned int loss[] = { 0, 1, 10, 100 };
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(loss); i++) {
		transfer((struct way){
			.loss = loss[i / 2], .wide = true, .windows = i % 2 });
		expect_eq(sim.snd.edge, (u32)(FIRST_SEQ + sim.r.edge));
		expect_true(sim.r.edge > SEGS + PRP_WIN);
		expect_only_the_lost_repeated();
	}
}

UNIT(transfer__doubled_frames_cost_no_repeat)
{
	transfer((struct way){ .loss = 20, .twice = 200 });
	expect_only_the_lost_repeated();
}

UNIT(transfer__reordering_within_the_tolerance_costs_no_repeat)
{
	transfer((struct way){ .depth = PRP_REORDER_FIRST });
	expect_eq(sim.repeats, 0);
	expect_eq(sim.snd.needless, 0);
}

/*
 * The first late ones cost a repeat each, then the depth is known. What is
 * later than a repeat takes, a round trip, cannot be told from a loss.
 */
UNIT(transfer__steady_reordering_is_learned)
{
	static const unsigned int depth[] = { 5, 12, 25, 2 * DELAY - 2 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depth); i++) {
		transfer((struct way){ .depth = depth[i], .every = 97 });
		expect_true(sim.repeats <= 8);
		expect_true(sim.last_repeat < SEGS / 4);
		expect_true(sim.snd.reorder >= depth[i] - 1);
	}
}

UNIT(transfer__chance_reordering_is_learned)
{
	static const unsigned int depth[] = { 5, 20, 100, 200 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depth); i++) {
		transfer((struct way){ .depth = depth[i] });
		expect_true(sim.last_repeat < SEGS / 4);
		expect_true(sim.snd.reorder <= PRP_REORDER_MAX);
	}
}

UNIT(transfer__all_at_once)
{
	static const unsigned int loss[] = { 1, 10, 50, 150, 300 };
	unsigned int i;

	for (i = 0; i < 6 * ARRAY_SIZE(loss); i++)
		transfer((struct way){
			.loss = loss[i / 6],
			.ack_loss = loss[i / 6],
			.twice = 100,
			.depth = 1 << i % 8,
			.ack_depth = 20,
			.windows = i % 3,
			.wide = i % 4 == 1,
			.narrow = i % 6 > 1,
			.words = below(3),
			.rails = 1 + i % 2 * below(PRP_WIN_RAILS),
		});
}

/* ---------------------------------------------------- a peer that lies */

/* What holds whatever a peer says. */
static void expect_sane(const struct prp_snd *snd)
{
	u32 seq;

	expect_true(snd->nxt - snd->una <= PRP_WIN);
	expect_eq(bits(snd->sacked_map), snd->sacked);
	expect_eq(bits(snd->lost_map), snd->lost);
	expect_eq(bits(snd->again_map), snd->again);
	expect_true(snd->sacked + snd->lost <= snd->nxt - snd->una);
	expect_true(snd->reorder >= PRP_REORDER_FIRST);
	expect_true(snd->reorder <= PRP_REORDER_MAX);
	expect_true(snd->edge - snd->una <= 0xffff);
	for (seq = snd->una; seq != snd->nxt; seq++)
		expect_true(!bit(snd->sacked_map, seq) ||
			    !bit(snd->lost_map, seq));
}

static struct prp_sack random_sack(const struct prp_snd *snd)
{
	struct prp_sack sack = { .words = below(PRP_WIN_WORDS + 1) };
	unsigned int i;

	sack.rails = unit_random() & unit_random();
	if (chance(300))
		sack.offset = below(chance(900) ? 100 : 0x10000);
	for (i = 0; i < PRP_WIN_RAILS; i++)
		sack.newest[i] = snd->txno[i] - below(40) - !chance(20);
	for (i = 0; i < sack.words; i++)
		if (chance(300))
			sack.map[i] = unit_random() >> below(64);
	return sack;
}

UNIT(prp_snd_ack__random_lies)
{
	struct prp_snd snd = sender(0);
	unsigned int i, kinds[3] = { 0 };
	u32 seq;

	for (i = 0; i < 60000; i++) {
		struct prp_sack sack = random_sack(&snd);
		u32 ack = snd.una + below(6) - below(6);
		struct prp_snd was;

		while (prp_snd_new_allowed(&snd) && !chance(100))
			put_new(&snd, 1, below(PRP_WIN_RAILS));
		if (chance(20))
			probe(&snd, below(PRP_WIN_RAILS));
		was = snd;
		switch (prp_snd_ack(&snd, ack, below(0x10000), &sack)) {
		case PRP_ACK_BAD:
			expect_eq(memcmp(&snd, &was, sizeof(was)), 0);
			kinds[PRP_ACK_BAD]++;
			break;
		case PRP_ACK_OLD:
			expect_eq(snd.una, was.una);
			kinds[PRP_ACK_OLD]++;
			break;
		case PRP_ACK_OK:
			expect_eq(snd.una, ack);
			kinds[PRP_ACK_OK]++;
		}
		prp_snd_find_lost(&snd);
		while (!chance(300) && prp_snd_first_lost(&snd, &seq))
			put(&snd, seq, below(PRP_WIN_RAILS));
		expect_sane(&snd);
	}
	for (i = 0; i < 3; i++)
		expect_true(kinds[i] > 1000);
}
