// SPDX-License-Identifier: GPL-2.0
/*
 * The IP mode, once it is decided who carries a connection, and while it is
 * not: waiting, errors, options, data, ends; each over PRP and over TCP.
 */
#include "inet.h"
#include "passed.h"
#include "slow.h"

#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/time.h>

#define SLOWLY_MS 200 /* between two reads */
#define SECONDS(n) ((struct timeval){ .tv_sec = (n) })

/* A connection of the IP mode, from node 1 to node 2, each way */
FIXTURE(way)
{
	struct nodes nodes;
	int listener;
	int client;
	int server;
};

FIXTURE_VARIANT(way)
{
	const char *to;
	int path;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(way, prp) {
	.to = KNOWN,
	.path = PRP_PATH_PRP,
};

FIXTURE_VARIANT_ADD(way, tcp) {
	.to = UNKNOWN,
	.path = PRP_PATH_TCP,
};

/* clang-format on */

FIXTURE_SETUP(way)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	self->listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	self->client = ip_client(&self->nodes, variant->to, PORT);
	self->server = accept(self->listener, NULL, NULL);
	ASSERT_LE(0, self->client);
	ASSERT_LE(0, self->server);
	ASSERT_EQ(variant->path, path_of(self->client));
	ASSERT_EQ(variant->path, path_of(self->server));
}

/* Created equals destroyed, however the case left its sockets. */
FIXTURE_TEARDOWN(way)
{
	close(self->client);
	close(self->server);
	close(self->listener);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

static int set_time(int fd, int name, struct timeval tv)
{
	return setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv));
}

TEST_F(inet, wait__connect_over_prp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int set = epoll_create1(0);

	/* or the answer is here before connect() returns, and that is 0 */
	ASSERT_EQ(0, nodes_delay(&self->nodes, 20));
	ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	ASSERT_EQ(1, epoll_wait(set, &event, 1, 0)); /* HUP, as TCP has it */
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(1, epoll_wait(set, &event, 1, 5000));
	ASSERT_EQ(EPOLLOUT, event.events);
	ASSERT_EQ(0, sock_error(fd));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_ERRNO(EISCONN, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(fd));
	ASSERT_LE(0, accept(listener, NULL, NULL));
}

TEST_F(inet, wait__connect_over_tcp_in_the_end)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, SILENT, SOCK_NONBLOCK);
	struct epoll_event event = { .events = EPOLLOUT | EPOLLIN };
	int set = epoll_create1(0);

	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
	ASSERT_ERRNO(EALREADY, ip_connect(fd, SILENT, PORT));
	ASSERT_ERRNO(EAGAIN, send(fd, "x", 1, 0));
	ASSERT_ERRNO(EAGAIN, recv(fd, &event, 1, 0));
	ASSERT_EQ(PRP_PATH_NONE, path_of(fd));
	ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	ASSERT_EQ(0, epoll_wait(set, &event, 1, 0));
	ASSERT_EQ(1, epoll_wait(set, &event, 1, 5000));
	ASSERT_EQ(EPOLLOUT, event.events);
	ASSERT_EQ(0, sock_error(fd));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
	ASSERT_EQ(0, ip_connect(fd, SILENT, PORT));
	ASSERT_ERRNO(EISCONN, ip_connect(fd, SILENT, PORT));
	ASSERT_LE(0, accept(listener, NULL, NULL));
}

/* The last signal comes when poll() tells it. */
TEST_F(inet, wait__signal_of_connect_over_tcp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	struct timespec limit = { .tv_sec = LIMIT_MS / 1000 };
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &io, NULL));
	for (int i = 0; i < 20; i++) {
		int fd = ip_socket(&self->nodes, 1, SILENT, SOCK_NONBLOCK);

		ASSERT_EQ(0, fcntl(fd, F_SETOWN, getpid()));
		ASSERT_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC));
		ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
		while (!(events_now(fd) & POLLOUT))
			ASSERT_EQ(SIGIO, sigtimedwait(&io, NULL, &limit));
		ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
		close(fd);
		close(accept(listener, NULL, NULL));
		/* or PRP is not asked at all */
		ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
					 "1 n1 02:50:52:50:00:01 10.80.0.1\n"
					 "2 n2 02:50:52:50:00:02 10.80.0.2\n"
					 "3 n3 02:50:52:50:00:03 10.80.0.3\n"));
	}
}

