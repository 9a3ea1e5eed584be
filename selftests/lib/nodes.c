// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "nodes.h"
#include "slow.h"

static const char hosts[] = "1 n1 02:50:52:50:00:01 10.80.0.1 fd80::1\n"
			    "2 n2 02:50:52:50:00:02 10.80.0.2 fd80::2\n"
			    "3 n3 02:50:52:50:00:03 10.80.0.3 fd80::3\n";

/*
 * Starts a program with this input and without output; not through a shell,
 * which would cost time.
 */
static pid_t feed_begin(char *const *args, const char *input)
{
	posix_spawn_file_actions_t actions;
	size_t len = strlen(input);
	int pipes[2];
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[0], 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, args[0], &actions, NULL, args, environ))
		return -1;
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[0]);
	len -= write(pipes[1], input, len);
	close(pipes[1]);
	return len ? -1 : child;
}

/* Waits for it. Return: 0 if all went well. */
static int feed_end(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return status;
}

static int feed(char *const *args, const char *input)
{
	return feed_end(feed_begin(args, input));
}

static int new_namespace(void)
{
	if (unshare(CLONE_NEWNET))
		return -1;
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static void put_device(struct nlmsghdr *nlh, int nr)
{
	const char mac[] = { 2, 0x50, 0x52, 0x50, 0, nr };

	mnl_attr_put_strz(nlh, IFLA_IFNAME, "p0");
	mnl_attr_put(nlh, IFLA_ADDRESS, sizeof(mac), mac);
}

/* The wire: p0 here is node 2's, p0 in node 1's namespace its other end. */
static int make_veth(int ns)
{
	struct nlattr *info, *data, *peer;
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	char buf[1024];
	int ret = -1;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_NEWLINK;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL |
			   NLM_F_ACK;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	put_device(nlh, 2);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(nlh, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	put_device(nlh, 1);
	mnl_attr_put_u32(nlh, IFLA_NET_NS_FD, ns);
	mnl_attr_nest_end(nlh, peer);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);

	nl = mnl_socket_open(NETLINK_ROUTE);
	if (nl && mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0) {
		ret = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		ret = mnl_cb_run(buf, ret, 0, 0, NULL, NULL);
	}
	if (nl)
		mnl_socket_close(nl);
	return ret < 0 ? -1 : 0;
}

static int set_up(const char *device)
{
	struct ifreq ifr = { .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int ret;

	strcpy(ifr.ifr_name, device);
	ret = ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
	return ret;
}

static int set_mtu(const char *device, int mtu)
{
	struct ifreq ifr = { .ifr_mtu = mtu };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int ret;

	strcpy(ifr.ifr_name, device);
	ret = ioctl(fd, SIOCSIFMTU, &ifr);
	close(fd);
	return ret;
}

static pid_t hosts_begin(const struct nodes *nodes, int nr, const char *text)
{
	char *const args[] = { "prpctl", "hosts",   "setup", "-f",
			       "-",	 "--force", NULL };

	nodes_enter(nodes, nr);
	return feed_begin(args, text);
}

int nodes_make(struct nodes *nodes)
{
	pid_t setup[3];
	int failed = 0;

	nodes->ns[1] = new_namespace();
	nodes->ns[2] = new_namespace();
	if (nodes->ns[1] < 0 || nodes->ns[2] < 0 || make_veth(nodes->ns[1]))
		return -1;
	for (int nr = 1; nr <= 2; nr++) {
		nodes_enter(nodes, nr);
		if (set_up("lo") || set_up("p0"))
			return -1;
	}
	for (int nr = 1; nr <= 2; nr++)
		setup[nr] = hosts_begin(nodes, nr, hosts);
	for (int nr = 1; nr <= 2; nr++)
		failed |= feed_end(setup[nr]);
	return failed ? -1 : 0;
}

/* Gives a node a host table. */
int nodes_hosts(const struct nodes *nodes, int nr, const char *text)
{
	return feed_end(hosts_begin(nodes, nr, text));
}

/* Has a node accept only the nodes so named at a port. */
int nodes_access(const struct nodes *nodes, int nr, const char *port,
		 const char *node)
{
	char *const add[] = { "prpctl",	    "access",	  "add",
			      (char *)port, (char *)node, NULL };

	nodes_enter(nodes, nr);
	return feed(add, "");
}

/* Bounds what the connections of a node may hold beyond their reserves. */
int nodes_memory(const struct nodes *nodes, int nr, const char *limit)
{
	char *const set[] = { "prpctl", "memory", "namespace", (char *)limit,
			      NULL };

	nodes_enter(nodes, nr);
	return feed(set, "");
}

/* Sets one of net.ipv4 there. */
int nodes_sysctl(const struct nodes *nodes, int nr, const char *name,
		 const char *value)
{
	char path[128];
	bool done;
	int fd;

	nodes_enter(nodes, nr);
	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
	fd = open(path, O_WRONLY);
	done = write(fd, value, strlen(value)) == (ssize_t)strlen(value);
	close(fd);
	return done ? 0 : -1;
}

/*
 * Gives the nodes the addresses that the host table has, others that it has
 * not, and node 2 that of the silent node, where so only TCP is answered.
 */
int nodes_add_ips(const struct nodes *nodes)
{
	char *const batch[] = { "ip", "-batch", "-", NULL };
	char command[512];
	pid_t child[3];
	int failed = 0;

	for (int nr = 1; nr <= 2; nr++) {
		snprintf(command, sizeof(command),
			 "addr add 10.80.0.%d/24 dev p0\n"
			 "addr add 10.81.0.%d/24 dev p0\n"
			 "addr add fd80::%d/64 dev p0 nodad\n"
			 "addr add fd81::%d/64 dev p0 nodad\n%s",
			 nr, nr, nr, nr,
			 nr == 1 ? "" : "addr add 10.80.0.3/32 dev p0\n");
		nodes_enter(nodes, nr);
		child[nr] = feed_begin(batch, command);
	}
	for (int nr = 1; nr <= 2; nr++)
		failed |= feed_end(child[nr]);
	return failed ? -1 : 0;
}

void nodes_enter(const struct nodes *nodes, int nr)
{
	if (setns(nodes->ns[nr], CLONE_NEWNET))
		err(1, "setns");
}

/* Both nodes' devices get the same. */
static int traffic_control(const struct nodes *nodes, const char *command)
{
	char *const batch[] = { "tc", "-batch", "-", NULL };

	for (int nr = 1; nr <= 2; nr++) {
		nodes_enter(nodes, nr);
		if (feed(batch, command))
			return -1;
	}
	return 0;
}

/* Sets the MTU of the wire. */
int nodes_mtu(const struct nodes *nodes, int mtu)
{
	for (int nr = 1; nr <= 2; nr++) {
		nodes_enter(nodes, nr);
		if (set_mtu("p0", mtu))
			return -1;
	}
	return 0;
}

/* Every frame takes so long from now on. */
int nodes_delay(const struct nodes *nodes, int ms)
{
	char command[64];

	snprintf(command, sizeof(command),
		 "qdisc add dev p0 root netem delay %dms\n", ms);
	return traffic_control(nodes, command);
}

/* No frame comes through; it is lost behind the sender's device. */
int nodes_cut(const struct nodes *nodes)
{
	static const char commands[] =
		"qdisc add dev p0 clsact\n"
		"filter add dev p0 ingress matchall action drop\n";

	return traffic_control(nodes, commands);
}

int nodes_mend(const struct nodes *nodes)
{
	return traffic_control(nodes, "qdisc del dev p0 clsact\n");
}

int nodes_socket(const struct nodes *nodes, int nr, int flags)
{
	nodes_enter(nodes, nr);
	return socket(AF_PRP, (nodes->type ?: SOCK_STREAM) | flags, 0);
}

/* Socket of the IP mode, of AF_INET or AF_INET6, or -1 */
int ip_mode_socket(int family, int type_flags)
{
	int fd = socket(family, SOCK_STREAM | type_flags, 0);

	if (fd >= 0 &&
	    setsockopt(fd, IPPROTO_TCP, TCP_ULP, PRP_ULP, strlen(PRP_ULP))) {
		close(fd);
		return -1;
	}
	return fd;
}

struct sockaddr_prp prp_at(int node, int port)
{
	return (struct sockaddr_prp){
		.sprp_family = AF_PRP,
		.sprp_addr = htons(node),
		.sprp_port = htons(port),
	};
}

int nodes_listen(const struct nodes *nodes, int nr, int port, int backlog)
{
	struct sockaddr_prp at = prp_at(0, port);
	int fd = nodes_socket(nodes, nr, 0);

	int error;

	if (fd < 0 ||
	    (!bind(fd, (void *)&at, sizeof(at)) && !listen(fd, backlog)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int nodes_connect(const struct nodes *nodes, int from, int to, int port)
{
	struct sockaddr_prp at = prp_at(to, port);
	int fd = nodes_socket(nodes, from, 0);

	if (fd < 0 || connect(fd, (void *)&at, sizeof(at)))
		return -1;
	return fd;
}

/* A connection from node 1 to node 2 */
int nodes_pair(const struct nodes *nodes, int *client, int *server)
{
	int listener = nodes_listen(nodes, 2, PORT, 1);

	if (listener < 0)
		return -1;
	*client = nodes_connect(nodes, 1, 2, PORT);
	if (*client < 0)
		return -1;
	*server = accept(listener, NULL, NULL);
	close(listener);
	return *server < 0 ? -1 : 0;
}

long nodes_counter(const struct nodes *nodes, int nr, const char *name)
{
	long value;

	nodes_enter(nodes, nr);
	counters_ask(&name, &value, 1);
	return value;
}

bool nodes_wait_counter(const struct nodes *nodes, int nr, const char *name,
			long at_least)
{
	long end = now_ms() + LIMIT_MS;

	while (nodes_counter(nodes, nr, name) < at_least)
		if (now_ms() > end)
			return false;
	return true;
}

/* Created equals destroyed, at both nodes. */
bool nodes_wait_freed(const struct nodes *nodes)
{
	static const char *const names[] = { "conns_opened", "conns_closed" };
	long end = now_ms() + LIMIT_MS, values[2];

	for (int nr = 1; nr <= 2; nr++) {
		nodes_enter(nodes, nr);
		do {
			if (now_ms() > end)
				return false;
			counters_ask(names, values, 2);
		} while (values[0] < 0 || values[0] != values[1]);
	}
	return true;
}

/* Waits for any of the events, POLLERR and POLLHUP; 0 if none comes. */
short wait_events(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	poll(&pfd, 1, LIMIT_MS);
	return pfd.revents;
}

short events_now(int fd)
{
	struct pollfd pfd = {
		.fd = fd,
		.events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP,
	};

	poll(&pfd, 1, 0);
	return pfd.revents;
}

/* Waits until so many bytes can be read. */
bool wait_unread(int fd, int bytes)
{
	long end = now_ms() + LIMIT_MS;
	int have = 0;

	do {
		if (ioctl(fd, SIOCINQ, &have) || now_ms() > end)
			return false;
	} while (have < bytes);
	return have == bytes;
}

/* Waits until the peer has said that it has all: nothing is asked for then but
 * whether it is there.
 */
bool wait_acked(int fd)
{
	long start = now_ms();
	int unacked;

	while (!ioctl(fd, SIOCOUTQ, &unacked) && now_ms() - start < LIMIT_MS) {
		if (!unacked)
			return true;
		usleep(1000);
	}
	return false;
}

int sock_error(int fd)
{
	socklen_t len = sizeof(int);
	int error = -1;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error;
}

bool send_all(int fd, const void *data, size_t len)
{
	ssize_t put;

	for (; len; len -= put, data += put) {
		put = send(fd, data, len, MSG_NOSIGNAL);
		if (put <= 0)
			return false;
	}
	return true;
}

bool recv_all(int fd, void *data, size_t len)
{
	ssize_t got;

	for (; len; len -= got, data += got) {
		got = recv(fd, data, len, 0);
		if (got <= 0)
			return false;
	}
	return true;
}

long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Waits until a child sleeps: in the call that it was made for. */
bool wait_sleeps(pid_t pid)
{
	long end = now_ms() + LIMIT_MS;
	char path[40], state = 0;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		stat = fopen(path, "r");
		if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		if (stat)
			fclose(stat);
	} while (state != 'S' && now_ms() < end);
	return state == 'S';
}
