// SPDX-License-Identifier: GPL-2.0
/*
 * How much memory connections may hold beyond their reserves: all of the
 * machine, and those of one namespace; see share.h for how it is divided. A
 * network namespace costs a user nothing if he has a user namespace, and two
 * do not cost more than one. So those of user namespaces have a half together.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <linux/user_namespace.h>

#include "net.h"
#include "pure/share.h"
#include "socket/starve.h"
#include "transport/pool.h"

/**
 * struct prp_pool_machine - of all namespaces
 * @bytes: what they have taken
 * @users: of that, those of user namespaces
 * @limit: bound of @bytes
 */
static struct prp_pool_machine {
	atomic_long_t bytes;
	atomic_long_t users;
	unsigned long limit;
} machine;

/* What a namespace may have, where it has so much of what all have. */
static unsigned long pool_share(const struct prp_net *pn, unsigned long limit,
				const atomic_long_t *all, long own)
{
	long others = atomic_long_read(all) - own;

	return prp_share_most(limit, max(others, 0L), pn->pool.part);
}

/* What a namespace may have that has so much. */
static unsigned long pool_most(const struct prp_net *pn, long own)
{
	unsigned long limit = READ_ONCE(machine.limit);
	unsigned long most = pool_share(pn, limit, &machine.bytes, own);

	if (pn->pool.user)
		most = min(most,
			   pool_share(pn, limit / 2, &machine.users, own));
	return min(most, READ_ONCE(pn->pool.limit));
}

static long pool_add(struct prp_net *pn, long bytes)
{
	atomic_long_add(bytes, &machine.bytes);
	if (pn->pool.user)
		atomic_long_add(bytes, &machine.users);
	return atomic_long_add_return(bytes, &pn->pool.bytes);
}

/**
 * prp_pool_take() - take memory for a connection
 * @pn: its namespace
 * @bytes: how many
 *
 * Return: false if the namespace may not have so much more; nothing is taken
 * then.
 */
bool prp_pool_take(struct prp_net *pn, unsigned long bytes)
{
	long own = pool_add(pn, bytes);

	if (likely(own <= pool_most(pn, own)))
		return true;
	/* somebody may have seen it as taken, and waits */
	prp_pool_give(pn, bytes);
	return false;
}

/**
 * prp_pool_give() - give memory back
 * @pn: namespace that took it
 * @bytes: how many
 */
void prp_pool_give(struct prp_net *pn, unsigned long bytes)
{
	pool_add(pn, -bytes);
	prp_starve_wake();
}

/**
 * prp_pool_has() - is so much there?
 * @pn: namespace
 * @bytes: how many
 *
 * Return: true if prp_pool_take() would have said so a moment ago.
 */
bool prp_pool_has(const struct prp_net *pn, unsigned long bytes)
{
	long own = atomic_long_read(&pn->pool.bytes);

	return own + bytes <= pool_most(pn, own);
}

/**
 * prp_pool_has_plenty() - is so much there for what is not needed?
 * @pn: namespace
 * @bytes: how many
 *
 * Return: true if half of what the namespace may have is left without it.
 */
bool prp_pool_has_plenty(const struct prp_net *pn, unsigned long bytes)
{
	long own = atomic_long_read(&pn->pool.bytes);

	return own + bytes <= pool_most(pn, own) / 2;
}

/**
 * prp_pool_get() - tell about the pool
 * @pn: namespace
 * @info: filled in; its figures are of one moment as far as nobody takes or
 *	gives meanwhile
 */
void prp_pool_get(const struct prp_net *pn, struct prp_pool_info *info)
{
	info->machine_limit = READ_ONCE(machine.limit);
	info->machine_bytes = atomic_long_read(&machine.bytes);
	info->limit = READ_ONCE(pn->pool.limit);
	info->bytes = atomic_long_read(&pn->pool.bytes);
	info->most = pool_most(pn, info->bytes);
}

/**
 * prp_pool_set_limit() - bound what a namespace may take
 * @pn: namespace
 * @limit: bytes, or PRP_POOL_NO_LIMIT
 *
 * What it has beyond that it keeps until it is read or acknowledged.
 */
void prp_pool_set_limit(struct prp_net *pn, unsigned long limit)
{
	WRITE_ONCE(pn->pool.limit, limit);
	prp_starve_wake();
}

/**
 * prp_pool_machine_may() - may that be the machine's bound?
 * @limit: bytes
 *
 * Return: true unless it is more than all of its memory.
 */
bool prp_pool_machine_may(unsigned long limit)
{
	return limit >> PAGE_SHIFT <= totalram_pages();
}

/**
 * prp_pool_set_machine_limit() - bound what all namespaces may take together
 * @limit: bytes
 */
void prp_pool_set_machine_limit(unsigned long limit)
{
	WRITE_ONCE(machine.limit, limit);
	prp_starve_wake();
}

/**
 * prp_pool_net_init() - prepare a namespace
 * @pn: namespace, its net set
 */
void prp_pool_net_init(struct prp_net *pn)
{
	pn->pool.part = net_eq(pn->net, &init_net) ? PRP_SHARE_FIRST :
						     PRP_SHARE_OTHER;
	pn->pool.user = pn->net->user_ns != &init_user_ns;
	pn->pool.limit = PRP_POOL_NO_LIMIT;
}

/**
 * prp_pool_net_exit() - a namespace goes
 * @pn: namespace; it has no connections any more
 */
void prp_pool_net_exit(struct prp_net *pn)
{
	WARN_ON_ONCE(atomic_long_read(&pn->pool.bytes));
}

/**
 * prp_pool_init() - an eighth of the machine's memory may be taken
 */
void prp_pool_init(void)
{
	machine.limit = totalram_pages() / 8 << PAGE_SHIFT;
}
