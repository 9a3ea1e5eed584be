/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reading what comes on a connection. */
#ifndef MPIPR_READ_H
#define MPIPR_READ_H

#include "conn.h"

void mpipr_read(struct mpipr_conn *conn, bool to_end);
bool mpipr_read_sleep(struct mpipr_conn *conn);
void mpipr_read_resume(struct mpipr_conn *conn);

#endif
