/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a namespace's connections, which grows with them.
 */
#ifndef _PRP_CONN_TABLE_H
#define _PRP_CONN_TABLE_H

#include "transport/conn.h"

/**
 * struct prp_conn_table - connections by hash
 * @shift: of prp_conn.hash, which leaves the number of the bucket [const]
 * @bucket: 2 to the power of 32 - @shift
 */
struct prp_conn_table {
	u32 shift;
	struct hlist_head bucket[];
};

/**
 * struct prp_conn_cursor - where a walk is, which begins with zeroes
 * @hash: of the last connection that was given
 * @last: its key, which is not 0
 */
struct prp_conn_cursor {
	u32 hash;
	u64 last;
};

int prp_conn_table_add(struct prp_conn *conn);
struct prp_conn *prp_conn_table_next_rcu(const struct prp_net *pn,
					 struct prp_conn_cursor *cursor);
struct prp_conn *prp_conn_table_search(const struct prp_net *pn,
				       const union prp_conn_key *key, u32 hash);
int prp_conn_table_init(struct prp_net *pn);
void prp_conn_table_exit(struct prp_net *pn);

/**
 * prp_conn_table_find_rcu() - look a connection up in one table
 * @table: it, or NULL
 * @key: its two ends
 * @hash: of these
 *
 * Return: the connection, valid in this RCU read section, or NULL, also if it
 * is just being moved to another table.
 */
static inline struct prp_conn *
prp_conn_table_find_rcu(const struct prp_conn_table *table,
			const union prp_conn_key *key, u32 hash)
{
	struct prp_conn *conn;

	hlist_for_each_entry_rcu(conn, &table->bucket[hash >> table->shift],
				 hash_node)
		if (conn->key.all == key->all)
			return conn;
	return NULL;
}

#endif /* _PRP_CONN_TABLE_H */
