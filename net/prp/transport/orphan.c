// SPDX-License-Identifier: GPL-2.0
/*
 * Orphans: connections whose socket is closed while something is to be
 * delivered. How many there may be goes by the machine's memory, as with TCP;
 * each namespace, and each peer of one, leaves some to others.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <linux/sizes.h>

#include "pure/share.h"
#include "transport/conn.h"
#include "transport/orphan.h"

#define ORPHANS_LEAST 4096 /* that a namespace may have in any case */
#define ORPHANS_MOST (256 * 1024)

static atomic_t orphans_all; /* of all namespaces */

/* What there may be of all namespaces: one for each 256 KiB */
static unsigned long orphans_limit(void)
{
	return min_t(unsigned long, totalram_pages() / (SZ_256K / PAGE_SIZE),
		     ORPHANS_MOST);
}

/* What there may be of this one */
static unsigned long orphans_most(const struct prp_net *pn)
{
	int others = atomic_read(&orphans_all) - atomic_read(&pn->orphans);

	return max_t(unsigned long, ORPHANS_LEAST,
		     prp_share_most(orphans_limit(), max(others, 0),
				    pn->pool.part));
}

/* How many of its peer there are; others may share the counter. */
static atomic_t *orphans_of(const struct prp_conn *conn)
{
	return &conn->pn->orphans_of[conn->key.peer % PRP_PEER_SLOTS];
}

/**
 * __prp_orphan_add() - a connection has no socket any more
 * @conn: connection in PRP_ESTABLISHED, its lock held
 *
 * A peer that takes nothing keeps all of its own here: it has as many as it
 * leaves to others.
 *
 * Return: false if there are too many.
 */
bool __prp_orphan_add(struct prp_conn *conn)
{
	struct prp_net *pn = conn->pn;
	unsigned long most = orphans_most(pn);
	int of_one, all;

	lockdep_assert_held(&conn->lock);
	conn->orphan = true;
	atomic_inc(&orphans_all);
	all = atomic_inc_return(&pn->orphans);
	of_one = atomic_inc_return(orphans_of(conn));
	return all <= most &&
	       of_one <= prp_share_most(most, max(all - of_one, 0), 1);
}

/**
 * __prp_orphan_end() - a connection ends
 * @conn: connection, its lock held; an orphan or not
 */
void __prp_orphan_end(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->orphan)
		return;
	conn->orphan = false;
	atomic_dec(orphans_of(conn));
	atomic_dec(&conn->pn->orphans);
	atomic_dec(&orphans_all);
}
