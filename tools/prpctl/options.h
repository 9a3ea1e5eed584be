/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options that every command understands, before its words and among
 * them.
 */
#ifndef _PRPCTL_OPTIONS_H
#define _PRPCTL_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

/**
 * struct options - what was asked for
 * @json: JSON
 * @pretty: on several lines
 * @brief: only what matters most, without heads
 * @statistics: with numbers of what passed
 * @details: with all that is known
 * @force: a line of a batch that fails does not end it; do what few want
 * @help: how it is called
 * @version: which one this is
 * @no_input: standard input has been read, or is that of a batch
 * @color: when there are colours: COLOR_*
 * @netns: network namespace to work in, or NULL
 * @batch: file whose lines are commands, or NULL
 */
struct options {
	bool json;
	bool pretty;
	bool brief;
	bool statistics;
	bool details;
	bool force;
	bool help;
	bool version;
	bool no_input;
	int color;
	const char *netns;
	const char *batch;
};

/* options.color */
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

extern struct options options;

int options_take_first(int *argc, char ***argv);
int options_take(const struct option *own, int *argc, char **argv);
void options_begin(int *argc, char ***argv);
int options_span(const struct option *own, int argc, char **argv);

#endif /* _PRPCTL_OPTIONS_H */
