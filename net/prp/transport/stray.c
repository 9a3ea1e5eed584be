// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that belong to no connection: a request, or a confirmation with a
 * cookie, finds a listener and makes a child of it; what is of a closed record
 * is answered from there; all else is reset.
 */
#include <linux/ktime.h>
#include <linux/net.h>
#include <linux/slab.h>

#include "inet/inet.h"
#include "network/access.h"
#include "network/frame.h"
#include "network/hop.h"
#include "network/limit.h"
#include "network/route.h"
#include "see/peer.h"
#include "socket/sock.h"
#include "transport/confirm.h"
#include "transport/conn_table.h"
#include "transport/handshake.h"
#include "transport/record.h"
#include "transport/reply.h"
#include "transport/stray.h"
#include "transport/xmit.h"

/* A header that goes back to where a frame came from. */
static void stray_back(const struct prp_frame *frame, struct prp_hdr *hdr)
{
	memset(hdr, 0, sizeof(*hdr));
	hdr->version = PRP_VERSION;
	hdr->hops = PRP_HOPS_DEFAULT;
	hdr->dnode = cpu_to_be16(frame->snode);
	hdr->snode = cpu_to_be16(frame->dnode);
	hdr->sport = cpu_to_be16(frame->dport);
	hdr->dport = cpu_to_be16(frame->sport);
}

/* Reset something that is not here. A reset is never answered. features: with
 * PRP_RESET_FEATURES which, else 0.
 */
static void stray_reset(struct prp_net *pn, const struct prp_frame *frame,
			enum prp_reset code, u16 features)
{
	struct prp_ext_quote ext = {
		.type = PRP_EXT_QUOTE,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.code = code,
		.tag = cpu_to_be32(frame->tag),
		.seq = cpu_to_be32(frame->seq),
		.features = cpu_to_be16(features),
	};
	struct prp_hdr hdr;

	if (!prp_limit_may_answer(pn, frame->snode))
		return;
	stray_back(frame, &hdr);
	hdr.flags = cpu_to_be16(PRP_F_RST);
	if (frame->flags & (PRP_F_REQ | PRP_F_ANS | PRP_F_CON))
		hdr.tag = frame->open->tag;
	prp_frame_bare(pn, &hdr, &ext, sizeof(ext), true, frame->rail);
	prp_mib_inc(pn, PRP_MIB_RESETS_OUT);
}

/* Does the connection that a request asks for have to bear checksums for us?
 */
static bool stray_wants_checksum(struct prp_net *pn,
				 const struct prp_sock *listener, u16 node)
{
	return READ_ONCE(listener->checksum) ||
	       !prp_route_is_direct(rcu_dereference(pn->table), node);
}

/* What may be held of a child until somebody accepts it, and pays for it */
static u32 child_rcvbuf(const struct prp_sock *listener)
{
	return min_t(u32, prp_rcvbuf(&listener->sk), PRP_RCVBUF_CHILD);
}

/* Answer a request and leave nothing behind. What is sent is no longer than
 * what came, so that nobody is hit with more by way of us. Return: 0 or the
 * drop reason.
 */
static int stray_answer(struct prp_net *pn, const struct prp_sock *listener,
			const struct prp_frame *frame, bool must_checksum,
			u16 mtu)
{
	struct {
		struct prp_ext_open open;
		struct prp_ext_cookie cookie;
	} ext;
	struct prp_hdr hdr;
	u16 seg_size, window;

	prp_handshake_answer(pn, frame, must_checksum, mtu, &ext.open);
	ext.open.tag = cpu_to_be32(get_random_u32() ?: 1);
	ext.open.first = cpu_to_be32(get_random_u32());
	prp_confirm_make(pn, frame, &ext.open, &ext.cookie);
	seg_size = min(be16_to_cpu(ext.open.seg_size),
		       be16_to_cpu(frame->open->seg_size));
	window = prp_rx_window_empty(child_rcvbuf(listener),
				     prp_rx_shift(seg_size));
	stray_back(frame, &hdr);
	hdr.flags = cpu_to_be16(PRP_F_ANS);
	hdr.seq = ext.open.first;
	hdr.ack = frame->open->first;
	hdr.window = cpu_to_be16(window);
	hdr.tag = frame->open->tag;
	if (prp_frame_bare(pn, &hdr, &ext, sizeof(ext), frame->checksum,
			   frame->rail))
		return PRP_DROP_NO_MEMORY;
	prp_mib_inc(pn, PRP_MIB_COOKIES_OUT);
	return 0;
}

