/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Connections to peers. One is made when the first message wants it. On each
 * both ends say PRP_WIRE_HELLO first. When two peers connect at the same time,
 * the one with the lower address keeps its connection, and the other one moves
 * there: on its own it says PRP_WIRE_MOVED last, on the kept one PRP_WIRE_AWAIT
 * after its PRP_WIRE_HELLO, and the keeper does not read beyond
 * PRP_WIRE_AWAIT before it has read PRP_WIRE_MOVED.
 */
#ifndef MPIPR_CONN_H
#define MPIPR_CONN_H

#include "mpipr.h"
#include "rx.h"

/* What is read at once beside payload that has a place: small messages */
#define PRP_STAGE 4096

/**
 * struct prp_conn - a connection
 * @source: its socket
 * @link: in prp_ep.conns, or prp_domain.dead
 * @ep: ours
 * @peer: who is at the other end; NULL before PRP_WIRE_HELLO if it made it
 * @outgoing: we made it
 * @greeted: its PRP_WIRE_HELLO came
 * @connecting: the peer's kernel did not answer yet; nothing was written
 * @events: what epoll waits for
 * @held: not read before the peer's PRP_WIRE_MOVED has come
 * @last: nothing more comes
 * @burst: messages sent since the program polled
 * @burst_poll: which poll that was, see prp_domain.polls
 * @corked: in prp_domain.corked
 * @queue: sends that found no room in the socket, by prp_tx.link
 * @left: bytes of payload of the message being read that did not come yet
 * @in: where they go, NULL: nowhere
 * @eager: of a message that nobody waits for
 * @p4: if packets are those of ch_p4
 * @start: first byte of @stage that was not looked at
 * @end: where it goes on
 * @stage: bytes read that have no place of their own
 */
struct prp_conn {
	struct prp_source source;
	struct prp_list link;
	struct prp_ep *ep;
	struct prp_peer *peer;
	uint32_t events;
	bool outgoing;
	bool greeted;
	bool connecting;
	bool held;
	bool last;
	unsigned int burst;
	uint64_t burst_poll;
	struct prp_list corked;
	struct prp_list queue;
	uint64_t left;
	struct prp_inflow *in;
	struct prp_inflow eager;
	struct prp_p4 p4;
	size_t start;
	size_t end;
	uint8_t stage[PRP_STAGE];
};

int prp_listen(struct prp_ep *ep);
int prp_conn_connect(struct prp_peer *peer);
int prp_conn_hello(struct prp_conn *conn, const struct prp_wire *wire);
void prp_conn_answered(struct prp_conn *conn, const struct prp_wire *wire);
void prp_conn_moved(struct prp_conn *conn);
void prp_conn_want(struct prp_conn *conn, uint32_t events);
void prp_conn_end(struct prp_conn *conn, int err);
void prp_conn_close_all(struct prp_ep *ep);
void prp_conn_free_dead(struct prp_domain *domain);

#endif
