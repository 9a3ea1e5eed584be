// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl access setup: brings a file into the kernel's access list. What the
 * file has is added before what it has not is removed, so that no port is open
 * to all in between.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/access_setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "hosts/file.h"
#include "hosts/slice.h"
#include "kernel/ask.h"
#include "prpctl.h"
#include "show/access_entry.h"
#include "show/out.h"
#include "show/signals.h"

#define WORD_LEN 128 /* no word of an entry is as long */

/**
 * struct entries - a list
 * @entry: entries, in no order
 * @count: how many
 */
struct entries {
	struct access_entry *entry;
	size_t count;
};

/* What is asked for, and what there is */
struct request {
	const char *path;
	const char *hosts_path;
	struct prphosts hosts;
	struct entries wanted;
	struct entries there;
};

const struct option access_setup_options[] = {
	{ "file", required_argument, NULL, 'f' },
	{ "hosts", required_argument, NULL, 'H' },
	{ 0 }
};

static int parse_request(int argc, char **argv, struct request *request)
{
	int option;

	request->path = PRPACCESS_PATH;
	request->hosts_path = PRPHOSTS_PATH;
	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "+f:H:", access_setup_options,
				     NULL)) != -1) {
		if (option == 'f')
			request->path = optarg;
		else if (option == 'H')
			request->hosts_path = optarg;
		else
			return command_refuse_option(argv[optind - 1]);
	}
	if (optind < argc)
		return command_not_understood(argv[optind]);
	return EXIT_OK;
}

/* ---- lists ---- */

static int append(struct entries *list, const struct access_entry *entry)
{
	struct access_entry *more;

	more = reallocarray(list->entry, list->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->entry = more;
	list->entry[list->count++] = *entry;
	return 0;
}

static bool has(const struct entries *list, const struct access_entry *entry)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->entry[i].low == entry->low &&
		    list->entry[i].high == entry->high &&
		    list->entry[i].node == entry->node &&
		    list->entry[i].direction == entry->direction)
			return true;
	return false;
}

static int take_entry(const struct nlmsghdr *nlh, void *data)
{
	struct access_entry entry;

	access_take(nlh, &entry);
	return append(data, &entry);
}

/* ---- the file ---- */

/* Return: the next word of a line, empty at its end. */
static struct slice next_word(struct slice *rest)
{
	static const char blanks[] = " \t\r\v\f";
	struct slice word;

	while (rest->len && memchr(blanks, *rest->at, sizeof(blanks) - 1))
		rest->at++, rest->len--;
	word = (struct slice){ rest->at, 0 };
	while (rest->len && !memchr(blanks, *rest->at, sizeof(blanks) - 1))
		rest->at++, rest->len--, word.len++;
	return word;
}

/* Return: whether it could be a word of an entry; then it is in @copy. */
static bool copy_word(struct slice word, char copy[WORD_LEN])
{
	size_t i;

	for (i = 0; i < word.len && i < WORD_LEN - 1; i++)
		if (word.at[i] > ' ' && word.at[i] <= '~')
			copy[i] = word.at[i];
		else
			return false;
	copy[i] = 0;
	return i == word.len;
}

/* Return: where the line is wrong, or NULL; then @entry is what it says. */
static const char *parse_words(const struct slice word[4],
			       const struct table *table,
			       struct access_entry *entry, char *why,
			       size_t len)
{
	char copy[3][WORD_LEN];
	int i;

	if (!word[1].len || word[3].len) {
		snprintf(why, len, "a line is \"PORT[-PORT] HOST [in | out]\"");
		return word[word[3].len ? 3 : 0].at;
	}
	for (i = 0; i < 3; i++) {
		if (copy_word(word[i], copy[i]))
			continue;
		snprintf(why, len, "\"%s\" is not understood",
			 slice_quote(word[i]).text);
		return word[i].at;
	}
	if (access_ports(copy[0], entry, why, len))
		return word[0].at;
	if (access_host(table, copy[1], entry, why, len))
		return word[1].at;
	if (word[2].len && access_direction(copy[2], entry, why, len))
		return word[2].at;
	return NULL;
}

static int parse_line(struct request *request, struct slice line,
		      unsigned int number)
{
	const char *comment = memchr(line.at, '#', line.len);
	const struct table table = { .node = request->hosts.node,
				     .nodes = request->hosts.nodes };
	struct slice word[4], rest = line;
	struct access_entry entry = { 0 };
	char why[WORD_LEN + 64];
	const char *at;
	int i;

	if (comment)
		rest.len = comment - rest.at;
	for (i = 0; i < 4; i++)
		word[i] = next_word(&rest);
	if (!word[0].len)
		return EXIT_OK;
	at = parse_words(word, &table, &entry, why, sizeof(why));
	if (at) {
		out_fail_line(request->path, number, at - line.at + 1, why);
		return EXIT_SYNTAX;
	}
	if (!has(&request->wanted, &entry) && append(&request->wanted, &entry))
		return out_fail(EXIT_SYNTAX, "%s: no memory", request->path);
	return EXIT_OK;
}

