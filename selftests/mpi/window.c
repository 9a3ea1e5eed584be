// SPDX-License-Identifier: GPL-2.0
/*
 * One-sided operations on windows, with each way to synchronise them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

#define ALL MPI_COMM_WORLD

static MPI_Win window_of(size_t bytes, void *at)
{
	MPI_Win win;

	MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, ALL, at, &win);
	memset(*(void **)at, 0, bytes);
	MPI_Barrier(ALL);
	return win;
}

static void put_of(size_t size)
{
	char *out = ranks_buffer(size), *there;
	MPI_Win win = window_of(size, &there);

	bench_fill(out, size, rank);
	MPI_Win_fence(0, win);
	MPI_Put(out, size, MPI_BYTE, right, 0, size, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	bench_check(there, size, left);
	MPI_Win_free(&win);
	free(out);
}

static void get_of(size_t size)
{
	char *in = ranks_buffer(size), *here;
	MPI_Win win = window_of(size, &here);

	bench_fill(here, size, rank);
	MPI_Win_fence(0, win);
	MPI_Get(in, size, MPI_BYTE, right, 0, size, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	bench_check(in, size, right);
	MPI_Win_free(&win);
	free(in);
}

static void put(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++)
		put_of(ranks_sizes[i]);
}

static void get(void)
{
	for (int i = 0; i < ranks_nr_sizes; i++)
		get_of(ranks_sizes[i]);
}

/* Many at once: each word comes from, and goes to, its own place. */
static void flood(void)
{
	enum { WORDS = 20000 };
	int *in = ranks_buffer(WORDS * sizeof(int)), *here;
	int *out = ranks_buffer(WORDS * sizeof(int));
	MPI_Win win = window_of(2 * WORDS * sizeof(int), &here);

	for (int i = 0; i < WORDS; i++) {
		here[i] = rank * WORDS + i;
		out[i] = -here[i];
	}
	MPI_Win_fence(0, win);
	for (int i = 0; i < WORDS; i++) {
		MPI_Get(in + i, 1, MPI_INT, right, i * sizeof(int), 1, MPI_INT,
			win);
		MPI_Put(out + i, 1, MPI_INT, left, (WORDS + i) * sizeof(int), 1,
			MPI_INT, win);
	}
	MPI_Win_fence(0, win);
	for (int i = 0; i < WORDS; i++) {
		must(in[i] == right * WORDS + i);
		must(here[WORDS + i] == -(right * WORDS + i));
	}
	MPI_Win_free(&win);
	free(in);
	free(out);
}

/* Every other word of a window, from every third one of a buffer */
static void strided(void)
{
	enum { WORDS = 1000 };
	int *here, out[3 * WORDS], in[3 * WORDS];
	MPI_Win win = window_of(2 * WORDS * sizeof(int), &here);
	MPI_Datatype second, third;

	MPI_Type_vector(WORDS, 1, 2, MPI_INT, &second);
	MPI_Type_vector(WORDS, 1, 3, MPI_INT, &third);
	MPI_Type_commit(&second);
	MPI_Type_commit(&third);
	for (int i = 0; i < 3 * WORDS; i++) {
		out[i] = rank * 10000 + i;
		in[i] = -1;
	}
	MPI_Win_fence(0, win);
	MPI_Put(out, 1, third, right, 0, 1, second, win);
	MPI_Win_fence(0, win);
	MPI_Get(in, 1, third, left, 0, 1, second, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < WORDS; i++) {
		must(here[2 * i] == left * 10000 + 3 * i);
		must(here[2 * i + 1] == 0);
		must(in[3 * i] == (left + ranks - 1) % ranks * 10000 + 3 * i);
		must(in[3 * i + 1] == -1);
	}
	MPI_Type_free(&second);
	MPI_Type_free(&third);
	MPI_Win_free(&win);
}

/* All ranks add to all places of all windows at once. */
static void accumulate(void)
{
	enum { PLACES = 3000 };
	int *mine, ones[PLACES];
	MPI_Win win = window_of(PLACES * sizeof(int), &mine);

	for (int i = 0; i < PLACES; i++)
		ones[i] = rank + i;
	MPI_Win_fence(0, win);
	for (int to = 0; to < ranks; to++)
		MPI_Accumulate(ones, PLACES, MPI_INT, to, 0, PLACES, MPI_INT,
			       MPI_SUM, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < PLACES; i++)
		must(mine[i] == ranks * (ranks - 1) / 2 + ranks * i);
	MPI_Win_free(&win);
}

/* A counter that everybody takes numbers from: each number once */
static void fetch_and_add(void)
{
	enum { EACH = 50 };
	int *counter, one = 1, got, last = -1;
	MPI_Win win = window_of(sizeof(int), &counter);

	MPI_Win_lock_all(0, win);
	for (int i = 0; i < EACH; i++) {
		MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		must(got > last && got < EACH * ranks);
		last = got;
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(ALL);
	if (!rank) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		must(*counter == EACH * ranks);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

/* Only one of all ranks finds what it compares with. */
static void compare_and_swap(void)
{
	int *place, none = 0, mine = rank + 1, found, winners, won;
	MPI_Win win = window_of(sizeof(int), &place);

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Compare_and_swap(&mine, &none, &found, MPI_INT, 0, 0, win);
	MPI_Win_unlock(0, win);
	won = found == 0;
	MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, ALL);
	must(winners == 1);
	must(found >= 0 && found <= ranks);
	MPI_Win_free(&win);
}

/* Read, changed and written back under a lock: no change gets lost. */
static void exclusive_lock(void)
{
	enum { EACH = 20 };
	int *value, got;
	MPI_Win win = window_of(sizeof(int), &value);

	for (int i = 0; i < EACH; i++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		got++;
		MPI_Put(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(ALL);
	if (!rank) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		must(*value == EACH * ranks);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

/* Between neighbours only */
static void post_and_start(void)
{
	int *here, value = rank + 100;
	MPI_Win win = window_of(sizeof(int), &here);
	MPI_Group all, from, to;

	MPI_Comm_group(ALL, &all);
	MPI_Group_incl(all, 1, &left, &from);
	MPI_Group_incl(all, 1, &right, &to);
	MPI_Win_post(from, 0, win);
	MPI_Win_start(to, 0, win);
	MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	must(*here == left + 100);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Group_free(&all);
	MPI_Win_free(&win);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(put),
	RANKS_CASE(get),
	RANKS_CASE(flood),
	RANKS_CASE(strided),
	RANKS_CASE(accumulate),
	RANKS_CASE(fetch_and_add),
	RANKS_CASE(compare_and_swap),
	RANKS_CASE(exclusive_lock),
	RANKS_CASE(post_and_start),
};

const struct ranks_class window_class = { "window", cases, COUNT(cases) };