/* A child for a listener, with what it has from there. Return: it, with one
 * reference, in no hash; or NULL without memory.
 */
static struct prp_conn *stray_child(struct prp_net *pn,
				    struct prp_sock *listener,
				    const struct prp_frame *frame,
				    const struct prp_conn_ip *ip,
				    bool must_checksum, u16 mtu)
{
	union prp_conn_key key = {
		.peer = frame->snode,
		.rport = frame->sport,
		.lport = frame->dport,
	};
	struct prp_conn *conn;

	conn = prp_conn_alloc(pn, frame->dnode, &key,
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!conn)
		return NULL;
	if (listener->inet) {
		conn->ip = kmemdup(ip, sizeof(*ip), GFP_ATOMIC | __GFP_NOWARN);
		if (!conn->ip)
			goto err_put;
	}
	conn->port = prp_port_conn_get(listener);
	if (!conn->port)
		goto err_put;
	conn->seg_size = mtu - sizeof(struct prp_hdr);
	conn->handshake.wants_checksum = must_checksum;
	conn->tx.sndbuf = prp_sndbuf(&listener->sk);
	prp_rx_set_rcvbuf(&conn->rx, child_rcvbuf(listener));
	conn->priority = READ_ONCE(listener->front->sk_priority);
	conn->mark = READ_ONCE(listener->front->sk_mark);
	conn->timeout_ms = READ_ONCE(listener->timeout_ms);
	conn->messages = frame->open->sock_type == PRP_TYPE_SEQPACKET;
	return conn;

err_put:
	prp_conn_put(conn);
	return NULL;
}

/* The child is there: let the client know, who has shown that it knows us if
 * it brought a cookie back.
 */
static void stray_opened(struct prp_conn *conn, const struct prp_frame *frame)
{
	struct prp_net *pn = conn->pn;

	lockdep_assert_held(&conn->lock);
	prp_mib_inc(pn, PRP_MIB_CONNS_ESTABLISHED);
	if (conn->ip)
		prp_mib_inc(pn, PRP_MIB_IP_PRP_IN);
	if (frame->flags & PRP_F_CON) {
		prp_mib_inc(pn, PRP_MIB_COOKIES_IN);
		__prp_conn_known(conn);
		__prp_xmit_ack(conn);
		return;
	}
	conn->rtt.start_ns = ktime_get_ns();
	__prp_xmit_open(conn, PRP_F_ANS);
	/* to see now and then whether the patience with it is over */
	__prp_timers_due(conn,
			 conn->watch.heard_tick + PRP_HANDSHAKE_TICKS_MAX);
}

/* Make the child that a request, or a believed confirmation, asks for.
 * Return: 0 or the drop reason.
 */
static int stray_open(struct prp_net *pn, struct prp_sock *listener,
		      const struct prp_frame *frame,
		      const struct prp_conn_ip *ip, bool must_checksum, u16 mtu)
{
	struct prp_conn *conn =
		stray_child(pn, listener, frame, ip, must_checksum, mtu);
	int reason = 0;

	if (!conn)
		return PRP_DROP_NO_MEMORY;
	spin_lock(&conn->lock);
	conn->handshake.unconfirmed = frame->flags & PRP_F_REQ;
	if (!conn->handshake.unconfirmed) {
		conn->handshake.by_cookie = true;
		conn->tag = frame->tag;
		prp_conn_set_first(conn, be32_to_cpu(frame->cookie->first));
	}
	__prp_conn_event(conn, PRP_EV_REQUEST);
	conn->watch.heard_tick = prp_timers_now();
	conn->came = frame->rail;
	__prp_handshake_adopt(conn, frame);
	if (prp_conn_table_add(conn)) {
		reason = PRP_DROP_STATE; /* another processor's child */
		__prp_conn_event(conn, PRP_EV_RESET);
	} else if (prp_accept_add_child(listener, conn)) {
		reason = PRP_DROP_BACKLOG;
		/* its client tries again, and no record is to refuse it then */
		conn->handshake.by_cookie = false;
		__prp_conn_abort(conn, 0);
	} else {
		stray_opened(conn, frame);
	}
	spin_unlock(&conn->lock);
	prp_conn_put(conn);
	return reason;
}

