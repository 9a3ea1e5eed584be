// SPDX-License-Identifier: GPL-2.0
/*
 * Derived datatypes: what lies apart in memory is sent as one message, and may
 * lie otherwise where it arrives.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

#define TAG 3
#define ALL MPI_COMM_WORLD

static void around(const void *out, int out_count, MPI_Datatype out_type,
		   void *in, int in_count, MPI_Datatype in_type)
{
	MPI_Sendrecv(out, out_count, out_type, right, TAG, in, in_count,
		     in_type, left, TAG, ALL, MPI_STATUS_IGNORE);
}

static int *numbers(int count, int first)
{
	int *all = malloc(count * sizeof(*all));

	must(all);
	for (int i = 0; i < count; i++)
		all[i] = first + i;
	return all;
}

/* A column of a square becomes a row. */
static void vector_of(int side)
{
	int *out = numbers(side * side, rank << 20), *in = numbers(side, 0);
	MPI_Datatype column;

	MPI_Type_vector(side, 1, side, MPI_INT, &column);
	MPI_Type_commit(&column);
	around(out + 1, 1, column, in, side, MPI_INT);
	for (int i = 0; i < side; i++)
		must(in[i] == (left << 20) + i * side + 1);
	/* and a row a column */
	around(in, side, MPI_INT, out + 2, 1, column);
	MPI_Type_free(&column);
	for (int i = 0; i < side; i++) {
		int before = (left + ranks - 1) % ranks;

		must(out[i * side + 2] == (before << 20) + i * side + 1);
		must(out[i * side + 1] == (rank << 20) + i * side + 1);
	}
	free(in);
	free(out);
}

static void vector(void)
{
	vector_of(4);
	vector_of(100);
	vector_of(1000);
}

/* Every second block of growing length */
static void indexed_of(int blocks)
{
	int *lengths = calloc(blocks, sizeof(int)), total = 0, at = 0;
	int *places = calloc(blocks, sizeof(int)), *out, *in;
	MPI_Datatype type;

	must(lengths && places);
	for (int i = 0; i < blocks; i++) {
		lengths[i] = i % 7;
		places[i] = at;
		at += 2 * lengths[i] + 1;
		total += lengths[i];
	}
	out = numbers(at, rank << 20);
	in = numbers(at, -at);
	MPI_Type_indexed(blocks, lengths, places, MPI_INT, &type);
	MPI_Type_commit(&type);
	around(out, 1, type, in, 1, type);
	for (int i = 0, k = 0; i < at; i++) {
		int inside;

		while (k + 1 < blocks && places[k + 1] <= i)
			k++;
		inside = i - places[k] < lengths[k];
		must(in[i] == (inside ? (left << 20) + i : i - at));
	}
	around(out, 1, type, in, total, MPI_INT);
	for (int k = 0, n = 0; k < blocks; k++)
		for (int i = 0; i < lengths[k]; i++)
			must(in[n++] == (left << 20) + places[k] + i);
	MPI_Type_free(&type);
	free(in);
	free(out);
	free(places);
	free(lengths);
}

static void indexed(void)
{
	indexed_of(1);
	indexed_of(10);
	indexed_of(5000);
	indexed_of(50000);
}

struct mixed {
	char letter;
	double number;
	short numbers[3];
};

