/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages that came before their receive. */
#ifndef MPIPR_EARLY_H
#define MPIPR_EARLY_H

#include "mpipr.h"

struct mpipr_inflow;
struct mpipr_peer;
struct mpipr_rx;

/**
 * struct mpipr_early - a message that came before its receive
 * @offer: what it is
 * @wire: its header; type says whether the payload comes or waits
 * @peer: from whom
 * @life: of this one's lives, see mpipr_peer.life
 * @in: brings the payload; NULL if all of it is here, or none of it comes
 * @context: with FI_CLAIM, of the operation that reserved it
 * @payload: of an eager message
 */
struct mpipr_early {
	struct mpipr_offer offer;
	struct mpipr_wire wire;
	struct mpipr_peer *peer;
	uint32_t life;
	struct mpipr_inflow *in;
	void *context;
	uint8_t payload[];
};

_Static_assert(sizeof(struct mpipr_early) <= MPIPR_WIRE_COST,
	       "its sender paid for it, or it is in mpipr_peer.offers");

int mpipr_early_add(struct mpipr_peer *peer, const struct mpipr_wire *wire,
		    struct mpipr_inflow *in);
struct mpipr_early *mpipr_early_for(struct mpipr_match *match,
				    const struct mpipr_want *want);
void mpipr_early_take(struct mpipr_early *early, struct mpipr_rx *rx);
void mpipr_early_peek(struct mpipr_ep *ep, const struct mpipr_want *want,
		      bool tagged, void *context, uint64_t flags);
struct mpipr_early *mpipr_early_claimed(struct mpipr_ep *ep, void *context);
void mpipr_early_drop(struct mpipr_early *early, void *context);
void mpipr_early_close(struct mpipr_ep *ep);

#endif
