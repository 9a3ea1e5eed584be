// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Peers that access our memory: each access is checked here, done while the
 * program makes progress, in the order in which they come, and answered.
 */
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "op.h"
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
		mpipr_conn_unsent(peer->tx, -err);
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

/* What was asked for goes out. */
static void send_bytes(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		       struct mpipr_tx *tx, void *from, size_t bytes)
{
	struct mpipr_wire data = {
		.type = MPIPR_WIRE_DATA,
		.peer_id = wire->id,
	};
	int err;

	tx->iov[0].iov_base = from;
	tx->iov[0].iov_len = bytes;
	tx->count = 1;
	tx->len = bytes;
	err = mpipr_tx_pieces(tx, &data);
	if (err)
		mpipr_conn_unsent(peer->tx, -err);
}

static void read_region(struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	struct mpipr_region *region;
	struct mpipr_tx *tx = NULL;
	int err = mpipr_region_get(peer->ep->domain, wire, wire->len,
				   FI_REMOTE_READ, &region);

	if (!err && wire->len && peer->tx) {
		tx = mpipr_tx_answer(peer, 0);
		err = tx ? 0 : -FI_ENOMEM;
	}
	if (tx) {
		tx->region = region;
		send_bytes(peer, wire, tx, region->base + wire->tag, wire->len);
		return;
	}
	if (!err || err == -FI_ENOMEM)
		mpipr_region_put(region);
	answer(peer, wire->id, err);
}

/* Bytes of the values, and of what comes with them; or is it none? */
static bool sizes(const struct mpipr_wire *wire, struct mpipr_wire_op *op,
		  size_t *bytes, size_t *operands)
{
	*op = mpipr_wire_op_get(wire->data);
	*bytes = op->count * mpipr_op_size(op->type);
	if (op->op == FI_ATOMIC_READ)
		*operands = 0;
	else
		*operands = op->kind == MPIPR_OP_COMPARE ? 2 * *bytes : *bytes;
	return mpipr_op_is_valid(op->kind, op->type, op->op) &&
	       op->count <= MPIPR_WIRE_OPERANDS &&
	       *bytes <= MPIPR_WIRE_OPERANDS && *operands == wire->len;
}

/* Operands are kept until all are there. */
static int begin_atomic(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	struct mpipr_inflow *in = &conn->eager;
	size_t bytes, operands;
	struct mpipr_wire_op op;

	if (!sizes(wire, &op, &bytes, &operands))
		return -FI_EIO;
	in->buf = malloc(operands + 1);
	if (!in->buf)
		return -FI_ENOMEM;
	in->peer = conn->peer;
	in->wire = *wire;
	in->rx = NULL;
	in->early = NULL;
	in->region = NULL;
	in->room = operands;
	in->left = operands;
	in->count = 1;
	in->iov[0].iov_base = in->buf;
	in->iov[0].iov_len = operands;
	conn->in = in;
	conn->left = operands;
	return 0;
}

/* What an atomic operation needs of the memory that it is for */
static uint64_t access_of(const struct mpipr_wire_op *op)
{
	if (op->op == FI_ATOMIC_READ)
		return FI_REMOTE_READ;
	return FI_REMOTE_WRITE |
	       (op->kind == MPIPR_OP_WRITE ? 0 : FI_REMOTE_READ);
}

/* Returns what was there before, if that is wanted, in @was. */
static int do_atomic(struct mpipr_inflow *in, struct mpipr_tx **was)
{
	struct mpipr_region *region;
	size_t bytes, operands;
	struct mpipr_wire_op op;
	uint8_t *at;
	int err;

	sizes(&in->wire, &op, &bytes, &operands);
	err = mpipr_region_get(in->peer->ep->domain, &in->wire, bytes,
			       access_of(&op), &region);
	if (err)
		return err;
	mpipr_region_put(region);
	at = region->base + in->wire.tag;
	if (op.kind != MPIPR_OP_WRITE && bytes && in->peer->tx) {
		*was = mpipr_tx_answer(in->peer, bytes);
		if (!*was)
			return -FI_ENOMEM;
		(*was)->copied = bytes;
		memcpy((*was)->copy, at, bytes);
	}
	if (op.op != FI_ATOMIC_READ)
		mpipr_op_do(op.type, op.op, at, in->buf,
			    op.kind == MPIPR_OP_COMPARE ?
				    (uint8_t *)in->buf + bytes :
				    NULL,
			    op.count);
	return 0;
}

/**
 * mpipr_serve() - a peer accesses our memory
 * @conn: connection that says so; may be ended
 * @wire: MPIPR_WIRE_WRITE, MPIPR_WIRE_READ or MPIPR_WIRE_ATOMIC
 *
 * Return: 0, or an error of libfabric's, below 0, that ends the connection:
 *	-FI_EIO if too many are not answered, or it is no operation at all;
 *	-FI_ENOMEM.
 */
int mpipr_serve(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	if (conn->peer->answers >= MPIPR_WIRE_ASKS)
		return -FI_EIO;
	if (wire->type == MPIPR_WIRE_ATOMIC)
		return begin_atomic(conn, wire);
	if (wire->type == MPIPR_WIRE_WRITE)
		begin_write(conn, wire);
	else
		read_region(conn->peer, wire);
	return 0;
}

/* The program gets what the peer has for it. */
static void tell(const struct mpipr_inflow *in)
{
	const struct mpipr_done done = {
		.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
		.len = in->wire.len,
		.data = in->wire.data,
		.from = in->peer->number,
	};

	mpipr_side_tell(&in->peer->ep->rx, &done);
}

/**
 * mpipr_serve_arrived() - all of a write, or all operands, have come
 * @in: what brought it
 */
void mpipr_serve_arrived(struct mpipr_inflow *in)
{
	struct mpipr_tx *was = NULL;

	if (in->wire.type == MPIPR_WIRE_ATOMIC)
		in->err = do_atomic(in, &was);
	else if (!in->err && in->wire.flags & MPIPR_WIRE_CQ_DATA)
		tell(in);
	mpipr_inflow_done(in, 0);
	if (was)
		send_bytes(in->peer, &in->wire, was, was->copy, was->copied);
	else
		answer(in->peer, in->wire.id, in->err);
}
