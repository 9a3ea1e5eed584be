// SPDX-License-Identifier: GPL-2.0
/*
 * A connection's frames on their way down. A frame is built afresh for every
 * sending, with the state of its acknowledgment as it is at that moment
 * (papers/000, section 2.3); what is kept for a repeat is the page of the
 * payload, not the frame.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include "network/checksum.h"
#include "network/frame.h"
#include "network/hop.h"
#include "network/offload.h"
#include "see/trace.h"
#include "transport/below.h"
#include "transport/conn.h"
#include "transport/crowd.h"
#include "transport/lot.h"
#include "transport/message.h"
#include "transport/xmit.h"

/* Hand a connection's frame down, which has so many segments, or is none. If it
 * is refused the next one has its transmission numbers. A queue that drops one
 * of ours for it (NET_XMIT_CN) is full, too. Return: 0 or a negative errno.
 */
static __always_inline int xmit_down(struct prp_conn *conn, struct sk_buff *skb,
				     const struct prp_hop *hop,
				     unsigned int segs)
{
	bool counted = skb->data_len;
	int ret;

	prp_mib_rail_out(hop->mib, segs, skb->len);
	__skb_set_sw_hash(skb, conn->hash, true);
	skb->priority = conn->priority;
	skb->mark = conn->mark;
	if (counted) /* short ones are few and small: the window bounds them */
		__prp_below_count(conn, skb, hop->rail, segs);
	trace_prp_transmit(conn->pn, conn, skb);
	ret = dev_queue_xmit(skb);
	if (unlikely(net_xmit_eval(ret))) {
		/* or whatever overtakes by one seems to do so by many */
		conn->snd.txno[hop->rail] -= segs;
		prp_mib_add(conn->pn, PRP_MIB_LOCAL_DROPS, segs);
		return ret < 0 ? ret : -ENOBUFS;
	}
	if (unlikely(ret) && counted)
		__prp_below_full(conn);
	return 0;
}

/* The header of a connection's frame, as late as can be. */
static __always_inline void xmit_header(struct prp_conn *conn,
					struct sk_buff *skb,
					const struct prp_hop *hop, u32 seq,
					u16 flags, u16 len, size_t ext_len)
{
	struct prp_hdr *hdr = (struct prp_hdr *)skb_network_header(skb);

	flags |= hop->rail << PRP_F_RAIL_SHIFT;
	if (unlikely(prp_ack_tells_overrun(&conn->ack)))
		flags |= PRP_F_OVERRUN;
	*hdr = conn->hdr;
	hdr->seq = cpu_to_be32(seq);
	hdr->len = cpu_to_be16(len);
	hdr->flags = cpu_to_be16(flags);
	hdr->ext = ext_len / PRP_EXT_UNIT;
	hdr->txno = cpu_to_be32(conn->snd.txno[hop->rail]++);
	if (likely(conn->peer_tag)) {
		u16 window = __prp_conn_window(conn);

		if (likely(prp_rx_may_open(&conn->rx, window)))
			prp_rcv_open(&conn->rcv, window);
		hdr->ack = cpu_to_be32(conn->rcv.nxt);
		hdr->window = cpu_to_be16(conn->rcv.edge - conn->rcv.nxt);
	}
}

static bool xmit_wants_sack(const struct prp_conn *conn)
{
	return conn->rcv.late || conn->ack.sack;
}

/* Selective acknowledgment for a frame with that much room. Return: its length,
 * 0 if there is no room.
 */
static noinline size_t xmit_sack(struct prp_conn *conn, u32 room, u8 *at)
{
	struct prp_sack sack;

	prp_rcv_sack(&conn->rcv, &sack, PRP_WIN_WORDS);
	if (prp_wire_sack_len(&sack) > room)
		return 0;
	return prp_wire_put_sack(at, &sack);
}

/* The same for a frame that has no other purpose: as much of it as our way
 * has room for. That may be less than all rails, but not less than the one that
 * the peer's last frame came on. Return: its length.
 */
