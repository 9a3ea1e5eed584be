// SPDX-License-Identifier: GPL-2.0
/*
 * What a connection holds: memory, charged to its pool, and segments that
 * are not acknowledged; and what it tells of itself.
 */
#include "socket/sock.h"
#include "transport/account.h"
#include "transport/cgroup.h"
#include "transport/conn.h"
#include "transport/lot.h"
#include "transport/tx_slots.h"

/* Memory that a connection holds beyond its reserves, and will. */
static u32 conn_beyond(const struct prp_conn *conn, u32 rx, u32 tx)
{
	rx += READ_ONCE(conn->rx.mem);
	tx += READ_ONCE(conn->tx.bytes);
	tx = max_t(u32, tx, READ_ONCE(conn->tx.kept) * PRP_TX_PAGE);
	return (rx > PRP_MEM_RESERVE ? rx - PRP_MEM_RESERVE : 0) +
	       (tx > PRP_MEM_RESERVE ? tx - PRP_MEM_RESERVE : 0);
}

/**
 * __prp_account_charge() - account for memory before it is held
 * @conn: connection, its lock held; rx.mem and tx.bytes are still without it
 * @rx: how many bytes for the reader
 * @tx: how many bytes for the peer
 *
 * Everything beyond the two reserves of a connection comes from the pool.
 *
 * Return: false if the pool is used up.
 */
bool __prp_account_charge(struct prp_conn *conn, u32 rx, u32 tx)
{
	u32 need = conn_beyond(conn, rx, tx);
	u32 more;

	lockdep_assert_held(&conn->lock);
	if (likely(need <= conn->pool))
		return true;
	more = round_up(need - conn->pool, PRP_MEM_QUANTUM);
	if (!prp_pool_take(conn->pn, more))
		return false;
	WRITE_ONCE(conn->pool, conn->pool + more);
	__prp_tx_slots_look(conn);
	return true;
}

/**
 * __prp_account_squeeze() - there is no memory for the reader
 * @conn: connection, its lock held; rx.mem is still without it
 * @bytes: how many were refused, by the pool or by the socket's cgroup
 *
 * The peer is promised no more than what is charged by now, and nothing beyond
 * the reserve if it is to be dropped; see __prp_account_widen(). The reserve,
 * rx.reserve, is held though a cgroup has no room for it: it was promised.
 *
 * Return: true if it is of the reserve.
 */
bool __prp_account_squeeze(struct prp_conn *conn, u32 bytes)
{
	u32 size = conn->rx.mem + bytes;
	bool held;

	lockdep_assert_held(&conn->lock);
	held = __prp_account_charge_rx(conn, bytes) &&
	       (size <= conn->rx.charged ||
		size - conn->rx.charged <= conn->rx.reserve);
	WRITE_ONCE(conn->rx.most,
		   held ? min(conn->rx.most, conn->rx.charged) : 0);
	return held;
}

/**
 * __prp_account_has_rx() - is there memory for the reader?
 * @conn: connection with a socket, its lock held
 * @bytes: that are to be held in addition
 *
 * Nothing is taken.
 *
 * Return: true if the bound, the pool and the cgroup would allow it.
 */
bool __prp_account_has_rx(const struct prp_conn *conn, u32 bytes)
{
	u32 need = conn_beyond(conn, bytes, 0);

	lockdep_assert_held(&conn->lock);
	return conn->rx.mem + bytes <= prp_rx_bound(&conn->rx) &&
	       (need <= conn->pool ||
		prp_pool_has(conn->pn, need - conn->pool)) &&
	       __prp_cgroup_has_room(conn, bytes);
}

/**
 * __prp_account_widen() - promise more if there is memory for it by now
 * @conn: connection with a socket, its lock held
 *
 * Twice as much each time, up to the receive buffer.
 */
void __prp_account_widen(struct prp_conn *conn)
{
	u32 most = max_t(u32, 2 * conn->rx.most, PRP_CGROUP_STEP);

	lockdep_assert_held(&conn->lock);
	most = min(most, conn->rx.rcvbuf);
	if (most <= conn->rx.mem ||
	    __prp_account_has_rx(conn, most - conn->rx.mem))
		WRITE_ONCE(conn->rx.most, most);
}

/**
 * __prp_account_keep() - account for one page more that is kept
 * @conn: connection, its lock held
 *
 * Pages that are kept have bytes that are queued, or have room for them: the
 * larger of both is charged. So that pages are never in the way of bytes, the
 * pool gives what else they need only while it has plenty.
 *
 * Return: false if that is not enough.
 */
