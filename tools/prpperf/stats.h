/* SPDX-License-Identifier: GPL-2.0 */
/* What is computed of times that were taken: no clock and no socket is here. */
#ifndef _PRPPERF_STATS_H
#define _PRPPERF_STATS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct stats_line - a straight line through points
 * @at_zero: its height at 0
 * @slope: how much higher it is one further
 */
struct stats_line {
	double at_zero;
	double slope;
};

void stats_sort(uint64_t *values, size_t count);
uint64_t stats_part(const uint64_t *sorted, size_t count, double part);
size_t stats_within(const uint64_t *times, size_t count, uint64_t from,
		    uint64_t to);
int stats_fit(const double *x, const double *y, size_t count,
	      struct stats_line *line);

#endif
