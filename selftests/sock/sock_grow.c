// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that were not set grow where a transfer waits for them, and nowhere
 * else.
 */
#include "inet.h"
#include "slow.h"

#include <stdlib.h>

#define CHUNK 100000
#define DELAY_MS 20 /* one way */
#define LONG_DELAY_MS 80
#define LONG_MTU 9000
#define ENOUGH (32 << 20) /* bytes until they have grown to the end */
#define SET 200000 /* the kernel takes twice that */
#define SET_SEGMENTS 60 /* of LONG_MTU that this is, and some more */
#define TRIES 16
#define GROWN_SEGMENTS 500 /* of 512 that may be in flight */
#define SLOW_CHUNKS 60
#define LATE_CHUNKS 10 /* most of what is there when the window is shut */
#define SNDBUF (1024 * 1024) /* the defaults */
#define RCVBUF (2 * 1024 * 1024)

/* A connection from node 1 to node 2 */
FIXTURE(grow)
{
	struct nodes nodes;
	int client;
	int server;
};

FIXTURE_VARIANT(grow)
{
	int family;
	int type;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(grow, native) {
	.family = AF_PRP,
	.type = SOCK_STREAM,
};

FIXTURE_VARIANT_ADD(grow, inet) {
	.family = AF_INET,
	.type = SOCK_STREAM,
};

FIXTURE_VARIANT_ADD(grow, messages) {
	.family = AF_PRP,
	.type = SOCK_SEQPACKET,
};

/* clang-format on */

static int grow_socket(const FIXTURE_DATA(grow) * self,
		       const FIXTURE_VARIANT(grow) * v, int nr)
{
	nodes_enter(&self->nodes, nr);
	return v->family == AF_INET ? ip_mode_socket(AF_INET, 0) :
				      socket(AF_PRP, v->type, 0);
}

/* Let them be connected, with segments for this MTU. */
static bool grow_join(FIXTURE_DATA(grow) * self,
		      const FIXTURE_VARIANT(grow) * v, int mtu, int port)
{
	struct sockaddr_prp at = prp_at(2, port);
	bool ip = v->family == AF_INET;
	int listener;

	if (nodes_mtu(&self->nodes, mtu))
		return false;
	listener = grow_socket(self, v, 2);
	if ((ip ? ip_bind(listener, "0.0.0.0", port) :
		  bind(listener, SA(at), sizeof(at))) ||
	    listen(listener, 1))
		return false;
	self->client = grow_socket(self, v, 1);
	if (ip ? ip_connect(self->client, KNOWN, port) :
		 connect(self->client, SA(at), sizeof(at)))
		return false;
	self->server = accept(listener, NULL, NULL);
	close(listener);
	return self->server >= 0 && path_of(self->client) == PRP_PATH_PRP;
}

FIXTURE_SETUP(grow)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_TRUE(grow_join(self, variant, LONG_MTU, PORT));
}

/* Created equals destroyed, however the case left its sockets. */
FIXTURE_TEARDOWN(grow)
{
	close(self->client);
	close(self->server);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* Joined anew on a long way: who was on a short one would ask again and again
 * why nothing arrives, and be slow for seconds.
 */
static bool far_apart(FIXTURE_DATA(grow) * self,
		      const FIXTURE_VARIANT(grow) * v, int mtu, int delay_ms)
{
	close(self->client);
	close(self->server);
	return !nodes_delay(&self->nodes, delay_ms) &&
	       grow_join(self, v, mtu, PORT + 1);
}

/* What the chunk with that number is; the next ones are others. */
static const char *chunk_of(unsigned int nr)
{
	static char pattern[2 * CHUNK];
	unsigned int x = 2654435761u;

	for (size_t i = 0; !pattern[0] && i < sizeof(pattern); i++) {
		x = x * 1664525 + 1013904223;
		pattern[sizeof(pattern) - 1 - i] = x >> 24 | 1;
	}
	return pattern + nr * 7919 % CHUNK;
}

/* Another process sends so many chunks. */
static pid_t sender(int fd, int chunks)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (int i = 0; i < chunks; i++)
		if (!send_all(fd, chunk_of(i), CHUNK))
			_exit(1);
	_exit(0);
}

