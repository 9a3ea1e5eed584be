// SPDX-License-Identifier: GPL-2.0
/* send(), recv(), poll() and socket options on a connection. */
#include "fixture.h"
#include "slow.h"

#include <linux/sockios.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define SELDOM 12 /* probes, after which a pause is as long as any */
#define AGAIN 5
#define MUCH (64 << 20) /* more than any buffer here holds */

static int set_timeout(int fd, int option, int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000,
			      .tv_usec = ms % 1000 * 1000 };

	return setsockopt(fd, SOL_SOCKET, option, &tv, sizeof(tv));
}

/* Segments in flight, and those that the pace alone holds back */
static unsigned int in_flight(int fd)
{
	struct prp_info info = { .prpi_in_flight = 1 };
	socklen_t len = sizeof(info);

	getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len);
	return info.prpi_in_flight + (info.prpi_snd_wnd ? info.prpi_queued : 0);
}

/* Sends until it would block and nothing is in flight whose arrival could make
 * room again; how many bytes went, or -1.
 */
static long fill(int fd)
{
	static char junk[65536];
	long sum = 0, end = now_ms() + LIMIT_MS;
	ssize_t put;
	bool landed;

	while (sum < MUCH && now_ms() < end) {
		landed = !in_flight(fd);
		put = send(fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (put > 0) {
			sum += put;
			continue;
		}
		if (errno != EAGAIN)
			return -1;
		if (landed)
			return sum;
		usleep(1000);
	}
	return -1;
}

static long drain(int fd, long len)
{
	static char junk[65536];
	long sum = 0;
	ssize_t got;

	while (sum < len) {
		got = recv(fd, junk, sizeof(junk), 0);
		if (got <= 0)
			break;
		sum += got;
	}
	return sum;
}

TEST_F(pair, recv__nothing_there)
{
	char in[4];

	ASSERT_ERRNO(EAGAIN, recv(self->server, in, 4, MSG_DONTWAIT));
	fcntl(self->server, F_SETFL, O_NONBLOCK);
	ASSERT_ERRNO(EAGAIN, recv(self->server, in, 4, 0));
}

TEST_F(pair, recv__rcvtimeo)
{
	long start = now_ms();
	char in[4];

	ASSERT_EQ(0, set_timeout(self->server, SO_RCVTIMEO, 200));
	ASSERT_ERRNO(EAGAIN, recv(self->server, in, 4, 0));
	ASSERT_LE(start + 190, now_ms());
}

TEST_F(pair, recv__peek)
{
	char in[4];

	ASSERT_TRUE(send_all(self->client, "abcdef", 6));
	ASSERT_EQ(4, recv(self->server, in, 4, MSG_PEEK | MSG_WAITALL));
	ASSERT_EQ(0, memcmp(in, "abcd", 4));
	ASSERT_EQ(2, recv(self->server, in, 2, MSG_PEEK));
	ASSERT_EQ(0, memcmp(in, "ab", 2));
	ASSERT_EQ(4, recv(self->server, in, 4, 0));
	ASSERT_EQ(0, memcmp(in, "abcd", 4));
	ASSERT_EQ(2, recv(self->server, in, 4, MSG_PEEK));
	ASSERT_EQ(2, recv(self->server, in, 4, 0));
	ASSERT_EQ(0, memcmp(in, "ef", 2));
}

/* Peeking must reach over the border of segments. */
TEST_F(pair, recv__peek_over_segments)
{
	static char out[10000], in[10000];

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = i * 31 >> 3;
	ASSERT_TRUE(send_all(self->client, out, sizeof(out)));
	ASSERT_EQ(sizeof(in),
		  recv(self->server, in, sizeof(in), MSG_PEEK | MSG_WAITALL));
	ASSERT_EQ(0, memcmp(in, out, sizeof(in)));
	memset(in, 0, sizeof(in));
	ASSERT_EQ(sizeof(in), recv(self->server, in, sizeof(in), MSG_WAITALL));
	ASSERT_EQ(0, memcmp(in, out, sizeof(in)));
}

TEST_F(pair, recv__waitall)
{
	char in[10];

	for (int i = 0; i < 5; i++)
		ASSERT_TRUE(send_all(self->client, "xy", 2));
	ASSERT_EQ(10, recv(self->server, in, 10, MSG_WAITALL));
	ASSERT_EQ(0, memcmp(in, "xyxyxyxyxy", 10));
}

TEST_F(pair, recv__waitall_ends_with_the_stream)
{
	char in[10];

	ASSERT_TRUE(send_all(self->client, "xyz", 3));
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(3, recv(self->server, in, 10, MSG_WAITALL));
	ASSERT_EQ(0, recv(self->server, in, 10, MSG_WAITALL));
}

TEST_F(pair, recv__waitall_ends_with_the_timeout)
{
	char in[10];

	ASSERT_TRUE(send_all(self->client, "xyz", 3));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(0, set_timeout(self->server, SO_RCVTIMEO, 100));
	ASSERT_EQ(3, recv(self->server, in, 10, MSG_WAITALL));
}

TEST_F(pair, recv__no_bytes)
{
	char in[4];

	ASSERT_ERRNO(EAGAIN, recv(self->server, in, 0, MSG_DONTWAIT));
	ASSERT_TRUE(send_all(self->client, "x", 1));
	ASSERT_EQ(0, recv(self->server, in, 0, 0)); /* it is there */
	ASSERT_EQ(1, recv(self->server, in, 4, MSG_DONTWAIT));
}

TEST_F(sock, recv__unconnected)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	char in[4];

	ASSERT_ERRNO(ENOTCONN, recv(fd, in, 4, 0));
	fd = nodes_listen(&self->nodes, 1, PORT, 1);
	ASSERT_ERRNO(ENOTCONN, recv(fd, in, 4, 0));
}

