// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Rendezvous. What waits for the other side is known to it by an identifier:
 * a place in a table, and how often that was used, so that no identifier that
 * is wrong or old is ever taken for another one.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "inflow.h"
#include "peer.h"
#include "rndv.h"

/**
 * struct flow - a place in the table
 * @tx: a send that waits to be wanted, or NULL
 * @pull: a transfer that was asked for, or NULL
 * @uses: how often the place was used
 * @next_free: the next one that is free, if this one is
 */
struct flow {
	struct mpipr_tx *tx;
	struct pull *pull;
	uint32_t uses;
	uint32_t next_free;
};

#define NO_FLOW UINT32_MAX

/**
 * struct mpipr_flows - the table of an endpoint
 * @flow: places
 * @room: how many
 * @free: the first one that is free, or NO_FLOW
 */
struct mpipr_flows {
	struct flow *flow;
	uint32_t room;
	uint32_t free;
};

/**
 * struct pull - a transfer that was asked for
 * @in: where it goes
 * @id: its identifier
 * @coming: a connection is bringing a piece of it
 * @side: of an access to the peer's memory: what it reports to; else NULL
 * @done: what it reports
 * @report: what the completion queue is told of that
 */
struct pull {
	struct mpipr_inflow in;
	uint64_t id;
	bool coming;
	struct mpipr_side *side;
	struct mpipr_done done;
	enum mpipr_report report;
};

static int grow(struct mpipr_flows *flows)
{
	uint32_t room = flows->room ? 2 * flows->room : 64, i;
	struct flow *flow;

	flow = realloc(flows->flow, room * sizeof(*flow));
	if (!flow)
		return -FI_ENOMEM;
	flows->flow = flow;
	for (i = flows->room; i < room; i++) {
		memset(&flow[i], 0, sizeof(*flow));
		flow[i].next_free = i + 1 < room ? i + 1 : NO_FLOW;
	}
	flows->free = flows->room;
	flows->room = room;
	return 0;
}

static int add(struct mpipr_ep *ep, struct mpipr_tx *tx, struct pull *pull,
	       uint64_t *id)
{
	struct mpipr_flows *flows = ep->flows;
	struct flow *flow;

	if (!flows) {
		flows = calloc(1, sizeof(*flows));
		if (!flows)
			return -FI_ENOMEM;
		flows->free = NO_FLOW;
		ep->flows = flows;
	}
	if (flows->free == NO_FLOW && grow(flows))
		return -FI_ENOMEM;
	flow = &flows->flow[flows->free];
	flow->tx = tx;
	flow->pull = pull;
	flow->uses++;
	*id = (uint64_t)flow->uses << 32 | flows->free;
	flows->free = flow->next_free;
	return 0;
}

static struct flow *find(struct mpipr_ep *ep, uint64_t id)
{
	struct mpipr_flows *flows = ep->flows;
	uint32_t i = id;

	if (!flows || i >= flows->room || flows->flow[i].uses != id >> 32)
		return NULL;
	return &flows->flow[i];
}

static void del(struct mpipr_ep *ep, struct flow *flow)
{
	flow->tx = NULL;
	flow->pull = NULL;
	flow->next_free = ep->flows->free;
	ep->flows->free = flow - ep->flows->flow;
}

/* A transfer that nothing was asked for yet */
static int new_pull(struct mpipr_peer *peer, struct pull **pull)
{
	int err;

	*pull = calloc(1, sizeof(**pull));
	if (!*pull)
		return -FI_ENOMEM;
	(*pull)->in.peer = peer;
	err = add(peer->ep, NULL, *pull, &(*pull)->id);
	if (err)
		free(*pull);
	return err;
}

/* A transfer is over; it is freed. */
static void finish(struct pull *pull, int err)
{
	struct mpipr_peer *peer = pull->in.peer;

	del(peer->ep, find(peer->ep, pull->id));
	if (pull->side) {
		peer->asks--;
		pull->done.err = err;
		mpipr_side_done(pull->side, &pull->done, pull->report);
	} else {
		mpipr_inflow_done(&pull->in, err);
	}
	free(pull);
}

/**
 * mpipr_rndv_offer() - tell the receiver of a message
 * @tx: message
 *
 * Return: 0, -FI_EAGAIN if there is no memory now, or another error of
 *	libfabric's, below 0.
 */
int mpipr_rndv_offer(struct mpipr_tx *tx)
{
	struct mpipr_ep *ep = tx->peer->ep;
	int err;

	if (add(ep, tx, NULL, &tx->wire.id))
		return -FI_EAGAIN;
	err = mpipr_tx_control(tx->peer->tx, &tx->wire);
	if (err)
		del(ep, find(ep, tx->wire.id));
	return err;
}

/* Says how much of a message is wanted. */
static int ready(struct mpipr_peer *peer, const struct mpipr_wire *of,
		 uint64_t id, uint64_t len)
{
	struct mpipr_wire wire = {
		.type = MPIPR_WIRE_READY,
		.peer_id = of->id,
		.id = id,
		.len = len,
	};

	if (!peer->tx)
		return -(peer->err ? peer->err : FI_ESHUTDOWN);
	return mpipr_tx_control(peer->tx, &wire);
}

