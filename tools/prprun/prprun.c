// SPDX-License-Identifier: GPL-2.0
/*
 * prprun: runs a command with libprprun.so loaded into it, so that its TCP
 * connections are PRP's where the host table knows the peer.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "prprun.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/prp.h>

#include "image.h"

#define PRELOAD "LD_PRELOAD"

/* Exit status where the command has none, as env(1) has them */
enum {
	EXIT_OURS = 125, /* prprun itself failed */
	EXIT_CANNOT_RUN = 126, /* the command is there and cannot be run */
	EXIT_NOT_FOUND = 127,
};

static void print_usage(FILE *to)
{
	fprintf(to,
		"Usage: prprun [-v] [--] COMMAND [ARGUMENT]...\n"
		"Runs a TCP program over PRP where the peer is in the host table.\n"
		"  -v, --verbose   tell what carries each connection\n"
		"  -V, --version   print the version\n"
		"  -h, --help      print this\n");
}

/*
 * The folder of the libraries: that of prprun where it was built, else
 * ../lib/prprun from there. Returns NULL if it is neither.
 */
static const char *find_folder(void)
{
	static const char *const places[] = { ".", "../lib/prprun", NULL };
	char own[PATH_MAX], place[2 * PATH_MAX];
	static char folder[PATH_MAX];
	const char *const *try;
	ssize_t len;

	len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (len < 0)
		return NULL;
	own[len] = 0;
	dirname(own);
	for (try = places; *try; try++) {
		snprintf(place, sizeof(place), "%s/%s/%s", own, *try,
			 PRPRUN_LIBRARY);
		if (realpath(place, folder))
			return dirname(folder);
	}
	return NULL;
}

/* Ours come before those that the environment names already. */
static int preload(const char *folder, const char *library)
{
	const char *others = getenv(PRELOAD);
	char *value;
	int ret;

	if (!others)
		others = "";
	if (asprintf(&value, "%s/%s%s%s", folder, library, *others ? ":" : "",
		     others) < 0)
		return -1;
	ret = setenv(PRELOAD, value, 1);
	free(value);
	return ret;
}

/* With -v: why no connection at all can be PRP's */
static void check_kernel(void)
{
	int fd = socket(AF_PRP, SOCK_STREAM | SOCK_CLOEXEC, PRPPROTO_INET);

	if (fd >= 0)
		close(fd);
	else if (errno == EAFNOSUPPORT)
		warnx("all goes over TCP: is PRP's module loaded? modprobe prp");
	else
		warn("all goes over TCP: no socket of PRP");
}

static int run(char **argv)
{
	char path[PATH_MAX];
	int status;

	if (image_find(argv[0], path, sizeof(path)) && image_is_static(path))
		warnx("%s: static, nothing can be loaded into it: it runs without PRP",
		      path);
	execvp(argv[0], argv);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	warn("%s", argv[0]);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	const char *folder;
	bool verbose = false;
	int option;

	while ((option = getopt_long(argc, argv, "+vVh", options, NULL)) !=
	       -1) {
		switch (option) {
		case 'v':
			verbose = true;
			break;
		case 'V':
			puts("prprun " PRPRUN_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			print_usage(stdout);
			return EXIT_SUCCESS;
		default:
			print_usage(stderr);
			return EXIT_OURS;
		}
	}
	if (optind == argc) {
		warnx("a command is missing");
		print_usage(stderr);
		return EXIT_OURS;
	}
	folder = find_folder();
	if (!folder) {
		warnx("%s is neither beside prprun nor in ../lib/prprun",
		      PRPRUN_LIBRARY);
		return EXIT_OURS;
	}
	/* The dynamic linker takes them for the end of a name. */
	if (strpbrk(folder, ": ")) {
		warnx("%s: a colon or a space in the name", folder);
		return EXIT_OURS;
	}
	if (preload(folder, PRPRUN_LIBRARY) ||
	    (verbose && preload(folder, PRPRUN_LIBRARY_VERBOSE))) {
		warn(PRELOAD);
		return EXIT_OURS;
	}
	if (verbose)
		check_kernel();
	return run(argv + optind);
}
