// SPDX-License-Identifier: GPL-2.0
/* How long to wait for what was overtaken, as pure logic; see hold.h. */
#include <linux/kernel.h>

#include "pure/hold.h"
#include "pure/window.h"

/**
 * prp_hold_us() - how long to wait
 * @hold: what was learned
 * @rtt_us: smoothed round trip, microseconds
 * @var_us: four times its mean deviation, microseconds
 *
 * Return: microseconds.
 */
u32 prp_hold_us(const struct prp_hold *hold, u32 rtt_us, u32 var_us)
{
	return ((hold->few ? rtt_us : rtt_us / 4) + var_us) << hold->shift;
}

/**
 * prp_hold_needless() - something was sent again that had arrived
 * @hold: what was learned
 */
void prp_hold_needless(struct prp_hold *hold)
{
	if (hold->shift < PRP_HOLD_SHIFT_MAX)
		hold->shift++;
	hold->kept = PRP_HOLD_KEPT;
}

/**
 * prp_hold_most() - how much of each row counts as lost when the wait is over
 * @hold: what was learned
 *
 * Return: segments.
 */
unsigned int prp_hold_most(const struct prp_hold *hold)
{
	return hold->few ? PRP_WIN : PRP_HOLD_FEW;
}

/**
 * prp_hold_over() - the wait is over
 * @hold: what was learned
 * @found: segments that have not arrived ...
 * @lost: ... and so many of them are called lost now, see prp_hold_most()
 *
 * Return: whether to wait for the rest.
 */
bool prp_hold_over(struct prp_hold *hold, unsigned int found, unsigned int lost)
{
	if (lost && hold->kept && !--hold->kept)
		hold->shift = 0;
	hold->few = found > lost;
	return hold->few;
}
