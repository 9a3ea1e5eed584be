// SPDX-License-Identifier: GPL-2.0
/*
 * Opens and closes connections as fast as it goes. The server closes at once;
 * the client then ends, too, and keeps its sockets until it reads a line: it
 * waits for each of them to have ended, and counts those that ended with an
 * error. Prints KEY=VALUE words: first what was closed and how fast, then the
 * errors.
 *
 *	prp_closes CLIENT_NETNS SERVER_NETNS NODE PORT COUNT [BYTES]
 *
 * With BYTES, once all are open and a line was read, the server sends so many
 * to each and closes it; the client reads all of them to the end, says how many
 * were whole, and ends at the next line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "ends.h"
#include "netns.h"
#include "slow.h"

#define BYTES_MAX 1000000

static char bytes[BYTES_MAX], in[BYTES_MAX];

/* What is sent on a connection with that port of the client's */
static const char *bytes_of(int port, int len)
{
	for (int i = 0; i < len; i++)
		bytes[i] = port * 31 + i * 7 + i / 256;
	return bytes;
}

static int listens(const struct ends *ends, int ready)
{
	int listener;

	netns_enter(ends->server_ns);
	listener = ends_listen(ends, 1024);
	ends_ready(ready);
	return listener;
}

static void serve(const struct ends *ends, int count, int ready)
{
	int listener = listens(ends, ready);

	while (count--)
		close(ends_accept(ends, listener));
	_exit(0);
}

/* Send to each once there is something to read from go. */
static void serve_bytes(const struct ends *ends, int *fds, int count, int len,
			int ready, int go)
{
	int listener = listens(ends, ready);

	for (int i = 0; i < count; i++)
		fds[i] = ends_accept(ends, listener);
	read_all(go, in, 1);
	for (int i = 0; i < count; i++) {
		write_all(fds[i], bytes_of(ends_port(fds[i], true), len), len);
		close(fds[i]);
	}
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

/* Do just these bytes come, and then the end? */
static bool reads_whole(int fd, int len)
{
	ssize_t got;
	int have = 0;

	do {
		got = recv(fd, in + have, len - have + 1, 0);
		have += got > 0 ? got : 0;
	} while (got > 0 && have <= len);
	return !got && have == len &&
	       !memcmp(in, bytes_of(ends_port(fd, false), len), len);
}

static void wait_line(void)
{
	if (getchar() != '\n')
		errx(1, "nobody says that it may go on");
}

static void get_bytes(const int *fds, int count, int len, int go)
{
	int whole = 0;

	printf("opened=%d\n", count);
	fflush(stdout);
	wait_line();
	write_all(go, "", 1);
	for (int i = 0; i < count; i++)
		whole += reads_whole(fds[i], len);
	printf("whole=%d\n", whole);
	fflush(stdout);
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
	int *fds, count, i, errors = 0, len, ready[2], go[2];
	uint64_t begun;

	if (argc != 6 && argc != 7)
		errx(2,
		     "usage: prp_closes CLIENT SERVER NODE PORT COUNT [BYTES]");
	ends.client_ns = argv[1];
	ends.server_ns = argv[2];
	ends.address = argv[3];
	ends.port = atoi(argv[4]);
	count = atoi(argv[5]);
	len = argc == 7 ? atoi(argv[6]) : 0;
	if (len < 0 || len >= BYTES_MAX)
		errx(2, "up to %d bytes", BYTES_MAX - 1);
	files.rlim_cur = count + 64;
	files.rlim_max = count + 64;
	fds = calloc(count, sizeof(*fds));
	if (!fds || pipe(ready) || pipe(go) || setrlimit(RLIMIT_NOFILE, &files))
		err(1, "%d sockets", count);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (len)
			serve_bytes(&ends, fds, count, len, ready[1], go[0]);
		serve(&ends, count, ready[1]);
	}
	netns_enter(ends.client_ns);
	ends_wait_ready(ready[0]);
	begun = now_ns();
	for (i = 0; i < count; i++)
		fds[i] = len ? ends_connect(&ends) : connect_and_end(&ends);
	if (len) {
		get_bytes(fds, count, len, go[1]);
	} else {
		printf("closed=%d ms=%llu\n", count,
		       (unsigned long long)(now_ns() - begun) / 1000000);
		fflush(stdout);
	}
	wait_line();
	for (i = 0; len && i < count; i++)
		shutdown(fds[i], SHUT_WR); /* fails if it has ended */
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
