// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of frames: each field wrong by itself, every truncation,
 * every combination of flags, and frames of chance. What it is given to read
 * ends where the allocation ends, so that the sanitizer sees one byte more.
 */
#include <stdlib.h>
#include <string.h>

#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "mib.h"
#include "unit.h"
#include "wire.h"

#define HDR sizeof(struct prp_hdr)
#define FRAME (HDR + PRP_EXT_MAX)

/* A frame without its payload, which nobody looks at. */
union msg {
	struct prp_hdr hdr;
	u8 bytes[FRAME];
	u64 align;
};

static size_t msg_len(const union msg *msg)
{
	return HDR + (be16_to_cpu(msg->hdr.flags) & 0xf) * PRP_EXT_UNIT;
}

/* Every field of the header with a value of its own. */
static union msg msg_of(u16 flags, u16 len)
{
	union msg msg = { .hdr = {
				  .version = PRP_VERSION,
				  .hops = 0x11,
				  .vnet = cpu_to_be16(0x2122),
				  .dnode = cpu_to_be16(0x3132),
				  .snode = cpu_to_be16(0x4142),
				  .sport = cpu_to_be16(0x5152),
				  .dport = cpu_to_be16(0x6162),
				  .seq = cpu_to_be32(0x71727374),
				  .ack = cpu_to_be32(0x81828384),
				  .len = cpu_to_be16(len),
				  .flags = cpu_to_be16(flags << 4),
				  .window = cpu_to_be16(0x0123),
				  .txno = cpu_to_be16(0xa1a2),
			  } };

	if (flags != PRP_F_REQ)
		msg.hdr.tag = cpu_to_be32(0xb1b2b3b4);
	return msg;
}

static void msg_add(union msg *msg, const void *ext, size_t len)
{
	size_t at = msg_len(msg);
	u16 flags = be16_to_cpu(msg->hdr.flags);

	expect_true(at + len <= FRAME);
	memcpy(msg->bytes + at, ext, len);
	msg->hdr.flags = cpu_to_be16(flags + len / PRP_EXT_UNIT);
}

static struct prp_ext_open open_of(u8 type)
{
	return (struct prp_ext_open){
		.type = type,
		.units = 3,
		.sock_type = 1,
		.seg_size = cpu_to_be16(1400),
		.tag = cpu_to_be32(0xc1c2c3c4),
		.features = cpu_to_be32(0xd1d2d3d4),
		.table_hash = cpu_to_be32(0xe1e2e3e4),
		.first = cpu_to_be32(0xf1f2f3f4),
	};
}

static struct prp_ext_quote quote_of(u8 code)
{
	return (struct prp_ext_quote){
		.type = PRP_EXT_QUOTE,
		.units = 2,
		.code = code,
		.tag = cpu_to_be32(1),
		.seq = cpu_to_be32(2),
	};
}

static void add_open(union msg *msg, u8 type)
{
	struct prp_ext_open ext = open_of(type);

	msg_add(msg, &ext, sizeof(ext));
}

static void add_quote(union msg *msg)
{
	struct prp_ext_quote ext = quote_of(PRP_RESET_DENIED);

	msg_add(msg, &ext, sizeof(ext));
}

/* An extension with that many rails and words, all its content alike. */
static size_t put_sack(u8 *ext, unsigned int rails, unsigned int words)
{
	struct prp_sack sack = { .rails = (1 << rails) - 1, .words = words };

	memset(sack.newest, 0x5a, sizeof(sack.newest));
	memset(sack.map, 0xa5, sizeof(sack.map));
	return prp_wire_put_sack(ext, &sack);
}

static void add_sack(union msg *msg, unsigned int rails, unsigned int words)
{
	u8 ext[PRP_EXT_MAX];
	size_t len = put_sack(ext, rails, words);

	msg_add(msg, ext, len);
}

/*
 * What the caller in receive.c does: the lengths first, with the header
 * readable and no more, then the rest, readable up to its length.
 */
static int parse(const union msg *msg, size_t frame_len,
		 struct prp_frame *frame)
{
	static u8 *copy;
	size_t hdr_len = 0;
	int reason;

	free(copy);
	copy = malloc(HDR);
	memcpy(copy, msg, HDR);
	reason = prp_wire_lengths((void *)copy, frame_len, &hdr_len);
	if (reason)
		return reason;
	expect_true(hdr_len <= frame_len);
	free(copy);
	copy = malloc(hdr_len);
	memcpy(copy, msg, hdr_len);
	memset(frame, 0xee, sizeof(*frame));
	return prp_wire_parse((void *)copy, hdr_len, frame);
}

/* The same for a frame that is not longer than it says. */
static int verdict(const union msg *msg)
{
	struct prp_frame frame = {};

	return parse(msg, msg_len(msg) + be16_to_cpu(msg->hdr.len), &frame);
}

/* ------------------------------------------------------------- lengths */

