/* SPDX-License-Identifier: GPL-2.0 */
/* What tests of the two ends of a window share. */
#ifndef _SELFTESTS_WINDOW_H
#define _SELFTESTS_WINDOW_H

#include <string.h>

#include <linux/types.h>

#include "pure/snd.h"
#include "unit.h"

/* Both numberings wrap soon after they begin. */
#define FIRST_SEQ 0xffffff00u
#define FIRST_TXNO 0xffffff00u
#define TXNO(n) ((u32)(FIRST_TXNO + (n)))

static inline bool bit(const u64 *map, u32 at)
{
	return map[at % PRP_WIN / 64] >> (at % 64) & 1;
}

static inline unsigned int bits(const u64 *map)
{
	unsigned int word, count = 0;

	for (word = 0; word < PRP_WIN_WORDS; word++)
		count += __builtin_popcountll(map[word]);
	return count;
}

/* Which segments in flight were sent more than once, as a map */
static inline void again_map(const struct prp_snd *snd, u64 *map)
{
	u32 seq;

	memset(map, 0, PRP_WIN_WORDS * sizeof(*map));
	for (seq = snd->una; seq != snd->nxt; seq++)
		if (prp_snd_is_again(snd, seq))
			map[seq % PRP_WIN / 64] |= 1ULL << seq % 64;
}

/* Slots for what a sender notes of its segments */
struct slots {
	u32 txno[PRP_WIN];
	u8 rail[PRP_WIN];
};

static inline void slots_give(struct prp_snd *snd, struct slots *slots)
{
	prp_snd_slots(snd, slots->txno, slots->rail, PRP_WIN - 1);
}

/* Hand a segment to a rail. */
static inline void put(struct prp_snd *snd, u32 seq, u8 rail)
{
	prp_snd_sent(snd, seq, rail, snd->txno[rail]++);
}

static inline void put_new(struct prp_snd *snd, unsigned int count, u8 rail)
{
	while (count--)
		put(snd, snd->nxt, rail);
}

static inline void probe(struct prp_snd *snd, u8 rail)
{
	prp_snd_probed(snd, rail, snd->txno[rail]++);
}

/* What must be said with room for so many words, counted one by one. */
static inline void expect_sack(const struct prp_sack *sack, const bool *here,
			       u32 high, unsigned int words)
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

#endif
