// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts check: what passes between this machine and all others, rail by
 * rail, and who has another host table; or, by way of ssh, between all of them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "hosts/hosts_check.h"
#include "kernel/ask.h"
#include "kernel/probe.h"
#include "kernel/route.h"
#include "show/out.h"

#define TRIES 3
#define SSH_AT_ONCE 32
#define LINE_LEN 256
#define STATE_LEN 24

/**
 * struct way - what one machine sees of a rail to another one
 * @from: number of the machine that looked
 * @to: number of the other one
 * @rail: rail, or -1 if a forwarder chooses it
 * @mtu: largest frame that it should carry, bytes
 * @state: a word: "ok", or what is wrong
 * @rtt_ns: how long a small frame took, 0 without a reply
 * @there: largest frame that arrived, bytes
 * @back: largest one that came back
 * @table: whether the other one has the same host table, or -1
 */
struct way {
	unsigned int from;
	unsigned int to;
	int rail;
	unsigned int mtu;
	char state[STATE_LEN];
	unsigned long long rtt_ns;
	unsigned int there;
	unsigned int back;
	int table;
};

/* All that were looked at */
struct ways {
	struct way *way;
	size_t count;
	size_t room;
};

static struct way *ways_add(struct ways *ways)
{
	struct way *grown;

	if (ways->count == ways->room) {
		ways->room = ways->room ? 2 * ways->room : 64;
		grown = reallocarray(ways->way, ways->room, sizeof(*grown));
		if (!grown)
			return NULL;
		ways->way = grown;
	}
	memset(&ways->way[ways->count], 0, sizeof(*ways->way));
	return &ways->way[ways->count++];
}

/* ---- this machine ---- */

/* The probes of one host. Return: how many were added, or a negative errno. */
static int add_probes(struct nl *nl, const struct rails *rails,
		      const struct prphosts_node *node, struct probe *probe)
{
	struct route route;
	unsigned int r;
	int n = 0, err;

	err = route_fetch(nl, node->number, &route);
	if (err)
		return err;
	for (r = 0; r < rails->count && route.via == node->number; r++)
		if (node->rails & 1 << rails->rail[r].number)
			probe[n++] = (struct probe){
				.number = node->number,
				.rail = rails->rail[r].number,
				.mtu = rails->rail[r].mtu,
			};
	if (!n)
		probe[n++] = (struct probe){ .number = node->number,
					     .rail = -1,
					     .mtu = route.mtu };
	return n;
}

static const char *state_of(const struct probe *probe)
{
	switch (probe->err) {
	case 0:
		break;
	case -EHOSTUNREACH:
		return "no-way";
	case -ENETUNREACH:
		return "no-device";
	case -ENETDOWN:
		return "device-down";
	default:
		return "error";
	}
	if (!probe->replied)
		return "silent";
	if (!(probe->reply.knows & PRP_KNOWS_MINE))
		return "wrong-number";
	if (!probe->reply.told)
		return "not-known-there";
	if (probe_is_whole(probe))
		return "ok";
	return probe->reply.mtu < probe->mtu ? "mtu-differs" : "mtu-hole";
}

static int take_probe(struct ways *ways, const struct table *table,
		      const struct probe *probe)
{
	struct way *way = ways_add(ways);

	if (!way)
		return -ENOMEM;
	way->from = table->self;
	way->to = probe->number;
	way->rail = probe->rail;
	way->mtu = probe->mtu;
	snprintf(way->state, sizeof(way->state), "%s", state_of(probe));
	way->rtt_ns = probe->replied ? probe->reply.rtt_ns : 0;
	way->there = probe->there;
	way->back = probe->back;
	way->table =
		probe->reply.told ? probe->reply.table_hash == table->hash : -1;
	return 0;
}

