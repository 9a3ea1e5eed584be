// SPDX-License-Identifier: GPL-2.0
/*
 * connect() in the IP mode: who is to carry the connection. PRP is asked
 * where the host table knows the address; where it does not, or PRP does not
 * get there, TCP goes on, before any data was sent. Once PRP has been
 * asked for, that is the work queue's business, whether somebody waits in
 * connect() or not: there is one way to fall back.
 */
#include <net/ipv6.h>
#include <net/tcp_states.h>

#include "inet.h"
#include "state.h"

/* TCP is to carry it. */
static void inet_take_tcp(struct prp_inet *inet, enum prp_mib why)
{
	struct sock *sk = inet->sk;

	sock_owned_by_me(sk);
	WRITE_ONCE(inet->path, PRP_PATH_TCP);
	prp_mib_inc(prp_net(sock_net(sk)), why);
}

static enum prp_mib inet_why(int err)
{
	switch (err) {
	case ECONNREFUSED:
	case EACCES:
	case EPROTOTYPE:
		return PRP_MIB_IP_TCP_REFUSED;
	case ETIMEDOUT:
		return PRP_MIB_IP_TCP_SILENT;
	}
	return PRP_MIB_IP_TCP_OTHER;
}

/**
 * prp_inet_changed() - a connection of PRP has changed its state
 * @psk: socket of the IP mode
 * @conn: its connection, whose lock is held
 *
 * Return: true if the socket is not to hear of it, since TCP goes on.
 */
bool prp_inet_changed(struct prp_sock *psk, const struct prp_conn *conn)
{
	struct prp_inet *inet = psk->inet;

	lockdep_assert_held(&conn->lock);
	if (inet->path != PRP_PATH_NONE)
		return false;
	if (conn->state == PRP_ESTABLISHED) {
		WRITE_ONCE(inet->path, PRP_PATH_PRP);
		smp_wmb(); /* pairs with prp_inet_poll(): path, then state */
		prp_mib_inc(conn->pn, PRP_MIB_IP_PRP_OUT);
		return false;
	}
	if (conn->state != PRP_CLOSE || !conn->err)
		return false; /* asked, or the program has given it up */
	WRITE_ONCE(psk->sk.sk_state, PRP_CONN_WAIT);
	sock_hold(&psk->sk);
	if (!prp_inet_queue(&inet->fall_back))
		sock_put(&psk->sk);
	return true;
}

/* Let go of a connection of PRP that never was, and of its port. */
static void inet_drop_prp(struct sock *sk)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn = prp_sock_detach(psk);

	if (conn)
		prp_conn_put(conn);
	/* the companion has no number: PRP's was an automatic one */
	if (!psk->inet->tcp->sk->sk_num)
		prp_port_release(prp_net(sock_net(sk)), psk);
	sk->sk_socket->state = SS_UNCONNECTED;
}

static void inet_go_on(struct sock *sk, int why)
{
	struct prp_inet *inet = prp_inet(sk);
	struct socket *tcp = inet->tcp;
	int err;

	inet_drop_prp(sk);
	inet_take_tcp(inet, inet_why(why));
	prp_inet_sync(sk, tcp);
	err = tcp->ops->connect(tcp, (void *)&inet->dest, inet->dest_len,
				O_NONBLOCK);
	smp_wmb(); /* pairs with prp_inet_poll(): TCP connects, then state */
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
	if (err && err != -EINPROGRESS) {
		WRITE_ONCE(sk->sk_err, -err);
		sk_error_report(sk);
	}
	sk->sk_state_change(sk);
}

/**
 * prp_inet_fall_back() - PRP did not get there: go on with TCP
 * @work: fall_back of the socket, with a reference
 */
void prp_inet_fall_back(struct work_struct *work)
{
	struct prp_inet *inet = container_of(work, struct prp_inet, fall_back);
	struct sock *sk = inet->sk;
	struct prp_conn *conn;

	lock_sock(sk);
	conn = prp_sock_conn(prp_sk(sk));
	/* unless the program has given it up, or tries anew, meanwhile */
	if (!inet->closed && conn && inet->path == PRP_PATH_NONE &&
	    READ_ONCE(sk->sk_state) == PRP_CONN_WAIT &&
	    READ_ONCE(conn->state) == PRP_CLOSE)
		inet_go_on(sk, READ_ONCE(conn->err));
	release_sock(sk);
	sock_put(sk);
}

/* A companion that may connect afresh */
static bool tcp_is_idle(const struct socket *tcp)
{
	return tcp->state == SS_UNCONNECTED &&
	       READ_ONCE(tcp->sk->sk_state) == TCP_CLOSE;
}

