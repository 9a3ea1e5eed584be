// SPDX-License-Identifier: GPL-2.0
/*
 * The tables that frames and calls are looked up in: shortest paths over any
 * links, and the state machine on any events.
 */
#include <linux/types.h>
#include <string.h>
#include <uapi/linux/prp.h>

#include "fuzz.h"
#include "pure/path.h"
#include "pure/state.h"

#define NODES 24 /* numbers 0 to 23, of which 0 is none */
#define LINKS 64

static struct prp_link links[LINKS];
static u32 count;
static struct prp_path paths[NODES][NODES];

static int compare(const void *a, const void *b)
{
	return prp_path_compare(a, b);
}

static void take_links(struct bytes *in)
{
	u32 want = take8(in) % (LINKS + 1), i;

	for (count = 0; want--;) {
		u8 a = 1 + take8(in) % (NODES - 1), b, rail = take8(in) % 8;

		b = 1 + take8(in) % (NODES - 1);
		if (a == b)
			continue;
		links[count++] = (struct prp_link){
			.node = a < b ? a : b,
			.peer = a < b ? b : a,
			.rail = rail,
			.rails = 1 << rail,
		};
	}
	qsort(links, count, sizeof(*links), compare);
	for (i = 1; i < count; i++)
		must(prp_path_compare(links + i - 1, links + i) <= 0);
}

static void compute(u16 self)
{
	/* exactly as large as path.h says */
	struct prp_path_work work = {
		.first = calloc(NODES + 1, sizeof(u32)),
		.fill = calloc(NODES, sizeof(u32)),
		.adjacent = calloc(2 * count ?: 1, sizeof(u16)),
		.queue = calloc(NODES, sizeof(u16)),
	};
	struct prp_path *own = malloc(sizeof(paths[0]));

	prp_path_compute(links, count, self, own, NODES, &work);
	memcpy(paths[self], own, sizeof(paths[0]));
	free(own);
	free(work.first);
	free(work.fill);
	free(work.adjacent);
	free(work.queue);
}

/* Whoever it is sent by, a frame comes nearer with each node. */
static void check_paths(void)
{
	u16 a, b;

	for (a = 1; a < NODES; a++) {
		for (b = 1; b < NODES; b++) {
			const struct prp_path *path = &paths[a][b];

			if (a == b)
				continue;
			must(!path->next == !path->hops);
			must(path->hops == paths[b][a].hops);
			must(!path->hops == !path->rails);
			must(!(path->direct && path->hops != 1));
			if (!path->hops)
				continue;
			must(path->next < NODES && path->next != a);
			must(paths[a][path->next].hops == 1);
			must(paths[path->next][b].hops == path->hops - 1);
		}
	}
}

/* No event leads out of the four states, and an end is an end. */
static void check_states(struct bytes *in)
{
	u8 state = PRP_CLOSE;

	while (in->left) {
		u8 event = take8(in);
		int next = prp_state_next(state, event);

		must(prp_state_next(event, state) < 256);
		if (next < 0)
			continue;
		must(event < PRP_EVENTS);
		must(next == PRP_CLOSE || next == PRP_LISTEN ||
		     next == PRP_CONN_WAIT || next == PRP_ESTABLISHED);
		must(*prp_state_name(next) == 'P');
		must(event != PRP_EV_RESET || next == PRP_CLOSE);
		must(event != PRP_EV_FINISHED ||
		     (state == PRP_ESTABLISHED && next == PRP_CLOSE));
		must(event != PRP_EV_ANSWER || state != PRP_LISTEN);
		state = next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	u16 self;

	take_links(&in);
	for (self = 1; self < NODES; self++)
		compute(self);
	check_paths();
	check_states(&in);
	return 0;
}
