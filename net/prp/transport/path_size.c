// SPDX-License-Identifier: GPL-2.0
/*
 * How long a segment may be on the way to its peer. A numbered segment is
 * never cut anew: one that was queued for a wider way is sent in fragments,
 * which are put together here before anybody else sees them. Fragments of a
 * segment follow each other on one rail; where one is missing the whole
 * segment counts as lost.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/slab.h>

#include "network/hop.h"
#include "transport/path_size.h"

/* What passes everywhere, whatever a forwarder tells: so a segment of 9000
 * bytes is no more than 20 fragments. A way that is narrower is found by a
 * search.
 */
#define TOLD_MTU_MIN 512

/**
 * struct prp_part - a segment of which a part has arrived
 * @skb: its fragments so far, charged to rx.mem; NULL if there is none
 * @tail: the last one
 * @seq: its number
 */
struct prp_part {
	struct sk_buff *skb;
	struct sk_buff *tail;
	u32 seq;
};

/* What every frame of a connection has before its payload, bytes. */
static u32 path_head(const struct prp_conn *conn)
{
	return sizeof(struct prp_hdr) +
	       (conn->checksum ? sizeof(struct prp_ext_checksum) : 0);
}

/**
 * __prp_path_size_widest() - what our devices and forwarders let pass
 * @conn: connection, its lock held; in an RCU read section
 *
 * Return: payload, bytes.
 */
u16 __prp_path_size_widest(const struct prp_conn *conn)
{
	u32 head = path_head(conn);
	u32 mtu = prp_hop_mtu_rcu(conn->pn, conn->key.peer);
	u32 size = min(conn->seg_size, conn->path.told);

	lockdep_assert_held(&conn->lock);
	if (mtu) /* without a rail nothing is sent anyway */
		size = min(size, mtu > head ? mtu - head : 0);
	return max_t(u32, size, PRP_PATH_SIZE_MIN);
}

/**
 * __prp_path_size_own() - our own rails to the peer may have changed
 * @conn: connection, its lock held; in an RCU read section
 */
void __prp_path_size_own(struct prp_conn *conn)
{
	u32 size = __prp_path_size_widest(conn);

	lockdep_assert_held(&conn->lock);
	if (conn->path.found)
		size = min_t(u32, size, conn->path.found);
	conn->path.cut = 0;
	WRITE_ONCE(conn->path.size, size); /* once: writers look at it */
	conn->unusual = conn->checksum || conn->path.size < conn->seg_size;
}

/* What is longer than the path size has been lost, and not because of
 * congestion.
 */
static void path_lose_longer(struct prp_conn *conn)
{
	u32 seq;

	for (seq = conn->snd.una; seq != conn->snd.nxt; seq++)
		if (prp_conn_seg(conn, seq)->len > conn->path.size)
			prp_snd_lose(&conn->snd, seq);
}

/**
 * __prp_path_size_found() - a search has found what passes
 * @conn: connection, its lock held; in an RCU read section
 * @size: longest payload of a frame, bytes; 0 if there is no bound
 *
 * The caller sends again what is lost by that.
 */
void __prp_path_size_found(struct prp_conn *conn, u16 size)
{
	u16 was = conn->path.size;

	lockdep_assert_held(&conn->lock);
	conn->path.found = size;
	__prp_path_size_own(conn);
	if (conn->path.size < was && conn->state == PRP_ESTABLISHED)
		path_lose_longer(conn);
}

/**
 * __prp_path_size_told() - a forwarder could not pass a segment on
 * @conn: connection, its lock held; in an RCU read section
 * @mtu: longest frame that goes on from there, bytes
 *
 * The caller sends again what is lost by that.
 */
void __prp_path_size_told(struct prp_conn *conn, u16 mtu)
{
	u32 told = max_t(u32, mtu, TOLD_MTU_MIN) - path_head(conn);

	lockdep_assert_held(&conn->lock);
	if (told >= conn->path.size || conn->state != PRP_ESTABLISHED)
		return;
	conn->path.told = told;
	__prp_path_size_own(conn);
	path_lose_longer(conn);
}

static void part_drop(struct prp_conn *conn, struct prp_part *part)
{
	if (!part->skb)
		return;
	conn->rx.mem -= part->skb->truesize;
	kfree_skb(part->skb);
	part->skb = NULL;
}

