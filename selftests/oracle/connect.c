// SPDX-License-Identifier: GPL-2.0
/* connect(): how it succeeds and fails, and what may be done meanwhile. */
#include "oracle.h"

CASE(connect__succeeds)
{
	int fd = sock(1, 0);

	listener(0, 5);
	saw(connect_to(fd, 2, 0));
	saw_events(fd);
	saw_error(fd);
}

CASE(connect__twice)
{
	int fd = sock(1, 0);

	listener(0, 5);
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 1));
	saw_events(fd);
}

CASE(connect__refused)
{
	int fd = sock(1, 0);

	saw(connect_to(fd, 2, 0));
	saw_error(fd);
	saw_events(fd);
	saw(recv_one(fd));
	saw(send(fd, "x", 1, 0));
}

CASE(connect__refused_then_accepted)
{
	int fd = sock(1, 0);

	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
	listener(0, 5);
	saw(connect_to(fd, 2, 0));
	saw_events(fd);
}

CASE(connect__refused_then_elsewhere)
{
	int fd = sock(1, 0);

	listener(1, 5);
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 1));
}

CASE(connect__refused_then_listens)
{
	int fd = sock(2, 0);

	saw(connect_to(fd, 1, 0));
	saw(bind_to(fd, 0, 1));
	saw(listen(fd, 5));
	saw(connect_to(sock(1, 0), 2, 1));
}

CASE(connect__refused_keeps_bound_port)
{
	struct at name;
	int fd = sock(1, 0);

	saw(bind_to(fd, 0, 3));
	saw(connect_to(fd, 2, 0));
	name.len = sizeof(name.to);
	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
}

CASE(connect__refused_forgets_automatic_port)
{
	struct at name = { .len = sizeof(name.to) };
	int fd = sock(1, 0);

	saw(connect_to(fd, 2, 0));
	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
}

CASE(connect__nonblocking)
{
	int fd = slow_client();

	listener(0, 5);
	saw(connect_to(fd, 2, 0));
	saw_these(wait_until(fd, POLLOUT));
	saw_error(fd);
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
}

CASE(connect__nonblocking_refused)
{
	int fd = slow_client();

	saw(connect_to(fd, 2, 0));
	saw_these(wait_until(fd, POLLOUT | POLLIN | POLLRDHUP));
	saw_error(fd);
	saw_error(fd);
	saw_events(fd);
}

CASE(connect__nonblocking_refused_told_by_connect)
{
	int fd = slow_client();

	saw(connect_to(fd, 2, 0));
	wait_until(fd, 0);
	saw(connect_to(fd, 2, 0));
	saw_error(fd);
	saw(connect_to(fd, 2, 0));
}

CASE(connect__nonblocking_refused_told_by_so_error)
{
	int fd = slow_client();

	saw(connect_to(fd, 2, 0));
	wait_until(fd, 0);
	saw_error(fd);
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
}

CASE(connect__nonblocking_refused_told_by_recv)
{
	int fd = slow_client();

	saw(connect_to(fd, 2, 0));
	wait_until(fd, 0);
	saw(recv_one(fd));
	saw(recv_one(fd));
	saw_error(fd);
}

CASE(connect__nonblocking_refused_told_by_send)
{
	int fd = slow_client();

	saw(connect_to(fd, 2, 0));
	wait_until(fd, 0);
	saw(send(fd, "x", 1, 0));
	saw(send(fd, "x", 1, 0));
	saw_error(fd);
}

/* Answered, then reset, before anybody looks */
static int reset_client(void)
{
	int fd = slow_client(), listening = listener(0, 5);

	saw(connect_to(fd, 2, 0));
	reset(accept(listening, NULL, NULL));
	saw_these(wait_until(fd, 0));
	return fd;
}

