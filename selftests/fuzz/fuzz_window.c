// SPDX-License-Identifier: GPL-2.0
/*
 * Selective repeat and the congestion window: a sender and a receiver with a
 * wire between them that delivers, forgets, doubles and overtakes as the
 * bytes say, and now and then somebody who makes acknowledgments up.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <string.h>

#include "fuzz.h"
#include "pure/cong.h"
#include "pure/rcv.h"
#include "pure/snd.h"

#define WIRE 64 /* frames on the wire, each way */
#define RAILS 2

/* One segment, or a run of them */
struct seg_frame {
	u32 seq;
	u32 txno;
	u8 rail;
	u8 segs;
};

struct ack_frame {
	u32 ack;
	u16 window;
	bool has_sack;
	struct prp_sack sack;
	u32 number; /* of the acknowledgment */
	u64 map[PRP_WIN_WORDS]; /* all that the receiver had then */
};

static struct prp_snd snd;
static u32 slot_txno[2][2 * PRP_WIN];
static u8 slot_rail[2][2 * PRP_WIN];
static struct prp_rcv rcv;
static struct prp_cong cong;
static struct seg_frame segs[WIRE];
static struct ack_frame acks[WIRE];
static unsigned int seg_count, ack_count;
static u32 first, taken, number, tick;
static struct ack_frame told; /* oldest of those with the newest report */
static bool lied_to; /* what the sender believes may be wrong */

static bool bit(const u64 *map, u32 seq)
{
	return map[seq % PRP_WIN / 64] >> (seq % 64) & 1;
}

static unsigned int bits(const u64 *map)
{
	unsigned int word, count = 0;

	for (word = 0; word < PRP_WIN_WORDS; word++)
		count += __builtin_popcountll(map[word]);
	return count;
}

/* The bits of [from, to), which is no more than the map has */
static void range(u64 *map, u32 from, u32 to)
{
	u32 at, word, n;

	memset(map, 0, PRP_WIN_WORDS * sizeof(*map));
	for (at = from; at != to; at += n) {
		word = at % PRP_WIN / 64;
		n = min(64 - at % 64, to - at);
		map[word] |= (n == 64 ? ~0ULL : (1ULL << n) - 1) << at % 64;
	}
}

static void check_sender(void)
{
	unsigned int word, again = 0;
	u64 inside[PRP_WIN_WORDS];
	u32 seq;

	must(snd.nxt - snd.una <= PRP_WIN);
	for (seq = snd.una; seq != snd.nxt; seq++)
		again += prp_snd_is_again(&snd, seq);
	must(snd.again == again);
	must(!prp_before(snd.edge, snd.una));
	must(snd.sacked == bits(snd.sacked_map));
	must(snd.lost == bits(snd.lost_map));
	must(snd.sacked + snd.lost <= snd.nxt - snd.una);
	must(prp_snd_in_flight(&snd) <= PRP_WIN);
	must(snd.reorder >= PRP_REORDER_FIRST &&
	     snd.reorder <= PRP_REORDER_MAX);
	range(inside, snd.una, snd.nxt);
	for (word = 0; word < PRP_WIN_WORDS; word++) {
		must(!(snd.sacked_map[word] & ~inside[word]));
		must(!(snd.lost_map[word] & ~inside[word]));
		must(!(snd.sacked_map[word] & snd.lost_map[word]));
	}
	must(prp_snd_first_lost(&snd, &seq) == !!snd.lost);
	if (snd.lost)
		must(bit(snd.lost_map, seq) && seq - snd.una < PRP_WIN);
}

static void check_receiver(void)
{
	must(rcv.late == bits(rcv.map));
	must(rcv.high - rcv.nxt <= PRP_WIN);
	must(!prp_before(rcv.high, rcv.nxt));
	must(!rcv.late || rcv.high != rcv.nxt);
	must(!bit(rcv.map, rcv.nxt));
	must(rcv.nxt == first + taken);
	/* nobody can have more than what was sent */
	must(!prp_before(snd.nxt, rcv.high));
	must(lied_to || !prp_before(rcv.nxt, snd.una));
}

