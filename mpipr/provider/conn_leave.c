// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Endpoints that close take leave of their peers. */
#include "conn.h"
#include "peer.h"
#include "tx.h"

/* Endpoints that close wait so long for each other's farewell. */
#define MPIPR_FAREWELL_MS 1000

/* Is there a peer whose kernel did not answer yet, and may? */
static bool is_connecting(const struct mpipr_ep *ep)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &ep->conns)
	{
		if (mpipr_list_entry(link, struct mpipr_conn, link)->connecting)
			return true;
	}
	return false;
}

/* Ends the connections that both sides are done with; are there others? */
static bool others_left(struct mpipr_ep *ep)
{
	struct mpipr_list *link = ep->conns.next;
	struct mpipr_conn *conn;
	bool left = false;

	while (link != &ep->conns) {
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		link = link->next;
		if ((conn->peer && !conn->peer->bye) ||
		    !mpipr_list_empty(&conn->queue)) {
			left = true;
			continue;
		}
		/* Others may end with it. */
		mpipr_conn_end(conn, 0);
		link = ep->conns.next;
	}
	return left;
}

/**
 * mpipr_conn_close_all() - take leave of all peers
 * @ep: endpoint
 *
 * What was sent before is delivered. A socket that is closed while something
 * comes in resets its connection, so wait until the peers have taken leave,
 * too, but not for long: they may have other things to do first.
 */
void mpipr_conn_close_all(struct mpipr_ep *ep)
{
	struct mpipr_wire bye = { .type = MPIPR_WIRE_BYE };
	struct mpipr_conn *conn;
	struct mpipr_list *link;
	struct mpipr_peer *peer;
	int64_t until;

	/* Each is made or given up in the time that the kernel gives it. */
	while (is_connecting(ep))
		mpipr_progress(ep->domain, MPIPR_SLICE_US);
	until = mpipr_now_ms() + MPIPR_FAREWELL_MS;
	for (link = ep->peers.next; link != &ep->peers; link = link->next) {
		peer = mpipr_list_entry(link, struct mpipr_peer, link);
		if (peer->tx && mpipr_tx_control(peer->tx, &bye))
			mpipr_conn_end(peer->tx, 0);
	}
	while (others_left(ep) && mpipr_now_ms() < until)
		mpipr_progress(ep->domain, MPIPR_SLICE_US);
	/* Who has not taken leave by now is treated like those who have. */
	while (!mpipr_list_empty(&ep->conns)) {
		conn = mpipr_list_entry(ep->conns.next, struct mpipr_conn,
					link);
		if (conn->peer)
			conn->peer->bye = true;
		mpipr_conn_end(conn, 0);
	}
	mpipr_conn_free_dead(ep->domain);
	mpipr_peer_free_all(ep);
}
