// SPDX-License-Identifier: GPL-2.0
/*
 * The congestion window; see cong.h. It counts and never sends anything.
 */
#include <linux/kernel.h>

#include "pure/cong.h"
#include "pure/window.h"

/**
 * prp_cong_init() - begin
 * @cong: congestion window
 * @first: number of the first segment
 */
void prp_cong_init(struct prp_cong *cong, u32 first)
{
	cong->cwnd = PRP_CWND_FIRST;
	cong->round_lost = 0;
	cong->round_cwnd = PRP_CWND_FIRST;
	cong->round_end = first;
	cong->slow_start = true;
	cong->halved = false;
	cong->limited = false;
}

/**
 * prp_cong_acked() - segments have arrived
 * @cong: congestion window
 * @una: oldest segment that is not acknowledged, after this
 * @nxt: next new segment
 * @acked: segments that this acknowledgment was the first to report
 *
 * Only a window that kept something back may grow.
 */
void prp_cong_acked(struct prp_cong *cong, u32 una, u32 nxt, unsigned int acked)
{
	unsigned int cwnd = cong->cwnd;

	if (cong->slow_start && cong->limited)
		cwnd += acked;
	if (prp_before(una, cong->round_end)) {
		cong->cwnd = min_t(unsigned int, cwnd, PRP_WIN);
		return;
	}
	if (!cong->slow_start && cong->limited && !cong->halved)
		cwnd += PRP_CWND_STEP;
	cong->cwnd = min_t(unsigned int, cwnd, PRP_WIN);
	cong->round_cwnd = cong->cwnd;
	cong->round_end = nxt;
	cong->round_lost = 0;
	cong->halved = false;
	cong->limited = false;
}

/**
 * prp_cong_lost() - segments were found lost
 * @cong: congestion window
 * @lost: how many
 *
 * Return: true if the window was halved.
 */
bool prp_cong_lost(struct prp_cong *cong, unsigned int lost)
{
	unsigned int cwnd = cong->cwnd;

	cong->slow_start = false;
	cong->round_lost =
		min_t(unsigned int, cong->round_lost + lost, PRP_WIN);
	if (cong->halved)
		return false;
	if (cong->round_lost * 4 >= cong->round_cwnd && cong->round_lost > 1) {
		cong->halved = true;
		cong->cwnd = max_t(unsigned int, cwnd / 2, PRP_CWND_MIN);
		return true;
	}
	cong->cwnd = max_t(int, cwnd - lost, PRP_CWND_MIN);
	return false;
}

/**
 * prp_cong_silent() - a probe stayed without an answer
 * @cong: congestion window
 */
void prp_cong_silent(struct prp_cong *cong)
{
	cong->slow_start = false;
	cong->cwnd = max_t(unsigned int, cong->cwnd / 2, PRP_CWND_MIN);
}
