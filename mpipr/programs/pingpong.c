// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's ping-pong: a message goes from rank 0 to the last rank and comes
 * back, with MPI_Isend() and MPI_Recv(). Half of a round trip is printed, in
 * microseconds, for each size.
 *
 * The first messages of each size are full of bytes that are all looked at;
 * those that are timed carry their number at both ends, which is looked at.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define TAG 1
#define CHECKED 2 /* rounds with all bytes looked at */
#define WARM 20 /* rounds that are not timed */

static unsigned long rounds = 1000;
static int rank, peer;

static void send_message(void *message, size_t size)
{
	MPI_Request request;

	MPI_Isend(message, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void recv_message(void *message, size_t size)
{
	MPI_Status status;
	int count;

	MPI_Recv(message, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &count);
	if (count != size)
		bench_fail("%d bytes came of %zu", count, size);
}

/* One way for each rank to do its part of a round. */
static void round_trip(void *out, void *in, size_t size)
{
	if (!rank) {
		send_message(out, size);
		recv_message(in, size);
	} else {
		recv_message(in, size);
		send_message(in, size);
	}
}

static void check_all_bytes(char *out, char *in, size_t size)
{
	for (unsigned int i = 0; i < CHECKED; i++) {
		bench_fill(out, size, i);
		memset(in, ~0, size);
		round_trip(out, in, size);
		bench_check(in, size, i);
	}
}

/* The number of a round, in as much room as the message has. */
static void mark(char *message, size_t size, uint32_t number)
{
	size_t room = size < sizeof(number) ? size : sizeof(number);

	memcpy(message, &number, room);
	memcpy(message + size - room, &number, room);
}

static void check_mark(const char *message, size_t size, uint32_t number)
{
	size_t room = size < sizeof(number) ? size : sizeof(number);

	if (memcmp(message, &number, room) ||
	    memcmp(message + size - room, &number, room))
		bench_fail("%zu bytes of another round than %u", size, number);
}

static void time_rounds(char *out, char *in, size_t size, double *samples,
			unsigned long count)
{
	double start;

	for (unsigned long i = 0; i < WARM + count; i++) {
		mark(out, size, i);
		start = MPI_Wtime();
		round_trip(out, in, size);
		if (i >= WARM)
			samples[i - WARM] = (MPI_Wtime() - start) * 1e6 / 2;
		check_mark(in, size, i);
	}
}

/* Large messages take long: about as many bytes as 1000 of 4 KiB. */
static unsigned long rounds_of(size_t size)
{
	unsigned long most = rounds * 4096 / (size ? size : 1);

	if (most < 10)
		most = 10;
	return most < rounds ? most : rounds;
}

static void one_size(size_t size, double *samples)
{
	unsigned long count = rounds_of(size);
	char *out = malloc(size + 1), *in = malloc(size + 1);
	double p50;

	if (!out || !in)
		bench_fail("no memory for %zu bytes", size);
	check_all_bytes(out, in, size);
	time_rounds(out, in, size, samples, count);
	bench_sort(samples, count);
	p50 = bench_percentile(samples, count, 50);
	if (!rank)
		printf("%8zu %7lu %10.2f %10.2f %10.2f %10.2f %9.2f\n", size,
		       count, samples[0], bench_percentile(samples, count, 1),
		       p50, bench_percentile(samples, count, 99), size / p50);
	free(in);
	free(out);
}

static void refuse(void)
{
	fprintf(stderr, "Usage: pingpong [-n ROUNDS] [-z BYTES]...\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
	unsigned long sizes[64], nr_sizes = 0;
	double *samples;
	int ranks, option;

	rank = bench_begin(&argc, &argv, 2);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	while ((option = getopt(argc, argv, "n:z:")) != -1) {
		if (option == 'n')
			rounds = bench_number(optarg, 100000000);
		else if (option == 'z' && nr_sizes < 64)
			sizes[nr_sizes++] = bench_number(optarg, 1 << 30);
		else
			refuse();
	}
	if (optind != argc || !rounds)
		refuse();
	if (!nr_sizes) {
		sizes[nr_sizes++] = 0;
		for (size_t size = 1; size <= 4 << 20; size *= 2)
			sizes[nr_sizes++] = size;
	}
	samples = calloc(rounds, sizeof(*samples));
	if (!samples)
		bench_fail("no memory for %lu samples", rounds);
	if (!rank)
		printf("#  bytes  rounds     min_us      p1_us     p50_us     p99_us      MB/s\n");
	if (!rank || rank == ranks - 1) {
		peer = rank ? 0 : ranks - 1;
		for (unsigned long i = 0; i < nr_sizes; i++)
			one_size(sizes[i], samples);
	}
	free(samples);
	MPI_Finalize();
	return 0;
}
