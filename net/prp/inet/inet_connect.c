// SPDX-License-Identifier: GPL-2.0
/*
 * connect() in the IP mode: who is to carry the connection. PRP is asked
 * where the host table knows the address; where it does not, or PRP does not
 * get there, TCP goes on, before any data was sent; where it takes its time,
 * TCP tries, too (inet_race.c). Once PRP has been asked for, that is the work
 * queue's business, whether somebody waits in connect() or not: there is one
 * way to fall back.
 */
#include <net/inet_common.h>
#include <net/ipv6.h>
#include <net/tcp_states.h>

#include "inet/inet.h"
#include "pure/state.h"
#include "transport/handshake.h"

/**
 * prp_inet_connect_take_tcp() - TCP is to carry a connection
 * @inet: what the socket has in the IP mode; its sk_lock is held
 * @reason: PRP_WHY_*, but for PRP_WHY_NONE
 */
void prp_inet_connect_take_tcp(struct prp_inet *inet, u32 reason)
{
	struct sock *sk = inet->sk;

	BUILD_BUG_ON(PRP_MIB_IP_TCP_UNKNOWN + PRP_WHY_CGROUP -
			     PRP_WHY_UNKNOWN !=
		     PRP_MIB_IP_TCP_CGROUP);
	sock_owned_by_me(sk);
	inet->why.prpw_reason = reason;
	WRITE_ONCE(inet->path, PRP_PATH_TCP);
	prp_mib_inc(prp_net(sock_net(sk)),
		    PRP_MIB_IP_TCP_UNKNOWN + reason - PRP_WHY_UNKNOWN);
}

static u32 inet_why(int err)
{
	switch (err) {
	case ECONNREFUSED:
	case EPROTOTYPE:
		return PRP_WHY_REFUSED;
	case EACCES:
	case EPERM:
		return PRP_WHY_DENIED;
	case ETIMEDOUT:
		return PRP_WHY_SILENT;
	case EPROTONOSUPPORT:
		return PRP_WHY_FEATURES;
	case ENETDOWN:
	case ENETUNREACH:
	case EHOSTUNREACH:
		return PRP_WHY_NO_ROUTE;
	}
	return PRP_WHY_OTHER;
}

/**
 * prp_inet_connect_changed() - a connection of PRP has changed its state
 * @psk: socket of the IP mode
 * @conn: its connection, whose lock is held
 *
 * Return: true if the socket is not to hear of it, since TCP goes on.
 */
bool prp_inet_connect_changed(struct prp_sock *psk, const struct prp_conn *conn)
{
	struct prp_inet *inet = psk->inet;

	lockdep_assert_held(&conn->lock);
	if (inet->path != PRP_PATH_NONE)
		return false;
	if (conn->state == PRP_ESTABLISHED) {
		WRITE_ONCE(inet->path, PRP_PATH_PRP);
		smp_wmb(); /* pairs with prp_inet_poll(): path, then state */
		prp_mib_inc(conn->pn, PRP_MIB_IP_PRP_OUT);
		prp_inet_memo_served(conn->pn, conn->key.peer, conn->key.rport);
		return false;
	}
	if (conn->state != PRP_CLOSE || !conn->err || conn->only_prp)
		return false; /* asked, or the program has given it up */
	WRITE_ONCE(psk->sk.sk_state, PRP_CONN_WAIT);
	prp_inet_work_queue(inet);
	return true;
}

/* Let go of a connection of PRP that never was, and of its port. */
static void inet_drop_prp(struct sock *sk)
{
	struct prp_net *pn = prp_net(sock_net(sk));
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn = prp_sock_detach(psk);

	if (conn) {
		prp_handshake_abort(conn, 0);
		prp_conn_put(conn);
	}
	/* an automatic one of PRP's is not the companion's number */
	if (prp_port_number(pn, psk) != prp_front(sk)->sk_num)
		prp_port_release(pn, psk);
	sk->sk_socket->state = SS_UNCONNECTED;
}

/* Is it worth remembering, if TCP is served? */
static bool inet_is_remembered(const struct prp_inet *inet, u32 reason)
{
	switch (reason) {
	case PRP_WHY_SILENT:
		return !inet->answered;
	case PRP_WHY_REFUSED:
	case PRP_WHY_DENIED:
	case PRP_WHY_FEATURES:
		return true;
	}
	return false;
}

/* Have TCP connect, or go on, and remember why PRP did not. Return: 0 or as
 * connect().
 */
