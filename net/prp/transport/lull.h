/* SPDX-License-Identifier: GPL-2.0 */
/* Who waits until a processor has nothing better to do; lull.c. */
#ifndef _PRP_LULL_H
#define _PRP_LULL_H

#include "transport/conn.h"

#define PRP_LULL_WAITS 0 /* bit of prp_lull.flags */

void __prp_lull_wait(struct prp_conn *conn);
void prp_lull_flush(void);
int prp_lull_init(void (*go)(struct prp_conn *conn));
void prp_lull_exit(void);

/**
 * prp_lull_waits() - may a connection's last segment wait for a lull?
 * @conn: connection, its lock held or not
 *
 * Return: true if it waits, or did until a moment ago.
 */
static inline bool prp_lull_waits(const struct prp_conn *conn)
{
	return test_bit(PRP_LULL_WAITS, &conn->lull.flags);
}

#endif /* _PRP_LULL_H */
