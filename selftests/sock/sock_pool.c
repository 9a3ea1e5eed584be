// SPDX-License-Identifier: GPL-2.0
/*
 * Others have used up the namespace's memory: poll() and send() agree on
 * whether there is room, and who waits for some is woken when others give back.
 */
#include "fixture.h"
#include "slow.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define QUANTUM (64 * 1024) /* PRP_MEM_QUANTUM */
#define RESERVE (32 * 1024) /* PRP_MEM_RESERVE */
#define HOGS 64
#define HOG_SNDBUF (512 << 20)
#define BIG 100000 /* a message that the reserve has no room for */
#define QUIET_MS 300 /* nothing comes any more */
#define MANY 24 /* who wait at once */

/* Connections from node 1 to node 2 whose readers read nothing */
FIXTURE(pool)
{
	struct nodes nodes;
	int hog[HOGS];
	int hogs;
};

static char junk[1 << 20];
static int port = PORT;

static int set_option(int fd, int option, int value)
{
	return setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value));
}

/* A connection whose reader has the smallest buffer */
static bool join(const struct nodes *nodes, int type, int *client, int *server)
{
	struct nodes typed = *nodes;
	int listener;

	typed.type = type;
	listener = nodes_listen(&typed, 2, port, 1);
	if (listener < 0 || set_option(listener, SO_RCVBUF, 1))
		return false;
	*client = nodes_connect(&typed, 1, 2, port++);
	*server = accept(listener, NULL, NULL);
	close(listener);
	return *client >= 0 && *server >= 0;
}

/* Sends until it would block and the peer's window is closed, so that nothing
 * of its own can change that; how many bytes went, or -1.
 */
static long fill(int fd)
{
	long sum = 0, end = now_ms() + LIMIT_MS;
	ssize_t put;
	bool closed;

	while (now_ms() < end) {
		closed = !info_of(fd).prpi_snd_wnd;
		put = send(fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (put > 0) {
			sum += put;
			continue;
		}
		if (errno != EAGAIN)
			return -1;
		if (closed)
			return sum;
		usleep(1000);
	}
	return -1;
}

static bool writable(int fd)
{
	return events_now(fd) & POLLOUT;
}

static bool wait_writable(int fd)
{
	return wait_events(fd, POLLOUT) & POLLOUT;
}

/* Gives back what a hog holds, all at once. */
static bool let_go(int fd)
{
	struct linger linger = { .l_onoff = 1 };

	return !setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger,
			   sizeof(linger)) &&
	       !close(fd);
}

/* Has hogs hold so much that less than a quantum of the pool is left. */
static bool use_up(const struct nodes *nodes, int *hog, int *hogs)
{
	long limit;
	int server;

	for (; *hogs < HOGS; ++*hogs) {
		limit = nodes_counter(nodes, 1, "pool_limit");
		if (limit - nodes_counter(nodes, 1, "pool_bytes") < QUANTUM)
			return true;
		if (!join(nodes, SOCK_STREAM, hog + *hogs, &server) ||
		    set_option(hog[*hogs], SO_SNDBUFFORCE, HOG_SNDBUF) ||
		    fill(hog[*hogs]) < 0)
			return false;
	}
	return false;
}

FIXTURE_SETUP(pool)
{
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_mtu(&self->nodes, 65535)); /* few hogs do */
	self->hogs = 0;
	ASSERT_TRUE(use_up(&self->nodes, self->hog, &self->hogs));
}

FIXTURE_TEARDOWN(pool)
{
}

#define LET_GO() ASSERT_TRUE(let_go(self->hog[--self->hogs]))
#define USE_UP() ASSERT_TRUE(use_up(&self->nodes, self->hog, &self->hogs))

