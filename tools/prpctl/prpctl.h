/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the objects of prpctl share: their tables of commands.
 */
#ifndef _PRPCTL_H
#define _PRPCTL_H

#include "kernel/nl.h"
#include "kernel/table.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define PRPCTL_VERSION "0.1"
#define PRPHOSTS_PATH "/etc/prphosts"

/**
 * struct command - an object, or a command of one
 * @name: its exact name
 * @run: called with what follows the name; returns the exit status
 * @arguments: what may follow the name
 * @help: one line
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments;
	const char *help;
};

int prpctl_dispatch(const struct command *commands, const char *prefix,
		    const char *fallback, int argc, char **argv);
int prpctl_single(const struct command *command, int argc, char **argv);
int prpctl_open(struct nl *nl);
int prpctl_refused(const struct nl *nl, int err, const char *what);
int prpctl_not_understood(const char *word);
int prpctl_table(struct nl *nl, struct table *table);
int prpctl_host(const struct table *table, const char *word,
		const struct prphosts_node **node);

int access_main(int argc, char **argv);
int dev_main(int argc, char **argv);
int explain_main(int argc, char **argv);
const char *forward_name(uint8_t forward);
int forward_main(int argc, char **argv);
int hosts_main(int argc, char **argv);
int memory_main(int argc, char **argv);
int monitor_main(int argc, char **argv);
int node_main(int argc, char **argv);
int route_main(int argc, char **argv);
int sockets_main(int argc, char **argv);
int stats_main(int argc, char **argv);

#endif /* _PRPCTL_H */
