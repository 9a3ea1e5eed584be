/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the parser share: parse.c has the lines, host_line.c and
 * link_line.c what is on them, and all of them add to what parser.c keeps. As
 * pure as parse.h.
 */
#ifndef _PRPCTL_PARSER_H
#define _PRPCTL_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "hosts/parse.h"
#include "hosts/slice.h"

#define FIELDS_MAX (3 + PRPHOSTS_IPS)

/**
 * struct link_line - a link line, kept until all hosts are known
 * @line: line of the file
 * @column: of "link", of both hosts, and of the rail
 * @end: both hosts, as the file has them
 * @rail: rail, or PRPHOSTS_ALL_RAILS
 */
struct link_line {
	unsigned int line;
	unsigned int column[4];
	struct slice end[2];
	int rail;
};

/**
 * struct parser - all that the parser knows
 * @hosts: what it makes
 * @node_room: how many hosts there is memory for
 * @error_room: how many errors
 * @link: link lines
 * @links: how many
 * @link_room: how many there is memory for
 * @line: number of the line, from 1
 * @begin: its first byte
 * @no_memory: it ran out of memory
 */
struct parser {
	struct prphosts *hosts;
	size_t node_room;
	size_t error_room;
	struct link_line *link;
	size_t links;
	size_t link_room;
	unsigned int line;
	const char *begin;
	bool no_memory;
};

void *parser_grow(struct parser *p, void *array, size_t size, size_t *count,
		  size_t *room);
void parser_fail(struct parser *p, unsigned int line, unsigned int column,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

void host_line_parse(struct parser *p, const struct slice *field,
		     unsigned int fields);
void link_line_parse(struct parser *p, const struct slice *field,
		     unsigned int fields);
void link_line_check_all(struct parser *p);

/**
 * parser_column() - where is something on the line that is being parsed
 * @p: parser
 * @at: a byte of the line, or the one behind it
 *
 * Return: its column in bytes, from 1.
 */
static inline unsigned int parser_column(const struct parser *p, const char *at)
{
	return at - p->begin + 1;
}

#endif /* _PRPCTL_PARSER_H */
