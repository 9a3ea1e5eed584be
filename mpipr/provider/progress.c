// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Progress: whoever polls a completion queue makes it. Who polls in vain
 * again and again, and does nothing else, sleeps until something comes, a
 * millisecond at most: where there are more processes than processors, the
 * one that is waited for gets one.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include "conn.h"
#include "out.h"

#define MPIPR_EVENTS 16
#define MPIPR_SLEEP_MS 1
/*
 * Who takes longer than this from poll to poll, and longer than so many polls
 * of ours take, has other things to do.
 */
#define MPIPR_POLL_NS 4000
#define MPIPR_POLLS_APART 4

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return at.tv_sec * 1000000000ull + at.tv_nsec;
}

/* Of processor time: what others do meanwhile is no work of ours. */
static uint64_t used_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/**
 * mpipr_now_ms() - what time it is
 *
 * Return: milliseconds since some moment.
 */
int64_t mpipr_now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/**
 * mpipr_progress() - handle what came
 * @domain: domain; its lock is held
 * @timeout_ms: how long to wait for something
 *
 * Return: whether something came.
 */
bool mpipr_progress(struct mpipr_domain *domain, int timeout_ms)
{
	struct epoll_event events[MPIPR_EVENTS];
	struct mpipr_source *source;
	int n, i;

	domain->polls++;
	if (!mpipr_list_empty(&domain->corked))
		mpipr_out_uncork(domain);
	if (timeout_ms && domain->locked) {
		/* Others may use the domain meanwhile; then look again. */
		mpipr_domain_unlock(domain);
		epoll_wait(domain->epoll, events, 1, timeout_ms);
		mpipr_domain_lock(domain);
		timeout_ms = 0;
	}
	n = epoll_wait(domain->epoll, events, MPIPR_EVENTS, timeout_ms);
	if (n <= 0)
		return false;
	domain->empty_polls = 0;
	for (i = 0; i < n; i++) {
		source = events[i].data.ptr;
		if (source->fd >= 0)
			source->ready(source, events[i].events);
	}
	mpipr_conn_free_dead(domain);
	return true;
}

/* From now on it is counted what the program does from poll to poll. */
static void begin_count(struct mpipr_domain *domain)
{
	uint64_t begun = used_ns();
	struct epoll_event event;

	/* What has come stays, for the next round of progress. */
	epoll_wait(domain->epoll, &event, 1, 0);
	domain->counted_ns = used_ns();
	domain->poll_ns = MPIPR_POLLS_APART * (domain->counted_ns - begun);
	if (domain->poll_ns < MPIPR_POLL_NS)
		domain->poll_ns = MPIPR_POLL_NS;
}

/**
 * mpipr_progress_idle() - a poll was in vain
 * @domain: domain; its lock is held
 *
 * May sleep, and handle what came.
 */
void mpipr_progress_idle(struct mpipr_domain *domain)
{
	const size_t half = mpipr_param.polls > 1 ? mpipr_param.polls / 2 : 1;

	domain->empty_polls++;
	if (domain->empty_polls == half)
		begin_count(domain);
	if (domain->empty_polls < mpipr_param.polls)
		return;
	if (used_ns() - domain->counted_ns < half * domain->poll_ns)
		mpipr_progress(domain, MPIPR_SLEEP_MS);
	/* If nothing came, one half more of polls decides again. */
	if (domain->empty_polls) {
		domain->empty_polls = half;
		begin_count(domain);
	}
}
