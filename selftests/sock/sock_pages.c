// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of sent bytes, which are filled again: what is kept of them is charged
 * and goes, and bytes that somebody still has stay what they are.
 */
#include "fixture.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define CHUNK 65536
#define BULK (8 * CHUNK) /* which buffers have room for, unread */
#define AGAIN 16 /* times that every page is filled again, and more */
#define SLACK (4 * 32768) /* pages that are not full, and a quantum */

/* A connection from node 1 to node 2 */
FIXTURE(pages)
{
	struct nodes nodes;
	int client;
	int server;
};

FIXTURE_VARIANT(pages)
{
	int type;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(pages, stream) {
	.type = SOCK_STREAM,
};

FIXTURE_VARIANT_ADD(pages, messages) {
	.type = SOCK_SEQPACKET,
};

/* clang-format on */

FIXTURE_SETUP(pages)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	self->nodes.type = variant->type;
	ASSERT_EQ(0, nodes_pair(&self->nodes, &self->client, &self->server));
}

FIXTURE_TEARDOWN(pages)
{
	close(self->client);
	close(self->server);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* Bytes that are others in each chunk */
static const char *chunk_of(unsigned int nr)
{
	static char chunk[CHUNK];
	unsigned int x = nr * 2654435761u + 1;

	for (size_t i = 0; i < sizeof(chunk); i++) {
		x = x * 1664525 + 1013904223;
		chunk[i] = x >> 24;
	}
	return chunk;
}

/* Return: true if they have arrived, none before the last was sent: so there
 * are pages for all of them.
 */
static bool bulk(const FIXTURE_DATA(pages) * self)
{
	static unsigned int sent, seen;
	static char got[CHUNK];

	if (nodes_cut(&self->nodes))
		return false;
	for (int i = 0; i < BULK / CHUNK; i++)
		if (send(self->client, chunk_of(sent++), CHUNK, 0) != CHUNK)
			return false;
	if (nodes_mend(&self->nodes))
		return false;
	for (int i = 0; i < BULK / CHUNK; i++)
		if (recv(self->server, got, CHUNK, MSG_WAITALL) != CHUNK ||
		    memcmp(got, chunk_of(seen++), CHUNK))
			return false;
	return true;
}

/* What node 1 holds beyond reserves once nothing is queued: pages. */
static long kept(const FIXTURE_DATA(pages) * self)
{
	int queued;

	if (ioctl(self->client, SIOCOUTQ, &queued) || queued)
		return -1;
	return nodes_counter(&self->nodes, 1, "pool_bytes");
}

/* Return: true if most are kept for a moment, and none that were not used. A
 * busy machine may be too slow to see it, for a while.
 */
static bool are_kept(const FIXTURE_DATA(pages) * self)
{
	long end = now_ms() + LIMIT_MS, bytes = 0;

	while (bytes <= CHUNK + SLACK && now_ms() < end && bulk(self))
		bytes = kept(self);
	return bytes > CHUNK + SLACK && bytes <= BULK + SLACK;
}

/* The most that was kept while chunks are acknowledged one by one, and none is
 * read, so that no page can be filled again; or -1.
 */
static long kept_of_unread(const FIXTURE_DATA(pages) * self)
{
	static char got[CHUNK];
	long most = 0, bytes;

	for (int i = 0; i < BULK / CHUNK; i++) {
		if (send(self->client, chunk_of(i), CHUNK, 0) != CHUNK)
			return -1;
		do
			bytes = kept(self);
		while (bytes < 0);
		most = bytes > most ? bytes : most;
	}
	for (int i = 0; i < BULK / CHUNK; i++)
		if (recv(self->server, got, CHUNK, MSG_WAITALL) != CHUNK ||
		    memcmp(got, chunk_of(i), CHUNK))
			return -1;
	return most;
}

/* Return: true if node 1 holds no more than that after a while. */
static bool pool_becomes(const FIXTURE_DATA(pages) * self, long bytes)
{
	long end = now_ms() + LIMIT_MS, pool;

	do
		pool = nodes_counter(&self->nodes, 1, "pool_bytes");
	while (pool > bytes && now_ms() <= end);
	return pool >= 0 && pool <= bytes;
}

TEST_F(pages, pages__go_when_it_is_idle)
{
	ASSERT_TRUE(are_kept(self));
	ASSERT_TRUE(pool_becomes(self, 0));
	/* and are there again */
	ASSERT_TRUE(are_kept(self));
}

TEST_F(pages, pages__go_while_little_is_sent)
{
	long end = now_ms() + LIMIT_MS;
	char little[10] = "";

	ASSERT_TRUE(are_kept(self));
	while (kept(self)) {
		ASSERT_EQ(10, send(self->client, little, 10, 0));
		ASSERT_TRUE(recv_all(self->server, little, 10));
		ASSERT_GT(end, now_ms());
	}
}

/* Those that a burst has needed, while the stream goes on with a few */
TEST_F(pages, pages__go_while_less_is_in_flight)
{
	static char got[CHUNK];
	long end = now_ms() + LIMIT_MS, pool;

	ASSERT_TRUE(are_kept(self));
	do {
		for (int i = 0; i < AGAIN; i++) {
			ASSERT_EQ(CHUNK, send(self->client, got, CHUNK, 0));
			ASSERT_EQ(CHUNK,
				  recv(self->server, got, CHUNK, MSG_WAITALL));
		}
		pool = nodes_counter(&self->nodes, 1, "pool_bytes");
		ASSERT_LE(0, pool);
		ASSERT_GT(end, now_ms());
	} while (pool > CHUNK + SLACK);
}

/* Also those that the queue has never needed at once; but half of what a node
 * may hold is left for bytes.
 */
TEST_F(pages, pages__are_kept_while_there_is_plenty)
{
	long end = now_ms() + LIMIT_MS, bytes;

	do {
		bytes = kept_of_unread(self);
		ASSERT_LE(0, bytes);
		ASSERT_GT(end, now_ms());
	} while (bytes < BULK - SLACK);
	ASSERT_EQ(0, nodes_memory(&self->nodes, 1, "384K"));
	ASSERT_TRUE(pool_becomes(self, 0));
	for (int i = 0; i < AGAIN; i++) {
		bytes = kept_of_unread(self);
		ASSERT_LE(0, bytes);
		ASSERT_GE(192 * 1024, bytes);
	}
}

/* A peer cannot keep them by what it does not acknowledge. */
TEST_F(pages, pages__go_while_nobody_answers)
{
	int queued;

	ASSERT_TRUE(are_kept(self));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_EQ(10, send(self->client, chunk_of(0), 10, 0));
	ASSERT_TRUE(pool_becomes(self, SLACK));
	ASSERT_EQ(0, ioctl(self->client, SIOCOUTQ, &queued));
	ASSERT_EQ(10, queued);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

/* Its socket is still there. */
TEST_F(pages, pages__go_when_it_is_reset)
{
	struct linger linger = { .l_onoff = 1 };

	ASSERT_TRUE(are_kept(self));
	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_LINGER, &linger,
				sizeof(linger)));
	ASSERT_EQ(0, close(self->server));
	self->server = -1;
	ASSERT_EQ(POLLHUP, wait_events(self->client, POLLIN) & POLLHUP);
	ASSERT_TRUE(pool_becomes(self, 0));
}

