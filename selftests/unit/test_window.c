// SPDX-License-Identifier: GPL-2.0
/*
 * Selective repeat, both ends of it: whole transfers over a channel that loses,
 * doubles and reorders, where after every step snd.c and rcv.c are compared
 * with a model that counts in plain arrays and never wraps. The rules one by
 * one are in test_snd.c and test_rcv.c.
 */
#include <string.h>

#include <linux/kernel.h>
#include <linux/types.h>

#include "pure/rcv.h"
#include "pure/snd.h"
#include "unit.h"
#include "window.h"

/* A sender with so many segments in flight on rail 0. */
static struct prp_snd sender(unsigned int in_flight)
{
	static struct slots slots;
	struct prp_snd snd;

	prp_snd_init(&snd, FIRST_SEQ, FIRST_TXNO);
	slots_give(&snd, &slots);
	put_new(&snd, in_flight, 0);
	return snd;
}

/* ------------------------------------------------------------- numbers */

UNIT(prp_before__orders_around_the_wrap)
{
	expect_true(prp_before(1, 2));
	expect_true(!prp_before(2, 2));
	expect_true(!prp_before(2, 1));
	expect_true(prp_before(0xffffffff, 0));
	expect_true(!prp_before(0, 0xffffffff));
	expect_true(prp_before(0xfffffff0, 0x7fffffef));
}

UNIT(prp_txno_before__orders_around_the_wrap)
{
	expect_true(prp_txno_before(1, 2));
	expect_true(!prp_txno_before(2, 2));
	expect_true(!prp_txno_before(2, 1));
	expect_true(prp_txno_before(0xffffffff, 0));
	expect_true(!prp_txno_before(0, 0xffffffff));
	expect_true(prp_txno_before(0xfffffff0, 0x7fffffef));
	expect_true(prp_txno_before(0xffff, 0x10000));
	expect_true(!prp_txno_before(0x8000, 0));
}

/* ----------------------------------- what one end tells the other */

/* All but the first have arrived. Return: words in use. */
static unsigned int expect_understood(unsigned int words, unsigned int sacked)
{
	struct prp_snd snd = sender(PRP_WIN);
	struct prp_sack sack;
	struct prp_rcv rcv;
	u32 n;

	prp_rcv_init(&rcv, FIRST_SEQ, PRP_WIN);
	for (n = 1; n < PRP_WIN; n++) {
		prp_rcv_accept(&rcv, FIRST_SEQ + n);
		prp_rcv_saw(&rcv, 0, TXNO(n));
	}
	prp_rcv_sack(&rcv, &sack, words);
	expect_eq(prp_snd_ack(&snd, FIRST_SEQ, PRP_WIN, &sack), PRP_ACK_OK);
	expect_eq(snd.sacked, sacked);
	expect_eq(prp_snd_find_lost(&snd), 1);
	expect_true(prp_snd_is_lost(&snd, FIRST_SEQ));
	return sack.words;
}

/* Whatever has room of it, the sender repeats the one that is missing. */
UNIT(prp_rcv_sack__any_part_is_understood)
{
	unsigned int words;

	for (words = 0; words <= PRP_WIN_WORDS; words++)
		expect_understood(words, min_t(u32, 64 * words, PRP_WIN - 1));
}

UNIT(prp_rcv_sack__full_window_is_understood)
{
	expect_eq(expect_understood(PRP_WIN_WORDS, PRP_WIN - 1), PRP_WIN_WORDS);
}

/* --------------------------------------------------------------- model */

/*
 * The model: both ends as snd.h and rcv.h describe them, with numbers that
 * begin at 0 and never wrap, one place for every segment, and no short cuts.
 */
#define SEGS 6000
#define UNKNOWN -1
#define STALE 0x40000000

struct model_seg {
	s64 txno;
	u8 rail;
	bool sacked;
	bool lost;
	bool again;
};

struct model_snd {
	u32 una;
	u32 nxt;
	u32 edge;
	u32 needless;
	u32 told_ack; /* the last report was of this one ... */
	u32 told; /* ... and of these */
	s64 reorder;
	s64 newest[PRP_WIN_RAILS];
	s64 probe[PRP_WIN_RAILS];
	s64 txno[PRP_WIN_RAILS];
	struct model_seg seg[SEGS];
};

struct model_rcv {
	u32 nxt;
	u32 edge;
	s64 newest[PRP_WIN_RAILS];
	bool here[SEGS + 2 * PRP_WIN];
};

