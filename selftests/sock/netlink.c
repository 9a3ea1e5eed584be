// SPDX-License-Identifier: GPL-2.0
/*
 * Who may ask and change what through generic netlink, and what comes of
 * requests that make no sense.
 */
#include "fixture.h"
#include "genl.h"
#include "who.h"

#include <linux/prp_diag.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <sys/wait.h>

#define ACCESS_MAX 4096
#define MORE_NODES 2000 /* a dump of them has several parts */
#define USERS_ETHERTYPES 16 /* PRP_OFFLOAD_USERS */
#define USERS_FIRST 0xa000
#define MACHINES_OWN 0xa100

struct genl {
	struct mnl_socket *nl;
	int family;
};

static int take(const struct nlmsghdr *nlh, void *data)
{
	int *messages = data;

	(void)nlh;
	++*messages;
	return MNL_CB_OK;
}

/*
 * The next datagram of an answer. Return: 1, 0 at the end, or -1 and errno:
 * EINTR where what is told has changed meanwhile.
 */
static int receive(const struct genl *genl, int *messages)
{
	char room[32768];
	int len = mnl_socket_recvfrom(genl->nl, room, sizeof(room));

	return len < 0 ? -1 : mnl_cb_run(room, len, 0, 0, take, messages);
}

/* Return: the errno that comes of it, with how many messages told it */
static int ask(const struct genl *genl, const struct nlmsghdr *nlh,
	       int *messages)
{
	*messages = 0;
	return genl_talk(genl->nl, nlh, take, messages) < 0 ? errno : 0;
}

static bool genl_open(struct genl *genl)
{
	genl->nl = mnl_socket_open(NETLINK_GENERIC);
	if (!genl->nl)
		return false;
	genl->family = genl_family(genl->nl, NULL, NULL);
	return genl->family;
}

/* A request without attributes. Return: the errno that comes of it. */
static int bare(const struct genl *genl, int cmd)
{
	int messages;
	char room[64];

	return ask(genl, genl_put(room, genl->family, cmd, NLM_F_ACK),
		   &messages);
}

static int count(const struct genl *genl, int cmd)
{
	int messages;
	char room[64];

	if (ask(genl, genl_put(room, genl->family, cmd, NLM_F_DUMP), &messages))
		return -1;
	return messages;
}

static int access_request_to(const struct genl *genl, int cmd, int port,
			     int end, int node, int direction)
{
	int messages;
	struct nlmsghdr *nlh;
	char room[128];

	nlh = genl_put(room, genl->family, cmd, NLM_F_ACK);
	if (port >= 0)
		mnl_attr_put_u16(nlh, PRP_A_ACCESS_PORT, port);
	if (end >= 0)
		mnl_attr_put_u16(nlh, PRP_A_ACCESS_PORT_END, end);
	if (node >= 0)
		mnl_attr_put_u16(nlh, PRP_A_ACCESS_NODE, node);
	if (direction >= 0)
		mnl_attr_put_u8(nlh, PRP_A_ACCESS_DIRECTION, direction);
	return ask(genl, nlh, &messages);
}

static int access_request(const struct genl *genl, int cmd, int port, int end,
			  int node)
{
	return access_request_to(genl, cmd, port, end, node, -1);
}

static int access_add(const struct genl *genl, int port, int end, int node)
{
	return access_request(genl, PRP_CMD_ACCESS_ADD, port, end, node);
}

/* Those that every user may ask, and those that are no requests */
static const bool reads[PRP_CMD_MAX + 2] = {
	[PRP_CMD_TABLE_GET] = true,    [PRP_CMD_NODE_GET] = true,
	[PRP_CMD_RAIL_GET] = true,     [PRP_CMD_STATS_GET] = true,
	[PRP_CMD_LINK_GET] = true,     [PRP_CMD_ROUTE_GET] = true,
	[PRP_CMD_PEER_GET] = true,     [PRP_CMD_ACCESS_GET] = true,
	[PRP_CMD_MEMORY_GET] = true,   [PRP_CMD_QUERY] = true,
	[PRP_CMD_DISCOVER_GET] = true, [PRP_CMD_FAULT_GET] = true,
};

