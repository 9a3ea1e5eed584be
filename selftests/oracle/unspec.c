// SPDX-License-Identifier: GPL-2.0
/* connect() to AF_UNSPEC dissolves a connection, in whatever state it is. */
#include "oracle.h"

static long disconnect(int fd)
{
	struct sockaddr to = { .sa_family = AF_UNSPEC };

	return connect(fd, &to, sizeof(to));
}

CASE(unspec__unconnected)
{
	int fd = sock(1, 0);

	saw(disconnect(fd));
	listener(0, 5);
	saw(connect_to(fd, 2, 0));
}

CASE(unspec__bound)
{
	struct at name = { .len = sizeof(name.to) };
	int fd = sock(1, 0);

	saw(bind_to(fd, 1, 3));
	saw(disconnect(fd));
	saw(getsockname(fd, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
}

CASE(unspec__connected)
{
	struct at name = { .len = sizeof(name.to) };
	struct pair p = pair();

	saw(disconnect(p.c));
	saw(getpeername(p.c, (void *)&name.to, &name.len));
	saw(getsockname(p.c, (void *)&name.to, &name.len));
	saw_address(&name.to, name.len);
	saw_events(p.c);
	saw_error(p.c);
}

CASE(unspec__connected_peer_is_told)
{
	struct pair p = pair();

	saw(disconnect(p.c));
	saw_soon(p.s, POLLIN);
	no_block(p.s);
	saw(recv_one(p.s));
	saw(recv_one(p.s));
}

CASE(unspec__connected_then_again)
{
	int listening = listener(0, 5), peer;
	struct pair p = pair_of(listening, 0);
	char in[3];

	saw(send(p.s, "old", 3, 0));
	wait_arrived(p.c, 3);
	if (saw(disconnect(p.c)))
		return;
	saw(connect_to(p.c, 2, 0));
	peer = accept(listening, NULL, NULL);
	saw(send(peer, "new", 3, 0));
	saw(recv(p.c, in, 3, MSG_WAITALL));
	saw_bytes(in, 3);
}

CASE(unspec__connected_then_listens)
{
	struct pair p = pair();

	if (saw(disconnect(p.s)))
		return;
	saw(bind_to(p.s, 0, 1));
	saw(listen(p.s, 5));
	connected(1);
	saw(accept_one(p.s));
}

CASE(unspec__pending)
{
	int fd = connecting();

	if (saw(disconnect(fd)))
		return;
	saw_events(fd);
	saw_error(fd);
	listener(0, 5);
	fcntl(fd, F_SETFL, 0);
	saw(connect_to(fd, 2, 0));
}

CASE(unspec__refused)
{
	int fd = slow_client();

	saw(connect_to(fd, 2, 0));
	wait_until(fd, 0);
	saw(disconnect(fd));
	saw_error(fd);
	saw_events(fd);
	saw(connect_to(fd, 2, 0));
}

CASE(unspec__listening)
{
	int fd = listener(0, 5);

	no_block(fd);
	saw(disconnect(fd));
	saw(accept_one(fd));
	saw(connect_to(sock(1, 0), 2, 0));
	saw(listen(fd, 5));
	saw(connect_to(sock(1, 0), 2, 0));
}

CASE(unspec__peer_closed)
{
	int listening = listener(0, 5);
	struct pair p = pair_of(listening, 0);

	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(disconnect(p.c));
	saw_events(p.c);
	saw(connect_to(p.c, 2, 0));
	saw_events(p.c);
}

CASE(unspec__reset)
{
	int listening = listener(0, 5);
	struct pair p = pair_of(listening, 0);

	reset(p.s);
	wait_until(p.c, 0);
	saw(disconnect(p.c));
	saw_error(p.c);
	saw(connect_to(p.c, 2, 0));
}

CASE(unspec__shut)
{
	int listening = listener(0, 5);
	struct pair p = pair_of(listening, 0);

	saw(shutdown(p.c, SHUT_RDWR));
	saw(disconnect(p.c));
	saw(connect_to(p.c, 2, 0));
	saw(send(p.c, "x", 1, 0));
}

CASE(unspec__wakes_reader)
{
	struct pair p = pair();
	struct doing doing;

	go_to_sleep(&doing, recv_one, p.c, SYS_recvfrom);
	saw(disconnect(p.c));
	saw_done(&doing);
}

CASE(unspec__lengths)
{
	struct sockaddr_storage to = { .ss_family = AF_UNSPEC };

	for (int len = 0; len <= sizeof(to); len += 1 + len / 2) {
		note("%d:", len);
		saw(connect(sock(1, 0), (void *)&to, len));
	}
}
