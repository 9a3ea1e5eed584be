/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing the kernel's host table.
 */
#ifndef _PRPCTL_CHANGE_H
#define _PRPCTL_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/diff.h"
#include "hosts/parse.h"
#include "kernel/nl.h"

/**
 * struct change - what to change in one transaction
 * @empty: begin with an empty table
 * @entry: hosts to remove, to add and to replace
 * @entries: how many
 * @flush_links: then remove all links
 * @link: then add these
 * @links: how many
 */
struct change {
	bool empty;
	const struct difference *entry;
	size_t entries;
	bool flush_links;
	const struct prphosts_link *link;
	size_t links;
};

/**
 * struct subject - what a request is about, if it is about one of these
 * @node: a host, or NULL
 * @link: a link, or NULL
 */
struct subject {
	const struct prphosts_node *node;
	const struct prphosts_link *link;
};

/**
 * struct outcome - what the kernel says of a change
 * @generation: of the table that is now in force
 * @removed: hosts that are not there any more
 * @ended: connections that ended
 * @links_removed: links that are not there any more
 */
struct outcome {
	uint32_t generation;
	uint32_t removed;
	uint32_t ended;
	uint32_t links_removed;
};

/* One try. Return: 0, a negative errno to try again, or an exit status. */
typedef int (*change_try)(struct nl *nl, void *data);

int change_commit(struct nl *nl, uint32_t generation,
		  const struct change *change, struct outcome *outcome,
		  struct subject *refused);
bool change_again(int err);
int change_retry(struct nl *nl, change_try try, void *data);

#endif /* _PRPCTL_CHANGE_H */