/* A request, or a confirmation, that nobody but a listener can take. */
static int stray_listen(struct prp_net *pn, const struct prp_frame *frame)
{
	bool request = frame->flags & PRP_F_REQ, must_checksum;
	struct prp_sock *listener;
	struct prp_conn_ip ip;
	u16 mtu, lacks;

	if (prp_access_refuses_rcu(pn, PRP_DIRECTION_IN, frame->dport,
				   frame->snode)) {
		stray_reset(pn, frame, PRP_RESET_DENIED, 0);
		return PRP_DROP_DENIED;
	}
	if (frame->ip && !prp_inet_addr_believes_rcu(pn, frame)) {
		/* told, not left to time out: the two tables may differ */
		stray_reset(pn, frame, PRP_RESET_NO_LISTENER, 0);
		return PRP_DROP_SOURCE;
	}
	listener = prp_port_listener_rcu(pn, frame, &ip);
	if (!listener) {
		stray_reset(pn, frame, PRP_RESET_NO_LISTENER, 0);
		return PRP_DROP_NO_LISTENER;
	}
	if (frame->open->sock_type != prp_sock_type(&listener->sk)) {
		stray_reset(pn, frame, PRP_RESET_TYPE, 0);
		return PRP_DROP_NO_LISTENER;
	}
	must_checksum = stray_wants_checksum(pn, listener, frame->snode);
	lacks = prp_handshake_lacks(must_checksum, frame->open);
	prp_peer_features(pn, frame->snode, lacks);
	if (lacks) {
		stray_reset(pn, frame, PRP_RESET_FEATURES, lacks);
		return PRP_DROP_FEATURES;
	}
	mtu = prp_hop_mtu_rcu(pn, frame->snode);
	if (mtu < PRP_MTU_MIN)
		return PRP_DROP_NO_ROUTE;
	if (!request && !prp_handshake_said(pn, frame, must_checksum, mtu)) {
		stray_reset(pn, frame, PRP_RESET_EXPIRED, 0);
		return PRP_DROP_COOKIE;
	}
	if (!prp_accept_has_room(listener, frame->snode))
		return PRP_DROP_BACKLOG;
	if (!request || !prp_accept_is_half_full(listener))
		return stray_open(pn, listener, frame, &ip, must_checksum, mtu);
	if (!frame->cookie)
		return PRP_DROP_BACKLOG;
	return stray_answer(pn, listener, frame, must_checksum, mtu);
}

static int stray_request(struct prp_net *pn, const struct prp_frame *frame,
			 const struct prp_record *record)
{
	prp_mib_inc(pn, PRP_MIB_REQUESTS_IN);
	prp_peer_handshake(pn, frame->snode,
			   be32_to_cpu(frame->open->table_hash));
	if (record)
		return PRP_DROP_STALE_REQUEST;
	return stray_listen(pn, frame);
}

/* The client has brought a cookie back. If it does so again after its child was
 * reset, because it has not heard of that, it must not get another one.
 */
static int stray_confirm(struct prp_net *pn, const struct prp_frame *frame,
			 const struct prp_record *record)
{
	if (!record)
		return stray_listen(pn, frame);
	if (record->reset)
		stray_reset(pn, frame, PRP_RESET_EXPIRED, 0);
	return PRP_DROP_STALE_REQUEST;
}

