// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Messages on their way into the socket: what goes out with which write. */
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "out.h"
#include "peer.h"

/* Header and payload that are copied to one place to be written, bytes */
#define MPIPR_OUT_SMALL 512
/* Messages since the last poll that leave at once */
#define MPIPR_BURST 2

static void add_write(struct mpipr_out *out, size_t head, size_t head_len,
		      uint64_t at, uint64_t len)
{
	struct mpipr_write *write = &out->write[out->count++];

	write->head = head;
	write->head_len = head_len;
	write->at = at;
	write->len = len;
}

/* Two writes a packet, and the data in a packet of its own if it is long */
static void begin_p4(struct mpipr_out *out, const struct mpipr_wire *wire,
		     uint64_t at, uint64_t len)
{
	const uint64_t shared = len <= MPIPR_P4_CUTOFF ? len : 0;
	const size_t body = MPIPR_P4_HEADER;
	const size_t second = MPIPR_P4_HEADER + MPIPR_WIRE_HEADER;

	mpipr_p4_put(out->head, MPIPR_WIRE_HEADER + shared);
	mpipr_wire_put(wire, out->head + body);
	add_write(out, 0, MPIPR_P4_HEADER, 0, 0);
	add_write(out, body, MPIPR_WIRE_HEADER, at, shared);
	if (shared == len)
		return;
	mpipr_p4_put(out->head + second, len);
	add_write(out, second, MPIPR_P4_HEADER, 0, 0);
	add_write(out, 0, 0, at, len);
}

/**
 * mpipr_out_begin() - get a message ready to be written
 * @out: set
 * @peer: to whom, NULL if it did not say yet who it is
 * @wire: header; takes with it the credit that we owe
 * @iov: payload
 * @count: pieces of it
 * @at: first byte of it to write
 * @len: how many
 */
void mpipr_out_begin(struct mpipr_out *out, struct mpipr_peer *peer,
		     struct mpipr_wire *wire, const struct iovec *iov,
		     size_t count, uint64_t at, uint64_t len)
{
	if (peer) {
		wire->credit = peer->owed;
		peer->taken -= peer->owed;
		peer->owed = 0;
	}
	out->iov = iov;
	out->iov_count = count;
	out->count = 0;
	out->current = 0;
	out->done = 0;
	if (mpipr_param.double_write) {
		begin_p4(out, wire, at, len);
	} else {
		mpipr_wire_put(wire, out->head);
		add_write(out, 0, MPIPR_WIRE_HEADER, at, len);
	}
}

/* Points at what a write still has to bring; returns how many bytes. */
static uint64_t gather(const struct mpipr_out *out, struct iovec *to, size_t *n)
{
	const struct mpipr_write *write = &out->write[out->current];
	uint64_t done = out->done, skip, left = write->len, bytes = 0;
	size_t i, part;

	*n = 0;
	if (done < write->head_len) {
		to[0].iov_base = (uint8_t *)out->head + write->head + done;
		to[0].iov_len = write->head_len - done;
		bytes = to[0].iov_len;
		*n = 1;
		done = 0;
	} else {
		done -= write->head_len;
		left -= done;
	}
	skip = write->at + done;
	for (i = 0; i < out->iov_count && left; i++) {
		if (skip >= out->iov[i].iov_len) {
			skip -= out->iov[i].iov_len;
			continue;
		}
		part = out->iov[i].iov_len - skip;
		if (part > left)
			part = left;
		to[*n].iov_base = (uint8_t *)out->iov[i].iov_base + skip;
		to[*n].iov_len = part;
		(*n)++;
		bytes += part;
		left -= part;
		skip = 0;
	}
	return bytes;
}

/**
 * mpipr_out_flatten() - copy payload to one place
 * @to: place
 * @iov: payload
 * @count: pieces of it
 */
void mpipr_out_flatten(uint8_t *to, const struct iovec *iov, size_t count)
{
	for (; count--; iov++) {
		memcpy(to, iov->iov_base, iov->iov_len);
		to += iov->iov_len;
	}
}

/*
 * One system call. Copying little to one place costs less than having the
 * kernel fetch a message header and a vector.
 */
static ssize_t write_iov(int fd, struct iovec *iov, size_t count,
			 uint64_t bytes, int flags)
{
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = count };
	uint8_t small[MPIPR_OUT_SMALL];

	if (count == 1)
		return send(fd, iov->iov_base, bytes, flags);
	if (bytes > sizeof(small))
		return sendmsg(fd, &msg, flags);
	mpipr_out_flatten(small, iov, count);
	return send(fd, small, bytes, flags);
}

/**
 * mpipr_out_write() - write what the socket takes
 * @conn: connection
 * @out: message
 * @more: it may wait for others to share a segment with
 *
 * Return: 0 if that is all of it, or -errno.
 */
int mpipr_out_write(struct mpipr_conn *conn, struct mpipr_out *out, bool more)
{
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : 0);
	struct iovec iov[MPIPR_IOV_LIMIT + 1];
	uint64_t bytes;
	size_t count;
	ssize_t ret;

	while (out->current < out->count) {
		bytes = gather(out, iov, &count);
		ret = write_iov(conn->source.fd, iov, count, bytes, flags);
		if (ret < 0 && errno == EINTR)
			continue;
		/* Memory may be free again the next time. */
		if (ret < 0 && (errno == ENOMEM || errno == ENOBUFS))
			return -EAGAIN;
		if (ret < 0)
			return -errno;
		out->done += ret;
		if ((uint64_t)ret < bytes)
			return -EAGAIN;
		out->current++;
		out->done = 0;
	}
	return 0;
}

/**
 * mpipr_out_is_burst() - whether a message may wait for others
 * @conn: connection
 * @len: bytes of payload
 *
 * It shares a segment with them if it is small, and not one of the first since
 * the program polled. The next poll sends it off, or 2 ms, or a segment full of
 * them.
 *
 * Return: whether it may.
 */
bool mpipr_out_is_burst(struct mpipr_conn *conn, uint64_t len)
{
	struct mpipr_domain *domain = conn->ep->domain;
	bool more;

	if (conn->burst_poll != domain->polls) {
		conn->burst_poll = domain->polls;
		conn->burst = 0;
	}
	more = ++conn->burst > MPIPR_BURST && len <= MPIPR_OUT_SMALL &&
	       mpipr_param.family == AF_PRP && !mpipr_param.double_write;
	if (more && mpipr_list_empty(&conn->corked))
		mpipr_list_add_tail(&conn->corked, &domain->corked);
	return more;
}

/**
 * mpipr_out_uncork() - send off what waits for more
 * @domain: domain; the program polls
 */
void mpipr_out_uncork(struct mpipr_domain *domain)
{
	struct mpipr_list *link, *after;
	struct mpipr_conn *conn;

	mpipr_list_for_each(link, after, &domain->corked)
	{
		conn = mpipr_list_entry(link, struct mpipr_conn, corked);
		mpipr_list_del(link);
		send(conn->source.fd, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}
