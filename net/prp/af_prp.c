// SPDX-License-Identifier: GPL-2.0
/*
 * The calls a program makes on a socket of ours, but for its data (send.c,
 * deliver.c) and its options (sockopt.c).
 */
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sockios.h>
#include <net/ip.h>

#include <asm/ioctls.h>

#include "compat/compat.h"
#include "handshake.h"
#include "recovery.h"
#include "send.h"
#include "sock.h"
#include "state.h"
#include "xmit.h"

static struct proto prp_proto = {
	.name		= "PRP",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct prp_sock),
};

/* The connection; the caller holds sk_lock, under which it is written. */
static struct prp_conn *sock_conn(struct prp_sock *psk)
{
	return rcu_dereference_protected(psk->conn,
					 lockdep_sock_is_held(&psk->sk));
}

/**
 * prp_sock_wait_connected() - wait while a request is not answered
 * @sk: socket; the caller holds none of its locks
 * @timeo: jiffies to wait, reduced by those waited
 *
 * Return: 0 once it is answered or given up; -EAGAIN, or why the wait was
 * interrupted.
 */
int prp_sock_wait_connected(struct sock *sk, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT) {
		err = -EAGAIN;
		if (!*timeo)
			break;
		err = sock_intr_errno(*timeo);
		if (signal_pending(current))
			break;
		err = 0;
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/* Wake the program that sleeps in recv(), if there is one. */
static void sock_wake_reader(struct prp_conn *conn)
{
	struct wait_queue_entry reader = { .private = conn->reader };

	lockdep_assert_held(&conn->lock);
	if (!reader.private)
		return;
	/*
	 * Cleared first: who sees that does not sleep. Should it exit before
	 * it is woken, BH that are off keep its task as an RCU reader does.
	 */
	WRITE_ONCE(conn->reader, NULL);
	default_wake_function(&reader, TASK_INTERRUPTIBLE,
			      PRP_COMPAT_WF_SYNC, NULL);
}

/**
 * prp_sock_changed() - a connection has changed its state
 * @conn: connection, its lock held
 *
 * Mirrors the state into the socket and wakes everybody.
 */
void prp_sock_changed(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (!sk)
		return;
	WRITE_ONCE(sk->sk_state, conn->state);
	if (conn->state == PRP_CLOSE)
		WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	if (conn->err) {
		WRITE_ONCE(sk->sk_err, conn->err);
		sk_error_report(sk);
	}
	sock_wake_reader(conn);
	sk->sk_state_change(sk);
}

/**
 * prp_sock_readable() - data or the end of the stream has arrived in order
 * @conn: connection, its lock held
 */
void prp_sock_readable(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (!sk)
		return;
	if (unlikely(conn->peer_end)) {
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
		sk->sk_state_change(sk);
	} else if (prp_sock_unread(prp_sk(sk), conn) <
		   READ_ONCE(sk->sk_rcvlowat)) {
		return;
	}
	sock_wake_reader(conn);
	sk->sk_data_ready(sk);
}

static bool sock_is_writable(const struct prp_conn *conn)
{
	return READ_ONCE(conn->tx_bytes) < READ_ONCE(conn->sndbuf) * 2ULL / 3 &&
	       READ_ONCE(conn->tx_end) - READ_ONCE(conn->snd.una) <
	       PRP_TXQ * 3 / 4;
}

/**
 * prp_sock_writable() - queued segments have been acknowledged
 * @conn: connection, its lock held
 */
void prp_sock_writable(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (!sk || !sk->sk_socket ||
	    !test_bit(SOCK_NOSPACE, &sk->sk_socket->flags) ||
	    !sock_is_writable(conn))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	sk->sk_write_space(sk);
}

static void sock_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM |
					   EPOLLWRBAND);
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

static bool child_fits(const struct prp_sock *listener, u16 peer)
{
	u32 backlog = max_t(u32, READ_ONCE(listener->sk.sk_max_ack_backlog), 1);
	u32 one = READ_ONCE(listener->accept_peer[peer % PRP_PEER_SLOTS]);

	/* a quarter of a long queue is kept for other peers */
	return READ_ONCE(listener->accept_count) < backlog &&
	       one < max_t(u32, backlog - backlog / 4, 1);
}

/**
 * prp_sock_has_room() - is there room in the accept queue?
 * @listener: listener, found in this RCU read section
 * @peer: node number of who asks
 *
 * Return: whether prp_sock_add_child() would take a child at this moment.
 */
