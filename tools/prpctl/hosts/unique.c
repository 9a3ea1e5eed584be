// SPDX-License-Identifier: GPL-2.0
/*
 * Finds numbers, names, hardware and IP addresses that several hosts have.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/unique.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an IPv4 address begins with as one of IPv6 */
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

enum claim_kind { CLAIM_NUMBER, CLAIM_NAME, CLAIM_MAC, CLAIM_IP };

/* What a host has for itself alone; @slot is the rail or which IP address. */
struct claim {
	const struct prphosts_node *node;
	enum claim_kind kind;
	unsigned int slot;
};

static const void *claim_key(const struct claim *c, size_t *len)
{
	switch (c->kind) {
	case CLAIM_NUMBER:
		*len = sizeof(c->node->number);
		return &c->node->number;
	case CLAIM_NAME:
		*len = sizeof(c->node->name);
		return c->node->name;
	case CLAIM_MAC:
		*len = sizeof(c->node->addr[0]);
		return c->node->addr[c->slot];
	default:
		*len = sizeof(c->node->ip[0]);
		return c->node->ip[c->slot];
	}
}

static int claim_compare_key(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;
	const void *key;
	size_t len;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	key = claim_key(a, &len);
	return memcmp(key, claim_key(b, &len), len);
}

static int claim_compare(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;
	int order = claim_compare_key(a, b);

	if (order)
		return order;
	if (a->node->line != b->node->line)
		return a->node->line < b->node->line ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static size_t claim_collect(struct claim *c, const struct prphosts_node *node)
{
	struct claim *begin = c;
	unsigned int i;

	if (node->number)
		*c++ = (struct claim){ node, CLAIM_NUMBER, 0 };
	if (node->name[0])
		*c++ = (struct claim){ node, CLAIM_NAME, 0 };
	for (i = 0; i < PRPHOSTS_RAILS; i++)
		if (node->rails & 1 << i)
			*c++ = (struct claim){ node, CLAIM_MAC, i };
	for (i = 0; i < node->ip_count; i++)
		*c++ = (struct claim){ node, CLAIM_IP, i };
	return c - begin;
}

static void claim_print(const struct claim *c, char *text, size_t len)
{
	const uint8_t *b;

	switch (c->kind) {
	case CLAIM_NUMBER:
		snprintf(text, len, "node number %u", c->node->number);
		break;
	case CLAIM_NAME:
		snprintf(text, len, "name %s", c->node->name);
		break;
	case CLAIM_MAC:
		b = c->node->addr[c->slot];
		snprintf(text, len,
			 "hardware address %02x:%02x:%02x:%02x:%02x:%02x", b[0],
			 b[1], b[2], b[3], b[4], b[5]);
		break;
	case CLAIM_IP:
		b = c->node->ip[c->slot];
		len -= snprintf(text, len, "IP address ");
		text += strlen(text);
		if (memcmp(b, mapped, sizeof(mapped)))
			inet_ntop(AF_INET6, b, text, len);
		else
			inet_ntop(AF_INET, b + 12, text, len);
		break;
	}
}

static unsigned int claim_column(const struct claim *c)
{
	static const unsigned int first[] = {
		[CLAIM_NUMBER] = PRPHOSTS_AT_NUMBER,
		[CLAIM_NAME] = PRPHOSTS_AT_NAME,
		[CLAIM_MAC] = PRPHOSTS_AT_ADDR,
		[CLAIM_IP] = PRPHOSTS_AT_IP,
	};

	return c->node->column[first[c->kind] + c->slot];
}

/* Two claims to one thing; @first is on the same line or on an earlier one. */
static void claim_report(const struct claim *first, const struct claim *c,
			 unique_report report, void *data)
{
	char what[PRPHOSTS_TEXT_LEN - 40], text[PRPHOSTS_TEXT_LEN];

	claim_print(c, what, sizeof(what));
	if (first->node == c->node)
		snprintf(text, sizeof(text), "%s is given twice", what);
	else
		snprintf(text, sizeof(text), "%s is taken by line %u", what,
			 first->node->line);
	report(c->node->line, claim_column(c), text, data);
}

/* Who is called by another one's address would be taken for it. */
static void check_name(const struct prphosts_node *node,
		       const struct claim *claims, size_t count,
		       unique_report report, void *data)
{
	struct prphosts_node key = { 0 };
	const struct claim wanted = { &key, CLAIM_IP, 0 }, *has;
	char text[PRPHOSTS_TEXT_LEN];

	memcpy(key.ip[0], mapped, sizeof(mapped));
	if (inet_pton(AF_INET, node->name, key.ip[0] + sizeof(mapped)) != 1)
		return;
	has = bsearch(&wanted, claims, count, sizeof(*claims),
		      claim_compare_key);
	if (!has || has->node == node)
		return;
	snprintf(text, sizeof(text), "name %s is the IP address of line %u",
		 node->name, has->node->line);
	report(node->line, node->column[PRPHOSTS_AT_NAME], text, data);
}

/**
 * unique_check() - find what several hosts have
 * @node: hosts, in any order; what they do not have is 0
 * @nodes: how many
 * @report: called for each host that has what an earlier line has, or is called
 *	by the address of another one
 * @data: for @report
 *
 * Return: 0, or -1 without memory.
 */
int unique_check(const struct prphosts_node *node, size_t nodes,
		 unique_report report, void *data)
{
	struct claim *claim, *first;
	size_t i, count = 0;

	claim = reallocarray(NULL, nodes + 1, PRPHOSTS_FIELDS * sizeof(*claim));
	if (!claim)
		return -1;
	for (i = 0; i < nodes; i++)
		count += claim_collect(claim + count, &node[i]);
	qsort(claim, count, sizeof(*claim), claim_compare);
	for (i = 1, first = claim; i < count; i++) {
		if (claim_compare_key(first, &claim[i]))
			first = &claim[i];
		else
			claim_report(first, &claim[i], report, data);
	}
	for (i = 0; i < nodes; i++)
		check_name(&node[i], claim, count, report, data);
	free(claim);
	return 0;
}
