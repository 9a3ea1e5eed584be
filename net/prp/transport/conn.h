/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection: windows, recovery, timers and their lock, apart from the
 * socket that uses it. It is made by the handshake, outlives its socket
 * while there is something to deliver, and leaves a small closed record.
 */
#ifndef _PRP_CONN_H
#define _PRP_CONN_H

#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <uapi/linux/prp.h>

#include "net.h"
#include "pure/ack.h"
#include "pure/cong.h"
#include "pure/pace.h"
#include "pure/rcv.h"
#include "pure/rtt.h"
#include "pure/run.h"
#include "pure/snd.h"
#include "pure/state.h"
#include "pure/wire.h"
#include "transport/conn_parts.h"
#include "transport/rx.h"
#include "transport/timers.h"
#include "transport/tx.h"

struct prp_port;

#define PRP_RECORD_MS 3000 /* life of a closed record */
#define PRP_MEM_RESERVE (32 * 1024) /* each way, needs no pool */
#define PRP_MEM_QUANTUM (64 * 1024)
#define PRP_BELOW_BYTES (256 * 1024) /* below the socket, at most */
#define PRP_BELOW_ALIGN (PRP_RAILS * (PRP_RUN_MAX + 1))

#define PRP_TIMEOUT_CONNECT_MS 10000
#define PRP_TRIES_ON_BEST 3 /* requests on the best rail before others */
#define PRP_TIMEOUT_IP_MS 1000 /* then TCP is tried */
#define PRP_TIMEOUT_MS 30000

/**
 * struct prp_conn_stats - what prp_info counts [conn lock]
 * @segs_out: numbered segments sent, with those sent again
 * @segs_retransmitted: of these, repeats
 * @segs_in: numbered segments received in the window and not before
 * @segs_dup_in: numbered segments received that were here already
 * @acks_out: frames sent that carried nothing but an acknowledgment
 * @acks_in: such frames received
 * @probes_out: tail and window probes sent
 * @bytes_out: bytes of user data sent for the first time
 * @bytes_in: bytes of user data received in order
 * @in_flight_max: most segments that were in flight
 */
struct prp_conn_stats {
	u64 segs_out;
	u64 segs_retransmitted;
	u64 segs_in;
	u64 segs_dup_in;
	u64 acks_out;
	u64 acks_in;
	u64 probes_out;
	u64 bytes_out;
	u64 bytes_in;
	u32 in_flight_max;
};

/**
 * union prp_conn_key - what tells connections of a namespace apart
 * @peer: the other node
 * @rport: its port
 * @lport: our port
 * @zero: 0
 * @all: all of them
 */
union prp_conn_key {
	struct {
		u16 peer;
		u16 rport;
		u16 lport;
		u16 zero;
	};
	u64 all;
};

/**
 * struct prp_conn_ip - IP addresses of a connection of the IP mode [const]
 * @local: ours, IPv4 as v4-mapped IPv6
 * @peer: the other end's
 */
struct prp_conn_ip {
	struct in6_addr local;
	struct in6_addr peer;
};

