// SPDX-License-Identifier: GPL-2.0
/*
 * Opens many connections, each of which carries some bytes, and leaves them
 * idle. A port of the server has PER_PORT of them, as so many local ports are
 * there: the next ones go to the next port. Prints KEY=VALUE words: what the
 * first and the last hundred, or all if they are fewer, took to open,
 * nanoseconds each; then, for each
 * line that it reads, the machine's slab and all that is used of its memory but
 * for caches of files, in KiB, beyond what they were before.
 *
 *	prp_many [-t] CLIENT_NETNS SERVER_NETNS NODE PORT COUNT BYTES
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ends.h"
#include "netns.h"

#define SOME 100
#define PER_PORT 25000
#define MOST 100000

static char bytes[1 << 20];

static void serve(struct ends ends, int count, int len, int ready)
{
	int listener[MOST / PER_PORT + 1];

	netns_enter(ends.server_ns);
	for (int i = 0; i <= count / PER_PORT; i++, ends.port++)
		listener[i] = ends_listen(&ends, 1024);
	ends_ready(ready);
	for (int i = 0; i < count; i++) {
		int fd = ends_accept(&ends, listener[i / PER_PORT]);

		read_all(fd, bytes, len);
		write_all(fd, bytes, 1);
	}
	pause();
}

/* What memory is used for, KiB */
struct use {
	long slab;
	long all;
};

static struct use use_now(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	struct use use = {};
	char line[256];
	long kib;

	if (!file)
		err(1, "/proc/meminfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Slab: %ld", &kib) == 1)
			use.slab = kib;
		else if (sscanf(line, "MemTotal: %ld", &kib) == 1)
			use.all += kib;
		else if (sscanf(line, "MemFree: %ld", &kib) == 1 ||
			 sscanf(line, "Buffers: %ld", &kib) == 1 ||
			 sscanf(line, "Cached: %ld", &kib) == 1)
			use.all -= kib;
	}
	fclose(file);
	return use;
}

/* Return: nanoseconds that it took. */
static uint64_t open_one(const struct ends *ends, int len)
{
	uint64_t begun = now_ns(), opened;
	int fd = ends_connect(ends);

	opened = now_ns() - begun;
	write_all(fd, bytes, len);
	read_all(fd, bytes, 1);
	return opened;
}

int main(int argc, char **argv)
{
	bool tcp = argc > 1 && argv[1][0] == '-' && argv[1][1] == 't';
	struct ends ends = { .tcp = tcp };
	uint64_t first = 0, last = 0;
	int count, i, len, some, ready[2];
	struct rlimit files;
	struct use before, use;
	pid_t server;

	argc -= tcp;
	argv += tcp;
	if (argc != 7)
		errx(2,
		     "usage: prp_many [-t] CLIENT SERVER NODE PORT COUNT BYTES");
	ends.client_ns = argv[1];
	ends.server_ns = argv[2];
	ends.address = argv[3];
	ends.port = atoi(argv[4]);
	count = atoi(argv[5]);
	len = atoi(argv[6]);
	some = count < SOME ? count : SOME;
	files.rlim_cur = count + 64;
	files.rlim_max = count + 64;
	if (count < 1 || count > MOST || len < 1 || len > sizeof(bytes))
		errx(2, "1 to %d connections; 1 to %zu bytes", MOST,
		     sizeof(bytes));
	if (pipe(ready) || setrlimit(RLIMIT_NOFILE, &files))
		err(1, "%d sockets", count);
	before = use_now();
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(ends, count, len, ready[1]);
	}
	netns_enter(ends.client_ns);
	ends_wait_ready(ready[0]);
	for (i = 0; i < count; i++) {
		uint64_t ns;

		if (i && i % PER_PORT == 0)
			ends.port++;
		ns = open_one(&ends, len);
		if (i < some)
			first += ns;
		if (i >= count - some)
			last += ns;
	}
	printf("first=%llu last=%llu\n", (unsigned long long)first / some,
	       (unsigned long long)last / some);
	fflush(stdout);
	while (getchar() == '\n') {
		use = use_now();
		printf("slab=%ld all=%ld\n", use.slab - before.slab,
		       use.all - before.all);
		fflush(stdout);
	}
	kill(server, SIGKILL);
	return 0;
}
