/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Ethernet devices of this network namespace, to tell an administrator
 * which ones were looked at.
 */
#ifndef _PRPCTL_LINK_H
#define _PRPCTL_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

#define LINKS_MAX	64	/* more are of no help to a reader */

/**
 * struct link_device - an Ethernet device
 * @name: its name
 * @mac: its hardware address
 */
struct link_device {
	char	name[IF_NAMESIZE];
	uint8_t	mac[6];
};

/**
 * struct link_devices - the first LINKS_MAX of them
 * @device: devices
 * @count: how many
 */
struct link_devices {
	struct link_device	device[LINKS_MAX];
	size_t			count;
};

int link_fetch(struct link_devices *devices);

#endif /* _PRPCTL_LINK_H */
