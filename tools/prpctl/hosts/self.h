/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This machine in a host file, found as the kernel finds it.
 */
#ifndef _PRPCTL_SELF_H
#define _PRPCTL_SELF_H

#include "hosts/parse.h"
#include "kernel/device.h"
#include "kernel/table.h"

#define SELF_LIST_LEN 400 /* self_list(): more are of no help to a reader */

const struct prphosts_node *self_find(const struct prphosts *hosts,
				      const struct devices *devices);
bool self_stays(const struct table *table, const struct prphosts *hosts);
const char *self_list(const struct devices *devices, char list[SELF_LIST_LEN]);

#endif /* _PRPCTL_SELF_H */