/* Ask PRP for a connection, or find that TCP has to carry it. */
static void inet_choose(struct sock *sk, const struct sockaddr *uaddr, int len)
{
	struct prp_inet *inet = prp_inet(sk);
	const struct prp_node *node = NULL;
	const struct prp_table *table;
	struct prp_conn_ip ip;
	u16 port, number = 0;
	int err = -EINVAL;

	if (!prp_inet_parse(uaddr, len, inet->family, &ip.peer, &port) ||
	    !port ||
	    (ipv6_addr_v4mapped(&ip.peer) && ipv6_only_sock(inet->tcp->sk))) {
		inet_take_tcp(inet, PRP_MIB_IP_TCP_OTHER);
		return;
	}
	rcu_read_lock();
	table = rcu_dereference(prp_net(sock_net(sk))->table);
	node = prp_table_ip(table, &ip.peer);
	if (node && !prp_inet_only_tcp(sk)) {
		number = node->number;
		err = prp_inet_source_rcu(table, inet->tcp->sk, &ip.peer,
					  &ip.local);
	}
	rcu_read_unlock();
	if (!node) {
		inet_take_tcp(inet, PRP_MIB_IP_TCP_UNKNOWN);
		return;
	}
	inet->dest_len = min_t(unsigned int, len, sizeof(inet->dest));
	memcpy(&inet->dest, uaddr, inet->dest_len);
	err = err ?: prp_connect_start(sk, number, port, &ip);
	if (err) {
		inet_drop_prp(sk);
		inet_take_tcp(inet, inet_why(-err));
		return;
	}
	sk->sk_socket->state = SS_CONNECTING;
}

/* connect() of AF_UNSPEC while PRP carries it or is asked to. */
static int inet_disconnect(struct sock *sk)
{
	struct prp_conn *conn = prp_sock_conn(prp_sk(sk));

	if (prp_inet(sk)->path == PRP_PATH_PRP)
		return -EOPNOTSUPP; /* others may sleep on it */
	prp_close_reset(conn);
	inet_drop_prp(sk);
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
	return 0;
}

/* PRP carries it, or is asked to. Return: 0 once PRP or TCP is to go on, or
 * a negative errno.
 */
static int inet_connect_prp(struct socket *sock, bool fresh, long timeo)
{
	struct sock *sk = sock->sk;
	int err;

	if (sock->state == SS_CONNECTED)
		return -EISCONN;
	err = prp_connect_wait(sk, timeo);
	if (err)
		return err == -EINPROGRESS && !fresh ? -EALREADY : err;
	if (prp_inet_tcp(sk))
		return 0;
	err = prp_connect_end(sock);
	if (!prp_sock_conn(prp_sk(sk)))
		inet_drop_prp(sk);
	return err;
}

/* TCP goes on, and tells what became of it. */
static int inet_connect_tcp(struct sock *sk, struct socket *tcp,
			    struct prp_compat_sockaddr *uaddr, int len,
			    int flags)
{
	int err = sock_error(sk);

	if (err && tcp->state != SS_CONNECTING)
		return err; /* it could not even begin */
	if (err) /* poll() has taken it: TCP tells it itself */
		WRITE_ONCE(tcp->sk->sk_err, -err);
	prp_inet_sync(sk, tcp);
	return tcp->ops->connect(tcp, uaddr, len, flags);
}

/**
 * prp_inet_connect() - connect()
 * @sock: socket
 * @uaddr: struct sockaddr_in or sockaddr_in6
 * @len: its length
 * @flags: O_NONBLOCK is known
 *
 * Return: 0, or a negative errno as TCP has it.
 */
int prp_inet_connect(struct socket *sock, struct prp_compat_sockaddr *uaddr,
		     int len, int flags)
{
	struct sockaddr *addr = (struct sockaddr *)uaddr;
	bool unspec = len >= (int)sizeof(addr->sa_family) &&
		      addr->sa_family == AF_UNSPEC;
	struct sock *sk = sock->sk;
	struct prp_inet *inet = prp_inet(sk);
	bool fresh = false;
	int err = 0;
	long timeo;

	lock_sock(sk);
	timeo = sock_sndtimeo(sk, flags & O_NONBLOCK);
	if (prp_inet_tcp(sk) && tcp_is_idle(inet->tcp) &&
	    !READ_ONCE(sk->sk_err))
		WRITE_ONCE(inet->path, PRP_PATH_NONE);
	if (inet->path == PRP_PATH_NONE && sk->sk_state == PRP_CLOSE &&
	    sock->state == SS_UNCONNECTED && !unspec) {
		prp_inet_lend_file(sock, inet->tcp);
		inet_choose(sk, addr, len);
		fresh = true;
	}
	if (prp_sock_conn(prp_sk(sk)))
		err = unspec ? inet_disconnect(sk) :
			       inet_connect_prp(sock, fresh, timeo);
	release_sock(sk);
	if (err || READ_ONCE(inet->path) == PRP_PATH_PRP)
		return err;
	return inet_connect_tcp(sk, inet->tcp, uaddr, len, flags);
}
