// SPDX-License-Identifier: GPL-2.0
/*
 * PRP_REQUIRE: what PRP does not carry fails, with an errno that says why, and
 * never is TCP's.
 */
#include "inet.h"

#define SHORT_MS 1500 /* longer than PRP is tried where TCP may go on */

static int set_require(int fd, uint32_t on)
{
	return setsockopt(fd, SOL_PRP, PRP_REQUIRE, &on, sizeof(on));
}

static int get_require(int fd)
{
	uint32_t on = -1;
	socklen_t len = sizeof(on);

	return getsockopt(fd, SOL_PRP, PRP_REQUIRE, &on, &len) ? -1 : (int)on;
}

/* Socket of the IP mode on that node, which must have PRP */
static int strict_socket(const struct nodes *nodes, int nr, const char *like,
			 int type_flags)
{
	int fd = ip_socket(nodes, nr, like, type_flags);

	return set_require(fd, 1) ? -1 : fd;
}

/* TCP's own listener at all addresses of node 2 */
static int tcp_listener(const struct nodes *nodes)
{
	return ip_listen_on(tcp_socket(nodes, 2, KNOWN), "0.0.0.0", PORT, 5);
}

static bool nobody_came(int listener)
{
	return !(events_now(listener) & POLLIN);
}

TEST_F(inet, require__known_peer_is_reached)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = strict_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(PRP_PATH_PRP, path_of(fd));
	ASSERT_TRUE(talk(fd, accept(listener, NULL, NULL)));
}

TEST_F(inet, require__unknown_peer_is_not_reached)
{
	int listener = tcp_listener(&self->nodes);
	int fd = strict_socket(&self->nodes, 1, KNOWN, 0);
	int fd6 = strict_socket(&self->nodes, 1, KNOWN6, SOCK_NONBLOCK);

	ASSERT_ERRNO(EHOSTUNREACH, ip_connect(fd, UNKNOWN, PORT));
	ASSERT_ERRNO(EHOSTUNREACH, ip_connect(fd, UNKNOWN, PORT));
	ASSERT_ERRNO(EHOSTUNREACH, ip_connect(fd6, UNKNOWN6, PORT));
	ASSERT_ERRNO(EHOSTUNREACH, ip_connect(fd6, "fe80::2", PORT));
	ASSERT_EQ(PRP_PATH_NONE, path_of(fd));
	ASSERT_EQ(0, nodes_counter(&self->nodes, 1, "ip_tcp_unknown"));
	ASSERT_TRUE(nobody_came(listener));
	ASSERT_EQ(0, set_require(fd, 0));
	ASSERT_EQ(0, ip_connect(fd, UNKNOWN, PORT));
}

/* A server of TCP is nobody. */
TEST_F(inet, require__nobody_listens)
{
	int listener = tcp_listener(&self->nodes);
	int fd = strict_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(0, sock_error(fd));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, PORT));
	ASSERT_TRUE(nobody_came(listener));
	close(listener);
	listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	ASSERT_EQ(0, ip_connect(fd, KNOWN, PORT));
	ASSERT_TRUE(talk(fd, accept(listener, NULL, NULL)));
}

TEST_F(inet, require__is_told_who_does_not_wait)
{
	int listener = tcp_listener(&self->nodes);
	int fd = strict_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	int last;

	ASSERT_EQ(0, nodes_delay(&self->nodes, 20));
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(POLLERR | POLLHUP,
		  wait_events(fd, POLLOUT) & (POLLERR | POLLHUP));
	ASSERT_EQ(ECONNREFUSED, sock_error(fd));
	ASSERT_EQ(0, sock_error(fd));
	ASSERT_ERRNO(EPIPE, send(fd, "x", 1, MSG_NOSIGNAL));
	ASSERT_TRUE(nobody_came(listener));
	close(listener);
	last = ip_listen(&self->nodes, "0.0.0.0", PORT);
	ASSERT_ERRNO(ECONNABORTED, ip_connect(fd, KNOWN, PORT));
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, KNOWN, PORT));
	ASSERT_EQ(POLLOUT, wait_events(fd, POLLOUT));
	ASSERT_EQ(0, sock_error(fd));
	ASSERT_EQ(PRP_PATH_PRP, path_of(fd));
	ASSERT_LE(0, accept(last, NULL, NULL));
}