TEST_F(inet, wait__connect_that_both_refuse)
{
	int fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	short events;

	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
	events = wait_events(fd, POLLIN | POLLOUT);
	ASSERT_EQ(POLLERR | POLLHUP, events & (POLLERR | POLLHUP));
	ASSERT_EQ(POLLERR, wait_events(fd, POLLOUT) & POLLERR);
	ASSERT_EQ(ECONNREFUSED, sock_error(fd));
	ASSERT_EQ(0, sock_error(fd));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "ip_tcp_refused"));
	ASSERT_ERRNO(ECONNABORTED, ip_connect(fd, KNOWN, PORT));
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
}

TEST_F(inet, wait__connect_tells_who_did_not_ask)
{
	int fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);

	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
	ASSERT_NE(0, wait_events(fd, POLLOUT));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, PORT));
}

TEST_F(inet, wait__writer_until_it_is_decided)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, SILENT, SOCK_NONBLOCK);
	char in[3];

	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, 0));
	ASSERT_EQ(3, send(fd, "abc", 3, 0));
	ASSERT_TRUE(recv_all(accept(listener, NULL, NULL), in, 3));
	ASSERT_EQ(0, memcmp(in, "abc", 3));
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* PRP and TCP have it together, not one after the other: that takes the second
 * that PRP has at most longer, and always does. A busy machine may be late, but
 * not each time.
 */
TEST_F(inet, wait__send_time_limit)
{
	long end = now_ms() + LIMIT_MS, asked, start, took;

	ASSERT_EQ(0, nodes_cut(&self->nodes));
	do {
		int fd = ip_socket(&self->nodes, 1, KNOWN, 0);

		ASSERT_EQ(0, set_time(fd, SO_SNDTIMEO, SECONDS(2)));
		asked = nodes_counter(&self->nodes, 1, "requests_out");
		start = now_ms();
		ASSERT_GT(end, start);
		ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
		took = now_ms() - start;
		ASSERT_LE(1990, took);
		close(fd);
		ASSERT_LT(asked,
			  nodes_counter(&self->nodes, 1, "requests_out"));
	} while (took >= 2900);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

TEST_F(inet, wait__signal_leaves_the_connect_going)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	/* within the time that PRP has alone */
	const struct itimerval soon = { .it_value.tv_usec = 10000,
					.it_interval.tv_usec = 10000 };
	const struct itimerval never = {};
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, SILENT, 0);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	ASSERT_ERRNO(EINTR, ip_connect(fd, SILENT, PORT));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	ASSERT_EQ(POLLOUT, wait_events(fd, POLLOUT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
	ASSERT_EQ(0, ip_connect(fd, SILENT, PORT));
}

TEST_F(inet, wait__close_while_connecting)
{
	int fd = ip_socket(&self->nodes, 1, SILENT, SOCK_NONBLOCK);

	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
	ASSERT_EQ(0, close(fd));
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
	/* with the fall-back under way */
	for (int i = 0; i < 20; i++) {
		fd = ip_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
		ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
		ASSERT_EQ(0, close(fd));
	}
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(inet, wait__shutdown_while_connecting)
{
	int fd = ip_socket(&self->nodes, 1, SILENT, SOCK_NONBLOCK);

	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
	ASSERT_EQ(0, shutdown(fd, SHUT_RDWR));
	ASSERT_EQ(POLLHUP, wait_events(fd, POLLIN) & POLLHUP);
	ASSERT_EQ(0, nodes_counter(&self->nodes, 1, "ip_tcp_silent"));
	/* as TCP's, it may connect again at once */
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
}

TEST_F(inet, wait__disconnect_while_connecting)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, SILENT, SOCK_NONBLOCK);
	struct sockaddr nobody = { .sa_family = AF_UNSPEC };

	ASSERT_LE(0, listener);
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
	ASSERT_EQ(0, connect(fd, &nobody, sizeof(nobody)));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, 0));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(fd));
}

TEST_F(inet, accept__children_of_both)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int prp = ip_client(&self->nodes, KNOWN, PORT), server[2];
	int tcp = ip_client(&self->nodes, UNKNOWN, PORT);

	for (int i = 0; i < 2; i++) {
		struct sockaddr_in6 at = {};
		socklen_t len = sizeof(at);
		char *name;

		ASSERT_EQ(POLLIN, wait_events(listener, POLLIN));
		server[i] = accept4(listener, SA(at), &len, SOCK_NONBLOCK);
		ASSERT_LE(0, server[i]);
		ASSERT_EQ(sizeof(struct sockaddr_in), len);
		name = strdupa(ip_text(&at));
		ASSERT_STREQ(name, peer_of(server[i]));
		ASSERT_NE(0, fcntl(server[i], F_GETFL) & O_NONBLOCK);
		ASSERT_EQ(0, fcntl(server[i], F_SETFL, 0));
	}
	ASSERT_EQ(0, events_now(listener));
	ASSERT_NE(path_of(server[0]), path_of(server[1]));
	if (path_of(server[0]) == PRP_PATH_PRP) {
		ASSERT_TRUE(talk(prp, server[0]));
		ASSERT_TRUE(talk(tcp, server[1]));
	} else {
		ASSERT_TRUE(talk(prp, server[1]));
		ASSERT_TRUE(talk(tcp, server[0]));
	}
	ASSERT_EQ(0, fcntl(listener, F_SETFL, O_NONBLOCK));
	ASSERT_ERRNO(EAGAIN, accept(listener, NULL, NULL));
}

