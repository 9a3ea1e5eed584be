// SPDX-License-Identifier: GPL-2.0
/*
 * Names and sums of the counters.
 */
#include "mib.h"
#include "net.h"

/* clang-format off */
#define NAME_MIB(sym, name, text) [PRP_MIB_##sym] = name,
#define NAME_DROP(sym, name, text) [PRP_DROP_##sym] = name,

static const char *const names[PRP_MIB_COUNT] = {
	PRP_MIB_LIST(NAME_MIB)
	PRP_DROP_LIST(NAME_DROP)
};

/* clang-format on */

/**
 * prp_mib_name() - name of a counter
 * @which: counter, below PRP_MIB_COUNT
 *
 * Return: its name as prpctl shows it.
 */
const char *prp_mib_name(enum prp_mib which)
{
	return names[which];
}

/**
 * prp_mib_sum() - value of a counter
 * @pn: namespace
 * @which: counter, below PRP_MIB_COUNT
 *
 * Return: the sum over all processors.
 */
u64 prp_mib_sum(const struct prp_net *pn, enum prp_mib which)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(pn->mib, cpu)->count[which]);
	return sum;
}