/* A frame in one of the two directions. */
struct packet {
	u64 due;
	u32 seq; /* of the segment, or the acknowledgment */
	bool probe;
	u8 rail;
	s64 txno;
	u16 window;
	bool has_sack;
	struct prp_sack sack;
	s64 newest[PRP_WIN_RAILS];
};

#define RING 4096

struct channel {
	struct packet ring[RING];
	u32 head;
	u32 tail;
};

/**
 * struct way - what the channel does
 * @loss: segments and probes lost, of 1000
 * @ack_loss: acknowledgments lost, of 1000
 * @twice: frames of both directions doubled, of 1000
 * @depth: most ticks by which a segment is late
 * @every: one segment of so many is late by just @depth; 0: each by chance
 * @ack_depth: most ticks by which an acknowledgment is late
 * @rails: rails in use
 * @cut: words of the map after which an acknowledgment breaks off; 0: none
 * @narrow: an acknowledgment has room for @words words only
 * @words: how many
 * @windows: the receiver's window changes
 * @wide: the receiver's window is the widest that can be said
 */
struct way {
	unsigned int loss;
	unsigned int ack_loss;
	unsigned int twice;
	unsigned int depth;
	unsigned int every;
	unsigned int ack_depth;
	unsigned int rails;
	unsigned int cut;
	unsigned int words;
	bool narrow;
	bool windows;
	bool wide;
};

#define DELAY 20 /* ticks one way, and one more a rail */
#define PATIENCE (4 * DELAY + 40) /* ticks until a probe */

/* One transfer; what is counted is of segments, never of probes. */
static struct sim {
	struct way way;
	struct prp_snd snd;
	struct slots slots;
	struct prp_rcv rcv;
	struct model_snd m;
	struct model_rcv r;
	struct channel forth;
	struct channel back;
	u64 now;
	u64 busy; /* when something last went on */
	u32 sent;
	u32 lost;
	u32 repeats;
	u32 last_repeat; /* snd.nxt at that time */
	u8 probe_rail;
} sim;

static bool chance(unsigned int of_1000)
{
	return unit_random() % 1000 < of_1000;
}

static unsigned int below(unsigned int limit)
{
	return limit ? unit_random() % limit : 0;
}

static void channel_put(struct channel *channel, const struct packet *packet)
{
	u32 at = channel->tail++;

	expect_true(channel->tail - channel->head < RING);
	for (; at != channel->head; at--) {
		struct packet *before = &channel->ring[(at - 1) % RING];

		if (before->due <= packet->due)
			break;
		channel->ring[at % RING] = *before;
	}
	channel->ring[at % RING] = *packet;
}

static struct packet *channel_get(struct channel *channel)
{
	struct packet *packet = &channel->ring[channel->head % RING];

	if (channel->head == channel->tail || packet->due > sim.now)
		return NULL;
	channel->head++;
	return packet;
}

/* -- the model's sender -- */

static void model_sent(u32 n, u8 rail)
{
	struct model_snd *m = &sim.m;
	s64 txno = m->txno[rail]++;

	if (n == m->nxt)
		m->nxt++;
	else
		m->seg[n].again = true;
	m->seg[n].lost = false;
	m->seg[n].rail = rail;
	m->seg[n].txno = txno;
	if (txno - m->newest[rail] > STALE)
		m->newest[rail] = UNKNOWN;
	if (txno - m->probe[rail] > STALE)
		m->probe[rail] = UNKNOWN;
}

static void model_widen(s64 depth)
{
	if (depth > PRP_REORDER_MAX)
		depth = PRP_REORDER_MAX;
	if (depth > sim.m.reorder)
		sim.m.reorder = depth;
}

static bool model_told(u32 n)
{
	return n == sim.m.told_ack || n >= sim.m.told;
}

static void model_arrived(u32 n, const s64 *newest_was, bool reported)
{
	struct model_snd *m = &sim.m;
	struct model_seg *seg = &m->seg[n];

	if (seg->lost) {
		model_widen(m->newest[seg->rail] - seg->txno);
	} else if (seg->again && reported && m->newest[seg->rail] < seg->txno) {
		m->needless++;
		model_widen(2 * m->reorder);
	} else if (!seg->again && model_told(n) &&
		   newest_was[seg->rail] > seg->txno) {
		model_widen(newest_was[seg->rail] - seg->txno);
	}
	seg->lost = false;
	seg->sacked = true;
}

