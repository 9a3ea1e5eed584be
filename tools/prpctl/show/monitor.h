/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What prpctl monitor knows, so that it can tell what is new.
 */
#ifndef _PRPCTL_MONITOR_H
#define _PRPCTL_MONITOR_H

#include <stdbool.h>

#include "kernel/nl.h"
#include "kernel/peer.h"
#include "kernel/table.h"

/**
 * struct monitor - what is being watched
 * @events: socket to which notifications come
 * @asks: socket for questions about them
 * @table: hosts and links as they were told last
 * @peers: what was known of each host when it was told last
 * @stamps: every line begins with the time
 */
struct monitor {
	struct nl events;
	struct nl asks;
	struct table table;
	struct peers peers;
	bool stamps;
};

void monitor_line(const struct monitor *m, const char *event);

void monitor_show_table_changes(struct monitor *m, const struct table *old);
int monitor_show_rail_changes(struct monitor *m, const struct peer *now);

#endif /* _PRPCTL_MONITOR_H */
