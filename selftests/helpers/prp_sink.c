// SPDX-License-Identifier: GPL-2.0
/*
 * A server that does not care who comes: it accepts everybody, discards what
 * is sent and, if told to, sends as much as is taken. For connections whose
 * other end lies; see hostile.c.
 *
 *	prp_sink NETNS PORT BACKLOG [write]
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/socket.h>
#include <linux/prp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "netns.h"

static char junk[65536];
static int poller;

static void watch(int how, int fd, unsigned int events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	if (epoll_ctl(poller, how, fd, &event))
		err(1, "epoll_ctl");
}

/* Who has ended may be sent to all the same, until the connection breaks. */
static void serve(int fd, unsigned int events, bool writes)
{
	ssize_t got;

	while (writes &&
	       send(fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	do {
		got = recv(fd, junk, sizeof(junk), MSG_DONTWAIT);
	} while (got > 0);
	if (events & (EPOLLERR | EPOLLHUP) || (got < 0 && errno != EAGAIN))
		close(fd);
	else if (!got)
		watch(EPOLL_CTL_MOD, fd, (writes ? EPOLLOUT : 0) | EPOLLET);
}

int main(int argc, char **argv)
{
	struct sockaddr_prp at = { .sprp_family = AF_PRP };
	bool writes = argc > 4 && !strcmp(argv[4], "write");
	struct epoll_event event;
	int listener, fd;

	if (argc < 4)
		errx(2, "usage: prp_sink NETNS PORT BACKLOG [write]");
	netns_enter(argv[1]);
	at.sprp_port = htons(atoi(argv[2]));
	listener = socket(AF_PRP, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (void *)&at, sizeof(at)) ||
	    listen(listener, atoi(argv[3])))
		err(1, "listen");
	poller = epoll_create1(0);
	watch(EPOLL_CTL_ADD, listener, EPOLLIN);
	while (epoll_wait(poller, &event, 1, -1) == 1) {
		if (event.data.fd != listener) {
			serve(event.data.fd, event.events, writes);
			continue;
		}
		fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
		if (fd >= 0)
			watch(EPOLL_CTL_ADD, fd,
			      EPOLLIN | (writes ? EPOLLOUT | EPOLLET : 0));
	}
	err(1, "epoll_wait");
}
