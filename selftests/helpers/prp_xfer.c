// SPDX-License-Identifier: GPL-2.0
/*
 * Moves bytes between two namespaces, or two machines, over PRP or TCP and
 * compares what arrived, byte and order, by a hash of each connection and
 * direction. Prints KEY=VALUE words; fails if a hash or a length differs.
 *
 * Each connection takes its bytes from another place of one pattern, so
 * that bytes of a wrong connection, or from a wrong place, show. Where only
 * one end is here it compares with what the pattern says; both machines must
 * be given the same size, or none, and the same directions.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <linux/errqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"
#include "slow.h"
#include "netns.h"

#define PATTERN (1024 * 1024 + 7)
#define CHUNK_MAX (1024 * 1024)
#define OPTIONS ENDS_OPTIONS "z:uk:r:n:dwZPL:"

/* A hash of bytes and their order that costs half an instruction a byte */
struct hash {
	uint64_t state;
	uint64_t word;
	unsigned int have; /* bytes in word */
	uint64_t bytes;
};

struct result {
	int port;
	uint64_t sent, sent_hash;
	uint64_t got, got_hash;
	uint64_t first_ns, last_ns;
	uint64_t notes; /* calls that a note told of */
	uint64_t copied; /* of these, what was copied after all */
	struct prp_info info;
};

struct conn {
	int fd;
	bool client;
	bool tx_done, rx_done;
	struct hash rx;
	char *chunk;
	struct result res;
};

static struct ends ends = {
	.client_ns = "-",
	.server_ns = "-",
	.port = 4000,
};

static uint64_t size = 1 << 20;
static pid_t child;
static size_t chunk = 65536, room; /* of a send(), of a recv() */
static int conns = 1;
static bool both, polled, until_told, pauses, refers;
static unsigned int limit_s = 120;
static char *pattern;

#define HASH_PRIME 0x9e3779b97f4a7c15ull

static inline uint64_t hash_word(uint64_t state, uint64_t word)
{
	state = (state ^ word) * HASH_PRIME;
	return state ^ state >> 29;
}

static void hash_add(struct hash *hash, const char *data, size_t len)
{
	uint64_t state, word;

	hash->bytes += len;
	while (len && hash->have) {
		hash->word |= (uint64_t)(uint8_t)*data++ << 8 * hash->have;
		len--;
		if (++hash->have < 8)
			continue;
		hash->state = hash_word(hash->state, hash->word);
		hash->word = 0;
		hash->have = 0;
	}
	state = hash->state;
	for (; len >= 8; len -= 8, data += 8) {
		memcpy(&word, data, 8);
		state = hash_word(state, word);
	}
	hash->state = state;
	for (; len; len--)
		hash->word |= (uint64_t)(uint8_t)*data++ << 8 * hash->have++;
}

static uint64_t hash_end(const struct hash *hash)
{
	return hash_word(hash_word(hash->state, hash->word), hash->bytes);
}

/* Twice as long as it repeats, so that any chunk of it lies in one piece. */
static void make_pattern(void)
{
	uint64_t x = 88172645463325252ull;

	pattern = malloc(PATTERN + CHUNK_MAX);
	if (!pattern)
		err(1, "malloc");
	for (size_t i = 0; i < PATTERN; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		pattern[i] = x;
	}
	memcpy(pattern + PATTERN, pattern, CHUNK_MAX);
}

static const char *pattern_at(int port, bool client, uint64_t offset)
{
	uint64_t start = port * 7919ull + (client ? 0 : 400009);

	return pattern + (start + offset) % PATTERN;
}

static uint64_t pattern_hash(int port, bool client, uint64_t len)
{
	struct hash hash = {};

	while (hash.bytes < len) {
		size_t n = len - hash.bytes < CHUNK_MAX ? len - hash.bytes :
							  CHUNK_MAX;

		hash_add(&hash, pattern_at(port, client, hash.bytes), n);
	}
	return hash_end(&hash);
}

/* How much to send next; stop() may make it nothing at any time. */
static size_t next_chunk(const struct conn *conn)
{
	uint64_t all = __atomic_load_n(&size, __ATOMIC_RELAXED);

	if (conn->res.sent >= all)
		return 0;
	return all - conn->res.sent < chunk ? all - conn->res.sent : chunk;
}

