// SPDX-License-Identifier: GPL-2.0
/*
 * What is held for readers, charged to the memory cgroups of their sockets;
 * what is held for peers is, as pages are allocated for it. This bounds no
 * more than a cgroup; all together are bounded by the pool.
 *
 * A module can charge by __sk_mem_schedule() alone. In a softirq that never
 * fails: the cgroup goes beyond its bound instead, since whoever is in it pays
 * when he allocates next. A reader who sleeps does not; so we ask whether there
 * is room, and promise the peer less if there is none. Nor may it be all that
 * there is: what we hold cannot be reclaimed, and who allocates next would be
 * killed. An eighth is left to programs.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/memcontrol.h>
#include <net/sock.h>

#include "transport/cgroup.h"

#define OWED_MAX (4 * PRP_CGROUP_STEP)
#define CGROUPS_MAX 64 /* that are looked at: this is done in a softirq */

atomic_long_t prp_cgroup_pages;
long prp_cgroup_limits[3] = { LONG_MAX, LONG_MAX, LONG_MAX };
int prp_cgroup_least = 16 * 1024;
DEFINE_PER_CPU(int, prp_cgroup_percpu);

#ifdef CONFIG_MEMCG
/* The socket's cgroup, or NULL if nothing is charged to it. */
static struct mem_cgroup *cgroup_of(const struct sock *sk)
{
	return mem_cgroup_sockets_enabled ? sk->sk_memcg : NULL;
}

/* Pages of files in generations: where the kernel has these instead of lists of
 * active and inactive pages, as built or set at run time, no list counts them.
 * A page that moves is noted late, so that a generation's number may be below
 * 0; their sum is not.
 */
static long zone_generations(const struct mem_cgroup_per_node *node,
			     unsigned int zone)
{
	long pages = 0;
#ifdef CONFIG_LRU_GEN
	const long(*sizes)[ANON_AND_FILE][MAX_NR_ZONES] =
		node->lruvec.lrugen.nr_pages;
	unsigned int gen;

	for (gen = 0; gen < MAX_NR_GENS; gen++)
		pages += READ_ONCE(sizes[gen][LRU_GEN_FILE][zone]);
#endif
	return pages;
}

static long cgroup_files(const struct mem_cgroup *memcg)
{
	const struct mem_cgroup_per_node *node;
	const unsigned long *size;
	unsigned int zone;
	long pages = 0;
	int nid;

	for (nid = 0; nid < nr_node_ids; nid++) {
		if (!node_state(nid, N_MEMORY))
			continue;
		node = memcg->nodeinfo[nid];
		for (zone = 0; zone < MAX_NR_ZONES; zone++) {
			size = node->lru_zone_size[zone];
			pages += READ_ONCE(size[LRU_INACTIVE_FILE]) +
				 READ_ONCE(size[LRU_ACTIVE_FILE]) +
				 zone_generations(node, zone);
		}
	}
	return pages;
}

/* Have a cgroup and those below it so many pages of files, which whoever
 * allocates next has reclaimed for him? Where there are too many to look at,
 * what is not seen counts as used.
 */
static bool cgroup_can_reclaim(struct mem_cgroup *memcg, long needed)
{
	struct cgroup_subsys_state *css;
	unsigned int left = CGROUPS_MAX;
	long pages = 0;

	rcu_read_lock();
	css_for_each_descendant_pre(css, &memcg->css) {
		if (pages >= needed || !left--)
			break;
		pages += cgroup_files(mem_cgroup_from_css(css));
	}
	rcu_read_unlock();
	return pages >= needed;
}

/* Is there room in it and in all above it? With version 1 of cgroups the charge
 * itself fails.
 */
static bool cgroup_has_room(struct mem_cgroup *memcg, u32 bytes)
{
	unsigned long pages = DIV_ROUND_UP(bytes, PAGE_SIZE);
	struct page_counter *counter;

	if (!cgroup_subsys_on_dfl(memory_cgrp_subsys))
		return true;
	for (counter = &memcg->memory; counter; counter = counter->parent) {
		unsigned long used = atomic_long_read(&counter->usage) + pages;
		unsigned long most =
			min(READ_ONCE(counter->high), READ_ONCE(counter->max));

		most -= most / 8;
		if (used <= most)
			continue;
		memcg = container_of(counter, struct mem_cgroup, memory);
		if (!cgroup_can_reclaim(memcg, used - most))
			return false;
	}
	return true;
}
#else
static struct mem_cgroup *cgroup_of(const struct sock *sk)
{
	return NULL;
}

