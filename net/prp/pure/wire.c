// SPDX-License-Identifier: GPL-2.0
/*
 * The one validator of frames. Everything that a peer can lie about in a
 * single frame is refused here; what needs the connection's state to be
 * judged is judged there. Pure: no skb.
 */
#include <asm/byteorder.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pure/wire.h"
#include "see/mib.h"

/* Bytes before the bitmap. */
static size_t sack_head(u8 rails)
{
	return ALIGN(sizeof(struct prp_ext_sack) + 4 * hweight8(rails),
		     PRP_EXT_UNIT);
}

static int parse_sack(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_sack *ext = (const void *)at;
	size_t pad = sizeof(*ext) + 4 * hweight8(ext->rails);

	if (frame->sack || ext->words > PRP_WIN_WORDS || ext->zero ||
	    sack_head(ext->rails) + 8 * ext->words != len)
		return PRP_DROP_EXTENSION;
	for (; pad % PRP_EXT_UNIT; pad++)
		if (at[pad])
			return PRP_DROP_EXTENSION;
	frame->sack = ext;
	return 0;
}

static int parse_open(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_open *ext = (const void *)at;

	if (frame->open || len != sizeof(*ext) || ext->zero || ext->zero2 ||
	    !ext->tag || be16_to_cpu(ext->seg_size) < PRP_SEG_SIZE_MIN ||
	    ext->must & ~ext->can)
		return PRP_DROP_EXTENSION;
	frame->open = ext;
	return 0;
}

static int parse_quote(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_quote *ext = (const void *)at;
	bool features = ext->code == PRP_RESET_FEATURES;

	if (frame->quote || len != sizeof(*ext) || ext->zero || ext->zero2 ||
	    ext->code >= PRP_RESET_CODES || !ext->features == features)
		return PRP_DROP_EXTENSION;
	frame->quote = ext;
	return 0;
}

static int parse_error(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_error *ext = (const void *)at;
	bool too_big = ext->code == PRP_ERROR_TOO_BIG;

	if (frame->error || len != sizeof(*ext) || ext->zero || !ext->code ||
	    ext->code >= PRP_ERROR_CODES || !ext->mtu == too_big)
		return PRP_DROP_EXTENSION;
	frame->error = ext;
	return 0;
}

static int parse_fragment(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_fragment *ext = (const void *)at;

	if (frame->fragment || len != sizeof(*ext) || ext->zero ||
	    !frame->len || frame->len >= be16_to_cpu(ext->total) ||
	    be16_to_cpu(ext->offset) > be16_to_cpu(ext->total) - frame->len)
		return PRP_DROP_EXTENSION;
	frame->fragment = ext;
	return 0;
}

/* It is the first one, so that forwarders and taps find it. */
static int parse_checksum(const u8 *at, size_t len, bool first,
			  struct prp_frame *frame)
{
	const struct prp_ext_checksum *ext = (const void *)at;

	if (!first || len != sizeof(*ext) || ext->zero)
		return PRP_DROP_EXTENSION;
	frame->checksum = ext;
	return 0;
}

static int parse_ip(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_ip *ext = (const void *)at;

	if (frame->ip || len != sizeof(*ext) || ext->zero || ext->zero2)
		return PRP_DROP_EXTENSION;
	frame->ip = ext;
	return 0;
}

/* What follows the first message is judged where the payload is. */
static int parse_messages(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_messages *ext = (const void *)at;

	if (frame->messages || len != sizeof(*ext) || ext->zero)
		return PRP_DROP_EXTENSION;
	frame->messages = ext;
	return 0;
}

/* A request has room for one. */
static int parse_cookie(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_cookie *ext = (const void *)at;

	if (frame->cookie || len != sizeof(*ext) || ext->zero)
		return PRP_DROP_EXTENSION;
	if (frame->flags & PRP_F_REQ && (ext->slot || ext->first || ext->mac))
		return PRP_DROP_EXTENSION;
	frame->cookie = ext;
	return 0;
}

/* Who is of a crowd is one of it. */
static int parse_crowd(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_crowd *ext = (const void *)at;

	if (frame->crowd || len != sizeof(*ext) || ext->zero ||
	    be16_to_cpu(ext->among) < 2 || !ext->active)
		return PRP_DROP_EXTENSION;
	frame->crowd = ext;
	return 0;
}

