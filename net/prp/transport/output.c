// SPDX-License-Identifier: GPL-2.0
/*
 * Which segment goes out next, and when: the window, the pace, the rail's room
 * and the cork are asked, and a burst of segments is handed down in one section
 * with BH off.
 */
#include "network/hop.h"
#include "socket/sock.h"
#include "transport/below.h"
#include "transport/crowd.h"
#include "transport/failover.h"
#include "transport/lull.h"
#include "transport/output.h"
#include "transport/watch.h"
#include "transport/xmit.h"

#define BURST 8 /* frames handed down under one hold of the lock */
#define BURSTS 6 /* of these in one section with BH off */
#define NO_ROUTE_TICKS (10 * PRP_TICKS_MS)

/* Is a new segment the last of a few short ones, behind which the next waits
 * until they are acknowledged? Where the answer comes so soon that nothing is
 * ever behind them only every other time is asked: a frame for each write and
 * an answer for every fourth one would do nobody a service.
 */
static bool output_is_last_short(const struct prp_conn *conn, u32 seq)
{
	const struct prp_tx *tx = &conn->tx;

	return unlikely(tx->shorts == PRP_TX_FEW - 1) && tx->asks &&
	       !tx->nodelay && seq == conn->snd.nxt &&
	       prp_conn_seg(conn, seq)->len < conn->path.size &&
	       !prp_before(tx->short_seq, conn->snd.una);
}

/* How many segments may be in flight, for all that bounds them? */
static u32 output_allowed(const struct prp_conn *conn)
{
	return min_t(u32, prp_cong_window(&conn->cong),
		     conn->snd.edge - conn->snd.una);
}

/* May a segment be timed? Not while another one is, and one in a tick. */
static bool output_may_time(const struct prp_conn *conn)
{
	return !conn->rtt.start_ns && conn->rtt.tick != (u32)prp_timers_now();
}

/* Ask for an acknowledgment so that it is back before the sender runs dry
 * (papers/000, section 2.2), at the end of a queue that fills the program's
 * buffer, when the next short one waits for it, of each that can be timed while
 * round trips tell what others do, and of one before any round trip is known.
 */
static bool output_wants_ack(struct prp_conn *conn, u32 seq, unsigned int segs,
			     bool last)
{
	conn->tx.since_acknow += segs;
	if (!prp_cong_asks(&conn->cong, conn->tx.since_acknow,
			   prp_snd_in_flight(&conn->snd) + segs,
			   output_allowed(conn), segs) &&
	    (likely(conn->cong.base_us) || conn->rtt.start_ns) &&
	    !(unlikely(conn->cong.drain.now) && output_may_time(conn)) &&
	    !(last && conn->tx.bytes > conn->tx.sndbuf / 2) &&
	    !output_is_last_short(conn, seq))
		return false;
	conn->tx.since_acknow = 0;
	return true;
}

/* A new segment has left: were the last short ones acknowledged, and is it one
 * of those to come?
 */
static void output_left(struct prp_conn *conn, u32 seq)
{
	struct prp_tx *tx = &conn->tx;
	u8 shorts = tx->shorts;

	if (prp_before(tx->short_seq, conn->snd.una)) {
		if (unlikely(shorts == PRP_TX_FEW)) {
			tx->asks = tx->behind || !tx->asks;
			tx->behind = false;
		}
		shorts = 0;
	}
	if (prp_conn_seg(conn, seq)->len < conn->path.size) {
		tx->short_seq = seq;
		if (shorts < PRP_TX_FEW)
			shorts++;
	}
	tx->shorts = shorts;
}

static bool output_has_work(const struct prp_conn *conn)
{
	return conn->snd.nxt != conn->tx.end || conn->snd.lost;
}

/* The queue has drained: how long is the way for a segment? Those of a crowd
 * would only wait for each other's: they ask with what is short. What passes at
 * all is to be known first: the answer would hide that to a search.
 */
