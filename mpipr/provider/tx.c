// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Sends: the calls of the program's that send, and what becomes of what the
 * socket has no room for. A message that fits is one sendmsg() and leaves
 * nothing behind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "conn.h"
#include "peer.h"
#include "rndv.h"
#include "tx.h"

/* Header and payload that are copied to one place to be written, bytes */
#define MPIPR_TX_SMALL 512
/* Messages since the last poll that leave at once */
#define MPIPR_BURST 2

static void add_write(struct mpipr_out *out, size_t head, size_t head_len,
		      uint64_t at, uint64_t len)
{
	struct mpipr_write *write = &out->write[out->count++];

	write->head = head;
	write->head_len = head_len;
	write->at = at;
	write->len = len;
}

/* Two writes a packet, and the data in a packet of its own if it is long */
static void begin_p4(struct mpipr_out *out, const struct mpipr_wire *wire,
		     uint64_t at, uint64_t len)
{
	const uint64_t shared = len <= MPIPR_P4_CUTOFF ? len : 0;
	const size_t body = MPIPR_P4_HEADER;
	const size_t second = MPIPR_P4_HEADER + MPIPR_WIRE_HEADER;

	mpipr_p4_put(out->head, MPIPR_WIRE_HEADER + shared);
	mpipr_wire_put(wire, out->head + body);
	add_write(out, 0, MPIPR_P4_HEADER, 0, 0);
	add_write(out, body, MPIPR_WIRE_HEADER, at, shared);
	if (shared == len)
		return;
	mpipr_p4_put(out->head + second, len);
	add_write(out, second, MPIPR_P4_HEADER, 0, 0);
	add_write(out, 0, 0, at, len);
}

/* Gets a message ready to be written; it takes with it the credit we owe. */
static void begin(struct mpipr_out *out, struct mpipr_peer *peer,
		  struct mpipr_wire *wire, const struct iovec *iov,
		  size_t count, uint64_t at, uint64_t len)
{
	if (peer) {
		wire->credit = peer->owed;
		peer->taken -= peer->owed;
		peer->owed = 0;
	}
	out->iov = iov;
	out->iov_count = count;
	out->count = 0;
	out->current = 0;
	out->done = 0;
	if (mpipr_param.double_write) {
		begin_p4(out, wire, at, len);
	} else {
		mpipr_wire_put(wire, out->head);
		add_write(out, 0, MPIPR_WIRE_HEADER, at, len);
	}
}

/* Points at what a write still has to bring; returns how many bytes. */
static uint64_t gather(const struct mpipr_out *out, struct iovec *to, size_t *n)
{
	const struct mpipr_write *write = &out->write[out->current];
	uint64_t done = out->done, skip, left = write->len, bytes = 0;
	size_t i, part;

	*n = 0;
	if (done < write->head_len) {
		to[0].iov_base = (uint8_t *)out->head + write->head + done;
		to[0].iov_len = write->head_len - done;
		bytes = to[0].iov_len;
		*n = 1;
		done = 0;
	} else {
		done -= write->head_len;
		left -= done;
	}
	skip = write->at + done;
	for (i = 0; i < out->iov_count && left; i++) {
		if (skip >= out->iov[i].iov_len) {
			skip -= out->iov[i].iov_len;
			continue;
		}
		part = out->iov[i].iov_len - skip;
		if (part > left)
			part = left;
		to[*n].iov_base = (uint8_t *)out->iov[i].iov_base + skip;
		to[*n].iov_len = part;
		(*n)++;
		bytes += part;
		left -= part;
		skip = 0;
	}
	return bytes;
}

/* Copies all pieces to one place. */
static void flatten(uint8_t *to, const struct iovec *iov, size_t count)
{
	for (; count--; iov++) {
		memcpy(to, iov->iov_base, iov->iov_len);
		to += iov->iov_len;
	}
}

/*
 * One system call. Copying little to one place costs less than having the
 * kernel fetch a message header and a vector.
 */