static int inet_begin_tcp(struct prp_inet *inet, u32 reason)
{
	bool begun = inet->racing;
	int err = 0;

	if (inet_is_remembered(inet, reason))
		prp_inet_race_watch_tcp(inet, reason);
	else
		prp_inet_race_end(inet);
	if (!begun)
		err = inet->tcp_ops->connect(inet->tcp, (void *)&inet->dest,
					     inet->dest_len, O_NONBLOCK);
	prp_inet_race_watch_now(inet);
	return err;
}

static void inet_go_on(struct sock *sk, u32 reason)
{
	struct prp_inet *inet = prp_inet(sk);
	int err;

	prp_inet_connect_take_tcp(inet, reason);
	inet_drop_prp(sk);
	err = inet_begin_tcp(inet, reason);
	smp_wmb(); /* pairs with prp_inet_poll(): TCP connects, then state */
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
	if (err && err != -EINPROGRESS) {
		WRITE_ONCE(prp_front(sk)->sk_err, -err);
		sk_error_report(sk);
	}
	sk->sk_state_change(sk);
	/* TCP has told that it is over before poll() could tell it */
	if (prp_inet_race_over(inet))
		sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
}

/* TCP tries, too, and has got there or failed, or PRP was answered. Where TCP
 * has failed PRP has its time, unless that was since nobody is there.
 */
static void inet_decide_race(struct prp_inet *inet, struct prp_conn *conn,
			     bool answered)
{
	bool over = prp_inet_race_over(inet);

	if (!over && !answered)
		return;
	if ((over && prp_inet_race_refused(inet)) ||
	    !prp_inet_race_yield(inet, conn))
		inet_go_on(inet->sk, PRP_WHY_SILENT);
}

/* PRP has failed or was answered, or has had its time; or TCP has got there. */
static void inet_decide(struct prp_inet *inet, struct prp_conn *conn)
{
	bool answered, unanswered;
	int err = 0;

	spin_lock_bh(&conn->lock);
	if (conn->state == PRP_CLOSE)
		err = conn->err;
	answered = inet->answered;
	unanswered = inet->unanswered;
	spin_unlock_bh(&conn->lock);
	if (err)
		inet_go_on(inet->sk, inet_why(err));
	else if (inet->racing)
		inet_decide_race(inet, conn, answered);
	else if (unanswered)
		prp_inet_race_begin(inet, conn);
}

/**
 * prp_inet_connect_decide() - something has become of PRP, or of TCP beside it
 * @work: prp_inet.decide of the socket, with a reference
 */
void prp_inet_connect_decide(struct work_struct *work)
{
	struct prp_inet *inet = container_of(work, struct prp_inet, decide);
	struct sock *sk = inet->sk;
	struct prp_conn *conn;

	lock_sock(sk);
	conn = prp_sock_conn(prp_sk(sk));
	/* unless the program has given it up, or tries anew, meanwhile */
	if (!inet->closed && conn && inet->path == PRP_PATH_NONE &&
	    READ_ONCE(sk->sk_state) == PRP_CONN_WAIT)
		inet_decide(inet, conn);
	release_sock(sk);
	sock_put(sk);
}

/* May TCP connect afresh? */
static bool tcp_is_idle(const struct prp_inet *inet)
{
	return inet->tcp->state == SS_UNCONNECTED &&
	       READ_ONCE(inet->tcp->sk->sk_state) == TCP_CLOSE;
}

/**
 * prp_inet_connect_renew() - TCP may have given up what it carried
 * @inet: what the socket has in the IP mode; its sk_lock is held
 *
 * Then PRP may be asked again, and the socket may be bound and listen.
 */
void prp_inet_connect_renew(struct prp_inet *inet)
{
	sock_owned_by_me(inet->sk);
	if (!prp_inet_over_tcp(inet) || inet->beginning || !tcp_is_idle(inet))
		return;
	prp_inet_race_end(inet); /* what TCP does next says nothing of PRP */
	WRITE_ONCE(inet->path, PRP_PATH_NONE);
	prp_inet_addr_follow(inet);
}

/**
 * prp_inet_connect_begun() - TCP has begun to connect, or could not
 * @inet: what the socket has in the IP mode; its sk_lock is not held
 */
void prp_inet_connect_begun(struct prp_inet *inet)
{
	lock_sock(inet->sk);
	inet->beginning = false;
	release_sock(inet->sk);
}

