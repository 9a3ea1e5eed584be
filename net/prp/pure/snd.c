// SPDX-License-Identifier: GPL-2.0
/*
 * The sender's end of selective repeat; see window.h. It decides what is lost
 * and never sends anything.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/snd.h"

#define ACK_OLDEST 0x10000 /* segments an overtaken ack may be behind */
#define TXNO_STALE 0x40000000 /* a report older than this says nothing */

/* The bits of the word that holds seq which stand for [seq, end). */
static u64 map_mask(u32 seq, u32 end)
{
	u32 left = end - seq;
	u64 mask = ~0ULL << (seq % 64);

	if (left < 64 - seq % 64)
		mask &= (1ULL << (seq % 64 + left)) - 1;
	return mask;
}

/**
 * prp_snd_init() - begin to send
 * @snd: sender's window
 * @first: number of the first segment
 * @txno: first transmission number, on every rail
 *
 * Its slots stay what they were.
 */
void prp_snd_init(struct prp_snd *snd, u32 first, u32 txno)
{
	unsigned int rail;

	/* others look at una without a lock: never at 0 */
	memset_after(snd, 0, una);
	snd->una = first;
	snd->nxt = first;
	snd->edge = first;
	snd->moved = first;
	snd->told_ack = first;
	snd->told = first;
	snd->reorder = PRP_REORDER_FIRST;
	for (rail = 0; rail < PRP_WIN_RAILS; rail++)
		snd->txno[rail] = txno;
}

/**
 * prp_snd_slots() - have other slots for what is noted of segments
 * @snd: sender's window
 * @seg_txno: slots
 * @seg_rail: as many slots
 * @mask: how many, a power of two, less one; at least those in flight
 *
 * What is noted of those in flight is moved there.
 */
void prp_snd_slots(struct prp_snd *snd, u32 *seg_txno, u8 *seg_rail, u32 mask)
{
	u32 seq;

	for (seq = snd->una; seq != snd->nxt; seq++) {
		seg_txno[seq & mask] = snd->seg_txno[seq & snd->mask];
		seg_rail[seq & mask] = snd->seg_rail[seq & snd->mask];
	}
	snd->seg_txno = seg_txno;
	snd->seg_rail = seg_rail;
	snd->mask = mask;
}

/* Something has been handed to a rail, under this transmission number. */
static void snd_handed(struct prp_snd *snd, u8 rail, u32 txno)
{
	snd->rails |= 1 << rail;
	if (txno - snd->newest[rail] > TXNO_STALE)
		snd->seen &= ~(1 << rail);
	if (txno - snd->probe[rail] > TXNO_STALE)
		snd->probed &= ~(1 << rail);
}

/**
 * prp_snd_sent() - a segment has been handed to a rail
 * @snd: sender's window
 * @seq: the next new segment, or one in flight that is repeated
 * @rail: rail it went to
 * @txno: transmission number it bore, from @snd->txno[rail]++
 */
void prp_snd_sent(struct prp_snd *snd, u32 seq, u8 rail, u32 txno)
{
	u8 slot = rail;

	if (seq == snd->nxt) {
		if (snd->una == seq)
			snd->rails = 0;
		snd->nxt++;
	} else {
		if (prp_map_test(snd->lost_map, seq)) {
			prp_map_clear(snd->lost_map, seq);
			snd->lost--;
		}
		if (!prp_snd_is_again(snd, seq))
			snd->again++;
		snd->again_rail = prp_snd_rail(snd, seq);
		slot = rail | PRP_SND_AGAIN;
	}
	snd_handed(snd, rail, txno);
	snd->seg_txno[seq & snd->mask] = txno;
	snd->seg_rail[seq & snd->mask] = slot;
}

/**
 * prp_snd_sent_run() - the next new segments have been handed to a rail
 * @snd: sender's window
 * @segs: how many, at least one; the window has room for them
 * @rail: rail they went to
 * @txno: transmission number of the first; each of the others bore the next
 *	one
 */
