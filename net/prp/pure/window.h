/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selective repeat as pure logic: which segments are in flight, which have
 * arrived, which are lost. No skb, no lock, no clock; the owner's lock
 * protects it. Sequence numbers count segments and wrap at 2^32.
 *
 * The receiver finds the gap and the kernel repeats only what was lost
 * (papers/000, section 2.2 and 2.3); transmission numbers order what was
 * sent so that a repeat that is lost too is seen as soon as a segment.
 */
#ifndef _PRP_WINDOW_H
#define _PRP_WINDOW_H

#include <linux/types.h>

#define PRP_WIN 512 /* most segments in flight */
#define PRP_WIN_WORDS (PRP_WIN / 64)
#define PRP_WIN_RAILS 8
#define PRP_REORDER_FIRST 3 /* transmissions, before any is seen */
#define PRP_REORDER_MAX 256

/**
 * prp_before() - compare sequence numbers, which wrap
 * @a: one
 * @b: another, less than 2^31 away
 *
 * Return: whether @a comes before @b.
 */
static inline bool prp_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * prp_txno_before() - the same of transmission numbers
 * @a: one
 * @b: another, less than 2^31 away
 *
 * Return: whether @a comes before @b.
 */
static inline bool prp_txno_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * prp_map_test() - is a segment's bit set?
 * @map: a bit per segment of a window, PRP_WIN_WORDS long
 * @seq: the segment
 *
 * Return: whether it is.
 */
static inline bool prp_map_test(const u64 *map, u32 seq)
{
	return map[seq % PRP_WIN / 64] >> (seq % 64) & 1;
}

/**
 * prp_map_set() - set a segment's bit
 * @map: a bit per segment of a window, PRP_WIN_WORDS long
 * @seq: the segment
 */
static inline void prp_map_set(u64 *map, u32 seq)
{
	map[seq % PRP_WIN / 64] |= 1ULL << (seq % 64);
}

/**
 * prp_map_clear() - clear a segment's bit
 * @map: a bit per segment of a window, PRP_WIN_WORDS long
 * @seq: the segment
 */
static inline void prp_map_clear(u64 *map, u32 seq)
{
	map[seq % PRP_WIN / 64] &= ~(1ULL << (seq % 64));
}

/**
 * struct prp_sack - a selective acknowledgment
 * @words: words of @map that are in use, up to PRP_WIN_WORDS
 * @rails: bit r is set if @newest[r] is known
 * @offset: of the segments (ack, ack + 1 + @offset) nothing is said
 * @newest: newest transmission number received on each rail
 * @map: bit i of word w: segment ack + 1 + @offset + 64 * w + i has been
 *	received; what lies behind it has not
 */
struct prp_sack {
	u8 words;
	u8 rails;
	u16 offset;
	u32 newest[PRP_WIN_RAILS];
	u64 map[PRP_WIN_WORDS];
};

/**
 * struct prp_snd - what the sender knows of its segments
 * @una: oldest segment that is not acknowledged
 * @nxt: next segment to be sent for the first time
 * @edge: first segment that the receiver does not accept yet; never moves
 *	back
 * @sacked: segments in [@una, @nxt) that have arrived out of order
 * @lost: segments in [@una, @nxt) known lost and not yet repeated
 * @again: segments in [@una, @nxt) that were sent more than once
 * @reorder: a segment counts as lost when one sent more than this many
 *	transmissions later on the same rail has arrived
 * @overtaken: something has arrived after what was sent later
 * @moved: another processor has sent from here on, as far as it was sent for
 *	the first time
 * @needless: repeats of segments that had arrived
 * @rails: bit r is set if something in flight may have gone out on rail r
 * @seen: bit r is set once @newest[r] is known
 * @probed: bit r is set while @probe[r] is the last probe on rail r
 * @leaving: segments before @stayed were called lost because their rail was
 *	left, which says nothing of how deep a path reorders
 * @stayed: the first one that was not
 * @told_ack: the newest selective acknowledgment was of this segment ...
 * @told: ... and of those from here on, and said nothing of those between
 * @txno: next transmission number on each rail
 * @newest: newest transmission number that the receiver has reported
 * @held: @newest when prp_snd_hold() was called ...
 * @held_rails: ... and of which rails it was known
 * @held_probe: @probe and ...
 * @held_probed: ... @probed then; later ones say nothing of what was held
 * @probe: transmission number of the last probe; it left so late that what
 *	went before it on the rail has arrived by then or is lost
 * @seg_txno: transmission number of the last sending of segment i % PRP_WIN
 * @seg_rail: rail of that sending
 * @sacked_map: bit per segment, counted in @sacked
 * @lost_map: bit per segment, counted in @lost
 * @again_map: bit per segment, counted in @again
 *
 * Bits of segments outside of [@una, @nxt) are 0.
 */
