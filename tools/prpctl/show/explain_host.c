// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl explain: what the host says of itself, rail by rail, and what passes
 * between the two.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <string.h>
#include <linux/prp_netlink.h>

#include "kernel/ip.h"
#include "kernel/way.h"
#include "show/explain.h"
#include "show/print.h"

#define TRIES 3
#define CONNECT_MS 1000

static bool is_direct(const struct explain *x)
{
	return x->route.via == x->node->number;
}

/* The ways that are tried: each rail to a neighbour, else the one there is. */
static void add_probes(struct explain *x)
{
	unsigned int r;

	if (!is_direct(x) || x->node->number == x->table.self) {
		x->probe[x->probes++] = (struct probe){
			.number = x->node->number,
			.rail = -1,
			.mtu = x->route.mtu,
		};
		return;
	}
	for (r = 0; r < x->rails.count; r++) {
		const struct rail *rail = &x->rails.rail[r];

		if (!(x->node->rails & 1 << rail->number))
			continue;
		x->probe[x->probes++] = (struct probe){
			.number = x->node->number,
			.rail = rail->number,
			.mtu = rail->mtu,
		};
	}
}

static const struct probe *first_reply(const struct explain *x)
{
	unsigned int i;

	for (i = 0; i < x->probes; i++)
		if (x->probe[i].replied)
			return &x->probe[i];
	return NULL;
}

/* Where the table has the host on the rail that a probe took */
static const char *at_address(const struct explain *x,
			      const struct probe *probe, char text[MAC_LEN])
{
	int rail = probe->rail >= 0 ? probe->rail : x->route.rail;

	if (rail < 0)
		return "its address";
	return print_mac(text, x->node->addr[rail]);
}

/* Whoever replies has not told more than who it is. */
static void judge_stranger(struct explain *x, const struct probe *probe)
{
	const struct reply *reply = &probe->reply;
	char mac[MAC_LEN];
	unsigned int r;

	if (!(reply->knows & PRP_KNOWS_MINE)) {
		decide(x, "wrong-number",
		       "the machine at %s, where the host table has %s (%u), is number %u by its own",
		       at_address(x, probe, mac), x->node->name,
		       x->node->number, reply->node);
		advise(x,
		       "give both machines the same file: prpctl hosts setup");
		return;
	}
	r = probe->rail >= 0 ? probe->rail : x->route.rail;
	decide(x, "not-known-there",
	       "the host table of %s does not have this machine as number %u at %s on rail %u",
	       x->node->name, x->table.self, print_mac(mac, x->self->addr[r]),
	       r);
	advise(x, "on %s: prpctl hosts setup, with the file of this machine",
	       x->node->name);
}

/* ---- ports ---- */

/* Does TCP have there what PRP has not? */
static bool only_tcp(struct explain *x)
{
	unsigned int i;

	for (i = 0; i < x->node->ip_count; i++)
		if (ip_connect(x->node->ip[i], x->port, CONNECT_MS) ==
		    IP_LISTENS)
			return true;
	return false;
}

static void nobody_listens(struct explain *x)
{
	const char *name = x->node->name;

	if (only_tcp(x)) {
		decide(x, "tcp-only",
		       "a program of TCP listens at port %u of %s, but none of PRP",
		       x->port, name);
		advise(x, "on %s: start it by prprun", name);
		return;
	}
	decide(x, "no-listener", "nobody listens at port %u of %s", x->port,
	       name);
	advise(x, "on %s: prpctl sockets", name);
}

static bool judge_port(struct explain *x, const struct reply *reply)
{
	const char *name = x->node->name;

	switch (reply->port_state) {
	case PRP_PORT_STATE_NOBODY:
		nobody_listens(x);
		return true;
	case PRP_PORT_STATE_DENIED:
		decide(x, "denied",
		       "the accept list of %s refuses this machine at port %u",
		       name, x->port);
		advise(x, "on %s: prpctl access add %u %s", name, x->port,
		       x->self->name);
		return true;
	case PRP_PORT_STATE_TYPE:
		decide(x, "type",
		       "a socket of another type listens at port %u of %s",
		       x->port, name);
		advise(x, "on %s: prpctl sockets", name);
		return true;
	}
	return false;
}

/* The first two addresses of one family, as connect() of the IP mode has them
 */
