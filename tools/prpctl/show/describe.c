// SPDX-License-Identifier: GPL-2.0
/*
 * Puts rails, routes, peers, entries of the access list and faults into words.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <linux/prp_netlink.h>

#include "show/print.h"

static void __attribute__((format(printf, 2, 3)))
add(struct description *d, const char *format, ...)
{
	size_t len = strlen(d->text);
	va_list args;

	va_start(args, format);
	vsnprintf(d->text + len, sizeof(d->text) - len, format, args);
	va_end(args);
}

static void add_ms(struct description *d, int64_t ms)
{
	add(d, "%u.%03u s", (unsigned int)(ms / 1000),
	    (unsigned int)(ms % 1000));
}

/**
 * describe_rail() - put a rail into words
 * @rail: the rail
 *
 * Return: the words.
 */
struct description describe_rail(const struct rail *rail)
{
	struct description d = { "" };
	char mac[MAC_LEN];

	add(&d, "rail %u: %s", rail->number, print_mac(mac, rail->mac));
	if (rail->ifname[0])
		add(&d, ", %s, MTU %u", rail->ifname, rail->mtu);
	add(&d, ", %s", rail_state(rail));
	return d;
}

/**
 * describe_route() - put a route into words
 * @route: the route
 * @table: the hosts
 *
 * Return: the words.
 */
struct description describe_route(const struct route *route,
				  const struct table *table)
{
	struct description d = { "" };

	add(&d, "route to %u (%s): ", route->number,
	    table_name(table, route->number));
	if (!route->via)
		add(&d, "none");
	else if (!route->hops)
		add(&d, "this machine");
	else if (route->via == route->number)
		add(&d, "direct");
	else
		add(&d, "via %u (%s)", route->via,
		    table_name(table, route->via));
	if (route->hops > 1)
		add(&d, ", %d hops", route->hops);
	if (route->rail >= 0)
		add(&d, ", rail %d, %s, MTU %u", route->rail, route->ifname,
		    route->mtu);
	if (route->override)
		add(&d, ", override");
	if (route->error)
		add(&d, ", %s", route_state(route));
	return d;
}

static void add_rail(struct description *d, unsigned int number,
		     const struct peer_rail *rail)
{
	if (rail->times) {
		add(d, ", rail %u left ", number);
		add_ms(d, rail->left_ms);
		add(d, " ago (%s)", peer_rail_why(rail));
	}
	if (rail->times && rail->back_ms >= 0) {
		add(d, " and taken back ");
		add_ms(d, rail->back_ms);
		add(d, " ago");
	}
	if (rail->size) {
		add(d, ", rail %u carries %u bytes as was found ", number,
		    rail->size);
		add_ms(d, rail->size_ms);
		add(d, " ago");
	}
}

/**
 * describe_peer() - put what is known of a host into words
 * @peer: what is known
 * @table: the hosts
 *
 * Return: the words.
 */
struct description describe_peer(const struct peer *peer,
				 const struct table *table)
{
	char lacks[PEER_FEATURES_LEN];
	struct description d = { "" };

	add(&d, "node %u (%s): ", peer->number,
	    table_name(table, peer->number));
	if (peer->heard_ms < 0) {
		add(&d, "never heard");
	} else {
		add(&d, "heard ");
		add_ms(&d, peer->heard_ms);
		add(&d, " ago");
	}
	if (peer->silent_ms >= 0) {
		add(&d, ", silent for ");
		add_ms(&d, peer->silent_ms);
	}
	add(&d, ", %u connection%s", peer->conns, peer->conns == 1 ? "" : "s");
	if (peer->table_hash >= 0)
		add(&d, peer->table_differs ? ", its host table differs" :
					      ", the same host table");
	if (peer->version_low >= 0) {
		add(&d, ", speaks version %d", peer->version_low);
		if (peer->version_high != peer->version_low)
			add(&d, " to %d", peer->version_high);
		add(&d, " only");
	}
	if (peer_lacks(peer, lacks))
		add(&d, ", one of us does not know feature %s", lacks);
	if (peer_error(peer)) {
		add(&d, ", \"%s\" said node %d (%s) ", peer_error(peer),
		    peer->error_node, table_name(table, peer->error_node));
		add_ms(&d, peer->error_ms);
		add(&d, " ago");
	}
	for (unsigned int r = 0; r < PEER_RAILS; r++)
		add_rail(&d, r, &peer->rail[r]);
	return d;
}

