// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts: what is said of a file that was set up.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/hosts_report.h"

#include <stdio.h>
#include <string.h>

#include "hosts/self.h"
#include "kernel/ask.h"
#include "kernel/device.h"
#include "kernel/netns.h"
#include "kernel/rail.h"
#include "kernel/table.h"
#include "show/out.h"
#include "show/print.h"

static const struct prphosts_node *find_number(const struct prphosts *hosts,
					       uint16_t number)
{
	size_t i;

	for (i = 0; i < hosts->nodes; i++)
		if (hosts->node[i].number == number)
			return &hosts->node[i];
	return NULL;
}

static void warn_lost(const struct devices *devices)
{
	char list[SELF_LIST_LEN];

	out_warn("no device of this machine has a hardware address of the file; looked at: %s",
		 self_list(devices, list));
}

/* Of a rail that has no device though there is one, a lower one has its bridge.
 */
static void warn_rail(const struct rail *rail, const struct devices *devices)
{
	const struct device *port = device_find(devices, rail->mac);
	char mac[MAC_LEN];

	if (!rail->ifname[0] && port)
		out_warn("rail %u: %s is a port of a bridge that is a lower rail",
			 rail->number, port->name);
	else if (!rail->ifname[0])
		out_warn("rail %u: no device has its hardware address %s",
			 rail->number, print_mac(mac, rail->mac));
	else if (!rail->up)
		out_warn("rail %u: %s is down: ip %s%s%slink set %s up",
			 rail->number, rail->ifname, netns_name ? "-n " : "",
			 netns_name ? netns_name : "", netns_name ? " " : "",
			 rail->ifname);
	else if (!rail->carrier)
		out_warn("rail %u: %s has no link", rail->number, rail->ifname);
}

/**
 * report_others() - warn of addresses here that belong to other hosts
 * @hosts: the file
 * @devices: devices of this machine
 * @self: number of this machine
 *
 * The host of virtual machines may have devices with their addresses, and may
 * be taken for one of them.
 */
void report_others(const struct prphosts *hosts, const struct devices *devices,
		   uint16_t self)
{
	const struct device *device;
	unsigned int r;
	size_t i;

	for (i = 0; i < hosts->nodes; i++) {
		const struct prphosts_node *node = &hosts->node[i];

		for (r = 0; node->number != self && node->rails >> r; r++) {
			device = node->rails & 1 << r ?
					 device_find(devices, node->addr[r]) :
					 NULL;
			if (device)
				out_warn("%s has an address of node %u (%s), too",
					 device->name, node->number,
					 node->name);
		}
	}
}

static void warn_vlan(const struct rail *rail, const struct device *vlan,
		      const struct device *parent)
{
	const char *name = vlan->name;

	if (!strcmp(rail->ifname, name))
		out_warn("rail %u: %s, a VLAN of %s, has the same hardware address as %s, and is the rail: frames are tagged. If they shall not be, give %s an address of its own",
			 rail->number, name, parent->name, parent->name, name);
	else
		out_warn("rail %u: %s, a VLAN of %s, has the same hardware address as %s, and may become the rail: give %s an address of its own",
			 rail->number, name, parent->name, parent->name, name);
}

/**
 * report_vlans() - warn of VLANs that have a rail's address from their parent
 * @rails: rails of this machine
 * @devices: its devices
 *
 * Both have it, and who has added the VLAN need not know that the rail has
 * moved onto it.
 */
void report_vlans(const struct rails *rails, const struct devices *devices)
{
	const struct device *device, *parent;
	unsigned int r;
	size_t i;

	for (r = 0; r < rails->count; r++) {
		const struct rail *rail = &rails->rail[r];

		for (i = 0; i < devices->count; i++) {
			device = &devices->device[i];
			parent = device_parent(devices, device);
			if (parent && !memcmp(device->mac, rail->mac, 6) &&
			    !memcmp(parent->mac, rail->mac, 6))
				warn_vlan(rail, device, parent);
		}
	}
}

