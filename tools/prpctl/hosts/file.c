// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a prphosts(5) file, and reports what is wrong with it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "show/out.h"

#define FILE_LEN_MAX (64 << 20)

/* Return: the whole stream in memory, or NULL with errno set. */
static char *read_all(FILE *from, size_t *len)
{
	size_t room = 0, got;
	char *text = NULL, *bigger;

	*len = 0;
	do {
		room = room ? room * 2 : 65536;
		bigger = room > FILE_LEN_MAX ? NULL : realloc(text, room);
		if (!bigger) {
			free(text);
			errno = EFBIG;
			return NULL;
		}
		text = bigger;
		got = fread(text + *len, 1, room - *len, from);
		*len += got;
	} while (*len == room);
	if (ferror(from)) {
		free(text);
		return NULL;
	}
	return text;
}

/**
 * file_parse() - parse what was read, report all that is wrong with it
 * @path: name of the file
 * @hosts: zeroed; filled in; prphosts_free() it whatever this returns
 * @text: what was read
 * @len: its length, bytes
 *
 * Return: EXIT_OK or EXIT_SYNTAX.
 */
int file_parse(const char *path, struct prphosts *hosts, const char *text,
	       size_t len)
{
	size_t i;

	if (prphosts_parse(hosts, text, len))
		return out_fail(EXIT_SYNTAX, "%s: no memory", path);
	for (i = 0; i < hosts->errors; i++)
		out_fail_line(path, hosts->error[i].line,
			      hosts->error[i].column, hosts->error[i].text);
	return hosts->errors ? EXIT_SYNTAX : EXIT_OK;
}

/**
 * file_read() - read a whole file, or say why not
 * @path: its name, "-" for standard input
 * @len: set to its length, bytes
 *
 * Return: the text, which does not end with a zero, to be freed; or NULL.
 */
char *file_read(const char *path, size_t *len)
{
	bool standard = !strcmp(path, "-");
	char *text = NULL;
	FILE *from;

	/* It would seem to be empty, which is what removes everything. */
	if (standard && options.no_input) {
		out_fail(EXIT_SYNTAX, "-: standard input is in use already");
		return NULL;
	}
	from = standard ? stdin : fopen(path, "re");
	if (from)
		text = read_all(from, len);
	options.no_input |= standard;
	if (!text)
		out_fail(EXIT_SYNTAX, "%s: %s", path, strerror(errno));
	if (from && !standard)
		fclose(from);
	return text;
}

/**
 * file_load() - read and parse a file, report all that is wrong with it
 * @path: its name, "-" for standard input
 * @hosts: zeroed; filled in; prphosts_free() it whatever this returns
 *
 * Return: EXIT_OK or EXIT_SYNTAX.
 */
int file_load(const char *path, struct prphosts *hosts)
{
	size_t len;
	char *text = file_read(path, &len);
	int status;

	if (!text)
		return EXIT_SYNTAX;
	status = file_parse(path, hosts, text, len);
	free(text);
	return status;
}
