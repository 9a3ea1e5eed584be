// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever the buffers and the MTU are, bytes and messages go on coming. What
 * the window promised is held, and where nothing is lost no end has to be asked
 * by a probe.
 */
#include "fixture.h"
#include "slow.h"

#include <limits.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sys/ioctl.h>

#define PERIOD 65521 /* of the pattern: no chunk here begins at its beginning */
#define ROOM (1024 * 1024) /* of a reader: no message here is longer */
#define ENOUGH 150000 /* bytes of a transfer, about */
#define ENOUGH_SEGMENTS 250
#define ROUNDS 5 /* times that a slow reader waits */
#define MARK 5000 /* SO_RCVLOWAT: more than a small buffer holds */
#define LARGE (256 * 1024) /* a buffer */
#define PRP_SNDBUF (1024 * 1024) /* the default */
#define LOOPBACK 0 /* instead of an MTU: node 1 talks to itself */

enum reader {
	EAGER, /* recv() with much room */
	SLOW, /* the same in pieces, once the sender has stopped */
	ALL, /* MSG_WAITALL */
	PEEK, /* MSG_PEEK before each */
	POLLED, /* poll(), then MSG_DONTWAIT */
	MARKED, /* the same with SO_RCVLOWAT */
};

static const char *const reader_names[] = { "eager", "slow",   "all",
					    "peek",  "polled", "marked" };

/* Bytes of a write, but for these */
#define FULL -1 /* a full segment */
#define LARGEST -2 /* the largest message that both buffers have room for */

struct transfer {
	const struct nodes *nodes;
	int mtu;
	int type;
	int rcvbuf; /* SO_RCVBUF that is asked for */
	int sndbuf; /* SO_SNDBUF that is asked for, 0 for the default */
	int write;
	enum reader reader;

	int client;
	int server;
	size_t size; /* of a write */
	size_t piece; /* of a read */
	size_t all; /* bytes */
	size_t got;
	bool sent; /* all of it, says the sender */
	unsigned int asked; /* times that the sender went on after a probe */
};

static char pattern[PERIOD + ROOM], data[ROOM];

static void make_pattern(void)
{
	unsigned int x = 2463534242u;

	for (size_t i = 0; i < PERIOD; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		pattern[i] = x;
	}
	for (size_t i = PERIOD; i < sizeof(pattern); i++)
		pattern[i] = pattern[i - PERIOD];
}

static int option_of(int fd, int option)
{
	socklen_t len = sizeof(int);
	int value = 0;

	getsockopt(fd, SOL_SOCKET, option, &value, &len);
	return value;
}

static int set_option(int fd, int option, int value)
{
	return setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value));
}

/* Nothing is waited for longer than this. */
static int limit_waits(int fd, int option)
{
	struct timeval tv = { .tv_sec = 5 * slow() };

	return setsockopt(fd, SOL_SOCKET, option, &tv, sizeof(tv));
}

static int port = PORT;

