/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands, and what their words mean.
 */
#ifndef _PRPCTL_COMMAND_H
#define _PRPCTL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/table.h"
#include "options.h"

/**
 * struct command - an object, or a command of one
 * @name: its exact name
 * @run: called with what follows the name; returns the exit status
 * @arguments: what may follow the name
 * @help: one line
 * @options: what it knows besides struct options, or NULL
 * @bare: words that name no command are its words, if it is the one that need
 *	not be named
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments;
	const char *help;
	const struct option *options;
	bool bare;
};

bool command_is_help(const char *word);
const struct command *command_find(const struct command *commands,
				   const char *name);
int command_dispatch(const struct command *commands, const char *prefix,
		     const char *fallback, int argc, char **argv);
int command_single(const struct command *command, int argc, char **argv);
int command_version(void);
int command_not_understood(const char *word);
int command_refuse_option(const char *option);
int command_host(const struct table *table, const char *word,
		 const struct prphosts_node **node);
uint16_t command_number(const char *word, uint16_t max, char end,
			const char **rest);
int command_ask(int argc, char **argv, int (*ask)(struct nl *nl));
int command_ask_table(int argc, char **argv,
		      int (*ask)(struct nl *nl, struct table *table));
int command_ask_hosts(int argc, char **argv,
		      int (*ask)(struct nl *nl, struct table *table,
				 const struct prphosts_node *only));

#endif /* _PRPCTL_COMMAND_H */
