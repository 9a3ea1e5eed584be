/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a connection holds for its reader, what it may hold, and what of that is
 * promised to the peer. receive.c puts in, deliver.c takes out, account.c and
 * cgroup.c charge.
 */
#ifndef _PRP_RX_H
#define _PRP_RX_H

#include <linux/log2.h>
#include <linux/skbuff.h>

#include "pure/window.h"

struct prp_part;

#define PRP_RCVBUF_CHILD (16 * 1024) /* until somebody accepts it */
#define PRP_RCVBUF_MAX (1024 * 1024 * 1024) /* more is taken for that */
#define PRP_RX_LEAST_SHIFT 11 /* a driver's receive buffer has 2 KiB at least */
#define PRP_WINDOW_RESERVE (16 * 1024) /* bytes beyond the buffer, at least */
#define PRP_AWAITED_MAX (256 * 1024) /* beyond it for what fills a gap */
#define PRP_AWAITED_RESERVE (32 * 1024) /* for it, needs no pool, at least */
#define PRP_SETTLE_BYTES (16 * 1024) /* read before it is accounted for */

/**
 * struct prp_rx - what is held for a reader [prp_conn.lock]
 * @queue: segments in order, not yet taken by a reader
 * @late: segments beyond a gap by number % PRP_WIN; allocated at first gap
 * @parts: segments of which fragments are here, by the peer's rail;
 *	allocated at the first one
 * @mem: truesize of what is held
 * @rcvbuf: the socket's SO_RCVBUF as its readers last saw it, at most
 *	PRP_RCVBUF_MAX; prp_rx_bound() bounds @mem by it
 * @most: as much of it as there was memory for the last time, at most
 *	@rcvbuf; what is promised is bounded by it. Read without the lock
 * @charged: bytes of @mem that the socket's cgroup was charged for, or more;
 *	PRP_CGROUP_NONE if nothing is [and the socket's lock]
 * @kept: what bounds @mem instead while the peer may still send what was
 *	promised under a larger @rcvbuf, bytes of truesize; else 0
 * @reserve: prp_rx_reserve(), bytes [const after handshake]
 * @shift: log2 of the memory that a full segment is reckoned to need; read
 *	without the lock
 * @starved: a segment was dropped for memory since a reader took something, or
 *	there was memory for the next one; read without the lock
 * @wants: the reader had not enough when the last segment had arrived
 * @messages: messages that have ended in @queue so far; read without the lock
 * @bytes: bytes put into @queue so far, plus @messages; read without the lock
 */
struct prp_rx {
	struct sk_buff_head queue;
	struct sk_buff **late;
	struct prp_part *parts;
	u32 mem;
	u32 rcvbuf;
	u32 most;
	u32 charged;
	u32 kept;
	u32 reserve;
	u8 shift;
	bool starved;
	bool wants;
	u32 messages;
	u64 bytes;
};

/**
 * prp_rx_shift() - what is a full segment reckoned to need?
 * @seg_size: its payload, bytes
 *
 * Return: log2 of what a driver's receive buffer for such a frame amounts to,
 * with its headers and headroom. One that takes more than twice of it is found
 * out, see prp_rx_weighs().
 */
static inline u8 prp_rx_shift(u16 seg_size)
{
	return max_t(u8, order_base_2(seg_size + 512U), PRP_RX_LEAST_SHIFT);
}

/**
 * prp_rx_reserve() - what may be promised beyond the buffer
 * @shift: prp_rx_shift()
 *
 * A full segment at least, so that the window is open as long as the buffer is
 * not full, however small it is.
 *
 * Return: bytes of truesize.
 */
static inline u32 prp_rx_reserve(u8 shift)
{
	return max_t(u32, PRP_WINDOW_RESERVE, 1U << shift);
}

/**
 * prp_rx_bound() - what may be held for the reader
 * @rx: what is held
 *
 * All that was promised, at what a segment is reckoned to need; and as much as
 * the buffer once more for segments that turn out to need more than that.
 *
 * Return: bytes of truesize, below 3 GiB: twice SO_RCVBUF, and 16 KiB or a
 * full segment, whichever is more.
 */
static inline u32 prp_rx_bound(const struct prp_rx *rx)
{
	return max(2 * rx->rcvbuf + rx->reserve, rx->kept);
}

/**
 * prp_rx_window_empty() - segments that a buffer takes while it is empty
 * @rcvbuf: its size, bytes
 * @shift: prp_rx_shift()
 *
 * Return: 1, however small the buffer is, to PRP_WIN.
 */
static inline u16 prp_rx_window_empty(u32 rcvbuf, u8 shift)
{
	return min_t(u32, (rcvbuf + prp_rx_reserve(shift)) >> shift, PRP_WIN);
}

/**
 * prp_rx_window() - segments that we could take a moment ago
 * @rx: what is held
 *
 * Return: 0 to PRP_WIN; not 0 while the buffer is not full.
 */
static inline u16 prp_rx_window(const struct prp_rx *rx)
{
	u32 bound = READ_ONCE(rx->most) + rx->reserve;
	u32 mem = READ_ONCE(rx->mem);

	if (mem >= bound)
		return 0;
	return min_t(u32, (bound - mem) >> READ_ONCE(rx->shift), PRP_WIN);
}

/**
 * prp_rx_weighs() - a segment that was promised found no room
 * @rx: what is held; its connection's lock is held
 * @size: what it needs, bytes of truesize
 *
 * If that is more than all that was promised may turn out to need, each is
 * reckoned to need so much from now on.
 */
static inline void prp_rx_weighs(struct prp_rx *rx, u32 size)
{
	u8 most = ilog2(rx->reserve); /* a window is open even then */

	if (size > 2U << rx->shift)
		WRITE_ONCE(rx->shift, min_t(u8, order_base_2(size), most));
}

/**
 * prp_rx_may_open() - is a window large enough to be promised?
 * @rx: what is held; its connection's lock is held
 * @window: segments, prp_rx_window()
 *
 * A segment mostly needs less memory than it is reckoned to, so that a window
 * that is used up leaves a smaller one over, and that another one. Told of each
 * the sender would send ever less at a time (RFC 813): nothing is promised
 * that is less than a quarter of the whole while the reader has enough to read.
 *
 * Return: whether it is, or is a quarter of the largest one.
 */
static inline bool prp_rx_may_open(const struct prp_rx *rx, u16 window)
{
	return window >= PRP_WIN / 4 || rx->wants ||
	       window >=
		       max(prp_rx_window_empty(READ_ONCE(rx->most), rx->shift) /
				   4,
			   1);
}

/**
 * prp_rx_set_rcvbuf() - take SO_RCVBUF over
 * @rx: its connection's lock is held, or nobody else knows it yet
 * @rcvbuf: bytes
 *
 * What was promised is held all the same.
 *
 * Return: true if it has changed.
 */
static inline bool prp_rx_set_rcvbuf(struct prp_rx *rx, u32 rcvbuf)
{
	rcvbuf = min_t(u32, rcvbuf, PRP_RCVBUF_MAX);
	if (likely(rcvbuf == rx->rcvbuf))
		return false;
	if (rcvbuf < rx->rcvbuf)
		rx->kept = prp_rx_bound(rx);
	if (rx->most == rx->rcvbuf || rcvbuf < rx->most)
		WRITE_ONCE(rx->most, rcvbuf);
	WRITE_ONCE(rx->rcvbuf, rcvbuf);
	return true;
}

#endif /* _PRP_RX_H */