/* Who says so on a rail that he leaves does not know what he says. */
static int parse_rails(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_rails *ext = (const void *)at;

	if (frame->rails || len != sizeof(*ext) || ext->zero || ext->zero2 ||
	    !ext->left || ext->left & (1 << frame->rail))
		return PRP_DROP_EXTENSION;
	frame->rails = ext;
	return 0;
}

static int parse_query(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_query *ext = (const void *)at;

	if (frame->query || len != sizeof(*ext) || ext->zero ||
	    be16_to_cpu(ext->back) > frame->len || !ext->low != !ext->high ||
	    be16_to_cpu(ext->high) < be16_to_cpu(ext->low) ||
	    memchr_inv(ext->room, 0, sizeof(ext->room)))
		return PRP_DROP_EXTENSION;
	frame->query = ext;
	return 0;
}

static int parse_reply(const u8 *at, size_t len, struct prp_frame *frame)
{
	const struct prp_ext_reply *ext = (const void *)at;

	if (frame->reply || len != sizeof(*ext) ||
	    memchr_inv(ext->zero, 0, sizeof(ext->zero)) ||
	    ext->port >= PRP_REPLY_PORTS || ext->knows & ~PRP_REPLY_KNOWS ||
	    ext->up & ~ext->rails)
		return PRP_DROP_EXTENSION;
	frame->reply = ext;
	return 0;
}

static int parse_extension(const u8 *at, size_t len, bool first,
			   struct prp_frame *frame)
{
	switch (at[0]) {
	case PRP_EXT_REQUEST:
	case PRP_EXT_ANSWER:
		return parse_open(at, len, frame);
	case PRP_EXT_SACK:
		return parse_sack(at, len, frame);
	case PRP_EXT_QUOTE:
		return parse_quote(at, len, frame);
	case PRP_EXT_ERROR:
		return parse_error(at, len, frame);
	case PRP_EXT_FRAGMENT:
		return parse_fragment(at, len, frame);
	case PRP_EXT_CHECKSUM:
		return parse_checksum(at, len, first, frame);
	case PRP_EXT_IP:
		return parse_ip(at, len, frame);
	case PRP_EXT_MESSAGES:
		return parse_messages(at, len, frame);
	case PRP_EXT_COOKIE:
		return parse_cookie(at, len, frame);
	case PRP_EXT_CROWD:
		return parse_crowd(at, len, frame);
	case PRP_EXT_RAILS:
		return parse_rails(at, len, frame);
	case PRP_EXT_QUERY:
		return parse_query(at, len, frame);
	case PRP_EXT_REPLY:
		return parse_reply(at, len, frame);
	}
	return PRP_DROP_EXTENSION;
}

static int parse_extensions(const u8 *at, size_t left, struct prp_frame *frame)
{
	const u8 *begin = at;
	int reason;

	while (left) {
		size_t len = at[1] * PRP_EXT_UNIT;

		if (!len || len > left)
			return PRP_DROP_EXTENSION;
		reason = parse_extension(at, len, at == begin, frame);
		if (reason)
			return reason;
		at += len;
		left -= len;
	}
	return 0;
}

/* No connection has port 0, so none is ever mixed up with a query. */
static int check_query(const struct prp_frame *frame)
{
	if (frame->open || frame->sack || frame->tag ||
	    frame->flags != PRP_F_QUERY || !frame->query == !frame->reply)
		return PRP_DROP_FLAGS;
	if (frame->query ? frame->sport : frame->dport || frame->ip)
		return PRP_DROP_FLAGS;
	return 0;
}

/* ... so none is opened with it. */
static int check_ports(const struct prp_frame *frame)
{
	return frame->sport && frame->dport ? 0 : PRP_DROP_FLAGS;
}

