// SPDX-License-Identifier: GPL-2.0
/*
 * The wheels; see timers.h. This file knows when to look at a connection, who
 * is told of it at the start knows what to do then.
 */
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "pure/wheel.h"
#include "transport/conn.h"

/**
 * struct prp_wheel - one processor's wheel
 * @lock: protects everything in it and the prp_timer of whatever is on it;
 *	BH, inside a connection's lock
 * @hrtimer: turns it, expires in softirq; only its own processor starts it
 * @now: tick that it is at
 * @due: tick that @hrtimer is to expire at, the next one unless it sleeps;
 *	U64_MAX while nothing is on it
 * @cpu: processor
 * @filled: bit per slot, set if something is in it
 * @slot: by tick % PRP_WHEEL_SLOTS
 */
struct prp_wheel {
	spinlock_t lock;
	struct hrtimer hrtimer;
	u64 now;
	u64 due;
	int cpu;
	DECLARE_BITMAP(filled, PRP_WHEEL_SLOTS);
	struct list_head slot[PRP_WHEEL_SLOTS];
};

/* Too large for the part of a module that each processor has. */
static struct prp_wheel __percpu *wheels;
static void (*look)(struct prp_conn *conn) __ro_after_init;

/* Tick that this processor's wheel is at, 0 while it sleeps. */
DEFINE_PER_CPU(u64, prp_timers_tick);

/**
 * prp_timers_clock() - the time by the clock
 *
 * Return: ticks since boot, never 0.
 */
u64 prp_timers_clock(void)
{
	return div_u64(ktime_get_ns(), PRP_TICK_NS) + 1;
}

/* The wheel has got to this tick, and turns. */
static void wheel_set(struct prp_wheel *wheel, u64 now)
{
	wheel->now = now;
	wheel->due = now + 1;
	per_cpu(prp_timers_tick, wheel->cpu) = now;
}

/* The next turn that is needed is at this tick: sleep until then if it is not
 * near. Return: when the hrtimer is to expire, as the clock gets to @due; that
 * may be over.
 */
static ktime_t wheel_sleep(struct prp_wheel *wheel, u64 next)
{
	if (next - wheel->now > PRP_NEAR_TICKS) {
		wheel->due = next;
		per_cpu(prp_timers_tick, wheel->cpu) = 0;
	} else {
		wheel_set(wheel, wheel->now);
	}
	return ns_to_ktime((wheel->due - 1) * PRP_TICK_NS);
}

/* Put a connection that is on no wheel onto this processor's. */
static void wheel_add(struct prp_wheel *wheel, struct prp_conn *conn, u64 tick)
{
	unsigned int slot;

	lockdep_assert_held(&wheel->lock);
	/* It sleeps: no turn was missed. Before it is due the hrtimer has not
	 * expired, and may be started again.
	 */
	if (wheel->due > wheel->now + 1)
		wheel->now = min(prp_timers_clock(), wheel->due - 1);
	tick = clamp(tick, wheel->now + 1, wheel->now + PRP_WHEEL_SLOTS - 1);
	slot = tick % PRP_WHEEL_SLOTS;
	conn->timer.tick = tick;
	WRITE_ONCE(conn->timer.wheel, wheel);
	list_add_tail(&conn->timer.link, &wheel->slot[slot]);
	__set_bit(slot, wheel->filled);
	if (tick < wheel->due)
		hrtimer_start(&wheel->hrtimer, wheel_sleep(wheel, tick),
			      HRTIMER_MODE_ABS_PINNED_SOFT);
}

/* Take a connection off. Its reference is the caller's now. */
static void wheel_del(struct prp_wheel *wheel, struct prp_conn *conn)
{
	unsigned int slot = conn->timer.tick % PRP_WHEEL_SLOTS;

	lockdep_assert_held(&wheel->lock);
	list_del(&conn->timer.link);
	WRITE_ONCE(conn->timer.wheel, NULL);
	if (list_empty(&wheel->slot[slot]))
		__clear_bit(slot, wheel->filled);
}

/* Take a connection off that seems to be on this wheel. Return: false if the
 * wheel has just done so.
 */
static bool wheel_leave(struct prp_wheel *wheel, struct prp_conn *conn)
{
	bool on;

	spin_lock(&wheel->lock);
	on = conn->timer.wheel == wheel;
	if (on)
		wheel_del(wheel, conn);
	spin_unlock(&wheel->lock);
	return on;
}

