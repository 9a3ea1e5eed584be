// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl: its options, and its objects.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "prpctl.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <prp_release.h>

#include "command.h"
#include "kernel/netns.h"
#include "show/out.h"

static const struct command objects[] = {
	{ "hosts", hosts_main,
	  "{ setup | show | diff | add | del | link | flush }",
	  "the host table" },
	{ "node", node_main, "{ show }", "what is known of the others" },
	{ "dev", dev_main, "{ show | ethertype }", "rails of this machine" },
	{ "route", route_main, "{ show | add | del | flush }",
	  "ways to the others" },
	{ "forward", forward_main, "{ show | on | off | auto }",
	  "passing on frames for other hosts" },
	{ "access", access_main, "{ show | add | del | flush }",
	  "which hosts may connect to which ports, and be connected to" },
	{ "discover", discover_main, "{ show | on | off }",
	  "saying on devices who this machine is" },
	{ "sockets", sockets_main, "{ show }", "sockets and connections" },
	{ "stats", stats_main, "{ show }", "counters" },
	{ "memory", memory_main, "{ show | machine | namespace }",
	  "memory that connections may hold" },
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

	fprintf(to, "Usage: prpctl [OPTIONS] OBJECT { COMMAND | help }\n"
		    "Objects:\n");
	for (object = objects; object->name; object++)
		fprintf(to, "  %s %s\n      %s\n", object->name,
			object->arguments, object->help);
	fprintf(to, "Options:\n"
		    "  -j, --json         JSON\n"
		    "  -p, --pretty       JSON on several lines\n"
		    "  -n, --netns NAME   in this network namespace\n"
		    "  -V, --version      print the version\n"
		    "  -h, --help         print this\n");
}

static int run_object(int argc, char **argv)
{
	const struct command *object;

	if (!argc) {
		print_usage(stderr);
		return out_fail(EXIT_SYNTAX, "an object is missing");
	}
	if (command_is_help(argv[0])) {
		print_usage(stdout);
		return EXIT_OK;
	}
	object = command_find(objects, argv[0]);
	if (!object)
		return out_fail(EXIT_SYNTAX,
				"\"%s\" is no object; try \"prpctl help\"",
				argv[0]);
	return object->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "netns", required_argument, NULL, 'n' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool json = false, pretty = false;
	const char *netns = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, "+jpn:Vh", options, NULL)) !=
	       -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 'p':
			pretty = true;
			break;
		case 'n':
			netns = optarg;
			break;
		case 'V':
			puts("prpctl " PRP_RELEASE);
			return EXIT_OK;
		case 'h':
			print_usage(stdout);
			return EXIT_OK;
		default:
			print_usage(stderr);
			return EXIT_SYNTAX;
		}
	}
	out_init(json, pretty);
	status = netns ? netns_enter(netns) : EXIT_OK;
	if (status == EXIT_OK)
		status = run_object(argc - optind, argv + optind);
	return out_finish(status);
}