static bool cgroup_has_room(struct mem_cgroup *memcg, u32 bytes)
{
	return true;
}
#endif

/* Charge so much more; the socket's lock is held, too, one way or the other. */
static bool cgroup_charge(struct prp_conn *conn, u32 more)
{
	struct sock *sk = conn->sk;

	sock_owned_by_me(sk);
	more = round_up(more, PRP_CGROUP_STEP);
	if (!cgroup_has_room(cgroup_of(sk), more) ||
	    !__sk_mem_schedule(sk, more, SK_MEM_RECV))
		return false;
	sk_mem_charge(sk, more);
	conn->rx.charged += more;
	return true;
}

/* Give back all but that; likewise. */
static void cgroup_uncharge(struct prp_conn *conn, u32 keep)
{
	sock_owned_by_me(conn->sk);
	if (conn->rx.charged <= keep)
		return;
	sk_mem_uncharge(conn->sk, conn->rx.charged - keep);
	conn->rx.charged = keep;
}

/**
 * __prp_cgroup_charge_more() - charge memory that is not charged yet
 * @conn: connection, its lock held; rx.mem is still without it
 * @size: how many bytes
 *
 * If the socket's owner is in a call that has its lock it is charged the next
 * time; no more than OWED_MAX is owed.
 *
 * Return: false if the cgroup has no room for it.
 */
bool __prp_cgroup_charge_more(struct prp_conn *conn, u32 size)
{
	u32 more = conn->rx.mem + size - conn->rx.charged;
	bool ok;

	lockdep_assert_held(&conn->lock);
	bh_lock_sock(conn->sk);
	if (sock_owned_by_user(conn->sk))
		ok = more <= OWED_MAX;
	else
		ok = cgroup_charge(conn, more);
	bh_unlock_sock(conn->sk);
	return ok;
}

/**
 * __prp_cgroup_has_room() - would the cgroup have room for the reader?
 * @conn: connection, its lock held
 * @bytes: that are to be held in addition
 *
 * Return: true if it had a moment ago, or nothing is charged.
 */
bool __prp_cgroup_has_room(const struct prp_conn *conn, u32 bytes)
{
	lockdep_assert_held(&conn->lock);
	return conn->rx.mem + bytes <= conn->rx.charged ||
	       cgroup_has_room(cgroup_of(conn->sk),
			       conn->rx.mem + bytes - conn->rx.charged);
}

/**
 * __prp_cgroup_settle() - give back what is no longer held
 * @conn: connection with a socket, its lock held
 *
 * Two steps are kept, so that who reads as fast as it comes charges nothing.
 */
void __prp_cgroup_settle(struct prp_conn *conn)
{
	u32 keep =
		round_up(conn->rx.mem, PRP_CGROUP_STEP) + 2 * PRP_CGROUP_STEP;

	lockdep_assert_held(&conn->lock);
	if (likely(conn->rx.charged == PRP_CGROUP_NONE ||
		   conn->rx.charged <= keep))
		return;
	bh_lock_sock(conn->sk);
	if (!sock_owned_by_user(conn->sk))
		cgroup_uncharge(conn, keep);
	bh_unlock_sock(conn->sk);
}

/**
 * __prp_cgroup_join() - a socket takes over what is held for its reader
 * @conn: its connection, its lock held; the caller owns the socket
 *
 * Without room it is charged with what comes next.
 */
void __prp_cgroup_join(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!cgroup_of(conn->sk))
		return;
	conn->rx.charged = 0;
	if (conn->rx.mem)
		cgroup_charge(conn, conn->rx.mem);
}

/**
 * __prp_cgroup_leave() - a socket has no connection any more
 * @conn: the connection, its lock held; the caller owns the socket
 */
void __prp_cgroup_leave(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->rx.charged != PRP_CGROUP_NONE)
		cgroup_uncharge(conn, 0);
	conn->rx.charged = PRP_CGROUP_NONE;
}
