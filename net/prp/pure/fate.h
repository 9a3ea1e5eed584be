/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fates: what becomes of a frame where faults are injected, given numbers that
 * somebody has drawn. The same numbers are the same fate.
 */
#ifndef _PRP_FATE_H
#define _PRP_FATE_H

#include <linux/types.h>

#define PRP_FATE_ALWAYS 10000 /* chances are in hundredths of a percent */

/* What can become of a frame; a lost one is nothing else */
#define PRP_FATE_LOST 1
#define PRP_FATE_DUPLICATED 2
#define PRP_FATE_CORRUPTED 4

/* Numbers that a frame takes, whatever becomes of it */
enum prp_fate_draw {
	PRP_FATE_DRAW_LOSS,
	PRP_FATE_DRAW_DUPLICATE,
	PRP_FATE_DRAW_CORRUPT,
	PRP_FATE_DRAW_BIT,
	PRP_FATE_DRAWS
};

/**
 * struct prp_fate_odds - how likely what is, of PRP_FATE_ALWAYS
 * @loss: it is dropped
 * @duplicate: it is taken twice
 * @corrupt: one of its bits is flipped
 */
struct prp_fate_odds {
	u16 loss;
	u16 duplicate;
	u16 corrupt;
};

/**
 * prp_fate_hits() - does something happen by chance
 * @draw: number, any of 2^32
 * @odds: how likely it is, of PRP_FATE_ALWAYS
 *
 * Return: whether it does.
 */
static inline bool prp_fate_hits(u32 draw, u16 odds)
{
	return (u64)draw * PRP_FATE_ALWAYS >> 32 < odds;
}

/**
 * prp_fate_of() - what becomes of a frame
 * @odds: how likely what is
 * @draw: numbers, each any of 2^32
 *
 * Return: the PRP_FATE bits; 0: it goes on as it is.
 */
static inline unsigned int prp_fate_of(const struct prp_fate_odds *odds,
				       const u32 draw[PRP_FATE_DRAWS])
{
	unsigned int fate = 0;

	if (prp_fate_hits(draw[PRP_FATE_DRAW_LOSS], odds->loss))
		return PRP_FATE_LOST;
	if (prp_fate_hits(draw[PRP_FATE_DRAW_DUPLICATE], odds->duplicate))
		fate |= PRP_FATE_DUPLICATED;
	if (prp_fate_hits(draw[PRP_FATE_DRAW_CORRUPT], odds->corrupt))
		fate |= PRP_FATE_CORRUPTED;
	return fate;
}

/**
 * prp_fate_bit() - which bit of a corrupted frame is flipped
 * @draw: numbers, each any of 2^32
 * @len: length of what may be corrupted, bytes, not 0
 *
 * Return: number of the bit, below 8 * @len.
 */
static inline u32 prp_fate_bit(const u32 draw[PRP_FATE_DRAWS], u32 len)
{
	return (u64)draw[PRP_FATE_DRAW_BIT] * len >> 29;
}

#endif /* _PRP_FATE_H */
