// SPDX-License-Identifier: GPL-2.0
/*
 * libprprun-verbose.so: loaded by `prprun -v` before libprprun.so. It stands
 * before the calls that end with a connection and tells on standard error
 * what carries it, and why if that is TCP. It changes nothing.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/prp.h>

#include "prprun.h"
#include "why.h"

/* What the dynamic linker would have called without us */
static struct {
	__typeof__(connect) *connect;
	__typeof__(getsockopt) *getsockopt;
	__typeof__(accept) *accept;
	__typeof__(accept4) *accept4;
	bool ready;
} next;

#define LOOK_UP(name) (next.name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name))

/*
 * A signal handler, or a child of threads, may call these, but not dlsym(); so
 * it is called before the program begins, or as another library's constructor
 * begins. All find the same.
 */
static void __attribute__((constructor)) look_up(void)
{
	if (__atomic_load_n(&next.ready, __ATOMIC_ACQUIRE))
		return;
	LOOK_UP(connect);
	LOOK_UP(getsockopt);
	LOOK_UP(accept);
	LOOK_UP(accept4);
	__atomic_store_n(&next.ready, true, __ATOMIC_RELEASE);
}

#define FDS 65536 /* of larger descriptors nothing is told */
#define BITS (8 * sizeof(unsigned long))

/* Descriptors whose connect() goes on in the background */
static unsigned long pending[FDS / BITS];

static struct stat stderr_at_start;

/*
 * A program may close standard error and get the number again for something
 * else, such as a connection, where no text of ours must go.
 */
static bool stderr_is_what_it_was(void)
{
	struct stat now;

	return stderr_at_start.st_ino && !fstat(STDERR_FILENO, &now) &&
	       now.st_dev == stderr_at_start.st_dev &&
	       now.st_ino == stderr_at_start.st_ino;
}

static void __attribute__((constructor)) remember_stderr(void)
{
	int saved = errno;

	if (fstat(STDERR_FILENO, &stderr_at_start))
		stderr_at_start.st_ino = 0;
	errno = saved;
}

static void set_pending(int fd)
{
	if (fd >= 0 && fd < FDS)
		__atomic_or_fetch(&pending[fd / BITS], 1UL << fd % BITS,
				  __ATOMIC_RELAXED);
}

/* Was it pending? It is not any more. */
static bool take_pending(int fd)
{
	unsigned long bit;

	if (fd < 0 || fd >= FDS)
		return false;
	bit = 1UL << fd % BITS;
	return __atomic_fetch_and(&pending[fd / BITS], ~bit, __ATOMIC_RELAXED) &
	       bit;
}

/* Behind "TCP": why it is not PRP, as far as that is known */
static void tell_why(int fd, bool ours, char *text, size_t size)
{
	struct prp_why why = {};
	socklen_t len = sizeof(why);

	*text = 0;
	if (ours && !next.getsockopt(fd, SOL_PRP, PRP_WHY, &why, &len))
		why_text(&why, text, size);
	else if (!ours && why_module_is_missing())
		snprintf(text, size, ", PRP's module is not loaded");
}

/* Is it TCP's own socket, and not one of ours? */
static bool is_plain_tcp(int fd)
{
	socklen_t len = sizeof(int);
	int protocol;

	return !next.getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) &&
	       protocol == IPPROTO_TCP;
}

/* What carries a connection, and for a client's, why; false: nothing yet, or
 * neither PRP nor TCP
 */
static bool path_of(int fd, bool client, char *text, size_t size)
{
	__u32 path = PRP_PATH_NONE;
	socklen_t len = sizeof(path);
	bool ours = !next.getsockopt(fd, SOL_PRP, PRP_PATH, &path, &len);

	if (ours && path == PRP_PATH_PRP) {
		snprintf(text, size, "PRP");
		return true;
	}
	if (ours ? path != PRP_PATH_TCP : !is_plain_tcp(fd))
		return false;
	snprintf(text, size, "TCP");
	if (client)
		tell_why(fd, ours, text + strlen(text), size - strlen(text));
	return true;
}