/* All lines are looked at, whatever is wrong with some of them. */
static int parse_file(struct request *request)
{
	int status = EXIT_OK;
	unsigned int line = 0;
	struct slice rest;
	char *text;

	/* As there is no list without one, there need be no file. */
	if (!strcmp(request->path, PRPACCESS_PATH) &&
	    access(request->path, F_OK) && errno == ENOENT)
		return EXIT_OK;
	text = file_read(request->path, &rest.len);
	if (!text)
		return EXIT_SYNTAX;
	rest.at = text;
	slice_skip_mark(&rest);
	while (rest.len) {
		const char *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;

		if (parse_line(request, (struct slice){ rest.at, len }, ++line))
			status = EXIT_SYNTAX;
		rest.at += len + !!end;
		rest.len -= len + !!end;
	}
	free(text);
	return status;
}

/* ---- the kernel ---- */

static int fetch(struct nl *nl, struct entries *there)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_ACCESS_GET, NLM_F_DUMP);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_entry, there);
	return err ? ask_refused(nl, err, "reading the access list") : EXIT_OK;
}

/*
 * Has done with all entries of a list that another one lacks. Return: exit
 * status; @count is how many are done.
 */
static int change_all(struct nl *nl, uint8_t command,
		      const struct entries *list, const struct entries *other,
		      unsigned int *count)
{
	int status = EXIT_OK;
	char what[64];
	size_t i;

	for (i = 0; !status && i < list->count; i++) {
		const struct access_entry *entry = &list->entry[i];

		if (has(other, entry))
			continue;
		snprintf(what, sizeof(what), "access %u-%u %u %s", entry->low,
			 entry->high, entry->node,
			 entry->direction == PRP_DIRECTION_OUT ? "out" : "in");
		status = access_request(nl, command, entry, what);
		*count += !status;
	}
	return status;
}

/* Between the two lists are those whom one of them lets in, and no others. */
static int bring(struct nl *nl, const struct entries *from,
		 const struct entries *to, unsigned int *added,
		 unsigned int *removed)
{
	int status;

	status = change_all(nl, PRP_CMD_ACCESS_ADD, to, from, added);
	return status ? status :
			change_all(nl, PRP_CMD_ACCESS_DEL, from, to, removed);
}

/* What the kernel refuses half of leaves the list that was there. */
static void bring_back(struct nl *nl, const struct entries *there)
{
	unsigned int added = 0, removed = 0;
	struct entries now = { 0 };

	if (!fetch(nl, &now))
		bring(nl, &now, there, &added, &removed);
	free(now.entry);
}

static int confirm(const struct request *request)
{
	size_t count = request->there.count;

	if (options.force || request->wanted.count || !count)
		return EXIT_OK;
	return out_fail(EXIT_SYNTAX,
			"%s is empty: all %zu entries would go; see --force",
			request->path, count);
}

static int set_up(struct nl *nl, struct request *request)
{
	unsigned int added = 0, removed = 0;
	int status;

	status = fetch(nl, &request->there);
	if (!status)
		status = confirm(request);
	if (status)
		return status;
	signals_hold();
	status = bring(nl, &request->there, &request->wanted, &added, &removed);
	if (status) {
		bring_back(nl, &request->there);
		return status;
	}
	out_text("%zu entr%s: %u added, %u removed\n", request->wanted.count,
		 request->wanted.count == 1 ? "y" : "ies", added, removed);
	out_number("entries", request->wanted.count, OUT_JSON_ONLY);
	out_number("added", added, OUT_JSON_ONLY);
	out_number("removed", removed, OUT_JSON_ONLY);
	return EXIT_OK;
}

/**
 * access_setup() - prpctl access setup
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int access_setup(int argc, char **argv)
{
	struct request request = { 0 };
	struct nl nl = { 0 };
	int status;

	status = parse_request(argc, argv, &request);
	if (!status)
		status = file_load(request.hosts_path, &request.hosts);
	if (!status)
		status = parse_file(&request);
	if (!status)
		status = ask_open(&nl);
	if (!status)
		status = set_up(&nl, &request);
	nl_close(&nl);
	prphosts_free(&request.hosts);
	free(request.wanted.entry);
	free(request.there.entry);
	return status;
}
