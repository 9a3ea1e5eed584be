// SPDX-License-Identifier: GPL-2.0
/*
 * From a program's bytes to segments, and which segment goes out next.
 * User data is copied outside of the connection's lock into pages that are
 * kept until they are acknowledged; then a burst of segments is handed down
 * in one section with BH off.
 */
#include <linux/sched/signal.h>

#include "socket/send.h"
#include "socket/sock.h"
#include "socket/starve.h"
#include "socket/tune.h"
#include "transport/failover.h"
#include "transport/recovery.h"
#include "transport/xmit.h"

#define BATCH 45 /* segments filled and queued in one round */
#define BURST 8 /* segments handed down under one hold of the lock */
#define BURSTS 6 /* of these in one section with BH off */
#define ACKNOW_MAX 32 /* segments between two PRP_F_ACKNOW */
#define CORK_TICKS (2 * PRP_TICKS_MS)
#define NO_ROUTE_TICKS (10 * PRP_TICKS_MS)

/* Ask for an acknowledgment when half of what may be in flight has gone out
 * since the last one was asked for, so that the answer is back before the
 * sender runs dry (papers/000, section 2.2), and at the end of a queue that
 * fills the program's buffer.
 */
static bool send_wants_ack(struct prp_conn *conn, bool last)
{
	const struct prp_snd *snd = &conn->snd;
	u32 allowed = min_t(u32, conn->cong.cwnd, snd->edge - snd->una);

	conn->since_acknow++;
	if (conn->since_acknow * 2 < allowed &&
	    conn->since_acknow < ACKNOW_MAX &&
	    !(last && conn->tx_bytes > conn->sndbuf / 2))
		return false;
	conn->since_acknow = 0;
	return true;
}

static bool send_is_corked(const struct prp_conn *conn, u32 seq)
{
	const struct prp_tx_seg *seg = &conn->txq[seq % PRP_TXQ];

	return conn->corked && seq + 1 == conn->tx_end &&
	       seg->len < conn->path_size && !(seg->flags & PRP_F_END);
}

static bool send_has_work(const struct prp_conn *conn)
{
	return conn->snd.nxt != conn->tx_end || conn->snd.lost;
}

/* Which segment may go out now, repeats first; there is one that would. */
static bool send_pick(struct prp_conn *conn, u32 *seq)
{
	struct prp_snd *snd = &conn->snd;

	if (atomic_read(&conn->below[conn->rail]) >= conn->below_room)
		return false; /* xmit_freed() goes on */
	if (prp_snd_in_flight(snd) >= conn->cong.cwnd) {
		conn->cong.limited = true;
		return false;
	}
	if (unlikely(snd->lost))
		return !conn->peer_starved && prp_snd_first_lost(snd, seq);
	*seq = snd->nxt;
	return prp_snd_new_allowed(snd) && !send_is_corked(conn, *seq);
}

static int send_one(struct prp_conn *conn, const struct prp_hop *hop, u32 seq)
{
	struct prp_snd *snd = &conn->snd;
	bool repeat = seq != snd->nxt;
	bool last = snd->lost == repeat && snd->nxt + !repeat == conn->tx_end;
	u16 asked = conn->since_acknow;
	u16 flags = 0;
	int err;

	if (send_wants_ack(conn, last))
		flags = PRP_F_ACKNOW;
	err = __prp_xmit_segment(conn, hop, seq, flags);
	if (unlikely(err)) {
		conn->since_acknow = asked;
		return err;
	}
	conn->stats.segs_out++;
	prp_mib_inc(conn->pn, PRP_MIB_SEGS_OUT);
	if (repeat) {
		conn->stats.segs_repeated++;
		prp_mib_inc(conn->pn, PRP_MIB_SEGS_REPEATED);
	} else {
		conn->stats.bytes_out += conn->txq[seq % PRP_TXQ].len;
		__prp_recovery_time(conn, seq);
		/* what the window has held back has had no time yet */
		if (conn->probing && seq == snd->una)
			conn->progress_tick = prp_timers_now();
	}
	return 0;
}