static ssize_t write_iov(int fd, struct iovec *iov, size_t count,
			 uint64_t bytes, int flags)
{
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = count };
	uint8_t small[MPIPR_TX_SMALL];

	if (count == 1)
		return send(fd, iov->iov_base, bytes, flags);
	if (bytes > sizeof(small))
		return sendmsg(fd, &msg, flags);
	flatten(small, iov, count);
	return send(fd, small, bytes, flags);
}

/* Writes what the socket takes. Returns 0 if that is all, or -errno. */
static int write_out(struct mpipr_conn *conn, struct mpipr_out *out, bool more)
{
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : 0);
	struct iovec iov[MPIPR_IOV_LIMIT + 1];
	uint64_t bytes;
	size_t count;
	ssize_t ret;

	while (out->current < out->count) {
		bytes = gather(out, iov, &count);
		ret = write_iov(conn->source.fd, iov, count, bytes, flags);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret < 0)
			return -errno;
		out->done += ret;
		if ((uint64_t)ret < bytes)
			return -EAGAIN;
		out->current++;
		out->done = 0;
	}
	return 0;
}

/* The socket is full, or others wait before this one. */
static void enqueue(struct mpipr_conn *conn, struct mpipr_tx *tx)
{
	mpipr_list_add_tail(&tx->link, &conn->queue);
	mpipr_conn_want(conn, conn->events | EPOLLOUT);
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

	begin(&out, conn->peer, wire, NULL, 0, 0, 0);
	if (mpipr_list_empty(&conn->queue) && !conn->connecting)
		ret = write_out(conn, &out, false);
	if (!ret)
		return 0;
	if (ret != -EAGAIN)
		return ret;
	tx = calloc(1, sizeof(*tx));
	if (!tx)
		return -FI_ENOMEM;
	tx->peer = conn->peer;
	tx->wire = *wire;
	tx->out = out;
	enqueue(conn, tx);
	return 0;
}

static void release(struct mpipr_tx *tx)
{
	if (tx->counted) {
		tx->peer->ep->tx_count--;
		tx->peer->ep->tx_copies -= tx->copied;
	}
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
	if (tx->counted)
		mpipr_side_done(&tx->peer->ep->tx, &tx->done, tx->report);
	release(tx);
}

/* Queues the next piece of a transfer of which a part is not sent. */
static void add_piece(struct mpipr_tx *tx)
{
	uint64_t piece = tx->len - tx->sent;

	if (piece > MPIPR_TX_PIECE)
		piece = MPIPR_TX_PIECE;
	tx->wire.len = piece;
	begin(&tx->out, tx->peer, &tx->wire, tx->iov, tx->count, tx->sent,
	      piece);
	tx->sent += piece;
	enqueue(tx->peer->tx, tx);
}

/**
 * mpipr_tx_flush() - write what is queued, as far as the socket takes it
 * @conn: connection; may be ended
 */
void mpipr_tx_flush(struct mpipr_conn *conn)
{
	struct mpipr_tx *tx;
	int ret;

	while (!mpipr_list_empty(&conn->queue)) {
		tx = mpipr_list_entry(conn->queue.next, struct mpipr_tx, link);
		ret = write_out(conn, &tx->out, false);
		if (ret == -EAGAIN) {
			mpipr_conn_want(conn, conn->events | EPOLLOUT);
			return;
		}
		if (ret) {
			mpipr_conn_end(conn, -ret);
			return;
		}
		mpipr_list_del(&tx->link);
		if (tx->wire.type != MPIPR_WIRE_DATA || tx->sent == tx->len)
			mpipr_tx_finish(tx, 0);
		else if (tx->peer->tx)
			add_piece(tx);
		else
			mpipr_tx_finish(tx, tx->peer->err ? tx->peer->err :
							    FI_ESHUTDOWN);
	}
	mpipr_conn_want(conn, conn->events & ~EPOLLOUT);
}

