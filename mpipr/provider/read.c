// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Reads connections: headers and small payload by way of the stage, so that
 * one recvmsg() brings a small message, or many; the rest of larger payload
 * straight to its place.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "conn.h"
#include "early.h"
#include "inflow.h"
#include "peer.h"
#include "read.h"
#include "rndv.h"
#include "rx.h"
#include "serve.h"

/* Others wait, too: so often a connection is read at a time. */
#define MPIPR_READ_ROUNDS 16

static void broken(struct mpipr_conn *conn, const char *what)
{
	char name[MPIPR_ADDR_STRLEN];

	MPIPR_WARN(FI_LOG_EP_DATA, "%s: %s\n",
		   conn->peer ? mpipr_addr_print(&conn->peer->addr, name,
						 sizeof(name)) :
				"nameless peer",
		   what);
	mpipr_conn_end(conn, FI_EIO);
}

static bool is_open(const struct mpipr_conn *conn)
{
	return conn->source.fd >= 0;
}

static void take_eager(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	struct mpipr_peer *peer = conn->peer;
	struct mpipr_rx *rx;

	if (peer->taken + mpipr_wire_cost(wire->len) > MPIPR_WIRE_CREDIT) {
		broken(conn, "sends more than it may");
		return;
	}
	peer->taken += mpipr_wire_cost(wire->len);
	rx = mpipr_rx_for(conn->ep, peer, wire);
	if (rx) {
		mpipr_inflow_aim(&conn->eager, rx, peer, wire);
	} else if (mpipr_early_add(peer, wire, &conn->eager)) {
		mpipr_conn_end(conn, FI_ENOMEM);
		return;
	}
	conn->left = wire->len;
	conn->in = &conn->eager;
}

static void take_request(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	struct mpipr_rx *rx = mpipr_rx_for(conn->ep, conn->peer, wire);
	int err;

	if (!rx) {
		err = mpipr_early_add(conn->peer, wire, NULL);
		if (err == -FI_EIO)
			broken(conn, "offers more than it may");
		else if (err)
			mpipr_conn_end(conn, -err);
		return;
	}
	err = mpipr_rndv_accept(conn->peer, wire, rx);
	if (err)
		mpipr_rx_fail(rx, -err);
}

static void take_data(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	conn->in = mpipr_rndv_data(conn->peer, wire);
	if (!conn->in)
		broken(conn, "sends data that nobody asked for");
	conn->left = wire->len;
}

static void take_await(struct mpipr_conn *conn)
{
	/* The other connection need not be accepted yet. */
	if (!conn->outgoing || conn != conn->peer->tx) {
		broken(conn, "moves to where it may not");
		return;
	}
	conn->held = !conn->peer->moved;
	if (conn->held)
		mpipr_conn_want(conn, conn->events & ~EPOLLIN);
}

static void take_header(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	const bool is_hello = wire->type == MPIPR_WIRE_HELLO;
	struct mpipr_peer *peer = conn->peer;

	if (is_hello && !mpipr_conn_is_ours(wire)) {
		broken(conn, "is of another job, see FI_PRP_SECRET");
		return;
	}
	if (!peer) {
		if (mpipr_conn_hello(conn, wire))
			broken(conn, "does not say who it is");
		return;
	}
	if (conn->greeted == is_hello) {
		broken(conn, conn->greeted ? "says twice who it is" :
					     "does not say who it is");
		return;
	}
	if (wire->credit > MPIPR_WIRE_CREDIT - peer->credit) {
		broken(conn, "gives more credit back than there is");
		return;
	}
	peer->credit += wire->credit;
	switch (wire->type) {
	case MPIPR_WIRE_HELLO:
		mpipr_conn_answered(conn, wire);
		break;
	case MPIPR_WIRE_MOVED:
		if (conn->outgoing || conn == peer->tx)
			broken(conn, "moves from where it may not");
		else
			mpipr_conn_moved(conn);
		break;
	case MPIPR_WIRE_AWAIT:
		take_await(conn);
		break;
	case MPIPR_WIRE_EAGER:
		take_eager(conn, wire);
		break;
	case MPIPR_WIRE_REQUEST:
		take_request(conn, wire);
		break;
	case MPIPR_WIRE_READY:
		if (mpipr_rndv_ready(peer, wire))
			broken(conn, "wants what it was not offered");
		break;
	case MPIPR_WIRE_DATA:
		take_data(conn, wire);
		break;
	case MPIPR_WIRE_GRANT:
		break;
	case MPIPR_WIRE_BYE:
		peer->bye = true;
		break;
	case MPIPR_WIRE_WRITE:
	case MPIPR_WIRE_READ:
	case MPIPR_WIRE_ATOMIC:
		if (mpipr_serve(conn, wire))
			broken(conn, "asks what it may not");
		break;
	case MPIPR_WIRE_ANSWER:
		if (mpipr_rndv_answer(peer, wire))
			broken(conn, "answers what nobody asked");
		break;
	}
}

/* Ends the message that is read to its end, if there is one. */
static void settle(struct mpipr_conn *conn)
{
	struct mpipr_inflow *in = conn->in;

	if (conn->left || !in)
		return;
	conn->in = NULL;
	if (in != &conn->eager)
		mpipr_rndv_arrived(in);
	else if (in->wire.type >= MPIPR_WIRE_WRITE)
		mpipr_serve_arrived(in);
	else
		mpipr_inflow_done(in, 0);
}

