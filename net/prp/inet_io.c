// SPDX-License-Identifier: GPL-2.0
/*
 * Data, readiness and ends in the IP mode: handed on to who carries the
 * connection, and until that is known to who will say so.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/tcp.h>

#include "compat/splice.h"
#include "inet.h"

/* Wait while it is not decided who carries the connection. Return: the
 * companion if TCP does, or PRP does not; NULL if PRP does; an error pointer.
 */
static struct socket *io_decided(struct sock *sk, long timeo)
{
	struct prp_inet *inet = prp_inet(sk);
	int err = prp_sock_wait_connected(sk, &timeo);

	if (err)
		return ERR_PTR(err);
	smp_rmb(); /* pairs with prp_inet_changed() and inet_go_on() */
	return READ_ONCE(inet->path) == PRP_PATH_PRP ? NULL : inet->tcp;
}

/* Data with the first segment are TCP's alone. */
static void io_fast_open(struct sock *sk)
{
	struct prp_inet *inet = prp_inet(sk);

	lock_sock(sk);
	if (inet->path == PRP_PATH_NONE && sk->sk_state == PRP_CLOSE &&
	    !inet->required) {
		inet->why = (struct prp_why){ .prpw_level = IPPROTO_TCP,
					      .prpw_name = TCP_FASTOPEN };
		WRITE_ONCE(sk->sk_err, 0); /* of the connection before */
		prp_inet_take_tcp(inet, PRP_WHY_OPTION);
	}
	release_sock(sk);
}

/**
 * prp_inet_sendmsg() - sendmsg() and its relatives
 * @sock: socket
 * @msg: message
 * @len: bytes
 *
 * Return: bytes taken, or a negative errno of prp_sendmsg()'s or TCP's.
 */
int prp_inet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct prp_inet *inet = prp_inet(sk);
	struct socket *tcp;

	if (unlikely(msg->msg_flags & MSG_FASTOPEN)) {
		io_fast_open(sk);
		if (!prp_inet_tcp(sk))
			return -EOPNOTSUPP;
	}
	tcp = prp_inet_tcp(sk);
	if (!tcp && READ_ONCE(inet->path) != PRP_PATH_PRP)
		tcp = io_decided(sk, sock_sndtimeo(sk, msg->msg_flags &
							       MSG_DONTWAIT));
	if (IS_ERR(tcp))
		return PTR_ERR(tcp);
	if (tcp) {
		if (unlikely(READ_ONCE(sk->sk_err)))
			return sock_error(sk);
		prp_inet_sync(sk, tcp);
		return tcp->ops->sendmsg(tcp, msg, len);
	}
	if (READ_ONCE(inet->corked))
		msg->msg_flags |= MSG_MORE;
	return prp_sendmsg(sock, msg, len);
}

/**
 * prp_inet_recvmsg() - recvmsg() and its relatives
 * @sock: socket
 * @msg: where to
 * @len: bytes wanted
 * @flags: flags
 *
 * Return: bytes, or a negative errno of prp_recvmsg()'s or TCP's.
 */
int prp_inet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		     int flags)
{
	struct sock *sk = sock->sk;
	struct prp_inet *inet = prp_inet(sk);
	struct socket *tcp = prp_inet_tcp(sk);
	int ret;

	if (!tcp && READ_ONCE(inet->path) != PRP_PATH_PRP)
		tcp = io_decided(sk, sock_rcvtimeo(sk, flags & MSG_DONTWAIT));
	if (IS_ERR(tcp))
		return PTR_ERR(tcp);
	if (!tcp)
		return prp_recvmsg(sock, msg, len, flags);
	prp_inet_sync(sk, tcp);
	ret = tcp->ops->recvmsg(tcp, msg, len, flags);
	/* the error that poll() has taken over comes behind the data */
	if (unlikely(ret <= 0 && READ_ONCE(sk->sk_err)))
		ret = sock_error(sk) ?: ret;
	return ret;
}

/**
 * prp_inet_splice_read() - splice() to a pipe
 * @sock: socket
 * @ppos: must be 0
 * @pipe: where to
 * @len: bytes wanted
 * @flags: flags
 *
 * Return: bytes or a negative errno.
 */
