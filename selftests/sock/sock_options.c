// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options that change what a connection does while it stands: TCP shows
 * what is expected, then native sockets and those of the IP mode.
 */
#define CASES_AT_ONCE 2 /* many wait for keepalive */

#include "inet.h"
#include "slow.h"

#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MUCH (64 << 20) /* more than any buffer here holds */

/* A connection from node 1 to node 2 */
FIXTURE(way)
{
	struct nodes nodes;
	int client;
	int server;
	int listener;
};

FIXTURE_VARIANT(way)
{
	int family;
	bool ip_mode;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(way, tcp) {
	.family = AF_INET,
};

FIXTURE_VARIANT_ADD(way, native) {
	.family = AF_PRP,
};

FIXTURE_VARIANT_ADD(way, inet) {
	.family = AF_INET,
	.ip_mode = true,
};

/* clang-format on */

static bool is_native(const FIXTURE_VARIANT(way) * v)
{
	return v->family == AF_PRP;
}

static int way_socket(const FIXTURE_DATA(way) * self,
		      const FIXTURE_VARIANT(way) * v, int nr)
{
	nodes_enter(&self->nodes, nr);
	return v->ip_mode ? ip_mode_socket(v->family, 0) :
			    socket(v->family, SOCK_STREAM, 0);
}

static int way_listen(const FIXTURE_DATA(way) * self,
		      const FIXTURE_VARIANT(way) * v)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int fd = way_socket(self, v, 2);

	if (!is_native(v))
		return ip_listen_on(fd, "0.0.0.0", PORT, 5);
	return bind(fd, SA(at), sizeof(at)) || listen(fd, 5) ? -1 : fd;
}

/* Connects, and has the other end accepted. */
static bool way_join(FIXTURE_DATA(way) * self, const FIXTURE_VARIANT(way) * v)
{
	struct sockaddr_prp at = prp_at(2, PORT);
	int err;

	err = is_native(v) ? connect(self->client, SA(at), sizeof(at)) :
			     ip_connect(self->client, KNOWN, PORT);
	self->server = err ? -1 : accept(self->listener, NULL, NULL);
	return self->server >= 0 &&
	       path_of(self->client) == (v->family == AF_PRP || v->ip_mode ?
						 PRP_PATH_PRP :
						 PRP_PATH_TCP);
}

FIXTURE_SETUP(way)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	self->listener = way_listen(self, variant);
	ASSERT_LE(0, self->listener);
	self->client = way_socket(self, variant, 1);
	ASSERT_LE(0, self->client);
	ASSERT_TRUE(way_join(self, variant));
}

/* Created equals destroyed, however the case left its sockets. */
FIXTURE_TEARDOWN(way)
{
	close(self->client);
	close(self->server);
	close(self->listener);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* Segments in flight, and those that the pace alone holds back */
static int in_flight(int fd)
{
	struct prp_info prp = {};
	struct tcp_info tcp = {};
	socklen_t len = sizeof(prp);

	if (!getsockopt(fd, SOL_PRP, PRP_INFO, &prp, &len))
		return prp.prpi_in_flight +
		       (prp.prpi_snd_wnd ? prp.prpi_queued : 0);
	len = sizeof(tcp);
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &tcp, &len);
	return tcp.tcpi_unacked;
}

/* Sends until it would block and nothing is on its way whose arrival could make
 * room again; how many bytes went, or -1.
 */
static long fill(int fd)
{
	static char junk[65536];
	long sum = 0, end = now_ms() + LIMIT_MS;
	int refused = 0;
	ssize_t put;

	while (refused < 2 && sum < MUCH && now_ms() < end) {
		refused = in_flight(fd) ? 0 : refused;
		put = send(fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (put > 0) {
			sum += put;
			refused = 0;
		} else if (errno == EAGAIN) {
			refused++;
		} else {
			return -1;
		}
	}
	return refused == 2 ? sum : -1;
}

static bool drain(int fd, long len)
{
	static char junk[65536];

	while (len > 0) {
		ssize_t got = recv(fd, junk,
				   len < sizeof(junk) ? len : sizeof(junk), 0);

		if (got <= 0)
			return false;
		len -= got;
	}
	return !len;
}

/* Starts a child that ends well if the call does as it should, in time. */
#define IN_CHILD(call) \
	({ \
		pid_t child = fork(); \
		if (!child) { \
			alarm(LIMIT_MS / 1000); \
			_exit(!(call)); \
		} \
		child; \
	})

static bool ended_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && !status;
}

