// SPDX-License-Identifier: GPL-2.0
/*
 * Tells counters to shells, for which each program that they start takes longer
 * than what they ask:
 *
 *	prp_counters
 *
 * says at which port of TCP on the loopback device it listens. A connection is
 * asked one line, "NETNS NAME...", and answers a line of a value for each, or
 * "-". It ends with who has started it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "counters.h"
#include "netns.h"

#define MOST 8

/* Enters a namespace, or says that there is none. */
static bool enter(const char *name)
{
	char path[256];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	good = fd >= 0 && !setns(fd, CLONE_NEWNET);
	if (fd >= 0)
		close(fd);
	return good;
}

static void answer(FILE *asked, int home)
{
	char line[1024], *at, *netns, *names[MOST];
	long values[MOST];
	int count = 0;

	if (!fgets(line, sizeof(line), asked))
		return;
	netns = strtok_r(line, "\n ", &at);
	while (count < MOST && (names[count] = strtok_r(NULL, "\n ", &at)))
		count++;
	for (int i = 0; i < count; i++)
		values[i] = -1;
	if (netns && enter(netns))
		counters_ask((const char *const *)names, values, count);
	if (setns(home, CLONE_NEWNET))
		err(1, "setns");
	for (int i = 0; i < count; i++)
		if (values[i] < 0)
			fputs("- ", asked);
		else
			fprintf(asked, "%ld ", values[i]);
	fputs("\n", asked);
}

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(at);
	FILE *asked;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	if (listener < 0 || bind(listener, (void *)&at, len) ||
	    listen(listener, 64) || getsockname(listener, (void *)&at, &len))
		err(1, "listen");
	printf("%d\n", ntohs(at.sin_port));
	fclose(stdout);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		asked = fdopen(fd, "r+");
		if (!asked)
			err(1, "fdopen");
		answer(asked, home);
		fclose(asked);
	}
	err(1, "accept");
}
