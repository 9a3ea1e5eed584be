// SPDX-License-Identifier: GPL-2.0
/*
 * Connections are made, found, hashed, unhashed and freed here, and nowhere
 * else. What a connection does is in the other rooms.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "compat/rps.h"
#include "network/offload.h"
#include "see/peer.h"
#include "see/trace.h"
#include "socket/port.h"
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/cgroup.h"
#include "transport/conn.h"
#include "transport/conn_table.h"
#include "transport/crowd.h"
#include "transport/orphan.h"
#include "transport/path_size.h"
#include "transport/record.h"
#include "transport/tx_slots.h"

/* What devices and others that open or close write is not in the lines that
 * each frame's look-up reads.
 */
#define LINE_OF(type, member) (offsetof(type, member) / SMP_CACHE_BYTES)
#ifdef CONFIG_SMP
static_assert(LINE_OF(struct prp_conn, mem) != LINE_OF(struct prp_conn, key));
static_assert(LINE_OF(struct prp_conn, below) !=
	      LINE_OF(struct prp_conn, tx.sndbuf));
static_assert(LINE_OF(struct prp_net, conn_lock) !=
	      LINE_OF(struct prp_net, conns));
#endif

static struct kmem_cache *conn_cache;
static atomic_t conn_mem_count; /* connections not yet freed */

/**
 * prp_conn_alloc() - make a connection
 * @pn: namespace
 * @self: our node number
 * @key: the other end and our port
 * @gfp: GFP_KERNEL in a program's call, GFP_ATOMIC in the handshake
 *
 * Return: a connection in PRP_CLOSE with one reference, not in the hash and
 * without a port, or NULL.
 */
struct prp_conn *prp_conn_alloc(struct prp_net *pn, u16 self,
				const union prp_conn_key *key, gfp_t gfp)
{
	struct prp_conn *conn;
	u64 random;

	conn = kmem_cache_zalloc(conn_cache, gfp);
	if (!conn)
		return NULL;
	atomic_inc(&conn_mem_count);
	refcount_set(&conn->mem, 1);
	refcount_set(&conn->ref, 1);
	conn->pn = pn;
	conn->self = self;
	conn->key = *key;
	conn->hash = prp_conn_key_hash(pn, key);
	random = get_random_u64();
	conn->tag = (u32)random ?: 1;
	spin_lock_init(&conn->lock);
	conn->state = PRP_CLOSE;
	INIT_LIST_HEAD(&conn->child.node);
	skb_queue_head_init(&conn->rx.queue);

	conn->hdr.version = PRP_VERSION;
	conn->hdr.hops = PRP_HOPS_DEFAULT;
	conn->hdr.dnode = cpu_to_be16(key->peer);
	conn->hdr.snode = cpu_to_be16(self);
	conn->hdr.sport = cpu_to_be16(key->lport);
	conn->hdr.dport = cpu_to_be16(key->rport);

	prp_tx_slots_init(conn);
	prp_conn_set_first(conn, random >> 32);
	conn->path.told = U16_MAX;
	conn->rx.charged = PRP_CGROUP_NONE;
	atomic_inc(&pn->conn_count);
	prp_mib_inc(pn, PRP_MIB_CONNS_OPENED);
	return conn;
}

/**
 * prp_conn_read_here() - have frames come to this processor, as RFS does
 * @conn: connection that a program on this processor reads
 */
void prp_conn_read_here(const struct prp_conn *conn)
{
	const struct prp_hdr in = {
		.dnode = conn->hdr.snode,
		.snode = conn->hdr.dnode,
		.sport = conn->hdr.dport,
		.dport = conn->hdr.sport,
	};

	sock_rps_record_flow_hash(prp_offload_hash(&in));
}

/**
 * prp_conn_mem_put() - drop a reference to a connection's memory
 * @conn: connection; there may be nothing left of it but its memory
 *
 * What a device holds of a connection is no more than that: a frame may be
 * in a queue of another namespace for as long as that one likes, and must
 * not keep ours from going.
 */
void prp_conn_mem_put(struct prp_conn *conn)
{
	if (!refcount_dec_and_test(&conn->mem))
		return;
	kmem_cache_free(conn_cache, conn);
	if (atomic_dec_and_test(&conn_mem_count))
		wake_up_var(&conn_mem_count);
}

