// SPDX-License-Identifier: GPL-2.0
/*
 * Has IPsec a policy for a connection? PRP would carry it past that, in clear
 * text. What TCP would ask the kernel at connect() is asked in its place.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/security.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/rtnetlink.h>
#include <net/xfrm.h>

#include "inet/inet.h"

/* Is there a policy of any kind for what is sent? */
#ifdef CONFIG_XFRM
static bool ipsec_is_used(const struct sock *tcp)
{
	const struct netns_xfrm *xfrm = &sock_net(tcp)->xfrm;

	return READ_ONCE(xfrm->policy_count[XFRM_POLICY_OUT]) ||
	       READ_ONCE(xfrm->policy_default[XFRM_POLICY_OUT]) ==
		       XFRM_USERPOLICY_BLOCK ||
	       rcu_access_pointer(tcp->sk_policy[XFRM_POLICY_OUT]);
}
#else
static bool ipsec_is_used(const struct sock *tcp)
{
	return false;
}
#endif

/* TCP's route. Return: it, with a reference, or NULL. */
static struct dst_entry *ipsec_route4(struct sock *tcp, struct flowi4 *flow,
				      u16 port, const struct in6_addr *from,
				      const struct in6_addr *to)
{
	struct rtable *route;

	flow->saddr = from->s6_addr32[3];
	flow->daddr = to->s6_addr32[3];
	flow->fl4_sport = inet_sk(tcp)->inet_sport;
	flow->fl4_dport = htons(port);
	route = __ip_route_output_key(sock_net(tcp), flow);
	return IS_ERR(route) ? NULL : &route->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *ipsec_route6(struct sock *tcp, struct flowi6 *flow,
				      u16 port, const struct in6_addr *from,
				      const struct in6_addr *to)
{
	struct dst_entry *route;

	flow->saddr = *from;
	flow->daddr = *to;
	flow->fl6_sport = inet_sk(tcp)->inet_sport;
	flow->fl6_dport = htons(port);
	return ip6_dst_lookup(sock_net(tcp), tcp, &route, flow) ? NULL : route;
}
#else
static struct dst_entry *ipsec_route6(struct sock *tcp, struct flowi6 *flow,
				      u16 port, const struct in6_addr *from,
				      const struct in6_addr *to)
{
	return NULL;
}
#endif

/* Is its device one whose policies are not for who goes by another one? */
static bool ipsec_has_device(const struct dst_entry *route)
{
	const struct rtnl_link_ops *ops;
	bool has;

	rcu_read_lock(); /* the route's reference does not hold its device */
	ops = READ_ONCE(READ_ONCE(route->dev)->rtnl_link_ops);
	has = ops && (!strcmp(ops->kind, "xfrm") || !strcmp(ops->kind, "vti") ||
		      !strcmp(ops->kind, "vti6"));
	rcu_read_unlock();
	return has;
}

/**
 * prp_inet_ipsec_is_wanted() - is a connection IPsec's to protect, or refuse?
 * @inet: what the socket has in the IP mode; its sk_lock is held
 * @peer: where it goes, port prp_inet.dest_port
 *
 * Return: true if a policy says so, or may: TCP has to carry it.
 */
bool prp_inet_ipsec_is_wanted(const struct prp_inet *inet,
			      const struct in6_addr *peer)
{
	struct sock *tcp = inet->tcp->sk;
	struct dst_entry *route, *to;
	struct flowi flow = {};
	struct in6_addr local;

	if (likely(!ipsec_is_used(tcp)))
		return false;
	flow.flowi_proto = IPPROTO_TCP;
	flow.flowi_mark = READ_ONCE(tcp->sk_mark);
	flow.flowi_uid = READ_ONCE(tcp->sk_uid);
	security_sk_classify_flow(tcp, &flow.u.__fl_common);
	prp_inet_addr_local(tcp, &local);
	if (ipv6_addr_v4mapped(peer))
		route = ipsec_route4(tcp, &flow.u.ip4, inet->dest_port, &local,
				     peer);
	else
		route = ipsec_route6(tcp, &flow.u.ip6, inet->dest_port, &local,
				     peer);
	/* that there is none may be what keeps it from going in clear text */
	if (!route)
		return true;
	if (ipsec_has_device(route)) {
		dst_release(route);
		return true;
	}
	to = xfrm_lookup(sock_net(tcp), route, &flow, tcp, 0);
	if (IS_ERR(to))
		return true;
	dst_release(to);
	return to != route;
}
