/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long what was overtaken may still arrive before it counts as lost, as
 * pure logic; snd.c knows what that is. Two processors' frames overtake each
 * other by as many as are in their queues, and for as long as one of the two
 * does something else.
 *
 * A quarter of a round trip, and what round trips vary by: as TCP waits
 * (RFC 8985, section 6.2), and little unless a machine has too much to do.
 * Where that was not enough it is doubled, up to PRP_HOLD_SHIFT_MAX times, and
 * is as it was once it was enough PRP_HOLD_KEPT times. What is still not there
 * is sent again, but of many in a row a few at first: they may all be in one
 * queue. The rest is given a round trip, in which the few are answered.
 */
#ifndef _PRP_HOLD_H
#define _PRP_HOLD_H

#include <linux/types.h>

#define PRP_HOLD_SHIFT_MAX 3
#define PRP_HOLD_KEPT 16 /* as RACK.reo_wnd_persist of RFC 8985 */
#define PRP_HOLD_FEW 4 /* segments in a row */

/**
 * struct prp_hold - what waiting has taught
 * @shift: the wait is so many times doubled ...
 * @kept: ... until it was enough so many times
 * @few: a few in each row have been sent again, the rest waits
 */
struct prp_hold {
	u8 shift;
	u8 kept;
	bool few;
};

u32 prp_hold_us(const struct prp_hold *hold, u32 rtt_us, u32 var_us);
void prp_hold_needless(struct prp_hold *hold);
unsigned int prp_hold_most(const struct prp_hold *hold);
bool prp_hold_over(struct prp_hold *hold, unsigned int found,
		   unsigned int lost);

#endif /* _PRP_HOLD_H */
