// SPDX-License-Identifier: GPL-2.0
/*
 * prpctl ping: queries to a host, one after the other, and how long its kernel
 * took to reply.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/prp_netlink.h>

#include "command.h"
#include "kernel/ask.h"
#include "kernel/clock.h"
#include "kernel/query.h"
#include "prpctl.h"
#include "show/out.h"
#include "show/signals.h"

#define INTERVAL_US 1000000
#define FLOOD_US 1200 /* a host replies a little more often than this */
#define LAST_US 1000000 /* wait for what is still under way */
#define WAITING 256 /* queries of which a reply still counts */

/* Times by size: SUB buckets for each power of two, so within 1/SUB */
#define SUB 32
#define BUCKETS (64 * SUB)

/**
 * struct ping - what is done, and what came of it
 * @nl: socket
 * @stop: descriptor that can be read when it is to end
 * @table: the hosts
 * @node: host
 * @query: what it is asked each time
 * @count: how many, 0: until it is stopped
 * @interval_us: between two
 * @flood: print nothing but a dot for what has no reply
 * @sent: queries that left
 * @replies: that came
 * @errors: queries that could not leave
 * @seq: numbers of the latest queries, by their order; 0: replied
 * @status: exit status, when it is to end
 * @min_ns: shortest time
 * @max_ns: longest
 * @bucket: times by size
 */
struct ping {
	struct nl nl;
	int stop;
	struct table table;
	const struct prphosts_node *node;
	struct query query;
	uint64_t count;
	uint64_t interval_us;
	bool flood;
	uint64_t sent;
	uint64_t replies;
	uint64_t errors;
	unsigned int seq[WAITING];
	int status;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t bucket[BUCKETS];
};

/* ---- times ---- */

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int power;

	if (ns < SUB)
		return ns;
	power = 63 - __builtin_clzll(ns);
	return (power - 4) * SUB + (ns >> (power - 5)) - SUB;
}

/* The longest time that a bucket has */
static uint64_t bucket_ns(unsigned int bucket)
{
	unsigned int power = bucket / SUB + 4;

	if (bucket < SUB)
		return bucket;
	return ((bucket % SUB + SUB + 1ULL) << (power - 5)) - 1;
}

/* Time that so many of a thousand replies did not exceed */
static uint64_t permille(const struct ping *p, unsigned int part)
{
	uint64_t rank = (p->replies * part + 999) / 1000, seen = 0;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		seen += p->bucket[i];
		if (seen && seen >= rank)
			break;
	}
	if (i == BUCKETS || bucket_ns(i) > p->max_ns)
		return p->max_ns;
	return bucket_ns(i) < p->min_ns ? p->min_ns : bucket_ns(i);
}

/* ---- replies ---- */

static void replied(struct ping *p, uint64_t number, const struct reply *reply)
{
	p->replies++;
	p->bucket[bucket_of(reply->rtt_ns)]++;
	if (p->replies == 1 || reply->rtt_ns < p->min_ns)
		p->min_ns = reply->rtt_ns;
	if (reply->rtt_ns > p->max_ns)
		p->max_ns = reply->rtt_ns;
	if (p->flood) {
		out_text("\b \b");
		return;
	}
	out_text("%u bytes from %s (%u): seq=%llu rail=%u time=%.3f ms%s\n",
		 QUERY_HEAD + reply->size, p->node->name, p->node->number,
		 (unsigned long long)number, reply->came, reply->rtt_ns / 1e6,
		 reply->told		       ? "" :
		 reply->knows & PRP_KNOWS_MINE ? " (does not know us)" :
						 " (another host)");
}

static void took(unsigned int seq, int err, const struct reply *reply,
		 void *data)
{
	struct ping *p = data;
	uint64_t first = p->sent > WAITING ? p->sent - WAITING : 0, i;

	for (i = p->sent; i > first; i--) {
		if (p->seq[(i - 1) % WAITING] != seq)
			continue;
		p->seq[(i - 1) % WAITING] = 0;
		if (reply) {
			replied(p, i, reply);
			return;
		}
		p->errors++;
		if (err == -EAGAIN)
			p->status =
				out_fail(EXIT_KERNEL,
					 "so often only with CAP_NET_ADMIN");
		else
			out_text("seq=%llu: %s\n", (unsigned long long)i,
				 err == -EMSGSIZE ?
					 "the rail does not carry so much" :
					 strerror(-err));
		return;
	}
}

/* Take what has come, and what comes until some time; if these are the last
 * ones, until all that left were answered. Return: false if it is over.
 */
static bool wait_us(struct ping *p, uint64_t until_us, bool last)
{
	uint64_t now;
	int got;

	do {
		if (last && p->replies + p->errors >= p->sent)
			return false;
		now = clock_us();
		got = query_wait(&p->nl, p->stop,
				 now < until_us ?
					 (until_us - now + 999) / 1000 :
					 0,
				 took, p);
		if (got == -EINTR)
			return false;
		if (got < 0) {
			p->status = ask_refused(&p->nl, got, "waiting");
			return false;
		}
	} while ((got || clock_us() < until_us) && !p->status);
	return !p->status;
}

static bool send_one(struct ping *p)
{
	unsigned int seq;
	int err;

	err = query_send(&p->nl, &p->query, &seq);
	if (err) {
		p->status = ask_refused(&p->nl, err, "sending");
		return false;
	}
	p->seq[p->sent++ % WAITING] = seq;
	if (p->flood) {
		out_text(".");
		fflush(stdout);
	}
	return true;
}

