// SPDX-License-Identifier: GPL-2.0
/* socket(), bind() and listen(): what they take and what they refuse. */
#include "fixture.h"

#include <sched.h>

static int port_of(int fd)
{
	struct sockaddr_prp at = {};
	socklen_t len = sizeof(at);

	if (getsockname(fd, SA(at), &len) || len != sizeof(at))
		return -1;
	return ntohs(at.sprp_port);
}

TEST_F(sock, socket__stream_only)
{
	nodes_enter(&self->nodes, 1);
	ASSERT_LE(0, socket(AF_PRP, SOCK_STREAM, 0));
	ASSERT_ERRNO(ESOCKTNOSUPPORT, socket(AF_PRP, SOCK_DGRAM, 0));
	ASSERT_ERRNO(ESOCKTNOSUPPORT, socket(AF_PRP, SOCK_RAW, 0));
	ASSERT_ERRNO(EPROTONOSUPPORT, socket(AF_PRP, SOCK_STREAM, 1));
}

TEST_F(sock, socket__flags)
{
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK | SOCK_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_TRUE(fcntl(fd, F_GETFL) & O_NONBLOCK);
	ASSERT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

TEST_F(sock, socketpair__refused)
{
	int fds[2];

	nodes_enter(&self->nodes, 1);
	ASSERT_ERRNO(EOPNOTSUPP, socketpair(AF_PRP, SOCK_STREAM, 0, fds));
}

TEST_F(sock, socket__has_type_domain_protocol)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	socklen_t len = sizeof(int);
	int value;

	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len));
	ASSERT_EQ(SOCK_STREAM, value);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &len));
	ASSERT_EQ(AF_PRP, value);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &value, &len));
	ASSERT_EQ(0, value);
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &len));
	ASSERT_EQ(0, value);
}

TEST_F(sock, node__own_number)
{
	__u32 number = 0;
	socklen_t len = sizeof(number);

	for (int nr = 1; nr <= 2; nr++) {
		int fd = nodes_socket(&self->nodes, nr, 0);

		ASSERT_EQ(0, getsockopt(fd, SOL_PRP, PRP_NODE, &number, &len));
		ASSERT_EQ(sizeof(number), len);
		ASSERT_EQ(nr, number);
		ASSERT_ERRNO(ENOPROTOOPT,
			     setsockopt(fd, SOL_PRP, PRP_NODE, &number, len));
	}
}

TEST_F(sock, node__not_in_the_table)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	socklen_t len = sizeof(__u32);
	__u32 number;

	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1, "2 n2 02:50:52:50:00:02\n"));
	ASSERT_ERRNO(EADDRNOTAVAIL,
		     getsockopt(fd, SOL_PRP, PRP_NODE, &number, &len));
}

TEST_F(sock, node__no_table)
{
	socklen_t len = sizeof(__u32);
	__u32 number;
	int fd;

	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	fd = socket(AF_PRP, SOCK_STREAM, 0);
	ASSERT_LE(0, fd);
	ASSERT_ERRNO(ENOENT, getsockopt(fd, SOL_PRP, PRP_NODE, &number, &len));
}

TEST_F(sock, getsockname__unbound)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at;
	socklen_t len = sizeof(at);

	memset(&at, 0xff, sizeof(at));
	ASSERT_EQ(0, getsockname(fd, SA(at), &len));
	ASSERT_EQ(sizeof(at), len);
	ASSERT_EQ(AF_PRP, at.sprp_family);
	ASSERT_EQ(0, at.sprp_port);
	ASSERT_EQ(0, at.sprp_net);
	ASSERT_EQ(0, memcmp(at.sprp_zero, "\0\0\0\0\0\0\0\0", 8));
}

TEST_F(sock, getsockname__short_buffer_is_cut)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at;
	socklen_t len = 2;

	memset(&at, 0xff, sizeof(at));
	ASSERT_EQ(0, getsockname(fd, SA(at), &len));
	ASSERT_EQ(sizeof(at), len);
	ASSERT_EQ(AF_PRP, at.sprp_family);
	ASSERT_EQ(0xffff, at.sprp_port);
}

