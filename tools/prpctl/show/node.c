// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl node: the hosts of the table with what is known of each.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <stdlib.h>

#include "command.h"
#include "kernel/ask.h"
#include "prpctl.h"
#include "show/describe.h"
#include "show/out.h"

static void show_ms(const char *key, int64_t ms)
{
	if (ms < 0) {
		out_dash(key);
		return;
	}
	out_number(key, ms, OUT_JSON_ONLY);
	out_cell("%u.%03u s", (unsigned int)(ms / 1000),
		 (unsigned int)(ms % 1000));
}

static void show_table(const struct peer *peer)
{
	if (peer->table_hash < 0)
		out_dash("table_hash");
	else
		out_number("table_hash", peer->table_hash, OUT_JSON_ONLY);
	out_bool("table_differs", peer->table_differs);
	if (peer->table_hash >= 0)
		out_cell(peer->table_differs ? "differs" : "same");
}

static void show_versions(const struct peer *peer)
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

static void show_lacks(const struct peer *peer)
{
	char lacks[PEER_FEATURES_LEN];

	if (peer_lacks(peer, lacks))
		out_string("lacks", lacks, OUT_CELL);
	else
		out_dash("lacks");
}

static void show_error(const struct peer *peer, const struct table *table)
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
static void show_if(bool known, const char *key, uint64_t value)
{
	if (known)
		out_number(key, value, OUT_JSON_ONLY);
	else
		out_null(key);
}

/* Rails that were left, or carry short frames only */
static void show_rails(const struct peer *peer)
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
		show_if(rail->times, "left_ms", rail->left_ms);
		show_if(rail->back_ms >= 0, "back_ms", rail->back_ms);
		show_if(rail->size, "size", rail->size);
		show_if(rail->size, "size_ms", rail->size_ms);
		out_end();
		note_rail(r, rail);
	}
	out_end();
}

/**
 * peer_fields() - put a host and what is known of it into a row and an object
 * @peer: what is known
 * @table: the hosts
 */
void peer_fields(const struct peer *peer, const struct table *table)
{
	out_number("number", peer->number, OUT_CELL);
	out_string("name", table_name(table, peer->number), OUT_CELL);
	out_bool("self", peer->number == table->self);
	show_ms("heard_ms", peer->heard_ms);
	show_table(peer);
	show_versions(peer);
	show_lacks(peer);
	out_number("conns", peer->conns, OUT_CELL);
	show_ms("silent_ms", peer->silent_ms);
	show_error(peer, table);
	show_rails(peer);
}

/* Both lists are sorted; most hosts may have no peer. */
static void show_nodes(const struct table *table, const struct peers *peers,
		       const struct prphosts_node *only)
{
	static const char *const heads[] = { "NODE",  "NAME",	  "HEARD",
					     "TABLE", "VERSIONS", "LACKS",
					     "CONNS", "SILENT",	  "ERROR",
					     NULL };
	struct peer unknown;
	size_t i, p = 0;

	out_columns(heads);
	out_array("nodes");
	for (i = 0; i < table->nodes; i++) {
		const struct prphosts_node *node = &table->node[i];

		while (p < peers->count && peers->peer[p].number < node->number)
			p++;
		if (only && only != node)
			continue;
		peer_clear(&unknown, node->number);
		out_object(NULL);
		if (p < peers->count && peers->peer[p].number == node->number)
			peer_fields(&peers->peer[p], table);
		else
			peer_fields(&unknown, table);
		out_end();
	}
	out_end();
	out_columns_end();
}

static int node_show(int argc, char **argv)
{
	const struct prphosts_node *only = NULL;
	struct peers peers = { 0 };
	struct table table;
	struct nl nl;
	int status, err;

	if (argc > 1 || (argc && argv[0][0] == '-'))
		return command_not_understood(argv[argc - 1]);
	if (ask_open(&nl))
		return EXIT_KERNEL;
	status = ask_table(&nl, &table);
	if (!status && argc)
		status = command_host(&table, argv[0], &only);
	if (!status) {
		err = peer_fetch_all(&nl, &peers);
		if (err == -EINTR)
			out_warn("what is known changed while it was read");
		else if (err)
			status = ask_refused(&nl, err, "reading the peers");
	}
	if (!status)
		show_nodes(&table, &peers, only);
	free(peers.peer);
	table_free(&table);
	nl_close(&nl);
	return status;
}

static const struct command commands[] = {
	{ "show", node_show, "[HOST]",
	  "print what is known of all hosts, or of one" },
	{ 0 }
};

/**
 * node_main() - prpctl node
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int node_main(int argc, char **argv)
{
	return command_dispatch(commands, "node", "show", argc, argv);
}
