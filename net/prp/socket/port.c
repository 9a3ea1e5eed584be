// SPDX-License-Identifier: GPL-2.0
/*
 * Ports: who is bound to which number; see port.h. A port exists while a
 * socket is bound to it or a connection bears it.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ip.h>

#include "inet/inet.h"
#include "net.h"
#include "socket/port.h"
#include "socket/sock.h"
#include "transport/conn_table.h"

#define SHARE_TRIES 64U /* looked at under one hold of the lock */
/* From one that is looked at to the next: a prime, so that all are, and far, as
 * those that are taken lie side by side where each had one of its own.
 */
#define SHARE_STEP 65521

static struct hlist_head *port_bucket(struct prp_net *pn, u16 number)
{
	return &pn->ports[number % PRP_PORT_BUCKETS];
}

static struct prp_port *port_find(struct prp_net *pn, u16 number)
{
	struct prp_port *port;

	lockdep_assert_held(&pn->port_lock);
	hlist_for_each_entry(port, port_bucket(pn, number), node)
		if (port->number == number)
			return port;
	return NULL;
}

/* The user who may share this socket's port, or an invalid one. */
static kuid_t port_shared_by(const struct sock *sk)
{
	return prp_sk(sk)->reuseport ? READ_ONCE(sk->sk_uid) : INVALID_UID;
}

/* PRP_REUSEPORT: do these two share their port? A client that was given to one
 * of another type would be refused.
 */
static bool port_shares(const struct sock *one, const struct sock *two)
{
	kuid_t user = port_shared_by(one);

	return one->sk_type == two->sk_type && uid_valid(user) &&
	       uid_eq(user, port_shared_by(two));
}

/* May two sockets be bound to one port? As TCP has it they share it, or both
 * have SO_REUSEADDR and the one that came first does not listen.
 */
static bool port_is_for_both(const struct sock *first, const struct sock *sk)
{
	return port_shares(first, sk) ||
	       (first->sk_reuse && sk->sk_reuse &&
		READ_ONCE(first->sk_state) != PRP_LISTEN);
}

static bool port_is_owned(const struct prp_port *port)
{
	return !hlist_empty(&port->owners) || !hlist_empty(&port->listeners);
}

/* Does one of these sockets refuse that one? */
static bool port_refuses(const struct hlist_head *bound, const struct sock *sk)
{
	struct prp_sock *owner;

	hlist_for_each_entry(owner, bound, port_node)
		if (!port_is_for_both(&owner->sk, sk))
			return true;
	return false;
}

/* All owners must agree, and who would own a port that has only connections
 * must have SO_REUSEADDR, or have shared it. Among sockets of the IP mode TCP
 * itself has judged by now. Connections do not care which mode their port has.
 */
static bool port_conflicts(const struct prp_port *port,
			   const struct prp_sock *psk)
{
	const struct sock *sk = &psk->sk;

	if (port->inet != !!psk->inet)
		return port_is_owned(port) || !prp_front(sk)->sk_reuse;
	if (port->inet)
		return false;
	if (port_refuses(&port->owners, sk) ||
	    port_refuses(&port->listeners, sk))
		return true;
	return !port_is_owned(port) && !sk->sk_reuse &&
	       !(uid_valid(port->shared_by) &&
		 uid_eq(port->shared_by, port_shared_by(sk)));
}

/* Note that an automatic port is used, or is not any more. */
static void port_mark(struct prp_net *pn, u16 number, bool used)
{
	if (number < PRP_PORT_AUTO_LOW || number > PRP_PORT_AUTO_HIGH)
		return;
	if (used)
		__set_bit(number - PRP_PORT_AUTO_LOW, pn->port_used);
	else
		__clear_bit(number - PRP_PORT_AUTO_LOW, pn->port_used);
}

/* Drop a reference, which may be the last one. */
static void port_put(struct prp_net *pn, struct prp_port *port)
{
	lockdep_assert_held(&pn->port_lock);
	if (!refcount_dec_and_test(&port->refs))
		return;
	port_mark(pn, port->number, false);
	prp_mib_dec(pn, PRP_LIVE_PORTS);
	hlist_del_rcu(&port->node);
	kfree_rcu(port, rcu);
}

