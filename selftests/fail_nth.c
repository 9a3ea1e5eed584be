// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation, and every copy from or to a program, of every call fails
 * once: the kernel's fail-nth lets the n-th of a system call fail, for n = 1,
 * 2, 3 ... until the call needs fewer. A call that failed says so by a clean
 * errno and works when it is made again; one that succeeded all the same has
 * done what it says. Nothing may be left over.
 *
 * Needs a kernel with fault injection; what it prints is in faults/.
 */
#include "inet.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/prp_diag.h>
#include <linux/prp_netlink.h>
#include <linux/sock_diag.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define BYTES 60000
#define SWEEP_MAX 5000 /* no call needs so much */

static int fail_file = -1;

/* ---- the kernel's switches ---- */

static bool put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;

	close(fd);
	return ok;
}

#define DEBUGFS "/sys/kernel/debug/"

/* All kinds of allocations may fail, and no failure is a line in the log. */
static bool faults_on(void)
{
	fail_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_file >= 0 && put(DEBUGFS "failslab/ignore-gfp-wait", "N") &&
	       put(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N") &&
	       put(DEBUGFS "fail_page_alloc/min-order", "0") &&
	       put(DEBUGFS "failslab/verbose", "0") &&
	       put(DEBUGFS "fail_page_alloc/verbose", "0");
}

static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_file, text, len, 0) != len)
		_exit(1);
}

/* Return: whether the failure has come. To ask is a copy that may fail, too. */
static bool disarm(void)
{
	char text[16] = "1";
	bool came = pread(fail_file, text, sizeof(text), 0) > 0 &&
		    text[0] == '0';

	arm(0);
	return came;
}

/* ---- a sweep ---- */

struct sweep {
	struct nodes *nodes;
	int fd; /* what the call is about */
	int other; /* the other end, or a listener */
	int made; /* what the call has made */
	int more; /* what else it needs */
	size_t sent, got;
	char *bytes;
};

struct call {
	bool (*prepare)(struct sweep *sweep);
	long (*call)(struct sweep *sweep);
	bool (*check)(struct sweep *sweep, long ret);
	bool once; /* if it fails it has been done all the same */
};

static char pattern(size_t at)
{
	return at ^ at >> 8 ^ at >> 16;
}

