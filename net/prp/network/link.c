// SPDX-License-Identifier: GPL-2.0
/*
 * Links of a host table that is being built: added, compared, hashed; see
 * link.h. What follows from them is computed in path.c.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/crc32.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "network/link.h"
#include "network/table.h"
#include "pure/path.h"

/* Index of the first link that is not before @link. */
static u32 link_position(const struct prp_table *table,
			 const struct prp_link *link)
{
	u32 low = 0, high = table->link_count;

	/* a file lists them in order, more often than not */
	if (high && prp_path_compare(&table->links[high - 1], link) < 0)
		return high;
	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (prp_path_compare(&table->links[mid], link) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool link_joins(const struct prp_link *a, const struct prp_link *b)
{
	return a->node == b->node && a->peer == b->peer;
}

/* Is a rail of this link linked between the two already? */
static bool link_overlaps(const struct prp_table *table,
			  const struct prp_link *link, u32 at)
{
	u32 i;

	for (i = at; i && link_joins(&table->links[i - 1], link); i--)
		if (table->links[i - 1].rails & link->rails)
			return true;
	for (i = at; i < table->link_count; i++) {
		if (!link_joins(&table->links[i], link))
			break;
		if (table->links[i].rails & link->rails)
			return true;
	}
	return false;
}

static int link_make_room(struct prp_table *table,
			  struct netlink_ext_ack *extack)
{
	struct prp_link *links;
	u32 room;

	if (table->link_count < table->link_room)
		return 0;
	if (table->link_count >= PRP_LINKS_MAX) {
		NL_SET_ERR_MSG(extack, "the host table has too many links");
		return -E2BIG;
	}
	room = max(2 * table->link_room, 16U);
	links = kvmalloc_array(room, sizeof(*links), GFP_KERNEL_ACCOUNT);
	if (!links)
		return -ENOMEM;
	if (table->link_count)
		memcpy(links, table->links, table->link_count * sizeof(*links));
	kvfree(table->links);
	table->links = links;
	table->link_room = room;
	return 0;
}

/* The rails of a link, 0 with the reason told if there are none. */
static u8 link_rails(const struct prp_table *table, const struct prp_link *link,
		     struct netlink_ext_ack *extack)
{
	const struct prp_node *node = prp_table_node(table, link->node);
	const struct prp_node *peer = prp_table_node(table, link->peer);
	u8 rails;

	if (!node || !peer) {
		NL_SET_ERR_MSG(extack, "no node has this number");
		return 0;
	}
	rails = node->rails & peer->rails;
	if (link->rail != PRP_LINK_ALL)
		rails &= BIT(link->rail);
	if (!rails)
		NL_SET_ERR_MSG(extack,
			       "the two nodes do not both have that rail");
	return rails;
}

/**
 * prp_link_add() - add a link to a table that is being built
 * @table: table, not published
 * @node: number of one node
 * @peer: number of the other
 * @rail: rail, or PRP_LINK_ALL for all that both have
 * @extack: told why not
 *
 * Return: 0; -EINVAL for a node linked to itself; -ENOENT without node or
 * rail; -EEXIST if a rail of it is linked already; -E2BIG; -ENOMEM.
 */
int prp_link_add(struct prp_table *table, u16 node, u16 peer, u8 rail,
		 struct netlink_ext_ack *extack)
{
	struct prp_link link = {
		.node = min(node, peer),
		.peer = max(node, peer),
		.rail = rail,
	};
	int err;
	u32 at;

	if (node == peer) {
		NL_SET_ERR_MSG(extack, "a node is not linked to itself");
		return -EINVAL;
	}
	link.rails = link_rails(table, &link, extack);
	if (!link.rails)
		return -ENOENT;
	at = link_position(table, &link);
	if (link_overlaps(table, &link, at)) {
		NL_SET_ERR_MSG(extack, "these nodes are linked there already");
		return -EEXIST;
	}
	err = link_make_room(table, extack);
	if (err)
		return err;
	memmove(&table->links[at + 1], &table->links[at],
		(table->link_count - at) * sizeof(link));
	table->links[at] = link;
	table->link_count++;
	return 0;
}

/**
 * prp_link_flush() - remove all links of a table
 * @table: not published, or not any more
 */
void prp_link_flush(struct prp_table *table)
{
	kvfree(table->links);
	table->links = NULL;
	table->link_count = 0;
	table->link_room = 0;
}

/**
 * prp_link_drop_node() - remove the links of a node that goes
 * @table: table, not published
 * @node: its number
 */
void prp_link_drop_node(struct prp_table *table, u16 node)
{
	u32 from, to = 0;

	for (from = 0; from < table->link_count; from++) {
		const struct prp_link *link = &table->links[from];

		if (link->node != node && link->peer != node)
			table->links[to++] = *link;
	}
	table->link_count = to;
}

/**
 * prp_link_copy() - give a table the links of another
 * @to: table without links, not published
 * @from: the other one
 *
 * Return: 0 or -ENOMEM.
 */
int prp_link_copy(struct prp_table *to, const struct prp_table *from)
{
	if (!from->link_count)
		return 0;
	to->links = kvmalloc_array(from->link_count, sizeof(*to->links),
				   GFP_KERNEL_ACCOUNT);
	if (!to->links)
		return -ENOMEM;
	memcpy(to->links, from->links, from->link_count * sizeof(*to->links));
	to->link_count = from->link_count;
	to->link_room = from->link_count;
	return 0;
}

/**
 * prp_link_diff() - count the links in which two tables differ
 * @old: one table
 * @now: the other
 * @change: its links_added and links_removed are filled in
 */
void prp_link_diff(const struct prp_table *old, const struct prp_table *now,
		   struct prp_table_change *change)
{
	u32 i = 0, j = 0;

	while (i < old->link_count || j < now->link_count) {
		int order =
			i == old->link_count ? 1 :
			j == now->link_count ? -1 :
					       prp_path_compare(&old->links[i],
								&now->links[j]);

		change->links_removed += order < 0;
		change->links_added += order > 0;
		i += order <= 0;
		j += order >= 0;
	}
}

/**
 * prp_link_hash() - hash a table's links
 * @table: table
 * @crc: CRC-32 so far, not inverted
 *
 * Return: CRC-32 of that and, for each link in order, both numbers in
 * network byte order and the rail.
 */
u32 prp_link_hash(const struct prp_table *table, u32 crc)
{
	u32 i;

	for (i = 0; i < table->link_count; i++) {
		const struct prp_link *link = &table->links[i];
		u8 bytes[] = { link->node >> 8, link->node, link->peer >> 8,
			       link->peer, link->rail };

		crc = crc32_le(crc, bytes, sizeof(bytes));
	}
	return crc;
}
