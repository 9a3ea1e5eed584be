// SPDX-License-Identifier: GPL-2.0
/*
 * MPIPR's provider: programs that sleep on a descriptor, or in a call, until
 * there is something to read. Whoever else handles what comes, they are woken;
 * and they are not as long as nothing comes.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "provider_ends.h"

/* What is awaited comes long before; what is not is given a moment. */
enum { LONG_MS = 20000, MOMENT_MS = 20 };

static int fd_of(struct fid *fid)
{
	enum fi_wait_obj kind;
	int fd = -1;

	expect_eq(fi_control(fid, FI_GETWAITOBJ, &kind), 0);
	expect_eq(kind, FI_WAIT_FD);
	expect_eq(fi_control(fid, FI_GETWAIT, &fd), 0);
	expect_true(fd >= 0);
	return fd;
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd come = { .fd = fd, .events = POLLIN };
	int n = poll(&come, 1, timeout_ms);

	expect_true(n >= 0);
	return n;
}

static int trywait(struct end *end, struct fid *fid)
{
	return fi_trywait(end->fabric, &fid, 1);
}

static void post(struct end *end, void *in, size_t size)
{
	expect_eq(fi_trecv(end->ep, in, size, NULL, end->peer, 7, 0, in), 0);
}

static void send_one(struct end *end, int what)
{
	expect_eq(fi_tinject(end->ep, &what, sizeof(what), end->peer, 7), 0);
}

/* One has received, and waits for more. */
static void open_waiting(void)
{
	open_both();
	pass(100, false);
	settle();
}

UNIT(provider_waits__queue)
{
	struct fi_cq_tagged_entry entry;
	int in = 0, fd;

	open_waiting();
	fd = fd_of(&one.cq->fid);
	post(&one, &in, sizeof(in));
	expect_eq(trywait(&one, &one.cq->fid), 0);
	expect_true(!readable(fd, MOMENT_MS));
	send_one(&two, 5);
	mpipr_progress(ep_of(&two)->domain, 0);
	expect_true(readable(fd, LONG_MS));
	expect_eq(fi_cq_read(one.cq, &entry, 1), 1);
	expect_true(entry.op_context == &in);
	expect_eq(in, 5);
	/* And it falls asleep again. */
	expect_eq(trywait(&one, &one.cq->fid), 0);
	expect_true(!readable(fd, MOMENT_MS));
	close_both();
}

UNIT(provider_waits__not_where_there_is_something)
{
	struct fi_cq_tagged_entry entry;
	int in = 0, fd;

	open_waiting();
	fd = fd_of(&one.cq->fid);
	post(&one, &in, sizeof(in));
	send_one(&two, 5);
	settle();
	expect_eq(trywait(&one, &one.cq->fid), -FI_EAGAIN);
	expect_eq(trywait(&one, &one.cq->fid), -FI_EAGAIN);
	expect_eq(fi_cq_read(one.cq, &entry, 1), 1);
	expect_eq(trywait(&one, &one.cq->fid), 0);
	/* An error is something, too. */
	post(&one, &in, sizeof(in));
	expect_eq(fi_cancel(&one.ep->fid, &in), 0);
	expect_true(readable(fd, 0));
	expect_eq(trywait(&one, &one.cq->fid), -FI_EAGAIN);
	expect_eq(fi_cq_readerr(one.cq, &failure, 0), 1);
	expect_eq(failure.err, FI_ECANCELED);
	expect_eq(trywait(&one, &one.cq->fid), 0);
	expect_true(!readable(fd, MOMENT_MS));
	close_both();
}

/* It comes between trywait and sleep, and another thread handles it there. */
UNIT(provider_waits__handled_by_another_thread)
{
	struct fi_cq_tagged_entry entry;
	int in[2], fd;

	open_waiting();
	fd = fd_of(&one.cq->fid);
	for (int i = 0; i < 3; i++) {
		post(&one, &in[0], sizeof(in[0]));
		post(&one, &in[1], sizeof(in[1]));
		expect_eq(trywait(&one, &one.cq->fid), 0);
		send_one(&two, i);
		send_one(&two, i);
		settle();
		expect_true(readable(fd, 0));
		expect_eq(fi_cq_read(one.cq, &entry, 1), 1);
		expect_eq(trywait(&one, &one.cq->fid), -FI_EAGAIN);
		expect_eq(fi_cq_read(one.cq, &entry, 1), 1);
		expect_eq(in[1], i);
	}
	close_both();
}

enum { MESSAGES = 3000 };

static atomic_bool is_over;

/* Takes from under its nose what comes for who sleeps. */
static void *poll_counter(void *end)
{
	while (!is_over)
		fi_cntr_read(((struct end *)end)->cntr);
	return NULL;
}