static void close_all(struct sweep *sweep)
{
	int *const fds[] = { &sweep->fd, &sweep->other, &sweep->made,
			     &sweep->more };

	for (int i = 0; i < 4; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static bool is_clean(int error)
{
	return error == ENOMEM || error == ENOBUFS || error == EFAULT;
}

/* Return: how many failures were injected, or -1 after saying what is wrong. */
static int sweep(struct nodes *nodes, const struct call *call)
{
	static char bytes[BYTES];
	int failed = 0;

	for (unsigned int n = 1; n < SWEEP_MAX; n++) {
		struct sweep now = { nodes, -1, -1, -1, -1, 0, 0, bytes };
		bool came, ok = true;
		long ret;
		int error;

		if (call->prepare && !call->prepare(&now)) {
			printf("# %u: cannot prepare: %m\n", n);
			return -1;
		}
		arm(n);
		errno = 0;
		ret = call->call(&now);
		error = errno;
		came = disarm();
		if (ret < 0) {
			failed++;
			if (!came || !is_clean(error)) {
				printf("# %u: errno %s\n", n,
				       strerrorname_np(error));
				return -1;
			}
			if (!call->once)
				ret = call->call(&now);
			if (ret < 0 && !call->once) {
				printf("# %u: after it failed: %m\n", n);
				return -1;
			}
		}
		if (call->check)
			ok = call->check(&now, ret);
		close_all(&now);
		if (!ok) {
			printf("# %u: it did not do what it says\n", n);
			return -1;
		}
		if (!came) {
			printf("# %u reached, %d of them failed the call\n",
			       n - 1, failed);
			return n - 1;
		}
	}
	printf("# no end\n");
	return -1;
}

#define SWEEP(least, ...) \
	do { \
		const struct call call_ = { __VA_ARGS__ }; \
\
		ASSERT_LE(least, sweep(&self->nodes, &call_)); \
		EXPECT_TRUE(nodes_wait_freed(&self->nodes)); \
	} while (0)

FIXTURE(fail)
{
	struct nodes nodes;
};

FIXTURE_SETUP(fail)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
	ASSERT_TRUE(faults_on())
	{
		TH_LOG("this kernel has no fault injection");
	}
}

FIXTURE_TEARDOWN(fail)
{
}

/* ---- sockets ---- */

static long call_socket(struct sweep *sweep)
{
	return sweep->made = socket(AF_PRP, SOCK_STREAM, 0);
}

static long call_socket_inet(struct sweep *sweep)
{
	return sweep->made = socket(AF_PRP, SOCK_STREAM, PRPPROTO_INET);
}

TEST_F(fail, fail_nth__socket)
{
	nodes_enter(&self->nodes, 1);
	SWEEP(3, .call = call_socket);
}

TEST_F(fail, fail_nth__socket_of_the_ip_mode)
{
	nodes_enter(&self->nodes, 1);
	SWEEP(6, .call = call_socket_inet);
}

static bool prepare_socket(struct sweep *sweep)
{
	return (sweep->fd = nodes_socket(sweep->nodes, 1, 0)) >= 0;
}

static long call_bind(struct sweep *sweep)
{
	const struct sockaddr_prp at = prp_at(0, PORT);

	return bind(sweep->fd, SA(at), sizeof(at));
}

TEST_F(fail, fail_nth__bind)
{
	SWEEP(1, .prepare = prepare_socket, .call = call_bind);
}

static bool prepare_bound(struct sweep *sweep)
{
	return prepare_socket(sweep) && !call_bind(sweep);
}

static long call_listen(struct sweep *sweep)
{
	return listen(sweep->fd, 4);
}

static bool connects_from(struct sweep *sweep, int from, int to)
{
	return (sweep->made = nodes_connect(sweep->nodes, from, to, PORT)) >= 0;
}

static bool check_listens(struct sweep *sweep, long ret)
{
	(void)ret;
	return connects_from(sweep, 2, 1);
}

TEST_F(fail, fail_nth__listen)
{
	SWEEP(0, .prepare = prepare_bound, .call = call_listen,
	      .check = check_listens);
}

static bool prepare_listener(struct sweep *sweep)
{
	return (sweep->other = nodes_listen(sweep->nodes, 2, PORT, 4)) >= 0 &&
	       prepare_socket(sweep);
}

static long call_connect(struct sweep *sweep)
{
	const struct sockaddr_prp at = prp_at(2, PORT);

	return connect(sweep->fd, SA(at), sizeof(at));
}

/* What goes in at one end comes out at the other. */
static bool talks(int from, int to)
{
	char byte = 0;

	return send(from, "x", 1, 0) == 1 &&
	       (wait_events(to, POLLIN) & POLLIN) &&
	       recv(to, &byte, 1, 0) == 1 && byte == 'x';
}

static bool check_connected(struct sweep *sweep, long ret)
{
	(void)ret;
	sweep->made = accept(sweep->other, NULL, NULL);
	return sweep->made >= 0 && talks(sweep->fd, sweep->made) &&
	       talks(sweep->made, sweep->fd);
}

TEST_F(fail, fail_nth__connect)
{
	SWEEP(3, .prepare = prepare_listener, .call = call_connect,
	      .check = check_connected);
}

static bool prepare_listener_inet(struct sweep *sweep)
{
	const struct sockaddr_in6 at = ip_at("0.0.0.0", PORT);

	nodes_enter(sweep->nodes, 2);
	sweep->other = socket(AF_PRP, SOCK_STREAM, PRPPROTO_INET);
	nodes_enter(sweep->nodes, 1);
	sweep->fd = socket(AF_PRP, SOCK_STREAM, PRPPROTO_INET);
	return sweep->fd >= 0 &&
	       !setsockopt(sweep->other, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 },
			   sizeof(int)) &&
	       !bind(sweep->other, SA(at), ip_len("0.0.0.0")) &&
	       !listen(sweep->other, 4);
}

