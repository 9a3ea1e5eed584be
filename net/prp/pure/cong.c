// SPDX-License-Identifier: GPL-2.0
/*
 * The congestion window; see cong.h. It counts and never sends anything.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "pure/cong.h"
#include "pure/window.h"

#define ONE PRP_CWND_ONE
#define BATCH PRP_CONG_BATCH
#define SMALL PRP_CWND_SMALL
#define CALM_US 500 /* that long a segment may wait for us alone ... */
#define CROWD_US 1200 /* ... and longer the smaller the window is, but ... */
#define CROWD 8 /* ... no longer than as many segments take */
#define LOW_US 250 /* that is as good as not at all */
#define RTT_MOST_US 5000 /* beyond the base, what silence makes of it */
#define BASE_TICKS 20000 /* a base is good for 10 to 20 s ... */
#define BASE_SHARE_TICKS 240000 /* ... or, beside others, for 2 to 4 minutes */
#define LATE_TICKS 1000 /* two processors' ticks differ by less */
#define DRAIN_LONG_US 12000
#define TOWARDS 32 /* parts of the way to where a small window belongs */
#define START_TICKS 2000 /* that long a crowd may take to settle */
#define JUDGED (16 * ONE)
#define FLOOD_LEAST 16 /* segments */
#define OVERTOOK_LEAST 4 /* segments: two that leave at once tell nothing */
#define PATIENCE 64 /* rounds: that often chance does not repeat itself */
#define START_PATIENCE 8 /* the same while the window is doubled */
#define START_LONG_US 4000 /* where to begin again takes long */
#define DOUBT 64 /* rounds */
#define HUSHED 2 /* rounds, in which all is found that was lost before */
#define LATE_US 30 /* an answer may be late by that */
#define STOOD 20 /* rounds, and ... */
#define STOOD_TICKS 300 /* a queue of others stands that long ... */
#define STOOD_START_TICKS 1000 /* ... or, in the beginning, that long */
#define STAYS_US 800 /* a queue of others is one if it is longer */
#define CUBIC_US 30000000 /* so much of the time since a loss counts */
#define POLICED_TICKS 4000
#define CROWD_TRIPS 2 /* round trips: the first may only have been the first */

/**
 * prp_cong_init() - begin
 * @cong: congestion window
 */
void prp_cong_init(struct prp_cong *cong)
{
	*cong = (struct prp_cong){
		.cwnd = PRP_CWND_FIRST * ONE,
		.pipe = PRP_WIN,
		.need = PRP_CWND_FIRST,
	};
}

/* Time has passed. Another processor's may be a little less than the last one,
 * and what is a little less than nothing would be taken for very long.
 */
static void cong_at(struct prp_cong *cong, u32 tick)
{
	if (cong->tick - tick > LATE_TICKS)
		cong->tick = tick;
}

static void cong_set(struct prp_cong *cong, u64 cwnd)
{
	cong->cwnd = clamp_t(u64, cwnd, PRP_CWND_LEAST, PRP_WIN * ONE);
}

static void cong_mode(struct prp_cong *cong, enum prp_cong_mode mode)
{
	if (cong->mode == PRP_CONG_SHARE)
		cong->base_tick = cong->tick; /* it was good until now */
	cong->mode = mode;
	cong->since_tick = cong->tick;
	cong->calm_tick = cong->tick;
	cong->grown = 0;
	cong->stood = 0;
	cong->run = 0;
}

/* The shortest round trip is forgotten in the end: ways change. But where
 * others keep a queue none is as short: who took the shortest one with it for
 * that of the way would leave to them all but what they do not fill.
 */
static void cong_base(struct prp_cong *cong, u32 us)
{
	bool shares = cong->mode == PRP_CONG_SHARE;
	u32 good = shares ? BASE_SHARE_TICKS : BASE_TICKS;
	u32 ago = cong->tick - cong->base_tick;

	if (!cong->base_us || ago > good) {
		if (!cong->base_us || ago > 2 * good)
			cong->base_next_us = us; /* that is too old, too */
		cong->base_us = cong->base_next_us;
		cong->base_next_us = us;
		cong->base_tick = cong->tick;
		cong->best /= 2;
	}
	cong->base_next_us = min(cong->base_next_us, us);
	cong->base_us = min(cong->base_us, us);
}

/**
 * prp_cong_first() - a round trip is known before anything was sent
 * @cong: congestion window, just begun
 * @rtt_us: of the handshake, microseconds, more than 0
 * @tick: time
 */
void prp_cong_first(struct prp_cong *cong, u32 rtt_us, u32 tick)
{
	cong->tick = tick;
	cong_base(cong, rtt_us);
	cong->rtt_us = rtt_us;
}

