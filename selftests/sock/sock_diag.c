// SPDX-License-Identifier: GPL-2.0
/* What a dump of sock_diag tells of sockets and connections. */
#include "inet.h"
#include "slow.h"

#include <libmnl/libmnl.h>
#include <linux/sock_diag.h>
#include <linux/prp_diag.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define ALL_STATES \
	(1 << PRP_CLOSE | 1 << PRP_CONN_WAIT | 1 << PRP_LISTEN | \
	 1 << PRP_ESTABLISHED)
#define LONG (256 * 1024)
#define MANY 600
#define SEEN_MAX 4096

static char buf[LONG];

/* One message of a dump */
struct seen {
	struct prp_diag_msg msg;
	struct prp_info info;
	bool has_info;
	bool has_silent;
	unsigned int silent;
	struct sockaddr_in6 local;
	struct sockaddr_in6 peer;
};

static struct seen seen[SEEN_MAX];
static int seen_count;

static int see(const struct nlmsghdr *nlh, void *unused)
{
	struct seen *one = &seen[seen_count];
	const struct nlattr *attr;

	(void)unused;
	if (seen_count == SEEN_MAX)
		return MNL_CB_ERROR;
	memset(one, 0, sizeof(*one));
	memcpy(&one->msg, mnl_nlmsg_get_payload(nlh), sizeof(one->msg));
	mnl_attr_for_each(attr, nlh, sizeof(one->msg)) {
		const void *value = mnl_attr_get_payload(attr);

		if (mnl_attr_get_type(attr) == PRP_DIAG_INFO) {
			one->has_info = true;
			memcpy(&one->info, value, sizeof(one->info));
		} else if (mnl_attr_get_type(attr) == PRP_DIAG_SILENT) {
			one->has_silent = true;
			one->silent = mnl_attr_get_u32(attr);
		} else if (mnl_attr_get_type(attr) == PRP_DIAG_LOCAL) {
			memcpy(&one->local, value,
			       mnl_attr_get_payload_len(attr));
		} else if (mnl_attr_get_type(attr) == PRP_DIAG_PEER) {
			memcpy(&one->peer, value,
			       mnl_attr_get_payload_len(attr));
		}
	}
	seen_count++;
	return MNL_CB_OK;
}

/* Ask a node. Return: 0 with the answers in seen[], else the errno. */
static int ask(const struct nodes *nodes, int nr,
	       const struct prp_diag_req *req, int flags)
{
	static char room[65536];
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	int ret;

	nodes_enter(nodes, nr);
	nl = mnl_socket_open(NETLINK_SOCK_DIAG);
	if (!nl)
		return errno;
	nlh = mnl_nlmsg_put_header(room);
	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = 1;
	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(*req)), req,
	       sizeof(*req));
	seen_count = 0;
	ret = mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);
	while (ret > 0) {
		ret = mnl_socket_recvfrom(nl, room, sizeof(room));
		if (ret > 0)
			ret = mnl_cb_run(room, ret, 1, 0, see, NULL);
	}
	ret = ret < 0 ? errno : 0;
	mnl_socket_close(nl);
	return ret;
}

static int dump(const struct nodes *nodes, int nr, unsigned int states)
{
	struct prp_diag_req req = {
		.sdiag_family = AF_PRP,
		.states = states,
		.show = PRP_DIAG_SHOW_INFO,
	};

	return ask(nodes, nr, &req, NLM_F_DUMP);
}

/* How many of the dump have these flags and this state */
static int count(unsigned int flags, int state)
{
	int found = 0;

	for (int i = 0; i < seen_count; i++)
		if (seen[i].msg.pdiag_flags == flags &&
		    seen[i].msg.pdiag_state == state)
			found++;
	return found;
}

static const struct seen *find(unsigned int flags, int state)
{
	for (int i = 0; i < seen_count; i++)
		if (seen[i].msg.pdiag_flags == flags &&
		    seen[i].msg.pdiag_state == state)
			return &seen[i];
	return NULL;
}

static unsigned int inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

static const struct seen *find_fd(int fd)
{
	unsigned int inode = inode_of(fd);

	for (int i = 0; i < seen_count; i++)
		if (inode && seen[i].msg.pdiag_inode == inode)
			return &seen[i];
	return NULL;
}

