// SPDX-License-Identifier: GPL-2.0
/*
 * How listeners and connections end while others use them: each call returns
 * only what it may, the other end learns what became of its connection, and
 * nothing is left.
 */
#include "race.h"
#include "passed.h"

/* A connection from node 1, where the caller is, to the case's listener */
static bool make_pair(int *client, int *server)
{
	*client = new_socket();
	*server = -1;
	if (!connect_to(*client, 2, PORT))
		*server = accept(listener, NULL, NULL);
	if (*server < 0) {
		wrong("no pair: %s", strerrorname_np(errno));
		return false;
	}
	limit_waits(*server, LIMIT_S * 1000);
	return true;
}

/* What came of the other end: it must be told in time. */
static void learns_its_fate(const char *who, int fd)
{
	char byte;

	errno = 0;
	if (recv(fd, &byte, 1, 0) > 0)
		wrong("%s: data from nowhere", who);
	else if (errno == EAGAIN)
		wrong("%s: never told", who);
	else if (errno && errno != ECONNRESET)
		wrong("%s: %s", who, strerrorname_np(errno));
}

/* ---- the listener goes ---- */

static int doomed; /* a listener */
static atomic_int begun, accepted, connected;

/* accept() until the listener is gone; what was accepted must be alive */
static void *accept_doomed(void *arg)
{
	int fd;

	(void)arg;
	for (;;) {
		fd = accept(doomed, NULL, NULL);
		if (fd < 0)
			break;
		atomic_fetch_add(&accepted, 1);
		may("send", send(fd, "x", 1, MSG_NOSIGNAL), ECONNRESET, EPIPE,
		    0);
		close(fd);
	}
	if (errno != EINVAL && errno != EAGAIN)
		wrong("accept: %s", strerrorname_np(errno));
	return NULL;
}

static void *connect_doomed(void *arg)
{
	unsigned int seed = 1 + (long)arg;
	char byte;

	nodes_enter(nodes, 1);
	for (int i = 0; i < 3; i++) {
		int fd = new_socket();

		linger_a_bit(&seed);
		atomic_fetch_add(&begun, 1);
		if (!may("connect", connect_to(fd, 2, PORT + 9), ECONNREFUSED,
			 ECONNRESET, 0)) {
			atomic_fetch_add(&connected, 1);
			/* accepted, or reset with the listener */
			if (may("recv", recv(fd, &byte, 1, 0), ECONNRESET, 0) >
			    0)
				learns_its_fate("a client", fd);
		}
		close(fd);
	}
	return NULL;
}

/* A server that comes back while connections of the one before may still end */
static int listen_doomed(void)
{
	struct sockaddr_prp at = prp_at(0, PORT + 9);
	int one = 1, fd = nodes_socket(nodes, 2, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (void *)&at, sizeof(at)) || listen(fd, 4))
		wrong("listen: %s", strerrorname_np(errno));
	return fd;
}

/* Half of the time somebody sleeps in accept() meanwhile. */
CASE(race__listener_ends_while_clients_come)
{
	pthread_t client[2], acceptor;
	unsigned int seed = 5;

	set_rounds(120);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		bool accepts = i % 2;
		int want;

		doomed = listen_doomed();
		limit_waits(doomed, LIMIT_S * 1000);
		for (long c = 0; c < 2; c++)
			pthread_create(&client[c], NULL, connect_doomed,
				       (void *)(c + 2 * i));
		if (accepts)
			pthread_create(&acceptor, NULL, accept_doomed, NULL);
		/* two come at first, four more if somebody accepts them */
		want = 6 * i + roll(&seed, accepts ? 6 : 3);
		while (begun < want)
			sched_yield();
		linger_a_bit(&seed);
		if (accepts) {
			may("shutdown", shutdown(doomed, SHUT_RDWR), 0);
			pthread_join(acceptor, NULL);
		}
		close(doomed);
		for (int c = 0; c < 2; c++)
			pthread_join(client[c], NULL);
	}
	/* It was not all over before anything had begun. */
	EXPECT_LT(0, accepted);
	EXPECT_LT(accepted, connected);
}

