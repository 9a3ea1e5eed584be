// SPDX-License-Identifier: GPL-2.0
/* prpperf: the command line. What can be measured is in experiments.c. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "experiments.h"
#include "family.h"
#include "out.h"
#include "worker.h"
#include "prp_release.h"

#define LIMIT_S 60

enum { EXIT_USAGE = 2, EXIT_SIGNAL = 130 };

static const struct option long_options[] = {
	{ "family", required_argument, NULL, 'f' },
	{ "size", required_argument, NULL, 'z' },
	{ "count", required_argument, NULL, 'c' },
	{ "rounds", required_argument, NULL, 'n' },
	{ "warm-up", required_argument, NULL, 'w' },
	{ "time", required_argument, NULL, 't' },
	{ "limit", required_argument, NULL, 'L' },
	{ "wait", required_argument, NULL, 'W' },
	{ "mtu", required_argument, NULL, 'm' },
	{ "sndbuf", required_argument, NULL, 'S' },
	{ "rcvbuf", required_argument, NULL, 'R' },
	{ "nagle", no_argument, NULL, 'N' },
	{ "check", no_argument, NULL, 'C' },
	{ "json", no_argument, NULL, 'j' },
	{ "progress", no_argument, NULL, 'p' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{},
};

static const char usage_text[] =
	"usage: prpperf [OPTION]... EXPERIMENT NODE...\n"
	"       prpperf -V | -h\n";

static const char options_text[] =
	"\nA NODE is an ADDRESS of the family, with @netns:NAME or @ssh:HOST\n"
	"behind it where it is not here.\n"
	"\nOptions:\n"
	"  -f, --family NAME     over what, prp if none is named\n"
	"  -z, --size LIST       bytes of a message, separated by commas\n"
	"  -c, --count LIST      messages of a round, clients or nodes\n"
	"  -n, --rounds N        rounds that are measured\n"
	"  -w, --warm-up N       rounds before those, 20\n"
	"  -t, --time SECONDS    measure so long instead\n"
	"  -L, --limit SECONDS   longer than it should no measurement takes, 60\n"
	"  -W, --wait MS         a datagram is lost after so long, 300\n"
	"  -m, --mtu BYTES       of the frames that the fit is of, 1500\n"
	"  -S, --sndbuf BYTES    of each socket\n"
	"  -R, --rcvbuf BYTES    of each socket\n"
	"  -N, --nagle           leave Nagle's algorithm on\n"
	"  -C, --check           compare the bytes of all rounds\n"
	"  -j, --json            instead of a table\n"
	"  -p, --progress        tell how far it is, also if nobody looks\n"
	"  -V, --version         tell the version\n"
	"  -h, --help            tell this\n";

static void help(void)
{
	printf("%s\nExperiments:\n", usage_text);
	for (const struct experiment *e = experiments; e->name; e++)
		printf("  %-10s %-17s %s\n", e->name, e->nodes, e->what);
	printf("\nFamilies:\n");
	for (const struct family *f = families; f->name; f++)
		printf("  %-10s %s\n", f->name, f->what);
	printf("%s", options_text);
}

static void usage(const char *what, const char *why)
{
	fprintf(stderr, "prpperf: %s: %s\n", what, why);
	exit(EXIT_USAGE);
}

static uint64_t to_number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno)
		usage(text, "no number");
	if (value < least || value > most)
		usage(text, "out of range");
	return value;
}

static void numbers(char *text, uint64_t least, uint64_t most,
		    struct list *list)
{
	char *one;

	list->count = 0;
	while ((one = strsep(&text, ","))) {
		if (list->count == LIST_MAX)
			usage(one, "too many");
		list->values[list->count++] = to_number(one, least, most);
	}
}

static uint64_t milliseconds(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!isdigit((unsigned char)*text) || *end)
		usage(text, "no number");
	if (!(seconds >= 0.001 && seconds <= 86400))
		usage(text, "out of range");
	return seconds * 1000;
}

static struct crew crew;
static bool json;

static void take_option(int option, char *arg, struct run *run)
{
	struct spec *spec = &run->spec;

	switch (option) {
	case 'f':
		crew.family = family_find(arg);
		if (!crew.family)
			usage(arg, "no such family");
		return;
	case 'z':
		return numbers(arg, 0, SPEC_SIZE_MAX, &run->sizes);
	case 'c':
		return numbers(arg, 1, 1 << 20, &run->counts);
	case 'n':
		spec->rounds = to_number(arg, 1, 1000000000);
		return;
	case 'w':
		spec->warm = to_number(arg, 0, 1000000000);
		return;
	case 't':
		spec->ms = milliseconds(arg);
		return;
	case 'L':
		crew.limit_ms = milliseconds(arg);
		return;
	case 'W':
		spec->wait_ms = to_number(arg, 1, 3600000);
		return;
	case 'm':
		run->mtu = to_number(arg, 68, 65535);
		return;
	case 'S':
		spec->sndbuf = to_number(arg, 1, 1 << 30);
		return;
	case 'R':
		spec->rcvbuf = to_number(arg, 1, 1 << 30);
		return;
	case 'N':
		spec->nagle = 1;
		return;
	case 'C':
		spec->check = 1;
		return;
	case 'j':
		json = true;
		return;
	case 'p':
		crew.progress = true;
		return;
	case 'V':
		printf("prpperf %s\n", PRP_RELEASE);
		exit(0);
	case 'h':
		help();
		exit(0);
	}
	fprintf(stderr, "%s", usage_text);
	exit(EXIT_USAGE);
}

static void take_nodes(char **words, unsigned int count,
		       const struct experiment *experiment, struct run *run)
{
	if (count < experiment->least || count > experiment->most)
		usage(experiment->name, experiment->nodes);
	if (crew.family->domain == AF_PACKET && !experiment->frames)
		usage(experiment->name, "not with raw packets");
	if (crew.family->domain == AF_PACKET && count < 2)
		usage(experiment->name, "raw packets need two devices");
	run->nodes = calloc(count + 1, sizeof(*run->nodes));
	for (unsigned int i = 0; i < count; i++)
		if (!crew_node(words[i], run->nodes + i))
			usage(run->nodes[i].text, "no node");
	run->node_count = count;
	if (count > 1)
		return;
	/* The client is here. */
	run->nodes[1] = (struct node){ "here", "-", NULL, NULL };
	run->node_count = 2;
}

