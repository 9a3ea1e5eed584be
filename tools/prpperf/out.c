// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what was measured: rows of one table, then what was computed of them,
 * then why there is no more if that is so.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out.h"

#define WIDTH 12 /* of a column */

static bool json, any;
static int failed; /* errno of the first write that was refused */

/* For text that comes from elsewhere, as reasons do */
static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar((unsigned char)*text < ' ' ? ' ' : *text);
	}
	putchar('"');
}

static void print_value(const struct cell *cell)
{
	if (cell->text)
		print_quoted(cell->text);
	else if (isfinite(cell->value))
		printf("%.*f", cell->digits, cell->value);
	else
		printf("null");
}

static void print_object(const struct cell *cells, size_t count)
{
	printf("{");
	for (size_t i = 0; i < count; i++) {
		printf("%s\"%s\":", i ? "," : "", cells[i].name);
		print_value(cells + i);
	}
	printf("}");
}

static void print_column(const struct cell *cell)
{
	if (cell->text)
		printf("%*s", WIDTH, cell->text);
	else if (isfinite(cell->value))
		printf("%*.*f", WIDTH, cell->digits, cell->value);
	else
		printf("%*s", WIDTH, "-");
}

/* What nobody gets need not be measured. */
static void flush(void)
{
	if (fflush(stdout) && !failed)
		failed = errno;
}

/**
 * out_failed() - was anything of it refused?
 *
 * Return: 0, or why, as errno is
 */
int out_failed(void)
{
	return failed;
}

/**
 * out_begin() - before the first row
 * @as_json: instead of a table
 * @experiment: what is measured
 * @family: over what
 */
void out_begin(bool as_json, const char *experiment, const char *family)
{
	json = as_json;
	any = false;
	if (json)
		printf("{\"experiment\":\"%s\",\"family\":\"%s\",\"rows\":[",
		       experiment, family);
	else
		printf("# %s over %s\n", experiment, family);
	flush();
}

/**
 * out_row() - print a row
 * @cells: of it; all rows have the same
 * @count: of them
 */
void out_row(const struct cell *cells, size_t count)
{
	if (json) {
		printf(any ? ",\n" : "\n");
		print_object(cells, count);
	} else {
		for (size_t i = 0; !any && i < count; i++)
			printf("%*s", WIDTH, cells[i].name);
		if (!any)
			printf("\n");
		for (size_t i = 0; i < count; i++)
			print_column(cells + i);
		printf("\n");
	}
	any = true;
	flush();
}

/* The rows are over when something else begins. */
static void end_rows(void)
{
	if (json && any)
		printf("\n");
	if (json)
		printf("]");
}

/**
 * out_more() - print what was computed of the rows
 * @name: what it is
 * @cells: of it, or none
 * @count: of them
 */
void out_more(const char *name, const struct cell *cells, size_t count)
{
	end_rows();
	if (!count)
		return;
	if (json) {
		printf(",\n\"%s\":", name);
		print_object(cells, count);
		return;
	}
	printf("# %s:", name);
	for (size_t i = 0; i < count; i++) {
		printf(" %s=", cells[i].name);
		print_value(cells + i);
	}
	printf("\n");
}

/**
 * out_end() - after out_more()
 * @error: why it is not all, or NULL
 * @interrupted: a signal said that it is enough
 */
void out_end(const char *error, bool interrupted)
{
	if (json) {
		printf(",\n\"interrupted\":%s,\"error\":",
		       interrupted ? "true" : "false");
		if (error)
			print_quoted(error);
		else
			printf("null");
		printf("}\n");
	} else if (interrupted) {
		printf("# interrupted\n");
	}
	flush();
}
