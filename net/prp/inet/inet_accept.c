// SPDX-License-Identifier: GPL-2.0
/*
 * Listening in the IP mode: at PRP's port and at TCP's, with one accept() for
 * the children of both. A child of PRP is a socket of ours; one of TCP is a
 * plain TCP socket that has nothing to do with us any more.
 */
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>

#include "compat/compat.h"
#include "inet/inet.h"
#include "transport/handshake.h"

#define LISTEN_TRIES 16

/* What an address is bound to, from any to the very address; 0: it is not. */
static int listener_score(const struct prp_inet *inet,
			  const struct in6_addr *ip)
{
	bool v4 = ipv6_addr_v4mapped(ip);

	if (ipv6_addr_equal(&inet->bound, ip))
		return 3;
	if (ipv6_addr_v4mapped(&inet->bound))
		return v4 && !inet->bound.s6_addr32[3] ? 2 : 0;
	return ipv6_addr_any(&inet->bound) && !(v4 && inet->v6only) ? 1 : 0;
}

/* Has it an option that only TCP honours, or its cgroup programs that see only
 * TCP, or may it have no child of ours? Its clients are TCP's then.
 */
static bool listener_is_tcps(const struct prp_sock *psk)
{
	return rcu_access_pointer(psk->front->sk_filter) ||
	       READ_ONCE(psk->front->sk_bound_dev_if) ||
	       READ_ONCE(psk->inet->only_tcp) ||
	       READ_ONCE(psk->inet->confined) ||
	       prp_inet_cgroup_sees_packets(psk->front);
}

/* A node's first address of IPv4 or of IPv6, or NULL. */
static const struct in6_addr *node_ip(const struct prp_table *table, u16 number,
				      bool v4)
{
	const struct prp_node *node = prp_table_node(table, number);
	unsigned int i;

	for (i = 0; node && i < node->ip_count; i++)
		if (ipv6_addr_v4mapped(&node->ip[i]) == v4)
			return &node->ip[i];
	return NULL;
}

/* The pair of addresses that a request is for; a native one may have one of
 * IPv4 and one of IPv6. Return: false if there is none.
 */
static bool request_ips(const struct prp_table *table,
			const struct prp_frame *frame, bool v4,
			struct prp_conn_ip *ip)
{
	const struct in6_addr *local, *peer;

	if (frame->ip) {
		memcpy(&ip->local, frame->ip->dest, sizeof(ip->local));
		memcpy(&ip->peer, frame->ip->source, sizeof(ip->peer));
		return ipv6_addr_v4mapped(&ip->local) == v4;
	}
	local = node_ip(table, frame->dnode, v4);
	peer = node_ip(table, frame->snode, v4);
	if (!local || !peer)
		return false;
	ip->local = *local;
	ip->peer = *peer;
	return true;
}

/**
 * prp_inet_accept_listener_rcu() - which listener is to have a request?
 * @pn: namespace
 * @port: port of the IP mode, in this RCU read section
 * @frame: the request; if it is of the IP mode its addresses are believed
 * @ip: set to the addresses that the connection will have
 *
 * The one that is bound most closely; among several the ports decide. A
 * native client gets the first addresses of the two nodes. Nobody has one for
 * an address that is not here: its clients ask TCP, which finds it.
 *
 * Return: the listener, valid in this RCU read section, or NULL.
 */
struct prp_sock *prp_inet_accept_listener_rcu(const struct prp_net *pn,
					      const struct prp_port *port,
					      const struct prp_frame *frame,
					      struct prp_conn_ip *ip)
{
	u32 hash = prp_port_hash(pn, frame);
	const struct prp_table *table = rcu_dereference(pn->table);
	int score, best = 0, equals = 0, v4;
	struct prp_sock *psk, *found = NULL;
	struct prp_conn_ip pair;

	for (v4 = 1; v4 >= 0; v4--) {
		if (!request_ips(table, frame, v4, &pair) ||
		    (frame->ip && !prp_inet_addr_is_here(pn->net, &pair.local)))
			continue;
		hlist_for_each_entry_rcu(psk, &port->listeners, port_node) {
			/* pairs with prp_port_listen() */
			if (smp_load_acquire(&psk->sk.sk_state) != PRP_LISTEN ||
			    READ_ONCE(psk->port) != port || !psk->inet ||
			    listener_is_tcps(psk))
				continue;
			score = listener_score(psk->inet, &pair.local);
			if (!score || score < best)
				continue;
			equals = score == best ? equals + 1 : 1;
			best = score;
			if (!prp_port_draw(&hash, equals))
				continue;
			found = psk;
			*ip = pair;
		}
	}
	return found;
}

/* Have TCP listen, and bind PRP's port if that was what gave the socket its
 * number. Return: 0 or a negative errno.
 */
