// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of each node; see peer.h. A node of the table has an entry
 * from the first time that something is known, until it leaves the table.
 */
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "net.h"
#include "netlink/netlink.h"
#include "see/peer.h"
#include "transport/conn_table.h"
#include "transport/watch.h"

#define PEER_CHANGED XA_MARK_0 /* not yet told those who listen */
#define PEER_LACKS XA_MARK_1 /* prp_peer.lacks is not 0 */

/**
 * struct prp_peer - a node [all: prp_net.peers lock]
 * @heard: when a handshake, a reset or a notice came, ns since boot, to a
 *	jiffy; 0 never
 * @error_at: when a forwarder said @error, ns since boot
 * @hash: of its host table, if @told_hash
 * @error_node: forwarder that said @error
 * @told_hash: a handshake told @hash
 * @silent: what was sent to it has had no answer for long, and nothing was
 *	heard since
 * @silent_conns: connections that wait for one as long
 * @low: lowest version it speaks, 0 if it speaks ours
 * @high: highest version it speaks
 * @error: enum prp_error, 0 for none
 * @lacks: features of the last handshake that one of us must have and the
 *	other one does not know
 * @stats: what connections with it have counted, as far as they were asked
 */
struct prp_peer {
	u64 heard;
	u64 error_at;
	u32 hash;
	u32 silent_conns;
	u16 error_node;
	bool told_hash;
	bool silent;
	u8 low;
	u8 high;
	u8 error;
	u16 lacks;
	struct prp_conn_stats stats;
};

/* The entry of a node, made if need be, or NULL without memory or node. A
 * table that is published from now on finds the entry when it looks for those
 * to be freed.
 */
static struct prp_peer *peer_find(struct prp_net *pn, u16 number)
{
	struct prp_peer *peer = xa_load(&pn->peers, number);

	lockdep_assert_held(&pn->peers.xa_lock);
	if (peer || !prp_table_node(rcu_dereference_bh(pn->table), number))
		return peer;
	peer = kzalloc(sizeof(*peer), GFP_ATOMIC | __GFP_NOWARN);
	if (peer && xa_err(__xa_store(&pn->peers, number, peer,
				      GFP_ATOMIC | __GFP_NOWARN))) {
		kfree(peer);
		peer = NULL;
	}
	if (peer)
		prp_mib_inc(pn, PRP_LIVE_PEERS);
	return peer;
}

static void peer_free(struct prp_net *pn, struct prp_peer *peer)
{
	prp_mib_dec(pn, PRP_LIVE_PEERS);
	kfree(peer);
}

/* Something else is known: tell those who listen, soon. */
static void peer_tell(struct prp_net *pn, u16 number)
{
	lockdep_assert_held(&pn->peers.xa_lock);
	/* first the mark: who tells may be about to look */
	__xa_set_mark(&pn->peers, number, PEER_CHANGED);
	if (!prp_netlink_tell_peers(pn))
		__xa_clear_mark(&pn->peers, number, PEER_CHANGED);
}

static void peer_heard(struct prp_net *pn, struct prp_peer *peer, u16 number)
{
	peer->heard = ktime_get_coarse_ns();
	prp_inet_memo_heard(pn, number);
	if (peer->silent)
		peer_tell(pn, number);
	peer->silent = false;
}

/**
 * prp_peer_handshake() - a believed request or answer
 * @pn: namespace
 * @number: node that it came from
 * @hash: of that node's host table
 */
void prp_peer_handshake(struct prp_net *pn, u16 number, u32 hash)
{
	struct prp_peer *peer;
	u32 was;

	xa_lock_bh(&pn->peers);
	peer = peer_find(pn, number);
	if (peer) {
		/* that a new one has our table is no news */
		was = peer->told_hash ? peer->hash :
					rcu_dereference_bh(pn->table)->hash;
		if (hash != was || peer->low)
			peer_tell(pn, number);
		peer->hash = hash;
		peer->told_hash = true;
		peer->low = 0;
		peer->high = 0;
		peer_heard(pn, peer, number);
	}
	xa_unlock_bh(&pn->peers);
}

/**
 * prp_peer_heard() - a believed reset
 * @pn: namespace
 * @number: node that it came from
 */
void prp_peer_heard(struct prp_net *pn, u16 number)
{
	struct prp_peer *peer;

	xa_lock_bh(&pn->peers);
	peer = peer_find(pn, number);
	if (peer)
		peer_heard(pn, peer, number);
	xa_unlock_bh(&pn->peers);
}