static void output_ask(struct prp_conn *conn)
{
	u32 txno = conn->snd.txno[conn->rail];
	u64 start_ns;
	int err;

	if (conn->path.search.rungs)
		return;
	start_ns = ktime_get_ns(); /* see output_start() */
	if (conn->crowd.among > 2)
		err = __prp_xmit_probe(conn, 0);
	else
		err = __prp_xmit_sized_probe(conn, conn->rail, conn->path.size);
	if (!err && conn->snd.probe[conn->rail] == txno)
		prp_rtt_probe(&conn->rtt, txno, start_ns);
}

/* The time of day, by which all drain at once, may have been set. */
static void output_clock(struct prp_conn *conn)
{
	u32 clock = prp_timers_ahead();

	prp_cong_clock(&conn->cong, clock - conn->clock);
	conn->clock = clock;
}

static_assert(PRP_PACE_SECOND == 1000 * PRP_TICKS_MS);

/* Another tick has begun: more may leave. */
static noinline void output_fill(struct prp_conn *conn, u64 now)
{
	u32 size = conn->seg_size + PRP_SEG_OVERHEAD;
	u32 burst = prp_cong_burst(&conn->cong);
	u64 rate;

	if (unlikely(prp_cong_tick(&conn->cong, now + conn->clock))) {
		output_ask(conn);
		output_clock(conn);
	}
	prp_snd_passed(&conn->snd);
	if (conn->sk)
		conn->pace.bound = prp_pacing_max(conn->sk) ?: U64_MAX;
	rate = prp_cong_pace(&conn->cong, size);
	if (unlikely(conn->pace.bound < rate)) {
		rate = conn->pace.bound;
		burst = 1; /* and one that takes more than is there */
	}
	prp_pace_fill(&conn->pace, now, rate, burst * size);
	if (unlikely(!conn->cong.rtt_us)) /* no more than one may save up */
		prp_pace_most(&conn->pace, prp_cong_window(&conn->cong) * size);
}

/* May a segment leave yet, or too many have of late? What is saved up is not
 * looked at before it is used, but for that of small windows.
 */
static noinline bool output_paced(struct prp_conn *conn)
{
	u64 now = prp_timers_now();
	u32 wait;

	if (conn->pace.tick != now)
		output_fill(conn, now);
	if (conn->pace.left > 0)
		return true;
	conn->cong.limited = true;
	conn->pace.waits = true;
	wait = min(prp_pace_wait(&conn->pace),
		   prp_drain_next(&conn->cong.drain, now + conn->clock));
	__prp_timers_due(conn, conn->pace.tick + wait);
	return false;
}

static bool output_in_pace(struct prp_conn *conn)
{
	return likely(conn->pace.left > 0 && !prp_cong_is_small(&conn->cong)) ||
	       output_paced(conn);
}

/* Which segment may go out now, repeats first; there is one that would. */
static bool output_pick(struct prp_conn *conn, u32 *seq)
{
	struct prp_snd *snd = &conn->snd;

	if (atomic_read(&conn->below.frames[conn->rail]) >= conn->below.room)
		return false; /* below_left() goes on */
	if (prp_snd_in_flight(snd) >= prp_cong_window(&conn->cong)) {
		conn->cong.limited = true;
		return false;
	}
	if (unlikely(snd->lost)) {
		if (conn->watch.starved || !prp_snd_first_lost(snd, seq))
			return false;
	} else {
		*seq = snd->nxt;
		if (!prp_snd_new_allowed(snd) || __prp_output_waits(conn, *seq))
			return false;
	}
	return output_in_pace(conn);
}

/* When does what is to be timed leave? That is a segment that is answered at
 * once, or is alone, if none is timed, and none was in this tick. The clock is
 * read before: who loses the processor while a device takes the frame may have
 * the answer by the time that it goes on, and the way would seem to be short.
 * Return: nanoseconds, 0 if it is not timed.
 */
static u64 output_start(const struct prp_conn *conn, unsigned int segs,
			bool asked)
{
	if (!output_may_time(conn) ||
	    (!asked && prp_snd_in_flight(&conn->snd) + segs > 1))
		return 0;
	return ktime_get_ns();
}

