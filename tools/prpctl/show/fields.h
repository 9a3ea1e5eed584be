/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rails, routes, peers, entries of the access list and faults as fields of an
 * object of the JSON, and as cells of a row where a list was begun.
 */
#ifndef _PRPCTL_FIELDS_H
#define _PRPCTL_FIELDS_H

#include "kernel/access.h"
#include "kernel/fault.h"
#include "kernel/peer.h"
#include "kernel/rail.h"
#include "kernel/route.h"
#include "kernel/table.h"

void fields_rail(const struct rail *rail);
void fields_route(const struct route *route, const struct table *table);
void fields_peer(const struct peer *peer, const struct table *table);
void fields_access(const struct access_entry *entry, const struct table *table);
void fields_access_hits(const struct access_entry *entry);
void fields_fault(const struct fault *fault, const struct table *table);
void fields_fault_done(const struct fault *fault);

#endif /* _PRPCTL_FIELDS_H */
