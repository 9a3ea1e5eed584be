// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of the IP mode are made and ended here, with their companions.
 */
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat/splice.h"
#include "inet.h"

static struct workqueue_struct *inet_queue;

/**
 * prp_inet_queue() - have it decided who carries a socket's connection
 * @inet: what the socket has in the IP mode
 */
void prp_inet_queue(struct prp_inet *inet)
{
	sock_hold(inet->sk);
	if (!queue_work(inet_queue, &inet->decide))
		sock_put(inet->sk);
}

/* Make a companion. It wakes who waits for the socket that it belongs to, so
 * that there is one wait queue, and one list of who wants SIGIO. The two
 * struct sockets stay apart: TCP's own modules change the companion's ops.
 */
static int companion_make(struct socket *sock, struct net *net,
			  sa_family_t family, int kern, struct socket **res)
{
	struct socket *tcp;
	int err;

	err = __sock_create(net, family, SOCK_STREAM, IPPROTO_TCP, &tcp, kern);
	if (err)
		return err;
	lock_sock(tcp->sk);
	sock_set_flag(tcp->sk, SOCK_FASYNC);
	write_lock_bh(&tcp->sk->sk_callback_lock);
	rcu_assign_pointer(tcp->sk->sk_wq, &sock->wq);
	write_unlock_bh(&tcp->sk->sk_callback_lock);
	release_sock(tcp->sk);
	*res = tcp;
	return 0;
}

/* It has borrowed the program's file for as long as it lives. */
static void companion_release(struct socket *tcp)
{
	if (!tcp)
		return;
	write_lock_bh(&tcp->sk->sk_callback_lock);
	WRITE_ONCE(tcp->file, NULL);
	write_unlock_bh(&tcp->sk->sk_callback_lock);
	sock_release(tcp);
}

/**
 * prp_inet_lend_file() - let TCP know the program's file
 * @sock: socket
 * @tcp: its companion
 *
 * TCP sends signals to the file's owner, firewall rules ask who it is, and
 * splice() how it was opened.
 */
void prp_inet_lend_file(struct socket *sock, struct socket *tcp)
{
	if (READ_ONCE(tcp->file) != sock->file)
		WRITE_ONCE(tcp->file, sock->file);
}

/**
 * prp_inet_companion() - a socket's companion, made if there is none
 * @sk: socket, its sk_lock held; not closed
 *
 * Return: the companion, or an error pointer.
 */
struct socket *prp_inet_companion(struct sock *sk)
{
	struct prp_inet *inet = prp_inet(sk);
	struct socket *tcp;
	int err;

	sock_owned_by_me(sk);
	if (inet->tcp)
		return inet->tcp;
	err = companion_make(sk->sk_socket, sock_net(sk), inet->family, 0,
			     &tcp);
	if (err)
		return ERR_PTR(err);
	spin_lock_bh(&inet->lock);
	WRITE_ONCE(inet->tcp, tcp);
	spin_unlock_bh(&inet->lock);
	return tcp;
}

static struct prp_inet *inet_alloc(struct sock *sk, sa_family_t family)
{
	struct prp_inet *inet = kzalloc(sizeof(*inet), GFP_KERNEL_ACCOUNT);

	if (!inet)
		return NULL;
	inet->sk = sk;
	inet->family = family;
	inet->path = PRP_PATH_NONE;
	spin_lock_init(&inet->lock);
	INIT_WORK(&inet->decide, prp_inet_decide);
	prp_inet_race_init(inet);
	return inet;
}

/**
 * prp_inet_adopt() - make a child's socket one of the IP mode
 * @psk: socket that gets a connection of PRP
 * @listener: listener of the IP mode
 * @sock: what the program is to hold
 *
 * Return: 0 or -ENOMEM.
 */
int prp_inet_adopt(struct prp_sock *psk, const struct prp_sock *listener,
		   struct socket *sock)
{
	const struct prp_inet *parent = listener->inet;
	struct prp_inet *inet = inet_alloc(&psk->sk, parent->family);