static long call_connect_known(struct sweep *sweep)
{
	const struct sockaddr_in6 at = ip_at(KNOWN, PORT);

	return connect(sweep->fd, SA(at), ip_len(KNOWN));
}

static long call_connect_unknown(struct sweep *sweep)
{
	const struct sockaddr_in6 at = ip_at(UNKNOWN, PORT);

	return connect(sweep->fd, SA(at), ip_len(UNKNOWN));
}

TEST_F(fail, fail_nth__connect_of_the_ip_mode)
{
	SWEEP(3, .prepare = prepare_listener_inet, .call = call_connect_known,
	      .check = check_connected);
}

TEST_F(fail, fail_nth__connect_of_the_ip_mode_by_tcp)
{
	SWEEP(3, .prepare = prepare_listener_inet, .call = call_connect_unknown,
	      .check = check_connected);
}

static bool prepare_child(struct sweep *sweep)
{
	return prepare_listener(sweep) && !call_connect(sweep) &&
	       wait_events(sweep->other, POLLIN) == POLLIN;
}

static bool prepare_child_inet(struct sweep *sweep)
{
	return prepare_listener_inet(sweep) && !call_connect_known(sweep) &&
	       wait_events(sweep->other, POLLIN) == POLLIN;
}

static long call_accept(struct sweep *sweep)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);

	return sweep->made = accept(sweep->other, SA(at), &len);
}

/* A child whose accept() failed is gone, or waits for the next one. */
static bool check_accepted(struct sweep *sweep, long ret)
{
	char byte;

	if (ret >= 0)
		return talks(sweep->fd, ret) && talks(ret, sweep->fd);
	if (events_now(sweep->other) & POLLIN) {
		ret = accept(sweep->other, NULL, NULL);
		sweep->made = ret;
		return ret >= 0 && talks(sweep->fd, ret);
	}
	wait_events(sweep->fd, POLLIN);
	return recv(sweep->fd, &byte, 1, 0) <= 0;
}

TEST_F(fail, fail_nth__accept)
{
	SWEEP(3, .prepare = prepare_child, .call = call_accept,
	      .check = check_accepted, .once = true);
}

TEST_F(fail, fail_nth__accept_of_the_ip_mode)
{
	SWEEP(3, .prepare = prepare_child_inet, .call = call_accept,
	      .check = check_accepted, .once = true);
}

/* ---- data ---- */

/* fd sends, other receives. */
static bool prepare_pair(struct sweep *sweep)
{
	for (size_t i = 0; i < BYTES; i++)
		sweep->bytes[i] = pattern(i);
	return !nodes_pair(sweep->nodes, &sweep->fd, &sweep->other);
}

static long call_send(struct sweep *sweep)
{
	return send(sweep->fd, sweep->bytes, BYTES, 0);
}

/* What was said to be sent arrives, as it was, and then the end. */
static bool check_sent(struct sweep *sweep, long ret)
{
	size_t got = 0;
	char part[4096];
	ssize_t len;

	if (ret <= 0 || ret > BYTES || shutdown(sweep->fd, SHUT_WR))
		return false;
	while ((len = recv(sweep->other, part, sizeof(part), 0)) > 0)
		for (ssize_t i = 0; i < len; i++, got++)
			if (part[i] != pattern(got))
				return false;
	return !len && got == (size_t)ret;
}

TEST_F(fail, fail_nth__send)
{
	SWEEP(3, .prepare = prepare_pair, .call = call_send,
	      .check = check_sent);
}

static bool prepare_file(struct sweep *sweep)
{
	if (!prepare_pair(sweep))
		return false;
	sweep->more = memfd_create("bytes", MFD_CLOEXEC);
	return sweep->more >= 0 &&
	       write(sweep->more, sweep->bytes, BYTES) == BYTES;
}

static long call_sendfile(struct sweep *sweep)
{
	off_t at = 0;

	return sendfile(sweep->fd, sweep->more, &at, BYTES);
}

TEST_F(fail, fail_nth__sendfile)
{
	SWEEP(3, .prepare = prepare_file, .call = call_sendfile,
	      .check = check_sent);
}

