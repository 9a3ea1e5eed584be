// SPDX-License-Identifier: GPL-2.0
/*
 * Calls from several threads at once, on one socket and on many: each returns
 * only what it may, the other end learns what became of a connection, and
 * nothing is left in the end.
 *
 * PRP_LONG=1: a hundred thousand rounds of each.
 */
#include "fixture.h"

#include <linux/sockios.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#define REFUSED (PORT + 1) /* nobody listens there */
#define LIMIT_S 5 /* nobody sleeps longer when it is over */
#define WORKERS 3
#define MINUTES 60
#define CASE(name) TEST_F_TIMEOUT(race, name, 40 * MINUTES)

/* ---- what went wrong first, in whatever thread ---- */

static char wrong_text[256];
static atomic_bool wrong_set;

static void __attribute__((format(printf, 1, 2))) wrong(const char *format, ...)
{
	va_list args;

	if (atomic_exchange(&wrong_set, true))
		return;
	va_start(args, format);
	vsnprintf(wrong_text, sizeof(wrong_text), format, args);
	va_end(args);
}

/* Passes the result of a call through; its errno must be of those, then 0. */
static long may(const char *what, long ret, ...)
{
	int err = errno, one;
	va_list args;

	if (ret >= 0)
		return ret;
	va_start(args, ret);
	do {
		one = va_arg(args, int);
	} while (one && one != err);
	va_end(args);
	if (!one)
		wrong("%s: %s", what, strerrorname_np(err));
	errno = err;
	return ret;
}

/* ---- what all cases have ---- */

static const struct nodes *nodes;
static int rounds, listener;
static pthread_barrier_t gate;

static unsigned int roll(unsigned int *seed, unsigned int sides)
{
	return rand_r(seed) / 16 % sides;
}

/* A moment that differs, so that calls meet at all their points */
static void linger_a_bit(unsigned int *seed)
{
	for (volatile int i = roll(seed, 4) * roll(seed, 4000); i; i--)
		;
}

static void limit_waits(int fd, int ms)
{
	struct timeval limit = { ms / 1000, ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static void reset_on_close(int fd)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

static int new_socket(void)
{
	int fd = socket(AF_PRP, SOCK_STREAM, 0);

	if (fd < 0)
		wrong("socket: %s", strerrorname_np(errno));
	limit_waits(fd, LIMIT_S * 1000);
	return fd;
}

static int connect_to(int fd, int node, int port)
{
	struct sockaddr_prp at = prp_at(node, port);

	return connect(fd, SA(at), sizeof(at));
}

static int bind_to(int fd, int port)
{
	struct sockaddr_prp at = prp_at(0, port);

	return bind(fd, SA(at), sizeof(at));
}

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

static void run_threads(void *(*run)(void *), int count)
{
	pthread_t thread[8];

	for (long i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, run, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

/* ---- accept and close whatever comes, until the listener ends ---- */

static void *serve(void *unused)
{
	unsigned int seed = 99;
	int fd;

	(void)unused;
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (!roll(&seed, 3))
			send(fd, "hello", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (!roll(&seed, 3))
			reset_on_close(fd);
		close(fd);
	}
	if (errno != EINVAL)
		wrong("accept: %s", strerrorname_np(errno));
	return NULL;
}

static bool no_socket_left(int nr)
{
	char text[64] = "";
	FILE *pipe;

	nodes_enter(nodes, nr);
	pipe = popen("exec prpctl -j sockets show -a", "r");
	text[fread(text, 1, sizeof(text) - 1, pipe)] = 0;
	pclose(pipe);
	return strstr(text, "\"sockets\":[]");
}

FIXTURE(race)
{
	struct nodes nodes;
	pthread_t server;
	bool served;
};

FIXTURE_SETUP(race)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	nodes = &self->nodes;
	listener = nodes_listen(nodes, 2, PORT, 64);
	ASSERT_LE(0, listener);
	nodes_enter(nodes, 1);
}

FIXTURE_TEARDOWN(race)
{
	if (self->served) {
		EXPECT_EQ(0, shutdown(listener, SHUT_RD));
		pthread_join(self->server, NULL);
	}
	close(listener);
	EXPECT_FALSE(wrong_set)
	{
		TH_LOG("%s", wrong_text);
	}
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
	EXPECT_TRUE(no_socket_left(1));
	EXPECT_TRUE(no_socket_left(2));
}

static void set_rounds(int few)
{
	const char *many = getenv("PRP_LONG");

	rounds = many && *many ? 100000 : few;
}

/* ---- everything at once on the same sockets ---- */

#define SLOTS 4
#define PORTS 4 /* from 5000 on */

static int slot[SLOTS];

static void chaos_replace(int fd)
{
	int fresh = new_socket();
	unsigned int ms = 100;

	limit_waits(fresh, 4);
	setsockopt(fresh, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms));
	if (dup2(fresh, fd) != fd)
		wrong("dup2: %s", strerrorname_np(errno));
	close(fresh);
}

static void chaos_option(int fd, unsigned int *seed)
{
	static const struct {
		int level, name;
	} options[] = {
		{ SOL_SOCKET, SO_REUSEADDR }, { SOL_SOCKET, SO_SNDBUF },
		{ SOL_SOCKET, SO_RCVBUF },    { SOL_SOCKET, SO_PRIORITY },
		{ SOL_PRP, PRP_CHECKSUM },
	};
	unsigned int which = roll(seed, 5);
	int value = roll(seed, 2);

	may("setsockopt",
	    setsockopt(fd, options[which].level, options[which].name, &value,
		       sizeof(value)),
	    EISCONN, 0);
}

static void chaos_look(int fd, unsigned int *seed)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN | POLLOUT };
	struct sockaddr_prp at;
	socklen_t len = sizeof(at);
	struct prp_info info;
	int queued;

	switch (roll(seed, 5)) {
	case 0:
		may("poll", poll(&pfd, 1, 0), 0);
		break;
	case 1:
		may("getsockname", getsockname(fd, SA(at), &len), 0);
		break;
	case 2:
		may("getpeername", getpeername(fd, SA(at), &len), ENOTCONN, 0);
		break;
	case 3:
		may("SIOCOUTQ", ioctl(fd, SIOCOUTQ, &queued), EINVAL, 0);
		break;
	case 4:
		len = sizeof(info);
		may("PRP_INFO", getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len),
		    0);
		break;
	}
}