void prp_snd_sent_run(struct prp_snd *snd, unsigned int segs, u8 rail, u32 txno)
{
	const u32 mask = snd->mask, end = snd->nxt + segs;
	u32 *seg_txno = snd->seg_txno;
	u8 *seg_rail = snd->seg_rail;
	u32 seq;

	if (snd->una == snd->nxt)
		snd->rails = 0;
	snd_handed(snd, rail, txno + segs - 1);
	for (seq = snd->nxt; seq != end; seq++) {
		seg_txno[seq & mask] = txno++;
		seg_rail[seq & mask] = rail;
	}
	snd->nxt = end;
}

/**
 * prp_snd_moved() - another processor sends from now on
 * @snd: sender's window
 */
void prp_snd_moved(struct prp_snd *snd)
{
	snd->moved = snd->nxt;
}

/**
 * prp_snd_probed() - a probe has been handed to a rail
 * @snd: sender's window
 * @rail: rail it went to
 * @txno: transmission number it bore
 */
void prp_snd_probed(struct prp_snd *snd, u8 rail, u32 txno)
{
	snd->probed |= 1 << rail;
	snd->probe[rail] = txno;
}

/**
 * prp_snd_lose() - somebody on the way says that a segment was dropped
 * @snd: sender's window
 * @seq: segment in flight
 */
void prp_snd_lose(struct prp_snd *snd, u32 seq)
{
	if (prp_map_test(snd->sacked_map, seq) ||
	    prp_map_test(snd->lost_map, seq))
		return;
	prp_map_set(snd->lost_map, seq);
	snd->lost++;
}

/**
 * prp_snd_lose_rails() - some rails are used no more
 * @snd: sender's window
 * @rails: bit r: what is in flight on rail r counts as lost
 *
 * Return: segments that this call marked.
 */
unsigned int prp_snd_lose_rails(struct prp_snd *snd, u8 rails)
{
	unsigned int was = snd->lost;
	u32 seq;

	for (seq = snd->una; seq != snd->nxt; seq++)
		if (rails & (1 << prp_snd_rail(snd, seq)))
			prp_snd_lose(snd, seq);
	snd->rails &= ~rails;
	if (snd->lost != was) {
		snd->leaving = true;
		snd->stayed = snd->nxt;
	}
	return snd->lost - was;
}

/* Widen the tolerance: this segment was overtaken by so many transmissions. */
static void snd_reordered(struct prp_snd *snd, u32 seq, unsigned int depth)
{
	if (snd->leaving && prp_before(seq, snd->stayed))
		return;
	snd->overtaken = true;
	if (depth > PRP_REORDER_MAX)
		depth = PRP_REORDER_MAX;
	if (depth > snd->reorder)
		snd->reorder = depth;
}

/* The same, and for sure: a later one has arrived before. */
static void snd_overtook(struct prp_snd *snd, u32 seq, unsigned int depth)
{
	snd_reordered(snd, seq, depth);
	if (depth > snd->overtook)
		snd->overtook = min_t(u32, depth, PRP_REORDER_MAX);
}

/* Did the newest report say whether a segment is there? */
static bool snd_was_told(const struct prp_snd *snd, u32 seq)
{
	return seq == snd->told_ack || !prp_before(seq, snd->told);
}

/* A segment has arrived for the first time as far as we know. Learn from it
 * how deep the path reorders. reported: the newest transmission numbers are
 * of this very frame, so that a repeat newer than they are was needless.
 */
static void snd_arrived(struct prp_snd *snd, u32 seq, const u32 *newest_was,
			u8 seen_was, bool reported)
{
	u8 rail = prp_snd_rail(snd, seq);
	u32 txno = snd->seg_txno[seq & snd->mask];

	if (prp_map_test(snd->lost_map, seq)) {
		prp_map_clear(snd->lost_map, seq);
		snd->lost--;
		/* or it was called lost for another reason */
		if (snd->seen & (1 << rail) &&
		    prp_txno_before(txno, snd->newest[rail]))
			snd_overtook(snd, seq, snd->newest[rail] - txno);
	} else if (prp_snd_is_again(snd, seq)) {
		if (reported && (!(snd->seen & (1 << rail)) ||
				 prp_txno_before(snd->newest[rail], txno))) {
			snd->needless++;
			snd_reordered(snd, seq, snd->reorder * 2);
		}
	} else if (seen_was & (1 << rail) && snd_was_told(snd, seq) &&
		   prp_txno_before(txno, newest_was[rail])) {
		snd_overtook(snd, seq, newest_was[rail] - txno);
	}
}