/**
 * __prp_path_size_passed() - a segment has come in order
 * @conn: connection, its lock held
 *
 * Parts of segments that have come whole in the end are good for nothing, and
 * in a small buffer they would keep the window shut.
 */
void __prp_path_size_passed(struct prp_conn *conn)
{
	unsigned int rail;

	lockdep_assert_held(&conn->lock);
	for (rail = 0; rail < PRP_RAILS; rail++)
		if (conn->rx.parts[rail].skb &&
		    prp_before(conn->rx.parts[rail].seq, conn->rcv.nxt))
			part_drop(conn, &conn->rx.parts[rail]);
}

/**
 * __prp_path_size_free() - let go of segments that are not whole
 * @conn: connection, its lock held unless it is being freed
 */
void __prp_path_size_free(struct prp_conn *conn)
{
	unsigned int rail;

	/* or it is being freed, when nobody else knows it any more */
	lockdep_assert(lockdep_is_held(&conn->lock) ||
		       !refcount_read(&conn->ref));
	if (!conn->rx.parts)
		return;
	for (rail = 0; rail < PRP_RAILS; rail++)
		part_drop(conn, &conn->rx.parts[rail]);
	kfree(conn->rx.parts);
	conn->rx.parts = NULL;
}

/* The first fragment; a tap may have a copy of its descriptor, and what the
 * next ones are hung on must be free.
 */
static bool part_begin(struct prp_part *part, struct sk_buff *skb, u32 seq)
{
	if (skb_unclone(skb, GFP_ATOMIC))
		return false;
	part->skb = skb;
	part->tail = NULL;
	part->seq = seq;
	return true;
}

static void part_append(struct prp_part *part, struct sk_buff *skb)
{
	if (part->tail)
		part->tail->next = skb;
	else
		skb_shinfo(part->skb)->frag_list = skb;
	part->tail = skb;
	part->skb->len += skb->len;
	part->skb->data_len += skb->len;
	part->skb->truesize += skb->truesize;
}

/**
 * __prp_path_size_join() - put a fragment to those before it
 * @conn: connection, its lock held
 * @skb: the fragment's payload
 * @frame: its frame
 * @reason: set to the drop reason if it was not taken, else to 0
 *
 * Return: the whole segment, not charged to rx.mem, if this was its last
 * fragment; else NULL, and @skb is kept if @reason is 0.
 */
struct sk_buff *__prp_path_size_join(struct prp_conn *conn, struct sk_buff *skb,
				     const struct prp_frame *frame, int *reason)
{
	u32 offset = be16_to_cpu(frame->fragment->offset);
	u32 total = be16_to_cpu(frame->fragment->total);
	struct prp_part *part;

	lockdep_assert_held(&conn->lock);
	*reason = PRP_DROP_NO_MEMORY;
	if (!conn->rx.parts)
		conn->rx.parts = kcalloc(PRP_RAILS, sizeof(*conn->rx.parts),
					 GFP_ATOMIC | __GFP_NOWARN);
	/* a list in a list is more than skb_seq_read() goes through */
	if (!conn->rx.parts || (skb_has_frag_list(skb) && skb_linearize(skb)))
		return NULL;
	part = &conn->rx.parts[frame->rail];
	if (!offset) {
		part_drop(conn, part);
		if (!part_begin(part, skb, frame->seq))
			return NULL;
	} else if (part->skb && part->seq == frame->seq &&
		   part->skb->len == offset) {
		conn->rx.mem -= part->skb->truesize;
		part->skb->tstamp = skb->tstamp;
		*skb_hwtstamps(part->skb) = *skb_hwtstamps(skb);
		part_append(part, skb);
	} else {
		*reason = PRP_DROP_FRAGMENT;
		return NULL;
	}
	*reason = 0;
	prp_mib_inc(conn->pn, PRP_MIB_FRAGMENTS_IN);
	if (part->skb->len >= total) {
		skb = part->skb;
		part->skb = NULL;
		prp_mib_inc(conn->pn, PRP_MIB_SEGS_JOINED);
		return skb;
	}
	conn->rx.mem += part->skb->truesize;
	return NULL;
}
