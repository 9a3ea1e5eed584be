/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rendezvous: the header goes first, the payload when a receive wants it. So
 * large payload is never copied, and nobody's memory fills with what nobody
 * has asked for yet.
 */
#ifndef MPIPR_RNDV_H
#define MPIPR_RNDV_H

#include "rx.h"
#include "tx.h"

int prp_rndv_offer(struct prp_tx *tx);
int prp_rndv_accept(struct prp_peer *peer, const struct prp_wire *wire,
		    struct prp_rx *rx);
int prp_rndv_refuse(struct prp_peer *peer, const struct prp_wire *wire);
int prp_rndv_ready(struct prp_peer *peer, const struct prp_wire *wire);
struct prp_inflow *prp_rndv_data(struct prp_peer *peer,
				 const struct prp_wire *wire);
void prp_rndv_arrived(struct prp_inflow *in);
void prp_rndv_peer_lost(struct prp_peer *peer, int err);
void prp_rndv_close(struct prp_ep *ep);

#endif
