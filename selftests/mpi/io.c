// SPDX-License-Identifier: GPL-2.0
/*
 * Input and output: all ranks write one file, $MPI_IO_FILE, and read what the
 * others have written.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdlib.h>
#include <unistd.h>

#include "ranks.h"

#define ALL MPI_COMM_WORLD
#define EACH 100000

static MPI_File open_file(int mode)
{
	const char *name = getenv("MPI_IO_FILE");
	MPI_File file;

	must(name);
	must(MPI_File_open(ALL, name, mode, MPI_INFO_NULL, &file) ==
	     MPI_SUCCESS);
	return file;
}

/* Each its part, one after another in the file */
static void in_a_row(void)
{
	MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
	char *data = ranks_buffer(EACH);
	MPI_Offset size;

	bench_fill(data, EACH, rank);
	MPI_File_write_at_all(file, (MPI_Offset)rank * EACH, data, EACH,
			      MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_sync(file);
	MPI_Barrier(ALL);
	MPI_File_sync(file);
	MPI_File_get_size(file, &size);
	must(size == (MPI_Offset)ranks * EACH);
	MPI_File_read_at(file, (MPI_Offset)right * EACH, data, EACH, MPI_BYTE,
			 MPI_STATUS_IGNORE);
	bench_check(data, EACH, right);
	free(data);
	MPI_File_close(&file);
}

/* Interleaved through a view, so that ranks must bring data together */
static void interleaved(void)
{
	enum { PIECE = 100, PIECES = 200 };
	char *data = ranks_buffer(PIECE * PIECES);
	char *all = ranks_buffer((size_t)PIECE * PIECES * ranks);
	MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
	MPI_Datatype view;

	bench_fill(data, PIECE * PIECES, rank);
	MPI_Type_vector(PIECES, PIECE, PIECE * ranks, MPI_BYTE, &view);
	MPI_Type_commit(&view);
	MPI_File_set_view(file, (MPI_Offset)rank * PIECE, MPI_BYTE, view,
			  "native", MPI_INFO_NULL);
	MPI_File_write_all(file, data, PIECE * PIECES, MPI_BYTE,
			   MPI_STATUS_IGNORE);
	MPI_File_sync(file);
	MPI_Barrier(ALL);
	MPI_File_sync(file);
	MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	MPI_File_read_all(file, all, PIECE * PIECES * ranks, MPI_BYTE,
			  MPI_STATUS_IGNORE);
	for (int from = 0; from < ranks; from++) {
		for (int i = 0; i < PIECES; i++)
			for (int k = 0; k < PIECE; k++)
				data[i * PIECE + k] =
					all[(i * ranks + from) * PIECE + k];
		bench_check(data, PIECE * PIECES, from);
	}
	MPI_Type_free(&view);
	MPI_File_close(&file);
	free(all);
	free(data);
}

static const struct ranks_case cases[] = {
	RANKS_CASE(in_a_row),
	RANKS_CASE(interleaved),
};

const struct ranks_class io_class = { "io", cases, COUNT(cases) };
