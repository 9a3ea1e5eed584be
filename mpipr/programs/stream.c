// SPDX-License-Identifier: GPL-2.0
/*
 * Messages in one direction, a window of them at once: rank 0 starts as many
 * as fit in the window, waits for all of them and then for the last rank's
 * word that it has them. Prints messages and bytes a second: the message rate
 * with small ones, the bandwidth with large ones.
 *
 * Each message of a window has contents of its own. All bytes of the first
 * and the last window are looked at.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define TAG 1
#define TAG_DONE 2
#define WARM 3 /* windows that are not timed */

static unsigned long windows = 200, window = 64;
static size_t size = 8;
static int rank, peer;
static char *messages;
static MPI_Request *requests;

static char *message(unsigned long nr)
{
	return messages + nr * size;
}

static void send_window(void)
{
	for (unsigned long i = 0; i < window; i++)
		MPI_Isend(message(i), size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
			  &requests[i]);
	MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
	MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_DONE, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static void recv_window(void)
{
	for (unsigned long i = 0; i < window; i++)
		MPI_Irecv(message(i), size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
			  &requests[i]);
	MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
	MPI_Send(NULL, 0, MPI_BYTE, peer, TAG_DONE, MPI_COMM_WORLD);
}

static void checked_window(void)
{
	unsigned long i;

	if (!rank) {
		for (i = 0; i < window; i++)
			bench_fill(message(i), size, i);
		send_window();
		return;
	}
	memset(messages, 0, window * size);
	recv_window();
	for (i = 0; i < window; i++)
		bench_check(message(i), size, i);
}

static void timed_windows(double *samples)
{
	double start;

	for (unsigned long i = 0; i < WARM + windows; i++) {
		start = MPI_Wtime();
		if (!rank)
			send_window();
		else
			recv_window();
		if (i >= WARM)
			samples[i - WARM] = MPI_Wtime() - start;
	}
}

static void measure(void)
{
	double *samples = calloc(windows, sizeof(*samples)), sum = 0, p50;
	unsigned long i;

	requests = calloc(window, sizeof(*requests));
	messages = malloc(window * size + 1);
	if (!samples || !requests || !messages)
		bench_fail("no memory for %lu messages", window);
	checked_window();
	timed_windows(samples);
	checked_window();
	for (i = 0; i < windows; i++)
		sum += samples[i];
	bench_sort(samples, windows);
	p50 = bench_percentile(samples, windows, 50);
	if (!rank) {
		printf("#  bytes  window windows   messages/s          p50      MB/s       p50\n");
		printf("%8zu %7lu %7lu %12.0f %12.0f %9.2f %9.2f\n", size,
		       window, windows, windows * window / sum, window / p50,
		       windows * window * size / sum / 1e6,
		       window * size / p50 / 1e6);
	}
	free(messages);
	free(requests);
	free(samples);
}

static void refuse(void)
{
	fprintf(stderr, "Usage: stream [-n WINDOWS] [-w WINDOW] [-z BYTES]\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
	int ranks, option;

	rank = bench_begin(&argc, &argv, 2);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	while ((option = getopt(argc, argv, "n:w:z:")) != -1) {
		if (option == 'n')
			windows = bench_number(optarg, 10000000);
		else if (option == 'w')
			window = bench_number(optarg, 65536);
		else if (option == 'z')
			size = bench_number(optarg, 1 << 30);
		else
			refuse();
	}
	if (optind != argc || !windows || !window)
		refuse();
	if (!rank || rank == ranks - 1) {
		peer = rank ? 0 : ranks - 1;
		measure();
	}
	MPI_Finalize();
	return 0;
}
