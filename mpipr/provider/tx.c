// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Sends: what becomes of what the socket has no room for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "conn.h"
#include "peer.h"
#include "region.h"
#include "tx.h"

/**
 * mpipr_tx_queue() - the socket is full, or others wait before this one
 * @conn: connection
 * @tx: send
 */
void mpipr_tx_queue(struct mpipr_conn *conn, struct mpipr_tx *tx)
{
	mpipr_list_add_tail(&tx->link, &conn->queue);
	mpipr_conn_want(conn, conn->events | EPOLLOUT);
}

/*
 * There is no memory to keep a header until it is written. Half of one cannot
 * be taken back: the connection ends, as epoll will tell.
 */
static void take_back(struct mpipr_conn *conn, const struct mpipr_out *out,
		      const struct mpipr_wire *wire)
{
	if (mpipr_out_is_begun(out)) {
		shutdown(conn->source.fd, SHUT_RDWR);
		return;
	}
	conn->peer->owed += wire->credit;
	conn->peer->taken += wire->credit;
}

/**
 * mpipr_tx_control() - send a message that is nothing but a header
 * @conn: on which connection
 * @wire: header
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_tx_control(struct mpipr_conn *conn, struct mpipr_wire *wire)
{
	struct mpipr_tx *tx;
	struct mpipr_out out;
	int ret = -EAGAIN;

	mpipr_out_begin(&out, conn->peer, wire, NULL, 0, 0, 0);
	if (mpipr_list_empty(&conn->queue) && !conn->connecting)
		ret = mpipr_out_write(conn, &out, false);
	if (!ret)
		return 0;
	if (ret != -EAGAIN)
		return ret;
	tx = calloc(1, sizeof(*tx));
	if (!tx) {
		take_back(conn, &out, wire);
		return -FI_ENOMEM;
	}
	tx->peer = conn->peer;
	tx->wire = *wire;
	tx->out = out;
	if (wire->type == MPIPR_WIRE_ANSWER) {
		tx->answer = true;
		tx->peer->answers++;
	}
	mpipr_tx_queue(conn, tx);
	return 0;
}

/**
 * mpipr_tx_keep() - make a send that outlives the call
 * @peer: to whom
 * @wire: header
 * @iov: payload
 * @count: pieces of it
 * @len: bytes of it
 * @done: its completion, or NULL if that is not of its end
 * @report: what the completion queue is told of it
 * @copy: copy the payload: the program does not keep it for us
 *
 * Return: the send, not queued, or NULL if there is no memory.
 */
struct mpipr_tx *mpipr_tx_keep(struct mpipr_peer *peer,
			       const struct mpipr_wire *wire,
			       const struct iovec *iov, size_t count,
			       size_t len, const struct mpipr_done *done,
			       enum mpipr_report report, bool copy)
{
	struct mpipr_ep *ep = peer->ep;
	struct mpipr_tx *tx;

	tx = malloc(sizeof(*tx) + (copy ? len : 0));
	if (!tx)
		return NULL;
	mpipr_list_init(&tx->link);
	tx->peer = peer;
	tx->wire = *wire;
	tx->side = done ? &ep->tx : NULL;
	if (done)
		tx->done = *done;
	tx->report = report;
	tx->counted = true;
	tx->answer = false;
	tx->region = NULL;
	tx->len = len;
	tx->sent = 0;
	tx->copied = 0;
	tx->count = count;
	if (copy) {
		mpipr_out_flatten(tx->copy, iov, count);
		tx->copied = len;
		tx->count = 1;
		tx->iov[0].iov_base = tx->copy;
		tx->iov[0].iov_len = len;
	} else {
		memcpy(tx->iov, iov, count * sizeof(*iov));
	}
	ep->tx_count++;
	ep->tx_copies += tx->copied;
	return tx;
}

/**
 * mpipr_tx_answer() - make an answer to a peer that accesses our memory
 * @peer: peer
 * @room: bytes of it that are to be in copy
 *
 * Return: the answer, empty and not queued, or NULL if there is no memory.
 */
struct mpipr_tx *mpipr_tx_answer(struct mpipr_peer *peer, size_t room)
{
	struct mpipr_tx *tx = calloc(1, sizeof(*tx) + room);

	if (!tx)
		return NULL;
	mpipr_list_init(&tx->link);
	tx->peer = peer;
	tx->answer = true;
	peer->answers++;
	return tx;
}

/**
 * mpipr_tx_free() - forget a send, without a word
 * @tx: send, not queued; freed
 */
void mpipr_tx_free(struct mpipr_tx *tx)
{
	if (tx->counted) {
		tx->peer->ep->tx_count--;
		tx->peer->ep->tx_copies -= tx->copied;
	}
	if (tx->answer)
		tx->peer->answers--;
	if (tx->region)
		mpipr_region_put(tx->region);
	free(tx);
}

/**
 * mpipr_tx_finish() - a send is over
 * @tx: send, not queued; freed
 * @err: 0 if it was sent, or an error of libfabric's, above 0
 */
