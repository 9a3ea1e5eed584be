/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What prpctl hosts says of a file that was set up.
 */
#ifndef _PRPCTL_HOSTS_REPORT_H
#define _PRPCTL_HOSTS_REPORT_H

#include <stdint.h>

#include "hosts/diff.h"
#include "hosts/parse.h"
#include "kernel/device.h"
#include "kernel/nl.h"
#include "kernel/rail.h"

void report_counts(const struct prphosts *hosts, const struct diff *diff);
void report_ended(uint32_t ended);
void report_others(const struct prphosts *hosts, const struct devices *devices,
		   uint16_t self);
void report_vlans(const struct rails *rails, const struct devices *devices);
int report_self(struct nl *nl, const struct prphosts *hosts);

#endif /* _PRPCTL_HOSTS_REPORT_H */
