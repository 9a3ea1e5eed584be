/* SPDX-License-Identifier: GPL-2.0 */
/* What each case of the IP mode starts from: two nodes with IP addresses. */
#ifndef _SELFTESTS_INET_H
#define _SELFTESTS_INET_H

#include "fixture.h"

#include <netinet/in.h>
#include <stdint.h>

#define KNOWN "10.80.0.2" /* node 2, in the host table */
#define UNKNOWN "10.81.0.2" /* node 2, not in the host table */
#define SILENT "10.80.0.3" /* node 2, but for the host table node 3 */
#define KNOWN6 "fd80::2"
#define UNKNOWN6 "fd81::2"

FIXTURE(inet)
{
	struct nodes nodes;
};

FIXTURE_SETUP(inet)
{
	ASSERT_EQ(0, nodes_make(&self->nodes));
	ASSERT_EQ(0, nodes_add_ips(&self->nodes));
	ASSERT_NE(SIG_ERR, signal(SIGPIPE, SIG_IGN));
}

FIXTURE_TEARDOWN(inet)
{
}

/* An address, of IPv6 if it looks like it; its length is that of its family */
static inline struct sockaddr_in6 ip_at(const char *text, int port)
{
	union {
		struct sockaddr_in6 in6;
		struct sockaddr_in in;
	} at = {};

	if (strchr(text, ':')) {
		at.in6.sin6_family = AF_INET6;
		at.in6.sin6_port = htons(port);
		inet_pton(AF_INET6, text, &at.in6.sin6_addr);
	} else {
		at.in.sin_family = AF_INET;
		at.in.sin_port = htons(port);
		inet_pton(AF_INET, text, &at.in.sin_addr);
	}
	return at.in6;
}

static inline socklen_t ip_len(const char *text)
{
	return strchr(text, ':') ? sizeof(struct sockaddr_in6) :
				   sizeof(struct sockaddr_in);
}

/* Socket of the IP mode for addresses like this one */
static inline int ip_socket(const struct nodes *nodes, int nr, const char *like,
			    int type_flags)
{
	nodes_enter(nodes, nr);
	return ip_mode_socket(strchr(like, ':') ? AF_INET6 : AF_INET,
			      type_flags);
}

/* TCP's own, as programs that know nothing of us have it */
static inline int tcp_socket(const struct nodes *nodes, int nr,
			     const char *like)
{
	nodes_enter(nodes, nr);
	return socket(strchr(like, ':') ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
}

/* An option that is an int, -1 if it cannot be read */
static inline int get_int(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	return getsockopt(fd, level, name, &value, &len) ? -1 : value;
}

/* Set one. Return: what setsockopt() returns. */
static inline int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

static inline int ip_bind(int fd, const char *text, int port)
{
	struct sockaddr_in6 at = ip_at(text, port);

	return bind(fd, SA(at), ip_len(text));
}

static inline int ip_connect(int fd, const char *text, int port)
{
	struct sockaddr_in6 at = ip_at(text, port);

	return connect(fd, SA(at), ip_len(text));
}

static inline int ip_listen_on(int fd, const char *text, int port, int backlog)
{
	if (fd < 0 || ip_bind(fd, text, port) || listen(fd, backlog))
		return -1;
	return fd;
}

/* Listener of the IP mode on node 2 */
static inline int ip_listen(const struct nodes *nodes, const char *text,
			    int port)
{
	return ip_listen_on(ip_socket(nodes, 2, text, 0), text, port, 5);
}

/* Client of the IP mode on node 1 */
static inline int ip_client(const struct nodes *nodes, const char *text,
			    int port)
{
	int fd = ip_socket(nodes, 1, text, 0);

	return ip_connect(fd, text, port) ? -1 : fd;
}

/* Who carries it, PRP_PATH_TCP if it is no socket of ours */
static inline int path_of(int fd)
{
	uint32_t path = -1;
	socklen_t len = sizeof(path);
	int domain = 0;

	if (!getsockopt(fd, SOL_PRP, PRP_PATH, &path, &len))
		return path;
	len = sizeof(domain);
	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	return domain == AF_INET || domain == AF_INET6 ? PRP_PATH_TCP : -1;
}

/* Why TCP carries it */
static inline struct prp_why why_of(int fd)
{
	struct prp_why why = { .prpw_reason = -1 };
	socklen_t len = sizeof(why);

	getsockopt(fd, SOL_PRP, PRP_WHY, &why, &len);
	return why;
}

/* An address as text, "10.80.0.1 4000" */
static inline const char *ip_text(const struct sockaddr_in6 *at)
{
	const struct sockaddr_in *in = (const void *)at;
	static char text[80];
	char ip[64];

	if (at->sin6_family == AF_INET6)
		inet_ntop(AF_INET6, &at->sin6_addr, ip, sizeof(ip));
	else
		inet_ntop(AF_INET, &in->sin_addr, ip, sizeof(ip));
	snprintf(text, sizeof(text), "%s %d", ip, ntohs(at->sin6_port));
	return text;
}

static inline const char *local_of(int fd)
{
	struct sockaddr_in6 at = {};
	socklen_t len = sizeof(at);

	return getsockname(fd, SA(at), &len) ? "" : ip_text(&at);
}

static inline const char *peer_of(int fd)
{
	struct sockaddr_in6 at = {};
	socklen_t len = sizeof(at);

	return getpeername(fd, SA(at), &len) ? "" : ip_text(&at);
}

/* A word each way */
static inline bool talk(int one, int two)
{
	char in[4];

	return send_all(one, "ping", 4) && recv_all(two, in, 4) &&
	       !memcmp(in, "ping", 4) && send_all(two, "pong", 4) &&
	       recv_all(one, in, 4) && !memcmp(in, "pong", 4);
}

#endif
