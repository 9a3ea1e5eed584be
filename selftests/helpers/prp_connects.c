// SPDX-License-Identifier: GPL-2.0
/*
 * Opens connections between two namespaces, one after the other, and closes
 * them. Prints each=NANOSECONDS, which one of them took, the first ones left
 * out.
 *
 *	prp_connects -c NETNS -s NETNS -a ADDRESS [-t] COUNT
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"
#include "netns.h"

#define WARM 100 /* connections that are not timed, if there are more */

static struct ends ends = {
	.client_ns = "-",
	.server_ns = "-",
	.port = 4001,
};

/* The server closes first, as soon as a client is there. */
static void serve(int ready, int count)
{
	int listener;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	netns_enter(ends.server_ns);
	listener = ends_listen(&ends, 1);
	ends_ready(ready);
	while (count--)
		close(ends_accept(&ends, listener));
	exit(0);
}

/* The client closes when it has seen that the server has. */
static void open_and_close(int count)
{
	char byte;
	int fd;

	while (count--) {
		fd = ends_connect(&ends);
		if (recv(fd, &byte, 1, 0))
			err(1, "recv");
		close(fd);
	}
}

int main(int argc, char **argv)
{
	int pipes[2], option, count, status, warm;
	uint64_t begin;

	while ((option = getopt(argc, argv, ENDS_OPTIONS)) > 0)
		if (!ends_option(&ends, option, optarg))
			exit(2);
	count = optind < argc ? atoi(argv[optind]) : 0;
	if (count < 1 || !ends_complete(&ends))
		errx(2, "usage: prp_connects %s COUNT", ENDS_USAGE);
	if (pipe(pipes))
		err(1, "pipe");
	if (!fork())
		serve(pipes[1], count);
	ends_wait_ready(pipes[0]);
	netns_enter(ends.client_ns);
	warm = count > WARM ? WARM : 0;
	open_and_close(warm);
	begin = now_ns();
	open_and_close(count - warm);
	printf("each=%" PRIu64 "\n", (now_ns() - begin) / (count - warm));
	if (wait(&status) < 0 || status)
		errx(1, "the server failed");
	return 0;
}
