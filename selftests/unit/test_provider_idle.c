// SPDX-License-Identifier: GPL-2.0
/*
 * MPIPR's provider: who polls in vain sleeps, who does something else does
 * not; and where others need the processor it is early. The clocks are the
 * test's, and so is what comes.
 */
#include "provider_ends.h"
#include "wrapped.h"

enum {
	WATCH = 64,
	TRUST = 4,
	SURE = 256,
	FIRST_NAP_US = 100,
	TIMES = 16, /* as long as others had the processor it sleeps */
	TAKEN_NS = 500000,
	SLICE_NS = 20000000, /* more than any program here works in between */
};

#define AGES 1000000000000000ull

static uint64_t used_ns, others_ns, poll_ns;
static uint64_t taken_ns; /* by others, each time that they are let */
static unsigned int sleeps, slept_us, asks; /* of epoll, without a sleep */
static unsigned int yields;
static bool comes, comes_later; /* now, or when a poll sleeps */

int __wrap_clock_gettime(clockid_t clock, struct timespec *at)
{
	uint64_t now_ns = used_ns;

	if (clock != CLOCK_PROCESS_CPUTIME_ID)
		now_ns += others_ns;
	at->tv_sec = now_ns / 1000000000;
	at->tv_nsec = now_ns % 1000000000;
	return 0;
}

int __wrap_sched_yield(void)
{
	yields++;
	others_ns += taken_ns;
	return 0;
}

static int what_comes(struct epoll_event *events)
{
	static struct mpipr_source closed = { .fd = -1 };

	used_ns += poll_ns;
	events->data.ptr = &closed;
	return comes;
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max,
		      int timeout_ms)
{
	expect_eq(timeout_ms, 0);
	asks++;
	return what_comes(events);
}

int __wrap_epoll_pwait2(int epoll, struct epoll_event *events, int max,
			const struct timespec *timeout, const sigset_t *mask)
{
	sleeps++;
	slept_us = timeout->tv_nsec / 1000;
	comes |= comes_later;
	return what_comes(events);
}

/* Who connects asks for room. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	if (fds->events != POLLIN)
		return __real_poll(fds, count, timeout_ms);
	expect_eq(timeout_ms, 0);
	used_ns += poll_ns;
	return comes;
}

static void (*meanwhile)(void); /* what another thread does, if it does */
static bool wakes; /* the one that sleeps, by that */

