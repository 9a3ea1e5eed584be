// SPDX-License-Identifier: GPL-2.0
/*
 * Notifications through generic netlink, and what is known of peers.
 */
#include "fixture.h"
#include "frame.h"
#include "genl.h"
#include "slow.h"

#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdio.h>

#define QUIET_MS 400 /* nothing comes any more */
#define HOSTS \
	"1 n1 02:50:52:50:00:01\n" \
	"2 n2 02:50:52:50:00:02\n" \
	"3 n3 02:50:52:50:00:03\n"

/* An attribute that is a number or a flag, by its type; 0 if it is absent */
struct message {
	int cmd;
	bool has[16];
	unsigned int val[16];
};

struct channel {
	struct mnl_socket *nl;
	const char *name; /* of the group; of events, if NULL */
	int family;
	int group;
};

static struct message messages[512];
static int message_count;

static unsigned int number_of(const struct nlattr *attr)
{
	switch (mnl_attr_get_payload_len(attr)) {
	case 1:
		return mnl_attr_get_u8(attr);
	case 2:
		return mnl_attr_get_u16(attr);
	case 4:
		return mnl_attr_get_u32(attr);
	case 8:
		return mnl_attr_get_u64(attr);
	}
	return 0;
}

static int take(const struct nlmsghdr *nlh, void *unused)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct message *message = &messages[message_count];
	const struct nlattr *attr;

	(void)unused;
	if (message_count == 512)
		return MNL_CB_ERROR;
	memset(message, 0, sizeof(*message));
	message->cmd = genl->cmd;
	mnl_attr_for_each(attr, nlh, sizeof(*genl)) {
		unsigned int type = mnl_attr_get_type(attr);

		if (type < 16) {
			message->has[type] = true;
			message->val[type] = number_of(attr);
		}
	}
	message_count++;
	return MNL_CB_OK;
}

/*
 * Ask, with one attribute if type is not 0. Return: 0 with the answers in
 * messages[], or the errno.
 */
static int ask(const struct channel *channel, int cmd, int flags, int type,
	       const void *value, size_t len)
{
	static unsigned int seq;
	char room[4096];
	struct nlmsghdr *nlh = genl_put(room, channel->family, cmd, flags);

	nlh->nlmsg_seq = ++seq;
	if (type)
		mnl_attr_put(nlh, type, len, value);
	message_count = 0;
	return genl_talk(channel->nl, nlh, take, NULL) < 0 ? errno : 0;
}

static bool channel_open(struct channel *channel, const struct nodes *nodes,
			 int nr)
{
	const char *name = channel->name ? channel->name : PRP_MCGRP_EVENTS;

	nodes_enter(nodes, nr);
	channel->nl = mnl_socket_open(NETLINK_GENERIC);
	if (!channel->nl)
		return false;
	channel->family = genl_family(channel->nl, name, &channel->group);
	return channel->family;
}

static bool channel_listen(struct channel *channel, const struct nodes *nodes,
			   int nr)
{
	return channel_open(channel, nodes, nr) &&
	       !mnl_socket_setsockopt(channel->nl, NETLINK_ADD_MEMBERSHIP,
				      &channel->group, sizeof(int));
}

/* The next notification, or NULL if none comes in time */
static const struct message *event(const struct channel *channel, int ms)
{
	struct pollfd pfd = {
		.fd = mnl_socket_get_fd(channel->nl),
		.events = POLLIN,
	};
	char room[32768];
	int len;

	if (poll(&pfd, 1, ms) <= 0)
		return NULL;
	len = mnl_socket_recvfrom(channel->nl, room, sizeof(room));
	message_count = 0;
	if (len <= 0 || mnl_cb_run(room, len, 0, 0, take, NULL) < 0)
		return NULL;
	return &messages[0];
}

