// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts discover: a host file from the machines that say on a device who
 * they are. What the file has already stays: hosts keep their numbers, those
 * that are silent, this one too, are kept, and lines that do not change are not
 * touched.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "command.h"
#include "hosts/file.h"
#include "hosts/hosts_discover.h"
#include "kernel/ask.h"
#include "kernel/discover.h"
#include "prpctl.h"
#include "show/out.h"
#include "show/print.h"

/* What is asked for, and what came of it */
struct request {
	const char *path;
	const char *ifname;
	bool write;
	char *text; /* of the file */
	size_t len;
	struct prphosts hosts;
	struct prphosts_node *found; /* that answered */
	size_t count;
	size_t room;
	bool self; /* this machine is among them */
};

/* ---- answers ---- */

static bool shares_address(const struct prphosts_node *a,
			   const struct prphosts_node *b)
{
	unsigned int r, s;

	for (r = 0; r < PRPHOSTS_RAILS; r++)
		for (s = 0; s < PRPHOSTS_RAILS; s++)
			if (a->rails & 1 << r && b->rails & 1 << s &&
			    !memcmp(a->addr[r], b->addr[s], 6))
				return true;
	return false;
}

static void add_found(struct request *request, const struct prphosts_node *node)
{
	struct prphosts_node *grown;
	size_t i;

	for (i = 0; i < request->count; i++)
		if (shares_address(&request->found[i], node))
			return; /* it has answered before, perhaps elsewhere */
	if (request->count == request->room) {
		request->room = request->room ? 2 * request->room : 64;
		grown = reallocarray(request->found, request->room,
				     sizeof(*grown));
		if (!grown)
			return;
		request->found = grown;
	}
	request->found[request->count++] = *node;
}

/* Nothing of what strangers say is believed that a host file would not take. */
static void take_answer(const char *where, const char *text, void *data)
{
	struct request *request = data;
	char line[DISCOVER_TEXT + 8];
	struct prphosts hosts = { 0 };
	int len;

	len = snprintf(line, sizeof(line), "1 %s\n", text);
	if (strpbrk(text, "\n\r#") || prphosts_parse(&hosts, line, len) ||
	    hosts.errors || hosts.nodes != 1)
		out_warn("%s says what is no line of a host file", where);
	else
		add_found(request, &hosts.node[0]);
	prphosts_free(&hosts);
}

/* This machine hears no question of its own. */
static void take_own(const char *where, const char *text, void *data)
{
	struct request *request = data;

	if (!strcmp(where, request->ifname) && !request->self) {
		request->self = true;
		take_answer(where, text, data);
	}
}

static const struct prphosts_node *
known_by_address(const struct prphosts *hosts,
		 const struct prphosts_node *found)
{
	size_t i;

	for (i = 0; i < hosts->nodes; i++)
		if (shares_address(&hosts->node[i], found))
			return &hosts->node[i];
	return NULL;
}

/* Only a name and one device are known of a machine that says nothing. */
static int guess_own(struct request *request)
{
	char text[DISCOVER_TEXT];
	int err = discover_line(text, NULL, &request->ifname, 1);

	if (!err)
		take_answer(request->ifname, text, request);
	return err;
}

/* So the file, if it has this machine, knows more. */
static void keep_own(struct request *request, struct prphosts_node *own)
{
	const struct prphosts_node *known =
		known_by_address(&request->hosts, own);

	if (known)
		*own = *known;
}

static int ask_all(struct request *request)
{
	unsigned int ifindex = if_nametoindex(request->ifname);
	bool guessed = false;
	struct nl nl;
	int err = 0;

	if (!ifindex)
		return out_fail(EXIT_SYNTAX, "\"%s\" is no device here",
				request->ifname);
	if (!nl_open_prp(&nl)) {
		discover_fetch(&nl, take_own, request);
		nl_close(&nl);
	}
	if (!request->self) {
		err = guess_own(request);
		guessed = request->count;
	}
	if (!err)
		err = discover_ask(ifindex, take_answer, request);
	if (err == -EPERM)
		return out_fail(EXIT_KERNEL, "asking needs CAP_NET_RAW");
	if (err)
		return out_fail(EXIT_KERNEL, "%s: %s", request->ifname,
				strerror(-err));
	if (guessed)
		keep_own(request, request->found);
	return EXIT_OK;
}

/* ---- what the file becomes ---- */

static const struct prphosts_node *
known_by_name(const struct prphosts *hosts, const struct prphosts_node *found)
{
	size_t i;

	for (i = 0; i < hosts->nodes; i++)
		if (!strcmp(hosts->node[i].name, found->name))
			return &hosts->node[i];
	return NULL;
}

static bool is_taken(const struct request *request, uint16_t number)
{
	size_t i;

	for (i = 0; i < request->hosts.nodes; i++)
		if (request->hosts.node[i].number == number)
			return true;
	for (i = 0; i < request->count; i++)
		if (request->found[i].number == number)
			return true;
	return false;
}