/* Where a burst goes. Return: 0, or a negative errno if there is no way. */
static int send_way(struct prp_conn *conn, struct prp_hop *hop)
{
	int err;

	if (unlikely(conn->cpu != smp_processor_id())) {
		conn->cpu = smp_processor_id();
		prp_snd_moved(&conn->snd);
	}
	/* BH are off, which is an RCU read section, too */
	err = prp_rail_hop_rcu(conn->pn, conn->key.peer, PRP_RAIL_ANY, hop);
	if (unlikely(err))
		__prp_recovery_retry(conn, NO_ROUTE_TICKS);
	else if (unlikely(hop->rail != conn->rail))
		__prp_failover_use(conn, hop->rail, prp_timers_now());
	return err;
}

/**
 * __prp_send_push() - send what may be sent, a burst of it
 * @conn: connection, its lock held
 *
 * A processor that receives a frame of this connection meanwhile waits for the
 * lock, and with it all else that it has received. So a burst is no more than
 * 8 segments; the lock is fair, and who waits has it before the next burst.
 *
 * Return: true if there is more that may be sent now: call it again, after
 * the lock was dropped.
 */
bool __prp_send_push(struct prp_conn *conn)
{
	struct prp_hop hop = { .dev = NULL };
	unsigned int burst = BURST;
	u32 seq, now_in;
	int err = 0;

	lockdep_assert_held(&conn->lock);
	if (conn->state != PRP_ESTABLISHED)
		return false;
	while (burst && send_has_work(conn) && send_pick(conn, &seq)) {
		if (!hop.dev && unlikely(send_way(conn, &hop)))
			return false;
		err = send_one(conn, &hop, seq);
		if (unlikely(err)) {
			__prp_xmit_full(conn);
			break;
		}
		burst--;
	}
	now_in = prp_snd_in_flight(&conn->snd);
	if (now_in > conn->stats.in_flight_max)
		conn->stats.in_flight_max = now_in;
	if (!conn->probing && conn->snd.una != conn->tx_end)
		__prp_recovery_started(conn);
	if (unlikely(conn->notsent_lowat))
		prp_sock_writable(conn);
	return !burst;
}

/**
 * __prp_send_push_bh() - the same from a softirq
 * @conn: connection, its lock held
 *
 * What one burst leaves goes on in a softirq of its own.
 */
void __prp_send_push_bh(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->pushing && __prp_send_push(conn))
		prp_xmit_kick(conn);
}

/* The bursts that follow a first one. Between two of them the lock is dropped
 * and BH stay off. Who has the lock then leaves it to us to send: two
 * processors' frames would overtake each other. Return: true if there is more
 * that may be sent now.
 */
static bool send_bursts(struct prp_conn *conn)
{
	unsigned int bursts = BURSTS;

	do {
		if (!--bursts)
			return true;
		conn->pushing = true;
		spin_unlock(&conn->lock);
		spin_lock(&conn->lock);
		conn->pushing = false;
	} while (__prp_send_push(conn));
	return false;
}

/**
 * prp_send_kicked() - go on in the softirq that prp_xmit_kick() asked for
 * @conn: connection, not locked; BH are off
 */
void prp_send_kicked(struct prp_conn *conn)
{
	spin_lock(&conn->lock);
	if (!conn->pushing && __prp_send_push(conn) && send_bursts(conn))
		prp_xmit_kick(conn); /* others have their turn */
	spin_unlock(&conn->lock);
}

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
	if (READ_ONCE(conn->corked))
		prp_send_uncork(conn);
	prp_tune_full(psk, conn);
	add_wait_queue(sk_sleep(sk), &wait);
	for (;;) {
		sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk); /* SIGIO */
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		smp_mb__after_atomic(); /* pairs with prp_sock_writable() */
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
			&conn->txq[(conn->tx_end + count) % PRP_TXQ];

		if (seg->page)
			put_page(seg->page);
		seg->page = NULL;
	}
}

/* The slot at tx_end is the rest of the last queued segment, if unsent. */
static bool send_merge(struct prp_conn *conn)
{
	struct prp_tx_seg *tail = &conn->txq[(conn->tx_end - 1) % PRP_TXQ];
	struct prp_tx_seg *seg = &conn->txq[conn->tx_end % PRP_TXQ];

	if (conn->snd.nxt == conn->tx_end)
		return false;
	tail->len += seg->len;
	conn->tx_bytes += seg->len;
	put_page(seg->page);
	seg->page = NULL;
	return true;
}

