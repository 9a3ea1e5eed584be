// SPDX-License-Identifier: GPL-2.0
/*
 * SO_KEEPALIVE: a connection on which nothing moves asks its peer now and then
 * whether it is still there. The wheels reach a quarter of a second, and turn
 * while something is on them; what waits for seconds or hours is the kernel's
 * own timer of a socket, as TCP's is.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "network/hop.h"
#include "socket/keepalive.h"
#include "socket/sock.h"
#include "transport/recovery.h"
#include "transport/watch.h"
#include "transport/xmit.h"

#define IDLE_MAX_S 32767
#define INTERVAL_MAX_S 32767
#define COUNT_MAX 127

/* What is not set is as the namespace has it for TCP. */
static u32 keep_idle_s(const struct sock *sk)
{
	const struct netns_ipv4 *ip = &sock_net(sk)->ipv4;

	return READ_ONCE(prp_sk(sk)->keep_idle) ?:
		       READ_ONCE(ip->sysctl_tcp_keepalive_time) / HZ;
}

static u32 keep_interval_s(const struct sock *sk)
{
	const struct netns_ipv4 *ip = &sock_net(sk)->ipv4;

	return READ_ONCE(prp_sk(sk)->keep_interval) ?:
		       READ_ONCE(ip->sysctl_tcp_keepalive_intvl) / HZ;
}

static u32 keep_count(const struct sock *sk)
{
	const struct netns_ipv4 *ip = &sock_net(sk)->ipv4;

	return READ_ONCE(prp_sk(sk)->keep_count) ?:
		       READ_ONCE(ip->sysctl_tcp_keepalive_probes);
}

/* A namespace may have no time at all for TCP: the least is a socket's. */
static u32 keep_ms(u32 seconds)
{
	return clamp_t(u64, (u64)seconds * MSEC_PER_SEC, MSEC_PER_SEC, U32_MAX);
}

/* Ask on the rail in use; when that had no answer, on all others, too. */
static void keep_probe(struct prp_sock *psk, struct prp_conn *conn)
{
	unsigned long rails;
	unsigned int r;
	u8 up;

	__prp_xmit_probe(conn, 0);
	psk->keep_heard = conn->watch.heard_tick;
	if (!psk->keep_probes++)
		return;
	prp_hop_ways_rcu(conn->pn, conn->key.peer, &up);
	rails = up & ~BIT(conn->rail);
	for_each_set_bit(r, &rails, PRP_RAILS)
		__prp_xmit_probe_on(conn, r);
}

/* Were there enough probes without an answer? As with TCP a time-out that the
 * user has set counts instead of their number.
 */
static bool keep_is_over(const struct prp_sock *psk,
			 const struct prp_conn *conn, s64 ms)
{
	if (conn->timeout_ms)
		return psk->keep_probes && ms >= conn->timeout_ms;
	return psk->keep_probes >= keep_count(&psk->sk);
}

/* Do what is due. Return: milliseconds until the next time, 0 for never. */
static u32 keep_due(struct prp_sock *psk, struct prp_conn *conn)
{
	u32 idle_ms = keep_ms(keep_idle_s(&psk->sk));
	s64 ms;

	lockdep_assert_held(&conn->lock);
	if (conn->state == PRP_CLOSE)
		return 0;
	/* what waits for an answer has its own patience */
	if (conn->state != PRP_ESTABLISHED || conn->watch.probing)
		return idle_ms;
	ms = __prp_watch_heard_ms(conn);
	if (conn->watch.heard_tick != psk->keep_heard)
		psk->keep_probes = 0;
	if (ms < idle_ms)
		return idle_ms - ms;
	if (keep_is_over(psk, conn, ms)) {
		__prp_recovery_unanswered(conn);
		return 0;
	}
	keep_probe(psk, conn);
	return keep_ms(keep_interval_s(&psk->sk));
}

static void keep_wait(struct sock *sk, u32 ms)
{
	WRITE_ONCE(prp_sk(sk)->keep_waits, true);
	sk_reset_timer(sk, &sk->sk_timer, jiffies + msecs_to_jiffies(ms));
}

/* Is SO_KEEPALIVE told to us? Where it is not the timer runs anyhow. */
static bool keep_is_told(const struct sock *sk)
{
	return prp_front(sk) == sk;
}

