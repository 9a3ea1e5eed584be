// SPDX-License-Identifier: GPL-2.0
/*
 * From segments in order to the program: recvmsg(). A reader takes all that
 * has arrived off the connection at once and copies outside of its lock.
 */
#include <linux/sched/signal.h>

#include "socket/busy_poll.h"
#include "socket/deliver.h"
#include "socket/sock.h"
#include "socket/tune.h"
#include "socket/zerocopy.h"
#include "transport/account.h"
#include "transport/cgroup.h"
#include "transport/lull.h"
#include "transport/output.h"
#include "transport/receive.h"
#include "transport/xmit.h"

/* Tell the connection what was read, and the peer if that opens the window by
 * a quarter; any: if the peer waits for any room at all.
 */
static void deliver_settle(struct prp_sock *psk, struct prp_conn *conn,
			   bool any)
{
	u32 full, open, window;

	lockdep_assert_held(&conn->lock);
	conn->rx.mem -= psk->rd_freed;
	__prp_tune_read(psk, conn);
	psk->rd_freed = 0;
	__prp_account_settle(conn);
	if (conn->pool && conn->state == PRP_ESTABLISHED) /* for long? */
		__prp_timers_due(conn, conn->tx.idle_tick);
	__prp_cgroup_settle(conn);
	if (conn->state != PRP_ESTABLISHED || conn->peer_end)
		return;
	if (unlikely(conn->rx.most < conn->rx.rcvbuf))
		__prp_account_widen(conn);
	/* when all has been read the next one is taken in any case */
	if (unlikely(conn->ack.told_overrun) &&
	    (!conn->rx.mem ||
	     __prp_account_has_rx(conn, 1U << conn->rx.shift))) {
		prp_ack_memory_again(&conn->ack);
		prp_rcv_open(&conn->rcv, __prp_conn_window(conn));
		__prp_xmit_ack(conn);
		return;
	}
	full = any ? 0 : prp_rx_window_empty(conn->rx.most, conn->rx.shift);
	open = conn->rcv.edge - conn->rcv.nxt;
	window = __prp_conn_window(conn);
	if (unlikely(conn->rx.kept) && open <= window)
		conn->rx.kept = 0;
	/* a sender that can go on for half a window needs no telling */
	if ((open && open >= full / 2) || window < open + max(full / 4, 1U))
		return;
	prp_rcv_open(&conn->rcv, window); /* however little, if that is all */
	__prp_xmit_ack(conn);
}

/**
 * prp_deliver_take() - take over what is in order
 * @psk: socket, its rx_mutex held
 * @conn: its connection
 */
void prp_deliver_take(struct prp_sock *psk, struct prp_conn *conn)
{
	bool changed;

	spin_lock_bh(&conn->lock);
	changed = prp_rx_set_rcvbuf(&conn->rx, prp_rcvbuf(&psk->sk));
	skb_queue_splice_tail_init(&conn->rx.queue, &psk->rd);
	if (unlikely(changed) || prp_deliver_must_settle(psk, conn))
		deliver_settle(psk, conn, false);
	spin_unlock_bh(&conn->lock);
}

/**
 * prp_deliver_leave() - what is left may be too little for the program
 * @psk: socket, its rx_mutex held
 * @conn: its connection
 *
 * If the peer waits for any room at all, or for memory, it is told of it.
 * Otherwise both would wait for each other.
 */
void prp_deliver_leave(struct prp_sock *psk, struct prp_conn *conn)
{
	smp_mb(); /* pairs with wake_has_enough() */
	if (READ_ONCE(conn->rcv.edge) != READ_ONCE(conn->rcv.nxt) &&
	    !READ_ONCE(conn->ack.told_overrun))
		return;
	spin_lock_bh(&conn->lock);
	deliver_settle(psk, conn, true);
	spin_unlock_bh(&conn->lock);
}

