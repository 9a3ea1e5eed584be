/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection: windows, recovery, timers and their lock, apart from the
 * socket that uses it. It is made by the handshake, outlives its socket
 * while there is something to deliver, and leaves a small closed record.
 */
#ifndef _PRP_CONN_H
#define _PRP_CONN_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <uapi/linux/prp.h>

#include "net.h"
#include "pure/ack.h"
#include "pure/cong.h"
#include "pure/hold.h"
#include "pure/rtt.h"
#include "pure/state.h"
#include "pure/wire.h"
#include "transport/rx.h"
#include "transport/timers.h"
#include "transport/tx.h"

struct prp_port;
struct prp_sock;

#define PRP_ORPHANS_MAX 4096 /* per namespace */
#define PRP_RECORD_MS 3000 /* life of a closed record */
#define PRP_MEM_RESERVE (32 * 1024) /* each way, needs no pool */
#define PRP_MEM_QUANTUM (64 * 1024)
#define PRP_BELOW_BYTES (256 * 1024) /* below the socket, at most */

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
 * struct prp_path_search - search for what a way carries [conn lock]
 * @seq: the segment in flight that was judged last
 * @lost_txno: its transmission number then
 * @times: how often it was lost, while nothing as long came through
 * @rail: rail that the ladder went out on
 * @rungs: of the ladder that waits for an answer, 0 if none does
 * @longest: payload of its first one, bytes
 * @txno: transmission number of its first one
 * @found: what the ladder before found, bytes; 0 if this is the first
 * @tick: when it went out, 0 if none did
 */
struct prp_path_search {
	u32 seq;
	u32 lost_txno;
	u8 times;
	u8 rail;
	u8 rungs;
	u16 longest;
	u32 txno;
	u16 found;
	u64 tick;
};

/**
 * struct prp_below - a connection's frames below; xmit.c
 * @frames: those with a page of ours, by the rail that they were handed to, and
 *	not yet freed by its device (atomic)
 * @most: most that there may be on a rail for new segments and repeats
 *	[const after handshake]
 * @room: bound of that by now: @most, or less while a queue there is full; up
 *	to prp_conn.retry_tick [conn lock to write]
 * @kick_node: in the processor's kick list
 * @kicked: bit 0: is in a kick list (atomic)
 */
struct prp_below {
	atomic_t frames[PRP_RAILS];
	int most;
	int room;
	struct llist_node kick_node;
	unsigned long kicked;
};

