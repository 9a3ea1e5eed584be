// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints' bodies; trace.h has what they tell.
 */
#define CREATE_TRACE_POINTS
#include "see/trace.h"
