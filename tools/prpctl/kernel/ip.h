/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What IP knows of a host: to be asked where PRP has no answer.
 */
#ifndef _PRPCTL_IP_H
#define _PRPCTL_IP_H

#include <stdint.h>

/* What became of a connection of TCP */
enum ip_state {
	IP_LISTENS, /* somebody listens at the port */
	IP_REFUSES, /* the host is there, nobody listens */
	IP_SILENT, /* nothing came back */
	IP_NO_HOST, /* nobody has that address on the wire */
	IP_ERROR, /* nothing could be sent */
};

/* What ARP, or its like of IPv6, knows of an address */
enum ip_where {
	IP_WHERE_UNKNOWN, /* nothing: perhaps a router is between */
	IP_WHERE_NOWHERE, /* nobody said that he has it */
	IP_WHERE_FOUND, /* at a hardware address */
};

enum ip_state ip_connect(const uint8_t ip[16], uint16_t port, int timeout_ms);
enum ip_where ip_where(const uint8_t ip[16], uint8_t mac[6]);

#endif /* _PRPCTL_IP_H */
