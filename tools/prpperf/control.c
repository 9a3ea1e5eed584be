// SPDX-License-Identifier: GPL-2.0
/*
 * The worker's side of the lines between it and the process that leads. A timer
 * interrupts what waits, ten times a second: a look at the clock, or a limit of
 * time for each recv(), would be part of what is measured.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "spec.h"

/* Set by each beat; who has looked clears it. */
volatile sig_atomic_t control_beat;

/**
 * control_now() - read the monotonic clock
 *
 * Return: ns
 */
uint64_t control_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * control_line() - wait for the next line
 * @line: gets it without its end; of SPEC_LINE bytes
 *
 * Return: whether there was one, and nobody has gone
 */
bool control_line(char *line)
{
	size_t have = 0;
	ssize_t got;

	/* byte by byte: nothing that is left to others may be read here */
	while (have < SPEC_LINE) {
		got = read(STDIN_FILENO, line + have, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		if (line[have] == '\n') {
			line[have] = 0;
			return true;
		}
		have++;
	}
	return false;
}

/**
 * control_told() - has a line come meanwhile, or has who leads gone?
 *
 * Return: whether; the line is taken
 */
bool control_told(void)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
	char line[SPEC_LINE];

	control_beat = 0;
	if (poll(&fd, 1, 0) <= 0)
		return false;
	if (!control_line(line))
		exit(0);
	return true;
}

static void beat(int signal)
{
	(void)signal;
	control_beat = 1;
}

/**
 * control_beats() - let system calls that wait be interrupted, or no more
 * @on: whether
 */
void control_beats(bool on)
{
	struct itimerval timer = {};
	struct sigaction action = { .sa_handler = beat };

	if (on)
		timer.it_interval.tv_usec = CONTROL_BEAT_MS * 1000;
	timer.it_value = timer.it_interval;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void say(const char *word, const char *format, va_list args)
{
	char line[SPEC_LINE];
	int len;

	len = snprintf(line, sizeof(line), "%s", word);
	len += vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	/* One write a line; a pipe takes so much as a whole. */
	while (write(STDOUT_FILENO, line, len) < 0 && errno == EINTR)
		;
}

/**
 * control_say() - say a line
 * @format: of the line, without its end
 */
void control_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
}

/**
 * control_die() - say why this cannot go on, and end
 * @format: of the reason
 */
void control_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error ", format, args);
	va_end(args);
	exit(1);
}