static void *send_all(void *end)
{
	for (int i = 0; i < MESSAGES; i++) {
		send_one(end, i);
		fi_cntr_read(((struct end *)end)->cntr);
		if (!(i % 64))
			usleep(i % 3 * 500);
	}
	while (!is_over)
		fi_cntr_read(((struct end *)end)->cntr);
	return NULL;
}

static void woken_each_time(bool by_descriptor)
{
	struct fi_cq_tagged_entry entry;
	pthread_t sender, poller;
	int fd, in;
	ssize_t ret;

	is_over = false;
	open_waiting();
	fd = fd_of(&one.cq->fid);
	expect_eq(pthread_create(&sender, NULL, send_all, &two), 0);
	expect_eq(pthread_create(&poller, NULL, poll_counter, &one), 0);
	for (int i = 0; i < MESSAGES; i++) {
		post(&one, &in, sizeof(in));
		do {
			if (!by_descriptor) {
				ret = fi_cq_sread(one.cq, &entry, 1, NULL,
						  LONG_MS);
				continue;
			}
			if (!trywait(&one, &one.cq->fid))
				expect_true(readable(fd, LONG_MS));
			ret = fi_cq_read(one.cq, &entry, 1);
		} while (by_descriptor && ret == -FI_EAGAIN);
		expect_eq(ret, 1);
		expect_eq(in, i);
	}
	is_over = true;
	pthread_join(sender, NULL);
	pthread_join(poller, NULL);
	close_both();
}

UNIT(provider_waits__woken_each_time)
{
	woken_each_time(true);
}

UNIT(provider_waits__woken_each_time_in_a_call)
{
	woken_each_time(false);
}

static long sleeps(void)
{
	struct rusage usage;

	expect_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw;
}

/* As long as nothing comes it sleeps once, and not again and again. */
UNIT(provider_waits__sleeps_once)
{
	struct fi_cq_tagged_entry entry;
	int64_t begun_ms;
	long begun;

	open_waiting();
	begun = sleeps();
	begun_ms = mpipr_now_ms();
	expect_eq(fi_cq_sread(one.cq, &entry, 1, NULL, 100), -FI_EAGAIN);
	expect_true(mpipr_now_ms() - begun_ms >= 99);
	expect_eq(fi_cntr_wait(one.cntr, 100, 100), -FI_ETIMEDOUT);
	expect_true(mpipr_now_ms() - begun_ms >= 198);
	expect_true(sleeps() - begun < 10);
	expect_eq(fi_cq_sread(one.cq, &entry, 1, NULL, 0), -FI_EAGAIN);
	expect_eq(fi_cntr_wait(one.cntr, 100, 0), -FI_ETIMEDOUT);
	close_both();
}

static void *signal_soon(void *cq)
{
	usleep(1000);
	fi_cq_signal(cq);
	return NULL;
}

static void *add_soon(void *cntr)
{
	for (int i = 0; i < 10; i++) {
		usleep(1000);
		fi_cntr_add(cntr, 10);
	}
	return NULL;
}

static void *fail_again_and_again(void *cntr)
{
	while (!is_over) {
		usleep(1000);
		fi_cntr_adderr(cntr, 1);
	}
	return NULL;
}

UNIT(provider_waits__woken_by_a_call)
{
	struct fi_cq_tagged_entry entry;
	pthread_t thread;

	open_waiting();
	expect_eq(pthread_create(&thread, NULL, signal_soon, one.cq), 0);
	expect_eq(fi_cq_sread(one.cq, &entry, 1, NULL, -1), -FI_EAGAIN);
	pthread_join(thread, NULL);
	expect_eq(pthread_create(&thread, NULL, add_soon, one.cntr), 0);
	expect_eq(fi_cntr_wait(one.cntr, 100, -1), 0);
	pthread_join(thread, NULL);
	is_over = false;
	expect_eq(pthread_create(&thread, NULL, fail_again_and_again, one.cntr),
		  0);
	expect_eq(fi_cntr_wait(one.cntr, 1000, -1), -FI_EAVAIL);
	is_over = true;
	pthread_join(thread, NULL);
	close_both();
}

static void take_signal(int number)
{
}

/* As of a program that wants to end */
UNIT(provider_waits__woken_by_a_signal)
{
	/* again and again: one may come before it sleeps */
	const struct itimerval soon = { { 0, 1000 }, { 0, 1000 } };
	const struct sigaction action = { .sa_handler = take_signal };
	struct fi_cq_tagged_entry entry;

	open_waiting();
	expect_eq(sigaction(SIGALRM, &action, NULL), 0);
	expect_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
	expect_eq(fi_cq_sread(one.cq, &entry, 1, NULL, LONG_MS), -FI_EINTR);
	expect_eq(fi_cntr_wait(one.cntr, 100, LONG_MS), -FI_EINTR);
	close_both();
}

