// SPDX-License-Identifier: GPL-2.0
/*
 * connect(): makes the connection, has the handshake send the request, and
 * waits for what becomes of it.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "inet/inet.h"
#include "network/access.h"
#include "network/hop.h"
#include "network/route.h"
#include "pure/state.h"
#include "socket/sock.h"
#include "transport/conn_table.h"
#include "transport/handshake.h"

#define PORT_TRIES 16

/* A connection that frames find, with a reference; its own port is filled in
 * by @key, too. Return: it, or an error pointer: -EADDRNOTAVAIL if there is one
 * with the same two ends.
 */
static struct prp_conn *connect_hashed(struct prp_sock *psk, u16 self,
				       union prp_conn_key *key,
				       const struct prp_conn_ip *ip)
{
	struct prp_net *pn = prp_net(sock_net(&psk->sk));
	struct prp_conn *conn;
	int err;

	key->lport = psk->port->number;
	if (key->peer == self && key->rport == key->lport)
		return ERR_PTR(-ECONNREFUSED); /* nobody listens: that is we */
	conn = prp_conn_alloc(pn, self, key, GFP_KERNEL);
	if (!conn)
		return ERR_PTR(-ENOMEM);
	conn->port = prp_port_conn_get(psk);
	if (ip)
		conn->ip = kmemdup(ip, sizeof(*ip), GFP_KERNEL_ACCOUNT);
	err = ip && !conn->ip ? -ENOMEM : prp_conn_table_add(conn);
	if (err) {
		prp_conn_put(conn);
		return ERR_PTR(err);
	}
	return conn;
}

/* The same, with an automatic port if it has none. Another client may be given
 * the same one, and be first.
 */
static struct prp_conn *connect_conn(struct prp_sock *psk, u16 self,
				     union prp_conn_key *key,
				     const struct prp_conn_ip *ip)
{
	struct prp_net *pn = prp_net(sock_net(&psk->sk));
	struct prp_conn *conn;
	int err, tries = PORT_TRIES;

	do {
		if (!psk->port) {
			err = prp_port_bind_client(pn, psk, key);
			if (err)
				return ERR_PTR(err);
			psk->port_auto = true;
		}
		conn = connect_hashed(psk, self, key, ip);
		if (conn != ERR_PTR(-EADDRNOTAVAIL) || !psk->port_auto)
			break;
		prp_port_release(pn, psk);
	} while (--tries);
	return conn;
}

/**
 * prp_connect_start() - make the connection and send the request
 * @sk: socket in PRP_CLOSE without a connection, its sk_lock held
 * @node: node number
 * @port: port there
 * @ip: addresses of the two ends in the IP mode, else NULL
 *
 * Return: 0 or a negative errno.
 */
int prp_connect_start(struct sock *sk, u16 node, u16 port,
		      const struct prp_conn_ip *ip)
{
	struct prp_net *pn = prp_net(sock_net(sk));
	struct prp_sock *psk = prp_sk(sk);
	union prp_conn_key key = { .peer = node, .rport = port };
	const struct prp_table *table;
	struct prp_node was = {};
	struct prp_conn *conn;
	struct prp_hop hop;
	bool direct;
	u16 mtu, self;
	int err;

	rcu_read_lock();
	table = rcu_dereference(pn->table);
	if (prp_table_node(table, node))
		was = *prp_table_node(table, node);
	err = prp_access_refuses_rcu(pn, PRP_DIRECTION_OUT, port, node) ?
		      -EPERM :
		      prp_hop_rcu(pn, node, PRP_RAIL_ANY, &hop);
	mtu = prp_hop_mtu_rcu(pn, node);
	self = table->self;
	direct = prp_route_is_direct(table, node);
	rcu_read_unlock();
	if (err)
		return err;
	if (mtu < PRP_MTU_MIN)
		return -ENETUNREACH;
	if (psk->addr && psk->addr != self)
		return -EADDRNOTAVAIL;
	conn = connect_conn(psk, self, &key, ip);
	if (IS_ERR(conn))
		return PTR_ERR(conn);

	mutex_lock(&psk->tx_mutex);
	mutex_lock(&psk->rx_mutex);
	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(sk->sk_shutdown, 0);
	WRITE_ONCE(prp_front(sk)->sk_err, 0);
	conn->handshake.asked_size = mtu - sizeof(struct prp_hdr);
	prp_conn_set_seg_size(conn, conn->handshake.asked_size);
	conn->messages = sk->sk_type == SOCK_SEQPACKET;
	conn->handshake.wants_checksum = psk->checksum || !direct;
	conn->only_prp = psk->inet && psk->inet->required;
	prp_sock_attach(psk, conn);
	__prp_handshake_connect(conn);
	/* a table published since the look-up has not seen us in this state */
	table = rcu_dereference(pn->table);
	if (table->self != self || !prp_table_node(table, node) ||
	    !prp_node_shares_rail(&was, prp_table_node(table, node)))
		__prp_conn_abort(conn, EHOSTUNREACH);
	prp_wake_changed(conn);
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
	prp_sock_unlock_rx(psk);
	prp_sock_unlock_tx(psk);
	return 0;
}

