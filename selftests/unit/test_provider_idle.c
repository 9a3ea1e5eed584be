// SPDX-License-Identifier: GPL-2.0
/*
 * MPIPR's provider: who polls in vain sleeps, who does something else does
 * not. The clock of processor time is the test's, and so is epoll_wait().
 */
#include "provider_ends.h"
#include "wrapped.h"

static uint64_t used_ns, poll_ns;
static unsigned int sleeps;

int __wrap_clock_gettime(clockid_t clock, struct timespec *at)
{
	if (clock != CLOCK_PROCESS_CPUTIME_ID)
		return __real_clock_gettime(clock, at);
	at->tv_sec = used_ns / 1000000000;
	at->tv_nsec = used_ns % 1000000000;
	return 0;
}

/* Nothing ever comes. */
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max,
		      int timeout_ms)
{
	used_ns += poll_ns;
	if (timeout_ms)
		sleeps++;
	return 0;
}

/* So many polls in vain by a program that does something else meanwhile */
static unsigned int sleeps_in(size_t polls, uint64_t work_ns)
{
	struct fi_cq_tagged_entry entry;

	sleeps = 0;
	for (size_t i = 0; i < polls; i++) {
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
		used_ns += work_ns;
	}
	return sleeps;
}

static void idle(uint64_t ns_of_a_poll, uint64_t work_ns)
{
	open_both();
	poll_ns = ns_of_a_poll;
	expect_eq(sleeps_in(mpipr_param.polls - 1, work_ns), 0);
	expect_eq(sleeps_in(1, work_ns), 1);
	/* Then half as many decide again. */
	expect_eq(sleeps_in(mpipr_param.polls / 2 - 1, work_ns), 0);
	expect_eq(sleeps_in(1, work_ns), 1);
	close_both();
}

static void busy(uint64_t ns_of_a_poll, uint64_t work_ns)
{
	open_both();
	poll_ns = ns_of_a_poll;
	expect_eq(sleeps_in(10 * mpipr_param.polls, work_ns), 0);
	close_both();
}

UNIT(provider_idle__sleeps)
{
	idle(500, 2500);
}

UNIT(provider_idle__sleeps_where_polls_are_slow)
{
	idle(40000, 40000);
}

UNIT(provider_idle__works)
{
	busy(500, 5000);
}

UNIT(provider_idle__works_where_polls_are_slow)
{
	busy(40000, 200000);
}

/* As the user has asked for: not one poll before it sleeps */
UNIT(provider_idle__sleeps_at_once)
{
	for (size_t polls = 0; polls < 2; polls++) {
		open_both();
		mpipr_param.polls = polls;
		poll_ns = 500;
		expect_eq(sleeps_in(3, 500), 3);
		close_both();
	}
}
