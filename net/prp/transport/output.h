/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which segment goes out next.
 */
#ifndef _PRP_OUTPUT_H
#define _PRP_OUTPUT_H

#include "transport/conn.h"

bool __prp_output_push(struct prp_conn *conn);
void __prp_output_push_bh(struct prp_conn *conn);
void __prp_output_rest(struct prp_conn *conn);
void prp_output_kicked(struct prp_conn *conn);
void prp_output_end(struct prp_conn *conn);
void prp_output_uncork(struct prp_conn *conn);

/**
 * prp_output_unlock() - send what may be sent, and drop the lock
 * @conn: connection, its lock held
 */
static __always_inline void prp_output_unlock(struct prp_conn *conn)
	__releases(&conn->lock)
{
	if (likely(!conn->pushing) && unlikely(__prp_output_push(conn)))
		__prp_output_rest(conn);
	spin_unlock_bh(&conn->lock);
}

#endif /* _PRP_OUTPUT_H */
