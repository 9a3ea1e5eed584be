/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lots: pages of a program, or of a file, which segments refer to instead of
 * copies. A slot of a segment has a lot where others have a page.
 */
#ifndef _PRP_LOT_H
#define _PRP_LOT_H

#include <linux/bvec.h>

#include "transport/tx.h"

struct iov_iter;
struct sk_buff;
struct ubuf_info;

#define PRP_LOT_PARTS 16 /* a frame has room for one more */
#define PRP_LOT_HELD 4 /* bytes of pages for each byte that is charged */
#define PRP_LOT_BYTES U16_MAX /* prp_tx_seg.offset counts them */

/**
 * struct prp_lot - bytes that segments refer to
 * @told: whom to tell when neither they nor a frame of them needs the bytes
 *	any more, one reference; or NULL
 * @refs: segments that refer to it [prp_sock.tx_mutex until they are queued,
 *	prp_conn.lock from then on]
 * @count: of @part
 * @room: parts that there is memory for
 * @part: where the bytes are, one part behind the other; a reference to each
 *	page
 */
struct prp_lot {
	struct ubuf_info *told;
	unsigned int refs;
	u16 count;
	u16 room;
	struct bio_vec part[];
};

/**
 * struct prp_lot_counts - who counts frames of a program's pages
 * @left: one has left; called once, in any context
 * @freed: destructor of one whose pages were copied on its way, with the same
 *	argument in destructor_arg
 */
struct prp_lot_counts {
	void (*left)(unsigned long arg);
	void (*freed)(struct sk_buff *skb);
};

#define PRP_LOT_BIT 1UL /* in prp_tx_seg.page */

/**
 * prp_lot_of() - the lot of a segment
 * @seg: its slot
 *
 * Return: it, or NULL of one that has a page, or nothing.
 */
static inline struct prp_lot *prp_lot_of(const struct prp_tx_seg *seg)
{
	unsigned long page = (unsigned long)seg->page;

	return unlikely(page & PRP_LOT_BIT) ? (void *)(page & ~PRP_LOT_BIT) :
					      NULL;
}

/**
 * prp_lot_slot() - what a slot has for a page
 * @lot: lot
 *
 * Return: it, for prp_tx_seg.page.
 */
static inline struct page *prp_lot_slot(const struct prp_lot *lot)
{
	return (void *)((unsigned long)lot | PRP_LOT_BIT);
}

struct prp_lot *prp_lot_make(struct ubuf_info *told, struct iov_iter *from,
			     u32 *bytes, u32 size, bool more, gfp_t gfp);
u32 prp_lot_join(struct prp_lot *lot, const struct bio_vec *from, u32 at,
		 u32 bytes, u32 size);
void prp_lot_put(struct prp_lot *lot, unsigned int refs);
bool prp_lot_show(const struct prp_lot *lot, struct sk_buff *skb, u32 at,
		  u32 len);
void prp_lot_count(struct sk_buff *skb, const struct prp_lot_counts *counts,
		   unsigned long arg);
void prp_lot_freed(struct sk_buff *skb);
void prp_lot_exit(void);

#endif /* _PRP_LOT_H */