/* Where there are none: a send() that copies nothing has had a part of the pool
 * for it.
 */
TEST_F(pages, pages__are_not_held_for_what_cannot_be_copied)
{
	ASSERT_ERRNO(EFAULT, send(self->client, (void *)1, CHUNK, 0));
	ASSERT_TRUE(pool_becomes(self, 0));
}

/* A user who may have no page kept in memory. Return: 0, or -1 and errno. */
static int lock_nothing(void)
{
	struct __user_cap_header_struct who = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	struct rlimit none = {};

	if (syscall(SYS_capget, &who, caps))
		return -1;
	caps[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &who, caps))
		return -1;
	return setrlimit(RLIMIT_MEMLOCK, &none);
}

/* Nor for what may not be referred to, where nothing goes on */
TEST_F(pages, pages__are_not_held_for_what_cannot_be_kept)
{
	int on = 1;

	ASSERT_TRUE(are_kept(self));
	ASSERT_TRUE(pool_becomes(self, 0));
	ASSERT_EQ(0, setsockopt(self->client, SOL_PRP, PRP_ZEROCOPY, &on,
				sizeof(on)));
	ASSERT_EQ(0, lock_nothing());
	ASSERT_ERRNO(ENOBUFS,
		     send(self->client, chunk_of(0), CHUNK, MSG_ZEROCOPY));
	ASSERT_TRUE(pool_becomes(self, 0));
}

/* What is left to read of a connection that has ended holds nothing of the pool
 * when it was read, though its socket is still there.
 */
TEST_F(pages, pages__that_were_read_behind_the_end_go)
{
	static char got[CHUNK];

	for (int i = 0; i < BULK / CHUNK; i++)
		ASSERT_EQ(CHUNK, send(self->server, chunk_of(i), CHUNK, 0));
	ASSERT_EQ(0, shutdown(self->server, SHUT_WR));
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(POLLHUP, wait_events(self->client, 0) & POLLHUP);
	for (int i = 0; i < BULK / CHUNK; i++)
		ASSERT_EQ(CHUNK, recv(self->client, got, CHUNK, MSG_WAITALL));
	ASSERT_EQ(0, recv(self->client, got, 1, 0));
	ASSERT_TRUE(pool_becomes(self, 0));
}

/* A reader has them in a pipe, and has not looked yet. */
TEST_F(pages, pages__in_a_pipe_are_not_filled_again)
{
	static char got[CHUNK];
	const char *sent;
	size_t spliced = 0;
	ssize_t n;
	int to[2];

	if (variant->type != SOCK_STREAM)
		return; /* a message is not spliced */
	ASSERT_EQ(0, pipe(to));
	ASSERT_LE(2 * CHUNK, fcntl(to[1], F_SETPIPE_SZ, 16 * CHUNK));
	ASSERT_TRUE(bulk(self));
	ASSERT_EQ(CHUNK, send(self->client, chunk_of(-1), CHUNK, 0));
	while (spliced < CHUNK) {
		n = splice(self->server, NULL, to[1], NULL, CHUNK - spliced, 0);
		ASSERT_LT(0, n);
		spliced += n;
	}
	for (int i = 0; i < AGAIN; i++)
		ASSERT_TRUE(bulk(self));
	for (size_t at = 0; at < CHUNK; at += n) {
		n = read(to[0], got + at, CHUNK - at);
		ASSERT_LT(0, n);
	}
	sent = chunk_of(-1);
	ASSERT_EQ(0, memcmp(sent, got, CHUNK));
}

TEST_HARNESS_MAIN