/**
 * struct prp_conn - a connection; aligned, since the destructor of frames has
 *	it and the rail in one word
 * @hash_node: in prp_net.conns [prp_net.conn_lock]
 * @ref: one each for: the hash, the socket, the accept queue, a pending
 *	timer, a pending kick; without one it is in no namespace any more
 * @mem: one each for: @ref while it is not 0 and the RCU grace period after
 *	that, each of @below while it is not 0; the last one frees it
 * @rcu: drops @ref's reference to the memory
 * @pn: namespace [const; not valid without a @ref]
 * @self: our node number [const]
 * @key: the other end and our port [const]
 * @hash: prp_conn_hash() of the above; also the flow hash of its frames
 * @tag: our tag: what frames to us must bear [const once confirmed; @lock]
 * @first: number of our first segment [the same]
 * @port: port that is in use while we are in the hash
 * @ip: addresses in the IP mode, else NULL [const after the handshake began]
 *
 * @lock: protects everything below that names no other lock; BH. Taken
 *	inside the socket's locks, outside of prp_net.conn_lock,
 *	prp_net.port_lock, prp_sock.accept_lock and a wheel's lock
 * @state: PRP_CONN_WAIT, PRP_ESTABLISHED or PRP_CLOSE
 * @unconfirmed: the client has not shown yet that our answer arrived
 * @confirming: we are the client, and the server has not shown yet that our
 *	confirmation arrived
 * @only_prp: the socket has PRP_REQUIRE: TCP must not try [const]
 * @raced: TCP tries beside us: an answer is not taken; IP mode
 * @by_cookie: a confirmation made it
 * @half_open: in prp_sock.half_queue [prp_sock.accept_lock]
 * @hashed: is in prp_net.conns
 * @orphan: its socket is gone; counted in prp_net.orphans
 * @peer_end: the peer's stream has ended, all of it is here
 * @end_queued: our stream has ended, PRP_F_END is queued
 * @messages: of type SOCK_SEQPACKET [const after the handshake began]
 * @err: positive errno that ended it, 0 if none
 * @sk: socket, or NULL before accept() and after close()
 * @reader: program that sleeps until there is something to read, or NULL
 * @listener: listener in one of whose queues it waits, or NULL
 * @accept_node: in prp_sock.accept_queue or half_queue [prp_sock.accept_lock]
 *
 * @hdr: header with all fields that change seldom filled in
 * @peer_tag: the peer's tag, 0 before it is known
 * @asked_size: what our request said of the segment size, bytes
 * @cookie: what our confirmation has to bring back; all 0 if nothing
 * @seg_size: largest payload in both directions, bytes
 * @path_size: largest payload on our way to the peer, at most @seg_size
 * @path_told: bound of @path_size that a forwarder told, or U16_MAX
 * @path_found: bound of @path_size that was found on @rail, 0 if none was
 * @search: for that bound
 * @checksum: every frame bears one, in both directions
 * @wants_checksum: ask for that in the handshake
 * @unusual: a frame may need more than its header: @checksum is set, or
 *	@path_size is below @seg_size
 * @peer_starved: the peer has no memory for a repeat; there is none before
 *	@starved_tick
 * @unreachable: a forwarder said that there was no way, since the peer was
 *	last heard
 * @rail: rail that our segments go out on
 * @came: rail of the peer's last frame; what has no payload goes back on it,
 *	unless it was left
 * @far_rails: prp_rail_has_rcu(), of a connection that has more than one rail
 * @asked: bit r: a probe has gone out on rail r alone, and has no answer yet
 * @answering: bit r: rail r has answered a probe since @rail_tick; not @rail
 * @tell: bit r: the peer is to be told that we left rail r
 * @tells: how often it was told
 * @tell_rail: rail of the last time, PRP_RAIL_ANY if there was none yet
 * @tell_txno: transmission number of the last time
 * @priority: of frames, from SO_PRIORITY
 * @mark: of frames, from SO_MARK
 *
 * @snd: selective repeat, sender
 * @cong: congestion window
 * @tx: what there is to send
 * @below: its frames below
 *
 * @rcv: selective repeat, receiver
 * @rx: what is held for the reader
 * @ack: what we owe the peer by way of acknowledgment
 *
 * @sack_ext: where a segment's extensions are put together: too large for a
 *	stack that the kernel clears on every frame's way
 *
 * @pool: bytes taken from prp_net.pool
 *
 * @timer: place in a wheel
 * @probing: something is unacknowledged or held back by the peer's window
 * @probe_base: last progress or probe; the next probe is counted from it
 * @put_off_tick: @probe_base when a probe was last put off for frames below
 * @progress_tick: when something in flight last arrived, or the peer said that
 *	it had no memory for it; or when there was nothing to be sent
 * @probes: probes without progress
 * @silent: the peer has owed us an answer for long, and peer.c knows
 * @hs_tick: when to repeat request or confirmation
 * @hs_tries: how often that was done
 * @retry_tick: when to try again after a local drop or one at the peer for
 *	memory, 0 if there was none
 * @starved_tick: until when @peer_starved holds, unless the peer tells
 * @hold: how long to wait for what was overtaken
 * @hold_tick: until when what was overtaken may still arrive, 0 if nothing was
 * @heard_tick: when the peer was last heard, 0 if never
 * @rail_tick: when something last came back on @rail that showed that it
 *	carries both ways, or since when that is waited for; 0 if nothing is
 * @answer_tick: when the first rail in @answering answered
 * @look_tick: when to look at the rails next, 0 if there is but one
 * @search_tick: when to probe other rails next
 * @tell_tick: when to tell the peer again
 * @owed_tick: since when the peer has owed us a sign of life
 * @death_tick: when an orphan gives up
 * @timeout_ms: PRP_USER_TIMEOUT, 0 for the default
 * @rtt: round trips
 * @stats: counters
 */
struct prp_conn {
	struct hlist_node hash_node;
	struct prp_net *pn;
	union prp_conn_key key;
	u16 self;
	u32 hash;
	u32 tag;
	u32 first;
	struct prp_port *port;

	/* away from what each look-up reads: devices write here */
	refcount_t mem ____cacheline_aligned_in_smp;
	refcount_t ref;
	struct rcu_head rcu;
	struct prp_below below;

	spinlock_t lock ____cacheline_aligned_in_smp;
	u8 state;
	bool unconfirmed;
	bool confirming;
	bool only_prp;
	bool raced;
	bool by_cookie;
	bool half_open;
	bool hashed;
	bool orphan;
	bool peer_end;
	bool end_queued;
	bool messages;
	int err;
	struct sock *sk;
	struct task_struct *reader;
	struct prp_sock *listener;
	struct list_head accept_node;

