// SPDX-License-Identifier: GPL-2.0
/*
 * Sends what a hostile or broken machine might, the same for the same seed:
 *
 *	hostile NETNS DEV CLASS KEY=VALUE...
 *
 * KEY is count, seed, rate (frames a second; as many as go without it), to
 * and as (node numbers), to_mac and as_mac, dport, sport (of the connection
 * that is attacked, or the last one that is not used), closed (a port that
 * nobody has), most (longest payload or padding), after (frames to hear
 * before any is sent again) and nodes (the highest number that requests come
 * from; their hardware addresses end in it). Prints KEY=VALUE words: sent,
 * hash of all frames, seconds, a_second, and for each counter how many frames
 * must have been counted there; `any` are those of which only the receiver
 * knows. A peer that has a connection ends it when standard input ends, so that
 * what it has made us hold can be looked at.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hostile.h"
#include "netns.h"

static const char *const counters[REASONS] = {
	[R_ANY] = "any",
	[R_SHORT] = "drop_short",
	[R_VERSION] = "drop_version",
	[R_EXTENSION] = "drop_extension",
	[R_FLAGS] = "drop_flags",
	[R_NOT_US] = "drop_not_us",
	[R_NET] = "drop_net",
	[R_SOURCE] = "drop_source",
	[R_NO_CONN] = "drop_no_conn",
	[R_TAG] = "drop_tag",
	[R_STATE] = "drop_state",
	[R_ACK] = "drop_ack",
	[R_CHECKSUM] = "drop_checksum",
	[R_NO_LISTENER] = "drop_no_listener",
	[R_STALE_REQUEST] = "drop_stale_request",
	[R_CONTROL] = "controls_in",
};

void expect_reason(struct hostile *h, enum reason reason)
{
	h->expected[reason]++;
}

static void parse_mac(unsigned char *to, const char *mac)
{
	if (sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", to, to + 1, to + 2,
		   to + 3, to + 4, to + 5) != 6)
		errx(2, "%s: no hardware address", mac);
}

static void parse(struct hostile *h, char *word)
{
	char *value = strchr(word, '=');
	unsigned long number;
	const struct {
		const char *key;
		unsigned int *to;
	} numbers[] = {
		{ "to", &h->victim },	  { "as", &h->as },
		{ "dport", &h->dport },	  { "sport", &h->sport },
		{ "closed", &h->closed }, { "nodes", &h->nodes },
		{ "most", &h->most },	  { "after", &h->after },
	};

	if (!value)
		errx(2, "%s: no value", word);
	*value++ = 0;
	number = strtoul(value, NULL, 0);
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		if (!strcmp(word, numbers[i].key)) {
			*numbers[i].to = number;
			return;
		}
	}
	if (!strcmp(word, "to_mac"))
		parse_mac(h->victim_mac, value);
	else if (!strcmp(word, "as_mac"))
		parse_mac(h->as_mac, value);
	else if (!strcmp(word, "count"))
		h->count = number;
	else if (!strcmp(word, "seed"))
		h->state = number;
	else if (!strcmp(word, "rate"))
		h->rate = number;
	else
		errx(2, "%s: unknown", word);
}

static const struct class *find(const struct class *at, const char *name)
{
	for (; at->name; at++)
		if (!strcmp(at->name, name))
			return at;
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void hash(struct hostile *h, const struct shot *shot)
{
	for (size_t i = 0; i < shot->len; i++)
		h->hash = (h->hash ^ shot->bytes[i]) * 0x100000001b3ull;
}

/* Wait until so many frames may have been sent since then. */
static void pace(const struct hostile *h, uint64_t begun, unsigned long done)
{
	uint64_t due = begun + done * 1000000000ull / h->rate;
	struct timespec at = { due / 1000000000, due % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void run(struct hostile *h, const struct class *class)
{
	unsigned int most = h->rate ? h->rate / 1000 + 1 : BATCH, n;
	static struct shot shots[BATCH];
	uint64_t begun = now_ns();
	unsigned long done = 0;

	for (; done < h->count; done += n) {
		if (h->rate)
			pace(h, begun, done);
		if (class->batch)
			class->batch(h);
		n = most < BATCH ? most : BATCH;
		if (n > h->count - done)
			n = h->count - done;
		for (unsigned int i = 0; i < n; i++) {
			class->make(h, shots + i);
			hash(h, shots + i);
		}
		if (class->paged)
			wire_send_ring(h, shots, n);
		else
			wire_send(shots, n);
		h->sent += n;
	}
	begun = now_ns() - begun;
	printf("sent=%lu hash=%016llx seconds=%.3f a_second=%.0f", h->sent,
	       (unsigned long long)h->hash, begun / 1e9,
	       done * 1e9 / (begun + 1));
}

int main(int argc, char **argv)
{
	struct hostile h = {
		.count = 10000,
		.hash = 0xcbf29ce484222325ull,
		.most = SHOT_MAX,
	};
	const struct class *class;

	if (argc < 4)
		errx(2, "usage: hostile NETNS DEV CLASS KEY=VALUE...");
	h.dev = argv[2];
	class = find(outside_classes, argv[3]) ?: find(peer_classes, argv[3]);
	if (!class)
		errx(2, "%s: no such class", argv[3]);
	for (int i = 4; i < argc; i++)
		parse(&h, argv[i]);
	netns_enter(argv[1]);
	if (class->paged)
		wire_open_ring(&h);
	else
		wire_open(&h);
	if (class->begin)
		class->begin(&h);
	run(&h, class);
	for (enum reason reason = 0; reason < REASONS; reason++)
		if (h.expected[reason])
			printf(" %s=%lu", counters[reason], h.expected[reason]);
	putchar('\n');
	fflush(stdout);
	if (class->end) {
		while (getchar() != EOF)
			;
		class->end(&h);
	}
	return 0;
}
