// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the prphosts(5) parser, tools/prpctl/hosts/parse.c.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/parse.h"
#include "unit.h"

static struct prphosts hosts; /* what was parsed last */

/* In memory of exactly its size, so that reading beyond it is found. */
static void parse_bytes(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);
	size_t i;

	memcpy(copy, text, len);
	expect_eq(prphosts_parse(&hosts, len ? copy : NULL, len), 0);
	free(copy);
	for (i = 0; i < hosts.errors; i++)
		expect_true(strlen(hosts.error[i].text) > 5);
}

static void parse(const char *text)
{
	parse_bytes(text, strlen(text));
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define FOUR_IPS "1.0.0.1 1.0.0.2 1.0.0.3 1.0.0.4"
#define EIGHT_IPS FOUR_IPS " 1.0.0.5 1.0.0.6 1.0.0.7 1.0.0.8"
#define NAME_OF_63 \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Error @i is in line @at and has @words in it. */
#define expect_error(i, at, words) \
	do { \
		const char *words_ = (words); \
		size_t i_ = (i); \
\
		expect_true(i_ < hosts.errors); \
		expect_eq(hosts.error[i_].line, at); \
		if (!strstr(hosts.error[i_].text, words_)) \
			unit_fail(__FILE__, __LINE__, \
				  "got \"%s\", expected \"%s\"", \
				  hosts.error[i_].text, words_); \
	} while (0)

#define expect_column(i, at) expect_eq(hosts.error[i].column, at)

/* The file has one error, in line @at, with @words in it. */
#define expect_refused(file, at, words) \
	do { \
		parse(file); \
		expect_error(0, at, words); \
		expect_eq(hosts.errors, 1); \
		prphosts_free(&hosts); \
	} while (0)

/* ---- what is good ---- */

UNIT(parse__example_of_the_manual)
{
	static const uint8_t ip[16] = {
		[10] = 0xff, [11] = 0xff, [12] = 10, [13] = 1, [15] = 1,
	};

	parse("# node  name   hardware addresses  IP addresses\n"
	      "1  alpha  52:54:00:00:00:01,52:54:00:00:01:01  10.0.0.1 10.1.0.1\n"
	      "2  beta   52:54:00:00:00:02,-                  10.0.0.2\n"
	      "7  gamma  52:54:00:00:00:07                    10.0.0.7\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 3);
	expect_eq(hosts.node[0].number, 1);
	expect_true(!strcmp(hosts.node[0].name, "alpha"));
	expect_eq(hosts.node[0].rails, 3);
	expect_true(!memcmp(hosts.node[0].addr[1], "\x52\x54\0\0\1\1", 6));
	expect_eq(hosts.node[0].ip_count, 2);
	expect_true(!memcmp(hosts.node[0].ip[1], ip, 16));
	expect_eq(hosts.node[0].line, 2);
	expect_eq(hosts.node[1].rails, 1);
	expect_eq(hosts.node[2].number, 7);
	expect_eq(hosts.node[2].line, 4);
}

UNIT(parse__empty_file)
{
	parse("");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 0);
}

UNIT(parse__only_comments_and_blank_lines)
{
	parse("\n# one\n   \t\n\n  # two 1 a 52:54:00:00:00:01\n#");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 0);
}

UNIT(parse__crlf)
{
	parse("1 a 52:54:00:00:00:01\r\n"
	      "\r\n"
	      "# x\r\n"
	      "2 b 52:54:00:00:00:02 10.0.0.2\r\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 2);
	expect_true(!strcmp(hosts.node[0].name, "a"));
	expect_eq(hosts.node[1].line, 4);
}

UNIT(parse__no_last_newline)
{
	parse("1 a 52:54:00:00:00:01\n2 b 52:54:00:00:00:02 10.0.0.2");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 2);
	expect_eq(hosts.node[1].ip_count, 1);
}