/**
 * prp_peer_version() - a believed version notice, or a frame of another version
 * @pn: namespace
 * @number: node that it came from
 * @low: lowest version that it speaks
 * @high: highest version that it speaks
 */
void prp_peer_version(struct prp_net *pn, u16 number, u8 low, u8 high)
{
	struct prp_peer *peer;

	xa_lock_bh(&pn->peers);
	peer = peer_find(pn, number);
	if (peer) {
		if (peer->low != low || peer->high != high)
			peer_tell(pn, number);
		peer->low = low;
		peer->high = high;
		peer_heard(pn, peer, number);
	}
	xa_unlock_bh(&pn->peers);
}

/**
 * prp_peer_features() - what a believed handshake or reset says of features
 * @pn: namespace
 * @number: node that it came from
 * @lacks: PRP_FEATURE_*, and bits that have no name here, which one of us two
 *	must have and the other does not know; 0 if there are none
 */
void prp_peer_features(struct prp_net *pn, u16 number, u16 lacks)
{
	struct prp_peer *peer;

	/* that a node lacks nothing, as before, is no news */
	if (!lacks && likely(!xa_marked(&pn->peers, PEER_LACKS)))
		return;
	xa_lock_bh(&pn->peers);
	peer = peer_find(pn, number);
	if (peer && (lacks || peer->lacks)) {
		if (peer->lacks != lacks || peer->low)
			peer_tell(pn, number);
		peer->lacks = lacks;
		if (lacks)
			__xa_set_mark(&pn->peers, number, PEER_LACKS);
		else
			__xa_clear_mark(&pn->peers, number, PEER_LACKS);
		peer->low = 0;
		peer->high = 0;
		peer_heard(pn, peer, number);
	}
	xa_unlock_bh(&pn->peers);
}

/**
 * prp_peer_error() - a forwarder could not pass a frame on
 * @pn: namespace
 * @number: node that the frame was for
 * @code: enum prp_error
 * @forwarder: node that says so
 */
void prp_peer_error(struct prp_net *pn, u16 number, u8 code, u16 forwarder)
{
	struct prp_peer *peer;

	xa_lock_bh(&pn->peers);
	peer = peer_find(pn, number);
	if (peer) {
		if (peer->error != code || peer->error_node != forwarder)
			peer_tell(pn, number);
		peer->error = code;
		peer->error_node = forwarder;
		peer->error_at = ktime_get_ns();
	}
	xa_unlock_bh(&pn->peers);
}

/**
 * prp_peer_way_changed() - a rail to a node was left, or taken back
 * @pn: namespace
 * @number: the node
 */
void prp_peer_way_changed(struct prp_net *pn, u16 number)
{
	xa_lock_bh(&pn->peers);
	if (peer_find(pn, number))
		peer_tell(pn, number);
	xa_unlock_bh(&pn->peers);
}

/* One connection less that waits. It may have begun to without an entry. */
static void peer_ends_silence(struct prp_peer *peer)
{
	if (peer->silent_conns)
		peer->silent_conns--;
}

/**
 * prp_peer_silent() - a connection has waited long for an answer, or had it
 * @pn: namespace
 * @number: the other node
 * @silent: true if it waits, false if the answer came
 */
void prp_peer_silent(struct prp_net *pn, u16 number, bool silent)
{
	struct prp_peer *peer;

	xa_lock_bh(&pn->peers);
	peer = peer_find(pn, number);
	if (peer && silent)
		peer->silent_conns++;
	else if (peer)
		peer_ends_silence(peer);
	if (peer && peer->silent != silent) {
		peer->silent = silent;
		peer_tell(pn, number);
	}
	xa_unlock_bh(&pn->peers);
}

/* Add what a connection has counted since it was told last */
static void peer_add(struct prp_peer *peer, const struct prp_conn_stats *now,
		     const struct prp_conn_stats *told)
{
	struct prp_conn_stats *sum = &peer->stats;

	sum->segs_out += now->segs_out - told->segs_out;
	sum->segs_retransmitted +=
		now->segs_retransmitted - told->segs_retransmitted;
	sum->segs_in += now->segs_in - told->segs_in;
	sum->segs_dup_in += now->segs_dup_in - told->segs_dup_in;
	sum->acks_out += now->acks_out - told->acks_out;
	sum->acks_in += now->acks_in - told->acks_in;
	sum->probes_out += now->probes_out - told->probes_out;
	sum->bytes_out += now->bytes_out - told->bytes_out;
	sum->bytes_in += now->bytes_in - told->bytes_in;
}

