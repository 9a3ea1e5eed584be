// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what the kernel tells of a connection that has come or gone.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/conn.h"

#include <arpa/inet.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

static void take_ip(const struct nlattr *attr, union diag_address *address)
{
	uint16_t len = mnl_attr_get_payload_len(attr);

	if (len == sizeof(address->in.sin_addr)) {
		address->family = AF_INET;
		memcpy(&address->in.sin_addr, mnl_attr_get_payload(attr), len);
	} else if (len == sizeof(address->in6.sin6_addr)) {
		address->family = AF_INET6;
		memcpy(&address->in6.sin6_addr, mnl_attr_get_payload(attr),
		       len);
	}
}

static void take_attr(const struct nlattr *attr, struct conn *conn)
{
	struct diag_socket *socket = &conn->socket;

	switch (mnl_attr_get_type(attr)) {
	case PRP_A_CONN_NODE:
		socket->msg.pdiag_node = htons(mnl_attr_get_u16(attr));
		break;
	case PRP_A_CONN_PORT:
		socket->msg.pdiag_port = htons(mnl_attr_get_u16(attr));
		break;
	case PRP_A_CONN_PEER_NODE:
		socket->msg.pdiag_peer_node = htons(mnl_attr_get_u16(attr));
		break;
	case PRP_A_CONN_PEER_PORT:
		socket->msg.pdiag_peer_port = htons(mnl_attr_get_u16(attr));
		break;
	case PRP_A_CONN_SEQPACKET:
		socket->msg.pdiag_flags |= PRP_DIAG_SEQPACKET;
		break;
	case PRP_A_CONN_IP:
		take_ip(attr, &socket->local);
		break;
	case PRP_A_CONN_PEER_IP:
		take_ip(attr, &socket->peer);
		break;
	case PRP_A_CONN_ENDED:
		conn->ended = true;
		break;
	case PRP_A_CONN_ERROR:
		conn->error = mnl_attr_get_u32(attr);
		break;
	case PRP_A_CONN_BYTES_OUT:
		socket->info.prpi_bytes_out = mnl_attr_get_u64(attr);
		break;
	case PRP_A_CONN_BYTES_IN:
		socket->info.prpi_bytes_in = mnl_attr_get_u64(attr);
		break;
	}
}

/**
 * conn_take() - read a connection
 * @nlh: message that tells of it
 * @conn: filled in
 */
void conn_take(const struct nlmsghdr *nlh, struct conn *conn)
{
	const struct nlattr *attr;

	memset(conn, 0, sizeof(*conn));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(attr, conn);
	/* sin_port and sin6_port are in one place. */
	conn->socket.local.in.sin_port = conn->socket.msg.pdiag_port;
	conn->socket.peer.in.sin_port = conn->socket.msg.pdiag_peer_port;
}
