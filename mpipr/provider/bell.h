/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a program sleeps on that waits for completions. */
#ifndef MPIPR_BELL_H
#define MPIPR_BELL_H

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

struct mpipr_domain;

/**
 * enum mpipr_bell_state - whether anybody may sleep
 * @MPIPR_BELL_IDLE: nobody does
 * @MPIPR_BELL_ARMED: who does is to be woken
 * @MPIPR_BELL_RUNG: who does is woken, or was
 */
enum mpipr_bell_state {
	MPIPR_BELL_IDLE,
	MPIPR_BELL_ARMED,
	MPIPR_BELL_RUNG,
};

/**
 * struct mpipr_bell - what is rung for who sleeps
 * @domain: its domain
 * @offered: what the program may wait for: FI_WAIT_NONE or FI_WAIT_FD
 * @state: whether anybody may sleep
 * @fd: readable when something may have come; -1 before the first sleep
 * @event: readable when it was rung; -1 likewise
 */
struct mpipr_bell {
	struct mpipr_domain *domain;
	enum fi_wait_obj offered;
	enum mpipr_bell_state state;
	int fd;
	int event;
};

int mpipr_bell_offers(enum fi_wait_obj wanted);
int mpipr_bell_init(struct mpipr_bell *bell, struct mpipr_domain *domain,
		    enum fi_wait_obj wanted);
void mpipr_bell_close(struct mpipr_bell *bell);
int mpipr_bell_arm(struct mpipr_bell *bell);
void mpipr_bell_wake(struct mpipr_bell *bell);
int mpipr_bell_sleep(struct mpipr_bell *bell, int timeout_ms);
int mpipr_bell_control(struct mpipr_bell *bell, int command, void *arg);

/**
 * mpipr_bell_ring() - something came
 * @bell: bell; its domain's lock is held
 */
static inline void mpipr_bell_ring(struct mpipr_bell *bell)
{
	if (bell->state == MPIPR_BELL_ARMED)
		mpipr_bell_wake(bell);
}

#endif
