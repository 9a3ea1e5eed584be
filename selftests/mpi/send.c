// SPDX-License-Identifier: GPL-2.0
/*
 * Point to point: every way to send and to receive, what is matched with what,
 * and in which order.
 *
 * Copyright (C) 2026 The PRP authors
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "ranks.h"

#define TAG 7
#define OTHER_TAG 8
#define ALL MPI_COMM_WORLD

typedef int send_fn(const void *buffer, int count, MPI_Datatype type, int to,
		    int tag, MPI_Comm comm);
typedef int isend_fn(const void *buffer, int count, MPI_Datatype type, int to,
		     int tag, MPI_Comm comm, MPI_Request *request);

/* One message around the ring, its receive posted before it is sent */
static void ring(send_fn *send, isend_fn *isend, size_t size)
{
	char *out = ranks_buffer(size), *in = ranks_buffer(size);
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int count = 1;

	bench_fill(out, size, rank);
	MPI_Irecv(in, size, MPI_BYTE, left, TAG, ALL, &requests[0]);
	MPI_Barrier(ALL);
	if (send)
		send(out, size, MPI_BYTE, right, TAG, ALL);
	else
		isend(out, size, MPI_BYTE, right, TAG, ALL, &requests[count++]);
	MPI_Waitall(count, requests, statuses);
	must(ranks_count(&statuses[0]) == size);
	must(statuses[0].MPI_SOURCE == left);
	must(statuses[0].MPI_TAG == TAG);
	bench_check(in, size, left);
	must((in[size] & 0xff) == 0xee);
	free(out);
	free(in);
}

static void rings(send_fn *send, isend_fn *isend)
{
	for (int i = 0; i < ranks_nr_sizes; i++)
		ring(send, isend, ranks_sizes[i]);
}

static void standard(void)
{
	rings(MPI_Send, NULL);
	rings(NULL, MPI_Isend);
}

static void synchronous(void)
{
	rings(MPI_Ssend, NULL);
	rings(NULL, MPI_Issend);
}

static void ready(void)
{
	rings(MPI_Rsend, NULL);
	rings(NULL, MPI_Irsend);
}

static void buffered(void)
{
	int size = (4 << 20) + 16 * MPI_BSEND_OVERHEAD;
	void *buffer = ranks_buffer(size), *detached;

	MPI_Buffer_attach(buffer, size);
	rings(MPI_Bsend, NULL);
	rings(NULL, MPI_Ibsend);
	MPI_Buffer_detach(&detached, &size);
	must(detached == buffer);
	free(buffer);
}

/* The message is there before its receive, whatever its size. */
static void unexpected(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++) {
		size_t size = ranks_sizes[i];
		char *out = ranks_buffer(size), *in = ranks_buffer(size);
		MPI_Request request;

		bench_fill(out, size, rank);
		MPI_Isend(out, size, MPI_BYTE, right, TAG, ALL, &request);
		MPI_Sendrecv(NULL, 0, MPI_BYTE, right, OTHER_TAG, NULL, 0,
			     MPI_BYTE, left, OTHER_TAG, ALL, MPI_STATUS_IGNORE);
		MPI_Recv(in, size, MPI_BYTE, left, TAG, ALL, MPI_STATUS_IGNORE);
		bench_check(in, size, left);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		free(out);
		free(in);
	}
}

/* Not complete before the other side has a receive for it */
static void synchronous_waits(void)
{
	char message[16] = "";
	MPI_Request request;
	int done;

	if (rank == 0) {
		MPI_Issend(message, sizeof(message), MPI_BYTE, 1, TAG, ALL,
			   &request);
		for (int i = 0; i < 1000; i++) {
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
			must(!done);
		}
		MPI_Send(NULL, 0, MPI_BYTE, 1, OTHER_TAG, ALL);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, OTHER_TAG, ALL,
			 MPI_STATUS_IGNORE);
		MPI_Recv(message, sizeof(message), MPI_BYTE, 0, TAG, ALL,
			 MPI_STATUS_IGNORE);
	}
}

/* So often this thread has left its processor to wait. */
static long sleeps(void)
{
	struct rusage usage;

	must(!getrusage(RUSAGE_THREAD, &usage));
	return usage.ru_nvcsw;
}

static double used_ms(void)
{
	struct timespec at;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
}

static void work(void)
{
	double begun = used_ms();

	while (used_ms() < begun + 2)
		;
}

