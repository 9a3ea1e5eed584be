// SPDX-License-Identifier: GPL-2.0
/* SOCK_SEQPACKET: messages, their ends, and what does not fit. */
#include "fixture.h"
#include "late_page.h"
#include "slow.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <linux/sockios.h>

#define BIG 200000 /* more than a small buffer of a reader holds */
#define SMALL_BUFFER 8192

/* A connection for messages from node 1 to node 2 */
FIXTURE(message)
{
	struct nodes nodes;
	int client;
	int server;
};

FIXTURE_SETUP(message)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	self->nodes.type = SOCK_SEQPACKET;
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &self->client, &self->server));
}

FIXTURE_TEARDOWN(message)
{
	close(self->client);
	close(self->server);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* Byte i of message nr: no two messages are alike. */
static char byte_of(unsigned int nr, size_t i)
{
	return (nr * 2654435761u + i * 40503u) >> 7;
}

static char *make(unsigned int nr, size_t len)
{
	char *data = malloc(len + 1);

	for (size_t i = 0; data && i < len; i++)
		data[i] = byte_of(nr, i);
	return data;
}

static ssize_t send_nr(int fd, unsigned int nr, size_t len, int flags)
{
	char *data = make(nr, len);
	ssize_t put = send(fd, data, len, flags | MSG_NOSIGNAL);

	free(data);
	return put;
}

/* recvmsg() with room for so many bytes; what msg_flags said is in *seen. */
static ssize_t recv_flags(int fd, char *to, size_t room, int flags, int *seen)
{
	struct iovec iov = { to, room };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got = recvmsg(fd, &msg, flags);

	*seen = msg.msg_flags;
	return got;
}

static bool is_nr(const char *data, unsigned int nr, size_t from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] != byte_of(nr, from + i))
			return false;
	return true;
}

/* Is the next message all of this one? */
static bool next_is(int fd, unsigned int nr, size_t len)
{
	char *data = malloc(len + 2);
	int seen;
	ssize_t got = recv_flags(fd, data, len + 2, 0, &seen);
	bool good = got == (ssize_t)len && seen == MSG_EOR &&
		    is_nr(data, nr, 0, len);

	if (!good)
		fprintf(stderr, "# got %zd of %zu bytes, flags %#x\n", got, len,
			seen);
	free(data);
	return good;
}

/* Is the next message 100 bytes of each page but the first? */
static bool next_is_of(int fd, const struct late_pages *pages)
{
	char data[100 * LATE_PAGES];
	ssize_t len = recv(fd, data, sizeof(data), 0), i;

	for (i = 0; i < len; i++)
		if (data[i] != pages->at[(i / 100 + 1) * LATE_SIZE])
			return false;
	return len == 100 * (LATE_PAGES - 1);
}

static long segs_out(int fd)
{
	struct prp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len))
		return -1;
	return info.prpi_segs_out;
}

TEST_F(sock, socket__types)
{
	socklen_t len = sizeof(int);
	int fd, type;

	nodes_enter(&self->nodes, 1);
	fd = socket(AF_PRP, SOCK_SEQPACKET, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len));
	ASSERT_EQ(SOCK_SEQPACKET, type);
	ASSERT_ERRNO(ESOCKTNOSUPPORT, socket(AF_PRP, SOCK_DGRAM, 0));
	ASSERT_ERRNO(ESOCKTNOSUPPORT, socket(AF_PRP, SOCK_RDM, 0));
	ASSERT_ERRNO(EPROTONOSUPPORT,
		     socket(AF_PRP, SOCK_SEQPACKET, IPPROTO_TCP));
}

TEST_F(sock, connect__another_type_listens)
{
	struct sockaddr_prp at = prp_at(2, PORT);
	int fd;

	ASSERT_LE(0, nodes_listen(&self->nodes, 2, PORT, 1));
	self->nodes.type = SOCK_SEQPACKET;
	fd = nodes_socket(&self->nodes, 1, 0);
	ASSERT_ERRNO(EPROTOTYPE, connect(fd, SA(at), sizeof(at)));

	ASSERT_LE(0, nodes_listen(&self->nodes, 2, PORT + 1, 1));
	self->nodes.type = SOCK_STREAM;
	at = prp_at(2, PORT + 1);
	fd = nodes_socket(&self->nodes, 1, 0);
	ASSERT_ERRNO(EPROTOTYPE, connect(fd, SA(at), sizeof(at)));
}