/* The reader's buffer is as it is to be before the first segment comes. */
static bool begin(struct transfer *t)
{
	int to = t->mtu == LOOPBACK ? 1 : 2;
	struct sockaddr_prp at = prp_at(to, port);
	struct nodes nodes = *t->nodes;
	int listener;

	nodes.type = t->type;
	listener = nodes_listen(&nodes, to, port++, 1);
	t->client = nodes_socket(&nodes, 1, 0);
	if (listener < 0 || t->client < 0 ||
	    set_option(listener, SO_RCVBUFFORCE, t->rcvbuf) ||
	    limit_waits(t->client, SO_SNDTIMEO) ||
	    (t->sndbuf && set_option(t->client, SO_SNDBUF, t->sndbuf)) ||
	    connect(t->client, SA(at), sizeof(at)))
		return false;
	t->server = accept(listener, NULL, NULL);
	close(listener);
	return t->server >= 0 && !limit_waits(t->server, SO_RCVTIMEO) &&
	       (t->reader != MARKED ||
		!set_option(t->server, SO_RCVLOWAT, MARK));
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* As many writes as take about the same time whatever they are */
static void choose_sizes(struct transfer *t)
{
	size_t segment = info_of(t->client).prpi_path_size;
	size_t writes;

	t->size = t->write;
	if (t->write == FULL)
		t->size = segment;
	if (t->write == LARGEST) {
		t->size = least(option_of(t->client, SO_SNDBUF),
				option_of(t->server, SO_RCVBUF));
		/* nor may it need more than 512 segments */
		t->size = least(t->size, 510 * least(segment, 4096));
	}
	if (t->type == SOCK_SEQPACKET)
		t->size = least(t->size, option_of(t->client, SO_SNDBUF));
	writes = least(ENOUGH, ENOUGH_SEGMENTS * segment) / t->size;
	writes = writes < 2 ? 2 : least(writes, t->size == 1 ? 150 : 60);
	t->all = writes * t->size;
	t->piece = ROOM;
	if (t->type == SOCK_STREAM && t->reader != EAGER)
		t->piece = t->all / 100 + 1;
}

static void *sender(void *transfer)
{
	struct transfer *t = transfer;
	size_t at = 0;

	while (at < t->all) {
		ssize_t put = send(t->client, pattern + at % PERIOD, t->size,
				   MSG_NOSIGNAL);

		if (put != (ssize_t)t->size) {
			fprintf(stderr, "# sent %zd: %s\n", put,
				strerrorname_np(errno));
			break;
		}
		at += put;
	}
	shutdown(t->client, SHUT_WR);
	__atomic_store_n(&t->sent, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Nothing is under way, and what may not be sent is held back. */
static bool wait_stopped(struct transfer *t)
{
	long end = now_ms() + LIMIT_MS;
	struct prp_info info;
	bool sent;

	do {
		sent = __atomic_load_n(&t->sent, __ATOMIC_ACQUIRE);
		info = info_of(t->client);
		if (now_ms() > end)
			return false;
		usleep(500);
	} while (info.prpi_in_flight || (!sent && !info.prpi_queued));
	return true;
}

/* The next bytes: how many, 0 at the end, -1 if none come. */
static ssize_t next(struct transfer *t, int flags)
{
	struct iovec iov = { data, t->piece };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got, seen = 0;

	switch (t->reader) {
	case EAGER:
	case SLOW:
		break;
	case ALL:
		flags = MSG_WAITALL;
		break;
	case PEEK:
		seen = recv(t->server, data, t->piece, MSG_PEEK | MSG_WAITALL);
		if (seen < 0 || memcmp(data, pattern + t->got % PERIOD, seen))
			return -1;
		memset(data, 0, seen);
		break;
	case POLLED:
	case MARKED:
		if (!(wait_events(t->server, POLLIN) & POLLIN))
			return -1;
		flags = MSG_DONTWAIT;
	}
	got = recvmsg(t->server, &msg, flags);
	if (got < seen)
		return -1;
	if (flags == MSG_WAITALL &&
	    (size_t)got != least(t->piece, t->all - t->got))
		return -1;
	/* a message, or a part of one, never two */
	if (got > 0 && t->type == SOCK_SEQPACKET &&
	    !(msg.msg_flags & MSG_EOR) != !!((t->got + got) % t->size))
		return -1;
	return got;
}

/* Reads all that there is, or that comes. Return: as next() the last time. */
static ssize_t read_some(struct transfer *t, int flags)
{
	ssize_t got;

	while ((got = next(t, flags)) > 0) {
		if (t->got + got > t->all ||
		    memcmp(data, pattern + t->got % PERIOD, got)) {
			errno = EBADMSG;
			return -1;
		}
		t->got += got;
	}
	return got;
}

/* Time and again the sender stops, and what came is read: then it must go on
 * by itself. Counts how often it had to ask by a probe first.
 */
static bool read_slowly(struct transfer *t)
{
	struct prp_info stopped, before, now;
	long end;

	for (int i = 0; i < ROUNDS && t->got < t->all; i++) {
		if (!wait_stopped(t))
			return false;
		stopped = info_of(t->client);
		if (read_some(t, MSG_DONTWAIT) < 0 && errno != EAGAIN)
			return false;
		before = info_of(t->client);
		now = before;
		end = now_ms() + LIMIT_MS;
		while (stopped.prpi_queued &&
		       now.prpi_segs_out == stopped.prpi_segs_out) {
			if (now_ms() > end)
				return false;
			now = info_of(t->client);
		}
		t->asked += now.prpi_probes_out != before.prpi_probes_out;
	}
	return true;
}

/* What the receiver told: of each segment that it came, and once more that the
 * window is open; what was asked, and what was late or here already.
 */
static bool told_too_much(const struct prp_info *from,
			  const struct prp_info *to)
{
	unsigned long long segs =
		to->prpi_segs_in + from->prpi_segs_retransmitted;

	return to->prpi_acks_out > 2 * segs + from->prpi_probes_out + 8;
}

static void say(const struct transfer *t, const struct prp_info *from,
		const struct prp_info *to)
{
	fprintf(stderr, "# %s, MTU %d, SO_RCVBUF %d, SO_SNDBUF %d, %s: ",
		t->type == SOCK_STREAM ? "stream" : "messages", t->mtu,
		t->rcvbuf, t->sndbuf, reader_names[t->reader]);
	fprintf(stderr, "%zu bytes of %zu by %zu, asked %u times, ", t->got,
		t->all, t->size, t->asked);
	fprintf(stderr,
		"%llu segments, %llu repeated, %llu acks, %llu probes\n",
		(unsigned long long)to->prpi_segs_in,
		(unsigned long long)from->prpi_segs_retransmitted,
		(unsigned long long)to->prpi_acks_out,
		(unsigned long long)from->prpi_probes_out);
}

static bool move(struct transfer *t)
{
	struct prp_info from, to;
	pthread_t thread;
	bool good;

	if (!begin(t))
		return false;
	choose_sizes(t);
	if (pthread_create(&thread, NULL, sender, t))
		return false;
	good = t->reader != SLOW || read_slowly(t);
	good = good && !read_some(t, 0) && t->got == t->all;
	from = info_of(t->client);
	to = info_of(t->server);
	if (!good)
		shutdown(t->client, SHUT_RDWR);
	pthread_join(thread, NULL);
	good = good && t->asked <= ROUNDS / 2 && !told_too_much(&from, &to);
	if (!good)
		say(t, &from, &to);
	close(t->client);
	close(t->server);
	return good;
}

/* Every write that is not 0 by every reader whose bit is set */
static bool move_each(struct transfer t, const int *writes, int readers)
{
	for (; *writes; writes++) {
		for (int reader = 0; readers >> reader; reader++) {
			struct transfer one = t;

			one.write = *writes;
			one.reader = reader;
			if (readers >> reader & 1 && !move(&one))
				return false;
		}
	}
	return true;
}

static bool move_all(struct transfer t)
{
	static const int bytes[] = { 1, 400, FULL, 0 };
	static const int messages[] = { 1, 400, FULL, LARGEST, 0 };

	t.type = SOCK_STREAM;
	if (!move_each(t, bytes,
		       1 << EAGER | 1 << SLOW | 1 << ALL | 1 << PEEK |
			       1 << POLLED | 1 << MARKED))
		return false;
	t.type = SOCK_SEQPACKET;
	return move_each(t, messages,
			 1 << EAGER | 1 << SLOW | 1 << PEEK | 1 << POLLED);
}

FIXTURE(buffers)
{
	struct nodes nodes;
};

FIXTURE_VARIANT(buffers)
{
	int mtu;
};

FIXTURE_SETUP(buffers)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	if (variant->mtu)
		ASSERT_EQ(0, nodes_mtu(&self->nodes, variant->mtu));
	make_pattern();
}

FIXTURE_TEARDOWN(buffers)
{
	EXPECT_EQ(0, nodes_counter(&self->nodes, 1, "drop_overrun"));
	EXPECT_EQ(0, nodes_counter(&self->nodes, 2, "drop_overrun"));
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* clang-format off */
FIXTURE_VARIANT_ADD(buffers, mtu_68) {
	.mtu = 68,
};

FIXTURE_VARIANT_ADD(buffers, mtu_1500) {
	.mtu = 1500,
};

FIXTURE_VARIANT_ADD(buffers, mtu_9000) {
	.mtu = 9000,
};

FIXTURE_VARIANT_ADD(buffers, mtu_65535) {
	.mtu = 65535,
};

FIXTURE_VARIANT_ADD(buffers, loopback) {
	.mtu = LOOPBACK,
};

/* clang-format on */

TEST_F(buffers, move__whatever_they_are)
{
	static const int sizes[] = { 1, 8192, 60000, INT_MAX };
	struct transfer t = { .nodes = &self->nodes, .mtu = variant->mtu };

	for (int i = 0; i < 4; i++) {
		t.rcvbuf = sizes[i];
		ASSERT_TRUE(move_all(t));
	}
	if (t.mtu != LOOPBACK && t.mtu != 65535)
		return;
	t.sndbuf = 1;
	t.rcvbuf = 1;
	ASSERT_TRUE(move_all(t));
	t.rcvbuf = 60000;
	ASSERT_TRUE(move_all(t));
}

/* The buffer is another one from when the sender has stopped. */
static bool changes(struct transfer t, int to)
{
	pthread_t thread;
	bool good;

	if (!begin(&t))
		return false;
	choose_sizes(&t);
	/* more than both ends have room for */
	t.all = least(2 * LARGE + PRP_SNDBUF,
		      4000 * info_of(t.client).prpi_path_size);
	t.all -= t.all % t.size;
	if (pthread_create(&thread, NULL, sender, &t))
		return false;
	t.piece = 700;
	good = wait_stopped(&t) && !set_option(t.server, SO_RCVBUFFORCE, to) &&
	       !read_some(&t, 0) && t.got == t.all;
	if (!good)
		shutdown(t.client, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(t.client);
	close(t.server);
	return good;
}

/* What was promised by a large buffer comes into a small one. */
static bool changes_before(struct transfer t, int to)
{
	pthread_t thread;
	bool good;

	if (!begin(&t))
		return false;
	choose_sizes(&t);
	good = send(t.client, pattern, 1, 0) == 1 &&
	       wait_events(t.server, POLLIN) == POLLIN &&
	       !set_option(t.server, SO_RCVBUFFORCE, to) &&
	       recv(t.server, data, 1, 0) == 1; /* takes it over */
	if (!good || pthread_create(&thread, NULL, sender, &t))
		return false;
	t.piece = 3000;
	good = wait_stopped(&t) && !read_some(&t, 0) && t.got == t.all;
	if (!good)
		shutdown(t.client, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(t.client);
	close(t.server);
	return good;
}

TEST_F(buffers, move__while_they_change)
{
	struct transfer t = { .nodes = &self->nodes,
			      .mtu = variant->mtu,
			      .type = SOCK_STREAM,
			      .rcvbuf = 1,
			      .write = 400 };

	ASSERT_TRUE(changes(t, LARGE));
	t.rcvbuf = LARGE;
	ASSERT_TRUE(changes(t, 1));
	t.write = FULL;
	ASSERT_TRUE(changes_before(t, 1));
}

TEST_HARNESS_MAIN
