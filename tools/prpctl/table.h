/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's host table: fetched, compared with another one and changed.
 */
#ifndef _PRPCTL_TABLE_H
#define _PRPCTL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

#include "nl.h"
#include "parse.h"

/**
 * struct table - the kernel's host table
 * @node: hosts, sorted by number
 * @nodes: how many
 * @room: how many @node has memory for
 * @generation: counts the tables of the namespace
 * @hash: checksum of all hosts
 * @self: number of this machine, 0 if it has none
 * @ethertype: EtherType of the frames
 */
struct table {
	struct prphosts_node	*node;
	size_t			nodes;
	size_t			room;
	uint32_t		generation;
	uint32_t		hash;
	uint16_t		self;
	uint16_t		ethertype;
};

/**
 * struct difference - a host that is not the same in two tables
 * @old: the host in the old one, or NULL
 * @new: the host in the new one, or NULL
 */
struct difference {
	const struct prphosts_node *old;
	const struct prphosts_node *new;
};

/**
 * struct diff - all that is not the same in two tables
 * @entry: differences, sorted by number
 * @entries: how many: the sum of @added, @changed and @removed
 * @added: hosts only in the new one
 * @changed: hosts that differ
 * @removed: hosts only in the old one
 * @unchanged: hosts that are the same in both
 */
struct diff {
	struct difference	*entry;
	size_t			entries;
	size_t			added;
	size_t			changed;
	size_t			removed;
	size_t			unchanged;
};

/**
 * struct rail - a rail of this machine
 * @number: 0 to PRPHOSTS_RAILS - 1
 * @mac: address that the table gives this machine there
 * @ifname: device with the address, or an empty string
 * @up: the device is up
 * @carrier: the device has a link
 */
struct rail {
	unsigned int	number;
	uint8_t		mac[6];
	char		ifname[IF_NAMESIZE];
	bool		up;
	bool		carrier;
};

int table_fetch(struct nl *nl, struct table *table);
void table_free(struct table *table);
int table_diff(const struct table *old, const struct prphosts *new,
	       struct diff *diff);
void table_diff_free(struct diff *diff);
int table_change(struct nl *nl, uint32_t generation, const struct diff *diff,
		 uint32_t *ended, const struct prphosts_node **refused);
int table_rails(struct nl *nl, struct rail rail[PRPHOSTS_RAILS],
		unsigned int *rails);

#endif /* _PRPCTL_TABLE_H */