/* Another pair, on a way of so long: one that was made on a short way would ask
 * again and again why nothing arrives, and be slow for seconds.
 */
static bool far_apart(FIXTURE_DATA(message) * self, int ms)
{
	close(self->client);
	close(self->server);
	return !nodes_delay(&self->nodes, ms) &&
	       !nodes_pair(&self->nodes, &self->client, &self->server);
}

TEST_F(message, recv__each_message_once_and_whole)
{
	static const size_t sizes[] = { 1,    2,     100,  1463,   1464,
					1465, 2928,  4096, 4097,   65536,
					7,    32768, 9000, 100000, 3 };
	unsigned int i, n = sizeof(sizes) / sizeof(*sizes);
	char end;

	for (i = 0; i < n; i++)
		ASSERT_EQ(sizes[i], send_nr(self->client, i, sizes[i], 0));
	for (i = 0; i < n; i++)
		ASSERT_TRUE(next_is(self->server, i, sizes[i]));
	for (i = 0; i < n; i++)
		ASSERT_EQ(sizes[i], send_nr(self->server, i, sizes[i], 0));
	for (i = 0; i < n; i++)
		ASSERT_TRUE(next_is(self->client, i, sizes[i]));
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(0, recv(self->server, &end, 1, 0));
}

/* They pile up behind the first ones, whose acknowledgment takes its time. */
TEST_F(message, send__many_share_a_segment)
{
	const unsigned int n = 3000;
	unsigned int i;

	ASSERT_TRUE(far_apart(self, 20 * slow()));
	for (i = 0; i < n; i++)
		ASSERT_EQ(i % 50, send_nr(self->client, i, i % 50, 0));
	for (i = 0; i < n; i++)
		ASSERT_TRUE(next_is(self->server, i, i % 50));
	ASSERT_LT(segs_out(self->client), n / 10);
}

/* The same with messages that begin in one segment and end in another */
TEST_F(message, send__long_ones_share_segments)
{
	const unsigned int n = 300;
	unsigned int i;

	ASSERT_TRUE(far_apart(self, 20));
	for (i = 0; i < n; i++)
		ASSERT_EQ(1000 + i, send_nr(self->client, i, 1000 + i, 0));
	for (i = 0; i < n; i++)
		ASSERT_TRUE(next_is(self->server, i, 1000 + i));
	/* 300 * 1150 bytes are 235 full segments, 450 if each begins anew */
	ASSERT_LT(segs_out(self->client), 300);
}

TEST_F(message, recv__what_does_not_fit_is_dropped)
{
	char data[100];
	int seen;

	ASSERT_EQ(5000, send_nr(self->client, 1, 5000, 0));
	ASSERT_EQ(6000, send_nr(self->client, 2, 6000, 0));
	ASSERT_EQ(70, send_nr(self->client, 3, 70, 0));
	ASSERT_EQ(100, recv_flags(self->server, data, 100, 0, &seen));
	ASSERT_EQ(MSG_EOR | MSG_TRUNC, seen);
	ASSERT_TRUE(is_nr(data, 1, 0, 100));
	ASSERT_EQ(6000, recv_flags(self->server, data, 100, MSG_TRUNC, &seen));
	ASSERT_EQ(MSG_EOR | MSG_TRUNC, seen);
	ASSERT_TRUE(is_nr(data, 2, 0, 100));
	ASSERT_TRUE(next_is(self->server, 3, 70));
}