/* Dumps until there are so many with these flags. */
static bool wait_count(const struct nodes *nodes, int nr, unsigned int flags,
		       int want)
{
	long end = now_ms() + LIMIT_MS;

	while (now_ms() < end)
		if (!dump(nodes, nr, 1 << PRP_ESTABLISHED) &&
		    count(flags, PRP_ESTABLISHED) == want)
			return true;
	return false;
}

static int port_of(int fd)
{
	struct sockaddr_prp at;
	socklen_t len = sizeof(at);

	return getsockname(fd, SA(at), &len) ? -1 : ntohs(at.sprp_port);
}

/* Is it the cookie that the program sees? */
static bool has_cookie(const struct seen *one, int fd)
{
	unsigned long long cookie;
	socklen_t len = sizeof(cookie);

	return !getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) &&
	       (unsigned int)cookie == one->msg.pdiag_cookie[0] &&
	       cookie >> 32 == one->msg.pdiag_cookie[1];
}

TEST_F(sock, diag__fresh_socket)
{
	int fd = nodes_socket(&self->nodes, 1, 0);
	const struct seen *one;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fchown(fd, 1234, -1));
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	ASSERT_EQ(1, seen_count);
	one = find_fd(fd);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(AF_PRP, one->msg.pdiag_family);
	EXPECT_EQ(PRP_CLOSE, one->msg.pdiag_state);
	EXPECT_EQ(PRP_DIAG_NATIVE, one->msg.pdiag_protocol);
	EXPECT_EQ(PRP_PATH_NONE, one->msg.pdiag_path);
	EXPECT_EQ(PRP_DIAG_SOCKET, one->msg.pdiag_flags);
	EXPECT_EQ(0, one->msg.pdiag_node);
	EXPECT_EQ(0, one->msg.pdiag_port);
	EXPECT_EQ(1234, one->msg.pdiag_uid);
	EXPECT_FALSE(one->has_silent);
	EXPECT_TRUE(has_cookie(one, fd));
	close(fd);
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	EXPECT_EQ(0, seen_count);
}

TEST_F(sock, diag__bound_socket)
{
	struct sockaddr_prp at = prp_at(1, PORT);
	int fd = nodes_socket(&self->nodes, 1, 0);
	const struct seen *one;

	ASSERT_EQ(0, bind(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	one = find_fd(fd);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(1, ntohs(one->msg.pdiag_node));
	EXPECT_EQ(PORT, ntohs(one->msg.pdiag_port));
	close(fd);
}

TEST_F(sock, diag__listener_and_what_waits_for_accept)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 7);
	int client[2], server, second;
	const struct seen *one;

	ASSERT_LE(0, listener);
	ASSERT_EQ(0, fchown(listener, 1234, -1));
	for (int i = 0; i < 2; i++) {
		client[i] = nodes_connect(&self->nodes, 1, 2, PORT);
		ASSERT_LE(0, client[i]);
		ASSERT_TRUE(send_all(client[i], buf, 5000 + i));
	}
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 2, "segs_in", 8));
	ASSERT_EQ(0, dump(&self->nodes, 2, ALL_STATES));
	ASSERT_EQ(3, seen_count);
	one = find_fd(listener);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(PRP_LISTEN, one->msg.pdiag_state);
	EXPECT_EQ(2, one->msg.pdiag_rqueue);
	EXPECT_EQ(7, one->msg.pdiag_wqueue);
	EXPECT_EQ(PORT, ntohs(one->msg.pdiag_port));
	EXPECT_EQ(2, count(PRP_DIAG_UNACCEPTED, PRP_ESTABLISHED));
	for (int i = 0; i < seen_count; i++) {
		one = &seen[i];
		if (one->msg.pdiag_flags != PRP_DIAG_UNACCEPTED)
			continue;
		EXPECT_EQ(0, one->msg.pdiag_inode);
		EXPECT_EQ(0, one->msg.pdiag_cookie[0]);
		EXPECT_EQ(1234, one->msg.pdiag_uid);
		EXPECT_EQ(2, ntohs(one->msg.pdiag_node));
		EXPECT_EQ(PORT, ntohs(one->msg.pdiag_port));
		EXPECT_EQ(1, ntohs(one->msg.pdiag_peer_node));
		second = ntohs(one->msg.pdiag_peer_port) == port_of(client[1]);
		EXPECT_EQ(port_of(client[second]),
			  ntohs(one->msg.pdiag_peer_port));
		EXPECT_EQ(5000 + second, one->msg.pdiag_rqueue);
	}
	server = accept(listener, NULL, NULL);
	ASSERT_LE(0, server);
	ASSERT_EQ(0, dump(&self->nodes, 2, ALL_STATES));
	EXPECT_EQ(1, count(PRP_DIAG_UNACCEPTED, PRP_ESTABLISHED));
	EXPECT_EQ(1, count(PRP_DIAG_SOCKET, PRP_ESTABLISHED));
	EXPECT_NE(NULL, find_fd(server));
	close(server);
	close(listener);
}

