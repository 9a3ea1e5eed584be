// SPDX-License-Identifier: GPL-2.0
/*
 * Many to one: connections from some namespaces to one, idle, then so many
 * bytes on each of them in the same instant, and again after a pause. Every
 * byte is compared with a pattern. Prints KEY=VALUE words: for each round what
 * it took until all had arrived and was answered, in microseconds.
 *
 *	prp_crowd [-t] [-n ROUNDS] [-p PAUSE_MS] SERVER_NETNS ADDRESS PORT
 *		COUNT BYTES CLIENT_NETNS...
 */
#define _GNU_SOURCE
#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ends.h"
#include "netns.h"
#include "slow.h"

#define LIMIT_S 120
#define PATTERN (1024 * 1024 + 7)

static struct ends ends = { .client_ns = "-" };
static unsigned int rounds = 1, pause_ms = 50, count, bytes;

static char *pattern;

static void make_pattern(void)
{
	uint64_t x = 88172645463325252ull;

	pattern = malloc(PATTERN + bytes);
	if (!pattern)
		err(1, "malloc");
	for (unsigned int i = 0; i < PATTERN + bytes; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		pattern[i] = x;
	}
}

/* Other bytes of it for each connection, by its port, and in each round */
static const char *what(int port, unsigned int round)
{
	return pattern + (port * 7919u + round * 104729u) % PATTERN;
}

/* All that a connection has sent; it is told when all of it is here. */
static void take(struct pollfd *fd, unsigned int round, unsigned int *at)
{
	static char buffer[65536];
	int port = ends_port(fd->fd, true);
	ssize_t got = recv(fd->fd, buffer, sizeof(buffer), MSG_DONTWAIT);

	if (!got)
		errx(1, "the end after %u bytes", *at);
	if (got < 0)
		err(1, "recv after %u bytes", *at);
	if (*at + got > bytes)
		errx(1, "port %d: %zd bytes", port, *at + got);
	if (memcmp(buffer, what(port, round) + *at, got))
		errx(1, "port %d: wrong bytes behind %u", port, *at);
	*at += got;
	if (*at == bytes)
		write_all(fd->fd, "", 1);
}

static void serve(int ready)
{
	struct pollfd *fds = calloc(count, sizeof(*fds));
	unsigned int *at = calloc(count, sizeof(*at));
	int listener;

	netns_enter(ends.server_ns);
	listener = ends_listen(&ends, count);
	ends_ready(ready);
	for (unsigned int i = 0; i < count; i++) {
		fds[i].fd = ends_accept(&ends, listener);
		fds[i].events = POLLIN;
	}
	for (unsigned int round = 0; round < rounds; round++) {
		unsigned int left = count;

		memset(at, 0, count * sizeof(*at));
		while (left) {
			if (poll(fds, count, -1) < 0)
				err(1, "poll");
			for (unsigned int i = 0; i < count; i++) {
				if (!fds[i].revents)
					continue;
				take(fds + i, round, at + i);
				left -= at[i] == bytes;
			}
		}
	}
	exit(0);
}

static void crowd(const int *fds, unsigned int round)
{
	struct timespec pause = { .tv_nsec = pause_ms * 1000000 };
	uint64_t begun;
	char answer;

	nanosleep(&pause, NULL);
	begun = now_ns();
	for (unsigned int i = 0; i < count; i++)
		write_all(fds[i], what(ends_port(fds[i], false), round), bytes);
	for (unsigned int i = 0; i < count; i++)
		read_all(fds[i], &answer, 1);
	printf("took_%u=%llu ", round,
	       (unsigned long long)(now_ns() - begun) / 1000);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int option, ready[2], *fds, status;
	pid_t server;

	while ((option = getopt(argc, argv, "tn:p:")) > 0) {
		if (option == 't')
			ends.tcp = true;
		else if (option == 'n')
			rounds = atoi(optarg);
		else if (option == 'p')
			pause_ms = atoi(optarg);
		else
			return 2;
	}
	if (argc - optind < 6)
		errx(2, "see the top of prp_crowd.c");
	ends.server_ns = argv[optind++];
	ends.address = argv[optind++];
	ends.port = atoi(argv[optind++]);
	count = atoi(argv[optind++]);
	bytes = atoi(argv[optind++]);
	fds = calloc(count, sizeof(*fds));
	if (!fds || !count || pipe(ready))
		err(1, "%u connections", count);
	make_pattern();
	alarm(LIMIT_S * slow());
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(ready[1]);
	}
	close(ready[1]);
	ends_wait_ready(ready[0]);
	for (unsigned int i = 0; i < count; i++) {
		netns_enter(argv[optind + i % (argc - optind)]);
		fds[i] = ends_connect(&ends);
	}
	for (unsigned int round = 0; round < rounds; round++)
		crowd(fds, round);
	putchar('\n');
	if (waitpid(server, &status, 0) != server || status)
		errx(1, "the server failed");
	return 0;
}
