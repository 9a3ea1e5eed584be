/* SPDX-License-Identifier: GPL-2.0 */
/* The socket families that are compared, and one end of a flow over them. */
#ifndef _PRPPERF_FAMILY_H
#define _PRPPERF_FAMILY_H

#include <netinet/in.h>
#include <linux/socket.h>
#include <linux/if_packet.h>
#include <linux/prp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "spec.h"

/* Of raw packets: the second one for local experiments; PRP has the first */
#define FAMILY_ETHERTYPE 0x88b6

/**
 * struct family - a way to carry messages
 * @name: for -f
 * @what: for --help
 * @domain: of socket(), as the two that follow
 * @type: .
 * @protocol: .
 * @stream: messages have no borders
 * @datagrams: they may get lost, and there is no connection
 * @headers: bytes of a frame between Ethernet's header and those of the user,
 *	-1 where there are no frames
 * @least: bytes of a message
 * @largest: likewise
 */
struct family {
	const char *name;
	const char *what;
	int domain;
	int type;
	int protocol;
	bool stream;
	bool datagrams;
	int headers;
	uint64_t least;
	uint64_t largest;
};

/**
 * union family_address - of any family
 * @any: what all have in common
 * @prp: of PRP
 * @in: of IPv4
 * @in6: of IPv6
 * @un: of this machine
 * @ll: of raw packets
 */
union family_address {
	struct sockaddr any;
	struct sockaddr_prp prp;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	struct sockaddr_ll ll;
};

/**
 * struct end - one end of a flow
 * @family: over what
 * @fd: its socket
 * @peer: of raw packets, to whom
 * @peer_len: 0 where the socket knows that
 */
struct end {
	const struct family *family;
	int fd;
	union family_address peer;
	socklen_t peer_len;
};

extern const struct family families[];

const struct family *family_find(const char *name);
int family_listen(const struct family *family, const char *at,
		  struct spec *spec);
bool family_accept(const struct family *family, int fd, const struct spec *spec,
		   struct end *end);
void family_connect(const struct family *family, const char *to,
		    const char *from, const struct spec *spec, struct end *end);
void family_drain(struct end *end, bool answer);
ssize_t family_send(const struct end *end, const void *data, size_t len,
		    int flags);
ssize_t family_recv(const struct end *end, void *data, size_t len, int flags);

#endif