/* The next one of a kind; others are passed over */
static const struct message *event_of(const struct channel *channel, int cmd)
{
	const struct message *message;

	while ((message = event(channel, LIMIT_MS)))
		if (message->cmd == cmd)
			break;
	return message;
}

static int get(const struct channel *channel, int cmd, int type,
	       const void *value, size_t len)
{
	return ask(channel, cmd, NLM_F_ACK, type, value, len);
}

static int get_peer(const struct channel *channel, __u16 number)
{
	return get(channel, PRP_CMD_PEER_GET, PRP_A_PEER_NUMBER, &number,
		   sizeof(number));
}

static int dump_peers(const struct channel *channel)
{
	return ask(channel, PRP_CMD_PEER_GET, NLM_F_DUMP, 0, NULL, 0);
}

static int run(const struct nodes *nodes, int nr, const char *command)
{
	nodes_enter(nodes, nr);
	return system(command);
}

/* ---- table, rails ---- */

TEST_F(sock, events__host_table)
{
	struct channel channel = {};
	const struct message *message;
	unsigned int generation;

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
				 HOSTS "4 n4 02:00:00:00:00:04\n"));
	message = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, message);
	ASSERT_EQ(PRP_CMD_TABLE_NTF, message->cmd);
	generation = message->val[PRP_A_TABLE_GENERATION];
	EXPECT_EQ(4, message->val[PRP_A_TABLE_COUNT]);
	EXPECT_EQ(1, message->val[PRP_A_TABLE_SELF]);
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1, HOSTS));
	message = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, message);
	EXPECT_EQ(generation + 1, message->val[PRP_A_TABLE_GENERATION]);
	EXPECT_EQ(3, message->val[PRP_A_TABLE_COUNT]);
	/* what changes nothing is not told, nor what happens elsewhere */
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1, HOSTS));
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 2, "1 n1 02:50:52:50:00:01\n"));
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
}

TEST_F(sock, events__ethertype)
{
	__u16 ethertype = 0x88b7;
	struct channel channel = {}, other = {};
	const struct message *message;

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_TRUE(channel_open(&other, &self->nodes, 1));
	ASSERT_EQ(0, get(&other, PRP_CMD_ETHERTYPE_SET, PRP_A_TABLE_ETHERTYPE,
			 &ethertype, sizeof(ethertype)));
	message = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, message);
	EXPECT_EQ(PRP_CMD_TABLE_NTF, message->cmd);
	EXPECT_EQ(0x88b7, message->val[PRP_A_TABLE_ETHERTYPE]);
	ASSERT_EQ(0, get(&other, PRP_CMD_ETHERTYPE_SET, PRP_A_TABLE_ETHERTYPE,
			 &ethertype, sizeof(ethertype)));
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
}

TEST_F(sock, events__forward)
{
	struct channel channel = {}, other = {};
	const struct message *message;
	__u8 forward = PRP_FORWARD_ON;

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_TRUE(channel_open(&other, &self->nodes, 1));
	ASSERT_EQ(0, get(&other, PRP_CMD_FORWARD_SET, PRP_A_TABLE_FORWARD,
			 &forward, sizeof(forward)));
	message = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, message);
	EXPECT_EQ(PRP_CMD_TABLE_NTF, message->cmd);
	EXPECT_EQ(PRP_FORWARD_ON, message->val[PRP_A_TABLE_FORWARD]);
	EXPECT_TRUE(message->has[PRP_A_TABLE_FORWARDS]);
	ASSERT_EQ(0, get(&other, PRP_CMD_FORWARD_SET, PRP_A_TABLE_FORWARD,
			 &forward, sizeof(forward)));
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
	forward = PRP_FORWARD_OFF;
	ASSERT_EQ(0, get(&other, PRP_CMD_FORWARD_SET, PRP_A_TABLE_FORWARD,
			 &forward, sizeof(forward)));
	message = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, message);
	EXPECT_EQ(PRP_FORWARD_OFF, message->val[PRP_A_TABLE_FORWARD]);
	EXPECT_FALSE(message->has[PRP_A_TABLE_FORWARDS]);
}

