// SPDX-License-Identifier: GPL-2.0
/*
 * The emitter of text and JSON, and of warnings and errors.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/out.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/columns.h"
#include "show/json.h"

#define NOTE_LEN 512
#define CELL_LEN 1024

/* A warning or an error, repeated at the end of the JSON */
struct note {
	struct note *next;
	const char *file; /* or NULL */
	unsigned int line;
	unsigned int column;
	bool error;
	char text[NOTE_LEN];
};

static struct {
	bool json;
	bool brief; /* lists have what matters most, and no heads */
	bool color;
	bool lines; /* an object is out when it ends */
	enum paint paint; /* of the next cell */
	struct note *first, **last;
	bool failed;
	const char *file; /* whose lines are commands, or NULL */
	unsigned int line;
} out = { .last = &out.first };

/**
 * out_form() - choose the form of the output, before any of it
 * @json: JSON, not text
 * @pretty: JSON on several lines
 * @brief: lists have what matters most, and no heads
 * @color: there are colours
 */
void out_form(bool json, bool pretty, bool brief, bool color)
{
	out.json = json;
	out.brief = brief;
	out.color = color;
	if (json)
		json_begin(pretty);
}

/**
 * out_place() - the command is a line of a file
 * @file: name of the file, which stays valid
 * @line: number of the line
 */
void out_place(const char *file, unsigned int line)
{
	out.file = file;
	out.line = line;
}

/**
 * out_is_json() - is JSON wanted
 *
 * Return: whether it is.
 */
bool out_is_json(void)
{
	return out.json;
}

/**
 * out_lines() - print what happens when it happens
 *
 * From here on the JSON is one object a line; the next one begins where
 * out_line_end() ends one.
 */
void out_lines(void)
{
	out.lines = true;
}

/**
 * out_line_end() - a line is complete
 *
 * Only after out_lines().
 */
void out_line_end(void)
{
	if (out.json) {
		json_print();
		json_restart();
	} else {
		putchar('\n');
	}
	fflush(stdout);
}

/**
 * out_is_lost() - can nobody read what is printed any more
 *
 * Return: whether something could not be written; out_finish() says so.
 */
bool out_is_lost(void)
{
	return ferror(stdout);
}

/**
 * out_object() - begin an object of the JSON
 * @key: its key, NULL in an array
 */
void out_object(const char *key)
{
	if (out.json)
		json_open(key, "{}");
}

/**
 * out_array() - begin an array of the JSON
 * @key: its key, NULL in an array
 */
void out_array(const char *key)
{
	if (out.json)
		json_open(key, "[]");
}

/**
 * out_end() - end the object or array of the JSON that was begun last
 */
void out_end(void)
{
	if (out.json)
		json_close();
}

/**
 * out_text() - print what is for people only
 * @format: as printf() has it
 */
