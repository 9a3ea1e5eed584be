// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of frames: any bytes as a frame, each piece of memory exactly
 * as long as what may be read of it.
 */
#include <linux/types.h>
#include <string.h>

#include "fuzz.h"
#include "pure/wire.h"

static const u8 *hdr_begin, *hdr_end;

/* An extension lies behind the header, as long as it says. */
static void check_ext(const void *ext, size_t len)
{
	const u8 *at = ext;

	if (!at)
		return;
	must(at >= hdr_begin + sizeof(struct prp_hdr));
	must((size_t)(hdr_end - at) >= len);
	must(len == at[1] * (size_t)PRP_EXT_UNIT);
}

static void check_extensions(const struct prp_frame *frame)
{
	if (frame->flags & PRP_F_SEG)
		return check_ext(frame->checksum, 8);
	check_ext(frame->open, sizeof(*frame->open));
	check_ext(frame->quote, sizeof(*frame->quote));
	check_ext(frame->error, sizeof(*frame->error));
	check_ext(frame->ip, sizeof(*frame->ip));
	check_ext(frame->checksum, sizeof(*frame->checksum));
	check_ext(frame->cookie, sizeof(*frame->cookie));
	check_ext(frame->crowd, sizeof(*frame->crowd));
	if (frame->open)
		must(frame->open->tag &&
		     !(frame->open->must & ~frame->open->can) &&
		     be16_to_cpu(frame->open->seg_size) >= PRP_SEG_SIZE_MIN);
	if (frame->quote)
		must(frame->quote->code < PRP_RESET_CODES &&
		     !frame->quote->features ==
			     (frame->quote->code != PRP_RESET_FEATURES));
	if (frame->error)
		must(frame->error->code &&
		     frame->error->code < PRP_ERROR_CODES);
	if (frame->crowd)
		must(be16_to_cpu(frame->crowd->among) >= 2 &&
		     frame->crowd->active &&
		     !(frame->flags & (PRP_F_KIND | PRP_F_ACKNOW)));
}

static void check_cookie(const struct prp_frame *frame)
{
	const struct prp_ext_cookie empty = { PRP_EXT_COOKIE, 2, 0, 0, 0, 0 };

	if (frame->flags & PRP_F_SEG || !frame->cookie)
		return;
	must(!frame->cookie->zero);
	if (frame->flags & PRP_F_REQ)
		must(!memcmp(frame->cookie, &empty, sizeof(empty)));
}

/* No more words than have room, and as many as have. */
static void check_words(const struct prp_sack *sack, size_t room)
{
	int words = prp_wire_sack_words(sack->rails, room);
	struct prp_sack most = { .rails = sack->rails };

	if (words < 0) {
		must(prp_wire_sack_len(&most) > room);
		return;
	}
	must(words <= PRP_WIN_WORDS);
	most.words = words;
	must(prp_wire_sack_len(&most) <= room);
	must(words == PRP_WIN_WORDS || prp_wire_sack_len(&most) + 8 > room);
}

static void check_fragment(const struct prp_frame *frame)
{
	u32 offset, total;

	if (!frame->fragment)
		return;
	check_ext(frame->fragment, sizeof(*frame->fragment));
	offset = be16_to_cpu(frame->fragment->offset);
	total = be16_to_cpu(frame->fragment->total);
	must(frame->flags & PRP_F_SEG);
	must(frame->len && frame->len < total && offset + frame->len <= total);
}

/* Read and written again it is the same. */
static void check_sack(const struct prp_frame *frame)
{
	u8 again[PRP_EXT_MAX];
	struct prp_sack sack;
	size_t len;

	if (!frame->sack)
		return;
	memset(&sack, 0x5a, sizeof(sack));
	prp_wire_get_sack(frame->sack, &sack);
	must(sack.words <= PRP_WIN_WORDS);
	len = prp_wire_put_sack(again, &sack);
	check_ext(frame->sack, len);
	must(!memcmp(again, frame->sack, len));
	check_words(&sack, len);
	check_words(&sack, frame->len);
}

static void check_flags(const struct prp_frame *frame)
{
	u16 kind = frame->flags & PRP_F_KIND;
	bool asks = kind == PRP_F_REQ || kind == PRP_F_CON;

	must(!(kind & (kind - 1)));
	must(!(frame->flags & (PRP_F_RAIL | PRP_F_ZERO)));
	must(frame->rail < PRP_WIN_RAILS);
	if (kind == PRP_F_SEG) {
		must(frame->len || frame->flags & (PRP_F_END | PRP_F_EOM));
		return;
	}
	must((!frame->len || kind == PRP_F_QUERY ||
	      (!kind && frame->flags & PRP_F_ACKNOW)) &&
	     !(frame->flags & (PRP_F_END | PRP_F_EOM)));
	must(!!frame->open == (asks || kind == PRP_F_ANS));
	must(!frame->cookie || frame->open);
	must(frame->cookie || kind != PRP_F_CON);
	must(!!frame->quote == (kind == PRP_F_RST));
	must(!!frame->error == (kind == PRP_F_ERROR));
	must(!frame->ip || asks || frame->query);
	must(!!frame->query + !!frame->reply == (kind == PRP_F_QUERY));
	must(!frame->query || !frame->sport);
	must(!frame->reply || !frame->dport);
	must(kind != PRP_F_REQ || (!frame->tag && !frame->sack));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prp_frame frame;
	size_t hdr_len = 0;
	u8 *copy;
	int reason;

	if (size < sizeof(struct prp_hdr))
		return 0;
	/* what is read before the extensions are made readable */
	copy = malloc(sizeof(struct prp_hdr));
	memcpy(copy, data, sizeof(struct prp_hdr));
	reason = prp_wire_lengths((const void *)copy, size, &hdr_len);
	free(copy);
	if (reason) {
		must(reason == PRP_DROP_VERSION || reason == PRP_DROP_SHORT);
		return 0;
	}
	must(hdr_len >= sizeof(struct prp_hdr) && hdr_len <= size);
	copy = malloc(hdr_len);
	memcpy(copy, data, hdr_len);
	hdr_begin = copy;
	hdr_end = copy + hdr_len;
	memset(&frame, 0x5a, sizeof(frame));
	reason = prp_wire_parse((const void *)copy, hdr_len, &frame);
	if (reason) {
		must(reason == PRP_DROP_EXTENSION || reason == PRP_DROP_FLAGS);
	} else {
		must(frame.hdr_len == hdr_len && hdr_len + frame.len <= size);
		must(prp_wire_frame_len((const void *)copy) ==
		     hdr_len + frame.len);
		must(frame.marked == !!(copy[1] & PRP_HOPS_MARK));
		check_flags(&frame);
		check_extensions(&frame);
		check_cookie(&frame);
		check_fragment(&frame);
		check_sack(&frame);
	}
	free(copy);
	return 0;
}
