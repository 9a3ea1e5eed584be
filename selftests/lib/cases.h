/* SPDX-License-Identifier: GPL-2.0 */
/* Which cases of a program run: those that match $CASES, as in lib.sh. */
#ifndef _SELFTESTS_CASES_H
#define _SELFTESTS_CASES_H

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "slow.h"

/* Leaves out the others; returns whether any is left. */
static inline bool cases_choose(void)
{
	const char *pattern = getenv("CASES");
	struct __fixture_metadata *f;
	bool any = false;

	if (!pattern || !*pattern)
		return true;
	for (f = __fixture_list; f; f = f->next) {
		struct __test_metadata **at = &f->tests;

		while (*at) {
			if (fnmatch(pattern, (*at)->name, FNM_EXTMATCH)) {
				*at = (*at)->next;
				continue;
			}
			at = &(*at)->next;
			any = true;
		}
	}
	return any;
}

/* Leaves one of so many shares of them. */
static inline void cases_share(int one, int shares)
{
	struct __fixture_metadata *f;
	int nr = 0;

	for (f = __fixture_list; f; f = f->next) {
		struct __test_metadata **at = &f->tests;

		while (*at)
			if (nr++ % shares == one)
				at = &(*at)->next;
			else
				*at = (*at)->next;
	}
}

/* What is behind the number of a result, or NULL */
static inline const char *cases_result(const char *line)
{
	if (!strncmp(line, "not ", 4))
		line += 4;
	return strncmp(line, "ok ", 3) ? NULL : strchr(line + 3, ' ');
}

/* Tells what a share said; its results are counted on from a number. */
static inline int cases_tell(FILE *said, int nr)
{
	static const char *const own[] = { "TAP version", "1..", "# PASSED",
					   "# FAILED", "# Totals" };
	char line[1024];

	rewind(said);
	while (fgets(line, sizeof(line), said)) {
		bool is_own = false;
		const char *end = cases_result(line);

		for (unsigned int i = 0; i < sizeof(own) / sizeof(*own); i++)
			is_own |= !strncmp(line, own[i], strlen(own[i]));
		if (end)
			printf("%sok %d%s", *line == 'n' ? "not " : "", ++nr,
			       end);
		else if (!is_own)
			fputs(line, stdout);
	}
	return nr;
}

/* A program whose cases mostly wait runs so many at the same time, each share
 * of them in a process; not on a debug kernel, which takes its time.
 */
static inline int cases_run_at_once(int argc, char **argv, int shares)
{
	int status, failed = 0, nr = 0;
	FILE *said[shares];
	pid_t pid[shares];

	for (int i = 0; i < shares; i++) {
		said[i] = tmpfile();
		pid[i] = said[i] ? fork() : -1;
		if (pid[i])
			continue;
		dup2(fileno(said[i]), 1);
		dup2(fileno(said[i]), 2);
		cases_share(i, shares);
		exit(test_harness_run(argc, argv));
	}
	printf("TAP version 13\n");
	for (int i = 0; i < shares; i++) {
		failed |= waitpid(pid[i], &status, 0) != pid[i] || status;
		if (said[i])
			nr = cases_tell(said[i], nr);
	}
	printf("1..%d\n", nr);
	return failed ? KSFT_FAIL : KSFT_PASS;
}

#ifndef CASES_AT_ONCE
#define CASES_AT_ONCE 1
#endif

static inline int cases_run(int argc, char **argv)
{
	bool any = cases_choose();

	if (any && CASES_AT_ONCE > 1 && slow() == 1)
		return cases_run_at_once(argc, argv, CASES_AT_ONCE);
	if (any)
		return test_harness_run(argc, argv);
	printf("TAP version 13\n1..0 # SKIP no case matches\n");
	return KSFT_SKIP;
}

#undef TEST_HARNESS_MAIN
#define TEST_HARNESS_MAIN \
	int main(int argc, char **argv) \
	{ \
		exit(cases_run(argc, argv)); \
	}

#endif
