/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTESTS_COUNTERS_H
#define _SELFTESTS_COUNTERS_H

void counters_ask(const char *const *names, long *values, int count);

#endif