/* Who has the address, and what does the table call us? Return: PRP_WHY_NONE
 * with @inet's destination set, else why TCP has to carry it.
 */
static u32 inet_look_up(struct prp_inet *inet, struct prp_conn_ip *ip)
{
	struct prp_net *pn = prp_net(sock_net(inet->sk));
	const struct prp_table *table;
	const struct prp_node *node;
	u32 why = PRP_WHY_UNKNOWN;

	rcu_read_lock();
	table = rcu_dereference(pn->table);
	node = prp_ip_index_find(table, &ip->peer);
	if (node) {
		inet->dest_node = node->number;
		why = prp_inet_addr_source_rcu(table, inet->tcp->sk, &ip->peer,
					       &ip->local) ?
			      PRP_WHY_SOURCE :
			      PRP_WHY_NONE;
	}
	rcu_read_unlock();
	if (node && prp_inet_sockopt_only_tcp(inet->sk, &inet->why))
		return PRP_WHY_OPTION;
	if (!why && prp_inet_ipsec_is_wanted(inet, &ip->peer))
		return PRP_WHY_IPSEC;
	if (!why && prp_inet_cgroup_sees_connect(inet->tcp->sk))
		return PRP_WHY_CGROUP;
	if (why || inet->required)
		return why;
	why = prp_inet_memo_find(pn, inet->dest_node, inet->dest_port);
	if (!why)
		return PRP_WHY_NONE;
	inet->why.prpw_remembered = 1;
	prp_mib_inc(pn, PRP_MIB_IP_TCP_REMEMBERED);
	return why;
}

/* TCP would have to carry it. Return: 0 if it may, else what connect() tells
 * with PRP_REQUIRE.
 */
static int inet_use_tcp(struct prp_inet *inet, u32 why)
{
	if (!inet->required) {
		prp_inet_connect_take_tcp(inet, why);
		return 0;
	}
	inet->why.prpw_reason = why;
	switch (why) {
	case PRP_WHY_OPTION:
		return -EOPNOTSUPP;
	case PRP_WHY_SOURCE:
		return -EADDRNOTAVAIL;
	}
	return -EHOSTUNREACH; /* as where the table has no such node */
}

/* Is there a connection of PRP with these four parts of a name already? One of
 * PRP's has a node where TCP's has one of its addresses.
 */
static bool inet_is_taken(struct prp_inet *inet, const struct prp_conn_ip *ip)
{
	struct prp_net *pn = prp_net(sock_net(inet->sk));
	const union prp_conn_key key = {
		.peer = inet->dest_node,
		.rport = inet->dest_port,
		.lport = prp_port_number(pn, prp_sk(inet->sk)),
	};
	const struct prp_conn *conn;
	bool taken;

	rcu_read_lock();
	conn = prp_conn_find_rcu(pn, &key);
	taken = conn && conn->ip &&
		ipv6_addr_equal(&conn->ip->local, &ip->local) &&
		ipv6_addr_equal(&conn->ip->peer, &ip->peer);
	rcu_read_unlock();
	return taken;
}

/* PRP could not even begin. Return: as inet_use_tcp(), or -EADDRNOTAVAIL as TCP
 * has it where there is such a connection.
 */
static int inet_not_begun(struct prp_inet *inet, int err,
			  const struct prp_conn_ip *ip)
{
	bool taken = err == -EADDRNOTAVAIL && prp_sk(inet->sk)->port &&
		     inet_is_taken(inet, ip);

	inet_drop_prp(inet->sk);
	if (taken)
		return err;
	return inet_use_tcp(inet, inet_why(-err)) ? err : 0;
}

/* Ask PRP for a connection, or find that TCP has to carry it. Return: 0, or a
 * negative errno if neither is to.
 */
