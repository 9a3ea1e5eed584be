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

#include "pure/wire.h"
#include "see/mib.h"
#include "unit.h"

#define HDR sizeof(struct prp_hdr)
#define EXT_LONGEST (24 * PRP_EXT_UNIT) /* of a good frame: see longest_of() */
#define FRAME (HDR + EXT_LONGEST)

/* A frame without its payload, which nobody looks at. */
union msg {
	struct prp_hdr hdr;
	u8 bytes[FRAME];
	u64 align;
};

static size_t msg_len(const union msg *msg)
{
	return HDR + msg->hdr.ext * PRP_EXT_UNIT;
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
				  .flags = cpu_to_be16(flags),
				  .txno = cpu_to_be32(0xa1a2a3a4),
				  .window = cpu_to_be16(0x0123),
				  .marks = 0x13,
			  } };

	if (flags != PRP_F_REQ)
		msg.hdr.tag = cpu_to_be32(0xb1b2b3b4);
	return msg;
}

static void msg_add(union msg *msg, const void *ext, size_t len)
{
	size_t at = msg_len(msg);

	expect_true(at + len <= FRAME);
	memcpy(msg->bytes + at, ext, len);
	msg->hdr.ext += len / PRP_EXT_UNIT;
}

static struct prp_ext_open open_of(u8 type)
{
	return (struct prp_ext_open){
		.type = type,
		.units = 3,
		.sock_type = 1,
		.seg_size = cpu_to_be16(1400),
		.tag = cpu_to_be32(0xc1c2c3c4),
		.can = cpu_to_be16(0xd1d2),
		.must = cpu_to_be16(0x5152),
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
		.features = cpu_to_be16(code == PRP_RESET_FEATURES ? 6 : 0),
	};
}

static struct prp_ext_crowd crowd_of(void)
{
	return (struct prp_ext_crowd){ .type = PRP_EXT_CROWD,
				       .units = 1,
				       .among = cpu_to_be16(2),
				       .active = cpu_to_be16(1) };
}

static void add_crowd(union msg *msg)
{
	struct prp_ext_crowd ext = crowd_of();

	msg_add(msg, &ext, sizeof(ext));
}

static void add_rails(union msg *msg)
{
	struct prp_ext_rails ext = { .type = PRP_EXT_RAILS,
				     .units = 1,
				     .left = 0xff };

	ext.left &= ~(1 << (be16_to_cpu(msg->hdr.flags) >> PRP_F_RAIL_SHIFT));
	msg_add(msg, &ext, sizeof(ext));
}

static struct prp_ext_query query_of(void)
{
	return (struct prp_ext_query){ .type = PRP_EXT_QUERY,
				       .units = 4,
				       .sock_type = PRP_TYPE_STREAM,
				       .cookie = cpu_to_be32(0xc1c2c3c4),
				       .low = cpu_to_be16(1),
				       .high = cpu_to_be16(0xfffe) };
}

static struct prp_ext_reply reply_of(void)
{
	return (struct prp_ext_reply){ .type = PRP_EXT_REPLY,
				       .units = 4,
				       .port = PRP_REPLY_PORTS - 1,
				       .knows = PRP_REPLY_KNOWS,
				       .rails = 0x81,
				       .up = 0x80 };
}

static void add_query(union msg *msg)
{
	struct prp_ext_query ext = query_of();

	msg->hdr.sport = 0;
	msg_add(msg, &ext, sizeof(ext));
}

static void add_reply(union msg *msg)
{
	struct prp_ext_reply ext = reply_of();

	msg->hdr.dport = 0;
	msg_add(msg, &ext, sizeof(ext));
}

/* An empty one, as a request has it, or one with everything. */
static struct prp_ext_cookie cookie_of(bool empty)
{
	struct prp_ext_cookie ext = { .type = PRP_EXT_COOKIE, .units = 2 };

	if (!empty) {
		ext.slot = 0x91;
		ext.first = cpu_to_be32(0x92939495);
		ext.mac = cpu_to_be64(0x0102030405060708);
	}
	return ext;
}

static void add_cookie(union msg *msg, bool empty)
{
	struct prp_ext_cookie ext = cookie_of(empty);

	msg_add(msg, &ext, sizeof(ext));
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

	for (units = 0; units < 256; units++) {
		union msg msg = msg_of(0xffff, 0);
		size_t hdr_len;

		msg.hdr.ext = units;
		expect_eq(prp_wire_lengths(&msg.hdr, HDR + 2040, &hdr_len), 0);
		expect_eq(hdr_len, HDR + 8 * units);
	}
}

/* Every extension length with every length of the frame. */
UNIT(prp_wire_lengths__every_truncation)
{
	unsigned int units;
	size_t len, hdr_len;

	for (units = 0; units < 256; units++) {
		union msg msg = msg_of(0, 0);

		msg.hdr.ext = units;
		for (len = 0; len <= HDR + 2048; len++)
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

UNIT(prp_wire_frame_len__all_that_is_counted)
{
	union msg msg = msg_of(0xffff, 0xffff);

	msg.hdr.ext = 0xff;
	expect_eq(prp_wire_frame_len(&msg.hdr), HDR + 2040 + 0xffff);
	msg.hdr.ext = 0;
	msg.hdr.len = 0;
	expect_eq(prp_wire_frame_len(&msg.hdr), HDR);
}

/* -------------------------------------------------------------- header */

/* Where each field is, byte for byte. */
UNIT(prp_hdr__bytes)
{
	static const u8 expected[] = {
		0x02, 0x11, 0x21, 0x22, 0x31, 0x32, 0x41, 0x42, 0x51,
		0x52, 0x61, 0x62, 0x71, 0x72, 0x73, 0x74, 0x81, 0x82,
		0x83, 0x84, 0x00, 0x09, 0xa0, 0x21, 0xa1, 0xa2, 0xa3,
		0xa4, 0x01, 0x23, 0x04, 0x13, 0xb1, 0xb2, 0xb3, 0xb4,
	};
	union msg msg = msg_of(PRP_F_SEG | PRP_F_EOM | 0xa000, 9);

	msg.hdr.ext = 4;
	expect_eq(HDR, sizeof(expected));
	expect_eq(memcmp(&msg, expected, sizeof(expected)), 0);
}

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
	expect_eq(frame.txno, 0xa1a2a3a4);
	expect_true(!frame.marked);
	expect_eq(frame.tag, 0xb1b2b3b4);
	expect_eq(frame.hdr_len, HDR);
}

/* The mark is one bit, and the hops below it are nobody's business here. */
UNIT(prp_wire_parse__mark_and_hops)
{
	static const u16 flags[] = { PRP_F_SEG, PRP_F_SEG | PRP_F_EOM };
	unsigned int hops, i;

	for (hops = 0; hops < 256; hops++) {
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			union msg msg = msg_of(flags[i], 9);
			struct prp_frame frame = {};

			msg.hdr.hops = hops;
			expect_eq(parse(&msg, HDR + 9, &frame), 0);
			expect_eq(frame.marked, hops >= 128);
		}
	}
}