TEST_F(message, recv__a_message_without_a_byte)
{
	char data[4];
	int seen;

	ASSERT_EQ(0, send(self->client, NULL, 0, 0));
	ASSERT_EQ(1, send_nr(self->client, 1, 1, 0));
	ASSERT_EQ(0, send(self->client, NULL, 0, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(0, recv_flags(self->server, data, 4, 0, &seen));
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_TRUE(next_is(self->server, 1, 1));
	ASSERT_EQ(0, recv_flags(self->server, data, 4, 0, &seen));
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_ERRNO(EAGAIN, recv(self->server, data, 4, MSG_DONTWAIT));
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(0, recv_flags(self->server, data, 4, 0, &seen));
	ASSERT_EQ(0, seen); /* that was the end */
}

TEST_F(message, send__in_parts)
{
	char data[64];
	int seen;

	ASSERT_EQ(5, send(self->client, "hello", 5, MSG_MORE));
	ASSERT_TRUE(wait_unread(self->server, 5));
	ASSERT_EQ(0, events_now(self->server) & POLLIN);
	ASSERT_ERRNO(EAGAIN, recv(self->server, data, 64, MSG_DONTWAIT));
	ASSERT_EQ(1, send(self->client, " ", 1, MSG_MORE));
	ASSERT_EQ(5, send(self->client, "world", 5, MSG_MORE | MSG_EOR));
	ASSERT_EQ(3, send(self->client, "one", 3, MSG_MORE));
	ASSERT_EQ(0, send(self->client, NULL, 0, MSG_MORE)); /* nothing */
	ASSERT_EQ(0, send(self->client, NULL, 0, 0));
	ASSERT_EQ(3, send(self->client, "two", 3, MSG_EOR));
	ASSERT_EQ(11, recv_flags(self->server, data, 64, 0, &seen));
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_EQ(0, memcmp(data, "hello world", 11));
	ASSERT_EQ(3, recv_flags(self->server, data, 64, 0, &seen));
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_EQ(0, memcmp(data, "one", 3));
	ASSERT_EQ(3, recv_flags(self->server, data, 64, 0, &seen));
	ASSERT_EQ(0, memcmp(data, "two", 3));
}

/* A file with the bytes of a message */
static int file_of(unsigned int nr, size_t len)
{
	int fd = memfd_create("message", 0);
	char *data = make(nr, len);

	if (fd >= 0 && write(fd, data, len) != (ssize_t)len) {
		close(fd);
		fd = -1;
	}
	free(data);
	return fd;
}

/* The kernel may give a page at a time. */
TEST_F(message, send__a_file_is_one_message)
{
	const size_t sizes[] = { 1, 4096, 4097, 10000, 60000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		int file = file_of(i, sizes[i]);
		off_t at = 0;

		ASSERT_LE(0, file);
		EXPECT_EQ((ssize_t)sizes[i],
			  sendfile(self->client, file, &at, sizes[i]));
		EXPECT_TRUE(next_is(self->server, i, sizes[i]));
		close(file);
	}
}

/* The kernel promises more until it finds the end of the file. */
TEST_F(message, send__a_file_that_is_shorter_is_one_message)
{
	const size_t sizes[] = { 1, 4096, 4097, 60000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		int file = file_of(i, sizes[i]);
		off_t at = 0;

		ASSERT_LE(0, file);
		ASSERT_EQ((ssize_t)sizes[i],
			  sendfile(self->client, file, &at, sizes[i] + 1000));
		ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
		ASSERT_TRUE(next_is(self->server, i, sizes[i]));
		close(file);
	}
}

TEST_F(message, recv__the_end_cuts_a_message)
{
	char data[64];
	int seen;

	ASSERT_EQ(5, send(self->client, "hello", 5, MSG_MORE));
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(5, recv_flags(self->server, data, 64, 0, &seen));
	ASSERT_EQ(0, seen);
	ASSERT_EQ(0, recv(self->server, data, 64, 0));
}

TEST_F(message, recv__peek)
{
	char data[2000];
	int seen;

	ASSERT_EQ(1600, send_nr(self->client, 1, 1600, 0));
	ASSERT_EQ(10, send_nr(self->client, 2, 10, 0));
	ASSERT_EQ(1600, recv_flags(self->server, data, 2000, MSG_PEEK, &seen));
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_TRUE(is_nr(data, 1, 0, 1600));
	ASSERT_EQ(1600, recv_flags(self->server, data, 5, MSG_PEEK | MSG_TRUNC,
				   &seen));
	ASSERT_EQ(MSG_EOR | MSG_TRUNC, seen);
	ASSERT_TRUE(next_is(self->server, 1, 1600));
	ASSERT_TRUE(next_is(self->server, 2, 10));
	ASSERT_ERRNO(EAGAIN,
		     recv(self->server, data, 5, MSG_PEEK | MSG_DONTWAIT));
}

/* All that EAGAIN lets through arrives, each message whole. */
TEST_F(message, send__whole_or_not_at_all)
{
	unsigned int i, n;

	for (n = 0; send_nr(self->client, n, 50001, MSG_DONTWAIT) > 0; n++)
		ASSERT_GT(1000, n);
	ASSERT_EQ(EAGAIN, errno);
	ASSERT_LT(10, n);
	for (i = 0; i < n; i++)
		ASSERT_TRUE(next_is(self->server, i, 50001));
	ASSERT_EQ(POLLOUT, wait_events(self->client, POLLOUT));
	ASSERT_EQ(50001, send_nr(self->client, n, 50001, MSG_DONTWAIT));
	ASSERT_TRUE(next_is(self->server, n, 50001));
}

TEST_F(message, send__too_large)
{
	int size = 10000;

	ASSERT_ERRNO(EMSGSIZE, send_nr(self->client, 1, 8 << 20, 0));
	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_SNDBUF, &size,
				sizeof(size)));
	ASSERT_EQ(1, send_nr(self->client, 1, 1, 0)); /* takes the size over */
	ASSERT_ERRNO(EMSGSIZE, send_nr(self->client, 2, 2 * size + 1, 0));
	ASSERT_EQ(2 * size, send_nr(self->client, 3, 2 * size, 0));
	ASSERT_TRUE(next_is(self->server, 1, 1));
	ASSERT_TRUE(next_is(self->server, 3, 2 * size));
}

