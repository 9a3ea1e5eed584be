// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the rails to each node; see way.h. Who leaves a rail and
 * when is failover.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/slab.h>

#include "network/way.h"
#include "see/peer.h"
#include "see/trace.h"
#include "transport/timers.h"

#define TEST_TICKS (PRP_WAY_TEST_MS * PRP_TICKS_MS)

/* The entry of a node of the table, made if need be, or NULL without memory or
 * node. A table that is published from now on finds the entry when it looks
 * for those to be freed.
 */
static struct prp_way *way_find(struct prp_net *pn, u16 node)
{
	struct prp_way *way = xa_load(&pn->ways, node);

	lockdep_assert_held(&pn->ways.xa_lock);
	if (way || !prp_table_node(rcu_dereference_bh(pn->table), node))
		return way;
	way = kzalloc(sizeof(*way), GFP_ATOMIC | __GFP_NOWARN);
	if (way && xa_err(__xa_store(&pn->ways, node, way,
				     GFP_ATOMIC | __GFP_NOWARN))) {
		kfree(way);
		way = NULL;
	}
	if (way)
		prp_mib_inc(pn, PRP_LIVE_WAYS);
	return way;
}

static void way_free(struct prp_net *pn, struct prp_way *way)
{
	prp_mib_dec(pn, PRP_LIVE_WAYS);
	kfree_rcu(way, rcu);
}

/**
 * prp_way_leave() - a rail to a node is to be used no more
 * @pn: namespace
 * @node: number of the node
 * @rail: the rail
 * @why: reason
 * @now: tick
 *
 * Return: false if it was left before, or if there is no memory to remember
 * that: then it is found again.
 */
bool prp_way_leave(struct prp_net *pn, u16 node, u8 rail, enum prp_left why,
		   u64 now)
{
	struct prp_way_rail *known;
	struct prp_way *way;
	bool first = false;

	xa_lock_bh(&pn->ways);
	way = way_find(pn, node);
	if (way && !(way->left & BIT(rail))) {
		first = true;
		known = &way->rail[rail];
		known->why = why;
		known->times++;
		known->left_tick = now;
		known->back_tick = 0;
		WRITE_ONCE(known->test_tick, now + TEST_TICKS);
		WRITE_ONCE(way->left, way->left | BIT(rail));
	}
	xa_unlock_bh(&pn->ways);
	if (!first)
		return false;
	prp_mib_inc(pn, PRP_MIB_RAILS_LEFT);
	trace_prp_rail(pn, node, rail, why);
	prp_peer_way_changed(pn, node);
	return true;
}

/**
 * prp_way_answered() - a node has answered on a rail that was left
 * @pn: namespace
 * @node: number of the node
 * @rail: the rail, which is taken back
 * @now: tick
 */
void prp_way_answered(struct prp_net *pn, u16 node, u8 rail, u64 now)
{
	struct prp_way *way;
	bool back = false;

	xa_lock_bh(&pn->ways);
	way = xa_load(&pn->ways, node);
	if (way && way->left & BIT(rail)) {
		back = true;
		way->rail[rail].back_tick = now;
		WRITE_ONCE(way->left, way->left & ~BIT(rail));
	}
	xa_unlock_bh(&pn->ways);
	if (!back)
		return;
	prp_mib_inc(pn, PRP_MIB_RAILS_BACK);
	trace_prp_rail(pn, node, rail, PRP_LEFT_NOT);
	prp_peer_way_changed(pn, node);
}

/**
 * prp_way_tests() - which rails are to be tested now
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 * @rails: bit r: rail r can be tested
 * @now: tick
 *
 * However many connections ask, a rail is tested once in PRP_WAY_TEST_MS.
 *
 * Return: bit r: the caller is to test rail r, which was left.
 */
u8 prp_way_tests(struct prp_net *pn, u16 node, u8 rails, u64 now)
{
	struct prp_way *way = xa_load(&pn->ways, node);
	unsigned int r;
	u8 due = 0;

	for (r = 0; way && r < PRP_RAILS; r++)
		if (rails & BIT(r) && now >= READ_ONCE(way->rail[r].test_tick))
			due |= BIT(r);
	if (!due)
		return 0;
	due = 0;
	xa_lock_bh(&pn->ways);
	way = xa_load(&pn->ways, node);
	for (r = 0; way && r < PRP_RAILS; r++) {
		if (!(way->left & rails & BIT(r)) ||
		    now < way->rail[r].test_tick)
			continue;
		WRITE_ONCE(way->rail[r].test_tick, now + TEST_TICKS);
		due |= BIT(r);
	}
	xa_unlock_bh(&pn->ways);
	return due;
}

/**
 * prp_way_set_size() - it was found what a rail to a node carries
 * @pn: namespace
 * @node: number of the node
 * @rail: the rail
 * @size: longest payload that passes, bytes; 0 if all that our device sends
 * @now: tick
 */