UNIT(provider_waits__counter)
{
	struct fid *both[2];
	int fd;

	open_waiting();
	both[0] = &two.cq->fid;
	both[1] = &two.cntr->fid;
	fd = fd_of(both[1]);
	/* It has counted, and says so once. */
	expect_eq(trywait(&two, both[1]), -FI_EAGAIN);
	expect_eq(fi_trywait(two.fabric, both, 2), 0);
	expect_true(!readable(fd, MOMENT_MS));
	send_one(&two, 1);
	expect_true(readable(fd, 0));
	expect_true(!readable(fd_of(both[0]), 0));
	expect_eq(fi_trywait(two.fabric, both, 2), -FI_EAGAIN);
	expect_eq(fi_cntr_read(two.cntr), 2);
	expect_eq(fi_trywait(two.fabric, both, 2), 0);
	expect_true(!readable(fd, MOMENT_MS));
	expect_eq(fi_cntr_adderr(two.cntr, 1), 0);
	expect_true(readable(fd, 0));
	close_both();
}

UNIT(provider_waits__only_as_asked)
{
	struct fi_cq_attr cq_attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_eq_attr eq_attr = { .wait_obj = FI_WAIT_NONE };
	enum fi_wait_obj kind;
	struct fid_cntr *cntr;
	struct fid_cq *cq;
	struct fid_eq *eq;
	int fd;

	open_both();
	expect_eq(fi_cq_open(one.domain, &cq_attr, &cq, NULL), 0);
	expect_eq(fi_cntr_open(one.domain, NULL, &cntr, NULL), 0);
	expect_eq(fi_eq_open(one.fabric, &eq_attr, &eq, NULL), 0);
	struct fid *fids[] = { &cq->fid, &cntr->fid, &eq->fid };

	for (int i = 0; i < 3; i++) {
		expect_eq(fi_control(fids[i], FI_GETWAITOBJ, &kind), 0);
		expect_eq(kind, FI_WAIT_NONE);
		expect_eq(fi_control(fids[i], FI_GETWAIT, &fd), -FI_EINVAL);
		expect_eq(fi_control(fids[i], FI_ENABLE, NULL), -FI_ENOSYS);
		expect_eq(trywait(&one, fids[i]), -FI_EINVAL);
		expect_eq(fi_close(fids[i]), 0);
	}
	expect_eq(trywait(&one, &one.ep->fid), -FI_EINVAL);
	expect_eq(fi_trywait(one.fabric, NULL, 0), 0);
	cq_attr.wait_obj = FI_WAIT_MUTEX_COND;
	eq_attr.wait_obj = FI_WAIT_SET;
	expect_eq(fi_cq_open(one.domain, &cq_attr, &cq, NULL), -FI_ENOSYS);
	expect_eq(fi_eq_open(one.fabric, &eq_attr, &eq, NULL), -FI_ENOSYS);
	close_both();
}

/* The lowest descriptor that is free, which tells of one that is not closed */
static int lowest_fd(void)
{
	int fd = dup(0);

	expect_true(fd >= 0);
	close(fd);
	return fd;
}

/* Nobody who does not sleep has descriptors for it, or keeps them. */
UNIT(provider_waits__descriptors)
{
	int before, open;

	open_both();
	close_both();
	before = lowest_fd();
	open_both();
	open = lowest_fd();
	expect_eq(fd_of(&one.cq->fid), open);
	fd_of(&one.cntr->fid);
	close_both();
	expect_eq(lowest_fd(), before);
}

/* None are left: the call says so, and nothing else has changed. */
UNIT(provider_waits__no_descriptor)
{
	struct fi_cq_tagged_entry entry;
	struct rlimit limit;
	int lowest, fd;

	open_waiting();
	lowest = lowest_fd();
	expect_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int left = 0; left < 2; left++) {
		limit.rlim_cur = lowest + left;
		expect_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		expect_eq(fi_control(&one.cq->fid, FI_GETWAIT, &fd),
			  -FI_EMFILE);
		expect_eq(trywait(&one, &one.cq->fid), -FI_EMFILE);
		expect_eq(fi_cq_sread(one.cq, &entry, 1, NULL, -1), -FI_EMFILE);
		expect_eq(fi_cntr_wait(one.cntr, 100, -1), -FI_EMFILE);
	}
	limit.rlim_cur = limit.rlim_max;
	expect_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	expect_eq(trywait(&one, &one.cq->fid), 0);
	close_both();
}

static void *write_soon(void *eq)
{
	struct fi_eq_entry entry = { .data = 3 };

	usleep(1000);
	fi_eq_write(eq, FI_NOTIFY, &entry, sizeof(entry), 0);
	return NULL;
}