UNIT(prp_wire_lengths__other_versions)
{
	union msg msg = msg_of(0, 0);
	unsigned int version;

	for (version = 0; version < 256; version++) {
		msg.hdr.version = version;
		expect_eq(verdict(&msg),
			  version == PRP_VERSION ? 0 : PRP_DROP_VERSION);
	}
}

UNIT(prp_wire_lengths__extensions_in_units)
{
	unsigned int units;

	for (units = 0; units < 16; units++) {
		union msg msg = msg_of(0xfff, 0);
		size_t hdr_len;

		msg.hdr.flags |= cpu_to_be16(units);
		expect_eq(prp_wire_lengths(&msg.hdr, FRAME, &hdr_len), 0);
		expect_eq(hdr_len, HDR + 8 * units);
	}
}

/* Every extension length with every length of the frame. */
UNIT(prp_wire_lengths__every_truncation)
{
	unsigned int units;
	size_t len, hdr_len;

	for (units = 0; units < 16; units++) {
		union msg msg = msg_of(0, 0);

		msg.hdr.flags = cpu_to_be16(units);
		for (len = 0; len <= FRAME; len++)
			expect_eq(prp_wire_lengths(&msg.hdr, len, &hdr_len),
				  len < HDR + 8 * units ? PRP_DROP_SHORT : 0);
	}
}

UNIT(prp_wire_lengths__payload_that_is_not_there)
{
	static const u16 lens[] = { 1, 46, 1468, 0x7fff, 0x8000, 0xffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		union msg msg = msg_of(PRP_F_SEG, lens[i]);
		struct prp_frame frame = {};

		add_sack(&msg, 1, 1);
		expect_eq(parse(&msg, msg_len(&msg) + lens[i] - 1, &frame),
			  PRP_DROP_SHORT);
		expect_eq(parse(&msg, msg_len(&msg) + lens[i], &frame), 0);
	}
}

UNIT(prp_wire_lengths__padding_is_not_counted)
{
	union msg msg = msg_of(PRP_F_SEG, 3);
	struct prp_frame frame = {};

	expect_eq(parse(&msg, HDR + 46, &frame), 0);
	expect_eq(frame.len, 3);
}

/* -------------------------------------------------------------- header */

UNIT(prp_wire_parse__fields)
{
	union msg msg = msg_of(PRP_F_SEG | PRP_F_EOM, 9);
	struct prp_frame frame = {};

	expect_eq(parse(&msg, HDR + 9, &frame), 0);
	expect_eq(frame.vnet, 0x2122);
	expect_eq(frame.dnode, 0x3132);
	expect_eq(frame.snode, 0x4142);
	expect_eq(frame.sport, 0x5152);
	expect_eq(frame.dport, 0x6162);
	expect_eq(frame.seq, 0x71727374);
	expect_eq(frame.ack, 0x81828384);
	expect_eq(frame.len, 9);
	expect_eq(frame.flags, PRP_F_SEG | PRP_F_EOM);
	expect_eq(frame.window, 0x0123);
	expect_eq(frame.txno, 0xa1a2);
	expect_eq(frame.tag, 0xb1b2b3b4);
	expect_eq(frame.hdr_len, HDR);
}

UNIT(prp_wire_parse__no_extensions)
{
	union msg msg = msg_of(PRP_F_SEG, 9);
	struct prp_frame frame = {};

	expect_eq(parse(&msg, HDR + 9, &frame), 0);
	expect_true(!frame.fragment && !frame.checksum && !frame.sack);
}

UNIT(prp_wire_parse__rail)
{
	unsigned int rail;

	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		u16 flags = PRP_F_ACKNOW | rail << PRP_F_RAIL_SHIFT;
		union msg msg = msg_of(flags, 0);
		struct prp_frame frame = {};

		expect_eq(parse(&msg, HDR, &frame), 0);
		expect_eq(frame.rail, rail);
		expect_eq(frame.flags, PRP_F_ACKNOW);
	}
}

UNIT(prp_wire_parse__open)
{
	union msg msg = msg_of(PRP_F_REQ, 0);
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);
	struct prp_frame frame = {};

	msg_add(&msg, &ext, sizeof(ext));
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	expect_eq(frame.hdr_len, HDR + sizeof(ext));
	expect_eq(memcmp(frame.open, &ext, sizeof(ext)), 0);
	expect_true(!frame.quote && !frame.sack);
}

UNIT(prp_wire_parse__quote)
{
	unsigned int code;

	for (code = 0; code < PRP_RESET_CODES; code++) {
		union msg msg = msg_of(PRP_F_RST, 0);
		struct prp_ext_quote ext = quote_of(code);
		struct prp_frame frame = {};

		msg_add(&msg, &ext, sizeof(ext));
		expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
		expect_eq(memcmp(frame.quote, &ext, sizeof(ext)), 0);
		expect_true(!frame.open && !frame.sack);
	}
}

