// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the kernel for the counters of a namespace.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

/**
 * counters_add() - add a counter to a list
 * @counters: the list
 * @name: name of the counter
 * @value: its value
 *
 * Return: 0 or -ENOMEM.
 */
int counters_add(struct counters *counters, const char *name, uint64_t value)
{
	struct counter *bigger;

	if (counters->count == counters->room) {
		counters->room = counters->room ? counters->room * 2 : 128;
		bigger = reallocarray(counters->counter, counters->room,
				      sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		counters->counter = bigger;
	}
	bigger = &counters->counter[counters->count++];
	snprintf(bigger->name, sizeof(bigger->name), "%s", name);
	bigger->value = value;
	return 0;
}

/**
 * counter_take() - read a counter
 * @nest: attribute that has it
 * @counter: filled in
 *
 * Return: false if it has no name.
 */
bool counter_take(const struct nlattr *nest, struct counter *counter)
{
	const struct nlattr *attr;

	memset(counter, 0, sizeof(*counter));
	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == PRP_A_COUNTER_NAME)
			snprintf(counter->name, sizeof(counter->name), "%s",
				 mnl_attr_get_str(attr));
		else if (mnl_attr_get_type(attr) == PRP_A_COUNTER_VALUE)
			counter->value = mnl_attr_get_u64(attr);
	}
	return counter->name[0];
}

static int take_message(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	struct counter counter;
	int err = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (!err && mnl_attr_get_type(attr) == PRP_A_STATS_COUNTER &&
		    counter_take(attr, &counter))
			err = counters_add(data, counter.name, counter.value);
	return err;
}

/**
 * counters_fetch() - get the counters of a namespace
 * @nl: socket
 * @counters: empty; filled in; counters_free() it whatever this returns
 *
 * Return: 0 or a negative errno.
 */
int counters_fetch(struct nl *nl, struct counters *counters)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_STATS_GET, NLM_F_DUMP);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_message, counters);
}

/**
 * counters_free() - free a list
 * @counters: the list
 */
void counters_free(struct counters *counters)
{
	free(counters->counter);
	memset(counters, 0, sizeof(*counters));
}

/**
 * counter_is_gauge() - does a counter tell what is there now
 * @counter: the counter
 *
 * Return: whether it does, and may become smaller.
 */
bool counter_is_gauge(const struct counter *counter)
{
	return !strncmp(counter->name, "live_", 5) ||
	       !strncmp(counter->name, "pool_", 5);
}
