// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl explain: is a host reachable now, and if not, why. What this machine
 * itself knows is looked at first; then the host is asked what it says, and
 * what passes is tried; then a connection is asked for, at the port that the
 * question is about if one is named; and if nothing comes back, IP is asked.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "hosts/hosts_report.h"
#include "kernel/ask.h"
#include "kernel/device.h"
#include "kernel/way.h"
#include "prpctl.h"
#include "show/describe.h"
#include "show/explain.h"
#include "show/fields.h"
#include "show/out.h"
#include "show/print.h"

/* Nothing comes back, and nothing that was found out says why. */
static void judge_silence(struct explain *x)
{
	const char *name = x->node->name;

	if (x->peer.table_differs)
		decide(x, "table",
		       "%s does not answer; its host table differed when it was last heard",
		       name);
	else
		decide(x, "silent", "%s does not answer", name);
	advise(x, "on %s: prpctl explain %s", name, x->self->name);
}

/* Whether programs here may ask for the port is not the host's to say. Without
 * one, a request only goes to who does not reply to queries.
 *
 * Return: EXIT_OK or EXIT_KERNEL.
 */
static int ask_host(struct explain *x)
{
	int err = 0;

	if (x->port)
		explain_request(x);
	if (!explain_forbidden(x))
		err = explain_probe(x);
	if (err)
		return ask_refused(&x->nl, err, "querying the host");
	if (!x->verdict && !x->port && !x->told)
		explain_request(x);
	err = peer_fetch(&x->nl, x->node->number, &x->peer);
	if (err)
		return ask_refused(&x->nl, err, "reading the peers");
	if (x->verdict || explain_answer(x))
		return EXIT_OK;
	err = explain_silence(x);
	if (err)
		return ask_refused(&x->nl, err, "querying the way");
	if (!x->verdict)
		judge_silence(x);
	return EXIT_OK;
}

static int look(struct explain *x)
{
	int err;

	x->self = table_node(&x->table, x->table.self);
	err = rail_fetch(&x->nl, &x->rails);
	if (err)
		return ask_refused(&x->nl, err, "reading the rails");
	if (explain_own(x))
		return EXIT_OK;
	err = route_fetch(&x->nl, x->node->number, &x->route);
	if (err)
		return ask_refused(&x->nl, err, "reading the route");
	if (!explain_route(x))
		return ask_host(x);
	err = peer_fetch(&x->nl, x->node->number, &x->peer);
	return err ? ask_refused(&x->nl, err, "reading the peers") : EXIT_OK;
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

/* What passes on the ways to the host */
static void show_probes(const struct explain *x)
{
	unsigned int i;

	out_array("probes");
	for (i = 0; i < x->probes; i++) {
		const struct probe *probe = &x->probe[i];

		out_object(NULL);
		if (probe->rail >= 0)
			out_text("  to %s on rail %d: ", x->node->name,
				 probe->rail);
		else
			out_text("  to %s: ", x->node->name);
		if (probe->rail >= 0)
			out_number("rail", probe->rail, OUT_JSON_ONLY);
		else
			out_null("rail");
		out_bool("replied", probe->replied);
		if (probe->replied)
			out_text("%.3f ms, frames of %u bytes there, %u back\n",
				 probe->reply.rtt_ns / 1e6, probe->there,
				 probe->back);
		else
			out_text("%s\n", probe->err ? strerror(-probe->err) :
						      "no reply");
		out_number("mtu", probe->mtu, OUT_JSON_ONLY);
		out_number("there", probe->there, OUT_JSON_ONLY);
		out_number("back", probe->back, OUT_JSON_ONLY);
		out_end();
	}
	out_end();
}

static void show_differences(const struct explain *x)
{
	int i;

	if (x->table_differs)
		out_text("  its host table is another one%s",
			 x->differences ? ":" : ": links differ");
	out_array("differs");
	for (i = 0; i < x->differences; i++) {
		out_text("%s host %u (%s)", i ? "," : "", x->differs[i],
			 table_name(&x->table, x->differs[i]));
		out_number(NULL, x->differs[i], OUT_JSON_ONLY);
	}
	out_end();
	if (x->table_differs)
		out_text("%s\n", x->differences == PROBE_DIFFERENCES ?
					 " and perhaps others" :
					 "");
}

static void show_evidence(const struct explain *x)
{
	out_text("  host table: generation %u, hosts %zu, links %zu\n",
		 x->table.generation, x->table.nodes, x->table.links);
	show_rails(x);
	if (!x->node || !x->route.number)
		return;
	show_probes(x);
	show_differences(x);
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

static void warn_vlans(const struct explain *x)
{
	struct devices devices;

	if (!device_fetch(&devices))
		report_vlans(&x->rails, &devices);
	device_free(&devices);
}

static void show(const struct explain *x)
{
	out_text("%s\n", x->text);
	if (x->next[0])
		out_text("  next: %s\n", x->next);
	out_string("verdict", x->verdict, OUT_JSON_ONLY);
	out_string("text", x->text, OUT_JSON_ONLY);
	out_bool("reachable", x->reachable);
	if (x->next[0])
		out_string("next", x->next, OUT_JSON_ONLY);
	else
		out_null("next");
	if (x->node)
		out_number("number", x->node->number, OUT_JSON_ONLY);
	else
		out_null("number");
	if (x->rtt_us && x->reachable)
		out_number("rtt_us", x->rtt_us, OUT_JSON_ONLY);
	else
		out_null("rtt_us");
	show_evidence(x);
	warn_vlans(x);
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
