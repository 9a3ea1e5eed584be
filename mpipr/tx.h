/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sends that could not be done with at once. */
#ifndef MPIPR_TX_H
#define MPIPR_TX_H

#include <sys/uio.h>

#include "mpipr.h"

struct prp_conn;
struct prp_peer;

/* A transfer goes out in pieces of so much, others' messages between them. */
#define PRP_TX_PIECE (1u << 20)
/* Flag of prp_tx_send(), beside libfabric's: no word of its end */
#define PRP_TX_QUIET (1ull << 63)
/* Payload of an endpoint that was copied and is not sent; then -FI_EAGAIN */
#define PRP_TX_COPIES (1u << 24)

/**
 * struct prp_write - what goes out with one sendmsg()
 * @head: first byte in prp_out.head
 * @head_len: how many of them
 * @at: first byte of the payload
 * @len: how many of them
 */
struct prp_write {
	size_t head;
	size_t head_len;
	uint64_t at;
	uint64_t len;
};

/* As ch_p4 wrote: header and body of two packets */
#define PRP_OUT_WRITES 4

/**
 * struct prp_out - a message on its way into the socket
 * @head: header, or those that ch_p4's writes have
 * @write: the writes that it takes
 * @count: how many
 * @current: the one that is not done
 * @done: bytes of it that are written
 * @iov: payload
 * @iov_count: pieces of @iov
 */
struct prp_out {
	uint8_t head[PRP_P4_HEADER + PRP_WIRE_HEADER + PRP_P4_HEADER];
	struct prp_write write[PRP_OUT_WRITES];
	unsigned int count;
	unsigned int current;
	uint64_t done;
	const struct iovec *iov;
	size_t iov_count;
};

/**
 * struct prp_tx - a send
 * @link: in prp_conn.queue
 * @peer: to whom
 * @wire: its header
 * @out: what is being written of it
 * @done: its completion
 * @report: whether there is one; else what the library sends for itself, or
 *	an injected message
 * @counted: in prp_ep.tx_count
 * @iov: payload, where the program has it, or @copy
 * @count: pieces of @iov
 * @len: bytes to send
 * @sent: bytes that are in messages already
 * @copied: bytes of @copy
 * @copy: payload that the program does not keep for us
 */
struct prp_tx {
	struct prp_list link;
	struct prp_peer *peer;
	struct prp_wire wire;
	struct prp_out out;
	struct prp_done done;
	bool report;
	bool counted;
	struct iovec iov[PRP_IOV_LIMIT];
	size_t count;
	uint64_t len;
	uint64_t sent;
	size_t copied;
	uint8_t copy[];
};

ssize_t prp_tx_send(struct prp_ep *ep, const struct iovec *iov, size_t count,
		    fi_addr_t to, struct prp_wire *wire, void *context,
		    uint64_t flags);
int prp_tx_control(struct prp_conn *conn, struct prp_wire *wire);
void prp_tx_pieces(struct prp_tx *tx, const struct prp_wire *wire);
void prp_tx_finish(struct prp_tx *tx, int err);
void prp_tx_uncork(struct prp_domain *domain);
void prp_tx_flush(struct prp_conn *conn);
void prp_tx_hand_over(struct prp_conn *from, struct prp_conn *to);

#endif
