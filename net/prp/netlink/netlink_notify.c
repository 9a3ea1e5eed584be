// SPDX-License-Identifier: GPL-2.0
/*
 * Notifications to the multicast group "events": what happened to the host
 * table, a rail, a route, the access list, injected faults or a peer, in the
 * words of the answer to the matching get; and to the group "connections":
 * which came and went. Nothing is built while nobody listens.
 *
 * All but peers and connections change at an administrator's hand. What is
 * known of peers changes at anybody's: it is told by a work that runs ten times
 * a second at most and tells of PRP_PEER_BATCH peers then. A connection is told
 * of when both ends know it, so that who forges requests makes us tell nothing,
 * and when it ends.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "compat/genetlink.h"
#include "net.h"
#include "netlink/netlink.h"
#include "netlink/netlink_gen.h"
#include "netlink/netlink_priv.h"
#include "see/peer.h"
#include "transport/conn.h"

#define PEERS_PAUSE_MS 100

/* The room that a connection's message takes at most */
#define CONN_SIZE \
	(4 * nla_total_size(sizeof(u16)) + 2 * nla_total_size(0) + \
	 2 * nla_total_size(sizeof(struct in6_addr)) + \
	 nla_total_size(sizeof(u32)) + 2 * nla_total_size_64bit(sizeof(u64)))

/* The family is registered. Cleared a grace period before it no longer is. */
static bool notify_open;

static bool notify_wanted_by(const struct prp_net *pn, unsigned int group)
{
	return READ_ONCE(notify_open) &&
	       genl_has_listeners(&prp_netlink_family, pn->net, group);
}

static bool notify_wanted(const struct prp_net *pn)
{
	return notify_wanted_by(pn, PRP_NLGRP_EVENTS);
}

/* Begin a message. Without memory who listens is told that one was lost. */
static struct sk_buff *notify_begin(const struct prp_net *pn,
				    unsigned int group, u8 cmd, size_t size,
				    gfp_t gfp, void **header)
{
	struct sk_buff *skb = genlmsg_new(size, gfp);

	*header = skb ? genlmsg_put(skb, 0, 0, &prp_netlink_family, 0, cmd) :
			NULL;
	if (*header)
		return skb;
	nlmsg_free(skb);
	rcu_read_lock();
	if (READ_ONCE(notify_open))
		genl_set_err(&prp_netlink_family, pn->net, 0, group, -ENOBUFS);
	rcu_read_unlock();
	return NULL;
}

static struct sk_buff *notify_new(const struct prp_net *pn, u8 cmd,
				  void **header)
{
	return notify_begin(pn, PRP_NLGRP_EVENTS, cmd, GENLMSG_DEFAULT_SIZE,
			    GFP_KERNEL, header);
}

/* Send what was built, or drop it if it could not be built. */
static void notify_send_to(const struct prp_net *pn, unsigned int group,
			   struct sk_buff *skb, void *header, int err)
{
	rcu_read_lock();
	if (err || !READ_ONCE(notify_open)) {
		nlmsg_free(skb);
	} else {
		genlmsg_end(skb, header);
		genlmsg_multicast_netns(&prp_netlink_family, pn->net, skb, 0,
					group, GFP_ATOMIC);
	}
	rcu_read_unlock();
}

static void notify_send(const struct prp_net *pn, struct sk_buff *skb,
			void *header, int err)
{
	notify_send_to(pn, PRP_NLGRP_EVENTS, skb, header, err);
}

/**
 * prp_netlink_notify_table() - another host table, EtherType or forward is in
 * force
 * @pn: namespace; the caller may sleep
 */
void prp_netlink_notify_table(struct prp_net *pn)
{
	struct sk_buff *skb;
	void *header;
	int err;

	if (!notify_wanted(pn))
		return;
	skb = notify_new(pn, PRP_CMD_TABLE_NTF, &header);
	if (!skb)
		return;
	rcu_read_lock();
	err = prp_netlink_put_table(skb, pn);
	rcu_read_unlock();
	notify_send(pn, skb, header, err);
}