TEST_F(inet, accept__sleeper_is_woken_by_either)
{
	static const char *const to[] = { KNOWN, UNKNOWN, SILENT };
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);

	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			/* the parent sleeps in accept() by then */
			poll(NULL, 0, 100);
			_exit(ip_client(&self->nodes, to[i], PORT) < 0);
		}
		ASSERT_LE(0, accept(listener, NULL, NULL));
		ASSERT_EQ(child, waitpid(child, NULL, 0));
	}
}

TEST_F(inet, accept__time_limit_and_shutdown)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	long start = now_ms();
	pid_t child;

	ASSERT_EQ(0, set_time(listener, SO_RCVTIMEO,
			      (struct timeval){ .tv_usec = 200000 }));
	ASSERT_ERRNO(EAGAIN, accept(listener, NULL, NULL));
	ASSERT_LE(190, now_ms() - start);
	ASSERT_EQ(0, set_time(listener, SO_RCVTIMEO, SECONDS(10)));
	child = fork();
	if (!child) {
		poll(NULL, 0, 100);
		_exit(shutdown(listener, SHUT_RD));
	}
	ASSERT_ERRNO(EINVAL, accept(listener, NULL, NULL));
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(-1, ip_client(&self->nodes, KNOWN, PORT));
	ASSERT_EQ(ECONNREFUSED, errno);
	ASSERT_EQ(0, listen(listener, 1));
	ASSERT_EQ(PRP_PATH_PRP, path_of(ip_client(&self->nodes, KNOWN, PORT)));
}

TEST_F(inet, accept__close_with_children_of_both)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int prp = ip_client(&self->nodes, KNOWN, PORT);
	int tcp = ip_client(&self->nodes, UNKNOWN, PORT);
	char in;

	ASSERT_EQ(POLLIN, wait_events(listener, POLLIN));
	close(listener);
	ASSERT_ERRNO(ECONNRESET, recv(prp, &in, 1, 0));
	ASSERT_ERRNO(ECONNRESET, recv(tcp, &in, 1, 0));
	close(prp);
	close(tcp);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(inet, accept__restarted_server)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT), server;
	int client = ip_client(&self->nodes, KNOWN, PORT);
	int again = ip_socket(&self->nodes, 2, KNOWN, 0);

	server = accept(listener, NULL, NULL);
	close(listener);
	ASSERT_EQ(0, set_int(again, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(again, ip_listen_on(again, "0.0.0.0", PORT, 1));
	ASSERT_TRUE(talk(client, server));
	ASSERT_LE(0, ip_client(&self->nodes, KNOWN, PORT));
}

TEST_F(inet, option__device_is_tcps)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "p0", 3));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "ip_tcp_option"));
}

/* What TCP refuses has no effect on who carries the connection. */
TEST_F(inet, option__that_failed_leaves_nothing_behind)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, KNOWN, 0), two = 2;

	ASSERT_LE(0, listener);
	ASSERT_EQ(-1, setsockopt(fd, IPPROTO_TCP, TCP_ULP, "mptcp", 5));
	ASSERT_EQ(-1, setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &two, 1));
	ASSERT_ERRNO(EINVAL, setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &two, 1));
	ASSERT_EQ(-1, setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &two, 1));
	ASSERT_EQ(0, set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1));
	ASSERT_EQ(0, set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 0));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(fd));
}

/* Also where accept() returned it: it has PRP, and there is one. */
TEST_F(inet, option__upper_layer_protocol_is_there)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_client(&self->nodes, KNOWN, PORT);
	int server = accept(listener, NULL, NULL);

	ASSERT_EQ(PRP_PATH_PRP, path_of(server));
	ASSERT_ERRNO(EEXIST, setsockopt(fd, IPPROTO_TCP, TCP_ULP, PRP_ULP, 3));
	ASSERT_ERRNO(EEXIST,
		     setsockopt(server, IPPROTO_TCP, TCP_ULP, PRP_ULP, 3));
	ASSERT_ERRNO(EEXIST,
		     setsockopt(server, IPPROTO_TCP, TCP_ULP, "tls", 3));
	ASSERT_TRUE(talk(fd, server));
}