/* How many automatic ports are privileged, which the lowest ones can be */
static unsigned int port_privileged(struct net *net)
{
	unsigned int low = 0, high = PRP_PORT_AUTO_COUNT, mid;

	if (likely(!inet_port_requires_bind_service(net, PRP_PORT_AUTO_LOW)))
		return 0;
	while (low < high) {
		mid = (low + high) / 2;
		if (inet_port_requires_bind_service(net,
						    PRP_PORT_AUTO_LOW + mid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The first of the automatic ports from there on that nobody uses, and that is
 * not reserved for who asks for it; PRP_PORT_AUTO_COUNT if there is none.
 */
static unsigned int port_next_free(const struct prp_net *pn, unsigned int at)
{
	for (;; at++) {
		at = find_next_zero_bit(pn->port_used, PRP_PORT_AUTO_COUNT, at);
		if (at == PRP_PORT_AUTO_COUNT ||
		    !inet_is_local_reserved_port(pn->net,
						 PRP_PORT_AUTO_LOW + at))
			return at;
	}
}

/* The next automatic port that is not privileged and is free, or 0. */
static u16 port_free_number(struct prp_net *pn)
{
	unsigned int at, low = port_privileged(pn->net);

	at = port_next_free(pn, max_t(unsigned int, pn->port_hint, low));
	if (at == PRP_PORT_AUTO_COUNT)
		at = port_next_free(pn, low);
	if (at == PRP_PORT_AUTO_COUNT)
		return 0;
	pn->port_hint = at + 1;
	return PRP_PORT_AUTO_LOW + at;
}

/* Where a socket is that is bound. Readers are among listeners, and only those
 * are freed after a grace period: not who connects, and will never listen.
 */
static struct hlist_head *port_list(struct prp_port *port,
				    const struct prp_sock *psk)
{
	return sock_flag(&psk->sk, SOCK_RCU_FREE) ? &port->listeners :
						    &port->owners;
}

/* A socket has a port, which has a reference for it. */
static void port_attach(struct prp_port *port, struct prp_sock *psk)
{
	if (!uid_eq(port->shared_by, port_shared_by(&psk->sk)))
		port->shared_by = INVALID_UID;
	hlist_add_tail_rcu(&psk->port_node, port_list(port, psk));
	/* for prp_port_conn_get(): its refs come first */
	smp_store_release(&psk->port, port);
}

static int port_bind(struct prp_net *pn, struct prp_sock *psk, u16 number,
		     bool client)
{
	struct prp_port *port = NULL, *fresh;
	int err = 0;

	sock_owned_by_me(&psk->sk);
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;
	spin_lock_bh(&pn->port_lock);
	if (number)
		port = port_find(pn, number);
	else
		number = port_free_number(pn);
	if (!number || (port && port_conflicts(port, psk))) {
		err = -EADDRINUSE;
		goto unlock;
	}
	if (!port) {
		port = fresh;
		fresh = NULL;
		refcount_set(&port->refs, 1);
		port->number = number;
		port->inet = psk->inet;
		port->of_clients = client;
		port->shared_by = port_shared_by(&psk->sk);
		port_mark(pn, number, true);
		prp_mib_inc(pn, PRP_LIVE_PORTS);
		hlist_add_head_rcu(&port->node, port_bucket(pn, number));
	} else {
		refcount_inc(&port->refs);
		port->of_clients = false;
		WRITE_ONCE(port->inet, !!psk->inet);
	}
	port_attach(port, psk);
unlock:
	spin_unlock_bh(&pn->port_lock);
	kfree(fresh);
	return err;
}

/**
 * prp_port_bind() - bind a socket to a port
 * @pn: namespace
 * @psk: socket that is bound to none, its sk_lock held
 * @number: port, 0 for any free one
 *
 * Return: 0, -EADDRINUSE, or -ENOMEM.
 */
int prp_port_bind(struct prp_net *pn, struct prp_sock *psk, u16 number)
{
	return port_bind(pn, psk, number, false);
}

/* Is there a connection with these two ends? */
static bool port_is_taken(const struct prp_net *pn,
			  const union prp_conn_key *key)
{
	bool taken;

	rcu_read_lock();
	taken = prp_conn_table_search(pn, key, prp_conn_key_hash(pn, key));
	rcu_read_unlock();
	return taken;
}

/* Share the port of other clients, if none of them goes where this one does. */
static bool port_share(struct prp_net *pn, struct prp_sock *psk,
		       const union prp_conn_key *key)
{
	struct prp_port *port;

	lockdep_assert_held(&pn->port_lock);
	/* that most are taken where many are is found out soonest like this */
	if (port_is_taken(pn, key))
		return false;
	port = port_find(pn, key->lport);
	if (!port || !port->of_clients || port->inet != !!psk->inet)
		return false;
	refcount_inc(&port->refs);
	port_attach(port, psk);
	return true;
}

/**
 * prp_port_bind_client() - bind a socket that connects to an automatic port
 * @pn: namespace
 * @psk: socket that is bound to none, its sk_lock held
 * @key: where it connects to; its own port is not looked at
 *
 * One of its own, or if there is none left one that it shares with clients that
 * go elsewhere; as with TCP the search for that begins anywhere.
 *
 * Return: 0, -EADDRNOTAVAIL, or -ENOMEM.
 */
int prp_port_bind_client(struct prp_net *pn, struct prp_sock *psk,
			 const union prp_conn_key *key)
{
	unsigned int low, i, end, at, count;
	union prp_conn_key tried = *key;
	bool shared = false;
	int err;

	err = port_bind(pn, psk, PRP_PORT_AUTO, true);
	if (likely(err != -EADDRINUSE))
		return err;
	low = port_privileged(pn->net);
	count = PRP_PORT_AUTO_COUNT - low;
	at = reciprocal_scale(get_random_u32(), count);
	for (i = 0; i < count && !shared; cond_resched()) {
		end = min(i + SHARE_TRIES, count);
		spin_lock_bh(&pn->port_lock);
		for (; i < end && !shared; i++) {
			at = (at + SHARE_STEP) % count;
			tried.lport = PRP_PORT_AUTO_LOW + low + at;
			shared = port_share(pn, psk, &tried);
		}
		spin_unlock_bh(&pn->port_lock);
	}
	return shared ? 0 : -EADDRNOTAVAIL;
}

/**
 * prp_port_listen() - let a bound socket listen
 * @pn: namespace
 * @psk: bound socket, its sk_lock held
 *
 * Several may listen at one port that share it; in the IP mode as TCP has
 * allowed.
 *
 * Return: 0, or -EADDRINUSE if one listens there that does not share it.
 */
int prp_port_listen(struct prp_net *pn, struct prp_sock *psk)
{
	struct prp_sock *owner;
	int err = 0;

	sock_owned_by_me(&psk->sk);
	spin_lock_bh(&pn->port_lock);
	hlist_for_each_entry(owner, &psk->port->listeners, port_node)
		if (owner != psk && owner->sk.sk_state == PRP_LISTEN &&
		    !psk->port->inet && !port_shares(&owner->sk, &psk->sk))
			err = -EADDRINUSE;
	if (err)
		goto unlock;
	if (!sock_flag(&psk->sk, SOCK_RCU_FREE)) {
		hlist_del(&psk->port_node);
		sock_set_flag(&psk->sk, SOCK_RCU_FREE);
		hlist_add_tail_rcu(&psk->port_node, port_list(psk->port, psk));
	}
	psk->port->of_clients = false;
	/* who sees that it listens sees its backlog */
	smp_store_release(&psk->sk.sk_state, PRP_LISTEN);
unlock:
	spin_unlock_bh(&pn->port_lock);
	return err;
}

/**
 * prp_port_release() - give a socket's port up
 * @pn: namespace
 * @psk: socket, its sk_lock held; it may be bound to none
 *
 * If it is bound to another one right afterwards, who looks for a listener of
 * this one may go on among those of that one; he takes none of them.
 */
void prp_port_release(struct prp_net *pn, struct prp_sock *psk)
{
	if (!psk->port)
		return;
	spin_lock_bh(&pn->port_lock);
	hlist_del_rcu(&psk->port_node);
	port_put(pn, psk->port);
	WRITE_ONCE(psk->port, NULL);
	psk->port_auto = false;
	spin_unlock_bh(&pn->port_lock);
}

/**
 * prp_port_number() - which port is a socket bound to?
 * @pn: namespace
 * @psk: socket
 *
 * Return: its number, 0 if it is bound to none.
 */
u16 prp_port_number(struct prp_net *pn, const struct prp_sock *psk)
{
	u16 number;

	spin_lock_bh(&pn->port_lock);
	number = psk->port ? psk->port->number : 0;
	spin_unlock_bh(&pn->port_lock);
	return number;
}

/**
 * prp_port_hash() - what decides among listeners that share a port
 * @pn: namespace
 * @frame: the request
 *
 * Nobody can tell from outside which one a request will go to.
 *
 * Return: a hash for prp_port_draw().
 */
u32 prp_port_hash(const struct prp_net *pn, const struct prp_frame *frame)
{
	return jhash_2words(frame->snode, frame->sport, pn->port_secret);
}

/**
 * prp_port_listener_rcu() - who is to have a request?
 * @pn: namespace
 * @frame: the request
 * @ip: set to the addresses of the connection if it is of the IP mode
 *
 * Listeners that share the port are drawn among. A request of the IP mode is
 * never given to a native one, which has not asked TCP for the number. A port
 * that changes its mode meanwhile may have one of the other mode by now, which
 * is passed over.
 *
 * Return: the listener, valid in this RCU read section, or NULL.
 */
struct prp_sock *prp_port_listener_rcu(const struct prp_net *pn,
				       const struct prp_frame *frame,
				       struct prp_conn_ip *ip)
{
	struct prp_sock *psk, *found = NULL;
	u16 number = frame->dport;
	struct prp_port *port;
	unsigned int nr = 0;
	u32 hash;

	hlist_for_each_entry_rcu(port, &pn->ports[number % PRP_PORT_BUCKETS],
				 node) {
		if (port->number != number)
			continue;
		if (READ_ONCE(port->inet))
			return prp_inet_accept_listener_rcu(pn, port, frame,
							    ip);
		if (frame->ip)
			continue;
		hash = prp_port_hash(pn, frame);
		hlist_for_each_entry_rcu(psk, &port->listeners, port_node)
			/* pairs with prp_port_listen() */
			if (smp_load_acquire(&psk->sk.sk_state) == PRP_LISTEN &&
			    READ_ONCE(psk->port) == port && !psk->inet &&
			    prp_port_draw(&hash, ++nr))
				found = psk;
	}
	return found;
}

/**
 * prp_port_conn_get() - a connection is to bear a socket's port
 * @psk: socket, its sk_lock held or found in this RCU read section
 *
 * Return: its port, to be given back by prp_port_conn_put(), or NULL if it
 * has none any more.
 */
struct prp_port *prp_port_conn_get(const struct prp_sock *psk)
{
	struct prp_port *port = READ_ONCE(psk->port);

	return port && refcount_inc_not_zero(&port->refs) ? port : NULL;
}

/**
 * prp_port_conn_put() - a connection bears it no more
 * @pn: namespace
 * @port: port
 */
void prp_port_conn_put(struct prp_net *pn, struct prp_port *port)
{
	if (refcount_dec_not_one(&port->refs))
		return;
	spin_lock_bh(&pn->port_lock);
	port_put(pn, port);
	spin_unlock_bh(&pn->port_lock);
}

/**
 * prp_port_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_port_net_init(struct prp_net *pn)
{
	spin_lock_init(&pn->port_lock);
	pn->port_hint = get_random_u32_below(PRP_PORT_AUTO_COUNT);
	pn->port_secret = get_random_u32();
}
