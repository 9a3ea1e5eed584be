// SPDX-License-Identifier: GPL-2.0
/*
 * libprprun.so: the library that prprun has loaded into a program. It takes
 * the place of socket() and puts PRP's IP mode on each TCP socket. Everything
 * else is the kernel's: the descriptor is TCP's, takes the same addresses and
 * options, and is carried by TCP where the host table does not know the peer.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/prp.h>

#include "prprun.h"

/* The next library's, as another one may replace them too */
static __typeof__(socket) *next_socket;
static __typeof__(setsockopt) *next_setsockopt;
static bool required;
static bool ready;
static bool was_missing; /* the kernel had no PRP when last asked */

/*
 * A program may do away with its environment, or change it as others look; and
 * a signal handler, or a child of threads, may call socket(), but not dlsym().
 * Constructors of other libraries may call socket() before this one has run:
 * whoever comes first looks, and finds the same.
 */
__attribute__((constructor)) static void get_ready(void)
{
	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		return;
	required = getenv(PRPRUN_REQUIRE);
	next_socket = (__typeof__(socket) *)dlsym(RTLD_NEXT, "socket");
	next_setsockopt =
		(__typeof__(setsockopt) *)dlsym(RTLD_NEXT, "setsockopt");
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

/* Multipath TCP is what TCP is, by more ways, if the peer has it too. */
static bool is_tcp(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) &&
	       (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP ||
		protocol == IPPROTO_MPTCP);
}

/*
 * A privileged program that asks has the kernel run modprobe each time, which
 * takes long. It asks again once there is a module, or where nobody can tell.
 */
static bool is_still_missing(void)
{
	return __atomic_load_n(&was_missing, __ATOMIC_RELAXED) &&
	       access("/sys/module/prp", F_OK) && errno == ENOENT &&
	       !access("/sys/module", F_OK);
}

/* PRP under a socket of TCP's, and with -r no TCP. Return: 0, or -1 with
 * errno.
 */
static int put_under(int fd)
{
	__u32 on = 1;
	bool missing;

	if (is_still_missing()) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	if (next_setsockopt(fd, IPPROTO_TCP, TCP_ULP, PRP_ULP,
			    sizeof(PRP_ULP) - 1) &&
	    errno != EEXIST) { /* another one like this was first */
		missing = errno == ENOENT;
		__atomic_store_n(&was_missing, missing, __ATOMIC_RELAXED);
		if (missing)
			errno = EAFNOSUPPORT;
		return -1;
	}
	return required ? next_setsockopt(fd, SOL_PRP, PRP_REQUIRE, &on,
					  sizeof(on)) :
			  0;
}

/**
 * socket() - socket(2), with PRP's IP mode put on what is TCP's
 * @domain: as the program gave it
 * @type: likewise
 * @protocol: likewise
 *
 * Where that cannot be had, because the module is not loaded, the program gets
 * what it asked for; but with -r, the error. PRP cannot be put under Multipath
 * TCP: who asks for that gets TCP with PRP under it.
 *
 * Return: a descriptor, or -1 with errno of the call as the program made it,
 *	or with -r of what PRP wants.
 */
PRPRUN_EXPORT int socket(int domain, int type, int protocol)
{
	const bool tcp = is_tcp(domain, type, protocol);
	const bool multipath = tcp && protocol == IPPROTO_MPTCP;
	int saved = errno;
	int fd, err;

	get_ready();
	fd = next_socket(domain, type, multipath ? IPPROTO_TCP : protocol);
	if (fd < 0 || !tcp)
		return fd;
	if (!put_under(fd) || !(required || multipath)) {
		errno = saved;
		return fd;
	}
	err = errno;
	close(fd);
	errno = required ? err : saved;
	return required ? -1 : next_socket(domain, type, protocol);
}
