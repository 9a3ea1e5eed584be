// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts add, del, link and flush: changes of the kernel's host table
 * that no file tells of, each of them one transaction.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/hosts_edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "hosts/hosts_report.h"
#include "hosts/parse.h"
#include "kernel/ask.h"
#include "kernel/change.h"
#include "kernel/table.h"
#include "show/out.h"

#define LINE_LEN 1024

/**
 * struct edit - a change, and what came of it
 * @plan: fills in @change; NULL if nothing has to be known for that. Return:
 *	exit status
 * @argv: words of the command
 * @argc: how many
 * @what: what was asked for, for a refusal
 * @table: the kernel's host table; only its head without @plan
 * @change: what to change
 * @entry: the host that it is about
 * @link: all links that there are to be
 * @outcome: what the kernel says of it
 */
struct edit {
	int (*plan)(struct edit *edit);
	char **argv;
	int argc;
	char what[LINE_LEN];
	struct table table;
	struct change change;
	struct difference entry;
	struct prphosts_link *link;
	struct outcome outcome;
};

/* Return: 0, a negative errno to try again, or an exit status. */
static int try_edit(struct nl *nl, void *data)
{
	struct edit *edit = data;
	struct subject refused;
	int err;

	table_free(&edit->table);
	err = edit->plan ? table_fetch(nl, &edit->table) :
			   table_fetch_head(nl, &edit->table);
	if (err)
		return ask_refused(nl, err, "reading the host table");
	if (edit->plan) {
		err = edit->plan(edit);
		if (err)
			return err;
	}
	err = change_commit(nl, edit->table.generation, &edit->change,
			    &edit->outcome, &refused);
	if (err && !change_again(err))
		return ask_refused(nl, err, edit->what);
	return err;
}

/* Say in one line what was done and what came of it. */
static void report(const struct edit *edit, const char *done)
{
	const struct outcome *outcome = &edit->outcome;

	out_text("%s; generation %u", done, outcome->generation);
	out_number("generation", outcome->generation, OUT_JSON_ONLY);
	out_number("removed", outcome->removed, OUT_JSON_ONLY);
	out_number("links_removed", outcome->links_removed, OUT_JSON_ONLY);
	if (outcome->links_removed && !edit->change.flush_links)
		out_text("; %u link%s removed", outcome->links_removed,
			 outcome->links_removed == 1 ? "" : "s");
	report_ended(outcome->ended);
	out_text("\n");
}

static int run(struct edit *edit, const char *done)
{
	char text[LINE_LEN + 16];
	struct nl nl;
	int status;

	status = ask_open(&nl);
	if (status)
		return status;
	status = change_retry(&nl, try_edit, edit);
	if (!status) {
		snprintf(text, sizeof(text), "%s %s", edit->what, done);
		report(edit, text);
	}
	free(edit->link);
	table_free(&edit->table);
	nl_close(&nl);
	return status;
}

/* ---- hosts ---- */

/* The words as a line of a file, of which nothing may be a comment */
static int join(int argc, char **argv, char line[LINE_LEN])
{
	size_t len = 0;
	int i;

	for (i = 0; i < argc; i++) {
		if (argv[i][strcspn(argv[i], "# \t\r\n\v\f")] || !argv[i][0])
			return command_not_understood(argv[i]);
		len += snprintf(line + len, LINE_LEN - len, "%s%s",
				i ? " " : "", argv[i]);
		if (len >= LINE_LEN)
			return out_fail(EXIT_SYNTAX, "too many words");
	}
	return EXIT_OK;
}

static int parse_host(int argc, char **argv, struct prphosts *hosts)
{
	char line[LINE_LEN];
	int status;
	size_t i;

	if (!argc || !strcmp(argv[0], "link"))
		return out_fail(EXIT_SYNTAX,
				"NUMBER, NAME and ADDRESSES are missing");
	status = join(argc, argv, line);
	if (status)
		return status;
	if (prphosts_parse(hosts, line, strlen(line)))
		return out_fail(EXIT_SYNTAX, "no memory");
	for (i = 0; i < hosts->errors; i++)
		out_fail(EXIT_SYNTAX, "%s", hosts->error[i].text);
	if (hosts->errors)
		return EXIT_SYNTAX;
	/* a byte order mark, and nothing behind it */
	return hosts->nodes == 1 ? EXIT_OK : command_not_understood(argv[0]);
}

static void name_host(struct edit *edit, const struct prphosts_node *node)
{
	snprintf(edit->what, sizeof(edit->what), "host %u (%s)", node->number,
		 node->name);
}