/**
 * mpipr_tx_hand_over() - what waits in one connection goes by another one
 * @from: connection that did not carry anything
 * @to: connection to the same peer; may be ended
 */
void mpipr_tx_hand_over(struct mpipr_conn *from, struct mpipr_conn *to)
{
	struct mpipr_tx *tx;

	while (!mpipr_list_empty(&from->queue)) {
		tx = mpipr_list_entry(from->queue.next, struct mpipr_tx, link);
		mpipr_list_del(&tx->link);
		if (tx->wire.type == MPIPR_WIRE_HELLO)
			release(tx); /* the peer knows who we are */
		else
			mpipr_list_add_tail(&tx->link, &to->queue);
	}
	mpipr_tx_flush(to);
}

/**
 * mpipr_tx_pieces() - send a transfer, in pieces
 * @tx: transfer; len is what is wanted of it
 * @wire: header of its pieces
 */
void mpipr_tx_pieces(struct mpipr_tx *tx, const struct mpipr_wire *wire)
{
	tx->wire = *wire;
	tx->sent = 0;
	add_piece(tx);
	mpipr_tx_flush(tx->peer->tx);
}

static size_t total(const struct iovec *iov, size_t count)
{
	size_t bytes = 0;

	while (count--)
		bytes += iov[count].iov_len;
	return bytes;
}