/* What a kind of frame has besides what all may have. */
static int check_kind(const struct prp_frame *frame, u16 kind)
{
	u8 open = frame->open ? frame->open->type : 0;

	switch (kind) {
	case 0:
	case PRP_F_RST:
		return open ? PRP_DROP_FLAGS : 0;
	case PRP_F_SEG:
		if (!frame->len && !(frame->flags & (PRP_F_END | PRP_F_EOM)))
			return PRP_DROP_FLAGS;
		return open ? PRP_DROP_FLAGS : 0;
	case PRP_F_REQ:
		return open != PRP_EXT_REQUEST || frame->sack || frame->tag ?
			       PRP_DROP_FLAGS :
			       check_ports(frame);
	case PRP_F_ANS:
		return open != PRP_EXT_ANSWER ? PRP_DROP_FLAGS :
						check_ports(frame);
	case PRP_F_CON:
		return open != PRP_EXT_REQUEST || !frame->cookie ?
			       PRP_DROP_FLAGS :
			       check_ports(frame);
	case PRP_F_ERROR:
		return open || frame->sack || frame->tag ||
				       frame->flags != PRP_F_ERROR ?
			       PRP_DROP_FLAGS :
			       0;
	case PRP_F_QUERY:
		return check_query(frame);
	}
	return PRP_DROP_FLAGS;
}

/* The kinds of frames exclude each other, and each has what it needs. */
static int check_flags(const struct prp_frame *frame)
{
	u16 kind = frame->flags & PRP_F_KIND;
	bool probe = !kind && frame->flags & PRP_F_ACKNOW;
	bool padded = probe || kind == PRP_F_QUERY;
	bool extra = frame->flags & (PRP_F_END | PRP_F_EOM) ||
		     (frame->len && !padded) || frame->fragment ||
		     frame->messages;
	bool opens = kind & (PRP_F_REQ | PRP_F_ANS | PRP_F_CON);

	if (frame->flags & PRP_F_ZERO || (kind != PRP_F_SEG && extra))
		return PRP_DROP_FLAGS;
	if ((frame->ip && !(kind & (PRP_F_REQ | PRP_F_CON | PRP_F_QUERY))) ||
	    (frame->cookie && !opens))
		return PRP_DROP_FLAGS;
	if ((frame->rails && !probe) || (frame->crowd && (kind || probe)))
		return PRP_DROP_FLAGS;
	if (kind == PRP_F_RST ? !frame->quote : !!frame->quote)
		return PRP_DROP_FLAGS;
	if (kind == PRP_F_ERROR ? !frame->error : !!frame->error)
		return PRP_DROP_FLAGS;
	if ((frame->query || frame->reply) && kind != PRP_F_QUERY)
		return PRP_DROP_FLAGS;
	return check_kind(frame, kind);
}

/* The rest of prp_wire_parse(), for all but plain data */
static noinline int parse_rest(const struct prp_hdr *hdr, size_t hdr_len,
			       struct prp_frame *frame)
{
	frame->open = NULL;
	frame->quote = NULL;
	frame->error = NULL;
	frame->ip = NULL;
	frame->messages = NULL;
	frame->cookie = NULL;
	frame->crowd = NULL;
	frame->rails = NULL;
	frame->query = NULL;
	frame->reply = NULL;
	if (hdr_len > sizeof(*hdr)) {
		int reason = parse_extensions((const u8 *)(hdr + 1),
					      hdr_len - sizeof(*hdr), frame);

		if (reason)
			return reason;
	}
	return check_flags(frame);
}

/**
 * prp_wire_parse() - read a frame
 * @hdr: header and extensions, checked by prp_wire_lengths()
 * @hdr_len: their length
 * @frame: where to put what was read; its pointers point behind @hdr
 *
 * Return: 0, or the drop reason of enum prp_mib.
 */
int prp_wire_parse(const struct prp_hdr *hdr, size_t hdr_len,
		   struct prp_frame *frame)
{
	const u16 ends = PRP_F_END | PRP_F_EOM;
	u16 flags = be16_to_cpu(hdr->flags);

