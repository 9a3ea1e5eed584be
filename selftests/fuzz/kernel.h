/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands for the kernel where prpctl is fuzzed.
 */
#ifndef _SELFTESTS_FUZZ_KERNEL_H
#define _SELFTESTS_FUZZ_KERNEL_H

#include "fuzz.h"

/* What is left to be answered with; behind the end it knows of nothing */
extern struct bytes kernel_knows;

#endif
