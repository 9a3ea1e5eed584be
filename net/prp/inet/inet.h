/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The IP mode: PRP under a socket of TCP's. A program's own TCP socket gets the
 * "prp" upper layer protocol (TCP_ULP), and from then on its calls are ours:
 * where PRP carries the connection they go to a prp_sock that is the program's
 * by that way alone, else to TCP. The descriptor is TCP's all the time, so
 * that security modules are asked by the kernel about TCP, and what is set and
 * read there without asking a family is TCP's own. A child of PRP's alone is a
 * socket of our family.
 *
 * inet.c makes and ends them, inet_addr.c knows addresses, inet_connect.c
 * decides who carries a client's connection, inet_race.c has TCP try beside
 * PRP, inet_memo.c knows where PRP need not be asked, inet_ipsec.c and
 * inet_cgroup.c where it must not, inet_accept.c serves both kinds of children,
 * inet_io.c moves data, inet_sockopt.c and inet_prpopt.c set options.
 */
#ifndef _PRP_INET_H
#define _PRP_INET_H

#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/workqueue.h>
#include <net/inet_connection_sock.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "compat/compat.h"
#include "socket/sock.h"
#include "transport/conn.h"

#define PRP_INET_INHERITED 9 /* options of TCP's that are numbers */

/**
 * struct prp_inet_inherited - what children have of TCP's options
 * @given: bit i: the i-th of inherited[] in inet_sockopt.c was set
 * @numbers: to what
 * @cong: TCP_CONGESTION, or an empty string
 */
struct prp_inet_inherited {
	u32 given;
	int numbers[PRP_INET_INHERITED];
	char cong[TCP_CA_NAME_MAX];
};

/**
 * struct prp_inet - what a socket has in the IP mode
 * @sk: PRP's part; its sk_lock is outside that of TCP's [const]
 * @own: struct socket of @sk: of a child of PRP's the program's, else one that
 *	no program has [const]
 * @tcp: TCP's socket: the program's; of a child one that only keeps options,
 *	NULL before there are any [@sk's lock to write]
 * @tcp_ops: its functions; those that it has are ours unless it is a child's
 * @family: AF_INET or AF_INET6 [const]
 * @path: PRP_PATH_NONE until it is decided who carries the connection. A
 *	connection's lock guards the change to PRP_PATH_PRP, which only happens
 *	in PRP_CONN_WAIT; @sk's lock guards all others
 * @beginning: TCP was chosen, and who chose it is about to have it connect
 *	[@sk's lock]
 * @closed: close() was called [@sk's lock]
 * @required: PRP_REQUIRE [@sk's lock to write, until it connects or listens]
 * @only_tcp: bit i: the i-th option that only TCP can honour, of
 *	inet_sockopt.c, is set [@sk's lock to write]
 * @confined: security modules let the listener have no children of PRP's
 *	[@sk's lock to write]
 * @why: why TCP carries it [@sk's lock]
 * @tcp_next: accept() looks at TCP's children first [@sk's lock]
 * @v6only: a listener that serves no IPv4 [const while it listens]
 * @bound: address that a listener is bound to, as prp_inet_addr_local()
 *	gives it [const while it listens]
 * @quickack: TCP_QUICKACK, where PRP carries the connection
 * @corked: TCP_CORK, likewise
 * @inq: TCP_INQ, likewise
 * @user_timeout: TCP_USER_TIMEOUT, milliseconds, likewise
 * @inherited: options of TCP's and IP's that PRP does not know, for the
 *	companions of children [@sk's lock]
 * @dest: where connect() is to go if PRP does not get there [@sk's lock]
 * @dest_len: its length [@sk's lock]
 * @dest_node: node that has it [@sk's lock to write, while nobody watches]
 * @dest_port: port there [the same]
 * @decide: decides who carries it; holds a reference to @sk while queued
 * @unanswered: PRP's request has had no answer for as long as TCP is to wait
 *	[lock of its connection to write]
 * @answered: the answer came while TCP tried, too [the same]
 * @racing: TCP tries beside PRP [@sk's lock]
 * @refused: PRP_WHY_* to be remembered if TCP is served [@sk's lock to write]
 * @tcp_err: why TCP failed while it raced [lock of @sk's wait queue]
 * @watch: looks at TCP, in @sk's wait queue while @racing or @refused is set
 *
 * It lives as long as @sk does.
 */
