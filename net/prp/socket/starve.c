// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets that wait for others to give memory back to the pool. Nobody gives
 * it to them: when there is some again, as many of them are woken as it would
 * do for, and ask again.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/workqueue.h>

#include "socket/sock.h"
#include "socket/starve.h"
#include "transport/account.h"

#define TAKE_JIFFIES max(HZ / 50, 1) /* to take what one was woken for */

static void starve_run(struct work_struct *work);

/**
 * struct prp_starving - those who wait
 * @lock: protects the list; BH, inside a connection's lock. Wait queues are
 *	inside it
 * @list: of prp_sock.starve_node, who has waited longest comes first
 */
struct prp_starving {
	spinlock_t lock;
	struct list_head list;
};

static struct prp_starving starving = {
	.lock = __SPIN_LOCK_UNLOCKED(starving.lock),
	.list = LIST_HEAD_INIT(starving.list),
};

static DECLARE_DELAYED_WORK(starve_work, starve_run);

/* What the pool would have to give the socket for what it wants to send. */
static u32 starve_lacks(const struct prp_sock *psk, const struct prp_conn *conn)
{
	return prp_account_tx_lacks(conn, max_t(u32, READ_ONCE(psk->tx_refused),
						PRP_STARVE_LEAST));
}

/* Would it do for this socket, if others had what they were woken for? One
 * that has lost its connection does not wait any longer. If so, given has what
 * it would take.
 */
static bool starve_would_do(const struct prp_sock *psk, unsigned long *given)
{
	const struct prp_conn *conn = rcu_dereference_bh(psk->conn);
	u32 lacks;

	if (!conn)
		return true;
	lacks = starve_lacks(psk, conn);
	if (lacks && !prp_pool_has(conn->pn, *given + lacks))
		return false;
	*given += lacks;
	return true;
}

/* Wake those for whom it would do now. Who is woken may want nothing any more:
 * if there are others, look again whether it is still there.
 */
static void starve_run(struct work_struct *work)
{
	struct prp_sock *psk, *next;
	unsigned long given = 0;
	bool woken = false;

	spin_lock_bh(&starving.lock);
	list_for_each_entry_safe(psk, next, &starving.list, starve_node) {
		if (!starve_would_do(psk, &given))
			continue;
		psk->sk.sk_write_space(&psk->sk);
		/* pairs with prp_starve_forget(): it is not touched any more */
		list_del_init_careful(&psk->starve_node);
		woken = true;
	}
	if (woken && !list_empty(&starving.list))
		schedule_delayed_work(&starve_work, TAKE_JIFFIES);
	spin_unlock_bh(&starving.lock);
}

/**
 * prp_starve_is_fed() - is there memory for what a socket wants to send?
 * @psk: socket
 * @conn: its connection
 *
 * Return: true if the connection has it, or the pool had it a moment ago. That
 * is for what was refused last, or else PRP_STARVE_LEAST bytes.
 */
bool prp_starve_is_fed(const struct prp_sock *psk, const struct prp_conn *conn)
{
	u32 lacks = starve_lacks(psk, conn);

	return likely(!lacks) || prp_pool_has(conn->pn, lacks);
}

/**
 * prp_starve_wait() - have a socket woken when there is memory for it
 * @psk: socket that is not closed yet
 * @conn: its connection
 *
 * Its writers are woken once, unless prp_starve_forget() comes first.
 *
 * Return: true if there is some by now, whoever gave it back meanwhile.
 */
bool prp_starve_wait(struct prp_sock *psk, const struct prp_conn *conn)
{
	spin_lock_bh(&starving.lock);
	if (list_empty(&psk->starve_node))
		list_add_tail(&psk->starve_node, &starving.list);
	spin_unlock_bh(&starving.lock);
	smp_mb(); /* pairs with prp_starve_wake() */
	return prp_starve_is_fed(psk, conn);
}

/**
 * prp_starve_forget() - a socket is closed
 * @psk: socket without a connection, which nobody else uses
 */
void prp_starve_forget(struct prp_sock *psk)
{
	if (likely(list_empty_careful(&psk->starve_node)))
		return;
	spin_lock_bh(&starving.lock);
	list_del_init(&psk->starve_node);
	spin_unlock_bh(&starving.lock);
}

/**
 * prp_starve_wake() - the pool has room again
 *
 * Any context. What is given back within a jiffy is looked at once.
 */
void prp_starve_wake(void)
{
	smp_mb(); /* who is not on the list yet sees what was given back */
	if (unlikely(!list_empty(&starving.list)))
		schedule_delayed_work(&starve_work, 1);
}

/**
 * prp_starve_exit() - no socket is left
 */
void prp_starve_exit(void)
{
	cancel_delayed_work_sync(&starve_work);
}
