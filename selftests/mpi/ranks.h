/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RANKS_H
#define RANKS_H

#include <mpi.h>
#include <stddef.h>

#include "bench.h"

/*
 * The parts of mpi_ranks. Each class of MPI operations is a list of cases that
 * all ranks run together; what fails ends all ranks. Messages go around the
 * ring of the ranks unless a case says otherwise.
 */

struct ranks_case {
	const char *name;
	void (*run)(void);
};

struct ranks_class {
	const char *name;
	const struct ranks_case *cases;
	int count;
};

#define RANKS_CASE(function) \
	{ \
#function, function \
	}

#define must(condition) \
	do { \
		if (!(condition)) \
			bench_fail("rank %d: %s:%d: not so: %s", rank, \
				   __FILE__, __LINE__, #condition); \
	} while (0)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern int rank, ranks;
extern int left, right; /* where messages of the ring come from and go to */

/* Around where providers change their ways */
extern const size_t ranks_sizes[];
extern const int ranks_nr_sizes;

extern const struct ranks_class send_class, types_class, collective_class;
extern const struct ranks_class comm_class, window_class, io_class;
extern const struct ranks_class threads_class, large_class, death_class;

extern char *ranks_program; /* what to start for more ranks */

int comm_spawned(void);
void *ranks_buffer(size_t size);
int ranks_count(const MPI_Status *status);

#endif