TEST_F(pool, poll__stream)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int ep = epoll_create1(0);
	int client, server;
	long sum;

	/* what is its own is there in any case */
	ASSERT_TRUE(join(&self->nodes, SOCK_STREAM, &client, &server));
	ASSERT_TRUE(writable(client));
	sum = fill(client);
	ASSERT_LE(RESERVE / 2, sum);
	ASSERT_GE(2 * QUANTUM, sum);
	ASSERT_FALSE(writable(client));

	/* the peer's reading makes room for it */
	while (sum > 0)
		sum -= recv(server, junk, sizeof(junk), 0);
	ASSERT_TRUE(wait_writable(client));
	ASSERT_LE(1, send(client, junk, sizeof(junk), MSG_DONTWAIT));

	/* so do others */
	ASSERT_LE(0, fill(client));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, client, &event));
	ASSERT_EQ(0, epoll_wait(ep, &event, 1, QUIET_MS));
	ASSERT_FALSE(writable(client));
	LET_GO();
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, LIMIT_MS));
	ASSERT_TRUE(writable(client));
	ASSERT_LE(1, send(client, junk, 1, MSG_DONTWAIT));
}

/* Whether there is room is asked for the message that was refused last, of
 * which nothing is under way that could make an edge.
 */
TEST_F(pool, poll__messages)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int ep = epoll_create1(0);
	int client, server;

	ASSERT_TRUE(join(&self->nodes, SOCK_SEQPACKET, &client, &server));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, client, &event));
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, LIMIT_MS));
	ASSERT_ERRNO(EAGAIN, send(client, junk, BIG, MSG_DONTWAIT));
	ASSERT_FALSE(writable(client));
	ASSERT_EQ(1, send(client, junk, 1, MSG_DONTWAIT));
	ASSERT_TRUE(writable(client));
	ASSERT_ERRNO(EAGAIN, send(client, junk, BIG, MSG_DONTWAIT));
	while (epoll_wait(ep, &event, 1, QUIET_MS) == 1)
		; /* the short one's arrival */
	ASSERT_FALSE(writable(client));
	LET_GO();
	ASSERT_EQ(1, epoll_wait(ep, &event, 1, LIMIT_MS));
	ASSERT_TRUE(writable(client));
	ASSERT_EQ(BIG, send(client, junk, BIG, MSG_DONTWAIT));
}

struct blocked {
	pthread_t thread;
	int fd;
	ssize_t put;
	long switches;
};

static void *blocked_send(void *arg)
{
	struct blocked *blocked = arg;
	struct rusage usage;

	blocked->put = send(blocked->fd, junk, BIG, MSG_NOSIGNAL);
	getrusage(RUSAGE_THREAD, &usage);
	blocked->switches = usage.ru_nvcsw;
	return NULL;
}

/* Who looks at what there was memory for of a message gets it, too. */
TEST_F(pool, recv__behind_a_look_at_a_part)
{
	const ssize_t len = 4 * BIG;
	int client, server;
	ssize_t seen;

	ASSERT_TRUE(join(&self->nodes, SOCK_SEQPACKET, &client, &server));
	ASSERT_EQ(len, send(server, junk, len, 0));
	ASSERT_EQ(POLLIN, wait_events(client, POLLIN));
	seen = recv(client, junk, len, MSG_DONTWAIT | MSG_PEEK);
	ASSERT_LT(0, seen);
	ASSERT_GT(len, seen);
	ASSERT_LE(seen, recv(client, junk, len, MSG_DONTWAIT));
}

/* Who sleeps in send() sleeps until there is room. */
TEST_F(pool, send__sleeps)
{
	static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET };
	struct blocked blocked;
	int server;

	for (int i = 0; i < 2; i++) {
		USE_UP();
		ASSERT_TRUE(join(&self->nodes, types[i], &blocked.fd, &server));
		if (types[i] == SOCK_STREAM)
			ASSERT_LT(0, fill(blocked.fd));
		ASSERT_EQ(0, pthread_create(&blocked.thread, NULL, blocked_send,
					    &blocked));
		usleep(QUIET_MS * 1000); /* for it to wake up in vain */
		LET_GO();
		ASSERT_EQ(0, pthread_join(blocked.thread, NULL));
		ASSERT_EQ(BIG, blocked.put);
		ASSERT_GE(QUIET_MS / 50, blocked.switches);
	}
}

TEST_F(pool, send__times_out)
{
	struct timeval tv = { .tv_usec = 100000 };
	long start = now_ms();
	int client, server;

	ASSERT_TRUE(join(&self->nodes, SOCK_SEQPACKET, &client, &server));
	ASSERT_EQ(0,
		  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)));
	ASSERT_ERRNO(EAGAIN, send(client, junk, BIG, 0));
	ASSERT_LE(start + 95, now_ms());
	ASSERT_GE(start + 5000 * slow(), now_ms());
}

