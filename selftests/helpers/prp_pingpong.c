// SPDX-License-Identifier: GPL-2.0
/*
 * Request and reply between two namespaces, or two machines, over PRP or TCP
 * with TCP_NODELAY, blocking send() and recv(). Prints KEY=VALUE words:
 * round-trip times in nanoseconds, and what each end sent.
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"
#include "slow.h"
#include "netns.h"

static struct ends ends = {
	.client_ns = "-",
	.server_ns = "-",
	.port = 4001,
};

static unsigned int rounds = 10000, warm = 100;
static size_t size = 4;
static unsigned int limit_s = 120;

static void send_msg(int fd, const void *msg)
{
	if (send(fd, msg, size, MSG_NOSIGNAL) != size)
		err(1, "send");
}

static void recv_msg(int fd, char *msg)
{
	ssize_t got;

	for (size_t have = 0; have < size; have += got) {
		got = recv(fd, msg + have, size - have, 0);
		if (got < 0)
			err(1, "recv");
		if (!got)
			errx(1, "the peer closed early");
	}
}

/* Says so on a descriptor when a client may come. */
static void server(int ready, struct prp_info *info)
{
	char *msg = malloc(size);
	int listener, fd;

	netns_enter(ends.server_ns);
	listener = ends_listen(&ends, 1);
	ends_ready(ready);
	fd = ends_accept(&ends, listener);
	for (unsigned int i = 0; i < warm + rounds; i++) {
		recv_msg(fd, msg);
		send_msg(fd, msg);
	}
	/* The client closes when it has the last reply. */
	if (recv(fd, msg, 1, 0))
		errx(1, "the client sent more than it should");
	ends_info(&ends, fd, info);
	close(fd);
}

static void client(uint64_t *times, struct prp_info *info)
{
	char *out = malloc(size), *in = malloc(size);
	int fd;

	netns_enter(ends.client_ns);
	fd = ends_connect(&ends);
	for (unsigned int i = 0; i < warm + rounds; i++) {
		uint64_t start;

		memset(out, i, size);
		memcpy(out, &i, size < sizeof(i) ? size : sizeof(i));
		start = now_ns();
		send_msg(fd, out);
		recv_msg(fd, in);
		if (i >= warm)
			times[i - warm] = now_ns() - start;
		if (memcmp(in, out, size))
			errx(1, "round %u: wrong reply", i);
	}
	ends_info(&ends, fd, info);
	if (shutdown(fd, SHUT_WR))
		err(1, "shutdown");
	if (recv(fd, in, 1, 0))
		errx(1, "the server sent more than it should");
	close(fd);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void report(uint64_t *times)
{
	static const struct {
		const char *name;
		double part;
	} at[] = {
		{ "min", 0 },	{ "p1", 0.01 },	 { "p50", 0.5 },
		{ "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 },
		{ "max", 1 },
	};
	double sum = 0;

	qsort(times, rounds, sizeof(*times), compare);
	for (unsigned int i = 0; i < rounds; i++)
		sum += times[i];
	printf("rounds=%u size=%zu avg=%.0f", rounds, size, sum / rounds);
	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		printf(" %s=%llu", at[i].name,
		       (unsigned long long)
			       times[(size_t)(at[i].part * (rounds - 1))]);
	printf("\n");
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, ENDS_OPTIONS "n:u:z:L:")) > 0) {
		switch (option) {
		case 'n':
			rounds = atoi(optarg);
			break;
		case 'u':
			warm = atoi(optarg);
			break;
		case 'z':
			size = strtoul(optarg, NULL, 0);
			break;
		case 'L':
			limit_s = atoi(optarg);
			break;
		default:
			if (!ends_option(&ends, option, optarg))
				exit(2);
		}
	}
	if (!ends_complete(&ends) || !rounds || !size)
		errx(2,
		     "usage: prp_pingpong %s\n"
		     "\t[-n ROUNDS] [-u WARM_UP] [-z SIZE] [-L LIMIT_S]",
		     ENDS_USAGE);
}

static int one_end(uint64_t *times)
{
	bool is_client = ends.here == ENDS_CLIENT;
	struct prp_info info;

	alarm(limit_s * slow());
	if (is_client) {
		client(times, &info);
		report(times);
	} else {
		server(STDOUT_FILENO, &info);
	}
	if (!ends.tcp)
		ends_info_print(is_client ? "client" : "server", &info);
	return 0;
}

int main(int argc, char **argv)
{
	struct prp_info c_info, s_info;
	int pipes[2], status;
	uint64_t *times;
	pid_t child;

	parse(argc, argv);
	times = calloc(rounds, sizeof(*times));
	if (!times)
		err(1, "calloc");
	if (ends.here != ENDS_BOTH)
		return one_end(times);
	if (pipe(pipes))
		err(1, "start");
	child = fork();
	alarm(limit_s * slow()); /* in both processes */
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pipes[0]);
		server(pipes[1], &s_info);
		write_all(pipes[1], &s_info, sizeof(s_info));
		return 0;
	}
	close(pipes[1]);
	ends_wait_ready(pipes[0]);
	client(times, &c_info);
	read_all(pipes[0], &s_info, sizeof(s_info));
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the server failed");
	report(times);
	if (!ends.tcp) {
		ends_info_print("client", &c_info);
		ends_info_print("server", &s_info);
	}
	return 0;
}