TEST_F(sock, send__unconnected)
{
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_ERRNO(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	fd = nodes_listen(&self->nodes, 1, PORT, 1);
	ASSERT_ERRNO(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
}

TEST_F(sock, shutdown__unconnected)
{
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_ERRNO(ENOTCONN, shutdown(fd, SHUT_RDWR));
}

TEST_F(pair, shutdown__bad_argument)
{
	ASSERT_ERRNO(EINVAL, shutdown(self->client, 3));
	ASSERT_ERRNO(EINVAL, shutdown(self->client, -1));
}

TEST_F(pair, send__no_bytes)
{
	char in[4];

	ASSERT_EQ(0, send(self->client, "", 0, 0));
	ASSERT_TRUE(send_all(self->client, "x", 1));
	ASSERT_EQ(1, recv(self->server, in, 4, 0));
}

TEST_F(pair, send__bad_buffer)
{
	char in[4];

	ASSERT_ERRNO(EFAULT, send(self->client, (void *)1, 1000, 0));
	ASSERT_TRUE(send_all(self->client, "x", 1));
	ASSERT_EQ(1, recv(self->server, in, 4, 0));
	ASSERT_EQ('x', in[0]);
}

TEST_F(pair, recv__bad_buffer_loses_nothing)
{
	char in[4];

	ASSERT_TRUE(send_all(self->client, "abcd", 4));
	ASSERT_ERRNO(EFAULT, recv(self->server, (void *)1, 4, 0));
	ASSERT_EQ(4, recv(self->server, in, 4, 0));
	ASSERT_EQ(0, memcmp(in, "abcd", 4));
}

static atomic_bool turned_enough;

/* A page that is there, then not, and so on */
static void *turn_page(void *page)
{
	while (!turned_enough) {
		mprotect(page, 4096, PROT_NONE);
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/* One that is there again when the reader looks once more; what it was given is
 * looked at elsewhere.
 */
TEST_F(pair, recv__page_that_comes_and_goes)
{
	unsigned int size = info_of(self->client).prpi_seg_size;
	char *out = malloc(2 * size), *seen, *to;
	int memory = memfd_create("pages", 0);
	pthread_t turner;

	ASSERT_EQ(0, ftruncate(memory, 3 * 4096));
	seen = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
		    0);
	to = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
		  0);
	ASSERT_NE(MAP_FAILED, seen);
	ASSERT_NE(MAP_FAILED, to);
	for (unsigned int i = 0; i < 2 * size; i++)
		out[i] = i * 40503u >> 7;
	ASSERT_EQ(0, pthread_create(&turner, NULL, turn_page, to + 2 * 4096));
	/* it ends in the middle of the second segment */
	seen += 2 * 4096 - size - size / 2;
	to += 2 * 4096 - size - size / 2;
	for (int i = 0; i < 2000; i++) {
		ssize_t got;

		/* or the two come in one buffer */
		ASSERT_TRUE(send_all(self->client, out, size));
		ASSERT_TRUE(wait_unread(self->server, size));
		ASSERT_TRUE(send_all(self->client, out + size, size));
		ASSERT_TRUE(wait_unread(self->server, 2 * size));
		/* room for bytes that would be given twice */
		got = recv(self->server, to, 3 * size, 0);
		ASSERT_LT(0, got);
		ASSERT_EQ(0, memcmp(seen, out, got));
		if (got < 2 * size) {
			ASSERT_TRUE(recv_all(self->server, seen + got,
					     2 * size - got));
			ASSERT_EQ(0, memcmp(seen, out, 2 * size));
		}
	}
	turned_enough = true;
	ASSERT_EQ(0, pthread_join(turner, NULL));
}

TEST_F(pair, send__out_of_band_refused)
{
	ASSERT_ERRNO(EOPNOTSUPP, send(self->client, "x", 1, MSG_OOB));
}

TEST_F(pair, sendmsg__many_pieces)
{
	char a[] = "ab", b[] = "", c[] = "cde", in[5];
	struct iovec iov[] = { { a, 2 }, { b, 0 }, { c, 3 } };
	struct iovec to[] = { { in, 1 }, { in + 1, 4 } };

	ASSERT_EQ(5, writev(self->client, iov, 3));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(5, readv(self->server, to, 2));
	ASSERT_EQ(0, memcmp(in, "abcde", 5));
}

TEST_F(pair, recvmsg__has_no_name_and_no_flags)
{
	char in[2];
	struct iovec iov = { in, 2 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_flags = -1 };

	ASSERT_TRUE(send_all(self->client, "abc", 3));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(2, recvmsg(self->server, &msg, 0));
	ASSERT_EQ(0, msg.msg_flags);
	ASSERT_EQ(0, msg.msg_controllen);
}

TEST_F(pair, send__full_then_room)
{
	long sent = fill(self->client);

	ASSERT_LT(0, sent);
	ASSERT_EQ(0, events_now(self->client) & POLLOUT);
	ASSERT_EQ(0, set_timeout(self->client, SO_SNDTIMEO, 100));
	ASSERT_ERRNO(EAGAIN, send(self->client, "x", 1, 0));
	ASSERT_EQ(sent, drain(self->server, sent));
	ASSERT_EQ(POLLOUT, wait_events(self->client, POLLOUT));
	ASSERT_EQ(1, send(self->client, "x", 1, MSG_DONTWAIT));
}

/* A reader that begins late finds every byte and no more. */
TEST_F(pair, send__blocks_until_read)
{
	static char chunk[100000];
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		bool ok = true;

		for (int i = 0; i < 100; i++)
			ok = ok && send_all(self->client, chunk, sizeof(chunk));
		_exit(!ok || shutdown(self->client, SHUT_WR));
	}
	ASSERT_EQ(100 * sizeof(chunk), drain(self->server, MUCH));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

TEST_F(pair, send__signal_after_shutdown)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_ERRNO(EPIPE, send(self->client, "x", 1, MSG_NOSIGNAL));
	pid = fork();
	if (!pid) {
		signal(SIGPIPE, SIG_DFL);
		send(self->client, "x", 1, MSG_NOSIGNAL);
		send(self->client, "x", 1, 0);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(SIGPIPE, WTERMSIG(status));
}

TEST_F(pair, recv__woken_by_shutdown)
{
	int status;
	pid_t pid;
	char in[1];

	pid = fork();
	if (!pid)
		_exit(recv(self->server, in, 1, 0) ? 1 : 0);
	ASSERT_EQ(0, shutdown(self->server, SHUT_RD));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

TEST_F(sock, poll__unconnected)
{
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_EQ(POLLOUT | POLLHUP, events_now(fd));
}

TEST_F(sock, poll__listener)
{
	int fd = nodes_listen(&self->nodes, 2, PORT, 1);

	ASSERT_EQ(0, events_now(fd));
	ASSERT_LE(0, nodes_connect(&self->nodes, 1, 2, PORT));
	ASSERT_EQ(POLLIN, wait_events(fd, POLLIN));
	ASSERT_LE(0, accept(fd, NULL, NULL));
	ASSERT_EQ(0, events_now(fd));
}

TEST_F(pair, poll__data_and_ends)
{
	char in[4];

	ASSERT_EQ(POLLOUT, events_now(self->server));
	ASSERT_TRUE(send_all(self->client, "ab", 2));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(POLLIN | POLLOUT, events_now(self->server));
	ASSERT_EQ(2, recv(self->server, in, 4, 0));
	ASSERT_EQ(POLLOUT, events_now(self->server));

	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_TRUE(wait_events(self->server, POLLRDHUP) & POLLRDHUP);
	ASSERT_EQ(POLLIN | POLLOUT | POLLRDHUP, events_now(self->server));
	ASSERT_EQ(0, shutdown(self->server, SHUT_WR));
	ASSERT_EQ(POLLIN | POLLOUT | POLLRDHUP | POLLHUP,
		  events_now(self->server));
}

TEST_F(pair, poll__both_shut_down_here)
{
	ASSERT_EQ(0, shutdown(self->client, SHUT_RDWR));
	ASSERT_TRUE(events_now(self->client) & POLLHUP);
}

TEST_F(pair, epoll__edges)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(0);
	char in[2];

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->server, &event));
	ASSERT_EQ(0, epoll_wait(ep, &event, 1, 0));
	ASSERT_TRUE(send_all(self->client, "ab", 2));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, 15000));
	ASSERT_EQ(EPOLLIN, event.events);
	ASSERT_EQ(0, epoll_wait(ep, &event, 1, 0));
	ASSERT_TRUE(send_all(self->client, "cd", 2));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, 15000));
	ASSERT_EQ(2, recv(self->server, in, 2, 0));
	ASSERT_EQ(0, epoll_wait(ep, &event, 1, 0));
}

