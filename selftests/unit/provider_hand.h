/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A peer that a test speaks for. So it can do what no endpoint does: ask for a
 * transfer on the connection that was made to it, and then make one of its own.
 */
#ifndef _SELFTESTS_UNIT_PROVIDER_HAND_H
#define _SELFTESTS_UNIT_PROVIDER_HAND_H

#include "provider_ends.h"

struct hand {
	union mpipr_addr addr;
	struct end *end; /* whose peer it is */
	int listener;
	int left; /* connection that the endpoint made, and left; or -1 */
	int kept; /* connection to the endpoint, or -1 */
	uint8_t *out; /* what the endpoint sends, TRANSFER_SIZE bytes */
};

/* What the endpoint sends; what the hand calls a transfer, and a session */
enum {
	TRANSFER_SIZE = MPIPR_TX_PIECE + 100000,
	TRANSFER_ID = 12,
	SESSION = 27,
};

/* In session SESSION */
struct mpipr_wire hello_of(const union mpipr_addr *addr);
void say(int fd, const struct mpipr_wire *wire);
void hear(struct hand *hand, int fd, uint8_t *to, size_t len);
struct mpipr_wire hear_header(struct hand *hand, int fd, uint8_t type);

/* Listens where one did, with so much room for who connects. */
void take_address(struct hand *hand, struct end *place, int backlog);
/* The endpoint connects to the place of one; it was not answered. */
void be_connected_to(struct hand *hand, struct end *place);
/* Takes the place of one, and answers the other one's connection, returned. */
struct mpipr_conn *take_place(struct hand *hand, struct end *place);
/* The endpoint has accepted it, and does not know yet who it is. */
int hand_connect(struct hand *hand);
/* Connects, too, and so the other one moves. */
void make_move(struct hand *hand);
/* Wants what the endpoint sends, over a connection that takes a part of it. */
void want_a_lot(struct hand *hand, struct mpipr_conn *conn);
/* As if the process behind it died with what it has not read */
void reset(int fd);
void part(struct hand *hand);
/* The endpoint closes, and the hand says no farewell. */
void part_unanswered(struct hand *hand);

#endif