static bool poll_says(int fd, short events)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	return poll(&poll_fd, 1, LIMIT_MS) == 1 && poll_fd.revents & events;
}

TEST_F(way, sndbuf__raised_wakes_who_waits)
{
	pid_t writer, poller;
	long sent;

	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, 20000));
	sent = fill(self->client);
	ASSERT_LT(0, sent);
	poller = IN_CHILD(poll_says(self->client, POLLOUT));
	writer = IN_CHILD(send(self->client, "x", 1, 0) == 1);
	ASSERT_TRUE(wait_sleeps(poller));
	ASSERT_TRUE(wait_sleeps(writer));
	ASSERT_EQ(0, events_now(self->client) & POLLOUT);
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, 200000));
	ASSERT_TRUE(ended_well(writer));
	ASSERT_TRUE(ended_well(poller));
	ASSERT_TRUE(drain(self->server, sent + 1));
}

TEST_F(way, sndbuf__lowered_refuses_at_once)
{
	static char junk[65536];
	ssize_t more;
	long sent;

	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, 50000));
	sent = fill(self->client);
	ASSERT_LT(0, sent);
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, 200000));
	ASSERT_LT(0, send(self->client, junk, 1000, MSG_DONTWAIT));
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, 20000));
	/* TCP fills up its last segment in any case */
	more = send(self->client, junk, sizeof(junk), MSG_DONTWAIT);
	ASSERT_GT((ssize_t)sizeof(junk), more);
	ASSERT_ERRNO(EAGAIN, send(self->client, junk, 1, MSG_DONTWAIT));
	ASSERT_EQ(0, events_now(self->client) & POLLOUT);
	ASSERT_TRUE(drain(self->server, sent + 1000 + (more > 0 ? more : 0)));
	ASSERT_TRUE(poll_says(self->client, POLLOUT));
}

static bool send_zeroes(int fd, size_t len)
{
	char *zeroes = calloc(1, len);

	return zeroes && send_all(fd, zeroes, len);
}

/* SO_RCVLOWAT that the buffer has no room for */
TEST_F(way, rcvlowat__is_bounded_by_a_set_buffer)
{
	pid_t writer;

	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVBUF, 20000));
	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, 1 << 30));
	ASSERT_EQ(get_int(self->server, SOL_SOCKET, SO_RCVBUF) / 2,
		  get_int(self->server, SOL_SOCKET, SO_RCVLOWAT));
	writer = IN_CHILD(send_zeroes(self->client, 100000));
	ASSERT_TRUE(poll_says(self->server, POLLIN));
	ASSERT_TRUE(drain(self->server, 100000));
	ASSERT_TRUE(ended_well(writer));
}

/* What nobody has read yet fits into a buffer that nobody has set. */
TEST_F(way, rcvlowat__grows_the_buffer)
{
	const int mark = 3000000;
	pid_t writer;
	int unread;

	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, mark));
	ASSERT_EQ(mark, get_int(self->server, SOL_SOCKET, SO_RCVLOWAT));
	ASSERT_LE(2 * mark, get_int(self->server, SOL_SOCKET, SO_RCVBUF));
	writer = IN_CHILD(send_zeroes(self->client, mark));
	ASSERT_TRUE(poll_says(self->server, POLLIN));
	ASSERT_EQ(0, ioctl(self->server, SIOCINQ, &unread));
	ASSERT_EQ(mark, unread);
	ASSERT_TRUE(ended_well(writer));
	ASSERT_TRUE(drain(self->server, mark));
}

/* TCP of Linux 6.6 to 6.8 begins with a fourth of its buffer for data. */
TEST_F(way, rcvlowat__grows_no_further_than_its_bound)
{
	int buffer, mark, unread;
	pid_t writer;

	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, -1));
	mark = get_int(self->server, SOL_SOCKET, SO_RCVLOWAT);
	ASSERT_GT(8 << 20, mark);
	buffer = get_int(self->server, SOL_SOCKET, SO_RCVBUF);
	ASSERT_LE(2 * mark, buffer);
	if (is_native(variant) || variant->ip_mode)
		ASSERT_EQ(2 * mark, buffer);
	writer = IN_CHILD(send_zeroes(self->client, mark));
	ASSERT_TRUE(poll_says(self->server, POLLIN));
	ASSERT_EQ(0, ioctl(self->server, SIOCINQ, &unread));
	ASSERT_LT(0, unread);
	ASSERT_TRUE(drain(self->server, mark));
	ASSERT_TRUE(ended_well(writer));
}

