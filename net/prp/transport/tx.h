/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a connection has to send: segments that are queued or in flight. send.c
 * and seqpacket_send.c put in, output.c sends, account.c frees what has
 * arrived.
 */
#ifndef _PRP_TX_H
#define _PRP_TX_H

#include <linux/types.h>
#include <net/sock.h>

struct page;

#define PRP_TXQ 1024 /* slots for segments queued and in flight, at most */
#define PRP_TXQ_MOST (PRP_TXQ - 1) /* of these; the end may need a slot */
#define PRP_TXQ_FEW 4 /* slots that need no memory of their own */
#define PRP_TX_FEW 4 /* short segments in flight, behind which one waits */
#define PRP_SEG_OVERHEAD 64 /* charged for a queued segment */
#define PRP_TX_PAGES 32 /* pages that are kept to be filled again, at most */
#define PRP_TX_PAGE (PAGE_SIZE << SKB_FRAG_PAGE_ORDER) /* bytes of each */

/**
 * struct prp_tx_seg - a segment that is queued or in flight
 * @page: its payload, one reference held; NULL if it has none; or a lot, see
 *	prp_lot_of()
 * @offset: where in @page, or in the lot
 * @len: bytes
 * @ends: where its first message ends, plus one, if others follow in it;
 *	else 0
 * @flags: PRP_F_END if the stream ends behind it, PRP_F_EOM if a message does
 */
struct prp_tx_seg {
	struct page *page;
	u16 offset;
	u16 len;
	u16 ends;
	u16 flags;
};

/**
 * struct prp_tx_pages - pages that were filled, a ring; see tx_pages.h [who
 *	fills slots; else prp_conn.lock]
 * @page: one reference to each; segments and frames have their own
 * @first: the one that was filled first
 * @count: how many there are
 */
struct prp_tx_pages {
	struct page *page[PRP_TX_PAGES];
	u32 first;
	u32 count;
};

/**
 * struct prp_tx - what there is to send [prp_conn.lock]
 * @seg: segment s is seg[s & snd.mask], for s in [snd.una, @end); slots from
 *	@end on belong to who holds prp_sock.tx_mutex. He alone has more made;
 *	they go when the connection is idle
 * @few: these slots, if there are not more
 * @few_txno: theirs, for prp_snd.seg_txno
 * @few_rail: theirs, for prp_snd.seg_rail
 * @end: one past the last queued segment
 * @bytes: charged for queued segments
 * @queued: payload queued so far, bytes; read without the lock
 * @sndbuf: the socket's SO_SNDBUF when something was last queued
 * @notsent_lowat: PRP_NOTSENT_LOWAT, 0 for none
 * @cpu: processor that sent the last segment
 * @idle_moved: __prp_tx_slots_moved() when the wheel last looked what is needed
 * @idle_tick: when it looks again: little is if that is the same then;
 *	PRP_TX_IDLE if it was
 * @filling: a writer fills slots: they stay where they are
 * @nodelay: PRP_NODELAY: no short segment waits for others
 * @shorts: how many short segments were sent since all were acknowledged; a
 *	last one that is let go counts for none
 * @short_seq: the last of them
 * @asks: the last of a few asks for an acknowledgment
 * @behind: something has waited behind these few
 * @corked: the last queued segment waits for more ...
 * @cork_tick: ... up to then
 * @kept: pages that are charged, of those that are behind the slots
 * @pushing: somebody sends burst after burst, and has dropped the lock only
 *	between two of them
 * @since_acknow: segments sent since the last PRP_F_ACKNOW
 * @freed: one past the last segment whose slot was let go of, its low bits;
 *	behind snd.una for a moment; read without the lock
 */
struct prp_tx {
	struct prp_tx_seg *seg;
	struct prp_tx_seg few[PRP_TXQ_FEW];
	u32 few_txno[PRP_TXQ_FEW];
	u8 few_rail[PRP_TXQ_FEW];
	u32 end;
	u32 bytes;
	u32 queued;
	u32 sndbuf;
	u32 notsent_lowat;
	int cpu;
	u32 idle_moved;
	u64 idle_tick;
	bool filling;
	bool nodelay;
	u8 shorts;
	bool asks;
	bool behind;
	bool corked;
	bool pushing;
	u8 kept;
	u16 since_acknow;
	u16 freed;
	u32 short_seq;
	u64 cork_tick;
};

#endif /* _PRP_TX_H */
