// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that grow with their use, where SO_RCVBUF and SO_SNDBUF were not set,
 * as those of TCP do (dynamic right-sizing). TCP measures round trips for that;
 * here each end sees whether its buffer may be what a transfer waits for. Where
 * segments are short the buffers take as many of them as may be in flight from
 * the beginning, and never grow.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "socket/sock.h"
#include "socket/tune.h"
#include "transport/account.h"
#include "transport/output.h"
#include "transport/timers.h"

#define TUNE_TICKS (200 * PRP_TICKS_MS) /* no round trip here is longer */

/* Twice as much, unless the user has set it or is about to; BH are off.
 * SO_RCVLOWAT may let it grow at the same time: in the IP mode it has the lock
 * of TCP's sock.
 */
static void tune_grow(struct sock *sk, int *size, int most, u8 locked)
{
	int now = READ_ONCE(*size);

	bh_lock_sock(sk);
	if (!sock_owned_by_user(sk) &&
	    !(prp_front(sk)->sk_userlocks & locked) && now < most)
		cmpxchg(size, now, min(2 * now, most));
	bh_unlock_sock(sk);
}

/**
 * __prp_tune_read() - the program has read
 * @psk: socket, its rx_mutex held
 * @conn: its connection, its lock held; rx.mem is without what was read
 *
 * Each time that a whole window has come within TUNE_TICKS, and the program has
 * read it, the buffer grows if there is memory for that, and if it holds fewer
 * segments than may be in flight. Who is more than half a buffer behind for two
 * windows reads slowly: more room would be no help. Segments are counted, and
 * not bytes: those of a window need less memory than was reckoned. The next
 * take has the connection promise more.
 */
void __prp_tune_read(struct prp_sock *psk, struct prp_conn *conn)
{
	u32 came = conn->rcv.nxt - psk->rd_tune_seq;
	u32 rcvbuf = conn->rx.rcvbuf;
	u32 window = prp_rx_window_empty(rcvbuf, conn->rx.shift);
	u64 now;

	lockdep_assert_held(&conn->lock);
	if (likely(window == PRP_WIN))
		return;
	if (conn->rx.mem > rcvbuf / 2) {
		if (came > 2 * window)
			psk->rd_tune_tick = 0;
		return;
	}
	now = prp_timers_now();
	if (now > psk->rd_tune_tick + TUNE_TICKS)
		came = 0;
	else if (likely(came < window))
		return;
	psk->rd_tune_seq = conn->rcv.nxt;
	psk->rd_tune_tick = now;
	if (came && conn->rx.most == rcvbuf &&
	    __prp_account_has_rx(conn, 2 * rcvbuf - conn->rx.mem))
		tune_grow(&psk->sk, &psk->sk.sk_rcvbuf, PRP_RCVBUF_GROWN,
			  SOCK_RCVBUF_LOCK);
}

/**
 * __prp_tune_full() - an acknowledgment has found a writer who waits
 * @psk: socket
 * @conn: its connection, its lock held
 * @held: tx.bytes before it
 *
 * The buffer grows if it was full, all that is in it has been sent and more
 * might be in flight, so that it is what holds the sender back, if it holds
 * fewer segments than may be in flight, and if there is memory. Not where there
 * are messages, whose size it bounds. To look when the program begins to wait
 * is too early: a pace has what it wrote last still unsent.
 */
void __prp_tune_full(struct prp_sock *psk, struct prp_conn *conn, u32 held)
{
	u32 window = PRP_WIN * (conn->seg_size + PRP_SEG_OVERHEAD);
	u32 sndbuf = prp_sndbuf(&psk->sk);
	u32 nxt = conn->snd.nxt;

	lockdep_assert_held(&conn->lock);
	if (likely(sndbuf >= min_t(u32, window, PRP_SNDBUF_GROWN)) ||
	    conn->messages || held < sndbuf / 3 * 2)
		return;
	if (nxt != conn->tx.end && !__prp_output_waits(conn, nxt))
		return;
	if (prp_snd_new_allowed(&conn->snd) &&
	    prp_snd_in_flight(&conn->snd) < prp_cong_window(&conn->cong) &&
	    prp_pool_has(conn->pn, prp_account_tx_lacks(conn, sndbuf)))
		tune_grow(&psk->sk, &psk->sk.sk_sndbuf, PRP_SNDBUF_GROWN,
			  SOCK_SNDBUF_LOCK);
}
