// SPDX-License-Identifier: GPL-2.0
/*
 * Holds the cells of a list back until the widest of each column is known.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/columns.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12

struct cell {
	char *text;
	bool note; /* a line of its own below its row */
};

static struct {
	int columns;
	int width[COLUMNS_MAX];
	int at; /* column of the next cell */
	struct cell *cell;
	size_t cells;
	size_t room;
} list;

static void add(const char *text, bool note)
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
	list.cell[list.cells].note = note;
	if (!list.cell[list.cells++].text)
		abort();
}

/**
 * columns_begin() - begin a list
 * @heads: what stands above the columns, at most COLUMNS_MAX, then NULL
 */
void columns_begin(const char *const *heads)
{
	memset(&list, 0, sizeof(list));
	while (heads[list.columns])
		list.columns++;
	for (; *heads; heads++)
		columns_cell(*heads);
}

/**
 * columns_cell() - add the next cell of the row
 * @text: what is in it
 */
void columns_cell(const char *text)
{
	int len = strlen(text);

	if (len > list.width[list.at])
		list.width[list.at] = len;
	list.at = (list.at + 1) % list.columns;
	add(text, false);
}

/**
 * columns_note() - add a line below the row that is complete
 * @text: the line
 */
void columns_note(const char *text)
{
	add(text, true);
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

/**
 * columns_end() - print the list
 */
void columns_end(void)
{
	int at = 0;
	size_t i;

	for (i = 0; i < list.cells; i++) {
		const struct cell *cell = &list.cell[i];

		if (cell->note)
			printf("      %s\n", cell->text);
		else if (at == list.columns - 1)
			printf("%s\n", cell->text);
		else
			printf("%-*s  ", list.width[at], cell->text);
		if (!cell->note)
			at = (at + 1) % list.columns;
	}
	columns_drop();
}
