// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the kernel's host table with a file.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void diff_nodes(const struct table *old, const struct prphosts *new,
		       struct diff *diff)
{
	size_t i = 0, j = 0;

	while (i < old->nodes || j < new->nodes) {
		const struct prphosts_node *a = NULL, *b = NULL;

		if (i < old->nodes)
			a = &old->node[i];
		if (j < new->nodes)
			b = &new->node[j];
		if (a && b && a->number < b->number)
			b = NULL;
		else if (a && b && a->number > b->number)
			a = NULL;
		i += !!a;
		j += !!b;
		if (a && b && prphosts_same(a, b)) {
			diff->unchanged++;
			continue;
		}
		diff->added += !a;
		diff->removed += !b;
		diff->changed += a && b;
		diff->entry[diff->entries++] = (struct difference){ a, b };
	}
}

static void diff_links(const struct table *old, const struct prphosts *new,
		       struct diff *diff)
{
	size_t i = 0, j = 0;

	while (i < old->links || j < new->links) {
		const struct prphosts_link *a = NULL, *b = NULL;
		int order;

		if (i < old->links)
			a = &old->link[i];
		if (j < new->links)
			b = &new->link[j];
		order = a && b ? prphosts_link_compare(a, b) : 0;
		if (order < 0)
			b = NULL;
		else if (order > 0)
			a = NULL;
		i += !!a;
		j += !!b;
		if (a && b)
			continue;
		diff->links_added += !a;
		diff->links_removed += !b;
		diff->link[diff->links++] = (struct link_difference){ a, b };
	}
}

/**
 * diff_make() - compare the kernel's hosts and links with those of a file
 * @diff: filled in; it points at their hosts and links
 * @old: the kernel's
 * @new: the file's
 *
 * Return: 0 or -ENOMEM.
 */
int diff_make(struct diff *diff, const struct table *old,
	      const struct prphosts *new)
{
	memset(diff, 0, sizeof(*diff));
	diff->entry = reallocarray(NULL, old->nodes + new->nodes + 1,
				   sizeof(*diff->entry));
	diff->link = reallocarray(NULL, old->links + new->links + 1,
				  sizeof(*diff->link));
	if (!diff->entry || !diff->link) {
		diff_free(diff);
		return -ENOMEM;
	}
	diff_nodes(old, new, diff);
	diff_links(old, new, diff);
	return 0;
}

/**
 * diff_free() - free a comparison
 * @diff: what diff_make() filled in
 */
void diff_free(struct diff *diff)
{
	free(diff->entry);
	free(diff->link);
	memset(diff, 0, sizeof(*diff));
}
