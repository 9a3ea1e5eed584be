// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Payload on its way to its place. */
#include <stdlib.h>
#include <stdlib.h>
#include <string.h>

#include "early.h"
#include "inflow.h"
#include "peer.h"
#include "region.h"
#include "rx.h"
#include "tx.h"

/**
 * mpipr_inflow_aim() - send payload to a receive
 * @in: set
 * @rx: receive
 * @peer: from whom the message is
 * @wire: its header
 */
void mpipr_inflow_aim(struct mpipr_inflow *in, struct mpipr_rx *rx,
		      struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	const size_t room = rx->room - rx->used;

	in->peer = peer;
	in->wire = *wire;
	in->rx = rx;
	in->early = NULL;
	in->region = NULL;
	in->room = wire->len < room ? wire->len : room;
	in->left = in->room;
	in->count = rx->count;
	memcpy(in->iov, rx->iov, rx->count * sizeof(*rx->iov));
	in->buf = rx->iov[0].iov_base;
	rx->flows++;
	if (!rx->multi)
		return;
	in->buf = (uint8_t *)in->buf + rx->used;
	in->iov[0].iov_base = in->buf;
	in->iov[0].iov_len = room;
	rx->used += in->room;
	if (rx->room - rx->used < rx->ep->min_multi_recv || in->room == room)
		mpipr_rx_retire(rx);
}

/**
 * mpipr_inflow_move() - bytes were read to their place
 * @in: what brings them
 * @bytes: how many, at most left; 0 takes away what is empty
 */
void mpipr_inflow_move(struct mpipr_inflow *in, size_t bytes)
{
	size_t gone = 0, part;

	in->left -= bytes;
	/* and the empty ones behind them */
	while (gone < in->count && (bytes || !in->iov[gone].iov_len)) {
		part = in->iov[gone].iov_len;
		if (part > bytes) {
			in->iov[gone].iov_base =
				(uint8_t *)in->iov[gone].iov_base + bytes;
			in->iov[gone].iov_len -= bytes;
			break;
		}
		bytes -= part;
		gone++;
	}
	if (gone) {
		in->count -= gone;
		memmove(in->iov, in->iov + gone, in->count * sizeof(*in->iov));
	}
}

/**
 * mpipr_inflow_put() - bytes that were read elsewhere go to their place
 * @in: what brings them
 * @from: the bytes
 * @bytes: how many; those that find no room are dropped
 */
void mpipr_inflow_put(struct mpipr_inflow *in, const void *from, size_t bytes)
{
	size_t part;

	if (bytes > in->left)
		bytes = in->left;
	while (bytes) {
		part = in->iov[0].iov_len < bytes ? in->iov[0].iov_len : bytes;
		memcpy(in->iov[0].iov_base, from, part);
		from = (const uint8_t *)from + part;
		bytes -= part;
		mpipr_inflow_move(in, part);
	}
}

/*
 * The credit that a message took is free; it goes back in time. To who was at
 * the peer's address before nothing is owed any more.
 */
static void give_back(struct mpipr_peer *peer, uint64_t cost)
{
	struct mpipr_wire wire = { .type = MPIPR_WIRE_GRANT };

	if (cost > peer->taken - peer->owed)
		cost = peer->taken - peer->owed;
	peer->owed += cost;
	if (peer->owed >= MPIPR_WIRE_CREDIT / 2 && peer->tx)
		mpipr_tx_control(peer->tx, &wire);
}

/* It waits, or FI_CLAIM has reserved it. */
static void forget(struct mpipr_early *early)
{
	struct mpipr_offer *offer = &early->offer;

	if (offer->queued)
		mpipr_match_del_offer(mpipr_rx_queues(early->peer->ep,
						      early->wire.flags &
							      MPIPR_WIRE_TAGGED),
				      offer);
	else
		mpipr_list_del(&offer->link);
	free(early);
}

/**
 * mpipr_inflow_done() - all of a message came, or the rest never will
 * @in: what brought it
 * @err: 0 or why not, an error of libfabric's, above 0
 */
void mpipr_inflow_done(struct mpipr_inflow *in, int err)
{
	if (in->early) {
		in->early->in = NULL;
		if (err)
			forget(in->early);
		return;
	}
	if (in->region)
		mpipr_region_put(in->region);
	if (in->wire.type == MPIPR_WIRE_ATOMIC)
		free(in->buf);
	if (in->wire.type == MPIPR_WIRE_EAGER)
		give_back(in->peer, mpipr_wire_cost(in->wire.len));
	if (in->rx)
		mpipr_rx_complete(in, err);
}
