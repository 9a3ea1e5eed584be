// SPDX-License-Identifier: GPL-2.0
/* Round trips, smoothed, as pure logic; see rtt.h. */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "pure/rtt.h"

#define RTT_US_MAX 10000000

/**
 * prp_rtt_took() - what was timed is answered
 * @rtt: round trips; something is timed
 * @now_ns: time
 *
 * Return: microseconds that it took.
 */
u32 prp_rtt_took(struct prp_rtt *rtt, u64 now_ns)
{
	s64 us = div_u64(now_ns - rtt->start_ns, 1000);
	s32 delta;

	rtt->start_ns = 0;
	us = clamp_t(s64, us, 1, RTT_US_MAX);
	if (!rtt->srtt_us8) {
		rtt->srtt_us8 = us * 8;
		rtt->var_us4 = us * 2;
		return us;
	}
	delta = us - prp_rtt_us(rtt);
	rtt->srtt_us8 += delta;
	rtt->var_us4 += abs(delta) - (s32)(rtt->var_us4 / 4);
	return us;
}
