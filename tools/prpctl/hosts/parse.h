/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prphosts(5) in memory: the parser needs nothing but the C library, does no
 * input or output, and believes nothing of the text that it is given.
 */
#ifndef _PRPCTL_PARSE_H
#define _PRPCTL_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRPHOSTS_NUMBER_MAX 65534
#define PRPHOSTS_NAME_LEN 64 /* with its final zero */
#define PRPHOSTS_RAILS 8
#define PRPHOSTS_IPS 8
#define PRPHOSTS_TEXT_LEN 160
#define PRPHOSTS_ALL_RAILS (-1)

/* What a host has to itself, as an index of prphosts_node.column */
#define PRPHOSTS_AT_NUMBER 0
#define PRPHOSTS_AT_NAME 1
#define PRPHOSTS_AT_ADDR 2 /* of rail 0 */
#define PRPHOSTS_AT_IP (PRPHOSTS_AT_ADDR + PRPHOSTS_RAILS)
#define PRPHOSTS_FIELDS (PRPHOSTS_AT_IP + PRPHOSTS_IPS)

/**
 * struct prphosts_node - one host
 * @number: 1 to PRPHOSTS_NUMBER_MAX
 * @rails: bit r is set if @addr[r] is an address
 * @ip_count: how many of @ip are in use
 * @addr: hardware address on each rail
 * @name: name, zero terminated
 * @ip: IP addresses; IPv4 as v4-mapped IPv6
 * @line: line of the file, from 1; 0 if it came from the kernel
 * @column: where on the line all this is, from 1
 */
struct prphosts_node {
	uint16_t number;
	uint8_t rails;
	uint8_t ip_count;
	uint8_t addr[PRPHOSTS_RAILS][6];
	char name[PRPHOSTS_NAME_LEN];
	uint8_t ip[PRPHOSTS_IPS][16];
	unsigned int line;
	unsigned int column[PRPHOSTS_FIELDS];
};

/**
 * struct prphosts_link - a wire between two hosts
 * @node: number of the host with the lower number
 * @peer: number of the other one
 * @rail: rail of both, or PRPHOSTS_ALL_RAILS that both have
 * @line: line of the file, from 1; 0 if it came from the kernel
 * @column: where on the line it begins, from 1
 */
struct prphosts_link {
	uint16_t node;
	uint16_t peer;
	int rail;
	unsigned int line;
	unsigned int column;
};

/**
 * struct prphosts_error - what is wrong with a line
 * @line: line of the file, from 1
 * @column: where on the line, in bytes, from 1
 * @text: one line of printable ASCII
 */
struct prphosts_error {
	unsigned int line;
	unsigned int column;
	char text[PRPHOSTS_TEXT_LEN];
};

/**
 * struct prphosts - a file
 * @node: hosts, sorted by number; only of use if there is no error
 * @nodes: how many
 * @link: links, sorted by prphosts_link_compare(); likewise
 * @links: how many
 * @error: errors, sorted by line and column
 * @errors: how many
 */
struct prphosts {
	struct prphosts_node *node;
	size_t nodes;
	struct prphosts_link *link;
	size_t links;
	struct prphosts_error *error;
	size_t errors;
};

int prphosts_parse(struct prphosts *hosts, const char *text, size_t len);
void prphosts_free(struct prphosts *hosts);
bool prphosts_same(const struct prphosts_node *a,
		   const struct prphosts_node *b);
int prphosts_link_compare(const void *left, const void *right);

#endif /* _PRPCTL_PARSE_H */
