/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Talking netlink: requests, answers, dumps, and the kernel's own words
 * when it refuses.
 */
#ifndef _PRPCTL_NL_H
#define _PRPCTL_NL_H

#include <stddef.h>
#include <stdint.h>
#include <libmnl/libmnl.h>

#define NL_REQUEST_LEN 4096 /* room that one request needs at most */

/**
 * struct nl - a netlink socket
 * @sock: the socket
 * @portid: its address
 * @seq: number of the request that was built last
 * @family: message type of the generic netlink family
 * @events: its multicast group PRP_MCGRP_EVENTS
 * @connections: its multicast group PRP_MCGRP_CONNECTIONS
 * @refused: number of the request that failed first
 * @text: the kernel's text about that, or an empty string
 */
struct nl {
	struct mnl_socket *sock;
	unsigned int portid;
	unsigned int seq;
	uint16_t family;
	uint32_t events;
	uint32_t connections;
	unsigned int refused;
	char text[256];
};

/* Called for each message of an answer. Return: 0 or a negative errno. */
typedef int (*nl_message)(const struct nlmsghdr *nlh, void *data);

int nl_open(struct nl *nl, int bus);
int nl_open_prp(struct nl *nl);
void nl_close(struct nl *nl);
struct nlmsghdr *nl_request(struct nl *nl, void *buffer, uint16_t type,
			    uint16_t flags);
struct nlmsghdr *nl_request_genl(struct nl *nl, void *buffer, uint8_t command,
				 uint16_t flags);
int nl_listen(struct nl *nl, uint32_t group);
int nl_receive(struct nl *nl, nl_message message, void *data);
int nl_talk(struct nl *nl, const void *requests, size_t len, nl_message message,
	    void *data);

#endif /* _PRPCTL_NL_H */
