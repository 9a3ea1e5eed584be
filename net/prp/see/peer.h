/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers: what is known of a node from what it has sent, or left unsent, for
 * people who look for the reason why something does not work. Nothing
 * depends on it. It is touched by frames that open, reset or refuse, by
 * silence, by what forwarders say and by the end of a connection, never by a
 * segment.
 */
#ifndef _PRP_PEER_H
#define _PRP_PEER_H

#include <linux/types.h>

#include "network/way.h"
#include "transport/conn.h"

#define PRP_PEER_BATCH 32 /* told with one walk over all connections */

struct prp_conn;
struct prp_net;
struct prp_table;

/**
 * struct prp_peer_info - what is told of a node
 * @number: its number
 * @known: a handshake, a reset, a notice or a live connection was heard
 * @heard_ms: when, milliseconds ago
 * @told_hash: a handshake told @hash
 * @differs: @hash is not our table's
 * @hash: CRC-32 of its host table
 * @low: lowest version it speaks, 0 if it speaks ours
 * @high: highest version it speaks
 * @conns: connections with it
 * @lacks: features that one of us two must have and the other does not know
 * @waits: something that was sent to it waits for an answer
 * @silent_ms: for how long nothing has come from it, if @waits
 * @error: enum prp_error of what a forwarder said last, 0 for nothing
 * @error_node: that forwarder
 * @error_ms: when, milliseconds ago
 * @stats: what all connections with it have counted
 * @way: rails to it that were ever left; times all 0 if none was
 */
struct prp_peer_info {
	u16 number;
	bool known;
	bool told_hash;
	bool differs;
	bool waits;
	u8 low;
	u8 high;
	u8 error;
	u16 error_node;
	u16 lacks;
	u32 heard_ms;
	u32 hash;
	u32 conns;
	u32 silent_ms;
	u32 error_ms;
	struct prp_conn_stats stats;
	struct prp_way way;
};

void prp_peer_handshake(struct prp_net *pn, u16 number, u32 hash);
void prp_peer_heard(struct prp_net *pn, u16 number);
void prp_peer_version(struct prp_net *pn, u16 number, u8 low, u8 high);
void prp_peer_features(struct prp_net *pn, u16 number, u16 lacks);
void prp_peer_error(struct prp_net *pn, u16 number, u8 code, u16 forwarder);
void prp_peer_way_changed(struct prp_net *pn, u16 number);
void prp_peer_silent(struct prp_net *pn, u16 number, bool silent);
void __prp_peer_count(struct prp_conn *conn);
void prp_peer_table_changed(struct prp_net *pn, const struct prp_table *old,
			    const struct prp_table *now);
void prp_peer_get(struct prp_net *pn, u16 number, struct prp_peer_info *info);
unsigned int prp_peer_next(struct prp_net *pn, u32 from,
			   struct prp_peer_info *infos, unsigned int max);
unsigned int prp_peer_changed(struct prp_net *pn, struct prp_peer_info *infos,
			      unsigned int max);
void prp_peer_net_init(struct prp_net *pn);
void prp_peer_net_exit(struct prp_net *pn);

#endif /* _PRP_PEER_H */