bool prp_sock_has_room(const struct prp_sock *listener, u16 peer)
{
	return child_fits(listener, peer);
}

/**
 * prp_sock_add_child() - queue a connection for accept()
 * @listener: listener, found in this RCU read section
 * @conn: connection, its lock held; the queue takes a reference
 *
 * Return: 0, or -EAGAIN if the queue is full or being closed.
 */
int prp_sock_add_child(struct prp_sock *listener, struct prp_conn *conn)
{
	int err = -EAGAIN;

	lockdep_assert_held(&conn->lock);
	spin_lock(&listener->accept_lock);
	if (listener->accepting && child_fits(listener, conn->key.peer)) {
		prp_conn_get(conn);
		conn->listener = listener;
		list_add_tail(&conn->accept_node, &listener->accept_queue);
		listener->accept_peer[conn->key.peer % PRP_PEER_SLOTS]++;
		WRITE_ONCE(listener->accept_count, listener->accept_count + 1);
		listener->sk.sk_data_ready(&listener->sk);
		err = 0;
	}
	spin_unlock(&listener->accept_lock);
	return err;
}

/* Take a child out of the queue. Its reference is the caller's now. */
static void child_unlink(struct prp_sock *listener, struct prp_conn *conn)
{
	lockdep_assert_held(&listener->accept_lock);
	list_del_init(&conn->accept_node);
	listener->accept_peer[conn->key.peer % PRP_PEER_SLOTS]--;
	WRITE_ONCE(listener->accept_count, listener->accept_count - 1);
}

/**
 * prp_sock_forget_child() - a connection that nobody accepted has ended
 * @conn: connection, its lock held; it may be of no listener
 */
void prp_sock_forget_child(struct prp_conn *conn)
{
	struct prp_sock *listener = conn->listener;
	bool mine;

	lockdep_assert_held(&conn->lock);
	if (!listener)
		return;
	spin_lock(&listener->accept_lock);
	mine = !list_empty(&conn->accept_node);
	if (mine)
		child_unlink(listener, conn);
	spin_unlock(&listener->accept_lock);
	conn->listener = NULL;
	if (mine)
		prp_conn_put(conn);
}

/* The oldest child, with the queue's reference, or NULL. */
static struct prp_conn *child_pop(struct prp_sock *listener)
{
	struct prp_conn *conn;

	spin_lock_bh(&listener->accept_lock);
	conn = list_first_entry_or_null(&listener->accept_queue,
					struct prp_conn, accept_node);
	if (conn)
		child_unlink(listener, conn);
	spin_unlock_bh(&listener->accept_lock);
	return conn;
}

static void sock_destruct(struct sock *sk)
{
	struct prp_sock *psk = prp_sk(sk);

	__skb_queue_purge(&sk->sk_receive_queue);
	__skb_queue_purge(&sk->sk_error_queue);
	if (psk->frag.page)
		put_page(psk->frag.page);
}

static void sock_setup(struct socket *sock, struct sock *sk)
{
	struct prp_sock *psk = prp_sk(sk);

	sock_init_data(sock, sk);
	sk->sk_destruct = sock_destruct;
	sk->sk_write_space = sock_write_space;
	sk->sk_sndbuf = PRP_SNDBUF_DEFAULT;
	sk->sk_rcvbuf = PRP_RCVBUF_DEFAULT;
	sk->sk_allocation = GFP_KERNEL_ACCOUNT;
	sk->sk_state = PRP_CLOSE;
	sock_set_flag(sk, SOCK_RCU_FREE);
	mutex_init(&psk->tx_mutex);
	mutex_init(&psk->rx_mutex);
	skb_queue_head_init(&psk->rd);
	spin_lock_init(&psk->accept_lock);
	INIT_LIST_HEAD(&psk->accept_queue);
}

/* Give a connection to a socket. Both of the socket's mutexes are held. */
static void sock_attach(struct prp_sock *psk, struct prp_conn *conn)
{
	struct sock *sk = &psk->sk;

	lockdep_assert_held(&conn->lock);
	conn->sk = sk;
	conn->listener = NULL;
	conn->sndbuf = sk->sk_sndbuf;
	conn->rcvbuf = sk->sk_rcvbuf;
	conn->priority = sk->sk_priority;
	conn->mark = sk->sk_mark;
	conn->timeout_ms = psk->timeout_ms;
	psk->rd_bytes = 0;
	WRITE_ONCE(sk->sk_state, conn->state);
	if (conn->peer_end)
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
	rcu_assign_pointer(psk->conn, conn);
}

