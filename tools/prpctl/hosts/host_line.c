// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of prphosts(5): a line that is a host.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/parser.h"

#include <arpa/inet.h>
#include <string.h>

#define fail(p, at, ...) \
	parser_fail(p, (p)->line, parser_column(p, at), __VA_ARGS__)

static bool is_name(char c)
{
	return slice_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

static bool parse_number(struct parser *p, struct slice s,
			 struct prphosts_node *node)
{
	long value = slice_number(s, PRPHOSTS_NUMBER_MAX);

	if (value > 0) {
		node->number = value;
		node->column[PRPHOSTS_AT_NUMBER] = parser_column(p, s.at);
		return true;
	}
	if (slice_is_digits(s))
		fail(p, s.at, "node number %s is not in 1 to %d",
		     slice_quote(s).text, PRPHOSTS_NUMBER_MAX);
	else
		fail(p, s.at, "\"%s\" is neither a node number nor \"link\"",
		     slice_quote(s).text);
	return false;
}

static bool parse_name(struct parser *p, struct slice s,
		       struct prphosts_node *node)
{
	size_t i;

	if (s.len >= PRPHOSTS_NAME_LEN) {
		fail(p, s.at, "name \"%s\" is longer than %d characters",
		     slice_quote(s).text, PRPHOSTS_NAME_LEN - 1);
		return false;
	}
	for (i = 0; i < s.len; i++) {
		if (!is_name(s.at[i])) {
			fail(p, s.at,
			     "name \"%s\" has more than letters, digits and . - _",
			     slice_quote(s).text);
			return false;
		}
	}
	if (slice_is_digits(s)) {
		fail(p, s.at, "name \"%s\" is a number", slice_quote(s).text);
		return false;
	}
	memcpy(node->name, s.at, s.len);
	node->column[PRPHOSTS_AT_NAME] = parser_column(p, s.at);
	return true;
}

static int hex_digit(char c)
{
	if (slice_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* How hardware addresses are written: groups of hexadecimal digits */
static const struct notation {
	char separator; /* between the groups; 0: there is but one */
	unsigned int groups;
	unsigned int least; /* digits of a group */
	unsigned int most;
} notations[] = { { ':', 6, 1, 2 },
		  { '-', 6, 1, 2 },
		  { '.', 3, 4, 4 },
		  { 0, 1, 12, 12 },
		  { 0 } };

static bool to_mac_in(const struct notation *n, struct slice s, uint8_t mac[6])
{
	unsigned int group, digits, bytes = 6 / n->groups, b;
	uint64_t value;
	size_t i = 0;

	for (group = 0; group < n->groups; group++) {
		if (group && (i == s.len || s.at[i++] != n->separator))
			return false;
		value = 0;
		for (digits = 0; i < s.len && digits < n->most; digits++, i++) {
			if (hex_digit(s.at[i]) < 0)
				break;
			value = value * 16 + hex_digit(s.at[i]);
		}
		if (digits < n->least)
			return false;
		for (b = bytes; b; b--, value >>= 8)
			mac[group * bytes + b - 1] = value;
	}
	return i == s.len;
}

static bool to_mac(struct slice s, uint8_t mac[6])
{
	const struct notation *n;

	for (n = notations; n->groups; n++)
		if (to_mac_in(n, s, mac))
			return true;
	return false;
}

static bool parse_mac(struct parser *p, struct slice s, unsigned int rail,
		      struct prphosts_node *node)
{
	static const uint8_t zero[6];
	uint8_t *mac = node->addr[rail];

	if (slice_equals(s, "-"))
		return true;
	if (!s.len) {
		fail(p, s.at, "rail %u has no address; write - for none", rail);
	} else if (!to_mac(s, mac)) {
		fail(p, s.at, "rail %u: \"%s\" is not a hardware address", rail,
		     slice_quote(s).text);
	} else if (mac[0] & 1) {
		fail(p, s.at, "rail %u: %s is a multicast address", rail,
		     slice_quote(s).text);
	} else if (!memcmp(mac, zero, sizeof(zero))) {
		fail(p, s.at, "rail %u: the address is zero", rail);
	} else {
		node->rails |= 1 << rail;
		node->column[PRPHOSTS_AT_ADDR + rail] = parser_column(p, s.at);
		return true;
	}
	memset(mac, 0, sizeof(zero));
	return false;
}

static bool parse_macs(struct parser *p, struct slice s,
		       struct prphosts_node *node)
{
	const char *begin = s.at;
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
			fail(p, one.at, "more than %d rails", PRPHOSTS_RAILS);
			return false;
		}
		if (!parse_mac(p, one, rail++, node))
			return false;
	}
	if (!node->rails)
		fail(p, begin, "the node has no hardware address");
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
	const char *slash;
	bool good;

	slash = memchr(s.at, '/', s.len);
	if (slash) {
		fail(p, slash,
		     "\"%s\" has a prefix length, which is a network's, not a machine's: write the address alone",
		     slice_quote(s).text);
		return false;
	}
	if (s.len < sizeof(text))
		memcpy(text, s.at, s.len);
	if (inet_pton(AF_INET, text, ip + 12) == 1) {
		memcpy(ip, mapped, sizeof(mapped));
	} else if (inet_pton(AF_INET6, text, ip) != 1) {
		fail(p, s.at, "\"%s\" is not an IP address",
		     slice_quote(s).text);
		return false;
	}
	good = memcmp(ip, mapped, sizeof(mapped)) ? ip6_is_one_machine(ip) :
						    ip4_is_one_machine(ip + 12);
	if (!good) {
		fail(p, s.at, "IP address %s is not one machine's",
		     slice_quote(s).text);
		return false;
	}
	node->column[PRPHOSTS_AT_IP + node->ip_count] = parser_column(p, s.at);
	node->ip_count++;
	return true;
}

/* Where a field is missing: behind the last one */
static const char *behind(const struct slice *field, unsigned int fields)
{
	return field[fields - 1].at + field[fields - 1].len;
}

/**
 * host_line_parse() - parse a line that is a host
 * @p: parser
 * @field: fields of the line, of which at most FIELDS_MAX + 1 are there
 * @fields: how many
 *
 * What a bad line has of good fields is kept, so that it is not reported
 * again as missing, and is found as a duplicate.
 */
void host_line_parse(struct parser *p, const struct slice *field,
		     unsigned int fields)
{
	struct prphosts_node *node;
	unsigned int i;

	node = parser_grow(p, &p->hosts->node, sizeof(*node), &p->hosts->nodes,
			   &p->node_room);
	if (!node)
		return;
	node->line = p->line;
	if (!parse_number(p, field[0], node))
		return;
	if (fields < 2) {
		fail(p, behind(field, fields), "the name is missing");
		return;
	}
	if (!parse_name(p, field[1], node))
		return;
	if (fields < 3) {
		fail(p, behind(field, fields),
		     "the hardware addresses are missing");
		return;
	}
	if (!parse_macs(p, field[2], node))
		return;
	if (fields > FIELDS_MAX) {
		fail(p, field[FIELDS_MAX].at, "more than %d IP addresses",
		     PRPHOSTS_IPS);
		return;
	}
	for (i = 3; i < fields; i++)
		if (!parse_ip(p, field[i], node))
			return;
}