/* Tell a peer again what has arrived. It knows our tag, and has sent no
 * less than we do: as with a connection, nothing else bounds the answers.
 */
static void stray_end_again(struct prp_net *pn, const struct prp_frame *frame,
			    const struct prp_record *record)
{
	struct prp_hdr hdr;

	stray_back(frame, &hdr);
	hdr.tag = cpu_to_be32(record->peer_tag);
	hdr.seq = cpu_to_be32(record->una);
	hdr.ack = cpu_to_be32(record->nxt);
	prp_frame_bare(pn, &hdr, NULL, 0, true, frame->rail);
	prp_mib_inc(pn, PRP_MIB_ACKS_OUT);
}

/* The ends of a frame's connection, as it is seen from here. */
static union prp_conn_key stray_key(const struct prp_frame *frame)
{
	return (union prp_conn_key){
		.peer = frame->snode,
		.rport = frame->sport,
		.lport = frame->dport,
	};
}

/* Is a frame one that a closed record answers for? What brings anything to a
 * half one, or lies behind what it has, is lost.
 */
static bool stray_is_known(struct prp_net *pn, const struct prp_frame *frame,
			   struct prp_record *record)
{
	if (record->reset || prp_before(record->nxt, frame->seq))
		return false;
	if (!record->half || frame->seq != record->nxt ||
	    !(frame->flags & PRP_F_SEG))
		return true;
	if (frame->len || (record->messages && frame->flags & PRP_F_EOM))
		return false;
	prp_record_end(pn, record);
	return true;
}

/* A frame of a connection that is not there, or is a closed record. Return: 0
 * if that has answered, else the drop reason.
 */
static int stray_old(struct prp_net *pn, const struct prp_frame *frame,
		     struct prp_record *record, int reason)
{
	if (record && stray_is_known(pn, frame, record)) {
		if (frame->flags & (PRP_F_SEG | PRP_F_ACKNOW))
			stray_end_again(pn, frame, record);
		return 0;
	}
	stray_reset(pn, frame, PRP_RESET_NO_CONN, 0);
	return reason;
}

/**
 * prp_stray_other() - take a frame of another connection between the same ends
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: frame of that connection, none of a handshake and no reset
 *
 * It may be the one before, of which the peer does not know yet that it has
 * ended. If it need not know, as we wait for its end, it is told to make room.
 *
 * Return: 0 if it was answered from a closed record, else the drop reason.
 */
int prp_stray_other(struct prp_net *pn, const struct prp_frame *frame)
{
	const union prp_conn_key key = stray_key(frame);
	struct prp_record record;
	bool found;

	found = prp_record_find(pn, &key, frame->tag, true, &record) &&
		!record.half;
	return stray_old(pn, frame, found ? &record : NULL, PRP_DROP_TAG);
}

/**
 * prp_stray_frame() - take a frame without a connection
 * @pn: namespace; a softirq, in an RCU read section
 * @frame: the frame
 *
 * Return: 0 if it opened a connection or was answered from a closed record,
 * else the drop reason.
 */
int prp_stray_frame(struct prp_net *pn, const struct prp_frame *frame)
{
	bool request = frame->flags & PRP_F_REQ, found;
	const union prp_conn_key key = stray_key(frame);
	struct prp_record record;

	if (frame->flags & PRP_F_QUERY)
		return prp_reply_frame(pn, frame);
	if (frame->flags & PRP_F_RST)
		return PRP_DROP_NO_CONN;
	found = prp_record_find(pn, &key,
				request ? be32_to_cpu(frame->open->tag) :
					  frame->tag,
				!request, &record);
	if (request)
		return stray_request(pn, frame, found ? &record : NULL);
	if (frame->flags & PRP_F_CON)
		return stray_confirm(pn, frame, found ? &record : NULL);
	if (frame->flags & PRP_F_ANS)
		prp_peer_heard(pn, frame->snode); /* nobody waits any more */
	return stray_old(pn, frame, found ? &record : NULL, PRP_DROP_NO_CONN);
}
