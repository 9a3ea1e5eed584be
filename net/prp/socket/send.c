// SPDX-License-Identifier: GPL-2.0
/*
 * From a program's bytes to segments. User data is copied outside of the
 * connection's lock into pages that are kept until they are acknowledged.
 */
#include <linux/if_vlan.h>
#include <linux/sched/signal.h>

#include "pure/run.h"
#include "socket/send.h"
#include "socket/sock.h"
#include "socket/starve.h"
#include "socket/zerocopy.h"
#include "transport/account.h"
#include "transport/lull.h"
#include "transport/output.h"
#include "transport/timers.h"
#include "transport/watch.h"

/* Segments filled and queued in one round: 64 KiB on a way with a checksum, and
 * somewhat shorter ones
 */
#define BATCH 48
/* What a device takes of a run, whatever is in front of it */
#define RUN_ROOM (PRP_RUN_BYTES - PRP_RUN_HEAD_MAX - VLAN_ETH_HLEN)
#define CORK_TICKS (2 * PRP_TICKS_MS)

/**
 * prp_send_wait() - wait for room
 * @sk: socket, its tx_mutex held, which is dropped meanwhile
 * @conn: its connection
 * @slots: segments that there must be room for
 * @starved: the pool is used up: wait until others have given back, too
 * @timeo: jiffies to wait, reduced by those waited
 *
 * Return: 0, -EPIPE, -EAGAIN, or why the wait was interrupted.
 */
