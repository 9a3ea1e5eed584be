// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of ours: made, bound, polled, named. What programs do with them else
 * is in connect.c, accept.c, send.c, deliver.c, sockopt.c and close.c; family.c
 * has all of it as the kernel calls it.
 */
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sockios.h>
#include <net/ip.h>

#include <asm/ioctls.h>

#include "compat/compat.h"
#include "inet/inet.h"
#include "socket/deliver.h"
#include "socket/keepalive.h"
#include "socket/seqpacket.h"
#include "socket/sock.h"
#include "socket/starve.h"
#include "transport/account.h"
#include "transport/cgroup.h"
#include "transport/lull.h"
#include "transport/output.h"

static struct lock_class_key prp_slock_key, prp_sklock_key;

/* SIOCINQ, SIOCOUTQ and SIOCOUTQNSD; io_uring asks here. Return: 0,
 * -ENOIOCTLCMD or -EINVAL.
 */
static int sock_amount(struct sock *sk, int cmd, int *amount)
{
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	u64 bytes = 0;

	if (cmd != SIOCINQ && cmd != SIOCOUTQ && cmd != SIOCOUTQNSD)
		return -ENOIOCTLCMD;
	if (READ_ONCE(sk->sk_state) == PRP_LISTEN)
		return -EINVAL;
	rcu_read_lock();
	conn = rcu_dereference(psk->conn);
	if (conn && cmd == SIOCINQ) {
		prp_deliver_asked(conn);
		bytes = prp_sock_unread_bytes(psk, conn);
	} else if (conn) {
		bytes = prp_account_unacked(conn, cmd == SIOCOUTQNSD);
	}
	rcu_read_unlock();
	*amount = min_t(u64, bytes, INT_MAX);
	return 0;
}

static struct proto prp_proto = {
	.name = "PRP",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct prp_sock),
	.keepalive = prp_keepalive,
	.ioctl = PRP_COMPAT_PROTO_IOCTL(sock_amount),
	.memory_allocated = &prp_cgroup_pages,
	.per_cpu_fw_alloc = &prp_cgroup_percpu,
	.sysctl_mem = prp_cgroup_limits,
	.sysctl_rmem = &prp_cgroup_least,
	.sysctl_wmem = &prp_cgroup_least,
};

static void sock_destruct(struct sock *sk)
{
	struct prp_sock *psk = prp_sk(sk);

	__skb_queue_purge(&sk->sk_receive_queue);
	__skb_queue_purge(&sk->sk_error_queue);
	kfree(psk->backlog);
	kfree(psk->inet);
	if (psk->front != sk)
		sock_put(psk->front);
	sk_mem_reclaim_final(sk); /* SO_RESERVE_MEM */
	if (sk->sk_net_refcnt)
		prp_mib_dec(prp_net(sock_net(sk)), PRP_LIVE_SOCKS);
}

static bool sock_is_older(struct rb_node *one, const struct rb_node *two)
{
	return rb_entry(one, struct prp_sock, list_node)->id <
	       rb_entry(two, struct prp_sock, list_node)->id;
}

/* Let a socket be seen. */
static void sock_list(struct prp_net *pn, struct prp_sock *psk)
{
	spin_lock(&pn->socks_lock);
	psk->id = ++pn->socks_id;
	rb_add(&psk->list_node, &pn->socks, sock_is_older);
	spin_unlock(&pn->socks_lock);
}

/**
 * prp_sock_unlist() - let a socket not be seen any more
 * @psk: socket
 */
void prp_sock_unlist(struct prp_sock *psk)
{
	struct prp_net *pn = prp_net(sock_net(&psk->sk));

	spin_lock(&pn->socks_lock);
	rb_erase(&psk->list_node, &pn->socks);
	spin_unlock(&pn->socks_lock);
}

/**
 * prp_sock_alloc() - make a socket
 * @net: namespace
 * @sock: what the program holds
 * @kern: made by the kernel for itself
 *
 * Return: the socket in PRP_CLOSE, or NULL.
 */
struct sock *prp_sock_alloc(struct net *net, struct socket *sock, bool kern)
{
	struct prp_sock *psk;
	struct sock *sk;