bool __prp_account_keep(struct prp_conn *conn)
{
	u32 need;

	lockdep_assert_held(&conn->lock);
	WRITE_ONCE(conn->tx.kept, conn->tx.kept + 1);
	need = conn_beyond(conn, 0, 0);
	if (need <= conn->pool ||
	    (prp_pool_has_plenty(conn->pn, need - conn->pool) &&
	     __prp_account_charge(conn, 0, 0)))
		return true;
	WRITE_ONCE(conn->tx.kept, conn->tx.kept - 1);
	return false;
}

/**
 * prp_account_tx_lacks() - what would the pool have to give?
 * @conn: connection
 * @bytes: that are to be held for the peer in addition
 *
 * Return: bytes, 0 if __prp_account_charge_tx() would take none.
 */
u32 prp_account_tx_lacks(const struct prp_conn *conn, u32 bytes)
{
	u32 need = conn_beyond(conn, 0, bytes);
	u32 pool = READ_ONCE(conn->pool);

	if (need <= pool ||
	    READ_ONCE(conn->tx.bytes) + bytes <= PRP_MEM_RESERVE)
		return 0;
	return round_up(need - pool, PRP_MEM_QUANTUM);
}

/**
 * __prp_account_has_reserve() - may what is waited for do without pool?
 * @conn: connection, its lock held; rx.mem is still without it
 * @rx: how many bytes
 *
 * The reserve is for the segment, a full one at least, and for what was read
 * and not settled yet.
 *
 * Return: true if it is not used up.
 */
bool __prp_account_has_reserve(const struct prp_conn *conn, u32 rx)
{
	u32 reserve = max_t(u32, PRP_AWAITED_RESERVE, 1U << conn->rx.shift) +
		      PRP_SETTLE_BYTES;

	lockdep_assert_held(&conn->lock);
	return conn_beyond(conn, rx, 0) <= conn->pool + reserve;
}

/* Give back what is beyond what is held, and so many quanta of slack. */
static void account_give(struct prp_conn *conn, u32 slack)
{
	u32 keep = round_up(conn_beyond(conn, 0, 0), PRP_MEM_QUANTUM);

	keep += slack * PRP_MEM_QUANTUM;
	if (conn->pool <= keep)
		return;
	prp_pool_give(conn->pn, conn->pool - keep);
	WRITE_ONCE(conn->pool, keep);
}

/**
 * __prp_account_settle() - give back what is no longer held
 * @conn: connection, its lock held
 *
 * One that is busy keeps a quantum of slack, and leaves the pool alone then. No
 * wheel looks at one that has ended, though there may be something to read.
 */
void __prp_account_settle(struct prp_conn *conn)
{
	bool busy = conn->state == PRP_ESTABLISHED &&
		    conn->rx.mem + conn->tx.bytes;

	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->pool))
		account_give(conn, busy ? 1 : 0);
}

/**
 * __prp_account_rest() - give back what is no longer held, and all slack
 * @conn: connection that is not busy, its lock held
 *
 * Something may be there all the same: what has not been read, or was and is
 * not settled yet.
 */
void __prp_account_rest(struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->pool)
		account_give(conn, 0);
}

/**
 * __prp_account_tx_free() - let go of segments
 * @conn: connection, its lock held unless it is being freed
 * @from: first segment
 * @to: one past the last
 */
void __prp_account_tx_free(struct prp_conn *conn, u32 from, u32 to)
{
	struct prp_tx_seg *slots = conn->tx.seg;
	const u32 mask = conn->snd.mask;
	struct page *page = NULL;
	u32 bytes = 0;
	int refs = 0;

	/* or it is being freed, when nobody else knows it any more */
	lockdep_assert(lockdep_is_held(&conn->lock) ||
		       !refcount_read(&conn->ref));
	for (; from != to; from++) {
		struct prp_tx_seg *seg = &slots[from & mask];

		bytes += seg->len + PRP_SEG_OVERHEAD;
		if (seg->page != page) {
			if (refs)
				prp_account_put(page, refs);
			page = seg->page;
			refs = 0;
		}
		refs++;
		seg->page = NULL;
	}
	prp_account_put(page, refs);
	conn->tx.bytes -= bytes;
	/* pairs with prp_tx_slots_fill(): who finds them free writes there */
	smp_store_release(&conn->tx.freed, (u16)to);
}