TEST_F(pair, diag__both_ends_of_a_connection)
{
	const struct seen *one;
	struct prp_info info;
	socklen_t len = sizeof(info);

	ASSERT_TRUE(send_all(self->client, buf, 20000));
	ASSERT_TRUE(recv_all(self->server, buf, 1000));
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 2, "segs_in", 14));
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	ASSERT_EQ(1, seen_count);
	one = find_fd(self->client);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(PRP_ESTABLISHED, one->msg.pdiag_state);
	EXPECT_EQ(PRP_PATH_PRP, one->msg.pdiag_path);
	EXPECT_EQ(1, ntohs(one->msg.pdiag_node));
	EXPECT_EQ(port_of(self->client), ntohs(one->msg.pdiag_port));
	EXPECT_EQ(2, ntohs(one->msg.pdiag_peer_node));
	EXPECT_EQ(PORT, ntohs(one->msg.pdiag_peer_port));
	EXPECT_EQ(0, one->msg.pdiag_rqueue);

	ASSERT_EQ(0, dump(&self->nodes, 2, ALL_STATES));
	one = find_fd(self->server);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(19000, one->msg.pdiag_rqueue);
	ASSERT_TRUE(one->has_info);
	ASSERT_EQ(0, getsockopt(self->server, SOL_PRP, PRP_INFO, &info, &len));
	EXPECT_EQ(PRP_ESTABLISHED, one->info.prpi_state);
	EXPECT_EQ(20000, one->info.prpi_bytes_in);
	EXPECT_EQ(info.prpi_segs_in, one->info.prpi_segs_in);
	EXPECT_EQ(info.prpi_seg_size, one->info.prpi_seg_size);
}

