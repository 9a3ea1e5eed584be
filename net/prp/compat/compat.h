/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions. Supported: 6.1 to 7.2.
 */
#ifndef _PRP_COMPAT_H
#define _PRP_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/version.h>
#include <net/sock.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "PRP needs Linux 6.1 or newer"
#endif

/* TCP-AO came with 6.7; before, TCP refuses these. */
#ifndef TCP_AO_ADD_KEY
#define TCP_AO_ADD_KEY 38
#define TCP_AO_REPAIR 42
#endif

/* hrtimer_setup() came with 6.13; without it a timer is made in two steps. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void
prp_compat_hrtimer_setup(struct hrtimer *timer,
			 enum hrtimer_restart (*function)(struct hrtimer *),
			 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#else
#define prp_compat_hrtimer_setup hrtimer_setup
#endif

/* accept() of struct proto_ops takes its arguments in a struct from 6.10 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define PRP_COMPAT_ACCEPT_ARGS \
	struct socket *sock, struct socket *newsock, int flags, bool kern
#define PRP_COMPAT_ACCEPT_FLAGS (flags)
#define PRP_COMPAT_ACCEPT_KERN (kern)
static inline int prp_compat_accept(const struct proto_ops *ops,
				    struct socket *sock, struct socket *newsock,
				    int flags, bool kern)
{
	return ops->accept(sock, newsock, flags, kern);
}
#else
#define PRP_COMPAT_ACCEPT_ARGS \
	struct socket *sock, struct socket *newsock, \
		struct proto_accept_arg *arg
#define PRP_COMPAT_ACCEPT_FLAGS (arg->flags)
#define PRP_COMPAT_ACCEPT_KERN (arg->kern)
static inline int prp_compat_accept(const struct proto_ops *ops,
				    struct socket *sock, struct socket *newsock,
				    int flags, bool kern)
{
	struct proto_accept_arg arg = { .flags = flags, .kern = kern };

	return ops->accept(sock, newsock, &arg);
}
#endif

/* bind() and connect() of struct proto_ops take another type from 6.19 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define prp_compat_sockaddr sockaddr
#else
#define prp_compat_sockaddr sockaddr_unsized
#endif

/* From 6.7 on a family may have options of SOL_SOCKET told to it first. Only
 * then is sk_reuseport ours to set: the kernel, too, would make a group of a
 * socket that has it, when a program for one is attached.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline void prp_compat_custom_sockopt(struct socket *sock)
{
}

static inline void prp_compat_set_reuseport(struct sock *sk, bool on)
{
}
#else
static inline void prp_compat_custom_sockopt(struct socket *sock)
{
	set_bit(SOCK_CUSTOM_SOCKOPT, &sock->flags);
}

static inline void prp_compat_set_reuseport(struct sock *sk, bool on)
{
	sk->sk_reuseport = on;
}
#endif

/* From 6.5 on ioctl() of struct proto answers in the kernel's memory, and from
 * 6.7 on io_uring asks it; before that nobody asks ours.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define PRP_COMPAT_PROTO_IOCTL(function) NULL
#else
#define PRP_COMPAT_PROTO_IOCTL(function) (function)
#endif

/* TCP has SO_PEEK_OFF from 6.10 on, and with IPv6 from 6.11 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define PRP_COMPAT_INET_PEEK_OFF NULL
#else
#define PRP_COMPAT_INET_PEEK_OFF sk_set_peek_off
#endif

/* TCP moves its window with SO_RCVBUF where the kernel tells it. */
#if PRP_COMPAT_SET_RCVBUF
#define PRP_COMPAT_INET_SET_RCVBUF .set_rcvbuf = prp_inet_set_rcvbuf,
#else
#define PRP_COMPAT_INET_SET_RCVBUF
#endif

static inline void prp_compat_set_rcvbuf(const struct proto_ops *ops,
					 struct sock *sk, int val)
{
#if PRP_COMPAT_SET_RCVBUF
	if (ops->set_rcvbuf)
		ops->set_rcvbuf(sk, val);
#endif
}

/* What is not to be set to zero where a kernel sets all that is on a stack. */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

/* What wake_up_sync() tells the scheduler: the waker is about to sleep, so
 * that the woken may take its processor. The scheduler keeps the name to
 * itself; the value is the same in all kernels supported.
 */
#define PRP_COMPAT_WF_SYNC 0x10

#endif /* _PRP_COMPAT_H */