static bool ip_pair(const struct explain *x, struct query *query)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned int i, j;

	for (i = 0; i < x->self->ip_count; i++)
		for (j = 0; j < x->node->ip_count; j++) {
			query->source = x->self->ip[i];
			query->dest = x->node->ip[j];
			if (!memcmp(query->source, mapped, 12) ==
			    !memcmp(query->dest, mapped, 12))
				return true;
		}
	return false;
}

/* Programs under prprun go by IP addresses, which the host has to know. */
static bool judge_ip(struct explain *x, const struct asked *ip)
{
	char source[INET6_ADDRSTRLEN], dest[INET6_ADDRSTRLEN];

	if (!ip->replied || !ip->reply.told || ip->reply.knows & PRP_KNOWS_IP)
		return false;
	print_ip(source, ip->query.source);
	print_ip(dest, ip->query.dest);
	decide(x, "ip-unknown-there",
	       "the host table of %s does not have %s as this machine's and %s as its own: programs under prprun use TCP",
	       x->node->name, source, dest);
	advise(x, "on %s: prpctl hosts setup, with the file of this machine",
	       x->node->name);
	return true;
}

/* ---- what passes ---- */

static const char *on_rail(const struct probe *probe, char text[32])
{
	text[0] = 0;
	if (probe->rail >= 0)
		snprintf(text, 32, " on rail %d", probe->rail);
	return text;
}

static bool judge_size(struct explain *x, const struct probe *probe)
{
	const char *name = x->node->name;
	uint32_t most = probe->there < probe->back ? probe->there : probe->back;
	char rail[32];

	if (!probe->replied || !probe->reply.told || probe_is_whole(probe))
		return false;
	if (probe->reply.mtu < probe->mtu && most >= probe->reply.mtu) {
		decide(x, "mtu-differs",
		       "frames of %u bytes leave for %s%s, whose device there carries %u",
		       probe->mtu, name, on_rail(probe, rail),
		       probe->reply.mtu);
		advise(x, "give both devices the same MTU");
		return true;
	}
	decide(x, "mtu-hole",
	       "frames of more than %u bytes do not pass %s %s%s: the MTU is %u here",
	       most, probe->there <= probe->back ? "to" : "from", name,
	       on_rail(probe, rail), probe->mtu);
	advise(x,
	       "raise the MTU of the switch or forwarder between, or lower that of the devices to %u",
	       most);
	return true;
}

/* One rail does not work, another one does. */
static bool judge_rail(struct explain *x, const struct probe *probe)
{
	const struct probe *other = first_reply(x);
	const char *name = x->node->name;

	if (probe->replied && probe->reply.told)
		return false;
	if (probe->replied) {
		judge_stranger(x, probe);
		return true;
	}
	if (probe->err)
		decide(x, "rail", "%s is reachable, but not on rail %d: %s",
		       name, probe->rail, strerror(-probe->err));
	else if (other->reply.rails & 1 << probe->rail &&
		 !(other->reply.up & 1 << probe->rail))
		decide(x, "rail",
		       "%s is reachable, but not on rail %d: the device there is down or has no carrier",
		       name, probe->rail);
	else
		decide(x, "rail",
		       "%s is reachable, but does not reply on rail %d", name,
		       probe->rail);
	advise(x, "on %s: prpctl explain %s", name, x->self->name);
	x->reachable = true;
	return true;
}

static int compare_tables(struct explain *x, const struct reply *reply)
{
	x->table_differs = reply->table_hash != x->table.hash;
	if (!x->table_differs)
		return 0;
	x->differences = probe_differences(&x->nl, x->table.self,
					   x->node->number, x->differs);
	return x->differences < 0 ? x->differences : 0;
}

static int ask_port(struct explain *x, const struct probe *by,
		    struct asked asked[2])
{
	bool ip;

	memset(asked, 0, 2 * sizeof(*asked));
	asked[0].query.number = x->node->number;
	asked[0].query.rail = by->rail;
	asked[0].query.port = x->port;
	asked[1].query = asked[0].query;
	ip = ip_pair(x, &asked[1].query);
	return query_all(&x->nl, asked, 1 + ip, TRIES);
}

/* The host has told what it knows. */
static int judge_told(struct explain *x, const struct probe *by)
{
	struct asked asked[2];
	unsigned int i;
	int err;

	x->told = true;
	x->rtt_us = by->reply.rtt_ns / 1000;
	err = probe_sizes(&x->nl, x->probe, x->probes);
	if (!err)
		err = compare_tables(x, &by->reply);
	if (!err && x->port)
		err = ask_port(x, by, asked);
	if (err)
		return err;
	for (i = 0; i < x->probes && !x->verdict; i++)
		judge_size(x, &x->probe[i]);
	if (!x->verdict && x->port && asked[0].replied)
		judge_port(x, &asked[0].reply);
	if (!x->verdict && x->port)
		judge_ip(x, &asked[1]);
	for (i = 0; i < x->probes && !x->verdict; i++)
		judge_rail(x, &x->probe[i]);
	return 0;
}

