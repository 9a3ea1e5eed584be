// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options at level SOL_PRP, and what those of SOL_SOCKET mean that the
 * kernel asks us about.
 */
#include <linux/bpf.h>

#include "inet/inet.h"
#include "network/table.h"
#include "socket/deliver.h"
#include "socket/keepalive.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/output.h"
#include "transport/watch.h"

#define TIMEOUT_MS_MIN 100
#define TIMEOUT_MS_MAX 3600000

/**
 * prp_sockopt_set_timeout() - set PRP_USER_TIMEOUT
 * @sk: socket, its sk_lock held
 * @ms: milliseconds, 0 for the default
 */
void prp_sockopt_set_timeout(struct sock *sk, u32 ms)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn = prp_sock_conn(psk);

	WRITE_ONCE(psk->timeout_ms, ms);
	if (!conn)
		return;
	spin_lock_bh(&conn->lock);
	__prp_watch_set_patience(conn, ms);
	spin_unlock_bh(&conn->lock);
}

/**
 * prp_sockopt_set_notsent() - set PRP_NOTSENT_LOWAT
 * @sk: socket, its sk_lock held
 * @bytes: bytes, 0 for no bound
 */
void prp_sockopt_set_notsent(struct sock *sk, u32 bytes)
{
	struct prp_conn *conn = prp_sock_conn(prp_sk(sk));

	WRITE_ONCE(prp_sk(sk)->notsent_lowat, bytes);
	if (conn)
		WRITE_ONCE(conn->tx.notsent_lowat, bytes);
	sk->sk_write_space(sk);
}

/**
 * prp_sockopt_set_nodelay() - set PRP_NODELAY
 * @sk: socket, its sk_lock held
 * @on: no short segment waits for others
 */
void prp_sockopt_set_nodelay(struct sock *sk, bool on)
{
	struct prp_conn *conn = prp_sock_conn(prp_sk(sk));

	WRITE_ONCE(prp_sk(sk)->nodelay, on);
	if (!conn)
		return;
	spin_lock_bh(&conn->lock);
	conn->tx.nodelay = on;
	prp_output_unlock(conn);
}

static int set_nodelay(struct sock *sk, u32 on)
{
	if (on > 1)
		return -EINVAL;
	prp_sockopt_set_nodelay(sk, on);
	return 0;
}

static int set_timeout(struct sock *sk, u32 ms)
{
	if (ms && (ms < TIMEOUT_MS_MIN || ms > TIMEOUT_MS_MAX))
		return -EINVAL;
	prp_sockopt_set_timeout(sk, ms);
	return 0;
}

static int set_checksum(struct sock *sk, u32 on)
{
	if (on > 1)
		return -EINVAL;
	if (sk->sk_state != PRP_CLOSE || prp_sock_conn(prp_sk(sk)))
		return -EISCONN;
	WRITE_ONCE(prp_sk(sk)->checksum, on);
	return 0;
}

/* Not in the IP mode, where SO_REUSEPORT asks TCP. */
static int set_reuseport(struct sock *sk, u32 on)
{
	if (prp_inet(sk))
		return -ENOPROTOOPT;
	if (on > 1)
		return -EINVAL;
	prp_sk(sk)->reuseport = on;
	prp_compat_set_reuseport(sk, on);
	return 0;
}

/* SO_ZEROCOPY, which the kernel refuses to a family that it does not know; of
 * the IP mode it is TCP's.
 */
static int set_zerocopy(struct sock *sk, u32 on)
{
	if (prp_front(sk) != sk)
		return -ENOPROTOOPT;
	if (on > 1)
		return -EINVAL;
	sock_valbool_flag(sk, SOCK_ZEROCOPY, on);
	return 0;
}

/* SOL_SOCKET, where the kernel asks us first; all but SO_REUSEPORT is its own.
 * A native port has no group that a program could be attached to, and filters
 * are not asked about what arrives.
 */
static int set_generic(struct socket *sock, int name, sockptr_t val,
		       unsigned int len)
{
	int err, value;

	switch (name) {
	case SO_ATTACH_REUSEPORT_CBPF:
	case SO_ATTACH_REUSEPORT_EBPF:
		return -EINVAL;
	case SO_ATTACH_FILTER:
	case SO_ATTACH_BPF:
		return -EOPNOTSUPP;
	case SO_REUSEPORT:
		if (len < sizeof(value))
			return -EINVAL;
		if (copy_from_sockptr(&value, val, sizeof(value)))
			return -EFAULT;
		lock_sock(sock->sk);
		err = set_reuseport(sock->sk, !!value);
		release_sock(sock->sk);
		return err;
	}
	return sock_setsockopt(sock, SOL_SOCKET, name, val, len);
}