/**
 * prp_netlink_notify_rails() - rails got or lost a device, or that changed
 * @pn: namespace; the caller holds RTNL
 * @rails: bit r: rail r; others than the table's eight are ignored
 */
void prp_netlink_notify_rails(struct prp_net *pn, unsigned long rails)
{
	struct sk_buff *skb;
	unsigned int r;
	void *header;

	ASSERT_RTNL();

	if (!notify_wanted(pn))
		return;
	for_each_set_bit(r, &rails, PRP_RAILS) {
		skb = notify_new(pn, PRP_CMD_RAIL_NTF, &header);
		if (skb)
			notify_send(pn, skb, header,
				    prp_netlink_put_rail(skb, pn, r));
	}
}

/**
 * prp_netlink_notify_route() - an override was set or removed
 * @pn: namespace; the caller may sleep
 * @number: destination, which may have left the table
 */
void prp_netlink_notify_route(struct prp_net *pn, u16 number)
{
	struct sk_buff *skb;
	void *header;
	int err;

	if (!notify_wanted(pn))
		return;
	skb = notify_new(pn, PRP_CMD_ROUTE_NTF, &header);
	if (!skb)
		return;
	rcu_read_lock();
	err = prp_netlink_put_route(skb, pn, rcu_dereference(pn->table),
				    number);
	rcu_read_unlock();
	notify_send(pn, skb, header, err);
}

/**
 * prp_netlink_notify_access() - an entry of the access list came or went
 * @pn: namespace; the caller may sleep
 * @entry: entry, or NULL for all of them
 * @removed: it went
 */
void prp_netlink_notify_access(struct prp_net *pn,
			       const struct prp_access_entry *entry,
			       bool removed)
{
	struct sk_buff *skb;
	void *header;

	if (!notify_wanted(pn))
		return;
	skb = notify_new(pn, PRP_CMD_ACCESS_NTF, &header);
	if (skb)
		notify_send(pn, skb, header,
			    prp_netlink_put_access(skb, entry, removed));
}

/**
 * prp_netlink_notify_fault() - faults of a node were set or removed
 * @pn: namespace; the caller may sleep
 * @set: what was set, or NULL for those of all nodes
 * @removed: they were removed
 */
void prp_netlink_notify_fault(struct prp_net *pn,
			      const struct prp_fault_set *set, bool removed)
{
	struct sk_buff *skb;
	void *header;

	if (!notify_wanted(pn))
		return;
	skb = notify_new(pn, PRP_CMD_FAULT_NTF, &header);
	if (skb)
		notify_send(pn, skb, header,
			    prp_netlink_put_fault(skb, set, NULL, removed));
}

/* ---- peers ---- */

static void notify_peers(struct work_struct *work)
{
	struct prp_net *pn =
		container_of(work, struct prp_net, nl.peer_work.work);
	struct prp_peer_info *infos;
	struct sk_buff *skb;
	unsigned int i, n;
	void *header;

	infos = kcalloc(PRP_PEER_BATCH, sizeof(*infos), GFP_KERNEL);
	if (!infos) {
		prp_netlink_tell_peers(pn);
		return;
	}
	n = prp_peer_changed(pn, infos, PRP_PEER_BATCH);
	for (i = 0; i < n; i++) {
		skb = notify_new(pn, PRP_CMD_PEER_NTF, &header);
		if (skb)
			notify_send(pn, skb, header,
				    prp_netlink_put_peer(skb, &infos[i]));
	}
	kfree(infos);
	if (n == PRP_PEER_BATCH)
		prp_netlink_tell_peers(pn);
}

/**
 * prp_netlink_tell_peers() - tell soon what has changed of peers
 * @pn: namespace; any context
 *
 * Return: false if nobody listens.
 */
