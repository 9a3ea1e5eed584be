// SPDX-License-Identifier: GPL-2.0
/*
 * What somebody sends who knows the two ends of a live connection, and even
 * has the hardware address of one of them, but has seen no frame of it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

static enum kind any_kind(struct hostile *h)
{
	return rnd_below(h, KINDS);
}

/* What a frame of the kind to a live connection is counted under */
static enum reason kind_reason(enum kind kind)
{
	return kind < KIND_OF_TAG ? R_TAG : R_STALE_REQUEST;
}

/* Bytes that may follow what there is */
static size_t room(const struct hostile *h, size_t len)
{
	return SHOT_MAX - len < h->most ? SHOT_MAX - len : h->most;
}

/* Behind a right Ethernet header nothing is right. */
static void make_random(struct hostile *h, struct shot *shot)
{
	size_t len = rnd_below(h, room(h, FRAME_ETH_LEN) + 1);

	frame_begin(h, shot, 0);
	frame_random(h, &shot->frame.prp, len);
	shot->len = FRAME_ETH_LEN + len;
	expect_reason(h, len < FRAME_QUOTE_LEN			  ? R_SHORT :
			 shot->frame.prp.version != FRAME_VERSION ? R_VERSION :
			 len < FRAME_PRP_LEN			  ? R_SHORT :
								    R_ANY);
}

/* The two ends are right, what the frame says of itself is random. */
static void make_header(struct hostile *h, struct shot *shot)
{
	frame_begin(h, shot, 0);
	frame_random(h, shot->bytes + shot->len, SHOT_MAX - shot->len);
	shot->frame.prp.flags = htons(rnd(h));
	shot->frame.prp.ext = rnd_below(h, 32);
	shot->frame.prp.len = htons(rnd_below(h, 1600));
	shot->len += rnd_below(h, room(h, shot->len) + 1);
	expect_reason(h, R_ANY);
}

/* All lengths of all kinds in turn, from nothing behind Ethernet's header */
static void make_truncated(struct hostile *h, struct shot *shot)
{
	static unsigned int nth;
	size_t whole;

	frame_make(h, shot, nth % KINDS);
	whole = shot->len - FRAME_ETH_LEN;
	shot->len = FRAME_ETH_LEN + nth / KINDS % whole;
	nth++;
	expect_reason(h, R_SHORT);
}

/* As short frames come from a real device, or longer than that */
static void make_padded(struct hostile *h, struct shot *shot)
{
	enum kind kind = any_kind(h);
	size_t len;

	frame_make(h, shot, kind);
	len = shot->len < 60 && rnd_below(h, 2) ?
		      60 :
		      shot->len + rnd_below(h, room(h, shot->len) + 1);
	frame_random(h, shot->bytes + shot->len, len - shot->len);
	shot->len = len;
	expect_reason(h, kind_reason(kind));
}

/* Well formed, in a version that nobody speaks */
static void make_version(struct hostile *h, struct shot *shot)
{
	frame_make(h, shot, any_kind(h));
	shot->frame.prp.version = 200;
	expect_reason(h, R_VERSION);
}

static void make_tag(struct hostile *h, struct shot *shot)
{
	frame_make(h, shot, rnd_below(h, KIND_OF_TAG));
	expect_reason(h, R_TAG);
}

/* From who it is not, or to who we are not */
static void make_source(struct hostile *h, struct shot *shot)
{
	struct frame *frame = &shot->frame;
	enum reason reason = R_SOURCE;

	frame_make(h, shot, any_kind(h));
	switch (rnd_below(h, 7)) {
	case 0: /* the victim itself */
		frame->prp.src_node = frame->prp.dst_node;
		break;
	case 1: /* a node that nobody knows, or none */
		frame->prp.src_node = htons(rnd_below(h, 2) * 60000);
		break;
	case 2: /* a third host, with its own hardware address */
		frame_random(h, frame->eth.src, 6);
		frame->eth.src[0] = 0x02;
		frame->eth.src[1] = 0x66;
		break;
	case 3:
		frame->prp.dst_node = htons(rnd_below(h, 2) * 60000);
		reason = R_NOT_US;
		break;
	case 4:
		memset(frame->eth.dst, 0xff, 6);
		reason = R_NOT_US;
		break;
	case 5: /* multicast */
		frame->eth.dst[0] |= 1;
		reason = R_NOT_US;
		break;
	case 6:
		frame->prp.net = htons(1 + rnd_below(h, 0xffff));
		reason = R_NET;
		break;
	}
	expect_reason(h, reason);
}

