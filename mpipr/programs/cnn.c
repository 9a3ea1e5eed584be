// SPDX-License-Identifier: GPL-2.0
/*
 * The discrete-time cellular neural network of the paper on a square lattice
 * with periodic boundary:
 *
 *	x_j(t+1) = I_j + sum over k in N(j) of A y_k(t)
 *		       + sum over k in N(j) of B u_k(t)		(3)
 *	y_j(t) = phi(x_j(t))					(4)
 *
 * with linear templates A and B of 3 x 3 weights, and for phi the linear
 * function that saturates at -1 and 1. All data are 32-bit floats.
 *
 * The lattice is cut into blocks, one a rank. Each block has a border one cell
 * wide, the halo, which the neighbours' cells are copied into before each
 * step: first the columns, then the rows, whose ends are cells that the
 * columns have just brought, so that corners need no messages of their own.
 * The outputs and inputs of the previous step are collected each time, as (3)
 * has it: a halo's cells are sent with both.
 *
 * An operation is an addition or a multiplication of (3): 18 products and 18
 * sums for a cell and a step. The comparisons of (4) are not counted.
 *
 * Rank 0 then computes the same on the whole lattice by itself, straight from
 * the formulas, with the sums in the same order: all bits must be the same.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define FLOPS_A_CELL 36
#define LARGEST 16384

enum side { LEFT, RIGHT, UP, DOWN, SIDES };

/* What a neighbour needs to know of a cell */
struct cell {
	float y; /* output */
	float u; /* input */
};

#define FLOATS ((int)(sizeof(struct cell) / sizeof(float)))

/* A rank's part of the lattice; a halo is around it. */
struct block {
	int rows, cols; /* without the halo */
	int row, col; /* where it begins in the lattice */
	int pitch; /* from one row to the next */
	int rank;
	int neighbour[SIDES];
	struct cell *now, *next;
	float *bias; /* I, without a halo */
	MPI_Comm grid;
	MPI_Datatype column; /* of cells, as high as the block */
};

/*
 * A is not symmetric, so that the outputs never come to rest: after any number
 * of steps a cell that was missed, or that came too late, shows.
 */
static const float template_a[3][3] = {
	{ -0.2f, 0.5f, -0.3f },
	{ 0.7f, 0.4f, -0.6f },
	{ 0.2f, -0.4f, 0.3f },
};

static const float template_b[3][3] = {
	{ -0.025f, -0.05f, -0.025f },
	{ -0.05f, 0.30f, -0.05f },
	{ -0.025f, -0.05f, -0.025f },
};

static int iterations = 100;

static float phi(float x)
{
	return x < -1 ? -1 : x > 1 ? 1 : x;
}

/* -1 to 1, by the place in the lattice and what it is for */
static float value_at(int lattice, int row, int col, int what)
{
	uint64_t x = ((uint64_t)what * lattice + row) * lattice + col + 1;

	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return (float)(int)(x >> 40) / (1 << 23) - 1;
}

static float first_output(int lattice, int row, int col)
{
	return value_at(lattice, row, col, 0);
}

static float input(int lattice, int row, int col)
{
	return value_at(lattice, row, col, 1);
}

static float bias(int lattice, int row, int col)
{
	return value_at(lattice, row, col, 2) / 16;
}

/* --- in parallel --- */

/* Where part `nr` of `parts` begins; the last one's end is that of the next. */
static int begin_of(int lattice, int nr, int parts)
{
	return (int64_t)lattice * nr / parts;
}

static struct cell *cell_at(const struct block *block, struct cell *cells,
			    int row, int col)
{
	return cells + (row + 1) * block->pitch + col + 1;
}

