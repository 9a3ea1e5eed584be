/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports: who is bound to which number.
 */
#ifndef _PRP_PORT_H
#define _PRP_PORT_H

#include <linux/rculist.h>
#include <linux/types.h>

#define PRP_PORT_AUTO_LOW 32768
#define PRP_PORT_AUTO_HIGH 60999
#define PRP_PORT_AUTO_COUNT (PRP_PORT_AUTO_HIGH - PRP_PORT_AUTO_LOW + 1)

struct prp_conn_ip;
struct prp_frame;
struct prp_net;
struct prp_sock;

/**
 * struct prp_port - a port in use
 * @node: in prp_net.ports [prp_net.port_lock to write, RCU]
 * @rcu: frees it
 * @number: port number [const]
 * @inet: its sockets are of the IP mode, else none of them is [const]
 * @owners: sockets bound to it [prp_net.port_lock to write, RCU]
 * @conns: connections that bear it [prp_net.port_lock]
 */
struct prp_port {
	struct hlist_node node;
	struct rcu_head rcu;
	u16 number;
	bool inet;
	struct hlist_head owners;
	unsigned int conns;
};

int prp_port_bind(struct prp_net *pn, struct prp_sock *psk, u16 number);
int prp_port_listen(struct prp_net *pn, struct prp_sock *psk);
void prp_port_release(struct prp_net *pn, struct prp_sock *psk);
u16 prp_port_number(struct prp_net *pn, const struct prp_sock *psk);
struct prp_sock *prp_port_listener_rcu(const struct prp_net *pn,
				       const struct prp_frame *frame,
				       struct prp_conn_ip *ip);
struct prp_port *prp_port_conn_get(struct prp_net *pn, struct prp_sock *psk);
void prp_port_conn_put(struct prp_net *pn, struct prp_port *port);
void prp_port_net_init(struct prp_net *pn);

#endif /* _PRP_PORT_H */