UNIT(prp_wire_parse__extension_after_another)
{
	union msg msg = msg_of(PRP_F_ANS, 0);
	struct prp_frame frame = {};

	add_sack(&msg, 2, 3);
	add_open(&msg, PRP_EXT_ANSWER);
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	expect_true(frame.sack);
	expect_eq(frame.open->type, PRP_EXT_ANSWER);
	expect_eq(frame.open->first, cpu_to_be32(0xf1f2f3f4));
}

/* ---------------------------------------------------------------- SACK */

static struct prp_sack random_sack(void)
{
	struct prp_sack sack = { .rails = unit_random() };
	unsigned int i;

	sack.words = unit_random() % (PRP_WIN_WORDS + 1);
	for (i = 0; i < PRP_WIN_RAILS; i++)
		sack.newest[i] = unit_random();
	for (i = 0; i < PRP_WIN_WORDS; i++)
		sack.map[i] = unit_random();
	return sack;
}

static void expect_same_sack(const struct prp_sack *got,
			     const struct prp_sack *sack)
{
	unsigned int i;

	expect_eq(got->rails, sack->rails);
	expect_eq(got->words, sack->words);
	for (i = 0; i < PRP_WIN_RAILS; i++)
		if (sack->rails & 1 << i)
			expect_eq(got->newest[i], sack->newest[i]);
	for (i = 0; i < sack->words; i++)
		expect_eq(got->map[i], sack->map[i]);
}

UNIT(prp_wire_put_sack__round_trip)
{
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		struct prp_sack sack = random_sack(), got;
		union msg msg = msg_of(0, 0);
		struct prp_frame frame = {};
		u8 ext[PRP_EXT_MAX];

		memset(ext, 0x77, sizeof(ext));
		msg_add(&msg, ext, prp_wire_put_sack(ext, &sack));
		expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
		expect_true(frame.sack);
		prp_wire_get_sack(frame.sack, &got);
		expect_same_sack(&got, &sack);
	}
}

UNIT(prp_wire_put_sack__bytes)
{
	static const u8 expected[] = {
		3,    2,    0x82, 1,	0x12, 0x34, 0x56, 0x78,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	};
	struct prp_sack sack = {
		.rails = 0x82,
		.words = 1,
		.map = { 0x0102030405060708 },
	};
	u8 ext[PRP_EXT_MAX];

	sack.newest[1] = 0x1234;
	sack.newest[7] = 0x5678;
	expect_eq(prp_wire_put_sack(ext, &sack), sizeof(expected));
	expect_eq(memcmp(ext, expected, sizeof(expected)), 0);
}

UNIT(prp_wire_put_sack__pads_with_zeroes)
{
	unsigned int rails, i;

	for (rails = 0; rails <= PRP_WIN_RAILS; rails++) {
		size_t used = 4 + 2 * rails, head = (used + 7) / 8 * 8;
		u8 ext[PRP_EXT_MAX];

		memset(ext, 0x77, sizeof(ext));
		expect_eq(put_sack(ext, rails, 2), head + 16);
		for (i = used; i < head; i++)
			expect_eq(ext[i], 0);
	}
}

UNIT(prp_wire_put_sack__writes_no_more_than_it_says)
{
	unsigned int rails, words, i;

	for (rails = 0; rails <= PRP_WIN_RAILS; rails++) {
		for (words = 0; words <= PRP_WIN_WORDS; words++) {
			u8 ext[PRP_EXT_MAX];
			size_t len;

			memset(ext, 0x77, sizeof(ext));
			len = put_sack(ext, rails, words);
			expect_eq(ext[1] * 8, len);
			for (i = len; i < sizeof(ext); i++)
				expect_eq(ext[i], 0x77);
		}
	}
}

/* ----------------------------------------------- malformed extensions */

UNIT(parse_extensions__zero_units)
{
	unsigned int type;

	for (type = 0; type < 256; type++) {
		union msg msg = msg_of(0, 0);
		u8 ext[8] = { type, 0 };

		msg_add(&msg, ext, sizeof(ext));
		expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	}
}

UNIT(parse_extensions__longer_than_the_header)
{
	unsigned int units;

	for (units = 2; units < 256; units++) {
		union msg msg = msg_of(0, 0);
		u8 ext[8] = { PRP_EXT_SACK, units, 0, units - 1 };

		msg_add(&msg, ext, sizeof(ext));
		expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	}
}

UNIT(parse_extensions__unknown_type)
{
	unsigned int type;

	for (type = 0; type < 256; type++) {
		union msg msg = msg_of(0, 0);
		u8 ext[8] = { type, 1 };

		msg_add(&msg, ext, sizeof(ext));
		expect_eq(verdict(&msg),
			  type == PRP_EXT_SACK || type == PRP_EXT_CHECKSUM ? 0 :
			  type == PRP_EXT_MESSAGES ? PRP_DROP_FLAGS :
						     PRP_DROP_EXTENSION);
	}
}