static void run(struct ping *p)
{
	uint64_t next_us = clock_us();

	while (!out_is_lost() && send_one(p)) {
		if (p->count && p->sent == p->count) {
			wait_us(p, clock_us() + LAST_US, true);
			return;
		}
		next_us += p->interval_us;
		if (next_us < clock_us())
			next_us = clock_us();
		fflush(stdout);
		if (!wait_us(p, next_us, false))
			return;
	}
}

/* ---- the end ---- */

static void show(const struct ping *p, uint64_t took_us)
{
	uint64_t lost = p->sent - p->replies;

	out_text("\n--- %s ---\n", p->node->name);
	out_text("%llu queries, %llu replies, %.4g%% lost, %llu ms\n",
		 (unsigned long long)p->sent, (unsigned long long)p->replies,
		 p->sent ? 100.0 * lost / p->sent : 0,
		 (unsigned long long)took_us / 1000);
	out_string("host", p->node->name, OUT_JSON_ONLY);
	out_number("number", p->node->number, OUT_JSON_ONLY);
	out_number("queries", p->sent, OUT_JSON_ONLY);
	out_number("replies", p->replies, OUT_JSON_ONLY);
	out_number("lost", lost, OUT_JSON_ONLY);
	out_number("time_ms", took_us / 1000, OUT_JSON_ONLY);
	if (!p->replies) {
		out_null("rtt_ns");
		return;
	}
	out_text("rtt min/median/90%%/99%%/max = %.3f/%.3f/%.3f/%.3f/%.3f ms\n",
		 p->min_ns / 1e6, permille(p, 500) / 1e6,
		 permille(p, 900) / 1e6, permille(p, 990) / 1e6,
		 p->max_ns / 1e6);
	out_object("rtt_ns");
	out_number("min", p->min_ns, OUT_JSON_ONLY);
	out_number("median", permille(p, 500), OUT_JSON_ONLY);
	out_number("p90", permille(p, 900), OUT_JSON_ONLY);
	out_number("p99", permille(p, 990), OUT_JSON_ONLY);
	out_number("max", p->max_ns, OUT_JSON_ONLY);
	out_end();
}

/* ---- words ---- */

/* A number of seconds with a fraction. Return: whether it is one. */
static bool set_interval(struct ping *p, const char *word)
{
	char *end;
	double value;

	if (*word < '0' || *word > '9')
		return false;
	value = strtod(word, &end);
	if (*end || !isfinite(value) || value > 86400)
		return false;
	p->flood = !value;
	p->interval_us = p->flood ? FLOOD_US : value * 1e6;
	return p->interval_us;
}

static int number(const char *word, unsigned long max, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(word, &end, 10);
	return *word < '0' || *word > '9' || *end || errno || *value > max;
}

static void set_size(struct ping *p, uint16_t size)
{
	p->query.size = size;
	p->query.back = size;
}

static int word_with_value(struct ping *p, const char *word, const char *value)
{
	unsigned long n;

	if (!strcmp(word, "count") && !number(value, ~0UL, &n) && n)
		p->count = n;
	else if (!strcmp(word, "interval") && set_interval(p, value))
		return EXIT_OK;
	else if (!strcmp(word, "size") && !number(value, QUERY_SIZE_MAX, &n))
		set_size(p, n);
	else if (!strcmp(word, "rail") &&
		 !number(value, PRPHOSTS_RAILS - 1, &n))
		p->query.rail = n;
	else
		return out_fail(EXIT_SYNTAX, "\"%s %s\" is not understood",
				word, value);
	return EXIT_OK;
}

static int words(struct ping *p, int argc, char **argv)
{
	int status = EXIT_OK;

	for (; argc && !status; argc -= 2, argv += 2) {
		if (argc == 1)
			return command_not_understood(argv[0]);
		status = word_with_value(p, argv[0], argv[1]);
	}
	return status;
}

static int ping_host(struct ping *p, const char *word)
{
	uint64_t begin_us = clock_us();
	int status;

	status = ask_table(&p->nl, &p->table);
	if (!status)
		status = command_host(&p->table, word, &p->node);
	if (status)
		return status;
	p->query.number = p->node->number;
	p->stop = signals_watch();
	if (p->stop < 0)
		return out_fail(EXIT_KERNEL, "signals: %s", strerror(errno));
	out_text("%s (%u): %u bytes a frame\n", p->node->name, p->node->number,
		 QUERY_HEAD + p->query.size);
	run(p);
	show(p, clock_us() - begin_us);
	if (p->status)
		return p->status;
	return p->replies ? EXIT_OK : EXIT_KERNEL;
}

static int ping(int argc, char **argv)
{
	static struct ping p = { .interval_us = INTERVAL_US,
				 .query = { .rail = -1 } };
	int status;

	if (!argc)
		return out_fail(EXIT_SYNTAX, "HOST is missing");
	status = words(&p, argc - 1, argv + 1);
	if (!status)
		status = ask_open(&p.nl);
	if (status)
		return status;
	status = ping_host(&p, argv[0]);
	table_free(&p.table);
	nl_close(&p.nl);
	return status;
}

/**
 * ping_main() - prpctl ping
 * @argc: number of words after it
 * @argv: these words
 *
 * Return: exit status.
 */
int ping_main(int argc, char **argv)
{
	static const struct command command = {
		"ping", ping,
		"HOST [count N] [interval S] [size BYTES] [rail N]",
		"how long a host takes to reply"
	};

	return command_single(&command, argc, argv);
}
