// SPDX-License-Identifier: GPL-2.0
/*
 * Asks hosts over the wire, one by one or many at a time. A query or its reply
 * may be lost, and then nothing comes: who waits does so for a time.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/query.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "kernel/clock.h"

#define BUFFER_LEN 65536
#define AT_ONCE 128 /* half of what the kernel keeps */
#define WAIT_MS 200 /* for a reply */
#define PAUSE_MS 20 /* after too many queries without privilege */
#define PAUSES_MAX 500 /* in a row after which none could leave */

/**
 * query_send() - have a query leave
 * @nl: socket from nl_open_prp(), used for nothing else
 * @query: what is asked
 * @seq: set to the number by which query_wait() tells what comes of it
 *
 * Return: 0 or a negative errno.
 */
int query_send(struct nl *nl, const struct query *query, unsigned int *seq)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_QUERY, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_QUERY_NUMBER, query->number);
	if (query->rail >= 0)
		mnl_attr_put_u8(nlh, PRP_A_QUERY_RAIL, query->rail);
	mnl_attr_put_u16(nlh, PRP_A_QUERY_SIZE, query->size);
	mnl_attr_put_u16(nlh, PRP_A_QUERY_BACK, query->back);
	if (query->port)
		mnl_attr_put_u16(nlh, PRP_A_QUERY_PORT, query->port);
	if (query->low) {
		mnl_attr_put_u16(nlh, PRP_A_QUERY_LOW, query->low);
		mnl_attr_put_u16(nlh, PRP_A_QUERY_HIGH, query->high);
	}
	if (query->source) {
		mnl_attr_put(nlh, PRP_A_QUERY_SOURCE, 16, query->source);
		mnl_attr_put(nlh, PRP_A_QUERY_DEST, 16, query->dest);
	}
	*seq = nlh->nlmsg_seq;
	return mnl_socket_sendto(nl->sock, nlh, nlh->nlmsg_len) < 0 ? -errno :
								      0;
}

static void take_attr(const struct nlattr *attr, struct reply *reply)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_QUERY_RTT:
		reply->rtt_ns = mnl_attr_get_u64(attr);
		break;
	case PRP_A_QUERY_SIZE:
		reply->size = mnl_attr_get_u16(attr);
		break;
	case PRP_A_QUERY_CAME:
		reply->came = mnl_attr_get_u8(attr);
		break;
	case PRP_A_QUERY_NODE:
		reply->node = mnl_attr_get_u16(attr);
		break;
	case PRP_A_QUERY_KNOWS:
		reply->knows = mnl_attr_get_u8(attr);
		break;
	case PRP_A_QUERY_PORT_STATE:
		reply->port_state = mnl_attr_get_u8(attr);
		break;
	case PRP_A_QUERY_MAC:
		reply->has_mac = true;
		memcpy(reply->mac, mnl_attr_get_payload(attr),
		       sizeof(reply->mac));
		break;
	case PRP_A_QUERY_TABLE_HASH:
		reply->told = true;
		reply->table_hash = mnl_attr_get_u32(attr);
		break;
	case PRP_A_QUERY_HIGH:
		reply->high = mnl_attr_get_u16(attr);
		break;
	case PRP_A_QUERY_LINES:
		reply->lines = mnl_attr_get_u32(attr);
		break;
	case PRP_A_QUERY_RAILS:
		reply->rails = mnl_attr_get_u8(attr);
		break;
	case PRP_A_QUERY_UP:
		reply->up = mnl_attr_get_u8(attr);
		break;
	case PRP_A_QUERY_MTU:
		reply->mtu = mnl_attr_get_u16(attr);
		break;
	}
}

static void take(const struct nl *nl, const struct nlmsghdr *nlh,
		 query_took took, void *data)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(nlh);
	struct reply reply = { 0 };
	const struct nlattr *attr;

	if (nlh->nlmsg_type == NLMSG_ERROR) {
		if (error->error)
			took(nlh->nlmsg_seq, error->error, NULL, data);
	} else if (nlh->nlmsg_type == nl->family) {
		mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
			take_attr(attr, &reply);
		took(nlh->nlmsg_seq, 0, &reply, data);
	}
}

/**
 * query_wait() - wait until something comes of queries
 * @nl: socket that they were sent on
 * @stop: descriptor that ends the waiting when it can be read, or -1
 * @timeout_ms: not longer than this; 0: do not wait
 * @took: called for each of what has come
 * @data: for @took
 *
 * Return: 1 if something came, 0 if nothing did, -EINTR if it was ended, or
 * another negative errno.
 */