static void model_ack(const struct packet *p)
{
	struct model_snd *m = &sim.m;
	s64 newest_was[PRP_WIN_RAILS];
	unsigned int rail, i;
	bool newest = p->has_sack;

	memcpy(newest_was, m->newest, sizeof(newest_was));
	for (rail = 0; p->has_sack && rail < PRP_WIN_RAILS; rail++) {
		if (p->newest[rail] < m->newest[rail])
			newest = false;
		else
			m->newest[rail] = p->newest[rail];
	}
	for (; m->una < p->seq; m->una++)
		if (!m->seg[m->una].sacked)
			model_arrived(m->una, newest_was, p->has_sack);
	if (p->seq + p->window > m->edge)
		m->edge = p->seq + p->window;
	for (i = 0; p->has_sack && i < 64u * p->sack.words; i++) {
		u32 n = p->seq + 1 + p->sack.offset + i;

		if (bit(p->sack.map, i) && n >= m->una && !m->seg[n].sacked)
			model_arrived(n, newest_was, true);
	}
	if (newest) {
		m->told_ack = p->seq;
		m->told = p->seq + 1 + p->sack.offset;
	}
}

static bool model_is_lost(const struct model_seg *seg)
{
	s64 newest = sim.m.newest[seg->rail], probe = sim.m.probe[seg->rail];

	return newest - seg->txno > sim.m.reorder ||
	       (probe > seg->txno && newest >= probe);
}

static unsigned int model_find_lost(void)
{
	struct model_snd *m = &sim.m;
	unsigned int found = 0;
	u32 n;

	for (n = m->una; n < m->nxt; n++) {
		struct model_seg *seg = &m->seg[n];

		if (seg->sacked || seg->lost || !model_told(n) ||
		    !model_is_lost(seg))
			continue;
		seg->lost = true;
		found++;
	}
	return found;
}

/* -- the two compared -- */

static void compare_snd_counts(u32 sacked, u32 lost, u32 again)
{
	const struct model_snd *m = &sim.m;
	const struct prp_snd *snd = &sim.snd;
	u64 repeats[PRP_WIN_WORDS];

	again_map(snd, repeats);
	expect_eq(snd->una, (u32)(FIRST_SEQ + m->una));
	expect_eq(snd->nxt, (u32)(FIRST_SEQ + m->nxt));
	expect_eq(snd->edge, (u32)(FIRST_SEQ + m->edge));
	expect_eq(snd->reorder, m->reorder);
	expect_eq(snd->needless, m->needless);
	expect_eq(snd->sacked, sacked);
	expect_eq(snd->lost, lost);
	expect_eq(bits(snd->sacked_map), sacked);
	expect_eq(bits(snd->lost_map), lost);
	expect_eq(snd->again, again);
	expect_eq(bits(repeats), again);
	expect_eq(prp_snd_in_flight(snd), m->nxt - m->una - sacked - lost);
	expect_eq(prp_snd_new_allowed(snd),
		  m->nxt < m->edge && m->nxt - m->una < PRP_WIN);
}

static void compare_snd(void)
{
	const struct model_snd *m = &sim.m;
	u32 n, seq, sacked = 0, lost = 0, again = 0, first = 0;

	for (n = m->nxt; n-- > m->una;) {
		const struct model_seg *seg = &m->seg[n];

		seq = FIRST_SEQ + n;
		expect_eq(bit(sim.snd.sacked_map, seq), seg->sacked);
		expect_eq(bit(sim.snd.lost_map, seq), seg->lost);
		expect_eq(prp_snd_is_again(&sim.snd, seq), seg->again);
		sacked += seg->sacked;
		lost += seg->lost;
		again += seg->again;
		if (seg->lost)
			first = n;
	}
	compare_snd_counts(sacked, lost, again);
	expect_eq(prp_snd_first_lost(&sim.snd, &seq), lost > 0);
	if (lost)
		expect_eq(seq, (u32)(FIRST_SEQ + first));
}

static void compare_rcv(void)
{
	const struct model_rcv *r = &sim.r;
	const struct prp_rcv *rcv = &sim.rcv;
	u32 n, late = 0;

	for (n = r->nxt; n < r->nxt + PRP_WIN; n++) {
		expect_eq(bit(rcv->map, FIRST_SEQ + n), r->here[n]);
		late += r->here[n];
	}
	expect_eq(rcv->late, late);
	expect_eq(rcv->nxt, (u32)(FIRST_SEQ + r->nxt));
	expect_eq(rcv->edge, (u32)(FIRST_SEQ + r->edge));
}

