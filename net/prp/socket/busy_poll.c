// SPDX-License-Identifier: GPL-2.0
/*
 * SO_BUSY_POLL: a reader looks for a while after the device that brought his
 * connection's last frame, before he sleeps. The loop is the kernel's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "socket/busy_poll.h"

/**
 * struct busy_wait - what a reader waits for
 * @sk: his socket
 * @conn: its connection
 * @seen: prp_conn.rx.bytes that he has seen
 */
struct busy_wait {
	struct sock *sk;
	struct prp_conn *conn;
	u64 seen;
};

/* Has it come, or has he waited long enough? */
static bool busy_poll_ends(void *arg, unsigned long start)
{
	const struct busy_wait *wait = arg;
	struct sock *front = prp_front(wait->sk);

	return READ_ONCE(wait->conn->rx.bytes) != wait->seen ||
	       READ_ONCE(front->sk_err) ||
	       READ_ONCE(wait->sk->sk_shutdown) & RCV_SHUTDOWN ||
	       sk_busy_loop_timeout(front, start);
}

/**
 * prp_busy_poll_wait() - look after the device that brings a connection's
 *	frames
 * @sk: socket whose prp_busy_poll_is_on()
 * @conn: its connection, which stays
 * @seen: prp_conn.rx.bytes that the reader has seen
 *
 * Until more has come, or the time of SO_BUSY_POLL is up. Nothing is done for a
 * device without NAPI.
 */
void prp_busy_poll_wait(struct sock *sk, struct prp_conn *conn, u64 seen)
{
	struct busy_wait wait = { .sk = sk, .conn = conn, .seen = seen };
	u32 napi_id = READ_ONCE(conn->napi_id);
	struct sock *front = prp_front(sk);

	if (napi_id < MIN_NAPI_ID)
		return;
	napi_busy_loop(napi_id, busy_poll_ends, &wait,
		       READ_ONCE(front->sk_prefer_busy_poll),
		       READ_ONCE(front->sk_busy_poll_budget) ?:
							       BUSY_POLL_BUDGET);
}
