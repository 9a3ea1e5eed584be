// SPDX-License-Identifier: GPL-2.0
/*
 * Lots: pages of a program, or of a file, which segments refer to instead of
 * copies; and who is told that they are not needed any more, by segments or by
 * frames.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <linux/wait_bit.h>

#include "compat/zerocopy.h"
#include "transport/lot.h"

/**
 * struct lot_frame - a frame that shows a program's pages
 * @ubuf: what the frame has; counts the frames that it was cut into
 * @told: whom to tell, one reference
 * @counts: who counts the frame, if @arg is not 0
 * @arg: what to tell him when it has left, once
 * @copied: some device or host had to make a copy
 */
struct lot_frame {
	struct ubuf_info ubuf;
	struct ubuf_info *told;
	const struct prp_lot_counts *counts;
	unsigned long arg;
	bool copied;
};

/* those that there are: what they call when they are freed is our code */
static atomic_t lot_frames;

/* A frame, or what it was cut into, was freed or copied, in any context. */
static void lot_frame_done(struct sk_buff *skb, struct ubuf_info *ubuf,
			   bool success)
{
	struct lot_frame *frame = container_of(ubuf, struct lot_frame, ubuf);

	/* a frame of copied bytes goes on, and is counted as others are */
	if (skb && skb->destructor == prp_lot_freed && frame->arg) {
		skb_shinfo(skb)->destructor_arg = (void *)frame->arg;
		skb->destructor = frame->counts->freed;
		frame->arg = 0;
	}
	if (!success)
		WRITE_ONCE(frame->copied, true);
	if (!refcount_dec_and_test(&ubuf->refcnt))
		return;
	prp_compat_ubuf_done(skb, frame->told, !frame->copied);
	if (frame->arg)
		frame->counts->left(frame->arg);
	kfree(frame);
	if (atomic_dec_and_test(&lot_frames))
		wake_up_var(&lot_frames);
}

/* Take pages, up to so many, until there are enough. Return: bytes. */
static u32 lot_take(struct prp_lot *lot, unsigned int parts,
		    struct iov_iter *from, u32 want)
{
	struct page *pages[PRP_LOT_PARTS];
	struct bio_vec *part;
	unsigned int i;
	u32 bytes = 0;
	size_t start;
	ssize_t got;

	while (bytes < want && lot->count < parts) {
		got = iov_iter_get_pages2(from, pages, want - bytes,
					  parts - lot->count, &start);
		if (got <= 0)
			break;
		bytes += got;
		for (i = 0; got; i++) {
			part = &lot->part[lot->count++];
			part->bv_page = pages[i];
			part->bv_offset = start;
			part->bv_len = min_t(size_t, got, PAGE_SIZE - start);
			got -= part->bv_len;
			start = 0;
		}
	}
	return bytes;
}

/* Are so few bytes worth so many pages of the smallest size, of which they are
 * charged?
 */
static bool lot_is_worth(unsigned int pages, u32 bytes)
{
	return pages * PAGE_SIZE <= (u64)bytes * PRP_LOT_HELD;
}

/* May a lot be kept? Not pages that have no references, nor so many that what
 * is charged says little of what is held: of who is told, about what the kernel
 * has counted as locked; else the bytes.
 */
static bool lot_is_good(const struct prp_lot *lot, bool told, u32 bytes)
{
	unsigned int i;

	for (i = 0; i < lot->count; i++)
		if (!sendpage_ok(lot->part[i].bv_page))
			return false;
	if (told)
		return lot->count <= bytes / PAGE_SIZE + 2;
	return lot_is_worth(lot->count, bytes);
}

/* Give the last bytes back. */
static void lot_shorten(struct prp_lot *lot, struct iov_iter *from, u32 bytes)
{
	iov_iter_revert(from, bytes);
	while (bytes) {
		struct bio_vec *part = &lot->part[lot->count - 1];
		u32 less = min(bytes, part->bv_len);

		part->bv_len -= less;
		bytes -= less;
		if (part->bv_len)
			return;
		put_page(part->bv_page);
		lot->count--;
	}
}

static void lot_free(struct prp_lot *lot)
{
	while (lot->count)
		put_page(lot->part[--lot->count].bv_page);
	kfree(lot);
}

/**
 * prp_lot_make() - refer to bytes of a program, or of a file
 * @told: whom to tell when they are not needed any more, or NULL
 * @from: where they are; moved on
 * @bytes: how many there may be; set to how many there are
 * @size: bytes of a segment: a multiple of that is taken, unless it is all
 * @more: there may be others for prp_lot_join()
 * @gfp: how to get memory
 *
 * Return: a lot with a reference for each segment, or NULL: without memory, or
 * the bytes are better copied, or are not there.
 */
struct prp_lot *prp_lot_make(struct ubuf_info *told, struct iov_iter *from,
			     u32 *bytes, u32 size, bool more, gfp_t gfp)
{
	u32 got, want = min_t(u32, *bytes, PRP_LOT_BYTES);
	unsigned int parts;
	struct prp_lot *lot;

	parts = iov_iter_npages(from, PRP_LOT_PARTS);
	if (more && !told)
		parts = PRP_LOT_PARTS;
	lot = kmalloc(struct_size(lot, part, parts), gfp | __GFP_ACCOUNT);
	if (!lot)
		return NULL;
	lot->count = 0;
	lot->room = parts;
	got = lot_take(lot, parts, from, want);
	if (!got || !lot_is_good(lot, told, got)) {
		lot_shorten(lot, from, got);
		kfree(lot);
		return NULL;
	}
	if (got > size && got % size && iov_iter_count(from)) {
		lot_shorten(lot, from, got % size);
		got -= got % size;
	}
	lot->refs = DIV_ROUND_UP(got, size);
	lot->told = told;
	if (told)
		net_zcopy_get(told);
	*bytes = got;
	return lot;
}