TEST_F(sock, events__rail_down_up_mtu_name_gone)
{
	const struct message *message;
	struct channel channel = {};

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link set p0 down"));
	do {
		message = event_of(&channel, PRP_CMD_RAIL_NTF);
		ASSERT_NE(NULL, message);
		EXPECT_EQ(0, message->val[PRP_A_RAIL_NUMBER]);
		EXPECT_TRUE(message->has[PRP_A_RAIL_MAC]);
		EXPECT_TRUE(message->has[PRP_A_RAIL_IFNAME]);
	} while (message->has[PRP_A_RAIL_UP]);
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link set p0 up"));
	do {
		message = event_of(&channel, PRP_CMD_RAIL_NTF);
		ASSERT_NE(NULL, message);
	} while (!message->has[PRP_A_RAIL_CARRIER]);
	EXPECT_TRUE(message->has[PRP_A_RAIL_UP]);
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link set p0 mtu 1234"));
	do {
		message = event_of(&channel, PRP_CMD_RAIL_NTF);
		ASSERT_NE(NULL, message);
	} while (message->val[PRP_A_RAIL_MTU] != 1234);
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link set p0 down"));
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link set p0 name other"));
	do {
		message = event_of(&channel, PRP_CMD_RAIL_NTF);
		ASSERT_NE(NULL, message);
	} while (message->has[PRP_A_RAIL_UP]);
	ASSERT_NE(NULL, event_of(&channel, PRP_CMD_RAIL_NTF));
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link del other"));
	do {
		message = event_of(&channel, PRP_CMD_RAIL_NTF);
		ASSERT_NE(NULL, message);
	} while (message->has[PRP_A_RAIL_IFINDEX]);
	EXPECT_TRUE(message->has[PRP_A_RAIL_MAC]);
}

/* Another node's rails, other devices: not a word */
TEST_F(sock, events__other_devices_are_not_told)
{
	struct channel channel = {};

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link add d0 type dummy"));
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link set d0 up mtu 1000"));
	ASSERT_EQ(0, run(&self->nodes, 1, "ip link del d0"));
	ASSERT_EQ(0, run(&self->nodes, 2, "ip link set p0 mtu 1000"));
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
}

TEST_F(sock, events__get_one_rail)
{
	struct channel channel = {};
	__u8 rail = 0;

	ASSERT_TRUE(channel_open(&channel, &self->nodes, 1));
	ASSERT_EQ(0,
		  get(&channel, PRP_CMD_RAIL_GET, PRP_A_RAIL_NUMBER, &rail, 1));
	ASSERT_EQ(1, message_count);
	EXPECT_EQ(0, messages[0].val[PRP_A_RAIL_NUMBER]);
	EXPECT_EQ(1500, messages[0].val[PRP_A_RAIL_MTU]);
	EXPECT_TRUE(messages[0].has[PRP_A_RAIL_CARRIER]);
	rail = 1;
	EXPECT_EQ(ENOENT,
		  get(&channel, PRP_CMD_RAIL_GET, PRP_A_RAIL_NUMBER, &rail, 1));
	rail = 200;
	EXPECT_EQ(ENOENT,
		  get(&channel, PRP_CMD_RAIL_GET, PRP_A_RAIL_NUMBER, &rail, 1));
	EXPECT_EQ(EINVAL, get(&channel, PRP_CMD_RAIL_GET, 0, NULL, 0));
}

/* ---- connections ---- */

/* Each end tells of it when it comes and when it goes, and not who listens for
 * anything else.
 */