static const bool tells[PRP_CMD_MAX + 1] = {
	[PRP_CMD_TABLE_NTF] = true,  [PRP_CMD_RAIL_NTF] = true,
	[PRP_CMD_ROUTE_NTF] = true,  [PRP_CMD_PEER_NTF] = true,
	[PRP_CMD_ACCESS_NTF] = true, [PRP_CMD_FAULT_NTF] = true,
	[PRP_CMD_CONN_NTF] = true,
};

/* What is not known to be harmless must be refused. Return: the first one
 * that is treated otherwise, or 0.
 */
static int first_that_is_open(const struct genl *genl)
{
	int cmd, err;

	for (cmd = 1; cmd <= PRP_CMD_MAX; cmd++) {
		err = bare(genl, cmd);
		if (tells[cmd] ? err != EOPNOTSUPP :
		    reads[cmd] ? err == EPERM :
				 err != EPERM)
			return cmd;
	}
	return 0;
}

TEST_F(sock, netlink__an_ordinary_user_changes_nothing)
{
	struct genl genl;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(become_nobody());
	ASSERT_TRUE(genl_open(&genl));
	EXPECT_EQ(0, first_that_is_open(&genl));
}

TEST_F(sock, netlink__root_of_a_user_namespace_changes_nothing_elsewhere)
{
	struct genl genl;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(become_root_of_a_user_namespace());
	ASSERT_TRUE(genl_open(&genl));
	EXPECT_EQ(0, first_that_is_open(&genl));
}

/* An administrator's socket in other hands */
TEST_F(sock, netlink__who_asks_must_be_privileged_not_who_opened)
{
	struct genl genl;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	EXPECT_EQ(0, bare(&genl, PRP_CMD_ACCESS_DEL));
	ASSERT_TRUE(become_nobody());
	EXPECT_EQ(0, first_that_is_open(&genl));
}

static int begin(const struct genl *genl, unsigned int generation)
{
	int messages;
	struct nlmsghdr *nlh;
	char room[64];

	nlh = genl_put(room, genl->family, PRP_CMD_TABLE_BEGIN, NLM_F_ACK);
	mnl_attr_put_u32(nlh, PRP_A_TABLE_GENERATION, generation);
	return ask(genl, nlh, &messages);
}

/* What sock_diag lists of this namespace */
static int count_sockets(void)
{
	struct prp_diag_req req = { .sdiag_family = AF_PRP, .states = -1 };
	struct genl diag = { .nl = mnl_socket_open(NETLINK_SOCK_DIAG) };
	char room[128];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	int messages;

	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(req)), &req, sizeof(req));
	return ask(&diag, nlh, &messages) ? -1 : messages;
}

TEST_F(sock, netlink__own_namespaces_are_configured_and_see_no_others)
{
	int pipes[2], listener = nodes_listen(&self->nodes, 1, PORT, 1);
	struct genl genl, theirs;
	char byte;

	ASSERT_LE(0, listener);
	ASSERT_TRUE(genl_open(&theirs));
	ASSERT_EQ(0, access_add(&theirs, 80, -1, 1));
	ASSERT_EQ(1, count_sockets());
	ASSERT_EQ(0, pipe(pipes));
	if (!fork()) {
		struct sockaddr_prp at = prp_at(0, 80);
		int fd;

		if (!become_root_of_all_of_its_own() || !genl_open(&genl) ||
		    count_sockets() || count(&genl, PRP_CMD_NODE_GET) ||
		    count(&genl, PRP_CMD_ACCESS_GET) ||
		    count(&genl, PRP_CMD_PEER_GET) || begin(&genl, 1) ||
		    bare(&genl, PRP_CMD_TABLE_ABORT) ||
		    access_add(&genl, 22, 23, 2) ||
		    access_add(&genl, 24, -1, 2) ||
		    count(&genl, PRP_CMD_ACCESS_GET) != 2)
			_exit(1);
		fd = socket(AF_PRP, SOCK_STREAM, 0);
		if (bind(fd, SA(at), sizeof(at)) || listen(fd, 1) ||
		    count_sockets() != 1)
			_exit(1);
		byte = 'y';
		_exit(write(pipes[1], &byte, 1) != 1);
	}
	close(pipes[1]);
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	EXPECT_EQ(1, count(&theirs, PRP_CMD_ACCESS_GET));
	EXPECT_EQ(3, count(&theirs, PRP_CMD_NODE_GET));
	EXPECT_EQ(1, count_sockets());
}

