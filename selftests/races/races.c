// SPDX-License-Identifier: GPL-2.0
/*
 * Calls from several threads at once: each returns only what it may, and
 * nothing is left in the end. This file has how sockets begin, races_end.c how
 * they end.
 */
#include "race.h"
#include "bpf.h"
#include "frame.h"

#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>

#define REFUSED (PORT + 1) /* nobody listens there */
#define NARROW (PORT + 2) /* who listens there has one place */
#define WORKERS 3

/* ---- everything at once on the same sockets ---- */

#define SLOTS 4
#define PORTS 4 /* from 5000 on */

static int slot[SLOTS];

static void chaos_replace(int fd)
{
	int fresh = new_socket();
	unsigned int ms = 100;

	limit_waits(fresh, 4);
	setsockopt(fresh, SOL_PRP, PRP_USER_TIMEOUT, &ms, sizeof(ms));
	if (dup2(fresh, fd) != fd)
		wrong("dup2: %s", strerrorname_np(errno));
	close(fresh);
}

static void chaos_option(int fd, unsigned int *seed)
{
	static const struct {
		int level, name;
	} options[] = {
		{ SOL_SOCKET, SO_REUSEADDR }, { SOL_SOCKET, SO_SNDBUF },
		{ SOL_SOCKET, SO_RCVBUF },    { SOL_SOCKET, SO_PRIORITY },
		{ SOL_PRP, PRP_CHECKSUM },
	};
	unsigned int which = roll(seed, 5);
	int value = roll(seed, 2);

	may("setsockopt",
	    setsockopt(fd, options[which].level, options[which].name, &value,
		       sizeof(value)),
	    EISCONN, 0);
}

static void chaos_look(int fd, unsigned int *seed)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN | POLLOUT };
	struct sockaddr_prp at;
	socklen_t len = sizeof(at);
	struct prp_info info;
	int queued;

	switch (roll(seed, 5)) {
	case 0:
		may("poll", poll(&pfd, 1, 0), 0);
		break;
	case 1:
		may("getsockname", getsockname(fd, SA(at), &len), 0);
		break;
	case 2:
		may("getpeername", getpeername(fd, SA(at), &len), ENOTCONN, 0);
		break;
	case 3:
		may("SIOCOUTQ", ioctl(fd, SIOCOUTQ, &queued), EINVAL, 0);
		break;
	case 4:
		len = sizeof(info);
		may("PRP_INFO", getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len),
		    0);
		break;
	}
}

static void chaos_step(int fd, unsigned int *seed)
{
	char room[100] = "";
	int child;

	switch (roll(seed, 10)) {
	case 0:
		may("bind", bind_to(fd, 5000 + roll(seed, PORTS)), EINVAL,
		    EADDRINUSE, 0);
		break;
	case 1:
	case 2:
		may("connect",
		    roll(seed, 3) ? connect_to(fd, 2, PORT + roll(seed, 2)) :
				    connect_to(fd, 1, 5000 + roll(seed, PORTS)),
		    EISCONN, EINPROGRESS, EALREADY, ECONNREFUSED, ECONNRESET,
		    ECONNABORTED, ETIMEDOUT, EADDRNOTAVAIL,
		    EPIPE /* it was there, has ended and was reset */, 0);
		break;
	case 3:
		chaos_option(fd, seed);
		break;
	case 4:
		chaos_replace(fd);
		break;
	case 5:
		may("listen", listen(fd, roll(seed, 3)), EINVAL, EADDRINUSE, 0);
		break;
	case 6:
		child = may("accept", accept(fd, NULL, NULL), EINVAL, EAGAIN,
			    0);
		if (child >= 0)
			close(child);
		break;
	case 7:
		may("shutdown", shutdown(fd, roll(seed, 3)), ENOTCONN, 0);
		break;
	case 8:
		if (roll(seed, 2))
			may("send",
			    send(fd, room, sizeof(room),
				 MSG_NOSIGNAL | MSG_DONTWAIT),
			    EPIPE, EAGAIN, ECONNRESET, ECONNREFUSED, ETIMEDOUT,
			    0);
		else
			may("recv", recv(fd, room, sizeof(room), MSG_DONTWAIT),
			    ENOTCONN, EAGAIN, ECONNRESET, ECONNREFUSED,
			    ETIMEDOUT, 0);
		break;
	case 9:
		chaos_look(fd, seed);
		break;
	}
}

