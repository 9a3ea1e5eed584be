// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of the IP mode: what programs give and are told, what TCP is bound
 * to, and which addresses a node may use. Inside they all are IPv6, IPv4 as
 * v4-mapped.
 */
#include <net/addrconf.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <uapi/linux/prp_diag.h>

#include "inet/inet.h"

#define BIND_TRIES 16

/**
 * prp_inet_addr_parse() - read an address that a program gave
 * @addr: address
 * @len: its length
 * @family: the socket's
 * @ip: where to put the address
 * @port: where to put the port
 *
 * Return: false if TCP has to judge it.
 */
bool prp_inet_addr_parse(const struct sockaddr *addr, int len,
			 sa_family_t family, struct in6_addr *ip, u16 *port)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	if (len < (int)sizeof(addr->sa_family) || addr->sa_family != family)
		return false;
	if (family == AF_INET) {
		if (len < (int)sizeof(*in))
			return false;
		ipv6_addr_set_v4mapped(in->sin_addr.s_addr, ip);
		*port = ntohs(in->sin_port);
		return true;
	}
	if (len < SIN6_LEN_RFC2133)
		return false;
	*ip = in6->sin6_addr;
	*port = ntohs(in6->sin6_port);
	/* one that means something only together with a device */
	return !(ipv6_addr_type(ip) & IPV6_ADDR_LINKLOCAL);
}

/**
 * prp_inet_addr_is_loopback() - does what goes there never leave the machine?
 * @ip: address, as prp_inet_addr_parse() gives it; any is the loopback's, too
 *
 * Return: true if so.
 */
bool prp_inet_addr_is_loopback(const struct in6_addr *ip)
{
	if (!ipv6_addr_v4mapped(ip))
		return ipv6_addr_loopback(ip) || ipv6_addr_any(ip);
	return ipv4_is_loopback(ip->s6_addr32[3]) || !ip->s6_addr32[3];
}

/* Tell a program an address. Return: its length. */
static int inet_put(sa_family_t family, struct sockaddr *addr,
		    const struct in6_addr *ip, u16 port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	if (family == AF_INET) {
		memset(in, 0, sizeof(*in));
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		in->sin_addr.s_addr = ip->s6_addr32[3];
		return sizeof(*in);
	}
	memset(in6, 0, sizeof(*in6));
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	in6->sin6_addr = *ip;
	return sizeof(*in6);
}

/**
 * prp_inet_addr_local() - what a socket is bound to
 * @tcp: TCP's sock
 * @ip: set to its address: :: is any, ::ffff:0.0.0.0 any of IPv4
 */
void prp_inet_addr_local(const struct sock *tcp, struct in6_addr *ip)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6) {
		*ip = tcp->sk_v6_rcv_saddr;
		return;
	}
#endif
	ipv6_addr_set_v4mapped(tcp->sk_rcv_saddr, ip);
}

/* The other end of TCP's. */
static void inet_remote(const struct sock *tcp, struct in6_addr *ip)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6) {
		*ip = tcp->sk_v6_daddr;
		return;
	}
#endif
	ipv6_addr_set_v4mapped(tcp->sk_daddr, ip);
}

/**
 * prp_inet_addr_is_any() - is it no certain address?
 * @ip: address, as prp_inet_addr_local() gives it
 *
 * Return: true if so.
 */
bool prp_inet_addr_is_any(const struct in6_addr *ip)
{
	return ipv6_addr_any(ip) ||
	       (ipv6_addr_v4mapped(ip) && !ip->s6_addr32[3]);
}

/**
 * prp_inet_addr_is_here() - has this machine an address now?
 * @net: namespace
 * @ip: address
 *
 * One that the table gives to this node may have gone to another one, as with a
 * service that fails over.
 *
 * Return: whether frames of IP to it are for us.
 */
bool prp_inet_addr_is_here(struct net *net, const struct in6_addr *ip)
{
	if (ipv6_addr_v4mapped(ip))
		return inet_addr_type(net, ip->s6_addr32[3]) == RTN_LOCAL;
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_chk_addr(net, ip, NULL, 0);
#else
	return false;
#endif
}

/**
 * prp_inet_addr_source_rcu() - which address is a client to have?
 * @table: host table, in this RCU read section
 * @tcp: TCP's sock
 * @dest: where the client goes
 * @source: set to what it is bound to, else to that of our addresses of the
 *	same family that has most leading bits in common with @dest, of those
 *	that are here
 *
 * Return: 0, or -EADDRNOTAVAIL if the table does not give us such an address.
 */
int prp_inet_addr_source_rcu(const struct prp_table *table,
			     const struct sock *tcp,
			     const struct in6_addr *dest,
			     struct in6_addr *source)
{
	const struct prp_node *self = prp_table_node(table, table->self);
	int common, best = -1;
	unsigned int i;