/* ---- listen() again and again ---- */

static atomic_bool over;

static void *listen_again(void *arg)
{
	unsigned int seed = 4;

	(void)arg;
	while (!over) {
		may("listen", listen(listener, roll(&seed, 4)), 0);
		linger_a_bit(&seed);
		sched_yield();
	}
	return NULL;
}

static void *come_and_go(void *arg)
{
	unsigned int seed = 1 + (long)arg;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		int fd = new_socket();

		/* a full backlog is waited for, not refused */
		may("connect", connect_to(fd, 2, PORT), ECONNRESET, 0);
		if (!roll(&seed, 3))
			reset_on_close(fd);
		close(fd);
	}
	return NULL;
}

CASE(race__backlog_changes_while_clients_come)
{
	pthread_t thread;

	set_rounds(150);
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	pthread_create(&thread, NULL, listen_again, NULL);
	run_threads(come_and_go, 2);
	over = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, nodes_counter(&self->nodes, 2, "drop_no_listener"));
}

/* ---- a reset against everything ---- */

static int victim, killer;

static void use_victim(int fd, unsigned int *seed)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN | POLLRDHUP };
	static char room[20000];
	struct prp_info info;
	socklen_t len = sizeof(info);

	switch (roll(seed, 6)) {
	case 0:
		may("send", send(fd, room, sizeof(room), MSG_NOSIGNAL),
		    ECONNRESET, EPIPE, 0);
		break;
	case 1:
		/* the reset is told once: by whoever asks first */
		may("recv", recv(fd, room, sizeof(room), 0), ECONNRESET, 0);
		break;
	case 2:
		if (poll(&pfd, 1, LIMIT_S * 1000) != 1)
			wrong("poll: never told");
		break;
	case 3:
		may("shutdown", shutdown(fd, roll(seed, 2) ? SHUT_WR : SHUT_RD),
		    ENOTCONN, 0);
		break;
	case 4:
		may("PRP_INFO", getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len),
		    0);
		break;
	case 5:
		reset_on_close(fd);
		break;
	}
}

static void *suffer(void *arg)
{
	long me = (long)arg;
	unsigned int seed = 1 + me;

	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&gate);
		linger_a_bit(&seed);
		if (me == 0) {
			if (roll(&seed, 4))
				reset_on_close(killer);
			close(killer);
		} else {
			use_victim(victim, &seed);
			use_victim(victim, &seed);
		}
		pthread_barrier_wait(&gate);
	}
	return NULL;
}

CASE(race__reset_against_everything)
{
	struct pollfd pfd = { .events = 0 };
	pthread_t thread[3];

	set_rounds(300);
	pthread_barrier_init(&gate, NULL, 4);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, suffer, (void *)i);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		int client, server;

		nodes_enter(nodes, 1);
		if (!make_pair(&client, &server))
			break;
		/* which end is reset alternates; some have unread data */
		victim = i % 2 ? client : server;
		killer = i % 2 ? server : client;
		if (i % 3 == 0)
			send(victim, "unread", 6, MSG_NOSIGNAL);
		pthread_barrier_wait(&gate);
		pthread_barrier_wait(&gate);
		pfd.fd = victim;
		if (i % 2 == 0) {
			/* the other half may still be open */
			shutdown(victim, SHUT_WR);
			pfd.events = 0;
			if (poll(&pfd, 1, LIMIT_S * 1000) != 1 ||
			    !(pfd.revents & POLLHUP))
				wrong("the victim was never told");
		}
		close(victim);
	}
	ASSERT_FALSE(wrong_set)
	{
		TH_LOG("%s", wrong_text);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

/* ---- both ends at once ---- */

static int ends[2];

static void end_it(int fd, unsigned int *seed)
{
	static char room[5000];

	if (roll(seed, 2))
		may("send", send(fd, room, sizeof(room), MSG_NOSIGNAL),
		    ECONNRESET, EPIPE, 0);
	switch (roll(seed, 4)) {
	case 0:
		reset_on_close(fd);
		break;
	case 1:
		may("shutdown", shutdown(fd, SHUT_RDWR), ENOTCONN, 0);
		break;
	case 2:
		may("shutdown", shutdown(fd, SHUT_WR), ENOTCONN, 0);
		while (may("recv", recv(fd, room, sizeof(room), 0), ECONNRESET,
			   0) > 0)
			;
		break;
	}
	close(fd);
}

static void *end_one(void *arg)
{
	long me = (long)arg;
	unsigned int seed = 1 + me;

	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&gate);
		linger_a_bit(&seed);
		end_it(ends[me], &seed);
		pthread_barrier_wait(&gate);
	}
	return NULL;
}

