/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Discovery: who says on a device that he is there, and what this machine says.
 */
#ifndef _PRPCTL_DISCOVER_H
#define _PRPCTL_DISCOVER_H

#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

#include "kernel/nl.h"

#define DISCOVER_TEXT 512 /* with its final zero */

/* What a machine says, and the device or hardware address it says it on or from
 */
typedef void (*discover_took)(const char *where, const char *text, void *data);

int discover_on(struct nl *nl, unsigned int ifindex, const char *text);
int discover_off(struct nl *nl, unsigned int ifindex);
int discover_fetch(struct nl *nl, discover_took took, void *data);
int discover_line(char text[DISCOVER_TEXT], const char *name,
		  const char *const *ifname, size_t count);
int discover_ask(unsigned int ifindex, discover_took took, void *data);

#endif /* _PRPCTL_DISCOVER_H */
