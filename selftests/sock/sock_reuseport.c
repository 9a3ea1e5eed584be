// SPDX-License-Identifier: GPL-2.0
/*
 * Several sockets at one port: SO_REUSEPORT of TCP and of the IP mode, and
 * PRP_REUSEPORT.
 */
#include "inet.h"

#define SHARERS 4
#define CLIENTS 200
#define FEW (CLIENTS / SHARERS / 2) /* 4 deviations below the mean */
#define SOMEBODY 65534

/* Nothing is connected yet. */
FIXTURE(port)
{
	struct nodes nodes;
};

FIXTURE_VARIANT(port)
{
	int family;
	bool ip_mode;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(port, tcp) {
	.family = AF_INET,
};

FIXTURE_VARIANT_ADD(port, native) {
	.family = AF_PRP,
};

FIXTURE_VARIANT_ADD(port, inet) {
	.family = AF_INET,
	.ip_mode = true,
};

/* clang-format on */

FIXTURE_SETUP(port)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
}

FIXTURE_TEARDOWN(port)
{
}

/* One of node @nr that does not block */
static int port_socket(const FIXTURE_DATA(port) * self,
		       const FIXTURE_VARIANT(port) * v, int nr)
{
	nodes_enter(&self->nodes, nr);
	return v->ip_mode ? ip_mode_socket(v->family, SOCK_NONBLOCK) :
			    socket(v->family, SOCK_STREAM | SOCK_NONBLOCK, 0);
}

/* One of another user on node 2 */
static int port_socket_of_somebody(const FIXTURE_DATA(port) * self,
				   const FIXTURE_VARIANT(port) * v)
{
	int fd;

	nodes_enter(&self->nodes, 2);
	if (seteuid(SOMEBODY))
		return -1;
	fd = v->ip_mode ? ip_mode_socket(v->family, 0) :
			  socket(v->family, SOCK_STREAM, 0);
	return seteuid(0) ? -1 : fd;
}

static int port_bind(const FIXTURE_VARIANT(port) * v, int fd)
{
	struct sockaddr_prp at = prp_at(0, PORT);

	return v->family == AF_PRP ? bind(fd, SA(at), sizeof(at)) :
				     ip_bind(fd, "0.0.0.0", PORT);
}

static int port_share(const FIXTURE_VARIANT(port) * v, int fd, int value)
{
	return v->family == AF_PRP ?
		       set_int(fd, SOL_PRP, PRP_REUSEPORT, value) :
		       set_int(fd, SOL_SOCKET, SO_REUSEPORT, value);
}

static int port_is_shared(const FIXTURE_VARIANT(port) * v, int fd)
{
	return v->family == AF_PRP ? get_int(fd, SOL_PRP, PRP_REUSEPORT) :
				     get_int(fd, SOL_SOCKET, SO_REUSEPORT);
}

/* One of node 2 that shares the port, and waits for clients */
static int port_listen(const FIXTURE_DATA(port) * self,
		       const FIXTURE_VARIANT(port) * v)
{
	int fd = port_socket(self, v, 2);

	return port_share(v, fd, 1) || port_bind(v, fd) || listen(fd, CLIENTS) ?
		       -1 :
		       fd;
}

/* One of node 1 that is connected, over what the variant says */
static int port_client(const FIXTURE_DATA(port) * self,
		       const FIXTURE_VARIANT(port) * v)
{
	struct sockaddr_prp at = prp_at(2, PORT);
	bool tcp = v->family == AF_INET && !v->ip_mode;
	int fd = port_socket(self, v, 1);

	fcntl(fd, F_SETFL, 0);
	if (v->family == AF_PRP ? connect(fd, SA(at), sizeof(at)) :
				  ip_connect(fd, KNOWN, PORT))
		return -1;
	return path_of(fd) == (tcp ? PRP_PATH_TCP : PRP_PATH_PRP) ? fd : -1;
}

/* Has many clients connect. Return: how many of them the listener with the
 * fewest has accepted, or -1.
 */
static int port_fewest(const FIXTURE_DATA(port) * self,
		       const FIXTURE_VARIANT(port) * v, const int *listener)
{
	int got[SHARERS] = {}, i, sum = 0, fewest = CLIENTS;

	for (i = 0; i < CLIENTS; i++)
		if (port_client(self, v) < 0)
			return -1;
	for (i = 0; sum < CLIENTS; i = (i + 1) % SHARERS)
		while (accept(listener[i], NULL, NULL) >= 0) {
			got[i]++;
			sum++;
		}
	for (i = 0; i < SHARERS; i++)
		fewest = got[i] < fewest ? got[i] : fewest;
	return fewest;
}

/* Each of many clients is given to one of them, and to each about as many.
 * Chance may leave one of them too few, but not twice.
 */
TEST_F(port, reuseport__spreads_clients)
{
	int listener[SHARERS], i, fewest;

	for (i = 0; i < SHARERS; i++) {
		listener[i] = port_listen(self, variant);
		ASSERT_LE(0, listener[i]);
	}
	fewest = port_fewest(self, variant, listener);
	ASSERT_LE(0, fewest);
	if (fewest < FEW)
		fewest = port_fewest(self, variant, listener);
	ASSERT_LE(FEW, fewest);
}

