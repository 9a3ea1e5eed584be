// SPDX-License-Identifier: GPL-2.0
/* Sockets of the flavour that is asked for, and waiting for their states. */
#include "oracle.h"

#include <arpa/inet.h>
#include <dirent.h>

#include "world.h"

#define SMALL 16384 /* a buffer that is soon full */

enum flavour flavour;
char scratch[4096];
volatile sig_atomic_t signals;

/* Socket of a node */
int sock(int node, int type_flags)
{
	int family = flavour == NATIVE ? AF_PRP : AF_INET;
	int fd;

	nodes_enter(world_nodes, node);
	fd = flavour == IP ? ip_mode_socket(family, type_flags) :
			     socket(family, SOCK_STREAM | type_flags, 0);
	need(fd >= 0, "socket");
	return fd;
}

/* An address; node 0 is any of the node that the socket is at, port -1 any. */
struct at at(int node, int port)
{
	struct at at = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_prp *prp = (void *)&at.to;
	struct sockaddr_in *in = (void *)&at.to;

	port = port < 0 ? 0 : world_port + port;
	if (flavour == NATIVE) {
		*prp = prp_at(node, port);
		at.len = sizeof(*prp);
		return at;
	}
	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	in->sin_addr.s_addr = node ? htonl(0x0a500000 + node) : INADDR_ANY;
	return at;
}

int bind_to(int fd, int node, int port)
{
	struct at where = at(node, port);

	return bind(fd, (void *)&where.to, where.len);
}

int connect_to(int fd, int node, int port)
{
	struct at where = at(node, port);

	return connect(fd, (void *)&where.to, where.len);
}

/* At node 2 */
int listener(int port, int backlog)
{
	int fd = sock(2, 0);

	need(!bind_to(fd, 0, port) && !listen(fd, backlog), "listener");
	return fd;
}

/* Does what is to be compared with TCP carry it? */
bool as_asked(int fd)
{
	__u32 path = PRP_PATH_NONE;
	socklen_t len = sizeof(path);

	return flavour == TCP ||
	       (!getsockopt(fd, SOL_PRP, PRP_PATH, &path, &len) &&
		path == PRP_PATH_PRP);
}

/* A client at node 1 */
int connected(int port)
{
	int fd = sock(1, 0);

	need(!connect_to(fd, 2, port) && as_asked(fd), "connected");
	return fd;
}

struct pair pair_of(int listener, int port)
{
	struct pair pair = { .c = connected(port) };

	pair.s = accept(listener, NULL, NULL);
	need(pair.s >= 0, "accepted");
	return pair;
}

struct pair pair(void)
{
	int listening = listener(0, 5);
	struct pair pair = pair_of(listening, 0);

	close(listening);
	return pair;
}

/* With buffers that are soon full */
struct pair small_pair(void)
{
	int listening = sock(2, 0);
	struct pair pair = { .c = sock(1, 0) };

	set_int(listening, SO_RCVBUF, SMALL);
	set_int(pair.c, SO_SNDBUF, SMALL);
	need(!bind_to(listening, 0, 0) && !listen(listening, 5), "listener");
	need(!connect_to(pair.c, 2, 0), "small pair");
	pair.s = accept(listening, NULL, NULL);
	need(pair.s >= 0 && as_asked(pair.c), "small pair");
	close(listening);
	return pair;
}

/* A socket that waits for a node that does not answer */
int connecting(void)
{
	int fd = sock(1, SOCK_NONBLOCK);

	need(connect_to(fd, NODE_SILENT, 0) && errno == EINPROGRESS,
	     "connecting");
	return fd;
}

/* A socket that does not wait, and a wire on which it would have to */
int slow_client(void)
{
	world_slow();
	return sock(1, SOCK_NONBLOCK);
}

int no_block(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void set_int(int fd, int name, int value)
{
	need(!setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value)),
	     "option");
}

void set_linger(int fd, int seconds)
{
	struct linger linger = { .l_onoff = 1, .l_linger = seconds };

	need(!setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)),
	     "SO_LINGER");
}

void set_timeout(int fd, int name, int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };

	need(!setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)), "timeout");
}

/* Closes it so that the peer is told that it was given up. */
void reset(int fd)
{
	set_linger(fd, 0);
	close(fd);
}

/* ---- waiting ---- */

short wait_until(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	need(poll(&pfd, 1, LIMIT_MS) == 1, "event");
	return pfd.revents;
}

/* What poll() says once it says something, for which half a second is enough
 * where TCP says it, too
 */
void saw_soon(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	if (poll(&pfd, 1, 500 * slow()) == 1)
		saw_events(fd);
	else
		note("nothing");
}

int queued(int fd, unsigned long command)
{
	int bytes = -1;

	return ioctl(fd, command, &bytes) ? -1 : bytes;
}

