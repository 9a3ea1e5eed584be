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
/* Guesses before epoll is asked all the same */
#define PRP_GUESSES 8
/* How often epoll is asked after a wrong guess before the next guess */
#define PRP_GUESS_PAUSE 16
#define PRP_SLEEP_MS 1
/* Who takes longer than this from poll to poll has other things to do. */
#define PRP_POLL_NS 4000

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ull + at.tv_nsec;
}

/* Asks epoll, and handles what it tells. Returns whether there was anything. */
static bool ask(struct prp_domain *domain, int timeout_ms)
{
	struct epoll_event events[PRP_EVENTS];
	struct prp_source *source;
	int n, i;

	n = epoll_wait(domain->epoll, events, PRP_EVENTS, timeout_ms);
	for (i = 0; i < n; i++) {
		source = events[i].data.ptr;
		if (source->fd >= 0)
			source->ready(source, events[i].events);
	}
	domain->guesses = 0;
	if (domain->guess_pause)
		domain->guess_pause--;
	return n > 0;
}

/* Reads the connection that was read last. Returns as ask(). */
static bool guess(struct prp_domain *domain)
{
	if (!domain->last_read || domain->guess_pause ||
	    ++domain->guesses > PRP_GUESSES)
		return false;
	if (prp_read(domain->last_read))
		return true;
	domain->guess_pause = PRP_GUESS_PAUSE;
	return false;
}

/*
 * The poll right after one that brought something asks nobody: what was there
 * has just been read. The next one guesses that the answer comes on the same
 * connection, which costs a system call less than to be told by epoll; other
 * connections wait until a guess is wrong, or for PRP_GUESSES of them.
 */
static bool look(struct prp_domain *domain)
{
	switch (domain->next_poll) {
	case PRP_POLL_REST:
		domain->next_poll = PRP_POLL_GUESS;
		return false;
	case PRP_POLL_GUESS:
		domain->next_poll = PRP_POLL_ASK;
		if (guess(domain))
			return true;
		break;
	case PRP_POLL_ASK:
		break;
	}
	return ask(domain, 0);
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
	struct epoll_event event;

	domain->polls++;
	if (!prp_list_empty(&domain->corked))
		prp_tx_uncork(domain);
	if (timeout_ms && domain->locked) {
		/* Others may use the domain meanwhile; then look again. */
		prp_domain_unlock(domain);
		epoll_wait(domain->epoll, &event, 1, timeout_ms);
		prp_domain_lock(domain);
		timeout_ms = 0;
		domain->next_poll = PRP_POLL_ASK;
	}
	if (timeout_ms ? !ask(domain, timeout_ms) : !look(domain))
		return false;
	domain->next_poll = PRP_POLL_REST;
	domain->empty_polls = 0;
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
