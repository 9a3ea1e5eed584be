// SPDX-License-Identifier: GPL-2.0
/*
 * Enters network namespaces by the names that ip-netns(8) gives them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "show/out.h"

#define NETNS_FOLDER "/var/run/netns/"

const char *netns_name;

/**
 * netns_enter() - enter a network namespace, or say why not
 * @name: its name
 *
 * Return: exit status.
 */
int netns_enter(const char *name)
{
	char path[sizeof(NETNS_FOLDER) + NAME_MAX];
	int fd, err;

	if (!*name || strchr(name, '/') || strlen(name) > NAME_MAX)
		return out_fail(EXIT_SYNTAX,
				"\"%s\" is no name of a network namespace",
				name);
	snprintf(path, sizeof(path), NETNS_FOLDER "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return out_fail(EXIT_SYNTAX, "network namespace %s: %s", name,
				strerror(errno));
	err = setns(fd, CLONE_NEWNET) ? errno : 0;
	close(fd);
	if (err)
		return out_fail(EXIT_KERNEL, "network namespace %s: %s%s", name,
				strerror(err),
				err == EPERM ? ": needs CAP_SYS_ADMIN" : "");
	netns_name = name;
	return EXIT_OK;
}