/**
 * prp_cong_crowd() - begin after a pause, as one of many who may
 * @cong: congestion window, with little in flight
 * @among: so many may begin at the same time, we among them
 * @known: segments that are known to get through
 * @tick: time
 *
 * All of them together begin with what one alone does, or with what is known.
 * Who learned to do with less goes on with that, and so does who shares a port
 * otherwise.
 *
 * Return: true if the window is smaller now.
 */
bool prp_cong_crowd(struct prp_cong *cong, u32 among, u32 known, u32 tick)
{
	u32 share = PRP_CWND_FIRST * ONE / max(among, 1U);
	u8 mode = cong->mode;

	share = max_t(u32, share, min_t(u32, known, PRP_WIN) * ONE);
	share = max_t(u32, share, PRP_CWND_LEAST);
	if (cong->cwnd <= share ||
	    (mode != PRP_CONG_START && mode != PRP_CONG_ALONE))
		return false;
	if (!cong->crowd) {
		cong->alone = cong->cwnd;
		cong->alone_mode = cong->hushed ? PRP_CONG_START : mode;
	}
	if (prp_noise_forget(&cong->noise))
		cong->alone = max(cong->alone, cong->before / 2);
	cong->hushed = 0;
	cong->crowd = CROWD_TRIPS;
	cong_at(cong, tick);
	cong->born_tick = tick;
	cong_mode(cong, PRP_CONG_ALONE);
	cong_set(cong, share);
	cong->pipe = PRP_WIN;
	cong->need = prp_cong_window(cong);
	cong->got = 0;
	cong->lost = 0;
	cong->round_us = 0;
	cong->last_us = 0;
	cong->limited = true;
	return true;
}

/* Something was lost, or nobody answers: perhaps the crowd is there. */
static void cong_crowded(struct prp_cong *cong)
{
	if (likely(!cong->crowd))
		return;
	cong->alone = min_t(u32, cong->alone, PRP_CWND_FIRST * ONE);
	cong->crowd = CROWD_TRIPS;
}

/* The crowd was expected: is it there? Its first one has nobody before it, but
 * all the others behind, so the second round trip tells. Round trips that are
 * long for another reason are no crowd where nobody else has sent anything;
 * where others have, and they are short all the same, the port is fast: then we
 * double our part. Return: true if we seem to be free.
 */
static bool cong_is_free(struct prp_cong *cong, u32 rtt_us, u32 active)
{
	u32 least = max_t(u32, LOW_US, cong->base_us / 8);
	bool quick = rtt_us <= cong->base_us + least;
	bool free = active == 1 || (!active && quick);

	if (--cong->crowd) {
		if (free)
			cong_set(cong, max_t(u32, cong->cwnd, ONE));
		return free;
	}
	if (free)
		cong_mode(cong, cong->alone_mode);
	else if (quick)
		cong_mode(cong, PRP_CONG_START);
	if (!free)
		cong->alone = active ? min_t(u32, cong->alone,
					     PRP_CWND_FIRST * ONE / active) :
				       0;
	cong_set(cong, max(cong->cwnd, cong->alone));
	return free;
}

/* The round trip with nothing of others in the queue: acknowledgments come
 * for half a window at once, whose last segment waits for the others, where
 * that is more than one.
 */
static u32 cong_free_us(const struct prp_cong *cong)
{
	u32 batch = clamp_t(u32, cong->cwnd / 2, ONE, BATCH * ONE);
	u32 rtt = min(cong->rtt_us, 2 * cong->base_us);

	return cong->base_us + div_u64((u64)rtt * (batch - ONE), cong->cwnd);
}

/* How long segments wait. */
static u32 cong_queue_us(const struct prp_cong *cong)
{
	u32 free = cong_free_us(cong);

	return cong->rtt_us > free ? cong->rtt_us - free : 0;
}

/* How much longer they may for the smallest window? */
static u32 cong_crowd_us(const struct prp_cong *cong)
{
	return min_t(u32, CROWD_US, CROWD * 1000 / max_t(u32, cong->best, 1));
}

/* How long they may. Who has less may wait for longer: so all of a crowd get
 * the same, and there is something for each in the queue.
 */
static u32 cong_may_us(const struct prp_cong *cong)
{
	u32 cwnd = min_t(u32, cong->cwnd, SMALL);

	return CALM_US + cong_crowd_us(cong) * (SMALL - cwnd) / SMALL;
}

/* The other way round: the window for which a queue is just as long as it may
 * be, 0 if it is too long for any.
 */
static u32 cong_belongs(const struct prp_cong *cong, u32 queue)
{
	u32 crowd = cong_crowd_us(cong);
	u32 over = queue > CALM_US ? queue - CALM_US : 0;

	return over < crowd ? SMALL * (crowd - over) / crowd : 0;
}

