// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the kernel for routes.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/route.h"

#include <errno.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

static void take_attr(const struct nlattr *attr, struct route *route)
{
	switch (mnl_attr_get_type(attr)) {
	case PRP_A_ROUTE_NUMBER:
		route->number = mnl_attr_get_u16(attr);
		break;
	case PRP_A_ROUTE_VIA:
		route->via = mnl_attr_get_u16(attr);
		break;
	case PRP_A_ROUTE_HOPS:
		route->hops = mnl_attr_get_u32(attr);
		break;
	case PRP_A_ROUTE_OVERRIDE:
		route->override = true;
		break;
	case PRP_A_ROUTE_RAIL:
		route->rail = mnl_attr_get_u8(attr);
		break;
	case PRP_A_ROUTE_IFNAME:
		strncpy(route->ifname, mnl_attr_get_str(attr),
			sizeof(route->ifname) - 1);
		break;
	case PRP_A_ROUTE_MTU:
		route->mtu = mnl_attr_get_u32(attr);
		break;
	case PRP_A_ROUTE_ERROR:
		route->error = mnl_attr_get_u32(attr);
		break;
	}
}

/**
 * route_take() - read a route
 * @nlh: message that tells of it
 * @route: filled in
 */
void route_take(const struct nlmsghdr *nlh, struct route *route)
{
	const struct nlattr *attr;

	memset(route, 0, sizeof(*route));
	route->hops = -1;
	route->rail = -1;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		take_attr(attr, route);
}

static int take_one(const struct nlmsghdr *nlh, void *data)
{
	route_take(nlh, data);
	return 0;
}

/**
 * route_fetch() - get the route to a host
 * @nl: socket
 * @number: number of the host
 * @route: filled in
 *
 * Return: 0 or a negative errno.
 */
int route_fetch(struct nl *nl, uint16_t number, struct route *route)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;

	memset(route, 0, sizeof(*route));
	nlh = nl_request_genl(nl, buffer, PRP_CMD_ROUTE_GET, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_ROUTE_NUMBER, number);
	return nl_talk(nl, nlh, nlh->nlmsg_len, take_one, route);
}

/**
 * route_state() - can a frame leave on a route now
 * @route: the route
 *
 * Return: "ok", or in a few words why not.
 */
const char *route_state(const struct route *route)
{
	switch (route->error) {
	case 0:
		return "ok";
	case EHOSTUNREACH:
		return "no way";
	case ENETUNREACH:
		return "no device";
	case ENETDOWN:
		return "device down";
	case ENOLINK:
		return "no carrier";
	default:
		return strerror(route->error);
	}
}
