// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What the calls that access a peer's memory have in common: a message says
 * what is to be done, and the peer's answer that it was.
 */
#include "access.h"
#include "conn.h"
#include "out.h"
#include "peer.h"
#include "rndv.h"
#include "tx.h"
#include "wait.h"

/* The answer is awaited before it can come. */
static ssize_t ask(struct mpipr_peer *peer, struct mpipr_access *access,
		   size_t out_len, void *context, uint64_t flags)
{
	const size_t in_len = mpipr_out_bytes(access->in, access->in_count);
	struct mpipr_ep *ep = peer->ep;
	const bool reads = access->wire.type == MPIPR_WIRE_READ ||
			   access->in_count;
	struct mpipr_side *side = reads ? &ep->read : &ep->write;
	const enum mpipr_report report = flags & MPIPR_ACCESS_QUIET ?
						 MPIPR_REPORT_ERRORS :
						 mpipr_side_report(side, flags);
	const struct mpipr_done done = {
		.context = context,
		.flags = access->kind | (reads ? FI_READ : FI_WRITE),
		.from = FI_ADDR_NOTAVAIL,
	};
	int ret;

	ret = mpipr_rndv_ask(peer, access->in, access->in_count, in_len, side,
			     &done, report, &access->wire.id);
	if (ret)
		return ret;
	access->wire.len = access->wire.type == MPIPR_WIRE_READ ? in_len :
								  out_len;
	ret = mpipr_tx_send(peer, &access->wire, access->out, access->out_count,
			    out_len, NULL, MPIPR_REPORT_NOTHING, access->copy);
	/* Its completion says so, as that of all that is under way. */
	if (ret && ret != -FI_EAGAIN)
		mpipr_conn_unsent(peer->tx, -ret);
	return 0;
}

/**
 * mpipr_access() - access a peer's memory
 * @ep: endpoint
 * @access: what is to be done
 * @to: number of the peer
 * @context: the program's
 * @flags: FI_INJECT: payload may change when this returns; FI_COMPLETION:
 *	tell of the end even where only those are told that want it
 *
 * The end is told when the peer has answered that it is done. Failures are
 * told even where nobody asked for the end: a program that counts what is done
 * would wait for ever.
 *
 * Return: 0, -FI_EAGAIN if too much is under way, or another error of
 *	libfabric's, below 0.
 */
ssize_t mpipr_access(struct mpipr_ep *ep, struct mpipr_access *access,
		     fi_addr_t to, void *context, uint64_t flags)
{
	struct mpipr_peer *peer;
	size_t out_len;
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (access->out_count > MPIPR_IOV_LIMIT ||
	    access->in_count > MPIPR_IOV_LIMIT)
		return -FI_EINVAL;
	out_len = mpipr_out_bytes(access->out, access->out_count);
	if (flags & FI_INJECT) {
		if (out_len > MPIPR_INJECT_SIZE)
			return -FI_EMSGSIZE;
		access->copy = true;
	}
	mpipr_domain_lock(ep->domain);
	if (ep->domain->wait.polls)
		mpipr_wait_works(ep->domain);
	ret = -FI_EAGAIN;
	if (ep->tx_count >= MPIPR_TX_SIZE ||
	    (access->copy && ep->tx_copies + out_len > MPIPR_TX_COPIES))
		goto unlock;
	ret = mpipr_peer_get(ep, to, &peer);
	if (!ret && !peer->tx)
		ret = mpipr_conn_connect(peer);
	if (!ret)
		ret = ask(peer, access, out_len, context, flags);
unlock:
	mpipr_domain_unlock(ep->domain);
	return ret;
}