static int by_name(const void *left, const void *right)
{
	const struct prphosts_node *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static const struct prphosts_node *find_number(const struct prphosts_node *node,
					       size_t count, uint16_t number)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (node[i].number == number)
			return &node[i];
	return NULL;
}

static void be_known(struct prphosts_node *found,
		     const struct prphosts_node *known)
{
	found->number = known ? known->number : 0;
	found->line = known ? known->line : 0;
}

/*
 * Who has an address of a host in the file is that host; a name, which a copy
 * of a machine has, too, says less, and only of a host that nobody else is.
 */
static void know(struct request *request)
{
	const struct prphosts_node *known;
	struct prphosts_node *found;
	size_t i;

	for (i = 0; i < request->count; i++) {
		found = &request->found[i];
		be_known(found, known_by_address(&request->hosts, found));
	}
	for (i = 0; i < request->count; i++) {
		found = &request->found[i];
		if (found->number)
			continue;
		known = known_by_name(&request->hosts, found);
		if (known &&
		    !find_number(request->found, request->count, known->number))
			be_known(found, known);
	}
}

/* Which of two that have addresses of one host would it be? */
static int refuse_two(const struct request *request)
{
	const struct prphosts_node *a, *b, *known;
	size_t i;

	for (i = 0; i < request->count; i++) {
		b = &request->found[i];
		a = find_number(request->found, i, b->number);
		if (!b->number || !a)
			continue;
		known = find_number(request->hosts.node, request->hosts.nodes,
				    b->number);
		return out_fail(EXIT_SYNTAX,
				"%s:%u: %s and %s both have addresses of %s",
				request->path, known->line, a->name, b->name,
				known->name);
	}
	return EXIT_OK;
}

/* Those that are new get the lowest numbers that are free, by their names. */
static int give_numbers(struct request *request)
{
	uint16_t next = 1;
	int status;
	size_t i;

	qsort(request->found, request->count, sizeof(*request->found), by_name);
	know(request);
	status = refuse_two(request);
	for (i = 0; i < request->count && !status; i++) {
		if (request->found[i].number)
			continue;
		while (is_taken(request, next))
			next++;
		request->found[i].number = next;
	}
	return status;
}

/* Without what ends it */
static void put_host(FILE *to, const struct prphosts_node *node)
{
	char macs[PRPHOSTS_RAILS * MAC_LEN], ip[INET6_ADDRSTRLEN];
	unsigned int i;

	fprintf(to, "%u\t%s\t%s", node->number, node->name,
		print_macs(macs, node));
	for (i = 0; i < node->ip_count; i++)
		fprintf(to, "%c%s", i ? ' ' : '\t', print_ip(ip, node->ip[i]));
}

/* With the comment of the line that was there, and its end */
static void put_changed(FILE *to, const struct prphosts_node *node,
			const char *line, size_t len)
{
	const char *comment = memchr(line, '#', len), *end = line + len;

	put_host(to, node);
	if (comment) {
		fputc(' ', to);
		fwrite(comment, 1, end - comment, to);
	} else if (end[-1] == '\n') {
		fputc('\n', to);
	}
}

/* The lines of the file, those that change in their places, then the new ones
 */
static void put_file(FILE *to, const struct request *request)
{
	const struct prphosts_node *old, *new;
	const char *at = request->text, *end = at + request->len, *next;
	unsigned int line = 1;
	size_t i;

	for (; at < end; at = next, line++) {
		next = memchr(at, '\n', end - at);
		next = next ? next + 1 : end;
		new = NULL;
		for (i = 0; i < request->count; i++)
			if (request->found[i].line == line)
				new = &request->found[i];
		old = new ? find_number(request->hosts.node,
					request->hosts.nodes, new->number) :
			    NULL;
		if (new && !prphosts_same(old, new))
			put_changed(to, new, at, next - at);
		else
			fwrite(at, 1, next - at, to);
	}
	if (request->len && request->text[request->len - 1] != '\n')
		fputc('\n', to);
	for (i = 0; i < request->count; i++) {
		if (request->found[i].line)
			continue;
		put_host(to, &request->found[i]);
		fputc('\n', to);
	}
}