UNIT(prp_wire_parse__any_count_of_marks)
{
	union msg msg = msg_of(0, 0);
	unsigned int marks;

	for (marks = 0; marks < 256; marks++) {
		msg.hdr.marks = marks;
		expect_eq(verdict(&msg), 0);
	}
}

/* On every kind, also where the shortest way through the parser is. */
UNIT(check_flags__unused_bits)
{
	static const u16 kinds[] = { 0, PRP_F_SEG, PRP_F_SEG | PRP_F_END };
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (bit = 0; bit < 16; bit++) {
			u16 flag = PRP_F_ZERO & 1 << bit;
			union msg msg = msg_of(kinds[i] | flag, 0);

			msg.hdr.len = cpu_to_be16(kinds[i] & PRP_F_SEG ? 9 : 0);
			expect_eq(verdict(&msg), flag ? PRP_DROP_FLAGS : 0);
		}
	}
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

/* Also where nothing else was read yet. */
UNIT(prp_wire_rail__beside_all_flags)
{
	unsigned int rail;

	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		u16 flags = rail << PRP_F_RAIL_SHIFT;
		union msg none = msg_of(flags, 0);
		union msg all = msg_of(flags | (u16)~PRP_F_RAIL, 0);

		expect_eq(prp_wire_rail(&none.hdr), rail);
		expect_eq(prp_wire_rail(&all.hdr), rail);
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

	sack.offset = unit_random();
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
	expect_eq(got->offset, sack->offset);
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
		3,    3,    0x82, 1,	0x9a, 0xbc, 0,	  0,
		0x12, 0x34, 0x56, 0x78, 0xf9, 0xe8, 0xd7, 0xc6,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	};
	struct prp_sack sack = {
		.rails = 0x82,
		.words = 1,
		.offset = 0x9abc,
		.map = { 0x0102030405060708 },
	};
	u8 ext[PRP_EXT_MAX];

	memset(ext, 0x77, sizeof(ext));
	sack.newest[1] = 0x12345678;
	sack.newest[7] = 0xf9e8d7c6;
	expect_eq(prp_wire_put_sack(ext, &sack), sizeof(expected));
	expect_eq(memcmp(ext, expected, sizeof(expected)), 0);
}

