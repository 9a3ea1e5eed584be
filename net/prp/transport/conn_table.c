// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a namespace's connections, which grows with them. A larger one
 * takes over bucket by bucket. Who does not find a connection meanwhile looks
 * again; who finds one, finds the right one.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "transport/conn_table.h"

#define TABLE_BITS 8 /* of the first table */
#define TABLE_BITS_MAX 20
#define TABLE_BITS_MORE 2 /* that a larger one has */

static u32 table_buckets(const struct prp_conn_table *table)
{
	return 1U << (32 - table->shift);
}

static struct prp_conn_table *table_alloc(u32 bits)
{
	struct prp_conn_table *table;

	table = kvzalloc(struct_size(table, bucket, 1UL << bits),
			 GFP_KERNEL_ACCOUNT);
	if (table)
		table->shift = 32 - bits;
	return table;
}

/* The table that connections are put into, for who holds the lock. */
static struct prp_conn_table *table_to_fill(struct prp_net *pn)
{
	struct prp_conn_table *next;

	lockdep_assert_held(&pn->conn_lock);
	next = rcu_dereference_protected(pn->conns_next, true);
	return next ?: rcu_dereference_protected(pn->conns, true);
}

/* Is there to be a larger one than this one? */
static bool table_is_small(const struct prp_net *pn,
			   const struct prp_conn_table *table)
{
	return unlikely(atomic_read(&pn->conn_count) > table_buckets(table)) &&
	       table->shift > 32 - TABLE_BITS_MAX;
}

/* Move a bucket. What follows in it is followed into the larger table by who
 * reads: he may miss one, and then looks again.
 */
static void table_move(struct prp_net *pn, struct hlist_head *from,
		       struct prp_conn_table *to)
{
	struct prp_conn *conn;

	spin_lock_bh(&pn->conn_lock);
	write_seqcount_begin(&pn->conns_seq);
	while (!hlist_empty(from)) {
		conn = hlist_entry(from->first, struct prp_conn, hash_node);
		hlist_del_rcu(&conn->hash_node);
		hlist_add_head_rcu(&conn->hash_node,
				   &to->bucket[conn->hash >> to->shift]);
	}
	write_seqcount_end(&pn->conns_seq);
	spin_unlock_bh(&pn->conn_lock);
}

/* Only this work, of which there is one, replaces the table. Without memory
 * for a larger one it stays, until the next connection asks. Who asks while
 * memory for a larger one is looked for has it run again, and finds that done.
 */
static void table_grow(struct work_struct *work)
{
	struct prp_net *pn = container_of(work, struct prp_net, conns_work);
	struct prp_conn_table *now = rcu_dereference_protected(pn->conns, true);
	struct prp_conn_table *larger;
	u32 bucket;

	if (!table_is_small(pn, now))
		return;
	larger = table_alloc(32 - now->shift + TABLE_BITS_MORE);
	if (!larger)
		return;
	spin_lock_bh(&pn->conn_lock);
	rcu_assign_pointer(pn->conns_next, larger);
	spin_unlock_bh(&pn->conn_lock);
	for (bucket = 0; bucket < table_buckets(now); bucket++) {
		table_move(pn, &now->bucket[bucket], larger);
		cond_resched();
	}
	spin_lock_bh(&pn->conn_lock);
	write_seqcount_begin(&pn->conns_seq);
	rcu_assign_pointer(pn->conns, larger);
	RCU_INIT_POINTER(pn->conns_next, NULL);
	write_seqcount_end(&pn->conns_seq);
	spin_unlock_bh(&pn->conn_lock);
	synchronize_rcu();
	kvfree(now);
}

/**
 * prp_conn_table_search() - look a connection up while the table may grow
 * @pn: namespace
 * @key: its two ends
 * @hash: of these
 *
 * Return: the connection, valid in this RCU read section, or NULL if there is
 * none.
 */
struct prp_conn *prp_conn_table_search(const struct prp_net *pn,
				       const union prp_conn_key *key, u32 hash)
{
	const struct prp_conn_table *next;
	struct prp_conn *conn;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&pn->conns_seq);
		conn = prp_conn_table_find_rcu(rcu_dereference(pn->conns), key,
					       hash);
		next = rcu_dereference(pn->conns_next);
		if (!conn && next)
			conn = prp_conn_table_find_rcu(next, key, hash);
	} while (!conn && read_seqcount_retry(&pn->conns_seq, seq));
	return conn;
}

