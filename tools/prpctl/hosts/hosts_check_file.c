// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl hosts check FILE: is a file good, and which host of it is this
 * machine. The kernel need not know PRP.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "hosts/hosts_check_file.h"

#include <errno.h>
#include <string.h>

#include "hosts/file.h"
#include "hosts/hosts_report.h"
#include "hosts/self.h"
#include "show/out.h"
#include "show/print.h"

static void show_rails(const struct prphosts_node *self,
		       const struct devices *devices)
{
	unsigned int r, shown = 0;
	char mac[MAC_LEN];

	out_array("rails");
	for (r = 0; self->rails >> r; r++) {
		if (!(self->rails & 1 << r))
			continue;
		if (!device_find(devices, self->addr[r])) {
			out_warn("rail %u: no device has its hardware address %s",
				 r, print_mac(mac, self->addr[r]));
			continue;
		}
		out_text("%s %u", shown++ ? "," : " on rail", r);
		out_number(NULL, r, OUT_JSON_ONLY);
	}
	out_end();
}

static void show_self(const struct prphosts_node *self,
		      const struct devices *devices)
{
	if (!self) {
		out_null("self");
		out_text("; this machine is none of them");
		return;
	}
	out_object("self");
	out_number("number", self->number, OUT_JSON_ONLY);
	out_string("name", self->name, OUT_JSON_ONLY);
	out_text("; this is node %u (%s)", self->number, self->name);
	show_rails(self, devices);
	out_end();
}

static int show(const struct prphosts *hosts)
{
	const struct prphosts_node *self;
	struct devices devices;
	int err;

	err = device_fetch(&devices);
	if (err) {
		device_free(&devices);
		return out_fail(EXIT_KERNEL, "reading the devices: %s",
				strerror(-err));
	}
	self = self_find(hosts, &devices);
	out_number("hosts", hosts->nodes, OUT_JSON_ONLY);
	out_number("links", hosts->links, OUT_JSON_ONLY);
	out_text("%zu host%s, %zu link%s", hosts->nodes,
		 hosts->nodes == 1 ? "" : "s", hosts->links,
		 hosts->links == 1 ? "" : "s");
	show_self(self, &devices);
	out_text("\n");
	if (self)
		report_others(hosts, &devices, self->number);
	device_free(&devices);
	return EXIT_OK;
}

/**
 * hosts_check_file() - prpctl hosts check FILE
 * @path: the file
 *
 * Return: exit status.
 */
int hosts_check_file(const char *path)
{
	struct prphosts hosts = { 0 };
	int status;

	status = file_load(path, &hosts);
	if (!status)
		status = show(&hosts);
	prphosts_free(&hosts);
	return status;
}