/* The processors are a torus, the squarer the better. */
static void make_block(struct block *block, int lattice)
{
	int dims[2] = { 0, 0 }, wraps[2] = { 1, 1 }, place[2], ranks;
	size_t cells;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Dims_create(ranks, 2, dims);
	if (lattice < dims[0])
		bench_fail("a lattice of %d is too small for %d ranks", lattice,
			   ranks);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &block->grid);
	MPI_Comm_rank(block->grid, &block->rank);
	MPI_Cart_coords(block->grid, block->rank, 2, place);
	MPI_Cart_shift(block->grid, 0, 1, &block->neighbour[UP],
		       &block->neighbour[DOWN]);
	MPI_Cart_shift(block->grid, 1, 1, &block->neighbour[LEFT],
		       &block->neighbour[RIGHT]);
	block->row = begin_of(lattice, place[0], dims[0]);
	block->rows = begin_of(lattice, place[0] + 1, dims[0]) - block->row;
	block->col = begin_of(lattice, place[1], dims[1]);
	block->cols = begin_of(lattice, place[1] + 1, dims[1]) - block->col;
	block->pitch = block->cols + 2;
	cells = (size_t)(block->rows + 2) * block->pitch;
	block->now = calloc(cells, sizeof(*block->now));
	block->next = calloc(cells, sizeof(*block->next));
	block->bias =
		calloc((size_t)block->rows * block->cols, sizeof(*block->bias));
	if (!block->now || !block->next || !block->bias)
		bench_fail("no memory for a lattice of %d", lattice);
	MPI_Type_vector(block->rows, FLOATS, block->pitch * FLOATS, MPI_FLOAT,
			&block->column);
	MPI_Type_commit(&block->column);
}

static void fill_block(struct block *block, int lattice)
{
	struct cell *cell;

	for (int i = 0; i < block->rows; i++) {
		for (int j = 0; j < block->cols; j++) {
			cell = cell_at(block, block->now, i, j);
			cell->y = first_output(lattice, block->row + i,
					       block->col + j);
			cell->u =
				input(lattice, block->row + i, block->col + j);
			cell_at(block, block->next, i, j)->u = cell->u;
			block->bias[i * block->cols + j] =
				bias(lattice, block->row + i, block->col + j);
		}
	}
}

static void free_block(struct block *block)
{
	MPI_Type_free(&block->column);
	MPI_Comm_free(&block->grid);
	free(block->bias);
	free(block->next);
	free(block->now);
}

/*
 * Both borders along one axis, which has `length` cells `stride` apart from the
 * first one on. A message's tag is the side that it leaves by, for with two
 * ranks along an axis both sides have the same neighbour.
 */
static void exchange(const struct block *block, enum side low, enum side high,
		     struct cell *first, int stride, int length,
		     MPI_Datatype type, int count)
{
	struct cell *last = first + (size_t)stride * (length - 1);
	MPI_Request requests[4];

	MPI_Irecv(first - stride, count, type, block->neighbour[low], high,
		  block->grid, &requests[0]);
	MPI_Irecv(last + stride, count, type, block->neighbour[high], low,
		  block->grid, &requests[1]);
	MPI_Isend(first, count, type, block->neighbour[low], low, block->grid,
		  &requests[2]);
	MPI_Isend(last, count, type, block->neighbour[high], high, block->grid,
		  &requests[3]);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void fill_halo(const struct block *block)
{
	exchange(block, LEFT, RIGHT, cell_at(block, block->now, 0, 0), 1,
		 block->cols, block->column, 1);
	exchange(block, UP, DOWN, cell_at(block, block->now, 0, -1),
		 block->pitch, block->rows, MPI_FLOAT, block->pitch * FLOATS);
}

static float neighbourhood(const struct cell *cell, int pitch, float x)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			x += template_a[i][j] * cell[(i - 1) * pitch + j - 1].y;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			x += template_b[i][j] * cell[(i - 1) * pitch + j - 1].u;
	return x;
}

static void step(struct block *block)
{
	const float *bias = block->bias;
	const struct cell *from;
	struct cell *to;

	for (int i = 0; i < block->rows; i++) {
		from = cell_at(block, block->now, i, 0);
		to = cell_at(block, block->next, i, 0);
		for (int j = 0; j < block->cols; j++, from++, to++)
			to->y = phi(neighbourhood(from, block->pitch, *bias++));
	}
	to = block->now;
	block->now = block->next;
	block->next = to;
}

