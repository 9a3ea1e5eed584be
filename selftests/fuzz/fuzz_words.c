// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl's command line: the first line of the input are its words, what
 * follows is the file that it is told to read. The kernel, which is not
 * there, agrees to everything and knows of nothing.
 */
#include <getopt.h>
#include <string.h>

#include "file.h"
#include "fuzz.h"
#include "nl.h"
#include "procs.h"
#include "table.h"

/* main.c, under another name */
#define main prpctl_main
#include "main.c"
#undef main

#define WORDS 24

static const char *file;
static size_t file_len;

/* ---- what stands for the kernel and for files ---- */

int nl_open(struct nl *nl, int bus)
{
	(void)bus;
	memset(nl, 0, sizeof(*nl));
	return 0;
}

int nl_open_prp(struct nl *nl)
{
	return nl_open(nl, 0);
}

void nl_close(struct nl *nl)
{
	(void)nl;
}

struct nlmsghdr *nl_request(struct nl *nl, void *buffer, uint16_t type,
			    uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = ++nl->seq;
	return nlh;
}

struct nlmsghdr *nl_request_genl(struct nl *nl, void *buffer, uint8_t command,
				 uint16_t flags)
{
	struct nlmsghdr *nlh = nl_request(nl, buffer, 0, flags);

	(void)command;
	mnl_nlmsg_put_extra_header(nlh, 4);
	return nlh;
}

int nl_listen(struct nl *nl)
{
	(void)nl;
	return -ENOENT;
}

int nl_receive(struct nl *nl, nl_message message, void *data)
{
	(void)nl;
	(void)message;
	(void)data;
	return -ENOENT;
}

int nl_talk(struct nl *nl, const void *requests, size_t len, nl_message message,
	    void *data)
{
	const struct nlmsghdr *nlh = requests;
	int left = len;

	(void)nl;
	(void)message;
	(void)data;
	/* what would be sent is a row of whole messages */
	while (left) {
		must(mnl_nlmsg_ok(nlh, left));
		nlh = mnl_nlmsg_next(nlh, &left);
	}
	return 0;
}

int file_load(const char *path, struct prphosts *hosts)
{
	(void)path;
	must(!prphosts_parse(hosts, file, file_len));
	return hosts->errors ? EXIT_SYNTAX : EXIT_OK;
}

int procs_fetch(struct procs *procs)
{
	memset(procs, 0, sizeof(*procs));
	return 0;
}

const struct proc *procs_find(const struct procs *procs, ino_t inode)
{
	(void)procs;
	(void)inode;
	return NULL;
}

/* ---- words that mean a host ---- */

static const char known[] = "1 alpha 52:54:00:00:00:01 10.0.0.1 fe80::1\n"
			    "2 beta 52:54:00:00:00:02 10.0.0.2\n"
			    "65534 omega 52:54:00:00:00:07\n";

static void check_meaning(const char *word)
{
	const struct prphosts_node *node;
	struct prphosts hosts;
	struct table table = { 0 };

	must(!prphosts_parse(&hosts, known, strlen(known)) && !hosts.errors);
	table.node = hosts.node;
	table.nodes = hosts.nodes;
	node = table_find(&table, word);
	if (node && word[strspn(word, "0123456789")] == 0)
		must(node->number == strtoul(word, NULL, 10));
	else if (node && !strpbrk(word, ".:"))
		must(!strcmp(node->name, word));
	prphosts_free(&hosts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	char *line = strndup((const char *)data, len), *word;
	char *argv[WORDS + 2] = { "prpctl" };
	int argc = 1;

	file = end ? (const char *)end + 1 : NULL;
	file_len = end ? size - len - 1 : 0;
	for (word = strtok(line, " "); word && argc <= WORDS;
	     word = strtok(NULL, " ")) {
		check_meaning(word);
		argv[argc++] = word;
		/* another namespace is not for us to enter */
		if (*word == '-' && strchr(word, 'n'))
			goto out;
	}
	optind = 0;
	prpctl_main(argc, argv);
out:
	free(line);
	return 0;
}
