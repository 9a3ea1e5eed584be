/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is not the same in two host tables.
 */
#ifndef _PRPCTL_DIFF_H
#define _PRPCTL_DIFF_H

#include <stddef.h>

#include "hosts/parse.h"
#include "kernel/table.h"

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
 * struct link_difference - a link that only one of two tables has
 * @old: the link in the old one, or NULL
 * @new: the link in the new one, or NULL
 */
struct link_difference {
	const struct prphosts_link *old;
	const struct prphosts_link *new;
};

/**
 * struct diff - all that is not the same in two tables
 * @entry: differences, sorted by number
 * @entries: how many: the sum of @added, @changed and @removed
 * @added: hosts only in the new one
 * @changed: hosts that differ
 * @removed: hosts only in the old one
 * @unchanged: hosts that are the same in both
 * @link: differences of the links, sorted
 * @links: how many: the sum of @links_added and @links_removed
 * @links_added: links only in the new one
 * @links_removed: links only in the old one
 */
struct diff {
	struct difference *entry;
	size_t entries;
	size_t added;
	size_t changed;
	size_t removed;
	size_t unchanged;
	struct link_difference *link;
	size_t links;
	size_t links_added;
	size_t links_removed;
};

int diff_make(struct diff *diff, const struct table *old,
	      const struct prphosts *new);
void diff_free(struct diff *diff);

#endif /* _PRPCTL_DIFF_H */