static int look(struct nl *nl, const struct table *table, struct ways *ways)
{
	struct probe *probe;
	struct rails rails;
	size_t i, count = 0;
	int err, added;

	probe = calloc(table->nodes * PRPHOSTS_RAILS + 1, sizeof(*probe));
	if (!probe)
		return -ENOMEM;
	err = rail_fetch(nl, &rails);
	for (i = 0; i < table->nodes && !err; i++) {
		if (table->node[i].number == table->self)
			continue;
		added = add_probes(nl, &rails, &table->node[i], &probe[count]);
		if (added < 0)
			err = added;
		else
			count += added;
	}
	if (!err)
		err = probe_small(nl, probe, count, TRIES);
	if (!err)
		err = probe_sizes(nl, probe, count);
	for (i = 0; i < count && !err; i++)
		err = take_probe(ways, table, &probe[i]);
	free(probe);
	return err;
}

/* ---- the others ---- */

/* A line as put_line() prints it. Return: whether it is one. */
static bool take_line(const char *line, struct ways *ways)
{
	struct way way = { 0 }, *to;

	if (sscanf(line, "%u %u %d %u %23s %llu %u %u %d", &way.from, &way.to,
		   &way.rail, &way.mtu, way.state, &way.rtt_ns, &way.there,
		   &way.back, &way.table) != 9)
		return false;
	to = ways_add(ways);
	if (to)
		*to = way;
	return to;
}

/* What a machine saw. Return: whether it answered. */
static bool take_lines(FILE *from, struct ways *ways)
{
	size_t before = ways->count;
	char line[LINE_LEN];

	while (fgets(line, sizeof(line), from))
		take_line(line, ways);
	return !pclose(from) && ways->count > before;
}

/* Nothing of a name of the table is a word to a shell, but it may look like an
 * option.
 */
static FILE *start_ssh(const struct prphosts_node *node)
{
	const char *ssh = getenv("PRPCTL_SSH");
	char *command;
	FILE *from;

	if (asprintf(&command,
		     "%s -- '%s' prpctl hosts check --lines </dev/null 2>&1",
		     ssh ? ssh : "ssh -o BatchMode=yes -o ConnectTimeout=5",
		     node->name) < 0)
		return NULL;
	from = popen(command, "re");
	free(command);
	return from;
}

/* Have the others look, some of them at the same time. Return: how many did
 * not answer.
 */
static unsigned int look_from_others(const struct table *table,
				     struct ways *ways)
{
	FILE *from[SSH_AT_ONCE];
	unsigned int silent = 0;
	size_t i, begin, end;

	for (begin = 0; begin < table->nodes; begin = end) {
		end = begin + SSH_AT_ONCE;
		if (end > table->nodes)
			end = table->nodes;
		for (i = begin; i < end; i++)
			from[i - begin] = table->node[i].number == table->self ?
						  NULL :
						  start_ssh(&table->node[i]);
		for (i = begin; i < end; i++) {
			if (table->node[i].number == table->self)
				continue;
			if (from[i - begin] &&
			    take_lines(from[i - begin], ways))
				continue;
			silent++;
			out_warn("%s did not look: ssh, or prpctl there, failed",
				 table->node[i].name);
		}
	}
	return silent;
}

/* ---- what is said ---- */

/* For other programs, and for prpctl there */
static void put_line(const struct way *way)
{
	printf("%u\t%u\t%d\t%u\t%s\t%llu\t%u\t%u\t%d\n", way->from, way->to,
	       way->rail, way->mtu, way->state, way->rtt_ns, way->there,
	       way->back, way->table);
}

static void show_way(const struct table *table, const struct way *way)
{
	out_object(NULL);
	out_number("from", way->from, OUT_JSON_ONLY);
	out_cell("%s", table_name(table, way->from));
	out_number("to", way->to, OUT_JSON_ONLY);
	out_cell("%s", table_name(table, way->to));
	if (way->rail >= 0)
		out_number("rail", way->rail, OUT_CELL);
	else
		out_dash("rail");
	out_string("state", way->state, OUT_CELL);
	if (way->rtt_ns) {
		out_number("rtt_ns", way->rtt_ns, OUT_JSON_ONLY);
		out_cell("%.3f ms", way->rtt_ns / 1e6);
	} else {
		out_dash("rtt_ns");
	}
	out_number("mtu", way->mtu, OUT_CELL);
	out_number("there", way->there, OUT_CELL);
	out_number("back", way->back, OUT_CELL);
	if (way->table < 0)
		out_dash("same_table");
	else
		out_bool("same_table", way->table);
	if (way->table >= 0)
		out_cell(way->table ? "same" : "differs");
	out_end();
}

