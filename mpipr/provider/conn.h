/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Connections to peers. One is made when the first message wants it. On each
 * both ends say MPIPR_WIRE_HELLO first. When two peers connect at the same
 * time, the one with the lower address keeps its connection, and the other one
 * moves there: on its own it says MPIPR_WIRE_MOVED last, on the kept one
 * MPIPR_WIRE_AWAIT after its MPIPR_WIRE_HELLO, and the keeper does not read
 * beyond MPIPR_WIRE_AWAIT before it has read MPIPR_WIRE_MOVED.
 */
#ifndef MPIPR_CONN_H
#define MPIPR_CONN_H

#include "mpipr.h"
#include "inflow.h"

/* What is read at once beside payload that has a place: small messages */
#define MPIPR_STAGE 4096
/* Accepted connections that did not say yet who they are */
#define MPIPR_NAMELESS_MAX 256

/**
 * struct mpipr_conn - a connection
 * @source: its socket
 * @link: in mpipr_ep.conns, or mpipr_domain.dead
 * @ep: ours
 * @peer: who is at the other end; NULL before MPIPR_WIRE_HELLO if it made it
 * @outgoing: we made it
 * @greeted: its MPIPR_WIRE_HELLO came
 * @connecting: the peer's kernel did not answer yet; nothing was written
 * @renewals: how often the peer has ended it before that
 * @accepted_ms: when we accepted it, see mpipr_now_ms()
 * @events: what epoll waits for
 * @held: not read before the peer's MPIPR_WIRE_MOVED has come
 * @last: nothing more comes
 * @mute: why nothing more can be sent, an error of libfabric's, or 0; it ends
 *	when what has come is read
 * @burst: messages sent since the program polled
 * @burst_poll: which poll that was, see mpipr_domain.polls
 * @corked: in mpipr_domain.corked
 * @queue: sends that found no room in the socket, by mpipr_tx.link
 * @left: bytes of payload of the message being read that did not come yet
 * @in: where they go, NULL: nowhere
 * @eager: of a message that nobody waits for
 * @p4: if packets are those of ch_p4
 * @start: first byte of @stage that was not looked at
 * @end: where it goes on
 * @stage: bytes read that have no place of their own
 */
struct mpipr_conn {
	struct mpipr_source source;
	struct mpipr_list link;
	struct mpipr_ep *ep;
	struct mpipr_peer *peer;
	uint32_t events;
	bool outgoing;
	bool greeted;
	bool connecting;
	unsigned int renewals;
	int64_t accepted_ms;
	bool held;
	bool last;
	int mute;
	unsigned int burst;
	uint64_t burst_poll;
	struct mpipr_list corked;
	struct mpipr_list queue;
	uint64_t left;
	struct mpipr_inflow *in;
	struct mpipr_inflow eager;
	struct mpipr_p4 p4;
	size_t start;
	size_t end;
	uint8_t stage[MPIPR_STAGE];
};

struct mpipr_conn *mpipr_conn_first(const struct mpipr_peer *peer);
struct mpipr_conn *mpipr_conn_new(struct mpipr_ep *ep, int fd,
				  void (*ready)(struct mpipr_source *source,
						uint32_t events));
struct mpipr_conn *mpipr_conn_only(const struct mpipr_domain *domain);
int mpipr_conn_renew(struct mpipr_conn *conn, int fd);
void mpipr_conn_want(struct mpipr_conn *conn, uint32_t events);
void mpipr_conn_again(struct mpipr_conn *conn);
void mpipr_conn_free_dead(struct mpipr_domain *domain);
void mpipr_conn_listen(struct mpipr_ep *ep, uint32_t events);
void mpipr_conn_listen_again(struct mpipr_domain *domain);
int mpipr_conn_open_ear(struct mpipr_domain *domain);
void mpipr_conn_deaf(struct mpipr_ep *ep, const char *why);
void mpipr_conn_not_nameless(struct mpipr_ep *ep);

/* conn_end.c */
void mpipr_conn_end(struct mpipr_conn *conn, int err);
void mpipr_conn_unsent(struct mpipr_conn *conn, int err);
void mpipr_conn_replace(struct mpipr_conn *conn, struct mpipr_conn *by);

/* conn_hello.c */
bool mpipr_conn_is_ours(const struct mpipr_wire *wire);
int mpipr_conn_say_hello(struct mpipr_conn *conn);
int mpipr_conn_hello(struct mpipr_conn *conn, const struct mpipr_wire *wire);
void mpipr_conn_answered(struct mpipr_conn *conn,
			 const struct mpipr_wire *wire);
void mpipr_conn_moved(struct mpipr_conn *conn);

/* conn_open.c */
int mpipr_listen(struct mpipr_ep *ep);
int mpipr_conn_connect(struct mpipr_peer *peer);

/* conn_leave.c */
void mpipr_conn_close_all(struct mpipr_ep *ep);

#endif