static void compare_sack(const struct prp_sack *sack, unsigned int words)
{
	const struct model_rcv *r = &sim.r;
	const bool *here = r->here + r->nxt;
	unsigned int rail;
	u32 n, high = 0;

	for (n = 1; n < PRP_WIN; n++)
		if (here[n])
			high = n + 1;
	expect_sack(sack, here, high, words);
	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		bool known = r->newest[rail] != UNKNOWN;

		expect_eq(sack->rails >> rail & 1, known);
		if (known)
			expect_eq(sack->newest[rail], TXNO(r->newest[rail]));
	}
}

/* -- the transfer -- */

static void sim_transmit(struct packet *p)
{
	const struct way *way = &sim.way;
	bool dropped = chance(way->loss);

	sim.sent++;
	if (!p->probe && dropped)
		sim.lost++;
	if (dropped)
		return;
	p->due = sim.now + DELAY + p->rail;
	if (!way->every)
		p->due += below(way->depth + 1);
	else if (sim.sent % way->every == 0)
		p->due += way->depth;
	channel_put(&sim.forth, p);
	p->due += below(2 * DELAY);
	if (chance(way->twice))
		channel_put(&sim.forth, p);
}

static void sim_send_segment(u32 n)
{
	u8 rail = below(sim.way.rails);
	struct packet p = { .seq = n, .rail = rail };

	if (n != sim.m.nxt) {
		sim.repeats++;
		sim.last_repeat = sim.m.nxt;
	}
	p.txno = sim.m.txno[rail];
	prp_snd_sent(&sim.snd, FIRST_SEQ + n, rail, sim.snd.txno[rail]++);
	model_sent(n, rail);
	sim.busy = sim.now;
	sim_transmit(&p);
}

static void sim_send_probe(void)
{
	u8 rail = sim.probe_rail++ % sim.way.rails;
	struct packet p = { .probe = true, .rail = rail };

	p.txno = sim.m.txno[rail]++;
	sim.m.probe[rail] = p.txno;
	prp_snd_probed(&sim.snd, rail, sim.snd.txno[rail]++);
	sim.busy = sim.now;
	sim_transmit(&p);
}

static void sim_send(void)
{
	u32 seq;

	if (prp_snd_first_lost(&sim.snd, &seq))
		sim_send_segment(seq - FIRST_SEQ);
	else if (sim.m.nxt < SEGS && prp_snd_new_allowed(&sim.snd))
		sim_send_segment(sim.m.nxt);
	else if (sim.now - sim.busy > PATIENCE)
		sim_send_probe();
	else
		return;
	compare_snd();
}

/* Take a segment; each may be taken once. Return: it is to be told of. */
static bool sim_accept(u32 n)
{
	struct model_rcv *r = &sim.r;
	enum prp_seg what = prp_rcv_check(&sim.rcv, FIRST_SEQ + n);
	bool late = sim.rcv.late;
	u32 from = r->nxt;

	if (n < r->nxt || r->here[n]) {
		expect_eq(what, PRP_SEG_DUPLICATE);
		return true;
	}
	expect_true(n < r->edge);
	expect_eq(what, n == r->nxt ? PRP_SEG_NEXT : PRP_SEG_LATE);
	r->here[n] = true;
	while (r->here[r->nxt])
		r->nxt++;
	expect_eq(prp_rcv_accept(&sim.rcv, FIRST_SEQ + n), r->nxt - from);
	return late || what == PRP_SEG_LATE;
}

static void sim_answer(bool has_sack)
{
	struct packet p = { .has_sack = has_sack || sim.rcv.late };
	unsigned int words = sim.way.narrow ? sim.way.words : PRP_WIN_WORDS;
	u16 window = sim.way.windows ? below(PRP_WIN + 1) : PRP_WIN;

	if (sim.way.wide)
		window = sim.way.windows ? below(0x10000) : 0xffff;
	prp_rcv_open(&sim.rcv, window);
	if (sim.r.edge < sim.r.nxt + window)
		sim.r.edge = sim.r.nxt + window;
	p.seq = sim.rcv.nxt - FIRST_SEQ;
	p.window = sim.rcv.edge - sim.rcv.nxt;
	if (p.has_sack) {
		prp_rcv_sack(&sim.rcv, &p.sack, words);
		compare_sack(&p.sack, words);
		if (sim.way.cut && p.sack.words > sim.way.cut)
			p.sack.words = sim.way.cut;
		memcpy(p.newest, sim.r.newest, sizeof(p.newest));
	}
	if (chance(sim.way.ack_loss))
		return;
	p.due = sim.now + DELAY + below(sim.way.ack_depth + 1);
	channel_put(&sim.back, &p);
	if (chance(sim.way.twice))
		channel_put(&sim.back, &p);
}

