// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the prphosts(5) parser, tools/prpctl/parse.c.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "unit.h"

static struct prphosts hosts;	/* what was parsed last */

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

/* Error @i is in line @line and has @text in it. */
#define expect_error(i, at, words) do {					\
	size_t i_ = (i);						\
									\
	expect_true(i_ < hosts.errors);					\
	expect_eq(hosts.error[i_].line, at);				\
	if (!strstr(hosts.error[i_].text, words))			\
		unit_fail(__FILE__, __LINE__, "got \"%s\", expected \"%s\"",	\
			  hosts.error[i_].text, words);			\
} while (0)

/* The file has one error, in line @at, with @words in it. */
#define expect_refused(file, at, words) do {				\
	parse(file);							\
	expect_error(0, at, words);					\
	expect_eq(hosts.errors, 1);					\
	prphosts_free(&hosts);						\
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
	parse(" \t1\t\ta \v 52:54:00:00:00:01\f10.0.0.1\t \n");
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
	parse("\xef\xbb\xbf" "1 a 52:54:00:00:00:01\n");
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
	parse("65534 a 52:54:00:00:00:01 1.0.0.1 1.0.0.2 1.0.0.3 1.0.0.4 1.0.0.5 1.0.0.6 1.0.0.7 1.0.0.8\n"
	      "1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 52:54:00:00:00:02\n");
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
	expect_refused("1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 52:54:00:00:00:01",
		1, "longer than 63");
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
	expect_refused("1 a 525400000001", 1, "not a hardware address");
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

UNIT(ip__refused)
{
	expect_refused("1 a 52:54:00:00:00:01 10.0.0", 1, "not an IP address");
	expect_refused("1 a 52:54:00:00:00:01 10.0.0.256", 1,
		       "not an IP address");
	expect_refused("1 a 52:54:00:00:00:01 10.0.0.1/24", 1,
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
	expect_refused("1 a 52:54:00:00:00:01 1.0.0.1 1.0.0.2 1.0.0.3 1.0.0.4 1.0.0.5 1.0.0.6 1.0.0.7 1.0.0.8 1.0.0.9",
		1, "more than 8 IP addresses");
}

UNIT(link__refused)
{
	static const char nodes[] =
		"1 a 52:54:00:00:00:01\n"
		"2 b 52:54:00:00:00:02,52:54:00:00:01:02\n";
	char file[256];

#define LINK(text, error) do {						\
	snprintf(file, sizeof(file), "%s%s", nodes, text);		\
	expect_refused(file, 3, error);					\
} while (0)
	LINK("link 1 2", "not supported by this version");
	LINK("link a b rail 0", "not supported by this version");
	LINK("link", "a link line is");
	LINK("link 1", "a link line is");
	LINK("link 1 2 3", "a link line is");
	LINK("link 1 2 rail", "a link line is");
	LINK("link 1 2 rain 0", "a link line is");
	LINK("link 1 2 rail 0 0", "a link line is");
	LINK("link 1 2 rail 8", "not in 0 to 7");
	LINK("link 1 2 rail x", "not in 0 to 7");
	LINK("link 1 2 rail 1", "node 1 has no address on rail 1");
	LINK("link 1 3", "node \"3\" is not in this file");
	LINK("link c 1", "node \"c\" is not in this file");
	LINK("link 1 a", "to itself");
#undef LINK
}

UNIT(link__before_its_nodes)
{
	expect_refused("link 1 b\n"
		       "1 a 52:54:00:00:00:01\n"
		       "2 b 52:54:00:00:00:02\n", 1,
		"not supported");
}

UNIT(link__to_a_bad_line_is_known)
{
	parse("1 a 52:54:00:00:00:01\n2 b zz\nlink 1 2\nlink a b\n");
	expect_eq(hosts.errors, 3);
	expect_error(0, 2, "not a hardware address");
	expect_error(1, 3, "not supported");
	expect_error(2, 4, "not supported");
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
		"link 1 a rail 0\n";
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
	char *text = malloc(count * 80 + 1);
	size_t len = 0;
	unsigned int i;

	for (i = count; i; i--)
		len += sprintf(text + len,
			       "%u\tnode%u\t52:54:00:00:%02x:%02x,52:54:00:01:%02x:%02x\t10.%u.%u.1\n",
			       i, i, i >> 8, i & 255, i >> 8, i & 255, i >> 8,
			       i & 255);
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
