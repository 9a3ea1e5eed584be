// SPDX-License-Identifier: GPL-2.0
/* shutdown() and close(), in every order, with and without data under way. */
#include "fixture.h"
#include "slow.h"

#define LONG (1024 * 1024)

static char out[LONG], in[LONG];

static int set_linger(int fd, int seconds)
{
	struct linger linger = { .l_onoff = 1, .l_linger = seconds };

	return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

static bool reads_end(int fd)
{
	char byte;

	return recv(fd, &byte, 1, 0) == 0;
}

/*
 * Each side's last steps, in the order of the variant's pairs of letters: the
 * first is the side, client or server, the second what it does: w shuts the
 * sending half, c closes. Before its first step a side sends 5000 bytes, and
 * after the other side's first step it must find exactly those and the end.
 */
FIXTURE(order)
{
	struct nodes nodes;
	int fd[2];
};

FIXTURE_VARIANT(order)
{
	const char *steps;
};

FIXTURE_SETUP(order)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &self->fd[0], &self->fd[1]));
}

FIXTURE_TEARDOWN(order)
{
}

#define ORDER(name) \
	FIXTURE_VARIANT_ADD(order, name) \
	{ \
		.steps = #name \
	}
ORDER(cw_sw_cc_sc);
ORDER(cw_sw_sc_cc);
ORDER(sw_cw_cc_sc);
ORDER(sw_cw_sc_cc);
ORDER(cw_sc_cc);
ORDER(sw_cc_sc);
ORDER(cc_sc);
ORDER(sc_cc);
ORDER(cc_sw_sc);
ORDER(sc_cw_cc);

TEST_F(order, close__delivers_all_and_frees_all)
{
	bool sending[2] = { true, true }, open[2] = { true, true };

	for (const char *step = variant->steps; *step;
	     step += step[2] ? 3 : 2) {
		int me = *step == 's', peer = !me;

		if (sending[me]) {
			memset(out, *step, 5000);
			if (open[peer])
				ASSERT_TRUE(send_all(self->fd[me], out, 5000));
		}
		if (step[1] == 'w') {
			ASSERT_EQ(0, shutdown(self->fd[me], SHUT_WR));
		} else {
			ASSERT_EQ(0, close(self->fd[me]));
			open[me] = false;
		}
		if (sending[me] && open[peer]) {
			ASSERT_TRUE(recv_all(self->fd[peer], in, 5000));
			ASSERT_EQ(0, memcmp(in, out, 5000));
			ASSERT_TRUE(reads_end(self->fd[peer]));
		}
		sending[me] = false;
	}
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
	EXPECT_EQ(0, nodes_counter(&self->nodes, 1, "resets_in"));
	EXPECT_EQ(0, nodes_counter(&self->nodes, 2, "resets_in"));
}

TEST_F(pair, shutdown__half_closed_still_receives)
{
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_TRUE(reads_end(self->server));
	for (int i = 0; i < 10; i++) {
		ASSERT_TRUE(send_all(self->server, out, 20000));
		ASSERT_TRUE(recv_all(self->client, in, 20000));
	}
	ASSERT_EQ(0, shutdown(self->server, SHUT_WR));
	ASSERT_TRUE(reads_end(self->client));
}

TEST_F(pair, shutdown__of_the_receiving_half)
{
	ASSERT_EQ(0, shutdown(self->client, SHUT_RD));
	ASSERT_TRUE(reads_end(self->client));
	ASSERT_TRUE(send_all(self->client, "still", 5));
	ASSERT_TRUE(recv_all(self->server, in, 5));
	ASSERT_EQ(0, memcmp(in, "still", 5));
}

TEST_F(pair, shutdown__twice)
{
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_EQ(0, shutdown(self->client, SHUT_WR));
	ASSERT_TRUE(reads_end(self->server));
}

TEST_F(pair, shutdown__end_comes_after_the_data)
{
	static char big[LONG];

	memset(big, 'e', sizeof(big));
	if (!fork()) {
		bool ok = send_all(self->client, big, sizeof(big));

		_exit(!ok || shutdown(self->client, SHUT_WR));
	}
	ASSERT_TRUE(recv_all(self->server, in, sizeof(in)));
	ASSERT_EQ(0, memcmp(in, big, sizeof(in)));
	ASSERT_TRUE(reads_end(self->server));
}