/* How far a small window goes towards that. All who share a port see the same
 * queue; so they come to have the same window, whatever they had. A window
 * below one has the fewer rounds the smaller it is: so it goes further in each.
 */
static u32 cong_towards(const struct prp_cong *cong, u32 queue)
{
	u32 to = cong_belongs(cong, queue), cwnd = cong->cwnd;
	u32 way = to > cwnd ? to - cwnd : cwnd - to;

	way = way * ONE / min_t(u32, cwnd, ONE) / TOWARDS;
	return clamp_t(u32, way, 1,
		       to > cwnd ? max_t(u32, cwnd, ONE / 4) : cwnd / 4);
}

/* How much more a small window gets in a round, of which it has the fewer the
 * smaller it is: what all of a crowd get at once has to be little.
 */
static u32 cong_small_step(u32 cwnd)
{
	if (cwnd >= ONE)
		return cwnd * cwnd / SMALL / 4;
	return clamp_t(u32, ONE * ONE / 128 / cwnd, ONE / 32, cwnd);
}

/* A segment more in each round, half of one where there is a queue; more and
 * more where there never is one.
 */
static void cong_grow(struct prp_cong *cong, u32 queue)
{
	u32 step = ONE;

	if (cong->lost && !cong->noise.share)
		cong->grown = 0;
	if (cong->cwnd < SMALL)
		step = max(cong_towards(cong, queue),
			   queue > CALM_US ? 0 : cong_small_step(cong->cwnd));
	else if (queue > LOW_US)
		step = ONE / 2;
	else if (cong->grown >= 8)
		step = clamp_t(u32, cong->cwnd / 16, ONE,
			       ONE << min(cong->grown / 8, 6));
	if (cong->grown < U8_MAX)
		cong->grown++;
	if (cong->pipe < PRP_WIN)
		step += step * min_t(u32, cong->got * ONE, cong->cwnd) /
			cong->cwnd;
	cong_set(cong, (u64)cong->cwnd + step);
}

/* The queue is too long. What we have in it goes: as much as is there beyond a
 * round trip with next to none, but not all of the window; of a small one as
 * much as it is too long. The pace stays when round trips get as much shorter.
 */
static void cong_cut(struct prp_cong *cong, u32 queue, u32 may)
{
	u32 cwnd = cong->cwnd, least = cwnd / 2;
	u64 left;

	cong->grown = 0;
	if (cwnd < SMALL) {
		left = cwnd -
		       div_u64((u64)cwnd * 4 * (queue - may), 5 * cong->rtt_us);
		left = min_t(u64, left, cwnd - cong_towards(cong, queue));
		cong_set(cong, max_t(u64, left, least));
		return;
	}
	if ((cwnd < 4 * SMALL || !cong->doubt) && queue < 2 * may)
		least = cwnd / 4 * 3;
	left = div_u64((u64)cwnd * (cong_free_us(cong) + LOW_US / 2),
		       cong->rtt_us);
	cong_set(cong, max_t(u64, left, least));
	cong->rtt_us = max_t(u64, div_u64((u64)cong->rtt_us * cong->cwnd, cwnd),
			     cong->base_us);
}

/* Losses where nothing waits. A small window says too little of them where
 * frames overtake each other. Return: true if the window is not to grow.
 */
static bool cong_judge(struct prp_cong *cong)
{
	if (cong->patience && cong->cwnd < JUDGED)
		return false;
	switch (prp_noise_round(&cong->noise, cong->got + cong->lost,
				cong->lost)) {
	case PRP_NOISE_FREE:
		return false;
	case PRP_NOISE_HOLD:
		cong->grown = 0;
		return true;
	case PRP_NOISE_TRY:
		cong->grown = 0;
		cong->before = cong->cwnd;
		cong_set(cong, cong->cwnd / 4);
		return true;
	case PRP_NOISE_CHANCE:
		cong_set(cong, max(cong->cwnd, cong->before));
		return true;
	case PRP_NOISE_TAKEN:
		cong_mode(cong, PRP_CONG_POLICED);
		cong_set(cong, cong->before / 2);
		return true;
	}
	return false;
}

/* So much is left of the window, for a loss: cong_tcp() begins there. */
static void cong_less(struct prp_cong *cong, u32 cwnd)
{
	if (cong->mode == PRP_CONG_SHARE) {
		cong->before = cong->cwnd;
		cong->since_us = 0;
		cong->grown = 0;
	}
	cong_set(cong, cwnd);
}

/* Something was lost, and segments wait: then it is no chance, if chance is not
 * known to take as much. What was sent before the window was made smaller does
 * not count again. Return: true if the window is to grow no more.
 */
