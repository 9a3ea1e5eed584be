/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SO_BUSY_POLL: who waits looks for a while after the device himself, before
 * he sleeps.
 */
#ifndef _PRP_BUSY_POLL_H
#define _PRP_BUSY_POLL_H

#include <net/busy_poll.h>

#include "socket/sock.h"

void prp_busy_poll_wait(struct sock *sk, struct prp_conn *conn, u64 seen);

/**
 * prp_busy_poll_is_on() - does a socket look after its device itself?
 * @sk: socket
 *
 * Return: true if so.
 */
static inline bool prp_busy_poll_is_on(const struct sock *sk)
{
	return unlikely(sk_can_busy_loop(prp_front(sk)));
}

/**
 * prp_busy_poll_inherit() - a child's options are its listener's
 * @sk: child
 * @front: prp_front() of its listener
 */
static inline void prp_busy_poll_inherit(struct sock *sk,
					 const struct sock *front)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	sk->sk_ll_usec = READ_ONCE(front->sk_ll_usec);
	sk->sk_prefer_busy_poll = READ_ONCE(front->sk_prefer_busy_poll);
	sk->sk_busy_poll_budget = READ_ONCE(front->sk_busy_poll_budget);
#endif
}

#endif /* _PRP_BUSY_POLL_H */
