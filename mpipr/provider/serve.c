// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Peers that access our memory: each access is checked here, done while the
 * program makes progress, in the order in which they come, and answered.
 */
#include "conn.h"
#include "peer.h"
#include "region.h"
#include "serve.h"
#include "tx.h"

/* Says that an access is done, or why not: @err, below 0. */
static void answer(struct mpipr_peer *peer, uint64_t id, int err)
{
	struct mpipr_wire wire = {
		.type = MPIPR_WIRE_ANSWER,
		.peer_id = id,
		.data = -err,
	};

	if (!peer->tx)
		return;
	err = mpipr_tx_control(peer->tx, &wire);
	if (err)
		mpipr_conn_end(peer->tx, -err);
}

/* What comes goes to the region, or nowhere if it may not. */
static void begin_write(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	struct mpipr_inflow *in = &conn->eager;

	in->peer = conn->peer;
	in->wire = *wire;
	in->rx = NULL;
	in->early = NULL;
	in->region = NULL;
	in->err = mpipr_region_get(conn->ep->domain, wire, wire->len,
				   FI_REMOTE_WRITE, &in->region);
	in->room = in->err ? 0 : wire->len;
	in->left = in->room;
	in->count = 1;
	in->iov[0].iov_base = in->err ? NULL : in->region->base + wire->tag;
	in->iov[0].iov_len = in->room;
	conn->in = in;
	conn->left = wire->len;
}

static int send_region(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		       struct mpipr_region *region)
{
	struct mpipr_wire data = {
		.type = MPIPR_WIRE_DATA,
		.peer_id = wire->id,
	};
	struct mpipr_tx *tx = mpipr_tx_answer(peer);

	if (!tx)
		return -FI_ENOMEM;
	tx->region = region;
	tx->iov[0].iov_base = region->base + wire->tag;
	tx->iov[0].iov_len = wire->len;
	tx->count = 1;
	tx->len = wire->len;
	return mpipr_tx_pieces(tx, &data);
}

static void read_region(struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	struct mpipr_region *region;
	int err = mpipr_region_get(peer->ep->domain, wire, wire->len,
				   FI_REMOTE_READ, &region);

	if (!err && !wire->len)
		mpipr_region_put(region);
	if (err || !wire->len) {
		answer(peer, wire->id, err);
		return;
	}
	if (!peer->tx) {
		mpipr_region_put(region);
		return;
	}
	err = send_region(peer, wire, region);
	if (err)
		mpipr_conn_end(peer->tx, -err);
}

/**
 * mpipr_serve() - a peer accesses our memory
 * @conn: connection that says so; may be ended
 * @wire: MPIPR_WIRE_WRITE or MPIPR_WIRE_READ
 *
 * Return: 0, or -FI_EIO if it left too many unanswered.
 */
int mpipr_serve(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	if (conn->peer->answers >= MPIPR_WIRE_ASKS)
		return -FI_EIO;
	if (wire->type == MPIPR_WIRE_WRITE)
		begin_write(conn, wire);
	else
		read_region(conn->peer, wire);
	return 0;
}

/* The program gets what the peer has for it. */
static void tell(const struct mpipr_inflow *in)
{
	struct mpipr_side side = { .cq = in->peer->ep->rx.cq };
	const struct mpipr_done done = {
		.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
		.len = in->wire.len,
		.data = in->wire.data,
		.from = in->peer->number,
	};

	mpipr_side_done(&side, &done, true);
}

/**
 * mpipr_serve_arrived() - all of a write has come
 * @in: what brought it
 */
void mpipr_serve_arrived(struct mpipr_inflow *in)
{
	mpipr_inflow_done(in, 0);
	if (!in->err && in->wire.flags & MPIPR_WIRE_CQ_DATA)
		tell(in);
	answer(in->peer, in->wire.id, in->err);
}
