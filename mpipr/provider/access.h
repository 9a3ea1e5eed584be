/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the calls that access a peer's memory have in common. */
#ifndef MPIPR_ACCESS_H
#define MPIPR_ACCESS_H

#include <sys/uio.h>

#include "mpipr.h"

/*
 * Flag of mpipr_access(), beside libfabric's: no word of a good end. It comes
 * with the endpoint's context, for failures: the operation has none.
 */
#define MPIPR_ACCESS_QUIET (1ull << 63)

/**
 * struct mpipr_access - what is to be done with a peer's memory
 * @wire: header: type, flags, data; tag and peer_id say where
 * @out: payload
 * @out_count: pieces of it
 * @in: where what comes of it goes
 * @in_count: pieces of that
 * @kind: flags of its completion: FI_RMA or FI_ATOMIC
 * @copy: payload may change when the call returns, whatever the flags say
 */
struct mpipr_access {
	struct mpipr_wire wire;
	const struct iovec *out;
	size_t out_count;
	const struct iovec *in;
	size_t in_count;
	uint64_t kind;
	bool copy;
};

ssize_t mpipr_access(struct mpipr_ep *ep, struct mpipr_access *access,
		     fi_addr_t to, void *context, uint64_t flags);

#endif