/* Take the socket's connection, and its reference, away from it. */
static struct prp_conn *sock_detach(struct prp_sock *psk)
{
	struct prp_conn *conn = sock_conn(psk);
	struct sk_buff *skb;

	sock_owned_by_me(&psk->sk);
	if (!conn)
		return NULL;
	mutex_lock(&psk->tx_mutex);
	mutex_lock(&psk->rx_mutex);
	spin_lock_bh(&conn->lock);
	conn->sk = NULL;
	while ((skb = __skb_dequeue(&psk->rd))) {
		psk->rd_freed += skb->truesize;
		kfree_skb(skb);
	}
	conn->rx_mem -= psk->rd_freed;
	psk->rd_freed = 0;
	__prp_conn_settle(conn);
	RCU_INIT_POINTER(psk->conn, NULL);
	spin_unlock_bh(&conn->lock);
	mutex_unlock(&psk->rx_mutex);
	mutex_unlock(&psk->tx_mutex);
	return conn;
}

/*
 * Check an address that a program gave. Return: 0 or a negative errno.
 */
static int addr_check(const struct sockaddr_prp *addr, int len)
{
	if (len < (int)sizeof(addr->sprp_family))
		return -EINVAL;
	if (addr->sprp_family != AF_PRP)
		return -EAFNOSUPPORT;
	if (len < (int)sizeof(*addr))
		return -EINVAL;
	if (addr->sprp_net || memchr_inv(addr->sprp_zero, 0,
					 sizeof(addr->sprp_zero)))
		return -EINVAL;
	return 0;
}

/* Our own node number, 0 if the host table does not have us. */
static u16 own_number(struct prp_net *pn)
{
	u16 self;

	rcu_read_lock();
	self = rcu_dereference(pn->table)->self;
	rcu_read_unlock();
	return self;
}

static int prp_bind(struct socket *sock, struct prp_compat_sockaddr *uaddr,
		    int len)
{
	const struct sockaddr_prp *addr = (const void *)uaddr;
	struct sock *sk = sock->sk;
	struct net *net = sock_net(sk);
	struct prp_sock *psk = prp_sk(sk);
	u16 node, port;
	int err;

	err = addr_check(addr, len);
	if (err)
		return err;
	node = be16_to_cpu(addr->sprp_addr);
	port = be16_to_cpu(addr->sprp_port);
	if (node != PRP_ADDR_ANY && node != own_number(prp_net(net)))
		return -EADDRNOTAVAIL;
	if (port && inet_port_requires_bind_service(net, port) &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	lock_sock(sk);
	err = -EINVAL;
	if (!psk->port && !sock_conn(psk))
		err = prp_port_bind(prp_net(net), psk, port);
	if (!err)
		psk->addr = node;
	release_sock(sk);
	return err;
}

static int prp_listen(struct socket *sock, int backlog)
{
	struct sock *sk = sock->sk;
	struct prp_net *pn = prp_net(sock_net(sk));
	struct prp_sock *psk = prp_sk(sk);
	int err = -EINVAL;

	lock_sock(sk);
	if (sock->state != SS_UNCONNECTED ||
	    prp_state_next(sk->sk_state, PRP_EV_LISTEN) < 0 || sock_conn(psk))
		goto out;
	if (!psk->port) {
		err = prp_port_bind(pn, psk, PRP_PORT_AUTO);
		if (err)
			goto out;
	}
	WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	spin_lock_bh(&psk->accept_lock);
	psk->accepting = true;
	spin_unlock_bh(&psk->accept_lock);
	err = prp_port_listen(pn, psk);
out:
	release_sock(sk);
	return err;
}

/* End a connection that the peer believes in. */
static void conn_reset(struct prp_conn *conn)
{
	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	if (conn->state == PRP_ESTABLISHED)
		__prp_xmit_reset(conn, PRP_RESET_ABORTED);
	__prp_conn_abort(conn, 0);
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
}

/* Stop to listen; children that nobody accepted are reset. */
static void listen_stop(struct sock *sk)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;

	sock_owned_by_me(sk);
	WRITE_ONCE(sk->sk_state, prp_state_next(PRP_LISTEN, PRP_EV_RELEASE));
	spin_lock_bh(&psk->accept_lock);
	psk->accepting = false;
	spin_unlock_bh(&psk->accept_lock);
	while ((conn = child_pop(psk))) {
		conn_reset(conn);
		prp_conn_put(conn);
	}
}

