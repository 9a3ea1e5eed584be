/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What both kinds of calls that send have in common. */
#ifndef MPIPR_SEND_H
#define MPIPR_SEND_H

#include <sys/uio.h>

#include "mpipr.h"

/* Flag of mpipr_send(), beside libfabric's: no word of its end */
#define MPIPR_SEND_QUIET (1ull << 63)

ssize_t mpipr_send(struct mpipr_ep *ep, const struct iovec *iov, size_t count,
		   fi_addr_t to, struct mpipr_wire *wire, void *context,
		   uint64_t flags);

#endif
