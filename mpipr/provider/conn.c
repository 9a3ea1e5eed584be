// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Connections: their sockets, and what epoll waits for. */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "conn.h"
#include "peer.h"

/* A machine that is gone is noticed after 10 + 4 * 5 s without a word. */
#define MPIPR_KEEP_IDLE_S 10
#define MPIPR_KEEP_INTERVAL_S 5
#define MPIPR_KEEP_COUNT 4

/* Who found no place for who connects looks for one after so long. */
#define MPIPR_DEAF_MS 100

/**
 * mpipr_conn_first() - find a connection of a peer's
 * @peer: peer
 *
 * Return: one of them, or NULL; the one for what we send is the last one.
 */
struct mpipr_conn *mpipr_conn_first(const struct mpipr_peer *peer)
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

/*
 * What comes is told of once: so epoll does not look at the socket again before
 * it sleeps. Who waits for room in it is told as long as there is some.
 */
static int control(struct mpipr_conn *conn, int operation)
{
	struct epoll_event event = { .events = conn->events };

	if (event.events & EPOLLIN)
		event.events |= EPOLLRDHUP;
	if (!(event.events & EPOLLOUT))
		event.events |= EPOLLET;
	event.data.ptr = &conn->source;
	return epoll_ctl(conn->ep->domain->epoll, operation, conn->source.fd,
			 &event);
}

static void set_option(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof(value));
}

/*
 * What may wait for more is in conn->queue by then. Who only waits to receive
 * is told by its kernel if the peer's machine is gone.
 */
static void set_options(int fd)
{
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (mpipr_param.family == AF_INET) {
		set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
		set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, MPIPR_KEEP_IDLE_S);
		set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL,
			   MPIPR_KEEP_INTERVAL_S);
		set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, MPIPR_KEEP_COUNT);
	} else {
		set_option(fd, SOL_PRP, PRP_NODELAY, 1);
		set_option(fd, SOL_PRP, PRP_KEEPIDLE, MPIPR_KEEP_IDLE_S);
		set_option(fd, SOL_PRP, PRP_KEEPINTVL, MPIPR_KEEP_INTERVAL_S);
		set_option(fd, SOL_PRP, PRP_KEEPCNT, MPIPR_KEEP_COUNT);
	}
}

/* Returns 0, or -1, and errno says why. */
static int use(struct mpipr_conn *conn, int fd)
{
	const struct timeval least = { .tv_usec = 1 };

	conn->source.fd = fd;
	/* a tick of the kernel's clock or two, see mpipr_read_sleep() */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &least, sizeof(least)) ||
	    control(conn, EPOLL_CTL_ADD))
		return -1;
	set_options(fd);
	return 0;
}

/**
 * mpipr_conn_new() - make a connection of a socket
 * @ep: endpoint
 * @fd: socket
 * @ready: called when events came
 *
 * Return: the connection, or NULL, and errno says why.
 */
struct mpipr_conn *mpipr_conn_new(struct mpipr_ep *ep, int fd,
				  void (*ready)(struct mpipr_source *source,
						uint32_t events))
{
	struct mpipr_conn *conn;
	int err;

	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return NULL;
	conn->source.ready = ready;
	conn->ep = ep;
	conn->events = EPOLLIN;
	mpipr_list_init(&conn->queue);
	mpipr_list_init(&conn->corked);
	if (use(conn, fd)) {
		err = errno;
		free(conn);
		errno = err;
		return NULL;
	}
	mpipr_list_add_tail(&conn->link, &ep->conns);
	return conn;
}

/**
 * mpipr_conn_renew() - give a connection another socket
 * @conn: connection; it stays as it is if that fails
 * @fd: socket; closed if that fails
 *
 * Return: 0, or -1, and errno says why.
 */
int mpipr_conn_renew(struct mpipr_conn *conn, int fd)
{
	int old = conn->source.fd, err;

	if (use(conn, fd)) {
		err = errno;
		close(fd);
		conn->source.fd = old;
		errno = err;
		return -1;
	}
	epoll_ctl(conn->ep->domain->epoll, EPOLL_CTL_DEL, old, NULL);
	close(old);
	return 0;
}

static bool has_one(const struct mpipr_list *head)
{
	return !mpipr_list_empty(head) && head->next == head->prev;
}

