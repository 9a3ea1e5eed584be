/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a host looks.
 */
#ifndef _PRPCTL_PRINT_H
#define _PRPCTL_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "parse.h"
#include "table.h"

#define MAC_LEN		18	/* printed, with its final zero */

/**
 * struct widths - columns of a list of hosts
 * @name: of the names
 * @macs: of the hardware addresses
 */
struct widths {
	int	name;
	int	macs;
};

const char *print_mac(char text[MAC_LEN], const uint8_t *mac);
void print_widen(struct widths *w, const struct prphosts_node *node);
void print_host(const char *key, const struct prphosts_node *node, bool self,
		const struct widths *w);
void print_diff(const struct diff *diff, uint16_t self);

#endif /* _PRPCTL_PRINT_H */