/**
 * explain_probe() - ask the host what it says, and try what passes
 * @x: what was found out, with the route
 *
 * There is no verdict if it does not reply, or if nothing is wrong.
 *
 * Return: 0 or a negative errno.
 */
int explain_probe(struct explain *x)
{
	const struct probe *by;
	unsigned int i;
	int err;

	add_probes(x);
	err = probe_small(&x->nl, x->probe, x->probes, TRIES);
	if (err)
		return err;
	for (i = 0; i < x->probes; i++)
		if (x->probe[i].replied && x->probe[i].reply.told)
			return judge_told(x, &x->probe[i]);
	by = first_reply(x);
	if (by)
		judge_stranger(x, by);
	return 0;
}

/* ---- nobody replies ---- */

/* The one on the way to a host that is the first not to reply */
static int judge_way(struct explain *x, const uint16_t *way, int count)
{
	struct probe probe[WAY_MAX];
	int i, err;

	for (i = 0; i < count; i++)
		probe[i] = (struct probe){ .number = way[i], .rail = -1 };
	err = probe_small(&x->nl, probe, count, TRIES);
	for (i = 0; i < count - 1 && probe[i].replied; i++)
		;
	if (err || i == count - 1)
		return err;
	decide(x, "forwarder-silent",
	       "%s, which forwards to %s, does not reply%s%s",
	       table_name(&x->table, way[i]), x->node->name,
	       i ? "; the last one that does is " : "",
	       i ? table_name(&x->table, way[i - 1]) : "");
	advise(x, "prpctl explain %s", table_name(&x->table, way[i]));
	return 0;
}

static bool has_mac(const struct prphosts_node *node, const uint8_t *mac)
{
	unsigned int r;

	for (r = 0; r < PRPHOSTS_RAILS; r++)
		if (node->rails & 1 << r && !memcmp(node->addr[r], mac, 6))
			return true;
	return false;
}

/* IP finds a host by its address, and ARP tells where it is. */
static void judge_by_ip(struct explain *x)
{
	const char *name = x->node->name;
	char ip[INET6_ADDRSTRLEN], text[MAC_LEN];
	enum ip_state state;
	enum ip_where where;
	uint8_t mac[6];
	unsigned int i;

	for (i = 0; i < x->node->ip_count && !x->verdict; i++) {
		print_ip(ip, x->node->ip[i]);
		state = ip_connect(x->node->ip[i], x->port ? x->port : 1,
				   CONNECT_MS);
		where = ip_where(x->node->ip[i], mac);
		if (state == IP_NO_HOST || where == IP_WHERE_NOWHERE) {
			decide(x, "down",
			       "%s does not answer, nor has anybody its IP address %s: it is down, or not on this wire",
			       name, ip);
			advise(x, "look at %s, its cable and the switch", name);
		} else if (where == IP_WHERE_FOUND && !has_mac(x->node, mac)) {
			decide(x, "wrong-address",
			       "%s does not answer: its IP address %s is at %s, which the host table does not have for it",
			       name, ip, print_mac(text, mac));
			advise(x,
			       "correct the host file, then: prpctl hosts setup");
		} else if (state == IP_LISTENS || state == IP_REFUSES) {
			decide(x, "no-prp",
			       "%s answers IP at %s, but not PRP: there the module is not loaded, has no host table, or speaks another EtherType than 0x%04x",
			       name, ip, x->table.ethertype);
			advise(x, "on %s: prpctl explain %s", name,
			       x->self->name);
		}
	}
}

/**
 * explain_silence() - find out why nothing comes back
 * @x: what was found out
 *
 * Return: 0 or a negative errno.
 */
int explain_silence(struct explain *x)
{
	uint16_t way[WAY_MAX];
	int count = 0, err = 0;

	if (!is_direct(x) && x->table.links && x->route.via)
		count = way_find(&x->table, x->route.via, x->node->number, way);
	if (count > 1)
		err = judge_way(x, way, count);
	if (!err && !x->verdict && is_direct(x))
		judge_by_ip(x);
	return err;
}