UNIT(prp_wire_put_sack__pads_with_zeroes)
{
	unsigned int rails, i;

	for (rails = 0; rails <= PRP_WIN_RAILS; rails++) {
		size_t used = 8 + 4 * rails, head = (used + 7) / 8 * 8;
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

/* The same bytes are read as the same. */
UNIT(prp_wire_get_sack__bytes)
{
	static const u8 ext[] = {
		3, 3, 0x10, 1, 0xff, 0xfe, 0, 0, 0x81, 0x02, 0x03, 0x04,
		0, 0, 0,    0, 0x80, 0,	   0, 0, 0,    0,    0,	   0x05,
	};
	union msg msg = msg_of(0, 0);
	struct prp_frame frame = {};
	struct prp_sack sack;

	msg_add(&msg, ext, sizeof(ext));
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	prp_wire_get_sack(frame.sack, &sack);
	expect_eq(sack.rails, 0x10);
	expect_eq(sack.words, 1);
	expect_eq(sack.offset, 0xfffe);
	expect_eq(sack.newest[4], 0x81020304);
	expect_true(sack.map[0] == 0x8000000000000005);
}

/* As many words as have room, and one more has none. */
UNIT(prp_wire_sack_words__every_room)
{
	unsigned int rails, room;

	for (rails = 0; rails < 256; rails++) {
		for (room = 0; room <= PRP_EXT_MAX; room++) {
			int words = prp_wire_sack_words(rails, room);
			struct prp_sack sack = { .rails = rails };

			if (words < 0) {
				expect_true(prp_wire_sack_len(&sack) > room);
				continue;
			}
			sack.words = words;
			expect_true(prp_wire_sack_len(&sack) <= room);
			expect_true(words <= PRP_WIN_WORDS);
			sack.words++;
			expect_true(words == PRP_WIN_WORDS ||
				    prp_wire_sack_len(&sack) > room);
		}
	}
}

/* The same in numbers, by the number of rails. */
UNIT(prp_wire_sack_words__heads)
{
	static const unsigned int heads[] = {
		8, 16, 16, 24, 24, 32, 32, 40, 40
	};
	unsigned int rails, room;

	for (rails = 0; rails <= PRP_WIN_RAILS; rails++) {
		u8 set = (1 << rails) - 1;

		for (room = 0; room < heads[rails]; room++)
			expect_true(prp_wire_sack_words(set, room) < 0);
		for (; room < heads[rails] + 64; room++)
			expect_eq(prp_wire_sack_words(set, room),
				  (room - heads[rails]) / 8);
		for (; room <= PRP_EXT_MAX; room++)
			expect_eq(prp_wire_sack_words(set, room), 8);
		expect_eq(prp_wire_sack_words(set, 0xffff), 8);
	}
}

/* A whole one has room in what we write. */
UNIT(prp_wire_sack_words__whole_window_on_all_rails)
{
	expect_eq(prp_wire_sack_words(0xff, PRP_EXT_MAX), PRP_WIN_WORDS);
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
		expect_eq(verdict(&good[i]), 0);
		for (units = 1; units < good[i].hdr.ext; units++) {
			union msg msg = good[i];

			msg.hdr.ext = units;
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
		for (units = 1; units <= EXT_LONGEST / 8; units++) {
			union msg msg = good[i];

			msg.bytes[HDR + 1] = units;
			msg.hdr.ext = units;
			expect_eq(verdict(&msg), units == good[i].hdr.ext ?
							 0 :
							 PRP_DROP_EXTENSION);
		}
	}
}

/* All that one frame can have is longer than what we write ourselves. */
static union msg longest_of(void)
{
	union msg msg = msg_of(PRP_F_CON, 0);
	struct prp_ext_checksum checksum = { PRP_EXT_CHECKSUM, 1, 0, 0 };
	struct prp_ext_ip ip = { .type = PRP_EXT_IP, .units = 5 };

	msg_add(&msg, &checksum, sizeof(checksum));
	add_sack(&msg, PRP_WIN_RAILS, PRP_WIN_WORDS);
	add_open(&msg, PRP_EXT_REQUEST);
	add_cookie(&msg, false);
	msg_add(&msg, &ip, sizeof(ip));
	return msg;
}

UNIT(parse_extensions__longer_than_what_we_write)
{
	union msg msg = longest_of();
	struct prp_frame frame = {};

	expect_true(EXT_LONGEST > PRP_EXT_MAX);
	expect_eq(msg_len(&msg), FRAME);
	expect_eq(parse(&msg, FRAME, &frame), 0);
	expect_eq(frame.hdr_len, FRAME);
	expect_true(frame.checksum && frame.sack && frame.open);
	expect_true(frame.cookie && frame.ip);
	expect_eq(frame.ip->units, 5);
}

/* Up to 255 units are read: what is behind the good ones is judged, too. */
UNIT(parse_extensions__up_to_255_units)
{
	unsigned int units;

	for (units = 1; units < 256; units++) {
		size_t len = HDR + 8 * units;
		struct prp_hdr *hdr = calloc(1, len);
		union msg msg = msg_of(0, 0);
		u8 *ext = (u8 *)(hdr + 1);
		struct prp_frame frame;

		memcpy(hdr, &msg, HDR);
		hdr->ext = units;
		ext[0] = PRP_EXT_SACK;
		ext[1] = units;
		ext[3] = units - 1;
		expect_eq(prp_wire_parse(hdr, len, &frame),
			  units <= 9 ? 0 : PRP_DROP_EXTENSION);
		ext[1] = 1;
		ext[3] = 0;
		expect_eq(prp_wire_parse(hdr, len, &frame),
			  units == 1 ? 0 : PRP_DROP_EXTENSION);
		free(hdr);
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
	ext.can = 0xffff;
	ext.must = 0xffff;
	ext.table_hash = 0;
	ext.first = 0;
	expect_eq(open_verdict(ext), 0);
}

/* A must is known: each bit of it by itself, with all others known. */
UNIT(parse_open__must_of_what_it_can)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);

		ext.can = cpu_to_be16(1 << i);
		ext.must = ext.can;
		expect_eq(open_verdict(ext), 0);
		ext.must = 0;
		expect_eq(open_verdict(ext), 0);
		ext.can = ~cpu_to_be16(1 << i);
		ext.must = cpu_to_be16(1 << i);
		expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
		ext.must = 0xffff;
		expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
	}
}

UNIT(parse_open__must_on_every_kind)
{
	struct prp_ext_open ext = open_of(PRP_EXT_ANSWER);
	union msg msg = msg_of(PRP_F_ANS, 0);

	ext.can = 0;
	msg_add(&msg, &ext, sizeof(ext));
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	ext.type = PRP_EXT_REQUEST;
	msg = msg_of(PRP_F_CON, 0);
	add_cookie(&msg, false);
	msg_add(&msg, &ext, sizeof(ext));
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

UNIT(parse_open__smallest_segment_size)
{
	struct prp_ext_open ext = open_of(PRP_EXT_REQUEST);

	ext.seg_size = cpu_to_be16(PRP_SEG_SIZE_MIN);
	expect_eq(open_verdict(ext), 0);
	ext.seg_size = cpu_to_be16(PRP_SEG_SIZE_MIN - 1);
	expect_eq(open_verdict(ext), PRP_DROP_EXTENSION);
	expect_eq(PRP_MTU_MIN - HDR, PRP_SEG_SIZE_MIN);
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

	for (i = 0; i < 16; i++) {
		struct prp_ext_quote ext = quote_of(0);

		ext.zero2 = 1u << i;
		expect_eq(quote_verdict(ext), PRP_DROP_EXTENSION);
	}
}

/* Features are named if, and only if, the reset is about them. */
UNIT(parse_quote__features)
{
	unsigned int code, i;

	for (code = 0; code < PRP_RESET_CODES; code++) {
		struct prp_ext_quote ext = quote_of(code);
		bool about = code == PRP_RESET_FEATURES;

		ext.features = 0;
		expect_eq(quote_verdict(ext), about ? PRP_DROP_EXTENSION : 0);
		for (i = 0; i < 16; i++) {
			ext.features = cpu_to_be16(1 << i);
			expect_eq(quote_verdict(ext),
				  about ? 0 : PRP_DROP_EXTENSION);
		}
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
	msg.hdr.ext = 9;
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
			memset(msg.bytes + HDR + 4, 0, 44);
			msg.bytes[HDR + 2] = rails;
			msg.bytes[HDR + 3] = words;
			need = (8 + 4 * __builtin_popcount(rails) + 7) / 8 +
			       words;
			expect_eq(verdict(&msg),
				  need == 6 ? 0 : PRP_DROP_EXTENSION);
		}
	}
}

