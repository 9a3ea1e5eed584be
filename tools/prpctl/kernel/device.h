/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Ethernet devices of this network namespace, to find this machine in a
 * file, and to tell an administrator which ones were looked at.
 */
#ifndef _PRPCTL_DEVICE_H
#define _PRPCTL_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

/**
 * struct device - an Ethernet device
 * @name: its name
 * @mac: its hardware address
 */
struct device {
	char name[IF_NAMESIZE];
	uint8_t mac[6];
};

/**
 * struct devices - all of them
 * @device: devices, sorted by address
 * @count: how many
 * @room: how many @device has memory for
 */
struct devices {
	struct device *device;
	size_t count;
	size_t room;
};

int device_fetch(struct devices *devices);
void device_free(struct devices *devices);
const struct device *device_find(const struct devices *devices,
				 const uint8_t mac[6]);

#endif /* _PRPCTL_DEVICE_H */
