// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static struct unit *first, **last = &first;

void unit_add(struct unit *unit)
{
	*last = unit;
	last = &unit->next;
}

void unit_add_rows(const struct unit_row *rows, unsigned int count,
		   void (*play)(const char *script))
{
	struct unit *unit = calloc(count, sizeof(*unit));

	if (!unit)
		abort();
	for (; count; count--, rows++, unit++) {
		unit->name = rows->name;
		unit->play = play;
		unit->script = rows->script;
		unit_add(unit);
	}
}

void unit_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	printf("# FAIL: %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(1);
}

uint64_t unit_random(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* A case never waits: so its limit is time of a processor, whatever else this
 * machine does. One that does wait, for ever, ends, too.
 */
static int run_one(const struct unit *unit)
{
	const struct itimerval limit = { .it_value.tv_sec = 60 };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(1, 2);
		setitimer(ITIMER_PROF, &limit, NULL);
		alarm(600);
		if (unit->play)
			unit->play(unit->script);
		else
			unit->run();
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	return status;
}

int main(void)
{
	const char *cases = getenv("CASES");
	int nr = 0, failed = 0, count = 0;
	struct unit *unit;

	if (!cases || !*cases)
		cases = "*";
	for (unit = first; unit; unit = unit->next)
		count += !fnmatch(cases, unit->name, 0);
	printf("TAP version 13\n1..%d\n", count);
	for (unit = first; unit; unit = unit->next) {
		int bad;

		if (fnmatch(cases, unit->name, 0))
			continue;
		bad = run_one(unit);
		printf("%sok %d %s\n", bad ? "not " : "", ++nr, unit->name);
		failed += !!bad;
	}
	return failed ? 1 : 0;
}
