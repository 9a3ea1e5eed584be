// SPDX-License-Identifier: GPL-2.0
/*
 * Names and sums of the counters, and what they must be in the end.
 */
#include "mib.h"
#include "net.h"

/* clang-format off: a list a line */
#define NAME_MIB(sym, name, text) [PRP_MIB_##sym] = name,
#define NAME_LIVE(sym, name, text) [PRP_LIVE_##sym] = name,
#define NAME_DROP(sym, name, text) [PRP_DROP_##sym] = name,

static const char *const names[PRP_MIB_COUNT] = { PRP_MIB_LIST(
	NAME_MIB) PRP_LIVE_LIST(NAME_LIVE) PRP_DROP_LIST(NAME_DROP) };
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

	/* signed: what one processor made another one may have freed */
	for_each_possible_cpu(cpu)
		sum += (long)READ_ONCE(per_cpu_ptr(pn->mib, cpu)->count[which]);
	return sum;
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
		WARN_ONCE(prp_mib_sum(pn, which),
			  "prp: %s is %lld in the end\n", names[which],
			  prp_mib_sum(pn, which));
	WARN_ON_ONCE(prp_mib_sum(pn, PRP_MIB_CONNS_OPENED) !=
		     prp_mib_sum(pn, PRP_MIB_CONNS_CLOSED));
	free_percpu(pn->mib);
}