/* A segment that left at that time is timed. */
static void output_timed(struct prp_conn *conn, u32 seq, bool again, bool asked,
			 u64 start_ns)
{
	struct prp_rtt *rtt = &conn->rtt;

	rtt->tick = prp_timers_now();
	rtt->seq = seq;
	rtt->txno = conn->snd.seg_txno[seq & conn->snd.mask];
	rtt->behind = prp_snd_in_flight(&conn->snd);
	rtt->again = again;
	rtt->asked = asked;
	rtt->start_ns = start_ns;
}

/* How many segments may go out at once, as one frame: what both windows, the
 * bound of frames below, the pace and the cork allow of the new ones, up to
 * that which has to ask. This is where a run is bounded.
 */
static unsigned int output_most(struct prp_conn *conn)
{
	const struct prp_snd *snd = &conn->snd;
	u32 end = conn->tx.end, window, in_flight;

	window = prp_cong_window(&conn->cong);
	in_flight = prp_snd_in_flight(snd);
	if (unlikely(in_flight >= window))
		return 1;
	if (__prp_output_waits(conn, end - 1))
		end--;
	end = min(end - snd->nxt, snd->edge - snd->nxt);
	end = min(end, snd->una + PRP_WIN - snd->nxt);
	end = min(end, prp_snd_piece(&conn->snd));
	end = min(end, window - in_flight);
	end = min_t(u64, end,
		    1 + div_u64(max(conn->pace.left, 0LL),
				conn->seg_size + PRP_SEG_OVERHEAD));
	if (conn->cong.pipe < PRP_WIN)
		end = min(end, prp_cong_left(&conn->cong, conn->tx.since_acknow,
					     output_allowed(conn)));
	return min_t(u32, end,
		     conn->below.room -
			     atomic_read(&conn->below.frames[conn->rail]));
}

/* Make one frame of new segments, of which there are more than one. Return: it,
 * or NULL if the next one goes alone, and if runs is false now all of a burst.
 */
static noinline struct sk_buff *
output_run_build(struct prp_conn *conn, const struct prp_hop *hop, bool *runs)
{
	unsigned int segs = output_most(conn);
	struct sk_buff *run = NULL;

	if (segs > 1)
		run = __prp_xmit_run_build(conn, hop, &segs);
	*runs = segs;
	return run;
}

/* The same, if there is more than one and runs is true. */
static struct sk_buff *output_run(struct prp_conn *conn,
				  const struct prp_hop *hop, bool *runs)
{
	if (unlikely(!*runs))
		return NULL;
	if (unlikely(conn->crowd.among > 1))
		__prp_crowd_begin(conn); /* may make the window smaller */
	if (likely(conn->tx.end - conn->snd.nxt < 2) || conn->snd.lost)
		return NULL;
	return output_run_build(conn, hop, runs);
}

/* Send a segment, or a run of new ones. Return: 0 or a negative errno. */
static __always_inline int output_some(struct prp_conn *conn,
				       const struct prp_hop *hop, u32 seq,
				       struct sk_buff *run)
{
	unsigned int segs = unlikely(run) ? skb_shinfo(run)->gso_segs : 1;
	struct prp_snd *snd = &conn->snd;
	u32 bytes = unlikely(run) ? run->data_len :
				    prp_conn_seg(conn, seq)->len;
	u16 asked = conn->tx.since_acknow;
	bool repeat = seq != snd->nxt;
	u16 flags = 0;
	bool last, asks;
	u64 start_ns;
	int err;

