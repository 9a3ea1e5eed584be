/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sends that could not be done with at once. */
#ifndef MPIPR_TX_H
#define MPIPR_TX_H

#include <sys/uio.h>

#include "mpipr.h"

struct mpipr_conn;
struct mpipr_peer;

/* A transfer goes out in pieces of so much, others' messages between them. */
#define MPIPR_TX_PIECE (1u << 20)
/* Flag of mpipr_tx_send(), beside libfabric's: no word of its end */
#define MPIPR_TX_QUIET (1ull << 63)
/* Payload of an endpoint that was copied and is not sent; then -FI_EAGAIN */
#define MPIPR_TX_COPIES (1u << 24)

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
 * struct mpipr_tx - a send
 * @link: in mpipr_conn.queue
 * @peer: to whom
 * @wire: its header
 * @out: what is being written of it
 * @done: its completion
 * @report: whether there is one; else what the library sends for itself, or
 *	an injected message
 * @counted: in mpipr_ep.tx_count
 * @iov: payload, where the program has it, or @copy
 * @count: pieces of @iov
 * @len: bytes to send
 * @sent: bytes that are in messages already
 * @copied: bytes of @copy
 * @copy: payload that the program does not keep for us
 */
struct mpipr_tx {
	struct mpipr_list link;
	struct mpipr_peer *peer;
	struct mpipr_wire wire;
	struct mpipr_out out;
	struct mpipr_done done;
	bool report;
	bool counted;
	struct iovec iov[MPIPR_IOV_LIMIT];
	size_t count;
	uint64_t len;
	uint64_t sent;
	size_t copied;
	uint8_t copy[];
};

ssize_t mpipr_tx_send(struct mpipr_ep *ep, const struct iovec *iov,
		      size_t count, fi_addr_t to, struct mpipr_wire *wire,
		      void *context, uint64_t flags);
int mpipr_tx_control(struct mpipr_conn *conn, struct mpipr_wire *wire);
void mpipr_tx_pieces(struct mpipr_tx *tx, const struct mpipr_wire *wire);
void mpipr_tx_finish(struct mpipr_tx *tx, int err);
void mpipr_tx_uncork(struct mpipr_domain *domain);
void mpipr_tx_flush(struct mpipr_conn *conn);
void mpipr_tx_hand_over(struct mpipr_conn *from, struct mpipr_conn *to);

#endif
