// SPDX-License-Identifier: GPL-2.0
/*
 * Budgets that time fills: a bucket of tokens as one number (the "virtual
 * scheduling" of ATM Forum's GCRA). Knows no clock and no lock: who shares a
 * budget with others exchanges it as a whole.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/kernel.h>

#include "pure/budget.h"

/* Another processor's reading of the clock is not so much older. */
#define BUDGET_LATE (100 * PRP_BUDGET_JIFFY)

/**
 * prp_budget_spend() - take the price of one thing out of a budget
 * @budget: when all that was taken will be back, in units of time; 0 at
 *	first, when nothing was
 * @now: the time; it may wrap, and be a little less than the last time
 * @price: units in which one thing comes back, 1 to 2^24
 *
 * PRP_BUDGET_BURST things are in stock at most. What lies further ahead than
 * that is of a clock that has wrapped since; if it seems to lie less than
 * BUDGET_LATE further it counts as used up until then.
 *
 * Return: false if there is not so much left; the budget is then as it was.
 */
bool prp_budget_spend(unsigned long *budget, unsigned long now, u32 price)
{
	unsigned long most = PRP_BUDGET_BURST * price;
	unsigned long owed = *budget - now;

	if (owed > most + BUDGET_LATE)
		owed = 0; /* it is all back */
	if (owed > most - price)
		return false;
	*budget = now + owed + price;
	return true;
}