int query_wait(struct nl *nl, int stop, int timeout_ms, query_took took,
	       void *data)
{
	struct pollfd fd[] = { { .fd = mnl_socket_get_fd(nl->sock),
				 .events = POLLIN },
			       { .fd = stop, .events = POLLIN } };
	static char buffer[BUFFER_LEN];
	const struct nlmsghdr *nlh;
	ssize_t got;
	int left;

	switch (poll(fd, 2, timeout_ms)) {
	case -1:
		return -errno;
	case 0:
		return 0;
	}
	if (fd[1].revents)
		return -EINTR;
	got = mnl_socket_recvfrom(nl->sock, buffer, sizeof(buffer));
	if (got < 0)
		return errno == ENOBUFS ? 1 : -errno; /* some were lost */
	left = got;
	for (nlh = (const void *)buffer; mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left))
		take(nl, nlh, took, data);
	return 1;
}

/* Queries that are under way together */
struct batch {
	struct asked *asked;
	size_t count;
	size_t waiting;
	size_t left; /* for the host; the kernel refused none of them */
	unsigned int try; /* in which each is asked once */
	bool too_many;
};

static void take_one(unsigned int seq, int err, const struct reply *reply,
		     void *data)
{
	struct batch *batch = data;
	size_t i;

	for (i = 0; i < batch->count; i++) {
		struct asked *one = &batch->asked[i];

		if (one->seq != seq || one->replied)
			continue;
		one->seq = 0;
		batch->waiting--;
		if (err == -EAGAIN) {
			batch->too_many = true;
			batch->left--;
			one->tries--;
		} else {
			one->err = err;
		}
		if (reply) {
			one->replied = true;
			one->reply = *reply;
		}
	}
}

/* Wait for what is under way, until no more than so many wait. */
static int settle(struct nl *nl, struct batch *batch, size_t most)
{
	int64_t until = clock_ms() + WAIT_MS, left;
	int got;

	while (batch->waiting > most) {
		left = until - clock_ms();
		if (left <= 0)
			return 0;
		got = query_wait(nl, -1, left, take_one, batch);
		if (got < 0)
			return got;
	}
	return 0;
}

static void forget(struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++)
		batch->asked[i].seq = 0;
	batch->waiting = 0;
}

/* Ask those that were not in this try. */
static int ask_rest(struct nl *nl, struct batch *batch)
{
	size_t i;
	int err;

	forget(batch);
	batch->left = 0;
	batch->too_many = false;
	for (i = 0; i < batch->count && !batch->too_many; i++) {
		struct asked *one = &batch->asked[i];

		if (one->replied || one->err || one->tries == batch->try)
			continue;
		err = query_send(nl, &one->query, &one->seq);
		if (err)
			return err;
		one->tries++;
		batch->left++;
		batch->waiting++;
		err = settle(nl, batch, AT_ONCE - 1);
		if (err)
			return err;
		/* nobody of these replies: the next ones are not to wait */
		if (batch->waiting == AT_ONCE)
			forget(batch);
	}
	return settle(nl, batch, 0);
}

/*
 * Who has no privilege may ask so many in a time: those that were not asked are
 * then, before any is again.
 */
static int ask_each(struct nl *nl, struct batch *batch)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	unsigned int pauses;
	int err;

	for (pauses = 0; pauses < PAUSES_MAX; pauses++) {
		err = ask_rest(nl, batch);
		if (err || !batch->too_many)
			return err;
		if (batch->left)
			pauses = 0;
		nanosleep(&pause, NULL);
	}
	return -EAGAIN;
}

/**
 * query_all() - ask many things
 * @nl: socket from nl_open_prp(), used for nothing else
 * @asked: their queries, all else 0; what came of each is filled in
 * @count: how many
 * @tries: how often each is asked until there is a reply
 *
 * Return: 0, or a negative errno if not all could be asked: -EAGAIN if others
 * without privilege ask so much.
 */
int query_all(struct nl *nl, struct asked *asked, size_t count,
	      unsigned int tries)
{
	struct batch batch = { .asked = asked, .count = count };
	int err = 0;

	while (!err && batch.try < tries) {
		batch.try++;
		err = ask_each(nl, &batch);
	}
	return err;
}
