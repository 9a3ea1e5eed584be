// SPDX-License-Identifier: GPL-2.0
/*
 * Holds the cells of a list back until the widest of each column is known.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12

struct cell {
	char *text;
	enum paint paint;
	bool note; /* a line of its own below its row */
};

static struct {
	int columns;
	unsigned int kept; /* bit c: column c is printed */
	bool color;
	int width[COLUMNS_MAX];
	int at; /* column of the next cell */
	struct cell *cell;
	size_t cells;
	size_t room;
} list;

static void add(const char *text, enum paint paint, bool note)
{
	struct cell *bigger;

	if (list.cells == list.room) {
		list.room = list.room ? list.room * 2 : 256;
		bigger = reallocarray(list.cell, list.room, sizeof(*bigger));
		if (!bigger)
			abort();
		list.cell = bigger;
	}
	list.cell[list.cells].text = strdup(text);
	list.cell[list.cells].paint = paint;
	list.cell[list.cells].note = note;
	if (!list.cell[list.cells++].text)
		abort();
}

/**
 * columns_begin() - begin a list
 * @heads: what stands above the columns, at most COLUMNS_MAX, then NULL
 * @kept: bit c: column c is printed
 * @headed: the heads are printed
 * @color: colours are printed
 */
void columns_begin(const char *const *heads, unsigned int kept, bool headed,
		   bool color)
{
	memset(&list, 0, sizeof(list));
	list.color = color;
	while (heads[list.columns])
		list.columns++;
	list.kept = kept & ((1U << list.columns) - 1);
	for (; headed && *heads; heads++)
		columns_cell(*heads, PAINT_NONE);
}

/**
 * columns_cell() - add the next cell of the row
 * @text: what is in it
 * @paint: its colour
 */
void columns_cell(const char *text, enum paint paint)
{
	int len = strlen(text);

	if (len > list.width[list.at])
		list.width[list.at] = len;
	list.at = (list.at + 1) % list.columns;
	add(text, paint, false);
}

/**
 * columns_note() - add a line below the row that is complete
 * @text: the line
 */
void columns_note(const char *text)
{
	add(text, PAINT_NONE, true);
}

/**
 * columns_drop() - let go of the list, if there is one
 */
void columns_drop(void)
{
	while (list.cells)
		free(list.cell[--list.cells].text);
	free(list.cell);
	memset(&list, 0, sizeof(list));
}

/* A cell of column @at, and what is between it and the next one */
static void print_cell(const struct cell *cell, int at)
{
	static const char *const begin[] = { "", "\033[32m", "\033[33m",
					     "\033[31m" };
	bool colored = list.color && cell->paint;
	bool last = !(list.kept >> at >> 1);

	printf("%s%s%s", colored ? begin[cell->paint] : "", cell->text,
	       colored ? "\033[0m" : "");
	if (last)
		putchar('\n');
	else
		printf("%*s", list.width[at] - (int)strlen(cell->text) + 2, "");
}

/**
 * columns_end() - print the list
 */
void columns_end(void)
{
	int at = 0;
	size_t i;

	for (i = 0; i < list.cells; i++) {
		const struct cell *cell = &list.cell[i];

		if (cell->note) {
			printf("      %s\n", cell->text);
			continue;
		}
		if (list.kept >> at & 1)
			print_cell(cell, at);
		at = (at + 1) % list.columns;
	}
	columns_drop();
}