static bool cong_drop(struct prp_cong *cong, u32 queue)
{
	bool again = cong->dropped;

	cong->dropped = false;
	if (!cong->lost || queue <= LOW_US)
		return false;
	if (cong->mode == PRP_CONG_ALONE &&
	    prp_noise_explains(&cong->noise, cong->got + cong->lost,
			       cong->lost))
		return false;
	cong->grown = 0;
	if (again)
		return true;
	cong_less(cong, cong->cwnd / 10 * 7);
	cong->dropped = true;
	return true;
}

/* Does somebody else keep a queue, whatever we do? All of us make their windows
 * smaller until it goes, and let it drain.
 */
static bool cong_stands(struct prp_cong *cong, u32 queue, u32 may)
{
	u32 ticks = cong->tick - cong->born_tick < START_TICKS ?
			    STOOD_START_TICKS :
			    STOOD_TICKS;

	if (cong->stays)
		may = min_t(u32, may, cong->doubt ? CALM_US : STAYS_US);
	if (queue > may + may / 4)
		cong->stood += cong->stood < U8_MAX;
	else
		cong->stood -= min_t(u8, cong->stood, 4);
	if (!cong->stood)
		cong->calm_tick = cong->tick;
	return cong->stays && queue > may && cong->stood > STOOD &&
	       cong->tick - cong->calm_tick > ticks;
}

/* Frames overtake each other: what makes a round trip longer is no queue then,
 * in which each stays behind the one before. By how long is known as far as
 * segments leave at the same distance.
 */
static void cong_overtook(struct prp_cong *cong, u32 segments)
{
	u64 us = (u64)segments * cong->rtt_us * ONE;

	if ((!cong->patience && segments < OVERTOOK_LEAST) ||
	    us < (u64)CALM_US * max_t(u32, cong->cwnd, ONE))
		return;
	cong->patience = PATIENCE;
	cong->lately = false;
}

/* A round trip was long, and the next one is short: then hosts came late to
 * what had arrived. A queue does not go that fast: as much of it is ours as we
 * have in flight, so it goes with that; and who else sees it makes the window
 * half at most. But once another one may have found that it had doubled its
 * window too often: so it has to be seen twice. What was taken for the end of
 * our own doubling was none then, if nothing was lost and that is not long ago;
 * what was found since is not to be doubled as many times again.
 */
static void cong_late(struct prp_cong *cong)
{
	u32 seg_us = cong->last_us / max_t(u32, cong->last_behind, 1);
	u32 was = cong->last_us, is = cong->round_us;

	if (cong->drained) {
		cong->drained--;
		return;
	}
	if (cong->late)
		cong->late--;
	if (cong->round_behind < cong->last_behind)
		was = seg_us * cong->round_behind;
	was -= min(was, cong->base_us);
	is -= min(is, cong->base_us);
	if (was <= max_t(u32, CALM_US, 3 * seg_us) || is >= was / 4)
		return;
	if (cong->late) {
		if (cong->mode == PRP_CONG_ALONE && !cong->patience &&
		    !cong->doubt && cong->tick - cong->born_tick < START_TICKS)
			cong_mode(cong, PRP_CONG_START);
		cong->lately |= !cong->patience;
		cong->patience = PATIENCE;
	}
	cong->late = PATIENCE;
}

/* Return: is a queue to be believed in? Where frames overtake each other it has
 * to be seen for long: by chance some round trip tells otherwise before.
 */
static bool cong_believes(struct prp_cong *cong, bool waits)
{
	if (waits) {
		cong->run += cong->run < U8_MAX;
		return cong->run > cong->patience;
	}
	if (cong->patience)
		cong->patience--;
	cong->run = 0;
	return true;
}

/* From now on we take our share. */
static void cong_join(struct prp_cong *cong)
{
	u32 cwnd = max(cong->cwnd, cong->calm);

	cong_mode(cong, PRP_CONG_SHARE);
	cong_set(cong, max_t(u32, cwnd, ONE));
	cong->others_us = cong->rtt_us - cong->base_us;
	cong->grown = 1;
	cong->dropped = false;
	cong->crowd = 0; /* whatever they are, they are there */
}

/* All of the queue is ours again. */
static void cong_part(struct prp_cong *cong)
{
	cong_mode(cong, PRP_CONG_ALONE);
	cong->calm = cong->cwnd;
}

static void cong_alone(struct prp_cong *cong)
{
	u32 queue = cong_queue_us(cong), may = cong_may_us(cong);
	bool believed = cong_believes(cong, queue > may);
	bool waits = queue > CALM_US;

	if (cong_stands(cong, queue, may) && believed) {
		cong_join(cong);
		return;
	}
	if (!believed) {
		if (!cong_judge(cong) && cong->limited && !cong->drain.now)
			cong_set(cong, (u64)cong->cwnd + ONE);
		return;
	}
	if (cong_drop(cong, queue))
		return;
	if (waits && prp_noise_forget(&cong->noise))
		cong_set(cong, max(cong->cwnd, cong->before / 2));
	if (queue <= may) {
		cong->calm = cong->cwnd;
		if ((waits || !cong_judge(cong)) && cong->limited &&
		    !cong->drain.now)
			cong_grow(cong, queue);
		return;
	}
	if (cong->limited)
		cong_cut(cong, queue, may);
	if (cong->patience)
		cong->run = 0;
}