/* Send what a first burst has left, with BH on now and then. */
static noinline void send_rest(struct prp_conn *conn)
{
	while (send_bursts(conn)) {
		spin_unlock_bh(&conn->lock);
		spin_lock_bh(&conn->lock);
		if (conn->pushing || !__prp_send_push(conn))
			return;
	}
}

/* Send what may be sent, and drop the lock. */
static __always_inline void send_unlock(struct prp_conn *conn)
	__releases(&conn->lock)
{
	if (likely(!conn->pushing) && unlikely(__prp_send_push(conn)))
		send_rest(conn);
	spin_unlock_bh(&conn->lock);
}

/* Slots were filled and queued: send what may be sent, and drop the lock. */
static __always_inline void send_queued(struct sock *sk, struct prp_conn *conn,
					bool more) __releases(&conn->lock)
{
	conn->sndbuf = prp_sndbuf(sk);
	conn->priority = READ_ONCE(prp_front(sk)->sk_priority);
	conn->mark = READ_ONCE(prp_front(sk)->sk_mark);
	conn->corked = more;
	if (more) {
		conn->cork_tick = prp_timers_now() + CORK_TICKS;
		__prp_timers_due(conn, conn->cork_tick);
	}
	send_unlock(conn);
}

/**
 * prp_send_queued() - slots were filled and queued: send what may be sent
 * @sk: socket, its tx_mutex held
 * @conn: its connection, whose lock is held and dropped
 * @more: the last one may wait for more
 */
void prp_send_queued(struct sock *sk, struct prp_conn *conn, bool more)
	__releases(&conn->lock)
{
	send_queued(sk, conn, more);
}

/* Queue the filled slots and send what may be sent. Return: 0, or -EPIPE if
 * the connection has ended meanwhile.
 */
static int send_commit(struct sock *sk, struct prp_conn *conn,
		       unsigned int count, u32 bytes, bool merge, bool more)
{
	spin_lock_bh(&conn->lock);
	if (conn->state != PRP_ESTABLISHED || conn->end_queued) {
		spin_unlock_bh(&conn->lock);
		prp_send_drop(conn, count);
		return -EPIPE;
	}
	if (!merge || !send_merge(conn)) {
		conn->tx_bytes += bytes + count * PRP_SEG_OVERHEAD;
		WRITE_ONCE(conn->tx_end, conn->tx_end + count);
	}
	send_queued(sk, conn, more);
	return 0;
}

/* What the pool lets us hold in addition, up to half of what is taken from
 * it at once; at least a byte where prp_starve_is_fed() said yes.
 */
static u32 send_charge(struct prp_conn *conn, u32 room)
{
	const u32 overhead = BATCH * PRP_SEG_OVERHEAD;
	u32 held = READ_ONCE(conn->tx_bytes), least;

	BUILD_BUG_ON(BATCH * PRP_SEG_OVERHEAD >= PRP_STARVE_LEAST);
	room = min_t(u32, room, PRP_MEM_QUANTUM / 2);
	if (likely(held + room + overhead <= PRP_MEM_RESERVE))
		return room;
	spin_lock_bh(&conn->lock);
	if (unlikely(!__prp_conn_charge_tx(conn, room + overhead))) {
		held = min_t(u32, conn->tx_bytes, PRP_MEM_RESERVE);
		least = max_t(u32, PRP_MEM_RESERVE - held, PRP_STARVE_LEAST);
		room = min(room, least - overhead);
		if (!__prp_conn_charge_tx(conn, room + overhead))
			room = 0;
	}
	spin_unlock_bh(&conn->lock);
	return room;
}

/* One round: fill slots, queue them. Return: bytes or a negative errno. */
static int send_batch(struct prp_sock *psk, struct prp_conn *conn,
		      struct msghdr *msg, u32 room, bool more)
{
	u32 free = PRP_TXQ - (conn->tx_end - READ_ONCE(conn->snd.una));
	u32 tail = prp_send_tail_room(psk, conn);
	u32 size = READ_ONCE(conn->path_size);
	unsigned int count = 0;
	u32 bytes = 0;
	int got = 0, err;

