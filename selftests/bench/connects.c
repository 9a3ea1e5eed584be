// SPDX-License-Identifier: GPL-2.0
/*
 * Opens connections between two namespaces, one after the other, and closes
 * them: connects -c NETNS -s NETNS -a ADDRESS [-t] COUNT
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"
#include "netns.h"

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

int main(int argc, char **argv)
{
	int pipes[2], option, count, status, fd;
	char byte;

	while ((option = getopt(argc, argv, ENDS_OPTIONS)) > 0)
		if (!ends_option(&ends, option, optarg))
			exit(2);
	count = optind < argc ? atoi(argv[optind]) : 0;
	if (count < 1 || !ends_complete(&ends))
		errx(2, "usage: connects %s COUNT", ENDS_USAGE);
	if (pipe(pipes))
		err(1, "pipe");
	if (!fork())
		serve(pipes[1], count);
	ends_wait_ready(pipes[0]);
	netns_enter(ends.client_ns);
	while (count--) {
		fd = ends_connect(&ends);
		if (recv(fd, &byte, 1, 0))
			err(1, "recv");
		close(fd);
	}
	if (wait(&status) < 0 || status)
		errx(1, "the server failed");
	return 0;
}
