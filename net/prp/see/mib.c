// SPDX-License-Identifier: GPL-2.0
/*
 * Names and values of the counters and gauges.
 */
#include <linux/if_ether.h>
#include <linux/string.h>

#include "net.h"
#include "see/mib.h"

/* clang-format off */
#define NAME_MIB(sym, name, text) [PRP_MIB_##sym] = name,
#define NAME_LIVE(sym, name, text) [PRP_LIVE_##sym] = name,
#define NAME_DROP(sym, name, text) [PRP_DROP_##sym] = name,
#define NAME_GAUGE(sym, name, text) [PRP_GAUGE_##sym] = name,

static const char *const names[PRP_MIB_ALL] = {
	PRP_MIB_LIST(NAME_MIB)
	PRP_LIVE_LIST(NAME_LIVE)
	PRP_DROP_LIST(NAME_DROP)
	PRP_GAUGE_LIST(NAME_GAUGE)
};

/* clang-format on */

/**
 * prp_mib_name() - name of a counter or gauge
 * @which: counter or gauge, below PRP_MIB_ALL
 *
 * Return: its name as prpctl shows it.
 */
const char *prp_mib_name(enum prp_mib which)
{
	return names[which];
}

static u64 mib_sum(const struct prp_net *pn, enum prp_mib which)
{
	u64 sum = 0;
	int cpu;

	/* signed: what one processor made another one may have freed */
	for_each_possible_cpu(cpu)
		sum += (long)READ_ONCE(per_cpu_ptr(pn->mib, cpu)->count[which]);
	return sum;
}

/**
 * prp_mib_rail_get() - counters of a rail
 * @pn: namespace
 * @number: 0 to PRP_RAILS - 1, or PRP_RAILS for loopback
 * @sum: set to the sums over all processors
 */
void prp_mib_rail_get(const struct prp_net *pn, unsigned int number,
		      struct prp_mib_rail *sum)
{
	const struct prp_mib_rail *one;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		one = &per_cpu_ptr(pn->mib, cpu)->rail[number];
		sum->frames_in += READ_ONCE(one->frames_in);
		sum->bytes_in += READ_ONCE(one->bytes_in);
		sum->frames_out += READ_ONCE(one->frames_out);
		sum->bytes_out += READ_ONCE(one->bytes_out);
		sum->lost += READ_ONCE(one->lost);
	}
	sum->bytes_in += ETH_HLEN * sum->frames_in;
}

static u64 mib_frames(const struct prp_net *pn, enum prp_mib which)
{
	struct prp_mib_rail rail;
	unsigned int r;
	u64 sum = 0;

	for (r = 0; r < PRP_MIB_RAILS; r++) {
		prp_mib_rail_get(pn, r, &rail);
		sum += which == PRP_MIB_FRAMES_IN ? rail.frames_in :
						    rail.frames_out;
	}
	return sum;
}

/**
 * prp_mib_value() - value of a counter or gauge
 * @pn: namespace
 * @which: counter or gauge, below PRP_MIB_ALL
 *
 * Return: the sum over all processors, or what is there.
 */
u64 prp_mib_value(const struct prp_net *pn, enum prp_mib which)
{
	struct prp_pool_info pool;
	u64 others;

	switch (which) {
	case PRP_MIB_FRAMES_IN:
		return mib_frames(pn, which);
	case PRP_MIB_FRAMES_OUT:
		/* in this order: they are counted the other way round */
		others = mib_sum(pn, PRP_MIB_FORWARDED);
		return mib_frames(pn, which) - others;
	case PRP_GAUGE_CONNS:
		return atomic_read(&pn->conn_count);
	case PRP_GAUGE_ORPHANS:
		return atomic_read(&pn->orphans);
	case PRP_GAUGE_POOL:
		prp_pool_get(pn, &pool);
		return pool.bytes;
	case PRP_GAUGE_POOL_LIMIT:
		prp_pool_get(pn, &pool);
		return pool.most;
	default:
		return mib_sum(pn, which);
	}
}

/**
 * prp_mib_net_init() - prepare a namespace
 * @pn: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int prp_mib_net_init(struct prp_net *pn)
{
	pn->mib = alloc_percpu_gfp(struct prp_mib_cpu, GFP_KERNEL_ACCOUNT);
	return pn->mib ? 0 : -ENOMEM;
}

/**
 * prp_mib_net_exit() - free a namespace's counters
 * @pn: namespace; all that it made must be freed by now
 */
void prp_mib_net_exit(struct prp_net *pn)
{
	enum prp_mib which;

	for (which = PRP_LIVE_SOCKS; which <= PRP_LIVE_RAILS; which++)
		WARN_ONCE(mib_sum(pn, which), "prp: %s is %lld in the end\n",
			  names[which], mib_sum(pn, which));
	WARN_ON_ONCE(mib_sum(pn, PRP_MIB_CONNS_OPENED) !=
		     mib_sum(pn, PRP_MIB_CONNS_CLOSED));
	free_percpu(pn->mib);
}