	free = tail ? 1 : min_t(u32, free, BATCH);
	room = min_t(size_t, room, msg_data_left(msg));
	room = min_t(u32, room, BATCH * size);
	while (bytes < room && count < free) {
		u32 want = min(room - bytes, tail ?: size);

		got = prp_send_copy(psk, conn, msg, count, want);
		if (got < 0)
			break;
		count++;
		bytes += got;
	}
	if (!count)
		return got;
	err = send_commit(&psk->sk, conn, count, bytes, tail,
			  more || msg_data_left(msg));
	return err ?: bytes;
}

/**
 * prp_sendmsg() - sendmsg() and its relatives
 * @sock: socket
 * @msg: MSG_DONTWAIT, MSG_MORE, MSG_NOSIGNAL and MSG_EOR are known
 * @len: bytes; 0 without MSG_MORE ends the wait of what MSG_MORE held back
 *
 * Return: bytes taken, or a negative errno: EAGAIN, EPIPE,
 * EFAULT, EINTR, EOPNOTSUPP, or the reason why the connection ended.
 */
int prp_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	bool more = msg->msg_flags & MSG_MORE;
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	size_t done = 0;
	long timeo;
	int err;

	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	err = prp_send_check_control(sk, msg);
	if (unlikely(err))
		return err;
	timeo = sock_sndtimeo(prp_front(sk), msg->msg_flags & MSG_DONTWAIT);
	err = prp_sock_lock_connected(sk, &psk->tx_mutex, &psk->tx_busy, timeo);
	if (unlikely(err))
		return err;
	conn = rcu_dereference_protected(psk->conn,
					 lockdep_is_held(&psk->tx_mutex));
	err = prp_send_error(sk, conn);
	while (!err && msg_data_left(msg)) {
		u32 left = min_t(size_t, msg_data_left(msg), U32_MAX);
		u32 free = prp_send_room(sk, conn, 1), room = 0;
		int got;

		if (free)
			room = send_charge(conn, min(free, left));
		if (!room) {
			err = prp_send_wait(sk, conn, 1, free, &timeo);
			continue;
		}
		got = send_batch(psk, conn, msg, room, more);
		if (got < 0)
			err = got;
		else
			done += got;
	}
	if (unlikely(!len) && !err && !more)
		prp_send_uncork(conn);
	prp_sock_unlock_tx(psk);
	if (done || !err)
		return done;
	smp_rmb(); /* pairs with prp_sock_changed(): the end, then why */
	return sk_stream_error(prp_front(sk), msg->msg_flags, err);
}

/**
 * prp_send_end() - end our stream
 * @conn: connection; the caller holds the socket's tx_mutex
 *
 * The end goes behind what is queued: on the last segment if that was never
 * sent, else on an empty one, for which there is a slot since no more than
 * PRP_WIN of PRP_TXQ are in flight.
 */
void prp_send_end(struct prp_conn *conn)
{
	struct prp_tx_seg *seg;

	spin_lock_bh(&conn->lock);
	if (conn->state != PRP_ESTABLISHED || conn->end_queued) {
		spin_unlock_bh(&conn->lock);
		return;
	}
	if (conn->snd.nxt == conn->tx_end) {
		seg = &conn->txq[conn->tx_end % PRP_TXQ];
		memset(seg, 0, sizeof(*seg));
		conn->tx_bytes += PRP_SEG_OVERHEAD;
		WRITE_ONCE(conn->tx_end, conn->tx_end + 1);
	}
	conn->txq[(conn->tx_end - 1) % PRP_TXQ].flags |= PRP_F_END;
	conn->end_queued = true;
	conn->corked = false;
	send_unlock(conn);
}

/**
 * prp_send_uncork() - what waits for more waits no longer
 * @conn: connection
 */
void prp_send_uncork(struct prp_conn *conn)
{
	spin_lock_bh(&conn->lock);
	conn->corked = false;
	send_unlock(conn);
}