/* Take another buffer over without a read, and wake who waits for less now. A
 * program of BPF, which TCP may run for a socket of the IP mode, must not
 * sleep: the next reader does it.
 */
static void rcvlowat_changed(struct prp_sock *psk)
{
	struct sock *sk = &psk->sk;
	struct prp_conn *conn;
	bool readable = false;

	if (unlikely(has_current_bpf_ctx()))
		return;
	mutex_lock(&psk->rx_mutex);
	conn = rcu_dereference_protected(psk->conn,
					 lockdep_is_held(&psk->rx_mutex));
	if (conn) {
		prp_deliver_take(psk, conn);
		prp_deliver_leave(psk, conn);
		readable = prp_sock_is_readable(psk, conn);
	}
	prp_sock_unlock_rx(psk);
	if (readable)
		sk->sk_data_ready(sk);
}

/**
 * prp_set_rcvlowat() - SO_RCVLOWAT of a stream
 * @sk: socket, the sk_lock of its front held
 * @val: bytes
 *
 * As with TCP no more than half of the buffer, which grows for it unless
 * SO_RCVBUF was set: the other half is for what segments occupy besides.
 *
 * Return: 0.
 */
int prp_set_rcvlowat(struct sock *sk, int val)
{
	bool grows = !(prp_front(sk)->sk_userlocks & SOCK_RCVBUF_LOCK);

	sock_owned_by_me(prp_front(sk));
	val = min_t(u32, val, (grows ? PRP_RCVBUF_GROWN : prp_rcvbuf(sk)) / 2);
	WRITE_ONCE(sk->sk_rcvlowat, val ?: 1);
	if (grows && sk->sk_rcvbuf < 2 * val)
		WRITE_ONCE(sk->sk_rcvbuf, 2 * val);
	rcvlowat_changed(prp_sk(sk));
	return 0;
}

static bool is_settable(int name)
{
	return name == PRP_USER_TIMEOUT || name == PRP_CHECKSUM ||
	       name == PRP_KEEPIDLE || name == PRP_KEEPINTVL ||
	       name == PRP_KEEPCNT || name == PRP_NOTSENT_LOWAT ||
	       name == PRP_REUSEPORT || name == PRP_NODELAY ||
	       name == PRP_ZEROCOPY;
}

/* One of these, with the socket's lock held. */
static int set_value(struct sock *sk, int name, u32 value)
{
	switch (name) {
	case PRP_USER_TIMEOUT:
		return set_timeout(sk, value);
	case PRP_CHECKSUM:
		return set_checksum(sk, value);
	case PRP_KEEPIDLE:
	case PRP_KEEPINTVL:
	case PRP_KEEPCNT:
		return prp_keepalive_set(sk, name, value);
	case PRP_NOTSENT_LOWAT:
		prp_sockopt_set_notsent(sk, value);
		return 0;
	case PRP_REUSEPORT:
		return set_reuseport(sk, value);
	case PRP_NODELAY:
		return set_nodelay(sk, value);
	case PRP_ZEROCOPY:
		return set_zerocopy(sk, value);
	}
	return -ENOPROTOOPT;
}

/**
 * prp_setsockopt() - set an option at level SOL_PRP
 * @sock: native socket
 * @level: level; SOL_SOCKET, too, from Linux 6.7 on
 * @name: PRP_USER_TIMEOUT, PRP_CHECKSUM, PRP_KEEPIDLE, PRP_KEEPINTVL,
 *	PRP_KEEPCNT, PRP_NOTSENT_LOWAT, PRP_REUSEPORT, PRP_NODELAY or
 *	PRP_ZEROCOPY
 * @val: value
 * @len: its length
 *
 * Return: 0, -ENOPROTOOPT, -EINVAL, -EFAULT, or -EISCONN where it is too
 * late.
 */