/**
 * prp_connect_wait() - wait until the request is answered
 * @sk: socket, its sk_lock held
 * @timeo: jiffies to wait, reduced by those waited
 *
 * Return: 0, -EINPROGRESS, or why the wait was interrupted.
 */
int prp_connect_wait(struct sock *sk, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	smp_mb(); /* pairs with skwq_has_sleeper() of who wakes */
	while (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT) {
		err = -EINPROGRESS;
		if (!*timeo)
			break;
		err = sock_intr_errno(*timeo);
		if (signal_pending(current))
			break;
		err = 0;
		release_sock(sk);
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
		lock_sock(sk);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/**
 * prp_connect_end() - the request was answered or given up
 * @sock: socket that was in SS_CONNECTING, its sk_lock held
 *
 * A connection that never was, or was reset before anybody looked, is let go
 * of, so that connect() may be retried; who sleeps on it has been told so. Of
 * several threads that wait in connect() the first one does so; the others are
 * told ECONNABORTED.
 *
 * Return: 0 or a negative errno.
 */
int prp_connect_end(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn = prp_sock_conn(prp_sk(sk));
	int err;

	if (!conn)
		return sock_error(prp_front(sk)) ?: -ECONNABORTED;
	if (READ_ONCE(sk->sk_state) != PRP_CLOSE) {
		sock->state = SS_CONNECTED;
		return 0;
	}
	smp_rmb(); /* pairs with prp_wake_changed(): why, then the end */
	if (conn->peer_tag && !conn->err) {
		sock->state = SS_CONNECTED;
		return 0;
	}
	err = sock_error(prp_front(sk)) ?: -ECONNABORTED;
	prp_conn_put(prp_sock_detach(prp_sk(sk)));
	WRITE_ONCE(sk->sk_shutdown, 0);
	sock->state = SS_UNCONNECTED;
	return err;
}

/**
 * prp_connect_give_up() - nobody waits for the answer any more
 * @sk: socket in PRP_CONN_WAIT, its sk_lock held
 *
 * As TCP has it: who sleeps is told ECONNRESET, and the socket may connect
 * again at once.
 */
void prp_connect_give_up(struct sock *sk)
{
	struct prp_conn *conn = prp_sock_conn(prp_sk(sk));

	WRITE_ONCE(prp_front(sk)->sk_err, ECONNRESET);
	if (conn) {
		/* Its answer may have come by now, and somebody may sleep on
		 * it: he is told before it is taken away.
		 */
		prp_handshake_abort(conn, 0);
		prp_conn_put(prp_sock_detach(prp_sk(sk)));
		WRITE_ONCE(sk->sk_shutdown, 0);
	}
	sk->sk_socket->state = SS_UNCONNECTED;
	smp_wmb(); /* pairs with prp_sendmsg(): the end, then why */
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
	sk_error_report(sk);
	sk->sk_state_change(sk);
}

/**
 * prp_connect() - connect()
 * @sock: socket
 * @uaddr: struct sockaddr_prp
 * @len: its length
 * @flags: O_NONBLOCK is known
 *
 * Return: 0 or a negative errno; Documentation/networking/prp.rst lists them.
 */
int prp_connect(struct socket *sock, struct prp_compat_sockaddr *uaddr, int len,
		int flags)
{
	const struct sockaddr_prp *addr = (const void *)uaddr;
	struct sock *sk = sock->sk;
	bool fresh = false;
	long timeo;
	int err;

	err = prp_sock_check_addr(addr, len);
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
		err = prp_connect_start(sk, be16_to_cpu(addr->sprp_addr),
					be16_to_cpu(addr->sprp_port), NULL);
		if (err)
			goto out;
		sock->state = SS_CONNECTING;
		fresh = true;
	}
	timeo = sock_sndtimeo(sk, flags & O_NONBLOCK);
	err = prp_connect_wait(sk, &timeo);
	if (err) {
		if (err == -EINPROGRESS && !fresh)
			err = -EALREADY;
	} else {
		err = prp_connect_end(sock);
	}
out:
	release_sock(sk);
	return err;
}
