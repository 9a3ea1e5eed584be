/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Ethernet devices of this network namespace, to tell an administrator
 * which ones were looked at.
 */
#ifndef _PRPCTL_DEVICE_H
#define _PRPCTL_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

#define DEVICES_MAX 64 /* more are of no help to a reader */

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
 * struct devices - the first DEVICES_MAX of them
 * @device: devices
 * @count: how many
 */
struct devices {
	struct device device[DEVICES_MAX];
	size_t count;
};

int device_fetch(struct devices *devices);

#endif /* _PRPCTL_DEVICE_H */