/* Read that many, from a place on. Return: true if they are what was sent. */
static bool read_chunks(int fd, int from, int chunks)
{
	static char got[CHUNK];

	for (int i = from; i < from + chunks; i++)
		if (!recv_all(fd, got, CHUNK) ||
		    memcmp(chunk_of(i), got, CHUNK))
			return false;
	return true;
}

/* Return: true if all was sent and read. */
static bool transfer(int client, int server, int bytes)
{
	int chunks = bytes / CHUNK, status;
	pid_t pid = sender(client, chunks);

	return pid > 0 && read_chunks(server, 0, chunks) &&
	       waitpid(pid, &status, 0) == pid && !status;
}

/* A busy machine may be too slow for a while. Return: false if a transfer
 * fails, or there were enough of them.
 */
static bool once_more(const FIXTURE_DATA(grow) * self, int *tries)
{
	return (*tries)++ < TRIES &&
	       transfer(self->client, self->server, ENOUGH);
}

/* Return: true if so many segments have been in flight. */
static bool many_in_flight(const FIXTURE_DATA(grow) * self)
{
	int tries = 0;

	while (info_of(self->client).prpi_in_flight_max < GROWN_SEGMENTS)
		if (!once_more(self, &tries))
			return false;
	return true;
}

/* Return: true if this buffer has become larger. */
static bool has_grown(const FIXTURE_DATA(grow) * self, int fd, int option,
		      int from)
{
	int tries = 0;

	while (get_int(fd, SOL_SOCKET, option) <= from)
		if (!once_more(self, &tries))
			return false;
	return true;
}

TEST_F(grow, grow__on_a_long_way)
{
	bool native = variant->family == AF_PRP;

	ASSERT_TRUE(far_apart(self, variant, LONG_MTU, DELAY_MS));
	ASSERT_TRUE(transfer(self->client, self->server, ENOUGH));
	if (slow() > 1) /* no transfer is so fast that it would wait */
		return;
	if (native)
		ASSERT_TRUE(has_grown(self, self->server, SO_RCVBUF, RCVBUF));
	if (variant->type == SOCK_SEQPACKET) { /* which bounds their size */
		ASSERT_EQ(SNDBUF, get_int(self->client, SOL_SOCKET, SO_SNDBUF));
		return;
	}
	if (native)
		ASSERT_TRUE(has_grown(self, self->client, SO_SNDBUF, SNDBUF));
	ASSERT_TRUE(many_in_flight(self));
}

/* A window that comes in each round trip is one, however seldom that is. */
TEST_F(grow, grow__on_a_longer_way)
{
	ASSERT_TRUE(far_apart(self, variant, LONG_MTU, LONG_DELAY_MS));
	ASSERT_TRUE(transfer(self->client, self->server, ENOUGH));
	if (slow() > 1 || variant->family != AF_PRP) /* which reads TCP's */
		return;
	ASSERT_TRUE(has_grown(self, self->server, SO_RCVBUF, RCVBUF));
}

/* The pace has what is written still unsent whenever the buffer is full. */
TEST_F(grow, grow__of_who_is_paced)
{
	unsigned int rate = 60000000; /* bytes a second, for 25 in the buffer */

	ASSERT_TRUE(far_apart(self, variant, LONG_MTU, DELAY_MS));
	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_MAX_PACING_RATE,
				&rate, sizeof(rate)));
	ASSERT_TRUE(transfer(self->client, self->server, ENOUGH));
	if (slow() > 1 || variant->family != AF_PRP) /* which reads TCP's */
		return;
	if (variant->type == SOCK_SEQPACKET) {
		ASSERT_EQ(SNDBUF, get_int(self->client, SOL_SOCKET, SO_SNDBUF));
		return;
	}
	ASSERT_TRUE(has_grown(self, self->client, SO_SNDBUF, SNDBUF));
}