/* To no connection, or to nobody at all */
static enum reason state_elsewhere(struct hostile *h, struct shot *shot)
{
	enum kind kind = any_kind(h);

	if (kind >= KIND_OF_TAG)
		kind = KIND_REQ;
	frame_make(h, shot, kind);
	shot->frame.prp.dst_port = htons(h->closed);
	if (rnd_below(h, 2))
		shot->frame.prp.src_port = rnd(h);
	return kind == KIND_REQ || kind == KIND_CON ? R_NO_LISTENER : R_NO_CONN;
}

/* What may be sent, but not now, not here, or not with that */
static void make_state(struct hostile *h, struct shot *shot)
{
	struct frame_hello *hello =
		(void *)(shot->bytes + sizeof(struct frame));
	enum reason reason;

	switch (rnd_below(h, 6)) {
	case 0: /* another incarnation */
		frame_make(h, shot, KIND_REQ);
		reason = R_STALE_REQUEST;
		break;
	case 1: /* one of a socket type that does not exist */
		frame_make(h, shot, KIND_REQ);
		hello->sock_type = 200 + rnd_below(h, 56);
		reason = R_STALE_REQUEST;
		break;
	case 2:
		frame_make(h, shot, any_kind(h));
		shot->frame.prp.version = rnd_below(h, 2) * 200;
		reason = R_VERSION;
		break;
	case 3: /* two kinds at once, or a flag that there is not */
		frame_make(h, shot, KIND_SEG);
		shot->frame.prp.flags |=
			htons((rnd_below(h, 2) ? FRAME_REQ : FRAME_ZERO & 0x800)
			      << rnd_below(h, 2));
		reason = R_FLAGS;
		break;
	case 4: /* checksums come first */
		frame_begin(h, shot, FRAME_SEG);
		frame_random(h, (char *)frame_ext(shot, EXT_CHECKSUM, 1) + 4,
			     4);
		frame_payload(h, shot, 1 + rnd_below(h, 1000));
		reason = R_CHECKSUM;
		break;
	default:
		reason = state_elsewhere(h, shot);
	}
	expect_reason(h, reason);
}

/* Lengths in the header that the frame does not have */
static void lengths_of_header(struct hostile *h, struct shot *shot)
{
	struct frame_prp *prp = &shot->frame.prp;
	unsigned int more = 1 + rnd_below(h, 0xffff - ntohs(prp->len));

	if (rnd_below(h, 2))
		prp->len = htons(ntohs(prp->len) + more);
	else
		prp->len = 0xffff;
	if (rnd_below(h, 2))
		prp->ext = 255;
}

/* Extensions whose own lengths lie, or that are not what they say */
static void lengths_of_extension(struct hostile *h, struct shot *shot)
{
	unsigned char *ext;

	frame_begin(h, shot, 0);
	switch (rnd_below(h, 7)) {
	case 0:
		frame_ext(shot, 99 + rnd_below(h, 156), 1 + rnd_below(h, 15));
		break;
	case 1:
		ext = frame_ext(shot, EXT_SACK, 2);
		ext[1] = 0;
		break;
	case 2:
		ext = frame_ext(shot, EXT_SACK, 2);
		ext[1] = 3 + rnd_below(h, 253);
		break;
	case 3: /* more words than it has, or than a window has */
		ext = frame_ext(shot, EXT_SACK, 10);
		ext[3] = rnd_below(h, 2) ? 9 : rnd_below(h, 9);
		break;
	case 4: /* twice */
		frame_sack(shot, 0, 1, 0, 0, 1);
		frame_sack(shot, 0, 1, 0, 0, 1);
		break;
	case 5: /* a fragment of less than it has */
		shot->frame.prp.flags |= htons(FRAME_SEG);
		ext = frame_ext(shot, EXT_FRAGMENT, 1);
		frame_payload(h, shot, 1 + rnd_below(h, 1000));
		ext[5] = rnd_below(h, 2);
		break;
	case 6: /* a fragment behind its segment's end */
		shot->frame.prp.flags |= htons(FRAME_SEG);
		ext = frame_ext(shot, EXT_FRAGMENT, 1);
		frame_payload(h, shot, 10 + rnd_below(h, 100));
		memset(ext + 2, 0xff, 4);
		break;
	}
}

