// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl: its options, and its objects.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "prpctl.h"

#include <stdio.h>

#include "batch.h"
#include "command.h"
#include "options.h"
#include "show/out.h"

static const struct command objects[] = {
	{ "hosts", hosts_main,
	  "{ setup | show | diff | check | discover | add | del | link | flush }",
	  "the host table" },
	{ "node", node_main, "{ show }", "what is known of the others" },
	{ "dev", dev_main, "{ show | ethertype | steer }",
	  "rails of this machine" },
	{ "route", route_main, "{ show | add | del | flush }",
	  "ways to the others" },
	{ "forward", forward_main, "{ show | on | off | auto }",
	  "passing on frames for other hosts" },
	{ "access", access_main, "{ setup | show | add | del | flush }",
	  "which hosts may connect to which ports, and be connected to" },
	{ "discover", discover_main, "{ show | on | off }",
	  "saying on devices who this machine is" },
	{ "sockets", sockets_main, "{ show }", "sockets and connections" },
	{ "stats", stats_main, "{ show }", "counters" },
	{ "top", top_main, "[-1]", "what connections and rails move now" },
	{ "memory", memory_main, "{ show | machine | namespace }",
	  "memory that connections may hold" },
	{ "fault", fault_main, "{ show | add | del | flush }",
	  "faults injected into frames that come in" },
	{ "explain", explain_main, "HOST [PORT]",
	  "is a host, or a port of it, reachable now, and if not, why" },
	{ "ping", ping_main,
	  "HOST [count N] [interval S] [size BYTES] [rail N]",
	  "how long a host takes to reply" },
	{ "monitor", monitor_main, "[-t]", "print what changes" },
	{ 0 }
};

static void print_usage(FILE *to)
{
	const struct command *object;

	fprintf(to,
		"Usage: prpctl [OPTIONS] OBJECT { COMMAND | help } [OPTIONS]\n"
		"Objects:\n");
	for (object = objects; object->name; object++)
		fprintf(to, "  %s %s\n      %s\n", object->name,
			object->arguments, object->help);
	fprintf(to, "Options, before the object or behind it:\n"
		    "  -j, --json           JSON\n"
		    "  -p, --pretty         JSON on several lines\n"
		    "  -br, --brief         what matters most, without heads\n"
		    "  -s, --statistics     what has passed, too\n"
		    "  -d, --details        what else is known, too\n"
		    "  -c, --color[=WHEN]   always, auto or never\n"
		    "  -n, --netns NAME     in this network namespace\n"
		    "  -b, --batch FILE     each line is a command\n"
		    "      --force          all of them, whichever fails\n"
		    "  -V, --version        print the version\n"
		    "  -h, --help           print this\n");
}

/* What stands behind the options before the object */
static int run_words(int argc, char **argv)
{
	const struct command *object;

	if (options.version)
		return command_version();
	if (options.help || (argc && command_is_help(argv[0]))) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!argc)
		return out_fail(EXIT_SYNTAX,
				"an object is missing; try \"prpctl help\"");
	object = command_find(objects, argv[0]);
	if (object)
		return object->run(argc - 1, argv + 1);
	argc--;
	argv++;
	options_take(NULL, &argc, argv);
	return out_fail(EXIT_SYNTAX, "\"%s\" is no object; try \"prpctl help\"",
			argv[-1]);
}

int main(int argc, char **argv)
{
	int status;

	argc--;
	argv++;
	status = options_take_first(&argc, &argv);
	if (status)
		return out_finish(status);
	if (!options.batch)
		status = run_words(argc, argv);
	else if (argc)
		status =
			out_fail(EXIT_SYNTAX, "\"%s\" beside a batch", argv[0]);
	else
		status = batch_run(options.batch, run_words);
	return out_finish(status);
}
