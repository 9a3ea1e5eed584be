/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a queue is let drain, as pure logic. What we take for a round trip
 * without a queue may be one with that of others, and others may have gone. So
 * now and then a part of the pace only leaves for a while, so long that what we
 * had in the queue has gone; all do so at the same time, as near to it as their
 * clocks are. When it must have gone the way is asked: who had come late learns
 * how long it is, and if there is a queue all the same, it is of others, who do
 * not drain it.
 */
#ifndef _PRP_DRAIN_H
#define _PRP_DRAIN_H

#include <linux/kernel.h>
#include <linux/types.h>

#define PRP_DRAIN_TICK_US 500
#define PRP_DRAIN_EVERY 1024 /* ticks, on all clocks at once ... */
#define PRP_DRAIN_LONG_EVERY 2048 /* ... or, where round trips are long */
#define PRP_DRAIN_SHARE 8 /* one part of so many of the pace leaves then */

/**
 * struct prp_drain - a queue and when it was let drain
 * @tick: when that last began
 * @from_us: @high_us then
 * @high_us: longest round trip of late, microseconds: it gets less by and by
 * @low_us: shortest one while it was not let drain, 0 if there was none
 * @ticks: for how long
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
	bool now;
	bool after;
	bool asked;
};

/**
 * prp_drain_saw() - a round trip is known
 * @drain: queue
 * @rtt_us: microseconds
 */
static inline void prp_drain_saw(struct prp_drain *drain, u32 rtt_us)
{
	drain->high_us = max(drain->high_us - drain->high_us / 32, rtt_us);
	if (!drain->now && !drain->after)
		drain->low_us = min(drain->low_us ?: rtt_us, rtt_us);
}

/**
 * prp_drain_ask() - when is the way asked?
 * @drain: queue
 *
 * Before those end who drain it for a little less long.
 *
 * Return: so many ticks from the beginning.
 */
static inline u32 prp_drain_ask(const struct prp_drain *drain)
{
	return drain->ticks - 1 - drain->ticks / 9;
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
	u32 ask = drain->tick + prp_drain_ask(drain);
	u32 end = drain->tick + drain->ticks;

	if (drain->now && !drain->asked && (s32)(ask - tick) > 0)
		return ask - tick;
	if (drain->now && (s32)(end - tick) > 0)
		return end - tick;
	return PRP_DRAIN_EVERY - tick % PRP_DRAIN_EVERY;
}

void prp_drain_at(struct prp_drain *drain, u32 tick);
bool prp_drain_tick(struct prp_drain *drain, u32 every, u32 tick);

#endif /* _PRP_DRAIN_H */
