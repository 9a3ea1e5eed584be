// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of prphosts(5). All lines are looked at, whatever is wrong
 * with some of them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "parse.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unique.h"

#define QUOTE_LEN	40	/* bytes of the file that an error may quote */
#define FIELDS_MAX	(3 + PRPHOSTS_IPS)

/* A piece of the text: not zero terminated */
struct slice {
	const char	*at;
	size_t		len;
};

/* A link line, kept until all nodes are known */
struct link {
	unsigned int	line;
	struct slice	end[2];
	int		rail;		/* -1: any */
};

/* All that the parser knows */
struct parser {
	struct prphosts	*hosts;
	size_t		node_room;
	size_t		error_room;
	struct link	*link;
	size_t		links;
	size_t		link_room;
	unsigned int	line;
	bool		no_memory;
};

/*
 * @array points at the pointer to a growing array.
 * Return: a zeroed element at its end, or NULL.
 */
static void *grow(struct parser *p, void *array, size_t size, size_t *count,
		  size_t *room)
{
	size_t want;
	char *base;

	memcpy(&base, array, sizeof(base));
	if (*count == *room) {
		want = *room ? *room * 2 : 64;
		base = reallocarray(base, want, size);
		if (!base) {
			p->no_memory = true;
			return NULL;
		}
		memcpy(array, &base, sizeof(base));
		*room = want;
	}
	return memset(base + (*count)++ * size, 0, size);
}

static void __attribute__((format(printf, 3, 4)))
fail(struct parser *p, unsigned int line, const char *format, ...)
{
	struct prphosts_error *error;
	va_list args;

	error = grow(p, &p->hosts->error, sizeof(*error), &p->hosts->errors,
		     &p->error_room);
	if (!error)
		return;
	error->line = line;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
}

/* A piece of the file that is safe to print */
struct quote {
	char	text[QUOTE_LEN + 4];
};

static struct quote quote(struct slice s)
{
	struct quote q;
	size_t i;

	for (i = 0; i < s.len && i < QUOTE_LEN; i++)
		q.text[i] = s.at[i] >= ' ' && s.at[i] <= '~' ? s.at[i] : '?';
	strcpy(q.text + i, s.len > QUOTE_LEN ? "..." : "");
	return q;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

static bool all_digits(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!is_digit(s.at[i]))
			return false;
	return s.len;
}

static bool equals(struct slice s, const char *word)
{
	return s.len == strlen(word) && !memcmp(s.at, word, s.len);
}

/* Return: the number, or -1 if it is none or larger than @max. */
static long to_number(struct slice s, long max)
{
	long value = 0;
	size_t i;

	if (!all_digits(s))
		return -1;
	for (i = 0; i < s.len; i++) {
		value = value * 10 + s.at[i] - '0';
		if (value > max)
			return -1;
	}
	return value;
}

static bool parse_number(struct parser *p, struct slice s,
			 struct prphosts_node *node)
{
	long value = to_number(s, PRPHOSTS_NUMBER_MAX);

	if (value > 0) {
		node->number = value;
		return true;
	}
	if (all_digits(s))
		fail(p, p->line, "node number %s is not in 1 to %d",
		     quote(s).text, PRPHOSTS_NUMBER_MAX);
	else
		fail(p, p->line, "\"%s\" is neither a node number nor \"link\"",
		     quote(s).text);
	return false;
}

static bool parse_name(struct parser *p, struct slice s,
		       struct prphosts_node *node)
{
	size_t i;

	if (s.len >= PRPHOSTS_NAME_LEN) {
		fail(p, p->line, "name \"%s\" is longer than %d characters",
		     quote(s).text, PRPHOSTS_NAME_LEN - 1);
		return false;
	}
	for (i = 0; i < s.len; i++) {
		if (!is_name(s.at[i])) {
			fail(p, p->line,
			     "name \"%s\" has more than letters, digits and . - _",
			     quote(s).text);
			return false;
		}
	}
	if (all_digits(s)) {
		fail(p, p->line, "name \"%s\" is a number", quote(s).text);
		return false;
	}
	memcpy(node->name, s.at, s.len);
	return true;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Six times one or two hexadecimal digits, with colons between them */
static bool to_mac(struct slice s, uint8_t mac[6])
{
	size_t i = 0;
	int byte;

	for (byte = 0; byte < 6; byte++) {
		int value;

		if (byte && (i == s.len || s.at[i++] != ':'))
			return false;
		if (i == s.len || hex_digit(s.at[i]) < 0)
			return false;
		value = hex_digit(s.at[i++]);
		if (i < s.len && hex_digit(s.at[i]) >= 0)
			value = value * 16 + hex_digit(s.at[i++]);
		mac[byte] = value;
	}
	return i == s.len;
}

static bool parse_mac(struct parser *p, struct slice s, unsigned int rail,
		      struct prphosts_node *node)
{
	static const uint8_t zero[6];
	uint8_t *mac = node->addr[rail];

