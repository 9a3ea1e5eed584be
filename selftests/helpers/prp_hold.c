// SPDX-License-Identifier: GPL-2.0
/*
 * One listener and one connection that do what they are told, for tests
 * that must look or interfere between two calls:
 *
 *	prp_hold NETNS
 *
 * reads commands, one a line, and answers each by "ok", "ok VALUE" or the
 * name of the error. At the end of the commands everything is closed. FROM
 * is the port that the connecting end binds.
 *
 *	listen PORT BACKLOG	accept		connect NODE PORT [FROM]
 *	send BYTES		recv BYTES	finish (shutdown)
 *	close			unlisten	again (accept, but do not wait)
 *	backlog BACKLOG (listen again, with another one)
 *	start NODE PORT (connect, but do not wait)
 *	fill (send until there is no room, nor any for a while)
 *	timeout MS (PRP_USER_TIMEOUT of what is made from then on)
 *	messages (SOCK_SEQPACKET is what is made from then on)
 *	keep (leave the connection open, and go on to the next)
 *	quit
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/socket.h>
#include <linux/prp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "netns.h"

#define STAYS_MS 200 /* a window that stays shut for so long is shut */

static int listener = -1, conn = -1, timeout_ms, type = SOCK_STREAM;
static char junk[1 << 20];

static int make_socket(int flags)
{
	int fd = socket(AF_PRP, type | flags, 0);

	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &timeout_ms,
		       sizeof(timeout_ms)))
		err(1, "PRP_USER_TIMEOUT");
	return fd;
}

static int do_listen(int port, int backlog)
{
	struct sockaddr_prp at = { .sprp_family = AF_PRP,
				   .sprp_port = htons(port) };

	listener = make_socket(0);
	if (bind(listener, (void *)&at, sizeof(at)))
		return -1;
	return listen(listener, backlog);
}

static int do_connect(int node, int port, int from, int flags)
{
	struct sockaddr_prp own = { .sprp_family = AF_PRP,
				    .sprp_port = htons(from) };
	struct sockaddr_prp at = { .sprp_family = AF_PRP,
				   .sprp_addr = htons(node),
				   .sprp_port = htons(port) };

	conn = make_socket(flags);
	if (from && bind(conn, (void *)&own, sizeof(own)))
		return -1;
	return connect(conn, (void *)&at, sizeof(at));
}

static int do_accept(bool wait)
{
	int fd;

	fcntl(listener, F_SETFL, wait ? 0 : O_NONBLOCK);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		return -1;
	conn = fd;
	return 0;
}

/* As many bytes as are wanted, or until the end */
static long do_recv(long want)
{
	long sum = 0;
	ssize_t got;

	while (sum < want) {
		got = recv(conn, junk,
			   want - sum < sizeof(junk) ? want - sum :
						       sizeof(junk),
			   0);
		if (got < 0)
			return -1;
		if (!got)
			break;
		sum += got;
	}
	return sum;
}

static long do_send(long want)
{
	long sum = 0;
	ssize_t put;

	for (; sum < want; sum += put) {
		put = send(conn, junk,
			   want - sum < sizeof(junk) ? want - sum :
						       sizeof(junk),
			   MSG_NOSIGNAL);
		if (put < 0)
			return -1;
	}
	return sum;
}

static long do_fill(void)
{
	struct pollfd room = { .fd = conn, .events = POLLOUT };
	long sum = 0, before;
	ssize_t put;

	do {
		before = sum;
		while ((put = send(conn, junk, sizeof(junk),
				   MSG_NOSIGNAL | MSG_DONTWAIT)) > 0)
			sum += put;
	} while (errno == EAGAIN && sum > before &&
		 poll(&room, 1, STAYS_MS) == 1);
	return errno == EAGAIN ? sum : -1;
}

static long run(const char *command, int a, int b, int c)
{
	if (!strcmp(command, "listen"))
		return do_listen(a, b);
	if (!strcmp(command, "backlog"))
		return listen(listener, a);
	if (!strcmp(command, "accept"))
		return do_accept(true);
	if (!strcmp(command, "again"))
		return do_accept(false);
	if (!strcmp(command, "connect"))
		return do_connect(a, b, c, 0);
	if (!strcmp(command, "start"))
		return do_connect(a, b, 0, SOCK_NONBLOCK);
	if (!strcmp(command, "send"))
		return do_send(a);
	if (!strcmp(command, "recv"))
		return do_recv(a);
	if (!strcmp(command, "fill"))
		return do_fill();
	if (!strcmp(command, "finish"))
		return shutdown(conn, SHUT_WR);
	if (!strcmp(command, "close"))
		return close(conn);
	if (!strcmp(command, "unlisten"))
		return close(listener);
	if (!strcmp(command, "timeout")) {
		timeout_ms = a;
		return 0;
	}
	if (!strcmp(command, "messages")) {
		type = SOCK_SEQPACKET;
		return 0;
	}
	if (!strcmp(command, "keep")) {
		conn = -1;
		return 0;
	}
	errx(2, "%s: unknown", command);
}

int main(int argc, char **argv)
{
	char line[128], command[32];

	if (argc != 2)
		errx(2, "usage: prp_hold NETNS");
	netns_enter(argv[1]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		int a = 0, b = 0, c = 0;
		long ret;

		if (sscanf(line, "%31s %d %d %d", command, &a, &b, &c) < 1)
			continue;
		if (!strcmp(command, "quit"))
			break;
		ret = run(command, a, b, c);
		if (ret < 0)
			printf("%s\n", strerrorname_np(errno));
		else if (ret)
			printf("ok %ld\n", ret);
		else
			printf("ok\n");
	}
	close(conn);
	close(listener);
	printf("ok\n");
	return 0;
}
