// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl explain: is a host reachable now, and if not, why. What this machine
 * itself knows is looked at first; then the host is asked, at the port that
 * the question is about if one is named.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/prp.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/way.h"
#include "prpctl.h"
#include "show/describe.h"
#include "show/fields.h"
#include "show/out.h"
#include "show/print.h"

/* Privileged, and nothing has been known to listen there since 1988. If
 * something does, that is an answer as well.
 */
#define PROBE_PORT 1
#define PROBE_MS 1000
#define TEXT_LEN 400

/**
 * struct explain - what was found out
 * @nl: socket
 * @word: host that was asked about
 * @port: port that was asked about, or 0
 * @table: the hosts
 * @node: the host, or NULL
 * @rails: rails of this machine
 * @route: the way to the host
 * @peer: what is known of it
 * @asked: it was sent something
 * @asked_us: when, by now_us()
 * @answer: errno that came of it
 * @rtt_us: how long that took
 * @reachable: it is reachable
 * @verdict: name of the verdict, which never changes its meaning
 * @text: the verdict in words
 */
struct explain {
	struct nl nl;
	const char *word;
	uint16_t port;
	struct table table;
	const struct prphosts_node *node;
	struct rails rails;
	struct route route;
	struct peer peer;
	bool asked;
	uint64_t asked_us;
	int answer;
	uint64_t rtt_us;
	bool reachable;
	const char *verdict;
	char text[TEXT_LEN];
};

static void __attribute__((format(printf, 3, 4)))
decide(struct explain *x, const char *verdict, const char *format, ...)
{
	va_list args;

	x->verdict = verdict;
	va_start(args, format);
	vsnprintf(x->text, sizeof(x->text), format, args);
	va_end(args);
}

/* ---- asking the host ---- */

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/*
 * A request for a connection; unless a port was named, its refusal is as good
 * an answer as any.
 */
static void ask(struct explain *x)
{
	struct sockaddr_prp to = {
		.sprp_family = AF_PRP,
		.sprp_port = htons(x->port ? x->port : PROBE_PORT),
		.sprp_addr = htons(x->node->number),
	};
	uint32_t timeout_ms = PROBE_MS;
	int fd;

	fd = socket(AF_PRP, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		x->answer = errno;
		return;
	}
	setsockopt(fd, SOL_PRP, PRP_USER_TIMEOUT, &timeout_ms,
		   sizeof(timeout_ms));
	x->asked_us = now_us();
	x->answer = connect(fd, (const struct sockaddr *)&to, sizeof(to)) ?
			    errno :
			    0;
	x->rtt_us = now_us() - x->asked_us;
	x->asked = true;
	close(fd);
}

/* ---- verdicts ---- */

/* Without the host's help. Return: whether there is a verdict. */
static bool judge_table(struct explain *x)
{
	if (!x->node) {
		decide(x, "unknown", "\"%s\" is not in the host table",
		       x->word);
	} else if (!x->table.self) {
		decide(x, "not-a-node",
		       "this machine is not in the host table: no device has a hardware address of it");
	} else if (x->node->number == x->table.self && !x->port) {
		decide(x, "self", "%s is this machine", x->node->name);
		x->reachable = true;
	} else {
		return false;
	}
	return true;
}

static bool judge_route(struct explain *x)
{
	const char *next = x->route.via ? table_name(&x->table, x->route.via) :
					  x->node->name;
	const char *name = x->node->name;

	/* without a next node no device would help */
	switch (x->route.error && !x->route.via ? EHOSTUNREACH :
						  x->route.error) {
	case 0:
		return false;
	case EHOSTUNREACH:
		if (x->table.links)
			decide(x, "no-way", "no links lead to %s", name);
		else
			decide(x, "no-way",
			       "%s and this machine have no rail in common",
			       name);
		break;
	case ENETUNREACH:
		decide(x, "no-device",
		       "no device of this machine is on a rail of %s", next);
		break;
	case ENETDOWN:
		decide(x, "device-down", "no device on a rail of %s is up",
		       next);
		break;
	case ENOLINK:
		decide(x, "no-carrier",
		       "no device on a rail of %s has a carrier", next);
		break;
	default:
		decide(x, "no-way", "no frame can leave for %s: %s", name,
		       strerror(x->route.error));
		break;
	}
	return true;
}