static void chaos_step(int fd, unsigned int *seed)
{
	char room[100] = "";
	int child;

	switch (roll(seed, 10)) {
	case 0:
		may("bind", bind_to(fd, 5000 + roll(seed, PORTS)), EINVAL,
		    EADDRINUSE, 0);
		break;
	case 1:
	case 2:
		may("connect",
		    roll(seed, 3) ? connect_to(fd, 2, PORT + roll(seed, 2)) :
				    connect_to(fd, 1, 5000 + roll(seed, PORTS)),
		    EISCONN, EINPROGRESS, EALREADY, ECONNREFUSED, ECONNRESET,
		    ECONNABORTED, ETIMEDOUT, EADDRNOTAVAIL, 0);
		break;
	case 3:
		chaos_option(fd, seed);
		break;
	case 4:
		chaos_replace(fd);
		break;
	case 5:
		may("listen", listen(fd, roll(seed, 3)), EINVAL, EADDRINUSE, 0);
		break;
	case 6:
		child = may("accept", accept(fd, NULL, NULL), EINVAL, EAGAIN,
			    0);
		if (child >= 0)
			close(child);
		break;
	case 7:
		may("shutdown", shutdown(fd, roll(seed, 3)), ENOTCONN, 0);
		break;
	case 8:
		if (roll(seed, 2))
			may("send",
			    send(fd, room, sizeof(room),
				 MSG_NOSIGNAL | MSG_DONTWAIT),
			    EPIPE, EAGAIN, ECONNRESET, ECONNREFUSED, ETIMEDOUT,
			    0);
		else
			may("recv", recv(fd, room, sizeof(room), MSG_DONTWAIT),
			    ENOTCONN, EAGAIN, ECONNRESET, ECONNREFUSED,
			    ETIMEDOUT, 0);
		break;
	case 9:
		chaos_look(fd, seed);
		break;
	}
}

static void *chaos(void *arg)
{
	unsigned int seed = 1 + (long)arg;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++)
		chaos_step(slot[roll(&seed, SLOTS)], &seed);
	return NULL;
}

