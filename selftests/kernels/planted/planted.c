// SPDX-License-Identifier: GPL-2.0
/*
 * One bug for each checker of a debug kernel, to prove that it looks, and two
 * ways in which any kernel stands still: planted on purpose, part of no
 * product. To load this makes the one that is named and then fails, so that
 * nothing stays.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *bug;
module_param(bug, charp, 0);
MODULE_PARM_DESC(bug, "which one");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);
static int __rcu *shared;
static unsigned long raced;
static unsigned int bits = 40;

static void rcu(void)
{
	rcu_dereference(shared);
}

static void lock(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleep(void)
{
	spin_lock(&spin);
	kfree(kmalloc(64, GFP_KERNEL));
	spin_unlock(&spin);
}

static void shift(void)
{
	pr_info("planted: %d\n", 1 << READ_ONCE(bits));
}

static void timer_fn(struct timer_list *timer)
{
}

static void object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, timer_fn, 0);
	mod_timer(timer, jiffies + HZ);
	kfree(timer);
}

static void list(void)
{
	struct list_head entry, other;
	LIST_HEAD(head);

	list_add(&entry, &head);
	INIT_LIST_HEAD(&other);
	entry.prev = &other;
	list_del(&entry);
}

static void leak(void)
{
	int i;

	for (i = 0; i < 8; i++) /* one may still be in a register */
		memset(kmalloc(64, GFP_KERNEL | __GFP_NOFAIL), i, 64);
}

static void use(void)
{
	char *byte = kmalloc(64, GFP_KERNEL);

	kfree(byte);
	if (byte)
		pr_info("planted: %d\n", READ_ONCE(byte[8]));
}

static int race_fn(void *unused)
{
	unsigned long end = jiffies + 5 * HZ;

	while (time_before(jiffies, end)) {
		raced++;
		barrier(); /* not once for all rounds */
		cond_resched();
	}
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void race(void)
{
	struct task_struct *task[2];
	int i;

	for (i = 0; i < 2; i++)
		task[i] = kthread_run(race_fn, NULL, "planted");
	for (i = 0; i < 2; i++)
		if (!IS_ERR(task[i]))
			kthread_stop(task[i]);
}

static void spin_fn(void *unused)
{
	for (;;)
		cpu_relax();
}

/* One processor, and its watchdog still runs. */
static void lockup(void)
{
	spin_fn(NULL);
}

/* All of them, without interrupts: nobody is left to say so. */
static void silence(void)
{
	on_each_cpu(spin_fn, NULL, 0);
}

static const struct {
	const char *name;
	void (*make)(void);
} bugs[] = {
	{ "rcu", rcu },	      { "lock", lock },	      { "sleep", sleep },
	{ "shift", shift },   { "list", list },	      { "leak", leak },
	{ "object", object }, { "use", use },	      { "race", race },
	{ "lockup", lockup }, { "silence", silence },
};

static int __init planted_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!bug || strcmp(bug, bugs[i].name))
			continue;
		pr_info("planted: %s\n", bug);
		bugs[i].make();
		return -ECANCELED;
	}
	return -EINVAL;
}

module_init(planted_init);

MODULE_DESCRIPTION("Planted bugs, one for each checker of a debug kernel");
MODULE_LICENSE("GPL");