/* Where threads share the domain */
int __wrap_ppoll(struct pollfd *fds, nfds_t count,
		 const struct timespec *timeout, const sigset_t *mask)
{
	sleeps++;
	slept_us = timeout->tv_nsec / 1000;
	comes |= comes_later;
	used_ns += poll_ns;
	if (meanwhile) {
		expect_eq(__real_poll(fds, count, 0), 0);
		meanwhile();
		wakes = __real_poll(fds, count, 0);
	}
	return comes;
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
	taken_ns = SLICE_NS;
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
	taken_ns = SLICE_NS;
	yields = 0;
	expect_eq(sleeps_in(10 * mpipr_param.polls, work_ns), 0);
	expect_eq(yields, 0);
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

/*
 * It may wait for what does not come here, as a message by memory that two
 * ranks share: where nobody else wants the processor it does not sleep.
 */
UNIT(provider_idle__own_processor_never_sleeps)
{
	open_both();
	poll_ns = 500;
	expect_eq(sleeps_in(10 * mpipr_param.polls, 500), 0);
	taken_ns = 20000; /* as long as it polls in between */
	expect_eq(sleeps_in(10 * mpipr_param.polls, 500), 0);
	close_both();
}

/* Others want it once: then it sleeps so many times as long, and no longer. */
UNIT(provider_idle__sleeps_while_others_want_the_processor)
{
	const unsigned int half = mpipr_param.polls / 2;
	unsigned int slept;

	open_both();
	poll_ns = 500;
	taken_ns = TAKEN_NS;
	expect_eq(sleeps_in(mpipr_param.polls, 500), 1);
	slept = slept_us;
	taken_ns = 0;
	for (int i = 0; i < 100; i++)
		if (sleeps_in(half, 500))
			slept += slept_us;
	expect_eq(slept, TIMES * TAKEN_NS / 1000);
	expect_eq(sleeps_in(10 * mpipr_param.polls, 500), 0);
	/* The next sleep is a first one. */
	taken_ns = TAKEN_NS;
	expect_eq(sleeps_in(half, 500), 1);
	expect_eq(slept_us, FIRST_NAP_US);
	close_both();
}

/* It was stopped, which tells of nobody who wants the processor for so long. */
UNIT(provider_idle__does_not_sleep_as_long_as_it_was_stopped)
{
	unsigned int slept = 0;

	open_both();
	poll_ns = 500;
	taken_ns = 3600000000000;
	expect_eq(sleeps_in(mpipr_param.polls, 500), 1);
	taken_ns = 0;
	while (sleeps_in(mpipr_param.polls / 2, 500))
		slept += slept_us;
	expect_true(slept < 100000);
	close_both();
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

/* Of one wait: each is twice as long as the one before, to a millisecond. */
UNIT(provider_idle__sleeps_longer_and_longer)
{
	static const unsigned int us[] = { 100, 200, 400, 800, 1000, 1000 };

	open_both();
	mpipr_param.polls = 1;
	for (int i = 0; i < 6; i++) {
		expect_eq(sleeps_in(1, 0), 1);
		expect_eq(slept_us, us[i]);
	}
	close_both();
}

/*
 * A wait: a poll in vain, after which the program works and others have the
 * processor, and one that finds something. How often did these polls sleep?
 */
static unsigned int sleeps_in_wait(uint64_t work_ns, uint64_t other_ns)
{
	struct fi_cq_tagged_entry entry;

	sleeps = 0;
	for (int i = 0; i < 2; i++) {
		comes = i;
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
		used_ns += work_ns;
		others_ns += other_ns;
	}
	comes = false;
	return sleeps;
}

static void waits(unsigned int count, uint64_t work_ns, uint64_t other_ns,
		  unsigned int expected)
{
	for (unsigned int i = 0; i < count; i++)
		expect_eq(sleeps_in_wait(work_ns, other_ns), expected);
}

static void share_processor(void)
{
	open_both();
	poll_ns = 500;
	waits(TRUST, 500, 10000, 0);
}

UNIT(provider_idle__shared_processor_sleeps_at_once)
{
	share_processor();
	comes_later = true;
	for (int i = 0; i < 10; i++)
		expect_true(sleeps_in_wait(500, 10000) > 0);
	comes_later = false;
	expect_eq(slept_us, FIRST_NAP_US);
	close_both();
}

/* It waited so often that the only connection is read, and epoll not asked. */
static struct mpipr_domain *wait_for_long(void)
{
	struct mpipr_domain *domain;

	share_processor();
	domain = ep_of(&one)->domain;
	domain->locked = false;
	expect_eq(fi_tinject(one.ep, "", 0, one.peer, 7), 0);
	expect_eq(conns(&one), 1);
	comes_later = true;
	while (domain->wait.slept < SURE - 1)
		sleeps_in_wait(500, 10000);
	/* Ticks are real ones, and this machine may be slow. */
	domain->wait.apart = AGES;
	while (domain->wait.slept < SURE)
		sleeps_in(1, 0);
	comes = false;
	comes_later = false;
	expect_eq(domain->wait.trust, TRUST);
	return domain;
}

/* Whose threads share the domain */
static void close_shared(struct mpipr_domain *domain)
{
	domain->locked = true;
	close_both();
}

UNIT(provider_idle__sleeps_in_the_read)
{
	struct mpipr_domain *domain = wait_for_long();

	expect_eq(sleeps_in(1, 0), 0);
	expect_eq(domain->wait.trust, 0);
	close_shared(domain);
}

static void work(struct mpipr_domain *domain)
{
	used_ns += 10000;
	domain->wait.left -= 2 * AGES;
}

/* Who worked since something came sleeps as short as others, once. */
UNIT(provider_idle__works_and_tests_after_long_waits)
{
	struct mpipr_domain *domain = wait_for_long();

	work(domain);
	expect_eq(sleeps_in(1, 10000), 1);
	expect_eq(slept_us, FIRST_NAP_US);
	expect_eq(sleeps_in(10 * mpipr_param.polls, 10000), 0);
	close_shared(domain);
}

/* Whatever it does between the work and the test */
UNIT(provider_idle__works_and_receives_after_long_waits)
{
	struct mpipr_domain *domain = wait_for_long();
	int in;

	work(domain);
	expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 7, 0, &in),
		  0);
	expect_eq(sleeps_in(1, 10000), 1);
	expect_eq(slept_us, FIRST_NAP_US);
	close_shared(domain);
}

