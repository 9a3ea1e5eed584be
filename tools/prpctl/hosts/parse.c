// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of prphosts(5). All lines are looked at, whatever is wrong
 * with some of them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/parser.h"

#include <stdlib.h>
#include <string.h>

#include "hosts/unique.h"

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return: how many fields a line has; only FIELDS_MAX + 1 are kept. */
static unsigned int split(struct slice line, struct slice *field)
{
	unsigned int fields = 0;
	size_t i = 0, begin;

	while (fields <= FIELDS_MAX) {
		while (i < line.len && is_blank(line.at[i]))
			i++;
		if (i == line.len)
			break;
		begin = i;
		while (i < line.len && !is_blank(line.at[i]))
			i++;
		field[fields++] = (struct slice){ line.at + begin, i - begin };
	}
	return fields;
}

static void parse_line(struct parser *p, struct slice line)
{
	struct slice field[FIELDS_MAX + 1];
	const char *comment, *zero;
	unsigned int fields;

	zero = line.len ? memchr(line.at, 0, line.len) : NULL;
	if (zero) {
		parser_fail(p, p->line, parser_column(p, zero),
			    "the line has a zero byte");
		return;
	}
	comment = line.len ? memchr(line.at, '#', line.len) : NULL;
	if (comment)
		line.len = comment - line.at;
	fields = split(line, field);
	if (!fields)
		return;
	if (slice_equals(field[0], "link"))
		link_line_parse(p, field, fields);
	else
		host_line_parse(p, field, fields);
}

static void parse_lines(struct parser *p, struct slice rest)
{
	slice_skip_mark(&rest);
	while (rest.len && !p->no_memory) {
		const char *end = memchr(rest.at, '\n', rest.len);
		struct slice line = rest;

		if (end)
			line.len = end - rest.at;
		p->line++;
		p->begin = line.at;
		parse_line(p, line);
		rest.at += line.len + !!end;
		rest.len -= line.len + !!end;
	}
}

/* ---- the whole file ---- */

static void report_duplicate(unsigned int line, unsigned int column,
			     const char *text, void *data)
{
	parser_fail(data, line, column, "%s", text);
}

static int error_compare(const void *left, const void *right)
{
	const struct prphosts_error *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int node_compare(const void *left, const void *right)
{
	const struct prphosts_node *a = left, *b = right;

	return (int)a->number - (int)b->number;
}

/**
 * prphosts_parse() - parse a whole file
 * @hosts: filled in; prphosts_free() it whatever this returns
 * @text: the file; need not end with a zero
 * @len: its length, bytes
 *
 * Return: 0 if the file could be read, with or without errors in it; -1
 * without memory.
 */
int prphosts_parse(struct prphosts *hosts, const char *text, size_t len)
{
	struct parser p = { .hosts = hosts };

	memset(hosts, 0, sizeof(*hosts));
	parse_lines(&p, (struct slice){ text, len });
	if (!p.no_memory &&
	    unique_check(hosts->node, hosts->nodes, report_duplicate, &p))
		p.no_memory = true;
	if (!p.no_memory)
		link_line_check_all(&p);
	free(p.link);
	if (p.no_memory)
		return -1;
	if (hosts->errors)
		qsort(hosts->error, hosts->errors, sizeof(*hosts->error),
		      error_compare);
	if (hosts->nodes)
		qsort(hosts->node, hosts->nodes, sizeof(*hosts->node),
		      node_compare);
	if (hosts->links)
		qsort(hosts->link, hosts->links, sizeof(*hosts->link),
		      prphosts_link_compare);
	return 0;
}

/**
 * prphosts_free() - free what prphosts_parse() allocated
 * @hosts: what it filled in
 */
void prphosts_free(struct prphosts *hosts)
{
	free(hosts->node);
	free(hosts->link);
	free(hosts->error);
	memset(hosts, 0, sizeof(*hosts));
}

/**
 * prphosts_same() - are two hosts equal in all but their places
 * @a: one
 * @b: the other
 *
 * Return: whether they are.
 */
bool prphosts_same(const struct prphosts_node *a, const struct prphosts_node *b)
{
	return a->number == b->number && a->rails == b->rails &&
	       a->ip_count == b->ip_count && !strcmp(a->name, b->name) &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr)) &&
	       !memcmp(a->ip, b->ip, sizeof(a->ip));
}

/**
 * prphosts_link_compare() - order links, for qsort(3)
 * @left: one
 * @right: the other
 *
 * Return: below 0, 0 or above 0: by their hosts, then by rail.
 */
int prphosts_link_compare(const void *left, const void *right)
{
	const struct prphosts_link *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	return a->rail - b->rail;
}
