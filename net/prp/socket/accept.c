// SPDX-License-Identifier: GPL-2.0
/*
 * Listening: the queue of children, which the handshake fills and accept()
 * empties, those that are not confirmed and must wait beside it, and the
 * sockets that children get.
 */
#include <linux/sched/signal.h>
#include <linux/netdevice.h>
#include <linux/security.h>

#include "compat/compat.h"
#include "inet/inet.h"
#include "see/trace.h"
#include "socket/busy_poll.h"
#include "socket/deliver.h"
#include "socket/keepalive.h"
#include "socket/sock.h"
#include "transport/handshake.h"

/* How many children may be unconfirmed; they are beside the queue. */
static u32 half_room(const struct prp_sock *listener)
{
	return max(READ_ONCE(listener->sk.sk_max_ack_backlog) / 2, 1U);
}

static bool child_fits(const struct prp_sock *listener, u16 peer)
{
	u32 backlog = max_t(u32, READ_ONCE(listener->sk.sk_max_ack_backlog), 1);
	u32 one = READ_ONCE(listener->backlog->of_peer[peer % PRP_PEER_SLOTS]);

	/* A quarter of a long queue is kept for other peers; in a short one
	 * there is room beside what is unconfirmed.
	 */
	return READ_ONCE(listener->backlog->count) < backlog &&
	       one < max(backlog - backlog / 4, half_room(listener) + 1);
}

/**
 * prp_accept_has_room() - is there room in the accept queue?
 * @listener: listener, found in this RCU read section
 * @peer: node number of who asks
 *
 * Return: whether prp_accept_add_child() would take a confirmed child at this
 * moment.
 */
bool prp_accept_has_room(const struct prp_sock *listener, u16 peer)
{
	return child_fits(listener, peer);
}

/**
 * prp_accept_is_half_full() - are there many unconfirmed children?
 * @listener: listener, found in this RCU read section
 *
 * They have no place in the accept queue, which a confirmed child finds as if
 * they were not there; one that is confirmed is queued in any case.
 *
 * Return: true if there are half as many as there are places, at least one:
 * prp_accept_add_child() takes no other one that is unconfirmed.
 */
bool prp_accept_is_half_full(const struct prp_sock *listener)
{
	return READ_ONCE(listener->backlog->half_count) >= half_room(listener);
}

/* accept() may have it. */
static void child_queue(struct prp_sock *listener, struct prp_conn *conn)
{
	lockdep_assert_held(&listener->backlog->lock);
	list_add_tail(&conn->child.node, &listener->backlog->queue);
	WRITE_ONCE(listener->backlog->count, listener->backlog->count + 1);
	listener->sk.sk_data_ready(&listener->sk);
}

/* accept() must not have it yet. */
static void child_hold(struct prp_sock *listener, struct prp_conn *conn)
{
	lockdep_assert_held(&listener->backlog->lock);
	conn->half_open = true;
	list_add_tail(&conn->child.node, &listener->backlog->half_queue);
	WRITE_ONCE(listener->backlog->half_count,
		   listener->backlog->half_count + 1);
}

/* Take a child out of the queue that it is in. */
static void child_dequeue(struct prp_sock *listener, struct prp_conn *conn)
{
	lockdep_assert_held(&listener->backlog->lock);
	list_del_init(&conn->child.node);
	if (conn->half_open)
		WRITE_ONCE(listener->backlog->half_count,
			   listener->backlog->half_count - 1);
	else
		WRITE_ONCE(listener->backlog->count,
			   listener->backlog->count - 1);
	conn->half_open = false;
}

/* Take a child away from its listener. Its reference is the caller's now. */
static void child_unlink(struct prp_sock *listener, struct prp_conn *conn)
{
	child_dequeue(listener, conn);
	listener->backlog->of_peer[conn->key.peer % PRP_PEER_SLOTS]--;
}

/**
 * prp_accept_add_child() - give a listener a connection
 * @listener: listener, found in this RCU read section
 * @conn: connection, its lock held; the listener takes a reference
 *
 * Return: 0, or -EAGAIN if there is no room or it is being closed.
 */
