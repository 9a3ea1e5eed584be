/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Addresses of endpoints: the node and port where an endpoint listens, over
 * PRP or, to compare, over TCP. Both are 16 bytes.
 */
#ifndef MPIPR_ADDR_H
#define MPIPR_ADDR_H

#include <linux/prp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/**
 * union prp_addr - address of an endpoint
 * @sa: of any family
 * @prp: AF_PRP
 * @in: AF_INET
 * @half: as it goes into the header of PRP_WIRE_HELLO
 */
union prp_addr {
	struct sockaddr sa;
	struct sockaddr_prp prp;
	struct sockaddr_in in;
	uint64_t half[2];
};

_Static_assert(sizeof(union prp_addr) == 16, "two fields of a header");

#define PRP_ADDR_STRLEN 32

int prp_addr_own(union prp_addr *addr, int family, const char *device);
int prp_addr_compare(const union prp_addr *a, const union prp_addr *b);
bool prp_addr_same_node(const union prp_addr *a, const union prp_addr *b);
bool prp_addr_valid(const union prp_addr *addr, int family);
void prp_addr_set_port(union prp_addr *addr, const union prp_addr *from);
uint32_t prp_addr_hash(const union prp_addr *addr);
const char *prp_addr_print(const union prp_addr *addr, char *to, size_t room);
int prp_addr_parse(union prp_addr *addr, int family, const char *node,
		   const char *service);

#endif
