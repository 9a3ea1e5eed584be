// SPDX-License-Identifier: GPL-2.0
/*
 * From segments in order to the program: recvmsg(). A reader takes all that
 * has arrived off the connection at once and copies outside of its lock.
 */
#include <linux/sched/signal.h>

#include "receive.h"
#include "sock.h"
#include "xmit.h"

#define SETTLE_BYTES	(64 * 1024)	/* read before the sender is told */

/* Tell the connection what was read; open the window if that helps. */
static void deliver_settle(struct prp_sock *psk, struct prp_conn *conn)
{
	u32 full, open;

	lockdep_assert_held(&conn->lock);
	conn->rx_mem -= psk->rd_freed;
	psk->rd_freed = 0;
	if (conn->state != PRP_ESTABLISHED || conn->peer_end)
		return;
	full = min_t(u32, (conn->rcvbuf + PRP_WINDOW_RESERVE) >>
		     conn->rx_shift, PRP_WIN);
	open = conn->rcv.edge - conn->rcv.nxt;
	/* a sender that can go on for half a window needs no telling */
	if (open >= full / 2 || __prp_conn_window(conn) < open + full / 4)
		return;
	rcu_read_lock();
	__prp_xmit_control(conn, 0);
	rcu_read_unlock();
}

/*
 * Take over what is in order. Return: true if there was anything; seen is
 * set to the bytes that have ever arrived in order.
 */
static bool deliver_take(struct prp_sock *psk, struct prp_conn *conn,
			 u64 *seen)
{
	bool any;

	spin_lock_bh(&conn->lock);
	conn->rcvbuf = psk->sk.sk_rcvbuf;
	*seen = conn->rx_bytes;
	any = !skb_queue_empty(&conn->rx_queue);
	skb_queue_splice_tail_init(&conn->rx_queue, &psk->rd);
	if (psk->rd_freed) {
		deliver_settle(psk, conn);
		__prp_conn_settle(conn);
	}
	spin_unlock_bh(&conn->lock);
	return any;
}

/* The program has all of the first segment. */
static void deliver_free(struct prp_sock *psk, struct prp_conn *conn,
			 struct sk_buff *skb)
{
	u64 seen;

	__skb_unlink(skb, &psk->rd);
	psk->rd_freed += skb->truesize;
	local_bh_disable();
	napi_consume_skb(skb, 1);
	local_bh_enable();
	if (psk->rd_freed >= SETTLE_BYTES)
		deliver_take(psk, conn, &seen);
}

/*
 * Copy from what was taken over. Return: bytes, or a negative errno if the
 * first byte could not be copied.
 */
static ssize_t deliver_copy(struct prp_sock *psk, struct prp_conn *conn,
			    struct msghdr *msg, size_t len, int flags)
{
	struct sk_buff *skb, *next;
	size_t done = 0;

	skb_queue_walk_safe(&psk->rd, skb, next) {
		u32 at = prp_skb_cb(skb)->read;
		size_t n = min_t(size_t, skb->len - at, len - done);

		if (!n)
			break;
		if (!(flags & MSG_TRUNC) &&
		    skb_copy_datagram_msg(skb, at, msg, n))
			return done ?: -EFAULT;
		done += n;
		if (flags & MSG_PEEK)
			continue;
		prp_skb_cb(skb)->read += n;
		WRITE_ONCE(psk->rd_bytes, psk->rd_bytes + n);
		if (at + n == skb->len) {
			deliver_free(psk, conn, skb);
			next = skb_peek(&psk->rd);
			if (!next)
				break;
		}
	}
	return done;
}

/*
 * Why a reader that has got nothing does not wait: 1 for the end of the
 * stream, a negative errno, or 0 if it should wait.
 */
static int deliver_over(struct sock *sk, const struct prp_conn *conn)
{
	if (sk->sk_err)
		return sock_error(sk);
	if (sk->sk_shutdown & RCV_SHUTDOWN)
		return 1;
	if (!conn || READ_ONCE(sk->sk_state) == PRP_CLOSE)
		return -ENOTCONN;
	return 0;
}

/*
 * Wait until more has arrived than was seen. The readers' mutex is dropped
 * meanwhile. Return: 0 or a negative errno.
 */
static int deliver_wait(struct sock *sk, struct prp_conn *conn, u64 seen,
			long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct prp_sock *psk = prp_sk(sk);
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (READ_ONCE(conn->rx_bytes) == seen && !sk->sk_err &&
	       !(sk->sk_shutdown & RCV_SHUTDOWN)) {
		err = -EAGAIN;
		if (!*timeo)
			break;
		err = sock_intr_errno(*timeo);
		if (signal_pending(current))
			break;
		err = 0;
		mutex_unlock(&psk->rx_mutex);
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
		mutex_lock(&psk->rx_mutex);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/* Wait for what a peeking reader wants to see at once, then show it. */
static ssize_t deliver_peek(struct sock *sk, struct prp_conn *conn,
			    struct msghdr *msg, size_t len, int flags)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	struct prp_sock *psk = prp_sk(sk);
	int err = 0;
	u64 seen;

	for (;;) {
		deliver_take(psk, conn, &seen);
		if (seen - psk->rd_bytes >= target || err)
			break;
		err = seen != psk->rd_bytes &&
		      (sk->sk_err || sk->sk_shutdown & RCV_SHUTDOWN);
		if (!err)
			err = deliver_over(sk, conn) ?:
			      deliver_wait(sk, conn, seen, &timeo);
	}
	if (seen == psk->rd_bytes)
		return err == 1 ? 0 : err;
	return deliver_copy(psk, conn, msg, len, flags);
}

static ssize_t deliver_read(struct sock *sk, struct prp_conn *conn,
			    struct msghdr *msg, size_t len, int flags)
{
	size_t target = sock_rcvlowat(sk, flags & MSG_WAITALL, len);
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	struct prp_sock *psk = prp_sk(sk);
	size_t done = 0;
	u64 seen;
	int err;

	for (;;) {
		ssize_t n = deliver_copy(psk, conn, msg, len - done, flags);

		if (n < 0)
			return done ?: n;
		done += n;
		if (done == len)
			return done;
		if (deliver_take(psk, conn, &seen))
			continue;
		if (done >= target)
			return done;
		if (done && (sk->sk_err || sk->sk_shutdown & RCV_SHUTDOWN))
			return done;
		err = deliver_over(sk, conn) ?:
		      deliver_wait(sk, conn, seen, &timeo);
		if (err)
			return done ?: err == 1 ? 0 : err;
	}
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
int prp_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		int flags)
{
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	int ret;

	if (flags & MSG_OOB)
		return -EINVAL;
	if (flags & MSG_ERRQUEUE)
		return -EAGAIN;
	mutex_lock(&psk->rx_mutex);
	conn = rcu_dereference_protected(psk->conn,
					 lockdep_is_held(&psk->rx_mutex));
	if (!conn || READ_ONCE(sk->sk_state) == PRP_CONN_WAIT) {
		ret = deliver_over(sk, NULL);
		if (ret == 1)
			ret = 0;
	} else if (flags & MSG_PEEK) {
		ret = deliver_peek(sk, conn, msg, len, flags);
	} else {
		ret = deliver_read(sk, conn, msg, len, flags);
	}
	mutex_unlock(&psk->rx_mutex);
	return ret;
}