/* Another connection, whose reader has a small buffer from the first on */
static int small_pair(struct nodes *nodes, int *client, int *server)
{
	int size = SMALL_BUFFER / 2;
	int listener = nodes_listen(nodes, 2, PORT + 1, 1);

	if (listener < 0 ||
	    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		return -1;
	close(*client);
	close(*server);
	*client = nodes_connect(nodes, 1, 2, PORT + 1);
	*server = accept(listener, NULL, NULL);
	close(listener);
	return *client < 0 || *server < 0 ? -1 : 0;
}

static int set_sndbuf(int fd, int size)
{
	return setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
}

TEST_F(message, send__raised_buffer_counts_at_once)
{
	ASSERT_EQ(0, set_sndbuf(self->client, 10000));
	ASSERT_ERRNO(EMSGSIZE, send_nr(self->client, 1, 30000, 0));
	ASSERT_EQ(0, set_sndbuf(self->client, 20000));
	ASSERT_EQ(30000, send_nr(self->client, 1, 30000, 0));
	ASSERT_TRUE(next_is(self->server, 1, 30000));
	ASSERT_EQ(0, set_sndbuf(self->client, 10000));
	ASSERT_ERRNO(EMSGSIZE, send_nr(self->client, 2, 30000, 0));
	ASSERT_EQ(20000, send_nr(self->client, 2, 20000, 0));
	ASSERT_TRUE(next_is(self->server, 2, 20000));
}

TEST_F(message, send__raised_buffer_wakes_a_writer)
{
	unsigned int i, n;
	int status;
	pid_t pid;

	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(0, set_sndbuf(self->client, 50000));
	ASSERT_EQ(0, nodes_cut(&self->nodes)); /* no room comes of itself */
	for (n = 0; send_nr(self->client, n, 20000, MSG_DONTWAIT) > 0; n++)
		ASSERT_GT(10, n);
	ASSERT_EQ(EAGAIN, errno);
	pid = fork();
	if (!pid) {
		alarm(LIMIT_MS / 1000);
		_exit(send_nr(self->client, n, 20000, 0) != 20000);
	}
	ASSERT_TRUE(wait_sleeps(pid));
	ASSERT_EQ(0, set_sndbuf(self->client, 200000));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	for (i = 0; i <= n; i++)
		ASSERT_TRUE(next_is(self->server, i, 20000));
}

/* The end of a message needs no room: neither on a segment that was not sent
 * yet, nor behind a full one, which was.
 */
TEST_F(message, send__a_file_that_is_shorter_ends_in_a_full_buffer)
{
	const struct {
		int sndbuf;
		size_t before;
		size_t len;
	} cases[] = { { 65536, 30 * 4096, 31 * 4096 },
		      { 4500, 4 * 1464, 6 * 1464 } };

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		int file = file_of(i, cases[i].len);
		off_t at = cases[i].before;
		ssize_t left = cases[i].len - at;

		ASSERT_LE(0, file);
		ASSERT_EQ(0, set_sndbuf(self->client, cases[i].sndbuf));
		ASSERT_EQ(0, nodes_cut(&self->nodes)); /* no room comes */
		ASSERT_EQ(at, send_nr(self->client, i, at, MSG_MORE));
		ASSERT_EQ(0, fcntl(self->client, F_SETFL, O_NONBLOCK));
		ASSERT_EQ(left, sendfile(self->client, file, &at, left + 1000));
		ASSERT_ERRNO(EAGAIN, send_nr(self->client, 9, 9, 0));
		ASSERT_EQ(0, fcntl(self->client, F_SETFL, 0));
		ASSERT_EQ(0, nodes_mend(&self->nodes));
		ASSERT_EQ(9, send_nr(self->client, 9, 9, 0));
		ASSERT_TRUE(next_is(self->server, i, cases[i].len));
		ASSERT_TRUE(next_is(self->server, 9, 9));
		close(file);
	}
}