/* Wherever there is padding it is zero (struct prp_ext_sack). */
UNIT(parse_sack__padding)
{
	unsigned int rails, i;

	for (rails = 0; rails <= PRP_WIN_RAILS; rails++) {
		size_t used = 8 + 4 * rails, head = (used + 7) / 8 * 8;

		for (i = used; i < head; i++) {
			union msg msg = msg_of(0, 0);

			add_sack(&msg, rails, 1);
			msg.bytes[HDR + i] = 1;
			expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
		}
	}
}

UNIT(parse_sack__reserved_word)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		union msg msg = msg_of(0, 0);

		add_sack(&msg, 1, 1);
		msg.bytes[HDR + 6 + i / 8] = 1 << i % 8;
		expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	}
}

/* What it can be of is judged where the window is. */
UNIT(parse_sack__any_offset)
{
	union msg msg = msg_of(0, 0);

	add_sack(&msg, 1, 1);
	msg.bytes[HDR + 4] = 0xff;
	msg.bytes[HDR + 5] = 0xff;
	expect_eq(verdict(&msg), 0);
}

/* --------------------------------------------------------------- crowd */

static int crowd_verdict(u16 flags, struct prp_ext_crowd ext)
{
	union msg msg = msg_of(flags, 0);

	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

UNIT(parse_crowd__bytes)
{
	static const u8 expected[] = { 11, 1, 0xa1, 0xa2, 0xa3, 0xa4, 0, 0 };
	struct prp_ext_crowd ext = crowd_of();

	ext.among = cpu_to_be16(0xa1a2);
	ext.active = cpu_to_be16(0xa3a4);
	expect_eq(memcmp(&ext, expected, sizeof(expected)), 0);
	expect_eq(crowd_verdict(0, ext), 0);
}

/* An acknowledgment without one says so, though it is read in a hurry. */
UNIT(parse_crowd__none)
{
	struct prp_frame frame;
	union msg msg = msg_of(0, 0);

	expect_eq(parse(&msg, HDR, &frame), 0);
	expect_true(!frame.crowd && !frame.sack && !frame.checksum);
	msg = msg_of(PRP_F_OVERRUN, 0);
	expect_eq(parse(&msg, HDR, &frame), 0);
	expect_true(!frame.crowd && !frame.rails && !frame.open);
	/* what has bytes, or bits without a meaning, is none */
	msg = msg_of(0, 1);
	expect_eq(parse(&msg, HDR + 1, &frame), PRP_DROP_FLAGS);
	msg = msg_of(PRP_F_ZERO, 0);
	expect_eq(parse(&msg, HDR, &frame), PRP_DROP_FLAGS);
}

/* Who is told of it is one of it: two at least, and itself active. */
UNIT(parse_crowd__all)
{
	unsigned int i;

	for (i = 0; i <= 0xffff; i++) {
		struct prp_ext_crowd ext = crowd_of();

		ext.among = cpu_to_be16(i);
		expect_eq(crowd_verdict(0, ext),
			  i < 2 ? PRP_DROP_EXTENSION : 0);
		ext = crowd_of();
		ext.active = cpu_to_be16(i);
		expect_eq(crowd_verdict(0, ext), i ? 0 : PRP_DROP_EXTENSION);
	}
}

UNIT(parse_crowd__zeroes)
{
	struct prp_ext_crowd ext = crowd_of();

	ext.zero = cpu_to_be16(1);
	expect_eq(crowd_verdict(0, ext), PRP_DROP_EXTENSION);
	ext.zero = cpu_to_be16(0x100);
	expect_eq(crowd_verdict(0, ext), PRP_DROP_EXTENSION);
	expect_eq(crowd_verdict(PRP_F_ACKNOW, crowd_of()), PRP_DROP_FLAGS);
}

/* --------------------------------------------------------------- rails */

static int rails_verdict(u16 flags, struct prp_ext_rails ext)
{
	union msg msg = msg_of(flags, 0);

	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

/* Every set of rails on every rail: not none, and not the frame's own */
UNIT(parse_rails__all)
{
	unsigned int rail, left;

	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		for (left = 0; left < 256; left++) {
			u16 flags = PRP_F_ACKNOW | rail << PRP_F_RAIL_SHIFT;
			bool ok = left && !(left >> rail & 1);

			expect_eq(rails_verdict(flags,
						(struct prp_ext_rails){
							.type = PRP_EXT_RAILS,
							.units = 1,
							.left = left }),
				  ok ? 0 : PRP_DROP_EXTENSION);
		}
	}
}

UNIT(parse_rails__zeroes)
{
	struct prp_ext_rails ext = { .type = PRP_EXT_RAILS,
				     .units = 1,
				     .left = 2 };
	unsigned int i;

	for (i = 3; i < sizeof(ext); i++) {
		((u8 *)&ext)[i] = 1;
		expect_eq(rails_verdict(PRP_F_ACKNOW, ext), PRP_DROP_EXTENSION);
		((u8 *)&ext)[i] = 0;
	}
	expect_eq(rails_verdict(0, ext), PRP_DROP_FLAGS);
}

UNIT(check_flags__payload_of_a_probe)
{
	union msg msg = msg_of(PRP_F_ACKNOW, 1400);

	expect_eq(verdict(&msg), 0);
	msg = msg_of(0, 1);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	msg = msg_of(PRP_F_ACKNOW | PRP_F_ERROR, 1);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
}

/* -------------------------------------------------------------- cookie */

static int cookie_verdict(u16 flags, struct prp_ext_cookie ext)
{
	union msg msg = msg_of(flags, 0);

	add_open(&msg, flags == PRP_F_ANS ? PRP_EXT_ANSWER : PRP_EXT_REQUEST);
	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

UNIT(parse_cookie__bytes)
{
	static const u8 expected[] = {
		10, 2, 0x91, 0, 0x92, 0x93, 0x94, 0x95, 1, 2, 3, 4, 5, 6, 7, 8,
	};
	union msg msg = msg_of(PRP_F_ANS, 0);
	struct prp_frame frame = {};

	add_cookie(&msg, false);
	add_open(&msg, PRP_EXT_ANSWER);
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	expect_eq(memcmp(frame.cookie, expected, sizeof(expected)), 0);
}

UNIT(parse_cookie__none)
{
	union msg msg = msg_of(PRP_F_REQ, 0);
	struct prp_frame frame = {};

	add_open(&msg, PRP_EXT_REQUEST);
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	expect_true(!frame.cookie);
}

/* Each bit of it by itself: on a request it is only room for one. */
UNIT(parse_cookie__zeroes_on_a_request)
{
	unsigned int i;

	expect_eq(cookie_verdict(PRP_F_REQ, cookie_of(true)), 0);
	for (i = 0; i < 128; i++) {
		struct prp_ext_cookie ext = cookie_of(true);

		if (i / 8 == 0 || i / 8 == 1 || i / 8 == 3)
			continue;
		((u8 *)&ext)[i / 8] = 1 << i % 8;
		expect_eq(cookie_verdict(PRP_F_REQ, ext), PRP_DROP_EXTENSION);
		expect_eq(cookie_verdict(PRP_F_ANS, ext), 0);
		expect_eq(cookie_verdict(PRP_F_CON, ext), 0);
	}
}

/* Whether anybody made it is judged elsewhere. */
UNIT(parse_cookie__zeroes_on_others)
{
	expect_eq(cookie_verdict(PRP_F_ANS, cookie_of(true)), 0);
	expect_eq(cookie_verdict(PRP_F_CON, cookie_of(true)), 0);
}

UNIT(parse_cookie__reserved_byte)
{
	static const u16 kinds[] = { PRP_F_REQ, PRP_F_ANS, PRP_F_CON };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct prp_ext_cookie ext = cookie_of(kinds[i] == PRP_F_REQ);

		expect_eq(cookie_verdict(kinds[i], ext), 0);
		for (ext.zero = 1; ext.zero; ext.zero <<= 1)
			expect_eq(cookie_verdict(kinds[i], ext),
				  PRP_DROP_EXTENSION);
	}
}

UNIT(parse_cookie__twice)
{
	union msg msg = msg_of(PRP_F_CON, 0);

	add_open(&msg, PRP_EXT_REQUEST);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), 0);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
}

