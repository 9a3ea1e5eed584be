/* SPDX-License-Identifier: GPL-2.0 */
/* Enters a network namespace by its name, as `ip netns` knows it. */
#ifndef _SELFTESTS_NETNS_H
#define _SELFTESTS_NETNS_H

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void netns_enter(const char *name)
{
	char path[256];
	int fd;

	if (!strcmp(name, "-")) /* stay where we are */
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	if (setns(fd, CLONE_NEWNET))
		err(1, "setns %s", name);
	close(fd);
}

#endif