TEST_F(message, send__bad_pointer_sends_nothing)
{
	struct iovec iov[] = { { make(1, 5000), 5000 }, { (void *)8, 5000 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	ASSERT_ERRNO(EFAULT, sendmsg(self->client, &msg, 0));
	ASSERT_EQ(3000, send_nr(self->client, 2, 3000, 0));
	ASSERT_TRUE(next_is(self->server, 2, 3000));
}

/* What cannot be read now, but could be at the next try, is not tried again: in
 * between the message was cut where no segment ends.
 */
TEST_F(message, send__a_fault_in_between_sends_nothing)
{
	struct iovec iov[LATE_PAGES - 1];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = LATE_PAGES - 1 };
	struct late_pages pages;
	int i;

	ASSERT_TRUE(late_pages_make(&pages));
	for (i = 0; i < LATE_PAGES - 1; i++)
		iov[i] = (struct iovec){ pages.at + (i + 1) * LATE_SIZE, 100 };
	for (i = 0; i < LATE_PAGES - 1; i++)
		ASSERT_ERRNO(EFAULT, sendmsg(self->client, &msg, 0));
	ASSERT_EQ(100 * (LATE_PAGES - 1), sendmsg(self->client, &msg, 0));
	ASSERT_EQ(3000, send_nr(self->client, 2, 3000, 0));
	ASSERT_TRUE(next_is_of(self->server, &pages));
	ASSERT_TRUE(next_is(self->server, 2, 3000));
	late_pages_free(&pages);
}

TEST_F(message, recv__larger_than_the_buffer_to_a_waiting_reader)
{
	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(BIG, send_nr(self->client, 1, BIG, 0));
	ASSERT_EQ(BIG, send_nr(self->client, 2, BIG, 0));
	ASSERT_TRUE(next_is(self->server, 1, BIG));
	ASSERT_TRUE(next_is(self->server, 2, BIG));
}

TEST_F(message, recv__larger_than_the_buffer_in_parts)
{
	static char data[BIG];
	size_t have = 0;
	int seen = 0, parts;

	ASSERT_EQ(0, nodes_delay(&self->nodes, 20)); /* not while it reads */
	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(BIG, send_nr(self->client, 1, BIG, 0));
	ASSERT_EQ(9, send_nr(self->client, 2, 9, 0));
	for (parts = 0; !(seen & MSG_EOR); parts++) {
		ssize_t got;

		ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
		got = recv_flags(self->server, data + have, BIG - have,
				 MSG_DONTWAIT, &seen);
		ASSERT_LT(0, got);
		have += got;
	}
	ASSERT_LT(2, parts);
	ASSERT_EQ(BIG, have);
	ASSERT_TRUE(is_nr(data, 1, 0, BIG));
	ASSERT_TRUE(next_is(self->server, 2, 9));
}

/* poll() tells of messages: who is told would wait for one otherwise. What is
 * left of one that was cut short fits the window, and comes to its end there.
 */
TEST_F(message, poll__rest_of_what_was_cut_is_no_message)
{
	static char data[BIG];
	ssize_t most;
	int seen;

	ASSERT_EQ(0, nodes_delay(&self->nodes, 20)); /* not while it reads */
	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(BIG, send_nr(self->client, 1, BIG, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	most = recv_flags(self->server, data, 1, MSG_DONTWAIT | MSG_TRUNC,
			  &seen);
	ASSERT_EQ(MSG_TRUNC, seen);
	ASSERT_EQ(9, send_nr(self->client, 2, 9, 0));
	ASSERT_TRUE(next_is(self->server, 2, 9));
	ASSERT_EQ(most + 50, send_nr(self->client, 3, most + 50, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(1, recv_flags(self->server, data, 1, MSG_DONTWAIT, &seen));
	ASSERT_EQ(MSG_TRUNC, seen);
	ASSERT_TRUE(wait_acked(self->client));
	ASSERT_EQ(0,
		  poll(&(struct pollfd){ .fd = self->server, .events = POLLIN },
		       1, 100));
	ASSERT_EQ(9, send_nr(self->client, 4, 9, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_TRUE(next_is(self->server, 4, 9));
}

/* A reader with little room that never waits drops what comes later, too. */
TEST_F(message, recv__larger_than_the_buffer_and_the_room)
{
	char data[100];
	ssize_t got;
	int seen;

	ASSERT_EQ(0, nodes_delay(&self->nodes, 20)); /* not while it reads */
	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(BIG, send_nr(self->client, 1, BIG, 0));
	ASSERT_EQ(99, send_nr(self->client, 2, 99, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(100,
		  recv_flags(self->server, data, 100, MSG_DONTWAIT, &seen));
	ASSERT_EQ(MSG_TRUNC, seen);
	ASSERT_TRUE(is_nr(data, 1, 0, 100));
	do {
		ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
		got = recv_flags(self->server, data, 100, MSG_DONTWAIT, &seen);
		if (got < 0)
			ASSERT_EQ(EAGAIN, errno);
	} while (got < 0);
	ASSERT_EQ(99, got);
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_TRUE(is_nr(data, 2, 0, 99));
}

TEST_F(message, recv__rcvlowat_is_of_streams)
{
	int mark = 2;

	ASSERT_ERRNO(EOPNOTSUPP, setsockopt(self->server, SOL_SOCKET,
					    SO_RCVLOWAT, &mark, sizeof(mark)));
}

/* recvmsg() where only the first bytes have an address */
static ssize_t recv_partly_bad(int fd, char *to, size_t good, int flags)
{
	struct iovec iov[] = { { to, good }, { (void *)8, BIG } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	return recvmsg(fd, &msg, flags);
}

TEST_F(message, recv__bad_pointer_leaves_the_message)
{
	static const int flags[] = { 0, MSG_DONTWAIT, MSG_PEEK, MSG_TRUNC };
	static const size_t sizes[] = { 10, 1464, 1465, 5000, 60000 };
	unsigned int nr = 0;
	char data[60000];

	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 5; j++, nr += 2) {
			size_t size = sizes[j];

			ASSERT_EQ(size, send_nr(self->client, nr, size, 0));
			ASSERT_EQ(7, send_nr(self->client, nr + 1, 7, 0));
			ASSERT_TRUE(wait_unread(self->server, size + 7));
			for (size_t good = 0; good < size; good += size / 3)
				ASSERT_ERRNO(EFAULT,
					     recv_partly_bad(self->server, data,
							     good, flags[i]));
			ASSERT_ERRNO(EFAULT,
				     recv_partly_bad(self->server, data,
						     size - 1, flags[i]));
			ASSERT_TRUE(next_is(self->server, nr, size));
			ASSERT_TRUE(next_is(self->server, nr + 1, 7));
		}
	}
}

/* The bytes that the pointer is good for are there, the others come later. */
TEST_F(message, recv__bad_pointer_of_a_waiting_reader)
{
	char data[4000];
	int status;
	pid_t pid;

	ASSERT_EQ(3000, send_nr(self->client, 1, 3000, MSG_MORE));
	ASSERT_TRUE(wait_unread(self->server, 3000));
	pid = fork();
	if (!pid) {
		bool good = recv_partly_bad(self->server, data, 2500, 0) < 0 &&
			    errno == EFAULT;

		_exit(!good);
	}
	ASSERT_TRUE(wait_sleeps(pid));
	ASSERT_EQ(4000, send_nr(self->client, 2, 4000, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(1, send_nr(self->client, 3, 1, 0));
	ASSERT_EQ(4000, recv(self->server, data, 4000, 0));
	ASSERT_TRUE(is_nr(data, 1, 0, 3000));
	ASSERT_TRUE(is_nr(data + 3000, 2, 0, 1000));
	ASSERT_TRUE(next_is(self->server, 3, 1));
}

/* What the buffer has no room for was taken bit by bit: the rest is dropped. */
TEST_F(message, recv__bad_pointer_beyond_the_buffer)
{
	static char data[BIG];

	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(BIG, send_nr(self->client, 1, BIG, 0));
	ASSERT_EQ(BIG, send_nr(self->client, 2, BIG, 0));
	ASSERT_ERRNO(EFAULT, recv_partly_bad(self->server, data, BIG / 2, 0));
	ASSERT_TRUE(next_is(self->server, 2, BIG));
}

TEST_F(message, recv__timeout_leaves_the_message)
{
	struct timeval tv = { .tv_usec = 50000 };
	char data[64];
	int seen;

	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_RCVTIMEO, &tv,
				sizeof(tv)));
	ASSERT_ERRNO(EAGAIN, recv(self->server, data, 64, 0));
	ASSERT_EQ(3, send(self->client, "one", 3, MSG_MORE));
	ASSERT_TRUE(wait_unread(self->server, 3));
	ASSERT_ERRNO(EAGAIN, recv(self->server, data, 64, 0));
	ASSERT_EQ(3, send(self->client, "two", 3, 0));
	ASSERT_EQ(6, recv_flags(self->server, data, 64, 0, &seen));
	ASSERT_EQ(MSG_EOR, seen);
	ASSERT_EQ(0, memcmp(data, "onetwo", 6));
}

/* As SCTP has it: each message is a record, whether the sender says so or not.
 */
TEST_F(message, send__eor_is_told_of_each_message)
{
	static const int flags[] = { 0, MSG_EOR, MSG_DONTWAIT };
	char data[64];
	int seen;

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(3, send(self->client, "one", 3, flags[i]));
		ASSERT_EQ(3, recv_flags(self->server, data, 64, 0, &seen));
		ASSERT_EQ(MSG_EOR, seen);
	}
	ASSERT_EQ(3, send(self->client, "one", 3, MSG_MORE));
	ASSERT_EQ(0, send(self->client, NULL, 0, MSG_MORE | MSG_EOR));
	ASSERT_EQ(3, recv_flags(self->server, data, 64, 0, &seen));
	ASSERT_EQ(MSG_EOR, seen);
}

/* SO_PEEK_OFF counts over all messages, as AF_UNIX does. */
TEST_F(message, recv__peek_off)
{
	int fds[2][2] = { {}, { self->client, self->server } };
	socklen_t len = sizeof(int);
	int off, seen;
	char in[10];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds[0]));
	for (int i = 0; i < 2; i++) {
		int from = fds[i][0], to = fds[i][1];

		off = 0;
		ASSERT_EQ(0,
			  setsockopt(to, SOL_SOCKET, SO_PEEK_OFF, &off, len));
		ASSERT_EQ(4, send(from, "0123", 4, 0));
		ASSERT_EQ(5, send(from, "abcde", 5, 0));
		ASSERT_EQ(2, send(from, "xy", 2, 0));
		if (i)
			ASSERT_TRUE(wait_unread(to, 11));
		ASSERT_EQ(4, recv_flags(to, in, 10, MSG_PEEK, &seen));
		ASSERT_EQ(0, memcmp(in, "0123", 4));
		ASSERT_EQ(2, recv_flags(to, in, 2, MSG_PEEK, &seen));
		ASSERT_EQ(0, memcmp(in, "ab", 2));
		ASSERT_EQ(MSG_TRUNC, seen & MSG_TRUNC);
		ASSERT_EQ(3,
			  recv_flags(to, in, 1, MSG_PEEK | MSG_TRUNC, &seen));
		ASSERT_EQ('c', in[0]);
		ASSERT_EQ(0,
			  getsockopt(to, SOL_SOCKET, SO_PEEK_OFF, &off, &len));
		ASSERT_EQ(7, off);
		ASSERT_EQ(4, recv(to, in, 10, 0));
		ASSERT_EQ(2, recv_flags(to, in, 10, MSG_PEEK, &seen));
		ASSERT_EQ(0, memcmp(in, "de", 2));
		ASSERT_EQ(0, seen & MSG_TRUNC);
		ASSERT_EQ(2, recv(to, in, 10, MSG_PEEK));
		ASSERT_EQ(0, memcmp(in, "xy", 2));
		ASSERT_ERRNO(EAGAIN, recv(to, in, 10, MSG_PEEK | MSG_DONTWAIT));
		ASSERT_EQ(5, recv(to, in, 10, 0));
		ASSERT_EQ(2, recv(to, in, 10, 0));
		ASSERT_EQ(0,
			  getsockopt(to, SOL_SOCKET, SO_PEEK_OFF, &off, &len));
		ASSERT_EQ(0, off);
	}
}

/* Who has seen a message and looks for the next one has not enough, however
 * little of the window is left: it is shown whole, or what there is room for.
 */
TEST_F(message, recv__peek_off_goes_on_in_a_small_window)
{
	struct timeval tv = { .tv_sec = 5 * slow() };
	int off = 0, size = 16384;
	static char in[100000];

	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_RCVBUF, &size,
				sizeof(size)));
	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_RCVTIMEO, &tv,
				sizeof(tv)));
	for (int len = 2000; len <= 80000; len += 2000) {
		ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_PEEK_OFF,
					&off, sizeof(off)));
		ASSERT_EQ(3000, send_nr(self->client, 1, 3000, 0));
		ASSERT_EQ(len, send_nr(self->client, 2, len, 0));
		ASSERT_EQ(3000, recv(self->server, in, sizeof(in), MSG_PEEK));
		ASSERT_LT(0, recv(self->server, in, sizeof(in), MSG_PEEK));
		ASSERT_EQ(3000, recv(self->server, in, sizeof(in), 0));
		ASSERT_EQ(len, recv(self->server, in, sizeof(in), 0));
		ASSERT_TRUE(is_nr(in, 2, 0, len));
	}
}

