// SPDX-License-Identifier: GPL-2.0
/*
 * How often we answer what nothing asked for.
 */
#include "network/limit.h"
#include "network/table.h"
#include "pure/budget.h"
#include "see/trace.h"

/* What an answer costs: 1000 a second to a node, 100 to all strangers, 4 to
 * those who ask everybody; and what a query costs
 */
#define PRICE_NODE (PRP_BUDGET_JIFFY * HZ / 1000)
#define PRICE_STRANGER (PRP_BUDGET_JIFFY * HZ / 100)
#define PRICE_ALL (PRP_BUDGET_JIFFY * HZ / 4)
#define PRICE_QUERY (PRP_BUDGET_JIFFY * HZ / 100)

/* Take an answer out of a budget that other processors use, too. */
static bool limit_spend(unsigned long *budget, u32 price)
{
	unsigned long now = jiffies * PRP_BUDGET_JIFFY;
	unsigned long was = READ_ONCE(*budget), then;

	do {
		then = was;
		if (!prp_budget_spend(&then, now, price))
			return false;
	} while (!try_cmpxchg(budget, &was, then));
	return true;
}

static void limit_refuse(struct prp_net *pn)
{
	prp_mib_inc(pn, PRP_DROP_RATE);
	trace_prp_drop(pn, NULL, NULL, PRP_DROP_RATE);
}

/**
 * prp_limit_may_answer() - may a frame be answered that nothing asked for?
 * @pn: namespace; the caller is in an RCU read section or has BH off
 * @node: node of the table that it is believed to be of, 0 for a stranger
 *
 * Version notices, resets of what is not here, probes for requests with another
 * tag, replies to queries, and forwarders' errors have no state that bounds
 * them, so a rate does. Each node of the table has one of its own, and all
 * others have one together, so that nobody uses up what somebody else needs. A
 * number that has left the table meanwhile is a stranger's.
 *
 * What else a frame makes us send is bounded without: an answer to a request,
 * first, repeated or with a cookie, is one for one; what an established
 * connection acknowledges at once, copies and probes included, bears its tag,
 * and is one for one, too; all else is once in the life of a connection.
 *
 * Return: true if it may.
 */
bool prp_limit_may_answer(struct prp_net *pn, u16 node)
{
	const struct prp_table *table =
		rcu_dereference_check(pn->table, rcu_read_lock_bh_held());
	unsigned long *budget = prp_table_budget(table, node);

	if (budget ? limit_spend(budget, PRICE_NODE) :
		     limit_spend(&pn->strangers, PRICE_STRANGER))
		return true;
	limit_refuse(pn);
	return false;
}

/**
 * prp_limit_may_answer_all() - may a question be answered that went to all?
 * @pn: namespace
 *
 * Return: true if it may.
 */
bool prp_limit_may_answer_all(struct prp_net *pn)
{
	if (limit_spend(&pn->callers, PRICE_ALL))
		return true;
	limit_refuse(pn);
	return false;
}

/**
 * prp_limit_may_query() - may somebody without privilege query a node?
 * @pn: namespace
 *
 * What they ask is replied to out of the budget that this node has of others,
 * which its connections need, too.
 *
 * Return: true if so.
 */
bool prp_limit_may_query(struct prp_net *pn)
{
	return limit_spend(&pn->curious, PRICE_QUERY);
}
