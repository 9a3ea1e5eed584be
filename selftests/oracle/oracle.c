// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the cases with sockets of TCP and of PRP, and compares what they saw:
 *
 *	oracle [--list] [CASE...]
 *
 * without names all, or those that match the pattern in $CASES. A difference
 * that the file differences does not have fails, as does a line of it that is
 * no difference any more. Each case prints a row of the table that
 * `make oracle` keeps as Documentation/results/sockets.rst: the cases and
 * verdicts there must be those of the run, the answers may differ by kernel.
 */
#include "world.h"

#include <err.h>
#include <fnmatch.h>
#include <libgen.h>

#include "differences.h"

#define FIRST_PORT 10000

static struct oracle_case *cases;
static struct oracle_case **last_case = &cases;
static int planned, results, failures;

void oracle_add(struct oracle_case *one)
{
	*last_case = one;
	last_case = &one->next;
}

static bool is_chosen(const struct oracle_case *one, char **names)
{
	const char *pattern = getenv("CASES");

	if (!*names)
		return !pattern || !*pattern ||
		       !fnmatch(pattern, one->name, FNM_EXTMATCH);
	for (; *names; names++)
		if (!fnmatch(*names, one->name, FNM_EXTMATCH))
			return true;
	return false;
}

static void result(bool ok, const char *name)
{
	printf("%sok %d %s\n", ok ? "" : "not ", ++results, name);
	failures += !ok;
	fflush(stdout);
}

/* What a flavour of PRP gave beside what TCP gave: the cell of the table, and
 * whether it may be so.
 */
static bool judge(const struct oracle_case *one, enum flavour of,
		  const char *tcp, const char *prp, char *cell)
{
	struct difference *listed = difference_find(one->name, of);
	const char *name = of == IP ? "ip" : "native";
	bool same = !strcmp(tcp, prp);

	if (listed)
		sprintf(cell, "listed: %s", prp);
	else if (same)
		strcpy(cell, "same");
	else
		sprintf(cell, "differs: %s", prp);
	if (listed && !listed->applies)
		listed = NULL;
	if (same && listed)
		printf("# %s with %s: on the list, but no difference: %s\n",
		       one->name, name, prp);
	else if (!same && !listed)
		printf("# %s with %s: %s, but TCP: %s\n", one->name, name, prp,
		       tcp);
	else if (!same && strcmp(listed->answer, prp))
		printf("# %s with %s: %s, but on the list: %s\n", one->name,
		       name, prp, listed->answer);
	else
		return true;
	return false;
}

static void run(const struct oracle_case *one, int port)
{
	char answers[FLAVOURS][ANSWER];
	char cells[FLAVOURS][ANSWER + 16] = { "", "-", "-" };
	int end = one->native ? NATIVE : IP;
	long began = now_ms();
	bool ok;

	for (int of = TCP; of <= end; of++)
		world_run(one, of, port + of * PORTS, answers[of]);
	/* TCP itself must have an answer */
	ok = !strstr(answers[TCP], "NO ") && !strstr(answers[TCP], "HANGS");
	if (!ok)
		printf("# %s with tcp: %s\n", one->name, answers[TCP]);
	for (int of = IP; of <= end; of++)
		ok &= judge(one, of, answers[TCP], answers[of], cells[of]);
	printf("# row: %s | %s | %s | %s\n", one->name, answers[TCP], cells[IP],
	       cells[NATIVE]);
	ok &= table_has(one->name, cells[IP], cells[NATIVE]);
	if (now_ms() - began > 1000)
		printf("# %s took %ld ms\n", one->name, now_ms() - began);
	result(ok, one->name);
}

/* What is said of cases that are no more is wrong, too. */
static void run_all(char **names)
{
	const struct oracle_case *one;
	int port = FIRST_PORT;

	for (one = cases; one; one = one->next, port += FLAVOURS * PORTS) {
		if (is_chosen(one, names))
			run(one, port);
		difference_known(one->name);
		table_known(one->name);
	}
	result(differences_all_known() & table_all_known(),
	       "lists__name_cases");
	result(world_freed(), "connections__are_freed");
}

static void list(void)
{
	for (const struct oracle_case *one = cases; one; one = one->next)
		printf("%s%s\n", one->name, one->native ? "" : " (not native)");
}

int main(int argc, char **argv)
{
	(void)argc;
	if (argv[1] && !strcmp(argv[1], "--list")) {
		list();
		return 0;
	}
	for (const struct oracle_case *one = cases; one; one = one->next)
		planned += is_chosen(one, argv + 1);
	printf("TAP version 13\n");
	if (!planned) {
		printf("1..0 # SKIP no case matches\n");
		return 4;
	}
	if (differences_read(dirname(strdup(argv[0]))) || world_make())
		err(1, "cannot begin");
	printf("1..%d\n", planned + 2);
	run_all(argv + 1);
	return failures > 0;
}
