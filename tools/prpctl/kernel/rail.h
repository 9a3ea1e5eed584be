/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rails that the kernel's host table gives this machine.
 */
#ifndef _PRPCTL_RAIL_H
#define _PRPCTL_RAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <net/if.h>

#include "hosts/parse.h"
#include "kernel/counters.h"
#include "kernel/nl.h"

#define RAIL_COUNTERS 8 /* that a rail may have */

/**
 * struct rail - a rail of this machine
 * @number: 0 to PRPHOSTS_RAILS - 1
 * @mac: address that the table gives this machine there
 * @ifname: device with the address, or an empty string
 * @mtu: its MTU, bytes
 * @up: the device is up
 * @carrier: the device has a link
 * @counter: what it has counted
 * @counters: how many
 */
struct rail {
	unsigned int number;
	uint8_t mac[6];
	char ifname[IF_NAMESIZE];
	uint32_t mtu;
	bool up;
	bool carrier;
	struct counter counter[RAIL_COUNTERS];
	unsigned int counters;
};

/**
 * struct rails - all of them
 * @rail: rails, sorted by number
 * @count: how many
 */
struct rails {
	struct rail rail[PRPHOSTS_RAILS];
	unsigned int count;
};

void rail_take(const struct nlmsghdr *nlh, struct rail *rail);
uint64_t rail_counter(const struct rail *rail, const char *name);
const char *rail_state(const struct rail *rail);
int rail_fetch(struct nl *nl, struct rails *rails);

#endif /* _PRPCTL_RAIL_H */
