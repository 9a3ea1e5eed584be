/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rails, routes, peers, entries of the access list and faults in a line of
 * words.
 */
#ifndef _PRPCTL_DESCRIBE_H
#define _PRPCTL_DESCRIBE_H

#include "hosts/diff.h"
#include "kernel/access.h"
#include "kernel/fault.h"
#include "kernel/peer.h"
#include "kernel/rail.h"
#include "kernel/route.h"
#include "kernel/table.h"

#define DESCRIBE_LEN 1200

/**
 * struct description - a line of words
 * @text: the line
 */
struct description {
	char text[DESCRIBE_LEN];
};

struct description describe_rail(const struct rail *rail);
struct description describe_route(const struct route *route,
				  const struct table *table);
struct description describe_peer(const struct peer *peer,
				 const struct table *table);
struct description describe_difference(const struct difference *difference);
struct description describe_access(const struct access_entry *entry,
				   const struct table *table);
struct description describe_fault(const struct fault *fault,
				  const struct table *table);

#endif /* _PRPCTL_DESCRIBE_H */