static void show_self(const struct prphosts_node *self,
		      const struct rails *rails)
{
	const struct rail *rail = rails->rail;
	unsigned int r, shown = 0;

	if (!self) {
		out_null("self");
		out_text("; this machine is none of them");
		return;
	}
	out_text("; this is node %u (%s)", self->number, self->name);
	out_object("self");
	out_number("number", self->number, OUT_JSON_ONLY);
	out_string("name", self->name, OUT_JSON_ONLY);
	out_array("devices");
	for (r = 0; r < rails->count; r++) {
		if (!rail[r].ifname[0])
			continue;
		out_text("%s%s", shown++ ? ", " : " on ", rail[r].ifname);
		out_string(NULL, rail[r].ifname, OUT_JSON_ONLY);
	}
	out_end();
	out_end();
}

static void show_count(const char *key, size_t count, unsigned int *shown)
{
	out_number(key, count, OUT_JSON_ONLY);
	if (count)
		out_text("%s%zu %s", (*shown)++ ? ", " : " ", count, key);
}

static void show_link_count(const char *what, size_t count, unsigned int *shown)
{
	char key[32];

	snprintf(key, sizeof(key), "links_%s", what);
	out_number(key, count, OUT_JSON_ONLY);
	if (count)
		out_text("%s%zu link%s %s", (*shown)++ ? ", " : " ", count,
			 count == 1 ? "" : "s", what);
}

/**
 * report_counts() - say in one line what is not the same
 * @hosts: the file
 * @diff: what the kernel's host table has otherwise
 */
void report_counts(const struct prphosts *hosts, const struct diff *diff)
{
	unsigned int shown = 0;

	out_text("%zu host%s", hosts->nodes, hosts->nodes == 1 ? "" : "s");
	out_number("hosts", hosts->nodes, OUT_JSON_ONLY);
	if (hosts->links)
		out_text(", %zu link%s", hosts->links,
			 hosts->links == 1 ? "" : "s");
	out_number("links", hosts->links, OUT_JSON_ONLY);
	out_text(":");
	if (!diff->entries && !diff->links)
		out_text(" unchanged");
	if (diff->entries || diff->links || out_is_json()) {
		show_count("unchanged", diff->unchanged, &shown);
		show_count("added", diff->added, &shown);
		show_count("changed", diff->changed, &shown);
		show_count("removed", diff->removed, &shown);
		show_link_count("added", diff->links_added, &shown);
		show_link_count("removed", diff->links_removed, &shown);
	}
}

/**
 * report_ended() - say how many connections ended
 * @ended: how many
 */
void report_ended(uint32_t ended)
{
	out_number("ended", ended, OUT_JSON_ONLY);
	if (ended)
		out_text("; %u connection%s ended", ended,
			 ended == 1 ? "" : "s");
}

/**
 * report_self() - say which host this machine is
 * @nl: socket
 * @hosts: the file that is in force
 *
 * And warn where the file and the devices of the machine do not agree. Ends
 * the line.
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int report_self(struct nl *nl, const struct prphosts *hosts)
{
	const struct prphosts_node *self;
	struct devices devices;
	struct table head;
	struct rails rails;
	unsigned int r;
	int err;

	err = table_fetch_head(nl, &head);
	if (!err)
		err = rail_fetch(nl, &rails);
	if (err)
		return ask_refused(nl, err, "reading the host table");
	out_number("generation", head.generation, OUT_JSON_ONLY);
	self = find_number(hosts, head.self);
	show_self(self, &rails);
	out_text("\n");
	err = device_fetch(&devices);
	for (r = 0; self && r < rails.count; r++)
		warn_rail(&rails.rail[r], &devices);
	if (!err) {
		if (!self && hosts->nodes)
			warn_lost(&devices);
		report_vlans(&rails, &devices);
		report_others(hosts, &devices, head.self);
	}
	device_free(&devices);
	return EXIT_OK;
}
