// SPDX-License-Identifier: GPL-2.0
/*
 * Writes JSON: braces, commas and quotes. What is in it is out.c's.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/json.h"

#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX 8

static struct {
	bool pretty;
	FILE *stream; /* into @memory */
	char *memory;
	size_t size;
	int depth;
	char close[DEPTH_MAX];
	bool filled[DEPTH_MAX];
} doc;

/**
 * json_begin() - begin the object
 * @pretty: on several lines
 */
void json_begin(bool pretty)
{
	doc.pretty = pretty;
	json_restart();
}

/**
 * json_restart() - forget all that was written and begin again
 */
void json_restart(void)
{
	if (doc.stream)
		fclose(doc.stream);
	free(doc.memory);
	doc.memory = NULL;
	doc.depth = 0;
	doc.stream = open_memstream(&doc.memory, &doc.size);
	if (!doc.stream)
		abort();
	json_open(NULL, "{}");
}

static void put_newline(void)
{
	if (doc.pretty)
		fprintf(doc.stream, "\n%*s", doc.depth * 2, "");
}

static void put_quoted(const char *text)
{
	const unsigned char *c;

	fputc('"', doc.stream);
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(doc.stream, "\\%c", *c);
		else if (*c < ' ' || *c > '~')
			fprintf(doc.stream, "\\u%04x", *c);
		else
			fputc(*c, doc.stream);
	}
	fputc('"', doc.stream);
}

/* Comma, new line and key before a value */
static void put_key(const char *key)
{
	if (doc.depth) {
		if (doc.filled[doc.depth - 1])
			fputc(',', doc.stream);
		doc.filled[doc.depth - 1] = true;
		put_newline();
	}
	if (key) {
		put_quoted(key);
		fputs(doc.pretty ? ": " : ":", doc.stream);
	}
}

/**
 * json_open() - begin an object or an array in what was begun last
 * @key: its key, NULL in an array
 * @braces: "{}" or "[]"
 */
void json_open(const char *key, const char *braces)
{
	put_key(key);
	if (doc.depth == DEPTH_MAX)
		abort();
	fputc(braces[0], doc.stream);
	doc.close[doc.depth] = braces[1];
	doc.filled[doc.depth] = false;
	doc.depth++;
}

/**
 * json_close() - end what was begun last
 */
void json_close(void)
{
	doc.depth--;
	if (doc.filled[doc.depth])
		put_newline();
	fputc(doc.close[doc.depth], doc.stream);
}

/**
 * json_string() - write a string
 * @key: its key, NULL in an array
 * @value: the string
 */
void json_string(const char *key, const char *value)
{
	put_key(key);
	put_quoted(value);
}

/**
 * json_word() - write a number, true, false or null
 * @key: its key, NULL in an array
 * @word: how it is written
 */
void json_word(const char *key, const char *word)
{
	put_key(key);
	fputs(word, doc.stream);
}

/**
 * json_print() - end all that was begun, and print the object
 */
void json_print(void)
{
	while (doc.depth)
		json_close();
	fclose(doc.stream);
	doc.stream = NULL;
	fwrite(doc.memory, 1, doc.size, stdout);
	putchar('\n');
}
