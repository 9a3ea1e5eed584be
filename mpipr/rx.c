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

static struct prp_match *queues(struct prp_ep *ep, bool tagged)
{
	return tagged ? &ep->tagged : &ep->plain;
}

static uint64_t kind(bool tagged)
{
	return FI_RECV | (tagged ? FI_TAGGED : FI_MSG);
}

static struct prp_rx *rx_of(struct prp_want *want)
{
	return prp_list_entry(want, struct prp_rx, want);
}

static struct prp_early *early_of(struct prp_offer *offer)
{
	return prp_list_entry(offer, struct prp_early, offer);
}

/* What a completion says of a message */
static struct prp_done describe(const struct prp_wire *wire,
				const struct prp_peer *peer, void *context)
{
	return (struct prp_done){
		.context = context,
		.flags = kind(wire->flags & PRP_WIRE_TAGGED) |
			 (wire->flags & PRP_WIRE_CQ_DATA ? FI_REMOTE_CQ_DATA :
							   0),
		.len = wire->len,
		.data = wire->data,
		.tag = wire->tag,
		.from = peer->number,
	};
}

/**
 * prp_rx_complete() - a message of a receive has come
 * @in: what brought it; its receive may be freed
 * @err: 0 or why not, an error of libfabric's, above 0
 */
void prp_rx_complete(struct prp_inflow *in, int err)
{
	struct prp_rx *rx = in->rx;
	struct prp_done done = describe(&in->wire, in->peer, rx->context);
	struct prp_side *side = &rx->ep->rx;
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
	prp_side_done(side, &done,
		      report || done.err || done.flags & FI_MULTI_RECV);
}

/* A buffer for several messages takes no more of them. */
static void retire(struct prp_rx *rx)
{
	struct prp_done done = {
		.context = rx->context,
		.flags = kind(rx->tagged) | FI_MULTI_RECV,
		.from = FI_ADDR_NOTAVAIL,
	};

	prp_list_del(&rx->want.link);
	rx->retired = true;
	if (rx->flows)
		return;
	prp_side_done(&rx->ep->rx, &done, true);
	free(rx);
}

/**
 * prp_rx_fail() - end a receive that no message came for
 * @rx: receive; freed
 * @err: why, an error of libfabric's, above 0
 */
void prp_rx_fail(struct prp_rx *rx, int err)
{
	struct prp_done done = {
		.context = rx->context,
		.flags = kind(rx->tagged),
		.tag = rx->want.tag,
		.from = FI_ADDR_NOTAVAIL,
		.err = err,
	};

	prp_list_del(&rx->want.link);
	prp_side_done(&rx->ep->rx, &done, true);
	if (rx->flows)
		rx->retired = true;
	else
		free(rx);
}

/**
 * prp_rx_for() - find the receive for a message that comes
 * @ep: endpoint
 * @peer: from whom
 * @wire: its header
 *
 * Return: the receive, which no other message gets now unless its buffer is
 *	for several, or NULL.
 */
