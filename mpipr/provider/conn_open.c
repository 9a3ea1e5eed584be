// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Connections: made when needed, accepted, and what comes of events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "conn.h"
#include "peer.h"
#include "read.h"
#include "tx.h"

/* On a LAN that is not overloaded a peer's kernel answers sooner. */
#define MPIPR_ANSWER_MS 1
/* Who connects says at once who it is; it may have to be sent again. */
#define MPIPR_HELLO_MS 1000
/* Who is sent away, though it could not say that yet, comes again so often. */
#define MPIPR_RENEWALS 8

/*
 * A call has failed, and errno says why. Each peer takes a descriptor, and many
 * systems let a process have 1024 before it asks for more.
 */
static bool got_descriptors(void)
{
	struct rlimit limit;

	if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return true;
	errno = EMFILE;
	return false;
}

/* Returns a socket that does not wait, or -1, and errno says why. */
static int open_socket(sa_family_t family)
{
	const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int fd = socket(family, type, 0);

	return fd < 0 && got_descriptors() ? socket(family, type, 0) : fd;
}

/* Returns a socket that is being connected, or -errno. */
static int open_to(const union mpipr_addr *addr)
{
	int fd = open_socket(addr->sa.sa_family), err;

	if (fd < 0)
		return -errno;
	if (connect(fd, &addr->sa, sizeof(*addr)) && errno != EINPROGRESS)
		goto err_close;
	/* From now on calls say themselves whether they wait. */
	if (fcntl(fd, F_SETFL, 0))
		goto err_close;
	return fd;
err_close:
	err = -errno;
	close(fd);
	return err;
}

static bool is_at_end(const struct mpipr_conn *conn)
{
	uint8_t byte;

	return !recv(conn->source.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

/*
 * The peer needed the place, see make_place(), before the program polled and
 * we could say who we are. All that was to be said still waits.
 */
static bool begin_again(struct mpipr_conn *conn)
{
	int fd;

	if (conn->renewals == MPIPR_RENEWALS)
		return false;
	conn->renewals++;
	fd = open_to(&conn->peer->addr);
	return fd >= 0 && !mpipr_conn_renew(conn, fd);
}

/*
 * The peer's kernel has answered, or does not. Returns 0 or -errno; the
 * connection is still connecting, or ended, if it is to be asked once more.
 */
static int connected(struct mpipr_conn *conn)
{
	struct mpipr_conn *other = mpipr_conn_first(conn->peer);
	socklen_t len = sizeof(int);
	int err;

	if (getsockopt(conn->source.fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	if (!err && is_at_end(conn)) {
		if (other == conn && begin_again(conn))
			return 0;
		err = ECONNRESET;
	}
	if (!err)
		conn->connecting = false;
	else if (other != conn)
		mpipr_conn_replace(conn, other);
	else
		mpipr_conn_end(conn, err);
	return -err;
}

static void conn_ready(struct mpipr_source *source, uint32_t events)
{
	struct mpipr_conn *conn =
		mpipr_list_entry(source, struct mpipr_conn, source);
	int err;

	if (conn->connecting) {
		connected(conn);
		if (conn->connecting)
			return;
	}
	if (events & ~EPOLLOUT && !conn->held)
		mpipr_read(conn, events & ~(EPOLLIN | EPOLLOUT));
	if (events & EPOLLOUT && source->fd >= 0) {
		err = mpipr_tx_flush(conn);
		if (err)
			mpipr_conn_unsent(conn, -err);
	}
}

static bool is_full(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOMEM ||
	       err == ENOBUFS;
}

/* Who has waited longest to say who it is */
static struct mpipr_conn *first_nameless(const struct mpipr_ep *ep)
{
	struct mpipr_list *link = ep->conns.next;
	struct mpipr_conn *conn;

	/* Those whom we connect to have a name. */
	do {
		conn = mpipr_list_entry(link, struct mpipr_conn, link);
		link = link->next;
	} while (conn->peer);
	return conn;
}

/*
 * One of those who do not say who they are makes place for who waits outside,
 * unless all have just come. What it has said is looked at first.
 */
static bool make_place(struct mpipr_ep *ep)
{
	struct mpipr_conn *conn = first_nameless(ep);

	mpipr_read(conn, false);
	if (ep->nameless < MPIPR_NAMELESS_MAX)
		return true;
	if (mpipr_now_ms() - conn->accepted_ms < MPIPR_HELLO_MS)
		return false;
	MPIPR_WARN(FI_LOG_EP_CTRL, "nameless peer: does not say who it is\n");
	mpipr_conn_end(conn, 0);
	return true;
}

/* Who waits outside may wait for ever, so the user is told, once. */
static void stay_full(struct mpipr_ep *ep, const char *why)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		fprintf(stderr, "fi_prp: cannot let peers in: %s\n", why);
	mpipr_conn_deaf(ep, why);
}

/* Those who find no place here wait where their kernels have put them. */
static void listener_ready(struct mpipr_source *source, uint32_t events)
{
	struct mpipr_ep *ep =
		mpipr_list_entry(source, struct mpipr_ep, listener);
	struct mpipr_conn *conn;
	int fd;

	if (ep->nameless == MPIPR_NAMELESS_MAX && !make_place(ep)) {
		mpipr_conn_deaf(ep, "too many do not say who they are");
		return;
	}
	while (ep->nameless < MPIPR_NAMELESS_MAX) {
		fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && got_descriptors())
			continue;
		if (fd < 0 && is_full(errno)) {
			stay_full(ep, strerror(errno));
			return;
		}
		ep->deaf = false;
		if (fd < 0)
			return;
		conn = mpipr_conn_new(ep, fd, conn_ready);
		if (conn) {
			conn->accepted_ms = mpipr_now_ms();
			ep->nameless++;
		} else {
			close(fd);
		}
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
	fd = open_socket(ep->addr.sa.sa_family);
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

/* Nothing has begun. Where there is no memory for a moment it may later on. */
static int not_begun(const struct mpipr_peer *peer, int err)
{
	if (err == ENOMEM || err == ENOBUFS)
		return -FI_EAGAIN;
	mpipr_peer_warn(peer, "cannot connect to", err);
	return -err;
}

/**
 * mpipr_conn_connect() - begin to connect to a peer
 * @peer: peer; mpipr_peer.tx is set
 *
 * What is sent before the peer's kernel has answered waits in the connection.
 * Nothing waits for the peer's program.
 *
 * Return: 0, -FI_ECONNREFUSED if its address has no port, -FI_EAGAIN if there
 *	is no memory now, or another error of libfabric's, below 0.
 */
int mpipr_conn_connect(struct mpipr_peer *peer)
{
	struct pollfd answer = { .events = POLLOUT };
	struct mpipr_conn *conn;
	int err = 0;

	if (peer->err)
		return -peer->err;
	if (!mpipr_addr_has_port(&peer->addr))
		return -FI_ECONNREFUSED;
	answer.fd = open_to(&peer->addr);
	if (answer.fd < 0)
		return not_begun(peer, -answer.fd);
	conn = mpipr_conn_new(peer->ep, answer.fd, conn_ready);
	if (!conn) {
		err = errno;
		close(answer.fd);
		return not_begun(peer, err);
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
	err = mpipr_conn_say_hello(conn);
	if (err)
		mpipr_conn_end(conn, -err);
	return err;
}
