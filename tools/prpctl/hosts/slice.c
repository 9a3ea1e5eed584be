// SPDX-License-Identifier: GPL-2.0
/*
 * What can be asked of a piece of text.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/slice.h"

#include <string.h>

/**
 * slice_quote() - make a piece safe to print
 * @s: the piece
 *
 * Return: at most QUOTE_LEN bytes of it, the unprintable ones as "?".
 */
struct quote slice_quote(struct slice s)
{
	struct quote q;
	size_t i;

	for (i = 0; i < s.len && i < QUOTE_LEN; i++)
		q.text[i] = s.at[i] >= ' ' && s.at[i] <= '~' ? s.at[i] : '?';
	strcpy(q.text + i, s.len > QUOTE_LEN ? "..." : "");
	return q;
}

/**
 * slice_skip_mark() - skip what some editors begin a file of UTF-8 with
 * @text: the file
 */
void slice_skip_mark(struct slice *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t len = sizeof(mark) - 1;

	if (text->len >= len && !memcmp(text->at, mark, len)) {
		text->at += len;
		text->len -= len;
	}
}

/**
 * slice_is_digits() - is a piece a decimal number
 * @s: the piece
 *
 * Return: whether it has digits, and nothing else.
 */
bool slice_is_digits(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!slice_is_digit(s.at[i]))
			return false;
	return s.len;
}

/**
 * slice_equals() - is a piece a certain word
 * @s: the piece
 * @word: the word
 *
 * Return: whether it is.
 */
bool slice_equals(struct slice s, const char *word)
{
	return s.len == strlen(word) && !memcmp(s.at, word, s.len);
}

/**
 * slice_number() - read a decimal number
 * @s: the piece
 * @max: largest one
 *
 * Return: the number, or -1 if it is none or larger than @max.
 */
long slice_number(struct slice s, long max)
{
	long value = 0;
	size_t i;

	if (!slice_is_digits(s))
		return -1;
	for (i = 0; i < s.len; i++) {
		value = value * 10 + s.at[i] - '0';
		if (value > max)
			return -1;
	}
	return value;
}
