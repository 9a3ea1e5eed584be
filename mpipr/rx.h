/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Receives, messages that came before their receive, and payload on its way
 * to one of them.
 */
#ifndef MPIPR_RX_H
#define MPIPR_RX_H

#include <sys/uio.h>

#include "mpipr.h"

struct prp_conn;
struct prp_peer;

/**
 * struct prp_rx - a receive of the program's
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
struct prp_rx {
	struct prp_want want;
	struct prp_ep *ep;
	bool tagged;
	bool multi;
	bool report;
	void *context;
	struct iovec iov[PRP_IOV_LIMIT];
	size_t count;
	size_t room;
	size_t used;
	unsigned int flows;
	bool retired;
};

/**
 * struct prp_early - a message that came before its receive
 * @offer: what it is
 * @wire: its header; type says whether the payload comes or waits
 * @peer: from whom
 * @life: of this one's lives, see prp_peer.life
 * @in: brings the payload; NULL if all of it is here, or none of it comes
 * @context: with FI_CLAIM, of the operation that reserved it
 * @payload: of an eager message
 */
struct prp_early {
	struct prp_offer offer;
	struct prp_wire wire;
	struct prp_peer *peer;
	uint32_t life;
	struct prp_inflow *in;
	void *context;
	uint8_t payload[];
};

/**
 * struct prp_inflow - payload on its way to its place
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
struct prp_inflow {
	struct prp_peer *peer;
	struct prp_wire wire;
	struct prp_rx *rx;
	struct prp_early *early;
	struct iovec iov[PRP_IOV_LIMIT];
	size_t count;
	uint64_t room;
	uint64_t left;
	void *buf;
};

ssize_t prp_rx_post(struct prp_ep *ep, bool tagged, const struct iovec *iov,
		    size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
		    void *context, uint64_t flags);
ssize_t prp_rx_cancel(struct prp_ep *ep, void *context);
struct prp_rx *prp_rx_for(struct prp_ep *ep, struct prp_peer *peer,
			  const struct prp_wire *wire);
void prp_rx_complete(struct prp_inflow *in, int err);
void prp_rx_fail(struct prp_rx *rx, int err);
void prp_rx_peer_lost(struct prp_peer *peer, int err);
void prp_rx_close(struct prp_ep *ep);

int prp_early_add(struct prp_peer *peer, const struct prp_wire *wire,
		  struct prp_inflow *in);

void prp_inflow_aim(struct prp_inflow *in, struct prp_rx *rx,
		    struct prp_peer *peer, const struct prp_wire *wire);
void prp_inflow_put(struct prp_inflow *in, const void *from, size_t bytes);
void prp_inflow_move(struct prp_inflow *in, size_t bytes);
void prp_inflow_done(struct prp_inflow *in, int err);

void prp_read(struct prp_conn *conn);
void prp_read_resume(struct prp_conn *conn);

#endif
