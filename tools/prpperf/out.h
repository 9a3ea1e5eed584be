/* SPDX-License-Identifier: GPL-2.0 */
/* Prints what was measured, as a table or as JSON, while it is measured. */
#ifndef _PRPPERF_OUT_H
#define _PRPPERF_OUT_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/**
 * struct cell - a value with its name
 * @name: with its unit, of JSON and above the column
 * @value: NAN where there is none
 * @digits: behind the point
 * @text: instead of a number, or NULL
 */
struct cell {
	const char *name;
	double value;
	int digits;
	const char *text;
};

void out_begin(bool json, const char *experiment, const char *family);
void out_row(const struct cell *cells, size_t count);
void out_more(const char *name, const struct cell *cells, size_t count);
void out_end(const char *error, bool interrupted);
int out_failed(void);

#endif