TEST_F(inet, require__accept_list_refuses)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int fd = strict_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_EQ(0, nodes_access(&self->nodes, 2, "4000", "3"));
	ASSERT_ERRNO(EACCES, ip_connect(fd, KNOWN, PORT));
	ASSERT_TRUE(nobody_came(listener));
}

/* As long as a native socket would, and TCP does not try meanwhile. */
TEST_F(inet, require__silent_node_is_waited_for)
{
	int listener = tcp_listener(&self->nodes);
	uint32_t ms = SHORT_MS;
	long start = now_ms();
	int fd = strict_socket(&self->nodes, 1, KNOWN, 0);

	ASSERT_EQ(0,
		  setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms)));
	ASSERT_ERRNO(ETIMEDOUT, ip_connect(fd, SILENT, PORT));
	ASSERT_LE(SHORT_MS, now_ms() - start);
	ASSERT_TRUE(nobody_came(listener));
	/* nor is it asked less for what another socket has found */
	ASSERT_LE(0, ip_client(&self->nodes, SILENT, PORT));
	fd = strict_socket(&self->nodes, 1, KNOWN, SOCK_NONBLOCK);
	ASSERT_ERRNO(EINPROGRESS, ip_connect(fd, SILENT, PORT));
	ASSERT_EQ(3, nodes_counter(&self->nodes, 1, "requests_out"));
}

TEST_F(inet, require__what_only_tcp_has)
{
	int listener = tcp_listener(&self->nodes);
	int fd = strict_socket(&self->nodes, 1, KNOWN, 0);
	struct sockaddr_in6 to = ip_at(KNOWN, PORT);

	ASSERT_ERRNO(EOPNOTSUPP,
		     sendto(fd, "x", 1, MSG_FASTOPEN, SA(to), ip_len(KNOWN)));
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "p0", 3));
	ASSERT_ERRNO(EOPNOTSUPP, ip_connect(fd, KNOWN, PORT));
	fd = strict_socket(&self->nodes, 1, KNOWN, 0);
	ASSERT_EQ(0, ip_bind(fd, "10.81.0.1", 0));
	ASSERT_ERRNO(EADDRNOTAVAIL, ip_connect(fd, KNOWN, PORT));
	ASSERT_TRUE(nobody_came(listener));
}

/* A program may talk to itself there. */
TEST_F(inet, require__loopback_is_tcps)
{
	int listener = tcp_listener(&self->nodes);
	int fd = strict_socket(&self->nodes, 2, KNOWN, 0);
	int fd6 = strict_socket(&self->nodes, 2, KNOWN6, 0);

	ASSERT_EQ(0, ip_connect(fd, "127.0.0.1", PORT));
	ASSERT_EQ(PRP_PATH_TCP, path_of(fd));
	ASSERT_TRUE(talk(fd, accept(listener, NULL, NULL)));
	ASSERT_EQ(0, ip_connect(fd6, "::ffff:127.0.0.1", PORT));
	fd6 = strict_socket(&self->nodes, 2, KNOWN6, 0);
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd6, "::1", PORT));
}

TEST_F(inet, require__clients_of_tcp_are_reset)
{
	int listener = strict_socket(&self->nodes, 2, KNOWN, SOCK_NONBLOCK);
	int tcp = tcp_socket(&self->nodes, 1, KNOWN), fd, server;
	char in;

	ASSERT_EQ(listener, ip_listen_on(listener, "0.0.0.0", PORT, 5));
	ASSERT_EQ(0, ip_connect(tcp, KNOWN, PORT));
	fd = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_LE(0, fd);
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_EQ(PRP_PATH_PRP, path_of(server));
	ASSERT_EQ(1, get_require(server));
	ASSERT_TRUE(talk(fd, server));
	ASSERT_ERRNO(EAGAIN, accept(listener, NULL, NULL));
	ASSERT_ERRNO(ECONNRESET, recv(tcp, &in, 1, 0));
	ASSERT_EQ(0, nodes_counter(&self->nodes, 2, "ip_tcp_in"));
}