/* Segments of a byte occupy so much that the buffer is full with few bytes; TCP
 * puts them together.
 */
TEST_F(way, rcvlowat__of_short_writes)
{
	size_t len = variant->family == AF_INET ? 1000 : 1;
	long sent = 0, end = now_ms() + LIMIT_MS;
	char bytes[1000] = {};

	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVBUF, 40000));
	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, 40000));
	while (!(events_now(self->server) & POLLIN)) {
		ASSERT_GT(end, now_ms());
		if (!in_flight(self->client) &&
		    send(self->client, bytes, len, MSG_DONTWAIT) == len)
			sent += len;
	}
	ASSERT_TRUE(drain(self->server, sent));
}

/* recv() would wait for the ten: TCP wakes nobody for fewer than 20. */
TEST_F(way, rcvlowat__lowered_wakes_who_waits)
{
	pid_t poller;
	char in[10];

	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, 20));
	ASSERT_EQ(10, send(self->client, "0123456789", 10, 0));
	ASSERT_TRUE(wait_unread(self->server, 10));
	ASSERT_EQ(0, events_now(self->server) & POLLIN);
	poller = IN_CHILD(poll_says(self->server, POLLIN));
	ASSERT_TRUE(wait_sleeps(poller));
	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, 10));
	ASSERT_TRUE(ended_well(poller));
	ASSERT_TRUE(recv_all(self->server, in, 10));
}

/* Who asks for fewer bytes gets them, and so does who only looks: those whom
 * TCP leaves asleep.
 */
TEST_F(way, rcvlowat__above_what_is_asked_for)
{
	pid_t reader;
	char in[10];
	int flags;

	if (!is_native(variant) && !variant->ip_mode)
		return;
	ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, SO_RCVLOWAT, 20));
	for (flags = MSG_PEEK; flags >= 0; flags -= MSG_PEEK) {
		reader = IN_CHILD(recv(self->server, in, 10, flags) == 10);
		ASSERT_TRUE(wait_sleeps(reader));
		ASSERT_EQ(10, send(self->client, "0123456789", 10, 0));
		ASSERT_TRUE(ended_well(reader));
		ASSERT_TRUE(recv_all(self->server, in, flags ? 10 : 0));
	}
}

/* Options for the times of SO_KEEPALIVE */
enum keep { IDLE, INTERVAL, COUNT };

static int keep_level(const FIXTURE_VARIANT(way) * v)
{
	return is_native(v) ? SOL_PRP : IPPROTO_TCP;
}

static int keep_name(const FIXTURE_VARIANT(way) * v, enum keep what)
{
	static const int names[][3] = {
		{ TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT },
		{ PRP_KEEPIDLE, PRP_KEEPINTVL, PRP_KEEPCNT },
	};

	return names[is_native(v)][what];
}

static int keep_set(const FIXTURE_VARIANT(way) * v, int fd, enum keep what,
		    int value)
{
	return set_int(fd, keep_level(v), keep_name(v, what), value);
}

static int keep_get(const FIXTURE_VARIANT(way) * v, int fd, enum keep what)
{
	return get_int(fd, keep_level(v), keep_name(v, what));
}