UNIT(provider_idle__own_processor_polls)
{
	open_both();
	poll_ns = 500;
	waits(10 * WATCH, 500, 0, 0);
	close_both();
}

/* Whoever has the processor while it computes: it does not wait. */
UNIT(provider_idle__tests_and_computes)
{
	open_both();
	poll_ns = 500;
	waits(10 * WATCH, 10000, 100000, 0);
	close_both();
}

/* It slept for a test, once; and the next tests do not. */
UNIT(provider_idle__tests_and_computes_after_waits)
{
	share_processor();
	expect_eq(sleeps_in(1, 10000), 1);
	expect_eq(slept_us, FIRST_NAP_US);
	waits(WATCH, 10000, 100000, 0);
	expect_eq(sleeps_in(10 * mpipr_param.polls, 10000), 0);
	close_both();
}

/* As MPI_Iprobe() does, which polls once more where there is nothing */
UNIT(provider_idle__looks_after_waits)
{
	struct fi_msg_tagged msg = { .addr = FI_ADDR_UNSPEC };
	struct fi_cq_tagged_entry entry;
	struct fi_cq_err_entry none;

	share_processor();
	sleeps = 0;
	yields = 0;
	for (size_t i = 0; i < 10 * mpipr_param.polls; i++) {
		expect_eq(fi_trecvmsg(one.ep, &msg, FI_PEEK), 0);
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAVAIL);
		expect_eq(fi_cq_readerr(one.cq, &none, 0), 1);
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
		if (i < mpipr_param.polls / 2 - 1)
			expect_eq(yields, 0);
	}
	expect_eq(sleeps, 0);
	expect_true(yields > 10 * mpipr_param.polls);
	/* Then it waits. */
	expect_eq(sleeps_in(1, 0), 1);
	close_both();
}

static void cancel(void)
{
	expect_eq(fi_cancel(&one.ep->fid, &meanwhile), 0);
}

/* Another thread brings what it waits for, and no socket tells of it. */
UNIT(provider_idle__woken_by_another_thread)
{
	struct fi_cq_tagged_entry entry;
	int in;

	for (int polls = 0; polls < 2; polls++) {
		open_both();
		mpipr_param.polls = polls;
		meanwhile = cancel;
		wakes = false;
		expect_eq(fi_trecv(one.ep, &in, sizeof(in), NULL, one.peer, 7,
				   0, &meanwhile),
			  0);
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAVAIL);
		expect_true(wakes);
		meanwhile = NULL;
		close_both();
	}
}

/* Between two polls in vain it receives: it does not just wait. */
UNIT(provider_idle__works_between_polls)
{
	struct fi_cq_tagged_entry entry;
	int in[TRUST + 1];

	open_both();
	poll_ns = 500;
	for (int i = 0; i <= TRUST; i++) {
		expect_eq(sleeps_in(1, 500), 0);
		expect_eq(fi_trecv(one.ep, &in[i], sizeof(*in), NULL, one.peer,
				   7, 0, &in[i]),
			  0);
		others_ns += 10000;
		comes = true;
		expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
		comes = false;
	}
	expect_eq(sleeps_in(1, 500), 0);
	close_both();
}

/* A counter makes progress if nobody did since it was read. */
UNIT(provider_idle__counter_after_a_poll)
{
	struct fi_cq_tagged_entry entry;

	open_both();
	fi_cntr_read(one.cntr);
	asks = 0;
	fi_cntr_read(one.cntr);
	expect_eq(asks, 1);
	expect_eq(fi_cq_read(one.cq, &entry, 1), -FI_EAGAIN);
	fi_cntr_read(one.cntr);
	expect_eq(asks, 2);
	fi_cntr_read(one.cntr);
	expect_eq(asks, 3);
	close_both();
}
