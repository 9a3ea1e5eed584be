/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages on their way into the socket. */
#ifndef MPIPR_OUT_H
#define MPIPR_OUT_H

#include <sys/uio.h>

#include "mpipr.h"

/**
 * struct mpipr_write - what goes out with one sendmsg()
 * @head: first byte in mpipr_out.head
 * @head_len: how many of them
 * @at: first byte of the payload
 * @len: how many of them
 */
struct mpipr_write {
	size_t head;
	size_t head_len;
	uint64_t at;
	uint64_t len;
};

/* As ch_p4 wrote: header and body of two packets */
#define MPIPR_OUT_WRITES 4

/**
 * struct mpipr_out - a message on its way into the socket
 * @head: header, or those that ch_p4's writes have
 * @write: the writes that it takes
 * @count: how many
 * @current: the one that is not done
 * @done: bytes of it that are written
 * @iov: payload
 * @iov_count: pieces of @iov
 */
struct mpipr_out {
	uint8_t head[MPIPR_P4_HEADER + MPIPR_WIRE_HEADER + MPIPR_P4_HEADER];
	struct mpipr_write write[MPIPR_OUT_WRITES];
	unsigned int count;
	unsigned int current;
	uint64_t done;
	const struct iovec *iov;
	size_t iov_count;
};

/**
 * mpipr_out_bytes() - how long a payload is
 * @iov: its pieces
 * @count: how many
 *
 * Return: bytes.
 */
static inline size_t mpipr_out_bytes(const struct iovec *iov, size_t count)
{
	size_t bytes = 0;

	while (count--)
		bytes += iov[count].iov_len;
	return bytes;
}

/**
 * mpipr_out_is_begun() - whether something of a message is written
 * @out: message
 *
 * Return: whether it is.
 */
static inline bool mpipr_out_is_begun(const struct mpipr_out *out)
{
	return out->current || out->done;
}

void mpipr_out_begin(struct mpipr_out *out, struct mpipr_peer *peer,
		     struct mpipr_wire *wire, const struct iovec *iov,
		     size_t count, uint64_t at, uint64_t len);
int mpipr_out_write(struct mpipr_conn *conn, struct mpipr_out *out, bool more);
void mpipr_out_flatten(uint8_t *to, const struct iovec *iov, size_t count);
bool mpipr_out_is_burst(struct mpipr_conn *conn, uint64_t len);
void mpipr_out_uncork(struct mpipr_domain *domain);

#endif
