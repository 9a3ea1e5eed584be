/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which hosts a frame passes where links say so.
 */
#ifndef _PRPCTL_WAY_H
#define _PRPCTL_WAY_H

#include <stdint.h>

#include "kernel/table.h"

#define WAY_MAX 64 /* more are of no help to a reader */

int way_find(const struct table *table, uint16_t from, uint16_t to,
	     uint16_t way[WAY_MAX]);

#endif /* _PRPCTL_WAY_H */
