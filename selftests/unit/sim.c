// SPDX-License-Identifier: GPL-2.0
/* See sim.h. */
#include <linux/kernel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pure/cong.h"
#include "pure/pace.h"
#include "pure/rcv.h"
#include "pure/rtt.h"
#include "pure/snd.h"
#include "sim.h"

#define SEG 1464
#define FRAME 1514
#define PING 66
#define RTO_NS (200 * MS)
#define EPOCH_NS (8 * MS)
#define WIRE_GAP 24 /* preamble, gap and check sequence */
#define TICK_NS 500000ULL
#define MS 1000000ULL
#define ACK_LATE_EVERY 4
#define SAMPLES 65536
#define SIM_HOSTS (SIM_FLOWS + 1) /* the last one receives */
#define RECEIVER SIM_FLOWS

enum what { START, TICK, REACHED, SERVED, ARRIVED, ACKED, PINGED };

struct event {
	u64 ns;
	u64 order;
	enum what what;
	u8 flow;
	bool ask, probe, full, has_sack, ping;
	u32 seq, txno, ack, active;
	u64 came_ns;
	struct prp_sack sack;
};

struct tcp {
	double cwnd, ssthresh, w_max, k, w_est, min_rtt_us;
	u64 epoch_ns;
	u32 recover;
	bool recovery;
	unsigned int backoff;
	bool tlp;
};

struct flow {
	struct prp_snd snd;
	u32 seg_txno[PRP_WIN];
	u8 seg_rail[PRP_WIN];
	struct prp_rcv rcv;
	struct prp_rtt rtt;
	struct prp_cong cong;
	struct prp_pace pace;
	struct tcp tcp;
	bool on, done;
	unsigned int since_ask;
	u64 nic_free_ns;
	u64 progress_ns;
	unsigned int probes;
	/* receiver */
	bool pending, sack_next;
	unsigned int late, unacked;
	u64 pending_ns, epoch;
};

static struct sim *sim;
static struct event *heap[1 << 16];
static unsigned int heaped;
static u64 order, now, rng;
static struct flow flows[SIM_FLOWS];
static struct event *queue_head[1 << 12];
static unsigned int queue_first, queue_len, queue_bytes;
static double tokens;
static u64 tokens_ns;
static unsigned int *samples, sampled, undone, active_now, active_last;
static u64 active_epoch;

static u64 chance(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng >> 11;
}

/* The same for the same number, else like chance */
static u64 mixed(u64 nr)
{
	nr = (nr + sim->seed) * 0x9e3779b97f4a7c15ULL;
	nr = (nr ^ (nr >> 29)) * 0xbf58476d1ce4e5b9ULL;
	return nr ^ (nr >> 32);
}