TEST_F(sock, events__connections)
{
	struct channel channel[3] = {}, other = {};
	const struct message *conn;
	struct sockaddr_prp at;
	socklen_t len = sizeof(at);
	char bytes[100] = {};
	unsigned int port;
	int fd[2];

	for (int nr = 1; nr <= 2; nr++) {
		channel[nr].name = PRP_MCGRP_CONNECTIONS;
		ASSERT_TRUE(channel_listen(&channel[nr], &self->nodes, nr));
	}
	ASSERT_TRUE(channel_listen(&other, &self->nodes, 1));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd[0], &fd[1]));
	ASSERT_EQ(0, getsockname(fd[0], SA(at), &len));
	port = ntohs(at.sprp_port);
	for (int nr = 1; nr <= 2; nr++) {
		conn = event(&channel[nr], LIMIT_MS);
		ASSERT_NE(NULL, conn);
		ASSERT_EQ(PRP_CMD_CONN_NTF, conn->cmd);
		EXPECT_EQ(nr, conn->val[PRP_A_CONN_NODE]);
		EXPECT_EQ(3 - nr, conn->val[PRP_A_CONN_PEER_NODE]);
		EXPECT_EQ(nr == 1 ? port : PORT, conn->val[PRP_A_CONN_PORT]);
		EXPECT_EQ(nr == 2 ? port : PORT,
			  conn->val[PRP_A_CONN_PEER_PORT]);
		EXPECT_FALSE(conn->has[PRP_A_CONN_SEQPACKET]);
		EXPECT_FALSE(conn->has[PRP_A_CONN_IP]);
		EXPECT_FALSE(conn->has[PRP_A_CONN_ENDED]);
		EXPECT_FALSE(conn->has[PRP_A_CONN_BYTES_OUT]);
	}
	ASSERT_TRUE(send_all(fd[0], bytes, sizeof(bytes)));
	ASSERT_TRUE(recv_all(fd[1], bytes, sizeof(bytes)));
	EXPECT_EQ(NULL, event(&channel[1], QUIET_MS));
	close(fd[0]);
	close(fd[1]);
	for (int nr = 1; nr <= 2; nr++) {
		conn = event(&channel[nr], LIMIT_MS);
		ASSERT_NE(NULL, conn);
		ASSERT_EQ(PRP_CMD_CONN_NTF, conn->cmd);
		EXPECT_EQ(nr == 1 ? port : PORT, conn->val[PRP_A_CONN_PORT]);
		EXPECT_TRUE(conn->has[PRP_A_CONN_ENDED]);
		EXPECT_FALSE(conn->has[PRP_A_CONN_ERROR]);
		EXPECT_EQ(nr == 1 ? 100 : 0, conn->val[PRP_A_CONN_BYTES_OUT]);
		EXPECT_EQ(nr == 2 ? 100 : 0, conn->val[PRP_A_CONN_BYTES_IN]);
		EXPECT_EQ(NULL, event(&channel[nr], QUIET_MS));
	}
	while ((conn = event(&other, QUIET_MS)))
		EXPECT_NE(PRP_CMD_CONN_NTF, conn->cmd);
}

