/* SPDX-License-Identifier: GPL-2.0 */
/* Which cases of a program run: those that match $CASES, as in lib.sh. */
#ifndef _SELFTESTS_CASES_H
#define _SELFTESTS_CASES_H

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "kselftest_harness.h"

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

static inline int cases_run(int argc, char **argv)
{
	if (cases_choose())
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
