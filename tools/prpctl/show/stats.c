// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl stats: the counters of a namespace, or of the connections with a host.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/counters.h"
#include "kernel/peer.h"
#include "prpctl.h"
#include "show/kept.h"
#include "show/metrics.h"
#include "show/out.h"

#define NAME_WIDTH 24

/* What is asked for */
struct request {
	bool all;
	bool difference;
	bool metrics;
	const char *host;
};

static const struct option show_options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "difference", no_argument, NULL, 'd' },
	{ "metrics", no_argument, NULL, 'm' },
	{ 0 }
};

static int parse_request(int argc, char **argv, struct request *request)
{
	int option;

	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "+adm", show_options, NULL)) !=
	       -1) {
		if (option == 'a')
			request->all = true;
		else if (option == 'd')
			request->difference = true;
		else if (option == 'm')
			request->metrics = true;
		else
			return command_not_understood(argv[optind - 1]);
	}
	if (argc - optind > 1)
		return command_not_understood(argv[optind + 1]);
	if (argc > optind)
		request->host = argv[optind];
	if (request->metrics && (request->host || request->difference))
		return out_fail(EXIT_SYNTAX,
				"--metrics are of all hosts, and of all time");
	if (request->metrics && out_is_json())
		return out_fail(EXIT_SYNTAX, "--metrics are no JSON");
	return EXIT_OK;
}

static int fetch_host(struct nl *nl, uint16_t node, struct counters *counters)
{
	struct peer peer;
	unsigned int i;
	int err;

	err = peer_fetch(nl, node, &peer);
	for (i = 0; !err && i < peer.counters; i++)
		err = counters_add(counters, peer.counter[i].name,
				   peer.counter[i].value);
	if (!err)
		err = counters_add(counters, "rails_left",
				   peer_rails_left(&peer));
	return err ? err : counters_add(counters, "live_conns", peer.conns);
}

/* ---- the command ---- */

static void show_counters(const struct counters *counters, bool all)
{
	const struct counter *counter = counters->counter;
	size_t i;

	out_object("stats");
	for (i = 0; i < counters->count; i++, counter++) {
		if (out_is_json()) {
			out_number(counter->name, counter->value,
				   OUT_JSON_ONLY);
		} else if (counter->value || all) {
			out_text("%-*s", NAME_WIDTH, counter->name);
			out_number(counter->name, counter->value, OUT_LAST);
		}
	}
	out_end();
}

static int show_difference(uint16_t node, struct counters *counters)
{
	char scope[16] = "";
	int64_t since;
	int status;

	if (node)
		snprintf(scope, sizeof(scope), "-%u", node);
	status = kept_exchange(scope, counters, &since);
	if (status)
		return status;
	if (since < 0) {
		out_null("since_ms");
		out_text("# since the counters began\n");
		return EXIT_OK;
	}
	out_number("since_ms", since, OUT_JSON_ONLY);
	out_text("# since %u.%03u s ago\n", (unsigned int)(since / 1000),
		 (unsigned int)(since % 1000));
	return EXIT_OK;
}

static int show(struct nl *nl, const struct request *request,
		struct counters *counters)
{
	const struct prphosts_node *node = NULL;
	struct table table = { 0 };
	uint16_t number = 0;
	int status = EXIT_OK, err;

	if (request->host) {
		status = ask_table(nl, &table);
		if (!status)
			status = command_host(&table, request->host, &node);
		number = node ? node->number : 0;
		table_free(&table);
		if (status)
			return status;
	}
	err = number ? fetch_host(nl, number, counters) :
		       counters_fetch(nl, counters);
	if (err)
		return ask_refused(nl, err, "reading the counters");
	if (request->metrics)
		return metrics_print(nl, counters);
	if (request->difference)
		status = show_difference(number, counters);
	if (!status)
		show_counters(counters, request->all);
	return status;
}

static int stats_show(int argc, char **argv)
{
	struct counters counters = { 0 };
	struct request request = { 0 };
	struct nl nl;
	int status;

	status = parse_request(argc, argv, &request);
	if (!status)
		status = ask_open(&nl);
	if (status)
		return status;
	status = show(&nl, &request, &counters);
	counters_free(&counters);
	nl_close(&nl);
	return status;
}

static const struct command commands[] = {
	{ "show", stats_show, "[-adm] [HOST]",
	  "print the counters that are not zero, or of the connections with a\n"
	  "      host; with -a all, with -d what came since the last -d, with -m as\n"
	  "      Prometheus reads them",
	  show_options, true },
	{ 0 }
};

/**
 * stats_main() - prpctl stats
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int stats_main(int argc, char **argv)
{
	return command_dispatch(commands, "stats", "show", argc, argv);
}