struct prp_inet {
	struct sock *sk;
	struct socket *own;
	struct socket *tcp;
	const struct proto_ops *tcp_ops;
	sa_family_t family;
	u8 path;
	bool beginning;
	bool closed;
	bool required;
	u8 only_tcp;
	bool confined;
	struct prp_why why;
	bool tcp_next;
	bool v6only;
	struct in6_addr bound;
	bool quickack;
	bool corked;
	bool inq;
	u32 user_timeout;
	struct prp_inet_inherited inherited;
	struct sockaddr_storage dest;
	int dest_len;
	u16 dest_node;
	u16 dest_port;
	struct work_struct decide;
	bool unanswered;
	bool answered;
	bool racing;
	u8 refused;
	int tcp_err;
	wait_queue_entry_t watch;
};

/**
 * struct prp_inet_view - what others may be told of a socket of the IP mode
 * @protocol: PRP_DIAG_INET or PRP_DIAG_INET6
 * @path: PRP_PATH_NONE, PRP_PATH_PRP or PRP_PATH_TCP
 * @state: of the connection, TCP's number for it
 * @local: sockaddr_in or sockaddr_in6
 * @peer: likewise; its family is AF_UNSPEC if there is no other end
 */
struct prp_inet_view {
	u8 protocol;
	u8 path;
	u8 state;
	struct sockaddr_in6 local;
	struct sockaddr_in6 peer;
};

/**
 * prp_inet() - what the IP mode has of a socket
 * @sk: generic part of a prp_sock
 *
 * Return: that, or NULL if the socket is a native one.
 */
static inline struct prp_inet *prp_inet(const struct sock *sk)
{
	return prp_sk(sk)->inet;
}

/**
 * prp_inet_of() - what a program's socket has of the IP mode
 * @sock: socket, in one of its calls
 *
 * Return: that, or NULL if it is a child that is TCP's alone.
 */
static inline struct prp_inet *prp_inet_of(const struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct prp_inet *inet;

	if (sk->sk_family == AF_PRP)
		return prp_inet(sk);
	inet = (__force void *)READ_ONCE(inet_csk(sk)->icsk_ulp_data);
	if (unlikely(!inet)) {
		/* Pairs with inet_ulp_init(). Our functions are there already,
		 * and how the kernel came to them orders no loads.
		 */
		smp_rmb();
		inet = (__force void *)READ_ONCE(inet_csk(sk)->icsk_ulp_data);
	}
	return inet;
}

/**
 * prp_inet_is_child() - is it a child of PRP's, which has no TCP?
 * @inet: what a socket has in the IP mode
 *
 * The program's descriptor is one of ours there: security modules were asked
 * about the listener, and not about where else it could connect to.
 *
 * Return: true if so.
 */
static inline bool prp_inet_is_child(const struct prp_inet *inet)
{
	return prp_front(inet->sk) == inet->sk;
}

/* inet.c */
int prp_inet_adopt(struct prp_sock *psk, const struct prp_sock *listener,
		   struct socket *sock);
struct socket *prp_inet_sockopt_companion(struct sock *sk);
int prp_inet_work_init(void);
void prp_inet_work_exit(void);
int prp_inet_init(void);
void prp_inet_exit(void);
void prp_inet_work_queue(struct prp_inet *inet);

/* inet_addr.c */
bool prp_inet_addr_parse(const struct sockaddr *addr, int len,
			 sa_family_t family, struct in6_addr *ip, u16 *port);
bool prp_inet_addr_is_loopback(const struct in6_addr *ip);
void prp_inet_addr_local(const struct sock *tcp, struct in6_addr *ip);
bool prp_inet_addr_is_any(const struct in6_addr *ip);
bool prp_inet_addr_is_here(struct net *net, const struct in6_addr *ip);
int prp_inet_addr_source_rcu(const struct prp_table *table,
			     const struct sock *tcp,
			     const struct in6_addr *dest,
			     struct in6_addr *source);
bool prp_inet_addr_believes_rcu(const struct prp_net *pn,
				const struct prp_frame *frame);
bool prp_inet_addr_same(const struct prp_conn *conn,
			const struct prp_frame *frame);
void prp_inet_addr_follow(struct prp_inet *inet);
int prp_inet_bind(struct socket *sock, struct prp_compat_sockaddr *uaddr,
		  int len);
