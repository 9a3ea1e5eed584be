// SPDX-License-Identifier: GPL-2.0
/*
 * A netlink socket and one exchange over it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/nl.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/prp_netlink.h>

#define ANSWER_LEN 65536

/**
 * nl_open() - open a netlink socket
 * @nl: filled in
 * @bus: NETLINK_GENERIC or NETLINK_ROUTE
 *
 * Return: 0 or a negative errno.
 */
int nl_open(struct nl *nl, int bus)
{
	int on = 1;

	memset(nl, 0, sizeof(*nl));
	nl->sock = mnl_socket_open(bus);
	if (!nl->sock)
		return -errno;
	if (mnl_socket_bind(nl->sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		int err = -errno;

		nl_close(nl);
		return err;
	}
	nl->portid = mnl_socket_get_portid(nl->sock);
	/* What an old kernel does not know of these, it can do without. */
	mnl_socket_setsockopt(nl->sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl->sock, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl->sock, NETLINK_GET_STRICT_CHK, &on,
			      sizeof(on));
	return 0;
}

/**
 * nl_close() - close a netlink socket
 * @nl: the socket, open or not
 */
void nl_close(struct nl *nl)
{
	if (nl->sock)
		mnl_socket_close(nl->sock);
	nl->sock = NULL;
}

/**
 * nl_request() - begin a request
 * @nl: socket
 * @buffer: where to build it: NL_REQUEST_LEN bytes
 * @type: message type
 * @flags: besides NLM_F_REQUEST
 *
 * Return: the request, without attributes.
 */
struct nlmsghdr *nl_request(struct nl *nl, void *buffer, uint16_t type,
			    uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	return nlh;
}

/**
 * nl_request_genl() - begin a generic netlink request
 * @nl: socket from nl_open_prp()
 * @buffer: where to build it: NL_REQUEST_LEN bytes
 * @command: command of the family
 * @flags: besides NLM_F_REQUEST
 *
 * Return: the request, without attributes.
 */
struct nlmsghdr *nl_request_genl(struct nl *nl, void *buffer, uint8_t command,
				 uint16_t flags)
{
	struct nlmsghdr *nlh = nl_request(nl, buffer, nl->family, flags);
	struct genlmsghdr *genl;

	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = PRP_GENL_VERSION;
	return nlh;
}

/* Keep the kernel's text about the request that failed first. */
static void keep_text(struct nl *nl, const struct nlmsghdr *nlh, size_t offset)
{
	const struct nlattr *attr;

	nl->text[0] = 0;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	mnl_attr_for_each(attr, nlh, offset) {
		if (mnl_attr_get_type(attr) != NLMSGERR_ATTR_MSG)
			continue;
		snprintf(nl->text, sizeof(nl->text), "%.*s",
			 (int)mnl_attr_get_payload_len(attr),
			 mnl_attr_get_str(attr));
	}
}

/* State of one exchange */
struct exchange {
	struct nl *nl;
	unsigned int first, last; /* requests */
	nl_message message;
	void *data;
	bool interrupted;
	bool done;
	int err;
};

static void fail(struct exchange *x, const struct nlmsghdr *nlh, int err,
		 size_t offset)
{
	if (!x->err) {
		x->err = err;
		x->nl->refused = nlh->nlmsg_seq;
		keep_text(x->nl, nlh, offset);
	}
}

static void take_error(struct exchange *x, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(nlh);
	size_t offset = sizeof(*error);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*error)) {
		fail(x, nlh, -EBADMSG, 0);
		x->done = true;
		return;
	}
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += mnl_nlmsg_get_payload_len(&error->msg);
	if (error->error)
		fail(x, nlh, error->error, offset);
	if (nlh->nlmsg_seq == x->last)
		x->done = true;
}

static void take_done(struct exchange *x, const struct nlmsghdr *nlh)
{
	const int *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(*err) && *err < 0)
		fail(x, nlh, *err, sizeof(*err));
	x->done = true;
}

static void take_message(struct exchange *x, const struct nlmsghdr *nlh)
{
	int err;

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		x->interrupted = true;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		take_error(x, nlh);
	} else if (nlh->nlmsg_type == NLMSG_DONE) {
		take_done(x, nlh);
	} else if (nlh->nlmsg_type >= NLMSG_MIN_TYPE && x->message && !x->err) {
		err = x->message(nlh, x->data);
		if (err)
			fail(x, nlh, err, 0);
	}
}