/* No bit of the selective acknowledgment is of something never sent. */
static bool sack_is_sane(const struct prp_snd *snd, u32 ack,
			 const struct prp_sack *sack)
{
	unsigned int rail, word;

	for (rail = 0; rail < PRP_WIN_RAILS; rail++)
		if (sack->rails & (1 << rail) &&
		    !prp_txno_before(sack->newest[rail], snd->txno[rail]))
			return false;
	for (word = 0; word < sack->words; word++) {
		u32 seq = ack + 1 + sack->offset + 64 * word;

		if (sack->map[word] &&
		    prp_before(snd->nxt, seq + fls64(sack->map[word])))
			return false;
	}
	return true;
}

/* A later one has said more: what this one does not tell of may be there. One
 * that leaves rails out, for want of room, says more of another one unless it
 * was overtaken.
 */
static bool sack_is_overtaken(const struct prp_snd *snd,
			      const struct prp_sack *sack)
{
	u8 newer = sack->rails & ~snd->seen;
	unsigned int rail;

	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		if (!(snd->seen & sack->rails & (1 << rail)))
			continue;
		if (prp_txno_before(sack->newest[rail], snd->newest[rail]))
			return true;
		if (sack->newest[rail] != snd->newest[rail])
			newer |= 1 << rail;
	}
	return snd->seen & ~sack->rails && !newer;
}

/* Which of the 64 segments from seq on are to be marked? Those of these bits
 * that are in flight and not known to have arrived.
 */
static u64 sack_new_bits(const struct prp_snd *snd, u32 seq, u64 bits)
{
	const u64 *map = snd->sacked_map;
	u32 word = seq % PRP_WIN / 64, shift = seq % 64;
	s32 over = snd->una - seq;

	bits &= ~(map[word] >> shift);
	if (shift)
		bits &= ~(map[(word + 1) % PRP_WIN_WORDS] << (64 - shift));
	if (over > 0)
		bits = over < 64 ? bits & ~0ULL << over : 0;
	return bits;
}

/* Mark what arrived beyond the cumulative point. */
static void snd_take_sack(struct prp_snd *snd, u32 ack,
			  const struct prp_sack *sack, const u32 *newest_was,
			  u8 seen_was)
{
	u32 first = ack + 1 + sack->offset;
	unsigned int word;

	for (word = 0; word < sack->words; word++, first += 64) {
		u64 bits = sack_new_bits(snd, first, sack->map[word]);

		for (; bits; bits &= bits - 1) {
			u32 seq = first + __ffs64(bits);

			snd_arrived(snd, seq, newest_was, seen_was, true);
			prp_map_set(snd->sacked_map, seq);
			snd->sacked++;
		}
	}
}

/* prp_snd_ack() where there is, or was a moment ago, more to it than how much
 * has arrived. Not in line, for its stack frame is not for each acknowledgment.
 */