TEST_F(grow, grow__not_what_was_set)
{
	ASSERT_TRUE(far_apart(self, variant, LONG_MTU, DELAY_MS));
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, SET));
	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVBUF, SET));
	ASSERT_TRUE(transfer(self->client, self->server, ENOUGH / 4));
	ASSERT_EQ(2 * SET, get_int(self->client, SOL_SOCKET, SO_SNDBUF));
	ASSERT_EQ(2 * SET, get_int(self->server, SOL_SOCKET, SO_RCVBUF));
	ASSERT_GE(SET_SEGMENTS, info_of(self->client).prpi_in_flight_max);
}

/* Another process sends SLOW_CHUNKS; so many are read whenever all is sent, or
 * no more can be. Return: true if all was sent and read.
 */
static bool read_when_full(FIXTURE_DATA(grow) * self, int at_once)
{
	pid_t pid = sender(self->client, SLOW_CHUNKS);
	bool sent = false;
	int status = 1;

	if (pid <= 0)
		return false;
	for (int i = 0; i < SLOW_CHUNKS; i += at_once) {
		long end = now_ms() + LIMIT_MS;

		while (!sent && info_of(self->client).prpi_snd_wnd) {
			if (now_ms() > end)
				return false;
			sent = waitpid(pid, &status, WNOHANG) == pid;
		}
		if (!read_chunks(self->server, i, at_once))
			return false;
	}
	return (sent || waitpid(pid, &status, 0) == pid) && !status;
}

/* A buffer that is full whenever the program reads is not what is waited for.
 */
TEST_F(grow, grow__not_for_who_reads_slowly)
{
	ASSERT_TRUE(read_when_full(self, 1));
	if (variant->family != AF_PRP) /* which reads TCP's */
		return;
	ASSERT_EQ(RCVBUF, get_int(self->server, SOL_SOCKET, SO_RCVBUF));
	ASSERT_EQ(SNDBUF, get_int(self->client, SOL_SOCKET, SO_SNDBUF));
}

/* It is if the program then takes all that is there, before more comes. */
TEST_F(grow, grow__for_who_reads_late)
{
	int rcvbuf = RCVBUF;

	ASSERT_TRUE(far_apart(self, variant, LONG_MTU, DELAY_MS));
	for (int i = 0; i < TRIES && rcvbuf == RCVBUF; i++) {
		ASSERT_TRUE(read_when_full(self, LATE_CHUNKS));
		rcvbuf = get_int(self->server, SOL_SOCKET, SO_RCVBUF);
		if (slow() > 1 || variant->family != AF_PRP)
			return; /* which reads TCP's */
	}
	ASSERT_LT(RCVBUF, rcvbuf);
}

/* Each chunk is answered before the next one: the way carries little. */
TEST_F(grow, grow__not_for_a_trickle)
{
	int chunks = amount(SLOW_CHUNKS, SLOW_CHUNKS / 3);
	char answer;

	ASSERT_TRUE(far_apart(self, variant, LONG_MTU, DELAY_MS));
	for (int i = 0; i < chunks; i++) {
		ASSERT_TRUE(send_all(self->client, chunk_of(i), CHUNK));
		ASSERT_TRUE(read_chunks(self->server, i, 1));
		ASSERT_TRUE(send_all(self->server, "a", 1));
		ASSERT_TRUE(recv_all(self->client, &answer, 1));
	}
	if (variant->family != AF_PRP) /* which reads TCP's */
		return;
	ASSERT_EQ(RCVBUF, get_int(self->server, SOL_SOCKET, SO_RCVBUF));
	ASSERT_EQ(SNDBUF, get_int(self->client, SOL_SOCKET, SO_SNDBUF));
}

/* As many segments as may be in flight fit in from the beginning. */
TEST_F(grow, grow__not_where_segments_are_short)
{
	ASSERT_TRUE(far_apart(self, variant, 1500, DELAY_MS));
	ASSERT_TRUE(transfer(self->client, self->server, ENOUGH));
	if (slow() == 1)
		ASSERT_TRUE(many_in_flight(self));
	if (variant->family != AF_PRP) /* which reads TCP's */
		return;
	ASSERT_EQ(RCVBUF, get_int(self->server, SOL_SOCKET, SO_RCVBUF));
	ASSERT_EQ(SNDBUF, get_int(self->client, SOL_SOCKET, SO_SNDBUF));
}

TEST_HARNESS_MAIN