static void pause_a_bit(void)
{
	poll(NULL, 0, 1);
}

void wait_arrived(int fd, int bytes)
{
	while (queued(fd, SIOCINQ) < bytes)
		pause_a_bit();
}

/* Return: whether PRP's pace alone keeps something back, which will leave. */
static bool is_paced(int fd)
{
	struct prp_info info = {};
	socklen_t len = sizeof(info);

	return !getsockopt(fd, SOL_PRP, PRP_INFO, &info, &len) &&
	       info.prpi_snd_wnd && info.prpi_queued;
}

/* Sends until nothing has room any more, and nothing is under way, or about to
 * be, whose arrival could make some. Return: how much was taken.
 */
long fill(int fd)
{
	static char junk[4096];
	bool landed;
	long sum = 0;
	ssize_t put;

	for (;;) {
		landed = !is_paced(fd) &&
			 queued(fd, SIOCOUTQ) == queued(fd, SIOCOUTQNSD);
		put = send(fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (put > 0) {
			sum += put;
			continue;
		}
		need(put < 0 && errno == EAGAIN, "full");
		if (landed)
			return sum;
		pause_a_bit();
	}
}

/* Return: what was read, len or less at the end of the stream. */
long drain(int fd, long len)
{
	static char junk[65536];
	long sum = 0;
	ssize_t got = 1;

	while (sum < len && got > 0) {
		size_t want = len - sum < sizeof(junk) ? len - sum :
							 sizeof(junk);

		got = recv(fd, junk, want, 0);
		if (got > 0)
			sum += got;
	}
	return sum;
}

static void *doing_run(void *arg)
{
	struct doing *doing = arg;

	__atomic_store_n(&doing->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	errno = 0;
	doing->ret = doing->call(doing->fd);
	doing->error = errno;
	doing->pipes = sigpipes;
	__atomic_store_n(&doing->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The system call that a thread sleeps in; -1 while it runs, or is gone */
static long sleeps_in(pid_t tid)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || *text == 'r')
		*text = 0;
	close(fd);
	return *text ? atol(text) : -1;
}

/* Waits until it sleeps in a system call. Return: false if it has ended. */
bool sleeps(struct doing *doing, long number)
{
	do {
		pause_a_bit();
		if (__atomic_load_n(&doing->ended, __ATOMIC_ACQUIRE))
			return false;
	} while (sleeps_in(doing->tid) != number);
	return true;
}

/* Waits until a process sleeps in a system call. */
void wait_process(pid_t pid, long number)
{
	while (sleeps_in(pid) != number)
		pause_a_bit();
}

/* Has a thread make a call. */
void go(struct doing *doing, long (*call)(int fd), int fd)
{
	*doing = (struct doing){ .call = call, .fd = fd };
	need(!pthread_create(&doing->thread, NULL, doing_run, doing), "thread");
	while (!__atomic_load_n(&doing->tid, __ATOMIC_ACQUIRE))
		pause_a_bit();
}

/* The same, and waits until it sleeps there. */
void go_to_sleep(struct doing *doing, long (*call)(int fd), int fd, long number)
{
	go(doing, call, fd);
	sleeps(doing, number);
}

/* Sends it a signal, and waits until that was handled. */
void interrupt(struct doing *doing)
{
	signals = 0;
	pthread_kill(doing->thread, SIGUSR1);
	while (!signals)
		pause_a_bit();
}

/* What the call returned, with its errno */
long done(struct doing *doing)
{
	pthread_join(doing->thread, NULL);
	sigpipes += doing->pipes;
	errno = doing->error;
	return doing->ret;
}

/* Notes what it returned, or that it sleeps on where TCP has woken it. */
void saw_done(struct doing *doing)
{
	long end = now_ms() + 500 * slow();

	while (!__atomic_load_n(&doing->ended, __ATOMIC_ACQUIRE)) {
		if (now_ms() > end) {
			note("sleeps on");
			return;
		}
		pause_a_bit();
	}
	saw(done(doing));
}

static void count_signal(int number)
{
	(void)number;
	signals++;
}

void on_signal(int number, int flags)
{
	struct sigaction action = {
		.sa_handler = count_signal,
		.sa_flags = flags,
	};

	sigaction(number, &action, NULL);
}

long recv_one(int fd)
{
	char in;

	return recv(fd, &in, 1, 0);
}

long send_much(int fd)
{
	static char junk[1 << 20];

	return send(fd, junk, sizeof(junk), MSG_NOSIGNAL);
}

long accept_one(int fd)
{
	return accept(fd, NULL, NULL) < 0 ? -1 : 0;
}

long connect_silent(int fd)
{
	return connect_to(fd, NODE_SILENT, 0);
}
