// SPDX-License-Identifier: GPL-2.0
/* What poll() says in each state, and whom it wakes. */
#include "oracle.h"

#include <sys/select.h>

static void saw_both(struct pair p)
{
	saw_events(p.c);
	saw_events(p.s);
}

CASE(poll__unconnected)
{
	int fd = sock(1, 0);

	saw_events(fd);
	saw(bind_to(fd, 0, 1));
	saw_events(fd);
}

CASE(poll__connected)
{
	saw_both(pair());
}

CASE(poll__readable)
{
	struct pair p = pair();

	send(p.c, "ab", 2, 0);
	wait_until(p.s, POLLIN);
	saw_both(p);
	recv_one(p.s);
	saw_events(p.s);
	recv_one(p.s);
	saw_events(p.s);
}

CASE(poll__full)
{
	struct pair p = small_pair();
	long sum = fill(p.c);

	saw_both(p);
	drain(p.s, sum);
	wait_until(p.c, POLLOUT);
	wait_acked(p.c);
	saw_both(p);
}

/* Two views of one thing: where poll() says OUT, send() takes a byte. */
CASE(poll__send_agrees)
{
	struct pair p = small_pair();
	long left = fill(p.c);
	struct pollfd pfd = { .fd = p.c, .events = POLLOUT };

	for (; left > 0; left -= drain(p.s, left < 1000 ? left : 1000)) {
		if (poll(&pfd, 1, 0) == 1 &&
		    send(p.c, "x", 1, MSG_DONTWAIT) != 1)
			note("disagrees");
		if (pfd.revents)
			break;
	}
	note("%s", left > 0 ? "room before all was read" : "room at last");
}

CASE(poll__peer_shut_writing)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw_both(p);
	saw(recv_one(p.s));
	saw_events(p.s);
}

CASE(poll__both_shut_writing)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	shutdown(p.s, SHUT_WR);
	wait_until(p.c, 0);
	wait_until(p.s, 0);
	saw_both(p);
}

CASE(poll__shut_reading)
{
	struct pair p = pair();

	shutdown(p.s, SHUT_RD);
	saw_both(p);
	send(p.c, "x", 1, 0);
	wait_acked(p.c);
	saw_both(p);
}

CASE(poll__shut_both)
{
	struct pair p = pair();

	shutdown(p.s, SHUT_RDWR);
	wait_until(p.c, POLLRDHUP);
	saw_both(p);
}

CASE(poll__peer_closed)
{
	struct pair p = pair();

	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw_events(p.c);
}

CASE(poll__peer_closed_with_data_left)
{
	struct pair p = pair();

	send(p.s, "x", 1, 0);
	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw_events(p.c);
	recv_one(p.c);
	saw_events(p.c);
}

CASE(poll__reset)
{
	struct pair p = pair();

	reset(p.s);
	wait_until(p.c, 0);
	saw_events(p.c);
	saw_error(p.c);
	saw_events(p.c);
}

CASE(poll__reset_with_data_left)
{
	struct pair p = pair();

	send(p.s, "x", 1, 0);
	wait_arrived(p.c, 1);
	reset(p.s);
	wait_until(p.c, 0);
	saw_events(p.c);
	saw(recv_one(p.c));
	saw_events(p.c);
	saw(recv_one(p.c));
	saw_events(p.c);
}

CASE(poll__reset_after_own_end)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	reset(p.s);
	wait_until(p.c, 0);
	saw_events(p.c);
	saw_error(p.c);
	saw_events(p.c);
}

CASE(poll__lowat)
{
	struct pair p = pair();

	set_int(p.s, SO_RCVLOWAT, 3);
	send(p.c, "ab", 2, 0);
	wait_arrived(p.s, 2);
	saw_events(p.s);
	send(p.c, "c", 1, 0);
	wait_arrived(p.s, 3);
	saw_events(p.s);
	recv_one(p.s);
	saw_events(p.s);
	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw_events(p.s);
}

static long poll_for(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int ret = poll(&pfd, 1, -1);

	return ret == 1 ? pfd.revents : ret;
}

static long poll_in(int fd)
{
	return poll_for(fd, POLLIN);
}

static long poll_out(int fd)
{
	return poll_for(fd, POLLOUT);
}

static long poll_rdhup(int fd)
{
	return poll_for(fd, POLLRDHUP);
}

static long poll_nothing(int fd)
{
	return poll_for(fd, 0);
}

CASE(poll__lower_lowat_wakes)
{
	struct pair p = pair();
	struct doing doing;

	set_int(p.s, SO_RCVLOWAT, 3);
	send(p.c, "ab", 2, 0);
	wait_arrived(p.s, 2);
	go_to_sleep(&doing, poll_in, p.s, SYS_poll);
	set_int(p.s, SO_RCVLOWAT, 2);
	saw_done(&doing);
}

