// SPDX-License-Identifier: GPL-2.0
/*
 * Puts rails, routes, peers, entries of the access list and faults into rows
 * and objects.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <linux/prp_netlink.h>

#include "options.h"
#include "show/out.h"
#include "show/print.h"

/**
 * fields_rail() - put a rail into a row and an object
 * @rail: the rail
 */
void fields_rail(const struct rail *rail)
{
	char mac[MAC_LEN];

	out_number("number", rail->number, OUT_CELL);
	out_string("mac", print_mac(mac, rail->mac), OUT_CELL);
	if (!rail->ifname[0]) {
		out_dash("ifname");
		out_dash("mtu");
	} else {
		out_string("ifname", rail->ifname, OUT_CELL);
		out_number("mtu", rail->mtu, OUT_CELL);
	}
	out_bool("up", rail->up);
	out_bool("carrier", rail->carrier);
	out_paint(rail->up && rail->carrier ? PAINT_GOOD : PAINT_BAD);
	out_cell("%s", rail_state(rail));
}

/* ---- routes ---- */

static void put_via(const struct table *table, const struct route *route)
{
	if (!route->via) {
		out_dash("via");
		out_null("via_name");
		return;
	}
	if (!route->hops)
		out_cell("this machine");
	else if (route->via == route->number)
		out_cell("direct");
	else
		out_cell("%u (%s)", route->via, table_name(table, route->via));
	out_number("via", route->via, OUT_JSON_ONLY);
	out_string("via_name", table_name(table, route->via), OUT_JSON_ONLY);
}

static void put_rail(const struct route *route)
{
	if (route->rail < 0) {
		out_dash("rail");
		out_dash("ifname");
		out_dash("mtu");
		return;
	}
	out_number("rail", route->rail, OUT_CELL);
	out_string("ifname", route->ifname, OUT_CELL);
	out_number("mtu", route->mtu, OUT_CELL);
}

/**
 * fields_route() - put a route into a row and an object
 * @route: the route
 * @table: the hosts
 */
void fields_route(const struct route *route, const struct table *table)
{
	out_number("number", route->number, OUT_CELL);
	out_string("name", table_name(table, route->number), OUT_CELL);
	put_via(table, route);
	if (route->hops < 0)
		out_dash("hops");
	else
		out_number("hops", route->hops, OUT_CELL);
	put_rail(route);
	out_bool("override", route->override);
	out_string("state", route_state(route), OUT_JSON_ONLY);
	out_paint(route->error || !route->via ? PAINT_BAD : PAINT_GOOD);
	out_cell("%s%s", route_state(route),
		 route->override ? ", override" : "");
}

/* ---- peers ---- */

static void put_ms(const char *key, int64_t ms)
{
	if (ms < 0) {
		out_dash(key);
		return;
	}
	out_number(key, ms, OUT_JSON_ONLY);
	out_cell("%u.%03u s", (unsigned int)(ms / 1000),
		 (unsigned int)(ms % 1000));
}

static void put_table(const struct peer *peer)
{
	if (peer->table_hash < 0)
		out_dash("table_hash");
	else
		out_number("table_hash", peer->table_hash, OUT_JSON_ONLY);
	out_bool("table_differs", peer->table_differs);
	out_paint(peer->table_differs ? PAINT_DOUBT : PAINT_NONE);
	if (peer->table_hash >= 0)
		out_cell(peer->table_differs ? "differs" : "same");
}

static void put_versions(const struct peer *peer)
{
	if (peer->version_low < 0) {
		out_dash("version_low");
		out_null("version_high");
		return;
	}
	if (peer->version_low == peer->version_high)
		out_cell("%d", peer->version_low);
	else
		out_cell("%d-%d", peer->version_low, peer->version_high);
	out_number("version_low", peer->version_low, OUT_JSON_ONLY);
	out_number("version_high", peer->version_high, OUT_JSON_ONLY);
}

static void put_lacks(const struct peer *peer)
{
	char lacks[PEER_FEATURES_LEN];

	if (peer_lacks(peer, lacks))
		out_string("lacks", lacks, OUT_CELL);
	else
		out_dash("lacks");
}

static void put_error(const struct peer *peer, const struct table *table)
{
	const char *error = peer_error(peer);

	if (!error) {
		out_dash("error");
		out_null("error_node");
		out_null("error_age_ms");
		return;
	}
	out_string("error", error, OUT_JSON_ONLY);
	out_number("error_node", peer->error_node, OUT_JSON_ONLY);
	out_number("error_age_ms", peer->error_ms, OUT_JSON_ONLY);
	out_cell("%s, said %d (%s) %u.%03u s ago", error, peer->error_node,
		 table_name(table, peer->error_node),
		 (unsigned int)(peer->error_ms / 1000),
		 (unsigned int)(peer->error_ms % 1000));
}

static void note_rail(unsigned int number, const struct peer_rail *rail)
{
	char back[64] = "";

	if (rail->back_ms >= 0)
		snprintf(back, sizeof(back), ", taken back %u.%03u s ago",
			 (unsigned int)(rail->back_ms / 1000),
			 (unsigned int)(rail->back_ms % 1000));
	if (rail->times)
		out_note("rail %u: left %u.%03u s ago (%s)%s, %u time%s in all",
			 number, (unsigned int)(rail->left_ms / 1000),
			 (unsigned int)(rail->left_ms % 1000),
			 peer_rail_why(rail), back, rail->times,
			 rail->times == 1 ? "" : "s");
	if (rail->size)
		out_note("rail %u: %u bytes pass in a frame, found %u.%03u s ago",
			 number, rail->size,
			 (unsigned int)(rail->size_ms / 1000),
			 (unsigned int)(rail->size_ms % 1000));
}