static int listen_both(struct prp_inet *inet, int backlog)
{
	struct prp_sock *psk = prp_sk(inet->sk);
	struct socket *tcp = inet->tcp;
	int tries, err;

	for (tries = LISTEN_TRIES; tries; tries--) {
		err = inet->tcp_ops->listen(tcp, backlog);
		if (err || psk->port)
			return err;
		err = prp_port_bind(prp_net(sock_net(inet->sk)), psk,
				    inet_sk(tcp->sk)->inet_num);
		if (!err)
			return 0;
		inet->tcp_ops->shutdown(tcp, SHUT_RD);
		if (err != -EADDRINUSE)
			return err;
	}
	return -EADDRINUSE;
}

/* A child is of our family for security modules, some of which judge by that
 * alone. May the program receive from one? They are asked by reading from a
 * socket that is as a child is, but not connected. Return: 0, -EACCES if it may
 * not, or another negative errno.
 */
static int listen_ask(const struct prp_inet *inet)
{
	struct msghdr msg = {};
	struct kvec none = {};
	struct socket *probe;
	int err;

	err = sock_create_kern(sock_net(inet->sk), PF_PRP, SOCK_STREAM, 0,
			       &probe);
	if (err)
		return err;
	security_sk_clone(prp_front(inet->sk), probe->sk);
	err = kernel_recvmsg(probe, &msg, &none, 1, 0, MSG_DONTWAIT);
	sock_release(probe);
	return err == -ENOTCONN ? 0 : -EACCES;
}

/* With PRP_REQUIRE, could nobody come but over TCP, and be reset? Clients of a
 * loopback address are served. Return: 0, or -EOPNOTSUPP with why.
 */
static int listen_require(struct prp_inet *inet)
{
	struct in6_addr bound;

	if (!inet->required)
		return 0;
	memset(&inet->why, 0, sizeof(inet->why));
	prp_inet_addr_local(inet->tcp->sk, &bound);
	if (!listener_is_tcps(prp_sk(inet->sk)) ||
	    (prp_inet_addr_is_loopback(&bound) &&
	     !prp_inet_addr_is_any(&bound)))
		return 0;
	if (prp_inet_sockopt_only_tcp(inet->sk, &inet->why))
		inet->why.prpw_reason = PRP_WHY_OPTION;
	else
		inet->why.prpw_reason = PRP_WHY_CGROUP;
	return -EOPNOTSUPP;
}

/**
 * prp_inet_listen() - listen()
 * @sock: socket
 * @backlog: children of each kind that may wait for accept()
 *
 * Return: 0, or a negative errno as TCP has it; if TCP is not wanted -EACCES
 * where a security module would not let the program have clients of PRP, and
 * -EOPNOTSUPP where something is set that leaves them to TCP.
 */
int prp_inet_listen(struct socket *sock, int backlog)
{
	struct prp_inet *inet = prp_inet_of(sock);
	struct sock *sk = inet->sk;
	struct prp_sock *psk = prp_sk(sk);
	int asked = listen_ask(inet);
	int err = -EINVAL;

	lock_sock(sk);
	prp_inet_connect_renew(inet);
	if (prp_inet_is_child(inet) || inet->own->state != SS_UNCONNECTED ||
	    prp_sock_conn(psk) || inet->path != PRP_PATH_NONE)
		goto out;
	err = asked;
	if (asked && (asked != -EACCES || inet->required))
		goto out;
	WRITE_ONCE(inet->confined, asked);
	err = listen_require(inet);
	if (err)
		goto out;
	err = prp_accept_prepare(psk) ?: listen_both(inet, backlog);
	if (err)
		goto out;
	WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	if (sk->sk_state == PRP_LISTEN)
		goto out;
	prp_inet_addr_local(inet->tcp->sk, &inet->bound);
	inet->v6only = ipv6_only_sock(inet->tcp->sk);
	WRITE_ONCE(sk->sk_shutdown, 0);
	spin_lock_bh(&psk->backlog->lock);
	psk->backlog->open = true;
	spin_unlock_bh(&psk->backlog->lock);
	err = prp_port_listen(prp_net(sock_net(sk)), psk);
out:
	release_sock(sk);
	return err;
}

/* With PRP_REQUIRE a child of TCP's is taken only from the own machine. */
static bool is_wanted(const struct prp_inet *inet, const struct sock *child)
{
	struct in6_addr local;

	if (likely(!inet->required))
		return true;
	prp_inet_addr_local(child, &local);
	return prp_inet_addr_is_loopback(&local);
}

/* The oldest child of TCP's. Return: 0, -EAGAIN or another negative errno. */
static int take_tcp(const struct prp_inet *inet, struct socket *newsock)
{
	return prp_compat_accept(inet->tcp_ops, inet->tcp, newsock, O_NONBLOCK,
				 false);
}

