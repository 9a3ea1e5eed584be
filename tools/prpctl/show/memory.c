// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl memory: what connections hold and may hold, all of the machine and
 * those of one namespace.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "prpctl.h"
#include "show/out.h"

struct memory {
	uint64_t value[PRP_A_MEMORY_MAX + 1];
	bool there[PRP_A_MEMORY_MAX + 1];
};

static int take_memory(const struct nlmsghdr *nlh, void *data)
{
	struct memory *memory = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		uint16_t type = mnl_attr_get_type(attr);

		if (type > PRP_A_MEMORY_MAX ||
		    mnl_attr_get_payload_len(attr) != sizeof(uint64_t))
			continue;
		memory->value[type] = mnl_attr_get_u64(attr);
		memory->there[type] = true;
	}
	return 0;
}

/* Bytes for a person: at least two figures of what they are of. */
static void say_bytes(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB",
					     "TiB" };
	unsigned int unit = 0;

	while (unit + 1 < ARRAY_SIZE(units) && bytes >> 10 * unit >= 10 * 1024)
		unit++;
	out_text("%llu %s", (unsigned long long)(bytes >> 10 * unit),
		 units[unit]);
}

static void say_line(const char *of, uint64_t bytes, uint64_t most)
{
	out_text("%s: ", of);
	say_bytes(bytes);
	out_text(" of ");
	say_bytes(most);
}

/* A namespace of a user is told nothing of the machine. */
static void show_machine(const struct memory *memory)
{
	uint64_t limit = memory->value[PRP_A_MEMORY_MACHINE_LIMIT];
	uint64_t bytes = memory->value[PRP_A_MEMORY_MACHINE_BYTES];

	if (!memory->there[PRP_A_MEMORY_MACHINE_LIMIT])
		return;
	if (out_is_json()) {
		out_number("machine_limit", limit, OUT_JSON_ONLY);
		out_number("machine_bytes", bytes, OUT_JSON_ONLY);
		return;
	}
	say_line("machine", bytes, limit);
	out_text("\n");
}

static void show_memory(const struct memory *memory)
{
	uint64_t limit = memory->value[PRP_A_MEMORY_LIMIT];
	uint64_t most = memory->value[PRP_A_MEMORY_MOST];
	uint64_t bytes = memory->value[PRP_A_MEMORY_BYTES];

	show_machine(memory);
	if (out_is_json()) {
		if (limit == UINT64_MAX)
			out_null("limit");
		else
			out_number("limit", limit, OUT_JSON_ONLY);
		out_number("most", most, OUT_JSON_ONLY);
		out_number("bytes", bytes, OUT_JSON_ONLY);
		return;
	}
	say_line("namespace", bytes, most);
	out_text(" (limit ");
	if (limit == UINT64_MAX)
		out_text("none");
	else
		say_bytes(limit);
	out_text("; no more than it leaves to others)\n");
}

static int show(struct nl *nl)
{
	struct memory memory = { 0 };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_MEMORY_GET, NLM_F_ACK);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, take_memory, &memory);
	if (err)
		return ask_refused(nl, err, "reading what may be held");
	show_memory(&memory);
	return EXIT_OK;
}

static int memory_show(int argc, char **argv)
{
	return command_ask(argc, argv, show);
}

/* A number of bytes, with K, M, G or T behind it for 2^10 to 2^40 of them.
 * Return: false if it is none.
 */
static bool parse_size(const char *word, uint64_t *size)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	int shift;

	if (!isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*size = strtoull(word, &end, 10);
	if (errno)
		return false;
	if (!*end)
		return true;
	unit = strchr(units, *end);
	if (!unit || end[1])
		return false;
	shift = 10 * (unit - units + 1);
	if (*size > UINT64_MAX >> shift)
		return false;
	*size <<= shift;
	return true;
}

/* Set one bound; none: it may be "none". */
static int set(int argc, char **argv, int attr, bool none)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	uint64_t size;
	struct nl nl;
	int err;

	if (!argc)
		return out_fail(EXIT_SYNTAX, "a size is missing");
	if (argc > 1)
		return command_not_understood(argv[1]);
	if (none && !strcmp(argv[0], "none"))
		size = UINT64_MAX;
	else if (!parse_size(argv[0], &size))
		return out_fail(EXIT_SYNTAX, "\"%s\" is no size", argv[0]);
	if (ask_open(&nl))
		return EXIT_KERNEL;
	nlh = nl_request_genl(&nl, buffer, PRP_CMD_MEMORY_SET, NLM_F_ACK);
	mnl_attr_put_u64(nlh, attr, size);
	err = nl_talk(&nl, nlh, nlh->nlmsg_len, NULL, NULL);
	if (err)
		err = ask_refused(&nl, err, "changing what may be held");
	nl_close(&nl);
	return err;
}

static int memory_machine(int argc, char **argv)
{
	return set(argc, argv, PRP_A_MEMORY_MACHINE_LIMIT, false);
}

static int memory_namespace(int argc, char **argv)
{
	return set(argc, argv, PRP_A_MEMORY_LIMIT, true);
}

static const struct command commands[] = {
	{ "show", memory_show, "", "print what connections hold and may hold" },
	{ "machine", memory_machine, "SIZE",
	  "bound what those of all namespaces hold" },
	{ "namespace", memory_namespace, "{ SIZE | none }",
	  "bound what those of this one hold" },
	{ 0 }
};

/**
 * memory_main() - prpctl memory
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int memory_main(int argc, char **argv)
{
	return command_dispatch(commands, "memory", "show", argc, argv);
}