/* close() comes back at once; what was written is delivered all the same. */
TEST_F(pair, close__lingers_for_the_peer)
{
	long sent = 0;
	ssize_t put;

	memset(out, 'l', sizeof(out));
	while ((put = send(self->client, out, sizeof(out), MSG_DONTWAIT)) > 0)
		sent += put;
	ASSERT_LT(0, sent);
	ASSERT_EQ(0, close(self->client));
	for (long got = 0; got < sent; got += put) {
		put = recv(self->server, in, sizeof(in), 0);
		ASSERT_LT(0, put);
		ASSERT_EQ(0, memcmp(in, out, put));
	}
	ASSERT_TRUE(reads_end(self->server));
	close(self->server);
	ASSERT_LE(1, nodes_counter(&self->nodes, 1, "orphans_made"));
	ASSERT_EQ(0, nodes_counter(&self->nodes, 1, "orphans_killed"));
}

static bool wait_none(const struct nodes *nodes, int nr, const char *name)
{
	long end = now_ms() + LIMIT_MS;

	while (nodes_counter(nodes, nr, name))
		if (now_ms() > end)
			return false;
	return true;
}

/*
 * Who has delivered all and its end is gone at once: who reads late, of node 2,
 * has no error of it, whatever he does then.
 */
FIXTURE(late)
{
	struct nodes nodes;
	int client;
	int server;
};

FIXTURE_SETUP(late)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &self->client, &self->server));
	memset(out, 'd', 30000);
	ASSERT_TRUE(send_all(self->client, out, 30000));
	ASSERT_EQ(0, close(self->client));
	ASSERT_TRUE(wait_none(&self->nodes, 1, "live_conns"));
}

FIXTURE_TEARDOWN(late)
{
	EXPECT_EQ(0, sock_error(self->server));
	EXPECT_TRUE(recv_all(self->server, in, 30000));
	EXPECT_EQ(0, memcmp(in, out, 30000));
	EXPECT_TRUE(reads_end(self->server));
	EXPECT_EQ(0, close(self->server));
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
	EXPECT_EQ(0, nodes_counter(&self->nodes, 1, "orphans_killed"));
	EXPECT_EQ(0, nodes_counter(&self->nodes, 2, "orphans_killed"));
}

TEST_F(late, close__delivered_is_no_error)
{
	EXPECT_EQ(POLLIN | POLLOUT | POLLRDHUP, events_now(self->server));
}

TEST_F(late, close__end_is_acknowledged_by_the_record)
{
	ASSERT_EQ(0, shutdown(self->server, SHUT_WR));
	EXPECT_TRUE(nodes_wait_counter(&self->nodes, 2, "records_made", 1));
	EXPECT_EQ(0, nodes_counter(&self->nodes, 2, "resets_in"));
}

TEST_F(late, close__end_without_a_record_is_no_error)
{
	ASSERT_TRUE(wait_none(&self->nodes, 1, "live_records"));
	ASSERT_EQ(0, shutdown(self->server, SHUT_WR));
	EXPECT_TRUE(nodes_wait_counter(&self->nodes, 2, "resets_in", 1));
}

TEST_F(late, close__keepalive_finds_who_has_gone)
{
	int on = 1;

	ASSERT_TRUE(wait_none(&self->nodes, 1, "live_records"));
	ASSERT_EQ(0, setsockopt(self->server, SOL_PRP, PRP_KEEPIDLE, &on,
				sizeof(on)));
	ASSERT_EQ(0, setsockopt(self->server, SOL_SOCKET, SO_KEEPALIVE, &on,
				sizeof(on)));
	EXPECT_EQ(POLLHUP, wait_events(self->server, 0));
}

/* What comes behind the end is nobody's. */
TEST_F(late, close__writing_to_who_has_gone_is_told)
{
	ASSERT_EQ(1, send(self->server, "x", 1, 0));
	EXPECT_TRUE(wait_events(self->server, 0) & POLLERR);
	EXPECT_EQ(EPIPE, sock_error(self->server));
}

