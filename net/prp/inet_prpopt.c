// SPDX-License-Identifier: GPL-2.0
/*
 * Options at level SOL_PRP in the IP mode: those of a native socket, and
 * PRP_WHY, PRP_REQUIRE and PRP_REUSEPORT, which have to do with TCP.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "inet.h"

static int set_require(struct sock *sk, sockptr_t val, unsigned int len)
{
	struct prp_inet *inet = prp_inet(sk);
	int err = -EISCONN;
	u32 on;

	if (len != sizeof(on))
		return -EINVAL;
	if (copy_from_sockptr(&on, val, sizeof(on)))
		return -EFAULT;
	if (on > 1)
		return -EINVAL;
	lock_sock(sk);
	if (sk->sk_state == PRP_CLOSE && inet->path == PRP_PATH_NONE &&
	    !prp_sock_conn(prp_sk(sk))) {
		inet->required = on;
		err = 0;
	}
	release_sock(sk);
	return err;
}

/* As SO_REUSEPORT, which the kernel may refuse without asking us */
static int set_reuseport(struct socket *sock, sockptr_t val, unsigned int len)
{
	int on;

	if (len != sizeof(on))
		return -EINVAL;
	if (copy_from_sockptr(&on, val, sizeof(on)))
		return -EFAULT;
	if (on != 0 && on != 1)
		return -EINVAL;
	return prp_inet_setsockopt(sock, SOL_SOCKET, SO_REUSEPORT,
				   KERNEL_SOCKPTR(&on), sizeof(on));
}

/**
 * prp_inet_set_own() - set an option at level SOL_PRP
 * @sock: socket
 * @name: option
 * @val: value
 * @len: its length
 *
 * Return: 0 or a negative errno, as prp_setsockopt().
 */
int prp_inet_set_own(struct socket *sock, int name, sockptr_t val,
		     unsigned int len)
{
	if (name == PRP_REQUIRE)
		return set_require(sock->sk, val, len);
	if (name == PRP_REUSEPORT)
		return set_reuseport(sock, val, len);
	return prp_setsockopt(sock, SOL_PRP, name, val, len);
}

/* Return: 0, -EINVAL or -EFAULT. */
static int put(const void *from, size_t size, char __user *val, int __user *len)
{
	int room;

	if (get_user(room, len))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	room = min_t(unsigned int, room, size);
	return put_user(room, len) || copy_to_user(val, from, room) ? -EFAULT :
								      0;
}

static int get_why(struct sock *sk, char __user *val, int __user *len)
{
	const struct prp_inet *inet = prp_inet(sk);
	struct prp_why why = {};

	lock_sock(sk);
	if (prp_inet_tcp(sk) || inet->required)
		why = inet->why;
	release_sock(sk);
	return put(&why, sizeof(why), val, len);
}

/**
 * prp_inet_get_own() - read an option at level SOL_PRP
 * @sock: socket
 * @name: option
 * @val: where to
 * @len: room there; set to what was written
 *
 * Return: 0 or a negative errno, as prp_getsockopt(); -ENOTCONN for PRP_INFO
 *	where TCP carries the connection.
 */
int prp_inet_get_own(struct socket *sock, int name, char __user *val,
		     int __user *len)
{
	struct sock *sk = sock->sk;
	u32 value;

	switch (name) {
	case PRP_WHY:
		return get_why(sk, val, len);
	case PRP_REQUIRE:
		value = READ_ONCE(prp_inet(sk)->required);
		return put(&value, sizeof(value), val, len);
	case PRP_REUSEPORT:
		value = sk->sk_reuseport;
		return put(&value, sizeof(value), val, len);
	case PRP_INFO:
		if (prp_inet_tcp(sk))
			return -ENOTCONN;
	}
	return prp_getsockopt(sock, SOL_PRP, name, val, len);
}