static void sim_receive(const struct packet *p)
{
	bool tell = p->probe;

	prp_rcv_saw(&sim.rcv, p->rail, TXNO(p->txno));
	if (p->txno > sim.r.newest[p->rail])
		sim.r.newest[p->rail] = p->txno;
	if (!p->probe)
		tell = sim_accept(p->seq);
	compare_rcv();
	if (tell || chance(500))
		sim_answer(tell);
}

static void sim_acked(const struct packet *p)
{
	bool old = p->seq < sim.m.una;

	if (p->seq > sim.m.una)
		sim.busy = sim.now;
	expect_eq(prp_snd_ack(&sim.snd, FIRST_SEQ + p->seq, p->window,
			      p->has_sack ? &p->sack : NULL),
		  old ? PRP_ACK_OLD : PRP_ACK_OK);
	model_ack(p);
	compare_snd();
	expect_eq(prp_snd_find_lost(&sim.snd), model_find_lost());
	compare_snd();
}

static void sim_init(const struct way *way)
{
	unsigned int rail;

	memset(&sim, 0, sizeof(sim));
	sim.way = *way;
	if (!sim.way.rails)
		sim.way.rails = 1;
	prp_snd_init(&sim.snd, FIRST_SEQ, FIRST_TXNO);
	slots_give(&sim.snd, &sim.slots);
	prp_rcv_init(&sim.rcv, FIRST_SEQ, PRP_WIN);
	prp_snd_ack(&sim.snd, FIRST_SEQ, PRP_WIN, NULL);
	sim.m.edge = PRP_WIN;
	sim.m.told = 0;
	sim.m.reorder = PRP_REORDER_FIRST;
	sim.r.edge = PRP_WIN;
	for (rail = 0; rail < PRP_WIN_RAILS; rail++) {
		sim.m.newest[rail] = UNKNOWN;
		sim.m.probe[rail] = UNKNOWN;
		sim.r.newest[rail] = UNKNOWN;
	}
}

/* A whole transfer. All of it arrives, once and in order. */
static void transfer(struct way way)
{
	struct packet *p;

	sim_init(&way);
	for (; sim.m.una < SEGS; sim.now++) {
		expect_true(sim.now < 1000 * SEGS);
		while ((p = channel_get(&sim.forth)))
			sim_receive(p);
		while ((p = channel_get(&sim.back)))
			sim_acked(p);
		sim_send();
	}
	expect_eq(sim.r.nxt, SEGS);
	expect_eq(prp_snd_in_flight(&sim.snd), 0);
}

/* Selective repeat: what was lost is repeated, and nothing else. */
static void expect_only_the_lost_repeated(void)
{
	expect_eq(sim.repeats, sim.lost);
	expect_eq(sim.snd.reorder, PRP_REORDER_FIRST);
	expect_eq(sim.snd.needless, 0);
}

UNIT(transfer__clean)
{
	transfer((struct way){ 0 });
	expect_eq(sim.repeats, 0);
}

UNIT(transfer__clean_with_windows_that_change)
{
	transfer((struct way){ .windows = true });
	expect_eq(sim.repeats, 0);
}

UNIT(transfer__loss_repeats_only_the_lost)
{
	static const unsigned int loss[] = { 1, 2, 5, 10, 30, 100, 200, 300 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		transfer((struct way){ .loss = loss[i] });
		expect_true(sim.lost > 0);
		expect_only_the_lost_repeated();
	}
}

UNIT(transfer__loss_with_windows_repeats_only_the_lost)
{
	static const unsigned int loss[] = { 1, 10, 100, 300 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		transfer((struct way){ .loss = loss[i], .windows = true });
		expect_only_the_lost_repeated();
	}
}

