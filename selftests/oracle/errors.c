// SPDX-License-Identifier: GPL-2.0
/* What ended a connection: who is told, in which order, and how often. */
#include "oracle.h"

/* Return: our end of a connection that its peer has reset */
static int after_reset(void)
{
	struct pair p = pair();

	reset(p.s);
	wait_until(p.c, 0);
	return p.c;
}

CASE(errors__recv_is_told_once)
{
	int fd = after_reset();

	saw(recv_one(fd));
	saw(recv_one(fd));
	saw(recv_one(fd));
	saw_error(fd);
	saw_events(fd);
}

CASE(errors__send_is_told_once)
{
	int fd = after_reset();

	saw(send(fd, "x", 1, 0));
	saw(send(fd, "x", 1, 0));
	saw(send(fd, "x", 1, MSG_NOSIGNAL));
	saw_error(fd);
	saw(recv_one(fd));
}

CASE(errors__so_error_clears)
{
	int fd = after_reset();

	saw_error(fd);
	saw_error(fd);
	saw(recv_one(fd));
	saw(send(fd, "x", 1, 0));
}

CASE(errors__poll_does_not_clear)
{
	int fd = after_reset();

	saw_events(fd);
	saw_events(fd);
	saw_error(fd);
	saw_events(fd);
}

CASE(errors__peek_clears)
{
	int fd = after_reset();

	saw(recv(fd, scratch, 1, MSG_PEEK));
	saw(recv(fd, scratch, 1, MSG_PEEK));
	saw_error(fd);
}

CASE(errors__no_bytes_clear)
{
	int fd = after_reset();

	saw(recv(fd, NULL, 0, 0));
	saw_error(fd);
}

CASE(errors__read_and_write)
{
	int fd = after_reset();

	saw(write(fd, "x", 1));
	saw(write(fd, "x", 1));
	saw(read(fd, scratch, 1));
}

CASE(errors__so_error_of_length)
{
	int fd = after_reset();
	socklen_t len = 1;
	char error = 0;

	saw(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len));
	note("%d %d", error, (int)len);
	saw_error(fd);
}

CASE(errors__so_error_with_bad_pointer)
{
	int fd = after_reset();
	socklen_t len = 4;

	saw(getsockopt(fd, SOL_SOCKET, SO_ERROR, (void *)16, &len));
	saw_error(fd);
}

CASE(errors__reset_wakes_reader)
{
	struct pair p = pair();
	struct doing doing;

	go_to_sleep(&doing, recv_one, p.c, SYS_recvfrom);
	reset(p.s);
	saw(done(&doing));
	saw(recv_one(p.c));
}

static long send_one(int fd)
{
	return send(fd, "x", 1, 0);
}

CASE(errors__reset_wakes_writer)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	go_to_sleep(&doing, send_one, p.c, SYS_sendto);
	reset(p.s);
	saw(done(&doing));
	saw(send(p.c, "x", 1, 0));
}

CASE(errors__reset_wakes_writer_after_a_part)
{
	struct pair p = small_pair();
	struct doing doing;
	long put;

	go_to_sleep(&doing, send_much, p.c, SYS_sendto);
	reset(p.s);
	put = done(&doing);
	note("%s", put > 0 && put < 1 << 20 ? "a part" : "other");
	saw(send(p.c, "x", 1, 0));
	saw(send(p.c, "x", 1, 0));
}

/* Of two that sleep one is told why. */
CASE(errors__reset_wakes_both_readers)
{
	struct pair p = pair();
	struct doing one, two;

	go_to_sleep(&one, recv_one, p.c, SYS_recvfrom);
	go_to_sleep(&two, recv_one, p.c, SYS_recvfrom);
	reset(p.s);
	done(&one);
	done(&two);
	note("%s", one.ret + two.ret == -1 ? "one of them" : "other");
}

CASE(errors__reset_after_own_shutdown)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	reset(p.s);
	wait_until(p.c, 0);
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.c));
	saw(recv_one(p.c));
}

/* The peer had ended before it reset: that is a broken pipe. */
CASE(errors__reset_after_peers_end)
{
	struct pair p = pair();

	shutdown(p.s, SHUT_WR);
	wait_until(p.c, POLLRDHUP);
	reset(p.s);
	wait_until(p.c, 0);
	saw_events(p.c);
	saw_error(p.c);
	saw(recv_one(p.c));
}

CASE(errors__reset_after_peers_end_told_to_recv)
{
	struct pair p = pair();

	shutdown(p.s, SHUT_WR);
	wait_until(p.c, POLLRDHUP);
	reset(p.s);
	wait_until(p.c, 0);
	saw(recv_one(p.c));
	saw(recv_one(p.c));
}

CASE(errors__reset_of_both)
{
	struct pair p = pair();

	send(p.c, "x", 1, 0);
	send(p.s, "x", 1, 0);
	wait_arrived(p.c, 1);
	wait_arrived(p.s, 1);
	saw(close(p.c));
	wait_until(p.s, POLLRDHUP);
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

CASE(errors__data_then_error)
{
	static char out[20000];
	struct pair p = pair();

	send(p.s, out, sizeof(out), 0);
	wait_arrived(p.c, sizeof(out));
	reset(p.s);
	wait_until(p.c, 0);
	saw(drain(p.c, sizeof(out)));
	saw(recv_one(p.c));
	saw(recv_one(p.c));
}

/* Whoever sends first takes the error away from who would read. */
CASE(errors__send_before_the_data)
{
	struct pair p = pair();

	send(p.s, "abc", 3, 0);
	wait_arrived(p.c, 3);
	reset(p.s);
	wait_until(p.c, 0);
	saw(send(p.c, "x", 1, 0));
	saw(recv(p.c, scratch, 8, 0));
	saw(recv_one(p.c));
}

CASE(errors__pipe_signal_comes_once)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	saw(send(p.c, "x", 1, MSG_NOSIGNAL));
	saw(send(p.c, "x", 1, 0));
	saw(write(p.c, "x", 1));
	signal(SIGPIPE, SIG_IGN);
	saw(write(p.c, "x", 1));
}

CASE(errors__pipe_signal_kills)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	signal(SIGPIPE, SIG_DFL);
	saw(send(p.c, "x", 1, MSG_NOSIGNAL));
	saw(send(p.c, "x", 1, 0));
}

CASE(errors__names_after_a_reset)
{
	struct at name = { .len = sizeof(name.to) };
	int fd = after_reset();

	saw(getpeername(fd, (void *)&name.to, &name.len));
	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
}

CASE(errors__queues_after_a_reset)
{
	struct pair p = small_pair();

	fill(p.c);
	send(p.s, "abc", 3, 0);
	wait_arrived(p.c, 3);
	reset(p.s);
	wait_until(p.c, 0);
	saw(queued(p.c, SIOCINQ));
	saw(!!queued(p.c, SIOCOUTQ));
	saw(!!queued(p.c, SIOCOUTQNSD));
}
