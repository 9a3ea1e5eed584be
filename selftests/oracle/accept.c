// SPDX-License-Identifier: GPL-2.0
/* listen() and accept(), and what becomes of those who wait there. */
#include "oracle.h"

#include <sys/resource.h>

CASE(accept__gives_the_peer)
{
	struct at name = { .len = sizeof(name.to) };
	int listening = listener(0, 5), fd = sock(1, 0);

	saw(bind_to(fd, 0, 3));
	saw(connect_to(fd, 2, 0));
	fd = accept(listening, (void *)&name.to, &name.len);
	saw_address(&name.to, name.len);
	name.len = sizeof(name.to);
	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
	saw_events(fd);
}

CASE(accept__not_listening)
{
	struct pair p = pair();
	int fd = sock(2, 0);

	saw(accept_one(fd));
	saw(bind_to(fd, 0, 1));
	saw(accept_one(fd));
	saw(accept_one(p.c));
	saw(accept_one(p.s));
}

CASE(accept__nobody_there)
{
	int fd = listener(0, 5);

	no_block(fd);
	saw(accept_one(fd));
	connected(0);
	saw(accept_one(fd));
	saw(accept_one(fd));
}

CASE(accept__rcvtimeo)
{
	int fd = listener(0, 5);

	set_timeout(fd, SO_RCVTIMEO, 50);
	saw(accept_one(fd));
}

CASE(accept__signal)
{
	struct doing doing;
	int fd = listener(0, 5);

	on_signal(SIGUSR1, 0);
	go_to_sleep(&doing, accept_one, fd, SYS_accept);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(accept__signal_restarts)
{
	struct doing doing;
	int fd = listener(0, 5);

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, accept_one, fd, SYS_accept);
	interrupt(&doing);
	if (sleeps(&doing, SYS_accept))
		connected(0);
	saw(done(&doing));
}

CASE(accept__signal_with_rcvtimeo)
{
	struct doing doing;
	int fd = listener(0, 5);

	on_signal(SIGUSR1, SA_RESTART);
	set_timeout(fd, SO_RCVTIMEO, 60000);
	go_to_sleep(&doing, accept_one, fd, SYS_accept);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(accept__flags)
{
	int listening = listener(0, 5), fd;

	connected(0);
	connected(0);
	saw(accept4(listening, NULL, NULL, 1));
	fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	note("%x %x", fcntl(fd, F_GETFL), fcntl(fd, F_GETFD));
	fd = accept4(listening, NULL, NULL, 0);
	note("%x %x", fcntl(fd, F_GETFL), fcntl(fd, F_GETFD));
}

CASE(accept__blocking_is_not_inherited)
{
	int listening = listener(0, 5), fd;

	no_block(listening);
	connected(0);
	fd = accept(listening, NULL, NULL);
	note("%x", fcntl(fd, F_GETFL));
}

/* What a child has of its listener's options */
CASE(accept__options_are_inherited)
{
	static const int names[] = {
		SO_KEEPALIVE, SO_OOBINLINE, SO_REUSEADDR, SO_DONTROUTE,
		SO_RCVLOWAT,  SO_MARK,	    SO_BROADCAST,
	};
	int listening = listener(0, 5), fd;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		set_int(listening, names[i], 1);
	connected(0);
	fd = accept(listening, NULL, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		saw_option(fd, SOL_SOCKET, names[i]);
}

CASE(accept__priority_is_inherited)
{
	int listening = listener(0, 5), fd;

	set_int(listening, SO_PRIORITY, 5);
	connected(0);
	fd = accept(listening, NULL, NULL);
	saw_option(fd, SOL_SOCKET, SO_PRIORITY);
}

CASE(accept__buffers_are_inherited)
{
	int listening = listener(0, 5), fd;

	set_int(listening, SO_SNDBUF, 30000);
	set_int(listening, SO_RCVBUF, 40000);
	connected(0);
	fd = accept(listening, NULL, NULL);
	saw_option(fd, SOL_SOCKET, SO_SNDBUF);
	saw_option(fd, SOL_SOCKET, SO_RCVBUF);
}

CASE(accept__linger_is_inherited)
{
	struct linger linger = {};
	socklen_t len = sizeof(linger);
	int listening = listener(0, 5), fd;

	set_linger(listening, 7);
	connected(0);
	fd = accept(listening, NULL, NULL);
	saw(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len));
	note("%d %d", linger.l_onoff, linger.l_linger);
}

CASE(accept__timeouts_are_inherited)
{
	struct timeval tv = {};
	socklen_t len = sizeof(tv);
	int listening = listener(0, 5), fd;

	set_timeout(listening, SO_RCVTIMEO, 7000);
	set_timeout(listening, SO_SNDTIMEO, 8000);
	connected(0);
	fd = accept(listening, NULL, NULL);
	getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len);
	note("%ld", (long)tv.tv_sec);
	getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, &len);
	note("%ld", (long)tv.tv_sec);
}