/* Make the connection and send the request. */
static int connect_start(struct sock *sk, u16 node, u16 port)
{
	struct prp_net *pn = prp_net(sock_net(sk));
	struct prp_sock *psk = prp_sk(sk);
	union prp_conn_key key = { .peer = node, .rport = port };
	struct prp_conn *conn;
	struct prp_hop hop;
	u16 mtu, self;
	int err;

	rcu_read_lock();
	err = prp_rail_hop_rcu(pn, node, &hop);
	mtu = prp_rail_mtu_rcu(pn, node);
	self = rcu_dereference(pn->table)->self;
	rcu_read_unlock();
	if (err)
		return err;
	if (mtu <= sizeof(struct prp_hdr))
		return -ENETUNREACH;
	if (psk->addr && psk->addr != self)
		return -EADDRNOTAVAIL;
	if (!psk->port) {
		err = prp_port_bind(pn, psk, PRP_PORT_AUTO);
		if (err)
			return err == -EADDRINUSE ? -EADDRNOTAVAIL : err;
	}
	key.lport = psk->port->number;
	if (node == self && port == key.lport)
		return -ECONNREFUSED;	/* nobody listens: that is we */
	conn = prp_conn_alloc(pn, self, &key, GFP_KERNEL);
	if (!conn)
		return -ENOMEM;
	conn->port = prp_port_conn_get(pn, psk);
	err = prp_conn_open_tx(conn) ?: prp_conn_hash(conn);
	if (err) {
		prp_conn_put(conn);
		return err;
	}

	mutex_lock(&psk->tx_mutex);
	mutex_lock(&psk->rx_mutex);
	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(sk->sk_shutdown, 0);
	prp_conn_set_seg_size(conn, mtu - sizeof(struct prp_hdr));
	sock_attach(psk, conn);
	__prp_handshake_connect(conn);
	/* a table published since the look-up has not seen us in this state */
	if (!prp_table_node(rcu_dereference(pn->table), node))
		__prp_conn_abort(conn, EHOSTUNREACH);
	prp_sock_changed(conn);
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
	mutex_unlock(&psk->rx_mutex);
	mutex_unlock(&psk->tx_mutex);
	return 0;
}