static void show(const struct request *request)
{
	size_t i, added = 0, changed = 0, silent = 0;
	const struct prphosts_node *old, *new;
	struct widths w = { 0 };

	for (i = 0; i < request->count; i++)
		print_widen(&w, &request->found[i]);
	out_array("changes");
	for (i = 0; i < request->count; i++) {
		new = &request->found[i];
		old = find_number(request->hosts.node, request->hosts.nodes,
				  new->number);
		if (old && prphosts_same(old, new))
			continue;
		added += !old;
		changed += !!old;
		out_object(NULL);
		out_string("change", old ? "changed" : "added", OUT_JSON_ONLY);
		if (old) {
			out_text("- ");
			print_host("old", old, false, &w);
		}
		out_text("+ ");
		print_host("new", new, false, &w);
		out_end();
	}
	out_end();
	out_array("silent");
	for (i = 0; i < request->hosts.nodes; i++) {
		old = &request->hosts.node[i];
		if (find_number(request->found, request->count, old->number))
			continue;
		silent++;
		out_text("# %u %s did not answer, and is kept\n", old->number,
			 old->name);
		out_number(NULL, old->number, OUT_JSON_ONLY);
	}
	out_end();
	out_number("answered", request->count, OUT_JSON_ONLY);
	out_bool("written", request->write);
	out_text("%zu answered: %zu added, %zu changed, %zu as they were; %zu silent",
		 request->count, added, changed,
		 request->count - added - changed, silent);
	out_text(request->write ? "; %s is written\n" :
				  "; %s is not written: --write does that\n",
		 request->path);
}

/* ---- the file ---- */

/* It need not be there yet. */
static int load(struct request *request)
{
	struct stat stat_buf;

	if (stat(request->path, &stat_buf) && errno == ENOENT)
		return EXIT_OK;
	request->text = file_read(request->path, &request->len);
	if (!request->text)
		return EXIT_SYNTAX;
	return file_parse(request->path, &request->hosts, request->text,
			  request->len);
}

/* Two machines may say that they have the same name. */
static int check(const struct request *request, const char *text, size_t len)
{
	struct prphosts hosts = { 0 };
	int status = EXIT_OK;
	size_t i;

	if (prphosts_parse(&hosts, text, len))
		status = out_fail(EXIT_KERNEL, "no memory");
	for (i = 0; i < hosts.errors; i++) {
		out_fail_line(request->path, hosts.error[i].line,
			      hosts.error[i].column, hosts.error[i].text);
		status = EXIT_SYNTAX;
	}
	prphosts_free(&hosts);
	return status;
}

/* As the old one is, or a new one is by umask(2) */
static int take_after(int fd, const struct stat *old)
{
	mode_t mask;

	if (old)
		return fchown(fd, old->st_uid, old->st_gid) ||
		       fchmod(fd, old->st_mode & 07777);
	mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

static int put_text(int fd, const char *text, size_t len)
{
	FILE *to = fdopen(fd, "w");
	int err = 0;

	if (!to || fwrite(text, 1, len, to) != len || fflush(to) || fsync(fd))
		err = -errno;
	if ((to ? fclose(to) : close(fd)) && !err)
		err = -errno;
	return err;
}

/* All of it or nothing: in a file of no other name's, beside the old one. */
static int put_beside(const char *path, const char *text, size_t len)
{
	struct stat old;
	bool there = !stat(path, &old);
	char *beside;
	int fd, err;

	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(beside);
		return err;
	}
	err = take_after(fd, there ? &old : NULL) ? -errno : 0;
	if (err)
		close(fd);
	else
		err = put_text(fd, text, len);
	if (!err && rename(beside, path))
		err = -errno;
	if (err)
		unlink(beside);
	free(beside);
	return err;
}

/* A link stays, and what it points to is another file. */
static int replace(const char *path, const char *text, size_t len)
{
	char *real = realpath(path, NULL);
	int err = put_beside(real ? real : path, text, len);

	free(real);
	return err ? out_fail(EXIT_KERNEL, "%s: %s", path, strerror(-err)) :
		     EXIT_OK;
}

static int make_file(const struct request *request)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int status;

	if (!to)
		return out_fail(EXIT_KERNEL, "no memory");
	put_file(to, request);
	fclose(to);
	status = check(request, text, len);
	if (!status && request->write)
		status = replace(request->path, text, len);
	free(text);
	return status;
}

static int parse(int argc, char **argv, struct request *request)
{
	static const struct option options[] = {
		{ "file", required_argument, NULL, 'f' },
		{ "write", no_argument, NULL, 'w' },
		{ 0 }
	};
	int option;

	request->path = PRPHOSTS_PATH;
	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "f:", options, NULL)) != -1) {
		if (option == 'f')
			request->path = optarg;
		else if (option == 'w')
			request->write = true;
		else
			return command_refuse_option(argv[optind - 1]);
	}
	if (optind == argc)
		return out_fail(EXIT_SYNTAX, "DEV is missing");
	if (optind + 1 < argc)
		return command_not_understood(argv[optind + 1]);
	request->ifname = argv[optind];
	return EXIT_OK;
}

/**
 * hosts_discover() - prpctl hosts discover
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int hosts_discover(int argc, char **argv)
{
	struct request request = { 0 };
	int status;

	status = parse(argc, argv, &request);
	if (!status)
		status = load(&request);
	if (!status)
		status = ask_all(&request);
	if (!status)
		status = give_numbers(&request);
	if (!status)
		status = make_file(&request);
	if (!status)
		show(&request);
	prphosts_free(&request.hosts);
	free(request.text);
	free(request.found);
	return status;
}