/**
 * struct prp_conn - a connection; aligned, since the destructor of frames has
 *	it, the rail and the number of segments in one word
 * @hash_node: in prp_net.conns [prp_net.conn_lock]
 * @ref: one each for: the hash, the socket, the accept queue, a pending
 *	timer, a pending kick, a lull that it waits for; without one it is in
 *	no namespace any more
 * @mem: one each for: @ref while it is not 0 and the RCU grace period after
 *	that, each frame of @below; the last one frees it
 * @pn: namespace [const; not valid without a @ref]
 * @self: our node number [const]
 * @cut_seq: low half of the number of the segment that @path.cut is of
 * @key: the other end and our port [const]
 * @hash: prp_conn_key_hash() of the above; also the flow hash of its frames
 * @tag: our tag: what frames to us must bear [const once confirmed; @lock]
 * @first: number of our first segment [the same]
 * @port: port that is in use while we are in the hash
 * @ip: addresses in the IP mode, else NULL [const after the handshake began]
 *
 * @lock: protects everything below that names no other lock; BH. Taken
 *	inside the socket's locks, outside of prp_net.conn_lock,
 *	prp_net.port_lock, prp_backlog.lock and a wheel's lock
 * @state: PRP_CONN_WAIT, PRP_ESTABLISHED or PRP_CLOSE
 * @only_prp: the socket has PRP_REQUIRE: TCP must not try [const]
 * @hashed: is in prp_net.conns
 * @known: both ends have known that it is established
 * @orphan: its socket is gone; counted in prp_net.orphans and orphans_of
 * @peer_end: the peer's stream has ended, all of it is here
 * @end_queued: our stream has ended, PRP_F_END is queued
 * @messages: of type SOCK_SEQPACKET [const after the handshake began]
 * @err: positive errno that ended it, 0 if none
 * @sk: socket, or NULL before accept() and after close()
 * @reader: program that sleeps until there is something to read, or NULL
 *
 * @hdr: header with all fields that change seldom filled in
 * @peer_tag: the peer's tag, 0 before it is known
 * @seg_size: largest payload in both directions, bytes
 * @checksum: every frame bears one, in both directions
 * @unusual: a frame may need more than its header: @checksum is set, or
 *	path.size is below @seg_size
 * @rail: rail that our segments go out on
 * @came: rail of the peer's last frame; what has no payload goes back on it,
 *	unless it was left
 * @half_open: @child is in half_queue [prp_backlog.lock]
 * @napi_id: what brought that frame up, which SO_BUSY_POLL looks after
 * @priority: of frames, from SO_PRIORITY
 * @mark: of frames, from SO_MARK
 * @timeout_ms: PRP_USER_TIMEOUT, 0 for the default
 *
 * @below: its frames below
 * @handshake: until it is confirmed
 * @child: until it is accepted
 * @path: what our way to the peer carries
 * @failover: the rails besides @rail
 * @tx: what there is to send
 * @crowd: how many others there are
 * @lull: until its last segment is let go
 * @rx: what is held for the reader
 * @ack: what we owe the peer by way of acknowledgment
 * @watch: what is waited for, and since when
 * @rtt: round trips
 * @timer: place in a wheel
 * @snd: selective repeat, sender
 * @rcv: selective repeat, receiver
 * @cong: congestion window
 * @pace: what may leave by now
 * @clock: what the time of day is ahead of ours, ticks, as it was when last
 *	asked
 * @pool: bytes taken from prp_net.pool
 * @stats: counters
 * @told: of these, what was added to those of the other node, NULL if nobody
 *	has asked yet; peer.c
 * @rcu: drops @ref's reference to @mem, when @child is not any more
 */
struct prp_conn {
	struct hlist_node hash_node;
	struct prp_net *pn;
	union prp_conn_key key;
	u16 self;
	u16 cut_seq;
	u32 hash;
	u32 tag;
	u32 first;
	struct prp_port *port;
	struct prp_conn_ip *ip;

	/* away from what each look-up reads: devices write here */
	refcount_t mem ____cacheline_aligned_in_smp;
	refcount_t ref;
	struct prp_below below;

	spinlock_t lock ____cacheline_aligned_in_smp;
	u8 state;
	bool only_prp;
	bool hashed;
	bool known;
	bool orphan;
	bool peer_end;
	bool end_queued;
	bool messages;
	int err;
	struct sock *sk;
	struct task_struct *reader;
	union {
		struct prp_child child;
		struct rcu_head rcu;
	};

	struct prp_hdr hdr;
	u32 peer_tag;
	u16 seg_size;
	bool checksum;
	bool unusual;
	u8 rail;
	u8 came;
	bool half_open;
	u32 napi_id;
	u32 priority;
	u32 mark;
	u32 timeout_ms;

	struct prp_handshake handshake;
	struct prp_path_size path;
	struct prp_failover failover;
	struct prp_tx tx;
	struct prp_conn_crowd crowd;
	u32 pool;
	struct prp_lull lull;
	struct prp_rx rx;
	struct prp_ack_state ack;
	struct prp_watch watch;
	struct prp_rtt rtt;
	struct prp_timer timer;

	struct prp_conn_stats stats;
	struct prp_conn_stats *told;
	struct prp_cong cong;
	u32 clock;
	struct prp_pace pace;
	struct prp_rcv rcv;
	struct prp_snd snd;
} __aligned(PRP_BELOW_ALIGN);

struct prp_conn *prp_conn_alloc(struct prp_net *pn, u16 self,
				const union prp_conn_key *key, gfp_t gfp);
void prp_conn_put(struct prp_conn *conn);
void prp_conn_read_here(const struct prp_conn *conn);
void prp_conn_mem_put(struct prp_conn *conn);
struct prp_conn *prp_conn_find_rcu(const struct prp_net *pn,
				   const union prp_conn_key *key);