/* Also where nothing is readable behind the length that it says. */
UNIT(parse_cookie__wrong_length)
{
	static const u16 kinds[] = { PRP_F_REQ, PRP_F_ANS, PRP_F_CON };
	unsigned int i, units;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (units = 1; units <= 8; units++) {
			union msg msg = msg_of(kinds[i], 0);
			u8 ext[64] = { PRP_EXT_COOKIE, units };

			add_open(&msg, kinds[i] == PRP_F_ANS ? PRP_EXT_ANSWER :
							       PRP_EXT_REQUEST);
			msg_add(&msg, ext, 8 * units);
			expect_eq(verdict(&msg),
				  units == 2 ? 0 : PRP_DROP_EXTENSION);
		}
	}
}

/* On nothing but a handshake. */
UNIT(parse_cookie__other_kinds)
{
	union msg msg = msg_of(PRP_F_SEG, 9);

	add_cookie(&msg, true);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	msg = msg_of(0, 0);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	msg = msg_of(PRP_F_RST, 0);
	add_quote(&msg);
	expect_eq(verdict(&msg), 0);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
}

/* -------------------------------------------------------- confirmation */

UNIT(check_flags__confirmation)
{
	union msg msg = msg_of(PRP_F_CON | PRP_F_ACKNOW, 0);
	struct prp_frame frame = {};

	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	add_open(&msg, PRP_EXT_REQUEST);
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	expect_true(frame.cookie && !frame.ip && !frame.sack);
	expect_eq(frame.open->type, PRP_EXT_REQUEST);
	add_sack(&msg, 1, 1);
	expect_eq(parse(&msg, msg_len(&msg), &frame), 0);
	expect_true(frame.sack);
}

UNIT(check_flags__confirmation_without_a_cookie)
{
	union msg msg = msg_of(PRP_F_CON, 0);

	add_open(&msg, PRP_EXT_REQUEST);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
}

UNIT(check_flags__confirmation_with_an_answer)
{
	union msg msg = msg_of(PRP_F_CON, 0);

	add_open(&msg, PRP_EXT_ANSWER);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
}

