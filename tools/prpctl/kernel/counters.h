/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, and what is told beside them.
 */
#ifndef _PRPCTL_COUNTERS_H
#define _PRPCTL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/nl.h"

#define COUNTER_NAME_LEN 48

/**
 * struct counter - one of them
 * @name: its name
 * @value: its value
 */
struct counter {
	char name[COUNTER_NAME_LEN];
	uint64_t value;
};

/**
 * struct counters - a list
 * @counter: counters, in the order in which they are shown
 * @count: how many
 * @room: how many @counter has memory for
 */
struct counters {
	struct counter *counter;
	size_t count;
	size_t room;
};

bool counter_take(const struct nlattr *nest, struct counter *counter);
int counters_add(struct counters *counters, const char *name, uint64_t value);
int counters_fetch(struct nl *nl, struct counters *counters);
void counters_free(struct counters *counters);
bool counter_is_gauge(const struct counter *counter);

#endif /* _PRPCTL_COUNTERS_H */
