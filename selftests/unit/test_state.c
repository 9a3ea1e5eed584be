// SPDX-License-Identifier: GPL-2.0
/* The state table: what state.h's events do, and nothing besides. */
#include <string.h>

#include <linux/kernel.h>
#include <uapi/linux/prp.h>

#include "pure/state.h"
#include "unit.h"

#define NEVER -1

/* Every state with every event. */
static const struct {
	int state;
	int event;
	int next;
} table[] = {
	{ PRP_CLOSE, PRP_EV_LISTEN, PRP_LISTEN },
	{ PRP_CLOSE, PRP_EV_CONNECT, PRP_CONN_WAIT },
	{ PRP_CLOSE, PRP_EV_REQUEST, PRP_ESTABLISHED },
	{ PRP_CLOSE, PRP_EV_ANSWER, NEVER },
	{ PRP_CLOSE, PRP_EV_FINISHED, NEVER },
	{ PRP_CLOSE, PRP_EV_RESET, NEVER },
	{ PRP_CLOSE, PRP_EV_RELEASE, PRP_CLOSE },
	{ PRP_LISTEN, PRP_EV_LISTEN, PRP_LISTEN },
	{ PRP_LISTEN, PRP_EV_CONNECT, NEVER },
	{ PRP_LISTEN, PRP_EV_REQUEST, NEVER },
	{ PRP_LISTEN, PRP_EV_ANSWER, NEVER },
	{ PRP_LISTEN, PRP_EV_FINISHED, NEVER },
	{ PRP_LISTEN, PRP_EV_RESET, NEVER },
	{ PRP_LISTEN, PRP_EV_RELEASE, PRP_CLOSE },
	{ PRP_CONN_WAIT, PRP_EV_LISTEN, NEVER },
	{ PRP_CONN_WAIT, PRP_EV_CONNECT, NEVER },
	{ PRP_CONN_WAIT, PRP_EV_REQUEST, PRP_ESTABLISHED },
	{ PRP_CONN_WAIT, PRP_EV_ANSWER, PRP_ESTABLISHED },
	{ PRP_CONN_WAIT, PRP_EV_FINISHED, NEVER },
	{ PRP_CONN_WAIT, PRP_EV_RESET, PRP_CLOSE },
	{ PRP_CONN_WAIT, PRP_EV_RELEASE, PRP_CLOSE },
	{ PRP_ESTABLISHED, PRP_EV_LISTEN, NEVER },
	{ PRP_ESTABLISHED, PRP_EV_CONNECT, NEVER },
	{ PRP_ESTABLISHED, PRP_EV_REQUEST, PRP_ESTABLISHED },
	{ PRP_ESTABLISHED, PRP_EV_ANSWER, PRP_ESTABLISHED },
	{ PRP_ESTABLISHED, PRP_EV_FINISHED, PRP_CLOSE },
	{ PRP_ESTABLISHED, PRP_EV_RESET, PRP_CLOSE },
	{ PRP_ESTABLISHED, PRP_EV_RELEASE, PRP_ESTABLISHED },
};

static void expect_events_of(int state)
{
	unsigned int i, seen = 0;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].state != state)
			continue;
		expect_true(!(seen & 1 << table[i].event));
		seen |= 1 << table[i].event;
		expect_eq(prp_state_next(state, table[i].event), table[i].next);
	}
	expect_eq(seen, (1 << PRP_EVENTS) - 1);
}

UNIT(prp_state_next__close)
{
	expect_events_of(PRP_CLOSE);
}

UNIT(prp_state_next__listen)
{
	expect_events_of(PRP_LISTEN);
}

UNIT(prp_state_next__conn_wait)
{
	expect_events_of(PRP_CONN_WAIT);
}

UNIT(prp_state_next__established)
{
	expect_events_of(PRP_ESTABLISHED);
}

static bool is_state(int state)
{
	return state == PRP_CLOSE || state == PRP_LISTEN ||
	       state == PRP_CONN_WAIT || state == PRP_ESTABLISHED;
}

UNIT(prp_state_next__there_are_no_other_states)
{
	int state, event;

	for (state = 0; state < 256; state++)
		for (event = 0; event < PRP_EVENTS; event++)
			if (!is_state(state))
				expect_eq(prp_state_next(state, event), NEVER);
}

UNIT(prp_state_next__there_are_no_other_events)
{
	int state;

	for (state = 0; state < 256; state++) {
		expect_eq(prp_state_next(state, PRP_EVENTS), NEVER);
		expect_eq(prp_state_next(state, 255), NEVER);
	}
}

UNIT(prp_state_name__each_by_its_name)
{
	expect_eq(strcmp(prp_state_name(PRP_CLOSE), "PRP_CLOSE"), 0);
	expect_eq(strcmp(prp_state_name(PRP_LISTEN), "PRP_LISTEN"), 0);
	expect_eq(strcmp(prp_state_name(PRP_CONN_WAIT), "PRP_CONN_WAIT"), 0);
	expect_eq(strcmp(prp_state_name(PRP_ESTABLISHED), "PRP_ESTABLISHED"),
		  0);
}

UNIT(prp_state_name__anything_else_has_none)
{
	int state;

	for (state = 0; state < 256; state++)
		if (!is_state(state))
			expect_eq(strcmp(prp_state_name(state), "?"), 0);
}