/* Who waits for poll() before a blocking accept() must not wait there. */
TEST_F(inet, require__poll_does_not_promise_what_is_reset)
{
	int listener = strict_socket(&self->nodes, 2, KNOWN, 0);
	int tcp = tcp_socket(&self->nodes, 1, KNOWN), other, fd;
	struct pollfd wanted = { .fd = listener, .events = POLLIN };
	char in;

	ASSERT_EQ(listener, ip_listen_on(listener, "0.0.0.0", PORT, 5));
	ASSERT_EQ(0, ip_connect(tcp, KNOWN, PORT));
	ASSERT_EQ(0, poll(&wanted, 1, 500));
	ASSERT_ERRNO(ECONNRESET, recv(tcp, &in, 1, MSG_DONTWAIT));
	/* one that is wanted is seen behind others, and they are reset */
	tcp = tcp_socket(&self->nodes, 1, KNOWN);
	other = tcp_socket(&self->nodes, 1, KNOWN);
	fd = tcp_socket(&self->nodes, 2, KNOWN);
	ASSERT_EQ(0, ip_connect(tcp, KNOWN, PORT));
	ASSERT_EQ(0, ip_connect(fd, "127.0.0.1", PORT));
	ASSERT_EQ(0, ip_connect(other, KNOWN, PORT));
	ASSERT_EQ(1, poll(&wanted, 1, PATIENCE_MS));
	ASSERT_ERRNO(ECONNRESET, recv(tcp, &in, 1, 0));
	ASSERT_TRUE(talk(fd, accept(listener, NULL, NULL)));
	ASSERT_EQ(0, poll(&wanted, 1, 100));
	ASSERT_ERRNO(ECONNRESET, recv(other, &in, 1, 0));
	fd = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_EQ(1, poll(&wanted, 1, PATIENCE_MS));
	ASSERT_TRUE(talk(fd, accept(listener, NULL, NULL)));
}

/* Nobody but the own machine would get there, and TCP not be told why. */
TEST_F(inet, require__listener_of_a_device_is_told)
{
	int fd = strict_socket(&self->nodes, 2, KNOWN, 0);
	int own = strict_socket(&self->nodes, 2, KNOWN, 0);

	ASSERT_EQ(0, ip_bind(fd, "0.0.0.0", PORT));
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "p0", 3));
	ASSERT_ERRNO(EOPNOTSUPP, listen(fd, 5));
	ASSERT_EQ(PRP_WHY_OPTION, why_of(fd).prpw_reason);
	ASSERT_EQ(SOL_SOCKET, why_of(fd).prpw_level);
	ASSERT_EQ(SO_BINDTODEVICE, why_of(fd).prpw_name);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "", 0));
	ASSERT_EQ(0, listen(fd, 5));
	ASSERT_EQ(PRP_WHY_NONE, why_of(fd).prpw_reason);
	ASSERT_EQ(0, setsockopt(own, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
	ASSERT_EQ(own, ip_listen_on(own, "127.0.0.1", PORT + 1, 5));
	fd = tcp_socket(&self->nodes, 2, KNOWN);
	ASSERT_EQ(0, ip_connect(fd, "127.0.0.1", PORT + 1));
	ASSERT_TRUE(talk(fd, accept(own, NULL, NULL)));
}

TEST_F(inet, require__is_set_in_time)
{
	int native = nodes_socket(&self->nodes, 1, 0);
	int fd = ip_socket(&self->nodes, 2, KNOWN, 0);
	char byte = 1;

	ASSERT_ERRNO(ENOPROTOOPT, set_require(native, 1));
	ASSERT_EQ(0, get_require(fd));
	ASSERT_ERRNO(EINVAL, set_require(fd, 2));
	ASSERT_ERRNO(EINVAL, setsockopt(fd, SOL_PRP, PRP_REQUIRE, &byte, 1));
	ASSERT_EQ(0, set_require(fd, 1));
	ASSERT_EQ(1, get_require(fd));
	ASSERT_EQ(fd, ip_listen_on(fd, "0.0.0.0", PORT, 5));
	ASSERT_ERRNO(EISCONN, set_require(fd, 0));
	fd = ip_client(&self->nodes, KNOWN, PORT);
	ASSERT_ERRNO(EISCONN, set_require(fd, 1));
}

TEST_HARNESS_MAIN
