/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guest's program `mark` executes, as the plugins find it, and the
 * files of what they counted between two of them, PREFIX.0, PREFIX.1 and so on.
 */
#ifndef _BENCH_MARKS_H
#define _BENCH_MARKS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "qemu.h"

/* As mark.c has it */
static const unsigned char mark[] = { 0x0f, 0x1f, 0x84, 0x00,
				      0x50, 0x52, 0x50, 0x21 };

static bool is_mark(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_size(insn) == sizeof(mark) &&
	       !memcmp(qemu_plugin_insn_data(insn), mark, sizeof(mark));
}

/* What follows "prefix=" in a plugin's arguments, or else the one given */
static const char *prefix_of(int argc, char **argv, const char *prefix)
{
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "prefix=", 7))
			prefix = strdup(argv[i] + 7);
	return prefix;
}

static void write_file(const char *prefix, void (*write)(FILE *file))
{
	static unsigned int files;
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s.%u", prefix, files++);
	file = fopen(name, "w");
	if (!file) {
		perror(name);
		return;
	}
	write(file);
	fclose(file);
}

#endif
