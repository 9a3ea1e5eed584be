/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own steering of received frames to processors, RPS and RFS.
 */
#ifndef _PRPCTL_STEER_H
#define _PRPCTL_STEER_H

#include "kernel/cpus.h"

#define STEER_FLOWS 32768 /* that RFS keeps apart */

/**
 * struct steer_queue - how frames of a receive queue are steered
 * @cpus: processors that they may go to, by connection; nobody: they stay
 * @flows: that go to where they are read, if the machine has some, too; or 0
 */
struct steer_queue {
	struct cpus cpus;
	unsigned long flows;
};

int steer_online(struct cpus *cpus);
int steer_each(const char *device, int (*each)(const char *device, void *data),
	       void *data);
unsigned int steer_queues(const char *device);
int steer_get(const char *device, unsigned int nr, struct steer_queue *queue);
int steer_set(const char *device, unsigned int nr,
	      const struct steer_queue *queue);
unsigned long steer_share(unsigned int queues);
int steer_machine(unsigned long *flows);
int steer_machine_raise(unsigned long *before);

#endif /* _PRPCTL_STEER_H */
