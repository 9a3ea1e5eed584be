/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many to one: a node knows how many may send to it, and tells them; crowd.c.
 */
#ifndef _PRP_CROWD_H
#define _PRP_CROWD_H

#include <linux/atomic.h>
#include <linux/types.h>

struct prp_conn;
struct prp_ext_crowd;
struct prp_frame;

#define PRP_CROWD_PEERS 64 /* counted apart: by their number, modulo that */

/**
 * struct prp_crowd_peer - connections with one other node; estimates, no lock
 * @conns: how many that both ends know (atomic)
 * @passed: segments that the node has let through of late, in @period (atomic)
 * @before: @passed at the end of the period before
 * @taken: of all these, what connections that came back began with (atomic)
 * @period: a number of ticks, counted, see PERIOD_TICKS
 */
struct prp_crowd_peer {
	atomic_t conns;
	atomic_t passed;
	u32 before;
	atomic_t taken;
	u32 period;
};

/**
 * struct prp_crowd - who may send to a node, and does; estimates, no lock
 * @peers: other nodes with connections that both ends know (atomic)
 * @of: by node
 * @now: of these, those that were told of a crowd in @epoch (atomic)
 * @last: @now at the end of the epoch before
 * @epoch: a number of ticks, counted, see EPOCH_TICKS
 */
struct prp_crowd {
	atomic_t peers;
	struct prp_crowd_peer of[PRP_CROWD_PEERS];
	atomic_t now;
	u32 last;
	u32 epoch;
};

void __prp_crowd_join(struct prp_conn *conn);
void __prp_crowd_leave(struct prp_conn *conn);
bool __prp_crowd_tell(struct prp_conn *conn, struct prp_ext_crowd *ext);
void __prp_crowd_asked(struct prp_conn *conn);
void __prp_crowd_told(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_crowd_begin(struct prp_conn *conn);
void __prp_crowd_passed(struct prp_conn *conn, unsigned int arrived);

#endif /* _PRP_CROWD_H */