	last = snd->lost == repeat &&
	       snd->nxt + (repeat ? 0 : segs) == conn->tx.end;
	if (last && !conn->messages)
		flags = PRP_F_EOM;
	asks = output_wants_ack(conn, seq, segs, last);
	if (asks)
		flags |= PRP_F_ACKNOW;
	if (unlikely(repeat) && conn->rtt.seq == seq)
		prp_rtt_forget(&conn->rtt);
	/* an end alone is not timed: what comes of it is of little use */
	start_ns = likely(bytes) ? output_start(conn, segs, asks) : 0;
	err = unlikely(run) ? __prp_xmit_run(conn, hop, run, segs, flags) :
			      __prp_xmit_segment(conn, hop, seq, flags);
	if (unlikely(err)) {
		conn->tx.since_acknow = asked;
		return err;
	}
	conn->stats.segs_out += segs;
	prp_mib_add(conn->pn, PRP_MIB_SEGS_OUT, segs);
	conn->pace.left -= bytes + segs * PRP_SEG_OVERHEAD;
	if (start_ns)
		output_timed(conn, seq + segs - 1, repeat, asks, start_ns);
	if (repeat) {
		this_cpu_inc(conn->pn->mib->rail[snd->again_rail].lost);
		conn->stats.segs_retransmitted++;
		prp_mib_inc(conn->pn, PRP_MIB_SEGS_RETRANSMITTED);
	} else {
		conn->stats.bytes_out += bytes;
		output_left(conn, seq + segs - 1);
		/* what the window has held back has had no time yet */
		if (conn->watch.probing && seq == snd->una)
			conn->watch.progress_tick = prp_timers_now();
	}
	return 0;
}

/* Where a burst goes. Return: 0; -EAGAIN if it is another rail than the one
 * whose window has let it; another negative errno if there is no way.
 */
static int output_way(struct prp_conn *conn, struct prp_hop *hop)
{
	int err;

	__prp_xmit_here(conn);
	/* BH are off, which is an RCU read section, too */
	err = prp_hop_rcu(conn->pn, conn->key.peer, PRP_RAIL_ANY, hop);
	if (unlikely(err)) {
		__prp_watch_retry(conn, NO_ROUTE_TICKS);
	} else if (unlikely(hop->rail != conn->rail)) {
		__prp_failover_use(conn, hop->rail, prp_timers_now());
		err = -EAGAIN;
	}
	return err;
}

/**
 * __prp_output_push() - send what may be sent, a burst of it
 * @conn: connection, its lock held
 *
 * A processor that receives a frame of this connection meanwhile waits for the
 * lock, and with it all else that it has received. So a burst is no more than
 * 8 frames, and ends with a run, or with a segment that has more fragments; the
 * lock is fair, and who waits has it before the next burst.
 *
 * Return: true if there is more that may be sent now: call it again, after
 * the lock was dropped.
 */
bool __prp_output_push(struct prp_conn *conn)
{
	struct prp_hop hop = { .dev = NULL };
	unsigned int burst = BURST;
	struct sk_buff *run;
	bool runs = true;
	u32 seq, txno, now_in;
	int err = 0;

	lockdep_assert_held(&conn->lock);
	if (conn->state != PRP_ESTABLISHED)
		return false;
	conn->pace.waits = false;
	while (burst && output_has_work(conn) && output_pick(conn, &seq)) {
		if (!hop.dev) {
			err = output_way(conn, &hop);
			if (unlikely(err == -EAGAIN))
				continue;
			if (unlikely(err))
				return false;
		}
		run = output_run(conn, &hop, &runs);
		txno = conn->snd.txno[hop.rail];
		err = output_some(conn, &hop, seq, run);
		if (unlikely(err && run)) {
			runs = false;
			continue; /* there may be room for a frame */
		}
		if (unlikely(err)) {
			__prp_below_full(conn);
			break;
		}
		burst -= min(conn->snd.txno[hop.rail] - txno, burst);
	}
	if (conn->snd.nxt + 1 == conn->tx.end && !conn->tx.corked &&
	    __prp_output_waits(conn, conn->snd.nxt)) {
		conn->tx.behind = true;
		__prp_lull_wait(conn);
	}
	now_in = prp_snd_in_flight(&conn->snd);
	if (now_in > conn->stats.in_flight_max)
		conn->stats.in_flight_max = now_in;
	if (unlikely(conn->pace.waits) && conn->snd.una == conn->snd.nxt) {
		conn->watch.probing = false; /* nobody owes us anything */
		conn->crowd.goes_on = true;
	} else if (!conn->watch.probing && conn->snd.una != conn->tx.end) {
		__prp_watch_started(conn);
	}
	if (unlikely(conn->tx.notsent_lowat))
		prp_wake_writable(conn, 0);
	return !burst;
}