UNIT(parse__any_white_space)
{
	parse(" \t1\t\ta \v 52:54:00:00:00:01\f10.0.0.1 \t\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 1);
	expect_eq(hosts.node[0].ip_count, 1);
}

UNIT(parse__comment_after_a_host)
{
	parse("1 a 52:54:00:00:00:01# 10.0.0.1 junk ::::");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 1);
	expect_eq(hosts.node[0].ip_count, 0);
}

UNIT(parse__byte_order_mark)
{
	parse(BYTE_ORDER_MARK "1 a 52:54:00:00:00:01\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 1);
}

UNIT(parse__sorted_by_number)
{
	parse("300 c 52:54:00:00:00:03\n"
	      "2 b 52:54:00:00:00:02\n"
	      "1 a 52:54:00:00:00:01\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 3);
	expect_eq(hosts.node[0].number, 1);
	expect_eq(hosts.node[2].number, 300);
	expect_eq(hosts.node[2].line, 1);
}

UNIT(parse__mac_of_one_digit_bytes)
{
	parse("1 a 2:5:A:f:0:1\n");
	expect_eq(hosts.errors, 0);
	expect_true(!memcmp(hosts.node[0].addr[0], "\2\5\xa\xf\0\1", 6));
}

/* As Windows, switches and labels have them */
UNIT(parse__macs_in_other_notations)
{
	int i;

	parse("1 a 52-54-00-00-00-ab,-,5254.0000.01AB\n"
	      "2 b 5254000002ab,52-54-0-0-3-ab\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 2);
	expect_eq(hosts.node[0].rails, 5);
	for (i = 0; i < 4; i++)
		expect_true(!memcmp(hosts.node[i / 2].addr[i == 1 ? 2 : i % 2],
				    (uint8_t[]){ 0x52, 0x54, 0, 0, i, 0xab },
				    6));
	prphosts_free(&hosts);
}

UNIT(parse__eight_rails)
{
	parse("1 a -,-,-,-,-,-,-,52:54:00:00:00:01\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.node[0].rails, 0x80);
}

UNIT(parse__ip6)
{
	parse("1 a 52:54:00:00:00:01 fd00::1 2001:db8:0:1:2:3:4:5\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.node[0].ip_count, 2);
	expect_eq(hosts.node[0].ip[0][0], 0xfd);
	expect_eq(hosts.node[0].ip[0][15], 1);
}

UNIT(parse__limits)
{
	parse("65534 a 52:54:00:00:00:01 " EIGHT_IPS "\n"
	      "1 " NAME_OF_63 " 52:54:00:00:00:02\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 2);
	expect_eq(strlen(hosts.node[0].name), 63);
	expect_eq(hosts.node[1].ip_count, 8);
}

/* ---- what is bad ---- */

UNIT(number__refused)
{
	expect_refused("0 a 52:54:00:00:00:01", 1, "not in 1 to 65534");
	expect_refused("65535 a 52:54:00:00:00:01", 1, "not in 1 to 65534");
	expect_refused("99999999999999999999999 a 52:54:00:00:00:01", 1,
		       "not in 1 to 65534");
	expect_refused("-1 a 52:54:00:00:00:01", 1, "neither a node number");
	expect_refused("0x10 a 52:54:00:00:00:01", 1, "neither a node number");
	expect_refused("one a 52:54:00:00:00:01", 1, "\"one\" is neither");
	expect_refused("links 1 2", 1, "neither a node number");
}

UNIT(name__refused)
{
	expect_refused("1", 1, "name is missing");
	expect_refused("1 # a 52:54:00:00:00:01", 1, "name is missing");
	expect_refused("1 12 52:54:00:00:00:01", 1, "is a number");
	expect_refused("1 a/b 52:54:00:00:00:01", 1, "more than letters");
	expect_refused("1 na\xc3\xafve 52:54:00:00:00:01", 1, "\"na??ve\"");
	expect_refused("1 " NAME_OF_63 "x 52:54:00:00:00:01", 1,
		       "longer than 63");
}

UNIT(address__refused)
{
	expect_refused("1 a", 1, "hardware addresses are missing");
	expect_refused("1 a -", 1, "no hardware address");
	expect_refused("1 a -,-", 1, "no hardware address");
	expect_refused("1 a 52:54:00:00:00", 1, "not a hardware address");
	expect_refused("1 a 52:54:00:00:00:01:02", 1, "not a hardware address");
	expect_refused("1 a 52:54:00:00:00:", 1, "not a hardware address");
	expect_refused("1 a 52:54:00:00:00:012", 1, "not a hardware address");
	expect_refused("1 a 52:54:00::00:01", 1, "not a hardware address");
	expect_refused("1 a 52:54:00:00:00:0g", 1, "not a hardware address");
	expect_refused("1 a 52540000000", 1, "not a hardware address");
	expect_refused("1 a 5254000000011", 1, "not a hardware address");
	expect_refused("1 a 52540000000g", 1, "not a hardware address");
	expect_refused("1 a 52-54-00:00:00:01", 1, "not a hardware address");
	expect_refused("1 a 52-54-00-00-00-01-", 1, "not a hardware address");
	expect_refused("1 a 5254.0000.001", 1, "not a hardware address");
	expect_refused("1 a 5254.0000.0001.", 1, "not a hardware address");
	expect_refused("1 a 5254:0000:0001", 1, "not a hardware address");
	expect_refused("1 a 10.0.0.1", 1, "not a hardware address");
	expect_refused("1 a 00:00:00:00:00:00", 1, "zero");
	expect_refused("1 a 01:00:5e:00:00:01", 1, "multicast");
	expect_refused("1 a ff:ff:ff:ff:ff:ff", 1, "multicast");
	expect_refused("1 a 52:54:00:00:00:01,", 1, "rail 1 has no address");
	expect_refused("1 a ,52:54:00:00:00:01", 1, "rail 0 has no address");
	expect_refused("1 a 52:54:00:00:00:01, 52:54:00:00:00:02", 1,
		       "rail 1 has no address");
	expect_refused("1 a -,-,-,-,-,-,-,-,52:54:00:00:00:01", 1,
		       "more than 8 rails");
}

UNIT(ip__with_a_prefix_length_is_refused)
{
	parse("1 a 52:54:00:00:00:01 10.0.0.1/24");
	expect_error(0, 1, "prefix length");
	expect_column(0, 31);
	prphosts_free(&hosts);
	expect_refused("1 a 52:54:00:00:00:01 fd00::1/64", 1, "prefix length");
	expect_refused("1 a 52:54:00:00:00:01 /", 1, "prefix length");
}

UNIT(ip__refused)
{
	expect_refused("1 a 52:54:00:00:00:01 10.0.0", 1, "not an IP address");
	expect_refused("1 a 52:54:00:00:00:01 10.0.0.256", 1,
		       "not an IP address");
	expect_refused("1 a 52:54:00:00:00:01 fd00:::1", 1,
		       "not an IP address");
	expect_refused("1 a 52:54:00:00:00:01 host", 1, "not an IP address");
	expect_refused("1 a 52:54:00:00:00:01 0.0.0.0", 1, "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 127.0.0.1", 1,
		       "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 224.0.0.1", 1,
		       "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 255.255.255.255", 1,
		       "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 ::", 1, "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 ::1", 1, "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 ff02::1", 1, "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 ::ffff:127.0.0.1", 1,
		       "not one machine's");
	expect_refused("1 a 52:54:00:00:00:01 " EIGHT_IPS " 1.0.0.9", 1,
		       "more than 8 IP addresses");
}

/* ---- links ---- */

/* The link @i of the file */
#define expect_link(i, a, b, r) \
	do { \
		size_t i_ = (i); \
\
		expect_true(i_ < hosts.links); \
		expect_eq(hosts.link[i_].node, a); \
		expect_eq(hosts.link[i_].peer, b); \
		expect_eq(hosts.link[i_].rail, r); \
	} while (0)

UNIT(link__by_number_and_by_name)
{
	parse("1 a 52:54:00:00:00:01,52:54:00:00:01:01\n"
	      "2 b 52:54:00:00:00:02,52:54:00:00:01:02\n"
	      "3 c 52:54:00:00:00:03\n"
	      "link b 3\n"
	      "  link\t2 a  rail 1 # a wire\r\n"
	      "link 1 2 rail 0");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.links, 3);
	expect_link(0, 1, 2, 0);
	expect_link(1, 1, 2, 1);
	expect_link(2, 2, 3, PRPHOSTS_ALL_RAILS);
	expect_eq(hosts.link[0].line, 6);
	expect_eq(hosts.link[1].line, 5);
	expect_eq(hosts.link[1].column, 3);
	expect_eq(hosts.link[2].line, 4);
}

UNIT(link__before_its_nodes)
{
	parse("link 1 b\n"
	      "1 a 52:54:00:00:00:01\n"
	      "2 b 52:54:00:00:00:02\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.links, 1);
	expect_link(0, 1, 2, PRPHOSTS_ALL_RAILS);
}

UNIT(link__none)
{
	parse("1 a 52:54:00:00:00:01\n");
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.links, 0);
	expect_true(!hosts.link);
}

UNIT(link__refused)
{
	static const char nodes[] = "1 a 52:54:00:00:00:01\n"
				    "2 b 52:54:00:00:00:02,52:54:00:00:01:02\n"
				    "3 c -,52:54:00:00:01:03\n";
	char file[256];

#define LINK(text, column, error) \
	do { \
		snprintf(file, sizeof(file), "%s%s", nodes, text); \
		parse(file); \
		expect_error(0, 4, error); \
		expect_column(0, column); \
		expect_eq(hosts.errors, 1); \
		prphosts_free(&hosts); \
	} while (0)
	LINK("link", 1, "a link line is");
	LINK("link 1", 6, "a link line is");
	LINK("link 1 2 3", 10, "a link line is");
	LINK("link 1 2 rail", 10, "a link line is");
	LINK("link 1 2 rain 0", 10, "a link line is");
	LINK("link 1 2 rail 0 0", 10, "a link line is");
	LINK("link 1 2 rail 8", 15, "not in 0 to 7");
	LINK("link 1 2 rail x", 15, "not in 0 to 7");
	LINK("link 1 2 rail -1", 15, "not in 0 to 7");
	LINK("link 1 2 rail 1", 15, "node 1 has no address on rail 1");
	LINK("link 2 1 rail 1", 15, "node 1 has no address on rail 1");
	LINK("link 1 3", 1, "nodes 1 and 3 have no rail in common");
	LINK("link 1 4", 8, "node \"4\" is not in this file");
	LINK("link d 1", 6, "node \"d\" is not in this file");
	LINK("link 0 1", 6, "node \"0\" is not in this file");
	LINK("link 65537 1", 6, "node \"65537\" is not in this file");
	LINK("link 1 a", 8, "to itself");
	LINK("\t link 2 b rail 0", 10, "to itself");
	LINK("link 1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	     8, "...\" is not in this file");
#undef LINK
}

UNIT(link__to_a_very_long_name)
{
	char file[4096];

	memset(file, 'x', sizeof(file));
	memcpy(file, "link ", 5);
	memcpy(file + sizeof(file) - 2, " 1", 2);
	parse_bytes(file, sizeof(file));
	expect_eq(hosts.errors, 2);
	expect_error(0, 1, "xxx...\" is not in this file");
}

UNIT(link__both_ends_unknown)
{
	parse("link x y\n");
	expect_eq(hosts.errors, 2);
	expect_error(0, 1, "\"x\"");
	expect_column(0, 6);
	expect_error(1, 1, "\"y\"");
	expect_column(1, 8);
}

UNIT(link__to_a_bad_line_is_known)
{
	parse("1 a 52:54:00:00:00:01\n2 b zz\nlink 1 2\nlink a b rail 3\n");
	expect_eq(hosts.errors, 2);
	expect_error(0, 2, "not a hardware address");
	expect_error(1, 4, "node 1 has no address on rail 3");
}

UNIT(link__twice)
{
	static const char nodes[] = "1 a 52:54:00:00:00:01,52:54:00:00:01:01\n"
				    "2 b 52:54:00:00:00:02,52:54:00:00:01:02\n";
	char file[256];

#define TWICE(first, second, error) \
	do { \
		snprintf(file, sizeof(file), "%s%s\n %s\n", nodes, first, \
			 second); \
		parse(file); \
		expect_error(0, 4, error); \
		expect_column(0, 2); \
		expect_eq(hosts.errors, 1); \
		prphosts_free(&hosts); \
	} while (0)
	TWICE("link 1 2", "link 1 2", "line 3 links nodes 1 and 2 on all");
	TWICE("link 1 2", "link b a", "line 3 links nodes 1 and 2 on all");
	TWICE("link 1 2 rail 1", "link 2 1 rail 1", "2 on rail 1");
	TWICE("link 1 2", "link 1 2 rail 1", "2 on all rails");
	TWICE("link 1 2 rail 1", "link 1 2", "2 on rail 1");
#undef TWICE
	parse("link 1 2\nlink 1 2\nlink 1 2\n"
	      "1 a 52:54:00:00:00:01\n2 b 52:54:00:00:00:02\n");
	expect_eq(hosts.errors, 2);
	expect_error(0, 2, "line 1 links");
	expect_error(1, 3, "line 1 links");
}

/* Nodes 1 to @nodes, to be linked */
static size_t draw(char *text, unsigned int nodes)
{
	size_t len = 0;
	unsigned int i;

	for (i = 1; i <= nodes; i++)
		len += sprintf(text + len, "%u n%u 52:54:00:00:%02x:%02x\n", i,
			       i, i >> 8, i & 255);
	return len;
}

UNIT(link__line_of_as_many_as_can_be)
{
	const unsigned int nodes = PRPHOSTS_NUMBER_MAX;
	char *text = malloc(nodes * 64);
	size_t len = draw(text, nodes);
	unsigned int i;

	for (i = nodes; i > 1; i--)
		len += sprintf(text + len, "link n%u %u\n", i, i - 1);
	parse_bytes(text, len);
	free(text);
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.links, nodes - 1);
	for (i = 0; i < hosts.links; i++)
		if (hosts.link[i].node != i + 1 || hosts.link[i].peer != i + 2)
			expect_true(false);
}

UNIT(link__hypercube_of_eight)
{
	char text[2048];
	size_t len = draw(text, 8);
	unsigned int a, bit;

	for (a = 0; a < 8; a++)
		for (bit = 1; bit < 8; bit <<= 1)
			if (a < (a ^ bit))
				len += sprintf(text + len, "link %u %u\n",
					       (a ^ bit) + 1, a + 1);
	parse_bytes(text, len);
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.links, 12);
	expect_link(0, 1, 2, PRPHOSTS_ALL_RAILS);
	expect_link(11, 7, 8, PRPHOSTS_ALL_RAILS);
}

/* What must hold of the links of a file without errors */
static void check_links(void)
{
	const struct prphosts_link *l;
	unsigned int rails, seen = 0;
	size_t i, n;

	for (i = 0; i < hosts.links; i++) {
		l = &hosts.link[i];
		rails = 0xff;
		expect_true(l->node < l->peer);
		expect_true(!i || prphosts_link_compare(l - 1, l) < 0);
		for (n = 0; n < hosts.nodes; n++)
			if (hosts.node[n].number == l->node ||
			    hosts.node[n].number == l->peer)
				rails &= hosts.node[n].rails | 0x100;
		if (l->rail != PRPHOSTS_ALL_RAILS)
			rails &= 1 << l->rail;
		expect_true(rails & 0xff);
		if (!i || l[-1].node != l->node || l[-1].peer != l->peer)
			seen = 0;
		rails = l->rail == PRPHOSTS_ALL_RAILS ? 0xff : 1 << l->rail;
		expect_true(!(seen & rails));
		seen |= rails;
	}
}

/*
 * Files of words that a link line may have, in any order: never read beyond
 * the end, every error on a line that is there, and what is accepted is what
 * the manual says.
 */
UNIT(link__any_words)
{
	static const char *const words[] = {
		"link",
		"link",
		"link",
		"1",
		"2",
		"3",
		"a",
		"b",
		"c",
		"rail",
		"rail",
		"0",
		"1",
		"7",
		"8",
		"-1",
		"#",
		"\n",
		"\n",
		"\n",
		"\r\n",
		"\t",
		"x",
		"65534",
		"99999999999",
		"a,b",
		"\xff",
		"\n3 c -,52:54:00:00:00:03\n",
		"\nlink 1 2 rail 0\n",
		"\nlink 2 3 rail 1\n",
		"\nlink c a\n",
		"\nlink b a\n",
	};
	static const char nodes[] = "1 a 52:54:00:00:00:01\n"
				    "2 b 52:54:00:00:00:02,52:54:00:00:01:02\n";
	unsigned int round, i, good = 0, linked = 0, lines;
	uint32_t random = 1;
	char file[1024];
	size_t len;

	for (round = 0; round < 20000; round++) {
		len = sprintf(file, "%s", nodes);
		for (i = 0; i < 1 + round % 12; i++) {
			random = random * 1664525 + 1013904223;
			len += sprintf(file + len, "%s ",
				       words[(random >> 16) % 32]);
		}
		for (i = 0, lines = 1; i < len; i++)
			lines += file[i] == '\n';
		parse_bytes(file, len);
		for (i = 0; i < hosts.errors; i++) {
			expect_true(hosts.error[i].line >= 3);
			expect_true(hosts.error[i].line <= lines);
			expect_true(hosts.error[i].column >= 1);
			expect_true(hosts.error[i].column <= len);
		}
		if (!hosts.errors) {
			check_links();
			good++;
			linked += !!hosts.links;
		}
		prphosts_free(&hosts);
	}
	expect_true(good > 500);
	expect_true(linked > 200);
}

UNIT(duplicate__number)
{
	expect_refused("1 a 52:54:00:00:00:01\n\n1 b 52:54:00:00:00:02\n", 3,
		       "node number 1 is taken by line 1");
	expect_refused("1 a 52:54:00:00:00:01\n001 b 52:54:00:00:00:02\n", 2,
		       "node number 1 is taken by line 1");
}

UNIT(duplicate__name)
{
	expect_refused("1 a 52:54:00:00:00:01\n2 a 52:54:00:00:00:02\n", 2,
		       "name a is taken by line 1");
}

UNIT(duplicate__address)
{
	expect_refused("1 a 52:54:00:00:00:0a\n2 b -,52:54:0:0:0:A\n", 2,
		       "hardware address 52:54:00:00:00:0a is taken by line 1");
	expect_refused("1 a 52:54:00:00:00:01,52:54:00:00:00:01\n", 1,
		       "hardware address 52:54:00:00:00:01 is given twice");
}

UNIT(duplicate__ip)
{
	expect_refused("1 a 52:54:00:00:00:01 10.0.0.1\n"
		       "2 b 52:54:00:00:00:02 ::ffff:10.0.0.1\n",
		       2, "IP address 10.0.0.1 is taken by line 1");
	expect_refused("1 a 52:54:00:00:00:01 fd00::1 fd00:0::1\n", 1,
		       "IP address fd00::1 is given twice");
}

UNIT(duplicate__name_and_ip)
{
	expect_refused("1 a 52:54:00:00:00:01 10.0.0.1\n"
		       "2 10.0.0.1 52:54:00:00:00:02 10.0.0.2\n",
		       2, "name 10.0.0.1 is the IP address of line 1");
	expect_refused("2 10.0.0.1 52:54:00:00:00:02 10.0.0.2\n"
		       "1 a 52:54:00:00:00:01 10.0.0.1\n",
		       1, "name 10.0.0.1 is the IP address of line 2");
	parse("1 10.0.0.1 52:54:00:00:00:01 10.0.0.1\n"
	      "2 10.0.0.3 52:54:00:00:00:02 10.0.0.2\n");
	expect_eq(hosts.errors, 0);
}

UNIT(duplicate__three_times_names_the_first)
{
	parse("1 a 52:54:00:00:00:01\n"
	      "1 b 52:54:00:00:00:02\n"
	      "1 c 52:54:00:00:00:03\n");
	expect_eq(hosts.errors, 2);
	expect_error(0, 2, "taken by line 1");
	expect_error(1, 3, "taken by line 1");
}

UNIT(duplicate__of_a_bad_line)
{
	parse("1 a zz\n1 b 52:54:00:00:00:02\n");
	expect_eq(hosts.errors, 2);
	expect_error(0, 1, "not a hardware address");
	expect_error(1, 2, "node number 1 is taken by line 1");
}

UNIT(errors__name_the_column)
{
	parse("  1 a zz\n"
	      "2 b\n"
	      "3\n"
	      "4 d 52:54:00:00:00:04 10.0.0.1 x\n"
	      "5 e 52:54:00:00:00:05,52:54\n"
	      " 4 d 52:54:00:00:00:06,52:54:00:00:00:04 10.0.0.2 10.0.0.1\n");
	expect_eq(hosts.errors, 9);
	expect_error(0, 1, "not a hardware address");
	expect_column(0, 7);
	expect_error(1, 2, "hardware addresses are missing");
	expect_column(1, 4);
	expect_error(2, 3, "name is missing");
	expect_column(2, 2);
	expect_error(3, 4, "not an IP address");
	expect_column(3, 32);
	expect_error(4, 5, "rail 1");
	expect_column(4, 23);
	expect_error(5, 6, "node number 4 is taken");
	expect_column(5, 2);
	expect_error(6, 6, "name d is taken");
	expect_column(6, 4);
	expect_error(7, 6, "hardware address");
	expect_column(7, 24);
	expect_error(8, 6, "IP address 10.0.0.1");
	expect_column(8, 51);
}

UNIT(errors__all_reported_in_order)
{
	parse("x\n"
	      "1 a 52:54:00:00:00:01\n"
	      "2\n"
	      "3 c\n"
	      "4 d zz\n"
	      "1 e 52:54:00:00:00:05\n"
	      "link 1 9\n"
	      "5 f 52:54:00:00:00:06 z\n");
	expect_eq(hosts.errors, 7);
	expect_error(0, 1, "neither");
	expect_error(1, 3, "name is missing");
	expect_error(2, 4, "hardware addresses are missing");
	expect_error(3, 5, "not a hardware address");
	expect_error(4, 6, "taken by line 2");
	expect_error(5, 7, "not in this file");
	expect_error(6, 8, "not an IP address");
}

UNIT(errors__ten_thousand)
{
	size_t len = 0, i;
	char *text = malloc(20000);

	for (i = 0; i < 10000; i++, len += 2)
		memcpy(text + len, "x\n", 2);
	parse_bytes(text, len);
	free(text);
	expect_eq(hosts.errors, 10000);
	expect_error(9999, 10000, "neither");
}

UNIT(bytes__zero)
{
	static const char text[] = "1 a 52:54:00:00:00:01\n"
				   "2 b\0 52:54:00:00:00:02\n"
				   "\0";

	parse_bytes(text, sizeof(text) - 1);
	expect_eq(hosts.errors, 2);
	expect_error(0, 2, "zero byte");
	expect_error(1, 3, "zero byte");
}

UNIT(bytes__errors_are_printable)
{
	const char *c;

	parse("\x1b[31m\x07\xff\xfe a 52:54:00:00:00:01\n");
	expect_eq(hosts.errors, 1);
	for (c = hosts.error[0].text; *c; c++)
		expect_true(*c >= ' ' && *c <= '~');
}

UNIT(bytes__every_value)
{
	char text[512];
	size_t i;

	for (i = 0; i < 256; i++) {
		text[i * 2] = i;
		text[i * 2 + 1] = '\n';
	}
	parse_bytes(text, sizeof(text));
	expect_true(hosts.errors > 200);
}

/* Every beginning of a good file is parsed without reading beyond it. */
UNIT(bytes__every_truncation)
{
	static const char text[] =
		"1 a 52:54:00:00:00:01,- 10.0.0.1 fd00::1 # x\r\n"
		"2 b 52:54:00:00:00:02\n"
		"link 1 b rail 0\n";
	size_t len;

	for (len = 0; len < sizeof(text); len++) {
		parse_bytes(text, len);
		prphosts_free(&hosts);
	}
}

UNIT(line__very_long)
{
	const size_t len = 1 << 20;
	char *text = malloc(len);
	size_t i;

	memset(text, 'x', len);
	parse_bytes(text, len);
	expect_eq(hosts.errors, 1);
	expect_error(0, 1, "...\"");
	prphosts_free(&hosts);

	memset(text, '1', len);
	parse_bytes(text, len);
	expect_eq(hosts.errors, 1);
	expect_error(0, 1, "not in 1 to");
	prphosts_free(&hosts);

	memcpy(text, "1 a ", 4);
	for (i = 4; i + 1 < len; i += 2)
		memcpy(text + i, "-,", 2);
	parse_bytes(text, len);
	expect_eq(hosts.errors, 1);
	expect_error(0, 1, "more than 8 rails");
	prphosts_free(&hosts);

	memcpy(text, "1 a 52:54:00:00:00:01 ", 22);
	for (i = 22; i + 1 < len; i += 2)
		memcpy(text + i, "1 ", 2);
	parse_bytes(text, len);
	expect_eq(hosts.errors, 1);
	expect_error(0, 1, "more than 8 IP addresses");
	prphosts_free(&hosts);

	memset(text, ' ', len);
	memcpy(text + len - 22, "\n1 a 52:54:00:00:00:01", 22);
	parse_bytes(text, len);
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, 1);
	free(text);
}

static void make_hosts(unsigned int count)
{
	static const char line[] =
		"%u\tnode%u\t52:54:00:00:%02x:%02x,52:54:00:01:%02x:%02x\t10.%u.%u.1\n";
	char *text = malloc(count * 80 + 1);
	size_t len = 0;
	unsigned int i;

	for (i = count; i; i--)
		len += sprintf(text + len, line, i, i, i >> 8, i & 255, i >> 8,
			       i & 255, i >> 8, i & 255);
	parse_bytes(text, len);
	free(text);
	expect_eq(hosts.errors, 0);
	expect_eq(hosts.nodes, count);
	for (i = 0; i < hosts.nodes; i++)
		if (hosts.node[i].number != i + 1)
			expect_true(false);
}

UNIT(hosts__one_thousand)
{
	make_hosts(1000);
}

UNIT(hosts__as_many_as_can_be)
{
	make_hosts(PRPHOSTS_NUMBER_MAX);
}

UNIT(same__differs_in_each_field)
{
	struct prphosts_node a, b;

	parse("1 a 52:54:00:00:00:01 10.0.0.1\n");
	a = hosts.node[0];
	b = a;
	b.line = 9;
	expect_true(prphosts_same(&a, &b));
	b = a;
	b.number = 2;
	expect_true(!prphosts_same(&a, &b));
	b = a;
	b.name[0] = 'b';
	expect_true(!prphosts_same(&a, &b));
	b = a;
	b.rails = 3;
	expect_true(!prphosts_same(&a, &b));
	b = a;
	b.addr[0][5] = 2;
	expect_true(!prphosts_same(&a, &b));
	b = a;
	b.ip_count = 0;
	expect_true(!prphosts_same(&a, &b));
	b = a;
	b.ip[0][15] = 2;
	expect_true(!prphosts_same(&a, &b));
}