/**
 * mpipr_conn_only() - find the connection that whatever comes must come on
 * @domain: domain
 *
 * Return: the only one there is, if all there is to do is to read it; or NULL.
 */
struct mpipr_conn *mpipr_conn_only(const struct mpipr_domain *domain)
{
	struct mpipr_conn *conn;
	struct mpipr_ep *ep;

	if (!has_one(&domain->eps))
		return NULL;
	ep = mpipr_list_entry(domain->eps.next, struct mpipr_ep, link);
	if (!has_one(&ep->conns))
		return NULL;
	conn = mpipr_list_entry(ep->conns.next, struct mpipr_conn, link);
	return conn->events == EPOLLIN ? conn : NULL;
}

/**
 * mpipr_conn_want() - say what epoll waits for
 * @conn: connection
 * @events: EPOLLIN, EPOLLOUT
 */
void mpipr_conn_want(struct mpipr_conn *conn, uint32_t events)
{
	if (conn->source.fd < 0 || conn->events == events)
		return;
	conn->events = events;
	control(conn, EPOLL_CTL_MOD);
}

/**
 * mpipr_conn_again() - be told once more of what was left in the socket
 * @conn: connection
 */
void mpipr_conn_again(struct mpipr_conn *conn)
{
	control(conn, EPOLL_CTL_MOD);
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

/**
 * mpipr_conn_listen() - look at who connects, or do not
 * @ep: endpoint that listens
 * @events: EPOLLIN, or 0
 */
void mpipr_conn_listen(struct mpipr_ep *ep, uint32_t events)
{
	struct epoll_event event = {
		.events = events,
		.data.ptr = &ep->listener,
	};

	epoll_ctl(ep->domain->epoll, EPOLL_CTL_MOD, ep->listener.fd, &event);
}

/**
 * mpipr_conn_listen_again() - there may be a place for who connects
 * @domain: domain
 */
void mpipr_conn_listen_again(struct mpipr_domain *domain)
{
	struct mpipr_list *link, *after;
	struct mpipr_ep *ep;

	mpipr_list_for_each(link, after, &domain->eps)
	{
		ep = mpipr_list_entry(link, struct mpipr_ep, link);
		if (ep->deaf)
			mpipr_conn_listen(ep, EPOLLIN);
	}
}

static void ear_ready(struct mpipr_source *source, uint32_t events)
{
	struct mpipr_domain *domain =
		mpipr_list_entry(source, struct mpipr_domain, ear);

	mpipr_conn_listen_again(domain);
}

/**
 * mpipr_conn_open_ear() - be able to listen again
 * @domain: domain; its epoll is open
 *
 * When an endpoint turns deaf there is no descriptor for a timer.
 *
 * Return: 0, or an error of libfabric's, below 0.
 */
int mpipr_conn_open_ear(struct mpipr_domain *domain)
{
	/* It is not read: that it is set again has epoll tell of it again. */
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLET,
		.data.ptr = &domain->ear,
	};
	int err;

	domain->ear.ready = ear_ready;
	domain->ear.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (domain->ear.fd < 0)
		return -errno;
	if (!epoll_ctl(domain->epoll, EPOLL_CTL_ADD, domain->ear.fd, &event))
		return 0;
	err = -errno;
	close(domain->ear.fd);
	return err;
}

/**
 * mpipr_conn_deaf() - there is no place for who connects
 * @ep: endpoint that listens
 * @why: why not
 *
 * It tries again when a connection of the domain's has ended, and after a
 * while: others may have given something back, or had their time.
 */
void mpipr_conn_deaf(struct mpipr_ep *ep, const char *why)
{
	const struct itimerspec later = {
		.it_value.tv_nsec = MPIPR_DEAF_MS * 1000000,
	};

	if (!ep->deaf)
		MPIPR_WARN(FI_LOG_EP_CTRL, "cannot let peers in: %s\n", why);
	ep->deaf = true;
	mpipr_conn_listen(ep, 0);
	timerfd_settime(ep->domain->ear.fd, 0, &later, NULL);
}

/**
 * mpipr_conn_not_nameless() - one has said who it is, or has ended
 * @ep: endpoint that has accepted it
 */
void mpipr_conn_not_nameless(struct mpipr_ep *ep)
{
	if (ep->nameless-- == MPIPR_NAMELESS_MAX)
		mpipr_conn_listen(ep, EPOLLIN);
}
