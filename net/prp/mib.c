// SPDX-License-Identifier: GPL-2.0
/*
 * Names and values of the counters and gauges.
 */
#include "mib.h"
#include "net.h"

/* clang-format off */
#define NAME_MIB(sym, name, text) [PRP_MIB_##sym] = name,
#define NAME_DROP(sym, name, text) [PRP_DROP_##sym] = name,

static const char *const names[PRP_MIB_ALL] = {
	PRP_MIB_LIST(NAME_MIB)
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

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(pn->mib, cpu)->count[which]);
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
	switch (which) {
	case PRP_GAUGE_CONNS:
		return atomic_read(&pn->conn_count);
	case PRP_GAUGE_ORPHANS:
		return atomic_read(&pn->orphans);
	case PRP_GAUGE_RECORDS:
		return READ_ONCE(pn->record_count);
	case PRP_GAUGE_POOL:
		return atomic_long_read(&pn->pool_bytes);
	case PRP_GAUGE_POOL_LIMIT:
		return READ_ONCE(pn->pool_limit);
	default:
		return mib_sum(pn, which);
	}
}