/* Is a round trip as good as one without a queue? */
static bool cong_is_short(const struct prp_cong *cong, u32 rtt_us)
{
	return rtt_us <= cong->base_us + cong->base_us / 8 + LOW_US;
}

/* How long it takes cubic to be where it was before a loss, milliseconds: the
 * cube root of a quarter more than three tenths of these segments, in seconds.
 */
static u32 cong_cubic_ms(u32 cwnd)
{
	u64 cube = (u64)cwnd * 3000000000ULL / 4 / ONE;
	u32 root = 0, bit;

	for (bit = 1 << 12; bit; bit >>= 1)
		if ((u64)(root + bit) * (root + bit) * (root + bit) <= cube)
			root += bit;
	return root;
}

/* The window that TCP would have by now: what cubic has so long after it took
 * three tenths away, or what Reno with as little taken away has, if that is
 * more (RFC 9438, sections 4.2 and 4.3).
 */
static u64 cong_tcp(const struct prp_cong *cong)
{
	u64 reno = cong->before / 10 * 7 +
		   div_u64((u64)cong->since_us * ONE / 2, cong->rtt_us);
	s64 ms = cong->since_us / 1000, cubic;

	ms -= cong_cubic_ms(cong->before);
	cubic = cong->before +
		div_s64(div_s64(ms * ms * ms, 10000) * 4 * ONE, 1000000);
	return max_t(s64, reno, cubic);
}

/* As TCP does, once a loss has shown that others do; until then more and more,
 * but about as much as is there of others at most: they may only keep what they
 * were told to, and never take back what we take.
 */
static void cong_share(struct prp_cong *cong)
{
	u32 queue = cong_queue_us(cong), was = cong->cwnd;
	const u64 most = (u64)was + was / 2;
	u64 to = most;

	if (cong_drop(cong, queue))
		return;
	if (!cong->limited || cong->drain.now)
		return;
	cong->used = true;
	if (!cong->grown) {
		cong->since_us =
			min_t(u32, cong->since_us + cong->rtt_us, CUBIC_US);
		to = cong_tcp(cong);
	} else if (cong->drain.high_us >
		   cong->base_us + cong->others_us / 2 * 3) {
		return;
	}
	cong_set(cong, clamp_t(u64, to, was, most));
}

/* The queue of others alone takes this long, and what is more was ours: as much
 * as TCP leaves to who comes late may be little for long, so it becomes two
 * fifths of all, by and by, if we use it.
 */
static void cong_catch_up(struct prp_cong *cong, u32 rtt_us)
{
	u32 others = rtt_us - cong->base_us, was = cong->drain.from_us;

	if (!cong->used || was >= rtt_us + others / 3 * 2)
		return;
	cong->before = min_t(u32, cong->before / 8 * 9, PRP_WIN * ONE);
	cong_set(cong, cong->cwnd + cong->cwnd / 8);
}

/* A port drops what is too much, and nothing else tells. */
static void cong_policed(struct prp_cong *cong)
{
	u32 queue = cong_queue_us(cong),
	    step = min_t(u32, cong->cwnd / 16, ONE / 4);

	if (queue > 2 * CALM_US ||
	    cong->tick - cong->since_tick > POLICED_TICKS ||
	    prp_noise_stays(&cong->noise, cong->got + cong->lost, cong->lost)) {
		cong_mode(cong, PRP_CONG_ALONE);
		return;
	}
	if (cong->cwnd < ONE)
		step = cong_small_step(cong->cwnd);
	if (cong->lost)
		cong_set(cong, cong->cwnd / 10 * 7);
	else /* or it would be no round: prp_cong_is_idle() */
		cong_set(cong, (u64)cong->cwnd + step);
}

/* For how many rounds may segments seem to wait while the window is doubled? */
static u8 cong_start_patience(const struct prp_cong *cong)
{
	if (cong->lost)
		return 0;
	if (cong->patience)
		return START_PATIENCE;
	return cong->base_us > START_LONG_US;
}