int prp_accept_add_child(struct prp_sock *listener, struct prp_conn *conn)
{
	int err = -EAGAIN;

	lockdep_assert_held(&conn->lock);
	spin_lock(&listener->backlog->lock);
	if (listener->backlog->open && child_fits(listener, conn->key.peer) &&
	    !(conn->handshake.unconfirmed &&
	      prp_accept_is_half_full(listener))) {
		prp_conn_get(conn);
		conn->child.listener = listener;
		listener->backlog->of_peer[conn->key.peer % PRP_PEER_SLOTS]++;
		if (conn->handshake.unconfirmed)
			child_hold(listener, conn);
		else
			child_queue(listener, conn);
		err = 0;
	}
	spin_unlock(&listener->backlog->lock);
	return err;
}

/**
 * prp_accept_child_confirmed() - a child is unconfirmed no longer
 * @conn: connection, its lock held; it may be of no listener
 */
void prp_accept_child_confirmed(struct prp_conn *conn)
{
	struct prp_sock *listener = conn->child.listener;

	lockdep_assert_held(&conn->lock);
	if (!listener)
		return;
	spin_lock(&listener->backlog->lock);
	/* one that is being closed empties one queue, then the other */
	if (conn->half_open && listener->backlog->open) {
		child_dequeue(listener, conn);
		child_queue(listener, conn);
	}
	spin_unlock(&listener->backlog->lock);
}

/**
 * prp_accept_child_ended() - a connection that nobody accepted has ended
 * @conn: connection, its lock held; it may be of no listener
 *
 * As with TCP accept() has it all the same if it was confirmed, and tells its
 * error: who was told by poll() that there is one must not wait for it.
 */
void prp_accept_child_ended(struct prp_conn *conn)
{
	struct prp_sock *listener = conn->child.listener;
	bool mine;

	lockdep_assert_held(&conn->lock);
	if (!listener)
		return;
	spin_lock(&listener->backlog->lock);
	mine = conn->half_open;
	if (mine)
		child_unlink(listener, conn);
	spin_unlock(&listener->backlog->lock);
	conn->child.listener = NULL;
	if (mine)
		prp_conn_put(conn);
}

/* The oldest child of a queue, with the queue's reference, or NULL. */
static struct prp_conn *accept_pop(struct prp_sock *listener,
				   struct list_head *queue)
{
	struct prp_conn *conn;

	spin_lock_bh(&listener->backlog->lock);
	conn = list_first_entry_or_null(queue, struct prp_conn, child.node);
	if (conn)
		child_unlink(listener, conn);
	spin_unlock_bh(&listener->backlog->lock);
	return conn;
}

/**
 * prp_accept_pop() - take the oldest child out of the accept queue
 * @psk: socket, its sk_lock held
 *
 * Return: the child, with the queue's reference, or NULL; there is none if it
 * does not listen.
 */
struct prp_conn *prp_accept_pop(struct prp_sock *psk)
{
	return psk->backlog ? accept_pop(psk, &psk->backlog->queue) : NULL;
}

/**
 * prp_accept_prepare() - give a socket what only listeners need
 * @psk: socket that is to listen, its sk_lock held
 *
 * It keeps that until it is freed.
 *
 * Return: 0 or -ENOMEM.
 */
int prp_accept_prepare(struct prp_sock *psk)
{
	struct prp_backlog *backlog;

	sock_owned_by_me(&psk->sk);
	if (psk->backlog)
		return 0;
	backlog = kzalloc(sizeof(*backlog), GFP_KERNEL_ACCOUNT);
	if (!backlog)
		return -ENOMEM;
	spin_lock_init(&backlog->lock);
	INIT_LIST_HEAD(&backlog->queue);
	INIT_LIST_HEAD(&backlog->half_queue);
	psk->backlog = backlog;
	return 0;
}

static void listen_trace(const struct sock *sk, u8 old, u8 now,
			 enum prp_event event)
{
	const struct prp_sock *psk = prp_sk(sk);
	union prp_conn_key key = { .lport = psk->port->number };

	trace_prp_state(prp_net(sock_net(sk)), psk->addr, &key, old, now,
			event);
}

/**
 * prp_listen() - listen()
 * @sock: socket
 * @backlog: children that may wait for accept()
 *
 * Return: 0, -EINVAL, -EADDRINUSE or -ENOMEM.
 */
