/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One wheel of connections a processor, turned by an hrtimer that sleeps until
 * the next turn that is needed. A connection is on at most one wheel and there
 * once; it says "look at me not later than then" and decides afresh what is
 * due when it is looked at, so that nothing is ever cancelled.
 *
 * All times are ticks of PRP_TICK_NS since boot. What can be due, and when:
 *   acknowledgment    PRP_ACK_TICKS after the segment
 *   probe              2 * round trip + PRP_ACK_TICKS after the last
 *			progress, doubled for each unanswered one
 *   request, answer    5 ms (answer 10 ms), doubled up to 200 ms
 *   try after a local drop   1 ms
 *   end of patience    PRP_USER_TIMEOUT without progress, or after the peer was
 *			last heard where nothing is in flight
 */
#ifndef _PRP_TIMERS_H
#define _PRP_TIMERS_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/types.h>

#define PRP_TICK_NS 500000
#define PRP_TICKS_MS (1000000 / PRP_TICK_NS) /* ticks in a millisecond */
#define PRP_ACK_TICKS 2 /* at most 1 ms */
/* Where something is due within so many ticks a wheel turns one by one: who has
 * something in flight asks for the time many times a tick. A probe is due after
 * two round trips.
 */
#define PRP_NEAR_TICKS 16

struct prp_conn;
struct prp_wheel;

/**
 * struct prp_timer - a connection's place in a wheel
 * @link: in a slot [wheel's lock]
 * @tick: when it is due [wheel's lock]
 * @wheel: wheel that it is on, or NULL [wheel's lock to write, conn lock or
 *	wheel's lock to read; a wheel clears it without the conn lock and
 *	calls prp_recovery_timer() afterwards]
 */
struct prp_timer {
	struct list_head link;
	u64 tick;
	struct prp_wheel *wheel;
};

DECLARE_PER_CPU(u64, prp_timers_tick);

u64 prp_timers_clock(void);
void __prp_timers_move(struct prp_conn *conn, u64 tick);
int prp_timers_init(void (*due)(struct prp_conn *conn));
void prp_timers_exit(void);

/**
 * prp_timers_now() - the time
 *
 * Context: BH are off. Cheap while this processor's wheel turns.
 * Return: ticks, behind the clock by one at most unless softirqs are late.
 * Two processors may differ by as much.
 */
static inline u64 prp_timers_now(void)
{
	return this_cpu_read(prp_timers_tick) ?: prp_timers_clock();
}

/**
 * prp_timers_ahead() - what the time of day is ahead of ours, as it is set now
 *
 * Return: ticks, modulo 2^32.
 */
static inline u32 prp_timers_ahead(void)
{
	return div_u64(ktime_mono_to_real(0), PRP_TICK_NS);
}

#endif /* _PRP_TIMERS_H */