	if (!inet)
		return -ENOMEM;
	inet->path = PRP_PATH_PRP;
	inet->required = parent->required;
	inet->nodelay = parent->nodelay;
	inet->user_timeout = parent->user_timeout;
	smp_store_release(&psk->inet, inet); /* a dump may look at it */
	prp_compat_custom_sockopt(sock);
	return 0;
}

/* close(): PRP's part first, then TCP's, which may linger. Return: 0. */
static int inet_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_inet *inet;
	struct socket *tcp;

	if (!sk)
		return 0;
	inet = prp_inet(sk);
	lock_sock(sk);
	prp_inet_race_end(inet);
	spin_lock_bh(&inet->lock);
	tcp = inet->tcp;
	inet->tcp = NULL;
	inet->closed = true;
	spin_unlock_bh(&inet->lock);
	if (tcp)
		prp_inet_sync(sk, tcp); /* SO_LINGER */
	release_sock(sk);
	prp_release(sock);
	companion_release(tcp);
	return 0;
}

static const struct proto_ops inet_ops = { .family = PF_PRP,
					   .owner = THIS_MODULE,
					   .release = inet_release,
					   .bind = prp_inet_bind,
					   .connect = prp_inet_connect,
					   .socketpair = sock_no_socketpair,
					   .accept = prp_inet_accept,
					   .getname = prp_inet_getname,
					   .poll = prp_inet_poll,
					   .ioctl = prp_inet_ioctl,
					   .listen = prp_inet_listen,
					   .shutdown = prp_inet_shutdown,
					   .setsockopt = prp_inet_setsockopt,
					   .getsockopt = prp_inet_getsockopt,
					   .sendmsg = prp_inet_sendmsg,
					   .recvmsg = prp_inet_recvmsg,
					   .set_rcvlowat =
						   prp_inet_set_rcvlowat,
					   .mmap = sock_no_mmap,
					   .splice_read = prp_inet_splice_read,
					   PRP_COMPAT_INET_SENDPAGE };

/**
 * prp_inet_create() - socket() in the IP mode
 * @net: namespace
 * @sock: what the program holds
 * @protocol: PRPPROTO_INET or PRPPROTO_INET6
 * @kern: made by the kernel for itself
 *
 * sk_protocol stays 0: the numbers are no protocols of IP, and 6 is TCP's,
 * which must not be read in a socket that is not TCP's.
 *
 * Return: 0, -ENOMEM, or why there is no TCP socket.
 */
int prp_inet_create(struct net *net, struct socket *sock, int protocol,
		    int kern)
{
	sa_family_t family = protocol == PRPPROTO_INET6 ? AF_INET6 : AF_INET;
	struct prp_inet *inet;
	struct socket *tcp;
	struct sock *sk;
	int err;

	err = companion_make(sock, net, family, kern, &tcp);
	if (err)
		return err;
	err = -ENOMEM;
	inet = inet_alloc(NULL, family);
	if (!inet)
		goto err_tcp;
	sk = prp_sock_alloc(net, sock, kern);
	if (!sk)
		goto err_inet;
	inet->sk = sk;
	inet->tcp = tcp;
	/* a dump may look at it */
	smp_store_release(&prp_sk(sk)->inet, inet);
	sock->ops = &inet_ops;
	prp_compat_custom_sockopt(sock);
	return 0;

err_inet:
	kfree(inet);
err_tcp:
	companion_release(tcp);
	return err;
}

/**
 * prp_inet_init() - make the work queue
 *
 * Return: 0 or -ENOMEM.
 */
int prp_inet_init(void)
{
	inet_queue = alloc_workqueue("prp_inet", WQ_UNBOUND, 0);
	return inet_queue ? 0 : -ENOMEM;
}

/**
 * prp_inet_exit() - wait for the last of the work; no socket is left
 */
void prp_inet_exit(void)
{
	destroy_workqueue(inet_queue);
}
