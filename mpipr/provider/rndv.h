/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rendezvous: the header goes first, the payload when a receive wants it. So
 * large payload is never copied, and nobody's memory fills with what nobody
 * has asked for yet. What is asked of a peer's memory waits here for its
 * answer, too.
 */
#ifndef MPIPR_RNDV_H
#define MPIPR_RNDV_H

#include "inflow.h"
#include "rx.h"
#include "tx.h"

int mpipr_rndv_offer(struct mpipr_tx *tx);
int mpipr_rndv_accept(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		      struct mpipr_rx *rx);
int mpipr_rndv_refuse(struct mpipr_peer *peer, const struct mpipr_wire *wire);
int mpipr_rndv_ready(struct mpipr_peer *peer, const struct mpipr_wire *wire);
struct mpipr_inflow *mpipr_rndv_data(struct mpipr_peer *peer,
				     const struct mpipr_wire *wire);
void mpipr_rndv_arrived(struct mpipr_inflow *in);
int mpipr_rndv_ask(struct mpipr_peer *peer, const struct iovec *iov,
		   size_t count, size_t len, struct mpipr_side *side,
		   const struct mpipr_done *done, enum mpipr_report report,
		   uint64_t *id);
int mpipr_rndv_answer(struct mpipr_peer *peer, const struct mpipr_wire *wire);
void mpipr_rndv_peer_lost(struct mpipr_peer *peer, int err);
void mpipr_rndv_close(struct mpipr_ep *ep);

#endif
