/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a program's bytes to segments.
 */
#ifndef _PRP_SEND_H
#define _PRP_SEND_H

#include <linux/mm.h>

#include "compat/splice.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/conn.h"
#include "transport/tx_pages.h"
#include "transport/tx_slots.h"

int prp_send_wait(struct sock *sk, struct prp_conn *conn, u32 slots,
		  bool starved, long *timeo);
void prp_send_drop(struct prp_conn *conn, unsigned int count);
u32 prp_send_join(struct sock *sk, struct prp_conn *conn,
		  const struct bio_vec *from, size_t left, int flags);
void prp_send_queued(struct sock *sk, struct prp_conn *conn, int flags)
	__releases(&conn->lock);

/**
 * prp_send_room() - is there room for more to be sent?
 * @sk: socket, its tx_mutex held; its SO_SNDBUF may change at any time
 * @conn: its connection
 * @slots: segments that there must be room for
 *
 * Return: bytes that the buffer has room for; 0 unless that many segments
 * have, too, and if too much was not sent yet.
 */
static inline u32 prp_send_room(const struct sock *sk,
				const struct prp_conn *conn, u32 slots)
{
	u32 queued = conn->tx.end - READ_ONCE(conn->snd.una);
	u32 held = READ_ONCE(conn->tx.bytes);
	u32 bound = prp_sndbuf(sk);

	if (READ_ONCE(conn->state) != PRP_ESTABLISHED ||
	    queued + slots > PRP_TXQ_MOST || held >= bound)
		return 0;
	if (unlikely(READ_ONCE(conn->tx.notsent_lowat)) &&
	    prp_account_unsent(conn) >= READ_ONCE(conn->tx.notsent_lowat))
		return 0;
	return bound - held;
}

/**
 * prp_send_error() - can nothing be written any more?
 * @sk: socket, its tx_mutex held
 * @conn: its connection, or NULL
 *
 * Why not is in sk_err, for the call that has nothing else to return:
 * sk_stream_error() takes it from there.
 *
 * Return: 0 or -EPIPE, also without a connection, as TCP has it.
 */
static inline int prp_send_error(const struct sock *sk,
				 const struct prp_conn *conn)
{
	if (READ_ONCE(prp_front(sk)->sk_err) ||
	    READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN || !conn)
		return -EPIPE;
	return 0;
}

/**
 * prp_send_tail_room() - room in the last queued segment
 * @psk: socket, its tx_mutex held
 * @conn: its connection
 * @size: bytes of a segment, at most, as the caller fills them
 *
 * Return: bytes, less than @size; 0 unless the next byte of the task's page is
 * its.
 */
static inline u32 prp_send_tail_room(struct prp_sock *psk,
				     const struct prp_conn *conn, u32 size)
{
	const struct page_frag *frag = sk_page_frag(psk->front);
	const struct prp_tx_seg *tail;
	struct page *page;

	if (READ_ONCE(conn->snd.nxt) == conn->tx.end)
		return 0;
	tail = prp_conn_seg(conn, conn->tx.end - 1);
	/* it may be sent, acknowledged and its page dropped at any moment */
	page = READ_ONCE(tail->page);
	if (!page || page != frag->page ||
	    tail->offset + tail->len != frag->offset)
		return 0;
	if (tail->len >= size) /* which may have shrunk */
		return 0;
	return min_t(u32, size - tail->len, frag->size - frag->offset);
}

/**
 * prp_send_count() - slots that bytes take
 * @bytes: how many, not 0
 * @first: bytes of the first slot
 * @size: of each that follows
 *
 * Return: how many.
 */
static inline unsigned int prp_send_count(u32 bytes, u32 first, u32 size)
{
	return likely(bytes <= first) ? 1 :
					1 + DIV_ROUND_UP(bytes - first, size);
}

/**
 * prp_send_copy() - copy from the program into slots
 * @psk: socket, its tx_mutex held
 * @conn: its connection
 * @msg: where from
 * @i: the first slot is the one @i behind the last queued one
 * @want: bytes, at most
 * @first: bytes of the first slot
 * @size: of each that follows; prp_send_count() of them are filled
 * @whole: what could not be had of them is missed: a constant
 *
 * What it takes of one page is copied at once.
 *
 * Return: bytes, or a negative errno if not a single one could be had, or, if
 * @whole, not all that the page has room for.
 */
static __always_inline int
prp_send_copy(struct prp_sock *psk, struct prp_conn *conn, struct msghdr *msg,
	      unsigned int i, u32 want, u32 first, u32 size, bool whole)
{
	struct page_frag *frag = sk_page_frag(psk->front);
	struct prp_tx_seg *seg = conn->tx.seg;
	const u32 mask = conn->snd.mask;
	u32 got, at, end, room = min(want, first);

	/* room for the rest of it, too, if that comes and leaves few holes */
	if (unlikely(msg->msg_flags & (MSG_MORE | PRP_COMPAT_MSG_NOTLAST)))
		room = max(room, min_t(u32, first, PAGE_SIZE / 2));
	if (!prp_tx_pages_refill(conn, frag, room, prp_sock_gfp(&psk->sk)))
		return -ENOBUFS;
	room = frag->size - frag->offset;
	if (want > room)
		want = room < first ? room :
				      first + rounddown(room - first, size);
	/* nobody looks at what the memory belongs to: there is room for that */
	got = _copy_from_iter(page_address(frag->page) + frag->offset, want,
			      &msg->msg_iter);
	if (!got || (whole && got < want))
		return -EFAULT;
	i += conn->tx.end;
	page_ref_add(frag->page, prp_send_count(got, first, size));
	end = frag->offset + got;
	for (at = frag->offset; at < end; at += first, first = size)
		seg[i++ & mask] = (struct prp_tx_seg){
			.page = frag->page,
			.offset = at,
			.len = min(end - at, first),
		};
	frag->offset = end;
	return got;
}

/**
 * prp_send_check_control() - are a program's control messages what they should
 * be?
 * @sk: socket
 * @msg: its message; there is none that has an effect
 *
 * Return: 0 or -EINVAL, as TCP has it.
 */
static inline int prp_send_check_control(struct sock *sk, struct msghdr *msg)
{
	struct sockcm_cookie unused = {};

	if (likely(!msg->msg_controllen))
		return 0;
	return sock_cmsg_send(prp_front(sk), msg, &unused) ? -EINVAL : 0;
}

/**
 * prp_send_begin() - what sendmsg() of all types begins with
 * @sk: socket, not locked; on success its tx_mutex is held
 * @msg: what is to be sent
 * @conn: set to its connection, or NULL
 * @timeo: set to the jiffies that the call may wait
 *
 * Return: 0, or a negative errno: EOPNOTSUPP, EINVAL, EAGAIN, EINTR.
 */
static inline int prp_send_begin(struct sock *sk, struct msghdr *msg,
				 struct prp_conn **conn, long *timeo)
{
	struct prp_sock *psk = prp_sk(sk);
	int err;

	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	err = prp_send_check_control(sk, msg);
	if (unlikely(err))
		return err;
	*timeo = sock_sndtimeo(prp_front(sk), msg->msg_flags & MSG_DONTWAIT);
	err = prp_sock_lock_connected(sk, &psk->tx_mutex, &psk->tx_busy,
				      *timeo);
	if (unlikely(err))
		return err;
	*conn = rcu_dereference_protected(psk->conn,
					  lockdep_is_held(&psk->tx_mutex));
	return 0;
}

#endif /* _PRP_SEND_H */
