// SPDX-License-Identifier: GPL-2.0
/*
 * Security modules judge sockets of the IP mode as they judge TCP's: one of
 * ours, written for BPF, and Landlock where it has rules for the network. Each
 * case is run with plain sockets of TCP's, too.
 */
#include "inet.h"
#include "bpf.h"

#include <bpf/bpf.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "security.h"

#define REFUSED PORT
#define ALLOWED (PORT + 1)
#define LANDLOCK_HAS_NET 4 /* version of its interface */

/* As in kernels whose headers have rules for the network */
#define NET_BIND_TCP 1ULL
#define NET_CONNECT_TCP 2ULL
#define RULE_NET_PORT 2

struct ruleset {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
};

struct net_port {
	uint64_t allowed_access;
	uint64_t port;
};

FIXTURE(security)
{
	struct nodes nodes;
	struct bpf_object *module;
	struct bpf_link *link[SECURITY_HOOKS];
};

FIXTURE_VARIANT(security)
{
	bool ip_mode;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(security, tcp) {
	.ip_mode = false,
};

FIXTURE_VARIANT_ADD(security, inet) {
	.ip_mode = true,
};

/* clang-format on */

FIXTURE_SETUP(security)
{
	struct bpf_program *program = NULL;
	int i;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP(return, "a debug kernel: without BTF no BPF LSM");
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	self->module = bpf_beside("security.bpf.o");
	ASSERT_NE(NULL, self->module);
	for (i = 0; i < SECURITY_HOOKS; i++) {
		program = bpf_object__next_program(self->module, program);
		self->link[i] = bpf_program__attach_lsm(program);
		ASSERT_NE(NULL, self->link[i]);
	}
}

FIXTURE_TEARDOWN(security)
{
	int i;

	if (!self->module)
		return;
	for (i = 0; i < SECURITY_HOOKS; i++)
		bpf_link__destroy(self->link[i]);
	bpf_object__close(self->module);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

static int map_of(const FIXTURE_DATA(security) * self, const char *name)
{
	return bpf_object__find_map_fd_by_name(self->module, name);
}

/* From now on that is refused there. */
static int refuse(const FIXTURE_DATA(security) * self, uint32_t hook,
		  uint32_t port)
{
	return bpf_map_update_elem(map_of(self, "refused"), &hook, &port, 0);
}

static uint32_t asked(const FIXTURE_DATA(security) * self, uint32_t hook)
{
	uint32_t times = 0;

	bpf_map_lookup_elem(map_of(self, "asked"), &hook, &times);
	return times;
}

static int a_socket(const FIXTURE_DATA(security) * self,
		    const FIXTURE_VARIANT(security) * v, int nr,
		    const char *like)
{
	return v->ip_mode ? ip_socket(&self->nodes, nr, like, 0) :
			    tcp_socket(&self->nodes, nr, like);
}

static int a_listener(const FIXTURE_DATA(security) * self,
		      const FIXTURE_VARIANT(security) * v, int port)
{
	return ip_listen_on(a_socket(self, v, 2, KNOWN), "0.0.0.0", port, 5);
}

static int path_wanted(const FIXTURE_VARIANT(security) * v)
{
	return v->ip_mode ? PRP_PATH_PRP : PRP_PATH_TCP;
}

TEST_F(security, connect__is_refused)
{
	static const char *const to[] = { KNOWN, UNKNOWN, SILENT };
	int listener = a_listener(self, variant, REFUSED);
	unsigned int i;
	int fd;

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, refuse(self, SECURITY_CONNECT, REFUSED));
	for (i = 0; i < 3; i++) {
		fd = a_socket(self, variant, 1, to[i]);
		ASSERT_ERRNO(EPERM, ip_connect(fd, to[i], REFUSED));
		ASSERT_ERRNO(EPERM, ip_connect(fd, to[i], REFUSED));
		ASSERT_EQ(0, sock_error(fd));
		close(fd);
	}
	ASSERT_EQ(6, asked(self, SECURITY_CONNECT));
	ASSERT_EQ(0, events_now(listener));
	close(listener);
}

TEST_F(security, connect__is_refused_with_ipv6)
{
	int fd = a_socket(self, variant, 1, KNOWN6);

	ASSERT_EQ(0, refuse(self, SECURITY_CONNECT, REFUSED));
	ASSERT_ERRNO(EPERM, ip_connect(fd, KNOWN6, REFUSED));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN6, ALLOWED));
	ASSERT_ERRNO(EPERM, ip_connect(fd, KNOWN6, REFUSED));
	close(fd);
}

/* After one that was refused, failed, was served, and given up */
TEST_F(security, connect__is_judged_each_time)
{
	int listener = a_listener(self, variant, ALLOWED);
	int fd = a_socket(self, variant, 1, KNOWN), server;
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, refuse(self, SECURITY_CONNECT, REFUSED));
	ASSERT_ERRNO(EPERM, ip_connect(fd, KNOWN, REFUSED));
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(fd, KNOWN, ALLOWED + 1));
	ASSERT_ERRNO(EPERM, ip_connect(fd, KNOWN, REFUSED));
	ASSERT_EQ(0, ip_connect(fd, KNOWN, ALLOWED));
	ASSERT_EQ(path_wanted(variant), path_of(fd));
	ASSERT_ERRNO(EPERM, ip_connect(fd, KNOWN, REFUSED));
	server = accept(listener, NULL, NULL);
	ASSERT_TRUE(send_all(fd, "data", 4));
	ASSERT_EQ(0, connect(fd, &none, sizeof(none)));
	ASSERT_ERRNO(EPERM, ip_connect(fd, KNOWN, REFUSED));
	close(server);
	close(fd);
	close(listener);
}

