// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl discover: on which devices this machine says who it is.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "hosts/parse.h"
#include "kernel/ask.h"
#include "kernel/discover.h"
#include "prpctl.h"
#include "show/out.h"

static int no_device(const char *word)
{
	return out_fail(EXIT_SYNTAX, "\"%s\" is no Ethernet device here", word);
}

/* What a host file would not take is not to be said. */
static int check_line(const char *text)
{
	char line[DISCOVER_TEXT + 8];
	struct prphosts hosts = { 0 };
	int status = EXIT_OK, len;

	len = snprintf(line, sizeof(line), "1 %s\n", text);
	if (prphosts_parse(&hosts, line, len))
		status = out_fail(EXIT_KERNEL, "no memory");
	else if (hosts.errors)
		status = out_fail(EXIT_SYNTAX, "\"%s\": %s", text,
				  hosts.error[0].text);
	prphosts_free(&hosts);
	return status;
}

static int say(const char *name, char **ifname, int count)
{
	char text[DISCOVER_TEXT];
	int i, status, err;
	struct nl nl;

	err = discover_line(text, name, (const char *const *)ifname, count);
	if (err == -ENODEV)
		return out_fail(EXIT_SYNTAX,
				"not all of these are Ethernet devices");
	if (err)
		return out_fail(EXIT_KERNEL, "%s", strerror(-err));
	status = check_line(text);
	if (!status)
		status = ask_open(&nl);
	if (status)
		return status;
	for (i = 0; i < count && !status; i++) {
		err = discover_on(&nl, if_nametoindex(ifname[i]), text);
		if (err)
			status = ask_refused(&nl, err, ifname[i]);
	}
	/* on all of them or on none */
	for (i -= 2; status && i >= 0; i--)
		discover_off(&nl, if_nametoindex(ifname[i]));
	nl_close(&nl);
	if (!status)
		out_text("%s\n", text);
	out_string("text", text, OUT_JSON_ONLY);
	return status;
}

/* DEV... [name NAME] */
static int say_here(int argc, char **argv)
{
	const char *name = NULL;

	if (argc > 2 && !strcmp(argv[argc - 2], "name")) {
		name = argv[argc - 1];
		argc -= 2;
	}
	if (!argc)
		return out_fail(EXIT_SYNTAX, "DEV is missing");
	if (argc > PRPHOSTS_RAILS)
		return command_not_understood(argv[PRPHOSTS_RAILS]);
	return say(name, argv, argc);
}

static int say_no_more(int argc, char **argv)
{
	unsigned int ifindex = argc ? if_nametoindex(argv[0]) : 0;
	int status, err;
	struct nl nl;

	if (argc > 1)
		return command_not_understood(argv[1]);
	if (argc && !ifindex)
		return no_device(argv[0]);
	status = ask_open(&nl);
	if (status)
		return status;
	err = discover_off(&nl, ifindex);
	if (err)
		status = ask_refused(&nl, err,
				     argc ? argv[0] : "saying no more");
	nl_close(&nl);
	return status;
}

static void show_one(const char *ifname, const char *text, void *data)
{
	(void)data;
	out_object(NULL);
	out_string("device", ifname, OUT_CELL);
	out_string("text", text, OUT_CELL);
	out_end();
}

static int ask(struct nl *nl)
{
	static const char *const heads[] = { "DEVICE", "SAYS", NULL };
	int err;

	out_columns(heads);
	out_array("discover");
	err = discover_fetch(nl, show_one, NULL);
	out_end();
	out_columns_end();
	return err ? ask_refused(nl, err, "reading what is said") : EXIT_OK;
}

static int show(int argc, char **argv)
{
	return command_ask(argc, argv, ask);
}

static const struct command commands[] = {
	{ "show", show, "", "print on which devices, and what is said" },
	{ "on", say_here, "DEV... [name NAME]",
	  "say on devices, the rails in their order, who this machine is" },
	{ "off", say_no_more, "[DEV]", "say so no more, on one or on any" },
	{ 0 }
};

/**
 * discover_main() - prpctl discover
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int discover_main(int argc, char **argv)
{
	return command_dispatch(commands, "discover", "show", argc, argv);
}
