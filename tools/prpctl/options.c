// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the options that every command understands out of the words of a
 * command line, wherever they stand, and leaves it those of its own. What
 * follows "--" is words.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/netns.h"
#include "show/out.h"

struct options options;

/* Those that have no letter */
enum { BRIEF = 256, FORCE };

static const struct option known[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "pretty", no_argument, NULL, 'p' },
	{ "netns", required_argument, NULL, 'n' },
	{ "brief", no_argument, NULL, BRIEF },
	{ "statistics", no_argument, NULL, 's' },
	{ "details", no_argument, NULL, 'd' },
	{ "color", optional_argument, NULL, 'c' },
	{ "batch", required_argument, NULL, 'b' },
	{ "force", no_argument, NULL, FORCE },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

/* ---- finding one ---- */

static const struct option *find_letter(const struct option *in, char letter)
{
	for (; in && in->name; in++)
		if (in->val == letter)
			return in;
	return NULL;
}

/* By its name, behind which there may be = */
static const struct option *find_name(const struct option *in, const char *name)
{
	size_t len = strcspn(name, "=");

	for (; in && in->name; in++)
		if (strlen(in->name) == len && !memcmp(in->name, name, len))
			return in;
	return NULL;
}

/* Those of more than one letter behind one dash, as in ip(8) */
static const char *long_name(const char *word)
{
	return !strcmp(word, "-br")    ? "brief" :
	       !strcmp(word, "-batch") ? "batch" :
	       !strncmp(word, "--", 2) ? word + 2 :
					 NULL;
}

/* "-" is a word, and so is what begins the addresses of a host */
static bool is_option(const char *word)
{
	return word[0] == '-' &&
	       (word[1] == '-' || (word[1] >= 'a' && word[1] <= 'z') ||
		(word[1] >= 'A' && word[1] <= 'Z') ||
		(word[1] >= '0' && word[1] <= '9'));
}

/**
 * options_span() - how many words an option takes
 * @own: options of the command, or NULL
 * @argc: number of words
 * @argv: these words
 *
 * Return: 0 if the first one is no option, 1, or 2 with an argument behind it.
 */
int options_span(const struct option *own, int argc, char **argv)
{
	const struct option *option;
	const char *name, *letter;
	bool takes = false;

	if (!is_option(argv[0]) || !strcmp(argv[0], "--"))
		return 0;
	name = long_name(argv[0]);
	if (name) {
		option = find_name(own, name);
		if (!option)
			option = find_name(known, name);
		takes = option && option->has_arg == required_argument &&
			!strchr(name, '=');
	}
	for (letter = argv[0] + 1; !name && *letter && !takes; letter++) {
		option = find_letter(own, *letter);
		if (!option)
			option = find_letter(known, *letter);
		if (option && option->has_arg == required_argument) {
			takes = !letter[1];
			break;
		}
	}
	return takes && argc > 1 ? 2 : 1;
}

/**
 * options_begin() - let getopt_long(3) begin with a command's own options
 * @argc: number of words after the command; changed
 * @argv: these words; changed: getopt_long() begins with the second one
 */
void options_begin(int *argc, char ***argv)
{
	optind = 0;
	opterr = 0;
	++*argc;
	--*argv;
}

/* ---- taking it ---- */

static int take_color(const char *when)
{
	if (!when || !strcmp(when, "always"))
		options.color = COLOR_ALWAYS;
	else if (!strcmp(when, "never"))
		options.color = COLOR_NEVER;
	else if (!strcmp(when, "auto"))
		options.color = COLOR_AUTO;
	else
		return out_fail(EXIT_SYNTAX,
				"\"%s\" is not always, auto or never", when);
	return EXIT_OK;
}

static int take(const struct option *option, const char *argument)
{
	if (option->has_arg == required_argument && !argument)
		return out_fail(EXIT_SYNTAX, "the argument of --%s is missing",
				option->name);
	if (option->has_arg == no_argument && argument)
		return out_fail(EXIT_SYNTAX, "--%s takes no \"%s\"",
				option->name, argument);
	switch (option->val) {
	case 'j':
		options.json = true;
		break;
	case 'p':
		options.pretty = true;
		break;
	case 'n':
		options.netns = argument;
		break;
	case BRIEF:
		options.brief = true;
		break;
	case 's':
		options.statistics = true;
		break;
	case 'd':
		options.details = true;
		break;
	case 'c':
		return take_color(argument);
	case 'b':
		options.batch = argument;
		break;
	case FORCE:
		options.force = true;
		break;
	case 'V':
		options.version = true;
		break;
	case 'h':
		options.help = true;
		break;
	}
	return EXIT_OK;
}

/* Letters behind one dash: takes those that are known out of @word.
 * Return: exit status.
 */
