// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the command that words mean and runs it, or prints what it is; and
 * what many of them begin and end with.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <prp_release.h>

#include "kernel/ask.h"
#include "show/out.h"

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

/**
 * command_is_help() - does a word ask for help
 * @word: the word
 *
 * Return: whether it does.
 */
bool command_is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "-h") ||
	       !strcmp(word, "--help");
}

/**
 * command_find() - find a command by its name
 * @commands: commands, ending with an empty one
 * @name: the name
 *
 * Return: the command, or NULL.
 */
const struct command *command_find(const struct command *commands,
				   const char *name)
{
	for (; commands->name; commands++)
		if (!strcmp(commands->name, name))
			return commands;
	return NULL;
}

/**
 * command_version() - say which prpctl this is
 *
 * Return: EXIT_OK.
 */
int command_version(void)
{
	out_text("prpctl %s\n", PRP_RELEASE);
	out_string("version", PRP_RELEASE, OUT_JSON_ONLY);
	return EXIT_OK;
}

/* Take the options out of the words of a command, and do what it does. */
static int run(const struct command *command, const char *prefix, int argc,
	       char **argv)
{
	const struct command one[] = { *command, { 0 } };
	int status;

	status = options_take(command->options, &argc, argv);
	if (status)
		return status;
	if (options.batch)
		return out_fail(EXIT_SYNTAX, "\"%s\" beside a batch",
				command->name);
	if (options.version)
		return command_version();
	if (!options.help && (argc != 1 || !command_is_help(argv[0])))
		return command->run(argc, argv);
	print_commands(stdout, one, prefix);
	return EXIT_OK;
}

/* Return: where the first word is that is no option, or @argc. */
static int first_word(const struct option *own, int argc, char **argv)
{
	int at = 0, span;

	while (at < argc && strcmp(argv[at], "--")) {
		span = options_span(own, argc - at, argv + at);
		if (!span)
			return at;
		at += span;
	}
	return argc;
}

static int no_command(const struct command *fallback, const char *prefix,
		      int argc, char **argv)
{
	int status = options_take(fallback->options, &argc, argv);

	return status ? status :
			out_fail(EXIT_SYNTAX,
				 "\"%s\" is no command; try \"prpctl %s help\"",
				 argv[0], prefix);
}

/**
 * command_dispatch() - run the command of an object that was asked for
 * @commands: its commands, ending with an empty one
 * @prefix: name of the object
 * @fallback: name of the command that no word means
 * @argc: number of words after the object's name
 * @argv: these words
 *
 * "help" is understood in place of a command and after it. Options may stand
 * before it, too.
 *
 * Return: exit status.
 */
int command_dispatch(const struct command *commands, const char *prefix,
		     const char *fallback, int argc, char **argv)
{
	const struct command *command = command_find(commands, fallback);
	const struct command *named = NULL;
	int at = first_word(command->options, argc, argv);

	/* that of the object, where no command was named before it */
	if ((at < argc && command_is_help(argv[at])) ||
	    (at == argc && argc == 1 && command_is_help(argv[0]))) {
		print_commands(stdout, commands, prefix);
		return EXIT_OK;
	}
	if (at < argc)
		named = command_find(commands, argv[at]);
	if (at < argc && !named && !command->bare)
		return no_command(command, prefix, argc, argv);
	if (!named)
		return run(command, prefix, argc, argv);
	for (argc--; at < argc; at++)
		argv[at] = argv[at + 1];
	return run(named, prefix, argc, argv);
}

/**
 * command_single() - run an object that is a command by itself
 * @command: the object
 * @argc: number of words after its name
 * @argv: these words
 *
 * Return: exit status.
 */
int command_single(const struct command *command, int argc, char **argv)
{
	return run(command, "", argc, argv);
}

/**
 * command_not_understood() - say that a word makes no sense
 * @word: the word
 *
 * Return: EXIT_SYNTAX.
 */
int command_not_understood(const char *word)
{
	return out_fail(EXIT_SYNTAX, "\"%s\" is not understood", word);
}

/**
 * command_refuse_option() - say that an option makes no sense
 * @option: the option
 *
 * Return: EXIT_SYNTAX.
 */
int command_refuse_option(const char *option)
{
	return out_fail(EXIT_SYNTAX,
			"\"%s\" is not understood, or its FILE is missing",
			option);
}

/**
 * command_host() - find the host that a word means, or say that none is meant
 * @table: the kernel's host table
 * @word: its number, its name or one of its IP addresses
 * @node: set to the host
 *
 * Return: EXIT_OK or EXIT_SYNTAX.
 */
int command_host(const struct table *table, const char *word,
		 const struct prphosts_node **node)
{
	*node = table_find(table, word);
	return *node ? EXIT_OK :
		       out_fail(EXIT_SYNTAX, "no host is \"%s\"", word);
}

/**
 * command_number() - read a number
 * @word: a word that begins with it
 * @max: largest one
 * @end: what may follow it, or 0
 * @rest: set to what follows if there is a number; may be NULL
 *
 * Return: the number, or 0 if that is none from 1 to @max.
 */
uint16_t command_number(const char *word, uint16_t max, char end,
			const char **rest)
{
	unsigned long number;
	char *behind;

	if (*word < '0' || *word > '9')
		return 0;
	errno = 0;
	number = strtoul(word, &behind, 10);
	if (errno || number > max || (*behind && *behind != end))
		return 0;
	if (rest)
		*rest = behind;
	return number;
}

/**
 * command_ask() - run a command that asks the kernel and takes no words
 * @argc: number of words after it
 * @argv: these words
 * @ask: what it does; returns the exit status
 *
 * Return: exit status.
 */
int command_ask(int argc, char **argv, int (*ask)(struct nl *nl))
{
	struct nl nl;
	int status;

	if (argc)
		return command_not_understood(argv[0]);
	status = ask_open(&nl);
	if (status)
		return status;
	status = ask(&nl);
	nl_close(&nl);
	return status;
}

/**
 * command_ask_table() - run a command that takes no words and names hosts
 * @argc: number of words after it
 * @argv: these words
 * @ask: what it does, with the kernel's host table; returns the exit status
 *
 * Return: exit status.
 */
int command_ask_table(int argc, char **argv,
		      int (*ask)(struct nl *nl, struct table *table))
{
	struct table table;
	struct nl nl;
	int status;

	if (argc)
		return command_not_understood(argv[0]);
	status = ask_open(&nl);
	if (status)
		return status;
	status = ask_table(&nl, &table);
	if (!status)
		status = ask(&nl, &table);
	table_free(&table);
	nl_close(&nl);
	return status;
}

/**
 * command_ask_hosts() - run a command that asks about all hosts, or about one
 * @argc: number of words after it
 * @argv: these words: [HOST]
 * @ask: what it does, with the kernel's host table and the host that is named,
 *	or NULL; returns the exit status
 *
 * Return: exit status.
 */
int command_ask_hosts(int argc, char **argv,
		      int (*ask)(struct nl *nl, struct table *table,
				 const struct prphosts_node *only))
{
	const struct prphosts_node *only = NULL;
	struct table table;
	struct nl nl;
	int status;

	if (argc > 1 || (argc && argv[0][0] == '-'))
		return command_not_understood(argv[argc - 1]);
	status = ask_open(&nl);
	if (status)
		return status;
	status = ask_table(&nl, &table);
	if (!status && argc)
		status = command_host(&table, argv[0], &only);
	if (!status)
		status = ask(&nl, &table, only);
	table_free(&table);
	nl_close(&nl);
	return status;
}
