// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Receives: what the program wants, and the messages that came before they
 * were wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "rndv.h"
#include "rx.h"

static struct mpipr_match *queues(struct mpipr_ep *ep, bool tagged)
{
	return tagged ? &ep->tagged : &ep->plain;
}

static uint64_t kind(bool tagged)
{
	return FI_RECV | (tagged ? FI_TAGGED : FI_MSG);
}

static struct mpipr_rx *rx_of(struct mpipr_want *want)
{
	return mpipr_list_entry(want, struct mpipr_rx, want);
}

static struct mpipr_early *early_of(struct mpipr_offer *offer)
{
	return mpipr_list_entry(offer, struct mpipr_early, offer);
}

/* What a completion says of a message */
static struct mpipr_done describe(const struct mpipr_wire *wire,
				  const struct mpipr_peer *peer, void *context)
{
	return (struct mpipr_done){
		.context = context,
		.flags = kind(wire->flags & MPIPR_WIRE_TAGGED) |
			 (wire->flags & MPIPR_WIRE_CQ_DATA ? FI_REMOTE_CQ_DATA :
							     0),
		.len = wire->len,
		.data = wire->data,
		.tag = wire->tag,
		.from = peer->number,
	};
}

/**
 * mpipr_rx_complete() - a message of a receive has come
 * @in: what brought it; its receive may be freed
 * @err: 0 or why not, an error of libfabric's, above 0
 */
void mpipr_rx_complete(struct mpipr_inflow *in, int err)
{
	struct mpipr_rx *rx = in->rx;
	struct mpipr_done done = describe(&in->wire, in->peer, rx->context);
	struct mpipr_side *side = &rx->ep->rx;
	bool report = rx->report;

	done.len = in->room;
	done.buf = in->buf;
	done.olen = in->wire.len - in->room;
	done.err = err ? err : done.olen ? FI_ETRUNC : 0;
	rx->flows--;
	if (!rx->multi || (rx->retired && !rx->flows)) {
		if (rx->multi)
			done.flags |= FI_MULTI_RECV;
		free(rx);
	}
	mpipr_side_done(side, &done,
			report || done.err || done.flags & FI_MULTI_RECV);
}

/* A buffer for several messages takes no more of them. */
static void retire(struct mpipr_rx *rx)
{
	struct mpipr_done done = {
		.context = rx->context,
		.flags = kind(rx->tagged) | FI_MULTI_RECV,
		.from = FI_ADDR_NOTAVAIL,
	};

	mpipr_list_del(&rx->want.link);
	rx->retired = true;
	if (rx->flows)
		return;
	mpipr_side_done(&rx->ep->rx, &done, true);
	free(rx);
}

/**
 * mpipr_rx_fail() - end a receive that no message came for
 * @rx: receive; freed
 * @err: why, an error of libfabric's, above 0
 */
void mpipr_rx_fail(struct mpipr_rx *rx, int err)
{
	struct mpipr_done done = {
		.context = rx->context,
		.flags = kind(rx->tagged),
		.tag = rx->want.tag,
		.from = FI_ADDR_NOTAVAIL,
		.err = err,
	};

	mpipr_list_del(&rx->want.link);
	mpipr_side_done(&rx->ep->rx, &done, true);
	if (rx->flows)
		rx->retired = true;
	else
		free(rx);
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
	struct mpipr_match *match = queues(ep, wire->flags & MPIPR_WIRE_TAGGED);
	struct mpipr_want *want;
	struct mpipr_rx *rx;

	while ((want = mpipr_match_want(match, &offer))) {
		rx = rx_of(want);
		if (!rx->multi) {
			mpipr_list_del(&want->link);
			return rx;
		}
		/* An empty buffer takes what it can. */
		if (!rx->used || wire->len <= rx->room - rx->used)
			return rx;
		retire(rx);
	}
	return NULL;
}

/**
 * mpipr_inflow_aim() - send payload to a receive
 * @in: set
 * @rx: receive
 * @peer: from whom the message is
 * @wire: its header
 */
void mpipr_inflow_aim(struct mpipr_inflow *in, struct mpipr_rx *rx,
		      struct mpipr_peer *peer, const struct mpipr_wire *wire)
{
	const size_t room = rx->room - rx->used;

	in->peer = peer;
	in->wire = *wire;
	in->rx = rx;
	in->early = NULL;
	in->room = wire->len < room ? wire->len : room;
	in->left = in->room;
	in->count = rx->count;
	memcpy(in->iov, rx->iov, rx->count * sizeof(*rx->iov));
	in->buf = rx->iov[0].iov_base;
	rx->flows++;
	if (!rx->multi)
		return;
	in->buf = (uint8_t *)in->buf + rx->used;
	in->iov[0].iov_base = in->buf;
	in->iov[0].iov_len = room;
	rx->used += in->room;
	if (rx->room - rx->used < rx->ep->min_multi_recv || in->room == room)
		retire(rx);
}

