// SPDX-License-Identifier: GPL-2.0
/*
 * A message of more than 2 GiB, whose length no int holds. So that a small
 * machine has room for it, its pages are the same few ones over and over; how
 * many they are is a prime, so that what is displaced is seen.
 *
 * Copyright (C) 2026 The PRP authors
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ranks.h"

#define PAGE 4096
#define PERIOD ((size_t)PAGE * 4099)
#define PIECE 4099
#define PIECES 524000
#define SIZE ((size_t)PIECE * PIECES)
#define TAG 9

_Static_assert(SIZE > (size_t)2 << 30, "more than an int holds");

static void *repeated(void)
{
	size_t room = (SIZE + PERIOD - 1) / PERIOD * PERIOD;
	int fd = memfd_create("message", 0);
	char *at;

	must(fd >= 0 && !ftruncate(fd, PERIOD));
	at = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(at != MAP_FAILED);
	for (size_t i = 0; i < room; i += PERIOD)
		must(mmap(at + i, PERIOD, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0) == at + i);
	close(fd);
	return at;
}

static void more_than_2_gib(void)
{
	char *message = repeated();
	MPI_Status status;
	MPI_Datatype piece;
	MPI_Count count;

	MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
	MPI_Type_commit(&piece);
	if (rank == 0) {
		bench_fill(message, PERIOD, 1);
		MPI_Send(message, PIECES, piece, 1, TAG, MPI_COMM_WORLD);
		MPI_Recv(message, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(message, PIECES, piece, 0, TAG, MPI_COMM_WORLD,
			 &status);
		MPI_Get_elements_x(&status, MPI_BYTE, &count);
		must(count == SIZE);
		bench_check(message, PERIOD, 1);
		MPI_Send(message, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
	}
	MPI_Type_free(&piece);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(more_than_2_gib),
};

const struct ranks_class large_class = { "large", cases, COUNT(cases) };
