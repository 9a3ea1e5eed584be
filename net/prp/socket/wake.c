// SPDX-License-Identifier: GPL-2.0
/*
 * What a connection tells the socket that uses it: its state, data, room.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>

#include "compat/compat.h"
#include "inet/inet.h"
#include "socket/sock.h"
#include "socket/starve.h"
#include "socket/tune.h"
#include "transport/account.h"

/**
 * prp_wake_wait_connected() - wait while a request is not answered
 * @sk: socket; the caller holds none of its locks
 * @timeo: jiffies to wait, reduced by those waited
 *
 * Return: 0 once it is answered or given up; -EAGAIN, or why the wait was
 * interrupted.
 */
int prp_wake_wait_connected(struct sock *sk, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	smp_mb(); /* pairs with skwq_has_sleeper() of who wakes */
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

/* Wake who sleeps. Should he exit before he is woken, BH that are off keep his
 * task as an RCU reader does.
 */
static noinline void wake_task(struct task_struct *task)
{
	struct wait_queue_entry reader = { .private = task };

	default_wake_function(&reader, TASK_INTERRUPTIBLE, PRP_COMPAT_WF_SYNC,
			      NULL);
}

/**
 * prp_wake_reader() - wake the program that sleeps in recv()
 * @conn: connection, its lock held; there may be no such program
 */
void prp_wake_reader(struct prp_conn *conn)
{
	struct task_struct *reader = conn->reader;

	lockdep_assert_held(&conn->lock);
	if (!reader)
		return;
	WRITE_ONCE(conn->reader, NULL); /* first: who sees it does not sleep */
	wake_task(reader);
}

/**
 * prp_wake_changed() - a connection has changed its state
 * @conn: connection, its lock held
 *
 * Mirrors the state into the socket and wakes everybody; not so if the IP
 * mode falls back to TCP.
 */
void prp_wake_changed(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (!sk)
		return;
	if (prp_sk(sk)->inet && prp_inet_connect_changed(prp_sk(sk), conn))
		return;
	/* why it ended comes first: who sees that it did asks for the reason */
	if (conn->err)
		WRITE_ONCE(prp_front(sk)->sk_err, conn->err);
	smp_wmb(); /* pairs with prp_sendmsg() and prp_connect_end() */
	WRITE_ONCE(sk->sk_state, conn->state);
	if (conn->state == PRP_CLOSE)
		WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	if (conn->err)
		sk_error_report(sk);
	prp_wake_reader(conn);
	sk->sk_state_change(sk);
	if (conn->state == PRP_ESTABLISHED)
		sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
}

/**
 * prp_wake_unanswered() - a request has had no answer for a while
 * @conn: connection in PRP_CONN_WAIT, its lock held
 */
void prp_wake_unanswered(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (sk && prp_sk(sk)->inet && !conn->only_prp)
		prp_inet_race_unanswered(prp_sk(sk), conn);
}

/**
 * prp_wake_answered() - an answer has come that is not to be taken now
 * @conn: connection that is raced, its lock held
 */
void prp_wake_answered(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (sk)
		prp_inet_race_answered(prp_sk(sk), conn);
}

/* Has the reader enough, as far as it has said what it took? If not it will
 * see, and say, what is left to the peer: prp_deliver_leave().
 */
static bool wake_has_enough(const struct prp_sock *psk,
			    const struct prp_conn *conn)
{
	if (likely(!conn->messages && READ_ONCE(psk->sk.sk_rcvlowat) == 1))
		return true;
	smp_mb(); /* pairs with prp_deliver_leave() */
	if (conn->messages)
		return READ_ONCE(conn->rx.messages) !=
		       READ_ONCE(psk->rd_messages);
	return prp_sock_unread(psk, conn) >= READ_ONCE(psk->sk.sk_rcvlowat);
}

/**
 * prp_wake_readable() - data or the end of the stream has arrived in order
 * @conn: connection, its lock held
 */
void prp_wake_readable(struct prp_conn *conn)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (!sk)
		return;
	if (unlikely(conn->peer_end)) {
		smp_wmb(); /* rx.bytes before the end: deliver_read() */
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
		sk->sk_state_change(sk);
	}
	sk_incoming_cpu_update(prp_front(sk));
	conn->rx.wants = !wake_has_enough(prp_sk(sk), conn);
	/* who sleeps in recv() may have taken all but a few bytes already */
	prp_wake_reader(conn);
	if (prp_sock_is_readable(prp_sk(sk), conn) || conn->peer_end)
		sk->sk_data_ready(sk);
}