/* A segment's bytes of user data: without the lengths of messages that begin
 * behind others.
 */
static u32 seg_user_bytes(const struct prp_tx_seg *seg)
{
	u32 at = seg->ends - 1, bytes = seg->len;
	const u8 *data;

	if (likely(!seg->ends))
		return bytes;
	data = page_address(seg->page) + seg->offset;
	while (at < seg->len) {
		bytes -= PRP_MESSAGE_LEN;
		at += PRP_MESSAGE_LEN + prp_wire_get_len(data + at);
	}
	return bytes;
}

/**
 * __prp_account_unacked() - bytes of user data that have not been acknowledged
 * @conn: connection, its lock held
 * @unsent: count only what was never sent
 *
 * Return: bytes; 0 of a connection that has ended.
 */
u64 __prp_account_unacked(const struct prp_conn *conn, bool unsent)
{
	u64 bytes = 0;
	u32 seq;

	lockdep_assert_held(&conn->lock);
	for (seq = unsent ? conn->snd.nxt : conn->snd.una; seq != conn->tx.end;
	     seq++)
		bytes += seg_user_bytes(prp_conn_seg(conn, seq));
	return bytes;
}

/**
 * prp_account_unacked() - bytes that have not been acknowledged
 * @conn: connection
 * @unsent: count only what was never sent
 *
 * Return: bytes.
 */
u64 prp_account_unacked(struct prp_conn *conn, bool unsent)
{
	u64 bytes;

	spin_lock_bh(&conn->lock);
	bytes = __prp_account_unacked(conn, unsent);
	spin_unlock_bh(&conn->lock);
	return bytes;
}

/**
 * prp_account_unsent() - bytes that were never sent, a moment ago
 * @conn: connection, its lock held or not
 *
 * Return: bytes, with the lengths of messages that share a segment.
 */
u32 prp_account_unsent(const struct prp_conn *conn)
{
	u32 queued = READ_ONCE(conn->tx.queued);
	s32 unsent = queued - (u32)READ_ONCE(conn->stats.bytes_out);

	return max(unsent, 0); /* it has gone on meanwhile */
}

static_assert((int)PRP_MODE_START == PRP_CONG_START);
static_assert((int)PRP_MODE_ALONE == PRP_CONG_ALONE);
static_assert((int)PRP_MODE_SHARE == PRP_CONG_SHARE);
static_assert((int)PRP_MODE_POLICED == PRP_CONG_POLICED);

/**
 * __prp_account_info() - what prp_info says of a connection
 * @conn: connection, its lock held
 * @info: where to; prpi_state is left to the caller
 */
void __prp_account_info(const struct prp_conn *conn, struct prp_info *info)
{
	lockdep_assert_held(&conn->lock);
	info->prpi_seg_size = conn->seg_size;
	info->prpi_path_size = conn->path.size;
	info->prpi_rtt_us = prp_rtt_us(&conn->rtt);
	info->prpi_rttvar_us = conn->rtt.var_us4 / 4;
	info->prpi_cwnd = prp_cong_window(&conn->cong);
	info->prpi_mode = conn->cong.mode;
	info->prpi_min_rtt_us = conn->cong.base_us;
	info->prpi_pace =
		prp_cong_pace(&conn->cong, conn->seg_size + PRP_SEG_OVERHEAD);
	info->prpi_in_flight = prp_snd_in_flight(&conn->snd);
	info->prpi_in_flight_max = conn->stats.in_flight_max;
	info->prpi_snd_wnd = conn->snd.edge - conn->snd.una;
	info->prpi_rcv_wnd = conn->rcv.edge - conn->rcv.nxt;
	info->prpi_queued = conn->tx.end - conn->snd.nxt;
	info->prpi_reorder = conn->snd.reorder;
	info->prpi_segs_out = conn->stats.segs_out;
	info->prpi_segs_retransmitted = conn->stats.segs_retransmitted;
	info->prpi_segs_in = conn->stats.segs_in;
	info->prpi_segs_dup_in = conn->stats.segs_dup_in;
	info->prpi_acks_out = conn->stats.acks_out;
	info->prpi_acks_in = conn->stats.acks_in;
	info->prpi_probes_out = conn->stats.probes_out;
	info->prpi_bytes_out = conn->stats.bytes_out;
	info->prpi_bytes_in = conn->stats.bytes_in;
}
