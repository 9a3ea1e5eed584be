// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What both kinds of calls that receive have in common. */
#include "early.h"
#include "peer.h"
#include "recv.h"
#include "rx.h"
#include "wait.h"

/* A receive that is not queued yet */
static struct mpipr_rx *new_rx(struct mpipr_ep *ep, bool tagged,
			       const struct iovec *iov, size_t count,
			       const struct mpipr_want *want, void *context,
			       uint64_t flags)
{
	struct mpipr_rx *rx = mpipr_rx_alloc(ep);
	size_t i;

	if (!rx)
		return NULL;
	rx->want = *want;
	rx->ep = ep;
	rx->tagged = tagged;
	rx->multi = flags & FI_MULTI_RECV;
	rx->report = mpipr_side_report(&ep->rx, flags);
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
	rx->err = 0;
	return rx;
}

/* Gives a new receive the messages that wait for it, or queues it. */
static void post(struct mpipr_match *match, struct mpipr_rx *rx)
{
	struct mpipr_early *early;
	bool multi = rx->multi;

	if (multi)
		mpipr_match_add_want(match, &rx->want);
	while ((early = mpipr_early_for(match, &rx->want))) {
		if (multi && rx->used &&
		    early->wire.len > rx->room - rx->used) {
			mpipr_rx_retire(rx);
			return;
		}
		mpipr_match_del_offer(match, &early->offer);
		mpipr_early_take(early, rx);
		/* One that is full, or failed, is not the last one any more. */
		if (!multi || match->wants.all.prev != &rx->want.link)
			return;
	}
	if (!multi)
		mpipr_match_add_want(match, &rx->want);
}

/**
 * mpipr_recv() - receive a message, or look for one
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
ssize_t mpipr_recv(struct mpipr_ep *ep, bool tagged, const struct iovec *iov,
		   size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
		   void *context, uint64_t flags)
{
	struct mpipr_match *match = mpipr_rx_queues(ep, tagged);
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
		mpipr_early_peek(ep, &want, tagged, context, flags);
		goto unlock;
	}
	if (flags & FI_CLAIM) {
		early = mpipr_early_claimed(ep, context);
		ret = early ? 0 : -FI_EINVAL;
		if (early && flags & FI_DISCARD) {
			mpipr_early_drop(early, context);
			goto unlock;
		}
		if (ret)
			goto unlock;
	}
	if (ep->domain->wait.polls)
		mpipr_wait_works(ep->domain);
	rx = new_rx(ep, tagged, iov, count, &want, context, flags);
	if (!rx) {
		if (early)
			mpipr_list_add_tail(&early->offer.link, &ep->claimed);
		ret = -FI_ENOMEM;
		goto unlock;
	}
	if (early)
		mpipr_early_take(early, rx);
	else if (mpipr_peer_loss(ep, peer) && !mpipr_early_for(match, &want))
		mpipr_rx_fail(rx, mpipr_peer_tell_loss(ep, peer));
	else
		post(match, rx);
unlock:
	mpipr_domain_unlock(ep->domain);
	return ret;
}