int prp_send_wait(struct sock *sk, struct prp_conn *conn, u32 slots,
		  bool starved, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct prp_sock *psk = prp_sk(sk);
	int err;

	/* what waits for more that there is no room for waits in vain */
	if (READ_ONCE(conn->tx.corked) || prp_lull_waits(conn))
		prp_output_uncork(conn);
	add_wait_queue(sk_sleep(sk), &wait);
	for (;;) {
		sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk); /* SIGIO */
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		smp_mb__after_atomic(); /* pairs with prp_wake_writable() */
		err = prp_send_error(sk, conn);
		if (err || (prp_send_room(sk, conn, slots) &&
			    (!starved || prp_starve_wait(psk, conn))))
			break;
		err = -EAGAIN;
		if (!*timeo)
			break;
		err = sock_intr_errno(*timeo);
		if (signal_pending(current))
			break;
		psk->tx_sleepers++;
		prp_sock_unlock_tx(psk);
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
		mutex_lock(&psk->tx_mutex);
		prp_sock_slept(psk, &psk->tx_sleepers);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

/**
 * prp_send_drop() - let go of slots that were filled and not queued
 * @conn: connection, tx_mutex of its socket held
 * @count: how many
 */
void prp_send_drop(struct prp_conn *conn, unsigned int count)
{
	while (count--) {
		struct prp_tx_seg *seg =
			prp_conn_seg(conn, conn->tx.end + count);

		prp_account_put(seg->page, 1);
		seg->page = NULL;
	}
	prp_tx_slots_filled(conn);
	spin_lock_bh(&conn->lock);
	if (conn->state == PRP_CLOSE)
		__prp_tx_slots_ended(conn);
	else if (__prp_tx_slots_holds(conn)) /* and may need none of it */
		__prp_timers_due(conn, conn->tx.idle_tick);
	spin_unlock_bh(&conn->lock);
}

/* The first of the filled slots is the rest of the last queued segment, if that
 * is unsent; the others move up.
 */
static noinline bool send_merge(struct prp_conn *conn, unsigned int count)
{
	struct prp_tx_seg *tail = prp_conn_seg(conn, conn->tx.end - 1);
	struct prp_tx_seg *seg = prp_conn_seg(conn, conn->tx.end);
	u32 seq;

	if (conn->snd.nxt == conn->tx.end)
		return false;
	tail->len += seg->len;
	put_page(seg->page);
	for (seq = conn->tx.end; --count; seq++)
		*prp_conn_seg(conn, seq) = *prp_conn_seg(conn, seq + 1);
	prp_conn_seg(conn, seq)->page = NULL;
	return true;
}

/* Is there less to be sent than a run, which the next page goes on with, or has
 * the window no room?
 */
static bool send_gathers(const struct prp_conn *conn)
{
	return conn->tx.end - conn->snd.nxt <= RUN_ROOM / conn->path.size ||
	       (!prp_snd_new_allowed(&conn->snd) && !conn->snd.lost);
}

/* Slots were filled and queued: send what may be sent, and drop the lock. */
static __always_inline void send_queued(struct sock *sk, struct prp_conn *conn,
					int flags) __releases(&conn->lock)
{
	const bool more = flags & (MSG_MORE | PRP_COMPAT_MSG_NOTLAST);

	conn->tx.filling = false;
	conn->tx.sndbuf = prp_sndbuf(sk);
	conn->priority = READ_ONCE(prp_front(sk)->sk_priority);
	conn->mark = READ_ONCE(prp_front(sk)->sk_mark);
	conn->tx.corked = more;
	if (more) {
		conn->tx.cork_tick = prp_timers_now() + CORK_TICKS;
		__prp_timers_due(conn, conn->tx.cork_tick);
	}
	if (unlikely(flags & PRP_COMPAT_MSG_NOTLAST) && send_gathers(conn)) {
		if (!conn->watch.probing)
			__prp_watch_started(conn);
		spin_unlock_bh(&conn->lock);
		return;
	}
	/* one that waits for a lull, and still does, is all that there is */
	if (unlikely(prp_lull_waits(conn)) && !more && !conn->snd.lost &&
	    __prp_output_waits(conn, conn->snd.nxt))
		spin_unlock_bh(&conn->lock);
	else
		prp_output_unlock(conn);
}

/**
 * prp_send_queued() - slots were filled and queued: send what may be sent
 * @sk: socket, its tx_mutex held
 * @conn: its connection, whose lock is held and dropped
 * @flags: MSG_MORE if the last one may wait for more, PRP_COMPAT_MSG_NOTLAST
 *	if all that is less than a run may
 */
void prp_send_queued(struct sock *sk, struct prp_conn *conn, int flags)
	__releases(&conn->lock)
{
	send_queued(sk, conn, flags);
}

/* So many slots were filled with so many bytes: queue them, send what may be
 * sent, and drop the lock.
 */
static __always_inline void send_filled(struct sock *sk, struct prp_conn *conn,
					unsigned int count, u32 bytes,
					int flags) __releases(&conn->lock)
{
	conn->tx.bytes += bytes + count * PRP_SEG_OVERHEAD;
	WRITE_ONCE(conn->tx.end, conn->tx.end + count);
	WRITE_ONCE(conn->tx.queued, conn->tx.queued + bytes);
	send_queued(sk, conn, flags);
}

/* Queue the filled slots and send what may be sent. Return: 0, or -EPIPE if
 * the connection has ended meanwhile.
 */
static int send_commit(struct sock *sk, struct prp_conn *conn,
		       unsigned int count, u32 bytes, bool merge,
		       struct msghdr *msg)
{
	spin_lock_bh(&conn->lock);
	if (conn->state != PRP_ESTABLISHED || conn->end_queued) {
		spin_unlock_bh(&conn->lock);
		prp_send_drop(conn, count);
		return -EPIPE;
	}
	if (merge && send_merge(conn, count))
		count--;
	send_filled(sk, conn, count, bytes,
		    msg->msg_flags | (msg_data_left(msg) ? MSG_MORE : 0));
	return 0;
}

/**
 * prp_send_join() - send bytes of a file behind others of it
 * @sk: socket, its tx_mutex held
 * @conn: its connection, without messages
 * @from: where they are
 * @left: bytes that the call has left, with these
 * @flags: of the call
 *
 * Return: bytes, no more than are in a page; 0 if there is no room, or they
 * have to have slots of their own.
 */
u32 prp_send_join(struct sock *sk, struct prp_conn *conn,
		  const struct bio_vec *from, size_t left, int flags)
{
	u32 room = prp_send_room(sk, conn, 1), got = 0, filled;

	room = min(room, from->bv_len);
	if (!room || unlikely(conn->checksum))
		return 0;
	spin_lock_bh(&conn->lock);
	if (conn->state == PRP_ESTABLISHED && !conn->end_queued &&
	    __prp_account_charge_tx(conn, min_t(u32, room, PAGE_SIZE) +
						  BATCH * PRP_SEG_OVERHEAD))
		got = __prp_zerocopy_join(conn, from, room, &filled);
	if (!got) {
		spin_unlock_bh(&conn->lock);
		return 0;
	}
	send_filled(sk, conn, filled, got,
		    got < left ? flags | MSG_MORE : flags);
	return got;
}

/* The same of a message. Return: bytes, which were taken of it, or 0. */
static noinline u32 send_join(struct sock *sk, struct prp_conn *conn,
			      struct msghdr *msg)
{
	const struct iov_iter *from = &msg->msg_iter;
	struct bio_vec part;
	u32 got;

	if (!iov_iter_is_bvec(from))
		return 0;
	part = *from->bvec;
	part.bv_offset += from->iov_offset;
	part.bv_len = min_t(size_t, part.bv_len - from->iov_offset,
			    msg_data_left(msg));
	got = prp_send_join(sk, conn, &part, msg_data_left(msg),
			    msg->msg_flags);
	iov_iter_advance(&msg->msg_iter, got);
	return got;
}

/* Charge what may be beyond the reserve: send_charge(). */
static noinline u32 send_charge_pool(struct prp_conn *conn, u32 room)
{
	const u32 overhead = BATCH * PRP_SEG_OVERHEAD;
	u32 held, least;

	spin_lock_bh(&conn->lock);
	if (unlikely(!__prp_account_charge_tx(conn, room + overhead))) {
		held = min_t(u32, conn->tx.bytes, PRP_MEM_RESERVE);
		least = max_t(u32, PRP_MEM_RESERVE - held, PRP_STARVE_LEAST);
		room = min(room, least - overhead);
		if (!__prp_account_charge_tx(conn, room + overhead))
			room = 0;
	}
	spin_unlock_bh(&conn->lock);
	return room;
}

/* What the pool lets us hold in addition, up to what is taken from it at once;
 * at least a byte where prp_starve_is_fed() said yes.
 */
static u32 send_charge(struct prp_conn *conn, u32 room)
{
	const u32 overhead = BATCH * PRP_SEG_OVERHEAD;

	BUILD_BUG_ON(BATCH * PRP_SEG_OVERHEAD >= PRP_STARVE_LEAST);
	room = min_t(u32, room, PRP_MEM_QUANTUM);
	if (likely(READ_ONCE(conn->tx.bytes) + room + overhead <=
		   PRP_MEM_RESERVE))
		return room;
	return send_charge_pool(conn, room);
}

/* How many slots to fill in a round, with one for a page that ends */
static u32 send_slots(const struct prp_conn *conn, u32 bytes, u32 size)
{
	u32 free = PRP_TXQ_MOST - (conn->tx.end - READ_ONCE(conn->snd.una));

	if (likely(bytes <= size))
		return 1;
	return min3(bytes / size + 2, free, (u32)BATCH);
}

/* Fill slots with what is more than one takes, or is not copied; how many they
 * are, and were at most, is put back. Return: bytes, or a negative errno if
 * there are none.
 */
static noinline int send_fill(struct prp_sock *psk, struct prp_conn *conn,
			      struct msghdr *msg, struct prp_zerocopy *zc,
			      u32 room, u32 first, u32 size,
			      unsigned int *slots)
{
	u32 free = min_t(u32, *slots, BATCH), tail = first < size ? first : 0;
	unsigned int count = 0;
	u32 bytes = 0;
	int got = 0;

	room = min_t(u32, room, first + (free - 1) * size);
	/* what is short, or too much for a run, would leave alone */
	if (room > size + tail && room < msg_data_left(msg))
		room = tail +
		       rounddown(clamp_t(u32, RUN_ROOM, size, room - tail),
				 size);
	while (bytes < room && count < free) {
		u32 want = min(room - bytes, first + (free - count - 1) * size);

		got = 0;
		/* what is short, as a header, is filled up by a copy: only
		 * bytes of its own page can be merged with it
		 */
		if (unlikely(zc->refers && tail && !count))
			want = min(want, first);
		else if (unlikely(zc->refers))
			got = prp_zerocopy_fill(psk, conn, msg, count, want,
						size, zc);
		if (likely(!got))
			got = prp_send_copy(psk, conn, msg, count, want, first,
					    size, false);
		if (got < 0)
			break;
		count += prp_send_count(got, first, size);
		bytes += got;
		first = size;
	}
	*slots = count;
	return count ? (int)bytes : got;
}

/* One round: fill slots, queue them. Return: bytes or a negative errno. */
static int send_batch(struct prp_sock *psk, struct prp_conn *conn,
		      struct msghdr *msg, u32 room, struct prp_zerocopy *zc)
{
	u32 size = READ_ONCE(conn->path.size), tail;
	unsigned int slots;
	int got, err;

	room = min_t(size_t, room, msg_data_left(msg));
	slots = prp_tx_slots_fill(conn, send_slots(conn, room, size),
				  prp_sock_gfp(&psk->sk));
	if (unlikely(!slots)) {
		prp_send_drop(conn, 0);
		return -ENOBUFS;
	}
	tail = unlikely(zc->told) ? 0 : prp_send_tail_room(psk, conn, size);
	if (likely(room <= (tail ?: size) && !zc->refers)) {
		got = prp_send_copy(psk, conn, msg, 0, room, tail ?: size, size,
				    false);
		slots = 1;
	} else {
		got = send_fill(psk, conn, msg, zc, room, tail ?: size, size,
				&slots);
	}
	if (unlikely(got <= 0)) {
		prp_send_drop(conn, 0);
		return got;
	}
	err = send_commit(&psk->sk, conn, slots, got, tail, msg);
	return err ?: got;
}

/* Memory came short in the middle. Who has a part taken waits for an event of
 * room before he goes on: the next acknowledgment brings one, or none is to
 * come.
 */
static noinline void send_cut_short(struct sock *sk, struct prp_conn *conn)
{
	spin_lock_bh(&conn->lock);
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk); /* SIGIO */
	set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	if (conn->snd.una == conn->tx.end)
		prp_wake_writable(conn, 0);
	spin_unlock_bh(&conn->lock);
}