static noinline size_t xmit_sack_that_fits(struct prp_conn *conn, u8 *at)
{
	u8 rails = conn->rcv.rails;
	struct prp_sack sack;
	int words;

	while ((words = prp_wire_sack_words(rails, conn->path.size)) < 0)
		rails &= ~BIT(fls(rails & ~BIT(conn->came)) - 1);
	prp_rcv_sack(&conn->rcv, &sack, words);
	sack.rails = rails;
	return prp_wire_put_sack(at, &sack);
}

/* A frame whose payload is in a lot. */
static noinline struct sk_buff *
xmit_alloc_lot(const struct prp_conn *conn, const struct prp_hop *hop,
	       size_t head, const struct prp_tx_seg *seg, u32 len)
{
	struct sk_buff *skb;

	skb = prp_frame_alloc(hop, conn->pn->ethertype, head, NULL, 0, 0);
	if (skb && !prp_lot_show(prp_lot_of(seg), skb, seg->offset, len)) {
		kfree_skb(skb);
		skb = NULL;
	}
	return skb;
}

/* A frame with room for a head and a segment's payload, or NULL. */
static __always_inline struct sk_buff *xmit_alloc(const struct prp_conn *conn,
						  const struct prp_hop *hop,
						  size_t head,
						  const struct prp_tx_seg *seg)
{
	if (unlikely(prp_lot_of(seg)))
		return xmit_alloc_lot(conn, hop, head, seg, seg->len);
	return prp_frame_alloc(hop, conn->pn->ethertype, head, seg->page,
			       seg->offset, seg->len);
}

/* Build a connection's frame with a header, a checksum if it is agreed,
 * other extensions, and payload. BH are off.
 */
static struct sk_buff *xmit_build(struct prp_conn *conn,
				  const struct prp_hop *hop, u32 seq, u16 flags,
				  const void *ext, size_t ext_len,
				  const struct prp_tx_seg *seg)
{
	size_t sum_len = conn->checksum || (!conn->peer_tag &&
					    conn->handshake.wants_checksum) ?
				 sizeof(struct prp_ext_checksum) :
				 0;
	const struct prp_tx_seg none = {};
	struct prp_hdr *hdr;
	struct sk_buff *skb;

	skb = xmit_alloc(conn, hop, sizeof(*hdr) + sum_len + ext_len,
			 seg ?: &none);
	if (!skb)
		return NULL;
	hdr = (struct prp_hdr *)skb_network_header(skb);
	xmit_header(conn, skb, hop, seq, flags, seg ? seg->len : 0,
		    sum_len + ext_len);
	if (!conn->peer_tag) /* a request: the window of its answers */
		hdr->window = cpu_to_be16(__prp_conn_window(conn));
	memcpy((u8 *)(hdr + 1) + sum_len, ext, ext_len);
	if (sum_len)
		prp_checksum_put(skb);
	return skb;
}

/* Say where the first of several messages ends. Return: bytes written. */
static size_t xmit_messages(const struct prp_tx_seg *seg, void *at)
{
	struct prp_ext_messages *ext = at;

	if (!seg->ends)
		return 0;
	memset(ext, 0, sizeof(*ext));
	ext->type = PRP_EXT_MESSAGES;
	ext->units = sizeof(*ext) / PRP_EXT_UNIT;
	ext->first_end = cpu_to_be16(seg->ends - 1);
	return sizeof(*ext);
}

/* Send a segment in fragments, one behind the other. All of them are counted
 * as the transmission of the last one, but the pace counts each frame. If one
 * is refused the next time begins with it: a queue may never have room for all.
 * Return: 0 or a negative errno.
 */