static void keep_timer(struct timer_list *timer)
{
	struct sock *sk = container_of(timer, struct sock, sk_timer);
	struct prp_conn *conn;
	u32 ms = keep_is_told(sk) ? 0 : keep_ms(keep_idle_s(sk));

	rcu_read_lock();
	conn = rcu_dereference(prp_sk(sk)->conn);
	if (!conn) {
		ms = 0;
	} else if (sock_flag(prp_front(sk), SOCK_KEEPOPEN)) {
		spin_lock_bh(&conn->lock);
		if (conn->sk == sk)
			ms = keep_due(prp_sk(sk), conn);
		spin_unlock_bh(&conn->lock);
	}
	rcu_read_unlock();
	if (ms)
		keep_wait(sk, ms);
	sock_put(sk);
}

/**
 * prp_keepalive_init() - prepare a socket
 * @sk: socket that nobody else knows yet
 */
void prp_keepalive_init(struct sock *sk)
{
	timer_setup(&sk->sk_timer, keep_timer, 0);
}

/**
 * prp_keepalive_begin() - a socket has got a connection
 * @sk: socket
 */
void prp_keepalive_begin(struct sock *sk)
{
	if (sock_flag(prp_front(sk), SOCK_KEEPOPEN) || !keep_is_told(sk))
		keep_wait(sk, keep_ms(keep_idle_s(sk)));
}

/**
 * prp_keepalive_end() - a socket is closed
 * @sk: socket; none of the locks of its connection is held
 */
void prp_keepalive_end(struct sock *sk)
{
	if (unlikely(READ_ONCE(prp_sk(sk)->keep_waits)))
		sk_stop_timer_sync(sk, &sk->sk_timer);
}

/**
 * prp_keepalive() - SO_KEEPALIVE
 * @sk: socket, its sk_lock held; the flag is as it was
 * @on: what it becomes
 */
void prp_keepalive(struct sock *sk, int on)
{
	if (!on)
		sk_stop_timer(sk, &sk->sk_timer);
	else if (!sock_flag(sk, SOCK_KEEPOPEN) && prp_sock_conn(prp_sk(sk)))
		keep_wait(sk, keep_ms(keep_idle_s(sk)));
}

/**
 * prp_keepalive_set() - set one of the times
 * @sk: socket, its sk_lock held
 * @name: PRP_KEEPIDLE, PRP_KEEPINTVL or PRP_KEEPCNT
 * @val: seconds, or a number
 *
 * Return: 0 or -EINVAL.
 */
int prp_keepalive_set(struct sock *sk, int name, u32 val)
{
	struct prp_sock *psk = prp_sk(sk);

	if (val < 1 || val > (name == PRP_KEEPIDLE  ? IDLE_MAX_S :
			      name == PRP_KEEPINTVL ? INTERVAL_MAX_S :
						      COUNT_MAX))
		return -EINVAL;
	if (name == PRP_KEEPINTVL) {
		WRITE_ONCE(psk->keep_interval, val);
	} else if (name == PRP_KEEPCNT) {
		WRITE_ONCE(psk->keep_count, val);
	} else {
		WRITE_ONCE(psk->keep_idle, val);
		/* the timer knows for how long nothing was heard */
		if (prp_sock_conn(psk) &&
		    (sock_flag(sk, SOCK_KEEPOPEN) || !keep_is_told(sk)))
			keep_wait(sk, 0);
	}
	return 0;
}

/**
 * prp_keepalive_get() - what one of the times is
 * @sk: socket
 * @name: PRP_KEEPIDLE, PRP_KEEPINTVL or PRP_KEEPCNT
 *
 * Return: seconds, or a number.
 */
u32 prp_keepalive_get(const struct sock *sk, int name)
{
	return name == PRP_KEEPIDLE  ? keep_idle_s(sk) :
	       name == PRP_KEEPINTVL ? keep_interval_s(sk) :
				       keep_count(sk);
}

/**
 * prp_keepalive_inherit() - a child has its listener's times
 * @psk: its socket, without a connection yet
 * @listener: the listener
 */
void prp_keepalive_inherit(struct prp_sock *psk,
			   const struct prp_sock *listener)
{
	psk->keep_idle = READ_ONCE(listener->keep_idle);
	psk->keep_interval = READ_ONCE(listener->keep_interval);
	psk->keep_count = READ_ONCE(listener->keep_count);
	if (sock_flag(listener->front, SOCK_KEEPOPEN))
		sock_set_flag(&psk->sk, SOCK_KEEPOPEN);
}
