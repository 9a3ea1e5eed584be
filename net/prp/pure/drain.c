// SPDX-License-Identifier: GPL-2.0
/* When a queue is let drain; see drain.h. */
#include "pure/drain.h"

#define MOST_TICKS (PRP_DRAIN_EVERY / 2U)
#define LEAST_TICKS 4 /* that long, one and a half round trips, and an eighth */

/**
 * prp_drain_at() - look at the clock, but begin nothing
 * @drain: queue
 * @tick: time
 */
void prp_drain_at(struct prp_drain *drain, u32 tick)
{
	u32 ago = tick - drain->tick;
	u32 after =
		min(drain->from_us / PRP_DRAIN_TICK_US, PRP_DRAIN_EVERY / 2U);

	drain->now = ago < drain->ticks;
	drain->after = !drain->now && ago - drain->ticks < after;
}

/* Is it time? Then it begins. Who asks first does so before those end who drain
 * it for a little less long, and all go on until the last one has asked.
 */
static bool drain_begin(struct prp_drain *drain, u32 every, u32 tick)
{
	u32 at = tick % every, ticks, ask;

	if (likely(at >= MOST_TICKS + PRP_DRAIN_SPREAD) ||
	    tick - drain->tick < PRP_DRAIN_EVERY / 2)
		return false;
	ticks = LEAST_TICKS + drain->high_us / PRP_DRAIN_TICK_US * 3 / 2;
	ticks = min(ticks + ticks / 8, MOST_TICKS);
	ask = ticks - 1 - ticks / 9 + drain->draw % (drain->spread + 1U);
	ticks += drain->spread;
	if (at >= ticks)
		return false;
	drain->tick = tick - at;
	drain->ticks = ticks;
	drain->ask = ask;
	drain->from_us = drain->high_us;
	drain->asked = false;
	return true;
}

/**
 * prp_drain_begin() - look at the clock, and begin if it is time
 * @drain: queue
 * @every: as below
 * @tick: as below
 *
 * Return: true if it has just begun.
 */
bool prp_drain_begin(struct prp_drain *drain, u32 every, u32 tick)
{
	prp_drain_at(drain, tick);
	if (drain->now || !every || likely(!drain_begin(drain, every, tick)))
		return false;
	prp_drain_at(drain, tick);
	return drain->now;
}

/**
 * prp_drain_tick() - time has passed
 * @drain: queue
 * @every: it is to drain in each so many ticks, a multiple of PRP_DRAIN_EVERY;
 *	0 if not at all, but what has begun goes on
 * @tick: time, the same on all nodes as far as their clocks are right
 *
 * Return: true if the way is to be asked now, once in each time.
 */
bool prp_drain_tick(struct prp_drain *drain, u32 every, u32 tick)
{
	prp_drain_begin(drain, every, tick);
	if (likely(!drain->now) || drain->asked ||
	    tick - drain->tick < drain->ask)
		return false;
	drain->asked = true;
	return true;
}