static noinline enum prp_ack snd_ack_slowly(struct prp_snd *snd, u32 ack,
					    u16 window,
					    const struct prp_sack *sack)
{
	enum prp_ack what = PRP_ACK_OK;
	u32 newest_was[PRP_WIN_RAILS];
	u8 seen_was = snd->seen;
	unsigned int rail;
	bool newest;

	if (prp_before(snd->nxt, ack))
		return PRP_ACK_BAD;
	if (prp_before(ack, snd->una)) {
		if (snd->una - ack > ACK_OLDEST)
			return PRP_ACK_BAD;
		what = PRP_ACK_OLD;
	}
	if (sack && !sack_is_sane(snd, ack, sack))
		return PRP_ACK_BAD;

	newest = sack && !sack_is_overtaken(snd, sack);
	memcpy(newest_was, snd->newest, sizeof(newest_was));
	for (rail = 0; sack && rail < PRP_WIN_RAILS; rail++) {
		if (!(sack->rails & (1 << rail)))
			continue;
		if (!(snd->seen & (1 << rail)) ||
		    prp_txno_before(snd->newest[rail], sack->newest[rail]))
			snd->newest[rail] = sack->newest[rail];
		snd->seen |= 1 << rail;
	}

	for (; prp_before(snd->una, ack); snd->una++) {
		if (prp_map_test(snd->sacked_map, snd->una)) {
			prp_map_clear(snd->sacked_map, snd->una);
			snd->sacked--;
		} else {
			snd_arrived(snd, snd->una, newest_was, seen_was, sack);
		}
		if (prp_snd_is_again(snd, snd->una))
			snd->again--;
	}
	if (snd->leaving && !prp_before(snd->una, snd->stayed))
		snd->leaving = false;
	if (prp_before(snd->edge, ack + window))
		snd->edge = ack + window;
	if (sack)
		snd_take_sack(snd, ack, sack, newest_was, seen_was);
	if (newest) {
		snd->told_ack = ack;
		snd->told = ack + 1 + sack->offset;
	}
	return what;
}

/* Was all that is in flight sent after what was last reported? Then nothing
 * can be learned from that it arrives. What was sent later has a later number.
 */
static bool snd_is_younger(const struct prp_snd *snd)
{
	u8 rail = prp_snd_rail(snd, snd->una);
	u32 txno = snd->seg_txno[snd->una & snd->mask];

	return !(snd->rails & (snd->rails - 1)) &&
	       !prp_txno_before(txno, snd->newest[rail]);
}

/**
 * prp_snd_ack() - take an acknowledgment
 * @snd: sender's window
 * @ack: first segment that the receiver does not have
 * @window: segments from @ack on that it accepts
 * @sack: selective acknowledgment of the same frame, or NULL
 *
 * Nothing is changed unless the whole of it makes sense. An old one still
 * tells truly what has arrived, since a receiver never drops what it has
 * acknowledged.
 *
 * Return: what it was.
 */
enum prp_ack prp_snd_ack(struct prp_snd *snd, u32 ack, u16 window,
			 const struct prp_sack *sack)
{
	if (unlikely(sack || snd->sacked || snd->lost || snd->again ||
		     snd->leaving || (snd->seen && !snd_is_younger(snd)) ||
		     ack - snd->una > snd->nxt - snd->una))
		return snd_ack_slowly(snd, ack, window, sack);
	snd->una = ack;
	if (prp_before(snd->edge, ack + window))
		snd->edge = ack + window;
	return PRP_ACK_OK;
}

/* Has something arrived that left so much later that this one is lost? By the
 * newest ones of those rails of which they are known; held: by those of when it
 * was held, and the probes of then.
 */
static bool snd_is_lost(const struct prp_snd *snd, u32 seq, bool held)
{
	const u32 *newests = held ? snd->held : snd->newest;
	const u32 *probes = held ? snd->held_probe : snd->probe;
	u8 known = held ? snd->held_rails : snd->seen;
	u8 probed = held ? snd->held_probed : snd->probed;
	u8 rail = prp_snd_rail(snd, seq);
	u32 txno = snd->seg_txno[seq & snd->mask];
	u32 newest = newests[rail];

	if (!snd_was_told(snd, seq))
		return false;
	if (!(known & (1 << rail)) || !prp_txno_before(txno, newest))
		return false;
	if (newest - txno > snd->reorder)
		return true;
	return probed & (1 << rail) && prp_txno_before(txno, probes[rail]) &&
	       !prp_txno_before(newest, probes[rail]);
}

