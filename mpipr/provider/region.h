/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory that peers may access. It is known by a key that the program chose,
 * and its bytes by their number, from 0.
 */
#ifndef MPIPR_REGION_H
#define MPIPR_REGION_H

#include "mpipr.h"

/**
 * struct mpipr_region - a memory region
 * @fid: for libfabric
 * @link: in mpipr_domain.regions; in none if peers have no business there
 * @domain: its domain
 * @base: its first byte
 * @len: how many
 * @access: what peers may do: FI_REMOTE_READ, FI_REMOTE_WRITE
 * @uses: accesses that are under way
 */
struct mpipr_region {
	struct fid_mr fid;
	struct mpipr_list link;
	struct mpipr_domain *domain;
	uint8_t *base;
	size_t len;
	uint64_t access;
	unsigned int uses;
};

void mpipr_region_init(struct mpipr_domain *domain);
int mpipr_region_get(struct mpipr_domain *domain, const struct mpipr_wire *wire,
		     uint64_t len, uint64_t access,
		     struct mpipr_region **region);
void mpipr_region_put(struct mpipr_region *region);

#endif
