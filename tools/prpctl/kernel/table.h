/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's host table.
 */
#ifndef _PRPCTL_TABLE_H
#define _PRPCTL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/parse.h"
#include "kernel/nl.h"

/**
 * struct table - the kernel's host table
 * @node: hosts, sorted by number
 * @nodes: how many
 * @room: how many @node has memory for
 * @link: links, sorted by prphosts_link_compare()
 * @links: how many
 * @link_room: how many @link has memory for
 * @generation: counts the tables of the namespace
 * @hash: checksum of all hosts
 * @self: number of this machine, 0 if it has none
 * @ethertype: EtherType of the frames
 * @forward: when frames for other hosts are passed on, enum prp_forward
 * @forwards: they are
 * @faults: hosts into whose frames faults are injected
 */
struct table {
	struct prphosts_node *node;
	size_t nodes;
	size_t room;
	struct prphosts_link *link;
	size_t links;
	size_t link_room;
	uint32_t generation;
	uint32_t hash;
	uint16_t self;
	uint16_t ethertype;
	uint8_t forward;
	bool forwards;
	uint32_t faults;
};

void table_take_head(const struct nlmsghdr *nlh, struct table *table);
int table_fetch_head(struct nl *nl, struct table *table);
int table_fetch(struct nl *nl, struct table *table);
void table_free(struct table *table);
const struct prphosts_node *table_node(const struct table *table,
				       uint16_t number);
const char *table_name(const struct table *table, uint16_t number);
const char *table_forward(const struct table *table);
const struct prphosts_node *table_find(const struct table *table,
				       const char *word);

#endif /* _PRPCTL_TABLE_H */
