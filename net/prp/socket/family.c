// SPDX-License-Identifier: GPL-2.0
/*
 * The address family: which calls of programs are which functions.
 */
#include <linux/module.h>
#include <net/sock.h>

#include "compat/compat.h"
#include "compat/sendpage.h"
#include "compat/splice.h"
#include "socket/seqpacket.h"
#include "socket/sock.h"

/* What differs between the types is what sends, receives and wakes. */
#define FAMILY_OPS(send, recv, lowat, eof) \
	{ \
		.family = PF_PRP, .owner = THIS_MODULE, \
		.release = prp_release, .bind = prp_bind, \
		.connect = prp_connect, .socketpair = sock_no_socketpair, \
		.accept = prp_accept, .getname = prp_getname, \
		.poll = prp_poll, .ioctl = prp_ioctl, .listen = prp_listen, \
		.shutdown = prp_shutdown, .setsockopt = prp_setsockopt, \
		.getsockopt = prp_getsockopt, .sendmsg = (send), \
		.recvmsg = (recv), .set_rcvlowat = (lowat), \
		.set_peek_off = sk_set_peek_off, .mmap = sock_no_mmap, \
		PRP_COMPAT_SENDPAGE PRP_COMPAT_OPS_SPLICE_EOF(eof) \
	}

static const struct proto_ops stream_ops =
	FAMILY_OPS(prp_sendmsg, prp_recvmsg, prp_set_rcvlowat, prp_splice_eof);
static const struct proto_ops seqpacket_ops =
	FAMILY_OPS(prp_seqpacket_send, prp_seqpacket_recv,
		   prp_seqpacket_set_rcvlowat, prp_seqpacket_splice_eof);

static int family_create(struct net *net, struct socket *sock, int protocol,
			 int kern)
{
	if (sock->type != SOCK_STREAM && sock->type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	if (!prp_sock_alloc(net, sock, kern))
		return -ENOMEM;
	sock->ops = sock->type == SOCK_STREAM ? &stream_ops : &seqpacket_ops;
	if (sock->type == SOCK_STREAM)
		set_bit(SOCK_SUPPORT_ZC, &sock->flags); /* of io_uring */
	prp_compat_custom_sockopt(sock);
	return 0;
}

static const struct net_proto_family prp_family = {
	.family = PF_PRP,
	.create = family_create,
	.owner = THIS_MODULE,
};

/**
 * prp_family_init() - let programs make sockets of ours
 *
 * Return: 0 or a negative errno.
 */
int prp_family_init(void)
{
	return sock_register(&prp_family);
}

/**
 * prp_family_exit() - programs make no sockets of ours any more
 */
void prp_family_exit(void)
{
	sock_unregister(PF_PRP);
}
