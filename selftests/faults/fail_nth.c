// SPDX-License-Identifier: GPL-2.0
/* Failing allocations in the calls of sockets, and in making a namespace */
#include "fail_fixture.h"

#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

/* ---- sockets ---- */

static long call_socket(struct sweep *sweep)
{
	return sweep->made = socket(AF_PRP, SOCK_STREAM, 0);
}

static long call_socket_inet(struct sweep *sweep)
{
	return sweep->made = ip_mode_socket(AF_INET, 0);
}

TEST_F(fail, fail_nth__socket)
{
	nodes_enter(&self->nodes, 1);
	SWEEP(.call = call_socket);
}

TEST_F(fail, fail_nth__socket_of_the_ip_mode)
{
	nodes_enter(&self->nodes, 1);
	SWEEP(.call = call_socket_inet);
}

static bool prepare_socket(struct sweep *sweep)
{
	return (sweep->fd = nodes_socket(sweep->nodes, 1, 0)) >= 0;
}

static long call_bind(struct sweep *sweep)
{
	const struct sockaddr_prp at = prp_at(0, PORT);

	return bind(sweep->fd, SA(at), sizeof(at));
}

TEST_F(fail, fail_nth__bind)
{
	SWEEP(.prepare = prepare_socket, .call = call_bind);
}

static bool prepare_listener(struct sweep *sweep)
{
	return (sweep->other = nodes_listen(sweep->nodes, 2, PORT, 4)) >= 0 &&
	       prepare_socket(sweep);
}

static long call_connect(struct sweep *sweep)
{
	const struct sockaddr_prp at = prp_at(2, PORT);

	return connect(sweep->fd, SA(at), sizeof(at));
}

/* What goes in at one end comes out at the other. */
static bool talks(int from, int to)
{
	char byte = 0;

	return send(from, "x", 1, 0) == 1 &&
	       (wait_events(to, POLLIN) & POLLIN) &&
	       recv(to, &byte, 1, 0) == 1 && byte == 'x';
}

static bool check_connected(struct sweep *sweep, long ret)
{
	(void)ret;
	sweep->made = accept(sweep->other, NULL, NULL);
	return sweep->made >= 0 && talks(sweep->fd, sweep->made) &&
	       talks(sweep->made, sweep->fd);
}

TEST_F(fail, fail_nth__connect)
{
	SWEEP(.prepare = prepare_listener, .call = call_connect,
	      .check = check_connected);
}

static bool prepare_listener_inet(struct sweep *sweep)
{
	const struct sockaddr_in6 at = ip_at("0.0.0.0", PORT);

	nodes_enter(sweep->nodes, 2);
	sweep->other = ip_mode_socket(AF_INET, 0);
	nodes_enter(sweep->nodes, 1);
	sweep->fd = ip_mode_socket(AF_INET, 0);
	return sweep->fd >= 0 &&
	       !setsockopt(sweep->other, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 },
			   sizeof(int)) &&
	       !bind(sweep->other, SA(at), ip_len("0.0.0.0")) &&
	       !listen(sweep->other, 4);
}

static long call_connect_known(struct sweep *sweep)
{
	const struct sockaddr_in6 at = ip_at(KNOWN, PORT);

	return connect(sweep->fd, SA(at), ip_len(KNOWN));
}

static long call_connect_unknown(struct sweep *sweep)
{
	const struct sockaddr_in6 at = ip_at(UNKNOWN, PORT);

	return connect(sweep->fd, SA(at), ip_len(UNKNOWN));
}

TEST_F(fail, fail_nth__connect_of_the_ip_mode)
{
	SWEEP(.prepare = prepare_listener_inet, .call = call_connect_known,
	      .check = check_connected);
}

TEST_F(fail, fail_nth__connect_of_the_ip_mode_by_tcp)
{
	SWEEP(.prepare = prepare_listener_inet, .call = call_connect_unknown,
	      .check = check_connected);
}

static bool prepare_child(struct sweep *sweep)
{
	return prepare_listener(sweep) && !call_connect(sweep) &&
	       wait_events(sweep->other, POLLIN) == POLLIN;
}

