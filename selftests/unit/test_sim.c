// SPDX-License-Identifier: GPL-2.0
/*
 * The congestion window beside others, simulated: a short guard of what it
 * promises. A port of 100 Mbit/s and round trips of 200 us, if nothing else is
 * said.
 */
#include <linux/types.h>
#include <stdio.h>

#include "sim.h"
#include "unit.h"

#define WIRE 1538 /* bytes of a full frame with all that belongs to it */

static struct sim port(unsigned int buffer)
{
	return (struct sim){
		.mbit = 100,
		.buffer = buffer,
		.base_us = 200,
		.nic_mbit = 1000,
		.host_us = 60,
		.seed = 1,
		.warm_ms = 1000,
		.end_ms = 11000,
	};
}

static struct sim fast_port(unsigned int base_us, unsigned int loss)
{
	return (struct sim){
		.mbit = 1000,
		.buffer = 1000000,
		.base_us = base_us,
		.nic_mbit = 10000,
		.loss = loss,
		.seed = 1,
		.warm_ms = 500,
		.end_ms = 2000,
	};
}

static void many(struct sim *sim, enum sim_kind kind, unsigned int count)
{
	for (; count; count--)
		sim->kind[sim->flows++] = kind;
}

static u64 sum(const struct sim *sim, const u64 *of)
{
	u64 all = 0;
	unsigned int i;

	for (i = 0; i < sim->flows; i++)
		all += of[i];
	return all;
}

/* Thousandths of what the port could carry */
static unsigned int used(const struct sim *sim)
{
	u64 ns = (sim->end_ms - sim->warm_ms) * 1000000ull;

	return sum(sim, sim->got) * WIRE * 8 * 1000 * 1000 / (ns * sim->mbit);
}

/* Thousandths of what has arrived that are TCP's */
static unsigned int tcps(const struct sim *sim)
{
	u64 tcp = 0;
	unsigned int i;

	for (i = 0; i < sim->flows; i++)
		if (sim->kind[i] == SIM_CUBIC)
			tcp += sim->got[i];
	return tcp * 1000 / (sum(sim, sim->got) ?: 1);
}

/* Thousandths of what has reached the port that were dropped there */
static unsigned int drops(const struct sim *sim)
{
	return sum(sim, sim->dropped) * 1000 / (sum(sim, sim->offered) ?: 1);
}

/* Jain's index of fairness, thousandths */
static unsigned int fair(const struct sim *sim)
{
	double all = sum(sim, sim->got), squares = 0;
	unsigned int i;

	for (i = 0; i < sim->flows; i++)
		squares += (double)sim->got[i] * sim->got[i];
	return 1000 * all * all / sim->flows / squares;
}

/* Ten thousandths of acknowledgments for each segment that has arrived */
static unsigned int acks(const struct sim *sim)
{
	return sum(sim, sim->acks) * 10000 / (sum(sim, sim->got) ?: 1);
}

static void run(struct sim *sim)
{
	sim_run(sim);
	printf("# used %u tcp %u drops %u fair %u queue %u %u us acks %u\n",
	       used(sim), tcps(sim), drops(sim), fair(sim), sim->queue_us[0],
	       sim->queue_us[1], acks(sim));
}

/* A stream and TCP, in this order, the second one later by so much */
static void beside_cubic(struct sim sim, unsigned int late_ms,
			 unsigned int least)
{
	sim.start_ms[1] = late_ms;
	run(&sim);
	expect_true(tcps(&sim) >= least);
	expect_true(tcps(&sim) <= 1000 - least);
	expect_true(used(&sim) >= 950);
}

static struct sim pair(struct sim of, enum sim_kind one, enum sim_kind two)
{
	many(&of, one, 1);
	many(&of, two, 1);
	return of;
}

static struct sim slow_pair(unsigned int buffer)
{
	struct sim sim = port(buffer);

	sim.warm_ms = 2000;
	sim.end_ms = 25000;
	return pair(sim, SIM_PRP, SIM_CUBIC);
}