CASE(accept__address_lengths)
{
	int listening = listener(0, 50);

	for (int len = 0; len < 40; len += 1 + len / 2) {
		struct at name = { .len = len };

		connected(0);
		saw(accept(listening, (void *)&name.to, &name.len) < 0 ? -1 :
									 0);
		note("%d:%d", len, (int)name.len);
	}
}

/* The connection is lost; its peer is told. */
CASE(accept__bad_address)
{
	struct at name = { .len = -1 };
	int listening = listener(0, 5), fd = connected(0);

	saw(accept(listening, (void *)&name.to, &name.len));
	wait_until(fd, POLLRDHUP);
	saw_events(fd);
	fd = connected(0);
	name.len = sizeof(name.to);
	saw(accept(listening, (void *)16, &name.len));
	wait_until(fd, POLLRDHUP);
	saw_events(fd);
}

CASE(accept__length_without_address)
{
	socklen_t len = 77;
	int listening = listener(0, 5);

	connected(0);
	saw(accept(listening, NULL, &len) < 0 ? -1 : 0);
	note("%d", (int)len);
}

CASE(accept__after_peer_closed)
{
	int listening = listener(0, 5), fd = connected(0);
	char in[4];

	saw(send(fd, "abc", 3, 0));
	close(fd);
	fd = accept(listening, NULL, NULL);
	wait_until(fd, POLLRDHUP);
	saw_events(fd);
	saw(recv(fd, in, 4, 0));
	saw(recv(fd, in, 4, 0));
}

CASE(accept__after_peer_reset)
{
	int listening = listener(0, 5), fd = connected(0);

	reset(fd);
	connected(0); /* which is behind the reset */
	no_block(listening);
	fd = accept(listening, NULL, NULL);
	no_block(fd);
	saw_events(fd);
	saw(recv_one(fd));
	saw(recv_one(fd));
	saw(accept_one(listening));
}

CASE(accept__data_before)
{
	int listening = listener(0, 5), fd = connected(0);
	char in[8];

	saw(send(fd, "early", 5, 0));
	wait_acked(fd);
	fd = accept(listening, NULL, NULL);
	saw_events(fd);
	saw(recv(fd, in, 8, 0));
	saw_bytes(in, 5);
}

CASE(accept__in_order)
{
	struct at name;
	int listening = listener(0, 5);

	for (int port = 3; port < 7; port++) {
		int fd = sock(1, 0);

		saw(bind_to(fd, 0, port) + connect_to(fd, 2, 0));
	}
	for (int i = 3; i < 7; i++) {
		name.len = sizeof(name.to);
		saw(accept(listening, (void *)&name.to, &name.len) < 0);
		saw_address(&name.to, name.len);
	}
}

/* One fits, another one waits until that one was taken. */
CASE(accept__backlog_of_zero)
{
	int listening = listener(0, 0), one = connected(0);
	int two = sock(1, SOCK_NONBLOCK);

	saw(connect_to(two, 2, 0));
	saw(accept_one(listening));
	saw_these(wait_until(two, POLLOUT));
	saw(accept_one(listening));
	close(one);
}

CASE(accept__backlog_of_minus_one)
{
	int fd = sock(2, 0);

	saw(bind_to(fd, 0, 0));
	saw(listen(fd, -1));
	connected(0);
	connected(0);
	saw(accept_one(fd));
	saw(accept_one(fd));
}

CASE(accept__listen_twice)
{
	int fd = listener(0, 1);

	saw(listen(fd, 20));
	for (int i = 0; i < 5; i++)
		connected(0);
	for (int i = 0; i < 5; i++)
		saw(accept_one(fd));
}

CASE(accept__listen_where_it_makes_no_sense)
{
	struct pair p = pair();

	saw(listen(p.c, 5));
	saw(listen(p.s, 5));
	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(listen(p.c, 5));
	shutdown(p.c, SHUT_WR);
	wait_until(p.c, 0);
	saw(listen(p.c, 5));
}

CASE(accept__listen_unbound)
{
	struct at name = { .len = sizeof(name.to) };
	int fd = sock(2, 0);

	saw(listen(fd, 5));
	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
}