/* One that is not wanted is reset. */
static void reset_tcp(const struct prp_inet *inet, struct socket *newsock)
{
	sock_no_linger(newsock->sk);
	inet->tcp_ops->release(newsock);
	newsock->state = SS_UNCONNECTED;
}

/* A child of TCP's. Return: 0, -EAGAIN if there is none, or another errno. */
static int accept_tcp(struct sock *sk, struct socket *newsock)
{
	const struct prp_inet *inet = prp_inet(sk);
	int err;

	for (;;) {
		err = take_tcp(inet, newsock);
		if (err)
			return err;
		if (is_wanted(inet, newsock->sk))
			break;
		reset_tcp(inet, newsock);
	}
	/* the listener, which is ours, keeps this module here */
	__module_get(inet->tcp_ops->owner);
	module_put(newsock->ops->owner);
	newsock->ops = inet->tcp_ops;
	prp_mib_inc(prp_net(sock_net(sk)), PRP_MIB_IP_TCP_IN);
	return 0;
}

/* How many children of TCP's are in front of the first that is wanted, if one
 * is?
 */
static unsigned int count_unwanted(const struct prp_inet *inet, bool *wanted)
{
	struct request_sock_queue *queue =
		&inet_csk(inet->tcp->sk)->icsk_accept_queue;
	const struct request_sock *request;
	unsigned int count = 0;

	spin_lock_bh(&queue->rskq_lock);
	for (request = queue->rskq_accept_head;
	     request && !is_wanted(inet, request->sk);
	     request = request->dl_next)
		count++;
	*wanted = request;
	spin_unlock_bh(&queue->rskq_lock);
	return count;
}

static void reset_unwanted(const struct prp_inet *inet, unsigned int count)
{
	struct socket *child;

	if (sock_create_lite(inet->family, SOCK_STREAM, IPPROTO_TCP, &child))
		return; /* accept() will, or the next poll() */
	while (count-- && !take_tcp(inet, child))
		reset_tcp(inet, child);
	sock_release(child);
}

/**
 * prp_inet_accept_has_tcp() - has a listener a child of TCP's for accept()?
 * @inet: what the listener has in the IP mode
 *
 * Those that are not wanted are reset here, too: who waits in poll() for others
 * does not call accept(). Nobody else takes them meanwhile.
 *
 * Context: It sleeps.
 * Return: true if there is one that is wanted.
 */
bool prp_inet_accept_has_tcp(const struct prp_inet *inet)
{
	unsigned int count;
	bool wanted;

	lock_sock(inet->sk);
	count = count_unwanted(inet, &wanted);
	if (count)
		reset_unwanted(inet, count);
	release_sock(inet->sk);
	return wanted;
}

/* A child of PRP's. Return: 0, -EAGAIN if there is none, or another errno. */
static int accept_prp(struct sock *sk, struct socket *newsock)
{
	struct prp_conn *conn = prp_accept_pop(prp_sk(sk));
	int err;

	if (!conn)
		return -EAGAIN;
	err = prp_accept_child(sk, newsock, conn, false);
	if (err) {
		prp_handshake_abort(conn, 0);
		prp_conn_put(conn);
	}
	return err;
}

/* A child of either kind, in turn. */
static int accept_any(struct sock *sk, struct socket *newsock)
{
	struct prp_inet *inet = prp_inet(sk);
	int err;

	if (sk->sk_state != PRP_LISTEN)
		return -EINVAL;
	inet->tcp_next = !inet->tcp_next;
	if (inet->tcp_next) {
		err = accept_tcp(sk, newsock);
		return err == -EAGAIN ? accept_prp(sk, newsock) : err;
	}
	err = accept_prp(sk, newsock);
	return err == -EAGAIN ? accept_tcp(sk, newsock) : err;
}

/* accept(); the arguments differ by kernel, see compat.h. Children of both
 * kinds wake who waits at our queue. Return: 0, or a negative errno:
 * -EOPNOTSUPP for the kernel itself, as nfsd that was given the descriptor,
 * which gives each child the functions of its listener.
 */
int prp_inet_accept(PRP_COMPAT_ACCEPT_ARGS)
{
	bool nonblock = PRP_COMPAT_ACCEPT_FLAGS & O_NONBLOCK;
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = prp_inet_of(sock)->sk;
	long timeo;
	int err;

	if (PRP_COMPAT_ACCEPT_KERN)
		return -EOPNOTSUPP;
	lock_sock(sk);
	timeo = sock_rcvtimeo(prp_front(sk), nonblock);
	add_wait_queue_exclusive(sk_sleep(sk), &wait);
	for (;;) {
		err = accept_any(sk, newsock);
		if (err != -EAGAIN || !timeo)
			break;
		if (signal_pending(current)) {
			err = sock_intr_errno(timeo);
			break;
		}
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	release_sock(sk);
	return err;
}