	sk = sk_alloc(net, PF_PRP, GFP_KERNEL, &prp_proto, kern);
	if (!sk)
		return NULL;
	psk = prp_sk(sk);
	sock_init_data(sock, sk);
	psk->front = sk;
	sk->sk_destruct = sock_destruct;
	sock_lock_init_class_and_name(sk, "slock-AF_PRP", &prp_slock_key,
				      "sk_lock-AF_PRP", &prp_sklock_key);
	if (sk->sk_net_refcnt) /* else it may outlive its namespace */
		prp_mib_inc(prp_net(net), PRP_LIVE_SOCKS);
	prp_keepalive_init(sk);
	sk->sk_write_space = prp_wake_write_space;
	sk->sk_sndbuf = PRP_SNDBUF_DEFAULT;
	sk->sk_rcvbuf = PRP_RCVBUF_DEFAULT;
	sk->sk_allocation = GFP_KERNEL_ACCOUNT;
	sk->sk_state = PRP_CLOSE;
	mutex_init(&psk->tx_mutex);
	mutex_init(&psk->rx_mutex);
	INIT_LIST_HEAD(&psk->starve_node);
	skb_queue_head_init(&psk->rd);
	sock_list(prp_net(net), psk);
	return sk;
}

/**
 * prp_sock_attach() - give a connection to a socket
 * @psk: socket without one, all three of its locks held
 * @conn: connection, its lock held; its reference is the socket's now
 */
void prp_sock_attach(struct prp_sock *psk, struct prp_conn *conn)
{
	struct sock *sk = &psk->sk;

	lockdep_assert_held(&conn->lock);
	conn->sk = sk;
	conn->child.listener = NULL;
	conn->tx.sndbuf = prp_sndbuf(sk);
	prp_rx_set_rcvbuf(&conn->rx, prp_rcvbuf(sk));
	conn->priority = psk->front->sk_priority;
	conn->mark = psk->front->sk_mark;
	conn->timeout_ms = psk->timeout_ms;
	conn->tx.notsent_lowat = psk->notsent_lowat;
	conn->tx.nodelay = psk->nodelay;
	psk->rd_bytes = 0;
	psk->rd_messages = 0;
	psk->rd_skip = false;
	WRITE_ONCE(psk->tx_refused, 0);
	WRITE_ONCE(sk->sk_state, conn->state);
	if (conn->peer_end)
		WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
	__prp_cgroup_join(conn);
	rcu_assign_pointer(psk->conn, conn);
	prp_keepalive_begin(sk);
}

/* Lock readers and writers out, and those who sleep have gone on. A limited
 * wait, instead of a barrier for each of them that wakes.
 */
static void sock_lock_out(struct prp_sock *psk)
{
	for (;;) {
		mutex_lock(&psk->tx_mutex);
		mutex_lock(&psk->rx_mutex);
		if (likely(!psk->tx_sleepers && !psk->rx_sleepers))
			return;
		mutex_unlock(&psk->rx_mutex);
		mutex_unlock(&psk->tx_mutex);
		WRITE_ONCE(psk->draining, true);
		wait_var_event_timeout(&psk->draining,
				       !READ_ONCE(psk->tx_sleepers) &&
					       !READ_ONCE(psk->rx_sleepers),
				       1);
		WRITE_ONCE(psk->draining, false);
	}
}

/**
 * prp_sock_detach() - take a socket's connection away from it
 * @psk: socket, its sk_lock held
 *
 * Who sleeps on it has been told that it is over, or there is nobody.
 *
 * Return: the connection with the socket's reference, or NULL.
 */
struct prp_conn *prp_sock_detach(struct prp_sock *psk)
{
	struct prp_conn *conn = prp_sock_conn(psk);
	struct sk_buff *skb;

	sock_owned_by_me(&psk->sk);
	if (!conn)
		return NULL;
	sock_lock_out(psk);
	spin_lock_bh(&conn->lock);
	while ((skb = __skb_dequeue(&psk->rd))) {
		psk->rd_freed += skb->truesize;
		kfree_skb(skb);
	}
	conn->rx.mem -= psk->rd_freed;
	psk->rd_freed = 0;
	__prp_account_settle(conn);
	__prp_cgroup_leave(conn);
	conn->sk = NULL;
	RCU_INIT_POINTER(psk->conn, NULL);
	spin_unlock_bh(&conn->lock);
	prp_sock_unlock_rx(psk);
	prp_sock_unlock_tx(psk);
	return conn;
}