/* Two ranks on one processor, until both know that they better sleep there */
static void wait_often(void)
{
	cpu_set_t one, all;
	char message;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	must(!sched_getaffinity(0, sizeof(all), &all));
	must(!sched_setaffinity(0, sizeof(one), &one));
	for (int i = 0; i < 2000; i++) {
		if (rank)
			MPI_Send(&message, 1, MPI_BYTE, 0, TAG, ALL);
		MPI_Recv(&message, 1, MPI_BYTE, !rank, TAG, ALL,
			 MPI_STATUS_IGNORE);
		if (!rank)
			MPI_Send(&message, 1, MPI_BYTE, 1, TAG, ALL);
	}
	must(!sched_setaffinity(0, sizeof(all), &all));
}

/* The message comes only after all of these. */
static void tests_and_looks_do_not_wait(void)
{
	enum { WAITS = 4, TESTS = 50, LOOKS = 1000 };
	char message = 0;
	long tests = 0, looks = 0, begun;
	MPI_Request request;
	int done;

	for (int i = 0; i < WAITS && rank < 2; i++) {
		wait_often();
		if (rank) {
			MPI_Recv(NULL, 0, MPI_BYTE, 0, OTHER_TAG, ALL,
				 MPI_STATUS_IGNORE);
			MPI_Send(&message, 1, MPI_BYTE, 0, TAG, ALL);
			continue;
		}
		MPI_Irecv(&message, 1, MPI_BYTE, 1, TAG, ALL, &request);
		begun = sleeps();
		for (int k = 0; k < TESTS; k++) {
			work();
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
			must(!done);
		}
		tests += sleeps() - begun;
		begun = sleeps();
		for (int k = 0; k < LOOKS; k++) {
			MPI_Iprobe(1, OTHER_TAG, ALL, &done, MPI_STATUS_IGNORE);
			must(!done);
		}
		looks += sleeps() - begun;
		MPI_Send(NULL, 0, MPI_BYTE, 1, OTHER_TAG, ALL);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	if (tests > WAITS || looks)
		bench_fail("%ld of %d tests slept, %ld of %d looks", tests,
			   WAITS * TESTS, looks, WAITS * LOOKS);
}

static void to_itself(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++) {
		size_t size = ranks_sizes[i];
		char *out = ranks_buffer(size), *in = ranks_buffer(size);
		MPI_Request request;

		bench_fill(out, size, i);
		MPI_Isend(out, size, MPI_BYTE, rank, TAG, ALL, &request);
		MPI_Recv(in, size, MPI_BYTE, rank, TAG, ALL, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		bench_check(in, size, i);
		free(out);
		free(in);
	}
}

/* Size and source are not known before. */
static void probe(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++) {
		char *out = ranks_buffer(ranks_sizes[i]), *in;
		MPI_Request request;
		MPI_Status status;
		size_t size;

		bench_fill(out, ranks_sizes[i], i);
		MPI_Isend(out, ranks_sizes[i], MPI_BYTE, right, i, ALL,
			  &request);
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, ALL, &status);
		must(status.MPI_SOURCE == left && status.MPI_TAG == i);
		size = ranks_count(&status);
		must(size == ranks_sizes[i]);
		in = ranks_buffer(size);
		MPI_Recv(in, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
			 ALL, MPI_STATUS_IGNORE);
		bench_check(in, size, i);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Barrier(ALL);
		free(out);
		free(in);
	}
}

static void probe_finds_nothing(void)
{
	int found;

	for (int i = 0; i < 100; i++) {
		MPI_Iprobe(MPI_ANY_SOURCE, TAG, ALL, &found, MPI_STATUS_IGNORE);
		must(!found);
	}
}

/* What was claimed is left alone by receives that would match it. */
static void claimed_message(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++) {
		size_t size = ranks_sizes[i];
		char *out[2] = { ranks_buffer(size), ranks_buffer(size) };
		char *in[2] = { ranks_buffer(size), ranks_buffer(size) };
		MPI_Request requests[2];
		MPI_Message message;
		MPI_Status status;
		int found = 0;

		for (int k = 0; k < 2; k++) {
			bench_fill(out[k], size, 2 * i + k);
			MPI_Isend(out[k], size, MPI_BYTE, right, TAG, ALL,
				  &requests[k]);
		}
		while (!found)
			MPI_Improbe(left, TAG, ALL, &found, &message, &status);
		must(ranks_count(&status) == size);
		MPI_Recv(in[1], size, MPI_BYTE, left, TAG, ALL, &status);
		MPI_Mrecv(in[0], size, MPI_BYTE, &message, &status);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		for (int k = 0; k < 2; k++) {
			bench_check(in[k], size, 2 * i + k);
			free(out[k]);
			free(in[k]);
		}
	}
}

