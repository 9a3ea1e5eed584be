// SPDX-License-Identifier: GPL-2.0
/*
 * Two nodes, and a process for each case and flavour, which writes what it saw
 * into memory that it shares with us.
 */
#include "world.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/prctl.h>

#define DEADLINE_MS (8000 * slow())
#define DELAY_NS 20000000 /* of a slow wire */

static struct nodes nodes;
const struct nodes *world_nodes = &nodes;
int world_port;
char *world_answer;
__thread volatile sig_atomic_t sigpipes;
static bool *slowed; /* shared, too */

/* ---- what was seen ---- */

/* Adds a word to what was seen. */
void note(const char *format, ...)
{
	size_t used = strlen(world_answer);
	va_list args;

	if (used && used < ANSWER - 1)
		world_answer[used++] = ' ';
	va_start(args, format);
	vsnprintf(world_answer + used, ANSWER - used, format, args);
	va_end(args);
}

/* Without it the case makes no sense: a fault of its own, or of the world. */
void need(bool it, const char *what)
{
	if (it)
		return;
	note("NO %s (%s)", what, strerrorname_np(errno));
	_exit(1);
}

/* The result of a call, and whether it came with SIGPIPE */
long saw(long ret)
{
	int error = errno;

	if (ret < 0)
		note("%s", strerrorname_np(error));
	else
		note("%ld", ret);
	if (sigpipes)
		note("SIGPIPE");
	sigpipes = 0;
	errno = error;
	return ret;
}

void saw_these(short events)
{
	static const struct {
		short bit;
		const char *name;
	} names[] = {
		{ POLLIN, "IN" },	{ POLLPRI, "PRI" }, { POLLOUT, "OUT" },
		{ POLLRDHUP, "RDHUP" }, { POLLERR, "ERR" }, { POLLHUP, "HUP" },
		{ POLLNVAL, "NVAL" },
	};
	char text[64] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (events & names[i].bit) {
			strcat(text, *text ? "+" : "");
			strcat(text, names[i].name);
		}
	note("%s", *text ? text : "none");
}

/* What poll() says at once */
void saw_events(int fd)
{
	struct pollfd pfd = {
		.fd = fd,
		.events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP,
	};

	poll(&pfd, 1, 0);
	saw_these(pfd.revents);
}

/* What epoll_wait() says at once; the numbers of events are poll()'s. */
void saw_epoll(int epoll)
{
	struct epoll_event event = {};

	if (epoll_wait(epoll, &event, 1, 0) == 1)
		saw_these(event.events);
	else
		note("none");
}

/* SO_ERROR, which reading clears */
void saw_error(int fd)
{
	socklen_t len = sizeof(int);
	int error = -1;

	need(!getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len), "SO_ERROR");
	note("%s", error ? strerrorname_np(error) : "0");
}

void saw_bytes(const void *bytes, long len)
{
	note("'%.*s'", (int)len, (const char *)bytes);
}

static void saw_port(int node, int port)
{
	if (port >= world_port && port < world_port + PORTS)
		note("node%d:p%d", node, port - world_port);
	else
		note("node%d:%s", node, port ? "auto" : "0");
}

/* An address, which is not the same in all flavours, as node and port */
void saw_address(const void *address, socklen_t len)
{
	const struct sockaddr_prp *prp = address;
	const struct sockaddr_in *in = address;

	note("len%d", (int)len);
	if (len < 8)
		return;
	if (prp->sprp_family == AF_PRP)
		saw_port(ntohs(prp->sprp_addr), ntohs(prp->sprp_port));
	else if (in->sin_family == AF_INET)
		saw_port(ntohl(in->sin_addr.s_addr) & 0xff,
			 ntohs(in->sin_port));
	else
		note("family%d", in->sin_family);
}

/* An option that is an int */
void saw_option(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, level, name, &value, &len))
		saw(-1);
	else if (len != sizeof(value))
		note("len%d", (int)len);
	else
		note("%d", value);
}

/* ---- the world ---- */

