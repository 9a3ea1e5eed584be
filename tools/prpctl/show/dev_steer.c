// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl dev steer: which processors take the frames that rails receive.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/dev_steer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/rail.h"
#include "kernel/steer.h"
#include "show/out.h"

#define WHAT_LEN 64

/**
 * struct request - what is asked for
 * @list: processors, or NULL
 * @device: device of the only rail that is meant, or NULL
 * @cpus: the processors, nobody where frames are to stay
 * @reader: frames are to go to where they are read
 * @found: rails with a device
 * @set: queues that were set
 */
struct request {
	const char *list;
	const char *device;
	struct cpus cpus;
	bool reader;
	unsigned int found;
	unsigned int set;
};

/* Say why a file of the kernel could not be read or written, and what has been
 * done: so many queues were set.
 */
static int refused(const char *what, int err, unsigned int set)
{
	const char *why = strerror(-err);

	if (set)
		out_warn("queues that were set before: %u", set);
	if (err == -EPERM || err == -EACCES)
		return out_fail(EXIT_KERNEL,
				"%s: %s: needs CAP_NET_ADMIN and CAP_SYS_ADMIN",
				what, why);
	return out_fail(EXIT_KERNEL, "%s: %s", what, why);
}

static int queue_refused(const char *device, unsigned int nr, int err,
			 unsigned int set)
{
	char what[WHAT_LEN];

	snprintf(what, sizeof(what), "steering %s, queue %u%s", device, nr,
		 err == -ENOENT ? " (CONFIG_RPS)" :
		 err == -EINVAL ? " (isolated processors)" :
				  "");
	return refused(what, err, set);
}

/* What steer_each() has returned, as an exit status */
static int status_of(const char *device, int returned, unsigned int set)
{
	return returned < 0 ? refused(device, returned, set) : returned;
}

/* ---- show ---- */

/* Queues in a row that are steered the same */
struct row {
	const struct rail *rail;
	unsigned long machine;
	struct steer_queue queue;
	unsigned int first;
};

static const char *steered_by(const struct row *row)
{
	static const struct cpus nobody;

	return row->queue.flows && row->machine		   ? "reader" :
	       cpus_beyond(&row->queue.cpus, &nobody) >= 0 ? "connection" :
							     "off";
}

static void show_row(const struct row *row, const char *device,
		     unsigned int last)
{
	char text[CPUS_LIST_LEN];

	out_object(NULL);
	out_number("rail", row->rail->number, OUT_CELL);
	out_string("ifname", device, OUT_CELL);
	snprintf(text, sizeof(text), row->first < last ? "%u-%u" : "%u",
		 row->first, last);
	out_string("queues", text, OUT_CELL);
	out_string("by", steered_by(row), OUT_CELL);
	cpus_print_list(&row->queue.cpus, text);
	if (*text)
		out_string("cpus", text, OUT_CELL);
	else
		out_dash("cpus");
	out_number("flows", row->queue.flows, OUT_CELL);
	out_end();
}

static int show_device(const char *device, void *data)
{
	unsigned int nr, queues = steer_queues(device);
	struct steer_queue queue;
	struct row *row = data;
	int err;

	for (nr = 0; nr < queues; nr++) {
		err = steer_get(device, nr, &queue);
		if (err)
			return queue_refused(device, nr, err, 0);
		if (nr && memcmp(&queue, &row->queue, sizeof(queue)))
			show_row(row, device, nr - 1);
		if (!nr || memcmp(&queue, &row->queue, sizeof(queue)))
			row->first = nr;
		row->queue = queue;
	}
	if (queues)
		show_row(row, device, queues - 1);
	return EXIT_OK;
}

static int show_rails(const struct rails *rails, unsigned long machine)
{
	static const char *const heads[] = { "RAIL", "DEVICE", "QUEUES", "BY",
					     "CPUS", "FLOWS",  NULL };
	struct row row = { .machine = machine };
	int status = EXIT_OK;
	unsigned int r;

	out_columns(heads);
	out_array("steering");
	for (r = 0; r < rails->count && !status; r++) {
		row.rail = &rails->rail[r];
		if (row.rail->ifname[0])
			status = status_of(row.rail->ifname,
					   steer_each(row.rail->ifname,
						      show_device, &row),
					   0);
	}
	out_end();
	out_number("machine_flows", machine, OUT_JSON_ONLY);
	if (!status)
		out_columns_end();
	return status;
}

