// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What both kinds of calls that send have in common. A message that fits into
 * the socket is one sendmsg() and leaves nothing behind.
 */
#include <errno.h>

#include "conn.h"
#include "out.h"
#include "peer.h"
#include "rndv.h"
#include "send.h"
#include "tx.h"
#include "wait.h"

/* The payload goes with the header. */
static int send_eager(struct mpipr_peer *peer, struct mpipr_wire *wire,
		      const struct iovec *iov, size_t count,
		      const struct mpipr_done *done, enum mpipr_report report,
		      bool copy)
{
	int ret;

	wire->type = MPIPR_WIRE_EAGER;
	ret = mpipr_tx_send(peer, wire, iov, count, wire->len, done, report,
			    copy);
	if (ret && ret != -FI_EAGAIN) {
		mpipr_conn_unsent(peer->tx, -ret);
		return ret;
	}
	peer->credit -= mpipr_wire_cost(wire->len);
	if (!ret)
		mpipr_side_done(&peer->ep->tx, done, report);
	return 0;
}

/* The header goes now, the payload when it is asked for. */
static int send_request(struct mpipr_peer *peer, struct mpipr_wire *wire,
			const struct iovec *iov, size_t count,
			const struct mpipr_done *done, enum mpipr_report report,
			bool copy)
{
	struct mpipr_tx *tx;
	int ret;

	wire->type = MPIPR_WIRE_REQUEST;
	tx = mpipr_tx_keep(peer, wire, iov, count, wire->len, done, report,
			   copy);
	if (!tx)
		return -FI_EAGAIN;
	ret = mpipr_rndv_offer(tx);
	if (ret)
		mpipr_tx_free(tx);
	return ret;
}

/**
 * mpipr_send() - send a message
 * @ep: endpoint
 * @iov: payload
 * @count: pieces of it
 * @to: number of the receiver
 * @wire: flags, tag and data are set
 * @context: the program's
 * @flags: FI_INJECT: payload may change when this returns; FI_COMPLETION:
 *	tell of the end even where only those are told that want it
 *
 * The end is told when the message is in the connection, which delivers it as
 * long as the peer lives. Failures are told even where nobody asked for the
 * end. Of one with MPIPR_SEND_QUIET nothing is told, not even a failure: it has
 * no operation that libraries could find. What else is under way with the peer
 * fails, too, and so does the next send.
 *
 * Return: 0, -FI_EAGAIN if too much is under way, or another error of
 *	libfabric's, below 0.
 */
ssize_t mpipr_send(struct mpipr_ep *ep, const struct iovec *iov, size_t count,
		   fi_addr_t to, struct mpipr_wire *wire, void *context,
		   uint64_t flags)
{
	const bool copy = flags & FI_INJECT;
	const enum mpipr_report report =
		flags & MPIPR_SEND_QUIET ? MPIPR_REPORT_NOTHING :
					   mpipr_side_report(&ep->tx, flags);
	struct mpipr_done done = {
		.context = context,
		.flags = FI_SEND |
			 (wire->flags & MPIPR_WIRE_TAGGED ? FI_TAGGED : FI_MSG),
		.from = FI_ADDR_NOTAVAIL,
	};
	struct mpipr_peer *peer;
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (count > MPIPR_IOV_LIMIT)
		return -FI_EINVAL;
	wire->len = mpipr_out_bytes(iov, count);
	if (copy && wire->len > MPIPR_INJECT_SIZE)
		return -FI_EMSGSIZE;
	mpipr_domain_lock(ep->domain);
	if (ep->domain->wait.polls)
		mpipr_wait_works(ep->domain);
	ret = -FI_EAGAIN;
	if (ep->tx_count >= MPIPR_TX_SIZE ||
	    (copy && ep->tx_copies + wire->len > MPIPR_TX_COPIES))
		goto unlock;
	ret = mpipr_peer_get(ep, to, &peer);
	if (!ret && !peer->tx)
		ret = mpipr_conn_connect(peer);
	if (ret)
		goto unlock;
	if (wire->len <= mpipr_param.eager &&
	    mpipr_wire_cost(wire->len) <= peer->credit)
		ret = send_eager(peer, wire, iov, count, &done, report, copy);
	else
		ret = send_request(peer, wire, iov, count, &done, report, copy);
unlock:
	mpipr_domain_unlock(ep->domain);
	return ret;
}
