// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Receives: what the program wants. */
#include <stdlib.h>

#include "inflow.h"
#include "peer.h"
#include "rx.h"

/* So many that are over are kept for those that follow. */
#define MPIPR_RX_SPARE 256

static struct mpipr_rx *rx_of(struct mpipr_want *want)
{
	return mpipr_list_entry(want, struct mpipr_rx, want);
}

/**
 * mpipr_rx_alloc() - get memory for a receive
 * @ep: endpoint
 *
 * Where many are posted at once malloc() takes as long as the rest of it.
 *
 * Return: the receive, not set, or NULL if there is no memory.
 */
struct mpipr_rx *mpipr_rx_alloc(struct mpipr_ep *ep)
{
	struct mpipr_list *link = ep->spare.prev;

	if (mpipr_list_empty(&ep->spare))
		return malloc(sizeof(struct mpipr_rx));
	mpipr_list_del(link);
	ep->spares--;
	return rx_of(mpipr_list_entry(link, struct mpipr_want, link));
}

static void free_rx(struct mpipr_rx *rx)
{
	struct mpipr_ep *ep = rx->ep;

	if (ep->spares == MPIPR_RX_SPARE) {
		free(rx);
		return;
	}
	ep->spares++;
	mpipr_list_add_tail(&rx->want.link, &ep->spare);
}

/**
 * mpipr_rx_describe() - what a completion says of a message
 * @wire: its header
 * @peer: from whom
 * @context: the operation's
 *
 * Return: the completion.
 */
struct mpipr_done mpipr_rx_describe(const struct mpipr_wire *wire,
				    const struct mpipr_peer *peer,
				    void *context)
{
	return (struct mpipr_done){
		.context = context,
		.flags = mpipr_rx_kind(wire->flags & MPIPR_WIRE_TAGGED) |
			 (wire->flags & MPIPR_WIRE_CQ_DATA ? FI_REMOTE_CQ_DATA :
							     0),
		.len = wire->len,
		.data = wire->data,
		.tag = wire->tag,
		.from = peer->number,
	};
}

/* The program has its buffer back, and learns why; freed */
static void fail(struct mpipr_rx *rx, int err)
{
	const struct mpipr_done done = {
		.context = rx->context,
		.flags = mpipr_rx_kind(rx->tagged) |
			 (rx->multi ? FI_MULTI_RECV : 0),
		.tag = rx->want.tag,
		.from = FI_ADDR_NOTAVAIL,
		.err = err,
	};

	mpipr_side_done(&rx->ep->rx, &done, MPIPR_REPORT_ALL);
	free_rx(rx);
}

/**
 * mpipr_rx_complete() - a message of a receive has come
 * @in: what brought it; its receive may be freed
 * @err: 0 or why not, an error of libfabric's, above 0
 */
void mpipr_rx_complete(struct mpipr_inflow *in, int err)
{
	struct mpipr_rx *rx = in->rx;
	struct mpipr_done done =
		mpipr_rx_describe(&in->wire, in->peer, rx->context);
	bool last;

	done.len = in->room;
	done.buf = in->buf;
	done.olen = in->wire.len - in->room;
	done.err = err ? err : done.olen ? FI_ETRUNC : 0;
	rx->flows--;
	last = !rx->multi || (rx->retired && !rx->flows);
	if (last && rx->multi && !rx->err)
		done.flags |= FI_MULTI_RECV;
	mpipr_side_done(&rx->ep->rx, &done,
			done.flags & FI_MULTI_RECV ? MPIPR_REPORT_ALL :
						     rx->report);
	if (last && rx->err)
		fail(rx, rx->err);
	else if (last)
		free_rx(rx);
}

static void unqueue(struct mpipr_rx *rx)
{
	mpipr_match_del_want(mpipr_rx_queues(rx->ep, rx->tagged), &rx->want);
}

/**
 * mpipr_rx_retire() - a buffer for several messages takes no more of them
 * @rx: receive; may be freed
 */
void mpipr_rx_retire(struct mpipr_rx *rx)
{
	/* Flags of a message would have it taken for one. */
	const struct mpipr_done done = {
		.context = rx->context,
		.flags = FI_MULTI_RECV,
		.from = FI_ADDR_NOTAVAIL,
	};

	unqueue(rx);
	rx->retired = true;
	if (rx->flows)
		return;
	mpipr_side_tell(&rx->ep->rx, &done);
	free_rx(rx);
}

/**
 * mpipr_rx_fail() - end a receive that no message came for
 * @rx: receive; may be freed
 * @err: why, an error of libfabric's, above 0
 *
 * A buffer that messages are on their way into ends behind them.
 */