static void cong_start(struct prp_cong *cong)
{
	u32 left;

	if (cong_queue_us(cong) <= max(cong_may_us(cong), cong->base_us / 8)) {
		cong->run = 0;
		return;
	}
	if (cong->run++ < cong_start_patience(cong)) {
		left = max_t(u32, cong->round_behind, PRP_CWND_FIRST) * ONE;
		if (!cong->patience)
			cong_set(cong, min(cong->cwnd, left));
		return;
	}
	left = div_u64((u64)cong->cwnd * cong->base_us, cong->rtt_us);
	cong_mode(cong, PRP_CONG_ALONE);
	cong_set(cong, max(left, cong->cwnd / 4));
}

/* Doubling goes on unless segments may have to wait. */
static void cong_double(struct prp_cong *cong, u32 acked)
{
	cong->born_tick = cong->tick;
	if (cong->limited && (!cong->run || cong->patience))
		cong_set(cong, (u64)cong->cwnd + acked * ONE);
}

/* Most of it was lost: that is no chance. Return: true if it was so. */
static bool cong_flooded(struct prp_cong *cong)
{
	u32 all = cong->got + cong->lost;

	if (!cong->lost || cong->lost * 2 < all ||
	    (cong->patience && all < FLOOD_LEAST) ||
	    (cong->lost <= 2 && (cong->cwnd >= SMALL || cong->round_us)))
		return false;
	if (cong->mode == PRP_CONG_START)
		cong_mode(cong, PRP_CONG_ALONE);
	cong->grown = 0;
	cong_less(cong, cong->cwnd / 2);
	return true;
}

/* Nothing is heard of round trips: they are taken for longer. */
static void cong_deaf(struct prp_cong *cong)
{
	cong->rtt_us = min(cong->rtt_us * 2, cong->base_us + RTT_MOST_US);
}

/* What round trip has the round shown? Where the window is small it is that of
 * a single segment, which others' bursts may delay: so of two the shorter one
 * counts.
 */
static void cong_trip(struct prp_cong *cong)
{
	u32 last = cong->last_us;

	if (!cong->round_us)
		return;
	cong_late(cong);
	cong->last_us = cong->round_us;
	cong->last_behind = cong->round_behind;
	cong->rtt_us = cong->round_us;
	if (last && prp_cong_is_small(cong))
		cong->rtt_us = min(cong->rtt_us, last);
	prp_drain_saw(&cong->drain, cong->rtt_us);
}

/* The same of a round in which nothing was kept back. */
static void cong_rest(struct prp_cong *cong)
{
	if (cong->round_us)
		cong->rtt_us = cong->round_us;
	cong->last_us = 0;
}

/* How fast is the port, as far as we have seen? Where segments wait, as many
 * pass it in a round trip as were in flight when it began; but not while a
 * queue drains, which empties what is in flight, and not those that were lost:
 * that is found out behind the acknowledgment, so it counts by the next one.
 */
static void cong_best(struct prp_cong *cong, u32 behind, u32 rtt_us)
{
	cong->best = max(cong->best, cong->maybe);
	cong->maybe = 0;
	if (rtt_us > cong->base_us + LOW_US && !cong->drain.now &&
	    !cong->drain.after)
		cong->maybe = min_t(u32, behind * 1000 / rtt_us, U16_MAX);
}

/* When is a question to be asked? So that the answer is back when what is in
 * flight behind it has just passed the port; if that is not known, or an answer
 * may be lost, twice in a window. So it is in a small one, which is one of
 * many, and where others keep a queue: how fast they grow is by the answers.
 */
static void cong_asks(struct prp_cong *cong)
{
	u64 pipe = div_u64((u64)cong->best * (cong->base_us + LATE_US), 1000);
	bool alone = cong->mode == PRP_CONG_ALONE && cong->cwnd >= 4 * SMALL;

	if (cong->doubt)
		cong->doubt--;
	cong->fills = alone && cong->doubt &&
		      cong_queue_us(cong) <= cong_may_us(cong);
	cong->pipe = PRP_WIN;
	if (alone && !cong->doubt && cong->best &&
	    prp_cong_window(cong) <= pipe + PRP_CONG_BATCH_LONG)
		cong->pipe = min_t(u64, pipe + 1, PRP_WIN);
}

/* Something is lost: what is asked next, or its answer, may be, too. */
static void cong_doubt(struct prp_cong *cong)
{
	cong->doubt = DOUBT;
	cong->pipe = PRP_WIN;
}

/* The first round after a silence: if little waits that was no congestion, and
 * we begin again. Return: true if so.
 */
static bool cong_wakes(struct prp_cong *cong)
{
	if (!cong->hushed || --cong->hushed != HUSHED - 1 || cong->crowd ||
	    cong_queue_us(cong) > max_t(u32, LOW_US, cong->base_us / 8))
		return false;
	cong_mode(cong, PRP_CONG_START);
	return true;
}

