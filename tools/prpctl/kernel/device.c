// SPDX-License-Identifier: GPL-2.0
/*
 * Asks rtnetlink for Ethernet devices.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/device.h"

#include <string.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "kernel/nl.h"

static int take_device(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);
	struct devices *devices = data;
	struct device device = { 0 };
	const struct nlattr *attr;

	if (info->ifi_type != ARPHRD_ETHER || devices->count == DEVICES_MAX)
		return 0;
	mnl_attr_for_each(attr, nlh, sizeof(*info)) {
		if (mnl_attr_get_type(attr) == IFLA_IFNAME)
			strncpy(device.name, mnl_attr_get_str(attr),
				sizeof(device.name) - 1);
		else if (mnl_attr_get_type(attr) == IFLA_ADDRESS &&
			 mnl_attr_get_payload_len(attr) == sizeof(device.mac))
			memcpy(device.mac, mnl_attr_get_payload(attr),
			       sizeof(device.mac));
	}
	devices->device[devices->count++] = device;
	return 0;
}

/**
 * device_fetch() - get the Ethernet devices
 * @devices: filled in
 *
 * Return: 0 or a negative errno.
 */
int device_fetch(struct devices *devices)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	struct nl nl;
	int err;

	devices->count = 0;
	err = nl_open(&nl, NETLINK_ROUTE);
	if (err)
		return err;
	nlh = nl_request(&nl, buffer, RTM_GETLINK, NLM_F_DUMP);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	err = nl_talk(&nl, nlh, nlh->nlmsg_len, take_device, devices);
	nl_close(&nl);
	return err;
}
