// SPDX-License-Identifier: GPL-2.0
/*
 * The socket families that are compared. Datagrams have no connections: a
 * client says hello until the server, which then knows it, says so too.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control.h"
#include "family.h"

#define HELLO_MS 100
#define SCTP_NODELAY_OPTION 3 /* SCTP_NODELAY: its header is no part of libc */

/* What stands before the user's bytes of one segment, or message */
enum {
	HEADERS_PRP = 36, /* struct prp_hdr of net/prp/pure/wire.h */
	HEADERS_TCP = 20 + 20 + 12, /* with timestamps */
	HEADERS_UDP = 20 + 8,
	HEADERS_SCTP = 20 + 12 + 16,
};

/* clang-format off */
const struct family families[] = {
	{ "prp", "PRP, a stream", AF_PRP, SOCK_STREAM, 0,
	  .stream = true, .headers = HEADERS_PRP, .least = 1,
	  .largest = SPEC_SIZE_MAX },
	{ "prp-seq", "PRP, messages", AF_PRP, SOCK_SEQPACKET, 0,
	  .headers = HEADERS_PRP, .least = 1,
	  .largest = SPEC_SIZE_MAX },
	{ "tcp", "TCP", AF_INET, SOCK_STREAM, IPPROTO_TCP,
	  .stream = true, .headers = HEADERS_TCP, .least = 1,
	  .largest = SPEC_SIZE_MAX },
	{ "udp", "UDP", AF_INET, SOCK_DGRAM, IPPROTO_UDP,
	  .datagrams = true, .headers = HEADERS_UDP, .least = 0,
	  .largest = 65507 },
	{ "sctp", "SCTP, one stream", AF_INET, SOCK_STREAM, IPPROTO_SCTP,
	  .stream = true, .headers = HEADERS_SCTP, .least = 1,
	  .largest = SPEC_SIZE_MAX },
	{ "packet", "frames, at MTU 1500", AF_PACKET, SOCK_DGRAM, 0,
	  .datagrams = true, .headers = 0, .least = 1,
	  .largest = 1500 },
	{ "unix", "within one machine", AF_UNIX, SOCK_STREAM, 0,
	  .stream = true, .headers = -1, .least = 1,
	  .largest = SPEC_SIZE_MAX },
	{ NULL },
};

/* clang-format on */

/**
 * family_find() - find a family
 * @name: its name
 *
 * Return: it, or NULL
 */
const struct family *family_find(const char *name)
{
	for (const struct family *f = families; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static void set_size(int fd, int option, uint64_t bytes)
{
	int value = bytes;

	if (bytes && setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)))
		control_die("%s: %s",
			    option == SO_SNDBUF ? "SO_SNDBUF" : "SO_RCVBUF",
			    strerror(errno));
}

static void set_options(int fd, const struct family *family,
			const struct spec *spec)
{
	bool sctp = family->protocol == IPPROTO_SCTP;
	int one = 1;

	set_size(fd, SO_SNDBUF, spec->sndbuf);
	set_size(fd, SO_RCVBUF, spec->rcvbuf);
	if (spec->nagle || (!sctp && family->protocol != IPPROTO_TCP))
		return;
	if (setsockopt(fd, family->protocol,
		       sctp ? SCTP_NODELAY_OPTION : TCP_NODELAY, &one,
		       sizeof(one)))
		control_die("no delay: %s", strerror(errno));
}

static int open_socket(const struct family *family, int domain,
		       const struct spec *spec)
{
	int fd = socket(domain, family->type | SOCK_CLOEXEC, family->protocol);

	if (fd < 0)
		control_die("socket of %s: %s", family->name, strerror(errno));
	set_options(fd, family, spec);
	return fd;
}

static uint64_t device_hardware(int fd, const char *device)
{
	struct ifreq request = {};
	uint64_t hardware = 0;

	strncpy(request.ifr_name, device, sizeof(request.ifr_name) - 1);
	if (ioctl(fd, SIOCGIFHWADDR, &request))
		control_die("device %s: %s", device, strerror(errno));
	for (int i = 0; i < 6; i++)
		hardware = hardware << 8 |
			   (uint8_t)request.ifr_hwaddr.sa_data[i];
	return hardware;
}

