// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Messages that came before their receive. */
#include <stdlib.h>

#include "early.h"
#include "inflow.h"
#include "peer.h"
#include "rndv.h"
#include "rx.h"

static struct mpipr_early *early_of(struct mpipr_offer *offer)
{
	return mpipr_list_entry(offer, struct mpipr_early, offer);
}

/**
 * mpipr_early_add() - keep a message until it is wanted
 * @peer: from whom
 * @wire: its header
 * @in: set to bring its payload, if that comes now; else NULL
 *
 * Return: 0, -FI_EIO if the peer offers too many, or -FI_ENOMEM.
 */
int mpipr_early_add(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		    struct mpipr_inflow *in)
{
	struct mpipr_match *match =
		mpipr_rx_queues(peer->ep, wire->flags & MPIPR_WIRE_TAGGED);
	struct mpipr_early *early;

	if (!in && peer->offers == MPIPR_WIRE_OFFERS)
		return -FI_EIO;
	early = malloc(sizeof(*early) + (in ? wire->len : 0));
	if (!early)
		return -FI_ENOMEM;
	early->offer.from = peer;
	early->offer.tag = wire->tag;
	early->wire = *wire;
	early->peer = peer;
	early->life = peer->life;
	early->in = in;
	early->context = NULL;
	mpipr_match_add_offer(match, &early->offer);
	if (!in) {
		peer->offers++;
		return 0;
	}
	in->peer = peer;
	in->wire = *wire;
	in->rx = NULL;
	in->early = early;
	in->region = NULL;
	in->iov[0].iov_base = early->payload;
	in->iov[0].iov_len = wire->len;
	in->count = 1;
	in->room = wire->len;
	in->left = wire->len;
	return 0;
}

/**
 * mpipr_early_for() - find the message for a receive
 * @match: queues
 * @want: what fits
 *
 * Return: the first one, still queued, or NULL.
 */
struct mpipr_early *mpipr_early_for(struct mpipr_match *match,
				    const struct mpipr_want *want)
{
	struct mpipr_offer *offer = mpipr_match_offer(match, want);

	return offer ? early_of(offer) : NULL;
}

/* It has got to whom it was for, or is forgotten. */
static void let_go(struct mpipr_early *early)
{
	if (early->wire.type == MPIPR_WIRE_REQUEST)
		early->peer->offers--;
	free(early);
}

/* Its sender is gone: who is at the same address now is another one. */
static bool is_orphan(const struct mpipr_early *early)
{
	return early->life != early->peer->life;
}

/**
 * mpipr_early_take() - give a message to a receive
 * @early: message, in no queue any more; freed
 * @rx: receive; may be freed
 */
void mpipr_early_take(struct mpipr_early *early, struct mpipr_rx *rx)
{
	struct mpipr_inflow whole, *in = early->in;
	size_t have;
	int err;

	if (early->wire.type == MPIPR_WIRE_REQUEST) {
		err = is_orphan(early) ?
			      -FI_ECONNRESET :
			      mpipr_rndv_accept(early->peer, &early->wire, rx);
		if (err)
			mpipr_rx_fail(rx, -err);
	} else if (in) {
		have = early->wire.len - in->left;
		mpipr_inflow_aim(in, rx, early->peer, &early->wire);
		mpipr_inflow_put(in, early->payload, have);
	} else {
		mpipr_inflow_aim(&whole, rx, early->peer, &early->wire);
		mpipr_inflow_put(&whole, early->payload, early->wire.len);
		mpipr_inflow_done(&whole, 0);
	}
	let_go(early);
}

/* Forgets a message; it is in no queue any more, and freed. */
static void discard(struct mpipr_early *early)
{
	struct mpipr_inflow nowhere;

	if (early->wire.type == MPIPR_WIRE_REQUEST) {
		if (!is_orphan(early))
			mpipr_rndv_refuse(early->peer, &early->wire);
	} else if (early->in) {
		early->in->early = NULL;
		early->in->left = 0;
	} else {
		nowhere.peer = early->peer;
		nowhere.wire = early->wire;
		nowhere.rx = NULL;
		nowhere.early = NULL;
		nowhere.region = NULL;
		mpipr_inflow_done(&nowhere, 0);
	}
	let_go(early);
}

/**
 * mpipr_early_peek() - look for a message
 * @ep: endpoint
 * @want: what fits
 * @tagged: a tagged one
 * @context: the program's
 * @flags: FI_CLAIM if nobody else is to get it, FI_DISCARD to forget it
 */
void mpipr_early_peek(struct mpipr_ep *ep, const struct mpipr_want *want,
		      bool tagged, void *context, uint64_t flags)
{
	struct mpipr_done done = {
		.context = context,
		.flags = mpipr_rx_kind(tagged),
		.tag = want->tag,
		.from = FI_ADDR_NOTAVAIL,
		.err = FI_ENOMSG,
	};
	struct mpipr_match *match = mpipr_rx_queues(ep, tagged);
	struct mpipr_early *early;
	int err;

	ep->domain->looks = MPIPR_LOOK_POLLS;
	early = mpipr_early_for(match, want);
	if (early) {
		done = mpipr_rx_describe(&early->wire, early->peer, context);
		if (flags & (FI_CLAIM | FI_DISCARD))
			mpipr_match_del_offer(match, &early->offer);
		if (flags & FI_DISCARD) {
			discard(early);
		} else if (flags & FI_CLAIM) {
			early->context = context;
			mpipr_list_add_tail(&early->offer.link, &ep->claimed);
		}
	} else {
		err = mpipr_peer_tell_loss(ep, want->from);
		if (err)
			done.err = err;
	}
	mpipr_side_tell(&ep->rx, &done);
}

/**
 * mpipr_early_claimed() - find a message that FI_CLAIM reserved
 * @ep: endpoint
 * @context: of the operation that reserved it
 *
 * Return: the message, in no queue any more, or NULL.
 */
struct mpipr_early *mpipr_early_claimed(struct mpipr_ep *ep, void *context)
{
	struct mpipr_list *link, *after;
	struct mpipr_early *early;
	struct mpipr_offer *offer;

	mpipr_list_for_each(link, after, &ep->claimed)
	{
		offer = mpipr_list_entry(link, struct mpipr_offer, link);
		early = early_of(offer);
		if (early->context == context) {
			mpipr_list_del(link);
			return early;
		}
	}
	return NULL;
}

/**
 * mpipr_early_drop() - FI_DISCARD of a message that FI_CLAIM reserved
 * @early: message, in no queue any more; freed
 * @context: the program's
 */
void mpipr_early_drop(struct mpipr_early *early, void *context)
{
	struct mpipr_side *side = &early->peer->ep->rx;
	struct mpipr_done done =
		mpipr_rx_describe(&early->wire, early->peer, context);

	done.len = 0;
	discard(early);
	mpipr_side_tell(side, &done);
}

static void free_all(struct mpipr_match *match, struct mpipr_list *head)
{
	struct mpipr_list *link, *after;
	struct mpipr_offer *offer;

	mpipr_list_for_each(link, after, head)
	{
		offer = mpipr_list_entry(link, struct mpipr_offer, link);
		mpipr_match_del_offer(match, offer);
		free(early_of(offer));
	}
}

/**
 * mpipr_early_close() - forget all messages, without a word
 * @ep: endpoint; without connections
 */
void mpipr_early_close(struct mpipr_ep *ep)
{
	free_all(&ep->tagged, &ep->tagged.offers.all);
	free_all(&ep->plain, &ep->plain.offers.all);
	/* These are in neither queue. */
	free_all(NULL, &ep->claimed);
}
