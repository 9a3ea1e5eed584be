// SPDX-License-Identifier: GPL-2.0
/* bind(), and how sockets are named. */
#include "oracle.h"

#include "../lib/who.h"

static void saw_local(int fd)
{
	struct at name = { .len = sizeof(name.to) };

	if (saw(getsockname(fd, (void *)&name.to, &name.len)) == 0)
		saw_address(&name.to, name.len);
}

static void saw_peer(int fd)
{
	struct at name = { .len = sizeof(name.to) };

	if (saw(getpeername(fd, (void *)&name.to, &name.len)) == 0)
		saw_address(&name.to, name.len);
}

static int bind_reusing(int fd, int node, int port)
{
	set_int(fd, SO_REUSEADDR, 1);
	return bind_to(fd, node, port);
}

/* Whether another socket could be bound */
static int close_after(int (*bind_it)(int, int, int), int node, int port)
{
	int fd = sock(2, 0), ret = bind_it(fd, node, port), error = errno;

	close(fd);
	errno = error;
	return ret;
}

CASE(bind__any_node)
{
	int fd = sock(2, 0);

	saw(bind_to(fd, 0, 3));
	saw_local(fd);
}

CASE(bind__own_node)
{
	int fd = sock(2, 0);

	saw(bind_to(fd, 2, 3));
	saw_local(fd);
}

CASE(bind__other_node)
{
	int fd = sock(2, 0);

	saw(bind_to(fd, 1, 3));
	saw(bind_to(fd, NODE_UNKNOWN, 3));
	saw_local(fd);
	saw(bind_to(fd, 0, 3));
}

CASE(bind__any_port)
{
	int fd = sock(2, 0), other = sock(2, 0);

	saw(bind_to(fd, 0, -1));
	saw(bind_to(other, 0, -1));
	saw_local(fd);
	saw_local(other);
}

CASE(bind__twice)
{
	int fd = sock(2, 0);

	saw(bind_to(fd, 0, 3));
	saw(bind_to(fd, 0, 3));
	saw(bind_to(fd, 0, 4));
	saw_local(fd);
}

CASE(bind__connected)
{
	struct pair p = pair();

	saw(bind_to(p.c, 0, 3));
	saw(bind_to(p.s, 0, 3));
	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw(bind_to(p.c, 0, 3));
}

CASE(bind__listening)
{
	int fd = listener(0, 5);

	saw(bind_to(fd, 0, 0));
	saw(bind_to(fd, 0, 1));
}

CASE(bind__in_use)
{
	int one = sock(2, 0), two = sock(2, 0);

	saw(bind_to(one, 0, 3));
	saw(bind_to(two, 0, 3));
	saw(bind_to(two, 2, 3));
	close(one);
	saw(bind_to(two, 0, 3));
}

CASE(bind__in_use_elsewhere)
{
	saw(bind_to(sock(2, 0), 0, 3));
	saw(bind_to(sock(1, 0), 0, 3));
}

CASE(bind__in_use_by_a_listener)
{
	int fd = sock(2, 0);

	listener(0, 5);
	saw(bind_to(fd, 0, 0));
	saw(bind_reusing(fd, 0, 0));
}

CASE(bind__reuse_of_both)
{
	int one = sock(2, 0), two = sock(2, 0);

	saw(bind_reusing(one, 0, 3));
	saw(bind_reusing(two, 0, 3));
	saw(listen(one, 5));
	saw(listen(two, 5));
	saw(bind_reusing(sock(2, 0), 0, 3));
}

CASE(bind__reuse_of_one)
{
	int one = sock(2, 0), two = sock(2, 0);

	saw(bind_to(one, 0, 3));
	saw(bind_reusing(two, 0, 3));
}

CASE(bind__reuse_given_up)
{
	int one = sock(2, 0), two = sock(2, 0);

	saw(bind_reusing(one, 0, 3));
	set_int(one, SO_REUSEADDR, 0);
	saw(bind_reusing(two, 0, 3));
}

CASE(bind__beside_a_child)
{
	int listening = listener(0, 5);

	pair_of(listening, 0);
	close(listening);
	saw(close_after(bind_to, 0, 0));
	saw(close_after(bind_reusing, 0, 0));
}

CASE(bind__beside_a_child_that_reuses)
{
	int listening = sock(2, 0), next = sock(2, 0);

	saw(bind_reusing(listening, 0, 0));
	saw(listen(listening, 5));
	pair_of(listening, 0);
	close(listening);
	saw(close_after(bind_to, 0, 0));
	saw(bind_reusing(next, 0, 0));
	saw(listen(next, 5));
	pair_of(next, 0);
}

/* Who ended first keeps the port for a while. */
CASE(bind__after_own_close)
{
	int listening = listener(0, 5);
	struct pair p = pair_of(listening, 0);

	close(listening);
	close(p.s);
	wait_until(p.c, POLLRDHUP);
	shutdown(p.c, SHUT_WR);
	wait_until(p.c, 0);
	saw(bind_reusing(sock(2, 0), 0, 0));
}

CASE(bind__after_refused)
{
	int fd = sock(1, 0);

	saw(connect_to(fd, 2, 0));
	saw(bind_to(fd, 0, 3));
	saw_local(fd);
}

