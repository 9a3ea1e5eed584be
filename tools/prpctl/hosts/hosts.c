// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts: brings prphosts(5) into the kernel, and shows what is there.
 * Single hosts and links are hosts_edit.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "hosts/file.h"
#include "hosts/hosts_check.h"
#include "hosts/hosts_discover.h"
#include "hosts/hosts_check_file.h"
#include "hosts/hosts_edit.h"
#include "hosts/hosts_report.h"
#include "hosts/self.h"
#include "kernel/ask.h"
#include "kernel/change.h"
#include "kernel/table.h"
#include "prpctl.h"
#include "show/out.h"
#include "show/print.h"

/* ---- setup and diff ---- */

/* What setup and diff are asked for, and what came of it */
struct request {
	const char *path;
	bool dry_run;
	bool refused; /* it would be, were this no dry run */
	struct prphosts hosts;
	struct diff diff;
	struct outcome outcome;
};

/* Those that have no letter */
enum { DRY_RUN = 256, SSH, LINES, WRITE };

static const struct option setup_options[] = {
	{ "file", required_argument, NULL, 'f' },
	{ "dry-run", no_argument, NULL, DRY_RUN },
	{ 0 }
};

static const struct option diff_options[] = { { "file", required_argument, NULL,
						'f' },
					      { 0 } };

static int parse_request(int argc, char **argv, const struct option *known,
			 struct request *request)
{
	int option;

	request->path = PRPHOSTS_PATH;
	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "+f:", known, NULL)) != -1) {
		if (option == 'f')
			request->path = optarg;
		else if (option == DRY_RUN)
			request->dry_run = true;
		else
			return command_refuse_option(argv[optind - 1]);
	}
	if (optind < argc)
		return command_not_understood(argv[optind]);
	return EXIT_OK;
}

static int refuse_subject(const struct nl *nl, int err, const char *path,
			  const struct subject *subject)
{
	const struct prphosts_node *node = subject->node;
	const struct prphosts_link *link = subject->link;
	char what[256];

	if (node)
		snprintf(what, sizeof(what), "%s:%u: host %u (%s)", path,
			 node->line, node->number, node->name);
	else
		snprintf(what, sizeof(what), "%s:%u: link %u %u", path,
			 link->line, link->node, link->peer);
	return ask_refused(nl, err, what);
}

/*
 * A host that is changed is removed and added, and the kernel removes its
 * links with it; so all links are sent anew unless hosts only come.
 */
static void plan(const struct table *table, const struct prphosts *hosts,
		 const struct diff *diff, struct change *change)
{
	memset(change, 0, sizeof(*change));
	change->entry = diff->entry;
	change->entries = diff->entries;
	if (!diff->links && !diff->changed && !diff->removed)
		return;
	change->flush_links = table->links;
	change->link = hosts->link;
	change->links = hosts->links;
}

static int apply(struct nl *nl, struct request *request,
		 const struct table *table)
{
	struct subject refused;
	struct change change;
	int err;

	if (!request->diff.entries && !request->diff.links)
		return EXIT_OK;
	plan(table, &request->hosts, &request->diff, &change);
	err = change_commit(nl, table->generation, &change, &request->outcome,
			    &refused);
	if (err && (refused.node || refused.link))
		return refuse_subject(nl, err, request->path, &refused);
	if (err && !change_again(err))
		return ask_refused(nl, err, "changing the host table");
	return err;
}

/*
 * What a change would do that few want, in @what. Return: false if it is one as
 * any other.
 */
static bool is_drastic(const struct request *request, const struct table *table,
		       const struct devices *devices, char *what, size_t len)
{
	const char *force = request->dry_run ? "Only with --force it is done" :
					       "With --force it is done";
	char list[SELF_LIST_LEN];

	if (!request->hosts.nodes) {
		snprintf(what, len,
			 "%s has no host: all %zu hosts of the kernel's table would go, and all connections end. %s.",
			 request->path, table->nodes, force);
		return true;
	}
	if (self_find(&request->hosts, devices) ||
	    self_stays(table, &request->hosts))
		return false;
	if (table->self)
		snprintf(what, len,
			 "%s does not have this machine, which is node %u (%s): it would be none, and all connections end. %s; looked at: %s",
			 request->path, table->self,
			 table_name(table, table->self), force,
			 self_list(devices, list));
	else
		snprintf(what, len,
			 "%s does not have this machine, which could connect to none of its hosts. %s; looked at: %s",
			 request->path, force, self_list(devices, list));
	return true;
}