	if (equals(s, "-"))
		return true;
	if (!s.len) {
		fail(p, p->line, "rail %u has no address; write - for none",
		     rail);
	} else if (!to_mac(s, mac)) {
		fail(p, p->line, "rail %u: \"%s\" is not a hardware address",
		     rail, quote(s).text);
	} else if (mac[0] & 1) {
		fail(p, p->line, "rail %u: %s is a multicast address", rail,
		     quote(s).text);
	} else if (!memcmp(mac, zero, sizeof(zero))) {
		fail(p, p->line, "rail %u: the address is zero", rail);
	} else {
		node->rails |= 1 << rail;
		return true;
	}
	memset(mac, 0, sizeof(zero));
	return false;
}

static bool parse_macs(struct parser *p, struct slice s,
		       struct prphosts_node *node)
{
	unsigned int rail = 0;
	bool more = true;

	while (more) {
		const char *comma = memchr(s.at, ',', s.len);
		struct slice one = s;

		more = comma;
		if (comma) {
			one.len = comma - s.at;
			s.len -= one.len + 1;
			s.at = comma + 1;
		}
		if (rail == PRPHOSTS_RAILS) {
			fail(p, p->line, "more than %d rails", PRPHOSTS_RAILS);
			return false;
		}
		if (!parse_mac(p, one, rail++, node))
			return false;
	}
	if (!node->rails)
		fail(p, p->line, "the node has no hardware address");
	return node->rails;
}

static bool ip4_is_one_machine(const uint8_t *ip)
{
	return ip[0] && ip[0] != 127 && (ip[0] & 0xf0) != 0xe0 &&
	       memcmp(ip, "\xff\xff\xff\xff", 4);
}

static bool ip6_is_one_machine(const uint8_t *ip)
{
	static const uint8_t zero[15];

	return ip[0] != 0xff && (memcmp(ip, zero, 15) || ip[15] > 1);
}

static bool parse_ip(struct parser *p, struct slice s,
		     struct prphosts_node *node)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t *ip = node->ip[node->ip_count];
	char text[INET6_ADDRSTRLEN] = "";
	bool good;

	if (s.len < sizeof(text))
		memcpy(text, s.at, s.len);
	if (inet_pton(AF_INET, text, ip + 12) == 1) {
		memcpy(ip, mapped, sizeof(mapped));
	} else if (inet_pton(AF_INET6, text, ip) != 1) {
		fail(p, p->line, "\"%s\" is not an IP address", quote(s).text);
		return false;
	}
	good = memcmp(ip, mapped, sizeof(mapped)) ? ip6_is_one_machine(ip) :
						    ip4_is_one_machine(ip + 12);
	if (!good) {
		fail(p, p->line, "IP address %s is not one machine's",
		     quote(s).text);
		return false;
	}
	node->ip_count++;
	return true;
}

/*
 * What a bad line has of good fields is kept, so that it is not reported
 * again as missing or is found as a duplicate.
 */
static void parse_node(struct parser *p, const struct slice *field,
		       unsigned int fields)
{
	struct prphosts_node *node;
	unsigned int i;

	node = grow(p, &p->hosts->node, sizeof(*node), &p->hosts->nodes,
		    &p->node_room);
	if (!node)
		return;
	node->line = p->line;
	if (!parse_number(p, field[0], node))
		return;
	if (fields < 2) {
		fail(p, p->line, "the name is missing");
		return;
	}
	if (!parse_name(p, field[1], node))
		return;
	if (fields < 3) {
		fail(p, p->line, "the hardware addresses are missing");
		return;
	}
	if (!parse_macs(p, field[2], node))
		return;
	if (fields > FIELDS_MAX) {
		fail(p, p->line, "more than %d IP addresses", PRPHOSTS_IPS);
		return;
	}
	for (i = 3; i < fields; i++)
		if (!parse_ip(p, field[i], node))
			return;
}

