/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two ends of a connection as people see them.
 */
#ifndef _PRPCTL_ENDS_H
#define _PRPCTL_ENDS_H

#include <stdbool.h>

#include "kernel/diag.h"
#include "kernel/table.h"

void ends_show(const struct table *table, bool numeric,
	       const struct diag_socket *socket);
void ends_say(const struct table *table, const struct diag_socket *socket);

#endif /* _PRPCTL_ENDS_H */
