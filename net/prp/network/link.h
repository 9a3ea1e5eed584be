/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The links of a host table while it is built. Where a table has links, only
 * linked nodes reach each other directly.
 */
#ifndef _PRP_LINK_H
#define _PRP_LINK_H

#include <linux/types.h>

struct netlink_ext_ack;
struct prp_table;
struct prp_table_change;

#define PRP_LINKS_MAX (1024 * 1024) /* a hypercube of 65536 has 2^19 */

int prp_link_add(struct prp_table *table, u16 node, u16 peer, u8 rail,
		 struct netlink_ext_ack *extack);
void prp_link_flush(struct prp_table *table);
void prp_link_drop_node(struct prp_table *table, u16 node);
int prp_link_copy(struct prp_table *to, const struct prp_table *from);
void prp_link_diff(const struct prp_table *old, const struct prp_table *now,
		   struct prp_table_change *change);
u32 prp_link_hash(const struct prp_table *table, u32 crc);

#endif /* _PRP_LINK_H */