static bool prepare_pipe(struct sweep *sweep)
{
	int pipes[2];

	if (!prepare_pair(sweep) || pipe2(pipes, O_CLOEXEC))
		return false;
	sweep->more = pipes[0];
	sweep->made = pipes[1];
	return write(sweep->made, sweep->bytes, 30000) == 30000;
}

static long call_splice(struct sweep *sweep)
{
	return splice(sweep->more, NULL, sweep->fd, NULL, BYTES, 0);
}

TEST_F(fail, fail_nth__splice)
{
	SWEEP(1, .prepare = prepare_pipe, .call = call_splice,
	      .check = check_sent);
}

static bool prepare_arrived(struct sweep *sweep)
{
	int unread = 0;

	if (!prepare_pair(sweep) || call_send(sweep) != BYTES)
		return false;
	for (long end = now_ms() + 60000; unread < BYTES && now_ms() < end;)
		if (ioctl(sweep->other, FIONREAD, &unread))
			return false;
	return unread == BYTES;
}

static long call_recv(struct sweep *sweep)
{
	memset(sweep->bytes, 0, BYTES);
	return recv(sweep->other, sweep->bytes, BYTES, 0);
}

/* What one call did not get the next one does. */
static bool check_received(struct sweep *sweep, long ret)
{
	ssize_t got = ret, len;

	while (got < BYTES) {
		len = recv(sweep->other, sweep->bytes + got, BYTES - got, 0);
		if (len <= 0)
			return false;
		got += len;
	}
	for (size_t i = 0; i < BYTES; i++)
		if (sweep->bytes[i] != pattern(i))
			return false;
	return true;
}

TEST_F(fail, fail_nth__recv)
{
	SWEEP(1, .prepare = prepare_arrived, .call = call_recv,
	      .check = check_received);
}

static long call_options(struct sweep *sweep)
{
	const struct timeval timeout = { .tv_sec = 5 };
	unsigned int ms = 2000, path;
	struct sockaddr_prp at;
	struct prp_info info;
	socklen_t len;

	if (setsockopt(sweep->fd, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms)) ||
	    setsockopt(sweep->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout,
		       sizeof(timeout)))
		return -1;
	len = sizeof(info);
	if (getsockopt(sweep->fd, SOL_PRP, PRP_INFO, &info, &len))
		return -1;
	len = sizeof(path);
	if (getsockopt(sweep->fd, SOL_PRP, PRP_PATH, &path, &len))
		return -1;
	len = sizeof(at);
	return getpeername(sweep->fd, SA(at), &len);
}

TEST_F(fail, fail_nth__options)
{
	SWEEP(1, .prepare = prepare_pair, .call = call_options);
}

static bool prepare_unread(struct sweep *sweep)
{
	return prepare_pair(sweep) && call_send(sweep) == BYTES;
}

static long call_close(struct sweep *sweep)
{
	int fd = sweep->fd;

	sweep->fd = -1;
	return close(fd);
}

static bool check_end(struct sweep *sweep, long ret)
{
	return !ret && check_received(sweep, call_recv(sweep)) &&
	       !recv(sweep->other, sweep->bytes, 1, 0);
}

TEST_F(fail, fail_nth__close)
{
	SWEEP(0, .prepare = prepare_unread, .call = call_close,
	      .check = check_end);
}

static long call_close_listener(struct sweep *sweep)
{
	int fd = sweep->other;

	sweep->other = -1;
	return close(fd);
}

static bool check_reset(struct sweep *sweep, long ret)
{
	char byte;

	wait_events(sweep->fd, POLLIN);
	return !ret && recv(sweep->fd, &byte, 1, 0) <= 0;
}

TEST_F(fail, fail_nth__close_of_a_listener)
{
	SWEEP(0, .prepare = prepare_child, .call = call_close_listener,
	      .check = check_reset);
}

/* ---- netlink ---- */

static int family, group;

static int take_family(const struct nlmsghdr *nlh, void *unused)
{
	const struct nlattr *attr, *one, *part;

	(void)unused;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		mnl_attr_for_each_nested(one, attr)
			mnl_attr_for_each_nested(part, one)
				if (mnl_attr_get_type(part) ==
				    CTRL_ATTR_MCAST_GRP_ID)
					group = mnl_attr_get_u32(part);
	}
	return MNL_CB_OK;
}