/* Add what a connection has counted to its other node's. told: what was added
 * before, or NULL.
 */
static void peer_count(struct prp_conn *conn, struct prp_conn_stats *told)
{
	static const struct prp_conn_stats nothing;
	struct prp_net *pn = conn->pn;
	struct prp_peer *peer;

	lockdep_assert_held(&conn->lock);
	xa_lock_bh(&pn->peers);
	peer = xa_load(&pn->peers, conn->key.peer);
	if (peer)
		peer_add(peer, &conn->stats, told ?: &nothing);
	if (peer && told)
		*told = conn->stats;
	xa_unlock_bh(&pn->peers);
}

/* A connection ends that waits for an answer: if it is the last one, what is
 * told of the next is news.
 */
static void peer_left_silent(struct prp_conn *conn)
{
	struct prp_net *pn = conn->pn;
	struct prp_peer *peer;

	lockdep_assert_held(&conn->lock);
	xa_lock_bh(&pn->peers);
	peer = xa_load(&pn->peers, conn->key.peer);
	if (peer) {
		peer_ends_silence(peer);
		if (peer->silent && !peer->silent_conns) {
			peer->silent = false;
			peer_tell(pn, conn->key.peer);
		}
	}
	xa_unlock_bh(&pn->peers);
}

/**
 * __prp_peer_count() - a connection ends: what it has counted stays
 * @conn: connection that has left the hash just now, its lock held
 */
void __prp_peer_count(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	peer_count(conn, conn->told);
	if (unlikely(conn->watch.silent))
		peer_left_silent(conn);
}

/* Somebody asks. Adding what is new each time, a node's counters never become
 * smaller, however connections end meanwhile. Without memory to note that it
 * was added, it is added later; what has ended was.
 */