/* Bytes of messages, not what is before each of those that share a segment */
TEST_F(message, send__unsent_bytes_are_exact)
{
	int sent = 0, unsent, unacked;

	ASSERT_EQ(0, small_pair(&self->nodes, &self->client, &self->server));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	for (int i = 0; i < 1000; i++)
		sent += send_nr(self->client, i, i % 100, MSG_DONTWAIT);
	ASSERT_EQ(0, ioctl(self->client, SIOCOUTQ, &unacked));
	ASSERT_EQ(49500, sent);
	ASSERT_EQ(sent, unacked);
	ASSERT_EQ(0, ioctl(self->client, SIOCOUTQNSD, &unsent));
	ASSERT_LT(0, unsent);
	ASSERT_GT(sent, unsent);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	for (int i = 0; i < 1000; i++)
		ASSERT_TRUE(next_is(self->server, i, i % 100));
}

TEST_F(message, recv__stamp_of_each_message)
{
	char in[10], control[128] = {};
	struct iovec iov = { in, 10 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	long end = now_ms() + LIMIT_MS;
	int on = 1;

	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_TIMESTAMPNS, &on,
				sizeof(on)));
	do { /* they are noted soon */
		ASSERT_GT(end, now_ms());
		ASSERT_EQ(1, send_nr(self->client, 1, 1, 0));
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		ASSERT_EQ(1, recvmsg(self->server, &msg, 0));
	} while (!CMSG_FIRSTHDR(&msg));
	ASSERT_EQ(SO_TIMESTAMPNS, CMSG_FIRSTHDR(&msg)->cmsg_type);
}

TEST_HARNESS_MAIN