CASE(poll__lowat_wakes)
{
	struct pair p = pair();
	struct doing doing;

	set_int(p.s, SO_RCVLOWAT, 3);
	go_to_sleep(&doing, poll_in, p.s, SYS_poll);
	send(p.c, "ab", 2, 0);
	wait_arrived(p.s, 2);
	note("%s", sleeps(&doing, SYS_poll) ? "sleeps on" : "has ended");
	send(p.c, "c", 1, 0);
	saw_these(done(&doing));
}

CASE(poll__data_wakes)
{
	struct pair p = pair();
	struct doing doing;

	go_to_sleep(&doing, poll_in, p.s, SYS_poll);
	send(p.c, "x", 1, 0);
	saw_these(done(&doing));
}

CASE(poll__room_wakes)
{
	struct pair p = small_pair();
	struct doing doing;
	long sum = fill(p.c);

	go_to_sleep(&doing, poll_out, p.c, SYS_poll);
	drain(p.s, sum);
	saw_these(done(&doing));
}

CASE(poll__larger_sndbuf_wakes)
{
	struct pair p = small_pair();
	struct doing doing;

	fill(p.c);
	go_to_sleep(&doing, poll_out, p.c, SYS_poll);
	set_int(p.c, SO_SNDBUF, 200000);
	saw_done(&doing);
	note("%s", send(p.c, "x", 1, MSG_DONTWAIT) == 1 ? "room" : "no room");
}

CASE(poll__end_wakes)
{
	struct doing in, out, rdhup;
	struct pair p = pair();

	go_to_sleep(&in, poll_in, p.s, SYS_poll);
	go_to_sleep(&rdhup, poll_rdhup, p.s, SYS_poll);
	go_to_sleep(&out, poll_nothing, p.s, SYS_poll);
	shutdown(p.c, SHUT_WR);
	saw_these(done(&in));
	saw_these(done(&rdhup));
	note("%s", sleeps(&out, SYS_poll) ? "sleeps on" : "has ended");
}

CASE(poll__reset_wakes)
{
	struct doing in, rdhup, nothing;
	struct pair p = pair();

	go_to_sleep(&in, poll_in, p.s, SYS_poll);
	go_to_sleep(&rdhup, poll_rdhup, p.s, SYS_poll);
	go_to_sleep(&nothing, poll_nothing, p.s, SYS_poll);
	reset(p.c);
	saw_these(done(&in));
	saw_these(done(&rdhup));
	saw_these(done(&nothing));
}

CASE(poll__own_shutdown_wakes)
{
	struct doing in, nothing;
	struct pair p = pair();

	go_to_sleep(&in, poll_in, p.s, SYS_poll);
	go_to_sleep(&nothing, poll_nothing, p.s, SYS_poll);
	shutdown(p.s, SHUT_RD);
	saw_these(done(&in));
	shutdown(p.s, SHUT_WR);
	saw_these(done(&nothing));
}

CASE(poll__connect_wakes)
{
	struct doing doing;
	int fd = connecting();

	go_to_sleep(&doing, poll_nothing, fd, SYS_poll);
	shutdown(fd, SHUT_RDWR);
	saw_these(done(&doing));
}

CASE(poll__signal)
{
	struct pair p = pair();
	struct doing doing;

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, poll_in, p.s, SYS_poll);
	interrupt(&doing);
	saw(done(&doing));
}

/* select() knows three sets only. */
static void saw_select(int fd)
{
	struct timeval now = {};
	fd_set in, out, except;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	FD_SET(fd, &in);
	FD_SET(fd, &out);
	FD_SET(fd, &except);
	saw(select(fd + 1, &in, &out, &except, &now));
	note("%d%d%d", !!FD_ISSET(fd, &in), !!FD_ISSET(fd, &out),
	     !!FD_ISSET(fd, &except));
}

CASE(poll__select)
{
	struct pair p = pair();

	saw_select(sock(1, 0));
	saw_select(connecting());
	saw_select(p.s);
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 1);
	saw_select(p.s);
	reset(p.c);
	wait_until(p.s, 0);
	saw_select(p.s);
}

/* The bits that older programs ask for */
CASE(poll__bits_of_norm_and_band)
{
	struct pair p = pair();
	struct pollfd pfd = {
		.fd = p.s,
		.events = POLLRDNORM | POLLRDBAND | POLLWRNORM | POLLWRBAND,
	};

	poll(&pfd, 1, 0);
	note("%x", pfd.revents);
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 1);
	poll(&pfd, 1, 0);
	note("%x", pfd.revents);
}