static int xmit_fragments(struct prp_conn *conn, const struct prp_hop *hop,
			  u32 seq, u16 flags, const struct prp_tx_seg *seg)
{
	struct {
		struct prp_ext_fragment fragment;
		struct prp_ext_messages messages;
	} ext = {
		.fragment.type = PRP_EXT_FRAGMENT,
		.fragment.units = sizeof(ext.fragment) / PRP_EXT_UNIT,
		.fragment.total = cpu_to_be16(seg->len),
	};
	size_t ext_len =
		sizeof(ext.fragment) + xmit_messages(seg, &ext.messages);
	u32 at, room = conn->path.size - ext_len;
	struct prp_path_size *path = &conn->path;
	struct prp_tx_seg part = *seg;
	struct sk_buff *skb;
	int err;

	/* any other one in fragments would have come through here */
	if (conn->cut_seq != (u16)seq)
		path->cut = 0;
	conn->cut_seq = seq;
	for (at = path->cut; at < seg->len; at += part.len) {
		path->cut = at;
		part.offset = seg->offset + at;
		part.len = min_t(u32, seg->len - at, room);
		ext.fragment.offset = cpu_to_be16(at);
		skb = xmit_build(conn, hop, seq, flags, &ext, ext_len, &part);
		if (!skb)
			return -ENOBUFS;
		if (!skb->data_len) /* a segment has many short ones */
			__prp_below_count(conn, skb, hop->rail, 1);
		err = xmit_down(conn, skb, hop, 1);
		if (err)
			return err;
		prp_mib_inc(conn->pn, PRP_MIB_FRAGMENTS_OUT);
		if (at) /* the caller counts one */
			conn->pace.left -= PRP_SEG_OVERHEAD;
	}
	path->cut = 0;
	return 0;
}

/* Send a segment with a checksum, a selective acknowledgment, or several
 * messages, or one that is longer than its way carries. Return: 0 or a negative
 * errno.
 */
static noinline int xmit_unusual(struct prp_conn *conn,
				 const struct prp_hop *hop, u32 seq, u16 flags,
				 const struct prp_tx_seg *seg)
{
	u32 len = seg->len + (seg->ends ? sizeof(struct prp_ext_messages) : 0);
	bool whole = len <= conn->path.size;
	size_t sack_len = 0, ext_len;
	struct sk_buff *skb;
	u8 ext[PRP_EXT_MAX] __aligned(8) __uninitialized;
	int err;

	if (whole && xmit_wants_sack(conn))
		sack_len = xmit_sack(conn, conn->path.size - len, ext);
	if (whole) {
		ext_len = sack_len + xmit_messages(seg, ext + sack_len);
		skb = xmit_build(conn, hop, seq, flags, ext, ext_len, seg);
		err = skb ? xmit_down(conn, skb, hop, 1) : -ENOBUFS;
	} else {
		err = xmit_fragments(conn, hop, seq, flags, seg);
	}
	if (err)
		return err;
	prp_snd_sent(&conn->snd, seq, hop->rail, conn->snd.txno[hop->rail] - 1);
	if (sack_len || !xmit_wants_sack(conn))
		prp_ack_left(&conn->ack, sack_len);
	return 0;
}

/**
 * __prp_xmit_segment() - send a segment, for the first time or again
 * @conn: connection, its lock held
 * @hop: where to
 * @seq: segment in [snd.una, tx.end)
 * @flags: flags besides PRP_F_SEG, PRP_F_END and PRP_F_EOM
 *
 * Return: 0, or a negative errno if it went nowhere; then nothing has changed.
 */
int __prp_xmit_segment(struct prp_conn *conn, const struct prp_hop *hop,
		       u32 seq, u16 flags)
{
	const struct prp_tx_seg *seg = prp_conn_seg(conn, seq);
	struct sk_buff *skb;
	u32 txno;
	int err;

	lockdep_assert_held(&conn->lock);
	flags |= PRP_F_SEG;
	flags |= seg->flags;
	if (unlikely(conn->unusual || seg->ends || xmit_wants_sack(conn)))
		return xmit_unusual(conn, hop, seq, flags, seg);
	skb = xmit_alloc(conn, hop, sizeof(struct prp_hdr), seg);
	if (unlikely(!skb))
		return -ENOBUFS;
	txno = conn->snd.txno[hop->rail];
	xmit_header(conn, skb, hop, seq, flags, seg->len, 0);
	err = xmit_down(conn, skb, hop, 1);
	if (unlikely(err))
		return err;
	prp_snd_sent(&conn->snd, seq, hop->rail, txno);
	prp_ack_left(&conn->ack, false);
	return 0;
}