TEST_F(sock, netlink__an_ordinary_user_sees_his_namespace)
{
	int listener = nodes_listen(&self->nodes, 1, PORT, 1);
	struct genl genl;

	ASSERT_LE(0, listener);
	ASSERT_TRUE(become_nobody());
	ASSERT_TRUE(genl_open(&genl));
	EXPECT_EQ(1, count_sockets());
	EXPECT_EQ(3, count(&genl, PRP_CMD_NODE_GET));
	EXPECT_LE(1, count(&genl, PRP_CMD_STATS_GET));
}

/* ---- EtherTypes in the hands of users ---- */

static int speak(const struct genl *genl, int ethertype)
{
	int messages;
	struct nlmsghdr *nlh;
	char room[64];

	nlh = genl_put(room, genl->family, PRP_CMD_ETHERTYPE_SET, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_TABLE_ETHERTYPE, ethertype);
	return ask(genl, nlh, &messages);
}

/* In networks of a user's own, each with an EtherType that nobody else has.
 * What is not as it should be is what the process ends with.
 */
static void speak_as_users(int ready, int proceed)
{
	struct genl genl[USERS_ETHERTYPES + 1];
	char byte = 'y';

	if (!become_root_of_all_of_its_own())
		_exit(1);
	for (int i = 0; i <= USERS_ETHERTYPES; i++) {
		if (!genl_open(&genl[i]))
			_exit(2);
		if (speak(&genl[i], USERS_FIRST + i) !=
		    (i < USERS_ETHERTYPES ? 0 : ENOSPC))
			_exit(3);
		if (i < USERS_ETHERTYPES && unshare(CLONE_NEWNET))
			_exit(4);
	}
	if (write(ready, &byte, 1) != 1 || read(proceed, &byte, 1) != 1)
		_exit(5);
	if (speak(&genl[USERS_ETHERTYPES], USERS_FIRST) ||
	    speak(&genl[USERS_ETHERTYPES], MACHINES_OWN))
		_exit(6); /* they are spoken already */
	if (speak(&genl[0], PRP_ETHERTYPE) ||
	    speak(&genl[USERS_ETHERTYPES], USERS_FIRST + USERS_ETHERTYPES))
		_exit(7); /* another one is no longer */
	_exit(0);
}

TEST_F(sock, netlink__ethertypes_of_users_are_few)
{
	int ready[2], proceed[2], status;
	struct genl genl;
	char byte;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	ASSERT_EQ(0, pipe(ready) | pipe(proceed));
	if (!fork())
		speak_as_users(ready[1], proceed[0]);
	close(ready[1]);
	close(proceed[0]);
	EXPECT_EQ(1, read(ready[0], &byte, 1));
	/* the machine's own may have any */
	EXPECT_EQ(0, speak(&genl, MACHINES_OWN));
	EXPECT_EQ(1, write(proceed[1], "y", 1));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, speak(&genl, PRP_ETHERTYPE));
}

/* ---- the accept list in the hands of administrators ---- */