static struct sim fast_pair(unsigned int buffer, enum sim_kind one,
			    enum sim_kind two)
{
	struct sim sim = fast_port(200, 0);

	sim.buffer = buffer;
	sim.nic_mbit = 1000;
	sim.warm_ms = 3000;
	sim.end_ms = 12000;
	return pair(sim, one, two);
}

UNIT(sim__beside_cubic_64_kb)
{
	beside_cubic(slow_pair(64 << 10), 0, 300);
}

UNIT(sim__beside_cubic_at_1_gbit_64_kb)
{
	beside_cubic(fast_pair(64 << 10, SIM_PRP, SIM_CUBIC), 0, 300);
}

UNIT(sim__beside_cubic_256_kb)
{
	beside_cubic(slow_pair(256 << 10), 0, 300);
}

UNIT(sim__beside_cubic_at_1_gbit_256_kb)
{
	beside_cubic(fast_pair(256 << 10, SIM_PRP, SIM_CUBIC), 0, 300);
}

UNIT(sim__beside_cubic_1_mb)
{
	beside_cubic(slow_pair(1 << 20), 0, 300);
}

UNIT(sim__beside_cubic_at_1_gbit_1_mb)
{
	beside_cubic(fast_pair(1 << 20, SIM_PRP, SIM_CUBIC), 0, 300);
}

UNIT(sim__beside_cubic_eight_frames)
{
	beside_cubic(slow_pair(8 * 1514), 0, 200);
}

UNIT(sim__beside_cubic_eight_frames_at_1_gbit)
{
	beside_cubic(fast_pair(8 * 1514, SIM_PRP, SIM_CUBIC), 0, 200);
}

UNIT(sim__cubic_comes_first_at_100_mbit)
{
	struct sim sim = port(64 << 10);

	sim.warm_ms = 3000;
	sim.end_ms = 20000;
	beside_cubic(pair(sim, SIM_CUBIC, SIM_PRP), 1000, 300);
}

UNIT(sim__cubic_comes_first_64_kb)
{
	beside_cubic(fast_pair(64 << 10, SIM_CUBIC, SIM_PRP), 1000, 300);
}

UNIT(sim__cubic_comes_first_256_kb)
{
	beside_cubic(fast_pair(256 << 10, SIM_CUBIC, SIM_PRP), 1000, 300);
}

UNIT(sim__cubic_comes_last_64_kb)
{
	beside_cubic(fast_pair(64 << 10, SIM_PRP, SIM_CUBIC), 1000, 300);
}

UNIT(sim__cubic_comes_last_256_kb)
{
	beside_cubic(fast_pair(256 << 10, SIM_PRP, SIM_CUBIC), 1000, 300);
}

/* The queue is short again when nobody else keeps it. */
UNIT(sim__cubic_leaves)
{
	struct sim sim = slow_pair(1 << 20);

	sim.stop_ms[1] = 5000;
	sim.warm_ms = 8000;
	sim.end_ms = 11000;
	run(&sim);
	expect_true(used(&sim) >= 950);
	expect_true(sim.queue_us[0] <= 1000);
	expect_true(sim.queue_us[1] <= 5000);
}

/* Nobody has less than half of what is fair. */
static void five(struct sim sim, unsigned int cubic)
{
	sim.end_ms = sim.warm_ms + 6000;
	many(&sim, SIM_PRP, 5 - cubic);
	many(&sim, SIM_CUBIC, cubic);
	run(&sim);
	expect_true(1000 - tcps(&sim) >= (5 - cubic) * 100);
	expect_true(tcps(&sim) >= cubic * 100);
}

UNIT(sim__one_beside_four_cubic)
{
	five(port(64 << 10), 4);
}

UNIT(sim__one_beside_four_cubic_256_kb)
{
	five(port(256 << 10), 4);
}

UNIT(sim__one_beside_four_cubic_1_mb)
{
	struct sim sim = port(1 << 20);

	sim.warm_ms = 10000;
	five(sim, 4);
}