void mpipr_rx_fail(struct mpipr_rx *rx, int err)
{
	unqueue(rx);
	if (rx->flows) {
		rx->retired = true;
		rx->err = err;
	} else {
		fail(rx, err);
	}
}

/**
 * mpipr_rx_for() - find the receive for a message that comes
 * @ep: endpoint
 * @peer: from whom
 * @wire: its header
 *
 * Return: the receive, which no other message gets now unless its buffer is
 *	for several, or NULL.
 */
struct mpipr_rx *mpipr_rx_for(struct mpipr_ep *ep, struct mpipr_peer *peer,
			      const struct mpipr_wire *wire)
{
	const struct mpipr_offer offer = { .from = peer, .tag = wire->tag };
	struct mpipr_match *match =
		mpipr_rx_queues(ep, wire->flags & MPIPR_WIRE_TAGGED);
	struct mpipr_want *want;
	struct mpipr_rx *rx;

	while ((want = mpipr_match_want(match, &offer))) {
		rx = rx_of(want);
		if (!rx->multi) {
			mpipr_match_del_want(match, want);
			return rx;
		}
		/* An empty buffer takes what it can. */
		if (!rx->used || wire->len <= rx->room - rx->used)
			return rx;
		mpipr_rx_retire(rx);
	}
	return NULL;
}

static struct mpipr_rx *find_context(struct mpipr_match *match, void *context)
{
	struct mpipr_list *link, *after;
	struct mpipr_rx *rx;

	mpipr_list_for_each(link, after, &match->wants.all)
	{
		rx = rx_of(mpipr_list_entry(link, struct mpipr_want, link));
		if (rx->context == context)
			return rx;
	}
	return NULL;
}

/**
 * mpipr_rx_cancel() - end a receive that no message came for
 * @ep: endpoint
 * @context: the receive's
 *
 * Return: 0, or -FI_ENOENT if there is none such.
 */
ssize_t mpipr_rx_cancel(struct mpipr_ep *ep, void *context)
{
	struct mpipr_rx *rx;

	mpipr_domain_lock(ep->domain);
	rx = find_context(&ep->tagged, context);
	if (!rx)
		rx = find_context(&ep->plain, context);
	if (rx)
		mpipr_rx_fail(rx, FI_ECANCELED);
	mpipr_domain_unlock(ep->domain);
	return rx ? 0 : -FI_ENOENT;
}

/* Ends the receives for a peer; or those for anybody, if there are some. */
static bool fail_wants(struct mpipr_match *match, const struct mpipr_peer *from,
		       int err)
{
	struct mpipr_list *link, *after;
	struct mpipr_rx *rx;
	bool any = false;

	mpipr_list_for_each(link, after, &match->wants.all)
	{
		rx = rx_of(mpipr_list_entry(link, struct mpipr_want, link));
		if (rx->want.from != from)
			continue;
		mpipr_rx_fail(rx, err);
		any = true;
	}
	return any;
}

/**
 * mpipr_rx_peer_silent() - a peer does not answer
 * @peer: peer
 * @err: error of libfabric's, above 0
 *
 * Ends the receives that nobody else can answer.
 */
void mpipr_rx_peer_silent(struct mpipr_peer *peer, int err)
{
	fail_wants(&peer->ep->tagged, peer, err);
	fail_wants(&peer->ep->plain, peer, err);
}

/**
 * mpipr_rx_peer_lost() - a peer died
 * @peer: peer
 * @err: error of libfabric's, above 0
 *
 * Ends the receives that it would have had to answer, those from anybody too:
 * else a program waits forever for whom it does not know to be dead. If there
 * are none of these, the next one is told.
 */
void mpipr_rx_peer_lost(struct mpipr_peer *peer, int err)
{
	struct mpipr_ep *ep = peer->ep;
	bool told;

	mpipr_rx_peer_silent(peer, err);
	told = fail_wants(&ep->tagged, NULL, err);
	told |= fail_wants(&ep->plain, NULL, err);
	ep->lost = told ? 0 : err;
}

static void free_wants(struct mpipr_match *match)
{
	struct mpipr_list *link, *after;
	struct mpipr_want *want;

	mpipr_list_for_each(link, after, &match->wants.all)
	{
		want = mpipr_list_entry(link, struct mpipr_want, link);
		mpipr_match_del_want(match, want);
		free(rx_of(want));
	}
}

/**
 * mpipr_rx_close() - forget all receives, without a word
 * @ep: endpoint; without connections
 */
void mpipr_rx_close(struct mpipr_ep *ep)
{
	struct mpipr_list *link, *after;

	free_wants(&ep->tagged);
	free_wants(&ep->plain);
	mpipr_list_for_each(link, after, &ep->spare)
		free(rx_of(mpipr_list_entry(link, struct mpipr_want, link)));
}
