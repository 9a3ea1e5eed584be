// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl dev: the rails of this machine, the EtherType of their frames, and the
 * processors that take them.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <inttypes.h>
#include <stdlib.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/device.h"
#include "prpctl.h"
#include "show/dev_steer.h"
#include "show/fields.h"
#include "show/out.h"

/* ---- show ---- */

/* What PRP moved there */
static void show_moved(const struct rail *rail)
{
	unsigned int i;

	out_object("counters");
	for (i = 0; i < rail->counters; i++)
		out_number(rail->counter[i].name, rail->counter[i].value,
			   OUT_JSON_ONLY);
	out_end();
	out_note("%" PRIu64 " frames (%" PRIu64 " bytes) in, %" PRIu64
		 " frames (%" PRIu64 " bytes) out, %" PRIu64 " segments lost",
		 rail_counter(rail, "frames_in"),
		 rail_counter(rail, "bytes_in"),
		 rail_counter(rail, "frames_out"),
		 rail_counter(rail, "bytes_out"), rail_counter(rail, "lost"));
}

/* What passed, of whatever protocol */
static void show_passed(const struct rail *rail, const struct devices *devices)
{
	const struct device *device = device_named(devices, rail->ifname);

	if (!device) {
		out_null("passed");
		return;
	}
	out_object("passed");
	out_number("frames_in", device->frames_in, OUT_JSON_ONLY);
	out_number("bytes_in", device->bytes_in, OUT_JSON_ONLY);
	out_number("frames_out", device->frames_out, OUT_JSON_ONLY);
	out_number("bytes_out", device->bytes_out, OUT_JSON_ONLY);
	out_end();
	out_note("%" PRIu64 " frames (%" PRIu64 " bytes) in, %" PRIu64
		 " frames (%" PRIu64 " bytes) out, of all protocols",
		 device->frames_in, device->bytes_in, device->frames_out,
		 device->bytes_out);
}

static void show_rails(const struct rails *rails, const struct devices *devices)
{
	static const char *const heads[] = { "RAIL", "ADDRESS", "DEVICE",
					     "MTU",  "STATE",	NULL };
	unsigned int r;

	out_columns_brief(heads, 1U << 0 | 1U << 2 | 1U << 4);
	out_array("rails");
	for (r = 0; r < rails->count; r++) {
		out_object(NULL);
		fields_rail(&rails->rail[r]);
		if (devices) {
			show_moved(&rails->rail[r]);
			show_passed(&rails->rail[r], devices);
		}
		out_end();
	}
	out_end();
	out_columns_end();
}

static int show(struct nl *nl)
{
	struct devices devices = { 0 };
	struct rails rails;
	int err;

	err = rail_fetch(nl, &rails);
	if (err)
		return ask_refused(nl, err, "reading the rails");
	if (options.statistics && device_fetch(&devices))
		out_warn("what passed on devices cannot be read");
	show_rails(&rails, options.statistics ? &devices : NULL);
	device_free(&devices);
	return EXIT_OK;
}

static int dev_show(int argc, char **argv)
{
	return command_ask(argc, argv, show);
}

/* ---- ethertype ---- */

static int show_ethertype(struct nl *nl)
{
	struct table head;
	int err;

	err = table_fetch_head(nl, &head);
	if (err)
		return ask_refused(nl, err, "reading the EtherType");
	out_text("0x%04x\n", head.ethertype);
	out_number("ethertype", head.ethertype, OUT_JSON_ONLY);
	return EXIT_OK;
}

static int set_ethertype(struct nl *nl, uint16_t ethertype)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_ETHERTYPE_SET, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_TABLE_ETHERTYPE, ethertype);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	return err ? ask_refused(nl, err, "changing the EtherType") : EXIT_OK;
}

static int dev_ethertype(int argc, char **argv)
{
	unsigned long value = 0;
	struct nl nl;
	char *end;
	int status;

	if (argc > 1)
		return command_not_understood(argv[1]);
	if (argc) {
		value = strtoul(argv[0], &end, 0);
		if (argv[0][0] < '0' || argv[0][0] > '9' || *end ||
		    value > 0xffff)
			return out_fail(EXIT_SYNTAX,
					"\"%s\" is not in 0x600 to 0xffff",
					argv[0]);
	}
	if (ask_open(&nl))
		return EXIT_KERNEL;
	status = argc ? set_ethertype(&nl, value) : show_ethertype(&nl);
	nl_close(&nl);
	return status;
}

static const struct command commands[] = {
	{ "show", dev_show, "", "print the rails of this machine" },
	{ "ethertype", dev_ethertype, "[VALUE]",
	  "print the EtherType of all frames, or speak another one" },
	{ "steer", dev_steer, "[show | HOW [cpus LIST] [dev DEV]]",
	  "print who takes received frames, or steer: connection, reader, off" },
	{ 0 }
};

/**
 * dev_main() - prpctl dev
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int dev_main(int argc, char **argv)
{
	return command_dispatch(commands, "dev", "show", argc, argv);
}
