/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes: the next node on the way to each node. A table without links in a
 * namespace without overrides has none: all its nodes are neighbours.
 */
#ifndef _PRP_ROUTE_H
#define _PRP_ROUTE_H

#include <linux/if_ether.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "pure/path.h"

struct netlink_ext_ack;
struct prp_net;
struct prp_table;
struct xarray;

/**
 * struct prp_routes - the routes of a table [const after publish]
 * @rcu: frees it after its last reader
 * @forwarders: hash table of the nodes from which we take frames of others,
 *	by hardware address, once for each rail; 0 is an empty slot
 * @mask: slots of @forwarders - 1; a power of two
 * @size: one more than the largest node number
 * @path: by node number
 */
struct prp_routes {
	struct rcu_head rcu;
	u16 *forwarders;
	u32 mask;
	u32 size;
	struct prp_path path[];
};

/**
 * prp_route() - look the way to a node up
 * @routes: routes of a table; the caller is in an RCU read section or holds
 *	table_mutex
 * @node: number of the node
 *
 * Return: the path; its next is 0 if there is no way.
 */
static inline const struct prp_path *prp_route(const struct prp_routes *routes,
					       u16 node)
{
	return &routes->path[node < routes->size ? node : 0];
}

int prp_route_build(struct prp_net *pn, struct prp_table *table,
		    struct xarray *overrides);
void prp_route_free(struct prp_routes *routes);
bool prp_route_may_forward(const struct prp_table *table, u8 rail,
			   const u8 *source);
bool prp_route_is_direct(const struct prp_table *table, u16 node);
int prp_route_set(struct prp_net *pn, u16 node, u16 via,
		  struct netlink_ext_ack *extack);
int prp_route_del(struct prp_net *pn, u16 node, struct netlink_ext_ack *extack);
int prp_route_flush(struct prp_net *pn);
void prp_route_net_init(struct prp_net *pn);
void prp_route_net_exit(struct prp_net *pn);

#endif /* _PRP_ROUTE_H */