CASE(connect__nonblocking_reset_told_by_connect)
{
	int fd = reset_client();

	saw(connect_to(fd, 2, 0));
	saw_error(fd);
	saw_events(fd);
	saw(connect_to(fd, 2, 0));
	saw_these(wait_until(fd, POLLOUT));
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
}

CASE(connect__nonblocking_reset_told_by_so_error)
{
	int fd = reset_client();

	saw_error(fd);
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
	saw_these(wait_until(fd, POLLOUT));
	saw(connect_to(fd, 2, 0));
	saw(send(fd, "x", 1, 0));
}

CASE(connect__nonblocking_reset_told_by_recv)
{
	int fd = reset_client();

	saw(recv_one(fd));
	saw(connect_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
}

CASE(connect__pending_twice)
{
	int fd = connecting();

	saw(connect_to(fd, NODE_SILENT, 0));
	saw(connect_to(fd, 2, 0));
}

CASE(connect__pending_events)
{
	int fd = connecting();

	saw_events(fd);
	saw_error(fd);
}

CASE(connect__pending_io)
{
	int fd = connecting();

	saw(recv_one(fd));
	saw(send(fd, "x", 1, 0));
	saw(recv(fd, NULL, 0, 0));
	saw(send(fd, NULL, 0, 0));
	saw_events(fd);
}

CASE(connect__pending_names)
{
	struct at name = { .len = sizeof(name.to) };
	int fd = connecting();

	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
	saw(getpeername(fd, (void *)&name.to, &name.len));
}

CASE(connect__pending_bind_listen_accept)
{
	int fd = connecting();

	saw(bind_to(fd, 0, 3));
	saw(listen(fd, 5));
	saw(accept_one(fd));
}

CASE(connect__pending_queues)
{
	int fd = connecting();

	saw(queued(fd, SIOCINQ));
	saw(queued(fd, SIOCOUTQNSD));
}

CASE(connect__pending_send_waits)
{
	int fd = slow_client();
	int listening = listener(0, 5), peer;
	char in[2];

	saw(connect_to(fd, 2, 0));
	fcntl(fd, F_SETFL, 0);
	saw(send(fd, "ab", 2, 0));
	peer = accept(listening, NULL, NULL);
	saw(recv(peer, in, 2, MSG_WAITALL));
	saw_bytes(in, 2);
}

CASE(connect__signal)
{
	struct doing doing;
	int fd = sock(1, 0);

	on_signal(SIGUSR1, 0);
	go_to_sleep(&doing, connect_silent, fd, SYS_connect);
	interrupt(&doing);
	saw(done(&doing));
	no_block(fd);
	saw(connect_silent(fd));
	saw_events(fd);
}

CASE(connect__signal_restarts)
{
	struct doing doing;
	int fd = sock(1, 0);

	on_signal(SIGUSR1, SA_RESTART);
	go_to_sleep(&doing, connect_silent, fd, SYS_connect);
	interrupt(&doing);
	if (sleeps(&doing, SYS_connect))
		note("goes on");
	else
		saw(done(&doing));
}

CASE(connect__signal_then_connected)
{
	struct doing doing;
	int fd = sock(1, 0);

	on_signal(SIGUSR1, 0);
	go_to_sleep(&doing, connect_silent, fd, SYS_connect);
	interrupt(&doing);
	saw(done(&doing));
	saw(shutdown(fd, SHUT_RDWR));
	listener(0, 5);
	saw(connect_to(fd, 2, 0));
}

CASE(connect__sndtimeo)
{
	int fd = sock(1, 0);

	set_timeout(fd, SO_SNDTIMEO, 50);
	saw(connect_silent(fd));
	saw(connect_silent(fd));
	saw_events(fd);
}

CASE(connect__sndtimeo_with_signal)
{
	struct doing doing;
	int fd = sock(1, 0);

	on_signal(SIGUSR1, SA_RESTART);
	set_timeout(fd, SO_SNDTIMEO, 60000);
	go_to_sleep(&doing, connect_silent, fd, SYS_connect);
	interrupt(&doing);
	saw(done(&doing));
}

CASE(connect__shutdown_wakes)
{
	struct doing doing;
	int fd = sock(1, 0);

	go_to_sleep(&doing, connect_silent, fd, SYS_connect);
	saw(shutdown(fd, SHUT_RDWR));
	saw(done(&doing));
	saw_events(fd);
}

CASE(connect__on_listener)
{
	int fd = listener(0, 5);

	saw(connect_to(fd, 1, 0));
	connected(0);
	saw(accept_one(fd));
}

CASE(connect__from_bound_port)
{
	struct at name = { .len = sizeof(name.to) };
	int listening = listener(0, 5), fd = sock(1, 0);

	saw(bind_to(fd, 0, 3));
	saw(connect_to(fd, 2, 0));
	saw(accept(listening, (void *)&name.to, &name.len) < 0 ? -1 : 0);
	saw_address(&name.to, name.len);
}

/* Two sockets at one port may go to different places, not to the same one. */
CASE(connect__from_one_port_twice)
{
	int one = sock(1, 0), two = sock(1, 0);

	listener(0, 5);
	listener(1, 5);
	set_int(one, SO_REUSEADDR, 1);
	set_int(two, SO_REUSEADDR, 1);
	saw(bind_to(one, 0, 3));
	saw(bind_to(two, 0, 3));
	saw(connect_to(one, 2, 0));
	saw(connect_to(two, 2, 0));
	saw(connect_to(two, 2, 1));
}

CASE(connect__to_itself)
{
	int fd = sock(2, 0);

	saw(bind_to(fd, 2, 0));
	saw(connect_to(fd, 2, 0));
	saw_events(fd);
}

CASE(connect__to_own_node)
{
	int listening = listener(0, 5), fd = sock(2, 0), peer;
	char in;

	saw(connect_to(fd, 2, 0));
	peer = accept(listening, NULL, NULL);
	saw(send(fd, "x", 1, 0));
	saw(recv(peer, &in, 1, 0));
}

CASE(connect__to_port_zero)
{
	saw(connect_to(sock(1, 0), 2, -1));
}

CASE(connect__address_lengths)
{
	struct at where = at(2, 0);

	listener(0, 5);
	for (int len = 0; len < where.len; len += 1 + len / 2) {
		note("%d:", len);
		saw(connect(sock(1, 0), (void *)&where.to, len));
	}
	note("-1:");
	saw(connect(sock(1, 0), (void *)&where.to, -1));
	note("128:");
	saw(connect(sock(1, 0), (void *)&where.to, sizeof(where.to)));
	note("129:");
	saw(connect(sock(1, 0), (void *)&where.to, sizeof(where.to) + 1));
}

CASE(connect__bad_address)
{
	struct at where = at(2, 0);
	int fd = sock(1, 0);

	listener(0, 5);
	saw(connect(fd, NULL, where.len));
	saw(connect(fd, (void *)16, where.len));
	where.to.ss_family = AF_UNIX;
	saw(connect(fd, (void *)&where.to, where.len));
	where.to.ss_family = AF_INET6;
	saw(connect(fd, (void *)&where.to, sizeof(struct sockaddr_in6)));
	saw(connect_to(fd, 2, 0));
}

CASE(connect__after_peer_closed)
{
	struct pair p = pair();

	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(connect_to(p.c, 2, 0));
}

CASE(connect__after_both_closed)
{
	struct pair p = pair();

	close(p.s);
	shutdown(p.c, SHUT_WR);
	wait_until(p.c, 0);
	saw(connect_to(p.c, 2, 0));
}

CASE(connect__after_reset)
{
	struct pair p = pair();

	reset(p.s);
	wait_until(p.c, 0);
	saw(connect_to(p.c, 2, 0));
	saw_error(p.c);
	saw(connect_to(p.c, 2, 0));
}