void out_text(const char *format, ...)
{
	va_list args;

	if (out.json)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

/**
 * out_columns() - begin a list for people only
 * @heads: what stands above its columns, then NULL
 *
 * Its cells are what is put with the width OUT_CELL, out_cell() and
 * out_dash().
 */
void out_columns(const char *const *heads)
{
	out_columns_brief(heads, ~0U);
}

/**
 * out_columns_brief() - begin a list that may be a brief one
 * @heads: what stands above its columns, then NULL
 * @brief: bit c: column c is there in the brief form, too
 */
void out_columns_brief(const char *const *heads, unsigned int brief)
{
	if (!out.json)
		columns_begin(heads, out.brief ? brief : ~0U, !out.brief,
			      out.color);
}

/**
 * out_paint() - have the next cell of the list in a colour, where there are
 * colours
 * @paint: which
 */
void out_paint(enum paint paint)
{
	out.paint = paint;
}

static void put_column(const char *text)
{
	if (!out.json)
		columns_cell(text, out.paint);
	out.paint = PAINT_NONE;
}

/**
 * out_cell() - put a cell of the list that is for people only
 * @format: as printf() has it
 */
void out_cell(const char *format, ...)
{
	char text[CELL_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_column(text);
}

/**
 * out_note() - put a line below a row of the list, for people only
 * @format: as printf() has it
 */
void out_note(const char *format, ...)
{
	char text[CELL_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!out.json && !out.brief)
		columns_note(text);
}

/**
 * out_columns_end() - print the list
 */
void out_columns_end(void)
{
	if (!out.json)
		columns_end();
}

static void put_cell(const char *value, int width)
{
	if (width > 0)
		printf("%-*s  ", width, value);
	else if (width == OUT_LAST)
		printf("%s\n", value);
	else if (width == OUT_CELL)
		put_column(value);
}

/**
 * out_string() - print a string
 * @key: its key in the JSON, NULL in an array
 * @value: the string
 * @width: of its cell in the text, OUT_LAST, OUT_CELL or OUT_JSON_ONLY
 */
void out_string(const char *key, const char *value, int width)
{
	if (out.json)
		json_string(key, value);
	else
		put_cell(value, width);
}

/**
 * out_number() - print a number
 * @key: its key in the JSON, NULL in an array
 * @value: the number
 * @width: of its cell in the text, OUT_LAST, OUT_CELL or OUT_JSON_ONLY
 */
void out_number(const char *key, uint64_t value, int width)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	if (out.json)
		json_word(key, text);
	else
		put_cell(text, width);
}

/**
 * out_bool() - put true or false into the JSON
 * @key: its key, NULL in an array
 * @value: which
 */
void out_bool(const char *key, bool value)
{
	if (out.json)
		json_word(key, value ? "true" : "false");
}

/**
 * out_null() - put null into the JSON
 * @key: its key, NULL in an array
 */
void out_null(const char *key)
{
	if (out.json)
		json_word(key, "null");
}

/**
 * out_dash() - put null into the JSON and a cell "-" into the list
 * @key: its key, NULL in an array
 */
void out_dash(const char *key)
{
	out_null(key);
	out_cell("-");
}

static struct note *note_new(bool error)
{
	struct note *note = calloc(1, sizeof(*note));

	if (!note)
		abort();
	note->error = error;
	note->file = out.file;
	note->line = out.line;
	out.failed |= error;
	*out.last = note;
	out.last = &note->next;
	return note;
}

/* For ever there would be too many: what has no end keeps the last one. */
static void notes_drop(void)
{
	struct note *note;

	while (out.first) {
		note = out.first;
		out.first = note->next;
		free(note);
	}
	out.last = &out.first;
}

/* Standard error, after what was printed so far: who speaks, of which line */
static void begin_line(const char *who)
{
	fflush(stdout);
	fputs(who, stderr);
	if (out.file)
		fprintf(stderr, "%s:%u: ", out.file, out.line);
}

/**
 * out_warn() - tell what may be wrong
 * @format: as printf() has it; one line
 */
void out_warn(const char *format, ...)
{
	struct note *note;
	va_list args;

	if (out.lines)
		notes_drop();
	note = note_new(false);
	va_start(args, format);
	vsnprintf(note->text, sizeof(note->text), format, args);
	va_end(args);
	begin_line("prpctl: ");
	fprintf(stderr, "warning: %s\n", note->text);
}

/**
 * out_fail() - tell what is wrong
 * @status: exit status that this leads to
 * @format: as printf() has it; one line
 *
 * Return: @status.
 */
int out_fail(int status, const char *format, ...)
{
	struct note *note = note_new(true);
	va_list args;

	va_start(args, format);
	vsnprintf(note->text, sizeof(note->text), format, args);
	va_end(args);
	begin_line("prpctl: ");
	fprintf(stderr, "%s\n", note->text);
	return status;
}

/**
 * out_fail_line() - tell what is wrong with a line of a file
 * @file: name of the file, which stays valid
 * @line: number of the line
 * @column: where on the line
 * @text: what is wrong
 */
void out_fail_line(const char *file, unsigned int line, unsigned int column,
		   const char *text)
{
	struct note *note = note_new(true);

	note->file = file;
	note->line = line;
	note->column = column;
	snprintf(note->text, sizeof(note->text), "%s", text);
	begin_line("");
	fprintf(stderr, "%s:%u:%u: %s\n", file, line, column, text);
}

static void put_notes(const char *key, bool errors)
{
	const struct note *note;

	out_array(key);
	for (note = out.first; note; note = note->next) {
		if (note->error != errors)
			continue;
		out_object(NULL);
		if (note->file) {
			out_string("file", note->file, OUT_JSON_ONLY);
			out_number("line", note->line, OUT_JSON_ONLY);
			if (note->column)
				out_number("column", note->column,
					   OUT_JSON_ONLY);
		}
		out_string("text", note->text, OUT_JSON_ONLY);
		out_end();
	}
	out_end();
}

static void finish_json(void)
{
	if (out.failed)
		json_restart();
	put_notes("warnings", false);
	put_notes("errors", true);
	json_print();
}

/**
 * out_finish() - write out all that was held back
 * @status: exit status so far
 *
 * Return: exit status; not 0 if standard output could not be written.
 */
int out_finish(int status)
{
	if (out.json && (out.failed || !out.lines))
		finish_json();
	notes_drop();
	columns_drop(); /* one that an error has cut short */
	if (fflush(stdout) || ferror(stdout)) {
		perror("prpctl: standard output");
		return status ? status : EXIT_KERNEL;
	}
	return status;
}
