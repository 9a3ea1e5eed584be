/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiver's end of selective repeat: which segments have arrived, and how
 * that is said. See window.h.
 */
#ifndef _PRP_RCV_H
#define _PRP_RCV_H

#include <linux/types.h>

#include "pure/window.h"

/**
 * struct prp_rcv - what the receiver has of its peer's segments
 * @nxt: first segment that has not arrived
 * @edge: first segment that we have not promised to take; never moves back
 * @high: one past the highest segment that has arrived
 * @late: segments beyond @nxt that have arrived
 * @rails: bit r is set once @newest[r] is known
 * @newest: newest transmission number seen on each rail
 * @map: bit per segment beyond @nxt: has arrived
 */
struct prp_rcv {
	u32 nxt;
	u32 edge;
	u32 high;
	u16 late;
	u8 rails;
	u32 newest[PRP_WIN_RAILS];
	u64 map[PRP_WIN_WORDS];
};

/* What a segment turned out to be: prp_rcv_check() */
enum prp_seg {
	PRP_SEG_NEXT, /* the one that is waited for */
	PRP_SEG_LATE, /* beyond a gap */
	PRP_SEG_DUPLICATE, /* has arrived before */
	PRP_SEG_OUTSIDE, /* beyond what we promised to take */
};

void prp_rcv_init(struct prp_rcv *rcv, u32 first, u16 window);
enum prp_seg prp_rcv_check(const struct prp_rcv *rcv, u32 seq);
unsigned int prp_rcv_accept(struct prp_rcv *rcv, u32 seq);
bool prp_rcv_takes_run(const struct prp_rcv *rcv, u32 seq, unsigned int segs);
unsigned int prp_rcv_accept_run(struct prp_rcv *rcv, unsigned int segs);
void prp_rcv_sack(const struct prp_rcv *rcv, struct prp_sack *sack,
		  unsigned int words);

/**
 * prp_rcv_saw() - note the transmission number of a frame
 * @rcv: receiver's window
 * @rail: sender's rail, below PRP_WIN_RAILS
 * @txno: transmission number on that rail
 */
static inline void prp_rcv_saw(struct prp_rcv *rcv, u8 rail, u32 txno)
{
	if (rcv->rails & (1 << rail) &&
	    !prp_txno_before(rcv->newest[rail], txno))
		return;
	rcv->rails |= 1 << rail;
	rcv->newest[rail] = txno;
}

/**
 * prp_rcv_open() - move the right edge of the window
 * @rcv: receiver's window
 * @window: segments beyond the next expected that we can take
 *
 * The edge never moves back: what was promised stays promised.
 */
static inline void prp_rcv_open(struct prp_rcv *rcv, u16 window)
{
	if (prp_before(rcv->edge, rcv->nxt + window))
		rcv->edge = rcv->nxt + window;
}

#endif /* _PRP_RCV_H */