/* A send that outlives the call; copies the payload if it may go away. */
static struct mpipr_tx *keep(struct mpipr_peer *peer,
			     const struct mpipr_wire *wire,
			     const struct iovec *iov, size_t count, size_t len,
			     const struct mpipr_done *done, bool report,
			     bool copy)
{
	struct mpipr_ep *ep = peer->ep;
	struct mpipr_tx *tx;

	tx = malloc(sizeof(*tx) + (copy ? len : 0));
	if (!tx)
		return NULL;
	mpipr_list_init(&tx->link);
	tx->peer = peer;
	tx->wire = *wire;
	tx->done = *done;
	tx->report = report;
	tx->counted = true;
	tx->len = len;
	tx->sent = 0;
	tx->copied = 0;
	tx->count = count;
	if (copy) {
		flatten(tx->copy, iov, count);
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

/*
 * Whether a message may wait for others to share a segment with: it is small,
 * and not one of the first since the program polled. The next poll sends it
 * off, or 2 ms, or a segment full of them.
 */
static bool is_burst(struct mpipr_conn *conn, uint64_t len)
{
	struct mpipr_domain *domain = conn->ep->domain;
	bool more;

	if (conn->burst_poll != domain->polls) {
		conn->burst_poll = domain->polls;
		conn->burst = 0;
	}
	more = ++conn->burst > MPIPR_BURST && len <= MPIPR_TX_SMALL &&
	       mpipr_param.family == AF_PRP && !mpipr_param.double_write;
	if (more && mpipr_list_empty(&conn->corked))
		mpipr_list_add_tail(&conn->corked, &domain->corked);
	return more;
}

/**
 * mpipr_tx_uncork() - send off what waits for more
 * @domain: domain; the program polls
 */
void mpipr_tx_uncork(struct mpipr_domain *domain)
{
	struct mpipr_list *link, *after;
	struct mpipr_conn *conn;

	mpipr_list_for_each(link, after, &domain->corked)
	{
		conn = mpipr_list_entry(link, struct mpipr_conn, corked);
		mpipr_list_del(link);
		send(conn->source.fd, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* The payload goes with the header. */
static int send_eager(struct mpipr_peer *peer, struct mpipr_wire *wire,
		      const struct iovec *iov, size_t count,
		      const struct mpipr_done *done, bool report, bool copy)
{
	struct mpipr_conn *conn = peer->tx;
	struct mpipr_tx *tx;
	struct mpipr_out out;
	int ret = -EAGAIN;

	wire->type = MPIPR_WIRE_EAGER;
	begin(&out, peer, wire, iov, count, 0, wire->len);
	if (mpipr_list_empty(&conn->queue))
		ret = write_out(conn, &out, is_burst(conn, wire->len));
	if (ret && ret != -EAGAIN) {
		mpipr_conn_end(conn, -ret);
		return ret;
	}
	peer->credit -= mpipr_wire_cost(wire->len);
	if (!ret) {
		mpipr_side_done(&peer->ep->tx, done, report);
		return 0;
	}
	tx = keep(peer, wire, iov, count, wire->len, done, report, copy);
	if (!tx) {
		/* What is half written cannot be taken back. */
		mpipr_conn_end(conn, FI_ENOMEM);
		return -FI_ENOMEM;
	}
	tx->out = out;
	tx->out.iov = tx->iov;
	tx->out.iov_count = tx->count;
	enqueue(conn, tx);
	return 0;
}

/* The header goes now, the payload when it is asked for. */
static int send_request(struct mpipr_peer *peer, struct mpipr_wire *wire,
			const struct iovec *iov, size_t count,
			const struct mpipr_done *done, bool report, bool copy)
{
	struct mpipr_tx *tx;
	int ret;

	wire->type = MPIPR_WIRE_REQUEST;
	tx = keep(peer, wire, iov, count, wire->len, done, report, copy);
	if (!tx)
		return -FI_EAGAIN;
	ret = mpipr_rndv_offer(tx);
	if (ret)
		release(tx);
	return ret;
}

/**
 * mpipr_tx_send() - send a message
 * @ep: endpoint
 * @iov: payload
 * @count: pieces of it
 * @to: number of the receiver
 * @wire: flags, tag and data are set
 * @context: the program's
 * @flags: FI_INJECT: payload may change when this returns; FI_COMPLETION:
 *	tell of the end even where only those are told that want it
 *
 * The end is told when the message is in the connection, which delivers it as
 * long as the peer lives. Of one with MPIPR_TX_QUIET nothing is told, not even
 * a failure: it has no operation that libraries could find. What else is under
 * way with the peer fails, too, and so does the next send.
 *
 * Return: 0, -FI_EAGAIN if too much is under way, or another error of
 *	libfabric's, below 0.
 */
ssize_t mpipr_tx_send(struct mpipr_ep *ep, const struct iovec *iov,
		      size_t count, fi_addr_t to, struct mpipr_wire *wire,
		      void *context, uint64_t flags)
{
	const bool copy = flags & FI_INJECT;
	const bool report = !(flags & MPIPR_TX_QUIET) &&
			    (!ep->tx.selective || flags & FI_COMPLETION);
	struct mpipr_done done = {
		.context = context,
		.flags = FI_SEND |
			 (wire->flags & MPIPR_WIRE_TAGGED ? FI_TAGGED : FI_MSG),
		.from = FI_ADDR_NOTAVAIL,
	};
	struct mpipr_peer *peer;
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (count > MPIPR_IOV_LIMIT)
		return -FI_EINVAL;
	wire->len = total(iov, count);
	if (copy && wire->len > MPIPR_INJECT_SIZE)
		return -FI_EMSGSIZE;
	mpipr_domain_lock(ep->domain);
	ret = -FI_EAGAIN;
	if (ep->tx_count >= MPIPR_TX_SIZE ||
	    (copy && ep->tx_copies + wire->len > MPIPR_TX_COPIES))
		goto unlock;
	ret = mpipr_peer_get(ep, to, &peer);
	if (!ret && !peer->tx)
		ret = mpipr_conn_connect(peer);
	if (ret)
		goto unlock;
	if (wire->len <= mpipr_param.eager &&
	    mpipr_wire_cost(wire->len) <= peer->credit)
		ret = send_eager(peer, wire, iov, count, &done, report, copy);
	else
		ret = send_request(peer, wire, iov, count, &done, report, copy);
unlock:
	mpipr_domain_unlock(ep->domain);
	return ret;
}