TEST_F(inet, option__fast_open_is_tcps)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = ip_socket(&self->nodes, 1, KNOWN, 0);
	struct sockaddr_in6 at = ip_at(KNOWN, PORT);
	char in[2];

	ASSERT_EQ(2, sendto(fd, "hi", 2, MSG_FASTOPEN, SA(at), ip_len(KNOWN)));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
	ASSERT_TRUE(recv_all(accept(listener, NULL, NULL), in, 2));

	fd = ip_socket(&self->nodes, 1, KNOWN, 0);
	ASSERT_EQ(0, set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));

	fd = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_ERRNO(EOPNOTSUPP, send(fd, "hi", 2, MSG_FASTOPEN));
	ASSERT_ERRNO(EOPNOTSUPP,
		     set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1));
}

TEST_F(way, option__are_kept)
{
	static const int options[] = {
		TCP_NODELAY, TCP_CORK,	 TCP_USER_TIMEOUT, TCP_KEEPIDLE,
		TCP_KEEPCNT, TCP_SYNCNT, TCP_DEFER_ACCEPT,
	};
	int ends[] = { self->client, self->server };

	for (int end = 0; end < 2; end++) {
		for (int i = 0; i < ARRAY_SIZE(options); i++) {
			ASSERT_EQ(0, set_int(ends[end], IPPROTO_TCP, options[i],
					     1));
			ASSERT_EQ(1,
				  get_int(ends[end], IPPROTO_TCP, options[i]))
			{
				TH_LOG("option %d", options[i]);
			}
		}
		ASSERT_EQ(0, set_int(ends[end], IPPROTO_IP, IP_TOS, 0x10));
		ASSERT_EQ(0x10, get_int(ends[end], IPPROTO_IP, IP_TOS));
		ASSERT_EQ(0, set_int(ends[end], SOL_SOCKET, SO_KEEPALIVE, 1));
		ASSERT_EQ(1, get_int(ends[end], SOL_SOCKET, SO_KEEPALIVE));
		ASSERT_EQ(0, setsockopt(ends[end], IPPROTO_TCP, TCP_CONGESTION,
					"reno", 4));
		ASSERT_LT(500, get_int(ends[end], IPPROTO_TCP, TCP_MAXSEG));
		ASSERT_ERRNO(EINVAL, setsockopt(ends[end], IPPROTO_TCP,
						TCP_NODELAY, &end, 1));
		ASSERT_ERRNO(ENOPROTOOPT,
			     set_int(ends[end], IPPROTO_TCP, 9999, 1));
	}
}

TEST_F(way, option__tcp_info)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);
	char data[5000] = "";

	ASSERT_TRUE(send_all(self->client, data, sizeof(data)));
	ASSERT_TRUE(recv_all(self->server, data, sizeof(data)));
	ASSERT_TRUE(talk(self->server, self->client));
	ASSERT_EQ(0,
		  getsockopt(self->client, IPPROTO_TCP, TCP_INFO, &info, &len));
	ASSERT_EQ(1, info.tcpi_state);
	ASSERT_LT(1000, info.tcpi_snd_mss);
	ASSERT_LT(0, info.tcpi_rtt);
	ASSERT_LT(0, info.tcpi_snd_cwnd);
	len = sizeof(info);
	ASSERT_EQ(0,
		  getsockopt(self->server, IPPROTO_TCP, TCP_INFO, &info, &len));
	ASSERT_EQ(1, info.tcpi_state);
	len = 4;
	ASSERT_EQ(0,
		  getsockopt(self->server, IPPROTO_TCP, TCP_INFO, &info, &len));
	ASSERT_EQ(4, len);
}

static unsigned int segments_out(int fd)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len);
	return info.tcpi_data_segs_out;
}

TEST_F(way, option__cork_holds_and_lets_go)
{
	int together = 0;
	char in[2];

	ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_NODELAY, 1));
	/* PRP holds it for 2 ms only: a slow machine needs several tries */
	for (int i = 0; i < 50 && !together; i++) {
		unsigned int before = segments_out(self->client);

		ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_CORK, 1));
		ASSERT_EQ(1, send(self->client, "a", 1, 0));
		ASSERT_EQ(1, send(self->client, "b", 1, 0));
		ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_CORK, 0));
		ASSERT_TRUE(recv_all(self->server, in, 2));
		ASSERT_EQ(0, memcmp("ab", in, 2));
		together = segments_out(self->client) == before + 1;
	}
	ASSERT_EQ(1, together);
}

