/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways: what connections have found out of the rails to each node, for all
 * connections with it. A node has an entry from the first time that one of
 * its rails is left or found to carry short frames only, until it leaves the
 * table.
 */
#ifndef _PRP_WAY_H
#define _PRP_WAY_H

#include <linux/types.h>
#include <linux/xarray.h>
#include <uapi/linux/prp_netlink.h>

#include "net.h"

#define PRP_WAY_TEST_MS 250 /* between two tests of a rail that was left */
#define PRP_WAY_SEARCH_MS 10000 /* until a size is searched for again ... */
#define PRP_WAY_SEARCH_MS_MAX \
	600000 /* ... doubled up to this: RFC 8899, 5.1.1 */

/**
 * struct prp_way_rail - what is known of a rail to a node
 * @left_tick: when it was last left, 0 if never
 * @back_tick: when it was taken back after that, 0 if it was not
 * @test_tick: when it may be tested next
 * @times: how often it was left
 * @why: enum prp_left of the last time
 * @size: longest payload that was found to pass, bytes; 0 if all do
 * @size_tick: when that was found
 * @search_tick: when to search for more next
 * @search_ticks: after how long to do so then
 */
struct prp_way_rail {
	u64 left_tick;
	u64 back_tick;
	u64 test_tick;
	u32 times;
	u8 why;
	u16 size;
	u64 size_tick;
	u64 search_tick;
	u32 search_ticks;
};

/**
 * struct prp_way - the rails to a node [prp_net.ways lock to write]
 * @rcu: frees it after its last reader
 * @left: bit r: rail r is left; read without the lock
 * @rail: by number
 */
struct prp_way {
	struct rcu_head rcu;
	u8 left;
	struct prp_way_rail rail[PRP_RAILS];
};

bool prp_way_leave(struct prp_net *pn, u16 node, u8 rail, enum prp_left why,
		   u64 now);
void prp_way_answered(struct prp_net *pn, u16 node, u8 rail, u64 now);
u8 prp_way_tests(struct prp_net *pn, u16 node, u8 rails, u64 now);
void prp_way_set_size(struct prp_net *pn, u16 node, u8 rail, u16 size, u64 now);
void prp_way_keep_size(struct prp_net *pn, u16 node, u8 rail, u64 now);
bool prp_way_may_search(struct prp_net *pn, u16 node, u8 rail, u64 now);
u16 prp_way_size_rcu(const struct prp_net *pn, u16 node, u8 rail, u64 now);
void prp_way_get(struct prp_net *pn, u16 node, struct prp_way *copy);
void prp_way_table_changed(struct prp_net *pn, const struct prp_table *old,
			   const struct prp_table *now);
void prp_way_net_init(struct prp_net *pn);
void prp_way_net_exit(struct prp_net *pn);

/**
 * prp_way_left_rcu() - which rails to a node are not to be used
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: number of the node
 *
 * Return: bit r: rail r was left; it may be used all the same if there is no
 * other.
 */
static inline u8 prp_way_left_rcu(const struct prp_net *pn, u16 node)
{
	const struct prp_way *way;

	if (likely(xa_empty(&pn->ways)))
		return 0;
	way = xa_load((struct xarray *)&pn->ways, node);
	return way ? READ_ONCE(way->left) : 0;
}

#endif /* _PRP_WAY_H */