static void cancelled_receive(void)
{
	char in[2][64], out[64];
	MPI_Request requests[2];
	MPI_Status status;
	int cancelled;

	for (int i = 0; i < 2; i++)
		MPI_Irecv(in[i], 64, MPI_BYTE, left, TAG, ALL, &requests[i]);
	MPI_Cancel(&requests[0]);
	MPI_Wait(&requests[0], &status);
	MPI_Test_cancelled(&status, &cancelled);
	must(cancelled);
	MPI_Barrier(ALL);
	bench_fill(out, 64, rank);
	MPI_Send(out, 64, MPI_BYTE, right, TAG, ALL);
	MPI_Wait(&requests[1], &status);
	MPI_Test_cancelled(&status, &cancelled);
	must(!cancelled);
	bench_check(in[1], 64, left);
}

/* Rank 0 takes all messages of all ranks as they come, each once. */
static void any_source_any_tag(void)
{
	enum { EACH = 50 };
	char *seen;
	int message[2];
	MPI_Status status;

	if (rank) {
		for (int i = 0; i < EACH; i++) {
			message[0] = rank;
			message[1] = i;
			MPI_Send(message, 2, MPI_INT, 0, i, ALL);
		}
		return;
	}
	seen = calloc(ranks, EACH);
	must(seen);
	for (int i = 0; i < (ranks - 1) * EACH; i++) {
		MPI_Recv(message, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ALL,
			 &status);
		must(message[0] == status.MPI_SOURCE);
		must(message[1] == status.MPI_TAG);
		must(!seen[message[0] * EACH + message[1]]++);
	}
	free(seen);
}

/* Small and large ones by turns: none overtakes another. */
static void order(void)
{
	static const size_t sizes[] = { 8, 100000, 0, 17000, 1, 300000, 64, 4 };
	enum { EACH = 64 };
	MPI_Request requests[EACH];
	char *out[EACH], *in = ranks_buffer(300000);
	MPI_Status status;

	for (int i = 0; i < EACH; i++) {
		size_t size = sizes[i % COUNT(sizes)];

		out[i] = ranks_buffer(size);
		bench_fill(out[i], size, i);
		MPI_Isend(out[i], size, MPI_BYTE, right, TAG, ALL,
			  &requests[i]);
	}
	for (int i = 0; i < EACH; i++) {
		MPI_Recv(in, 300000, MPI_BYTE, left, MPI_ANY_TAG, ALL, &status);
		must(ranks_count(&status) == sizes[i % COUNT(sizes)]);
		bench_check(in, ranks_count(&status), i);
	}
	MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < EACH; i++)
		free(out[i]);
	free(in);
}

/* The last one of many is wanted first, the others backwards. */
static void tags_backwards(void)
{
	enum { EACH = 200 };
	MPI_Request requests[EACH];
	int out[EACH], in;

	for (int i = 0; i < EACH; i++) {
		out[i] = rank * EACH + i;
		MPI_Isend(&out[i], 1, MPI_INT, right, i, ALL, &requests[i]);
	}
	for (int i = EACH - 1; i >= 0; i--) {
		MPI_Recv(&in, 1, MPI_INT, left, i, ALL, MPI_STATUS_IGNORE);
		must(in == left * EACH + i);
	}
	MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
}

/*
 * Everybody sends rank 0 more than it wants now. What it waits for is behind
 * all of that, and it comes.
 */
