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
 * union mpipr_addr - address of an endpoint
 * @sa: of any family
 * @prp: AF_PRP
 * @in: AF_INET
 * @half: as it goes into the header of MPIPR_WIRE_HELLO
 */
union mpipr_addr {
	struct sockaddr sa;
	struct sockaddr_prp prp;
	struct sockaddr_in in;
	uint64_t half[2];
};

_Static_assert(sizeof(union mpipr_addr) == 16, "two fields of a header");

#define MPIPR_ADDR_STRLEN 32

int mpipr_addr_own(union mpipr_addr *addr, int family, const char *device);
int mpipr_addr_compare(const union mpipr_addr *a, const union mpipr_addr *b);
bool mpipr_addr_same_node(const union mpipr_addr *a, const union mpipr_addr *b);
bool mpipr_addr_valid(const union mpipr_addr *addr, int family);
bool mpipr_addr_has_port(const union mpipr_addr *addr);
void mpipr_addr_set_port(union mpipr_addr *addr, const union mpipr_addr *from);
uint32_t mpipr_addr_hash(const union mpipr_addr *addr);
const char *mpipr_addr_print(const union mpipr_addr *addr, char *to,
			     size_t room);
int mpipr_addr_parse(union mpipr_addr *addr, int family, const char *node,
		     const char *service);

#endif
