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
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/prp.h>
#include <prp_release.h>

#include "image.h"
#include "why.h"

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
		"Usage: prprun [-qrv] [--] COMMAND [ARGUMENT]...\n"
		"Runs a TCP program over PRP where the peer is in the host table.\n"
		"  -q, --quiet     do not warn that a program runs without PRP\n"
		"  -r, --require   no TCP: what PRP does not carry fails\n"
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

static struct {
	bool quiet;
	bool require;
	bool verbose;
} wanted;

/* With -r it is an error, which -q does not keep back. */
static bool is_told(void)
{
	return wanted.require || !wanted.quiet;
}

/* A sandbox may forbid one of the families, and not the other one. */
static int tcp_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) : fd;
}

/*
 * Can PRP be put under a socket of TCP's? If not, that is told. Where prprun
 * runs this one it is there already.
 */
static bool kernel_has_prp(void)
{
	const char *so = wanted.require ? "" : ": all goes over TCP";
	int fd = tcp_socket();
	int saved;

	if (fd < 0) {
		if (is_told())
			warn("socket of TCP");
		return false;
	}
	if (!setsockopt(fd, IPPROTO_TCP, TCP_ULP, PRP_ULP, strlen(PRP_ULP)) ||
	    errno == EEXIST) {
		close(fd);
		return true;
	}
	saved = errno;
	close(fd);
	if (!is_told())
		return false;
	if (why_module_is_missing()) {
		warnx("PRP's module is not loaded%s (modprobe prp)", so);
		return false;
	}
	errno = saved;
	warn("PRP cannot be put under TCP%s", so);
	return false;
}

/* Can the command run over PRP? If not, that is told. */
static bool command_can(const char *command)
{
	const char *problem = NULL;
	char path[PATH_MAX];

	if (image_find(command, path, sizeof(path)))
		problem = image_problem(path);
	if (problem && is_told())
		warnx("%s: %s: it %s without PRP", path, problem,
		      wanted.require ? "would run" : "runs");
	return !problem;
}

static int run(char **argv)
{
	int status;

	execvp(argv[0], argv);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	warn("%s", argv[0]);
	return status;
}

/* The command's environment. Return: 0, or -1 and it is told why. */
static int prepare(void)
{
	const char *folder = find_folder();

	if (!folder) {
		warnx("%s is neither beside prprun nor in ../lib/prprun",
		      PRPRUN_LIBRARY);
		return -1;
	}
	/* The dynamic linker takes them for the end of a name. */
	if (strpbrk(folder, ": ")) {
		warnx("%s: a colon or a space in the name", folder);
		return -1;
	}
	if (preload(folder, PRPRUN_LIBRARY) ||
	    (wanted.verbose && preload(folder, PRPRUN_LIBRARY_VERBOSE)) ||
	    (wanted.require && setenv(PRPRUN_REQUIRE, "1", 1))) {
		warn("environment");
		return -1;
	}
	return 0;
}

/* Return: -1, or the exit status after an option that ends it all. */
static int read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quiet", no_argument, NULL, 'q' },
		{ "require", no_argument, NULL, 'r' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "+qrvVh", options, NULL)) !=
	       -1) {
		switch (option) {
		case 'q':
			wanted.quiet = true;
			break;
		case 'r':
			wanted.require = true;
			break;
		case 'v':
			wanted.verbose = true;
			break;
		case 'V':
			puts("prprun " PRP_RELEASE);
			return EXIT_SUCCESS;
		case 'h':
			print_usage(stdout);
			return EXIT_SUCCESS;
		default:
			print_usage(stderr);
			return EXIT_OURS;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	int status = read_options(argc, argv);
	bool can;

	if (status >= 0)
		return status;
	if (optind == argc) {
		warnx("a command is missing");
		print_usage(stderr);
		return EXIT_OURS;
	}
	if (prepare())
		return EXIT_OURS;
	can = kernel_has_prp() && command_can(argv[optind]);
	if (wanted.require && !can)
		return EXIT_OURS;
	return run(argv + optind);
}