static int show(struct nl *nl)
{
	unsigned long machine;
	struct rails rails;
	int err;

	err = rail_fetch(nl, &rails);
	if (err)
		return ask_refused(nl, err, "reading the rails");
	err = steer_machine(&machine);
	if (err)
		return refused("reading the flows of the machine", err, 0);
	return show_rails(&rails, machine);
}

/* ---- changing ---- */

static int set_device(const char *device, void *data)
{
	unsigned int nr = 0, queues = steer_queues(device);
	struct request *r = data;
	struct steer_queue queue = { .cpus = r->cpus };
	int err;

	if (r->reader)
		queue.flows = steer_share(queues);
	do {
		err = steer_set(device, nr, &queue);
		if (err)
			return queue_refused(device, nr, err, r->set);
		r->set++;
	} while (++nr < queues);
	return EXIT_OK;
}

static int set_rail(struct request *r, const struct rail *rail)
{
	int returned;

	if (r->device && strcmp(r->device, rail->ifname))
		return EXIT_OK;
	if (!rail->ifname[0]) {
		out_warn("rail %u has no device", rail->number);
		return EXIT_OK;
	}
	r->found++;
	returned = steer_each(rail->ifname, set_device, r);
	return status_of(rail->ifname, returned, r->set);
}

static int set_rails(struct request *r, const struct rails *rails)
{
	int status = EXIT_OK;
	unsigned int i;

	for (i = 0; i < rails->count && !status; i++)
		status = set_rail(r, &rails->rail[i]);
	if (status || r->found)
		return status;
	return r->device ? out_fail(EXIT_SYNTAX, "no rail is on \"%s\"",
				    r->device) :
			   out_fail(EXIT_KERNEL, "no rail has a device");
}

/* Have the machine know who reads. */
static int raise_machine(const struct request *r)
{
	unsigned long before;
	int err = steer_machine_raise(&before);

	if (err)
		return refused("raising the flows of the machine", err, r->set);
	if (before < STEER_FLOWS)
		out_warn("rps_sock_flow_entries, of the whole machine, was %lu and is %d",
			 before, STEER_FLOWS);
	return EXIT_OK;
}

static int set_all(struct nl *nl, struct request *r)
{
	struct rails rails;
	int status, err;

	err = rail_fetch(nl, &rails);
	if (err)
		return ask_refused(nl, err, "reading the rails");
	status = set_rails(r, &rails);
	return status || !r->reader ? status : raise_machine(r);
}

/* Those of the list, or all. */
static int choose_cpus(struct request *r)
{
	char text[CPUS_LIST_LEN];
	struct cpus online;
	int err, cpu;

	err = steer_online(&online);
	if (err)
		return refused("reading the processors", err, 0);
	if (!r->list)
		r->cpus = online;
	cpu = cpus_beyond(&r->cpus, &online);
	return cpu < 0 ? EXIT_OK :
			 out_fail(EXIT_SYNTAX,
				  "processor %d is not online: %s are", cpu,
				  cpus_print_list(&online, text));
}

/* What may stand behind connection, reader or off. */
static int words(struct request *r, bool steer, int argc, char **argv)
{
	for (; argc; argc -= 2, argv += 2) {
		if (argc > 1 && !strcmp(argv[0], "dev") && !r->device)
			r->device = argv[1];
		else if (argc > 1 && !strcmp(argv[0], "cpus") && !r->list &&
			 steer)
			r->list = argv[1];
		else
			return command_not_understood(argv[0]);
	}
	if (r->list && !cpus_parse_list(&r->cpus, r->list))
		return out_fail(EXIT_SYNTAX,
				"\"%s\" is no list of processors, as 0-3,8",
				r->list);
	return EXIT_OK;
}

static int set(struct request *r, bool steer, int argc, char **argv)
{
	struct nl nl;
	int status = words(r, steer, argc, argv);

	if (!status)
		status = ask_open(&nl);
	if (status)
		return status;
	if (steer)
		status = choose_cpus(r);
	if (!status)
		status = set_all(&nl, r);
	nl_close(&nl);
	return status;
}

/**
 * dev_steer() - prpctl dev steer
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int dev_steer(int argc, char **argv)
{
	struct request r = { 0 };

	if (!argc || !strcmp(argv[0], "show"))
		return command_ask(argc ? argc - 1 : 0, argv + 1, show);
	r.reader = !strcmp(argv[0], "reader");
	if (r.reader || !strcmp(argv[0], "connection"))
		return set(&r, true, argc - 1, argv + 1);
	if (!strcmp(argv[0], "off"))
		return set(&r, false, argc - 1, argv + 1);
	return command_not_understood(argv[0]);
}
