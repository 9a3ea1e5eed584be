// SPDX-License-Identifier: GPL-2.0
/* The receiver's end of selective repeat; see window.h. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/rcv.h"

/**
 * prp_rcv_init() - begin to receive
 * @rcv: receiver's window
 * @first: number of the peer's first segment
 * @window: segments that we can take
 */
void prp_rcv_init(struct prp_rcv *rcv, u32 first, u16 window)
{
	memset(rcv, 0, sizeof(*rcv));
	rcv->nxt = first;
	rcv->high = first;
	rcv->edge = first + window;
}

/**
 * prp_rcv_check() - what is a segment?
 * @rcv: receiver's window
 * @seq: its number
 *
 * Return: PRP_SEG_NEXT or PRP_SEG_LATE if prp_rcv_accept() may take it, else
 * why it may not.
 */
enum prp_seg prp_rcv_check(const struct prp_rcv *rcv, u32 seq)
{
	if (seq == rcv->nxt)
		return prp_before(seq, rcv->edge) ? PRP_SEG_NEXT :
						    PRP_SEG_OUTSIDE;
	if (prp_before(seq, rcv->nxt))
		return PRP_SEG_DUPLICATE;
	if (!prp_before(seq, rcv->edge) || seq - rcv->nxt >= PRP_WIN)
		return PRP_SEG_OUTSIDE;
	return prp_map_test(rcv->map, seq) ? PRP_SEG_DUPLICATE : PRP_SEG_LATE;
}

/**
 * prp_rcv_accept() - take a segment
 * @rcv: receiver's window
 * @seq: one that prp_rcv_check() called PRP_SEG_NEXT or PRP_SEG_LATE
 *
 * Return: segments that are in order now, from the old @rcv->nxt on; 0 if
 * this one is beyond a gap.
 */
unsigned int prp_rcv_accept(struct prp_rcv *rcv, u32 seq)
{
	u32 first = rcv->nxt;

	if (!prp_before(seq, rcv->high))
		rcv->high = seq + 1;
	if (seq != rcv->nxt) {
		prp_map_set(rcv->map, seq);
		rcv->late++;
		return 0;
	}
	rcv->nxt++;
	while (rcv->late && prp_map_test(rcv->map, rcv->nxt)) {
		prp_map_clear(rcv->map, rcv->nxt);
		rcv->late--;
		rcv->nxt++;
	}
	return rcv->nxt - first;
}

/**
 * prp_rcv_takes_run() - are these segments in order, every one?
 * @rcv: receiver's window
 * @seq: number of the first
 * @segs: how many, less than PRP_WIN
 *
 * Return: true if prp_rcv_accept_run() may take them.
 */
bool prp_rcv_takes_run(const struct prp_rcv *rcv, u32 seq, unsigned int segs)
{
	return seq == rcv->nxt && !rcv->late &&
	       !prp_before(rcv->edge, seq + segs);
}

/**
 * prp_rcv_accept_run() - take segments in order
 * @rcv: receiver's window
 * @segs: how many; prp_rcv_takes_run() has said yes
 *
 * Return: 1: one buffer is in order now.
 */
unsigned int prp_rcv_accept_run(struct prp_rcv *rcv, unsigned int segs)
{
	rcv->nxt += segs;
	rcv->high = rcv->nxt; /* as nothing is beyond a gap */
	return 1;
}

/**
 * prp_rcv_sack() - say what has arrived
 * @rcv: receiver's window
 * @sack: where to say it
 * @words: words of the bitmap that there is room for, up to PRP_WIN_WORDS
 *
 * If that is not enough it is said of the highest ones: what came before them
 * was said before, and the first gap is where the acknowledgment ends.
 */
void prp_rcv_sack(const struct prp_rcv *rcv, struct prp_sack *sack,
		  unsigned int words)
{
	u32 seq = rcv->nxt + 1;
	u32 left = rcv->late ? min_t(u32, rcv->high - seq, PRP_WIN) : 0;
	unsigned int word;

	sack->offset = left > 64 * words ? left - 64 * words : 0;
	seq += sack->offset;
	left -= sack->offset;

	sack->rails = rcv->rails;
	memcpy(sack->newest, rcv->newest, sizeof(sack->newest));
	sack->words = DIV_ROUND_UP(left, 64);
	for (word = 0; word < sack->words; word++, seq += 64) {
		u32 at = seq % PRP_WIN / 64;
		u64 bits = rcv->map[at] >> (seq % 64);

		if (seq % 64)
			bits |= rcv->map[(at + 1) % PRP_WIN_WORDS]
				<< (64 - seq % 64);
		sack->map[word] = bits;
	}
}
