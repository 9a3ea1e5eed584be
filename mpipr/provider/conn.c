// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Connections: made when they are needed, crossed, moved, ended. */
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "conn.h"
#include "peer.h"
#include "read.h"
#include "rndv.h"
#include "rx.h"
#include "tx.h"

/* Accepted connections that did not say yet who they are */
#define MPIPR_NAMELESS_MAX 256
/* On a LAN that is not overloaded a peer's kernel answers sooner. */
#define MPIPR_ANSWER_MS 1
/* Endpoints that close wait so long for each other's farewell. */
#define MPIPR_FAREWELL_MS 1000

static const char *peer_name(const struct mpipr_peer *peer, char *to)
{
	return mpipr_addr_print(&peer->addr, to, MPIPR_ADDR_STRLEN);
}

/* A connection of the peer's; the one for what we send is the last one. */
static struct mpipr_conn *first_conn(const struct mpipr_peer *peer)
{
	struct mpipr_list *link, *after;
	struct mpipr_conn *conn;

	mpipr_list_for_each(link, after, &peer->ep->conns)
	{
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		if (conn->peer == peer && conn != peer->tx)
			return conn;
	}
	return peer->tx;
}

/* One that carried nothing is given up; what waits for it goes by another. */
static void replace(struct mpipr_conn *conn, struct mpipr_conn *by)
{
	int err;

	conn->peer->tx = by;
	conn->last = true;
	err = mpipr_tx_hand_over(conn, by);
	if (err)
		mpipr_conn_end(by, -err);
	mpipr_conn_end(conn, 0);
}