/* Who is reset is told why. */
TEST_F(sock, events__connections_that_are_reset)
{
	const struct linger now = { .l_onoff = 1 };
	struct channel channel[3] = {};
	const struct message *conn;
	int fd[2];

	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd[0], &fd[1]));
	for (int nr = 1; nr <= 2; nr++) {
		channel[nr].name = PRP_MCGRP_CONNECTIONS;
		ASSERT_TRUE(channel_listen(&channel[nr], &self->nodes, nr));
	}
	ASSERT_EQ(0,
		  setsockopt(fd[0], SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
	close(fd[0]);
	for (int nr = 1; nr <= 2; nr++) {
		conn = event(&channel[nr], LIMIT_MS);
		ASSERT_NE(NULL, conn);
		EXPECT_TRUE(conn->has[PRP_A_CONN_ENDED]);
		EXPECT_EQ(nr == 1 ? 0 : ECONNRESET,
			  conn->val[PRP_A_CONN_ERROR]);
	}
	close(fd[1]);
	EXPECT_EQ(NULL, event(&channel[2], QUIET_MS));
}

/* ---- peers ---- */

/* Until node 2 has shown that it knows of the connection nothing but its answer
 * was heard, and it owes us that.
 */
static bool settled(struct channel *channel)
{
	do {
		if (get_peer(channel, 2) || message_count != 1)
			return false;
	} while (messages[0].has[PRP_A_PEER_SILENT]);
	return true;
}

TEST_F(pair, peers__heard_and_connections)
{
	struct channel channel = {};
	const struct message *peer;

	ASSERT_TRUE(channel_open(&channel, &self->nodes, 1));
	ASSERT_TRUE(settled(&channel));
	ASSERT_EQ(0, dump_peers(&channel));
	ASSERT_EQ(1, message_count);
	peer = &messages[0];
	EXPECT_EQ(2, peer->val[PRP_A_PEER_NUMBER]);
	ASSERT_TRUE(peer->has[PRP_A_PEER_HEARD]);
	EXPECT_GT(15000, peer->val[PRP_A_PEER_HEARD]);
	EXPECT_TRUE(peer->has[PRP_A_PEER_TABLE_HASH]);
	EXPECT_FALSE(peer->has[PRP_A_PEER_TABLE_DIFFERS]);
	EXPECT_FALSE(peer->has[PRP_A_PEER_VERSION_LOW]);
	EXPECT_EQ(1, peer->val[PRP_A_PEER_CONNS]);
	EXPECT_FALSE(peer->has[PRP_A_PEER_SILENT]);
	EXPECT_FALSE(peer->has[PRP_A_PEER_ERROR]);

	ASSERT_EQ(0, get_peer(&channel, NODE_SILENT));
	ASSERT_EQ(1, message_count);
	EXPECT_EQ(NODE_SILENT, peer->val[PRP_A_PEER_NUMBER]);
	EXPECT_FALSE(peer->has[PRP_A_PEER_HEARD]);
	EXPECT_EQ(0, peer->val[PRP_A_PEER_CONNS]);
	EXPECT_EQ(ENOENT, get_peer(&channel, NODE_UNKNOWN));
	EXPECT_EQ(EINVAL, get(&channel, PRP_CMD_PEER_GET, 0, NULL, 0));
}

TEST_F(pair, peers__data_is_a_sign_of_life)
{
	struct channel channel = {};
	const struct message *peer = &messages[0];
	unsigned int heard = 0;
	char byte = 0;

	ASSERT_TRUE(channel_open(&channel, &self->nodes, 1));
	ASSERT_TRUE(settled(&channel));
	while (heard < 300) {
		ASSERT_EQ(0, get_peer(&channel, 2));
		ASSERT_LE(heard, peer->val[PRP_A_PEER_HEARD]);
		heard = peer->val[PRP_A_PEER_HEARD];
	}
	ASSERT_TRUE(send_all(self->server, &byte, 1));
	ASSERT_TRUE(recv_all(self->client, &byte, 1));
	ASSERT_EQ(0, get_peer(&channel, 2));
	EXPECT_GT(heard, peer->val[PRP_A_PEER_HEARD]);
}

/* What we send is none: it is not taken for something heard. */
TEST_F(pair, peers__silence_and_its_end)
{
	struct channel channel = {}, other = {};
	const struct message *peer = &messages[0];
	char byte = 0;

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_TRUE(channel_open(&other, &self->nodes, 1));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(send_all(self->client, &byte, 1));
	peer = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, peer);
	ASSERT_EQ(PRP_CMD_PEER_NTF, peer->cmd);
	EXPECT_EQ(2, peer->val[PRP_A_PEER_NUMBER]);
	EXPECT_LE(1000, peer->val[PRP_A_PEER_SILENT]);
	EXPECT_LE(peer->val[PRP_A_PEER_SILENT], peer->val[PRP_A_PEER_HEARD]);
	ASSERT_EQ(0, get_peer(&other, 2));
	EXPECT_LE(1000, messages[0].val[PRP_A_PEER_SILENT]);
	EXPECT_LE(1000, messages[0].val[PRP_A_PEER_HEARD]);
	/* told once */
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(recv_all(self->server, &byte, 1));
	peer = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, peer);
	ASSERT_EQ(PRP_CMD_PEER_NTF, peer->cmd);
	EXPECT_FALSE(peer->has[PRP_A_PEER_SILENT]);
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
}