/* Wait until the request is answered. Return: 0 or a negative errno. */
static int connect_wait(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT) {
		err = -EINPROGRESS;
		if (!timeo)
			break;
		err = sock_intr_errno(timeo);
		if (signal_pending(current))
			break;
		err = 0;
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/*
 * The request was answered or given up. A connection that never was is let
 * go of, so that connect() may be retried; nobody sleeps on it, since
 * prp_sock_lock_connected() does not use it. Return: 0 or a negative errno.
 */
static int connect_end(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn = sock_conn(prp_sk(sk));
	int err;

	if (READ_ONCE(sk->sk_state) != PRP_CLOSE || conn->peer_tag) {
		sock->state = SS_CONNECTED;
		return conn->err ? sock_error(sk) ?: -ECONNABORTED : 0;
	}
	err = sock_error(sk) ?: -ECONNABORTED;
	prp_conn_put(sock_detach(prp_sk(sk)));
	sock->state = SS_UNCONNECTED;
	return err;
}

static int prp_connect(struct socket *sock,
		       struct prp_compat_sockaddr *uaddr, int len, int flags)
{
	const struct sockaddr_prp *addr = (const void *)uaddr;
	struct sock *sk = sock->sk;
	bool fresh = false;
	int err;

	err = addr_check(addr, len);
	if (err)
		return err;
	lock_sock(sk);
	if (sock->state == SS_CONNECTED) {
		err = -EISCONN;
		goto out;
	}
	if (sock->state == SS_UNCONNECTED) {
		err = -EISCONN;
		if (prp_state_next(sk->sk_state, PRP_EV_CONNECT) < 0)
			goto out;
		err = -EADDRNOTAVAIL;
		if (!addr->sprp_addr || !addr->sprp_port)
			goto out;
		err = connect_start(sk, be16_to_cpu(addr->sprp_addr),
				    be16_to_cpu(addr->sprp_port));
		if (err)
			goto out;
		sock->state = SS_CONNECTING;
		fresh = true;
	}
	err = connect_wait(sk, sock_sndtimeo(sk, flags & O_NONBLOCK));
	if (err) {
		if (err == -EINPROGRESS && !fresh)
			err = -EALREADY;
	} else {
		err = connect_end(sock);
	}
out:
	release_sock(sk);
	return err;
}

/* Wait for a child. Return: it, with a reference, or an error pointer. */
static struct prp_conn *accept_wait(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct prp_conn *conn;
	int err = 0;

	add_wait_queue_exclusive(sk_sleep(sk), &wait);
	for (;;) {
		conn = child_pop(prp_sk(sk));
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

/* What a child has from its listener. */
static void accept_inherit(struct sock *sk, const struct sock *listener)
{
	sk->sk_sndbuf = listener->sk_sndbuf;
	sk->sk_rcvbuf = listener->sk_rcvbuf;
	sk->sk_userlocks = listener->sk_userlocks;
	sk->sk_reuse = listener->sk_reuse;
	sk->sk_priority = listener->sk_priority;
	sk->sk_mark = listener->sk_mark;
	sk->sk_rcvlowat = listener->sk_rcvlowat;
	sk->sk_rcvtimeo = listener->sk_rcvtimeo;
	sk->sk_sndtimeo = listener->sk_sndtimeo;
	sk->sk_lingertime = listener->sk_lingertime;
	if (sock_flag(listener, SOCK_LINGER))
		sock_set_flag(sk, SOCK_LINGER);
	prp_sk(sk)->timeout_ms = prp_sk(listener)->timeout_ms;
	security_sk_clone(listener, sk);
}

/* Make the child's socket. Return: 0 or a negative errno. */
static int accept_child(struct sock *listener, struct socket *newsock,
			struct prp_conn *conn, bool kern)
{
	struct prp_sock *psk;
	struct sock *sk;
	int err;

	err = prp_conn_open_tx(conn);
	if (err)
		return err;
	sk = sk_alloc(sock_net(listener), PF_PRP, GFP_KERNEL, &prp_proto,
		      kern);
	if (!sk)
		return -ENOMEM;
	sock_setup(newsock, sk);
	psk = prp_sk(sk);
	lock_sock(sk);
	accept_inherit(sk, listener);
	mutex_lock(&psk->tx_mutex);
	mutex_lock(&psk->rx_mutex);
	spin_lock_bh(&conn->lock);
	sock_attach(psk, conn);
	if (conn->err)
		prp_sock_changed(conn);	/* reset since it was popped */
	spin_unlock_bh(&conn->lock);
	mutex_unlock(&psk->rx_mutex);
	mutex_unlock(&psk->tx_mutex);
	newsock->state = SS_CONNECTED;
	release_sock(sk);
	return 0;
}

static int prp_accept(PRP_COMPAT_ACCEPT_ARGS)
{
	bool nonblock = PRP_COMPAT_ACCEPT_FLAGS & O_NONBLOCK;
	struct sock *sk = sock->sk;
	struct prp_conn *conn;
	int err = 0;

	lock_sock(sk);
	conn = accept_wait(sk, sock_rcvtimeo(sk, nonblock));
	if (IS_ERR(conn)) {
		err = PTR_ERR(conn);
		goto out;
	}
	err = accept_child(sk, newsock, conn, PRP_COMPAT_ACCEPT_KERN);
	if (err) {
		conn_reset(conn);
		prp_conn_put(conn);
	}
out:
	release_sock(sk);
	return err;
}

static int prp_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_prp *addr = (struct sockaddr_prp *)uaddr;
	struct prp_sock *psk = prp_sk(sock->sk);
	struct prp_conn *conn;
	int ret = sizeof(*addr);

	memset(addr, 0, sizeof(*addr));
	addr->sprp_family = AF_PRP;
	lock_sock(sock->sk);
	conn = sock_conn(psk);
	if (peer) {
		if (!conn ||
		    READ_ONCE(sock->sk->sk_state) != PRP_ESTABLISHED) {
			ret = -ENOTCONN;
		} else {
			addr->sprp_addr = cpu_to_be16(conn->key.peer);
			addr->sprp_port = cpu_to_be16(conn->key.rport);
		}
	} else if (conn) {
		addr->sprp_addr = cpu_to_be16(conn->self);
		addr->sprp_port = cpu_to_be16(conn->key.lport);
	} else {
		addr->sprp_addr = cpu_to_be16(psk->addr);
		if (psk->port)
			addr->sprp_port = cpu_to_be16(psk->port->number);
	}
	release_sock(sock->sk);
	return ret;
}

/* Data, room, ends and errors of a connection. */
static __poll_t poll_conn(struct socket *sock, const struct prp_conn *conn)
{
	struct sock *sk = sock->sk;
	u8 shutdown = READ_ONCE(sk->sk_shutdown);
	__poll_t mask = 0;

	if (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT)
		return 0;
	if (prp_sock_unread(prp_sk(sk), conn) >=
	    max(READ_ONCE(sk->sk_rcvlowat), 1))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (shutdown & SEND_SHUTDOWN || sock_is_writable(conn))
		return mask | EPOLLOUT | EPOLLWRNORM;
	set_bit(SOCK_NOSPACE, &sock->flags);
	smp_mb__after_atomic();	/* pairs with the lock that acks are under */
	if (sock_is_writable(conn))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

static __poll_t prp_poll(struct file *file, struct socket *sock,
			 poll_table *wait)
{
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	const struct prp_conn *conn;
	__poll_t mask = 0;
	u8 shutdown;

	sock_poll_wait(file, sock, wait);
	if (READ_ONCE(sk->sk_state) == PRP_LISTEN)
		return READ_ONCE(psk->accept_count) ?
		       EPOLLIN | EPOLLRDNORM : 0;
	shutdown = READ_ONCE(sk->sk_shutdown);
	if (shutdown == SHUTDOWN_MASK ||
	    READ_ONCE(sk->sk_state) == PRP_CLOSE)
		mask |= EPOLLHUP;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	rcu_read_lock();
	conn = rcu_dereference(psk->conn);
	if (conn)
		mask |= poll_conn(sock, conn);
	else
		mask |= EPOLLOUT | EPOLLWRNORM;
	rcu_read_unlock();
	if (READ_ONCE(sk->sk_err) || !skb_queue_empty(&sk->sk_error_queue))
		mask |= EPOLLERR;
	return mask;
}

static void shutdown_conn(struct sock *sk, struct prp_conn *conn, int how)
{
	struct prp_sock *psk = prp_sk(sk);

	mutex_lock(&psk->tx_mutex);
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	sock_wake_reader(conn);
	sk->sk_state_change(sk);
	spin_unlock_bh(&conn->lock);
	if (how & SEND_SHUTDOWN)
		prp_send_end(conn);
	mutex_unlock(&psk->tx_mutex);
}

static int prp_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn;
	int err = 0;

	how++;	/* SHUT_RD, SHUT_WR, SHUT_RDWR to bits */
	if (how < RCV_SHUTDOWN || how > SHUTDOWN_MASK)
		return -EINVAL;
	lock_sock(sk);
	conn = sock_conn(prp_sk(sk));
	switch (READ_ONCE(sk->sk_state)) {
	case PRP_ESTABLISHED:
		shutdown_conn(sk, conn, how);
		break;
	case PRP_LISTEN:
		if (how & RCV_SHUTDOWN) {
			listen_stop(sk);
			sk->sk_state_change(sk);
		}
		break;
	case PRP_CONN_WAIT:
		conn_reset(conn);
		break;
	default:
		err = -ENOTCONN;
	}
	release_sock(sk);
	return err;
}

/* SO_LINGER: wait until everything has arrived, or the time is up. */
static void release_linger(struct sock *sk, const struct prp_conn *conn)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long timeo = sk->sk_lingertime;

	if (!sock_flag(sk, SOCK_LINGER) || current->flags & PF_EXITING)
		return;
	add_wait_queue(sk_sleep(sk), &wait);
	for (;;) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		smp_mb__after_atomic();	/* pairs with prp_sock_writable() */
		if (!timeo || signal_pending(current) ||
		    READ_ONCE(conn->snd.una) == READ_ONCE(conn->tx_end) ||
		    READ_ONCE(conn->state) != PRP_ESTABLISHED)
			break;
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
}

/* Does closing lose something that the peer believes delivered? */
static bool release_loses(struct sock *sk, const struct prp_conn *conn)
{
	return prp_sock_unread(prp_sk(sk), conn) ||
	       (sock_flag(sk, SOCK_LINGER) && !sk->sk_lingertime);
}

/* What was a socket's connection goes on alone until all has arrived. */
static void release_orphan(struct prp_conn *conn)
{
	struct prp_net *pn = conn->pn;

	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	if (conn->state == PRP_ESTABLISHED) {
		conn->orphan = true;
		prp_mib_inc(pn, PRP_MIB_ORPHANS_MADE);
		if (atomic_inc_return(&pn->orphans) > PRP_ORPHANS_MAX ||
		    !skb_queue_empty(&conn->rx_queue)) {
			prp_mib_inc(pn, PRP_MIB_ORPHANS_KILLED);
			__prp_xmit_reset(conn, PRP_RESET_ABORTED);
			__prp_conn_abort(conn, 0);
		} else {
			__prp_recovery_orphan(conn);
		}
	}
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
	prp_conn_put(conn);
}

static int prp_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn;
	struct prp_sock *psk;

	if (!sk)
		return 0;
	psk = prp_sk(sk);
	lock_sock(sk);
	conn = sock_conn(psk);
	if (sk->sk_state == PRP_LISTEN) {
		listen_stop(sk);
	} else if (conn) {
		if (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT ||
		    release_loses(sk, conn)) {
			conn_reset(conn);
		} else {
			shutdown_conn(sk, conn, SHUTDOWN_MASK);
			release_linger(sk, conn);
		}
	}
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	conn = sock_detach(psk);
	prp_port_release(prp_net(sock_net(sk)), psk);
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
	sock_orphan(sk);
	sock->sk = NULL;
	release_sock(sk);
	if (conn)
		release_orphan(conn);
	sock_put(sk);
	return 0;
}

