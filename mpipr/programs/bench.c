// SPDX-License-Identifier: GPL-2.0
/*
 * What the programs that measure have in common.
 */
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/**
 * bench_begin() - begins MPI and says which library it is
 * @argc: main()'s
 * @argv: main()'s
 * @min_ranks: with fewer the program ends
 *
 * Return: this process's rank.
 */
int bench_begin(int *argc, char ***argv, int min_ranks)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int rank, ranks, length;

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks < min_ranks)
		bench_fail("needs %d ranks, got %d", min_ranks, ranks);
	MPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = '\0';
	for (char *c = version; *c; c++)
		if (*c == '\t')
			*c = ' ';
	if (!rank)
		printf("# %s, %d ranks\n", version, ranks);
	return rank;
}

/**
 * bench_number() - the number that an option was given
 * @text: what should be a number; if it is none, the program ends
 * @most: the largest that it may be
 *
 * Return: the number.
 */
unsigned long bench_number(const char *text, unsigned long most)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 0);
	if (errno || *end || end == text || number > most)
		bench_fail("not a number up to %lu: %s", most, text);
	return number;
}

/**
 * bench_fail() - ends all ranks, with a message of this one
 * @format: as printf() has it
 */
void bench_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

/* A multiplier that leaves no low bit unmixed; the top byte is taken. */
static uint8_t byte_at(size_t place, unsigned int seed)
{
	return ((place + seed) * UINT64_C(0x9e3779b97f4a7c15)) >> 56;
}

/**
 * bench_fill() - makes the contents of a message
 * @buffer: the message
 * @size: its bytes
 * @seed: other seeds give other contents
 */
void bench_fill(void *buffer, size_t size, unsigned int seed)
{
	uint8_t *byte = buffer;

	for (size_t i = 0; i < size; i++)
		byte[i] = byte_at(i, seed);
}

/**
 * bench_check() - ends the program if a message is not as bench_fill() made it
 * @buffer: the message
 * @size: its bytes
 * @seed: that it was made with
 */
void bench_check(const void *buffer, size_t size, unsigned int seed)
{
	const uint8_t *byte = buffer;

	for (size_t i = 0; i < size; i++)
		if (byte[i] != byte_at(i, seed))
			bench_fail("byte %zu of %zu is %02x, sent was %02x", i,
				   size, byte[i], byte_at(i, seed));
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/**
 * bench_sort() - puts samples in order
 * @samples: the smallest will be the first
 * @count: how many they are
 */
void bench_sort(double *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), ascending);
}

/**
 * bench_percentile() - what a percentage of the samples does not exceed
 * @sorted: samples as bench_sort() leaves them
 * @count: how many they are
 * @percent: 0 to 100
 *
 * Return: that sample.
 */
double bench_percentile(const double *sorted, size_t count, double percent)
{
	return sorted[(size_t)((count - 1) * percent / 100)];
}