CASE(bind__reuseport)
{
	int one = sock(2, 0), two = sock(2, 0), on = 1;

	saw(setsockopt(one, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)));
	saw_option(one, SOL_SOCKET, SO_REUSEPORT);
	saw(setsockopt(two, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)));
	saw(bind_to(one, 0, 3));
	saw(bind_to(two, 0, 3));
	saw(listen(one, 5));
	saw(listen(two, 5));
	connected(3);
}

CASE(bind__lengths)
{
	struct at where = at(2, 3);

	for (int len = 0; len < where.len; len += 1 + len / 2) {
		note("%d:", len);
		saw(bind(sock(2, 0), (void *)&where.to, len));
	}
	note("-1:");
	saw(bind(sock(2, 0), (void *)&where.to, -1));
	note("129:");
	saw(bind(sock(2, 0), (void *)&where.to, sizeof(where.to) + 1));
	note("128:");
	saw(bind(sock(2, 0), (void *)&where.to, sizeof(where.to)));
}

CASE(bind__bad_address)
{
	struct at where = at(2, 3);
	int fd = sock(2, 0);

	saw(bind(fd, NULL, where.len));
	saw(bind(fd, (void *)16, where.len));
	where.to.ss_family = AF_INET6;
	saw(bind(fd, (void *)&where.to, sizeof(struct sockaddr_in6)));
	where.to.ss_family = AF_UNIX;
	saw(bind(fd, (void *)&where.to, where.len));
}

CASE(bind__unspec)
{
	struct at where = at(0, 3);
	int fd = sock(2, 0);

	where.to.ss_family = AF_UNSPEC;
	saw(bind(fd, (void *)&where.to, where.len));
	where = at(2, 3);
	where.to.ss_family = AF_UNSPEC;
	saw(bind(fd, (void *)&where.to, where.len));
	saw_local(fd);
}

CASE(bind__privileged_port)
{
	struct at where = at(0, 3);
	int fd = sock(2, 0);

	((struct sockaddr_in *)&where.to)->sin_port = htons(80);
	need(become_nobody(), "nobody");
	saw(bind(fd, (void *)&where.to, where.len));
	saw(bind_to(fd, 0, 3));
}

CASE(names__unbound)
{
	int fd = sock(1, 0);

	saw_local(fd);
	saw_peer(fd);
}

CASE(names__listening)
{
	int fd = listener(0, 5);

	saw_local(fd);
	saw_peer(fd);
}

CASE(names__connected)
{
	struct pair p = pair();

	saw_local(p.c);
	saw_peer(p.c);
	saw_local(p.s);
	saw_peer(p.s);
}

CASE(names__both_agree)
{
	struct at one = { .len = sizeof(one.to) }, two = one;
	struct pair p = pair();

	saw(getsockname(p.c, (void *)&one.to, &one.len));
	saw(getpeername(p.s, (void *)&two.to, &two.len));
	note("%s", memcmp(&one.to, &two.to, one.len) ? "differ" : "equal");
}

CASE(names__after_peer_closed)
{
	struct pair p = pair();

	close(p.s);
	wait_until(p.c, POLLRDHUP);
	saw_peer(p.c);
	saw_local(p.c);
}

CASE(names__after_own_shutdown)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_RDWR);
	wait_until(p.s, POLLRDHUP);
	saw_peer(p.c);
	saw_local(p.c);
}

CASE(names__after_both_ended)
{
	struct pair p = pair();

	shutdown(p.c, SHUT_WR);
	wait_until(p.s, POLLRDHUP);
	shutdown(p.s, SHUT_WR);
	wait_until(p.c, 0);
	wait_until(p.s, 0);
	saw_peer(p.s);
	saw_local(p.s);
}

/* An address that is cut; what lies behind it is left alone. */
CASE(names__lengths)
{
	struct pair p = pair();

	for (int len = 0; len < 40; len += 1 + len / 2) {
		unsigned char name[64];
		socklen_t room = len;
		int touched = 64;

		memset(name, 0xee, sizeof(name));
		saw(getsockname(p.c, (void *)name, &room));
		while (touched && name[touched - 1] == 0xee)
			touched--;
		note("%d:%d:%s", len, (int)room,
		     touched > len ? "beyond" : "within");
	}
}

CASE(names__bad_lengths)
{
	struct sockaddr_storage name;
	struct pair p = pair();
	socklen_t len = -1;

	saw(getsockname(p.c, (void *)&name, &len));
	saw(getpeername(p.c, (void *)&name, &len));
	saw(getsockname(p.c, (void *)&name, NULL));
	len = sizeof(name);
	saw(getsockname(p.c, NULL, &len));
	saw(getpeername(p.c, (void *)16, &len));
}

/* All of the address is given a value. */
CASE(names__no_byte_of_the_kernel)
{
	unsigned char name[16];
	socklen_t len = sizeof(name);
	struct pair p = pair();
	int zeros = 0;

	memset(name, 0xee, sizeof(name));
	saw(getpeername(p.s, (void *)name, &len));
	for (int i = 8; i < 16; i++)
		zeros += !name[i];
	note("%d", zeros);
}