/* The peer as ADDRESS:PORT; false if it has no IP address */
static bool peer_of(int fd, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&peer;
	struct sockaddr_in *in = (struct sockaddr_in *)&peer;

	if (getpeername(fd, (struct sockaddr *)&peer, &len))
		return false;
	if (peer.ss_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, address, sizeof(address));
		snprintf(text, size, "%s:%u", address, ntohs(in->sin_port));
	} else if (peer.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, address, sizeof(address));
		snprintf(text, size, "[%s]:%u", address, ntohs(in6->sin6_port));
	} else {
		return false;
	}
	return true;
}

/*
 * In one write, as other processes may write too. If nobody reads what we say,
 * or there is no room for it, the program goes on as it would without us: what
 * SIGPIPE would have told is for nobody.
 */
static void say(const char *line, size_t len)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	const struct timespec at_once = {};
	sigset_t broken, pending, mask;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, &mask);
	sigpending(&pending);
	if (poll(&room, 1, 0) > 0 && write(STDERR_FILENO, line, len) < 0 &&
	    errno == EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&broken, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* One line; a thread that is cancelled meanwhile keeps its connection. */
static void tell(int fd, bool client)
{
	char peer[INET6_ADDRSTRLEN + sizeof("[]:65535")];
	int saved = errno;
	char path[80];
	char line[256];
	int cancel;
	size_t len;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (path_of(fd, client, path, sizeof(path)) &&
	    peer_of(fd, peer, sizeof(peer)) && stderr_is_what_it_was()) {
		len = snprintf(line, sizeof(line),
			       "prprun: %s[%d]: %s %s: %s\n",
			       program_invocation_short_name, getpid(),
			       client ? "connected to" : "accepted from", peer,
			       path);
		say(line, len < sizeof(line) ? len : sizeof(line) - 1);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
}

/**
 * connect() - connect(2), and tells when there is a connection at once
 * @fd: as the program gave it
 * @addr: likewise
 * @len: likewise
 *
 * A connection that is not there yet is told of when the program asks for
 * SO_ERROR, or calls again.
 *
 * Return: what connect(2) returns.
 */
PRPRUN_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	int ret;

	look_up();
	ret = next.connect(fd, addr, len);
	if (ret == 0) {
		take_pending(fd);
		tell(fd, true);
	} else if (errno == EINPROGRESS) {
		set_pending(fd);
	} else if (errno == EISCONN && take_pending(fd)) {
		tell(fd, true);
	}
	return ret;
}

/**
 * getsockopt() - getsockopt(2), and tells how a connect() has ended
 * @fd: as the program gave it
 * @level: likewise
 * @name: likewise
 * @value: likewise
 * @len: likewise
 *
 * Return: what getsockopt(2) returns.
 */
PRPRUN_EXPORT int getsockopt(int fd, int level, int name, void *value,
			     socklen_t *len)
{
	int ret;

	look_up();
	ret = next.getsockopt(fd, level, name, value, len);
	if (ret == 0 && level == SOL_SOCKET && name == SO_ERROR &&
	    take_pending(fd) && *len == sizeof(int) && *(int *)value == 0)
		tell(fd, true);
	return ret;
}

/**
 * accept() - accept(2), and tells of the connection
 * @fd: as the program gave it
 * @addr: likewise
 * @len: likewise
 *
 * Return: what accept(2) returns.
 */
PRPRUN_EXPORT int accept(int fd, __SOCKADDR_ARG addr, socklen_t *len)
{
	int ret;

	look_up();
	ret = next.accept(fd, addr, len);
	if (ret >= 0) {
		take_pending(ret); /* of one that was closed */
		tell(ret, false);
	}
	return ret;
}

/**
 * accept4() - accept4(2), and tells of the connection
 * @fd: as the program gave it
 * @addr: likewise
 * @len: likewise
 * @flags: likewise
 *
 * Return: what accept4(2) returns.
 */
PRPRUN_EXPORT int accept4(int fd, __SOCKADDR_ARG addr, socklen_t *len,
			  int flags)
{
	int ret;

	look_up();
	ret = next.accept4(fd, addr, len, flags);
	if (ret >= 0) {
		take_pending(ret); /* of one that was closed */
		tell(ret, false);
	}
	return ret;
}