/**
 * prp_wake_starved() - a segment was dropped for memory
 * @conn: connection, its lock held
 *
 * What a reader or poll() waits for may never be here as a whole: it is to
 * have what there is.
 */
void prp_wake_starved(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	WRITE_ONCE(conn->rx.starved, true);
	if (conn->sk && prp_sock_unread(prp_sk(conn->sk), conn))
		prp_wake_readable(conn);
}

/**
 * prp_wake_retry_rx() - readers who were refused may try again
 * @psk: socket, its rx_mutex free by now
 */
void prp_wake_retry_rx(struct prp_sock *psk)
{
	WRITE_ONCE(psk->rx_busy, false);
	psk->sk.sk_data_ready(&psk->sk);
}

/**
 * prp_wake_retry_tx() - writers who were refused may try again
 * @psk: socket, its tx_mutex free by now
 */
void prp_wake_retry_tx(struct prp_sock *psk)
{
	WRITE_ONCE(psk->tx_busy, false);
	psk->sk.sk_write_space(&psk->sk);
}

/* Is half of what may wait to be sent there, or more? As TCP has it. */
static bool wake_is_behind(const struct prp_conn *conn)
{
	u32 lowat = READ_ONCE(conn->tx.notsent_lowat);

	return unlikely(lowat) && 2ULL * prp_account_unsent(conn) >= lowat;
}

/* Are a third of the buffer and a quarter of the slots free? Of the slots half
 * for messages, so that there is room for any of them.
 */
static bool wake_has_room(const struct sock *sk, const struct prp_conn *conn)
{
	return READ_ONCE(conn->tx.bytes) < prp_sndbuf(sk) / 3 * 2 &&
	       READ_ONCE(conn->tx.end) - READ_ONCE(conn->snd.una) <
		       (conn->messages ? PRP_TXQ / 2 : PRP_TXQ * 3 / 4) &&
	       !wake_is_behind(conn);
}

/**
 * prp_wake_is_writable() - may a writer go on without waiting?
 * @psk: socket
 * @conn: its connection
 *
 * Return: true if there is room in the socket's buffer, and memory for the
 * message that was refused last, or else for some bytes.
 */
bool prp_wake_is_writable(const struct prp_sock *psk,
			  const struct prp_conn *conn)
{
	return wake_has_room(&psk->sk, conn) && prp_starve_is_fed(psk, conn);
}

/**
 * prp_wake_writable() - queued segments have been acknowledged, or sent
 * @conn: connection, its lock held
 * @held: tx.bytes before they were acknowledged, else 0
 */
void prp_wake_writable(struct prp_conn *conn, u32 held)
{
	struct sock *sk = conn->sk;

	lockdep_assert_held(&conn->lock);
	if (!sk || !sk->sk_socket)
		return;
	smp_mb(); /* who sets SOCK_NOSPACE from now on sees the room */
	if (!test_bit(SOCK_NOSPACE, &sk->sk_socket->flags))
		return;
	__prp_tune_full(prp_sk(sk), conn, held);
	if (!wake_has_room(sk, conn))
		return;
	/* Who went to sleep for room has not asked for memory, and close(),
	 * which waits until all has arrived, wants none.
	 */
	if (conn->snd.una != conn->tx.end &&
	    !prp_starve_is_fed(prp_sk(sk), conn) &&
	    !prp_starve_wait(prp_sk(sk), conn))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	sk->sk_write_space(sk);
}

/**
 * prp_wake_write_space() - sk_write_space: wake writers
 * @sk: socket
 *
 * The kernel calls it, too, when SO_SNDBUF has changed.
 */
void prp_wake_write_space(struct sock *sk)
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