/* Seconds that the slowest rank took */
static double run(struct block *block)
{
	double start, took, longest;

	MPI_Barrier(block->grid);
	start = MPI_Wtime();
	for (int i = 0; i < iterations; i++) {
		fill_halo(block);
		step(block);
	}
	took = MPI_Wtime() - start;
	MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, block->grid);
	return longest;
}

/* --- and once more, by one --- */

static float serial_cell(const float *y, const float *u, int lattice, int row,
			 int col)
{
	float x = bias(lattice, row, col);
	int rows[3], cols[3];

	for (int k = 0; k < 3; k++) {
		rows[k] = (row + k - 1 + lattice) % lattice;
		cols[k] = (col + k - 1 + lattice) % lattice;
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			x += template_a[i][j] * y[rows[i] * lattice + cols[j]];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			x += template_b[i][j] * u[rows[i] * lattice + cols[j]];
	return phi(x);
}

/* The outputs of all cells; the caller frees them. */
static float *serial_run(int lattice)
{
	size_t cells = (size_t)lattice * lattice;
	float *y = malloc(cells * sizeof(*y)), *u = malloc(cells * sizeof(*u));
	float *next = malloc(cells * sizeof(*next)), *swap;

	if (!y || !u || !next)
		bench_fail("no memory for a lattice of %d", lattice);
	for (int i = 0; i < lattice; i++) {
		for (int j = 0; j < lattice; j++) {
			y[i * lattice + j] = first_output(lattice, i, j);
			u[i * lattice + j] = input(lattice, i, j);
		}
	}
	for (int t = 0; t < iterations; t++) {
		for (int i = 0; i < lattice; i++)
			for (int j = 0; j < lattice; j++)
				next[i * lattice + j] =
					serial_cell(y, u, lattice, i, j);
		swap = y;
		y = next;
		next = swap;
	}
	free(next);
	free(u);
	return y;
}

/* Each rank is told what its block must be, and compares. */
static void check(const struct block *block, int lattice)
{
	size_t cells = (size_t)lattice * lattice;
	float *all = block->rank ? malloc(cells * sizeof(*all)) :
				   serial_run(lattice);
	float got, must;
	int row, col;

	if (!all)
		bench_fail("no memory for a lattice of %d", lattice);
	MPI_Bcast(all, cells, MPI_FLOAT, 0, block->grid);
	for (int i = 0; i < block->rows; i++) {
		for (int j = 0; j < block->cols; j++) {
			row = block->row + i;
			col = block->col + j;
			got = cell_at(block, block->now, i, j)->y;
			must = all[row * lattice + col];
			if (memcmp(&got, &must, sizeof(got)))
				bench_fail("L = %d, y(%d,%d) = %a, must be %a",
					   lattice, row, col, got, must);
		}
	}
	free(all);
}

static void one_lattice(int lattice)
{
	struct block block = {};
	double flops = (double)FLOPS_A_CELL * lattice * lattice * iterations;
	double seconds;

	make_block(&block, lattice);
	fill_block(&block, lattice);
	seconds = run(&block);
	check(&block, lattice);
	if (!block.rank)
		printf("%9d %11d %12.6f %10.3f  same-as-serial\n", lattice,
		       iterations, seconds, flops / seconds / 1e6);
	fflush(stdout);
	free_block(&block);
}

static void refuse(void)
{
	fprintf(stderr, "Usage: cnn [-n ITERATIONS] [-l LATTICE]...\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
	int lattices[64] = { 8, 16, 32, 64, 128, 256, 512 };
	int count = 7, rank, option, given = 0;

	rank = bench_begin(&argc, &argv, 1);
	while ((option = getopt(argc, argv, "n:l:")) != -1) {
		if (option == 'n')
			iterations = bench_number(optarg, 1000000);
		else if (option == 'l' && given < 64)
			lattices[given++] = bench_number(optarg, LARGEST);
		else
			refuse();
	}
	if (optind != argc)
		refuse();
	if (given)
		count = given;
	if (!rank)
		printf("# lattice  iterations      seconds   M-Flop/s  check\n");
	for (int i = 0; i < count; i++)
		one_lattice(lattices[i]);
	MPI_Finalize();
	return 0;
}
