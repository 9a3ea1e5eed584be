// SPDX-License-Identifier: GPL-2.0
/*
 * Data, readiness and ends in the IP mode: handed on to who carries the
 * connection, and until that is known to who will say so.
 */
#include <linux/errqueue.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/tcp.h>

#include "compat/splice.h"
#include "inet/inet.h"

/* Is it not decided who carries the connection? Or is it to be TCP, whose
 * connect() inet_go_on() has not called yet?
 */
static bool io_is_undecided(const struct prp_inet *inet)
{
	u8 path = READ_ONCE(inet->path);

	return path == PRP_PATH_NONE ||
	       (path == PRP_PATH_TCP &&
		READ_ONCE(inet->sk->sk_state) == PRP_CONN_WAIT);
}

/* Wait while it is not decided who carries the connection. Return: 0 once it
 * is, or PRP was not asked; or a negative errno.
 */
static int io_wait_decided(struct prp_inet *inet, long timeo)
{
	int err = prp_wake_wait_connected(inet->sk, &timeo);

	smp_rmb(); /* pairs with prp_inet_connect_changed() and inet_go_on() */
	return err;
}

/* Data with the first segment are TCP's alone. Return: as TCP's sendmsg(), or
 * -EOPNOTSUPP.
 */
static int io_fast_open(struct prp_inet *inet, struct msghdr *msg, size_t len)
{
	struct sock *sk = inet->sk;
	bool fresh;
	int ret;

	lock_sock(sk);
	fresh = inet->path == PRP_PATH_NONE && sk->sk_state == PRP_CLOSE &&
		!inet->required && !prp_inet_is_child(inet);
	if (fresh) {
		inet->why = (struct prp_why){ .prpw_level = IPPROTO_TCP,
					      .prpw_name = TCP_FASTOPEN };
		WRITE_ONCE(prp_front(sk)->sk_err, 0); /* of the one before */
		prp_inet_connect_take_tcp(inet, PRP_WHY_OPTION);
		inet->beginning = true;
	}
	release_sock(sk);
	if (!prp_inet_over_tcp(inet))
		return -EOPNOTSUPP;
	ret = inet->tcp_ops->sendmsg(inet->tcp, msg, len);
	if (fresh)
		prp_inet_connect_begun(inet);
	return ret;
}

static int io_send_prp(struct prp_inet *inet, struct msghdr *msg, size_t len)
{
	if (READ_ONCE(inet->corked))
		msg->msg_flags |= MSG_MORE;
	return prp_sendmsg(inet->own, msg, len);
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
	struct prp_inet *inet = prp_inet_of(sock);
	int err = 0;

	if (unlikely(msg->msg_flags & MSG_FASTOPEN))
		return io_fast_open(inet, msg, len);
	if (io_is_undecided(inet))
		err = io_wait_decided(inet,
				      sock_sndtimeo(prp_front(inet->sk),
						    msg->msg_flags &
							    MSG_DONTWAIT));
	if (err)
		return err;
	if (prp_inet_over_prp(inet))
		return io_send_prp(inet, msg, len);
	return inet->tcp_ops->sendmsg(sock, msg, len);
}

/* TCP_INQ: how much is left to be read? As TCP has it, a byte at the end. */
static void io_put_unread(struct prp_inet *inet, struct msghdr *msg)
{
	const struct prp_sock *psk = prp_sk(inet->sk);
	const struct prp_conn *conn;
	int unread = 0;

	rcu_read_lock();
	conn = rcu_dereference(psk->conn);
	if (conn)
		unread = min_t(u64, prp_sock_unread_bytes(psk, conn), INT_MAX);
	if (conn && !unread)
		unread = READ_ONCE(conn->peer_end);
	rcu_read_unlock();
	put_cmsg(msg, SOL_TCP, TCP_CM_INQ, sizeof(unread), &unread);
}

static int io_recv_prp(struct prp_inet *inet, struct msghdr *msg, size_t len,
		       int flags)
{
	int ret = prp_recvmsg(inet->own, msg, len, flags);

	if (unlikely(READ_ONCE(inet->inq)) && ret >= 0)
		io_put_unread(inet, msg);
	return ret;
}

