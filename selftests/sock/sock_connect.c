// SPDX-License-Identifier: GPL-2.0
/* connect() and accept(): success, each way to fail, and not blocking. */
#include "fixture.h"

#include <sys/time.h>

static int set_timeout(int fd, int option, int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000,
			      .tv_usec = ms % 1000 * 1000 };

	return setsockopt(fd, SOL_SOCKET, option, &tv, sizeof(tv));
}

static int set_user_timeout(int fd, unsigned int ms)
{
	return setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms));
}

TEST_F(sock, connect__both_ends_know_each_other)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	struct sockaddr_prp local, peer;
	socklen_t len = sizeof(local);
	int client, server;

	client = nodes_connect(&self->nodes, 1, 2, PORT);
	ASSERT_LE(0, client);
	ASSERT_EQ(0, getsockname(client, SA(local), &len));
	ASSERT_EQ(htons(1), local.sprp_addr);
	ASSERT_NE(0, local.sprp_port);

	server = accept(listener, SA(peer), &len);
	ASSERT_LE(0, server);
	ASSERT_EQ(sizeof(peer), len);
	ASSERT_EQ(0, memcmp(&local, &peer, sizeof(local)));
	ASSERT_EQ(0, getpeername(server, SA(peer), &len));
	ASSERT_EQ(0, memcmp(&local, &peer, sizeof(local)));

	ASSERT_EQ(0, getsockname(server, SA(local), &len));
	ASSERT_EQ(htons(2), local.sprp_addr);
	ASSERT_EQ(htons(PORT), local.sprp_port);
	ASSERT_EQ(0, getpeername(client, SA(peer), &len));
	ASSERT_EQ(0, memcmp(&local, &peer, sizeof(local)));
}

TEST_F(sock, connect__from_a_bound_port)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	struct sockaddr_prp at = prp_at(0, 1234), peer;
	int client = nodes_socket(&self->nodes, 1, 0);
	socklen_t len = sizeof(peer);

	ASSERT_EQ(0, bind(client, SA(at), sizeof(at)));
	at = prp_at(2, PORT);
	ASSERT_EQ(0, connect(client, SA(at), sizeof(at)));
	ASSERT_LE(0, accept(listener, SA(peer), &len));
	ASSERT_EQ(htons(1234), peer.sprp_port);
}

TEST_F(sock, connect__to_itself_by_its_own_number)
{
	int listener = nodes_listen(&self->nodes, 1, PORT, 1);
	int client = nodes_connect(&self->nodes, 1, 1, PORT);
	int server;
	char in[5];

	ASSERT_LE(0, client);
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_TRUE(send_all(client, "hello", 5));
	ASSERT_TRUE(recv_all(server, in, 5));
	ASSERT_EQ(0, memcmp(in, "hello", 5));
}

TEST_F(sock, connect__no_listener)
{
	struct sockaddr_prp at = prp_at(2, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_ERRNO(ECONNREFUSED, connect(fd, SA(at), sizeof(at)));
	ASSERT_LE(1, nodes_counter(&self->nodes, 2, "drop_no_listener"));
}

TEST_F(sock, connect__no_listener_on_itself)
{
	struct sockaddr_prp at = prp_at(1, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_ERRNO(ECONNREFUSED, connect(fd, SA(at), sizeof(at)));
}

TEST_F(sock, connect__bound_is_not_listening)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int bound = nodes_socket(&self->nodes, 2, 0);
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_EQ(0, bind(bound, SA(at), sizeof(at)));
	at = prp_at(2, PORT);
	ASSERT_ERRNO(ECONNREFUSED, connect(fd, SA(at), sizeof(at)));
}

TEST_F(sock, connect__again_after_a_refusal)
{
	struct sockaddr_prp at = prp_at(2, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_ERRNO(ECONNREFUSED, connect(fd, SA(at), sizeof(at)));
	ASSERT_LE(0, nodes_listen(&self->nodes, 2, PORT, 1));
	ASSERT_EQ(0, connect(fd, SA(at), sizeof(at)));
}

TEST_F(sock, connect__unknown_node)
{
	struct sockaddr_prp at = prp_at(NODE_UNKNOWN, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_ERRNO(EHOSTUNREACH, connect(fd, SA(at), sizeof(at)));
}

TEST_F(sock, connect__silent_node)
{
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);
	long start = now_ms(), took;

	ASSERT_EQ(0, set_user_timeout(fd, 300));
	ASSERT_ERRNO(ETIMEDOUT, connect(fd, SA(at), sizeof(at)));
	took = now_ms() - start;
	ASSERT_LE(290, took);
	ASSERT_GT(PATIENCE_MS, took);
}

TEST_F(sock, connect__bad_addresses)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at = prp_at(2, PORT);

	at.sprp_family = AF_INET;
	ASSERT_ERRNO(EAFNOSUPPORT, connect(fd, SA(at), sizeof(at)));
	at = prp_at(2, PORT);
	ASSERT_ERRNO(EINVAL, connect(fd, SA(at), sizeof(at) - 1));
	ASSERT_ERRNO(EINVAL, connect(fd, SA(at), 1));
	at.sprp_zero[0] = 1;
	ASSERT_ERRNO(EINVAL, connect(fd, SA(at), sizeof(at)));
	at = prp_at(2, PORT);
	at.sprp_net = htons(7);
	ASSERT_ERRNO(EINVAL, connect(fd, SA(at), sizeof(at)));
	ASSERT_ERRNO(EFAULT, connect(fd, (void *)1, sizeof(at)));
}

TEST_F(pair, connect__twice)
{
	struct sockaddr_prp at = prp_at(2, PORT);

	ASSERT_ERRNO(EISCONN, connect(self->client, SA(at), sizeof(at)));
	ASSERT_ERRNO(EISCONN, connect(self->server, SA(at), sizeof(at)));
}

TEST_F(sock, connect__of_a_listener)
{
	int fd = nodes_listen(&self->nodes, 1, PORT, 1);
	struct sockaddr_prp at = prp_at(2, PORT);

	ASSERT_ERRNO(EISCONN, connect(fd, SA(at), sizeof(at)));
}

TEST_F(sock, connect__not_blocking)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	struct sockaddr_prp at = prp_at(2, PORT);

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, nodes_delay(&self->nodes, 20));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(POLLOUT, wait_events(fd, POLLOUT));
	ASSERT_EQ(0, sock_error(fd));
	/* TCP: the first call after success reports it, the next refuses. */
	ASSERT_EQ(0, connect(fd, SA(at), sizeof(at)));
	ASSERT_ERRNO(EISCONN, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(POLLIN, wait_events(listener, POLLIN));
	ASSERT_LE(0, accept(listener, NULL, NULL));
}

