/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The index of claims, which finds duplicates while a table is built. Only
 * table.c calls it, with a table that nobody else can see.
 */
#ifndef _PRP_INDEX_H
#define _PRP_INDEX_H

struct netlink_ext_ack;
struct prp_index;
struct prp_node;
struct prp_table;

int prp_index_add(struct prp_index *index, const struct prp_node *node,
		  struct netlink_ext_ack *extack);
void prp_index_del(struct prp_index *index, const struct prp_node *node);
void prp_index_free(struct prp_table *table);
int prp_index_build(struct prp_table *table, struct netlink_ext_ack *extack);

#endif /* _PRP_INDEX_H */