	struct prp_hdr hdr;
	u32 peer_tag;
	u16 asked_size;
	struct prp_ext_cookie cookie;
	u16 seg_size;
	u16 path_size;
	u16 path_told;
	u16 path_found;
	struct prp_path_search search;
	bool checksum;
	bool wants_checksum;
	bool unusual;
	bool peer_starved;
	bool unreachable;
	u8 rail;
	u8 came;
	u8 far_rails;
	u8 asked;
	u8 answering;
	u8 tell;
	u8 tells;
	u8 tell_rail;
	u32 tell_txno;
	u32 priority;
	u32 mark;

	struct prp_tx tx;
	struct prp_rx rx;
	struct prp_ack_state ack;
	u8 sack_ext[PRP_EXT_MAX] __aligned(8);

	u32 pool;

	struct prp_timer timer;
	u64 probe_base;
	u64 put_off_tick;
	u64 progress_tick;
	u64 hs_tick;
	u64 retry_tick;
	u64 starved_tick;
	struct prp_hold hold;
	u64 hold_tick;
	u64 heard_tick;
	u64 rail_tick;
	u64 answer_tick;
	u64 look_tick;
	u64 search_tick;
	u64 tell_tick;
	u64 owed_tick;
	u64 death_tick;
	u32 timeout_ms;
	bool probing;
	u8 probes;
	bool silent;
	u8 hs_tries;
	struct prp_rtt rtt;

	struct prp_conn_ip *ip;
	struct prp_conn_stats stats;
	struct prp_cong cong;
	struct prp_rcv rcv;
	struct prp_snd snd;
} __aligned(PRP_RAILS);

/**
 * struct prp_conn_cursor - where prp_conn_next_rcu() is; begins as zeroes
 * @bucket: of the hash
 * @last: key of the last connection of that bucket that was given, 0 if none
 */
struct prp_conn_cursor {
	u32 bucket;
	u64 last;
};

struct prp_conn *prp_conn_alloc(struct prp_net *pn, u16 self,
				const union prp_conn_key *key, gfp_t gfp);
int prp_conn_hash(struct prp_conn *conn);
void prp_conn_put(struct prp_conn *conn);
void prp_conn_mem_put(struct prp_conn *conn);
struct prp_conn *prp_conn_find_rcu(const struct prp_net *pn,
				   const union prp_conn_key *key);
struct prp_conn *prp_conn_next_rcu(const struct prp_net *pn,
				   struct prp_conn_cursor *cursor);
void __prp_conn_event(struct prp_conn *conn, enum prp_event event);
void __prp_conn_info(const struct prp_conn *conn, struct prp_info *info);
int prp_conn_open_tx(struct prp_conn *conn);
void prp_conn_set_first(struct prp_conn *conn, u32 first);
void prp_conn_set_seg_size(struct prp_conn *conn, u16 seg_size);
void __prp_conn_finish(struct prp_conn *conn);
void prp_conn_reset(struct prp_conn *conn, int err);
void __prp_conn_abort(struct prp_conn *conn, int err);
bool __prp_conn_charge(struct prp_conn *conn, u32 rx, u32 tx);
bool __prp_conn_squeeze(struct prp_conn *conn, u32 bytes);
bool __prp_conn_has_rx(const struct prp_conn *conn, u32 bytes);
void __prp_conn_widen(struct prp_conn *conn);
bool __prp_conn_charge_tx(struct prp_conn *conn, u32 bytes);
u32 prp_conn_tx_lacks(const struct prp_conn *conn, u32 bytes);
bool __prp_conn_has_reserve(const struct prp_conn *conn, u32 rx);
void __prp_conn_settle(struct prp_conn *conn);
void __prp_conn_tx_free(struct prp_conn *conn, u32 from, u32 to);
u32 prp_conn_unsent(const struct prp_conn *conn);
u64 __prp_conn_unacked(const struct prp_conn *conn, bool unsent);
u64 prp_conn_unacked(struct prp_conn *conn, bool unsent);
void prp_conn_path_changed(struct prp_net *pn);
void prp_conn_rails_changed(struct prp_net *pn);
u32 prp_conn_table_changed(struct prp_net *pn, const struct prp_table *old,
			   const struct prp_table *now);
int prp_conn_net_init(struct prp_net *pn);
void prp_conn_net_reset(struct prp_net *pn);
void prp_conn_net_exit(struct prp_net *pn);
int prp_conn_init(void);
void prp_conn_exit(void);

/**
 * prp_conn_key_hash() - hash the two ends of a connection
 * @pn: namespace
 * @key: the two ends
 *
 * Multiply-shift with a secret odd factor: universal, and three instructions
 * on the way of every frame.
 *
 * Return: the hash, of which the highest bits are the best.
 */
static inline u32 prp_conn_key_hash(const struct prp_net *pn,
				    const union prp_conn_key *key)
{
	return key->all * pn->conn_factor >> 32;
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
