// SPDX-License-Identifier: GPL-2.0
/*
 * Opens and closes connections as fast as it goes. The server closes at once;
 * the client then ends, too, and keeps its sockets until it reads a line: it
 * waits for each of them to have ended, and counts those that ended with an
 * error. Prints KEY=VALUE words: first what was closed and how fast, then the
 * errors.
 *
 *	prp_closes CLIENT_NETNS SERVER_NETNS NODE PORT COUNT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "ends.h"
#include "netns.h"
#include "slow.h"

static void serve(const struct ends *ends, int count, int ready)
{
	int listener;

	netns_enter(ends->server_ns);
	listener = ends_listen(ends, 1024);
	ends_ready(ready);
	while (count--)
		close(ends_accept(ends, listener));
	_exit(0);
}

static int connect_and_end(const struct ends *ends)
{
	int fd = ends_connect(ends);
	char byte;

	if (recv(fd, &byte, 1, 0))
		err(1, "recv");
	if (shutdown(fd, SHUT_WR))
		err(1, "shutdown");
	return fd;
}

/* Wait until a connection has ended. Return: its error. */
static int ended(int fd)
{
	struct pollfd pollfd = { .fd = fd };
	socklen_t len = sizeof(int);
	int error;

	if (poll(&pollfd, 1, LIMIT_MS) != 1)
		errx(1, "a connection is still there");
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len))
		err(1, "SO_ERROR");
	return error;
}

int main(int argc, char **argv)
{
	struct ends ends = {};
	struct rlimit files;
	int *fds, count, i, errors = 0, ready[2];
	uint64_t begun;

	if (argc != 6)
		errx(2, "usage: prp_closes CLIENT SERVER NODE PORT COUNT");
	ends.client_ns = argv[1];
	ends.server_ns = argv[2];
	ends.address = argv[3];
	ends.port = atoi(argv[4]);
	count = atoi(argv[5]);
	files.rlim_cur = count + 64;
	files.rlim_max = count + 64;
	fds = calloc(count, sizeof(*fds));
	if (!fds || pipe(ready) || setrlimit(RLIMIT_NOFILE, &files))
		err(1, "%d sockets", count);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(&ends, count, ready[1]);
	}
	netns_enter(ends.client_ns);
	ends_wait_ready(ready[0]);
	begun = now_ns();
	for (i = 0; i < count; i++)
		fds[i] = connect_and_end(&ends);
	printf("closed=%d ms=%llu\n", count,
	       (unsigned long long)(now_ns() - begun) / 1000000);
	fflush(stdout);
	if (getchar() != '\n')
		errx(1, "nobody says that it may go on");
	for (i = 0; i < count; i++) {
		int error = ended(fds[i]);

		if (error) {
			errors++;
			errno = error;
			if (errors == 1)
				warn("connection %d", i);
		}
		close(fds[i]);
	}
	printf("errors=%d\n", errors);
	return wait(NULL) < 0;
}
