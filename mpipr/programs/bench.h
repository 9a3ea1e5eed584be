/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MPIPR_BENCH_H
#define MPIPR_BENCH_H

#include <stddef.h>

/*
 * What the programs that measure have in common: numbers on the command line,
 * contents that are checked, and what is made of many samples.
 */

int bench_begin(int *argc, char ***argv, int min_ranks);
unsigned long bench_number(const char *text, unsigned long most);
void bench_fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void bench_fill(void *buffer, size_t size, unsigned int seed);
void bench_check(const void *buffer, size_t size, unsigned int seed);
void bench_sort(double *samples, size_t count);
double bench_percentile(const double *sorted, size_t count, double percent);

#endif