static void flood_of(int each, size_t size)
{
	MPI_Request *requests = calloc(each, sizeof(*requests));
	char *message = ranks_buffer(size);
	int token = 1;

	must(requests);
	if (rank) {
		bench_fill(message, size, rank);
		for (int i = 0; i < each; i++)
			MPI_Isend(message, size, MPI_BYTE, 0, TAG, ALL,
				  &requests[i]);
		MPI_Send(&token, 1, MPI_INT, 0, OTHER_TAG, ALL);
		MPI_Waitall(each, requests, MPI_STATUSES_IGNORE);
	} else {
		for (int i = 1; i < ranks; i++)
			MPI_Recv(&token, 1, MPI_INT, i, OTHER_TAG, ALL,
				 MPI_STATUS_IGNORE);
		for (int i = 0; i < each * (ranks - 1); i++) {
			MPI_Status status;

			MPI_Recv(message, size, MPI_BYTE, MPI_ANY_SOURCE, TAG,
				 ALL, &status);
			must(ranks_count(&status) == size);
			bench_check(message, size, status.MPI_SOURCE);
		}
	}
	MPI_Barrier(ALL);
	free(message);
	free(requests);
}

static void flood(void)
{
	flood_of(4000, 8);
	flood_of(1000, 1000);
	flood_of(200, 20000);
	flood_of(20, 300000);
}

static void truncation_of(size_t size)
{
	char *out = ranks_buffer(size), *in = ranks_buffer(size);
	MPI_Request request;
	int error, class;

	bench_fill(out, size, rank);
	MPI_Isend(out, size, MPI_BYTE, right, TAG, ALL, &request);
	error = MPI_Recv(in, size / 2, MPI_BYTE, left, TAG, ALL,
			 MPI_STATUS_IGNORE);
	MPI_Error_class(error, &class);
	must(class == MPI_ERR_TRUNCATE);
	for (size_t i = size / 2; i < size; i++)
		must((in[i] & 0xff) == 0xee);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(out);
	free(in);
}

/* The message is lost, those behind it are not. */
static void truncation(void)
{
	MPI_Comm_set_errhandler(ALL, MPI_ERRORS_RETURN);
	for (int i = 1; i < ranks_nr_sizes; i++) {
		truncation_of(ranks_sizes[i]);
		MPI_Barrier(ALL);
		ring(MPI_Send, NULL, ranks_sizes[i]);
	}
	MPI_Comm_set_errhandler(ALL, MPI_ERRORS_ARE_FATAL);
}

static void persistent(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++) {
		size_t size = ranks_sizes[i];
		char *out = ranks_buffer(size), *in = ranks_buffer(size);
		MPI_Request requests[2];

		MPI_Recv_init(in, size, MPI_BYTE, left, TAG, ALL, &requests[0]);
		MPI_Send_init(out, size, MPI_BYTE, right, TAG, ALL,
			      &requests[1]);
		for (int k = 0; k < 5; k++) {
			bench_fill(out, size, rank + k);
			MPI_Startall(2, requests);
			MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
			bench_check(in, size, left + k);
		}
		MPI_Request_free(&requests[0]);
		MPI_Request_free(&requests[1]);
		free(out);
		free(in);
	}
}

/* Each with each, all at once: everybody connects to everybody. */
static void all_pairs(void)
{
	size_t size = 3000;
	MPI_Request *requests = calloc(2 * ranks, sizeof(*requests));
	char *out = ranks_buffer(size * ranks), *in;

	in = ranks_buffer(size * ranks);
	must(requests);
	for (int i = 0; i < ranks; i++) {
		bench_fill(out + i * size, size, rank * ranks + i);
		MPI_Irecv(in + i * size, size, MPI_BYTE, i, TAG, ALL,
			  &requests[i]);
	}
	for (int i = 0; i < ranks; i++)
		MPI_Isend(out + i * size, size, MPI_BYTE, i, TAG, ALL,
			  &requests[ranks + i]);
	MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < ranks; i++)
		bench_check(in + i * size, size, i * ranks + rank);
	free(in);
	free(out);
	free(requests);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(all_pairs),
	RANKS_CASE(standard),
	RANKS_CASE(synchronous),
	RANKS_CASE(synchronous_waits),
	RANKS_CASE(tests_and_looks_do_not_wait),
	RANKS_CASE(ready),
	RANKS_CASE(buffered),
	RANKS_CASE(unexpected),
	RANKS_CASE(to_itself),
	RANKS_CASE(probe),
	RANKS_CASE(probe_finds_nothing),
	RANKS_CASE(claimed_message),
	RANKS_CASE(cancelled_receive),
	RANKS_CASE(any_source_any_tag),
	RANKS_CASE(order),
	RANKS_CASE(tags_backwards),
	RANKS_CASE(flood),
	RANKS_CASE(truncation),
	RANKS_CASE(persistent),
};

const struct ranks_class send_class = { "send", cases, COUNT(cases) };
