/* SPDX-License-Identifier: GPL-2.0 */
/* How many times longer a debug kernel may take: $PRP_SLOW, see lib.sh. */
#ifndef _SELFTESTS_SLOW_H
#define _SELFTESTS_SLOW_H

#include <stdlib.h>

static inline int slow(void)
{
	const char *times = getenv("PRP_SLOW");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

#define LIMIT_MS (15000 * slow()) /* nothing waited for takes longer */

#endif