static int shell(int nr, char *command)
{
	char *const args[] = { "sh", "-c", command, NULL };
	int status;
	pid_t pid;

	nodes_enter(&nodes, nr);
	if (posix_spawnp(&pid, "sh", NULL, NULL, args, environ) ||
	    waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

/* The silent node's address leads to its hardware address without a question,
 * so that TCP waits for it as PRP does.
 */
static int give_addresses(int nr)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "ip addr add 10.80.0.%d/24 dev p0 && ip neigh add 10.80.0.3 lladdr 02:50:52:50:00:03 dev p0",
		 nr);
	return shell(nr, command);
}

/* Node 2's device is given a netem, or rid of it. A program would take longer
 * than most cases.
 */
static int change_qdisc(int type, int flags)
{
	struct tc_netem_qopt options = {
		.latency = DELAY_NS >> 6, /* PSCHED_SHIFT */
		.limit = 1000,
	};
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	struct tcmsg *tcm;
	char buf[512];
	int ret = -1;

	nodes_enter(&nodes, 2);
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	tcm = mnl_nlmsg_put_extra_header(nlh, sizeof(*tcm));
	tcm->tcm_ifindex = if_nametoindex("p0");
	tcm->tcm_parent = TC_H_ROOT;
	mnl_attr_put_strz(nlh, TCA_KIND, "netem");
	mnl_attr_put(nlh, TCA_OPTIONS, sizeof(options), &options);
	nl = mnl_socket_open(NETLINK_ROUTE);
	if (nl && mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0) {
		ret = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		ret = mnl_cb_run(buf, ret, 0, 0, NULL, NULL);
	}
	if (nl)
		mnl_socket_close(nl);
	return ret < 0 ? -1 : 0;
}

/* From now on to the end of the case what node 2 sends takes a while, so that
 * a call at node 1 returns before there is an answer.
 */
void world_slow(void)
{
	*slowed = true;
	need(!change_qdisc(RTM_NEWQDISC, NLM_F_CREATE), "netem");
}

static void mend(void)
{
	if (*slowed)
		change_qdisc(RTM_DELQDISC, 0);
	*slowed = false;
}

/* Does a datagram to oneself come with the time of its arrival? */
static bool has_time(int fd)
{
	struct iovec iov = { scratch, sizeof(scratch) };
	char control[128];
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};

	return send(fd, "", 1, 0) == 1 && recvmsg(fd, &msg, 0) == 1 &&
	       msg.msg_controllen;
}

/* The kernel begins to note the time of frames when the first socket asks for
 * it, and patches its code for that some time later. So one asks for all.
 */
static int hold_timestamps(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int fd;

	nodes_enter(&nodes, 1);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(fd, (void *)&to, len) || getsockname(fd, (void *)&to, &len) ||
	    connect(fd, (void *)&to, len))
		return -1;
	set_int(fd, SO_TIMESTAMP, 1);
	while (!has_time(fd))
		poll(NULL, 0, 1);
	return 0;
}

int world_make(void)
{
	void *shared = mmap(NULL, ANSWER + sizeof(*slowed),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	if (shared == MAP_FAILED || nodes_make(&nodes))
		return -1;
	world_answer = shared;
	slowed = shared + ANSWER;
	return give_addresses(1) || give_addresses(2) || hold_timestamps() ?
		       -1 :
		       0;
}

/* Created equals destroyed. Return: true if so. */
int world_freed(void)
{
	return nodes_wait_freed(&nodes);
}

static void count_pipe(int number)
{
	(void)number;
	sigpipes++;
}

static void run_here(const struct oracle_case *one)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, count_pipe);
	one->run();
	exit(0);
}

/* Return: false if the process did not end in time. */
static bool ends_in_time(pid_t pid, int *status)
{
	long end = now_ms() + DEADLINE_MS;

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (now_ms() > end)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

/* Runs a case with sockets of a flavour, and leaves its answer. */
void world_run(const struct oracle_case *one, enum flavour of, int port,
	       char *answer)
{
	int status = 0;
	pid_t pid;

	memset(world_answer, 0, ANSWER);
	flavour = of;
	world_port = port;
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_here(one);
	if (!ends_in_time(pid, &status)) {
		note("HANGS");
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	} else if (WIFSIGNALED(status)) {
		note("DIES OF SIG%s", sigabbrev_np(WTERMSIG(status)));
	}
	kill(-pid, SIGKILL); /* what it has left behind */
	mend();
	strcpy(answer, *world_answer ? world_answer : "nothing");
}