static void make_lengths(struct hostile *h, struct shot *shot)
{
	if (rnd_below(h, 2)) {
		frame_make(h, shot, any_kind(h));
		lengths_of_header(h, shot);
		expect_reason(h, R_SHORT);
	} else {
		lengths_of_extension(h, shot);
		expect_reason(h, R_EXTENSION);
	}
}

static void make_any(struct hostile *h, struct shot *shot)
{
	static const struct {
		make_fn *make;
	} makes[] = {
		{ make_random }, { make_header },  { make_truncated },
		{ make_padded }, { make_tag },	   { make_source },
		{ make_state },	 { make_lengths },
	};

	makes[rnd_below(h, COUNT_OF(makes))].make(h, shot);
}

/* Requests of many nodes, from many ports, to one with and one without a
 * listener. What becomes of them depends on how many were before.
 */
static void make_requests(struct hostile *h, struct shot *shot)
{
	unsigned int as = h->as + rnd_below(h, h->nodes - h->as + 1);

	if (as == h->victim) /* a bridge would send it what it is to get */
		as = h->as;
	frame_make(h, shot, KIND_REQ);
	shot->frame.prp.src_node = htons(as);
	shot->frame.eth.src[5] = as;
	if (rnd_below(h, 8))
		shot->frame.prp.src_port = rnd(h);
	if (!rnd_below(h, 8))
		shot->frame.prp.dst_port = htons(h->closed);
	expect_reason(h, R_ANY);
}

/* What the victim's peer has sent: the first frames and the latest ones */
enum { FIRST = 1024, LATEST = 1024 };

static struct shot kept[FIRST + LATEST];
static unsigned long have;

/* Not all that has come, for it may come as fast as it is heard. */
static void hear(unsigned int most)
{
	const unsigned long end = have + most;
	static struct shot heard;

	for (; have < end && wire_sniffed(&heard); have++)
		kept[have < FIRST ? have : FIRST + (have - FIRST) % LATEST] =
			heard;
}

/* The transfer begins after us, so that its request is heard, too. */
static void begin_replayed(struct hostile *h)
{
	wire_listen(h, true);
	puts("ready");
	fflush(stdout);
	while (have <= h->after) {
		usleep(1000);
		hear(LATEST);
	}
}

static void batch_replayed(struct hostile *h __attribute__((unused)))
{
	hear(BATCH);
}

static void make_replayed(struct hostile *h, struct shot *shot)
{
	*shot = kept[rnd_below(h,
			       have < FIRST + LATEST ? have : FIRST + LATEST)];
	expect_reason(h, R_ANY);
}

/* clang-format off: a table, a row a line */
const struct class outside_classes[] = {
	{ "random", make_random, NULL, NULL, NULL, false },
	{ "header", make_header, NULL, NULL, NULL, false },
	{ "truncated", make_truncated, NULL, NULL, NULL, false },
	{ "padded", make_padded, NULL, NULL, NULL, false },
	{ "lengths", make_lengths, NULL, NULL, NULL, false },
	{ "version", make_version, NULL, NULL, NULL, false },
	{ "source", make_source, NULL, NULL, NULL, false },
	{ "tag", make_tag, NULL, NULL, NULL, false },
	{ "state", make_state, NULL, NULL, NULL, false },
	{ "any", make_any, NULL, NULL, NULL, false },
	{ "paged", make_any, NULL, NULL, NULL, true },
	{ "requests", make_requests, NULL, NULL, NULL, false },
	{ "replayed", make_replayed, begin_replayed, batch_replayed, NULL,
	  false },
	{ NULL, NULL, NULL, NULL, NULL, false }
};

/* clang-format on */
