// SPDX-License-Identifier: GPL-2.0
/* Round trips, smoothed, as pure logic; see rtt.h. */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "pure/rtt.h"
#include "pure/window.h"

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

/**
 * prp_rtt_probe() - time a probe, and none that was before
 * @rtt: round trips; what is timed else goes on
 * @txno: its transmission number
 * @now_ns: time
 */
void prp_rtt_probe(struct prp_rtt *rtt, u32 txno, u64 now_ns)
{
	rtt->probe_txno = txno;
	rtt->probe_us = (u32)div_u64(now_ns, 1000) ?: 1;
}

/**
 * prp_rtt_probed() - is a probe that is timed answered?
 * @rtt: round trips
 * @newest: newest transmission number that the receiver has reported
 * @now_ns: time
 *
 * It is, by the word that it is the newest; if something newer is, the answer
 * was lost. It changes nothing in the smoothed round trip.
 *
 * Return: microseconds that it took; 0 if that is not known, or not yet.
 */
u32 prp_rtt_probed(struct prp_rtt *rtt, u32 newest, u64 now_ns)
{
	u32 us = (u32)div_u64(now_ns, 1000) - rtt->probe_us;

	if (!rtt->probe_us || prp_txno_before(newest, rtt->probe_txno))
		return 0;
	rtt->probe_us = 0;
	return newest == rtt->probe_txno ? clamp_t(u32, us, 1, RTT_US_MAX) : 0;
}
