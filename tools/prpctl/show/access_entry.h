/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An entry of the access list: its words, and the kernel asked for it.
 */
#ifndef _PRPCTL_ACCESS_ENTRY_H
#define _PRPCTL_ACCESS_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/access.h"
#include "kernel/table.h"

int access_ports(const char *word, struct access_entry *entry, char *why,
		 size_t len);
int access_host(const struct table *table, const char *word,
		struct access_entry *entry, char *why, size_t len);
int access_direction(const char *word, struct access_entry *entry, char *why,
		     size_t len);
int access_request(struct nl *nl, uint8_t command,
		   const struct access_entry *entry, const char *what);

#endif /* _PRPCTL_ACCESS_ENTRY_H */