static void *chaos(void *arg)
{
	unsigned int seed = 1 + (long)arg;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++)
		chaos_step(slot[roll(&seed, SLOTS)], &seed);
	return NULL;
}

CASE(race__every_call_on_the_same_sockets)
{
	set_rounds(1500);
	for (int i = 0; i < SLOTS; i++) {
		slot[i] = new_socket();
		chaos_replace(slot[i]);
	}
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	run_threads(chaos, WORKERS);
	for (int i = 0; i < SLOTS; i++)
		close(slot[i]);
	/* Nobody has lost a port. */
	ASSERT_TRUE(nodes_wait_freed(&self->nodes));
	nodes_enter(nodes, 1);
	for (int i = 0; i < PORTS; i++) {
		slot[i] = new_socket();
		EXPECT_EQ(0, bind_to(slot[i], 5000 + i));
		close(slot[i]);
	}
}

/* ---- one number, many who want it ---- */

static atomic_int holders, held;

static void *bind_alone(void *arg)
{
	unsigned int seed = 1 + (long)arg;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		int fd = new_socket();

		if (!may("bind", bind_to(fd, 5000), EADDRINUSE, 0)) {
			if (atomic_fetch_add(&holders, 1))
				wrong("two sockets are bound to one port");
			if (roll(&seed, 2))
				may("listen", listen(fd, 1), 0);
			if (!roll(&seed, 3))
				sched_yield(); /* let others try */
			atomic_fetch_add(&held, 1);
			atomic_fetch_sub(&holders, 1);
		} else if (!roll(&seed, 8)) {
			may("bind", bind_to(fd, 0), 0);
		}
		close(fd);
	}
	return NULL;
}

CASE(race__a_port_is_one_sockets)
{
	set_rounds(1500);
	run_threads(bind_alone, WORKERS);
	EXPECT_LT(rounds / 10, held);
	EXPECT_GT(rounds * WORKERS, held);
}

/* ---- connect() from two threads, and a third that meddles ---- */

static int shared, result[2];
static bool ip_mode;

enum meddling { LEAVE_ALONE, SHUT_DOWN, REPLACE, DISCONNECT, MEDDLINGS };

static int make(void)
{
	int fd = ip_mode ? ip_mode_socket(AF_INET, 0) :
			   socket(AF_PRP, SOCK_STREAM, 0);

	limit_waits(fd, LIMIT_S * 1000);
	return fd;
}

static int dial(int fd, int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(0x0a500002) };

	return ip_mode ? connect(fd, SA(at), sizeof(at)) :
			 connect_to(fd, 2, port);
}

static void meddle(enum meddling how)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fresh;

	switch (how) {
	case SHUT_DOWN:
		may("shutdown", shutdown(shared, SHUT_RDWR), ENOTCONN, 0);
		break;
	case REPLACE:
		fresh = make();
		may("dup2", dup2(fresh, shared), 0);
		close(fresh);
		break;
	case DISCONNECT:
		may("disconnect", connect(shared, &none, sizeof(none)),
		    ip_mode ? EOPNOTSUPP : EAFNOSUPPORT, 0);
		break;
	default:
		break;
	}
}

static int target_of(int round)
{
	return round / MEDDLINGS % 2 ? PORT : REFUSED;
}

static void *connect_shared(void *arg)
{
	long me = (long)arg;
	unsigned int seed = 1 + me;

	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&gate);
		linger_a_bit(&seed);
		if (me < 2)
			result[me] = dial(shared, target_of(i)) ? errno : 0;
		else
			meddle(i % MEDDLINGS);
		pthread_barrier_wait(&gate);
	}
	return NULL;
}

static bool is_one_of(int err, const int *errors)
{
	for (; *errors >= 0; errors++)
		if (*errors == err)
			return true;
	return false;
}

