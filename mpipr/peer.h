/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Those whom an endpoint talks to. A peer stands for its address: when who is
 * there ends, another one may come.
 */
#ifndef MPIPR_PEER_H
#define MPIPR_PEER_H

#include "mpipr.h"

/**
 * struct prp_peer - another endpoint, or this one
 * @link: in prp_ep.peers
 * @ep: ours
 * @addr: its address
 * @number: in the endpoint's address vector, or FI_ADDR_NOTAVAIL
 * @life: how many were at its address, one after the other; for them it is the
 *	session prp_ep.sessions + @life
 * @session: the same for us, as its PRP_WIRE_HELLO said; 0 before that
 * @tx: the connection for what we send, or NULL
 * @credit: bytes that it takes without being asked
 * @taken: bytes that we took so and did not give back
 * @owed: of these, bytes that are free again
 * @moved: its PRP_WIRE_MOVED came
 * @bye: its PRP_WIRE_BYE came
 * @err: why it cannot be reached any more, an error of libfabric's, or 0
 */
struct prp_peer {
	struct prp_list link;
	struct prp_ep *ep;
	union prp_addr addr;
	fi_addr_t number;
	uint32_t life;
	uint64_t session;
	struct prp_conn *tx;
	uint32_t credit;
	uint32_t taken;
	uint32_t owed;
	bool moved;
	bool bye;
	int err;
};

struct prp_peer *prp_peer_by_addr(struct prp_ep *ep,
				  const union prp_addr *addr);
int prp_peer_get(struct prp_ep *ep, fi_addr_t number, struct prp_peer **peer);
void prp_peer_renumber(struct prp_ep *ep, const union prp_addr *addr,
		       fi_addr_t number);
void prp_peer_begin(struct prp_peer *peer);
void prp_peer_free_all(struct prp_ep *ep);

#endif
