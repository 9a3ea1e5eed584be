// SPDX-License-Identifier: GPL-2.0
/*
 * Asks rtnetlink for Ethernet devices.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/device.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "kernel/nl.h"

#define FETCH_TRIES 20 /* until they stand still */

static int append(struct devices *devices, const struct device *device)
{
	struct device *bigger;

	if (devices->count == devices->room) {
		devices->room = devices->room ? devices->room * 2 : 64;
		bigger = reallocarray(devices->device, devices->room,
				      sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		devices->device = bigger;
	}
	devices->device[devices->count++] = *device;
	return 0;
}

/* An older kernel's structure may be shorter. */
static void take_stats(const struct nlattr *attr, struct device *device)
{
	struct rtnl_link_stats64 stats = { 0 };
	size_t has = mnl_attr_get_payload_len(attr);

	memcpy(&stats, mnl_attr_get_payload(attr),
	       has < sizeof(stats) ? has : sizeof(stats));
	device->frames_in = stats.rx_packets;
	device->frames_out = stats.tx_packets;
	device->bytes_in = stats.rx_bytes;
	device->bytes_out = stats.tx_bytes;
}

static bool is_vlan(const struct nlattr *info)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, info)
		if (mnl_attr_get_type(attr) == IFLA_INFO_KIND)
			return !strcmp(mnl_attr_get_str(attr), "vlan");
	return false;
}

static int take_device(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);
	struct devices *devices = data;
	struct device device = { .index = info->ifi_index };
	const struct nlattr *attr;
	bool vlan = false, elsewhere = false;

	if (info->ifi_type != ARPHRD_ETHER)
		return 0;
	mnl_attr_for_each(attr, nlh, sizeof(*info)) {
		if (mnl_attr_get_type(attr) == IFLA_IFNAME)
			strncpy(device.name, mnl_attr_get_str(attr),
				sizeof(device.name) - 1);
		else if (mnl_attr_get_type(attr) == IFLA_ADDRESS &&
			 mnl_attr_get_payload_len(attr) == sizeof(device.mac))
			memcpy(device.mac, mnl_attr_get_payload(attr),
			       sizeof(device.mac));
		else if (mnl_attr_get_type(attr) == IFLA_STATS64)
			take_stats(attr, &device);
		else if (mnl_attr_get_type(attr) == IFLA_LINK)
			device.parent = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == IFLA_LINK_NETNSID)
			elsewhere = true;
		else if (mnl_attr_get_type(attr) == IFLA_LINKINFO)
			vlan = is_vlan(attr);
	}
	if (!vlan || elsewhere)
		device.parent = 0;
	return append(devices, &device);
}

static int compare(const void *left, const void *right)
{
	const struct device *a = left, *b = right;

	return memcmp(a->mac, b->mac, sizeof(a->mac));
}

/**
 * device_fetch() - get the Ethernet devices
 * @devices: filled in; device_free() it whatever this returns
 *
 * Return: 0 or a negative errno; -EINTR if they change all the time.
 */
int device_fetch(struct devices *devices)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int tries, err;
	struct nl nl;

	memset(devices, 0, sizeof(*devices));
	err = nl_open(&nl, NETLINK_ROUTE);
	if (err)
		return err;
	for (tries = 0; tries < FETCH_TRIES; tries++) {
		devices->count = 0;
		nlh = nl_request(&nl, buffer, RTM_GETLINK, NLM_F_DUMP);
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
		err = nl_talk(&nl, nlh, nlh->nlmsg_len, take_device, devices);
		if (err != -EINTR)
			break;
	}
	nl_close(&nl);
	if (devices->count)
		qsort(devices->device, devices->count, sizeof(struct device),
		      compare);
	return err;
}

/**
 * device_free() - free what device_fetch() allocated
 * @devices: what it filled in
 */
void device_free(struct devices *devices)
{
	free(devices->device);
	memset(devices, 0, sizeof(*devices));
}

/**
 * device_named() - find a device by its name
 * @devices: devices
 * @name: the name
 *
 * Return: the device, or NULL.
 */
const struct device *device_named(const struct devices *devices,
				  const char *name)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!strcmp(devices->device[i].name, name))
			return &devices->device[i];
	return NULL;
}

/**
 * device_parent() - find the device that a VLAN is of
 * @devices: devices
 * @vlan: a device
 *
 * Return: the device; NULL if @vlan is none, or is one of another network
 * namespace's device.
 */
const struct device *device_parent(const struct devices *devices,
				   const struct device *vlan)
{
	size_t i;

	for (i = 0; vlan->parent && i < devices->count; i++)
		if (devices->device[i].index == vlan->parent)
			return &devices->device[i];
	return NULL;
}

/**
 * device_find() - find a device by its hardware address
 * @devices: devices
 * @mac: the address
 *
 * Return: one that has it, or NULL.
 */
const struct device *device_find(const struct devices *devices,
				 const uint8_t mac[6])
{
	struct device key = { 0 };

	memcpy(key.mac, mac, sizeof(key.mac));
	return devices->count ? bsearch(&key, devices->device, devices->count,
					sizeof(key), compare) :
				NULL;
}
