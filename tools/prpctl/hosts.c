// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts: brings prphosts(5) into the kernel, and shows what is there.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "file.h"
#include "link.h"
#include "out.h"
#include "print.h"
#include "prpctl.h"
#include "table.h"

#define RETRIES		40		/* while somebody else changes it */
#define RETRY_NS	50000000

/* ---- summary and warnings ---- */

static const struct prphosts_node *
find_number(const struct prphosts_node *node, size_t nodes, uint16_t number)
{
	size_t i;

	for (i = 0; i < nodes; i++)
		if (node[i].number == number)
			return &node[i];
	return NULL;
}

static void warn_lost(void)
{
	struct link_devices devices;
	char list[400] = "", mac[MAC_LEN];
	size_t i, len = 0;

	if (link_fetch(&devices))
		devices.count = 0;
	for (i = 0; i < devices.count && len < sizeof(list); i++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s (%s)",
				i ? ", " : "", devices.device[i].name,
				print_mac(mac, devices.device[i].mac));
	out_warn("no device of this machine has a hardware address of the file; looked at: %s",
		 devices.count ? list : "none, there is no Ethernet device");
}

static void warn_rail(const struct rail *rail)
{
	char mac[MAC_LEN];

	if (!rail->ifname[0])
		out_warn("rail %u: no device has its hardware address %s",
			 rail->number, print_mac(mac, rail->mac));
	else if (!rail->up)
		out_warn("rail %u: %s is down: ip %s%s%slink set %s up",
			 rail->number, rail->ifname,
			 prpctl_netns ? "-n " : "",
			 prpctl_netns ? prpctl_netns : "",
			 prpctl_netns ? " " : "", rail->ifname);
	else if (!rail->carrier)
		out_warn("rail %u: %s has no link", rail->number,
			 rail->ifname);
}

/*
 * The host of virtual machines may have devices with their addresses, and
 * may be taken for one of them.
 */
static void warn_others(const struct prphosts *hosts, uint16_t self)
{
	struct link_devices devices;
	unsigned int r;
	size_t i, j;

	if (link_fetch(&devices))
		return;
	for (i = 0; i < hosts->nodes; i++) {
		const struct prphosts_node *node = &hosts->node[i];

		for (j = 0; j < devices.count * PRPHOSTS_RAILS; j++) {
			r = j % PRPHOSTS_RAILS;
			if (node->number == self || !(node->rails & 1 << r) ||
			    memcmp(node->addr[r],
				   devices.device[j / PRPHOSTS_RAILS].mac, 6))
				continue;
			out_warn("%s has an address of node %u (%s), too",
				 devices.device[j / PRPHOSTS_RAILS].name,
				 node->number, node->name);
		}
	}
}

static void show_self(const struct prphosts_node *self,
		      const struct rail *rail, unsigned int rails)
{
	unsigned int r, shown = 0;

	if (!self) {
		out_null("self");
		out_text("; this machine is none of them");
		return;
	}
	out_text("; this is node %u (%s)", self->number, self->name);
	out_object("self");
	out_number("number", self->number, OUT_JSON_ONLY);
	out_string("name", self->name, OUT_JSON_ONLY);
	out_array("devices");
	for (r = 0; r < rails; r++) {
		if (!rail[r].ifname[0])
			continue;
		out_text("%s%s", shown++ ? ", " : " on ", rail[r].ifname);
		out_string(NULL, rail[r].ifname, OUT_JSON_ONLY);
	}
	out_end();
	out_end();
}

static void show_count(const char *key, size_t count, unsigned int *shown)
{
	out_number(key, count, OUT_JSON_ONLY);
	if (count)
		out_text("%s%zu %s", (*shown)++ ? ", " : " ", count, key);
}

static void show_counts(const struct prphosts *hosts, const struct diff *diff)
{
	unsigned int shown = 0;

	out_text("%zu host%s:", hosts->nodes, hosts->nodes == 1 ? "" : "s");
	out_number("hosts", hosts->nodes, OUT_JSON_ONLY);
	if (!diff->entries)
		out_text(" unchanged");
	if (diff->entries || out_is_json()) {
		show_count("unchanged", diff->unchanged, &shown);
		show_count("added", diff->added, &shown);
		show_count("changed", diff->changed, &shown);
		show_count("removed", diff->removed, &shown);
	}
}