int prp_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
		   unsigned int len)
{
	struct sock *sk = sock->sk;
	u32 value;
	int err;

	if (level == SOL_SOCKET)
		return set_generic(sock, name, val, len);
	if (level != SOL_PRP || !is_settable(name))
		return -ENOPROTOOPT;
	if (len != sizeof(value))
		return -EINVAL;
	if (copy_from_sockptr(&value, val, sizeof(value)))
		return -EFAULT;
	lock_sock(sk);
	err = set_value(sk, name, value);
	release_sock(sk);
	return err;
}

/**
 * prp_sockopt_info() - what PRP_INFO tells
 * @sk: socket, not locked
 * @info: filled in
 * @unacked: set to the bytes that are not acknowledged
 * @unsent: set to those of them that were never sent
 */
void prp_sockopt_info(struct sock *sk, struct prp_info *info, u64 *unacked,
		      u64 *unsent)
{
	struct prp_conn *conn;

	memset(info, 0, sizeof(*info));
	*unacked = 0;
	*unsent = 0;
	lock_sock(sk);
	info->prpi_state = READ_ONCE(sk->sk_state);
	conn = prp_sock_conn(prp_sk(sk));
	if (conn) {
		spin_lock_bh(&conn->lock);
		__prp_account_info(conn, info);
		*unsent = __prp_account_unacked(conn, true);
		*unacked = __prp_account_unacked(conn, false);
		spin_unlock_bh(&conn->lock);
	}
	release_sock(sk);
}

/* Which path carries it, as PRP_PATH tells. */
static u32 get_path(const struct sock *sk)
{
	if (prp_inet(sk))
		return READ_ONCE(prp_inet(sk)->path);
	return READ_ONCE(sk->sk_state) == PRP_ESTABLISHED ? PRP_PATH_PRP :
							    PRP_PATH_NONE;
}

/* What all options but PRP_INFO are. Return: 0 or a negative errno. */
static int get_value(struct sock *sk, int name, u32 *value)
{
	int self;

	switch (name) {
	case PRP_USER_TIMEOUT:
		*value = READ_ONCE(prp_sk(sk)->timeout_ms);
		return 0;
	case PRP_CHECKSUM:
		*value = READ_ONCE(prp_sk(sk)->checksum);
		return 0;
	case PRP_PATH:
		*value = get_path(sk);
		return 0;
	case PRP_NODE:
		self = prp_table_self(prp_net(sock_net(sk)));
		*value = self;
		return min(self, 0);
	case PRP_KEEPIDLE:
	case PRP_KEEPINTVL:
	case PRP_KEEPCNT:
		*value = prp_keepalive_get(sk, name);
		return 0;
	case PRP_NOTSENT_LOWAT:
		*value = READ_ONCE(prp_sk(sk)->notsent_lowat);
		return 0;
	case PRP_REUSEPORT:
		*value = prp_sk(sk)->reuseport;
		return prp_inet(sk) ? -ENOPROTOOPT : 0;
	case PRP_NODELAY:
		*value = READ_ONCE(prp_sk(sk)->nodelay);
		return 0;
	case PRP_ZEROCOPY:
		*value = sock_flag(sk, SOCK_ZEROCOPY);
		return prp_front(sk) != sk ? -ENOPROTOOPT : 0;
	}
	return -ENOPROTOOPT;
}

/**
 * prp_getsockopt() - read an option at level SOL_PRP
 * @sock: socket
 * @level: level
 * @name: PRP_INFO, or another one
 * @val: where to
 * @len: room there; set to what was written
 *
 * What is longer than the room given is cut to it.
 *
 * Return: 0, -ENOPROTOOPT, -EINVAL or -EFAULT; for PRP_NODE also what
 *	prp_table_self() returns.
 */
int prp_getsockopt(struct socket *sock, int level, int name, char __user *val,
		   int __user *len)
{
	struct prp_info info;
	u64 unacked, unsent;
	const void *from;
	u32 value;
	int n, err;

	if (get_user(n, len))
		return -EFAULT;
	if (n < 0)
		return -EINVAL;
	if (level != SOL_PRP)
		return -ENOPROTOOPT;
	if (name == PRP_INFO) {
		prp_sockopt_info(sock->sk, &info, &unacked, &unsent);
		from = &info;
		n = min_t(unsigned int, n, sizeof(info));
	} else {
		err = get_value(sock->sk, name, &value);
		if (err)
			return err;
		from = &value;
		n = min_t(unsigned int, n, sizeof(value));
	}
	if (put_user(n, len) || copy_to_user(val, from, n))
		return -EFAULT;
	return 0;
}
