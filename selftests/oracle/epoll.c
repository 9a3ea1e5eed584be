// SPDX-License-Identifier: GPL-2.0
/* epoll: levels, edges, and descriptors in several of them. */
#include "oracle.h"

#define ALL (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI)

static int add(int epoll, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int watch(int fd, uint32_t events)
{
	int epoll = epoll_create1(0);

	need(!add(epoll, fd, events), "epoll");
	return epoll;
}

/* What comes next, once something does */
static void saw_next(int epoll)
{
	struct epoll_event event = {};

	need(epoll_wait(epoll, &event, 1, LIMIT_MS) == 1, "epoll event");
	saw_these(event.events);
}

CASE(epoll__level)
{
	struct pair p = pair();
	int epoll = watch(p.s, EPOLLIN);

	saw_epoll(epoll);
	send(p.c, "x", 1, 0);
	saw_next(epoll);
	saw_epoll(epoll);
	recv_one(p.s);
	saw_epoll(epoll);
}

CASE(epoll__level_all)
{
	struct pair p = pair();
	int epoll = watch(p.s, ALL);

	saw_epoll(epoll);
	saw_epoll(epoll);
	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw_epoll(epoll);
	shutdown(p.s, SHUT_WR);
	wait_until(p.s, 0);
	saw_epoll(epoll);
}

CASE(epoll__edge_once)
{
	struct pair p = pair();
	int epoll = watch(p.s, ALL | EPOLLET);

	saw_epoll(epoll);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_data)
{
	struct pair p = pair();
	int epoll = watch(p.s, EPOLLIN | EPOLLET);

	send(p.c, "ab", 2, 0);
	saw_next(epoll);
	saw_epoll(epoll);
	recv_one(p.s);
	saw_epoll(epoll);
	send(p.c, "cd", 2, 0);
	saw_next(epoll);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_the_end)
{
	struct pair p = pair();
	int epoll = watch(p.s, ALL | EPOLLET);

	saw_epoll(epoll);
	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw_next(epoll);
	saw_epoll(epoll);
	shutdown(p.s, SHUT_WR);
	wait_until(p.s, 0);
	saw_next(epoll);
}

CASE(epoll__edge_of_the_end_behind_data)
{
	struct pair p = pair();
	int epoll = watch(p.s, EPOLLIN | EPOLLRDHUP | EPOLLET);

	send(p.c, "x", 1, 0);
	saw_next(epoll);
	shutdown(p.c, SHUT_WR);
	saw_next(epoll);
	recv_one(p.s);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_a_reset)
{
	struct pair p = pair();
	int epoll = watch(p.s, ALL | EPOLLET);

	saw_epoll(epoll);
	reset(p.c);
	wait_until(p.s, 0);
	saw_next(epoll);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_own_shutdown)
{
	struct pair p = pair();
	int epoll = watch(p.s, ALL | EPOLLET);

	saw_epoll(epoll);
	shutdown(p.s, SHUT_RD);
	saw_epoll(epoll);
	shutdown(p.s, SHUT_WR);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_room)
{
	struct pair p = small_pair();
	int epoll = watch(p.c, EPOLLOUT | EPOLLET);
	long sum;

	saw_epoll(epoll);
	sum = fill(p.c);
	saw_epoll(epoll);
	drain(p.s, sum);
	saw_next(epoll);
}

/* As long as nobody was refused there is nothing to tell. */
CASE(epoll__no_edge_of_room_that_was_there)
{
	struct pair p = pair();
	int epoll = watch(p.c, EPOLLOUT | EPOLLET);

	saw_epoll(epoll);
	send(p.c, "x", 1, 0);
	recv_one(p.s);
	wait_acked(p.c);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_connect)
{
	int fd = slow_client(), epoll;

	listener(0, 5);
	connect_to(fd, 2, 0);
	epoll = watch(fd, ALL | EPOLLET);
	saw_next(epoll);
	saw_error(fd);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_refused_connect)
{
	int fd = slow_client(), epoll;

	connect_to(fd, 2, 0);
	wait_until(fd, 0);
	epoll = watch(fd, ALL | EPOLLET);
	saw_epoll(epoll);
	saw_error(fd);
	saw_epoll(epoll);
}

CASE(epoll__watched_before_connect)
{
	int fd = slow_client(), epoll = watch(fd, ALL | EPOLLET);

	saw_epoll(epoll);
	listener(0, 5);
	connect_to(fd, 2, 0);
	wait_until(fd, POLLOUT);
	saw_next(epoll);
}

CASE(epoll__edge_of_a_listener)
{
	int fd = listener(0, 5), epoll = watch(fd, EPOLLIN | EPOLLET);

	saw_epoll(epoll);
	connected(0);
	saw_next(epoll);
	saw_epoll(epoll);
	connected(0);
	saw_next(epoll);
	accept_one(fd);
	saw_epoll(epoll);
}

CASE(epoll__edge_of_a_listener_that_ends)
{
	int fd = listener(0, 5), epoll = watch(fd, ALL | EPOLLET);

	saw_epoll(epoll);
	shutdown(fd, SHUT_RD);
	saw_epoll(epoll);
}

CASE(epoll__oneshot)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT };
	struct pair p = pair();
	int epoll = watch(p.s, EPOLLIN | EPOLLONESHOT);

	send(p.c, "x", 1, 0);
	saw_next(epoll);
	send(p.c, "x", 1, 0);
	wait_arrived(p.s, 2);
	saw_epoll(epoll);
	saw(epoll_ctl(epoll, EPOLL_CTL_MOD, p.s, &event));
	saw_epoll(epoll);
}