TEST_F(pair, close__so_linger_waits_for_delivery)
{
	ASSERT_EQ(0, set_linger(self->client, 10));
	ASSERT_TRUE(send_all(self->client, out, 100000));
	ASSERT_EQ(0, close(self->client));
	/* It waited: all of it is here, none of it is still on its way. */
	ASSERT_EQ(100000,
		  recv(self->server, in, 200000, MSG_DONTWAIT | MSG_PEEK));
	ASSERT_TRUE(recv_all(self->server, in, 100000));
	ASSERT_TRUE(reads_end(self->server));
}

TEST_F(pair, close__so_linger_gives_up_in_time)
{
	long start;

	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_EQ(0, set_linger(self->client, 1));
	ASSERT_TRUE(send_all(self->client, out, 1000));
	start = now_ms();
	ASSERT_EQ(0, close(self->client));
	ASSERT_LE(start + 900, now_ms());
	ASSERT_GT(start + PATIENCE_MS, now_ms());
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(recv_all(self->server, in, 1000));
}

TEST_F(pair, close__so_linger_zero_resets)
{
	ASSERT_EQ(0, set_linger(self->client, 0));
	ASSERT_TRUE(send_all(self->client, "x", 1));
	ASSERT_EQ(0, close(self->client));
	ASSERT_TRUE(wait_events(self->server, POLLRDHUP) & POLLHUP);
	ASSERT_EQ(ECONNRESET, sock_error(self->server));
	ASSERT_EQ(1, nodes_counter(&self->nodes, 2, "resets_in"));
}

TEST_F(pair, close__unread_data_resets)
{
	ASSERT_TRUE(send_all(self->client, "unread", 6));
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(0, close(self->server));
	ASSERT_TRUE(wait_events(self->client, POLLRDHUP) & POLLHUP);
	ASSERT_ERRNO(ECONNRESET, recv(self->client, in, 1, 0));
	ASSERT_EQ(0, recv(self->client, in, 1, 0));
	ASSERT_ERRNO(EPIPE, send(self->client, "x", 1, 0));
}

/* The call that has sent something returns that, the next one the reason. */
TEST_F(pair, close__reset_in_a_send_is_told_by_the_next)
{
	static char much[16 << 20]; /* more than all buffers */
	pid_t child = fork();
	int status;

	if (!child) {
		close(self->server);
		if (send(self->client, much, sizeof(much), 0) <= 0)
			exit(1);
		if (send(self->client, "x", 1, 0) != -1)
			exit(2);
		exit(errno == ECONNRESET ? 0 : 3);
	}
	ASSERT_EQ(POLLIN, wait_events(self->server, POLLIN));
	ASSERT_EQ(0, close(self->server));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
}

TEST_F(pair, close__sending_to_a_closed_socket_resets)
{
	ASSERT_EQ(0, close(self->server));
	ASSERT_TRUE(reads_end(self->client));
	ASSERT_EQ(1, send(self->client, "x", 1, 0));
	ASSERT_TRUE(wait_events(self->client, 0) & POLLERR);
	/* TCP says EPIPE at once; that it was a reset is no worse to know. */
	ASSERT_EQ(-1, send(self->client, "x", 1, 0));
	ASSERT_TRUE(errno == EPIPE || errno == ECONNRESET);
	ASSERT_ERRNO(EPIPE, send(self->client, "x", 1, 0));
}

/* It is a message as any other. */
TEST_F(sock, close__an_empty_message_to_who_reads_no_more_resets)
{
	int client, server;

	self->nodes.type = SOCK_SEQPACKET;
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	ASSERT_EQ(0, shutdown(server, SHUT_RDWR));
	ASSERT_TRUE(reads_end(client));
	ASSERT_EQ(0, send(client, "", 0, 0));
	ASSERT_TRUE(wait_events(client, 0) & POLLERR);
}

TEST_F(sock, close__listener_resets_what_it_did_not_accept)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 4);
	int fd[3];

	for (int i = 0; i < 3; i++) {
		fd[i] = nodes_connect(&self->nodes, 1, 2, PORT);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, close(listener));
	for (int i = 0; i < 3; i++) {
		ASSERT_TRUE(wait_events(fd[i], POLLRDHUP) & POLLHUP);
		ASSERT_EQ(ECONNRESET, sock_error(fd[i]));
		close(fd[i]);
	}
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(sock, close__of_everything_unused)
{
	close(nodes_socket(&self->nodes, 1, 0));
	close(nodes_listen(&self->nodes, 1, PORT, 1));
	ASSERT_EQ(0, nodes_counter(&self->nodes, 1, "conns_opened"));
	ASSERT_LE(0, nodes_listen(&self->nodes, 1, PORT, 1));
}

