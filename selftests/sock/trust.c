// SPDX-License-Identifier: GPL-2.0
/*
 * Which ports and options an ordinary user may have, and root of a user
 * namespace. What they may configure is in netlink.c.
 */
#include "fixture.h"
#include "who.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/resource.h>

/* ---- ports ---- */

static int a_socket(bool ip)
{
	return ip ? ip_mode_socket(AF_INET, 0) : socket(AF_PRP, SOCK_STREAM, 0);
}

static int bind_port(bool ip, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	struct sockaddr_prp at = prp_at(0, port);
	int fd = a_socket(ip);
	int ret = ip ? bind(fd, SA(in), sizeof(in)) :
		       bind(fd, SA(at), sizeof(at));

	close(fd);
	return ret;
}

FIXTURE(port)
{
	struct nodes nodes;
};

FIXTURE_VARIANT(port)
{
	bool ip;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(port, native) {
	.ip = false,
};

FIXTURE_VARIANT_ADD(port, inet) {
	.ip = true,
};

/* clang-format on */

FIXTURE_SETUP(port)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	nodes_enter(&self->nodes, 1);
}

FIXTURE_TEARDOWN(port)
{
}

TEST_F(port, port__privileged_ones_need_a_capability)
{
	ASSERT_EQ(0, bind_port(variant->ip, 1));
	ASSERT_TRUE(become_nobody());
	ASSERT_ERRNO(EACCES, bind_port(variant->ip, 1));
	ASSERT_ERRNO(EACCES, bind_port(variant->ip, 1023));
	ASSERT_EQ(0, bind_port(variant->ip, 1024));
}

TEST_F(port, port__the_namespace_says_which_are_privileged)
{
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_unprivileged_port_start",
				  "80"));
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 2, "ip_unprivileged_port_start",
				  "20000"));
	ASSERT_EQ(0, bind_port(variant->ip, 1)); /* on node 2, as root */
	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(become_nobody());
	ASSERT_ERRNO(EACCES, bind_port(variant->ip, 79));
	ASSERT_EQ(0, bind_port(variant->ip, 80));
}

TEST_F(port, port__another_namespaces_setting)
{
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_unprivileged_port_start",
				  "20000"));
	ASSERT_TRUE(become_nobody());
	ASSERT_ERRNO(EACCES, bind_port(variant->ip, 19999));
	ASSERT_EQ(0, bind_port(variant->ip, 20000));
}

TEST_F(port, port__root_of_a_user_namespace_is_nobody_elsewhere)
{
	ASSERT_TRUE(become_root_of_a_user_namespace());
	ASSERT_ERRNO(EACCES, bind_port(variant->ip, 80));
	ASSERT_EQ(0, bind_port(variant->ip, 8080));
}

TEST_F(port, port__root_of_a_user_namespace_is_root_in_its_own)
{
	ASSERT_TRUE(become_root_of_all_of_its_own());
	ASSERT_EQ(0, bind_port(variant->ip, 80));
}

/* The kernel keeps TCP's automatic ports above the privileged ones, too. */
TEST_F(sock, port__automatic_ones_are_not_privileged)
{
	struct rlimit limit = { 2000, 2000 };
	struct sockaddr_prp at = prp_at(0, 0);
	socklen_t len = sizeof(at);
	int fd, lowest = 65536;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_local_port_range",
				  "60500 60999"));
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_unprivileged_port_start",
				  "60500"));
	ASSERT_TRUE(become_nobody());
	for (int i = 0; i < 500; i++) {
		fd = socket(AF_PRP, SOCK_STREAM, 0);
		at = prp_at(0, 0);
		ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
		ASSERT_EQ(0, getsockname(fd, SA(at), &len));
		if (ntohs(at.sprp_port) < lowest)
			lowest = ntohs(at.sprp_port);
	}
	ASSERT_EQ(60500, lowest);
	ASSERT_ERRNO(EADDRINUSE, bind_port(false, 0));
	fd = socket(AF_PRP, SOCK_STREAM, 0);
	at = prp_at(2, PORT);
	ASSERT_ERRNO(EADDRNOTAVAIL, connect(fd, SA(at), sizeof(at)));
}

/* So many connections to one port of node 2, each of which carries something.
 * Return: how many there are.
 */
static int clients_of(const struct nodes *nodes, int port, int count)
{
	int listener = nodes_listen(nodes, 2, port, count), client, server, i;
	char got;

	for (i = 0; i < count; i++) {
		client = nodes_connect(nodes, 1, 2, port);
		if (client < 0)
			break;
		server = accept(listener, NULL, NULL);
		if (send(client, "x", 1, 0) != 1 ||
		    recv(server, &got, 1, 0) != 1)
			break;
	}
	close(listener);
	return i;
}

/* When all are used, clients that go elsewhere share them, and nobody else. */
TEST_F(sock, port__clients_share_automatic_ones)
{
	struct sockaddr_prp at = prp_at(0, 0);
	int fd;

	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_local_port_range",
				  "60990 60999"));
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_unprivileged_port_start",
				  "60990"));
	ASSERT_EQ(9, clients_of(&self->nodes, PORT, 9));
	nodes_enter(&self->nodes, 1);
	fd = socket(AF_PRP, SOCK_STREAM, 0); /* which shares with nobody */
	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	ASSERT_EQ(9, clients_of(&self->nodes, PORT + 1, 10));
	ASSERT_EQ(EADDRNOTAVAIL, errno);
	ASSERT_EQ(9, clients_of(&self->nodes, PORT + 2, 9));
	nodes_enter(&self->nodes, 1);
	ASSERT_ERRNO(EADDRINUSE, bind_port(false, 0));
	for (int port = 60990; port <= 60999; port++)
		ASSERT_ERRNO(EADDRINUSE, bind_port(false, port));
	fd = socket(AF_PRP, SOCK_STREAM, 0);
	ASSERT_ERRNO(EADDRINUSE, listen(fd, 1));
	close(fd);
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_local_port_range",
				  "61000 61000"));
	ASSERT_EQ(0, nodes_sysctl(&self->nodes, 1, "ip_unprivileged_port_start",
				  "61000"));
	fd = socket(AF_PRP, SOCK_STREAM, 0);
	at = prp_at(2, PORT + 3);
	ASSERT_ERRNO(EADDRNOTAVAIL, connect(fd, SA(at), sizeof(at)));
}

/* ---- options ---- */

static int set_option(int fd, int name, int value)
{
	return setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value));
}

TEST_F(port, option__privileged_ones)
{
	int fd = a_socket(variant->ip);

	ASSERT_EQ(0, set_option(fd, SO_MARK, 1));
	ASSERT_EQ(0, set_option(fd, SO_PRIORITY, 7));
	ASSERT_TRUE(become_nobody());
	ASSERT_ERRNO(EPERM, set_option(fd, SO_MARK, 2));
	ASSERT_ERRNO(EPERM, set_option(fd, SO_PRIORITY, 7));
	ASSERT_EQ(0, set_option(fd, SO_PRIORITY, 6));
	ASSERT_ERRNO(EPERM, set_option(fd, SO_SNDBUFFORCE, 1 << 26));
	ASSERT_ERRNO(EPERM, set_option(fd, SO_RCVBUFFORCE, 1 << 26));
	ASSERT_ERRNO(EACCES, set_option(fd, SO_DEBUG, 1));
	ASSERT_EQ(0, unshare(CLONE_NEWUSER));
	ASSERT_ERRNO(EPERM, set_option(fd, SO_MARK, 2));
}

TEST_HARNESS_MAIN