/* Told is the next silence, too, if who waited in the first one has ended. */
TEST_F(pair, peers__silence_of_one_that_ends)
{
	struct linger reset = { .l_onoff = 1 };
	const struct message *peer = &messages[0];
	struct channel channel = {};
	char byte = 0;
	int listener = nodes_listen(&self->nodes, 2, PORT + 1, 1);
	int fd = nodes_connect(&self->nodes, 1, 2, PORT + 1);

	ASSERT_LE(0, listener);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(send_all(fd, &byte, 1));
	peer = event_of(&channel, PRP_CMD_PEER_NTF);
	ASSERT_NE(NULL, peer);
	EXPECT_LE(1000, peer->val[PRP_A_PEER_SILENT]);
	ASSERT_EQ(0,
		  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)));
	close(fd);
	peer = event_of(&channel, PRP_CMD_PEER_NTF);
	ASSERT_NE(NULL, peer);
	EXPECT_FALSE(peer->has[PRP_A_PEER_SILENT]);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(send_all(self->client, &byte, 1));
	ASSERT_TRUE(recv_all(self->server, &byte, 1));
	ASSERT_TRUE(wait_acked(self->client));
	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(send_all(self->client, &byte, 1));
	peer = event_of(&channel, PRP_CMD_PEER_NTF);
	ASSERT_NE(NULL, peer);
	EXPECT_LE(1000, peer->val[PRP_A_PEER_SILENT]);
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	close(listener);
}

TEST_F(sock, peers__one_that_never_was_there)
{
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	struct channel channel = {};
	const struct message *peer;
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);

	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	peer = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, peer);
	ASSERT_EQ(PRP_CMD_PEER_NTF, peer->cmd);
	EXPECT_EQ(NODE_SILENT, peer->val[PRP_A_PEER_NUMBER]);
	EXPECT_LE(1000, peer->val[PRP_A_PEER_SILENT]);
	EXPECT_FALSE(peer->has[PRP_A_PEER_HEARD]);
	EXPECT_EQ(1, peer->val[PRP_A_PEER_CONNS]);
	close(fd);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

/* Each end tells that the other one has another table, once. */
TEST_F(sock, peers__differing_tables)
{
	struct channel channel[3] = {};
	const struct message *peer;
	int fd[2];

	for (int nr = 1; nr <= 2; nr++)
		ASSERT_TRUE(channel_listen(&channel[nr], &self->nodes, nr));
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 2,
				 HOSTS "4 n4 02:00:00:00:00:04\n"));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd[0], &fd[1]));
	for (int nr = 1; nr <= 2; nr++) {
		peer = event_of(&channel[nr], PRP_CMD_PEER_NTF);
		ASSERT_NE(NULL, peer);
		EXPECT_EQ(3 - nr, peer->val[PRP_A_PEER_NUMBER]);
		EXPECT_TRUE(peer->has[PRP_A_PEER_TABLE_HASH]);
		EXPECT_TRUE(peer->has[PRP_A_PEER_TABLE_DIFFERS]);
	}
	close(fd[0]);
	close(fd[1]);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd[0], &fd[1]));
	EXPECT_EQ(NULL, event(&channel[1], QUIET_MS));
	close(fd[0]);
	close(fd[1]);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
				 HOSTS "4 n4 02:00:00:00:00:04\n"));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd[0], &fd[1]));
	peer = event_of(&channel[2], PRP_CMD_PEER_NTF);
	ASSERT_NE(NULL, peer);
	EXPECT_FALSE(peer->has[PRP_A_PEER_TABLE_DIFFERS]);
	EXPECT_EQ(1, nodes_counter(&self->nodes, 2, "table_differs") >= 1);
	close(fd[0]);
	close(fd[1]);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(sock, peers__forgotten_with_their_node)
{
	struct channel channel = {};
	int fd[2];

	ASSERT_TRUE(channel_open(&channel, &self->nodes, 1));
	ASSERT_EQ(0, nodes_pair(&self->nodes, &fd[0], &fd[1]));
	ASSERT_EQ(0, dump_peers(&channel));
	ASSERT_EQ(1, message_count);
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
				 "1 n1 02:50:52:50:00:01\n"
				 "2 x2 02:50:52:50:00:22\n"));
	ASSERT_EQ(0, dump_peers(&channel));
	EXPECT_EQ(0, message_count);
	close(fd[0]);
	close(fd[1]);
}

