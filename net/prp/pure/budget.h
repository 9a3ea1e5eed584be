/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Budgets: how often something may be done for somebody. A budget is one
 * number, so that there can be one for each node of a host table.
 */
#ifndef _PRP_BUDGET_H
#define _PRP_BUDGET_H

#include <linux/types.h>

#define PRP_BUDGET_JIFFY 1000 /* units of time in a jiffy */
#define PRP_BUDGET_BURST 16 /* so often at once */

bool prp_budget_spend(unsigned long *budget, unsigned long now, u32 price);

#endif /* _PRP_BUDGET_H */