/* Bytes in front of a run's payload */
static size_t xmit_run_head(const struct prp_conn *conn)
{
	return sizeof(struct prp_hdr) +
	       (conn->checksum ? sizeof(struct prp_ext_checksum) : 0);
}

/* May a segment be in a run of such ones? */
static bool xmit_run_takes(const struct prp_tx_seg *seg, u16 each)
{
	return !seg->flags && !seg->ends && seg->len && seg->len <= each;
}

/* Is somebody told when a segment's bytes are not needed any more? */
static bool xmit_is_told(const struct prp_tx_seg *seg)
{
	const struct prp_lot *lot = prp_lot_of(seg);

	return unlikely(lot) && lot->told;
}

/* How many segments of a lot may be in a run, from that one on. Return: how
 * many, and their bytes, which are behind each other.
 */
static unsigned int xmit_run_alike(const struct prp_conn *conn, u32 seq,
				   u16 each, unsigned int most, u32 *bytes)
{
	const struct prp_tx_seg *seg, *first = prp_conn_seg(conn, seq);
	unsigned int segs = 0;

	*bytes = 0;
	do {
		seg = prp_conn_seg(conn, seq + segs);
		if (seg->page != first->page || !xmit_run_takes(seg, each))
			break;
		*bytes += seg->len;
	} while (++segs < most && seg->len == each);
	return segs;
}

/* What a run shows: pieces of pages, the last of which may grow. */
struct run_pages {
	struct sk_buff *skb;
	u32 bytes;
	unsigned int pieces;
	struct page *page; /* of the last piece, with a reference */
	u32 at, end; /* of it in @page */
};

static __always_inline bool run_goes_on(const struct run_pages *run,
					const struct page *page, u32 at)
{
	return run->page == page && run->end == at;
}

/* The last piece grows no more. */
static __always_inline void run_end_piece(struct run_pages *run)
{
	if (likely(run->pieces))
		skb_fill_page_desc(run->skb, run->pieces - 1, run->page,
				   run->at, run->end - run->at);
}

/* Show bytes of a page. What is together in it stays so. Return: false without
 * room.
 */
static __always_inline bool run_show(struct run_pages *run, struct page *page,
				     u32 at, u32 len)
{
	if (!run_goes_on(run, page, at)) {
		if (run->pieces == MAX_SKB_FRAGS)
			return false;
		run_end_piece(run);
		get_page(page);
		run->page = page;
		run->at = at;
		run->end = at;
		run->pieces++;
	}
	run->end += len;
	run->bytes += len;
	return true;
}

/* Show segments of a lot, up to so many, from that one on. Return: how many
 * there are, and there is room for.
 */
static noinline unsigned int run_show_lot(struct run_pages *run,
					  const struct prp_conn *conn, u32 seq,
					  u16 each, unsigned int most)
{
	const struct prp_tx_seg *first = prp_conn_seg(conn, seq);
	const struct bio_vec *part = prp_lot_of(first)->part, *last;
	u32 room = MAX_SKB_FRAGS - run->pieces, at = first->offset, bytes, fit;
	unsigned int segs = xmit_run_alike(conn, seq, each, most, &bytes);

	for (; at >= part->bv_len; part++)
		at -= part->bv_len;
	if (run_goes_on(run, part->bv_page, part->bv_offset + at))
		room++;
	last = part;
	for (fit = 0; room && fit < bytes + at; room--)
		fit += (last++)->bv_len;
	if (unlikely(fit < bytes + at)) {
		segs = fit > at ? (fit - at) / each : 0;
		bytes = segs * each;
	}
	for (; bytes; part++) {
		u32 len = min(bytes, part->bv_len - at);

		run_show(run, part->bv_page, part->bv_offset + at, len);
		bytes -= len;
		at = 0;
	}
	return segs;
}

/* Put the payload of so many new segments on, or of as many as there are room
 * for and as long as the first one; the last may be shorter. Return: how many.
 */
