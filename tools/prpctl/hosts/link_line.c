// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of prphosts(5): a line that is a link. Its hosts may come later
 * in the file, so that it is checked when all of them are known.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/parser.h"

#include <stdlib.h>
#include <string.h>

/* Which column of a line */
enum { AT_LINK, AT_END, AT_RAIL = 3 };

/**
 * link_line_parse() - parse "link NODE NODE [rail NUMBER]"
 * @p: parser
 * @field: fields of the line, of which at most FIELDS_MAX + 1 are there
 * @fields: how many
 */
void link_line_parse(struct parser *p, const struct slice *field,
		     unsigned int fields)
{
	long rail = PRPHOSTS_ALL_RAILS;
	struct link_line *l;
	unsigned int i;

	if (fields != 3 && !(fields == 5 && slice_equals(field[3], "rail"))) {
		i = fields < 4 ? fields - 1 : 3;
		parser_fail(p, p->line, parser_column(p, field[i].at),
			    "a link line is \"link NODE NODE [rail NUMBER]\"");
		return;
	}
	if (fields == 5) {
		rail = slice_number(field[4], PRPHOSTS_RAILS - 1);
		if (rail < 0) {
			parser_fail(p, p->line, parser_column(p, field[4].at),
				    "rail \"%s\" is not in 0 to %d",
				    slice_quote(field[4]).text,
				    PRPHOSTS_RAILS - 1);
			return;
		}
	}
	l = parser_grow(p, &p->link, sizeof(*l), &p->links, &p->link_room);
	if (!l)
		return;
	l->line = p->line;
	for (i = 0; i < 3; i++)
		l->column[i] = parser_column(p, field[i].at);
	if (fields == 5)
		l->column[AT_RAIL] = parser_column(p, field[4].at);
	l->end[0] = field[1];
	l->end[1] = field[2];
	l->rail = rail;
}

/* ---- finding hosts ---- */

/* All hosts, twice */
struct index {
	const struct prphosts_node **by_number;
	const struct prphosts_node **by_name;
	size_t count;
};

static int compare_numbers(const void *left, const void *right)
{
	const struct prphosts_node *const *a = left, *const *b = right;

	return (int)(*a)->number - (int)(*b)->number;
}

static int compare_names(const void *left, const void *right)
{
	const struct prphosts_node *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

static bool index_make(struct index *index, const struct prphosts *hosts)
{
	size_t i;

	index->count = hosts->nodes;
	index->by_number = reallocarray(NULL, hosts->nodes + 1,
					2 * sizeof(*index->by_number));
	if (!index->by_number)
		return false;
	index->by_name = index->by_number + hosts->nodes;
	for (i = 0; i < hosts->nodes; i++) {
		index->by_number[i] = &hosts->node[i];
		index->by_name[i] = &hosts->node[i];
	}
	qsort(index->by_number, index->count, sizeof(*index->by_number),
	      compare_numbers);
	qsort(index->by_name, index->count, sizeof(*index->by_name),
	      compare_names);
	return true;
}

static const struct prphosts_node *index_find(const struct index *index,
					      struct slice s)
{
	const struct prphosts_node *const *found;
	const struct prphosts_node *key;
	struct prphosts_node want = { 0 };
	long number;

	key = &want;
	number = slice_number(s, PRPHOSTS_NUMBER_MAX);
	if (number > 0) {
		want.number = number;
		found = bsearch(&key, index->by_number, index->count,
				sizeof(key), compare_numbers);
	} else if (s.len < sizeof(want.name)) {
		memcpy(want.name, s.at, s.len);
		found = bsearch(&key, index->by_name, index->count, sizeof(key),
				compare_names);
	} else {
		return NULL;
	}
	return found ? *found : NULL;
}

/* ---- checking one ---- */

static bool find_ends(struct parser *p, const struct index *index,
		      const struct link_line *l,
		      const struct prphosts_node *node[2])
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		node[i] = index_find(index, l->end[i]);
		if (!node[i])
			parser_fail(p, l->line, l->column[AT_END + i],
				    "node \"%s\" is not in this file",
				    slice_quote(l->end[i]).text);
	}
	return node[0] && node[1];
}