static void peer_count_live(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (!conn->hashed)
		return;
	if (!conn->told)
		conn->told = kzalloc(sizeof(*conn->told),
				     GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (conn->told)
		peer_count(conn, conn->told);
}

/**
 * prp_peer_table_changed() - forget nodes that are not what they were
 * @pn: namespace, its table_mutex held
 * @old: table until now
 * @now: table in force
 */
void prp_peer_table_changed(struct prp_net *pn, const struct prp_table *old,
			    const struct prp_table *now)
{
	struct prp_peer *peer;
	unsigned long number;

	lockdep_assert_held(&pn->table_mutex);
	/* who has seen the old table has stored by now what we shall see */
	xa_lock_bh(&pn->peers);
	xa_unlock_bh(&pn->peers);
	xa_for_each(&pn->peers, number, peer)
		if (!prp_table_same_machine(old, now, number))
			peer_free(pn, xa_erase_bh(&pn->peers, number));
}

static u32 peer_age_ms(u64 then)
{
	return min_t(u64, div_u64(ktime_get_ns() - then, NSEC_PER_MSEC),
		     U32_MAX);
}

/* Begin what is told of a node with what its entry says, if it has one. */
static void peer_begin(struct prp_net *pn, u16 number,
		       struct prp_peer_info *info)
{
	const struct prp_peer *peer;

	memset(info, 0, sizeof(*info));
	info->number = number;
	xa_lock_bh(&pn->peers);
	peer = xa_load(&pn->peers, number);
	if (peer) {
		info->known = peer->heard;
		info->heard_ms = peer_age_ms(peer->heard);
		info->told_hash = peer->told_hash;
		info->hash = peer->hash;
		info->differs = peer->told_hash &&
				peer->hash !=
					rcu_dereference_bh(pn->table)->hash;
		info->low = peer->low;
		info->high = peer->high;
		info->lacks = peer->lacks;
		info->error = peer->error;
		info->error_node = peer->error_node;
		info->error_ms = peer_age_ms(peer->error_at);
	}
	xa_unlock_bh(&pn->peers);
	prp_way_get(pn, number, &info->way);
}

/* What a connection knows of its other node */
static void peer_add_conn(struct prp_peer_info *info, struct prp_conn *conn)
{
	s64 heard, silent;

	spin_lock_bh(&conn->lock);
	heard = __prp_watch_heard_ms(conn);
	silent = __prp_watch_silent_ms(conn);
	peer_count_live(conn);
	spin_unlock_bh(&conn->lock);
	info->conns++;
	if (heard >= 0 && (!info->known || heard < info->heard_ms)) {
		info->known = true;
		info->heard_ms = heard;
	}
	if (silent >= 0) {
		info->waits = true;
		info->silent_ms = max_t(u32, info->silent_ms, silent);
	}
}

static void peer_get_stats(struct prp_net *pn, struct prp_peer_info *info)
{
	const struct prp_peer *peer;

	xa_lock_bh(&pn->peers);
	peer = xa_load(&pn->peers, info->number);
	if (peer)
		info->stats = peer->stats;
	xa_unlock_bh(&pn->peers);
}

/* Complete what is told of nodes, in the order of numbers. Sleeps. Who is
 * killed meanwhile will not read it.
 */
static void peer_complete(struct prp_net *pn, struct prp_peer_info *infos,
			  unsigned int count)
{
	struct prp_conn_cursor cursor = {};
	struct prp_conn *conn;
	unsigned int i;

	do {
		rcu_read_lock();
		conn = prp_conn_table_next_rcu(pn, &cursor);
		for (i = 0; conn && i < count; i++)
			if (infos[i].number == conn->key.peer)
				peer_add_conn(&infos[i], conn);
		rcu_read_unlock();
		cond_resched();
	} while (conn && !fatal_signal_pending(current));
	/* another connection may have heard what one waits for */
	for (i = 0; i < count; i++)
		if (infos[i].known)
			infos[i].silent_ms =
				min(infos[i].silent_ms, infos[i].heard_ms);
	for (i = 0; i < count; i++)
		peer_get_stats(pn, &infos[i]);
}

/**
 * prp_peer_get() - what is known of a node
 * @pn: namespace; the caller may sleep
 * @number: node
 * @info: filled in
 */
void prp_peer_get(struct prp_net *pn, u16 number, struct prp_peer_info *info)
{
	peer_begin(pn, number, info);
	peer_complete(pn, info, 1);
}

/**
 * prp_peer_next() - what is known of nodes of which something is
 * @pn: namespace; the caller may sleep
 * @from: smallest number wanted
 * @infos: filled in, in the order of numbers
 * @max: room there
 *
 * Return: how many were filled in; less than @max if there are no more.
 */
unsigned int prp_peer_next(struct prp_net *pn, u32 from,
			   struct prp_peer_info *infos, unsigned int max)
{
	unsigned long number = from;
	unsigned int count = 0;

	while (count < max &&
	       xa_find(&pn->peers, &number, PRP_NODE_MAX, XA_PRESENT))
		peer_begin(pn, number++, &infos[count++]);
	peer_complete(pn, infos, count);
	return count;
}

/**
 * prp_peer_changed() - the same of nodes of which something has changed
 * @pn: namespace; the caller may sleep
 * @infos: filled in, in the order of numbers; they count as told
 * @max: room there
 *
 * Return: how many were filled in; less than @max if there are no more.
 */
unsigned int prp_peer_changed(struct prp_net *pn, struct prp_peer_info *infos,
			      unsigned int max)
{
	unsigned long number = 0;
	unsigned int count = 0;

	while (count < max &&
	       xa_find(&pn->peers, &number, PRP_NODE_MAX, PEER_CHANGED)) {
		xa_lock_bh(&pn->peers);
		__xa_clear_mark(&pn->peers, number, PEER_CHANGED);
		xa_unlock_bh(&pn->peers);
		peer_begin(pn, number++, &infos[count++]);
	}
	peer_complete(pn, infos, count);
	return count;
}

/**
 * prp_peer_net_init() - prepare a namespace
 * @pn: namespace
 */
void prp_peer_net_init(struct prp_net *pn)
{
	xa_init_flags(&pn->peers, XA_FLAGS_LOCK_BH);
}

/**
 * prp_peer_net_exit() - forget all
 * @pn: namespace; it has no connections any more
 */
void prp_peer_net_exit(struct prp_net *pn)
{
	struct prp_peer *peer;
	unsigned long number;

	xa_for_each(&pn->peers, number, peer)
		peer_free(pn, peer);
	xa_destroy(&pn->peers);
}