struct prp_snd {
	u32 una;
	u32 nxt;
	u32 edge;
	u16 sacked;
	u16 lost;
	u16 again;
	u16 reorder;
	u32 needless;
	bool overtaken;
	u8 rails;
	u8 seen;
	u8 held_rails;
	u8 held_probed;
	u8 probed;
	bool leaving;
	u32 stayed;
	u32 moved;
	u32 told_ack;
	u32 told;
	u32 txno[PRP_WIN_RAILS];
	u32 newest[PRP_WIN_RAILS];
	u32 held[PRP_WIN_RAILS];
	u32 held_probe[PRP_WIN_RAILS];
	u32 probe[PRP_WIN_RAILS];
	u32 seg_txno[PRP_WIN];
	u8 seg_rail[PRP_WIN];
	u64 sacked_map[PRP_WIN_WORDS];
	u64 lost_map[PRP_WIN_WORDS];
	u64 again_map[PRP_WIN_WORDS];
};

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

/* What an acknowledgment turned out to be: prp_snd_ack() */
enum prp_ack {
	PRP_ACK_OK, /* it may have told something new */
	PRP_ACK_OLD, /* overtaken by a later one */
	PRP_ACK_BAD, /* of something that was never sent */
};

/* What a segment turned out to be: prp_rcv_check() */
enum prp_seg {
	PRP_SEG_NEXT, /* the one that is waited for */
	PRP_SEG_LATE, /* beyond a gap */
	PRP_SEG_DUPLICATE, /* has arrived before */
	PRP_SEG_OUTSIDE, /* beyond what we promised to take */
};

void prp_snd_init(struct prp_snd *snd, u32 first, u32 txno);
void prp_snd_sent(struct prp_snd *snd, u32 seq, u8 rail, u32 txno);
void prp_snd_lose(struct prp_snd *snd, u32 seq);
unsigned int prp_snd_lose_rails(struct prp_snd *snd, u8 rails);
void prp_snd_probed(struct prp_snd *snd, u8 rail, u32 txno);
enum prp_ack prp_snd_ack(struct prp_snd *snd, u32 ack, u16 window,
			 const struct prp_sack *sack);
unsigned int prp_snd_find_lost(struct prp_snd *snd);
void prp_snd_moved(struct prp_snd *snd);
bool prp_snd_hold(struct prp_snd *snd);
unsigned int prp_snd_find_held(struct prp_snd *snd, unsigned int most);
bool prp_snd_first_lost(const struct prp_snd *snd, u32 *seq);
bool prp_snd_is_lost(const struct prp_snd *snd, u32 seq);
bool prp_snd_is_sacked(const struct prp_snd *snd, u32 seq);
bool prp_snd_was_retransmitted(const struct prp_snd *snd, u32 seq);

/**
 * prp_snd_in_flight() - segments on the way, as far as we know
 * @snd: sender's window
 *
 * Return: segments sent that are neither acknowledged nor known lost.
 */
static inline unsigned int prp_snd_in_flight(const struct prp_snd *snd)
{
	return snd->nxt - snd->una - snd->sacked - snd->lost;
}

/**
 * prp_snd_may_overtake() - may what is in flight overtake each other?
 * @snd: sender's window
 *
 * Return: true if some of it was sent by another processor than the rest, or
 * if any of it ever has.
 */
static inline bool prp_snd_may_overtake(const struct prp_snd *snd)
{
	return snd->overtaken || prp_before(snd->una, snd->moved);
}

/**
 * prp_snd_new_allowed() - may a segment be sent for the first time?
 * @snd: sender's window
 *
 * Return: true if the receiver accepts it and the window has room for it.
 */
static inline bool prp_snd_new_allowed(const struct prp_snd *snd)
{
	return prp_before(snd->nxt, snd->edge) && snd->nxt - snd->una < PRP_WIN;
}

void prp_rcv_init(struct prp_rcv *rcv, u32 first, u16 window);
enum prp_seg prp_rcv_check(const struct prp_rcv *rcv, u32 seq);
unsigned int prp_rcv_accept(struct prp_rcv *rcv, u32 seq);
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

#endif /* _PRP_WINDOW_H */
