/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The four states of a socket and its connection, and what moves between
 * them (papers/004, section 2.4), as one table. Half-close is not a state:
 * it lives in the shutdown bits. Pure.
 */
#ifndef _PRP_STATE_H
#define _PRP_STATE_H

#include <linux/types.h>

/* What can happen to a socket or connection */
enum prp_event {
	PRP_EV_LISTEN, /* listen() */
	PRP_EV_CONNECT, /* connect(): request sent */
	PRP_EV_REQUEST, /* request of the peer received */
	PRP_EV_ANSWER, /* answer to our request received */
	PRP_EV_FINISHED, /* both ends have ended and know it */
	PRP_EV_RESET, /* aborted by either end, or timed out */
	PRP_EV_RELEASE, /* close() */
	PRP_EVENTS
};

int prp_state_next(u8 state, enum prp_event event);
const char *prp_state_name(u8 state);

#endif /* _PRP_STATE_H */
