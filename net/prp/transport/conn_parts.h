/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of struct prp_conn that belong to one room each, which is named; all
 * are under prp_conn.lock. A room's header has its calls, this one what they
 * are about. The parts that more than one room works on are in rx.h and tx.h.
 */
#ifndef _PRP_CONN_PARTS_H
#define _PRP_CONN_PARTS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "pure/hold.h"
#include "pure/wire.h"

struct prp_sock;

/**
 * struct prp_path_search - search for what a way carries [conn lock]
 * @seq: the segment in flight that was judged last
 * @lost_txno: its transmission number then
 * @times: how often it was lost, while nothing as long came through
 * @rail: rail that probes went out on
 * @rungs: so many wait for answers, 0 if none does
 * @best: of these, up to the longest one that was answered; 0 for none
 * @trial: they are a trial of the longest one alone, the first, second ...; 0
 *	if they are a ladder
 * @longest: payload of the last one, bytes
 * @txno: transmission number of the first one
 * @tick: when they went out, the lower half, not 0; 0 if none did
 * @due_tick: when no more answers are waited for, once @best is not 0
 */
struct prp_path_search {
	u32 seq;
	u32 lost_txno;
	u8 times;
	u8 rail;
	u8 rungs;
	u8 best;
	u8 trial;
	u16 longest;
	u32 txno;
	u32 tick;
	u64 due_tick;
};

/**
 * struct prp_below - a connection's frames below; below.c
 * @frames: segments of those with a page of ours, by the rail that they were
 *	handed to, and not yet freed by its device (atomic)
 * @most: most that there may be on a rail for new segments and repeats
 *	[const after handshake]
 * @room: bound of that by now: @most, or less while a queue there is full; up
 *	to prp_watch.retry_tick [conn lock to write]
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
 * struct prp_conn_crowd - a connection is one of many; crowd.c
 * @told: both ends know what PRP_EXT_CROWD says
 * @counted: in prp_crowd.of
 * @among: so many may send to the peer, as it said last; 0 if it did not
 * @epoch: last one in which this one was counted in prp_crowd.active
 * @paused: nothing was to be sent for a while, and no more than a little since
 * @goes_on: the pace has kept all back: what it lets go is no beginning
 * @period: last one in which this one has added to prp_crowd_peer.passed
 * @passed: segments that have arrived since then
 */
struct prp_conn_crowd {
	bool told;
	bool counted;
	u16 among;
	u32 epoch;
	bool paused : 1;
	bool goes_on : 1;
	u8 period;
	u16 passed;
};

/**
 * struct prp_lull - a connection's last segment waits for a lull; lull.c
 * @node: in a processor's list
 * @flags: PRP_LULL_WAITS while it is in one (atomic)
 */
struct prp_lull {
	struct llist_node node;
	unsigned long flags;
};

/**
 * struct prp_handshake - until a connection is confirmed; handshake.c
 * @unconfirmed: the client has not shown yet that our answer arrived
 * @confirming: we are the client, and the server has not shown yet that our
 *	confirmation arrived
 * @raced: TCP tries beside us: an answer is not taken; IP mode
 * @by_cookie: a confirmation made the connection what it is
 * @wants_checksum: ask for one on every frame
 * @tries: how often request or confirmation was repeated
 * @asked_size: what our request said of the segment size, bytes
 * @cookie: what our confirmation has to bring back; all 0 if nothing
 * @tick: when to repeat request or confirmation
 */
struct prp_handshake {
	bool unconfirmed;
	bool confirming;
	bool raced;
	bool by_cookie;
	bool wants_checksum;
	u8 tries;
	u16 asked_size;
	struct prp_ext_cookie cookie;
	u64 tick;
};

/**
 * struct prp_child - a connection that waits for accept(); accept.c
 * @listener: in one of whose queues it is, or NULL
 * @node: in prp_backlog.queue or half_queue [prp_backlog.lock]
 */
struct prp_child {
	struct prp_sock *listener;
	struct list_head node;
};

/**
 * struct prp_path_size - what our way to the peer carries; path_size.c
 * @size: largest payload, bytes; at most prp_conn.seg_size
 * @told: bound of @size that a forwarder told, or U16_MAX
 * @found: bound of @size that was found on prp_conn.rail, 0 if none was
 * @cut: bytes of segment prp_conn.cut_seq that have gone out on that rail in
 *	fragments of that @size, before the next one was refused; else 0
 * @search: for that bound; path_search.c
 */
struct prp_path_size {
	u16 size;
	u16 told;
	u16 found;
	u16 cut;
	struct prp_path_search search;
};

/**
 * struct prp_failover - the rails besides the one that is used; failover.c
 * @far: prp_hop_rails_rcu(), of a connection that has more than one rail
 * @asked: bit r: a probe has gone out on rail r alone, and has no answer yet
 * @answering: bit r: rail r has answered a probe since @live_tick; not the
 *	one that is used
 * @tell: bit r: the peer is to be told that we left rail r
 * @tells: how often it was told
 * @tell_rail: rail of the last time, PRP_RAIL_ANY if there was none yet
 * @tell_txno: transmission number of the last time
 * @live_tick: when something last came back on the rail that is used which
 *	showed that it carries both ways, or since when that is waited for; 0 if
 *	nothing is
 * @answer_tick: when the first rail in @answering answered
 * @look_tick: when to look at the rails next, 0 if there is but one
 * @search_tick: when to probe other rails next
 * @tell_tick: when to tell the peer again
 */
struct prp_failover {
	u8 far;
	u8 asked;
	u8 answering;
	u8 tell;
	u8 tells;
	u8 tell_rail;
	u32 tell_txno;
	u64 live_tick;
	u64 answer_tick;
	u64 look_tick;
	u64 search_tick;
	u64 tell_tick;
};

/**
 * struct prp_watch - what is waited for, and since when; watch.c
 * @probing: something is unacknowledged or held back by the peer's window
 * @silent: the peer has owed us an answer for long, and peer.c knows
 * @starved: the peer has no memory for a repeat; there is none before
 *	@starved_tick
 * @unreachable: a forwarder said that there was no way, since the peer was
 *	last heard
 * @probes: probes without progress
 * @hold: how long to wait for what was overtaken
 * @hold_tick: until when what was overtaken may still arrive, 0 if nothing was
 * @heard_tick: when the peer was last heard, 0 if never
 * @owed_tick: since when the peer has owed us a sign of life
 * @progress_tick: when something in flight last arrived, or the peer said that
 *	it had no memory for it; or when there was nothing to be sent
 * @probe_base: last progress or probe; the next probe is counted from it
 * @put_off_tick: @probe_base when a probe was last put off for frames below
 * @retry_tick: when to try again after a local drop or one at the peer for
 *	memory, 0 if there was none
 * @starved_tick: until when @starved holds, unless the peer tells
 * @death_tick: when an orphan gives up
 */
struct prp_watch {
	bool probing;
	bool silent;
	bool starved;
	bool unreachable;
	u8 probes;
	struct prp_hold hold;
	u64 hold_tick;
	u64 heard_tick;
	u64 owed_tick;
	u64 progress_tick;
	u64 probe_base;
	u64 put_off_tick;
	u64 retry_tick;
	u64 starved_tick;
	u64 death_tick;
};

#endif /* _PRP_CONN_PARTS_H */