static int inet_choose(struct sock *sk, const struct sockaddr *uaddr, int len)
{
	struct prp_inet *inet = prp_inet(sk);
	struct prp_conn_ip ip;
	u32 why;
	int err;

	prp_inet_race_end(inet);
	inet->answered = false;
	inet->unanswered = false;
	WRITE_ONCE(prp_front(sk)->sk_err, 0); /* of the connection before */
	memset(&inet->why, 0, sizeof(inet->why));
	if (!prp_inet_addr_parse(uaddr, len, inet->family, &ip.peer,
				 &inet->dest_port) ||
	    !inet->dest_port ||
	    (ipv6_addr_v4mapped(&ip.peer) && ipv6_only_sock(inet->tcp->sk)))
		return inet_use_tcp(inet, PRP_WHY_UNKNOWN);
	why = inet_look_up(inet, &ip);
	if (why == PRP_WHY_UNKNOWN && prp_inet_addr_is_loopback(&ip.peer)) {
		prp_inet_connect_take_tcp(inet, why);
		return 0;
	}
	if (why)
		return inet_use_tcp(inet, why);
	inet->dest_len = min_t(unsigned int, len, sizeof(inet->dest));
	memcpy(&inet->dest, uaddr, inet->dest_len);
	err = prp_connect_start(sk, inet->dest_node, inet->dest_port, &ip);
	if (err)
		return inet_not_begun(inet, err, &ip);
	sk->sk_socket->state = SS_CONNECTING;
	return 0;
}

/**
 * prp_inet_connect_give_up() - nobody waits for PRP or TCP any more
 * @sk: socket of the IP mode in PRP_CONN_WAIT, its sk_lock held
 */
void prp_inet_connect_give_up(struct sock *sk)
{
	struct prp_inet *inet = prp_inet(sk);

	prp_inet_race_stop(inet);
	prp_connect_give_up(sk);
	/* the answer may just have come */
	WRITE_ONCE(inet->path, PRP_PATH_NONE);
	inet_drop_prp(sk);
}

/* connect() of AF_UNSPEC while PRP carries it or is asked to: as TCP's, the
 * other end is reset, who sleeps here is told so, and the socket is as new.
 */
static void inet_disconnect(struct sock *sk)
{
	struct prp_inet *inet = prp_inet(sk);

	if (inet->path != PRP_PATH_PRP) {
		prp_inet_connect_give_up(sk);
		return;
	}
	prp_handshake_abort(prp_sock_conn(prp_sk(sk)), ECONNRESET);
	inet_drop_prp(sk);
	WRITE_ONCE(inet->path, PRP_PATH_NONE);
	WRITE_ONCE(sk->sk_shutdown, 0);
	WRITE_ONCE(sk->sk_state, PRP_CLOSE);
}

/* The same of a listener. */
static void inet_stop_listening(struct sock *sk)
{
	struct prp_inet *inet = prp_inet(sk);

	prp_accept_stop(sk);
	inet->tcp_ops->shutdown(inet->tcp, SHUT_RDWR);
	prp_inet_addr_follow(inet);
	sk->sk_state_change(sk);
}

/* PRP carries it, or is asked to. Return: 0 once PRP or TCP is to go on, or
 * a negative errno.
 */
static int inet_connect_prp(struct prp_inet *inet, bool fresh, long *timeo)
{
	struct sock *sk = inet->sk;
	int err;

	if (inet->own->state == SS_CONNECTED)
		return -EISCONN;
	err = prp_connect_wait(sk, timeo);
	if (err)
		return err == -EINPROGRESS && !fresh ? -EALREADY : err;
	if (prp_inet_over_tcp(inet))
		return 0;
	err = prp_connect_end(inet->own);
	if (!prp_sock_conn(prp_sk(sk))) {
		inet_drop_prp(sk);
		WRITE_ONCE(inet->path, PRP_PATH_NONE);
	}
	return err;
}

static bool tcp_connects(const struct sock *tcp)
{
	return (1 << READ_ONCE(tcp->sk_state)) &
	       (TCPF_SYN_SENT | TCPF_SYN_RECV);
}

/* Wait until TCP has got there or failed. Return: jiffies that are left, or why
 * the wait was interrupted.
 */
static long inet_wait_tcp(const struct prp_inet *inet, long timeo)
{
	long left;

	left = wait_event_interruptible_timeout(*sk_sleep(inet->sk),
						!tcp_connects(inet->tcp->sk),
						timeo);
	return left < 0 ? sock_intr_errno(timeo) : left;
}

/* What became of it? Who waited, too, and came first was told, and TCP would
 * begin again for who comes now: he hears what he does of TCP alone.
 */
static int inet_tcp_says(struct socket *tcp, struct prp_compat_sockaddr *uaddr,
			 int len, int flags)
{
	int err;

	lock_sock(tcp->sk);
	if (tcp->state == SS_UNCONNECTED)
		err = sock_error(tcp->sk) ?: -ECONNABORTED;
	else
		err = __inet_stream_connect(tcp, uaddr, len, flags, 0);
	release_sock(tcp->sk);
	return err;
}

