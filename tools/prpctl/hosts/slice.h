/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pieces of a text that ends nowhere. As pure as parse.h.
 */
#ifndef _PRPCTL_SLICE_H
#define _PRPCTL_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#define QUOTE_LEN 40 /* bytes of the file that an error may quote */

/**
 * struct slice - a piece of the text: not zero terminated
 * @at: its first byte
 * @len: its length, bytes
 */
struct slice {
	const char *at;
	size_t len;
};

/**
 * struct quote - a piece of the text that is safe to print
 * @text: its beginning, zero terminated
 */
struct quote {
	char text[QUOTE_LEN + 4];
};

struct quote slice_quote(struct slice s);
void slice_skip_mark(struct slice *text);
bool slice_is_digits(struct slice s);
bool slice_equals(struct slice s, const char *word);
long slice_number(struct slice s, long max);

/**
 * slice_is_digit() - is a character a decimal digit, whatever the locale
 * @c: the character
 *
 * Return: whether it is.
 */
static inline bool slice_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif /* _PRPCTL_SLICE_H */
