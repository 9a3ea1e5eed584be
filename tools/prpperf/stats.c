// SPDX-License-Identifier: GPL-2.0
/* What is computed of times that were taken: percentiles and a fitted line. */
#include <errno.h>
#include <stdlib.h>

#include "stats.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * stats_sort() - make values ready for stats_part()
 * @values: in any order
 * @count: how many
 */
void stats_sort(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
}

/**
 * stats_part() - the value below which a part of all lies
 * @sorted: by stats_sort()
 * @count: how many
 * @part: 0 is for the least one, 0.5 for the median, 1 for the largest
 *
 * Return: one of the values, 0 if there are none
 */
uint64_t stats_part(const uint64_t *sorted, size_t count, double part)
{
	return count ? sorted[(size_t)(part * (count - 1))] : 0;
}

/* Of times in order, those that are not later than this one */
static size_t until(const uint64_t *times, size_t count, uint64_t time)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (times[middle] <= time)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/**
 * stats_within() - how many of some times are within a window
 * @times: in order
 * @count: of them
 * @from: is not within it any more
 * @to: still is
 *
 * Return: how many
 */
size_t stats_within(const uint64_t *times, size_t count, uint64_t from,
		    uint64_t to)
{
	if (to < from)
		return 0;
	return until(times, count, to) - until(times, count, from);
}

/**
 * stats_fit() - a line through points, by least squares of relative errors
 * @x: where they are
 * @y: how high, above 0
 * @count: how many
 * @line: gets it
 *
 * Times of messages from bytes to kilobytes differ a thousandfold: of absolute
 * errors the longest would decide alone where the line is at 0.
 *
 * Return: 0, or -EDOM where not two points differ in where they are
 */
int stats_fit(const double *x, const double *y, size_t count,
	      struct stats_line *line)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, all;

	for (size_t i = 0; i < count; i++) {
		double weight = 1 / (y[i] * y[i]);

		w += weight;
		wx += weight * x[i];
		wy += weight * y[i];
		wxx += weight * x[i] * x[i];
		wxy += weight * x[i] * y[i];
	}
	all = w * wxx - wx * wx;
	/* all but 0, next to what it is the difference of */
	if (!count || all * 1e12 <= w * wxx)
		return -EDOM;
	line->slope = (w * wxy - wx * wy) / all;
	line->at_zero = (wy - line->slope * wx) / w;
	return 0;
}