static int report(const struct experiment *experiment, int err)
{
	bool cut = crew_interrupted();
	const char *why = err && err != -EINTR ? crew.error : NULL;

	out_end(why, cut);
	if (!why && out_failed())
		why = strerror(out_failed());
	if (why)
		fprintf(stderr, "prpperf: %s: %s\n", experiment->name, why);
	return why ? 1 : cut ? EXIT_SIGNAL : 0;
}

int main(int argc, char **argv)
{
	struct run run = {
		.crew = &crew,
		.spec = { .warm = 20, .wait_ms = 300, .flows = 1 },
		.mtu = 1500,
	};
	const struct experiment *experiment;
	int option, err;

	if (argc == 2 && !strcmp(argv[1], WORKER_WORD))
		return worker_run();
	crew.family = families;
	crew.limit_ms = LIMIT_S * 1000;
	crew.progress = isatty(STDERR_FILENO);
	while ((option = getopt_long(argc, argv, "f:z:c:n:w:t:L:W:m:S:R:NCjpVh",
				     long_options, NULL)) > 0)
		take_option(option, optarg, &run);
	if (optind == argc)
		take_option('?', NULL, &run);
	experiment = experiments_find(argv[optind++]);
	if (!experiment)
		usage(argv[optind - 1], "no such experiment");
	take_nodes(argv + optind, argc - optind, experiment, &run);
	if (!run.sizes.count)
		run.sizes = experiment->sizes;
	if (!run.counts.count)
		run.counts = experiment->counts;
	crew_heed_signals();
	out_begin(json, experiment->name, crew.family->name);
	err = out_failed() ? 0 : experiment->run(&run);
	crew_dismiss(&crew);
	return report(experiment, err);
}