/* A number that is there if @known is */
static void put_if(bool known, const char *key, uint64_t value)
{
	if (known)
		out_number(key, value, OUT_JSON_ONLY);
	else
		out_null(key);
}

/* Rails that were left, or carry short frames only */
static void put_rails(const struct peer *peer)
{
	out_array("rails");
	for (unsigned int r = 0; r < PEER_RAILS; r++) {
		const struct peer_rail *rail = &peer->rail[r];

		if (!rail->times && !rail->size)
			continue;
		out_object(NULL);
		out_number("rail", r, OUT_JSON_ONLY);
		out_number("times_left", rail->times, OUT_JSON_ONLY);
		if (rail->times)
			out_string("why", peer_rail_why(rail), OUT_JSON_ONLY);
		else
			out_null("why");
		put_if(rail->times, "left_ms", rail->left_ms);
		put_if(rail->back_ms >= 0, "back_ms", rail->back_ms);
		put_if(rail->size, "size", rail->size);
		put_if(rail->size, "size_ms", rail->size_ms);
		out_end();
		note_rail(r, rail);
	}
	out_end();
}

/* What all connections with it have counted; the line leaves out zeros. */
static void put_counters(const struct peer *peer)
{
	char text[PEER_COUNTERS * (COUNTER_NAME_LEN + 24)] = "";
	size_t len = 0;

	out_object("counters");
	for (unsigned int i = 0; i < peer->counters; i++) {
		const struct counter *c = &peer->counter[i];

		out_number(c->name, c->value, OUT_JSON_ONLY);
		if (c->value)
			len += snprintf(text + len, sizeof(text) - len,
					"%s%s %" PRIu64, len ? ", " : "",
					c->name, c->value);
	}
	out_end();
	if (options.statistics && len)
		out_note("%s", text);
}

/**
 * fields_peer() - put a host and what is known of it into a row and an object
 * @peer: what is known
 * @table: the hosts
 */
void fields_peer(const struct peer *peer, const struct table *table)
{
	out_number("number", peer->number, OUT_CELL);
	out_string("name", table_name(table, peer->number), OUT_CELL);
	out_bool("self", peer->number == table->self);
	put_ms("heard_ms", peer->heard_ms);
	put_table(peer);
	put_versions(peer);
	put_lacks(peer);
	out_number("conns", peer->conns, OUT_CELL);
	put_ms("silent_ms", peer->silent_ms);
	put_error(peer, table);
	if (options.details && peer->table_hash >= 0)
		out_note("its host table has the hash %08x",
			 (unsigned int)peer->table_hash);
	put_rails(peer);
	put_counters(peer);
}

/* ---- the access list ---- */

/**
 * fields_access() - put an entry into a row and an object
 * @entry: the entry
 * @table: the hosts
 */
void fields_access(const struct access_entry *entry, const struct table *table)
{
	const struct prphosts_node *node = table_node(table, entry->node);

	if (entry->high == entry->low)
		out_cell("%u", entry->low);
	else
		out_cell("%u-%u", entry->low, entry->high);
	out_number("port", entry->low, OUT_JSON_ONLY);
	out_number("port_end", entry->high, OUT_JSON_ONLY);
	out_number("number", entry->node, OUT_CELL);
	if (node)
		out_string("name", node->name, OUT_CELL);
	else
		out_dash("name");
	out_string("direction",
		   entry->direction == PRP_DIRECTION_OUT ? "out" : "in",
		   OUT_CELL);
}

/**
 * fields_access_hits() - put what an entry did there, too
 * @entry: the entry
 */
void fields_access_hits(const struct access_entry *entry)
{
	out_number("passed", entry->passed, OUT_CELL);
	out_number("refused", entry->refused, OUT_CELL);
}

/* ---- faults ---- */

/* The kernel has hundredths of a percent, people percent. */
static void put_chance(const char *key, uint16_t chance)
{
	out_number(key, chance * 100, OUT_JSON_ONLY);
	if (chance)
		out_cell("%u.%02u%%", chance / 100, chance % 100);
	else
		out_cell("-");
}

/**
 * fields_fault() - put what is injected into frames of a host there
 * @fault: what
 * @table: the hosts
 */
void fields_fault(const struct fault *fault, const struct table *table)
{
	const struct prphosts_node *node = table_node(table, fault->node);

	out_number("number", fault->node, OUT_CELL);
	if (node)
		out_string("name", node->name, OUT_CELL);
	else
		out_dash("name");
	put_chance("loss_ppm", fault->loss);
	put_chance("duplicate_ppm", fault->duplicate);
	put_chance("corrupt_ppm", fault->corrupt);
	out_number("delay_ms", fault->delay_ms, OUT_JSON_ONLY);
	if (fault->delay_ms)
		out_cell("%u ms", fault->delay_ms);
	else
		out_cell("-");
	out_number("seed", fault->seed, OUT_CELL);
}

/**
 * fields_fault_done() - put what it did there, too
 * @fault: what is injected
 */
void fields_fault_done(const struct fault *fault)
{
	out_number("frames", fault->frames, OUT_JSON_ONLY);
	out_number("lost", fault->lost, OUT_JSON_ONLY);
	out_number("duplicated", fault->duplicated, OUT_JSON_ONLY);
	out_number("corrupted", fault->corrupted, OUT_JSON_ONLY);
	out_number("delayed", fault->delayed, OUT_JSON_ONLY);
	out_number("overflowed", fault->overflowed, OUT_JSON_ONLY);
	out_note("of %" PRIu64 " frames: %" PRIu64 " lost, %" PRIu64
		 " duplicated, %" PRIu64 " corrupted, %" PRIu64
		 " delayed, %" PRIu64 " overflowed",
		 fault->frames, fault->lost, fault->duplicated,
		 fault->corrupted, fault->delayed, fault->overflowed);
}