/* Return: EXIT_OK, or EXIT_SYNTAX for what nobody has confirmed; EXIT_KERNEL
 * if that is not to be found out.
 */
static int confirm(struct request *request, const struct table *table)
{
	struct devices devices;
	char what[1000];
	bool drastic;
	int err;

	if (options.force || !request->diff.entries)
		return EXIT_OK;
	err = device_fetch(&devices);
	drastic = !err &&
		  is_drastic(request, table, &devices, what, sizeof(what));
	device_free(&devices);
	if (err)
		return out_fail(EXIT_KERNEL, "reading the devices: %s",
				strerror(-err));
	if (!drastic)
		return EXIT_OK;
	if (!request->dry_run)
		return out_fail(EXIT_SYNTAX, "%s", what);
	out_warn("%s", what);
	request->refused = true;
	return EXIT_OK;
}

/* Return: 0, a negative errno to try again, or an exit status. */
static int try_setup(struct nl *nl, void *data)
{
	struct request *request = data;
	struct table table;
	int err;

	diff_free(&request->diff);
	err = table_fetch(nl, &table);
	if (!err)
		err = diff_make(&request->diff, &table, &request->hosts);
	if (err)
		err = ask_refused(nl, err, "reading the host table");
	else
		err = confirm(request, &table);
	if (!err && request->dry_run)
		print_diff(&request->diff, table.self);
	else if (!err)
		err = apply(nl, request, &table);
	table_free(&table);
	return err;
}

/* What a kernel would change that does not know PRP yet */
static int compare_with_nothing(struct request *request)
{
	const struct table table = { 0 };

	out_warn("the kernel does not know PRP: compared with an empty table");
	if (diff_make(&request->diff, &table, &request->hosts))
		return out_fail(EXIT_KERNEL, "no memory");
	print_diff(&request->diff, 0);
	return confirm(request, &table);
}

static int set_up(struct nl *nl, struct request *request)
{
	int status;

	status = file_load(request->path, &request->hosts);
	if (!status && request->dry_run && nl_open_prp(nl) == -ENOENT) {
		status = compare_with_nothing(request);
	} else if (!status) {
		nl_close(nl);
		status = ask_open(nl);
		if (!status)
			status = change_retry(nl, try_setup, request);
	}
	if (!status)
		report_counts(&request->hosts, &request->diff);
	return status;
}

static void request_free(struct request *request)
{
	diff_free(&request->diff);
	prphosts_free(&request->hosts);
}

static int hosts_setup(int argc, char **argv)
{
	struct request request = { 0 };
	struct nl nl = { 0 };
	int status;

	status = parse_request(argc, argv, setup_options, &request);
	if (!status)
		status = set_up(&nl, &request);
	if (!status) {
		out_bool("dry_run", request.dry_run);
		report_ended(request.outcome.ended);
		if (request.refused)
			status = EXIT_SYNTAX;
		if (request.dry_run)
			out_text(" (dry run: nothing was changed)\n");
		else
			status = report_self(&nl, &request.hosts);
	}
	nl_close(&nl);
	request_free(&request);
	return status;
}

static int hosts_diff(int argc, char **argv)
{
	struct request request = { 0 };
	struct nl nl = { 0 };
	int status;

	status = parse_request(argc, argv, diff_options, &request);
	request.dry_run = true;
	if (!status)
		status = set_up(&nl, &request);
	out_text("%s", status ? "" : "\n");
	nl_close(&nl);
	request_free(&request);
	return status;
}

/* ---- show ---- */

