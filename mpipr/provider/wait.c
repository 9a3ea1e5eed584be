// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Who polls in vain again and again, and does nothing else, sleeps until
 * something comes, if others want the processor: so where there are more
 * processes than processors, the one that is waited for gets one. They are let
 * have it first, and it is seen for how long they do. Where each has its own
 * nobody sleeps: to sleep and to be woken takes longer than most waits, and the
 * program may wait for what does not come here, as a message by memory that two
 * ranks share. Where they share one, each poll in vain only keeps it from the
 * others.
 *
 * So some waits are watched, from the first poll in vain until something comes.
 * If in some of them, one after the other, the program did nothing but poll,
 * and others had the processor for longer than it had, polls sleep at once. The
 * first one in vain ends that: the program may have something else to do, or
 * wait for something that does not come here. Who slept often and not in vain,
 * and has one connection, sleeps in the read of it.
 */
#include <poll.h>
#include <sched.h>
#include <time.h>

#include "wait.h"

/*
 * Who takes longer than this from poll to poll, and longer than so many polls
 * of ours take, has other things to do.
 */
#define MPIPR_POLL_NS 4000
#define MPIPR_POLLS_APART 4

/* So many watched waits, one after the other, let polls sleep at once. */
#define MPIPR_TRUST 4
/* Before and after that one wait in so many is watched. */
#define MPIPR_WATCH 64

/* So many polls, one after the other, that slept and were not in vain. */
#define MPIPR_SURE 256

/*
 * A wait's first sleep is short, and each one twice as long as the one before:
 * who waits for something else, too, is late by no more than it waited already.
 */
#define MPIPR_NAP_MIN_US 100
#define MPIPR_NAP_MAX_US 1000

/*
 * It sleeps so many times as long as others had the processor while it polled:
 * what shows that they want it is time that they do not have.
 */
#define MPIPR_BUDGET_TIMES 16
/* Not because it was stopped, or its machine was */
#define MPIPR_BUDGET_MAX_NS 100000000

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

/* From now on it is counted what the program does from poll to poll. */
static void begin_count(struct mpipr_domain *domain)
{
	struct mpipr_wait *wait = &domain->wait;
	uint64_t begun = used_ns(), ticks = mpipr_ticks();
	struct pollfd pollfd = { .fd = domain->epoll, .events = POLLIN };

	/* What has come stays, for the next round of progress. */
	poll(&pollfd, 1, 0);
	wait->at_ns = clock_ns(CLOCK_MONOTONIC);
	wait->used_ns = used_ns();
	ticks = MPIPR_POLLS_APART * (mpipr_ticks() - ticks);
	if (!wait->apart || wait->apart > ticks)
		wait->apart = ticks;
	wait->poll_ns = MPIPR_POLLS_APART * (wait->used_ns - begun);
	if (wait->poll_ns < MPIPR_POLL_NS)
		wait->poll_ns = MPIPR_POLL_NS;
	wait->counted = wait->polls;
}

/*
 * For how long others had the processor since the count began, in which the
 * program used so much of it; 0 if that is not longer than it had it.
 */
static uint64_t others_ns(const struct mpipr_wait *wait, uint64_t used)
{
	const uint64_t passed = clock_ns(CLOCK_MONOTONIC) - wait->at_ns;

	return passed > 2 * used ? passed - used : 0;
}

/* A wait that was watched is over: was it one that better sleeps at once? */
static void judge(struct mpipr_wait *wait)
{
	const uint64_t used = used_ns() - wait->used_ns;

	if (used >= (wait->polls - wait->counted + 1) * wait->poll_ns)
		wait->trust = 0;
	else if (!others_ns(wait, used))
		wait->trust /= 2;
	else if (wait->trust < MPIPR_TRUST)
		wait->trust++;
}

static size_t half_of_polls(void)
{
	return mpipr_param.polls > 1 ? mpipr_param.polls / 2 : 1;
}

/* Half as many polls decide again. */
static void halve(struct mpipr_domain *domain)
{
	domain->wait.polls = half_of_polls();
	begin_count(domain);
}

