/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports: who is bound to which number.
 */
#ifndef _PRP_PORT_H
#define _PRP_PORT_H

#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#define PRP_PORT_AUTO_LOW 32768
#define PRP_PORT_AUTO_HIGH 60999
#define PRP_PORT_AUTO_COUNT (PRP_PORT_AUTO_HIGH - PRP_PORT_AUTO_LOW + 1)

struct prp_conn_ip;
union prp_conn_key;
struct prp_frame;
struct prp_net;
struct prp_sock;

/**
 * struct prp_port - a port in use
 * @node: in prp_net.ports [prp_net.port_lock to write, RCU]
 * @rcu: frees it
 * @number: port number [const]
 * @inet: its sockets are of the IP mode, else none of them is; changes only
 *	while it has none [prp_net.port_lock to write]
 * @of_clients: connect() has chosen it for each of these sockets, and none has
 *	listened: clients of others may share it [prp_net.port_lock]
 * @shared_by: the user whose sockets all share it by PRP_REUSEPORT, also when
 *	only their connections are left; else invalid [prp_net.port_lock]
 * @owners: sockets bound to it that have never listened [prp_net.port_lock]
 * @listeners: those that have, and are freed after a grace period
 *	[prp_net.port_lock to write, RCU]
 * @refs: one for each of these sockets, and each connection that bears it
 */
struct prp_port {
	struct hlist_node node;
	struct rcu_head rcu;
	u16 number;
	bool inet;
	bool of_clients;
	kuid_t shared_by;
	struct hlist_head owners;
	struct hlist_head listeners;
	refcount_t refs;
};

/**
 * prp_port_draw() - draw one of listeners that are as good as each other
 * @hash: of the request; another one afterwards
 * @nr: which of them this is, counted from 1
 *
 * The n-th replaces the one before in one of n draws: each has the same chance,
 * and one request goes to the same one as long as they stay the same.
 *
 * Return: true if this one is to have the request, unless a later one is.
 */
static inline bool prp_port_draw(u32 *hash, unsigned int nr)
{
	bool drawn = !reciprocal_scale(*hash, nr);

	*hash = jhash_1word(*hash, nr);
	return drawn;
}

int prp_port_bind(struct prp_net *pn, struct prp_sock *psk, u16 number);
int prp_port_bind_client(struct prp_net *pn, struct prp_sock *psk,
			 const union prp_conn_key *key);
int prp_port_listen(struct prp_net *pn, struct prp_sock *psk);
void prp_port_release(struct prp_net *pn, struct prp_sock *psk);
u32 prp_port_hash(const struct prp_net *pn, const struct prp_frame *frame);
u16 prp_port_number(struct prp_net *pn, const struct prp_sock *psk);
struct prp_sock *prp_port_listener_rcu(const struct prp_net *pn,
				       const struct prp_frame *frame,
				       struct prp_conn_ip *ip);
struct prp_port *prp_port_conn_get(const struct prp_sock *psk);
void prp_port_conn_put(struct prp_net *pn, struct prp_port *port);
void prp_port_net_init(struct prp_net *pn);

#endif /* _PRP_PORT_H */
