// SPDX-License-Identifier: GPL-2.0
/* The n-th allocation of a call fails: see fail.h. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

#define SWEEP_MAX 20000 /* no call needs so much */
#define CACHE_MAX 64 /* buffers that a processor has in store */

static int fail_file = -1;

/* ---- the kernel's switches ---- */

static bool put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;

	close(fd);
	return ok;
}

#define DEBUGFS "/sys/kernel/debug/"

/*
 * All kinds of allocations may fail, and no failure is a line in the log. Not
 * every such kernel has failing copies.
 */
bool faults_on(void)
{
	fail_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_file >= 0 && put(DEBUGFS "failslab/ignore-gfp-wait", "N") &&
	       put(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N") &&
	       put(DEBUGFS "fail_page_alloc/min-order", "0") &&
	       put(DEBUGFS "failslab/verbose", "0") &&
	       put(DEBUGFS "fail_page_alloc/verbose", "0") &&
	       (access(DEBUGFS "fail_usercopy", F_OK) ||
		put(DEBUGFS "fail_usercopy/verbose", "0"));
}

/* All pages that this thread asks for. */
bool pages_fail(bool on)
{
	return put(DEBUGFS "fail_page_alloc/task-filter", "Y") &&
	       put(DEBUGFS "fail_page_alloc/times", "-1") &&
	       put(DEBUGFS "fail_page_alloc/probability", "100") &&
	       put("/proc/thread-self/make-it-fail", on ? "1" : "0");
}

/* A call that needed fewer than the last time has left a failure that may hit
 * this very copy: once.
 */
static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_file, text, len, 0) != len &&
	    pwrite(fail_file, text, len, 0) != len)
		err(1, "fail-nth");
}

/* Return: whether the failure has come. To ask is a copy that may fail, too. */
static bool disarm(void)
{
	char text[16] = "1";
	bool came = pread(fail_file, text, sizeof(text), 0) > 0 &&
		    text[0] == '0';

	arm(0);
	return came;
}

/* ---- a sweep ---- */

static void close_all(struct sweep *sweep)
{
	int *const fds[] = { &sweep->fd, &sweep->other, &sweep->made,
			     &sweep->more };

	for (int i = 0; i < 4; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static bool is_clean(int error)
{
	return error == ENOMEM || error == ENOBUFS || error == EFAULT ||
	       error == ENFILE; /* the table of open files */
}

/* The last one's connections may be ending yet, and hold the port. */
static bool prepare(const struct call *call, struct sweep *sweep)
{
	const long end = now_ms() + 60000;

	while (!call->prepare(sweep)) {
		if (errno != EADDRINUSE || now_ms() > end)
			return false;
		close_all(sweep);
		poll(NULL, 0, 10);
	}
	return true;
}

/* Once, with the n-th failure. Return: whether it came, -1 if not well */
static int try(struct nodes *nodes, const struct call *call, unsigned int n,
	       int *failed)
{
	static char bytes[BYTES];
	struct sweep now = { nodes, -1, -1, -1, -1, bytes };
	bool came, ok = true;
	long ret;
	int error;

	if (call->prepare && !prepare(call, &now)) {
		fprintf(stderr, "# %u: cannot prepare: %m\n", n);
		return -1;
	}
	arm(n);
	errno = 0;
	ret = call->call(&now);
	error = errno;
	came = disarm();
	if (ret < 0) {
		++*failed;
		if (!came || !(call->foreign || is_clean(error))) {
			fprintf(stderr, "# %u: errno %s\n", n,
				strerrorname_np(error));
			return -1;
		}
		if (!call->once)
			ret = call->call(&now);
		if (ret < 0 && !call->once) {
			fprintf(stderr, "# %u: after it failed: %m\n", n);
			return -1;
		}
	}
	if (call->check)
		ok = call->check(&now, ret);
	close_all(&now);
	if (!ok) {
		fprintf(stderr, "# %u: it did not do what it says\n", n);
		return -1;
	}
	return came;
}

/*
 * How often in a row a call may do without a failure before the sweep ends:
 * long before the first one, without which it proves nothing.
 */
static int patience(const struct call *call, unsigned int n)
{
	if (!call->cached)
		return 1;
	return n > 1 ? CACHE_MAX : 16 * CACHE_MAX;
}

/* Return: how many failures were injected, or -1 after saying what is wrong. */
int sweep(struct nodes *nodes, const struct call *call)
{
	int failed = 0, without = 0, came;
	unsigned int n = 1;

	while (n < SWEEP_MAX) {
		came = try(nodes, call, n, &failed);
		if (came < 0)
			return -1;
		if (came) {
			n++;
			without = 0;
		} else if (++without == patience(call, n)) {
			fprintf(stderr,
				"# %u reached, %d of them failed the call\n",
				n - 1, failed);
			return n - 1;
		}
	}
	fprintf(stderr, "# no end\n");
	return -1;
}
