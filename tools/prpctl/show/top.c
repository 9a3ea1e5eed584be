// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl top: connections and rails by what they move, again each second.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "command.h"
#include "kernel/ask.h"
#include "prpctl.h"
#include "show/ends.h"
#include "show/fields.h"
#include "show/out.h"
#include "show/sample.h"
#include "show/signals.h"

#define INTERVAL_MS 1000

/* What a terminal is told; lines that are too long for it are cut */
#define SCREEN_BEGIN "\033[H\033[J\033[?7l"
#define SCREEN_END "\033[?7h"

static const struct option top_options[] = { { "once", no_argument, NULL, '1' },
					     { 0 } };

/* ---- one sample ---- */

static void put_rate(const char *key, uint64_t rate)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double value = rate;
	unsigned int unit = 0;

	for (; value >= 1000 && unit + 1 < ARRAY_SIZE(units); unit++)
		value /= 1000;
	out_number(key, rate, OUT_JSON_ONLY);
	out_cell("%.*f %s/s", unit && value < 100 ? 1 : 0, value, units[unit]);
}

static void show_rails(const struct sample *sample)
{
	static const char *const heads[] = { "RAIL", "ADDRESS", "DEVICE",
					     "MTU",  "STATE",	"OUT",
					     "IN",   NULL };
	unsigned int r;

	out_columns_brief(heads, ~(1U << 1 | 1U << 3));
	out_array("rails");
	for (r = 0; r < sample->rails; r++) {
		out_object(NULL);
		fields_rail(&sample->rail[r].rail);
		put_rate("bytes_out_per_s", sample->rail[r].out);
		put_rate("bytes_in_per_s", sample->rail[r].in);
		out_end();
	}
	out_end();
	out_columns_end();
}

static void show_conn(const struct sample_conn *conn, const struct table *table)
{
	const struct diag_socket *socket = &conn->socket;

	out_object(NULL);
	put_rate("bytes_out_per_s", conn->out);
	put_rate("bytes_in_per_s", conn->in);
	out_number("retransmitted_per_s", conn->again, OUT_CELL);
	out_number("rtt_us", socket->info.prpi_rtt_us, OUT_JSON_ONLY);
	out_cell("%u us", socket->info.prpi_rtt_us);
	out_number("rqueue", socket->msg.pdiag_rqueue, OUT_CELL);
	out_number("wqueue", socket->msg.pdiag_wqueue, OUT_CELL);
	ends_show(table, false, socket);
	out_end();
}

static void show_conns(const struct sample *sample, const struct table *table,
		       size_t most)
{
	static const char *const heads[] = { "OUT",   "IN",	"AGAIN/S",
					     "RTT",   "RECV-Q", "SEND-Q",
					     "LOCAL", "PEER",	NULL };
	size_t i;

	out_columns_brief(heads, 1U << 0 | 1U << 1 | 1U << 6 | 1U << 7);
	out_array("connections");
	for (i = 0; i < sample->conns && i < most; i++)
		show_conn(&sample->conn[i], table);
	out_end();
	out_columns_end();
}

/* Return: how many connections are for a terminal that has room for no more. */
static size_t rows_left(const struct sample *sample)
{
	struct winsize size;
	int used;

	if (out_is_json() || !isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return SIZE_MAX;
	/* the first line, the heads and what ends the last one */
	used = sample->rails + 5;
	return size.ws_row > used ? size.ws_row - used : 1;
}

static void show_sample(const struct sample *sample, const struct table *table,
			uint64_t us, size_t most)
{
	uint64_t out = 0, in = 0;
	size_t i;

	for (i = 0; i < sample->conns; i++) {
		out += sample->conn[i].out;
		in += sample->conn[i].in;
	}
	out_number("interval_us", us, OUT_JSON_ONLY);
	out_text("%zu connection%s, %.3f MB/s out, %.3f MB/s in\n",
		 sample->conns, sample->conns == 1 ? "" : "s", out / 1e6,
		 in / 1e6);
	show_rails(sample);
	out_text("\n");
	show_conns(sample, table, most);
}

/* ---- one after the other ---- */

/* What goes on while this runs */
struct top {
	struct nl nl;
	struct sample before;
	int signals;
	bool once;
	bool screen;
};

/* Return: whether the time is over, not the user's patience. */
static bool wait_a_while(const struct top *top)
{
	struct pollfd fd = { .fd = top->signals, .events = POLLIN };

	return poll(&fd, 1, INTERVAL_MS) == 0;
}

static int sample_next(struct top *top)
{
	struct table table;
	struct sample now;
	int status, err;

	err = sample_take(&top->nl, &now);
	if (err) {
		sample_free(&now);
		return ask_refused(&top->nl, err, "reading the connections");
	}
	status = ask_table(&top->nl, &table);
	if (!status) {
		sample_rate(&now, &top->before);
		if (top->screen)
			fputs(SCREEN_BEGIN, stdout);
		show_sample(&now, &table, now.us - top->before.us,
			    top->once ? SIZE_MAX : rows_left(&now));
		if (top->screen)
			fputs(SCREEN_END, stdout);
		if (!top->once)
			out_line_end();
	}
	table_free(&table);
	sample_free(&top->before);
	top->before = now;
	return status;
}

static int run(struct top *top)
{
	int status, err;

	status = ask_open(&top->nl);
	if (status)
		return status;
	err = sample_take(&top->nl, &top->before);
	if (err)
		return ask_refused(&top->nl, err, "reading the connections");
	top->signals = signals_watch();
	if (top->signals < 0)
		return out_fail(EXIT_KERNEL, "signals: %s", strerror(errno));
	if (!top->once)
		out_lines();
	do {
		if (!wait_a_while(top))
			break;
		status = sample_next(top);
	} while (!status && !top->once && !out_is_lost());
	close(top->signals);
	return status;
}

static int top(int argc, char **argv)
{
	struct top top = { 0 };
	int option, status;

	options_begin(&argc, &argv);
	while ((option = getopt_long(argc, argv, "+1", top_options, NULL)) !=
	       -1) {
		if (option != '1')
			return command_not_understood(argv[optind - 1]);
		top.once = true;
	}
	if (optind < argc)
		return command_not_understood(argv[optind]);
	top.screen = !top.once && !out_is_json() && isatty(STDOUT_FILENO);
	status = run(&top);
	sample_free(&top.before);
	nl_close(&top.nl);
	return status;
}

/**
 * top_main() - prpctl top
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int top_main(int argc, char **argv)
{
	static const struct command command = {
		"top", top, "[-1]",
		"print what connections and rails move, each second; with -1 once",
		top_options
	};

	return command_single(&command, argc, argv);
}