bool prp_netlink_tell_peers(struct prp_net *pn)
{
	if (!notify_wanted(pn))
		return false;
	schedule_delayed_work(&pn->nl.peer_work,
			      msecs_to_jiffies(PEERS_PAUSE_MS));
	return true;
}

/* ---- connections ---- */

static int notify_put_ip(struct sk_buff *skb, int attr,
			 const struct in6_addr *ip)
{
	if (ipv6_addr_v4mapped(ip))
		return nla_put_in_addr(skb, attr, ip->s6_addr32[3]);
	return nla_put_in6_addr(skb, attr, ip);
}

static int notify_put_end(struct sk_buff *skb, const struct prp_conn *conn)
{
	if (nla_put_flag(skb, PRP_A_CONN_ENDED) ||
	    (conn->err && nla_put_u32(skb, PRP_A_CONN_ERROR, conn->err)) ||
	    nla_put_u64_64bit(skb, PRP_A_CONN_BYTES_OUT, conn->stats.bytes_out,
			      PRP_A_CONN_PAD) ||
	    nla_put_u64_64bit(skb, PRP_A_CONN_BYTES_IN, conn->stats.bytes_in,
			      PRP_A_CONN_PAD))
		return -EMSGSIZE;
	return 0;
}

static int notify_put_conn(struct sk_buff *skb, const struct prp_conn *conn)
{
	if (nla_put_u16(skb, PRP_A_CONN_NODE, conn->self) ||
	    nla_put_u16(skb, PRP_A_CONN_PORT, conn->key.lport) ||
	    nla_put_u16(skb, PRP_A_CONN_PEER_NODE, conn->key.peer) ||
	    nla_put_u16(skb, PRP_A_CONN_PEER_PORT, conn->key.rport) ||
	    (conn->messages && nla_put_flag(skb, PRP_A_CONN_SEQPACKET)))
		return -EMSGSIZE;
	if (conn->ip &&
	    (notify_put_ip(skb, PRP_A_CONN_IP, &conn->ip->local) ||
	     notify_put_ip(skb, PRP_A_CONN_PEER_IP, &conn->ip->peer)))
		return -EMSGSIZE;
	return conn->state == PRP_CLOSE ? notify_put_end(skb, conn) : 0;
}

/**
 * __prp_netlink_notify_conn() - a connection came or went
 * @conn: connection that is established, or has just ended; its lock held
 *
 * What cannot be told for lack of memory is not told, but that it is not is.
 */
void __prp_netlink_notify_conn(const struct prp_conn *conn)
{
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&conn->lock);
	if (!notify_wanted_by(conn->pn, PRP_NLGRP_CONNECTIONS))
		return;
	skb = notify_begin(conn->pn, PRP_NLGRP_CONNECTIONS, PRP_CMD_CONN_NTF,
			   CONN_SIZE, GFP_ATOMIC | __GFP_NOWARN, &header);
	if (skb)
		notify_send_to(conn->pn, PRP_NLGRP_CONNECTIONS, skb, header,
			       notify_put_conn(skb, conn));
}

/* ---- life ---- */

/**
 * prp_netlink_notify_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_netlink_notify_net_init(struct prp_net *pn)
{
	INIT_DELAYED_WORK(&pn->nl.peer_work, notify_peers);
}

/**
 * prp_netlink_notify_net_exit() - tell nothing more of a namespace
 * @pn: namespace; nobody listens in it any more, or the module goes
 */
void prp_netlink_notify_net_exit(struct prp_net *pn)
{
	cancel_delayed_work_sync(&pn->nl.peer_work);
}

/**
 * prp_netlink_notify_start() - the family is registered
 */
void prp_netlink_notify_start(void)
{
	WRITE_ONCE(notify_open, true);
}

/**
 * prp_netlink_notify_stop() - the family is about to go
 *
 * Its group's number may be another's soon: nothing is on its way there when
 * this returns.
 */
void prp_netlink_notify_stop(void)
{
	WRITE_ONCE(notify_open, false);
	synchronize_rcu();
}
