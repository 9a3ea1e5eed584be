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
#include "show/fields.h"
#include "show/out.h"

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

	out_columns_brief(heads, 1U << 0 | 1U << 1 | 1U << 2 | 1U << 6);
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
			fields_peer(&peers->peer[p], table);
		else
			fields_peer(&unknown, table);
		out_end();
	}
	out_end();
	out_columns_end();
}

static int show(struct nl *nl, struct table *table,
		const struct prphosts_node *only)
{
	int status = EXIT_OK, err;
	struct peers peers;

	err = peer_fetch_all(nl, &peers);
	if (err == -EINTR)
		out_warn("what is known changed while it was read");
	else if (err)
		status = ask_refused(nl, err, "reading the peers");
	if (!status)
		show_nodes(table, &peers, only);
	free(peers.peer);
	return status;
}

static int node_show(int argc, char **argv)
{
	return command_ask_hosts(argc, argv, show);
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
