/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a queue is let drain, as pure logic. What we take for a round trip
 * without a queue may be one with that of others, and others may have gone. So
 * now and then a part of the pace only leaves for a while, so long that what we
 * had in the queue has gone; all do so at the same time, as near to it as their
 * clocks are. When it must have gone the way is asked: who had come late learns
 * how long it is, and if there is a queue all the same, it is of others, who do
 * not drain it. Where many ask they do so one after the other, or else their
 * questions were a queue.
 */
#ifndef _PRP_DRAIN_H
#define _PRP_DRAIN_H

#include <linux/kernel.h>
#include <linux/types.h>

#define PRP_DRAIN_TICK_US 500
#define PRP_DRAIN_EVERY 1024 /* ticks, on all clocks at once ... */
#define PRP_DRAIN_LONG_EVERY 2048 /* ... or, where round trips are long */
#define PRP_DRAIN_SHARE 8 /* one part of so many of the pace leaves then */
#define PRP_DRAIN_ASKERS 16 /* so many may ask in a tick */
#define PRP_DRAIN_SPREAD 16 /* ticks in which all do, at most */

/**
 * struct prp_drain - a queue and when it was let drain
 * @tick: when that last began
 * @from_us: @high_us then
 * @high_us: longest round trip of late, microseconds: it gets less by and by
 * @low_us: shortest one while it was not let drain, 0 if there was none
 * @ticks: for how long
 * @ask: so many ticks after @tick the way is asked
 * @draw: which of those who ask we are, 0 to 255
 * @spread: ticks in which they do, after the first one
 * @now: it is to drain now
 * @after: it was just now, and the pace is not to be more than it was before,
 *	so that those who drained it for longer find it empty, too
 * @asked: the way was asked
 */
struct prp_drain {
	u32 tick;
	u32 from_us;
	u32 high_us;
	u32 low_us;
	u16 ticks;
	u16 ask;
	u8 draw;
	u8 spread;
	bool now : 1;
	bool after : 1;
	bool asked : 1;
};

/**
 * prp_drain_saw() - a round trip is known
 * @drain: queue
 * @rtt_us: microseconds
 *
 * A queue grows by and by: one that takes many times as long as all before it
 * was held up by a host that stood still.
 */
static inline void prp_drain_saw(struct prp_drain *drain, u32 rtt_us)
{
	u64 most = 2ULL * drain->high_us + PRP_DRAIN_TICK_US;

	if (likely(drain->high_us))
		rtt_us = min_t(u64, rtt_us, most);
	drain->high_us = max(drain->high_us - drain->high_us / 32, rtt_us);
	if (!drain->now && !drain->after)
		drain->low_us = min(drain->low_us ?: rtt_us, rtt_us);
}

/**
 * prp_drain_crowd() - so many may drain it together
 * @drain: queue
 * @among: they, we among them; 0 if that is not known
 * @draw: a number of ours; those of a crowd have any
 */
static inline void prp_drain_crowd(struct prp_drain *drain, u32 among, u32 draw)
{
	drain->spread = min_t(u32, among / PRP_DRAIN_ASKERS, PRP_DRAIN_SPREAD);
	drain->draw = draw;
}

/**
 * prp_drain_next() - when does something change again?
 * @drain: queue
 * @tick: time
 *
 * Return: so many ticks later, at least 1, at most PRP_DRAIN_EVERY.
 */
static inline u32 prp_drain_next(const struct prp_drain *drain, u32 tick)
{
	u32 ask = drain->tick + drain->ask;
	u32 end = drain->tick + drain->ticks;

	if (drain->now && !drain->asked && (s32)(ask - tick) > 0)
		return ask - tick;
	if (drain->now && (s32)(end - tick) > 0)
		return end - tick;
	return PRP_DRAIN_EVERY - tick % PRP_DRAIN_EVERY;
}

void prp_drain_at(struct prp_drain *drain, u32 tick);
bool prp_drain_begin(struct prp_drain *drain, u32 every, u32 tick);
bool prp_drain_tick(struct prp_drain *drain, u32 every, u32 tick);

#endif /* _PRP_DRAIN_H */
