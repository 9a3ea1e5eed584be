// SPDX-License-Identifier: GPL-2.0
/*
 * The IP mode is put on sockets of TCP's here, and taken off; and children of
 * PRP's get what they need of it.
 */
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/tcp.h>
#include <net/tcp_states.h>

#include "compat/sendpage.h"
#include "compat/splice.h"
#include "inet/inet.h"

static struct prp_inet *inet_alloc(sa_family_t family)
{
	struct prp_inet *inet = kzalloc(sizeof(*inet), GFP_KERNEL_ACCOUNT);

	if (!inet)
		return NULL;
	inet->family = family;
	inet->path = PRP_PATH_NONE;
	inet->quickack = true; /* as a new socket of TCP's */
	INIT_WORK(&inet->decide, prp_inet_connect_decide);
	prp_inet_race_init(inet);
	return inet;
}

/* close(): PRP's part first, then TCP's, which may linger. Return: 0. */
static int inet_release(struct socket *sock)
{
	const struct proto_ops *tcp_ops;
	struct prp_inet *inet;
	struct socket *own;
	struct sock *sk;

	if (!sock->sk)
		return 0;
	inet = prp_inet_of(sock);
	tcp_ops = inet->tcp_ops;
	own = inet->own;
	sk = inet->sk;
	lock_sock(sk);
	prp_inet_race_end(inet);
	inet->closed = true;
	release_sock(sk);
	/* Nobody is in a call of it any more, but a program of BPF that TCP
	 * runs, under its lock. TCP may outlive us.
	 */
	lock_sock(sock->sk);
	WRITE_ONCE(inet_csk(sock->sk)->icsk_ulp_data, NULL);
	release_sock(sock->sk);
	prp_release(own);
	sock_release(own);
	tcp_ops->release(sock);
	module_put(tcp_ops->owner); /* who called puts ours */
	return 0;
}

/* close() of a child of PRP's. Return: 0. */
static int child_release(struct socket *sock)
{
	struct socket *tcp;
	struct sock *sk = sock->sk;

	if (!sk)
		return 0;
	lock_sock(sk);
	tcp = prp_inet(sk)->tcp;
	prp_inet(sk)->tcp = NULL;
	prp_inet(sk)->closed = true;
	release_sock(sk);
	prp_release(sock);
	if (tcp)
		sock_release(tcp);
	return 0;
}

#define INET_OPS(pf, function) \
	{ \
		.family = (pf), .owner = THIS_MODULE, .release = (function), \
		.bind = prp_inet_bind, .connect = prp_inet_connect, \
		.socketpair = sock_no_socketpair, .accept = prp_inet_accept, \
		.getname = prp_inet_getname, .poll = prp_inet_poll, \
		.ioctl = prp_inet_ioctl, .gettstamp = sock_gettstamp, \
		.listen = prp_inet_listen, .shutdown = prp_inet_shutdown, \
		.setsockopt = prp_inet_setsockopt, \
		.getsockopt = prp_inet_getsockopt, \
		.sendmsg = prp_inet_sendmsg, .recvmsg = prp_inet_recvmsg, \
		.set_rcvlowat = prp_inet_set_rcvlowat, \
		.set_peek_off = PRP_COMPAT_INET_PEEK_OFF, \
		.mmap = sock_no_mmap, .splice_read = prp_inet_splice_read, \
		PRP_COMPAT_INET_SENDPAGE PRP_COMPAT_INET_SPLICE_EOF \
			PRP_COMPAT_INET_SET_RCVBUF \
	}

static const struct proto_ops inet4_ops = INET_OPS(PF_INET, inet_release);
static const struct proto_ops inet6_ops = INET_OPS(PF_INET6, inet_release);
static const struct proto_ops child_ops = INET_OPS(PF_PRP, child_release);

/**
 * prp_inet_adopt() - make a child's socket one of the IP mode
 * @psk: socket that gets a connection of PRP
 * @listener: listener of the IP mode, its sk_lock held
 * @sock: what the program is to hold; its functions are the listener's
 *
 * Return: 0 or -ENOMEM.
 */
int prp_inet_adopt(struct prp_sock *psk, const struct prp_sock *listener,
		   struct socket *sock)
{
	const struct prp_inet *parent = listener->inet;
	struct prp_inet *inet = inet_alloc(parent->family);