/* The next nap is in vain at worst. Is it one that others gain from? */
static bool may_nap(struct mpipr_wait *wait, uint64_t used)
{
	const uint64_t nap_ns = wait->nap_us * 1000ull;

	wait->budget_ns += MPIPR_BUDGET_TIMES * others_ns(wait, used);
	if (wait->budget_ns > MPIPR_BUDGET_MAX_NS)
		wait->budget_ns = MPIPR_BUDGET_MAX_NS;
	if (wait->budget_ns < nap_ns)
		return false;
	wait->budget_ns -= nap_ns;
	return true;
}

static unsigned int next_nap(struct mpipr_wait *wait)
{
	const unsigned int us = wait->nap_us;

	wait->nap_us = 2 * us < MPIPR_NAP_MAX_US ? 2 * us : MPIPR_NAP_MAX_US;
	return us;
}

/**
 * mpipr_wait_is_sure() - whether a poll may sleep for longer than it says
 * @domain: domain; its lock is held
 *
 * Then it sleeps for some milliseconds at most, in place of a tenth of one.
 * That is in vain once in so many waits at most, and not where the program
 * worked since something came: it may have more to do.
 *
 * Return: whether it may.
 */
bool mpipr_wait_is_sure(const struct mpipr_domain *domain)
{
	return domain->wait.slept > MPIPR_SURE && !domain->locked &&
	       !domain->wait.worked;
}

/**
 * mpipr_wait_first() - the program polls, and it may be that it waits
 * @domain: domain; its lock is held
 *
 * Return: how long the poll may sleep, in microseconds; 0: not.
 */
unsigned int mpipr_wait_first(struct mpipr_domain *domain)
{
	struct mpipr_wait *wait = &domain->wait;

	if (wait->trust < MPIPR_TRUST)
		wait->slept = 0;
	if (wait->trust < MPIPR_TRUST || wait->polls ||
	    !(++wait->waits % MPIPR_WATCH))
		return 0;
	wait->slept++;
	return MPIPR_NAP_MIN_US;
}

/**
 * mpipr_wait_yield() - let others have the processor, if they want it
 * @domain: domain; its lock is held, but not meanwhile
 */
void mpipr_wait_yield(struct mpipr_domain *domain)
{
	mpipr_domain_unlock(domain);
	sched_yield();
	mpipr_domain_lock(domain);
}

/**
 * mpipr_wait_vain() - a poll that did not sleep was in vain
 * @domain: domain; its lock is held, but not while others have the processor
 *
 * Return: how long to sleep now, in microseconds; 0: not.
 */
unsigned int mpipr_wait_vain(struct mpipr_domain *domain)
{
	const size_t half = half_of_polls();
	struct mpipr_wait *wait = &domain->wait;
	uint64_t used;

	if (!wait->polls++) {
		wait->nap_us = MPIPR_NAP_MIN_US;
		wait->watched = wait->trust || !(wait->waits++ % MPIPR_WATCH);
		if (wait->watched)
			begin_count(domain);
	}
	if (wait->polls == half)
		begin_count(domain);
	if (wait->polls < mpipr_param.polls)
		return 0;
	used = used_ns() - wait->used_ns;
	if (used < half * wait->poll_ns) {
		wait->watched = false;
		if (mpipr_param.polls <= 1)
			return next_nap(wait);
		mpipr_wait_yield(domain);
		/* What came meanwhile may be for who polls here. */
		if (wait->polls < mpipr_param.polls)
			return 0;
		if (may_nap(wait, used))
			return next_nap(wait);
	}
	wait->nap_us = MPIPR_NAP_MIN_US;
	halve(domain);
	return 0;
}

/**
 * mpipr_wait_slept() - nothing came while a poll slept
 * @domain: domain; its lock is held
 */
void mpipr_wait_slept(struct mpipr_domain *domain)
{
	domain->wait.trust = 0;
	if (domain->wait.polls)
		halve(domain);
}

/**
 * mpipr_wait_over() - something came
 * @domain: domain; its lock is held
 */
void mpipr_wait_over(struct mpipr_domain *domain)
{
	if (domain->wait.watched)
		judge(&domain->wait);
	domain->wait.polls = 0;
	domain->wait.watched = false;
}

/**
 * mpipr_wait_works() - the program sends or receives
 * @domain: domain; its lock is held
 *
 * Who does so after polls in vain did not just wait.
 */
void mpipr_wait_works(struct mpipr_domain *domain)
{
	domain->wait.polls = 0;
	domain->wait.watched = false;
	domain->wait.trust = 0;
}
