// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options at level SOL_PRP.
 */
#include "sock.h"

#define TIMEOUT_MS_MIN	100
#define TIMEOUT_MS_MAX	3600000

static int set_timeout(struct sock *sk, sockptr_t val, unsigned int len)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	u32 ms;

	if (len != sizeof(ms))
		return -EINVAL;
	if (copy_from_sockptr(&ms, val, sizeof(ms)))
		return -EFAULT;
	if (ms && (ms < TIMEOUT_MS_MIN || ms > TIMEOUT_MS_MAX))
		return -EINVAL;
	lock_sock(sk);
	WRITE_ONCE(psk->timeout_ms, ms);
	conn = rcu_dereference_protected(psk->conn, lockdep_sock_is_held(sk));
	if (conn) {
		spin_lock_bh(&conn->lock);
		conn->timeout_ms = ms;
		spin_unlock_bh(&conn->lock);
	}
	release_sock(sk);
	return 0;
}

/**
 * prp_setsockopt() - set an option at level SOL_PRP
 * @sock: socket
 * @level: level
 * @name: PRP_USER_TIMEOUT
 * @val: value
 * @len: its length
 *
 * Return: 0, -ENOPROTOOPT, -EINVAL or -EFAULT.
 */
int prp_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
		   unsigned int len)
{
	if (level != SOL_PRP || name != PRP_USER_TIMEOUT)
		return -ENOPROTOOPT;
	return set_timeout(sock->sk, val, len);
}

static void fill_info(struct sock *sk, struct prp_info *info)
{
	struct prp_conn *conn;

	memset(info, 0, sizeof(*info));
	lock_sock(sk);
	info->prpi_state = READ_ONCE(sk->sk_state);
	conn = rcu_dereference_protected(prp_sk(sk)->conn,
					 lockdep_sock_is_held(sk));
	if (conn) {
		spin_lock_bh(&conn->lock);
		__prp_conn_info(conn, info);
		spin_unlock_bh(&conn->lock);
	}
	release_sock(sk);
}

/**
 * prp_getsockopt() - read an option at level SOL_PRP
 * @sock: socket
 * @level: level
 * @name: PRP_INFO or PRP_USER_TIMEOUT
 * @val: where to
 * @len: room there; set to what was written
 *
 * A shorter PRP_INFO than ours is cut to the room given.
 *
 * Return: 0, -ENOPROTOOPT, -EINVAL or -EFAULT.
 */
int prp_getsockopt(struct socket *sock, int level, int name,
		   char __user *val, int __user *len)
{
	struct prp_info info;
	const void *from;
	u32 ms;
	int n;

	if (get_user(n, len))
		return -EFAULT;
	if (n < 0)
		return -EINVAL;
	if (level == SOL_PRP && name == PRP_INFO) {
		fill_info(sock->sk, &info);
		from = &info;
		n = min_t(unsigned int, n, sizeof(info));
	} else if (level == SOL_PRP && name == PRP_USER_TIMEOUT) {
		ms = READ_ONCE(prp_sk(sock->sk)->timeout_ms);
		from = &ms;
		n = min_t(unsigned int, n, sizeof(ms));
	} else {
		return -ENOPROTOOPT;
	}
	if (put_user(n, len) || copy_to_user(val, from, n))
		return -EFAULT;
	return 0;
}
