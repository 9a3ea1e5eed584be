/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the races of sockets have in common: two nodes, a listener on the
 * second one, threads that note what went wrong first, and in the end nothing
 * left.
 *
 * PRP_LONG=1: a hundred thousand rounds of each.
 */
#ifndef _SELFTESTS_RACE_H
#define _SELFTESTS_RACE_H

#include "fixture.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>

#define LIMIT_S 5 /* nobody sleeps longer when it is over */
#define MINUTES 60
#define CASE(name) TEST_F_TIMEOUT(race, name, 120 * MINUTES)

/* ---- what went wrong first, in whatever thread ---- */

static char wrong_text[256];
static atomic_bool wrong_set;

static inline void __attribute__((format(printf, 1, 2)))
wrong(const char *format, ...)
{
	va_list args;

	if (atomic_exchange(&wrong_set, true))
		return;
	va_start(args, format);
	vsnprintf(wrong_text, sizeof(wrong_text), format, args);
	va_end(args);
}

/* Passes the result of a call through; its errno must be of those, then 0. */
static inline long may(const char *what, long ret, ...)
{
	int err = errno, one;
	va_list args;

	if (ret >= 0)
		return ret;
	va_start(args, ret);
	do {
		one = va_arg(args, int);
	} while (one && one != err);
	va_end(args);
	if (!one)
		wrong("%s: %s", what, strerrorname_np(err));
	errno = err;
	return ret;
}

/* ---- what all cases have ---- */

static const struct nodes *nodes;
static int rounds, listener;
static pthread_barrier_t gate;

static inline unsigned int roll(unsigned int *seed, unsigned int sides)
{
	return rand_r(seed) / 16 % sides;
}

/* A moment that differs, so that calls meet at all their points */
static inline void linger_a_bit(unsigned int *seed)
{
	for (volatile int i = roll(seed, 4) * roll(seed, 4000); i; i--)
		;
}

static inline void limit_waits(int fd, int ms)
{
	struct timeval limit = { ms / 1000, ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static inline void reset_on_close(int fd)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

static inline int new_socket(void)
{
	int fd = socket(AF_PRP, SOCK_STREAM, 0);

	if (fd < 0)
		wrong("socket: %s", strerrorname_np(errno));
	limit_waits(fd, LIMIT_S * 1000);
	return fd;
}

static inline int connect_to(int fd, int node, int port)
{
	struct sockaddr_prp at = prp_at(node, port);

	return connect(fd, SA(at), sizeof(at));
}

static inline int bind_to(int fd, int port)
{
	struct sockaddr_prp at = prp_at(0, port);

	return bind(fd, SA(at), sizeof(at));
}

static inline void run_threads(void *(*run)(void *), int count)
{
	pthread_t thread[8];

	for (long i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, run, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

/* ---- accept and close whatever comes, until the listener ends ---- */

static inline void *serve(void *unused)
{
	unsigned int seed = 99;
	int fd;

	(void)unused;
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (!roll(&seed, 3))
			send(fd, "hello", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (!roll(&seed, 3))
			reset_on_close(fd);
		close(fd);
	}
	if (errno != EINVAL)
		wrong("accept: %s", strerrorname_np(errno));
	return NULL;
}

static inline bool no_socket_left(int nr)
{
	char text[64] = "";
	FILE *pipe;

	nodes_enter(nodes, nr);
	pipe = popen("exec prpctl -j sockets show -a", "r");
	text[fread(text, 1, sizeof(text) - 1, pipe)] = 0;
	pclose(pipe);
	return strstr(text, "\"sockets\":[]");
}

FIXTURE(race)
{
	struct nodes nodes;
	pthread_t server;
	bool served;
};

FIXTURE_SETUP(race)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	nodes = &self->nodes;
	listener = nodes_listen(nodes, 2, PORT, 64);
	ASSERT_LE(0, listener);
	nodes_enter(nodes, 1);
}

FIXTURE_TEARDOWN(race)
{
	if (self->served) {
		EXPECT_EQ(0, shutdown(listener, SHUT_RD));
		pthread_join(self->server, NULL);
	}
	close(listener);
	EXPECT_FALSE(wrong_set)
	{
		TH_LOG("%s", wrong_text);
	}
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
	EXPECT_TRUE(no_socket_left(1));
	EXPECT_TRUE(no_socket_left(2));
}

static inline void set_rounds(int few)
{
	const char *many = getenv("PRP_LONG");

	rounds = many && *many ? 100000 : few;
}

#endif