UNIT(check_flags__confirmation_with_more)
{
	static const u16 more[] = { PRP_F_SEG, PRP_F_REQ,   PRP_F_ANS,
				    PRP_F_RST, PRP_F_ERROR, PRP_F_END,
				    PRP_F_EOM };
	union msg msg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		msg = msg_of(PRP_F_CON | more[i], 0);
		add_open(&msg, PRP_EXT_REQUEST);
		add_cookie(&msg, more[i] == PRP_F_REQ);
		expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	}
	msg = msg_of(PRP_F_CON, 1);
	add_open(&msg, PRP_EXT_REQUEST);
	add_cookie(&msg, false);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
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
#define HAS_COOKIE 256
#define HAS_RAILS 512
#define HAS_QUERY 1024
#define HAS_REPLY 2048
#define HAS_CROWD 4096
#define HAS_CHECKSUM 8192

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
	bool messages = has & HAS_MESSAGES, cookie = has & HAS_COOKIE;
	bool con = flags & PRP_F_CON, rails = has & HAS_RAILS;
	bool asks = flags & PRP_F_QUERY, query = has & HAS_QUERY;
	bool reply = has & HAS_REPLY, crowd = has & HAS_CROWD;
	bool ack = !(flags & PRP_F_KIND), probe = ack && flags & PRP_F_ACKNOW;

	return !(flags & PRP_F_ZERO) &&
	       seg + req + ans + rst + err + con + asks <= 1 &&
	       query + reply == asks && (!reply || !ip) &&
	       (!asks ||
		!(sack || tag || flags & (PRP_F_ACKNOW | PRP_F_OVERRUN))) &&
	       request == (req || con) && answer == ans && quote == rst &&
	       error == err && (!con || cookie) &&
	       (seg || !(end || eom || (len && !probe && !asks) || fragment ||
			 messages)) &&
	       (!rails || probe) && (!crowd || (ack && !probe)) &&
	       (!seg || end || eom || len) && (req || con || query || !ip) &&
	       (req || ans || con || !cookie) && (!req || !(sack || tag)) &&
	       (!err ||
		!(sack || tag || flags & (PRP_F_ACKNOW | PRP_F_OVERRUN)));
}

static void add_all(union msg *msg, unsigned int has)
{
	if (has & HAS_CHECKSUM)
		add_checksum(msg);
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
	if (has & HAS_RAILS)
		add_rails(msg);
	if (has & HAS_CROWD)
		add_crowd(msg);
	if (has & HAS_QUERY)
		add_query(msg);
	if (has & HAS_REPLY)
		add_reply(msg);
	if (has & HAS_COOKIE)
		add_cookie(msg, be16_to_cpu(msg->hdr.flags) & PRP_F_REQ);
}

/* Every flag with every set of extensions, with and without a payload. */
UNIT(check_flags__every_combination)
{
	unsigned int flags, has, more, good = 0;

	for (flags = 0; flags <= 0xffff; flags++) {
		/* few of what is never good, and of the rails */
		int most = flags & (PRP_F_ZERO | PRP_F_RAIL) ? 1 : 4;

		for (has = 0; has < 8192; has++) {
			if ((has & 3) == 3 || __builtin_popcount(has) > most)
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

/* ----------------------------------------- what holds for each extension */

#define BYTES(from, to) (~0u << (from) & ~0u >> (31 - (to)))

/* On a frame that may have it, behind what else that needs, and which of its
 * bytes are reserved.
 */
static const struct {
	unsigned int has;
	u16 flags;
	u16 len;
	unsigned int with;
	u32 zeroes;
} kinds[] = {
	{ HAS_REQUEST, PRP_F_REQ, 0, 0, BYTES(3, 3) | BYTES(6, 7) },
	{ HAS_ANSWER, PRP_F_ANS, 0, 0, BYTES(3, 3) | BYTES(6, 7) },
	{ HAS_SACK, 0, 0, 0, BYTES(6, 7) | BYTES(12, 15) },
	{ HAS_QUOTE, PRP_F_RST, 0, 0, BYTES(3, 3) | BYTES(14, 15) },
	{ HAS_ERROR, PRP_F_ERROR, 0, 0, BYTES(3, 3) },
	{ HAS_FRAGMENT, PRP_F_SEG, 1, 0, BYTES(6, 7) },
	{ HAS_CHECKSUM, PRP_F_SEG, 1, 0, BYTES(2, 3) },
	{ HAS_IP, PRP_F_REQ, 0, HAS_REQUEST, BYTES(2, 7) },
	{ HAS_MESSAGES, PRP_F_SEG, 1, 0, BYTES(4, 7) },
	{ HAS_COOKIE, PRP_F_ANS, 0, HAS_ANSWER, BYTES(3, 3) },
	{ HAS_CROWD, 0, 0, 0, BYTES(6, 7) },
	{ HAS_RAILS, PRP_F_ACKNOW, 0, 0, BYTES(3, 7) },
	{ HAS_QUERY, PRP_F_QUERY, 0, 0, BYTES(3, 3) | BYTES(14, 31) },
	{ HAS_REPLY, PRP_F_QUERY, 0, 0, BYTES(26, 31) },
};

/* It is put at the end. */
static union msg msg_with(unsigned int kind, size_t *at)
{
	union msg msg = msg_of(kinds[kind].flags, kinds[kind].len);

	if (msg.hdr.flags & cpu_to_be16(PRP_F_ERROR | PRP_F_QUERY))
		msg.hdr.tag = 0;
	add_all(&msg, kinds[kind].with);
	*at = msg_len(&msg);
	add_all(&msg, kinds[kind].has);
	expect_eq(verdict(&msg), 0);
	return msg;
}

UNIT(parse_extension__each_once)
{
	unsigned int kind;
	size_t at;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		union msg msg = msg_with(kind, &at);

		add_all(&msg, kinds[kind].has);
		expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
	}
}

UNIT(parse_extension__each_as_long_as_it_is)
{
	unsigned int kind, units;
	size_t at;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (units = 1; units <= 8; units++) {
			union msg msg = msg_with(kind, &at);
			bool good = units == msg.bytes[at + 1];

			msg.bytes[at + 1] = units;
			msg.hdr.ext = (at - HDR) / PRP_EXT_UNIT + units;
			expect_eq(verdict(&msg), good ? 0 : PRP_DROP_EXTENSION);
		}
	}
}

UNIT(parse_extension__each_reserved_bit)
{
	unsigned int kind, bit;
	size_t at;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (bit = 0; bit < 32 * 8; bit++) {
			union msg msg = msg_with(kind, &at);

			if (!(kinds[kind].zeroes >> bit / 8 & 1))
				continue;
			msg.bytes[at + bit / 8] ^= 1 << bit % 8;
			expect_eq(verdict(&msg), PRP_DROP_EXTENSION);
		}
	}
}