TEST_F(sock, diag__messages)
{
	int client, server;

	self->nodes.type = SOCK_SEQPACKET;
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	ASSERT_EQ(0, send(client, buf, 0, 0));
	ASSERT_EQ(100, send(client, buf, 100, 0));
	ASSERT_TRUE(nodes_wait_counter(&self->nodes, 2, "segs_in", 2));
	ASSERT_EQ(0, dump(&self->nodes, 2, ALL_STATES));
	ASSERT_EQ(1, seen_count);
	EXPECT_EQ(PRP_DIAG_SOCKET | PRP_DIAG_SEQPACKET,
		  seen[0].msg.pdiag_flags);
	EXPECT_EQ(100, seen[0].msg.pdiag_rqueue);
	close(server);
	close(client);
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(pair, diag__silent_peer)
{
	const struct seen *one;
	long end = now_ms() + LIMIT_MS;
	unsigned int silent = 0;

	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(send_all(self->client, buf, 3000));
	while (silent < 500) {
		ASSERT_LT(now_ms(), end);
		ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
		one = find_fd(self->client);
		ASSERT_NE(NULL, one);
		EXPECT_EQ(3000, one->msg.pdiag_wqueue);
		ASSERT_TRUE(one->has_silent);
		ASSERT_GE(one->silent, silent);
		silent = one->silent;
	}
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(recv_all(self->server, buf, 3000));
	do {
		ASSERT_LT(now_ms(), end);
		ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
		one = find_fd(self->client);
		ASSERT_NE(NULL, one);
	} while (one->msg.pdiag_wqueue || one->has_silent);
}

TEST_F(sock, diag__waiting_for_the_answer)
{
	struct sockaddr_prp at = prp_at(NODE_SILENT, PORT);
	int fd = nodes_socket(&self->nodes, 1, SOCK_NONBLOCK);
	const struct seen *one;

	ASSERT_ERRNO(EINPROGRESS, connect(fd, SA(at), sizeof(at)));
	ASSERT_EQ(0, dump(&self->nodes, 1, 1 << PRP_CONN_WAIT));
	ASSERT_EQ(1, seen_count);
	one = find_fd(fd);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(PRP_CONN_WAIT, one->msg.pdiag_state);
	EXPECT_EQ(NODE_SILENT, ntohs(one->msg.pdiag_peer_node));
	EXPECT_EQ(PORT, ntohs(one->msg.pdiag_peer_port));
	EXPECT_TRUE(one->has_silent);
	close(fd);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_F(pair, diag__orphan_until_it_has_delivered)
{
	const struct seen *one;
	int port = port_of(self->client);

	ASSERT_EQ(0, nodes_cut(&self->nodes));
	ASSERT_TRUE(send_all(self->client, buf, 30000));
	close(self->client);
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	ASSERT_EQ(1, seen_count);
	one = find(PRP_DIAG_ORPHAN, PRP_ESTABLISHED);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(30000, one->msg.pdiag_wqueue);
	EXPECT_EQ(0, one->msg.pdiag_rqueue);
	EXPECT_EQ(0, one->msg.pdiag_inode);
	EXPECT_EQ(port, ntohs(one->msg.pdiag_port));
	EXPECT_EQ(2, ntohs(one->msg.pdiag_peer_node));
	ASSERT_EQ(0, nodes_mend(&self->nodes));
	ASSERT_TRUE(recv_all(self->server, buf, 30000));
	close(self->server);
	EXPECT_TRUE(wait_count(&self->nodes, 1, PRP_DIAG_ORPHAN, 0));
	EXPECT_EQ(0, seen_count);
}

TEST_F(pair, diag__only_the_states_asked_for)
{
	int fresh = nodes_socket(&self->nodes, 1, 0);
	int listener = nodes_listen(&self->nodes, 1, PORT + 1, 1);

	ASSERT_EQ(0, dump(&self->nodes, 1, 1 << PRP_LISTEN));
	ASSERT_EQ(1, seen_count);
	EXPECT_NE(NULL, find_fd(listener));
	ASSERT_EQ(0,
		  dump(&self->nodes, 1, 1 << PRP_CLOSE | 1 << PRP_ESTABLISHED));
	ASSERT_EQ(2, seen_count);
	EXPECT_NE(NULL, find_fd(fresh));
	EXPECT_NE(NULL, find_fd(self->client));
	ASSERT_EQ(0, dump(&self->nodes, 1, 0));
	EXPECT_EQ(0, seen_count);
	close(fresh);
	close(listener);
}

TEST_F(inet, diag__ip_mode_over_prp)
{
	int listener = ip_listen(&self->nodes, "0.0.0.0", PORT);
	int client = ip_client(&self->nodes, KNOWN, PORT);
	const struct seen *one;
	char mine[80];

	ASSERT_LE(0, listener);
	ASSERT_LE(0, client);
	strcpy(mine, local_of(client));
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	ASSERT_EQ(1, seen_count);
	one = find_fd(client);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(PRP_DIAG_INET, one->msg.pdiag_protocol);
	EXPECT_EQ(PRP_PATH_PRP, one->msg.pdiag_path);
	EXPECT_EQ(PRP_ESTABLISHED, one->msg.pdiag_state);
	EXPECT_EQ(2, ntohs(one->msg.pdiag_peer_node));
	EXPECT_STREQ(mine, ip_text(&one->local));
	EXPECT_STREQ("10.80.0.2 4000", ip_text(&one->peer));
	EXPECT_TRUE(has_cookie(one, client));

	ASSERT_EQ(0, dump(&self->nodes, 2, ALL_STATES));
	ASSERT_EQ(2, seen_count);
	one = find_fd(listener);
	ASSERT_NE(NULL, one);
	EXPECT_TRUE(has_cookie(one, listener));
	EXPECT_EQ(PRP_LISTEN, one->msg.pdiag_state);
	EXPECT_EQ(PRP_DIAG_INET, one->msg.pdiag_protocol);
	EXPECT_STREQ("0.0.0.0 4000", ip_text(&one->local));
	EXPECT_EQ(AF_UNSPEC, one->peer.sin6_family);
	one = find(PRP_DIAG_UNACCEPTED, PRP_ESTABLISHED);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(PRP_DIAG_INET, one->msg.pdiag_protocol);
	EXPECT_EQ(PRP_PATH_PRP, one->msg.pdiag_path);
	EXPECT_STREQ("10.80.0.2 4000", ip_text(&one->local));
	EXPECT_STREQ(mine, ip_text(&one->peer));
	close(client);
	close(listener);
}

TEST_F(inet, diag__ip_mode_over_tcp)
{
	int listener = ip_listen(&self->nodes, "::", PORT);
	int client = ip_client(&self->nodes, UNKNOWN6, PORT);
	const struct seen *one;
	char mine[80];

	ASSERT_LE(0, listener);
	ASSERT_LE(0, client);
	strcpy(mine, local_of(client));
	ASSERT_EQ(0, dump(&self->nodes, 1, 1 << PRP_ESTABLISHED));
	ASSERT_EQ(1, seen_count);
	one = find_fd(client);
	ASSERT_NE(NULL, one);
	EXPECT_EQ(PRP_DIAG_INET6, one->msg.pdiag_protocol);
	EXPECT_EQ(PRP_PATH_TCP, one->msg.pdiag_path);
	EXPECT_EQ(0, one->msg.pdiag_peer_node);
	EXPECT_STREQ(mine, ip_text(&one->local));
	EXPECT_STREQ("fd81::2 4000", ip_text(&one->peer));
	close(client);
	close(listener);
}

TEST_F(sock, diag__wrong_requests)
{
	struct prp_diag_req req = { .sdiag_family = AF_PRP };

	EXPECT_EQ(EOPNOTSUPP, ask(&self->nodes, 1, &req, NLM_F_ACK));
	req.sdiag_protocol = 1;
	EXPECT_EQ(EINVAL, ask(&self->nodes, 1, &req, NLM_F_DUMP));
	req.sdiag_protocol = 0;
	req.pad = 1;
	EXPECT_EQ(EINVAL, ask(&self->nodes, 1, &req, NLM_F_DUMP));
	req.pad = 0;
	req.show = 2;
	EXPECT_EQ(EINVAL, ask(&self->nodes, 1, &req, NLM_F_DUMP));
}

/* A process that makes, connects and closes as fast as it can */
static pid_t churn(const struct nodes *nodes)
{
	pid_t pid = fork();
	int fd[16];

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(fd, -1, sizeof(fd));
	for (unsigned int i = 0;; i++) {
		close(fd[i % 16]);
		fd[i % 16] = i % 4 ? nodes_socket(nodes, 1, 0) :
				     nodes_connect(nodes, 1, 2, PORT + 9);
	}
}

TEST_F(sock, diag__each_socket_once_while_others_come_and_go)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, MANY);
	int fd[MANY], times[MANY];
	unsigned int inode[MANY];
	pid_t pid;

	ASSERT_LE(0, listener);
	pid = churn(&self->nodes);
	ASSERT_LT(0, pid);
	for (int i = 0; i < MANY; i++) {
		fd[i] = nodes_socket(&self->nodes, 1, 0);
		ASSERT_LE(0, fd[i]);
		inode[i] = inode_of(fd[i]);
	}
	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
		memset(times, 0, sizeof(times));
		for (int i = 0; i < seen_count; i++)
			for (int j = 0; j < MANY; j++)
				times[j] += seen[i].msg.pdiag_inode == inode[j];
		for (int j = 0; j < MANY; j++)
			ASSERT_EQ(1, times[j]);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < MANY; i++)
		close(fd[i]);
	close(listener);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
	ASSERT_EQ(0, dump(&self->nodes, 1, ALL_STATES));
	EXPECT_EQ(0, seen_count);
}