static bool prepare_child_inet(struct sweep *sweep)
{
	return prepare_listener_inet(sweep) && !call_connect_known(sweep) &&
	       wait_events(sweep->other, POLLIN) == POLLIN;
}

static long call_accept(struct sweep *sweep)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);

	return sweep->made = accept(sweep->other, SA(at), &len);
}

/* A child whose accept() failed is gone, or waits for the next one. */
static bool check_accepted(struct sweep *sweep, long ret)
{
	char byte;

	if (ret >= 0)
		return talks(sweep->fd, ret) && talks(ret, sweep->fd);
	if (events_now(sweep->other) & POLLIN) {
		ret = accept(sweep->other, NULL, NULL);
		sweep->made = ret;
		return ret >= 0 && talks(sweep->fd, ret);
	}
	wait_events(sweep->fd, POLLIN);
	return recv(sweep->fd, &byte, 1, 0) <= 0;
}

TEST_F(fail, fail_nth__accept)
{
	SWEEP(.prepare = prepare_child, .call = call_accept,
	      .check = check_accepted, .once = true);
}

TEST_F(fail, fail_nth__accept_of_the_ip_mode)
{
	SWEEP(.prepare = prepare_child_inet, .call = call_accept,
	      .check = check_accepted, .once = true);
}

/* ---- data ---- */

static char pattern(size_t at)
{
	return at ^ at >> 8 ^ at >> 16;
}

/* fd sends, other receives. */
static bool prepare_pair(struct sweep *sweep)
{
	for (size_t i = 0; i < BYTES; i++)
		sweep->bytes[i] = pattern(i);
	return !nodes_pair(sweep->nodes, &sweep->fd, &sweep->other);
}

static long call_send(struct sweep *sweep)
{
	return send(sweep->fd, sweep->bytes, BYTES, 0);
}

/* What was said to be sent arrives, as it was, and then the end. */
static bool check_sent(struct sweep *sweep, long ret)
{
	size_t got = 0;
	char part[4096];
	ssize_t len;

	if (ret <= 0 || ret > BYTES || shutdown(sweep->fd, SHUT_WR))
		return false;
	while ((len = recv(sweep->other, part, sizeof(part), 0)) > 0)
		for (ssize_t i = 0; i < len; i++, got++)
			if (part[i] != pattern(got))
				return false;
	return !len && got == (size_t)ret;
}

TEST_F(fail, fail_nth__send)
{
	SWEEP(.prepare = prepare_pair, .call = call_send, .cached = true,
	      .check = check_sent);
}

/* Memory comes short in the middle, and there is room: who has a part taken and
 * waits for an edge before he goes on gets one. The task has some of a page
 * left from the byte before.
 */
TEST_F(fail, fail__part_of_a_send_tells_of_room)
{
	struct epoll_event room = { .events = EPOLLOUT | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC), fd, other;
	static char bytes[BYTES];
	ssize_t sent;

	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd, &other));
	ASSERT_TRUE(talks(fd, other));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &room));
	ASSERT_EQ(1, epoll_wait(epoll, &room, 1, PATIENCE_MS));
	ASSERT_TRUE(pages_fail(true));
	sent = send(fd, bytes, BYTES, MSG_DONTWAIT);
	ASSERT_TRUE(pages_fail(false));
	ASSERT_LT(0, sent);
	ASSERT_GT(BYTES, sent);
	ASSERT_EQ(1, epoll_wait(epoll, &room, 1, PATIENCE_MS));
}

/* As a whole or not at all: one message has come, and no part of another. */
static bool check_message(struct sweep *sweep, long ret)
{
	memset(sweep->bytes, 0, BYTES);
	if (ret != BYTES || shutdown(sweep->fd, SHUT_WR) ||
	    recv(sweep->other, sweep->bytes, BYTES, 0) != BYTES)
		return false;
	for (size_t i = 0; i < BYTES; i++)
		if (sweep->bytes[i] != pattern(i))
			return false;
	return !recv(sweep->other, sweep->bytes, BYTES, 0);
}

TEST_F(fail, fail_nth__send_of_a_message)
{
	self->nodes.type = SOCK_SEQPACKET;
	SWEEP(.prepare = prepare_pair, .call = call_send, .cached = true,
	      .check = check_message);
}

