// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl explain: a request for a connection, as programs send it, and what
 * comes of it.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/prp.h>

#include "kernel/clock.h"
#include "show/explain.h"

/* Privileged, and nothing has been known to listen there since 1988. If
 * something does, that is an answer as well.
 */
#define PROBE_PORT 1
#define PROBE_MS 1000

/**
 * explain_request() - ask for a connection
 * @x: what was found out
 *
 * Unless a port was named, its refusal is as good an answer as any.
 */
void explain_request(struct explain *x)
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
	x->asked_us = clock_us();
	x->answer = connect(fd, (const struct sockaddr *)&to, sizeof(to)) ?
			    errno :
			    0;
	if (!x->rtt_us)
		x->rtt_us = clock_us() - x->asked_us;
	x->asked = true;
	close(fd);
}

/* An error came of what was asked, not of something before. */
static bool is_answered_by_error(const struct explain *x)
{
	uint64_t since_us = clock_us() - x->asked_us;

	return x->asked && peer_error(&x->peer) &&
	       (uint64_t)x->peer.error_ms * 1000 <= since_us + 1000;
}

/* Something is wrong on the way or at its end. Return: whether it is known. */
static bool judge_failure(struct explain *x)
{
	const struct peer *peer = &x->peer;
	const char *name = x->node->name;
	char lacks[PEER_FEATURES_LEN];

	if (peer->version_low >= 0 && peer->version_low == peer->version_high) {
		decide(x, "version", "%s speaks version %d only", name,
		       peer->version_low);
	} else if (peer->version_low >= 0) {
		decide(x, "version", "%s speaks versions %d to %d only", name,
		       peer->version_low, peer->version_high);
	} else if (x->answer == EPROTONOSUPPORT && peer_lacks(peer, lacks)) {
		decide(x, "features",
		       "%s and this machine cannot agree on feature %s", name,
		       lacks);
	} else if (is_answered_by_error(x)) {
		decide(x, "forwarder",
		       "node %d (%s) on the way to %s said \"%s\"",
		       peer->error_node,
		       table_name(&x->table, peer->error_node), name,
		       peer_error(peer));
		advise(x, "on %s: prpctl explain %s",
		       table_name(&x->table, peer->error_node), name);
		return true;
	} else if (x->answer == EHOSTUNREACH) {
		decide(x, "forwarder",
		       "a node on the way to %s knows no further way", name);
	} else if (x->answer != ETIMEDOUT) {
		decide(x, "error", "%s could not be asked: %s", name,
		       strerror(x->answer));
		return true;
	} else {
		return false;
	}
	advise(x, "install the same release of PRP on both");
	return true;
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

/**
 * explain_forbidden() - does this machine refuse to ask
 * @x: what was found out
 *
 * Return: whether it does; then there is a verdict.
 */
bool explain_forbidden(struct explain *x)
{
	uint16_t port = x->port ? x->port : PROBE_PORT;

	if (x->answer != EPERM)
		return false;
	decide(x, "forbidden",
	       "the connect list of this machine refuses port %u of %s", port,
	       x->node->name);
	advise(x, "prpctl access add %u %s out", port, x->node->name);
	return true;
}

/* Somebody listens, and has no room for another connection. */
static void judge_backlog(struct explain *x)
{
	decide(x, "backlog",
	       "somebody listens at port %u of %s, but takes no connection: its backlog is full",
	       x->port, x->node->name);
	advise(x, "on %s: prpctl sockets", x->node->name);
}

/**
 * explain_answer() - judge by what came of the request
 * @x: what was found out
 *
 * Return: false if nothing came, else there is a verdict.
 */
bool explain_answer(struct explain *x)
{
	bool refused = x->answer == ECONNREFUSED || x->answer == EACCES ||
		       x->answer == EPROTOTYPE;

	if (explain_forbidden(x))
		return true;
	if (x->answer == ETIMEDOUT && x->told) {
		judge_backlog(x);
	} else if (x->answer && !refused) {
		return judge_failure(x);
	} else if (refused && x->port) {
		judge_refusal(x);
	} else {
		x->reachable = true;
		decide(x, "reachable",
		       "%s is reachable: it answered after %u.%03u ms",
		       x->node->name, (unsigned int)(x->rtt_us / 1000),
		       (unsigned int)(x->rtt_us % 1000));
	}
	return true;
}
