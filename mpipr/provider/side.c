// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Completions go to the queue and to the counter that an endpoint has. */
#include <stdio.h>
#include <stdlib.h>

#include "mpipr.h"

/* If there is no memory for it the process ends: MPI would wait forever. */
static void add(struct mpipr_cq *cq, const struct mpipr_done *done)
{
	struct mpipr_done *ring;
	size_t i;

	if (cq->tail - cq->head == cq->room) {
		ring = malloc(2 * cq->room * sizeof(*ring));
		if (!ring) {
			fprintf(stderr, "fi_prp: no memory for completions\n");
			abort();
		}
		for (i = cq->head; i != cq->tail; i++)
			ring[i & (2 * cq->room - 1)] =
				cq->ring[i & (cq->room - 1)];
		free(cq->ring);
		cq->ring = ring;
		cq->room *= 2;
	}
	cq->ring[cq->tail++ & (cq->room - 1)] = *done;
	mpipr_bell_ring(&cq->bell);
}

static void count(struct mpipr_cntr *cntr, int err)
{
	if (err)
		cntr->errors++;
	else
		cntr->value++;
	cntr->is_news = true;
	mpipr_cntr_changed(cntr);
}

/**
 * mpipr_side_tell() - tell the program what is no end of a transfer
 * @side: the endpoint's sends or receives; its counter does not count it
 * @done: what to tell
 */
void mpipr_side_tell(struct mpipr_side *side, const struct mpipr_done *done)
{
	if (side->cq)
		add(side->cq, done);
}

/**
 * mpipr_side_done() - tell whoever wants to know of a completion
 * @side: the endpoint's sends or receives
 * @done: completion
 * @report: what is told in the completion queue; the counter counts all
 */
void mpipr_side_done(struct mpipr_side *side, const struct mpipr_done *done,
		     enum mpipr_report report)
{
	if (side->cntr)
		count(side->cntr, done->err);
	if (report == MPIPR_REPORT_ALL ||
	    (report == MPIPR_REPORT_ERRORS && done->err))
		mpipr_side_tell(side, done);
}
