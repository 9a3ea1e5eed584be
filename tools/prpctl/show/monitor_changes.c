// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl monitor: which hosts and links are others, and which rails to a host
 * were left or taken back, found by comparing with what was told before.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/diff.h"
#include "show/describe.h"
#include "show/monitor.h"
#include "show/out.h"
#include "show/print.h"

/* ---- hosts and links ---- */

static void show_host(const struct monitor *m, const struct difference *d,
		      uint16_t was)
{
	const struct widths none = { 0 };

	if (!monitor_line(m, MONITOR_HOST))
		return;
	out_text("%s", describe_difference(d).text);
	out_string("change",
		   !d->old ? "added" :
		   !d->new ? "removed" :
			     "changed",
		   OUT_JSON_ONLY);
	if (out_is_json() && d->old)
		print_host("old", d->old, d->old->number == was, &none);
	if (out_is_json() && d->new)
		print_host("new", d->new, d->new->number == m->table.self,
			   &none);
	out_line_end();
}

static void show_link(const struct monitor *m, const struct link_difference *d)
{
	const struct prphosts_link *link = d->old ? d->old : d->new;

	if (!monitor_line(m, MONITOR_LINK))
		return;
	out_text("link %u %u", link->node, link->peer);
	if (link->rail != PRPHOSTS_ALL_RAILS)
		out_text(" rail %d", link->rail);
	out_text(": %s", d->old ? "removed" : "added");
	out_string("change", d->old ? "removed" : "added", OUT_JSON_ONLY);
	if (out_is_json())
		print_link("link", link);
	out_line_end();
}

/* Of a host that is another machine nothing is known that was told. */
static void forget(struct monitor *m, uint16_t number)
{
	size_t i;

	for (i = 0; i < m->peers.count; i++)
		if (m->peers.peer[i].number == number)
			peer_clear(&m->peers.peer[i], number);
}

/**
 * monitor_show_table_changes() - say which hosts and links are others now
 * @m: what is watched, with the table as it is now
 * @old: the table as it was
 */
void monitor_show_table_changes(struct monitor *m, const struct table *old)
{
	const struct prphosts hosts = {
		.node = m->table.node,
		.nodes = m->table.nodes,
		.link = m->table.link,
		.links = m->table.links,
	};
	struct diff diff;
	size_t i;

	if (diff_make(&diff, old, &hosts))
		return;
	for (i = 0; i < diff.entries; i++) {
		show_host(m, &diff.entry[i], old->self);
		if (diff.entry[i].old)
			forget(m, diff.entry[i].old->number);
	}
	for (i = 0; i < diff.links; i++)
		show_link(m, &diff.link[i]);
	diff_free(&diff);
}

/* ---- rails to a host ---- */

static bool begin_rail(const struct monitor *m, const struct peer *peer,
		       unsigned int rail, const char *change)
{
	if (!monitor_line(m, MONITOR_WAY))
		return false;
	out_text("way to %u (%s): rail %u ", peer->number,
		 table_name(&m->table, peer->number), rail);
	out_number("number", peer->number, OUT_JSON_ONLY);
	out_string("name", table_name(&m->table, peer->number), OUT_JSON_ONLY);
	out_number("rail", rail, OUT_JSON_ONLY);
	out_string("change", change, OUT_JSON_ONLY);
	return true;
}

static void show_rail(const struct monitor *m, const struct peer *peer,
		      unsigned int number, const struct peer_rail *was)
{
	const struct peer_rail *is = &peer->rail[number];
	int64_t away = is->left_ms - is->back_ms;

	if (is->times > was->times && begin_rail(m, peer, number, "left")) {
		out_text("left (%s)", peer_rail_why(is));
		out_string("why", peer_rail_why(is), OUT_JSON_ONLY);
		out_line_end();
	}
	if (is->times && is->back_ms >= 0 &&
	    (is->times > was->times || was->back_ms < 0) &&
	    begin_rail(m, peer, number, "back")) {
		out_text("taken back after %u.%03u s",
			 (unsigned int)(away / 1000),
			 (unsigned int)(away % 1000));
		out_number("away_ms", away, OUT_JSON_ONLY);
		out_line_end();
	}
}

/* What was known of a host, or where there is room for it */
static struct peer *find(struct monitor *m, uint16_t number)
{
	struct peers *peers = &m->peers;
	struct peer *bigger;
	size_t i;

	for (i = 0; i < peers->count; i++)
		if (peers->peer[i].number == number)
			return &peers->peer[i];
	bigger = reallocarray(peers->peer, peers->count + 1, sizeof(*bigger));
	if (!bigger)
		return NULL;
	peers->peer = bigger;
	peers->room = peers->count + 1;
	peer_clear(&bigger[peers->count], number);
	return &bigger[peers->count++];
}

/**
 * monitor_show_rail_changes() - say which rails to a host were left, or taken
 * back
 * @m: what is watched; it remembers
 * @now: what is known of the host now
 *
 * Return: 0 or -ENOMEM.
 */
int monitor_show_rail_changes(struct monitor *m, const struct peer *now)
{
	struct peer *was = find(m, now->number);
	unsigned int r;

	if (!was)
		return -ENOMEM;
	for (r = 0; r < PEER_RAILS; r++)
		show_rail(m, now, r, &was->rail[r]);
	*was = *now;
	return 0;
}