/* They were there before. */
UNIT(sim__one_comes_to_four_cubic_256_kb)
{
	struct sim sim = port(256 << 10);

	sim.warm_ms = 3000;
	sim.start_ms[0] = 2000;
	five(sim, 4);
}

/* TCP whose windows are bound by something else keeps a queue, too, and is
 * never told by a loss that somebody else wants to have his part.
 */
static void bound(unsigned int cubic, unsigned int most)
{
	struct sim sim = port(256 << 10);
	unsigned int half = 500 / (1 + cubic);

	sim.most = most;
	sim.warm_ms = 3000;
	many(&sim, SIM_PRP, 1);
	many(&sim, SIM_CUBIC, cubic);
	run(&sim);
	expect_true(1000 - tcps(&sim) >= half);
	expect_true(tcps(&sim) >= cubic * half);
}

UNIT(sim__beside_one_that_is_bound_to_20)
{
	bound(1, 20);
}

UNIT(sim__beside_four_that_are_bound_to_5)
{
	bound(4, 5);
}

UNIT(sim__beside_four_that_are_bound_to_12)
{
	bound(4, 12);
}

UNIT(sim__four_beside_one_cubic)
{
	five(port(64 << 10), 1);
}

/* Where the round trip leaves TCP a window that it can live with */
UNIT(sim__policed_beside_cubic)
{
	struct sim sim = port(64 << 10);

	sim.police = true;
	sim.base_us = 1000;
	sim = pair(sim, SIM_PRP, SIM_CUBIC);
	run(&sim);
	expect_true(tcps(&sim) >= 200);
	expect_true(tcps(&sim) <= 800);
	expect_true(used(&sim) >= 850);
}

/* Ten times what the port carries were offered before there was a judge. */
UNIT(sim__policed_alone)
{
	struct sim sim = port(64 << 10);

	sim.police = true;
	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(drops(&sim) <= 200);
	expect_true(used(&sim) >= 700);
}

UNIT(sim__alone_keeps_the_queue_short)
{
	struct sim sim = port(1 << 20);

	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= 950);
	expect_true(sim.queue_us[0] <= 1000);
	expect_true(sim.queue_us[1] <= 5000);
	expect_eq(drops(&sim), 0);
}

/* As fast as the round trip lets a question's answer be back in time; frames
 * leave one after the other.
 */
static void asks(unsigned int base_us)
{
	struct sim sim = fast_port(base_us, 0);

	sim.nic_mbit = 3000;
	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= 990);
	expect_true(acks(&sim) <= 250);
}

/* A segment takes longer than what is short, at each device. */
UNIT(sim__alone_at_10_mbit)
{
	struct sim sim = port(64 << 10);

	sim.mbit = 10;
	sim.nic_mbit = 10;
	sim.warm_ms = 30000;
	sim.end_ms = 60000;
	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= 900);
}

UNIT(sim__asks_seldom_40_us)
{
	asks(40);
}

UNIT(sim__asks_seldom_200_us)
{
	asks(200);
}

UNIT(sim__asks_seldom_1_ms)
{
	asks(1000);
}

static void noise(unsigned int base_us, unsigned int loss, unsigned int least)
{
	struct sim sim = fast_port(base_us, loss);

	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= least);
}

UNIT(sim__noise_0_percent_40_us)
{
	noise(40, 0, 985);
}

UNIT(sim__noise_1_percent_40_us)
{
	noise(40, 100, 985);
}

UNIT(sim__noise_5_percent_40_us)
{
	noise(40, 500, 985);
}

UNIT(sim__noise_0_percent_1_ms)
{
	noise(1000, 0, 985);
}

UNIT(sim__noise_1_percent_1_ms)
{
	noise(1000, 100, 970);
}

UNIT(sim__noise_5_percent_1_ms)
{
	noise(1000, 500, 970);
}

