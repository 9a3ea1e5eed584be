// SPDX-License-Identifier: GPL-2.0
/*
 * Communicators: messages of one are not seen in another; parts of the ranks,
 * pairs of groups, and ranks that come later.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

#define TAG 5
#define ALL MPI_COMM_WORLD

/* The same source and tag, told apart by the communicator alone */
static void duplicates(void)
{
	enum { COMMS = 5 };
	MPI_Request requests[COMMS];
	int out[COMMS], in;
	MPI_Comm comms[COMMS];

	for (int i = 0; i < COMMS; i++) {
		MPI_Comm_dup(ALL, &comms[i]);
		out[i] = rank * COMMS + i;
	}
	for (int i = 0; i < COMMS; i++)
		MPI_Isend(&out[i], 1, MPI_INT, right, TAG, comms[i],
			  &requests[i]);
	for (int i = COMMS - 1; i >= 0; i--) {
		MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i],
			 MPI_STATUS_IGNORE);
		must(in == left * COMMS + i);
	}
	MPI_Waitall(COMMS, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < COMMS; i++)
		MPI_Comm_free(&comms[i]);
}

static void split(void)
{
	int half_rank, half_ranks, sum, expected = 0;
	MPI_Comm half;

	/* in the opposite order */
	MPI_Comm_split(ALL, rank % 2, ranks - rank, &half);
	MPI_Comm_rank(half, &half_rank);
	MPI_Comm_size(half, &half_ranks);
	must(half_ranks == (ranks + 1 - rank % 2) / 2);
	must(half_rank == half_ranks - 1 - rank / 2);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
	for (int i = rank % 2; i < ranks; i += 2)
		expected += i;
	must(sum == expected);
	MPI_Comm_free(&half);
}

static void groups(void)
{
	MPI_Group all, some;
	int first = 0, sum;
	MPI_Comm rest;

	MPI_Comm_group(ALL, &all);
	MPI_Group_excl(all, 1, &first, &some);
	MPI_Comm_create(ALL, some, &rest);
	must((rest == MPI_COMM_NULL) == (rank == 0));
	if (rank) {
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, rest);
		must(sum == ranks * (ranks - 1) / 2);
		MPI_Comm_free(&rest);
	}
	MPI_Group_free(&some);
	MPI_Group_free(&all);
}

/* Even ranks on one side, odd ones on the other */
static void between_groups(void)
{
	int side = rank % 2, others, sum, order;
	MPI_Comm half, both, merged;
	char out[3000], in[3000];

	MPI_Comm_split(ALL, side, rank, &half);
	MPI_Intercomm_create(half, 0, ALL, 1 - side, TAG, &both);
	MPI_Comm_remote_size(both, &others);
	must(others == (ranks + side) / 2);
	if (rank / 2 < others && rank / 2 < ranks / 2) {
		bench_fill(out, sizeof(out), rank);
		MPI_Sendrecv(out, sizeof(out), MPI_BYTE, rank / 2, TAG, in,
			     sizeof(in), MPI_BYTE, rank / 2, TAG, both,
			     MPI_STATUS_IGNORE);
		bench_check(in, sizeof(in), rank ^ 1);
	}
	MPI_Intercomm_merge(both, !side, &merged);
	MPI_Comm_rank(merged, &order);
	must(order == (side ? rank / 2 : ranks / 2 + rank / 2));
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
	must(sum == ranks * (ranks - 1) / 2);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
}

/* More communicators than a library keeps numbers for at once, one by one */
static void many(void)
{
	MPI_Comm comm;
	int sum;

	for (int i = 0; i < 200; i++) {
		MPI_Comm_dup(ALL, &comm);
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
		must(sum == i * ranks);
		MPI_Comm_free(&comm);
	}
}

/* Two more ranks, which run this program's other part */
static void spawn(void)
{
	char word[] = "spawned", *argv[] = { word, NULL };
	int error[2], sum, mine = 0;
	MPI_Comm children;

	MPI_Comm_spawn(ranks_program, argv, 2, MPI_INFO_NULL, 0, ALL, &children,
		       error);
	must(error[0] == MPI_SUCCESS && error[1] == MPI_SUCCESS);
	/* of a group the other group gets the sum */
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, children);
	must(sum == 1001 + 1002);
	MPI_Comm_disconnect(&children);
}

/* What the ranks that come later do */
int comm_spawned(void)
{
	int mine, sum, child;
	MPI_Comm parents;

	MPI_Init(NULL, NULL);
	MPI_Comm_get_parent(&parents);
	must(parents != MPI_COMM_NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &child);
	mine = 1001 + child;
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, parents);
	must(sum == 0);
	MPI_Comm_disconnect(&parents);
	MPI_Finalize();
	return 0;
}

static const struct ranks_case cases[] = {
	RANKS_CASE(duplicates),	    RANKS_CASE(split), RANKS_CASE(groups),
	RANKS_CASE(between_groups), RANKS_CASE(many),  RANKS_CASE(spawn),
};

const struct ranks_class comm_class = { "comm", cases, COUNT(cases) };
