/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that prpctl says. The same calls make text and JSON; JSON is
 * held back until the end, so that standard output has one valid object
 * with what went well or with what went wrong.
 */
#ifndef _PRPCTL_OUT_H
#define _PRPCTL_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* Exit status */
enum {
	EXIT_OK = 0,
	EXIT_SYNTAX = 1, /* command line or file */
	EXIT_KERNEL = 2, /* the kernel refused */
};

#define OUT_JSON_ONLY 0 /* width: leave it out of the text */
#define OUT_LAST -1 /* width: last cell of its row */
#define OUT_CELL -2 /* width: next cell of out_columns() */

/* Colours, where there are any */
enum paint { PAINT_NONE, PAINT_GOOD, PAINT_DOUBT, PAINT_BAD };

void out_form(bool json, bool pretty, bool brief, bool color);
void out_place(const char *file, unsigned int line);
bool out_is_json(void);
int out_finish(int status);

void out_lines(void);
void out_line_end(void);
bool out_is_lost(void);

void out_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void out_columns(const char *const *heads);
void out_columns_brief(const char *const *heads, unsigned int brief);
void out_paint(enum paint paint);
void out_cell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void out_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void out_columns_end(void);
void out_object(const char *key);
void out_array(const char *key);
void out_end(void);
void out_string(const char *key, const char *value, int width);
void out_number(const char *key, uint64_t value, int width);
void out_bool(const char *key, bool value);
void out_null(const char *key);
void out_dash(const char *key);

void out_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
int out_fail(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void out_fail_line(const char *file, unsigned int line, unsigned int column,
		   const char *text);

#endif /* _PRPCTL_OUT_H */