/* No round trip is like the one before, and nothing waits. */
static void jitter(unsigned int jitter_us, unsigned int loss,
		   unsigned int least)
{
	struct sim sim = fast_port(200, 0);

	sim.jitter_us = jitter_us;
	sim.loss_after = loss;
	sim.loss_back = loss;
	sim.end_ms = 4000;
	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= least);
}

UNIT(sim__jitter_300_us)
{
	jitter(300, 0, 900);
}

UNIT(sim__jitter_2_ms)
{
	jitter(2000, 0, 500);
}

UNIT(sim__jitter_2_ms_1_percent)
{
	jitter(2000, 100, 200);
}

UNIT(sim__jitter_2_ms_10_percent)
{
	jitter(2000, 1000, 20);
}

/* Round trips are long as hosts do not come to what has arrived, so long on
 * average: so much of what TCP gets there, thousandths, in so many runs.
 */
static void stalls(struct sim sim, unsigned int stall_us, unsigned int runs,
		   unsigned int least)
{
	unsigned int got = 0, tcp = 0;
	struct sim one;

	sim.stall_us = stall_us;
	for (; runs; runs--, sim.seed++) {
		one = sim;
		many(&one, SIM_CUBIC, 1);
		run(&one);
		tcp += used(&one);
		one = sim;
		many(&one, SIM_PRP, 1);
		run(&one);
		got += used(&one);
	}
	expect_true(got * 1000 >= tcp * least);
}

static struct sim late_hosts(unsigned int base_us, unsigned int buffer,
			     unsigned int ms)
{
	struct sim sim = fast_port(base_us, 0);

	sim.buffer = buffer;
	if (ms)
		sim.warm_ms = 0;
	sim.end_ms = ms ?: 3000;
	return sim;
}

UNIT(sim__late_hosts_100_us)
{
	stalls(late_hosts(100, 1 << 20, 0), 100, 1, 950);
}

UNIT(sim__late_hosts_300_us)
{
	stalls(late_hosts(100, 1 << 20, 0), 300, 3, 900);
}

UNIT(sim__late_hosts_1_ms)
{
	stalls(late_hosts(100, 1 << 20, 0), 1000, 3, 950);
}

UNIT(sim__late_hosts_5_ms)
{
	stalls(late_hosts(100, 1 << 20, 0), 5000, 3, 800);
}

UNIT(sim__late_hosts_at_100_mbit)
{
	struct sim sim = late_hosts(200, 1 << 20, 4000);

	sim.mbit = 100;
	stalls(sim, 1000, 3, 900);
}

UNIT(sim__late_hosts_64_kb)
{
	stalls(late_hosts(100, 64 << 10, 0), 300, 3, 650);
}

UNIT(sim__late_hosts_256_kb)
{
	stalls(late_hosts(100, 256 << 10, 0), 1000, 3, 900);
}

UNIT(sim__late_hosts_at_first)
{
	stalls(late_hosts(100, 1 << 20, 200), 3000, 5, 700);
}

UNIT(sim__late_hosts_far_at_first)
{
	stalls(late_hosts(10000, 1 << 20, 300), 1000, 5, 850);
}

static void share_late_hosts(struct sim sim, unsigned int stall_us)
{
	sim.stall_us = stall_us;
	sim.host_us = 0;
	run(&sim);
	expect_true(fair(&sim) >= 850);
	expect_true(used(&sim) >= 900);
	expect_true(drops(&sim) <= 50);
}

UNIT(sim__late_hosts_two)
{
	share_late_hosts(fast_pair(256 << 10, SIM_PRP, SIM_PRP), 1000);
}

UNIT(sim__late_hosts_eight)
{
	struct sim sim = port(256 << 10);

	many(&sim, SIM_PRP, 8);
	share_late_hosts(sim, 300);
}

UNIT(sim__late_hosts_beside_cubic)
{
	struct sim sim = slow_pair(256 << 10);

	sim.stall_us = 300;
	beside_cubic(sim, 0, 300);
}