/* ---- frames by hand ---- */

struct request {
	struct frame frame;
	struct frame_hello hello;
} __attribute__((packed));

static void request_fill(struct request *request, int node)
{
	*request = (struct request) {
		.frame.eth = {
			.dst = { 2, 0x50, 0x52, 0x50, 0, 1 },
			.src = { 2, 0x50, 0x52, 0x50, node >> 8, node },
			.type = htons(PRP_ETHERTYPE),
		},
		.frame.prp = {
			.version = FRAME_VERSION,
			.hops = 16,
			.dst_node = htons(1),
			.src_node = htons(node),
			.src_port = htons(40000),
			.dst_port = htons(PORT + 5),	/* nobody's */
			.flags = htons(FRAME_REQ),
			.ext = 3,
			.window = htons(8),
		},
		.hello = {
			.type = 1,
			.len = 3,
			.sock_type = 1,
			.seg_size = htons(1464),
			.tag = htonl(77),
		},
	};
}

/* A packet socket at node 2's end of the wire */
static int wire_open(const struct nodes *nodes)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(PRP_ETHERTYPE),
	};
	int fd;

	nodes_enter(nodes, 2);
	at.sll_ifindex = if_nametoindex("p0");
	fd = socket(AF_PACKET, SOCK_RAW, htons(PRP_ETHERTYPE));
	return fd < 0 || bind(fd, SA(at), sizeof(at)) ? -1 : fd;
}

TEST_F(sock, peers__version_notice)
{
	struct {
		struct frame_eth eth;
		unsigned char notice[8];
		unsigned char quote[32];
	} __attribute__((packed)) answer;
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	int wire = wire_open(&self->nodes);
	struct channel channel = {};
	struct request request;
	const struct message *peer;

	ASSERT_LE(0, wire);
	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(sizeof(request), recv(wire, &request, sizeof(request), 0));
	memset(&answer, 0, sizeof(answer));
	memcpy(answer.eth.dst, request.frame.eth.src, 6);
	memcpy(answer.eth.src, request.frame.eth.dst, 6);
	answer.eth.type = htons(PRP_ETHERTYPE);
	answer.notice[1] = 3;
	answer.notice[2] = 5;
	answer.notice[3] = FRAME_VERSION;
	memcpy(answer.quote, &request.frame.prp, sizeof(answer.quote));
	ASSERT_EQ(sizeof(answer), send(wire, &answer, sizeof(answer), 0));
	wait_events(fd, POLLOUT);
	EXPECT_EQ(EPROTONOSUPPORT, sock_error(fd));
	peer = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, peer);
	EXPECT_EQ(PRP_CMD_PEER_NTF, peer->cmd);
	EXPECT_EQ(NODE_SILENT, peer->val[PRP_A_PEER_NUMBER]);
	EXPECT_EQ(3, peer->val[PRP_A_PEER_VERSION_LOW]);
	EXPECT_EQ(5, peer->val[PRP_A_PEER_VERSION_HIGH]);
	EXPECT_TRUE(peer->has[PRP_A_PEER_HEARD]);
	/* it learned to speak ours */
	request_fill(&request, NODE_SILENT);
	ASSERT_EQ(sizeof(request), send(wire, &request, sizeof(request), 0));
	peer = event(&channel, LIMIT_MS);
	ASSERT_NE(NULL, peer);
	EXPECT_FALSE(peer->has[PRP_A_PEER_VERSION_LOW]);
	EXPECT_TRUE(peer->has[PRP_A_PEER_TABLE_HASH]);
	close(fd);
}