/* Probe after a second without a word, then every second. */
static bool keep_on(const FIXTURE_VARIANT(way) * v, int fd, int count)
{
	return !keep_set(v, fd, IDLE, 1) && !keep_set(v, fd, INTERVAL, 1) &&
	       !keep_set(v, fd, COUNT, count) &&
	       !set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

TEST_F(way, keepalive__times_are_kept)
{
	static const int most[] = { 32767, 32767, 127 };
	static const int unset[] = { 7200, 75, 9 };

	ASSERT_EQ(0, get_int(self->client, SOL_SOCKET, SO_KEEPALIVE));
	for (enum keep what = IDLE; what <= COUNT; what++) {
		ASSERT_EQ(unset[what], keep_get(variant, self->client, what));
		ASSERT_EQ(unset[what], keep_get(variant, self->server, what));
		ASSERT_ERRNO(EINVAL, keep_set(variant, self->client, what, 0));
		ASSERT_ERRNO(EINVAL, keep_set(variant, self->server, what, -1));
		ASSERT_ERRNO(EINVAL, keep_set(variant, self->server, what,
					      most[what] + 1));
		ASSERT_EQ(0, keep_set(variant, self->server, what, most[what]));
		ASSERT_EQ(most[what], keep_get(variant, self->server, what));
		ASSERT_EQ(0, keep_set(variant, self->server, what, 1));
		ASSERT_EQ(1, keep_get(variant, self->server, what));
	}
}

/* Cut first: that takes a while, in which a probe would be answered, or the
 * connection ends already.
 */
TEST_F(way, keepalive__ends_what_was_cut)
{
	const int count = 2;
	struct prp_info info = {}, before = {};
	socklen_t len = sizeof(info);
	long start = now_ms();

	ASSERT_TRUE(talk(self->client, self->server));
	ASSERT_TRUE(wait_acked(self->client));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	getsockopt(self->client, SOL_PRP, PRP_INFO, &before, &len);
	ASSERT_TRUE(keep_on(variant, self->client, count));
	ASSERT_TRUE(poll_says(self->client, POLLERR));
	ASSERT_EQ(ETIMEDOUT, sock_error(self->client));
	ASSERT_LE(900 * (1 + count), now_ms() - start);
	if (!getsockopt(self->client, SOL_PRP, PRP_INFO, &info, &len))
		ASSERT_EQ(count, info.prpi_probes_out - before.prpi_probes_out);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

/* A namespace may have no time for it at all. */
TEST_F(way, keepalive__namespace_has_no_time)
{
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "tcp_keepalive_time", "0"));
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "tcp_keepalive_intvl", "0"));
	close(self->client);
	close(self->server);
	self->client = way_socket(self, variant, 1);
	ASSERT_TRUE(way_join(self, variant));
	ASSERT_EQ(0, keep_set(variant, self->client, COUNT, 2));
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_KEEPALIVE, 1));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(poll_says(self->client, POLLERR));
	ASSERT_EQ(ETIMEDOUT, sock_error(self->client));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

/* How often node 1 has asked its peer */
static long keep_probes(const struct nodes *nodes, int fd)
{
	struct prp_info info;
	socklen_t len = sizeof(info);
	char names[8192], values[8192];
	long probes = -1;
	FILE *file;

	if (!getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len))
		return info.prpi_probes_out;
	nodes_enter(nodes, 1);
	file = fopen("/proc/thread-self/net/netstat", "r");
	if (file && fgets(names, sizeof(names), file) &&
	    fgets(values, sizeof(values), file)) {
		char *name_at, *at, *name = strtok_r(names, " ", &name_at);
		char *value = strtok_r(values, " ", &at);

		while (name && value && strcmp(name, "TCPKeepAlive")) {
			name = strtok_r(NULL, " ", &name_at);
			value = strtok_r(NULL, " ", &at);
		}
		probes = value ? atol(value) : -1;
	}
	if (file)
		fclose(file);
	return probes;
}

TEST_F(way, keepalive__leaves_what_is_there)
{
	long end = now_ms() + LIMIT_MS, probes;

	ASSERT_TRUE(keep_on(variant, self->client, 1));
	do {
		ASSERT_GT(end, now_ms());
		ASSERT_EQ(0,
			  poll(&(struct pollfd){ .fd = self->client }, 1, 100));
		probes = keep_probes(&self->nodes, self->client);
		ASSERT_LE(0, probes);
	} while (probes < 3);
	ASSERT_TRUE(talk(self->client, self->server));
}

