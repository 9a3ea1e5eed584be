/* SPDX-License-Identifier: GPL-2.0 */
/* How many times longer a debug kernel may take, $PRP_SLOW, see lib.sh; and
 * what $PRP_LONG has more of.
 */
#ifndef _SELFTESTS_SLOW_H
#define _SELFTESTS_SLOW_H

#include <stdlib.h>

static inline int slow(void)
{
	const char *times = getenv("PRP_SLOW");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

/* How much of what may be more or less: that of the long variants or not. */
static inline int amount(int most, int less)
{
	const char *is_long = getenv("PRP_LONG");

	return is_long && *is_long ? most : less;
}

#define LIMIT_MS (15000 * slow()) /* nothing waited for takes longer */

#endif