/* A host whose line is bad may have any rail. */
static bool may_have(const struct prphosts_node *node, int rail)
{
	return !node->rails || node->rails & 1 << rail;
}

static bool check_rail(struct parser *p, const struct link_line *l,
		       const struct prphosts_node *const node[2])
{
	bool good = true;
	unsigned int i;

	if (l->rail == PRPHOSTS_ALL_RAILS) {
		if (!node[0]->rails || !node[1]->rails ||
		    node[0]->rails & node[1]->rails)
			return true;
		parser_fail(p, l->line, l->column[AT_LINK],
			    "nodes %u and %u have no rail in common",
			    node[0]->number, node[1]->number);
		return false;
	}
	for (i = 0; i < 2; i++) {
		if (may_have(node[i], l->rail))
			continue;
		parser_fail(p, l->line, l->column[AT_RAIL],
			    "node %u has no address on rail %d",
			    node[i]->number, l->rail);
		good = false;
	}
	return good;
}

static void check_one(struct parser *p, const struct index *index,
		      const struct link_line *l, size_t *room)
{
	const struct prphosts_node *node[2];
	struct prphosts_link *link;
	bool swap;

	if (!find_ends(p, index, l, node))
		return;
	if (node[0] == node[1]) {
		parser_fail(p, l->line, l->column[AT_END + 1],
			    "a link from node %u to itself", node[0]->number);
		return;
	}
	if (!check_rail(p, l, node))
		return;
	link = parser_grow(p, &p->hosts->link, sizeof(*link), &p->hosts->links,
			   room);
	if (!link)
		return;
	swap = node[0]->number > node[1]->number;
	link->node = node[swap]->number;
	link->peer = node[!swap]->number;
	link->rail = l->rail;
	link->line = l->line;
	link->column = l->column[AT_LINK];
}

/* ---- checking that none is there twice ---- */

static int compare_places(const void *left, const void *right)
{
	const struct prphosts_link *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* Links of one pair of hosts, in the order of the file */
static void check_pair(struct parser *p, const struct prphosts_link *link,
		       size_t count)
{
	const struct prphosts_link *seen[1 + PRPHOSTS_RAILS] = { NULL };
	const struct prphosts_link *first;
	size_t i;
	int r;

	for (i = 0; i < count; i++) {
		first = seen[0];
		for (r = 0; !first && r < PRPHOSTS_RAILS; r++)
			if (link[i].rail == r ||
			    link[i].rail == PRPHOSTS_ALL_RAILS)
				first = seen[1 + r];
		if (!first) {
			seen[1 + link[i].rail] = &link[i];
		} else if (first->rail == PRPHOSTS_ALL_RAILS) {
			parser_fail(p, link[i].line, link[i].column,
				    "line %u links nodes %u and %u on all rails",
				    first->line, first->node, first->peer);
		} else {
			parser_fail(p, link[i].line, link[i].column,
				    "line %u links nodes %u and %u on rail %d",
				    first->line, first->node, first->peer,
				    first->rail);
		}
	}
}

static void check_twice(struct parser *p)
{
	const struct prphosts_link *link = p->hosts->link;
	size_t i, begin = 0;

	for (i = 1; i <= p->hosts->links; i++) {
		if (i < p->hosts->links && link[i].node == link[begin].node &&
		    link[i].peer == link[begin].peer)
			continue;
		check_pair(p, link + begin, i - begin);
		begin = i;
	}
}

/**
 * link_line_check_all() - check all links, and add them to the hosts
 * @p: parser, which has seen the whole file
 */
void link_line_check_all(struct parser *p)
{
	struct index index;
	size_t i, room = 0;

	if (!p->links)
		return;
	if (!index_make(&index, p->hosts)) {
		p->no_memory = true;
		return;
	}
	for (i = 0; i < p->links && !p->no_memory; i++)
		check_one(p, &index, &p->link[i], &room);
	free(index.by_number);
	if (p->no_memory || !p->hosts->links)
		return;
	qsort(p->hosts->link, p->hosts->links, sizeof(*p->hosts->link),
	      compare_places);
	check_twice(p);
}