/* Who waits until all has arrived wants no memory, though it was refused some.
 */
TEST_F(pool, close__waits_for_arrival_only)
{
	struct linger linger = { .l_onoff = 1,
				 .l_linger = 2 * LIMIT_MS / 1000 };
	int client, server, go[2];
	char its[40];
	pid_t pid;
	long start;

	ASSERT_EQ(0, pipe(go));
	ASSERT_TRUE(join(&self->nodes, SOCK_SEQPACKET, &client, &server));
	ASSERT_EQ(0, setsockopt(client, SOL_SOCKET, SO_LINGER, &linger,
				sizeof(linger)));
	while (info_of(client).prpi_snd_wnd)
		ASSERT_EQ(1, send(client, junk, 1, MSG_DONTWAIT));
	ASSERT_EQ(1, send(client, junk, 1, MSG_DONTWAIT));
	ASSERT_ERRNO(EAGAIN, send(client, junk, BIG, MSG_DONTWAIT));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(server);
		close(go[1]);
		read(go[0], junk, 1); /* until it has the last descriptor */
		_exit(close(client) != 0);
	}
	close(client);
	close(go[1]);
	snprintf(its, sizeof(its), "/proc/%d/fd/%d", pid, client);
	while (!access(its, F_OK))
		;
	ASSERT_TRUE(wait_sleeps(pid));
	start = now_ms();
	while (recv(server, junk, sizeof(junk), 0) > 0)
		;
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_GT(start + LIMIT_MS, now_ms());
}

/* So many get an edge before nobody else does. */
static int edges(int ep, int wanted)
{
	struct epoll_event events[MANY];
	int sum = 0, n;

	do {
		n = epoll_wait(ep, events, MANY,
			       sum < wanted ? LIMIT_MS : QUIET_MS);
		sum += n;
	} while (n > 0);
	return sum;
}

/* All are woken, also those behind some that make no use of what there is;
 * and who is closed while it waits is forgotten.
 */
TEST_F(pool, epoll__many)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int client[MANY], server, ep = epoll_create1(0);

	for (int i = 0; i < MANY; i++) {
		ASSERT_TRUE(join(&self->nodes, SOCK_SEQPACKET, &client[i],
				 &server));
		ASSERT_ERRNO(EAGAIN, send(client[i], junk, BIG, MSG_DONTWAIT));
		ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, client[i], &event));
	}
	ASSERT_EQ(0, edges(ep, 0));
	close(client[0]);
	close(client[MANY / 2]);
	LET_GO();
	ASSERT_EQ(MANY - 2, edges(ep, MANY - 2));
	for (int i = 1; i < MANY; i++)
		if (i != MANY / 2)
			ASSERT_TRUE(writable(client[i]));
}

/* A little room does not wake them all. */
TEST_F(pool, epoll__a_few)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int client[MANY], server, ep = epoll_create1(0);
	int woken, sent = 0;

	for (int i = 0; i < MANY; i++) {
		ASSERT_TRUE(join(&self->nodes, SOCK_SEQPACKET, &client[i],
				 &server));
		event.data.fd = client[i];
		ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, client[i], &event));
		ASSERT_EQ(1, epoll_wait(ep, &event, 1, LIMIT_MS));
	}
	/* one holds some quanta, which it gives back */
	LET_GO();
	ASSERT_EQ(BIG, send(client[0], junk, BIG, MSG_DONTWAIT));
	USE_UP();
	for (int i = 1; i < MANY; i++)
		ASSERT_ERRNO(EAGAIN, send(client[i], junk, BIG, MSG_DONTWAIT));
	ASSERT_EQ(0, edges(ep, 0));
	ASSERT_TRUE(let_go(client[0]));
	/* one that is slow may find that the next one was woken, too */
	for (woken = 0; epoll_wait(ep, &event, 1, QUIET_MS) == 1; woken++)
		sent += send(event.data.fd, junk, BIG, MSG_DONTWAIT) == BIG;
	ASSERT_LE(1, sent);
	ASSERT_GE(MANY / 4, woken);
}

TEST_HARNESS_MAIN
