/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket: what a program holds. It uses a connection and is used by it
 * through the few functions below.
 */
#ifndef _PRP_SOCK_H
#define _PRP_SOCK_H

#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/rbtree.h>
#include <linux/wait_bit.h>
#include <net/sock.h>

#include "compat/compat.h"
#include "socket/port.h"
#include "transport/conn.h"

#define PRP_SNDBUF_DEFAULT (1024 * 1024)
#define PRP_RCVBUF_DEFAULT (2 * 1024 * 1024)
#define PRP_SNDBUF_GROWN (8 * 1024 * 1024) /* at most, without SO_SNDBUF */
#define PRP_RCVBUF_GROWN (8 * 1024 * 1024) /* at most, without SO_RCVBUF */

/**
 * struct prp_backlog - children of a listener
 * @lock: protects all of it; BH, inside a connection's lock
 * @open: false once the listener is closing
 * @count: how many are in @queue [@lock to write]
 * @half_count: how many are in @half_queue [@lock to write]
 * @queue: those that wait for accept()
 * @half_queue: those that are unconfirmed
 * @of_peer: how many in both by node number % PRP_PEER_SLOTS [@lock to write]
 */
struct prp_backlog {
	spinlock_t lock;
	bool open;
	u32 count;
	u32 half_count;
	struct list_head queue;
	struct list_head half_queue;
	u32 of_peer[PRP_PEER_SLOTS];
};

/**
 * struct prp_sock - a socket of ours
 * @sk: the generic part; sk_state mirrors the connection's state, sk_lock
 *	(lock_sock) orders bind, connect, listen, accept, shutdown and close
 * @conn: connection, one reference [written under sk_lock, @tx_mutex and
 *	@rx_mutex; RCU to read]
 * @tx_mutex: orders writers: protects the free slots of the connection's
 *	tx.seg; inside sk_lock
 * @rx_mutex: orders readers: protects @rd and @rd_freed; inside sk_lock
 * @tx_sleepers: writers that wait with @tx_mutex dropped, and go on with the
 *	connection that they had [@tx_mutex]
 * @rx_sleepers: readers that do so [@rx_mutex]
 * @draining: who takes the connection away waits for them [sk_lock to write]
 * @rx_busy: a reader who may not wait was refused because of @rx_mutex
 * @tx_busy: a writer was because of @tx_mutex
 * @keep_probes: probes of keepalive.c without an answer [@conn's lock]
 * @tx_refused: bytes of the message that the pool had no memory for, if that
 *	was the last one, else 0 [@tx_mutex to write]
 * @starve_node: in the list of those who wait for the pool [prp_starving.lock]
 * @rd: segments that a reader has taken off the connection [@rx_mutex]
 * @rd_freed: truesize read and not yet told the connection [@rx_mutex]
 * @rd_tune_seq: from which segment on a window is counted; see tune.c [@conn's
 *	lock]
 * @rd_tune_tick: since when [@conn's lock]
 * @rd_bytes: bytes given to the program so far, plus @rd_messages [@rx_mutex
 *	to write]
 * @rd_messages: messages taken to their end so far [@rx_mutex to write]
 * @rd_skip: the rest of a message that was longer than the program wanted is
 *	to be dropped [@rx_mutex]
 * @port_auto: connect() has chosen @port: bind() may still choose another one
 *	[sk_lock]
 * @addr: our node number if bind() named it, else 0 [sk_lock]
 * @port: port that we are bound to, or NULL [sk_lock]
 * @port_node: in prp_port.owners or listeners [prp_net.port_lock]
 * @backlog: children of one that listens, or did; else NULL [sk_lock to write]
 * @timeout_ms: PRP_USER_TIMEOUT, 0 for the default
 * @checksum: PRP_CHECKSUM [sk_lock to write]
 * @nodelay: PRP_NODELAY, TCP_NODELAY in the IP mode [sk_lock to write]
 * @reuseport: PRP_REUSEPORT [sk_lock to write]; sk_reuseport would let the
 *	kernel make a group of this socket, and its programs
 * @notsent_lowat: PRP_NOTSENT_LOWAT [sk_lock to write]
 * @keep_idle: PRP_KEEPIDLE, seconds, 0 for the default [sk_lock to write]
 * @keep_interval: PRP_KEEPINTVL, likewise
 * @keep_count: PRP_KEEPCNT, 0 for the default [sk_lock to write]
 * @keep_waits: the timer of @sk was started once
 * @keep_heard: prp_watch.heard_tick at the last of @keep_probes [@conn's lock]
 * @list_node: in prp_net.socks [prp_net.socks_lock]
 * @id: place in prp_net.socks; no other one ever has it [const]
 * @front: sock of the program's descriptor: what the kernel sets and takes
 *	there without asking a family counts for us, which is options of
 *	SOL_SOCKET, the error and its queue. This one itself; TCP's, with a
 *	reference, where the IP mode was put on a socket of TCP's [const]
 * @inet: what the IP mode has besides, NULL in a native socket [const]
 */