static bool stood(int err)
{
	return !err || err == ECONNRESET;
}

/* err of one thread, while the other one was told another */
static bool is_allowed(int round, int err, int other)
{
	static const int meddled[] = { ECONNREFUSED, EINPROGRESS, EALREADY,
				       ECONNABORTED, EISCONN,	  -1 };
	static const int refused[] = { ECONNREFUSED, ECONNABORTED, -1 };

	/* TCP's word to the second one whom it waited for */
	if (ip_mode && err == EPIPE)
		return true;
	/* and after a shutdown() while it connects */
	if (ip_mode && round % MEDDLINGS == SHUT_DOWN && err == EINVAL)
		return true;
	if (round % MEDDLINGS != LEAVE_ALONE)
		return stood(err) || is_one_of(err, meddled);
	if (target_of(round) == REFUSED)
		return is_one_of(err, refused);
	/* both waited until it had come and was reset: one of them is told */
	if (err == ECONNABORTED)
		return other == ECONNRESET;
	return stood(err) || err == EISCONN;
}

static void judge_connects(int round)
{
	for (int i = 0; i < 2; i++)
		if (!is_allowed(round, result[i], result[!i]))
			wrong("round %d: connect: %s beside %s", round,
			      strerrorname_np(result[i]),
			      strerrorname_np(result[!i]));
	if (round % MEDDLINGS != LEAVE_ALONE)
		return;
	/* One of them is told what there is to tell. */
	if (target_of(round) == PORT) {
		if (!stood(result[0]) && !stood(result[1]))
			wrong("nobody was told of the connection");
		return;
	}
	if (result[0] != ECONNREFUSED && result[1] != ECONNREFUSED)
		wrong("nobody was told of the refusal");
	errno = 0;
	dial(shared, PORT);
	if (!stood(errno))
		wrong("again after a refusal: %s", strerrorname_np(errno));
}

static void connect_twice(void)
{
	pthread_t thread[3];

	pthread_barrier_init(&gate, NULL, 4);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, connect_shared, (void *)i);
	for (int i = 0; i < rounds; i++) {
		shared = make();
		pthread_barrier_wait(&gate);
		pthread_barrier_wait(&gate);
		judge_connects(i);
		close(shared);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

CASE(race__connect_twice_at_once)
{
	set_rounds(400);
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	connect_twice();
}

CASE(race__connect_twice_at_once_in_the_ip_mode)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(PORT) };

	set_rounds(160);
	ASSERT_EQ(0, nodes_add_ips(nodes));
	close(listener);
	ip_mode = true;
	nodes_enter(nodes, 2);
	listener = ip_mode_socket(AF_INET, 0);
	ASSERT_EQ(0, bind(listener, SA(at), sizeof(at)));
	ASSERT_EQ(0, listen(listener, 64));
	nodes_enter(nodes, 1);
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	connect_twice();
}

/* ---- connect() against signals, timeouts and close() ---- */

static void on_signal(int sig)
{
	(void)sig;
}

static pthread_t connecting;
static atomic_bool over;

static void *send_signals(void *arg)
{
	unsigned int seed = 7;

	(void)arg;
	while (!over) {
		pthread_kill(connecting, SIGUSR1);
		for (int i = roll(&seed, 4); i >= 0; i--)
			linger_a_bit(&seed);
		sched_yield();
	}
	return NULL;
}

/* Go on until it is known what has become of it. Return: errno, or 0. */
static int connect_at_last(int fd, int port)
{
	int err = -1;

	while (err == -1) {
		err = connect_to(fd, 2, port) ? errno : 0;
		if (err == EINTR || err == EINPROGRESS || err == EALREADY)
			err = -1;
	}
	return err;
}