TEST_F(security, bind__is_refused)
{
	int fd = a_socket(self, variant, 2, KNOWN);

	ASSERT_EQ(0, refuse(self, SECURITY_BIND, REFUSED));
	ASSERT_ERRNO(EPERM, ip_bind(fd, "0.0.0.0", REFUSED));
	ASSERT_ERRNO(EPERM, ip_bind(fd, KNOWN, REFUSED));
	ASSERT_EQ(2, asked(self, SECURITY_BIND));
	ASSERT_EQ(0, ip_bind(fd, "0.0.0.0", ALLOWED));
	ASSERT_EQ(0, refuse(self, SECURITY_BIND, 0));
	ASSERT_LE(0, a_listener(self, variant, REFUSED));
	close(fd);
}

TEST_F(security, listen__is_refused)
{
	int fd = a_socket(self, variant, 2, KNOWN), client;

	ASSERT_EQ(0, refuse(self, SECURITY_LISTEN, REFUSED));
	ASSERT_EQ(0, ip_bind(fd, "0.0.0.0", REFUSED));
	ASSERT_ERRNO(EPERM, listen(fd, 5));
	ASSERT_EQ(1, asked(self, SECURITY_LISTEN));
	client = a_socket(self, variant, 1, KNOWN);
	ASSERT_ERRNO(ECONNREFUSED, ip_connect(client, KNOWN, REFUSED));
	ASSERT_EQ(0, refuse(self, SECURITY_LISTEN, 0));
	ASSERT_EQ(0, listen(fd, 5));
	ASSERT_EQ(0, ip_connect(client, KNOWN, REFUSED));
	ASSERT_EQ(path_wanted(variant), path_of(client));
	ASSERT_EQ(0, refuse(self, SECURITY_LISTEN, REFUSED));
	ASSERT_ERRNO(EPERM, listen(fd, 6));
	close(client);
	close(fd);
}

/* As a profile of AppArmor's with "network inet stream," and no other family:
 * what it is given by accept() must be of use to it.
 */
TEST_F(security, accept__gives_what_may_be_read)
{
	int listener, client, server;

	ASSERT_EQ(0, refuse(self, SECURITY_RECVMSG, AF_PRP));
	listener = a_listener(self, variant, REFUSED);
	ASSERT_LE(0, listener);
	client = a_socket(self, variant, 1, KNOWN);
	ASSERT_EQ(0, ip_connect(client, KNOWN, REFUSED));
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_TRUE(talk(client, server));
	ASSERT_EQ(PRP_PATH_TCP, path_of(client));
	close(client);
	close(server);
	close(listener);
	ASSERT_EQ(0, refuse(self, SECURITY_RECVMSG, 0));
	listener = a_listener(self, variant, ALLOWED);
	client = a_socket(self, variant, 1, KNOWN);
	ASSERT_EQ(0, ip_connect(client, KNOWN, ALLOWED));
	ASSERT_EQ(path_wanted(variant), path_of(client));
	close(client);
	close(listener);
}

TEST_F(security, listen__is_refused_where_prp_is_required)
{
	int fd = a_socket(self, variant, 2, KNOWN);
	bool required = variant->ip_mode;

	ASSERT_EQ(0, refuse(self, SECURITY_RECVMSG, AF_PRP));
	if (required)
		ASSERT_EQ(0, set_int(fd, SOL_PRP, PRP_REQUIRE, 1));
	ASSERT_EQ(0, ip_bind(fd, "0.0.0.0", REFUSED));
	ASSERT_EQ(required ? -1 : 0, listen(fd, 5));
	if (required)
		ASSERT_EQ(EACCES, errno);
	ASSERT_EQ(0, refuse(self, SECURITY_RECVMSG, 0));
	ASSERT_EQ(0, listen(fd, 5));
	close(fd);
}

/* Let this process connect to one port and bind to it, and to no other one.
 * Return: false if that cannot be.
 */
static bool landlock(uint64_t port)
{
	struct ruleset all = {
		.handled_access_net = NET_BIND_TCP | NET_CONNECT_TCP,
	};
	struct net_port rule = {
		.allowed_access = all.handled_access_net,
		.port = port,
	};
	int fd = syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	bool done;

	done = fd >= 0 &&
	       !syscall(SYS_landlock_add_rule, fd, RULE_NET_PORT, &rule, 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
	return done;
}

/* Kernels before 6.7 know no rules for the network, and say so. */
TEST_F(security, landlock__is_obeyed)
{
	int version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			      LANDLOCK_CREATE_RULESET_VERSION);
	int listener = a_listener(self, variant, ALLOWED);
	int fd = a_socket(self, variant, 1, KNOWN);
	int other = a_socket(self, variant, 2, KNOWN);

	ASSERT_LE(1, version);
	if (version < LANDLOCK_HAS_NET) {
		ASSERT_FALSE(landlock(ALLOWED));
	} else {
		ASSERT_TRUE(landlock(ALLOWED));
		ASSERT_ERRNO(EACCES, ip_connect(fd, KNOWN, REFUSED));
		ASSERT_ERRNO(EACCES, ip_bind(other, "0.0.0.0", REFUSED));
	}
	ASSERT_EQ(0, ip_connect(fd, KNOWN, ALLOWED));
	ASSERT_EQ(path_wanted(variant), path_of(fd));
	close(other);
	close(fd);
	close(listener);
}

TEST_HARNESS_MAIN