/* Two hundred connections that no socket has, while others come and go. */
TEST_F(sock, diag__each_connection_once_while_others_come_and_go)
{
	int listener = nodes_listen(&self->nodes, 2, PORT, 300);
	int other = nodes_listen(&self->nodes, 2, PORT + 9, 1);
	int fd[200], port[200], times[200];
	pid_t pid;

	ASSERT_LE(0, listener);
	ASSERT_LE(0, other);
	for (int i = 0; i < 200; i++) {
		fd[i] = nodes_connect(&self->nodes, 1, 2, PORT);
		ASSERT_LE(0, fd[i]);
		port[i] = port_of(fd[i]);
	}
	pid = churn(&self->nodes);
	ASSERT_LT(0, pid);
	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(0, dump(&self->nodes, 2, 1 << PRP_ESTABLISHED));
		memset(times, 0, sizeof(times));
		for (int i = 0; i < seen_count; i++)
			for (int j = 0; j < 200; j++)
				times[j] +=
					seen[i].msg.pdiag_flags ==
						PRP_DIAG_UNACCEPTED &&
					ntohs(seen[i].msg.pdiag_peer_port) ==
						port[j];
		for (int j = 0; j < 200; j++)
			ASSERT_EQ(1, times[j]);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 200; i++)
		close(fd[i]);
	close(listener);
	close(other);
	EXPECT_TRUE(nodes_wait_freed(&self->nodes));
}

TEST_HARNESS_MAIN
