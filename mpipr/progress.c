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
#include "tx.h"

#define PRP_EVENTS 16
#define PRP_SLEEP_MS 1
/* Who takes longer than this from poll to poll has other things to do. */
#define PRP_POLL_NS 4000

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ull + at.tv_nsec;
}

/**
 * prp_now_ms() - what time it is
 *
 * Return: milliseconds since some moment.
 */
int64_t prp_now_ms(void)
{
	return now_ns() / 1000000;
}

/**
 * prp_progress() - handle what came
 * @domain: domain; its lock is held
 * @timeout_ms: how long to wait for something
 *
 * Return: whether something came.
 */
bool prp_progress(struct prp_domain *domain, int timeout_ms)
{
	struct epoll_event events[PRP_EVENTS];
	struct prp_source *source;
	int n, i;

	domain->polls++;
	if (!prp_list_empty(&domain->corked))
		prp_tx_uncork(domain);
	if (timeout_ms && domain->locked) {
		/* Others may use the domain meanwhile; then look again. */
		prp_domain_unlock(domain);
		epoll_wait(domain->epoll, events, 1, timeout_ms);
		prp_domain_lock(domain);
		timeout_ms = 0;
	}
	n = epoll_wait(domain->epoll, events, PRP_EVENTS, timeout_ms);
	if (n <= 0)
		return false;
	domain->empty_polls = 0;
	for (i = 0; i < n; i++) {
		source = events[i].data.ptr;
		if (source->fd >= 0)
			source->ready(source, events[i].events);
	}
	prp_conn_free_dead(domain);
	return true;
}

/**
 * prp_progress_idle() - a poll was in vain
 * @domain: domain; its lock is held
 *
 * May sleep, and handle what came.
 */
void prp_progress_idle(struct prp_domain *domain)
{
	const size_t half = prp_param.polls / 2;
	uint64_t now;

	domain->empty_polls++;
	if (domain->empty_polls == half)
		domain->polls_since_ns = now_ns();
	if (domain->empty_polls < prp_param.polls)
		return;
	now = now_ns();
	if (now - domain->polls_since_ns < half * PRP_POLL_NS)
		prp_progress(domain, PRP_SLEEP_MS);
	/* If nothing came, one half more of polls decides again. */
	if (domain->empty_polls) {
		domain->empty_polls = half;
		domain->polls_since_ns = now_ns();
	}
}