/* The peer's kernel has answered, or does not. Returns 0 or -errno. */
static int connected(struct mpipr_conn *conn)
{
	struct mpipr_conn *other = first_conn(conn->peer);
	socklen_t len = sizeof(int);
	int err;

	if (getsockopt(conn->source.fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	if (!err)
		conn->connecting = false;
	else if (other != conn)
		replace(conn, other);
	else
		mpipr_conn_end(conn, err);
	return -err;
}

static void conn_ready(struct mpipr_source *source, uint32_t events)
{
	struct mpipr_conn *conn =
		mpipr_list_entry(source, struct mpipr_conn, source);
	int err;

	if (conn->connecting)
		connected(conn);
	if (events & EPOLLOUT && source->fd >= 0) {
		err = mpipr_tx_flush(conn);
		if (err)
			mpipr_conn_end(conn, -err);
	}
	if (source->fd >= 0 && events & ~EPOLLOUT && !conn->held)
		mpipr_read(conn);
}

static struct mpipr_conn *conn_new(struct mpipr_ep *ep, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct mpipr_conn *conn;
	const int one = 1;

	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return NULL;
	conn->source.ready = conn_ready;
	conn->source.fd = fd;
	conn->ep = ep;
	conn->events = event.events;
	mpipr_list_init(&conn->queue);
	mpipr_list_init(&conn->corked);
	event.data.ptr = &conn->source;
	if (epoll_ctl(ep->domain->epoll, EPOLL_CTL_ADD, fd, &event)) {
		free(conn);
		return NULL;
	}
	if (mpipr_param.family == AF_INET)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	mpipr_list_add_tail(&conn->link, &ep->conns);
	return conn;
}

/**
 * mpipr_conn_want() - say what epoll waits for
 * @conn: connection
 * @events: EPOLLIN, EPOLLOUT
 */
void mpipr_conn_want(struct mpipr_conn *conn, uint32_t events)
{
	struct epoll_event event = { .events = events };

	if (conn->source.fd < 0 || conn->events == events)
		return;
	conn->events = events;
	event.data.ptr = &conn->source;
	epoll_ctl(conn->ep->domain->epoll, EPOLL_CTL_MOD, conn->source.fd,
		  &event);
}

static void listener_ready(struct mpipr_source *source, uint32_t events)
{
	struct mpipr_ep *ep =
		mpipr_list_entry(source, struct mpipr_ep, listener);
	int fd;

	while ((fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (ep->nameless >= MPIPR_NAMELESS_MAX || !conn_new(ep, fd))
			close(fd);
		else
			ep->nameless++;
	}
}

/**
 * mpipr_listen() - let peers connect
 * @ep: endpoint; its address gets a port if it has none
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_listen(struct mpipr_ep *ep)
{
	struct epoll_event event = { .events = EPOLLIN };
	socklen_t len = sizeof(ep->addr);
	int fd, err;

	if (getrandom(&ep->sessions, sizeof(ep->sessions), 0) < 0)
		return -errno;
	fd = socket(ep->addr.sa.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ep->listener.ready = listener_ready;
	ep->listener.fd = fd;
	event.data.ptr = &ep->listener;
	if (bind(fd, &ep->addr.sa, len) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, &ep->addr.sa, &len) ||
	    epoll_ctl(ep->domain->epoll, EPOLL_CTL_ADD, fd, &event)) {
		err = -errno;
		close(fd);
		ep->listener.fd = -1;
		return err;
	}
	return 0;
}

/* Says who we are, and in which session. */
static int say_hello(struct mpipr_conn *conn)
{
	const struct mpipr_ep *ep = conn->ep;
	struct mpipr_wire hello = {
		.type = MPIPR_WIRE_HELLO,
		.tag = ep->addr.half[0],
		.data = ep->addr.half[1],
		.id = ep->sessions + conn->peer->life,
	};

	return mpipr_tx_control(conn, &hello);
}

/* Returns a socket that is being connected, or -errno. */
static int open_to(const union mpipr_addr *addr)
{
	int fd, err;

	fd = socket(addr->sa.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, &addr->sa, sizeof(*addr)) || errno == EINPROGRESS)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static void warn_unconnected(const struct mpipr_peer *peer, int err)
{
	char name[MPIPR_ADDR_STRLEN];

	MPIPR_WARN(FI_LOG_EP_CTRL, "cannot connect to %s: %s\n",
		   peer_name(peer, name), strerror(err));
}

/**
 * mpipr_conn_connect() - begin to connect to a peer
 * @peer: peer; mpipr_peer.tx is set
 *
 * What is sent before the peer's kernel has answered waits in the connection.
 * Nothing waits for the peer's program.
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_conn_connect(struct mpipr_peer *peer)
{
	struct pollfd answer = { .events = POLLOUT };
	struct mpipr_conn *conn;
	int err = 0;

	if (peer->err)
		return -peer->err;
	answer.fd = open_to(&peer->addr);
	if (answer.fd < 0) {
		warn_unconnected(peer, -answer.fd);
		return answer.fd;
	}
	conn = conn_new(peer->ep, answer.fd);
	if (!conn) {
		close(answer.fd);
		return -FI_ENOMEM;
	}
	conn->peer = peer;
	conn->outgoing = true;
	conn->connecting = true;
	mpipr_peer_begin(peer);
	peer->tx = conn;
	if (poll(&answer, 1, MPIPR_ANSWER_MS) > 0)
		err = connected(conn);
	if (err)
		return err;
	err = say_hello(conn);
	if (err)
		mpipr_conn_end(conn, -err);
	return err;
}

/* Two connections cross: the one of the lower address is kept. */
static int cross(struct mpipr_peer *peer, struct mpipr_conn *conn)
{
	struct mpipr_wire moved = { .type = MPIPR_WIRE_MOVED };
	struct mpipr_wire await = { .type = MPIPR_WIRE_AWAIT };
	struct mpipr_conn *ours = peer->tx;
	int order = mpipr_addr_compare(&peer->ep->addr, &peer->addr);

	/* To ourselves both are used, one for each direction. */
	if (order <= 0)
		return 0;
	if (ours->connecting) {
		replace(ours, conn);
		return 0;
	}
	ours->last = true;
	peer->tx = conn;
	if (mpipr_tx_control(ours, &moved) || mpipr_tx_control(conn, &await))
		return -FI_EIO;
	return 0;
}

/* Reads what has come, the end of it too; the connection may be ended. */
static void read_all(struct mpipr_conn *conn)
{
	struct pollfd come = { .events = POLLIN | POLLRDHUP };

	/* Each read takes some of it, or ends the connection. */
	for (;;) {
		come.fd = conn->held ? -1 : conn->source.fd;
		if (poll(&come, 1, 0) <= 0)
			return;
		mpipr_read(conn);
	}
}

/*
 * Who was at a peer's address before is gone. What came is read, what was said
 * before a move first, and the connections end.
 */
static void bury(struct mpipr_peer *peer)
{
	struct mpipr_conn *conn;

	while ((conn = first_conn(peer))) {
		/* The peer is lost with the last one. */
		conn->last = conn != peer->tx;
		read_all(conn);
		mpipr_conn_end(conn, FI_ECONNRESET);
	}
}

/**
 * mpipr_conn_hello() - an accepted connection says who it is
 * @conn: connection
 * @wire: its first message
 *
 * Return: 0, or an error of libfabric's, below 0, if it does not, or lies.
 */
int mpipr_conn_hello(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	const union mpipr_addr addr = { .half = { wire->tag, wire->data } };
	socklen_t len = sizeof(union mpipr_addr);
	union mpipr_addr from;
	struct mpipr_peer *peer;
	int err;

	if (wire->type != MPIPR_WIRE_HELLO ||
	    !mpipr_addr_valid(&addr, mpipr_param.family) ||
	    getpeername(conn->source.fd, &from.sa, &len) ||
	    !mpipr_addr_same_node(&addr, &from))
		return -FI_EIO;
	peer = mpipr_peer_by_addr(conn->ep, &addr);
	if (!peer)
		return -FI_ENOMEM;
	/* It may have said on ours who it is, or was, and nobody read it. */
	if (!peer->session && peer->tx && !peer->tx->connecting)
		mpipr_read(peer->tx);
	if (!peer->tx || (peer->session && peer->session != wire->id)) {
		bury(peer);
		mpipr_peer_begin(peer);
	} else if (!peer->tx->outgoing || first_conn(peer) != peer->tx) {
		/* Whom we have a connection with makes one only to cross. */
		return -FI_EIO;
	}
	conn->peer = peer;
	conn->greeted = true;
	conn->ep->nameless--;
	peer->session = wire->id;
	err = say_hello(conn);
	if (err)
		return err;
	if (peer->tx)
		return cross(peer, conn);
	peer->tx = conn;
	return 0;
}

/**
 * mpipr_conn_answered() - who is at the other end of ours says who it is
 * @conn: connection; may be ended
 * @wire: the first message on it
 */
void mpipr_conn_answered(struct mpipr_conn *conn, const struct mpipr_wire *wire)
{
	struct mpipr_peer *peer = conn->peer;

	conn->greeted = true;
	if (!peer->session)
		peer->session = wire->id;
	/* Two were at its address, and nothing tells who is there now. */
	if (peer->session != wire->id)
		bury(peer);
}

/**
 * mpipr_conn_moved() - a peer has moved to our connection to it
 * @conn: the one that it left; ended
 */
void mpipr_conn_moved(struct mpipr_conn *conn)
{
	struct mpipr_peer *peer = conn->peer;

	peer->moved = true;
	conn->last = true;
	mpipr_conn_end(conn, 0);
	if (peer->tx && peer->tx->held)
		mpipr_read_resume(peer->tx);
}

/* Nothing will come from a peer any more, and nothing can be sent to it. */
static void peer_lost(struct mpipr_peer *peer, int err)
{
	struct mpipr_list *link, *after;
	char name[MPIPR_ADDR_STRLEN];
	struct mpipr_conn *conn;

	/* What others of its connections are bringing has no place any more. */
	mpipr_list_for_each(link, after, &peer->ep->conns)
	{
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		if (conn->peer != peer || !conn->in || conn->in == &conn->eager)
			continue;
		conn->last = true;
		mpipr_conn_end(conn, err);
	}
	if (!peer->bye) {
		MPIPR_WARN(FI_LOG_EP_CTRL, "lost %s: %s\n",
			   peer_name(peer, name), strerror(err));
		peer->err = err;
	}
	mpipr_rndv_peer_lost(peer, err);
	if (!peer->bye)
		mpipr_rx_peer_lost(peer, err);
}

/* It was never there; who may come, and what comes then, is not lost. */
static void unconnected(struct mpipr_peer *peer, int err)
{
	if (!peer->bye)
		warn_unconnected(peer, err);
	mpipr_rndv_peer_lost(peer, err);
}

/**
 * mpipr_conn_end() - end a connection, and what relied on it
 * @conn: connection; freed at the end of this round of progress
 * @err: why, an error of libfabric's, above 0; 0 if the peer closed it
 */
void mpipr_conn_end(struct mpipr_conn *conn, int err)
{
	struct mpipr_peer *peer = conn->peer;
	struct mpipr_tx *tx;

	if (conn->source.fd < 0)
		return;
	epoll_ctl(conn->ep->domain->epoll, EPOLL_CTL_DEL, conn->source.fd,
		  NULL);
	close(conn->source.fd);
	conn->source.fd = -1;
	mpipr_list_del(&conn->corked);
	mpipr_list_del(&conn->link);
	mpipr_list_add_tail(&conn->link, &conn->ep->domain->dead);
	if (!peer) {
		conn->ep->nameless--;
		return;
	}
	if (!err)
		err = peer->bye ? FI_ESHUTDOWN : FI_ECONNRESET;
	if (conn->in == &conn->eager)
		mpipr_inflow_done(conn->in, err);
	conn->in = NULL;
	conn->left = 0;
	while (!mpipr_list_empty(&conn->queue)) {
		tx = mpipr_list_entry(conn->queue.next, struct mpipr_tx, link);
		mpipr_list_del(&tx->link);
		mpipr_tx_finish(tx, err);
	}
	if (peer->tx == conn)
		peer->tx = NULL;
	if (conn->last)
		return;
	if (conn->connecting) {
		unconnected(peer, err);
	} else if (peer->tx) {
		/* This one was there, so the peer is lost with it. */
		peer->tx->connecting = false;
		mpipr_conn_end(peer->tx, err);
	} else {
		peer_lost(peer, err);
	}
}

/**
 * mpipr_conn_free_dead() - free the connections that ended
 * @domain: domain; no event of theirs is being handled
 */
void mpipr_conn_free_dead(struct mpipr_domain *domain)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &domain->dead)
		free(mpipr_list_entry(link, struct mpipr_conn, link));
	mpipr_list_init(&domain->dead);
}

/* Is there a peer whose kernel did not answer yet, and may? */
static bool is_connecting(const struct mpipr_ep *ep)
{
	struct mpipr_list *link, *after;

	mpipr_list_for_each(link, after, &ep->conns)
	{
		if (mpipr_list_entry(link, struct mpipr_conn, link)->connecting)
			return true;
	}
	return false;
}

/* Ends the connections that both sides are done with; are there others? */
static bool others_left(struct mpipr_ep *ep)
{
	struct mpipr_list *link = ep->conns.next;
	struct mpipr_conn *conn;
	bool left = false;

	while (link != &ep->conns) {
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		link = link->next;
		if ((conn->peer && !conn->peer->bye) ||
		    !mpipr_list_empty(&conn->queue)) {
			left = true;
			continue;
		}
		/* Others may end with it. */
		mpipr_conn_end(conn, 0);
		link = ep->conns.next;
	}
	return left;
}

/**
 * mpipr_conn_close_all() - take leave of all peers
 * @ep: endpoint
 *
 * What was sent before is delivered. A socket that is closed while something
 * comes in resets its connection, so wait until the peers have taken leave,
 * too, but not for long: they may have other things to do first.
 */
void mpipr_conn_close_all(struct mpipr_ep *ep)
{
	struct mpipr_wire bye = { .type = MPIPR_WIRE_BYE };
	struct mpipr_conn *conn;
	struct mpipr_list *link;
	struct mpipr_peer *peer;
	int64_t until;

	/* Each is made or given up in the time that the kernel gives it. */
	while (is_connecting(ep))
		mpipr_progress(ep->domain, 1);
	until = mpipr_now_ms() + MPIPR_FAREWELL_MS;
	for (link = ep->peers.next; link != &ep->peers; link = link->next) {
		peer = mpipr_list_entry(link, struct mpipr_peer, link);
		if (peer->tx && mpipr_tx_control(peer->tx, &bye))
			mpipr_conn_end(peer->tx, 0);
	}
	while (others_left(ep) && mpipr_now_ms() < until)
		mpipr_progress(ep->domain, 1);
	/* Who has not taken leave by now is treated like those who have. */
	while (!mpipr_list_empty(&ep->conns)) {
		conn = mpipr_list_entry(ep->conns.next, struct mpipr_conn,
					link);
		if (conn->peer)
			conn->peer->bye = true;
		mpipr_conn_end(conn, 0);
	}
	mpipr_conn_free_dead(ep->domain);
	mpipr_peer_free_all(ep);
}
