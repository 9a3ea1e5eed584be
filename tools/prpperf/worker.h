/* SPDX-License-Identifier: GPL-2.0 */
/* A process that is an end of flows, as it is told. */
#ifndef _PRPPERF_WORKER_H
#define _PRPPERF_WORKER_H

/* The experiment that makes a process one, for who leads over ssh */
#define WORKER_WORD "worker"

int worker_run(void);

#endif