ssize_t prp_inet_splice_read(struct socket *sock, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags)
{
	struct socket *tcp = prp_inet_tcp(sock->sk);

	if (!tcp || !tcp->ops->splice_read)
		return prp_compat_splice_read(sock->file, ppos, pipe, len,
					      flags);
	prp_inet_lend_file(sock, tcp);
	return tcp->ops->splice_read(tcp, ppos, pipe, len, flags);
}

/* What TCP says. Its error becomes ours, where SO_ERROR looks for it: that
 * is not told to the protocol.
 */
static __poll_t poll_tcp(struct file *file, struct sock *sk, struct socket *tcp)
{
	__poll_t mask;
	int err;

	prp_inet_sync(sk, tcp);
	mask = tcp->ops->poll(file, tcp, NULL);
	if (likely(!(mask & EPOLLERR)))
		return READ_ONCE(sk->sk_err) ? mask | EPOLLERR : mask;
	err = sock_error(tcp->sk);
	if (err)
		WRITE_ONCE(sk->sk_err, -err);
	return mask;
}

/**
 * prp_inet_poll() - poll()
 * @file: what the program holds
 * @sock: socket
 * @wait: where to note who waits
 *
 * TCP wakes who waits at our queue.
 *
 * Return: events.
 */
__poll_t prp_inet_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct sock *sk = sock->sk;
	struct prp_inet *inet = prp_inet(sk);
	u8 state;

	sock_poll_wait(file, sock, wait);
	state = READ_ONCE(sk->sk_state);
	smp_rmb(); /* pairs with prp_inet_changed() and inet_go_on() */
	if (READ_ONCE(inet->path) == PRP_PATH_PRP)
		return prp_poll(file, sock, NULL);
	if (state == PRP_CONN_WAIT)
		return 0;
	if (state == PRP_LISTEN)
		return prp_poll(file, sock, NULL) |
		       (poll_tcp(file, sk, inet->tcp) & ~EPOLLERR);
	return poll_tcp(file, sk, inet->tcp);
}

/**
 * prp_inet_ioctl() - ioctl()
 * @sock: socket
 * @cmd: command
 * @arg: its argument
 *
 * Return: 0 or a negative errno.
 */
int prp_inet_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct sock *sk = sock->sk;
	struct socket *tcp;
	int err;

	if (READ_ONCE(prp_inet(sk)->path) == PRP_PATH_PRP ||
	    READ_ONCE(sk->sk_state) == PRP_CONN_WAIT) {
		err = prp_ioctl(sock, cmd, arg);
		if (err != -ENOIOCTLCMD)
			return err;
	}
	lock_sock(sk);
	tcp = prp_inet_companion(sk);
	release_sock(sk);
	return IS_ERR(tcp) ? PTR_ERR(tcp) : tcp->ops->ioctl(tcp, cmd, arg);
}

/* Stop to listen at both. The number may have been given up by TCP. */
static int shutdown_listener(struct socket *sock, struct socket *tcp, int how)
{
	struct sock *sk = sock->sk;
	int err;

	err = tcp->ops->shutdown(tcp, how) ?: prp_shutdown(sock, how);
	lock_sock(sk);
	if (sk->sk_state == PRP_CLOSE && !tcp->sk->sk_num)
		prp_port_release(prp_net(sock_net(sk)), prp_sk(sk));
	release_sock(sk);
	return err;
}

/* Nobody goes on with what is being connected. Return: true if it was. */
static bool shutdown_connecting(struct sock *sk)
{
	bool was;

	lock_sock(sk);
	was = sk->sk_state == PRP_CONN_WAIT;
	if (was)
		prp_inet_give_up(sk);
	release_sock(sk);
	return was;
}

/**
 * prp_inet_shutdown() - shutdown()
 * @sock: socket
 * @how: SHUT_RD, SHUT_WR or SHUT_RDWR
 *
 * Return: 0 or a negative errno.
 */
int prp_inet_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;
	struct prp_inet *inet = prp_inet(sk);

	if (READ_ONCE(inet->path) == PRP_PATH_PRP)
		return prp_shutdown(sock, how);
	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	if (READ_ONCE(sk->sk_state) == PRP_LISTEN)
		return shutdown_listener(sock, inet->tcp, how);
	if (shutdown_connecting(sk))
		return 0;
	return inet->tcp->ops->shutdown(inet->tcp, how);
}