	if (!self)
		return -EADDRNOTAVAIL;
	prp_inet_addr_local(tcp, source);
	if (!prp_inet_addr_is_any(source))
		return prp_ip_index_find(table, source) == self &&
				       ipv6_addr_v4mapped(source) ==
					       ipv6_addr_v4mapped(dest) ?
			       0 :
			       -EADDRNOTAVAIL;
	for (i = 0; i < self->ip_count; i++) {
		if (ipv6_addr_v4mapped(&self->ip[i]) !=
		    ipv6_addr_v4mapped(dest))
			continue;
		common = ipv6_addr_diff(&self->ip[i], dest);
		if (common <= best ||
		    !prp_inet_addr_is_here(sock_net(tcp), &self->ip[i]))
			continue;
		best = common;
		*source = self->ip[i];
	}
	return best < 0 ? -EADDRNOTAVAIL : 0;
}

/**
 * prp_inet_addr_believes_rcu() - may a node say what a request says?
 * @pn: namespace
 * @frame: request of the IP mode; in an RCU read section
 *
 * Programs trust the address they see, so it must be one that our table
 * gives to the node that the frame came from, and the other one of ours.
 *
 * Return: true if so.
 */
bool prp_inet_addr_believes_rcu(const struct prp_net *pn,
				const struct prp_frame *frame)
{
	const struct prp_table *table = rcu_dereference(pn->table);
	const struct prp_node *from, *to;
	struct in6_addr ip;

	memcpy(&ip, frame->ip->source, sizeof(ip));
	from = prp_ip_index_find(table, &ip);
	memcpy(&ip, frame->ip->dest, sizeof(ip));
	to = prp_ip_index_find(table, &ip);
	return from && from->number == frame->snode && to &&
	       to->number == frame->dnode;
}

/**
 * prp_inet_addr_same() - does a request fit a connection's addresses?
 * @conn: connection
 * @frame: request of the other end of it
 *
 * Return: true if both are native, or have the same addresses.
 */
bool prp_inet_addr_same(const struct prp_conn *conn,
			const struct prp_frame *frame)
{
	if (!conn->ip || !frame->ip)
		return !conn->ip && !frame->ip;
	return !memcmp(frame->ip->source, &conn->ip->peer,
		       sizeof(conn->ip->peer)) &&
	       !memcmp(frame->ip->dest, &conn->ip->local,
		       sizeof(conn->ip->local));
}

/* Undo a bind that only PRP refused; what the program had said of IPv4 is put
 * back.
 */
static void inet_unbind(struct sock *tcp, bool v6only)
{
	lock_sock(tcp);
	if (tcp->sk_prot->put_port && inet_sk(tcp)->inet_num)
		tcp->sk_prot->put_port(tcp);
	inet_reset_saddr(tcp);
	inet_sk(tcp)->inet_sport = 0;
	tcp->sk_ipv6only = v6only;
	tcp->sk_userlocks &= ~(SOCK_BINDADDR_LOCK | SOCK_BINDPORT_LOCK);
	release_sock(tcp);
}

/* Bind both. Where the program leaves the number to us TCP chooses, and
 * chooses again if PRP's number is a native socket's. Return: 0 or a
 * negative errno.
 */
static int inet_bind(struct prp_inet *inet, struct prp_compat_sockaddr *uaddr,
		     int len)
{
	struct prp_sock *psk = prp_sk(inet->sk);
	struct socket *tcp = inet->tcp;
	bool v6only = tcp->sk->sk_ipv6only;
	struct in6_addr ip;
	int tries, err;
	u16 port = 1;

	prp_inet_addr_parse((struct sockaddr *)uaddr, len, inet->family, &ip,
			    &port);
	for (tries = port ? 1 : BIND_TRIES; tries; tries--) {
		err = inet->tcp_ops->bind(tcp, uaddr, len);
		/* IP_BIND_ADDRESS_NO_PORT leaves the number to connect() */
		if (err || !inet_sk(tcp->sk)->inet_num)
			return err;
		err = prp_port_bind(prp_net(sock_net(inet->sk)), psk,
				    inet_sk(tcp->sk)->inet_num);
		if (!err)
			return 0;
		inet_unbind(tcp->sk, v6only);
		if (err != -EADDRINUSE)
			return err;
	}
	return -EADDRINUSE;
}

/**
 * prp_inet_addr_follow() - TCP may have given up its number: then PRP does
 * @inet: what a socket has in the IP mode, neither connected nor listening;
 *	its sk_lock is held
 *
 * TCP keeps one with a connection that ended only if bind() named it. Whoever
 * has it next is to have PRP's clients of it, too.
 */
void prp_inet_addr_follow(struct prp_inet *inet)
{
	sock_owned_by_me(inet->sk);
	if (!inet->tcp->sk->sk_num)
		prp_port_release(prp_net(sock_net(inet->sk)), prp_sk(inet->sk));
}

