// SPDX-License-Identifier: GPL-2.0
/*
 * What the parser makes grows here: hosts, links and errors.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * parser_grow() - get one more element of an array
 * @p: parser
 * @array: points at the pointer to the array
 * @size: of an element, bytes
 * @count: how many there are
 * @room: how many there is memory for
 *
 * Return: a zeroed element at its end, or NULL.
 */
void *parser_grow(struct parser *p, void *array, size_t size, size_t *count,
		  size_t *room)
{
	size_t want;
	char *base;

	memcpy(&base, array, sizeof(base));
	if (*count == *room) {
		want = *room ? *room * 2 : 64;
		base = reallocarray(base, want, size);
		if (!base) {
			p->no_memory = true;
			return NULL;
		}
		memcpy(array, &base, sizeof(base));
		*room = want;
	}
	return memset(base + (*count)++ * size, 0, size);
}

/**
 * parser_fail() - note what is wrong with the file
 * @p: parser
 * @line: line, from 1
 * @column: column, from 1
 * @format: as printf() has it; one line of printable ASCII
 */
void parser_fail(struct parser *p, unsigned int line, unsigned int column,
		 const char *format, ...)
{
	struct prphosts_error *error;
	va_list args;

	error = parser_grow(p, &p->hosts->error, sizeof(*error),
			    &p->hosts->errors, &p->error_room);
	if (!error)
		return;
	error->line = line;
	error->column = column;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
}
