// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and sets how the kernel steers received frames, in /sys and /proc/sys.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/steer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/sysfs.h"

#define LOWER "lower_" /* begins the link to a device below one */
#define MACHINE_FLOWS "/proc/sys/net/core/rps_sock_flow_entries"
#define NUMBER_LEN 24
#define PATH_LEN 96

/**
 * steer_online() - get the processors that frames can go to
 * @cpus: set to those
 *
 * Return: 0 or a negative errno.
 */
int steer_online(struct cpus *cpus)
{
	char text[CPUS_LIST_LEN];
	int err;

	err = sysfs_read("devices/system/cpu/online", text, sizeof(text));
	return err ? err : cpus_parse_list(cpus, text) ? 0 : -EBADMSG;
}

/* ---- devices ---- */

struct below {
	int (*each)(const char *device, void *data);
	void *data;
	bool found;
};

static int look_below(const char *name, void *data)
{
	struct below *below = data;

	if (strncmp(name, LOWER, strlen(LOWER)))
		return 0;
	below->found = true;
	return steer_each(name + strlen(LOWER), below->each, below->data);
}

/**
 * steer_each() - find the devices whose frames come up on one
 * @device: name of the one: of a bridge, a bond, a VLAN or a macvlan it is
 *	those below it whose drivers hand frames up, which is where the kernel
 *	steers; of others itself
 * @each: called with the name of each; returns 0 to go on
 * @data: for it
 *
 * Return: what @each returned last, or a negative errno.
 */
int steer_each(const char *device, int (*each)(const char *device, void *data),
	       void *data)
{
	struct below below = { .each = each, .data = data };
	char path[PATH_LEN];
	int err;

	snprintf(path, sizeof(path), "class/net/%s", device);
	err = sysfs_each(path, look_below, &below);
	return err || below.found ? err : each(device, data);
}

/* ---- queues ---- */

static void queue_path(char path[PATH_LEN], const char *device, unsigned int nr,
		       const char *file)
{
	snprintf(path, PATH_LEN, "class/net/%s/queues/rx-%u/%s", device, nr,
		 file);
}

static int count_queue(const char *name, void *data)
{
	unsigned int *queues = data;

	*queues += !strncmp(name, "rx-", 3);
	return 0;
}

/**
 * steer_queues() - count the receive queues of a device
 * @device: its name
 *
 * Return: how many it has.
 */
unsigned int steer_queues(const char *device)
{
	unsigned int queues = 0;
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "class/net/%s/queues", device);
	sysfs_each(path, count_queue, &queues);
	return queues;
}

/**
 * steer_get() - read how frames of a queue are steered
 * @device: name of its device
 * @nr: number of the queue
 * @queue: filled in
 *
 * Return: 0 or a negative errno.
 */
int steer_get(const char *device, unsigned int nr, struct steer_queue *queue)
{
	char path[PATH_LEN], mask[CPUS_MASK_LEN], flows[NUMBER_LEN];
	int err;

	queue_path(path, device, nr, "rps_cpus");
	err = sysfs_read(path, mask, sizeof(mask));
	if (err)
		return err;
	queue_path(path, device, nr, "rps_flow_cnt");
	err = sysfs_read(path, flows, sizeof(flows));
	if (err)
		return err;
	queue->flows = strtoul(flows, NULL, 10);
	return cpus_parse_mask(&queue->cpus, mask) ? 0 : -EBADMSG;
}

/**
 * steer_set() - set how frames of a queue are steered
 * @device: name of its device
 * @nr: number of the queue
 * @queue: how
 *
 * Return: 0 or a negative errno.
 */
int steer_set(const char *device, unsigned int nr,
	      const struct steer_queue *queue)
{
	char path[PATH_LEN], mask[CPUS_MASK_LEN], flows[NUMBER_LEN];
	int err;

	queue_path(path, device, nr, "rps_cpus");
	err = sysfs_write(path, cpus_print_mask(&queue->cpus, mask));
	if (err)
		return err;
	queue_path(path, device, nr, "rps_flow_cnt");
	snprintf(flows, sizeof(flows), "%lu", queue->flows);
	return sysfs_write(path, flows);
}

/* ---- flows ---- */

/**
 * steer_share() - divide the flows among the queues of a device
 * @queues: how many it has
 *
 * Return: for each, a power of two that is not less than its part.
 */
unsigned long steer_share(unsigned int queues)
{
	unsigned long flows = STEER_FLOWS;

	while (flows / 2 * queues >= STEER_FLOWS)
		flows /= 2;
	return flows;
}

/**
 * steer_machine() - read for how many flows the machine knows the reader
 * @flows: set to that
 *
 * Return: 0 or a negative errno.
 */
int steer_machine(unsigned long *flows)
{
	char text[NUMBER_LEN];
	int err = sysctl_read(MACHINE_FLOWS, text, sizeof(text));

	*flows = err ? 0 : strtoul(text, NULL, 10);
	return err;
}

/**
 * steer_machine_raise() - have the machine know enough readers
 * @before: set to how many it knew
 *
 * Return: 0 or a negative errno.
 */
int steer_machine_raise(unsigned long *before)
{
	char text[NUMBER_LEN];
	int err = steer_machine(before);

	if (err || *before >= STEER_FLOWS)
		return err;
	snprintf(text, sizeof(text), "%d", STEER_FLOWS);
	return sysctl_write(MACHINE_FLOWS, text);
}