void prp_way_set_size(struct prp_net *pn, u16 node, u8 rail, u16 size, u64 now)
{
	struct prp_way_rail *known;
	struct prp_way *way;

	xa_lock_bh(&pn->ways);
	way = way_find(pn, node);
	if (way) {
		known = &way->rail[rail];
		WRITE_ONCE(known->size_tick, now);
		WRITE_ONCE(known->size, size);
		known->search_ticks = PRP_WAY_SEARCH_MS * PRP_TICKS_MS;
		known->search_tick = now + known->search_ticks;
	}
	xa_unlock_bh(&pn->ways);
	prp_mib_inc(pn, PRP_MIB_SIZES_FOUND);
	prp_peer_way_changed(pn, node);
}

/**
 * prp_way_keep_size() - what was found a rail to carry was found again
 * @pn: namespace
 * @node: number of the node
 * @rail: the rail
 * @now: tick
 */
void prp_way_keep_size(struct prp_net *pn, u16 node, u8 rail, u64 now)
{
	struct prp_way *way;

	xa_lock_bh(&pn->ways);
	way = xa_load(&pn->ways, node);
	if (way && way->rail[rail].size)
		WRITE_ONCE(way->rail[rail].size_tick, now);
	xa_unlock_bh(&pn->ways);
}

/**
 * prp_way_may_search() - is a longer frame to be tried now?
 * @pn: namespace
 * @node: number of the node
 * @rail: the rail
 * @now: tick
 *
 * However many connections ask, one of them is told so, and more and more
 * rarely as long as nothing is found.
 *
 * Return: true if the caller is to try.
 */
bool prp_way_may_search(struct prp_net *pn, u16 node, u8 rail, u64 now)
{
	struct prp_way_rail *known;
	struct prp_way *way;
	bool may = false;

	xa_lock_bh(&pn->ways);
	way = xa_load(&pn->ways, node);
	known = way ? &way->rail[rail] : NULL;
	if (known && known->size && now >= known->search_tick) {
		may = true;
		known->search_ticks =
			min_t(u32, 2 * known->search_ticks,
			      PRP_WAY_SEARCH_MS_MAX * PRP_TICKS_MS);
		known->search_tick = now + known->search_ticks;
	}
	xa_unlock_bh(&pn->ways);
	return may;
}

/**
 * prp_way_size_rcu() - what a rail to a node was found to carry
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 * @rail: the rail
 * @now: tick
 *
 * What nobody has asked for again for long is forgotten.
 *
 * Return: payload, bytes; 0 if nothing was found.
 */
u16 prp_way_size_rcu(const struct prp_net *pn, u16 node, u8 rail, u64 now)
{
	const struct prp_way_rail *known;
	const struct prp_way *way;

	if (likely(xa_empty(&pn->ways)))
		return 0;
	way = xa_load((struct xarray *)&pn->ways, node);
	if (!way)
		return 0;
	known = &way->rail[rail];
	if (now > READ_ONCE(known->size_tick) +
			  2ULL * PRP_WAY_SEARCH_MS_MAX * PRP_TICKS_MS)
		return 0;
	return READ_ONCE(known->size);
}

/**
 * prp_way_get() - what is known of the rails to a node
 * @pn: namespace
 * @node: number of the node
 * @copy: where to, but for its rcu
 *
 * Nothing is written if none was ever left.
 */
void prp_way_get(struct prp_net *pn, u16 node, struct prp_way *copy)
{
	const struct prp_way *way;

	xa_lock_bh(&pn->ways);
	way = xa_load(&pn->ways, node);
	if (way) {
		copy->left = way->left;
		memcpy(copy->rail, way->rail, sizeof(copy->rail));
	}
	xa_unlock_bh(&pn->ways);
}

/**
 * prp_way_table_changed() - forget nodes that are not what they were
 * @pn: namespace, its table_mutex held
 * @old: table until now
 * @now: table in force
 */
void prp_way_table_changed(struct prp_net *pn, const struct prp_table *old,
			   const struct prp_table *now)
{
	struct prp_way *way;
	unsigned long number;
	unsigned int r;

	lockdep_assert_held(&pn->table_mutex);
	/* who has seen the old table has stored by now what we shall see */
	xa_lock_bh(&pn->ways);
	xa_unlock_bh(&pn->ways);
	xa_for_each(&pn->ways, number, way) {
		if (!prp_table_same_machine(old, now, number)) {
			way_free(pn, xa_erase_bh(&pn->ways, number));
			continue;
		}
		/* the way there may be another one */
		xa_lock_bh(&pn->ways);
		for (r = 0; r < PRP_RAILS; r++)
			WRITE_ONCE(way->rail[r].size, 0);
		xa_unlock_bh(&pn->ways);
	}
}

/**
 * prp_way_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_way_net_init(struct prp_net *pn)
{
	xa_init_flags(&pn->ways, XA_FLAGS_LOCK_BH);
}

/**
 * prp_way_net_exit() - forget all
 * @pn: namespace; it has no connections any more
 */
void prp_way_net_exit(struct prp_net *pn)
{
	struct prp_way *way;
	unsigned long number;

	xa_for_each(&pn->ways, number, way)
		way_free(pn, way);
	xa_destroy(&pn->ways);
}