static bool prepare_file(struct sweep *sweep)
{
	if (!prepare_pair(sweep))
		return false;
	sweep->more = memfd_create("bytes", MFD_CLOEXEC);
	return sweep->more >= 0 &&
	       write(sweep->more, sweep->bytes, BYTES) == BYTES;
}

static long call_sendfile(struct sweep *sweep)
{
	off_t at = 0;

	return sendfile(sweep->fd, sweep->more, &at, BYTES);
}

TEST_F(fail, fail_nth__sendfile)
{
	SWEEP(.prepare = prepare_file, .call = call_sendfile, .cached = true,
	      .check = check_sent);
}

static bool prepare_pipe(struct sweep *sweep)
{
	int pipes[2];

	if (!prepare_pair(sweep) || pipe2(pipes, O_CLOEXEC))
		return false;
	sweep->more = pipes[0];
	sweep->made = pipes[1];
	return write(sweep->made, sweep->bytes, 30000) == 30000;
}

static long call_splice(struct sweep *sweep)
{
	return splice(sweep->more, NULL, sweep->fd, NULL, BYTES, 0);
}

TEST_F(fail, fail_nth__splice)
{
	SWEEP(.prepare = prepare_pipe, .call = call_splice, .cached = true,
	      .check = check_sent);
}

static bool prepare_unread(struct sweep *sweep)
{
	return prepare_pair(sweep) && call_send(sweep) == BYTES;
}

static long call_close(struct sweep *sweep)
{
	int fd = sweep->fd;

	sweep->fd = -1;
	return close(fd);
}

/* All that was sent arrives, and the end. */
static bool check_end(struct sweep *sweep, long ret)
{
	memset(sweep->bytes, 0, BYTES);
	if (ret || !recv_all(sweep->other, sweep->bytes, BYTES))
		return false;
	for (size_t i = 0; i < BYTES; i++)
		if (sweep->bytes[i] != pattern(i))
			return false;
	return !recv(sweep->other, sweep->bytes, 1, 0);
}

TEST_F(fail, fail_nth__close)
{
	SWEEP(.prepare = prepare_unread, .call = call_close, .cached = true,
	      .check = check_end);
}

static long call_close_listener(struct sweep *sweep)
{
	int fd = sweep->other;

	sweep->other = -1;
	return close(fd);
}

/* A reset that got lost comes again as soon as the other end says something. */
static bool check_reset(struct sweep *sweep, long ret)
{
	char byte;

	send(sweep->fd, "x", 1, 0);
	wait_events(sweep->fd, POLLIN);
	return !ret && recv(sweep->fd, &byte, 1, 0) <= 0;
}

TEST_F(fail, fail_nth__close_of_a_listener)
{
	SWEEP(.prepare = prepare_child, .call = call_close_listener,
	      .cached = true, .check = check_reset);
}

/* ---- namespaces ---- */

static long call_namespace(struct sweep *sweep)
{
	(void)sweep;
	return unshare(CLONE_NEWNET);
}

/*
 * PRP is one of many that a namespace is made of, and those that fail log
 * more than an errno: what counts is that the kernel is not tainted. A new
 * namespace that came about is usable.
 */
static bool check_namespace(struct sweep *sweep, long ret)
{
	if (ret)
		return false;
	sweep->made = socket(AF_PRP, SOCK_STREAM, 0);
	return sweep->made >= 0;
}

static long taint_bits(void)
{
	FILE *file = fopen("/proc/sys/kernel/tainted", "r");
	long bits = -1;

	if (!file || fscanf(file, "%ld", &bits) != 1)
		bits = -1;
	if (file)
		fclose(file);
	return bits;
}

TEST_F_TIMEOUT(fail, fail_nth__namespace, 1800)
{
	const long before = taint_bits();
	struct call call = {
		.call = call_namespace,
		.check = check_namespace,
		.foreign = true,
	};
	int reached;

	reached = sweep(&self->nodes, &call);
	EXPECT_LE(50, reached);
	EXPECT_EQ(before, taint_bits());
}

TEST_HARNESS_MAIN