static int receive(struct exchange *x)
{
	static char answer[ANSWER_LEN];
	const struct nlmsghdr *nlh;
	ssize_t got;
	int left;

	got = mnl_socket_recvfrom(x->nl->sock, answer, sizeof(answer));
	if (got < 0)
		return errno == EINTR ? 0 : -errno;
	left = got;
	for (nlh = (const void *)answer; mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left))
		if (nlh->nlmsg_seq - x->first <= x->last - x->first)
			take_message(x, nlh);
	return 0;
}

/**
 * nl_talk() - send requests and wait for all answers
 * @nl: socket
 * @requests: one or more, of which the last one asks for NLM_F_ACK or is a
 *	dump, and the others do not
 * @len: their length, bytes
 * @message: called for each message of the answers, or NULL
 * @data: for @message
 *
 * Return: 0; -EINTR if what was dumped changed meanwhile; or the first
 * error of a request, with @nl->refused and @nl->text set.
 */
int nl_talk(struct nl *nl, const void *requests, size_t len, nl_message message,
	    void *data)
{
	const struct nlmsghdr *first = requests;
	struct exchange x = {
		.nl = nl,
		.first = first->nlmsg_seq,
		.last = nl->seq,
		.message = message,
		.data = data,
	};
	int err;

	nl->refused = 0;
	nl->text[0] = 0;
	if (mnl_socket_sendto(nl->sock, requests, len) < 0)
		return -errno;
	while (!x.done) {
		err = receive(&x);
		if (err)
			return err;
	}
	if (!x.err && x.interrupted)
		return -EINTR;
	return x.err;
}

static void take_group(const struct nlattr *nest, struct nl *nl)
{
	const struct nlattr *attr;
	const char *name = "";
	uint32_t id = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
			name = mnl_attr_get_str(attr);
		else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(attr);
	}
	if (!strcmp(name, PRP_MCGRP_EVENTS))
		nl->events = id;
	else if (!strcmp(name, PRP_MCGRP_CONNECTIONS))
		nl->connections = id;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr, *group;
	struct nl *nl = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			nl->family = mnl_attr_get_u16(attr);
		else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested(group, attr)
				take_group(group, nl);
	}
	return 0;
}

/**
 * nl_open_prp() - open a socket to PRP's generic netlink family
 * @nl: filled in
 *
 * Return: 0; -ENOENT if the kernel has no such family; a negative errno.
 */
int nl_open_prp(struct nl *nl)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	err = nl_open(nl, NETLINK_GENERIC);
	if (err)
		return err;
	nl->family = GENL_ID_CTRL;
	nlh = nl_request_genl(nl, buffer, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, PRP_GENL_NAME);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_family, nl);
	if (!err && nl->family == GENL_ID_CTRL)
		err = -ENOENT;
	if (err)
		nl_close(nl);
	return err;
}

/**
 * nl_listen() - have PRP's notifications come to a socket, and that PRP goes
 * @nl: socket from nl_open_prp(), which then is good for nothing else
 * @group: multicast group that they go to, one of @nl
 *
 * Return: 0 or a negative errno.
 */
int nl_listen(struct nl *nl, uint32_t group)
{
	uint32_t families = GENL_ID_CTRL; /* the group has this number, too */

	if (mnl_socket_setsockopt(nl->sock, NETLINK_ADD_MEMBERSHIP, &group,
				  sizeof(group)) < 0 ||
	    mnl_socket_setsockopt(nl->sock, NETLINK_ADD_MEMBERSHIP, &families,
				  sizeof(families)) < 0)
		return -errno;
	return 0;
}

/* Is it told that the family goes; one that comes has another number */
static bool is_gone(const struct nl *nl, const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	if (nlh->nlmsg_type != GENL_ID_CTRL || genl->cmd != CTRL_CMD_DELFAMILY)
		return false;
	mnl_attr_for_each(attr, nlh, sizeof(*genl))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_get_u16(attr) == nl->family)
			return true;
	return false;
}

/**
 * nl_receive() - take the notifications that have come
 * @nl: socket after nl_listen()
 * @message: called for each
 * @data: for @message
 *
 * Return: 0; -ENOBUFS if some were lost; -ENOENT if no more will come, for the
 * kernel does not know PRP any more; another negative errno.
 */
int nl_receive(struct nl *nl, nl_message message, void *data)
{
	static char buffer[ANSWER_LEN];
	const struct nlmsghdr *nlh;
	int left, err = 0;
	ssize_t got;

	got = mnl_socket_recvfrom(nl->sock, buffer, sizeof(buffer));
	if (got < 0)
		return -errno;
	left = got;
	for (nlh = (const void *)buffer; !err && mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left))
		if (nlh->nlmsg_type == nl->family)
			err = message(nlh, data);
		else if (is_gone(nl, nlh))
			err = -ENOENT;
	return err;
}