/**
 * __prp_output_push_bh() - the same from a softirq
 * @conn: connection, its lock held
 *
 * What one burst leaves goes on in a softirq of its own.
 */
void __prp_output_push_bh(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->tx.pushing && __prp_output_push(conn))
		prp_below_kick(conn);
}

/* The bursts that follow a first one. Between two of them the lock is dropped
 * and BH stay off. Who has the lock then leaves it to us to send: two
 * processors' frames would overtake each other. Return: true if there is more
 * that may be sent now.
 */
static bool output_bursts(struct prp_conn *conn)
{
	unsigned int bursts = BURSTS;

	do {
		if (!--bursts)
			return true;
		conn->tx.pushing = true;
		spin_unlock(&conn->lock);
		spin_lock(&conn->lock);
		conn->tx.pushing = false;
	} while (__prp_output_push(conn));
	return false;
}

/**
 * prp_output_kicked() - go on in the softirq that prp_below_kick() asked for
 * @conn: connection, not locked; BH are off
 */
void prp_output_kicked(struct prp_conn *conn)
{
	spin_lock(&conn->lock);
	if (!conn->tx.pushing && __prp_output_push(conn) && output_bursts(conn))
		prp_below_kick(conn); /* others have their turn */
	spin_unlock(&conn->lock);
}

/**
 * __prp_output_rest() - send what a first burst has left, with BH on now and
 * then
 * @conn: connection, its lock held, which is dropped meanwhile
 */
void __prp_output_rest(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	while (output_bursts(conn)) {
		spin_unlock_bh(&conn->lock);
		spin_lock_bh(&conn->lock);
		if (conn->tx.pushing || !__prp_output_push(conn))
			return;
	}
}

/**
 * __prp_output_put_end() - say that something ends behind what is queued
 * @conn: connection in PRP_ESTABLISHED that has not ended its stream, its lock
 *	and the socket's tx_mutex held; a slot is free
 * @flag: PRP_F_END or PRP_F_EOM
 *
 * The last segment says it if that was never sent, else an empty one. Who holds
 * the lock has it sent.
 */
void __prp_output_put_end(struct prp_conn *conn, u16 flag)
{
	struct prp_tx_seg *seg;

	lockdep_assert_held(&conn->lock);
	if (conn->snd.nxt == conn->tx.end) {
		seg = prp_conn_seg(conn, conn->tx.end);
		memset(seg, 0, sizeof(*seg));
		conn->tx.bytes += PRP_SEG_OVERHEAD;
		WRITE_ONCE(conn->tx.end, conn->tx.end + 1);
	}
	prp_conn_seg(conn, conn->tx.end - 1)->flags |= flag;
}

/**
 * __prp_output_end() - end our stream
 * @conn: connection, its lock and the socket's tx_mutex held
 *
 * The end goes behind what is queued; a slot is always left for it. Who holds
 * the lock has it sent.
 */
void __prp_output_end(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state != PRP_ESTABLISHED || conn->end_queued)
		return;
	__prp_output_put_end(conn, PRP_F_END);
	conn->end_queued = true;
	conn->tx.corked = false;
}

/**
 * prp_output_let_go() - what waits behind a few others waits no longer
 * @conn: connection
 */
void prp_output_let_go(struct prp_conn *conn)
{
	spin_lock_bh(&conn->lock);
	__prp_output_hurry(conn);
	prp_output_unlock(conn);
}

/**
 * prp_output_uncork() - what waits for more waits no longer
 * @conn: connection
 */
void prp_output_uncork(struct prp_conn *conn)
{
	spin_lock_bh(&conn->lock);
	conn->tx.corked = false;
	__prp_output_hurry(conn);
	prp_output_unlock(conn);
}