static int take_letters(const struct option *own, char *word, char *next)
{
	const struct option *option;
	char *from, *to = word + 1;
	int status = EXIT_OK;

	for (from = word + 1; *from && !status; from++) {
		if (find_letter(own, *from)) {
			option = find_letter(own, *from);
			*to++ = *from;
			if (option->has_arg == no_argument)
				continue;
			memmove(to, from + 1, strlen(from + 1) + 1);
			return EXIT_OK;
		}
		option = find_letter(known, *from);
		if (!option) {
			*to++ = *from;
		} else if (option->has_arg == required_argument) {
			status = take(option, from[1] ? from + 1 : next);
			from += strlen(from) - 1;
		} else {
			status = take(option, NULL);
		}
	}
	*to = 0;
	return status;
}

/*
 * One option, with the word behind it if there is one. Return: exit status;
 * what is left of @word is the command's, nothing if it is "-" or empty.
 */
static int take_word(const struct option *own, char *word, char *next)
{
	const struct option *option;
	const char *name = long_name(word);
	char *equals = strchr(word, '=');
	int status;

	if (!name)
		return take_letters(own, word, next);
	if (find_name(own, name))
		return EXIT_OK;
	option = find_name(known, name);
	if (!option)
		return EXIT_OK;
	if (equals)
		next = equals + 1;
	else if (option->has_arg != required_argument)
		next = NULL;
	status = take(option, next);
	word[0] = 0;
	return status;
}

/* Where nobody says so, a terminal that can has colours, but for those who
 * want none anywhere: https://no-color.org
 */
static bool has_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options.color != COLOR_AUTO)
		return options.color == COLOR_ALWAYS;
	return !(no && *no) && term && strcmp(term, "dumb") && isatty(1);
}

/* Begin the output anew if another form of it is wanted, and enter. */
static int apply(const struct options *before)
{
	bool enter = options.netns && options.netns != before->netns;

	out_form(options.json, options.pretty, options.brief, has_color());
	return enter ? netns_enter(options.netns) : EXIT_OK;
}

/* Has take_word() left something of it */
static bool is_left(const char *word)
{
	return word[0] && strcmp(word, "-");
}

static int refuse(const char *word)
{
	return out_fail(EXIT_SYNTAX, "\"%s\" is no option; try \"prpctl help\"",
			word);
}

/**
 * options_take_first() - take the options before the object
 * @argc: number of words; changed
 * @argv: these words; set to the first that is no option of these
 *
 * Return: exit status.
 */
int options_take_first(int *argc, char ***argv)
{
	struct options before = options;
	int span, status = EXIT_OK, entered;

	while (*argc && !status) {
		span = options_span(NULL, *argc, *argv);
		if (!span)
			break;
		status = take_word(NULL, **argv, span > 1 ? (*argv)[1] : NULL);
		if (!status && is_left(**argv))
			status = refuse(**argv);
		*argc -= span;
		*argv += span;
	}
	if (*argc && !strcmp(**argv, "--")) {
		--*argc;
		++*argv;
	}
	entered = apply(&before);
	return status ? status : entered;
}

/* Is a letter behind one dash, or the name behind two, the command's own */
static bool is_own(const struct option *own, const char *word)
{
	const char *name = long_name(word);

	if (name)
		return find_name(own, name);
	for (word++; *word; word++)
		if (find_letter(own, *word))
			return true;
	return false;
}

/* Move words to the place @to before them. */
static void move(char **argv, int to, int from, int count)
{
	char *word;
	int i;

	for (; count; count--, to++, from++) {
		word = argv[from];
		for (i = from; i > to; i--)
			argv[i] = argv[i - 1];
		argv[to] = word;
	}
}

static void cut(int *argc, char **argv, int at, int count)
{
	*argc -= count;
	for (; at < *argc; at++)
		argv[at] = argv[at + count];
}

/**
 * options_take() - take these options out of the words of a command
 * @own: options of the command, which it keeps, before its words; or NULL
 * @argc: number of words; changed
 * @argv: these words; changed
 *
 * What looks like an option and is none stays where it is, among the words.
 *
 * Return: exit status.
 */
int options_take(const struct option *own, int *argc, char **argv)
{
	int i = 0, front = 0, span, left, status = EXIT_OK, entered;
	struct options before = options;

	while (i < *argc && strcmp(argv[i], "--") && !status) {
		span = options_span(own, *argc - i, argv + i);
		if (!span) {
			i++;
			continue;
		}
		status = take_word(own, argv[i], span > 1 ? argv[i + 1] : NULL);
		left = 0;
		if (is_left(argv[i]))
			left = options_span(own, *argc - i, argv + i);
		cut(argc, argv, i + left, span - left);
		if (left && is_own(own, argv[i])) {
			move(argv, front, i, left);
			front += left;
		}
		i += left;
	}
	if (i < *argc && !status && own)
		move(argv, front, i, 1); /* where getopt_long(3) wants it */
	else if (i < *argc && !status)
		cut(argc, argv, i, 1);
	entered = apply(&before);
	return status ? status : entered;
}
