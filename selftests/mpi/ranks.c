// SPDX-License-Identifier: GPL-2.0
/*
 * Runs MPI operations of the classes named, or cases CLASS.CASE, on all ranks:
 *
 *	mpi_ranks CLASS[.CASE]...
 *
 * Rank 0 prints which cases passed and, last, how many.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

int rank, ranks, left, right;

const size_t ranks_sizes[] = { 0,     1,     8,	    64,		  1023,
			       1024,  1025,  4096,  16383,	  16384,
			       16385, 65536, 65537, (1 << 20) + 3 };
const int ranks_nr_sizes = COUNT(ranks_sizes);

static const struct ranks_class *const classes[] = {
	&send_class,	&types_class,  &collective_class,
	&comm_class,	&window_class, &io_class,
	&threads_class, &large_class,  &death_class,
};

char *ranks_program;

/* Is the word the class, or the case with the class before it? */
static int is_named(const char *word, const char *class, const char *name)
{
	size_t length = strlen(class);

	return !strncmp(word, class, length) &&
	       (!word[length] ||
		(word[length] == '.' && !strcmp(word + length + 1, name)));
}

static int run_class(const struct ranks_class *class, const char *word)
{
	int passed = 0;

	for (int i = 0; i < class->count; i++) {
		if (!is_named(word, class->name, class->cases[i].name))
			continue;
		class->cases[i].run();
		MPI_Barrier(MPI_COMM_WORLD);
		passed++;
		if (!rank) {
			printf("passed: %s.%s\n", class->name,
			       class->cases[i].name);
			fflush(stdout);
		}
	}
	return passed;
}

/* Only programs with threads ask for them. */
static void begin(int *argc, char ***argv)
{
	int wanted = MPI_THREAD_SINGLE, have;

	for (int i = 1; i < *argc; i++)
		if (!strncmp((*argv)[i], threads_class.name,
			     strlen(threads_class.name)))
			wanted = MPI_THREAD_MULTIPLE;
	MPI_Init_thread(argc, argv, wanted, &have);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	must(have >= wanted);
	must(ranks >= 2);
	left = (rank + ranks - 1) % ranks;
	right = (rank + 1) % ranks;
}

/* As large as asked for, with no bytes of a message in it */
void *ranks_buffer(size_t size)
{
	void *buffer = malloc(size + 1);

	must(buffer);
	memset(buffer, 0xee, size + 1);
	return buffer;
}

int ranks_count(const MPI_Status *status)
{
	int count;

	MPI_Get_count(status, MPI_BYTE, &count);
	return count;
}

int main(int argc, char **argv)
{
	int passed = 0, before;

	ranks_program = argv[0];
	if (argc == 2 && !strcmp(argv[1], "spawned"))
		return comm_spawned();
	begin(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		before = passed;
		for (int k = 0; k < COUNT(classes); k++)
			passed += run_class(classes[k], argv[i]);
		if (passed == before)
			bench_fail("no such class or case: %s", argv[i]);
	}
	MPI_Finalize();
	if (!rank)
		printf("all %d passed\n", passed);
	return 0;
}
