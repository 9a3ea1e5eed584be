// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl stats --metrics: what node_exporter's textfile collector reads.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ask.h"
#include "kernel/netns.h"
#include "kernel/peer.h"
#include "kernel/rail.h"
#include "kernel/table.h"
#include "show/meaning.h"
#include "show/out.h"

/* Names of hosts, devices and namespaces have none but these to be escaped. */
static void print_value(const char *label, const char *value, const char *next)
{
	const char *c;

	printf("%s=\"", label);
	for (c = value; *c; c++)
		printf("%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
	printf("\"%s", next);
}

static void print_head(const char *name, const char *type, const char *help)
{
	printf("# HELP prp_%s %s\n# TYPE prp_%s %s\n", name, help, name, type);
}

/* What all labels of a namespace begin with, and @more behind it */
static void begin_labels(const char *name, bool more)
{
	printf("prp_%s%s", name, netns_name || more ? "{" : "");
	if (netns_name)
		print_value("netns", netns_name, more ? "," : "}");
}

static void print_counter(const struct counter *counter)
{
	bool gauge = counter_is_gauge(counter);
	const char *help = meaning_of(counter->name);
	char name[COUNTER_NAME_LEN + 8];

	snprintf(name, sizeof(name), "%s%s", counter->name,
		 gauge ? "" : "_total");
	print_head(name, gauge ? "gauge" : "counter",
		   help ? help : "a counter that this prpctl does not know");
	begin_labels(name, false);
	printf(" %" PRIu64 "\n", counter->value);
}

/* ---- rails ---- */

static const struct {
	const char *name;
	const char *help;
} rail_metrics[] = { { "frames_in", "frames received on a rail" },
		     { "bytes_in", "bytes of these" },
		     { "frames_out", "frames handed to the device of a rail" },
		     { "bytes_out", "bytes of these" },
		     { "lost",
		       "segments sent again that had gone out on a rail" },
		     { 0 } };

static void begin_rail(const char *name, const struct rail *rail)
{
	char number[12];

	begin_labels(name, true);
	snprintf(number, sizeof(number), "%u", rail->number);
	print_value("rail", number, ",");
	print_value("device", rail->ifname, "} ");
}

static void print_rails(const struct rails *rails)
{
	const struct rail *rail, *end = rails->rail + rails->count;
	char name[COUNTER_NAME_LEN];
	unsigned int m;

	print_head("rail_up", "gauge", "whether a rail can carry frames");
	for (rail = rails->rail; rail < end; rail++) {
		begin_rail("rail_up", rail);
		printf("%d\n", rail->ifname[0] && rail->up && rail->carrier);
	}
	for (m = 0; rail_metrics[m].name; m++) {
		snprintf(name, sizeof(name), "rail_%s_total",
			 rail_metrics[m].name);
		print_head(name, "counter", rail_metrics[m].help);
		for (rail = rails->rail; rail < end; rail++) {
			begin_rail(name, rail);
			printf("%" PRIu64 "\n",
			       rail_counter(rail, rail_metrics[m].name));
		}
	}
}

/* ---- hosts ---- */

static void print_conns(const struct peer *peer)
{
	printf("%u", peer->conns);
}

static void print_silent(const struct peer *peer)
{
	int64_t ms = peer->silent_ms < 0 ? 0 : peer->silent_ms;

	printf("%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
}

static void print_differs(const struct peer *peer)
{
	printf("%d", peer->table_differs);
}

static void print_left(const struct peer *peer)
{
	printf("%" PRIu64, peer_rails_left(peer));
}

static const struct {
	const char *name;
	const char *type;
	const char *help;
	void (*print)(const struct peer *peer);
} peer_metrics[] = {
	{ "node_connections", "gauge", "connections with a node", print_conns },
	{ "node_silent_seconds", "gauge",
	  "for how long what was sent to a node has had no answer",
	  print_silent },
	{ "node_table_differs", "gauge",
	  "whether the host table of a node is another one", print_differs },
	{ "node_rails_left_total", "counter", "times a rail to a node was left",
	  print_left },
	{ 0 }
};

static void begin_peer(const char *name, const struct peer *peer,
		       const struct table *table)
{
	char number[8];

	begin_labels(name, true);
	snprintf(number, sizeof(number), "%u", peer->number);
	print_value("node", number, ",");
	print_value("name", table_name(table, peer->number), "} ");
}

static void print_peers(const struct peers *peers, const struct table *table)
{
	size_t i, m;

	for (m = 0; peer_metrics[m].name; m++) {
		print_head(peer_metrics[m].name, peer_metrics[m].type,
			   peer_metrics[m].help);
		for (i = 0; i < peers->count; i++) {
			begin_peer(peer_metrics[m].name, &peers->peer[i],
				   table);
			peer_metrics[m].print(&peers->peer[i]);
			putchar('\n');
		}
	}
}

/* What connections with each host have counted: all have the same counters. */
static void print_peer_counters(const struct peers *peers,
				const struct table *table)
{
	unsigned int counters = peers->count ? peers->peer[0].counters : 0;
	char name[COUNTER_NAME_LEN + 16];
	unsigned int c;
	size_t i;

	for (c = 0; c < counters; c++) {
		const struct counter *first = &peers->peer[0].counter[c];
		const char *help = meaning_of(first->name);

		snprintf(name, sizeof(name), "node_%s_total", first->name);
		print_head(name, "counter",
			   help ? help : "a counter of connections");
		for (i = 0; i < peers->count; i++) {
			begin_peer(name, &peers->peer[i], table);
			printf("%" PRIu64 "\n",
			       peers->peer[i].counter[c].value);
		}
	}
}

/* All is asked for before anything is printed: half of it is in no file. */
static int ask(struct nl *nl, struct rails *rails, struct peers *peers,
	       struct table *table)
{
	int status, err;

	status = ask_table(nl, table);
	if (status)
		return status;
	err = rail_fetch(nl, rails);
	if (err)
		return ask_refused(nl, err, "reading the rails");
	err = peer_fetch_all(nl, peers);
	if (err && err != -EINTR)
		return ask_refused(nl, err, "reading the peers");
	return EXIT_OK;
}

/**
 * metrics_print() - print counters, rails and hosts
 * @nl: socket
 * @counters: counters of the namespace
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int metrics_print(struct nl *nl, const struct counters *counters)
{
	struct table table = { 0 };
	struct peers peers = { 0 };
	struct rails rails;
	int status;
	size_t i;

	status = ask(nl, &rails, &peers, &table);
	for (i = 0; !status && i < counters->count; i++)
		print_counter(&counters->counter[i]);
	if (!status) {
		print_rails(&rails);
		print_peers(&peers, &table);
		print_peer_counters(&peers, &table);
	}
	free(peers.peer);
	table_free(&table);
	return status;
}