/* Rails differ in delay, but each is in order. */
UNIT(transfer__loss_on_many_rails_repeats_only_the_lost)
{
	unsigned int rails;

	for (rails = 2; rails <= PRP_WIN_RAILS; rails += 3) {
		transfer((struct way){ .loss = 50, .rails = rails });
		expect_only_the_lost_repeated();
	}
}

/* No acknowledgment matters so much that its loss costs a repeat. */
UNIT(transfer__lost_and_overtaken_acks_cost_no_repeat)
{
	static const unsigned int loss[] = { 10, 300, 700 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		transfer((struct way){
			.loss = 20, .ack_loss = loss[i], .ack_depth = 30 });
		expect_only_the_lost_repeated();
	}
}

/* It is no good manners to break off, but it ends well. */
UNIT(transfer__beginning_of_a_sack_is_enough)
{
	static const unsigned int loss[] = { 1, 10, 100 };
	struct way way = { 0 };
	unsigned int i;

	for (way.cut = 1; way.cut < PRP_WIN_WORDS; way.cut++) {
		for (i = 0; i < ARRAY_SIZE(loss); i++) {
			way.loss = loss[i];
			transfer(way);
		}
	}
}

/* A frame too short for the whole of it still tells what to repeat. */
UNIT(transfer__end_of_a_sack_is_enough)
{
	static const unsigned int loss[] = { 1, 10, 100, 300 };
	struct way way = { .narrow = true };
	unsigned int i;

	for (; way.words < PRP_WIN_WORDS; way.words++) {
		for (i = 0; i < ARRAY_SIZE(loss); i++) {
			way.loss = loss[i];
			transfer(way);
			expect_true(sim.lost > 0);
			expect_only_the_lost_repeated();
		}
	}
}

UNIT(transfer__end_of_a_sack_is_enough_on_many_rails)
{
	struct way way = { .narrow = true, .loss = 50 };

	for (; way.words < 3; way.words++) {
		for (way.rails = 2; way.rails <= PRP_WIN_RAILS;
		     way.rails += 3) {
			transfer(way);
			expect_only_the_lost_repeated();
		}
	}
}

/* Not even if those are lost, doubled, and overtake each other. */
UNIT(transfer__end_of_a_sack_lost_and_overtaken_costs_no_repeat)
{
	static const unsigned int loss[] = { 0, 10, 300, 700 };
	struct way way = { .narrow = true, .loss = 20, .twice = 100 };
	unsigned int i;

	for (; way.words < PRP_WIN_WORDS; way.words++) {
		for (i = 0; i < ARRAY_SIZE(loss); i++) {
			way.ack_loss = loss[i];
			way.ack_depth = 30;
			transfer(way);
			expect_only_the_lost_repeated();
		}
	}
}

/* Needless ones there are only until the depth is known. */
UNIT(transfer__end_of_a_sack_learns_reordering)
{
	static const unsigned int depth[] = { 5, 12, 25, 2 * DELAY - 2 };
	struct way way = { .narrow = true, .every = 97 };
	unsigned int i;

	for (; way.words < 3; way.words++) {
		for (i = 0; i < ARRAY_SIZE(depth); i++) {
			way.depth = depth[i];
			transfer(way);
			expect_true(sim.repeats <= 8);
			expect_true(sim.last_repeat < SEGS / 4);
		}
	}
}

/* The widest window: no more than PRP_WIN is in flight, compare_snd() sees. */
UNIT(transfer__widest_window)
{
	static const unsigned int loss[] = { 0, 1, 10, 100 };
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(loss); i++) {
		transfer((struct way){
			.loss = loss[i / 2], .wide = true, .windows = i % 2 });
		expect_eq(sim.snd.edge, (u32)(FIRST_SEQ + sim.r.edge));
		expect_true(sim.r.edge > SEGS + PRP_WIN);
		expect_only_the_lost_repeated();
	}
}

UNIT(transfer__doubled_frames_cost_no_repeat)
{
	transfer((struct way){ .loss = 20, .twice = 200 });
	expect_only_the_lost_repeated();
}

UNIT(transfer__reordering_within_the_tolerance_costs_no_repeat)
{
	transfer((struct way){ .depth = PRP_REORDER_FIRST });
	expect_eq(sim.repeats, 0);
	expect_eq(sim.snd.needless, 0);
}

/*
 * The first late ones cost a repeat each, then the depth is known. What is
 * later than a repeat takes, a round trip, cannot be told from a loss.
 */
