// SPDX-License-Identifier: GPL-2.0
/*
 * Collective operations, blocking and not, with counts that make the libraries
 * choose different algorithms.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

#define ALL MPI_COMM_WORLD

static const int counts[] = { 0, 1, 17, 1000, 20000, 150000 };

/* What rank `from` has at that place for rank `to` */
static int value(int from, int to, int place)
{
	return (from * 1009 + to) * 31 + place;
}

static int *room(size_t count)
{
	return ranks_buffer(count * sizeof(int));
}

static void barrier(void)
{
	MPI_Request request;

	for (int i = 0; i < 50; i++) {
		MPI_Barrier(ALL);
		MPI_Ibarrier(ALL, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

/* Nobody leaves before the last one has come. */
static void barrier_holds(void)
{
	MPI_Request request;
	int done, token = 0;

	if (rank == 0) {
		MPI_Ibarrier(ALL, &request);
		for (int i = 0; i < 1000; i++) {
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
			must(!done);
		}
		MPI_Send(&token, 1, MPI_INT, ranks - 1, 1, ALL);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		return;
	}
	if (rank == ranks - 1)
		MPI_Recv(&token, 1, MPI_INT, 0, 1, ALL, MPI_STATUS_IGNORE);
	MPI_Ibarrier(ALL, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void broadcast_of(int root, int count)
{
	int *data = room(2 * count);
	MPI_Request request;

	if (rank == root)
		for (int i = 0; i < 2 * count; i++)
			data[i] = value(root, 0, i);
	MPI_Ibcast(data + count, count, MPI_INT, root, ALL, &request);
	MPI_Bcast(data, count, MPI_INT, root, ALL);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int i = 0; i < 2 * count; i++)
		must(data[i] == value(root, 0, i));
	free(data);
}

static void broadcast(void)
{
	for (int i = 0; i < COUNT(counts); i++) {
		broadcast_of(0, counts[i]);
		broadcast_of(ranks - 1, counts[i]);
	}
}

static int sum_at(int place)
{
	int sum = 0;

	for (int from = 0; from < ranks; from++)
		sum += value(from, 0, place);
	return sum;
}

static void reduce_of(int count)
{
	int *out = room(count), *in = room(count), root = ranks / 2;
	MPI_Request request;

	for (int i = 0; i < count; i++)
		out[i] = value(rank, 0, i);
	MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, root, ALL);
	if (rank == root)
		for (int i = 0; i < count; i++)
			must(in[i] == sum_at(i));
	MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, ALL, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int i = 0; i < count; i++)
		must(in[i] == sum_at(i));
	MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_INT, MPI_MAX, ALL);
	for (int i = 0; i < count; i++)
		must(out[i] == value(ranks - 1, 0, i));
	free(in);
	free(out);
}

static void reduce(void)
{
	for (int i = 0; i < COUNT(counts); i++)
		reduce_of(counts[i]);
}

static void scan(void)
{
	int out = rank + 1, in = 0;

	MPI_Scan(&out, &in, 1, MPI_INT, MPI_SUM, ALL);
	must(in == (rank + 1) * (rank + 2) / 2);
	in = 0;
	MPI_Exscan(&out, &in, 1, MPI_INT, MPI_SUM, ALL);
	must(in == (rank ? rank * (rank + 1) / 2 : 0));
}

static void reduce_scatter(void)
{
	enum { EACH = 333 };
	int *out = room(ranks * EACH), *in = room(EACH);

	for (int i = 0; i < ranks * EACH; i++)
		out[i] = value(rank, 0, i);
	MPI_Reduce_scatter_block(out, in, EACH, MPI_INT, MPI_SUM, ALL);
	for (int i = 0; i < EACH; i++)
		must(in[i] == sum_at(rank * EACH + i));
	free(in);
	free(out);
}

static void gather_of(int count)
{
	int *out = room(count), *in = room((size_t)count * ranks);

	for (int i = 0; i < count; i++)
		out[i] = value(rank, 0, i);
	MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, 1, ALL);
	for (int k = 0; k < ranks && rank == 1; k++)
		for (int i = 0; i < count; i++)
			must(in[k * count + i] == value(k, 0, i));
	memset(in, 0, (size_t)count * ranks * sizeof(int));
	MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, ALL);
	for (int k = 0; k < ranks; k++)
		for (int i = 0; i < count; i++)
			must(in[k * count + i] == value(k, 0, i));
	/* and back */
	memset(out, 0, count * sizeof(int));
	MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, 1, ALL);
	for (int i = 0; i < count; i++)
		must(out[i] == value(rank, 0, i));
	free(in);
	free(out);
}

static void gather(void)
{
	for (int i = 0; i < COUNT(counts) - 1; i++)
		gather_of(counts[i]);
}

static void alltoall_of(int count)
{
	int *out = room((size_t)count * ranks), *in;
	MPI_Request request;

	in = room((size_t)count * ranks);
	for (int k = 0; k < ranks; k++)
		for (int i = 0; i < count; i++)
			out[k * count + i] = value(rank, k, i);
	for (int again = 0; again < 2; again++) {
		memset(in, 0, (size_t)count * ranks * sizeof(int));
		if (again)
			MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT,
				     ALL);
		else
			MPI_Ialltoall(out, count, MPI_INT, in, count, MPI_INT,
				      ALL, &request);
		if (!again)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		for (int k = 0; k < ranks; k++)
			for (int i = 0; i < count; i++)
				must(in[k * count + i] == value(k, rank, i));
	}
	free(in);
	free(out);
}

static void alltoall(void)
{
	for (int i = 0; i < COUNT(counts) - 1; i++)
		alltoall_of(counts[i]);
}

/* Rank a sends rank b (a + b) * 10 numbers, some none. */
static void alltoallv(void)
{
	int *lengths = room(ranks), *places = room(ranks), total = 0;
	int *out, *in;

	for (int k = 0; k < ranks; k++) {
		lengths[k] = (rank + k) * 10;
		places[k] = total;
		total += lengths[k];
	}
	out = room(total);
	in = room(total);
	for (int k = 0; k < ranks; k++)
		for (int i = 0; i < lengths[k]; i++)
			out[places[k] + i] = value(rank, k, i);
	MPI_Alltoallv(out, lengths, places, MPI_INT, in, lengths, places,
		      MPI_INT, ALL);
	for (int k = 0; k < ranks; k++)
		for (int i = 0; i < lengths[k]; i++)
			must(in[places[k] + i] == value(k, rank, i));
	free(in);
	free(out);
	free(places);
	free(lengths);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(barrier),   RANKS_CASE(barrier_holds),
	RANKS_CASE(broadcast), RANKS_CASE(reduce),
	RANKS_CASE(scan),      RANKS_CASE(reduce_scatter),
	RANKS_CASE(gather),    RANKS_CASE(alltoall),
	RANKS_CASE(alltoallv),
};

const struct ranks_class collective_class = { "collective", cases,
					      COUNT(cases) };