/**
 * prp_deliver_accepted() - a connection has its socket, and so its buffer
 * @psk: socket, its rx_mutex held
 * @conn: its connection
 *
 * What was promised before may be less than a peer begins with, or nothing.
 */
void prp_deliver_accepted(struct prp_sock *psk, struct prp_conn *conn)
{
	u32 open;

	spin_lock_bh(&conn->lock);
	open = conn->rcv.edge - conn->rcv.nxt;
	if (open < PRP_CWND_FIRST || conn->ack.told_overrun)
		deliver_settle(psk, conn, !open);
	spin_unlock_bh(&conn->lock);
}

/**
 * prp_deliver_asked() - the program asks how much has arrived
 * @conn: its connection
 *
 * It may ask until there is enough: the peer is told of any room at all.
 */
void prp_deliver_asked(struct prp_conn *conn)
{
	u16 window;

	if (READ_ONCE(conn->rcv.edge) != READ_ONCE(conn->rcv.nxt))
		return;
	spin_lock_bh(&conn->lock);
	window = __prp_conn_window(conn);
	if (conn->state == PRP_ESTABLISHED && !conn->peer_end && window &&
	    conn->rcv.edge == conn->rcv.nxt) {
		prp_rcv_open(&conn->rcv, window);
		__prp_xmit_ack(conn);
	}
	spin_unlock_bh(&conn->lock);
}

/* Copy from what was taken over; a peeking reader leaves the first bytes out.
 * If last is not NULL it is set to the last segment of these. Return: bytes, or
 * a negative errno if the first byte could not be copied.
 */
static __always_inline ssize_t deliver_copy(struct prp_sock *psk,
					    struct prp_conn *conn,
					    struct msghdr *msg, size_t len,
					    int flags, size_t skip,
					    struct sk_buff **last)
{
	struct sk_buff *skb, *next;
	size_t done = 0;

	skb_queue_walk_safe(&psk->rd, skb, next)
	{
		u32 at = prp_skb_cb(skb)->read;
		size_t n;

		if (unlikely(skip)) {
			n = min_t(size_t, skb->len - at, skip);
			skip -= n;
			at += n;
			if (at == skb->len)
				continue;
		}
		n = min_t(size_t, skb->len - at, len - done);
		if (!n)
			break;
		if (!(flags & MSG_TRUNC) && prp_deliver_bytes(skb, at, msg, n))
			return done ?: -EFAULT;
		if (unlikely(last))
			prp_deliver_note(last, skb);
		done += n;
		if (flags & MSG_PEEK)
			continue;
		prp_skb_cb(skb)->read += n;
		WRITE_ONCE(psk->rd_bytes, psk->rd_bytes + n);
		if (at + n == skb->len) {
			prp_deliver_free(psk, conn, skb);
			next = skb_peek(&psk->rd);
			if (!next)
				break;
		}
	}
	return done;
}

/**
 * prp_deliver_over() - why a reader that has got nothing does not wait
 * @sk: socket, its rx_mutex held
 * @conn: its connection, or NULL
 *
 * Return: 1 for the end of the stream, a negative errno, or 0 if it should
 * wait.
 */
