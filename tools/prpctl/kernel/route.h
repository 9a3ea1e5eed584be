/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How frames of this machine get to other hosts.
 */
#ifndef _PRPCTL_ROUTE_H
#define _PRPCTL_ROUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <net/if.h>

#include "kernel/nl.h"

/**
 * struct route - the way to a host
 * @number: number of the host
 * @via: number of the next one on the way, 0 if there is no way
 * @hops: links on the way, or -1 if that is not known
 * @override: somebody set it, it does not follow from the links
 * @rail: rail that the next frame would take, or -1
 * @ifname: device of that rail, or an empty string
 * @mtu: its MTU, bytes
 * @error: why a frame could not leave now, an errno, or 0
 */
struct route {
	uint16_t number;
	uint16_t via;
	int hops;
	bool override;
	int rail;
	char ifname[IF_NAMESIZE];
	uint32_t mtu;
	int error;
};

void route_take(const struct nlmsghdr *nlh, struct route *route);
int route_fetch(struct nl *nl, uint16_t number, struct route *route);
const char *route_state(const struct route *route);

#endif /* _PRPCTL_ROUTE_H */