static unsigned int xmit_run_pages(const struct prp_conn *conn,
				   struct sk_buff *skb, unsigned int most)
{
	const struct prp_tx_seg *slots = conn->tx.seg;
	const u32 mask = conn->snd.mask;
	u32 seq = conn->snd.nxt;
	u16 each = slots[seq & mask].len;
	struct run_pages run = { .skb = skb };
	const struct prp_tx_seg *seg;
	unsigned int segs = 0, more;

	do {
		seg = &slots[seq & mask];
		if (!xmit_run_takes(seg, each) || xmit_is_told(seg))
			break;
		if (unlikely(prp_lot_of(seg)))
			more = run_show_lot(&run, conn, seq, each, most - segs);
		else
			more = run_show(&run, seg->page, seg->offset, seg->len);
		if (!more)
			break;
		segs += more;
		seq += more;
	} while (segs < most && slots[(seq - 1) & mask].len == each);
	run_end_piece(&run);
	/* kept for a repeat: nobody may write into it */
	skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	skb->len += run.bytes;
	skb->data_len += run.bytes;
	skb->truesize += run.bytes;
	return segs;
}

/* A frame of so many new segments of a lot of which somebody is told, or of as
 * many as are alike. How many it has is put back.
 */
static noinline struct sk_buff *xmit_run_lot(const struct prp_conn *conn,
					     const struct prp_hop *hop,
					     size_t head, unsigned int *segs)
{
	const struct prp_tx_seg *first = prp_conn_seg(conn, conn->snd.nxt);
	u32 bytes;

	*segs = xmit_run_alike(conn, conn->snd.nxt, first->len, *segs, &bytes);
	return xmit_alloc_lot(conn, hop, head, first, bytes);
}

/**
 * __prp_xmit_run_build() - make one frame of the next new segments
 * @conn: connection, its lock held
 * @hop: where to
 * @segs: how many there may be, two or more; set to how many there are, or to 0
 *	if nothing of this burst can go together
 *
 * Those that are as long as the first one, but the last may be shorter; none of
 * them ends anything or has to say more than a header and a checksum do. What a
 * program may write to has its checksum at once.
 *
 * Return: a frame without its header for __prp_xmit_run(), or NULL if the next
 * one goes alone.
 */
struct sk_buff *__prp_xmit_run_build(struct prp_conn *conn,
				     const struct prp_hop *hop,
				     unsigned int *segs)
{
	const struct prp_tx_seg *first, *second;
	size_t head = xmit_run_head(conn);
	struct sk_buff *skb;
	unsigned int most;
	bool told;

	lockdep_assert_held(&conn->lock);
	first = prp_conn_seg(conn, conn->snd.nxt);
	second = prp_conn_seg(conn, conn->snd.nxt + 1);
	told = xmit_is_told(first);
	if (conn->ack.overrun || xmit_wants_sack(conn) ||
	    !xmit_run_takes(first, first->len) ||
	    !xmit_run_takes(second, first->len) ||
	    xmit_is_told(second) != told ||
	    unlikely(told && (first->page != second->page || conn->checksum)))
		return NULL;
	most = conn->path.size < conn->seg_size ?
		       0 :
		       prp_offload_most(hop->dev, first->len);
	if (most < 2) {
		*segs = 0;
		return NULL;
	}
	most = min(*segs, most);
	if (unlikely(told)) {
		skb = xmit_run_lot(conn, hop, head, &most);
	} else {
		skb = prp_frame_alloc(hop, conn->pn->ethertype, head, NULL, 0,
				      0);
		if (likely(skb))
			most = xmit_run_pages(conn, skb, most);
	}
	if (unlikely(!skb))
		return NULL;
	if (unlikely(most < 2)) {
		kfree_skb(skb); /* no room for all pieces of the second */
		return NULL;
	}
	*segs = most;
	prp_offload_make(skb, head, first->len, *segs);
	return skb;
}

/**
 * __prp_xmit_run() - send new segments that have been made one frame
 * @conn: connection, its lock held since then
 * @hop: where to
 * @skb: frame
 * @segs: segments that it has
 * @flags: flags of the last one besides PRP_F_SEG
 *
 * Return: 0, or a negative errno if they went nowhere; then nothing is changed.
 */
