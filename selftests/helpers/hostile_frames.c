// SPDX-License-Identifier: GPL-2.0
/*
 * Well-formed frames of every kind, with everything random that may be.
 */
#include <string.h>

#include "hostile.h"

/* A random number (splitmix64) */
uint64_t rnd(struct hostile *h)
{
	uint64_t x = h->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

void frame_random(struct hostile *h, void *to, size_t len)
{
	unsigned char *at = to;

	while (len) {
		uint64_t bits = rnd(h);
		size_t n = len < 8 ? len : 8;

		memcpy(at, &bits, n);
		at += n;
		len -= n;
	}
}

/* The headers, from whom h says to whom it says, with a random tag */
void frame_begin(struct hostile *h, struct shot *shot, unsigned int flags)
{
	struct frame *frame = &shot->frame;

	memcpy(frame->eth.dst, h->victim_mac, 6);
	memcpy(frame->eth.src, h->as_mac, 6);
	frame->eth.type = htons(PRP_ETHERTYPE);
	frame->prp = (struct frame_prp){
		.version = FRAME_VERSION,
		.hops = rnd_below(h, 256),
		.dst_node = htons(h->victim),
		.src_node = htons(h->as),
		.src_port = htons(h->sport),
		.dst_port = htons(h->dport),
		.seq = rnd(h),
		.ack = rnd(h),
		.flags = htons(flags),
		.window = htons(rnd(h)),
		.trans = rnd(h),
		.tag = rnd(h),
	};
	shot->len = sizeof(*frame);
}

/* Room for an extension, before the payload; its header is filled in. */
void *frame_ext(struct shot *shot, enum ext_type type, unsigned int units)
{
	unsigned char *ext = shot->bytes + shot->len;

	memset(ext, 0, 8 * units);
	ext[0] = type;
	ext[1] = units;
	shot->len += 8 * units;
	shot->frame.prp.ext += units;
	return ext;
}

void frame_payload(struct hostile *h, struct shot *shot, size_t len)
{
	if (len > h->most)
		len = h->most;
	frame_random(h, shot->bytes + shot->len, len);
	shot->len += len;
	shot->frame.prp.len = htons(len);
}

/* rails: a bit map; all of them report the same transmission number. */
void frame_sack(struct shot *shot, unsigned int rails, unsigned int words,
		uint16_t offset, uint32_t newest, uint64_t bits)
{
	unsigned int known = __builtin_popcount(rails),
		     head = (8 + 4 * known + 7) / 8;
	unsigned char *ext = frame_ext(shot, EXT_SACK, head + words);

	ext[2] = rails;
	ext[3] = words;
	ext[4] = offset >> 8;
	ext[5] = offset;
	newest = htonl(newest);
	for (unsigned int i = 0; i < known; i++)
		memcpy(ext + 8 + 4 * i, &newest, 4);
	for (unsigned int i = 0; i < words; i++)
		for (int byte = 0; byte < 8; byte++)
			ext[8 * (head + i) + byte] = bits >> (56 - 8 * byte);
}

static void frame_hello(struct hostile *h, struct shot *shot,
			enum ext_type type)
{
	struct frame_hello *hello = frame_ext(shot, type, 3);

	hello->sock_type = 1;
	hello->seg_size = htons(32 + rnd_below(h, 9000));
	hello->tag = htonl(1 + rnd_below(h, 0xfffffffe));
	hello->can = rnd(h);
	hello->table_hash = rnd(h);
	hello->first = rnd(h);
}

static void frame_cookie(struct hostile *h, struct shot *shot)
{
	frame_random(h, (char *)frame_ext(shot, EXT_COOKIE, 2) + 4, 12);
}

/* code, then tag and number of a frame that is quoted */
static void frame_quote(struct hostile *h, struct shot *shot)
{
	unsigned char *ext = frame_ext(shot, EXT_QUOTE, 2);

	ext[2] = rnd_below(h, 5);
	frame_random(h, ext + 4, 8);
	shot->frame.prp.tag = rnd_below(h, 2) ? 0 : shot->frame.prp.tag;
}

/* A forwarder's: of a frame that the victim is said to have sent to us */
static void frame_error(struct hostile *h, struct shot *shot)
{
	unsigned char *ext = frame_ext(shot, EXT_ERROR, 2);
	uint16_t node = htons(h->as), mtu = htons(68 + rnd_below(h, 9000));

	ext[2] = 1 + rnd_below(h, 3);
	memcpy(ext + 4, &node, 2);
	if (ext[2] == 3)
		memcpy(ext + 6, &mtu, 2);
	frame_random(h, ext + 8, 8);
	shot->frame.prp.tag = 0;
}

static void frame_fragment(struct hostile *h, struct shot *shot)
{
	uint16_t len = 1 + rnd_below(h, 700);
	uint16_t total = len + 1 + rnd_below(h, 700);
	uint16_t offset = htons(rnd_below(h, total - len + 1));
	unsigned char *ext = frame_ext(shot, EXT_FRAGMENT, 1);

	total = htons(total);
	memcpy(ext + 2, &offset, 2);
	memcpy(ext + 4, &total, 2);
	frame_payload(h, shot, len);
}

static void frame_any_sack(struct hostile *h, struct shot *shot)
{
	frame_sack(shot, rnd_below(h, 256), rnd_below(h, 9), rnd(h), rnd(h),
		   rnd(h));
}

static const unsigned int kind_flags[KINDS] = {
	[KIND_SEG] = FRAME_SEG,
	[KIND_SEG_SACK] = FRAME_SEG,
	[KIND_ACK] = 0,
	[KIND_ACK_SACK] = 0,
	[KIND_PROBE] = FRAME_ACKNOW,
	[KIND_END] = FRAME_SEG | FRAME_END,
	[KIND_FRAGMENT] = FRAME_SEG,
	[KIND_ANS] = FRAME_ANS,
	[KIND_CON] = FRAME_CON,
	[KIND_RST] = FRAME_RST,
	[KIND_ERROR] = FRAME_ERROR,
	[KIND_REQ] = FRAME_REQ,
	[KIND_REQ_IP] = FRAME_REQ,
};

/* A well-formed frame of that kind whose tags are random */
void frame_make(struct hostile *h, struct shot *shot, enum kind kind)
{
	frame_begin(h, shot, kind_flags[kind]);
	switch (kind) {
	case KIND_SEG_SACK:
		frame_any_sack(h, shot);
		frame_payload(h, shot, 1 + rnd_below(h, 1200));
		break;
	case KIND_SEG:
		frame_payload(h, shot, 1 + rnd_below(h, 1400));
		break;
	case KIND_ACK_SACK:
		frame_any_sack(h, shot);
		break;
	case KIND_FRAGMENT:
		frame_fragment(h, shot);
		break;
	case KIND_ANS:
		frame_hello(h, shot, EXT_ANSWER);
		break;
	case KIND_CON:
		frame_hello(h, shot, EXT_REQUEST);
		frame_cookie(h, shot);
		break;
	case KIND_RST:
		frame_quote(h, shot);
		break;
	case KIND_ERROR:
		frame_error(h, shot);
		break;
	case KIND_REQ:
	case KIND_REQ_IP:
		frame_hello(h, shot, EXT_REQUEST);
		frame_ext(shot, EXT_COOKIE, 2);
		shot->frame.prp.tag = 0;
		if (kind == KIND_REQ_IP)
			frame_random(h, (char *)frame_ext(shot, EXT_IP, 5) + 8,
				     32);
		break;
	default:
		break;
	}
}
