/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What both kinds of calls that receive have in common. */
#ifndef MPIPR_RECV_H
#define MPIPR_RECV_H

#include <sys/uio.h>

#include "mpipr.h"

ssize_t mpipr_recv(struct mpipr_ep *ep, bool tagged, const struct iovec *iov,
		   size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
		   void *context, uint64_t flags);

#endif