void __prp_conn_known(struct prp_conn *conn);
void __prp_conn_event(struct prp_conn *conn, enum prp_event event);
void prp_conn_set_first(struct prp_conn *conn, u32 first);
void prp_conn_set_seg_size(struct prp_conn *conn, u16 seg_size);
void __prp_conn_set_silent(struct prp_conn *conn, bool silent);
void __prp_conn_finish(struct prp_conn *conn);
void __prp_conn_abort(struct prp_conn *conn, int err);
int prp_conn_net_init(struct prp_net *pn);
bool prp_conn_net_gone(struct prp_net *pn);
void prp_conn_net_exit(struct prp_net *pn);
int prp_conn_init(void);
void prp_conn_exit(void);

/**
 * prp_conn_key_hash() - hash the two ends of a connection
 * @pn: namespace
 * @key: the two ends
 *
 * Multiply-shift with a secret odd factor: universal, and few instructions on
 * the way of every frame. What is multiplied is mixed by another one first: a
 * product alone would tell its factor to whoever sees in which order some
 * hashes are, as in a list of connections.
 *
 * Return: the hash, of which the highest bits are the best.
 */
static inline u32 prp_conn_key_hash(const struct prp_net *pn,
				    const union prp_conn_key *key)
{
	u64 mixed = key->all * pn->conn_factor[0];

	return (mixed ^ mixed >> 32) * pn->conn_factor[1] >> 32;
}

/**
 * prp_conn_type() - a connection's type as requests name it
 * @conn: connection
 *
 * Return: PRP_TYPE_STREAM or PRP_TYPE_SEQPACKET.
 */
static inline u8 prp_conn_type(const struct prp_conn *conn)
{
	return conn->messages ? PRP_TYPE_SEQPACKET : PRP_TYPE_STREAM;
}

/**
 * prp_conn_seg() - where a segment to be sent is
 * @conn: connection; its lock, or for slots that are not queued the socket's
 *	tx_mutex, keeps them where they are
 * @seq: the segment
 *
 * Return: its slot.
 */
static inline struct prp_tx_seg *prp_conn_seg(const struct prp_conn *conn,
					      u32 seq)
{
	return &conn->tx.seg[seq & conn->snd.mask];
}

/**
 * __prp_conn_is_over() - is there nothing to be delivered any more?
 * @conn: connection in PRP_ESTABLISHED, its lock held
 * @unread: nobody will read what may come
 *
 * Return: true if both ends have ended and know it, or ours has and @unread.
 */
static inline bool __prp_conn_is_over(const struct prp_conn *conn, bool unread)
{
	lockdep_assert_held(&conn->lock);
	return conn->end_queued && conn->snd.una == conn->tx.end &&
	       (conn->peer_end || unread);
}

/**
 * prp_conn_get() - take another reference
 * @conn: connection that the caller has a reference to
 */
static inline void prp_conn_get(struct prp_conn *conn)
{
	refcount_inc(&conn->ref);
}

/**
 * __prp_timers_due() - look at a connection not later than then
 * @conn: connection, its lock held
 * @tick: when; more than a wheel is long is cut to that
 *
 * If it is on a wheel for an earlier time already this does nothing.
 */
static inline void __prp_timers_due(struct prp_conn *conn, u64 tick)
{
	lockdep_assert_held(&conn->lock);
	if (!READ_ONCE(conn->timer.wheel) || READ_ONCE(conn->timer.tick) > tick)
		__prp_timers_move(conn, tick);
}

/**
 * __prp_conn_window() - segments that we can take from now on
 * @conn: connection, its lock held
 *
 * Return: 0 to PRP_WIN.
 */
static inline u16 __prp_conn_window(const struct prp_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	return prp_rx_window(&conn->rx);
}

/**
 * prp_conn_is_stuck() - can nothing come before something was read?
 * @conn: connection
 *
 * Who waits for more than one segment has to do with what there is.
 *
 * Return: true if the peer has used up what it was promised and no more can be
 * promised, or there was no memory for what it sent.
 */
static inline bool prp_conn_is_stuck(const struct prp_conn *conn)
{
	return READ_ONCE(conn->rx.starved) ||
	       (READ_ONCE(conn->rcv.edge) == READ_ONCE(conn->rcv.nxt) &&
		!prp_rx_window(&conn->rx));
}

#endif /* _PRP_CONN_H */