TEST_F(way, option__receive_time_limit)
{
	long start = now_ms();
	char in;

	ASSERT_EQ(0, set_time(self->client, SO_RCVTIMEO,
			      (struct timeval){ .tv_usec = 200000 }));
	ASSERT_ERRNO(EAGAIN, recv(self->client, &in, 1, 0));
	ASSERT_LE(190, now_ms() - start);
}

/* It ends also what a peer does not read who answers. */
TEST_F(way, option__user_timeout_of_what_is_not_read)
{
	static char data[65536];
	long start, end = now_ms() + LIMIT_MS;
	ssize_t n = 0;

	ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_USER_TIMEOUT, 500));
	start = now_ms();
	while (n >= 0 || errno == EAGAIN) {
		ASSERT_GT(end, now_ms());
		n = send(self->client, data, sizeof(data), MSG_DONTWAIT);
		if (n < 0)
			usleep(1000);
	}
	ASSERT_EQ(ETIMEDOUT, errno);
	ASSERT_LE(start + 490, now_ms());
}

static long longer(long ms, long since)
{
	long now = now_ms() - since;

	return now > ms ? now : ms;
}

/* Fills one end and reads slowly from the other. Return: -1 if the connection
 * still stands then, else how long it was from one read to the next at most.
 */
static long read_slowly(int client, int server)
{
	long last = now_ms(), longest = 0;
	static char data[65536];
	ssize_t got;

	for (int i = 0; i < 12; i++) {
		while (send(client, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
		if (errno != EAGAIN)
			return longer(longest, last);
		usleep(SLOWLY_MS * 1000);
		do {
			got = recv(server, data, sizeof(data), 0);
			longest = longer(longest, last);
			last = now_ms();
			if (got <= 0)
				return longest;
		} while (!(events_now(client) & POLLOUT));
	}
	return -1;
}

/* It ends nothing of one who reads, however slowly. A busy machine may be
 * slower than that, but not each time.
 */
TEST_F(way, option__user_timeout_of_what_is_read_slowly)
{
	long end = now_ms() + LIMIT_MS, longest;

	ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_USER_TIMEOUT,
			     SLOWLY_MS * 4));
	while ((longest = read_slowly(self->client, self->server)) >= 0) {
		ASSERT_LE(SLOWLY_MS * 4, longest);
		ASSERT_GT(end, now_ms());
		close(self->client);
		close(self->server);
		self->client = ip_client(&self->nodes, variant->to, PORT);
		self->server = accept(self->listener, NULL, NULL);
		ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP,
				     TCP_USER_TIMEOUT, SLOWLY_MS * 4));
	}
}

TEST_F(way, option__timestamp)
{
	char in, control[128];
	struct iovec iov = { &in, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	long end = now_ms() + LIMIT_MS;

	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_TIMESTAMPNS, 1));
	do { /* times are noted soon afterwards */
		ASSERT_GT(end, now_ms());
		ASSERT_EQ(1, send(self->client, "x", 1, 0));
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		ASSERT_EQ(1, recvmsg(self->server, &msg, 0));
	} while (!CMSG_FIRSTHDR(&msg));
	ASSERT_EQ(SO_TIMESTAMPNS, CMSG_FIRSTHDR(&msg)->cmsg_type);
}

