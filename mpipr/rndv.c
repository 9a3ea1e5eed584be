// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Rendezvous. What waits for the other side is known to it by an identifier:
 * a place in a table, and how often that was used, so that no identifier that
 * is wrong or old is ever taken for another one.
 */
#include <stdlib.h>
#include <string.h>

#include "conn.h"
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
	struct prp_tx *tx;
	struct pull *pull;
	uint32_t uses;
	uint32_t next_free;
};

#define NO_FLOW UINT32_MAX

/**
 * struct prp_flows - the table of an endpoint
 * @flow: places
 * @room: how many
 * @free: the first one that is free, or NO_FLOW
 */
struct prp_flows {
	struct flow *flow;
	uint32_t room;
	uint32_t free;
};

/**
 * struct pull - a transfer that was asked for
 * @in: where it goes
 * @id: its identifier
 * @coming: a connection is bringing a piece of it
 */
struct pull {
	struct prp_inflow in;
	uint64_t id;
	bool coming;
};

static int grow(struct prp_flows *flows)
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

static int add(struct prp_ep *ep, struct prp_tx *tx, struct pull *pull,
	       uint64_t *id)
{
	struct prp_flows *flows = ep->flows;
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

static struct flow *find(struct prp_ep *ep, uint64_t id)
{
	struct prp_flows *flows = ep->flows;
	uint32_t i = id;

	if (!flows || i >= flows->room || flows->flow[i].uses != id >> 32)
		return NULL;
	return &flows->flow[i];
}

static void del(struct prp_ep *ep, struct flow *flow)
{
	flow->tx = NULL;
	flow->pull = NULL;
	flow->next_free = ep->flows->free;
	ep->flows->free = flow - ep->flows->flow;
}

/**
 * prp_rndv_offer() - tell the receiver of a message
 * @tx: message
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int prp_rndv_offer(struct prp_tx *tx)
{
	struct prp_ep *ep = tx->peer->ep;
	int err;

	err = add(ep, tx, NULL, &tx->wire.id);
	if (err)
		return err;
	err = prp_tx_control(tx->peer->tx, &tx->wire);
	if (err)
		del(ep, find(ep, tx->wire.id));
	return err;
}

/* Says how much of a message is wanted. */
static int ready(struct prp_peer *peer, const struct prp_wire *of, uint64_t id,
		 uint64_t len)
{
	struct prp_wire wire = {
		.type = PRP_WIRE_READY,
		.peer_id = of->id,
		.id = id,
		.len = len,
	};

	if (!peer->tx)
		return -(peer->err ? peer->err : FI_ESHUTDOWN);
	return prp_tx_control(peer->tx, &wire);
}

/**
 * prp_rndv_accept() - ask for a message
 * @peer: who offered it
 * @wire: its PRP_WIRE_REQUEST
 * @rx: receive that it is for
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int prp_rndv_accept(struct prp_peer *peer, const struct prp_wire *wire,
		    struct prp_rx *rx)
{
	struct pull *pull;
	int err;

	if (!peer->tx)
		return -(peer->err ? peer->err : FI_ESHUTDOWN);
	pull = malloc(sizeof(*pull));
	if (!pull)
		return -FI_ENOMEM;
	err = add(peer->ep, NULL, pull, &pull->id);
	if (err) {
		free(pull);
		return err;
	}
	pull->coming = false;
	prp_inflow_aim(&pull->in, rx, peer, wire);
	err = ready(peer, wire, pull->id, pull->in.room);
	if (err)
		/* This ends all transfers with the peer, this one too. */
		prp_conn_end(peer->tx, -err);
	else if (!pull->in.room)
		prp_rndv_arrived(&pull->in);
	return 0;
}

/**
 * prp_rndv_refuse() - do without a message
 * @peer: who offered it
 * @wire: its PRP_WIRE_REQUEST
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int prp_rndv_refuse(struct prp_peer *peer, const struct prp_wire *wire)
{
	return ready(peer, wire, 0, 0);
}

/**
 * prp_rndv_ready() - a message is wanted
 * @peer: by whom
 * @wire: its PRP_WIRE_READY
 *
 * Return: 0, or -FI_EIO if it was not offered to this peer.
 */
int prp_rndv_ready(struct prp_peer *peer, const struct prp_wire *wire)
{
	struct flow *flow = find(peer->ep, wire->peer_id);
	struct prp_wire data = {
		.type = PRP_WIRE_DATA,
		.peer_id = wire->id,
	};
	struct prp_tx *tx = flow ? flow->tx : NULL;

	if (!tx || tx->peer != peer || wire->len > tx->len)
		return -FI_EIO;
	del(peer->ep, flow);
	if (!wire->len) {
		prp_tx_finish(tx, 0);
		return 0;
	}
	tx->len = wire->len;
	prp_tx_pieces(tx, &data);
	return 0;
}

/**
 * prp_rndv_data() - a piece of a transfer comes
 * @peer: from whom
 * @wire: its PRP_WIRE_DATA
 *
 * Return: where it goes, or NULL if it was not asked for, or another one is
 *	coming.
 */
struct prp_inflow *prp_rndv_data(struct prp_peer *peer,
				 const struct prp_wire *wire)
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
 * prp_rndv_arrived() - a piece of a transfer came
 * @in: where it went; freed if that is all of it
 */
void prp_rndv_arrived(struct prp_inflow *in)
{
	struct pull *pull = prp_list_entry(in, struct pull, in);

	pull->coming = false;
	if (in->left)
		return;
	del(in->peer->ep, find(in->peer->ep, pull->id));
	prp_inflow_done(in, 0);
	free(pull);
}

/**
 * prp_rndv_peer_lost() - end all transfers with a peer
 * @peer: peer
 * @err: why, an error of libfabric's, above 0
 */
void prp_rndv_peer_lost(struct prp_peer *peer, int err)
{
	struct prp_flows *flows = peer->ep->flows;
	struct prp_tx *tx;
	struct pull *pull;
	uint32_t i;

	for (i = 0; flows && i < flows->room; i++) {
		tx = flows->flow[i].tx;
		pull = flows->flow[i].pull;
		if (tx && tx->peer == peer) {
			del(peer->ep, &flows->flow[i]);
			prp_tx_finish(tx, err);
		} else if (pull && pull->in.peer == peer) {
			del(peer->ep, &flows->flow[i]);
			prp_inflow_done(&pull->in, err);
			free(pull);
		}
	}
}

/**
 * prp_rndv_close() - forget all transfers
 * @ep: endpoint; without connections, which ended them
 */
void prp_rndv_close(struct prp_ep *ep)
{
	if (ep->flows)
		free(ep->flows->flow);
	free(ep->flows);
}