TEST_F(sock, connect__not_blocking_still_under_way)
{
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);

	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_ERRNO(EALREADY, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, events_now(fd));
}

TEST_F(sock, connect__not_blocking_refused)
{
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	struct sockaddr_prp at = prp_at(2, PORT);

	ASSERT_EQ(0, nodes_delay(&self->nodes, 20));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_TRUE(wait_events(fd, POLLOUT) & POLLERR);
	ASSERT_TRUE(events_now(fd) & POLLHUP);
	ASSERT_EQ(ECONNREFUSED, sock_error(fd));
	ASSERT_EQ(0, sock_error(fd));
}

/* As TCP's: the socket may connect again. */
TEST_F(sock, connect__reset_before_it_was_looked_at)
{
	struct linger linger = { .l_onoff = 1 };
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	struct sockaddr_prp at = prp_at(2, PORT);
	int server;

	ASSERT_EQ(0, nodes_delay(&self->nodes, 20));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_EQ(0, setsockopt(server, SOL_SOCKET, SO_LINGER, &linger,
				sizeof(linger)));
	close(server);
	ASSERT_TRUE(wait_events(fd, 0) & POLLERR);
	ASSERT_EQ(ECONNRESET, sock_error(fd));
	ASSERT_ERRNO(ECONNABORTED, connect(fd, SA(at), sizeof(at)));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(POLLOUT, wait_events(fd, POLLOUT));
	ASSERT_EQ(0, connect(fd, SA(at), sizeof(at)));
}

TEST_F(sock, connect__not_blocking_timed_out)
{
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);

	ASSERT_EQ(0, set_user_timeout(fd, 200));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_TRUE(wait_events(fd, POLLOUT) & POLLERR);
	ASSERT_EQ(ETIMEDOUT, sock_error(fd));
}

TEST_F(sock, connect__sndtimeo)
{
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);
	long start = now_ms();

	ASSERT_EQ(0, set_timeout(fd, SO_SNDTIMEO, 200));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_LE(start + 190, now_ms());
}

static void on_alarm(int sig)
{
	(void)sig;
}

TEST_F(sock, connect__interrupted)
{
	struct sigaction act = { .sa_handler = on_alarm };
	/* again and again: the first may come before it sleeps */
	struct itimerval soon = { .it_value.tv_usec = 100000,
				  .it_interval.tv_usec = 100000 };
	struct itimerval never = {};
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	ASSERT_ERRNO(EINTR, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	ASSERT_ERRNO(EALREADY, ({
			     fcntl(fd, F_SETFL, O_NONBLOCK);
			     connect(fd, SA(at), sizeof(at));
		     }));
}

TEST_F(sock, connect__closed_while_under_way_is_freed)
{
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);

	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	close(fd);
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "conns_opened"));
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(sock, connect__data_sent_before_accept)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int client = nodes_connect(&self->nodes, 1, 2, PORT);
	int server;
	char in[5];

	ASSERT_TRUE(send_all(client, "early", 5));
	ASSERT_EQ(0, shutdown(client, SHUT_WR));
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_TRUE(recv_all(server, in, 5));
	ASSERT_EQ(0, memcmp(in, "early", 5));
	ASSERT_EQ(0, recv(server, in, 5, 0));
}