UNIT(sim__late_hosts_beside_cubic_at_1_gbit)
{
	struct sim sim = fast_pair(256 << 10, SIM_PRP, SIM_CUBIC);

	sim.stall_us = 300;
	beside_cubic(sim, 0, 300);
}

/* What was lost while nothing came tells nothing of the port. */
static void silence(unsigned int mbit, unsigned int ms, unsigned int least)
{
	struct sim sim = fast_port(40000, 0);

	sim.mbit = mbit;
	sim.dark_ms = 2000;
	sim.light_ms = sim.dark_ms + ms;
	sim.warm_ms = sim.light_ms + 1000;
	sim.end_ms = sim.warm_ms + 1000;
	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= least);
}

UNIT(sim__after_a_silence_100_mbit)
{
	silence(100, 3000, 600);
}

UNIT(sim__after_a_silence_1_gbit)
{
	silence(1000, 3000, 130);
}

/* From the first segment on: 20 MB */
static void noise_at_first(unsigned int loss, unsigned int least)
{
	struct sim sim = fast_port(1000, loss);

	sim.warm_ms = 0;
	sim.end_ms = 170;
	many(&sim, SIM_PRP, 1);
	run(&sim);
	expect_true(used(&sim) >= least);
}

UNIT(sim__noise_0_percent_at_first)
{
	noise_at_first(0, 970);
}

UNIT(sim__noise_1_percent_at_first)
{
	noise_at_first(100, 960);
}

UNIT(sim__noise_5_percent_at_first)
{
	noise_at_first(500, 920);
}

static void crowd(unsigned int count, unsigned int least)
{
	struct sim sim = port(64 << 10);

	sim.warm_ms = 2000;
	sim.end_ms = count < 64 ? 4000 : 7000;
	many(&sim, SIM_PRP, count);
	run(&sim);
	expect_true(fair(&sim) >= least);
	expect_true(used(&sim) >= 900);
	expect_true(drops(&sim) <= 50);
}

UNIT(sim__two)
{
	crowd(2, 950);
}

UNIT(sim__eight)
{
	crowd(8, 950);
}

UNIT(sim__thirty_two)
{
	crowd(32, 950);
}

UNIT(sim__sixty_four)
{
	crowd(64, 950);
}

/* The same, but each begins later than the one before, and finds the queue of
 * those: a second after the last one all have the same.
 */
static void staggered(unsigned int count, unsigned int step_ms)
{
	struct sim sim = port(64 << 10);
	unsigned int i;

	sim.warm_ms = count * step_ms + 1000;
	sim.end_ms = sim.warm_ms + 5000;
	many(&sim, SIM_PRP, count);
	for (i = 0; i < count; i++)
		sim.start_ms[i] = i * step_ms;
	run(&sim);
	expect_true(fair(&sim) >= 900);
	expect_true(used(&sim) >= 950);
	expect_true(drops(&sim) <= 10);
}

UNIT(sim__eight_1_ms_apart)
{
	staggered(8, 1);
}

UNIT(sim__eight_30_ms_apart)
{
	staggered(8, 30);
}

UNIT(sim__sixteen_5_ms_apart)
{
	staggered(16, 5);
}

UNIT(sim__sixteen_100_ms_apart)
{
	staggered(16, 100);
}

UNIT(sim__thirty_two_1_ms_apart)
{
	staggered(32, 1);
}

UNIT(sim__thirty_two_100_ms_apart)
{
	staggered(32, 100);
}

UNIT(sim__sixty_four_5_ms_apart)
{
	staggered(64, 5);
}

UNIT(sim__sixty_four_100_ms_apart)
{
	staggered(64, 100);
}

UNIT(sim__eight_at_1_gbit)
{
	struct sim sim = fast_port(100, 0);

	sim.buffer = 256 << 10;
	sim.end_ms = 3000;
	many(&sim, SIM_PRP, 8);
	run(&sim);
	expect_true(fair(&sim) >= 950);
	expect_true(used(&sim) >= 950);
}