static bool earlier(const struct event *a, const struct event *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

static void at(u64 ns, struct event *event)
{
	unsigned int i = heaped++;

	event->ns = ns;
	event->order = order++;
	if (heaped == sizeof(heap) / sizeof(*heap))
		abort();
	for (; i && earlier(event, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = event;
}

static struct event *next_event(void)
{
	struct event *first = heap[0], *last = heap[--heaped];
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < heaped) {
		if (child + 1 < heaped && earlier(heap[child + 1], heap[child]))
			child++;
		if (!earlier(heap[child], last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

static struct event *event_new(enum what what, u8 flow)
{
	struct event *event = calloc(1, sizeof(*event));

	if (!event)
		abort();
	event->what = what;
	event->flow = flow;
	return event;
}

static bool counts(void)
{
	return now >= sim->warm_ms * MS;
}

/* Is a frame lost that is on its way now, so many of 10000 by chance? */
static bool is_lost(unsigned int share)
{
	return chance() % 10000 < share ||
	       (now >= sim->dark_ms * MS && now < sim->light_ms * MS);
}

static u64 wire_ns(unsigned int bytes, unsigned int mbit)
{
	return (u64)(bytes + WIRE_GAP) * 8 * 1000 / mbit;
}

static u64 frame_ns(unsigned int mbit)
{
	return wire_ns(FRAME, mbit);
}

static unsigned int size_of(const struct event *frame)
{
	return frame->ping ? PING : FRAME;
}

/* How long what waits at the port takes to leave */
static u64 queue_ns(void)
{
	return (u64)(queue_bytes + queue_len * WIRE_GAP) * 8 * 1000 / sim->mbit;
}

/* --- the wire ------------------------------------------------------------- */

/* One way, nanoseconds */
static u64 way_ns(void)
{
	u64 jitter = sim->jitter_us * 1000ULL;

	return sim->base_us * 500ULL + (jitter ? chance() % jitter : 0);
}

/* When does a host come to what has arrived or is due? Each slot of time begins
 * with a part in which it does not.
 */
static u64 taken_in(u64 ns, unsigned int host)
{
	u64 slot = sim->stall_us * 2000ULL, nr;

	if (!slot)
		return ns;
	nr = ns / slot;
	return max(ns, nr * slot + mixed(nr * SIM_HOSTS + host) % slot);
}

static struct event *send_frame(u8 nr, u32 seq, bool ask, bool probe)
{
	struct flow *flow = &flows[nr];
	struct event *frame = event_new(REACHED, nr);
	u64 from = now + chance() % (sim->host_us * 1000ULL + 1);

	frame->seq = seq;
	frame->ask = ask;
	frame->probe = probe;
	frame->txno = flow->snd.txno[0]++;
	flow->nic_free_ns = max(flow->nic_free_ns, from) +
			    (probe ? 1000 : frame_ns(sim->nic_mbit));
	if (counts() && !probe)
		sim->sent[nr]++;
	at(flow->nic_free_ns + chance() % 2000, frame);
	return frame;
}

static void serve(void)
{
	struct event *done;

	if (!queue_len)
		return;
	done = event_new(SERVED, 0);
	at(now + wire_ns(size_of(queue_head[queue_first % 4096]), sim->mbit),
	   done);
}

static void leave(struct event *frame)
{
	frame->what = ARRIVED;
	if (is_lost(sim->loss_after))
		free(frame);
	else
		at(taken_in(now + way_ns(), RECEIVER), frame);
}

static void reached(struct event *frame)
{
	u64 wait = 0;
	bool fits;

	if (is_lost(sim->loss)) {
		free(frame);
		return;
	}
	if (frame->probe) { /* it waits, and takes no room */
		frame->what = ARRIVED;
		at(taken_in(now + queue_ns() + way_ns() +
				    (frame->full ?
					     frame_ns(sim->mbit) +
						     frame_ns(sim->nic_mbit) :
					     0),
			    RECEIVER),
		   frame);
		return;
	}
	if (counts())
		sim->offered[frame->flow]++;
	if (sim->police) {
		tokens = min(tokens + (now - tokens_ns) * (sim->mbit / 8e3),
			     (double)sim->buffer);
		tokens_ns = now;
		fits = tokens >= FRAME;
		if (fits)
			tokens -= FRAME;
	} else {
		fits = queue_bytes + size_of(frame) <= sim->buffer + FRAME;
	}
	if (!fits) {
		if (counts())
			sim->dropped[frame->flow]++;
		if (frame->ping)
			at(now + RTO_NS, frame);
		else
			free(frame);
		return;
	}
	if (sim->police) {
		leave(frame);
		return;
	}
	wait = queue_ns() / 1000;
	if (counts() && sampled < SAMPLES && chance() % 8 == 0)
		samples[sampled++] = wait;
	queue_head[(queue_first + queue_len++) % 4096] = frame;
	queue_bytes += size_of(frame);
	if (queue_len == 1)
		serve();
}

static void served(void)
{
	struct event *frame = queue_head[queue_first++ % 4096];

	queue_len--;
	queue_bytes -= size_of(frame);
	leave(frame);
	serve();
}

/* --- the receiver --------------------------------------------------------- */

/* Of how many has something come of late? */
static unsigned int active(struct flow *flow)
{
	u64 epoch = now / EPOCH_NS + 1;

	if (epoch != active_epoch) {
		active_last = epoch == active_epoch + 1 ? active_now : 0;
		active_now = 0;
		active_epoch = epoch;
	}
	if (flow->epoch != epoch)
		active_now++;
	flow->epoch = epoch;
	return max(active_now, active_last);
}

static void acknowledge(u8 nr, bool sack)
{
	struct flow *flow = &flows[nr];
	struct event *ack = event_new(ACKED, nr);

	sack |= flow->rcv.late || flow->sack_next;
	prp_rcv_open(&flow->rcv, PRP_WIN);
	ack->ack = flow->rcv.nxt;
	ack->has_sack = sack;
	if (sack)
		prp_rcv_sack(&flow->rcv, &ack->sack, PRP_WIN_WORDS);
	ack->active = active(flow);
	flow->pending = false;
	flow->sack_next = false;
	flow->late = 0;
	flow->unacked = 0;
	if (counts())
		sim->acks[nr]++;
	if (is_lost(sim->loss_back))
		free(ack);
	else
		at(taken_in(now + way_ns() + chance() % 3000, nr), ack);
}

/* One that asks little of the same node, and again once it has its answer */
static void ping(u8 nr)
{
	struct event *frame = event_new(REACHED, nr);

	frame->ping = true;
	frame->came_ns = now;
	at(now + chance() % 20000, frame);
}

static void pinged(struct event *answer)
{
	if (sim->pinged < SIM_PINGS)
		sim->pings[sim->pinged++] = (now - answer->came_ns) / 1000;
	if (flows[answer->flow].on)
		ping(answer->flow);
}

static void arrived(struct event *frame)
{
	struct flow *flow = &flows[frame->flow];
	bool was_late = flow->rcv.late, ack = frame->ask;
	u32 high = flow->rcv.high;

	if (frame->ping) {
		frame = memcpy(event_new(PINGED, 0), frame, sizeof(*frame));
		frame->what = PINGED;
		at(taken_in(now + way_ns(), frame->flow), frame);
		return;
	}
	prp_rcv_saw(&flow->rcv, 0, frame->txno);
	if (frame->probe) {
		acknowledge(frame->flow, true);
		return;
	}
	switch (prp_rcv_check(&flow->rcv, frame->seq)) {
	case PRP_SEG_NEXT:
		prp_rcv_accept(&flow->rcv, frame->seq);
		if (!flow->pending)
			flow->pending_ns = now + 2 * TICK_NS;
		flow->pending = true;
		if (was_late) {
			ack = true;
			flow->sack_next = true;
		}
		break;
	case PRP_SEG_LATE:
		prp_rcv_accept(&flow->rcv, frame->seq);
		if (frame->seq != high || ++flow->late >= ACK_LATE_EVERY)
			ack = true;
		break;
	default:
		ack = true;
		flow->sack_next = true;
		goto out;
	}
	if (counts())
		sim->got[frame->flow]++;
	if (flow->rcv.nxt == 1 + sim->segs && !flow->done) {
		flow->done = true;
		if (!--undone)
			sim->done_us = now / 1000 - sim->start_ms[0] * 1000;
	}
	if (sim->kind[frame->flow] == SIM_CUBIC &&
	    (flow->rcv.late || ++flow->unacked >= 2))
		ack = true;
out:
	if (ack)
		acknowledge(frame->flow, false);
}

/* Is there something that was never sent, and may it be? */
static bool may_send_new(const struct prp_snd *snd)
{
	return (!sim->segs || snd->nxt <= sim->segs) &&
	       prp_snd_new_allowed(snd);
}

/* --- TCP ------------------------------------------------------------------ */

static void tcp_reduce(struct flow *flow, double factor)
{
	struct tcp *tcp = &flow->tcp;

	tcp->w_max = tcp->cwnd < tcp->w_max ? tcp->cwnd * (1 + 0.7) / 2 :
					      tcp->cwnd;
	tcp->ssthresh = max(tcp->cwnd * factor, 2.0);
	tcp->epoch_ns = 0;
}

static void tcp_lost(struct flow *flow)
{
	struct tcp *tcp = &flow->tcp;

	if (tcp->recovery)
		return;
	tcp_reduce(flow, 0.7);
	tcp->cwnd = tcp->ssthresh;
	tcp->recovery = true;
	tcp->recover = flow->snd.nxt;
}

static void tcp_acked(struct flow *flow, unsigned int acked, u32 rtt_us)
{
	struct tcp *tcp = &flow->tcp;
	double t, target;

	if (rtt_us && (!tcp->min_rtt_us || rtt_us < tcp->min_rtt_us))
		tcp->min_rtt_us = rtt_us;
	if (tcp->recovery) {
		if (prp_before(flow->snd.una, tcp->recover))
			return;
		tcp->recovery = false;
	}
	if (tcp->cwnd < tcp->ssthresh) {
		tcp->cwnd =
			min_t(double, tcp->cwnd + acked, sim->most ?: PRP_WIN);
		if (rtt_us && tcp->cwnd >= 16 &&
		    rtt_us > tcp->min_rtt_us +
				     clamp(tcp->min_rtt_us / 8, 4000., 16000.))
			tcp->ssthresh = tcp->cwnd;
		return;
	}
	if (!tcp->epoch_ns) {
		tcp->epoch_ns = now;
		tcp->w_est = tcp->cwnd;
		if (tcp->w_max <= tcp->cwnd) {
			tcp->k = 0;
			tcp->w_max = tcp->cwnd;
		} else {
			tcp->k = cbrt((tcp->w_max - tcp->cwnd) / 0.4);
		}
	}
	t = (now - tcp->epoch_ns) / 1e9 + tcp->min_rtt_us / 1e6;
	target = tcp->w_max + 0.4 * pow(t - tcp->k, 3);
	if (target > tcp->cwnd)
		tcp->cwnd += min(acked * (target - tcp->cwnd) / tcp->cwnd,
				 acked / 2.0);
	else
		tcp->cwnd += acked / (100 * tcp->cwnd);
	tcp->w_est += acked * 0.53 / tcp->cwnd;
	if (tcp->w_est > tcp->cwnd)
		tcp->cwnd += min(acked * (tcp->w_est - tcp->cwnd) / tcp->cwnd,
				 acked / 2.0);
	tcp->cwnd = min_t(double, tcp->cwnd, sim->most ?: PRP_WIN);
}

static void tcp_push(u8 nr)
{
	struct flow *flow = &flows[nr];
	struct prp_snd *snd = &flow->snd;
	u32 seq;

	while (prp_snd_in_flight(snd) < (unsigned int)flow->tcp.cwnd) {
		if (!prp_snd_first_lost(snd, &seq)) {
			if (!may_send_new(snd))
				break;
			seq = snd->nxt;
		}
		if (seq == snd->nxt && !flow->rtt.start_ns) {
			flow->rtt.start_ns = now;
			flow->rtt.seq = seq;
		}
		if (seq != snd->nxt && seq == flow->rtt.seq)
			prp_rtt_forget(&flow->rtt);
		send_frame(nr, seq, false, false);
		if (seq != snd->nxt && counts())
			sim->again[nr]++;
		prp_snd_sent(snd, seq, 0, snd->txno[0] - 1);
	}
}

/* A probe of the tail after two round trips, then the timeout of 200 ms */
static void tcp_tick(u8 nr)
{
	struct flow *flow = &flows[nr];
	struct tcp *tcp = &flow->tcp;
	u64 rtt = prp_rtt_us(&flow->rtt) * 1000ULL;
	u32 seq;

	if (flow->snd.una == flow->snd.nxt)
		return;
	if (!tcp->tlp && now > flow->progress_ns + 2 * rtt + 2 * MS &&
	    !tcp->recovery) {
		tcp->tlp = true;
		send_frame(nr, flow->snd.nxt - 1, true, false);
		prp_snd_sent(&flow->snd, flow->snd.nxt - 1, 0,
			     flow->snd.txno[0] - 1);
	}
	if (now < flow->progress_ns + ((200 * MS + rtt) << tcp->backoff))
		return;
	for (seq = flow->snd.una; seq != flow->snd.nxt; seq++)
		prp_snd_lose(&flow->snd, seq);
	prp_rtt_forget(&flow->rtt);
	tcp_reduce(flow, 0.7);
	tcp->cwnd = 1;
	tcp->recovery = false;
	if (tcp->backoff < 6)
		tcp->backoff++;
	flow->progress_ns = now;
	tcp_push(nr);
}

/* --- PRP, as output.c and recovery.c have it ------------------------------ */

static void prp_probe(u8 nr, bool full)
{
	struct flow *flow = &flows[nr];

	send_frame(nr, flow->snd.nxt, true, true)->full = full;
	prp_snd_probed(&flow->snd, 0, flow->snd.txno[0] - 1);
}

/* The queue has drained: how long is the way? */
static void prp_ask(u8 nr)
{
	struct flow *flow = &flows[nr];

	prp_probe(nr, sim->flows <= 2);
	prp_rtt_probe(&flow->rtt, flow->snd.txno[0] - 1, now);
}

static void prp_told(struct flow *flow, const struct event *ack)
{
	u32 us;

	if (!ack->has_sack)
		return;
	us = prp_rtt_probed(&flow->rtt, ack->sack.newest[0], now);
	if (us)
		prp_cong_drained(&flow->cong, us, now / TICK_NS);
}

static bool prp_in_pace(u8 nr)
{
	struct flow *flow = &flows[nr];

	if (flow->pace.left > 0 && !prp_cong_is_small(&flow->cong))
		return true;
	if (prp_cong_tick(&flow->cong, now / TICK_NS))
		prp_ask(nr);
	prp_pace_fill(&flow->pace, now / TICK_NS + 1,
		      prp_cong_pace(&flow->cong, SEG),
		      prp_cong_burst(&flow->cong) * SEG);
	if (flow->pace.left > 0)
		return true;
	flow->cong.limited = true;
	return false;
}

static bool prp_pick(u8 nr, u32 *seq)
{
	struct flow *flow = &flows[nr];
	struct prp_snd *snd = &flow->snd;

	if (prp_snd_in_flight(snd) >= prp_cong_window(&flow->cong)) {
		flow->cong.limited = true;
		return false;
	}
	if (!prp_snd_first_lost(snd, seq)) {
		if (!may_send_new(snd))
			return false;
		*seq = snd->nxt;
	}
	return prp_in_pace(nr);
}

static bool prp_may_time(const struct prp_rtt *rtt)
{
	return !rtt->start_ns && rtt->tick != now / TICK_NS;
}

static bool prp_asks(struct flow *flow)
{
	u32 allowed = min_t(u32, prp_cong_window(&flow->cong),
			    flow->snd.edge - flow->snd.una);

	if (!prp_cong_asks(&flow->cong, ++flow->since_ask,
			   prp_snd_in_flight(&flow->snd) + 1, allowed, 1) &&
	    !(flow->cong.drain.now && prp_may_time(&flow->rtt)))
		return false;
	flow->since_ask = 0;
	return true;
}

static void prp_time(struct flow *flow, u32 seq, bool again, bool asked)
{
	struct prp_rtt *rtt = &flow->rtt;

	if (again && rtt->seq == seq)
		prp_rtt_forget(rtt);
	if (!asked || !prp_may_time(rtt))
		return;
	rtt->tick = now / TICK_NS;
	rtt->seq = seq;
	rtt->txno = flow->snd.txno[0] - 1;
	rtt->behind = prp_snd_in_flight(&flow->snd);
	rtt->again = again;
	rtt->start_ns = now;
}

static void prp_push(u8 nr)
{
	struct flow *flow = &flows[nr];
	struct prp_snd *snd = &flow->snd;
	bool ask, again;
	u32 seq;

	while (prp_pick(nr, &seq)) {
		ask = prp_asks(flow);
		again = seq != snd->nxt;
		if (again && counts())
			sim->again[nr]++;
		send_frame(nr, seq, ask, false);
		prp_snd_sent(snd, seq, 0, snd->txno[0] - 1);
		flow->pace.left -= SEG;
		prp_time(flow, seq, again, ask);
		if (snd->nxt - snd->una == 1)
			flow->progress_ns = now;
	}
}

static void prp_tick(u8 nr)
{
	struct flow *flow = &flows[nr];
	u64 pause = flow->rtt.srtt_us8 ? flow->rtt.srtt_us8 / 4 * 1000ULL + MS :
					 3 * MS;

	if (flow->snd.una != flow->snd.nxt &&
	    now > flow->progress_ns + min_t(u64, pause << min(flow->probes, 8U),
					    200 * MS)) {
		prp_probe(nr, false);
		if (flow->probes++ > 1)
			prp_cong_silent(&flow->cong);
		flow->progress_ns = now;
	}
	prp_push(nr);
}

/* --- both --- */

/* What the timed segment took, if it has arrived; else 0. */
static u32 timed(struct flow *flow, const struct event *ack)
{
	struct prp_rtt *rtt = &flow->rtt;
	struct prp_snd *snd = &flow->snd;

	if (!rtt->start_ns || (!prp_before(rtt->seq, snd->una) &&
			       !prp_snd_is_sacked(snd, rtt->seq)))
		return 0;
	if (rtt->again && ack->has_sack &&
	    prp_txno_before(snd->newest[0], rtt->txno)) {
		prp_rtt_forget(rtt);
		return 0;
	}
	return prp_rtt_took(rtt, now);
}

static void arrived_some(u8 nr, const struct event *ack, unsigned int got)
{
	struct flow *flow = &flows[nr];
	struct prp_cong_heard heard = {
		.acked = got,
		.in_flight = prp_snd_in_flight(&flow->snd),
		.behind = flow->rtt.behind,
		.again = flow->rtt.again,
		.active = sim->among[nr] > 1 ? ack->active : 0,
		.overtook = flow->snd.overtook,
		.missed = flow->rtt.start_ns && !ack->has_sack &&
			  prp_before(flow->rtt.seq + 1, flow->snd.una),
		.tick = now / TICK_NS,
	};
	enum prp_cong_said said = PRP_CONG_NOTHING;
	bool timing;

	flow->snd.overtook = 0;
	timing = flow->rtt.start_ns;
	heard.rtt_us = timed(flow, ack);
	flow->progress_ns = now;
	flow->probes = 0;
	flow->tcp.backoff = 0;
	flow->tcp.tlp = false;
	if (sim->kind[nr] == SIM_CUBIC)
		tcp_acked(flow, got, heard.rtt_us);
	else if (timing || !prp_cong_is_idle(&flow->cong))
		said = prp_cong_acked(&flow->cong, &heard);
	if (said == PRP_CONG_FREE) {
		flow->pace.tick--;
		flow->rtt.tick = 0;
	}
	if (said == PRP_CONG_DRAINS)
		prp_pace_most(&flow->pace, 0);
	flow->since_ask = min(flow->since_ask, heard.in_flight);
}

static void acked(struct event *ack)
{
	struct flow *flow = &flows[ack->flow];
	struct prp_snd *snd = &flow->snd;
	bool tcp = sim->kind[ack->flow] == SIM_CUBIC;
	unsigned int sacked = snd->sacked, lost, got;
	u32 una = snd->una;

	if (!flow->on)
		return;
	if (!tcp)
		prp_told(flow, ack);
	prp_snd_ack(snd, ack->ack, PRP_WIN, ack->has_sack ? &ack->sack : NULL);
	got = snd->una - una + snd->sacked - sacked;
	if (got)
		arrived_some(ack->flow, ack, got);
	if (ack->has_sack) {
		lost = prp_snd_find_lost(snd);
		if (prp_snd_is_lost(snd, flow->rtt.seq))
			prp_rtt_forget(&flow->rtt);
		if (lost && tcp)
			tcp_lost(flow);
		else if (lost)
			prp_cong_lost(&flow->cong, lost);
	}
	if (tcp)
		tcp_push(ack->flow);
	else
		prp_push(ack->flow);
}

static void start(u8 nr)
{
	struct flow *flow = &flows[nr];

	memset(flow, 0, sizeof(*flow));
	prp_snd_slots(&flow->snd, flow->seg_txno, flow->seg_rail, PRP_WIN - 1);
	prp_snd_init(&flow->snd, 1, 1);
	prp_rcv_init(&flow->rcv, 1, PRP_WIN);
	flow->snd.edge = 1 + PRP_WIN;
	prp_cong_init(&flow->cong);
	prp_drain_crowd(&flow->cong.drain, sim->flows, mixed(nr));
	flow->tcp.cwnd = 10;
	flow->tcp.ssthresh = 1e9;
	flow->on = true;
	if (sim->kind[nr] == SIM_PING) {
		ping(nr);
		return;
	}
	at(now + chance() % TICK_NS, event_new(TICK, nr));
	/* the handshake was timed, where all begin at once long before */
	flow->rtt.start_ns = now;
	prp_rtt_took(&flow->rtt,
		     now + sim->base_us * 1000 + (sim->segs ? 0 : queue_ns()));
	prp_cong_first(&flow->cong, prp_rtt_us(&flow->rtt), now / TICK_NS);
	flow->pace.left = prp_cong_burst(&flow->cong) * SEG;
	flow->pace.tick = now / TICK_NS;
	if (sim->among[nr] > 1 &&
	    prp_cong_crowd(&flow->cong, sim->among[nr], 0, now / TICK_NS))
		flow->pace.left = prp_cong_burst(&flow->cong) * SEG;
	/* PRP begins to send in its first tick: all that begin now are there */
	if (sim->kind[nr] == SIM_CUBIC)
		tcp_push(nr);
	else if (sim->segs)
		prp_push(nr);
}

static void tick(struct event *event)
{
	struct flow *flow = &flows[event->flow];
	unsigned int stop_ms = sim->stop_ms[event->flow];

	if (stop_ms && now >= stop_ms * MS) {
		flow->on = false;
		return;
	}
	if (flow->pending &&
	    now >= flow->pending_ns +
			    (sim->kind[event->flow] == SIM_CUBIC ? 40 * MS : 0))
		acknowledge(event->flow, false);
	if (sim->kind[event->flow] == SIM_CUBIC)
		tcp_tick(event->flow);
	else
		prp_tick(event->flow);
	at(taken_in(now + TICK_NS, event->flow), event_new(TICK, event->flow));
}

static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void sim_run(struct sim *what)
{
	struct event *event;
	unsigned int i;

	sim = what;
	rng = 88172645463325252ull + sim->seed * 7919;
	now = 0;
	order = 0;
	heaped = 0;
	sampled = 0;
	queue_first = 0;
	queue_len = 0;
	queue_bytes = 0;
	tokens = sim->buffer;
	tokens_ns = 0;
	samples = calloc(SAMPLES, sizeof(*samples));
	memset(sim->got, 0, sizeof(sim->got) * 6);
	sim->done_us = 0;
	sim->pinged = 0;
	undone = 0;
	active_epoch = 0;
	for (i = 0; i < sim->flows; i++)
		undone += sim->kind[i] != SIM_PING;
	for (i = 0; i < sim->flows; i++)
		at(sim->start_ms[i] * MS + i * 1000, event_new(START, i));
	for (;;) {
		event = next_event();
		now = event->ns;
		if (now >= sim->end_ms * MS)
			break;
		switch (event->what) {
		case START:
			start(event->flow);
			break;
		case TICK:
			tick(event);
			break;
		case REACHED:
			reached(event);
			continue; /* it lives on */
		case SERVED:
			served();
			break;
		case ARRIVED:
			arrived(event);
			break;
		case ACKED:
			acked(event);
			break;
		case PINGED:
			pinged(event);
			break;
		}
		free(event);
	}
	free(event);
	while (heaped)
		free(heap[--heaped]);
	for (; queue_len; queue_len--)
		free(queue_head[queue_first++ % 4096]);
	qsort(samples, sampled, sizeof(*samples), by_size);
	sim->queue_us[0] = sampled ? samples[sampled / 2] : 0;
	sim->queue_us[1] = sampled ? samples[sampled * 99 / 100] : 0;
	free(samples);
	qsort(sim->pings, sim->pinged, sizeof(*sim->pings), by_size);
}
