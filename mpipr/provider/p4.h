/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The writes of MPICH 1.0's ch_p4, to compare with (paper 004, section 3.2):
 * a packet is two writes, a header of 40 bytes and then its body. Up to a
 * cut-off the data is in the body of the packet that announces it, two writes
 * a message; above it the data is a packet of its own, four writes.
 *
 * Pure: which bytes go out with which write, and how many may be read.
 */
#ifndef MPIPR_P4_H
#define MPIPR_P4_H

#include <stddef.h>
#include <stdint.h>

#include "wire.h"

#define MPIPR_P4_HEADER 40 /* bytes */
#define MPIPR_P4_CUTOFF 1024 /* largest payload that shares a body, bytes */

/**
 * struct mpipr_p4 - where the reader of such a stream is
 * @header: packet header, as far as it is here
 * @have: bytes of @header that are here
 * @body: bytes of the packet's body that did not come yet
 */
struct mpipr_p4 {
	uint8_t header[MPIPR_P4_HEADER];
	size_t have;
	uint64_t body;
};

void mpipr_p4_put(uint8_t *to, uint64_t body);
size_t mpipr_p4_header(struct mpipr_p4 *p4, uint8_t **to);
void mpipr_p4_took(struct mpipr_p4 *p4, size_t bytes);

#endif
