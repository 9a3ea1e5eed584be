// SPDX-License-Identifier: GPL-2.0
/*
 * Asks what connections and rails have moved, and compares two moments.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include "show/sample.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/clock.h"

/* ---- taking one ---- */

/* What tells diag_fetch() that there was no memory */
struct taking {
	struct sample *sample;
	bool failed;
};

static void take_socket(const struct diag_socket *socket, void *data)
{
	struct taking *taking = data;
	struct sample *sample = taking->sample;
	struct sample_conn *bigger;

	if (!socket->has_info || socket->msg.pdiag_path != PRP_PATH_PRP)
		return;
	if (sample->conns == sample->room) {
		sample->room = sample->room ? sample->room * 2 : 64;
		bigger = reallocarray(sample->conn, sample->room,
				      sizeof(*bigger));
		taking->failed |= !bigger;
		if (!bigger)
			return;
		sample->conn = bigger;
	}
	sample->conn[sample->conns++] = (struct sample_conn){ *socket };
}

static int take_rails(struct nl *nl, struct sample *sample)
{
	struct rails rails;
	unsigned int r;
	int err;

	err = rail_fetch(nl, &rails);
	if (err)
		return err;
	for (r = 0; r < rails.count; r++)
		sample->rail[r] = (struct sample_rail){ rails.rail[r] };
	sample->rails = rails.count;
	return 0;
}

/**
 * sample_take() - look at all connections and rails
 * @nl: socket
 * @sample: filled in; sample_free() it whatever this returns
 *
 * Return: 0 or a negative errno.
 */
int sample_take(struct nl *nl, struct sample *sample)
{
	struct taking taking = { .sample = sample };
	int err;

	memset(sample, 0, sizeof(*sample));
	sample->us = clock_us();
	err = diag_fetch(~(1U << PRP_LISTEN | 1U << PRP_CLOSE), true,
			 take_socket, &taking);
	if (err && err != -EINTR)
		return err;
	return taking.failed ? -ENOMEM : take_rails(nl, sample);
}

/* ---- comparing two ---- */

/* Connections of a namespace differ in their two ends. */
static int compare_ends(const void *left, const void *right)
{
	const struct sample_conn *a = left, *b = right;
	const struct prp_diag_msg *x = &a->socket.msg, *y = &b->socket.msg;

	if (x->pdiag_port != y->pdiag_port)
		return x->pdiag_port < y->pdiag_port ? -1 : 1;
	if (x->pdiag_peer_port != y->pdiag_peer_port)
		return x->pdiag_peer_port < y->pdiag_peer_port ? -1 : 1;
	if (x->pdiag_peer_node != y->pdiag_peer_node)
		return x->pdiag_peer_node < y->pdiag_peer_node ? -1 : 1;
	return 0;
}

static int compare_rates(const void *left, const void *right)
{
	const struct sample_conn *a = left, *b = right;
	uint64_t x = a->out + a->in, y = b->out + b->in;

	if (x != y)
		return x > y ? -1 : 1;
	return compare_ends(left, right);
}

/* What was smaller before is another one's that has its ends now. */
static uint64_t rate(uint64_t now, uint64_t before, uint64_t us)
{
	uint64_t more = now >= before ? now - before : now;

	return us ? more * 1000000 / us : 0;
}

static void rate_conn(struct sample_conn *now, const struct sample *before,
		      uint64_t us)
{
	static const struct sample_conn none;
	const struct prp_info *is = &now->socket.info, *was;
	const struct sample_conn *old = NULL;

	if (before->conns)
		old = bsearch(now, before->conn, before->conns, sizeof(*now),
			      compare_ends);
	was = old ? &old->socket.info : &none.socket.info;
	now->out = rate(is->prpi_bytes_out, was->prpi_bytes_out, us);
	now->in = rate(is->prpi_bytes_in, was->prpi_bytes_in, us);
	now->again = rate(is->prpi_segs_retransmitted,
			  was->prpi_segs_retransmitted, us);
}

static void rate_rail(struct sample_rail *now, const struct sample *before,
		      uint64_t us)
{
	unsigned int r;

	for (r = 0; r < before->rails; r++) {
		const struct rail *is = &now->rail,
				  *was = &before->rail[r].rail;

		if (was->number != is->number)
			continue;
		now->out = rate(rail_counter(is, "bytes_out"),
				rail_counter(was, "bytes_out"), us);
		now->in = rate(rail_counter(is, "bytes_in"),
			       rail_counter(was, "bytes_in"), us);
	}
}

/**
 * sample_rate() - what was moved a second between two samples
 * @now: the later one; the fastest connections come first then
 * @before: the earlier one; in another order then
 */
void sample_rate(struct sample *now, struct sample *before)
{
	uint64_t us = now->us - before->us;
	unsigned int r;
	size_t i;

	if (before->conns)
		qsort(before->conn, before->conns, sizeof(*before->conn),
		      compare_ends);
	for (i = 0; i < now->conns; i++)
		rate_conn(&now->conn[i], before, us);
	for (r = 0; r < now->rails; r++)
		rate_rail(&now->rail[r], before, us);
	if (now->conns)
		qsort(now->conn, now->conns, sizeof(*now->conn), compare_rates);
}

/**
 * sample_free() - free a sample
 * @sample: what sample_take() filled in
 */
void sample_free(struct sample *sample)
{
	free(sample->conn);
	memset(sample, 0, sizeof(*sample));
}