static int prp_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct prp_sock *psk = prp_sk(sock->sk);
	const struct prp_conn *conn;
	u64 amount = 0;

	if (cmd != SIOCINQ && cmd != SIOCOUTQ && cmd != SIOCOUTQNSD)
		return -ENOIOCTLCMD;
	if (READ_ONCE(sock->sk->sk_state) == PRP_LISTEN)
		return -EINVAL;
	rcu_read_lock();
	conn = rcu_dereference(psk->conn);
	if (conn && cmd == SIOCINQ)
		amount = prp_sock_unread(psk, conn);
	else if (conn)
		amount = prp_conn_unacked((struct prp_conn *)conn,
					  cmd == SIOCOUTQNSD);
	rcu_read_unlock();
	return put_user((int)min_t(u64, amount, INT_MAX), (int __user *)arg);
}

static const struct proto_ops prp_stream_ops = {
	.family		= PF_PRP,
	.owner		= THIS_MODULE,
	.release	= prp_release,
	.bind		= prp_bind,
	.connect	= prp_connect,
	.socketpair	= sock_no_socketpair,
	.accept		= prp_accept,
	.getname	= prp_getname,
	.poll		= prp_poll,
	.ioctl		= prp_ioctl,
	.listen		= prp_listen,
	.shutdown	= prp_shutdown,
	.setsockopt	= prp_setsockopt,
	.getsockopt	= prp_getsockopt,
	.sendmsg	= prp_sendmsg,
	.recvmsg	= prp_recvmsg,
	.mmap		= sock_no_mmap,
	PRP_COMPAT_SENDPAGE
};

