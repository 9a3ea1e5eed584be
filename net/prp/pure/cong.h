/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many segments may be in flight and how fast they go, as pure logic. The
 * model in words is in prp-protocol.rst, "Congestion": round trips tell how
 * long the queue is, and a window of our own keeps it short; where it stands
 * whatever we do, others fill it, and we take our share as TCP does; where
 * nothing waits and much is lost, noise.h tells chance from a port without a
 * queue.
 */
#ifndef _PRP_CONG_H
#define _PRP_CONG_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "pure/drain.h"
#include "pure/noise.h"

#define PRP_CONG_BATCH 32 /* segments between two acknowledgments, if no ... */
#define PRP_CONG_RUNS 2 /* runs between two, where they are longer */
#define PRP_CONG_BATCH_LONG 72 /* ... more are known to do */
#define PRP_CWND_ONE 256 /* a segment, in units of the window */
#define PRP_CWND_FIRST 16 /* segments before anything is known */
#define PRP_CWND_LEAST (PRP_CWND_ONE / 16) /* of the window */
#define PRP_CWND_SMALL (4 * PRP_CWND_ONE) /* smaller ones share with many */

/* How the window is found. The numbers are those of prp_info.prpi_mode. */
enum prp_cong_mode {
	PRP_CONG_START, /* doubled each round */
	PRP_CONG_ALONE, /* by how long segments wait */
	PRP_CONG_SHARE, /* as TCP does: others keep a queue */
	PRP_CONG_POLICED, /* by losses: there is a port without a queue */
};

/**
 * struct prp_cong - congestion window
 * @cwnd: the window, PRP_CWND_ONE for each segment
 * @before: the same before it was made smaller to see what comes of that, or,
 *	in PRP_CONG_SHARE, for a loss
 * @alone: the same before we began as one of a crowd
 * @calm: the same when last nothing had to wait too long
 * @others_us: in PRP_CONG_SHARE, until the first loss: that much longer than
 *	the shortest one a round trip is without us, microseconds
 * @since_us: the same, from then on: what rounds have taken in which something
 *	was kept back since the last loss, microseconds
 * @base_us: shortest round trip, microseconds; 0 before the first
 * @base_next_us: shortest one since @base_tick
 * @base_tick: when @base_next_us began; it is @base_us after a while
 * @rtt_us: round trip that the last round has shown; 0 before the first
 * @round_us: shortest one of this round, 0 if there was none
 * @last_us: shortest one of the last round that had any, 0 if nothing was kept
 *	back meanwhile
 * @round_behind: segments in flight when that of @round_us left, with it
 * @last_behind: the same of @last_us
 * @tick: time of the last acknowledgment
 * @born_tick: when the window was last doubled
 * @calm_tick: when @stood was last 0
 * @best: most segments a millisecond that were seen while some waited, and
 *	nothing was lost
 * @maybe: the same of the last acknowledgment, if nothing is found lost by it
 * @since_tick: when @mode began
 * @pipe: segments that leave while a question goes to the peer and its answer
 *	comes back, or PRP_WIN: half of the window
 * @need: segments of which something is to be heard until the round is over
 * @got: segments that have arrived in this round
 * @lost: segments that were found lost in it
 * @drain: when the queue is let drain
 * @noise: what losses without a queue tell
 * @mode: enum prp_cong_mode
 * @alone_mode: the same before we began as one of a crowd
 * @crowd: round trips that have to be short until we do no longer; 0 if we do
 *	not
 * @grown: rounds in which it has grown, one after the other
 * @stood: rounds, more or less, in which segments had to wait too long
 * @run: rounds since segments did not have to wait too long, or since the
 *	window was made smaller for that
 * @patience: rounds for which they may seem to before it is believed
 * @late: so many rounds from now on round trips are believed to differ for
 *	another reason than a queue, if they do so once more
 * @drained: this round has, or it and the next one have, to do with a queue
 *	that was let drain: 1 or 2
 * @doubt: so many rounds from now on a question or its answer may be lost, as
 *	something was
 * @hushed: the window fell to one segment as nothing was heard; so many rounds
 *	from then on what was sent before may be found lost
 * @fills: the segment that fills the window asks, too
 * @stays: a queue was left when ours had drained: it is of others
 * @lately: @patience is for hosts that come late, nothing has overtaken
 * @dropped: the round before has made it smaller for a loss
 * @used: in PRP_CONG_SHARE: the window was too small in a round since the queue
 *	was last let drain
 * @limited: window or pace kept something back in this round
 * @stale: so many of those in flight went another way, before it began; what
 *	becomes of them tells nothing of this one
 */
struct prp_cong {
	u32 cwnd;
	u32 before;
	u32 alone;
	union {
		u32 calm;
		u32 others_us;
		u32 since_us;
	};
	u32 base_us;
	u32 base_next_us;
	u32 base_tick;
	u32 rtt_us;
	u32 round_us;
	u32 last_us;
	u16 round_behind;
	u16 last_behind;
	u32 tick;
	u32 born_tick;
	u32 calm_tick;
	u16 best;
	u16 maybe;
	u32 since_tick;
	u16 pipe;
	u16 need;
	u16 got;
	u16 lost;
	struct prp_drain drain;
	struct prp_noise noise;
	u8 mode;
	u8 alone_mode;
	u8 crowd;
	u8 grown;
	u8 stood;
	u8 run;
	u8 patience;
	u8 late;
	u8 drained;
	u8 doubt;
	u8 hushed;
	bool fills : 1;
	bool stays : 1;
	bool lately : 1;
	bool dropped : 1;
	bool used : 1;
	bool limited : 1;
	u16 stale;
};

