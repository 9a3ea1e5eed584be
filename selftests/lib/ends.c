// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "ends.h"
#include "netns.h"

union address {
	struct sockaddr any;
	struct sockaddr_prp prp;
	struct sockaddr_in in;
};

/**
 * now_ns() - read the monotonic clock
 *
 * Return: ns
 */
uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * read_all() - read from a pipe, exactly so much
 * @fd: the pipe
 * @to: where to put it
 * @len: bytes
 */
void read_all(int fd, void *to, size_t len)
{
	ssize_t got;

	for (; len; len -= got, to += got) {
		got = read(fd, to, len);
		if (!got)
			errx(1, "the other end's process is gone");
		if (got < 0)
			err(1, "read from pipe");
	}
}

/**
 * write_all() - write to a pipe or the screen, all of it
 * @fd: where to
 * @from: what
 * @len: bytes
 */
void write_all(int fd, const void *from, size_t len)
{
	ssize_t put;

	for (; len; len -= put, from += put) {
		put = write(fd, from, len);
		if (put < 0)
			err(1, "write to pipe");
	}
}

/**
 * ends_option() - take an option of ENDS_OPTIONS
 * @ends: gets it
 * @option: its letter
 * @arg: its argument
 *
 * Return: whether it is one, and good
 */
bool ends_option(struct ends *ends, int option, char *arg)
{
	switch (option) {
	case 'o':
		ends->here = !strcmp(arg, "client") ? ENDS_CLIENT :
			     !strcmp(arg, "server") ? ENDS_SERVER :
						      ENDS_BOTH;
		return ends->here != ENDS_BOTH;
	case 'c':
		ends->client_ns = arg;
		return true;
	case 's':
		ends->server_ns = arg;
		return true;
	case 'a':
		ends->address = arg;
		return true;
	case 'p':
		ends->port = atoi(arg);
		return true;
	case 'b':
		ends->from = atoi(arg);
		return true;
	case 't':
		ends->tcp = true;
		return true;
	case 'B':
		ends->sndbuf = atoi(arg);
		return true;
	case 'R':
		ends->rcvbuf = atoi(arg);
		return true;
	case 'T':
		ends->user_timeout = atoi(arg);
		return true;
	case 'M':
		ends->max_rate = atoi(arg);
		return true;
	case 'Y':
		ends->busy_us = atoi(arg);
		return true;
	case 'K':
		ends->checksum = true;
		return true;
	case 'g':
		ends->gathers = true;
		return true;
	case 'D':
		ends->nodelay = true;
		return true;
	case 'Q':
		ends->messages = true;
		return true;
	}
	return false;
}

/**
 * ends_complete() - is all there that must be given?
 * @ends: what was given
 *
 * Return: whether it is
 */
bool ends_complete(const struct ends *ends)
{
	return ends->address || ends->here == ENDS_SERVER;
}

static void set_number(int fd, int option, const char *name, int value)
{
	if (value && setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)))
		err(1, "%s", name);
}

static void set_options(const struct ends *ends, int fd)
{
	int one = 1;

	set_number(fd, SO_SNDBUF, "SO_SNDBUF", ends->sndbuf);
	set_number(fd, SO_RCVBUF, "SO_RCVBUF", ends->rcvbuf);
	set_number(fd, SO_MAX_PACING_RATE, "SO_MAX_PACING_RATE",
		   ends->max_rate);
	set_number(fd, SO_BUSY_POLL, "SO_BUSY_POLL", ends->busy_us);
	if (ends->tcp && !ends->gathers &&
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		err(1, "TCP_NODELAY");
	if (!ends->tcp && ends->user_timeout &&
	    setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &ends->user_timeout,
		       sizeof(ends->user_timeout)))
		err(1, "PRP_USER_TIMEOUT");
	if (!ends->tcp && ends->nodelay &&
	    setsockopt(fd, SOL_PRP, PRP_NODELAY, &one, sizeof(one)))
		err(1, "PRP_NODELAY");
}

static int make_socket(const struct ends *ends)
{
	int fd = socket(ends->tcp ? AF_INET : AF_PRP,
			ends->messages ? SOCK_SEQPACKET : SOCK_STREAM, 0);
	int one = 1;

	if (fd < 0)
		err(1, "socket");
	set_options(ends, fd);
	if (!ends->tcp && ends->checksum &&
	    setsockopt(fd, SOL_PRP, PRP_CHECKSUM, &one, sizeof(one)))
		err(1, "PRP_CHECKSUM");
	return fd;
}

/* Where the server is, or, of this machine's addresses, any with a port */
static socklen_t fill(const struct ends *ends, union address *at, int port,
		      bool any)
{
	memset(at, 0, sizeof(*at));
	if (ends->tcp) {
		at->in.sin_family = AF_INET;
		at->in.sin_port = htons(port);
		if (!any && !inet_aton(ends->address, &at->in.sin_addr))
			errx(1, "%s: no IPv4 address", ends->address);
		return sizeof(at->in);
	}
	at->prp.sprp_family = AF_PRP;
	at->prp.sprp_port = htons(port);
	if (!any)
		at->prp.sprp_addr = htons(atoi(ends->address));
	return sizeof(at->prp);
}