CASE(epoll__mod_is_an_edge)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	struct pair p = pair();
	int epoll = watch(p.s, EPOLLOUT | EPOLLET);

	saw_epoll(epoll);
	saw_epoll(epoll);
	saw(epoll_ctl(epoll, EPOLL_CTL_MOD, p.s, &event));
	saw_epoll(epoll);
}

CASE(epoll__not_asked_for)
{
	struct pair p = pair();
	int epoll = watch(p.s, 0);

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	saw_epoll(epoll);
	reset(p.c);
	wait_until(p.s, 0);
	saw_epoll(epoll);
}

CASE(epoll__two_of_one_socket)
{
	struct pair p = pair();
	int one = watch(p.s, EPOLLIN | EPOLLET);
	int two = watch(p.s, EPOLLIN);

	send(p.c, "x", 1, 0);
	saw_next(one);
	saw_next(two);
	recv_one(p.s);
	saw_epoll(one);
	saw_epoll(two);
}

CASE(epoll__nested)
{
	struct pair p = pair();
	int inner = watch(p.s, EPOLLIN), outer = watch(inner, EPOLLIN);

	saw_epoll(outer);
	send(p.c, "x", 1, 0);
	saw_next(outer);
	saw_events(inner);
	recv_one(p.s);
	saw_epoll(outer);
}

CASE(epoll__nested_edge)
{
	struct pair p = pair();
	int inner = watch(p.s, EPOLLIN | EPOLLET);
	int outer = watch(inner, EPOLLIN | EPOLLET);

	send(p.c, "x", 1, 0);
	saw_next(outer);
	saw_epoll(outer);
	saw_next(inner);
	send(p.c, "y", 1, 0);
	saw_next(outer);
}

CASE(epoll__of_a_duplicate)
{
	struct pair p = pair();
	int other = dup(p.s), epoll = watch(p.s, EPOLLIN);

	close(p.s);
	send(p.c, "x", 1, 0);
	saw_next(epoll);
	close(other);
	saw_epoll(epoll);
}

CASE(epoll__added_twice)
{
	struct pair p = pair();
	int epoll = watch(p.s, EPOLLIN);

	saw(add(epoll, p.s, EPOLLIN));
	saw(epoll_ctl(epoll, EPOLL_CTL_DEL, p.s, NULL));
	saw(epoll_ctl(epoll, EPOLL_CTL_DEL, p.s, NULL));
	saw(add(epoll, p.s, EPOLLIN));
}

static long wait_for_one(int epoll)
{
	struct epoll_event event = {};

	return epoll_wait(epoll, &event, 1, -1) == 1 ? event.events : -1;
}

/* An exclusive wake-up is one thread's. */
CASE(epoll__exclusive)
{
	int fd = listener(0, 5), one = epoll_create1(0), two = epoll_create1(0);
	struct doing first, second;

	saw(add(one, fd, EPOLLIN | EPOLLEXCLUSIVE));
	saw(add(two, fd, EPOLLIN | EPOLLEXCLUSIVE));
	go_to_sleep(&first, wait_for_one, one, SYS_epoll_wait);
	go_to_sleep(&second, wait_for_one, two, SYS_epoll_wait);
	connected(0);
	wait_until(fd, POLLIN);
	connected(0);
	saw_these(done(&first));
	saw_these(done(&second));
}

CASE(epoll__wakes)
{
	struct pair p = pair();
	struct doing doing;
	int epoll = watch(p.s, EPOLLIN | EPOLLRDHUP | EPOLLET);

	go_to_sleep(&doing, wait_for_one, epoll, SYS_epoll_wait);
	send(p.c, "x", 1, 0);
	saw_these(done(&doing));
	go_to_sleep(&doing, wait_for_one, epoll, SYS_epoll_wait);
	send(p.c, "y", 1, 0);
	saw_these(done(&doing));
	go_to_sleep(&doing, wait_for_one, epoll, SYS_epoll_wait);
	shutdown(p.c, SHUT_WR);
	saw_these(done(&doing));
}

CASE(epoll__sndbuf_is_an_edge)
{
	struct pair p = small_pair();
	int epoll = watch(p.c, EPOLLOUT | EPOLLET);

	fill(p.c);
	saw_epoll(epoll);
	set_int(p.c, SO_SNDBUF, 200000);
	saw_epoll(epoll);
}
