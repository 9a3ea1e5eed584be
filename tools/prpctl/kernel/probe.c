// SPDX-License-Identifier: GPL-2.0
/*
 * Small frames, then frames of full size, then those between; many hosts and
 * rails at the same time.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "kernel/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 3 /* of what decides something */
/* Sizes that are tried at the same time: half of what a node replies to at
 * once, so that one that stays without a reply was too long.
 */
#define STEPS 8

/* The payload that fills a frame of so many bytes */
static uint32_t payload(uint32_t frame)
{
	uint32_t size = frame > QUERY_HEAD ? frame - QUERY_HEAD : 0;

	return size < QUERY_SIZE_MAX ? size : QUERY_SIZE_MAX;
}

static struct query query_of(const struct probe *probe, uint32_t frame,
			     bool back)
{
	return (struct query){
		.number = probe->number,
		.rail = probe->rail,
		.size = payload(frame),
		.back = back ? payload(frame) : 0,
	};
}

/**
 * probe_small() - does a small frame pass
 * @nl: socket from nl_open_prp(), used for nothing else
 * @probes: ways; what was seen is filled in
 * @count: how many
 * @tries: how often each is tried
 *
 * Return: 0 or a negative errno.
 */
int probe_small(struct nl *nl, struct probe *probes, size_t count,
		unsigned int tries)
{
	struct asked *asked = calloc(count ? count : 1, sizeof(*asked));
	size_t i;
	int err;

	if (!asked)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		asked[i].query = query_of(&probes[i], 0, false);
	err = query_all(nl, asked, count, tries);
	for (i = 0; i < count; i++) {
		probes[i].replied = asked[i].replied;
		probes[i].reply = asked[i].reply;
		probes[i].err = asked[i].err;
		probes[i].there = asked[i].replied ? QUERY_HEAD : 0;
		probes[i].back = probes[i].there;
	}
	free(asked);
	return err;
}

/* What one query of some size shows */
static void learn(struct probe *probe, const struct asked *one)
{
	uint32_t there = QUERY_HEAD + one->query.size;
	uint32_t back = QUERY_HEAD + one->reply.size;

	if (!one->replied)
		return;
	if (there > probe->there)
		probe->there = there;
	if (back > probe->back)
		probe->back = back;
}

/* Try sizes from low to high, both ways or one. */
static int try_sizes(struct nl *nl, struct probe *probe, uint32_t low,
		     uint32_t high, bool back)
{
	struct asked asked[STEPS] = { 0 };
	size_t i;
	int err;

	for (i = 0; i < STEPS; i++)
		asked[i].query = query_of(probe,
					  low + (high - low) * (i + 1) / STEPS,
					  back);
	err = query_all(nl, asked, STEPS, TRIES);
	for (i = 0; i < STEPS; i++)
		learn(probe, &asked[i]);
	return err;
}

/* Find how long a frame may be, where those of the first sizes are too long. */
static int search(struct nl *nl, struct probe *probe, bool back)
{
	uint32_t *best = back ? &probe->back : &probe->there;
	uint32_t high = probe->mtu - 1, low, step;
	int err = 0;

	while (!err && *best < high) {
		low = *best;
		step = (high - low) / STEPS;
		err = try_sizes(nl, probe, low, high, back);
		/* the next longer one that was tried did not pass */
		if (*best + step + 1 < high)
			high = *best + step + 1;
		if (!step)
			break;
	}
	return err;
}

/* The longest frame that both ends carry */
static uint32_t carried(const struct probe *probe)
{
	uint32_t there = probe->reply.mtu;

	return there && there < probe->mtu ? there : probe->mtu;
}

/* How many queries there are of the sizes that pass by all likelihood: what
 * this end carries, and what the other one says that it does, each way.
 */
static unsigned int first_sizes(const struct probe *probe)
{
	if (!probe->replied || !probe->reply.told)
		return 0;
	return carried(probe) < probe->mtu ? 4 : 2;
}

/**
 * probe_sizes() - how long may a frame be, each way
 * @nl: socket from nl_open_prp(), used for nothing else
 * @probes: ways after probe_small(); those without a reply are left alone
 * @count: how many
 *
 * Return: 0 or a negative errno.
 */
