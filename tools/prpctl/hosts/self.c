// SPDX-License-Identifier: GPL-2.0
/*
 * Finds this machine in a host file, by the hardware addresses of its devices.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/self.h"

#include <stdio.h>
#include <string.h>

#include "show/print.h"

/**
 * self_find() - which host of a file this machine is
 * @hosts: the file
 * @devices: devices of this machine
 *
 * Return: the first host that has an address of one, or NULL.
 */
const struct prphosts_node *self_find(const struct prphosts *hosts,
				      const struct devices *devices)
{
	unsigned int r;
	size_t i;

	for (i = 0; i < hosts->nodes; i++)
		for (r = 0; hosts->node[i].rails >> r; r++)
			if (hosts->node[i].rails & 1 << r &&
			    device_find(devices, hosts->node[i].addr[r]))
				return &hosts->node[i];
	return NULL;
}

/**
 * self_stays() - would this machine stay the host that it is, though none of
 * its devices is there
 * @table: the kernel's host table
 * @hosts: the file
 *
 * Return: whether it would: the host has an address there that it has now.
 */
bool self_stays(const struct table *table, const struct prphosts *hosts)
{
	const struct prphosts_node *was = table_node(table, table->self);
	unsigned int r, s;
	size_t i;

	for (i = 0; was && i < hosts->nodes; i++) {
		const struct prphosts_node *is = &hosts->node[i];

		for (r = 0; was->number == is->number && was->rails >> r; r++)
			for (s = 0; is->rails >> s; s++)
				if (was->rails & 1 << r && is->rails & 1 << s &&
				    !memcmp(was->addr[r], is->addr[s], 6))
					return true;
	}
	return false;
}

/**
 * self_list() - which devices were looked at
 * @devices: devices of this machine
 * @list: where to
 *
 * Return: @list: those for which there is room, with their addresses.
 */
const char *self_list(const struct devices *devices, char list[SELF_LIST_LEN])
{
	char mac[MAC_LEN];
	size_t i, len;

	len = snprintf(list, SELF_LIST_LEN, "%s",
		       devices->count ? "" :
					"none, there is no Ethernet device");
	for (i = 0; i < devices->count && len < SELF_LIST_LEN; i++)
		len += snprintf(list + len, SELF_LIST_LEN - len, "%s%s (%s)",
				i ? ", " : "", devices->device[i].name,
				print_mac(mac, devices->device[i].mac));
	return list;
}