/**
 * prp_sendmsg() - sendmsg() and its relatives
 * @sock: socket
 * @msg: MSG_DONTWAIT, MSG_MORE, MSG_NOSIGNAL, MSG_EOR and MSG_ZEROCOPY are
 *	known
 * @len: bytes; 0 without MSG_MORE ends the wait of what MSG_MORE held back
 *
 * Return: bytes taken, or a negative errno: EAGAIN, EPIPE, ENOBUFS,
 * EFAULT, EINTR, EOPNOTSUPP, or the reason why the connection ended.
 */
int prp_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	struct prp_zerocopy zc = {};
	struct prp_conn *conn;
	size_t done = 0;
	long timeo;
	int err;

	err = prp_send_begin(sk, msg, &conn, &timeo);
	if (unlikely(err))
		return err;
	err = prp_send_error(sk, conn);
	while (likely(!err) && msg_data_left(msg)) {
		u32 left = min_t(size_t, msg_data_left(msg), U32_MAX);
		u32 free, room = 0;
		int got;

		if (unlikely(msg->msg_flags & PRP_COMPAT_MSG_SPLICE)) {
			got = send_join(sk, conn, msg);
			done += got;
			if (got)
				continue;
		}
		free = prp_send_room(sk, conn, 1);
		if (free)
			room = send_charge(conn, min(free, left));
		if (unlikely(!room)) {
			err = prp_send_wait(sk, conn, 1, free, &timeo);
			continue;
		}
		got = prp_zerocopy_begin(sk, conn, msg, &zc);
		if (unlikely(got))
			prp_send_drop(conn, 0);
		else
			got = send_batch(psk, conn, msg, room, &zc);
		if (got < 0)
			err = got;
		else
			done += got;
	}
	if (unlikely(!len) && !err && !(msg->msg_flags & MSG_MORE))
		prp_output_uncork(conn);
	if (unlikely(zc.told))
		prp_zerocopy_end(&zc, done);
	if (unlikely(err == -ENOBUFS) && done)
		send_cut_short(sk, conn);
	prp_sock_unlock_tx(psk);
	if (likely(done || !err))
		return done;
	smp_rmb(); /* pairs with prp_wake_changed(): the end, then why */
	return sk_stream_error(prp_front(sk), msg->msg_flags, err);
}

/**
 * prp_splice_eof() - a file is shorter than sendfile() was told
 * @sock: socket; what waits for more waits no longer
 */
void prp_splice_eof(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_conn *conn;

	lock_sock(sk);
	conn = prp_sock_conn(prp_sk(sk));
	if (conn)
		prp_output_uncork(conn);
	release_sock(sk);
}
