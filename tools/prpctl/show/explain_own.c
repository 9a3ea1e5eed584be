// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl explain: what this machine knows without asking the host.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <string.h>

#include "show/explain.h"

/**
 * explain_own() - judge by the host table
 * @x: what was found out
 *
 * Return: whether there is a verdict.
 */
bool explain_own(struct explain *x)
{
	if (!x->node) {
		decide(x, "unknown", "\"%s\" is not in the host table",
		       x->word);
		advise(x, "prpctl hosts setup, with a file that has it");
	} else if (!x->table.self) {
		decide(x, "not-a-node",
		       "this machine is not in the host table: no device has a hardware address of it");
		advise(x, "ip -br link, and compare with prpctl hosts");
	} else if (x->node->number == x->table.self && !x->port) {
		decide(x, "self", "%s is this machine", x->node->name);
		x->reachable = true;
	} else {
		return false;
	}
	return true;
}

static void no_way(struct explain *x)
{
	if (x->table.links)
		decide(x, "no-way", "no links lead to %s", x->node->name);
	else
		decide(x, "no-way",
		       "%s and this machine have no rail in common",
		       x->node->name);
	advise(x, "prpctl hosts");
}

/* A device on a rail of a host, or "DEV" */
static const char *device_to(const struct explain *x,
			     const struct prphosts_node *node)
{
	unsigned int r;

	for (r = 0; node && r < x->rails.count; r++)
		if (node->rails & 1 << x->rails.rail[r].number &&
		    x->rails.rail[r].ifname[0])
			return x->rails.rail[r].ifname;
	return "DEV";
}

/**
 * explain_route() - judge by the way that frames take
 * @x: what was found out, with the route
 *
 * Return: whether there is a verdict.
 */
bool explain_route(struct explain *x)
{
	const struct prphosts_node *next = x->node;

	if (x->route.via)
		next = table_node(&x->table, x->route.via);
	/* without a next node no device would help */
	switch (x->route.error && !x->route.via ? EHOSTUNREACH :
						  x->route.error) {
	case 0:
		return false;
	case EHOSTUNREACH:
		no_way(x);
		break;
	case ENETUNREACH:
		decide(x, "no-device",
		       "no device of this machine is on a rail of %s",
		       next->name);
		advise(x, "ip -br link, and compare with prpctl dev");
		break;
	case ENETDOWN:
		decide(x, "device-down", "no device on a rail of %s is up",
		       next->name);
		advise(x, "ip link set %s up", device_to(x, next));
		break;
	case ENOLINK:
		decide(x, "no-carrier",
		       "no device on a rail of %s has a carrier", next->name);
		advise(x, "look at the cable of %s, and its other end",
		       device_to(x, next));
		break;
	default:
		decide(x, "no-way", "no frame can leave for %s: %s",
		       x->node->name, strerror(x->route.error));
		break;
	}
	return true;
}
