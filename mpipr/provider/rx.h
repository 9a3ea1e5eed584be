/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Receives of the program's. */
#ifndef MPIPR_RX_H
#define MPIPR_RX_H

#include <sys/uio.h>

#include "mpipr.h"

struct mpipr_inflow;
struct mpipr_peer;

/**
 * struct mpipr_rx - a receive of the program's
 * @want: what fits to it
 * @ep: its endpoint
 * @tagged: of which queues
 * @multi: its buffer takes several messages
 * @report: what the completion queue is told of its messages
 * @context: the program's
 * @iov: buffer
 * @count: pieces of it
 * @room: bytes of it
 * @used: with @multi, bytes that were given to messages
 * @flows: messages that are on their way into it
 * @retired: no more messages may come into it
 * @err: why it ends with the last of those that are on their way, an error of
 *	libfabric's, or 0 if that is not an error
 */
struct mpipr_rx {
	struct mpipr_want want;
	struct mpipr_ep *ep;
	bool tagged;
	bool multi;
	enum mpipr_report report;
	void *context;
	struct iovec iov[MPIPR_IOV_LIMIT];
	size_t count;
	size_t room;
	size_t used;
	unsigned int flows;
	bool retired;
	int err;
};

/**
 * mpipr_rx_queues() - where receives wait, and messages for them
 * @ep: endpoint
 * @tagged: the tagged ones
 *
 * Return: the queues.
 */
static inline struct mpipr_match *mpipr_rx_queues(struct mpipr_ep *ep,
						  bool tagged)
{
	return tagged ? &ep->tagged : &ep->plain;
}

/**
 * mpipr_rx_kind() - what a completion says of a receive
 * @tagged: of a tagged one
 *
 * Return: flags.
 */
static inline uint64_t mpipr_rx_kind(bool tagged)
{
	return FI_RECV | (tagged ? FI_TAGGED : FI_MSG);
}

struct mpipr_rx *mpipr_rx_alloc(struct mpipr_ep *ep);
ssize_t mpipr_rx_cancel(struct mpipr_ep *ep, void *context);
struct mpipr_rx *mpipr_rx_for(struct mpipr_ep *ep, struct mpipr_peer *peer,
			      const struct mpipr_wire *wire);
struct mpipr_done mpipr_rx_describe(const struct mpipr_wire *wire,
				    const struct mpipr_peer *peer,
				    void *context);
void mpipr_rx_complete(struct mpipr_inflow *in, int err);
void mpipr_rx_retire(struct mpipr_rx *rx);
void mpipr_rx_fail(struct mpipr_rx *rx, int err);
void mpipr_rx_peer_silent(struct mpipr_peer *peer, int err);
void mpipr_rx_peer_lost(struct mpipr_peer *peer, int err);
void mpipr_rx_close(struct mpipr_ep *ep);

#endif