static void conn_free_rcu(struct rcu_head *rcu)
{
	struct prp_conn *conn = container_of(rcu, struct prp_conn, rcu);

	kfree(conn->ip);
	kfree(conn->told);
	prp_conn_mem_put(conn);
}

static void conn_free_late(struct prp_conn *conn)
{
	unsigned int i;

	if (!conn->rx.late)
		return;
	for (i = 0; i < PRP_WIN; i++) {
		if (!conn->rx.late[i])
			continue;
		conn->rx.mem -= conn->rx.late[i]->truesize;
		kfree_skb(conn->rx.late[i]);
	}
	kfree(conn->rx.late);
	conn->rx.late = NULL;
}

/* Who binds next need not wait until a wheel has turned. */
static void conn_free_port(struct prp_conn *conn)
{
	if (conn->port)
		prp_port_conn_put(conn->pn, conn->port);
	conn->port = NULL;
}

/**
 * prp_conn_put() - drop a reference
 * @conn: connection
 *
 * The last reference is dropped after the connection has left the hash, so
 * that nobody finds it; readers that found it before end with their RCU read
 * section. Any context in which BH may run.
 */
void prp_conn_put(struct prp_conn *conn)
{
	struct prp_net *pn = conn->pn;

	if (!refcount_dec_and_test(&conn->ref))
		return;
	WARN_ON_ONCE(conn->hashed || conn->sk);
	__prp_account_tx_free(conn, conn->snd.una, conn->tx.end);
	prp_tx_slots_free(conn);
	__skb_queue_purge(&conn->rx.queue);
	conn_free_late(conn);
	__prp_path_size_free(conn);
	if (conn->pool)
		prp_pool_give(pn, conn->pool);
	conn_free_port(conn);
	prp_mib_inc(pn, PRP_MIB_CONNS_CLOSED);
	call_rcu(&conn->rcu, conn_free_rcu);
	if (atomic_dec_and_test(&pn->conn_count))
		wake_up_var(&pn->conn_count);
}

/**
 * prp_conn_find_rcu() - look a connection up
 * @pn: namespace
 * @key: its two ends
 *
 * Return: the connection, valid in this RCU read section, or NULL. Its state
 * is to be looked at under its lock.
 */
struct prp_conn *prp_conn_find_rcu(const struct prp_net *pn,
				   const union prp_conn_key *key)
{
	const u32 hash = prp_conn_key_hash(pn, key);
	struct prp_conn *conn;

	conn = prp_conn_table_find_rcu(rcu_dereference(pn->conns), key, hash);
	return likely(conn) ? conn : prp_conn_table_search(pn, key, hash);
}

/**
 * __prp_conn_event() - go to the next state
 * @conn: connection, its lock held
 * @event: what happened; possible in its state
 */
void __prp_conn_event(struct prp_conn *conn, enum prp_event event)
{
	u8 old = conn->state;

	lockdep_assert_held(&conn->lock);
	conn->state = prp_state_next(old, event);
	trace_prp_state(conn->pn, conn->self, &conn->key, old, conn->state,
			event);
}

/**
 * __prp_conn_known() - both ends know the connection
 * @conn: connection in PRP_ESTABLISHED, its lock held
 *
 * Who listens is told so, and when it ends.
 */
void __prp_conn_known(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->known = true;
	__prp_crowd_join(conn);
	__prp_netlink_notify_conn(conn);
}

/**
 * prp_conn_set_first() - number our segments
 * @conn: connection that has sent nothing
 * @first: number of the first one
 */
void prp_conn_set_first(struct prp_conn *conn, u32 first)
{
	prp_snd_init(&conn->snd, first, 1);
	prp_cong_init(&conn->cong);
	conn->pace.bound = U64_MAX;
	conn->clock = prp_timers_ahead();
	conn->tx.end = first;
	conn->tx.freed = first;
	conn->first = first;
}

/**
 * prp_conn_set_seg_size() - agree on the size of segments
 * @conn: connection
 * @seg_size: largest payload, bytes
 */
void prp_conn_set_seg_size(struct prp_conn *conn, u16 seg_size)
{
	conn->seg_size = seg_size;
	conn->path.size = seg_size;
	conn->unusual = conn->checksum;
	conn->below.most = max(PRP_BELOW_BYTES / (seg_size + 256), 8);
	conn->below.room = conn->below.most;
	conn->rx.shift = prp_rx_shift(seg_size);
	conn->rx.reserve = prp_rx_reserve(conn->rx.shift);
}