TEST_F(way, option__receive_low_water)
{
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_RCVLOWAT, 3));
	ASSERT_EQ(2, send(self->server, "ab", 2, 0));
	/* an answer tells that they are there */
	ASSERT_EQ(1, send(self->client, "?", 1, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(0, events_now(self->client) & POLLIN);
	ASSERT_EQ(1, send(self->server, "c", 1, 0));
	ASSERT_EQ(POLLIN, wait_events(self->client, POLLIN));
}

#define BYTES (3 * 1024 * 1024 + 77)

static uint64_t fnv(uint64_t hash, const unsigned char *at, size_t len)
{
	while (len--)
		hash = (hash ^ *at++) * 1099511628211ULL;
	return hash;
}

/* A file in memory with bytes that do not repeat; its hash */
static int make_file(uint64_t *hash)
{
	int file = memfd_create("data", 0);
	uint64_t state = 88172645463325252ULL;
	unsigned char *at;

	if (ftruncate(file, BYTES))
		return -1;
	at = mmap(NULL, BYTES, PROT_WRITE, MAP_SHARED, file, 0);
	for (size_t i = 0; i < BYTES; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		at[i] = state;
	}
	*hash = fnv(0, at, BYTES);
	munmap(at, BYTES);
	return file;
}

TEST_F(way, data__sendfile)
{
	static unsigned char data[65536];
	uint64_t expected, hash = 0;
	size_t total = 0;
	ssize_t got;
	pid_t child;
	int file;

	file = make_file(&expected);
	child = fork();
	if (!child) {
		for (off_t at = 0; at < BYTES;)
			if (sendfile(self->client, file, &at, BYTES) <= 0)
				_exit(1);
		shutdown(self->client, SHUT_WR);
		_exit(0);
	}
	while ((got = recv(self->server, data, sizeof(data), 0)) > 0) {
		hash = fnv(hash, data, got);
		total += got;
	}
	ASSERT_EQ(0, got);
	ASSERT_EQ(BYTES, total);
	ASSERT_EQ(expected, hash);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
}

/* The kernel promises more until it finds the end of the file. */
TEST_F(way, data__sendfile_beyond_the_end)
{
	long start = now_ms();
	char in[10];
	int file;

	file = memfd_create("short", 0);
	ASSERT_EQ(10, write(file, "0123456789", 10));
	for (int i = 0; i < 10; i++) {
		off_t at = 0;

		ASSERT_EQ(10, sendfile(self->client, file, &at, 1000));
		ASSERT_TRUE(recv_all(self->server, in, 10));
		ASSERT_EQ(0, memcmp("0123456789", in, 10));
	}
	/* TCP waits for 200 ms each time for what was promised */
	ASSERT_GT(1500 * slow(), now_ms() - start);
	close(file);
}

/* TCP_CORK holds it back all the same. */
TEST_F(way, data__sendfile_beyond_the_end_when_corked)
{
	int together = 0, file;
	char in[6];

	file = memfd_create("short", 0);
	ASSERT_EQ(3, write(file, "abc", 3));
	/* PRP holds it for 2 ms only: a slow machine needs several tries */
	for (int i = 0; i < 50 && !together; i++) {
		unsigned int before = segments_out(self->client);
		off_t at = 0;

		ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_CORK, 1));
		ASSERT_EQ(3, sendfile(self->client, file, &at, 1000));
		ASSERT_EQ(3, send(self->client, "def", 3, 0));
		ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_CORK, 0));
		ASSERT_TRUE(recv_all(self->server, in, 6));
		ASSERT_EQ(0, memcmp("abcdef", in, 6));
		together = segments_out(self->client) == before + 1;
	}
	ASSERT_EQ(1, together);
	close(file);
}

TEST_F(way, data__splice_both_ways)
{
	int in[2], out[2];
	char got[6] = "";

	ASSERT_EQ(0, pipe(in));
	ASSERT_EQ(0, pipe(out));
	ASSERT_EQ(6, write(in[1], "secret", 6));
	ASSERT_EQ(6, splice(in[0], NULL, self->client, NULL, 6, 0));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(6, splice(self->server, NULL, out[1], NULL, 6, 0));
	ASSERT_EQ(6, read(out[0], got, 6));
	ASSERT_EQ(0, memcmp("secret", got, 6));
	ASSERT_EQ(0, fcntl(self->server, F_SETFL, O_NONBLOCK));
	ASSERT_ERRNO(EAGAIN, splice(self->server, NULL, out[1], NULL, 6, 0));
}

TEST_F(way, end__half_close)
{
	char in[2];

	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(0, recv(self->server, in, 1, 0));
	ASSERT_ERRNO(EPIPE, send(self->client, "x", 1, MSG_NOSIGNAL));
	ASSERT_TRUE(send_all(self->server, "ok", 2));
	ASSERT_TRUE(recv_all(self->client, in, 2));
	ASSERT_EQ(0, shutdown(self->server, SHUT_WR));
	ASSERT_EQ(0, recv(self->client, in, 1, 0));
	ASSERT_EQ(POLLHUP, wait_events(self->client, POLLIN) & POLLHUP);
}

TEST_F(way, end__reset_is_told_once)
{
	struct linger linger = { .l_onoff = 1 };
	char in;

	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_LINGER, &linger,
				sizeof(linger)));
	close(self->server);
	ASSERT_EQ(POLLERR, wait_events(self->client, POLLIN) & POLLERR);
	ASSERT_EQ(POLLERR, events_now(self->client) & POLLERR);
	ASSERT_ERRNO(ECONNRESET, recv(self->client, &in, 1, 0));
	ASSERT_EQ(0, recv(self->client, &in, 1, 0));
	ASSERT_EQ(0, events_now(self->client) & POLLERR);
}

