/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of processors, as lists and as the masks of /sys.
 */
#ifndef _PRPCTL_CPUS_H
#define _PRPCTL_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 8192 /* that a kernel may be built for */
#define CPUS_WORD 32 /* of a mask, between its commas */
#define CPUS_MASK_LEN (CPUS_MAX / CPUS_WORD * 9 + 1)
#define CPUS_LIST_LEN (CPUS_MAX / 2 * 5 + 1) /* of every second one */

/**
 * struct cpus - a set of them
 * @word: a bit for each
 */
struct cpus {
	uint32_t word[CPUS_MAX / CPUS_WORD];
};

bool cpus_has(const struct cpus *cpus, unsigned int cpu);
bool cpus_parse_list(struct cpus *cpus, const char *text);
bool cpus_parse_mask(struct cpus *cpus, const char *text);
const char *cpus_print_list(const struct cpus *cpus, char text[CPUS_LIST_LEN]);
const char *cpus_print_mask(const struct cpus *cpus, char text[CPUS_MASK_LEN]);
int cpus_beyond(const struct cpus *cpus, const struct cpus *of);

#endif /* _PRPCTL_CPUS_H */