struct prp_rx *prp_rx_for(struct prp_ep *ep, struct prp_peer *peer,
			  const struct prp_wire *wire)
{
	const struct prp_offer offer = { .from = peer, .tag = wire->tag };
	struct prp_match *match = queues(ep, wire->flags & PRP_WIRE_TAGGED);
	struct prp_want *want;
	struct prp_rx *rx;

	while ((want = prp_match_want(match, &offer))) {
		rx = rx_of(want);
		if (!rx->multi) {
			prp_list_del(&want->link);
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
 * prp_inflow_aim() - send payload to a receive
 * @in: set
 * @rx: receive
 * @peer: from whom the message is
 * @wire: its header
 */
void prp_inflow_aim(struct prp_inflow *in, struct prp_rx *rx,
		    struct prp_peer *peer, const struct prp_wire *wire)
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
 * prp_early_add() - keep a message until it is wanted
 * @peer: from whom
 * @wire: its header
 * @in: set to bring its payload, if that comes now; else NULL
 *
 * Return: 0 or -FI_ENOMEM.
 */
int prp_early_add(struct prp_peer *peer, const struct prp_wire *wire,
		  struct prp_inflow *in)
{
	struct prp_match *match =
		queues(peer->ep, wire->flags & PRP_WIRE_TAGGED);
	struct prp_early *early;

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
	prp_list_add_tail(&early->offer.link, &match->offers);
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
static bool is_orphan(const struct prp_early *early)
{
	return early->life != early->peer->life;
}

/* Gives a message to a receive; it is in no queue any more, and freed. */
static void take(struct prp_early *early, struct prp_rx *rx)
{
	struct prp_inflow whole, *in = early->in;
	size_t have;
	int err;

	if (early->wire.type == PRP_WIRE_REQUEST) {
		err = is_orphan(early) ?
			      -FI_ECONNRESET :
			      prp_rndv_accept(early->peer, &early->wire, rx);
		if (err)
			prp_rx_fail(rx, -err);
	} else if (in) {
		have = early->wire.len - in->left;
		prp_inflow_aim(in, rx, early->peer, &early->wire);
		prp_inflow_put(in, early->payload, have);
	} else {
		prp_inflow_aim(&whole, rx, early->peer, &early->wire);
		prp_inflow_put(&whole, early->payload, early->wire.len);
		prp_inflow_done(&whole, 0);
	}
	free(early);
}

/* Forgets a message; it is in no queue any more, and freed. */
static void discard(struct prp_early *early)
{
	struct prp_inflow nowhere;

	if (early->wire.type == PRP_WIRE_REQUEST) {
		if (!is_orphan(early))
			prp_rndv_refuse(early->peer, &early->wire);
	} else if (early->in) {
		early->in->early = NULL;
		early->in->left = 0;
	} else {
		nowhere.peer = early->peer;
		nowhere.wire = early->wire;
		nowhere.rx = NULL;
		nowhere.early = NULL;
		prp_inflow_done(&nowhere, 0);
	}
	free(early);
}

/* FI_PEEK: is there a message? With FI_CLAIM nobody else gets it. */
static void peek(struct prp_ep *ep, struct prp_match *match,
		 const struct prp_want *want, bool tagged, void *context,
		 uint64_t flags)
{
	struct prp_done done = {
		.context = context,
		.flags = kind(tagged),
		.tag = want->tag,
		.from = FI_ADDR_NOTAVAIL,
		.err = FI_ENOMSG,
	};
	struct prp_offer *offer;
	struct prp_early *early;

	ep->domain->peeked = true;
	offer = prp_match_offer(match, want);
	if (offer) {
		early = early_of(offer);
		done = describe(&early->wire, early->peer, context);
		if (flags & (FI_CLAIM | FI_DISCARD))
			prp_list_del(&offer->link);
		if (flags & FI_DISCARD) {
			discard(early);
		} else if (flags & FI_CLAIM) {
			early->context = context;
			prp_list_add_tail(&offer->link, &ep->claimed);
		}
	}
	prp_side_done(&ep->rx, &done, true);
}

/* The message that an operation with this context claimed */
static struct prp_early *claimed(struct prp_ep *ep, void *context)
{
	struct prp_list *link, *after;
	struct prp_early *early;

	prp_list_for_each(link, after, &ep->claimed)
	{
		early = early_of(prp_list_entry(link, struct prp_offer, link));
		if (early->context == context) {
			prp_list_del(link);
			return early;
		}
	}
	return NULL;
}

/* FI_DISCARD of a message that FI_CLAIM reserved */
static void drop_claimed(struct prp_early *early, void *context)
{
	struct prp_side *side = &early->peer->ep->rx;
	struct prp_done done = describe(&early->wire, early->peer, context);

	done.len = 0;
	discard(early);
	prp_side_done(side, &done, true);
}

/* A receive that is not queued yet */
static struct prp_rx *alloc_rx(struct prp_ep *ep, bool tagged,
			       const struct iovec *iov, size_t count,
			       const struct prp_want *want, void *context,
			       uint64_t flags)
{
	struct prp_rx *rx = malloc(sizeof(*rx));
	size_t i;

	if (!rx)
		return NULL;
	rx->want = *want;
	prp_list_init(&rx->want.link);
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
static void post(struct prp_match *match, struct prp_rx *rx)
{
	struct prp_offer *offer;
	struct prp_early *early;
	bool multi = rx->multi;

	if (multi)
		prp_list_add_tail(&rx->want.link, &match->wants);
	while ((offer = prp_match_offer(match, &rx->want))) {
		early = early_of(offer);
		if (multi && rx->used &&
		    early->wire.len > rx->room - rx->used) {
			retire(rx);
			return;
		}
		prp_list_del(&offer->link);
		take(early, rx);
		/* One that is full, or failed, is not the last one any more. */
		if (!multi || match->wants.prev != &rx->want.link)
			return;
	}
	if (!multi)
		prp_list_add_tail(&rx->want.link, &match->wants);
}

/**
 * prp_rx_post() - receive a message, or look for one
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
ssize_t prp_rx_post(struct prp_ep *ep, bool tagged, const struct iovec *iov,
		    size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
		    void *context, uint64_t flags)
{
	struct prp_match *match = queues(ep, tagged);
	struct prp_want want = { .tag = tag, .ignore = ignore };
	struct prp_early *early = NULL;
	struct prp_peer *peer = NULL;
	struct prp_rx *rx;
	ssize_t ret = 0;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (count > PRP_IOV_LIMIT || (flags & FI_MULTI_RECV && count != 1))
		return -FI_EINVAL;
	prp_domain_lock(ep->domain);
	if (ep->directed && from != FI_ADDR_UNSPEC) {
		ret = prp_peer_get(ep, from, &peer);
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
			prp_list_add_tail(&early->offer.link, &ep->claimed);
		ret = -FI_ENOMEM;
		goto unlock;
	}
	if (early)
		take(early, rx);
	else if (peer && peer->err && !prp_match_offer(match, &want))
		prp_rx_fail(rx, peer->err);
	else
		post(match, rx);
unlock:
	prp_domain_unlock(ep->domain);
	return ret;
}

static struct prp_rx *find_context(struct prp_match *match, void *context)
{
	struct prp_list *link, *after;
	struct prp_rx *rx;

	prp_list_for_each(link, after, &match->wants)
	{
		rx = rx_of(prp_list_entry(link, struct prp_want, link));
		if (rx->context == context)
			return rx;
	}
	return NULL;
}

/**
 * prp_rx_cancel() - end a receive that no message came for
 * @ep: endpoint
 * @context: the receive's
 *
 * Return: 0, or -FI_ENOENT if there is none such.
 */
ssize_t prp_rx_cancel(struct prp_ep *ep, void *context)
{
	struct prp_rx *rx;

	prp_domain_lock(ep->domain);
	rx = find_context(&ep->tagged, context);
	if (!rx)
		rx = find_context(&ep->plain, context);
	if (rx)
		prp_rx_fail(rx, FI_ECANCELED);
	prp_domain_unlock(ep->domain);
	return rx ? 0 : -FI_ENOENT;
}

static void fail_wants(struct prp_match *match, const struct prp_peer *peer,
		       int err)
{
	struct prp_list *link, *after;
	struct prp_rx *rx;

	prp_list_for_each(link, after, &match->wants)
	{
		rx = rx_of(prp_list_entry(link, struct prp_want, link));
		if (!rx->want.from || rx->want.from == peer)
			prp_rx_fail(rx, err);
	}
}

/**
 * prp_rx_peer_lost() - a peer died
 * @peer: peer
 * @err: error of libfabric's, above 0
 *
 * Ends the receives that it would have had to answer, those from anybody too:
 * else a program waits forever for whom it does not know to be dead.
 */
void prp_rx_peer_lost(struct prp_peer *peer, int err)
{
	fail_wants(&peer->ep->tagged, peer, err);
	fail_wants(&peer->ep->plain, peer, err);
}

static void free_offers(struct prp_list *head)
{
	struct prp_list *link, *after;

	prp_list_for_each(link, after, head)
		free(early_of(prp_list_entry(link, struct prp_offer, link)));
	prp_list_init(head);
}

static void free_queues(struct prp_match *match)
{
	struct prp_list *link, *after;

	prp_list_for_each(link, after, &match->wants)
		free(rx_of(prp_list_entry(link, struct prp_want, link)));
	prp_list_init(&match->wants);
	free_offers(&match->offers);
}

/**
 * prp_rx_close() - forget all receives and messages, without a word
 * @ep: endpoint; without connections
 */
void prp_rx_close(struct prp_ep *ep)
{
	free_queues(&ep->tagged);
	free_queues(&ep->plain);
	free_offers(&ep->claimed);
}