/* A note of MSG_ZEROCOPY of a child's, as TCP has it: nobody has offended. */
static int io_recv_note(struct prp_inet *inet, struct msghdr *msg)
{
	struct {
		struct sock_extended_err err;
		struct sockaddr_in6 offender;
	} note = {};
	struct sk_buff *skb = sock_dequeue_err_skb(inet->sk);

	if (!skb)
		return -EAGAIN;
	note.err = SKB_EXT_ERR(skb)->ee;
	consume_skb(skb);
	if (inet->family == AF_INET6)
		put_cmsg(msg, SOL_IPV6, IPV6_RECVERR, sizeof(note), &note);
	else
		put_cmsg(msg, SOL_IP, IP_RECVERR,
			 offsetof(typeof(note), offender) +
				 sizeof(struct sockaddr_in),
			 &note);
	msg->msg_flags |= MSG_ERRQUEUE;
	return 0;
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
	struct prp_inet *inet = prp_inet_of(sock);
	int err;

	if (!(flags & MSG_ERRQUEUE) && io_is_undecided(inet)) {
		err = io_wait_decided(inet,
				      sock_rcvtimeo(prp_front(inet->sk),
						    flags & MSG_DONTWAIT));
		if (err)
			return err;
	}
	if (unlikely(flags & MSG_ERRQUEUE) && prp_inet_is_child(inet))
		return io_recv_note(inet, msg);
	if (prp_inet_over_prp(inet) && !(flags & MSG_ERRQUEUE))
		return io_recv_prp(inet, msg, len, flags);
	return inet->tcp_ops->recvmsg(sock, msg, len, flags);
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
	const struct prp_inet *inet = prp_inet_of(sock);

	if (prp_inet_over_tcp(inet) && inet->tcp_ops->splice_read)
		return inet->tcp_ops->splice_read(sock, ppos, pipe, len, flags);
	return prp_compat_splice_read(sock->file, ppos, pipe, len, flags);
}

/**
 * prp_inet_splice_eof() - a file is shorter than sendfile() was told
 * @sock: socket
 */
void prp_inet_splice_eof(struct socket *sock)
{
	const struct prp_inet *inet = prp_inet_of(sock);

	if (prp_inet_over_tcp(inet))
		prp_compat_splice_eof(inet->tcp_ops, sock);
	else if (prp_inet_over_prp(inet) && !READ_ONCE(inet->corked))
		prp_splice_eof(inet->own);
}

/* Of a listener: what TCP tells of one that nobody is to accept, with
 * PRP_REQUIRE, is not said; who then called accept() would wait.
 */
static __poll_t io_poll_listener(struct file *file, struct socket *sock)
{
	const struct prp_inet *inet = prp_inet_of(sock);
	__poll_t tcp = inet->tcp_ops->poll(file, sock, NULL) & ~EPOLLERR;

	if (unlikely(inet->required) && tcp & EPOLLIN &&
	    !prp_inet_accept_has_tcp(inet))
		tcp &= ~(EPOLLIN | EPOLLRDNORM);
	return prp_poll(file, inet->own, NULL) | tcp;
}

/**
 * prp_inet_poll() - poll()
 * @file: what the program holds
 * @sock: socket
 * @wait: where to note who waits
 *
 * PRP and TCP wake who waits at the same queue.
 *
 * Return: events.
 */
__poll_t prp_inet_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	const struct prp_inet *inet = prp_inet_of(sock);
	u8 state;

	sock_poll_wait(file, sock, wait);
	state = READ_ONCE(inet->sk->sk_state);
	smp_rmb(); /* pairs with prp_inet_connect_changed() and inet_go_on() */
	if (prp_inet_over_prp(inet))
		return prp_poll(file, inet->own, NULL);
	if (state == PRP_CONN_WAIT)
		return 0;
	if (state == PRP_LISTEN)
		return io_poll_listener(file, sock);
	return inet->tcp_ops->poll(file, sock, NULL);
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
	struct prp_inet *inet = prp_inet_of(sock);
	struct socket *tcp;
	int err;

	if (prp_inet_over_prp(inet) ||
	    READ_ONCE(inet->sk->sk_state) == PRP_CONN_WAIT) {
		err = prp_ioctl(inet->own, cmd, arg);
		if (err != -ENOIOCTLCMD)
			return err;
	}
	lock_sock(inet->sk);
	tcp = prp_inet_sockopt_companion(inet->sk);
	release_sock(inet->sk);
	return IS_ERR(tcp) ? PTR_ERR(tcp) : inet->tcp_ops->ioctl(tcp, cmd, arg);
}

/* Stop to listen at both. The number may have been given up by TCP. */
static int shutdown_listener(struct prp_inet *inet, int how)
{
	struct sock *sk = inet->sk;
	int err;

	err = inet->tcp_ops->shutdown(inet->tcp, how) ?:
		      prp_shutdown(inet->own, how);
	lock_sock(sk);
	if (sk->sk_state == PRP_CLOSE)
		prp_inet_addr_follow(inet);
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
		prp_inet_connect_give_up(sk);
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
	struct prp_inet *inet = prp_inet_of(sock);

	if (prp_inet_over_prp(inet))
		return prp_shutdown(inet->own, how);
	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	if (READ_ONCE(inet->sk->sk_state) == PRP_LISTEN)
		return shutdown_listener(inet, how);
	if (shutdown_connecting(inet->sk))
		return 0;
	smp_rmb(); /* pairs with prp_inet_connect_changed() */
	if (prp_inet_over_prp(inet)) /* its answer has just come */
		return prp_shutdown(inet->own, how);
	return inet->tcp_ops->shutdown(sock, how);
}
