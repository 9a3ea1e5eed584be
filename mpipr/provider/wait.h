/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a poll in vain sleeps. What MPI_Recv() polls and what MPI_Test()
 * polls is the same call, so it is told by what the program did before.
 */
#ifndef MPIPR_WAIT_H
#define MPIPR_WAIT_H

#include "mpipr.h"

bool mpipr_wait_is_sure(const struct mpipr_domain *domain);
unsigned int mpipr_wait_first(struct mpipr_domain *domain);
void mpipr_wait_yield(struct mpipr_domain *domain);
unsigned int mpipr_wait_vain(struct mpipr_domain *domain);
void mpipr_wait_slept(struct mpipr_domain *domain);
void mpipr_wait_over(struct mpipr_domain *domain);
void mpipr_wait_works(struct mpipr_domain *domain);

#endif
