// SPDX-License-Identifier: GPL-2.0
/*
 * libprprun.so: the library that prprun has loaded into a program. It takes
 * the place of socket() and asks for PRP's IP mode where the program asks for
 * TCP. Everything else is the kernel's: the socket takes the same addresses
 * and is TCP where the host table does not know the peer.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/prp.h>

#include "prprun.h"

typedef int (*socket_fn)(int domain, int type, int protocol);

/*
 * The next library's, as another one may replace it too. The program's
 * threads may all look it up at once: they find the same.
 */
static int next_socket(int domain, int type, int protocol)
{
	static socket_fn next;
	socket_fn fn = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!fn) {
		fn = (socket_fn)dlsym(RTLD_NEXT, "socket");
		__atomic_store_n(&next, fn, __ATOMIC_RELAXED);
	}
	return fn(domain, type, protocol);
}

static bool is_tcp(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) &&
	       (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP);
}

/* With -r: no TCP behind it. Return: the descriptor, or -1 with errno. */
static int require(int fd)
{
	__u32 on = 1;
	int saved;

	if (fd < 0 || !setsockopt(fd, SOL_PRP, PRP_REQUIRE, &on, sizeof(on)))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/**
 * socket() - socket(2), with PRP's IP mode in the place of TCP
 * @domain: as the program gave it
 * @type: likewise
 * @protocol: likewise
 *
 * When there is no such socket to be had, because the module is not loaded
 * or a sandbox forbids the family, the program gets what it asked for; but
 * with -r, the error.
 *
 * Return: a descriptor, or -1 with errno of the call as the program made it,
 *	or with -r of the one for PRP's socket.
 */
PRPRUN_EXPORT int socket(int domain, int type, int protocol)
{
	int saved = errno;
	int fd;

	if (is_tcp(domain, type, protocol)) {
		fd = next_socket(AF_PRP, type,
				 domain == AF_INET ? PRPPROTO_INET :
						     PRPPROTO_INET6);
		if (getenv(PRPRUN_REQUIRE))
			return require(fd);
		if (fd >= 0)
			return fd;
		errno = saved;
	}
	return next_socket(domain, type, protocol);
}
