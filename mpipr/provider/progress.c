// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Progress: whoever polls a completion queue makes it. */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

#include "conn.h"
#include "out.h"
#include "read.h"
#include "wait.h"

#define MPIPR_EVENTS 16

/**
 * mpipr_now_ms() - what time it is
 *
 * Return: milliseconds since some moment.
 */
int64_t mpipr_now_ms(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000ll + at.tv_nsec / 1000000;
}

/**
 * mpipr_until_ms() - when a wait ends
 * @timeout_ms: how long it takes; below 0: it does not end
 *
 * Return: when, as mpipr_now_ms() counts, or MPIPR_FOREVER_MS.
 */
int64_t mpipr_until_ms(int timeout_ms)
{
	return timeout_ms < 0 ? MPIPR_FOREVER_MS : mpipr_now_ms() + timeout_ms;
}

static struct timespec timespec_of(unsigned int us)
{
	return (struct timespec){
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000,
	};
}

static int wait_for_events(struct mpipr_domain *domain,
			   struct epoll_event *events, unsigned int timeout_us)
{
	const struct timespec timeout = timespec_of(timeout_us);

	/* This one need not be told a time. */
	if (!timeout_us)
		return epoll_wait(domain->epoll, events, MPIPR_EVENTS, 0);
	return epoll_pwait2(domain->epoll, events, MPIPR_EVENTS, &timeout,
			    NULL);
}

/*
 * Others may use the domain meanwhile, so what comes is left where it is. If
 * they bring what this one waits for they ring the bell, if there is one.
 */
static void sleep_unlocked(struct mpipr_domain *domain, struct mpipr_bell *bell,
			   unsigned int timeout_us)
{
	const struct timespec timeout = timespec_of(timeout_us);
	struct pollfd pollfd = { .fd = domain->epoll, .events = POLLIN };

	if (bell && !mpipr_bell_arm(bell))
		pollfd.fd = bell->fd;
	mpipr_domain_unlock(domain);
	ppoll(&pollfd, 1, &timeout, NULL);
	mpipr_domain_lock(domain);
}

static void begin_round(struct mpipr_domain *domain)
{
	domain->polls++;
	if (!mpipr_list_empty(&domain->corked))
		mpipr_out_uncork(domain);
}

static bool progress(struct mpipr_domain *domain, struct mpipr_bell *bell,
		     unsigned int timeout_us)
{
	struct epoll_event events[MPIPR_EVENTS];
	struct mpipr_source *source;
	int n, i;

	begin_round(domain);
	if (timeout_us && domain->locked) {
		sleep_unlocked(domain, bell, timeout_us);
		timeout_us = 0;
	}
	n = wait_for_events(domain, events, timeout_us);
	if (n <= 0)
		return false;
	if (domain->wait.polls)
		mpipr_wait_over(domain);
	domain->wait.worked = false;
	for (i = 0; i < n; i++) {
		source = events[i].data.ptr;
		if (source->fd >= 0)
			source->ready(source, events[i].events);
	}
	mpipr_conn_free_dead(domain);
	return true;
}

/**
 * mpipr_progress() - handle what came
 * @domain: domain; its lock is held
 * @timeout_us: how long to wait for something, in microseconds
 *
 * Return: whether something came.
 */
bool mpipr_progress(struct mpipr_domain *domain, unsigned int timeout_us)
{
	return progress(domain, NULL, timeout_us);
}

/* One system call sleeps and reads, where that can only come on one of them. */
static bool progress_one(struct mpipr_domain *domain, struct mpipr_conn *conn)
{
	bool came;

	begin_round(domain);
	came = mpipr_read_sleep(conn);
	if (came)
		domain->wait.worked = false;
	mpipr_conn_free_dead(domain);
	return came;
}

static bool nap(struct mpipr_domain *domain, struct mpipr_bell *bell,
		unsigned int nap_us)
{
	struct mpipr_conn *conn = NULL;

	if (nap_us && mpipr_wait_is_sure(domain))
		conn = mpipr_conn_only(domain);
	return conn ? progress_one(domain, conn) :
		      progress(domain, bell, nap_us);
}

/*
 * Who looks for a message may have something else to do, and does not sleep.
 * Who looks again and again lets others have the processor in between.
 */
static void look(struct mpipr_domain *domain)
{
	domain->looks--;
	if (mpipr_progress(domain, 0))
		domain->wait.looks = 0;
	else if (++domain->wait.looks >= mpipr_param.polls)
		mpipr_wait_yield(domain);
}

/**
 * mpipr_progress_poll() - the program polls
 * @domain: domain; its lock is held, but not while it sleeps
 * @bell: of the empty queue that it polls, or NULL
 *
 * Handles what came. If nothing did it may sleep until something does.
 */
void mpipr_progress_poll(struct mpipr_domain *domain, struct mpipr_bell *bell)
{
	unsigned int nap_us;

	if (domain->looks) {
		look(domain);
		return;
	}
	nap_us = mpipr_wait_first(domain);
	if (nap(domain, bell, nap_us))
		return;
	if (!nap_us) {
		nap_us = mpipr_wait_vain(domain);
		if (!nap_us || progress(domain, bell, nap_us))
			return;
	}
	mpipr_wait_slept(domain);
}

/**
 * mpipr_progress_sleep() - sleep until something may have come, and handle it
 * @bell: who sleeps; its domain's lock is held, but not while it sleeps
 * @until_ms: at most until then, see mpipr_until_ms()
 *
 * Return: 0, -FI_EINTR if a signal ended it, or what making the descriptors to
 *	sleep on fails with.
 */
int mpipr_progress_sleep(struct mpipr_bell *bell, int64_t until_ms)
{
	int64_t left_ms = -1;
	int err;

	if (until_ms != MPIPR_FOREVER_MS) {
		left_ms = until_ms - mpipr_now_ms();
		if (left_ms < 0)
			left_ms = 0;
	}
	err = mpipr_bell_sleep(bell, left_ms);
	if (!err)
		mpipr_progress(bell->domain, 0);
	return err;
}