int prp_inet_getname(struct socket *sock, struct sockaddr *uaddr, int peer);
void prp_inet_addr_describe(struct prp_sock *psk, struct prp_inet_view *view);
void prp_inet_addr_describe_conn(const struct prp_conn *conn,
				 struct prp_inet_view *view);

/* inet_connect.c */
int prp_inet_connect(struct socket *sock, struct prp_compat_sockaddr *uaddr,
		     int len, int flags);
bool prp_inet_connect_changed(struct prp_sock *psk,
			      const struct prp_conn *conn);
void prp_inet_connect_give_up(struct sock *sk);
void prp_inet_connect_decide(struct work_struct *work);
void prp_inet_connect_begun(struct prp_inet *inet);
void prp_inet_connect_renew(struct prp_inet *inet);
void prp_inet_connect_take_tcp(struct prp_inet *inet, u32 reason);

/* inet_race.c */
void prp_inet_race_unanswered(struct prp_sock *psk,
			      const struct prp_conn *conn);
void prp_inet_race_answered(struct prp_sock *psk, const struct prp_conn *conn);
void prp_inet_race_init(struct prp_inet *inet);
void prp_inet_race_begin(struct prp_inet *inet, struct prp_conn *conn);
bool prp_inet_race_yield(struct prp_inet *inet, struct prp_conn *conn);
bool prp_inet_race_over(const struct prp_inet *inet);
bool prp_inet_race_refused(const struct prp_inet *inet);
void prp_inet_race_end(struct prp_inet *inet);
void prp_inet_race_stop(struct prp_inet *inet);
void prp_inet_race_watch_tcp(struct prp_inet *inet, u8 refused);
void prp_inet_race_watch_now(struct prp_inet *inet);

/* inet_ipsec.c */
bool prp_inet_ipsec_is_wanted(const struct prp_inet *inet,
			      const struct in6_addr *peer);

/* inet_cgroup.c */
bool prp_inet_cgroup_sees_packets(struct sock *tcp);
bool prp_inet_cgroup_sees_connect(struct sock *tcp);

/* inet_accept.c */
int prp_inet_listen(struct socket *sock, int backlog);
bool prp_inet_accept_has_tcp(const struct prp_inet *inet);
int prp_inet_accept(PRP_COMPAT_ACCEPT_ARGS);
struct prp_sock *prp_inet_accept_listener_rcu(const struct prp_net *pn,
					      const struct prp_port *port,
					      const struct prp_frame *frame,
					      struct prp_conn_ip *ip);

/* inet_io.c */
int prp_inet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int prp_inet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		     int flags);
ssize_t prp_inet_splice_read(struct socket *sock, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags);
void prp_inet_splice_eof(struct socket *sock);
__poll_t prp_inet_poll(struct file *file, struct socket *sock,
		       poll_table *wait);
int prp_inet_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int prp_inet_shutdown(struct socket *sock, int how);

/* inet_prpopt.c */
int prp_inet_prpopt_set(struct sock *sk, int name, sockptr_t val,
			unsigned int len);
int prp_inet_prpopt_get(struct sock *sk, int name, char __user *val,
			int __user *len);

/* inet_sockopt.c */
bool prp_inet_sockopt_only_tcp(const struct sock *sk, struct prp_why *why);
int prp_inet_set_rcvlowat(struct sock *front, int val);
void prp_inet_set_rcvbuf(struct sock *front, int val);
int prp_inet_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
			unsigned int len);
int prp_inet_getsockopt(struct socket *sock, int level, int name,
			char __user *val, int __user *len);

/**
 * prp_inet_over_tcp() - does TCP carry a socket's connection?
 * @inet: what it has in the IP mode
 *
 * Return: false if it does not, or it is not decided yet.
 */
static inline bool prp_inet_over_tcp(const struct prp_inet *inet)
{
	return READ_ONCE(inet->path) == PRP_PATH_TCP;
}

/**
 * prp_inet_over_prp() - does PRP carry a socket's connection?
 * @inet: what it has in the IP mode
 *
 * Return: false if it does not, or it is not decided yet.
 */
static inline bool prp_inet_over_prp(const struct prp_inet *inet)
{
	return likely(READ_ONCE(inet->path) == PRP_PATH_PRP) ||
	       unlikely(prp_inet_is_child(inet));
}

#endif /* _PRP_INET_H */
