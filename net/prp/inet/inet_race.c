// SPDX-License-Identifier: GPL-2.0
/*
 * TCP beside PRP: while a node does not answer a request TCP tries, too, and
 * carries the connection if it is there first. PRP's answer is not taken while
 * TCP tries: first TCP is stopped, and if it was not there yet PRP asks again.
 * So the server's program never sees a connection that nobody wants, of either
 * kind: a request that has not been confirmed is not accepted, nor is a SYN
 * whose acknowledgment has not come.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <net/tcp_states.h>

#include "inet/inet.h"
#include "transport/handshake.h"

static u8 tcp_state(const struct prp_inet *inet)
{
	return READ_ONCE(inet->tcp->sk->sk_state);
}

/* TCP may have got there. It does not take the socket's lock: it holds that of
 * the wait queue, which TCP wakes. Return: 0, as who does not sleep.
 */
static int watch_wake(struct wait_queue_entry *watch, unsigned int mode,
		      int flags, void *key)
{
	struct prp_inet *inet = container_of(watch, struct prp_inet, watch);
	u8 state = tcp_state(inet);

	if (state == TCP_SYN_SENT)
		return 0;
	if (inet->racing) {
		if (state == TCP_CLOSE)
			inet->tcp_err = READ_ONCE(inet->tcp->sk->sk_err);
		prp_inet_work_queue(inet);
		return 0;
	}
	if (state == TCP_CLOSE)
		return 0;
	list_del_init(&watch->entry);
	prp_inet_memo_failed(prp_net(sock_net(inet->sk)), inet->dest_node,
			     inet->dest_port, inet->refused);
	return 0;
}

static void watch_begin(struct prp_inet *inet)
{
	sock_owned_by_me(inet->sk);
	add_wait_queue(sk_sleep(inet->sk), &inet->watch);
}

static void watch_end(struct prp_inet *inet)
{
	wait_queue_head_t *queue = sk_sleep(inet->sk);

	sock_owned_by_me(inet->sk);
	spin_lock_irq(&queue->lock);
	list_del_init(&inet->watch.entry);
	spin_unlock_irq(&queue->lock);
}

/**
 * prp_inet_race_init() - prepare a socket
 * @inet: what it has in the IP mode
 */
void prp_inet_race_init(struct prp_inet *inet)
{
	init_waitqueue_func_entry(&inet->watch, watch_wake);
	INIT_LIST_HEAD(&inet->watch.entry);
}

/**
 * prp_inet_race_unanswered() - TCP need not wait for PRP any longer
 * @psk: socket of the IP mode
 * @conn: its connection, in PRP_CONN_WAIT, whose lock is held
 */
void prp_inet_race_unanswered(struct prp_sock *psk, const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	psk->inet->unanswered = true;
	prp_inet_work_queue(psk->inet);
}

/**
 * prp_inet_race_answered() - PRP was answered while TCP tries, too
 * @psk: socket of the IP mode
 * @conn: its connection, in PRP_CONN_WAIT, whose lock is held
 */
void prp_inet_race_answered(struct prp_sock *psk, const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	psk->inet->answered = true;
	prp_inet_work_queue(psk->inet);
}

/* As disconnect() of TCP, which would give up a number that bind() left to it;
 * but PRP has that, too, and goes on.
 */
static int tcp_disconnect_bound(struct prp_inet *inet)
{
	struct prp_sock *psk = prp_sk(inet->sk);
	u16 number = prp_port_number(prp_net(sock_net(inet->sk)), psk);
	struct sock *tcp = inet->tcp->sk;
	bool keeps = number && number == tcp->sk_num && !psk->port_auto &&
		     !(tcp->sk_userlocks & SOCK_BINDPORT_LOCK);
	int err;

	sock_owned_by_me(tcp);
	if (keeps)
		tcp->sk_userlocks |= SOCK_BINDPORT_LOCK;
	err = tcp->sk_prot->disconnect(tcp, O_NONBLOCK);
	if (keeps)
		tcp->sk_userlocks &= ~SOCK_BINDPORT_LOCK;
	return err;
}

/* Stop TCP, unless it is there: only if must. Return: whether it was. */
static bool tcp_stop(struct prp_inet *inet, bool must)
{
	struct sock *tcp = inet->tcp->sk;
	bool stopped;

	lock_sock(tcp);
	stopped = (must || tcp->sk_state == TCP_SYN_SENT ||
		   tcp->sk_state == TCP_CLOSE) &&
		  !tcp_disconnect_bound(inet);
	if (stopped) {
		inet->tcp->state = SS_UNCONNECTED;
		WRITE_ONCE(tcp->sk_err, 0); /* nobody is to hear of it */
	}
	release_sock(tcp);
	return stopped;
}

/* From now on PRP's answer is taken again. If one was not it is asked for anew;
 * else the time that PRP has for an answer goes on.
 */
