// SPDX-License-Identifier: GPL-2.0
/*
 * How a program ends a connection: shutdown(), close(), and the orphan that
 * delivers what is left.
 */
#include <linux/sched/signal.h>

#include "pure/state.h"
#include "socket/keepalive.h"
#include "socket/sock.h"
#include "socket/starve.h"
#include "transport/handshake.h"
#include "transport/orphan.h"
#include "transport/output.h"
#include "transport/watch.h"
#include "transport/xmit.h"

/* shared: others may sleep on the socket, and are told */
static void shutdown_conn(struct sock *sk, struct prp_conn *conn, int how,
			  bool shared)
{
	struct prp_sock *psk = prp_sk(sk);

	mutex_lock(&psk->tx_mutex);
	spin_lock_bh(&conn->lock);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	if (shared) {
		prp_wake_reader(conn);
		sk->sk_state_change(sk);
	}
	if (how & SEND_SHUTDOWN)
		__prp_output_end(conn);
	prp_output_unlock(conn);
	prp_sock_unlock_tx(psk);
}

/**
 * prp_shutdown() - shutdown()
 * @sock: socket
 * @how: SHUT_RD, SHUT_WR or SHUT_RDWR
 *
 * Return: 0, -EINVAL or -ENOTCONN.
 */
int prp_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn;
	int err = 0;

	how++; /* SHUT_RD, SHUT_WR, SHUT_RDWR to bits */
	if (how < RCV_SHUTDOWN || how > SHUTDOWN_MASK)
		return -EINVAL;
	lock_sock(sk);
	conn = prp_sock_conn(prp_sk(sk));
	switch (READ_ONCE(sk->sk_state)) {
	case PRP_ESTABLISHED:
		shutdown_conn(sk, conn, how, true);
		break;
	case PRP_LISTEN:
		if (how & RCV_SHUTDOWN) {
			prp_accept_stop(sk);
			sk->sk_state_change(sk);
		}
		break;
	case PRP_CONN_WAIT:
		prp_connect_give_up(sk);
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
	long timeo = prp_front(sk)->sk_lingertime;

	if (!sock_flag(prp_front(sk), SOCK_LINGER) ||
	    current->flags & PF_EXITING)
		return;
	add_wait_queue(sk_sleep(sk), &wait);
	for (;;) {
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		smp_mb__after_atomic(); /* pairs with prp_wake_writable() */
		if (!timeo || signal_pending(current) ||
		    READ_ONCE(conn->snd.una) == READ_ONCE(conn->tx.end) ||
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
	       (sock_flag(prp_front(sk), SOCK_LINGER) &&
		!prp_front(sk)->sk_lingertime);
}

/* What was a socket's connection goes on alone until all has arrived. */
static void release_orphan(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	prp_mib_inc(conn->pn, PRP_MIB_ORPHANS_MADE);
	if (__prp_orphan_add(conn)) {
		__prp_watch_orphan(conn);
		return;
	}
	prp_mib_inc(conn->pn, PRP_MIB_ORPHANS_KILLED);
	__prp_handshake_abort(conn, 0);
}

/* A socket leaves its connection, to which more may have come just now. */
static void release_conn(struct prp_conn *conn)
{
	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	if (conn->state != PRP_ESTABLISHED)
		goto unlock;
	__prp_conn_event(conn, PRP_EV_RELEASE);
	if (!skb_queue_empty(&conn->rx.queue)) {
		__prp_handshake_abort(conn, 0);
	} else if (__prp_conn_is_over(conn, true)) {
		if (conn->ack.pending)
			__prp_xmit_ack(conn);
		__prp_conn_finish(conn);
	} else {
		release_orphan(conn);
	}
unlock:
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
	prp_conn_put(conn);
}

/**
 * prp_release() - close()
 * @sock: socket, its last descriptor is gone
 *
 * Return: 0.
 */
int prp_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn;
	struct prp_sock *psk;

	if (!sk)
		return 0;
	psk = prp_sk(sk);
	lock_sock(sk);
	conn = prp_sock_conn(psk);
	if (sk->sk_state == PRP_LISTEN) {
		prp_accept_stop(sk);
	} else if (conn) {
		if (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT ||
		    release_loses(sk, conn)) {
			prp_handshake_abort(conn, 0);
		} else {
			shutdown_conn(sk, conn, SHUTDOWN_MASK, false);
			release_linger(sk, conn);
		}
	}
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	conn = prp_sock_detach(psk);
	prp_keepalive_end(sk);
	prp_starve_forget(psk);
	prp_port_release(prp_net(sock_net(sk)), psk);
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
	prp_sock_unlist(psk);
	sock_orphan(sk);
	sock->sk = NULL;
	release_sock(sk);
	if (conn)
		release_conn(conn);
	sock_put(sk);
	return 0;
}