static void add_rails(struct description *d, const struct prphosts_node *node)
{
	char mac[MAC_LEN];
	unsigned int r;

	for (r = 0; node->rails >> r; r++)
		add(d, "%s%s", r ? "," : "",
		    node->rails & 1 << r ? print_mac(mac, node->addr[r]) : "-");
}

static void add_ips(struct description *d, const struct prphosts_node *node)
{
	char ip[INET6_ADDRSTRLEN];
	unsigned int i;

	for (i = 0; i < node->ip_count; i++)
		add(d, "%s%s", i ? " " : "", print_ip(ip, node->ip[i]));
	if (!node->ip_count)
		add(d, "none");
}

/* What a host has that it had not, after what it had */
static void add_change(struct description *d, const struct prphosts_node *old,
		       const struct prphosts_node *new)
{
	const char *gap = " ";

	if (strcmp(old->name, new->name)) {
		add(d, "%sname %s, now %s", gap, old->name, new->name);
		gap = "; ";
	}
	if (old->rails != new->rails ||
	    memcmp(old->addr, new->addr, sizeof(old->addr))) {
		add(d, "%saddresses ", gap);
		add_rails(d, old);
		add(d, ", now ");
		add_rails(d, new);
		gap = "; ";
	}
	if (old->ip_count != new->ip_count ||
	    memcmp(old->ip, new->ip, sizeof(old->ip))) {
		add(d, "%sIP addresses ", gap);
		add_ips(d, old);
		add(d, ", now ");
		add_ips(d, new);
	}
}

/**
 * describe_difference() - put into words how a host is not what it was
 * @difference: the host
 *
 * Return: the words.
 */
struct description describe_difference(const struct difference *difference)
{
	const struct prphosts_node *old = difference->old;
	const struct prphosts_node *new = difference->new;
	const struct prphosts_node *node = old ? old : new;
	struct description d = { "" };

	add(&d, "host %u (%s):", node->number, node->name);
	if (old && new) {
		add_change(&d, old, new);
		return d;
	}
	add(&d, old ? " removed, " : " added, ");
	add_rails(&d, node);
	if (node->ip_count) {
		add(&d, ", ");
		add_ips(&d, node);
	}
	return d;
}

/**
 * describe_access() - put an entry of the access list into words
 * @entry: the entry
 * @table: the hosts
 *
 * Return: the words.
 */
struct description describe_access(const struct access_entry *entry,
				   const struct table *table)
{
	struct description d = { "" };

	add(&d, "access: ");
	if (!entry->low) {
		add(&d, "all entries removed");
		return d;
	}
	add(&d, "port %u", entry->low);
	if (entry->high != entry->low)
		add(&d, "-%u", entry->high);
	add(&d, ", node %u (%s)%s, %s", entry->node,
	    table_name(table, entry->node),
	    entry->direction == PRP_DIRECTION_OUT ? ", out" : "",
	    entry->removed ? "removed" : "added");
	return d;
}

/* A chance, if it is one */
static void add_chance(struct description *d, const char *of, uint16_t chance)
{
	if (chance)
		add(d, ", %s %u.%02u%%", of, chance / 100, chance % 100);
}

/**
 * describe_fault() - put what is injected into frames of a host into words
 * @fault: what
 * @table: the hosts
 *
 * Return: the words.
 */
struct description describe_fault(const struct fault *fault,
				  const struct table *table)
{
	struct description d = { "" };

	add(&d, "fault: ");
	if (!fault->node) {
		add(&d, "all removed");
		return d;
	}
	add(&d, "node %u (%s)", fault->node, table_name(table, fault->node));
	if (fault->removed) {
		add(&d, ", removed");
		return d;
	}
	add_chance(&d, "loss", fault->loss);
	add_chance(&d, "duplicate", fault->duplicate);
	add_chance(&d, "corrupt", fault->corrupt);
	if (fault->delay_ms)
		add(&d, ", delay %u ms", fault->delay_ms);
	add(&d, ", seed %u", fault->seed);
	return d;
}