TEST_F(sock, connect__data_of_a_client_that_closed_before_accept)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int client = nodes_connect(&self->nodes, 1, 2, PORT);
	int server;
	char in[5];

	ASSERT_TRUE(send_all(client, "early", 5));
	close(client);
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_TRUE(recv_all(server, in, 5));
	ASSERT_EQ(0, memcmp(in, "early", 5));
	ASSERT_EQ(0, recv(server, in, 5, 0));
}

TEST_F(sock, connect__server_speaks_first)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int client = nodes_connect(&self->nodes, 1, 2, PORT);
	int server = accept(listener, NULL, NULL);
	char in[5];

	ASSERT_TRUE(send_all(server, "early", 5));
	ASSERT_TRUE(recv_all(client, in, 5));
	ASSERT_EQ(0, memcmp(in, "early", 5));
}

TEST_F(sock, accept__nobody_there)
{
	int fd = nodes_listen(&self->nodes, 2, PORT, 1);

	ASSERT_EQ(0, events_now(fd));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK));
	ASSERT_ERRNO(EAGAIN, accept(fd, NULL, NULL));
}

TEST_F(sock, accept__rcvtimeo)
{
	int fd = nodes_listen(&self->nodes, 2, PORT, 1);
	long start = now_ms();

	ASSERT_EQ(0, set_timeout(fd, SO_RCVTIMEO, 200));
	ASSERT_ERRNO(EAGAIN, accept(fd, NULL, NULL));
	ASSERT_LE(start + 190, now_ms());
}

TEST_F(sock, accept__not_a_listener)
{
	ASSERT_ERRNO(EINVAL,
		     accept(nodes_socket(&self->nodes, 2, 0), NULL, NULL));
}

TEST_F(pair, accept__not_a_listener)
{
	ASSERT_ERRNO(EINVAL, accept(self->server, NULL, NULL));
}

TEST_F(sock, accept4__flags)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int server;

	ASSERT_LE(0, nodes_connect(&self->nodes, 1, 2, PORT));
	server = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	ASSERT_LE(0, server);
	ASSERT_TRUE(fcntl(server, F_GETFL) & O_NONBLOCK);
	ASSERT_TRUE(fcntl(server, F_GETFD) & FD_CLOEXEC);
}

TEST_F(sock, accept__in_the_order_of_arrival)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 8);
	struct sockaddr_prp local, peer;
	socklen_t len = sizeof(local);
	int client[4];

	for (int i = 0; i < 4; i++) {
		client[i] = nodes_connect(&self->nodes, 1, 2, PORT);
		ASSERT_LE(0, client[i]);
	}
	for (int i = 0; i < 4; i++) {
		ASSERT_LE(0, accept(listener, SA(peer), &len));
		ASSERT_EQ(0, getsockname(client[i], SA(local), &len));
		ASSERT_EQ(local.sprp_port, peer.sprp_port);
	}
}

TEST_F(sock, accept__woken_by_shutdown)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 1);
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		int fd = accept(listener, NULL, NULL);

		_exit(fd < 0 && errno == EINVAL ? 0 : 1);
	}
	/* Either order ends the same way. */
	ASSERT_EQ(0, shutdown(listener, SHUT_RD));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

/* Two sockets that connect to each other become one connection. */
TEST_F(sock, connect__simultaneously)
{
	struct sockaddr_prp at1 = prp_at(1, PORT), at2 = prp_at(2, PORT);
	int one = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	int two = nodes_socket(&self->nodes, 2, SOCK_NONBLOCK);
	char in[5];

	ASSERT_EQ(0, bind(one, SA(at1), sizeof(at1)));
	ASSERT_EQ(0, bind(two, SA(at2), sizeof(at2)));
	/* The requests cross: each needs longer than the other call. */
	ASSERT_EQ(0, nodes_delay(&self->nodes, 200));
	ASSERT_ERRNO(EINPROGRESS, connect(one, SA(at2), sizeof(at2)));
	ASSERT_ERRNO(EINPROGRESS, connect(two, SA(at1), sizeof(at1)));
	ASSERT_EQ(POLLOUT, wait_events(one, POLLOUT));
	ASSERT_EQ(POLLOUT, wait_events(two, POLLOUT));
	ASSERT_EQ(0, sock_error(one));
	ASSERT_EQ(0, sock_error(two));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 1, "conns_opened"));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 2, "conns_opened"));

	fcntl(one, F_SETFL, 0);
	fcntl(two, F_SETFL, 0);
	ASSERT_TRUE(send_all(one, "from1", 5));
	ASSERT_TRUE(send_all(two, "from2", 5));
	ASSERT_TRUE(recv_all(two, in, 5));
	ASSERT_EQ(0, memcmp(in, "from1", 5));
	ASSERT_TRUE(recv_all(one, in, 5));
	ASSERT_EQ(0, memcmp(in, "from2", 5));
	close(one);
	close(two);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_HARNESS_MAIN
