// SPDX-License-Identifier: GPL-2.0
/*
 * Connections whose last segment is short and waits for more, until their
 * processor has nothing better to do: a thread of the least priority runs then,
 * as soon as the program that sends sleeps, and lets them go.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smpboot.h>

#include "transport/lull.h"

#define NICE_LEAST 19

/**
 * struct lull_cpu - who waits for one processor
 * @list: those that came since @taken was, the last one first
 * @taken: those that are let go first [lock]
 * @lock: serializes who lets go, the thread and prp_lull_flush(); held while
 *	one is let go, so that no connection is on its way with a thread that
 *	gets no time; outside of a connection's lock
 */
struct lull_cpu {
	struct llist_head list;
	struct llist_node *taken;
	spinlock_t lock;
};

static DEFINE_PER_CPU(struct lull_cpu, lull_cpus);
static DEFINE_PER_CPU(struct task_struct *, lull_thread);
/* lets a connection's last segment go; it stands above us */
static void (*let_go)(struct prp_conn *conn) __ro_after_init;

static void lull_setup(unsigned int cpu)
{
	set_user_nice(current, NICE_LEAST);
}

static int lull_should_run(unsigned int cpu)
{
	struct lull_cpu *lull = per_cpu_ptr(&lull_cpus, cpu);

	return READ_ONCE(lull->taken) || !llist_empty(&lull->list);
}

/* Let one go. Return: false if none waits. */
static bool lull_run_one(struct lull_cpu *lull)
{
	struct prp_conn *conn = NULL;

	spin_lock_bh(&lull->lock); /* and what is freed here may not sleep */
	if (!lull->taken)
		WRITE_ONCE(lull->taken, llist_del_all(&lull->list));
	if (lull->taken) {
		conn = llist_entry(lull->taken, struct prp_conn, lull.node);
		WRITE_ONCE(lull->taken, lull->taken->next);
		/* what was read of its place in the list was read before */
		clear_bit_unlock(PRP_LULL_WAITS, &conn->lull.flags);
		/* Pairs with test_and_set_bit() in __prp_lull_wait(), a full
		 * barrier, and with the connection's lock: who finds the bit
		 * set there is seen to wait by whoever is let go here.
		 */
		smp_mb__after_atomic();
		let_go(conn);
		prp_conn_put(conn);
	}
	spin_unlock_bh(&lull->lock);
	return conn;
}

static void lull_run(unsigned int cpu)
{
	while (lull_run_one(per_cpu_ptr(&lull_cpus, cpu)))
		cond_resched();
}

/**
 * prp_lull_flush() - let all go that wait, of all processors
 *
 * A thread gets no time where programs of a real-time policy leave none.
 */
void prp_lull_flush(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		lull_run(cpu);
}

static struct smp_hotplug_thread lull_threads = {
	.store = &lull_thread,
	.setup = lull_setup,
	.thread_should_run = lull_should_run,
	.thread_fn = lull_run,
	.park = lull_run,
	.thread_comm = "prp_lull/%u",
};

/**
 * __prp_lull_wait() - let a connection's last segment go when this processor
 * has nothing better to do
 * @conn: connection, its lock held and BH off
 */
void __prp_lull_wait(struct prp_conn *conn)
{
	int cpu = smp_processor_id();

	lockdep_assert_held(&conn->lock);
	if (prp_lull_waits(conn) ||
	    test_and_set_bit(PRP_LULL_WAITS, &conn->lull.flags))
		return;
	prp_conn_get(conn);
	/* Where it goes away the thread may have seen its list for the last
	 * time. Where it does not yet, that is behind an RCU grace period, as
	 * we are an RCU read section.
	 */
	if (unlikely(!cpu_active(cpu)))
		cpu = cpumask_any(cpu_active_mask);
	if (llist_add(&conn->lull.node, &per_cpu(lull_cpus, cpu).list))
		wake_up_process(per_cpu(lull_thread, cpu));
}

/**
 * prp_lull_init() - make the threads
 * @go: lets a connection's last segment go; called without its lock, in a
 *	thread
 *
 * Return: 0 or a negative errno.
 */
int prp_lull_init(void (*go)(struct prp_conn *conn))
{
	int cpu;

	let_go = go;
	for_each_possible_cpu(cpu) {
		init_llist_head(&per_cpu(lull_cpus, cpu).list);
		spin_lock_init(&per_cpu(lull_cpus, cpu).lock);
	}
	return smpboot_register_percpu_thread(&lull_threads);
}

/**
 * prp_lull_exit() - end the threads; no connection is left by now
 *
 * Before 6.12, and stable kernels of that time, the kernel warns of a thread
 * that is to end and is not parked; and all of one that is parked already when
 * its processor goes: none goes or comes meanwhile.
 */
void prp_lull_exit(void)
{
	int cpu;

	cpu_hotplug_disable();
	for_each_online_cpu(cpu)
		kthread_park(per_cpu(lull_thread, cpu));
	smpboot_unregister_percpu_thread(&lull_threads);
	cpu_hotplug_enable();
}