/* What it takes for a round trip without a queue is one with that of others. */
static void late(unsigned int count)
{
	struct sim sim = port(64 << 10);

	sim.warm_ms = 2000;
	sim.end_ms = 4000;
	many(&sim, SIM_PRP, count);
	sim.start_ms[count - 1] = 1000;
	run(&sim);
	expect_true(fair(&sim) >= 900);
}

UNIT(sim__late_has_its_share_in_a_second_of_two)
{
	late(2);
}

UNIT(sim__late_has_its_share_in_a_second_of_eight)
{
	late(8);
}

/* So many, idle until then, send so many segments each in the same instant;
 * told: they know how many they are, or as many as there were when each of them
 * was connected. Somebody asks the same node for little meanwhile.
 */
static struct sim at_once(struct sim sim, unsigned int count, bool told)
{
	unsigned int i;

	sim.warm_ms = 0;
	sim.segs = 45; /* 64 KB */
	many(&sim, SIM_PRP, count);
	for (i = 0; i < count; i++) {
		sim.start_ms[i] = 100;
		sim.among[i] = told ? count : i + 1;
	}
	many(&sim, SIM_PING, 1);
	return sim;
}

/* Hundredths of what it takes at least */
static void incast(struct sim sim, unsigned int most)
{
	unsigned int count = sim.flows - 1;
	unsigned int us = count * sim.segs * WIRE * 8 / sim.mbit;

	sim.end_ms = sim.start_ms[0] + 3 * us / 1000;
	sim_run(&sim);
	printf("# ideal %u took %u us, drops %u, p99 of pings %u us\n", us,
	       sim.done_us, drops(&sim), sim.pings[sim.pinged * 99 / 100]);
	expect_true(sim.done_us);
	expect_true(sim.done_us * 100ull <= (u64)us * most);
	expect_true(drops(&sim) <= 50);
	expect_true(sim.pings[sim.pinged * 99 / 100] <= 20000);
}

static void incast_both(unsigned int count, unsigned int most)
{
	struct sim sim = port(64 << 10);

	incast(at_once(sim, count, true), most);
	incast(at_once(sim, count, false), most);
}

UNIT(sim__two_at_once)
{
	incast_both(2, 115);
}

UNIT(sim__sixteen_at_once)
{
	incast_both(16, 105);
}

UNIT(sim__sixty_four_at_once)
{
	incast_both(64, 130);
}

UNIT(sim__sixty_four_at_once_at_1_gbit)
{
	struct sim sim = fast_port(60, 0);

	sim.buffer = 256 << 10;
	sim.nic_mbit = 1000;
	incast(at_once(sim, 64, true), 110);
}

/* One of many who might, and nobody else does: two round trips more, whatever
 * the port, and in most of five runs also where round trips differ.
 */
static void lone(unsigned int mbit, unsigned int base_us,
		 unsigned int jitter_us, unsigned int more_us)
{
	struct sim sim = fast_port(base_us, 0);
	unsigned int alone, late = 0;

	sim.mbit = mbit;
	sim.nic_mbit = mbit;
	sim = at_once(sim, 1, true);
	sim_run(&sim);
	alone = sim.done_us;
	expect_true(alone);
	sim.jitter_us = jitter_us;
	sim.among[0] = 64;
	for (sim.seed = 1; sim.seed <= 5; sim.seed++) {
		sim_run(&sim);
		printf("# alone %u us, one of 64 %u us\n", alone, sim.done_us);
		late += !sim.done_us || sim.done_us > alone + more_us;
	}
	expect_true(late <= (jitter_us ? 2 : 0));
}

UNIT(sim__one_of_many_at_1_gbit)
{
	lone(1000, 60, 0, 150);
}

UNIT(sim__one_of_many_at_10_gbit)
{
	lone(10000, 40, 0, 110);
}

UNIT(sim__one_of_many_with_jitter)
{
	lone(100, 200, 300, 4000);
}