static socklen_t fill_ll(const char *device, uint64_t hardware,
			 struct sockaddr_ll *ll)
{
	ll->sll_family = AF_PACKET;
	ll->sll_protocol = htons(FAMILY_ETHERTYPE);
	ll->sll_ifindex = if_nametoindex(device);
	if (!ll->sll_ifindex)
		control_die("device %s: %s", device, strerror(errno));
	ll->sll_halen = 6;
	for (int i = 5; i >= 0; i--, hardware >>= 8)
		ll->sll_addr[i] = hardware;
	return sizeof(*ll);
}

static socklen_t fill_in(const char *at, uint64_t port,
			 union family_address *address)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	socklen_t len;
	int err;

	err = getaddrinfo(at, NULL, &hints, &found);
	if (err)
		control_die("%s: %s", at, gai_strerror(err));
	len = found->ai_addrlen;
	memcpy(address, found->ai_addr, len);
	freeaddrinfo(found);
	if (address->any.sa_family == AF_INET)
		address->in.sin_port = htons(port);
	else
		address->in6.sin6_port = htons(port);
	return len;
}

static socklen_t fill_prp(const char *at, uint64_t port,
			  struct sockaddr_prp *prp)
{
	char *end;
	unsigned long node = strtoul(at, &end, 10);

	if (*end || !node || node > UINT16_MAX)
		control_die("%s: no number of a node", at);
	prp->sprp_family = AF_PRP;
	prp->sprp_port = htons(port);
	prp->sprp_addr = htons(node);
	return sizeof(*prp);
}

/* A name that the kernel gave: a zero, then five hexadecimal digits */
static socklen_t fill_un(uint64_t port, struct sockaddr_un *un)
{
	un->sun_family = AF_UNIX;
	snprintf(un->sun_path + 1, sizeof(un->sun_path) - 1, "%05" PRIx64,
		 port);
	return offsetof(struct sockaddr_un, sun_path) + 6;
}

static socklen_t fill(const struct family *family, const char *at,
		      const struct spec *spec, union family_address *address)
{
	memset(address, 0, sizeof(*address));
	switch (family->domain) {
	case AF_PRP:
		return fill_prp(at, spec->port, &address->prp);
	case AF_PACKET:
		return fill_ll(at, spec->hardware, &address->ll);
	case AF_UNIX:
		return fill_un(spec->port, &address->un);
	default:
		return fill_in(at, spec->port, address);
	}
}

static void get_port(int fd, const char *at, struct spec *spec)
{
	union family_address mine = {};
	socklen_t len = sizeof(mine);

	if (getsockname(fd, &mine.any, &len))
		control_die("getsockname: %s", strerror(errno));
	switch (mine.any.sa_family) {
	case AF_PRP:
		spec->port = ntohs(mine.prp.sprp_port);
		break;
	case AF_PACKET:
		spec->hardware = device_hardware(fd, at);
		break;
	case AF_UNIX:
		spec->port = strtoul(mine.un.sun_path + 1, NULL, 16);
		break;
	case AF_INET:
		spec->port = ntohs(mine.in.sin_port);
		break;
	default:
		spec->port = ntohs(mine.in6.sin6_port);
	}
}

/**
 * family_listen() - make a socket where clients may come
 * @family: over what
 * @at: this node's address, with raw packets its device
 * @spec: how; gets where it is
 *
 * Return: the socket; ends the process if there can be none
 */
int family_listen(const struct family *family, const char *at,
		  struct spec *spec)
{
	union family_address mine;
	socklen_t len;
	int fd;

	spec->port = 0;
	spec->hardware = 0;
	len = fill(family, at, spec, &mine);
	if (mine.any.sa_family == AF_UNIX)
		len = sizeof(mine.un.sun_family); /* any name */
	fd = open_socket(family, mine.any.sa_family, spec);
	if (bind(fd, &mine.any, len))
		control_die("bind to %s: %s", at, strerror(errno));
	if (!family->datagrams && listen(fd, spec->flows))
		control_die("listen: %s", strerror(errno));
	get_port(fd, at, spec);
	return fd;
}

