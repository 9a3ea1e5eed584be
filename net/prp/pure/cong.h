/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many segments may be in flight, as pure logic. The basic rules: an
 * initial window, doubled every round trip until the first loss; then a
 * fixed step a round trip, and one segment less for every lost one, so that
 * the few losses of a noisy wire cost little and a share of losses costs
 * that share; half of it when a round trip lost a quarter or more, or a
 * probe stayed without answer.
 */
#ifndef _PRP_CONG_H
#define _PRP_CONG_H

#include <linux/types.h>

#define PRP_CWND_FIRST 16 /* segments before anything is known */
#define PRP_CWND_MIN 2
#define PRP_CWND_STEP 24 /* segments a round trip after slow start */

/**
 * struct prp_cong - congestion window
 * @cwnd: segments that may be in flight
 * @round_end: the round trip ends when this segment is acknowledged
 * @round_lost: segments found lost in this round trip
 * @round_cwnd: @cwnd when this round trip began
 * @slow_start: nothing has been lost yet
 * @halved: the window was halved in this round trip already
 * @limited: the window kept something back in this round trip
 */
struct prp_cong {
	u16 cwnd;
	u16 round_lost;
	u16 round_cwnd;
	u32 round_end;
	bool slow_start;
	bool halved;
	bool limited;
};

void prp_cong_init(struct prp_cong *cong, u32 first);
void prp_cong_acked(struct prp_cong *cong, u32 una, u32 nxt,
		    unsigned int acked);
bool prp_cong_lost(struct prp_cong *cong, unsigned int lost);
void prp_cong_silent(struct prp_cong *cong);

#endif /* _PRP_CONG_H */
