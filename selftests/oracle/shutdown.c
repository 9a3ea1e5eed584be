// SPDX-License-Identifier: GPL-2.0
/* shutdown(): each half, in each state, and what the other end sees. */
#include "oracle.h"

CASE(shutdown__unconnected)
{
	int fd = sock(1, 0);

	saw(shutdown(fd, SHUT_RD));
	saw(shutdown(fd, SHUT_WR));
	saw(shutdown(fd, SHUT_RDWR));
	saw_events(fd);
	listener(0, 5);
	saw(connect_to(fd, 2, 0));
	saw(send(fd, "x", 1, 0));
	saw_events(fd);
}

CASE(shutdown__unknown_half)
{
	struct pair p = pair();

	saw(shutdown(p.c, 3));
	saw(shutdown(p.c, -1));
	saw(shutdown(sock(1, 0), 3));
	saw_events(p.c);
}

CASE(shutdown__pending_reading)
{
	int fd = connecting();

	saw(shutdown(fd, SHUT_RD));
	saw_events(fd);
	saw_error(fd);
}

CASE(shutdown__pending_writing)
{
	int fd = connecting();

	saw(shutdown(fd, SHUT_WR));
	saw_events(fd);
	saw_error(fd);
}

CASE(shutdown__pending_both)
{
	int fd = connecting();

	saw(shutdown(fd, SHUT_RDWR));
	saw_events(fd);
	saw(shutdown(fd, SHUT_RDWR));
	listener(0, 5);
	fcntl(fd, F_SETFL, 0);
	saw(connect_to(fd, 2, 0));
}

CASE(shutdown__reading)
{
	struct pair p = pair();

	saw(shutdown(p.s, SHUT_RD));
	saw(recv_one(p.s));
	saw(send(p.s, "x", 1, 0));
	saw(recv_one(p.c));
	saw(shutdown(p.s, SHUT_RD));
	saw(recv_one(p.s));
}

CASE(shutdown__reading_with_data_there)
{
	struct pair p = pair();

	send(p.c, "ab", 2, 0);
	wait_arrived(p.s, 2);
	saw(shutdown(p.s, SHUT_RD));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

/* Data that comes later is taken all the same. */
CASE(shutdown__reading_then_data)
{
	struct pair p = pair();

	saw(shutdown(p.s, SHUT_RD));
	saw(send(p.c, "ab", 2, 0));
	wait_acked(p.c);
	saw(recv_one(p.s));
	saw(recv_one(p.s));
	saw(recv_one(p.s));
	saw_events(p.c);
}

CASE(shutdown__writing)
{
	struct pair p = pair();

	saw(shutdown(p.c, SHUT_WR));
	saw(send(p.c, "x", 1, 0));
	saw(send(p.c, "x", 1, MSG_NOSIGNAL));
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.s));
	saw(send(p.s, "y", 1, 0));
	saw(recv_one(p.c));
	saw(shutdown(p.c, SHUT_WR));
}

CASE(shutdown__writing_behind_data)
{
	static char out[50000];
	struct pair p = pair();

	saw(send(p.c, out, sizeof(out), 0));
	saw(shutdown(p.c, SHUT_WR));
	saw(drain(p.s, 1 << 20));
	saw(recv_one(p.s));
}

CASE(shutdown__writing_with_a_full_queue)
{
	struct pair p = small_pair();
	long sum = fill(p.c);

	saw(shutdown(p.c, SHUT_WR));
	saw_events(p.c);
	saw(send(p.c, "x", 1, 0));
	note("%s", drain(p.s, 1 << 24) == sum ? "all" : "not all");
	saw(recv_one(p.s));
}

CASE(shutdown__both)
{
	struct pair p = pair();

	saw(shutdown(p.c, SHUT_RDWR));
	saw(recv_one(p.c));
	saw(send(p.c, "x", 1, 0));
	saw(shutdown(p.c, SHUT_RDWR));
	saw(recv_one(p.s));
	saw(shutdown(p.s, SHUT_RDWR));
}

CASE(shutdown__both_then_peer_sends)
{
	struct pair p = pair();

	saw(shutdown(p.c, SHUT_RDWR));
	wait_until(p.s, POLLRDHUP);
	saw(send(p.s, "x", 1, 0));
	saw_soon(p.s, 0);
	saw_error(p.s);
	saw(send(p.s, "x", 1, 0));
}

CASE(shutdown__after_peer_closed)
{
	struct pair p = pair();

	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(shutdown(p.c, SHUT_RD));
	saw(shutdown(p.c, SHUT_WR));
}

CASE(shutdown__after_both_ended)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	shutdown(p.s, SHUT_WR);
	wait_until(p.c, 0);
	wait_until(p.s, 0);
	saw(shutdown(p.s, SHUT_RD));
	saw(shutdown(p.s, SHUT_WR));
	saw(shutdown(p.s, SHUT_RDWR));
}

CASE(shutdown__after_reset)
{
	struct pair p = pair();

	reset(p.s);
	wait_until(p.c, 0);
	saw(shutdown(p.c, SHUT_RD));
	saw(shutdown(p.c, SHUT_WR));
	saw_error(p.c);
}

/* One half ended, the other one goes on. */
CASE(shutdown__half_close)
{
	static char out[200000];
	struct pair p = pair();
	struct doing doing;

	shutdown(p.c, SHUT_WR);
	saw(recv_one(p.s));
	go(&doing, send_much, p.s);
	saw(drain(p.c, 1 << 20));
	saw(done(&doing));
	saw(send(p.s, out, sizeof(out), 0));
	shutdown(p.s, SHUT_WR);
	saw(drain(p.c, 1 << 20));
	saw(recv_one(p.c));
}

CASE(shutdown__at_the_same_time)
{
	struct pair p = pair();

	saw(shutdown(p.c, SHUT_WR));
	saw(shutdown(p.s, SHUT_WR));
	saw(recv_one(p.c));
	saw(recv_one(p.s));
	wait_until(p.c, 0);
	wait_until(p.s, 0);
	saw_events(p.c);
	saw_events(p.s);
}

CASE(shutdown__wakes_reader)
{
	struct pair p = pair();
	struct doing doing;

	go_to_sleep(&doing, recv_one, p.s, SYS_recvfrom);
	saw(shutdown(p.s, SHUT_RD));
	saw(done(&doing));
}

CASE(shutdown__writing_leaves_reader_asleep)
{
	struct pair p = pair();
	struct doing doing;

	go_to_sleep(&doing, recv_one, p.s, SYS_recvfrom);
	saw(shutdown(p.s, SHUT_WR));
	note("%s", sleeps(&doing, SYS_recvfrom) ? "sleeps on" : "has ended");
	send(p.c, "x", 1, 0);
	saw(done(&doing));
}

static long send_one(int fd)
{
	return send(fd, "x", 1, 0);
}

CASE(shutdown__wakes_writer)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	go_to_sleep(&doing, send_one, p.c, SYS_sendto);
	saw(shutdown(p.c, SHUT_WR));
	saw(done(&doing));
}

CASE(shutdown__wakes_writer_after_a_part)
{
	struct pair p = small_pair();
	struct doing doing;
	long put;

	go_to_sleep(&doing, send_much, p.c, SYS_sendto);
	saw(shutdown(p.c, SHUT_WR));
	put = done(&doing);
	note("%s", put > 0 && put < 1 << 20 ? "a part" : "other");
	note("%s", drain(p.s, 1 << 24) == put ? "all" : "not all");
}

CASE(shutdown__of_a_duplicate)
{
	struct pair p = pair();
	int other = dup(p.c);

	saw(shutdown(other, SHUT_WR));
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.s));
}