UNIT(provider_waits__event_queue)
{
	struct fi_eq_attr attr = { .flags = FI_WRITE, .wait_obj = FI_WAIT_FD };
	struct fi_eq_entry entry = { .data = 0 };
	struct fid_eq *eq;
	pthread_t thread;
	uint32_t event;
	int fd;

	open_both();
	expect_eq(fi_eq_open(one.fabric, &attr, &eq, NULL), 0);
	fd = fd_of(&eq->fid);
	expect_eq(trywait(&one, &eq->fid), 0);
	expect_true(!readable(fd, MOMENT_MS));
	for (entry.data = 1; entry.data <= 2; entry.data++)
		expect_eq(fi_eq_write(eq, FI_NOTIFY, &entry, sizeof(entry), 0),
			  sizeof(entry));
	expect_true(readable(fd, 0));
	expect_eq(trywait(&one, &eq->fid), -FI_EAGAIN);
	expect_eq(fi_eq_read(eq, &event, &entry, sizeof(entry) - 1, 0),
		  -FI_ETOOSMALL);
	expect_eq(fi_eq_read(eq, &event, &entry, sizeof(entry), FI_PEEK),
		  sizeof(entry));
	expect_eq(entry.data, 1);
	for (uint64_t i = 1; i <= 2; i++) {
		expect_true(readable(fd, 0));
		expect_eq(fi_eq_sread(eq, &event, &entry, sizeof(entry), -1, 0),
			  sizeof(entry));
		expect_eq(event, FI_NOTIFY);
		expect_eq(entry.data, i);
	}
	expect_true(!readable(fd, MOMENT_MS));
	expect_eq(pthread_create(&thread, NULL, write_soon, eq), 0);
	expect_eq(fi_eq_sread(eq, &event, &entry, sizeof(entry), -1, 0),
		  sizeof(entry));
	expect_eq(entry.data, 3);
	pthread_join(thread, NULL);
	/* What nobody has read goes with it. */
	expect_eq(fi_eq_write(eq, FI_NOTIFY, &entry, sizeof(entry), 0),
		  sizeof(entry));
	expect_eq(fi_close(&eq->fid), 0);
	attr.flags = 0;
	expect_eq(fi_eq_open(one.fabric, &attr, &eq, NULL), 0);
	expect_eq(fi_eq_write(eq, FI_NOTIFY, &entry, sizeof(entry), 0),
		  -FI_EINVAL);
	expect_eq(fi_close(&eq->fid), 0);
	close_both();
}

UNIT(provider_waits__poll_set)
{
	struct fi_cq_tagged_entry entry;
	struct fid_poll *set;
	void *who[3];
	int in;

	open_both();
	expect_eq(fi_poll_open(one.domain, NULL, &set), 0);
	expect_eq(fi_poll(set, who, 3), 0);
	expect_eq(fi_poll_add(set, &one.cq->fid, 0), 0);
	expect_eq(fi_poll_add(set, &one.cntr->fid, 0), 0);
	expect_eq(fi_poll_add(set, &one.cq->fid, 0), -FI_EINVAL);
	expect_eq(fi_poll_add(set, &two.cq->fid, 0), -FI_EINVAL);
	expect_eq(fi_poll_add(set, &one.ep->fid, 0), -FI_EINVAL);
	expect_eq(fi_poll(set, who, 3), 0);
	/* It makes progress, too. */
	post(&one, &in, sizeof(in));
	send_one(&two, 4);
	while (!fi_poll(set, who, 3))
		mpipr_progress(ep_of(&two)->domain, 0);
	expect_true(who[0] == &one.cq);
	send_one(&one, 1);
	expect_eq(fi_poll(set, who, 0), 0);
	expect_eq(fi_poll(set, who, 1), 1);
	expect_true(who[0] == &one.cq);
	expect_eq(fi_poll(set, who, 3), 2);
	expect_true(who[0] == &one.cq);
	expect_true(who[1] == &one.cntr);
	/* A queue is told of until it is empty, a counter once. */
	expect_eq(fi_poll(set, who, 3), 1);
	expect_eq(fi_cq_read(one.cq, &entry, 1), 1);
	expect_eq(fi_poll(set, who, 3), 0);
	send_one(&one, 1);
	expect_eq(fi_cntr_set(one.cntr, 9), 0);
	expect_eq(fi_poll(set, who, 3), 0);
	expect_eq(fi_close(&set->fid), -FI_EBUSY);
	expect_eq(fi_close(&one.cq->fid), -FI_EBUSY);
	expect_eq(fi_poll_del(set, &two.cq->fid, 0), -FI_EINVAL);
	expect_eq(fi_poll_del(set, &one.cq->fid, 0), 0);
	expect_eq(fi_poll_del(set, &one.cq->fid, 0), -FI_EINVAL);
	expect_eq(fi_poll_del(set, &one.cntr->fid, 0), 0);
	expect_eq(fi_close(&set->fid), 0);
	close_both();
}