struct prp_sock {
	struct sock sk;
	struct prp_conn __rcu *conn;
	struct mutex tx_mutex;
	struct mutex rx_mutex;
	u32 tx_sleepers;
	u32 rx_sleepers;
	bool draining;
	bool rx_busy;
	bool tx_busy;
	u8 keep_probes;
	u32 tx_refused;
	struct list_head starve_node;
	struct sk_buff_head rd;
	u32 rd_freed;
	u32 rd_tune_seq;
	u64 rd_tune_tick;
	u64 rd_bytes;
	u32 rd_messages;
	bool rd_skip;
	bool port_auto;
	u16 addr;
	struct prp_port *port;
	struct hlist_node port_node;
	struct prp_backlog *backlog;
	u32 timeout_ms;
	u32 notsent_lowat;
	bool checksum;
	bool nodelay;
	bool reuseport;
	u8 keep_count;
	u16 keep_idle;
	u16 keep_interval;
	bool keep_waits;
	u64 keep_heard;
	struct rb_node list_node;
	u64 id;
	struct sock *front;
	struct prp_inet *inet;
};

/**
 * prp_sk() - a socket of ours
 * @sk: its generic part, with which it begins
 *
 * Return: all of it.
 */
static inline struct prp_sock *prp_sk(const struct sock *sk)
{
	return (struct prp_sock *)sk;
}

/**
 * prp_front() - sock of the descriptor that the program has
 * @sk: generic part of a prp_sock
 *
 * Return: it.
 */
static inline struct sock *prp_front(const struct sock *sk)
{
	return prp_sk(sk)->front;
}

/**
 * prp_pacing_max() - how fast may it send?
 * @sk: generic part of a prp_sock
 *
 * Return: SO_MAX_PACING_RATE, bytes a second; all bits set for no bound.
 */
static inline u64 prp_pacing_max(const struct sock *sk)
{
	unsigned long most = READ_ONCE(prp_front(sk)->sk_max_pacing_rate);

	return most == ~0UL ? U64_MAX : most;
}

/**
 * prp_sock_gfp() - how is memory for what it sends to be had?
 * @sk: generic part of a prp_sock
 *
 * Return: as who has the descriptor said, who may be the kernel itself; charged
 * to the program's cgroup.
 */
static inline gfp_t prp_sock_gfp(const struct sock *sk)
{
	return READ_ONCE(prp_front(sk)->sk_allocation) | __GFP_ACCOUNT;
}

/**
 * prp_sndbuf() - how much may wait to be acknowledged
 * @sk: generic part of a prp_sock
 *
 * Return: what SO_SNDBUF was set to, else our own size; bytes.
 */
static inline u32 prp_sndbuf(const struct sock *sk)
{
	const struct sock *front = prp_front(sk);

	return front->sk_userlocks & SOCK_SNDBUF_LOCK ?
		       READ_ONCE(front->sk_sndbuf) :
		       READ_ONCE(sk->sk_sndbuf);
}

/**
 * prp_rcvbuf() - how much may wait to be read
 * @sk: generic part of a prp_sock
 *
 * Return: what SO_RCVBUF was set to, else our own size; bytes.
 */
static inline u32 prp_rcvbuf(const struct sock *sk)
{
	const struct sock *front = prp_front(sk);

	return front->sk_userlocks & SOCK_RCVBUF_LOCK ?
		       READ_ONCE(front->sk_rcvbuf) :
		       READ_ONCE(sk->sk_rcvbuf);
}

/**
 * prp_sock_waiting() - how many children would accept() find?
 * @psk: socket
 *
 * Return: that many; 0 of a socket that does not listen.
 */
static inline u32 prp_sock_waiting(const struct prp_sock *psk)
{
	/* pairs with prp_port_listen() */
	return smp_load_acquire(&psk->sk.sk_state) == PRP_LISTEN ?
		       READ_ONCE(psk->backlog->count) :
		       0;
}