/**
 * mpipr_early_add() - keep a message until it is wanted
 * @peer: from whom
 * @wire: its header
 * @in: set to bring its payload, if that comes now; else NULL
 *
 * Return: 0 or -FI_ENOMEM.
 */
int mpipr_early_add(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		    struct mpipr_inflow *in)
{
	struct mpipr_match *match =
		queues(peer->ep, wire->flags & MPIPR_WIRE_TAGGED);
	struct mpipr_early *early;

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
	mpipr_list_add_tail(&early->offer.link, &match->offers);
	if (!in)
		return 0;
	in->peer = peer;
	in->wire = *wire;
	in->rx = NULL;
	in->early = early;
	in->iov[0].iov_base = early->payload;
	in->iov[0].iov_len = wire->len;
	in->count = 1;
	in->room = wire->len;
	in->left = wire->len;
	return 0;
}

/* Its sender is gone: who is at the same address now is another one. */
static bool is_orphan(const struct mpipr_early *early)
{
	return early->life != early->peer->life;
}

/* Gives a message to a receive; it is in no queue any more, and freed. */
static void take(struct mpipr_early *early, struct mpipr_rx *rx)
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
	free(early);
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
		mpipr_inflow_done(&nowhere, 0);
	}
	free(early);
}

/* FI_PEEK: is there a message? With FI_CLAIM nobody else gets it. */
static void peek(struct mpipr_ep *ep, struct mpipr_match *match,
		 const struct mpipr_want *want, bool tagged, void *context,
		 uint64_t flags)
{
	struct mpipr_done done = {
		.context = context,
		.flags = kind(tagged),
		.tag = want->tag,
		.from = FI_ADDR_NOTAVAIL,
		.err = FI_ENOMSG,
	};
	struct mpipr_offer *offer;
	struct mpipr_early *early;

	ep->domain->peeked = true;
	offer = mpipr_match_offer(match, want);
	if (offer) {
		early = early_of(offer);
		done = describe(&early->wire, early->peer, context);
		if (flags & (FI_CLAIM | FI_DISCARD))
			mpipr_list_del(&offer->link);
		if (flags & FI_DISCARD) {
			discard(early);
		} else if (flags & FI_CLAIM) {
			early->context = context;
			mpipr_list_add_tail(&offer->link, &ep->claimed);
		}
	}
	mpipr_side_done(&ep->rx, &done, true);
}

/* The message that an operation with this context claimed */
static struct mpipr_early *claimed(struct mpipr_ep *ep, void *context)
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

/* FI_DISCARD of a message that FI_CLAIM reserved */
static void drop_claimed(struct mpipr_early *early, void *context)
{
	struct mpipr_side *side = &early->peer->ep->rx;
	struct mpipr_done done = describe(&early->wire, early->peer, context);

	done.len = 0;
	discard(early);
	mpipr_side_done(side, &done, true);
}

/* A receive that is not queued yet */
static struct mpipr_rx *alloc_rx(struct mpipr_ep *ep, bool tagged,
				 const struct iovec *iov, size_t count,
				 const struct mpipr_want *want, void *context,
				 uint64_t flags)
{
	struct mpipr_rx *rx = malloc(sizeof(*rx));
	size_t i;

	if (!rx)
		return NULL;
	rx->want = *want;
	mpipr_list_init(&rx->want.link);
	rx->ep = ep;
	rx->tagged = tagged;
	rx->multi = flags & FI_MULTI_RECV;
	rx->report = !ep->rx.selective || flags & FI_COMPLETION;
	rx->context = context;
	rx->count = count;
	rx->room = 0;
	rx->iov[0].iov_base = NULL;
	for (i = 0; i < count; i++) {
		rx->iov[i] = iov[i];
		rx->room += iov[i].iov_len;
	}
	rx->used = 0;
	rx->flows = 0;
	rx->retired = false;
	return rx;
}

/* Gives a new receive the messages that wait for it, or queues it. */
static void post(struct mpipr_match *match, struct mpipr_rx *rx)
{
	struct mpipr_offer *offer;
	struct mpipr_early *early;
	bool multi = rx->multi;

	if (multi)
		mpipr_list_add_tail(&rx->want.link, &match->wants);
	while ((offer = mpipr_match_offer(match, &rx->want))) {
		early = early_of(offer);
		if (multi && rx->used &&
		    early->wire.len > rx->room - rx->used) {
			retire(rx);
			return;
		}
		mpipr_list_del(&offer->link);
		take(early, rx);
		/* One that is full, or failed, is not the last one any more. */
		if (!multi || match->wants.prev != &rx->want.link)
			return;
	}
	if (!multi)
		mpipr_list_add_tail(&rx->want.link, &match->wants);
}