TEST_F(way, end__reset_is_told_by_so_error)
{
	struct linger linger = { .l_onoff = 1 };

	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_LINGER, &linger,
				sizeof(linger)));
	close(self->client);
	ASSERT_EQ(POLLERR, wait_events(self->server, POLLIN) & POLLERR);
	ASSERT_EQ(ECONNRESET, sock_error(self->server));
}

static int disconnect(int fd)
{
	struct sockaddr nobody = { .sa_family = AF_UNSPEC };

	return connect(fd, &nobody, sizeof(nobody));
}

TEST_F(way, end__disconnect_and_connect_again)
{
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);
	char in;

	ASSERT_TRUE(talk(self->client, self->server));
	ASSERT_EQ(0, disconnect(self->client));
	ASSERT_ERRNO(ECONNRESET, recv(self->server, &in, 1, 0));
	ASSERT_ERRNO(ENOTCONN, getpeername(self->client, SA(at), &len));
	ASSERT_EQ(POLLHUP, events_now(self->client) & POLLHUP);
	ASSERT_EQ(0, ip_connect(self->client, variant->to, PORT));
	ASSERT_EQ(variant->path, path_of(self->client));
	close(self->server);
	self->server = accept(self->listener, NULL, NULL);
	ASSERT_TRUE(talk(self->client, self->server));
	/* twice is once */
	ASSERT_EQ(0, disconnect(self->client));
	ASSERT_EQ(0, disconnect(self->client));
}

/* What was not read is gone, and is not the next connection's. */
TEST_F(way, end__disconnect_forgets_what_was_unread)
{
	int unread;

	ASSERT_EQ(5, send(self->server, "stale", 5, 0));
	ASSERT_EQ(POLLIN, wait_events(self->client, POLLIN) & POLLIN);
	ASSERT_EQ(0, disconnect(self->client));
	ASSERT_EQ(0, ip_connect(self->client, variant->to, PORT));
	ASSERT_EQ(0, ioctl(self->client, FIONREAD, &unread));
	ASSERT_EQ(0, unread);
	close(self->server);
	self->server = accept(self->listener, NULL, NULL);
	ASSERT_TRUE(talk(self->client, self->server));
}

/* A child of PRP's has no TCP: security modules were not asked for it. */
TEST_F(way, end__accepted_socket_disconnects)
{
	int other = ip_listen(&self->nodes, "0.0.0.0", PORT + 1);
	int server;

	ASSERT_EQ(0, disconnect(self->server));
	ASSERT_EQ(POLLIN, wait_events(self->client, POLLIN) & POLLIN);
	if (variant->path == PRP_PATH_PRP) {
		ASSERT_EQ(0, disconnect(self->server));
		ASSERT_ERRNO(EOPNOTSUPP,
			     ip_connect(self->server, KNOWN, PORT + 1));
		ASSERT_ERRNO(EOPNOTSUPP,
			     ip_connect(self->server, UNKNOWN, PORT + 1));
		ASSERT_ERRNO(EINVAL, ip_bind(self->server, KNOWN, PORT + 2));
		ASSERT_ERRNO(EINVAL, listen(self->server, 1));
		ASSERT_EQ(ECONNRESET, sock_error(self->server));
		ASSERT_ERRNO(ENOTCONN, recv(self->server, &server, 1, 0));
		ASSERT_EQ(0, events_now(other));
	} else {
		ASSERT_EQ(0, ip_connect(self->server, KNOWN, PORT + 1));
		server = accept(other, NULL, NULL);
		ASSERT_TRUE(talk(self->server, server));
		close(server);
	}
	close(other);
}

TEST_F(way, end__listener_disconnects)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT + 1);
	int client = ip_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, disconnect(listener));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(client, variant->to, PORT + 1));
	ASSERT_EQ(0, listen(listener, 1));
	ASSERT_EQ(0, ip_connect(client, variant->to, PORT + 1));
	ASSERT_EQ(variant->path, path_of(client));
	close(client);
	close(accept(listener, NULL, NULL));
	close(listener);
}