/* link A B [rail R] */
static void parse_link(struct parser *p, const struct slice *field,
		       unsigned int fields)
{
	struct link *link;
	long rail = -1;

	if (fields != 3 && !(fields == 5 && equals(field[3], "rail"))) {
		fail(p, p->line,
		     "a link line is \"link NODE NODE [rail NUMBER]\"");
		return;
	}
	if (fields == 5) {
		rail = to_number(field[4], PRPHOSTS_RAILS - 1);
		if (rail < 0) {
			fail(p, p->line, "rail \"%s\" is not in 0 to %d",
			     quote(field[4]).text, PRPHOSTS_RAILS - 1);
			return;
		}
	}
	link = grow(p, &p->link, sizeof(*link), &p->links, &p->link_room);
	if (!link)
		return;
	link->line = p->line;
	link->end[0] = field[1];
	link->end[1] = field[2];
	link->rail = rail;
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
	const char *comment;
	unsigned int fields;

	if (line.len && memchr(line.at, 0, line.len)) {
		fail(p, p->line, "the line has a zero byte");
		return;
	}
	comment = line.len ? memchr(line.at, '#', line.len) : NULL;
	if (comment)
		line.len = comment - line.at;
	fields = split(line, field);
	if (!fields)
		return;
	if (equals(field[0], "link"))
		parse_link(p, field, fields);
	else
		parse_node(p, field, fields);
}

static void parse_lines(struct parser *p, struct slice rest)
{
	static const char mark[] = "\xef\xbb\xbf";	/* some editors' */

	if (rest.len >= 3 && !memcmp(rest.at, mark, 3)) {
		rest.at += 3;
		rest.len -= 3;
	}
	while (rest.len && !p->no_memory) {
		const char *end = memchr(rest.at, '\n', rest.len);
		struct slice line = rest;

		if (end)
			line.len = end - rest.at;
		p->line++;
		parse_line(p, line);
		rest.at += line.len + !!end;
		rest.len -= line.len + !!end;
	}
}

/* ---- links ---- */

static const struct prphosts_node *find_node(const struct prphosts *hosts,
					     struct slice s)
{
	long number = to_number(s, PRPHOSTS_NUMBER_MAX);
	size_t i;

	for (i = 0; i < hosts->nodes; i++) {
		const struct prphosts_node *node = &hosts->node[i];

		if (number > 0 ? node->number == number :
				 node->name[0] && equals(s, node->name))
			return node;
	}
	return NULL;
}

static void check_link(struct parser *p, const struct link *link)
{
	const struct prphosts_node *node[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		node[i] = find_node(p->hosts, link->end[i]);
		if (!node[i]) {
			fail(p, link->line, "node \"%s\" is not in this file",
			     quote(link->end[i]).text);
			return;
		}
	}
	if (node[0] == node[1]) {
		fail(p, link->line, "a link from node %u to itself",
		     node[0]->number);
		return;
	}
	for (i = 0; i < 2; i++) {
		if (link->rail < 0 || node[i]->rails & 1 << link->rail)
			continue;
		fail(p, link->line, "node %u has no address on rail %d",
		     node[i]->number, link->rail);
		return;
	}
	fail(p, link->line,
	     "link lines are not supported by this version; all nodes must share one switch");
}

/* ---- the whole file ---- */

static void report_duplicate(unsigned int line, const char *text, void *data)
{
	fail(data, line, "%s", text);
}

static int error_compare(const void *left, const void *right)
{
	const struct prphosts_error *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
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
	size_t i;

	memset(hosts, 0, sizeof(*hosts));
	parse_lines(&p, (struct slice){ text, len });
	if (!p.no_memory && unique_check(hosts->node, hosts->nodes,
					 report_duplicate, &p))
		p.no_memory = true;
	for (i = 0; i < p.links && !p.no_memory; i++)
		check_link(&p, &p.link[i]);
	free(p.link);
	if (p.no_memory)
		return -1;
	if (hosts->errors)
		qsort(hosts->error, hosts->errors, sizeof(*hosts->error),
		      error_compare);
	if (hosts->nodes)
		qsort(hosts->node, hosts->nodes, sizeof(*hosts->node),
		      node_compare);
	return 0;
}

/**
 * prphosts_free() - free what prphosts_parse() allocated
 * @hosts: what it filled in
 */
void prphosts_free(struct prphosts *hosts)
{
	free(hosts->node);
	free(hosts->error);
	memset(hosts, 0, sizeof(*hosts));
}

/**
 * prphosts_same() - are two hosts equal in all but their lines
 * @a: one
 * @b: the other
 *
 * Return: whether they are.
 */
bool prphosts_same(const struct prphosts_node *a,
		   const struct prphosts_node *b)
{
	return a->number == b->number && a->rails == b->rails &&
	       a->ip_count == b->ip_count && !strcmp(a->name, b->name) &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr)) &&
	       !memcmp(a->ip, b->ip, sizeof(a->ip));
}