int __prp_xmit_run(struct prp_conn *conn, const struct prp_hop *hop,
		   struct sk_buff *skb, unsigned int segs, u16 flags)
{
	u32 txno = conn->snd.txno[hop->rail];
	int err;

	lockdep_assert_held(&conn->lock);
	xmit_header(conn, skb, hop, conn->snd.nxt, PRP_F_SEG | flags,
		    skb_shinfo(skb)->gso_size,
		    xmit_run_head(conn) - sizeof(struct prp_hdr));
	if (unlikely(conn->checksum))
		prp_checksum_later(skb);
	conn->snd.txno[hop->rail] += segs - 1;
	this_cpu_add(hop->mib->bytes_out,
		     prp_offload_more((void *)skb_network_header(skb), segs));
	err = xmit_down(conn, skb, hop, segs);
	if (unlikely(err))
		return err;
	prp_snd_sent_run(&conn->snd, segs, hop->rail, txno);
	prp_ack_left(&conn->ack, false);
	return 0;
}

/* Send a connection's frame without payload. Return: 0 or a negative errno.
 */
static int xmit_empty(struct prp_conn *conn, const struct prp_hop *hop, u32 seq,
		      u16 flags, const void *ext, size_t ext_len)
{
	struct sk_buff *skb;

	lockdep_assert_held(&conn->lock);
	skb = xmit_build(conn, hop, seq, flags, ext, ext_len, NULL);
	return skb ? xmit_down(conn, skb, hop, 1) : -ENOBUFS;
}

/* Where a frame without payload goes: back to where the peer's last one came
 * from. Return: 0 or a negative errno.
 */
static int xmit_back(const struct prp_conn *conn, struct prp_hop *hop)
{
	return prp_hop_rcu(conn->pn, conn->key.peer, conn->came, hop);
}

/* Send an acknowledgment, or a probe, which may tell that rails are left.
 * Return: 0 or a negative errno.
 */
static int xmit_control(struct prp_conn *conn, const struct prp_hop *hop,
			u16 flags, u8 left)
{
	struct prp_ext_rails rails = {
		.type = PRP_EXT_RAILS,
		.units = sizeof(rails) / PRP_EXT_UNIT,
		.left = left & ~BIT(hop->rail),
	};
	struct prp_ext_crowd crowd;
	size_t ext_len = 0;
	u8 ext[PRP_EXT_MAX] __aligned(8) __uninitialized;
	int err;

	lockdep_assert_held(&conn->lock);
	if (unlikely(rails.left)) {
		memcpy(ext, &rails, sizeof(rails));
		ext_len = sizeof(rails);
	} else if (xmit_wants_sack(conn)) {
		ext_len = xmit_sack_that_fits(conn, ext);
	}
	if (!(flags & PRP_F_ACKNOW) &&
	    ext_len + sizeof(crowd) <= conn->path.size &&
	    __prp_crowd_tell(conn, &crowd)) {
		memcpy(ext + ext_len, &crowd, sizeof(crowd));
		ext_len += sizeof(crowd);
	}
	if (flags & PRP_F_ACKNOW)
		__prp_xmit_here(conn);
	err = xmit_empty(conn, hop, conn->snd.nxt, flags, ext, ext_len);
	if (err)
		return err;
	prp_pace_took(&conn->pace, PRP_SEG_OVERHEAD + ext_len);
	if (flags & PRP_F_ACKNOW) {
		prp_snd_probed(&conn->snd, hop->rail,
			       conn->snd.txno[hop->rail] - 1);
		conn->stats.probes_out++;
		prp_mib_inc(conn->pn, PRP_MIB_PROBES_OUT);
	} else {
		conn->stats.acks_out++;
		prp_mib_inc(conn->pn, PRP_MIB_ACKS_OUT);
	}
	if (likely(!rails.left))
		prp_ack_left(&conn->ack, true);
	return 0;
}

/**
 * __prp_xmit_ack() - send an acknowledgment
 * @conn: connection in PRP_ESTABLISHED, its lock held, which keeps BH off
 *
 * It goes back on the rail that the peer's last frame came on, unless that
 * was left; but the answer to a probe goes back there in any case, and shows
 * that the rail carries both ways.
 *
 * Return: 0 or a negative errno.
 */
