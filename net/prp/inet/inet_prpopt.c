// SPDX-License-Identifier: GPL-2.0
/*
 * Options at level SOL_PRP in the IP mode: those of a native socket, and
 * PRP_WHY and PRP_REQUIRE, which have to do with TCP.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "inet/inet.h"

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

/**
 * prp_inet_prpopt_set() - set an option at level SOL_PRP
 * @sk: socket
 * @name: option
 * @val: value
 * @len: its length
 *
 * Return: 0 or a negative errno, as prp_setsockopt().
 */
int prp_inet_prpopt_set(struct sock *sk, int name, sockptr_t val,
			unsigned int len)
{
	if (name == PRP_REQUIRE)
		return set_require(sk, val, len);
	return prp_setsockopt(prp_inet(sk)->own, SOL_PRP, name, val, len);
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
	if (prp_inet_over_tcp(inet) || inet->required)
		why = inet->why;
	release_sock(sk);
	return put(&why, sizeof(why), val, len);
}

/**
 * prp_inet_prpopt_get() - read an option at level SOL_PRP
 * @sk: socket
 * @name: option
 * @val: where to
 * @len: room there; set to what was written
 *
 * Return: 0 or a negative errno, as prp_getsockopt(); -ENOTCONN for PRP_INFO
 *	where TCP carries the connection.
 */
int prp_inet_prpopt_get(struct sock *sk, int name, char __user *val,
			int __user *len)
{
	u32 value;

	switch (name) {
	case PRP_WHY:
		return get_why(sk, val, len);
	case PRP_REQUIRE:
		value = READ_ONCE(prp_inet(sk)->required);
		return put(&value, sizeof(value), val, len);
	case PRP_INFO:
		if (prp_inet_over_tcp(prp_inet(sk)))
			return -ENOTCONN;
	}
	return prp_getsockopt(prp_inet(sk)->own, SOL_PRP, name, val, len);
}