int prp_deliver_over(struct sock *sk, const struct prp_conn *conn)
{
	/* the peer's end stays the end, whatever comes behind it */
	if (conn && smp_load_acquire(&conn->peer_end))
		return 1;
	if (READ_ONCE(prp_front(sk)->sk_err))
		return sock_error(prp_front(sk));
	if (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
		return 1;
	if (!conn || READ_ONCE(sk->sk_state) == PRP_CLOSE)
		return -ENOTCONN;
	return 0;
}

/* Register as the reader to be woken, unless there is something new. The
 * first one is woken directly, without the detour through the wait queue
 * that poll() and further readers take: 0.4 thousand instructions of a round
 * trip. Return: true if registered.
 */
static bool deliver_register(struct sock *sk, struct prp_conn *conn, u64 seen)
{
	struct prp_sock *psk = prp_sk(sk);
	bool idle;

	spin_lock_bh(&conn->lock);
	if (prp_deliver_must_settle(psk, conn))
		deliver_settle(psk, conn, false);
	/* getsockopt() takes sk_err away without the lock */
	idle = conn->rx.bytes == seen && !READ_ONCE(prp_front(sk)->sk_err) &&
	       !conn->reader && !(sk->sk_shutdown & RCV_SHUTDOWN);
	if (idle)
		conn->reader = current;
	spin_unlock_bh(&conn->lock);
	return idle;
}

/* Sleep until prp_wake_reader(), a signal, or the time is up. */
static void deliver_sleep(struct prp_conn *conn, long *timeo)
{
	set_current_state(TASK_INTERRUPTIBLE);
	if (READ_ONCE(conn->reader) == current && !signal_pending(current))
		*timeo = schedule_timeout(*timeo);
	__set_current_state(TASK_RUNNING);
	if (READ_ONCE(conn->reader) != current)
		return;
	spin_lock_bh(&conn->lock);
	if (conn->reader == current)
		conn->reader = NULL;
	spin_unlock_bh(&conn->lock);
}

/* Sleep on the wait queue, as one of several readers. */
static void deliver_queue(struct sock *sk, struct prp_conn *conn, u64 seen,
			  long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	smp_mb(); /* pairs with skwq_has_sleeper() of who wakes */
	if (READ_ONCE(conn->rx.bytes) == seen &&
	    !READ_ONCE(prp_front(sk)->sk_err) &&
	    !(READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN))
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
	remove_wait_queue(sk_sleep(sk), &wait);
}

/**
 * prp_deliver_wait() - wait until more has arrived, or something has happened
 * @sk: socket, its rx_mutex held, which is dropped meanwhile
 * @conn: its connection
 * @seen: prp_conn.rx.bytes that the caller has seen
 * @timeo: jiffies to wait, reduced by those waited
 *
 * Return: 0, -EAGAIN, or why the wait was interrupted.
 */
int prp_deliver_wait(struct sock *sk, struct prp_conn *conn, u64 seen,
		     long *timeo)
{
	struct prp_sock *psk = prp_sk(sk);
	bool direct;

	if (unlikely(prp_lull_waits(conn)))
		prp_output_let_go(conn);
	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	direct = deliver_register(sk, conn, seen);
	psk->rx_sleepers++;
	prp_sock_unlock_rx(psk);
	if (prp_busy_poll_is_on(sk))
		prp_busy_poll_wait(sk, conn, seen);
	if (direct)
		deliver_sleep(conn, timeo);
	else
		deliver_queue(sk, conn, seen, timeo);
	mutex_lock(&psk->rx_mutex);
	prp_sock_slept(psk, &psk->rx_sleepers);
	return 0;
}

/* Wait for what a peeking reader wants to see at once, or as much of it as
 * there is room for, then show it: from SO_PEEK_OFF on, where that is set.
 */
static noinline ssize_t deliver_peek(struct sock *sk, struct prp_conn *conn,
				     struct msghdr *msg, size_t len, int flags,
				     long timeo, struct sk_buff **last)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	size_t skip = max(sk_peek_offset(prp_front(sk), flags), 0);
	struct prp_sock *psk = prp_sk(sk);
	ssize_t n;
	int err = 0;
	u64 seen;

	for (;;) {
		bool over = prp_deliver_has_ended(sk);

		seen = READ_ONCE(conn->rx.bytes);
		if (seen - psk->rd_bytes >= skip + target || err ||
		    (seen - psk->rd_bytes > skip &&
		     (over || prp_conn_is_stuck(conn))))
			break;
		if (over) {
			err = prp_deliver_over(sk, conn);
			continue;
		}
		prp_deliver_leave(psk, conn); /* it looks, and takes nothing */
		err = prp_deliver_wait(sk, conn, seen, &timeo);
	}
	if (seen - psk->rd_bytes <= skip)
		return err == 1 ? 0 : err;
	prp_deliver_take(psk, conn);
	n = deliver_copy(psk, conn, msg, len, flags, skip, last);
	if (n > 0)
		sk_peek_offset_fwd(prp_front(sk), n);
	if (n < (ssize_t)len)
		prp_deliver_leave(psk, conn); /* it may look again for more */
	return n;
}

