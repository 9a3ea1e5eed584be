/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What we owe the peer by way of acknowledgment, as pure logic: facts about
 * what has come make it due, and a frame that leaves pays all of it. The
 * receiver finds the gap and says so at once (papers/000, section 2.2); what is
 * in order may wait for a frame that leaves anyway, up to a time.
 *
 * In line, because all of it is on the way of each frame. The owner's lock
 * protects it.
 */
#ifndef _PRP_ACK_H
#define _PRP_ACK_H

#include <linux/kernel.h>
#include <linux/types.h>

#define PRP_ACK_LATE_EVERY 4 /* segments beyond a gap without one */

/**
 * struct prp_ack_state - what we owe the peer
 * @pending: something has arrived that no frame has acknowledged
 * @now: an acknowledgment must leave before the lock is dropped
 * @sack: the next one tells transmission numbers
 * @there: the next one answers a probe, where that came from in any case
 * @overrun: the next one says that a segment was dropped for memory
 * @told_overrun: one has said so, and none that there is some again; read
 *	without the lock
 * @in_time: since the peer asked last none has left for its time was over
 * @near: none had when it asked, so that it asks again soon
 * @late: segments beyond a gap since the last one
 * @tick: when a pending one must leave
 */
struct prp_ack_state {
	bool pending;
	bool now;
	bool sack;
	bool there;
	bool overrun;
	bool told_overrun;
	bool in_time;
	bool near;
	u8 late;
	u64 tick;
};

/**
 * prp_ack_in_order() - segments have come in order
 * @ack: what we owe
 * @filled: they have filled a gap
 *
 * Return: true if something is pending from now on: the caller sets @tick.
 */
static inline bool prp_ack_in_order(struct prp_ack_state *ack, bool filled)
{
	bool first = !ack->pending;

	if (unlikely(filled)) {
		ack->now = true;
		ack->sack = true;
	}
	ack->pending = true;
	return first;
}

/**
 * prp_ack_beyond_gap() - a segment beyond a gap is kept
 * @ack: what we owe
 * @new_gap: it shows a gap that was not known
 */
static inline void prp_ack_beyond_gap(struct prp_ack_state *ack, bool new_gap)
{
	if (new_gap || ++ack->late >= PRP_ACK_LATE_EVERY)
		ack->now = true;
}

/**
 * prp_ack_duplicate() - a segment has come that is here already
 * @ack: what we owe
 *
 * Our acknowledgment was lost, or the repeat was needless.
 */
static inline void prp_ack_duplicate(struct prp_ack_state *ack)
{
	ack->now = true;
	ack->sack = true;
}

/**
 * prp_ack_no_memory() - a segment was dropped for memory
 * @ack: what we owe
 */
static inline void prp_ack_no_memory(struct prp_ack_state *ack)
{
	ack->now = true;
	ack->sack = true;
	ack->overrun = true;
}

/**
 * prp_ack_memory_again() - there is memory again for what may come
 * @ack: what we owe; @told_overrun is set, so that the peer waits for this
 */
static inline void prp_ack_memory_again(struct prp_ack_state *ack)
{
	WRITE_ONCE(ack->told_overrun, false);
	ack->sack = true;
}

/**
 * prp_ack_asked() - a segment wants to be answered
 * @ack: what we owe
 */
static inline void prp_ack_asked(struct prp_ack_state *ack)
{
	ack->now = true;
	ack->near = ack->in_time;
	ack->in_time = true;
}

/**
 * prp_ack_waits() - the time of a pending one is over: does it wait once more?
 * @ack: what we owe
 *
 * Return: true, once, if the peer will ask so soon that it is to little avail.
 */
static inline bool prp_ack_waits(struct prp_ack_state *ack)
{
	ack->in_time = ack->near;
	ack->near = false;
	return ack->in_time;
}

/**
 * prp_ack_probed() - the frame that wants to be answered was a probe
 * @ack: what we owe
 */
static inline void prp_ack_probed(struct prp_ack_state *ack)
{
	ack->now = true;
	ack->sack = true;
	ack->there = true;
}

/**
 * prp_ack_tells_overrun() - does a frame say that memory was short?
 * @ack: what we owe
 *
 * Return: true if it says that there was none.
 */
static inline bool prp_ack_tells_overrun(struct prp_ack_state *ack)
{
	if (likely(!ack->overrun))
		return false;
	WRITE_ONCE(ack->told_overrun, true);
	return true;
}

/**
 * prp_ack_left() - a frame has left that says all we have
 * @ack: what we owe
 * @sack: it told transmission numbers
 */
static inline void prp_ack_left(struct prp_ack_state *ack, bool sack)
{
	ack->pending = false;
	ack->now = false;
	ack->overrun = false;
	ack->late = 0;
	if (sack)
		ack->sack = false;
}

#endif /* _PRP_ACK_H */
