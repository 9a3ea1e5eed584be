/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is held for a reader is charged to the memory cgroup of his socket.
 */
#ifndef _PRP_CGROUP_H
#define _PRP_CGROUP_H

#include <linux/atomic.h>
#include <linux/percpu-defs.h>

#include "transport/conn.h"

/* Charged at once, in whole pages; two are kept */
#define PRP_CGROUP_STEP max_t(u32, 16 * 1024, PAGE_SIZE)
#define PRP_CGROUP_NONE U32_MAX /* prp_conn.rx.charged: nobody is */

/* Of struct proto, without which nothing can be charged */
extern atomic_long_t prp_cgroup_pages;
extern long prp_cgroup_limits[3];
extern int prp_cgroup_least;
DECLARE_PER_CPU(int, prp_cgroup_percpu);

bool __prp_cgroup_charge_more(struct prp_conn *conn, u32 size);
bool __prp_cgroup_has_room(const struct prp_conn *conn, u32 bytes);
void __prp_cgroup_settle(struct prp_conn *conn);
void __prp_cgroup_join(struct prp_conn *conn);
void __prp_cgroup_leave(struct prp_conn *conn);

/**
 * __prp_cgroup_charge() - charge memory before it is held for the reader
 * @conn: connection, its lock held; rx.mem is still without it
 * @size: how many bytes
 *
 * Return: false if the cgroup has no room for it.
 */
static inline bool __prp_cgroup_charge(struct prp_conn *conn, u32 size)
{
	lockdep_assert_held(&conn->lock);
	return likely(conn->rx.mem + size <= conn->rx.charged) ||
	       __prp_cgroup_charge_more(conn, size);
}

#endif /* _PRP_CGROUP_H */
