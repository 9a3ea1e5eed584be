/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Senders, one port and time, simulated: what the congestion rule does beside
 * TCP and beside itself. Segments, acknowledgments and loss are those of
 * pure/snd.c and pure/rcv.c; a port is a rate and a queue that drops at its
 * tail. The same seed gives the same run.
 */
#ifndef _SELFTESTS_SIM_H
#define _SELFTESTS_SIM_H

#include <linux/types.h>

#define SIM_FLOWS 72
#define SIM_PINGS 8192

enum sim_kind { SIM_PRP, SIM_CUBIC, SIM_PING };

/**
 * struct sim - what is simulated, and what came of it
 * @mbit: rate of the port, Mbit/s
 * @buffer: bytes that may wait in it
 * @police: no queue: what exceeds the rate by @buffer bytes is dropped
 * @base_us: round trip without a queue
 * @nic_mbit: rate of each sender's device
 * @host_us: a host takes up to so much longer for a frame; they stay in order
 * @loss: of 10000 frames so many are lost before the port by chance ...
 * @loss_after: ... and behind it
 * @loss_back: as many of acknowledgments
 * @jitter_us: every frame takes longer by up to so much, so they overtake
 * @stall_us: half of the time no host comes to what has arrived and to its
 *	timers, so long on average; then to all of it, in order
 * @dark_ms: from then on nothing arrives ...
 * @light_ms: ... until then; 0 for never
 * @seed: of chance
 * @flows: senders
 * @kind: of each
 * @start_ms: when each begins
 * @stop_ms: when it ends, 0 for never
 * @most: windows of TCP never get larger than so many segments, 0 for no bound
 * @segs: segments that each has to send, 0 for no end
 * @among: so many may begin with it, as the receiver has told it; 0: nothing
 * @warm_ms: nothing is counted before
 * @end_ms: when it ends
 * @got: segments that arrived for the first time, of each
 * @offered: frames that reached the port, of each
 * @dropped: frames that the port dropped, of each
 * @sent: segments sent, of each
 * @again: of these, repeats
 * @acks: acknowledgments sent to each
 * @done_us: when the last one that has an end had sent all, since @start_ms[0];
 *	0 if one has not
 * @pings: times of a SIM_PING, sorted, us ...
 * @pinged: ... and how many
 * @queue_us: how long a frame had to wait, median and 99th percentile
 */
struct sim {
	unsigned int mbit, buffer, base_us, nic_mbit, host_us, loss;
	unsigned int loss_after, loss_back, jitter_us, stall_us, dark_ms,
		light_ms;
	bool police;
	u64 seed;
	unsigned int flows;
	enum sim_kind kind[SIM_FLOWS];
	unsigned int start_ms[SIM_FLOWS], stop_ms[SIM_FLOWS];
	unsigned int most, segs, among[SIM_FLOWS];
	unsigned int warm_ms, end_ms;

	u64 got[SIM_FLOWS], offered[SIM_FLOWS], dropped[SIM_FLOWS];
	u64 sent[SIM_FLOWS], again[SIM_FLOWS], acks[SIM_FLOWS];
	unsigned int done_us, pinged, pings[SIM_PINGS];
	unsigned int queue_us[2];
};

void sim_run(struct sim *sim);

#endif