/* ---- commands ---- */

/* What setup and diff are asked for */
struct request {
	const char	*path;
	bool		dry_run;
};

static int parse_request(int argc, char **argv, bool may_dry_run,
			 struct request *request)
{
	static const struct option options[] = {
		{ "file", required_argument, NULL, 'f' },
		{ "dry-run", no_argument, NULL, 'd' },
		{ 0 }
	};
	int option;

	request->path = PRPHOSTS_PATH;
	request->dry_run = false;
	optind = 0;
	opterr = 0;
	/* getopt_long() begins with the second word. */
	argc++;
	argv--;
	while ((option = getopt_long(argc, argv, "+f:", options,
				     NULL)) != -1) {
		if (option == 'f')
			request->path = optarg;
		else if (option == 'd' && may_dry_run)
			request->dry_run = true;
		else
			return out_fail(EXIT_SYNTAX,
					"\"%s\" is not understood, or its FILE is missing",
					argv[optind - 1]);
	}
	if (optind < argc)
		return out_fail(EXIT_SYNTAX, "\"%s\" is not understood",
				argv[optind]);
	return EXIT_OK;
}

static int refuse_host(const struct nl *nl, int err, const char *path,
		       const struct prphosts_node *node)
{
	char what[256];

	snprintf(what, sizeof(what), "%s:%u: host %u (%s)", path, node->line,
		 node->number, node->name);
	return prpctl_refused(nl, err, what);
}

/* One try. Return: 0, a negative errno to try again, or an exit status. */
static int try_setup(struct nl *nl, const struct request *request,
		     const struct prphosts *hosts, struct diff *diff,
		     uint32_t *ended)
{
	const struct prphosts_node *refused;
	struct table table;
	int err;

	err = table_fetch(nl, &table);
	if (!err)
		err = table_diff(&table, hosts, diff);
	if (err) {
		table_free(&table);
		return prpctl_refused(nl, err, "reading the host table");
	}
	if (request->dry_run) {
		print_diff(diff, table.self);
	} else if (diff->entries) {
		err = table_change(nl, table.generation, diff, ended,
				   &refused);
		if (err && refused)
			err = refuse_host(nl, err, request->path, refused);
		else if (err && err != -EAGAIN && err != -EBUSY)
			err = prpctl_refused(nl, err,
					     "changing the host table");
	}
	table_free(&table);
	return err;
}

static int change(struct nl *nl, const struct request *request,
		  const struct prphosts *hosts, struct diff *diff,
		  uint32_t *ended)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int tries, err = -EAGAIN;

	for (tries = 0; tries < RETRIES && err < 0; tries++) {
		if (tries) {
			table_diff_free(diff);
			nanosleep(&pause, NULL);
		}
		err = try_setup(nl, request, hosts, diff, ended);
	}
	if (err < 0)
		return prpctl_refused(nl, err, "changing the host table");
	return err;
}

static int report(struct nl *nl, const struct request *request,
		  const struct prphosts *hosts, const struct diff *diff,
		  uint32_t ended)
{
	struct rail rail[PRPHOSTS_RAILS];
	const struct prphosts_node *self;
	struct table table;
	unsigned int rails, r;
	int err;

	err = table_fetch(nl, &table);
	if (!err)
		err = table_rails(nl, rail, &rails);
	if (err) {
		table_free(&table);
		return prpctl_refused(nl, err, "reading the host table");
	}
	self = find_number(hosts->node, hosts->nodes, table.self);
	show_counts(hosts, diff);
	out_number("ended", ended, OUT_JSON_ONLY);
	out_bool("dry_run", request->dry_run);
	out_number("generation", table.generation, OUT_JSON_ONLY);
	if (request->dry_run) {
		out_text(" (dry run: nothing was changed)\n");
		table_free(&table);
		return EXIT_OK;
	}
	show_self(self, rail, rails);
	if (ended)
		out_text("; %u connection%s ended", ended,
			 ended == 1 ? "" : "s");
	out_text("\n");
	if (!self && hosts->nodes)
		warn_lost();
	for (r = 0; self && r < rails; r++)
		warn_rail(&rail[r]);
	warn_others(hosts, table.self);
	table_free(&table);
	return EXIT_OK;
}