/**
 * mpipr_rndv_accept() - ask for a message
 * @peer: who offered it
 * @wire: its MPIPR_WIRE_REQUEST
 * @rx: receive that it is for
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_rndv_accept(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		      struct mpipr_rx *rx)
{
	struct pull *pull;
	int err;

	if (!peer->tx)
		return -(peer->err ? peer->err : FI_ESHUTDOWN);
	if (peer->tx->mute)
		return -FI_ECONNRESET;
	err = new_pull(peer, &pull);
	if (err)
		return err;
	mpipr_inflow_aim(&pull->in, rx, peer, wire);
	err = ready(peer, wire, pull->id, pull->in.room);
	if (err)
		/* All transfers with the peer end with it, this one too. */
		mpipr_conn_unsent(peer->tx, -err);
	else if (!pull->in.room)
		mpipr_rndv_arrived(&pull->in);
	return 0;
}

/**
 * mpipr_rndv_refuse() - do without a message
 * @peer: who offered it
 * @wire: its MPIPR_WIRE_REQUEST
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_rndv_refuse(struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	return ready(peer, wire, 0, 0);
}

/**
 * mpipr_rndv_ready() - a message is wanted
 * @peer: by whom
 * @wire: its MPIPR_WIRE_READY
 *
 * Return: 0, or -FI_EIO if it was not offered to this peer.
 */
int mpipr_rndv_ready(struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	struct flow *flow = find(peer->ep, wire->peer_id);
	struct mpipr_wire data = {
		.type = MPIPR_WIRE_DATA,
		.peer_id = wire->id,
	};
	struct mpipr_tx *tx = flow ? flow->tx : NULL;
	int err;

	if (!tx || tx->peer != peer || wire->len > tx->len)
		return -FI_EIO;
	del(peer->ep, flow);
	if (!wire->len) {
		mpipr_tx_finish(tx, 0);
		return 0;
	}
	tx->len = wire->len;
	err = mpipr_tx_pieces(tx, &data);
	if (err)
		mpipr_conn_unsent(peer->tx, -err);
	return 0;
}

/**
 * mpipr_rndv_data() - a piece of a transfer comes
 * @peer: from whom
 * @wire: its MPIPR_WIRE_DATA
 *
 * Return: where it goes, or NULL if it was not asked for, or another one is
 *	coming.
 */
struct mpipr_inflow *mpipr_rndv_data(struct mpipr_peer *peer,
				     const struct mpipr_wire *wire)
{
	struct flow *flow = find(peer->ep, wire->peer_id);
	struct pull *pull = flow ? flow->pull : NULL;

	if (!pull || pull->in.peer != peer || pull->coming || !wire->len ||
	    wire->len > pull->in.left)
		return NULL;
	pull->coming = true;
	return &pull->in;
}

/**
 * mpipr_rndv_arrived() - a piece of a transfer came
 * @in: where it went; freed if that is all of it
 */
void mpipr_rndv_arrived(struct mpipr_inflow *in)
{
	struct pull *pull = mpipr_list_entry(in, struct pull, in);

	pull->coming = false;
	if (!in->left)
		finish(pull, 0);
}

/**
 * mpipr_rndv_ask() - a peer's memory is about to be accessed
 * @peer: peer
 * @iov: what comes of it goes there
 * @count: pieces of that
 * @len: bytes of that
 * @side: what the access reports to
 * @done: what it reports
 * @report: what the completion queue is told of it
 * @id: set to the name by which the peer answers
 *
 * Return: 0, or -FI_EAGAIN if the peer has enough to answer, or there is no
 *	memory now.
 */
int mpipr_rndv_ask(struct mpipr_peer *peer, const struct iovec *iov,
		   size_t count, size_t len, struct mpipr_side *side,
		   const struct mpipr_done *done, enum mpipr_report report,
		   uint64_t *id)
{
	struct pull *pull;

	if (peer->asks >= MPIPR_WIRE_ASKS || new_pull(peer, &pull))
		return -FI_EAGAIN;
	pull->in.room = len;
	pull->in.left = len;
	pull->in.count = count;
	if (count)
		memcpy(pull->in.iov, iov, count * sizeof(*iov));
	pull->side = side;
	pull->done = *done;
	pull->report = report;
	peer->asks++;
	*id = pull->id;
	return 0;
}

/**
 * mpipr_rndv_answer() - a peer has done what was asked, or not
 * @peer: peer
 * @wire: its MPIPR_WIRE_ANSWER
 *
 * Return: 0, or -FI_EIO if that was not asked, or is not done yet.
 */
int mpipr_rndv_answer(struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	struct flow *flow = find(peer->ep, wire->peer_id);
	struct pull *pull = flow ? flow->pull : NULL;

	if (!pull || !pull->side || pull->in.peer != peer || pull->coming ||
	    wire->data > INT_MAX || (!wire->data && pull->in.left))
		return -FI_EIO;
	finish(pull, wire->data);
	return 0;
}

/**
 * mpipr_rndv_peer_lost() - end all transfers with a peer
 * @peer: peer
 * @err: why, an error of libfabric's, above 0
 */
void mpipr_rndv_peer_lost(struct mpipr_peer *peer, int err)
{
	struct mpipr_flows *flows = peer->ep->flows;
	struct mpipr_tx *tx;
	struct pull *pull;
	uint32_t i;

	for (i = 0; flows && i < flows->room; i++) {
		tx = flows->flow[i].tx;
		pull = flows->flow[i].pull;
		if (tx && tx->peer == peer) {
			del(peer->ep, &flows->flow[i]);
			mpipr_tx_finish(tx, err);
		} else if (pull && pull->in.peer == peer) {
			finish(pull, err);
		}
	}
}

/**
 * mpipr_rndv_close() - forget all transfers
 * @ep: endpoint; without connections, which ended them
 */
void mpipr_rndv_close(struct mpipr_ep *ep)
{
	if (ep->flows)
		free(ep->flows->flow);
	free(ep->flows);
}
