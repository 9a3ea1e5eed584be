// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Peers: found by address or by number, made when they are first named. */
#include <stdlib.h>
#include <string.h>

#include "peer.h"

/**
 * mpipr_peer_by_addr() - find a peer by its address, or make it
 * @ep: endpoint
 * @addr: its address
 * @number: its number, if it is made
 *
 * Return: the peer, or NULL if there is no memory.
 */
struct mpipr_peer *mpipr_peer_by_addr(struct mpipr_ep *ep,
				      const union mpipr_addr *addr,
				      fi_addr_t number)
{
	struct mpipr_list *link;
	struct mpipr_peer *peer;

	for (link = ep->peers.next; link != &ep->peers; link = link->next) {
		peer = mpipr_list_entry(link, struct mpipr_peer, link);
		if (!mpipr_addr_compare(&peer->addr, addr))
			return peer;
	}
	peer = calloc(1, sizeof(*peer));
	if (!peer)
		return NULL;
	peer->ep = ep;
	peer->addr = *addr;
	peer->number = number;
	mpipr_list_add_tail(&peer->link, &ep->peers);
	return peer;
}

static int peer_slow(struct mpipr_ep *ep, fi_addr_t number,
		     struct mpipr_peer **peer)
{
	struct mpipr_peer **of;
	size_t room;

	if (number >= ep->av->count || !ep->av->uses[number])
		return -FI_EINVAL;
	if (number >= ep->peer_room) {
		room = ep->av->room;
		of = realloc(ep->peer_of, room * sizeof(*of));
		if (!of)
			return -FI_ENOMEM;
		memset(of + ep->peer_room, 0,
		       (room - ep->peer_room) * sizeof(*of));
		ep->peer_of = of;
		ep->peer_room = room;
	}
	*peer = mpipr_peer_by_addr(ep, &ep->av->addr[number], number);
	if (!*peer)
		return -FI_ENOMEM;
	(*peer)->number = number;
	ep->peer_of[number] = *peer;
	return 0;
}

/**
 * mpipr_peer_get() - find a peer by its number
 * @ep: endpoint
 * @number: in its address vector
 * @peer: set to it
 *
 * Return: 0, -FI_EINVAL if there is no such number, or -FI_ENOMEM.
 */
int mpipr_peer_get(struct mpipr_ep *ep, fi_addr_t number,
		   struct mpipr_peer **peer)
{
	if (number < ep->peer_room && ep->peer_of[number]) {
		*peer = ep->peer_of[number];
		return 0;
	}
	return peer_slow(ep, number, peer);
}

/**
 * mpipr_peer_renumber() - the address vector changed
 * @ep: endpoint
 * @addr: address that it concerns
 * @number: its number, or FI_ADDR_NOTAVAIL if it has none any more
 *
 * Who removes and inserts the address of a lost peer wants to reach it again.
 */
void mpipr_peer_renumber(struct mpipr_ep *ep, const union mpipr_addr *addr,
			 fi_addr_t number)
{
	struct mpipr_list *link;
	struct mpipr_peer *peer;

	for (link = ep->peers.next; link != &ep->peers; link = link->next) {
		peer = mpipr_list_entry(link, struct mpipr_peer, link);
		if (mpipr_addr_compare(&peer->addr, addr))
			continue;
		if (peer->number < ep->peer_room)
			ep->peer_of[peer->number] = NULL;
		peer->number = number;
		peer->err = 0;
	}
}

/**
 * mpipr_peer_tell_loss() - a receive is told that a peer was lost
 * @ep: endpoint
 * @peer: whom it is for; NULL if it is for anybody, who is told once
 *
 * Return: what mpipr_peer_loss() says.
 */
int mpipr_peer_tell_loss(struct mpipr_ep *ep, const struct mpipr_peer *peer)
{
	const int err = mpipr_peer_loss(ep, peer);

	if (!peer)
		ep->lost = 0;
	return err;
}

/**
 * mpipr_peer_begin() - whoever was at its address before, this is another one
 * @peer: peer; without connections
 */
void mpipr_peer_begin(struct mpipr_peer *peer)
{
	peer->life++;
	peer->session = 0;
	peer->credit = MPIPR_WIRE_CREDIT;
	peer->taken = 0;
	peer->owed = 0;
	peer->moved = false;
	peer->bye = false;
	peer->err = 0;
}

/**
 * mpipr_peer_warn() - tell the user what became of a peer
 * @peer: peer
 * @what: what, before its name
 * @err: why, an error of libfabric's, above 0
 */
void mpipr_peer_warn(const struct mpipr_peer *peer, const char *what, int err)
{
	char name[MPIPR_ADDR_STRLEN];

	MPIPR_WARN(FI_LOG_EP_CTRL, "%s %s: %s\n", what,
		   mpipr_addr_print(&peer->addr, name, sizeof(name)),
		   strerror(err));
}

/**
 * mpipr_peer_free_all() - forget all peers
 * @ep: endpoint; without connections
 */
void mpipr_peer_free_all(struct mpipr_ep *ep)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &ep->peers)
		free(mpipr_list_entry(link, struct mpipr_peer, link));
	mpipr_list_init(&ep->peers);
	free(ep->peer_of);
}
