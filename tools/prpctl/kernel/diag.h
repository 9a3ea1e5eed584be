/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets and connections as sock_diag lists them.
 */
#ifndef _PRPCTL_DIAG_H
#define _PRPCTL_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>
#include <linux/prp_diag.h>

/**
 * union diag_address - IP address and port
 * @family: AF_INET, AF_INET6, or 0 if there is none
 * @in: IPv4
 * @in6: IPv6
 */
union diag_address {
	sa_family_t family;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/**
 * struct diag_socket - a socket, or a connection that no socket has
 * @msg: what is said of all
 * @local: its address in the IP mode
 * @peer: address of the other end in the IP mode
 * @has_info: @info is there
 * @info: numbers of its connection
 * @silent_ms: how long what was sent has had no answer, -1 if nothing waits
 */
struct diag_socket {
	struct prp_diag_msg msg;
	union diag_address local;
	union diag_address peer;
	bool has_info;
	struct prp_info info;
	int64_t silent_ms;
};

/* Called for each socket */
typedef void (*diag_found)(const struct diag_socket *socket, void *data);

int diag_fetch(uint32_t states, bool info, diag_found found, void *data);

#endif /* _PRPCTL_DIAG_H */
