/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From segments in order to the program: what streams and messages share.
 */
#ifndef _PRP_DELIVER_H
#define _PRP_DELIVER_H

#include "compat/rps.h"
#include "socket/sock.h"

void prp_deliver_take(struct prp_sock *psk, struct prp_conn *conn);
void prp_deliver_leave(struct prp_sock *psk, struct prp_conn *conn);
void prp_deliver_accepted(struct prp_sock *psk, struct prp_conn *conn);
void prp_deliver_asked(struct prp_conn *conn);
int prp_deliver_over(struct sock *sk, const struct prp_conn *conn);
int prp_deliver_wait(struct sock *sk, struct prp_conn *conn, u64 seen,
		     long *timeo);

/**
 * prp_deliver_has_ended() - is the stream over, or has it failed?
 * @sk: socket, its rx_mutex held
 *
 * Who asks that first, and then what there is, misses nothing that came before.
 * prp_deliver_over() says why.
 *
 * Return: true if so.
 */
static inline bool prp_deliver_has_ended(const struct sock *sk)
{
	bool over = READ_ONCE(prp_front(sk)->sk_err) ||
		    READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN;

	smp_rmb(); /* pairs with prp_wake_readable() and prp_wake_changed() */
	return over;
}

/**
 * prp_deliver_must_settle() - is it time to tell what was read?
 * @psk: socket, its rx_mutex held
 * @conn: its connection
 *
 * A small buffer must not be closed by what was read from it: when all is read,
 * so much is left of it that the window is open, and the peer knows. Where a
 * segment was dropped for memory it is always time.
 *
 * Return: true if the connection should be told now.
 */
static inline bool prp_deliver_must_settle(const struct prp_sock *psk,
					   const struct prp_conn *conn)
{
	return psk->rd_freed >=
	       min_t(u32, PRP_SETTLE_BYTES, READ_ONCE(conn->rx.most) / 4);
}

/**
 * prp_deliver_free() - the program has all of the first segment
 * @psk: socket, its rx_mutex held
 * @conn: its connection
 * @skb: first segment in prp_sock.rd
 */
static inline void prp_deliver_free(struct prp_sock *psk, struct prp_conn *conn,
				    struct sk_buff *skb)
{
	__skb_unlink(skb, &psk->rd);
	psk->rd_freed += skb->truesize;
	local_bh_disable();
	napi_consume_skb(skb, 1);
	local_bh_enable();
	if (prp_deliver_must_settle(psk, conn))
		prp_deliver_take(psk, conn);
}

/**
 * prp_deliver_wants_stamp() - does the program want to know when it arrived?
 * @sk: socket
 *
 * Return: true if SO_TIMESTAMP or a relative of it is set.
 */
static inline bool prp_deliver_wants_stamp(const struct sock *sk)
{
	const struct sock *front = prp_front(sk);

	return sock_flag(front, SOCK_RCVTSTAMP) || READ_ONCE(front->sk_tsflags);
}

/**
 * prp_deliver_note() - keep a segment for its time of arrival
 * @last: the one that is kept, or NULL; this one is from now on
 * @skb: segment; one that came before times were noted has none, unless its
 *	device has noted it
 */
static inline void prp_deliver_note(struct sk_buff **last, struct sk_buff *skb)
{
	if (!skb->tstamp && !skb_hwtstamps(skb)->hwtstamp)
		return;
	consume_skb(*last);
	*last = skb_get(skb);
}

/**
 * prp_deliver_stamp() - tell the program when the last byte arrived
 * @sk: socket
 * @msg: where to
 * @last: what prp_deliver_note() has kept, or NULL; let go of
 */
static inline void prp_deliver_stamp(struct sock *sk, struct msghdr *msg,
				     struct sk_buff *last)
{
	if (!last)
		return;
	sock_recv_timestamp(msg, prp_front(sk), last);
	consume_skb(last);
}

/**
 * prp_deliver_piece() - where is a part of a segment, if in one piece
 * @skb: segment
 * @at: from where in it
 *
 * Return: it; NULL if it may be in several pieces, in memory that the kernel
 * has no address of, or in a device's, which 6.12 knows.
 */
static inline const void *prp_deliver_piece(const struct sk_buff *skb, u32 at)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;

	if (!skb_is_nonlinear(skb))
		return skb->data + at;
	if (!skb_shinfo(skb)->nr_frags || skb_frag_size(frag) != skb->len ||
	    !skb_frag_page(frag) || skb_frag_must_loop(skb_frag_page(frag)))
		return NULL;
	return skb_frag_address(frag) + at;
}

/**
 * prp_deliver_bytes() - copy from one segment
 * @skb: segment
 * @at: from where in it
 * @msg: where to
 * @n: bytes, at least one
 *
 * Of what is in one piece nobody looks at what the memory belongs to: it is
 * that of a segment, and ends where it ends.
 *
 * Return: 0, or -EFAULT with @msg as it was: who tries again gives none twice.
 */
static inline int prp_deliver_bytes(struct sk_buff *skb, u32 at,
				    struct msghdr *msg, size_t n)
{
	const void *from = prp_deliver_piece(skb, at);
	size_t got;

	if (unlikely(!from)) /* a walk over the fragments */
		return skb_copy_datagram_msg(skb, at, msg, n);
	got = _copy_to_iter(from, n, &msg->msg_iter);
	if (likely(got == n))
		return 0;
	iov_iter_revert(&msg->msg_iter, got);
	return -EFAULT;
}

/**
 * prp_deliver_begin() - what recvmsg() of all types begins with
 * @sk: socket, not locked; on success its rx_mutex is held
 * @flags: MSG_*
 * @conn: set to its connection, or NULL
 * @timeo: set to the jiffies that the call may wait
 *
 * Return: 0, or a negative errno: EINVAL, EAGAIN, EINTR.
 */
static inline int prp_deliver_begin(struct sock *sk, int flags,
				    struct prp_conn **conn, long *timeo)
{
	struct prp_sock *psk = prp_sk(sk);
	int err;

	if (flags & MSG_OOB)
		return -EINVAL;
	*timeo = sock_rcvtimeo(prp_front(sk), flags & MSG_DONTWAIT);
	err = prp_sock_lock_connected(sk, &psk->rx_mutex, &psk->rx_busy,
				      *timeo);
	if (unlikely(err))
		return err;
	*conn = rcu_dereference_protected(psk->conn,
					  lockdep_is_held(&psk->rx_mutex));
	if (prp_compat_rfs_needed() && *conn)
		prp_conn_read_here(*conn);
	return 0;
}

#endif /* _PRP_DELIVER_H */