static struct lock_class_key prp_slock_key, prp_sklock_key;

static int prp_create(struct net *net, struct socket *sock, int protocol,
		      int kern)
{
	struct sock *sk;

	if (sock->type != SOCK_STREAM)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sk = sk_alloc(net, PF_PRP, GFP_KERNEL, &prp_proto, kern);
	if (!sk)
		return -ENOMEM;
	sock->ops = &prp_stream_ops;
	sock_setup(sock, sk);
	sock_lock_init_class_and_name(sk, "slock-AF_PRP", &prp_slock_key,
				      "sk_lock-AF_PRP", &prp_sklock_key);
	return 0;
}

static const struct net_proto_family prp_family = {
	.family	= PF_PRP,
	.create	= prp_create,
	.owner	= THIS_MODULE,
};

/**
 * prp_sock_init() - let programs make sockets of ours
 *
 * Return: 0 or a negative errno.
 */
int prp_sock_init(void)
{
	int err = proto_register(&prp_proto, 1);

	if (err)
		return err;
	err = sock_register(&prp_family);
	if (err)
		proto_unregister(&prp_proto);
	return err;
}

/**
 * prp_sock_exit() - no sockets of ours any more
 */
void prp_sock_exit(void)
{
	sock_unregister(PF_PRP);
	proto_unregister(&prp_proto);
}
