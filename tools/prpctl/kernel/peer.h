/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel knows of other hosts from what they have sent.
 */
#ifndef _PRPCTL_PEER_H
#define _PRPCTL_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/counters.h"
#include "kernel/nl.h"

#define PEER_RAILS 8
#define PEER_COUNTERS 12 /* of a newer kernel, the first ones */

/**
 * struct peer_rail - a rail to a host that was left at least once, or narrow
 * @why: why the last time: enum prp_left
 * @left_ms: since then
 * @back_ms: since it was taken back, -1 while it is left
 * @times: how often it was left, 0 if never
 * @size: longest payload of a frame that passes, 0 if all do
 * @size_ms: since that was found
 */
struct peer_rail {
	uint8_t why;
	int64_t left_ms;
	int64_t back_ms;
	uint32_t times;
	uint16_t size;
	int64_t size_ms;
};

/**
 * struct peer - what is known of a host; -1 where nothing is
 * @number: number of the host
 * @heard_ms: since something came from it
 * @table_hash: checksum of its host table
 * @table_differs: that is not ours
 * @version_low: lowest version it speaks, if it does not speak ours
 * @version_high: highest one
 * @conns: connections with it
 * @silent_ms: for which what was sent to it has had no answer
 * @error: what a forwarder last said of the way to it: PEER_*
 * @error_node: number of that forwarder
 * @error_ms: since it said so
 * @lacks: features that one end must have and the other does not know, 0 if
 *	there are none
 * @rail: rails to it by number
 * @counter: what all connections with it have counted
 * @counters: how many
 */
struct peer {
	uint16_t number;
	int64_t heard_ms;
	int64_t table_hash;
	bool table_differs;
	int version_low;
	int version_high;
	uint32_t conns;
	int64_t silent_ms;
	int error;
	int error_node;
	int64_t error_ms;
	uint16_t lacks;
	struct peer_rail rail[PEER_RAILS];
	struct counter counter[PEER_COUNTERS];
	unsigned int counters;
};

#define PEER_FEATURES_LEN 128 /* peer_lacks() */

/* peer.error */
#define PEER_NO_ROUTE 1
#define PEER_HOP_LIMIT 2
#define PEER_TOO_BIG 3

/**
 * struct peers - peers, sorted by number
 * @peer: peers
 * @count: how many
 * @room: how many @peer has memory for
 */
struct peers {
	struct peer *peer;
	size_t count;
	size_t room;
};

void peer_clear(struct peer *peer, uint16_t number);
void peer_take(const struct nlmsghdr *nlh, struct peer *peer);
int peer_fetch(struct nl *nl, uint16_t number, struct peer *peer);
int peer_fetch_all(struct nl *nl, struct peers *peers);
uint64_t peer_rails_left(const struct peer *peer);
const char *peer_error(const struct peer *peer);
const char *peer_rail_why(const struct peer_rail *rail);
const char *peer_lacks(const struct peer *peer, char *buffer);

#endif /* _PRPCTL_PEER_H */