CASE(race__connect_against_signals_and_timeouts)
{
	struct sigaction act = { .sa_handler = on_signal };
	unsigned int seed = 3;
	int interrupted = 0;
	pthread_t thread;

	set_rounds(300);
	/* it takes longer than a signal, and than a wait may */
	ASSERT_EQ(0, nodes_delay(nodes, 3));
	ASSERT_EQ(0, sigaction(SIGUSR1, &act, NULL));
	pthread_create(&self->server, NULL, serve, NULL);
	self->served = true;
	connecting = pthread_self();
	pthread_create(&thread, NULL, send_signals, NULL);
	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds && !wrong_set; i++) {
		int port = PORT + roll(&seed, 2), fd = new_socket(), err;

		if (roll(&seed, 2))
			limit_waits(fd, 1);
		err = connect_to(fd, 2, port) ? errno : 0;
		if (err == EINTR || err == EINPROGRESS) {
			interrupted++;
			/* leave it to close(), or see it through */
			err = roll(&seed, 2) ? -1 : connect_at_last(fd, port);
		}
		if (err >= 0 && err != ECONNRESET &&
		    err != (port == PORT ? 0 : ECONNREFUSED))
			wrong("connect to %d: %s", port, strerrorname_np(err));
		close(fd);
	}
	over = true;
	pthread_join(thread, NULL);
	EXPECT_LT(rounds / 50, interrupted);
}

/* ---- the last place of an accept queue ---- */

/* A child of a silent node, which nobody confirms: others get cookies. */
static void ask_for_nobody(void)
{
	const struct {
		struct frame frame;
		struct frame_hello hello;
	} __attribute__((packed)) request = {
		.frame.eth = {
			.dst = { 2, 0x50, 0x52, 0x50, 0, 2 },
			.src = { 2, 0x50, 0x52, 0x50, 0, NODE_SILENT },
			.type = htons(PRP_ETHERTYPE),
		},
		.frame.prp = {
			.version = FRAME_VERSION,
			.hops = 16,
			.dst_node = htons(2),
			.src_node = htons(NODE_SILENT),
			.src_port = htons(40000),
			.dst_port = htons(NARROW),
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
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex("p0"),
	};
	int wire = socket(AF_PACKET, SOCK_RAW, 0);

	if (sendto(wire, &request, sizeof(request), 0, SA(to), sizeof(to)) < 0)
		wrong("no stranger: %s", strerrorname_np(errno));
	close(wire);
}

/* Each on a processor of its own: both see that there is a place. */
static void *want_the_place(void *arg)
{
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET((long)arg, &set);
	sched_setaffinity(0, sizeof(set), &set);
	nodes_enter(nodes, 1);
	for (int i = 0; i < rounds; i++) {
		int fd = new_socket();

		pthread_barrier_wait(&gate);
		may("connect", connect_to(fd, 2, NARROW), 0);
		/* who has not got it tries again until there is one */
		may("recv", recv(fd, &byte, 1, 0), 0);
		close(fd);
		pthread_barrier_wait(&gate);
	}
	return NULL;
}

CASE(race__the_last_place_is_tried_for_again)
{
	struct bpf_object *object;
	struct bpf_link *link;
	pthread_t thread[2];
	int narrow, fd;
	long dropped;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one processor");
	set_rounds(100);
	narrow = nodes_listen(nodes, 2, NARROW, 1);
	ASSERT_LE(0, narrow);
	limit_waits(narrow, LIMIT_S * 1000);
	nodes_enter(nodes, 1);
	object = bpf_beside("slow.bpf.o");
	ASSERT_NE(NULL, object);
	link = bpf_attach(object, "slow_child");
	ASSERT_NE(NULL, link);
	pthread_barrier_init(&gate, NULL, 3);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, want_the_place, (void *)i);
	for (int i = 0; i < rounds; i++) {
		ask_for_nobody();
		dropped = nodes_counter(nodes, 2, "drop_backlog");
		pthread_barrier_wait(&gate);
		nodes_wait_counter(nodes, 2, "drop_backlog", dropped + 1);
		for (int c = 0; c < 2; c++) {
			fd = may("accept", accept(narrow, NULL, NULL), 0);
			send(fd, "x", 1, MSG_NOSIGNAL);
			close(fd);
		}
		pthread_barrier_wait(&gate);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_LT(0, nodes_counter(nodes, 2, "cookies_in"));
	bpf_link__destroy(link);
	bpf_object__close(object);
	close(narrow);
}

TEST_HARNESS_MAIN