int prp_listen(struct socket *sock, int backlog)
{
	struct sock *sk = sock->sk;
	struct prp_net *pn = prp_net(sock_net(sk));
	struct prp_sock *psk = prp_sk(sk);
	int err = -EINVAL;
	u8 old;

	lock_sock(sk);
	if (sock->state != SS_UNCONNECTED ||
	    prp_state_next(sk->sk_state, PRP_EV_LISTEN) < 0 ||
	    prp_sock_conn(psk))
		goto out;
	err = prp_accept_prepare(psk);
	if (err)
		goto out;
	if (!psk->port) {
		err = prp_port_bind(pn, psk, PRP_PORT_AUTO);
		if (err)
			goto out;
	}
	WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	old = sk->sk_state;
	err = prp_port_listen(pn, psk);
	if (err)
		goto out;
	psk->port_auto = false; /* it is not for bind() any more */
	listen_trace(sk, old, PRP_LISTEN, PRP_EV_LISTEN);
	/* only now: nobody empties the queue of what does not listen */
	spin_lock_bh(&psk->backlog->lock);
	psk->backlog->open = true;
	spin_unlock_bh(&psk->backlog->lock);
out:
	release_sock(sk);
	return err;
}

/**
 * prp_accept_stop() - stop to listen
 * @sk: listener, its sk_lock held
 *
 * Children that nobody accepted are reset.
 */
void prp_accept_stop(struct sock *sk)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;

	sock_owned_by_me(sk);
	WRITE_ONCE(sk->sk_state, prp_state_next(PRP_LISTEN, PRP_EV_RELEASE));
	listen_trace(sk, PRP_LISTEN, sk->sk_state, PRP_EV_RELEASE);
	spin_lock_bh(&psk->backlog->lock);
	psk->backlog->open = false;
	spin_unlock_bh(&psk->backlog->lock);
	while ((conn = accept_pop(psk, &psk->backlog->queue)) ||
	       (conn = accept_pop(psk, &psk->backlog->half_queue))) {
		prp_handshake_abort(conn, 0);
		prp_conn_put(conn);
	}
}

