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

/* Return: bytes of the character of UTF-8 that is there, 0 if there is none. */
static size_t utf8_len(const unsigned char *c)
{
	size_t i, len = c[0] < 0xc2 ? 0 :
			c[0] < 0xe0 ? 2 :
			c[0] < 0xf0 ? 3 :
			c[0] < 0xf5 ? 4 :
				      0;

	for (i = 1; i < len; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* longer than need be, half of a pair, more than there are */
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	return len;
}

static void put_quoted(const char *text)
{
	const unsigned char *c;
	size_t len;

	fputc('"', doc.stream);
	for (c = (const unsigned char *)text; *c; c++) {
		len = utf8_len(c);
		if (len) {
			fwrite(c, 1, len, doc.stream);
			c += len - 1;
		} else if (*c == '"' || *c == '\\') {
			fprintf(doc.stream, "\\%c", *c);
		} else if (*c < ' ' || *c > '~') {
			fprintf(doc.stream, "\\u%04x", *c);
		} else {
			fputc(*c, doc.stream);
		}
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
