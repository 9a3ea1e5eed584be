/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures in the text format of Prometheus.
 */
#ifndef _PRPCTL_METRICS_H
#define _PRPCTL_METRICS_H

#include "kernel/counters.h"
#include "kernel/nl.h"

int metrics_print(struct nl *nl, const struct counters *counters);

#endif /* _PRPCTL_METRICS_H */