TEST_F(way, keepalive__is_inherited)
{
	ASSERT_TRUE(keep_on(variant, self->listener, 1));
	close(self->client);
	close(self->server);
	self->client = way_socket(self, variant, 1);
	ASSERT_TRUE(way_join(self, variant));
	ASSERT_EQ(1, get_int(self->server, SOL_SOCKET, SO_KEEPALIVE));
	ASSERT_EQ(1, keep_get(variant, self->server, IDLE));
	ASSERT_EQ(1, keep_get(variant, self->server, INTERVAL));
	ASSERT_EQ(1, keep_get(variant, self->server, COUNT));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(poll_says(self->server, POLLERR));
	ASSERT_EQ(ETIMEDOUT, sock_error(self->server));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

/* Set before connect(), and the user's patience instead of a number */
TEST_F(way, keepalive__ends_with_the_users_patience)
{
	long start;

	close(self->client);
	close(self->server);
	self->client = way_socket(self, variant, 1);
	ASSERT_TRUE(keep_on(variant, self->client, 100));
	ASSERT_EQ(0, is_native(variant) ? set_int(self->client, SOL_PRP,
						  PRP_USER_TIMEOUT, 2500) :
					  set_int(self->client, IPPROTO_TCP,
						  TCP_USER_TIMEOUT, 2500));
	start = now_ms(); /* nothing has been heard yet */
	ASSERT_TRUE(way_join(self, variant));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(poll_says(self->client, POLLERR));
	ASSERT_EQ(ETIMEDOUT, sock_error(self->client));
	ASSERT_LE(2000, now_ms() - start);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
}

TEST_F(way, keepalive__switched_off_leaves_it)
{
	const struct timeval tv = { .tv_sec = 4 };
	char in;

	ASSERT_TRUE(talk(self->client, self->server));
	ASSERT_TRUE(wait_acked(self->client));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(keep_on(variant, self->client, 1));
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_KEEPALIVE, 0));
	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_RCVTIMEO, &tv,
				sizeof(tv)));
	ASSERT_ERRNO(EAGAIN, recv(self->client, &in, 1, 0));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(talk(self->client, self->server));
}

/* Options for what was not sent yet */
static int notsent_set(const FIXTURE_VARIANT(way) * v, int fd, int bytes)
{
	return is_native(v) ?
		       set_int(fd, SOL_PRP, PRP_NOTSENT_LOWAT, bytes) :
		       set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes);
}

TEST_F(way, notsent__bounds_what_waits)
{
	static char junk[1000];
	long sum = 0, put;
	pid_t poller;
	int unsent;

	/* there is room for more than that */
	ASSERT_EQ(0, set_int(self->client, SOL_SOCKET, SO_SNDBUF, 200000));
	ASSERT_EQ(0, notsent_set(variant, self->client, 20000));
	ASSERT_EQ(20000, is_native(variant) ? get_int(self->client, SOL_PRP,
						      PRP_NOTSENT_LOWAT) :
					      get_int(self->client, IPPROTO_TCP,
						      TCP_NOTSENT_LOWAT));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	while ((put = send(self->client, junk, 1000, MSG_DONTWAIT)) > 0)
		sum += put;
	ASSERT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, ioctl(self->client, SIOCOUTQNSD, &unsent));
	ASSERT_LE(20000, unsent);
	ASSERT_GT(100000, unsent); /* TCP fills up its last segment */
	ASSERT_EQ(0, events_now(self->client) & POLLOUT);

	poller = IN_CHILD(poll_says(self->client, POLLOUT));
	ASSERT_TRUE(wait_sleeps(poller));
	ASSERT_EQ(0, notsent_set(variant, self->client, 1000000));
	ASSERT_TRUE(ended_well(poller));

	ASSERT_EQ(0, notsent_set(variant, self->client, 20000));
	ASSERT_EQ(0, events_now(self->client) & POLLOUT);
	poller = IN_CHILD(poll_says(self->client, POLLOUT));
	ASSERT_TRUE(wait_sleeps(poller));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(drain(self->server, sum));
	ASSERT_TRUE(ended_well(poller));
	ASSERT_EQ(0, notsent_set(variant, self->client, 0));
}

static int64_t now_real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Reads so many bytes at once; the time that comes with them in nanoseconds, 0
 * if none does, -1 if it is told in another way than this.
 */
static int64_t recv_stamp(int fd, size_t len, int flags, int type)
{
	char in[64], control[256] = {};
	struct iovec iov = { in, len };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg;
	int64_t at[2];

	if (recvmsg(fd, &msg, flags) != (ssize_t)len)
		return -1;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg)
		return 0;
	if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != type)
		return -1;
	memcpy(at, CMSG_DATA(cmsg), sizeof(at));
	return at[0] * 1000000000LL + at[1] * (type == SO_TIMESTAMP ? 1000 : 1);
}

/* Names of the options, and what they are set to */
static const struct {
	int name;
	int value;
} stamps[] = {
	{ SO_TIMESTAMP, 1 },
	{ SO_TIMESTAMPNS, 1 },
	{ SO_TIMESTAMPING,
	  SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE },
};

