// SPDX-License-Identifier: GPL-2.0
/*
 * What a connection does when it is told by a forwarder that a frame of it went
 * no further.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <uapi/linux/prp_netlink.h>

#include "network/route.h"
#include "see/peer.h"
#include "transport/output.h"
#include "transport/path_size.h"
#include "transport/told.h"

/* Is what a forwarder quotes something that we may have sent? */
static bool told_is_ours(const struct prp_conn *conn,
			 const struct prp_ext_error *error)
{
	u32 seq = be32_to_cpu(error->seq);

	if (be32_to_cpu(error->tag) != conn->peer_tag)
		return false;
	if (!conn->peer_tag)
		return conn->state == PRP_CONN_WAIT && seq == conn->first;
	return conn->state == PRP_ESTABLISHED &&
	       !prp_before(seq, conn->snd.una) &&
	       !prp_before(conn->snd.nxt, seq);
}

/* A request that finds no way fails at once. On a connection it is like an
 * unreachable of ICMP to TCP: the way may come back before its patience is
 * over; if not, that is why.
 */
static void told_unreachable(struct prp_conn *conn)
{
	if (conn->state == PRP_CONN_WAIT)
		__prp_conn_abort(conn, EHOSTUNREACH);
	else
		conn->watch.unreachable = true;
}

/* On a direct way there is no forwarder who could say so, nor is the peer one:
 * who can tell us would have us cut what we send into crumbs. Return: 0 or the
 * drop reason.
 */
static int told_too_big(struct prp_conn *conn, const struct prp_frame *frame)
{
	const struct prp_table *table = rcu_dereference(conn->pn->table);
	u16 peer = conn->key.peer;

	if (frame->snode == peer || prp_route_is_direct(table, peer))
		return PRP_DROP_SOURCE;
	__prp_path_size_told(conn, be16_to_cpu(frame->error->mtu));
	__prp_output_push_bh(conn);
	return 0;
}

/**
 * prp_told_error() - a forwarder says that a frame of ours went no further
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: frame with PRP_F_ERROR, from a believed source
 *
 * Return: 0, or the drop reason.
 */
int prp_told_error(struct prp_net *pn, const struct prp_frame *frame)
{
	const struct prp_ext_error *error = frame->error;
	union prp_conn_key key = {
		.peer = be16_to_cpu(error->dnode),
		.rport = frame->sport,
		.lport = frame->dport,
	};
	struct prp_conn *conn = prp_conn_find_rcu(pn, &key);
	int reason = PRP_DROP_TAG;

	if (!conn)
		return PRP_DROP_NO_CONN;
	spin_lock(&conn->lock);
	if (told_is_ours(conn, error)) {
		reason = 0;
		if (error->code == PRP_ERROR_TOO_BIG)
			reason = told_too_big(conn, frame);
		else
			told_unreachable(conn);
	}
	spin_unlock(&conn->lock);
	if (reason)
		return reason;
	prp_mib_inc(pn, PRP_MIB_ERRORS_IN);
	prp_peer_error(pn, key.peer, error->code, frame->snode);
	return 0;
}