/**
 * prp_inet_bind() - bind()
 * @sock: socket
 * @uaddr: struct sockaddr_in or sockaddr_in6
 * @len: its length
 *
 * TCP judges everything: who may have the number, and who may share it. Then
 * the number must be free of native sockets, too.
 *
 * Return: 0 or a negative errno.
 */
int prp_inet_bind(struct socket *sock, struct prp_compat_sockaddr *uaddr,
		  int len)
{
	struct prp_inet *inet = prp_inet_of(sock);
	struct sock *sk = inet->sk;
	int err = -EINVAL;

	lock_sock(sk);
	prp_inet_connect_renew(inet);
	if (!prp_inet_is_child(inet) && !prp_sk(sk)->port &&
	    !prp_sock_conn(prp_sk(sk)))
		err = inet_bind(inet, uaddr, len);
	release_sock(sk);
	return err;
}

/**
 * prp_inet_getname() - getsockname(), getpeername() and accept()'s address
 * @sock: socket
 * @uaddr: where to put it
 * @peer: 0 for our end, 1 for the other, 2 for the other in accept()
 *
 * Return: length of the address, or -ENOTCONN.
 */
int prp_inet_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct prp_inet *inet = prp_inet_of(sock);
	struct prp_conn *conn;
	struct sock *sk;
	int ret;

	/* From Linux 6.6 on accept() asks the listener's function for the name
	 * of the child, which may be TCP's.
	 */
	if (!inet)
		return sock->ops->getname(sock, uaddr, peer);
	sk = inet->sk;
	lock_sock(sk);
	conn = prp_sock_conn(prp_sk(sk));
	if (conn && peer) {
		ret = -ENOTCONN;
		if (READ_ONCE(sk->sk_state) == PRP_ESTABLISHED || peer == 2)
			ret = inet_put(inet->family, uaddr, &conn->ip->peer,
				       conn->key.rport);
	} else if (conn) {
		ret = inet_put(inet->family, uaddr, &conn->ip->local,
			       conn->key.lport);
	} else if (prp_inet_is_child(inet)) {
		ret = -ENOTCONN;
	} else {
		ret = inet->tcp_ops->getname(inet->tcp, uaddr, peer);
	}
	release_sock(sk);
	return ret;
}

/**
 * prp_inet_addr_describe() - what others may be told of a socket
 * @psk: socket of the IP mode, which the caller keeps from being freed; in
 *	an RCU read section
 * @view: filled in
 *
 * Takes no lock, so that what changes meanwhile may be half told.
 */
void prp_inet_addr_describe(struct prp_sock *psk, struct prp_inet_view *view)
{
	const struct prp_inet *inet = psk->inet;
	const struct sock *tcp = psk->front;
	const struct prp_conn *conn;
	struct in6_addr ip;

	memset(view, 0, sizeof(*view));
	view->protocol = inet->family == AF_INET6 ? PRP_DIAG_INET6 :
						    PRP_DIAG_INET;
	view->path = READ_ONCE(inet->path);
	view->state = READ_ONCE(psk->sk.sk_state);
	view->local.sin6_family = inet->family;
	conn = rcu_dereference(psk->conn);
	if (conn && view->path != PRP_PATH_TCP) {
		inet_put(inet->family, (struct sockaddr *)&view->local,
			 &conn->ip->local, conn->key.lport);
		inet_put(inet->family, (struct sockaddr *)&view->peer,
			 &conn->ip->peer, conn->key.rport);
		return;
	}
	if (prp_inet_is_child(inet))
		return;
	if (view->path == PRP_PATH_TCP)
		view->state = READ_ONCE(tcp->sk_state);
	prp_inet_addr_local(tcp, &ip);
	inet_put(inet->family, (struct sockaddr *)&view->local, &ip,
		 READ_ONCE(tcp->sk_num));
	inet_remote(tcp, &ip);
	if (tcp->sk_dport)
		inet_put(inet->family, (struct sockaddr *)&view->peer, &ip,
			 ntohs(tcp->sk_dport));
}

/**
 * prp_inet_addr_describe_conn() - the same of a connection that no socket has
 * @conn: connection of the IP mode, its lock held
 * @view: filled in
 */
void prp_inet_addr_describe_conn(const struct prp_conn *conn,
				 struct prp_inet_view *view)
{
	bool v4 = ipv6_addr_v4mapped(&conn->ip->local);
	sa_family_t family = v4 ? AF_INET : AF_INET6;

	memset(view, 0, sizeof(*view));
	view->protocol = v4 ? PRP_DIAG_INET : PRP_DIAG_INET6;
	view->path = PRP_PATH_PRP;
	view->state = conn->state;
	inet_put(family, (struct sockaddr *)&view->local, &conn->ip->local,
		 conn->key.lport);
	inet_put(family, (struct sockaddr *)&view->peer, &conn->ip->peer,
		 conn->key.rport);
}