/* An error came of what was asked, not of something before. */
static bool is_answered_by_error(const struct explain *x)
{
	uint64_t since_us = now_us() - x->asked_us;

	return x->asked && peer_error(&x->peer) &&
	       (uint64_t)x->peer.error_ms * 1000 <= since_us + 1000;
}

/* Something is wrong on the way or at its end. */
static void judge_silence(struct explain *x)
{
	const struct peer *peer = &x->peer;
	const char *name = x->node->name;
	char lacks[PEER_FEATURES_LEN];

	if (peer->version_low >= 0 && peer->version_low == peer->version_high)
		decide(x, "version", "%s speaks version %d only", name,
		       peer->version_low);
	else if (peer->version_low >= 0)
		decide(x, "version", "%s speaks versions %d to %d only", name,
		       peer->version_low, peer->version_high);
	else if (x->answer == EPROTONOSUPPORT && peer_lacks(peer, lacks))
		decide(x, "features",
		       "%s and this machine cannot agree on feature %s", name,
		       lacks);
	else if (is_answered_by_error(x))
		decide(x, "forwarder",
		       "node %d (%s) on the way to %s said \"%s\"",
		       peer->error_node,
		       table_name(&x->table, peer->error_node), name,
		       peer_error(peer));
	else if (x->answer == EHOSTUNREACH)
		decide(x, "forwarder",
		       "a node on the way to %s knows no further way", name);
	else if (x->answer != ETIMEDOUT)
		decide(x, "error", "%s could not be asked: %s", name,
		       strerror(x->answer));
	else if (peer->table_differs)
		decide(x, "table",
		       "%s does not answer; its host table differed when it was last heard",
		       name);
	else
		decide(x, "silent", "%s does not answer", name);
}

static void judge_refusal(struct explain *x)
{
	const char *name = x->node->name;

	if (x->answer == EACCES)
		decide(x, "denied",
		       "the accept list of %s refuses this machine at port %u",
		       name, x->port);
	else if (x->answer == EPROTOTYPE)
		decide(x, "type",
		       "a socket of another type listens at port %u of %s",
		       x->port, name);
	else
		decide(x, "no-listener", "nobody listens at port %u of %s",
		       x->port, name);
}

/* This machine has not even asked. */
static void judge_own_refusal(struct explain *x)
{
	decide(x, "forbidden",
	       "the connect list of this machine refuses port %u of %s",
	       x->port ? x->port : PROBE_PORT, x->node->name);
}

static void judge_answer(struct explain *x)
{
	bool refused = x->answer == ECONNREFUSED || x->answer == EACCES ||
		       x->answer == EPROTOTYPE;

	if (x->answer == EPERM) {
		judge_own_refusal(x);
	} else if (x->answer && !refused) {
		judge_silence(x);
	} else if (refused && x->port) {
		judge_refusal(x);
	} else {
		x->reachable = true;
		decide(x, "reachable",
		       "%s is reachable: it answered after %u.%03u ms",
		       x->node->name, (unsigned int)(x->rtt_us / 1000),
		       (unsigned int)(x->rtt_us % 1000));
	}
}

static int look(struct explain *x)
{
	int err;

	err = rail_fetch(&x->nl, &x->rails);
	if (err)
		return ask_refused(&x->nl, err, "reading the rails");
	if (judge_table(x))
		return EXIT_OK;
	err = route_fetch(&x->nl, x->node->number, &x->route);
	if (err)
		return ask_refused(&x->nl, err, "reading the route");
	if (!judge_route(x))
		ask(x);
	err = peer_fetch(&x->nl, x->node->number, &x->peer);
	if (err)
		return ask_refused(&x->nl, err, "reading the peers");
	if (!x->verdict)
		judge_answer(x);
	return EXIT_OK;
}

/* ---- evidence ---- */