/* Times of arrival are noted soon after the first socket wants them. */
static bool stamps_begin(int from, int to, int type)
{
	long end = now_ms() + LIMIT_MS;
	int64_t at = 0;

	while (!at && now_ms() < end) {
		if (send(from, "x", 1, 0) != 1)
			return false;
		at = recv_stamp(to, 1, 0, type);
	}
	return at > 0;
}

TEST_F(way, stamp__is_the_last_bytes_arrival)
{
	for (int i = 0; i < 3; i++) {
		int64_t before, between, after, at;

		ASSERT_EQ(0, set_int(self->server, SOL_SOCKET, stamps[i].name,
				     stamps[i].value));
		ASSERT_TRUE(stamps_begin(self->client, self->server,
					 stamps[i].name));
		before = now_real_ns();
		ASSERT_EQ(1, send(self->client, "1", 1, 0));
		ASSERT_TRUE(wait_unread(self->server, 1));
		between = now_real_ns();
		ASSERT_EQ(1, send(self->client, "2", 1, 0));
		ASSERT_TRUE(wait_unread(self->server, 2));
		after = now_real_ns();
		at = recv_stamp(self->server, 2, MSG_PEEK, stamps[i].name);
		ASSERT_LE(between / 1000 * 1000, at);
		ASSERT_GE(after, at);
		at = recv_stamp(self->server, 1, 0, stamps[i].name);
		ASSERT_LE(before / 1000 * 1000, at);
		/* TCP has made one of two */
		ASSERT_GE(variant->family == AF_INET ? after : between, at);
		at = recv_stamp(self->server, 1, 0, stamps[i].name);
		ASSERT_LE(between / 1000 * 1000, at);
		ASSERT_GE(after, at);
		ASSERT_EQ(0,
			  set_int(self->server, SOL_SOCKET, stamps[i].name, 0));
		ASSERT_EQ(1, send(self->client, "3", 1, 0));
		ASSERT_EQ(0, recv_stamp(self->server, 1, 0, stamps[i].name));
	}
}

TEST_F(way, stamp__is_inherited)
{
	ASSERT_EQ(0, set_int(self->listener, SOL_SOCKET, SO_TIMESTAMPNS, 1));
	close(self->client);
	close(self->server);
	self->client = way_socket(self, variant, 1);
	ASSERT_TRUE(way_join(self, variant));
	ASSERT_EQ(1, get_int(self->server, SOL_SOCKET, SO_TIMESTAMPNS));
	ASSERT_TRUE(stamps_begin(self->client, self->server, SO_TIMESTAMPNS));
}

/* A quarter of a second's bytes take as long, and more of them less. */
TEST_F(way, pacing__bounds_the_rate)
{
	static char bytes[256 * 1024];
	unsigned int rate = 4 * sizeof(bytes);
	long start = now_ms();
	size_t had = 0;

	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_MAX_PACING_RATE,
				&rate, sizeof(rate)));
	ASSERT_EQ(sizeof(bytes), write(self->client, bytes, sizeof(bytes)));
	while (had < sizeof(bytes)) {
		ssize_t got = read(self->server, bytes, sizeof(bytes));

		ASSERT_LT(0, got);
		had += got;
	}
	ASSERT_LE(200, now_ms() - start);
	rate = ~0U;
	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_MAX_PACING_RATE,
				&rate, sizeof(rate)));
	ASSERT_TRUE(talk(self->client, self->server));
}

/* Less than a byte in the time that it is reckoned in, and no bound at all */
TEST_F(way, pacing__slow_and_zero)
{
	static char bytes[256 * 1024];
	unsigned int rate = 500;
	struct pollfd poll_in = { .fd = self->server, .events = POLLIN };
	long start = now_ms();

	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_MAX_PACING_RATE,
				&rate, sizeof(rate)));
	ASSERT_EQ(3000, send(self->client, bytes, 3000, 0));
	for (ssize_t had = 0; had < 3000;) {
		ssize_t got = read(self->server, bytes, sizeof(bytes));

		ASSERT_LT(0, got);
		had += got;
	}
	/* TCP lets ten segments leave before it begins */
	if (is_native(variant) || variant->ip_mode)
		ASSERT_LE(2000, now_ms() - start);
	rate = 0;
	ASSERT_EQ(0, setsockopt(self->client, SOL_SOCKET, SO_MAX_PACING_RATE,
				&rate, sizeof(rate)));
	ASSERT_EQ(sizeof(bytes), write(self->client, bytes, sizeof(bytes)));
	for (size_t had = 0; had < sizeof(bytes);) {
		ssize_t got;

		ASSERT_EQ(1, poll(&poll_in, 1, LIMIT_MS));
		got = read(self->server, bytes, sizeof(bytes));
		ASSERT_LT(0, got);
		had += got;
	}
}

