// SPDX-License-Identifier: GPL-2.0
/* Experiments of two nodes: one calls, the other answers. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "experiments.h"
#include "out.h"
#include "stats.h"

#define ETHERNET_HEADER 14
#define FRAME_LEAST 60 /* bytes that Ethernet pads a frame to */
#define ROUND_BYTES (2 << 20) /* of a round of the experiment bandwidth */
#define ROUND_MESSAGES 1024 /* at most */
#define DELAY_US 2000 /* after which an answer has arrived */

static double us(uint64_t ns)
{
	return ns / 1e3;
}

/* Of what was not measured nothing is known. */
static double us_of(const struct result *result, uint64_t ns)
{
	return result->rounds ? us(ns) : NAN;
}

/* Bytes of a microsecond are MB of a second. */
static double mb_s(double bytes, double in_us)
{
	return in_us > 0 ? bytes / in_us : NAN;
}

/* The client is the last node: where only the server is named it is here. */
static int measure(struct run *run, const struct spec *spec,
		   struct result *result)
{
	struct flow flow = {
		.server = run->nodes,
		.client = run->nodes + run->node_count - 1,
	};
	char what[64];
	int err;

	snprintf(what, sizeof(what), "%" PRIu64 " bytes, %" PRIu64 " a round",
		 spec->size, spec->burst);
	err = crew_measure(run->crew, spec, &flow, 1, what);
	*result = flow.result;
	return err;
}

static uint64_t or_default(uint64_t value, uint64_t otherwise)
{
	return value ? value : otherwise;
}

/* --- round trips ---------------------------------------------------------- */

struct fit {
	double bytes[LIST_MAX];
	double one_way_us[LIST_MAX];
	unsigned int count;
};

/* The line through those of the points that are of such sizes */
static int fit_range(const struct fit *all, double least, double most,
		     struct stats_line *line)
{
	struct fit part = {};

	for (unsigned int i = 0; i < all->count; i++) {
		if (all->bytes[i] < least || all->bytes[i] > most)
			continue;
		part.bytes[part.count] = all->bytes[i];
		part.one_way_us[part.count++] = all->one_way_us[i];
	}
	return stats_fit(part.bytes, part.one_way_us, part.count, line);
}

/*
 * T = L + N / B0 up to the size that fills a frame which Ethernet would pad,
 * T = L' + N / B1 from there to a full frame.
 */
static void print_fit(const struct run *run, const struct fit *fit)
{
	int headers = fmax(run->crew->family->headers, 0);
	double least = fmax(FRAME_LEAST - ETHERNET_HEADER - headers, 0);
	double most = (double)run->mtu - headers;
	struct stats_line small = { NAN, NAN }, large = { NAN, NAN };
	unsigned int last = fit->count - 1;

	if (run->crew->family->headers < 0)
		least = 0; /* nothing is a frame */
	fit_range(fit, 0, least, &small);
	fit_range(fit, least, most, &large);
	out_more("fit",
		 (struct cell[]){
			 { "padded_to", least, 0 },
			 { "frame_to", most, 0 },
			 { "L_us", small.at_zero, 3 },
			 { "B0_MB_s", mb_s(1, small.slope), 3 },
			 { "L1_us", large.at_zero, 3 },
			 { "B1_MB_s", mb_s(1, large.slope), 3 },
			 { "largest", fit->count ? fit->bytes[last] : NAN, 0 },
			 { "bandwidth_MB_s",
			   fit->count ? mb_s(fit->bytes[last],
					     fit->one_way_us[last]) :
					NAN,
			   3 },
		 },
		 8);
}

static void print_round_trip(uint64_t size, const struct result *result)
{
	const struct cell cells[] = {
		{ "bytes", size, 0 },
		{ "rounds", result->rounds, 0 },
		{ "lost", result->lost, 0 },
		{ "min_us", us_of(result, result->min), 3 },
		{ "p1_us", us_of(result, result->p1), 3 },
		{ "p50_us", us_of(result, result->p50), 3 },
		{ "p90_us", us_of(result, result->p90), 3 },
		{ "p99_us", us_of(result, result->p99), 3 },
		{ "p999_us", us_of(result, result->p999), 3 },
		{ "max_us", us_of(result, result->max), 3 },
		{ "avg_us", us_of(result, result->avg), 3 },
	};

	out_row(cells, ARRAY_SIZE(cells));
}

/**
 * pairs_pingpong() - round trips by size, and the line that fits them
 * @run: with what
 *
 * Return: what crew_measure() does
 */
int pairs_pingpong(struct run *run)
{
	struct fit fit = {};
	int err = 0;

	for (unsigned int i = 0; !err && i < run->sizes.count; i++) {
		struct spec spec = run->spec;
		struct result result = {};

		spec.size = run->sizes.values[i];
		spec.reply = spec.size;
		spec.burst = 1;
		spec.per = 1;
		spec.rounds = or_default(spec.rounds, spec.ms ? 0 : 1000);
		if (experiments_possible(run, &spec))
			err = measure(run, &spec, &result);
		if (err)
			break;
		print_round_trip(spec.size, &result);
		if (result.rounds) {
			fit.bytes[fit.count] = spec.size;
			fit.one_way_us[fit.count++] = us(result.p50) / 2;
		}
		if (experiments_are_over())
			break;
	}
	print_fit(run, &fit);
	return err;
}

/* --- bandwidth ------------------------------------------------------------ */

