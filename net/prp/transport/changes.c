// SPDX-License-Identifier: GPL-2.0
/*
 * What changes of the table, of rails and of the namespace itself mean for all
 * of its connections.
 */
#include "transport/changes.h"
#include "transport/conn_table.h"
#include "transport/handshake.h"
#include "transport/path_size.h"

/**
 * struct table_change - a table takes the place of another one
 * @old: table until now, or NULL
 * @now: table from now on
 * @ended: connections that it has ended
 */
struct table_change {
	const struct prp_table *old;
	const struct prp_table *now;
	u32 ended;
};

/* Does something to every connection of a namespace, with its lock held and in
 * an RCU read section. Who calls may sleep: there may be many, and most hold
 * the RTNL.
 */
static void each_conn(struct prp_net *pn,
		      void (*what)(struct prp_conn *conn, void *arg), void *arg)
{
	struct prp_conn_cursor cursor = {};
	struct prp_conn *conn;

	do {
		rcu_read_lock();
		conn = prp_conn_table_next_rcu(pn, &cursor);
		if (conn) {
			spin_lock_bh(&conn->lock);
			what(conn, arg);
			spin_unlock_bh(&conn->lock);
		}
		rcu_read_unlock();
		cond_resched();
	} while (conn);
}

static void change_table(struct prp_conn *conn, void *arg)
{
	struct table_change *change = arg;

	if (change->old && conn->self == change->now->self &&
	    prp_table_same_machine(change->old, change->now, conn->key.peer)) {
		conn->path.told = U16_MAX;
		conn->path.found = 0;
		__prp_path_size_own(conn);
	} else if (conn->hashed) {
		__prp_conn_abort(conn, EHOSTUNREACH);
		change->ended++;
	}
}

/**
 * prp_changes_table() - end connections that have lost their node
 * @pn: namespace, its table_mutex held
 * @old: table until now, or NULL
 * @now: table from now on
 *
 * The ways of the others may be other ones.
 *
 * Return: how many connections were ended, with EHOSTUNREACH.
 */
u32 prp_changes_table(struct prp_net *pn, const struct prp_table *old,
		      const struct prp_table *now)
{
	struct table_change change = { .old = old, .now = now };

	lockdep_assert_held(&pn->table_mutex);
	/* who has seen the old table has added by now what we shall see, or
	 * sees the other one when he looks again
	 */
	spin_lock_bh(&pn->conn_lock);
	spin_unlock_bh(&pn->conn_lock);
	each_conn(pn, change_table, &change);
	return change.ended;
}

static void change_path(struct prp_conn *conn, void *arg)
{
	__prp_path_size_own(conn);
}

/**
 * prp_changes_path() - what a device carries has changed
 * @pn: namespace
 */
void prp_changes_path(struct prp_net *pn)
{
	each_conn(pn, change_path, NULL);
}

static void change_rails(struct prp_conn *conn, void *arg)
{
	if (conn->state != PRP_ESTABLISHED)
		return;
	conn->failover.look_tick = prp_timers_now();
	__prp_timers_due(conn, conn->failover.look_tick);
}

/**
 * prp_changes_rails() - a rail works no more
 * @pn: namespace
 *
 * Also who has nothing in flight is to tell his peer.
 */
void prp_changes_rails(struct prp_net *pn)
{
	each_conn(pn, change_rails, NULL);
}

static void change_exit(struct prp_conn *conn, void *arg)
{
	__prp_handshake_abort(conn, 0);
}

/**
 * prp_changes_exit() - a namespace goes: end what it still has
 * @pn: namespace; no socket is left in it
 *
 * What is left are orphans. Their peers are told, which may wait for nothing
 * else, while there are devices. It comes for all namespaces that go together
 * before prp_conn_net_exit() waits for the first of them: the wheels turn for
 * all at once.
 */
void prp_changes_exit(struct prp_net *pn)
{
	each_conn(pn, change_exit, NULL);
}
