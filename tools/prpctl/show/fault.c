// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl fault: faults that are injected into frames of hosts as they come in.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/prp.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/fault.h"
#include "prpctl.h"
#include "show/fields.h"
#include "show/out.h"

#define STEPS 100 /* that the kernel has for a percent */
#define DELAY_MAX 10000 /* ms */

/* What is asked for */
struct request {
	struct fault fault;
	bool has_seed;
};

/* ---- show ---- */

static int show_message(const struct nlmsghdr *nlh, void *data)
{
	struct fault fault;

	fault_take(nlh, &fault);
	out_object(NULL);
	fields_fault(&fault, data);
	fields_fault_done(&fault);
	out_end();
	return 0;
}

static int show_faults(struct nl *nl, struct table *table)
{
	static const char *const heads[] = { "NODE",	  "NAME",    "LOSS",
					     "DUPLICATE", "CORRUPT", "DELAY",
					     "SEED",	  NULL };
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	out_columns(heads);
	out_array("faults");
	nlh = nl_request_genl(nl, buffer, PRP_CMD_FAULT_GET, NLM_F_DUMP);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, show_message, table);
	out_end();
	if (err)
		return ask_refused(nl, err, "reading the faults");
	out_columns_end();
	return EXIT_OK;
}

static int fault_show(int argc, char **argv)
{
	return command_ask_table(argc, argv, show_faults);
}

/* ---- words ---- */

/* A part of a hundred, in steps of the hundredth of one. Return: whether it is
 * one.
 */
static bool percent(const char *word, uint16_t *value)
{
	static const double nearly = 0.000001;
	double given, steps;
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	given = strtod(word, &end);
	if (*end || given > 100)
		return false;
	steps = given * STEPS;
	*value = steps + 0.5;
	return steps - *value < nearly && *value - steps < nearly;
}

static bool number(const char *word, unsigned long max, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && !errno && *value <= max;
}

static bool delay(const char *word, uint16_t *value)
{
	unsigned long n;

	if (!number(word, DELAY_MAX, &n))
		return false;
	*value = n;
	return true;
}

static int word_with_value(struct request *r, const char *word,
			   const char *value)
{
	unsigned long n;

	if (!strcmp(word, "loss") && percent(value, &r->fault.loss))
		return EXIT_OK;
	if (!strcmp(word, "duplicate") && percent(value, &r->fault.duplicate))
		return EXIT_OK;
	if (!strcmp(word, "corrupt") && percent(value, &r->fault.corrupt))
		return EXIT_OK;
	if (!strcmp(word, "delay") && delay(value, &r->fault.delay_ms))
		return EXIT_OK;
	if (!strcmp(word, "seed") && number(value, UINT32_MAX, &n)) {
		r->fault.seed = n;
		r->has_seed = true;
		return EXIT_OK;
	}
	return out_fail(EXIT_SYNTAX, "\"%s %s\" is not understood", word,
			value);
}

static int words(struct request *r, int argc, char **argv)
{
	int status = EXIT_OK;

	for (; argc && !status; argc -= 2, argv += 2) {
		if (argc == 1)
			return command_not_understood(argv[0]);
		status = word_with_value(r, argv[0], argv[1]);
	}
	return status;
}

/* ---- changing ---- */

static int set(struct nl *nl, const struct request *r, const char *host)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_FAULT_SET, NLM_F_ACK);
	mnl_attr_put_u16(nlh, PRP_A_FAULT_NUMBER, r->fault.node);
	mnl_attr_put_u16(nlh, PRP_A_FAULT_LOSS, r->fault.loss);
	mnl_attr_put_u16(nlh, PRP_A_FAULT_DUPLICATE, r->fault.duplicate);
	mnl_attr_put_u16(nlh, PRP_A_FAULT_CORRUPT, r->fault.corrupt);
	mnl_attr_put_u16(nlh, PRP_A_FAULT_DELAY, r->fault.delay_ms);
	if (r->has_seed)
		mnl_attr_put_u32(nlh, PRP_A_FAULT_SEED, r->fault.seed);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	return err ? ask_refused(nl, err, host) : EXIT_OK;
}

static int del(struct nl *nl, uint16_t node, const char *what)
{
	char buffer[NL_REQUEST_LEN];
	struct nlmsghdr *nlh;
	int err;

	nlh = nl_request_genl(nl, buffer, PRP_CMD_FAULT_DEL, NLM_F_ACK);
	if (node)
		mnl_attr_put_u16(nlh, PRP_A_FAULT_NUMBER, node);
	err = nl_talk(nl, nlh, nlh->nlmsg_len, NULL, NULL);
	return err ? ask_refused(nl, err, what) : EXIT_OK;
}

/* A host by its name, or by a number that the table has no longer. */
static int find(struct nl *nl, const char *word, uint16_t *node)
{
	const struct prphosts_node *found = NULL;
	struct table table;
	int status;

	status = ask_table(nl, &table);
	*node = command_number(word, PRP_NODE_MAX, 0, NULL);
	if (!status && !*node)
		status = command_host(&table, word, &found);
	if (found)
		*node = found->number;
	table_free(&table);
	return status;
}

static int fault_add(int argc, char **argv)
{
	struct request r = { 0 };
	struct nl nl;
	int status;

	if (!argc)
		return out_fail(EXIT_SYNTAX, "HOST is missing");
	status = words(&r, argc - 1, argv + 1);
	if (!status)
		status = ask_open(&nl);
	if (status)
		return status;
	status = find(&nl, argv[0], &r.fault.node);
	if (!status)
		status = set(&nl, &r, argv[0]);
	nl_close(&nl);
	return status;
}

static int fault_del(int argc, char **argv)
{
	struct nl nl;
	uint16_t node;
	int status;

	if (!argc)
		return out_fail(EXIT_SYNTAX, "HOST is missing");
	if (argc > 1)
		return command_not_understood(argv[1]);
	status = ask_open(&nl);
	if (status)
		return status;
	status = find(&nl, argv[0], &node);
	if (!status)
		status = del(&nl, node, argv[0]);
	nl_close(&nl);
	return status;
}

static int flush(struct nl *nl)
{
	return del(nl, 0, "the faults");
}

static int fault_flush(int argc, char **argv)
{
	return command_ask(argc, argv, flush);
}

static const struct command commands[] = {
	{ "show", fault_show, "", "print what is injected, and what it did" },
	{ "add", fault_add, "HOST FAULT...",
	  "inject loss, duplicate or corrupt PERCENT, delay MS, seed N" },
	{ "del", fault_del, "HOST", "leave frames of this host alone" },
	{ "flush", fault_flush, "", "leave all frames alone" },
	{ 0 }
};

/**
 * fault_main() - prpctl fault
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int fault_main(int argc, char **argv)
{
	return command_dispatch(commands, "fault", "show", argc, argv);
}
