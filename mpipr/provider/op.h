/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an atomic operation does with a place in memory, for each type.
 *
 * Pure: of libfabric it has the numbers of types and operations.
 */
#ifndef MPIPR_OP_H
#define MPIPR_OP_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * enum mpipr_op_kind - what an atomic operation takes and gives
 * @MPIPR_OP_WRITE: takes operands
 * @MPIPR_OP_FETCH: takes operands, but for FI_ATOMIC_READ, and gives what was
 *	there before
 * @MPIPR_OP_COMPARE: takes operands and what to compare with, and gives what
 *	was there before
 */
enum mpipr_op_kind {
	MPIPR_OP_WRITE,
	MPIPR_OP_FETCH,
	MPIPR_OP_COMPARE,
};

size_t mpipr_op_size(unsigned int type);
bool mpipr_op_is_valid(unsigned int kind, unsigned int type, unsigned int op);
void mpipr_op_do(unsigned int type, unsigned int op, void *at, const void *with,
		 const void *compare, size_t count);

#endif