/* What was set while TCP carried one counts for the next one over PRP. */
TEST_F(way, option__set_before_a_disconnect)
{
	ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_NODELAY, 1));
	ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_KEEPIDLE, 77));
	ASSERT_EQ(0, set_int(self->client, IPPROTO_TCP, TCP_INQ, 1));
	ASSERT_EQ(0, disconnect(self->client));
	ASSERT_EQ(0, ip_connect(self->client, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(self->client));
	ASSERT_EQ(1, get_int(self->client, IPPROTO_TCP, TCP_NODELAY));
	ASSERT_EQ(77, get_int(self->client, IPPROTO_TCP, TCP_KEEPIDLE));
	ASSERT_EQ(1, get_int(self->client, IPPROTO_TCP, TCP_INQ));
}

/* Send a byte that says when it is to leave. */
static ssize_t send_at(int fd, uint64_t when)
{
	return send_beside(fd, SCM_TXTIME, &when, sizeof(when));
}

/* Whether it may is by the socket that the program has set it on. */
TEST_F(inet, option__time_to_leave)
{
	struct sock_txtime txtime = { .clockid = CLOCK_MONOTONIC };
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT), tcp;

	for (tcp = 0; tcp < 2; tcp++) {
		int client =
			ip_client(&self->nodes, tcp ? UNKNOWN : KNOWN, PORT);

		ASSERT_EQ(tcp ? PRP_PATH_TCP : PRP_PATH_PRP, path_of(client));
		ASSERT_ERRNO(EINVAL, send_at(client, 1));
		ASSERT_EQ(0, setsockopt(client, SOL_SOCKET, SO_TXTIME, &txtime,
					sizeof(txtime)));
		ASSERT_EQ(1, send_at(client, 1));
		close(client);
	}
	close(listener);
}

/* One that only TCP honours, too */
TEST_F(inet, option__signature_set_before_a_disconnect)
{
	struct tcp_md5sig md5 = { .tcpm_keylen = 1, .tcpm_key = "k" };
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_client(&self->nodes, UNKNOWN, PORT);
	struct sockaddr_in6 other = ip_at("10.99.0.1", 0);

	ASSERT_LE(0, listener);
	memcpy(&md5.tcpm_addr, &other, sizeof(struct sockaddr_in));
	ASSERT_EQ(0, setsockopt(client, IPPROTO_TCP, TCP_MD5SIG, &md5,
				sizeof(md5)));
	ASSERT_EQ(0, disconnect(client));
	ASSERT_EQ(0, ip_connect(client, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
}

static void *sleeper(void *arg)
{
	int fd = *(int *)arg;
	char in;

	while (recv(fd, &in, 1, 0) > 0)
		;
	return (void *)(long)errno;
}

static void *filler(void *arg)
{
	static char zeros[65536];
	int fd = *(int *)arg;

	while (send(fd, zeros, sizeof(zeros), 0) > 0)
		;
	return (void *)(long)errno;
}

/* One reads, one writes; and they go on with nothing that is not theirs. */
TEST_F(way, end__disconnect_wakes_who_sleeps)
{
	pthread_t reader, writer;
	void *reads, *writes;

	ASSERT_EQ(0, pthread_create(&reader, NULL, sleeper, &self->client));
	ASSERT_EQ(0, pthread_create(&writer, NULL, filler, &self->client));
	while (events_now(self->client) & POLLOUT)
		;
	ASSERT_EQ(0, disconnect(self->client));
	ASSERT_EQ(0, pthread_join(reader, &reads));
	ASSERT_EQ(0, pthread_join(writer, &writes));
	ASSERT_EQ(0, ip_connect(self->client, variant->to, PORT));
	close(self->server);
	self->server = accept(self->listener, NULL, NULL);
	ASSERT_TRUE(talk(self->client, self->server));
}

TEST_F(way, share__child_process_goes_on)
{
	int pipes[2];
	pid_t child;
	char in[8];

	ASSERT_EQ(0, pipe(pipes));
	child = fork();
	if (!child) {
		dup2(self->client, 1);
		execlp("echo", "echo", "-n", "echoed", NULL);
		_exit(1);
	}
	close(self->client);
	ASSERT_TRUE(recv_all(self->server, in, 6));
	ASSERT_EQ(0, memcmp("echoed", in, 6));
	ASSERT_EQ(0, recv(self->server, in, 1, 0));
	ASSERT_EQ(child, waitpid(child, NULL, 0));
}

TEST_F(way, share__descriptor_is_passed)
{
	int pair[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	ASSERT_TRUE(fd_pass(pair[0], self->client));
	close(self->client);
	self->client = fd_take(pair[1]);
	ASSERT_TRUE(talk(self->client, self->server));
	ASSERT_EQ(variant->path, path_of(self->client));
}

TEST_HARNESS_MAIN