UNIT(parse_extensions__rubbish_after_a_good_one)
{
	union msg msg = msg_of(0, 0);
	u8 ext[8] = { 0 };

	add_sack(&msg, 1, 1);
	msg_add(&msg, ext, sizeof(ext));
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

/* Cut off at each unit before its end. */
UNIT(parse_extensions__cut_off)
{
	union msg good[3] = {
		msg_of(PRP_F_REQ, 0),
		msg_of(PRP_F_RST, 0),
		msg_of(0, 0),
	};
	unsigned int i, units;

	add_open(&good[0], PRP_EXT_REQUEST);
	add_quote(&good[1]);
	add_sack(&good[2], 8, 8);
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		u16 flags = be16_to_cpu(good[i].hdr.flags);

		expect_eq(verdict(&good[i]), 0);
		for (units = 1; units < (flags & 0xf); units++) {
			union msg msg = good[i];

			msg.hdr.flags = cpu_to_be16((flags & ~0xf) | units);
			expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
		}
	}
}

/* Each says another length than it has to have, with room for that. */
UNIT(parse_extensions__wrong_size)
{
	union msg good[4] = {
		msg_of(PRP_F_REQ, 0),
		msg_of(PRP_F_ANS, 0),
		msg_of(PRP_F_RST, 0),
		msg_of(0, 0),
	};
	unsigned int i, units;

	add_open(&good[0], PRP_EXT_REQUEST);
	add_open(&good[1], PRP_EXT_ANSWER);
	add_quote(&good[2]);
	add_sack(&good[3], 3, 2);
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		u16 flags = be16_to_cpu(good[i].hdr.flags);

		for (units = 1; units < 16; units++) {
			union msg msg = good[i];

			msg.bytes[HDR + 1] = units;
			msg.hdr.flags = cpu_to_be16((flags & ~0xf) | units);
			expect_eq(verdict(&msg), units == (flags & 0xf) ?
							 0 :
							 PRP_DROP_EXTENSION);
		}
	}
}

UNIT(parse_open__twice)
{
	union msg msg = msg_of(PRP_F_REQ, 0);

	add_open(&msg, PRP_EXT_REQUEST);
	add_open(&msg, PRP_EXT_REQUEST);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	msg = msg_of(PRP_F_ANS, 0);
	add_open(&msg, PRP_EXT_REQUEST);
	add_open(&msg, PRP_EXT_ANSWER);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

UNIT(parse_quote__twice)
{
	union msg msg = msg_of(PRP_F_RST, 0);

	add_quote(&msg);
	add_quote(&msg);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

UNIT(parse_sack__twice)
{
	union msg msg = msg_of(0, 0);

	add_sack(&msg, 1, 1);
	add_sack(&msg, 1, 1);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

static int open_verdict(struct prp_ext_open ext)
{
	union msg msg = msg_of(PRP_F_REQ, 0);

	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

UNIT(parse_open__reserved_byte)
{
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);

	for (ext.zero = 1; ext.zero; ext.zero <<= 1)
		expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
}

UNIT(parse_open__reserved_word)
{
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);
	unsigned int i;

	for (i = 0; i < 16; i++) {
		ext.zero2 = 1 << i;
		expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
	}
}

UNIT(parse_open__no_tag)
{
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);

	ext.tag = 0;
	expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
}

UNIT(parse_open__no_segment_size)
{
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);

	ext.seg_size = 0;
	expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
}

/* What it wants is judged elsewhere. */
UNIT(parse_open__anything_else)
{
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);

	ext.sock_type = 0xff;
	ext.features = 0xffffffff;
	ext.table_hash = 0;
	ext.first = 0;
	expect_eq(open_verdict(ext), 0);
}

