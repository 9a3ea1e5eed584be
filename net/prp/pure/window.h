/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selective repeat as pure logic: what its two ends share, which are snd.h and
 * rcv.h. No skb, no lock, no clock; the owner's lock protects them. Sequence
 * numbers count segments and wrap at 2^32.
 *
 * The receiver finds the gap and the kernel repeats only what was lost
 * (papers/000, section 2.2 and 2.3); transmission numbers order what was
 * sent so that a repeat that is lost too is seen as soon as a segment.
 */
#ifndef _PRP_WINDOW_H
#define _PRP_WINDOW_H

#include <linux/types.h>

#define PRP_WIN 512 /* most segments in flight */
#define PRP_WIN_WORDS (PRP_WIN / 64)
#define PRP_WIN_RAILS 8

/**
 * prp_before() - compare sequence numbers, which wrap
 * @a: one
 * @b: another, less than 2^31 away
 *
 * Return: whether @a comes before @b.
 */
static inline bool prp_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * prp_txno_before() - the same of transmission numbers
 * @a: one
 * @b: another, less than 2^31 away
 *
 * Return: whether @a comes before @b.
 */
static inline bool prp_txno_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * prp_map_test() - is a segment's bit set?
 * @map: a bit per segment of a window, PRP_WIN_WORDS long
 * @seq: the segment
 *
 * Return: whether it is.
 */
static inline bool prp_map_test(const u64 *map, u32 seq)
{
	return map[seq % PRP_WIN / 64] >> (seq % 64) & 1;
}

/**
 * prp_map_set() - set a segment's bit
 * @map: a bit per segment of a window, PRP_WIN_WORDS long
 * @seq: the segment
 */
static inline void prp_map_set(u64 *map, u32 seq)
{
	map[seq % PRP_WIN / 64] |= 1ULL << (seq % 64);
}

/**
 * prp_map_clear() - clear a segment's bit
 * @map: a bit per segment of a window, PRP_WIN_WORDS long
 * @seq: the segment
 */
static inline void prp_map_clear(u64 *map, u32 seq)
{
	map[seq % PRP_WIN / 64] &= ~(1ULL << (seq % 64));
}

/**
 * struct prp_sack - a selective acknowledgment
 * @words: words of @map that are in use, up to PRP_WIN_WORDS
 * @rails: bit r is set if @newest[r] is known
 * @offset: of the segments (ack, ack + 1 + @offset) nothing is said
 * @newest: newest transmission number received on each rail
 * @map: bit i of word w: segment ack + 1 + @offset + 64 * w + i has been
 *	received; what lies behind it has not
 */
struct prp_sack {
	u8 words;
	u8 rails;
	u16 offset;
	u32 newest[PRP_WIN_RAILS];
	u64 map[PRP_WIN_WORDS];
};

#endif /* _PRP_WINDOW_H */