TEST_F(way, pacing__is_inherited)
{
	ASSERT_EQ(0, set_int(self->listener, SOL_SOCKET, SO_MAX_PACING_RATE,
			     1000000));
	close(self->client);
	close(self->server);
	self->client = way_socket(self, variant, 1);
	ASSERT_TRUE(way_join(self, variant));
	ASSERT_EQ(1000000,
		  get_int(self->server, SOL_SOCKET, SO_MAX_PACING_RATE));
}

/* It marks where a segment ends; nobody is told. */
TEST_F(way, send__eor_of_a_stream_is_not_told)
{
	char in[8];
	struct iovec iov = { in, 8 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	ASSERT_EQ(3, send(self->client, "one", 3, MSG_EOR));
	ASSERT_EQ(3, recvmsg(self->server, &msg, 0));
	ASSERT_EQ(0, msg.msg_flags);
}

/* SO_PEEK_OFF of a stream as AF_UNIX has it; the kernel's TCP may have none. */
static void peek_pair(int family, int from, int to, int fds[2])
{
	fds[0] = from;
	fds[1] = to;
	if (family == AF_UNIX && socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		fds[0] = -1;
}

TEST_F(pair, peek_off__of_a_stream)
{
	static const int families[] = { AF_UNIX, AF_PRP };
	char in[10];
	int fds[2];

	for (int i = 0; i < 2; i++) {
		peek_pair(families[i], self->client, self->server, fds);
		ASSERT_EQ(-1, get_int(fds[1], SOL_SOCKET, SO_PEEK_OFF));
		ASSERT_EQ(0, set_int(fds[1], SOL_SOCKET, SO_PEEK_OFF, 2));
		ASSERT_EQ(10, send(fds[0], "0123456789", 10, 0));
		ASSERT_TRUE(wait_unread(fds[1], 10));
		ASSERT_EQ(3, recv(fds[1], in, 3, MSG_PEEK));
		ASSERT_EQ(0, memcmp(in, "234", 3));
		ASSERT_EQ(5, get_int(fds[1], SOL_SOCKET, SO_PEEK_OFF));
		ASSERT_EQ(4, recv(fds[1], in, 4, 0));
		ASSERT_EQ(0, memcmp(in, "0123", 4));
		ASSERT_EQ(1, get_int(fds[1], SOL_SOCKET, SO_PEEK_OFF));
		ASSERT_EQ(5, recv(fds[1], in, 10, MSG_PEEK));
		ASSERT_EQ(0, memcmp(in, "56789", 5));
		ASSERT_ERRNO(EAGAIN,
			     recv(fds[1], in, 10, MSG_PEEK | MSG_DONTWAIT));
		ASSERT_EQ(2, send(fds[0], "ab", 2, 0));
		ASSERT_EQ(2, recv(fds[1], in, 10, MSG_PEEK));
		ASSERT_EQ(0, memcmp(in, "ab", 2));
		ASSERT_EQ(0, set_int(fds[1], SOL_SOCKET, SO_PEEK_OFF, -1));
		ASSERT_EQ(8, recv(fds[1], in, 10, MSG_PEEK));
		ASSERT_EQ(0, memcmp(in, "456789ab", 8));
		ASSERT_EQ(0, set_int(fds[1], SOL_SOCKET, SO_PEEK_OFF, 8));
		ASSERT_EQ(0, shutdown(fds[0], SHUT_WR));
		ASSERT_EQ(0, recv(fds[1], in, 10, MSG_PEEK));
		ASSERT_EQ(8, recv(fds[1], in, 10, 0));
		ASSERT_EQ(0, get_int(fds[1], SOL_SOCKET, SO_PEEK_OFF));
	}
}

/* A page that is not there until page_give() */
struct page {
	char *at;
	int fd;
};

static bool page_make(struct page *page)
{
	struct uffdio_register range = {};
	struct uffdio_api api = { .api = UFFD_API };
	size_t size = getpagesize();

	page->at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	range.range.start = (uintptr_t)page->at;
	range.range.len = size;
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	return page->at != MAP_FAILED && page->fd >= 0 &&
	       !ioctl(page->fd, UFFDIO_API, &api) &&
	       !ioctl(page->fd, UFFDIO_REGISTER, &range);
}

/* Waits until somebody wants it. */
static bool page_wanted(const struct page *page)
{
	struct uffd_msg msg;

	return poll_says(page->fd, POLLIN) &&
	       read(page->fd, &msg, sizeof(msg)) == sizeof(msg);
}

static void page_give(const struct page *page)
{
	struct uffdio_zeropage zero = {};

	zero.range.start = (uintptr_t)page->at;
	zero.range.len = getpagesize();
	ioctl(page->fd, UFFDIO_ZEROPAGE, &zero);
}

/* A thread that reads, or writes, through such a page */
struct slow_user {
	struct page page;
	int fd;
	bool writes;
	ssize_t done;
};

static void *slow_run(void *arg)
{
	struct slow_user *user = arg;

	user->done = user->writes ? send(user->fd, user->page.at, 2, 0) :
				    recv(user->fd, user->page.at, 2, 0);
	return NULL;
}

/* Does a child end well, and before somebody who is given his page then? */
static bool ends_before(pid_t child, const struct page *page)
{
	long end = now_ms() + LIMIT_MS;
	int status;
	pid_t got;

	do {
		got = waitpid(child, &status, WNOHANG);
	} while (!got && now_ms() < end);
	page_give(page);
	return got == child ? !status : waitpid(child, &status, 0) < 0;
}

static bool epoll_in(int fd, int ms, unsigned int event)
{
	struct epoll_event got = {};

	return epoll_wait(fd, &got, 1, ms) == 1 && got.events & event;
}

/* Nobody who may not wait does so for another one's page; nor does he ask again
 * and again, and he is told when it is time. TCP sleeps.
 */
TEST_F(pair, busy__reader_is_not_waited_for)
{
	struct slow_user user = { .fd = self->server };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int edges = epoll_create1(0);
	pthread_t thread;
	pid_t child;
	char in[4];

	ASSERT_TRUE(page_make(&user.page));
	ASSERT_EQ(4, send(self->client, "abcd", 4, 0));
	ASSERT_TRUE(wait_unread(self->server, 4));
	ASSERT_EQ(0, epoll_ctl(edges, EPOLL_CTL_ADD, self->server, &event));
	ASSERT_TRUE(epoll_in(edges, 0, EPOLLIN));
	ASSERT_EQ(0, pthread_create(&thread, NULL, slow_run, &user));
	ASSERT_TRUE(page_wanted(&user.page));
	child = IN_CHILD(recv(self->server, in, 2, MSG_DONTWAIT) < 0 &&
			 errno == EAGAIN &&
			 !(events_now(self->server) & POLLIN));
	ASSERT_TRUE(ends_before(child, &user.page));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(2, user.done);
	ASSERT_TRUE(epoll_in(edges, LIMIT_MS, EPOLLIN));
	ASSERT_EQ(2, recv(self->server, in, 2, MSG_DONTWAIT));
	ASSERT_EQ(0, memcmp(in, "cd", 2));
}

TEST_F(pair, busy__writer_is_not_waited_for)
{
	struct slow_user user = { .fd = self->client, .writes = true };
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int edges = epoll_create1(0);
	pthread_t thread;
	pid_t child;
	char in[3];

	ASSERT_TRUE(page_make(&user.page));
	ASSERT_EQ(0, epoll_ctl(edges, EPOLL_CTL_ADD, self->client, &event));
	ASSERT_TRUE(epoll_in(edges, 0, EPOLLOUT));
	ASSERT_EQ(0, pthread_create(&thread, NULL, slow_run, &user));
	ASSERT_TRUE(page_wanted(&user.page));
	child = IN_CHILD(send(self->client, "x", 1, MSG_DONTWAIT) < 0 &&
			 errno == EAGAIN &&
			 !(events_now(self->client) & POLLOUT));
	ASSERT_TRUE(ends_before(child, &user.page));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(2, user.done);
	ASSERT_TRUE(epoll_in(edges, LIMIT_MS, EPOLLOUT));
	ASSERT_EQ(1, send(self->client, "x", 1, MSG_DONTWAIT));
	ASSERT_TRUE(recv_all(self->server, in, 3));
	ASSERT_EQ(0, memcmp(in, "\0\0x", 3));
}

TEST_HARNESS_MAIN