static void race_allow(struct prp_inet *inet, struct prp_conn *conn)
{
	rcu_read_lock();
	spin_lock_bh(&conn->lock);
	conn->handshake.raced = false;
	if (inet->answered && conn->state == PRP_CONN_WAIT)
		__prp_handshake_ask(conn);
	inet->answered = false;
	spin_unlock_bh(&conn->lock);
	rcu_read_unlock();
}

/**
 * prp_inet_race_begin() - have TCP try beside PRP
 * @inet: what the socket has in the IP mode; its sk_lock is held
 * @conn: its connection of PRP
 *
 * Where TCP cannot even begin PRP goes on alone.
 */
void prp_inet_race_begin(struct prp_inet *inet, struct prp_conn *conn)
{
	int err;

	spin_lock_bh(&conn->lock);
	inet->unanswered = false;
	inet->answered = false;
	inet->tcp_err = 0;
	conn->handshake.raced = conn->state == PRP_CONN_WAIT;
	inet->racing = conn->handshake.raced;
	spin_unlock_bh(&conn->lock);
	if (!inet->racing)
		return; /* that was a moment ago */
	watch_begin(inet);
	err = inet->tcp_ops->connect(inet->tcp, (void *)&inet->dest,
				     inet->dest_len, O_NONBLOCK);
	if (err && err != -EINPROGRESS) {
		prp_inet_race_end(inet);
		race_allow(inet, conn);
	}
}

/**
 * prp_inet_race_over() - has TCP got there, or failed?
 * @inet: what a socket has in the IP mode, while TCP tries; its sk_lock is
 *	held
 *
 * Return: true if so.
 */
bool prp_inet_race_over(const struct prp_inet *inet)
{
	sock_owned_by_me(inet->sk);
	return tcp_state(inet) != TCP_SYN_SENT;
}

/**
 * prp_inet_race_refused() - does TCP say that nobody is there?
 * @inet: what a socket has in the IP mode, whose race is over; its sk_lock is
 *	held
 *
 * Return: true if so; false if it got there, or failed for another reason.
 */
bool prp_inet_race_refused(const struct prp_inet *inet)
{
	return tcp_state(inet) == TCP_CLOSE &&
	       READ_ONCE(inet->tcp_err) == ECONNREFUSED;
}

/* Has TCP got there? */
static bool race_served(const struct prp_inet *inet)
{
	u8 state = tcp_state(inet);

	return state != TCP_SYN_SENT && state != TCP_CLOSE;
}

/**
 * prp_inet_race_yield() - PRP was answered: TCP is to give way
 * @inet: what a socket has in the IP mode, while TCP tries; its sk_lock is
 *	held
 * @conn: its connection of PRP
 *
 * Return: false if TCP was there first.
 */
bool prp_inet_race_yield(struct prp_inet *inet, struct prp_conn *conn)
{
	if (race_served(inet) || !tcp_stop(inet, false))
		return false;
	prp_inet_race_end(inet);
	race_allow(inet, conn);
	return true;
}

/**
 * prp_inet_race_end() - TCP tries no longer beside PRP, nor is it looked at
 * @inet: what a socket has in the IP mode; its sk_lock is held
 */
void prp_inet_race_end(struct prp_inet *inet)
{
	watch_end(inet);
	inet->racing = false;
	inet->refused = PRP_WHY_NONE;
}

/**
 * prp_inet_race_stop() - the program has given up what TCP tries, too
 * @inet: what a socket has in the IP mode; its sk_lock is held
 */
void prp_inet_race_stop(struct prp_inet *inet)
{
	if (!inet->racing)
		return;
	prp_inet_race_end(inet);
	tcp_stop(inet, true);
}

/**
 * prp_inet_race_watch_tcp() - remember that PRP was refused if TCP is served
 * @inet: what a socket has in the IP mode, whose TCP is about to connect; its
 *	sk_lock is held
 * @refused: PRP_WHY_*
 *
 * Where nobody listens at all there is nothing to remember: who begins to
 * listen is to have the next client over PRP.
 */
void prp_inet_race_watch_tcp(struct prp_inet *inet, u8 refused)
{
	prp_inet_race_end(inet);
	inet->refused = refused;
	watch_begin(inet);
}

/**
 * prp_inet_race_watch_now() - TCP may have got there before it was watched
 * @inet: what a socket has in the IP mode; its sk_lock is held
 */
void prp_inet_race_watch_now(struct prp_inet *inet)
{
	wait_queue_head_t *queue = sk_sleep(inet->sk);

	sock_owned_by_me(inet->sk);
	spin_lock_irq(&queue->lock);
	if (!list_empty(&inet->watch.entry))
		watch_wake(&inet->watch, 0, 0, NULL);
	spin_unlock_irq(&queue->lock);
}