	frame->rail = flags >> PRP_F_RAIL_SHIFT;
	frame->vnet = be16_to_cpu(hdr->vnet);
	frame->dnode = be16_to_cpu(hdr->dnode);
	frame->snode = be16_to_cpu(hdr->snode);
	frame->sport = be16_to_cpu(hdr->sport);
	frame->dport = be16_to_cpu(hdr->dport);
	frame->seq = be32_to_cpu(hdr->seq);
	frame->ack = be32_to_cpu(hdr->ack);
	frame->len = be16_to_cpu(hdr->len);
	frame->flags = flags & ~PRP_F_RAIL;
	frame->marked = hdr->hops & PRP_HOPS_MARK;
	frame->window = be16_to_cpu(hdr->window);
	frame->txno = be32_to_cpu(hdr->txno);
	frame->tag = be32_to_cpu(hdr->tag);
	frame->hdr_len = hdr_len;
	frame->sack = NULL;
	frame->fragment = NULL;
	frame->checksum = NULL;
	/* Most frames are plain data, or the end of it, and nobody asks them
	 * for the others; or acknowledgments, which are asked for a crowd.
	 */
	if (unlikely(hdr_len > sizeof(*hdr)))
		return parse_rest(hdr, hdr_len, frame);
	if (likely((flags & ~(PRP_F_RAIL | PRP_F_ACKNOW | ends)) == PRP_F_SEG &&
		   (frame->len || flags & ends)))
		return 0;
	if (unlikely(frame->flags || frame->len))
		return parse_rest(hdr, hdr_len, frame);
	frame->crowd = NULL;
	return 0;
}

/**
 * prp_wire_get_sack() - read a selective acknowledgment
 * @ext: prp_frame.sack
 * @sack: where to put it
 */
void prp_wire_get_sack(const struct prp_ext_sack *ext, struct prp_sack *sack)
{
	const u8 *at = (const u8 *)(ext + 1);
	unsigned int rail, word;

	sack->rails = ext->rails;
	sack->words = ext->words;
	sack->offset = be16_to_cpu(ext->offset);
	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		__be32 newest;

		if (!(ext->rails & (1 << rail)))
			continue;
		memcpy(&newest, at, sizeof(newest));
		sack->newest[rail] = be32_to_cpu(newest);
		at += sizeof(newest);
	}
	at = (const u8 *)ext + sack_head(ext->rails);
	for (word = 0; word < ext->words; word++, at += 8) {
		__be64 bits;

		memcpy(&bits, at, sizeof(bits));
		sack->map[word] = be64_to_cpu(bits);
	}
}

/**
 * prp_wire_sack_len() - how long will a selective acknowledgment be?
 * @sack: what it says
 *
 * Return: bytes, a multiple of PRP_EXT_UNIT.
 */
size_t prp_wire_sack_len(const struct prp_sack *sack)
{
	return sack_head(sack->rails) + 8 * sack->words;
}

/**
 * prp_wire_sack_words() - how much of a bitmap has room?
 * @rails: rails of which it tells transmission numbers, as a bitmap
 * @room: bytes for the whole extension
 *
 * Return: words, at most PRP_WIN_WORDS, or a negative errno if not even an
 * extension without a bitmap has room.
 */
int prp_wire_sack_words(u8 rails, size_t room)
{
	size_t head = sack_head(rails);

	if (room < head)
		return -ENOSPC;
	return min_t(size_t, (room - head) / 8, PRP_WIN_WORDS);
}

/**
 * prp_wire_put_sack() - write a selective acknowledgment
 * @at: where to, room for PRP_EXT_MAX bytes
 * @sack: what to write
 *
 * Return: bytes written, a multiple of PRP_EXT_UNIT.
 */
size_t prp_wire_put_sack(void *at, const struct prp_sack *sack)
{
	struct prp_ext_sack *ext = at;
	u8 *to = (u8 *)(ext + 1);
	unsigned int rail, word;
	size_t head;

	head = sack_head(sack->rails);
	memset(at, 0, head);
	ext->type = PRP_EXT_SACK;
	ext->units = prp_wire_sack_len(sack) / PRP_EXT_UNIT;
	ext->rails = sack->rails;
	ext->words = sack->words;
	ext->offset = cpu_to_be16(sack->offset);
	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		__be32 newest = cpu_to_be32(sack->newest[rail]);

		if (!(sack->rails & (1 << rail)))
			continue;
		memcpy(to, &newest, sizeof(newest));
		to += sizeof(newest);
	}
	to = (u8 *)at + head;
	for (word = 0; word < sack->words; word++, to += 8) {
		__be64 bits = cpu_to_be64(sack->map[word]);

		memcpy(to, &bits, sizeof(bits));
	}
	return prp_wire_sack_len(sack);
}