TEST_F(pair, close__in_one_of_two_processes)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(send_all(self->client, "alive", 5));
	ASSERT_TRUE(recv_all(self->server, in, 5));
}

TEST_F(pair, close__wakes_the_reader_at_the_other_end)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		close(self->client);
		_exit(reads_end(self->server) ? 0 : 1);
	}
	ASSERT_EQ(0, close(self->client));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
}

/* The port is free again for a server that starts anew at once. */
TEST_F(sock, close__server_starts_again_at_once)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int client, server, fd, one = 1;

	for (int i = 0; i < 5; i++) {
		fd = nodes_socket(&self->nodes, 2, 0);
		ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one,
					sizeof(one)));
		ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
		ASSERT_EQ(0, listen(fd, 1));
		client = nodes_connect(&self->nodes, 1, 2, PORT);
		ASSERT_LE(0, client);
		server = accept(fd, NULL, NULL);
		ASSERT_EQ(0, close(server));
		ASSERT_EQ(0, close(fd));
		ASSERT_TRUE(reads_end(client));
		ASSERT_EQ(0, close(client));
	}
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

/* As with TCP accept() gives it, with its name and its error. */
TEST_F(sock, reset__before_accept)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 5), client, fd;
	struct linger now = { .l_onoff = 1 };
	struct sockaddr_prp at = {};
	socklen_t len = sizeof(at);
	char in;

	client = nodes_connect(&self->nodes, 1, 2, PORT);
	ASSERT_LE(0, client);
	ASSERT_EQ(POLLIN, wait_events(listener, POLLIN));
	ASSERT_EQ(0,
		  setsockopt(client, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
	close(client);
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 2, "resets_in", 1));
	ASSERT_EQ(POLLIN, events_now(listener));
	fd = accept(listener, SA(at), &len);
	ASSERT_LE(0, fd);
	ASSERT_EQ(htons(1), at.sprp_addr);
	ASSERT_ERRNO(ECONNRESET, recv(fd, &in, 1, 0));
	ASSERT_EQ(0, recv(fd, &in, 1, 0));
	close(fd);
	ASSERT_EQ(0, events_now(listener));
	/* what nobody accepts is let go of with the listener */
	client = nodes_connect(&self->nodes, 1, 2, PORT);
	ASSERT_EQ(0,
		  setsockopt(client, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
	close(client);
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 2, "resets_in", 2));
	close(listener);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* From that port of node 1, with five bytes and an end behind them */
static int come_and_go(const struct nodes *nodes, int port)
{
	struct sockaddr_prp from = prp_at(0, port), to = prp_at(2, PORT);
	int fd;

	nodes_enter(nodes, 1);
	fd = socket(AF_PRP, SOCK_STREAM, 0);
	if (bind(fd, SA(from), sizeof(from)) ||
	    connect(fd, SA(to), sizeof(to)) || send(fd, "hello", 5, 0) != 5)
		return -1;
	return close(fd);
}

/* A client that has left comes again from the same port: its first connection,
 * which nobody has accepted yet, is over without an error.
 */
TEST_F(sock, reset__of_who_has_all_before_accept)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 5), fd;
	char in[5];

	ASSERT_EQ(0, come_and_go(&self->nodes, 5000));
	ASSERT_TRUE(wait_none(&self->nodes, 1, "live_conns"));
	ASSERT_EQ(0, come_and_go(&self->nodes, 5000));
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 2, "resets_in", 1));
	fd = accept(listener, NULL, NULL);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(recv_all(fd, in, 5));
	ASSERT_EQ(0, recv(fd, in, 1, 0));
	ASSERT_ERRNO(EPIPE, send(fd, in, 1, MSG_DONTWAIT | MSG_NOSIGNAL));
	ASSERT_EQ(0, sock_error(fd));
	close(fd);
	close(listener);
}

TEST_HARNESS_MAIN