static void print_bandwidth(const struct spec *spec,
			    const struct result *result,
			    const struct result *served)
{
	double bytes = (double)spec->burst * spec->size;
	double sent = result->messages;
	const struct cell cells[] = {
		{ "bytes", spec->size, 0 },
		{ "messages", spec->burst, 0 },
		{ "rounds", result->rounds, 0 },
		{ "lost", result->lost, 0 },
		{ "arrived", sent ? served->messages / sent : NAN, 4 },
		{ "MB_s", result->rounds ? mb_s(bytes, us(result->p50)) : NAN,
		  3 },
		{ "us_msg", us_of(result, result->p50) / spec->burst, 3 },
		{ "us_KB", us_of(result, result->p50) / (bytes / 1024), 4 },
		{ "min_us_KB", us_of(result, result->min) / (bytes / 1024), 4 },
	};

	out_row(cells, ARRAY_SIZE(cells));
}

/**
 * pairs_bandwidth() - many messages, then one back, by size
 * @run: with what
 *
 * Return: what crew_measure() does
 */
int pairs_bandwidth(struct run *run)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < run->sizes.count; i++) {
		struct spec spec = run->spec;
		struct result result = {};

		spec.size = run->sizes.values[i];
		spec.reply = 4;
		spec.burst = ROUND_BYTES / (spec.size ? spec.size : 1);
		if (spec.burst > ROUND_MESSAGES)
			spec.burst = ROUND_MESSAGES;
		spec.burst = or_default(run->counts.values[0], spec.burst);
		spec.per = spec.burst;
		spec.rounds = or_default(spec.rounds, spec.ms ? 0 : 10);
		if (experiments_possible(run, &spec))
			err = measure(run, &spec, &result);
		if (!err)
			print_bandwidth(&spec, &result, &run->crew->served);
		if (experiments_are_over())
			break;
	}
	out_more("", NULL, 0);
	return err;
}

/* --- spray ---------------------------------------------------------------- */

static void print_spray(const struct spec *spec, const struct result *result)
{
	double messages = spec->burst;
	const struct cell cells[] = {
		{ "bytes", spec->size, 0 },
		{ "messages", messages, 0 },
		{ "rounds", result->rounds, 0 },
		{ "lost", result->lost, 0 },
		{ "us_msg", us_of(result, result->p50) / messages, 3 },
		{ "min_us_msg", us_of(result, result->min) / messages, 3 },
		{ "sent_us_msg", us_of(result, result->send) / messages, 3 },
	};

	out_row(cells, ARRAY_SIZE(cells));
}

/**
 * pairs_spray() - messages that are sent back, none read before all are sent
 * @run: with what
 *
 * Where nothing more can be sent, answers are taken out of the way, as the
 * paper's library does: two that only send would wait for each other.
 *
 * Return: what crew_measure() does
 */
int pairs_spray(struct run *run)
{
	unsigned int rows = run->sizes.count * run->counts.count;
	int err = 0;

	for (unsigned int i = 0; !err && i < rows; i++) {
		struct spec spec = run->spec;
		struct result result = {};

		spec.size = run->sizes.values[i / run->counts.count];
		spec.reply = spec.size;
		spec.burst = run->counts.values[i % run->counts.count];
		spec.per = 1;
		if (!spec.rounds && !spec.ms)
			spec.rounds = spec.burst < 333 ? 1000 / spec.burst : 3;
		if (experiments_possible(run, &spec))
			err = measure(run, &spec, &result);
		if (err)
			break;
		print_spray(&spec, &result);
		if (experiments_are_over())
			break;
	}
	out_more("", NULL, 0);
	return err;
}

/* --- LogP ----------------------------------------------------------------- */

static void print_logp(uint64_t size, uint64_t burst, const struct result *trip,
		       const struct result *late, const struct result *many)
{
	double sends = us_of(trip, trip->send);
	double receives = us_of(late, late->recv);
	const struct cell cells[] = {
		{ "bytes", size, 0 },
		{ "rtt_us", us_of(trip, trip->p50), 3 },
		{ "o_send_us", sends, 3 },
		{ "o_recv_us", receives, 3 },
		{ "gap_us", us_of(many, many->p50) / burst, 3 },
		{ "L_us", us_of(trip, trip->p50) / 2 - sends - receives, 3 },
	};

	out_row(cells, ARRAY_SIZE(cells));
}

static int logp_of(struct run *run, uint64_t size)
{
	struct result trip = {}, late = {}, many = {};
	struct spec spec = run->spec;
	int err = 0;

	spec.size = size;
	spec.reply = size;
	spec.burst = 1;
	spec.per = 1;
	spec.rounds = or_default(spec.rounds, spec.ms ? 0 : 1000);
	if (experiments_possible(run, &spec)) {
		err = measure(run, &spec, &trip);
		spec.delay_us = DELAY_US;
		if (!err && !experiments_are_over())
			err = measure(run, &spec, &late);
		spec.delay_us = 0;
		spec.burst = run->counts.values[0];
		spec.rounds = spec.rounds / 20 + 1;
		if (!err && !experiments_are_over())
			err = measure(run, &spec, &many);
	}
	if (err)
		return err;
	print_logp(size, run->counts.values[0], &trip, &late, &many);
	return 0;
}

/**
 * pairs_logp() - overheads of sending and receiving, gap, latency
 * @run: with what
 *
 * Overheads are what send() takes, and recv() of an answer that is there; the
 * gap is what one more message of many under way takes; the latency is what is
 * left of half a round trip.
 *
 * Return: what crew_measure() does
 */
int pairs_logp(struct run *run)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < run->sizes.count; i++) {
		err = logp_of(run, run->sizes.values[i]);
		if (experiments_are_over())
			break;
	}
	out_more("", NULL, 0);
	return err;
}