/* A round is over, and has shown a round trip or a flood. */
static void cong_round(struct prp_cong *cong)
{
	cong_trip(cong);
	cong_asks(cong);
	if (cong_flooded(cong)) {
		if (!cong->round_us)
			cong_deaf(cong);
		if (cong->mode == PRP_CONG_ALONE &&
		    cong_stands(cong, cong_queue_us(cong), cong_may_us(cong)))
			cong_join(cong);
		return;
	}
	if (!cong->round_us)
		return;
	if (cong_wakes(cong))
		return;
	switch (cong->mode) {
	case PRP_CONG_START:
		cong_start(cong);
		break;
	case PRP_CONG_ALONE:
		cong_alone(cong);
		break;
	case PRP_CONG_SHARE:
		cong_share(cong);
		break;
	case PRP_CONG_POLICED:
		cong_policed(cong);
		break;
	}
}

/* Is it over? Something is to be heard of all that was in flight when it
 * began, or of as much as may be in flight by now, and a round trip is to be
 * known, if it does not take too long.
 */
static bool cong_is_over(const struct prp_cong *cong)
{
	u32 all = cong->got + cong->lost;

	if (all < min_t(u32, cong->need, prp_cong_window(cong)))
		return false;
	return cong->round_us || cong->lost * 2 >= all || all >= 4 * cong->need;
}

/* Which of these segments tell something of the way? The first ones are taken
 * for those that went another one. Return: how many do.
 */
static u32 cong_fresh(struct prp_cong *cong, u32 segs)
{
	u32 stale = min_t(u32, segs, cong->stale);

	cong->stale -= stale;
	return segs - stale;
}

/* Each so many ticks the queue is to drain, 0 for never. */
static u32 cong_drain_every(const struct prp_cong *cong)
{
	if (cong->mode != PRP_CONG_SHARE && cong->mode != PRP_CONG_ALONE)
		return 0;
	return cong->rtt_us > DRAIN_LONG_US ? PRP_DRAIN_LONG_EVERY :
					      PRP_DRAIN_EVERY;
}

/**
 * prp_cong_acked() - segments have arrived
 * @cong: congestion window
 * @heard: what is known of them
 *
 * Return: what that meant.
 */
enum prp_cong_said prp_cong_acked(struct prp_cong *cong,
				  const struct prp_cong_heard *heard)
{
	u32 was = cong->cwnd, acked = heard->acked;
	bool free = false, drains;

	if (unlikely(cong->stale)) {
		acked = cong_fresh(cong, acked);
		if (!acked)
			return PRP_CONG_NOTHING;
	}
	cong_at(cong, heard->tick);
	drains = prp_drain_begin(&cong->drain, cong_drain_every(cong),
				 cong->tick);
	if (cong->drain.now || cong->drain.after)
		cong->drained = 2;
	cong->got = min_t(u32, cong->got + acked, 4 * PRP_WIN);
	if (heard->overtook)
		cong_overtook(cong, heard->overtook);
	if (heard->rtt_us) {
		if (!heard->again || !cong->base_us)
			cong_base(cong, heard->rtt_us);
		if (!cong->rtt_us)
			cong->rtt_us = heard->rtt_us;
		if (!cong->round_us || heard->rtt_us < cong->round_us) {
			cong->round_us = heard->rtt_us;
			cong->round_behind = heard->behind;
		}
		cong_best(cong, heard->behind, heard->rtt_us);
		if (unlikely(cong->crowd) && !heard->again)
			free = cong_is_free(cong, heard->rtt_us, heard->active);
	}
	if (cong->mode == PRP_CONG_START)
		cong_double(cong, acked);
	if (heard->missed)
		cong_doubt(cong);
	if (!cong_is_over(cong)) {
		if (unlikely(drains))
			return PRP_CONG_DRAINS;
		return free ? PRP_CONG_FREE : PRP_CONG_NOTHING;
	}
	if (!prp_cong_is_idle(cong))
		cong_round(cong);
	else
		cong_rest(cong);
	cong->need = clamp_t(u32, heard->in_flight, 1, PRP_WIN);
	cong->got = 0;
	cong->lost = 0;
	cong->round_us = 0;
	cong->limited = false;
	if (unlikely(drains))
		return PRP_CONG_DRAINS;
	if (unlikely(free))
		return PRP_CONG_FREE;
	return cong->cwnd < was ? PRP_CONG_CUT : PRP_CONG_ROUND;
}

/**
 * prp_cong_lost() - segments were found lost
 * @cong: congestion window
 * @lost: how many
 *
 * What that means is told when the round is over; but doubling ends at once
 * when it is a quarter.
 *
 * Return: true if the window is smaller now.
 */
