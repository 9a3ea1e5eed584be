/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The search for the longest frame that a way carries, where nobody says that
 * he drops longer ones (the idea of RFC 8899). It asks by probes with payload,
 * from short to long; the last that is answered is the longest that passes.
 */
#ifndef _PRP_PATH_SEARCH_H
#define _PRP_PATH_SEARCH_H

#include "transport/conn.h"

/**
 * __prp_path_search_stop() - wait for no answers any more
 * @conn: connection, its lock held
 */
static inline void __prp_path_search_stop(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->path.search.rungs = 0;
	conn->path.search.best = 0;
}

void __prp_path_search_lost(struct prp_conn *conn);
void __prp_path_search_refused(struct prp_conn *conn);
void __prp_path_search_answered(struct prp_conn *conn,
				const struct prp_sack *sack);
void __prp_path_search_due(struct prp_conn *conn, u64 now);
void __prp_path_search_again(struct prp_conn *conn, u64 now);

#endif /* _PRP_PATH_SEARCH_H */