static int quote_verdict(struct prp_ext_quote ext)
{
	union msg msg = msg_of(PRP_F_RST, 0);

	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

UNIT(parse_quote__reserved_byte)
{
	struct prp_ext_quote ext = quote_of(0);

	for (ext.zero = 1; ext.zero; ext.zero <<= 1)
		expect_eq(quote_verdict(ext), PRP_DROP_EXTENSION);
}

UNIT(parse_quote__reserved_word)
{
	unsigned int i;

	for (i = 0; i < 32; i++) {
		struct prp_ext_quote ext = quote_of(0);

		ext.zero2 = 1u << i;
		expect_eq(quote_verdict(ext), PRP_DROP_EXTENSION);
	}
}

UNIT(parse_quote__unknown_code)
{
	unsigned int code;

	for (code = PRP_RESET_CODES; code < 256; code++)
		expect_eq(quote_verdict(quote_of(code)), PRP_DROP_EXTENSION);
}

UNIT(parse_sack__too_many_words)
{
	union msg msg = msg_of(0, 0);
	u8 ext[80] = { PRP_EXT_SACK, 10, 0, PRP_WIN_WORDS + 1 };

	msg_add(&msg, ext, sizeof(ext));
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	msg.bytes[HDR + 1]--;
	msg.bytes[HDR + 3]--;
	msg.hdr.flags = cpu_to_be16(9);
	expect_eq(verdict(&msg), 0);
}

/* Rails and words that do not make up the length. */
UNIT(parse_sack__content_against_length)
{
	unsigned int rails, words;

	for (rails = 0; rails < 256; rails++) {
		for (words = 0; words < 256; words++) {
			union msg msg = msg_of(0, 0);
			size_t need;

			add_sack(&msg, 2, 4);
			memset(msg.bytes + HDR + 4, 0, 36);
			msg.bytes[HDR + 2] = rails;
			msg.bytes[HDR + 3] = words;
			need = (4 + 2 * __builtin_popcount(rails) + 7) / 8 +
			       words;
			expect_eq(verdict(&msg),
				  need == 5 ? 0 : PRP_DROP_EXTENSION);
		}
	}
}

/* Wherever there is padding it is zero (struct prp_ext_sack). */
UNIT(parse_sack__padding)
{
	unsigned int rails, i;

	for (rails = 0; rails <= PRP_WIN_RAILS; rails++) {
		size_t used = 4 + 2 * rails, head = (used + 7) / 8 * 8;

		for (i = used; i < head; i++) {
			union msg msg = msg_of(0, 0);

			add_sack(&msg, rails, 1);
			msg.bytes[HDR + i] = 1;
			expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
		}
	}
}

/* ---------------------------------------------------- what came later */

static void add_error(union msg *msg)
{
	struct prp_ext_error ext = {
		.type = PRP_EXT_ERROR,
		.units = 2,
		.code = PRP_ERROR_TOO_BIG,
		.mtu = cpu_to_be16(1500),
		.dnode = cpu_to_be16(7),
	};

	msg_add(msg, &ext, sizeof(ext));
}

static void add_fragment(union msg *msg, u16 offset, u16 total)
{
	struct prp_ext_fragment ext = {
		.type = PRP_EXT_FRAGMENT,
		.units = 1,
		.offset = cpu_to_be16(offset),
		.total = cpu_to_be16(total),
	};

	msg_add(msg, &ext, sizeof(ext));
}

static void add_checksum(union msg *msg)
{
	struct prp_ext_checksum ext = { .type = PRP_EXT_CHECKSUM, .units = 1 };

	msg_add(msg, &ext, sizeof(ext));
}

static void add_ip(union msg *msg)
{
	struct prp_ext_ip ext = { .type = PRP_EXT_IP, .units = 5 };

	msg_add(msg, &ext, sizeof(ext));
}

static int fragment_verdict(u16 len, u16 offset, u16 total)
{
	union msg msg = msg_of(PRP_F_SEG, len);

	add_fragment(&msg, offset, total);
	return verdict(&msg);
}

UNIT(parse_fragment__lies_within_its_segment)
{
	expect_eq(fragment_verdict(100, 0, 101), 0);
	expect_eq(fragment_verdict(100, 900, 1000), 0);
	expect_eq(fragment_verdict(100, 901, 1000), PRP_DROP_EXTENSION);
	expect_eq(fragment_verdict(100, 65535, 1000), PRP_DROP_EXTENSION);
	expect_eq(fragment_verdict(100, 0, 100), PRP_DROP_EXTENSION);
	expect_eq(fragment_verdict(100, 0, 99), PRP_DROP_EXTENSION);
	expect_eq(fragment_verdict(0, 0, 100), PRP_DROP_EXTENSION);
	expect_eq(fragment_verdict(1, 65534, 65535), 0);
}

UNIT(parse_checksum__only_as_the_first)
{
	union msg msg = msg_of(PRP_F_SEG, 1);

	add_checksum(&msg);
	add_sack(&msg, 1, 1);
	expect_eq(verdict(&msg), 0);
	msg = msg_of(PRP_F_SEG, 1);
	add_sack(&msg, 1, 1);
	add_checksum(&msg);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	msg = msg_of(PRP_F_SEG, 1);
	add_checksum(&msg);
	add_checksum(&msg);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

static int error_verdict(u8 code, u16 mtu)
{
	struct prp_ext_error ext = {
		.type = PRP_EXT_ERROR,
		.units = 2,
		.code = code,
		.mtu = cpu_to_be16(mtu),
	};
	union msg msg = msg_of(PRP_F_ERROR, 0);

	msg.hdr.tag = 0;
	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

UNIT(parse_error__only_too_big_has_a_size)
{
	expect_eq(error_verdict(PRP_ERROR_TOO_BIG, 1500), 0);
	expect_eq(error_verdict(PRP_ERROR_TOO_BIG, 0), PRP_DROP_EXTENSION);
	expect_eq(error_verdict(PRP_ERROR_NO_ROUTE, 0), 0);
	expect_eq(error_verdict(PRP_ERROR_NO_ROUTE, 9), PRP_DROP_EXTENSION);
	expect_eq(error_verdict(PRP_ERROR_HOPS, 0), 0);
	expect_eq(error_verdict(0, 0), PRP_DROP_EXTENSION);
	expect_eq(error_verdict(PRP_ERROR_CODES, 0), PRP_DROP_EXTENSION);
}

/* ------------------------------------------------------------ messages */

static struct prp_ext_messages messages_of(u16 first_end)
{
	return (struct prp_ext_messages){
		.type = PRP_EXT_MESSAGES,
		.units = 1,
		.first_end = cpu_to_be16(first_end),
	};
}

static void add_messages(union msg *msg)
{
	struct prp_ext_messages ext = messages_of(1);

	msg_add(msg, &ext, sizeof(ext));
}

static int messages_verdict(struct prp_ext_messages ext)
{
	union msg msg = msg_of(PRP_F_SEG, 100);

	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

UNIT(parse_messages__read)
{
	union msg msg = msg_of(PRP_F_SEG | PRP_F_EOM, 100);
	struct prp_frame frame;

	add_messages(&msg);
	expect_eq(parse(&msg, sizeof(msg), &frame), 0);
	expect_eq(be16_to_cpu(frame.messages->first_end), 1);
}

/* Where it must end is judged with the payload. */
UNIT(parse_messages__any_end)
{
	expect_eq(messages_verdict(messages_of(0)), 0);
	expect_eq(messages_verdict(messages_of(0xffff)), 0);
}

UNIT(parse_messages__reserved)
{
	struct prp_ext_messages ext = messages_of(1);

	ext.zero = cpu_to_be32(1);
	expect_eq(messages_verdict(ext), PRP_DROP_EXTENSION);
}

UNIT(parse_messages__twice)
{
	union msg msg = msg_of(PRP_F_SEG, 100);

	add_messages(&msg);
	add_messages(&msg);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

UNIT(parse_messages__longer)
{
	struct {
		struct prp_ext_messages ext;
		u64 more;
	} two = { .ext = messages_of(1) };
	union msg msg = msg_of(PRP_F_SEG, 100);

	two.ext.units = 2;
	msg_add(&msg, &two, sizeof(two));
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

UNIT(message_len__any)
{
	u8 at[PRP_MESSAGE_LEN];
	u32 len;

	for (len = 0; len <= 0xffff; len++) {
		prp_wire_put_len(at, len);
		expect_eq(prp_wire_get_len(at), len);
	}
	expect_eq(at[0], 0xff);
	prp_wire_put_len(at, 0x1234);
	expect_eq(at[0], 0x12);
}

/* --------------------------------------------------------------- flags */

/* Which extensions a frame has */
#define HAS_REQUEST 1
#define HAS_ANSWER 2
#define HAS_SACK 4
#define HAS_QUOTE 8
#define HAS_ERROR 16
#define HAS_FRAGMENT 32
#define HAS_IP 64
#define HAS_MESSAGES 128

/* The rules once more, each as a sentence that must be true. */
static bool flags_are_good(u16 flags, u16 len, u32 tag, unsigned int has)
{
	bool seg = flags & PRP_F_SEG, req = flags & PRP_F_REQ;
	bool ans = flags & PRP_F_ANS, rst = flags & PRP_F_RST;
	bool end = flags & PRP_F_END, eom = flags & PRP_F_EOM;
	bool request = has & HAS_REQUEST, answer = has & HAS_ANSWER;
	bool quote = has & HAS_QUOTE, sack = has & HAS_SACK;
	bool err = flags & PRP_F_ERROR, error = has & HAS_ERROR;
	bool fragment = has & HAS_FRAGMENT, ip = has & HAS_IP;
	bool messages = has & HAS_MESSAGES;

	return seg + req + ans + rst + err <= 1 && request == req &&
	       answer == ans && quote == rst && error == err &&
	       (seg || !(end || eom || len || fragment || messages)) &&
	       (!seg || end || eom || len) && (req || !ip) &&
	       (!req || !(sack || tag)) &&
	       (!err ||
		!(sack || tag || flags & (PRP_F_ACKNOW | PRP_F_OVERRUN)));
}

static void add_all(union msg *msg, unsigned int has)
{
	if (has & HAS_REQUEST)
		add_open(msg, PRP_EXT_REQUEST);
	if (has & HAS_ANSWER)
		add_open(msg, PRP_EXT_ANSWER);
	if (has & HAS_SACK)
		add_sack(msg, 1, 1);
	if (has & HAS_QUOTE)
		add_quote(msg);
	if (has & HAS_ERROR)
		add_error(msg);
	if (has & HAS_FRAGMENT)
		add_fragment(msg, 0, 2);
	if (has & HAS_IP)
		add_ip(msg);
	if (has & HAS_MESSAGES)
		add_messages(msg);
}

/* Every flag with every set of extensions, with and without a payload. */
UNIT(check_flags__every_combination)
{
	unsigned int flags, has, more, good = 0;

	for (flags = 0; flags < 0x1000; flags++) {
		for (has = 0; has < 256; has++) {
			if ((has & 3) == 3 || __builtin_popcount(has) > 3)
				continue;
			for (more = 0; more < 4; more++) {
				u16 len = more & 1 || has & HAS_FRAGMENT;
				union msg msg = msg_of(flags, len);
				bool ok;

				msg.hdr.tag = cpu_to_be32(more & 2);
				add_all(&msg, has);
				ok = flags_are_good(flags, len, more & 2, has);
				expect_eq(verdict(&msg),
					  ok ? 0 : PRP_DROP_FLAGS);
				good += ok;
			}
		}
	}
	expect_true(good > 0);
}

/* -------------------------------------------------------------- chance */

/*
 * What a frame that was accepted promises to whoever reads it:
 * - header and extensions, whole units, and the payload lie in the frame;
 * - it is of one kind at most;
 * - only a numbered frame has payload, end or end of message;
 * - a request or answer has its extension, with tag and size, no other has;
 * - a reset has a quotation with a known code, no other has;
 * - an error has what it is about, with a known code, no other has;
 * - only a numbered frame is a fragment, and lies within its segment;
 * - only a request has IP addresses;
 * - pointers point into the extensions, with room for what they point at;
 * - a SACK has no more words than a window, and is as long when written again.
 */
static void expect_inside(const void *at, size_t len, const void *hdr,
			  size_t hdr_len)
{
	const u8 *from = (const u8 *)hdr + HDR, *to = (const u8 *)hdr + hdr_len;
	const u8 *ext = at;

	expect_true(ext >= from && ext + len <= to);
}

static void expect_good_extensions(const struct prp_frame *frame,
				   const struct prp_hdr *hdr)
{
	const struct prp_ext_quote *quote = frame->quote;
	const struct prp_ext_open *open = frame->open;

	if (open) {
		expect_inside(open, sizeof(*open), hdr, frame->hdr_len);
		expect_eq(open->type, frame->flags & PRP_F_REQ ?
					      PRP_EXT_REQUEST :
					      PRP_EXT_ANSWER);
		expect_true(open->tag && open->seg_size);
		expect_true(!open->zero && !open->zero2);
	}
	if (quote) {
		expect_inside(quote, sizeof(*quote), hdr, frame->hdr_len);
		expect_true(quote->code < PRP_RESET_CODES);
		expect_true(!quote->zero && !quote->zero2);
	}
	if (frame->error) {
		expect_inside(frame->error, sizeof(*frame->error), hdr,
			      frame->hdr_len);
		expect_true(frame->error->code &&
			    frame->error->code < PRP_ERROR_CODES);
	}
	if (frame->fragment) {
		expect_inside(frame->fragment, sizeof(*frame->fragment), hdr,
			      frame->hdr_len);
		expect_true(be16_to_cpu(frame->fragment->offset) + frame->len <=
			    be16_to_cpu(frame->fragment->total));
		expect_true(frame->len < be16_to_cpu(frame->fragment->total));
	}
	if (frame->checksum)
		expect_true((const u8 *)frame->checksum ==
			    (const u8 *)hdr + HDR);
	if (frame->ip)
		expect_inside(frame->ip, sizeof(*frame->ip), hdr,
			      frame->hdr_len);
	if (frame->messages)
		expect_inside(frame->messages, sizeof(*frame->messages), hdr,
			      frame->hdr_len);
	if (frame->sack) {
		size_t len = frame->sack->units * PRP_EXT_UNIT;
		struct prp_sack sack;
		u8 ext[PRP_EXT_MAX];

		expect_inside(frame->sack, len, hdr, frame->hdr_len);
		prp_wire_get_sack(frame->sack, &sack);
		expect_true(sack.words <= PRP_WIN_WORDS);
		expect_eq(prp_wire_put_sack(ext, &sack), len);
	}
}

static void expect_good_frame(const struct prp_frame *frame,
			      const struct prp_hdr *hdr, size_t frame_len)
{
	u16 flags = frame->flags, kind;

	kind = flags &
	       (PRP_F_SEG | PRP_F_REQ | PRP_F_ANS | PRP_F_RST | PRP_F_ERROR);
	expect_eq(hdr->version, PRP_VERSION);
	expect_true(frame->hdr_len >= HDR && frame->hdr_len <= FRAME);
	expect_eq(frame->hdr_len % PRP_EXT_UNIT, 0);
	expect_true(frame->hdr_len + frame->len <= frame_len);
	expect_true(!(kind & (kind - 1)));
	expect_true(!(flags & PRP_F_RAIL));
	expect_true(frame->rail < PRP_WIN_RAILS);
	if (kind == PRP_F_SEG)
		expect_true(frame->len || flags & (PRP_F_END | PRP_F_EOM));
	else
		expect_true(!frame->len && !(flags & (PRP_F_END | PRP_F_EOM)));
	if (kind == PRP_F_REQ)
		expect_true(!frame->tag && !frame->sack);
	expect_eq(!!frame->open, kind == PRP_F_REQ || kind == PRP_F_ANS);
	expect_eq(!!frame->quote, kind == PRP_F_RST);
	expect_eq(!!frame->error, kind == PRP_F_ERROR);
	expect_true(!frame->ip || kind == PRP_F_REQ);
	expect_true(!frame->fragment || kind == PRP_F_SEG);
	expect_true(!frame->messages || kind == PRP_F_SEG);
	expect_good_extensions(frame, hdr);
}

#define GOOD 10

static void make_good(union msg *good)
{
	good[0] = msg_of(0, 0);
	add_sack(&good[0], 8, 8);
	good[1] = msg_of(PRP_F_SEG | PRP_F_ACKNOW, 100);
	good[2] = msg_of(PRP_F_SEG | PRP_F_END, 0);
	add_sack(&good[2], 3, 2);
	good[3] = msg_of(PRP_F_REQ, 0);
	add_open(&good[3], PRP_EXT_REQUEST);
	good[4] = msg_of(PRP_F_ANS, 0);
	add_sack(&good[4], 1, 1);
	add_open(&good[4], PRP_EXT_ANSWER);
	good[5] = msg_of(PRP_F_RST, 0);
	add_quote(&good[5]);
	good[6] = msg_of(PRP_F_SEG, 100);
	add_checksum(&good[6]);
	add_fragment(&good[6], 8, 108);
	good[7] = msg_of(PRP_F_ERROR, 0);
	good[7].hdr.tag = 0;
	add_error(&good[7]);
	good[8] = msg_of(PRP_F_REQ, 0);
	good[8].hdr.tag = 0;
	add_open(&good[8], PRP_EXT_REQUEST);
	add_ip(&good[8]);
	good[9] = msg_of(PRP_F_SEG | PRP_F_EOM, 100);
	add_messages(&good[9]);
	add_sack(&good[9], 2, 1);
}

/* Up to four bytes changed, most often where the lengths and types are. */
static void mutate(u8 *bytes, u64 dice)
{
	unsigned int times = dice >> 8 & 3;

	if (!(dice >> 10 & 63)) {
		unsigned int i;

		for (i = HDR; i < FRAME; i++)
			bytes[i] = unit_random() & 7;
	}
	for (; times; times--) {
		u64 more = unit_random();
		unsigned int at = more % FRAME;
		u8 value = more >> 16;

		if (more >> 32 & 1)
			at = HDR + more % 5;
		else if (more >> 33 & 1)
			at = 18 + more % 4;
		bytes[at] = more >> 34 & 1 ? value & 15 :
			    more >> 35 & 1 ? bytes[at] ^ 1 << value % 8 :
					     value;
	}
}

UNIT(prp_wire_parse__two_million_by_chance)
{
	u8 *room = malloc(FRAME);
	unsigned int i, accepted[GOOD] = { 0 };
	unsigned int refused[PRP_MIB_COUNT] = { 0 };
	union msg good[GOOD];

	make_good(good);
	for (i = 0; i < 2000000; i++) {
		u64 dice = unit_random();
		union msg msg = good[dice % GOOD];
		size_t frame_len = dice >> 32 & 0xff, hdr_len;
		struct prp_frame frame = {};
		struct prp_hdr *hdr = NULL;
		int reason;

		mutate(msg.bytes, dice);
		reason = prp_wire_lengths(&msg.hdr, frame_len, &hdr_len);
		if (!reason) {
			/* up against the end of the allocation */
			hdr = (void *)(room + FRAME - hdr_len);
			memcpy(hdr, &msg, hdr_len);
			reason = prp_wire_parse(hdr, hdr_len, &frame);
		}
		refused[reason]++;
		if (reason)
			continue;
		expect_good_frame(&frame, hdr, frame_len);
		accepted[dice % GOOD]++;
	}
	for (i = 0; i < GOOD; i++)
		expect_true(accepted[i] > 1000);
	expect_true(refused[PRP_DROP_SHORT] > 1000);
	expect_true(refused[PRP_DROP_VERSION] > 1000);
	expect_true(refused[PRP_DROP_EXTENSION] > 1000);
	expect_true(refused[PRP_DROP_FLAGS] > 1000);
	expect_eq(refused[0] + refused[PRP_DROP_SHORT] +
			  refused[PRP_DROP_VERSION] +
			  refused[PRP_DROP_EXTENSION] + refused[PRP_DROP_FLAGS],
		  2000000);
	free(room);
}