static int hosts_setup(int argc, char **argv)
{
	struct prphosts hosts = { 0 };
	struct diff diff = { 0 };
	struct request request;
	struct nl nl = { 0 };
	uint32_t ended = 0;
	int status;

	status = parse_request(argc, argv, true, &request);
	if (!status)
		status = file_load(request.path, &hosts);
	if (!status)
		status = prpctl_open(&nl);
	if (!status)
		status = change(&nl, &request, &hosts, &diff, &ended);
	if (!status)
		status = report(&nl, &request, &hosts, &diff, ended);
	nl_close(&nl);
	table_diff_free(&diff);
	prphosts_free(&hosts);
	return status;
}

static int hosts_diff(int argc, char **argv)
{
	struct prphosts hosts = { 0 };
	struct diff diff = { 0 };
	struct request request;
	struct nl nl = { 0 };
	uint32_t ended = 0;
	int status;

	status = parse_request(argc, argv, false, &request);
	request.dry_run = true;
	if (!status)
		status = file_load(request.path, &hosts);
	if (!status)
		status = prpctl_open(&nl);
	if (!status)
		status = change(&nl, &request, &hosts, &diff, &ended);
	if (!status) {
		show_counts(&hosts, &diff);
		out_text("\n");
	}
	nl_close(&nl);
	table_diff_free(&diff);
	prphosts_free(&hosts);
	return status;
}

static void show_head(const struct table *table)
{
	out_number("generation", table->generation, OUT_JSON_ONLY);
	out_number("hash", table->hash, OUT_JSON_ONLY);
	out_number("ethertype", table->ethertype, OUT_JSON_ONLY);
	if (table->self)
		out_number("self", table->self, OUT_JSON_ONLY);
	else
		out_null("self");
	out_text("# %zu host%s, generation %u, hash %08x, EtherType 0x%04x\n",
		 table->nodes, table->nodes == 1 ? "" : "s",
		 table->generation, table->hash, table->ethertype);
}

static bool is_host(const struct prphosts_node *node, const char *word)
{
	char number[8];

	snprintf(number, sizeof(number), "%u", node->number);
	return !strcmp(word, number) || !strcmp(word, node->name);
}

static int show_hosts(const struct table *table, const char *only)
{
	struct widths w = { 0 };
	size_t i, shown = 0;

	for (i = 0; i < table->nodes; i++)
		if (!only || is_host(&table->node[i], only))
			print_widen(&w, &table->node[i]);
	if (!only || out_is_json())
		show_head(table);
	out_array("hosts");
	for (i = 0; i < table->nodes; i++) {
		if (only && !is_host(&table->node[i], only))
			continue;
		print_host(NULL, &table->node[i],
			   table->node[i].number == table->self, &w);
		shown++;
	}
	out_end();
	if (only && !shown)
		return out_fail(EXIT_SYNTAX, "no host is \"%s\"", only);
	return EXIT_OK;
}

static int hosts_show(int argc, char **argv)
{
	struct table table;
	struct nl nl;
	int err, status;

	if (argc > 1 || (argc && argv[0][0] == '-'))
		return out_fail(EXIT_SYNTAX, "\"%s\" is not understood",
				argv[argc - 1]);
	if (prpctl_open(&nl))
		return EXIT_KERNEL;
	err = table_fetch(&nl, &table);
	if (err)
		status = prpctl_refused(&nl, err, "reading the host table");
	else
		status = show_hosts(&table, argc ? argv[0] : NULL);
	table_free(&table);
	nl_close(&nl);
	return status;
}

static const struct command commands[] = {
	{ "setup", hosts_setup, "[-f FILE|-] [--dry-run]",
	  "make the kernel's host table that of FILE, by default "
	  PRPHOSTS_PATH },
	{ "show", hosts_show, "[HOST]",
	  "print the kernel's host table, or the host with this number or name"
	},
	{ "diff", hosts_diff, "[-f FILE|-]",
	  "print what setup would change" },
	{ 0 }
};

/**
 * hosts_main() - prpctl hosts
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int hosts_main(int argc, char **argv)
{
	return prpctl_dispatch(commands, "hosts", "show", argc, argv);
}