int probe_sizes(struct nl *nl, struct probe *probes, size_t count)
{
	struct asked *asked = calloc(4 * count + 1, sizeof(*asked));
	unsigned int s;
	size_t i, n = 0;
	int err;

	if (!asked)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		for (s = 0; s < first_sizes(&probes[i]); s++)
			asked[n++].query = query_of(&probes[i],
						    s < 2 ? probes[i].mtu :
							    carried(&probes[i]),
						    s % 2);
	err = query_all(nl, asked, n, TRIES);
	for (i = 0, n = 0; i < count; i++)
		for (s = first_sizes(&probes[i]); s; s--)
			learn(&probes[i], &asked[n++]);
	free(asked);
	for (i = 0; i < count && !err; i++) {
		if (!first_sizes(&probes[i]) || probe_is_whole(&probes[i]))
			continue;
		if (probes[i].there < carried(&probes[i]))
			err = search(nl, &probes[i], false);
		if (!err && probes[i].back < probes[i].there)
			err = search(nl, &probes[i], true);
	}
	return err;
}

/**
 * probe_is_whole() - do frames of full size pass each way
 * @probe: way after probe_sizes()
 *
 * Return: whether they do.
 */
bool probe_is_whole(const struct probe *probe)
{
	uint32_t most = QUERY_HEAD + payload(probe->mtu);

	return probe->replied && probe->there >= most && probe->back >= most;
}

/* ---- lines of host tables ---- */

/* Who is compared, and where they differ */
struct comparison {
	struct nl *nl;
	uint16_t self;
	uint16_t number;
	uint16_t *differs;
	int count;
};

/* Hash of the hosts from low to high of one of the two, which may stop before.
 * Return: 0 or a negative errno.
 */
static int hash(struct comparison *c, uint16_t number, uint16_t low,
		uint16_t *high, uint32_t *lines)
{
	struct asked one = { .query = { .number = number,
					.rail = -1,
					.low = low,
					.high = *high } };
	int err = query_all(c->nl, &one, 1, TRIES);

	if (err || one.err)
		return err ? err : one.err;
	if (!one.replied || !one.reply.told)
		return -ETIMEDOUT;
	*high = one.reply.high;
	*lines = one.reply.lines;
	return *high < low ? -EBADMSG : 0;
}

/* Compare from low on, not further than high, which is set to where it got. */
static int same(struct comparison *c, uint16_t low, uint16_t *high, bool *equal)
{
	uint16_t reached;
	uint32_t a, b;
	int err;

	do {
		err = hash(c, c->number, low, high, &a);
		reached = *high;
		if (!err)
			err = hash(c, c->self, low, high, &b);
		if (err)
			return err;
	} while (*high < reached);
	*equal = a == b;
	return 0;
}

static int narrow(struct comparison *c, uint16_t low, uint16_t high)
{
	uint16_t middle = low + (high - low) / 2, part;
	bool equal;
	int err;

	if (c->count == PROBE_DIFFERENCES)
		return 0;
	if (low == high) {
		c->differs[c->count++] = low;
		return 0;
	}
	part = middle;
	err = same(c, low, &part, &equal);
	if (!err && !equal)
		err = narrow(c, low, middle);
	part = high;
	if (!err)
		err = same(c, middle + 1, &part, &equal);
	if (!err && !equal)
		err = narrow(c, middle + 1, high);
	return err;
}

/**
 * probe_differences() - find lines in which two host tables differ
 * @nl: socket from nl_open_prp(), used for nothing else
 * @self: number of this machine
 * @number: number of the host
 * @differs: set to the numbers of hosts that are not the same in both
 *
 * Return: how many, at most PROBE_DIFFERENCES; 0 if only links differ; or a
 * negative errno.
 */
int probe_differences(struct nl *nl, uint16_t self, uint16_t number,
		      uint16_t differs[PROBE_DIFFERENCES])
{
	struct comparison c = {
		.nl = nl, .self = self, .number = number, .differs = differs
	};
	uint32_t low = 1;
	uint16_t high;
	bool equal;
	int err = 0;

	while (!err && low <= PRPHOSTS_NUMBER_MAX &&
	       c.count < PROBE_DIFFERENCES) {
		high = PRPHOSTS_NUMBER_MAX;
		err = same(&c, low, &high, &equal);
		if (!err && !equal)
			err = narrow(&c, low, high);
		low = high + 1;
	}
	return err ? err : c.count;
}
