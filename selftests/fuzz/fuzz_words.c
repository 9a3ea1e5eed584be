// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl's command line: the first line of the input are its words, what
 * follows is the file that it is told to read, and what follows on a zero
 * is what the kernel answers.
 */
#include <getopt.h>
#include <string.h>

#include "hosts/file.h"
#include "kernel.h"
#include "kernel/procs.h"
#include "kernel/table.h"

/* main.c, under another name */
#define main prpctl_main
#include "main.c"
#undef main

#define WORDS 24

static const char *file;
static size_t file_len;

/* ---- what stands for files ---- */

static const char known[] = "1 alpha 52:54:00:00:00:01 10.0.0.1 fe80::1\n"
			    "2 beta 52:54:00:00:00:02 10.0.0.2\n"
			    "65534 omega 52:54:00:00:00:07\n";

char *file_read(const char *path, size_t *len)
{
	char *copy = malloc(file_len ?: 1);

	must(path && copy);
	memcpy(copy, file, file_len);
	*len = file_len;
	return copy;
}

int file_parse(const char *path, struct prphosts *hosts, const char *text,
	       size_t len)
{
	must(path && !prphosts_parse(hosts, text, len));
	return hosts->errors ? EXIT_SYNTAX : EXIT_OK;
}

int file_load(const char *path, struct prphosts *hosts)
{
	if (!strcmp(path, "known"))
		return file_parse(path, hosts, known, strlen(known));
	return file_parse(path, hosts, file, file_len);
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

/* The file, and what the kernel knows */
static void take_rest(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *zero = at < end ? memchr(at, 0, end - at) : NULL;

	file = (const char *)at;
	file_len = (zero ?: end) - at;
	kernel_knows.at = zero ? zero + 1 : end;
	kernel_knows.left = end - kernel_knows.at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	char *line = strndup((const char *)data, len), *word;
	char *argv[WORDS + 2] = { "prpctl" };
	int argc = 1;

	take_rest(end ? end + 1 : data + size, data + size);
	for (word = strtok(line, " "); word && argc <= WORDS;
	     word = strtok(NULL, " ")) {
		check_meaning(word);
		argv[argc++] = word;
		/* another namespace is not for us, nor a file to run */
		if (!strcmp(word, "top"))
			goto out; /* it takes its time */
		if (*word == '-' && word[strcspn(word, "nb")] &&
		    strcmp(word, "-br"))
			goto out;
	}
	optind = 0;
	options = (struct options){ 0 };
	prpctl_main(argc, argv);
out:
	free(line);
	return 0;
}