/* TCP goes on, and tells what became of it. Of SO_SNDTIMEO it has what PRP has
 * left, while it would wait for all of it again.
 */
static int inet_connect_tcp(struct prp_inet *inet,
			    struct prp_compat_sockaddr *uaddr, int len,
			    int flags, bool fresh, long timeo)
{
	struct socket *tcp = inet->tcp;
	long left = 0;
	int err = 0;

	if (timeo != MAX_SCHEDULE_TIMEOUT)
		flags |= O_NONBLOCK;
	if (tcp->state == SS_UNCONNECTED)
		err = sock_error(tcp->sk); /* it could not even begin */
	if (!err)
		err = inet->tcp_ops->connect(tcp, uaddr, len, flags);
	if (timeo && (err == -EINPROGRESS || err == -EALREADY))
		left = inet_wait_tcp(inet, timeo);
	if (left)
		err = left < 0 ? left : inet_tcp_says(tcp, uaddr, len, flags);
	if (!fresh)
		return err;
	prp_inet_connect_begun(inet);
	/* that it has begun already is no news for who has just asked */
	return err == -EALREADY ? -EINPROGRESS : err;
}

/* TCP gives up what it carries. Return: 0 or a negative errno. */
static int inet_disconnect_tcp(struct prp_inet *inet,
			       struct prp_compat_sockaddr *uaddr, int len,
			       int flags)
{
	int err = inet->tcp_ops->connect(inet->tcp, uaddr, len, flags);

	lock_sock(inet->sk);
	prp_inet_connect_renew(inet);
	release_sock(inet->sk);
	return err;
}

/* A child of PRP's gives up what it has, and that is all it can. Return: 0 or
 * a negative errno.
 */
static int inet_connect_child(struct prp_inet *inet, bool unspec)
{
	struct sock *sk = inet->sk;
	int err = -EISCONN;

	lock_sock(sk);
	if (!prp_sock_conn(prp_sk(sk))) {
		err = unspec ? 0 : -EOPNOTSUPP;
	} else if (unspec) {
		inet_disconnect(sk);
		err = 0;
	}
	release_sock(sk);
	return err;
}

static bool is_unspec(const struct sockaddr *addr, int len)
{
	return len >= (int)sizeof(addr->sa_family) &&
	       addr->sa_family == AF_UNSPEC;
}

/**
 * prp_inet_connect() - connect()
 * @sock: socket
 * @uaddr: struct sockaddr_in or sockaddr_in6
 * @len: its length
 * @flags: O_NONBLOCK is known
 *
 * Return: 0, or a negative errno as TCP has it; -EOPNOTSUPP if it is a child
 * that has given up its connection.
 */
int prp_inet_connect(struct socket *sock, struct prp_compat_sockaddr *uaddr,
		     int len, int flags)
{
	struct sockaddr *addr = (struct sockaddr *)uaddr;
	struct prp_inet *inet = prp_inet_of(sock);
	bool fresh = false, done, carried;
	bool unspec = is_unspec(addr, len);
	struct sock *sk = inet->sk;
	int err = 0;
	long timeo;

	if (prp_inet_is_child(inet))
		return inet_connect_child(inet, unspec);
	lock_sock(sk);
	timeo = sock_sndtimeo(prp_front(sk), flags & O_NONBLOCK);
	if (!READ_ONCE(prp_front(sk)->sk_err)) /* TCP tells it first */
		prp_inet_connect_renew(inet);
	if (inet->path == PRP_PATH_NONE && sk->sk_state == PRP_CLOSE &&
	    inet->own->state == SS_UNCONNECTED && tcp_is_idle(inet) &&
	    !unspec) {
		err = inet_choose(sk, addr, len);
		fresh = true;
	}
	if (unspec && sk->sk_state == PRP_LISTEN)
		inet_stop_listening(sk);
	done = unspec && prp_sock_conn(prp_sk(sk));
	if (done)
		inet_disconnect(sk);
	else if (!err && prp_sock_conn(prp_sk(sk)))
		err = inet_connect_prp(inet, fresh, &timeo);
	carried = inet->path == PRP_PATH_PRP;
	/* whoever comes in between is not to take TCP for idle */
	inet->beginning |= fresh && !err && !carried;
	release_sock(sk);
	if (done || err || carried)
		return err;
	if (unspec)
		return inet_disconnect_tcp(inet, uaddr, len, flags);
	return inet_connect_tcp(inet, uaddr, len, flags, fresh, timeo);
}