/**
 * prp_lot_join() - refer to bytes behind those of a lot, too
 * @lot: lot, under the lock that prp_lot.refs names
 * @from: where they are
 * @at: bytes that the lot has
 * @bytes: how many there may be, not 0, at most as many as are there
 * @size: bytes of a segment: what fills the lot ends with one
 *
 * Return: bytes, no more than are in a page; 0 if there is no room, or somebody
 * is told of the lot, or they are better elsewhere.
 */
u32 prp_lot_join(struct prp_lot *lot, const struct bio_vec *from, u32 at,
		 u32 bytes, u32 size)
{
	u32 end = min_t(u32, at + bytes, rounddown(PRP_LOT_BYTES, size));
	struct bio_vec *part = &lot->part[lot->count];

	if (lot->count >= lot->room || lot->told)
		return 0;
	if (lot->count + 1 == lot->room)
		end = rounddown(end, size);
	part->bv_page = from->bv_page + from->bv_offset / PAGE_SIZE;
	part->bv_offset = from->bv_offset % PAGE_SIZE;
	end = min_t(u32, end, at + PAGE_SIZE - part->bv_offset);
	if (end <= at || !sendpage_ok(part->bv_page) ||
	    !lot_is_worth(lot->count + 1, end))
		return 0;
	part->bv_len = end - at;
	get_page(part->bv_page);
	lot->count++;
	return part->bv_len;
}

/**
 * prp_lot_put() - segments do not need their bytes any more
 * @lot: their lot, under the lock that prp_lot.refs names
 * @refs: how many segments
 */
void prp_lot_put(struct prp_lot *lot, unsigned int refs)
{
	struct ubuf_info *told = lot->told;

	lot->refs -= refs;
	if (lot->refs)
		return;
	lot_free(lot);
	net_zcopy_put(told);
}

/**
 * prp_lot_show() - put bytes of a lot behind a frame
 * @lot: lot
 * @skb: frame without pages
 * @at: where they begin in the lot, bytes
 * @len: how many
 *
 * Whoever gives the frame to a host that keeps what it receives, another
 * namespace of this machine, copies them if the program may write there.
 *
 * Return: false without memory.
 */
bool prp_lot_show(const struct prp_lot *lot, struct sk_buff *skb, u32 at,
		  u32 len)
{
	const struct bio_vec *part = lot->part;
	struct lot_frame *frame;
	unsigned int nr = 0;

	if (lot->told) {
		frame = kmalloc(sizeof(*frame), GFP_ATOMIC | __GFP_NOWARN);
		if (!frame)
			return false;
		atomic_inc(&lot_frames);
		prp_compat_ubuf_set(&frame->ubuf, lot_frame_done);
		refcount_set(&frame->ubuf.refcnt, 1);
		frame->ubuf.flags = SKBFL_ZEROCOPY_FRAG | SKBFL_DONT_ORPHAN;
		frame->told = lot->told;
		net_zcopy_get(frame->told);
		frame->arg = 0;
		frame->copied = false;
		skb_zcopy_init(skb, &frame->ubuf);
	}
	/* kept for a repeat: nobody may write into it */
	skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
	for (; at >= part->bv_len; part++)
		at -= part->bv_len;
	for (; len; part++) {
		u32 n = min(len, part->bv_len - at);

		get_page(part->bv_page);
		skb_fill_page_desc(skb, nr++, part->bv_page,
				   part->bv_offset + at, n);
		len -= n;
		at = 0;
	}
	return true;
}

/**
 * prp_lot_count() - count a frame of a program's pages until it has left
 * @skb: frame that prp_lot_show() has marked
 * @counts: who counts it
 * @arg: what to tell him, not 0
 *
 * That is when its device lets go of it, or of the last one that it was cut
 * into; or, where they all went on as clones, when the last page has.
 */
void prp_lot_count(struct sk_buff *skb, const struct prp_lot_counts *counts,
		   unsigned long arg)
{
	struct lot_frame *frame =
		container_of(skb_zcopy(skb), struct lot_frame, ubuf);

	frame->counts = counts;
	frame->arg = arg;
	skb->destructor = prp_lot_freed;
}

/**
 * prp_lot_freed() - the destructor of such frames
 * @skb: frame that is freed, or given up by its device
 */
void prp_lot_freed(struct sk_buff *skb)
{
	struct ubuf_info *ubuf = skb_zcopy(skb);
	struct lot_frame *frame;
	unsigned long arg;

	if (unlikely(!ubuf))
		return; /* lot_frame_done() was called for a clone */
	frame = container_of(ubuf, struct lot_frame, ubuf);
	arg = frame->arg;
	frame->arg = 0;
	frame->counts->left(arg);
}

/**
 * prp_lot_exit() - wait for devices to free the last frames of programs' pages
 */
void prp_lot_exit(void)
{
	wait_var_event(&lot_frames, !atomic_read(&lot_frames));
	synchronize_rcu(); /* who freed the last one has left our code */
}