static unsigned int generation;

static int take(const struct nlmsghdr *nlh, void *unused)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	(void)unused;
	if (nlh->nlmsg_type != family)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, nlh, sizeof(*genl))
		if (genl->cmd == PRP_CMD_TABLE_GET &&
		    mnl_attr_get_type(attr) == PRP_A_TABLE_GENERATION)
			generation = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

/* Send, and read to the end of the answer. */
static long exchange(struct mnl_socket *nl, struct nlmsghdr *nlh, mnl_cb_t cb)
{
	static char room[65536];
	int ret = mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);

	while (ret > 0) {
		ret = mnl_socket_recvfrom(nl, room, sizeof(room));
		if (ret > 0)
			ret = mnl_cb_run(room, ret, 0, 0, cb, NULL);
	}
	return ret;
}

static char request[4096];

static struct nlmsghdr *command(int type, int cmd, int flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

static bool find_family(void)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);
	struct nlmsghdr *nlh =
		command(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	bool ok;

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, PRP_GENL_NAME);
	ok = nl && !exchange(nl, nlh, take_family) && family && group;
	if (nl)
		mnl_socket_close(nl);
	return ok;
}

static struct mnl_socket *channel;

static bool prepare_channel(struct sweep *sweep)
{
	if (channel)
		mnl_socket_close(channel);
	nodes_enter(sweep->nodes, 1);
	channel = mnl_socket_open(NETLINK_GENERIC);
	return channel && (family || find_family());
}

/*
 * The answer may be what failed: a dump says so and can be asked for again,
 * other requests have been done or not. A channel that missed something has
 * no more to say.
 */
static long ask(struct nlmsghdr *nlh)
{
	struct pollfd pfd = {
		.fd = mnl_socket_get_fd(channel),
		.events = POLLIN,
	};
	long ret = mnl_socket_sendto(channel, nlh, nlh->nlmsg_len);
	static char room[65536];

	while (ret > 0) {
		if (poll(&pfd, 1, 2000) <= 0) {
			errno = ENOBUFS;
			return -1;
		}
		ret = mnl_socket_recvfrom(channel, room, sizeof(room));
		if (ret > 0)
			ret = mnl_cb_run(room, ret, 0, 0, take, NULL);
	}
	return ret;
}

static int asked, asked_flags;

static long call_get(struct sweep *sweep)
{
	struct nlmsghdr *nlh = command(family, asked, asked_flags);
	const __u16 number = 2;

	(void)sweep;
	if (asked_flags & NLM_F_DUMP)
		return ask(nlh);
	switch (asked) {
	case PRP_CMD_NODE_GET:
		mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, number);
		break;
	case PRP_CMD_RAIL_GET:
		mnl_attr_put_u8(nlh, PRP_A_RAIL_NUMBER, 0);
		break;
	case PRP_CMD_ROUTE_GET:
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, number);
		break;
	case PRP_CMD_PEER_GET:
		mnl_attr_put_u16(nlh, PRP_A_PEER_NUMBER, number);
		break;
	}
	return ask(nlh);
}

TEST_F(fail, fail_nth__netlink_gets_and_dumps)
{
	static const struct {
		int cmd;
		int flags;
	} gets[] = {
		{ PRP_CMD_TABLE_GET, NLM_F_ACK },
		{ PRP_CMD_NODE_GET, NLM_F_ACK },
		{ PRP_CMD_NODE_GET, NLM_F_DUMP },
		{ PRP_CMD_RAIL_GET, NLM_F_DUMP },
		{ PRP_CMD_STATS_GET, NLM_F_DUMP },
		{ PRP_CMD_LINK_GET, NLM_F_DUMP },
		{ PRP_CMD_ROUTE_GET, NLM_F_ACK },
		{ PRP_CMD_ROUTE_GET, NLM_F_DUMP },
		{ PRP_CMD_PEER_GET, NLM_F_ACK },
		{ PRP_CMD_PEER_GET, NLM_F_DUMP },
	};
	int client, server;

	/* a peer that is known */
	ASSERT_EQ(0, nodes_pair(&self->nodes, &client, &server));
	close(client);
	close(server);
	for (size_t i = 0; i < sizeof(gets) / sizeof(*gets); i++) {
		asked = gets[i].cmd;
		asked_flags = gets[i].flags;
		TH_LOG("command %d, flags %#x", asked, asked_flags);
		SWEEP(1, .prepare = prepare_channel, .call = call_get);
	}
}

