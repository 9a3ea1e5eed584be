// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the kernel for the rails of this machine.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/rail.h"

#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

static void take_rail_attr(const struct nlattr *attr, struct rail *rail)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_RAIL_NUMBER:
		rail->number = mnl_attr_get_u8(attr);
		break;
	case PRP_A_RAIL_MAC:
		if (mnl_attr_get_payload_len(attr) == sizeof(rail->mac))
			memcpy(rail->mac, mnl_attr_get_payload(attr),
			       sizeof(rail->mac));
		break;
	case PRP_A_RAIL_IFNAME:
		strncpy(rail->ifname, mnl_attr_get_str(attr),
			sizeof(rail->ifname) - 1);
		break;
	case PRP_A_RAIL_MTU:
		rail->mtu = mnl_attr_get_u32(attr);
		break;
	case PRP_A_RAIL_UP:
		rail->up = true;
		break;
	case PRP_A_RAIL_CARRIER:
		rail->carrier = true;
		break;
	case PRP_A_RAIL_COUNTER:
		if (rail->counters < RAIL_COUNTERS &&
		    counter_take(attr, &rail->counter[rail->counters]))
			rail->counters++;
		break;
	}
}

/**
 * rail_take() - read a rail
 * @nlh: message that tells of it
 * @rail: filled in
 */
void rail_take(const struct nlmsghdr *nlh, struct rail *rail)
{
	const struct nlattr *attr;

	memset(rail, 0, sizeof(*rail));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_rail_attr(attr, rail);
}

/**
 * rail_counter() - what a rail has counted
 * @rail: the rail
 * @name: of a counter
 *
 * Return: its value, 0 if the kernel does not have it.
 */
uint64_t rail_counter(const struct rail *rail, const char *name)
{
	unsigned int i;

	for (i = 0; i < rail->counters; i++)
		if (!strcmp(rail->counter[i].name, name))
			return rail->counter[i].value;
	return 0;
}

/**
 * rail_state() - can a rail carry frames
 * @rail: the rail
 *
 * Return: "up", or in a few words why not.
 */
const char *rail_state(const struct rail *rail)
{
	return !rail->ifname[0] ? "no device" :
	       !rail->up	? "down" :
	       !rail->carrier	? "no carrier" :
				  "up";
}

static int take_rail(const struct nlmsghdr *nlh, void *data)
{
	struct rails *rails = data;

	if (rails->count < PRPHOSTS_RAILS)
		rail_take(nlh, &rails->rail[rails->count++]);
	return 0;
}

/**
 * rail_fetch() - get the rails of this machine
 * @nl: socket
 * @rails: filled in
 *
 * Return: 0 or a negative errno.
 */
int rail_fetch(struct nl *nl, struct rails *rails)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	rails->count = 0;
	nlh = nl_request_genl(nl, buffer, PRP_CMD_RAIL_GET, NLM_F_DUMP);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_rail, rails);
}