/**
 * prp_sock_check_addr() - check an address that a program gave
 * @addr: address
 * @len: its length
 *
 * Return: 0, -EINVAL or -EAFNOSUPPORT.
 */
int prp_sock_check_addr(const struct sockaddr_prp *addr, int len)
{
	static const u8 zero[sizeof(addr->sprp_zero)];

	if (len < (int)sizeof(addr->sprp_family))
		return -EINVAL;
	if (addr->sprp_family != AF_PRP)
		return -EAFNOSUPPORT;
	if (len < (int)sizeof(*addr))
		return -EINVAL;
	if (addr->sprp_net || memcmp(addr->sprp_zero, zero, sizeof(zero)))
		return -EINVAL;
	return 0;
}

/**
 * prp_bind() - bind()
 * @sock: native socket
 * @uaddr: struct sockaddr_prp
 * @len: its length
 *
 * Return: 0 or a negative errno: EINVAL, EAFNOSUPPORT, EADDRNOTAVAIL, EACCES,
 * EADDRINUSE, ENOMEM.
 */
int prp_bind(struct socket *sock, struct prp_compat_sockaddr *uaddr, int len)
{
	const struct sockaddr_prp *addr = (const void *)uaddr;
	struct sock *sk = sock->sk;
	struct net *net = sock_net(sk);
	struct prp_sock *psk = prp_sk(sk);
	u16 node, port;
	int err;

	err = prp_sock_check_addr(addr, len);
	if (err)
		return err;
	node = be16_to_cpu(addr->sprp_addr);
	port = be16_to_cpu(addr->sprp_port);
	if (node != PRP_ADDR_ANY && node != prp_table_self(prp_net(net)))
		return -EADDRNOTAVAIL;
	if (port && inet_port_requires_bind_service(net, port) &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	lock_sock(sk);
	err = -EINVAL;
	if (prp_sock_conn(psk))
		goto out;
	/* what a connect() that has failed had chosen counts no more */
	if (psk->port_auto)
		prp_port_release(prp_net(net), psk);
	if (!psk->port)
		err = prp_port_bind(prp_net(net), psk, port);
	if (!err)
		WRITE_ONCE(psk->addr, node);
out:
	release_sock(sk);
	return err;
}

/**
 * prp_getname() - getsockname() and getpeername()
 * @sock: native socket
 * @uaddr: room for a struct sockaddr_prp
 * @peer: of the other end
 *
 * Return: its length, or -ENOTCONN.
 */
int prp_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_prp *addr = (struct sockaddr_prp *)uaddr;
	struct prp_sock *psk = prp_sk(sock->sk);
	struct prp_conn *conn;
	int ret = sizeof(*addr);

	memset(addr, 0, sizeof(*addr));
	addr->sprp_family = AF_PRP;
	lock_sock(sock->sk);
	conn = prp_sock_conn(psk);
	if (peer) {
		/* accept() asks with 2, also of one that was reset */
		if (!conn || (peer == 1 && READ_ONCE(sock->sk->sk_state) !=
						   PRP_ESTABLISHED)) {
			ret = -ENOTCONN;
		} else {
			addr->sprp_addr = cpu_to_be16(conn->key.peer);
			addr->sprp_port = cpu_to_be16(conn->key.rport);
		}
	} else if (conn) {
		addr->sprp_addr = cpu_to_be16(conn->self);
		addr->sprp_port = cpu_to_be16(conn->key.lport);
	} else {
		addr->sprp_addr = cpu_to_be16(psk->addr);
		if (psk->port)
			addr->sprp_port = cpu_to_be16(psk->port->number);
	}
	release_sock(sock->sk);
	return ret;
}

/* Was somebody refused because of a mutex that is still held? He is woken. */
static bool poll_is_busy(struct mutex *mutex, const bool *refused)
{
	return unlikely(READ_ONCE(*refused)) && mutex_is_locked(mutex);
}

