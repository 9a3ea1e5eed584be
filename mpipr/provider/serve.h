/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What peers do with the memory that is registered for them. */
#ifndef MPIPR_SERVE_H
#define MPIPR_SERVE_H

#include "inflow.h"

struct mpipr_conn;

int mpipr_serve(struct mpipr_conn *conn, const struct mpipr_wire *wire);
void mpipr_serve_arrived(struct mpipr_inflow *in);

#endif