/**
 * struct prp_cong_heard - what an acknowledgment has told
 * @acked: segments that it was the first to report
 * @in_flight: segments in flight, after it
 * @rtt_us: round trip of a segment that was to be answered at once, 0 if none
 * @behind: segments in flight when that one left, with it
 * @overtook: so many later transmissions have overtaken a segment, 0 if none
 * @active: connections from which the receiver has just had something, as it
 *	said last; 0 if it did not
 * @again: that segment was a repeat
 * @missed: the answer to a segment that asked for it did not come, but a later
 *	one
 * @tick: time, the same on all nodes as far as their clocks are right
 */
struct prp_cong_heard {
	unsigned int acked;
	unsigned int in_flight;
	u32 rtt_us;
	u16 behind;
	u16 overtook;
	u16 active;
	bool again;
	bool missed;
	u32 tick;
};

/* What an acknowledgment meant: prp_cong_acked() */
enum prp_cong_said {
	PRP_CONG_NOTHING,
	PRP_CONG_ROUND, /* a round is over */
	PRP_CONG_CUT, /* the same, and the window is smaller */
	PRP_CONG_FREE, /* nobody else is there: more may leave at once */
	PRP_CONG_DRAINS, /* the queue is to drain, and nothing is saved up */
};

void prp_cong_init(struct prp_cong *cong);
void prp_cong_first(struct prp_cong *cong, u32 rtt_us, u32 tick);
bool prp_cong_crowd(struct prp_cong *cong, u32 among, u32 known, u32 tick);
enum prp_cong_said prp_cong_acked(struct prp_cong *cong,
				  const struct prp_cong_heard *heard);
bool prp_cong_lost(struct prp_cong *cong, unsigned int lost);
void prp_cong_silent(struct prp_cong *cong);
u64 prp_cong_pace(const struct prp_cong *cong, u32 size);
bool prp_cong_tick(struct prp_cong *cong, u32 tick);
void prp_cong_drained(struct prp_cong *cong, u32 rtt_us, u32 tick);
void prp_cong_clock(struct prp_cong *cong, u32 by);

/**
 * prp_cong_window() - segments that may be in flight
 * @cong: congestion window
 *
 * Return: 1 to PRP_WIN; where the window is less than one, the pace waits.
 */
static inline unsigned int prp_cong_window(const struct prp_cong *cong)
{
	return (cong->cwnd + PRP_CWND_ONE - 1) / PRP_CWND_ONE;
}

/**
 * prp_cong_every() - how often to ask for an acknowledgment
 * @cong: congestion window
 * @allowed: segments that may be in flight, for all that bounds them
 * @run: segments that leave together
 *
 * Half of them, but for a long window; as many as leave the answer just the
 * time that it takes, where that is known.
 *
 * Return: every so many segments.
 */
static inline u32 prp_cong_every(const struct prp_cong *cong, u32 allowed,
				 u32 run)
{
	u32 most = max_t(u32, PRP_CONG_BATCH, PRP_CONG_RUNS * run);
	u32 half = min((allowed + 1) / 2, most);

	return cong->pipe < allowed ? max(half, allowed - cong->pipe) : half;
}

/**
 * prp_cong_asks() - is it time to ask for an acknowledgment?
 * @cong: congestion window
 * @since: segments sent since the last one was asked for, with this one
 * @in_flight: segments in flight, with this one
 * @allowed: segments that may be in flight, for all that bounds them
 * @run: segments that leave with this one
 *
 * Return: true if the answer may come too late otherwise; or, where answers are
 * lost, if nothing else may leave before one comes and few were asked for.
 */
static inline bool prp_cong_asks(const struct prp_cong *cong, u32 since,
				 u32 in_flight, u32 allowed, u32 run)
{
	/* less than half of them */
	if (likely(2 * since < allowed && since < PRP_CONG_BATCH &&
		   !cong->fills))
		return false;
	if (cong->fills && in_flight >= allowed && since * 8 >= allowed)
		return true;
	return since >= prp_cong_every(cong, allowed, run);
}

/**
 * prp_cong_left() - how many segments, until one has to ask?
 * @cong: congestion window
 * @since: segments sent since the last one asked
 * @allowed: as above
 *
 * Return: at least 1.
 */
static inline u32 prp_cong_left(const struct prp_cong *cong, u32 since,
				u32 allowed)
{
	u32 every = prp_cong_every(cong, allowed, 1);

	return since < every ? every - since : 1;
}

/**
 * prp_cong_is_idle() - is there nothing that an acknowledgment could change?
 * @cong: congestion window
 *
 * Return: true if nothing was kept back and nothing was lost in this round, and
 * all in flight went this way, so that only a round trip is of interest.
 */
static inline bool prp_cong_is_idle(const struct prp_cong *cong)
{
	return !cong->limited && !cong->lost && !cong->stale;
}

/**
 * prp_cong_is_small() - is the window one of many at a port?
 * @cong: congestion window
 *
 * Return: true if it is below PRP_CWND_SMALL.
 */
static inline bool prp_cong_is_small(const struct prp_cong *cong)
{
	return cong->cwnd < PRP_CWND_SMALL;
}

/**
 * prp_cong_burst() - what may leave at once after a pause
 * @cong: congestion window
 *
 * Return: segments.
 */
static inline unsigned int prp_cong_burst(const struct prp_cong *cong)
{
	return prp_cong_is_small(cong) ? 1 : 10;
}

#endif /* _PRP_CONG_H */