/* More than fit into one message or one batch, and only those of the table */
TEST_F(sock, peers__many)
{
	int wire = wire_open(&self->nodes);
	struct channel channel = {};
	struct request request;
	char hosts[16384];
	int len = 0;

	ASSERT_LE(0, wire);
	ASSERT_TRUE(channel_open(&channel, &self->nodes, 1));
	for (int node = 1; node <= 250; node++)
		len += snprintf(hosts + len, sizeof(hosts) - len,
				"%d n%d 02:50:52:50:%02x:%02x\n", node, node,
				node >> 8, node & 255);
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1, hosts));
	for (int node = 3; node <= 300; node++) {
		request_fill(&request, node);
		ASSERT_EQ(sizeof(request),
			  send(wire, &request, sizeof(request), 0));
	}
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 1, "frames_in", 298));
	ASSERT_EQ(0, dump_peers(&channel));
	ASSERT_EQ(248, message_count);
	for (int i = 0; i < 248; i++)
		ASSERT_EQ(i + 3, messages[i].val[PRP_A_PEER_NUMBER]);
	EXPECT_EQ(50, nodes_counter(&self->nodes, 1, "drop_source"));
}

/* Who does not show that he got the answer makes nobody listen in vain. */
TEST_F(sock, events__connections_that_nobody_confirms)
{
	struct channel channel = { .name = PRP_MCGRP_CONNECTIONS };
	int listener = nodes_listen(&self->nodes, 1, PORT + 5, 8);
	int wire = wire_open(&self->nodes);
	struct request request;

	ASSERT_LE(0, listener);
	ASSERT_LE(0, wire);
	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	for (int i = 0; i < 100; i++) {
		request_fill(&request, 2);
		request.frame.prp.src_port = htons(40000 + i);
		ASSERT_EQ(sizeof(request),
			  send(wire, &request, sizeof(request), 0));
	}
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 1, "requests_in", 100));
	EXPECT_LE(1, nodes_counter(&self->nodes, 1, "conns_established"));
	/* neither when they come, nor when they go with their listener */
	close(listener);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
	EXPECT_EQ(NULL, event(&channel, QUIET_MS));
}

/* Nobody can make a node tell without bound. */
TEST_F(sock, peers__flood_of_changes_is_told_now_and_then)
{
	int wire = wire_open(&self->nodes), events = 0;
	struct channel channel = {};
	struct request request;
	long begun, took;

	ASSERT_LE(0, wire);
	ASSERT_TRUE(channel_listen(&channel, &self->nodes, 1));
	begun = now_ms();
	for (int i = 0; i < 5000; i++) {
		request_fill(&request, 2 + i % 2);
		request.hello.table_hash = htonl(i + 1);
		ASSERT_EQ(sizeof(request),
			  send(wire, &request, sizeof(request), 0));
	}
	ASSERT_NE(NULL, event(&channel, LIMIT_MS));
	do
		events++;
	while (event(&channel, QUIET_MS * slow()));
	took = now_ms() - begun;
	EXPECT_LE(2, events);
	EXPECT_GE(2 * (took / 100 + 2), events);
	EXPECT_EQ(5000, nodes_counter(&self->nodes, 1, "requests_in"));
}

TEST_HARNESS_MAIN
