/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender's end of selective repeat: which segments are in flight, which
 * have arrived, which are lost. See window.h.
 */
#ifndef _PRP_SND_H
#define _PRP_SND_H

#include <linux/types.h>

#include "pure/window.h"

#define PRP_REORDER_FIRST 3 /* transmissions, before any is seen */
#define PRP_REORDER_MAX 256
#define PRP_SND_AGAIN 0x80 /* in prp_snd.seg_rail, beside the rail */

/**
 * struct prp_snd - what the sender knows of its segments
 * @mask: slots of @seg_txno and @seg_rail, a power of two, less one; what is
 *	in flight has room there
 * @seg_txno: transmission number of the last sending of segment i & @mask
 * @seg_rail: rail of that sending, and PRP_SND_AGAIN if it is counted in
 *	@again
 * @una: oldest segment that is not acknowledged
 * @nxt: next segment to be sent for the first time
 * @edge: first segment that the receiver does not accept yet; never moves
 *	back
 * @sacked: segments in [@una, @nxt) that have arrived out of order
 * @lost: segments in [@una, @nxt) known lost and not yet repeated
 * @again: segments in [@una, @nxt) that were sent more than once
 * @reorder: a segment counts as lost when one sent more than this many
 *	transmissions later on the same rail has arrived
 * @overtook: by how many transmissions, at most, since somebody asked
 * @widest: most segments that the receiver took when prp_snd_piece() asked
 * @overtaken: something has arrived after what was sent later
 * @moved: another processor has sent from here on, as far as it was sent for
 *	the first time
 * @needless: repeats of segments that had arrived
 * @rails: bit r is set if something in flight may have gone out on rail r
 * @seen: bit r is set once @newest[r] is known
 * @again_rail: rail on which the segment that was repeated last had been sent
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
 * @sacked_map: bit per segment, counted in @sacked
 * @lost_map: bit per segment, counted in @lost
 *
 * Bits of segments outside of [@una, @nxt) are 0.
 */
struct prp_snd {
	u32 *seg_txno;
	u8 *seg_rail;
	u32 mask;
	u32 una;
	u32 nxt;
	u32 edge;
	u16 sacked;
	u16 lost;
	u16 again;
	u16 reorder;
	u16 overtook;
	u16 widest;
	u32 needless;
	bool overtaken;
	u8 rails;
	u8 seen;
	u8 held_rails;
	u8 held_probed;
	u8 probed;
	u8 again_rail;
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
	u64 sacked_map[PRP_WIN_WORDS];
	u64 lost_map[PRP_WIN_WORDS];
};

/* What an acknowledgment turned out to be: prp_snd_ack() */
enum prp_ack {
	PRP_ACK_OK, /* it may have told something new */
	PRP_ACK_OLD, /* overtaken by a later one */
	PRP_ACK_BAD, /* of something that was never sent */
};

void prp_snd_init(struct prp_snd *snd, u32 first, u32 txno);
void prp_snd_slots(struct prp_snd *snd, u32 *seg_txno, u8 *seg_rail, u32 mask);
void prp_snd_sent(struct prp_snd *snd, u32 seq, u8 rail, u32 txno);
void prp_snd_sent_run(struct prp_snd *snd, unsigned int segs, u8 rail,
		      u32 txno);
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

/**
 * prp_snd_rail() - where did a segment go?
 * @snd: sender's window
 * @seq: segment in [una, nxt)
 *
 * Return: rail of its last sending.
 */
static inline u8 prp_snd_rail(const struct prp_snd *snd, u32 seq)
{
	return snd->seg_rail[seq & snd->mask] & ~PRP_SND_AGAIN;
}

/**
 * prp_snd_is_again() - was a segment sent more than once?
 * @snd: sender's window
 * @seq: segment in [una, nxt)
 *
 * Return: whether it was.
 */
static inline bool prp_snd_is_again(const struct prp_snd *snd, u32 seq)
{
	return snd->seg_rail[seq & snd->mask] & PRP_SND_AGAIN;
}

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
 * prp_snd_passed() - forget from where on another processor has sent
 * @snd: sender's window
 *
 * If that was acknowledged. To be called now and then, before numbers have come
 * half round.
 */
static inline void prp_snd_passed(struct prp_snd *snd)
{
	if (!prp_before(snd->una, snd->moved))
		snd->moved = snd->una;
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

/**
 * prp_snd_piece() - how much may go in one piece?
 * @snd: sender's window
 *
 * All of a window in one piece would have nothing follow it until all of it has
 * arrived and was acknowledged: TCP's pieces are half of its peer's largest
 * window (tcp_bound_to_half_wnd()), whose window is smaller than ours. A window
 * that is small for a while, as a reader comes late, makes no smaller ones.
 *
 * Return: segments, a third of the largest window it was asked at; 0 if nothing
 * was ever taken.
 */
static inline u32 prp_snd_piece(struct prp_snd *snd)
{
	snd->widest = max_t(u32, snd->widest, snd->edge - snd->una);
	return DIV_ROUND_UP(snd->widest, 3);
}

#endif /* _PRP_SND_H */