/**
 * prp_sock_type() - a socket's type as requests name it
 * @sk: socket
 *
 * Return: PRP_TYPE_STREAM or PRP_TYPE_SEQPACKET.
 */
static inline u8 prp_sock_type(const struct sock *sk)
{
	return sk->sk_type == SOCK_SEQPACKET ? PRP_TYPE_SEQPACKET :
					       PRP_TYPE_STREAM;
}

/**
 * prp_sock_unread() - what a reader would find
 * @psk: socket
 * @conn: its connection
 *
 * Return: bytes, plus ends of messages, in order and not yet given to the
 * program.
 */
static inline u64 prp_sock_unread(const struct prp_sock *psk,
				  const struct prp_conn *conn)
{
	return READ_ONCE(conn->rx.bytes) - READ_ONCE(psk->rd_bytes);
}

/**
 * prp_sock_unread_bytes() - how much a reader would find
 * @psk: socket
 * @conn: its connection
 *
 * Return: bytes, without the ends of messages.
 */
static inline u64 prp_sock_unread_bytes(const struct prp_sock *psk,
					const struct prp_conn *conn)
{
	u32 ends = READ_ONCE(conn->rx.messages) - READ_ONCE(psk->rd_messages);
	u64 all = prp_sock_unread(psk, conn);

	/* the two are not read at once */
	return all > ends ? all - ends : 0;
}

/**
 * prp_sock_is_readable() - would a reader of a stream find enough?
 * @psk: socket
 * @conn: its connection
 *
 * Return: true if as much has arrived as SO_RCVLOWAT says, or as there is room
 * for.
 */
static inline bool prp_sock_is_readable(const struct prp_sock *psk,
					const struct prp_conn *conn)
{
	u64 unread = prp_sock_unread(psk, conn);

	return unread >= READ_ONCE(psk->sk.sk_rcvlowat) ||
	       (unread &&
		(READ_ONCE(conn->rx.starved) || !prp_rx_window(&conn->rx)));
}

/**
 * prp_sock_conn() - a socket's connection
 * @psk: socket, its sk_lock held, under which the pointer is written
 *
 * Return: the connection, or NULL.
 */
static inline struct prp_conn *prp_sock_conn(struct prp_sock *psk)
{
	return rcu_dereference_protected(psk->conn,
					 lockdep_sock_is_held(&psk->sk));
}

/**
 * prp_sock_slept() - a reader or writer has its mutex again
 * @psk: socket
 * @sleepers: count of those like him, with him; the mutex is held
 */
static inline void prp_sock_slept(struct prp_sock *psk, u32 *sleepers)
{
	--*sleepers;
	if (unlikely(READ_ONCE(psk->draining)))
		wake_up_var(&psk->draining);
}

struct sock *prp_sock_alloc(struct net *net, struct socket *sock, bool kern);
void prp_sock_attach(struct prp_sock *psk, struct prp_conn *conn);
struct prp_conn *prp_sock_detach(struct prp_sock *psk);
void prp_sock_unlist(struct prp_sock *psk);
int prp_sock_check_addr(const struct sockaddr_prp *addr, int len);
void prp_wake_reader(struct prp_conn *conn);
bool prp_wake_is_writable(const struct prp_sock *psk,
			  const struct prp_conn *conn);
void prp_wake_write_space(struct sock *sk);
void prp_wake_retry_rx(struct prp_sock *psk);
void prp_wake_retry_tx(struct prp_sock *psk);
int prp_wake_wait_connected(struct sock *sk, long *timeo);
void prp_wake_changed(struct prp_conn *conn);
void prp_wake_unanswered(struct prp_conn *conn);
void prp_wake_answered(struct prp_conn *conn);
void prp_wake_readable(struct prp_conn *conn);
void prp_wake_starved(struct prp_conn *conn);
void prp_wake_writable(struct prp_conn *conn, u32 held);
bool prp_accept_has_room(const struct prp_sock *listener, u16 peer);
int prp_accept_add_child(struct prp_sock *listener, struct prp_conn *conn);
void prp_accept_child_ended(struct prp_conn *conn);
void prp_accept_child_confirmed(struct prp_conn *conn);
bool prp_accept_is_half_full(const struct prp_sock *listener);
void prp_sock_net_init(struct prp_net *pn);
int prp_sock_init(void);
void prp_sock_exit(void);
int prp_family_init(void);
void prp_family_exit(void);

int prp_bind(struct socket *sock, struct prp_compat_sockaddr *uaddr, int len);
int prp_getname(struct socket *sock, struct sockaddr *uaddr, int peer);
int prp_connect(struct socket *sock, struct prp_compat_sockaddr *uaddr, int len,
		int flags);