TEST_F(sock, access__what_is_no_entry)
{
	struct genl genl;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	for (int cmd = PRP_CMD_ACCESS_ADD; cmd <= PRP_CMD_ACCESS_DEL; cmd++) {
		if (cmd == PRP_CMD_ACCESS_ADD)
			EXPECT_EQ(EINVAL,
				  access_request(&genl, cmd, -1, -1, -1));
		EXPECT_EQ(EINVAL, access_request(&genl, cmd, 80, -1, -1));
		EXPECT_EQ(EINVAL, access_request(&genl, cmd, -1, -1, 1));
		EXPECT_EQ(EINVAL, access_request(&genl, cmd, -1, 80, -1));
		EXPECT_EQ(EINVAL, access_request(&genl, cmd, -1, 80, 1));
		EXPECT_EQ(EINVAL, access_request(&genl, cmd, 80, 79, 1));
		EXPECT_EQ(EINVAL, access_request(&genl, cmd, 80, -1, 65535));
		EXPECT_EQ(ERANGE, access_request(&genl, cmd, 0, -1, 1));
		EXPECT_EQ(ERANGE, access_request(&genl, cmd, 80, 0, 1));
		EXPECT_EQ(ERANGE, access_request(&genl, cmd, 80, -1, 0));
		EXPECT_EQ(ERANGE, access_request_to(&genl, cmd, 80, -1, 1, 2));
		EXPECT_EQ(EINVAL, access_request_to(&genl, cmd, -1, -1, -1,
						    PRP_DIRECTION_OUT));
	}
	EXPECT_EQ(ENOENT, access_request(&genl, PRP_CMD_ACCESS_DEL, 80, -1, 1));
	EXPECT_EQ(0, count(&genl, PRP_CMD_ACCESS_GET));
	EXPECT_EQ(0, access_add(&genl, 80, 80, 1));
	EXPECT_EQ(EEXIST, access_add(&genl, 80, -1, 1));
	EXPECT_EQ(EEXIST, access_request_to(&genl, PRP_CMD_ACCESS_ADD, 80, -1,
					    1, PRP_DIRECTION_IN));
	EXPECT_EQ(ENOENT, access_request_to(&genl, PRP_CMD_ACCESS_DEL, 80, -1,
					    1, PRP_DIRECTION_OUT));
	EXPECT_EQ(0, access_add(&genl, 65535, 65535, 65534));
	EXPECT_EQ(2, count(&genl, PRP_CMD_ACCESS_GET));
}

TEST_F(sock, access__list_is_bounded_and_told_in_parts)
{
	int messages = 0;
	struct nlmsghdr *nlh;
	struct genl genl, dump;
	char room[64];
	int ret;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	ASSERT_TRUE(genl_open(&dump));
	for (int i = 0; i < ACCESS_MAX; i++)
		ASSERT_EQ(0, access_add(&genl, 1000 + i * 7 % ACCESS_MAX, -1,
					1 + i));
	ASSERT_EQ(E2BIG, access_add(&genl, 1, -1, 1));
	ASSERT_EQ(E2BIG, access_request_to(&genl, PRP_CMD_ACCESS_ADD, 1, -1, 1,
					   PRP_DIRECTION_OUT));
	ASSERT_EQ(ACCESS_MAX, count(&genl, PRP_CMD_ACCESS_GET));
	ASSERT_EQ(0, access_request(&genl, PRP_CMD_ACCESS_DEL, 1000, -1, 1));
	ASSERT_EQ(0, access_add(&genl, 1, -1, 1));
	/* What changes while it is told is marked. */
	nlh = genl_put(room, dump.family, PRP_CMD_ACCESS_GET, NLM_F_DUMP);
	ASSERT_LT(0, mnl_socket_sendto(dump.nl, nlh, nlh->nlmsg_len));
	ASSERT_EQ(1, receive(&dump, &messages));
	ASSERT_EQ(0, access_request(&genl, PRP_CMD_ACCESS_DEL, 1, -1, 1));
	do {
		ret = receive(&dump, &messages);
	} while (ret > 0);
	EXPECT_EQ(-1, ret);
	EXPECT_EQ(EINTR, errno);
	ASSERT_EQ(0, bare(&genl, PRP_CMD_ACCESS_DEL));
	ASSERT_EQ(0, count(&genl, PRP_CMD_ACCESS_GET));
}

/* ---- dumps of what changes meanwhile ---- */

static int add_address(const struct genl *genl, int number)
{
	unsigned char mac[] = { 2, 0xaa, 0, 0, number >> 8, number };
	char room[256], name[16];
	struct nlmsghdr *nlh;
	int messages;

	snprintf(name, sizeof(name), "more%d", number);
	nlh = genl_put(room, genl->family, PRP_CMD_TABLE_ADD, NLM_F_ACK);
	genl_put_node(nlh, number, name, mac);
	return ask(genl, nlh, &messages);
}