static void check_cong(void)
{
	must(cong.cwnd >= PRP_CWND_LEAST &&
	     cong.cwnd <= PRP_WIN * PRP_CWND_ONE);
	must(prp_cong_window(&cong) >= 1 && prp_cong_window(&cong) <= PRP_WIN);
	must(cong.lost <= PRP_WIN && cong.got <= 4 * PRP_WIN);
	must(cong.base_us <= cong.base_next_us || !cong.base_us);
	must(prp_cong_pace(&cong, 1464) > 0);
	must(cong.drain.ticks <= PRP_DRAIN_EVERY / 2);
	must(!cong.drain.now || !cong.drain.after);
	must(prp_drain_next(&cong.drain, tick) - 1 < PRP_DRAIN_EVERY);
}

/* Into other slots, of which there are so many, a power of two. */
static void move_slots(u32 size)
{
	bool other = snd.seg_txno == slot_txno[0];

	prp_snd_slots(&snd, slot_txno[other], slot_rail[other], size - 1);
}

static void send_segment(u8 how)
{
	u8 rail = how % RAILS;
	u32 seq;

	if (!prp_snd_first_lost(&snd, &seq)) {
		if (!prp_snd_new_allowed(&snd))
			return;
		seq = snd.nxt;
	}
	must(!bit(snd.sacked_map, seq) || seq == snd.nxt);
	if (seg_count < WIRE)
		segs[seg_count++] =
			(struct seg_frame){ seq, snd.txno[rail], rail, 1 };
	prp_snd_sent(&snd, seq, rail, snd.txno[rail]++);
	must(!bit(snd.lost_map, seq));
	cong.limited = how & 2;
}

/* The next new ones at once, as many as there may be: as if one by one. */
static void send_run(u8 how)
{
	u32 seq = snd.nxt, room = snd.una + PRP_WIN - seq;
	u8 rail = how % RAILS, segs_out = how / 8 + 1, nr;
	struct prp_snd was;

	room = min(room, snd.edge - seq);
	segs_out = min_t(u32, segs_out, room);
	if (!segs_out)
		return;
	if (seg_count < WIRE)
		segs[seg_count++] = (struct seg_frame){ seq, snd.txno[rail],
							rail, segs_out };
	was = snd;
	for (nr = 0; nr < segs_out; nr++)
		prp_snd_sent(&was, was.nxt, rail, was.txno[rail]++);
	prp_snd_sent_run(&snd, segs_out, rail, snd.txno[rail]);
	snd.txno[rail] += segs_out;
	must(!memcmp(&was, &snd, sizeof(snd)));
}

static void deliver_one(u32 seq)
{
	enum prp_seg what = prp_rcv_check(&rcv, seq);
	unsigned int more;

	if (what != PRP_SEG_NEXT && what != PRP_SEG_LATE)
		return;
	must(seq - rcv.nxt < PRP_WIN);
	must(prp_before(seq, rcv.edge));
	must((what == PRP_SEG_NEXT) == (seq == rcv.nxt));
	more = prp_rcv_accept(&rcv, seq);
	must(!more == (what == PRP_SEG_LATE));
	taken += more;
	must(prp_rcv_check(&rcv, seq) == PRP_SEG_DUPLICATE);
}

/* A run is taken as one where that is the same as one by one. */
static void deliver_run(const struct seg_frame *frame)
{
	struct prp_rcv whole = rcv;
	bool takes = prp_rcv_takes_run(&rcv, frame->seq, frame->segs);
	u8 nr;

	for (nr = 0; nr < frame->segs; nr++)
		deliver_one(frame->seq + nr);
	if (!takes)
		return;
	prp_rcv_accept_run(&whole, frame->segs);
	must(!memcmp(&whole, &rcv, sizeof(rcv)));
}

/* The window hears of what has arrived, and of some round trip. */
static void hear(unsigned int arrived)
{
	static const u32 trips[] = { 0, 0, 1, 40, 700, 5000, 90000, 10000000 };
	struct prp_cong_heard heard = {
		.acked = arrived,
		.in_flight = prp_snd_in_flight(&snd),
		.rtt_us = trips[(number + arrived) % 8],
		.again = number & 8,
		.tick = tick,
	};

	tick += arrived * (number % 64);
	prp_cong_acked(&cong, &heard);
}

static void deliver(u8 which, bool leave)
{
	struct seg_frame frame;

	if (!seg_count)
		return;
	which %= seg_count;
	frame = segs[which];
	if (!leave)
		memmove(segs + which, segs + which + 1,
			(--seg_count - which) * sizeof(*segs));
	prp_rcv_saw(&rcv, frame.rail, frame.txno + frame.segs - 1);
	deliver_run(&frame);
}