static void structure_of(int count)
{
	struct mixed *out = ranks_buffer(count * sizeof(*out));
	struct mixed *in = ranks_buffer(count * sizeof(*in));
	int lengths[] = { 1, 1, 3 };
	MPI_Aint places[] = { offsetof(struct mixed, letter),
			      offsetof(struct mixed, number),
			      offsetof(struct mixed, numbers) };
	MPI_Datatype types[] = { MPI_CHAR, MPI_DOUBLE, MPI_SHORT };
	MPI_Datatype packed, type;

	for (int i = 0; i < count; i++) {
		out[i].letter = 'a' + (rank + i) % 26;
		out[i].number = rank + i / 1024.0;
		for (int k = 0; k < 3; k++)
			out[i].numbers[k] = rank + i + k;
	}
	MPI_Type_create_struct(3, lengths, places, types, &packed);
	MPI_Type_create_resized(packed, 0, sizeof(struct mixed), &type);
	MPI_Type_commit(&type);
	around(out, count, type, in, count, type);
	for (int i = 0; i < count; i++) {
		must(in[i].letter == 'a' + (left + i) % 26);
		must(in[i].number == left + i / 1024.0);
		for (int k = 0; k < 3; k++)
			must(in[i].numbers[k] == (short)(left + i + k));
	}
	MPI_Type_free(&packed);
	MPI_Type_free(&type);
	free(in);
	free(out);
}

static void structure(void)
{
	structure_of(1);
	structure_of(100);
	structure_of(20000);
}

/* A cube out of a larger cube, to another place in it */
static void subarray(void)
{
	enum { SIDE = 40, PART = 17, FROM = 5, TO = 19 };
	int sides[] = { SIDE, SIDE, SIDE }, parts[] = { PART, PART, PART };
	int from[] = { FROM, FROM, FROM }, to[] = { TO, TO, TO };
	int *out = numbers(SIDE * SIDE * SIDE, rank << 20);
	int *in = ranks_buffer(SIDE * SIDE * SIDE * sizeof(int));
	int shift = (TO - FROM) * (SIDE * SIDE + SIDE + 1), at;
	MPI_Datatype source, target;

	MPI_Type_create_subarray(3, sides, parts, from, MPI_ORDER_C, MPI_INT,
				 &source);
	MPI_Type_create_subarray(3, sides, parts, to, MPI_ORDER_C, MPI_INT,
				 &target);
	MPI_Type_commit(&source);
	MPI_Type_commit(&target);
	around(out, 1, source, in, 1, target);
	for (int i = TO; i < TO + PART; i++) {
		for (int j = TO; j < TO + PART; j++) {
			for (int k = TO; k < TO + PART; k++) {
				at = (i * SIDE + j) * SIDE + k;
				must(in[at] == (left << 20) + at - shift);
			}
		}
	}
	must((unsigned int)in[0] == 0xeeeeeeee);
	MPI_Type_free(&source);
	MPI_Type_free(&target);
	free(in);
	free(out);
}

/* Bytes packed by hand are what a type would have sent. */
static void pack(void)
{
	char packed[64];
	int position = 0, integer = 17 + rank;
	double number = 0.5 * rank, got_number;
	int got_integer;
	struct {
		int integer;
		double number;
	} got;
	int lengths[] = { 1, 1 };
	MPI_Aint places[] = { (char *)&got.integer - (char *)&got,
			      (char *)&got.number - (char *)&got };
	MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE }, type;

	MPI_Pack(&integer, 1, MPI_INT, packed, sizeof(packed), &position, ALL);
	MPI_Pack(&number, 1, MPI_DOUBLE, packed, sizeof(packed), &position,
		 ALL);
	MPI_Type_create_struct(2, lengths, places, types, &type);
	MPI_Type_commit(&type);
	around(packed, position, MPI_PACKED, &got, 1, type);
	must(got.integer == 17 + left && got.number == 0.5 * left);
	around(&got, 1, type, packed, position, MPI_PACKED);
	position = 0;
	MPI_Unpack(packed, sizeof(packed), &position, &got_integer, 1, MPI_INT,
		   ALL);
	MPI_Unpack(packed, sizeof(packed), &position, &got_number, 1,
		   MPI_DOUBLE, ALL);
	must(got_integer == 17 + (left + ranks - 1) % ranks);
	must(got_number == 0.5 * ((left + ranks - 1) % ranks));
	MPI_Type_free(&type);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(vector),   RANKS_CASE(indexed), RANKS_CASE(structure),
	RANKS_CASE(subarray), RANKS_CASE(pack),
};

const struct ranks_class types_class = { "types", cases, COUNT(cases) };