/* Data, room, ends and errors of a connection. */
static __poll_t poll_conn(struct socket *sock, const struct prp_conn *conn)
{
	struct sock *sk = sock->sk;
	u8 shutdown = READ_ONCE(sk->sk_shutdown);
	struct prp_sock *psk = prp_sk(sk);
	__poll_t mask = 0;

	if (READ_ONCE(sk->sk_state) == PRP_CONN_WAIT)
		return 0;
	if ((conn->messages ? prp_seqpacket_recv_is_ready(psk, conn) :
			      prp_sock_is_readable(psk, conn)) &&
	    !poll_is_busy(&psk->rx_mutex, &psk->rx_busy))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (shutdown & SEND_SHUTDOWN)
		return mask | EPOLLOUT | EPOLLWRNORM;
	if (poll_is_busy(&psk->tx_mutex, &psk->tx_busy))
		return mask;
	if (prp_wake_is_writable(psk, conn))
		return mask | EPOLLOUT | EPOLLWRNORM;
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, sk); /* SIGIO */
	set_bit(SOCK_NOSPACE, &sock->flags);
	smp_mb__after_atomic(); /* pairs with prp_wake_writable() */
	if (!prp_starve_is_fed(psk, conn))
		prp_starve_wait(psk, conn);
	if (prp_wake_is_writable(psk, conn))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

/**
 * prp_poll() - poll()
 * @file: what the program holds
 * @sock: socket
 * @wait: where to note who waits; or NULL
 *
 * Return: events.
 */
__poll_t prp_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct sock *sk = sock->sk;
	struct prp_sock *psk = prp_sk(sk);
	struct prp_conn *conn;
	__poll_t mask = 0;
	u8 shutdown;
	bool held, waits;

	sock_poll_wait(file, sock, wait);
	if (READ_ONCE(sk->sk_state) == PRP_LISTEN)
		return prp_sock_waiting(psk) ? EPOLLIN | EPOLLRDNORM : 0;
	shutdown = READ_ONCE(sk->sk_shutdown);
	if (shutdown == SHUTDOWN_MASK || READ_ONCE(sk->sk_state) == PRP_CLOSE)
		mask |= EPOLLHUP;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	rcu_read_lock();
	conn = rcu_dereference(psk->conn);
	/* what is queued is looked at, and goes with the last reference */
	waits = conn && unlikely(prp_lull_waits(conn)) &&
		poll_requested_events(wait) & EPOLLIN;
	held = waits || (conn && unlikely(READ_ONCE(conn->tx.notsent_lowat)));
	if (held && !refcount_inc_not_zero(&conn->ref)) {
		held = false;
		conn = NULL;
		waits = false;
	}
	if (conn)
		mask |= poll_conn(sock, conn);
	else
		mask |= EPOLLOUT | EPOLLWRNORM;
	/* who looks for an answer has said what he had to say */
	if (waits && !(mask & EPOLLIN))
		prp_output_let_go(conn);
	rcu_read_unlock();
	if (held) /* the last one may sleep */
		prp_conn_put(conn);
	smp_rmb(); /* pairs with prp_wake_changed(): the end, then why */
	if (READ_ONCE(psk->front->sk_err) ||
	    !skb_queue_empty(&psk->front->sk_error_queue))
		mask |= EPOLLERR;
	return mask;
}

/**
 * prp_ioctl() - ioctl()
 * @sock: socket
 * @cmd: SIOCINQ, SIOCOUTQ or SIOCOUTQNSD
 * @arg: where the answer goes
 *
 * Return: 0, -ENOIOCTLCMD, -EINVAL or -EFAULT.
 */
int prp_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	int amount, err;

	err = sock_amount(sock->sk, cmd, &amount);
	return err ?: put_user(amount, (int __user *)arg);
}

/**
 * prp_sock_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_sock_net_init(struct prp_net *pn)
{
	spin_lock_init(&pn->socks_lock);
}

/**
 * prp_sock_init() - get ready to make sockets
 *
 * Return: 0 or a negative errno.
 */
int prp_sock_init(void)
{
	return proto_register(&prp_proto, 1);
}

/**
 * prp_sock_exit() - there is no socket of ours any more
 */
void prp_sock_exit(void)
{
	proto_unregister(&prp_proto);
	prp_starve_exit();
}