static void acknowledge(bool with_sack, unsigned int words)
{
	struct ack_frame *ack = &acks[ack_count];

	if (ack_count == WIRE)
		return;
	ack->ack = rcv.nxt;
	ack->window = rcv.edge - rcv.nxt;
	ack->has_sack = with_sack;
	ack->number = number++;
	memcpy(ack->map, rcv.map, sizeof(ack->map));
	if (with_sack) {
		unsigned int at, i, count = 0;

		prp_rcv_sack(&rcv, &ack->sack, words);
		must(ack->sack.words <= words);
		must(!ack->sack.offset || ack->sack.words == words);
		for (i = 0; i < ack->sack.words * 64; i++) {
			at = 1 + ack->sack.offset + i;
			count += ack->sack.map[i / 64] >> i % 64 & 1;
			must((ack->sack.map[i / 64] >> i % 64 & 1) ==
			     (at < PRP_WIN && bit(rcv.map, rcv.nxt + at)));
		}
		/* nothing lies behind it */
		for (at = 1; at <= ack->sack.offset; at++)
			count += bit(rcv.map, rcv.nxt + at);
		must(count == rcv.late);
	}
	ack_count++;
}

/* Keep the oldest of the acknowledgments with the newest report. */
static void remember(const struct ack_frame *ack)
{
	bool newer = !told.has_sack;
	unsigned int rail;

	if (!ack->has_sack)
		return;
	for (rail = 0; told.has_sack && rail < RAILS; rail++) {
		bool had = told.sack.rails & 1 << rail;

		if (!(ack->sack.rails & 1 << rail)) {
			if (had)
				return;
			continue;
		}
		if (!had || prp_txno_before(told.sack.newest[rail],
					    ack->sack.newest[rail]))
			newer = true;
		else if (ack->sack.newest[rail] != told.sack.newest[rail])
			return;
	}
	if (newer || prp_before(ack->number, told.number))
		told = *ack;
}

/* What is called lost now was not there when the last report was made. */
static void check_lost(const u64 *lost_was)
{
	u32 seq;

	for (seq = snd.una; seq != snd.nxt; seq++)
		if (bit(snd.lost_map, seq) && !bit(lost_was, seq))
			must(told.has_sack && !prp_before(seq, told.ack) &&
			     !bit(told.map, seq));
}

/* One that reports nothing, and one that has an empty report, are the same once
 * there was a report; the one may take a short cut.
 */
static void check_short_cut(const struct prp_snd *was, enum prp_ack what,
			    const struct ack_frame *ack)
{
	const struct prp_sack nothing = {};
	struct prp_snd slow = *was;

	if (ack->has_sack || !was->seen || was->again)
		return;
	must(prp_snd_ack(&slow, ack->ack, ack->window, &nothing) == what);
	must(!memcmp(&slow, &snd, sizeof(snd)));
}

static void take_ack(const struct ack_frame *ack, bool honest)
{
	u32 una = snd.una, nxt = snd.nxt, edge = snd.edge;
	unsigned int sacked = snd.sacked, found;
	struct prp_snd was = snd;
	enum prp_ack what;

	what = prp_snd_ack(&snd, ack->ack, ack->window,
			   ack->has_sack ? &ack->sack : NULL);
	check_short_cut(&was, what, ack);
	must(snd.nxt == nxt);
	must(!prp_before(snd.una, una) && !prp_before(snd.nxt, snd.una));
	must(!prp_before(snd.edge, edge));
	if (what == PRP_ACK_BAD) {
		must(!memcmp(&was, &snd, sizeof(snd)));
		must(!honest || lied_to);
		return;
	}
	if (!honest)
		lied_to = true;
	check_sender();
	if (snd.una - una + snd.sacked > sacked)
		hear(snd.una - una + snd.sacked - sacked);
	if (honest)
		remember(ack);
	memcpy(was.lost_map, snd.lost_map, sizeof(was.lost_map));
	found = prp_snd_find_lost(&snd);
	if (!lied_to)
		check_lost(was.lost_map);
	must(found <= snd.lost);
	if (found)
		prp_cong_lost(&cong, found);
}