TEST_F(pair, epoll__one_edge_of_room)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int ep = epoll_create1(0);
	long sent;

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->client, &event));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, 15000));
	sent = fill(self->client);
	ASSERT_LT(0, sent);
	ASSERT_EQ(sent, drain(self->server, sent));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, 15000));
	ASSERT_EQ(EPOLLOUT, event.events);
}

TEST_F(pair, epoll__exclusive_and_oneshot)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT };
	int ep = epoll_create1(0);
	int other = epoll_create1(0);

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->server, &event));
	event.events = EPOLLIN | EPOLLEXCLUSIVE;
	ASSERT_EQ(0, epoll_ctl(other, EPOLL_CTL_ADD, self->server, &event));
	ASSERT_TRUE(send_all(self->client, "ab", 2));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, 15000));
	ASSERT_EQ(0, epoll_wait(ep, &event, 1, 0));
	ASSERT_EQ(1, epoll_wait(other, &event, 1, 15000));
}

TEST_F(pair, sockopt__buffers)
{
	socklen_t len = sizeof(int);
	int value = 100000, got;

	ASSERT_EQ(0,
		  setsockopt(self->client, SOL_SOCKET, SO_SNDBUF, &value, len));
	ASSERT_EQ(0,
		  getsockopt(self->client, SOL_SOCKET, SO_SNDBUF, &got, &len));
	ASSERT_LE(value, got);
	ASSERT_EQ(0,
		  setsockopt(self->client, SOL_SOCKET, SO_RCVBUF, &value, len));
	ASSERT_EQ(0,
		  getsockopt(self->client, SOL_SOCKET, SO_RCVBUF, &got, &len));
	ASSERT_LE(value, got);
}

