// SPDX-License-Identifier: GPL-2.0
/*
 * Where connect() of the IP mode need not ask PRP for a while; see
 * inet_memo.h.
 *
 * Copyright (C) 2026 The PRP authors
 */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <uapi/linux/prp.h>

#include "inet/inet_memo.h"
#include "net.h"

/* The first and the longest pause. A silent node costs who asks tens of
 * milliseconds, a refusal a round trip; and who begins to listen under PRP is
 * to be found soon.
 */
#define SILENT_MS 1000
#define SILENT_MS_MAX 32000
#define REFUSED_MS 100
#define REFUSED_MS_MAX 1600
#define ASKING_MS 200 /* one asks again: others do without meanwhile */

static struct prp_inet_memo *memo_at(struct prp_net *pn, u16 node, u16 port)
{
	u32 hash = jhash_2words(node, port, 0);

	return &pn->memos.memo[hash % PRP_INET_MEMOS];
}

static bool memo_is(const struct prp_inet_memo *memo, u16 node, u16 port)
{
	return READ_ONCE(memo->node) == node && memo->port == port;
}

/* Return: PRP_WHY_* if a node, or its port, is not to be asked now. */
static u8 memo_look(struct prp_net *pn, u16 node, u16 port)
{
	struct prp_inet_memo *memo = memo_at(pn, node, port);
	u8 reason = PRP_WHY_NONE;
	unsigned long flags;

	if (likely(READ_ONCE(memo->node) != node))
		return PRP_WHY_NONE;
	spin_lock_irqsave(&pn->memos.lock, flags);
	if (memo_is(memo, node, port)) {
		if (time_before(jiffies, memo->next)) {
			reason = memo->reason;
		} else {
			memo->next = jiffies + msecs_to_jiffies(ASKING_MS);
			memo->asking = true;
		}
	}
	spin_unlock_irqrestore(&pn->memos.lock, flags);
	return reason;
}

static void memo_forget(struct prp_net *pn, u16 node, u16 port)
{
	struct prp_inet_memo *memo;
	unsigned long flags;

	if (likely(!READ_ONCE(pn->memos.noted)))
		return;
	memo = memo_at(pn, node, port);
	if (READ_ONCE(memo->node) != node)
		return;
	spin_lock_irqsave(&pn->memos.lock, flags);
	if (memo_is(memo, node, port))
		WRITE_ONCE(memo->node, 0);
	spin_unlock_irqrestore(&pn->memos.lock, flags);
}

/* Note that an attempt has failed. */
static void memo_note(struct prp_net *pn, u16 node, u16 port, u8 reason)
{
	bool silent = reason == PRP_WHY_SILENT;
	u32 pause = silent ? SILENT_MS : REFUSED_MS;
	u32 most = silent ? SILENT_MS_MAX : REFUSED_MS_MAX;
	struct prp_inet_memo *memo = memo_at(pn, node, port);
	unsigned long flags;

	spin_lock_irqsave(&pn->memos.lock, flags);
	WRITE_ONCE(pn->memos.noted, true);
	if (memo_is(memo, node, port) && memo->reason == reason) {
		pause = memo->pause_ms;
		/* of several that have asked at once one counts */
		if (memo->asking)
			pause = min(2 * pause, most);
	}
	*memo = (struct prp_inet_memo){
		.node = node,
		.port = port,
		.reason = reason,
		.pause_ms = pause,
		.next = jiffies + msecs_to_jiffies(pause),
	};
	spin_unlock_irqrestore(&pn->memos.lock, flags);
}

/* Has a node been silent, and not been heard since? */
static bool memo_is_silent(struct prp_net *pn, u16 node)
{
	const struct prp_inet_memo *memo = memo_at(pn, node, 0);

	return READ_ONCE(memo->node) == node && !READ_ONCE(memo->port);
}

/**
 * prp_inet_memo_find() - may PRP be left out?
 * @pn: namespace
 * @node: where connect() goes
 * @port: port there
 *
 * When a pause is over the first one who asks is told no, and the others go on
 * to be told yes until it is known what became of that.
 *
 * Return: PRP_WHY_* of an earlier attempt, or PRP_WHY_NONE: ask PRP.
 */
u8 prp_inet_memo_find(struct prp_net *pn, u16 node, u16 port)
{
	u8 reason = memo_look(pn, node, port);

	if (reason != PRP_WHY_SILENT || memo_is_silent(pn, node))
		return reason;
	memo_forget(pn, node, port);
	return PRP_WHY_NONE;
}

/**
 * prp_inet_memo_failed() - TCP carries what PRP was asked for
 * @pn: namespace
 * @node: where connect() went
 * @port: port there
 * @reason: PRP_WHY_*
 *
 * It is of the port alone: a server with a full queue is silent, too, and must
 * not keep others of its node from being found. That a node was silent holds
 * until it is heard.
 */
void prp_inet_memo_failed(struct prp_net *pn, u16 node, u16 port, u8 reason)
{
	memo_note(pn, node, port, reason);
	if (reason == PRP_WHY_SILENT)
		memo_note(pn, node, 0, reason);
}

/**
 * prp_inet_memo_served() - PRP carries a connection
 * @pn: namespace
 * @node: where connect() went
 * @port: port there
 */
void prp_inet_memo_served(struct prp_net *pn, u16 node, u16 port)
{
	memo_forget(pn, node, port);
}

/**
 * prp_inet_memo_heard() - a node has spoken
 * @pn: namespace
 * @node: its number
 */
void prp_inet_memo_heard(struct prp_net *pn, u16 node)
{
	memo_forget(pn, node, 0);
}

/**
 * prp_inet_memo_table_changed() - the numbers may be other nodes'
 * @pn: namespace
 */
void prp_inet_memo_table_changed(struct prp_net *pn)
{
	unsigned long flags;

	spin_lock_irqsave(&pn->memos.lock, flags);
	memset(pn->memos.memo, 0, sizeof(pn->memos.memo));
	WRITE_ONCE(pn->memos.noted, false);
	spin_unlock_irqrestore(&pn->memos.lock, flags);
}

/**
 * prp_inet_memo_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_inet_memo_net_init(struct prp_net *pn)
{
	spin_lock_init(&pn->memos.lock);
}