/* Is so much what a call waits for? Wherever it has nothing, it is not. */
static bool deliver_is_enough(const struct sock *sk, size_t done, size_t len,
			      int flags)
{
	return done >= sock_rcvlowat(sk, flags & MSG_WAITALL, len);
}

static ssize_t deliver_read(struct sock *sk, struct prp_conn *conn,
			    struct msghdr *msg, size_t len, int flags,
			    long timeo, struct sk_buff **last)
{
	struct prp_sock *psk = prp_sk(sk);
	size_t done = 0;
	ssize_t n = 0;
	int err;

	for (;;) {
		bool over = prp_deliver_has_ended(sk);

		if (READ_ONCE(conn->rx.bytes) == psk->rd_bytes) {
			if (done &&
			    (over || deliver_is_enough(sk, done, len, flags)))
				break;
			err = over ? prp_deliver_over(sk, conn) :
				     prp_deliver_wait(sk, conn, psk->rd_bytes,
						      &timeo);
			if (err)
				return done ?: err == 1 ? 0 : err;
			continue;
		}
		if (skb_queue_empty(&psk->rd))
			prp_deliver_take(psk, conn);
		n = deliver_copy(psk, conn, msg, len - done, flags, 0, last);
		if (n < 0)
			break;
		done += n;
		sk_peek_offset_bwd(prp_front(sk), n);
		if (unlikely(READ_ONCE(conn->rx.starved)))
			WRITE_ONCE(conn->rx.starved, false);
		/* who wants nothing waits for something all the same, as TCP */
		if (done == len)
			break;
	}
	if (unlikely(READ_ONCE(sk->sk_rcvlowat) > 1)) {
		smp_mb(); /* pairs with wake_has_enough() */
		if (!prp_sock_is_readable(psk, conn))
			prp_deliver_leave(psk, conn);
	}
	return done ?: n;
}

/**
 * prp_recvmsg() - recvmsg() and its relatives
 * @sock: socket
 * @msg: where to
 * @len: bytes wanted
 * @flags: MSG_PEEK, MSG_WAITALL, MSG_DONTWAIT and MSG_TRUNC (drop instead of
 *	copy) are known
 *
 * What has arrived is given before an error is reported.
 *
 * Return: bytes, 0 at the end of the stream, or a negative errno: EAGAIN,
 * ENOTCONN, EFAULT, EINTR, EINVAL, or the reason why the connection ended.
 */
int prp_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sk_buff *last = NULL, **stamp = NULL;
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	long timeo;
	int ret;

	if (unlikely(flags & MSG_ERRQUEUE))
		return prp_zerocopy_recv(sk, msg, len);
	if (unlikely(prp_deliver_wants_stamp(sk)))
		stamp = &last;
	ret = prp_deliver_begin(sk, flags, &conn, &timeo);
	if (unlikely(ret))
		return ret;
	if (!conn) {
		ret = prp_deliver_over(sk, NULL);
		if (ret == 1)
			ret = 0;
	} else if (flags & MSG_PEEK) {
		ret = deliver_peek(sk, conn, msg, len, flags, timeo, stamp);
	} else {
		ret = deliver_read(sk, conn, msg, len, flags, timeo, stamp);
	}
	prp_sock_unlock_rx(psk);
	if (unlikely(last))
		prp_deliver_stamp(sk, msg, last);
	return ret;
}
