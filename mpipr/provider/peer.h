/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Those whom an endpoint talks to. A peer stands for its address: when who is
 * there ends, another one may come.
 */
#ifndef MPIPR_PEER_H
#define MPIPR_PEER_H

#include "mpipr.h"

/**
 * struct mpipr_peer - another endpoint, or this one
 * @link: in mpipr_ep.peers
 * @ep: ours
 * @addr: its address
 * @number: in the endpoint's address vector, or FI_ADDR_NOTAVAIL
 * @life: how many were at its address, one after the other; for them it is the
 *	session mpipr_ep.sessions + @life
 * @session: the same for us, as its MPIPR_WIRE_HELLO said; 0 before that
 * @tx: the connection for what we send, or NULL
 * @credit: bytes that it takes without being asked
 * @taken: bytes that we took so and did not give back
 * @owed: of these, bytes that are free again
 * @asks: our accesses to its memory that it did not answer yet
 * @offers: messages that it offers and nobody wants yet; those of who was there
 *	before count, too
 * @answers: answers to such accesses of its that wait in our queue
 * @moved: its MPIPR_WIRE_MOVED came
 * @bye: its MPIPR_WIRE_BYE came
 * @err: why it cannot be reached any more, an error of libfabric's, or 0
 */
struct mpipr_peer {
	struct mpipr_list link;
	struct mpipr_ep *ep;
	union mpipr_addr addr;
	fi_addr_t number;
	uint32_t life;
	uint64_t session;
	struct mpipr_conn *tx;
	uint32_t credit;
	uint32_t taken;
	uint32_t owed;
	uint32_t asks;
	uint32_t offers;
	uint32_t answers;
	bool moved;
	bool bye;
	int err;
};

/**
 * mpipr_peer_loss() - why what a receive waits for may never come
 * @ep: endpoint
 * @peer: whom it is for, or NULL if it is for anybody
 *
 * Return: an error of libfabric's, above 0: why that peer cannot be reached, or
 *	why one was lost when nobody waited for anybody; or 0.
 */
static inline int mpipr_peer_loss(const struct mpipr_ep *ep,
				  const struct mpipr_peer *peer)
{
	return peer ? peer->err : ep->lost;
}

struct mpipr_peer *mpipr_peer_by_addr(struct mpipr_ep *ep,
				      const union mpipr_addr *addr,
				      fi_addr_t number);
int mpipr_peer_get(struct mpipr_ep *ep, fi_addr_t number,
		   struct mpipr_peer **peer);
void mpipr_peer_renumber(struct mpipr_ep *ep, const union mpipr_addr *addr,
			 fi_addr_t number);
int mpipr_peer_tell_loss(struct mpipr_ep *ep, const struct mpipr_peer *peer);
void mpipr_peer_begin(struct mpipr_peer *peer);
void mpipr_peer_warn(const struct mpipr_peer *peer, const char *what, int err);
void mpipr_peer_free_all(struct mpipr_ep *ep);

#endif
