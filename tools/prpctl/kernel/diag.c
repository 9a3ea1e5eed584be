// SPDX-License-Identifier: GPL-2.0
/*
 * Asks sock_diag for the sockets of this network namespace.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/diag.h"

#include <string.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

#include "kernel/nl.h"

/* Whom to tell */
struct listener {
	diag_found found;
	void *data;
};

/* A newer kernel's structure may be longer, an older one's shorter. */
static void copy(void *to, size_t len, const struct nlattr *attr)
{
	size_t has = mnl_attr_get_payload_len(attr);

	memcpy(to, mnl_attr_get_payload(attr), has < len ? has : len);
}

static void take_attr(const struct nlattr *attr, struct diag_socket *socket)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_DIAG_INFO:
		socket->has_info = true;
		copy(&socket->info, sizeof(socket->info), attr);
		break;
	case PRP_DIAG_LOCAL:
		copy(&socket->local, sizeof(socket->local), attr);
		break;
	case PRP_DIAG_PEER:
		copy(&socket->peer, sizeof(socket->peer), attr);
		break;
	case PRP_DIAG_SILENT:
		socket->silent_ms = mnl_attr_get_u32(attr);
		break;
	}
}

static int take_socket(const struct nlmsghdr *nlh, void *data)
{
	struct diag_socket socket = { .silent_ms = -1 };
	const struct listener *listener = data;
	const struct nlattr *attr;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(socket.msg))
		return 0;
	memcpy(&socket.msg, mnl_nlmsg_get_payload(nlh), sizeof(socket.msg));
	mnl_attr_for_each(attr, nlh, sizeof(socket.msg))
		take_attr(attr, &socket);
	listener->found(&socket, listener->data);
	return 0;
}

/**
 * diag_fetch() - get the sockets of this namespace
 * @states: bit s: those in state s
 * @info: with the numbers of their connections
 * @found: called for each
 * @data: for @found
 *
 * Return: 0; -ENOENT if the kernel does not know PRP; a negative errno.
 */
int diag_fetch(uint32_t states, bool info, diag_found found, void *data)
{
	struct listener listener = { found, data };
	char buffer[NL_REQUEST_LEN];
	struct prp_diag_req *req;
	struct nlmsghdr *nlh;
	struct nl nl;
	int err;

	err = nl_open(&nl, NETLINK_SOCK_DIAG);
	if (err)
		return err;
	nlh = nl_request(&nl, buffer, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP);
	req = mnl_nlmsg_put_extra_header(nlh, sizeof(*req));
	req->sdiag_family = AF_PRP;
	req->states = states;
	req->show = info ? PRP_DIAG_SHOW_INFO : 0;
	err = nl_talk(&nl, nlh, nlh->nlmsg_len, take_socket, &listener);
	nl_close(&nl);
	return err;
}