CASE(accept__listener_is_no_connection)
{
	struct at name = { .len = sizeof(name.to) };
	int fd = listener(0, 5);

	saw(recv_one(fd));
	saw(send(fd, "x", 1, 0));
	saw(getpeername(fd, (void *)&name.to, &name.len));
	saw(queued(fd, SIOCINQ));
	saw(queued(fd, SIOCOUTQ));
	saw(queued(fd, SIOCOUTQNSD));
	saw_events(fd);
}

CASE(accept__events)
{
	int fd = listener(0, 5);

	saw_events(fd);
	connected(0);
	saw_these(wait_until(fd, POLLIN | POLLOUT));
	saw(accept_one(fd));
	saw_events(fd);
}

CASE(accept__close_resets_who_waits)
{
	int listening = listener(0, 5), fd = connected(0);

	wait_until(listening, POLLIN);
	close(listening);
	wait_until(fd, POLLRDHUP);
	saw_events(fd);
	saw(recv_one(fd));
	saw(recv_one(fd));
	saw(send(fd, "x", 1, 0));
	saw(connect_to(sock(1, 0), 2, 0));
}

CASE(accept__close_leaves_who_was_taken)
{
	int listening = listener(0, 5);
	struct pair p = pair_of(listening, 0);

	close(listening);
	saw(send(p.c, "x", 1, 0));
	saw(recv_one(p.s));
	saw_events(p.c);
}

CASE(accept__shutdown_wakes)
{
	struct doing one, two;
	int fd = listener(0, 5);

	go_to_sleep(&one, accept_one, fd, SYS_accept);
	go_to_sleep(&two, accept_one, fd, SYS_accept);
	saw(shutdown(fd, SHUT_RD));
	saw(done(&one));
	saw(done(&two));
	saw_events(fd);
	saw(connect_to(sock(1, 0), 2, 0));
}

CASE(accept__shutdown_resets_who_waits)
{
	int listening = listener(0, 5), fd = connected(0);

	wait_until(listening, POLLIN);
	saw(shutdown(listening, SHUT_RDWR));
	wait_until(fd, POLLRDHUP);
	saw_events(fd);
	saw(recv_one(fd));
	saw(accept_one(listening));
}

CASE(accept__shutdown_of_writing_is_nothing)
{
	int fd = listener(0, 5);

	saw(shutdown(fd, SHUT_WR));
	connected(0);
	saw(accept_one(fd));
}

CASE(accept__listens_again_after_shutdown)
{
	int fd = listener(0, 5);

	saw(shutdown(fd, SHUT_RD));
	saw(shutdown(fd, SHUT_RD));
	saw(listen(fd, 5));
	saw(connect_to(sock(1, 0), 2, 0));
	saw(accept_one(fd));
}

CASE(accept__connects_after_shutdown)
{
	int fd = listener(1, 5), peer = sock(1, 0);

	saw(bind_to(peer, 0, 0));
	saw(listen(peer, 5));
	saw(shutdown(fd, SHUT_RD));
	saw(connect_to(fd, 1, 0));
	saw_events(fd);
}

CASE(accept__no_descriptor_left)
{
	struct rlimit old, none;
	int fd = listener(0, 5);

	connected(0);
	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	saw(accept_one(fd));
	setrlimit(RLIMIT_NOFILE, &old);
	saw(accept_one(fd));
}

CASE(accept__two_wait)
{
	struct doing one, two;
	int fd = listener(0, 5);

	go_to_sleep(&one, accept_one, fd, SYS_accept);
	go_to_sleep(&two, accept_one, fd, SYS_accept);
	connected(0);
	connected(0);
	saw(done(&one));
	saw(done(&two));
}

/* Who sleeps in accept() keeps the listener, as long as nobody shuts it. */
CASE(accept__closed_while_it_sleeps)
{
	struct doing doing;
	int fd = listener(0, 5);

	go_to_sleep(&doing, accept_one, fd, SYS_accept);
	saw(close(fd));
	saw(connect_to(sock(1, 0), 2, 0));
	saw(done(&doing));
}

CASE(accept__dup)
{
	int fd = listener(0, 5), other = dup(fd);

	close(fd);
	connected(0);
	saw(accept_one(other));
}

CASE(accept__in_a_child)
{
	int fd = listener(0, 5), status;

	if (!fork())
		_exit(accept_one(fd) ? errno : 0);
	connected(0);
	wait(&status);
	saw(WEXITSTATUS(status));
}
