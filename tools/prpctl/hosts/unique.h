/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What no two hosts may have. As pure as parse.h.
 */
#ifndef _PRPCTL_UNIQUE_H
#define _PRPCTL_UNIQUE_H

#include "hosts/parse.h"

typedef void (*unique_report)(unsigned int line, unsigned int column,
			      const char *text, void *data);

int unique_check(const struct prphosts_node *node, size_t nodes,
		 unique_report report, void *data);

#endif /* _PRPCTL_UNIQUE_H */