UNIT(transfer__steady_reordering_is_learned)
{
	static const unsigned int depth[] = { 5, 12, 25, 2 * DELAY - 2 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depth); i++) {
		transfer((struct way){ .depth = depth[i], .every = 97 });
		expect_true(sim.repeats <= 8);
		expect_true(sim.last_repeat < SEGS / 4);
		expect_true(sim.snd.reorder >= depth[i] - 1);
	}
}

UNIT(transfer__chance_reordering_is_learned)
{
	static const unsigned int depth[] = { 5, 20, 100, 200 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depth); i++) {
		transfer((struct way){ .depth = depth[i] });
		expect_true(sim.last_repeat < SEGS / 4);
		expect_true(sim.snd.reorder <= PRP_REORDER_MAX);
	}
}

UNIT(transfer__all_at_once)
{
	static const unsigned int loss[] = { 1, 10, 50, 150, 300 };
	unsigned int i;

	for (i = 0; i < 6 * ARRAY_SIZE(loss); i++)
		transfer((struct way){
			.loss = loss[i / 6],
			.ack_loss = loss[i / 6],
			.twice = 100,
			.depth = 1 << i % 8,
			.ack_depth = 20,
			.windows = i % 3,
			.wide = i % 4 == 1,
			.narrow = i % 6 > 1,
			.words = below(3),
			.rails = 1 + i % 2 * below(PRP_WIN_RAILS),
		});
}

/* ---------------------------------------------------- a peer that lies */

/* What holds whatever a peer says. */
static void expect_sane(const struct prp_snd *snd)
{
	u64 repeats[PRP_WIN_WORDS];
	u32 seq;

	again_map(snd, repeats);
	expect_true(snd->nxt - snd->una <= PRP_WIN);
	expect_eq(bits(snd->sacked_map), snd->sacked);
	expect_eq(bits(snd->lost_map), snd->lost);
	expect_eq(bits(repeats), snd->again);
	expect_true(snd->sacked + snd->lost <= snd->nxt - snd->una);
	expect_true(snd->reorder >= PRP_REORDER_FIRST);
	expect_true(snd->reorder <= PRP_REORDER_MAX);
	expect_true(snd->edge - snd->una <= 0xffff);
	for (seq = snd->una; seq != snd->nxt; seq++)
		expect_true(!bit(snd->sacked_map, seq) ||
			    !bit(snd->lost_map, seq));
}

static struct prp_sack random_sack(const struct prp_snd *snd)
{
	struct prp_sack sack = { .words = below(PRP_WIN_WORDS + 1) };
	unsigned int i;

	sack.rails = unit_random() & unit_random();
	if (chance(300))
		sack.offset = below(chance(900) ? 100 : 0x10000);
	for (i = 0; i < PRP_WIN_RAILS; i++)
		sack.newest[i] = snd->txno[i] - below(40) - !chance(20);
	for (i = 0; i < sack.words; i++)
		if (chance(300))
			sack.map[i] = unit_random() >> below(64);
	return sack;
}

UNIT(prp_snd_ack__random_lies)
{
	struct prp_snd snd = sender(0);
	unsigned int i, kinds[3] = { 0 };
	u32 seq;

	for (i = 0; i < 60000; i++) {
		struct prp_sack sack = random_sack(&snd);
		u32 ack = snd.una + below(6) - below(6);
		struct prp_snd was;

		while (prp_snd_new_allowed(&snd) && !chance(100))
			put_new(&snd, 1, below(PRP_WIN_RAILS));
		if (chance(20))
			probe(&snd, below(PRP_WIN_RAILS));
		was = snd;
		switch (prp_snd_ack(&snd, ack, below(0x10000), &sack)) {
		case PRP_ACK_BAD:
			expect_eq(memcmp(&snd, &was, sizeof(was)), 0);
			kinds[PRP_ACK_BAD]++;
			break;
		case PRP_ACK_OLD:
			expect_eq(snd.una, was.una);
			kinds[PRP_ACK_OLD]++;
			break;
		case PRP_ACK_OK:
			expect_eq(snd.una, ack);
			kinds[PRP_ACK_OK]++;
		}
		prp_snd_find_lost(&snd);
		while (!chance(300) && prp_snd_first_lost(&snd, &seq))
			put(&snd, seq, below(PRP_WIN_RAILS));
		expect_sane(&snd);
	}
	for (i = 0; i < 3; i++)
		expect_true(kinds[i] > 1000);
}
