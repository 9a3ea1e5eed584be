// SPDX-License-Identifier: GPL-2.0
/*
 * MPI_THREAD_MULTIPLE: threads of a rank send and receive at the same time.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <pthread.h>
#include <stdlib.h>

#include "ranks.h"

#define THREADS 4
#define ROUNDS 100

static MPI_Comm comms[THREADS];

/* With the neighbours' same thread; sizes go through eager and beyond. */
static void *talk(void *argument)
{
	int nr = (char *)argument - (char *)0;
	size_t most = 40000;
	char *out = ranks_buffer(most), *in = ranks_buffer(most);
	MPI_Request request;

	for (int i = 0; i < ROUNDS; i++) {
		size_t size = (i * 997 + nr) % most;

		bench_fill(out, size, rank * THREADS + nr + i);
		MPI_Irecv(in, size, MPI_BYTE, left, nr, comms[nr], &request);
		MPI_Send(out, size, MPI_BYTE, right, nr, comms[nr]);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		bench_check(in, size, left * THREADS + nr + i);
	}
	free(in);
	free(out);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&threads[i], NULL, talk, (char *)0 + i));
	for (int i = 0; i < THREADS; i++)
		must(!pthread_join(threads[i], NULL));
}

static void one_communicator(void)
{
	for (int i = 0; i < THREADS; i++)
		comms[i] = MPI_COMM_WORLD;
	run_threads();
}

static void a_communicator_each(void)
{
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	run_threads();
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&comms[i]);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(one_communicator),
	RANKS_CASE(a_communicator_each),
};

const struct ranks_class threads_class = { "threads", cases, COUNT(cases) };