/* Whom a hello came from is who the peer is. */
static bool meet(int fd, struct end *end)
{
	union family_address from;
	socklen_t len = sizeof(from);
	char hello;

	if (recvfrom(fd, &hello, 1, 0, &from.any, &len) < 0)
		return false;
	end->fd = fd;
	if (from.any.sa_family == AF_PACKET) {
		end->peer = from;
		end->peer_len = len;
	} else if (connect(fd, &from.any, len)) {
		control_die("connect: %s", strerror(errno));
	}
	return family_send(end, "", 1, 0) == 1;
}

/**
 * family_accept() - the server takes the next client
 * @family: over what
 * @fd: of family_listen(), which has something to read
 * @spec: how
 * @end: gets the server's end, for datagrams with the same socket
 *
 * Return: whether there was one
 */
bool family_accept(const struct family *family, int fd, const struct spec *spec,
		   struct end *end)
{
	memset(end, 0, sizeof(*end));
	end->family = family;
	if (family->datagrams)
		return meet(fd, end);
	end->fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (end->fd < 0)
		return false;
	set_options(end->fd, family, spec);
	return true;
}

static void say_hello(const struct end *end)
{
	struct pollfd fds[] = { { end->fd, POLLIN, 0 }, { 0, POLLIN, 0 } };
	char hello;

	do {
		/* of what cannot be sent nobody says hello */
		if (family_send(end, "", 1, 0) < 0 && errno != ECONNREFUSED)
			control_die("send: %s", strerror(errno));
		poll(fds, 2, HELLO_MS);
		if (fds[1].revents)
			exit(0); /* nobody wants to know any more */
	} while (family_recv(end, &hello, 1, MSG_DONTWAIT) < 0);
}

/**
 * family_connect() - the client goes to the server
 * @family: over what
 * @to: the server's address
 * @from: this node's own one, which raw packets need
 * @spec: how, and where the server is
 * @end: gets the client's end; the process is ended if there can be none
 */
void family_connect(const struct family *family, const char *to,
		    const char *from, const struct spec *spec, struct end *end)
{
	socklen_t len;

	memset(end, 0, sizeof(*end));
	end->family = family;
	len = fill(family, family->domain == AF_PACKET ? from : to, spec,
		   &end->peer);
	end->fd = open_socket(family, end->peer.any.sa_family, spec);
	if (family->domain == AF_PACKET) {
		end->peer_len = len;
		if (bind(end->fd, &end->peer.any, len))
			control_die("bind to %s: %s", from, strerror(errno));
	} else if (connect(end->fd, &end->peer.any, len)) {
		control_die("connect to %s: %s", to, strerror(errno));
	}
	if (family->datagrams)
		say_hello(end);
}

/**
 * family_drain() - throw away datagrams that have arrived
 * @end: where
 * @answer: each may be a hello
 */
void family_drain(struct end *end, bool answer)
{
	char byte;

	while (family_recv(end, &byte, 1, MSG_DONTWAIT) >= 0)
		if (answer)
			family_send(end, "", 1, 0);
}

/**
 * family_send() - send bytes of a message
 * @end: of a flow
 * @data: what
 * @len: bytes
 * @flags: of send()
 *
 * Return: what send() returns
 */
ssize_t family_send(const struct end *end, const void *data, size_t len,
		    int flags)
{
	return sendto(end->fd, data, len, flags | MSG_NOSIGNAL,
		      end->peer_len ? &end->peer.any : NULL, end->peer_len);
}

/**
 * family_recv() - receive bytes of a stream, or a message
 * @end: of a flow
 * @data: gets them
 * @len: at most; what a message has beyond is lost
 * @flags: of recv()
 *
 * All sockets of raw packets get all frames: those of others are left out.
 *
 * Return: what recv() returns
 */
ssize_t family_recv(const struct end *end, void *data, size_t len, int flags)
{
	union family_address from;
	socklen_t from_len;
	ssize_t got;

	if (!end->peer_len)
		return recv(end->fd, data, len, flags);
	do {
		from_len = sizeof(from);
		got = recvfrom(end->fd, data, len, flags, &from.any, &from_len);
	} while (got >= 0 &&
		 memcmp(from.ll.sll_addr, end->peer.ll.sll_addr, 6));
	return got;
}