TEST_F(pair, sockopt__small_buffers_hold_less)
{
	int value = 1;
	long sent;

	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_SNDBUF, &value,
				sizeof(value)));
	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_RCVBUF, &value,
				sizeof(value)));
	sent = fill(self->client);
	ASSERT_LT(0, sent);
	ASSERT_GT(4 << 20, sent);
	ASSERT_EQ(sent, drain(self->server, sent));
}

/* Give a connection whose buffers are full a smaller one to receive into, and
 * take what the old one has let in.
 */
static bool shrink(int client, int server, int size)
{
	static char data[8192];
	struct prp_info before, after;

	if (setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)) ||
	    fill(client) <= 0)
		return false;
	before = info_of(client);
	do {
		if (!recv_all(server, data, sizeof(data)))
			return false;
		after = info_of(client);
	} while (after.prpi_segs_out == before.prpi_segs_out);
	return true;
}

/* A sender that has more than there is room for is told of a quarter of that at
 * once, not of what each segment leaves over. Where it is kept waiting it asks,
 * and is told as often.
 */
TEST_F(pair, recv__opens_a_small_window_by_quarters)
{
	struct prp_info before, after;
	static char data[8192];
	long told;

	ASSERT_TRUE(shrink(self->client, self->server, 32768));
	before = info_of(self->client);
	for (int i = 0; i < 60; i++) {
		ASSERT_TRUE(recv_all(self->server, data, sizeof(data)));
		while (in_flight(self->client))
			usleep(1000);
	}
	after = info_of(self->client);
	told = after.prpi_acks_in - before.prpi_acks_in;
	told -= after.prpi_probes_out - before.prpi_probes_out;
	EXPECT_LT(200, after.prpi_segs_out - before.prpi_segs_out);
	EXPECT_LT(4 * told, (long)(after.prpi_segs_out - before.prpi_segs_out));
}