static void deliver_ack(u8 which, bool leave)
{
	struct ack_frame ack;

	if (!ack_count)
		return;
	which %= ack_count;
	ack = acks[which];
	if (!leave)
		memmove(acks + which, acks + which + 1,
			(--ack_count - which) * sizeof(*acks));
	take_ack(&ack, true);
}

/* From here on nothing is lost: all of it arrives, however little is told. */
static void finish(unsigned int words)
{
	struct ack_frame ack;
	u8 rail;
	u32 una;

	while (snd.una != snd.nxt) {
		una = snd.una;
		for (rail = 0; rail < RAILS; rail++) {
			prp_rcv_saw(&rcv, rail, snd.txno[rail]);
			prp_snd_probed(&snd, rail, snd.txno[rail]++);
		}
		ack_count = 0;
		prp_rcv_open(&rcv, PRP_WIN);
		acknowledge(true, words);
		ack = acks[0];
		take_ack(&ack, true);
		while (snd.lost) {
			seg_count = 0;
			send_segment(0);
			deliver(0, false);
		}
		must(snd.una != una || rcv.nxt != una);
	}
	check_sender();
	check_receiver();
}

static void lie(struct bytes *in)
{
	struct ack_frame ack = {
		.ack = snd.una + (int16_t)take16(in),
		.window = take16(in),
	};
	unsigned int i;
	u8 how;

	how = take8(in);
	ack.has_sack = how & 1;
	if ((how & 6) == 2)
		ack.sack.offset = take16(in);
	if (take8(in) & 1)
		ack.ack = take32(in);
	ack.sack.words = take8(in) % (PRP_WIN_WORDS + 1);
	ack.sack.rails = take8(in);
	for (i = 0; i < PRP_WIN_RAILS; i++)
		ack.sack.newest[i] = snd.txno[i] - 1 - take8(in);
	for (i = 0; i < ack.sack.words; i++)
		ack.sack.map[i] = (u64)take32(in) << take8(in) % 33;
	take_ack(&ack, false);
}

static void step(struct bytes *in)
{
	u8 what = take8(in), how = take8(in);

	switch (what % 12) {
	case 0:
	case 1:
		if (what % 12 && !snd.lost) {
			send_run(how);
			break;
		}
		for (what = 0; what <= how / 8; what++)
			send_segment(how);
		break;
	case 2:
	case 3:
		for (what = 0; what <= how % 8; what++)
			deliver(how / 8, false);
		break;
	case 4:
		deliver(how, true);
		break;
	case 5: /* lost on the wire */
		if (seg_count) {
			seg_count--;
			segs[how % (seg_count + 1)] = segs[seg_count];
		}
		break;
	case 6:
		prp_rcv_open(&rcv, min_t(u32, how * 4, PRP_WIN));
		acknowledge(how & 1, (how & 6) == 2 ? how / 8 % 9 : 8);
		move_slots(how & 8 ? PRP_WIN : 2 * PRP_WIN);
		break;
	case 7:
		deliver_ack(how, false);
		break;
	case 8:
		deliver_ack(how, true);
		break;
	case 9:
		prp_snd_probed(&snd, how % RAILS, snd.txno[how % RAILS]);
		snd.txno[how % RAILS]++;
		if (how & 64)
			prp_cong_tick(&cong, tick);
		if (how & 128)
			prp_cong_drained(&cong, how % 64 * 100 + 1, tick);
		break;
	case 10: /* a forwarder tells of a segment, a probe stayed silent */
		if (snd.nxt != snd.una)
			prp_snd_lose(&snd, snd.una + how % (snd.nxt - snd.una));
		prp_cong_silent(&cong);
		break;
	case 11:
		lie(in);
		break;
	}
	check_sender();
	check_receiver();
	check_cong();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };

	first = take32(&in);
	taken = 0;
	seg_count = 0;
	ack_count = 0;
	lied_to = false;
	number = 0;
	told.has_sack = false;
	memset(&snd, 0, sizeof(snd));
	prp_snd_init(&snd, first, take32(&in));
	move_slots(2 * PRP_WIN);
	tick = first;
	prp_cong_init(&cong);
	if (size & 1)
		prp_cong_first(&cong, size, tick);
	prp_rcv_init(&rcv, first, PRP_WIN);
	snd.edge = first + PRP_WIN;
	while (in.left)
		step(&in);
	if (!lied_to)
		finish(size % 9);
	return 0;
}