static long give(int cmd, struct nlmsghdr *(*fill)(struct nlmsghdr *, int),
		 int argument)
{
	struct nlmsghdr *nlh = command(family, cmd, NLM_F_ACK);

	return ask(fill ? fill(nlh, argument) : nlh);
}

static struct nlmsghdr *fill_begin(struct nlmsghdr *nlh, int unused)
{
	(void)unused;
	mnl_attr_put_u32(nlh, PRP_A_TABLE_GENERATION, generation);
	mnl_attr_put(nlh, PRP_A_TABLE_EMPTY, 0, NULL);
	return nlh;
}

static struct nlmsghdr *fill_node(struct nlmsghdr *nlh, int number)
{
	const __u8 mac[] = { 2, 0x50, 0x52, 0x50, 0, number };
	struct nlattr *nest;
	char name[16];

	snprintf(name, sizeof(name), "n%d", number);
	mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, number);
	mnl_attr_put_strz(nlh, PRP_A_NODE_NAME, name);
	nest = mnl_attr_nest_start(nlh, PRP_A_NODE_ADDRESS);
	mnl_attr_put_u8(nlh, PRP_A_ADDRESS_RAIL, 0);
	mnl_attr_put(nlh, PRP_A_ADDRESS_MAC, sizeof(mac), mac);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_put_u32(nlh, PRP_A_NODE_IP, htonl(0x0a500000 + number));
	return nlh;
}

static struct nlmsghdr *fill_link(struct nlmsghdr *nlh, int peer)
{
	mnl_attr_put_u16(nlh, PRP_A_LINK_NODE, 2);
	mnl_attr_put_u16(nlh, PRP_A_LINK_PEER, peer);
	return nlh;
}

static struct nlmsghdr *fill_number(struct nlmsghdr *nlh, int number)
{
	mnl_attr_put_u16(nlh, PRP_A_NODE_NUMBER, number);
	return nlh;
}

/*
 * A host table of three nodes and two links instead of the one in force, and
 * a fourth node that comes and goes again.
 */
static long change_table(void)
{
	static int more;

	more ^= 1;
	if (give(PRP_CMD_TABLE_GET, NULL, 0) ||
	    give(PRP_CMD_TABLE_BEGIN, fill_begin, 0) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 1) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 2) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 3) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 4) ||
	    give(PRP_CMD_TABLE_ADD, fill_node, 300 + more) ||
	    give(PRP_CMD_LINK_ADD, fill_link, 1) ||
	    give(PRP_CMD_LINK_ADD, fill_link, 3) ||
	    give(PRP_CMD_TABLE_DEL, fill_number, 4))
		return -1;
	return give(PRP_CMD_TABLE_COMMIT, NULL, 0);
}

/* A transaction ends with the socket that began it. */
static long call_change_table(struct sweep *sweep)
{
	if (!channel && !prepare_channel(sweep))
		return -1;
	if (!change_table())
		return 0;
	sweep->sent = errno;
	if (channel)
		mnl_socket_close(channel);
	channel = NULL;
	errno = sweep->sent;
	return -1;
}

TEST_F(fail, fail_nth__netlink_host_table)
{
	SWEEP(20, .prepare = prepare_channel, .call = call_change_table);
	ASSERT_EQ(0, nodes_hosts(&self->nodes, 1,
				 "1 n1 02:50:52:50:00:01\n"
				 "2 n2 02:50:52:50:00:02\n"));
	SWEEP(3, .prepare = prepare_listener, .call = call_connect,
	      .check = check_connected);
}

static struct nlmsghdr *fill_route(struct nlmsghdr *nlh, int via)
{
	mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, 3);
	if (via)
		mnl_attr_put_u16(nlh, PRP_A_ROUTE_VIA, via);
	return nlh;
}

