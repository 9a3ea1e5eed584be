// SPDX-License-Identifier: GPL-2.0
/*
 * libprprun.so: the library that prprun has loaded into a program. It takes
 * the place of socket() and asks for PRP's IP mode where the program asks for
 * TCP. Everything else is the kernel's: the socket takes the same addresses
 * and is TCP where the host table does not know the peer. It takes the place
 * of setsockopt(), too, for SO_REUSEPORT alone, where the kernel refuses that
 * without asking the family.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/prp.h>

#include "prprun.h"

typedef int (*socket_fn)(int domain, int type, int protocol);
typedef int (*setsockopt_fn)(int fd, int level, int name, const void *value,
			     socklen_t len);

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

static int next_setsockopt(int fd, int level, int name, const void *value,
			   socklen_t len)
{
	static setsockopt_fn next;
	setsockopt_fn fn = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!fn) {
		fn = (setsockopt_fn)dlsym(RTLD_NEXT, "setsockopt");
		__atomic_store_n(&next, fn, __ATOMIC_RELAXED);
	}
	return fn(fd, level, name, value, len);
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

	if (fd < 0 ||
	    !next_setsockopt(fd, SOL_PRP, PRP_REQUIRE, &on, sizeof(on)))
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

/**
 * setsockopt() - setsockopt(2), with PRP_REUSEPORT where the kernel refuses
 *	SO_REUSEPORT
 * @fd: as the program gave it
 * @level: likewise
 * @name: likewise
 * @value: likewise
 * @len: likewise
 *
 * Return: 0, or -1 with errno of the call as the program made it.
 */
PRPRUN_EXPORT int setsockopt(int fd, int level, int name, const void *value,
			     socklen_t len)
{
	int saved = errno;
	int ret = next_setsockopt(fd, level, name, value, len);
	int on;

	if (!ret || errno != EOPNOTSUPP || level != SOL_SOCKET ||
	    name != SO_REUSEPORT || len < sizeof(on))
		return ret;
	memcpy(&on, value, sizeof(on));
	on = !!on;
	if (next_setsockopt(fd, SOL_PRP, PRP_REUSEPORT, &on, sizeof(on))) {
		errno = EOPNOTSUPP;
		return -1;
	}
	errno = saved;
	return 0;
}
