/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Payload on its way to a receive, or to a message without one. */
#ifndef MPIPR_INFLOW_H
#define MPIPR_INFLOW_H

#include <sys/uio.h>

#include "mpipr.h"

struct mpipr_early;
struct mpipr_peer;
struct mpipr_region;
struct mpipr_rx;

/**
 * struct mpipr_inflow - payload on its way to its place
 * @peer: from whom
 * @wire: header of the message; len is all of it
 * @rx: receive that it is for, or NULL
 * @early: message without a receive that it is for, or NULL; if both are,
 *	nobody wants it
 * @region: memory of the program's that a peer writes, or NULL
 * @err: why a peer may not write there, an error of libfabric's, below 0
 * @iov: where the next byte goes
 * @count: pieces of it
 * @room: bytes of the message that have a place
 * @left: of these, bytes that did not come yet
 * @buf: the place, of a buffer for several messages; operands of an atomic
 *	operation, which are freed with it
 */
struct mpipr_inflow {
	struct mpipr_peer *peer;
	struct mpipr_wire wire;
	struct mpipr_rx *rx;
	struct mpipr_early *early;
	struct mpipr_region *region;
	int err;
	struct iovec iov[MPIPR_IOV_LIMIT];
	size_t count;
	uint64_t room;
	uint64_t left;
	void *buf;
};

void mpipr_inflow_aim(struct mpipr_inflow *in, struct mpipr_rx *rx,
		      struct mpipr_peer *peer, const struct mpipr_wire *wire);
void mpipr_inflow_put(struct mpipr_inflow *in, const void *from, size_t bytes);
void mpipr_inflow_move(struct mpipr_inflow *in, size_t bytes);
void mpipr_inflow_done(struct mpipr_inflow *in, int err);

#endif
