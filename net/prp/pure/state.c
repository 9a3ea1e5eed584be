// SPDX-License-Identifier: GPL-2.0
/*
 * The state table; see state.h. It tells the next state and does nothing.
 */
#include <linux/kernel.h>
#include <uapi/linux/prp.h>

#include "pure/state.h"

/* Zero, which is no state, stands for "cannot happen here". */
static const u8 next_state[][PRP_EVENTS] = {
	[PRP_CLOSE] = {
		[PRP_EV_LISTEN]		= PRP_LISTEN,
		[PRP_EV_CONNECT]	= PRP_CONN_WAIT,
		[PRP_EV_REQUEST]	= PRP_ESTABLISHED, /* a new child */
		[PRP_EV_RELEASE]	= PRP_CLOSE,
	},
	[PRP_LISTEN] = {
		[PRP_EV_LISTEN]		= PRP_LISTEN,	/* another backlog */
		[PRP_EV_RELEASE]	= PRP_CLOSE,
	},
	[PRP_CONN_WAIT] = {
		[PRP_EV_REQUEST]	= PRP_ESTABLISHED, /* simultaneous */
		[PRP_EV_ANSWER]		= PRP_ESTABLISHED,
		[PRP_EV_RESET]		= PRP_CLOSE,
		[PRP_EV_RELEASE]	= PRP_CLOSE,
	},
	[PRP_ESTABLISHED] = {
		[PRP_EV_REQUEST]	= PRP_ESTABLISHED, /* repeated */
		[PRP_EV_ANSWER]		= PRP_ESTABLISHED, /* repeated */
		[PRP_EV_FINISHED]	= PRP_CLOSE,
		[PRP_EV_RESET]		= PRP_CLOSE,
		[PRP_EV_RELEASE]	= PRP_ESTABLISHED, /* as an orphan */
	},
};

/**
 * prp_state_next() - look a transition up
 * @state: PRP_CLOSE, PRP_LISTEN, PRP_CONN_WAIT or PRP_ESTABLISHED
 * @event: what happened
 *
 * Return: the next state, or -1 if @event cannot happen in @state.
 */
int prp_state_next(u8 state, enum prp_event event)
{
	if (state >= ARRAY_SIZE(next_state) || event >= PRP_EVENTS)
		return -1;
	return next_state[state][event] ?: -1;
}

/**
 * prp_state_name() - name of a state
 * @state: state
 *
 * Return: its name, or "?".
 */
const char *prp_state_name(u8 state)
{
	switch (state) {
	case PRP_CLOSE:
		return "PRP_CLOSE";
	case PRP_LISTEN:
		return "PRP_LISTEN";
	case PRP_CONN_WAIT:
		return "PRP_CONN_WAIT";
	case PRP_ESTABLISHED:
		return "PRP_ESTABLISHED";
	}
	return "?";
}
