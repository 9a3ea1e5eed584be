/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the last call, in a file of the user's.
 */
#ifndef _PRPCTL_KEPT_H
#define _PRPCTL_KEPT_H

#include <stdint.h>

#include "kernel/counters.h"

int kept_exchange(const char *scope, struct counters *counters,
		  int64_t *since_ms);

#endif /* _PRPCTL_KEPT_H */