static void count_note(struct result *res, struct msghdr *msg)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);
	struct sock_extended_err note;
	unsigned int calls;

	if (!cmsg || cmsg->cmsg_level != SOL_PRP ||
	    cmsg->cmsg_type != PRP_ERRQUEUE)
		errx(1, "no note of MSG_ZEROCOPY");
	memcpy(&note, CMSG_DATA(cmsg), sizeof(note));
	calls = note.ee_data - note.ee_info + 1;
	res->notes += calls;
	if (note.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		res->copied += calls;
}

/* What is referred to is sent: nobody is waited for, as it stays as it is. */
static bool read_notes(struct conn *conn)
{
	char control[CMSG_SPACE(sizeof(struct sock_extended_err))];
	struct msghdr msg;
	bool some = false;

	while (1) {
		msg = (struct msghdr){
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		if (recvmsg(conn->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return some;
		count_note(&conn->res, &msg);
		some = true;
	}
}

/* Sends what goes; true when all is sent and the end is told. */
static bool send_some(struct conn *conn, int flags)
{
	bool client = conn->client;
	size_t n;

	while ((n = next_chunk(conn)) != 0) {
		ssize_t put;

		put = send(conn->fd,
			   pattern_at(conn->res.port, client, conn->res.sent),
			   n,
			   flags | MSG_NOSIGNAL | (refers ? MSG_ZEROCOPY : 0));
		if (put < 0 && errno == EAGAIN && flags)
			return false;
		if (put < 0 && errno == ENOBUFS && read_notes(conn))
			continue;
		if (put < 0)
			err(1, "%s: send after %llu bytes",
			    client ? "client" : "server",
			    (unsigned long long)conn->res.sent);
		conn->res.sent += put;
	}
	if (shutdown(conn->fd, SHUT_WR))
		err(1, "shutdown");
	conn->tx_done = true;
	return true;
}

/* Receives what is there; true at the end of the stream. */
static bool recv_some(struct conn *conn, int flags)
{
	ssize_t got;

	while ((got = recv(conn->fd, conn->chunk, room, flags)) > 0) {
		hash_add(&conn->rx, conn->chunk, got);
		/* a message is what was given to one send() */
		if (ends.messages && got != chunk && conn->rx.bytes != size)
			errx(1, "a message of %zd bytes", got);
	}
	if (got < 0 && errno == EAGAIN && flags)
		return false;
	if (got < 0)
		err(1, "%s: recv after %llu bytes",
		    conn->client ? "client" : "server",
		    (unsigned long long)conn->rx.bytes);
	conn->rx_done = true;
	conn->res.last_ns = now_ns();
	return true;
}

static void start(struct conn *conn, int fd, bool client)
{
	unsigned int on = refers;

	memset(conn, 0, sizeof(*conn));
	conn->fd = fd;
	conn->client = client;
	conn->chunk = malloc(room);
	if (!conn->chunk)
		err(1, "malloc");
	if (on && setsockopt(fd, SOL_PRP, PRP_ZEROCOPY, &on, sizeof(on)))
		err(1, "PRP_ZEROCOPY");
	conn->res.port = ends_port(fd, !client);
	conn->res.first_ns = now_ns();
	conn->tx_done = !client && !both;
}

static void finish(struct conn *conn)
{
	struct result *res = &conn->res;

	ends_info(&ends, conn->fd, &res->info);
	read_notes(conn);
	close(conn->fd);
	free(conn->chunk);
	res->got = conn->rx.bytes;
	res->got_hash = hash_end(&conn->rx);
	if (res->sent)
		res->sent_hash =
			pattern_hash(res->port, conn->client, res->sent);
}

static void *sender(void *conn)
{
	send_some(conn, 0);
	return NULL;
}

static void *one_connection(void *arg)
{
	struct conn *conn = arg;
	bool two = both;
	pthread_t thread;

	if (two && pthread_create(&thread, NULL, sender, conn))
		errx(1, "pthread_create");
	if (!two && !conn->tx_done)
		send_some(conn, 0);
	recv_some(conn, 0);
	if (two)
		pthread_join(thread, NULL);
	return NULL;
}

static int open_one(int listener, bool client)
{
	return client ? ends_connect(&ends) : ends_accept(&ends, listener);
}

static void run_blocking(struct conn *conn, int listener, bool client)
{
	pthread_t *threads = calloc(conns, sizeof(*threads));

	for (int i = 0; i < conns; i++) {
		start(conn + i, open_one(listener, client), client);
		if (pauses)
			continue;
		if (pthread_create(threads + i, NULL, one_connection, conn + i))
			errx(1, "pthread_create");
	}
	for (int i = 0; pauses && i < conns; i++) {
		if (!i)
			raise(SIGSTOP);
		if (pthread_create(threads + i, NULL, one_connection, conn + i))
			errx(1, "pthread_create");
	}
	if (!client)
		close(listener); /* for the next one who wants it */
	for (int i = 0; i < conns; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void run_polled(struct conn *conn, int listener, bool client)
{
	struct pollfd *fds = calloc(conns, sizeof(*fds));
	int left = conns;

	for (int i = 0; i < conns; i++) {
		start(conn + i, open_one(listener, client), client);
		fds[i].fd = conn[i].fd;
	}
	if (!client)
		close(listener);
	while (left) {
		for (int i = 0; i < conns; i++) {
			fds[i].events = (conn[i].rx_done ? 0 : POLLIN) |
					(conn[i].tx_done ? 0 : POLLOUT);
			if (!fds[i].events)
				fds[i].fd = -1;
		}
		if (poll(fds, conns, -1) < 0)
			err(1, "poll");
		for (int i = 0; i < conns; i++) {
			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			if (!conn[i].tx_done)
				send_some(conn + i, MSG_DONTWAIT);
			if (!conn[i].rx_done)
				recv_some(conn + i, MSG_DONTWAIT);
			left -= conn[i].tx_done && conn[i].rx_done;
		}
	}
	free(fds);
}

/* One end: all connections, results in order of accept() or connect() */
static struct result *run_end(bool client, int listener)
{
	struct result *res = calloc(conns, sizeof(*res));
	struct conn *conn = calloc(conns, sizeof(*conn));

	if (!res || !conn)
		err(1, "calloc");
	(polled ? run_polled : run_blocking)(conn, listener, client);
	for (int i = 0; i < conns; i++) {
		finish(conn + i);
		res[i] = conn[i].res;
	}
	free(conn);
	return res;
}

/* Says so on a descriptor when clients may come. */
static struct result *server(int ready)
{
	int listener;

	netns_enter(ends.server_ns);
	listener = ends_listen(&ends, conns);
	ends_ready(ready);
	return run_end(false, listener);
}

static const struct result *by_port(const struct result *res, int port)
{
	for (int i = 0; i < conns; i++)
		if (res[i].port == port)
			return res + i;
	errx(1, "no connection of port %d was accepted", port);
}

static void print_sums(bool bad, uint64_t bytes, uint64_t ns)
{
	double seconds = ns / 1e9;

	printf("hash=%s bytes=%llu seconds=%.6f mbit=%.1f\n",
	       bad ? "BAD" : "ok", (unsigned long long)bytes, seconds,
	       bytes * 8 / seconds / 1e6);
}

static void print_notes(const struct result *res)
{
	uint64_t notes = 0, copied = 0;

	for (int i = 0; i < conns; i++) {
		notes += res[i].notes;
		copied += res[i].copied;
	}
	printf("notes=%llu copied=%llu\n", (unsigned long long)notes,
	       (unsigned long long)copied);
}

/*
 * The other end is on another machine: only what came here can be judged, and
 * if it sends until it is told, not even how much should have come.
 */
static int report_one(bool client, const struct result *res)
{
	uint64_t want = client && !both ? 0 : size;
	uint64_t first = UINT64_MAX, last = 0;
	uint64_t sent = 0, got = 0;
	struct prp_info info = {};
	int bad = 0;

	for (int i = 0; i < conns; i++) {
		bad += (res[i].got != want && !until_told) ||
		       res[i].got_hash !=
			       pattern_hash(res[i].port, !client, res[i].got);
		sent += res[i].sent;
		got += res[i].got;
		first = res[i].first_ns < first ? res[i].first_ns : first;
		last = res[i].last_ns > last ? res[i].last_ns : last;
		ends_info_add(&info, &res[i].info);
	}
	print_sums(bad, sent + got, last - first);
	printf("sent=%llu got=%llu\n", (unsigned long long)sent,
	       (unsigned long long)got);
	if (refers)
		print_notes(res);
	if (!ends.tcp)
		ends_info_print(client ? "client" : "server", &info);
	return bad ? 1 : 0;
}

static int report(const struct result *client, const struct result *server)
{
	struct prp_info c_info = {}, s_info = {};
	uint64_t first = UINT64_MAX, last = 0;
	uint64_t bytes = 0;
	int bad = 0;

	for (int i = 0; i < conns; i++) {
		const struct result *c = client + i;
		const struct result *s = by_port(server, c->port);

		bad += c->sent != s->got || c->sent_hash != s->got_hash;
		bad += both &&
		       (s->sent != c->got || s->sent_hash != c->got_hash);
		bytes += s->got + (both ? c->got : 0);
		first = c->first_ns < first ? c->first_ns : first;
		last = s->last_ns > last ? s->last_ns : last;
		if (both && c->last_ns > last)
			last = c->last_ns;
		ends_info_add(&c_info, &c->info);
		ends_info_add(&s_info, &s->info);
	}
	print_sums(bad, bytes, last - first);
	if (refers)
		print_notes(client);
	if (!ends.tcp) {
		ends_info_print("client", &c_info);
		ends_info_print("server", &s_info);
	}
	return bad ? 1 : 0;
}

/* Enough was sent, at both ends. */
static void stop(int signal)
{
	__atomic_store_n(&size, 0, __ATOMIC_RELAXED);
	if (child > 0)
		kill(child, signal);
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, OPTIONS)) > 0) {
		switch (option) {
		case 'z':
			size = strtoull(optarg, NULL, 0);
			break;
		case 'u':
			until_told = true;
			size = UINT64_MAX;
			break;
		case 'k':
			chunk = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			room = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			conns = atoi(optarg);
			break;
		case 'd':
			both = true;
			break;
		case 'w':
			polled = true;
			break;
		case 'Z':
			refers = true;
			break;
		case 'P':
			pauses = true;
			break;
		case 'L':
			limit_s = atoi(optarg);
			break;
		default:
			if (!ends_option(&ends, option, optarg))
				exit(2);
		}
	}
	if (!room)
		room = chunk;
	if (!ends_complete(&ends) || !chunk || chunk > CHUNK_MAX)
		errx(2,
		     "usage: prp_xfer %s\n"
		     "\t[-z SIZE] [-k CHUNK] [-r ROOM TO READ] [-u until SIGUSR1]\n"
		     "\t[-n CONNECTIONS] [-d both ways] [-w poll()] [-L LIMIT_S]\n"
		     "\t[-Z by MSG_ZEROCOPY, tells of the client's notes]\n"
		     "\t[-P stops itself when all are there, before it reads]",
		     ENDS_USAGE);
}

static int one_end(void)
{
	alarm(limit_s * slow());
	if (ends.here == ENDS_SERVER)
		return report_one(false, server(STDOUT_FILENO));
	netns_enter(ends.client_ns);
	return report_one(true, run_end(true, -1));
}

int main(int argc, char **argv)
{
	struct result *mine, *theirs;
	int pipes[2], status;

	parse(argc, argv);
	make_pattern();
	signal(SIGUSR1, stop);
	if (ends.here != ENDS_BOTH)
		return one_end();
	if (pipe(pipes))
		err(1, "pipe");
	child = fork();
	alarm(limit_s * slow()); /* in both processes */
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pipes[0]);
		theirs = server(pipes[1]);
		write_all(pipes[1], theirs, conns * sizeof(*theirs));
		return 0;
	}
	close(pipes[1]);
	ends_wait_ready(pipes[0]);

	netns_enter(ends.client_ns);
	mine = run_end(true, -1);
	theirs = calloc(conns, sizeof(*theirs));
	read_all(pipes[0], theirs, conns * sizeof(*theirs));
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the server failed");
	return report(mine, theirs);
}
