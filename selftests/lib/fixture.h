/* SPDX-License-Identifier: GPL-2.0 */
/* What each case of the socket interface starts from: two nodes. */
#ifndef _SELFTESTS_FIXTURE_H
#define _SELFTESTS_FIXTURE_H

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "nodes.h"

/* A case that hangs ends; a debug kernel needs long for one that does not. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 180

#define ASSERT_ERRNO(error, call) \
	do { \
		errno = 0; \
		ASSERT_EQ(-1, call); \
		ASSERT_EQ(error, errno) \
		{ \
			TH_LOG("got %s, expected %s", strerrorname_np(errno), \
			       #error); \
		} \
	} while (0)

#define SA(at) ((struct sockaddr *)&(at))

/* All 0 where there is none */
static inline struct prp_info info_of(int fd)
{
	struct prp_info info = {};
	socklen_t len = sizeof(info);

	getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len);
	return info;
}

/* Nothing is connected yet. */
FIXTURE(sock)
{
	struct nodes nodes;
};

FIXTURE_SETUP(sock)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
}

FIXTURE_TEARDOWN(sock)
{
}

/* A connection from node 1 to node 2 stands. */
FIXTURE(pair)
{
	struct nodes nodes;
	int client;
	int server;
};

FIXTURE_SETUP(pair)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &self->client, &self->server));
}

/* Created equals destroyed, however the case left its sockets. */
FIXTURE_TEARDOWN(pair)
{
	close(self->client);
	close(self->server);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

#endif
