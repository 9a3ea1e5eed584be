/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How hosts and links look.
 */
#ifndef _PRPCTL_PRINT_H
#define _PRPCTL_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>

#include "hosts/diff.h"
#include "hosts/parse.h"

#define MAC_LEN 18 /* printed, with its final zero */

/**
 * struct widths - columns of a list of hosts
 * @name: of the names
 * @macs: of the hardware addresses
 */
struct widths {
	int name;
	int macs;
};

const char *print_mac(char text[MAC_LEN], const uint8_t *mac);
const char *print_macs(char text[PRPHOSTS_RAILS * MAC_LEN],
		       const struct prphosts_node *node);
const char *print_ip(char text[INET6_ADDRSTRLEN], const uint8_t *ip);
void print_widen(struct widths *w, const struct prphosts_node *node);
void print_host(const char *key, const struct prphosts_node *node, bool self,
		const struct widths *w);
void print_link(const char *key, const struct prphosts_link *link);
void print_diff(const struct diff *diff, uint16_t self);

#endif /* _PRPCTL_PRINT_H */
