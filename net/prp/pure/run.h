/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs: segments that follow each other in one buffer behind one header, as
 * pure logic. On a wire there are none: whoever hands a buffer to a device that
 * does not pass it whole cuts it into frames, each with a header of its own.
 *
 * The header is that of the first segment, but that PRP_RUN_LAST is for the
 * last one. All segments are as long as the first one, the last may be shorter.
 * Where frames have a checksum there is room for it, and it is made of each
 * segment when the run is cut: what was on no wire needs none.
 */
#ifndef _PRP_RUN_H
#define _PRP_RUN_H

#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/wire.h"

#define PRP_RUN_MAX 63 /* segments */
#define PRP_RUN_BYTES 65535 /* of payload */
#define PRP_RUN_LAST (PRP_F_ACKNOW | PRP_F_EOM) /* nothing is put behind it */
/* bytes in front of it, with a checksum */
#define PRP_RUN_HEAD_MAX \
	(sizeof(struct prp_hdr) + sizeof(struct prp_ext_checksum))

/**
 * prp_run_head() - bytes in front of a run's payload
 * @hdr: its header
 *
 * Return: bytes, with an extension for the checksum if there is one.
 */
static inline size_t prp_run_head(const struct prp_hdr *hdr)
{
	return sizeof(*hdr) + hdr->ext * PRP_EXT_UNIT;
}

/**
 * prp_run_segs() - how many segments are in a buffer
 * @hdr: its header
 * @len: bytes from the header to the end of the buffer, no padding
 * @each: what the buffer says that a segment has of payload, bytes
 *
 * Return: 2 to PRP_RUN_MAX; 1 if this is no run.
 */
static inline unsigned int prp_run_segs(const struct prp_hdr *hdr, size_t len,
					u16 each)
{
	u16 flags = be16_to_cpu(hdr->flags) & ~(PRP_F_RAIL | PRP_RUN_LAST);
	size_t segs, head = prp_run_head(hdr);

	if (flags != PRP_F_SEG || head > PRP_RUN_HEAD_MAX || !each ||
	    be16_to_cpu(hdr->len) != each || len <= head + each ||
	    len > head + PRP_RUN_BYTES)
		return 1;
	segs = DIV_ROUND_UP(len - head, each);
	return segs <= PRP_RUN_MAX ? segs : 1;
}

/**
 * prp_run_starts() - may other segments be put behind this one?
 * @hdr: header of a frame
 * @len: bytes behind it in the frame, padding too
 *
 * Return: not if there is padding, if the sender wants an acknowledgment, or if
 * he has nothing behind it.
 */
static inline bool prp_run_starts(const struct prp_hdr *hdr, size_t len)
{
	return hdr->version == PRP_VERSION && len &&
	       len == be16_to_cpu(hdr->len) && !hdr->ext &&
	       (hdr->flags & ~cpu_to_be16(PRP_F_RAIL)) ==
		       cpu_to_be16(PRP_F_SEG);
}

/**
 * prp_run_same_conn() - are two frames of one connection?
 * @a: a header
 * @b: the other one
 *
 * Return: yes or no; its two directions are two.
 */
static inline bool prp_run_same_conn(const struct prp_hdr *a,
				     const struct prp_hdr *b)
{
	return !memcmp(&a->vnet, &b->vnet,
		       offsetof(struct prp_hdr, seq) -
			       offsetof(struct prp_hdr, vnet));
}

/**
 * prp_run_joins() - may a segment be put at the end of a run?
 * @run: header of the run, or of the segment that starts it, see
 *	prp_run_starts(); all its segments are as long as the first one
 * @segs: how many there are
 * @hdr: header of a frame of the same connection
 * @len: bytes behind it in the frame, padding too
 *
 * Return: if the segment says what the run does, but for its numbers, that it
 * may be shorter, and have flags of PRP_RUN_LAST. After these two nothing joins
 * any more.
 */
static inline bool prp_run_joins(const struct prp_hdr *run, unsigned int segs,
				 const struct prp_hdr *hdr, size_t len)
{
	u16 each = be16_to_cpu(run->len);

	return segs < PRP_RUN_MAX && len && len <= each &&
	       segs * each + len <= PRP_RUN_BYTES &&
	       len == be16_to_cpu(hdr->len) &&
	       be32_to_cpu(hdr->seq) == be32_to_cpu(run->seq) + segs &&
	       be32_to_cpu(hdr->txno) == be32_to_cpu(run->txno) + segs &&
	       hdr->version == run->version && hdr->hops == run->hops &&
	       hdr->ack == run->ack &&
	       (hdr->flags & ~cpu_to_be16(PRP_RUN_LAST)) == run->flags &&
	       hdr->window == run->window && hdr->ext == run->ext &&
	       hdr->marks == run->marks && hdr->tag == run->tag;
}

/**
 * prp_run_cut() - make a run's header that of one of its segments
 * @hdr: a copy of the run's header
 * @nr: which segment, from 0 on
 * @len: its payload, bytes
 * @last: it is the last one
 */
static inline void prp_run_cut(struct prp_hdr *hdr, unsigned int nr, u16 len,
			       bool last)
{
	hdr->seq = cpu_to_be32(be32_to_cpu(hdr->seq) + nr);
	hdr->txno = cpu_to_be32(be32_to_cpu(hdr->txno) + nr);
	hdr->len = cpu_to_be16(len);
	if (!last)
		hdr->flags &= ~cpu_to_be16(PRP_RUN_LAST);
}

#endif /* _PRP_RUN_H */