int __prp_xmit_ack(struct prp_conn *conn)
{
	struct prp_hop hop;
	int err = -ENETUNREACH;

	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->ack.there))
		err = prp_hop_on_rcu(conn->pn, conn->key.peer, conn->came,
				     &hop);
	conn->ack.there = false;
	if (err)
		err = xmit_back(conn, &hop);
	return err ?: xmit_control(conn, &hop, 0, 0);
}

/**
 * __prp_xmit_probe() - send a probe where segments go
 * @conn: connection in PRP_ESTABLISHED, its lock held, which keeps BH off
 * @left: bit r: tell the peer that rail r is left; 0 for none
 *
 * Return: 0 or a negative errno.
 */
int __prp_xmit_probe(struct prp_conn *conn, u8 left)
{
	struct prp_hop hop;
	int err;

	lockdep_assert_held(&conn->lock);
	err = prp_hop_rcu(conn->pn, conn->key.peer, PRP_RAIL_ANY, &hop);
	return err ?: xmit_control(conn, &hop, PRP_F_ACKNOW, left);
}

/**
 * __prp_xmit_probe_on() - send a probe on a rail
 * @conn: connection in PRP_ESTABLISHED, its lock held, which keeps BH off
 * @rail: number of the rail
 *
 * Return: 0 or a negative errno.
 */
int __prp_xmit_probe_on(struct prp_conn *conn, u8 rail)
{
	struct prp_hop hop;
	int err;

	lockdep_assert_held(&conn->lock);
	err = prp_hop_on_rcu(conn->pn, conn->key.peer, rail, &hop);
	if (!err)
		err = xmit_control(conn, &hop, PRP_F_ACKNOW, 0);
	if (!err)
		conn->failover.asked |= BIT(rail);
	return err;
}

/**
 * __prp_xmit_sized_probe() - send a probe with payload that means nothing
 * @conn: connection in PRP_ESTABLISHED, its lock held, which keeps BH off
 * @rail: number of the rail
 * @size: payload, bytes
 *
 * Return: 0 or a negative errno; -ENOMEM only if there is no memory for it.
 */
int __prp_xmit_sized_probe(struct prp_conn *conn, u8 rail, u16 size)
{
	struct prp_hop hop;
	struct prp_hdr *hdr;
	struct sk_buff *skb;
	int err;

	lockdep_assert_held(&conn->lock);
	err = prp_hop_on_rcu(conn->pn, conn->key.peer, rail, &hop);
	if (err)
		return err;
	skb = xmit_build(conn, &hop, conn->snd.nxt, PRP_F_ACKNOW, NULL, 0,
			 NULL);
	if (!skb)
		return -ENOMEM;
	err = prp_frame_pad(skb, size);
	if (err) {
		conn->snd.txno[hop.rail]--; /* which nobody gets to see */
		return err;
	}
	hdr = (struct prp_hdr *)skb_network_header(skb);
	hdr->len = cpu_to_be16(size);
	if (conn->checksum)
		prp_checksum_put(skb);
	__prp_xmit_here(conn);
	err = xmit_down(conn, skb, &hop, 1);
	if (err)
		return err;
	prp_snd_probed(&conn->snd, hop.rail, conn->snd.txno[hop.rail] - 1);
	conn->stats.probes_out++;
	prp_mib_inc(conn->pn, PRP_MIB_PROBES_OUT);
	return 0;
}

/* Everything that opens a connection, one behind the other. */
struct xmit_open {
	struct prp_ext_open open;
	u8 more[sizeof(struct prp_ext_cookie) + sizeof(struct prp_ext_ip)];
};

/* What a request has besides, and a confirmation, which repeats it: the place
 * for a cookie, if it fits, and the addresses of the IP mode. Return: bytes.
 */