/* Not with who does not want it, and not with another user. */
TEST_F(port, reuseport__is_one_users)
{
	int fd = port_listen(self, variant);

	ASSERT_LE(0, fd);
	fd = port_socket(self, variant, 2);
	ASSERT_ERRNO(EADDRINUSE, port_bind(variant, fd));
	ASSERT_EQ(0, port_share(variant, fd, 1));
	ASSERT_EQ(0, port_bind(variant, fd));
	ASSERT_EQ(0, listen(fd, 1));
	fd = port_socket_of_somebody(self, variant);
	ASSERT_EQ(0, port_share(variant, fd, 1));
	ASSERT_ERRNO(EADDRINUSE, port_bind(variant, fd));
}

/* Two that have SO_REUSEADDR are both bound, but one of them listens alone. */
TEST_F(port, reuseport__both_must_have_it_to_listen)
{
	int one = port_socket(self, variant, 2);
	int two = port_socket(self, variant, 2);

	ASSERT_EQ(0, set_int(one, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(0, set_int(two, SOL_SOCKET, SO_REUSEADDR, 1));
	ASSERT_EQ(0, port_share(variant, two, 1));
	ASSERT_EQ(0, port_bind(variant, one));
	ASSERT_EQ(0, port_bind(variant, two));
	ASSERT_EQ(0, listen(one, 1));
	ASSERT_ERRNO(EADDRINUSE, listen(two, 1));
}

/* A server that was started again has its port, while the clients of the one
 * before are served to their end. In the IP mode nobody else has to ask them:
 * TCP knows nothing of what PRP carries.
 */
TEST_F(port, reuseport__connections_alone_are_shared)
{
	int listener = port_listen(self, variant), fd;

	ASSERT_LE(0, listener);
	ASSERT_LE(0, port_client(self, variant));
	do
		fd = accept(listener, NULL, NULL);
	while (fd < 0 && errno == EAGAIN);
	ASSERT_LE(0, fd);
	close(listener);
	if (!variant->ip_mode) {
		fd = port_socket(self, variant, 2);
		ASSERT_ERRNO(EADDRINUSE, port_bind(variant, fd));
		fd = port_socket_of_somebody(self, variant);
		ASSERT_EQ(0, port_share(variant, fd, 1));
		ASSERT_ERRNO(EADDRINUSE, port_bind(variant, fd));
	}
	listener = port_listen(self, variant);
	ASSERT_LE(0, listener);
	ASSERT_LE(0, port_client(self, variant));
}

/* How many have lost their connection? */
static int gone(const int *clients)
{
	int i, n = 0;

	for (i = 0; i < CLIENTS; i++)
		n += !!(events_now(clients[i]) & POLLERR);
	return n;
}

/* Those that wait with one that is closed are reset, and the others serve. */
TEST_F(port, reuseport__listener_is_closed)
{
	int closed = port_listen(self, variant);
	int left = port_listen(self, variant);
	int clients[CLIENTS], i, served = 0;

	for (i = 0; i < CLIENTS; i++) {
		clients[i] = port_client(self, variant);
		ASSERT_LE(0, clients[i]);
	}
	close(closed);
	while (served + gone(clients) < CLIENTS)
		while (accept(left, NULL, NULL) >= 0)
			served++;
	ASSERT_LE(FEW, served);
	ASSERT_EQ(CLIENTS - served, gone(clients));
	ASSERT_LE(FEW, CLIENTS - served);
	for (i = 0; i < 2; i++)
		ASSERT_LE(0, port_client(self, variant));
}

TEST_F(port, reuseport__values)
{
	int fd = port_socket(self, variant, 1);
	char byte = 1;

	ASSERT_EQ(0, port_is_shared(variant, fd));
	ASSERT_EQ(0, port_share(variant, fd, 1));
	ASSERT_EQ(1, port_is_shared(variant, fd));
	if (variant->family == AF_PRP) {
		ASSERT_ERRNO(EINVAL, port_share(variant, fd, 2));
		ASSERT_ERRNO(EINVAL, port_share(variant, fd, -1));
		ASSERT_ERRNO(EINVAL, setsockopt(fd, SOL_PRP, PRP_REUSEPORT,
						&byte, sizeof(byte)));
	} else if (variant->ip_mode) {
		ASSERT_ERRNO(ENOPROTOOPT,
			     set_int(fd, SOL_PRP, PRP_REUSEPORT, 1));
		ASSERT_EQ(-1, get_int(fd, SOL_PRP, PRP_REUSEPORT));
	}
	ASSERT_EQ(0, port_share(variant, fd, 0));
	ASSERT_EQ(0, port_is_shared(variant, fd));
}

/* A stream's client must not be given to a listener for messages. */
TEST_F(port, reuseport__is_of_one_type)
{
	int fd = port_listen(self, variant);

	ASSERT_LE(0, fd);
	if (variant->family != AF_PRP) /* which has but one */
		return;
	nodes_enter(&self->nodes, 2);
	fd = socket(AF_PRP, SOCK_SEQPACKET, 0);
	ASSERT_EQ(0, port_share(variant, fd, 1));
	ASSERT_ERRNO(EADDRINUSE, port_bind(variant, fd));
}

TEST_F(port, reuseport__is_inherited)
{
	int listener = port_listen(self, variant), fd;

	ASSERT_LE(0, port_client(self, variant));
	do
		fd = accept(listener, NULL, NULL);
	while (fd < 0 && errno == EAGAIN);
	ASSERT_LE(0, fd);
	if (variant->ip_mode) /* a child of PRP's has no TCP to have it */
		return;
	ASSERT_EQ(1, port_is_shared(variant, fd));
}

TEST_HARNESS_MAIN
