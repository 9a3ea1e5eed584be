/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flow: rounds in which the client sends messages and the server answers some
 * of them. All experiments are made of such flows.
 */
#ifndef _PRPPERF_FLOW_H
#define _PRPPERF_FLOW_H

#include "family.h"
#include "spec.h"

void flow_prepare(void);
const char *flow_refuses(const struct family *family, const struct spec *spec);
void flow_call(struct end *end, const struct spec *spec, struct result *result);
uint64_t flow_within(uint64_t from, uint64_t to);
void flow_serve(struct end *ends, const struct spec *spec,
		struct result *result);

#endif