CASE(race__both_ends_end_at_once)
{
	pthread_t thread[2];

	set_rounds(300);
	pthread_barrier_init(&gate, NULL, 3);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, end_one, (void *)i);
	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		if (!make_pair(&ends[0], &ends[1]))
			break;
		pthread_barrier_wait(&gate);
		pthread_barrier_wait(&gate);
	}
	ASSERT_FALSE(wrong_set)
	{
		TH_LOG("%s", wrong_text);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* ---- several who hold one socket ---- */

/* Answers one word on each socket that is passed to it, and closes it. */
static void answer_on_what_is_passed(int way)
{
	char word[4];
	int fd;

	while ((fd = fd_take(way)) >= 0) {
		if (!recv_all(fd, word, 4) || !send_all(fd, word, 4))
			_exit(1);
		close(fd);
	}
	_exit(0);
}

CASE(race__passed_to_another_process_and_closed)
{
	int way[2], status, client, server;
	char word[4];
	pid_t other;

	set_rounds(100);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, way));
	other = fork();
	if (!other) {
		close(way[0]);
		close(listener);
		answer_on_what_is_passed(way[1]);
	}
	close(way[1]);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		if (!make_pair(&client, &server))
			break;
		if (!fd_pass(way[0], server))
			wrong("not passed");
		/* under way it has no other holder, half of the time */
		if (i % 2)
			close(server);
		if (!send_all(client, "word", 4) || !recv_all(client, word, 4))
			wrong("no answer from who has the socket now");
		if (i % 2 == 0) {
			/* the other one's close() was not the last */
			if (!send_all(server, "more", 4) ||
			    !recv_all(client, word, 4))
				wrong("closed by one of two");
			close(server);
		}
		learns_its_fate("the client", client);
		close(client);
	}
	/* Passed, and never taken: it goes with the way. */
	if (make_pair(&client, &server)) {
		int lost[2];

		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, lost));
		ASSERT_TRUE(fd_pass(lost[0], server));
		close(server);
		close(lost[0]);
		close(lost[1]);
		learns_its_fate("the client", client);
		close(client);
	}
	close(way[0]);
	ASSERT_EQ(other, waitpid(other, &status, 0));
	EXPECT_EQ(0, status);
}

CASE(race__forked_and_closed)
{
	int client, server, status;

	set_rounds(20);
	if (rounds > 1000)
		rounds /= 10; /* a process each */
	for (int i = 0; i < rounds && !wrong_set; i++) {
		pid_t child;
		char word[4];

		if (!make_pair(&client, &server))
			break;
		child = fork();
		if (!child) {
			close(client);
			if (i % 2)
				_exit(!send_all(server, "word", 4));
			if (!send_all(server, "word", 4))
				_exit(1);
			raise(SIGKILL);
		}
		close(server);
		/* the end comes with the last one, who is the child */
		if (!recv_all(client, word, 4) || memcmp(word, "word", 4))
			wrong("no word of the child");
		learns_its_fate("the client", client);
		close(client);
		if (waitpid(child, &status, 0) != child ||
		    (i % 2 ? status : !WIFSIGNALED(status)))
			wrong("the child did not end as it should");
	}
}

TEST_HARNESS_MAIN