static bool is_good(const struct way *way)
{
	return !strcmp(way->state, "ok") && way->table;
}

static int show(const struct table *table, const struct ways *ways)
{
	static const char *const heads[] = { "FROM",  "TO",  "RAIL",  "STATE",
					     "TIME",  "MTU", "THERE", "BACK",
					     "TABLE", NULL };
	size_t i, good = 0;

	out_columns(heads);
	out_array("ways");
	for (i = 0; i < ways->count; i++) {
		show_way(table, &ways->way[i]);
		good += is_good(&ways->way[i]);
	}
	out_end();
	out_columns_end();
	out_text("%zu way%s: %zu ok, %zu not\n", ways->count,
		 ways->count == 1 ? "" : "s", good, ways->count - good);
	out_number("good", good, OUT_JSON_ONLY);
	out_number("bad", ways->count - good, OUT_JSON_ONLY);
	return good == ways->count ? EXIT_OK : EXIT_KERNEL;
}

static void show_differences(struct nl *nl, const struct table *table,
			     const struct ways *ways)
{
	uint16_t differs[PROBE_DIFFERENCES];
	unsigned int last = 0;
	size_t i;
	int n, d;

	out_array("differs");
	for (i = 0; i < ways->count; i++) {
		const struct way *way = &ways->way[i];

		if (way->from != table->self || way->table || way->to == last)
			continue;
		last = way->to;
		n = probe_differences(nl, table->self, way->to, differs);
		out_object(NULL);
		out_number("host", way->to, OUT_JSON_ONLY);
		out_text("the host table of %s differs:",
			 table_name(table, way->to));
		out_array("in");
		for (d = 0; d < n; d++) {
			out_text(" %u (%s)", differs[d],
				 table_name(table, differs[d]));
			out_number(NULL, differs[d], OUT_JSON_ONLY);
		}
		out_end();
		out_end();
		out_text("%s\n", n == PROBE_DIFFERENCES ? " ..." :
				 n == 0			? " links" :
				 n < 0			? " not known how" :
							  "");
	}
	out_end();
}

static int check(struct nl *nl, const struct table *table, enum check_how how)
{
	struct ways ways = { 0 };
	unsigned int silent = 0;
	int status = EXIT_OK, err;
	size_t i;

	if (!table->self)
		return out_fail(EXIT_KERNEL,
				"this machine is not in the host table");
	err = look(nl, table, &ways);
	if (!err && how == CHECK_SSH)
		silent = look_from_others(table, &ways);
	if (err) {
		status = ask_refused(nl, err, "querying the hosts");
	} else if (how == CHECK_LINES) {
		for (i = 0; i < ways.count; i++)
			put_line(&ways.way[i]);
	} else {
		status = show(table, &ways);
		show_differences(nl, table, &ways);
		if (silent)
			status = EXIT_KERNEL;
	}
	free(ways.way);
	return status;
}

/**
 * hosts_check() - prpctl hosts check, without a file
 * @how: how it is to look and to say
 *
 * Return: exit status.
 */
int hosts_check(enum check_how how)
{
	struct table table;
	struct nl nl;
	int status;

	if (how == CHECK_LINES && out_is_json())
		return out_fail(EXIT_SYNTAX, "--lines are no JSON");
	status = ask_open(&nl);
	if (status)
		return status;
	status = ask_table(&nl, &table);
	if (!status)
		status = check(&nl, &table, how);
	table_free(&table);
	nl_close(&nl);
	return status;
}
