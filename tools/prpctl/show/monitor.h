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

/* Kinds of lines, each with its name in monitor_line.c */
enum monitor_event {
	MONITOR_TABLE,
	MONITOR_HOST,
	MONITOR_LINK,
	MONITOR_RAIL,
	MONITOR_WAY,
	MONITOR_ROUTE,
	MONITOR_PEER,
	MONITOR_ACCESS,
	MONITOR_FAULT,
	MONITOR_CONNECTION,
	MONITOR_EVENTS
};

/**
 * struct monitor - what is being watched
 * @events: socket to which notifications come
 * @asks: socket for questions about them
 * @table: hosts and links as they were told last
 * @peers: what was known of each host when it was told last
 * @wanted: bit e: lines of kind e are printed
 * @stamps: every line begins with the time
 */
struct monitor {
	struct nl events;
	struct nl asks;
	struct table table;
	struct peers peers;
	unsigned int wanted;
	bool stamps;
};

bool monitor_line(const struct monitor *m, enum monitor_event event);
int monitor_event(const char *name);

void monitor_show_table_changes(struct monitor *m, const struct table *old);
int monitor_show_rail_changes(struct monitor *m, const struct peer *now);

#endif /* _PRPCTL_MONITOR_H */