/* Who asks how much there is until it is enough has to be told of any room.
 * That is over when the sender knows, maybe on another processor, and what it
 * sent for it has landed; where there is no room it is told nothing.
 */
TEST_F(pair, ioctl__who_asks_gets_what_there_is_room_for)
{
	int more = 0, before, after;
	struct prp_info info;

	for (int size = 16384; size <= 65536; size += 8192) {
		close(self->client);
		close(self->server);
		ASSERT_EQ(0, nodes_pair(&self->nodes, &self->client,
					&self->server));
		ASSERT_TRUE(shrink(self->client, self->server, size));
		while (in_flight(self->client))
			usleep(1000);
		info = info_of(self->client);
		ASSERT_EQ(0, ioctl(self->server, SIOCINQ, &before));
		for (int ms = 0; ms < 100; ms++) {
			if (info_of(self->client).prpi_acks_in !=
			    info.prpi_acks_in)
				break;
			usleep(1000);
		}
		while (in_flight(self->client))
			usleep(1000);
		ASSERT_EQ(0, ioctl(self->server, SIOCINQ, &after));
		more += after > before;
	}
	EXPECT_LT(0, more);
}

/* What MSG_MORE held back is not left to its timer, in many rounds. */
TEST_F(pair, send__nothing_ends_the_wait_for_more)
{
	struct prp_info info;
	socklen_t len = sizeof(info);
	char in[2];

	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(1, send(self->client, "a", 1, 0));
		ASSERT_EQ(1, send(self->client, "b", 1, MSG_MORE));
		ASSERT_EQ(0, send(self->client, NULL, 0, 0));
		ASSERT_EQ(0, getsockopt(self->client, SOL_PRP, PRP_INFO, &info,
					&len));
		ASSERT_EQ(0, info.prpi_queued);
		ASSERT_TRUE(recv_all(self->server, in, 2));
	}
}

TEST_F(pair, sockopt__prp_info)
{
	struct prp_info info;
	socklen_t len = sizeof(info);
	char in[10];

	ASSERT_TRUE(send_all(self->client, "0123456789", 10));
	ASSERT_TRUE(recv_all(self->server, in, 10));
	ASSERT_EQ(0, getsockopt(self->client, SOL_PRP, PRP_INFO, &info, &len));
	ASSERT_EQ(sizeof(info), len);
	ASSERT_EQ(PRP_ESTABLISHED, info.prpi_state);
	ASSERT_EQ(1464, info.prpi_seg_size);
	ASSERT_EQ(10, info.prpi_bytes_out);
	ASSERT_EQ(0, info.prpi_segs_retransmitted);
	ASSERT_EQ(0, getsockopt(self->server, SOL_PRP, PRP_INFO, &info, &len));
	ASSERT_EQ(10, info.prpi_bytes_in);
	ASSERT_EQ(1, info.prpi_segs_in);

	/* Old programs know less of it. */
	len = 8;
	memset(&info, 0xff, sizeof(info));
	ASSERT_EQ(0, getsockopt(self->client, SOL_PRP, PRP_INFO, &info, &len));
	ASSERT_EQ(8, len);
	ASSERT_EQ(1464, info.prpi_seg_size);
	ASSERT_EQ(~0u, info.prpi_rtt_us);
}