/**
 * __prp_conn_set_silent() - the peer has become silent, or is so no longer
 * @conn: connection, its lock held
 * @silent: which of the two; no longer, too, when the connection ends
 */
void __prp_conn_set_silent(struct prp_conn *conn, bool silent)
{
	lockdep_assert_held(&conn->lock);
	if (likely(silent == conn->watch.silent))
		return;
	conn->watch.silent = silent;
	atomic_add(silent ? 1 : -1, &conn->pn->silent_conns);
}

/* Leave the hash; the caller has a reference besides the hash's. */
static void conn_unhash(struct prp_conn *conn)
{
	struct prp_net *pn = conn->pn;

	lockdep_assert_held(&conn->lock);
	if (!conn->hashed)
		return;
	spin_lock(&pn->conn_lock);
	hlist_del_rcu(&conn->hash_node);
	spin_unlock(&pn->conn_lock);
	conn->hashed = false;
	__prp_crowd_leave(conn);
	if (conn->known)
		__prp_netlink_notify_conn(conn);
	__prp_peer_count(conn);
	__prp_conn_set_silent(conn, false);
	conn_free_port(conn);
	__prp_orphan_end(conn);
	prp_conn_put(conn);
}

/**
 * __prp_conn_finish() - leave a closed record
 * @conn: connection that is over, see __prp_conn_is_over(), its lock held
 */
void __prp_conn_finish(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	prp_record_add(conn, false);
	__prp_conn_event(conn, PRP_EV_FINISHED);
	__prp_tx_slots_ended(conn);
	conn_unhash(conn);
	prp_wake_changed(conn);
}

/**
 * __prp_conn_abort() - end a connection with an error
 * @conn: connection, its lock held
 * @err: positive errno for the program, 0 if it asked for it
 *
 * What is queued is let go. The peer is not told; prp_handshake_abort()
 * does that.
 */
void __prp_conn_abort(struct prp_conn *conn, int err)
{
	lockdep_assert_held(&conn->lock);
	if (conn->state == PRP_CLOSE)
		return;
	if (conn->handshake.by_cookie)
		prp_record_add(conn, true);
	__prp_conn_event(conn, PRP_EV_RESET);
	conn->err = err;
	__prp_account_tx_free(conn, conn->snd.una, conn->tx.end);
	prp_snd_init(&conn->snd, conn->tx.end, 1);
	conn_free_late(conn);
	__prp_path_size_free(conn);
	__prp_tx_slots_ended(conn);
	conn_unhash(conn);
	prp_accept_child_ended(conn);
	prp_wake_changed(conn);
}

/**
 * prp_conn_net_init() - prepare a namespace
 * @pn: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int prp_conn_net_init(struct prp_net *pn)
{
	spin_lock_init(&pn->conn_lock);
	pn->conn_factor[0] = get_random_u64() | 1;
	pn->conn_factor[1] = get_random_u64() | 1;
	if (prp_conn_table_init(pn))
		return -ENOMEM;
	if (prp_record_net_init(pn)) {
		prp_conn_table_exit(pn);
		return -ENOMEM;
	}
	return 0;
}

/**
 * prp_conn_net_gone() - wait until a namespace has no connection any more
 * @pn: namespace; no rail is left in it, prp_changes_exit() was called
 *
 * What a wheel still holds keeps its connection for one turn, and us with it.
 *
 * Return: false if it has after a second.
 */
bool prp_conn_net_gone(struct prp_net *pn)
{
	return wait_var_event_timeout(&pn->conn_count,
				      !atomic_read(&pn->conn_count), HZ);
}

/**
 * prp_conn_net_exit() - free what a namespace has
 * @pn: namespace without connections
 */
void prp_conn_net_exit(struct prp_net *pn)
{
	prp_record_net_exit(pn);
	prp_conn_table_exit(pn);
}

/**
 * prp_conn_init() - make the slab
 *
 * Return: 0 or -ENOMEM.
 */
int prp_conn_init(void)
{
	conn_cache = KMEM_CACHE(prp_conn, SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT);
	return conn_cache ? 0 : -ENOMEM;
}

/**
 * prp_conn_exit() - free the slab
 *
 * Waits for devices to send or drop the last frames of connections that have
 * ended: to free them takes our code.
 */
void prp_conn_exit(void)
{
	wait_var_event(&conn_mem_count, !atomic_read(&conn_mem_count));
	rcu_barrier();
	kmem_cache_destroy(conn_cache);
}