	sock_owned_by_me(&listener->sk);
	if (!inet)
		return -ENOMEM;
	inet->sk = &psk->sk;
	inet->own = sock;
	inet->path = PRP_PATH_PRP;
	inet->required = parent->required;
	inet->corked = parent->corked;
	inet->inq = parent->inq;
	inet->quickack = parent->quickack;
	inet->user_timeout = parent->user_timeout;
	inet->inherited = parent->inherited;
	smp_store_release(&psk->inet, inet); /* a dump may look at it */
	sock->ops = &child_ops;
	return 0;
}

/* Who waits for the program's socket waits for PRP's part of it, too: there is
 * one wait queue, and one list of who wants SIGIO.
 */
static void inet_share_queue(struct sock *sk, struct socket *sock)
{
	sock_set_flag(sk, SOCK_FASYNC);
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_pointer(sk->sk_wq, &sock->wq);
	write_unlock_bh(&sk->sk_callback_lock);
}

/* PRP's part of a socket. Return: 0 or a negative errno. */
static int inet_make(struct sock *tcp, struct prp_inet *inet)
{
	struct socket *own;
	struct sock *sk;
	int err;

	err = sock_create_lite(PF_PRP, SOCK_STREAM, 0, &own);
	if (err)
		return err;
	sk = prp_sock_alloc(sock_net(tcp), own, !tcp->sk_net_refcnt);
	if (!sk) {
		sock_release(own);
		return -ENOMEM;
	}
	sock_hold(tcp);
	prp_sk(sk)->front = tcp;
	inet_share_queue(sk, tcp->sk_socket);
	inet->sk = sk;
	inet->own = own;
	/* a dump may look at it */
	smp_store_release(&prp_sk(sk)->inet, inet);
	return 0;
}

/* TCP_ULP "prp": of a socket that is as new. Return: 0 or a negative errno. */
static int inet_ulp_init(struct sock *tcp)
{
	struct socket *sock = tcp->sk_socket;
	struct prp_inet *inet;
	int err;

	sock_owned_by_me(tcp);
	if (!sock || tcp->sk_state != TCP_CLOSE || inet_sk(tcp)->inet_num ||
	    sock->state != SS_UNCONNECTED)
		return -EISCONN;
	if (sock->ops->family != tcp->sk_family)
		return -EOPNOTSUPP;
	inet = inet_alloc(tcp->sk_family);
	if (!inet)
		return -ENOMEM;
	inet->tcp = sock;
	inet->tcp_ops = sock->ops;
	err = inet_make(tcp, inet);
	if (err) {
		kfree(inet);
		return err;
	}
	__module_get(THIS_MODULE); /* who closes the socket puts it */
	rcu_assign_pointer(inet_csk(tcp)->icsk_ulp_data, inet);
	/* who finds our functions finds that, too */
	smp_store_release(&sock->ops,
			  tcp->sk_family == AF_INET6 ? &inet6_ops : &inet4_ops);
	/* the kernel has taken it off, as most of such cannot */
	set_bit(SOCK_SUPPORT_ZC, &sock->flags);
	return 0;
}

/* A child of TCP's has nothing to do with us. */
static void inet_ulp_clone(const struct request_sock *request,
			   struct sock *child, const gfp_t priority)
{
	inet_csk(child)->icsk_ulp_ops = NULL;
	RCU_INIT_POINTER(inet_csk(child)->icsk_ulp_data, NULL);
}

/* A socket map lets go of the sock, which is as it was before. */
static void inet_ulp_update(struct sock *tcp, struct proto *proto,
			    void (*write_space)(struct sock *sk))
{
	WRITE_ONCE(tcp->sk_write_space, write_space);
	WRITE_ONCE(tcp->sk_prot, proto);
}

static struct tcp_ulp_ops inet_ulp = {
	.name = PRP_ULP,
	.owner = THIS_MODULE,
	.init = inet_ulp_init,
	.update = inet_ulp_update,
	.clone = inet_ulp_clone,
};

/**
 * prp_inet_init() - let programs put the IP mode on sockets of TCP's
 *
 * Return: 0 or -EEXIST.
 */
int prp_inet_init(void)
{
	return tcp_register_ulp(&inet_ulp);
}

/**
 * prp_inet_exit() - programs put it on no socket any more
 */
void prp_inet_exit(void)
{
	tcp_unregister_ulp(&inet_ulp);
}