/* Looks at what the stage has. */
static void parse(struct mpipr_conn *conn)
{
	struct mpipr_wire wire;
	size_t avail;

	settle(conn);
	while (is_open(conn) && !conn->held && conn->start < conn->end) {
		avail = conn->end - conn->start;
		if (conn->left) {
			if (avail > conn->left)
				avail = conn->left;
			mpipr_inflow_put(conn->in, conn->stage + conn->start,
					 avail);
			conn->start += avail;
			conn->left -= avail;
		} else {
			if (avail < MPIPR_WIRE_HEADER)
				break;
			if (!mpipr_wire_get(&wire, conn->stage + conn->start)) {
				broken(conn, "does not speak this protocol");
				return;
			}
			conn->start += MPIPR_WIRE_HEADER;
			take_header(conn, &wire);
		}
		if (is_open(conn))
			settle(conn);
	}
	if (conn->start == conn->end) {
		conn->start = 0;
		conn->end = 0;
	}
}

/* Where the next bytes go: to their place, as far as they have one. */
static size_t aim(struct mpipr_conn *conn, struct iovec *iov, size_t *direct)
{
	uint64_t left = conn->left;
	size_t n;

	/* A piece of a transfer is less than its place, or more. */
	if (left && left > conn->in->left)
		left = conn->in->left;
	*direct = left;
	for (n = 0; left; n++) {
		iov[n] = conn->in->iov[n];
		if (iov[n].iov_len > left)
			iov[n].iov_len = left;
		left -= iov[n].iov_len;
	}
	if (conn->start) {
		conn->end -= conn->start;
		memmove(conn->stage, conn->stage + conn->start, conn->end);
		conn->start = 0;
	}
	iov[n].iov_base = conn->stage + conn->end;
	iov[n].iov_len = MPIPR_STAGE - conn->end;
	return n + 1;
}

/* No more than this packet has */
static size_t cut(struct iovec *iov, size_t count, uint64_t bytes)
{
	size_t n;

	for (n = 0; n < count && bytes; n++) {
		if (iov[n].iov_len > bytes)
			iov[n].iov_len = bytes;
		bytes -= iov[n].iov_len;
	}
	return n;
}

/*
 * One recvmsg(). Returns how many bytes came, 0 at the end of the stream, or
 * -errno; @drained is set if there is no more now.
 */
static ssize_t fill(struct mpipr_conn *conn, int flags, bool *drained)
{
	struct iovec iov[MPIPR_IOV_LIMIT + 1];
	struct msghdr msg = { .msg_iov = iov };
	size_t direct, asked = 0, i, header = 0;
	uint8_t *to;
	ssize_t ret;

	if (mpipr_param.double_write)
		header = mpipr_p4_header(&conn->p4, &to);
	if (header) {
		direct = 0;
		iov[0].iov_base = to;
		iov[0].iov_len = header;
		msg.msg_iovlen = 1;
	} else {
		msg.msg_iovlen = aim(conn, iov, &direct);
		if (mpipr_param.double_write)
			msg.msg_iovlen =
				cut(iov, msg.msg_iovlen, conn->p4.body);
	}
	for (i = 0; i < msg.msg_iovlen; i++)
		asked += iov[i].iov_len;
	/* One piece is cheaper for the kernel. */
	ret = msg.msg_iovlen == 1 ?
		      recv(conn->source.fd, iov[0].iov_base, asked, flags) :
		      recvmsg(conn->source.fd, &msg, flags);
	if (ret < 0)
		return -errno;
	*drained = (size_t)ret < asked;
	if (mpipr_param.double_write)
		mpipr_p4_took(&conn->p4, ret);
	if (header)
		return ret;
	if (direct > (size_t)ret)
		direct = ret;
	if (direct) {
		mpipr_inflow_move(conn->in, direct);
		conn->left -= direct;
	}
	conn->end += ret - direct;
	return ret;
}

/**
 * mpipr_read() - read what a connection has, as long as others need not wait
 * @conn: connection; may be ended
 * @to_end: the end of the stream, or an error, is behind that
 */
void mpipr_read(struct mpipr_conn *conn, bool to_end)
{
	bool drained = false;
	ssize_t ret;
	int round;

	for (round = 0; round < MPIPR_READ_ROUNDS; round++) {
		if ((drained && !to_end) || !is_open(conn) || conn->held)
			return;
		ret = fill(conn, MSG_DONTWAIT, &drained);
		if (ret == -EINTR)
			continue;
		if (ret == -EAGAIN)
			return;
		if (ret <= 0) {
			mpipr_conn_end(conn, -ret);
			return;
		}
		parse(conn);
	}
	if (is_open(conn) && !conn->held)
		mpipr_conn_again(conn);
}

/**
 * mpipr_read_sleep() - sleep until a connection has something, and read it
 * @conn: connection, not held; may be ended
 *
 * For at most two ticks of the kernel's clock.
 *
 * Return: whether something came.
 */
bool mpipr_read_sleep(struct mpipr_conn *conn)
{
	bool drained = false;
	ssize_t ret = fill(conn, 0, &drained);

	if (ret <= 0) {
		if (ret != -EAGAIN && ret != -EINTR)
			mpipr_conn_end(conn, -ret);
		return ret != -EAGAIN;
	}
	parse(conn);
	if (!drained)
		mpipr_read(conn, false);
	return true;
}

/**
 * mpipr_read_resume() - a connection need not be held any more
 * @conn: connection; may be ended
 */
void mpipr_read_resume(struct mpipr_conn *conn)
{
	conn->held = false;
	mpipr_conn_want(conn, conn->events | EPOLLIN);
	parse(conn);
}