static struct nlmsghdr *fill_ethertype(struct nlmsghdr *nlh, int type)
{
	mnl_attr_put_u16(nlh, PRP_A_TABLE_ETHERTYPE, type);
	return nlh;
}

static long call_route_set(struct sweep *sweep)
{
	(void)sweep;
	return give(PRP_CMD_ROUTE_SET, fill_route, 2);
}

static bool prepare_route(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_route_set(sweep);
}

/* It may have been done although the answer failed. */
static long call_route_del(struct sweep *sweep)
{
	long ret = give(PRP_CMD_ROUTE_DEL, fill_route, 0);

	(void)sweep;
	return ret && errno == ENOENT ? 0 : ret;
}

static bool prepare_no_route(struct sweep *sweep)
{
	return prepare_channel(sweep) && !call_route_del(sweep);
}

static long call_ethertype(struct sweep *sweep)
{
	static int type = 0x88b5;

	(void)sweep;
	type ^= 3; /* 0x88b6 and back */
	return give(PRP_CMD_ETHERTYPE_SET, fill_ethertype, type);
}

TEST_F(fail, fail_nth__netlink_routes_and_ethertype)
{
	SWEEP(3, .prepare = prepare_no_route, .call = call_route_set);
	SWEEP(2, .prepare = prepare_route, .call = call_route_del);
	SWEEP(2, .prepare = prepare_channel, .call = call_ethertype);
}

static long call_monitor(struct sweep *sweep)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);
	int ret = -1;

	(void)sweep;
	if (!nl)
		return -1;
	ret = mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group,
				    sizeof(group));
	mnl_socket_close(nl);
	return ret;
}

TEST_F(fail, fail_nth__netlink_monitor)
{
	nodes_enter(&self->nodes, 1);
	ASSERT_TRUE(find_family());
	SWEEP(2, .call = call_monitor);
}

/* fd and other are connected, made listens. */
static bool prepare_dump(struct sweep *sweep)
{
	return prepare_pair(sweep) &&
	       (sweep->made = nodes_listen(sweep->nodes, 1, PORT + 1, 1)) >= 0;
}

static long call_dump(struct sweep *sweep)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_SOCK_DIAG);
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct prp_diag_req req = {
		.sdiag_family = AF_PRP,
		.states = -1,
		.show = PRP_DIAG_SHOW_INFO,
	};
	long ret;

	(void)sweep;
	if (!nl)
		return -1;
	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(req)), &req, sizeof(req));
	ret = exchange(nl, nlh, NULL);
	req.sdiag_family = errno;
	mnl_socket_close(nl);
	errno = req.sdiag_family;
	return ret;
}

TEST_F(fail, fail_nth__sock_diag)
{
	SWEEP(3, .prepare = prepare_dump, .call = call_dump);
}

/* ---- namespaces ---- */

static long call_namespace(struct sweep *sweep)
{
	(void)sweep;
	return unshare(CLONE_NEWNET);
}

/*
 * PRP is one of many that a namespace is made of, and those that fail log
 * more than an errno: what counts is that the kernel is not tainted. A new
 * namespace that came about is usable.
 */
static bool check_namespace(struct sweep *sweep, long ret)
{
	if (ret)
		return false;
	sweep->made = socket(AF_PRP, SOCK_STREAM, 0);
	return sweep->made >= 0;
}

static long tainted(void)
{
	FILE *file = fopen("/proc/sys/kernel/tainted", "r");
	long bits = -1;

	if (!file || fscanf(file, "%ld", &bits) != 1)
		bits = -1;
	if (file)
		fclose(file);
	return bits;
}

TEST_F_TIMEOUT(fail, fail_nth__namespace, 1800)
{
	const long before = tainted();
	struct call call = {
		.call = call_namespace,
		.check = check_namespace,
	};
	int reached;

	klogctl(8, NULL, 1); /* the console: quiet */
	reached = sweep(&self->nodes, &call);
	klogctl(8, NULL, 7);
	EXPECT_LE(50, reached);
	EXPECT_EQ(before, tainted());
}

TEST_HARNESS_MAIN
