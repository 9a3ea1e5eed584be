// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who is at the other end of a connection; connections that cross, and move. */
#include <poll.h>

#include "conn.h"
#include "peer.h"
#include "read.h"
#include "tx.h"

/**
 * mpipr_conn_is_ours() - whether who says hello is of our job
 * @wire: its MPIPR_WIRE_HELLO
 *
 * Return: whether it knows the secret.
 */
bool mpipr_conn_is_ours(const struct mpipr_wire *wire)
{
	return wire->len == mpipr_param.secret[0] &&
	       wire->peer_id == mpipr_param.secret[1];
}

/**
 * mpipr_conn_say_hello() - say who we are, and in which session
 * @conn: connection
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_conn_say_hello(struct mpipr_conn *conn)
{
	const struct mpipr_ep *ep = conn->ep;
	struct mpipr_wire hello = {
		.type = MPIPR_WIRE_HELLO,
		.tag = ep->addr.half[0],
		.data = ep->addr.half[1],
		.id = ep->sessions + conn->peer->life,
		.len = mpipr_param.secret[0],
		.peer_id = mpipr_param.secret[1],
	};

	return mpipr_tx_control(conn, &hello);
}

/* Two connections cross: the one of the lower address is kept. */
static int cross(struct mpipr_peer *peer, struct mpipr_conn *conn)
{
	struct mpipr_wire moved = { .type = MPIPR_WIRE_MOVED };
	struct mpipr_wire await = { .type = MPIPR_WIRE_AWAIT };
	struct mpipr_conn *ours = peer->tx;
	int order = mpipr_addr_compare(&peer->ep->addr, &peer->addr);

	/* To ourselves both are used, one for each direction. */
	if (order <= 0)
		return 0;
	if (ours->connecting) {
		mpipr_conn_replace(ours, conn);
		return 0;
	}
	ours->last = true;
	peer->tx = conn;
	if (mpipr_tx_control(ours, &moved) || mpipr_tx_control(conn, &await))
		return -FI_EIO;
	return 0;
}

/* Reads what has come, the end of it too; the connection may be ended. */
static void read_all(struct mpipr_conn *conn)
{
	struct pollfd come = { .events = POLLIN | POLLRDHUP };

	/* Each read takes some of it, or ends the connection. */
	for (;;) {
		come.fd = conn->held ? -1 : conn->source.fd;
		if (poll(&come, 1, 0) <= 0)
			return;
		mpipr_read(conn, true);
	}
}

/*
 * Who was at a peer's address before is gone. What came is read, what was said
 * before a move first, and the connections end.
 */
static void bury(struct mpipr_peer *peer)
{
	struct mpipr_conn *conn;

	while ((conn = mpipr_conn_first(peer))) {
		/* The peer is lost with the last one. */
		conn->last = conn != peer->tx;
		read_all(conn);
		mpipr_conn_end(conn, FI_ECONNRESET);
	}
}

/**
 * mpipr_conn_hello() - an accepted connection says who it is
 * @conn: connection
 * @wire: its first message
 *
 * Return: 0, or an error of libfabric's, below 0, if it does not, or lies.
 */
int mpipr_conn_hello(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	const union mpipr_addr addr = { .half = { wire->tag, wire->data } };
	socklen_t len = sizeof(union mpipr_addr);
	union mpipr_addr from;
	struct mpipr_peer *peer;
	int err;

	if (wire->type != MPIPR_WIRE_HELLO ||
	    !mpipr_addr_valid(&addr, mpipr_param.family) ||
	    !mpipr_addr_has_port(&addr) ||
	    getpeername(conn->source.fd, &from.sa, &len) ||
	    !mpipr_addr_same_node(&addr, &from))
		return -FI_EIO;
	peer = mpipr_peer_by_addr(conn->ep, &addr,
				  mpipr_av_find(conn->ep->av, &addr));
	if (!peer)
		return -FI_ENOMEM;
	/* It may have said on ours who it is, or was, and nobody read it. */
	if (!peer->session && peer->tx && !peer->tx->connecting)
		mpipr_read(peer->tx, false);
	if (!peer->tx || (peer->session && peer->session != wire->id)) {
		bury(peer);
		mpipr_peer_begin(peer);
	} else if (!peer->tx->outgoing || mpipr_conn_first(peer) != peer->tx) {
		/* Whom we have a connection with makes one only to cross. */
		return -FI_EIO;
	}
	conn->peer = peer;
	conn->greeted = true;
	mpipr_conn_not_nameless(conn->ep);
	peer->session = wire->id;
	err = mpipr_conn_say_hello(conn);
	if (err == -FI_ENOMEM)
		return err;
	if (peer->tx)
		return cross(peer, conn);
	peer->tx = conn;
	if (err)
		mpipr_conn_unsent(conn, -err);
	return 0;
}

/**
 * mpipr_conn_answered() - who is at the other end of ours says who it is
 * @conn: connection; may be ended
 * @wire: the first message on it
 */
void mpipr_conn_answered(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	struct mpipr_peer *peer = conn->peer;

	conn->greeted = true;
	if (!peer->session)
		peer->session = wire->id;
	/* Two were at its address, and nothing tells who is there now. */
	if (peer->session != wire->id)
		bury(peer);
}

/**
 * mpipr_conn_moved() - a peer has moved to our connection to it
 * @conn: the one that it left; ended
 */
void mpipr_conn_moved(struct mpipr_conn *conn)
{
	struct mpipr_peer *peer = conn->peer;

	peer->moved = true;
	conn->last = true;
	mpipr_conn_end(conn, 0);
	if (peer->tx && peer->tx->held)
		mpipr_read_resume(peer->tx);
}