int prp_connect_start(struct sock *sk, u16 node, u16 port,
		      const struct prp_conn_ip *ip);
int prp_connect_wait(struct sock *sk, long *timeo);
int prp_connect_end(struct socket *sock);
void prp_connect_give_up(struct sock *sk);
int prp_listen(struct socket *sock, int backlog);
int prp_accept(PRP_COMPAT_ACCEPT_ARGS);
void prp_accept_stop(struct sock *sk);
struct prp_conn *prp_accept_pop(struct prp_sock *psk);
int prp_accept_prepare(struct prp_sock *psk);
int prp_accept_child(struct sock *listener, struct socket *newsock,
		     struct prp_conn *conn, bool kern);
__poll_t prp_poll(struct file *file, struct socket *sock, poll_table *wait);
int prp_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
int prp_shutdown(struct socket *sock, int how);
int prp_release(struct socket *sock);
void prp_sockopt_set_timeout(struct sock *sk, u32 ms);
void prp_sockopt_set_notsent(struct sock *sk, u32 bytes);
void prp_sockopt_set_nodelay(struct sock *sk, bool on);
void prp_sockopt_info(struct sock *sk, struct prp_info *info, u64 *unacked,
		      u64 *unsent);
int prp_set_rcvlowat(struct sock *sk, int val);
int prp_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
		   unsigned int len);
int prp_getsockopt(struct socket *sock, int level, int name, char __user *val,
		   int __user *len);
int prp_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
void prp_splice_eof(struct socket *sock);
int prp_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);

/**
 * prp_sock_lock() - lock a socket's readers or writers out
 * @mutex: its tx_mutex or rx_mutex
 * @refused: its tx_busy or rx_busy
 * @timeo: jiffies that the caller may wait
 *
 * Who holds it may be waiting for a page of a program's. Who may not wait is
 * refused then; prp_sock_unlock_rx() or prp_sock_unlock_tx() has him try again,
 * and poll() tells him nothing before.
 *
 * Return: 0 with the mutex held, or -EAGAIN.
 */
static inline int prp_sock_lock(struct mutex *mutex, bool *refused, long timeo)
{
	if (likely(timeo)) {
		mutex_lock(mutex);
		return 0;
	}
	if (likely(mutex_trylock(mutex)))
		return 0;
	WRITE_ONCE(*refused, true);
	smp_mb(); /* pairs with the one behind the unlock */
	return mutex_trylock(mutex) ? 0 : -EAGAIN;
}

/**
 * prp_sock_unlock_rx() - let other readers go on
 * @psk: socket, its rx_mutex held
 */
static inline void prp_sock_unlock_rx(struct prp_sock *psk)
{
	mutex_unlock(&psk->rx_mutex);
	smp_mb(); /* who was refused by now has said so */
	if (unlikely(READ_ONCE(psk->rx_busy)))
		prp_wake_retry_rx(psk);
}

/**
 * prp_sock_unlock_tx() - let other writers go on
 * @psk: socket, its tx_mutex held
 */
static inline void prp_sock_unlock_tx(struct prp_sock *psk)
{
	mutex_unlock(&psk->tx_mutex);
	smp_mb(); /* who was refused by now has said so */
	if (unlikely(READ_ONCE(psk->tx_busy)))
		prp_wake_retry_tx(psk);
}

/**
 * prp_sock_lock_connected() - the same as prp_sock_lock(), once connected
 * @sk: socket
 * @mutex: its tx_mutex or rx_mutex
 * @refused: its tx_busy or rx_busy
 * @timeo: jiffies to wait
 *
 * A connection that waits for its answer may be let go of by connect(); who
 * holds the mutex on return has another one, or none, and may sleep on it.
 *
 * Return: 0 with the mutex held; else -EAGAIN, or why the wait for an answer
 * was interrupted.
 */
static inline int prp_sock_lock_connected(struct sock *sk, struct mutex *mutex,
					  bool *refused, long timeo)
{
	int err;

	for (;;) {
		err = prp_sock_lock(mutex, refused, timeo);
		if (unlikely(err))
			return err;
		/* pairs with prp_wake_changed(): what was agreed, then that */
		if (likely(smp_load_acquire(&sk->sk_state) != PRP_CONN_WAIT))
			return 0;
		mutex_unlock(mutex);
		err = prp_wake_wait_connected(sk, &timeo);
		if (err)
			return err;
	}
}

#endif /* _PRP_SOCK_H */
