// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl --batch: runs the lines of a file. Each has a process of its own, so
 * that none finds what another one chose, as its network namespace.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "options.h"
#include "show/out.h"

#define WORDS_MAX 64

/* Words are what blanks separate, up to a comment. Return: how many. */
static int split(char *line, char **word)
{
	static const char blanks[] = " \t\r\n\v\f";
	int words = 0;

	line[strcspn(line, "#")] = 0;
	while (*(line += strspn(line, blanks)) && words <= WORDS_MAX) {
		word[words++] = line;
		line += strcspn(line, blanks);
		if (*line)
			*line++ = 0;
	}
	return words;
}

static int run_line(int argc, char **argv, int (*run)(int argc, char **argv))
{
	int status;

	if (argc > WORDS_MAX)
		return out_fail(EXIT_SYNTAX, "more than %d words", WORDS_MAX);
	status = options_take_first(&argc, &argv);
	return status ? status : run(argc, argv);
}

/*
 * A line in a process of its own, which does not read the other lines from
 * standard input, nor finds it empty after one that has read it: *no_input is
 * shared. Return: exit status.
 */
static int run_apart(int argc, char **argv, int (*run)(int argc, char **argv),
		     bool standard, bool *no_input)
{
	int state, null, status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return out_fail(EXIT_KERNEL, "fork: %s", strerror(errno));
	if (pid) {
		while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
			;
		return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_KERNEL;
	}
	options.batch = NULL;
	options.force = false; /* it is the batch's, a line has its own */
	options.no_input = *no_input;
	null = standard ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	status = run_line(argc, argv, run);
	*no_input = options.no_input;
	_exit(out_finish(status));
}

static int run_all(FILE *from, const char *path,
		   int (*run)(int argc, char **argv), bool *no_input)
{
	int argc, status, first = EXIT_OK;
	char *text = NULL, *word[WORDS_MAX + 1];
	unsigned int line = 0;
	size_t room = 0;

	while ((first == EXIT_OK || options.force) &&
	       getline(&text, &room, from) >= 0) {
		out_place(path, ++line);
		argc = split(text, word);
		if (!argc)
			continue;
		status = run_apart(argc, word, run, !strcmp(path, "-"),
				   no_input);
		first = first ? first : status;
	}
	if (ferror(from)) {
		out_place(NULL, 0);
		first = out_fail(EXIT_SYNTAX, "%s: %s", path, strerror(errno));
	}
	free(text);
	return first;
}

/**
 * batch_run() - run the lines of a file
 * @path: its name, "-" for standard input
 * @run: runs the words of one; returns the exit status
 *
 * Return: exit status of the first line that failed, or EXIT_OK.
 */
int batch_run(const char *path, int (*run)(int argc, char **argv))
{
	bool standard = !strcmp(path, "-");
	/* not stdin, of which a line would find what was read ahead */
	FILE *from = standard ? fdopen(dup(STDIN_FILENO), "r") :
				fopen(path, "re");
	bool *no_input;
	int status;

	if (!from)
		return out_fail(EXIT_SYNTAX, "%s: %s", path, strerror(errno));
	no_input = mmap(NULL, sizeof(*no_input), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (no_input == MAP_FAILED) {
		status = out_fail(EXIT_KERNEL, "no memory");
	} else {
		*no_input = standard;
		status = run_all(from, path, run, no_input);
		munmap(no_input, sizeof(*no_input));
	}
	out_lines(); /* each has printed its own object */
	fclose(from);
	return status;
}