bool prp_cong_lost(struct prp_cong *cong, unsigned int lost)
{
	lost = cong_fresh(cong, lost);
	if (!lost)
		return false;
	cong->maybe = 0;
	cong_doubt(cong);
	cong_crowded(cong);
	if (cong->hushed)
		return false; /* all that was sent before is */
	cong->lost = min_t(u32, cong->lost + lost, PRP_WIN);
	if (cong->mode != PRP_CONG_START || cong->lost <= 2 ||
	    cong->lost * 4 <= cong->got + cong->lost)
		return false;
	cong_mode(cong, PRP_CONG_ALONE);
	cong_set(cong, cong->cwnd / 2);
	cong->need = cong->got + cong->lost + prp_cong_window(cong);
	return true;
}

/**
 * prp_cong_silent() - a probe stayed without an answer
 * @cong: congestion window
 */
void prp_cong_silent(struct prp_cong *cong)
{
	if (cong->mode == PRP_CONG_START)
		cong_mode(cong, PRP_CONG_ALONE);
	cong_doubt(cong);
	cong_crowded(cong);
	cong_deaf(cong);
	if (cong->cwnd <= ONE)
		return;
	cong_less(cong, max_t(u32, cong->cwnd / 2, ONE));
	if (cong->cwnd == ONE) {
		cong->hushed = HUSHED;
		cong->lost = 0;
	}
}

/**
 * prp_cong_pace() - how fast segments may leave
 * @cong: congestion window
 * @size: of a segment, bytes
 *
 * A little faster than one window in a round trip, so that it is the window
 * that waits; twice as fast while it is doubled; a part of it while the queue
 * is to drain. A small window is all pace: a round trip is not taken for longer
 * than it should be then, or a crowd were too slow to see that the queue has
 * gone; nor is it where round trips differ.
 *
 * Return: bytes a second, at least 1; U64_MAX before a round trip is known.
 */
u64 prp_cong_pace(const struct prp_cong *cong, u32 size)
{
	bool drains = cong->drain.now;
	u32 rtt = cong->rtt_us;
	u64 pace;

	if (!rtt)
		return U64_MAX;
	if (cong->patience ||
	    (cong->mode == PRP_CONG_ALONE && cong->cwnd < SMALL))
		rtt = min(rtt, cong_free_us(cong) + cong_may_us(cong));
	if (drains || cong->drain.after)
		rtt = max(rtt, cong->drain.from_us);
	if (drains)
		rtt *= PRP_DRAIN_SHARE;
	pace = div_u64((u64)cong->cwnd * size * 1000000 / ONE, rtt) ?: 1;
	if (cong->mode == PRP_CONG_START)
		return pace * 2;
	if (cong->cwnd >= 2 * ONE && !drains && !cong->drain.after)
		pace += pace / 4;
	return pace;
}

/**
 * prp_cong_tick() - time has passed
 * @cong: congestion window
 * @tick: time
 *
 * It is to be called in each tick in which something may leave, and may not be
 * for prp_drain_next() ticks if nothing may.
 *
 * Return: true if the way is to be asked for its round trip now, which
 * prp_cong_drained() is to be told of.
 */
bool prp_cong_tick(struct prp_cong *cong, u32 tick)
{
	return prp_drain_tick(&cong->drain, cong_drain_every(cong), tick);
}

/**
 * prp_cong_drained() - the way has answered when the queue had drained
 * @cong: congestion window
 * @rtt_us: what that took, microseconds, more than 0
 * @tick: time
 *
 * If there was no queue all of it is ours. Then a long round trip was none of a
 * host that came late, either.
 */
void prp_cong_drained(struct prp_cong *cong, u32 rtt_us, u32 tick)
{
	u32 low_us = cong->drain.low_us;

	cong_at(cong, tick);
	cong_base(cong, rtt_us);
	prp_drain_saw(&cong->drain, rtt_us);
	cong->drain.low_us = 0;
	cong->stays = !cong_is_short(cong, rtt_us);
	if (cong->stays) {
		if (cong->mode != PRP_CONG_SHARE)
			return;
		if (cong->grown)
			cong->others_us = rtt_us - cong->base_us;
		else
			cong_catch_up(cong, rtt_us);
		cong->used = false;
		return;
	}
	cong->stood = 0;
	if (cong->mode == PRP_CONG_SHARE)
		cong_part(cong);
	if (!cong->lately || cong_is_short(cong, low_us))
		return;
	cong->lately = false;
	cong->patience = 0;
	cong->late = 0;
}

/**
 * prp_cong_clock() - the clock was set
 * @cong: congestion window
 * @by: ticks that it is ahead of what it was, modulo 2^32
 *
 * As much time has passed as before.
 */
void prp_cong_clock(struct prp_cong *cong, u32 by)
{
	cong->base_tick += by;
	cong->tick += by;
	cong->born_tick += by;
	cong->calm_tick += by;
	cong->since_tick += by;
	cong->drain.tick += by;
}
