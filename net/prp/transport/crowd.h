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
 * struct prp_crowd_count - how many of late; an estimate, no lock
 * @period: a number of ticks, counted
 * @now: those in that one so far (atomic)
 * @last: @now at the end of the one before
 */
struct prp_crowd_count {
	u32 period;
	atomic_t now;
	u32 last;
};

/**
 * struct prp_crowd_peer - connections with one other node; estimates, no lock
 * @conns: how many that both ends know (atomic)
 * @passed: segments that the node has let through, see PERIOD_TICKS
 * @taken: of all these, what connections that came back began with (atomic)
 */
struct prp_crowd_peer {
	atomic_t conns;
	struct prp_crowd_count passed;
	atomic_t taken;
};

/**
 * struct prp_crowd - who may send to a node, and does; estimates, no lock
 * @peers: other nodes with connections that both ends know (atomic)
 * @of: by node
 * @active: connections that were told of a crowd, see EPOCH_TICKS
 */
struct prp_crowd {
	atomic_t peers;
	struct prp_crowd_peer of[PRP_CROWD_PEERS];
	struct prp_crowd_count active;
};

void __prp_crowd_join(struct prp_conn *conn);
void __prp_crowd_leave(struct prp_conn *conn);
bool __prp_crowd_tell(struct prp_conn *conn, struct prp_ext_crowd *ext);
void __prp_crowd_asked(struct prp_conn *conn);
void __prp_crowd_told(struct prp_conn *conn, const struct prp_frame *frame);
void __prp_crowd_begin(struct prp_conn *conn);
void __prp_crowd_passed(struct prp_conn *conn, unsigned int arrived);

#endif /* _PRP_CROWD_H */