TEST_F(sock, getpeername__unconnected)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at;
	socklen_t len = sizeof(at);

	ASSERT_ERRNO(ENOTCONN, getpeername(fd, SA(at), &len));
}

TEST_F(sock, bind__gives_automatic_ports)
{
	int one = nodes_socket(&self->nodes, 1, 0);
	int two = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at = prp_at(0, 0);

	ASSERT_EQ(0, bind(one, SA(at), sizeof(at)));
	ASSERT_EQ(0, bind(two, SA(at), sizeof(at)));
	ASSERT_LT(0, port_of(one));
	ASSERT_LT(0, port_of(two));
	ASSERT_NE(port_of(one), port_of(two));
}

/* Those are left to who asks for them by number. */
TEST_F(sock, bind__gives_no_reserved_ports)
{
	static const char reserved[] = "32768-60997,60999";
	int fd[3], i;
	struct sockaddr_prp at = prp_at(0, 0);

	for (i = 0; i < 3; i++)
		fd[i] = nodes_socket(&self->nodes, 1, 0);
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_local_reserved_ports",
				  reserved));
	ASSERT_EQ(0, bind(fd[0], SA(at), sizeof(at)));
	ASSERT_EQ(60998, port_of(fd[0]));
	ASSERT_ERRNO(EADDRINUSE, bind(fd[1], SA(at), sizeof(at)));
	at = prp_at(0, 60999);
	ASSERT_EQ(0, bind(fd[2], SA(at), sizeof(at)));
}

TEST_F(sock, bind__own_node_and_port)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at = prp_at(1, PORT);
	socklen_t len = sizeof(at);

	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	memset(&at, 0, sizeof(at));
	ASSERT_EQ(0, getsockname(fd, SA(at), &len));
	ASSERT_EQ(htons(PORT), at.sprp_port);
	ASSERT_EQ(htons(1), at.sprp_addr);
}

TEST_F(sock, bind__foreign_node)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at = prp_at(2, PORT);

	ASSERT_ERRNO(EADDRNOTAVAIL, bind(fd, SA(at), sizeof(at)));
	at = prp_at(NODE_UNKNOWN, PORT);
	ASSERT_ERRNO(EADDRNOTAVAIL, bind(fd, SA(at), sizeof(at)));
}

TEST_F(sock, bind__twice)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at = prp_at(0, PORT);

	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	at = prp_at(0, PORT + 1);
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), sizeof(at)));
	ASSERT_EQ(PORT, port_of(fd));
}

TEST_F(sock, bind__port_in_use)
{
	int one = nodes_socket(&self->nodes, 1, 0);
	int two = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at = prp_at(0, PORT);

	ASSERT_EQ(0, bind(one, SA(at), sizeof(at)));
	ASSERT_ERRNO(EADDRINUSE, bind(two, SA(at), sizeof(at)));
	at = prp_at(1, PORT);
	ASSERT_ERRNO(EADDRINUSE, bind(two, SA(at), sizeof(at)));
	close(one);
	ASSERT_EQ(0, bind(two, SA(at), sizeof(at)));
}

TEST_F(sock, bind__same_port_on_another_node)
{
	int one = nodes_socket(&self->nodes, 1, 0);
	int two = nodes_socket(&self->nodes, 2, 0);
	struct sockaddr_prp at = prp_at(0, PORT);

	ASSERT_EQ(0, bind(one, SA(at), sizeof(at)));
	ASSERT_EQ(0, bind(two, SA(at), sizeof(at)));
}