static size_t xmit_open_more(const struct prp_conn *conn, u16 kind,
			     struct xmit_open *ext)
{
	size_t room =
		conn->handshake.asked_size - sizeof(struct prp_ext_checksum);
	struct prp_ext_cookie cookie = conn->handshake.cookie;
	struct prp_ext_ip ip = {
		.type = PRP_EXT_IP,
		.units = sizeof(ip) / PRP_EXT_UNIT,
	};
	size_t len = 0;

	if (conn->ip) {
		memcpy(ip.source, &conn->ip->local, sizeof(ip.source));
		memcpy(ip.dest, &conn->ip->peer, sizeof(ip.dest));
		memcpy(ext->more, &ip, sizeof(ip));
		len = sizeof(ip);
	}
	if (kind == PRP_F_REQ) {
		if (sizeof(ext->open) + len + sizeof(cookie) > room)
			return len;
		cookie.type = PRP_EXT_COOKIE;
		cookie.units = sizeof(cookie) / PRP_EXT_UNIT;
	}
	memcpy(ext->more + len, &cookie, sizeof(cookie));
	return len + sizeof(cookie);
}

/**
 * __prp_xmit_open() - send a request, an answer or a confirmation
 * @conn: connection, its lock held, which keeps BH off
 * @kind: PRP_F_REQ, PRP_F_ANS or PRP_F_CON
 *
 * One that goes nowhere is as good as lost: it will be repeated.
 */
void __prp_xmit_open(struct prp_conn *conn, u16 kind)
{
	const struct prp_table *table =
		rcu_dereference_check(conn->pn->table, rcu_read_lock_bh_held());
	struct xmit_open ext = {
		.open.type = kind == PRP_F_ANS ? PRP_EXT_ANSWER :
						 PRP_EXT_REQUEST,
		.open.units = sizeof(ext.open) / PRP_EXT_UNIT,
		.open.sock_type = prp_conn_type(conn),
		.open.tag = cpu_to_be32(conn->tag),
		.open.can = cpu_to_be16(PRP_FEATURES),
		.open.table_hash = cpu_to_be32(table->hash),
		.open.first = cpu_to_be32(conn->first),
	};
	size_t len = sizeof(ext.open);
	u16 seg_size = conn->seg_size;
	struct prp_hop hop;
	int err;

	lockdep_assert_held(&conn->lock);
	if (kind == PRP_F_ANS ? conn->checksum : conn->handshake.wants_checksum)
		ext.open.must = cpu_to_be16(PRP_FEATURE_CHECKSUM);
	if (kind != PRP_F_ANS)
		seg_size = conn->handshake.asked_size;
	else if (conn->checksum) /* it is deducted when that is agreed */
		seg_size += sizeof(struct prp_ext_checksum);
	ext.open.seg_size = cpu_to_be16(seg_size);
	if (kind != PRP_F_ANS)
		len += xmit_open_more(conn, kind, &ext);
	/* without a connection nothing else tests a rail that was left */
	if ((kind == PRP_F_ANS || conn->handshake.tries >= PRP_TRIES_ON_BEST) &&
	    !prp_hop_on_rcu(conn->pn, conn->key.peer, conn->came, &hop))
		err = 0;
	else
		err = xmit_back(conn, &hop);
	if (!err)
		xmit_empty(conn, &hop, conn->first, kind, &ext, len);
}

/**
 * __prp_xmit_reset() - tell the peer that a connection is given up
 * @conn: connection, its lock held, which keeps BH off
 * @code: why
 * @features: with PRP_RESET_FEATURES which, else 0
 */
void __prp_xmit_reset(struct prp_conn *conn, enum prp_reset code, u16 features)
{
	struct prp_ext_quote ext = {
		.type = PRP_EXT_QUOTE,
		.units = sizeof(ext) / PRP_EXT_UNIT,
		.code = code,
		.features = cpu_to_be16(features),
	};
	struct prp_hop hop;

	lockdep_assert_held(&conn->lock);
	if (conn->peer_tag && !xmit_back(conn, &hop) &&
	    !xmit_empty(conn, &hop, conn->snd.nxt, PRP_F_RST, &ext,
			sizeof(ext)))
		prp_mib_inc(conn->pn, PRP_MIB_RESETS_OUT);
}
