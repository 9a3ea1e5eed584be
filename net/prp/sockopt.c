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

static int set_checksum(struct sock *sk, sockptr_t val, unsigned int len)
{
	int err = -EISCONN;
	u32 on;

	if (len != sizeof(on))
		return -EINVAL;
	if (copy_from_sockptr(&on, val, sizeof(on)))
		return -EFAULT;
	if (on > 1)
		return -EINVAL;
	lock_sock(sk);
	if (sk->sk_state == PRP_CLOSE && !prp_sock_conn(prp_sk(sk))) {
		WRITE_ONCE(prp_sk(sk)->checksum, on);
		err = 0;
	}
	release_sock(sk);
	return err;
}

/**
 * prp_setsockopt() - set an option at level SOL_PRP
 * @sock: socket
 * @level: level
 * @name: PRP_USER_TIMEOUT or PRP_CHECKSUM
 * @val: value
 * @len: its length
 *
 * Return: 0, -ENOPROTOOPT, -EINVAL, -EFAULT, or -EISCONN where it is too
 * late.
 */
int prp_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
		   unsigned int len)
{
	if (level == SOL_PRP && name == PRP_USER_TIMEOUT)
		return set_timeout(sock->sk, val, len);
	if (level == SOL_PRP && name == PRP_CHECKSUM)
		return set_checksum(sock->sk, val, len);
	return -ENOPROTOOPT;
}

static void fill_conn(struct prp_info *info, struct prp_conn *conn)
{
	spin_lock_bh(&conn->lock);
	info->prpi_seg_size = conn->seg_size;
	info->prpi_path_size = conn->path_size;
	info->prpi_rtt_us = conn->srtt_us8 / 8;
	info->prpi_rttvar_us = conn->rttvar_us4 / 4;
	info->prpi_cwnd = conn->cong.cwnd;
	info->prpi_in_flight = prp_snd_in_flight(&conn->snd);
	info->prpi_in_flight_max = conn->stats.in_flight_max;
	info->prpi_snd_wnd = conn->snd.edge - conn->snd.una;
	info->prpi_rcv_wnd = conn->rcv.edge - conn->rcv.nxt;
	info->prpi_queued = conn->tx_end - conn->snd.nxt;
	info->prpi_reorder = conn->snd.reorder;
	info->prpi_segs_out = conn->stats.segs_out;
	info->prpi_segs_repeated = conn->stats.segs_repeated;
	info->prpi_segs_in = conn->stats.segs_in;
	info->prpi_segs_dup_in = conn->stats.segs_dup_in;
	info->prpi_acks_out = conn->stats.acks_out;
	info->prpi_acks_in = conn->stats.acks_in;
	info->prpi_probes_out = conn->stats.probes_out;
	info->prpi_bytes_out = conn->stats.bytes_out;
	info->prpi_bytes_in = conn->stats.bytes_in;
	spin_unlock_bh(&conn->lock);
}

static void fill_info(struct sock *sk, struct prp_info *info)
{
	struct prp_conn *conn;

	memset(info, 0, sizeof(*info));
	lock_sock(sk);
	info->prpi_state = READ_ONCE(sk->sk_state);
	conn = rcu_dereference_protected(prp_sk(sk)->conn,
					 lockdep_sock_is_held(sk));
	if (conn)
		fill_conn(info, conn);
	release_sock(sk);
}

/**
 * prp_getsockopt() - read an option at level SOL_PRP
 * @sock: socket
 * @level: level
 * @name: PRP_INFO, PRP_USER_TIMEOUT or PRP_CHECKSUM
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
	u32 value;
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
		value = READ_ONCE(prp_sk(sock->sk)->timeout_ms);
		from = &value;
		n = min_t(unsigned int, n, sizeof(value));
	} else if (level == SOL_PRP && name == PRP_CHECKSUM) {
		value = READ_ONCE(prp_sk(sock->sk)->checksum);
		from = &value;
		n = min_t(unsigned int, n, sizeof(value));
	} else {
		return -ENOPROTOOPT;
	}
	if (put_user(n, len) || copy_to_user(val, from, n))
		return -EFAULT;
	return 0;
}
