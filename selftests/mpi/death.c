// SPDX-License-Identifier: GPL-2.0
/*
 * A rank that dies is an error of what the others call. It is kept in a file,
 * $MPI_ERROR_FILE, for mpiexec, which then ends all of them, may lose their
 * last words.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

#define ALL MPI_COMM_WORLD

/* Goes on until somebody kills the last rank. */
static void peer_is_killed(void)
{
	char message[64] = "", text[MPI_MAX_ERROR_STRING];
	const char *name = getenv("MPI_ERROR_FILE");
	int error, length;
	FILE *file;

	must(name);
	MPI_Comm_set_errhandler(ALL, MPI_ERRORS_RETURN);
	do {
		error = MPI_Sendrecv_replace(message, sizeof(message), MPI_BYTE,
					     right, 1, left, 1, ALL,
					     MPI_STATUS_IGNORE);
	} while (!error);
	MPI_Error_string(error, text, &length);
	file = fopen(name, "w");
	must(file && fprintf(file, "%s\n", text) > 0 && !fclose(file));
	MPI_Abort(ALL, 1);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(peer_is_killed),
};

const struct ranks_class death_class = { "death", cases, COUNT(cases) };