/* ------------------------------------------------------ query and reply */

static int query_verdict(struct prp_ext_query ext, u16 len)
{
	union msg msg = msg_of(PRP_F_QUERY, len);

	msg.hdr.tag = 0;
	msg.hdr.sport = 0;
	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

static int reply_verdict(struct prp_ext_reply ext)
{
	union msg msg = msg_of(PRP_F_QUERY, 0);

	msg.hdr.tag = 0;
	msg.hdr.dport = 0;
	msg_add(&msg, &ext, sizeof(ext));
	return verdict(&msg);
}

/* No more is asked back than came. */
UNIT(parse_query__back)
{
	struct prp_ext_query ext = query_of();
	u32 back, len;

	for (len = 0; len < 4; len++)
		for (back = 0; back < 6; back++) {
			ext.back = cpu_to_be16(back);
			expect_eq(query_verdict(ext, len),
				  back > len ? PRP_DROP_EXTENSION : 0);
		}
	ext.back = 0xffff;
	expect_eq(query_verdict(ext, 100), PRP_DROP_EXTENSION);
}

/* Nodes from none to none, or from one to another that is not before it */
UNIT(parse_query__nodes)
{
	static const u16 some[] = { 0, 1, 2, 0x100, 0xfffe, 0xffff };
	struct prp_ext_query ext = query_of();
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(some); i++)
		for (j = 0; j < ARRAY_SIZE(some); j++) {
			bool good = !some[i] ? !some[j] : some[j] >= some[i];

			ext.low = cpu_to_be16(some[i]);
			ext.high = cpu_to_be16(some[j]);
			expect_eq(query_verdict(ext, 0),
				  good ? 0 : PRP_DROP_EXTENSION);
		}
}

UNIT(parse_query__zeroes)
{
	struct prp_ext_query ext;
	unsigned int i;

	for (i = 0; i < sizeof(ext.room); i++) {
		ext = query_of();
		ext.room[i] = 1;
		expect_eq(query_verdict(ext, 0), PRP_DROP_EXTENSION);
	}
	ext = query_of();
	ext.zero = 1;
	expect_eq(query_verdict(ext, 0), PRP_DROP_EXTENSION);
	ext = query_of();
	ext.units = 3;
	expect_eq(query_verdict(ext, 0), PRP_DROP_EXTENSION);
	expect_eq(query_verdict(query_of(), 0), 0);
}

UNIT(parse_reply__values)
{
	struct prp_ext_reply ext;
	unsigned int i;

	expect_eq(reply_verdict(reply_of()), 0);
	for (i = 0; i < sizeof(ext.zero); i++) {
		ext = reply_of();
		ext.zero[i] = 1;
		expect_eq(reply_verdict(ext), PRP_DROP_EXTENSION);
	}
	for (i = 0; i < 256; i++) {
		ext = reply_of();
		ext.port = i;
		expect_eq(reply_verdict(ext),
			  i < PRP_REPLY_PORTS ? 0 : PRP_DROP_EXTENSION);
		ext = reply_of();
		ext.knows = i;
		expect_eq(reply_verdict(ext),
			  i & ~PRP_REPLY_KNOWS ? PRP_DROP_EXTENSION : 0);
		ext = reply_of();
		ext.up = i;
		expect_eq(reply_verdict(ext),
			  i & ~ext.rails ? PRP_DROP_EXTENSION : 0);
	}
}

/* A port of a connection would be looked for among connections. */
UNIT(check_query__ports)
{
	union msg msg = msg_of(PRP_F_QUERY, 0);

	msg.hdr.tag = 0;
	add_query(&msg);
	expect_eq(verdict(&msg), 0);
	msg.hdr.sport = cpu_to_be16(1);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
	msg = msg_of(PRP_F_QUERY, 0);
	msg.hdr.tag = 0;
	add_reply(&msg);
	expect_eq(verdict(&msg), 0);
	msg.hdr.dport = cpu_to_be16(1);
	expect_eq(verdict(&msg), PRP_DROP_FLAGS);
}

/* Nor is one opened at a port that only a query has. */
UNIT(check_ports__opens)
{
	static const struct {
		u16 flags;
		u8 type;
	} kinds[] = { { PRP_F_REQ, PRP_EXT_REQUEST },
		      { PRP_F_ANS, PRP_EXT_ANSWER },
		      { PRP_F_CON, PRP_EXT_REQUEST } };
	union msg msg, wrong;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		msg = msg_of(kinds[i].flags, 0);
		add_open(&msg, kinds[i].type);
		add_cookie(&msg, kinds[i].flags == PRP_F_REQ);
		expect_eq(verdict(&msg), 0);
		wrong = msg;
		wrong.hdr.sport = 0;
		expect_eq(verdict(&wrong), PRP_DROP_FLAGS);
		wrong = msg;
		wrong.hdr.dport = 0;
		expect_eq(verdict(&wrong), PRP_DROP_FLAGS);
	}
}

/* -------------------------------------------------------------- chance */