TEST_F(sock, sockopt__prp_info_of_each_state)
{
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	struct prp_info info;
	socklen_t len = sizeof(info);
	int fd;

	fd = nodes_socket(&self->nodes, 1, 0);
	ASSERT_EQ(0, getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len));
	ASSERT_EQ(PRP_CLOSE, info.prpi_state);
	ASSERT_EQ(0, listen(fd, 1));
	ASSERT_EQ(0, getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len));
	ASSERT_EQ(PRP_LISTEN, info.prpi_state);
	fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len));
	ASSERT_EQ(PRP_CONN_WAIT, info.prpi_state);
}

TEST_F(sock, sockopt__user_timeout)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	socklen_t len = sizeof(__u32);
	__u32 ms = 1;

	/* 0 is the default, which the state of the connection decides */
	ASSERT_EQ(0, getsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, &len));
	ASSERT_EQ(0, ms);
	for (const __u32 *good = (__u32[]){ 100, 3600000, 0 }; *good; good++) {
		ASSERT_EQ(0,
			  setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, good, len));
		ASSERT_EQ(0,
			  getsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, &len));
		ASSERT_EQ(*good, ms);
	}
	ms = 99;
	ASSERT_ERRNO(EINVAL,
		     setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, len));
	ms = 3600001;
	ASSERT_ERRNO(EINVAL,
		     setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, len));
	ASSERT_ERRNO(EINVAL, setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, 2));
}

TEST_F(sock, sockopt__unknown)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	socklen_t len = sizeof(int);
	int value = 1;

	ASSERT_ERRNO(ENOPROTOOPT, setsockopt(fd, SOL_PRP, 99, &value, len));
	ASSERT_ERRNO(ENOPROTOOPT, getsockopt(fd, SOL_PRP, 99, &value, &len));
	ASSERT_ERRNO(ENOPROTOOPT,
		     setsockopt(fd, SOL_PRP, PRP_INFO, &value, len));
	ASSERT_ERRNO(ENOPROTOOPT, setsockopt(fd, IPPROTO_TCP, 1, &value, len));
}

/* Fills one that takes nothing until it is asked seldom, and has less patience
 * with it then than the pause between two probes. Return: 1 if it is still
 * asked after that, 0 if it was given up, -1 if all that was not so.
 */
static int still_asked(int fd)
{
	long end = now_ms() + LIMIT_MS;
	__u32 ms = 150, asked;

	if (fill(fd) <= 0)
		return -1;
	while (info_of(fd).prpi_probes_out < SELDOM) {
		if (now_ms() > end)
			return -1;
		usleep(1000);
	}
	if (setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms)))
		return -1;
	asked = info_of(fd).prpi_probes_out;
	while (info_of(fd).prpi_probes_out < asked + SELDOM) {
		if (events_now(fd) & POLLERR)
			return 0;
		if (now_ms() > end)
			return -1;
		usleep(1000);
	}
	return 1;
}

/* One that takes nothing is asked seldom; less patience than that pause has it
 * asked sooner. A machine that is late by 100 ms between two probes takes all
 * of that patience, but not each time.
 */
TEST_F(pair, send__less_patience_with_a_shut_window)
{
	int asked = still_asked(self->client);

	for (int again = 0; !asked && again < AGAIN; again++) {
		close(self->client);
		close(self->server);
		ASSERT_EQ(0, nodes_pair(&self->nodes, &self->client,
					&self->server));
		asked = still_asked(self->client);
	}
	ASSERT_EQ(1, asked);
}

/* A lost peer ends a connection with data under way in time. */
TEST_F(pair, send__peer_falls_silent)
{
	__u32 ms = 300;
	long start;

	ASSERT_EQ(0, setsockopt(self->client, SOL_PRP, PRP_USER_TIMEOUT, &ms,
				sizeof(ms)));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	start = now_ms();
	ASSERT_TRUE(send_all(self->client, "x", 1));
	ASSERT_TRUE(wait_events(self->client, POLLIN) & POLLERR);
	ASSERT_LE(start + 290, now_ms());
	ASSERT_GT(start + PATIENCE_MS, now_ms());
	ASSERT_EQ(ETIMEDOUT, sock_error(self->client));
	ASSERT_ERRNO(EPIPE, send(self->client, "x", 1, 0));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

TEST_HARNESS_MAIN