TEST_F(sock, bind__bad_addresses)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	struct sockaddr_prp at;

	at = prp_at(0, PORT);
	at.sprp_family = AF_INET;
	ASSERT_ERRNO(EAFNOSUPPORT, bind(fd, SA(at), sizeof(at)));
	at = prp_at(0, PORT);
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), sizeof(at) - 1));
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), 2));
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), 1));
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), 0));
	at.sprp_zero[7] = 1;
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), sizeof(at)));
	at = prp_at(0, PORT);
	at.sprp_net = htons(1);
	ASSERT_ERRNO(EINVAL, bind(fd, SA(at), sizeof(at)));
	ASSERT_ERRNO(EFAULT, bind(fd, (void *)1, sizeof(at)));
	ASSERT_EQ(0, port_of(fd));
}

TEST_F(sock, bind__unaligned_and_long_addresses)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	char room[sizeof(struct sockaddr_storage) + 1] = {};
	int one = nodes_socket(&self->nodes, 1, 0);
	int two = nodes_socket(&self->nodes, 1, 0);

	memcpy(room + 1, &at, sizeof(at));
	ASSERT_EQ(0, bind(one, (void *)(room + 1), sizeof(at)));
	at = prp_at(0, PORT + 1);
	memcpy(room, &at, sizeof(at));
	ASSERT_EQ(0, bind(two, (void *)room, sizeof(struct sockaddr_storage)));
}

TEST_F(sock, bind__reuseaddr_while_a_connection_stands)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int client, server, fd, one = 1;

	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	fd = nodes_socket(&self->nodes, 2, 0);
	ASSERT_EQ(0,
		  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, listen(fd, 1));
}

TEST_F(sock, bind__reuseaddr_does_not_share_a_listener)
{
	struct sockaddr_prp at = prp_at(0, PORT);
	int fd, one = 1;

	ASSERT_LE(0, nodes_listen(&self->nodes, 2, PORT, 1));
	fd = nodes_socket(&self->nodes, 2, 0);
	ASSERT_EQ(0,
		  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	ASSERT_ERRNO(EADDRINUSE, bind(fd, SA(at), sizeof(at)));
}

/* The port that connect() has chosen is given up for bind(), but not once the
 * socket listens there.
 */
TEST_F(sock, bind__after_a_refused_connect)
{
	struct sockaddr_prp at = prp_at(2, PORT), mine = prp_at(0, PORT + 1);
	int one = nodes_socket(&self->nodes, 1, 0), two, port;

	ASSERT_ERRNO(ECONNREFUSED, connect(one, SA(at), sizeof(at)));
	ASSERT_EQ(0, bind(one, SA(mine), sizeof(mine)));
	ASSERT_EQ(PORT + 1, port_of(one));
	ASSERT_ERRNO(EINVAL, bind(one, SA(mine), sizeof(mine)));
	two = nodes_socket(&self->nodes, 1, 0);
	ASSERT_ERRNO(ECONNREFUSED, connect(two, SA(at), sizeof(at)));
	ASSERT_ERRNO(EADDRINUSE, bind(two, SA(mine), sizeof(mine)));
	two = nodes_socket(&self->nodes, 1, 0);
	ASSERT_ERRNO(ECONNREFUSED, connect(two, SA(at), sizeof(at)));
	ASSERT_EQ(0, listen(two, 1));
	port = port_of(two);
	ASSERT_ERRNO(EINVAL, bind(two, SA(mine), sizeof(mine)));
	ASSERT_EQ(port, port_of(two));
	ASSERT_EQ(0, close(two));
}

TEST_F(sock, listen__binds_by_itself)
{
	int fd = nodes_socket(&self->nodes, 1, 0);

	ASSERT_EQ(0, listen(fd, 1));
	ASSERT_LT(0, port_of(fd));
}

TEST_F(sock, listen__twice_changes_the_backlog)
{
	int fd = nodes_listen(&self->nodes, 1, PORT, 1);
	socklen_t len = sizeof(int);
	int value = 0;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, listen(fd, 5));
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len));
	ASSERT_EQ(1, value);
}

TEST_F(pair, listen__connected)
{
	ASSERT_ERRNO(EINVAL, listen(self->client, 1));
	ASSERT_ERRNO(EINVAL, listen(self->server, 1));
}

TEST_HARNESS_MAIN
