// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl: options, the choice of object and command, and how errors of the
 * kernel read.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "prpctl.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "kernel/netns.h"
#include "show/out.h"

static const struct command objects[] = {
	{ "hosts", hosts_main,
	  "{ setup | show | diff | add | del | link | flush }",
	  "the host table" },
	{ "node", node_main, "{ show }", "what is known of the others" },
	{ "dev", dev_main, "{ show | ethertype }", "rails of this machine" },
	{ "route", route_main, "{ show | add | del | flush }",
	  "ways to the others" },
	{ "forward", forward_main, "{ show | on | off | auto }",
	  "passing on frames for other hosts" },
	{ "access", access_main, "{ show | add | del | flush }",
	  "which hosts may connect to which ports" },
	{ "sockets", sockets_main, "{ show }", "sockets and connections" },
	{ "stats", stats_main, "{ show }", "counters" },
	{ "memory", memory_main, "{ show | machine | namespace }",
	  "memory that connections may hold" },
	{ "explain", explain_main, "HOST [PORT]",
	  "is a host, or a port of it, reachable now, and if not, why" },
	{ "monitor", monitor_main, "[-t]", "print what changes" },
	{ 0 }
};

static void print_usage(FILE *to)
{
	const struct command *object;

	fprintf(to, "Usage: prpctl [OPTIONS] OBJECT { COMMAND | help }\n"
		    "Objects:\n");
	for (object = objects; object->name; object++)
		fprintf(to, "  %s %s\n      %s\n", object->name,
			object->arguments, object->help);
	fprintf(to, "Options:\n"
		    "  -j, --json         JSON\n"
		    "  -p, --pretty       JSON on several lines\n"
		    "  -n, --netns NAME   in this network namespace\n"
		    "  -V, --version      print the version\n"
		    "  -h, --help         print this\n");
}

static void print_commands(FILE *to, const struct command *commands,
			   const char *prefix)
{
	const struct command *command;

	fprintf(to, "Usage:\n");
	for (command = commands; command->name; command++)
		fprintf(to, "  prpctl %s%s%s%s%s\n      %s\n", prefix,
			*prefix ? " " : "", command->name,
			*command->arguments ? " " : "", command->arguments,
			command->help);
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "-h") ||
	       !strcmp(word, "--help");
}

static const struct command *find(const struct command *commands,
				  const char *name)
{
	for (; commands->name; commands++)
		if (!strcmp(commands->name, name))
			return commands;
	return NULL;
}

/**
 * prpctl_dispatch() - run the command of an object that was asked for
 * @commands: its commands, ending with an empty one
 * @prefix: name of the object
 * @fallback: name of the command that no word means
 * @argc: number of words after the object's name
 * @argv: these words
 *
 * "help" is understood in place of a command and after it.
 *
 * Return: exit status.
 */
int prpctl_dispatch(const struct command *commands, const char *prefix,
		    const char *fallback, int argc, char **argv)
{
	const char *name = argc ? argv[0] : fallback;
	const struct command *command;

	if (asks_for_help(name)) {
		print_commands(stdout, commands, prefix);
		return EXIT_OK;
	}
	/* An option belongs to the command that need not be named. */
	if (name[0] == '-')
		name = fallback;
	else if (argc)
		argc--, argv++;
	command = find(commands, name);
	if (!command)
		return out_fail(EXIT_SYNTAX,
				"\"%s\" is no command; try \"prpctl %s help\"",
				name, prefix);
	if (argc == 1 && asks_for_help(argv[0])) {
		const struct command one[] = { *command, { 0 } };

		print_commands(stdout, one, prefix);
		return EXIT_OK;
	}
	return command->run(argc, argv);
}

/**
 * prpctl_single() - run an object that is a command by itself
 * @command: the object
 * @argc: number of words after its name
 * @argv: these words
 *
 * Return: exit status.
 */
int prpctl_single(const struct command *command, int argc, char **argv)
{
	const struct command one[] = { *command, { 0 } };

	if (argc != 1 || !asks_for_help(argv[0]))
		return command->run(argc, argv);
	print_commands(stdout, one, "");
	return EXIT_OK;
}

/**
 * prpctl_open() - open a socket to PRP in the kernel, or say why not
 * @nl: filled in
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int prpctl_open(struct nl *nl)
{
	static const char unknown[] =
		"the kernel does not know PRP: is the module loaded? modprobe prp";
	int err = nl_open_prp(nl);

	if (err == -ENOENT)
		return out_fail(EXIT_KERNEL, "%s", unknown);
	if (err)
		return out_fail(EXIT_KERNEL, "netlink: %s", strerror(-err));
	return EXIT_OK;
}

/**
 * prpctl_refused() - say what the kernel refused
 * @nl: socket
 * @err: negative errno
 * @what: what it was asked for
 *
 * Return: EXIT_KERNEL.
 */
int prpctl_refused(const struct nl *nl, int err, const char *what)
{
	const char *name = strerror(-err);

	if (err == -EPERM)
		return out_fail(EXIT_KERNEL, "%s: %s: needs CAP_NET_ADMIN",
				what, name);
	if (nl->text[0])
		return out_fail(EXIT_KERNEL, "%s: %s (%s)", what, nl->text,
				name);
	return out_fail(EXIT_KERNEL, "%s: %s", what, name);
}

/**
 * prpctl_not_understood() - say that a word makes no sense
 * @word: the word
 *
 * Return: EXIT_SYNTAX.
 */
int prpctl_not_understood(const char *word)
{
	return out_fail(EXIT_SYNTAX, "\"%s\" is not understood", word);
}

/**
 * prpctl_table() - get the kernel's host table, or say why not
 * @nl: socket
 * @table: filled in; table_free() it whatever this returns
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
int prpctl_table(struct nl *nl, struct table *table)
{
	int err = table_fetch(nl, table);

	return err ? prpctl_refused(nl, err, "reading the host table") :
		     EXIT_OK;
}

/**
 * prpctl_host() - find the host that a word means, or say that none is meant
 * @table: the kernel's host table
 * @word: its number, its name or one of its IP addresses
 * @node: set to the host
 *
 * Return: EXIT_OK or EXIT_SYNTAX.
 */
int prpctl_host(const struct table *table, const char *word,
		const struct prphosts_node **node)
{
	*node = table_find(table, word);
	return *node ? EXIT_OK :
		       out_fail(EXIT_SYNTAX, "no host is \"%s\"", word);
}

static int run_object(int argc, char **argv)
{
	const struct command *object;

	if (!argc) {
		print_usage(stderr);
		return out_fail(EXIT_SYNTAX, "an object is missing");
	}
	if (asks_for_help(argv[0])) {
		print_usage(stdout);
		return EXIT_OK;
	}
	object = find(objects, argv[0]);
	if (!object)
		return out_fail(EXIT_SYNTAX,
				"\"%s\" is no object; try \"prpctl help\"",
				argv[0]);
	return object->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "netns", required_argument, NULL, 'n' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool json = false, pretty = false;
	const char *netns = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, "+jpn:Vh", options, NULL)) !=
	       -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'p':
			pretty = true;
			break;
		case 'n':
			netns = optarg;
			break;
		case 'V':
			puts("prpctl " PRPCTL_VERSION);
			return EXIT_OK;
		case 'h':
			print_usage(stdout);
			return EXIT_OK;
		default:
			print_usage(stderr);
			return EXIT_SYNTAX;
		}
	}
	out_init(json, pretty);
	status = netns ? netns_enter(netns) : EXIT_OK;
	if (status == EXIT_OK)
		status = run_object(argc - optind, argv + optind);
	return out_finish(status);
}