CASE(race__every_call_on_the_same_sockets)
{
	set_rounds(4000);
	for (int i = 0; i < SLOTS; i++) {
		slot[i] = new_socket();
		chaos_replace(slot[i]);
	}
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	run_threads(chaos, WORKERS);
	for (int i = 0; i < SLOTS; i++)
		close(slot[i]);
	/* Nobody has lost a port. */
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
	nodes_enter(nodes, 1);
	for (int i = 0; i < PORTS; i++) {
		slot[i] = new_socket();
		EXPECT_EQ(0, bind_to(slot[i], 5000 + i));
		close(slot[i]);
	}
}

/* ---- one number, many who want it ---- */

static atomic_int holders, held;

static void *bind_alone(void *arg)
{
	unsigned int seed = 1 + (long)arg;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		int fd = new_socket();

		if (!may("bind", bind_to(fd, 5000), EADDRINUSE, 0)) {
			if (atomic_fetch_add(&holders, 1))
				wrong("two sockets are bound to one port");
			if (roll(&seed, 2))
				may("listen", listen(fd, 1), 0);
			if (!roll(&seed, 3))
				sched_yield(); /* let others try */
			atomic_fetch_add(&held, 1);
			atomic_fetch_sub(&holders, 1);
		} else if (!roll(&seed, 8)) {
			may("bind", bind_to(fd, 0), 0);
		}
		close(fd);
	}
	return NULL;
}

CASE(race__a_port_is_one_sockets)
{
	set_rounds(4000);
	run_threads(bind_alone, WORKERS);
	EXPECT_LT(rounds / 10, held);
	EXPECT_GT(rounds * WORKERS, held);
}

/* ---- connect() from two threads, and a third that meddles ---- */

static int shared, result[2];

enum meddling { LEAVE_ALONE, SHUT_DOWN, REPLACE, MEDDLINGS };

static int target_of(int round)
{
	return round / MEDDLINGS % 2 ? PORT : REFUSED;
}

static void *connect_shared(void *arg)
{
	long me = (long)arg;
	unsigned int seed = 1 + me;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&gate);
		linger_a_bit(&seed);
		if (me < 2)
			result[me] =
				connect_to(shared, 2, target_of(i)) ? errno : 0;
		else if (i % MEDDLINGS == SHUT_DOWN)
			may("shutdown", shutdown(shared, SHUT_RDWR), ENOTCONN,
			    0);
		else if (i % MEDDLINGS == REPLACE)
			chaos_replace(shared);
		pthread_barrier_wait(&gate);
	}
	return NULL;
}

static bool is_one_of(int err, const int *errors)
{
	for (; *errors >= 0; errors++)
		if (*errors == err)
			return true;
	return false;
}

static void judge_connects(int round)
{
	static const int refused[] = { ECONNREFUSED, ECONNABORTED, -1 };
	static const int accepted[] = { 0, EISCONN, ECONNRESET, -1 };
	static const int meddled[] = {
		0,	     EISCONN,  ECONNRESET, ECONNREFUSED, ECONNABORTED,
		EINPROGRESS, EALREADY, -1
	};
	bool alone = round % MEDDLINGS == LEAVE_ALONE;
	bool refuses = target_of(round) == REFUSED;

	for (int i = 0; i < 2; i++)
		if (!is_one_of(result[i], !alone  ? meddled :
					  refuses ? refused :
						    accepted))
			wrong("connect: %s", strerrorname_np(result[i]));
	/* One of them is told what there is to tell. */
	if (alone && refuses && result[0] != ECONNREFUSED &&
	    result[1] != ECONNREFUSED)
		wrong("nobody was told of the refusal");
	if (alone && !refuses && result[0] && result[1] &&
	    result[0] != ECONNRESET && result[1] != ECONNRESET)
		wrong("nobody was told of the connection");
	if (alone && refuses &&
	    may("retry", connect_to(shared, 2, PORT), ECONNRESET, 0) < 0 &&
	    errno != ECONNRESET)
		wrong("no connection after a refusal");
}

