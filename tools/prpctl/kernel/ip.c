// SPDX-License-Identifier: GPL-2.0
/*
 * Asks IP of a host: a connection of TCP that is given up at once, and the
 * kernel's table of neighbours.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/ip.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "kernel/nl.h"

/* Bytes of an IPv4 address in a v4-mapped one, or NULL */
static const uint8_t *as_ipv4(const uint8_t ip[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(ip, mapped, sizeof(mapped)) ? NULL : ip + 12;
}

static enum ip_state state_of(int err)
{
	switch (err) {
	case 0:
		return IP_LISTENS;
	case ECONNREFUSED:
	case ECONNRESET:
		return IP_REFUSES;
	case EHOSTUNREACH:
		return IP_NO_HOST;
	case EINPROGRESS:
	case ETIMEDOUT:
		return IP_SILENT;
	default:
		return IP_ERROR;
	}
}

/**
 * ip_connect() - try to open a connection of TCP, and close it again
 * @ip: address; IPv4 as v4-mapped IPv6
 * @port: port
 * @timeout_ms: how long to wait
 *
 * Return: what became of it.
 */
enum ip_state ip_connect(const uint8_t ip[16], uint16_t port, int timeout_ms)
{
	/* an IPv6 socket takes v4-mapped addresses, if there is IPv6 */
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(port) };
	struct sockaddr_in to4 = { .sin_family = AF_INET,
				   .sin_port = htons(port) };
	struct pollfd fd = { .events = POLLOUT };
	const uint8_t *ipv4 = as_ipv4(ip);
	const struct sockaddr *to = ipv4 ? (const void *)&to4 :
					   (const void *)&to6;
	socklen_t len = sizeof(int);
	int err = 0;

	memcpy(&to6.sin6_addr, ip, sizeof(to6.sin6_addr));
	if (ipv4)
		memcpy(&to4.sin_addr, ipv4, sizeof(to4.sin_addr));
	fd.fd = socket(to->sa_family,
		       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd.fd < 0)
		return IP_ERROR;
	if (connect(fd.fd, to, ipv4 ? sizeof(to4) : sizeof(to6)))
		err = errno;
	if (err == EINPROGRESS && poll(&fd, 1, timeout_ms) == 1)
		getsockopt(fd.fd, SOL_SOCKET, SO_ERROR, &err, &len);
	close(fd.fd);
	return state_of(err);
}

/* Which neighbour is looked for, and where it is */
struct search {
	const uint8_t *ip;
	unsigned int len;
	uint8_t *mac;
	enum ip_where where;
};

static int take_neighbour(const struct nlmsghdr *nlh, void *data)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);
	const uint8_t *mac = NULL;
	struct search *search = data;
	const struct nlattr *attr;
	bool its = false;

	mnl_attr_for_each(attr, nlh, sizeof(*ndm)) {
		if (mnl_attr_get_type(attr) == NDA_DST)
			its = mnl_attr_get_payload_len(attr) == search->len &&
			      !memcmp(mnl_attr_get_payload(attr), search->ip,
				      search->len);
		else if (mnl_attr_get_type(attr) == NDA_LLADDR &&
			 mnl_attr_get_payload_len(attr) == 6)
			mac = mnl_attr_get_payload(attr);
	}
	if (its && ndm->ndm_state & (NUD_FAILED | NUD_INCOMPLETE)) {
		search->where = IP_WHERE_NOWHERE;
	} else if (its && mac) {
		memcpy(search->mac, mac, 6);
		search->where = IP_WHERE_FOUND;
	}
	return 0;
}

/**
 * ip_where() - where is an address on the wire
 * @ip: address that something was sent to just now
 * @mac: set to the hardware address
 *
 * Return: whether it is known.
 */
enum ip_where ip_where(const uint8_t ip[16], uint8_t mac[6])
{
	const uint8_t *ipv4 = as_ipv4(ip);
	struct search search = { .ip = ipv4 ? ipv4 : ip,
				 .len = ipv4 ? 4 : 16,
				 .mac = mac };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	struct ndmsg *ndm;
	struct nl nl;

	if (nl_open(&nl, NETLINK_ROUTE))
		return IP_WHERE_UNKNOWN;
	nlh = nl_request(&nl, buffer, RTM_GETNEIGH, NLM_F_DUMP);
	ndm = mnl_nlmsg_put_extra_header(nlh, sizeof(*ndm));
	ndm->ndm_family = ipv4 ? AF_INET : AF_INET6;
	nl_talk(&nl, nlh, nlh->nlmsg_len, take_neighbour, &search);
	nl_close(&nl);
	return search.where;
}
