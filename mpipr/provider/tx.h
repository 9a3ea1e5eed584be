/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sends that could not be done with at once. */
#ifndef MPIPR_TX_H
#define MPIPR_TX_H

#include <sys/uio.h>

#include "mpipr.h"
#include "out.h"

struct mpipr_conn;
struct mpipr_peer;
struct mpipr_region;

/* A transfer goes out in pieces of so much, others' messages between them. */
#define MPIPR_TX_PIECE (1u << 20)
/* Payload of an endpoint that was copied and is not sent; then -FI_EAGAIN */
#define MPIPR_TX_COPIES (1u << 24)

/**
 * struct mpipr_tx - a send
 * @link: in mpipr_conn.queue
 * @peer: to whom
 * @wire: its header
 * @out: what is being written of it
 * @done: its completion
 * @side: what that goes to; NULL for what the library sends for itself, and
 *	where there is an answer to come
 * @report: what the completion queue is told of it
 * @counted: in mpipr_ep.tx_count
 * @answer: in mpipr_peer.answers
 * @region: memory that a peer reads, or NULL
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
	struct mpipr_side *side;
	enum mpipr_report report;
	bool counted;
	bool answer;
	struct mpipr_region *region;
	struct iovec iov[MPIPR_IOV_LIMIT];
	size_t count;
	uint64_t len;
	uint64_t sent;
	size_t copied;
	uint8_t copy[];
};

struct mpipr_tx *mpipr_tx_keep(struct mpipr_peer *peer,
			       const struct mpipr_wire *wire,
			       const struct iovec *iov, size_t count,
			       size_t len, const struct mpipr_done *done,
			       enum mpipr_report report, bool copy);
void mpipr_tx_free(struct mpipr_tx *tx);
void mpipr_tx_queue(struct mpipr_conn *conn, struct mpipr_tx *tx);
int mpipr_tx_send(struct mpipr_peer *peer, struct mpipr_wire *wire,
		  const struct iovec *iov, size_t count, size_t len,
		  const struct mpipr_done *done, enum mpipr_report report,
		  bool copy);
struct mpipr_tx *mpipr_tx_answer(struct mpipr_peer *peer, size_t room);
int mpipr_tx_control(struct mpipr_conn *conn, struct mpipr_wire *wire);
int mpipr_tx_pieces(struct mpipr_tx *tx, const struct mpipr_wire *wire);
void mpipr_tx_finish(struct mpipr_tx *tx, int err);
int mpipr_tx_flush(struct mpipr_conn *conn);
int mpipr_tx_hand_over(struct mpipr_conn *from, struct mpipr_conn *to);

#endif