/*
 * What a frame that was accepted promises to whoever reads it:
 * - header and extensions, whole units, and the payload lie in the frame;
 * - it is of one kind at most;
 * - only a numbered frame has end or end of message, and only that or a probe
 *   has payload;
 * - no flag is set that is in no use;
 * - a request, answer or confirmation has its extension, with tag and size and
 *   musts that it can, no other has;
 * - only those have a cookie, a confirmation always, a request only zeroes;
 *   and their ports are not 0;
 * - a reset has a quotation with a known code, no other has;
 * - an error has what it is about, with a known code, no other has;
 * - a query has a query or a reply, no other has;
 * - only an acknowledgment tells of a crowd, which is one;
 * - only a numbered frame is a fragment, and lies within its segment;
 * - only a request or confirmation has IP addresses;
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
		expect_eq(open->type, frame->flags & PRP_F_ANS ?
					      PRP_EXT_ANSWER :
					      PRP_EXT_REQUEST);
		expect_true(open->tag && open->seg_size);
		expect_true(!open->zero && !open->zero2);
		expect_true(!(open->must & ~open->can));
	}
	if (quote) {
		expect_inside(quote, sizeof(*quote), hdr, frame->hdr_len);
		expect_true(quote->code < PRP_RESET_CODES);
		expect_true(!quote->zero && !quote->zero2);
		expect_eq(!!quote->features, quote->code == PRP_RESET_FEATURES);
	}
	if (frame->cookie) {
		struct prp_ext_cookie cookie, empty = cookie_of(true);

		expect_inside(frame->cookie, sizeof(cookie), hdr,
			      frame->hdr_len);
		memcpy(&cookie, frame->cookie, sizeof(cookie));
		expect_true(!cookie.zero);
		if (frame->flags & PRP_F_REQ)
			expect_eq(memcmp(&cookie, &empty, sizeof(empty)), 0);
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
	if (frame->crowd) {
		expect_inside(frame->crowd, sizeof(*frame->crowd), hdr,
			      frame->hdr_len);
		expect_true(!(frame->flags & (PRP_F_KIND | PRP_F_ACKNOW)));
		expect_true(be16_to_cpu(frame->crowd->among) >= 2);
		expect_true(frame->crowd->active && !frame->crowd->zero);
	}
	if (frame->query) {
		expect_inside(frame->query, sizeof(*frame->query), hdr,
			      frame->hdr_len);
		expect_true(be16_to_cpu(frame->query->back) <= frame->len);
	}
	if (frame->reply)
		expect_inside(frame->reply, sizeof(*frame->reply), hdr,
			      frame->hdr_len);
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
		expect_true(!frame->sack->zero);
		prp_wire_get_sack(frame->sack, &sack);
		expect_true(sack.words <= PRP_WIN_WORDS);
		expect_eq(prp_wire_put_sack(ext, &sack), len);
	}
}

static void expect_good_frame(const struct prp_frame *frame,
			      const struct prp_hdr *hdr, size_t frame_len)
{
	u16 flags = frame->flags, kind;

	kind = flags & (PRP_F_SEG | PRP_F_REQ | PRP_F_ANS | PRP_F_RST |
			PRP_F_ERROR | PRP_F_CON | PRP_F_QUERY);
	expect_eq(hdr->version, PRP_VERSION);
	expect_true(frame->hdr_len >= HDR && frame->hdr_len <= FRAME);
	expect_eq((frame->hdr_len - HDR) % PRP_EXT_UNIT, 0);
	expect_eq(frame->marked, hdr->hops >= 0x80);
	expect_true(!(flags & 0x1800));
	expect_true(frame->hdr_len + frame->len <= frame_len);
	expect_true(!(kind & (kind - 1)));
	expect_true(!(flags & PRP_F_RAIL));
	expect_true(frame->rail < PRP_WIN_RAILS);
	if (kind == PRP_F_SEG)
		expect_true(frame->len || flags & (PRP_F_END | PRP_F_EOM));
	else
		expect_true(!(flags & (PRP_F_END | PRP_F_EOM)) &&
			    (!frame->len || kind == PRP_F_QUERY ||
			     (!kind && flags & PRP_F_ACKNOW)));
	if (kind == PRP_F_REQ)
		expect_true(!frame->tag && !frame->sack);
	expect_eq(!!frame->open,
		  kind == PRP_F_REQ || kind == PRP_F_ANS || kind == PRP_F_CON);
	expect_eq(!!frame->quote, kind == PRP_F_RST);
	expect_eq(!!frame->error, kind == PRP_F_ERROR);
	expect_true(!frame->ip || kind == PRP_F_REQ || kind == PRP_F_CON ||
		    frame->query);
	expect_eq(frame->query || frame->reply, kind == PRP_F_QUERY);
	expect_true(!frame->query || !frame->reply);
	expect_true(!frame->cookie || frame->open);
	expect_true(frame->cookie || kind != PRP_F_CON);
	expect_true(!frame->open || (frame->sport && frame->dport));
	expect_true(!frame->fragment || kind == PRP_F_SEG);
	expect_true(!frame->messages || kind == PRP_F_SEG);
	expect_good_extensions(frame, hdr);
}

#define GOOD 16

static void make_good(union msg *good)
{
	struct prp_ext_quote features = quote_of(PRP_RESET_FEATURES);

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
	good[10] = msg_of(PRP_F_REQ, 0);
	add_open(&good[10], PRP_EXT_REQUEST);
	add_cookie(&good[10], true);
	good[11] = msg_of(PRP_F_ANS, 0);
	add_open(&good[11], PRP_EXT_ANSWER);
	add_cookie(&good[11], false);
	good[12] = longest_of();
	good[13] = msg_of(PRP_F_RST, 0);
	msg_add(&good[13], &features, sizeof(features));
	good[14] = msg_of(PRP_F_QUERY, 40);
	good[14].hdr.tag = 0;
	add_query(&good[14]);
	add_ip(&good[14]);
	good[15] = msg_of(PRP_F_QUERY, 40);
	good[15].hdr.tag = 0;
	add_reply(&good[15]);
}

/* Up to four bytes changed, most often where the lengths and types are. */
static void mutate(u8 *bytes, u64 dice)
{
	/* of len, flags and ext */
	static const unsigned int lengths[] = { 20, 21, 22, 23, 30 };
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
			at = HDR + more % 8;
		else if (more >> 33 & 1)
			at = lengths[more % ARRAY_SIZE(lengths)];
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
		size_t frame_len = (dice >> 32) % (FRAME + 29), hdr_len;
		struct prp_frame frame = {};
		struct prp_hdr *hdr = NULL;
		int reason;

		if (frame_len > FRAME)
			frame_len = FRAME;
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