static void show_head(const struct table *table)
{
	out_number("generation", table->generation, OUT_JSON_ONLY);
	out_number("hash", table->hash, OUT_JSON_ONLY);
	out_number("ethertype", table->ethertype, OUT_JSON_ONLY);
	out_string("forward", table_forward(table), OUT_JSON_ONLY);
	out_bool("forwards", table->forwards);
	if (table->self)
		out_number("self", table->self, OUT_JSON_ONLY);
	else
		out_null("self");
	out_text("# %zu host%s, ", table->nodes, table->nodes == 1 ? "" : "s");
	if (table->links)
		out_text("%zu link%s, ", table->links,
			 table->links == 1 ? "" : "s");
	out_text("generation %u, hash %08x, EtherType 0x%04x, forward %s\n",
		 table->generation, table->hash, table->ethertype,
		 table_forward(table));
}

static int show(struct nl *nl, struct table *table,
		const struct prphosts_node *only)
{
	const struct prphosts_node *first = only ? only : table->node;
	size_t links = out_is_json() || !options.brief ? table->links : 0;
	size_t i, count = only ? 1 : table->nodes;
	struct widths w = { 0 };

	(void)nl; /* the table has it all */
	for (i = 0; i < count; i++)
		print_widen(&w, &first[i]);
	if (out_is_json() || (!only && !options.brief))
		show_head(table);
	out_array("hosts");
	for (i = 0; i < count; i++)
		print_host(NULL, &first[i], first[i].number == table->self, &w);
	out_end();
	out_array("links");
	for (i = 0; i < links; i++)
		if (!only || table->link[i].node == only->number ||
		    table->link[i].peer == only->number)
			print_link(NULL, &table->link[i]);
	out_end();
	return EXIT_OK;
}

static int hosts_show(int argc, char **argv)
{
	return command_ask_hosts(argc, argv, show);
}

static const struct option check_options[] = {
	{ "ssh", no_argument, NULL, SSH },
	{ "lines", no_argument, NULL, LINES },
	{ 0 }
};

static const struct option discover_options[] = {
	{ "file", required_argument, NULL, 'f' },
	{ "write", no_argument, NULL, WRITE },
	{ 0 }
};

/* A file, or what is in force */
static int check(int argc, char **argv)
{
	enum check_how how = CHECK_TEXT;
	int option;

	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "+", check_options, NULL)) !=
	       -1) {
		if (how != CHECK_TEXT || option == '?')
			return command_not_understood(argv[optind - 1]);
		how = option == SSH ? CHECK_SSH : CHECK_LINES;
	}
	if (optind == argc)
		return hosts_check(how);
	if (how != CHECK_TEXT || optind + 1 < argc)
		return command_not_understood(argv[argc - 1]);
	return hosts_check_file(argv[optind]);
}

static const struct command commands[] = {
	{ "setup", hosts_setup, "[-f FILE|-] [--dry-run] [--force]",
	  "make the kernel's host table that of FILE, by default " PRPHOSTS_PATH,
	  setup_options },
	{ "show", hosts_show, "[HOST]",
	  "print the kernel's host table, or one host and its links" },
	{ "diff", hosts_diff, "[-f FILE|-]", "print what setup would change",
	  diff_options },
	{ "check", check, "[FILE|- | --ssh | --lines]",
	  "try what passes to all hosts, or say if FILE is good",
	  check_options },
	{ "discover", hosts_discover, "DEV [-f FILE] [--write]",
	  "ask on a device who is there, and show what FILE becomes",
	  discover_options },
	{ "add", hosts_add, "NUMBER NAME ADDRESSES [IP]...",
	  "add a host to the kernel's host table" },
	{ "del", hosts_del, "HOST",
	  "remove a host, and its links, from the kernel's host table" },
	{ "link", hosts_link, "{ add | del } HOST HOST [rail NUMBER]",
	  "add a link to the kernel's host table, or remove one" },
	{ "flush", hosts_flush, "",
	  "remove all hosts from the kernel's host table" },
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
	return command_dispatch(commands, "hosts", "show", argc, argv);
}