/* Wait for a child. Return: it, with a reference, or an error pointer. */
static struct prp_conn *accept_wait(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct prp_conn *conn;
	int err = 0;

	add_wait_queue_exclusive(sk_sleep(sk), &wait);
	for (;;) {
		conn = prp_accept_pop(prp_sk(sk));
		if (conn)
			break;
		err = -EINVAL;
		if (sk->sk_state != PRP_LISTEN)
			break;
		err = -EAGAIN;
		if (!timeo)
			break;
		err = sock_intr_errno(timeo);
		if (signal_pending(current))
			break;
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return conn ?: ERR_PTR(err);
}

/* Times of arrival are noted for as long as a socket wants them. */
static void accept_inherit_stamps(struct sock *sk, const struct sock *listener)
{
	const unsigned long stamps = BIT(SOCK_RCVTSTAMP) |
				     BIT(SOCK_RCVTSTAMPNS) |
				     BIT(SOCK_TSTAMP_NEW) | SK_FLAGS_TIMESTAMP;

	sk->sk_flags |= listener->sk_flags & stamps;
	sk->sk_tsflags = listener->sk_tsflags;
	if (sk->sk_flags & SK_FLAGS_TIMESTAMP)
		net_enable_timestamp(); /* sk_destruct() disables it */
}

/* What a child has from its listener. */
static void accept_inherit(struct sock *sk, const struct sock *listener)
{
	const struct sock *front = prp_front(listener);

	sk->sk_sndbuf = prp_sndbuf(listener);
	sk->sk_rcvbuf = prp_rcvbuf(listener);
	sk->sk_userlocks = front->sk_userlocks &
			   (SOCK_SNDBUF_LOCK | SOCK_RCVBUF_LOCK);
	sk->sk_reuse = front->sk_reuse;
	sk->sk_priority = front->sk_priority;
	sk->sk_mark = front->sk_mark;
	sk->sk_rcvlowat = listener->sk_rcvlowat;
	sk->sk_rcvtimeo = front->sk_rcvtimeo;
	sk->sk_sndtimeo = front->sk_sndtimeo;
	sk->sk_lingertime = front->sk_lingertime;
	sk->sk_max_pacing_rate = READ_ONCE(front->sk_max_pacing_rate);
	sk->sk_flags |=
		front->sk_flags &
		(BIT(SOCK_LINGER) | BIT(SOCK_URGINLINE) | BIT(SOCK_LOCALROUTE) |
		 BIT(SOCK_BROADCAST) | BIT(SOCK_ZEROCOPY));
	prp_sk(sk)->timeout_ms = prp_sk(listener)->timeout_ms;
	prp_sk(sk)->notsent_lowat = prp_sk(listener)->notsent_lowat;
	prp_sk(sk)->checksum = prp_sk(listener)->checksum;
	prp_sk(sk)->nodelay = prp_sk(listener)->nodelay;
	prp_sk(sk)->reuseport = prp_sk(listener)->reuseport;
	prp_compat_set_reuseport(sk, prp_sk(sk)->reuseport);
	prp_busy_poll_inherit(sk, front);
	prp_keepalive_inherit(prp_sk(sk), prp_sk(listener));
	accept_inherit_stamps(sk, front);
	security_sk_clone(front, sk);
}

/**
 * prp_accept_child() - make a child's socket
 * @listener: its listener, whose sk_lock is held
 * @newsock: what the program is to hold
 * @conn: the child; on success its reference is the socket's
 * @kern: made for the kernel itself
 *
 * Return: 0 or a negative errno.
 */
int prp_accept_child(struct sock *listener, struct socket *newsock,
		     struct prp_conn *conn, bool kern)
{
	struct prp_sock *psk;
	struct sock *sk;
	int err;

	sk = prp_sock_alloc(sock_net(listener), newsock, kern);
	if (!sk)
		return -ENOMEM;
	psk = prp_sk(sk);
	if (conn->ip) {
		err = prp_inet_adopt(psk, prp_sk(listener), newsock);
		if (err)
			goto err_put;
	} else {
		prp_compat_custom_sockopt(newsock);
	}
	if (!conn->messages)
		set_bit(SOCK_SUPPORT_ZC, &newsock->flags);
	lock_sock_nested(sk, SINGLE_DEPTH_NESTING);
	accept_inherit(sk, listener);
	/* until a segment comes: where our answer left, so the request came */
	WRITE_ONCE(sk->sk_incoming_cpu, conn->tx.cpu);
	mutex_lock(&psk->tx_mutex);
	mutex_lock(&psk->rx_mutex);
	spin_lock_bh(&conn->lock);
	prp_sock_attach(psk, conn);
	if (conn->state == PRP_CLOSE)
		prp_wake_changed(conn); /* nobody was told yet */
	spin_unlock_bh(&conn->lock);
	prp_deliver_accepted(psk, conn);
	mutex_unlock(&psk->rx_mutex);
	mutex_unlock(&psk->tx_mutex);
	newsock->state = SS_CONNECTED;
	release_sock(sk);
	return 0;

err_put:
	prp_sock_unlist(psk);
	sock_orphan(sk);
	newsock->sk = NULL;
	sock_put(sk);
	return err;
}

/* accept(); the arguments differ by kernel, see compat.h. Return: 0, -EAGAIN,
 * -EINVAL, -ENOMEM, or why the wait was interrupted.
 */
int prp_accept(PRP_COMPAT_ACCEPT_ARGS)
{
	bool nonblock = PRP_COMPAT_ACCEPT_FLAGS & O_NONBLOCK;
	struct sock *sk = sock->sk;
	struct prp_conn *conn;
	int err = 0;

	lock_sock(sk);
	conn = accept_wait(sk, sock_rcvtimeo(prp_front(sk), nonblock));
	if (IS_ERR(conn)) {
		err = PTR_ERR(conn);
		goto out;
	}
	err = prp_accept_child(sk, newsock, conn, PRP_COMPAT_ACCEPT_KERN);
	if (err) {
		prp_handshake_abort(conn, 0);
		prp_conn_put(conn);
	}
out:
	release_sock(sk);
	return err;
}
