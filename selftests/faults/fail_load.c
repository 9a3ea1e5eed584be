// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a module with the n-th allocation failing, for n = 1, 2, 3 ... until
 * none fails; then it stays loaded:
 *
 *	fail_load MODULE FIRST
 *
 * Each time it must be refused by a clean errno, and load the next time when
 * nothing fails. Begins with allocation FIRST, for those of the loader itself
 * come first; prints how many loads failed. Fault injection is switched on
 * before by who calls it.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fail_file;

static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_file, text, len, 0) != len)
		err(1, "fail-nth");
}

/* Return: whether the failure has come. */
static bool disarm(void)
{
	char text[16] = "1";
	bool came = pread(fail_file, text, sizeof(text), 0) > 0 &&
		    text[0] == '0';

	arm(0);
	return came;
}

static bool is_clean(int error)
{
	return error == ENOMEM || error == ENOBUFS || error == EFAULT;
}

int main(int argc, char **argv)
{
	unsigned int failed = 0;
	int module;

	if (argc != 3)
		errx(2, "usage: fail_load MODULE FIRST");
	fail_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	module = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fail_file < 0 || module < 0)
		err(1, "%s, fail-nth", argv[1]);
	for (unsigned int n = atoi(argv[2]);; n++) {
		int ret, error;
		bool came;

		arm(n);
		ret = syscall(SYS_finit_module, module, "", 0);
		error = errno;
		came = disarm();
		if (ret && (!came || !is_clean(error)))
			errx(1, "%u: %s", n, strerrorname_np(error));
		failed += !!ret;
		if (!came)
			break;
		if (!ret && syscall(SYS_delete_module, "prp", O_NONBLOCK))
			err(1, "%u: delete_module", n);
	}
	printf("failed=%u\n", failed);
	return 0;
}