static int route_set(const struct genl *genl, int number, int via)
{
	struct nlmsghdr *nlh;
	char room[64];
	int messages;

	nlh = genl_put(room, genl->family, PRP_CMD_ROUTE_SET, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, number);
	mnl_attr_put_u16(nlh, PRP_A_ROUTE_VIA, via);
	return ask(genl, nlh, &messages);
}

/* The host table is the same one before and after, but for its routes. */
TEST_F(sock, netlink__a_route_that_changes_marks_a_dump)
{
	static const int cmds[] = { PRP_CMD_ROUTE_GET, PRP_CMD_NODE_GET };
	struct genl genl, dump;
	struct nlmsghdr *nlh;
	char room[64];
	int messages = 0, ret;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	ASSERT_EQ(0, begin(&genl, 2));
	for (int i = 0; i < MORE_NODES; i++)
		ASSERT_EQ(0, add_address(&genl, 100 + i));
	ASSERT_EQ(0, bare(&genl, PRP_CMD_TABLE_COMMIT));
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(genl_open(&dump));
		nlh = genl_put(room, dump.family, cmds[i], NLM_F_DUMP);
		ASSERT_LT(0, mnl_socket_sendto(dump.nl, nlh, nlh->nlmsg_len));
		ASSERT_EQ(1, receive(&dump, &messages));
		ASSERT_EQ(0, route_set(&genl, 100 + i, 2));
		do {
			ret = receive(&dump, &messages);
		} while (ret > 0);
		EXPECT_EQ(-1, ret);
		EXPECT_EQ(EINTR, errno);
		mnl_socket_close(dump.nl); /* with what it has left */
	}
}

/* ---- requests that are not well formed ---- */

static void put_raw(struct nlmsghdr *nlh, int type, const void *data, int len)
{
	mnl_attr_put(nlh, type, len, data);
}

static int add_node(const struct genl *genl, int type, const void *data,
		    int len)
{
	int messages;
	struct nlmsghdr *nlh;
	char room[1024];

	nlh = genl_put(room, genl->family, PRP_CMD_TABLE_ADD, NLM_F_ACK);
	if (type != PRP_A_NODE_NUMBER)
		mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, 9);
	if (type != PRP_A_NODE_NAME)
		mnl_attr_put_strz(nlh, PRP_A_NODE_NAME, "n9");
	put_raw(nlh, type, data, len);
	return ask(genl, nlh, &messages);
}

TEST_F(sock, netlink__strings_numbers_and_nests_that_are_none)
{
	const unsigned char nest[] = { 12, 0, PRP_A_ADDRESS_MAC, 0, 2, 3 };
	struct genl genl;
	char name[300];

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	ASSERT_EQ(0, begin(&genl, 2));
	memset(name, 'n', sizeof(name));
	/* no final zero within 64 bytes, or none at all */
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NAME, name, 64));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NAME, name, sizeof(name)));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NAME, name, 5));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NAME, "", 1));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NAME, "", 0));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NUMBER, "\1", 1));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_NUMBER, "", 0));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_ADDRESS, "", 0));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_ADDRESS, name, 3));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_ADDRESS, nest, sizeof(nest)));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_IP, name, 5));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_IP, name, 17));
	EXPECT_NE(0, add_node(&genl, PRP_A_NODE_IP, "", 0));
	EXPECT_NE(0, add_node(&genl, 77, name, 4));
	EXPECT_EQ(0, bare(&genl, PRP_CMD_TABLE_COMMIT));
	EXPECT_EQ(3, count(&genl, PRP_CMD_NODE_GET));
}

/* Return: 0 or the errno. */
static int forward(struct genl *genl, size_t len, __u16 value)
{
	char room[256];
	struct nlmsghdr *nlh =
		genl_put(room, genl->family, PRP_CMD_FORWARD_SET, NLM_F_ACK);
	int messages;

	mnl_attr_put(nlh, PRP_A_TABLE_FORWARD, len, &value);
	return ask(genl, nlh, &messages);
}