/**
 * ends_listen() - make the server's listener
 * @ends: who talks over what
 * @backlog: of listen()
 *
 * Return: the listener
 */
int ends_listen(const struct ends *ends, int backlog)
{
	int fd = make_socket(ends);
	union address at;
	int one = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		err(1, "SO_REUSEADDR");
	if (bind(fd, &at.any, fill(ends, &at, ends->port, true)))
		err(1, "bind");
	if (listen(fd, backlog))
		err(1, "listen");
	return fd;
}

/**
 * ends_connect() - connect to the server
 * @ends: who talks over what
 *
 * Return: the connected socket
 */
int ends_connect(const struct ends *ends)
{
	int fd = make_socket(ends);
	union address at;

	if (ends->from && bind(fd, &at.any, fill(ends, &at, ends->from, true)))
		err(1, "bind");
	if (connect(fd, &at.any, fill(ends, &at, ends->port, false)))
		err(1, "connect");
	return fd;
}

/**
 * ends_accept() - accept a client
 * @ends: who talks over what
 * @listener: of ends_listen()
 *
 * Return: the connected socket
 */
int ends_accept(const struct ends *ends, int listener)
{
	int fd = accept(listener, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	set_options(ends, fd);
	return fd;
}

/**
 * ends_ready() - the server tells that clients may come
 * @fd: a pipe or the screen
 */
void ends_ready(int fd)
{
	write_all(fd, ENDS_READY, strlen(ENDS_READY));
}

/**
 * ends_wait_ready() - wait for ends_ready()
 * @fd: the other end of the pipe
 */
void ends_wait_ready(int fd)
{
	char word[sizeof(ENDS_READY) - 1];

	read_all(fd, word, sizeof(word));
}

/**
 * ends_port() - what tells connections of one client apart at both ends
 * @fd: a connected socket
 * @peer: is it the server's?
 *
 * Return: the client's port
 */
int ends_port(int fd, bool peer)
{
	union address at;
	socklen_t len = sizeof(at);

	if (peer ? getpeername(fd, &at.any, &len) :
		   getsockname(fd, &at.any, &len))
		err(1, peer ? "getpeername" : "getsockname");
	return ntohs(at.any.sa_family == AF_INET ? at.in.sin_port :
						   at.prp.sprp_port);
}

/**
 * ends_info() - ask for PRP_INFO
 * @ends: who talks over what
 * @fd: a connected socket
 * @info: filled in, with zeroes for TCP
 */
void ends_info(const struct ends *ends, int fd, struct prp_info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (!ends->tcp && getsockopt(fd, SOL_PRP, PRP_INFO, info, &len))
		err(1, "PRP_INFO");
}

/* What is printed of struct prp_info, and how that of many is one */
static const struct {
	const char *name;
	size_t offset;
	size_t size;
	bool largest; /* instead of the sum */
} numbers[] = {
/* clang-format off */
#define NUMBER(f, l) \
	{ .name = #f, .offset = offsetof(struct prp_info, prpi_##f), \
	  .size = sizeof(((struct prp_info *)NULL)->prpi_##f), .largest = l }
	NUMBER(segs_out, false),
	NUMBER(segs_retransmitted, false),
	NUMBER(segs_in, false),
	NUMBER(segs_dup_in, false),
	NUMBER(acks_out, false),
	NUMBER(acks_in, false),
	NUMBER(probes_out, false),
	NUMBER(bytes_out, false),
	NUMBER(bytes_in, false),
	NUMBER(seg_size, true),
	NUMBER(path_size, true),
	NUMBER(rtt_us, true),
	NUMBER(cwnd, true),
	NUMBER(in_flight_max, true),
	NUMBER(reorder, true),
	NUMBER(min_rtt_us, true),
	NUMBER(mode, true),
	NUMBER(pace, true),
	/* clang-format on */
};

#define NUMBERS ARRAY_SIZE(numbers)

static uint64_t get_number(const struct prp_info *info, size_t i)
{
	const void *at = (const char *)info + numbers[i].offset;

	return numbers[i].size == 4 ? *(uint32_t *)at : *(uint64_t *)at;
}

static void put_number(struct prp_info *info, size_t i, uint64_t value)
{
	void *at = (char *)info + numbers[i].offset;

	if (numbers[i].size == 4)
		*(uint32_t *)at = value;
	else
		*(uint64_t *)at = value;
}

/**
 * ends_info_add() - make the info of many connections one
 * @sum: of those before
 * @one: one more
 */
void ends_info_add(struct prp_info *sum, const struct prp_info *one)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		uint64_t old = get_number(sum, i), new = get_number(one, i);

		if (!numbers[i].largest)
			new += old;
		else if (new < old)
			new = old;
		put_number(sum, i, new);
	}
}

/**
 * ends_info_print() - print as KEY=VALUE words
 * @who: what all keys begin with
 * @info: what to print
 */
void ends_info_print(const char *who, const struct prp_info *info)
{
	for (size_t i = 0; i < NUMBERS; i++)
		printf("%s_%s=%llu ", who, numbers[i].name,
		       (unsigned long long)get_number(info, i));
	printf("\n");
}