/**
 * prp_conn_table_add() - let frames find a connection
 * @conn: connection; the hash takes a reference of its own
 *
 * Return: 0, or -EADDRNOTAVAIL if there is one with the same two ends.
 */
int prp_conn_table_add(struct prp_conn *conn)
{
	struct prp_net *pn = conn->pn;
	struct prp_conn_table *table;
	int err = -EADDRNOTAVAIL;

	rcu_read_lock();
	spin_lock_bh(&pn->conn_lock);
	if (!prp_conn_table_search(pn, &conn->key, conn->hash)) {
		err = 0;
		prp_conn_get(conn);
		conn->hashed = true;
		table = table_to_fill(pn);
		hlist_add_head_rcu(&conn->hash_node,
				   &table->bucket[conn->hash >> table->shift]);
		if (table_is_small(pn, table))
			schedule_work(&pn->conns_work);
	}
	spin_unlock_bh(&pn->conn_lock);
	rcu_read_unlock();
	return err;
}

/* Is one behind where the walk is, and before the best that was found? */
static bool table_is_next(const struct prp_conn *conn,
			  const struct prp_conn_cursor *cursor,
			  const struct prp_conn *best)
{
	if (conn->hash < cursor->hash ||
	    (conn->hash == cursor->hash && conn->key.all <= cursor->last))
		return false;
	return !best || conn->hash < best->hash ||
	       (conn->hash == best->hash && conn->key.all < best->key.all);
}

/* The next one of a bucket, or the best one so far. */
static struct prp_conn *bucket_next(const struct hlist_head *bucket,
				    const struct prp_conn_cursor *cursor,
				    struct prp_conn *best)
{
	struct prp_conn *conn;

	hlist_for_each_entry_rcu(conn, bucket, hash_node)
		if (table_is_next(conn, cursor, best))
			best = conn;
	return best;
}

/* The next one of a table, or of the larger one that takes over from it: side
 * by side, as the one has whole stretches in which the other has nothing.
 */
static struct prp_conn *table_next(const struct prp_conn_table *table,
				   const struct prp_conn_table *larger,
				   const struct prp_conn_cursor *cursor)
{
	u32 bucket = cursor->hash >> table->shift, more, i;
	struct prp_conn *found = NULL;

	for (; bucket < table_buckets(table) && !found; bucket++) {
		found = bucket_next(&table->bucket[bucket], cursor, NULL);
		if (!larger)
			continue;
		more = table->shift - larger->shift;
		for (i = bucket << more; i < (bucket + 1) << more; i++)
			found = bucket_next(&larger->bucket[i], cursor, found);
	}
	return found;
}

/**
 * prp_conn_table_next_rcu() - walk all connections
 * @pn: namespace
 * @cursor: where the walk is; may be kept over several RCU read sections
 *
 * In the order of hashes, and of keys where these are the same, so that a
 * connection that is there all the time is given exactly once, whatever comes
 * and goes beside it, and whether the table grows. A bucket has few of them:
 * the hash has a secret factor.
 *
 * Return: the next connection, valid in this RCU read section, or NULL at
 * the end.
 */
struct prp_conn *prp_conn_table_next_rcu(const struct prp_net *pn,
					 struct prp_conn_cursor *cursor)
{
	const struct prp_conn_table *table, *larger;
	struct prp_conn *conn;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&pn->conns_seq);
		table = rcu_dereference(pn->conns);
		larger = rcu_dereference(pn->conns_next);
		conn = table_next(table, larger, cursor);
	} while (read_seqcount_retry(&pn->conns_seq, seq));
	if (conn) {
		cursor->hash = conn->hash;
		cursor->last = conn->key.all;
	}
	return conn;
}

/**
 * prp_conn_table_init() - give a namespace its first table
 * @pn: namespace, whose conn_lock is initialized
 *
 * Return: 0 or -ENOMEM.
 */
int prp_conn_table_init(struct prp_net *pn)
{
	struct prp_conn_table *table = table_alloc(TABLE_BITS);

	if (!table)
		return -ENOMEM;
	seqcount_spinlock_init(&pn->conns_seq, &pn->conn_lock);
	INIT_WORK(&pn->conns_work, table_grow);
	RCU_INIT_POINTER(pn->conns, table);
	return 0;
}

/**
 * prp_conn_table_exit() - free a namespace's table
 * @pn: namespace without connections
 */
void prp_conn_table_exit(struct prp_net *pn)
{
	cancel_work_sync(&pn->conns_work);
	kvfree(rcu_dereference_protected(pn->conns, true));
}