static void show_rails(const struct explain *x)
{
	unsigned int r;

	out_array("rails");
	for (r = 0; r < x->rails.count; r++) {
		out_text("  %s\n", describe_rail(&x->rails.rail[r]).text);
		out_object(NULL);
		if (out_is_json())
			fields_rail(&x->rails.rail[r]);
		out_end();
	}
	out_end();
}

/*
 * The first hop is the kernel's word, the others follow from the links. An
 * override may send frames to where they come back from.
 */
static void show_way(const struct explain *x)
{
	uint16_t way[WAY_MAX], self = x->table.self;
	bool loop = false;
	int i, count = 0;

	if (x->route.via && x->table.links)
		count = way_find(&x->table, x->route.via, x->node->number, way);
	out_array("way");
	if (x->route.via)
		out_number(NULL, self, OUT_JSON_ONLY);
	for (i = 0; i < count && !loop; i++) {
		loop = way[i] == self;
		out_text(i ? " - %u (%s)" : "  way: this machine - %u (%s)",
			 way[i], table_name(&x->table, way[i]));
		out_number(NULL, way[i], OUT_JSON_ONLY);
	}
	out_text(loop ? ": a loop" : "");
	if (x->route.via && !count)
		out_number(NULL, x->route.via, OUT_JSON_ONLY);
	out_text("%s", count ? "\n" : "");
	out_end();
}

static void show_links(const struct explain *x)
{
	size_t i;

	out_array("links");
	for (i = 0; i < x->table.links; i++) {
		const struct prphosts_link *link = &x->table.link[i];

		if (link->node != x->node->number &&
		    link->peer != x->node->number &&
		    link->node != x->table.self && link->peer != x->table.self)
			continue;
		out_text("  ");
		print_link(NULL, link);
	}
	out_end();
}

static void show_evidence(const struct explain *x)
{
	out_text("  host table: generation %u, hosts %zu, links %zu\n",
		 x->table.generation, x->table.nodes, x->table.links);
	show_rails(x);
	if (!x->node || !x->route.number)
		return;
	show_links(x);
	out_text("  %s\n", describe_route(&x->route, &x->table).text);
	out_object("route");
	if (out_is_json())
		fields_route(&x->route, &x->table);
	out_end();
	show_way(x);
	out_text("  %s\n", describe_peer(&x->peer, &x->table).text);
	out_object("peer");
	if (out_is_json())
		fields_peer(&x->peer, &x->table);
	out_end();
}

static void show(const struct explain *x)
{
	out_text("%s\n", x->text);
	out_string("verdict", x->verdict, OUT_JSON_ONLY);
	out_string("text", x->text, OUT_JSON_ONLY);
	out_bool("reachable", x->reachable);
	if (x->node)
		out_number("number", x->node->number, OUT_JSON_ONLY);
	else
		out_null("number");
	if (x->asked && x->reachable)
		out_number("rtt_us", x->rtt_us, OUT_JSON_ONLY);
	else
		out_null("rtt_us");
	show_evidence(x);
}

static int explain(int argc, char **argv)
{
	struct explain x = { 0 };
	int status;

	if (!argc)
		return out_fail(EXIT_SYNTAX, "HOST is missing");
	if (argc > 2 || argv[0][0] == '-')
		return command_not_understood(argv[argc - 1]);
	x.word = argv[0];
	if (argc == 2)
		x.port = command_number(argv[1], 65535, 0, NULL);
	if (argc == 2 && !x.port)
		return command_not_understood(argv[1]);
	status = ask_open(&x.nl);
	if (status)
		return status;
	status = ask_table(&x.nl, &x.table);
	if (!status) {
		x.node = table_find(&x.table, x.word);
		status = look(&x);
	}
	if (!status) {
		show(&x);
		status = x.reachable ? EXIT_OK : EXIT_KERNEL;
	}
	table_free(&x.table);
	nl_close(&x.nl);
	return status;
}

/**
 * explain_main() - prpctl explain
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int explain_main(int argc, char **argv)
{
	static const struct command command = {
		"explain", explain, "HOST [PORT]",
		"is a host, or a port of it, reachable now, and if not, why"
	};

	return command_single(&command, argc, argv);
}
