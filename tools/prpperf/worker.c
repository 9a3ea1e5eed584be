// SPDX-License-Identifier: GPL-2.0
/*
 * What a worker is told, a line each, and what it says:
 *
 *	serve FAMILY ADDRESS SPEC	port HARDWARE PORT...
 *					accepted	when all flows are there
 *	end				served RESULT	or when all have gone
 *	call FAMILY TO FROM SPEC	connected
 *	warm				warm		when those are done
 *	go WHEN				progress ROUNDS	once a second
 *	stop				result RESULT	or when all is done
 *	within FROM TO			within ROUNDS	of the last call
 *					error TEXT	at any time, and it ends
 *
 * It ends with its standard input.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "family.h"
#include "flow.h"
#include "spec.h"
#include "worker.h"

/* What the words before the numbers name */
static const struct family *read_words(char *words, char **to, char **from,
				       struct spec *spec)
{
	const struct family *family;
	const char *why;
	char *name = strtok_r(words, " ", &words);

	*to = strtok_r(NULL, " ", &words);
	if (from)
		*from = strtok_r(NULL, " ", &words);
	family = name ? family_find(name) : NULL;
	if (!family || !*to || (from && !*from) || spec_parse(words, spec))
		control_die("that is no flow");
	why = flow_refuses(family, spec);
	if (why)
		control_die("%s", why);
	return family;
}

/* Waits for the next client; false if none is wanted any more. */
static bool next_client(const struct family *family, int fd,
			const struct spec *spec, struct end *end)
{
	struct pollfd fds[] = { { fd, POLLIN, 0 },
				{ STDIN_FILENO, POLLIN, 0 } };
	char line[SPEC_LINE];

	do {
		poll(fds, 2, -1);
		if (!fds[1].revents)
			continue;
		if (!control_line(line))
			exit(0);
		return false;
	} while (!family_accept(family, fd, spec, end));
	return true;
}

/* Sockets of datagrams are of one flow each. */
static int listen_all(const struct family *family, const char *at,
		      struct spec *spec, struct end *ends)
{
	char ports[SPEC_LINE - 64];
	int fd = -1, len = 0;

	for (uint64_t i = 0; i < spec->flows; i++) {
		if (fd < 0 || family->datagrams)
			fd = family_listen(family, at, spec);
		ends[i].fd = fd;
		len += snprintf(ports + len, sizeof(ports) - len, " %" PRIu64,
				spec->port);
		if (len >= sizeof(ports))
			control_die("so many flows cannot be");
	}
	control_say("port %" PRIu64 "%s", spec->hardware, ports);
	return family->datagrams ? -1 : fd;
}

static void serve(char *words)
{
	const struct family *family;
	struct spec spec = {};
	struct result result;
	struct end *ends;
	char line[SPEC_LINE], *at;
	bool come = true;
	int listener;

	family = read_words(words, &at, NULL, &spec);
	ends = calloc(spec.flows, sizeof(*ends));
	if (!ends)
		control_die("%s", strerror(ENOMEM));
	listener = listen_all(family, at, &spec, ends);
	for (uint64_t i = 0; come && i < spec.flows; i++)
		come = next_client(family, ends[i].fd, &spec, ends + i);
	if (listener >= 0)
		close(listener);
	for (uint64_t i = 0; family->datagrams && i < spec.flows; i++)
		family_drain(ends + i, true);
	if (!come)
		exit(0); /* some of the flows would hang */
	control_say("accepted");
	flow_serve(ends, &spec, &result);
	for (uint64_t i = 0; i < spec.flows; i++)
		close(ends[i].fd);
	free(ends);
	spec_print_result(line, &result);
	control_say("served%s", line);
}

static void call(char *words)
{
	const struct family *family;
	char line[SPEC_LINE], *to, *from;
	struct spec spec = {};
	struct result result;
	struct end end;

	family = read_words(words, &to, &from, &spec);
	family_connect(family, to, from, &spec, &end);
	control_say("connected");
	if (!control_line(line))
		exit(0);
	if (family->datagrams)
		family_drain(&end, false); /* more than one hello */
	flow_call(&end, &spec, &result);
	close(end.fd);
	spec_print_result(line, &result);
	control_say("result%s", line);
}

static void say_within(const char *words)
{
	uint64_t from, to;

	if (sscanf(words, "%" SCNu64 " %" SCNu64, &from, &to) != 2)
		control_die("that is no window");
	control_say("within %" PRIu64, flow_within(from, to));
}

/**
 * worker_run() - do what lines of standard input say, until they end
 *
 * Return: an exit status
 */
int worker_run(void)
{
	char line[SPEC_LINE];

	flow_prepare();
	while (control_line(line)) {
		if (!strncmp(line, "serve ", 6))
			serve(line + 6);
		else if (!strncmp(line, "call ", 5))
			call(line + 5);
		else if (!strncmp(line, "within ", 7))
			say_within(line + 7);
		/* an end, or a stop, that came late */
	}
	return 0;
}
