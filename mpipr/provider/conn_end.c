// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Connections that end, and what ends with them. */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "conn.h"
#include "inflow.h"
#include "peer.h"
#include "rndv.h"
#include "rx.h"
#include "tx.h"

/* Nothing will come from a peer any more, and nothing can be sent to it. */
static void peer_lost(struct mpipr_peer *peer, int err)
{
	/* It had several connections. */
	const bool known = peer->bye || peer->err;
	struct mpipr_list *link, *after;
	struct mpipr_conn *conn;

	/* What others of its connections are bringing has no place any more. */
	mpipr_list_for_each(link, after, &peer->ep->conns)
	{
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		if (conn->peer != peer || !conn->in || conn->in == &conn->eager)
			continue;
		conn->last = true;
		mpipr_conn_end(conn, err);
	}
	if (!known) {
		mpipr_peer_warn(peer, "lost", err);
		peer->err = err;
	}
	mpipr_rndv_peer_lost(peer, err);
	if (!known)
		mpipr_rx_peer_lost(peer, err);
}

/*
 * It was never there, or it closes and its kernel alone was; who may come, and
 * what comes then, is not lost.
 */
static void unconnected(struct mpipr_peer *peer, int err, bool reached)
{
	if (!peer->bye)
		mpipr_peer_warn(peer, "cannot connect to", err);
	mpipr_rndv_peer_lost(peer, err);
	if (reached && !peer->bye)
		mpipr_rx_peer_silent(peer, err);
}

/**
 * mpipr_conn_end() - end a connection, and what relied on it
 * @conn: connection; freed at the end of this round of progress
 * @err: why, an error of libfabric's, above 0; 0 if the peer closed it, or
 *	EPIPE if that was seen by sending
 */
void mpipr_conn_end(struct mpipr_conn *conn, int err)
{
	struct mpipr_peer *peer = conn->peer;
	struct mpipr_tx *tx;

	if (conn->source.fd < 0)
		return;
	epoll_ctl(conn->ep->domain->epoll, EPOLL_CTL_DEL, conn->source.fd,
		  NULL);
	close(conn->source.fd);
	conn->source.fd = -1;
	mpipr_conn_listen_again(conn->ep->domain);
	mpipr_list_del(&conn->corked);
	mpipr_list_del(&conn->link);
	mpipr_list_add_tail(&conn->link, &conn->ep->domain->dead);
	if (!peer) {
		mpipr_conn_not_nameless(conn->ep);
		return;
	}
	if (!err && !peer->bye)
		err = conn->mute;
	if (!err || err == EPIPE)
		err = peer->bye ? FI_ESHUTDOWN : FI_ECONNRESET;
	if (conn->in == &conn->eager)
		mpipr_inflow_done(conn->in, err);
	conn->in = NULL;
	conn->left = 0;
	while (!mpipr_list_empty(&conn->queue)) {
		tx = mpipr_list_entry(conn->queue.next, struct mpipr_tx, link);
		mpipr_list_del(&tx->link);
		mpipr_tx_finish(tx, err);
	}
	if (peer->tx == conn)
		peer->tx = NULL;
	if (conn->last)
		return;
	if (peer->tx) {
		/* This one was there, so the peer is lost with it. */
		peer->tx->greeted = true;
		mpipr_conn_end(peer->tx, err);
	} else if (conn->outgoing && !conn->greeted &&
		   !mpipr_conn_first(peer)) {
		unconnected(peer, err, !conn->connecting || conn->renewals);
	} else {
		peer_lost(peer, err);
	}
}

/**
 * mpipr_conn_unsent() - something could not be sent
 * @conn: connection; may be ended
 * @err: why, an error of libfabric's, above 0
 *
 * What a peer that is gone has sent before is still there to be read, and the
 * end of the connection behind it, of which epoll tells once more. There is no
 * end where the fault is ours: no memory to keep what is half written, or a
 * buffer of the program's that is none.
 */
void mpipr_conn_unsent(struct mpipr_conn *conn, int err)
{
	if (err == FI_ENOMEM || err == EFAULT) {
		mpipr_conn_end(conn, err);
		return;
	}
	if (conn->source.fd < 0)
		return;
	if (!conn->mute)
		conn->mute = err;
	conn->events &= ~EPOLLOUT;
	mpipr_conn_again(conn);
}

/**
 * mpipr_conn_replace() - give up a connection that carried nothing
 * @conn: connection; ended
 * @by: another one of the peer's, by which goes what waits; may be ended
 */
void mpipr_conn_replace(struct mpipr_conn *conn, struct mpipr_conn *by)
{
	int err;

	conn->peer->tx = by;
	conn->last = true;
	err = mpipr_tx_hand_over(conn, by);
	if (err)
		mpipr_conn_unsent(by, -err);
	mpipr_conn_end(conn, 0);
}
