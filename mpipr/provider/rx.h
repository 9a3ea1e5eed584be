/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Receives, messages that came before their receive, and payload on its way
 * to one of them.
 */
#ifndef MPIPR_RX_H
#define MPIPR_RX_H

#include <sys/uio.h>

#include "mpipr.h"

struct mpipr_conn;
struct mpipr_peer;

/**
 * struct mpipr_rx - a receive of the program's
 * @want: what fits to it
 * @ep: its endpoint
 * @tagged: of which queues
 * @multi: its buffer takes several messages
 * @report: it completes in the completion queue
 * @context: the program's
 * @iov: buffer
 * @count: pieces of it
 * @room: bytes of it
 * @used: with @multi, bytes that were given to messages
 * @flows: messages that are on their way into it
 * @retired: no more messages may come into it
 */
struct mpipr_rx {
	struct mpipr_want want;
	struct mpipr_ep *ep;
	bool tagged;
	bool multi;
	bool report;
	void *context;
	struct iovec iov[MPIPR_IOV_LIMIT];
	size_t count;
	size_t room;
	size_t used;
	unsigned int flows;
	bool retired;
};

/**
 * struct mpipr_early - a message that came before its receive
 * @offer: what it is
 * @wire: its header; type says whether the payload comes or waits
 * @peer: from whom
 * @life: of this one's lives, see mpipr_peer.life
 * @in: brings the payload; NULL if all of it is here, or none of it comes
 * @context: with FI_CLAIM, of the operation that reserved it
 * @payload: of an eager message
 */
struct mpipr_early {
	struct mpipr_offer offer;
	struct mpipr_wire wire;
	struct mpipr_peer *peer;
	uint32_t life;
	struct mpipr_inflow *in;
	void *context;
	uint8_t payload[];
};

/**
 * struct mpipr_inflow - payload on its way to its place
 * @peer: from whom
 * @wire: header of the message; len is all of it
 * @rx: receive that it is for, or NULL
 * @early: message without a receive that it is for, or NULL; if both are,
 *	nobody wants it
 * @iov: where the next byte goes
 * @count: pieces of it
 * @room: bytes of the message that have a place
 * @left: of these, bytes that did not come yet
 * @buf: the place, of a buffer for several messages
 */
struct mpipr_inflow {
	struct mpipr_peer *peer;
	struct mpipr_wire wire;
	struct mpipr_rx *rx;
	struct mpipr_early *early;
	struct iovec iov[MPIPR_IOV_LIMIT];
	size_t count;
	uint64_t room;
	uint64_t left;
	void *buf;
};

ssize_t mpipr_rx_post(struct mpipr_ep *ep, bool tagged, const struct iovec *iov,
		      size_t count, fi_addr_t from, uint64_t tag,
		      uint64_t ignore, void *context, uint64_t flags);
ssize_t mpipr_rx_cancel(struct mpipr_ep *ep, void *context);
struct mpipr_rx *mpipr_rx_for(struct mpipr_ep *ep, struct mpipr_peer *peer,
			      const struct mpipr_wire *wire);
void mpipr_rx_complete(struct mpipr_inflow *in, int err);
void mpipr_rx_fail(struct mpipr_rx *rx, int err);
void mpipr_rx_peer_lost(struct mpipr_peer *peer, int err);
void mpipr_rx_close(struct mpipr_ep *ep);

int mpipr_early_add(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		    struct mpipr_inflow *in);

void mpipr_inflow_aim(struct mpipr_inflow *in, struct mpipr_rx *rx,
		      struct mpipr_peer *peer, const struct mpipr_wire *wire);
void mpipr_inflow_put(struct mpipr_inflow *in, const void *from, size_t bytes);
void mpipr_inflow_move(struct mpipr_inflow *in, size_t bytes);
void mpipr_inflow_done(struct mpipr_inflow *in, int err);

void mpipr_read(struct mpipr_conn *conn);
void mpipr_read_resume(struct mpipr_conn *conn);

#endif