/**
 * hosts_add() - prpctl hosts add
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int hosts_add(int argc, char **argv)
{
	struct prphosts hosts = { 0 };
	struct edit edit = { 0 };
	int status;

	status = parse_host(argc, argv, &hosts);
	if (!status) {
		edit.entry.new = hosts.node;
		edit.change.entry = &edit.entry;
		edit.change.entries = 1;
		name_host(&edit, hosts.node);
		status = run(&edit, "added");
	}
	prphosts_free(&hosts);
	return status;
}

static int plan_del(struct edit *edit)
{
	int status;

	status = command_host(&edit->table, edit->argv[0], &edit->entry.old);
	if (status)
		return status;
	edit->change.entry = &edit->entry;
	edit->change.entries = 1;
	name_host(edit, edit->entry.old);
	return EXIT_OK;
}

/**
 * hosts_del() - prpctl hosts del
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int hosts_del(int argc, char **argv)
{
	struct edit edit = { .plan = plan_del, .argv = argv, .argc = argc };

	if (!argc)
		return out_fail(EXIT_SYNTAX, "HOST is missing");
	if (argc > 1)
		return command_not_understood(argv[1]);
	return run(&edit, "removed");
}

/**
 * hosts_flush() - prpctl hosts flush
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int hosts_flush(int argc, char **argv)
{
	struct edit edit = { .change.empty = true, .what = "all hosts" };

	if (argc)
		return command_not_understood(argv[0]);
	return run(&edit, "removed");
}

/* ---- links ---- */

static int parse_rail(const char *word, int *rail)
{
	if (word[0] < '0' || word[0] >= '0' + PRPHOSTS_RAILS || word[1])
		return out_fail(EXIT_SYNTAX, "rail \"%s\" is not in 0 to %d",
				word, PRPHOSTS_RAILS - 1);
	*rail = word[0] - '0';
	return EXIT_OK;
}

/* HOST HOST [rail NUMBER] */
static int parse_link(struct edit *edit, struct prphosts_link *link)
{
	const struct prphosts_node *end[2];
	int i, status;

	for (i = 0; i < 2; i++) {
		status = command_host(&edit->table, edit->argv[i], &end[i]);
		if (status)
			return status;
	}
	if (end[0] == end[1])
		return out_fail(EXIT_SYNTAX, "a link from host %u to itself",
				end[0]->number);
	i = end[0]->number > end[1]->number;
	link->node = end[i]->number;
	link->peer = end[!i]->number;
	link->rail = PRPHOSTS_ALL_RAILS;
	if (edit->argc == 4) {
		status = parse_rail(edit->argv[3], &link->rail);
		if (status)
			return status;
	}
	i = snprintf(edit->what, sizeof(edit->what), "link %u %u", link->node,
		     link->peer);
	if (link->rail != PRPHOSTS_ALL_RAILS)
		snprintf(edit->what + i, sizeof(edit->what) - i, " rail %d",
			 link->rail);
	return EXIT_OK;
}

static struct prphosts_link *find_link(const struct table *table,
				       const struct prphosts_link *link)
{
	return bsearch(link, table->link, table->links, sizeof(*link),
		       prphosts_link_compare);
}

/* A link of all rails beside one of a single rail is what no file may have. */
static int check_overlap(const struct table *table,
			 const struct prphosts_link *link)
{
	bool all_now = link->rail == PRPHOSTS_ALL_RAILS;
	size_t i;

	for (i = 0; i < table->links; i++) {
		const struct prphosts_link *old = &table->link[i];
		bool all = old->rail == PRPHOSTS_ALL_RAILS;

		if (old->node != link->node || old->peer != link->peer ||
		    all == all_now)
			continue;
		return out_fail(EXIT_SYNTAX,
				"hosts %u and %u are linked on %s already",
				old->node, old->peer,
				all ? "all rails" : "single rails");
	}
	return EXIT_OK;
}

static int plan_link_add(struct edit *edit)
{
	struct prphosts_link link = { 0 };
	int status;

	status = parse_link(edit, &link);
	if (!status)
		status = check_overlap(&edit->table, &link);
	if (status)
		return status;
	free(edit->link);
	edit->link = malloc(sizeof(link));
	if (!edit->link)
		return out_fail(EXIT_SYNTAX, "no memory");
	*edit->link = link;
	edit->change.link = edit->link;
	edit->change.links = 1;
	return EXIT_OK;
}

/* The kernel removes all links or none: all but one are added again. */
static int plan_link_del(struct edit *edit)
{
	struct table *table = &edit->table;
	struct prphosts_link link = { 0 }, *found;
	int status;

	status = parse_link(edit, &link);
	if (status)
		return status;
	found = table->links ? find_link(table, &link) : NULL;
	if (!found)
		return out_fail(EXIT_SYNTAX, "there is no %s", edit->what);
	memmove(found, found + 1,
		(table->link + table->links - found - 1) * sizeof(*found));
	edit->change.flush_links = true;
	edit->change.link = table->link;
	edit->change.links = table->links - 1;
	return EXIT_OK;
}

/**
 * hosts_link() - prpctl hosts link
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int hosts_link(int argc, char **argv)
{
	struct edit edit = { .argv = argv + 1, .argc = argc - 1 };

	if (!argc)
		return out_fail(EXIT_SYNTAX, "\"add\" or \"del\" is missing");
	if (!strcmp(argv[0], "add"))
		edit.plan = plan_link_add;
	else if (!strcmp(argv[0], "del"))
		edit.plan = plan_link_del;
	else
		return command_not_understood(argv[0]);
	if (edit.argc != 2 && edit.argc != 4)
		return out_fail(EXIT_SYNTAX,
				"a link is \"HOST HOST [rail NUMBER]\"");
	if (edit.argc == 4 && strcmp(edit.argv[2], "rail"))
		return command_not_understood(edit.argv[2]);
	return run(&edit, edit.plan == plan_link_add ? "added" : "removed");
}