CASE(race__connect_twice_at_once)
{
	pthread_t thread[3];

	set_rounds(1500);
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	pthread_barrier_init(&gate, NULL, 4);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, connect_shared, (void *)i);
	for (int i = 0; i < rounds; i++) {
		shared = new_socket();
		pthread_barrier_wait(&gate);
		pthread_barrier_wait(&gate);
		judge_connects(i);
		close(shared);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

/* ---- connect() against signals, timeouts and close() ---- */

static void on_signal(int sig)
{
	(void)sig;
}

static pthread_t connecting;
static atomic_bool over;

static void *send_signals(void *arg)
{
	unsigned int seed = 7;

	(void)arg;
	while (!over) {
		pthread_kill(connecting, SIGUSR1);
		for (int i = roll(&seed, 4); i >= 0; i--)
			linger_a_bit(&seed);
		sched_yield();
	}
	return NULL;
}

/* Go on until it is known what has become of it. Return: errno, or 0. */
static int connect_at_last(int fd, int port)
{
	int err = -1;

	while (err == -1) {
		err = connect_to(fd, 2, port) ? errno : 0;
		if (err == EINTR || err == EINPROGRESS || err == EALREADY)
			err = -1;
	}
	return err;
}

CASE(race__connect_against_signals_and_timeouts)
{
	struct sigaction act = { .sa_handler = on_signal };
	unsigned int seed = 3;
	int interrupted = 0;
	pthread_t thread;

	set_rounds(1500);
	ASSERT_EQ(0, sigaction(SIGUSR1, &act, NULL));
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	connecting = pthread_self();
	pthread_create(&thread, NULL, send_signals, NULL);
	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		int port = PORT + roll(&seed, 2), fd = new_socket(), err;

		if (roll(&seed, 2))
			limit_waits(fd, 1);
		err = connect_to(fd, 2, port) ? errno : 0;
		if (err == EINTR || err == EINPROGRESS) {
			interrupted++;
			/* leave it to close(), or see it through */
			err = roll(&seed, 2) ? -1 : connect_at_last(fd, port);
		}
		if (err >= 0 && err != ECONNRESET &&
		    err != (port == PORT ? 0 : ECONNREFUSED))
			wrong("connect to %d: %s", port, strerrorname_np(err));
		close(fd);
	}
	over = true;
	pthread_join(thread, NULL);
	EXPECT_LT(rounds / 50, interrupted);
}

/* ---- the listener goes ---- */

static int doomed; /* a listener */
static atomic_int accepted, connected;

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

/* WAYS of a listener to end, and what sleeps in accept() meanwhile */
CASE(race__listener_ends_while_clients_come)
{
	pthread_t client[2], acceptor;
	unsigned int seed = 5;

	set_rounds(400);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		bool accepts = i % 2;

		doomed = nodes_listen(nodes, 2, PORT + 9, 4);
		if (doomed < 0)
			wrong("listen: %s", strerrorname_np(errno));
		limit_waits(doomed, LIMIT_S * 1000);
		for (long c = 0; c < 2; c++)
			pthread_create(&client[c], NULL, connect_doomed,
				       (void *)(c + 2 * i));
		if (accepts)
			pthread_create(&acceptor, NULL, accept_doomed, NULL);
		for (int n = roll(&seed, 8); n; n--)
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

	set_rounds(500);
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

	set_rounds(1200);
	pthread_barrier_init(&gate, NULL, 4);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, suffer, (void *)i);
	for (int i = 0; i < rounds; i++) {
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

	set_rounds(1200);
	pthread_barrier_init(&gate, NULL, 3);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, end_one, (void *)i);
	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds; i++) {
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

static bool pass(int way, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = room,
			      .msg_controllen = sizeof(room) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	return sendmsg(way, &msg, 0) == 1;
}

/* Return: the descriptor, or -1 at the end. */
static int take(int way)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = room,
			      .msg_controllen = sizeof(room) };
	int fd = -1;

	if (recvmsg(way, &msg, 0) == 1)
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* Answers one word on each socket that is passed to it, and closes it. */
static void answer_on_what_is_passed(int way)
{
	char word[4];
	int fd;

	while ((fd = take(way)) >= 0) {
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

	set_rounds(400);
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
		if (!pass(way[0], server))
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
		ASSERT_TRUE(pass(lost[0], server));
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

	set_rounds(60);
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