/* Find what is lost, or was when it was held, and mark it: of those one after
 * the other the oldest most. Return: how many there are, marked or not.
 */
static unsigned int snd_find_lost(struct prp_snd *snd, bool held,
				  unsigned int most)
{
	bool one_rail = !(snd->rails & (snd->rails - 1));
	unsigned int found = 0, run = 0;
	u32 seq = snd->una, next = seq;

	while (seq != snd->nxt) {
		u32 word = seq % PRP_WIN / 64;
		u64 open = ~(snd->sacked_map[word] | snd->lost_map[word]) &
			   map_mask(seq, snd->nxt);
		u32 base = seq - seq % 64;
		u32 left = snd->nxt - seq;

		for (; open; open &= open - 1) {
			u32 at = base + __ffs64(open);

			if (snd_is_lost(snd, at, held)) {
				run = at == next ? run + 1 : 1;
				next = at + 1;
				found++;
				if (run > most)
					continue;
				prp_map_set(snd->lost_map, at);
				snd->lost++;
			} else if (one_rail && !prp_before(at, snd->told) &&
				   !prp_snd_is_again(snd, at)) {
				/* what was first sent later is younger */
				return found;
			}
		}
		seq += min(64 - seq % 64, left);
	}
	return found;
}

/**
 * prp_snd_find_lost() - mark segments that are lost by now
 * @snd: sender's window
 *
 * Return: segments that this call marked.
 */
unsigned int prp_snd_find_lost(struct prp_snd *snd)
{
	return snd_find_lost(snd, false, PRP_WIN);
}

/**
 * prp_snd_hold() - do not call segments lost yet that are by now
 * @snd: sender's window
 *
 * Return: true if there are any: prp_snd_find_held() marks those of them that
 * have not arrived by then.
 */
bool prp_snd_hold(struct prp_snd *snd)
{
	if (!snd_find_lost(snd, false, 0))
		return false;
	memcpy(snd->held, snd->newest, sizeof(snd->held));
	memcpy(snd->held_probe, snd->probe, sizeof(snd->held_probe));
	snd->held_rails = snd->seen;
	snd->held_probed = snd->probed;
	return true;
}

/**
 * prp_snd_find_held() - mark segments that were lost when it was held
 * @snd: sender's window
 * @most: of those one after the other mark so many, the oldest ones
 *
 * What is lost by chance is far from each other. Many in a row may be the queue
 * of a processor that does something else.
 *
 * Return: how many there are, marked or not.
 */
unsigned int prp_snd_find_held(struct prp_snd *snd, unsigned int most)
{
	return snd_find_lost(snd, true, most);
}

/**
 * prp_snd_first_lost() - what to repeat next
 * @snd: sender's window
 * @seq: where to put it
 *
 * Return: true and the oldest lost segment, or false if there is none.
 */
bool prp_snd_first_lost(const struct prp_snd *snd, u32 *seq)
{
	u32 at = snd->una;

	if (!snd->lost)
		return false;
	while (at != snd->nxt) {
		u32 left = snd->nxt - at;
		u64 bits = snd->lost_map[at % PRP_WIN / 64] &
			   map_mask(at, snd->nxt);

		if (bits) {
			*seq = at - at % 64 + __ffs64(bits);
			return true;
		}
		at += min(64 - at % 64, left);
	}
	return false;
}

/**
 * prp_snd_is_lost() - is a segment in flight known lost and not repeated yet?
 * @snd: sender's window
 * @seq: any number
 *
 * Return: whether it is.
 */
bool prp_snd_is_lost(const struct prp_snd *snd, u32 seq)
{
	return seq - snd->una < snd->nxt - snd->una &&
	       prp_map_test(snd->lost_map, seq);
}

/**
 * prp_snd_is_sacked() - has a segment in flight arrived out of order?
 * @snd: sender's window
 * @seq: segment in [una, nxt)
 *
 * Return: whether it has.
 */
bool prp_snd_is_sacked(const struct prp_snd *snd, u32 seq)
{
	return prp_map_test(snd->sacked_map, seq);
}
