/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round trips: one segment or request at a time is timed, and what it took is
 * smoothed as TCP does it (RFC 6298, section 2), as pure logic. What was sent
 * again meanwhile is not timed, since nobody knows which one was answered
 * (Karn's algorithm); a repeat may be.
 */
#ifndef _PRP_RTT_H
#define _PRP_RTT_H

#include <linux/types.h>

/**
 * struct prp_rtt - round trips of a connection
 * @start_ns: when what is timed left, 0 if nothing is timed
 * @tick: last tick in which a segment was timed, the lower half
 * @seq: segment that is timed
 * @txno: its transmission number
 * @behind: segments that were in flight then, with it
 * @again: it is a repeat
 * @asked: it is to be answered at once
 * @srtt_us8: smoothed round trip, microseconds * 8; 0 before the first one
 * @var_us4: its mean deviation, microseconds * 4
 * @probe_txno: transmission number of a probe that is timed ...
 * @probe_us: ... and when it left, microseconds, not 0; 0 if none is
 */
struct prp_rtt {
	u64 start_ns;
	u32 tick;
	u32 seq;
	u32 txno;
	u16 behind;
	bool again;
	bool asked;
	u32 srtt_us8;
	u32 var_us4;
	u32 probe_txno;
	u32 probe_us;
};

/**
 * prp_rtt_us() - the smoothed round trip
 * @rtt: round trips
 *
 * Return: microseconds, 0 before the first one.
 */
static inline u32 prp_rtt_us(const struct prp_rtt *rtt)
{
	return rtt->srtt_us8 / 8;
}

/**
 * prp_rtt_forget() - what is timed may have been sent more than once
 * @rtt: round trips
 */
static inline void prp_rtt_forget(struct prp_rtt *rtt)
{
	rtt->start_ns = 0;
}

/**
 * prp_rtt_again() - another segment of this tick may be timed
 * @rtt: round trips
 */
static inline void prp_rtt_again(struct prp_rtt *rtt)
{
	rtt->tick = 0;
}

u32 prp_rtt_took(struct prp_rtt *rtt, u64 now_ns);
void prp_rtt_probe(struct prp_rtt *rtt, u32 txno, u64 now_ns);
u32 prp_rtt_probed(struct prp_rtt *rtt, u32 newest, u64 now_ns);

#endif /* _PRP_RTT_H */
