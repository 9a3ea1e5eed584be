/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Closed records answer ends of connections that are gone, bounded in number
 * and time.
 */
#ifndef _PRP_RECORD_H
#define _PRP_RECORD_H

#include "transport/conn.h"

/**
 * struct prp_record - what is left of a closed connection
 * @node: in prp_net.records [prp_net.conn_lock]
 * @fifo: in prp_net.record_fifo [prp_net.conn_lock]
 * @key: of the connection
 * @tag: our tag
 * @peer_tag: the peer's tag
 * @nxt: first segment that we do not have: one past the peer's end, if that
 *	has come
 * @una: one past our end
 * @expires: jiffies, the lower 32 bits
 * @reset: it was reset, and is known only so that no confirmation with the
 *	cookie that made it makes another one
 * @half: the peer's end has not come: it may, but nothing else
 * @messages: it was of type SOCK_SEQPACKET
 *
 * It answers repeated ends, so that a peer never reports a reset for data
 * that has arrived, and keeps repeated requests from opening a ghost.
 */
struct prp_record {
	struct hlist_node node;
	struct list_head fifo;
	union prp_conn_key key;
	u32 tag;
	u32 peer_tag;
	u32 nxt;
	u32 una;
	u32 expires;
	bool reset;
	bool half;
	bool messages;
};

void prp_record_add(struct prp_conn *conn, bool reset);
bool prp_record_find(struct prp_net *pn, const union prp_conn_key *key, u32 tag,
		     bool ours, struct prp_record *copy);
void prp_record_end(struct prp_net *pn, struct prp_record *copy);
int prp_record_net_init(struct prp_net *pn);
void prp_record_net_exit(struct prp_net *pn);

#endif /* _PRP_RECORD_H */