TEST_F(sock, netlink__forward_is_one_of_three)
{
	struct genl genl;

	ASSERT_TRUE(genl_open(&genl));
	for (int value = 0; value <= 0xff; value++)
		ASSERT_EQ(value > PRP_FORWARD_OFF ? ERANGE : 0,
			  forward(&genl, 1, value));
	EXPECT_EQ(EINVAL, bare(&genl, PRP_CMD_FORWARD_SET));
	EXPECT_EQ(EINVAL, forward(&genl, 0, 0));
	EXPECT_EQ(0, forward(&genl, 1, PRP_FORWARD_AUTO));
}

/* Return: 0 or the errno. */
static int memory(struct genl *genl, int attr, size_t len, __u64 value)
{
	char room[256];
	struct nlmsghdr *nlh =
		genl_put(room, genl->family, PRP_CMD_MEMORY_SET, NLM_F_ACK);
	int messages;

	mnl_attr_put(nlh, attr, len, &value);
	return ask(genl, nlh, &messages);
}

TEST_F(sock, netlink__memory_bounds)
{
	struct genl genl;

	ASSERT_TRUE(genl_open(&genl));
	EXPECT_EQ(EINVAL, bare(&genl, PRP_CMD_MEMORY_SET));
	EXPECT_EQ(EINVAL,
		  memory(&genl, PRP_A_MEMORY_MACHINE_LIMIT, 8, UINT64_MAX));
	for (size_t len = 0; len < 8; len++) {
		EXPECT_NE(0, memory(&genl, PRP_A_MEMORY_LIMIT, len, 1));
		EXPECT_NE(0, memory(&genl, PRP_A_MEMORY_MACHINE_LIMIT, len, 1));
	}
	EXPECT_EQ(0, memory(&genl, PRP_A_MEMORY_LIMIT, 8, 0));
	EXPECT_EQ(0, memory(&genl, PRP_A_MEMORY_LIMIT, 8, UINT64_MAX));
	/* those that only the kernel says */
	EXPECT_EQ(EINVAL, memory(&genl, PRP_A_MEMORY_MOST, 8, 1));
	EXPECT_EQ(EINVAL, memory(&genl, PRP_A_MEMORY_BYTES, 8, 1));
}

/* Attributes that are anything: the kernel refuses or obeys, and lives. */
TEST_F_TIMEOUT(sock, netlink__random_requests, 1200)
{
	int rounds = getenv("PRP_LONG") && *getenv("PRP_LONG") ? 300000 : 5000;
	struct genl genl;
	int answered = 0;

	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(genl_open(&genl));
	srandom(1);
	for (int i = 0; i < rounds; i++) {
		int cmd = 1 + random() % (PRP_CMD_MAX + 1);
		int messages;
		struct nlmsghdr *nlh;
		char room[1024], junk[80];

		nlh = genl_put(room, genl.family, cmd,
			       reads[cmd] && random() % 2 ? NLM_F_DUMP :
							    NLM_F_ACK);
		for (int n = random() % 5; n; n--) {
			for (int at = 0; at < sizeof(junk); at++)
				junk[at] = random() % 3 ? random() : 0;
			put_raw(nlh, random() % 14, junk,
				random() % 3 ? random() % 9 :
					       random() % sizeof(junk));
		}
		if (!(random() % 8)) /* the last one is cut off */
			nlh->nlmsg_len -= 1 + random() % 3;
		answered += !ask(&genl, nlh, &messages);
	}
	/* Most are refused; those that need nothing are not. */
	EXPECT_LT(rounds / 50, answered);
	EXPECT_GT(rounds / 2, answered);
	bare(&genl, PRP_CMD_TABLE_ABORT); /* if one is open */
	ASSERT_EQ(0, bare(&genl, PRP_CMD_ACCESS_DEL));
	/* the machine's, as at first */
	ASSERT_EQ(0, memory(&genl, PRP_A_MEMORY_MACHINE_LIMIT, 8,
			    (__u64)sysconf(_SC_PHYS_PAGES) *
				    sysconf(_SC_PAGESIZE) / 8));
	for (int nr = 1; nr <= 2; nr++)
		ASSERT_EQ(0, nodes_hosts(&self->nodes, nr,
					 "1 n1 02:50:52:50:00:01\n"
					 "2 n2 02:50:52:50:00:02\n"));
}

TEST_HARNESS_MAIN
