/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pace, as pure logic: a bucket of bytes that each tick puts some into, and
 * each frame takes its bytes out of; the last one may take more than is there.
 * In line, because it is on the way of each segment. The owner's lock protects
 * it.
 */
#ifndef _PRP_PACE_H
#define _PRP_PACE_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/types.h>

#define PRP_PACE_MOST U32_MAX /* bytes a tick, as good as no bound */
#define PRP_PACE_TICKS 400 /* look at least that often */
#define PRP_PACE_SECOND 2000 /* ticks */

/**
 * struct prp_pace - what may leave
 * @tick: when it was last filled
 * @left: bytes that may leave at once; less than 0 if too many have
 * @bound: SO_MAX_PACING_RATE as it was last seen, bytes a second
 * @rate: bytes that a tick puts in
 * @part: of a byte that the last one put in, in parts of a second
 * @waits: something would leave if it might
 */
struct prp_pace {
	u64 tick;
	s64 left;
	u64 bound;
	u32 rate;
	u16 part;
	bool waits;
};

/**
 * prp_pace_fill() - time has passed
 * @pace: bucket
 * @now: tick; another processor's may be a little less than the last one
 * @rate: bytes that a second puts in
 * @least: bytes that may be saved up; else what two ticks put in
 */
static inline void prp_pace_fill(struct prp_pace *pace, u64 now, u64 rate,
				 u32 least)
{
	s64 ticks = now - pace->tick;
	u32 part;

	if (ticks <= 0)
		return;
	pace->tick = now;
	rate = min(rate, (u64)PRP_PACE_MOST * PRP_PACE_SECOND);
	pace->rate = max_t(u32, div_u64(rate, PRP_PACE_SECOND), 1);
	rate = rate * min_t(u32, ticks, PRP_PACE_TICKS) + pace->part;
	pace->left += div_u64_rem(rate, PRP_PACE_SECOND, &part);
	pace->part = part;
	pace->left =
		min_t(s64, pace->left, max_t(u64, least, 2ULL * pace->rate));
}

/**
 * prp_pace_most() - what was saved up counts for a part only
 * @pace: bucket
 * @most: bytes that may be left
 */
static inline void prp_pace_most(struct prp_pace *pace, u32 most)
{
	pace->left = min_t(s64, pace->left, most);
}

/**
 * prp_pace_again() - the rate has changed: this tick may fill it once more
 * @pace: bucket
 */
static inline void prp_pace_again(struct prp_pace *pace)
{
	pace->tick--;
}

/**
 * prp_pace_took() - a frame without payload has left, which waits for nothing
 * @pace: bucket
 * @bytes: of the frame
 *
 * It is counted while there is something left, so that acknowledgments of what
 * a fast peer sends never keep back what we have to send for long.
 */
static inline void prp_pace_took(struct prp_pace *pace, u32 bytes)
{
	if (pace->left > 0)
		pace->left -= bytes;
}

/**
 * prp_pace_wait() - when may the next frame leave?
 * @pace: bucket, in which nothing is left
 *
 * Return: ticks from when it was last filled, 1 to PRP_PACE_TICKS.
 */
static inline u32 prp_pace_wait(const struct prp_pace *pace)
{
	return min_t(u64, div64_u64(-pace->left, pace->rate) + 1,
		     PRP_PACE_TICKS);
}

#endif /* _PRP_PACE_H */
