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
 * @index: its number
 * @parent: the number of the device here that it is a VLAN of, or 0
 * @frames_in: frames received, of whatever protocol
 * @frames_out: frames sent
 * @bytes_in: bytes of these
 * @bytes_out: bytes of those
 */
struct device {
	char name[IF_NAMESIZE];
	uint8_t mac[6];
	uint32_t index;
	uint32_t parent;
	uint64_t frames_in;
	uint64_t frames_out;
	uint64_t bytes_in;
	uint64_t bytes_out;
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
const struct device *device_named(const struct devices *devices,
				  const char *name);
const struct device *device_parent(const struct devices *devices,
				   const struct device *vlan);
const struct device *device_find(const struct devices *devices,
				 const uint8_t mac[6]);

#endif /* _PRPCTL_DEVICE_H */
