// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Addresses of endpoints: this machine's, compared, printed, read. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addr.h"

static int own_prp(union mpipr_addr *addr)
{
	socklen_t len = sizeof(uint32_t);
	uint32_t number;
	int fd, err = 0;

	fd = socket(AF_PRP, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (getsockopt(fd, SOL_PRP, PRP_NODE, &number, &len))
		err = -errno;
	close(fd);
	addr->prp.sprp_addr = htons(number);
	return err;
}

/* The first address that is up and not loopback's, else loopback's */
static int own_inet(union mpipr_addr *addr, const char *device)
{
	struct ifaddrs *all, *at;
	int err = device ? -ENODEV : 0;

	addr->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (getifaddrs(&all))
		return -errno;
	for (at = all; at; at = at->ifa_next) {
		if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET ||
		    !(at->ifa_flags & IFF_UP))
			continue;
		if (device && strcmp(device, at->ifa_name))
			continue;
		if (!device && at->ifa_flags & IFF_LOOPBACK)
			continue;
		memcpy(&addr->in.sin_addr,
		       &((struct sockaddr_in *)at->ifa_addr)->sin_addr,
		       sizeof(addr->in.sin_addr));
		err = 0;
		break;
	}
	freeifaddrs(all);
	return err;
}

/**
 * mpipr_addr_own() - find this machine's address
 * @addr: set to it, port 0
 * @family: AF_PRP or AF_INET
 * @device: for AF_INET: the network device whose address it is, or NULL
 *
 * Return: 0, or of AF_PRP -EAFNOSUPPORT without the module, -ENOENT without
 *	a host table, -EADDRNOTAVAIL if it does not have this machine; of
 *	AF_INET -ENODEV.
 */
int mpipr_addr_own(union mpipr_addr *addr, int family, const char *device)
{
	memset(addr, 0, sizeof(*addr));
	addr->sa.sa_family = family;
	return family == AF_PRP ? own_prp(addr) : own_inet(addr, device);
}

/**
 * mpipr_addr_compare() - order addresses of one family
 * @a: one
 * @b: other one
 *
 * Return: below 0, 0 or above 0; the same on all machines.
 */
int mpipr_addr_compare(const union mpipr_addr *a, const union mpipr_addr *b)
{
	return memcmp(a, b, sizeof(*a));
}

/**
 * mpipr_addr_same_node() - whether two addresses differ in the port at most
 * @a: one
 * @b: other one
 *
 * Return: whether they do.
 */
bool mpipr_addr_same_node(const union mpipr_addr *a, const union mpipr_addr *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	return a->sa.sa_family == AF_PRP ?
		       a->prp.sprp_addr == b->prp.sprp_addr :
		       a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
}

/**
 * mpipr_addr_valid() - check an address that came from elsewhere
 * @addr: address
 * @family: the only one that is right
 *
 * Return: whether it is one of a node; it may have no port.
 */
bool mpipr_addr_valid(const union mpipr_addr *addr, int family)
{
	if (addr->sa.sa_family != family || addr->half[1])
		return false;
	return family == AF_PRP ? addr->prp.sprp_addr && !addr->prp.sprp_net :
				  addr->in.sin_addr.s_addr;
}

/**
 * mpipr_addr_has_port() - whether an endpoint can be at an address
 * @addr: address
 *
 * Return: whether it has a port.
 */
bool mpipr_addr_has_port(const union mpipr_addr *addr)
{
	return addr->sa.sa_family == AF_PRP ? addr->prp.sprp_port :
					      addr->in.sin_port;
}

/**
 * mpipr_addr_hash() - for hash tables
 * @addr: address
 *
 * Return: a number that addresses which differ seldom have in common.
 */
uint32_t mpipr_addr_hash(const union mpipr_addr *addr)
{
	/* The golden ratio's bits, as everywhere (Knuth, volume 3, 6.4) */
	return (addr->half[0] * 0x9e3779b97f4a7c15ull) >> 32;
}

/**
 * mpipr_addr_print() - print an address
 * @addr: address
 * @to: where to
 * @room: bytes there; MPIPR_ADDR_STRLEN is enough
 *
 * Return: @to.
 */
const char *mpipr_addr_print(const union mpipr_addr *addr, char *to,
			     size_t room)
{
	char ip[INET_ADDRSTRLEN];

	if (addr->sa.sa_family == AF_PRP)
		snprintf(to, room, "prp:%u:%u", ntohs(addr->prp.sprp_addr),
			 ntohs(addr->prp.sprp_port));
	else
		snprintf(to, room, "tcp:%s:%u",
			 inet_ntop(AF_INET, &addr->in.sin_addr, ip, sizeof(ip)),
			 ntohs(addr->in.sin_port));
	return to;
}

static int parse_number(const char *text, unsigned long max, uint16_t *value)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || number > max)
		return -EINVAL;
	*value = htons(number);
	return 0;
}

/**
 * mpipr_addr_parse() - read an address
 * @addr: set to it
 * @family: AF_PRP or AF_INET
 * @node: number of a node or IPv4 address, or NULL for none
 * @service: port, or NULL for 0
 *
 * Return: 0 or -EINVAL.
 */
int mpipr_addr_parse(union mpipr_addr *addr, int family, const char *node,
		     const char *service)
{
	bool prp = family == AF_PRP;

	memset(addr, 0, sizeof(*addr));
	addr->sa.sa_family = family;
	if (service &&
	    parse_number(service, UINT16_MAX,
			 prp ? &addr->prp.sprp_port : &addr->in.sin_port))
		return -EINVAL;
	if (!node)
		return 0;
	if (prp)
		return parse_number(node, PRP_NODE_MAX, &addr->prp.sprp_addr);
	return inet_pton(AF_INET, node, &addr->in.sin_addr) == 1 ? 0 : -EINVAL;
}

/**
 * mpipr_addr_set_port() - take over the port of another address
 * @addr: address
 * @from: the other one, of the same family
 */
void mpipr_addr_set_port(union mpipr_addr *addr, const union mpipr_addr *from)
{
	if (addr->sa.sa_family == AF_PRP)
		addr->prp.sprp_port = from->prp.sprp_port;
	else
		addr->in.sin_port = from->in.sin_port;
}