/**
 * __prp_timers_move() - the part of __prp_timers_due() that is not for free
 * @conn: connection, its lock held
 * @tick: when
 *
 * It goes to this processor's wheel, for only its own processor wakes one that
 * sleeps. A wheel that takes the connection off at this moment looks at it as
 * soon as the caller drops the lock, and sees what the caller wrote.
 */
void __prp_timers_move(struct prp_conn *conn, u64 tick)
{
	struct prp_wheel *wheel = READ_ONCE(conn->timer.wheel);

	lockdep_assert_held(&conn->lock);
	if (!wheel)
		prp_conn_get(conn);
	else if (!wheel_leave(wheel, conn))
		return;
	wheel = this_cpu_ptr(wheels);
	spin_lock(&wheel->lock);
	wheel_add(wheel, conn, tick);
	spin_unlock(&wheel->lock);
}

/* Look at everything in one slot. Drops and takes the wheel's lock. */
static void wheel_turn(struct prp_wheel *wheel, struct list_head *slot)
{
	LIST_HEAD(due);

	list_splice_init(slot, &due);
	while (!list_empty(&due)) {
		struct prp_conn *conn =
			list_first_entry(&due, struct prp_conn, timer.link);

		wheel_del(wheel, conn);
		spin_unlock(&wheel->lock);
		look(conn);
		prp_conn_put(conn);
		spin_lock(&wheel->lock);
	}
}

static enum hrtimer_restart wheel_expired(struct hrtimer *hrtimer)
{
	struct prp_wheel *wheel =
		container_of(hrtimer, struct prp_wheel, hrtimer);
	enum hrtimer_restart restart = HRTIMER_RESTART;
	u64 until = prp_timers_clock();
	ktime_t next;
	u64 tick;

	spin_lock(&wheel->lock);
	tick = wheel->now;
	if (until - tick > PRP_WHEEL_SLOTS) /* slept: one whole turn */
		tick = until - PRP_WHEEL_SLOTS;
	/* What is put on from now on waits from now on. If it were for ticks
	 * that are being made up for, a wheel that is late would look at a
	 * connection again and again before anything can have changed, and be
	 * later still.
	 */
	wheel_set(wheel, until);
	while ((tick = prp_wheel_next(wheel->filled, tick)) <= until)
		wheel_turn(wheel, &wheel->slot[tick % PRP_WHEEL_SLOTS]);
	next = wheel_sleep(wheel, prp_wheel_next(wheel->filled, until));
	if (wheel->due == U64_MAX)
		restart = HRTIMER_NORESTART;
	else
		hrtimer_set_expires(hrtimer, next);
	spin_unlock(&wheel->lock);
	return restart;
}

/**
 * prp_timers_init() - make the wheels
 * @due: looks at a connection; called in a softirq or with BH off, without its
 *	lock
 *
 * Return: 0 or -ENOMEM.
 */
int prp_timers_init(void (*due)(struct prp_conn *conn))
{
	int cpu, slot;

	look = due;
	wheels = alloc_percpu(struct prp_wheel);
	if (!wheels)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct prp_wheel *wheel = per_cpu_ptr(wheels, cpu);

		spin_lock_init(&wheel->lock);
		wheel->cpu = cpu;
		wheel->due = U64_MAX;
		prp_compat_hrtimer_setup(&wheel->hrtimer, wheel_expired,
					 CLOCK_MONOTONIC,
					 HRTIMER_MODE_ABS_PINNED_SOFT);
		for (slot = 0; slot < PRP_WHEEL_SLOTS; slot++)
			INIT_LIST_HEAD(&wheel->slot[slot]);
	}
	return 0;
}

/**
 * prp_timers_exit() - stop the wheels
 *
 * All connections are closed by now, so that nothing is put onto a wheel any
 * more; what is still on one is taken off with its reference.
 */
void prp_timers_exit(void)
{
	int cpu, slot;

	for_each_possible_cpu(cpu) {
		struct prp_wheel *wheel = per_cpu_ptr(wheels, cpu);

		hrtimer_cancel(&wheel->hrtimer);
		spin_lock_bh(&wheel->lock);
		for (slot = 0; slot < PRP_WHEEL_SLOTS; slot++)
			wheel_turn(wheel, &wheel->slot[slot]);
		spin_unlock_bh(&wheel->lock);
		WARN_ON_ONCE(!bitmap_empty(wheel->filled, PRP_WHEEL_SLOTS));
	}
	free_percpu(wheels);
}