void mpipr_tx_finish(struct mpipr_tx *tx, int err)
{
	tx->done.err = err;
	if (tx->side)
		mpipr_side_done(tx->side, &tx->done, tx->report);
	mpipr_tx_free(tx);
}

/**
 * mpipr_tx_send() - send header and payload, at once if the socket takes it
 * @peer: to whom; connected
 * @wire: header
 * @iov: payload
 * @count: pieces of it
 * @len: bytes of it
 * @done: its completion if it is not sent at once, or NULL for none
 * @report: what the completion queue is told of it
 * @copy: the program does not keep the payload for us
 *
 * Return: 0 if it is sent, -FI_EAGAIN if it is queued, or another error of
 *	libfabric's, below 0, that ends the connection.
 */
int mpipr_tx_send(struct mpipr_peer *peer, struct mpipr_wire *wire,
		  const struct iovec *iov, size_t count, size_t len,
		  const struct mpipr_done *done, enum mpipr_report report,
		  bool copy)
{
	struct mpipr_conn *conn = peer->tx;
	struct mpipr_tx *tx;
	struct mpipr_out out;
	int ret = -EAGAIN;

	mpipr_out_begin(&out, peer, wire, iov, count, 0, len);
	if (mpipr_list_empty(&conn->queue))
		ret = mpipr_out_write(conn, &out,
				      mpipr_out_is_burst(conn, len));
	if (ret != -EAGAIN)
		return ret;
	tx = mpipr_tx_keep(peer, wire, iov, count, len, done, report, copy);
	/* What is half written cannot be taken back. */
	if (!tx)
		return -FI_ENOMEM;
	tx->out = out;
	tx->out.iov = tx->iov;
	tx->out.iov_count = tx->count;
	mpipr_tx_queue(conn, tx);
	return -FI_EAGAIN;
}

/* Begins the next piece of a transfer of which a part is not sent. */
static void begin_piece(struct mpipr_tx *tx)
{
	uint64_t piece = tx->len - tx->sent;

	if (piece > MPIPR_TX_PIECE)
		piece = MPIPR_TX_PIECE;
	tx->wire.len = piece;
	mpipr_out_begin(&tx->out, tx->peer, &tx->wire, tx->iov, tx->count,
			tx->sent, piece);
	tx->sent += piece;
}

/**
 * mpipr_tx_flush() - write what is queued, as far as the socket takes it
 * @conn: connection
 *
 * Return: 0, or an error of libfabric's, below 0, that ends the connection.
 */
int mpipr_tx_flush(struct mpipr_conn *conn)
{
	struct mpipr_tx *tx;
	int ret;

	while (!mpipr_list_empty(&conn->queue)) {
		tx = mpipr_list_entry(conn->queue.next, struct mpipr_tx, link);
		ret = mpipr_out_write(conn, &tx->out, false);
		if (ret == -EAGAIN) {
			mpipr_conn_want(conn, conn->events | EPOLLOUT);
			return 0;
		}
		if (ret)
			return ret;
		mpipr_list_del(&tx->link);
		if (tx->wire.type != MPIPR_WIRE_DATA || tx->sent == tx->len) {
			mpipr_tx_finish(tx, 0);
		} else if (tx->peer->tx) {
			begin_piece(tx);
			mpipr_tx_queue(tx->peer->tx, tx);
		} else {
			mpipr_tx_finish(tx, tx->peer->err ? tx->peer->err :
							    FI_ESHUTDOWN);
		}
	}
	mpipr_conn_want(conn, conn->events & ~EPOLLOUT);
	return 0;
}

/**
 * mpipr_tx_hand_over() - what waits in one connection goes by another one
 * @from: connection that did not carry anything
 * @to: connection to the same peer
 *
 * Return: 0, or an error of libfabric's, below 0, that ends @to.
 */
int mpipr_tx_hand_over(struct mpipr_conn *from, struct mpipr_conn *to)
{
	struct mpipr_tx *tx;

	while (!mpipr_list_empty(&from->queue)) {
		tx = mpipr_list_entry(from->queue.next, struct mpipr_tx, link);
		mpipr_list_del(&tx->link);
		if (tx->wire.type == MPIPR_WIRE_HELLO)
			mpipr_tx_free(tx); /* the peer knows who we are */
		else
			mpipr_list_add_tail(&tx->link, &to->queue);
	}
	return mpipr_tx_flush(to);
}

/**
 * mpipr_tx_pieces() - send a transfer, in pieces
 * @tx: transfer; len is what is wanted of it
 * @wire: header of its pieces
 *
 * Return: 0, or an error of libfabric's, below 0, that ends the connection.
 */
int mpipr_tx_pieces(struct mpipr_tx *tx, const struct mpipr_wire *wire)
{
	tx->wire = *wire;
	tx->sent = 0;
	begin_piece(tx);
	/* what the socket has no room for is what epoll is told of */
	mpipr_list_add_tail(&tx->link, &tx->peer->tx->queue);
	return mpipr_tx_flush(tx->peer->tx);
}