/**
 * mpipr_rx_post() - receive a message, or look for one
 * @ep: endpoint
 * @tagged: a tagged one
 * @iov: buffer
 * @count: pieces of it
 * @from: number of the sender, or FI_ADDR_UNSPEC
 * @tag: tag wanted
 * @ignore: bits of it that do not count
 * @context: the program's
 * @flags: FI_MULTI_RECV, FI_PEEK, FI_CLAIM, FI_DISCARD, FI_COMPLETION
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
ssize_t mpipr_rx_post(struct mpipr_ep *ep, bool tagged, const struct iovec *iov,
		      size_t count, fi_addr_t from, uint64_t tag,
		      uint64_t ignore, void *context, uint64_t flags)
{
	struct mpipr_match *match = queues(ep, tagged);
	struct mpipr_want want = { .tag = tag, .ignore = ignore };
	struct mpipr_early *early = NULL;
	struct mpipr_peer *peer = NULL;
	struct mpipr_rx *rx;
	ssize_t ret = 0;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (count > MPIPR_IOV_LIMIT || (flags & FI_MULTI_RECV && count != 1))
		return -FI_EINVAL;
	mpipr_domain_lock(ep->domain);
	if (ep->directed && from != FI_ADDR_UNSPEC) {
		ret = mpipr_peer_get(ep, from, &peer);
		if (ret)
			goto unlock;
		want.from = peer;
	}
	if (flags & FI_PEEK) {
		peek(ep, match, &want, tagged, context, flags);
		goto unlock;
	}
	if (flags & FI_CLAIM) {
		early = claimed(ep, context);
		ret = early ? 0 : -FI_EINVAL;
		if (early && flags & FI_DISCARD) {
			drop_claimed(early, context);
			goto unlock;
		}
		if (ret)
			goto unlock;
	}
	rx = alloc_rx(ep, tagged, iov, count, &want, context, flags);
	if (!rx) {
		if (early)
			mpipr_list_add_tail(&early->offer.link, &ep->claimed);
		ret = -FI_ENOMEM;
		goto unlock;
	}
	if (early)
		take(early, rx);
	else if (peer && peer->err && !mpipr_match_offer(match, &want))
		mpipr_rx_fail(rx, peer->err);
	else
		post(match, rx);
unlock:
	mpipr_domain_unlock(ep->domain);
	return ret;
}

static struct mpipr_rx *find_context(struct mpipr_match *match, void *context)
{
	struct mpipr_list *link, *after;
	struct mpipr_rx *rx;

	mpipr_list_for_each(link, after, &match->wants)
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

static void fail_wants(struct mpipr_match *match, const struct mpipr_peer *peer,
		       int err)
{
	struct mpipr_list *link, *after;
	struct mpipr_rx *rx;

	mpipr_list_for_each(link, after, &match->wants)
	{
		rx = rx_of(mpipr_list_entry(link, struct mpipr_want, link));
		if (!rx->want.from || rx->want.from == peer)
			mpipr_rx_fail(rx, err);
	}
}

/**
 * mpipr_rx_peer_lost() - a peer died
 * @peer: peer
 * @err: error of libfabric's, above 0
 *
 * Ends the receives that it would have had to answer, those from anybody too:
 * else a program waits forever for whom it does not know to be dead.
 */
void mpipr_rx_peer_lost(struct mpipr_peer *peer, int err)
{
	fail_wants(&peer->ep->tagged, peer, err);
	fail_wants(&peer->ep->plain, peer, err);
}

static void free_offers(struct mpipr_list *head)
{
	struct mpipr_list *link, *after;
	struct mpipr_offer *offer;

	mpipr_list_for_each(link, after, head)
	{
		offer = mpipr_list_entry(link, struct mpipr_offer, link);
		free(early_of(offer));
	}
	mpipr_list_init(head);
}

static void free_queues(struct mpipr_match *match)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &match->wants)
		free(rx_of(mpipr_list_entry(link, struct mpipr_want, link)));
	mpipr_list_init(&match->wants);
	free_offers(&match->offers);
}

/**
 * mpipr_rx_close() - forget all receives and messages, without a word
 * @ep: endpoint; without connections
 */
void mpipr_rx_close(struct mpipr_ep *ep)
{
	free_queues(&ep->tagged);
	free_queues(&ep->plain);
	free_offers(&ep->claimed);
}
